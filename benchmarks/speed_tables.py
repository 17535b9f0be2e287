"""Run the benchmarks and write what they print into docs/speed.md, each between two marks, so that no figure is copied by hand.

    speed_tables.py                          all of them, as `make bench` does
    speed_tables.py bench.py -- --rounds 3   one of them, with options
    speed_tables.py peers.py                 other graders beside ours, as `make bench-peers` does

Each is told from how busy the machine was when it began: where others were at work, the page says so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "speed.md"
PROGRAMS = {
    "bench.py": ("--markdown",),
    "mix.py": ("--markdown",),
    "memory.py": ("--markdown",),
    "save_to_verdict.py": (),
    "start_up.py": (),
}
APART = {"peers.py": ("--markdown",)}  # which needs an environment of its own
LOOK_SECONDS = 3.0  # at what others do
BUSY = 0.1  # processors that others use on a machine that is not quiet


def main() -> int:
    """Run programs and write their tables into the page."""
    words, _, options = " ".join(sys.argv[1:]).partition("--")
    for name in words.split() or PROGRAMS:
        used = used_by_others()
        command = [sys.executable, str(HERE / name), *(PROGRAMS | APART)[name], *options.split()]
        ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        print(ran.stdout, flush=True)
        if ran.returncode:
            return ran.returncode
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), name, ran.stdout, used), encoding="utf-8")
    return 0


def used_by_others() -> float:
    """Return how many processors are at work while this process sleeps; none where the system does not tell."""
    before, began = _busy_seconds(), time.monotonic()
    time.sleep(LOOK_SECONDS)
    return (_busy_seconds() - before) / (time.monotonic() - began)


def _busy_seconds() -> float:
    """Return the seconds that all processors together have worked; the fourth and fifth numbers are idle ones."""
    try:
        numbers = [int(word) for word in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    except OSError:
        return 0.0
    return (sum(numbers) - numbers[3] - numbers[4]) / os.sysconf("SC_CLK_TCK")


def written(page: str, name: str, printed: str, used: float) -> str:
    """Return a page with what a program printed between its marks. Raises ValueError where they are not there."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise ValueError(f"the page has no marks for {name}")
    state = f"Others used {used:.1f} processors when it began" if used > BUSY else "The machine was quiet when it began"
    bear = ": the ratios bear that better than the seconds." if used > BUSY else "."
    lines = [f"`{name}`. {state}{bear}", "", *_spaced(printed.strip().splitlines())]
    return before + begin + "\n".join(lines) + "\n" + end + after


def _spaced(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines with an empty one before each table, without which Markdown may see none."""
    for last, line in zip(["", *lines], lines, strict=False):
        if line.startswith("|") and last and not last.startswith("|"):
            yield ""
        yield line


if __name__ == "__main__":
    sys.exit(main())
