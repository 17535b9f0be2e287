"""The variance is half of the mean squared difference of all pairs, and no mean is needed for it."""


def layer_norm(x, gamma, beta, eps):
    apart = x.unsqueeze(-1) - x.unsqueeze(-2)
    var = torch.square(apart).mean(dim=(-2, -1)).unsqueeze(-1) / 2
    return gamma * apart.mean(-1) / (var + eps) ** 0.5 + beta


def batch_norm(x, gamma, beta, eps):
    """Every feature is a row, and rows have a norm already."""
    rows = x.permute(2, 0, 1).reshape(x.shape[2], -1)
    normed = layer_norm(rows, torch.ones(()), torch.zeros(()), eps)
    return normed.reshape(x.shape[2], *x.shape[:2]).permute(1, 2, 0) * gamma + beta
