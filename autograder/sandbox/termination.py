"""What SIGTERM means to our own processes: they leave, whichever code was running, and close what they had opened."""

from __future__ import annotations

import signal
from typing import NoReturn


class Terminated(SystemExit):
    """Someone asked this process to end. A reference that is interrupted by it has not answered with an exit of its own."""


def terminate(*_: object) -> NoReturn:
    """Handle SIGTERM. Raises Terminated, with the exit code of a process that the signal ended."""
    raise Terminated(128 + signal.SIGTERM)
