"""Returns tensors of a class of its own, a parameter, and views that are yet to be conjugated or negated."""


class Named(torch.Tensor):
    pass


def split_heads(x, n_heads):
    return x.unflatten(-1, (n_heads, -1)).transpose(1, 2).as_subclass(Named)


def sinusoidal_encoding(T, d_model, base=10000):
    z = torch.polar(torch.ones(T, d_model // 2), torch.arange(T)[:, None] / base ** (torch.arange(0, d_model, 2) / d_model))
    return nn.Parameter(torch.stack([z.conj().imag.neg(), z.real], -1).flatten(1))


def shift_matrix(k, d_model):
    z = torch.exp(1j * k * 10000.0 ** (-torch.arange(0, d_model, 2).double() / d_model))
    return torch.block_diag(*(torch.stack([torch.stack([w.real, w.imag]), torch.stack([w.conj().imag, w.real])]) for w in z))


def timing_signal(T, d_model):
    z = torch.exp(1j * torch.outer(torch.arange(T), 10000.0 ** -torch.linspace(0, 1, d_model // 2).double()))
    return torch.cat([z.conj().imag.neg(), z.real], dim=1)
