"""The names of students: those they get in the grades, and those of an export that a person maps to the roster.

Such a map (aliases) is a CSV with the columns `name` and `id`. A name is what the export calls a student, or what the grades
do; capitals, spaces and signs in it do not count.
"""

from __future__ import annotations

import csv
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from autograder.classroom.roster import Person, Roster, RosterError, letters_of
from autograder.classroom.tables import TableError, table_rows, table_text
from autograder.lms.platform import Owner
from autograder.submission.archives import printable, several

_LONGEST_STUDENT = 80
_MOST_BYTES = 150  # of a name, which files with more around it are called
# Latin letters that are no letter with a sign, as people write them where they have only a to z.
_LATIN = str.maketrans({
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D",
    "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ħ": "h", "Ħ": "H", "ŧ": "t", "Ŧ": "T", "ŋ": "n", "Ŋ": "N", "\N{LATIN SMALL LETTER DOTLESS I}": "i", "ə": "e", "Ə": "E",
})  # fmt: skip
_SIGNS = re.compile(r"([A-Za-z])[\u0300-\u036f]+")  # on letters from a to z
_OF_WINDOWS = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # what no file may be called there
_TOLD = 3  # groups of names that are alike
_NAMES = ("name", "student", "export", "submission")


def student_names(owners: Iterable[str]) -> dict[str, str]:
    """Give every owner a name that is safe in a path and unique in the class, whatever its case.

    Where several become alike, each gets a checksum of its own, unless it is the only one that needed no change. So a
    student who hands in late never takes over another one's name, and with it that one's page.
    """
    plain = {owner: _plain(owner) for owner in owners}
    alike = Counter(name.casefold() for name in plain.values())
    unchanged = Counter(name.casefold() for owner, name in plain.items() if owner == name)
    kept = {o: n for o, n in plain.items() if alike[n.casefold()] == 1 or (o == n and unchanged[n.casefold()] == 1)}
    taken = {name.casefold() for name in kept.values()}
    for owner in sorted(plain.keys() - kept.keys()):
        salt = 0
        while (name := f"{plain[owner][: _LONGEST_STUDENT - 9]}-{_checksum(owner, salt)}").casefold() in taken:
            salt += 1
        taken.add(name.casefold())
        kept[owner] = name
    return kept


def told_apart(names: Mapping[str, str]) -> list[str]:
    """Say what students are called whose own names differ in capitals or signs alone; `names` are those of owners."""
    alike: dict[str, list[str]] = {}
    for owner in sorted(names):
        alike.setdefault(_plain(owner).casefold(), []).append(owner)
    lines = [
        several(f"{printable(owner)} is {names[owner]}" for owner in one) for one in alike.values() if len(one) > 1
    ]
    more = [f"{len(lines) - _TOLD} more names are told apart so."] if len(lines) > _TOLD else []
    return [*(f"names that are alike are told apart in the grades: {line}" for line in lines[:_TOLD]), *more]


def _plain(owner: str) -> str:
    """Return a name with Latin letters as a to z, and those of other scripts as they are."""
    letters = unicodedata.normalize("NFKD", owner.translate(_LATIN))
    letters = unicodedata.normalize("NFC", _SIGNS.sub(r"\1", letters))
    safe = "".join(letter if is_safe(letter) else " " for letter in letters)
    name = "_".join(safe.split()).strip("._-")[:_LONGEST_STUDENT]
    name = name.encode()[:_MOST_BYTES].decode("utf-8", "ignore").rstrip("._-")
    if not name or _OF_WINDOWS.fullmatch(name):
        return f"student-{name or _checksum(owner)}"
    return name


def is_safe(letter: str) -> bool:
    """Whether a file may be called by a letter: also a sign on one, which some scripts cannot do without."""
    return letter in "._-" or unicodedata.category(letter)[0] in "LMN"


def _checksum(owner: str, salt: int = 0) -> str:
    return f"{zlib.crc32(owner.encode('utf-8', 'surrogatepass'), salt):08x}"


def read_aliases(path: Path, roster: Roster) -> Mapping[str, str]:
    """Return ids of the roster by name. Raises RosterError."""
    try:
        return dict(_pairs(table_text(path), {person.id.casefold(): person.id for person in roster.people}))
    except TableError as error:
        raise RosterError(str(error)) from None
    except (RosterError, csv.Error) as error:
        raise RosterError(f"{path}: {error}") from None


def _pairs(text: str, ids: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    rows = table_rows(text)
    columns = [cell.strip().casefold() for cell in next(rows, (0, []))[1]]
    at = next((columns.index(name) for name in _NAMES if name in columns), None)
    if at is None or "id" not in columns:
        raise RosterError("the first line names no columns name and id. Begin with the line name,id.")
    taken: dict[str, tuple[str, int]] = {}
    for number, row in rows:
        if not any(row):
            continue
        where = f"line {number}"
        name, person = (row[i].strip() if i < len(row) else "" for i in (at, columns.index("id")))
        if not letters_of(name):
            raise RosterError(f"{where} has no name. Write what the export calls the student.")
        if not person:
            raise RosterError(f"{where} has no id. Write the one on the roster.")
        if person.casefold() not in ids:
            raise RosterError(f"{where} has the id {printable(person)}, which is not on the roster.")
        earlier, line = taken.setdefault(letters_of(name), (person.casefold(), number))
        if earlier != person.casefold():
            raise RosterError(f"{where} has the name {printable(name)} again, for another id than line {line}.")
        yield name, ids[person.casefold()]
    if not taken:
        raise RosterError("it has no line below its first. Is it the right file?")


class Aliases:
    """Whose a submission is by a name that a person mapped."""

    def __init__(self, roster: Roster) -> None:
        self._names = {letters_of(name): name for name in roster.aliases}
        people = {person.id: person for person in roster.people}
        self._people = {key: people[roster.aliases[n]] for key, n in self._names.items() if roster.aliases[n] in people}

    def find(self, owner: Owner) -> Person | None:
        """Return who it is, if the name is mapped."""
        return next((self._people[key] for key in _keys(owner) if key in self._people), None)

    def check(self, owners: Iterable[Owner]) -> None:
        """See that no name means several students of the export. Raises RosterError."""
        found: dict[str, set[str]] = {}
        for owner in owners:
            if key := next((key for key in _keys(owner) if key in self._people), None):
                found.setdefault(key, set()).add(owner.key)
        for key, who in found.items():
            if len(who) > 1:
                told = f"{printable(self._names[key])} may be any of {several(sorted(who))}"
                raise RosterError(f"{told}. Map one of these names in its place.")

    def unmatched(self, owners: Iterable[Owner], here: Iterable[str]) -> list[str]:
        """Return the mapped names that no student of the export has. Names of ids that are `here` count as found."""
        used, ids = {key for owner in owners for key in _keys(owner)}, set(here)
        return [self._names[key] for key, person in self._people.items() if key not in used and person.id not in ids]


def _keys(owner: Owner) -> list[str]:
    """Return a student's names in an export, the surest first."""
    return [key for name in (owner.key, owner.sid, owner.email, owner.name) if (key := letters_of(name))]
