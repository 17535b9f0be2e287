"""What a student reads when a case fails, in words: one message for terminal, page and JSON.

Public cases show the call, and what came back beside what was expected. Hidden cases say only what kind of
difference there was.
"""

from __future__ import annotations

import builtins
import difflib
import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.course.language import marked, say
from autograder.course.spec import Call, Finding, Limits, Visibility
from autograder.judge.calls_as_text import Signatures, show_call, show_parameters, side_by_side
from autograder.judge.reasons import Diagnosis, Hint, Message, Mistake, Reason, Relation
from autograder.judge.relation_sentences import RELATIONS, relation_named
from autograder.sandbox.job import Ending, Outcome, Source, Trouble
from autograder.sandbox.memory import OUT_OF_MEMORY
from autograder.sandbox.time_limits import WAITING

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
MAX_LINE = 200  # characters of a line of the student's, in code and in print
UNNAMED = marked(
    "This is none of the mistakes that we know. Take the smallest call that fails, work out its first wrong number by hand, "
    "and print what your code has at each step of it: the first step that differs is the one to mend."
)
REMEMBERS = marked(
    "Your function gives another answer to the same call after other calls: it remembers something, such as a default argument "
    "`{}` or `[]`, a global, or an array from `np.empty` that is not filled. Create it inside the function, in every call."
)
TOO_GOOD = marked(
    "The loss falls faster than the reference's, which is too good: is something seen that should be predicted?"
)
FUNCTIONS = marked({
    "exponential": "the exponential", "logarithm": "the natural logarithm", "binary_logarithm": "the logarithm to base 2",
    "root": "the square root", "square": "the square", "reciprocal": "the reciprocal, 1/x,", "complement": "1 - x",
    "absolute": "the absolute value", "sigmoid": "the sigmoid", "tanh": "the tanh", "softmax": "the softmax",
    "softmax_of_negated": "the softmax of the negative", "whole_numbers": "the whole part", "rounded": "the rounded value",
})  # fmt: skip
MAPPED = marked({
    "negatives_are_zero": "Your answer is zero where a negative number is expected, and right elsewhere.",
    "one_more": "Every number is one too large.",
    "one_less": "Every number is one too small.",
    "complement": "Your answer is one minus the right one.",
})  # fmt: skip
OUR_FAULT = marked(
    "The grader itself failed here. That is not your doing."
)  # what comes of it is told where it is known


def explain_finding(
    finding: Finding, visibility: Visibility, calls: Sequence[Call], function: str, signatures: Signatures
) -> Message:
    """Say what a check found; for public cases with the call, and got beside expected."""
    if visibility is Visibility.HIDDEN:
        where = f"{finding.where}: " if _NAMED.fullmatch(finding.where) else ""
        return Message(where + say(KINDS[finding.kind]))
    called = finding.kind not in ("unanswered", "wrong_choice")
    made = calls[finding.call]
    call = show_call(made, function, signatures) if called else ""
    return Message(headline(finding), more=show_parameters(made)).then(call, side_by_side(finding))


def headline(finding: Finding) -> str:
    """Return what a check found in one line."""
    return f"{finding.where}: {finding.headline}" if finding.where else finding.headline


def explain_ending(
    outcome: Outcome,
    visibility: Visibility,
    source: Source,
    limits: Limits,
    call: Call,
    function: str,
    signatures: Signatures,
) -> Message:
    """Say why a call gave nothing to judge."""
    trouble = outcome.trouble or Trouble("", "")
    if outcome.ending is not Ending.RAISED:
        return Message(_why_no_answer(outcome.ending, trouble, visibility, source, limits, function))
    told = explain_trouble(trouble, source, visibility)
    return told if visibility is Visibility.HIDDEN else told.then(show_call(call, function, signatures, full=False))


def _why_no_answer(
    ending: Ending, trouble: Trouble, visibility: Visibility, source: Source, limits: Limits, function: str
) -> str:
    match ending:
        case Ending.ABSENT:
            alike = difflib.get_close_matches(function, [name for name in source.names() if name != function], 1)
            near = say(" There is a `{name}`.", name=alike[0]) if alike else ""
            return say("There is no `{name}` in your file.{near} Was it renamed or removed?", name=function, near=near)
        case Ending.TIMEOUT:
            question = say("What does it wait for?") if trouble.text == WAITING else say("Does a loop never end?")
            told = marked("It gave no answer within {seconds:g} s of computing and was stopped. {question}")
            return say(told, seconds=limits.case_seconds, question=question)
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
            reason = _reason(trouble, visibility) or say(" (a call that hung)")
            return say("Not run, because of what happened before it{reason}.", reason=reason)
        case _:
            return f"{say(OUR_FAULT)} ({trouble.text})"


def explain_trouble(trouble: Trouble, source: Source, visibility: Visibility = Visibility.PUBLIC) -> Message:
    """Show an exception with the student's own lines only; of hidden cases its type and last line, not its text."""
    hidden = visibility is Visibility.HIDDEN
    frames = [frame for frame in trouble.frames if source.has_code(frame.label, frame.line)]
    lines = [f"{trouble.type_name}: {trouble.text}" if trouble.text else trouble.type_name]
    if hidden:
        # Names and lines can be made up while running, to carry what a hidden case was called with. What a type is called
        # is told where it is not the student's own, and a line's function is looked up in the text.
        frames = [replace(frame, function=source.place(frame.label, frame.line)) for frame in frames[-1:]]
        lines = [trouble.type_name if _is_known(trouble.type_name) else say("An exception of your own making")]
    if trouble.type_name == "SystemExit":
        lines = [say("Your code called exit(), which ends the whole program; leave a function with `return` instead.")]
    for frame, earlier in zip(frames, [None, *frames], strict=False):
        if frame == earlier:
            continue  # a recursion says the same line many times
        inside = say(", in {name}", name=frame.function) if frame.function and frame.function != "<module>" else ""
        lines.append(say("  {file}, line {line}{inside}", file=frame.label, line=frame.line, inside=inside))
        text = source.line(frame.label, frame.line)
        if text:
            lines.append(f"    {text[:MAX_LINE]}")
    first, *rest = "\n".join(lines).split("\n")  # an exception's own text may have several lines
    return Message(first, "\n".join(rest))


def _reason(trouble: Trouble, visibility: Visibility) -> str:
    """Return why, in brackets; of hidden cases not even an exit code, which could be an input."""
    return "" if visibility is Visibility.HIDDEN or not trouble.text else f" ({trouble.text})"


def _is_known(type_name: str) -> bool:
    return type_name in _LIBRARY_ERRORS or isinstance(getattr(builtins, type_name, None), type)


def explain_loading(outcome: Outcome, source: Source, limits: Limits) -> str:
    """Say why a submission could not be imported, and what to do."""
    trouble = outcome.trouble or Trouble("", "")
    match outcome.ending:
        case Ending.TIMEOUT:
            told = marked(
                "Your file was still running after {seconds:g} s of computing. "
                'Put experiments at the bottom under `if __name__ == "__main__":`.'
            )
            return say(told, seconds=limits.import_seconds)
        case Ending.MEMORY:
            return say("Your file took so much memory while being imported that there was none left, and was stopped.")
        case Ending.DIED:
            return say("Your file ended the Python process while being imported ({reason}).", reason=trouble.text)
        case Ending.FAULT:
            return f"{say(OUR_FAULT)} ({trouble.text})"
        case _:
            told = say("Your file cannot be imported, so nothing in it can be checked yet.")
            return Message(told).then(explain_trouble(trouble, source).text).text


def explain_reason(reason: Reason) -> str:
    """Say why a case fails: one mistake, several at once, a choice between explanations, or where to look first."""
    if isinstance(reason, Diagnosis):
        return _diagnosed(reason)
    if isinstance(reason, Relation):
        return _related(reason)
    match reason.hint:
        case Hint.MEND_FIRST:
            return say("It uses your `{name}`, which does not pass yet; mend that first.", name=reason.exercise)
        case Hint.UNNAMED:
            return say(UNNAMED)
        case Hint.REMEMBERS:
            return say(REMEMBERS)
        case Hint.TOO_GOOD:
            return say(TOO_GOOD)


def _diagnosed(diagnosis: Diagnosis) -> str:
    """Say what explains the failures; a mistake that is part of every explanation is said once, before the choice."""
    if diagnosis.tentative or diagnosis.is_only_one:
        told = _sentence(diagnosis.alternatives[0], diagnosis.exercise)
        return say("Perhaps: {told}", told=told) if diagnosis.tentative else told
    shared = [m for m in diagnosis.alternatives[0] if all(m in mistakes for mistakes in diagnosis.alternatives)]
    rest = [tuple(m for m in mistakes if m not in shared) for mistakes in diagnosis.alternatives]
    if not shared or not all(rest):
        shared, rest = [], list(diagnosis.alternatives)
    choice = dict.fromkeys(_sentence(mistakes, diagnosis.exercise) for mistakes in rest)
    told = say("One of these: ") + say(" Or: ").join(choice) if len(choice) > 1 else next(iter(choice))
    return say(" Also: ").join([_sentence(shared, diagnosis.exercise), told]) if shared else told


def _related(relation: Relation) -> str:
    """Say how wrong values are related to the right ones."""
    kind, *names = relation.key
    if kind == "constant_factor" and names == ["-1"]:
        told = say("Every value has the wrong sign.")
    elif kind == "map" and names[0] in MAPPED:
        told = say(MAPPED[names[0]])
    else:
        named = (say(FUNCTIONS[name]) if name in FUNCTIONS else relation_named(name) for name in names)
        told = say(RELATIONS[kind.removeprefix("state_")], *named)
    return f"`{relation.part}`: {told}" if relation.part else told


def _sentence(mistakes: Sequence[Mistake], exercise: str) -> str:
    """Say which mistakes of its own an exercise has; those of exercises that it uses are told there."""
    own = [mistake for mistake in mistakes if mistake.exercise == exercise]
    text = say(" Also: ").join(mistake.sentence for mistake in own or mistakes)
    used = dict.fromkeys(f"`{mistake.exercise}`" for mistake in mistakes if own and mistake.exercise != exercise)
    return (
        say("{text} It also uses your {names}; see there.", text=text, names=say(" and ").join(used)) if used else text
    )
