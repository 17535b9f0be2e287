"""Functions that return functions, a class that is one, and defaults that are caches."""

import dataclasses
from functools import cache, partial


@dataclasses.dataclass(frozen=True, eq=False)
class Head:
    W: tuple
    causal: bool = dataclasses.field(default=False, kw_only=True)

    def __call__(self, X):
        Q, K, V = map(lambda W: np.tensordot(X, W, axes=1), self.W)
        return partial(attention, V=V, mask=triangle(X.shape[-2]) if self.causal else None)(Q=Q, K=K)


@cache
def triangle(T):
    return ~np.triu(np.ones((T, T), dtype=bool), k=1)


def causal_mask(T_q, T_k):
    return triangle(T_k)[T_k - T_q :]


def self_attention(X, W_q, W_k, W_v, causal=False):
    return Head((W_q, W_k, W_v), causal=causal)(X)


def similarity_context(x, *, heads={}):
    size = x.shape[-1]
    if size not in heads:
        heads[size] = Head((np.eye(size),) * 3, causal=True)
    return heads[size](x)
