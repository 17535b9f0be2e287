"""The student goes through the batch, one sentence at a time."""

import torch


def batch_norm(x, gamma, beta, eps):
    done = []
    for sentence in x:
        variance, mean = torch.var_mean(sentence, dim=0, unbiased=False)
        done.append(gamma * (sentence - mean) * torch.rsqrt(variance + eps) + beta)
    return torch.stack(done)
