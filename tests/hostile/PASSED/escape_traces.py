"""Installs profilers, audit hooks, import hooks and exit handlers that would touch the marker folder later, in a process with more rights; the folder touched would show that it worked."""

import atexit
import gc
import os
import sys
import threading


def touch(*args):
    for name in ("@MARKER@/hook", "hook"):
        try:
            open(name, "w").close()
        except Exception:
            pass


sys.excepthook = sys.unraisablehook = threading.excepthook = touch
sys.meta_path.insert(0, type("Finder", (), {"find_spec": staticmethod(touch)}))
sys.path_hooks.insert(0, touch)
atexit.register(touch)
sys.setprofile(touch)
threading.setprofile(touch)
os.register_at_fork(before=touch, after_in_parent=touch, after_in_child=touch)
gc.callbacks.append(touch)
sys.setprofile(None)


def scale(x, factor):
    return x * factor
