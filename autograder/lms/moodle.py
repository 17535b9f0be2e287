"""Moodle: `Download all submissions` names folders or files, the offline grading worksheet goes back.

| what | name |
|---|---|
| a student's files | `Ada Lovelace_12345_assignsubmission_file/`; with another `_` at the end before Moodle 4.1 |
| without folders | `Ada Lovelace_12345_assignsubmission_file_attention.py` |
| a text typed in | `Ada Lovelace_12345_assignsubmission_onlinetext/onlinetext.html` |
| graded blindly | `Participant_12345_assignsubmission_file/`, in the site's language |
| a group's | `Group A_17_assignsubmission_file/`; `Default group_assignsubmission_file/` |
| a group's, for each member | `Group A-Ada Lovelace_12345_assignsubmission_file/`, `Default group-Bob Noether_...` |

A name has no `_` and none of `& < > " ' : |`. Source: `mod/assign/classes/downloader.php`, and for the way back
`feedback/offline/importgradeslib.php`, which wants the columns Identifier, Grade and Last modified (grade), and
`feedback/file/importziplib.php`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from autograder.lms.platform import Cells, Kind, Listing, Named, Owner, Platform, Row, Understood

_NAMED = re.compile(
    r"(?P<who>[^_]+)(?:_(?P<user>[0-9]+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<title>.*))?", re.DOTALL
)

_BLIND = {"Participant", "Teilnehmerin"}  # whom a single submission is of; letters that no file may have are left out


def read(listing: Listing) -> Understood:
    """Read the names of folders and files."""
    found = {item: match for item in listing.items if (match := _NAMED.fullmatch(item.name))}
    numbers = defaultdict[str, set[str]](set)
    for match in found.values():
        numbers[match["who"]].add(match["user"] or "")
    groups = Counter(who.partition("-")[0] for who in numbers)
    teams = all("-" in who for who in numbers) and max(groups.values(), default=0) > 1
    blind = (len(numbers) == 1 and all(len(users) > 1 for users in numbers.values())) or not _BLIND.isdisjoint(numbers)
    return {
        item: [
            Named(
                _owner(match, blind=blind, teams=teams),
                match["title"] or item.name,
                kind=Kind.FILE if match["plugin"] == "file" else Kind.TEXT,
            )
        ]
        for item, match in found.items()
    }


def _owner(match: re.Match[str], *, blind: bool, teams: bool) -> Owner:
    """Return the owner; with blind marking all students have one name, and it is left out, as a team's in front of one is."""
    who, user = match["who"], match["user"] or ""
    name = who.partition("-")[2] if teams else who
    return Owner(f"{who}_{user}" if user else who, "" if blind else name, user, system="moodle")


def sheet(rows: Sequence[Row]) -> Iterator[Cells]:
    """Yield the offline grading worksheet with the feedback in it, which an assignment of Moodle's takes back in English.

    Without a date under `Last modified (grade)` Moodle replaces no grade that was given before, unless that is ticked. A row
    without a participant may end the import, so that there is none where the class came from Moodle. Who handed in nothing has
    the number that stands on the roster, where that is the worksheet of this assignment: where it has the others' numbers too.
    """
    yield (
        "Identifier", "Full name", "ID number", "Email address", "Grade", "Maximum Grade", "Last modified (grade)",
        "Feedback comments",
    )  # fmt: skip
    has_numbers = any(row.system == "moodle" and row.participant for row in rows)
    numbers = [
        row.number if row.system == "moodle" else row.participant if has_numbers and not row.system else ""
        for row in rows
    ]
    participants = [f"Participant {number}" if number else "" for number in numbers]
    numbered = any(participants)
    for row, participant in zip(rows, participants, strict=True):
        if participant or not numbered:
            yield participant, row.name, row.id, row.email, row.score, row.max_score, "", row.feedback()


def feedback_path(row: Row, name: str) -> str:
    """Return the folder by whose number `Upload multiple feedback files in a zip` knows a participant.

    Before 4.1 Moodle looks for the plugin's name between two `_`; later versions take the folder with the last one and without.
    """
    match = _NAMED.fullmatch(row.place)
    end = "_" if match and match["title"] == "" else ""
    return f"{match['who']}_{match['user']}_assignsubmission_file{end}/{name}" if match and match["user"] else ""


PLATFORM = Platform("moodle", "Moodle", read, sheet, feedback_path, by_roster=False, marks=2)
