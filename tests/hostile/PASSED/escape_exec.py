"""Becomes another program; any other ending than that of an honest submission, or the marker folder touched, would show that it worked."""

import multiprocessing
import os
import subprocess


for way in (
    lambda: os.execv("/bin/sh", ["sh", "-c", "echo BREACH; touch @MARKER@/exec"]),
    lambda: os.execv("@PYTHON@", ["python", "-c", "print('BREACH')"]),
    lambda: subprocess.run(["/bin/sh", "-c", "touch @MARKER@/run"], check=True),
    lambda: multiprocessing.Process(target=print, args=("BREACH",)).start(),
    lambda: multiprocessing.get_context("spawn").Process(target=print, args=("BREACH",)).start(),
):
    try:
        way()
    except Exception:
        pass
if os.system("touch @MARKER@/system") == 0:
    print("BREACH os.system")


def scale(x, factor):
    return x * factor
