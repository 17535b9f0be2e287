"""The query has a layer and the key has a layer; the score adds up what they say."""
import torch


def mlp_score(q, k, W, w):
    W_q, W_k = torch.split(W, [q.shape[2], k.shape[2]], dim=1)
    asked = torch.tanh(torch.einsum("nid,ad->nia", q, W_q)) @ w
    offered = torch.tanh(torch.einsum("njd,ad->nja", k, W_k)) @ w
    return asked.unsqueeze(2) + offered.unsqueeze(1)
