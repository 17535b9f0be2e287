"""Switches on everything that torch offers to find mistakes, before anything else happens."""

torch.use_deterministic_algorithms(True)
torch.autograd.set_detect_anomaly(True)
torch.set_printoptions(precision=3)
torch.manual_seed(12345)


def get_batch(data: Tensor, batch: int, time: int, generator: torch.Generator) -> "tuple[Tensor, ...]":
    assert data.ndim == 1 and len(data) > time, data
    starts = torch.randint(len(data) - time, (batch,), generator=generator)
    return tuple(torch.vstack([data[s + k : s + k + time] for s in starts]) for k in (0, 1))


def lm_loss(logits, targets):
    losses = functional.nll_loss(logits.log_softmax(-1).movedim(-1, 1), targets, ignore_index=IGNORE, reduction="none")
    assert torch.isfinite(losses).all()
    return losses.sum().div((targets != IGNORE).sum())
