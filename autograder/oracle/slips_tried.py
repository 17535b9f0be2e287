"""Run slips, and find the one that gives what a student's code gave: all on the cheapest trial that fails, and on the others what is alike there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from autograder.course.edits import changed_span
from autograder.course.spec import Misconception
from autograder.judge.answer_fingerprints import Fingerprint, fingerprint_of
from autograder.judge.array_pairs import arrays_in
from autograder.judge.mistake_pairs import MAX_FOR_PARTS, explaining_a_part
from autograder.judge.outcomes_alike import agrees, same_outcomes
from autograder.judge.reasons import Key, Slipped
from autograder.judge.sieve import Names
from autograder.judge.trials import Trial
from autograder.judge.value_trails import following, read_trail
from autograder.oracle.calls_here import RANDOM, run_requests
from autograder.oracle.fresh_program import fresh_program
from autograder.oracle.other_ways import ways_written
from autograder.oracle.reference import Reference
from autograder.oracle.slip_names import Alike, Words
from autograder.oracle.slips import Slip, Where, slips_in, written_slips
from autograder.oracle.step_limit import limited_steps
from autograder.sandbox.child.program import Program
from autograder.sandbox.job import Outcome

MOST_KEPT = 12  # exercises, and known mistakes, of which the slips are kept as code
MOST_BESIDE = 5  # known mistakes beside which slips are tried
MOST_FOLLOWED = 4  # trials in which shapes are looked at
MAX_STEPS = 5_000  # in one trial: a slip may never end


def _shapes_alike(program: Program, trials: Iterable[Trial], functions: Iterable[str]) -> Alike:
    """Return which values of some functions have the same shape, before each of their lines, in all trials that run it."""
    names = {function.rpartition(".")[2] for function in functions}
    held: dict[int, dict[str, set[object]]] = {}
    for trial in trials:
        trail = read_trail(run_requests(program, (following(trial.requests[0], statements=False),))[0].value)
        now: dict[int, dict[str, object]] = {}
        for step in trail.steps if trail else ():
            if step.function.rpartition(".")[2] in names:
                mine = now.setdefault(step.frame, {})
                for name, shape in mine.items():
                    held.setdefault(step.line, {}).setdefault(name, set()).add(shape)
                mine |= {name: (value.dtype.kind, value.shape) for name, value in step.values.items()}

    def alike(line: int, name: str) -> list[str]:
        shapes = held.get(line, {})
        return [other for other in shapes if other != name and name in shapes and shapes[other] == shapes[name]]

    return alike


def _answered(oracle: Reference, trials: Iterable[Trial]) -> frozenset[str]:
    """Return the names of what some trials return: keys of dicts, and those that their checks give."""
    names = {name for trial in trials for name in getattr(trial.case.check, "names", ())}
    paths = (path for trial in trials for outcome in oracle.expected(trial) for path in arrays_in(outcome))
    return frozenset(names | {key for path in paths for key in path if isinstance(key, str)})


def _called(oracle: Reference, trials: Iterable[Trial]) -> list[str]:
    """Return the functions of the reference that some trials run, by their dotted names: students may write all of it in one."""
    names = {code.co_qualname for trial in trials for _, code in oracle.calls_in(trial)}
    return sorted(name for name in names if "<" not in name)


class Slips:
    """The slips of an exercise, each of which can be run: in the reference and in other correct solutions, or beside a known mistake.

    Only those that say something of code which is written in another way, where they are to be `telling`.
    """

    def __init__(
        self, oracle: Reference, exercise: str, beside: Misconception | None = None, *, telling: bool = False
    ) -> None:
        assignment = oracle.assignment
        blanks = next(e.blanks for e in assignment.exercises if e.name == exercise)
        texts, kept = [assignment.reference, *(way.text for way in ways_written(oracle, exercise))], None
        if beside:
            start, end, new = changed_span(assignment.reference, beside)
            kept = start, start + len(new)
            texts = [assignment.reference[:start] + new + assignment.reference[end:]]
        trials = sorted(oracle.trials_of(exercise), key=lambda trial: trial.cost)[:MOST_FOLLOWED]
        used = [name for name in _called(oracle, trials[:1]) if beside and name not in blanks]
        functions = [*blanks, *used]
        self._programs = [fresh_program("slipping", assignment.file, text) for text in texts]
        self._where: list[Where] = []  # in each program
        self.slips: list[tuple[int, Slip]] = []  # with the number of the program
        told: frozenset[Key] | None = frozenset() if telling else None
        for number, text in enumerate(texts):
            alike = _shapes_alike(self._programs[number], trials, functions)
            words = Words.of(assignment.stub, blanks, _answered(oracle, trials), alike)
            self._where.append(Where(text, functions, words, told, kept))
            found = slips_in(self._where[-1])
            told = (told or frozenset()) | {slip.key for slip in found}
            self.slips += [(number, slip) for slip in found]

    def texts(self, key: Key) -> list[str]:
        """Return the whole programs with those slips of which this is told."""
        programs = sorted({number for number, slip in self.slips if slip.key == key})
        return [text for n in programs for told, text in written_slips(self._where[n]) if told == key]

    def key(self, number: int) -> Key:
        """Return what is told of a slip."""
        return self.slips[number][1].key

    def outcomes(self, number: int, trial: Trial) -> tuple[Outcome, ...]:
        """Return what a slip gives in a trial; nothing where that is no data, or nothing runs."""
        which, slip = self.slips[number]
        program = self._programs[which]
        names = vars(program.module)
        with RANDOM:
            own = names[slip.name]
            try:
                with limited_steps(MAX_STEPS):
                    exec(slip.code, names)  # noqa: S102 (the course's own)
                    return run_requests(program, trial.requests)
            except Exception:  # noqa: BLE001 (whatever a change does to the course's own code)
                return ()
            finally:
                names[slip.name] = own

    def gives(self, number: int, trial: Trial, got: tuple[Outcome, ...]) -> bool:
        """Whether a slip gives in a trial what came."""
        outcomes = self.outcomes(number, trial)
        return bool(outcomes) and same_outcomes(trial, got, outcomes)

    def prints(self, trial: Trial, some: Sequence[int] | None = None) -> list[Fingerprint | None]:
        """Return the fingerprints of what each gives in a trial, or of what some give; None where that says too little."""
        gave = (self.outcomes(number, trial) for number in (range(len(self.slips)) if some is None else some))
        return [(outcomes and fingerprint_of(trial, outcomes, whole=True)) or None for outcomes in gave]


def _is_told(oracle: Reference, trial: Trial, mine: Fingerprint) -> bool:
    return not trial.is_large and mine.tells_from(fingerprint_of(trial, oracle.expected(trial), whole=True))


def slip_giving(
    oracle: Reference, exercise: str, got: Mapping[Trial, tuple[Outcome, ...]], failed: Collection[Trial]
) -> Slipped | None:
    """Return a slip that gives all outcomes of an exercise, else one that does so beside a known mistake that gives some wrong numbers."""
    if key := _first_giving(oracle, exercise, None, got, failed):
        return Slipped(key)
    own: list[Names] = [(m.name,) for m in oracle.misconceptions_of(exercise)]
    soonest = sorted((trial for trial in failed if not trial.is_large), key=lambda trial: trial.cost)
    parts = explaining_a_part(oracle, own, got, tuple(soonest[:MAX_FOR_PARTS]))
    partly = [names for names in own if names in parts]
    # One that gives them all by itself needs no slip, and has no name for another reason, such as a call that crashes.
    if any(all(agrees(oracle, names, trial, got[trial]) for trial in failed) for names in partly):
        return None
    found = [
        Slipped(key, name)
        for (name,) in partly[:MOST_BESIDE]
        if (key := _first_giving(oracle, exercise, oracle.misconception(name), got, failed))
    ]
    return found[0] if len(found) == 1 else None  # else either may be what is wrong


def slips_as_mistakes(oracle: Reference, exercise: str, key: Key, beside: str) -> list[str]:
    """Return the names of misconceptions that are the slips of which this is told, alone or with a known mistake, none of two that give the same."""

    def made() -> list[str]:
        slips = Slips(oracle, exercise, oracle.misconception(beside) if beside else None)
        numbers = [number for number, (_, slip) in enumerate(slips.slips) if slip.key == key]
        asked = sorted(oracle.trials_of(exercise), key=lambda trial: trial.cost)[:MOST_FOLLOWED]
        rows = zip(*(slips.prints(trial, numbers) for trial in asked), strict=True)
        different = {tuple(each.sums.tobytes() if each else b"" for each in row): i for i, row in enumerate(rows)}
        texts, whole = slips.texts(key), oracle.assignment.reference
        names = {f"{exercise}: {' '.join(key)} {beside} {i}": texts[i] for i in sorted(different.values())}
        for name, text in names.items():
            oracle.learn(Misconception(name, exercise, whole, text, "", ""))
        return list(names)

    return oracle.kept(("slips as mistakes", exercise, key, beside), made)


def _first_giving(
    oracle: Reference,
    exercise: str,
    beside: Misconception | None,
    got: Mapping[Trial, tuple[Outcome, ...]],
    failed: Collection[Trial],
) -> Key | None:
    mine = {trial: fingerprint_of(trial, got[trial], whole=True) for trial in sorted(failed, key=lambda t: t.cost)}
    told = next(((trial, each) for trial, each in mine.items() if each and _is_told(oracle, trial, each)), None)
    if told is None:
        return None
    trial, each = told
    name = beside.name if beside else ""

    def slips() -> Slips:
        return oracle.kept(("slips", exercise, name), lambda: Slips(oracle, exercise, beside), MOST_KEPT)

    prints = oracle.kept(("prints of slips", trial, name), lambda: slips().prints(trial))
    likely = [number for number, other in enumerate(prints) if other and not each.tells_from(other)]
    if not likely:
        return None
    others = [other for other in got if other is not trial]
    found = (n for n in likely if all(slips().gives(n, t, got[t]) for t in others))
    return next(map(slips().key, found), None)
