"""What of a student's entries came in together, and the code that counts of it.

Canvas numbers every file, and Moodle and Brightspace list the files of one submission one by one: what no version, attempt or
date tells apart came in together, and is chosen from as from a folder.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from autograder.classroom.entries import Entry, uploaded
from autograder.classroom.export_contents import inside
from autograder.course.language import marked, say
from autograder.lms.platform import Kind
from autograder.submission.archives import UnreadableError, printable, several, suffix_of, unopened, work_name
from autograder.submission.candidates import Found
from autograder.submission.source import source_of
from autograder.submission.which_file import choose, choose_opened, hand_in, renamed_note, source_in, source_in_zip
from autograder.submission.written_exercises import Stub

_NO_FILE = marked({
    Kind.TEXT: "It was typed into a text box and is no file. Hand in {file} or a notebook (.ipynb).",
    Kind.LINK: "It is the address of a web page and no file. Hand in {file} or a notebook (.ipynb).",
})  # fmt: skip
_NO_FILES = marked({
    Kind.TEXT: "It was typed into a text box and is no file. Hand in {file}.",
    Kind.LINK: "It is the address of a web page and no file. Hand in {file}.",
})  # fmt: skip


def attempts(entries: list[Entry], stub: Stub) -> list[tuple[Entry, ...]]:
    """Return what came in at one time each: what can be graded first, then by its right name, then the latest.

    Files that were uploaded one by one are one attempt, as they are where a zip holds them.
    """
    ordered = sorted(entries, key=lambda e: (e.usable, e.said.attempt, e.goes_by(stub), e.rank, e.name), reverse=True)
    together = _together(ordered, stub)
    rest = [entry for entry in ordered if entry not in together]
    pairs: dict[tuple[int, int], dict[str, Entry]] = defaultdict(dict)
    times = Counter[tuple[int, str]]()
    for entry in rest:
        if entry.is_work(stub):
            name = work_name(entry.title) if stub.files else suffix_of(entry.title)
            number = entry.said.attempt
            # Where no attempt is counted, an earlier file of a name is an earlier one.
            pairs[number, times[number, name]][name] = entry
            times[number, name] += 1
    found = [*filter(None, [together]), *(tuple(pair.values()) for pair in pairs.values())]
    found += [(entry,) for entry in rest if entry.usable and not entry.is_work(stub)]
    return sorted(found, key=lambda attempt: ordered.index(attempt[0])) or [(ordered[0],)]


def _together(entries: Sequence[Entry], stub: Stub) -> tuple[Entry, ...]:
    """Return the files that nothing tells apart as two submissions, if a platform counts no attempts: the latest of each name."""
    files = [entry for entry in entries if entry.usable and not entry.folder]
    if stub.files or any(entry.said.attempt or not entry.said.owner.system for entry in files):
        return ()
    last = max(map(_moment, files), default=0.0)
    newest: dict[str, Entry] = {}
    for entry in sorted(files, key=lambda entry: entry.rank):
        if _moment(entry) == last:
            newest[entry.title] = entry
    found = tuple(entry for entry in files if entry in newest.values())
    return found if len(found) > 1 else ()


def _moment(entry: Entry) -> float:
    return entry.said.submitted.timestamp() if entry.said.submitted else 0.0


def found_among(attempt: tuple[Entry, ...], stub: Stub) -> tuple[Entry, Found]:
    """Read what counts of an attempt, and say in which of its entries that lay. Raises UnreadableError."""
    yours = say("what you handed in")
    if stub.files and attempt[0].is_work(stub):
        found = choose([uploaded(entry, work_name(entry.title)) for entry in attempt], yours, stub)
        return attempt[0], replace(found, inside="")
    if len(attempt) == 1:
        return attempt[0], found_in(attempt[0], stub)
    names = {".py": stub.file, ".ipynb": stub.notebook}
    named = [(entry, names[suffix_of(entry.title)] if entry.is_work(stub) else entry.title) for entry in attempt]
    found = choose_opened([uploaded(entry, title) for entry, title in named], yours, stub)
    entry = next(entry for entry in attempt if entry.members[0].parts == found.parts[: len(entry.members[0].parts)])
    _, _, packed = found.inside.partition(f"{printable(entry.name)}: ")
    return entry, replace(found, inside=packed, notes=(*_left_note(entry, attempt, found, stub), *found.notes))


def _left_note(best: Entry, attempt: Sequence[Entry], found: Found, stub: Stub) -> tuple[str, ...]:
    """Say what was uploaded beside the file that counts and is no file or notebook of the right name, if no note says it yet."""
    others = [entry for entry in attempt if entry is not best and not entry.is_work(stub)]
    left = [
        name for name in (printable(entry.name) for entry in others) if not any(name in note for note in found.notes)
    ]
    return (left_told(best, len(attempt), left, stub),) if left else ()


def left_told(best: Entry, n: int, left: Sequence[str], stub: Stub) -> str:
    """Say which of several files that came in together counts, and which do not."""
    told = marked("handed in {n} files; {name} counts; not read: {others}")
    if work_name(best.title) in (stub.file, stub.notebook):
        told = marked("handed in {n} files; {name} counts, being named {file}; not read: {others}")
    return say(told, n=n, name=printable(best.name), file=stub.file, others=several(left))


def found_in(entry: Entry, stub: Stub) -> Found:
    """Read the file of an entry that holds the solution. Raises UnreadableError."""
    if entry.said.kind is not Kind.FILE:
        none = _NO_FILES if stub.files else _NO_FILE
        raise UnreadableError(say(none[entry.said.kind], file=stub.wanted))
    if entry.folder:
        return source_in(inside(entry.members), printable(entry.name), stub)
    member = entry.members[0]
    if suffix_of(entry.title) == ".zip":
        return source_in_zip(member, printable(entry.title), stub)
    if not entry.usable and not member.flaw:
        told = say("{name} cannot be graded. {advice}", name=printable(entry.title), advice=hand_in(stub))
        raise UnreadableError(unopened(entry.title, stub.file) or told)
    if stub.files:
        return choose([uploaded(entry, entry.title)], say("what you handed in"), stub)
    notes = renamed_note(entry.title, stub) if entry.said.owner.system else ()
    source, guessed = source_of(member, entry.title, stub.file)
    return Found(source, notes=(*notes, *guessed))
