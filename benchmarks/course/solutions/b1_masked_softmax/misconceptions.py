"""Known mistakes of b1_masked_softmax."""

from autograder.course.spec import Misconception

MISCONCEPTIONS = (
    Misconception(
        "mask_upside_down",
        "masked_softmax",
        old="~mask",
        new="mask",
        caught_by="two_of_three_keys",
        says="Your function hides the keys the mask allows. True means that a key may be read.",
    ),
    Misconception(
        "softmax_over_queries",
        "masked_softmax",
        old="raised.sum(dim=-1, keepdim=True)",
        new="raised.sum(dim=-2, keepdim=True)",
        caught_by="rows_of_any_batch",
        says="Your shares sum to one down a column. Each query shares out its own row.",
    ),
    Misconception(
        "maximum_not_subtracted",
        "masked_softmax",
        old="shifted = scores - scores.amax(dim=-1, keepdim=True)",
        new="shifted = scores",
        caught_by="large_scores_do_not_overflow",
        says="Your exponentials overflow for large scores. Subtract each row's maximum first.",
    ),
)
