"""A small character model: an alphabet, a cell, a readout, and what one does with them."""

from collections.abc import Iterator

import numpy as np


class Alphabet:
    """Both directions between characters and their numbers."""

    def __init__(self, number_of: dict[str, int]) -> None:
        self.number_of = number_of
        self.character_of = dict(zip(number_of.values(), number_of.keys(), strict=True))

    def numbers(self, text: str) -> list[int]:
        return [self.number_of[character] for character in text]

    def characters(self, numbers) -> list[str]:
        return [self.character_of[int(number)] for number in numbers]


class Cell:
    """The recurrent part. States and inputs are rows; a single vector works as well."""

    def __init__(self, W_x, W_h, b) -> None:
        self.W_x, self.W_h, self.b = W_x, W_h, b

    def step(self, seen, remembered):
        return np.tanh(seen @ self.W_x.T + remembered @ self.W_h.T + self.b)

    def states(self, inputs, start) -> Iterator[np.ndarray]:
        """Yield the state after each of the inputs."""
        state = start
        for seen in inputs:
            state = self.step(seen, state)
            yield state


def cell_of(params: dict[str, np.ndarray]) -> Cell:
    return Cell(params["W_x"], params["W_h"], params["b"])


def indicator(token: int, size: int) -> np.ndarray:
    """A one-hot vector."""
    vector = np.zeros(size)
    vector[token] = 1.0
    return vector


def log_softmax(scores: np.ndarray) -> np.ndarray:
    """ln softmax over the last axis."""
    lowered = scores - scores.max(axis=-1, keepdims=True)
    return lowered - np.log(np.exp(lowered).sum(axis=-1, keepdims=True))


def log_prob_of(scores: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """The log-probability of each token."""
    return np.take_along_axis(log_softmax(scores), tokens[..., np.newaxis], axis=-1).squeeze(axis=-1)


def build_vocab(text: str) -> dict[str, int]:
    """Number the characters of a text."""
    characters = sorted(set(text))
    return dict(zip(characters, range(len(characters)), strict=True))


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    """Text to numbers."""
    return np.array(Alphabet(vocab).numbers(text), dtype=int)


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    """Numbers to text."""
    return "".join(Alphabet(vocab).characters(ids))


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Bring the axis to the end, work there, and bring it back."""
    last = np.moveaxis(x, axis, -1)
    return np.moveaxis(np.exp(log_softmax(last)), -1, axis)


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    """One step of a cell."""
    return Cell(W_x, W_h, b).step(x_t, h_prev)


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    """All steps of a cell. It reads time first."""
    time_first = np.swapaxes(x, 0, 1)
    collected = list(Cell(W_x, W_h, b).states(time_first, h0))
    return np.stack(collected, axis=1)


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    """The readout: scores, then shares."""
    scores = h @ W_y.T + b_y
    return softmax(scores)


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    """Cross-entropy over the real targets."""
    surprise = -log_prob_of(logits, targets)
    counted = np.where(mask, surprise, 0.0)
    return float(counted.sum() / np.count_nonzero(mask))


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Log-probability of whole sequences."""
    per_step = log_prob_of(logits, ids)
    return np.sum(per_step, axis=-1)


def nats_per_token(nll, n) -> float:
    """The mean over all tokens of all texts."""
    return float(np.sum(nll)) / float(np.sum(n))


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    """Perplexity of all texts together."""
    return float(np.exp(nats_per_token(nll, n)))


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    """One nat is log2(e) bits."""
    return nats_per_token(nll, n) * float(np.log2(np.e))


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    """Each sequence by itself, cut to its length."""
    cell = cell_of(params)
    ends = []
    for sequence, start, length in zip(x, h0, lengths, strict=True):
        *_, end = cell.states(sequence[:length], start)
        ends.append(end)
    return output_probs(np.array(ends), params["W_y"], params["b_y"])


def land(probs: np.ndarray, u: float) -> int:
    """Walk along the pieces until u is used up; return the piece in which it ends."""
    landed = 0
    reached = 0.0
    for candidate, share in enumerate(probs):
        if share == 0.0:
            continue
        landed = candidate
        reached += share
        if reached > u:
            break
    return landed


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    """Write by sampling."""
    cell, size = cell_of(params), params["W_x"].shape[1]
    story = [first_id]
    state = h0
    for u in uniforms[:n]:
        state = cell.step(indicator(story[-1], size), state)
        story.append(land(output_probs(state, params["W_y"], params["b_y"]), u))
    return np.array(story[1:], dtype=int)


def caption(
    image: np.ndarray, W_i: np.ndarray, params: dict[str, np.ndarray], bos: int, eos: int, max_len: int
) -> np.ndarray:
    """Write greedily, starting from what the image says."""
    cell, size = cell_of(params), params["W_x"].shape[1]
    story = [bos]
    state = np.tanh(W_i @ image)
    while len(story) <= max_len:
        state = cell.step(indicator(story[-1], size), state)
        best = int(output_probs(state, params["W_y"], params["b_y"]).argmax())
        story.append(best)
        if best == eos:
            break
    return np.array(story[1:], dtype=int)


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_is_recurrent": "",
        "same_letter": "",
        "shifted_targets": "",
        "why_mask": "",
        "untrained_loss": "",
        "perplexity_of_three": "",
        "weights_and_length": "",
        "two_steps": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
