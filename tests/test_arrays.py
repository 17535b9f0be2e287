"""The container without a library is the library's, byte for byte."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import load as library_load
from safetensors.numpy import save as library_save

from autograder.sandbox.child.arrays import load, save

DTYPES = st.sampled_from(["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"])
ARRAYS = DTYPES.flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
)
TREES = st.dictionaries(st.from_regex(r"a[0-9]{1,3}", fullmatch=True), ARRAYS, min_size=1, max_size=5)


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    """Whether two sets of named arrays are the same to the bit."""
    return one.keys() == other.keys() and all(
        one[k].dtype == other[k].dtype and one[k].shape == other[k].shape and one[k].tobytes() == other[k].tobytes()
        for k in one
    )


@given(TREES)
def test_either_reads_what_the_other_wrote(arrays):
    """A laptop and the grader speak the same format."""
    metadata = {"tree": '{"list":[{"array":"a0"}]}'}
    assert same(load(save(arrays, metadata)), arrays)
    assert same(load(library_save(arrays, metadata=metadata)), arrays)
    assert same(library_load(save(arrays, metadata)), arrays)


@given(TREES, st.data())
def test_damaged_bytes_raise_an_ordinary_error(arrays, data):
    """Whatever is cut off or appended is noticed."""
    blob = save(arrays, {"tree": "null"})
    cut = data.draw(st.integers(0, len(blob) - 1))
    for damaged in (blob[:cut], blob + b"x"):
        with pytest.raises((ValueError, LookupError, TypeError, struct.error)):
            load(damaged)
