"""Send torch's gradients back through answers that were computed elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

Backward = Callable[[tuple[Any, ...]], Sequence[Any]]  # gradients of the outputs to gradients of the inputs


def attach(value: Any, inputs: Sequence[Any], backward: Backward) -> Any:
    """Return an answer, a tensor or a tuple of tensors, as if it had been computed from the inputs.

    When gradients arrive at it, `backward` is asked for those of the inputs.
    """
    torch: Any = sys.modules.get("torch")
    whole = value if isinstance(value, tuple) else (value,)
    floats = [torch is not None and torch.is_tensor(part) and part.is_floating_point() for part in whole]
    if torch is None or not inputs or not all(floats):
        return value

    class Answered(torch.autograd.Function):  # type: ignore[misc] # torch has no types for it
        @staticmethod
        def forward(_: Any, *__: Any) -> Any:
            return value

        @staticmethod
        def backward(_: Any, *cotangents: Any) -> Any:
            pairs = zip(cotangents, whole, strict=True)
            whole_cotangents = tuple(torch.zeros_like(part) if c is None else c for c, part in pairs)
            with torch.enable_grad():  # what is asked there goes back through a graph of its own
                return tuple(backward(whole_cotangents))

    return Answered.apply(*inputs)
