"""No optimiser: the update is written out by algorithm 2 of Loshchilov and Hutter, and hooks on parameters collect gradients."""

import numpy as np


class Adam:
    def __init__(self, parameters, decay):
        self.slots = [(p, torch.zeros_like(p), torch.zeros_like(p)) for p in parameters]
        self.t, self.decay = 0, decay

    @torch.no_grad()
    def step(self, grads, rate):
        self.t += 1
        for (p, m, v), g in zip(self.slots, grads, strict=True):
            m.mul_(BETAS[0]).add_(g, alpha=1 - BETAS[0])
            v.mul_(BETAS[1]).addcmul_(g, g, value=1 - BETAS[1])
            root = (v / (1 - BETAS[1] ** self.t)).sqrt() + 1e-8
            p.sub_(rate * self.decay * p + rate * m / (1 - BETAS[0] ** self.t) / root)


def train(model, data, steps, batch, time, generator, peak=1e-3, warmup=10, final=1e-4, weight_decay=0.1, max_norm=1.0, held_out=None, every=100, report=None):
    parameters, rows, later = list(model.parameters()), [], []
    adam = Adam(parameters, weight_decay)
    model.train(True)
    for step in range(steps):
        x, y = get_batch(data, batch, time, generator)
        model.zero_grad(set_to_none=False)
        loss = lm_loss(model(x), y)
        loss.backward()
        norm = torch.cat([p.grad.flatten() for p in parameters]).norm()
        adam.step([p.grad * min(1.0, max_norm / float(norm + 1e-12)) for p in parameters], rate := learning_rate(step, steps, peak, warmup, final))
        rows.append((loss.item(), norm.item(), rate))
        None if report is None else report(step, rows[-1][0])
        if held_out is not None and step % every == every - 1:
            later.append(evaluate(model, held_out, time))
    columns = np.array(rows, dtype=float).reshape(-1, 3).T.tolist()
    return dict(zip(("losses", "gradient_norms", "learning_rates"), columns), held_out=later)
