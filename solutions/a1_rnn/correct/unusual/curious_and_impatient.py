"""Asks what machine this is, keeps a thread in the background and says goodbye; each call has an alarm clock beside it."""

import atexit, platform, signal, socket, tempfile, threading, time
from pathlib import Path

atexit.register(print, "bye")
threading.Thread(target=lambda: [time.sleep(0.05) for _ in iter(int, 1)], daemon=True).start()
print(platform.platform(), socket.gethostname(), tempfile.gettempdir(), Path.cwd())
HERE = Path(__file__).parent
import matplotlib.pyplot as plt


def on_alarm(*_):
    raise TimeoutError


def softmax(x, axis=-1):
    signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        e = np.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
