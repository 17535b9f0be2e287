"""What a preloader imports before it forks: all that a job is going to need, and no more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.course.spec import Limits
from autograder.sandbox.job import Job, Request, Source
from autograder.sandbox.pool import WarmSandbox
from autograder.sandbox.process import COLD
from autograder.sandbox.slot import Profile

LIMITS = Limits(case_seconds=20.0, import_seconds=20.0, memory_mb=1024, output_mb=1)
LOADED = "import sys\n\n\ndef loaded():\n    return 'torch._dynamo' in sys.modules\n"
STEPS = "import torch\n\n\ndef steps():\n    w = torch.ones(1, requires_grad=True)\n    torch.optim.SGD([w], 0.5)\n    return True\n"


@pytest.fixture
def warm() -> Iterator[WarmSandbox]:
    """Return a warm sandbox of one slot, with torch; it locks nothing in, so that any Linux has it."""
    bare = Profile(namespaces=False, landlock=False, seccomp=False, other_uid=False)
    with WarmSandbox(1, bare, COLD, torch=True) as opened:
        yield opened


def job(text: str, function: str, harness: str = "") -> Job:
    """Ask one thing of a submission."""
    asked = Request(function, (), {}, None, function, function, harness=harness)
    return Job(Source.of("sub.py", text), (asked,), LIMITS, torch=True)


def test_torchs_compiler_is_imported_once_for_who_needs_it(warm: WarmSandbox) -> None:
    """An optimizer imports it, which takes a second: it is there before the fork, and from then on in every child."""

    def answer(asked: Job) -> object:
        (outcome,) = warm.run(asked).outcomes
        assert outcome.trouble is None
        return outcome.value

    assert answer(job(LOADED, "loaded")) is False
    assert answer(job(f"{LOADED}\n# torch.optim\n", "loaded")) is True
    assert job(f"{LOADED}\n# with torch.device('meta'):\n", "loaded").uses_compiler
    assert answer(job(STEPS, "steps")) is True
    assert answer(job(LOADED, "loaded")) is True


def test_a_training_names_its_optimizer_in_the_harness() -> None:
    """Not in what the student wrote; without torch nothing of it is imported."""
    asked = job(LOADED, "train", "def train(student):\n    optimizer = torch.optim.Adam([])\n")
    assert asked.uses_compiler
    assert not Job(asked.source, asked.requests, LIMITS).uses_compiler
    assert not job(LOADED, "loaded").uses_compiler
