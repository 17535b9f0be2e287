"""Prove every promise an assignment makes, by grading submissions whose verdict is known beforehand.

The reference, the stub, other correct solutions and every misconception go through the same sandbox and judge as a student's
file does; what is checked is the verdict.
"""

from __future__ import annotations

import difflib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.course.catalog import CORRECT, FORMER_FOLDERS, MISTAKEN, UNUSUAL, readme_of
from autograder.course.spec import Answer, Assignment, Misconception, Status
from autograder.course.stub import render_stub
from autograder.handout.handout_proofs import handout_proofs
from autograder.handout.quiz_text import with_questions
from autograder.judge.result import Result
from autograder.oracle.edits import apply_edits
from autograder.oracle.functions_run import used_in
from autograder.oracle.oracle import Oracle
from autograder.oracle.reference import BrokenReferenceError
from autograder.oracle.training_losses import KnownLosses
from autograder.proof.gradings import Ungraded, exercise_failures, failures, grade_all
from autograder.proof.hint_proofs import hints_are_hints, learned_is_one_sentence
from autograder.proof.labs import lab_proofs
from autograder.proof.monotone import Pairs, draw_pairs, try_pairs
from autograder.proof.quizzes import quiz_proofs
from autograder.proof.soundness import Proof, bank_is_sound, correct_solutions_replace, names_and_points, stub_is_fresh
from autograder.proof.texts import text_proofs
from autograder.sandbox.job import Sandbox, Source

SEEDS = (0, 1, 2, 3, 4)
PAIRS = 12  # of misconceptions; `fairness` tries more
Verdicts = Mapping[Misconception, Result]
_ANYTHING = "*"
_MORE_CODE = "[!_]*.py"


def write_stub(course: Path, assignment: Assignment) -> Path:
    """Write the stub rendered from the reference, and the questions of quizzes into the README; return the stub's path."""
    if assignment.questions:
        readme = course / "assignments" / assignment.slug / "README.md"
        text = with_questions(readme_of(course, assignment.slug), assignment.questions)
        readme.write_text(text, encoding="utf-8")
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
    yield hints_are_hints(assignment)
    yield learned_is_one_sentence(assignment)
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
        quizzes = quiz_proofs(course, assignment, oracles[0])
        labs = lab_proofs(course, assignment, oracles[0])
        others = itertools.chain(handout_proofs(course, assignment, oracles), texts, quizzes, labs)
        yield from (Proof(promise, tuple(broken)) for promise, broken in others)


def _wavering(oracle: Oracle, again: Oracle) -> Iterator[str]:
    """Yield the cases whose answers change from run to run; no code could give them."""
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


class _KnownFiles:
    """Grades known submissions of one assignment, a few at a time."""

    def __init__(self, assignment: Assignment, oracle: Oracle, sandbox: Sandbox, jobs: int) -> None:
        self._assignment, self._oracle, self._sandbox, self._jobs = assignment, oracle, sandbox, jobs

    def reference_fails(self, oracles: Sequence[Oracle]) -> Iterator[str]:
        """Grade the reference with every oracle."""
        source = Source.of(self._assignment.file, self._assignment.reference)
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
        results = self._grade_all([self._assignment.with_replaced(other.source) for other in self._assignment.correct])
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
        file = self._assignment.file
        return grade_all([(Source.of(file, text), self._oracle, self._sandbox) for text in texts], self._jobs)


def _uncaught(verdicts: Verdicts) -> Iterator[str]:
    for m, result in verdicts.items():
        cases = {c.name: c for e in result.exercises if e.name == m.exercise for c in e.cases}
        if result.problem:
            yield f"{m.name}: {result.problem.splitlines()[0]}"
        elif cases[m.caught_by].status is Status.PASSED:
            yield f"{m.name} passes {m.exercise}.{m.caught_by}"


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
            yield f"{case.exercise}.{case.name} fails on no misconception; add one, remove it, or say keeps=..."


def uses_are_declared(oracle: Oracle) -> Proof:
    """Prove it of every exercise, in all of its cases, and of a training in its first steps."""
    return Proof("every exercise declares what it uses", tuple(_undeclared(oracle)))


def _undeclared(oracle: Oracle) -> Iterator[str]:
    assignment, losses = oracle.assignment, KnownLosses(oracle)
    for exercise in assignment.exercises:
        calls = frozenset().union(*map(oracle.calls_in, oracle.trials_of(exercise.name)))
        try:
            trained = [losses.calls_in(t) for t in assignment.trainings if t.exercise == exercise.name]
        except BrokenReferenceError as error:
            yield str(error)
            continue
        found = used_in(calls.union(*trained), exercise, assignment.exercises)
        told = [f"calls {name} as well" for name in sorted(found - set(exercise.uses))]
        told += [f"calls no {name} in its cases" for name in exercise.uses if name not in found]
        if told:
            right = json.dumps([e.name for e in assignment.exercises if e.name in found])
            yield f"assignments/{assignment.slug}/assignment.toml: {exercise.name} {' and '.join(told)}; write uses = {right}"


def stray_files(course: Path, assignment: Assignment) -> Iterator[str]:
    """Yield the files and folders of an assignment that nothing reads, with what they may have been meant for."""
    shared = {assignment.file: "", "cases.py": "", "training.py": "", "data": _ANYTHING}
    public = shared | {"README.md": "", "assignment.toml": "", "experiment.py": "", "play.py": "", "figures": _ANYTHING}
    secret = shared | {"misconceptions.py": "", "mutants.toml": "", CORRECT: _MORE_CODE, MISTAKEN: _MORE_CODE}
    secret |= {f"{q.exercise}.toml": "" for q in assignment.questions}
    secret |= {f"{q.exercise}.json": "" for q in assignment.questions if q.shows}
    yield from _strays(course / "assignments" / assignment.slug, f"assignments/{assignment.slug}", public)
    home, name = course / "solutions" / assignment.slug, f"solutions/{assignment.slug}"
    renamed = {former: now for now, former in FORMER_FOLDERS.items() if (home / former).is_dir()}
    yield from (f"{name}: rename {former}/ to {now}/" for former, now in renamed.items())
    yield from _strays(home, name, secret, frozenset(renamed))


def _strays(folder: Path, name: str, known: Mapping[str, str], read: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield what is in a folder and not known there; a known folder says what its files are called, a file nothing.

    Entries called as in `read` are read all the same.
    """
    for path in _visible(folder):
        if path.name in read:
            continue
        if path.name not in known or path.is_dir() != bool(known[path.name]):
            near = difflib.get_close_matches(path.name, known.keys() - {p.name for p in folder.iterdir()}, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            kind = "folder" if path.is_dir() else "file"
            allowed = ", ".join(f"{entry}/" if known[entry] else entry for entry in sorted(known))
            yield f"{name}/{path.name} is a {kind} that nothing reads.{meant} Allowed there: {allowed}"
        elif known[path.name] == _MORE_CODE:
            yield from _not_graded(
                path, f"{name}/{path.name}", frozenset({Path(UNUSUAL).name} if path.name == CORRECT else ())
            )


def _not_graded(folder: Path, name: str, kinds: frozenset[str]) -> Iterator[str]:
    """Yield what is in a folder of code and no code; `kinds` are the folders of code in it."""
    for path in _visible(folder):
        if path.is_dir() and path.name in kinds:
            yield from _not_graded(path, f"{name}/{path.name}", frozenset())
        elif path.is_dir() or not path.match(_MORE_CODE):
            yield f"{name}/{path.name} is not read; what is graded there are .py files that begin with no _"


def _visible(folder: Path) -> list[Path]:
    """Return what people put into a folder; hidden files and caches are their tools' own."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in found if not path.name.startswith(".") and path.name != "__pycache__")
