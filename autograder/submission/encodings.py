"""Decode a text file in any encoding that an editor would recognise."""

from __future__ import annotations

import codecs
import re
import tokenize
from io import BytesIO

from autograder.submission.archives import UnreadableError, printable

_ADVICE = "Save it as UTF-8 (most editors: 'Save with encoding') and hand it in again."
_CODEC = re.compile(r"utf-8|ascii|iso8859-\d+|cp\d+|mac-\w+|koi8-\w|gb\w+|hz|big5\w*|euc_\w+|shift_jis\w*")
_MARKS = (  # UTF-32 first: its little-endian mark begins with UTF-16's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive",
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a gzip archive",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    b"\xd0\xcf\x11\xe0": "a document of an office program",
}
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")
_HEAD = 4096  # bytes by which the encoding is found


def read_text(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """Return a file's text, and a note where its encoding was guessed. Raises UnreadableError.

    The byte order mark decides, then the zero bytes of UTF-16, a coding comment (PEP 263), and UTF-8. Other files are read as
    Windows-1252, which includes the letters of Latin-1.
    """
    for start, what in _OTHER_FORMATS.items():
        if data.startswith(start):
            raise UnreadableError(f"{name} is {what}, whatever its name says. Hand in the Python file itself.")
    mark, encoding = next(((mark, codec) for mark, codec in _MARKS if data.startswith(mark)), (b"", _wide(data)))
    notes: tuple[str, ...] = ()
    if encoding:
        try:
            text = data.removeprefix(mark).decode(encoding)
        except UnicodeError:
            raise UnreadableError(f"{name} begins as {encoding[:6].upper()} text and is damaged. {_ADVICE}") from None
    else:
        text, notes = _narrow(data, name)
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise UnreadableError(f"{name} holds a NUL byte in line {line}, so it is not a text file. {_ADVICE}")
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
        raise UnreadableError(f"{name} is no text file. Hand in the Python file itself.")
    wrong = "UTF-8" if encoding.startswith("utf-8") else printable(encoding)
    told = f"{name} is not {wrong} (line {line}) and was read as Windows-1252, so letters beyond English ones may be wrong."
    return "".join(map(_WINDOWS.__getitem__, data)), (f"{told} Save it as UTF-8.",)


def _declared(data: bytes, name: str) -> str:
    """Return the encoding in a file's coding comment, or UTF-8. Raises UnreadableError where it is no text encoding."""
    first_lines = b"".join(data[:_HEAD].splitlines(keepends=True)[:2])
    plain = first_lines.decode("latin-1").encode(
        "ascii", "replace"
    )  # so that undecodable bytes around the comment do not matter
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(plain).readline)
        if not _CODEC.match(codecs.lookup(encoding).name):
            raise UnreadableError(f"{name} says that its encoding is {printable(encoding)}. {_ADVICE}")
    except (SyntaxError, LookupError) as error:
        raise UnreadableError(
            f"{name} cannot be read: its encoding is unclear ({printable(str(error))}). {_ADVICE}"
        ) from None
    return encoding


def _windows(byte: int) -> str:
    """Return a byte's character in Windows-1252, or in Latin-1 for the five bytes that Windows-1252 leaves out."""
    one = bytes([byte])
    try:
        return one.decode("cp1252")
    except UnicodeDecodeError:
        return one.decode("latin-1")


_WINDOWS = tuple(map(_windows, range(256)))
