"""Known mistakes: one in each file."""

from autograder.course.spec import Misconception

MISCONCEPTIONS = (
    Misconception(
        "over_all_rows",
        "weights_of",
        old="powers.sum(axis=-1, keepdims=True)",
        new="powers.sum()",
        caught_by="two_rows",
        says="Your weights add up to one over all rows, not over each row.",
    ),
    Misconception(
        "no_shift",
        "weights_of",
        old="scores - largest_of(scores)",
        new="scores",
        caught_by="large_scores",
        says="Your exponentials overflow: take the largest score of each row away first.",
    ),
    Misconception(
        "not_weighted",
        "pooled",
        old="weights = weights_of(scores)",
        new="weights = scores",
        caught_by="two_values",
        says="You pool by the scores themselves, not by their weights.",
    ),
)
