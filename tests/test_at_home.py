"""A check that runs again and again: a warm process where the system has one, and saves that are noticed whole."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from handout_support import without_seconds

from autograder.course.spec import Assignment
from autograder.handout.kit.asked import CheckError
from autograder.handout.kit.saves import POLL_SECONDS, Saves
from autograder.handout.kit.self_check import check, check_in
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.result_json import told_result
from autograder.sandbox.bare import BareSandbox
from autograder.sandbox.job import Chunk, Source
from autograder.sandbox.slot import Slot, SlotError


def refuse(*_: object) -> None:
    """Start no process."""
    raise SlotError("the zygote did not start")


@pytest.mark.parametrize("how", ["forks", "starts none", "has none"])
def test_it_says_what_a_cold_process_says(
    how: str, assignment: Assignment, edited: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time after time, also where no process can be forked: on a known mistake, a crash, and a print."""
    if how == "starts none":
        monkeypatch.setattr(Slot, "_start", refuse)
    if how == "has none":
        monkeypatch.setattr(sys, "platform", "darwin")
    bundle = public_bundle(public_oracle(assignment))
    texts = (
        assignment.stub,
        assignment.reference.replace("return x - means", "return means - x"),
        edited(center="print('here')\n    return [][0]"),
        assignment.reference,
    )
    sources = [Source("means", (Chunk("means.py", text),)) for text in texts]
    cold = [told_result(check(source, bundle)) for source in sources]
    with BareSandbox(torch=False) as sandbox:
        warm = [told_result(check_in(sandbox, source, bundle)) for source in (*sources, *sources)]
    assert without_seconds(warm) == without_seconds([*cold, *cold])


def test_a_save_is_noticed_once_it_is_whole(tmp_path: Path) -> None:
    """An editor may remove the file first, or write it in pieces; one save is then one save."""
    path = tmp_path / "means.py"
    path.write_text("old")
    saves = Saves([path])
    assert not saves.happened()

    def save() -> None:
        time.sleep(2 * POLL_SECONDS)
        path.write_text("new and longer")

    for begin in (path.unlink, lambda: path.write_text("")):
        begin()
        editor = threading.Thread(target=save)
        editor.start()
        assert saves.happened()
        assert path.read_text() == "new and longer"
        editor.join()
        assert not saves.happened()


def test_an_emptied_file_is_a_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while; and one that stays away is said to be gone."""
    monkeypatch.setattr("autograder.handout.kit.saves.POLL_SECONDS", 0.001)
    path = tmp_path / "means.py"
    path.write_text("old")
    os.utime(path, (1, 1))
    saves = Saves([path])
    path.write_text("")
    assert saves.happened()
    assert not saves.happened()
    path.unlink()
    with pytest.raises(CheckError, match=r"means\.py is gone"):
        saves.happened()
