"""The trap house for attacks: secrets that must not be read, listeners that must not be reached, and how to grade there.

An attack is a file under tests/hostile/EXPECTED_STATUS/. Where its text says @SOLUTION@ or another of the names below,
it is told where that thing is, so that no attack fails merely because it did not look in the right place. An attack that
succeeded prints or returns a line that starts with BREACH; what it cannot see of its success is watched from here.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Self

from autograder.classroom.record import record
from autograder.classroom.record_json import told_record
from autograder.classroom.run import grade_one
from autograder.classroom.submissions import Submission
from autograder.course.catalog import load_assignment
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.job import Chunk, Isolation, Job, JobResult, Sandbox, Source
from autograder.submission.archives import UnreadableError
from autograder.submission.source import read_source

COURSE = Path(__file__).parent / "hostile_course"
ATTACKS = Path(__file__).parent / "hostile"
NUMPY, TORCH, CALLS = "h1_scale", "h2_blend", "h3_calls"
FULL = {NUMPY: (6.0, 12.0), TORCH: (2.0, 4.0), CALLS: (2.0, 14.0)}  # the points of the first exercise, and of all
SEED = 23
HIDDEN_NUMBER = "8128"  # begins an argument of a hidden case and nothing else
# Words behind BREACH that name a risk which some levels have, and a part of the sentence that owns up to it.
OWNED = {"disk": "fill the disk", "metadata": "that files exist", "own root": "inside its own root"}

# What is graded after each attack, in the same slot: an honest submission that looks around itself.
AFTERMATH = """\
import builtins, os, random, sys, tempfile
import numpy as np

LEFT = [name for name in os.listdir(".")]
LEFT += [name for name in os.environ if name.startswith("LEFT")]
LEFT += [name for name in dir(builtins) + dir(np) + list(sys.modules) if name.startswith("left_by")]
if LEFT:
    print("BREACH left over:", LEFT)
# Whoever reads this heap later is looking for the next line.
MINE = "-".join(["WORK", "OF", "THE", "STUDENT", "BEFORE"])


def scale(x, factor):
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write("an honest program can write here")
    return x * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
"""
AFTERMATH_TORCH = """\
import torch


def blend(a, b, t):
    return a + t * (b - a)


def fit(x, y):
    weight = torch.zeros((), requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.05)
    for _ in range(300):
        optimizer.zero_grad()
        loss = ((weight * x - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return weight, ((weight * x - y) ** 2).mean()
"""


# What runs before an attack in the plain process, where nothing is contained: it notes what is made or written elsewhere.
WATCH = """\
def _watch(event, args, *, own=(__import__("os").getcwd(), "@FOLDER@"), os=__import__("os")):
    made = {"os.mkdir": args[:1], "os.rename": args[1:2], "os.link": args[1:2], "os.symlink": args[1:2]}.get(event, ())
    if event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        made = args[:1]
    for path in made:
        path = "" if isinstance(path, int) else os.path.realpath(os.fsdecode(path))
        there = event == "os.mkdir" and os.path.isdir(path)
        if path and not there and not path.startswith((*map(os.path.realpath, own), "/dev/", "/proc/")):
            with open("@FOLDER@/elsewhere", "a") as notes:
                notes.write(path + chr(10))
__import__("sys").addaudithook(_watch)
"""


class TrapHouse:
    """Secrets and traps on this machine, all of them this object's own. A context manager.

    With `watch`, for attacks in the plain process, it also knows what they left elsewhere.
    """

    def __init__(self, *, watch: bool = False) -> None:
        self._watch = WATCH.encode() if watch else b""
        self.keys = {
            name: f"KEY-{name}-{secrets.token_hex(6)}" for name in ("solution", "home", "environment", "other")
        }
        self._exit = contextlib.ExitStack()
        self._caught: list[str] = []

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            self._set(undo)
            self._exit = undo.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._exit.close()

    def _set(self, undo: contextlib.ExitStack) -> None:
        folder = Path(tempfile.mkdtemp(prefix="traps-"))
        undo.callback(shutil.rmtree, folder)
        folder.chmod(0o755)  # nothing here is to be saved by its permissions
        course = shutil.copytree(COURSE, folder / "course")
        solution = course / "solutions" / NUMPY / "scale.py"
        solution.write_text(f"{solution.read_text()}\n# {self.keys['solution']}\n")
        (folder / "secret.txt").write_text(self.keys["home"])
        other = folder / "submissions" / "other_student.py"
        other.parent.mkdir()
        other.write_text(f"# {self.keys['other']}\n")
        self.marker = folder / "marker"
        self._new_marker()
        os.environ["GRADER_SECRET"] = self.keys["environment"]
        undo.callback(os.environ.pop, "GRADER_SECRET")
        self.temp = folder / "temp"
        self.temp.mkdir()
        undo.callback(setattr, tempfile, "tempdir", tempfile.tempdir)
        tempfile.tempdir = str(self.temp)  # so that what the grader leaves behind can be told from others' work
        self._new_victim()
        undo.callback(self._end_victim)
        name = f"traps-{secrets.token_hex(6)}"
        port = self._listen(undo, socket.AF_INET, ("127.0.0.1", 0), "a TCP connection")
        self._listen(undo, socket.AF_UNIX, f"\0{name}", "a connection to an abstract socket")
        self._places = {
            "SOLUTION": str(solution),
            "SECRET": str(folder / "secret.txt"),
            "OTHER": str(other),
            "MARKER": str(self.marker),
            "FOLDER": str(folder),
            "GRADER": str(os.getpid()),
            "PORT": str(port[1]),
            "SOCKET": name,
            "PYTHON": sys.executable,
        }

    def _listen(self, undo: contextlib.ExitStack, family: int, address: Any, what: str) -> Any:
        """Accept connections on a socket until the house is closed, and note that there were any."""
        listener = socket.socket(family, socket.SOCK_STREAM)

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    listener.accept()[0].close()
                    self._caught.append(what)

        listener.bind(address)
        listener.listen()
        thread = threading.Thread(target=accept, name=what, daemon=True)
        thread.start()
        undo.callback(thread.join)
        undo.callback(listener.close)
        undo.callback(listener.shutdown, socket.SHUT_RDWR)
        return listener.getsockname()

    def _new_marker(self) -> None:
        self.marker.mkdir()
        (self.marker / "keep").write_text("kept")
        self.marker.chmod(0o777)

    def _new_victim(self) -> None:
        self.victim = subprocess.Popen(["sleep", "600"])

    def _end_victim(self) -> None:
        self.victim.kill()
        self.victim.wait()

    def tell(self, text: bytes) -> bytes:
        """Fill in where everything is."""
        text = self._watch + text
        for name, place in (*self._places.items(), ("VICTIM", str(self.victim.pid))):
            text = text.replace(f"@{name}@".encode(), place.encode())
        return text

    def caught(self) -> list[str]:
        """Return, and forget, what has been caught from outside."""
        found, self._caught = self._caught, []
        if self.victim.poll() is not None:
            found.append(f"the victim process was ended ({self.victim.returncode})")
            self._new_victim()
        left = sorted(path.name for path in self.marker.iterdir())
        if left != ["keep"] or (self.marker / "keep").read_text() != "kept":
            found.append(f"the marker folder holds {left}")
            shutil.rmtree(self.marker)
            self._new_marker()
        return found

    def strewn(self) -> list[str]:
        """Return what attacks made outside of this house and of their own folders, and did not take away again."""
        notes = self.marker.parent / "elsewhere"
        paths = notes.read_text().splitlines() if notes.exists() else []
        return sorted({path for path in paths if Path(path).exists()})

    def read_in(self, *texts: str) -> list[str]:
        """Return which secrets stand in some texts."""
        return [f"the secret {name} was read" for name, key in self.keys.items() if any(key in text for text in texts)]


@dataclass(frozen=True)
class Attack:
    """One hostile file, or one honest one that is easily taken for hostile."""

    path: Path

    @property
    def expected(self) -> str:
        """How it has to end: the folder it lies in."""
        return self.path.parent.name

    @property
    def honest(self) -> bool:
        """Whether it is a control, which earns full points in everything."""
        return self.path.name.startswith("honest_")

    @property
    def earns(self) -> float:
        """What its first exercise is worth: all, nothing, or what a line `# earns: 2` says."""
        if self.expected == "PASSED":
            return FULL[self.slug][0]
        found = re.search(rb"^# earns: (\d+)$", self.path.read_bytes(), re.MULTILINE)
        return float(found[1]) if found else 0.0

    @property
    def total(self) -> float | None:
        """What all its exercises are worth together, where a line `# total: 2` says so."""
        found = re.search(rb"^# total: (\d+)$", self.path.read_bytes(), re.MULTILINE)
        return float(found[1]) if found else FULL[self.slug][1] if self.honest else None

    @property
    def slug(self) -> str:
        """The assignment it is handed in for."""
        return TORCH if "torch_" in self.path.name else CALLS if "calls_" in self.path.name else NUMPY

    def __str__(self) -> str:
        return f"{self.expected}/{self.path.stem}"


def attacks() -> tuple[Attack, ...]:
    """Return every hostile file there is."""
    return tuple(Attack(path) for path in sorted(ATTACKS.glob("*/*.py")))


@dataclass(frozen=True)
class Report:
    """What became of one attack."""

    attack: Attack
    status: str
    score: float
    entry: dict[str, Any]
    breaches: tuple[str, ...]
    caught: tuple[str, ...]
    aftermath: dict[str, Any]
    seconds: float
    work: float  # CPU seconds of the grader's own


class Recording:
    """A sandbox that also keeps all that came back from it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.ran: list[JobResult] = []

    @property
    def isolation(self) -> Isolation:
        """What the sandbox holds."""
        return self._sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run a job and keep its result."""
        self.ran.append(self._sandbox.run(job))
        return self.ran[-1]


@cache
def oracle_of(slug: str) -> Oracle:
    """Return the oracle of one of the two assignments."""
    oracle = Oracle(load_assignment(COURSE, slug), SEED)
    for trial in oracle.trials:
        oracle.expected(trial)
    return oracle


def said(ran: Sequence[JobResult]) -> str:
    """Return everything a submission gave, printed or raised, as one text."""
    return repr([(each.loading, each.notes, each.outcomes) for each in ran])


def breaches_in(ran: Sequence[JobResult]) -> tuple[str, ...]:
    """Return the lines in which an attack says that it succeeded."""
    texts: list[str] = []
    for outcome in (outcome for each in ran for outcome in (each.loading, *each.outcomes)):
        texts += outcome.printed.splitlines()
        texts += [str(outcome.value)] if isinstance(outcome.value, str) else []
        texts += [outcome.trouble.text] if outcome.trouble else []
    return tuple(dict.fromkeys(text for text in texts if text.startswith("BREACH")))


def hand_in(
    attack: Attack, house: TrapHouse, sandbox: Recording, folder: Path
) -> tuple[dict[str, Any], Sequence[JobResult]]:
    """Grade one file as a student's submission; return its record and all that came out of the sandbox."""
    oracle = oracle_of(attack.slug)
    student = f"{attack.expected}-{attack.path.stem}"
    file = folder / student / oracle.assignment.file
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(house.tell(attack.path.read_bytes()))
    submission = Submission(student, student, None)
    try:
        submission = replace(submission, code=read_source(file, oracle.assignment.file))
    except UnreadableError as error:
        submission = replace(submission, problem=str(error))
    sandbox.ran = []
    return graded_record(oracle, submission, sandbox), sandbox.ran


def graded_record(oracle: Oracle, submission: Submission, sandbox: Sandbox) -> dict[str, Any]:
    """Grade one submission and return its record."""
    graded = grade_one(Trainer(oracle), submission, sandbox)
    found = record(oracle.assignment, submission, graded.result, graded.isolation, oracle.seed, graded.seconds)
    return told_record(found)


def attacked(attack: Attack, house: TrapHouse, sandbox: Recording, folder: Path, *, after: bool) -> Report:
    """Let one attack loose, then see whether the next student in the same slot is served as ever."""
    began = time.thread_time()
    entry, ran = hand_in(attack, house, sandbox, folder)
    work = time.thread_time() - began
    first = entry["exercises"][0]
    aftermath: dict[str, Any] = {}
    if after:
        oracle = oracle_of(attack.slug)
        text = {NUMPY: AFTERMATH, TORCH: AFTERMATH_TORCH}.get(attack.slug, oracle.assignment.reference)
        source = Source("after", (Chunk(oracle.assignment.file, text),))
        sandbox.ran = []
        aftermath = graded_record(oracle, Submission(f"after-{threading.get_ident()}", "", source), sandbox)
        aftermath["breaches"] = breaches_in(sandbox.ran)
    return Report(
        attack=attack,
        status=entry["status"] if entry["status"] != "graded" else str(first["status"]),
        score=first["score"],
        entry=entry,
        breaches=(*breaches_in(ran), *house.read_in(said(ran), repr(entry))),
        caught=tuple(house.caught()),
        aftermath=aftermath,
        seconds=entry["seconds"],
        work=work,
    )


def let_loose(
    chosen: Sequence[Attack],
    house: TrapHouse,
    open_box: Callable[[str], Any],
    folder: Path,
    lanes: int = 2,
    *,
    after: bool = True,
) -> dict[str, Report]:
    """Run attacks in a few lanes, each with a sandbox of one slot, so that what one leaves behind meets the next.

    The attacks on torch share one lane: their slots take a second to start.
    """
    folder.mkdir(exist_ok=True)
    for slug in {attack.slug for attack in chosen}:
        oracle_of(slug)
    waiting: queue.SimpleQueue[Attack] = queue.SimpleQueue()
    for attack in chosen:
        if attack.slug != TORCH:
            waiting.put(attack)
    on_torch = [attack for attack in chosen if attack.slug == TORCH]

    def next_ones() -> Iterator[Attack]:
        with contextlib.suppress(queue.Empty):
            while True:
                yield waiting.get_nowait()

    def lane(number: int) -> list[Report]:
        reports: list[Report] = []
        plans: list[tuple[str, Iterable[Attack]]] = [(NUMPY, next_ones())]
        if number == 0 and on_torch:
            plans.insert(0, (TORCH, on_torch))
        for slug, mine in plans:
            with open_box(slug) as opened:
                sandbox = Recording(opened)
                reports += [attacked(attack, house, sandbox, folder, after=after) for attack in mine]
        return reports

    with ThreadPoolExecutor(lanes) as pool:
        return {str(report.attack): report for found in pool.map(lane, range(lanes)) for report in found}


def leftovers(house: TrapHouse) -> tuple[object, ...]:
    """Count what this process and the grader in it hold: descriptors, children, temporary files."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    pids = children.read_text().split() if children.exists() else []
    return len(os.listdir("/dev/fd")), len(set(pids)), sorted(path.name for path in house.temp.iterdir())
