"""A small automatic differentiation, made for this file alone, does all the work of truncated_bptt."""


class Var:
    def __init__(self, value, *parents):
        self.value, self.parents, self.grad = value, parents, np.zeros(np.shape(value))

    def __matmul__(self, other):
        return Var(self.value @ other.value, (self, lambda g: g @ other.value.T), (other, lambda g: self.value.T @ g))

    def __add__(self, other):
        shrink = lambda g: g.sum(0) if other.value.ndim < g.ndim else g
        return Var(self.value + other.value, (self, lambda g: g), (other, shrink))

    @property
    def T(self):
        return Var(self.value.T, (self, lambda g: g.T))

    def tanh(self):
        h = np.tanh(self.value)
        return Var(h, (self, lambda g: g * (1 - h * h)))

    def nll(self, targets):
        rows, z = np.arange(len(targets)), self.value - self.value.max(1, keepdims=True)
        p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
        return Var((np.log(np.exp(z).sum(1)) - z[rows, targets]).sum(), (self, lambda g: g * (p - np.eye(p.shape[1])[targets])))

    def backward(self, seed):
        order, seen = [], set()

        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                [visit(parent) for parent, _ in node.parents]
                order.append(node)

        visit(self)
        self.grad = self.grad + seed
        for node in reversed(order):
            for parent, back in node.parents:
                parent.grad = parent.grad + back(node.grad)


def truncated_bptt(x, targets, h0, params, k):
    p, total, h = {name: Var(value) for name, value in params.items()}, 0.0, None
    for t in range(x.shape[1]):
        if t % k == 0:
            h = Var(h0 if h is None else h.value)
            loss = Var(np.zeros(()))
        h = (Var(x[:, t]) @ p["W_x"].T + h @ p["W_h"].T + p["b"]).tanh()
        loss = loss + (h @ p["W_y"].T + p["b_y"]).nll(targets[:, t])
        if t % k == k - 1 or t == x.shape[1] - 1:
            loss.backward(1 / targets.size)
            total += loss.value / targets.size
    return total, {name: var.grad for name, var in p.items()}
