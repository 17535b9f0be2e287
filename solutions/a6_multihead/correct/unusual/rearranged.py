"""A rearrange of its own, with patterns, for the two functions; strides are set by hand in one of them."""


def rearrange(x, pattern, **sizes):
    before, after = (side.split() for side in pattern.split("->"))
    return x.permute(*map(before.index, after))


def split_heads(x, n_heads):
    (b, t, m), d = x.shape, x.shape[2] // n_heads
    x = x.contiguous()
    return x.as_strided((b, n_heads, t, d), (t * m, d, m, 1), x.storage_offset())


def merge_heads(x):
    return rearrange(x, "b h t d -> b t h d").contiguous().view(x.size(0), x.size(2), -1)
