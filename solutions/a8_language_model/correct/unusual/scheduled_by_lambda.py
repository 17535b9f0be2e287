"""A scheduler sets the rates, gradients come from torch.autograd.grad and are clipped by hand, history is a defaultdict."""

from collections import defaultdict
from torch.optim.lr_scheduler import LambdaLR


def train(model, data, steps, batch, time, generator, peak=1e-3, warmup=10, final=1e-4, weight_decay=0.1, max_norm=1.0,
          held_out=None, every=100, report=None):
    said, parameters = defaultdict(list, held_out=[], losses=[], gradient_norms=[], learning_rates=[]), [*model.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1.0, betas=BETAS, weight_decay=weight_decay, foreach=False)
    plan = LambdaLR(optimizer, lambda step: learning_rate(step, steps, peak, warmup, final))
    for step in range(steps):
        model.train()
        loss = lm_loss(*(lambda x, y: (model(x), y))(*get_batch(data, batch, time, generator)))
        grads = torch.autograd.grad(loss, parameters)
        norm = math.sqrt(math.fsum(g.double().square().sum().item() for g in grads))
        for parameter, g in zip(parameters, grads):
            parameter.grad = g if norm <= max_norm else g * (max_norm / norm)
        said["learning_rates"].append(plan.get_last_lr()[0])
        optimizer.step()
        plan.step()
        said["gradient_norms"].append(norm)
        said["losses"].append(float(loss))
        if report:
            report(step, said["losses"][-1])
        if held_out is not None and not (step + 1) % every:
            said["held_out"] += [evaluate(model, held_out, time)]
    model.zero_grad()
    return said
