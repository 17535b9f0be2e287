"""A loss for each sentence, and the mean over the sentences."""
import torch
from torch.nn import functional as F


def masked_nll(logits, targets, pad):
    sentences = [F.cross_entropy(z, y, ignore_index=pad) for z, y in zip(logits, targets) if (y != pad).any()]
    return sum(sentences) / len(sentences)
