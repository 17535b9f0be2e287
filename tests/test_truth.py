"""No sentence that a student reads is false: what wrong programs were once told, and what they are told now.

The mistakes are those of programs that were written from the handouts alone. Each is graded on all cases, public and hidden.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from test_outside import ROOT, graded, lost

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.course.spec import Call, Visibility
from autograder.judge.crash_reasons import explain_kind, kind_of_crash, reason_of_crash
from autograder.sandbox.child.program import Program, describe
from autograder.sandbox.events import read_trouble
from autograder.sandbox.job import Chunk, Source


@dataclass(frozen=True)
class Wrong:
    """A mistake in a reference: text that is added to it or replaces some of it, what is told of an exercise, and what is not."""

    slug: str
    exercise: str
    added: str = ""
    edit: tuple[str, str] = ("", "")
    told: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


LOOK_BACK = """
        n = self.norm_1(x)
        g = residual(x, lambda _: self.self_attention(n, n, n, target_mask))
        h = residual(g, lambda _: self.cross_attention(self.norm_2(g), memory, memory, memory_mask))
        return residual(h, lambda _: self.feed_forward(self.norm_3(h)))
"""
MASKS_SWAPPED = """
        q = self.norm_1(x)
        x = x + self.self_attention(q, q, q, memory_mask)
        x = x + self.cross_attention(self.norm_2(x), memory, memory, target_mask)
        return x + self.feed_forward(self.norm_3(x))
"""
WRONG = {
    "a list that is too short": Wrong(
        "a7_transformer",
        "greedy_translate",
        edit=("if all(done):", "if any(done):"),
        told=("The length is not the reference's.",),
        never=("of another type than",),
    ),
    "a list in a tuple that is too short": Wrong(
        "a4_seq2seq",
        "beam_search",
        edit=("        totals = extended.new_tensor", "        finished = finished[:0]\n        totals = extended.new_tensor"),
        told=("ids: The length is not the reference's.",),
        never=("of another type than",),
    ),
    "a softmax over all scores, mended afterwards": Wrong(
        "a4_seq2seq",
        "masked_softmax",
        added="""
def masked_softmax(scores, mask):
    probs = torch.softmax(scores, dim=-1) * mask
    return probs / (probs.sum(dim=-1, keepdim=True) + 1e-12)
""",
        told=("Your softmax runs over all scores",),
        never=("We can name no single mistake", "does not have this property"),
    ),
    "a decoder that is asked once too often": Wrong(
        "a4_seq2seq",
        "greedy_decode",
        added="""
def greedy_decode(step, state, bos, eos, pad, max_len):
    y = torch.full((state.shape[0],), bos)
    out = torch.full((state.shape[0], max_len), pad)
    done = torch.zeros(state.shape[0], dtype=torch.bool)
    for t in range(max_len):
        logits, state = step(y, state)
        y = torch.argmax(logits, dim=1)
        out[~done, t] = y[~done]
        done = done | (y == eos)
        if (y == eos).all():
            break
    return out
""",
        told=(
            r"`step`, which the case hands to your code, has no answer for this call, with `y` of shape \(2,\)",
            "A function or model that the case hands to your code has no answer for one of its calls",
        ),
        never=("`y` has 3 entries", "There is no entry at an index"),
    ),
    "weights used transposed in an einsum": Wrong(
        "a4_seq2seq",
        "attention_context",
        added="""
def attention_context(weights, values):
    return torch.einsum("bij,bid->bjd", weights, values)
""",
        told=(
            r"In the einsum, the letter `i` stands for an axis of 3 in `values` of shape \(2, 3, 4\) = \(batch, T_k, d_v\), and",
            "One letter of an einsum stands for axes of different sizes",
        ),
        never=("the last axes are 3 and 4", "lined up from the right"),
    ),
    "a linear layer for a product": Wrong(
        "a4_seq2seq",
        "bilinear_score",
        added="""
def bilinear_score(q, k, W):
    return torch.nn.functional.linear(q, W) @ k.transpose(1, 2)
""",
        told=(
            r"`q` of shape \(2, 4, 2\) = \(batch, T_q, d_q\) meets the weight `W` of shape \(2, 3\) = \(d_q, d_k\) in a linear layer",
            "the last axes have to be equal, and they are 2 and 3",
            "A linear layer multiplies by the transpose of its weight",
        ),
        never=("the axes in front of the last two",),
    ),
    "more of the best than there are": Wrong(
        "a8_language_model",
        "generate",
        edit=("k = min(top_k, scaled.shape[-1])", "k = top_k"),
        told=(
            r"`topk` is asked for more entries than an axis has. It searches `scaled` of shape \(3, 4\)",
            "k may be at most the size of that axis",
        ),
        never=("There is no entry at an index",),
    ),
    "the caller's argument changed in place": Wrong(
        "a7_transformer",
        "residual",
        added="""
def residual(x, f):
    change = f(x)
    y = x
    y += change
    return y
""",
        told=("A tensor that needs a gradient is changed in place. In a forward pass, or where it is an argument, make a new",),
        never=("A parameter is changed in place",),
    ),
    "masks that change places inside the block": Wrong(
        "a7_transformer",
        "Transformer",
        edit=(LOOK_BACK, MASKS_SWAPPED),
        told=("MaskedDecoderBlock",),
        never=("Your decoder hands the two masks",),
    ),
    "classes on the last axis": Wrong(
        "a8_language_model",
        "lm_loss",
        added="""
def lm_loss(logits, targets):
    return functional.cross_entropy(logits, targets, ignore_index=IGNORE)
""",
        told=("Cross-entropy takes the classes on axis 1",),
        never=("It is what is right",),
    ),
    "shares along time": Wrong(
        "a1_rnn",
        "output_probs",
        added="""
def output_probs(h, W_y, b_y):
    return softmax(h @ W_y.T + b_y, axis=1)
""",
        never=("(?<![`\\w])It sums to one",),
    ),
    "one batch axis taken for granted": Wrong(
        "a1_rnn",
        "sequence_log_prob",
        added="""
def sequence_log_prob(logits, ids):
    B, T = ids.shape
    return np.take_along_axis(_log_softmax(logits), ids[..., None], axis=-1)[..., 0].sum(axis=-1)
""",
        told=(
            r"`ids` has one axis, shape \(4,\)",
            r"`ids` has 3 axes, shape \(3, 2, 3\)",
            "is taken apart into two names, `B` and `T`",
        ),
        never=("has 1 axes",),
    ),
    "a start that cannot be drawn": Wrong(
        "a8_language_model",
        "get_batch",
        edit=("n_starts = len(data) - time\n", "n_starts = len(data) - time - 1\n"),
        told=("The upper limit of `torch.randint`, 0, is not above the lower one, 0: there is nothing to draw",),
    ),
    "a mask after the softmax, in attention alone": Wrong(
        "a5_attention",
        "similarity_context",
        added="""
def attention(Q, K, V, mask=None):
    weights = attention_weights(attention_scores(Q, K))
    if mask is not None:
        weights = weights * mask
    return weights @ V
def similarity_context(x):
    return attention(x, x, x, causal_mask(x.shape[-2], x.shape[-2]))
""",
        told=("`attention`",),
        never=("cut off afterwards",),
    ),
    "heads that merge_heads alone mixes": Wrong(
        "a6_multihead",
        "MultiHeadAttention",
        added="""
def merge_heads(x):
    batch, heads, time, d_head = x.shape
    return x.reshape(batch, time, heads * d_head)
""",
        edit=("v = split_heads(self.W_v(value), self.n_heads)", "v = split_heads(self.W_v(key), self.n_heads)"),
        told=("Your values are made from `key`",),
        never=("Your heads are joined by a reshape alone",),
    ),
}  # fmt: skip


@cache
def results(slug: str) -> dict[str, dict[str, str]]:
    """Return all that a student reads of each exercise that fails, for every mistake of an assignment."""
    assignment = load_assignment(ROOT, slug)
    reference = (ROOT / "solutions" / slug / assignment.file).read_text(encoding="utf-8")
    mistakes = {name: wrong for name, wrong in WRONG.items() if wrong.slug == slug}
    texts = []
    for wrong in mistakes.values():
        assert not wrong.edit[0] or reference.count(wrong.edit[0]) == 1
        texts.append((reference.replace(*wrong.edit) if wrong.edit[0] else reference) + wrong.added)
    told = {}
    for name, result in zip(mistakes, graded(assignment, texts), strict=True):
        assert lost(result)
        told[name] = {
            e.name: "\n".join(f"{case.name}: {case.says}\n{case.told.text}" for case in e.cases)
            for e in result.exercises
        }
    return told


@pytest.mark.slow
@pytest.mark.parametrize(  # those of an assignment are graded together, by one worker
    "name", [pytest.param(name, marks=pytest.mark.xdist_group(f"truth-{wrong.slug}")) for name, wrong in WRONG.items()]
)
def test_what_is_told_is_so(name: str) -> None:
    """In public cases and in hidden ones."""
    wrong = WRONG[name]
    told = results(wrong.slug)[name][wrong.exercise]
    assert not [text for text in wrong.told if not re.search(text, told)], told
    assert not [text for text in wrong.never if re.search(text, told)], told


A = np.zeros((2, 3, 4), np.float32)
IDS = np.array([0.0, 1.0], np.float32)


@pytest.mark.parametrize(
    ("body", "arrays", "told", "never"),
    [
        ("return a @ b", (A, np.zeros((3, 4, 4), np.float32)), "the axes in front of the last two", "3 meets 4"),
        ("a += b", (np.zeros(3), np.zeros((2, 3))), r"is to go into `a` of shape \(3,\), which has fewer axes", "are 0 and 0"),
        ("a[:1] = b", (np.zeros(3), np.zeros(2)), "it has 2, and there is room for 1|", "are 0 and 0"),
        ("return np.einsum('bij,bid->bjd', a, b)", (np.zeros((2, 2, 3)), A), "letter `i` stands for an axis of 3", "lined up"),
        ("t, m = map(torch.from_numpy, (a, b)); t.masked_fill(m, 0)", (A, A), "`m` holds float32", "`t` holds"),
        ("return a[b]", (A, IDS), "`b` holds float32", "`a` holds"),
        ("return a[b]", (A, np.ones(5, bool)), "A mask has the sizes of the axes that it picks from", "axis of length one"),
        ("return a(1)", (A,), "`a` is of type array|", "`1` is of type"),
        ("return range(a.shape)", (A,), "`a.shape` is a tuple", "A float stands"),
        ("return torch.stack([torch.zeros(2), torch.zeros(3)])", (A,), "stacked: all their axes", "but the one along"),
        ("return torch.nn.Linear(3)", (A,), "without `out_features`, which it needs", "The constructor is given, and a case"),
        ("return torch.Generator().draw()", (A,), "has no `draw`", "its constructor"),
        ("return torch.tanh(a)", (A,), "something else than a tensor", "is given a Python number"),
        ("return torch.from_numpy(a)[0, 0].topk(9)", (A,), "`topk` is asked for more", "beyond the end"),
        ("return np.random.default_rng(0).integers(3, 3)", (A,), "nothing to draw", "^$"),
        ("return a.dot(b)", (np.zeros((2, 3)), np.zeros(2)), "the only one of the right one, 2", "last but one of the right"),
    ],
)  # fmt: skip
def test_reasons_hold_of_what_raised(body: str, arrays: tuple[np.ndarray, ...], told: str, never: str) -> None:
    """A rule that reads expressions takes those that it is about, and says nothing more of others than is so."""
    program = Program("crash", notebook=False)
    text = f"import numpy as np\nimport torch\ndef f(a, b=None):\n    {body}\n"
    program.load([("crash.py", text)])
    with pytest.raises(Exception) as caught:  # noqa: PT011 (of many types)
        program.find("f")(*arrays)
    trouble = read_trouble(describe(caught.value, program.texts))
    source = Source("crash", (Chunk("crash.py", text),))
    said = reason_of_crash(trouble, Visibility.PUBLIC, source, Call(arrays, {}), "f", "", {"f": ("a", "b")})
    assert re.search(told, said), (said, trouble)
    assert not re.search(never, said), said


@pytest.mark.parametrize("visibility", Visibility)
@pytest.mark.parametrize(
    ("text", "keep"),
    [
        (
            "class Block(nn.Module):\n    def __init__(self, size):\n        super().__init__()\n        nn.Linear(size)",
            False,
        ),
        ("class Block(nn.Module):\n    def __init__(self, size, other):\n        super().__init__()", True),
    ],
)
def test_only_a_constructor_of_the_assignment_is_given(text: str, keep: bool, visibility: Visibility) -> None:
    """A wrong call of `nn.Linear` is no reason to keep the stub's constructor, in hidden cases and in a class's report neither."""
    program = Program("crash", notebook=False)
    program.load([("crash.py", text := f"from torch import nn\n{text}\n")])
    with pytest.raises(TypeError) as caught:
        program.find("Block")(3)
    trouble = read_trouble(describe(caught.value, program.texts))
    known = {"Block.__init__": ("size",), "Block.forward": ("x",)}
    source = Source("crash", (Chunk("crash.py", text),))
    said = reason_of_crash(trouble, visibility, source, Call((A,), {}), "Block", "", known)
    for told in (said, explain_kind(kind_of_crash(trouble))):
        assert told
        assert ("constructor" in told) == keep, told


@pytest.mark.parametrize("slug", slugs(ROOT))
def test_mistakes_are_told_in_plain_english(slug: str) -> None:
    """Subject, verb, object: no "your every step", and no whoever, somebody, nobody or anew."""
    odd = re.compile(r"Your (?:every|each)\b|\b(?:whoever|somebody|nobody|anew)\b", re.IGNORECASE)
    assert not [m.name for m in load_assignment(ROOT, slug).misconceptions if odd.search(m.says)]
