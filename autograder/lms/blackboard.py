"""Blackboard Learn: `Assignment File Download` names files and leaves a receipt for each attempt.

`Homework 1_alovelace_attempt_2026-03-01-10-22-00_attention.py`: assignment, user name, when the attempt came, the file's own
name. `Homework 1_alovelace_attempt_2026-03-01-10-22-00.txt` is the receipt: the student's name and what was typed in.
The archive is called `gradebook_COURSE_Homework 1_2026-03-02-09-00-00.zip`. Forms: Blackboard's help, and public tools that
read receipts. Grades go back by user name.

The word for an attempt is the language's, and so is all of the receipt, which begins with `Nom : Ada Lovelace (alovelace)` in
French. Public tools read `_Tentative_` with its receipt (oliviercailloux/JGradLib, MyCourseHomeworkReader), `_intento_`, and
`_poging_` beside `_attempt_`. Another word counts where all names of several students have it: many tutors delete the receipts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from autograder.lms.dates import stamp_moment
from autograder.lms.platform import (
    Cells,
    Item,
    Kind,
    Listing,
    Named,
    Owner,
    Platform,
    Row,
    Understood,
    common_beginning,
)

_NAMED = re.compile(
    r"(?P<attempt>(?P<head>.+?)_(?P<word>[^\W\d_]+)_(?P<stamp>[0-9]{4}(?:-[0-9]{2}){5}))(?:_(?P<title>.+)|(?P<receipt>\.txt))",
    re.DOTALL,
)
_WORDS = frozenset({"attempt", "tentative", "intento", "poging"})  # English, French, Spanish, Dutch
_WHO = re.compile(r"[^\W\d_][^:\n]{0,30}:\s*(?P<name>.*?) \((?P<user>[^()\n]*)\)\s*(?:\n|$)")
_TYPED = re.compile(r"\nSubmission Field:\s*\n(?P<text>.*?)\n\s*\nComments:", re.DOTALL)
_NOTHING = "There is no student submission text data for this assignment."


def read(listing: Listing) -> Understood:
    """Read names and receipts; a receipt is something handed in only where a text was typed in."""
    named = {i: match for i in listing.items if not i.folder and (match := _NAMED.fullmatch(i.name))}
    receipts = {i: i.text(()).replace("\r\n", "\n").lstrip("\ufeff") for i, match in named.items() if match["receipt"]}
    found = named if _is_language(named, receipts) else {i: match for i, match in named.items() if _is_known(match)}
    receipts = {i: text for i, text in receipts.items() if i in found}
    said = {found[i]["head"]: who for i, text in receipts.items() if (who := _WHO.match(text))}
    users = _users({match["head"]: said.get(match["head"]) for match in found.values()})
    uploads = {match["attempt"] for item, match in found.items() if item not in receipts}
    understood: dict[Item, list[Named]] = {}
    for item, match in found.items():
        user, name, stamp = *users[match["head"]], match["stamp"]
        owner = Owner(user, name, user, user, system="blackboard")
        attempt, when = int(stamp.replace("-", "")), stamp_moment(stamp)
        if item not in receipts:
            understood[item] = [Named(owner, match["title"], attempt=attempt, submitted=when)]
        else:
            wrote = _wrote(match, receipts[item], uploads)
            understood[item] = [Named(owner, item.name, attempt=attempt, submitted=when, kind=Kind.TEXT)] * wrote
    return understood


def _wrote(match: re.Match[str], receipt: str, uploads: AbstractSet[str]) -> bool:
    """Whether a text was typed in. A receipt in another language tells it by that: there is no file of the attempt."""
    if typed := _TYPED.search(receipt):
        return typed["text"].strip() not in ("", _NOTHING)
    return match["word"].lower() != "attempt" and match["attempt"] not in uploads


def _is_known(match: re.Match[str]) -> bool:
    return match["word"].lower() in _WORDS


def _is_language(named: Mapping[Item, re.Match[str]], receipts: Mapping[Item, str]) -> bool:
    """Whether names are Blackboard's in some language: one word for all, of several students or of one with a receipt.

    What is called like a receipt and is none speaks against it.
    """
    if not all(_WHO.match(text) for text in receipts.values()):
        return False
    receipted = {named[item]["attempt"] for item in receipts}
    words, heads = ({match[part] for match in named.values()} for part in ("word", "head"))
    shared = common_beginning(heads, "_")
    return len(words) == 1 and (bool(shared) or receipted == {match["attempt"] for match in named.values()})


def _users(said: Mapping[str, re.Match[str] | None]) -> dict[str, tuple[str, str]]:
    """Return user name and name for each `assignment_user`, as its receipt has them, if there is one.

    User names may hold `_`, and so may the assignment, which is one for all.
    """
    known = {head: (who["user"], who["name"]) for head, who in said.items() if who and head.endswith(f"_{who['user']}")}
    shared = next((head.removesuffix(user) for head, (user, _) in known.items()), common_beginning(said, "_"))
    return {
        head: known.get(head) or (head.removeprefix(shared) if shared else head.rpartition("_")[2], "") for head in said
    }


def sheet(rows: Sequence[Row]) -> Iterator[Cells]:
    """Yield what Blackboard's Grade Center uploads: students by user name, as the roster has it where nothing was handed in."""
    title = rows[0].title if rows else "Score"
    yield "Username", title
    for row in rows:
        user = row.number if row.system == "blackboard" else row.login or row.id
        if user:
            yield user, row.score


PLATFORM = Platform("blackboard", "Blackboard", read, sheet, marks=3)
