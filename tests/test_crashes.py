"""Crashes get a reason: what met in the line that raised, told before its traceback, without a hidden number.

`crashing/SLUG.toml` holds 75 programs that crash in the ways in which students' do. They were written before the reasons
were. At first sight 8 of them were told why, and 2 were told what is false. The reasons were then written with these and with
the 16 crashing programs of `outside/` in view, of which 9 had no name.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from conftest import GradeFiles
from hypothesis import given
from hypothesis import strategies as st
from test_outside import OUTSIDE, ROOT, SEED, correct_programs, graded, lost, wrong_programs

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Call, Status, Visibility
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.axis_names import names_in
from autograder.judge.crash_kinds import CRASHES, PROCESS_ENDED
from autograder.judge.crash_reasons import RULES, kind_of_crash, reason_of_crash
from autograder.judge.outcomes_alike import likeness, same_outcomes
from autograder.judge.shapes_that_meet import lost_axes
from autograder.judge.terminal_text import result_as_text
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.program import Program, describe
from autograder.sandbox.events import read_trouble
from autograder.sandbox.job import Chunk, Ending, Frame, Job, Outcome, Part, Sandbox, Source, Trouble

CRASHING = ROOT / "tests" / "crashing"
STUB = '''
def mix(scores, mask, cache):
    """Mix.

    Args:
        scores: (batch, vocab).
        mask: (batch, time) of bool.
        cache: (keys, values) of the step.
    """
'''


def crashing_programs(slug: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the crashing programs of an assignment, as they are described and as text."""
    bases = correct_programs(slug)
    for entry in tomllib.loads((CRASHING / f"{slug}.toml").read_text(encoding="utf-8"))["program"]:
        text = bases[entry["base"]]
        for edit in entry["edit"]:
            assert text.count(edit["old"]) == 1
            text = text.replace(edit["old"], edit["new"])
        yield entry, text


@cache
def oracle_of(slug: str) -> Oracle:
    """Return an assignment's oracle, without trainings."""
    return Oracle(load_assignment(ROOT, slug).without_training(), SEED)


def reasons(slug: str, programs: list[tuple[str, str]], sandbox: Sandbox) -> Iterator[tuple[str, str]]:
    """Yield the reasons of each program's first crash in an exercise: as a public case tells it, and as a hidden one does."""
    oracle = oracle_of(slug)
    assignment = oracle.assignment
    for exercise, text in programs:
        source = source_of(assignment, text)
        trials = oracle.trials_of(exercise)
        requests = tuple(request for trial in trials for request in trial.requests)
        ran = sandbox.run(Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch))
        calls = [call for trial in trials for call in trial.calls]
        call, outcome = next((c, o) for c, o in zip(calls, ran.outcomes, strict=True) if o.ending is Ending.RAISED)
        assert outcome.trouble
        told = (
            reason_of_crash(outcome.trouble, seen, source, call, exercise, assignment.stub, oracle.signatures)
            for seen in (Visibility.PUBLIC, Visibility.HIDDEN)
        )
        yield next(told), next(told)


def source_of(assignment: Assignment, text: str) -> Source:
    """Return a program as a submission."""
    return Source(assignment.file.removesuffix(".py"), (Chunk(assignment.file, text),))


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(path.stem for path in CRASHING.glob("*.toml")))
def test_every_crash_has_a_reason_that_says_what_is_wrong(slug: str, torch_sandbox: Sandbox) -> None:
    """And the same crash in a hidden case has one that is the same for every input."""
    entries = list(crashing_programs(slug))
    found = list(reasons(slug, [(entry["exercise"], text) for entry, text in entries], torch_sandbox))
    general = set(CRASHES.values())
    for (entry, _), (told, hidden) in zip(entries, found, strict=True):
        assert re.search(entry["tells"], told, re.IGNORECASE), (entry["fault"], told)
        assert hidden in general


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted({path.parent.name for path in OUTSIDE.glob("*/wrong.toml")} - {"a1_rnn"}))
def test_crashes_that_others_wrote_have_a_reason(slug: str, torch_sandbox: Sandbox) -> None:
    """Those of the programs from outside, too."""
    programs = [(wrong.exercises[0], wrong.text) for wrong in wrong_programs(slug) if wrong.kind == "crash"]
    assert not [hidden for told, hidden in reasons(slug, programs, torch_sandbox) if not told]


def test_the_reason_stands_before_the_traceback() -> None:
    """In the text of a terminal, which the notebook shows as well, and as the first line of the message of the page."""
    entry, text = next(crashing_programs("a2_bptt"))
    (result,) = graded(load_assignment(ROOT, "a2_bptt"), [text])
    case = next(case for case in lost(result)[entry["exercise"]] if case.status is Status.CRASHED)
    assert case.told.headline.startswith("`mask` of shape (2, 2) = (batch, time) meets `d` of shape (2, 2, 3)")
    shown = result_as_text("a2", result)
    assert (
        shown.index("`mask` of shape (2, 1)") < shown.index("ValueError: non-broadcastable") < shown.index("d *= mask")
    )
    hidden = [
        c for c in lost(result)[entry["exercise"]] if c.visibility is Visibility.HIDDEN and c.status is Status.CRASHED
    ]
    assert hidden
    assert not any(re.search(r"\(\d|\d\)", c.told.headline) for c in hidden)


def test_a_crash_alone_is_no_certain_name() -> None:
    """Also where other calls of the same cases return: `generate` with a lost axis divides by no temperature."""
    program = next(
        text for entry, text in crashing_programs("a8_language_model") if "no axis for time" in entry["fault"]
    )
    (result,) = graded(load_assignment(ROOT, "a8_language_model"), [program])
    cases = lost(result)["generate"]
    assert cases
    assert not [case.mistakes for case in cases if case.mistakes]


def test_equal_exceptions_from_two_parts_are_not_alike() -> None:
    """The mask that does not fit in the cross-attention is none that does not fit in the self-attention."""

    def crashed(part: str) -> tuple[Outcome, ...]:
        frames = (Frame("t.py", 9, "Block.forward", part), Frame("t.py", 2, "Attention.forward", "mask.expand"))
        return (Outcome(Ending.RAISED, trouble=Trouble("RuntimeError", "The expanded size", frames)),)

    trial = oracle_of("a7_transformer").trials[0]
    assert same_outcomes(trial, crashed("self.cross_attention"), crashed("self.cross_attention"))
    assert not same_outcomes(trial, crashed("self.cross_attention"), crashed("self.self_attention"))
    assert same_outcomes(trial, crashed("np.matmul"), crashed("@"))


def test_a_product_of_other_matrices_is_another_mistake() -> None:
    """In both, numpy says that 2 is not 1. Axes in front do not tell two hands apart, and what is not known says nothing."""

    def crashed(*shapes: tuple[int, ...]) -> Outcome:
        text = "matmul: Input operand 1 has a mismatch in its core dimension 0 (size 2 is different from 1)"
        parts = tuple(Part("x", "array", shape) for shape in shapes)
        return Outcome(Ending.RAISED, trouble=Trouble("ValueError", text, (Frame("t.py", 9, "f", "@"),), parts))

    trial = oracle_of("a10_fast_attention").trials[0]
    mine = (crashed((2, 1), (2, 2)),)
    assert same_outcomes(trial, mine, (crashed((3, 2, 1), (3, 2, 2)),))
    assert same_outcomes(trial, mine, (crashed(),))
    assert not same_outcomes(trial, mine, (crashed((1, 1), (2, 3)),))
    assert not same_outcomes(trial, (*mine, *mine), (*mine, crashed((1, 1), (2, 3))))


def test_a_backward_pass_that_crashes_is_given_no_other_name() -> None:
    """At home, too: dk, dq and dv each have a product, and where one of them is transposed wrongly it is told of that one."""
    assignment = load_assignment(ROOT, "a10_fast_attention")
    bundle = public_bundle(public_oracle(assignment))
    for old, new, name in (
        ("= np.swapaxes(ddots, -1, -2) @ q", "= ddots @ q", "dk_not_transposed"),
        ("+= ddots @ k", "+= np.swapaxes(ddots, -1, -2) @ k", "dq_transposed"),
        ("= np.swapaxes(weights, -1, -2) @ dout", "= weights @ dout", "dv_not_transposed"),
    ):
        text = assignment.reference.replace(old, new)
        assert text != assignment.reference
        cases = lost(check(Source.of(assignment.file, text), bundle))["tiled_backward"]
        assert {mistake for case in cases for mistake in case.suspected} == {name}


@pytest.mark.parametrize(
    ("mine", "theirs", "how"),
    [
        ("could not broadcast input array from shape (5,3) into shape (5,2)", "matmul: Input operand 1 has a mismatch", "NONE"),
        ("mat1 and mat2 shapes cannot be multiplied", "einsum(): subscript k has size 2 for operand 1", "COMPATIBLE"),
        ("index 3 is out of bounds for axis 0 with size 3", "selected index k out of range", "COMPATIBLE"),
    ],
)  # fmt: skip
def test_exceptions_are_alike_where_they_are_of_one_kind(mine: str, theirs: str, how: str) -> None:
    """An array that is too narrow is no product that does not fit; the same product is told otherwise by einsum."""

    def crashed(text: str) -> tuple[Outcome, ...]:
        calls = "torch.einsum" if "einsum" in text else "mix"
        return (Outcome(Ending.RAISED, trouble=Trouble("Error", text, (Frame("t.py", 2, "f", calls),))),)

    trial = oracle_of("a7_transformer").trials[0]
    assert likeness(trial, crashed(mine), crashed(theirs), crashed(mine)).name == how


@pytest.mark.parametrize(
    "text", ["2 is not in list", "list.remove(x): x not in list", "tuple.index(x): x not in tuple"]
)
def test_what_is_looked_for_and_not_there_has_a_reason(text: str) -> None:
    """`index` raises where a row never ends."""
    told = reason_of_crash(
        Trouble("ValueError", text), Visibility.HIDDEN, Source("", ()), Call((), {}), "mix", STUB, {}
    )
    assert told.startswith("`index` and `remove` fail")


@pytest.mark.parametrize(
    "text",
    [
        "cannot assign module before Module.__init__() call",
        "cannot assign parameters before Module.__init__() call",
        "'Model' object has no attribute '_backward_hooks'",
        "'Model' object has no attribute '_load_state_dict_pre_hooks'",
    ],
)
def test_a_constructor_that_does_not_call_its_parent_s_is_told_so(text: str) -> None:
    """Whether torch notices when something is put into the module, or when it is called."""
    assert kind_of_crash(Trouble("AttributeError", text)) == "super_not_called"


def raised(text: str, **arguments: object) -> Trouble:
    """Return what the parent reads of an exception in a function `f`."""
    program = Program("crash", notebook=False)
    program.load([("crash.py", text)])
    texts = r"broadcast|mismatch|ambiguous|has no attribute|missing \d required|positional arguments but"
    with pytest.raises((ValueError, IndexError, AttributeError, TypeError), match=texts) as caught:
        program.find("f")(**arguments)
    return read_trouble(describe(caught.value, program.texts))


def parts(text: str, **arguments: object) -> dict[str, tuple[int, ...]]:
    """Return the shapes that met, by their text."""
    return {part.text: part.shape for part in raised(text, **arguments).parts}


def test_shapes_are_those_of_the_expression_that_raised() -> None:
    """Not of all names on its line; what a library makes of arrays is computed again."""
    two, three = np.zeros((2, 3)), np.zeros((3, 2))
    assert parts("def f(a, b):\n    return (a + a) * a.sum(axis=1) + b\n", a=two, b=three) == {
        "a + a": (2, 3),
        "a.sum(axis=1)": (2,),
    }
    assert parts("def f(a, b):\n    return sum(\n        a @ x\n        for x in [b.T])\n", a=two, b=three) == {
        "a": (2, 3),
        "x": (2, 3),
    }
    assert parts("def f(a, b):\n    ä = 'ä'; a += b\n", a=three, b=two) == {"a": (3, 2), "b": (2, 3)}
    assert parts("def f(a, b):\n    a[:, 0] = b\n", a=two, b=three)["b"] == (3, 2)


def test_nothing_of_the_submission_is_run_again() -> None:
    """Nor does what cannot be read keep the exception from being told."""
    text = """
import numpy as np
count = []
class Trap(np.ndarray):
    shape = property(lambda self: count.append(1) or (1,))
    __repr__ = __len__ = __getattr__ = None
def own(a):
    count.append(1)
    return a
def f(a):
    trap = np.ndarray.__new__(Trap, (3,))
    try:
        return np.add(own(a), trap)
    finally:
        assert count == [1], count
        count.append("left")
"""
    program = Program("crash", notebook=False)
    program.load([("crash.py", text)])
    with pytest.raises(ValueError, match="broadcast") as caught:
        program.find("f")(np.zeros(2))
    told = read_trouble(describe(caught.value, program.texts))
    assert program.module.__dict__["count"] == [1, "left"]
    assert [(part.text, part.type_name) for part in told.parts] == [("own(a)", "unknown"), ("trap", "object")]


@pytest.mark.parametrize(
    "sent",
    [
        np.zeros((2, 4)),
        [["x", "array", [-1], "float64"]],
        [["x", "array", [2.5], "float64"]],
        [["x", "array", [True], "float64"]],
        [["x", "array", [10**13], "float64"]],
        [["x", "array", [2] * 9, "float64"]],
        [["x", "array", [2], "float64"]] * 7,
        [[1, "array", [2], "float64"]],
        [["x", "array", [2]]],
    ],
)
def test_shapes_that_no_worker_sends_are_refused(sent: object) -> None:
    """A child may send anything."""
    with pytest.raises((TypeError, ValueError, KeyError)):
        read_trouble({"type": "E", "text": "", "frames": [], "parts": sent})


PARTS = st.builds(
    Part,
    st.sampled_from(["x", "x.T", "x.shape", "x.sum(-1)", "given", "f(x)", ""]),
    st.sampled_from(["array", "tensor", "None", "tuple", "dict", "float", "function", "given", "unknown", "other"]),
    st.lists(st.integers(0, 10**12), max_size=8).map(tuple),
    st.sampled_from(["float64", "bool", ""]),
)


@given(st.data())
def test_whatever_a_child_tells_has_a_reason_or_none(data: st.DataObject) -> None:
    """And never ends the grader; of a hidden case it is the same sentence for every shape."""
    rule = data.draw(st.sampled_from(RULES))
    text = data.draw(st.from_regex(rule.pattern) | st.text(max_size=40))[:500]
    kind = data.draw(
        st.sampled_from(["ValueError", "TypeError", "NameError", "KeyError", "ZeroDivisionError", "RuntimeError"])
    )
    frames = (Frame("f.py", 1, "mix", data.draw(st.sampled_from(["@", "[]", "f", "F.scaled_dot_product_attention"]))),)
    trouble = Trouble(kind, text, frames[: data.draw(st.integers(0, 1))], tuple(data.draw(st.lists(PARTS, max_size=6))))
    call = Call((np.zeros((2, 7)), None, {"x": np.zeros(3)}), {"given": 0})
    told = {
        seen: reason_of_crash(trouble, seen, Source("", ()), call, "mix", STUB, {"mix": ("scores", "mask", "cache")})
        for seen in (Visibility.PUBLIC, Visibility.HIDDEN)
    }
    assert bool(told[Visibility.PUBLIC]) == bool(told[Visibility.HIDDEN])
    assert told[Visibility.HIDDEN] in {"", *CRASHES.values()}


def test_a_class_that_crashes_for_the_same_reason_is_counted(
    grade_files: GradeFiles, edited: Callable[..., str]
) -> None:
    """The kind of exception is data beside the sentence, in the results and at home; the report counts it like a mistake."""
    bodies = {"ann": "return x @ x", "bob": "return x.dot(x)", "eve": "return means", "fay": "return x - 1j.real[0]"}
    out, _ = grade_files({f"{name}.py": edited(center=body).encode() for name, body in bodies.items()})
    kinds = {}
    for name in bodies:
        told = json.loads((out / "results" / f"{name}.json").read_text(encoding="utf-8"))
        cases = [case for exercise in told["exercises"] for case in exercise["cases"]]
        assert {case["status"] == "CRASHED" for case in cases if "crash" in case} == {True}
        kinds[name] = {case["crash"] for case in cases if "crash" in case}
    assert kinds["ann"] == kinds["bob"] == {"matrices_do_not_meet"}
    assert kinds["eve"] == {"undefined_name"}
    text = " ".join((out / "report.html").read_text(encoding="utf-8").split())
    assert "Crashed for the same reason" in text
    assert "<code>matrices_do_not_meet</code> in <code>center</code>" in text
    assert "2 of 4 students" in text


@pytest.mark.parametrize(
    ("shapes", "says", "never"),
    [
        ([(2,), (3,)], "take 2 of each. Where every pair is meant", "$^"),
        ([(2,), (3,), (2, 3)], "give one of them an axis", "take 2"),
        ([(2, 1), (3,), (2, 4)], "at axis -1, 3 positions meet 4", "every pair"),
        ([(2, 1), (1, 3), (2, 4)], "take 3 of each.", "every pair"),
    ],
)
def test_index_arrays_are_cut_or_meet_in_pairs(shapes: list[tuple[int, ...]], says: str, never: str) -> None:
    """What is too long is no missing axis."""
    arrays = {name: np.zeros(shape, int) for name, shape in zip("ijk", shapes, strict=False)}
    names = ", ".join(arrays)
    trouble = raised(f"def f(a, {names}):\n    return a[{names}]\n", a=np.zeros((5, 5, 5)), **arrays)
    told = reason_of_crash(trouble, Visibility.PUBLIC, Source("", ()), Call((), {}), "f", "", {"f": ("a",)})
    assert says in told
    assert not re.search(never, told)


def test_a_name_is_not_offered_in_place_of_itself() -> None:
    """A class whose own definition fails stands in the file, and is not there; a misspelt name has another one near."""
    source = Source("f", (Chunk("f.py", "class Block(Base):\n    pass\n"),))
    told = [
        reason_of_crash(
            Trouble("NameError", f"name '{name}' is not defined"), Visibility.PUBLIC, source, Call((), {}), "f", "", {}
        )
        for name in ("Block", "Blok")
    ]
    assert told[0].endswith("though your file has one: does its own definition fail, or come later?")
    assert told[1].endswith("Is it `Block`?")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("    mask = None  # for now", "and your code sets it so."),
        ("    best, total, mask = None, 0.0, None", "and your code sets it so."),
        ("    x = mask = None", "and your code sets it so."),
        ("    best, mask = None, 0.0", "so does a method that works in place."),
        ("    mask=None,", "so does a method that works in place."),
    ],
)
def test_a_placeholder_is_told_from_what_a_function_gives(line: str, says: str) -> None:
    """A variable that is set to None, and not a parameter whose default it is."""
    trouble = Trouble(
        "TypeError", "unsupported operand type(s): 'NoneType' and 'int'", parts=(Part("mask", "None", ()),)
    )
    source = Source("f", (Chunk("f.py", f"def f(\n    x,\n{line}\n    y = mask + 1\n"),))
    assert reason_of_crash(trouble, Visibility.PUBLIC, source, Call((), {}), "f", "", {}).endswith(says)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("'int' object is not iterable", "Is `range(...)` missing around it?"),
        ("'W_f'", "A dict has no key 'W_f' here."),
    ],
)
def test_what_is_missing_around_a_number_or_in_a_dict_is_told(text: str, says: str) -> None:
    """Where nothing is known of what met."""
    trouble = Trouble("KeyError" if text.startswith("'W") else "TypeError", text)
    told = reason_of_crash(trouble, Visibility.PUBLIC, Source("f", ()), Call((), {}), "f", "", {})
    assert told.endswith(says)


def test_a_sum_that_begins_with_nothing_is_told() -> None:
    """Where `+=` stands in the line that raises, and not elsewhere."""
    source = Source("f", (Chunk("f.py", "def f(x):\n    grads = {}\n    grads['W_f'] += x\n    return grads['W']\n"),))
    told = [
        reason_of_crash(
            Trouble("KeyError", "'W_f'", (Frame("f.py", line, "f"),)),
            Visibility.PUBLIC,
            source,
            Call((), {}),
            "f",
            "",
            {},
        )
        for line in (3, 4)
    ]
    assert told[0].endswith("has no key 'W_f' here. Where `+=` adds to it, it has to begin with something.")
    assert told[1].endswith("has no key 'W_f' here.")


@pytest.mark.parametrize(("name", "near"), [("register_bufer", "register_buffer"), ("nrom", "norm"), ("gru", "")])
def test_a_misspelt_attribute_has_one_near(name: str, near: str) -> None:
    """One that the class makes, or one that every module has."""
    text = "class Block(nn.Module):\n    def __init__(self):\n        self.norm = 1\n"
    trouble = Trouble("AttributeError", f"'Block' object has no attribute '{name}'")
    source = Source("f", (Chunk("f.py", text),))
    told = reason_of_crash(trouble, Visibility.PUBLIC, source, Call((), {}), "Block", "", {})
    assert told.endswith(f"There is `{near}`." if near else "or a method that is still to be written?")


def test_kinds_of_crashes_have_one_sentence_each() -> None:
    """Since a class is told by the kind's name; the name is one that a program can hold on to."""
    assert CRASHES.keys() == {PROCESS_ENDED, *(rule.name for rule in RULES)}
    assert [name for name in CRASHES if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name)] == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("array split does not result in an equal division", "equal parts"),
        (
            "split_with_sizes expects split_sizes to sum exactly to 5 (input tensor's size at dimension 0)",
            "sum to the length",
        ),
        ("Trying to create tensor with negative dimension -1: [-1]", "negative size"),
        ("negative dimensions are not allowed", "negative size"),
        ("narrow(): length must be non-negative.", "negative size"),
        ("zeros: Dimension size must be non-negative.", "negative size"),
        ("outer: Expected 1-D argument self, but got 2-D", "an outer product"),
        ("1D tensors expected, but got 2D and 1D tensors", "a dot product"),
        ("Improper number of dimensions to norm.", "sum of all squares"),
        ("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D.", "sum of all squares"),
        ("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to", "`~mask`"),
        ("unsupported operand type(s) for ^: 'float' and 'int'", "written `**`"),
        ("ufunc 'bitwise_xor' not supported for the input types, and the inputs could not be safely coerced", "`**`"),
        ("\"bitwise_xor_cpu\" not implemented for 'Float'", "written `**`"),
        ("all input arrays must have the same shape", "for a stack all of them"),
        ("numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor", "`~mask`"),
        ("'ellipsis' object is not subscriptable", "still to be written"),
        ("float() argument must be a string or a real number, not 'ellipsis'", "still to be written"),
        ("unsupported operand type(s) for -: 'Tensor' and 'torch.return_types.max'", "`.values`"),
        ("'torch.return_types.sort' object has no attribute 'sum'", "`.values`"),
        ("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor", "the (h, c) of an LSTM"),
        ("linear(): argument 'input' (position 1) must be Tensor, not ReLU", "`nn.ReLU()(x)` calls one"),
        ("unsupported operand type(s) for +: 'Tensor' and 'Dropout'", "A layer stands where"),
        ("linear(): argument 'input' (position 1) must be Tensor, not float", "there is `math`"),
        ("RNN input dtype (torch.int64) does not match weight dtype (torch.float32).", "through the embedding"),
    ],
)
def test_what_libraries_say_has_a_reason_in_words(text: str, says: str) -> None:
    """It is the same for public and for hidden cases."""
    for visibility in Visibility:
        told = reason_of_crash(Trouble("Error", text), visibility, Source("", ()), Call((), {}), "mix", STUB, {})
        assert says in told


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("min(a, b)", "`minimum` of numpy and torch goes entry by entry"),
        ("max(a, b)", "`a` of shape (3,) is an array, and Python's own `max` compares it as a whole"),
        ("(not a)", "`~mask` turns every entry of a mask round"),
        ("(1 if a else 2)", "a mask or `where` chooses entry by entry"),
        ("(a and b)", "a mask or `where` chooses entry by entry"),
        ("np.maxmium(a, b)", "`numpy` has no `maxmium`. Is it `maximum`?"),
        ("a.count()", "which has no `count`. Is that torch's name for it?"),
        ("a.summ()", "has no `summ`. Is it `sum`?"),
    ],
)
def test_what_asks_for_one_truth_value_is_told_by_its_name(line: str, says: str) -> None:
    """Of each there is another way that goes entry by entry; and a name is offered only where it is much alike."""
    trouble = raised(
        f"import numpy as np\n\n\ndef f(a, b):\n    return {line}\n", a=np.ones(3, bool), b=np.ones(3, bool)
    )
    told = reason_of_crash(trouble, Visibility.PUBLIC, Source("", ()), Call((), {}), "f", "", {"f": ("a", "b")})
    assert says.lower() in told.lower()


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        (((2, 3, 2, 4), (2, 3, 2, 4), (3, 3)), "`mask` of shape (3, 3) meets `the scores` of shape (2, 3, 2, 2)"),
        (
            ((1, 2, 1, 4), (1, 2, 1, 4), (2, 2)),
            "`mask` of shape (2, 2) is larger than `the scores` of shape (1, 2, 1, 1)",
        ),
    ],
)
def test_a_mask_that_does_not_fit_the_scores_is_told(shapes: tuple[tuple[int, ...], ...], says: str) -> None:
    """Query and key came with time before the heads, of which the scores are the first sign."""
    query, key, mask = (Part(name, "tensor", shape) for name, shape in zip(("q", "k", "mask"), shapes, strict=True))
    parts = (query, key, Part("v", "tensor", key.shape), mask)
    text = "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 3"
    frames = (Frame("f.py", 1, "step", "F.scaled_dot_product_attention"),)
    told = reason_of_crash(
        Trouble("RuntimeError", text, frames, parts), Visibility.PUBLIC, Source("", ()), Call((), {}), "step", "", {}
    )
    assert told.startswith(says)
    assert told.endswith("do query and key end in time and features, the heads before?")


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        ("(0,3) into shape (1,3)", "along one axis it has 0, and there is room for 1"),
        ("(2,3) into shape (1,3)", "along one axis it has 2, and there is room for 1"),
        ("(3,) into shape (2,3)", "Two shapes do not fit here."),  # which it would fill: no library writes that
    ],
)
def test_what_fills_no_place_is_told(shapes: str, says: str) -> None:
    """An array without entries fills nothing, either."""
    trouble = Trouble(
        "ValueError", f"could not broadcast input array from shape {shapes}", (Frame("f.py", 1, "f", ""),)
    )
    told = reason_of_crash(trouble, Visibility.PUBLIC, Source("", ()), Call((), {}), "f", "", {})
    assert says in told


def test_a_name_whose_import_fails_is_told() -> None:
    """The package is missing, and not the name."""
    source = Source("f", (Chunk("f.py", "import numpy as np\nfrom scipy.special import expit, softmax\n"),))
    trouble = Trouble("NameError", "name 'softmax' is not defined")
    told = reason_of_crash(trouble, Visibility.PUBLIC, source, Call((), {}), "f", "", {})
    assert "it is to come from `scipy`, whose import fails" in told


def test_a_question_at_the_keyboard_is_told() -> None:
    """There is none when code is checked."""
    told = reason_of_crash(
        Trouble("EOFError", "EOF when reading a line"), Visibility.HIDDEN, Source("", ()), Call((), {}), "mix", STUB, {}
    )
    assert told.startswith("`input()` waits for a keyboard")


def test_an_assert_of_the_student_s_own_is_told() -> None:
    """One of a library's says what it is about."""
    bare, told = (
        reason_of_crash(
            Trouble("AssertionError", text), Visibility.PUBLIC, Source("", ()), Call((), {}), "mix", STUB, {}
        )
        for text in ("", "was expecting embedding dimension of 4, but got 6")
    )
    assert bare.startswith("An `assert` of yours fails.")
    assert "`assert`" not in told


def test_a_helper_that_is_not_written_yet_is_not_taken_for_another() -> None:
    """A name is offered for one that is nearly the same, and not for one that is a part of it."""
    source = Source("f", (Chunk("f.py", "def mlp_score(q, k):\n    pass\n"),))
    told = reason_of_crash(
        Trouble("NameError", "name 'score' is not defined"), Visibility.PUBLIC, source, Call((), {}), "f", "", {}
    )
    assert told.endswith("is an import missing, or is it still to be written?")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("g(x)", "calls `g` without `mask`, `scale`, which it needs"),
        ("g(x, scale=2)", "calls `g` without `mask`, which it needs"),
        ("g(x, 1, 2, 3)", "calls `g` with arguments that it does not take"),
        ("C.step(x)", "calls `C.step` without `mask`, which it needs"),
        ("C.step(mask=x)", "calls `C.step` with arguments that it does not take"),
    ],
)
def test_what_a_call_lacks_is_named(call: str, says: str) -> None:
    """There is one argument too few, and not one too many; an object that is none is another matter."""
    text = f"""
def g(x, mask, scale):
    return x


class C:
    def step(self, mask):
        return mask


def f(x):
    return {call}
"""
    trouble = raised(text, x=np.ones(3))
    told = reason_of_crash(trouble, Visibility.PUBLIC, Source("", ()), Call((), {}), "f", "", {"f": ("x",)})
    assert says in told


def test_axes_are_named_by_the_text_alone() -> None:
    """By an argument that is as it was given, else by a size that only one axis has."""
    signatures = {"mix": ("scores", "mask", "cache")}
    call = Call((np.zeros((2, 7)), np.zeros((2, 5), bool), (np.zeros((3, 7)), np.zeros(11))), {})
    names = names_in(call, "mix", STUB, signatures)
    assert names.of("scores", (2, 7)) == ("batch", "vocab")
    assert names.of("scores", (7, 2)) == ()  # 7 is an axis of the cache, too, whose axes have no names
    assert names.of("m", (2, 1, 5)) == ("batch", "1", "time")
    assert names.of("m", (2, 2)) == ()
    assert names.of("m", (4,)) == ()
    unpacked = Trouble("ValueError", "too many values to unpack (expected 1)", (), (Part("cache", "tuple", (2,)),))
    told = reason_of_crash(unpacked, Visibility.PUBLIC, Source("", ()), call, "mix", STUB, signatures)
    assert "keys, values" in told


def test_a_mask_of_two_axes_lacks_two_before_scores_of_four() -> None:
    """Heads and queries stand between the batch and the keys."""
    met = (Part("scores", "tensor", (2, 4, 5, 5), "float32"), Part("mask", "tensor", (2, 5), "bool"))
    text = "The size of tensor a (5) must match the size of tensor b (2) at non-singleton dimension 2"
    trouble = Trouble("RuntimeError", text, (), met)
    told = reason_of_crash(trouble, Visibility.PUBLIC, Source("", ()), Call((), {}), "mix", STUB, {"mix": ("scores",)})
    assert told.startswith("`mask` of shape (2, 5) meets `scores` of shape (2, 4, 5, 5): ")
    assert "lacks 2 axes" in told
    assert [lost_axes((2,), (2, 7)), lost_axes((2, 7), (2, 7)), lost_axes((3, 5), (2, 4, 5, 5))] == [1, 0, 0]


def test_pairs_of_features_meet_features() -> None:
    """What half of the features is as long as is chance, so no name is given to that axis."""
    met = (Part("x", "tensor", (1, 2, 3, 4), "float32"), Part("cos", "tensor", (3, 2), "float32"))
    text = "The size of tensor a (4) must match the size of tensor b (2) at non-singleton dimension 3"
    stub = 'def turn(x):\n    """Turn.\n\n    Args:\n        x: (batch, heads, time, d_head).\n    """\n'
    call = Call((np.zeros((1, 2, 3, 4)),), {})
    trouble = Trouble("RuntimeError", text, (), met)
    told = reason_of_crash(trouble, Visibility.PUBLIC, Source("", ()), call, "turn", stub, {"turn": ("x",)})
    assert told.startswith("`x` of shape (1, 2, 3, 4) = (batch, heads, time, d_head) meets `cos` of shape (3, 2): ")
    assert told.endswith("One is half of the other: does `cos` have an entry for each pair of features?")


def test_what_has_more_axes_than_its_place_is_no_larger_array() -> None:
    """An index is missing, and a new array would not help."""
    met = (Part("total[i]", "array", (1,), "float64"), Part("d[n]", "array", (1, 1), "float64"))
    text = "non-broadcastable output operand with shape (1,) doesn't match the broadcast shape (1,1)"
    trouble = Trouble("ValueError", text, (), met)
    told = reason_of_crash(trouble, Visibility.PUBLIC, Source("", ()), Call((), {}), "f", "", {"f": ("x",)})
    assert told.startswith("`d[n]` of shape (1, 1) is to go into `total[i]` of shape (1,), which has fewer axes: ")


@pytest.mark.parametrize(
    ("shape", "axis", "asked"), [((1, 3, 4), 0, True), ((3, 1, 1), 1, False), ((3, 4, 2), 2, False), ((2,), 0, False)]
)
def test_an_index_beyond_an_axis_may_be_meant_for_a_later_one(shape: tuple[int, ...], axis: int, asked: bool) -> None:
    """That is asked where one of them has it."""
    text = f"index 2 is out of bounds for axis {axis} with size {shape[axis]}"
    trouble = Trouble("IndexError", text, (), (Part("p", "array", shape, "float64"),))
    told = reason_of_crash(trouble, Visibility.PUBLIC, Source("", ()), Call((), {}), "f", "", {"f": ("x",)})
    assert told.startswith(f"Axis {axis} of `p` has {shape[axis]} entr")
    assert (f"is axis {axis} the one that is meant?" in told) == asked


def test_a_threshold_without_its_axis_is_told_in_words() -> None:
    """With the names that the exercise's text gives to the axes."""
    met = (Part("scores", "array", (2, 7), "float64"), Part("kth", "array", (2,), "float64"))
    trouble = Trouble("ValueError", "operands could not be broadcast together with shapes (2,7) (2,)", (), met)
    call = Call((np.zeros((2, 7)),), {})
    told = reason_of_crash(trouble, Visibility.PUBLIC, Source("", ()), call, "mix", STUB, {"mix": ("scores",)})
    assert told.startswith("`kth` of shape (2,) = (batch,) meets `scores` of shape (2, 7) = (batch, vocab): ")
    assert "lacks an axis" in told
