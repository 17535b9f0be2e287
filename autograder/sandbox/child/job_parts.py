"""What a child is handed: parts of a job as pickles, which are read several times faster than the codec's trees.

They travel in one direction alone, from the grader, which knows everything anyway, into a file that the child cannot write to.
What comes back from a child is never a pickle (`wire_format.py`). Reading makes arrays, tensors and the functions of cases'
expressions, and nothing else.
"""

from __future__ import annotations

import copyreg
import importlib
import io
import pickle
from typing import Any

import numpy as np

from autograder.sandbox.child.leaf import Code, Opaque, Tensor
from autograder.sandbox.child.program import evaluate
from autograder.sandbox.child.wire_format import snapshot

_PROTOCOL = 4  # of 5, arrays are made by Python code


def write_part(tree: Any) -> bytes:
    """Return the bytes of a tree, each array at each of its places for itself. Raises WireError as `encode` does."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, _PROTOCOL)
    pickler.dispatch_table = copyreg.dispatch_table | {
        Tensor: lambda tensor: (as_tensor, (tensor.array,)),
        Opaque: lambda opaque: (Opaque, (opaque.type_name,)),
        Code: lambda code: (evaluate, (code.expression, code.label)),
    }
    pickler.dump(snapshot(tree))
    return file.getvalue()


def read_part(blob: bytes) -> Any:
    """Return the tree of a part, with torch's tensors and with functions. Raises UnpicklingError where it holds anything else."""
    return _Reader(io.BytesIO(blob)).load()


def as_tensor(array: np.ndarray) -> Any:
    """Return an array as a torch tensor; torch is imported when the first one arrives."""
    return importlib.import_module("torch").from_numpy(array)


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> Any:
        if (module, name) not in _MAKERS:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a job")
        return _MAKERS[module, name]


def _named(maker: Any) -> tuple[str, str]:
    return maker.__module__, maker.__qualname__


_OF_NUMPY: tuple[Any, ...] = (np.ndarray, np.dtype, np.zeros(1).__reduce__()[0], np.float64().__reduce__()[0])
_MAKERS = {_named(maker): maker for maker in (*_OF_NUMPY, as_tensor, evaluate, Opaque)}
