"""Whether quizzes are fair: shown as written, with numbers that are computed, and right options that nothing gives away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from autograder.course.catalog import readme_of
from autograder.course.questions import Question
from autograder.course.spec import Assignment
from autograder.handout.quiz_text import with_questions
from autograder.oracle.fresh_program import quiet
from autograder.oracle.oracle import Oracle
from autograder.proof.examples import is_rounded, numbers_in

MOST_TELLING = 1 / 3  # of the questions whose right option may be the longest of all, or the shortest
MOST_OF_A_LETTER = 1 / 2
FEWEST_COUNTED = 6  # questions of which such shares say anything


def quiz_proofs(course: Path, assignment: Assignment, oracle: Oracle) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield promises about an assignment's quizzes, where it has any, each with the ways in which it is broken."""
    if not assignment.questions:
        return
    readme = readme_of(course, assignment.slug)
    names = {q.exercise for q in assignment.questions}
    unplaced = [
        name for name in sorted(names) if f"<!-- {name} -->\n" not in readme or f"<!-- /{name} -->" not in readme
    ]
    stale = [f"README.md has no place for its questions: <!-- {name} --> and <!-- /{name} -->" for name in unplaced]
    if with_questions(readme, assignment.questions) != readme:
        stale.append(
            f"the questions in README.md are not those written; run autograder doctor {assignment.slug} --write-stub"
        )
    yield "its README shows the questions as they are written", stale
    every = [tuple(asked) for _, asked in groupby(assignment.questions, lambda q: q.exercise)]
    yield (
        "no length and no letter gives a right option away",
        (line for asked in every for line in telling_options(asked)),
    )
    yield "the numbers and shapes that quizzes ask for are right", false_predictions(assignment.questions, oracle)


def telling_options(questions: Sequence[Question]) -> Iterator[str]:
    """Yield what students could guess right options by, over the questions of one exercise."""
    if len(questions) < FEWEST_COUNTED:
        return
    for kind, best in (("longest", max), ("shortest", min)):
        told = [q.name for q in questions if _only(q, best)]
        if len(told) > MOST_TELLING * len(questions):
            yield f"the right option is the {kind} in {len(told)} of {len(questions)} questions: {', '.join(told)}"
    letter, count = Counter(q.right for q in questions).most_common(1)[0]
    if count > MOST_OF_A_LETTER * len(questions):
        yield f"{letter} is the right letter in {count} of {len(questions)} questions"


def _only(question: Question, best: Any) -> bool:
    """Whether the right option alone is the longest, or the shortest."""
    lengths = [len(option.text) for option in question.options]
    return lengths.count(best(lengths)) == 1 and len(question.answer.text) == best(lengths)


def false_predictions(questions: Sequence[Question], oracle: Oracle) -> Iterator[str]:
    """Yield the questions whose right option is not what their code gives, or that have another option that is."""
    names = vars(oracle.own_reference().module)
    for question in (q for q in questions if q.computed):
        try:
            with quiet():
                value = eval(question.computed, dict(names))  # noqa: S307 (the course's own)
        except Exception as error:  # noqa: BLE001 (whatever an author's code raises)
            yield f"{question.name}: {question.computed} raises {type(error).__name__}: {error}"
            continue
        try:
            right = [option.letter for option in question.options if _is(value, option.text)]
        except (TypeError, ValueError):
            yield f"{question.name}: {question.computed} is {value}, which is no number and no shape"
            continue
        if right != [question.right]:
            verb = "say" if right[1:] else "says"
            said = (
                f"which {' and '.join(right)} {verb}, and not {question.right} alone"
                if right
                else "which no option says"
            )
            yield f"{question.name}: {question.computed} is {value}, {said}"


def _is(value: Any, text: str) -> bool:
    """Whether an option says a number, to the digits written, a shape, or the numbers of an array. Raises TypeError or ValueError."""
    parts = value if isinstance(value, tuple) else (value,)
    wanted = [float(entry) for part in parts for entry in (part.reshape(-1) if hasattr(part, "reshape") else (part,))]
    said = numbers_in(text)
    return len(said) == len(wanted) and all(is_rounded(v, s) for v, s in zip(wanted, said, strict=True))
