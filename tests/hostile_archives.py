"""Hostile archives, folders, notebooks and names: what a student's hand-in can be beside a .py file.

Each builder below writes one hand-in into a class folder; its docstring says what it tries. `HAND_INS` lists how each has
to end and what it earns of the 12 points. An honest solution lies in most of them, so that points show what was read.
"""

from __future__ import annotations

import io
import json
import os
import stat
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hostile_support import COURSE, NUMPY

HONEST = (COURSE / "solutions" / NUMPY / "scale.py").read_text()
WRONG = "def scale(x, factor):\n    return x * 0\n"
MARKUP = "</pre></code><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[2J\x1b]0;owned\x07\u202e\x00"
FORMULA = '=HYPERLINK("http://localhost/?"&A1)'
BREACH = "print('BREACH')\nopen('@MARKER@/ran', 'w').close()\n"


@dataclass(frozen=True)
class HandIn:
    """One hostile hand-in: how it ends, what it earns, and how it is made."""

    name: str
    status: str
    score: float
    build: Callable[[Path], None]


HAND_INS: list[HandIn] = []
Builder = Callable[[Path], None]


def hands_in(status: str, score: float = 0.0, ending: str = ".zip") -> Callable[[Builder], Builder]:
    """Register a builder, which is given the path to write, under its function's name."""

    def register(build: Builder) -> Builder:
        HAND_INS.append(HandIn(build.__name__ + ending, status, score, build))
        return build

    return register


def pack(path: Path, *files: tuple[str | zipfile.ZipInfo, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> None:
    """Write an archive of some files, in order."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)


def entry(name: str, mode: int) -> zipfile.ZipInfo:
    """Return an archive entry of another kind than a regular file."""
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


def notebook(path: Path, *cells: str, **more: Any) -> None:
    """Write a notebook of some code cells."""
    listed = [{"cell_type": "code", "source": text, "outputs": [], "metadata": {}} for text in cells]
    path.write_text(json.dumps({"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5} | more))


# Archives.


@hands_in("unreadable")
def zip_slip(path: Path) -> None:
    """Leads out of its folder by a relative path."""
    pack(path, ("scale.py", HONEST), ("../../marker/slipped.py", BREACH))


@hands_in("unreadable")
def zip_absolute(path: Path) -> None:
    """Leads out by an absolute path."""
    pack(path, ("@MARKER@/absolute.py", BREACH), ("/scale.py", HONEST))


@hands_in("unreadable")
def zip_backslash(path: Path) -> None:
    """Leads out by the other system's separators and drives."""
    pack(path, ("..\\..\\scale.py", HONEST), ("C:\\scale.py", HONEST))


@hands_in("unreadable")
def zip_link(path: Path) -> None:
    """Holds a link to the answers under the right name."""
    pack(path, (entry("scale.py", stat.S_IFLNK | 0o777), "@SOLUTION@"))


@hands_in("unreadable")
def zip_link_to_folder(path: Path) -> None:
    """Holds a link to a folder and, beneath it, a file that lands in it."""
    pack(
        path,
        (entry("out", stat.S_IFLNK | 0o777), "@MARKER@"),
        ("out/scale.py", BREACH),
        (entry("scale.py", stat.S_IFLNK), "out"),
    )


@hands_in("unreadable")
def zip_device(path: Path) -> None:
    """Holds a device and a fifo, which never end."""
    pack(path, (entry("scale.py", stat.S_IFCHR | 0o666), ""), (entry("other", stat.S_IFIFO | 0o666), ""))


@hands_in("unreadable")
def zip_bomb(path: Path) -> None:
    """Holds half a gigabyte of zeros under the right name."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("scale.py", "w") as file:
        for _ in range(512):
            file.write(bytes(1 << 20))


@hands_in("unreadable")
def zip_lying_bomb(path: Path) -> None:
    """Says that its file has ten bytes, and unpacks to fifty megabytes."""
    pack(path, ("scale.py", bytes(50 << 20)))
    data = bytearray(path.read_bytes())
    local, central = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    data[local + 22 : local + 26] = data[central + 24 : central + 28] = struct.pack("<I", 10)
    path.write_bytes(data)


@hands_in("unreadable")
def zip_overlapping_bomb(path: Path) -> None:
    """Lists the same packed bytes ten thousand times, as the better bombs do."""
    pack(path, ("a.py", bytes(10 << 20)))
    data = path.read_bytes()
    central = data.index(b"PK\x01\x02")
    head, end = data[central : data.index(b"PK\x05\x06")], bytearray(data[data.index(b"PK\x05\x06") :])
    listing = b"".join(head.replace(b"a.py", b"%04x" % number) for number in range(10_001))
    end[8:16] = struct.pack("<HHI", 10_001, 10_001, len(listing))
    path.write_bytes(data[:central] + listing + end)


@hands_in("unreadable")
def zip_many_entries(path: Path) -> None:
    """Holds more files than anyone writes."""
    pack(path, ("scale.py", HONEST), *((f"{number}.py", "") for number in range(10_100)), method=zipfile.ZIP_STORED)


@hands_in("unreadable")
def zip_in_zip_in_zip(path: Path) -> None:
    """Nests archives, each of which could hold more."""
    inner = HONEST.encode()
    for name in ("scale.py", "b.zip", "c.zip", "d.zip"):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(name, inner)
        inner = packed.getvalue()
    path.write_bytes(inner)


@hands_in("unreadable")
def zip_same_name_twice(path: Path) -> None:
    """Holds two files of one name, so that readers see different ones."""
    with zipfile.ZipFile(path, "w") as archive, pytest_warns_duplicate():
        archive.writestr("scale.py", WRONG)
        archive.writestr("scale.py", HONEST)


@hands_in("graded", 12.0)
def zip_names_that_differ_in_case(path: Path) -> None:
    """Holds two names that are one on some systems; the exact one counts."""
    pack(path, ("SCALE.PY", WRONG), ("scale.py", HONEST), ("Scale.py", WRONG))


@hands_in("unreadable")
def zip_locked(path: Path) -> None:
    """Is locked with a password."""
    pack(path, ("scale.py", HONEST))
    data = bytearray(path.read_bytes())
    for start, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(start) + offset] |= 1
    path.write_bytes(data)


@hands_in("unreadable")
def zip_packed_with_lzma(path: Path) -> None:
    """Is packed by a method whose unpacking asks for as much memory as its header says."""
    pack(path, ("scale.py", HONEST), method=zipfile.ZIP_LZMA)


@hands_in("unreadable")
def zip_broken_off(path: Path) -> None:
    """Ends in the middle."""
    pack(path, ("scale.py", HONEST))
    path.write_bytes(path.read_bytes()[:-30])


@hands_in("unreadable")
def zip_wrong_checksum(path: Path) -> None:
    """Unpacks to other bytes than its checksum says."""
    pack(path, ("scale.py", HONEST), method=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"return x * factor", b"return x * 100000"))


@hands_in("graded", 12.0)
def zip_with_shadows(path: Path) -> None:
    """Ships files that Python, pytest and others would run or import in place of their own; none of them is read."""
    names = "numpy.py torch/__init__.py conftest.py sitecustomize.py usercustomize.py scale.pth pytest.ini __init__.py"
    caches = (
        ("__pycache__/scale.cpython-311.pyc", b"\xa7\r\r\n" + bytes(12) + b"BREACH"),
        ("pyproject.toml", "[tool.pytest]"),
    )
    pack(path, ("scale.py", HONEST), *((name, BREACH) for name in names.split()), *caches)


@hands_in("graded", 12.0)
def zip_of_a_folder_with_odd_names(path: Path) -> None:
    """Holds files whose names are markup, terminal codes, formulas and nothing at all, beside the right one."""
    pack(
        path,
        *((f"work/{name}", "") for name in (MARKUP.replace("/", "-"), FORMULA, " ", "-rf", "a\nb")),
        ("work/scale.py", HONEST),
    )


@hands_in("unreadable")
def zip_named_only_by_markup(path: Path) -> None:
    """Holds two files with hostile names and none by the right one, so that the message names them."""
    pack(path, (f"{MARKUP[:-1].replace('/', '-')}.py", HONEST), ("=1+1.py", HONEST.replace("return", "return 2 *")))


# Folders.


@hands_in("unreadable", ending="")
def folder_with_link(path: Path) -> None:
    """Holds a link to the answers under the right name."""
    path.mkdir()
    (path / "scale.py").symlink_to("@SOLUTION@")


@hands_in("unreadable", ending="")
def folder_with_fifo(path: Path) -> None:
    """Holds a fifo, at which a reader would wait for ever."""
    path.mkdir()
    os.mkfifo(path / "scale.py")


@hands_in("unreadable", ending="")
def folder_in_place_of_the_file(path: Path) -> None:
    """Holds a folder by the right name."""
    (path / "scale.py").mkdir(parents=True)
    (path / "scale.py" / "inner.txt").write_text("")


@hands_in("unreadable", ending="")
def folder_in_circles(path: Path) -> None:
    """Holds links to itself, its parent and the root, which a walk could follow for ever."""
    path.mkdir()
    for name, target in (("self", "."), ("up", ".."), ("root", "/"), ("loop", "loop")):
        (path / name).symlink_to(target)


@hands_in("unreadable", ending=".py")
def link_in_place_of_the_file(path: Path) -> None:
    """Is itself a link, to the answers."""
    path.symlink_to("@SOLUTION@")


# Notebooks.


@hands_in("graded", 12.0, ".ipynb")
def notebook_with_commands(path: Path) -> None:
    """Runs shell lines, magics and cells in other languages; none of them is run."""
    notebook(
        path,
        "!touch @MARKER@/shell\nimport os",
        "%%bash\ntouch @MARKER@/bash",
        "%%writefile @MARKER@/written\nx",
        "%run @MARKER@/x.py\n%system touch @MARKER@/system\nfiles = !touch @MARKER@/captured",
        "get_ipython().system('touch @MARKER@/ipython')",
        HONEST,
    )


@hands_in("graded", 12.0, ".ipynb")
def notebook_with_experiments(path: Path) -> None:
    """Prints, loops, exits and asks for input outside its functions, as experiments do; they are left out."""
    notebook(
        path,
        "while True:\n    pass",
        HONEST,
        "print('BREACH')",
        "import sys\nsys.exit()",
        "input()",
        "exit()",
        "scale(1)",
    )


@hands_in("not_importable", 0.0, ".ipynb")
def notebook_that_exits(path: Path) -> None:
    """Ends the process in what looks like a constant."""
    notebook(path, "import os\nCODE = os._exit(0)", HONEST)


@hands_in("graded", 12.0, ".ipynb")
def notebook_with_broken_cells(path: Path) -> None:
    """Has cells that are no Python, raise hostile texts and redefine what others defined."""
    notebook(path, "def f(:\n", "import nothing_of_that_name", f"x = int({MARKUP!r})", "class A(1): pass", HONEST)


@hands_in("graded", 12.0, ".ipynb")
def notebook_with_outputs(path: Path) -> None:
    """Carries megabytes of pictures, scripts and forged results in outputs and metadata, which nobody looks at."""
    outputs = [{"output_type": "display_data", "data": {"text/html": MARKUP * 100, "image/png": "A" * 3_000_000}}]
    cells = [
        {"cell_type": "markdown", "source": MARKUP, "attachments": {MARKUP: {"image/png": "A" * 1000}}},
        {
            "cell_type": "code",
            "source": HONEST.splitlines(keepends=True),
            "outputs": outputs,
            "execution_count": MARKUP,
        },
        {
            "cell_type": "code",
            "source": [1, None, {"a": 2}],
            "outputs": "none",
            "metadata": {"score": 12, "nbgrader": {}},
        },
    ]
    path.write_text(json.dumps({"cells": cells, "metadata": {"kernelspec": {"name": MARKUP}}, "nbformat": 4}))


@hands_in("unreadable", ending=".ipynb")
def notebook_nested_deeply(path: Path) -> None:
    """Nests brackets deeper than a reader of JSON can."""
    path.write_text('{"cells":' + "[" * 100_000 + "]" * 100_000 + "}")


@hands_in("unreadable", ending=".ipynb")
def notebook_of_numbers(path: Path) -> None:
    """Holds a number of a hundred thousand digits where a cell is expected."""
    path.write_text('{"cells": [' + "9" * 100_000 + "]}")


@hands_in("unreadable", ending=".ipynb")
def notebook_that_is_none(path: Path) -> None:
    """Is JSON, but a list of not-a-numbers."""
    path.write_text("[NaN, Infinity, -Infinity]")


@hands_in("unreadable", ending=".ipynb")
def notebook_broken_character(path: Path) -> None:
    """Holds half a character, which no file can be written with."""
    notebook(path, HONEST + '\nx = "\ud800"')


@hands_in("graded", 0.0, ".ipynb")
def notebook_of_failing_cells(path: Path) -> None:
    """Has two thousand cells, each of which fails with a note."""
    notebook(path, *["def f(:"] * 2_000)


@hands_in("unreadable", ending=".ipynb")
def notebook_of_thousands_of_cells(path: Path) -> None:
    """Has twenty thousand cells, more than travel to the sandbox in one piece."""
    notebook(path, *["def f(:"] * 20_000)


# Files whose printing, raising and naming is aimed at whoever reads the reports.


@hands_in("graded", 6.0, ".py")
def file_with_markup(path: Path) -> None:
    """Prints, raises and returns markup, terminal codes and formulas in public cases."""
    path.write_text(
        f"""import numpy as np
print({MARKUP!r})
def scale(x, factor):
    print({MARKUP!r}, {FORMULA!r})
    raise type({MARKUP!r}, (Exception,), {{}})({MARKUP!r} + {FORMULA!r})
def total(x):
    return float(np.sum(x))
def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
""",
    )


@hands_in("not_importable", 0.0, ".py")
def file_with_markup_in_its_lines(path: Path) -> None:
    """Fails on a line that is markup and terminal codes, which the message quotes."""
    path.write_text(f"def scale(x, factor): return '{MARKUP[:-1]}' +++\n")


@hands_in("graded", 0.0, ".py")
def file_with_dict_of_markup(path: Path) -> None:
    """Returns markup as keys, as text and as a type's name."""
    path.write_text(
        f"""def scale(x, factor): return {{{MARKUP!r}: {FORMULA!r}}}
def total(x): return {MARKUP!r}
def grid(n): return type({MARKUP!r}, (), {{}})()
"""
    )


def hostile_names() -> tuple[str, ...]:
    """Return names of honest hand-ins that are hostile themselves; one student each, and none may be lost."""
    return (
        "<script>alert(1)<", "=cmd|' !A0", "+1+1", "-1", "@SUM(A1)", "\t=1", "a\nb", "\u202efdp.exe", "\x1b[2Jx",
        "CON", "nul", "a" * 200, "x' OR 1=1", "%2e%2e", "~root", "$HOME", "`id`", "alice", "Alice", "ALICE", "a b", "a_b", "\u00e9", "e\u0301",
        "\U0001f40d", "summary", "report", "[red]bold[", "x\\..\\..\\x", "results", "index", "grades.csv", "student\u2028two",
    )  # fmt: skip


def write_class(folder: Path, tell: Callable[[bytes], bytes]) -> None:
    """Write every hand-in into a class folder, with what `tell` knows filled in, also inside archives and links."""
    folder.mkdir()
    for hand_in in HAND_INS:
        path = folder / hand_in.name
        hand_in.build(path)
        for made in [path, *path.rglob("*")] if path.is_dir() else [path]:
            if made.is_symlink() and "@" in str(made.readlink()):
                target = tell(os.fsencode(made.readlink()))
                made.unlink()
                made.symlink_to(os.fsdecode(target))
            elif made.is_file() and not made.is_symlink() and hand_in.name.endswith((".py", ".ipynb")):
                made.write_bytes(tell(made.read_bytes()))
    for name in hostile_names():
        (folder / f"{name}.py").write_text(HONEST, encoding="utf-8")


def pytest_warns_duplicate() -> Any:
    """Expect zipfile's own warning about a name that is there twice."""
    import pytest

    return pytest.warns(UserWarning, match="Duplicate name")
