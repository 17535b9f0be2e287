"""Where processes are started: what dies with its parent must not die with a thread of a pool."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from autograder.sandbox.lasting_thread import start_process

# As bubblewrap does with --die-with-parent.
DIES_WITH_ITS_PARENT = "import ctypes, time; ctypes.CDLL(None).prctl(1, 9); print('ready', flush=True); time.sleep(60)"
COMMAND = (sys.executable, "-c", DIES_WITH_ITS_PARENT)


@pytest.mark.parametrize("lasts", [True, False])
def test_a_process_outlives_the_thread_that_started_it(lasts: bool) -> None:
    """One that the thread starts itself does not, which is what the module is for."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        make = start_process if lasts else subprocess.Popen
        started.append(make(COMMAND, stdout=subprocess.PIPE))
        assert started[0].stdout
        assert started[0].stdout.readline() == b"ready\n"

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    with started[0] as process:
        if lasts:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=0.5)
        else:
            assert process.wait(timeout=30) == -9
        process.kill()


def test_what_cannot_be_started_says_so_to_who_asked() -> None:
    """The error reaches the thread that wanted the process."""
    errors: list[OSError] = []

    def start() -> None:
        with pytest.raises(FileNotFoundError) as caught:
            start_process(["/nowhere/to/be/found"])
        errors.append(caught.value)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert errors[0].filename == "/nowhere/to/be/found"
