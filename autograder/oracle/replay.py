"""Run the reference with the student's answers in the place of some of its functions and modules.

The first questions of all trials, which depend on no answer, are asked together; the others when a replay comes to them. Answers may be hostile, so their number, their size and the steps that the reference takes with them are bounded.
Whether they can be trusted, `evidence.py` finds out.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from autograder.judge.trials import MOST_KEPT, T, Trial
from autograder.oracle.answer_sizes import Size, fits, size_of
from autograder.oracle.calls_here import RANDOM, random_state, run_request, set_random_state, to_worker
from autograder.oracle.conversation import Ask
from autograder.oracle.fresh_program import quiet
from autograder.oracle.reference import Reference
from autograder.oracle.step_limit import MAX_STEPS, StopError, counting_steps
from autograder.oracle.student_calls import (
    Question,
    StudentCall,
    asked_by,
    digest_of,
    with_constants,
    without_objects,
)
from autograder.sandbox.child.module_call import make_call
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.tree import imported_torch, is_object
from autograder.sandbox.child.wire_format import WireError, snapshot
from autograder.sandbox.job import Ending, Outcome, Request

MAX_CALLS = 10_000  # of replaced functions, in one replay
MOST_STEPS, MOST_CALLS = 1_000_000, 50_000  # for one submission: some seconds; honest ones take a tenth
MOST_ASKED = 1000  # questions to one submission; a recurrence has one for each step


class SpentError(Exception):
    """Says that a submission has used up the reference's work on its answers."""


@dataclass
class Replay:
    """Runs trials on the reference, in which the student's code answers calls of the exercises in `wrong`."""

    oracle: Reference
    wrong: frozenset[str]
    scrambled: frozenset[str] = frozenset()  # those whose answers are scrambled
    asked: set[str] = field(default_factory=set)  # in the latest replay
    used: dict[Question, None] = field(default_factory=dict)  # questions of the latest replay, in order
    _failed: Outcome | None = None  # of a called exercise that did not return, in the latest call
    _calls: int = 0  # in the latest call
    _steps: int = 0  # of the reference, in the latest call
    _all_steps: int = 0  # so far
    _all_calls: int = 0
    _backward: bool = False  # whether the latest call asks for gradients
    _known: dict[Question, Outcome] = field(default_factory=dict)
    _ask: Ask | None = None
    _noted: list[StudentCall] | None = None  # calls so far, while `calls` collects them

    def __post_init__(self) -> None:
        self._program: Program = self.oracle.own_reference()
        self._reference = vars(self.oracle.reference().module)
        members = vars(self._program.module)
        self._originals = {name: members[name] for name in self.wrong if isinstance(members.get(name), FunctionType)}
        self._classes = {name: members[name] for name in self.wrong if isinstance(members.get(name), type)}
        self._forwards = {name: cls.forward for name, cls in self._classes.items() if hasattr(cls, "forward")}
        for name in self._forwards:
            _remember_arguments(self._classes[name])

    def outcomes(self, trial: Trial, ask: Ask | None = None) -> tuple[Outcome, ...]:
        """Return the outcomes of a trial; `ask` has calls answered. Without it a call ends at the first unknown answer."""
        return self.outcomes_of(trial.requests, trial.case.exercise, ask)

    def outcomes_of(self, requests: Sequence[Request], exercise: str, ask: Ask | None = None) -> tuple[Outcome, ...]:
        """Return the outcomes of calls for an exercise, as `outcomes` does."""
        self.asked, self.used, self._ask = set(), {}, ask
        members = vars(self._program.module)
        for name, original in self._originals.items():
            members[name] = original if name == exercise else self._question(name)
        for name, forward in self._forwards.items():
            self._classes[name].forward = forward if name == exercise else self._module_question(name)
        found: list[Outcome] = []
        with RANDOM:
            for number, request in enumerate(requests):
                self._failed, self._calls, self._steps = None, 0, 0
                self._backward = bool(request.module and request.module["cotangents"])
                with self._counted():
                    outcome = run_request(self._program, request, first=not number)
                found.append(self._failed.told(curve=outcome.curve) if self._failed else outcome)
        return tuple(found)

    def begin(self, trials: Iterable[Trial], ask: Ask) -> None:
        """Have the first questions of trials answered, all at once."""
        first: dict[Question, StudentCall] = {}
        for trial in trials:
            key = "first", trial, self.wrong_in(trial)
            first |= self.kept(key, functools.partial(self._first_questions, trial), dict[Question, StudentCall]())
        if first:
            self._known |= zip(first, ask(list(first.values())), strict=True)

    def _first_questions(self, trial: Trial) -> dict[Question, StudentCall]:
        self.outcomes(trial)
        return {question: asked_by(question) for question in self.used}

    def calls(self, trial: Trial) -> tuple[StudentCall, ...]:
        """Return the calls of wrong exercises that the reference makes in a trial when it gets its own answers."""
        return self.kept(("calls", trial, self.wrong_in(trial)), lambda: self._noted_calls(trial), ())

    @property
    def spent(self) -> bool:
        """Whether the reference has worked as long as it may for one submission; what it says from there on is cut off."""
        return self._all_steps > MOST_STEPS or self._all_calls > MOST_CALLS

    def kept(self, key: tuple[Hashable, ...], make: Callable[[], T], instead: T, most: int = MOST_KEPT) -> T:
        """Return what `make` gives, kept for the class; `instead`, for this submission alone, where that is spent meanwhile."""

        def whole() -> T:
            made = make()
            if self.spent:
                raise SpentError
            return made

        try:
            return self.oracle.kept(key, whole, most)
        except SpentError:
            return instead

    def wrong_in(self, trial: Trial) -> frozenset[str]:
        """Return the other wrong exercises that the reference calls in a trial: all of a submission that its calls depend on."""
        called = self.oracle.kept(("called", trial), lambda: {c.co_qualname for _, c in self.oracle.calls_in(trial)})
        return self.wrong.intersection(name.partition(".")[0] for name in called) - {trial.case.exercise}

    def _noted_calls(self, trial: Trial) -> tuple[StudentCall, ...]:
        self._noted = []
        try:
            self.outcomes(trial)
            return tuple(self._noted)
        finally:
            self._noted = None

    def right(self, asked: StudentCall) -> Any:
        """Return the reference's own answer to a call. Raises ValueError where it fails or takes too long."""
        if asked.right:
            return asked.right[0]
        self._steps = 0
        try:
            with RANDOM, quiet(), self._counted():
                return self._right(asked)
        except (StopError, Exception) as error:
            raise ValueError("the reference gives nothing") from error

    def _counted(self) -> AbstractContextManager[None]:
        return counting_steps(self._step)

    def _step(self) -> None:
        self._steps += 1
        self._all_steps += 1
        if self._steps > MAX_STEPS or self._all_steps > MOST_STEPS:
            self._stop(Outcome(Ending.NOT_RUN))

    def known(self, question: Question) -> Outcome:
        """Return the answer to a question that was asked."""
        return self._known[question]

    def _question(self, name: str) -> Callable[..., Any]:
        def ask(*args: Any, **kwargs: Any) -> Any:
            return self._answer(StudentCall(name, with_constants(args), kwargs, None))

        return ask

    def _module_question(self, name: str) -> Callable[..., Any]:
        def forward(module: Any, *args: Any, **kwargs: Any) -> Any:
            made = {"init": module.made_with, "state": module.state_dict(), "method": "forward"}
            made |= {"training": module.training, "cotangents": (), "before": ()}
            return self._answer(StudentCall(name, args, kwargs, made, module))

        return forward

    def _answer(self, asked: StudentCall) -> Any:
        """Return the student's answer to a call, or stop the replay where there is no usable one."""
        self.asked.add(asked.name)
        self._calls += 1
        self._all_calls += 1
        if self._calls > MAX_CALLS or self._all_calls > MOST_CALLS:
            self._stop(Outcome(Ending.NOT_RUN))
        if self._noted is not None:
            return self._noted_answer(asked, self._noted)
        try:
            question = asked.key()
        except WireError:
            return self._right(asked)
        self.used[question] = None
        if question not in self._known:
            if not self._ask:
                raise StopError
            if len(self._known) >= MOST_ASKED:
                self._stop(Outcome(Ending.NOT_RUN))
            (self._known[question],) = self._ask([asked_by(question)])
        outcome = self._known[question]
        if outcome.ending is not Ending.RETURNED:
            self._stop(outcome)
        if not fits(size_of(outcome.value), self._size_of_right(question, asked)) or not _change_alike(
            asked.args, outcome.args
        ):
            self._stop(Outcome(Ending.NOT_RUN))
        value = to_worker(outcome.value)
        return self._with_gradient(asked, value) if self._backward and not asked.cotangents else value

    def _noted_answer(self, asked: StudentCall, noted: list[StudentCall]) -> Any:
        """Return the right answer to a call, and note the call if it is data but for generators and models."""
        args, kwargs = without_objects(asked.args, asked.kwargs)
        call: StudentCall | None = None
        with suppress(WireError):
            call = asked_by(replace(asked, args=args, kwargs=kwargs).key())
        right = self._right(asked)
        with suppress(WireError):
            if call:
                noted.append(replace(call, right=(snapshot(right),)) if call.lacks_objects else call)
        return right

    def _with_gradient(self, asked: StudentCall, value: Any) -> Any:
        """Return an answer through which gradients flow back as the student's version lets them."""
        places = [i for i, arg in enumerate(asked.args) if getattr(arg, "requires_grad", False)]
        parameters = dict(asked.owner.named_parameters()) if asked.owner is not None else {}

        def backward(cotangents: tuple[Any, ...]) -> list[Any]:
            found = self._answer(asked.backwards(cotangents))
            return [found["input_grads"][i] for i in places] + [found["param_grads"][name] for name in parameters]

        return _attached(value, [asked.args[i] for i in places] + list(parameters.values()), backward)

    def _stop(self, outcome: Outcome) -> NoReturn:
        self._failed = outcome
        raise StopError

    def _size_of_right(self, question: Question, asked: StudentCall) -> Size:
        """Return the size of the reference's own answer; it is computed again where it draws random numbers, as the student's is."""
        key = "size", digest_of(question)
        size, draws = self.oracle.kept(key, lambda: self._measured(asked))
        return size if not draws else size_of(self._right(asked))

    def _measured(self, asked: StudentCall) -> tuple[Size, bool]:
        before = random_state()
        size = size_of(self._right(asked))
        if random_state() == before:
            return size, False
        set_random_state(before)
        return size, True

    def _right(self, asked: StudentCall) -> Any:
        """Return what the reference's own version of the called exercise gives."""
        args = [arg if is_object(arg) else to_worker(arg) for arg in asked.args]
        kwargs = {name: arg if is_object(arg) else to_worker(arg) for name, arg in asked.kwargs.items()}
        module = to_worker(asked.module)
        return make_call(self._reference[asked.name], module, args, kwargs)


def _remember_arguments(cls: Any) -> None:
    """Change a class so that its objects keep their constructor arguments in `made_with`."""
    init = cls.__init__
    signature = inspect.signature(init)

    @functools.wraps(init)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        object.__setattr__(self, "made_with", bound.args[1:])
        init(self, *args, **kwargs)

    cls.__init__ = made


def _attached(value: Any, inputs: Sequence[Any], backward: Callable[[tuple[Any, ...]], Sequence[Any]]) -> Any:
    """Return an answer, a tensor or a tuple of tensors, as if it had been computed from the inputs.

    `backward` returns the gradients of the inputs for those of the outputs.
    """
    torch: Any = imported_torch()
    whole = value if isinstance(value, tuple) else (value,)
    floats = [torch is not None and torch.is_tensor(part) and part.is_floating_point() for part in whole]
    if torch is None or not inputs or not all(floats):
        return value

    class Answered(torch.autograd.Function):  # type: ignore[misc] # torch has no types for it
        @staticmethod
        def forward(_: Any, *__: Any) -> Any:
            return value

        @staticmethod
        def backward(_: Any, *cotangents: Any) -> Any:
            pairs = zip(cotangents, whole, strict=True)
            whole_cotangents = tuple(torch.zeros_like(part) if c is None else c for c, part in pairs)
            with torch.enable_grad():  # what is asked there goes back through a graph of its own
                return tuple(backward(whole_cotangents))

    return Answered.apply(*inputs)


def _change_alike(args: Sequence[Any], after: Sequence[Any]) -> bool:
    """Copy into the arguments what the student's version left in its own, and say whether the reference can go on with that."""
    for mine, theirs in zip(args, after, strict=False):
        if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray) and mine.shape == theirs.shape:
            if mine.dtype != theirs.dtype or not fits(
                size_of(theirs), size_of(mine)
            ):  # nothing that ran did the former
                return False
            mine[...] = theirs
    return True
