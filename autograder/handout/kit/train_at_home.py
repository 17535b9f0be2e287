"""Train at home what a grading trains, on the public seed, and judge the first steps as grading does."""

from __future__ import annotations

import itertools
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autograder.course.language import marked, say
from autograder.course.spec import Assignment, Status, Visibility
from autograder.handout.kit.device_at_home import can_move
from autograder.handout.kit.loss_chart import chart, losses_picture
from autograder.handout.kit.trainings import HomeTraining
from autograder.judge.messages import explain_trouble
from autograder.judge.picture import Lines
from autograder.judge.points import points_text
from autograder.judge.reasons import Message
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.judge.stray_tensors import explain_devices, strays_in
from autograder.judge.terminal_text import plain
from autograder.judge.training_outcome import (
    Parting,
    after_the_last_step,
    explain_run,
    judge_first_steps,
    learned_alike,
    losses_of,
    mend_first,
    parting_of,
    tell_no_number,
    told_before_the_end,
)
from autograder.judge.training_run import first_seconds, run_training, training_request
from autograder.sandbox.child import tensors_made
from autograder.sandbox.child.device import CPU
from autograder.sandbox.job import Ending, Outcome, Source
from autograder.sandbox.process import ProcessSandbox

WHOLE_RUN = "whole_run"
LINES = 5  # of progress where there is no terminal
CHARGED_ONCE = marked(
    "Grading charges a mistake that it knows by name once, in the exercise where it is made, and not here."
)


def train_at_home(
    source: Source, assignment: Assignment, result: Result, homes: Sequence[HomeTraining], device: str, *, long: bool
) -> Iterator[ExerciseResult]:
    """Yield what each training comes to: its first steps, judged as in grading, and where they are right and `long`, all of it.

    `result` is that of the cases. A whole run gives no points at home: what grading measures of it is not public.
    """
    with ProcessSandbox(device=device) as sandbox:
        for home in homes:
            own = device if can_move(home) else CPU
            run = _Run(source, assignment, home, sandbox, own)
            first = run.first_steps(_to_mend(result, home))
            cases = [first]
            if long and first.status is Status.PASSED:
                cases.append(run.whole())
            points = home.points if first.status is Status.PASSED else 0.0
            yield ExerciseResult(home.training.exercise, points, home.points, tuple(cases), own)


def _to_mend(result: Result, home: HomeTraining) -> tuple[str, ...]:
    """Return the exercises that a training uses and that do not pass, but for those that wait for others."""
    wrong = {e.name: e.status for e in result.exercises if e.name in home.uses and e.status is not Status.PASSED}
    return tuple(name for name, status in wrong.items() if status is not Status.SKIPPED) or tuple(wrong)


def training_as_text(exercise: ExerciseResult, home: HomeTraining, width: int) -> str:
    """Return what there is to read of a training at home: a chart and a verdict for each run, and what grading adds."""
    training, name = home.training, exercise.name
    head = marked("{name}: the first {first} of {steps} steps, from the start that all students get")
    lines = [say(head, name=name, first=training.first_steps, steps=training.steps)]
    for case in exercise.cases:
        if case.name == WHOLE_RUN:
            lines.append(say("{name}: all {steps} steps, from the same start", name=name, steps=training.steps))
        if isinstance(case.picture, Lines):
            lines += chart(case.picture, width)
        lines += itertools.chain(*(_wrapped(line, width) for line in _told(case)))
    if exercise.status is Status.PASSED:
        text = marked(
            "Graded like this, the first steps give {points} of {all} points. For the others, grading trains on from a start "
            "of its own. It asks:"
        )
        points, every = points_text(home.points), points_text(home.all_points)
        lines += _wrapped(say(text, points=points, all=every), width)
        lines += itertools.chain(*(_wrapped(f"- {claim}", width) for claim in home.measured))
        if len(exercise.cases) == 1:
            lines += _wrapped(say("--long makes the whole run here."), width)
    return "\n".join(lines)


def _told(case: CaseResult) -> list[str]:
    """Return the verdict on a run, what helps first."""
    if case.status is Status.PASSED:
        return [f"✓ {case.status}: {case.message or case.claim}"]
    first, *rest = case.message.splitlines()
    return [f"✗ {case.status}: {case.lead}", *([first] if case.lead != first else []), *rest]


def _wrapped(line: str, width: int) -> list[str]:
    """Return a line of text as lines of a terminal. What is indented, as code is, keeps its place."""
    indent = "  " + " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        plain(line.strip()), max(40, width), initial_indent=indent, subsequent_indent=indent + "  "
    ) or [""]


@dataclass(frozen=True)
class Suspects:
    """What the step at which losses part tells of the exercises that a training uses."""

    forward_is_right: tuple[str, ...]  # the first loss depends on them, and is right
    open: tuple[str, ...]  # the first loss that differs depends on them


def suspects(step: int, home: HomeTraining) -> Suspects:
    """Return which exercises to look at where losses part at a step, from 0."""
    at_once, later = home.shows()
    return Suspects(at_once, later) if step else Suspects((), at_once)


def tell_suspects(found: Suspects) -> str:
    """Say where to look."""
    names, right = (", ".join(f"`{name}`" for name in some) for some in (found.open, found.forward_is_right))
    told = []
    if right:
        told.append(say("The first loss depends on {names} and is right, so look at the way back.", names=right))
    if names:
        told.append(say("The step that differs depends on {names}: look there first.", names=names))
    elif right:
        told.append(
            say("Where is the gradient cut or changed: detach(), .data, torch.no_grad(), an assignment in place?")
        )
    return " ".join(told)


def tell_place(parting: Parting, home: HomeTraining) -> str:
    """Say at which step losses part, and where to look; whose mistake it is, the exercises tell."""
    sentence = (
        marked("The losses part at step {step}, {loss:.4g} instead of {expected:.4g}; the steps before agree.")
        if parting.step
        else marked(
            "The losses part at step {step}, {loss:.4g} instead of {expected:.4g}; it comes from the first forward pass."
        )
    )
    told = say(sentence, step=parting.step + 1, loss=parting.loss, expected=parting.expected)
    return f"{told} {tell_suspects(suspects(parting.step, home))}".strip()


@dataclass(frozen=True)
class _Run:
    """The runs of one training on a student's code."""

    source: Source
    assignment: Assignment
    home: HomeTraining
    sandbox: ProcessSandbox
    device: str

    def first_steps(self, wrong: tuple[str, ...]) -> CaseResult:
        """Judge the first steps as grading does, and say where to look: first at exercises that are not right by themselves."""
        home, training = self.home, self.home.training
        ran = self._make(training.first_steps, first_seconds(training))
        begun = told_before_the_end(training, ran)
        outcome = begun or ran
        case = judge_first_steps(
            training, outcome, home.first, (), lambda: self._why_no_end(outcome, first_seconds(training))
        )
        case = replace(case, visibility=Visibility.PUBLIC)
        if begun and case.status is Status.PASSED:
            why = self._why_no_end(ran, first_seconds(training))
            return replace(case, told=after_the_last_step(training.first_steps, why))
        losses = losses_of(outcome)
        if losses is not None and losses.shape == home.first.shape:
            case = replace(case, picture=losses_picture(losses, home.first))
        parting = parting_of(losses, home.first, training) if case.picture and losses is not None else None
        if wrong and case.status is not Status.PASSED:
            # What follows from their mistakes, only the reference with the same mistakes could tell.
            happened = (
                case.told.text if case.status is not Status.FAILED else tell_place(parting, home) if parting else ""
            )
            return replace(case, told=Message(mend_first(wrong)).then(happened, say(CHARGED_ONCE)), reason=None)
        return replace(case, told=case.told.then(tell_suspects(suspects(parting.step, home)))) if parting else case

    def whole(self) -> CaseResult:
        """Make the whole run and compare how far its losses fall."""
        training, expected = self.home.training, self.home.curve()
        outcome = self._make(training.steps, training.seconds)
        claim = say("Over the whole run the losses fall as the reference's do.")
        case = CaseResult(WHOLE_RUN, claim, Visibility.PUBLIC, Status.PASSED, seconds=outcome.seconds)
        losses = losses_of(outcome)
        if losses is None or losses.shape != expected.shape:
            told = self._why_no_end(outcome, training.seconds)
            return replace(case, status=Status.FAILED, told=told)
        case = replace(case, picture=losses_picture(losses, expected))
        ends = [float(row[-max(1, len(row) // 10) :].mean()) for row in (losses, expected)]
        sentence = marked(
            "Over the last tenth of the run your mean loss is {yours:.4g}; the reference's is {theirs:.4g}."
        )
        text = say(sentence, yours=ends[0], theirs=ends[1])
        if learned_alike(losses, expected):
            return replace(case, told=Message(text))
        parts = say("They part at about step {step}.", step=_leaves(losses, expected) + 1)
        if not np.isfinite(losses).all():
            parts = tell_no_number(int(np.argmin(np.isfinite(losses))))
        return replace(case, status=Status.FAILED, told=Message(f"{text} {parts}"))

    def _make(self, steps: int, seconds: float) -> Outcome:
        home = self.home
        request = training_request(home.training, home.args, steps, home.seed, home.harness, self.device)
        progress = Progress(home.training.exercise, steps)
        outcome = run_training(self.assignment, home.training, request, self.source, self.sandbox, seconds, progress)
        progress.end()
        return outcome

    def _why_no_end(self, outcome: Outcome, seconds: float) -> Message:
        """Say why a run came to no end; at home an exception is told in full."""
        if outcome.ending is not Ending.RAISED or outcome.trouble is None:
            return explain_run(outcome, self.source, self.home.training, seconds)
        found = tensors_made.read([(chunk.label, chunk.text.encode()) for chunk in self.source.chunks])
        devices = "" if self.device == CPU else explain_devices(outcome.trouble, tuple(strays_in(found)))
        told = explain_trouble(outcome.trouble, self.source)
        return Message(devices).then(told.text) if devices else told


def _leaves(losses: np.ndarray, expected: np.ndarray) -> int:
    """Return the step, from 0, from which the running mean of losses stays a tenth of the way that they fall from the reference's."""
    size = max(1, len(expected) // 20)
    kernel = np.ones(size) / size
    gap = np.abs(np.convolve(losses, kernel, "valid") - np.convolve(expected, kernel, "valid"))
    near = np.flatnonzero(~(gap > 0.1 * np.ptp(expected)))
    return int(near[-1]) + 1 if near.size else 0


class Progress:
    """Shows a run's step, loss and remaining time: a bar on a terminal, a few lines elsewhere."""

    def __init__(self, name: str, steps: int) -> None:
        self._name, self._steps = name, steps
        self._first: tuple[int, float] | None = None  # the first step that was heard of, and when
        self._terminal = sys.stderr.isatty()

    def __call__(self, step: int, loss: float) -> bool:
        """Hear of a step's loss."""
        done, now = step + 1, time.monotonic()
        self._first = self._first or (done, now)
        if not self._terminal and done % max(1, self._steps // LINES):
            return False
        left = self._left(done, now)
        bar = f" {'█' * (20 * done // self._steps):<20}" if self._terminal else ""
        told = marked("step {done} of {steps}   loss {loss:.3f}")
        text = f"{self._name}{bar} {say(told, done=done, steps=self._steps, loss=loss)}{left}"
        print(
            f"\r\x1b[2K{text}" if self._terminal else text,
            end="" if self._terminal else "\n",
            file=sys.stderr,
            flush=True,
        )
        return False

    def _left(self, done: int, now: float) -> str:
        """Say how long the rest takes, once two steps are known: what stands before the first is loading, not training."""
        first, began = self._first or (done, now)
        seconds = (now - began) / max(1, done - first) * (self._steps - done)
        return say("   {seconds:.0f} s left", seconds=seconds) if done > first else ""

    def end(self) -> None:
        """Wipe the bar off."""
        if self._terminal:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)
