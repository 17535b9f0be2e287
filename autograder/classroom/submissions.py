"""Find every student's submission in what a learning management system exports, and read its code.

A folder, zip or tar holds one submission per top-level entry: a .py file, a notebook, a student's own zip, or a folder
with one of these. Whatever is wrong with one of them becomes its own `problem`, and the rest is read. Nothing that a student
handed in is passed over in silence; only what computers leave behind (hidden files, caches, an export's own lists) is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path

from autograder.classroom.attempts import attempts, found_among, found_in, left_told
from autograder.classroom.class_folder import class_members
from autograder.classroom.entries import Entry
from autograder.classroom.export_contents import contents_of
from autograder.classroom.folded_source import FoldedSource, Folder
from autograder.classroom.result_keys import digest
from autograder.classroom.roster import Person, Roster
from autograder.classroom.student_names import Aliases, student_names, told_apart
from autograder.classroom.tar_archives import TARS, open_tar, tar_members
from autograder.classroom.wrong_folder import why_no_class
from autograder.course.language import marked, say, speaking
from autograder.lms.platform import Owner
from autograder.sandbox.job import Source
from autograder.submission.archives import (
    MAX_CLASS_ENTRIES,
    Member,
    UnreadableError,
    open_zip,
    printable,
    read_file,
    several,
    suffix_of,
    zip_members,
)
from autograder.submission.pictures import picture_in, with_pictures
from autograder.submission.source import SUFFIXES
from autograder.submission.which_file import MOST_READ
from autograder.submission.written_exercises import Stub, written

_LATEST = marked("handed in {n} times; the latest ({name}) counts")


class SubmissionsError(Exception):
    """The whole input is unusable; the message says what happened, where, and what to do next."""


@dataclass(frozen=True)
class Submission:
    """What one student handed in. `student` is safe as a file name and unique in the class, whatever its case."""

    student: str
    origin: str
    code: Source | FoldedSource | None
    problem: str = ""  # why there is no source, in one line
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # those of the notes that a person should look at first
    owner: Owner = field(default_factory=lambda: Owner(""))  # in the export's own words
    person: Person | None = None  # on the roster
    submitted: datetime | None = None
    late: bool = False  # as the export marks it
    place: str = ""  # the file or folder of the export, and what of it, where these names may be written again

    @property
    def source(self) -> Source | None:
        """The code as it is graded."""
        return self.code.unfolded() if isinstance(self.code, FoldedSource) else self.code

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


def read_submissions(path: Path, stub: Stub, roster: Roster | None = None) -> tuple[Submission, ...]:
    """Read a class's submissions, as `read_class` does."""
    return read_class(path, stub, roster).submissions


def read_class(path: Path, stub: Stub, roster: Roster | None = None) -> Class:
    """Read a class. Raises SubmissionsError where there is nothing to read, RosterError on bad aliases.

    Who is on the roster goes by its id, so that what came in under several names is one student's.
    """
    alone = "" if stub.files else f", or one {stub.file} or notebook"
    kinds = f"Give a folder, zip or tar of submissions{alone}."
    try:
        if not path.exists():
            raise SubmissionsError(f"There is no {path}. {kinds}")
        where = path.resolve().name
        with ExitStack() as opened:
            contents = contents_of(opened.enter_context(_opened(path, stub)), where, stub.file, opened)
            entries = tuple(Entry(**vars(part)) for part in contents.parts)
            if not entries:
                raise SubmissionsError(
                    f"There are no submissions in {path}: it is empty or holds no student's files. {kinds}"
                )
            if why := why_no_class(entries, path, stub):
                raise SubmissionsError(why)
            found = _read_all(entries, where, stub, roster or Roster(()))
        platforms = tuple(platform.label for platform in contents.platforms)
        return Class(found, platforms, (*contents.remarks, *_alike(found)))
    except UnreadableError as error:
        raise SubmissionsError(f"{error} {kinds}") from None
    except OSError as error:
        raise SubmissionsError(f"{path} cannot be read: {error.strerror or error}. {kinds}") from None


@contextmanager
def _opened(path: Path, stub: Stub) -> Iterator[tuple[Member, ...]]:
    """List a class folder, a class archive, or a single file."""
    if path.is_dir():
        yield class_members(path, stub)
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


def _read_all(entries: tuple[Entry, ...], where: str, stub: Stub, roster: Roster) -> tuple[Submission, ...]:
    owners = {entry.said.owner for entry in entries}
    aliases = Aliases(roster)
    aliases.check(owners)
    people = {owner: aliases.find(owner) or person for owner, person in roster.match(owners).items()}
    by_owner, found = defaultdict[str, list[Entry]](list), list[Submission]()
    for entry in entries:
        person = people[entry.said.owner]
        by_owner[person.id if person else entry.said.owner.key].append(entry)
    names, folder = student_names(by_owner), Folder(stub.text)
    with speaking(stub.language):  # what is said of one submission, its student reads
        for key, theirs in by_owner.items():
            one = _read_one(names[key], theirs, printable(where), stub)
            code = folder.fold(one.source) if one.source else None
            found.append(replace(one, person=people[theirs[0].said.owner], code=code))
    return tuple(sorted(found, key=lambda submission: submission.student))


def _alike(found: Iterable[Submission]) -> list[str]:
    """Say what students are called whose own names are alike."""
    return told_apart({one.person.id if one.person else one.owner.key: one.student for one in found})


def _read_one(student: str, entries: list[Entry], where: str, stub: Stub) -> Submission:
    first, *earlier = attempts(entries, stub)
    best, submission = _read_attempt(student, first, where, stub)
    submission = _with_pictures(submission, first, entries, stub)
    pictures = _uploaded_pictures(first, entries) if submission.source and submission.source.pictures else {}
    others = [entry for entry in entries if entry not in pictures.values()]
    said = tuple(_left_notes(best, first, others, stub))
    notes = tuple(note for note, _ in said)
    doubts = (note for note, left in said if any(_holds_other_work(one, submission.source, stub) for one in left))
    submission = replace(submission, doubts=(*doubts, *submission.doubts))
    if earlier and submission.source and not written(submission.source, stub).exercises:
        for attempt in earlier:
            chosen, other = _read_attempt(student, attempt, where, stub)
            other = _with_pictures(other, attempt, entries, stub)
            if other.source and written(other.source, stub).exercises:
                empty, graded = printable(best.name), printable(chosen.name)
                told = say("no exercise is written in {empty}, so {graded} is graded", empty=empty, graded=graded)
                submission, notes = replace(other, doubts=(told, *other.doubts)), (told,)
                break
    late = (say("handed in late, as the export marks it"),) if submission.late else ()
    return replace(submission, notes=(*late, *notes, *submission.notes))


def _with_pictures(submission: Submission, attempt: tuple[Entry, ...], entries: list[Entry], stub: Stub) -> Submission:
    """Return a submission with the pictures that exercises ask for, also those that were uploaded one by one beside it."""
    if submission.source is None:
        return submission
    pictures = _uploaded_pictures(attempt, entries)

    def read(name: str) -> bytes | None:
        return picture_in(pictures[name].members[0]) if name in pictures else None

    source = with_pictures(submission.source, read)
    asked = tuple(picture for picture in source.pictures if picture[0] in stub.plots)
    return replace(submission, code=replace(source, pictures=asked))


def _uploaded_pictures(attempt: tuple[Entry, ...], entries: list[Entry]) -> dict[str, Entry]:
    """Return the pictures of an attempt by their names; the latest where there are several."""
    number = attempt[0].said.attempt
    found = [e for e in entries if e.said.attempt == number and not e.folder and suffix_of(e.title) == ".png"]
    return {entry.title: entry for entry in sorted(found, key=lambda entry: entry.rank)}


def _read_attempt(student: str, attempt: tuple[Entry, ...], where: str, stub: Stub) -> tuple[Entry, Submission]:
    """Return which entry of an attempt counts, and the submission that it makes."""
    problem = ""
    try:
        entry, found = found_among(attempt, stub)
    except UnreadableError as error:
        entry, found, problem = attempt[0], None, str(error)
    said = entry.said
    origin = f"{where}: {printable(entry.name)}" if where != entry.name else where
    names = (entry.top, *said.below)
    place = "/".join(names) if all(name == printable(name) and not set(name) & set("/\\") for name in names) else ""
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
        return entry, submission
    inside = f": {found.inside}" if found.inside else ""
    return entry, replace(submission, origin=origin + inside, code=found.source, notes=found.notes, doubts=found.doubts)


def _left_notes(
    best: Entry, attempt: tuple[Entry, ...], entries: list[Entry], stub: Stub
) -> Iterator[tuple[str, list[Entry]]]:
    """Say what else a student handed in, with what might count as well."""
    usable = [entry for entry in entries if entry.usable]
    name, numbers = printable(best.name), {entry.said.attempt for entry in usable}
    mine = [entry for entry in usable if entry.said.attempt == best.said.attempt]
    left = [entry for entry in mine if entry not in attempt]
    if len(numbers) > 1 and best.said.attempt == max(numbers):
        yield say(_LATEST, n=len(numbers), name=name), []
    latest = bool(left) and max(entry.rank for entry in attempt) > max(entry.rank for entry in left)
    if left and latest and not best.said.attempt:
        yield say(_LATEST, n=len(left) + 1, name=name), []
    elif left:
        yield left_told(best, len(left) + 1, [entry.name for entry in left], stub), left[:MOST_READ]
    if usable and len(usable) < len(entries):
        others = several(entry.name for entry in entries if not entry.usable)
        yield say("also handed in, and not read: {names}", names=others), []


def _holds_other_work(entry: Entry, source: Source | None, stub: Stub) -> bool:
    """Whether exercises are written in an entry, and not as in the source that is graded."""
    try:
        work = written(found_in(entry, stub).source, stub)
    except UnreadableError:
        return False
    return source is not None and bool(work.exercises) and not stub.files and work != written(source, stub)
