"""Read what a student may know about an assignment: public cases, expected answers, and known mistakes.

Two files hold it: JSON for the structure, and the numbers in the format of the sandbox, which never makes objects. They hold
no code, no reference and no hidden case. Of a known mistake they hold its sentence and what it gives on the public cases, and of
correct solutions which values they have on the way to public answers.
`autograder check` and the handout's `check.py` judge by the same bundle.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from autograder.course.language import ENGLISH, say
from autograder.course.spec import (
    Assignment,
    Call,
    Case,
    Exercise,
    Limits,
    Misconception,
    Module,
    RubricItem,
    Shortcut,
    Status,
    Visibility,
)
from autograder.handout.kit.known_mistakes import Known, ReadWhenAsked, read_outcomes
from autograder.handout.kit.one_slip import Slip, no_slip, read_slips
from autograder.handout.kit.two_mistakes import NO_PAIRS, Pairs, read_pairs
from autograder.handout.kit.values_of_solutions import read_values
from autograder.judge import checks
from autograder.judge.answer_fingerprints import fingerprint_of
from autograder.judge.blame import place_of
from autograder.judge.outcomes_alike import agrees
from autograder.judge.reasons import Slipped
from autograder.judge.right_values import RightValues
from autograder.judge.trials import MOST_KEPT, Judged, Kept, Origins, Small, T, Trial, make_trial
from autograder.sandbox.child.wire_format import decode, unpack
from autograder.sandbox.job import Outcome

FORMAT = 13
SEED = 0  # so that a call with randomness gives the same everywhere
SHAPES, NUMBERS = "public.json", "public.arrays"


class BundleError(Exception):
    """The data beside a `check.py` is missing or of another version."""


@dataclass(frozen=True)
class Bundle:
    """A judge's knowledge of public cases, read from data; see `judge.trials.Knowledge`."""

    assignment: Assignment
    signatures: Mapping[str, tuple[str, ...]]
    trials: tuple[Trial, ...]
    right: Mapping[Trial, tuple[Outcome, ...]]
    known: Known
    smaller: Callable[[Trial], tuple[Small, ...]]
    right_values: Callable[[Trial, int], RightValues | None]
    slip: Slip
    pairs: Pairs = NO_PAIRS
    replays: ClassVar[bool] = False
    _kept: Kept = field(default_factory=Kept, init=False, repr=False, compare=False)

    def trials_of(self, exercise: str) -> tuple[Trial, ...]:
        """Return an exercise's trials in report order."""
        return tuple(trial for trial in self.trials if trial.case.exercise == exercise)

    def misconceptions_of(self, exercise: str) -> tuple[Misconception, ...]:
        """Return an exercise's misconceptions in bank order."""
        return tuple(m for m in self.assignment.misconceptions if m.exercise == exercise)

    def misconception(self, name: str) -> Misconception:
        """Return a misconception by name."""
        return next(m for m in self.assignment.misconceptions if m.name == name)

    def expected(self, trial: Trial) -> tuple[Outcome, ...]:
        """Return what the reference gives."""
        return self.right[trial]

    def answers(self, names: tuple[str, ...], trial: Trial) -> tuple[Outcome, ...] | None:
        """Return what the reference gives with these misconceptions, or None where that cannot be known.

        Where only one changes the trial, the answer with that one is the answer with all.
        """
        changed = tuple(name for name in names if self.matters(name, trial))
        if len(changed) > 1:
            return self.known.together(changed, trial.name)
        return self.known.get((changed[0], trial.name)) if changed else self.right[trial]

    def matters(self, name: str, trial: Trial) -> bool:
        """Whether a misconception changes what the reference gives."""
        return self.known.get((name, trial.name)) is not None

    def pairs_giving(
        self, got: Mapping[Trial, tuple[Outcome, ...]], failed: Collection[Trial]
    ) -> Iterator[tuple[str, str]]:
        """Yield the pairs whose fingerprints are those of a student's outcomes, which need both, and against which nothing speaks.

        Where both change a trial of which there is no fingerprint, nothing is known. Where none is left, a single pair against which only
        trials speak that one of them changes alone: beside the other, both may.
        """
        prints = {trial.name: fingerprint_of(trial, outcomes) for trial, outcomes in got.items()}
        prints |= {trial.name: None for trial in failed if not self._shows(trial, got[trial])}
        sure, likely = list[tuple[str, str]](), list[tuple[str, str]]()
        for pair, told in self.pairs.giving(prints, {trial.name for trial in failed}):
            changed = {trial: tuple(name for name in pair if self.matters(name, trial)) for trial in got}
            known = [trial for trial in failed if trial.name in told or len(changed[trial]) < len(pair)]
            needed = all(any(not agrees(self, (other,), trial, got[trial]) for trial in known) for other in pair)
            alone = {t: names for t, names in changed.items() if len(names) < len(pair) and t.name not in told}
            against = [trial for trial, names in alone.items() if not agrees(self, names, trial, got[trial])]
            if needed and not against:
                sure.append(pair)
            elif needed and len(told) > 1 and all(alone[trial] and trial in failed for trial in against):
                likely.append(pair)
        yield from sure or (likely if len(likely) == 1 else ())

    def kept(self, key: tuple[Hashable, ...], make: Callable[[], T], most: int = MOST_KEPT) -> T:
        """Return what `make` gives, which the next save may ask for as well."""
        return self._kept.get(key, make, most)

    def slip_giving(
        self, exercise: str, got: Mapping[Trial, tuple[Outcome, ...]], failed: Collection[Trial]
    ) -> Slipped | None:
        """Return what is told of a slip that gives an exercise's outcomes, alone or beside a known mistake that the bundle has."""
        found = self.slip(exercise, got, failed) if all(self._shows(trial, got[trial]) for trial in failed) else None
        known = {"", *(m.name for m in self.misconceptions_of(exercise))}
        return found if found and found.beside in known else None

    def _shows(self, trial: Trial, outcomes: tuple[Outcome, ...]) -> bool:
        """Whether what is wrong in a trial is enough to show in its fingerprint."""
        mine, right = (fingerprint_of(trial, each, whole=True) for each in (outcomes, self.right[trial]))
        return mine is None or mine.tells_from(right)

    def alterations(self, _: Trial) -> tuple[tuple[str, ...], ...]:
        """Return nothing: what is right for other arguments takes the reference, which stays at home."""
        return ()

    def altered(self, _: Trial, __: tuple[str, ...]) -> None:
        """Return nothing, for the same reason."""

    def follow(
        self, _: object, __: object, judged: Sequence[Judged], excused: Collection[Trial] = (), named: object = ()
    ) -> Origins:
        """Return the excused trials that stopped inside another exercise, each as not excused.

        Whether the code around that call is right takes the reference, which stays at home; so does following an unnamed mistake.
        """
        del named
        crashed = (j for j in judged if j.trial in excused and j.status is Status.CRASHED)
        return Origins(
            {j.trial: () for j in crashed if any(place_of(self, j.trial, outcome) for outcome in j.outcomes)}
        )

    def right_inside(self, *_: object) -> bool:
        """Return that this is not known, for the same reason."""
        return False

    def without_others(self, *_: object) -> Mapping[Trial, Judged]:
        """Return nothing, for the same reason."""
        return {}


def language_of(folder: Path) -> str:
    """Return the language in which the handout's folder of data has its students addressed; English where it cannot be read."""
    try:
        return str(json.loads((folder / SHAPES).read_text(encoding="utf-8"))["language"])
    except (OSError, ValueError, LookupError, TypeError):
        return ENGLISH


def unreadable(path: Path, error: Exception) -> str:
    """Say that data of the handout cannot be read."""
    return say("{path} cannot be read ({error}). Unzip the handout again.", path=path, error=error)


def of_another_version(path: Path) -> str:
    """Say that data of the handout is not this program's."""
    return say("{path} is of another version than this program. Unzip the handout again.", path=path)


def read_bundle(folder: Path) -> Bundle:
    """Read a bundle from its two files. Raises BundleError."""
    try:
        document = json.loads((folder / SHAPES).read_text(encoding="utf-8"))
        if document.get("format") != FORMAT:
            raise BundleError(of_another_version(folder / SHAPES))
        flat = decode((folder / NUMBERS).read_bytes())
    except (OSError, ValueError) as error:
        raise BundleError(unreadable(folder, error)) from None
    whole = make_bundle(document, _Arrays(document["arrays"], flat), slip=read_slips(folder))
    return replace(whole, pairs=read_pairs(folder))


def make_bundle(
    document: dict[str, Any],
    arrays: Mapping[str, np.ndarray],
    known: Known | None = None,
    small: Callable[[Trial], tuple[Small, ...]] | None = None,
    right_values: Callable[[Trial, int], RightValues | None] | None = None,
    slip: Slip = no_slip,
) -> Bundle:
    """Return the bundle that a document describes; `known`, `small`, `right_values` and `slip` give what the document leaves out."""
    trials, right, others, way = [], {}, {}, {}
    for entry in document["cases"]:
        calls = tuple(_read_call(packed, arrays) for packed in entry["calls"])
        trial = make_trial(_read_case(entry, arrays, calls), calls, SEED)
        trials.append(trial)
        right[trial] = read_outcomes(entry["expected"], arrays)
        others[trial], way[trial] = entry.get("smaller", ()), entry.get("right_values", ())
    if known is None:
        gives = {(m["name"], key): packed for m in document["misconceptions"] for key, packed in m["gives"].items()}
        known = ReadWhenAsked(gives, arrays)

    @functools.cache
    def smaller(trial: Trial) -> tuple[Small, ...]:
        return tuple(_read_small(trial.case, each, arrays) for each in others[trial])

    @functools.cache
    def values(trial: Trial, call: int) -> RightValues | None:
        return read_values(way[trial][call], arrays, trial, call) if way[trial] else None

    signatures = {name: tuple(parameters) for name, parameters in document["signatures"].items()}
    cases = tuple(trial.case for trial in trials)
    read = _read_assignment(document, cases)
    return Bundle(read, signatures, tuple(trials), right, known, small or smaller, right_values or values, slip)


def _read_assignment(document: dict[str, Any], cases: tuple[Case, ...]) -> Assignment:
    exercises = tuple(
        Exercise(
            **{
                **e,
                **{key: tuple(e[key]) for key in ("blanks", "uses", "hints")},
                "rubric": tuple(RubricItem(**item) for item in e["rubric"]),
            }
        )
        for e in document["exercises"]
    )
    return Assignment(
        slug=document["slug"],
        title=document["title"],
        file=document["file"],
        files=tuple(document.get("files", ())),
        points=sum(e.points for e in exercises),
        exercises=exercises,
        limits=Limits(**document["limits"]),
        torch=document["torch"],
        order=document["order"],
        language=document["language"],
        given=(),
        reference="",
        stub=document["stub"],
        cases=cases,
        misconceptions=tuple(
            Misconception(m["name"], m["exercise"], "", "", "", m["says"]) for m in document["misconceptions"]
        ),
        correct=(),
        shortcuts=tuple(
            Shortcut(tuple(s["names"]), tuple(s["exercises"]), s["instead"]) for s in document["shortcuts"]
        ),
    )


def _read_small(case: Case, described: list[Any], arrays: Mapping[str, np.ndarray]) -> Small:
    name, calls, expected = described
    calls = tuple(_read_call(packed, arrays) for packed in calls)
    return Small(make_trial(replace(case, name=name), calls, SEED), read_outcomes(expected, arrays))


def _read_call(packed: Any, arrays: Mapping[str, np.ndarray]) -> Call:
    args, kwargs, function, module = unpack(packed, arrays)
    return Call(tuple(args), kwargs, function, None if module is None else Module(**module))


def _read_case(entry: dict[str, Any], arrays: Mapping[str, np.ndarray], calls: tuple[Call, ...]) -> Case:
    made = {name: unpack(packed, arrays) for name, packed in entry["check"].items() if name != "name"}
    check = getattr(checks, entry["check"]["name"])(**made)

    def generate(_: np.random.Generator) -> Iterator[Call]:
        return iter(calls)

    return Case(
        entry["name"],
        entry["exercise"],
        entry["claim"],
        check,
        generate,
        entry["weight"],
        words=tuple(entry["words"]),
        visibility=Visibility.PUBLIC,
    )


class _Arrays(Mapping[str, np.ndarray]):
    """Arrays by name, each a part of one long row of numbers of its dtype."""

    def __init__(self, places: dict[str, Any], flat: Mapping[str, np.ndarray]) -> None:
        self._places, self._flat = places, flat

    def __getitem__(self, name: str) -> np.ndarray:
        row, start, shape = self._places[name]
        size = int(np.prod(shape, dtype=np.int64))
        return self._flat[row][start : start + size].reshape(shape).copy()

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
