"""What an assignment needs beside numpy, by `torch = true` and `requires`, and what to run where it is missing."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from importlib import metadata
from importlib.util import find_spec

# What PyPI has for Linux brings gigabytes of GPU libraries along; this index has builds for the CPU.
INDEX = "--extra-index-url https://download.pytorch.org/whl/cpu"
TORCH = "torch>=2.4"


def why_torch_is_missing(what: str) -> str:
    """Return the sentence that says how to install torch for what needs it; nothing where it is installed."""
    if find_spec("torch"):
        return ""
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    pip = f"{python} -m pip install {shlex.quote(TORCH)} {INDEX}"
    return f"{what} needs torch, which is not installed here. Run: {pip}"


def why_packages_are_missing(slug: str, requires: Sequence[str]) -> str:
    """Return the sentence that says how to install what an assignment requires; nothing where all of it is installed.

    A version is asked for and not compared: pip does that.
    """
    missing = [named for named in requires if not _is_installed(named)]
    if not missing:
        return ""
    pip = shlex.join([sys.executable, "-m", "pip", "install", *missing])
    return f"{slug} requires {', '.join(missing)}, which this Python does not have. Run: {pip}"


def _is_installed(named: str) -> bool:
    found = re.match(r"[\w.-]*\w", named)
    try:
        return bool(found and metadata.distribution(found[0]))
    except metadata.PackageNotFoundError:
        return False
