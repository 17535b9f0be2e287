"""Writes, lists, renames and reads files in its working folder, a memory map and an archive among them."""

import os
import shutil

import numpy as np


def scale(x, factor):
    os.makedirs("a/b", exist_ok=True)
    np.savez("a/b/x.npz", x=x)
    os.rename("a/b/x.npz", "x.npz")
    assert sorted(os.listdir(".")) == ["a", "x.npz"]
    kept = np.memmap("map", dtype=np.float64, mode="w+", shape=x.shape)
    kept[...] = np.load("x.npz")["x"]
    kept.flush()
    with open("notes.txt", "w", encoding="utf-8") as file:
        print("done", file=file)
    result = np.array(kept) * factor
    del kept
    shutil.rmtree("a")
    os.unlink("x.npz")
    os.unlink("map")
    os.unlink("notes.txt")
    return result


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
