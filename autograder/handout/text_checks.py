"""Check a handout's text: its links lead to its files, and notebooks and GitHub can render its formulas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from autograder.handout.handout import links

_CODE = re.compile(r"```.*?```|~~~.*?~~~|`[^`\n]*`|^(?: {4}|\t).*$", re.DOTALL | re.MULTILINE)
_DISPLAY = re.compile(r"\$\$(.*?)\$\$", re.DOTALL)
_INLINE = re.compile(r"(?<![\\$])\$(?!\$)(.+?)(?<![\\$])\$(?!\$)", re.DOTALL)
_FILE = re.compile(r"(?<!`)`((?:[\w-]+/)*[\w-]+\.(?:py|ipynb|txt|md|csv|toml|svg|png))`")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_ANCHOR = re.compile(r"\]\(#([^)\s]+)\)")
_PAIRS = (("{", "}"), (r"\left", r"\right"), (r"\begin{", r"\end{"))


def text_faults(files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the faults in the text of a handout's README and notebooks, each with its place."""
    for name, data in files.items():
        if name.endswith(".md"):
            yield from _faults(name, data.decode(), files)
        elif name.endswith(".ipynb"):
            for number, cell in enumerate(json.loads(data)["cells"]):
                if cell["cell_type"] == "markdown":
                    yield from _faults(f"{name}, cell {number}", "".join(cell["source"]), files)


def _faults(where: str, text: str, files: Mapping[str, bytes]) -> Iterator[str]:
    yield from (f"{where} links to {target}, which is not in it" for target in links(text) if target not in files)
    known = {name for path in files for name in (path, path.rpartition("/")[2])}
    told = dict.fromkeys(_FILE.findall(text))
    yield from (f"{where} speaks of `{name}`, which is not in it" for name in told if name not in known)
    if where.endswith(".md"):
        places = {_anchor(heading) for heading in _HEADING.findall(text)}
        yield from (f"{where} links to #{a}, which is no heading" for a in _ANCHOR.findall(text) if a not in places)
    yield from (f"{where}: {fault}" for fault in formula_faults(text))


def _anchor(heading: str) -> str:
    """Return GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def formula_faults(text: str) -> Iterator[str]:
    """Yield what keeps formulas from being rendered: unpaired marks, and dollar signs that GitHub takes for money."""
    text = _CODE.sub("", text).replace(r"\$", "")
    for formula in _DISPLAY.findall(text):
        yield from _unpaired(formula)
        if "\n\n" in formula:
            yield f"a formula holds an empty line: {_start(formula)}"
    for block in re.split(r"\n\s*\n|\n(?=[|#>*-])", _DISPLAY.sub("", text)):
        for match in _INLINE.finditer(block):
            yield from _unpaired(match[1])
            after = block[match.end() : match.end() + 1]
            if match[1] != match[1].strip() or after.isalnum():
                yield f"GitHub does not take this for a formula: {_start(match[0] + after)}"
        rest = _INLINE.sub("", block)
        if "$" in rest:
            yield f"a $ that opens or closes nothing: {_start(rest[max(0, rest.index('$') - 20) :])}"


def _unpaired(formula: str) -> Iterator[str]:
    plain = formula.replace(r"\{", "").replace(r"\}", "")
    for opening, closing in _PAIRS:
        if len(re.findall(_word(opening), plain)) != len(re.findall(_word(closing), plain)):
            yield f"{opening} without {closing}: {_start(formula)}"


def _word(mark: str) -> str:
    """Return a pattern for a mark that does not begin a longer one, as left begins leftarrow."""
    return re.escape(mark) + ("(?![a-zA-Z])" if mark[-1].isalpha() else "")


def _start(text: str) -> str:
    return " ".join(text.split())[:60]
