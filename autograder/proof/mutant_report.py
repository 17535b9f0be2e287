"""What the trial of mutants comes to: how many are noticed by whom, and whether each survivor has a written reason.

Reasons stand in solutions/SLUG/mutants.toml: `[[equivalent]]` for changes that change nothing, which is believed only
where outputs were the same at all further seeds, and `[[accepted]]` for those that are wrong and stay. Some of the first kind are
recognised by themselves, with the same evidence (`equivalent.py`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course.places import CourseError, entry_of, secret_folder
from autograder.proof.equivalent import why_equivalent
from autograder.proof.mutant_runs import Fate

KILLED, SHOWN = 0.99, 0.85  # of the mutants that are not equivalent: noticed by any case, noticed by public cases
_EVIDENCE = {
    "same": "nothing it gives differs at further seeds",
    "different": "what it gives differs, and every case lets it pass",
    "seeds": "a case notices it at another seed only",
}


@dataclass(frozen=True)
class Reasons:
    """Why survivors stay, by the names of mutants."""

    equivalent: dict[str, str]
    accepted: dict[str, str]
    reference: str = ""  # by which those are recognised that need no reason

    def call_equivalent(self, name: str) -> bool:
        """Whether a mutant is said, or known by itself, to change nothing."""
        return name in self.equivalent or bool(self.reference and why_equivalent(name, self.reference))


@dataclass(frozen=True)
class Row:
    """The counts of one exercise, or of all: mutants and, of the bank, known mistakes."""

    exercise: str
    mutants: int
    public: int
    hidden: int
    equivalent: int
    accepted: int
    open: int
    bank: int
    bank_public: int
    bank_noticed: int

    @property
    def noticed(self) -> float:
        """The share of mutants that any case notices, of those that are not equivalent."""
        return (self.public + self.hidden) / max(self.mutants - self.equivalent, 1)

    @property
    def shown(self) -> float:
        """The share of them that public cases notice."""
        return self.public / max(self.mutants - self.equivalent, 1)


@dataclass(frozen=True)
class Report:
    """The table of an assignment, and what breaks its promise."""

    rows: tuple[Row, ...]
    total: Row
    broken: tuple[str, ...]


def read_reasons(course: Path, slug: str, reference: str = "") -> Reasons:
    """Read the reasons of an assignment. Raises CourseError where the file is not what it should be."""
    path = secret_folder(course, slug) / "mutants.toml"
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CourseError(f"{path}: {error}") from None
    if document.keys() - {"equivalent", "accepted"}:
        raise CourseError(
            f"{path}: unknown {min(document.keys() - {'equivalent', 'accepted'})}; known are equivalent, accepted."
        )
    left = entry_of(course, slug).without
    kinds = (dict(_entries(document.get(kind, []), path)) for kind in ("equivalent", "accepted"))
    equivalent, accepted = ({n: why for n, why in kind.items() if re.split(r"\W", n)[0] not in left} for kind in kinds)
    return Reasons(equivalent, accepted, reference)


def _entries(entries: Any, path: Path) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if entry.keys() != {"mutants", "reason"} or not str(entry["reason"]).strip():
            raise CourseError(f"{path}: an entry has `mutants`, a list of their names, and a `reason`; see {entry}.")
        yield from ((name, entry["reason"]) for name in entry["mutants"])


def report(fates: Iterable[Fate], reasons: Reasons, missing: Iterable[str] = ()) -> Report:
    """Count fates, and name what is open: what is `missing`, survivors without a reason, and reasons without their survivor."""
    fates = tuple(fates)
    names = dict.fromkeys(fate.exercise for fate in fates)
    rows = tuple(_row(name, [fate for fate in fates if fate.exercise == name], reasons) for name in names)
    total = _row("all", fates, reasons)
    return Report(rows, total, (*missing, *_broken(fates, total, reasons)))


def _row(name: str, fates: Iterable[Fate], reasons: Reasons) -> Row:
    bank = [fate for fate in fates if fate.bank]
    mutants = [fate for fate in fates if not fate.bank]
    left = [fate for fate in mutants if not fate.noticed]
    equivalent = sum(reasons.call_equivalent(fate.name) and fate.evidence == "same" for fate in left)
    accepted = sum(fate.name in reasons.accepted for fate in left)
    return Row(
        name or "helpers",
        len(mutants),
        sum(fate.noticed == "public" for fate in mutants),
        sum(fate.noticed == "hidden" for fate in mutants),
        equivalent,
        accepted,
        len(left) - equivalent - accepted,
        len(bank),
        sum(fate.noticed == "public" for fate in bank),
        sum(bool(fate.noticed) for fate in bank),
    )


def _broken(fates: tuple[Fate, ...], total: Row, reasons: Reasons) -> Iterator[str]:
    survivors = {fate.name: fate for fate in fates if not fate.noticed}
    for fate in survivors.values():
        if not fate.bank and fate.evidence == "same" and reasons.call_equivalent(fate.name):
            continue
        if fate.bank or fate.name not in reasons.equivalent | reasons.accepted:
            listed = "; if that is as it should be, list it with the reason in mutants.toml" if not fate.bank else ""
            yield f"survives: {fate.name} ({_EVIDENCE[fate.evidence]}){listed}"
        elif fate.name in reasons.equivalent:
            yield f"not equivalent, as mutants.toml has it: {fate.name} ({_EVIDENCE[fate.evidence]})"
    known = {fate.name for fate in fates}
    for name in reasons.equivalent | reasons.accepted:
        if name not in survivors:
            why = "it is noticed" if name in known else "there is no such mutant"
            yield f"mutants.toml gives a reason for nothing: {name} ({why})"
    if total.mutants == 0:
        return
    if total.noticed < KILLED:
        yield f"{total.noticed:.1%} of the mutants are noticed, fewer than {KILLED:.0%}"
    if total.shown < SHOWN:
        yield f"{total.shown:.1%} of the mutants are noticed by public cases, fewer than {SHOWN:.0%}"
