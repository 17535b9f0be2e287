"""The entry of a cold child: the worker behind resource limits, and nothing more."""

from autograder.sandbox import worker
from autograder.sandbox.jail import set_limits


def main(job_fd: int, go_fd: int, result_fd: int) -> None:
    """Run one job and leave."""
    worker.main(job_fd, go_fd, result_fd, set_limits)
