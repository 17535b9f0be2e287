"""The codec: what goes in comes out, and hostile bytes are a WireError and nothing else."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import struct
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.sandbox.child import wire_format
from autograder.sandbox.child.program import evaluate
from autograder.sandbox.child.tree import Code, Opaque, Tensor
from autograder.sandbox.child.wire_format import WireError, decode, encode, pack, snapshot, unpack

KEPT = ("?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8")


class Point(NamedTuple):
    """A tuple with a class of its own."""

    x: int
    y: float


def same(a: Any, b: Any) -> bool:
    """Whether two trees agree in type, nesting, dtype, shape and every bit that matters."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray | np.generic):
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, Tensor):
        return same(a.array, b.array)
    if isinstance(a, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    return bool(a == b)


def message(header: object, data: bytes = b"", *, raw: bytes = b"") -> bytes:
    """Put a header and data together as the codec lays them out."""
    text = raw or json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tree_message(tree: object, parts: object = (), data: bytes = b"") -> bytes:
    """Make the bytes of a tree by hand, as a hostile child would."""
    text = tree if isinstance(tree, str) else json.dumps(tree)
    return message(None, data, raw=f'{{"parts":{json.dumps(parts)},"tree":{text}}}'.encode())


def refused(blob: bytes) -> None:
    """Check that some bytes are a WireError."""
    with pytest.raises(WireError):
        decode(blob)


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**64) + 1, 2**64 - 1)
    | st.floats()
    | st.text()
    | hnp.arrays(st.sampled_from(KEPT), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3))
)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text() | st.integers(-9, 9), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(TREES)
def test_trees_come_back_as_they_were(tree: Any) -> None:
    """Any nesting of plain data and arrays survives, down to dtype, shape and NaN."""
    assert same(decode(encode(tree)), tree)


@given(
    hnp.arrays(
        st.sampled_from(KEPT), hnp.array_shapes(min_dims=2, max_dims=3, max_side=5), elements={"allow_nan": False}
    ),
    st.sampled_from(["transpose", "fortran", "step", "reverse", "fancy", "broadcast", "big_endian", "window"]),
)
def test_memory_layout_does_not_matter(array: np.ndarray, layout: str) -> None:
    """Views, strides and byte orders come back as the values they show."""
    view = {
        "transpose": lambda a: a.T,
        "fortran": np.asfortranarray,
        "step": lambda a: a[::2, 1:],
        "reverse": lambda a: a[::-1, ::-1],
        "fancy": lambda a: a[:, np.array([0] * 3)],
        "broadcast": lambda a: np.broadcast_to(a, (2, *a.shape)),
        "big_endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
        "window": lambda a: np.lib.stride_tricks.sliding_window_view(a, 1, axis=0),
    }[layout](array)
    back = decode(encode(view))
    assert back.shape == view.shape
    assert back.dtype == array.dtype
    assert np.array_equal(back, view)


@pytest.mark.parametrize("dtype", KEPT)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1, 1), (2, 3)])
def test_every_kept_dtype_in_every_shape(dtype: str, shape: tuple[int, ...]) -> None:
    """Scalars in array form, empty arrays and ordinary ones keep dtype and shape."""
    array = np.ones(shape, dtype)
    assert same(decode(encode(array)), array)


@pytest.mark.parametrize(
    "scalar", [np.float64(1.5), np.float32(math.nan), np.int8(-3), np.bool_(1), np.uint64(2**64 - 1)]
)
def test_numpy_scalars_stay_scalars(scalar: np.generic) -> None:
    """A single numpy number is told apart from a Python number and from an array."""
    assert same(decode(encode([scalar])), [scalar])


def test_infinities_and_nan_come_back() -> None:
    """The three floats JSON has no word for travel by name."""
    assert same(decode(encode([math.nan, math.inf, -math.inf, -0.0])), [math.nan, math.inf, -math.inf, -0.0])


def test_the_arrays_that_come_back_can_be_written_to() -> None:
    """Students may work in place on their arguments."""
    back = decode(encode(np.zeros(3)))
    back += 1
    assert back.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("tensor", "array"),
    [
        (torch.arange(6.0).reshape(2, 3).T, np.arange(6, dtype=np.float32).reshape(2, 3).T),
        (torch.ones(2, requires_grad=True), np.ones(2, np.float32)),
        (torch.ones(2, requires_grad=True) * 2, np.full(2, 2, np.float32)),
        (torch.nn.Parameter(torch.zeros(1)), np.zeros(1, np.float32)),
        (torch.tensor([1.5, -2.0], dtype=torch.bfloat16), np.array([1.5, -2.0], np.float32)),
        (torch.tensor([1.5], dtype=torch.float16), np.array([1.5], np.float16)),
        (torch.tensor(3), np.array(3)),
        (torch.tensor([True, False]), np.array([True, False])),
        (torch.zeros(0, 2), np.zeros((0, 2), np.float32)),
        (torch.tensor([1 + 2j]).conj().imag, np.array([-2], np.float32)),
        (torch.tensor([math.nan, math.inf]), np.array([math.nan, math.inf], np.float32)),
        (torch.ones(1).expand(3), np.ones(3, np.float32)),
    ],
    ids=count(),
)
def test_tensors_come_back_as_tensors(tensor: torch.Tensor, array: np.ndarray) -> None:
    """Gradients, conjugation bits, strides and bfloat16 make no difference to the values."""
    assert same(decode(encode((tensor, 1))), (Tensor(array), 1))
    back = decode(encode([tensor]), torch=torch)[0]
    assert isinstance(back, torch.Tensor)
    assert np.array_equal(back.numpy(), array, equal_nan=array.dtype.kind == "f")


def test_a_parents_tensor_goes_out_as_a_tensor() -> None:
    """`Tensor` is a tensor to the other side, so that the parent need not import torch."""
    back = decode(encode(Tensor(np.ones((2, 2)))), torch=torch)
    assert isinstance(back, torch.Tensor)
    assert back.dtype is torch.float64


def test_subclasses_become_what_they_are_underneath() -> None:
    """No type of the student's own crosses: named tuples, str, int, list, dict and array subclasses lose their class."""

    class Text(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "lie"

    class Number(int):
        def __int__(self) -> int:
            return 7

    class Items(list):
        pass

    class Table(dict):
        pass

    class Matrix(np.ndarray):
        pass

    tree = [Point(1, 2.0), Text("truth"), Number(3), Items([1]), Table(a=1), np.ones(2).view(Matrix), np.ma.ones(2)]
    back = decode(encode(tree))
    assert same(back[:2], [(1, 2.0), "truth"])
    assert [type(item) for item in back] == [tuple, str, int, list, dict, np.ndarray, np.ndarray]


@pytest.mark.parametrize(
    ("value", "type_name"),
    [
        (object(), "object"),
        ({1, 2}, "set"),
        (b"bytes", "bytes"),
        (1 + 2j, "complex"),
        ({(1, 2): 3}, "dict"),
        (lambda: None, "function"),
        (2**64, "very large int"),
        (-(10**4000), "very large int"),
        (np.array([1 + 2j]), "array of complex128"),
        (np.array(["text"]), "array of <U4"),
        (np.array([None]), "array of object"),
        (np.array(["2020-01-01"], "M8[D]"), "array of datetime64[D]"),
        (np.zeros(1, [("a", "f8")]), "array of [('a', '<f8')]"),
        (np.zeros((1,) * 17), "array of float64"),
        (torch.device("cpu"), "device"),
    ],
    ids=count(),
)
def test_what_is_not_data_travels_as_its_types_name(value: object, type_name: str) -> None:
    """Nothing but a name comes through, so that the message can say what it was."""
    assert decode(encode([value]))[0] == Opaque(type_name)


@pytest.mark.parametrize(
    "tensor",
    [torch.zeros(2, dtype=torch.complex64), torch.eye(2).to_sparse(), torch.zeros(2, device="meta")],
    ids=["complex", "sparse", "meta"],
)
def test_tensors_without_plain_values_are_not_data(tensor: torch.Tensor) -> None:
    """A tensor that numpy cannot hold is named, and does not fail."""
    assert isinstance(decode(encode([tensor]))[0], Opaque)


def test_numpy_strings_and_keys_are_plain_ones() -> None:
    """What numpy hands out for a word or an index is that word or index."""
    assert same(decode(encode({np.int64(3): np.str_("text"), np.str_("a"): 1})), {3: "text", "a": 1})


def test_long_doubles_become_doubles() -> None:
    """Extended precision is rounded, not refused."""
    assert same(decode(encode(np.ones(2, np.longdouble))), np.ones(2))


def test_a_hostile_type_name_is_cut() -> None:
    """A type's name may be any text; only its beginning travels."""
    assert decode(encode(type("x" * 1000, (), {})())) == Opaque("x" * 80)
    assert decode(encode(type("", (), {})())) == Opaque("")


def test_code_is_evaluated_only_where_that_is_asked_for() -> None:
    """A grader's expression becomes what it says in the worker; anywhere else it is refused."""
    assert unpack(pack(Code("1 + 1", "two"), {}), {}).label == "two"
    assert decode(encode([Code("1 + 1", "two")]), evaluate=evaluate) == [2]
    blob = encode([Code("1 + 1")])
    assert decode(blob, evaluate=len) == [5]
    refused(blob)


# What does not fit is refused on the way out.


def test_a_cycle_is_refused() -> None:
    """A list that holds itself ends at the depth limit."""
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(WireError, match="deep"):
        encode(loop)


def test_depth_is_limited_on_both_sides() -> None:
    """As deep as the limit allows, and not one deeper."""
    tree: Any = 0
    for _ in range(wire_format.MAX_DEPTH):
        tree = [tree]
    assert same(decode(encode(tree)), tree)
    with pytest.raises(WireError, match="deep"):
        encode([tree])
    node: Any = 0
    for _ in range(wire_format.MAX_DEPTH + 1):
        node = {"list": [node]}
    refused(tree_message(node))


def test_leaves_are_limited_on_both_sides() -> None:
    """Ten thousand numbers belong in an array."""
    with pytest.raises(WireError, match="10000 values"):
        encode([0] * (wire_format.MAX_LEAVES + 1))
    refused(tree_message({"list": [0] * (wire_format.MAX_LEAVES + 1)}))


def test_text_is_limited() -> None:
    """Much text is refused, so that the header stays readable."""
    with pytest.raises(WireError, match="text"):
        encode("x" * (wire_format.MAX_HEADER + 1))


def test_size_is_limited_before_anything_is_copied() -> None:
    """An array over the limit is refused by its size alone, also one that takes no memory yet."""
    with pytest.raises(WireError, match="MB"):
        encode([np.zeros(1 << 18)], limit=1 << 20)
    with pytest.raises(WireError, match="MB"):
        encode([np.broadcast_to(1.0, (1 << 20, 1 << 20))], limit=1 << 20)
    assert len(encode([np.zeros(1 << 16)], limit=1 << 20)) > 1 << 19


@given(TREES)
def test_a_snapshot_is_what_comes_back(tree: Any) -> None:
    """Whatever the tree holds, with the bytes or without; what is no data and huge whole numbers included."""
    odd = [np.array([object()]), np.zeros(2, complex), np.zeros((1,) * 17), np.arange(3, dtype=">f8"), object(), 2**99]
    for each in (tree, odd, *odd, tuple(odd[:4])):
        assert same(snapshot(each), decode(encode(each)))
    assert encode(snapshot([tree, object(), 2**99], 1 << 20)) == encode([tree, object(), 2**99])
    assert encode(snapshot(tree, 1 << 20)) == encode(tree)


def test_a_snapshot_stays_as_it_was() -> None:
    """Arrays, tensors, lists and dicts that are changed afterwards change nothing, views of another array neither."""
    array, tensor, inner = np.zeros((2, 3)), torch.zeros(2), [1]
    trees = [array, (array, array.T), {"value": [array, tensor, inner]}]
    before, taken = [encode(tree) for tree in trees], [snapshot(tree, 1 << 20) for tree in trees]
    array += 1
    tensor += 1
    inner.append(2)
    assert [encode(tree) for tree in taken] == before
    assert not set(before) & {encode(tree) for tree in trees}


@pytest.mark.parametrize("wrapped", [lambda a: a, lambda a: (a, a), lambda a: [{"all": a}]])
def test_a_snapshot_that_is_too_large_is_not_taken(wrapped: Any) -> None:
    """Nothing is copied that would not be sent."""
    with pytest.raises(WireError, match="MB"):
        snapshot(wrapped(np.broadcast_to(1.0, (1 << 20, 1 << 20))), 1 << 20)


# What a hostile child may send.


@given(st.binary(max_size=400))
@example(b"")
@example(b"\x00" * 8)
@example(b"\xff" * 16)
@example(struct.pack("<Q", 2) + b"{}")
def test_arbitrary_bytes_are_refused_or_a_tree(blob: bytes) -> None:
    """Whatever the bytes are, there is no other exception."""
    with contextlib.suppress(WireError):
        decode(blob)


SAMPLE = encode(
    {"event": "outcome", "value": [np.arange(6.0).reshape(2, 3), (1, "x", math.nan)], "args": [Tensor(np.ones(2))]}
)


@given(
    st.lists(st.tuples(st.integers(0, len(SAMPLE) - 1), st.integers(0, 255)), min_size=1, max_size=6),
    st.integers(-20, 20),
)
def test_mutated_messages_are_refused_or_a_tree(changes: list[tuple[int, int]], cut: int) -> None:
    """A message with bytes changed, cut off or added is a tree or a WireError."""
    blob = bytearray(SAMPLE)
    for at, value in changes:
        blob[at] = value
    blob = blob[:cut] if cut < 0 else blob + bytes(cut)
    with contextlib.suppress(WireError):
        decode(bytes(blob), torch=torch)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["a0", "_", "nan"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["list", "tuple", "dict", "float", "opaque", "array", "scalar", "tensor", "other"]),
            inner,
            max_size=2,
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_tree_json_is_refused_or_a_tree(node: Any) -> None:
    """Nodes with contents of the wrong kind raise WireError alone, and what comes through is data of known types."""
    try:
        tree = decode(tree_message(node, [["f8", [2]]], bytes(16)))
    except WireError:
        return
    known = (list, tuple, dict, str, bool, int, float, type(None), np.ndarray, np.generic, Tensor, Opaque)
    stack = [tree]
    while stack:
        item = stack.pop()
        assert isinstance(item, known)
        stack += item if isinstance(item, list | tuple) else item.values() if isinstance(item, dict) else []


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*wire_format.CODES, "O", "V8", "<f8", "", None, 3, []]),
            st.lists(st.integers(-3, 2**65) | st.sampled_from([0, 1, 2, 4, True, 1.0, "2"]), max_size=4)
            | st.sampled_from(["", 3, None, {}]),
        ),
        max_size=3,
    )
)
def test_lying_headers_are_refused_or_harmless(parts: list[Any]) -> None:
    """Shapes and types that do not fit the data never reach memory that is not there."""
    blob = tree_message({"array": "a0"}, parts, bytes(32))
    try:
        array = decode(blob)
    except WireError:
        return
    assert array.nbytes <= 32


@pytest.mark.parametrize(
    "blob",
    [
        message({}),
        message([]),
        message(None),
        message({"tree": 0}),
        message({"parts": []}),
        tree_message("["),
        tree_message({"array": "missing"}),
        tree_message({"list": [], "tuple": []}),
        tree_message({}),
        tree_message([]),
        tree_message({"other": 1}),
        tree_message({"float": "1.5"}),
        tree_message({"list": "text"}),
        tree_message({"tuple": {"list": []}}),
        tree_message({"dict": [[{"list": []}, 1]]}),
        tree_message({"dict": [[1, 2, 3]]}),
        tree_message("1" * 5000),
        tree_message(str(2**64)),
        tree_message(str(-(2**64))),
        tree_message("[" * 100_000 + "]" * 100_000),
        tree_message('{"list":[' * 20_000 + "]}" * 20_000),
        tree_message({"scalar": "a0"}, [["f8", [2]]], bytes(16)),
        tree_message({"array": "a0"}, [["f8", [1 << 40]]], bytes(8)),
        tree_message({"array": "a0"}, [["f8", [1 << 64, 0]]], bytes(8)),
        tree_message({"array": "a0"}, [["f8", [1] * 33]], bytes(8)),
        tree_message({"array": "a0"}, [["bf16", [1]]], bytes(2)),
        tree_message({"array": "a0"}, [["O", [1]]], bytes(8)),
        tree_message({"array": "a0"}, [["f8", [-1, -1]]], bytes(8)),
        tree_message({"array": "a0"}, [["f8", [True]]], bytes(8)),
        tree_message({"array": "a0"}, [["f8", [1.0]]], bytes(8)),
        tree_message({"array": "a0"}, [["f8", [2]]], bytes(8)),
        tree_message({"array": "a1"}, [["f8", [1]], ["f8", [1]]], bytes(8)),
        tree_message({"array": "a0"}, [["f4", [1]]], bytes(8)),
        tree_message({"array": "a0"}, [["f8"]], bytes(8)),
        tree_message({"array": "a0"}, {"f8": [1]}, bytes(8)),
        tree_message({"array": "a0"}, "f8", bytes(8)),
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 100) + b"{}",
        SAMPLE + b"trailing",
        SAMPLE[:-1],
        message(None, raw=b"\xff\xfe"),
    ],
    ids=count(),
)
def test_known_tricks_are_refused(blob: bytes) -> None:
    """Deep or huge JSON, shapes that overflow or are larger than the data, an array at two places, bytes left over."""
    refused(blob)


def test_a_huge_header_is_refused_unread() -> None:
    """A header over the limit is refused even if it is all there."""
    refused(message({"tree": 1, "parts": [], "padding": "x" * wire_format.MAX_HEADER}))


def test_too_many_arrays_are_refused() -> None:
    """The number of arrays is bounded before any is made."""
    refused(tree_message(1, [["u1", [0]]] * (wire_format.MAX_LEAVES + 1)))
    assert decode(tree_message(1, [["u1", [0]]] * wire_format.MAX_LEAVES)) == 1


def test_a_byte_that_is_no_boolean_becomes_one() -> None:
    """Whatever the byte, what is made of it is True or False."""
    (array,) = decode(tree_message({"list": [{"array": "a0"}]}, [["b1", [3]]], bytes([0, 1, 255])))
    assert array.view(np.uint8).tolist() == [0, 1, 1]


def test_a_kind_that_stands_twice_is_the_last_one() -> None:
    """Of the tree's text there is one reader alone, so that no two can differ about it."""
    assert decode(tree_message('{"list": [1], "list": [2]}')) == [2]
    refused(tree_message('{"list": [1], "tuple": [2]}'))


@pytest.mark.parametrize("kind", ["array", "tensor", "scalar"])
def test_an_array_stands_at_one_place(kind: str) -> None:
    """Few bytes that name one array often would be gigabytes in a copy of the tree; what is sent twice travels twice."""
    refused(tree_message({"list": [{kind: "a0"}, {kind: "a0"}]}, [["f8", [1]]], bytes(8)))
    shared = np.ones(3)
    assert same(decode(encode([shared, shared])), [shared, shared])


@dataclasses.dataclass(slots=True)
class _Pair:
    values: np.ndarray
    inner: Any


class _Failing(_Pair):
    @property
    def inner(self) -> Any:
        raise RuntimeError

    @inner.setter
    def inner(self, value: Any) -> None:
        del value


def test_a_dataclass_travels_as_its_fields() -> None:
    """By name and in order, also one inside another; a field that cannot be read leaves its type's name."""
    found = decode(encode([_Pair(np.ones(2), _Pair(np.zeros(1), "in"))]))[0]
    assert list(found) == ["values", "inner"]
    assert found["values"].tolist() == [1.0, 1.0]
    assert found["inner"] == {"values": np.zeros(1), "inner": "in"}
    assert decode(encode(_Failing(np.ones(2), 1))) == Opaque("_Failing")
    assert decode(encode(_Pair)) == Opaque("type")
