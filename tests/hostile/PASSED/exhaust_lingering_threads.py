"""Leaves threads that never end and exit handlers that hang; a run that waits for them would show that it worked."""

import atexit
import threading
import time


def forever():
    while True:
        time.sleep(1)


threading.Thread(target=forever).start()
atexit.register(forever)


class Clinging:
    def __del__(self):
        forever()


kept = Clinging()


def scale(x, factor):
    return x * factor
