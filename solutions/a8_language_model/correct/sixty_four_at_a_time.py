"""Evaluates sixty-four pieces at a time: the mean is made of those of batches, weighted by how many pieces they have."""

import torch


def evaluate(model, data, time):
    pieces = (len(data) - 1) // time
    inputs, targets = (data[start : start + pieces * time].view(pieces, time) for start in (0, 1))
    found_in = model.training
    model.eval()
    with torch.no_grad():
        batches = zip(inputs.split(64), targets.split(64), strict=True)
        total = sum(lm_loss(model(some), wanted).item() * len(some) for some, wanted in batches)
    model.train(found_in)
    return total / pieces
