"""`check.py next`: one exercise after another through the assignments of a course, checked whenever the file is saved."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from autograder.course.language import marked, say
from autograder.handout.kit.asked import CheckError
from autograder.handout.kit.bundle import Bundle
from autograder.handout.kit.handouts import Handout
from autograder.handout.kit.hints import next_hint
from autograder.handout.kit.keys import Keys
from autograder.handout.kit.reset import reset
from autograder.handout.kit.saves import POLL_SECONDS, Saves
from autograder.handout.kit.self_check import (
    Options,
    Work,
    check_in,
    clear_screen,
    colorful,
    find_work,
    read_work,
    say_doubts,
    screen,
)
from autograder.handout.kit.step_text import (
    bars,
    keys_text,
    learned_text,
    list_text,
    section_text,
    step_data,
    verdict_text,
)
from autograder.handout.kit.steps import Step, make_step
from autograder.sandbox.bare import BareSandbox
from autograder.sandbox.job import Source
from autograder.sandbox.process import ProcessSandbox
from autograder.submission.written_exercises import Stub

BELOW = 5  # lines of a screen that hold the bars, the keys and the space around them


def run_next(course: Sequence[Handout], slug: str, options: Options) -> int:
    """Go on with an assignment, then with those after it and before it. Return 0 where all pass, or after q; else 1.

    Without a terminal, and as JSON, it shows one step. Raises CheckError and BundleError.
    """
    if replace(options, as_json=False, trains=False) != Options():
        raise CheckError(say("next chooses the exercise itself; beside it only a file and --json are understood."))
    first = next(number for number, handout in enumerate(course) if handout.slug == slug)
    try:
        with Keys() as keys:
            session = Session(course, keys, live=keys.live and not options.as_json, as_json=options.as_json)
            return session.go_through((*course[first:], *course[:first]))
    except KeyboardInterrupt:
        return 130


@dataclass
class Session:
    """A student's way through a course."""

    course: Sequence[Handout]
    keys: Keys
    live: bool  # whether to wait for saves and keys
    as_json: bool
    _last: Step | None = field(default=None, init=False)

    def go_through(self, handouts: Sequence[Handout]) -> int:
        """Work on one assignment after the other, but for later ones that are known to be done; return the exit code."""
        for handout in handouts:
            if handout is handouts[0] or len(handout.passed()) < len(handout.exercises):
                code = self.work_on(handout)
                if code is not None:
                    return code
        if self.as_json and self._last:
            print(json.dumps(step_data(self._last), indent=1))
        elif self._last:
            print(bars(self._last), say("All public cases pass. Grading adds hidden cases."), sep="\n")
        return 0

    def work_on(self, handout: Handout) -> int | None:
        """Show one step of an assignment after the other; return None once all of its exercises pass, else the exit code."""
        bundle = handout.load()
        if self.live:
            told = (
                marked("Checking {slug}, which loads torch once ...")
                if bundle.assignment.torch
                else marked("Checking {slug} ...")
            )
            self._say(say(told, slug=handout.slug))
        with BareSandbox(torch=bundle.assignment.torch) if self.live else ProcessSandbox() as sandbox:
            while True:
                work = find_work(bundle, handout.place)
                source = read_work(bundle, work)
                result = check_in(sandbox, source, bundle)
                step = make_step(handout, self.course, bundle.assignment, work.path, source, result)
                if not step.exercise:
                    self._last = step
                    self._say(learned_text(step, self._width))
                    done = marked("All exercises of {slug} pass. Hand in {file}.")
                    stub = Stub.of(bundle.assignment)
                    file = stub.wanted if stub.files else work.path.name
                    self._say(say(done, slug=handout.slug, file=file))
                    return None
                self._show(step, work)
                if not self.live:
                    return 1
                if self._wait(work.saves, bundle, source, step):
                    return 0

    def _show(self, step: Step, work: Work) -> None:
        """Show a step: its section where the last one had another exercise, and always what fails."""
        before, self._last = self._last, step
        if self.as_json:
            say_doubts(work)
            print(json.dumps(step_data(step), indent=1))
            return
        if before and (before.handout, before.exercise) == (step.handout, step.exercise) and self.live:
            clear_screen()
        elif step.section and not (before and before.section == step.section):
            self._say(section_text(step.section, self._width, color=colorful()))
        say_doubts(work)
        self._say(learned_text(step, self._width))
        self._say(verdict_text(step, screen(BELOW)))
        if self.live:
            self._say(keys_text())

    def _say(self, text: str) -> None:
        if text and not self.as_json:
            print(f"{text}\n", flush=True)

    @property
    def _width(self) -> int:
        return shutil.get_terminal_size().columns

    def _wait(self, saves: Saves, bundle: Bundle, source: Source, step: Step) -> bool:
        """Wait until the file is saved, and do what keys say meanwhile; return whether to quit."""
        while not saves.happened():
            key = self.keys.pressed(POLL_SECONDS)
            if key == "q":
                return True
            if key and self._did(key, bundle, source, step):
                self._say(keys_text())
        return False

    def _did(self, key: str, bundle: Bundle, source: Source, step: Step) -> bool:
        """Do what a key says; return whether it says anything."""
        exercise = step.exercise
        if key == "h" and exercise:
            name = exercise.name
            hint = next_hint(step.path.parent, step.result, bundle.assignment, source, name, self._width)
            self._say(hint)
        elif key == "f":
            self._say(verdict_text(step, screen(), full=True))
        elif key == "l":
            self._say(list_text(step, self.course))
        elif key == "t" and step.section:
            self._say(section_text(step.section, self._width, color=colorful()))
        elif key == "d" and exercise:
            with self.keys.lent():
                subprocess.run([*step.handout.command, str(step.path), "--debug", exercise.name], check=False)
            print()
        elif key == "r":
            self._reset(bundle, step)
        else:
            return False
        return True

    def _reset(self, bundle: Bundle, step: Step) -> None:
        if not step.exercise:
            return
        question = marked("Put {exercise} back to the stub? Your version is kept beside the file. y or n")
        print(say(question, exercise=step.exercise.name), flush=True)
        answer = ""
        while not answer:
            answer = self.keys.pressed(POLL_SECONDS)
        if answer != "y":
            self._say(say("Nothing is changed."))
            return
        try:
            backup = reset(step.path, bundle.assignment.stub, step.exercise)
        except CheckError as error:
            self._say(str(error))
        else:
            told = marked("{exercise} is the stub again; your version is in {file}.")
            self._say(say(told, exercise=step.exercise.name, file=backup.name))
