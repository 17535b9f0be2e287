"""Notice the other project called autograder, which installs into the folder autograder/ as this one does.

Where both are in one environment, each has replaced files of the other, and removing one of them breaks the other.
"""

from __future__ import annotations

import sys
from pathlib import Path

import autograder

_MEND = (
    "Install sequence-autograder in an environment of its own, or run: {python} -m pip uninstall autograder "
    "sequence-autograder, and install sequence-autograder again."
)


def is_replaced() -> bool:
    """Whether the other project has written its files over this package's."""
    return not (autograder.__doc__ or "").startswith("Grade assignments on sequence models")


def warning() -> str:
    """Return what to say where the other project is installed beside this one; else nothing."""
    found = [path for folder in sys.path for path in Path(folder or ".").glob("autograder-*.dist-info")]
    if not found and not is_replaced():
        return ""
    name = found[0].name.removesuffix(".dist-info").replace("-", " ") if found else "autograder"
    what = "its files replace some of this one's" if is_replaced() else "both write into one folder"
    return f"Another project, {name}, is installed here, and {what}. {_MEND.format(python=sys.executable)}"
