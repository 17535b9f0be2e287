"""One linear layer over key and query, and one over that."""
import torch


def mlp_score(q, k, W, w):
    combined = w @ W
    for_key, for_query = combined[: k.shape[-1]], combined[k.shape[-1] :]
    return (q @ for_query).unsqueeze(2) + (k @ for_key).unsqueeze(1)
