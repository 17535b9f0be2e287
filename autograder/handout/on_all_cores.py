"""Do the same with many things that the oracle is asked about, on all cores."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

from autograder.sandbox.child.tree import imported_torch
from autograder.sandbox.machine import cores

T = TypeVar("T")
R = TypeVar("R")
Tracked = Callable[[Sequence[Any]], Iterable[Any]]


def on_all_cores(
    do: Callable[[T], R], things: Sequence[T], tracked: Tracked, *, least: int = 1, at_once: int = 1
) -> Iterator[tuple[T, R]]:
    """Yield each thing with what comes of it, in order.

    Where processes can be forked, each has `least` of them to do, and is given `at_once`; it has all that `do` knows as it is now. `tracked`
    goes through the things, and may show how far it is.
    """
    count = min(cores(), len(things) // least) if sys.platform == "linux" else 1
    if count < 2:
        yield from ((thing, do(thing)) for thing in tracked(things))
        return
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("fork"), _begin, (do,))
    try:
        found = pool.map(_do_here, things, chunksize=at_once)
        yield from ((thing, next(found)) for thing in tracked(things))
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C what is left is not done


_here: list[Callable[[Any], Any]] = []  # what this process does


def _begin(do: Callable[[Any], Any]) -> None:
    """Begin a process, which has one thread. Ctrl-C is told by the process that asked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if torch := imported_torch():
        torch.set_num_threads(1)
    _here.append(do)


def _do_here(thing: Any) -> Any:
    return _here[-1](thing)
