"""Works in threads and a pool of them, which is allowed."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def scale(x, factor):
    result = np.empty_like(x)

    def work(row):
        result[row] = x[row] * factor

    threads = [threading.Thread(target=work, args=(row,)) for row in range(len(x))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(abs, [-1, 2])) == [1, 2]
    return result


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
