"""Draw the runs of a4_seq2seq's debugging lab, which broken_runs.py measured; a4_seq2seq.py calls it."""

from run_panels import Panel, Run, draw_lab


def debugging_lab() -> None:
    """Draw the losses of both models, and how much weight the one with attention gives to the digit that it has to say."""
    panels = (
        Panel("with", "loss with attention", "step of training", log=False, mean=6),
        Panel("without", "loss without attention", "step of training", log=False, mean=6),
        Panel("looked", "weight on the right digit", "step of training", log=False, mean=6),
    )
    draw_lab("a4_seq2seq", panels, ("first losses", "encoders' norms", "rows right", "read 30537961, said"), numbers)


def numbers(run: Run) -> list[str]:
    """Return what stands in the table of a run of the lab: of the model with attention first, then of the one without."""
    pairs = (
        [f"{run[name][0]:.3f}" for name in ("with", "without")],
        [f"{run[name][0]:.2f}" for name in ("encoder_with", "encoder_without")],
        [f"{run[name]:.0%}" for name in ("right_with", "right_without")],
        [run[name] for name in ("said_with", "said_without")],
    )
    return [", ".join(pair) for pair in pairs]
