"""Every sum is an einsum, with the axes named; heads are never split from the weights."""

import torch


def split_heads(x, n_heads):
    return torch.einsum("bthd->bhtd", x.unflatten(-1, (n_heads, -1)))


def merge_heads(x):
    return torch.einsum("bhtd->bthd", x).flatten(2)


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        def project(layer, x):
            weight = layer.weight.unflatten(0, (self.n_heads, -1))
            return torch.einsum("btm,hdm->bhtd", x, weight) + layer.bias.view(self.n_heads, 1, -1)

        q, k, v = project(self.W_q, query), project(self.W_k, key), project(self.W_v, value)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            while mask.dim() < 3:
                mask = mask[None]
            if mask.dim() == 3:
                mask = mask[:, None]
            scores = torch.where(mask, scores, torch.tensor(-1e30))
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights * mask.any(-1, keepdim=True)
        by_head = self.W_o.weight.unflatten(1, (self.n_heads, -1))
        output = torch.einsum("bhqk,bhkd,ohd->bqo", weights, v, by_head) + self.W_o.bias
        return [output, weights] if need_weights else output


def sinusoidal_encoding(T, d_model, base=10000):
    columns = torch.arange(d_model)
    speeds = torch.pow(float(base), -(columns - columns % 2) / d_model)
    return torch.sin(torch.einsum("t,d->td", torch.arange(T).float(), speeds) + torch.pi / 2 * (columns % 2))


def shift_matrix(k, d_model):
    a = k * 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    blocks = torch.stack([torch.stack([a.cos(), a.sin()], -1), torch.stack([-a.sin(), a.cos()], -1)], -2)
    return torch.einsum("ij,iab->iajb", torch.eye(d_model // 2), blocks).reshape(d_model, d_model)


def apply_rope(x, positions, base=10000):
    d = x.shape[-1]
    a = positions.unsqueeze(-1) * base ** (-torch.arange(0, d, 2) / d)
    turns = torch.stack([torch.stack([a.cos(), -a.sin()], -1), torch.stack([a.sin(), a.cos()], -1)], -2)
    spec = "bhtpi,tpoi->bhtpo" if positions.dim() == 1 else "bhtpi,btpoi->bhtpo"
    return torch.einsum(spec, x.unflatten(-1, (-1, 2)), turns.to(x.dtype)).flatten(-2)
