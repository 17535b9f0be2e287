"""Results as JSON: what is stored of a case, and what people and programs read of it, which has the words as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograder.course.language import ENGLISH
from autograder.course.spec import Status, Visibility
from autograder.judge.picture import as_json, from_json
from autograder.judge.reasons import Advice, Diagnosis, Hint, Message, Mistake, Reason, Relation, Turn
from autograder.judge.result import CaseResult, ExerciseResult, Result

Json = dict[str, object]
_NOT_TOLD = frozenset(
    {"details", "fingerprint", "raised_at", "language"}
)  # the message holds the details, the others are for graders


def stored_case(case: CaseResult) -> Json:
    """Return a case as data, without its time: no text that can be made of the rest, and nothing that is for graders only.

    What is the same in two submissions is the same text.
    """
    return {
        "name": case.name,
        "claim": case.claim,
        "visibility": case.visibility,
        "status": case.status,
        "headline": case.told.headline,
        "details": case.told.details,
        "reason": _reason(case.reason),
        "picture": as_json(case.picture),
        **({"again": True} if case.again else {}),
        **({"turn": vars(case.turn)} if case.turn else {}),
        **({"crash": case.crash} if case.crash else {}),
        **({"fingerprint": case.fingerprint} if case.fingerprint else {}),
        **({"raised_at": case.raised_at} if case.raised_at else {}),
        **({"language": case.language} if case.language != ENGLISH else {}),
    }


def case_of(stored: Mapping[str, Any]) -> CaseResult:
    """Return the case that was stored."""
    return CaseResult(
        stored["name"],
        stored["claim"],
        Visibility(stored["visibility"]),
        Status(stored["status"]),
        Message(stored["headline"], stored["details"]),
        _reason_of(stored["reason"]),
        0.0,
        again=stored.get("again", False),
        turn=_turn_of(stored["turn"]) if "turn" in stored else None,
        picture=from_json(stored["picture"]),
        crash=stored.get("crash", ""),
        fingerprint=stored.get("fingerprint", ""),
        raised_at=(stored["raised_at"][0], stored["raised_at"][1]) if "raised_at" in stored else None,
        language=stored.get("language", ENGLISH),
    )


def told_case(case: CaseResult, seconds: float) -> Json:
    """Return a case as readers of JSON get it: with the message, the diagnosis and its sentence in words, and its time."""
    told = {"message": case.message, "diagnosis": case.diagnosis, "says": case.says, "seconds": round(seconds, 4)}
    told |= {"where": case.where} if case.turn else {}
    return {**{key: value for key, value in stored_case(case).items() if key not in _NOT_TOLD}, **told}


def told_exercise(exercise: ExerciseResult) -> Json:
    """Return an exercise for a student at home or a grader."""
    cases = [{**told_case(c, c.seconds), "follows": c.follows, "grader_note": c.grader_note} for c in exercise.cases]
    told = {"name": exercise.name, "score": exercise.score, "max_score": exercise.max_score, "cases": cases}
    answered = {"answered": bool(exercise.answer)} if exercise.by_person else {}
    bonus = {"bonus": True} if exercise.bonus else {}
    return told | ({"device": exercise.device} if exercise.device else {}) | answered | bonus


def told_result(result: Result) -> Json:
    """Return a result for a student at home or a grader."""
    return {
        "assignment": result.assignment,
        "exercises": [told_exercise(exercise) for exercise in result.exercises],
        "problem": result.problem,
        "printed": result.printed,
        "notes": result.notes,
    }


def _turn_of(stored: Mapping[str, Any]) -> Turn:
    return Turn(**{**stored, "lines": tuple(stored["lines"])})


def _reason(reason: Reason | None) -> Json | None:
    if reason is None:
        return None
    if isinstance(reason, Advice):
        return {"kind": "advice", "hint": reason.hint, "exercise": reason.exercise}
    if isinstance(reason, Relation):
        told = {"kind": "relation", "exercise": reason.exercise, "key": list(reason.key), "part": reason.part}
        return told | {"beside": vars(reason.beside) if reason.beside else None}
    alternatives = [[vars(mistake) for mistake in mistakes] for mistakes in reason.alternatives]
    return {
        "kind": "diagnosis",
        "exercise": reason.exercise,
        "tentative": reason.tentative,
        "alternatives": alternatives,
    }


def _reason_of(stored: Mapping[str, Any] | None) -> Reason | None:
    if stored is None:
        return None
    if stored["kind"] == "advice":
        return Advice(Hint(stored["hint"]), stored["exercise"])
    if stored["kind"] == "relation":
        beside = Mistake(**stored["beside"]) if stored.get("beside") else None
        return Relation(stored["exercise"], tuple(stored["key"]), stored["part"], beside)
    alternatives = tuple(tuple(Mistake(**mistake) for mistake in mistakes) for mistakes in stored["alternatives"])
    return Diagnosis(stored["exercise"], alternatives, stored["tentative"])
