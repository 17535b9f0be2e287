"""Goes by way of temporary files and folders, which is allowed."""

import pathlib
import shutil
import tempfile

import numpy as np


def scale(x, factor):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.npy"
        np.save(path, x)
        shutil.copyfile(path, pathlib.Path(folder) / "copy.npy")
        with tempfile.NamedTemporaryFile() as file:
            file.write(path.read_bytes())
            file.flush()
        with tempfile.SpooledTemporaryFile(max_size=10) as file:
            file.write(bytes(100))
        return np.load(path) * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
