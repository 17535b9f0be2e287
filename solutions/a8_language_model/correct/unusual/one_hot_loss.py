"""One-hot targets in which a row that is not asked is all zeros; strides cut the text."""

from torch.nn import functional as F


def get_batch(data, batch, time, generator):
    text = data.contiguous()
    every = text.as_strided((text.numel() - time, 2, time), (1, 1, 1), text.storage_offset())
    starts = torch.randint(every.shape[0], (batch,), generator=generator)
    return every.index_select(0, starts.to(data.device)).unbind(dim=1)


def lm_loss(logits, targets):
    extended = F.one_hot(torch.where(targets == IGNORE, logits.shape[-1], targets), logits.shape[-1] + 1)[..., :-1]
    return -torch.einsum("btv,btv->", F.log_softmax(logits, -1), extended.to(logits)) / extended.sum()
