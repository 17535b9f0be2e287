"""The right values on the way to an answer: those that the reference and the other correct solutions have in the same call.

They are compared with answers, since who is in the middle of the work often returns one, and with what code has on its way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from autograder.judge.right_values import ROOT, RightValues, Variable, numbers_given, plain
from autograder.judge.tolerance import TOLERANCE
from autograder.judge.trials import Trial
from autograder.judge.value_trails import Trail
from autograder.oracle.correct_trails import correct_trails
from autograder.oracle.reference import Reference
from autograder.sandbox.child.program import Program

# What leaves memory as it was: numbers of another call may stand in it, of a hidden case or of another student.
_UNFILLED = re.compile(r"\b(?:empty|empty_like|new_empty|ndarray|Tensor)\(")

MOST_KEPT = 100  # calls whose right values are kept


def right_values(oracle: Reference, trial: Trial, call: int) -> RightValues:
    """Return the values in one call of a trial; `judge.trials.Knowledge.right_values` is the contract."""
    request = trial.requests[call]

    def made() -> RightValues:
        trails = [trail for program, trail in correct_trails(oracle, request) if not _leaves_memory(program, trail)]
        variables = [variable for number, trail in enumerate(trails) for variable in _variables(number, trail)]
        return RightValues(
            request.function,
            numbers_given(request),
            float(getattr(trial.case.check, "tolerance", TOLERANCE)),
            {variable: [plain(value) for _, value in held] for variable, held, _ in variables},
            {variable: goes_on for variable, _, goes_on in variables},
        )

    return oracle.kept(("right values", request), made, MOST_KEPT)


def _variables(solution: int, trail: Trail) -> Sequence[tuple[Variable, Sequence[tuple[int, np.ndarray]], list[bool]]]:
    """Return the variables of a solution, what they held after which step, and whether it changes that further down.

    In another pass of a loop it is set again further up.
    """
    found = []
    for (frame, name), held in trail.held.items():
        variable = Variable(solution, ROOT if frame == trail.root else frame, trail.steps[held[0][0]].function, name)
        lines = [trail.steps[number].line for number, _ in held]
        found.append((variable, held, [after > before for before, after in zip(lines, [*lines[1:], 0], strict=True)]))
    return found


def _leaves_memory(program: Program, trail: Trail) -> bool:
    """Whether a function that ran makes an array without filling it; constructors fill theirs at once."""
    for numbers in trail.of_frame.values():
        steps = [trail.steps[number] for number in numbers]
        lines = program.texts.get(steps[0].file, "").splitlines()[
            min(s.line for s in steps) : max(s.line for s in steps)
        ]
        if not steps[0].function.endswith("__init__") and _UNFILLED.search("\n".join(lines)):
            return True
    return False
