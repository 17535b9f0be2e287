"""What a child is handed: data of the grader's as it was, and nothing else."""

from __future__ import annotations

import os
import pickle
import struct
from typing import Any

import numpy as np
import pytest
import torch

from autograder.sandbox.child.job_parts import read_part, write_part
from autograder.sandbox.child.tree import Code, Tensor
from autograder.sandbox.child.wire_format import WireError, decode, encode


def test_a_part_is_read_as_the_codec_reads_a_tree() -> None:
    """The same containers, numbers, dtypes and shapes, whatever the layout in memory."""
    tree = {
        "numbers": [1, -2.5, float("nan"), True, None, "text", 2**63, np.float32(0.1)],
        "arrays": (np.arange(6).reshape(2, 3).T, np.zeros((0, 2)), np.array(1.5), np.arange(3, dtype=">f8")),
    }
    read, right = read_part(write_part(tree)), decode(encode(tree))
    assert repr(read) == repr(right)
    assert [a.dtype for a in read["arrays"]] == [a.dtype for a in right["arrays"]]


def test_an_array_at_two_places_is_two_arrays() -> None:
    """A student who changes one argument in place changes no other one, and none of another call."""
    array, inner = np.zeros(3), [0]
    first, second = read_part(write_part([(array, array, inner), (array, inner)]))
    first[0][:] = 1
    first[2].append(1)
    assert not any(each.any() for each in (first[1], second[0]))
    assert second[1] == [0]


def test_large_arrays_come_as_they_were() -> None:
    """Beside small ones, in order, each with memory of its own that can be written to."""
    large = [np.arange(n, dtype=dtype).reshape(2, -1) for n, dtype in ((20_000, "f8"), (90_000, "i2"), (80_000, "u1"))]
    part = write_part([large[0], np.ones(2), Tensor(large[1]), large[2], large[0]])
    first, small, tensor, third, again = read_part(part)
    assert len(part) < sum(each.nbytes for each in (*large, large[0])) + 1000
    assert all(map(np.array_equal, (first, tensor.numpy(), third, again), (*large, large[0])))
    assert third.dtype == np.uint8
    first[:] = 0
    assert again.any()
    assert small.tolist() == [1.0, 1.0]


def test_tensors_and_functions_are_made_where_they_are_read() -> None:
    """The grader needs no torch for its side."""
    tensor, double = read_part(write_part((Tensor(np.ones((1, 2), np.float32)), Code("lambda x: 2 * x", "doubling"))))
    assert torch.equal(tensor, torch.ones(1, 2))
    assert double(4) == 8


@pytest.mark.parametrize("thing", [object(), lambda: 0, np.array([object()], dtype=object)])
def test_what_is_no_data_is_told_as_such(thing: Any) -> None:
    """A student's own value may be handed to another function of theirs; what is no data there is none here."""
    assert repr(read_part(write_part([thing]))) == repr(decode(encode([thing])))


def test_too_much_is_refused() -> None:
    """The bounds are the codec's."""
    with pytest.raises(WireError, match="10000 values"):
        write_part([0] * 10_001)


class Calls:
    """Something that calls a function when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Say what to call."""
        return os.getcwd, ()


def test_reading_makes_data_alone() -> None:
    """Nothing that is pickled by another hand runs."""
    with pytest.raises(pickle.UnpicklingError, match="no part of a job"):
        read_part(struct.pack("<Q", len(blob := pickle.dumps([1, Calls()]))) + blob)
