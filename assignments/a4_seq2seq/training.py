"""Train two models to reverse rows of up to ten digits: one that looks back at the source, and one that cannot.

    source    3 1 4 1 5 PAD PAD PAD PAD PAD          target    5 1 4 1 3 EOS PAD PAD PAD PAD PAD

Both begin with an Encoder. Then an AttentionDecoder looks at all of its states again at every step, and a
DecoderWithContext gets the last state and nothing else: all that it will ever say has to be in these 64 numbers. They read
the same rows and learn for as long. Reversing is hard for the second one, and easy for the first, which only has to find
out where to look.

The models are yours, from seq2seq.py, and so are decoder_inputs and masked_nll, with which they learn, and greedy_decode,
with which they write on their own.

    python training.py                 trains both with the seq2seq.py beside this file, and prints their losses
    python training.py --device cuda   on a GPU: auto, cpu, cuda, mps or the number of one
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import nn

PAD, BOS, EOS = 0, 1, 2  # the digits 0 to 9 are the ids 3 to 12
VOCAB, SHORTEST, LONGEST = 13, 4, 10
EMBED, HIDDEN, ATTN = 16, 64, 32
BATCH, RATE, MAX_NORM = 64, 0.005, 1.0
ALL = slice(None)  # every row of a batch
STEPS = 300  # of a whole run: over its second half the rate goes down to zero

State = dict[str, torch.Tensor]
Report = Callable[[int, float], None]


def draw_rows(rng: np.random.Generator, count: int, shortest: int = SHORTEST) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw what is read: ids (count, LONGEST), padded, and lengths (count,)."""
    lengths = rng.integers(shortest, LONGEST + 1, size=count)
    digits = rng.integers(3, VOCAB, size=(count, LONGEST))
    digits[np.arange(LONGEST) >= lengths[:, None]] = PAD
    return torch.from_numpy(digits), torch.from_numpy(lengths)


def turned_round(src: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return what is to be said: ids (count, LONGEST + 1), the digits from last to first, EOS, padding."""
    answer = torch.full((len(src), LONGEST + 1), PAD, device=src.device)
    for row, length in enumerate(lengths.tolist()):
        answer[row, :length] = src[row, :length].flip(0)
        answer[row, length] = EOS
    return answer


class Looking(nn.Module):
    """An Encoder and an AttentionDecoder."""

    def __init__(self, student: ModuleType) -> None:
        super().__init__()
        self.encoder = student.Encoder(VOCAB, EMBED, HIDDEN)
        self.decoder = student.AttentionDecoder(VOCAB, EMBED, HIDDEN, HIDDEN, ATTN)

    def read(self, src: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, Callable[..., Any]]:
        """Read the source; return the first state of the decoder, and its step, for all rows or some."""
        states, final = self.encoder(src, lengths)
        real = torch.arange(LONGEST, device=src.device)[None] < lengths[:, None]
        return final, lambda word, state, rows=ALL: self.decoder.step(word, state, states[rows], real[rows])[:2]


class Remembering(nn.Module):
    """An Encoder and a DecoderWithContext."""

    def __init__(self, student: ModuleType) -> None:
        super().__init__()
        self.encoder = student.Encoder(VOCAB, EMBED, HIDDEN)
        self.decoder = student.DecoderWithContext(VOCAB, EMBED, HIDDEN, HIDDEN)

    def read(self, src: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, Callable[..., Any]]:
        """Read the source; return the first state of the decoder, and its step, for all rows or some."""
        _, context = self.encoder(src, lengths)

        def step(word: torch.Tensor, state: torch.Tensor, rows: Any = ALL) -> Any:
            # The decoder makes its first state itself. An empty one, (batch, 0), stands for the None that it expects.
            return self.decoder.step(word, state if state.shape[1] else None, context[rows])

        return context[:, :0], step


def loss_of(student: ModuleType, model: Any, src: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return the loss under teacher forcing: at every step the decoder reads the right word of the step before."""
    answer = turned_round(src, lengths)
    words = student.decoder_inputs(answer, BOS)
    state, step = model.read(src, lengths)
    spoken = []
    for word in words.unbind(1):
        logits, state = step(word, state)
        spoken.append(logits)
    return student.masked_nll(torch.stack(spoken, 1), answer, PAD)


def write(student: ModuleType, model: Any, src: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Let a model write on its own, each word after the one it said before.

    greedy_decode may ask for some rows alone. So each state ends with the number of its row.
    """

    def numbered(word: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        number = state[:, -1:]
        logits, after = step(word, state[:, :-1], number[:, 0].long())
        return logits, torch.cat([after, number], dim=1)

    with torch.no_grad():
        first, step = model.read(src, lengths)
        numbers = torch.arange(float(len(first)), device=first.device)
        state = torch.cat([first, numbers[:, None]], dim=1)
        return student.greedy_decode(numbered, state, BOS, EOS, PAD, LONGEST + 1)


def write_alone(
    student: ModuleType,
    report: Report,
    steps: int,
    states: list[tuple[State, State]],
    src: torch.Tensor,
    lengths: torch.Tensor,
    device: str = "cpu",
) -> dict[str, Any]:
    """Write with models that have not learned, for some of the rows with each: what they say, and nothing else, is to be written.

    This is asked only where greedy_decode fails a case of its own.
    """
    said = []
    pieces = [part.to(device).chunk(len(states)) for part in (src, lengths)]
    for parameters, rows, ends in zip(states, *pieces, strict=True):
        for model, state in zip((Looking(student), Remembering(student)), parameters, strict=True):
            model.load_state_dict(model.state_dict() | state)
            said.append(write(student, model.to(device), rows, ends))
    return {"said": torch.cat(said)}


def train(student: ModuleType, report: Report, steps: int, models: list[Any], seed: int, device: str) -> list[float]:
    """Train models side by side, by Adam on fresh rows at every step; return the means of their losses.

    The rows are drawn on the CPU, alike for every device.
    """
    rng, losses = np.random.default_rng(seed), []
    optimizers = [torch.optim.Adam(model.parameters(), lr=RATE) for model in models]
    for step in range(steps):
        src, lengths = (part.to(device) for part in draw_rows(rng, BATCH))
        total = 0.0
        for model, optimizer in zip(models, optimizers, strict=True):
            optimizer.param_groups[0]["lr"] = RATE * min(1.0, 2 * (1 - step / STEPS))
            optimizer.zero_grad()
            loss = loss_of(student, model, src, lengths)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
            total += loss.item()
        losses.append(total / len(models))
        report(step, losses[-1])
    return losses


def train_reverse(
    student: ModuleType,
    report: Report,
    steps: int,
    looking: State,
    remembering: State,
    seed: int,
    src: torch.Tensor,
    lengths: torch.Tensor,
    device: str = "cpu",
) -> dict[str, Any]:
    """Train both models from given parameters; return the losses, and what each writes for the held-out rows."""
    models = [Looking(student), Remembering(student)]
    for model, state in zip(models, (looking, remembering), strict=True):
        model.load_state_dict(model.state_dict() | state)  # with buffers of your own, if there are any
        model.to(device)
    losses = train(student, report, steps, models, seed, device)
    with_attention, without = (write(student, model, src.to(device), lengths.to(device)) for model in models)
    return {"losses": losses, "with_attention": with_attention, "without": without}


if __name__ == "__main__":
    import sys
    from pathlib import Path

    import seq2seq

    sys.path.append(str(Path(__file__).parent / "engine"))  # a handout's; in a course the autograder is installed
    from autograder.sandbox.child.device import device_of_words

    def show(step: int, loss: float) -> None:
        """Print a loss now and then."""
        if step in (0, 19) or step % 50 == 49:
            print(f"step {step + 1:3}   loss {loss:.3f}", flush=True)

    torch.manual_seed(1)
    torch.set_num_threads(1)  # the tensors are small: more threads would mostly wait for each other
    test = draw_rows(np.random.default_rng(1), 200, shortest=LONGEST)
    device, _ = device_of_words(sys.argv[1:])
    test = tuple(part.to(device) for part in test)
    for name, model in (("with attention", Looking(seq2seq)), ("without", Remembering(seq2seq))):
        print(name)
        train(seq2seq, show, STEPS, [model.to(device)], seed=1, device=device)
        right = (write(seq2seq, model, *test) == turned_round(*test)).all(dim=1)
        print(f"rows of ten digits that are right: {int(right.sum())} of {len(right)}")
