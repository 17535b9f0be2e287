"""The variance as the mean of squares less the square of the mean, in double precision, all sums by einsum."""


def moments(x, pattern):
    n = torch.einsum(pattern, torch.ones_like(x))
    mean, square = torch.einsum(pattern, x) / n, torch.einsum(pattern, x * x) / n
    return mean, torch.relu(square - mean * mean)


def layer_norm(x, gamma, beta, eps):
    mean, var = moments(x.double(), "...d->...")
    return torch.addcmul(beta, ((x - mean[..., None]) * (var[..., None] + eps).rsqrt()).to(x.dtype), gamma)


def batch_norm(x, gamma, beta, eps):
    mean, var = moments(x.double(), "btd->d")
    return (x.double() * (gamma / (var + eps).sqrt()) + (beta - mean * gamma / (var + eps).sqrt())).to(x.dtype)
