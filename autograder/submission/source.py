"""Turn the bytes of a .py file or a notebook, in any encoding that an editor would recognise, into a Source.

Student code is not parsed here: hostile code can crash the parser, and this process holds the answers. Notebooks are read as
JSON and not with nbformat, since only the text of code cells is needed and a hostile file of 11 MB cost nbformat 12 seconds
and 1.3 GB. Of outputs only pictures that the code names are kept.
"""

from __future__ import annotations

import codecs
import json
import re
import tokenize
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from autograder.course.language import marked, say
from autograder.sandbox.job import Chunk, Source
from autograder.submission.archives import Member, UnreadableError, printable, read_file, suffix_of
from autograder.submission.notebook_cells import python_of_cell
from autograder.submission.pictures import MOST_BYTES, shown_in, with_pictures

SUFFIXES = (".py", ".ipynb")
MAX_SOURCE = 256 << 10  # bytes of code; our longest solution has 30 KB
MAX_CELL_TEXT = 1 << 20  # characters of a notebook's cells, with magics and what these hold
MAX_CELLS = 2000
MAX_NOTEBOOK = 20 << 20  # bytes, mostly pictures
MAX_BRACKETS = 1_000_000  # lists and dicts of a notebook; one with printed arrays and interactive plots has a tenth
_LONGEST_LABEL = 80
_ADVICE = marked("Save it as UTF-8 (most editors: 'Save with encoding') and hand it in again.")
_CODEC = re.compile(r"utf-8|ascii|iso8859-\d+|cp\d+|mac-\w+|koi8-\w|gb\w+|hz|big5\w*|euc_\w+|shift_jis\w*")
_MARKS = (  # UTF-32 first: its little-endian mark begins with UTF-16's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_OTHER_FORMATS = marked({
    b"PK\x03\x04": "{name} is a zip archive, whatever its name says. Hand in the Python file itself.",
    b"%PDF": "{name} is a PDF, whatever its name says. Hand in the Python file itself.",
    b"\x1f\x8b": "{name} is a gzip archive, whatever its name says. Hand in the Python file itself.",
    b"Rar!": "{name} is a RAR archive, whatever its name says. Hand in the Python file itself.",
    b"7z\xbc\xaf\x27\x1c": "{name} is a 7-Zip archive, whatever its name says. Hand in the Python file itself.",
    b"\xd0\xcf\x11\xe0": "{name} is a document of an office program, whatever its name says. Hand in the Python file itself.",
})  # fmt: skip
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")
_HEAD = 4096  # bytes by which the encoding is found


def read_source(path: Path, file: str) -> Source:
    """Read one .py file or notebook from disk. Raises UnreadableError."""
    if not path.exists():
        raise UnreadableError(say("There is no file {path}. Give the path of your {file}.", path=path, file=file))
    if path.is_dir():
        told = marked("{path} is a folder. Give the path of the file in it, such as {inside}.")
        raise UnreadableError(say(told, path=path, inside=path / file))
    if suffix_of(path.name) not in SUFFIXES:
        told = marked("{path} is neither a .py file nor a notebook (.ipynb). Give the path of your {file}.")
        raise UnreadableError(say(told, path=path, file=file))
    source = make_source(read_file(path.resolve(), _size_limit(path.name)), path.name, file)
    return with_pictures(source, lambda name: picture_beside(path.with_name(name)))


def picture_beside(path: Path) -> bytes | None:
    """Return a picture's bytes, or None where it cannot be used."""
    try:
        return read_file(path.resolve(), MOST_BYTES) if path.is_file() else None
    except UnreadableError:
        return None


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
        cells = [(_unify(code), outputs) for code, outputs in _code_cells(text, label)]
        chunks = _notebook_chunks([code for code, _ in cells], label)
        return Source(module, chunks, notebook=True, pictures=shown_in(cells)), notes
    return Source(module, (Chunk(label, _unify(text)),)), notes


def _is_notebook(text: str, name: str) -> bool:
    """Whether a file is a notebook, by its content rather than its name."""
    begin = text.lstrip()[:1]
    if suffix_of(name) == ".ipynb":
        return not begin or begin in "{[-0123456789"  # JSON, if a wrong one
    return begin == "{" and '"nbformat"' in text


def _unify(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _notebook_chunks(cells: Iterable[str], name: str) -> tuple[Chunk, ...]:
    chunks, total, read = [], 0, 0
    for number, cell in enumerate(cells, start=1):
        read += len(cell)
        code = python_of_cell(cell) if read <= MAX_CELL_TEXT else ""
        total += len(code)
        if number > MAX_CELLS:
            told = marked("{name} holds more than {most:,} cells of code. Hand in your solution alone.")
            raise UnreadableError(say(told, name=name, most=MAX_CELLS))
        if total > MAX_SOURCE or read > MAX_CELL_TEXT:
            told = marked(
                "{name} holds more than {kb} KB of code. Take out what is not your solution, such as data "
                "written as code, and hand it in again."
            )
            raise UnreadableError(say(told, name=name, kb=MAX_SOURCE >> 10))
        try:
            code.encode()
        except UnicodeEncodeError:
            told = marked("Cell {number} of {name} holds a broken character. Delete it and save again.")
            raise UnreadableError(say(told, number=number, name=name)) from None
        if "\0" in code:
            told = marked("Cell {number} of {name} holds a NUL character. Delete it and save again.")
            raise UnreadableError(say(told, number=number, name=name))
        if code.strip():
            chunks.append(Chunk(f"cell {number}", code))
    return tuple(chunks)


def _code_cells(text: str, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the text and the outputs of every code cell; older formats keep cells in worksheets and code under `input`."""
    if text.count("[") + text.count("{") > MAX_BRACKETS:
        told = marked(
            "{name} holds far more data than a notebook does. Clear its outputs, save it and hand it in again."
        )
        raise UnreadableError(say(told, name=name))
    try:
        notebook = json.loads(text)
    except RecursionError:
        told = say("{name} is nested too deeply for a notebook. Save it again from Jupyter.", name=name)
        raise UnreadableError(told) from None
    except ValueError as error:
        raise UnreadableError(_broken(name, error)) from None
    holders = [notebook, *_listed(notebook, "worksheets")] if isinstance(notebook, dict) else []
    if not any(isinstance(holder, dict) and isinstance(holder.get("cells"), list) for holder in holders):
        raise UnreadableError(say("{name} is not a notebook: it has no cells. Save it again from Jupyter.", name=name))
    for cell in (cell for holder in holders for cell in _listed(holder, "cells")):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            code = cell.get("source", cell.get("input", ""))
            parts = (part for part in (code if isinstance(code, list) else [code]) if isinstance(part, str))
            yield "".join(parts), cell.get("outputs")


def _broken(name: str, error: ValueError) -> str:
    """Return the message that a notebook is no JSON, with the last line that is whole where that is known."""
    advice = say("Open it in Jupyter, save it there and hand it in again.")
    if isinstance(error, json.JSONDecodeError) and error.lineno > 1:
        told = marked("{name} is not a readable notebook: it breaks off or is damaged after line {line}.")
        return f"{say(told, name=name, line=error.lineno - 1)} {advice}"
    return f"{say('{name} is not a readable notebook: it breaks off or is damaged.', name=name)} {advice}"


def _listed(holder: Any, key: str) -> list[Any]:
    found = holder.get(key) if isinstance(holder, dict) else None
    return found if isinstance(found, list) else []


def read_text(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """Return a file's text, and a note where its encoding was guessed. Raises UnreadableError.

    The byte order mark decides, then the zero bytes of UTF-16, a coding comment (PEP 263), and UTF-8. Other files are read as
    Windows-1252, which includes the letters of Latin-1.
    """
    for start, told in _OTHER_FORMATS.items():
        if data.startswith(start):
            raise UnreadableError(say(told, name=name))
    mark, encoding = next(((mark, codec) for mark, codec in _MARKS if data.startswith(mark)), (b"", _wide(data)))
    notes: tuple[str, ...] = ()
    if encoding:
        try:
            text = data.removeprefix(mark).decode(encoding)
        except UnicodeError:
            told = say("{name} begins as {encoding} text and is damaged.", name=name, encoding=encoding[:6].upper())
            raise UnreadableError(f"{told} {say(_ADVICE)}") from None
    else:
        text, notes = _narrow(data, name)
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        told = say("{name} holds a NUL byte in line {line}, so it is not a text file.", name=name, line=line)
        raise UnreadableError(f"{told} {say(_ADVICE)}")
    return text, notes


def _wide(data: bytes) -> str:
    """Return the UTF-16 codec of a file without a mark, or an empty text. Every other byte of English text is zero in it."""
    head = data[:_HEAD]
    if head.count(0) * 3 <= len(head):
        return ""
    return "utf-16-le" if head[1::2].count(0) > head[::2].count(0) else "utf-16-be"


def _narrow(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    encoding = _declared(data, name)
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
    if len(_CONTROL.findall(data[:_HEAD])) * 50 > len(data[:_HEAD]):
        raise UnreadableError(say("{name} is no text file. Hand in the Python file itself.", name=name))
    wrong = "UTF-8" if encoding.startswith("utf-8") else printable(encoding)
    told = marked(
        "{name} is not {encoding} (line {line}) and was read as Windows-1252, so letters beyond English ones may be wrong. "
        "Save it as UTF-8."
    )
    return "".join(map(_WINDOWS.__getitem__, data)), (say(told, name=name, encoding=wrong, line=line),)


def _declared(data: bytes, name: str) -> str:
    """Return the encoding in a file's coding comment, or UTF-8. Raises UnreadableError where it is no text encoding."""
    first_lines = b"".join(data[:_HEAD].splitlines(keepends=True)[:2])
    plain = first_lines.decode("latin-1").encode(
        "ascii", "replace"
    )  # so that undecodable bytes around the comment do not matter
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(plain).readline)
        if not _CODEC.match(codecs.lookup(encoding).name):
            told = say("{name} says that its encoding is {encoding}.", name=name, encoding=printable(encoding))
            raise UnreadableError(f"{told} {say(_ADVICE)}")
    except (SyntaxError, LookupError) as error:
        why = printable(str(error))
        told = say("{name} cannot be read: its encoding is unclear ({reason}).", name=name, reason=why)
        raise UnreadableError(f"{told} {say(_ADVICE)}") from None
    return encoding


def _windows(byte: int) -> str:
    """Return a byte's character in Windows-1252, or in Latin-1 for the five bytes that Windows-1252 leaves out."""
    one = bytes([byte])
    try:
        return one.decode("cp1252")
    except UnicodeDecodeError:
        return one.decode("latin-1")


_WINDOWS = tuple(map(_windows, range(256)))
