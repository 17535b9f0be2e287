"""What the benchmarks print goes into the page as it is."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def tables() -> ModuleType:
    """Return the program, which is none of the package's modules."""
    spec = importlib.util.spec_from_file_location("speed_tables", ROOT / "benchmarks" / "speed_tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_table_replaces_what_stood_between_its_marks(tables: ModuleType) -> None:
    """Other programs' tables stay, and where others were at work the page says so."""
    page = "before\n<!-- bench.py -->\nold\n<!-- /bench.py -->\nbetween\n<!-- mix.py -->\nkept\n<!-- /mix.py -->\n"
    printed = "2 cores\n\na5\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"
    for _ in range(2):
        page = tables.written(page, "bench.py", printed, 0.7)
    assert page == (
        "before\n<!-- bench.py -->\n"
        "`bench.py`. Others used 0.7 processors when it began: the ratios bear that better than the seconds.\n\n"
        "2 cores\n\na5\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"
        "<!-- /bench.py -->\nbetween\n<!-- mix.py -->\nkept\n<!-- /mix.py -->\n"
    )
    assert "The machine was quiet when it began." in tables.written(page, "bench.py", printed, 0.0)


def test_a_page_without_marks_is_not_written(tables: ModuleType) -> None:
    """Else a figure would be lost without a word."""
    with pytest.raises(ValueError, match=r"no marks for mix\.py"):
        tables.written("<!-- mix.py -->\nonly one\n", "mix.py", "", 0.0)


def test_the_page_has_marks_for_every_program(tables: ModuleType) -> None:
    """Those that `make bench` runs."""
    page = tables.PAGE.read_text(encoding="utf-8")
    for name in tables.PROGRAMS:
        assert tables.written(page, name, "", 0.0) != page
