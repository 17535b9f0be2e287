"""What a worker of a cluster is told to load first: from then on its preloaders are forked, as the fixture `forked_preloaders` does it."""

from __future__ import annotations

from nursery import Nursery, changes

_nursery = Nursery()


def dask_setup(_worker: object) -> None:
    """Begin, in the worker's own process."""
    for module, name, value in changes(_nursery.__enter__()):
        setattr(module, name, value)


def dask_teardown(_worker: object) -> None:
    """End the process that forks them."""
    _nursery.__exit__()
