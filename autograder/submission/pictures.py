"""Take the pictures that the code names from a submission, check them and keep only the PNG itself.

A statement `loss_curve = "loss_curve.png"` at the start of a line names a picture: in a notebook the last PNG that its cell
shows, else the file of that name beside the code. Only the parts of a PNG that hold the picture are kept, each with a right
checksum; it is not decompressed here.
"""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from autograder.sandbox.job import Source
from autograder.submission.archives import Member, UnreadableError

MOST_BYTES = 2 << 20  # of one picture
MOST_PIXELS = 16_000_000
MOST_PICTURES = 8
_MARK = b"\x89PNG\r\n\x1a\n"
_KEPT = frozenset({b"IHDR", b"PLTE", b"tRNS", b"gAMA", b"sRGB", b"pHYs", b"IDAT", b"IEND"})
_NAMED = re.compile(r"""^(\w{1,80})[ \t]*=[ \t]*(["'])([\w-]{1,80}\.png)\2""", re.MULTILINE)


def checked_png(data: bytes) -> bytes | None:
    """Return a PNG without anything but its picture, or None where it is no sound PNG of a usable size."""
    if len(data) > MOST_BYTES or not data.startswith(_MARK):
        return None
    kept: list[tuple[bytes, bytes]] = []
    for kind, body in _chunks(data):
        if not kept and (kind != b"IHDR" or len(body) != 13 or not _fits(body)):
            return None
        if kind in _KEPT:
            kept.append((kind, body))
        if kind == b"IEND":
            drawn = any(kind == b"IDAT" for kind, _ in kept)
            return _MARK + b"".join(_packed(*chunk) for chunk in kept) if drawn else None
    return None


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the parts of a PNG, up to the first that is cut off or has a wrong checksum."""
    at = len(_MARK)
    while at + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        if data[at : at + 12 + size] != _packed(kind, body):
            return
        yield kind, body
        at += 12 + size


def _packed(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _fits(header: bytes) -> bool:
    width, height = struct.unpack_from(">II", header)
    return bool(0 < width * height <= MOST_PIXELS)


def named_in(text: str) -> tuple[tuple[str, str], ...]:
    """Return the names that code gives to pictures, and their files."""
    return tuple((found[1], found[3]) for found in _NAMED.finditer(text))


def picture_in(member: Member | None) -> bytes | None:
    """Return the bytes of a listed file, or None where there is none that can be used."""
    try:
        return member.read(MOST_BYTES) if member else None
    except UnreadableError:
        return None


def with_pictures(source: Source, read: Callable[[str], bytes | None]) -> Source:
    """Return a source with the pictures that its code names and that it does not have yet; `read` gives a file beside it."""
    found, files = dict(source.pictures), dict[str, bytes | None]()
    for name, file in (named for chunk in source.chunks for named in named_in(chunk.text)):
        if name in found or len(found) == MOST_PICTURES:
            continue
        if file not in files and len(files) < MOST_PICTURES:
            files[file] = checked_png(read(file) or b"")
        if picture := files.get(file):
            found[name] = picture
    return replace(source, pictures=tuple(sorted(found.items())))


def shown_in(cells: Iterable[tuple[str, Any]]) -> tuple[tuple[str, bytes], ...]:
    """Return the pictures that a notebook's cells show, each cell its code and its outputs, by the names that these give."""
    found: dict[str, bytes] = {}
    for code, outputs in cells:
        names = [name for name, _ in named_in(code)][:1]
        pictures = filter(None, map(checked_png, _pngs(outputs))) if names and len(found) < MOST_PICTURES else ()
        for picture in pictures:
            found[names[0]] = picture
    return tuple(sorted(found.items()))


def _pngs(outputs: Any) -> Iterator[bytes]:
    """Yield the PNGs in a cell's outputs; older formats keep them beside the other parts of an output."""
    for output in outputs if isinstance(outputs, list) else ():
        data = output.get("data", output) if isinstance(output, dict) else None
        text = data.get("image/png", data.get("png")) if isinstance(data, dict) else None
        text = "".join(part for part in text if isinstance(part, str)) if isinstance(text, list) else text
        if isinstance(text, str) and len(text) <= 2 * MOST_BYTES:
            try:
                yield b64decode(text)
            except ValueError:
                continue
