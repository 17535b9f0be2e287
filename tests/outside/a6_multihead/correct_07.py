import torch
import math
from torch import nn


class Waves:

    def __init__(self, d, base):
        i = torch.arange(d // 2, dtype=torch.float64)
        self.omega = torch.exp(-(2 * i / d) * math.log(base))

    def angles(self, T):
        return torch.arange(T, dtype=torch.float64)[:, None] * self.omega[None, :]


class DotProductCore:

    def __init__(self, n_heads):
        self.n_heads = n_heads

    def fold(self, x):
        # (batch, time, d_model) -> (batch * heads, time, d_head)
        b, t, d = x.shape
        return split_heads(x, self.n_heads).reshape(b * self.n_heads, t, d // self.n_heads)

    def run(self, Q, K, V, mask):
        batch = Q.shape[0]
        q, k, v = self.fold(Q), self.fold(K), self.fold(V)
        q = q / math.sqrt(q.shape[-1])
        scores = torch.bmm(q, k.mT).unflatten(0, (batch, self.n_heads))
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            while mask.ndim < 4:
                mask = mask.unsqueeze(-3)
            mask = mask.broadcast_to(scores.shape)
            blocked = torch.zeros_like(scores).masked_fill(mask.logical_not(), -1e30)
            weights = (scores + blocked).softmax(dim=-1)
            anything = mask.any(dim=-1, keepdim=True)
            weights = weights * anything
        heads = torch.matmul(weights, v.unflatten(0, (batch, self.n_heads)))
        return merge_heads(heads), weights


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    chunks = x.chunk(n_heads, dim=-1)
    return torch.stack(chunks, dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    b, h, t, d = x.shape
    return x.transpose(1, 2).reshape(b, t, h * d)


class MultiHeadAttention(nn.Module):

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} features cannot be shared equally among {n_heads} heads")
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None = None,
        need_weights: bool = False,
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        core = DotProductCore(self.n_heads)
        heads, weights = core.run(self.W_q(query), self.W_k(key), self.W_v(value), mask)
        result = self.W_o(heads)
        if not need_weights:
            return result
        return result, weights


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    w = Waves(d_model, base)
    table = torch.empty(T, d_model // 2, 2)
    table[..., 0] = w.angles(T).sin()
    table[..., 1] = w.angles(T).cos()
    return table.view(T, d_model).float()


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    half = d_model // 2
    exponent = torch.linspace(0.0, 1.0, half, dtype=torch.float64)
    angles = torch.arange(T, dtype=torch.float64)[:, None] * torch.pow(torch.tensor(1e-4, dtype=torch.float64), exponent)
    return torch.hstack([torch.sin(angles), torch.cos(angles)]).float()


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    # kept from the notebook: solve for M numerically would work too, but this is exact
    w = Waves(d_model, 10000)
    c = torch.cos(k * w.omega)
    s = torch.sin(k * w.omega)
    eye = torch.diag(c.repeat_interleave(2))
    upper = torch.zeros(d_model - 1, dtype=torch.float64)
    upper[::2] = s
    M = eye + torch.diag(upper, 1) - torch.diag(upper, -1)
    return M.float()


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    z = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    i = torch.arange(z.shape[-1], device=x.device)
    theta = torch.exp(-2 * i / x.shape[-1] * math.log(base))
    angle = positions[..., None].float() * theta
    turn = torch.polar(torch.ones_like(angle), angle)
    if positions.ndim == 2:
        turn = turn[:, None]
    return torch.view_as_real(z * turn).reshape(x.shape).to(x.dtype)


def quiz() -> dict[str, str]:
    answers = {
        "what_heads_add": "c",
        "without_positions": "b",
        "where_rope": "a",
        "silent_bias": "d",
        "cost_of_heads": "b",
        "shape_of_split": "c",
        "wrong_view": "a",
        "angle_between": "d",
    }
    return answers


if __name__ == "__main__":
    # my sanity checks
    x = torch.arange(24.0).reshape(2, 3, 4)
    print(torch.equal(merge_heads(split_heads(x, 2)), x))
    PE = sinusoidal_encoding(10, 8)
    print((PE[3:] - PE[:-3] @ shift_matrix(3, 8).T).abs().max())
    try:
        import matplotlib.pyplot as plt

        plt.imshow(sinusoidal_encoding(40, 32))
        plt.show()
    except ImportError:
        pass
