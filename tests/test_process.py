"""What a sandbox promises, whatever the submission does: an outcome for every call, and nothing left behind.

The same promises are asked of the plain process and of the strongest sandbox this machine has.
"""

from __future__ import annotations

import contextlib
import gc
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from autograder.course.spec import Limits
from autograder.sandbox import pipes
from autograder.sandbox import time_limits as budget
from autograder.sandbox.child.limits import CPU_SECONDS
from autograder.sandbox.child.tree import Opaque, Tensor
from autograder.sandbox.cpu_clock import CpuClock
from autograder.sandbox.endings import WAITING
from autograder.sandbox.events import PART_SIZE
from autograder.sandbox.job import Chunk, Ending, Frame, Job, JobResult, Outcome, Request, Sandbox, Source, Trouble
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.machine import cores
from autograder.sandbox.process import COLD, ProcessSandbox
from autograder.sandbox.retries import MAX_STRIKES

LIMITS = Limits(case_seconds=1.0, import_seconds=2.0, memory_mb=512, output_mb=2, log_kb=4)
DEAD = (Ending.DIED, Ending.TIMEOUT, Ending.OUTPUT)

Run = Callable[..., JobResult]


@pytest.fixture(scope="module", params=["plain", "strongest"])
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Return a sandbox: the plain process, and the strongest there is."""
    with ProcessSandbox() if request.param == "plain" else open_sandbox(1) as opened:
        yield opened


def ask(
    function: str, *args: Any, group: str = "", phase: int = 0, seed: int = 7, keep: bool = False, **kwargs: Any
) -> Request:
    """Make a request; without a group it is a case of its own."""
    return Request(function, args, kwargs, None, group or f"{function}{args}{phase}", function, phase, seed, keep)


@pytest.fixture
def run(box: Sandbox) -> Run:
    """Return a function that runs requests on the text of a file."""

    def of(text: str, *requests: Request, limits: Limits = LIMITS, cells: Sequence[str] = ()) -> JobResult:
        chunks = tuple(Chunk(f"cell {i}", cell) for i, cell in enumerate(cells, 1)) or (Chunk("sub.py", text),)
        result = box.run(Job(Source("sub", chunks, notebook=bool(cells)), requests, limits))
        assert len(result.outcomes) == len(requests)
        return result

    return of


def endings(result: JobResult) -> list[Ending]:
    """Return how each call ended."""
    return [outcome.ending for outcome in result.outcomes]


# Calls that return


def test_nobody_can_tell_more_seconds_than_it_took(run: Run) -> None:
    """Students read them, and a number that a submission makes up could be a hidden input."""
    text = (
        "import itertools, time\ncount = itertools.count(0, 1e5).__next__\ndef f(i):\n    time.perf_counter = count\n"
    )
    started = time.monotonic()
    outcomes = run(text, *(ask("f", i) for i in range(4))).outcomes
    took = time.monotonic() - started
    assert sum(outcome.seconds for outcome in outcomes) <= took
    nan = "import time\ndef f(i):\n    time.perf_counter = lambda: float('nan')\n"
    assert [outcome.seconds for outcome in run(nan, ask("f", 1), ask("f", 2)).outcomes] == [0, 0]


def test_values_come_back_as_data(run: Run) -> None:
    """Arrays, numbers, nesting, and the name of what is not data."""
    text = """
import numpy as np
def f(x, *, scale=1):
    return {"array": x.T * scale, "pair": (1, None), "list": [True, "text"], "other": {1, 2}}
"""
    (outcome,) = run(text, ask("f", np.arange(6.0).reshape(2, 3), scale=2)).outcomes
    assert outcome.ending is Ending.RETURNED
    assert np.array_equal(outcome.value["array"], 2 * np.arange(6.0).reshape(2, 3).T)
    assert outcome.value["pair"] == (1, None)
    assert outcome.value["list"] == [True, "text"]
    assert outcome.value["other"] == Opaque("set")


def test_arguments_come_back_where_that_is_asked_for(run: Run) -> None:
    """A case that watches its arguments sees what was done to them; others are spared the bytes."""
    text = "def f(x, y):\n    x += 1\n    y.append(2)\n"
    kept, dropped = run(text, ask("f", np.zeros(2), [1], keep=True), ask("f", np.zeros(2), [1])).outcomes
    assert kept.args[0].tolist() == [1, 1]
    assert kept.args[1] == [1, 2]
    assert dropped.args == ()


def test_every_call_gets_arguments_of_its_own(run: Run) -> None:
    """What one call does to its arguments is not seen by the next, even if the grader drew them once."""
    x = np.zeros(2)
    result = run(
        "def f(x):\n    x += 1\n    return x", ask("f", x), ask("f", x, phase=1), ask("f", x, phase=1, group="more")
    )
    assert [outcome.value.tolist() for outcome in result.outcomes] == [[1, 1]] * 3
    assert x.tolist() == [0, 0]


def test_outcomes_stand_in_the_order_of_the_requests(run: Run) -> None:
    """Public cases run first, wherever they stand."""
    text = "seen = []\ndef f(i):\n    seen.append(i)\n    return i, list(seen)"
    requests = [ask("f", i, phase=i % 2) for i in range(6)]
    values = [outcome.value for outcome in run(text, *requests).outcomes]
    assert [i for i, _ in values] == list(range(6))
    assert values[5][1] == [0, 2, 4, 1, 3, 5]


def test_many_calls_with_much_text_in_them_run(run: Run) -> None:
    """A phase may hold more plain values than one message takes."""
    words = [f"word{i}" for i in range(400)]
    result = run("def f(words, i):\n    return words[i]", *(ask("f", words, i, phase=1) for i in range(100)))
    assert [outcome.value for outcome in result.outcomes] == words[:100]


def test_classes_and_methods_are_called_by_their_path(run: Run) -> None:
    """A dotted name reaches into a class."""
    text = "class C:\n    @staticmethod\n    def f(x):\n        return x + 1"
    assert run(text, ask("C.f", 1)).outcomes[0].value == 2


def test_tensors_go_in_and_come_out(run: Run) -> None:
    """A submission that uses torch gets tensors; one that does not import it is handed them all the same."""
    text = "def f(x):\n    return x.detach() * 2, type(x).__name__"
    limits = Limits(case_seconds=30.0, import_seconds=30.0, memory_mb=2048)
    (outcome,) = run(text, ask("f", torch.ones(2)), limits=limits).outcomes
    value, name = outcome.value
    assert isinstance(value, Tensor)
    assert value.array.tolist() == [2, 2]
    assert name == "Tensor"


def test_the_random_state_is_the_same_for_every_case(run: Run) -> None:
    """Python's and numpy's generators are seeded anew, whatever ran before."""
    text = (
        "import random\nimport numpy as np\nnp.random.rand(5)\ndef f(i):\n    return random.random(), np.random.rand()"
    )
    values = [o.value for o in run(text, *(ask("f", i) for i in range(3)), ask("f", 3, seed=8)).outcomes]
    assert values[0] == values[1] == values[2] != values[3]
    np_state = np.random.RandomState(7)
    assert values[0] == (random.Random(7).random(), np_state.rand())


def test_numpy_raises_nothing_that_a_file_asked_for_everywhere(run: Run) -> None:
    """`np.seterr` at the top of a file helps its author to find where numbers overflow; right code underflows here and there."""
    text = "import numpy as np\nnp.seterr(all='raise')\n\ndef f(x):\n    return float(np.exp(np.float64(x)))"
    (outcome,) = run(text, ask("f", -1e4)).outcomes
    assert outcome.value == 0.0


# Calls that do not


def test_random_numbers_go_on_through_a_case(run: Run) -> None:
    """Wherever its calls stand in a job, which travels in parts: a case begins its random numbers once."""
    before = [ask("f", i) for i in range(PART_SIZE - 1)]
    case = [ask("f", i, group="one case") for i in range(2)]
    outcomes = run("import random\ndef f(i):\n    return random.random()", *before, *case).outcomes
    numbers = random.Random(7)
    assert [outcome.value for outcome in outcomes[-2:]] == [numbers.random(), numbers.random()]


def test_exceptions_show_only_the_students_frames(run: Run) -> None:
    """Type, text, and the lines in the submission; numpy's and ours are left out."""
    text = "import numpy as np\ndef g(x):\n    return np.linalg.inv(x)\n\ndef f(x):\n    return g(x)"
    (outcome,) = run(text, ask("f", np.zeros((2, 3)))).outcomes
    assert outcome.ending is Ending.RAISED
    assert outcome.trouble is not None
    assert outcome.trouble.type_name == "LinAlgError"
    assert "square" in outcome.trouble.text
    assert outcome.trouble.frames == (Frame("sub.py", 6, "f", "g"), Frame("sub.py", 3, "g", "np.linalg.inv"))


def test_deep_recursion_keeps_its_ends(run: Run) -> None:
    """A thousand frames are cut to the first two and the last ten."""
    (outcome,) = run("def f(x):\n    return f(x)", ask("f", 1)).outcomes
    assert outcome.trouble is not None
    assert outcome.trouble.type_name == "RecursionError"
    assert len(outcome.trouble.frames) == 12


@pytest.mark.parametrize(
    ("body", "type_name"),
    [
        ("raise SystemExit(0)", "SystemExit"),
        ("import sys; sys.exit('PASSED')", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise BaseException", "BaseException"),
        ("raise type('E' * 1000, (Exception,), {'__str__': lambda self: 1 / 0})", "E" * 80),
        ("raise Exception('x' * 10**6)", "Exception"),
        ("return 1 / 0", "ZeroDivisionError"),
        ("exec('def'); return 1", "SyntaxError"),
    ],
)
def test_whatever_is_raised_is_an_exception_of_that_call(run: Run, body: str, type_name: str) -> None:
    """Leaving by an exception, of any kind, costs one call."""
    first, second = run(f"def f():\n    {body}\ndef g():\n    return 1", ask("f"), ask("g")).outcomes
    assert first.ending is Ending.RAISED
    assert first.trouble is not None
    assert first.trouble.type_name == type_name
    assert len(first.trouble.text) <= 500
    assert second.value == 1


def test_what_is_not_there_and_what_is_not_written(run: Run) -> None:
    """A missing function and one that raises NotImplementedError are told apart."""
    text = "def g():\n    raise NotImplementedError('later')\ndef f():\n    return g()"
    absent, unwritten, inside = run(text, ask("h"), ask("g"), ask("f")).outcomes
    assert absent.ending is Ending.ABSENT
    assert unwritten.ending is inside.ending is Ending.UNWRITTEN
    assert inside.trouble is not None
    assert inside.trouble.frames[-1].function == "g"


def test_what_a_library_does_not_implement_is_an_error_of_ones_own(run: Run) -> None:
    """C code raises NotImplementedError too, as torch does for `&` of tensors of floats: nothing is left to write there."""
    text = "def f():\n    return memoryview(b'abcdef').cast('B', (2, 3))[0]"
    (outcome,) = run(text, ask("f")).outcomes
    assert outcome.ending is Ending.RAISED
    assert outcome.trouble is not None
    assert outcome.trouble.type_name == "NotImplementedError"


def test_an_exercise_that_is_no_function_is_an_error_of_its_own(run: Run) -> None:
    """Calling a number raises what it always raises."""
    (outcome,) = run("f = 3", ask("f")).outcomes
    assert outcome.trouble is not None
    assert outcome.trouble.type_name == "TypeError"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def f(:",
        "x = 1\n  y = 2",
        "f = '\\x00'\n\0",
        "# \ud800\nx =",
    ],
    ids=["empty", "syntax", "indent", "nul", "surrogate"],
)
def test_a_file_that_cannot_be_imported(run: Run, text: str) -> None:
    """Every call has that one reason; an empty file imports and holds nothing."""
    result = run(text, ask("f", 1), ask("f", 2, phase=1))
    if text:
        assert result.loading.ending is Ending.RAISED
        assert endings(result) == [Ending.RAISED] * 2
        assert isinstance(result.loading.trouble, Trouble)
    else:
        assert result.loading.ending is Ending.RETURNED
        assert endings(result) == [Ending.ABSENT] * 2


@pytest.mark.parametrize(
    "line", ["1 / 0", "import not_there", "print(f(1))", "raise ValueError", "assert False", "import sys; sys.exit()"]
)
def test_a_statement_that_fails_is_noted_and_the_others_count(run: Run, line: str) -> None:
    """What goes wrong beside the functions costs nothing by itself."""
    result = run(f"{line}\ndef f(x):\n    return x\n", ask("f", 1))
    assert result.loading.ending is Ending.RETURNED
    assert result.outcomes[0].value == 1
    assert [replace(note.frames[0], calls="") for note in result.notes] == [Frame("sub.py", 1, "<module>")]


@pytest.mark.parametrize(
    "failing",
    [
        "seen += [1]; 1 / 0; seen += [2]",
        "seen += [1]; wrong = (\n    1 +\n    1 / 0); seen += [2]",
        "seen += [1]\n@(lambda\n  f: 1 / 0)\ndef g(): pass\nseen += [2]",
        "seen += [1]\nclass C:\n    x = 1 / 0\nseen += [2]",
        "seen += [1]\nfor i in (1, 0):\n    1 / i\nseen += [2]",
        "seen += [1]\nif True: 1 / 0; seen += [7]\nseen += [2]",
        "seen += [1]\n'ä'; 1 / 0; seen += [2]",
        "seen += [1]\n@max\n@min\nclass C: pass\nseen += [2]",
        "seen += [1]\ntry:\n    1 / 0\nfinally:\n    seen += [2]",
    ],
)
def test_every_statement_runs_once_whichever_fails(run: Run, failing: str) -> None:
    """What comes after it is run, what came before it not again, wherever they stand in a line."""
    result = run(
        f"from __future__ import annotations\nseen = []\n{failing}\n1 / 0\ndef f(x: no): return seen\n", ask("f", 0)
    )
    assert result.outcomes[0].value == [1, 2]
    assert len(result.notes) == 2


def test_a_syntax_error_is_shown_where_it_is(run: Run) -> None:
    """The frame is the line in the student's file."""
    loading = run("x = 1\ny = = 2\n", ask("f")).loading
    assert loading.trouble == Trouble("SyntaxError", "invalid syntax", (Frame("sub.py", 2, ""),))


def test_an_unpaired_surrogate_is_no_reason_to_fail(run: Run) -> None:
    """A notebook can hold one in a comment; the rest of the code counts."""
    assert run("# \ud800\ndef f():\n    return 1", ask("f")).outcomes[0].value == 1


# Hangs and deaths


def test_an_endless_loop_costs_its_own_exercise_and_no_other(run: Run) -> None:
    """The rest runs in a fresh child; after some strikes the exercise is given up."""
    text = "def f(i):\n    while True: pass\ndef g(i):\n    return i"
    asked = [ask("g", 0), *(ask("f", i) for i in range(MAX_STRIKES + 2)), ask("g", 1), ask("g", 2, phase=1)]
    result = run(text, *asked, limits=Limits(case_seconds=0.4))
    given_up = [Ending.NOT_RUN] * 2
    assert endings(result) == [
        Ending.RETURNED,
        *[Ending.TIMEOUT] * MAX_STRIKES,
        *given_up,
        Ending.RETURNED,
        Ending.RETURNED,
    ]
    assert [result.outcomes[i].value for i in (0, -2, -1)] == [0, 1, 2]


def test_a_hang_gives_up_the_rest_of_its_case(run: Run) -> None:
    """The calls of one case belong together; the next case runs."""
    text = "def f(i):\n    while i == 1: pass\n    return i"
    asked = [ask("f", i, group="one") for i in range(3)] + [ask("f", 3, group="two")]
    result = run(text, *asked, limits=Limits(case_seconds=0.5))
    first, *others = [ending for ending in endings(result) if ending is not Ending.RETURNED]
    assert first is Ending.TIMEOUT
    assert set(others) <= {Ending.NOT_RUN}
    assert endings(result)[2:] == [Ending.NOT_RUN, Ending.RETURNED]


def test_no_loop_outlives_its_grader_for_long(run: Run) -> None:
    """Whoever would end a child may be killed; so its processor time is bounded as well."""
    text = "import resource\ndef f():\n    return list(resource.getrlimit(resource.RLIMIT_CPU))"
    (outcome,) = run(text, ask("f")).outcomes
    assert outcome.value == [CPU_SECONDS] * 2


@pytest.mark.parametrize(
    "loop",
    [
        "while True: pass",
        "import time; time.sleep(1000)",
        "sum(range(10**12))",
        "import re; re.match('(a+)+$', 'a' * 40 + 'b')",
    ],
)
def test_loops_of_every_kind_end(run: Run, loop: str) -> None:
    """Also those in C that let no signal handler run."""
    result = run(f"def f():\n    {loop}\ndef g():\n    return 1", ask("f"), ask("g"), limits=Limits(case_seconds=0.4))
    assert endings(result) == [Ending.TIMEOUT, Ending.RETURNED]


HANGS_IN_C = "sum(range(10**12))"  # where no signal is answered
FORGED = f"""
import os
def f():
    for descriptor in range(3, 64):
        try:
            os.pwrite(descriptor, b"\\xff" * 8, 8)
        except OSError:
            pass
    {HANGS_IN_C}
"""
HELPER = "def g(x):\n    for _ in range(2000):\n        x = x * 1.0\n    return x\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (
            "def f():\n    x = 1.0\n    while x:\n        x = g(x)\n" + HELPER,
            {4},
        ),  # the helper's own loop ends each time
        ("def f():\n    return h()\ndef h():\n    while True:\n        pass\n", {4, 5}),
        ("import time\ndef f():\n    time.sleep(1000)\n", {3}),
        (f"def f():\n    {HANGS_IN_C}\n", set()),
        (FORGED, set()),
    ],
    ids=["calls", "called", "asleep", "in C", "forged"],
)
def test_where_a_call_stays_is_told(run: Run, code: str, lines: set[int]) -> None:
    """The innermost call that goes on, not what it calls in passing; a place that is none is not told."""
    result = run(code, ask("f"), limits=Limits(case_seconds=1.2))
    trouble = result.outcomes[0].trouble
    assert result.outcomes[0].ending is Ending.TIMEOUT
    assert trouble is not None
    told = {frame.line for frame in trouble.frames}
    assert told <= lines
    assert bool(told) == bool(lines)


def test_where_an_earlier_call_stayed_is_not_told_of_a_later_one(run: Run) -> None:
    """That one hangs where no line is known."""
    slow = f"import time\ndef f():\n    time.sleep(0.7)\ndef g():\n    {HANGS_IN_C}\n"
    result = run(slow, ask("f"), ask("g"), limits=Limits(case_seconds=1.2))
    assert endings(result) == [Ending.RETURNED, Ending.TIMEOUT]
    assert result.outcomes[1].trouble == Trouble("", "")


@contextlib.contextmanager
def busy_machine() -> Iterator[None]:
    """Have three more processes at work on every processor."""
    command = [sys.executable, "-Sc", "print(flush=True)\nwhile True: pass"]
    with contextlib.ExitStack() as ended:
        hogs = [subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) for _ in range(3 * cores())]
        for hog in hogs:
            ended.enter_context(hog)
            ended.callback(hog.kill)
        for hog in hogs:  # it is at work
            assert hog.stdout
            assert hog.stdout.readline()
        yield


def test_other_work_on_the_machine_changes_no_verdict(run: Run) -> None:
    """What gets a quarter of a processor may take four times as long; a loop ends all the same."""
    text = (
        "import time\ndef f(x):\n    end = time.process_time() + x\n    while time.process_time() < end: pass\n"
        "    return time.monotonic()"
    )
    asked = [ask("f", 0.2, group="before"), ask("f", 0.2, group="after"), ask("f", 60, group="loop")]
    with busy_machine():
        result = run(text, *asked, limits=Limits(case_seconds=0.4))
    assert endings(result) == [Ending.RETURNED, Ending.RETURNED, Ending.TIMEOUT]
    before, after = (outcome.value for outcome in result.outcomes[:2])
    assert after - before > 0.4  # which a limit on the wall would not have allowed


class Clock(CpuClock):
    """A child's clock that a test sets."""

    def __init__(self) -> None:
        self.now = self.late = 0.0

    def seconds(self) -> float:
        """The time it computed."""
        return self.now

    def delayed(self) -> float:
        """The time it waited for a processor."""
        return self.late


@pytest.mark.parametrize(
    ("computed", "delayed", "left", "waits"),
    [
        (1.0, 0.0, 1.0, False),
        (2.0, 1.0, 0.0, False),
        (0.5, 2.5, 1.5, False),  # others had the processor
        (0.5, 1.0, 0.5, False),
        (0.0, 0.0, 0.0, True),
        (0.5, 0.0, 0.0, True),
    ],
)
def test_what_is_left_of_two_seconds_after_three(
    monkeypatch: pytest.MonkeyPatch, computed: float, delayed: float, left: float, waits: bool
) -> None:
    """Computing counts, and sleeping; waiting for a processor does not."""
    clock, start = Clock(), 100.0
    monkeypatch.setattr(budget.time, "monotonic", lambda: start)
    stretch = budget.Stretch(clock, 2.0, start + 8.0, 2.0)
    clock.now, clock.late = computed, delayed
    monkeypatch.setattr(budget.time, "monotonic", lambda: start + (3.0 if computed < 1.0 or delayed else 1.0))
    assert (stretch.left, stretch.waits) == (left, waits)


def test_what_waits_for_a_grader_that_is_slow_to_read_is_not_ended(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that fills the pipe holds the child up for as long as nobody reads it, which is no fault of its own."""
    naps = [1.5 * LIMITS.case_seconds] * 2  # what waits is tried twice
    for ends in (pipes.Pipes, pipes.Streams):
        real = ends.receive

        def slow(self: Any, seconds: float, real: Any = real) -> bytes | None:
            data: bytes | None = real(self, seconds)
            if data and len(data) > 1 << 12:
                time.sleep(naps.pop() if naps else 0.0)
            return data

        monkeypatch.setattr(ends, "receive", slow)
    result = run("import numpy as np\ndef f(n):\n    return np.zeros(n)", ask("f", 1 << 17))
    assert endings(result) == [Ending.RETURNED]
    assert len(naps) < 2


def test_what_waits_is_tried_once_more(run: Run) -> None:
    """The machine may have stood still; a second time it is the code, and its exercise is given up, others are not."""
    text = "import time\ndef f(i):\n    time.sleep(60)\ndef g(i):\n    return i"
    started = time.monotonic()
    first, second, other = run(text, ask("f", 1), ask("f", 2), ask("g", 3), limits=Limits(case_seconds=0.3)).outcomes
    assert (first.ending, second.ending, other.ending) == (Ending.TIMEOUT, Ending.NOT_RUN, Ending.RETURNED)
    assert second.trouble == Trouble("", WAITING)
    assert time.monotonic() - started > 0.3 * (1 + budget.SECOND_REST)


def test_a_loop_at_import_ends(run: Run) -> None:
    """It is left out, and what stands around it can be called."""
    text = "def f():\n    return 1\n\nwhile True:\n    pass\n\ndef g():\n    return 2"
    result = run(text, ask("f"), ask("g"), limits=Limits(import_seconds=1.0))
    assert [outcome.value for outcome in result.outcomes] == [1, 2]
    (note,) = result.notes
    (frame,) = note.frames
    assert (note.type_name, frame.line in (4, 5)) == ("TooLongError", True)


def test_loops_at_import_end_together(run: Run) -> None:
    """What else computes there is left out with the first, since each would take as long."""
    text = (
        f"N = 3\n{'while True: pass' + chr(10)}def f():\n    return N\n"
        + "while True: pass\n" * 5
        + "def g():\n    return N + 1"
    )
    result = run(text, ask("f"), ask("g"), limits=Limits(import_seconds=1.0))
    assert [outcome.value for outcome in result.outcomes] == [3, 4]


def test_a_loop_at_import_that_does_not_let_itself_be_ended_is(run: Run) -> None:
    """Nothing of such a file can be called."""
    text = "import itertools\n\ndef f():\n    return 1\n\nall(itertools.repeat(1))"  # between two steps of Python
    result = run(text, ask("f"), ask("f"), limits=Limits(import_seconds=0.5))
    assert result.loading.ending is Ending.TIMEOUT
    assert endings(result) == [Ending.TIMEOUT] * 2


DEATHS = {
    "exit": "import os; os._exit(0)",
    "abort": "import os; os.abort()",
    "segfault": "import ctypes; ctypes.string_at(0)",
    "signal": "import os, signal; signal.raise_signal(signal.SIGTERM)",
}


@pytest.mark.parametrize("how", DEATHS)
def test_a_death_costs_its_own_case(run: Run, how: str) -> None:
    """The process may end as it likes; the next case runs in another."""
    text = f"def f():\n    {DEATHS[how]}\ndef g():\n    return 1"
    first, second = run(text, ask("f"), ask("g")).outcomes
    assert first.ending is Ending.DIED or (first.trouble and first.trouble.type_name == "PermissionError")
    assert first.trouble is not None
    assert first.trouble.text
    assert second.value == 1


@pytest.mark.parametrize("how", DEATHS)
def test_a_death_at_import(run: Run, how: str) -> None:
    """The file as a whole is at fault."""
    result = run(DEATHS[how], ask("f"))
    assert endings(result) == [Ending.DIED] or result.notes[0].type_name == "PermissionError"  # a jail may refuse


# Memory and output


@pytest.mark.parametrize("how", ["np.ones(3 << 27)", "bytearray(3 << 30)", "[0] * (3 << 28)"])
def test_three_gigabytes_are_too_much(run: Run, how: str) -> None:
    """What asks for more than the budget is told so, and the rest goes on."""
    first, second = run(
        f"import numpy as np\ndef f():\n    return {how}\ndef g():\n    return 1", ask("f"), ask("g")
    ).outcomes
    assert first.ending is Ending.MEMORY
    assert second.value == 1


@pytest.mark.parametrize(
    "what",
    [
        "np.ones(1 << 20)",
        "np.zeros(3 << 24)",
        "np.broadcast_to(1.0, (1 << 20, 1 << 20))",
        "'x' * (3 << 20)",
        "list(range(20_000))",
        "[f() for f in [list]] * 20_000",
        "loop",
    ],
)
def test_too_much_output_is_told_so(run: Run, what: str) -> None:
    """Large arrays, long text, many values, a cycle: the call returned, but not data of a size to read."""
    text = f"import numpy as np\nloop = []\nloop.append(loop)\ndef f():\n    return {what}\ndef g():\n    return 1"
    first, second = run(text, ask("f"), ask("g")).outcomes
    assert first.ending is Ending.OUTPUT
    assert first.trouble is not None
    assert first.trouble.text
    assert second.value == 1


def test_one_large_output_takes_none_of_its_neighbours_along(run: Run) -> None:
    """Outcomes that travel together are sent one by one where they do not fit together."""
    text = "import numpy as np\ndef f(n):\n    return np.zeros(n)"
    sizes = [10, 200_000, 1 << 20, 200_000, 20]
    result = run(text, *(ask("f", n, phase=1) for n in sizes))
    assert [o.value.size if o.ending is Ending.RETURNED else o.ending for o in result.outcomes] == [
        10, 200_000, Ending.OUTPUT, 200_000, 20,
    ]  # fmt: skip


# What is printed


def test_what_public_cases_print_is_told_apart(run: Run) -> None:
    """Each outcome holds what was printed in its own case, at import what the import printed."""
    text = "import sys\nprint('import')\ndef f(i):\n    print('out', i, flush=True)\n    sys.stderr.write(f'err {i}')\n    return i"
    result = run(text, *(ask("f", i) for i in range(30)))
    assert result.loading.printed == "import\n"
    assert [o.printed for o in result.outcomes] == [f"out {i}\nerr {i}" for i in range(30)]


def test_what_hidden_cases_print_never_stands_at_a_public_one(run: Run) -> None:
    """A print left in the code must not show a student hidden inputs."""
    text = "import sys\ndef f(secret):\n    sys.stderr.write(secret)\n    print(secret, flush=True)\n"
    asked = [ask("f", f"public{i}") for i in range(5)] + [ask("f", f"hidden{i}", phase=1) for i in range(5)]
    result = run(text, *asked)
    assert "hidden" not in "".join(o.printed for o in result.outcomes[:5]) + result.loading.printed


def test_who_brings_torch_has_all_of_the_memory() -> None:
    """Neither torch itself counts, nor what it has given back: this loop held 400 MB in one process and 50 in another."""
    text = """
import torch
def f():
    rows = torch.ones(7168, 2)
    for _ in range(60):
        scores = (rows @ torch.ones(2, 128) / 2 - torch.ones(7168, 1)).exp()
        rows = rows + scores * (scores - 1) @ torch.ones(128, 2)
    return len(rows)
"""
    limits = Limits(case_seconds=20, import_seconds=20, memory_mb=96)
    with open_sandbox(1) as box:
        ran = box.run(Job(Source("sub", (Chunk("sub.py", text),)), (ask("f"),) * 3, limits))
    assert [outcome.value for outcome in ran.outcomes] == [7168] * 3


def test_hidden_inputs_are_not_there_while_public_cases_run(run: Run) -> None:
    """Whoever looks through the whole process in a public case finds no hidden input."""
    text = """
import gc
def f(x):
    known = [o for o in gc.get_objects() if isinstance(o, (list, tuple))]
    return sum(type(part) is float and part == 1000.5 + 0.25 * len(x) for o in known for part in o)
"""
    public, hidden = run(text, ask("f", "xx"), ask("f", "xx", 1001.0, phase=1), limits=Limits(case_seconds=20)).outcomes
    assert public.value == 0
    assert hidden.ending is Ending.RAISED  # one argument too many: what matters is that it was drawn


def test_a_flood_of_prints_is_cut_and_fills_nothing(run: Run) -> None:
    """What is over the limit is thrown away while it runs, and other calls are not touched."""
    text = "def f():\n    for i in range(20_000):\n        print('x' * 50)\n    return 1\ndef g():\n    return 2"
    first, second = run(text, ask("f"), ask("g"), limits=Limits(case_seconds=10, log_kb=4)).outcomes
    assert (first.value, second.value) == (1, 2)
    assert 0 < len(first.printed) <= 4 << 10
    assert second.printed == ""


def test_prints_need_not_be_text(run: Run) -> None:
    """Bytes that are no UTF-8 are replaced, accents and emoji come through."""
    text = "import os\ndef f():\n    print('é✓')\n    os.write(1, bytes([255, 10]))"
    assert "é✓" in run(text, ask("f")).outcomes[0].printed


@pytest.mark.parametrize(
    "closing",
    [
        "sys.stdout.close()",
        "sys.stdout = None",
        "sys.stderr = sys.stdout = io.StringIO()",
        "os.close(1); os.close(2)",
        "del sys.stdout",
    ],
)
def test_closed_or_replaced_streams_cost_nothing(run: Run, closing: str) -> None:
    """A submission may do with its own output what it likes."""
    text = f"import io, os, sys\ndef f():\n    {closing}\n    return 1\ndef g():\n    return 2"
    assert [outcome.value for outcome in run(text, ask("f"), ask("g")).outcomes] == [1, 2]


# Attacks on the channel

ATTACKS = {
    "garbage": "write(os.urandom(1000))",
    "zeros": "write(bytes(4096))",
    "huge_size": "write(struct.pack('<Q', 1 << 62))",
    "large_size": "write(struct.pack('<Q', 3 << 20) + bytes(100))",
    "marks": "[mark(number) for number in range(100_000)]",
    "far_mark": "mark((1 << 64) - 1)",
    "mark_back": "mark(0); time.sleep(60)",
    "mark_size": "refused(os.ftruncate, 1 << 20); refused(os.ftruncate, 0); refused(os.pwrite, b'x', 8)",
    "empty_tree": "write(message({}))",
    "no_dict": "write(message([1, 2]))",
    "ready_again": "write(message({'event': 'ready'}))",
    "loaded_again": "write(message({'event': 'loaded', 'trouble': None, 'notes': []}))",
    "outcomes_array": "write(message({'event': 'outcomes', 'sizes': np.zeros(3), 'seconds': [0.0] * 3}) + bytes(8))",
    "outcomes_rows": "write(message({'event': 'outcomes', 'sizes': np.zeros((2**40, 0)), 'seconds': []}) + bytes(8))",
    "outcomes_text": "write(message({'event': 'outcomes', 'sizes': 'text', 'seconds': 'text'}) + bytes(8))",
    "outcomes_alone": "write(message({'event': 'outcomes', 'sizes': [9], 'seconds': [0.0]}))",
    "outcome_array": "write(outcomes(np.zeros(3)))",
    "outcome_garbage": "write(outcomes({'ending': 'returned'}, sizes=[3, 4]))",
    "sizes_below_zero": "write(outcomes({'ending': 'returned'}, {'ending': 'returned'}, sizes=[500, -382]))",
    "sizes_too_large": "write(outcomes({'ending': 'returned'}, sizes=[1 << 62]))",
    "sizes_of_text": "write(outcomes({'ending': 'returned'}, sizes=['59']))",
    "no_outcomes": "[write(outcomes()) for _ in range(1000)]",
    "too_many": "write(outcomes(*[{'ending': 'returned'}] * 50))",
    "own_fault": "write(outcomes({'ending': 'fault'}))",
    "unknown_ending": "write(outcomes({'ending': [1]}))",
    "trouble_array": "write(outcomes({'ending': 'raised', 'trouble': np.ones(1)}))",
    "trouble_line": "write(outcomes({'ending': 'raised', 'trouble': "
    "{'type': 'E', 'text': '', 'frames': [['sub.py', float('inf'), 'f']]}}))",
    "args_array": "write(outcomes({'ending': 'returned', 'args': np.zeros((2**40, 0))}))",
    "nan_seconds": "write(outcomes({'ending': 'returned'}, seconds=float('nan')))",
    "seconds_of_text": "write(outcomes({'ending': 'returned'}, seconds='x'))",
    "close_all": "os.closerange(0, 256)",
    "close_all_and_wait": "os.closerange(0, 256); time.sleep(60)",
    "close_and_linger": "os.closerange(3, 256); exec('while True: pass')",
}
# A forged outcome takes the place of a true one, which then takes the next one's; a size counts as if it had come.
OWN_LOSS = ("nan_seconds", "garbage", "huge_size")
ATTACK = """
import os, struct, time
import numpy as np
from autograder.sandbox.child.wire_format import encode

def message(tree):
    data = encode(tree)
    return struct.pack("<Q", len(data)) + data

def outcomes(*trees, sizes=None, seconds=0.0):
    blobs = [encode(tree) for tree in trees]
    told = {"event": "outcomes", "sizes": sizes or [len(blob) for blob in blobs], "seconds": [seconds] * len(blobs)}
    return message(told) + struct.pack("<Q", sum(map(len, blobs))) + b"".join(blobs)

def write(data):
    for fd in range(3, 64):
        try:
            os.write(fd, data)
        except OSError:
            pass

def mark(number):
    refused(os.pwrite, struct.pack("<Q", number), 0)

def refused(call, *arguments):
    for fd in range(3, 64):
        try:
            call(fd, *arguments)
        except OSError:
            pass

def f():
    {attack}
    return "after"

def g():
    return "honest"
"""


CLOSING = ("close_all", "close_all_and_wait", "close_and_linger")


@pytest.mark.parametrize(
    ("box", "attack"), [("strongest", a) for a in ATTACKS] + [("plain", a) for a in CLOSING], indirect=["box"]
)
def test_nothing_written_to_the_channel_harms_the_grader(run: Run, attack: str) -> None:
    """Whatever goes to whatever descriptor, every call has an outcome, and other exercises keep theirs."""
    result = run(
        ATTACK.replace("{attack}", ATTACKS[attack]),
        ask("f"),
        ask("g", phase=1),
        limits=Limits(case_seconds=0.5, output_mb=2),
    )
    first, second = result.outcomes
    assert first.ending in (*DEAD, Ending.RETURNED, Ending.RAISED)
    assert first.ending is not Ending.FAULT
    assert 0 <= first.seconds < 100
    if attack not in OWN_LOSS:
        assert (second.ending, second.value) == (Ending.RETURNED, "honest")


def test_the_file_in_which_a_child_marks_its_place_keeps_its_size() -> None:
    """Nobody can make it longer, which would be memory that no limit sees, or shorter."""
    text = """
import os, stat
def f():
    found = []
    for fd in range(3, 64):
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                continue
            os.pwrite(fd, bytes(8), 0)
        except OSError:
            continue
        for call in (lambda: os.ftruncate(fd, 1 << 20), lambda: os.ftruncate(fd, 0), lambda: os.pwrite(fd, b"x", 16)):
            try:
                call()
            except OSError:
                found.append(os.fstat(fd).st_size)
    return found
"""
    with open_sandbox(1) as box:
        warm = box.isolation.level != COLD.level
        (outcome,) = box.run(Job(Source("sub", (Chunk("sub.py", text),)), (ask("f"),), LIMITS)).outcomes
    assert not warm or outcome.value == [16, 16, 16]


def test_answers_told_one_by_one_buy_no_time(run: Run) -> None:
    """Nor do marks in the middle of a case: all its calls together have at most the time of two cases."""
    text = """
import sys, time
from autograder.sandbox.child.wire_format import encode
def f(i):
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    channel, end = frame.f_locals["channel"], time.process_time() + 0.3
    while time.process_time() < end:
        pass
    channel.mark(i + 1)
    channel.send_outcomes([(encode({"ending": "returned", "value": i}), 0.0)])
"""
    asked = [ask("f", i, group="one") for i in range(8)]  # 2.4 seconds
    result = run(text, *asked, limits=Limits(case_seconds=0.5))
    assert Ending.TIMEOUT in endings(result)
    assert result.outcomes[1].value == 1  # before its time was over it was believed


def test_a_hang_is_charged_to_the_case_that_hangs(run: Run) -> None:
    """Also where those before it were so quick that their answers are still to come, and those after it count."""
    asked = [ask("f", i) for i in range(30)]
    result = run("def f(i):\n    while i == 17: pass\n    return i", *asked, limits=Limits(case_seconds=0.4))
    assert endings(result) == [Ending.TIMEOUT if i == 17 else Ending.RETURNED for i in range(30)]
    assert result.outcomes[17].seconds < 2  # of CPU time, or of the wall's where the machine is busy


def test_forged_outcomes_are_only_what_the_code_could_have_returned(run: Run) -> None:
    """A forged outcome takes the place of the call's own; it cannot be an ending that only the grader gives."""
    for ending in Ending:
        attack = f"write(outcomes({{'ending': '{ending}'}}))"
        first, _ = run(ATTACK.replace("{attack}", attack), ask("f"), ask("g", phase=1)).outcomes
        if ending in (Ending.TIMEOUT, Ending.NOT_RUN, Ending.FAULT, Ending.DIED):
            assert first.ending is Ending.DIED
        else:
            assert first.ending is ending


def test_objects_that_lie_are_seen_through(run: Run) -> None:
    """Subclasses cannot override how they are read, and those that break the reading break their own process."""
    text = """
import numpy as np
class Equal(float):
    def __eq__(self, other): return True
class Array(np.ndarray):
    def __eq__(self, other): return True
class Hostile(type):
    @property
    def __name__(cls): raise SystemExit
class Thing(metaclass=Hostile): pass
def f(i):
    return [Equal(2.5), np.ones(2).view(Array), Thing()][i]
def g():
    return 1
"""
    number, array, thing, honest = run(text, *(ask("f", i) for i in range(3)), ask("g")).outcomes
    assert type(number.value) is float
    assert type(array.value) is np.ndarray
    assert thing.ending in (Ending.DIED, Ending.OUTPUT, Ending.RETURNED)
    assert honest.value == 1


# Notebooks


def test_of_a_notebook_definitions_run_and_experiments_do_not(run: Run) -> None:
    """Imports, functions, classes and constants count; calls to one's own functions, loops and prints are left out."""
    cells = [
        "import numpy as np\nfrom math import sqrt\nNEG = float('-inf')\nTABLE = np.arange(3)\nLIMIT: int = 3",
        "def f(x):\n    return helper(x) + TABLE.sum() + LIMIT",
        "out = f(3)\nprint(out)\nfor i in range(10**9): pass\nassert False\nf(1)",
        "class Helper:\n    size = 1\n\ndef helper(x):\n    return x * Helper.size",
        "while True: pass",
    ]
    result = run("", ask("f", 1), ask("out"), cells=cells)
    assert result.loading.ending is Ending.RETURNED
    assert result.loading.printed == ""
    assert result.outcomes[0].value == 7
    assert result.outcomes[1].ending is Ending.ABSENT
    assert result.notes == ()


def test_a_cell_that_fails_is_noted_and_the_others_count(run: Run) -> None:
    """A half-finished cell costs what is in it."""
    cells = ["def f(:", "import not_there\ndef g():\n    return 1", "def h():\n    return 2", "\0"]
    result = run("", ask("f"), ask("g"), ask("h"), cells=cells)
    assert endings(result) == [Ending.ABSENT, Ending.RETURNED, Ending.RETURNED]
    assert [note.type_name for note in result.notes][:2] == ["SyntaxError", "ModuleNotFoundError"]
    assert [note.frames[0].label for note in result.notes[:2]] == ["cell 1", "cell 2"]
    assert len(result.notes) == 3


def test_the_last_definition_counts(run: Run) -> None:
    """As in the notebook itself, a later cell replaces an earlier one."""
    cells = ["def f():\n    return 1", "def f():\n    return 2"]
    assert run("", ask("f"), cells=cells).outcomes[0].value == 2


def test_an_exit_ends_nothing_but_its_own_statement(run: Run) -> None:
    """In a definition as well, whose function is missing then; what comes after it counts."""
    result = run("", ask("f"), ask("g"), cells=["def f(x=exit()): pass", "def g():\n    return 2"])
    assert endings(result) == [Ending.ABSENT, Ending.RETURNED]
    assert [note.type_name for note in result.notes] == ["SystemExit"]


# What student code can reach


@pytest.mark.parametrize("module", ["solutions", "tests", "assignments", "solutions.t1_means.means", "conftest"])
def test_course_and_tests_cannot_be_imported(run: Run, module: str) -> None:
    """The grader's own folder is not on the path, nor is the folder it was started in."""
    (outcome,) = run(f"def f():\n    import {module}", ask("f")).outcomes
    assert outcome.trouble is not None
    assert outcome.trouble.type_name == "ModuleNotFoundError"


def test_the_surroundings_are_plain(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """No arguments, no environment of the grader's, an empty folder to write to, nothing to read from stdin."""
    text = """
import os, sys
def f():
    with open("mine.txt", "w") as file:
        file.write("text")
    names = sorted(os.environ)
    return sys.argv, os.listdir("."), names, sys.stdin.read() if sys.stdin else "", __name__
"""
    monkeypatch.setenv("GRADERS_OWN", "not theirs")
    argv, files, names, stdin, name = run(text, ask("f")).outcomes[0].value
    assert (argv, files, stdin, name) == ([""], ["mine.txt"], "", "sub")
    assert "GRADERS_OWN" not in names


def test_one_submission_leaves_nothing_for_the_next(run: Run) -> None:
    """Files, modules and changes to libraries end with the child."""
    text = "import numpy as np\nnp.left = 1\nopen('left.txt', 'w').close()\ndef f():\n    return 1"
    run(text, ask("f"))
    look = "import os\nimport numpy as np\ndef f():\n    return os.path.exists('left.txt'), hasattr(np, 'left')"
    assert run(look, ask("f")).outcomes[0].value == (False, False)


# Nothing is left behind


def open_descriptors() -> set[str]:
    """Return what this process has open."""
    held = set()
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            held.add(f"{entry.name} {entry.readlink()}")
    return held


def children() -> set[str]:
    """Return the processes that descend from this one."""
    found: set[str] = set()
    front = [str(os.getpid())]
    while front:
        pid = front.pop()
        try:
            below = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        found.update(below)
        front += below
    return found


MESSES = [
    "while True: pass",
    "import os; os._exit(1)",
    "import os; os.closerange(3, 256)",
    "import subprocess; subprocess.Popen(['sleep', '100'])",
    "import os; os.fork() or __import__('time').sleep(100)",
    "import os\n    for _ in range(1500): os.mkdir('d'); os.chdir('d')",
    "import os; os.mkdir('locked'); open('locked/file', 'w').close(); os.chmod('locked', 0)",
    "print('x' * 10**7); return b'x' * 10**8",
]


@pytest.mark.parametrize("mess", MESSES, ids=["loop", "exit", "close", "process", "fork", "deep", "locked", "flood"])
def test_no_process_descriptor_or_folder_is_left(
    box: Sandbox, run: Run, mess: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a submission starts, opens or makes is gone when the job is done."""
    limits = Limits(case_seconds=0.5)
    run("def f():\n    pass", ask("f"))  # a sandbox may keep what it prepared once
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = open_descriptors(), children()
    run(f"def f():\n    {mess}\n", ask("f"), limits=limits)
    run("def f():\n    pass", ask("f"))  # and may have to prepare it again
    after = open_descriptors(), children()
    assert len(after[0]) == len(before[0])
    assert len(after[1]) == len(before[1])
    assert len(list(tmp_path.iterdir())) <= (0 if box.isolation.level == "C" else 1)


def test_a_sandbox_that_cannot_start_a_child_says_so(box: Sandbox) -> None:
    """Where the limits leave no room even to say so, the fault is the grader's, after some tries."""
    job = Job(Source("sub", (Chunk("sub.py", "def f(): return 1"),)), (ask("f"),), Limits(output_mb=0))
    result = box.run(job)
    assert result.loading.ending is Ending.FAULT
    assert endings(result) == [Ending.FAULT]


def test_a_job_without_requests_is_done(box: Sandbox) -> None:
    """Nothing to call is no reason to start anything."""
    result = box.run(Job(Source("sub", (Chunk("sub.py", "1 / 0"),)), (), LIMITS))
    assert result.outcomes == ()
    assert isinstance(result.loading, Outcome)


def test_the_level_is_told(box: Sandbox) -> None:
    """Every sandbox says what it holds and what it leaves open."""
    assert box.isolation.level in ("A", "A-", "B", "B-", "C")
    assert "rlimits" in box.isolation.mechanisms
    assert (box.isolation.level == "A") == (not box.isolation.residual_risks)


# Pipes that a child reopens

REOPENED = """
import contextlib, fcntl, os, select, stat, threading, time

def late(descriptor, size, read=os.read):
    time.sleep(0.1)  # else it would go on before there is something to go on with
    return read(descriptor, size)

def again(mode):
    for descriptor in range(64):
        with contextlib.suppress(OSError):
            held = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
            if held != mode and stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                yield os.open(f"/proc/self/fd/{descriptor}", mode | os.O_NONBLOCK)

def fill():
    for descriptor in again(os.O_WRONLY):
        with contextlib.suppress(OSError):
            while True:
                os.write(descriptor, b"g" * 4096)

def steal():
    pipes = list(again(os.O_RDONLY))
    while True:
        for descriptor in select.select(pipes, [], [])[0]:
            with contextlib.suppress(OSError):
                os.read(descriptor, 1 << 16)
"""


def test_a_child_that_fills_what_it_should_only_read_stops_nobody(run: Run) -> None:
    """The word to go on comes through a pipe that the child can open for writing, too, by its name in /proc."""
    text = f"{REOPENED}\nfill()\nos.read = late\n\ndef f(i):\n    print(i)\n    fill()\n    return i"
    result = run(text, *(ask("f", i) for i in range(4)), *(ask("f", i, phase=1) for i in range(4)))
    assert [outcome.value for outcome in result.outcomes] == [0, 1, 2, 3] * 2


def test_a_child_that_reads_its_own_results_back_ends(run: Run) -> None:
    """It may take them between our seeing that something is there and our reading it."""
    text = f"{REOPENED}\nthreading.Thread(target=steal, daemon=True).start()\n\ndef f(i):\n    print(i)\n    return i"
    for _ in range(3):
        result = run(text, *(ask("f", i) for i in range(3)))
        # On a machine so busy that an empty submission comes to no end either, it is nobody's fault.
        assert {*endings(result)} <= {Ending.RETURNED, Ending.NOT_RUN, Ending.FAULT, *DEAD}


def test_what_a_child_leaves_running_holds_no_pipe_against_us(box: Sandbox) -> None:
    """A process that it starts in a session of its own may print for ever, where nothing forbids it to start one."""
    text = """
import os, subprocess, sys
def f(x):
    try:
        subprocess.Popen([sys.executable, "-c", "import os, time\\nend = time.time() + 2\\nwhile time.time() < end: os.write(2, b'z' * 60000)"],
                         start_new_session=True)
    except OSError:
        pass
    return x
"""
    threads, result = threading.active_count(), []
    worker = threading.Thread(
        target=lambda: result.append(box.run(Job(Source("sub", (Chunk("sub.py", text),)), (ask("f", 1),), LIMITS)))
    )
    worker.start()
    worker.join(20)
    assert [outcome.value for each in result for outcome in each.outcomes] == [1]
    until = time.monotonic() + 20
    while threading.active_count() > threads and time.monotonic() < until:
        time.sleep(0.05)
    assert threading.active_count() == threads


# What one submission can cost the grader

FLOOD = (Path(__file__).parent / "hostile/OUTPUT/exhaust_progress.py").read_text(encoding="utf-8")
GENEROUS = Limits(case_seconds=60.0, import_seconds=5.0, memory_mb=512, output_mb=200)


def test_who_keeps_the_grader_busy_is_stopped(run: Run) -> None:
    """Reading what a child sends takes our own time, and of that a submission has little, whatever its limits are."""
    before = time.thread_time()
    result = run(FLOOD, ask("total", 1), ask("total", 1, group="more"), limits=GENEROUS)
    assert endings(result) == [Ending.OUTPUT, Ending.NOT_RUN]
    assert time.thread_time() - before < 2 * budget.MOST_WORK


def test_who_is_asked_much_may_have_much_read(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recurrence answers a thousand questions, each read by itself: on a slow machine as on a fast one."""
    answers, clock = 1000, iter(range(1_000_000))
    monkeypatch.setattr(budget, "own_seconds", lambda: next(clock) * 2e-4)
    source, left = Source("sub", (Chunk("sub.py", "def f(x):\n    return x"),)), answers

    def more(_: tuple[Outcome, ...]) -> tuple[Request, ...]:
        nonlocal left
        left -= 1
        return (ask("f", left, group=str(left)),) if left else ()

    ran = budget.Rationed(box, 60.0).run(Job(source, (ask("f", answers),), LIMITS, more=more))
    assert [outcome.value for outcome in ran.outcomes] == list(range(answers, 0, -1))


def test_whoever_meets_a_collection_of_garbage_pays_nothing_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the longer, the more the grader holds, and comes to whom it will."""
    for bound in ("MOST_WORK", "ALL_WORK"):  # a fifth, so that all those collections need not take seconds
        monkeypatch.setattr(budget, bound, getattr(budget, bound) / 5)

    class Box:
        isolation = COLD

        def run(self, job: Job) -> JobResult:
            gc.collect()
            return JobResult((Outcome(Ending.RETURNED),) * len(job.requests), Outcome(Ending.RETURNED))

        def close(self) -> None:
            pass

    def hold_much(phase: str, info: dict[str, int]) -> None:
        whole = phase == "start" and info["generation"] == 2  # small ones come hundreds of times
        until = time.thread_time() + 0.3 * budget.MOST_WORK * whole
        while time.thread_time() < until:
            pass

    reading, all_jobs = budget.Budget(LIMITS), budget.Rationed(Box(), 60.0)
    job = Job(Source("sub", ()), (ask("f", 1),), LIMITS)
    gc.callbacks.append(hold_much)
    try:
        for _ in range(4):
            with reading.work():
                gc.collect()
        endings = {all_jobs.run(job).outcomes[0].ending for _ in range(20)}
    finally:
        gc.callbacks.remove(hold_much)
    assert reading.spent == ""
    assert endings == {Ending.RETURNED}


def test_one_limit_holds_for_all_jobs_of_a_submission(box: Sandbox) -> None:
    """Importing counts, and a second job has what the first has left."""
    limits = Limits(case_seconds=2.0, total_seconds=2.0, import_seconds=4.0, memory_mb=512)
    source = Source("sub", (Chunk("sub.py", "import time\ndef f(x):\n    time.sleep(x)\n    return x"),))
    rationed = budget.Rationed(box, 6.0)
    ended = [
        endings(rationed.run(Job(source, (ask("f", x, group=group),), limits)))
        for group, x in (("quick", 0.0), ("slow", 60.0), ("another", 60.0), ("last", 0.0))
    ]
    assert ended == [[Ending.RETURNED], [Ending.TIMEOUT], [Ending.NOT_RUN], [Ending.NOT_RUN]]


def test_importing_again_and_again_is_within_the_limit(run: Run) -> None:
    """Every crash brings a fresh child, which imports the submission anew."""
    limits = Limits(case_seconds=1.0, total_seconds=1.0, import_seconds=2.0, memory_mb=512)
    text = "import os, time\ntime.sleep(1.0)\ndef f(i):\n    os._exit(1)"
    names = [f"f{i}" for i in range(12)]
    text += "".join(f"\n{name} = f" for name in names)
    found = endings(run(text, *(ask(name, 0) for name in names), limits=limits))
    assert found[0] is Ending.DIED
    assert found[-1] is Ending.NOT_RUN
    assert found.count(Ending.DIED) < 6
