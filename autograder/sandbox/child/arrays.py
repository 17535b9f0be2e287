"""The container in which arrays travel, written and read with numpy alone, for machines without the safetensors library.

The format is safetensors': eight bytes that say how long the header is, a JSON header, then the arrays' bytes one after
another. Grading uses the library; students' laptops have only numpy, and run only their own code.
"""

from __future__ import annotations

import json
import math
import struct

import numpy as np

_NAMES = {
    "?": "BOOL", "u1": "U8", "i1": "I8", "u2": "U16", "i2": "I16", "u4": "U32", "i4": "I32", "u8": "U64", "i8": "I64",
    "f2": "F16", "f4": "F32", "f8": "F64",
}  # fmt: skip
_WRITTEN_AS = {np.dtype(code): name for code, name in _NAMES.items()}
_READ_AS = {name: np.dtype(code).newbyteorder("<") for code, name in _NAMES.items()}


def save(tensor_dict: dict[str, np.ndarray], metadata: dict[str, str] | None = None) -> bytes:
    """Return the bytes of named arrays."""
    header: dict[str, object] = {"__metadata__": metadata} if metadata else {}
    parts, place = [], 0
    for name, array in tensor_dict.items():
        part = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        offsets = [place, place + len(part)]
        header[name] = {"dtype": _WRITTEN_AS[array.dtype], "shape": list(array.shape), "data_offsets": offsets}
        parts.append(part)
        place += len(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)


def load(data: bytes) -> dict[str, np.ndarray]:
    """Return the named arrays of some bytes. Raises an ordinary error where they are not such bytes."""
    (length,) = struct.unpack_from("<Q", data)
    if 8 + length > len(data):
        raise ValueError("the header breaks off")
    header = json.loads(data[8 : 8 + length])
    rows, place, arrays = data[8 + length :], 0, {}
    entries = ((name, entry) for name, entry in header.items() if name != "__metadata__")
    for name, entry in sorted(entries, key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        dtype, shape = _READ_AS[entry["dtype"]], entry["shape"]
        if begin != place or math.prod(shape) * dtype.itemsize != end - begin:
            raise ValueError("an array is not where and what the header says")
        flat = np.frombuffer(rows, dtype, math.prod(shape), begin) if end > begin else np.empty(0, dtype)
        arrays[name] = flat.reshape(shape)
        place = end
    if place != len(rows):
        raise ValueError("bytes that belong to no array")
    return arrays
