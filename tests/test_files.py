"""A file is there whole or not at all."""

from __future__ import annotations

import threading
from pathlib import Path

from autograder.classroom.whole_files import write_whole


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """Whoever reads while it is written sees the old text or the new one, and nothing else is left."""
    path = tmp_path / "deep" / "file.json"
    texts = ["a" * 100_000, "b" * 100_000]
    write_whole(path, texts[0])
    stop = threading.Event()

    def write() -> None:
        for i in range(200):
            write_whole(path, texts[i % 2])
        stop.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not stop.is_set():
        assert path.read_text(encoding="utf-8") in texts
    writer.join()
    assert list(path.parent.iterdir()) == [path]


def test_half_a_character_does_not_stop_a_file(tmp_path: Path) -> None:
    """Lone surrogates, which no encoding holds, become question marks; line ends stay as they are."""
    write_whole(tmp_path / "a.txt", "\ud800 \r\n")
    assert (tmp_path / "a.txt").read_bytes() == b"? \r\n"
