"""Slips: where no known mistake gives what code gives, a small change to right code may, and is told at home as in grading."""

from __future__ import annotations

import builtins
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment
from autograder.handout.kit.bundle import read_bundle
from autograder.handout.kit.one_slip import SLIPS as FILE
from autograder.handout.kit.one_slip import no_slip, read_slips
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_files, public_oracle
from autograder.handout.slips_at_home import slips_file
from autograder.judge import result_json
from autograder.judge.grade import grade
from autograder.judge.reason_sentences import explain_reason
from autograder.judge.reasons import Key, Relation, Slipped
from autograder.judge.result import Result
from autograder.judge.slip_sentences import SLIPS
from autograder.oracle.oracle import Oracle
from autograder.oracle.slip_names import Words
from autograder.oracle.slips import Where, slips_in
from autograder.oracle.slips_tried import Slips
from autograder.oracle.step_limit import SAYS, StopError, count_steps, limited_steps, take_step
from autograder.sandbox.child.parse import parse
from autograder.sandbox.child.wire_format import decode
from autograder.sandbox.job import Sandbox, Source

ROOT = Path(__file__).parents[1]
SLUGS = sorted(path.parent.name for path in ROOT.glob("assignments/*/assignment.toml"))
TEXT = '''
def step(x, gate, params, sizes):
    """Return h and the spread from x and gate; params has "W_x" and "W_h"."""
    h = np.tanh(x @ params["W_x"].T + gate) * gate
    for t in range(1, len(x)):
        h += x[t] - gate ** 2
        gate = gate + 1.0
    spread = ((h - h.mean(axis=-1)) ** 2).mean(axis=(0, 1)) / sizes[1]
    scores = np.where(gate > 0, h, -np.inf) if sizes[0] else h * gate * (1 - gate) * (1 - h ** 2)
    return _secret(h, params["W_h"]), spread, (scores + x) * gate
'''
STUB = TEXT[: TEXT.rindex('"""') + 3] + "\n    raise NotImplementedError\n"


@cache
def keys_in(text: str) -> frozenset[Key]:
    """Return what is told of the slips in a text; x and gate have one shape."""
    names = {"x": ["gate"], "gate": ["x"]}
    words = Words.of(STUB, ["step"], {"h", "spread"}, lambda _, name: names.get(name, ()))
    return frozenset(slip.key for slip in slips_in(Where(text, ["step"], words)))


@pytest.mark.parametrize(
    "key",
    [
        ("slip_instead", "x", "gate", "h"),
        ("slip_instead", "W_h", "W_x", "h"),
        ("slip_instead", "-", "+", "h"),
        ("slip_instead", "=", "+=", "h"),
        ("slip_instead", "abs", "** 2", "spread"),
        ("slip_instead", "sizes[0]", "sizes[1]", "spread"),
        ("slip_lacks_factor", "gate", "h"),
        ("slip_lacks_term", "gate", "h"),
        ("slip_lacks_some_division", "spread"),
        ("slip_lacks", "tanh", "h"),
        ("slip_lacks", ".T", "h"),
        ("slip_lacks", "** 2", "h"),
        ("slip_twice", "tanh", "h"),
        ("slip_twice", "gate", "h"),
        ("slip_extra", "tanh", "x", "h"),
        ("slip_outside", "tanh", "h"),
        ("slip_inside", "tanh", "h"),
        ("slip_zeros", "x", "h"),
        ("slip_zeros", "W_x", "h"),
        ("slip_squared", "gate", "h"),
        ("slip_backwards_read", "x", "h"),
        ("slip_not_low", "-10", ""),
        ("slip_parentheses", ""),
        ("slip_root", "spread"),
        ("slip_square", "spread"),
        ("slip_tanh_for_sigmoid", ""),
        ("slip_sigmoid_for_tanh", ""),
        ("slip_axis", "mean", "spread"),
        ("slip_mean_less", "spread"),
        ("slip_mean_more", "spread"),
        ("slip_place", "h"),
        ("slip_place", ""),
        ("slip_backwards", ""),
        ("slip_sides", "-", "h"),
        ("slip_line", "h"),
        ("slip_order", ""),
        ("slip_behind_loop", ""),
        ("slip_into_loop", ""),
    ],
)
def test_a_change_is_told_by_what_it_is(key: Key) -> None:
    """With names and signs, and what is computed there where students know its name."""
    assert key in keys_in(TEXT)


def test_what_is_called_of_a_call_is_lacking_and_not_mixed_up_with_it() -> None:
    """Such as one more axis of what is taken in double precision."""
    keys = keys_in(TEXT.replace("x @ params", "np.abs(x.clip(0)).round(3) @ params"))
    assert {("slip_lacks", "round", "h"), ("slip_lacks", "abs", "h"), ("slip_lacks", "clip", "h")} <= keys
    assert not {key for key in keys if key[0] == "slip_instead" and {"round", "clip"}.intersection(key)}


def test_no_name_is_told_that_students_do_not_know() -> None:
    """Such as that of a helper, or of a value that the docstring does not have."""
    told = {name for key in keys_in(TEXT.replace("spread =", "_var =").replace(", spread", ", _var")) for name in key}
    assert not {name for name in told if "_secret" in name or "_var" in name}


def test_a_value_is_taken_for_one_of_its_shape_alone() -> None:
    """Another one only crashes; and a list that holds itself would never end in a library."""
    assert ("slip_instead", "sizes", "x", "h") not in keys_in(TEXT)


def own_names(key: Key) -> set[str]:
    """Return the names that stand in what is told of a slip, without those of libraries."""
    words = set(re.findall(r"[A-Za-z_]\w*", " ".join(key[1:])))
    return {word for word in words if not (hasattr(np, word) or hasattr(builtins, word) or word in ("self", "T", "mT"))}


@pytest.mark.parametrize("slug", SLUGS)
def test_slips_of_the_course_end_and_can_be_told(slug: str) -> None:
    """Each exercise that students write has some; their sentences name what stands in the stub."""
    assignment = load_assignment(ROOT, slug)
    oracle = public_oracle(assignment)
    words = set(re.findall(r"\w+", assignment.stub))
    for exercise in (e.name for e in assignment.exercises if e.blanks and not e.manual):
        slips = Slips(oracle, exercise)
        for number, (_, slip) in enumerate(slips.slips):
            assert slip.key[0] in SLIPS
            kind, *names, made = slip.key
            sentence = explain_reason(Relation(exercise, slip.key))
            assert all(f"`{name}`" in sentence for name in (*names, made) if name)
            assert all(names), kind
            assert "{" not in sentence
            assert own_names(slip.key[-1:]) <= words
            assert slips.key(number) == slip.key
        cheapest = min(oracle.trials_of(exercise), key=lambda trial: trial.cost)
        assert len(slips.prints(cheapest)) == len(slips.slips)


def test_a_slip_that_would_never_end_is_stopped() -> None:
    """Also where a comprehension goes through a list that grows meanwhile."""
    tree = parse("def grows():\n    seen = [1]\n    return [seen.append(each) for each in seen]\n")
    count_steps(tree, lambdas=False, comprehensions=True)
    names: dict[str, Any] = {SAYS: take_step}
    exec(compile(tree, "grows", "exec"), names)
    with limited_steps(100), pytest.raises(StopError):
        names["grows"]()


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    """Return a3 without known mistakes."""
    return replace(load_assignment(ROOT, "a3_gates"), misconceptions=())


@pytest.fixture(scope="module")
def oracle(assignment: Assignment) -> Oracle:
    """Return what it gives away."""
    return public_oracle(assignment)


@pytest.fixture(scope="module")
def folder(oracle: Oracle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a handout's data."""
    return written(oracle, tmp_path_factory.mktemp("engine"))


def written(oracle: Oracle, made: Path) -> Path:
    """Return a folder with the data of a handout."""
    for name, content in (public_files(oracle) | slips_file(oracle)).items():
        (made / name.rpartition("/")[2]).write_bytes(content)
    return made


def told(result: Result, exercise: str) -> set[Key]:
    """Return the relations of an exercise's values."""
    (found,) = (e for e in result.exercises if e.name == exercise)
    return {case.reason.key for case in found.cases if isinstance(case.reason, Relation)}


@pytest.mark.parametrize(
    ("exercise", "edit", "key"),
    [
        ("gru_step_keep", ('params["b_r"]', 'params["b_z"]'), ("slip_instead", "b_z", "b_r", "")),
        ("lstm_step_backward", ("da_o = do * o * (1 - o)", "da_o = do * (1 - o)"), ("slip_lacks_factor", "o", "")),
        ("stacked_forward", ("", ""), ("slip_outside", "tanh", "")),
        (
            "lstm_backward",
            ("dc[:, t] + dc_next", "dh[:, t] + dc_next"),
            ("slip_instead", "dh", "dc", ""),
        ),  # an argument is never read
    ],
)
def test_a_slip_is_told_at_home_and_in_grading(
    exercise: str, edit: tuple[str, str], key: Key, oracle: Oracle, folder: Path, sandbox: Sandbox
) -> None:
    """By `check.py`, which has no reference, by `autograder check`, which has, and by a grader, who has hidden cases as well."""
    assignment = oracle.assignment
    text = assignment.reference
    if exercise == "stacked_forward":
        text += STACKED
    else:
        start = text.index(f"def {exercise}(")
        text = text[:start] + text[start:].replace(*edit, 1)
    source = Source.of(assignment.file, text)
    for judge in (read_bundle(folder), public_bundle(oracle)):
        assert told(check(source, judge), exercise) == {key}
    assert told(grade(source, Oracle(assignment, 3), sandbox), exercise) == {key}


STACKED = """

def stacked_forward(x, layers):
    for layer in layers:
        h, states = layer["h0"], []
        for t in range(x.shape[1]):
            h = np.tanh(x[:, t] @ layer["W_x"].T + h @ layer["W_h"].T) + layer["b"]
            states.append(h)
        x = np.stack(states, axis=1)
    return x
"""


def test_one_case_that_speaks_against_it_is_enough(oracle: Oracle, folder: Path) -> None:
    """A slip is told where all outcomes are its own, those that are right among them."""
    slips = Slips(oracle, "gru_step")
    number = next(n for n, (_, slip) in enumerate(slips.slips) if slip.key[:3] == ("slip_instead", "b_z", "b_r"))
    trials = oracle.trials_of("gru_step")
    got = {trial: slips.outcomes(number, trial) for trial in trials}
    bundle = read_bundle(folder)
    mine = {trial.name: trial for trial in bundle.trials}
    for judge, own in ((oracle, {t.name: t for t in trials}), (bundle, mine)):
        gave = {own[trial.name]: outcomes for trial, outcomes in got.items()}
        assert judge.slip_giving("gru_step", gave, list(gave)) == Slipped(slips.key(number))
        for trial in sorted(gave, key=lambda t: t.cost)[:2]:
            against = {**gave, trial: judge.expected(trial)}
            assert judge.slip_giving("gru_step", against, [t for t in gave if t is not trial]) is None


def test_only_code_that_makes_a_slip_opens_what_is_told_of_it(folder: Path) -> None:
    """What is told is sealed with what the slip gives, of which the file has hashes."""
    packed = decode((folder / FILE).read_bytes())
    texts = [bytes.fromhex(sealed) for slips in packed.values() for sealed in slips["alone"]["sealed"]]
    assert len(texts) > 1000
    assert not any(kind.encode() in text for kind in SLIPS for text in texts)
    assert {frozenset(slips["alone"]) for slips in packed.values()} == {frozenset({"sealed", "trials", "locks"})}


@pytest.fixture(scope="module")
def known() -> Oracle:
    """Return what a3 gives away with two known mistakes."""
    assignment = load_assignment(ROOT, "a3_gates")
    some = [m for m in assignment.misconceptions if m.name in ("output_gate_with_W_i", "sigmoid_candidate")]
    return public_oracle(replace(assignment, misconceptions=tuple(some)))


@pytest.fixture(scope="module")
def known_folder(known: Oracle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of its handout's data."""
    return written(known, tmp_path_factory.mktemp("engine"))


def gates_with(known: Oracle, *edits: tuple[str, str]) -> Source:
    """Return a solution with edits in `lstm_gates`."""
    text = known.assignment.reference
    start = text.index("def lstm_gates(")
    for old, new in edits:
        assert old in text[start:]
        text = text[:start] + text[start:].replace(old, new, 1)
    return Source.of(known.assignment.file, text)


OUTPUT = ('params["W_o"]', 'params["W_i"]')
FORGET = ('@ params["W_f"].T + params["b_f"]', '@ params["W_f"].T')


def test_a_slip_beside_a_known_mistake_is_told_with_it(known: Oracle, known_folder: Path, sandbox: Sandbox) -> None:
    """At home and in grading, with the sentence of the mistake in front; neither alone gives these answers."""
    source = gates_with(known, OUTPUT, FORGET)
    results = [check(source, judge) for judge in (read_bundle(known_folder), public_bundle(known))]
    results.append(grade(source, Oracle(known.assignment, 3), sandbox))
    for result in results:
        (found,) = (e for e in result.exercises if e.name == "lstm_gates")
        reasons = {case.reason for case in found.cases if case.reason}
        (reason,) = (r for r in reasons if isinstance(r, Relation))
        assert reason.key == ("slip_lacks_term", "b_f", "f")
        assert reason.beside is not None
        assert reason.beside.name == "output_gate_with_W_i"
        told = explain_reason(reason)
        assert told.startswith(reason.beside.sentence)
        assert "Beside that, your answers are those of code that lacks a term in one place: `b_f`." in told
        assert reason_of_json(reason) == reason


def reason_of_json(reason: Relation) -> object:
    """Return a reason as it is read again from where it is stored."""
    return result_json._reason_of(result_json._reason(reason))


def test_what_a_slip_gives_beside_two_known_mistakes_names_neither(known: Oracle, known_folder: Path) -> None:
    """A third mistake is none of the two that a pair would name."""
    source = gates_with(known, OUTPUT, FORGET, ('np.tanh(joined @ params["W_c"]', '_sigmoid(joined @ params["W_c"]'))
    for judge in (read_bundle(known_folder), public_bundle(known)):
        (found,) = (e for e in check(source, judge).exercises if e.name == "lstm_gates")
        assert not any(isinstance(case.reason, Relation) and case.reason.beside for case in found.cases)


def test_beside_a_mistake_that_gives_all_of_it_no_slip_is_told() -> None:
    """A call that crashes takes the name from it, and a slip that changes nothing would be told in its place."""
    oracle = Oracle(load_assignment(ROOT, "a10_fast_attention").without_training(), 3)
    mistake = ("block_with_a_hidden_key_dropped",)
    trials = [t for t in oracle.trials_of("online_softmax") if t.case.name != "nothing_to_read_in_the_first_block"]
    failed = [trial for trial in trials if trial.case.name == "hidden_keys_count_for_nothing"]
    got = {trial: oracle.answers(mistake, trial) or () for trial in trials}
    assert oracle.slip_giving("online_softmax", got, failed) is None


def test_only_code_that_makes_both_opens_what_is_told_of_them(known_folder: Path) -> None:
    """Neither what is told, nor which mistake belongs to it, can be read in the file."""
    packed = decode((known_folder / FILE).read_bytes())["lstm_gates"]["beside"]
    assert len(packed["first"]) > 50
    assert len(packed["others"]) == len(packed["first"])
    texts = [bytes.fromhex(sealed) for sealed in packed["told"]]
    assert not any(kind.encode() in text for kind in SLIPS for text in texts)
    numbers = {row.tobytes()[-4:] for row in packed["sealed"]}
    assert len(numbers) > len(packed["told"]) * len(packed["mistakes"]) // 2


def test_the_same_course_makes_the_same_file(known: Oracle, known_folder: Path) -> None:
    """Nothing in it is drawn."""
    again = slips_file(public_oracle(known.assignment))
    assert list(again.values()) == [(known_folder / FILE).read_bytes()]


@pytest.mark.parametrize("content", [None, b"nonsense", b""])
def test_what_cannot_be_read_is_left_out(content: bytes | None, folder: Path, tmp_path: Path) -> None:
    """No slip is told then, and all else is as it was."""
    if content is not None:
        (tmp_path / FILE).write_bytes(content)
    assert read_slips(tmp_path) is no_slip
    assert read_slips(folder) is not no_slip
