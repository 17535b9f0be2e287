"""Library code that an exercise may not use: while it runs, that code is as good as absent, and says so.

It sits beside student code and imports nothing of ours. It keeps honest students honest and hostile ones no secret:
working around it takes reading the library. The same names are looked for in the source before it runs.
"""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import importlib
import re
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

_IMPORTED = re.compile(r"\b(?:import|from)\s+(\w+)")


class ShortcutError(Exception):
    """Raised inside student code where it uses what its exercise may not; the text is the full name."""


class Shortcuts:
    """Guards around library classes and functions. `exercise` says whose call is running, if one is."""

    def __init__(self, rules: list[tuple[str, list[str]]]) -> None:
        self.exercise = ""
        self._rules = rules
        self._exercises = {exercise for _, exercises in rules for exercise in exercises}
        self.guard()

    def guard(self, texts: Iterable[str] = ()) -> None:
        """Guard what is imported by now, or will be by the submission's texts.

        Importing torch for every job would cost a second that few need.
        """
        waiting = []
        libraries = {pattern.partition(".")[0] for pattern, _ in self._rules}
        mentioned = imported_in(text for text in texts if any(library in text for library in libraries))
        for pattern, exercises in self._rules:
            library = pattern.partition(".")[0]
            if library in mentioned:
                with contextlib.suppress(ImportError):
                    importlib.import_module(library)
            if library in sys.modules:
                for owner, name in _matches(pattern):
                    self._guard(owner, name, f"{pattern.rpartition('.')[0]}.{name}", frozenset(exercises))
            else:
                waiting.append((pattern, exercises))
        self._rules = waiting

    def _guard(self, owner: Any, name: str, full_name: str, exercises: frozenset[str]) -> None:
        found = getattr(owner, name)
        if not callable(found):  # as __file__, which is read of every module by code that looks for a source
            return
        if not isinstance(found, type):
            setattr(owner, name, self._guarded(found, full_name, exercises))
            return
        # In place, so that names bound by `from torch.nn import ...` and classes derived from it meet it too.
        for method in ("__init__", "forward"):
            if method in vars(found):
                setattr(found, method, self._guarded(vars(found)[method], full_name, exercises))

    def _user(self, frame: types.FrameType | None) -> str:
        """Return the exercise whose code is at work: the innermost one, since exercises call each other."""
        while frame is not None:
            if _root(frame) in self._exercises:
                return _root(frame)
            frame = frame.f_back
        return self.exercise

    def _guarded(self, function: Any, full_name: str, exercises: frozenset[str]) -> Any:
        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            if self.exercise in exercises and self._user(sys._getframe(1)) == self.exercise:  # noqa: SLF001 (documented)
                raise ShortcutError(full_name)
            return function(*args, **kwargs)

        guarded.__dict__.pop("__wrapped__", None)  # which would lead around the guard
        return guarded


def imported_in(texts: Iterable[str]) -> set[str]:
    """Return the libraries that some code imports, as far as its text tells."""
    return {name for text in texts for name in _IMPORTED.findall(text)}


def _root(frame: types.FrameType) -> str:
    return frame.f_code.co_qualname.partition(".")[0]


def _matches(pattern: str) -> Iterator[tuple[Any, str]]:
    """Yield the owner and name of everything that a full name, in which the last part may hold `*`, stands for."""
    path, _, last = pattern.rpartition(".")
    try:
        owner = importlib.import_module(path)
    except ImportError:  # another version of the library
        return
    yield from ((owner, name) for name in list(vars(owner)) if fnmatch.fnmatchcase(name, last))
