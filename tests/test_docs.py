"""The documents keep up with the code: every command, make target, status, level, check and module is written about."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.cli import app
from autograder.course import quiz_checks
from autograder.course.places import slugs
from autograder.course.spec import Status
from autograder.judge import checks, property_checks, terminal_text
from autograder.lms.recognition import platforms

ROOT = Path(__file__).parents[1]
PAGES = {path: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))}
TEXT = "\n".join(PAGES.values())
COMMANDS = sorted(c.name or c.callback.__name__ for c in app.registered_commands if c.callback)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_a_line_in_docs_and_changelog(command):
    """A command nobody can find is not there."""
    (entry,) = [c for c in app.registered_commands if c.callback and (c.name or c.callback.__name__) == command]
    assert (entry.callback.__doc__ or "").strip()
    assert f"autograder {command}" in TEXT
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
    """What stands in the feedback stands in their page."""
    assert f"`{status}`" in PAGES[ROOT / "docs" / "student.md"]


@pytest.mark.parametrize("group", [terminal_text._FAILING, terminal_text._WAITING])
def test_words_that_count_exercises_are_explained_to_students(group):
    """Where a screen is small, a check gives their number alone."""
    assert f"| `{group.counted.removeprefix('{n} ')}` |" in PAGES[ROOT / "docs" / "student.md"]


@pytest.mark.parametrize("level", ["A", "A-", "B", "B-", "C"])
def test_every_isolation_level_stands_in_the_threat_model(level):
    """A level in a report can be looked up."""
    assert f"\n| {level} | " in PAGES[ROOT / "docs" / "threat-model.md"]


def test_every_check_is_listed_for_authors():
    """An author finds every check by name."""
    homes = (checks, property_checks, quiz_checks)
    classes = [found for home in homes for found in vars(home).values() if isinstance(found, type)]
    defined = {c.__name__ for c in classes if c.__module__ in [home.__name__ for home in homes]}
    assert set(checks.__all__) == {name for name in defined if not name.startswith("_")}
    assert [name for name in checks.__all__ if f"`{name}`" not in PAGES[ROOT / "docs" / "author.md"]] == []


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
    """The map of the engine names every file."""
    built = PAGES[ROOT / "docs" / "architecture.md"]
    files = [path for path in (ROOT / "autograder").rglob("*.py") if path.name != "__init__.py"]
    assert [path.stem for path in files if not re.search(rf"\b{path.stem}\b", built)] == []


def test_every_platform_is_in_the_table_of_exports():
    """A grader finds the export of a learning platform, and the sheets that go back to it."""
    table = [
        line
        for line in PAGES[ROOT / "docs" / "exports.md"].splitlines()
        if line.startswith("| ") and line.count("|") == 4
    ]
    for platform in platforms():
        (row,) = [line for line in table if line.startswith(f"| {platform.label}")]
        assert (f"`{platform.name}.csv`" in row) == bool(platform.sheet), platform
        assert (f"`{platform.name}-feedback.zip`" in row) == bool(platform.feedback), platform


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(page):
    """To a file that is there, and a heading of it."""
    links = re.findall(r"\]\(([^)\s]+)\)", PAGES[page])
    broken = []
    for link in (link for link in links if "://" not in link):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            broken.append(link)
    assert broken == []


def test_every_page_is_reached_from_the_readme():
    """A page that nothing leads to is not there."""
    links = set(re.findall(r"\]\((docs/[^)#\s]+)", PAGES[ROOT / "README.md"]))
    assert {f"docs/{path.name}" for path in PAGES if path.parent.name == "docs"} == links


def anchors(text):
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
