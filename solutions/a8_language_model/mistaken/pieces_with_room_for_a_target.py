"""The student cuts the text into pieces of time + 1 and makes inputs and targets of each."""

import torch


def evaluate(model, data, time):
    was = model.training
    model.eval()
    pieces = torch.stack([p for p in data.split(time + 1) if len(p) == time + 1])
    with torch.no_grad():
        loss = lm_loss(model(pieces[:, :-1]), pieces[:, 1:])
    model.train(was)
    return loss.item()
