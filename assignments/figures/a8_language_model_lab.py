"""Draw the runs of a8_language_model's debugging lab, which broken_runs.py measured; a8_language_model.py calls it."""

from run_panels import Panel, Run, draw_lab

SHOWN = 26  # of the characters that a run says


def debugging_lab() -> None:
    """Draw the loss, the norm of the gradient, and the loss on the held-out text."""
    panels = (
        Panel("losses", "loss", "step of training", log=False, mean=10),
        Panel("norms", "norm of the gradient", "step of training", mean=10),
        Panel("held_out", "held-out loss", "evaluation, every 20 steps", log=False),
    )
    draw_lab("a8_language_model", panels, ("first loss", "first norm", "held-out", "goes on from ROMEO:"), numbers)


def numbers(run: Run) -> list[str]:
    """Return what stands in the table of a run of the lab; / stands for the end of a line, and · for a space."""
    said = run["said"][:SHOWN].replace("\n", "/").replace(" ", "·")
    return [f"{run['losses'][0]:.3f}", f"{run['norms'][0]:.2f}", f"{run['held_out'][-1]:.2f}", said]
