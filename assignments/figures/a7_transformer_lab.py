"""Draw the runs of a7_transformer's debugging lab, which broken_runs.py measured; a7_transformer.py calls it."""

from run_panels import Panel, Run, draw_lab


def debugging_lab() -> None:
    """Draw the loss, the norm of the gradient, and that of the encoder's part."""
    panels = (
        Panel("losses", "loss", "step of training", log=False, mean=6),
        Panel("norms", "norm of the gradient", "step of training", mean=6),
        Panel("encoder", "of it, the encoder's", "step of training", mean=6),
    )
    draw_lab("a7_transformer", panels, ("first loss", "first norm", "rows right", "reads 8 digits, says"), numbers)


def numbers(run: Run) -> list[str]:
    """Return what stands in the table of a run of the lab."""
    said = f"{run['read'][-1]}, {run['said'][-1]}"
    return [f"{run['losses'][0]:.3f}", f"{run['norms'][0]:.2f}", f"{run['right']:.0%}", said]
