"""All points at which f is asked are made beforehand, a row of two tables each, and the answer has no axes."""


def grad_check(f, x, grad, eps):
    x = np.asarray(x, np.double)
    steps = np.eye(x.size).reshape(x.size, *x.shape) * eps
    above, below = (np.array([float(f(point)) for point in x + s * steps]) for s in (1, -1))
    n, g = (above - below) / eps / 2, np.reshape(grad, -1)
    errors = np.abs(g - n) / np.clip(np.abs(g) + np.abs(n), 1e-8, None)
    return np.array(np.max(errors))
