"""Pictures: what is kept of an answer to draw, and that the drawing is well-formed, labelled and harmless."""

from __future__ import annotations

import json
import math
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.course.spec import Answer, Plot
from autograder.feedback.svg_charts import chart
from autograder.judge.compare import difference
from autograder.judge.picture import (
    LEAST,
    MAX_POINTS,
    MAX_SIDE,
    TOLD,
    Heat,
    Lines,
    as_json,
    from_json,
    heat_map,
    plotted,
    training_picture,
)
from autograder.sandbox.child.tree import Tensor

EXPECTED = np.arange(12.0).reshape(3, 4)


def drawn(picture: Any) -> ET.Element:
    """Return the drawing of a picture, as results hold it, as a tree."""
    read = from_json(json.loads(json.dumps(as_json(picture))))
    assert read is not None
    return ET.fromstring(str(chart(read)))  # noqa: S314 (our own)


def heat(got: Any, expected: Any) -> Heat:
    """Return the heat map of a difference."""
    finding = difference(got, expected)
    assert finding is not None
    picture = heat_map(finding)
    assert picture is not None
    return picture


def test_a_heat_map_shows_both_and_marks_what_differs() -> None:
    """Every entry is a cell, and the one that differs has a border of its own and a number."""
    got = EXPECTED.copy()
    got[1, 2] = -60
    tree = drawn(heat(got, EXPECTED))
    assert len(tree.findall(".//rect")) == 24
    (off,) = [cell for cell in tree.iter("rect") if "off" in cell.attrib["class"]]
    assert off.attrib["class"] == "minus off"
    assert "-60" in [text.text for text in tree.iter("text")]
    assert "1 of 12 numbers differ" in (tree.findtext("figcaption") or "")


def test_of_more_axes_the_part_that_differs_is_drawn() -> None:
    """The first two axes are fixed where the first difference is."""
    expected = np.zeros((2, 3, 4, 5))
    got = expected.copy()
    got[1, 2, 0, 0] = 1
    picture = heat(Tensor(got), Tensor(expected))
    assert picture.place == "[1, 2]"
    assert np.shape(picture.yours) == (4, 5)


def test_a_large_answer_is_cut_around_the_difference() -> None:
    """The part that is kept holds the first entry that differs."""
    expected = np.zeros((200, 100))
    got = expected.copy()
    got[150, 90] = 1
    picture = heat(got, expected)
    assert np.shape(picture.yours) == (MAX_SIDE, MAX_SIDE)
    assert np.sum(picture.yours) == 1


@pytest.mark.parametrize("got", [np.zeros(LEAST - 1), np.zeros((3, 5)), "text", None, np.array(["a"] * 9)])
def test_what_is_small_or_no_array_of_the_shape_is_not_drawn(got: Any) -> None:
    """The message says it all."""
    expected = np.ones(LEAST - 1) if isinstance(got, np.ndarray) and got.shape == (LEAST - 1,) else EXPECTED
    finding = difference(got, expected)
    assert finding is not None
    assert heat_map(finding) is None


def test_what_is_not_finite_is_a_cell_of_its_own() -> None:
    """NaN and infinities are no numbers in JSON."""
    got = EXPECTED.copy()
    got[0, 0] = math.nan
    got[2, 3] = math.inf
    picture = heat(got, EXPECTED)
    assert picture.yours[0][0] is None
    assert [t.text for t in drawn(picture).iter("text")].count("NaN/∞") == 2


def test_curves_are_thinned_and_keep_their_ends() -> None:
    """Of two thousand steps some hundreds are drawn, the last among them."""
    steps = [(step, 1 / (step + 1)) for step in range(2000)]
    picture = training_picture(steps, steps)
    (_, mine), (_, curve) = picture.curves
    assert len(mine) <= TOLD + 1
    assert len(curve) <= MAX_POINTS + 1
    assert (curve[0][0], curve[-1][0]) == (1, 2000)
    assert len(drawn(picture).findall(".//polyline")) == 2


def test_a_row_of_each_call_is_plotted() -> None:
    """Zeros and what is not finite are left out of a logarithmic axis; an answer without a row has no line."""
    plot = Plot("norm", ("small", "large"), lambda value: value[0])
    answers = [Answer((Tensor(np.array([1.0, 0.0, math.inf, 10.0])),)), Answer("nothing")]
    picture = plotted(plot, answers, answers)
    assert picture == Lines(
        (("yours, small", ((0, 1.0), (3, 10.0))), ("expected, small", ((0, 1.0), (3, 10.0)))), "t", "norm", log=True
    )


def test_a_row_that_fails_costs_its_line_alone() -> None:
    """A case's author wrote it for what students plausibly return; a picture is worth no grade."""
    plot = Plot("norm", ("small", "large"), lambda value: (value[0] ** 2).sum(-1))
    answers = [Answer((0.0,)), Answer((Tensor(np.ones((2, 3))),))]
    picture = plotted(plot, answers, answers[1:] * 2)
    assert picture
    assert [name for name, _ in picture.curves] == ["expected, small", "yours, large", "expected, large"]


@given(hnp.arrays("f8", hnp.array_shapes(min_dims=1, max_dims=3, max_side=7)), st.text(max_size=9))
@example(np.array([1.7e308, -1.7e308, 1.0]), "huge")
@example(np.array([1.7975e308]), "only huge")
@example(np.array([5e-324, 1e-300]), "tiny")
def test_any_numbers_and_names_make_a_well_formed_figure(array: np.ndarray, name: str) -> None:
    """Whatever a student returned or called it, the page stays a page."""
    finding = difference(array, np.nan_to_num(array) * 0.5 + 1)
    picture = heat_map(finding) if finding else None
    if picture:
        drawn(picture)
    label = "".join(c for c in name if c.isprintable())
    picture = plotted(Plot(label, ("<script>",)), [Answer(array)], [Answer(array)])
    if picture and any(curve for _, curve in picture.curves):
        assert not list(drawn(picture).iter("script"))


def test_curves_that_agree_are_both_seen() -> None:
    """The student's is broad and pale, the other thin; a further pair has another colour and dash."""
    row = ((0, 1.0), (9, 2.0))
    names = ("yours, W = 1", "expected, W = 1", "yours, W = 2", "expected, W = 2")
    styles = [
        line.attrib["class"] for line in drawn(Lines(tuple((name, row) for name in names), "t", "y")).iter("polyline")
    ]
    assert styles == ["yours pair0", "theirs pair0", "yours pair1", "theirs pair1"]
    styles = [line.attrib["class"] for line in drawn(training_picture(row, row)).iter("polyline")]
    assert styles == ["yours pair0", "theirs pair0"]


def test_words_name_the_rows_and_columns_that_stand_for_them() -> None:
    """Attention weights are a grid of words; an axis of another length, or a part that was cut, keeps what fits."""
    words = ("I", "<like>", "pizza")
    grid = np.eye(3)
    square, tall = (difference(grid[:, :n] + 1, grid[:, :n]) for n in (3, 2))
    assert square is not None
    assert tall is not None
    picture = heat_map(square, words)
    assert picture is not None
    assert (picture.rows, picture.columns) == (words, words)
    assert [text.text for text in drawn(picture).iter("text")].count("<like>") == 4
    picture = heat_map(tall, words)
    assert picture is not None
    assert (picture.rows, picture.columns) == (words, ())
    long = tuple(f"w{n}" for n in range(200))
    cut = np.zeros((200, 3))
    cut[150] = 1
    finding = difference(cut, np.zeros((200, 3)))
    assert finding is not None
    picture = heat_map(finding, long)
    assert picture is not None
    assert len(picture.rows) == MAX_SIDE
    assert "w150" in picture.rows
    assert from_json(json.loads(json.dumps(as_json(picture)))) == picture
