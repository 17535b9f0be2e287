"""The student takes the remainder where the quotient is asked for."""

import torch


def grouped_attention(q, k, v, mask=None):
    out = []
    for h in range(q.shape[1]):
        j = h % k.shape[1]
        s = q[:, h] @ k[:, j].mT * q.shape[-1] ** -0.5
        if mask is not None:
            s = torch.where(mask, s, -torch.inf)
        out.append(s.softmax(-1) @ v[:, j])
    return torch.stack(out, dim=1)
