"""Put key and query of every pair into one row, and run the network over the rows."""
import torch


def mlp_score(q, k, W, w):
    n, T_q, T_k = q.shape[0], q.shape[1], k.shape[1]
    keys = k.unsqueeze(1).expand(n, T_q, T_k, k.shape[2])
    queries = q.unsqueeze(2).expand(n, T_q, T_k, q.shape[2])
    rows = torch.cat([keys, queries], dim=-1)
    return torch.tanh(torch.nn.functional.linear(rows, W)).matmul(w)
