"""The optimiser is fused, has a group for each parameter, and is given a closure; numbers are made of tensors at the very end."""


def train(model, data, steps, batch, time, generator, peak=1e-3, warmup=10, final=1e-4, weight_decay=0.1, max_norm=1.0,
          held_out=None, every=100, report=None):
    kept, later = [], []
    groups = [{"params": [p]} for p in model.parameters()]
    optimizer = torch.optim.AdamW(groups, betas=BETAS, weight_decay=weight_decay, fused=True)
    for step in range(steps):
        x, y = get_batch(data, batch, time, generator)
        model.train()
        rate = learning_rate(step, steps, peak, warmup, final)
        for group in optimizer.param_groups:
            group["lr"] = rate

        def closure():
            optimizer.zero_grad()
            loss = lm_loss(model(x), y)
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm, error_if_nonfinite=True)
            kept.append((loss.detach(), norm, rate))
            return loss

        loss = optimizer.step(closure)
        if report is not None:
            report(step, loss.item())
        if held_out is not None and (step + 1) % every == 0:
            later.append(evaluate(model, held_out, time))
    losses, norms, rates = ([float(v) for v in column] for column in zip(*kept))
    return {"losses": losses, "gradient_norms": norms, "learning_rates": rates, "held_out": later}
