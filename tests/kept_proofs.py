"""Which slow proofs need not run again on this machine: those that passed, and for which no file has changed since.

A proof of one assignment depends on the engine, the tests, the packages, and the folders of that assignment; any other slow proof
depends on the whole repository. What passed is noted in pytest's own cache. CI notes nothing and proves everything, and so does
`pytest --prove-all`.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from autograder.course.places import slugs
from autograder.course.spec import Assignment

ROOT = Path(__file__).resolve().parents[1]
NOTED = "proofs/passed"  # in pytest's cache: the digest of each proof that passed
OPTION = "--prove-all"
PER_ASSIGNMENT = ("assignments", "solutions", "tests/outside", "tests/crashing")
READ_BY_NO_PROOF = ("docs/", "benchmarks/", "CHANGELOG.md")


def assignment_of(item: pytest.Item) -> str:
    """Return the assignment that a test is parametrized with, or nothing."""
    values = getattr(item, "callspec", None)
    for value in values.params.values() if values else ():
        name = value.slug if isinstance(value, Assignment) else value
        if isinstance(name, str) and name in _slugs():
            return name
    return ""


def digest_of(files: Mapping[str, str], slug: str) -> str:
    """Return a digest of what a proof depends on: files of the repository, by path and content; `slug` is its assignment, if it has one."""
    others = [f"{folder}/" for folder in PER_ASSIGNMENT] if slug else []
    mine = tuple(f"{folder}/{slug}/" for folder in PER_ASSIGNMENT)
    told = hashlib.sha256(repr(_versions()).encode())
    for path, content in sorted(files.items()):
        if path.startswith(mine) or not path.startswith((*others, *READ_BY_NO_PROOF)):
            told.update(f"{path} {content}\n".encode())
    return told.hexdigest()


@functools.cache
def _slugs() -> frozenset[str]:
    return frozenset(slugs(ROOT))


@functools.cache
def _versions() -> tuple[str, ...]:
    installed = {(d.metadata["Name"] or "", d.version) for d in importlib.metadata.distributions()}
    return platform.python_version(), *(f"{name} {version}" for name, version in sorted(installed))


@functools.cache
def _files() -> dict[str, str]:
    """Return the content of every file of the repository, as a digest. Raises OSError or CalledProcessError without git."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    there = (path for path in listed if path and (ROOT / path).is_file())
    return {path: hashlib.sha256((ROOT / path).read_bytes()).hexdigest() for path in there}


def _is_off(config: pytest.Config) -> bool:
    return bool(os.environ.get("CI")) or bool(config.getoption(OPTION)) or not (ROOT / ".git").exists()


class KeptProofs:
    """A plugin of pytest that leaves out what passed before, and notes what passes now. Workers leave out; the main process notes."""

    def __init__(self, config: pytest.Config) -> None:
        self._cache = None if _is_off(config) else getattr(config, "cache", None)
        noted = self._cache.get(NOTED, {}) if self._cache is not None else {}
        self._holding = {name: tuple(of) for name, of in noted.items() if of[1] == digest_of(_files(), of[0])}
        self._ran = set[str]()

    @pytest.hookimpl(tryfirst=True)  # before pytest-xdist gives tests other ids
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the proofs that hold as they are; the others tell with their report what they depend on."""
        if self._cache is None:
            return
        for item in items:
            if "slow" in item.keywords:
                slug = assignment_of(item)
                item.user_properties.append((NOTED, (item.nodeid, slug, digest_of(_files(), slug))))
        items[:] = [item for item in items if item.nodeid not in self._holding]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a proof that passed, and forget one that did not."""
        for name, slug, digest in (told for kind, told in report.user_properties if kind == NOTED):
            self._ran.add(name)
            if report.when == "call" and report.passed:
                self._holding[name] = (slug, digest)
            elif not report.passed:
                self._holding.pop(name, None)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Keep what holds."""
        if self._cache is not None and not hasattr(session.config, "workerinput"):
            self._cache.set(NOTED, self._holding)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how many were left out."""
        left = len(self._holding.keys() - self._ran)
        if left:
            terminalreporter.write_line(
                f"{left} proofs passed before and nothing they read has changed; {OPTION} runs them, too"
            )
