"""AdamW, clipping and cross-entropy are written out; gradients come from torch.autograd.grad."""

import math

import torch


def get_batch(data, batch, time, generator):
    starts = torch.randint(0, data.numel() - time, (batch, 1), generator=generator)
    rows = data.take((starts + torch.arange(time + 1)[None]).to(data.device))
    return rows[:, :time], rows[:, 1:]


def lm_loss(logits, targets):
    shifted = logits - logits.max(dim=-1, keepdim=True).values.detach()
    log_probabilities = shifted - shifted.exp().sum(dim=-1, keepdim=True).log()
    asked = targets != IGNORE
    picked = log_probabilities.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return -(picked * asked).sum() / asked.sum()


def learning_rate(step, steps, peak, warmup, final):
    if step < warmup:
        return (step + 1) * (peak / warmup)
    if step >= steps:
        return final
    return final + (peak - final) * math.cos(math.pi / 2 * (step - warmup) / (steps - warmup)) ** 2


def train(
    model,
    data,
    steps,
    batch,
    time,
    generator,
    peak=1e-3,
    warmup=10,
    final=1e-4,
    weight_decay=0.1,
    max_norm=1.0,
    held_out=None,
    every=100,
    report=None,
):
    parameters = [p for p in model.parameters() if p.requires_grad]
    first, second = [torch.zeros_like(p) for p in parameters], [torch.zeros_like(p) for p in parameters]
    history = {name: [] for name in ("losses", "gradient_norms", "learning_rates", "held_out")}
    model.train()
    for step in range(steps):
        inputs, targets = get_batch(data, batch, time, generator)
        loss = lm_loss(model(inputs), targets)
        gradients = torch.autograd.grad(loss, parameters)
        norm = math.sqrt(sum(float((g.double() ** 2).sum()) for g in gradients))
        rate = learning_rate(step, steps, peak, warmup, final)
        with torch.no_grad():
            for p, whole, m, v in zip(parameters, gradients, first, second):
                g = whole * min(1.0, max_norm / norm)
                m.mul_(0.9).add_(g, alpha=0.1)
                v.mul_(0.95).addcmul_(g, g, value=0.05)
                m_hat, v_hat = m / (1 - 0.9 ** (step + 1)), v / (1 - 0.95 ** (step + 1))
                p.mul_(1 - rate * weight_decay)
                p.sub_(rate * m_hat / (v_hat.sqrt() + 1e-8))
        for name, value in (("losses", loss), ("gradient_norms", norm), ("learning_rates", rate)):
            history[name].append(float(value))
        if report is not None:
            report(step, float(loss))
        if held_out is not None and not (step + 1) % every:
            history["held_out"].append(evaluate(model, held_out, time))
    return history
