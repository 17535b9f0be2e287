"""Differentiates the loss with steps into the imaginary numbers, one logit at a time, and never writes a derivative down."""


def surprise(scores, target):
    scores = scores - scores.real.max()
    return np.log(np.exp(scores).sum()) - scores[target]


def loss_backward(logits, targets, mask):
    found = np.zeros(logits.shape, dtype=complex)
    for place in zip(*np.nonzero(mask)):
        for v in range(logits.shape[-1]):
            moved = logits[place].astype(complex)
            moved[v] += 1e-30j
            found[place][v] = surprise(moved, targets[place])
    return found.imag / 1e-30 / mask.sum()
