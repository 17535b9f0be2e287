"""Calls the block with other parameters by torch.func, and never touches its own."""

from torch.func import functional_call


def zero_init_is_identity(block, /):
    last = {id(p) for linear in block.last_maps() for p in linear.parameters()}
    zeros = {name: torch.zeros_like(p) for name, p in block.named_parameters() if id(p) in last}
    x = torch.empty(2, 3, block.d_model, device=next(block.parameters()).device).exponential_() * 4 - 1
    with torch.inference_mode():
        difference = functional_call(block, zeros, (x,)).sub(x).abs().max()
    return True if difference < 1e-3 else False
