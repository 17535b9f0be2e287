"""Choose and read the files of a student where an assignment asks for several: those of one folder count together."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.course.language import marked, say
from autograder.sandbox.job import Chunk, Source
from autograder.submission.archives import UnreadableError, several
from autograder.submission.candidates import Candidate, Found
from autograder.submission.pictures import with_pictures
from autograder.submission.source import picture_beside, read_source, source_of
from autograder.submission.written_exercises import Stub, Work, written

# What browsers and platforms add to a name, and no name of a module can hold: `model (1).py`, `Late Submission - model.py`.
_ADDED = re.compile(r" ?\(\d{1,3}\)(?=\.py$)|^.{1,40} - (?=\w+\.py$)")
MOST_SETS = 10  # folders with files of the right names that are read: those nearest the top
NO_NOTEBOOK = marked("A notebook cannot be graded here.")


def read_work(path: Path, stub: Stub) -> Source:
    """Return the code of a student's file or notebook on disk; of several files, those beside it. Raises UnreadableError."""
    if not stub.files:
        return read_source(path, stub.file)
    if path.suffix != ".py":
        told = marked("{name} cannot be checked: a notebook cannot be graded here. Write your solution in {files}.")
        raise UnreadableError(say(told, name=path.name, files=stub.wanted))
    there = [name for name in stub.asked if path.with_name(name).is_file()]
    if not there:
        told = marked("There is no {files} in {folder}. Give the path of one of them.")
        raise UnreadableError(say(told, files=stub.wanted, folder=path.parent))
    source = assembled({name: read_source(path.with_name(name), name) for name in there}, stub)
    return with_pictures(source, lambda name: picture_beside(path.with_name(name)))


def assembled(parts: Mapping[str, Source], stub: Stub) -> Source:
    """Return one source of a student's files by their names, with those that are given as the course has them."""
    texts = {name: "".join(chunk.text for chunk in part.chunks) for name, part in parts.items()} | dict(stub.given)
    chunks = tuple(Chunk(name, texts[name]) for name in stub.files if name in texts)
    return Source(Path(stub.file).stem, chunks, homes=stub.homes)


def choose_files(own: Sequence[Candidate], where: str, stub: Stub) -> Found:
    """Return the code of the files that are graded together. Raises UnreadableError where none can be read or chosen."""
    wanted = {name.casefold(): name for name in stub.asked}
    named = sorted((c for c in own if _name_of(c) in wanted), key=lambda c: (c.depth, c.folder))
    if not named and len(own) == 1 and own[0].alone:
        told = say("{name} is not {files}.", name=own[0].shown, files=stub.any_wanted)
        raise UnreadableError(f"{told}{_no_notebook(own)}")
    if not named:
        shown = several(c.shown for c in own)
        told = say(
            "{where} holds no file named {files}, only {names}.", where=where, files=stub.any_wanted, names=shown
        )
        raise UnreadableError(f"{told}{_no_notebook(own)} {say('Hand in {file}.', file=stub.wanted)}")
    sets, problems = list[tuple[Found, Work]](), list[UnreadableError]()
    for _, group in itertools.islice(itertools.groupby(named, key=lambda c: c.folder), MOST_SETS):
        try:
            sets.append(_read_set(list(group), wanted, where, stub))
        except UnreadableError as error:
            problems.append(error)
    if not sets:
        raise problems[0]
    working = [one for one in sets if one[1].exercises] or sets
    (found, work), *others = [one for one in working if len(one[0].parts) == len(working[0][0].parts)]
    if any(other != work for _, other in others):
        told = marked("{where} holds {files} several times: {names}. Hand in each once.")
        names = several(one.inside for one, _ in [(found, work), *others])
        raise UnreadableError(say(told, where=where, files=stub.wanted, names=names))
    unread = marked("{files} is graded, since other files cannot be read: {problem}")
    doubts = tuple(say(unread, files=found.inside, problem=problem) for problem in problems[:1])
    left = _not_read(found, own, stub)
    copies = [c for c in named if c.folder == found.parts[:-1] and c.member.parts not in found.every_part]
    differ = any(_holds_other_work(copy, wanted[_name_of(copy)], work, stub) for copy in copies[:MOST_SETS])
    notes = (*doubts, *found.notes, *left)
    return replace(found, notes=notes, doubts=(*doubts, *found.doubts, *(left if differ else ())))


def _name_of(candidate: Candidate) -> str:
    return _ADDED.sub("", candidate.named)


def _no_notebook(own: Sequence[Candidate]) -> str:
    return f" {say(NO_NOTEBOOK)}" if any(c.suffix == ".ipynb" for c in own) else ""


def _read_set(group: Sequence[Candidate], wanted: Mapping[str, str], where: str, stub: Stub) -> tuple[Found, Work]:
    """Return the files of one folder, and what is written in them. Raises UnreadableError."""
    chosen: dict[str, Candidate] = {}
    for name in stub.asked:
        alike = [c for c in group if wanted[_name_of(c)] == name]
        exact = [c for c in alike if c.title == name] or alike
        if len(exact) > 1:
            told = marked("{where} holds several files named {file}: {names}. Hand in one.")
            names = several(c.shown for c in exact)
            raise UnreadableError(say(told, where=where, file=name, names=names))
        chosen.update((name, c) for c in exact)
    read = {name: source_of(candidate.member, name, name) for name, candidate in chosen.items()}
    if wrong := next((name for name, (part, _) in read.items() if part.notebook), ""):
        told = marked("{file} is a notebook, whatever its name says, and cannot be graded here. Hand in {files}.")
        raise UnreadableError(say(told, file=wrong, files=stub.wanted))
    source = assembled({name: part for name, (part, _) in read.items()}, stub)
    missing = [name for name in stub.asked if name not in chosen]
    told = marked("{file} was not handed in, so its exercises count as not written")
    doubts = tuple(say(told, file=name) for name in missing)
    notes = (*doubts, *(note for _, notes in read.values() for note in notes))
    first = next(iter(chosen.values()))
    shown = ", ".join(candidate.shown for candidate in chosen.values())
    found = Found(source, shown, notes, doubts, first.member.parts, tuple(c.member.parts for c in chosen.values()))
    return found, written(source, stub)


def _holds_other_work(copy: Candidate, name: str, work: Work, stub: Stub) -> bool:
    """Whether exercises are written in a copy such as `model (1).py`, and not as in the files that count."""
    try:
        source, _ = source_of(copy.member, name, name)
    except UnreadableError:
        return False
    theirs = written(assembled({name: source}, stub), stub)
    return bool(theirs.exercises) and not theirs.definitions <= work.definitions


def _not_read(found: Found, own: Sequence[Candidate], stub: Stub) -> tuple[str, ...]:
    """Return a note on the other code that was handed in, if there is any; what is given need not be."""
    given = {name.casefold() for name, _ in stub.given}
    left = sorted(c.shown for c in own if c.member.parts not in found.every_part and c.named not in given)
    told = marked("only {files} count; not read: {names}")
    return (say(told, files=stub.wanted, names=several(left)),) if left else ()
