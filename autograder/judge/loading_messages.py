"""What a student reads about a file that could not be imported, as a whole or in part."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import replace

from autograder.course.language import marked, say
from autograder.course.spec import Assignment, Limits
from autograder.judge.messages import explain_trouble, our_fault, where_it_was
from autograder.judge.reasons import Message
from autograder.judge.result import NO_PYTHON
from autograder.sandbox.endings import why_ended
from autograder.sandbox.job import Ending, Outcome, Source, Trouble

_PYTHON = "{}.{}".format(*sys.version_info)  # later versions have syntax that this one does not


def explain_note(note: Trouble, source: Source) -> str:
    """Say what was left out of a file when it was imported, and why."""
    told = explain_trouble(note, source)
    if note.type_name == "TooLongError":
        why = marked(
            'A statement was still running, and was stopped. Put experiments at the bottom under `if __name__ == "__main__":`.'
        )
        return replace(told, headline=say(why)).text
    if note.type_name in NO_PYTHON:
        return replace(
            told,
            headline=say("A part of your file is no Python {version}: {why}", version=_PYTHON, why=told.headline),
        ).text
    return told.text


def explain_repeated(source: Source, assignment: Assignment, failing: Collection[str]) -> tuple[str, ...]:
    """Say what of some exercises a file defines more than once: what is above the last definition counts no more."""
    told = marked("`{name}` is defined more than once, in the lines {lines}. Only the last one counts.")
    blanks = (blank.partition(".")[0] for e in assignment.exercises if e.name in failing for blank in e.blanks)
    found = ((name, source.lines_of(name)) for name in dict.fromkeys(blanks))
    listed = say(" and ")
    return tuple(
        say(told, name=name, lines=listed.join([", ".join(map(str, lines[:-1])), str(lines[-1])]))
        for name, lines in found
        if len(lines) > 1
    )


def explain_loading(outcome: Outcome, source: Source, limits: Limits) -> str:
    """Say why a submission could not be imported, and what to do."""
    trouble = outcome.trouble or Trouble("", "")
    match outcome.ending:
        case Ending.TIMEOUT:
            told = marked(
                "Your file was still running after {seconds:g} s of computing. "
                'Put experiments at the bottom under `if __name__ == "__main__":`.'
            )
            where, question = where_it_was(trouble, source)
            still = say(told, seconds=limits.import_seconds)
            return f"{still} {question}\n{where}" if where else still
        case Ending.MEMORY:
            return say("Your file took so much memory while being imported that there was none left, and was stopped.")
        case Ending.DIED:
            return say(
                "Your file ended the Python process while being imported ({reason}).", reason=why_ended(trouble.text)
            )
        case Ending.FAULT:
            return our_fault(trouble)
        case _:
            told = say("Your file cannot be imported, so nothing in it can be checked yet.")
            return Message(told).then(explain_trouble(trouble, source).text).text
