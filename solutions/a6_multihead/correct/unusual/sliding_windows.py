"""Heads are windows that slide over the features, as wide as their stride; merging writes into a tensor made before."""


def split_heads(x, n_heads):
    d_head = x.shape[-1] // n_heads
    return x.unfold(2, d_head, d_head).transpose(1, 2)


def merge_heads(x):
    out = x.new_empty(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])
    for h, head in enumerate(x.unbind(dim=1)):
        out[:, :, h * x.shape[3] : (h + 1) * x.shape[3]] = head
    return out
