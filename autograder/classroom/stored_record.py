"""A student's rows of a gradebook: plain data, of which another process can make the record and the code."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.classroom.record import ExerciseRecord, Kept, Override, Record, Run, Whole, compose, with_kept
from autograder.classroom.record_json import brief_exercise_of, exercise_of, head_of, isolation_of
from autograder.classroom.stored_source import unpacked
from autograder.sandbox.job import Source


@dataclass(frozen=True)
class StoredRecord:
    """What a gradebook holds of one submission, its exercises in report order."""

    run: Run
    student: str
    head: str
    code: bytes | None
    whole: tuple[str, str, float, str]  # problem, notes, seconds and isolation
    decided: Mapping[str, Override]
    exercises: tuple[str, ...] = ()
    times: Mapping[str, str] = field(default_factory=dict)  # of each exercise's cases
    kept: Mapping[str, Kept] = field(default_factory=dict)

    def record(self) -> Record:
        """Return the record."""
        times = {name: tuple(json.loads(text)) for name, text in self.times.items()}
        return replace(self._record(exercise_of), times=times)

    def brief(self) -> Record:
        """Return the record as pages of a class need it, without what fills most of it."""
        return self._record(brief_exercise_of)

    def _record(self, read: Callable[[str], ExerciseRecord]) -> Record:
        return self.with_exercises([with_kept(e, self.kept.get(e.name)) for e in map(read, self.exercises)])

    def with_exercises(self, exercises: Sequence[ExerciseRecord]) -> Record:
        """Return the record with exercises that were made elsewhere."""
        problem, notes, seconds, isolation = self.whole
        whole = Whole(problem, tuple(json.loads(notes)), seconds, isolation_of(isolation))
        return compose(self.run, self.student, head_of(self.head), whole, exercises, self.decided)

    @property
    def source(self) -> Source | None:
        """The code, or None where what was handed in could not be read."""
        return unpacked(self.code)
