"""A defaultdict of lists for each token, added up without rounding by math.fsum."""

import math
from collections import defaultdict


def embedding_backward(d_out, ids, vocab_size):
    heard = defaultdict(list)
    for row, tokens in zip(d_out.tolist(), ids.tolist()):
        for vector, token in zip(row, tokens):
            heard[token].append(vector)
    nothing = [(0.0,) * d_out.shape[-1]]
    return np.array([[math.fsum(column) for column in zip(*heard.get(token, nothing))] for token in range(vocab_size)])


def clip_grad_norm(grads, max_norm):
    norm = math.sqrt(math.fsum(x * x for g in grads.values() for x in g.flat))
    if norm <= max_norm:
        return {name: g.copy() for name, g in grads.items()}, norm
    return {name: np.vectorize(lambda x: x / norm * max_norm, otypes="d")(g) for name, g in grads.items()}, norm
