"""Why a case fails, in words: known mistakes, relations, where right turns into wrong, and what to try where nothing is known."""

from __future__ import annotations

import re
from collections.abc import Sequence

from autograder.course.language import marked, say
from autograder.judge.reasons import PARTS, Diagnosis, Hint, Mistake, Reason, Relation, Turn
from autograder.judge.relation_sentences import RELATIONS, part_named, relation_named
from autograder.judge.slip_sentences import ALONE, BESIDE, QUESTIONS, SLIPS, WHERE

ENOUGH_LINES = 3  # that are told as one range
UNNAMED = marked(
    "We can name no single mistake that explains all of this. Take a call that fails, the one shown here or a small one of your own, "
    "work out its first wrong number by hand, and print what your code has at each step: the first step that differs is the one to mend."
)
REMEMBERS = marked(
    "Your function gives another answer to the same call after other calls: it remembers something, such as a default argument "
    "`{}` or `[]`, a global, an attribute in the body of a class, or an array from `np.empty` that is not filled. Create it inside the "
    "function, in every call; in a class, in `__init__`."
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
ALSO_WRONG = marked(
    "There is a mistake here beside the one in your `{name}`, which it uses: with what your `{name}` gives, right code would come to "
    "something else. Once that one passes, it shows better."
)
_RIGHT_BESIDE = re.compile(r"\b(?:is|are) ((?:[a-z]+ )?right(?:ly)?)(?=[,:;.])")  # "The weights are right, but ..."


def explain_reason(reason: Reason) -> str:
    """Say why a case fails: one mistake, several at once, a choice between explanations, or where to look first."""
    if isinstance(reason, Diagnosis):
        return _diagnosed(reason)
    if isinstance(reason, Relation):
        return _related(reason)
    match reason.hint:
        case Hint.MEND_FIRST:
            return say("It uses your `{name}`, which does not pass yet; mend that first.", name=reason.exercise)
        case Hint.ALSO_WRONG:
            return say(ALSO_WRONG, name=reason.exercise)
        case Hint.UNNAMED:
            return say(UNNAMED)
        case Hint.REMEMBERS:
            return say(REMEMBERS)
        case Hint.TOO_GOOD:
            return say(TOO_GOOD)
        case Hint.FORBIDDEN:
            return ""


def explain_turn(turn: Turn) -> str:
    """Say where calls turn from right to wrong: the last value that is surely right, and where to look."""
    told = marked("`{name}`, set in {file}, line {line}, is right: a correct solution has the same values on the way.")
    if turn.passes:
        told = marked(
            "`{name}`, set in {file}, line {line}, is right up to pass {n} of its loop, and wrong in the next."
        )
    told = say(told, name=turn.name, file=turn.file, line=turn.line, n=turn.passes)
    *others, last = _ranges(turn.lines)
    lines = say(" and ").join(filter(None, [", ".join(others), last]))
    look = marked("Look at line {lines}, and for a step that is missing there.")
    if len(turn.lines) > 1:
        look = marked("Look at lines {lines}, and for a step that is missing there.")
    return f"{told} {say(look, lines=lines)}"


def _ranges(lines: Sequence[int]) -> list[str]:
    """Return lines as texts, three or more that follow each other as one: 4, 6-8."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and runs[-1][-1] == line - 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    return [text for run in runs for text in (map(str, run) if len(run) < ENOUGH_LINES else [f"{run[0]}-{run[-1]}"])]


def _diagnosed(diagnosis: Diagnosis) -> str:
    """Say what explains the failures; a mistake that is part of every explanation is said once, before the choice."""
    if diagnosis.tentative or diagnosis.is_only_one:
        told = _sentence(diagnosis.alternatives[0], diagnosis.exercise)
        return say("Perhaps: {told}", told=told) if diagnosis.tentative else told
    several = any(len(mistakes) > 1 for mistakes in diagnosis.alternatives)
    shared = [m for m in diagnosis.alternatives[0] if all(m in mistakes for mistakes in diagnosis.alternatives)]
    rest = [tuple(m for m in mistakes if m not in shared) for mistakes in diagnosis.alternatives]
    if not shared or not all(rest):
        shared, rest = [], list(diagnosis.alternatives)
    choice = dict.fromkeys(_sentence(mistakes, diagnosis.exercise, among=several) for mistakes in rest)
    told = next(iter(choice))
    if len(choice) > 1 and any(len(mistakes) > 1 for mistakes in rest):  # which belong together is to be seen
        told = say("One of these: ") + " ".join(f"({number}) {text}" for number, text in enumerate(choice, 1))
    elif len(choice) > 1:
        told = say("One of these: ") + say(" Or: ").join(choice)
    return say(" Also: ").join([_sentence(shared, diagnosis.exercise, among=several), told]) if shared else told


def _related(relation: Relation) -> str:
    """Say how wrong values are related to the right ones."""
    kind, *names = relation.key
    if kind in SLIPS:
        return _slipped(relation.beside, kind, *names)
    if kind == "constant_factor" and names == ["-1"]:
        told = say("Every value has the wrong sign.")
    elif kind == "map" and names[0] in MAPPED:
        told = say(MAPPED[names[0]])
    else:
        mapped = kind.removesuffix("map") != kind  # else it is a student's function that is called so
        named = (say(FUNCTIONS[name]) if mapped and name in FUNCTIONS else relation_named(name) for name in names)
        told = say(RELATIONS[kind.removeprefix("state_")], *named)
    parts = [f"`{part_named(part)}`" for part in relation.part.split(PARTS) if part]
    listed = say(" and ").join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
    return f"{listed}: {told}" if parts else told


def _slipped(beside: Mistake | None, kind: str, *names: str) -> str:
    """Say which slip in right code gives the same answers, or in code with a known mistake, and what is computed there."""
    *named, made = names
    clause = say(SLIPS[kind], *named)
    told = say(BESIDE, mistake=_beside_another(beside.sentence), clause=clause) if beside else say(ALONE, clause=clause)
    asked = [say(QUESTIONS[kind])] if kind in QUESTIONS else []
    return " ".join([told, *asked, *([say(WHERE, made)] if made else [])])


def _beside_another(sentence: str) -> str:
    """Return what is told of a mistake beside another one, which may spoil what this one alone leaves right."""
    return _RIGHT_BESIDE.sub(r"may be \1", sentence)


def _sentence(mistakes: Sequence[Mistake], exercise: str, *, among: bool = False) -> str:
    """Say which mistakes of its own an exercise has, perhaps `among` others; those of exercises that it uses are told there."""
    own = [mistake for mistake in mistakes if mistake.exercise == exercise]
    among |= len(mistakes) > 1
    text = say(" Also: ").join(_beside_another(m.sentence) if among else m.sentence for m in own or mistakes)
    used = dict.fromkeys(f"`{mistake.exercise}`" for mistake in mistakes if own and mistake.exercise != exercise)
    return (
        say("{text} It also uses your {names}; see there.", text=text, names=say(" and ").join(used)) if used else text
    )
