"""ILIAS: `Download All Submissions` of an exercise packs a folder for each student.

`Lovelace_Ada_alovelace_271/attention.py`: last name, first name, user name, number, each transliterated to ASCII;
of a user name that holds `_` only the end is known. The name
of a late file begins with `Late Submission - `, in the site's language. A text typed in comes as a file of its own.
A team's is `Team 12345/`, with such a folder in it for each member who uploaded something; all of these are graded with the latest.
A member who uploaded nothing may have an empty folder, or none; then nothing says that the member is of the team.
`Feedback_files/to_X/from_Y/` beside the class is what students wrote to each other.
Source: `Modules/Exercise/Submission/class.ilExSubmission.php`, getDirectoryNameFromUserData, and `SubmissionManager.php`,
copySubmissionFilesToDir. ILIAS takes no sheet
back; feedback goes back as a multi-feedback archive (`class.ilExAssignment.php`, uploadMultiFeedbackFile).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograder.lms.platform import Item, Listing, Named, Owner, Platform, Row, Understood

_NAMED = re.compile(r"(?P<last>[^_]+)_(?P<first>.+)_(?P<user>[^_]+)_(?P<number>[0-9]+)", re.DOTALL)
_TEAM = re.compile(r"[^\W\d_]+[ _][0-9]+")
_LATE = re.compile(r"(?:Late Submission|Versp(?:ae|\u00e4)tete Abgabe) - ", re.IGNORECASE)


def read(listing: Listing) -> Understood:
    """Read the names of folders. User names and numbers are each student's own; where they are not, it is no ILIAS.

    One folder alone that holds others is what some other system packs a class in.
    """
    folders = [item for item in listing.items if item.folder]
    found = {item: match for item in folders if (match := _NAMED.fullmatch(item.name))}
    if any(len({match[part] for match in found.values()}) < len(found) for part in ("user", "number")):
        return {}
    if len(folders) == 1 and any(len(path) > 1 for path in folders[0].paths):
        found = {}
    late = {item: any(_LATE.match(path[-1]) for path in item.paths) for item in folders}
    alone = {item: [Named(_owner(match), item.name, late=late[item])] for item, match in found.items()}
    teams = {item: named for item in folders if _TEAM.fullmatch(item.name) and (named := list(_team(item, late[item])))}
    return teams or alone


def _owner(match: re.Match[str]) -> Owner:
    return Owner(match["user"], f"{match['first']} {match['last']}", match["user"], match["user"], system="ilias")


def _team(item: Item, late: bool) -> Iterator[Named]:
    """Yield what each of a team's members uploaded, once for each of them; nothing where folders are not named after members."""
    members = {path[0]: _NAMED.fullmatch(path[0]) for path in item.paths}
    uploaders = sorted({path[0] for path in item.paths if len(path) > 1})
    for match in filter(None, members.values() if all(members.values()) else ()):
        for uploader in uploaders or (match[0],):
            yield Named(_owner(match), item.name, late=late, below=(uploader,))


def is_peer_feedback(item: Item) -> bool:
    """Whether a folder holds what students wrote to each other, and nothing that was handed in."""
    folders = [path[:2] for path in item.paths if len(path) > 1]
    return bool(folders) and all(to.startswith("to_") and by.startswith("from_") for to, by in folders)


def feedback_path(row: Row, name: str) -> str:
    """Return where a multi-feedback archive has a student's files."""
    return f"multi_feedback/{row.place}/{name}"


PLATFORM = Platform("ilias", "ILIAS", read, feedback=feedback_path, beside=is_peer_feedback)
