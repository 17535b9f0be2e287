"""The student deals the tokens out to the pages like cards."""

import numpy as np


def paged_gather(pages, tables, lengths):
    out = np.zeros((len(lengths), lengths.max()) + pages.shape[2:])
    for b, n in enumerate(lengths):
        used = tables[b][: -(-n // pages.shape[1])]
        for t in range(n):
            out[b, t] = pages[used[t % len(used)], t // len(used)]
    return out
