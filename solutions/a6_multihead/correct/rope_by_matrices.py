"""RoPE is a product with one d by d matrix for each position; attention one sequence at a time."""

import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        outputs, kept = [], []
        full = torch.ones(query.shape[0], self.n_heads, query.shape[1], key.shape[1], dtype=torch.bool)
        if mask is not None:
            full = full & (mask[:, None] if mask.dim() == 3 else mask)
        for *rows, m in zip(self.W_q(query), self.W_k(key), self.W_v(value), full):
            q, k, v = (a.view(len(a), self.n_heads, -1).transpose(0, 1) for a in rows)
            scores = torch.stack([a @ b.T for a, b in zip(q, k)]) / q.shape[-1] ** 0.5
            scores[~m] = -1e20
            weights = scores.softmax(2)
            weights = weights.masked_fill(~m, 0)
            outputs.append(torch.hstack([a @ b for a, b in zip(weights, v)]))
            kept.append(weights)
        output = self.W_o(torch.stack(outputs))
        return (output, torch.stack(kept)) if need_weights else output


def sinusoidal_encoding(T, d_model, base=10000):
    step = _turn(1, d_model, base).T
    row, rows = torch.tensor([0.0, 1.0] * (d_model // 2), dtype=torch.float64), []
    for _ in range(T):
        rows.append(row)
        row = row @ step
    return torch.stack(rows).float()


def _turn(k, d, base):
    a = k / base ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
    c, s = a.cos(), a.sin()
    return torch.block_diag(*(torch.stack([c[i], s[i], -s[i], c[i]]).view(2, 2) for i in range(d // 2)))


def shift_matrix(k, d_model):
    return _turn(1 if k > 0 else -1, d_model, 10000.0).matrix_power(abs(k))


def apply_rope(x, positions, base=10000):
    d = x.shape[-1]
    turns = torch.stack([_turn(int(p), d, base).float() for p in positions.flatten()])
    turns = turns.view(*positions.shape, d, d)
    if positions.dim() == 2:
        turns = turns.unsqueeze(1)
    return (x.unsqueeze(-2) @ turns).squeeze(-2)
