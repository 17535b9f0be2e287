"""Turn the bytes of a .py file or a notebook into a Source.

Student code is not parsed here: this process holds the answers, and a parser can be brought down. Notebooks are read as
the JSON they are and not with nbformat, because only the text of code cells is wanted and a hostile file of 11 MB held
nbformat up for 12 seconds and 1.3 GB. Outputs are never looked at.
"""

from __future__ import annotations

import codecs
import json
import re
import tokenize
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from autograder.batch.archives import Member, UnreadableError, printable, read_file
from autograder.batch.cells import python_of_cell
from autograder.sandbox.job import Chunk, Source

SUFFIXES = (".py", ".ipynb")
MAX_SOURCE = 1 << 20
MAX_CELLS = 2000
MAX_NOTEBOOK = 20 << 20  # most of it pictures
_LONGEST_LABEL = 80

_UTF8_ADVICE = "Save it as UTF-8 (most editors: 'Save with encoding') and hand it in again."
_TEXT_CODEC = re.compile(r"utf-8|ascii|iso8859-\d+|cp\d+|mac-\w+|koi8-\w|gb\w+|hz|big5\w*|euc_\w+|shift_jis\w*")
_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive",
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a gzip archive",
    b"Rar!": "a RAR archive",
}


def read_source(path: Path, file: str) -> Source:
    """Read one .py file or notebook from disk. Raises UnreadableError."""
    if not path.exists():
        raise UnreadableError(f"There is no file {path}. Give the path of your {file}.")
    if path.is_dir():
        raise UnreadableError(f"{path} is a folder. Give the path of the file in it, such as {path / file}.")
    if path.suffix.lower() not in SUFFIXES:
        raise UnreadableError(f"{path} is neither a .py file nor a notebook (.ipynb). Give the path of your {file}.")
    return make_source(read_file(path.resolve(), _size_limit(path.name)), path.name, file)


def source_of(member: Member, name: str, file: str) -> Source:
    """Read a listed file. Raises UnreadableError."""
    return make_source(member.read(_size_limit(name)), name, file)


def _size_limit(name: str) -> int:
    return MAX_NOTEBOOK if name.lower().endswith(".ipynb") else MAX_SOURCE


def make_source(data: bytes, name: str, file: str) -> Source:
    """Return the code in a file's bytes; `file` is what the assignment calls it. Raises UnreadableError."""
    module, label = Path(file).stem, printable(name)[-_LONGEST_LABEL:]
    if name.lower().endswith(".ipynb"):
        return Source(module, _notebook_chunks(_decode(data, label), label), notebook=True)
    text = _unify(_decode(data, label))
    if text.lstrip().startswith("{") and '"nbformat"' in text:
        raise UnreadableError(f"{label} holds a notebook, not Python code. Rename it to end in .ipynb.")
    return Source(module, (Chunk(label, text),))


def _decode(data: bytes, name: str) -> str:
    """Return the text, in UTF-8 or as its coding comment says. Raises UnreadableError."""
    _refuse_binary(data, name)
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
        if not _TEXT_CODEC.match(codecs.lookup(encoding).name):
            raise UnreadableError(f"{name} says that its encoding is {printable(encoding)}. {_UTF8_ADVICE}")
        text = data.decode(encoding)
    except (SyntaxError, UnicodeError, LookupError) as error:
        where = _first_bad_line(data)
        found = f"line {where} is not UTF-8 text" if where else f"its encoding is unclear ({printable(str(error))})"
        raise UnreadableError(f"{name} cannot be read: {found}. {_UTF8_ADVICE}") from None
    return text.removeprefix("\ufeff")


def _refuse_binary(data: bytes, name: str) -> None:
    for start, what in _OTHER_FORMATS.items():
        if data.startswith(start):
            raise UnreadableError(f"{name} is {what}, whatever its name says. Hand in the Python file itself.")
    nuls, head = data.count(0), data[:4096]
    for width, marks in (
        (32, (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)),
        (16, (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
    ):
        if data.startswith(marks):
            raise UnreadableError(f"{name} is saved as UTF-{width}, which is not read as Python. {_UTF8_ADVICE}")
    if head.count(0) * 3 > len(head):
        raise UnreadableError(f"{name} looks like UTF-16 text, which is not read as Python. {_UTF8_ADVICE}")
    if nuls:
        line = data[: data.index(0)].count(b"\n") + 1
        raise UnreadableError(f"{name} holds a NUL byte in line {line}, so it is not a text file. {_UTF8_ADVICE}")


def _first_bad_line(data: bytes) -> int:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return data[: error.start].count(b"\n") + 1
    return 0


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
            raise UnreadableError(f"{name} holds more than {MAX_SOURCE >> 20} MB of code. Hand in your solution alone.")
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
        if text.strip() and not text.lstrip().startswith("{"):
            raise UnreadableError(f"{name} is no notebook inside. If it is Python code, let it end in .py.") from None
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
