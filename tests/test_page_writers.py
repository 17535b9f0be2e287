"""Pages written in several processes: all of them, and an error is met by the process that asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autograder.pages.page_writers import LEAST, write_all

NAMES = tuple(f"s{number:02}" for number in range(2 * LEAST + 1))


def test_every_student_is_written_once_by_several_processes(tmp_path: Path) -> None:
    """Each file says which process wrote it."""
    write_all(lambda name: _append(tmp_path / name, f"{os.getpid()} "), NAMES, 2)
    written = {path.name: path.read_text().split() for path in tmp_path.iterdir()}
    assert written.keys() == set(NAMES)
    assert all(len(processes) == 1 for processes in written.values())
    assert len({process for (process,) in written.values()}) == 2


def test_few_students_and_one_job_need_no_process(tmp_path: Path) -> None:
    """They are written here."""
    write_all(lambda name: _append(tmp_path / name, str(os.getpid())), NAMES[:LEAST], 2)
    write_all(lambda name: _append(tmp_path / name, str(os.getpid())), NAMES[LEAST:], 1)
    assert {path.read_text() for path in tmp_path.iterdir()} == {str(os.getpid())}


def test_what_a_process_fails_at_is_told_here(tmp_path: Path) -> None:
    """As where a disk is full."""
    (tmp_path / NAMES[1]).mkdir()
    with pytest.raises(IsADirectoryError):
        write_all(lambda name: _append(tmp_path / name, "x"), NAMES, 2)


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
