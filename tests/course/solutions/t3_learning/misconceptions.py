"""The known mistakes."""

from autograder.course.spec import Misconception

MISCONCEPTIONS = (
    Misconception(
        "absolute",
        "predict",
        old="x @ w\n",
        new="abs(x) @ w\n",
        caught_by="any_line",
        says="The places lose their sign.",
    ),
    Misconception(
        "uphill",
        "gradient",
        old="(predict(w, x) - y)",
        new="(y - predict(w, x))",
        caught_by="any_gradient",
        says="The gradient points the other way, so every step makes it worse.",
    ),
)
