"""What one library calls what a student asks of the other by its name there: of functions, and of what arrays and tensors can do.

Names alone are told, and of those only such as no exercise forbids.
"""

from __future__ import annotations

from autograder.course.language import marked, say

# By the name that is not there, what to write in its place.
FUNCTIONS = {
    "numpy": {
        "bmm": "np.matmul", "batch_matmul": "np.matmul", "mm": "np.matmul", "cat": "np.concatenate", "clamp": "np.clip",
        "gather": "np.take_along_axis", "masked_fill": "np.where", "norm": "np.linalg.norm", "numel": "np.size", "one_hot": "np.eye(n)[ids]",
        "permute": "np.transpose", "relu": "np.maximum(x, 0)", "repeat_interleave": "np.repeat", "tensor": "np.array",
        "unsqueeze": "np.expand_dims", "view": "np.reshape",
    },
    "torch": {
        "array": "torch.tensor", "astype": "x.to(dtype)", "batch_matmul": "torch.bmm", "copy": "x.clone()", "expand_dims": "torch.unsqueeze",
        "log_sum_exp": "torch.logsumexp", "one_hot": "torch.nn.functional.one_hot",
        "power": "torch.pow", "repeat": "torch.repeat_interleave", "take_along_axis": "torch.take_along_dim", "view": "torch.reshape",
    },
}  # fmt: skip
METHODS = {
    "numpy": {
        "clamp": "np.clip(x, ...)", "clone": "x.copy()", "cpu": "x", "detach": "x", "dim": "x.ndim", "expand": "np.broadcast_to(x, shape)",
        "float": "x.astype(float)", "gather": "np.take_along_axis(x, ...)", "long": "x.astype(int)", "masked_fill": "np.where(mask, value, x)",
        "matmul": "x @ y", "norm": "np.linalg.norm(x)", "numel": "x.size", "numpy": "x", "permute": "x.transpose(...)",
        "repeat_interleave": "x.repeat(...)", "to": "x.astype(dtype)", "tril": "np.tril(x)", "triu": "np.triu(x)",
        "unsqueeze": "np.expand_dims(x, axis)",
    } | {name: f"np.{name}(x)" for name in ("abs", "cos", "exp", "log", "sin", "sqrt", "square", "tanh")},
    "torch": {
        "astype": "x.to(dtype)", "copy": "x.clone()", "expand_dims": "x.unsqueeze(dim)", "fill": "x.fill_(value)",
        "take_along_axis": "torch.take_along_dim(x, ...)",
    },
}  # fmt: skip
TO_WRITE = frozenset({"gelu", "log_softmax", "logsumexp", "sigmoid", "silu", "softmax", "softplus"})


def function_elsewhere(owner: str, name: str) -> str:
    """Say what a function is called in a library that does not have it under a name; nothing where that is not known."""
    if owner == "numpy" and name in TO_WRITE:
        return say("`numpy` has no `{name}`: write it yourself, with `np.exp` and the like.", name=name)
    here = FUNCTIONS.get(owner, {}).get(name, "")
    return say("`{owner}` has no `{name}`. Here it is `{here}`.", owner=owner, name=name, here=here) if here else ""


def method_elsewhere(what: str, name: str, *, is_tensor: bool) -> str:
    """Say the same of an attribute that an array or tensor does not have."""
    here = METHODS["torch" if is_tensor else "numpy"].get(name, "")
    told = marked("{what} is a torch tensor, which has no `{name}`. Where `x` is the tensor, write `{here}`.")
    if not is_tensor:
        told = marked("{what} is a numpy array, which has no `{name}`. Where `x` is the array, write `{here}`.")
    return say(told, what=what, name=name, here=here) if here else ""
