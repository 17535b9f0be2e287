"""What the line has to learn."""

import numpy as np

from autograder.course.spec import Metric, Training

LINE = np.array([1.0, -2.0, 0.5])


def _draw(rng):
    x = rng.normal(size=(32, 3))
    return np.zeros(3), x, x @ LINE + rng.normal(scale=0.1, size=32), rng.normal(size=(8, 3))


def _error(args, value):
    return float(np.mean((value["values"] - args[-1] @ LINE) ** 2))


train_line = Training(
    "train_line",
    "fit",
    _draw,
    steps=200,
    seconds=5,
    metrics=(
        Metric(
            "held_out_error",
            "At places it has not seen, the line is right.",
            _error,
            low=1e-7,
            high=0.1,
            below="That is too good: the noise alone costs more, so it has seen the answers.",
            above="It has not learned: follow the loss from step to step.",
        ),
    ),
    catches=("uphill",),
)
