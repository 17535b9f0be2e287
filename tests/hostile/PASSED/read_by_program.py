"""Has another program read the secret: cat, through four ways of starting one; a KEY printed would show that it worked."""

import os
import subprocess

for way in (
    lambda: subprocess.run(["cat", "@SECRET@"], capture_output=True, check=True).stdout,
    lambda: os.popen("cat @SECRET@").read(),
    lambda: subprocess.getoutput("cat @SECRET@"),
    lambda: os.posix_spawn("/bin/cat", ["cat", "@SECRET@"], {}) and "spawned",
):
    try:
        answer = way()
        if "KEY-" in str(answer) or answer == "spawned":
            print("BREACH", answer)
    except OSError:
        pass


def scale(x, factor):
    return x * factor
