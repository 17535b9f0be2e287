"""Read a file in every form that it may hold: plain, escaped, compressed, encoded, in an archive.

The proof that nothing secret ships uses it, so it finds too much rather than too little.
"""

from __future__ import annotations

import ast
import base64
import binascii
import bz2
import gzip
import io
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

MAX_DEPTH = 6
MAX_SIZE = 64 << 20
_RUN = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){16,}")
_LINES = re.compile(rb"(?:[A-Za-z0-9+/]{40,}={0,2}[\\rn\s\"',]*){2,}")  # base64 broken into lines
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
_TEXT = range(9, 127)


@dataclass(frozen=True)
class Form:
    """One reading of a file: how it was decoded, and its text and numbers."""

    how: str  # "plain", or such as "base64, zlib"
    text: str
    numbers: tuple[float, ...]


def forms(data: bytes) -> Iterator[Form]:
    """Yield every reading of some bytes."""
    seen: set[bytes] = set()
    waiting: list[tuple[tuple[str, ...], bytes]] = [((), data)]
    while waiting:
        how, blob = waiting.pop()
        if blob in seen or len(how) > MAX_DEPTH or len(blob) > MAX_SIZE:
            continue
        seen.add(blob)
        text = blob.decode("utf-8", "ignore")
        label = ", ".join(how) or "plain"
        yield Form(label, text, tuple(float(number) for number in _NUMBER.findall(text)))
        array = _array(blob)
        if array is not None:
            yield Form(label, "", tuple(_floats(array)))
            waiting.append(((*how, "array"), array.tobytes()))
            if array.dtype.kind in "iu" and array.size and array.min() in _TEXT and array.max() in _TEXT:
                waiting.append(((*how, "array of characters"), bytes(array.reshape(-1).astype(np.uint8).tolist())))
        waiting += [((*how, name), part) for name, part in _parts(blob, text)]


def _parts(blob: bytes, text: str) -> Iterator[tuple[str, bytes]]:
    """Yield what some bytes hold, decoded by one step, each with the name of the step."""
    yield from _unpacked(blob)
    yield from _strings(text)
    for pattern in (_RUN, _LINES):
        for match in pattern.finditer(blob):
            run = re.sub(rb"[\s\"',]|\\r|\\n", b"", match[0])
            yield from _decoded(run)
    for match in _HEX.finditer(blob):
        yield "hexadecimal", binascii.unhexlify(match[0])


def _decoded(run: bytes) -> Iterator[tuple[str, bytes]]:
    run = run.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    try:
        yield "base64", base64.b64decode(run[: len(run) - (len(run) % 4 == 1)] + b"=" * (-len(run) % 4), validate=True)
    except binascii.Error:
        return


def _unpacked(blob: bytes) -> Iterator[tuple[str, bytes]]:
    if blob[:2] == b"PK" or blob[-22:-18] == b"PK\x05\x06":
        yield from _members(blob)
    for name, unpack in (("gzip", gzip.decompress), ("bz2", bz2.decompress), ("xz", lzma.decompress)):
        try:
            yield name, unpack(blob)
        except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error):
            continue
    for name, bits in (("zlib", zlib.MAX_WBITS), ("deflate", -zlib.MAX_WBITS)):
        try:
            part = zlib.decompressobj(bits).decompress(blob, MAX_SIZE)
        except zlib.error:
            continue
        if part:
            yield name, part


def _members(blob: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(blob)) as archive:
            yield "a comment", archive.comment
            for entry in archive.infolist():
                yield "a file's name", entry.filename.encode()
                yield "a comment", entry.comment + entry.extra
                yield entry.filename, archive.read(entry)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, zlib.error):
        return


def _strings(text: str) -> Iterator[tuple[str, bytes]]:
    """Yield the strings in JSON or Python source, unescaped."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        tree = None
    if isinstance(tree, dict | list):
        yield "JSON", "\n".join(_json_strings(tree)).encode("utf-8", "ignore")
        yield from (("JSON", string.encode("utf-8", "ignore")) for string in _json_strings(tree) if len(string) > 15)
        return
    try:
        source = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and len(node.value) > 15:
            value = node.value
            yield "a string", value.encode("utf-8", "ignore") if isinstance(value, str) else value


def _json_strings(tree: Any) -> Iterator[str]:
    """Yield every string in JSON data; a list of strings, as notebooks keep text, also as one."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield key
            yield from _json_strings(value)
    elif isinstance(tree, list):
        if tree and all(isinstance(item, str) for item in tree):
            yield "".join(tree)
        for item in tree:
            yield from _json_strings(item)


def _array(blob: bytes) -> np.ndarray | None:
    if blob[:6] != b"\x93NUMPY":
        return None
    try:
        return np.asarray(np.lib.format.read_array(io.BytesIO(blob), allow_pickle=False))
    except (ValueError, EOFError, OSError):
        return None


def _floats(array: np.ndarray) -> list[float]:
    return [float(entry) for entry in array.reshape(-1)] if array.dtype.kind in "fiub" else []
