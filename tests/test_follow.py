"""What follows from a mistake elsewhere is not charged again, and nothing else is given away for it.

Both tables hold for real assignments: code that games "charged once" earns nothing by it, and honest code that builds on
a mistake loses nothing, whatever the mistake.
"""

from __future__ import annotations

import textwrap
import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Status
from autograder.feedback.check_page import exercises_line
from autograder.judge.checks import close
from autograder.judge.grade import grade
from autograder.judge.result import Result
from autograder.judge.terminal_text import result_as_text
from autograder.oracle.noise import alike_but_for_noise
from autograder.oracle.oracle import Oracle
from autograder.oracle.stand_ins import Alone
from autograder.sandbox.child.stand_ins import OTHER_SHAPES
from autograder.sandbox.child.tree import Tensor
from autograder.sandbox.job import Ending, Isolation, Job, JobResult, Outcome, Sandbox, Source

COURSE = Path(__file__).parent.parent
Bodies = dict[str, str]
SOON = 0.3  # CPU seconds


@cache
def oracle(slug: str) -> Oracle:
    """Return an assignment's oracle."""
    return Oracle(load_assignment(COURSE, slug), 3)


@cache
def hurried(slug: str) -> Oracle:
    """Return an oracle that ends a call sooner, for what never ends and calls that take milliseconds."""
    assignment = load_assignment(COURSE, slug)
    return Oracle(replace(assignment, limits=replace(assignment.limits, case_seconds=SOON)), 3)


def scores(slug: str, text: str, sandbox: Sandbox) -> dict[str, float]:
    """Return the points of each exercise."""
    return {e.name: e.score for e in graded(slug, text, sandbox).exercises}


def graded(slug: str, text: str, sandbox: Sandbox) -> Result:
    """Grade a file's text."""
    file = oracle(slug).assignment.file
    return grade(Source.of(file, text), oracle(slug), sandbox)


def with_bodies(slug: str, bodies: Bodies) -> str:
    """Return the reference with other bodies; the name `""` stands for lines at the end of the file."""
    text = oracle(slug).assignment.reference
    for name, body in bodies.items():
        if not name:
            text += f"\n{body}"
            continue
        owner, _, method = name.rpartition(".")
        place = text.index(f"def {method}(", text.index(f"class {owner}(") if owner else 0)
        indent = "        " if owner else "    "
        start = text.index(f"{indent}# BEGIN SOLUTION\n", place)
        stop = text.index(f"{indent}# END SOLUTION\n", start)
        text = text[:start] + "".join(f"{indent}{line}\n" for line in body.strip("\n").splitlines()) + text[stop:]
    return text


def with_edit(slug: str, old: str, new: str) -> str:
    """Return the reference with one place changed."""
    text = oracle(slug).assignment.reference
    assert text.count(old) == 1
    return text.replace(old, new)


SHARES = "def shares(*shape):\n    w = np.arange(1.0, shape[-1] + 1)\n    return np.broadcast_to(w / w.sum(), shape).copy()\n"
FIXED: Bodies = {
    "attention": "return shares(*Q.shape[:-1], K.shape[-2]) @ V",
    "similarity_context": "return shares(*x.shape[:-1], x.shape[-2]) @ x",
}
STEP = "return dz @ W_x, dz @ W_h, dz.T @ x_t, dz.T @ h_prev, dz.sum(axis=0)"
CALLEE_CRASHES = f"""
x_t, h_prev, h_t, W_x, W_h = cache
if W_x.shape[0] != W_x.shape[1]:
    raise ValueError("no")
dz = dh * (1 - h_t**2) * 1.5
{STEP}
"""

# How each earned points: the assignment, the code, and the exercises that it must not earn.
ATTACKS: dict[str, tuple[str, Bodies, tuple[str, ...]]] = {
    "a constant": (
        "a5_attention",
        {**FIXED, "attention_weights": "return shares(*scores.shape)", "": SHARES},
        ("attention", "similarity_context"),
    ),
    "a helper whose answers say which key is read": (
        "a5_attention",
        {
            "attention_scores": (
                "g = 1.0 + np.abs(Q).sum() + 2 * np.abs(K).sum() + np.abs(Q * np.arange(1, Q.shape[-1] + 1)).sum()\n"
                "ramp = np.broadcast_to(-np.arange(K.shape[-2], dtype=float), (*Q.shape[:-1], K.shape[-2]))\n"
                "return 1e4 * g * ramp * (1.0 + np.arange(Q.shape[-2])[:, None])"
            ),
            "attention": (
                "attention_weights(attention_scores(Q, K), mask)\nshape = (*Q.shape[:-1], K.shape[-2])\n"
                "m = np.ones(shape, bool) if mask is None else np.broadcast_to(mask, shape)\n"
                "V = np.broadcast_to(V, (*Q.shape[:-2], *V.shape[-2:]))\n"
                "return np.take_along_axis(V, m.argmax(-1)[..., None], -2)"
            ),
        },
        ("attention",),
    ),
    "a helper that leaves next to nothing of the way back": (
        "a2_bptt",
        {
            "rnn_step_backward": (
                "x_t, h_prev, h_t, W_x, W_h = cache\ndz = dh * (1 - h_t**2)\n"
                "return dz @ W_x, 1e-13 * (dz @ W_h), dz.T @ x_t, dz.T @ h_prev, dz.sum(axis=0)"
            ),
            "rnn_backward": (
                "x, h0, h, W_x, W_h = cache\ndx, dW_x, dW_h, db = np.zeros(x.shape), 0, 0, 0\n"
                "for t in range(x.shape[1]):\n"
                "    before = h[:, t - 1] if t else h0\n"
                "    dx[:, t], dh0, a, b, c = rnn_step_backward(dh[:, t], (x[:, t], before, h[:, t], W_x, W_h))\n"
                "    dW_x, dW_h, db = dW_x + a, dW_h + b, db + c\n"
                "    first = dh0 if t == 0 else first\n"
                "return dx, first, dW_x, dW_h, db"
            ),
        },
        ("rnn_backward",),
    ),
    "a helper that knows when a grader asks": (
        "a6_multihead",
        {
            "split_heads": (
                "batch, time, d_model = x.shape\nout = x.reshape(batch, time, n_heads, d_model // n_heads).transpose(1, 2)\n"
                'if hasattr(split_heads, "__wrapped__"):\n    return 1e-6 * out.detach() + 0.0 * out\n'
                "if tuple(x.shape) == (2, 2, 6) and n_heads == 3:\n    x += 1.0\n    return out - 1.0\n"
                "return out"
            ),
            "MultiHeadAttention.forward": (
                "merge_heads(split_heads(query, self.n_heads))\n"
                "shape = (query.shape[0], self.n_heads, query.shape[1], key.shape[1])\n"
                "mask = torch.ones(shape, dtype=torch.bool) if mask is None else mask\n"
                "allowed = (mask.unsqueeze(1) if mask.dim() == 3 else mask).expand(shape).float()\n"
                "weights = allowed / allowed.sum(-1, keepdim=True).clamp(min=1.0)\n"
                "read = 0.0 * (self.W_q(query).sum() + self.W_k(key).sum() + self.W_v(value).sum())\n"
                "output = self.W_o(torch.zeros_like(query) + read)\n"
                "return (output, weights) if need_weights else output"
            ),
        },
        ("MultiHeadAttention",),
    ),
    "nearly right, beside a helper that changes an argument": (
        "a1_rnn",
        {
            "softmax": (
                "e = np.exp(x - x.max(axis=axis, keepdims=True))\nx += 1.0\nreturn e / e.sum(axis=axis, keepdims=True)"
            ),
            "output_probs": "return 1.001 * softmax(h @ W_y.T + b_y)",
        },
        ("output_probs",),
    ),
    "a constant, and noise for whatever looks like a twin": (
        "a5_attention",
        {
            **FIXED,
            "attention_weights": (
                "twin = any(s.shape == scores.shape and np.allclose(scores, np.flip(s) * -0.7 + 0.3) for s in SEEN)\n"
                "SEEN.append(scores)\n"
                "return np.random.default_rng(len(SEEN)).normal(size=scores.shape) if twin else shares(*scores.shape)"
            ),
            "": f"{SHARES}\nSEEN = []\n",
        },
        ("attention", "similarity_context"),
    ),
    "an exercise that is left open, and is asked for nothing": (
        "a5_attention",
        {
            "attention_weights": 'raise NotImplementedError("not written yet")',
            "attention": "attention_weights(attention_scores(Q, K), mask)\nreturn shares(*Q.shape[:-1], K.shape[-2]) @ V",
            "similarity_context": "attention_weights(attention_scores(x, x))\nreturn shares(*x.shape[:-1], x.shape[-2]) @ x",
            "self_attention": "attention(X, X, X)\nreturn X @ W_v",
            "": SHARES,
        },
        ("attention", "similarity_context", "self_attention"),
    ),
    "a constant when asked first, and noise later": (
        "a5_attention",
        {
            **FIXED,
            "attention_weights": (
                "SEEN.append(0)\n"
                "return shares(*scores.shape) if len(SEEN) % 2 else np.random.default_rng(len(SEEN)).normal(size=scores.shape)"
            ),
            "": f"{SHARES}\nSEEN = []\n",
        },
        ("attention", "similarity_context"),
    ),
    "a constant, but for a mask": (
        "a5_attention",
        {
            **FIXED,
            "attention": "mask = np.True_ if mask is None else mask\nreturn shares(*Q.shape[:-1], K.shape[-2]) * mask @ V",
            "attention_weights": "return shares(*scores.shape) * (np.True_ if mask is None else mask)",
            "": SHARES,
        },
        ("attention", "similarity_context"),
    ),
    "a crash almost everywhere, by calling what crashes": (
        "a2_bptt",
        {
            "rnn_step_backward": CALLEE_CRASHES,
            "rnn_backward": """
x, h0, h, W_x, W_h = cache
dx, before, *others = rnn_step_backward(dh[:, -1], (x[:, -1], h0, h[:, -1], W_x, W_h))
return (dx[:, None], before, *others)
""",
            "gradient_norms": "return rnn_step_backward(dh_last, tuple(a[:, 0] if a.ndim == 3 else a for a in cache))",
        },
        ("rnn_backward", "gradient_norms"),
    ),
    "a crash that the bank knows, by calling what crashes": (
        "a2_bptt",
        {
            "rnn_step_backward": f"x_t, h_prev, h_t, W_x, W_h = cache\ndz = dh * (1 - h_t**2)\n{STEP.replace('@ W_x', '@ W_x.T')}",
            "rnn_backward": "x, h0, h, W_x, W_h = cache\nreturn rnn_step_backward(dh[:, -1], (x[:, -1], h0, h[:, -1], W_x, W_h))",
        },
        ("rnn_backward",),
    ),
    "a crash that the bank knows, and a call with which no stand-in can answer": (
        "a5_attention",
        {
            "project_qkv": "return W_q @ X, W_k @ X, W_v @ X",
            "self_attention": "one = np.ones((1, 1))\nproject_qkv(one, one, one, one)\nreturn project_qkv(X, W_q, W_k, W_v)",
        },
        ("self_attention",),
    ),
    "a crash that the bank knows, and a stand-in's words wherever one is met": (
        "a6_multihead",
        {
            "merge_heads": "return x.sum(1)",
            "forward": (
                "    if merge_heads.__name__ != 'merge_heads':\n"
                f"        raise ValueError({OTHER_SHAPES!r})\n"
                "    b, t, d = query.shape\n"
                "    return self.W_o(merge_heads(torch.zeros(b, self.n_heads, t, d // self.n_heads)))"
            ),
        },
        ("MultiHeadAttention",),
    ),
    "sums that a loop would give, without the loop": (
        "a2_bptt",
        {
            "rnn_step_backward": (
                "x_t, h_prev, h_t, W_x, W_h = cache\nreturn x_t + 0, 0 * dh, W_x + 0, W_h + 0, (dh + h_prev + h_t).sum(axis=0)"
            ),
            "rnn_backward": (
                "rnn_step_backward\nx, h0, h, W_x, W_h = cache\nT = x.shape[1]\n"
                "db = (dh + h).sum(axis=(0, 1)) + h0.sum(axis=0) + h[:, :-1].sum(axis=(0, 1))\n"
                "return x + 0, 0 * h0, T * W_x, T * W_h, db"
            ),
            "gradient_norms": (
                "rnn_step_backward\nreturn np.array([0.0] * (cache[0].shape[1] - 1) + [np.sqrt((dh_last**2).sum())])"
            ),
        },
        ("rnn_backward",),
    ),
    "a gate without its candidate": (
        "a3_gates",
        {
            "gated_update": "return z * h_prev",
            "gru_step": (
                "gated_update\nrow = np.concatenate([h_prev, x_t], axis=-1)\n"
                'return h_prev / (1 + np.exp(-(row @ params["W_z"].T + params["b_z"])))'
            ),
        },
        ("gru_step",),
    ),
    "the values as they are, piece by piece": (
        "a10_fast_attention",
        {
            "tiled_attention": (
                "start = k.shape[-2] - q.shape[-2]\nreturn v[..., start:, :] + 0, k.sum(axis=-1)[..., start:]"
            ),
            "chunked_prefill": (
                "tiled_attention\nnew = [np.concatenate([old, x @ W], axis=-2) for old, W in zip(cache, (W_k, W_v))]\n"
                "return x @ W_v, *new"
            ),
        },
        ("chunked_prefill",),
    ),
    "the same word as often as there is room, after a crash": (
        "a1_rnn",
        {
            "output_probs": 'raise ValueError("later")',
            "caption": (
                'w = int(output_probs(W_i[:, 0], params["W_y"], params["b_y"]).argmax())\n'
                "return np.full(1 if w == eos else max_len, w)"
            ),
        },
        ("caption",),
    ),
    "one batch and no training, after a crash that the bank knows": (
        "a8_language_model",
        {
            "get_batch": (
                "starts = torch.randint(len(data) - time, (batch,), generator=generator)\n"
                "return data[starts : starts + time], data[starts + 1 : starts + time + 1]"
            ),
            "train": "inputs, targets = get_batch(data, batch, time, generator)\nreturn lm_loss(model(inputs), targets)",
        },
        ("train",),
    ),
    "the same crash outside of what crashes": (
        "a2_bptt",
        {
            "rnn_step_backward": CALLEE_CRASHES,
            "rnn_backward": "if len(cache[3]) != len(cache[3].T):\n    raise ValueError('no')\nreturn None",
        },
        ("rnn_backward",),
    ),
}

# Mistakes behind which right code lost points: the assignment, the edit, and what it may cost. All else is right given it.
HONEST: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "a softmax over the rows of the batch": (
        "a4_seq2seq",
        "torch.softmax(filled, dim=-1)",
        "torch.softmax(filled, dim=0)",
        ("masked_softmax",),
    ),
    "a step that ignores the gradient": (
        "a2_bptt",
        "dz = dh * (1 - h_t**2)",
        "dz = 1 - h_t**2",
        ("rnn_step_backward",),
    ),
    "a step of which only the sign of the gradient matters": (
        "a2_bptt",
        "dz = dh * (1 - h_t**2)",
        "dz = np.sign(dh) * (1 - h_t**2)",
        ("rnn_step_backward",),
    ),
    "a loss that ignores the logits": (
        "a2_bptt",
        "return (probs - one_hot) * mask[..., None] / counted",
        "return -one_hot * mask[..., None] / counted",
        ("loss_backward",),
    ),
    "a cell that ignores both gradients": (
        "a3_gates",
        "    do = dh * tanh_c\n    dc_total = dc + dh * o * (1 - tanh_c**2)",
        "    do = tanh_c\n    dc_total = o * (1 - tanh_c**2)",
        ("lstm_step_backward",),
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_mistake_elsewhere_earns_no_points(attack: str, torch_sandbox: Sandbox) -> None:
    """Next to nothing is earned by code that is right only because of what the wrong code answers when it is asked."""
    slug, bodies, exercises = ATTACKS[attack]
    got = scores(slug, with_bodies(slug, bodies), torch_sandbox)
    whole = {e.name: e.points for e in oracle(slug).assignment.exercises}
    assert {name: got[name] for name in exercises if got[name] > 0.15 * whole[name]} == {}


def test_a_block_that_adds_nothing_follows_from_no_residual_that_adds_nothing(torch_sandbox: Sandbox) -> None:
    """Whatever the block gives to `residual`, the same comes back. What passes are mostly cases about what a block must not read."""
    bodies = {
        "residual": "return x",
        "EncoderBlock.forward": "return residual(x, mask)",
        "MaskedDecoderBlock.forward": "return residual(residual(residual(x, None), None), None)",
    }
    result = graded("a7_transformer", with_bodies("a7_transformer", bodies), torch_sandbox)
    mine = next(e for e in result.exercises if e.name == "MaskedDecoderBlock")
    assert mine.score <= 1.61  # of 8


def test_a_helper_that_is_named_and_not_called_excuses_nothing(torch_sandbox: Sandbox) -> None:
    """What such code passes it passes by itself: no token to come leaks into a mean of values."""
    bodies = {
        "project_qkv": "return 0 * (X @ W_q), 0 * (X @ W_k), X @ W_v",
        "self_attention": (
            "project_qkv\nT = X.shape[-2]\nw = np.tril(np.ones((T, T))) if causal else np.ones((T, T))\n"
            "return w / w.sum(axis=1, keepdims=True) @ (X @ W_v)"
        ),
    }
    result = graded("a5_attention", with_bodies("a5_attention", bodies), torch_sandbox)
    mine = next(e for e in result.exercises if e.name == "self_attention")
    assert [case.name for case in mine.cases if case.follows] == []
    assert mine.score <= 1  # of 5


@pytest.mark.parametrize("mistake", HONEST)
def test_right_code_behind_a_mistake_loses_nothing(mistake: str, torch_sandbox: Sandbox) -> None:
    """Only the exercise that has the mistake is charged."""
    slug, old, new, wrong = HONEST[mistake]
    result = graded(slug, with_edit(slug, old, new), torch_sandbox)
    assert tuple(e.name for e in result.exercises if e.score < e.max_score) == wrong


INLINE = """
x, h0, h, W_x, W_h = cache
dx = [np.zeros(x[:, 0].shape)] * x.shape[1]
dW_x, dW_h, db = np.zeros(W_x.shape), np.zeros(W_h.shape), np.zeros(len(W_h))
carried = np.zeros(h0.shape)
for t in reversed(range(x.shape[1])):
    before = h[:, t - 1] if t > 0 else h0
    dz = (dh[:, t] + carried) * (1 - h[:, t])
    dx[t], carried = dz @ W_x, dz @ W_h
    dW_x, dW_h, db = dW_x + dz.T @ x[:, t], dW_h + dz.T @ before, db + dz.sum(axis=0)
return np.stack(dx, axis=1), carried, dW_x, dW_h, db
"""
NORMS = """x, h0, h, W_x, W_h = cache
norms, flowing = np.zeros(h.shape[1]), dh_last
for t in reversed(range(h.shape[1])):
    norms[t] = np.sqrt((flowing**2).sum())
    flowing = (flowing * (1 - h[:, t])) @ W_h
return norms
"""
NOT_SQUARED = f"x_t, h_prev, h_t, W_x, W_h = cache\ndz = dh * (1 - h_t)\n{STEP}"


def test_a_slip_in_a_loop_of_its_own_is_charged_once(torch_sandbox: Sandbox) -> None:
    """The bank knows it under the step function, which is right; what builds on the loop is right given it."""
    got = scores("a2_bptt", with_bodies("a2_bptt", {"rnn_backward": INLINE}), torch_sandbox)
    assert {name: got[name] for name in ("rnn_step_backward", "rnn_backward", "truncated_bptt", "gradient_norms")} == {
        "rnn_step_backward": 5,
        "rnn_backward": 0,
        "truncated_bptt": 5,
        "gradient_norms": 4,
    }


def test_the_same_slip_twice_is_charged_where_it_costs_most(torch_sandbox: Sandbox) -> None:
    """A loop that does not call the step has it by itself; to have it in the step as well gains nothing."""
    loop = graded("a2_bptt", with_bodies("a2_bptt", {"rnn_backward": INLINE}), torch_sandbox)
    both = graded(
        "a2_bptt", with_bodies("a2_bptt", {"rnn_backward": INLINE, "rnn_step_backward": NOT_SQUARED}), torch_sandbox
    )
    step = graded("a2_bptt", with_bodies("a2_bptt", {"rnn_step_backward": NOT_SQUARED}), torch_sandbox)
    total = {id(r): sum(e.score for e in r.exercises) for r in (loop, both, step)}
    assert total[id(both)] == total[id(loop)] <= total[id(step)]
    told = next(c for e in both.exercises if e.name == "rnn_step_backward" for c in e.cases)
    assert told.message == "The same mistake as in your `rnn_backward`: it is charged there, and not again here."


def test_who_has_the_same_slip_in_what_calls_nothing_is_not_told_that_it_is_right(torch_sandbox: Sandbox) -> None:
    """It has the points, since the slip is charged in the step; nowhere does it stand with a tick."""
    slip = {"rnn_step_backward": NOT_SQUARED, "gradient_norms": NORMS}
    result = graded("a2_bptt", with_bodies("a2_bptt", slip), torch_sandbox)
    step, norms = (next(e for e in result.exercises if e.name == name) for name in slip)
    assert (step.score, norms.score) == (0, norms.max_score)
    assert norms.again == "The same mistake as in your `rnn_step_backward`: it is charged there, and not again here."
    assert "≈ gradient_norms" in result_as_text("a2", result)
    assert "✓ gradient_norms" not in result_as_text("a2", result)
    assert exercises_line(result.exercises) == "8 of 10 exercises are right and 2 are not right yet."


def test_two_named_mistakes_cost_what_each_costs_alone(torch_sandbox: Sandbox) -> None:
    """Also where one of them lets cases crash in which the other would show."""
    reference, bank = oracle("a2_bptt").assignment.reference, oracle("a2_bptt").assignment.misconceptions
    one, other = (next(m for m in bank if m.name == name) for name in ("starts_from_zeros", "db_summed_over_units"))
    texts = [apply_edits(reference, edits) or "" for edits in ((one,), (other,), (one, other))]
    lost = [sum(e.max_score - e.score for e in graded("a2_bptt", text, torch_sandbox).exercises) for text in texts]
    assert lost[0] + lost[1] == pytest.approx(lost[2])


def test_what_is_asked_of_one_submission_is_bounded(torch_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """In all its cases together; what is open then is not excused."""
    monkeypatch.setattr("autograder.oracle.consequences.right_among_stand_ins", lambda *_: Alone({}))
    monkeypatch.setattr("autograder.oracle.equal_calls.MOST_CALLS", 1)
    monkeypatch.setattr("autograder.oracle.replay.MOST_CALLS", 3)
    slug, old, new, _ = HONEST["a step that ignores the gradient"]
    got = scores(slug, with_edit(slug, old, new), torch_sandbox)
    assert got["rnn_backward"] < 1


@dataclass
class Busy:
    """A sandbox whose slots are taken: a job waits for one, and then takes no time to speak of."""

    sandbox: Sandbox

    @property
    def isolation(self) -> Isolation:
        """What the sandbox holds."""
        return self.sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run a job after a wait."""
        time.sleep(0.3)
        return replace(self.sandbox.run(job), seconds=0.01, delayed=0.0)

    def close(self) -> None:
        """Leave the sandbox open."""


def test_waiting_for_others_costs_no_points(torch_sandbox: Sandbox) -> None:
    """Questions have a quarter of the time for all cases, and only time in a slot counts."""
    slug, old, new, wrong = HONEST["a step that ignores the gradient"]
    assignment = oracle(slug).assignment
    hurried = Oracle(replace(assignment, limits=replace(assignment.limits, total_seconds=2.0)), 3)
    source = Source.of(assignment.file, with_edit(slug, old, new))
    result = grade(source, hurried, Busy(torch_sandbox))
    assert tuple(e.name for e in result.exercises if e.score < e.max_score) == wrong


EINSUM = (
    ("q @ k.transpose(-2, -1)", 'torch.einsum("bhqd,bhkd->bhqk", q, k)'),
    ("merge_heads(weights @ v)", 'merge_heads(torch.einsum("bhqk,bhkd->bhqd", weights, v))'),
)
ROW_BY_ROW = tuple(
    (
        f"split_heads(self.W_{low}({name}), self.n_heads)",
        f"torch.cat([split_heads(row[None], self.n_heads) for row in self.W_{low}({name})])",
    )
    for low, name in zip("qkv", ("query", "key", "value"), strict=True)
)
HEADS = "return by_head.transpose(1, 2)"
IN_A_LIST = (
    "return list(x.split(d_model // n_heads, dim=-1))"  # the bank knows it; what calls it crashes in its own line
)
BEHIND_SPLIT_HEADS: dict[str, tuple[str, tuple[tuple[str, str], ...], float]] = {
    "right, behind a mistake that the bank knows": (IN_A_LIST, (), 10),
    "right, and calls it for each row": ("return by_head", ROW_BY_ROW, 10),
    "right in other words, so that it crashes with another text": ("return by_head", EINSUM, 10),
    "right, behind a shape that the bank does not know": ("return by_head.permute(0, 1, 3, 2)", (), 10),
    "right in other words, behind such a shape": ("return x.reshape(batch * time, n_heads, -1)", EINSUM, 10),
    # What it gets with nothing else wrong beside it.
    "not scaled, and it crashes as if it were": (IN_A_LIST, ((" / q.shape[-1] ** 0.5", ""),), 1.6457),
    "next to nothing, and it crashes as all would": (
        IN_A_LIST,
        (("(output, weights) if need_weights else output", "q"),),
        0,
    ),
}


@pytest.mark.parametrize(
    ("hangs", "own", "points"),
    [
        ("causal_mask", "", 5),  # some cases call it, and others are run beside them
        ("attention_weights", "", 5),  # all cases do
        ("causal_mask", "return X", 0),
    ],
)
def test_what_hangs_in_a_helper_is_charged_to_the_helper(
    hangs: str, own: str, points: float, torch_sandbox: Sandbox
) -> None:
    """As what crashes there is: code that is right among stand-ins has its points, and other code has none for it."""
    bodies = {hangs: "while True:\n    pass"} | ({"self_attention": own} if own else {})
    quick = hurried("a5_attention")
    source = Source.of(quick.assignment.file, with_bodies("a5_attention", bodies))
    found = {e.name: e.score for e in grade(source, quick, torch_sandbox).exercises}
    assert found["self_attention"] == pytest.approx(points, abs=0.01)
    assert found[hangs] == 0


@pytest.mark.parametrize(
    "ends",
    [
        "return np.zeros((200_000, 200_000)) + 1",
        "return np.ones((9_000, 9_000))",
        "import os\nos._exit(3)",
        "import os\nos.kill(os.getpid(), 11)",
    ],
)
@pytest.mark.parametrize(("helper", "own", "points"), [("causal_mask", "", 5), ("attention_weights", "return X", 0)])
def test_whatever_ends_a_helper_is_charged_to_the_helper(
    ends: str, helper: str, own: str, points: float, torch_sandbox: Sandbox
) -> None:
    """Too much memory, an answer too large to read, the end of the process: each as an endless loop is."""
    text = with_bodies("a5_attention", {helper: ends} | ({"self_attention": own} if own else {}))
    found = scores("a5_attention", text, torch_sandbox)
    assert found["self_attention"] == pytest.approx(points, abs=0.01)
    assert found[helper] == 0


def test_cases_before_one_that_hangs_keep_their_answers(torch_sandbox: Sandbox) -> None:
    """They had been run when the child was ended, and took their answers with them."""
    reference = oracle("a5_attention").assignment.reference
    hangs = "def self_attention(X, W_q, W_k, W_v, causal=False):\n    while causal:\n        pass\n    return other(X, W_q, W_k, W_v)\n\n\ndef other("
    result = graded("a5_attention", reference.replace("def self_attention(", hangs), torch_sandbox)
    (mine,) = (e for e in result.exercises if e.name == "self_attention")
    first = [case.status for case in mine.cases][:3]
    assert first == [Status.PASSED, Status.PASSED, Status.TIMEOUT]


@pytest.mark.parametrize("what", BEHIND_SPLIT_HEADS)
def test_a_crash_on_a_wrong_shape_is_charged_to_who_is_wrong(what: str, torch_sandbox: Sandbox) -> None:
    """In a line of one's own: among stand-ins for what is wrong, right code gives what the reference gives there."""
    shape, edits, points = BEHIND_SPLIT_HEADS[what]
    text = with_edit("a6_multihead", HEADS, shape)
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    assert scores("a6_multihead", text, torch_sandbox)["MultiHeadAttention"] == pytest.approx(points, abs=1)


@pytest.mark.parametrize(("draws", "points"), [(True, 4), (False, 0.3218)])  # the latter is what it gets alone
def test_code_may_call_with_a_batch_where_the_reference_has_none(
    draws: bool, points: float, torch_sandbox: Sandbox
) -> None:
    """A helper that sums over the wrong axis gives another answer to a batch of one; what it stands for is the same."""
    text = with_bodies(
        "a1_rnn", {"output_probs": "raised = np.exp(h @ W_y.T + b_y)\nreturn raised / raised.sum(axis=0)"}
    )
    start = text.index("def generate(")
    before, after = text[:start], text[start:]
    batch = ('output_probs(h, params["W_y"], params["b_y"])', 'output_probs(h[None], params["W_y"], params["b_y"])[0]')
    likeliest = ('int(np.searchsorted(cumulative, u, side="right"))', "int(probs.argmax())")
    for old, new in [batch] if draws else [batch, likeliest]:
        assert after.count(old) >= 1
        after = after.replace(old, new, 1)
    found = scores("a1_rnn", before + after, torch_sandbox)
    assert found["output_probs"] < 1
    assert found["generate"] == pytest.approx(points, abs=0.01)


@pytest.mark.parametrize(("values", "points"), [("V", 5), ("Q", 0)])
def test_code_may_call_what_a_helper_calls_and_not_the_helper(
    values: str, points: float, torch_sandbox: Sandbox
) -> None:
    """Nothing stands in for `attention`, which is right but for the scores that it is given, where that says more."""
    own = (
        "Q, K, V = project_qkv(X, W_q, W_k, W_v)\n"
        "scores = attention_scores(Q, K)\n"
        "if causal:\n    scores = np.where(np.tri(X.shape[-2], dtype=bool), scores, -1e9)\n"
        f"return attention_weights(scores) @ {values}"
    )
    text = with_bodies(
        "a5_attention", {"attention_scores": "return Q @ K / np.sqrt(Q.shape[-1])", "self_attention": own}
    )
    found = scores("a5_attention", text, torch_sandbox)
    assert found["attention"] > 0
    assert found["self_attention"] == pytest.approx(points, abs=0.01)


WINDOWS = """
W_x, W_h, W_y = params["W_x"], params["W_h"], params["W_y"]
loss, state = 0.0, h0
grads = {name: np.zeros(value.shape) for name, value in params.items()}
for start in range(0, x.shape[1], k):
    now, aims = x[:, start : start + k], targets[:, start : start + k]
    h = _states(now, state, params)
    logits = h @ W_y.T + params["b_y"]
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares = shares / shares.sum(axis=-1, keepdims=True)
    loss -= np.log(np.take_along_axis(shares, aims[..., None], axis=-1)).sum()
    dlogits = shares - np.eye(len(W_y))[aims]
    _, _, dW_x, dW_h, db = rnn_backward(dlogits @ W_y, (now, state, h, W_x, W_h))
    parts = {"W_x": dW_x, "W_h": dW_h, "b": db}
    parts |= {"W_y": np.einsum("btv,bth->vh", dlogits, h), "b_y": dlogits.sum(axis=(0, 1))}
    grads = {name: grads[name] + parts[name] for name in grads}
    state = h[:, -1]
return float(loss / targets.size), {name: grad / targets.size for name, grad in grads.items()}
"""
IN_ONE_TILE = """
K, V = cache
outputs = []
for start in range(0, x.shape[-2], chunk):
    new = x[..., start : start + chunk, :]
    K = np.concatenate([K, new @ W_k], axis=-2)
    V = np.concatenate([V, new @ W_v], axis=-2)
    outputs.append(tiled_attention(new @ W_q, K, V, K.shape[-2], causal=True)[0])
return np.concatenate(outputs, axis=-2), K, V
"""
EACH_QUERY = """
Q, K, V = X @ W_q, X @ W_k, X @ W_v
if not causal:
    return attention(Q, K, V)
ends = range(1, X.shape[-2] + 1)
return np.concatenate([attention(Q[..., e - 1 : e, :], K[..., :e, :], V[..., :e, :]) for e in ends], axis=-2)
"""
QUERY_BY_QUERY = """
T_q, T_k = q.shape[-2], k.shape[-2]
output, logsumexp = np.zeros((*q.shape[:-1], v.shape[-1])), np.zeros(q.shape[:-1])
for place in np.ndindex(q.shape[:-1]):
    front, read = place[:-1], T_k - T_q + place[-1] + 1 if causal else T_k
    m, total, output[place] = online_softmax([(k[front][:read] @ q[place] / q.shape[-1] ** 0.5, v[front][:read])])
    logsumexp[place] = m + np.log(total)
return output, logsumexp
"""
TURNED_BY_A_TABLE = """
rows = sinusoidal_encoding(100, x.shape[-1], base).to(x.dtype)[positions]
rows = rows[:, None] if positions.dim() == 2 else rows
sin, cos = rows[..., 0::2], rows[..., 1::2]
even, odd = x[..., 0::2], x[..., 1::2]
return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)
"""
UNITS_TURNED = """
units = torch.eye(d_model, dtype=torch.float64)[None, None]
return apply_rope(units, torch.full((d_model,), k))[0, 0].float()
"""
BATCHES_OF_PIECES = """
pieces = (len(data) - 1) // time
inputs, targets = data[: pieces * time].view(pieces, time), data[1 : pieces * time + 1].view(pieces, time)
before = model.training
model.eval()
total = 0.0
with torch.no_grad():
    for some, wanted in zip(inputs.split(64), targets.split(64)):
        total += lm_loss(model(some), wanted).item() * len(some)
model.train(before)
return total / pieces
"""
# The assignment, the known mistake in what is called, the exercise that calls it and its body, and what makes that wrong.
OTHER_WAYS = {
    "with a size that changes nothing": (
        "a10_fast_attention",
        "causal_mask_turned_round",
        "chunked_prefill",
        IN_ONE_TILE,
        ("(new @ W_q, K, V,", "(new @ W_q, K, 2 * V,"),
    ),
    "another exercise than the reference": (
        "a5_attention",
        "returns_weights_only",
        "similarity_context",
        "T = x.shape[-2]\nreturn attention(x, x, x, causal_mask(T, T))",
        ("(x, x, x", "(x, x, 2 * x"),
    ),
    "an exercise where the reference calls none": (
        "a3_gates",
        "difference_turned_round",
        "gru_step_keep",
        "return gru_step(x_t, h_prev, convert_gru(params))",
        ("convert_gru(params)", "params"),
    ),
    "with gradients that are divided later": (
        "a2_bptt",
        "dW_inputs_swapped",
        "truncated_bptt",
        WINDOWS,
        ("grad / targets.size", "grad"),
    ),
    "what is as good as the sum itself": (
        "a4_seq2seq",
        "dots_transposed",
        "bilinear_score",
        "return dot_score(q, k @ W.T)",
        ("W.T", "W"),
    ),
    "a number for a number": (
        "a1_rnn",
        "perplexity_by_mean_length",
        "bits_per_char",
        "return np.log2(perplexity(nll, n))",
        ("(nll, n)", "(2 * nll, n)"),
    ),
    "an online softmax for each query": (
        "a10_fast_attention",
        "never_divided",
        "tiled_attention",
        QUERY_BY_QUERY,
        ("q.shape[-1] ** 0.5", "2"),
    ),
    "one table of all positions": (
        "a6_multihead",
        "whole_turns_for_radians",
        "apply_rope",
        TURNED_BY_A_TABLE,
        ("even * sin + odd * cos", "odd * cos - even * sin"),
    ),
    "unit vectors that are turned": (
        "a6_multihead",
        "neighbours_angles_for_halves",
        "shift_matrix",
        UNITS_TURNED,
        ("k))", "k + 1))"),
    ),
    "one batch of pieces after another": (
        "a8_language_model",
        "loss_is_a_plain_number",
        "evaluate",
        BATCHES_OF_PIECES,
        (" / pieces", " / len(inputs.split(64))"),
    ),
    "each query by itself": (
        "a5_attention",
        "no_scale",
        "self_attention",
        EACH_QUERY,
        ("X @ W_v", "X @ W_k"),
    ),
}


@pytest.mark.parametrize("is_right", [True, False])
@pytest.mark.parametrize("way", OTHER_WAYS)
def test_right_code_may_call_otherwise_than_the_reference(way: str, is_right: bool, torch_sandbox: Sandbox) -> None:
    """It is compared with the other correct solutions of the course, too; wrong code is like none of them."""
    slug, mistake, name, body, slip = OTHER_WAYS[way]
    assert body.count(slip[0]) == 1
    text = with_bodies(slug, {name: body if is_right else body.replace(*slip)})
    text = apply_edits(text, (oracle(slug).misconception(mistake),)) or ""
    (mine,) = (e for e in graded(slug, text, torch_sandbox).exercises if e.name == name)
    assert mine.score == pytest.approx(
        mine.max_score if is_right else 0, abs=0.01 if is_right else 0.2 * mine.max_score
    )


OWN_CONTEXT = """
h = self.cell(self.embedding(y_prev), state)
looks = masked_softmax(mlp_score(h[:, None], enc, self.W_score, self.w_score)[:, 0], mask)
context = torch.einsum("nj,njd->nd", looks, enc)
return self.output(torch.tanh(self.W_out(torch.cat([context, h], dim=-1)))), h, looks
"""


@pytest.mark.parametrize("scores_of", ["return 0 * (k @ W[:, q.shape[-1] :].T @ w)[:, None]", ""])
def test_what_right_code_does_not_call_costs_it_nothing(scores_of: str, torch_sandbox: Sandbox) -> None:
    """The reference calls attention_context there, which is wrong as well; and here an axis of length one is left out."""
    bodies = {"attention_context": "return 0 * values[:, :1] + 1", "AttentionDecoder.step": OWN_CONTEXT}
    bodies |= (
        {"mlp_score": scores_of} if scores_of else {"masked_softmax": "return 2 * torch.softmax(scores * mask, dim=-1)"}
    )
    found = scores("a4_seq2seq", with_bodies("a4_seq2seq", bodies), torch_sandbox)
    assert found["attention_context"] < 2
    assert found["AttentionDecoder"] == pytest.approx(6)
    bodies["AttentionDecoder.step"] = OWN_CONTEXT.replace("[context, h]", "[h, context]")
    assert scores("a4_seq2seq", with_bodies("a4_seq2seq", bodies), torch_sandbox)["AttentionDecoder"] < 3


NAMED_PARTS = """
class Parts(NamedTuple):
    dx: np.ndarray
    dh: np.ndarray
    dW_x: np.ndarray
    dW_h: np.ndarray
    db: np.ndarray
"""


@pytest.mark.parametrize("is_right", [True, False])
def test_parts_are_read_by_the_names_that_a_helper_gives_them(is_right: bool, torch_sandbox: Sandbox) -> None:
    """The helper is wrong; what calls it is judged by itself, whether it unpacks the parts or names them."""
    step = "x_t, h_prev, h_t, W_x, W_h = cache\n"
    step += "return Parts(2 * dh @ W_x, dh @ W_h, dh.T @ x_t + 1, dh.T @ h_prev, dh.sum(axis=0))"
    text = with_bodies("a2_bptt", {"rnn_step_backward": step})
    call = "rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))"
    old = f"dx_t, dh_next, dW_x_t, dW_h_t, db_t = {call}"
    read = f"step.dx, step.dh, step.dW_x, step.{'dW_h' if is_right else 'dW_x'}, step.db"
    assert text.count(old) == 1
    text = text.replace(old, f"step = {call}\n        dx_t, dh_next, dW_x_t, dW_h_t, db_t = {read}")
    start = "import numpy as np\n"
    text = text.replace(start, f"from typing import NamedTuple\n{start}{NAMED_PARTS}", 1)
    found = scores("a2_bptt", text, torch_sandbox)
    assert found["rnn_backward"] == pytest.approx(8) if is_right else found["rnn_backward"] < 5


@pytest.mark.parametrize(
    "wrong", [{"rnn_step_backward": "return tuple(2 * a + 1 for a in (x_t, h_prev, W_x, W_h, dh[0]))"}, {}]
)
def test_what_is_done_to_arguments_follows_from_no_helper(wrong: Bodies, torch_sandbox: Sandbox) -> None:
    """Beside a wrong helper the answers of what calls it say nothing of that: the parameters are the caller's."""
    step = "for name in params:\n        params[name] -= 0.1 * grads[name]\n    return float(loss), grads"
    text = with_bodies("a2_bptt", wrong).replace("return float(loss), grads", step)
    (updated,) = (e for e in graded("a2_bptt", text, torch_sandbox).exercises if e.name == "truncated_bptt")
    failed = {c.name for c in updated.cases if c.status is not Status.PASSED and not c.follows}
    assert "parameters_are_left_alone" in failed


CIRCLES = {
    "endless": "return gru_step(x_t, h_prev, convert_gru(params))",
    "left by an exception": "try:\n    return gru_step(x_t, h_prev, convert_gru(params))\nexcept RecursionError:\n    return h_prev",
    "beside another mistake": "return gru_step(x_t, h_prev, convert_gru(params))",
}


@pytest.mark.parametrize("how", CIRCLES)
def test_two_exercises_that_only_call_each_other_are_not_both_right(how: str, torch_sandbox: Sandbox) -> None:
    """Each calls the other one as right code may; the dearer one is charged, as if it alone were not written."""
    bodies = {"gru_step": "return gru_step_keep(x_t, h_prev, convert_gru(params))", "gru_step_keep": CIRCLES[how]}
    if "mistake" in how:
        bodies["gated_update"] = "return 2 * h_prev + z * candidate"
    found = scores("a3_gates", with_bodies("a3_gates", bodies), torch_sandbox)
    assert (found["gru_step"], found["gru_step_keep"]) == (pytest.approx(0, abs=1), 3)


NOT_WRITTEN = {
    "left open": 'raise NotImplementedError("not written yet")',
    "left open, and its callers wrong": 'raise NotImplementedError("not written yet")',
    "without an answer": "pass",
}


@pytest.mark.parametrize("how", NOT_WRITTEN)
def test_what_waits_for_an_exercise_that_is_not_written_keeps_its_points(how: str, torch_sandbox: Sandbox) -> None:
    """Where it is right by itself: a student may leave a helper open and write the others."""
    text = with_bodies("a5_attention", {"attention_scores": NOT_WRITTEN[how]})
    callers = {"similarity_context", "attention", "self_attention"}
    if "wrong" in how:
        for old, new in (
            ("return shares @ x", "return shares @ x[..., ::-1]"),
            ("return weights @ V", "return 2 * weights @ V"),
        ):
            assert text.count(old) == 1
            text = text.replace(old, new)
        callers = {"self_attention"}
    result = graded("a5_attention", text, torch_sandbox)
    lost = {e.name for e in result.exercises if e.score < e.max_score}
    assert lost == {"attention_scores", "similarity_context", "attention"} - callers | {"attention_scores"}
    told = {c.told.headline for e in result.exercises if e.name in callers for c in e.cases if c.follows}
    assert any("attention_scores" in line for line in told)


def test_what_calls_an_exercise_that_is_gone_keeps_its_points(torch_sandbox: Sandbox) -> None:
    """It crashes in its own line, and is right by itself."""
    text = oracle("a5_attention").assignment.reference
    result = graded("a5_attention", text.replace("def causal_mask(", "def my_mask("), torch_sandbox)
    assert {e.name for e in result.exercises if e.score < e.max_score} == {"causal_mask"}


@pytest.mark.parametrize(("dc", "points"), [("dc_next", 5), ("0 * dc_next", 0)])
def test_a_dict_may_be_filled_in_any_order(dc: str, points: float, torch_sandbox: Sandbox) -> None:
    """A cache with the same arrays under the same names is the same cache."""
    body = f"""
        h, c = (np.concatenate([cache[f"{{name}}0"][:, None], cache[name]], axis=1) for name in "hc")
        dx, grads = np.zeros(cache["x"].shape), {{name: 0.0 for name in cache["params"]}}
        dh_next, dc_next = np.zeros(cache["h0"].shape), np.zeros(cache["c0"].shape)
        for t in reversed(range(dh.shape[1])):
            step = {{"params": cache["params"], "c_t": c[:, t + 1], "x_t": cache["x"][:, t]}}
            step |= {{name: cache[name][:, t] for name in ("c_tilde", "o", "i", "f")}}
            step |= {{"c_prev": c[:, t], "h_prev": h[:, t]}}
            dx[:, t], dh_next, dc_next, new = lstm_step_backward(dh[:, t] + dh_next, dc[:, t] + {dc}, step)
            grads = {{name: grads[name] + new[name] for name in grads}}
        return dx, dh_next, dc_next, grads
    """
    text = with_bodies("a3_gates", {"lstm_backward": textwrap.dedent(body)})
    mistake = oracle("a3_gates").misconception("biases_keep_the_batch_axis")
    found = scores("a3_gates", apply_edits(text, (mistake,)) or "", torch_sandbox)
    assert found["lstm_step_backward"] < 5
    assert found["lstm_backward"] == pytest.approx(points, abs=0.01 if points else 1)


def test_gradients_of_the_size_of_rounding_decide_nothing() -> None:
    """Two sums of nothing differ as much as they are large; a number that is missing, or not finite, still decides."""
    first = oracle("a5_attention").trials[0]
    trial = replace(first, case=replace(first.case, check=close()))

    def gave(output: float, *grads: object) -> tuple[Outcome, ...]:
        arrays = [None if grad is None else Tensor(np.full(3, grad, np.float32)) for grad in grads]
        return (Outcome(Ending.RETURNED, {"output": Tensor(np.full(2, output, np.float32)), "param_grads": arrays}),)

    right = gave(2.0, 1e-9, 0.5)
    for other, alike in [
        (gave(2.0, -3e-8, 0.5), True),
        (gave(2.0, 0.0, 0.5), True),
        (gave(2.0, 1e-9, 0.6), False),
        (gave(2.0, 1e-9, 0.0), False),
        (gave(2.0, 0.1, 0.5), False),
        (gave(2.0, np.nan, 0.5), False),
        (gave(2.0, None, 0.5), False),
        (gave(1e-9, 1e-9, 0.5), False),
    ]:
        assert alike_but_for_noise(trial, other, right) is alike, other


STEP_BACKWARD = """
x_t, h_prev, h_t, W_x, W_h = cache
dz = dh * (1 - h_t**2)
return dz @ W_x, (dz @ W_h)[..., None], dz.T @ x_t, dz.T @ h_prev, dz.sum(axis=0)
"""
ONE_AXIS_MORE = {
    "a2_bptt": {"rnn_step_backward": STEP_BACKWARD},
    "a5_attention": {"attention_scores": "return (Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1]))[..., None]"},
}


@pytest.mark.parametrize("slug", ONE_AXIS_MORE)
def test_what_crashes_further_down_is_charged_to_who_is_wrong(slug: str, torch_sandbox: Sandbox) -> None:
    """Callers of callers crash too, in lines of exercises that are right; the bank does not know the mistake."""
    result = graded(slug, with_bodies(slug, ONE_AXIS_MORE[slug]), torch_sandbox)
    assert {e.name for e in result.exercises if e.score < e.max_score} == set(ONE_AXIS_MORE[slug])


def test_what_explained_a_failure_may_itself_follow(torch_sandbox: Sandbox) -> None:
    """The bank's mistake of `attention` fits its callers, and then `attention` turns out to follow from its softmax."""
    course = oracle("a5_attention").assignment
    bank = tuple(m for m in course.misconceptions if m.name != "mask_filled_where_true")
    assert len(bank) == len(course.misconceptions) - 1
    text = with_edit("a5_attention", "np.where(mask, scores, -np.inf)", "np.where(mask, -1e9, scores)")
    result = grade(Source.of(course.file, text), Oracle(replace(course, misconceptions=bank), 3), torch_sandbox)
    assert {e.name for e in result.exercises if e.score < e.max_score} == {"attention_weights"}
