"""A context manager zeroes the maps and puts the numbers back, whatever happens; the verdict is a tensor without axes."""

from contextlib import contextmanager, ExitStack


@contextmanager
def silent(parameter):
    kept = parameter.data
    parameter.data = torch.zeros_like(kept)
    try:
        yield
    finally:
        parameter.data = kept


@torch.no_grad()
def zero_init_is_identity(block):
    x = torch.linspace(-4, 9, 7 * block.d_model, device=next(block.parameters()).device).sin().mul(2).add(0.5).view(1, 7, -1)
    x = torch.cat([x, x.roll(3, 1).square()])
    with ExitStack() as stack:
        for linear in block.last_maps():
            for parameter in linear.parameters():
                stack.enter_context(silent(parameter))
        return torch.isclose(block(x), x, atol=1e-4).all()
