"""Each position looks back over its own prefix, in a generator; vectors are scaled by the fourth root of d before they meet."""


def look_back(x):
    x = x * x.shape[-1] ** -0.25
    for end in range(1, x.shape[-2] + 1):
        s = np.sum(x[..., :end, :] * x[..., end - 1, None, :], axis=-1)
        e = np.exp(s - np.max(s, axis=-1, keepdims=True))
        yield e / np.sum(e, axis=-1, keepdims=True)


def similarity_context(x):
    mixed = [(share[..., None] * x[..., : share.shape[-1], :]).sum(-2) for share in look_back(x)]
    return np.stack(mixed, axis=-2)
