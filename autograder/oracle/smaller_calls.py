"""Find smaller calls of the same kind, in which a mistake can be followed by hand.

A case does not say which sizes belong together, such as heads and features. So one size after the other is reduced, alone or
with those that may depend on it, as far as the reference still answers. From there single sizes, and pairs of them, are
raised again. Arguments that follow from others are recomputed (`Case.anew`). The reference gives the expected values.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.course.spec import Call
from autograder.judge.checks import close
from autograder.judge.outcomes_alike import answers_of
from autograder.judge.trials import Small, Trial, make_trial
from autograder.oracle.reference import BrokenReferenceError, Reference
from autograder.oracle.resized_calls import (
    BOUNDS,
    Resizing,
    count,
    has_marks,
    has_squares,
    has_values,
    is_finite,
    resize,
    rounded,
    shaken_down,
    shaken_up,
    shapes_in,
    sizes_of,
)

SMALL = 4  # numbers in a call that is small enough
MAX_SIZES = 10  # different sizes in a call; with more the search takes too long
MAX_IN_VAIN, MAX_FOLLOWINGS, MAX_KEPT = 150, 8, 40
_UNFIT = (ArithmeticError, LookupError, TypeError, ValueError)  # what a check may raise on a resized call
_LEAST = (1, 2, 3, 4)  # what a size may be reduced to


def smaller(oracle: Reference, trial: Trial) -> tuple[Small, ...]:
    """Return smaller versions of a case's first call, the smallest first; `judge.trials.Knowledge.smaller` is the contract."""
    call = trial.calls[0]
    sizes = sizes_of(call)
    check = trial.case.check
    needed = isinstance(check, close) and not check.sees_arguments and count(call) > SMALL
    if not needed or not 0 < len(sizes) <= MAX_SIZES:
        return ()
    search = _Search(oracle, trial, call, tuple(sizes))
    return tuple(filter(None, map(search.rounded, search.found())))


@dataclass(frozen=True)
class _Step:
    """How one size was reduced: to what, which sizes with it and why, and what happened to tokens and lengths."""

    size: int
    least: int
    follow: Mapping[int, str]
    bound: str


class _Search:
    """The search for smaller calls of one trial."""

    def __init__(self, oracle: Reference, trial: Trial, call: Call, sizes: tuple[int, ...]) -> None:
        self._oracle, self._trial, self._call, self._sizes = oracle, trial, call, sizes
        self._expected = oracle.expected(trial)[:1]
        self._tried: dict[str, Small | None] = {}
        self._in_vain = 0

    def found(self) -> list[Small]:
        """Return smaller calls, the smallest first, each at most half as large as the call itself."""
        steps = self._descend()
        for raised in _raised([step.size for step in steps]):
            for to in self._ways(self._after(steps, raised)):
                self._attempt(to)
        most = count(self._call) / 2
        once = {repr(small.trial.calls[0]): small for small in reversed(self._tried.values()) if small}
        counted = [(count(small.trial.calls[0]), small) for small in reversed(once.values())]
        return [small for size, small in sorted(counted, key=lambda pair: pair[0]) if size <= most][:MAX_KEPT]

    def _ways(self, to: Resizing) -> Iterator[Resizing]:
        """Yield a resizing, then those that keep what it may have cut away: padding at the ends, a short length, a mask's row."""
        yield to
        ends = [to, replace(to, last=True)] if has_marks(self._call) else [to]
        yield from ends[1:]
        if any(kind == "cut" for kind, _, _ in to.bounds):
            wrapped = tuple(("wrap", size, new) for _, size, new in to.bounds)
            yield from (replace(end, bounds=wrapped) for end in ends)
        if has_squares(self._call):
            yield from (replace(end, one_row=True) for end in ends)

    def rounded(self, small: Small) -> Small | None:
        """Return a smaller call with one decimal if the reference answers it, else unchanged; None if noise changes its answer."""
        call = resize(small.trial.calls[0], Resizing(), rounded)
        ways = (self._made(call, f"{small.trial.case.name} and rounded"), small)
        return next((way for way in ways if way and self._is_firm(way)), None)

    def _descend(self) -> list[_Step]:
        """Reduce every size as far as possible, the largest first, in two passes: a later step may allow an earlier one more."""
        steps: list[_Step] = []
        for size in (*reversed(self._sizes), *reversed(self._sizes)):
            at = self._after(steps, {}).now(size)
            ways = itertools.product((n for n in _LEAST if n < at), self._followings(size, steps), BOUNDS)
            tried = ([*steps, _Step(size, *way)] for way in ways if has_values(self._call, way[-1], size, way[0]))
            steps = next((longer for longer in tried if self._attempt(self._after(longer, {}))), steps)
        return steps

    def _followings(self, size: int, steps: list[_Step]) -> Sequence[Mapping[int, str]]:
        """Return combinations of the sizes that may depend on one, among those without a step of their own.

        A multiple may be packed gates or the features of all heads; a sum with another size may be a concatenation.
        """
        own = {step.size for step in steps}
        why: list[list[tuple[int, str]]] = [
            [(other, "multiple")] * (other % size == 0) + [(other, "sum")] * (other - size in self._sizes) + [(0, "")]
            for other in self._sizes
            if other > size and other not in own
        ]
        found = [{other: kind for other, kind in chosen if kind} for chosen in itertools.product(*why)]
        return sorted(found, key=len, reverse=True)[:MAX_FOLLOWINGS]

    def _after(self, steps: list[_Step], raised: Mapping[int, int]) -> Resizing:
        """Return the sizes after all steps, where those in `raised` stop earlier."""
        to = Resizing()
        for step in steps:
            new, before = min(step.size, max(step.least, raised.get(step.size, 1))), to.now(step.size)
            moved = {step.size: new}
            for other, kind in step.follow.items():
                at = to.now(other)
                moved[other] = at // before * new if kind == "multiple" else max(1, at - before + new)
            bounds = () if step.bound == "stay" else ((step.bound, step.size, new),)
            to = Resizing({**to.sizes, **moved}, (*to.bounds, *bounds))
        return to

    def _attempt(self, to: Resizing) -> Small | None:
        """Return the resized call if the reference answers it; each is tried once, until too many have failed."""
        key = str(to)
        if key not in self._tried and self._in_vain < MAX_IN_VAIN:
            made = self._made(resize(self._call, to), f"{self._trial.case.name}, smaller {len(self._tried)}")
            self._tried[key] = made if made and self._is_of_its_kind(made, to) else None
            self._in_vain += self._tried[key] is None
        return self._tried.get(key)

    def _is_of_its_kind(self, small: Small, to: Resizing) -> bool:
        """Whether the sizes in the answer changed as those in the arguments did."""
        before, after = (shapes_in([o.value for o in expected]) for expected in (self._expected, small.expected))
        known = (1, *self._sizes)
        pairs = [pair for one, other in zip(before, after, strict=False) for pair in zip(one, other, strict=False)]
        other = [(size, now) for size, now in pairs if size in known and now != to.now(size)]
        # A square array that has lost its rows is still of its kind where the answer has lost them too: a weight is not.
        return all(now == 1 for _, now in other) and bool(other) == to.one_row

    def _made(self, call: Call, name: str) -> Small | None:
        anew = self._trial.case.anew
        try:
            call = replace(call, args=anew(*call.args)) if anew else call
            made = make_trial(replace(self._trial.case, name=name), (call,), self._oracle.seed)
            expected = self._oracle.expected(made)
        except (BrokenReferenceError, *_UNFIT):
            return None
        return Small(made, expected) if all(is_finite(o.value) for o in answers_of(expected)) else None

    def _is_firm(self, small: Small) -> bool:
        """Whether noise does not change the answer; after rounding, correct code may choose differently among equal values."""
        (call,), case = small.trial.calls, small.trial.case
        others = [
            self._made(resize(call, Resizing(), noise), f"{case.name}, {noise.__name__}")
            for noise in (shaken_up, shaken_down)
        ]
        right = answers_of(small.expected)
        return all(o and case.check.judge((call,), answers_of(o.expected), right) is None for o in others)


def _raised(sizes: list[int]) -> Iterator[Mapping[int, int]]:
    """Yield sizes to raise again: none, each one to 2, each pair to 2, all to 2, all to 3."""
    yield {}
    for number in (1, 2):
        yield from (dict.fromkeys(chosen, 2) for chosen in itertools.combinations(dict.fromkeys(sizes), number))
    yield from (dict.fromkeys(sizes, most) for most in (2, 3))
