"""Make the folder for Classroom 50, GitHub Classroom's successor, which checks every push in the student's own repository.

Its runner fetches the folder from where anybody can read it, and runs `autograder.py` in the student's checkout. So the folder
holds the handout and nothing else: public cases are told there, and `autograder grade` gives the points.
Format: github.com/foundation50/classroom50, wiki, Advanced Autograding; `classroom50/result/v1`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_SCRIPT = Path(__file__).resolve().parent / "templates" / "classroom50" / "autograder.py.txt"
_READ = ("requirements.txt", "LICENSE-CONTENT")  # beside the engine's folder


def classroom50_files(handout: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of the folder by path, given those of the handout."""
    kept = {name: data for name, data in handout.items() if name.startswith("engine/") or name in _READ}
    return {"autograder.py": _SCRIPT.read_bytes(), **kept}
