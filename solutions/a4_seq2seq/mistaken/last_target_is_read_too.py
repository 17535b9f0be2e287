"""Write BOS in front of every sentence."""
import torch


def decoder_inputs(targets, bos):
    return torch.tensor([[bos] + row for row in targets.tolist()], dtype=torch.int64)
