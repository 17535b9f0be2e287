"""The standard deviation is a length over the root of d."""


def layer_norm(x, gamma, beta, eps):
    y = x - x.mean(-1, keepdim=True)
    var = torch.linalg.vector_norm(y, dim=-1, keepdim=True) ** 2 / x.shape[-1]
    return gamma * y / torch.sqrt(var + eps) + beta


def batch_norm(x, gamma, beta, eps):
    y = x - x.mean((0, 1))
    return gamma * y / torch.sqrt(torch.norm(y, dim=(0, 1)) ** 2 / (len(x) * x.shape[1]) + eps) + beta
