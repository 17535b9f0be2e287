"""What a student reads when a case fails, in words: one message for terminal, page and JSON.

Public cases show the call, and what came back beside what was expected. Hidden cases say only what kind of
difference there was.
"""

from __future__ import annotations

import builtins
import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from autograder.course.language import marked, say
from autograder.course.spec import Call, Finding, Limits, Visibility
from autograder.judge.axis_names import shape_of_answer
from autograder.judge.calls_as_text import Layout, Signatures, show_call, show_parameters, side_by_side
from autograder.judge.failure_fingerprint import raised_at
from autograder.judge.reasons import Detail, Message
from autograder.judge.relation_sentences import part_named
from autograder.sandbox.endings import OUT_OF_MEMORY, WAITING, why_ended
from autograder.sandbox.job import Ending, Frame, Outcome, Source, Trouble

# What may be said of a hidden case, by kind of finding.
KINDS = marked({
    "values": "The values differ from the reference's.",
    "shape": "The shape is not the reference's.",
    "dtype": "The dtype is not the reference's.",
    "container": "What it returned is of another type than the text asks for.",
    "length": "The length is not the reference's.",
    "keys": "The dict's keys are not the reference's.",
    "uncomparable": "What it returned cannot be compared with the reference's.",
    "no_gradient": "No gradient reaches it.",
    "not_finite": "The output holds NaN or infinite values.",
    "mutated": "What it was given, be it an argument or a model, is not left as it should be. Where the text asks for no change, "
    "work on a copy, or put it back.",
    "property": "What the case's description says does not hold of the output.",
    "constant": "The output does not depend on the input as it should.",
    "unanswered": "This question has no answer yet.",
    "wrong_choice": "This answer is not the best one.",
})  # fmt: skip
_LIBRARY_ERRORS = frozenset(
    {
        "AxisError", "LinAlgError", "UFuncTypeError", "_ArrayMemoryError", "_UFuncBinaryResolutionError",
        "_UFuncInputCastingError", "_UFuncNoLoopError", "_UFuncOutputCastingError",
    }
)  # fmt: skip
# A part of the answer as the case calls it: "dW_x", "gradient of W_q.weight".
_NAMED = re.compile(r"(gradient of )?[^\W\d][\w.]*|gradient of argument \d")
SMALL, SHORT = 12, 5  # entries of an array that is shown whole where there is little room; lines that are few
MAX_LINE = 200  # characters of a line of the student's, in code and in print
# What comes of it is told where it is known.
OUR_FAULT = marked("The grader itself failed here. That is not your doing.")


def explain_finding(
    finding: Finding,
    visibility: Visibility,
    calls: Sequence[Call],
    function: str,
    signatures: Signatures,
    *,
    smaller: bool = False,
    stub: str = "",
) -> Message:
    """Say what a check found; for public cases with the call, which may be a smaller one, and got beside expected.

    The axes of a shape have their names where the `stub` gives them.
    """
    if visibility is Visibility.HIDDEN:
        where = f"{part_named(finding.where)}: " if _NAMED.fullmatch(finding.where) else ""
        return Message(where + say(KINDS[finding.kind]))
    called = finding.kind not in ("unanswered", "wrong_choice")
    made = calls[finding.call]
    call = _call_shown(made, function, signatures, smaller=smaller) if called else ""
    both = side_by_side(finding)
    around = side_by_side(finding, SMALL) if both.count("\n") > SHORT else both
    said = headline(_with_axes(finding, made.path(function), stub), signatures.get(made.path(function), ()))
    names = ", ".join(f"`{name}`" for name in finding.right)
    right = Detail(say("Right in this call: {names}.", names=names)) if names else ""
    return Message(said, more=show_parameters(made)).then(call, Detail(both, (both, both, around)), right)


def _with_axes(finding: Finding, path: str, stub: str) -> Finding:
    """Return what a check found, of a wrong shape with the names of the axes that were expected."""
    if not stub or finding.kind != "shape":
        return finding
    got, wanted = np.shape(finding.got), np.shape(finding.expected)
    axes = shape_of_answer(stub, path, finding.where, len(wanted))
    told = marked("The shape is {got}; {wanted} = {axes} was expected.")
    return replace(finding, headline=say(told, got=got, wanted=wanted, axes=axes)) if axes else finding


def _call_shown(call: Call, function: str, signatures: Signatures, *, smaller: bool) -> Detail:
    """Show a call; with less room its arrays stand on one line each, at last by their shapes where they are longer."""
    rows, flat, shapes, names = (
        show_call(call, function, signatures, smaller=smaller, layout=layout)
        for layout in (Layout.ROWS, Layout.FLAT, Layout.SHAPES, Layout.NAMES)
    )
    return Detail(rows, (flat, flat, shapes, names))


def headline(finding: Finding, parameters: Sequence[str] = ()) -> str:
    """Return what a check found in one line, arguments by their names where the `parameters` of the call are known."""
    part = part_named(finding.where, parameters)
    if re.match(r"\[\d", part):  # a place in what has no names
        part = say("`{place}` of your answer", place=part)
    return f"{part}: {finding.headline}" if part else finding.headline


def explain_excuse(places: Sequence[str], unwritten: Collection[str], *, again: bool, gave_values: bool) -> Message:
    """Say that what failed is charged in other exercises; where code gave no values, no more is known than that right code gives none."""
    text = marked("It ends as right code would, given your {places}: what is wrong there is not charged again here.")
    if gave_values:
        text = marked("Right, given your {places}: what is wrong there is not charged again here.")
    elif open_ones := [name for name in places if name in unwritten]:
        text, places = marked("Right by itself: it waits for {places} alone, and loses no points for that."), open_ones
    if again:
        text = marked("The same mistake as in your {places}: it is charged there, and not again here.")
    return Message(say(text, places=say(" and ").join(f"`{name}`" for name in places)))


def explain_unwritten(outcome: Outcome, source: Source, others: Sequence[Outcome], *, partly: bool) -> Message:
    """Say where a call comes to what is not written yet: all of the exercise, or `partly` a branch of it, with where `others` come to."""
    stops = (each for each in (outcome, *others) if each.ending is Ending.UNWRITTEN)
    found = {at for each in stops if (at := raised_at(each, source))}
    if not found:
        return Message(say("Not written yet."))
    place = marked("`raise` in {file}, line {line}") if source.several else marked("`raise` in line {line}")
    told = marked("This branch is not written yet: {where}.") if partly else marked("Not written yet: {where}.")
    where = [say(place, file=file, line=line) for file, line in sorted(found)]
    return Message(say(told, where=", ".join(where)))


def explain_ending(
    outcome: Outcome,
    visibility: Visibility,
    source: Source,
    limits: Limits,
    call: Call,
    function: str,
    signatures: Signatures,
    *,
    smaller: bool = False,
) -> Message:
    """Say why a call gave nothing to judge; it may be a smaller one than the case's."""
    trouble = outcome.trouble or Trouble("", "")
    if outcome.ending is Ending.RAISED:
        told = explain_trouble(trouble, source, visibility)
    elif outcome.ending is Ending.TIMEOUT:
        told = _explain_timeout(trouble, source, limits)
    else:
        return Message(_why_no_answer(outcome.ending, trouble, visibility, source, limits, function, signatures))
    return (
        told if visibility is Visibility.HIDDEN else told.then(_call_shown(call, function, signatures, smaller=smaller))
    )


def _explain_timeout(trouble: Trouble, source: Source, limits: Limits) -> Message:
    """Say that a call took too long, and in which loop or line it was, where the child told."""
    stopped = say("It gave no answer within {seconds:g} s of computing and was stopped.", seconds=limits.case_seconds)
    where, question = where_it_was(trouble, source)
    return Message(f"{stopped} {question}").then(*([Detail(where, (where,))] if where else []))


def where_it_was(trouble: Trouble, source: Source) -> tuple[str, str]:
    """Return the loop or line in which a call that took too long was stopped, and what to ask about it."""
    waits = trouble.text == WAITING
    frame = next((frame for frame in trouble.frames if source.has_code(frame.label, frame.line)), None)
    if frame is None:
        return "", say("What does it wait for?") if waits else say("Does a loop never end?")
    loops = () if waits else source.loops_around(frame.label, frame.line)
    line = loops[0] if loops else frame.line
    where = _place(replace(frame, line=line, function=source.place(frame.label, line)), source)
    if waits:
        return where, say("It was in line {line}. What does it wait for?", line=line)
    if len(loops) > 1:
        told = marked("It was in the loop of line {line}, inside that of line {outer}. Does one of them never end?")
        return where, say(told, line=line, outer=loops[1])
    if loops:
        return where, say("It was in the loop of line {line}. Does it ever end?", line=line)
    return where, say("It was in line {line}. What takes so long there?", line=line)


def _why_no_answer(
    ending: Ending,
    trouble: Trouble,
    visibility: Visibility,
    source: Source,
    limits: Limits,
    function: str,
    signatures: Signatures,
) -> str:
    match ending:
        case Ending.ABSENT:
            return _why_absent(source, function, signatures)
        case Ending.MEMORY:
            if trouble.text == OUT_OF_MEMORY:
                told = marked(
                    "It took so much memory that there was none left, and was stopped. How large does the largest array get?"
                )
                return say(told)
            return say("It asked for more than the {mb} MB a submission may use.", mb=limits.memory_mb)
        case Ending.OUTPUT:
            reason = _reason(trouble, visibility)
            return say("What it returned cannot be read{reason}; mostly it is too large.", reason=reason)
        case Ending.DIED:
            reason = _reason(trouble, visibility)
            return say("Your code ended the Python process{reason}, so there is no result to judge.", reason=reason)
        case Ending.NOT_RUN:
            hung = say(" (a call that hung)") if trouble.text in ("", WAITING) else ""
            reason = _reason(trouble, visibility) or hung
            return say("Not run, because of what happened before it{reason}.", reason=reason)
        case _:
            return our_fault(trouble)


def our_fault(trouble: Trouble | None = None) -> str:
    """Say that the grader failed, and how where that is known."""
    return f"{say(OUR_FAULT)} ({why_ended(trouble.text)})" if trouble else say(OUR_FAULT)


def _why_absent(source: Source, function: str, signatures: Signatures) -> str:
    known = {function, *(name.partition(".")[0] for name in signatures)}  # what has that name is no renamed one
    alike = difflib.get_close_matches(function, [name for name in source.names() if name not in known], 1)
    near = say(" There is a `{name}`.", name=alike[0]) if alike else ""
    file = dict(source.homes).get(function, "")
    if not file and function in source.names():
        return say(
            "Your `{name}` was left out, because its definition fails when your file is imported.", name=function
        )
    if not file:
        return say("There is no `{name}` in your file.{near} Was it renamed or removed?", name=function, near=near)
    if not any(chunk.label == file for chunk in source.chunks):
        return say("There is no {file}, where `{name}` belongs. Was it left out?", name=function, file=file)
    if function in source.names():
        return say("{file} could not be read as far as `{name}`. First mend what it raises.", name=function, file=file)
    return say("There is no `{name}` in {file}.{near} Was it renamed or removed?", name=function, file=file, near=near)


def explain_trouble(trouble: Trouble, source: Source, visibility: Visibility = Visibility.PUBLIC) -> Message:
    """Show an exception with the student's own lines only; of hidden cases its type and last line, not its text."""
    hidden = visibility is Visibility.HIDDEN
    frames = [frame for frame in trouble.frames if source.has_code(frame.label, frame.line)]
    raised = f"{trouble.type_name}: {trouble.text}" if trouble.text else trouble.type_name
    if hidden:
        # Names and lines can be made up while running, to carry what a hidden case was called with. What a type is called
        # is told where it is not the student's own, and a line's function is looked up in the text.
        frames = [replace(frame, function=source.place(frame.label, frame.line)) for frame in frames[-1:]]
        raised = trouble.type_name if _is_known(trouble.type_name) else say("An exception of your own making")
    if trouble.type_name == "SystemExit":
        raised = say("Your code called exit(), which ends the whole program; leave a function with `return` instead.")
    # A recursion says the same line many times.
    told = [_place(frame, source) for frame, earlier in zip(frames, [None, *frames], strict=False) if frame != earlier]
    places, last = "\n".join(told), "\n".join(told[-1:])
    first, *rest = raised.split("\n")  # an exception's own text may have several lines, or one for each parameter
    more = ["  ..."] if len(rest) > SHORT else []
    return Message(first).then(*rest[:SHORT], *more, Detail(places, (places, last)))


def _place(frame: Frame, source: Source) -> str:
    """Say where in the student's code a call stands, with the line."""
    inside = say(", in {name}", name=frame.function) if frame.function and frame.function != "<module>" else ""
    place = say("  {file}, line {line}{inside}", file=frame.label, line=frame.line, inside=inside)
    text = source.line(frame.label, frame.line)
    return f"{place}\n    {text[:MAX_LINE]}" if text else place


def _reason(trouble: Trouble, visibility: Visibility) -> str:
    """Return why, in brackets; of hidden cases not even an exit code, which could be an input."""
    return "" if visibility is Visibility.HIDDEN or not trouble.text else f" ({why_ended(trouble.text)})"


def _is_known(type_name: str) -> bool:
    return type_name in _LIBRARY_ERRORS or isinstance(getattr(builtins, type_name, None), type)
