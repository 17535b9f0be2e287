"""The student calls backward and step, and nothing in between."""

import torch


def train(model, data, steps, batch, time, generator, peak=1e-3, warmup=10, final=1e-4, weight_decay=0.1,
          max_norm=1.0, held_out=None, every=100, report=None):
    opt = torch.optim.AdamW(model.parameters(), betas=BETAS, weight_decay=weight_decay)
    losses, norms, rates, tests = [], [], [], []
    model.train()
    for i in range(steps):
        inputs, targets = get_batch(data, batch, time, generator)
        loss = lm_loss(model(inputs), targets)
        loss.backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        norm = torch.sqrt(sum(g.square().sum() for g in grads)).item()
        if norm > max_norm:
            for g in grads:
                g *= max_norm / norm
        opt.param_groups[0]["lr"] = learning_rate(i, steps, peak, warmup, final)
        opt.step()
        losses.append(float(loss))
        norms.append(norm)
        rates.append(opt.param_groups[0]["lr"])
        if report is not None:
            report(i, losses[-1])
        if held_out is not None and not (i + 1) % every:
            tests.append(evaluate(model, held_out, time))
    return dict(losses=losses, gradient_norms=norms, learning_rates=rates, held_out=tests)
