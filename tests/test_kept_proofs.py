"""Slow proofs are left out only where they passed and nothing that they read has changed."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import kept_proofs
import pytest
from kept_proofs import KeptProofs, digest_of

FILES = {
    "autograder/judge/grade.py": "1",
    "assignments/a1_rnn/cases.py": "1",
    "assignments/a2_bptt/cases.py": "1",
    "solutions/a1_rnn/rnn.py": "1",
    "tests/outside/a1_rnn/wrong.toml": "1",
    "docs/speed.md": "1",
    "pyproject.toml": "1",
}


@pytest.mark.parametrize("path", [path for path in FILES if "a2" not in path and "docs" not in path])
def test_a_proof_depends_on_the_engine_and_its_assignment(path: str) -> None:
    """Each of these files may change what it says."""
    assert digest_of({**FILES, path: "2"}, "a1_rnn") != digest_of(FILES, "a1_rnn")


@pytest.mark.parametrize("path", ["assignments/a2_bptt/cases.py", "docs/speed.md"])
def test_a_proof_does_not_depend_on_other_assignments(path: str) -> None:
    """Nor on what no proof reads."""
    assert digest_of({**FILES, path: "2"}, "a1_rnn") == digest_of(FILES, "a1_rnn")


def test_a_proof_of_the_whole_course_depends_on_every_assignment() -> None:
    """Such as the one that one submission of each is graded fairly."""
    assert digest_of({**FILES, "assignments/a2_bptt/cases.py": "2"}, "") != digest_of(FILES, "")


class Cache(dict[str, Any]):
    """Stands in for pytest's cache."""

    def set(self, key: str, value: Any) -> None:
        """Keep a value."""
        self[key] = value


class Run:
    """One run of pytest over tests of these names, slow ones, with a cache that it shares with others."""

    def __init__(self, cache: Cache, *, prove_all: bool = False) -> None:
        self.config = SimpleNamespace(cache=cache, getoption=lambda _: prove_all)
        self.plugin = KeptProofs(cast("pytest.Config", self.config))

    def of(self, outcomes: dict[str, bool]) -> list[str]:
        """Run tests with known outcomes and return those that were run."""
        items = [SimpleNamespace(nodeid=name, keywords={"slow"}, user_properties=[]) for name in outcomes]
        self.plugin.pytest_collection_modifyitems(cast("list[pytest.Item]", items))
        for item in items:
            passed = outcomes[item.nodeid]
            report = SimpleNamespace(user_properties=item.user_properties, when="call", passed=passed)
            self.plugin.pytest_runtest_logreport(cast("pytest.TestReport", report))
        self.plugin.pytest_sessionfinish(cast("pytest.Session", SimpleNamespace(config=self.config)))
        return [item.nodeid for item in items]


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the files of the repository, to be changed."""
    found = dict(FILES)
    monkeypatch.setattr(kept_proofs, "_files", lambda: found)
    monkeypatch.delenv("CI", raising=False)
    return found


def test_what_passed_is_left_out_until_something_changes(files: dict[str, str]) -> None:
    """What failed runs again each time."""
    cache, outcomes = Cache(), {"one": True, "two": False}
    assert Run(cache).of(outcomes) == ["one", "two"]
    assert Run(cache).of(outcomes) == ["two"]
    files["autograder/judge/grade.py"] = "2"
    assert Run(cache).of({"one": False, "two": True}) == ["one", "two"]
    assert Run(cache).of(outcomes) == ["one"]


def test_ci_proves_everything(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """And so does --prove-all; neither forgets what holds."""
    cache = Cache()
    assert Run(cache).of({"one": True}) == ["one"]
    assert Run(cache, prove_all=True).of({"one": True}) == ["one"]
    monkeypatch.setenv("CI", "true")
    assert Run(cache).of({"one": True}) == ["one"]
    monkeypatch.delenv("CI")
    assert Run(cache).of({"one": True}) == []
    assert files == FILES


def test_the_tests_of_a_file_share_a_worker(request: pytest.FixtureRequest) -> None:
    """Else each worker would make all that they share again, and nothing would fail: pytest-xdist says the group in a test's id."""
    told = request.node.nodeid.partition("@")[2]
    assert told == (Path(__file__).name if "PYTEST_XDIST_WORKER" in os.environ else "")
