"""Each step has a variable, as in code that is written and looked at line by line."""

import torch


class Encoder(Encoder):
    def forward(self, src, lengths):
        embedded = self.embedding(src)
        states, _ = self.rnn(embedded)
        rows = torch.arange(len(src), device=src.device)
        final = states[rows, lengths.to(src.device) - 1]
        real = torch.arange(src.shape[1], device=src.device)[None] < lengths.to(src.device)[:, None]
        states = states * real[..., None]
        return states, final


def mlp_score(q, k, W, w):
    d_q = q.shape[2]
    from_q, from_k = q @ W[:, :d_q].T, k @ W[:, d_q:].T
    summed = from_q.unsqueeze(2) + from_k.unsqueeze(1)
    squashed = torch.tanh(summed)
    weighted = squashed * w
    return weighted.sum(-1)


def masked_softmax(scores, mask):
    lowest = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    e = torch.exp(lowest - lowest.max(dim=-1, keepdim=True).values)
    e = e * mask
    totals = e.sum(dim=-1, keepdim=True)
    return e / totals.clamp(min=torch.finfo(scores.dtype).tiny)


class DecoderWithContext(DecoderWithContext):
    def step(self, y_prev, state, context):
        bridged = self.bridge(context)
        state = torch.tanh(bridged) if state is None else state
        embedded = self.embedding(y_prev)
        state = self.cell(torch.cat([embedded, context], dim=1), state)
        joined = torch.cat([state, embedded, context], dim=1)
        return self.output(joined), state


class AttentionDecoder(AttentionDecoder):
    def step(self, y_prev, state, enc, mask):
        embedded = self.embedding(y_prev)
        state = self.cell(embedded, state)
        scores = mlp_score(state.unsqueeze(1), enc, self.W_score, self.w_score)
        weights = masked_softmax(scores, mask.unsqueeze(1))
        context = attention_context(weights, enc).squeeze(1)
        joined = torch.cat([context, state], dim=1)
        mixed = self.W_out(joined)
        squashed = torch.tanh(mixed)
        return self.output(squashed), state, weights.squeeze(1)


def masked_nll(logits, targets, pad):
    real = targets != pad
    log_probs = torch.log_softmax(logits, dim=-1)
    chosen = log_probs.gather(-1, targets.masked_fill(~real, 0).unsqueeze(-1)).squeeze(-1)
    nll = -chosen
    masked = nll * real
    of_each = masked.sum(dim=1)
    total = of_each.sum()
    return total / real.sum()
