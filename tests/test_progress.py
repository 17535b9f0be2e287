"""A grading shows how far it is: on a terminal, in a log, and to programs."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace

import pytest
from rich.console import Console

from autograder.classroom.watch import Mark, Step
from autograder.command.progress import Bar, Events, Lines, watch_on

GOOD, BAD = Mark("ann", "graded", 7.0, 7.0), Mark("tom", "unreadable", 0.0, 7.0)


def test_lines_in_a_log() -> None:
    """What is to be done, then how far it is, and the end."""
    said: list[str] = []
    with Lines(said.append, seconds=0.0) as watch:
        watch.start(3, 2)
        for mark in (GOOD, BAD, GOOD):
            watch.graded(mark)
    assert said[0] == "3 to grade, 2 unchanged"
    assert said[1].startswith("1 of 3 graded (33 %), ")
    assert "left" in said[1]
    assert said[2].startswith("2 of 3 graded (66 %), ")
    assert "1 could not be graded" in said[2]
    assert said[3].startswith("3 of 3 graded (100 %)")
    assert "left" not in said[3]


def test_lines_are_few() -> None:
    """A class of thousands fills no log."""
    said: list[str] = []
    with Lines(said.append) as watch:
        watch.start(3000, 0)
        for _ in range(3000):
            watch.graded(GOOD)
    assert len(said) == 2


def test_events_for_programs() -> None:
    """One JSON object a line, with what came of whom and how far it is."""
    stream = io.StringIO()
    with Events(stream) as watch:
        watch.start(2, 1)
        watch.graded(GOOD)
        watch.graded(BAD)
        watch.tell("done", seconds=1.5)
    start, first, second, done = map(json.loads, stream.getvalue().splitlines())
    assert start == {"event": "start", "todo": 2, "kept": 1}
    assert first == {
        "event": "graded", "student": "ann", "status": "graded", "score": 7.0, "max_score": 7.0,
        "done": 1, "todo": 2, "failed": 0,
    }  # fmt: skip
    assert (second["student"], second["done"], second["failed"]) == ("tom", 2, 1)
    assert done == {"event": "done", "seconds": 1.5}


def test_a_bar_on_a_terminal() -> None:
    """Done, how many, the rate and the failures so far; it is wiped off at the end."""
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120)
    with watch_on(console) as watch:
        assert isinstance(watch, Bar)
        watch.start(3, 0)
        watch.graded(GOOD)
        watch.graded(BAD)
        watch._bar.refresh()
    for words in ("grading", "2/3", "/s", "1 could not be graded"):
        assert words in stream.getvalue()
    assert isinstance(watch_on(Console(file=io.StringIO())), Lines)


def test_trainings_show_how_far_they_are() -> None:
    """Who trains what, and how far it is, stands beside the bar, in a quiet log, and among the events, which are not many."""
    stream, events = io.StringIO(), io.StringIO()
    said: list[str] = []
    shows = Bar(Console(file=stream, force_terminal=True, width=160)), Lines(said.append, seconds=0.0), Events(events)
    for watch in shows:
        with watch:
            watch.start(60, 0)
            watch.training(Step("bob", "train_sort", 7, 500, 2.5))
            for step in (119, 120):
                watch.training(Step("ada", "train_sort", step, 500, 1.9321))
            watch.graded(replace(GOOD, student="bob"))
            watch.training(Step("ada", "train_sort", 240, 500, 0.5))
    assert "1 running: ada train_sort 240 of 500 (loss 0.5)" in stream.getvalue()
    assert "1/60" in stream.getvalue()
    both = "0 of 60, 2 running: ada train_sort 120 of 500 (loss 1.93), bob train_sort 7 of 500 (loss 2.5)"
    assert both in said
    assert said[-1] == "1 of 60, 1 running: ada train_sort 240 of 500 (loss 0.5)"
    (training,) = [line for line in map(json.loads, events.getvalue().splitlines()) if line["event"] == "training"]
    step = {
        "student": "bob",
        "exercise": "train_sort",
        "step": 7,
        "steps": 500,
        "loss": 2.5,
        "reference": False,
        "running": 1,
    }
    assert training == {"event": "training", **step}


def test_a_loss_that_diverges_is_null_among_the_events() -> None:
    """JSON has no infinity, and a reader of events is no training's victim."""
    events = io.StringIO()
    with Events(events) as watch:
        watch.start(1, 0)
        watch.training(Step("ada", "train_sort", 0, 500, math.inf))
    assert json.loads(events.getvalue().splitlines()[-1], parse_constant=pytest.fail)["loss"] is None
