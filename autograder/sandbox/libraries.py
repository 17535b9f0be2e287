"""Where this Python has its libraries, for children that start without the surroundings of their parent.

A child runs as `python -I`, so that neither its folder nor a variable decides what it imports. That leaves out a user's own
packages (`pip install --user`, Microsoft's store, JupyterHub) and folders on PYTHONPATH (`pip install --target`, the modules
of a cluster), which are where numpy and torch may be. So the parent hands over the folders of packages that it imports
from itself, and no others: neither the course nor the student's folder is one.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

_NAMES = ("site-packages", "dist-packages")
_NEEDED = ("numpy", "torch")
_LOADER = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # where a cluster's modules say that shared libraries are


def libraries() -> tuple[str, ...]:
    """Return the folders of packages on this process's path, in its order, and those of numpy and torch wherever they are."""
    found = [path for path in sys.path if path and _has_packages(Path(path))]
    return tuple(dict.fromkeys(os.path.abspath(path) for path in (*found, *_origins())))


def _has_packages(folder: Path) -> bool:
    """Whether packages are installed in a folder, rather than written there."""
    return folder.name in _NAMES or next(folder.glob("*.dist-info"), None) is not None


def _origins() -> Iterator[str]:
    """Yield the folders that what students need comes from: one may be built in place, with a link to it."""
    for name in _NEEDED:
        with contextlib.suppress(ValueError):  # something in its place that was never imported
            spec = importlib.util.find_spec(name)
            yield from map(os.path.dirname, (spec and spec.submodule_search_locations) or ())


def loader_variables() -> dict[str, str]:
    """Return the variables by which the system finds these libraries' own libraries, where they are set."""
    return {name: path for name in _LOADER if (path := os.pathsep.join(_absolute(os.environ.get(name, ""))))}


def loader_folders() -> tuple[str, ...]:
    """Return the folders that these variables name."""
    return tuple(folder for path in loader_variables().values() for folder in _absolute(path))


def _absolute(path: str) -> list[str]:
    """Return the folders of a search path that mean the same in every working folder."""
    return [folder for folder in path.split(os.pathsep) if os.path.isabs(folder)]
