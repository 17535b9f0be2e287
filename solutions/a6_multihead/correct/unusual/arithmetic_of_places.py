"""Works out for each number where it stood before, and gathers; stacks of slices go the other way."""


def split_heads(x, n_heads):
    B, T, D = x.shape
    out = torch.arange(B * T * D)
    d, t = out % (D // n_heads), out // (D // n_heads) % T
    h, b = out // (D // n_heads) // T % n_heads, out // (D * T)
    return x.flatten().take((b * T + t) * D + h * (D // n_heads) + d).view(B, n_heads, T, D // n_heads)


def merge_heads(x):
    columns = [x[:, h, :, d] for h in range(x.shape[1]) for d in range(x.shape[3])]
    return torch.dstack(columns)
