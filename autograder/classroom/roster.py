"""Who is in the class, until when each may hand in, and whose a submission is.

A roster is a CSV with a header: `id`, and as far as there are any `name` (or `first name` and `last name`), `email`,
`login`, `section` and `extension`. Moodle's grading worksheet is a roster, too, with `Identifier` and `Last modified
(submission)`. Commas, semicolons and tabs separate. An extension is hours (`48`, `48h`), days (`2d`) or a
date of its own (`2026-03-05`, `2026-03-05T12:00`).
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.classroom.lateness import DateError, due_with
from autograder.classroom.tables import TableError, table_rows, table_text
from autograder.lms.dates import worded_moment
from autograder.lms.platform import Owner
from autograder.submission.archives import printable, several

_COLUMNS = {
    "id": (
        "idnumber",
        "idnummer",
        "matrikelnummer",
        "matrikelnr",
        "id",
        "studentid",
        "sid",
        "sisuserid",
        "orgdefinedid",
        "username",
        "login",
        "sisloginid",
        "anmeldename",
        "benutzername",
        "nutzername",
        "identifier",
    ),
    "login": (
        "login",
        "username",
        "sisloginid",
        "loginid",
        "githubusername",
        "anmeldename",
        "benutzername",
        "nutzername",
    ),
    "name": ("name", "fullname", "student", "studentname", "vollstndigername"),
    "first": ("firstname", "givenname", "first", "vorname"),
    "last": ("lastname", "surname", "familyname", "last", "nachname"),
    "email": ("email", "emailaddress", "mail", "emailadresse"),
    "participant": ("identifier", "id"),
    "submitted": ("lastmodifiedsubmission", "zuletztgendertabgabe"),
    "section": ("section", "sections", "group", "groups", "gruppe", "gruppen"),
    "extension": ("extension", "duedateextension", "extensions", "extended"),
}
_PARTICIPANT = re.compile(
    r"(?:Participant|Teilnehmer(?:/in|in)?) ?(\d+)", re.IGNORECASE
)  # whom Moodle's worksheet names so; in German there is no space


class RosterError(Exception):
    """The roster, or a due date, cannot be used; the message says what is wrong, where, and what to do."""


@dataclass(frozen=True)
class Person:
    """A line of the roster."""

    id: str
    name: str = ""
    email: str = ""
    section: str = ""
    extension: str = ""
    login: str = ""  # the user name
    participant: str = ""  # the number that Moodle's folders of one assignment have
    submitted: str = ""  # when Moodle's worksheet of that assignment says that something was handed in, in ISO 8601


class Roster:
    """The people of a class, and a way to find one by what an export says; `aliases` are ids by names of exports."""

    def __init__(self, people: Sequence[Person], aliases: Mapping[str, str] | None = None, *, remark: str = "") -> None:
        self.people, self.aliases = tuple(people), dict(aliases or {})
        self.remark = remark  # on the file
        self._by: dict[str, dict[str, list[Person]]] = {
            key: defaultdict(list) for key in ("id", "login", "email", "name", "participant")
        }
        for person in self.people:
            self._by["id"][person.id.casefold()].append(person)
            self._by["login"][person.login.casefold()].append(person)
            self._by["participant"][person.participant].append(person)
            for address in {person.email.casefold(), person.email.casefold().partition("@")[0]} - {""}:
                self._by["email"][address].append(person)
            for name in set(rotations(person.name)):
                self._by["name"][name].append(person)

    def match(self, owners: Collection[Owner]) -> dict[Owner, Person | None]:
        """Return whose what each of an export's owners handed in is, as `find` does.

        In Moodle a participant has another number in each assignment. If a name is on the roster once, and its number is not
        that of the export, the roster has the numbers of another assignment. Then none of them is used.
        """
        named = ((owner, self._by["name"].get(letters_of(owner.name), [])) for owner in owners if owner.name)
        foreign = any(
            len(people) == 1 and people[0].participant not in ("", owner.number)
            for owner, people in named
            if owner.system == "moodle"
        )
        roster = Roster([replace(person, participant="", submitted="") for person in self.people]) if foreign else self
        return {owner: roster.find(owner) for owner in owners}

    def find(self, owner: Owner) -> Person | None:
        """Return whose it is, or None where no student, or more than one, fits.

        Each system numbers its users by itself, so such a number alone never outweighs a name that says otherwise.
        """
        sure = (("login", owner.sid), ("id", owner.sid), ("email", owner.email), ("email", owner.sid))
        for kind, clue in (*sure, ("id", owner.key), ("login", owner.key), ("email", owner.key)):
            if person := self._only(kind, clue.casefold()):
                return person
        named = self._by["name"].get(letters_of(owner.name or owner.key), [])
        participant = self._only("participant", owner.number) if owner.system == "moodle" else None
        if participant and (participant in named or _ends_in(owner.name, participant.name)):
            return participant
        numbered = self._only("id", owner.number)
        if numbered and (numbered in named or not (owner.name and numbered.name)):
            return numbered
        return named[0] if len(named) == 1 else None

    def _only(self, kind: str, clue: str) -> Person | None:
        found = self._by[kind].get(clue, []) if clue else []
        return found[0] if len(found) == 1 else None


def read_roster(path: Path) -> Roster:
    """Read a roster. Raises RosterError."""
    try:
        text = table_text(path)
    except TableError as error:
        raise RosterError(f"The roster {error}") from None
    by_email: list[int] = []
    try:
        people = tuple(_people(text, by_email))
    except RosterError as error:
        raise RosterError(f"{path}: {error}") from None
    except csv.Error as error:
        raise RosterError(f"{path} is not a CSV file ({error}).") from None
    if not people:
        raise RosterError(f"The roster {path} names no student below its first line. Is it the right file?")
    some = 0 < len(by_email) < len(people)
    return Roster(people, remark=f"{path}: {_told_lines(by_email)} no id and go by the email." if some else "")


def _people(text: str, by_email: list[int]) -> Iterator[Person]:
    """Yield the students, and note the lines of those who go by their email. Raises RosterError."""
    rows = table_rows(text)
    columns = _columns(next(rows, (0, []))[1])
    taken, unknown = dict[str, int](), dict[int, str]()
    for line, row in rows:
        if several_lines := next((row[i] for i in columns.values() if i < len(row) and "\n" in row[i].strip()), ""):
            began, said = line - sum(cell.count("\n") for cell in row), several_lines.partition("\n")[0]
            raise RosterError(
                f"line {began} has a cell that goes on in the next line: {printable(said)!r}. Is a quote not closed?"
            )
        cells = {key: " ".join(row[i].split()) if i < len(row) else "" for key, i in columns.items()}
        name = cells.get("name") or f"{cells.get('first', '')} {cells.get('last', '')}".strip()
        participant, number = _PARTICIPANT.fullmatch(cells.get("participant", "")), cells.get("id", "")
        if not number or (participant and number == participant[0]):  # that number is of one assignment alone
            number = cells.get("email", "") or number
            by_email += [line] * bool(cells.get("email"))
        if not number:
            if any(cells.values()) and name != "Points Possible":  # the second line of Canvas's own sheet
                unknown[line] = name or next(filter(None, cells.values()))
            continue
        where = f"line {line}"
        if number.casefold() in taken:
            raise RosterError(
                f"{where} has the id {printable(number)} again, which line {taken[number.casefold()]} has."
            )
        taken[number.casefold()] = line
        extension = cells.get("extension", "")
        try:
            due_with(None, extension)
        except DateError as error:
            raise RosterError(f"{where}: {error}") from None
        yield Person(
            number,
            name,
            cells.get("email", ""),
            cells.get("section", ""),
            extension,
            cells.get("login", ""),
            participant[1] if participant else "",
            _moment_of(cells.get("submitted", "")) if participant else "",
        )
    if unknown:
        told = f"{_told_lines(unknown)} neither an id nor an email ({several(unknown.values())})"
        raise RosterError(f"{told}. Fill one in, or delete what is no student.")


def _told_lines(lines: Collection[int]) -> str:
    """Name lines, to be followed by what they have none of."""
    return f"line{'s' * (len(lines) > 1)} {several(map(str, lines))} {'have' if len(lines) > 1 else 'has'}"


def _moment_of(text: str) -> str:
    """Return what Moodle writes as `Sunday, 1 March 2026, 4:00 PM`, in its user's time zone, in ISO 8601; nothing for another form."""
    day, _, rest = text.partition(",")
    found = worded_moment(rest if day.isalpha() else text)
    return found.isoformat() if found else ""


def _columns(header: Sequence[str]) -> Mapping[str, int]:
    """Return where each column that is known stands. Raises RosterError where students could not be told apart."""
    names = [re.sub(r"[^a-z]", "", cell.casefold()) for cell in header]
    found = {
        key: next(names.index(known) for known in words if known in names)
        for key, words in _COLUMNS.items()
        if set(words) & set(names)
    }
    if not {"id", "email"} & found.keys():
        raise RosterError(
            "the first line names no column id or email. Begin with a line such as id,name,email,section."
        )
    return found


def _ends_in(said: str, name: str) -> bool:
    """Whether an export says a name, perhaps with a team's name in front of it. Without a name it has to say nothing."""
    return letters_of(said).endswith(letters_of(name)) if name else not said


def rotations(name: str) -> Iterator[str]:
    """Yield a name's letters with every word first in turn: Canvas writes the last name first."""
    words = name.replace(",", " ").split()
    for i in range(len(words)):
        if letters := letters_of("".join(words[i:] + words[:i])):
            yield letters


def letters_of(name: str) -> str:
    """Return what of a name is compared: its letters and digits, small and without accents."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(c for c in plain if c.isalnum())
