"""Known mistakes of the fixture assignment."""

from autograder.course.spec import Misconception

MISCONCEPTIONS = (
    Misconception(
        "divides_by_rows",
        "row_means",
        old="total / x.shape[-1]",
        new="total / x.shape[-2]",
        caught_by="means_of_any_shape",
        says="You divide by the number of rows.",
    ),
    Misconception(
        "skips_the_first",
        "row_means",
        old="x.sum(axis=-1)",
        new="x[..., 1:].sum(axis=-1)",
        caught_by="two_rows",
        says="Your sum leaves out the first entry.",
    ),
    Misconception(
        "adds_the_mean",
        "center",
        old="return x - means",
        new="return x + means",
        caught_by="centers_any_shape",
        says="You add the mean instead of taking it away.",
    ),
    Misconception(
        "mean_minus_x",
        "center",
        old="return x - means",
        new="return means - x",
        caught_by="centers_any_shape",
        says="Your difference is the wrong way around.",
        twins=("negates_the_result",),
    ),
    Misconception(
        "negates_the_result",
        "center",
        old="return x - means",
        new="return -(x - means)",
        caught_by="two_rows_centered",
        says="Your result has the wrong sign.",
        twins=("mean_minus_x",),
    ),
    Misconception(
        "centers_in_place",
        "center",
        old="return x - means",
        new="x -= means\n    return x",
        caught_by="the_argument_stays",
        says="You take the means from the array you were given.",
    ),
    Misconception(
        "no_root",
        "spread",
        old="np.sqrt(mean_square)",
        new="mean_square",
        caught_by="spreads_of_any_shape",
        says="You forgot the root.",
    ),
    Misconception(
        "root_of_the_sum",
        "spread",
        old="mean_square = row_means(squares)",
        new="mean_square = squares.sum(axis=-1)",
        caught_by="two_spreads",
        says="You take the sum of the squares, not their mean.",
    ),
)
