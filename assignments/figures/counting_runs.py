"""What broken_runs.py sees of a9's model while it learns to count, and of what it knows in the end, also behind its cache."""

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

BACK, TRUE = 3, 12  # a number follows from the one three before it; so many places of the rows with other ends are true


class Counting:
    """A student's module, whose steps are heard of: `norms` is of gradients, `steps` of what a step changes in all parameters."""

    def __init__(self, modern_lm: ModuleType, norms: list[float], more: dict[str, list[float]]) -> None:
        self._norms, self._steps = norms, more.setdefault("steps", [])
        self._parameters, self._squares = 0, [np.zeros(2)]
        self._lm = modern_lm
        watched: dict[str, Callable[..., Any]] = {"ModernLM": self._made, "adamw_step": self._stepped}
        self.student = SimpleNamespace(**{**vars(modern_lm), **watched})

    def _made(self, *sizes: Any) -> Any:
        net = self._lm.ModernLM(*sizes)
        self._parameters = len(list(net.parameters()))
        return net

    def _stepped(self, w: Any, g: Any, *args: Any) -> Any:
        before = w.clone()
        moved, state = self._lm.adamw_step(w, g, *args)
        self._squares.append(np.array([float((g**2).sum()), float(((moved - before) ** 2).sum())]))
        if len(self._squares) > self._parameters:  # the last parameter of this step
            norm, step = np.sqrt(sum(self._squares))
            self._norms.append(float(norm))
            self._steps.append(float(step))
            self._squares = [np.zeros(2)]
        return moved, state


def counted_rows(_: dict[str, Any], args: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return the loss on rows that it has not seen, and that on a few, read at once and in pieces behind the cache."""
    held_out, some = (np.asarray(rows) for rows in args[2:4])
    own = {"held_out": (value["logits"], held_out)}
    own |= {name: (np.asarray(value[key])[:, :TRUE], some[:, :TRUE]) for name, key in KINDS.items()}
    return {name: _loss(np.asarray(logits, np.float64), rows) for name, (logits, rows) in own.items()}


KINDS = {"at_once": "changed", "in_pieces": "in_pieces"}


def _loss(logits: np.ndarray, rows: np.ndarray) -> float:
    """Return the mean of -log p over the numbers that come next and of which a model can know something."""
    logits = logits[:, BACK - 1 : -1]
    log_p = logits - logits.max(axis=-1, keepdims=True)
    log_p -= np.log(np.exp(log_p).sum(axis=-1, keepdims=True))
    return float(-np.take_along_axis(log_p, rows[:, BACK:, None], axis=-1).mean())
