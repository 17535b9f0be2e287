"""Faults that are ours or the machine's: no result is lost, no score is wrong, nothing is left behind.

What failed on our side is tried again, and what goes on failing is a GRADER_ERROR, never the student's zero. Where a
machine has no warm sandbox (level C) there are no zygotes to kill; then the level has to own up to that.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hostile_support import COURSE, FULL, NUMPY, TrapHouse, leftovers, oracle_of

from autograder.classroom.gradebook_versions import FILE
from autograder.classroom.record import Record, record
from autograder.classroom.run import grade_class
from autograder.classroom.submissions import Submission
from autograder.course.spec import Limits, Status
from autograder.oracle.oracle import Oracle
from autograder.sandbox import bubblewrap, pool, slot
from autograder.sandbox.job import Chunk, ClosedError, Ending, Job, JobResult, Request, Sandbox, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.pool import WarmSandbox
from autograder.sandbox.process import remove_folder
from autograder.sandbox.slot import SlotError

LIMITS = Limits(case_seconds=5.0, import_seconds=5.0, memory_mb=256, output_mb=1)
HONEST = (COURSE / "solutions" / NUMPY / "scale.py").read_text()
SLOW = "import time\n\n\ndef f(x):\n    time.sleep(0.4)\n    return 2 * x\n"
QUICK = "def f(x):\n    return 2 * x\n"
HANG = "def f(x):\n    while True:\n        pass\n"
TOLERATED_MB = 8  # growth of a process over five hundred hangs


@pytest.fixture
def house(tmp_path: Path) -> Iterator[TrapHouse]:
    """Watch over temporary files (pytest's own are elsewhere), processes and descriptors: none may be left."""
    with TrapHouse() as opened:
        before = leftovers(opened)
        yield opened
        assert leftovers(opened) == before


@pytest.fixture
def warm(house: TrapHouse) -> Iterator[WarmSandbox | None]:
    """Return a warm sandbox of one slot, or None where a machine has none and says so."""
    with open_sandbox(1) as opened:
        assert isinstance(opened, WarmSandbox) or opened.isolation.missing
        yield opened if isinstance(opened, WarmSandbox) else None


def ask(family: str = "f", argument: float = 21.0) -> Request:
    """Make a request that is a case and an exercise of its own."""
    return Request(function="f", args=(argument,), kwargs={}, module=None, group=family, family=family)


def job(text: str, *requests: Request, limits: Limits = LIMITS) -> Job:
    """Make a job of one file."""
    return Job(Source("sub", (Chunk("sub.py", text),)), requests or (ask(),), limits)


def values(result: JobResult) -> list[object]:
    """Return what each call returned, or how it ended."""
    return [o.value if o.ending is Ending.RETURNED else o.ending for o in result.outcomes]


def started(sandbox: WarmSandbox) -> slot.Slot:
    """Return the slot a sandbox is using, or is about to: on a busy machine a new one may take a moment."""
    latest = time.monotonic() + 10
    while time.monotonic() < latest:
        alive = [each for each in sandbox._started if each.process.poll() is None]
        if len(alive) == 1:
            return alive[0]
        time.sleep(0.01)
    raise AssertionError(f"{len(sandbox._started)} slots, and not one alive")


def below(pid: int) -> list[int]:
    """Return all descendants of a process, the closest first."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents.setdefault(int(fields[1]), []).append(int(folder.name))
    found = parents.get(pid, [])
    for child in found:
        found += parents.get(child, [])
    return found


def while_running(sandbox: WarmSandbox, text: str, strike: Callable[[], None], times: int = 1) -> JobResult:
    """Run a job and strike so many times, each time a moment after a child was forked."""
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(sandbox.run, job(text))
        for _ in range(times):
            time.sleep(0.2)
            strike()
            time.sleep(0.1)
        return future.result()


def zygote_of(sandbox: WarmSandbox) -> int:
    """Return the zygote itself, which under bubblewrap is a child of the process that was started."""
    top = started(sandbox).process.pid
    return next((pid for pid in [*below(top), top] if b"bwrap" not in Path(f"/proc/{pid}/cmdline").read_bytes()), top)


def kill_child(sandbox: WarmSandbox) -> None:
    """Kill the child that a submission runs in."""
    for pid in below(zygote_of(sandbox)):
        os.kill(pid, signal.SIGKILL)


def test_zygote_killed_between_jobs(warm: WarmSandbox | None) -> None:
    """A zygote that is gone is replaced before the next job."""
    if warm:
        assert values(warm.run(job(QUICK))) == [42.0]
        for find in (lambda: started(warm).process.pid, lambda: zygote_of(warm)):
            os.kill(find(), signal.SIGKILL)
            assert values(warm.run(job(QUICK))) == [42.0]


def test_zygote_killed_during_a_job(warm: WarmSandbox | None) -> None:
    """What a dying zygote takes with it is run again."""
    if warm:
        for find in (lambda: started(warm).process.pid, lambda: zygote_of(warm)):
            warm.run(job(QUICK))
            assert values(while_running(warm, SLOW, lambda find=find: os.kill(find(), signal.SIGKILL))) == [42.0]


def test_zygote_stopped_during_a_job(warm: WarmSandbox | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A zygote that no longer answers is replaced, too."""
    monkeypatch.setattr(slot, "END_SECONDS", 0.3)
    if warm:
        warm.run(job(QUICK))
        assert values(while_running(warm, SLOW, lambda: os.kill(zygote_of(warm), signal.SIGSTOP))) == [42.0]
        assert values(warm.run(job(QUICK))) == [42.0]


def test_child_killed_from_outside(warm: WarmSandbox | None) -> None:
    """A child that somebody else killed, as the kernel does when memory is short, is run again."""
    if warm:
        warm.run(job(QUICK))
        assert values(while_running(warm, SLOW, lambda: kill_child(warm))) == [42.0]


def test_child_killed_every_time(warm: WarmSandbox | None) -> None:
    """What is killed again and again is our fault for good, and only that case's; the next job is served."""
    if warm:
        warm.run(job(QUICK))
        stop = threading.Event()

        def killing() -> None:
            while not stop.wait(0.05):
                kill_child(warm)

        thread = threading.Thread(target=killing)
        thread.start()
        result = warm.run(job(SLOW))
        stop.set()
        thread.join()
        assert values(result) == [Ending.FAULT]
        assert values(warm.run(job(QUICK))) == [42.0]


def records_of(oracle: Oracle, submissions: list[Submission], sandbox: Sandbox) -> list[Record]:
    """Grade a class and return its records."""
    return [
        record(oracle.assignment, graded.submission, graded.result, graded.isolation, oracle.seed, graded.seconds)
        for graded in grade_class(oracle, submissions, sandbox, 1)
    ]


def test_grader_error_is_no_zero(house: TrapHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no slot starts any more, each submission is a grader error and nobody's result is lost."""
    oracle = oracle_of(NUMPY)
    source = Source("scale", (Chunk("scale.py", HONEST),))
    submissions = [Submission(f"student-{number}", "", source) for number in range(3)]
    with open_sandbox(1) as sandbox:
        if isinstance(sandbox, WarmSandbox):

            def refuse(*args: object, **kwargs: object) -> None:
                raise SlotError("no more slots today")

            with monkeypatch.context() as patch:
                patch.setattr(pool, "Slot", refuse)
                entries = records_of(oracle, submissions, sandbox)
            assert [entry.status for entry in entries] == ["grader_error"] * 3
            assert all(c.status is Status.GRADER_ERROR for e in entries for x in e.exercises for c in x.cases)
        entries = records_of(oracle, submissions, sandbox)
        assert [entry.score for entry in entries] == [FULL[NUMPY][1]] * 3


def test_weaker_slots_are_refused(warm: WarmSandbox | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slot that holds less than the run's level promises is never used, whatever made it weaker."""
    if warm:
        for attribute, value in (("_filter", lambda **_: b""), ("TRIED", slot.TRIED)):
            monkeypatch.setattr(slot, attribute, value)
        with pytest.raises(SlotError, match="seccomp"):
            warm.run(job(QUICK))
        monkeypatch.undo()
        assert values(warm.run(job(QUICK))) == [42.0]


@pytest.mark.parametrize("waiting", [False, True])
def test_a_closed_sandbox_says_so(warm: WarmSandbox | None, waiting: bool) -> None:
    """Whoever asks it afterwards, or waits for a slot when it is closed, is told, and does not wait for ever."""
    if warm:
        threads = ThreadPoolExecutor(2)
        asked = [threads.submit(warm.run, job(SLOW)) for _ in range(2 * waiting)]
        time.sleep(0.2)
        warm.close()
        asked.append(threads.submit(warm.run, job(QUICK)))
        threads.shutdown(wait=False)
        assert [type(one.exception(20)) for one in asked] == [ClosedError] * len(asked)


GARBAGE = (
    [b""],
    [b"\x00\xff" * 100],
    [b"started"],
    [b"started", b"started"],
    [b'{"status": 0, "clean": true}'],
    [b"[" * 60_000],
)


@pytest.mark.parametrize("messages", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_on_the_control_channel(warm: WarmSandbox | None, messages: list[bytes]) -> None:
    """A slot that answers with something else is replaced, and the job is run elsewhere."""
    if warm:
        warm.run(job(QUICK))
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        broken = started(warm)
        broken.control, real = mine, broken.control
        with theirs, mine, real:
            for message in messages:
                theirs.send(message)
            if messages == [b""]:
                theirs.close()
            assert values(warm.run(job(QUICK))) == [42.0]
        assert broken.process.poll() is not None


@pytest.mark.parametrize(
    "answer", [b"", b"nonsense", b'{"status": "x"}', b'{"clean": true}', b"[1, 2]", b'{"status": null}']
)
def test_garbage_at_the_end_of_a_child(warm: WarmSandbox | None, answer: bytes) -> None:
    """A slot that says nothing sensible of how a child ended is replaced; what the child returned counts."""
    if warm:
        warm.run(job(QUICK))
        broken = started(warm)
        real = broken.control
        relayed = _Relay(real, answer)
        broken.control = relayed  # type: ignore[assignment]
        assert values(warm.run(job(QUICK))) == [42.0]
        assert values(warm.run(job(QUICK))) == [42.0]
        assert relayed.lied
        assert broken.process.poll() is not None


class _Relay:
    """A control socket that passes everything on but the last word."""

    def __init__(self, real: socket.socket, answer: bytes) -> None:
        self._real, self._answer, self.lied = real, answer, False

    def recv(self, size: int) -> bytes:
        self._real.recv(size)
        self.lied = True
        return self._answer

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)


def test_scratch_is_whole_again(warm: WarmSandbox | None) -> None:
    """After a submission that filled its folder the next one can write a good part of it."""
    fill = """
import os
def f(x):
    try:
        for number in range(1000):
            with open(str(number), "wb") as file:
                file.write(bytes(1 << 20))
    except OSError:
        pass
    return float(len(os.listdir(".")))
"""
    write = """
import os
def f(x):
    left = len(os.listdir("."))
    for number in range(100):
        with open(str(number), "wb") as file:
            file.write(bytes(1 << 20))
    return left
"""
    if warm:
        limits = Limits(case_seconds=20, import_seconds=5, memory_mb=256, output_mb=2)
        if warm.isolation.level.startswith("A"):  # elsewhere this risk is named, and the disk is shared
            (filled,) = values(warm.run(job(fill, limits=limits)))
            assert isinstance(filled, float)
            assert 100 < filled <= bubblewrap.SCRATCH_MB + 1
        assert values(warm.run(job(write, limits=limits))) == [0]


def test_five_hundred_hangs(house: TrapHouse) -> None:
    """Five hundred submissions that hang, one after the other, cost their time and nothing else."""
    limits = Limits(case_seconds=0.02, import_seconds=5.0, memory_mb=256, output_mb=1)
    hanging = job(HANG, *(ask(f"family-{number}") for number in range(50)), limits=limits)

    def half(sandbox: WarmSandbox) -> tuple[set[object], int, int]:
        sandbox.run(hanging)
        first = _memory(sandbox)
        ended = {ending for _ in range(4) for ending in values(sandbox.run(hanging))}
        assert values(sandbox.run(job(QUICK))) == [42.0]
        return ended, first, _memory(sandbox)

    with open_sandbox(1) as one, open_sandbox(1) as other:
        boxes = [box for box in (one, other) if isinstance(box, WarmSandbox)]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with ThreadPoolExecutor(2) as threads:
            for ended, first, last in threads.map(half, boxes):
                assert ended == {Ending.TIMEOUT}
                assert last - first < TOLERATED_MB << 20
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < TOLERATED_MB << 10


def _memory(sandbox: WarmSandbox) -> int:
    pages = Path(f"/proc/{zygote_of(sandbox)}/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


STARVED = """
import os, resource, sys, tempfile
sys.path.insert(0, {tests!r})
tempfile.tempdir = {temp!r}
from test_faults import QUICK, job, open_sandbox, values
from autograder.sandbox.job import Ending

def held():
    return len(os.listdir("/dev/fd"))

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
seen = set()
with open_sandbox(1) as sandbox:
    sandbox.run(job(QUICK))
    before = held()
    for spare in range(0, 22):
        resource.setrlimit(resource.RLIMIT_NOFILE, (before - 1 + spare, hard))
        try:
            outcome = values(sandbox.run(job(QUICK)))[0]
        except Exception as error:
            outcome = type(error).__name__
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert outcome == 42.0 or outcome is Ending.FAULT or not isinstance(outcome, Ending), outcome
        seen.add(str(outcome))
        assert values(sandbox.run(job(QUICK))) == [42.0]
        assert held() == before, (spare, outcome, os.listdir("/dev/fd"))
assert "42.0" in seen and len(seen) > 1, seen
assert os.listdir({temp!r}) == []
print("all served")
"""


def test_descriptors_run_out(house: TrapHouse) -> None:
    """With next to no descriptors left a job fails on our side or succeeds; afterwards everything is as before."""
    script = STARVED.format(tests=str(Path(__file__).parent), temp=str(house.temp))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "all served\n"), done.stderr


@pytest.fixture
def slow_class(tmp_path: Path, house: TrapHouse) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Start grading, by the command line, a class of which two hang for a minute; wait until the others are graded."""
    course = shutil.copytree(COURSE, tmp_path / "course")
    settings = course / "assignments" / NUMPY / "assignment.toml"
    settings.write_text(settings.read_text().replace("case_seconds = 0.8", "case_seconds = 60"))
    submissions = tmp_path / "class"
    submissions.mkdir()
    for number in range(4):
        (submissions / f"a{number}.py").write_text(HONEST)
        (submissions / f"z{number}.py").write_text(HANG.replace("def f(x)", "def scale(x, factor)"))
    # A shell that runs the tests in the background has them ignore Ctrl-C.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = f"{heed}; import sys; from autograder.cli import main; sys.argv[0] = 'autograder'; main()"
    arguments = ["grade", NUMPY, str(submissions), "-o", str(tmp_path / "out"), "--course", str(course), "--jobs", "2"]
    with subprocess.Popen(
        [sys.executable, "-c", command, *arguments, "--accept-unsandboxed"],
        env={**os.environ, "TMPDIR": str(house.temp), "TERM": "dumb"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        until = time.monotonic() + 60
        while len(in_the_book(tmp_path / "out")) < 4 and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.3)  # the two that hang are under way
        yield process, tmp_path / "out"
        process.kill()


def in_the_book(out: Path) -> list[str]:
    """Return who is graded, as another process sees it."""
    if not (out / FILE).exists():
        return []
    with contextlib.closing(sqlite3.connect(out / FILE, timeout=10)) as book, contextlib.suppress(sqlite3.Error):
        return [student for (student,) in book.execute("SELECT student FROM grading ORDER BY student")]
    return []


def gone(pids: list[int], seconds: float = 5.0) -> bool:
    """Whether processes end within some seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not any(Path(f"/proc/{pid}").exists() and _runs(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_ctrl_c(slow_class: tuple[subprocess.Popen[str], Path], house: TrapHouse) -> None:
    """Ctrl-C ends a run within moments: what was graded stays graded, what was not has no result, nothing is left."""
    process, out = slow_class
    pids = below(process.pid)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=20)
    assert time.monotonic() - began < 2.0
    assert process.returncode not in (0, None)
    assert "Traceback" not in said
    assert in_the_book(out) == [f"a{number}" for number in range(4)]
    assert gone(pids)
    assert os.listdir(house.temp) == []


def test_killed_grader_leaves_no_processes(slow_class: tuple[subprocess.Popen[str], Path], house: TrapHouse) -> None:
    """A grader that is killed takes its zygotes and their children along."""
    process, out = slow_class
    pids = below(process.pid)
    process.kill()
    process.wait(20)
    assert gone(pids)
    assert len(in_the_book(out)) == 4
    for path in house.temp.iterdir():  # nobody was left to remove these
        remove_folder(str(path))
