"""What an assignment with `torch = true` needs beside numpy, and what to run where it is missing."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec

# What PyPI has for Linux brings gigabytes of GPU libraries along; this index has builds for the CPU.
INDEX = "--extra-index-url https://download.pytorch.org/whl/cpu"
TORCH = "torch>=2.4"


def why_torch_is_missing(slug: str) -> str:
    """Return the sentence that says how to install torch for an assignment; nothing where it is installed."""
    if find_spec("torch"):
        return ""
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    pip = f"{python} -m pip install {shlex.quote(TORCH)} {INDEX}"
    return f"{slug} needs torch, which is not installed here. Run: {pip}"
