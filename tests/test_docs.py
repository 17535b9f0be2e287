"""The documents keep up with the code: every command, make target, status, level, check and module is written about."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.cli import app
from autograder.course import quiz_checks
from autograder.course.catalog import slugs
from autograder.course.spec import Status
from autograder.judge import checks, property_checks
from autograder.lms.recognition import platforms

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = sorted(c.name or c.callback.__name__ for c in app.registered_commands if c.callback)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_a_line_in_readme_and_changelog(command):
    """A command nobody can find is not there."""
    (entry,) = [c for c in app.registered_commands if c.callback and (c.name or c.callback.__name__) == command]
    assert (entry.callback.__doc__ or "").strip()
    assert f"autograder {command}" in README
    assert f"`{command}`" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace("`autograder ", "`")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_a_course(command):
    """A script names it once for all of them."""
    (entry,) = [c for c in app.registered_commands if c.callback and (c.name or c.callback.__name__) == command]
    assert "course" in inspect.signature(entry.callback).parameters


def test_every_make_target_is_explained_at_the_top_of_the_makefile():
    """`make` without knowing what it offers starts with reading the first lines."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    explained = re.findall(r"^# make (\S+)", text, re.MULTILINE)
    assert set(phony.split()) == set(explained)


@pytest.mark.parametrize("status", Status)
def test_every_status_is_explained_to_students(status):
    """What stands in the feedback stands in the README."""
    assert f"`{status}`" in README


@pytest.mark.parametrize("level", ["A", "A-", "B", "B-", "C"])
def test_every_isolation_level_stands_in_the_threat_model(level):
    """A level in a report can be looked up."""
    assert f"\n| {level} | " in README


def test_every_check_is_listed_for_authors():
    """An author finds every check by name."""
    homes = (checks, property_checks, quiz_checks)
    classes = [found for home in homes for found in vars(home).values() if isinstance(found, type)]
    defined = {c.__name__ for c in classes if c.__module__ in [home.__name__ for home in homes]}
    assert set(checks.__all__) == {name for name in defined if not name.startswith("_")}
    assert [name for name in checks.__all__ if f"`{name}`" not in README] == []


@pytest.mark.parametrize("slug", slugs(ROOT))
def test_every_assignment_says_first_how_long_it_takes_and_what_it_needs(slug):
    """Before it asks for any work."""
    readme = (ROOT / "assignments" / slug / "README.md").read_text(encoding="utf-8")
    before, work, _ = readme.partition("\nWrite your solution in")
    assert work
    assert re.search(r"\*\*Before you start\.\*\* It takes about \d+ to \d+ hours\. You need ", before)


def test_python_runs_the_command_without_a_path():
    """Another program of its name may come first on the PATH."""
    told = subprocess.run([sys.executable, "-m", "autograder", "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("autograder ")


def test_every_module_of_the_engine_is_on_the_map():
    """The README's map of the engine names every file."""
    _, _, built = README.partition("## How it is built")
    files = [path for path in (ROOT / "autograder").rglob("*.py") if path.name != "__init__.py"]
    assert [path.stem for path in files if not re.search(rf"\b{path.stem}\b", built)] == []


def test_every_platform_is_in_the_table_of_exports():
    """A grader finds the export of a learning platform, and the sheets that go back to it."""
    table = [line for line in README.splitlines() if line.startswith("| ") and line.count("|") == 4]
    for platform in platforms():
        (row,) = [line for line in table if line.startswith(f"| {platform.label}")]
        assert (f"`{platform.name}.csv`" in row) == bool(platform.sheet), platform
        assert (f"`{platform.name}-feedback.zip`" in row) == bool(platform.feedback), platform


def test_links_of_the_readme_lead_somewhere():
    """No link of the README points at a file that is not there."""
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []
