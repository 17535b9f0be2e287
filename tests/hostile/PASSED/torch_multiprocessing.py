"""Starts torch's helper processes, shares memory and reaches for a GPU; a process or shared memory would show that it worked."""

import torch


for way in (
    lambda: torch.multiprocessing.Process(target=print).start(),
    lambda: torch.zeros(2).share_memory_(),
    lambda: next(iter(torch.utils.data.DataLoader([1, 2], num_workers=1))),
    lambda: torch.zeros(2, device="cuda"),
):
    try:
        way()
        print("BREACH")
    except Exception:
        pass


def blend(a, b, t):
    return a + t * (b - a)
