"""Prove every promise an assignment makes, by grading submissions whose verdict is known beforehand.

The reference, the stub, other correct solutions and every misconception go through the same sandbox and judge as a student's
file does; what is checked is the verdict.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.course.catalog import as_written
from autograder.course.places import public_folder
from autograder.course.spec import Answer, Assignment, Misconception, Status
from autograder.course.stub import StubError
from autograder.handout.handout_proofs import handout_proofs
from autograder.judge.result import Result
from autograder.oracle.functions_run import used_in
from autograder.oracle.oracle import Oracle
from autograder.oracle.reference import BrokenReferenceError
from autograder.oracle.training_losses import KnownLosses
from autograder.proof.changed_cases import ChangedCases
from autograder.proof.gradings import Ungraded, exercise_failures, failures
from autograder.proof.hint_proofs import hints_are_hints, learned_is_one_sentence
from autograder.proof.kept_gradings import KeptGradings
from autograder.proof.known_mistakes import Verdicts, bank_is_sound, misspelt, uncaught
from autograder.proof.labs import lab_proofs
from autograder.proof.monotone import Pairs, draw_pairs, try_pairs
from autograder.proof.parts import missing_in_reference, part_of, without_unwritten
from autograder.proof.quizzes import quiz_proofs
from autograder.proof.soundness import (
    Proof,
    StillToWrite,
    concerns,
    correct_solutions_replace,
    names_and_points,
    stub_is_fresh,
)
from autograder.proof.stray_files import stray_files
from autograder.proof.texts import text_proofs
from autograder.proof.variants import variant_proofs
from autograder.sandbox.job import Sandbox, Source

SEEDS = (0, 1, 2, 3, 4)
PAIRS = 12  # of misconceptions; `fairness` tries more


def examine(
    assignment: Assignment,
    sandbox: Sandbox,
    jobs: int,
    course: Path | None = None,
    *,
    only: Collection[str] = (),
    draft: bool = False,
    kept: KeptGradings | None = None,
) -> Iterator[Proof]:
    """Yield a proof for every promise, cheap ones first; later ones are left out where earlier ones make them moot.

    With the folder of the `course` its handout is examined too. Where exercises are named, `only` what concerns them is. In a
    `draft` what is not written yet breaks no promise, and stands in `to_write`. Files whose results are `kept` are not graded.
    """
    for proof in _examine(assignment, sandbox, jobs, course, only, kept or KeptGradings(), draft=draft):
        yield proof.of_draft() if draft else proof
    if course and not draft:

        def prove(made: Assignment, home: Path, exercises: Collection[str]) -> Iterator[Proof]:
            return _examine(made, sandbox, jobs, home, exercises, KeptGradings(), draft=False)

        yield from variant_proofs(course, assignment.slug, only, prove, sandbox, jobs)


def _examine(
    whole: Assignment,
    sandbox: Sandbox,
    jobs: int,
    course: Path | None,
    only: Collection[str],
    kept: KeptGradings,
    *,
    draft: bool,
) -> Iterator[Proof]:
    no_readme = bool(draft and course and not (public_folder(course, whole.slug) / "README.md").exists())
    try:
        if draft:
            unwritten = tuple(_unwritten(whole, only, no_readme=no_readme))
            yield Proof("the reference has every exercise, and there is a README", unwritten)
        assignment = without_unwritten(whole) if draft else whole
        assignment = part_of(assignment, only) if only else assignment
    except StubError as error:
        yield Proof(
            "the reference is Python, and marks its solutions", (f"solutions/{whole.slug}/{whole.file}: {error}",)
        )
        return
    sound = [names_and_points(whole, only), bank_is_sound(assignment, whole.misconceptions)]
    yield from sound
    if not only:
        if course:
            yield Proof("every file has its place", tuple(stray_files(course, as_written(course, whole.slug))))
        yield correct_solutions_replace(assignment)
        yield stub_is_fresh(assignment)
    yield hints_are_hints(assignment, only)
    yield learned_is_one_sentence(assignment, only)
    sound = [proof.of_draft() if draft else proof for proof in sound]
    if not all(proof.holds for proof in sound):
        yield Proof("all else is looked at", ("not yet: nothing was graded, as what is broken above comes first",))
        return
    oracles, broken = _oracles(assignment)
    if broken:
        yield broken
        return
    yield uses_are_declared(oracles[0])
    known = _KnownFiles(assignment, oracles[0], sandbox, jobs, kept)
    yield from _of_gradings(assignment, oracles, known, costs_others=len(only) != 1)
    if course and not no_readme:
        yield from _of_files(course, whole if only else assignment, oracles, only)


def _oracles(assignment: Assignment) -> tuple[list[Oracle], Proof | None]:
    """Return an oracle for each seed, and the promise of the reference that is broken, if one is."""
    try:
        oracles = [Oracle(assignment, seed) for seed in SEEDS]
        for oracle in oracles:
            for trial in oracle.trials:
                oracle.expected(trial)
    except BrokenReferenceError as error:
        return [], Proof("the reference answers every case", (str(error),))
    wavering = tuple(_wavering(oracles[0], Oracle(assignment, SEEDS[0])))
    return oracles, Proof("the reference gives the same answers again", wavering) if wavering else None


def _of_gradings(
    assignment: Assignment, oracles: Sequence[Oracle], known: _KnownFiles, *, costs_others: bool
) -> Iterator[Proof]:
    """Yield the proofs for which files are graded; with `costs_others` those of what a mistake costs other exercises."""
    yield Proof(f"the reference gets full marks at {len(SEEDS)} seeds", tuple(known.reference_fails(oracles)))
    yield Proof("the stub gets zero", tuple(known.stub_scores()))
    yield Proof(
        f"every correct solution gets full marks ({len(assignment.correct)})", tuple(known.correct_solutions_fail())
    )
    verdicts = known.misconceptions()
    graded = {m: result for m, result in verdicts.items() if not isinstance(result, Ungraded)}
    caught = (*uncaught(verdicts, assignment.file), *misspelt(oracles[0]))
    yield Proof(f"every misconception is caught where it says ({len(verdicts)})", caught)
    yield Proof("each is diagnosed as itself or a stated twin", tuple(_misnamed(graded)))
    if costs_others:
        yield Proof("each costs its own exercise and no other", tuple(_spilled(graded)))
        pairs = known.pairs(verdicts)
        but = f", but for {len(pairs.by_property)} by a property of wrong answers" if pairs.by_property else ""
        yield Proof(f"one more mistake never raises a score ({pairs.tried} pairs{but})", pairs.broken)
    yield Proof("every case kills a misconception or says why it stays", tuple(_idle_cases(assignment, verdicts)))


def _of_files(
    course: Path, assignment: Assignment, oracles: Sequence[Oracle], only: Collection[str]
) -> Iterator[Proof]:
    """Yield the proofs of what students get and read; of a part, those of its texts and questions."""
    asking = replace(assignment, questions=tuple(q for q in assignment.questions if concerns(only, q.exercise)))
    first = Oracle(assignment, SEEDS[0]) if only and any(q.shows for q in asking.questions) else oracles[0]
    handout = handout_proofs(course, assignment, oracles) if not only else ()
    texts = text_proofs(course, assignment, oracles[0], only)
    quizzes, labs = quiz_proofs(course, asking, oracles[0]), lab_proofs(course, asking, first)
    yield from (Proof(told, tuple(broken)) for told, broken in itertools.chain(handout, texts, quizzes, labs))


def _unwritten(assignment: Assignment, only: Collection[str], *, no_readme: bool) -> Iterator[str]:
    """Yield the exercises that the reference does not have, and the README where there is none."""
    where = f"solutions/{assignment.slug}/{' or '.join(assignment.files or (assignment.file,))}"
    for name in (name for name in missing_in_reference(assignment) if concerns(only, name)):
        told = f"{where} has no {name} yet, with its solution between # BEGIN SOLUTION and # END SOLUTION"
        yield StillToWrite(told)
    if no_readme:
        yield StillToWrite(f"assignments/{assignment.slug}/README.md is not there yet")


def _wavering(oracle: Oracle, again: Oracle) -> Iterator[str]:
    """Yield the cases whose answers change from run to run; no code could give them."""
    for trial, other in zip(oracle.trials, again.trials, strict=True):
        name = trial.name
        answers = [
            tuple(Answer(outcome.value, outcome.args) for outcome in found)
            for found in (oracle.expected(trial), again.expected(other))
        ]
        if not trial.case.check.alike(*answers):
            yield (
                f"{name} gets other answers when it is run again. Draw random numbers of the case from its rng, and those "
                "of the reference from numpy's, torch's or random's own generator, which are set before each case"
            )


class _KnownFiles:
    """Grades known submissions of one assignment, a few at a time."""

    def __init__(self, assignment: Assignment, oracle: Oracle, sandbox: Sandbox, jobs: int, kept: KeptGradings) -> None:
        self._assignment, self._oracle, self._sandbox, self._jobs, self._kept = assignment, oracle, sandbox, jobs, kept
        self._changed = ChangedCases(oracle, sandbox)

    def reference_fails(self, oracles: Sequence[Oracle]) -> Iterator[str]:
        """Grade the reference with every oracle."""
        source = Source.of(self._assignment.file, self._assignment.reference)
        results = self._kept.grade_all([(source, oracle, self._sandbox) for oracle in oracles], self._jobs)
        for oracle, result in zip(oracles, results, strict=True):
            yield from (f"seed {oracle.seed}: {line}" for line in failures(result))

    def stub_scores(self) -> Iterator[str]:
        """Grade the stub; every case must be missing or build on what is."""
        (result,) = self._grade_all([self._assignment.stub])
        if result.problem:
            yield from failures(result)
            return
        for exercise in result.exercises:
            odd = [c for c in exercise.cases if c.status not in (Status.MISSING, Status.SKIPPED)]
            yield from (f"{exercise.name}.{case.name} is {case.status} on the stub" for case in odd)

    def correct_solutions_fail(self) -> Iterator[str]:
        """Grade every other correct solution as a student who wrote it so."""
        results = self._grade_all([self._assignment.with_replaced(other.source) for other in self._assignment.correct])
        for other, result in zip(self._assignment.correct, results, strict=True):
            yield from (f"{other.name}: {line}" for line in failures(result))

    def misconceptions(self) -> Verdicts:
        """Grade the reference with each misconception in it whose case is there: a course may have left it out."""
        assignment = self._assignment
        bank = [m for m in assignment.misconceptions if not assignment.has_left_out_the_case_of(m)]
        return dict(zip(bank, self._grade_mistaken([(m,) for m in bank]), strict=True))

    def pairs(self, alone: Verdicts) -> Pairs:
        """Grade the reference with two misconceptions in it, for a few pairs."""
        drawn = draw_pairs(self._assignment, PAIRS)
        return try_pairs(self._oracle, drawn, self._grade_mistaken, alone)

    def _grade_mistaken(self, sets: Sequence[tuple[Misconception, ...]]) -> list[Result]:
        return self._kept.grade_all(self._changed.files(sets), self._jobs)

    def _grade_all(self, texts: Sequence[str]) -> list[Result]:
        file = self._assignment.file
        files = [(Source.of(file, text), self._oracle, self._sandbox) for text in texts]
        return self._kept.grade_all(files, self._jobs)


def _misnamed(verdicts: Verdicts) -> Iterator[str]:
    for m, result in verdicts.items():
        told = (c.suspected for e in result.exercises if e.name == m.exercise for c in e.cases)
        named = {"+".join(names) for names in told if names}
        if not named:
            yield f"{m.name} gets no diagnosis"
        elif not named <= {m.name, *m.twins}:
            yield f"{m.name} is diagnosed as {', '.join(sorted(named))}"


def _spilled(verdicts: Verdicts) -> Iterator[str]:
    for m, result in verdicts.items():
        for exercise in result.exercises if not result.problem else ():
            if exercise.name != m.exercise and (failed := list(exercise_failures(exercise))):
                yield f"{m.name}, a mistake in {m.exercise}, also costs points: {'; '.join(failed)}"


def _idle_cases(assignment: Assignment, verdicts: Verdicts) -> Iterator[str]:
    killers = {
        (exercise.name, case.name)
        for m, result in verdicts.items()
        for exercise in result.exercises
        if exercise.name == m.exercise
        for case in exercise.cases
        if case.status is not Status.PASSED
    }
    for case in assignment.cases:
        if (case.exercise, case.name) not in killers and not case.keeps:
            told = f"{case.exercise}.{case.name} fails on no misconception; add one, remove it, or say keeps=..."
            yield StillToWrite(told)


def uses_are_declared(oracle: Oracle) -> Proof:
    """Prove it of every exercise, in all of its cases, and of a training in its first steps."""
    return Proof("every exercise declares what it uses", tuple(_undeclared(oracle)))


def _undeclared(oracle: Oracle) -> Iterator[str]:
    assignment, losses = oracle.assignment, KnownLosses(oracle)
    for exercise in assignment.exercises:
        trials = oracle.trials_of(exercise.name)
        trainings = [t for t in assignment.trainings if t.exercise == exercise.name]
        if not (trials or trainings or exercise.manual):
            continue
        calls = frozenset().union(*map(oracle.calls_in, trials))
        try:
            trained = [losses.calls_in(t) for t in trainings]
        except BrokenReferenceError as error:
            yield str(error)
            continue
        found = used_in(calls.union(*trained), exercise, assignment.exercises)
        told = [f"calls {name} as well" for name in sorted(found - set(exercise.uses))]
        told += [f"calls no {name} in its cases" for name in exercise.uses if name not in found]
        if told:
            right = json.dumps([e.name for e in assignment.exercises if e.name in found])
            yield f"assignments/{assignment.slug}/assignment.toml: {exercise.name} {' and '.join(told)}; write uses = {right}"
