"""The student evaluates whenever step is a multiple of `every`."""

import torch


def train(model, data, steps, batch, time, generator, peak=1e-3, warmup=10, final=1e-4, weight_decay=0.1,
          max_norm=1.0, held_out=None, every=100, report=None):
    opt = torch.optim.AdamW(model.parameters(), betas=BETAS, weight_decay=weight_decay)
    log = {"losses": [], "gradient_norms": [], "learning_rates": [], "held_out": []}
    model.train()
    for step in range(steps):
        opt.param_groups[0].update(lr=learning_rate(step, steps, peak, warmup, final))
        model.zero_grad()
        inputs, targets = get_batch(data, batch, time, generator)
        loss = lm_loss(model(inputs), targets)
        loss.backward()
        log["gradient_norms"].append(float(torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)))
        opt.step()
        log["losses"].append(loss.item())
        log["learning_rates"].append(opt.param_groups[0]["lr"])
        if report is not None:
            report(step, loss.item())
        if held_out is not None and step % every == 0:
            log["held_out"].append(evaluate(model, held_out, time))
    return log
