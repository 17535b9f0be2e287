"""Find what a check is asked for by the names that people type: a file, an exercise, a case."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.course.language import say
from autograder.handout.kit.bundle import Bundle
from autograder.judge.result import Result
from autograder.judge.trials import Trial

NEXT = "next"
_SUFFIXES = (".py", ".ipynb")


class CheckError(Exception):
    """The check was called with wrong arguments; the message says what to do."""


def asks_for_next(words: Sequence[str]) -> tuple[list[str], bool]:
    """Return the words without `next`, and whether it is among them."""
    return [word for word in words if word != NEXT], NEXT in words


def file_and_exercise(words: Sequence[str], exercises: Sequence[str], chosen: str = "") -> tuple[Path | None, str]:
    """Return the file and the exercise that words name, in any order. Raises CheckError.

    `chosen` is an exercise that was named by an option; without one of either, it is None or an empty text.
    """
    files = [word for word in words if word not in exercises and _is_path(word)]
    names = [word for word in words if word not in files] + [chosen] * bool(chosen)
    for name in names:
        if name not in exercises:
            told = (
                say("There is no exercise {name}.", name=name)
                if name == chosen
                else say("There is no exercise {name}, and no such file.", name=name)
            )
            raise CheckError(told + _meant(name, exercises, (NEXT,)))
    if len(files) > 1 or len(set(names)) > 1:
        raise CheckError(say("Name one file and one exercise at most, not {words}.", words=" ".join([*files, *names])))
    return (Path(files[0]) if files else None), (names[0] if names else "")


def page_asked(words: Sequence[str]) -> tuple[list[str], Path | None]:
    """Return the words of a check without the HTML file that they name, and this file, if there is one. Raises CheckError."""
    pages = [word for word in words if word.casefold().endswith((".html", ".htm"))]
    if len(pages) > 1:
        raise CheckError(say("Name one HTML file, not {pages}.", pages=" ".join(pages)))
    return [word for word in words if word not in pages], Path(pages[0]) if pages else None


def trial_asked(bundle: Bundle, name: str, result: Result) -> Trial:
    """Return the trial of a case: of `case`, of `exercise.case`, or of the case that is shown of an exercise. Raises CheckError."""
    shown = {e.name: f"{e.name}.{(e.shown or e.cases[0]).name}" for e in result.exercises if e.cases}
    trials = {trial.name: trial for trial in bundle.trials}
    found = [key for key in trials if shown.get(name, name) in (key, key.partition(".")[2])]
    if not found:
        cases = [*(trial.case.name for trial in bundle.trials), *trials]
        told = say("There is no public case {name}, and no such exercise.", name=name)
        raise CheckError(told + _meant(name, shown, cases))
    if len(found) > 1:
        raise CheckError(
            say("There are several cases {name}: write {choices}.", name=name, choices=say(" or ").join(found))
        )
    return trials[found[0]]


def _is_path(word: str) -> bool:
    return word.endswith(_SUFFIXES) or Path(word).exists()


def _meant(name: str, known: Iterable[str], besides: Sequence[str] = ()) -> str:
    """Return a question about the nearest name, or all but those `besides` where none is near and they are few."""
    names = list(dict.fromkeys(known))
    near = difflib.get_close_matches(name.lower(), {each.lower(): each for each in (*names, *besides)}, 1)
    if near:
        meant = next(each for each in (*names, *besides) if each.lower() == near[0])
        return say(" Did you mean {name}?", name=meant)
    return say(" There are {names}.", names=", ".join(names)) if len(names) <= 20 else ""
