"""Whether a debugging lab shows what its key says: each run is that of its right option's mistake, and of no other option's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.places import public_folder, secret_folder
from autograder.course.questions import Question
from autograder.course.spec import Assignment, Training
from autograder.handout.kit.bundle import SEED
from autograder.judge.tolerance import deviation
from autograder.judge.training_outcome import agree
from autograder.oracle.oracle import Oracle
from autograder.oracle.training_losses import KnownLosses


def lab_proofs(course: Path, assignment: Assignment, oracle: Oracle) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the promises about an assignment's labs, where it has any, each with the ways in which it is broken."""
    for exercise, asked in groupby((q for q in assignment.questions if q.shows), lambda q: q.exercise):
        questions = tuple(asked)
        home = public_folder(course, assignment.slug)
        told = [line for q in questions for line in (*_unnamed(q, assignment), *_telling_picture(home, q, assignment))]
        yield f"{exercise}: options name known mistakes, and pictures name none", told
        if not told:
            path = secret_folder(course, assignment.slug) / f"{exercise}.json"
            yield f"{exercise}: each run is that of its right option alone", _other_runs(path, questions, oracle)


def _unnamed(question: Question, assignment: Assignment) -> Iterator[str]:
    caught = {name for training in assignment.trainings for name in training.catches}
    if not question.answer.mistake:
        yield f"{question.name}: its right option names no known mistake; write it as the third entry"
    for option in question.options:
        if option.mistake and option.mistake not in caught:
            yield f"{question.name}: no training catches {option.mistake}, the mistake of option {option.letter}"


def _telling_picture(home: Path, question: Question, assignment: Assignment) -> Iterator[str]:
    path = home / question.picture
    if not path.is_file():
        yield f"{question.name}: {question.picture} is missing; draw it"
        return
    shown = path.read_text(encoding="utf-8") + question.shows
    yield from (f"{question.picture} names {m.name}" for m in assignment.misconceptions if m.name in shown)


def _other_runs(path: Path, questions: Sequence[Question], oracle: Oracle) -> Iterator[str]:
    """Yield the questions whose measured run is not what their right option's mistake gives, or is what another's gives."""
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        (training,) = [t for t in oracle.assignment.trainings if t.exercise == document["training"]]
        training = replace(training, draw=training.at_home or training.draw)
        runs = {name: np.array(run.get("first_losses", run["losses"])) for name, run in document["runs"].items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield f"{path.name}, the runs as they were measured, cannot be read ({type(error).__name__}: {error})"
        return
    known = KnownLosses(oracle if oracle.seed == SEED else Oracle(oracle.assignment, SEED))
    for question in questions:
        right = question.answer.mistake
        if right not in runs:
            yield f"{question.name}: {path.name} has no run with {right}; measure it"
            continue
        first = runs[right][: training.first_steps]
        yield from _others(question, first, training, known)


def _others(question: Question, first: np.ndarray, training: Training, known: KnownLosses) -> Iterator[str]:
    for option in (option for option in question.options if option.mistake):
        theirs = known.with_mistake(training, option.mistake)
        same = theirs is not None and agree(first, theirs, training)
        if same != (option == question.answer):
            far = "no losses" if theirs is None else f"{deviation(first, theirs):.1e} away"
            how = "also gives" if same else f"does not give ({far})"
            yield f"{question.name}: {option.mistake}, option {option.letter}, {how} the first losses of its run"
