"""A GRU as torch computes it, with torch's own functions."""
import torch


def gru_step_keep(x_t, h_prev, params):
    x, h = torch.as_tensor(x_t), torch.as_tensor(h_prev)
    W = {k: torch.as_tensor(v).to(x.dtype) for k, v in params.items()}
    n = h.shape[1]
    z, r = (torch.sigmoid(torch.cat([h, x], 1) @ W[f"W_{g}"].T + W[f"b_{g}"]) for g in "zr")
    new = torch.tanh(x @ W["W_h"][:, n:].T + W["b_h"] + r * (h @ W["W_h"][:, :n].T))
    return torch.lerp(new, h, z).numpy()
