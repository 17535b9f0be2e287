"""What two models have to learn of reversing: the one that looks back all of it, the other only the beginnings."""

from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.course.spec import Metric, Training

PAD, EOS, VOCAB, LONGEST, EMBED, HIDDEN, ATTN = 0, 2, 13, 10, 16, 64, 32
HELD_OUT = 300


def _start(model: nn.ModuleDict, seed: int) -> dict[str, torch.Tensor]:
    """Return parameters as torch draws them; in embeddings and linear layers nothing else is drawn."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for part in model.modules():
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()
        return {name: value.uniform_(-0.1, 0.1) if "_score" in name else value for name, value in _state(model)}


def _state(model: nn.ModuleDict) -> Any:
    return ((name, value.detach().clone()) for name, value in model.state_dict().items())


def _encoder() -> nn.ModuleDict:
    return nn.ModuleDict({"embedding": nn.Embedding(VOCAB, EMBED), "rnn": nn.GRU(EMBED, HIDDEN, batch_first=True)})


def _looking() -> nn.ModuleDict:
    decoder = nn.ModuleDict(
        {
            "embedding": nn.Embedding(VOCAB, EMBED),
            "cell": nn.GRUCell(EMBED, HIDDEN),
            "W_out": nn.Linear(2 * HIDDEN, HIDDEN, bias=False),
            "output": nn.Linear(HIDDEN, VOCAB),
        }
    )
    decoder.register_parameter("W_score", nn.Parameter(torch.zeros(ATTN, 2 * HIDDEN)))
    decoder.register_parameter("w_score", nn.Parameter(torch.zeros(ATTN)))
    return nn.ModuleDict({"encoder": _encoder(), "decoder": decoder})


def _remembering() -> nn.ModuleDict:
    decoder = {
        "embedding": nn.Embedding(VOCAB, EMBED),
        "bridge": nn.Linear(HIDDEN, HIDDEN),
        "cell": nn.GRUCell(EMBED + HIDDEN, HIDDEN),
        "output": nn.Linear(HIDDEN + EMBED + HIDDEN, VOCAB),
    }
    return nn.ModuleDict({"encoder": _encoder(), "decoder": nn.ModuleDict(decoder)})


def _draw(rng: np.random.Generator) -> tuple[Any, ...]:
    starts = [_start(model, int(rng.integers(2**31))) for model in (_looking(), _remembering())]
    seed = int(rng.integers(2**31))
    src = rng.integers(3, VOCAB, size=(HELD_OUT, LONGEST))
    lengths = np.full(HELD_OUT, LONGEST)
    shorter = np.arange(HELD_OUT) % 3 == 0  # the others are full, as those are the hardest
    lengths[shorter] = rng.integers(4, LONGEST, size=int(shorter.sum()))
    src[np.arange(LONGEST) >= lengths[:, None]] = PAD
    return *starts, seed, torch.from_numpy(src), torch.from_numpy(lengths)


def _right(args: tuple[Any, ...], written: Any) -> np.ndarray:
    """Return which of the words written are right, (HELD_OUT, LONGEST + 1)."""
    src, lengths = np.asarray(args[-2]), np.asarray(args[-1])
    places = np.arange(LONGEST + 1)
    back = np.clip(lengths[:, None] - 1 - places, 0, None)
    answer = np.where(places < lengths[:, None], np.take_along_axis(src, back, axis=1), PAD)
    answer[np.arange(len(src)), lengths] = EOS
    written = np.asarray(written)
    if written.shape != answer.shape:
        raise ValueError(f"the shape of what greedy_decode returns is {written.shape}, and {answer.shape} is right")
    return written == answer


def _with_attention(args: tuple[Any, ...], value: Any) -> float:
    return float(_right(args, value["with_attention"]).all(axis=1).mean())


def _without_digits(args: tuple[Any, ...], value: Any) -> float:
    full = np.asarray(args[-1]) == LONGEST
    return float(_right(args, value["without"])[full, :LONGEST].mean())


def _without_rows(args: tuple[Any, ...], value: Any) -> float:
    full = np.asarray(args[-1]) == LONGEST
    return float(_right(args, value["without"])[full].all(axis=1).mean())


train_reverse = Training(
    "train_reverse",
    "train_reverse",
    _draw,
    steps=400,
    seconds=90,
    tolerance=2e-3,
    metrics=(
        Metric(
            "attention_reverses",
            "The decoder that looks back writes the rows it has never seen in reverse, EOS and all.",
            _with_attention,
            low=0.9,
            below="That share of the rows is right from the first word to the last. If the loss came close to zero all the "
            "same, the model was told more in training than it knows when it writes: look at decoder_inputs, and then at "
            "greedy_decode, which is used only here.",
            weight=2,
        ),
        Metric(
            "one_vector_remembers_some",
            "Without attention, about two thirds of the digits of full rows come out right.",
            _without_digits,
            low=0.45,
            high=0.9,
            below="The vector is hardly used: look at where DecoderWithContext reads the context, and at the final states "
            "of Encoder.",
            above="That is too good: ten digits do not go into this vector in 400 steps, so more than it gets through.",
        ),
        Metric(
            "one_vector_is_a_bottleneck",
            "Without attention, few full rows are right from beginning to end: one vector is too narrow for ten digits.",
            _without_rows,
            high=0.6,
            above="That is too good: ten digits do not go into this vector in 400 steps, so more than it gets through.",
            weight=0,
        ),
    ),
    catches=(),
)
