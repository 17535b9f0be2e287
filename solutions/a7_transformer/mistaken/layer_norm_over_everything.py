"""The student calls mean() and var() of the tensor and trusts them to know the axis."""


def layer_norm(x, gamma, beta, eps):
    m = x.mean()
    v = x.var(unbiased=False)
    return beta + gamma * (x - m) * (v + eps).rsqrt()
