"""What a child is handed: parts of a job as pickles, which are read several times faster than the codec's trees.

They travel in one direction alone, from the grader, which knows everything anyway, into a file that the child cannot write to.
What comes back from a child is never a pickle (`wire_format.py`). Reading makes arrays, tensors and the functions of cases'
expressions, and nothing else. Large arrays lie behind the pickle: inside it each would be there twice while it is read, and the
memory for that would count as the student's.
"""

from __future__ import annotations

import copyreg
import importlib
import io
import math
import pickle
import struct
from typing import Any

import numpy as np

from autograder.sandbox.child.leaf import Code, Opaque, Tensor
from autograder.sandbox.child.program import evaluate
from autograder.sandbox.child.wire_format import snapshot

LARGE = 1 << 16  # bytes of an array
_PROTOCOL = 4  # of 5, arrays are made by Python code
_SIZE = struct.Struct("<Q")  # of the pickle, in front of it


def write_part(tree: Any) -> bytes:
    """Return the bytes of a tree, each array at each of its places for itself. Raises WireError as `encode` does."""
    file = io.BytesIO()
    writer = _Writer(file)
    writer.dump(snapshot(tree))
    pickled = file.getvalue()
    return b"".join((_SIZE.pack(len(pickled)), pickled, *writer.large))


def read_part(blob: bytes) -> Any:
    """Return the tree of a part, with torch's tensors and with functions. Raises UnpicklingError where it holds anything else."""
    return _Reader(blob).load()


def as_tensor(array: np.ndarray) -> Any:
    """Return an array as a torch tensor; torch is imported when the first one arrives."""
    return importlib.import_module("torch").from_numpy(array)


class _Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, _PROTOCOL)
        self.large: list[bytes] = []
        self.dispatch_table = copyreg.dispatch_table | {
            Tensor: lambda tensor: (as_tensor, (tensor.array,)),
            Opaque: lambda opaque: (Opaque, (opaque.type_name,)),
            Code: lambda code: (evaluate, (code.expression, code.label)),
        }

    def persistent_id(self, thing: Any, /) -> tuple[str, tuple[int, ...]] | None:
        """Put a large array aside, and return what is to be known of it."""
        if type(thing) is not np.ndarray or thing.nbytes < LARGE:
            return None
        self.large.append(thing.tobytes())
        return thing.dtype.str, thing.shape


class _Reader(pickle.Unpickler):
    def __init__(self, blob: bytes) -> None:
        (size,) = _SIZE.unpack_from(blob)
        self._blob, self._place = blob, _SIZE.size + size
        super().__init__(io.BytesIO(blob[_SIZE.size : self._place]))

    def persistent_load(self, known: tuple[str, tuple[int, ...]], /) -> np.ndarray:
        """Return the next array of those that lie behind."""
        dtype, shape = known
        array = np.frombuffer(self._blob, dtype, math.prod(shape), self._place).reshape(shape).copy()
        self._place += array.nbytes
        return array

    def find_class(self, module: str, name: str, /) -> Any:
        """Return one of the few functions that parts are made with."""
        if (module, name) not in _MAKERS:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a job")
        return _MAKERS[module, name]


def _named(maker: Any) -> tuple[str, str]:
    return maker.__module__, maker.__qualname__


_OF_NUMPY: tuple[Any, ...] = (np.ndarray, np.dtype, np.zeros(1).__reduce__()[0], np.float64().__reduce__()[0])
_MAKERS = {_named(maker): maker for maker in (*_OF_NUMPY, as_tensor, evaluate, Opaque)}
