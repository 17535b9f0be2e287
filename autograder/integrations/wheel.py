"""Pack this package as a wheel, reproducibly and without a build tool.

The wheel declares no requirements. A requirements.txt beside it does, since most assignments do not need torch.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

from autograder import __version__
from autograder.handout.zips import zip_bytes

NAME = f"sequence_autograder-{__version__}-py3-none-any.whl"
_PACKAGE = Path(__file__).resolve().parents[1]
_METADATA = f"""\
Metadata-Version: 2.1
Name: sequence-autograder
Version: {__version__}
Summary: The engine of the sequence autograder, packed for one assignment
Requires-Python: >=3.11
"""
_WHEEL = "Wheel-Version: 1.0\nGenerator: autograder\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def wheel() -> bytes:
    """Return the wheel."""
    info = f"sequence_autograder-{__version__}.dist-info"
    files = dict(_package_files())
    files |= {f"{info}/METADATA": _METADATA.encode(), f"{info}/WHEEL": _WHEEL.encode()}
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in sorted(files.items())]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,"]).encode() + b"\n"
    return zip_bytes(files)


def _package_files() -> Iterator[tuple[str, bytes]]:
    for path in _PACKAGE.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("."):
            yield f"autograder/{path.relative_to(_PACKAGE).as_posix()}", path.read_bytes()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
