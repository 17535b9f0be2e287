"""A proof that could not be made is told as such: what was cut short is graded again, alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock

import pytest

from autograder.cli import main
from autograder.course.spec import Assignment
from autograder.proof.doctor import examine
from autograder.sandbox.job import Ending, Isolation, Job, JobResult, Outcome, Sandbox, Trouble

SLUG = "t1_means"
MISTAKE = "x[..., 1:].sum(axis=-1)"  # skips_the_first, in row_means, on which center and spread build
USED_UP = "the time for the whole submission was used up"


class Stalled:
    """A sandbox on a machine that stands still for a while: it cuts the first few runs of one file short."""

    def __init__(self, sandbox: Sandbox, cut: Callable[[Job, JobResult], JobResult], times: int, text: str) -> None:
        self._sandbox, self._cut, self._text = sandbox, cut, text
        self.left, self.running, self.alone = times, 0, list[bool]()
        self._lock = Lock()

    @property
    def isolation(self) -> Isolation:
        """What the sandbox holds."""
        return self._sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run a job, and note whether a file that was cut short runs alone when it does so again."""
        with self._lock:
            self.running += 1
        try:
            ran = self._sandbox.run(job)
            if not job.source.holds(self._text):
                return ran
            with self._lock:
                self.alone.append(self.running == 1)
                self.left -= 1
                return self._cut(job, ran) if self.left >= 0 else ran
        finally:
            with self._lock:
                self.running -= 1

    def close(self) -> None:
        """Leave the sandbox open; it is others' too."""


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let further attempts follow at once: this machine stands still by count, not by time."""
    monkeypatch.setattr("autograder.proof.gradings._PAUSE", 0.0)


def ended(ending: Ending, why: str) -> Callable[[Job, JobResult], JobResult]:
    """Return how to cut a run short from its second case on."""

    def cut(_: Job, ran: JobResult) -> JobResult:
        rest = (Outcome(ending, trouble=Trouble("", why)),) * len(ran.outcomes[1:])
        return replace(ran, outcomes=(*ran.outcomes[:1], *rest))

    return cut


def promises_broken(assignment: Assignment, sandbox: Stalled) -> dict[str, tuple[str, ...]]:
    """Return which promises are broken, and how."""
    return {proof.promise: proof.broken for proof in examine(assignment, sandbox, 2) if not proof.holds}


@pytest.mark.parametrize(
    "cut",
    [
        ended(Ending.NOT_RUN, USED_UP),
        ended(Ending.TIMEOUT, ""),
        ended(Ending.DIED, "killed by SIGKILL"),
        ended(Ending.MEMORY, ""),
        ended(Ending.FAULT, "no process could be started"),
    ],
)
@pytest.mark.parametrize("text", [MISTAKE, "for row in"], ids=["mistake", "alternative"])
def test_a_machine_that_stands_still_once_breaks_no_promise(
    assignment: Assignment, sandbox: Sandbox, cut: Callable[[Job, JobResult], JobResult], text: str
) -> None:
    """The file is graded once more, with nothing beside it."""
    stalled = Stalled(sandbox, cut, 1, text)
    assert promises_broken(assignment, stalled) == {}
    assert stalled.alone[1:] == [] or any(stalled.alone[1:])


@pytest.mark.parametrize("ending", [Ending.NOT_RUN, Ending.FAULT])
def test_what_cannot_be_graded_is_told_as_such(assignment: Assignment, sandbox: Sandbox, ending: Ending) -> None:
    """In place of all the exercises that it seems to cost."""
    found = promises_broken(assignment, Stalled(sandbox, ended(ending, USED_UP), 99, MISTAKE))
    told = f"skips_the_first: could not be graded in 3 attempts: {USED_UP}"
    lines = [line for broken_ways in found.values() for line in broken_ways]
    assert lines
    assert all("skips_the_first" in line for line in lines)
    assert any(line == told for line in lines), lines
    assert not any("also costs points" in line for line in lines), lines


def test_what_times_out_each_time_stays_a_failure(assignment: Assignment, sandbox: Sandbox) -> None:
    """An alternative that is too slow is told by its cases, as before."""
    stalled = Stalled(sandbox, ended(Ending.TIMEOUT, ""), 99, "for row in")
    (lines,) = promises_broken(assignment, stalled).values()
    assert lines[0].startswith("loops: ")
    assert " TIMEOUT: " in lines[0]


def slow_in_a_child(course: Path) -> None:
    """Make a known mistake that answers at once in the grader's own process, and in a child counts for ever."""
    bank, toml = course / "solutions" / SLUG / "misconceptions.py", course / "assignments" / SLUG / "assignment.toml"
    count = "sum(range(0 if 'autograder.proof.soundness' in __import__('sys').modules else 10**12))"
    settings = {
        "case_seconds = 1.5": "case_seconds = 60",
        "import_seconds = 3.0": "import_seconds = 1\ntotal_seconds = 0.1",
    }
    for path, changes in ((bank, {f'new="{MISTAKE}"': f'new="{MISTAKE} + 0 * {count}"'}), (toml, settings)):
        text = path.read_text(encoding="utf-8")
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")


def test_doctor_says_that_the_time_was_used_up(
    course_copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Through the command, in a real child: the time for the whole submission is over before its cases are."""
    slow_in_a_child(course_copy)
    monkeypatch.setattr("sys.argv", ["autograder", "doctor", SLUG, "--json", "--course", str(course_copy)])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    found = {proof["promise"]: proof["broken"] for proof in json.loads(capsys.readouterr().out)[SLUG]}
    lines = [line for told in found.values() for line in told]
    assert any(f"skips_the_first: could not be graded in 3 attempts: {USED_UP}" in line for line in lines), lines
    assert not any("also costs points" in line for line in lines), lines
