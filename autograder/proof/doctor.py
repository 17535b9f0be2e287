"""Prove every promise an assignment makes, by grading submissions whose verdict is known beforehand.

The reference, the stub, other correct solutions and every misconception go through the same sandbox and judge as a student's
file does; what is checked is the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.course.spec import Answer, Assignment, Misconception, Status
from autograder.course.stub import render_stub
from autograder.handout.handout_proofs import handout_proofs
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.oracle.reference import BrokenReferenceError, apply_edits
from autograder.proof.declared_uses import uses_are_declared
from autograder.proof.folders import stray_files
from autograder.proof.gradings import Ungraded, grade_all
from autograder.proof.lost_points import failures
from autograder.proof.monotone import Pairs, draw_pairs, try_pairs
from autograder.proof.soundness import Proof, bank_is_sound, correct_solutions_replace, names_and_points, stub_is_fresh
from autograder.proof.texts import text_proofs
from autograder.sandbox.job import Chunk, Sandbox, Source

SEEDS = (0, 1, 2, 3, 4)
PAIRS = 12  # of misconceptions; `fairness` tries more


def write_stub(course: Path, assignment: Assignment) -> Path:
    """Write the stub rendered from the reference, and return its path."""
    path = course / "assignments" / assignment.slug / assignment.file
    path.write_text(render_stub(assignment), encoding="utf-8")
    return path


def examine(assignment: Assignment, sandbox: Sandbox, jobs: int, course: Path | None = None) -> Iterator[Proof]:
    """Yield a proof for every promise, cheap ones first; later ones are left out where earlier ones make them moot.

    With the folder of the `course` its handout is examined too.
    """
    sound = [names_and_points(assignment), bank_is_sound(assignment)]
    yield from sound
    if course:
        yield Proof("every file has its place", tuple(stray_files(course, assignment)))
    yield correct_solutions_replace(assignment)
    yield stub_is_fresh(assignment)
    if not all(proof.holds for proof in sound):
        return
    try:
        oracles = [Oracle(assignment, seed) for seed in SEEDS]
        for oracle in oracles:
            for trial in oracle.trials:
                oracle.expected(trial)
    except BrokenReferenceError as error:
        yield Proof("the reference answers every case", (str(error),))
        return
    wavering = tuple(_wavering(oracles[0], Oracle(assignment, SEEDS[0])))
    if wavering:
        yield Proof("the reference gives the same answers again", wavering)
        return
    yield uses_are_declared(oracles[0])
    known = _KnownFiles(assignment, oracles[0], sandbox, jobs)
    yield Proof(f"the reference gets full marks at {len(SEEDS)} seeds", tuple(known.reference_fails(oracles)))
    yield Proof("the stub gets zero", tuple(known.stub_scores()))
    yield Proof(
        f"every correct solution gets full marks ({len(assignment.correct)})", tuple(known.correct_solutions_fail())
    )
    verdicts = known.misconceptions()
    graded = {m: result for m, result in verdicts.items() if not isinstance(result, Ungraded)}
    yield Proof(f"every misconception is caught where it says ({len(verdicts)})", tuple(_uncaught(verdicts)))
    yield Proof("each is diagnosed as itself or a stated twin", tuple(_misnamed(graded)))
    yield Proof("each costs its own exercise and no other", tuple(_spilled(graded)))
    pairs = known.pairs(verdicts)
    but = f", but for {len(pairs.by_property)} by a property of wrong answers" if pairs.by_property else ""
    yield Proof(f"one more mistake never raises a score ({pairs.tried} pairs{but})", pairs.broken)
    yield Proof("every case kills a misconception or says why it stays", tuple(_idle_cases(assignment, verdicts)))
    if course:
        texts = text_proofs(course, assignment, oracles[0])
        yield from (Proof(promise, tuple(broken)) for promise, broken in (*handout_proofs(course, assignment), *texts))


def _wavering(oracle: Oracle, again: Oracle) -> Iterator[str]:
    """Yield the cases whose answers change from run to run; nobody could give them."""
    for trial, other in zip(oracle.trials, again.trials, strict=True):
        name = f"{trial.case.exercise}.{trial.case.name}"
        answers = [
            tuple(Answer(outcome.value, outcome.args) for outcome in found)
            for found in (oracle.expected(trial), again.expected(other))
        ]
        if not trial.case.check.alike(*answers):
            yield (
                f"{name} gets other answers when it is run again. Draw random numbers of the case from its rng, and those "
                "of the reference from numpy's, torch's or random's own generator, which are set before each case"
            )


Verdicts = Mapping[Misconception, Result]


class _KnownFiles:
    """Grades known submissions of one assignment, a few at a time."""

    def __init__(self, assignment: Assignment, oracle: Oracle, sandbox: Sandbox, jobs: int) -> None:
        self._assignment, self._oracle, self._sandbox, self._jobs = assignment, oracle, sandbox, jobs

    def reference_fails(self, oracles: Sequence[Oracle]) -> Iterator[str]:
        """Grade the reference with every oracle."""
        source = self._source(self._assignment.reference)
        results = grade_all([(source, oracle, self._sandbox) for oracle in oracles], self._jobs)
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
        sources = [f"{self._assignment.reference}\n{other.source}" for other in self._assignment.correct]
        results = self._grade_all(sources)
        for other, result in zip(self._assignment.correct, results, strict=True):
            yield from (f"{other.name}: {line}" for line in failures(result))

    def misconceptions(self) -> Verdicts:
        """Grade the reference with each misconception in it."""
        bank = self._assignment.misconceptions
        sources = [apply_edits(self._assignment.reference, (m,)) or "" for m in bank]
        return dict(zip(bank, self._grade_all(sources), strict=True))

    def pairs(self, alone: Verdicts) -> Pairs:
        """Grade the reference with two misconceptions in it, for a few pairs."""
        drawn = draw_pairs(self._assignment, PAIRS)
        return try_pairs(self._oracle, drawn, self._grade_all, alone)

    def _grade_all(self, texts: Sequence[str]) -> list[Result]:
        return grade_all([(self._source(text), self._oracle, self._sandbox) for text in texts], self._jobs)

    def _source(self, text: str) -> Source:
        return Source(Path(self._assignment.file).stem, (Chunk(self._assignment.file, text),))


def _uncaught(verdicts: Verdicts) -> Iterator[str]:
    for m, result in verdicts.items():
        cases = {c.name: c for e in result.exercises if e.name == m.exercise for c in e.cases}
        if result.problem:
            yield f"{m.name}: {result.problem.splitlines()[0]}"
        elif cases[m.caught_by].status is Status.PASSED:
            yield f"{m.name} passes {m.exercise}.{m.caught_by}"


def _misnamed(verdicts: Verdicts) -> Iterator[str]:
    for m, result in verdicts.items():
        named = {c.diagnosis for e in result.exercises if e.name == m.exercise for c in e.cases if c.diagnosis}
        if not named:
            yield f"{m.name} gets no diagnosis"
        elif not named <= {m.name, *m.twins}:
            yield f"{m.name} is diagnosed as {', '.join(sorted(named))}"


def _spilled(verdicts: Verdicts) -> Iterator[str]:
    for m, result in verdicts.items():
        for exercise in result.exercises if not result.problem else ():
            if exercise.name != m.exercise and exercise.status is not Status.PASSED:
                failed = [case.name for case in exercise.cases if case.status is not Status.PASSED]
                yield f"{m.name}, a mistake in {m.exercise}, also costs points in {exercise.name} ({', '.join(failed)})"


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
            yield f"{case.exercise}.{case.name} fails on no misconception; add one, remove it, or say keeps=..."
