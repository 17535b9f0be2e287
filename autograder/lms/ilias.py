"""ILIAS: `Download All Submissions` of an exercise packs a folder for each student.

`Lovelace_Ada_alovelace_271/attention.py`: last name, first name, user name, number, each transliterated to ASCII;
of a user name that holds `_` only the end is known. The name
of a late file begins with `Late Submission - `, in the site's language. A text typed in comes as a file of its own.
Source: `Modules/Exercise/Submission/class.ilExSubmission.php`, getDirectoryNameFromUserData. ILIAS takes no sheet
back; feedback goes back as a multi-feedback archive (`class.ilExAssignment.php`, uploadMultiFeedbackFile).
"""

from __future__ import annotations

import re

from autograder.lms.platform import Listing, Named, Owner, Platform, Row, Understood

_NAMED = re.compile(r"(?P<last>[^_]+)_(?P<first>.+)_(?P<user>[^_]+)_(?P<number>[0-9]+)", re.DOTALL)
_LATE = re.compile(r"(?:Late Submission|Versp(?:ae|\u00e4)tete Abgabe) - ", re.IGNORECASE)


def read(listing: Listing) -> Understood:
    """Read the names of folders. User names and numbers are each student's own; where they are not, it is no ILIAS."""
    found = {item: match for item in listing.items if item.folder and (match := _NAMED.fullmatch(item.name))}
    if any(len({match[part] for match in found.values()}) < len(found) for part in ("user", "number")):
        return {}
    return {
        item: [
            Named(
                Owner(match["user"], f"{match['first']} {match['last']}", match["user"], match["user"], system="ilias"),
                item.name,
                late=any(_LATE.match(path[-1]) for path in item.paths),
            )
        ]
        for item, match in found.items()
    }


def feedback_path(row: Row, name: str) -> str:
    """Return where a multi-feedback archive has a student's files."""
    return f"multi_feedback/{row.place}/{name}"


PLATFORM = Platform("ilias", "ILIAS", read, feedback=feedback_path)
