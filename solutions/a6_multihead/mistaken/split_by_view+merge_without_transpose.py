"""The student views there and back again, so that the round trip is right and both ways are wrong."""


def split_heads(x, n_heads):
    return x.contiguous().view(x.size(0), n_heads, x.size(1), -1)


def merge_heads(x):
    return x.contiguous().view(x.size(0), x.size(2), -1)
