"""One product with three matrices side by side; the three results are views of it, in a named tuple."""

from collections import namedtuple

Roles = namedtuple("Roles", "query key value")


def project_qkv(X, W_q, W_k, W_v):
    together = np.dot(X, np.concatenate((W_q, W_k, W_v), axis=1))
    ends = np.cumsum([W.shape[1] for W in (W_q, W_k)])
    return Roles(*np.split(together, ends, axis=-1))


def self_attention(X, W_q, W_k, W_v, causal=False):
    roles = project_qkv(X, W_q, W_k, W_v)
    mask = np.tri(X.shape[-2]) > 0.5 if causal else np.True_
    return attention(mask=mask, V=roles.value, K=roles.key, Q=roles.query)
