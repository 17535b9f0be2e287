"""An assignment as a course gives it: without some exercises, with other points, another title and bonus exercises.

It is made of the assignment in its folders and the entry in course.toml, and of nothing else. What builds on something that
is left out has to be left out as well: nothing disappears that the instructor has not named.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import groupby, takewhile

from autograder.course.assignment import CODE, Assignment, Exercise, Misconception
from autograder.course.cases import Case
from autograder.course.course_file import Entry
from autograder.course.cut_definitions import names_used, without_answers, without_definitions
from autograder.course.definitions import defined_in
from autograder.course.joined_files import held_names
from autograder.course.questions import Question, cases_in
from autograder.sandbox.child.parse import parse

_TRAINING = "training"  # the module that programs import what trains from


class CompositionError(Exception):
    """An assignment cannot be changed in this way; the message says why, and what to write."""


def composed(whole: Assignment, entry: Entry, programs: Mapping[str, str]) -> Assignment:
    """Return an assignment as an entry of course.toml has it; `programs` are the sources beside its stub.

    Raises CompositionError.
    """
    if not entry.changes:
        return whole
    _refuse_unknown(whole, entry, programs)
    left = set(entry.without)
    exercises = tuple(_exercise(e, entry) for e in whole.exercises if e.name not in left)
    if not exercises:
        raise CompositionError("`without` names every exercise. Leave the assignment out of course.toml instead.")
    made = replace(
        whole,
        title=entry.title or whole.title,
        exercises=exercises,
        points=sum(e.points for e in exercises if not e.bonus),
        left_out=entry.without,
    )
    if left:
        made = _without(whole, made)
        _refuse_needed(whole, made, programs)
        _refuse_untested(made)
    return _graded_by_hand(made, entry.manual) if entry.manual else made


def _exercise(exercise: Exercise, entry: Entry) -> Exercise:
    points = entry.points.get(exercise.name, exercise.points)
    return replace(exercise, points=points, bonus=exercise.bonus or exercise.name in entry.bonus)


def _graded_by_hand(made: Assignment, names: Sequence[str]) -> Assignment:
    """Return an assignment of which a person grades some exercises, by their code: no case of them runs, and no mistake is known."""
    training = {e.name for e in made.exercises if e.training} | {q.exercise for q in made.questions}
    for name in names:
        users = [e.name for e in made.exercises if name in made.uses(e.name) and e.name not in names]
        if name in training or "." in name:
            raise CompositionError(
                f"manual names {name}, which is no function or class whose code a person could grade."
            )
        if users:
            told = f"manual names {name}, and {', '.join(users)} would lose points for its mistakes, which no case names there"
            raise CompositionError(f"{told}. Add {', '.join(users)} to `manual`, or take {name} out of it.")
    exercises = (
        replace(e, manual=True, answer=CODE, uses=()) if e.name in names and not e.manual else e for e in made.exercises
    )
    return replace(
        made,
        exercises=tuple(exercises),
        cases=tuple(c for c in made.cases if c.exercise not in names),
        misconceptions=tuple(m for m in made.misconceptions if m.exercise not in names),
    )


def _without(whole: Assignment, made: Assignment) -> Assignment:
    """Return an assignment without what belongs to the exercises and questions that are left out."""
    names = {e.name for e in made.exercises}
    questions = tuple(q for q in whole.questions if q.exercise in names and _told(q) not in made.left_out)
    asked = {_told(q) for q in questions}
    gone = {blank for e in whole.exercises if e.name not in names for blank in (e.name, *e.blanks)}
    kept = {blank for e in made.exercises for blank in (e.name, *e.blanks)}
    unasked = [q.name for q in whole.questions if _told(q) not in asked]
    wrong = {f"{q.name}_{letter}" for q in whole.questions if _told(q) not in asked for letter in q.letters}

    def cut(text: str) -> str:
        return without_answers(without_definitions(text, gone, kept), unasked)

    reference = cut(whole.reference)
    bank = (m for m in whole.misconceptions if m.exercise in names and m.name not in wrong)
    trainings = tuple(t for t in whole.trainings if t.exercise in names)
    shortcuts = (replace(s, exercises=tuple(e for e in s.exercises if e in names)) for s in whole.shortcuts)
    return replace(
        made,
        given=tuple(name for name in whole.given if gone.isdisjoint((name, name.partition(".")[0]))),
        reference=reference,
        stub=cut(whole.stub),
        cases=tuple(case for case in _cases(whole, names, questions) if _told(case) not in made.left_out),
        misconceptions=tuple(_in_rest(m, whole.reference, reference, cut) for m in bank),
        correct=tuple(one for one in whole.correct if defined_in(one.source) & defined_in(reference)),
        shortcuts=tuple(s for s in shortcuts if s.exercises),
        trainings=trainings,
        harness=whole.harness if trainings or not whole.trainings else "",
        questions=questions,
    )


def _told(one: Question | Case) -> str:
    """Return how `without` names a question, or a case of an exercise."""
    return f"{one.exercise}.{one.name}"


def _refuse_untested(made: Assignment) -> None:
    """Refuse to leave out every case of an exercise."""
    tested = {case.exercise for case in made.cases}
    bare = {name.partition(".")[0] for name in made.left_out if "." in name} - tested
    for exercise in (e.name for e in made.exercises if e.name in bare):
        raise CompositionError(f"`without` names every case of {exercise}. Name {exercise} itself.")


def _cases(whole: Assignment, names: set[str], questions: tuple[Question, ...]) -> Iterator[Case]:
    """Yield the cases of the exercises that stay. Those of a quiz are made again, since one of them is about all its questions."""
    asking = {q.exercise for q in whole.questions}
    yield from (case for case in whole.cases if case.exercise in names and case.exercise not in asking)
    for exercise in (e.name for e in whole.exercises if e.name in names & asking):
        yield from cases_in([q for q in questions if q.exercise == exercise])


def _refuse_unknown(whole: Assignment, entry: Entry, programs: Mapping[str, str]) -> None:
    exercises = [e.name for e in whole.exercises]
    parts = [*exercises, *map(_told, whole.questions), *programs]
    quizzes = {q.exercise for q in whole.questions}
    cases = [_told(case) for case in whole.cases if case.exercise not in quizzes]
    for key, names, known in (
        ("without", [name for name in entry.without if name not in cases], parts),
        ("points", entry.points, exercises),
        ("bonus", entry.bonus, exercises),
        ("manual", entry.manual, exercises),
    ):
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, [*known, *cases] if key == "without" else known, 1)
                hint = f" Did you mean {near[0]}?" if near else f" It has {', '.join(known)}."
                raise CompositionError(f"{key} names {name}, and {whole.slug} has no such part.{hint}")
            if key != "without" and name in entry.without:
                raise CompositionError(f"{key} names {name}, which `without` leaves out.")


def _refuse_needed(whole: Assignment, made: Assignment, programs: Mapping[str, str]) -> None:
    """Refuse to leave out what something that stays builds on, and name all of it."""
    names = {e.name for e in made.exercises}
    gone = [e for e in whole.exercises if e.name not in names]
    kept = {name: text for name, text in programs.items() if name not in made.left_out}
    for exercise in gone:
        users = [e.name for e in made.exercises if exercise.name in whole.uses(e.name)]
        for name, file in held_names(whole.reference):
            if name in (exercise.name, *exercise.blanks):
                raise CompositionError(
                    f"`without` cannot leave out {exercise.name}: {file} imports it. Of several files only what none imports can go."
                )
        for name in _naming(made.reference, exercise.name):
            if name not in names:
                text = f"`without` cannot leave out {exercise.name}: {name}, which is no exercise, uses it."
                raise CompositionError(text)
            users += [name] if name not in users else []
        caught = {name for t in whole.trainings if t.exercise == exercise.name for name in t.catches}
        asking = [q for q in made.questions if q.answer.mistake in caught or exercise.name in _computed_with(q)]
        users += _named_together(asking, made.questions)
        users += [name for name, text in kept.items() if exercise.name in names_used(text)]
        if users:
            raise CompositionError(_needed(exercise.name, users))
    if whole.harness and not made.harness:
        users = [name for name, text in kept.items() if _TRAINING in names_used(text)]
        if users:
            raise CompositionError(_needed(next(e.name for e in gone if e.training), users))
    asked = {q.exercise for q in made.questions}
    for name in sorted(names & {q.exercise for q in whole.questions} - asked):
        raise CompositionError(f"`without` names every question of {name}. Name {name} itself.")


def _naming(reference: str, exercise: str) -> Iterator[str]:
    """Yield what stands at the top level of a reference and names an exercise that is no longer in it."""
    for node in parse(reference).body:
        if any(isinstance(child, ast.Name) and child.id == exercise for child in ast.walk(node)):
            yield getattr(node, "name", "a line outside of functions")


def _computed_with(question: Question) -> AbstractSet[str]:
    return names_used(question.computed) if question.computed else frozenset()


def _named_together(asking: Sequence[Question], questions: Sequence[Question]) -> Iterator[str]:
    """Yield how `without` names some questions: a quiz itself where they are all that it asks."""
    for exercise, group in groupby(asking, lambda q: q.exercise):
        found = tuple(map(_told, group))
        every = len(found) == sum(q.exercise == exercise for q in questions)
        yield from [exercise] if every else found


def _needed(name: str, users: Sequence[str]) -> str:
    more = ", ".join(f'"{user}"' for user in users)
    return (
        f"`without` leaves out {name}, and {', '.join(users)} would lack it. Add {more} to `without`, or keep {name}."
    )


def _in_rest(mistake: Misconception, whole: str, rest: str, cut: Callable[[str], str]) -> Misconception:
    """Return a mistake as an edit of what is left of the reference.

    Its old text may reach into a definition that is cut out, since it has to occur once in the whole reference.
    """
    if rest.count(mistake.old) == 1 or whole.count(mistake.old) != 1:
        return mistake
    old, new = smallest_edit(rest, cut(whole.replace(mistake.old, mistake.new)))
    return replace(mistake, old=old, new=new)


def smallest_edit(text: str, edited: str) -> tuple[str, str]:
    """Return what changes between two texts, old and new, with so much around it that the old one occurs once."""
    first = _alike(text, edited)
    last = len(text) - _alike(text[first:][::-1], edited[first:][::-1])
    while text.count(text[first:last]) != 1 and (first or last < len(text)):
        first, last = max(first - 1, 0), min(last + 1, len(text))
    return text[first:last], edited[first : len(edited) - (len(text) - last)]


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
