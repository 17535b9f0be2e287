"""Prove for `doctor` that a handout can be made, gives nothing away, judges as `autograder check` does, and reads well."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.catalog import readme_of
from autograder.course.joined_files import join
from autograder.course.places import CourseError
from autograder.course.spec import Assignment
from autograder.course.stub import StubError
from autograder.handout.handout import engine_files, handout_files, links, write_files
from autograder.handout.kit.bundle import SEED, Bundle, BundleError, read_bundle
from autograder.handout.kit.self_check import check
from autograder.handout.leaks import leaks, pasted, secrets_of
from autograder.handout.public_data import (
    describe_case,
    describe_outcomes,
    describe_smaller,
    limits_and_rules,
    public_bundle,
    public_oracle,
)
from autograder.judge.forbidden import Reading
from autograder.judge.grade import judge_run
from autograder.judge.result import Result
from autograder.judge.result_json import told_result
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Ending, JobResult, Outcome, Source
from autograder.sandbox.process import ProcessSandbox

_CODE = re.compile(r"```.*?```|~~~.*?~~~|`[^`\n]*`|^(?: {4}|\t).*$", re.DOTALL | re.MULTILINE)
_DISPLAY = re.compile(r"\$\$(.*?)\$\$", re.DOTALL)
_INLINE = re.compile(r"(?<![\\$])\$(?!\$)(.+?)(?<![\\$])\$(?!\$)", re.DOTALL)
_FILE = re.compile(r"(?<!`)`((?:[\w-]+/)*[\w-]+\.(?:py|ipynb|txt|md|csv|toml|svg|png))`")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_ANCHOR = re.compile(r"\]\(#([^)\s]+)\)")
_PAIRS = (("{", "}"), (r"\left", r"\right"), (r"\begin{", r"\end{"))


def handout_proofs(
    course: Path, assignment: Assignment, known: Sequence[Oracle] = ()
) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield each promise about an assignment's handout with its violations; oracles that are `known` save work."""
    try:
        oracle = next((each.public() for each in known if each.seed == SEED), None) or public_oracle(assignment)
        files = handout_files(course, oracle)
    except (BundleError, CourseError, StubError, OSError) as error:
        yield "a handout can be made", (str(error),)
        return
    readme = readme_of(course, assignment.slug)
    given_away = leaks(files, secrets_of(oracle, readme, known), engine_files())
    yield "the handout gives nothing away", itertools.chain(pasted(readme, assignment), given_away)
    yield "its check gives the verdicts of autograder check", other_verdicts(oracle, files)
    if assignment.trainings:
        limits = {f"{training.seconds:g} seconds": training.exercise for training in assignment.trainings}
        silent = [limit for limit in limits if limit not in " ".join(readme.split())]
        told = (f"README.md does not say `{limit}`, which `{limits[limit]}` may take" for limit in silent)
        yield "its README says how long trainings may take", told
    yield "its links lead somewhere and its formulas are whole", text_faults(files)


def other_verdicts(oracle: Oracle, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield where the handout's check differs from `autograder check`: on the stub, the reference and every known mistake."""
    assignment, ours = oracle.assignment, public_bundle(oracle)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(files, folder)
        stubs = {name: files[name].decode() for name in assignment.files or (assignment.file,)}
        stub = join(stubs) if assignment.files else stubs[assignment.file]
        for what, text in (("stub", stub), ("reference", assignment.reference)):
            write_files({name: part.encode() for name, part in assignment.as_files(text).items()}, folder)
            told, wanted = _run(folder), _comparable(told_result(check(Source.of(assignment.file, text), ours)))
            if told != wanted:
                yield f"the {what} gets another verdict from check.py: {_differing(told, wanted)}"
        theirs = read_bundle(folder / "engine")
    if _all_known(ours) == _all_known(theirs):  # to judge hundreds of mistakes by both would take a minute
        return
    for m in assignment.misconceptions:
        answers = [oracle.answers((m.name,), trial) for trial in oracle.trials]
        outcomes = tuple(outcome for found in answers for outcome in found or ())
        if None not in answers and _judged(assignment, ours, outcomes) != _judged(assignment, theirs, outcomes):
            yield f"{m.name} gets another verdict"


def _all_known(bundle: Bundle) -> tuple[str, list[Any]]:
    """Return all that a bundle's judge knows, as data to compare; the same data give the same verdicts."""
    arrays: dict[str, np.ndarray] = {}
    known: list[list[Any]] = [[limits_and_rules(bundle.assignment), dict(bundle.signatures)]]
    known += [
        [describe_case(t, bundle.expected(t), arrays), describe_smaller(bundle.smaller(t), arrays)]
        for t in bundle.trials
    ]
    for m in bundle.assignment.misconceptions:
        found = {trial.name: bundle.known.get((m.name, trial.name)) for trial in bundle.trials}
        gives = {key: describe_outcomes(outcomes, arrays) for key, outcomes in found.items() if outcomes}
        known += [[m, gives]] if gives else []  # what changes no public case is never told
    numbers = [(array.dtype.str, array.shape, array.tobytes()) for array in arrays.values()]
    return json.dumps(known, default=repr, sort_keys=True), numbers


def _run(folder: Path) -> Any:
    command = [sys.executable, "-B", "check.py", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8")
    try:
        return _comparable(json.loads(done.stdout))
    except ValueError:
        return done.stderr


def _differing(told: Any, wanted: Any) -> str:
    """Return the first case in which two results differ, or the last line of an error message."""
    if isinstance(told, str):
        return told.strip().rpartition("\n")[2]
    rows = [[(e["name"], case) for e in tree["exercises"] for case in e["cases"]] for tree in (told, wanted)]
    pairs = ((mine, theirs) for mine, theirs in zip(*rows, strict=False) if mine != theirs)
    return next((f"{mine[0]}.{_said(mine[1])}, and not {_said(theirs[1])}" for mine, theirs in pairs), "")


def _said(case: Any) -> str:
    return f"{case['name']} {case['status']}: {case['headline']}"


def _judged(assignment: Assignment, bundle: Bundle, outcomes: tuple[Outcome, ...]) -> Result:
    source = Source(Path(assignment.file).stem, ())  # both sides would read the same source
    sandbox = ProcessSandbox()
    ran = JobResult(outcomes, Outcome(Ending.RETURNED))
    return judge_run(Reading(source, assignment, sandbox), bundle, sandbox, ran)


def _comparable(tree: Any) -> Any:
    """Return a result as JSON data without times."""
    if isinstance(tree, dict):
        return {key: _comparable(value) for key, value in tree.items() if key != "seconds"}
    return [_comparable(item) for item in tree] if isinstance(tree, list | tuple) else tree


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
