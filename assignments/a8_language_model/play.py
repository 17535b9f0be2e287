"""Let your language model write: from a prompt, with temperature and top-k, and see what its heads look at.

    python play.py "ROMEO:"                           trains on Shakespeare once (under two minutes), then writes
    python play.py "ROMEO:" --temperature 0.5 --top-k 10 --length 300
    python play.py --text my_text.txt --fresh         learns from a text of yours

It uses your train, TransformerLM, generate and CachedTransformerLM. What was learned is kept in play.pt and loaded the next
time; --fresh trains again. play.html is one page with all of it, to keep or to show; it needs no network.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "engine"))  # a handout's; in a course the autograder is installed
from autograder.handout.kit.play import Told, kept_or_learned, student_module  # noqa: E402
from autograder.handout.kit.play_page import bars, beside, curve, heat_map, note, page, written  # noqa: E402

SAMPLED = (0, 100, 600)  # steps after which it writes a sample while it learns
CONTEXT = 32  # characters that the model sees
SPEED_CONTEXT = 256  # characters of a model that is not trained, to measure what the cache saves
BEST = 12  # tokens in the bars


def learn(student: Any, text: str, steps: int, seed: int) -> dict[str, Any]:
    """Train a small model; return its parameters, its characters, its losses and what it wrote on the way."""
    characters = sorted(set(text))
    ids = torch.tensor([characters.index(character) for character in text])
    sizes = (len(characters), CONTEXT, 64, 4, 256, 2)
    net = student.TransformerLM(*sizes)
    told, samples = Told(steps), {"0": sample(student, net, characters, seed)}

    def report(step: int, loss: float) -> None:
        told(step, loss)
        if step + 1 in SAMPLED or step + 1 == steps:
            samples[str(step + 1)] = sample(student, net, characters, seed)
            net.train()

    draw = torch.Generator().manual_seed(seed)
    history = student.train(net, ids, steps, 48, CONTEXT, draw, peak=1e-2, warmup=10, final=1e-3, report=report)
    losses = [float(loss) for loss in history["losses"]]
    return {"state": net.state_dict(), "sizes": sizes, "characters": characters, "losses": losses, "samples": samples}


def sample(student: Any, net: Any, characters: list[str], seed: int, length: int = 200) -> str:
    """Let a model write from a line's end, always with the same random numbers."""
    begun = torch.tensor([[characters.index("\n") if "\n" in characters else 0]])
    uniforms = torch.rand(1, length, generator=torch.Generator().manual_seed(seed))
    ids = student.generate(net.eval(), begun, length, 0.8, None, uniforms)[0, 1:]
    return "".join(characters[i] for i in ids.tolist())


def write(student: Any, net: Any, characters: list[str], ids: Tensor, chosen: argparse.Namespace) -> Tensor:
    """Write one character after another, each as soon as it is there; return all ids."""
    draw = torch.Generator().manual_seed(chosen.seed)
    for _ in range(chosen.length):
        uniform = torch.rand(1, 1, generator=draw)
        ids = student.generate(net, ids, 1, chosen.temperature, chosen.top_k, uniform)
        print(characters[int(ids[0, -1])], end="", flush=True)
    print()
    return ids


@torch.no_grad()
def next_tokens(net: Any, ids: Tensor, characters: list[str], temperature: float) -> dict[str, float]:
    """Return the probabilities of the most likely next characters."""
    logits = net(ids[:, -CONTEXT:])[0, -1] / (temperature or 1.0)
    shares, best = logits.softmax(dim=-1).topk(min(BEST, len(characters)))
    return {repr(characters[i]): float(share) for i, share in zip(best.tolist(), shares, strict=True)}


@torch.no_grad()
def attention(net: Any, ids: Tensor) -> list[Tensor]:
    """Return each block's attention weights (head, time, time): what your forward asks of Attention, asked once more with weights."""
    asked: list[tuple[Any, Tensor, Tensor]] = []

    def note_call(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        x, mask = (*args, *(kwargs[name] for name in ("x", "mask") if name in kwargs))
        asked.append((module, x, mask))

    hooks = [block.attention.register_forward_pre_hook(note_call, with_kwargs=True) for block in net.blocks]
    net(ids)
    for hook in hooks:
        hook.remove()
    found = []
    for module, x, mask in asked:
        time_first = x.transpose(0, 1)
        _, weights = functional.multi_head_attention_forward(
            *(time_first, time_first, time_first, x.shape[-1], module.n_heads, None),
            torch.cat([module.W_q.bias, module.W_k.bias, module.W_v.bias]),
            *(None, None, False, 0.0, module.W_o.weight, module.W_o.bias),
            attn_mask=~mask,
            use_separate_proj_weight=True,
            q_proj_weight=module.W_q.weight,
            k_proj_weight=module.W_k.weight,
            v_proj_weight=module.W_v.weight,
            average_attn_weights=False,
        )
        found.append(weights[0])
    return found


@torch.no_grad()
def speeds(student: Any, vocab: int) -> dict[str, float]:
    """Return characters per second without a cache and with one; what is written does not matter, so nothing is trained."""
    net = student.CachedTransformerLM(vocab, SPEED_CONTEXT, 64, 4, 256, 2).eval()
    began, ids = time.perf_counter(), torch.zeros(1, 1, dtype=torch.long)
    student.generate(net, ids, SPEED_CONTEXT - 1, 0.0, None, None)
    plain = (SPEED_CONTEXT - 1) / (time.perf_counter() - began)
    began, cache, token = time.perf_counter(), None, ids
    for _ in range(SPEED_CONTEXT - 1):
        logits, cache = net.step(token, cache)
        token = logits[:, -1:].argmax(dim=-1)
    return {"without a cache": plain, "with your cache": (SPEED_CONTEXT - 1) / (time.perf_counter() - began)}


def sections(student: Any, net: Any, kept: dict[str, Any], given: int, ids: Tensor, heat: float) -> dict[str, str]:
    """Return the parts of the page."""
    characters = kept["characters"]
    text = "".join(characters[i] for i in ids[0].tolist())
    seen = ids[:, -CONTEXT:]
    shown = ["␣" if c == " " else "⏎" if c == "\n" else c for c in text[-CONTEXT:]]
    maps = {
        f"layer {layer + 1}, head {head + 1}": heat_map(
            weights.tolist(), shown, shown, f"layer {layer + 1}, head {head + 1}"
        )
        for layer, heads in enumerate(attention(net, seen))
        for head, weights in enumerate(heads)
    }
    steps = [int(step) for step in kept["samples"]]
    return {
        "It writes": written(text[:given], text[given:]),
        "What may come next": note(f"After the last character above, at temperature {heat:g}.")
        + bars({name: 100 * share for name, share in next_tokens(net, ids, characters, heat).items()}, " %"),
        "How it learned": curve(kept["losses"], [step - 1 for step in steps])
        + beside({f"after {step} steps": written("", sample) for step, sample in kept["samples"].items()}),
        "Characters per second": note(
            f"A model of this width that sees {SPEED_CONTEXT} characters, until its context is full."
        )
        + bars(speeds(student, len(characters))),
        "What each head looks at": note(
            f"The last {len(shown)} characters. A row is a position that looks, a column one that is looked at; every row sums to 1. "
            "No position looks to the right of itself."
        )
        + beside(maps, "maps"),
    }


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Load tensors, numbers and texts, and no code."""
    return torch.load(path, weights_only=True)


def main() -> None:
    """Train or load, write, and make the page."""
    parser = argparse.ArgumentParser(description="Let your language model write.")
    parser.add_argument("prompt", nargs="?", default="ROMEO:\n")
    parser.add_argument("--temperature", type=float, default=0.8, help="0 takes the most likely character each time")
    parser.add_argument("--top-k", type=int, default=None, help="choose among so many characters only")
    parser.add_argument("--length", type=int, default=300, help="characters to write")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=600, help="of training")
    parser.add_argument("--text", type=Path, default=HERE / "data" / "shakespeare.txt", help="what to learn from")
    parser.add_argument("--fresh", action="store_true", help="train again, and keep that")
    parser.add_argument("--page", type=Path, default=HERE / "play.html")
    chosen = parser.parse_args()
    torch.manual_seed(chosen.seed)
    torch.set_num_threads(1)  # the tensors are small: more threads would mostly wait for each other
    student = student_module(HERE, "language_model.py")

    def from_text() -> dict[str, Any]:
        text = chosen.text.read_text(encoding="utf-8")
        print(f"Training {chosen.steps} steps on {len(text)} characters:")
        return learn(student, text, chosen.steps, chosen.seed)

    kept = kept_or_learned(HERE / "play.pt", from_text, load_checkpoint, torch.save, fresh=chosen.fresh)
    characters = kept["characters"]
    if unknown := sorted(set(chosen.prompt) - set(characters)):
        parser.error(f"The model has never seen {', '.join(map(repr, unknown))}. It knows {''.join(characters)!r}.")
    net = student.TransformerLM(*kept["sizes"]).eval()
    net.load_state_dict(kept["state"])
    given = torch.tensor([[characters.index(character) for character in chosen.prompt or characters[0]]])
    print(f"\n{chosen.prompt}", end="", flush=True)
    ids = write(student, net, characters, given, chosen)
    parts = sections(student, net, kept, given.shape[1], ids, chosen.temperature)
    chosen.page.write_text(page("Your language model", parts), encoding="utf-8")
    print(f"\n{chosen.page} has all of it; open it in a browser.")


if __name__ == "__main__":
    main()
