"""Call a function, or a method of a torch module or another object that is made for it; for the worker, and for the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autograder.sandbox.child.tree import leaves


def make_call(found: Any, module: Mapping[str, Any] | None, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call what was found. A torch module is made first, its parameters loaded; where cotangents are given, go backward.

    Without arguments to make it with, what was found is a plain function. An object without parameters, of any class, is made
    and called. The grader may hand over one of its own that is `made` already.
    """
    if module is None:
        return found(*args, **kwargs)
    method, parameters = found, []
    if module["init"] is not None:
        made = module["made"] if "made" in module else found(*module["init"])
        method = getattr(made, module["method"])
        if not (module["state"] or module["cotangents"] or hasattr(made, "load_state_dict")):
            if module["before"]:
                method(*module["before"])
            return method(*args, **kwargs)
        if "made" not in module:
            load(made, module)
        parameters = made.named_parameters()
    import torch

    if module["before"]:
        with torch.no_grad():
            method(*module["before"])
    if not module["cotangents"]:
        with torch.no_grad():
            return method(*args, **kwargs)
    inputs = [_followed(a, lambda tensor: tensor.requires_grad_()) for a in args]
    output = method(*args, **kwargs)
    loss = sum((o * c).sum() for o, c in zip(leaves(output), leaves(module["cotangents"]), strict=True))
    if loss.requires_grad:  # else every gradient is missing, which the check tells better than torch's exception does
        loss.backward()
    return {
        "output": output,
        "input_grads": [_followed(a, lambda tensor: tensor.grad) for a in inputs],
        "param_grads": {name: parameter.grad for name, parameter in parameters},
    }


def load(made: Any, module: Mapping[str, Any]) -> None:
    """Load a torch module's parameters, and set whether it trains."""
    # A buffer that the student's constructor adds is none of the grader's parameters, and keeps the value it made.
    own = made.state_dict()
    buffers = {name: own[name] for name, _ in made.named_buffers() if name in own}
    made.load_state_dict({**buffers, **module["state"]})
    made.train(module["training"])


def _followed(argument: Any, each: Callable[[Any], Any]) -> Any:
    """Apply a function to every floating tensor of an argument, in tuples and lists too; all else becomes None."""
    import torch

    if isinstance(argument, tuple | list):
        return [_followed(part, each) for part in argument]
    return each(argument) if torch.is_tensor(argument) and argument.is_floating_point() else None
