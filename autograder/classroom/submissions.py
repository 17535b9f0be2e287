"""Find every student's submission in what a learning management system exports, and read its code into memory.

A folder, zip or tar holds one submission per top-level entry: a .py file, a notebook, a student's own zip, or a folder
with one of these. Whatever is wrong with one of them becomes its own `problem`, and the rest is read. Nothing that a student
handed in is passed over in silence; only what computers leave behind (hidden files, caches, an export's own lists) is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path

from autograder.classroom.export_contents import Part, contents_of, inside
from autograder.classroom.result_keys import digest
from autograder.classroom.roster import Person, Roster
from autograder.classroom.student_names import Aliases, student_names
from autograder.classroom.tar_archives import TARS, open_tar, tar_members
from autograder.lms.platform import Kind, Owner
from autograder.sandbox.job import Source
from autograder.submission.archives import (
    MAX_CLASS_ENTRIES,
    Member,
    UnreadableError,
    folder_members,
    open_zip,
    printable,
    read_file,
    several,
    suffix_of,
    unopened,
    work_name,
    zip_members,
)
from autograder.submission.pictures import picture_in, with_pictures
from autograder.submission.source import SUFFIXES, source_of
from autograder.submission.which_file import Candidate, Found, choose, renamed_note, source_in, source_in_zip
from autograder.submission.written_exercises import Stub, written

_NO_FILE = {
    Kind.TEXT: "It was typed into a text box and is no file.",
    Kind.LINK: "It is the address of a web page and no file.",
}


class SubmissionsError(Exception):
    """The whole input is unusable; the message says what happened, where, and what to do next."""


@dataclass(frozen=True)
class Submission:
    """What one student handed in. `student` is safe as a file name and unique in the class, whatever its case."""

    student: str
    origin: str
    source: Source | None
    problem: str = ""  # why there is no source, in one line
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # those of the notes that a person should look at first
    owner: Owner = field(default_factory=lambda: Owner(""))  # in the export's own words
    person: Person | None = None  # on the roster
    submitted: datetime | None = None
    late: bool = False  # as the export marks it
    place: str = ""  # the file or folder of the export, where its name is one that may be written again

    @cached_property
    def key(self) -> str:
        """The key of the code as it is graded."""
        source = self.source
        if source is None:
            return digest("unreadable", self.problem)
        pictures = (part for picture in source.pictures for part in picture)
        code = (part for c in source.chunks for part in (c.label, c.text))
        return digest(source.module, str(source.notebook), *code, *pictures)


@dataclass(frozen=True)
class Class:
    """All submissions, sorted by student, and what to tell a grader of the export they came in."""

    submissions: tuple[Submission, ...]
    platforms: tuple[str, ...] = ()  # as people know them
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Entry(Part):
    """One thing handed in, and how it compares with others of the same student."""

    @property
    def title(self) -> str:
        """What the student called it."""
        return self.said.title

    @property
    def rank(self) -> tuple[int, int, tuple[float, ...]]:
        """How late it came: resubmission number, upload number, time."""
        modified = max((member.modified for member in self.members), default=(0.0,))
        submitted = self.said.submitted
        return self.said.version, self.said.upload, (submitted.timestamp(),) if submitted else modified

    @property
    def usable(self) -> bool:
        """Whether it is of a kind that can be graded."""
        return self.said.kind is Kind.FILE and (self.folder or suffix_of(self.title) in (*SUFFIXES, ".zip"))

    def is_work(self, stub: Stub) -> bool:
        """Whether it is the file or the notebook by its name; where no system kept that, students name it themselves."""
        named = not self.said.owner.system or work_name(self.title) in (stub.file, stub.notebook)
        return self.usable and not self.folder and suffix_of(self.title) in SUFFIXES and named

    def goes_by(self, stub: Stub) -> bool:
        """Whether a helper file of the same student must stand back behind it."""
        return self.folder or suffix_of(self.title) == ".zip" or not self.said.owner.system or self.is_work(stub)


def read_submissions(path: Path, stub: Stub, roster: Roster | None = None) -> tuple[Submission, ...]:
    """Read a class's submissions, as `read_class` does."""
    return read_class(path, stub, roster).submissions


def read_class(path: Path, stub: Stub, roster: Roster | None = None) -> Class:
    """Read a class. Raises SubmissionsError where there is nothing to read, RosterError on bad aliases.

    Who is on the roster goes by its id, so that what came in under several names is one student's.
    """
    kinds = f"Give a folder, zip or tar of submissions, or one {stub.file} or notebook."
    try:
        if not path.exists():
            raise SubmissionsError(f"There is no {path}. {kinds}")
        where = path.resolve().name
        with ExitStack() as opened:
            contents = contents_of(opened.enter_context(_opened(path)), where, stub.file, opened)
            entries = tuple(_Entry(**vars(part)) for part in contents.parts)
            if not entries:
                raise SubmissionsError(
                    f"There are no submissions in {path}: it is empty or holds no student's files. {kinds}"
                )
            found = _read_all(entries, where, stub, roster or Roster(()))
        return Class(found, tuple(platform.label for platform in contents.platforms), contents.remarks)
    except UnreadableError as error:
        raise SubmissionsError(f"{error} {kinds}") from None
    except OSError as error:
        raise SubmissionsError(f"{path} cannot be read: {error.strerror or error}. {kinds}") from None


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Member, ...]]:
    """List a class folder, a class archive, or a single file."""
    if path.is_dir():
        yield folder_members(path)
    elif suffix_of(path.name) in SUFFIXES:
        target = path.resolve()
        yield (Member((path.name,), (target.stat().st_mtime,), partial(read_file, target)),)
    elif suffix_of(path.name) == ".zip" and path.is_file():
        with open_zip(path, path.name, MAX_CLASS_ENTRIES) as archive:
            yield zip_members(archive)
    elif path.name.lower().endswith(TARS) and path.is_file():
        with open_tar(path, path.name, MAX_CLASS_ENTRIES) as tape:
            yield tar_members(tape)
    else:
        raise UnreadableError(f"{path} is of a kind that holds no submissions.")


def _read_all(entries: tuple[_Entry, ...], where: str, stub: Stub, roster: Roster) -> tuple[Submission, ...]:
    owners = {entry.said.owner for entry in entries}
    aliases = Aliases(roster)
    aliases.check(owners)
    people = {owner: aliases.find(owner) or roster.find(owner) for owner in owners}
    by_owner: dict[str, list[_Entry]] = defaultdict(list)
    for entry in entries:
        person = people[entry.said.owner]
        by_owner[person.id if person else entry.said.owner.key].append(entry)
    names = student_names(by_owner)
    found = [
        replace(_read_one(names[key], theirs, printable(where), stub), person=people[theirs[0].said.owner])
        for key, theirs in by_owner.items()
    ]
    return tuple(sorted(found, key=lambda submission: submission.student))


def _read_one(student: str, entries: list[_Entry], where: str, stub: Stub) -> Submission:
    first, *earlier = _attempts(entries, stub)
    submission = _with_pictures(_read_attempt(student, first, where, stub), first, entries, stub)
    pictures = _uploaded_pictures(first, entries) if submission.source and submission.source.pictures else {}
    others = [entry for entry in entries if entry not in pictures.values()]
    notes = tuple(_left_notes(first, others, stub))
    if earlier and submission.source and not written(submission.source, stub).exercises:
        for attempt in earlier:
            other = _with_pictures(_read_attempt(student, attempt, where, stub), attempt, entries, stub)
            if other.source and written(other.source, stub).exercises:
                told = (
                    f"no exercise is written in {printable(first[0].name)}, so {printable(attempt[0].name)} is graded"
                )
                submission, notes = replace(other, doubts=(told, *other.doubts)), (told,)
                break
    late = ("handed in late, as the export marks it",) if submission.late else ()
    return replace(submission, notes=(*late, *notes, *submission.notes))


def _with_pictures(
    submission: Submission, attempt: tuple[_Entry, ...], entries: list[_Entry], stub: Stub
) -> Submission:
    """Return a submission with the pictures that exercises ask for, also those that were uploaded one by one beside it."""
    if submission.source is None:
        return submission
    pictures = _uploaded_pictures(attempt, entries)

    def read(name: str) -> bytes | None:
        return picture_in(pictures[name].members[0]) if name in pictures else None

    source = with_pictures(submission.source, read)
    asked = tuple(picture for picture in source.pictures if picture[0] in stub.plots)
    return replace(submission, source=replace(source, pictures=asked))


def _uploaded_pictures(attempt: tuple[_Entry, ...], entries: list[_Entry]) -> dict[str, _Entry]:
    """Return the pictures of an attempt by their names; the latest where there are several."""
    number = attempt[0].said.attempt
    found = [e for e in entries if e.said.attempt == number and not e.folder and suffix_of(e.title) == ".png"]
    return {entry.title: entry for entry in sorted(found, key=lambda entry: entry.rank)}


def _attempts(entries: list[_Entry], stub: Stub) -> list[tuple[_Entry, ...]]:
    """Return what came in at one time each: what can be graded first, then by its right name, then the latest.

    The file and the notebook that were uploaded one by one are one attempt, as they are where a zip holds them.
    """
    ordered = sorted(entries, key=lambda e: (e.usable, e.said.attempt, e.goes_by(stub), e.rank, e.name), reverse=True)
    pairs: dict[int, dict[str, _Entry]] = defaultdict(dict)
    for entry in ordered:
        if entry.is_work(stub):
            pairs[entry.said.attempt].setdefault(suffix_of(entry.title), entry)
    found = [tuple(pair.values()) for pair in pairs.values()]
    found += [(entry,) for entry in ordered if entry.usable and not entry.is_work(stub)]
    return sorted(found, key=lambda attempt: ordered.index(attempt[0])) or [(ordered[0],)]


def _read_attempt(student: str, attempt: tuple[_Entry, ...], where: str, stub: Stub) -> Submission:
    try:
        entry, found = _found_among(attempt, stub)
    except UnreadableError as error:
        entry, found, problem = attempt[0], None, str(error)
    else:
        problem = ""
    said = entry.said
    origin = f"{where}: {printable(entry.name)}" if where != entry.name else where
    place = entry.top if entry.top == printable(entry.top) and not set(entry.top) & set("/\\") else ""
    submission = Submission(
        student,
        origin,
        None,
        problem,
        owner=said.owner,
        submitted=said.submitted,
        late=said.late,
        place=place,
    )
    if found is None:
        return submission
    inside = f": {found.inside}" if found.inside else ""
    return replace(submission, origin=origin + inside, source=found.source, notes=found.notes, doubts=found.doubts)


def _left_notes(attempt: tuple[_Entry, ...], entries: list[_Entry], stub: Stub) -> Iterator[str]:
    """Say what else a student handed in."""
    best, usable = attempt[0], [entry for entry in entries if entry.usable]
    name, numbers = printable(best.name), {entry.said.attempt for entry in usable}
    mine = [entry for entry in usable if entry.said.attempt == best.said.attempt]
    left = [entry for entry in mine if entry not in attempt]
    if len(numbers) > 1 and best.said.attempt == max(numbers):
        yield f"handed in {len(numbers)} times; the latest ({name}) counts"
    latest = max(entry.rank for entry in attempt) == max(entry.rank for entry in mine) if left else False
    if left and latest and not best.said.attempt:
        yield f"handed in {len(left) + 1} times; the latest ({name}) counts"
    elif left:
        why = f", being named {stub.file}" if work_name(best.title) in (stub.file, stub.notebook) else ""
        others = several(entry.name for entry in left)
        yield f"handed in {len(left) + 1} files; {name} counts{why}; not read: {others}"
    if usable and len(usable) < len(entries):
        yield f"also handed in, and not read: {several(e.name for e in entries if not e.usable)}"


def _found_among(attempt: tuple[_Entry, ...], stub: Stub) -> tuple[_Entry, Found]:
    """Read what counts of an attempt, and say in which of its entries that lay. Raises UnreadableError."""
    if len(attempt) == 1:
        return attempt[0], _found_in(attempt[0], stub)
    names = {".py": stub.file, ".ipynb": stub.notebook}
    by_name = {printable(entry.name): entry for entry in attempt}
    found = choose(
        [Candidate(e.members[0], names[suffix_of(e.title)], name) for name, e in by_name.items()], "the class", stub
    )
    return by_name[found.inside], replace(found, inside="")


def _found_in(entry: _Entry, stub: Stub) -> Found:
    """Read the file of an entry that holds the solution. Raises UnreadableError."""
    if entry.said.kind is not Kind.FILE:
        raise UnreadableError(f"{_NO_FILE[entry.said.kind]} Hand in {stub.file} or a notebook (.ipynb).")
    if entry.folder:
        return source_in(inside(entry.members), printable(entry.name), stub)
    member = entry.members[0]
    if suffix_of(entry.title) == ".zip":
        return source_in_zip(member, printable(entry.title), stub)
    if not entry.usable and not member.flaw:
        told = f"{printable(entry.title)} cannot be graded. Hand in {stub.file}, a notebook (.ipynb), or a .zip of one."
        raise UnreadableError(unopened(entry.title, stub.file) or told)
    notes = renamed_note(entry.title, stub) if entry.said.owner.system else ()
    source, guessed = source_of(member, entry.title, stub.file)
    return Found(source, notes=(*notes, *guessed))
