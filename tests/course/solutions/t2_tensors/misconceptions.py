"""The known mistakes."""

from autograder.course.spec import Misconception

MISCONCEPTIONS = (
    Misconception(
        "squares", "doubled", old="2 * x", new="x**2", caught_by="any_numbers", says="You square instead of doubling."
    ),
    Misconception(
        "no_bias",
        "Affine",
        old=" + self.bias",
        new="",
        caught_by="any_map",
        says="Your map has no shift: b is missing.",
    ),
    Misconception(
        "bias_detached",
        "Affine",
        old="@ self.weight.T + self.bias",
        new="@ self.weight.T + self.bias.detach()",
        caught_by="the_bias_learns",
        says="The shift is cut from the graph, so it never learns.",
    ),
    Misconception(
        "not_doubled",
        "Chain",
        old="doubled(self.first(x))",
        new="self.first(x)",
        caught_by="any_chain",
        says="What the first map gives is not doubled.",
    ),
)
