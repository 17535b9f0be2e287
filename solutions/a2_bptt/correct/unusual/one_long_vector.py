"""All gradients lie behind each other in one vector, which is measured by hypot and cut up again."""

from collections import OrderedDict, namedtuple
from functools import reduce

Clipped = namedtuple("Clipped", "gradients length")


def clip_grad_norm(grads, max_norm):
    long = np.concatenate([g.reshape(-1) for g in grads.values()])
    length = np.hypot.reduce(long, initial=0.0) if long.size else np.float64(0)
    short = long * (max_norm / max(length, max_norm))
    pieces = np.split(short, np.cumsum([g.size for g in grads.values()])[:-1])
    return Clipped(OrderedDict((name, p.reshape(g.shape)) for (name, g), p in zip(grads.items(), pieces)), length)


def gradient_norms(dh_last, cache):
    x, h0, h, W_x, W_h = cache
    flows = [dh_last]
    for h_t in h.swapaxes(0, 1)[:0:-1]:
        flows.insert(0, np.einsum("bi,bi,ij->bj", flows[0], 1 - h_t**2, W_h))
    return np.fromiter((reduce(np.hypot, flow.ravel(), 0.0) for flow in flows), dtype=float)
