"""What the reference and its known-wrong variants answer, computed once per run in the trusted process."""

from __future__ import annotations

import copy
import linecache
import threading
import zlib
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, Self

from autograder.course.edits import apply_edits, definitions_in
from autograder.course.places import CourseError
from autograder.course.spec import Answer, Assignment, Call, Case, Misconception, Visibility
from autograder.judge.trials import MOST_KEPT, Kept, T, Trial, make_trial
from autograder.oracle.calls_here import run_requests
from autograder.oracle.copied_modules import CopiedModules
from autograder.oracle.fresh_program import fresh_program, run_code
from autograder.oracle.functions_run import Calls, FunctionsRun
from autograder.oracle.signatures import signatures_of
from autograder.oracle.step_limit import limited_steps
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.tree import Opaque, leaves
from autograder.sandbox.job import Ending, Outcome, Trouble
from autograder.sandbox.termination import Terminated

MOST_DRAWN = 2000  # answers that are kept to trials which some submissions alone ask for


class BrokenReferenceError(CourseError):
    """The reference or a case fails without any submission: an author's mistake."""


class Reference:
    """The trials of a grading run and the answers to expect. Safe to share between threads."""

    def __init__(self, assignment: Assignment, seed: int, *, public_only: bool = False, tell_all: bool = False) -> None:
        """Draw the trials; with `tell_all` hidden cases are shown like public ones, and still run and judged as hidden."""
        self._hidden = {(c.exercise, c.name) for c in assignment.cases if c.visibility is Visibility.HIDDEN}
        if tell_all:
            shown = tuple(replace(c, visibility=Visibility.PUBLIC) for c in assignment.cases)
            assignment = replace(assignment, cases=shown)
        self.assignment = assignment
        self.seed = seed
        self.trials: tuple[Trial, ...] = tuple(
            _trial(case, seed)
            for e in assignment.exercises
            for case in assignment.cases_of(e.name, public_only=public_only)
        )
        if tell_all:  # hidden cases run last, as in a grading: code that keeps something between calls gives the same
            self.trials = tuple(sorted(self.trials, key=self.is_hidden))
        try:
            self.signatures = signatures_of(assignment.reference)
        except SyntaxError as error:
            text = f"the reference is not Python (line {error.lineno}: {error.msg})"
            raise BrokenReferenceError(text) from None
        self._definitions = definitions_in(assignment.reference)
        self._bank = {m.name: m for m in assignment.misconceptions}
        self._programs: dict[tuple[str, ...], Program | None] = {}
        self._answers: dict[tuple[tuple[str, ...], str], tuple[Outcome, ...] | None] = {}
        self._expected: dict[Trial, tuple[Outcome, ...]] = {}
        self._again: dict[Trial, Trial] = {}
        self.alterations_of: dict[Trial, tuple[tuple[str, ...], ...]] = {}
        self.altered_answers: dict[tuple[Trial, tuple[str, ...]], tuple[Outcome, ...] | None] = {}
        self._kept = Kept()
        self._lock = threading.RLock()
        self._functions_run = FunctionsRun(assignment, lambda trial: run_requests(self.reference(), trial.requests))
        self._copied_modules = CopiedModules(self.reference, self._functions_run, assignment.file)

    def public(self) -> Self:
        """Return an oracle of the public cases alone, drawn as these are; both share what either computes."""
        found = copy.copy(self)
        found.trials = tuple(trial for trial in self.trials if trial.case.visibility is Visibility.PUBLIC)
        found._kept = Kept()  # noqa: SLF001 (a copy of its own: what is kept may rest on all trials)
        return found

    def kept(self, key: tuple[Hashable, ...], make: Callable[[], T], most: int = MOST_KEPT) -> T:
        """Return what `make` gives, made once while it is kept; what has not been asked for longest is forgotten."""
        return self._kept.get(key, make, most)

    @property
    def findings(self) -> Kept:
        """What `kept` keeps."""
        return self._kept

    def is_hidden(self, trial: Trial) -> bool:
        """Whether students do not see a trial's case."""
        return (trial.case.exercise, trial.case.name) in self._hidden

    def trials_of(self, exercise: str) -> tuple[Trial, ...]:
        """Return an exercise's trials in report order."""
        return tuple(trial for trial in self.trials if trial.case.exercise == exercise)

    def misconceptions_of(self, exercise: str) -> tuple[Misconception, ...]:
        """Return an exercise's misconceptions in bank order."""
        return tuple(m for m in self.assignment.misconceptions if m.exercise == exercise)

    def misconception(self, name: str) -> Misconception:
        """Return a misconception by name."""
        return self._bank[name]

    def learn(self, misconception: Misconception) -> None:
        """Add a misconception that no author wrote, which can be asked for by its name from now on and is in no bank."""
        self._bank[misconception.name] = misconception

    def expected(self, trial: Trial) -> tuple[Outcome, ...]:
        """Return the reference's outcomes. Raises BrokenReferenceError where they are not what the case itself asks."""
        if trial not in self._expected:
            self._expected[trial] = self._sound(trial)
        return self._expected[trial]

    def _sound(self, trial: Trial) -> tuple[Outcome, ...]:
        outcomes = self.answers((), trial) or ()
        name, check = trial.name, trial.case.check
        for outcome in outcomes:
            if outcome.ending is not Ending.RETURNED:
                trouble = outcome.trouble or Trouble("", "")
                text = f"{outcome.ending}: {trouble.type_name} {trouble.text}"
                raise BrokenReferenceError(f"the reference fails {name} ({text})")
            if opaque := _opaque(outcome.value):
                text = f"the reference returns something that is not data in {name} ({opaque.type_name})"
                raise BrokenReferenceError(f"{text}; nothing could be compared with it")
        answers = tuple(Answer(outcome.value, outcome.args) for outcome in outcomes)
        try:
            finding = check.judge(trial.calls, answers, answers)
        except Exception as error:
            given = ", ".join(str(getattr(answer.value, "shape", type(answer.value).__name__)) for answer in answers)
            text = f"the check {type(check).__name__} of {name} cannot judge what the reference returns ({given})"
            raise BrokenReferenceError(f"{text}: {type(error).__name__}: {error}") from error
        if finding:
            raise BrokenReferenceError(f"the reference fails the check of {name}: {finding.headline}")
        return outcomes

    def answers(self, names: tuple[str, ...], trial: Trial) -> tuple[Outcome, ...] | None:
        """Return the outcomes of the reference with these misconceptions, or None where they cannot be combined."""
        names = tuple(name for name in names if self.matters(name, trial))
        if trial.drawn:
            return self.kept(
                ("answers among what is drawn", names, trial), lambda: self._limited(names, trial), MOST_DRAWN
            )
        key = (names, trial.name)
        with self._lock:
            if key not in self._answers:
                # `doctor` proves that each known mistake ends, and not that two of them together do.
                self._answers[key] = self._limited(names, trial) if len(names) > 1 else self._asked(names, trial)
            return self._answers[key]

    def _limited(self, names: tuple[str, ...], trial: Trial) -> tuple[Outcome, ...] | None:
        with self._lock, limited_steps():
            return self._asked(names, trial)

    def _asked(self, names: tuple[str, ...], trial: Trial) -> tuple[Outcome, ...] | None:
        program = self._program(names)
        if program is None:
            return None
        mistakes = [self._bank[name] for name in names]
        answers = self._copied_modules.answers(program, mistakes, trial) if mistakes else None
        return answers or run_requests(program, trial.requests)

    def forget(self, names: tuple[str, ...]) -> None:
        """Drop what these misconceptions together gave: kept for thousands of pairs, that would be a gigabyte."""
        with self._lock:
            self._programs.pop(names, None)
            for trial in self.trials:
                self._answers.pop((names, trial.name), None)

    def pairs_giving(self, *_: object) -> tuple[()]:
        """Return nothing: `answers` has what any two give."""
        return ()

    def matters(self, name: str, trial: Trial) -> bool:
        """Whether a misconception can change a trial: whether the reference runs there what it edits."""
        with self._lock:
            return self._functions_run.matters(self._bank[name], trial)

    def is_in_a_function(self, name: str) -> bool:
        """Whether a misconception edits one function. Any other may change what others see of the libraries as well."""
        with self._lock:
            return self._functions_run.body_around(self._bank[name]) is not None

    def calls_in(self, trial: Trial) -> Calls:
        """Return which functions of the reference call which in a trial."""
        with self._lock:
            return self._functions_run.calls(trial)

    def again(self, trial: Trial) -> Trial:
        """Return the same case with calls from another seed, which no submission has seen."""
        with self._lock:
            if trial not in self._again:
                self._again[trial] = _trial(trial.case, zlib.crc32(f"{self.seed}.again".encode()))
            return self._again[trial]

    def reference(self) -> Program:
        """Return the reference as a program. It is shared, so callers must not change it."""
        with self._lock:
            program = self._program(())
        if program is None:
            raise BrokenReferenceError("the reference cannot be imported")
        return program

    def variant(self, *names: str) -> Program | None:
        """Return the reference with misconceptions in it, or None where they cannot be combined or imported."""
        with self._lock:
            return self._program(names)

    def own_reference(self) -> Program:
        """Return a fresh copy of the reference, for a caller that changes it.

        Students' answers may stay in its tables and caches, so no other submission may share it.
        """
        return fresh_program(f"reference_{self.assignment.slug}", self.assignment.file, self.assignment.reference)

    def _program(self, names: tuple[str, ...]) -> Program | None:
        if names not in self._programs:
            source = apply_edits(self.assignment.reference, tuple(self._bank[name] for name in names))
            self._programs[names] = None if source is None else self._variant(names) or self._load(names, source)
        return self._programs[names]

    def _variant(self, names: tuple[str, ...]) -> Program | None:
        """Return a variant in which only the edited definitions are compiled; None where an edit is outside of them.

        A bank has hundreds of variants. Compiling the whole reference for each would be most of the work of grading a
        wrong submission.
        """
        if not names:
            return None
        reference = self.assignment.reference
        edits = [self._bank[name] for name in names]
        places = {self._definition_around(reference.index(m.old), reference.index(m.old) + len(m.old)) for m in edits}
        if None in places:
            return None
        program = self.own_reference()
        for start, end in filter(None, places):
            inside = tuple(m for m in edits if start <= reference.index(m.old) < end)
            label, text = f"{self.assignment.file}[{start}:{end}]", apply_edits(reference[start:end], inside) or ""
            try:
                run_code(program, label, text)
            except Exception:  # noqa: BLE001 (what it needs around it is found out by loading all of it)
                return None
        return program

    def _definition_around(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the span of the top-level definition around a piece of the reference, or None."""
        return next((span for span in self._definitions if span[0] <= start and end <= span[1]), None)

    def _load(self, names: tuple[str, ...], source: str) -> Program | None:
        """Return a variant's program, or None where it cannot be imported; `doctor` reports that to the author."""
        program = Program("_".join(("reference", self.assignment.slug, *names)), notebook=False)
        try:
            # There is no file; torch.jit.script and inspect ask for the text of a function all the same.
            linecache.cache[self.assignment.file] = (
                len(source),
                None,
                source.splitlines(keepends=True),
                self.assignment.file,
            )
            run_code(program, self.assignment.file, source)
        except Terminated:  # it is meant for the grader
            raise
        except (Exception, SystemExit) as error:
            if names:
                return None
            raise BrokenReferenceError(f"the reference cannot be imported ({type(error).__name__}: {error})") from error
        return program


def _trial(case: Case, seed: int) -> Trial:
    try:
        calls = case.calls(seed)
    except Exception as error:
        text = f"the case {case.exercise}.{case.name} fails while it draws its calls"
        raise BrokenReferenceError(f"{text} ({type(error).__name__}: {error})") from error
    name = f"the case {case.exercise}.{case.name}"
    if not calls:
        raise BrokenReferenceError(f"{name} yields no call")
    for made in calls:
        if not isinstance(made, Call):
            raise BrokenReferenceError(f"{name} yields a {type(made).__name__}; write yield call(...)")
    return make_trial(case, calls, seed)


def _opaque(tree: Any) -> Opaque | None:
    """Return the first thing in a tree that is not data, if there is one."""
    return next((leaf for leaf in leaves(tree) if isinstance(leaf, Opaque)), None)
