"""The student adds eps to the standard deviation, since it is what one divides by."""

import torch


def layer_norm(x, gamma, beta, eps):
    d = x.size(-1)
    flat = x.reshape(-1, d)
    rows = []
    for row in flat:
        moved = row - row.sum() / d
        length = torch.dot(moved, moved) / d
        rows.append(moved / (length**0.5 + eps) * gamma + beta)
    return torch.stack(rows).reshape(x.shape)
