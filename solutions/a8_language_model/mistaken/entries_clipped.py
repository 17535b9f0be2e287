"""The student clips by value, which sounds like clipping."""

import torch


def train(model, data, steps, batch, time, generator, peak=1e-3, warmup=10, final=1e-4, weight_decay=0.1,
          max_norm=1.0, held_out=None, every=100, report=None):
    params = list(model.parameters())
    opt = torch.optim.AdamW(params, lr=1.0, betas=BETAS, weight_decay=weight_decay)
    schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: learning_rate(s, steps, peak, warmup, final))
    out = {name: [] for name in ("losses", "gradient_norms", "learning_rates", "held_out")}
    model.train()
    for i in range(steps):
        x, y = get_batch(data, batch, time, generator)
        opt.zero_grad()
        loss = lm_loss(model(x), y)
        loss.backward()
        total = torch.linalg.vector_norm(torch.stack([p.grad.norm() for p in params]))
        torch.nn.utils.clip_grad_value_(params, max_norm)
        out["learning_rates"].append(schedule.get_last_lr()[0])
        opt.step()
        schedule.step()
        out["losses"].append(loss.item())
        out["gradient_norms"].append(total.item())
        if report is not None:
            report(i, loss.item())
        if held_out is not None and (i + 1) % every == 0:
            out["held_out"].append(evaluate(model, held_out, time))
    return out
