"""A submission's code, and the pictures that came with it, as a gradebook stores them."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode

from autograder.sandbox.job import Chunk, Source


def packed(source: Source | None) -> bytes | None:
    """Return a source as it is stored."""
    return None if source is None else zlib.compress(as_json(source))


def unpacked(code: bytes | None) -> Source | None:
    """Return the source that was stored."""
    return None if code is None else from_json(zlib.decompress(code))


def as_json(source: Source) -> bytes:
    """Return a source as JSON."""
    chunks = [[chunk.label, chunk.text] for chunk in source.chunks]
    pictures = [[name, b64encode(data).decode()] for name, data in source.pictures]
    more = [pictures, source.homes] if source.homes else [pictures] * bool(pictures)
    return json.dumps([source.module, source.notebook, chunks, *more]).encode()


def from_json(text: bytes) -> Source:
    """Return the source of a JSON text; gradebooks of before hold no pictures and no homes."""
    module, notebook, chunks, *more = json.loads(text)
    pictures = tuple((name, b64decode(data)) for name, data in (more[0] if more else ()))
    homes = tuple((name, file) for name, file in more[1]) if more[1:] else ()
    return Source(module, tuple(Chunk(label, text) for label, text in chunks), notebook, pictures, homes)
