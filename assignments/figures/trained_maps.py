"""Train references and keep where they look: python assignments/figures/trained_maps.py a7_transformer

A run is the assignment's own training by the reference, from the start that students have at home, in one thread. What its
attention weights are goes to `trained_maps.json` beside this file, from which `attention_map.py` draws. So pictures are drawn
again without training. Without a name all three are trained.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the arrays are small: more threads would mostly wait for each other

import torch
from attention_map import KEPT, kept_maps
from svg import ROOT
from torch import Tensor, nn

from autograder.course.catalog import load_assignment
from autograder.handout.kit.bundle import SEED
from autograder.oracle.oracle import Oracle

ROW = "31415926"  # the digits that a4 and a7 reverse here, as their play.py does unless told otherwise
VERSE = "To be, or not to be"  # what a8 reads; it is not in the text that the model has learned from
DIGITS = 4  # of a weight

Trained = tuple[dict[str, Any], ModuleType, list[nn.Module], list[float]]


def trained(slug: str, exercise: str, *classes: str) -> Trained:
    """Make a training of the reference; return the harness's names, the reference, the models of the classes and the losses."""
    assignment = load_assignment(ROOT, slug)
    training = next(t for t in assignment.trainings if t.exercise == exercise)
    training = replace(training, draw=training.at_home or training.draw)
    harness: dict[str, Any] = {"__name__": "training"}
    exec(compile(assignment.harness, "training.py", "exec"), harness)  # noqa: S102 (the course's own)
    reference = Oracle(assignment, SEED).own_reference().module
    made: list[nn.Module] = []

    def kept(make: Callable[..., nn.Module]) -> Callable[..., nn.Module]:
        def model(*sizes: Any) -> nn.Module:
            made.append(make(*sizes))
            return made[-1]

        return model

    student = SimpleNamespace(**{**vars(reference), **{name: kept(getattr(reference, name)) for name in classes}})
    run = harness[training.function](student, lambda *_: None, training.steps, *training.args(SEED))
    for model in made:
        model.eval().requires_grad_(requires_grad=False)
    return harness, reference, made, run["losses"]


def aligned_by_one_score() -> dict[str, Any]:
    """Return where the decoder with attention of a4 looks while it writes a row in reverse."""
    harness, _, (encoder, decoder, *_), losses = trained("a4_seq2seq", "train_reverse", "Encoder", "AttentionDecoder")
    src = torch.tensor([[int(digit) + 3 for digit in ROW] + [harness["PAD"]] * (harness["LONGEST"] - len(ROW))])
    length = torch.tensor([len(ROW)])
    real = torch.arange(harness["LONGEST"])[None] < length[:, None]
    states, state = encoder(src, length)
    word, said, rows = torch.tensor([harness["BOS"]]), [], []
    while not said or said[-1] != harness["EOS"]:
        logits, state, weights = decoder.step(word, state, states, real)
        word = logits.argmax(dim=-1)
        said.append(int(word))
        rows.append(weights[0, : len(ROW)])
    return kept(losses, torch.stack(rows), read=list(ROW), said=[*(str(word - 3) for word in said[:-1]), "EOS"])


def aligned_by_heads() -> dict[str, Any]:
    """Return where the cross-attention of a7 looks: the head that gives the digit to be said the most weight."""
    harness, reference, (net,), losses = trained("a7_transformer", "train_reverse", "Transformer")
    first, pad, end = harness["FIRST"], harness["PAD"], harness["END"]
    src = torch.tensor([[pad] * (harness["LONGEST"] - len(ROW)) + [end, *(first + int(digit) for digit in ROW)]])
    (said,) = reference.greedy_translate(net, src, harness["BOS"], end, harness["LONGEST"])
    asked = [asked_again(block.cross_attention.heads) for block in net.decoder]
    net(src, torch.tensor([[harness["BOS"], *said]]))
    maps = {f"{block}.{head}": map_ for block, heads in enumerate(asked) for head, map_ in enumerate(heads[0])}
    right = torch.arange(len(ROW))
    shares = {name: map_[right, -1 - right].mean() for name, map_ in maps.items()}
    best = max(shares, key=lambda name: float(shares[name]))
    read = ["pad"] * int((src == pad).sum()) + ["END", *ROW]
    names = [*(str(word - first) for word in said), "END"]
    return kept(losses, maps[best], read=read, said=names) | chosen(best, shares)


def previous_character() -> dict[str, Any]:
    """Return where the head of a8 looks that gives the character before the most weight."""
    _, _, (net,), losses = trained("a8_language_model", "train_shakespeare", "TransformerLM")
    text = (ROOT / "assignments/a8_language_model/data/shakespeare.txt").read_text(encoding="utf-8")
    letters = sorted(set(text))
    asked = [projected_again(block.attention) for block in net.blocks]
    net(torch.tensor([[letters.index(letter) for letter in VERSE]]))
    maps = {f"{block}.{head}": map_ for block, heads in enumerate(asked) for head, map_ in enumerate(heads[0])}
    shares = {name: map_.diagonal(-1).mean() for name, map_ in maps.items()}
    best = max(shares, key=lambda name: float(shares[name]))
    return kept(losses, maps[best], read=list(VERSE), said=list(VERSE)) | chosen(best, shares)


def asked_again(heads: nn.MultiheadAttention) -> list[Tensor]:
    """Return a list that gets the weights (batch, head, query, key) of the next time that torch's attention is asked."""
    found: list[Tensor] = []

    def again(module: Any, args: tuple[Any, ...], settings: dict[str, Any], _: Any) -> None:
        settings = settings | {"need_weights": True, "average_attn_weights": False}
        found.extend(type(module).forward(module, *args, **settings)[1])

    heads.register_forward_hook(again, with_kwargs=True)
    return found


def projected_again(attention: Any) -> list[Tensor]:
    """Return a list that gets the weights (batch, head, query, key) of the next time that a8's attention is asked."""
    found: list[Tensor] = []

    def again(_: Any, args: tuple[Tensor, Tensor]) -> None:
        x, mask = args
        q, k = (
            linear(x).unflatten(-1, (attention.n_heads, -1)).transpose(1, 2)
            for linear in (attention.W_q, attention.W_k)
        )
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        found.extend(scores.masked_fill(~mask, -torch.inf).softmax(dim=-1))

    attention.register_forward_pre_hook(again)
    return found


def kept(losses: list[float], weights: Tensor, read: list[str], said: list[str]) -> dict[str, Any]:
    """Return what is kept of a run: the loss at its end, labels of columns and rows, and the weights."""
    rows = [[round(float(weight), DIGITS) for weight in row] for row in weights]
    return {"last_loss": float(f"{losses[-1]:.6g}"), "read": read, "said": said, "weights": rows}


def chosen(best: str, shares: dict[str, Tensor]) -> dict[str, Any]:
    """Return what says which of several heads is drawn: the mean weights of all on what the rule asks for."""
    return {"head": best, "shares": {name: round(float(share), DIGITS) for name, share in shares.items()}}


MAPS = {
    "a4_seq2seq": aligned_by_one_score,
    "a7_transformer": aligned_by_heads,
    "a8_language_model": previous_character,
}


if __name__ == "__main__":
    torch.set_num_threads(1)
    maps = kept_maps() if KEPT.exists() else {}
    for slug in sys.argv[1:] or MAPS:
        maps[slug] = MAPS[slug]()
        print(slug, {name: value for name, value in maps[slug].items() if name != "weights"}, flush=True)
    lines = ",\n".join(f"{json.dumps(slug)}: {json.dumps(maps[slug], ensure_ascii=False)}" for slug in sorted(maps))
    KEPT.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
