"""Make the zip for Gradescope, and grade in its container.

`autograder gradescope` packs two scripts, this package as a wheel, and a desk (`one_submission.py`). In the container `main`
judges the submission at that desk and writes results.json: one test for each exercise's public cases and one for its hidden
cases, which may have another visibility.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from autograder.classroom.exports import exercise_output, gradescope_name, gradescope_results, gradescope_test
from autograder.classroom.record import ExerciseRecord, Record
from autograder.classroom.whole_files import write_whole
from autograder.course.language import ENGLISH, marked, say, speaking
from autograder.course.spec import Assignment, Status, Visibility
from autograder.handout.zips import zip_bytes
from autograder.integrations.one_submission import Settings, desk_files, handed_in, open_desk, requirements
from autograder.integrations.wheel import NAME, wheel
from autograder.judge.points import points_text
from autograder.judge.result_json import Json
from autograder.submission.written_exercises import Stub

VISIBILITIES = ("hidden", "after_due_date", "after_published", "visible")
_CASES = marked({
    Visibility.PUBLIC: "{exercise}: public cases",
    Visibility.HIDDEN: "{exercise}: hidden cases",
})  # fmt: skip
_TEMPLATES = Path(__file__).resolve().parent / "templates" / "gradescope"
_NOTHING = marked(
    "The autograder did not come to an end. Nothing is wrong with what you handed in; tell your instructor."
)


def gradescope_files(course: Path, assignment: Assignment, settings: Settings) -> dict[str, bytes]:
    """Return the files of the zip by path."""
    script = (_TEMPLATES / "run_autograder").read_text(encoding="utf-8")
    return {
        "setup.sh": (_TEMPLATES / "setup.sh").read_bytes(),
        "run_autograder": script.replace("@SECONDS@", str(settings.seconds)).encode(),
        "requirements.txt": requirements(assignment).encode(),
        "no_results.json": json.dumps(nothing(assignment.language), indent=1).encode() + b"\n",
        NAME: wheel("autograder.integrations.gradescope"),
        **{f"desk/{name}": data for name, data in desk_files(course, settings).items()},
    }


def nothing(language: str = ENGLISH) -> Json:
    """Return the results that stay where grading does not end."""
    with speaking(language):
        told = say(_NOTHING)
    return {"score": 0, "output": told, "visibility": "visible", "stdout_visibility": "hidden", "tests": []}


def gradescope_zip(course: Path, assignment: Assignment, settings: Settings) -> bytes:
    """Return the zip; equal courses, settings and engines give equal bytes."""
    return zip_bytes(gradescope_files(course, assignment, settings))


def results(record: Record, weights: Mapping[tuple[str, str], float], hidden: str) -> Json:
    """Return a record as results.json, with separate tests for public and hidden cases."""
    whole = gradescope_results(record)
    shown = {Visibility.PUBLIC: "visible", Visibility.HIDDEN: hidden}
    with speaking(record.language):
        tests = [t for number, e in enumerate(record.exercises, 1) for t in _tests(record, e, number, weights, shown)]
    level = record.isolation.level if record.isolation else ""
    extra = {"assignment": record.assignment, "status": record.status, "late_hours": record.late_hours}
    return {**whole, "extra_data": {**extra, "isolation": level}, "tests": tests}


def _tests(
    record: Record,
    exercise: ExerciseRecord,
    number: int,
    weights: Mapping[tuple[str, str], float],
    shown: Mapping[Visibility, str],
) -> Iterator[Json]:
    """Yield the tests for the public and the hidden cases of an exercise, or what there is of one that a person grades."""
    if exercise.by_person:
        yield gradescope_test(exercise, number, whole=bool(record.problem))
    all_weights = [weights.get((exercise.name, case.name), 1.0) for case in exercise.cases]
    for place, visibility in enumerate((Visibility.PUBLIC, Visibility.HIDDEN), 1):
        pairs = zip(exercise.cases, all_weights, strict=True)
        mine = [(case, weight) for case, weight in pairs if case.visibility is visibility]
        if not mine:
            continue
        part = exercise.max_score / sum(all_weights)
        most = round(part * sum(weight for _, weight in mine), 4)
        earned = round(part * sum(weight for case, weight in mine if case.status is Status.PASSED), 4)
        cases = tuple(case for case, _ in mine)
        yield {
            "name": say(_CASES[visibility], exercise=gradescope_name(exercise)),
            "name_format": "text",
            "number": f"{number}.{place}",
            "score": earned,
            "max_score": most,
            "status": "passed" if all(case.status is Status.PASSED for case in cases) else "failed",
            "output": exercise_output(replace(exercise, cases=cases), whole=bool(record.problem)),
            "output_format": "text",
            "visibility": shown[visibility],
        }


def main() -> None:
    """Judge what lies in a container's submission/ and write results/results.json: `... -m ...gradescope /autograder`."""
    root = Path(sys.argv[1])
    desk = open_desk(root / "source" / "desk")
    record = desk.judge(handed_in(root / "submission", Stub.of(desk.assignment)))
    answer = results(record, desk.weights(), desk.settings.hidden)
    write_whole(root / "results" / "results.json", json.dumps(answer, indent=1, ensure_ascii=False))
    level = record.isolation.level if record.isolation else "none"
    print(f"{record.status}: {points_text(record.points)} of {points_text(record.max_score)}; isolation {level}")


if __name__ == "__main__":
    main()
