"""The codec: trees of plain data and arrays to bytes and back, with no code path in either direction.

Eight bytes say how long a JSON text is; it holds the nesting, and each array's dtype and shape; then the arrays' bytes follow in
that order. Equal trees have equal bytes, so who has read an answer once knows it by its bytes. For an answer by itself, which is a few
small arrays, a container such as safetensors took twice as long, and students' laptops have numpy alone. A tree holds None, bool, int,
float, str, lists, tuples, dicts, numpy arrays and torch tensors; a dataclass travels as the dict of its fields. Anything else a
student returns travels as an `Opaque`: the name of its type, so that the parent can say what it was. `decode` treats its bytes as
hostile: whatever they are, it returns a tree or raises WireError.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from autograder.sandbox.child.tree import Code, EachOnce, Opaque, Tensor, fields_of, imported_torch, to_numpy

MAX_HEADER = 1 << 20
MAX_DEPTH = 32
MAX_LEAVES = 10_000
MAX_NDIM = 16
MAX_INT_BITS = 64
_AS_THEY_ARE = {type(None), bool, str}
_TEXT = {str}
_PLAIN = {type(None), bool, str, float}  # of what JSON gives, what is as it was
_SIZE = struct.Struct("<Q")
CODES = ("b1", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8")
_KEPT = {np.dtype(code) for code in CODES}
_DTYPES = {code: np.dtype(f"<{code}") for code in CODES}
_PACKED = "PackedSequence"  # torch's, a tuple of what no one takes for a tuple
_written = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode  # what was packed holds no cycle


class WireError(ValueError):
    """The bytes are not what `encode` makes, or the tree is not data."""


def encode(tree: Any, *, limit: int = 0) -> bytes:
    """Return the bytes of a tree. Raises WireError where it nests too deeply or holds too much.

    `limit` bounds the arrays' bytes before any is copied.
    """
    arrays: dict[str, np.ndarray] = {}
    shape = pack(tree, arrays)
    _refuse_large(arrays.values(), limit)
    parts = [(array.dtype.str[1:], array.shape) for array in arrays.values()]
    text = _written({"parts": parts, "tree": shape}).encode()
    if len(text) > MAX_HEADER:
        raise WireError("more text than fits; arrays are the way to return much data")
    return b"".join((_SIZE.pack(len(text)), text, *map(_bytes_of, arrays.values())))


def decode(blob: bytes, *, torch: Any = None, evaluate: Callable[..., Any] | None = None) -> Any:
    """Return the tree of some bytes; tensors become torch's when the module is given, else `Tensor`.

    `evaluate` makes functions of a `Code`'s expression and label, and is given only for bytes that the grader itself has encoded; without it code
    is refused, and bytes that are not a tree raise WireError and nothing else.
    """
    try:
        shape, arrays = _read(blob)
        return _Unpacker(EachOnce(arrays), torch, evaluate).unpack(shape)
    except WireError:
        raise
    except Exception as error:  # noqa: BLE001 (the promise is that only WireError comes out)
        raise WireError(f"not a tree of arrays: {type(error).__name__}") from None


def pack(tree: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Return a tree as plain JSON data, its arrays added to those given. Raises WireError as `encode` does."""
    return _pack(tree, arrays, [0], 0)


def unpack(shape: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """Return the tree that was packed, with tensors as `Tensor` and functions as `Code`."""
    return _Unpacker(arrays, None, Code).unpack(shape)


def snapshot(tree: Any, limit: int = 0, *, torch: Any = None, evaluate: Callable[..., Any] = Code) -> Any:
    """Return what `decode` makes of a tree's bytes, without the bytes: a copy that shares nothing with the tree.

    `limit` bounds the arrays' bytes. Raises WireError as `encode` does. An array, and several in a tuple or list, cost little.
    """
    if _travels_whole(tree):
        _refuse_large((tree,), limit)
        return _copied(tree)
    if type(tree) in (tuple, list) and all(map(_travels_whole, tree)):
        _refuse_large(tree, limit)
        return type(tree)([_copied(part) for part in tree])
    arrays: dict[str, np.ndarray] = {}
    shape = pack(tree, arrays)
    _refuse_large(arrays.values(), limit)
    return _Unpacker({name: _copied(array) for name, array in arrays.items()}, torch, evaluate).unpack(shape)


def _travels_whole(node: Any) -> bool:
    return type(node) is np.ndarray and node.dtype in _KEPT and node.ndim <= MAX_NDIM


def _copied(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder("="), order="C")


def _refuse_large(arrays: Iterable[np.ndarray], limit: int) -> None:
    """Raise WireError where arrays take more than `limit` bytes; 0 is no limit."""
    if limit and (size := sum(array.nbytes for array in arrays)) > limit:
        raise WireError(f"{size >> 20} MB")


def _pack(node: Any, arrays: dict[str, np.ndarray], leaves: list[int], depth: int) -> Any:
    if type(node) is np.ndarray:  # most of what is no container
        return _pack_array(node, arrays, "array")
    if isinstance(node, (list, tuple)) and type(node).__name__ != _PACKED:
        _count(len(node), leaves, depth)
        kind = "tuple" if isinstance(node, tuple) else "list"
        return {kind: [c if type(c) in _AS_THEY_ARE else _pack(c, arrays, leaves, depth + 1) for c in node]}
    if isinstance(node, dict) and (
        _TEXT.issuperset(map(type, node)) or all(isinstance(k, str | int | np.integer) for k in node)
    ):
        _count(2 * len(node), leaves, depth)
        items = [
            [_pack_key(key), v if type(v) in _AS_THEY_ARE else _pack(v, arrays, leaves, depth + 1)]
            for key, v in node.items()
        ]
        return {"dict": items}
    if (fields := fields_of(node)) is not None:
        return _pack(fields, arrays, leaves, depth)
    return _pack_leaf(node, arrays)


def _pack_key(key: Any) -> Any:
    if type(key) is str:
        return key
    return _pack_leaf(int(key) if isinstance(key, np.integer) else key, {})


def _count(parts: int, leaves: list[int], depth: int) -> None:
    """Count the parts of a container, before any is looked at."""
    leaves[0] += parts
    if leaves[0] > MAX_LEAVES:
        raise WireError(f"more than {MAX_LEAVES} values")
    if depth >= MAX_DEPTH and parts:
        raise WireError(f"nested more than {MAX_DEPTH} deep")


def _pack_leaf(node: Any, arrays: dict[str, np.ndarray]) -> Any:
    if type(node) is float and math.isfinite(node):
        return node
    if node is None or isinstance(node, bool):
        return None if node is None else bool(node)
    if isinstance(node, str):
        return str.__str__(node)
    if isinstance(node, np.generic):  # before float: np.float64 is one
        return _pack_array(np.asarray(node), arrays, "scalar")
    if isinstance(node, int):
        return int(node) if node.bit_length() <= MAX_INT_BITS else {"opaque": "very large int"}
    if isinstance(node, float):
        return float(node) if math.isfinite(node) else {"float": repr(float(node))}
    if isinstance(node, np.ndarray):
        return _pack_array(np.asarray(node), arrays, "array")
    if isinstance(node, Tensor):
        return _pack_array(node.array, arrays, "tensor")
    if isinstance(node, Code):
        return {"code": [node.expression, node.label] if node.label else node.expression}
    return _pack_foreign(node, arrays)


def _pack_foreign(node: Any, arrays: dict[str, np.ndarray]) -> Any:
    torch = imported_torch()
    if torch is not None and isinstance(node, torch.Tensor):
        try:
            return _pack_array(to_numpy(node), arrays, "tensor")
        except (RuntimeError, TypeError):  # sparse, quantized, or on a device that holds no values
            return {"opaque": f"tensor of {node.dtype}, {node.layout}, on {node.device}"[:80]}
    return {"opaque": node.type_name if isinstance(node, Opaque) else type(node).__name__[:80]}


def _bytes_of(array: np.ndarray) -> bytes:
    """Return the entries of an array in order, whatever its layout in memory."""
    return array.astype(_DTYPES[array.dtype.str[1:]], copy=False).tobytes()


def _pack_array(array: np.ndarray, arrays: dict[str, np.ndarray], label: str) -> Any:
    if array.dtype not in _KEPT and array.dtype == np.longdouble:
        array = array.astype(np.float64)
    kept = array.dtype in _KEPT or array.dtype.newbyteorder("=") in _KEPT
    if not kept or array.ndim > MAX_NDIM:
        return {"opaque": f"array of {array.dtype}"[:80]}
    name = f"a{len(arrays)}"
    arrays[name] = array
    return {label: name}


def _read(blob: bytes) -> tuple[Any, dict[str, np.ndarray]]:
    """Return the tree's JSON and the arrays by name, each with memory of its own: students may work in place on what they get.

    Every size is checked before anything is allocated.
    """
    if len(blob) < _SIZE.size:
        raise WireError("there is no header")
    (length,) = _SIZE.unpack_from(blob)
    place = _SIZE.size + length
    if length > MAX_HEADER or place > len(blob):
        raise WireError("the header is longer than it may be")
    header = json.loads(blob[_SIZE.size : place])
    parts = header["parts"]
    if not isinstance(parts, list) or len(parts) > MAX_LEAVES:
        raise WireError(f"more than {MAX_LEAVES} arrays")
    arrays = {}
    for number, (code, shape) in enumerate(parts):
        if len(shape) > MAX_NDIM or not all(type(size) is int and size >= 0 for size in shape):
            raise WireError("an array has no such shape")
        dtype, count = _DTYPES[code], math.prod(shape)
        if count * dtype.itemsize > len(blob) - place:
            raise WireError("an array is longer than what is there")
        # A byte that is to be a boolean may be any, where it was written by a hostile hand.
        flat = np.frombuffer(blob, np.uint8 if code == "b1" else dtype, count, place)
        arrays[f"a{number}"] = flat.reshape(shape).astype(dtype.newbyteorder("="))
        place += count * dtype.itemsize
    if place != len(blob):
        raise WireError("bytes that belong to no array")
    return header["tree"], arrays


class _Unpacker:
    """Builds one tree from its JSON and arrays, counting what it holds."""

    def __init__(self, arrays: Mapping[str, np.ndarray], torch: Any, evaluate: Callable[..., Any] | None) -> None:
        self._arrays, self._torch, self._evaluate = arrays, torch, evaluate
        self._leaves = 0

    def unpack(self, node: Any, depth: int = 0) -> Any:
        if type(node) in _PLAIN:
            return node
        if isinstance(node, int):
            if node.bit_length() > MAX_INT_BITS:
                raise WireError("an int is larger than is ever sent")
            return node
        if not isinstance(node, dict):
            raise WireError("a bare list is not a node")
        if len(node) != 1:
            raise WireError("a node has one kind")
        ((kind, content),) = node.items()
        if kind in ("list", "tuple", "dict"):
            return self._container(kind, content, depth + 1)
        if kind == "code" and self._evaluate is not None:
            return self._evaluate(*content) if isinstance(content, list) else self._evaluate(content)
        return self._leaf(kind, content)

    def _container(self, kind: str, content: Any, depth: int) -> Any:
        if not isinstance(content, list):
            raise WireError(f"the content of a {kind} is a list")
        self._leaves += len(content)
        if self._leaves > MAX_LEAVES or (depth > MAX_DEPTH and content):
            raise WireError("more values, or more nesting, than is ever sent")
        if kind == "dict":
            return {
                key if type(key) is str else _key(key): v if type(v) in _PLAIN else self.unpack(v, depth)
                for key, v in content
            }
        children = [c if type(c) in _PLAIN else self.unpack(c, depth) for c in content]
        return tuple(children) if kind == "tuple" else children

    def _leaf(self, kind: str, content: Any) -> Any:
        match kind:
            case "float":
                return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[content]
            case "opaque":
                return Opaque(str(content)[:80])
            case "array":
                return self._arrays[content]
            case "scalar":
                return self._arrays[content].reshape(())[()]
            case "tensor":
                array = self._arrays[content]
                return Tensor(array) if self._torch is None else self._torch.from_numpy(array)
            case _:
                raise WireError(f"unknown kind of node {kind[:20]!r}")


def _key(node: Any) -> Any:
    if isinstance(node, str) or (isinstance(node, int) and node.bit_length() <= MAX_INT_BITS):
        return node
    raise WireError("a dict key is a string or a whole number")
