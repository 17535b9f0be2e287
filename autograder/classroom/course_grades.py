"""What the students of a course come to over its assignments: a pure function of the gradebooks and the course's rules.

Each assignment's points become a share. Lateness takes off whole days, of which each student has some free, used up in the
order in which assignments were due. The lowest shares are dropped, what is left is averaged by weight, and bonus adds to it.
What is not graded yet does not count until it is, and is told.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from autograder.classroom.course_rules import Counts, Exempt, LateRule, Rules, RulesError
from autograder.classroom.gradebook_view import names_of
from autograder.classroom.lateness import lateness
from autograder.classroom.record import NOT_SUBMITTED, Record
from autograder.classroom.settled import is_settled
from autograder.course.slug_order import by_number

SLIPS = 0.15  # below the mean of what came before, which is worth a word with a student


@dataclass(frozen=True)
class Sheet:
    """One graded assignment: everyone's record, those who handed in nothing included."""

    slug: str
    title: str
    due: str  # of the class, in ISO 8601; or nothing
    records: tuple[Record, ...]
    course: str = ""  # the folder of the course that it was graded by


@dataclass(frozen=True)
class Part:
    """One student's part in one assignment."""

    slug: str
    title: str
    raw: float | None  # points; None where it is not graded yet
    most: float
    weight: float
    bonus: bool
    submitted: bool
    late_days: int | None = 0  # days begun, without those of grace; None where the export does not say when it came
    free_days: int = 0  # of them, those that were free
    taken: float = 0.0  # points that lateness costs
    exempt: str = ""  # why it does not count for this student
    dropped: bool = False

    @property
    def final(self) -> float | None:
        """The points that count."""
        return None if self.raw is None else self.raw - self.taken

    @property
    def share(self) -> float | None:
        """The points that count, of what can be reached."""
        return None if self.final is None or not self.most else self.final / self.most

    @property
    def counted(self) -> bool:
        """Whether it is a part of the total."""
        return self.share is not None and not self.exempt and not self.dropped


@dataclass(frozen=True)
class Standing:
    """What one student comes to over the course."""

    student: str
    name: str
    section: str
    parts: tuple[Part, ...]
    free_days_left: int

    @property
    def total(self) -> float | None:
        """The share of the whole, bonus included; None while nothing counts."""
        base = sum(part.weight for part in self.parts if part.counted and not part.bonus)
        reached = sum(part.weight * (part.share or 0.0) for part in self.parts if part.counted)
        return reached / base if base else None

    @property
    def slips(self) -> float:
        """How far the latest share is below the mean of those before; 0 where it is not."""
        shares = [
            part.share or 0.0 for part in self.parts if part.share is not None and not part.exempt and not part.bonus
        ]
        return max(statistics.fmean(shares[:-1]) - shares[-1], 0.0) if len(shares) > 1 else 0.0


def course_grades(
    sheets: Sequence[Sheet], rules: Rules, assignments: Collection[str] | None = ()
) -> tuple[Standing, ...]:
    """Return what every student comes to, by student. Raises RulesError where rules name what there is not.

    Rules may also name `assignments` that are not graded yet; None stands for those of a course that is not at hand.
    """
    sheets = sorted(sheets, key=lambda sheet: (*_when(sheet, rules.counts(sheet.slug)), by_number(sheet.slug)))
    people: dict[str, dict[str, Record]] = {}
    for sheet in sheets:
        for record in sheet.records:
            people.setdefault(_key(record), {})[sheet.slug] = record
    _refuse_strangers(rules, [sheet.slug for sheet in sheets], assignments)
    exempt = {(_meant(one, rules, sheets), one.assignment): one.because for one in rules.exempt}
    return tuple(sorted((_standing(people[key], sheets, rules, exempt) for key in people), key=lambda one: one.student))


def _standing(
    records: Mapping[str, Record],
    sheets: Iterable[Sheet],
    rules: Rules,
    exempt: Mapping[tuple[str, str], str],
) -> Standing:
    one = next(iter(records.values()))
    free, parts = rules.late.free_days, []
    for sheet in sheets:
        counts = rules.counts(sheet.slug)
        part = _part(sheet, counts, records.get(sheet.slug))
        part = replace(part, exempt=exempt.get((_key(one), sheet.slug), ""))
        record = records.get(sheet.slug)
        if record and counts.late and part.raw is not None and part.submitted and not part.exempt:
            if (counts.due or sheet.due) and _is_undated(record):
                part = replace(part, late_days=None)
            else:
                part = _with_lateness(part, _late_hours(record, counts), rules.late, free)
            free -= part.free_days
        parts.append(part)
    person = next((record.person for record in records.values() if record.person), None)
    name = person.name if person and person.name else one.lms.name
    parts = _drop(parts, rules)
    return Standing(_who(one), name, person.section if person else "", tuple(parts), free)


def _part(sheet: Sheet, counts: Counts, record: Record | None) -> Part:
    most = max((r.max_score for r in sheet.records), default=0.0)
    is_open = record is not None and not is_settled(record)
    raw = None if is_open else record.points if record else 0.0
    submitted = record is not None and record.status != NOT_SUBMITTED
    return Part(sheet.slug, counts.title or sheet.title, raw, most, counts.weight, counts.bonus, submitted)


def _with_lateness(part: Part, hours: float, rule: LateRule, free: int) -> Part:
    days = math.ceil(max(hours - rule.grace_minutes / 60, 0.0) / 24)
    if not days or not rule.per_day:
        return replace(part, late_days=days)
    used = min(days, free)
    percent = min(rule.per_day * (days - used), rule.most)
    return replace(part, late_days=days, free_days=used, taken=min(part.most * percent / 100, part.raw or 0.0))


def _is_undated(record: Record) -> bool:
    """Whether nothing says when a submission came, or that it was late."""
    return record.submitted is None and record.late_hours is None and not record.late


def _late_hours(record: Record, counts: Counts) -> float:
    """Return how late a submission was; a mark of the export without a time is one hour."""
    if counts.due is None or record.submitted is None:
        return record.late_hours or float(record.late)
    extension = record.person.extension if record.person else ""
    when = datetime.fromisoformat(record.submitted)
    return lateness(when, counts.due, extension, marked=record.late).hours or 0.0


def _drop(parts: Sequence[Part], rules: Rules) -> list[Part]:
    """Drop the lowest shares, as many as the rules say, but never the last that counts; of equal ones the earlier."""
    may = [part for part in parts if part.counted and not part.bonus and rules.counts(part.slug).dropped]
    counted = sum(part.counted and not part.bonus for part in parts)
    number = min(rules.drop_lowest, len(may), max(counted - 1, 0))
    lowest = {part.slug for part in sorted(may, key=lambda part: part.share or 0.0)[:number]}
    return [replace(part, dropped=part.slug in lowest) for part in parts]


def _when(sheet: Sheet, counts: Counts) -> tuple[bool, float]:
    """Return by what assignments are in order: when they were due, and those without a date at the end."""
    due = counts.due or (datetime.fromisoformat(sheet.due) if sheet.due else None)
    return due is None, due.timestamp() if due else 0.0


def _who(record: Record) -> str:
    """Return by what a student is known in every assignment: the roster's id, or the name in the grades."""
    return record.person.id if record.person and record.person.id else record.student


def _key(record: Record) -> str:
    """Return the same whatever its capitals, in which alone no two file names differ on many machines."""
    return _who(record).casefold()


def in_all(sheets: Sequence[Sheet]) -> int:
    """Count the students who are in every gradebook."""
    return len(set.intersection(*({_key(record) for record in sheet.records} for sheet in sheets)))


def doubled(sheets: Iterable[Sheet]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the names that belong to different ids in different gradebooks, with these ids: mostly each is one student."""
    places: dict[tuple[str, ...], dict[str, set[str]]] = {}
    names: dict[tuple[str, ...], str] = {}
    ids: dict[str, str] = {}
    for sheet in sheets:
        for record in sheet.records:
            name = (record.person and record.person.name) or record.lms.name
            words = tuple(sorted(name.casefold().replace(",", " ").split()))  # "Doe, Ann" is "Ann Doe"
            names.setdefault(words, name)
            places.setdefault(words, {}).setdefault(ids.setdefault(_key(record), _who(record)), set()).add(sheet.slug)
    found = ((names[words], tuple(one)) for words, one in places.items() if words and _apart(tuple(one.values())))
    return tuple(sorted(found))


def spelled_twice(sheets: Iterable[Sheet]) -> tuple[tuple[str, ...], ...]:
    """Return the ids that gradebooks write with different capitals, each with its spellings: each is one student."""
    found: dict[str, dict[str, None]] = {}
    for sheet in sheets:
        for record in sheet.records:
            found.setdefault(_key(record), {})[_who(record)] = None
    return tuple(sorted(tuple(names) for names in found.values() if len(names) > 1))


def _apart(places: Sequence[set[str]]) -> bool:
    """Whether two ids are in no gradebook together, so that they may be one student; namesakes are in both."""
    return any(a.isdisjoint(b) for number, a in enumerate(places) for b in places[number + 1 :])


def ungraded(sheets: Iterable[Sheet], rules: Rules) -> tuple[str, ...]:
    """Return the assignments that rules name and of which there is no graded folder."""
    graded = {sheet.slug for sheet in sheets}
    return tuple(slug for slug in rules.names if slug not in graded)


def _refuse_strangers(rules: Rules, graded: Sequence[str], assignments: Collection[str] | None) -> None:
    known = rules.names if assignments is None else tuple(dict.fromkeys((*graded, *assignments)))
    for slug in rules.names:
        if slug not in known:
            told = f"{rules.file} names {slug}, and there is no such assignment"
            raise RulesError(f"{told}. There are: {', '.join(known)}.")


def _meant(one: Exempt, rules: Rules, sheets: Sequence[Sheet]) -> str:
    """Return the key of the student whom a rule exempts, by the name in the grades or by id, email or name on the roster."""
    wanted, records = one.student.casefold(), [record for sheet in sheets for record in sheet.records]
    keys = {_key(record) for record in records}
    if wanted in keys:
        return wanted
    found = {_key(record) for record in records if wanted in {record.student.casefold(), *names_of(record)}}
    if len(found) > 1:
        raise RulesError(
            f"{rules.file} exempts {one.student}, and these are several: {', '.join(sorted(found))}. Use the id."
        )
    if not found and one.assignment in {sheet.slug for sheet in sheets}:
        raise RulesError(f"{rules.file} exempts {one.student}, who is in no gradebook. Use the roster's id.")
    return found.pop() if found else wanted
