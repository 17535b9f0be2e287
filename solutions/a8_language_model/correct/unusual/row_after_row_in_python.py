"""Each row is written alone, as a Python list with math.exp, accumulate and bisect, in a generator."""

from bisect import bisect
from heapq import nlargest
from itertools import accumulate, islice


def tokens(model, row, temperature, top_k, numbers, device):
    while True:
        with torch.no_grad():
            z = model(torch.tensor([row[-model.block_size :]], device=device))[0, -1].tolist()
        if temperature == 0:
            row = row + [z.index(max(z))]
        else:
            least = min(nlargest(top_k, z)) if top_k else min(z)
            shares = [math.exp((s - max(z)) / temperature) if s >= least else 0.0 for s in z]
            ends = list(accumulate(shares))
            last = max(i for i, share in enumerate(shares) if share)
            row = row + [min(bisect(ends, next(numbers) * ends[-1]), last)]
        yield row[-1]


def generate(model, ids, n, temperature, top_k, uniforms):
    rows = ids.tolist()
    numbers = [iter(())] * len(rows) if uniforms is None else map(iter, uniforms.tolist())
    drawn = zip(rows, numbers)
    written = [row + list(islice(tokens(model, row, temperature, top_k, u, ids.device), n)) for row, u in drawn]
    return torch.tensor(written, device=ids.device)
