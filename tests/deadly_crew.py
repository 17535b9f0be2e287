"""A crew whose workers die when they are to grade certain submissions, as if these had broken out of every sandbox."""

from __future__ import annotations

import os
import signal

from autograder.classroom.cluster_worker import Crew, Done, Task


class DeadlyCrew(Crew):
    """Dies of code that says so."""

    def grade(self, task: Task) -> Done:
        """Grade, or die."""
        if any(one.source and one.source.chunks[0].text == "DEADLY" for one in task.submissions):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().grade(task)
