"""Pack what a module of this package needs as a wheel, reproducibly and without a build tool.

That is all that it imports, directly or through others and also inside functions, and whole the folders whose code decides about
points, so that a result's checksum of the engine is the one of `grade`. What makes handouts, proves assignments or shows a class
stays at home. The wheel declares no requirements. A requirements.txt beside it does, since most assignments do not need torch.
"""

from __future__ import annotations

import ast
import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from autograder import __version__
from autograder.handout.zips import zip_bytes
from autograder.sandbox.child.parse import parse

NAME = f"sequence_autograder-{__version__}-py3-none-any.whl"
_PACKAGE = Path(__file__).resolve().parents[1]
_WHOLE = ("sandbox", "course", "judge", "oracle")
# What a module reads that is not code.
_BESIDE = {"autograder.integrations.otter_run": (_PACKAGE / "integrations" / "templates" / "otter" / "check.py.txt",)}
_METADATA = f"""\
Metadata-Version: 2.1
Name: sequence-autograder
Version: {__version__}
Summary: The engine of the sequence autograder, packed for one assignment
Requires-Python: >=3.11
"""
_WHEEL = "Wheel-Version: 1.0\nGenerator: autograder\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def wheel(main: str) -> bytes:
    """Return the wheel in which a module, such as autograder.integrations.gradescope, can run."""
    info = f"sequence_autograder-{__version__}.dist-info"
    files = {f"autograder/{path.relative_to(_PACKAGE).as_posix()}": path.read_bytes() for path in _needed(main)}
    files |= {f"{info}/METADATA": _METADATA.encode(), f"{info}/WHEEL": _WHEEL.encode()}
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in sorted(files.items())]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,"]).encode() + b"\n"
    return zip_bytes(files)


def _needed(main: str) -> set[Path]:
    """Return the files that a module needs."""
    found = {path for folder in _WHOLE for end in ("py", "po") for path in (_PACKAGE / folder).rglob(f"*.{end}")}
    found |= set(_BESIDE.get(main, ()))
    waiting = {*_files_of(main), *found}
    while waiting:
        path = waiting.pop()
        found.add(path)
        names = _imported(path.read_text(encoding="utf-8")) if path.suffix == ".py" else ()
        waiting |= {file for name in names for file in _files_of(name)} - found
    return found


@cache
def _imported(text: str) -> tuple[str, ...]:
    """Return the modules that a file may import; of what it imports from one, each name might be a module as well."""
    return tuple(_names(text))


def _names(text: str) -> Iterator[str]:
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _files_of(name: str) -> Iterator[Path]:
    """Yield a module's file and those of the packages that it is in, where it is one of ours."""
    first, *parts = name.split(".")
    if first != "autograder":
        return
    for number in range(len(parts) + 1):
        place = _PACKAGE.joinpath(*parts[:number])
        yield from (path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file())


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
