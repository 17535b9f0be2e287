"""Rotations are exponentials of skew matrices; those of several steps are powers, backwards the inverse."""


def skew(speeds):
    return torch.block_diag(*(torch.tensor([[0.0, s], [-s, 0.0]], dtype=torch.double) for s in speeds))


def shift_matrix(k, d_model):
    one = torch.matrix_exp(skew([10000 ** (-i / d_model) for i in range(0, d_model, 2)]))
    return torch.linalg.matrix_power(one if k >= 0 else one.T, abs(k)).float()


def apply_rope(x, positions, base=10000):
    d = x.size(-1)
    spin = skew([base ** -(i / d) for i in range(0, d, 2)])
    if positions.dim() == 1:
        positions = positions.expand(len(x), -1)
    turns = {p: torch.matrix_exp(p * spin).to(x.dtype) for p in set(positions.flatten().tolist())}
    return torch.stack([torch.stack([one[:, t] @ turns[p] for t, p in enumerate(row.tolist())], 1) for one, row in zip(x, positions)])
