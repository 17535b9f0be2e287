"""Draw the runs of a9_modern_lm's debugging lab, which broken_runs.py measured; a9_modern_lm.py calls it."""

from run_panels import Panel, Run, draw_lab


def debugging_lab() -> None:
    """Draw the loss, the norm of the gradient, and how much a step changes."""
    panels = (
        Panel("losses", "loss", "step of training", mean=5),
        Panel("norms", "norm of the gradient", "step of training", mean=5),
        Panel("steps", "length of the step", "step of training"),
    )
    draw_lab("a9_modern_lm", panels, ("first loss", "first step", "held-out", "at once, in pieces"), numbers)


def numbers(run: Run) -> list[str]:
    """Return what stands in the table of a run of the lab."""
    read = f"{run['at_once']:.2f}, {run['in_pieces']:.2f}"
    return [f"{run['losses'][0]:.5g}", f"{run['steps'][0]:.3f}", f"{run['held_out']:.2f}", read]
