"""Welford's algorithm: mean and squared deviations grow with every vector that is seen, and nothing is kept."""


def welford(pieces):
    mean, squares = 0.0, 0.0
    for n, new in enumerate(pieces, start=1):
        step = new - mean
        mean = mean + step / n
        squares = squares + step * (new - mean)
    return mean, squares / n


def layer_norm(x, gamma, beta, eps):
    mean, var = (part[..., None] for part in welford(x.unbind(-1)))
    return torch.lerp(beta, beta + gamma, (x - mean) / torch.sqrt(eps + var))


def batch_norm(x, gamma, beta, eps):
    mean, var = welford(position for row in x for position in row)
    return (x - mean).div((var + eps).sqrt()).mul(gamma).add(beta)
