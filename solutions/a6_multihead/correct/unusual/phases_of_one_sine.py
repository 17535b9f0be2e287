"""A cosine is a sine that is a quarter ahead; frequencies come from logspace, and numbers are double."""


def sinusoidal_encoding(T, d_model, base=10000):
    columns = torch.arange(d_model, dtype=torch.float64)
    pairs = torch.div(columns, 2, rounding_mode="floor")
    speeds = torch.exp(-2 * pairs * torch.tensor(base, dtype=torch.float64).log() / d_model)
    return torch.sin(torch.outer(torch.arange(T).double(), speeds) + columns.remainder(2) * torch.pi / 2)


def timing_signal(T, d_model):
    speeds = torch.logspace(0, -4, steps=d_model // 2, dtype=torch.float64)
    return torch.view_as_real(torch.exp(1j * torch.outer(torch.arange(T), speeds))).flip(-1).transpose(1, 2).flatten(1)
