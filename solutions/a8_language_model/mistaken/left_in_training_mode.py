"""The student calls train() at the end, since training goes on."""

import torch


def evaluate(model, data, time):
    model.train(False)
    with torch.inference_mode():
        n = (data.numel() - 1) // time * time
        loss = lm_loss(model(data[:n].view(-1, time)), data[1 : n + 1].view(-1, time))
    model.train()
    return float(loss)
