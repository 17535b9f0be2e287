"""Evaluates a deep copy of the model, piece by piece, and adds up with fsum what was meant before."""

from copy import deepcopy


@torch.inference_mode()
def evaluate(model, data, time):
    losses, twin = [], deepcopy(model).eval()
    for start in range(0, len(data) - time, time):
        piece = data[start : start + time + 1]
        losses.append(functional.cross_entropy(twin(piece[None, :-1])[0], piece[1:]).item())
    return math.fsum(losses) / len(losses)
