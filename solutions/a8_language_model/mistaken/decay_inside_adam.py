"""The student adds the decay to the gradients, as L2 in the loss would."""

import torch


def train(model, data, steps, batch, time, generator, peak=1e-3, warmup=10, final=1e-4, weight_decay=0.1,
          max_norm=1.0, held_out=None, every=100, report=None):
    adam = torch.optim.Adam(model.parameters(), lr=peak, betas=BETAS, weight_decay=weight_decay)
    history = {"losses": [], "gradient_norms": [], "learning_rates": [], "held_out": []}
    model.train()
    for i in range(steps):
        rate = learning_rate(i, steps, peak, warmup, final)
        for g in adam.param_groups:
            g["lr"] = rate
        x, y = get_batch(data, batch, time, generator)
        loss = lm_loss(model(x), y)
        adam.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        adam.step()
        history["losses"].append(loss.item())
        history["gradient_norms"].append(norm.item())
        history["learning_rates"].append(rate)
        if report:
            report(i, loss.item())
        if held_out is not None and (i + 1) % every == 0:
            history["held_out"].append(evaluate(model, held_out, time))
    return history
