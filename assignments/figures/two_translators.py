"""Watch a4_seq2seq's training from outside, where a model with attention and one without learn in turns; broken_runs.py calls it."""

from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

MODELS = {"with": "with_attention", "without": "without"}  # how a run names them, and how the training does
SHOWN = 8  # digits of the row whose answers are shown


class TwoTranslators:
    """What is heard of two models: losses, gradient norms before clipping, and where the one with attention looks.

    The module in `student` does the same as the one that it is made of. The norms of the model with attention go to `norms`, all
    else to `more`: `looked` is the mean weight of the digit that has to be said, at each step of training.
    """

    def __init__(self, seq2seq: ModuleType, norms: list[float], more: dict[str, list[float]]) -> None:
        self.own = seq2seq
        self.norms = {"with": norms, "without": []}
        self.reading = {name: more.setdefault(f"encoder_{name}", []) for name in MODELS}  # norms of the encoders' part
        self.losses = {name: more.setdefault(name, []) for name in MODELS}
        self.looked, self.looks = more.setdefault("looked", []), list[float]()
        self.encoders = iter(MODELS)  # in this order they are made
        changed = {
            "Encoder": self.encoder,
            "AttentionDecoder": self.looking,
            "DecoderWithContext": lambda *sizes: heard(seq2seq.DecoderWithContext(*sizes), self.norms["without"]),
            "masked_nll": self.masked_nll,
        }
        self.student = SimpleNamespace(**{**vars(seq2seq), **changed})

    def masked_nll(self, *args: Any) -> Any:
        """Take the loss, which the two models do in turns; what is heard of gradients from now on is of this one."""
        loss = self.own.masked_nll(*args)
        name = "with" if len(self.losses["with"]) == len(self.losses["without"]) else "without"
        self.losses[name].append(float(loss.detach()))
        self.norms[name].append(0.0)
        self.reading[name].append(0.0)
        if name == "with":
            self.looked.append(float(np.mean(self.looks)))
        self.looks.clear()
        return loss

    def encoder(self, *sizes: Any) -> Any:
        """Make the encoder of the next model."""
        name = next(self.encoders)
        return heard(self.own.Encoder(*sizes), self.norms[name], self.reading[name])

    def looking(self, *sizes: Any) -> Any:
        """Make a decoder of whose every step the weight of the right digit is kept."""
        net = heard(self.own.AttentionDecoder(*sizes), self.norms["with"])
        step = net.step

        def watched_step(word: Any, state: Any, enc: Any, mask: Any) -> Any:
            out = step(word, state, enc, mask)
            place = mask.sum(dim=1) - 1 - len(self.looks)
            if (place >= 0).any():
                self.looks.append(float(out[2].detach()[place >= 0, place[place >= 0]].mean()))
            return out

        net.step = watched_step
        return net


def heard(net: Any, *norms: list[float]) -> Any:
    """Add the gradient of each parameter to the norm of the last step, as soon as it is there."""

    def add(parameter: Any) -> None:
        for series in norms:
            series[-1] = float(np.hypot(series[-1], float(parameter.grad.norm())))

    for parameter in net.parameters():
        parameter.register_post_accumulate_grad_hook(add)
    return net


def translated_rows(harness: dict[str, Any], args: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return the share of new rows that are right with attention and without, and what is said of one of eight digits."""
    src, lengths = args[-2:]
    answers = harness["turned_round"](src, lengths).numpy()
    shown = int(np.flatnonzero(lengths.numpy() == SHOWN)[1])
    signs = {harness["PAD"]: "_", harness["BOS"]: "B", harness["EOS"]: "E"}
    told = {"read": src[shown].tolist()} | {f"said_{name}": value[key][shown].tolist() for name, key in MODELS.items()}
    texts = {k: "".join(signs.get(w, str(w - 3)) for w in row).rstrip("_") for k, row in told.items()}
    return {f"right_{name}": float((value[key] == answers).all(axis=1).mean()) for name, key in MODELS.items()} | texts
