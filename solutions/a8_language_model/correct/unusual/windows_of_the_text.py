"""All pieces that there are lie in one view of the text; the generator picks rows of it."""


def get_batch(data, batch, time, generator):
    pieces = data.unfold(0, time + 1, 1)
    chosen = pieces[torch.randint(high=len(pieces), size=(batch,), generator=generator)]
    return chosen.narrow(1, 0, time), chosen.narrow(1, 1, time)


def lm_loss(logits, targets):
    asked = targets != IGNORE
    surprise = torch.logsumexp(logits, -1) - logits.gather(-1, targets.where(asked, targets.new_zeros(()))[..., None]).squeeze(-1)
    return surprise[asked].mean()
