"""The student leaves the model in evaluation mode and reports the perplexity."""

import math

import torch


def evaluate(model, data, time):
    model.eval()
    count = (len(data) - 1) // time
    total = 0.0
    with torch.no_grad():
        for i in range(count):
            piece = data[i * time : (i + 1) * time + 1].unsqueeze(0)
            total += lm_loss(model(piece[:, :-1]), piece[:, 1:]).item()
    return math.exp(total / count)
