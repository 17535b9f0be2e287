"""Tell which platform an export is from, by all of its names together.

Students choose the names of their files, so that one name proves nothing. An export is a platform's where most of its names are.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath

import autograder.lms
from autograder.lms.platform import Item, Listing, Named, Owner, Platform, Understood

_LISTS = (".csv", ".xlsx", ".xls", ".yml", ".yaml", ".xml")  # rosters and metadata that exports hold
_ABOUT = re.compile(r"index\.html|check\.html|readme(\.(md|txt|rst|html|pdf))?")  # pages and notes


@dataclass(frozen=True)
class Reading:
    """What an export says: the platform, and of each item what it is; `strange` are names that are not.

    Where most names fit no platform, it is none, and `strange` are those that look like the `likely` one's.
    """

    platform: Platform
    understood: Understood
    strange: tuple[str, ...] = ()
    likely: Platform | None = None


@cache
def platforms() -> tuple[Platform, ...]:
    """Return every platform that has a module here."""
    names = sorted(module.name for module in pkgutil.iter_modules(autograder.lms.__path__))
    modules = [import_module(f"autograder.lms.{name}") for name in names]
    return tuple(module.PLATFORM for module in modules if hasattr(module, "PLATFORM"))


def recognise(listing: Listing, known: Sequence[Platform] | None = None) -> Reading:
    """Read an export as the platform's that most of its names fit, the others as plain names; and else all as plain names."""
    readings = [(platform, platform.read(listing)) for platform in (platforms() if known is None else known)]
    fits = [(sum(bool(named) for named in found.values()), platform, found) for platform, found in readings]
    count, platform, found = max(fits, key=lambda fit: (fit[0], fit[1].marks), default=(0, _PLAIN, {}))
    names = _PLAIN.read(listing)
    fitting = {item for item, named in found.items() if named}
    rest = {i: named for i, named in names.items() if i not in found and not is_list(i)}
    if count > len(rest):
        return Reading(platform, {**found, **rest}, tuple(item.name for item in rest))
    kept = {i: named for i, named in names.items() if i in fitting or not is_list(i)}
    return Reading(_PLAIN, kept, tuple(item.name for item in fitting), platform if count else None)


def is_list(item: Item) -> bool:
    """Whether it is a roster or the like, which exports hold and no student handed in."""
    return is_list_name(item.name, folder=item.folder) or any(p.beside(item) for p in platforms() if p.beside)


def is_list_name(name: str, *, folder: bool) -> bool:
    """Whether a file or folder of this name is a roster, a page or notes about the class: no student is called so."""
    return not folder and (name.lower().endswith(_LISTS) or _ABOUT.fullmatch(name.lower()) is not None)


def _plain_names(listing: Listing) -> Understood:
    """Read every file or folder as called after its student."""
    return {item: [Named(Owner(item.name if item.folder else _stem(item.name)), item.name)] for item in listing.items}


def _stem(name: str) -> str:
    """Return a file's name without its ending, and without what a browser adds: `ada.py.txt` is Ada's."""
    path = PurePosixPath(PurePosixPath(name).stem)
    return path.stem if path.suffix.lower() in (".py", ".ipynb") else str(path)


_PLAIN = Platform("", "plain names", _plain_names, marks=0)
