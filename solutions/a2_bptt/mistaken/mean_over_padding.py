"""A mean over batch and time divides by both."""
import numpy as np


def loss_backward(logits, targets, mask):
    batch, time, vocab = logits.shape
    flat = logits.reshape(-1, vocab)
    logp = flat - np.logaddexp.reduce(flat, axis=1, keepdims=True)
    grad = np.exp(logp)
    grad[np.arange(batch * time), targets.ravel()] -= 1.0
    grad[~mask.ravel()] = 0.0
    return grad.reshape(logits.shape) / (batch * time)
