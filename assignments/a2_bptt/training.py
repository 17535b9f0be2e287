"""Train a network of three units to spell: from "h" on it has to say "e", "l", "l", "o", each from what it said last.

The gradients are those of your bptt.py: loss_backward, rnn_backward (and, if yours calls it, rnn_step_backward),
embedding_backward and clip_grad_norm. The forward pass and the step downhill stand here, and are all there is to it.

    python training.py        trains with the bptt.py beside this file, and prints the loss
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

RATE = 0.5  # how far a step goes, as a share of the gradient
MAX_NORM = 0.35  # a gradient with a larger norm is scaled down to this

Params = dict[str, np.ndarray]


def forward(ids: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Run the network over a batch of ids: return the vectors looked up, h0, the states and the logits."""
    x, h0 = params["E"][ids], np.repeat(params["h0"], len(ids), axis=0)
    pushed = x @ params["W_x"].T + params["b"]  # what the inputs add, at all steps at once
    h = [h0]
    for step in range(pushed.shape[1]):
        h.append(np.tanh(pushed[:, step] + h[-1] @ params["W_h"].T))
    seen = np.stack(h[1:], axis=1)
    return x, h0, seen, seen @ params["W_y"].T + params["b_y"]


def mean_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    """Return the mean of -log softmax(logits)[target] over the positions that count."""
    rights = np.take_along_axis(logits, targets[:, :, None], axis=2)[:, :, 0]
    return float((np.log(np.exp(logits).sum(axis=2)) - rights)[mask].mean())


def loss_and_gradient(
    student: ModuleType, ids: np.ndarray, targets: np.ndarray, mask: np.ndarray, params: Params
) -> tuple[float, Params]:
    """Return the loss, and the gradient with respect to every parameter by the student's functions."""
    x, h0, h, logits = forward(ids, params)
    loss = mean_loss(logits, targets, mask)
    dlogits = student.loss_backward(logits, targets, mask)
    dx, dh0, dW_x, dW_h, db = student.rnn_backward(dlogits @ params["W_y"], (x, h0, h, params["W_x"], params["W_h"]))
    return loss, {
        "E": student.embedding_backward(dx, ids, len(params["E"])),
        "W_x": dW_x,
        "W_h": dW_h,
        "b": db,
        "W_y": np.tensordot(dlogits, h, axes=((0, 1), (0, 1))),
        "b_y": dlogits.sum(axis=0).sum(axis=0),
        "h0": dh0.sum(axis=0, keepdims=True),  # all rows start from the same state, and it is learned, too
    }


def train_hello(
    student: ModuleType,
    report: Callable[[int, float], None],
    steps: int,
    params: Params,
    ids: np.ndarray,
    targets: np.ndarray,
    mask: np.ndarray,
) -> dict[str, Any]:
    """Go downhill; return the losses, and the parameters that it came to."""
    losses = []
    for step in range(steps):
        loss, gradient = loss_and_gradient(student, ids, targets, mask, params)
        shortened, _ = student.clip_grad_norm(gradient, MAX_NORM)
        params = {name: value - RATE * shortened[name] for name, value in params.items()}
        losses.append(loss)
        report(step, loss)
    return {"losses": losses, "params": params}


def spell(params: Params, start: int, count: int) -> list[int]:
    """Say `count` letters, each from those before it: the network is not told which ones were right."""
    said = [start]
    for _ in range(count):
        *_, logits = forward(np.array([said]), params)
        said.append(int(logits[0, -1].argmax()))
    return said[1:]


def first_params(rng: np.random.Generator) -> Params:
    """Draw the parameters to start from: 4 letters, vectors of 2 numbers, 3 units."""
    shapes = {"E": (4, 2), "W_x": (3, 2), "W_h": (3, 3), "b": (3,), "W_y": (4, 3), "b_y": (4,), "h0": (1, 3)}
    return {name: rng.normal(scale=0.5, size=shape) for name, shape in shapes.items()}


# "hell" is read and "ello" is to be predicted; beside it the same cut short, "hel" and "ell", with one padded position.
LETTERS = "ehlo"  # the ids 0 1 2 3, as in all of the course
READ, AIM = np.array([[1, 0, 2, 2], [1, 0, 2, 0]]), np.array([[0, 2, 2, 3], [0, 2, 2, 0]])
COUNTED = np.array([[True] * 4, [True] * 3 + [False]])

if __name__ == "__main__":
    import bptt

    def show(step: int, loss: float) -> None:
        """Print a loss now and then."""
        if step in (0, 10, 20, 50) or step % 100 == 99:
            print(f"step {step:3}   loss {loss:.4f}")

    done = train_hello(bptt, show, 500, first_params(np.random.default_rng(1)), READ, AIM, COUNTED)
    print("h" + "".join(LETTERS[i] for i in spell(done["params"], LETTERS.index("h"), 4)))
