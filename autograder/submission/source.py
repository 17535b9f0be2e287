"""Turn the bytes of a .py file or a notebook into a Source.

Student code is not parsed here: hostile code can crash the parser, and this process holds the answers. Notebooks are read as
JSON and not with nbformat, since only the text of code cells is needed and a hostile file of 11 MB cost nbformat 12 seconds
and 1.3 GB. Outputs are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.sandbox.job import Chunk, Source
from autograder.submission.archives import Member, UnreadableError, printable, read_file, suffix_of
from autograder.submission.encodings import read_text
from autograder.submission.notebook_cells import python_of_cell

SUFFIXES = (".py", ".ipynb")
MAX_SOURCE = 256 << 10  # bytes of code; our longest solution has 30 KB
MAX_CELLS = 2000
MAX_NOTEBOOK = 20 << 20  # bytes, mostly pictures
_LONGEST_LABEL = 80


def read_source(path: Path, file: str) -> Source:
    """Read one .py file or notebook from disk. Raises UnreadableError."""
    if not path.exists():
        raise UnreadableError(f"There is no file {path}. Give the path of your {file}.")
    if path.is_dir():
        raise UnreadableError(f"{path} is a folder. Give the path of the file in it, such as {path / file}.")
    if suffix_of(path.name) not in SUFFIXES:
        raise UnreadableError(f"{path} is neither a .py file nor a notebook (.ipynb). Give the path of your {file}.")
    return make_source(read_file(path.resolve(), _size_limit(path.name)), path.name, file)


def source_of(member: Member, name: str, file: str) -> tuple[Source, tuple[str, ...]]:
    """Return a listed file's code, and notes on how it was read. Raises UnreadableError."""
    return _read(member.read(_size_limit(name)), name, file)


def _size_limit(name: str) -> int:
    return MAX_NOTEBOOK if suffix_of(name) == ".ipynb" else MAX_SOURCE


def make_source(data: bytes, name: str, file: str) -> Source:
    """Return the code in a file's bytes; `file` is the assignment's name for it. Raises UnreadableError."""
    return _read(data, name, file)[0]


def _read(data: bytes, name: str, file: str) -> tuple[Source, tuple[str, ...]]:
    module, label = Path(file).stem, printable(name)[-_LONGEST_LABEL:]
    text, notes = read_text(data, label)
    if _is_notebook(text, name):
        return Source(module, _notebook_chunks(text, label), notebook=True), notes
    return Source(module, (Chunk(label, _unify(text)),)), notes


def _is_notebook(text: str, name: str) -> bool:
    """Whether a file is a notebook, by its content rather than its name."""
    begin = text.lstrip()[:1]
    if suffix_of(name) == ".ipynb":
        return not begin or begin in "{[-0123456789"  # JSON, if a wrong one
    return begin == "{" and '"nbformat"' in text


def _unify(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _notebook_chunks(text: str, name: str) -> tuple[Chunk, ...]:
    chunks, total = [], 0
    for number, cell in enumerate(_code_cells(text, name), start=1):
        code = python_of_cell(_unify(cell))
        total += len(code)
        if number > MAX_CELLS:
            raise UnreadableError(f"{name} holds more than {MAX_CELLS:,} cells of code. Hand in your solution alone.")
        if total > MAX_SOURCE:
            raise UnreadableError(
                f"{name} holds more than {MAX_SOURCE >> 10} KB of code. Take out what is not your solution, such as data "
                "written as code, and hand it in again."
            )
        try:
            code.encode()
        except UnicodeEncodeError:
            raise UnreadableError(
                f"Cell {number} of {name} holds a broken character. Delete it and save again."
            ) from None
        if "\0" in code:
            raise UnreadableError(f"Cell {number} of {name} holds a NUL character. Delete it and save again.")
        if code.strip():
            chunks.append(Chunk(f"cell {number}", code))
    return tuple(chunks)


def _code_cells(text: str, name: str) -> Iterator[str]:
    """Yield the text of every code cell; older formats keep cells in worksheets and code under `input`."""
    try:
        notebook = json.loads(text)
    except RecursionError:
        raise UnreadableError(f"{name} is nested too deeply for a notebook. Save it again from Jupyter.") from None
    except ValueError as error:
        where = f" after line {error.lineno - 1}" if isinstance(error, json.JSONDecodeError) else ""
        advice = "Open it in Jupyter, save it there and hand it in again."
        raise UnreadableError(
            f"{name} is not a readable notebook: it breaks off or is damaged{where}. {advice}"
        ) from None
    holders = [notebook, *_listed(notebook, "worksheets")] if isinstance(notebook, dict) else []
    if not any(isinstance(holder, dict) and isinstance(holder.get("cells"), list) for holder in holders):
        raise UnreadableError(f"{name} is not a notebook: it has no cells. Save it again from Jupyter.")
    for cell in (cell for holder in holders for cell in _listed(holder, "cells")):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            code = cell.get("source", cell.get("input", ""))
            yield "".join(part for part in (code if isinstance(code, list) else [code]) if isinstance(part, str))


def _listed(holder: Any, key: str) -> list[Any]:
    found = holder.get(key) if isinstance(holder, dict) else None
    return found if isinstance(found, list) else []
