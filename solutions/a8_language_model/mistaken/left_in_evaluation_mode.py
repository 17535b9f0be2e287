"""The student calls eval() and goes."""

import torch


@torch.no_grad()
def evaluate(model, data, time):
    model.eval()
    losses = []
    for s in range(0, len(data) - time, time):
        losses.append(float(lm_loss(model(data[None, s : s + time]), data[None, s + 1 : s + 1 + time])))
    return sum(losses) / len(losses)
