"""The one known mistake."""

from autograder.course.spec import Misconception

MISCONCEPTIONS = (
    Misconception(
        "squares", "doubled", old="2 * x", new="x**2", caught_by="any_numbers", says="You square instead of doubling."
    ),
)
