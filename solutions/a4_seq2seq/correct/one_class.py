"""Classes that share a base, hypotheses as objects on a heap, and a generator that yields columns of words."""

import heapq
from dataclasses import dataclass, field

import torch


class Encoder(Encoder):
    def forward(self, src, lengths):
        h = torch.zeros(1, src.shape[0], self.rnn.hidden_size, device=src.device)
        states = []
        for t in range(src.shape[1]):  # the state of a row that has ended stays as it is
            _, new = self.rnn(self.embedding(src[:, t : t + 1]), h)
            alive = (t < lengths).view(1, -1, 1)
            h = torch.where(alive, new, h)
            states.append(torch.where(alive, new, torch.zeros_like(new))[0])
        return [torch.stack(states, dim=1), h.squeeze(0)]


class DecoderWithContext(DecoderWithContext):
    def start(self, context):
        return self.bridge(context).tanh()

    def step(self, y_prev, state, context):
        h_prev = self.start(context) if state is None else state
        e = self.embedding(y_prev)
        # the cell by hand: its weights are those of nn.GRUCell
        gates_x = torch.cat([e, context], 1) @ self.cell.weight_ih.T + self.cell.bias_ih
        gates_h = h_prev @ self.cell.weight_hh.T + self.cell.bias_hh
        r_x, z_x, n_x = gates_x.chunk(3, 1)
        r_h, z_h, n_h = gates_h.chunk(3, 1)
        r, z = torch.sigmoid(r_x + r_h), torch.sigmoid(z_x + z_h)
        h = z * h_prev + (1 - z) * torch.tanh(n_x + r * n_h)
        W_h, W_e, W_c = self.output.weight.split([h.shape[1], e.shape[1], context.shape[1]], dim=1)
        return [h @ W_h.T + e @ W_e.T + context @ W_c.T + self.output.bias, h]


class AttentionDecoder(AttentionDecoder):
    def score(self, h, enc):
        many = h.unsqueeze(1).expand(-1, enc.shape[1], -1)
        return torch.tanh(torch.cat([many, enc], dim=2) @ self.W_score.T) @ self.w_score

    def step(self, y_prev, state, enc, mask):
        h = self.cell(self.embedding(y_prev), state)
        weights = self.score(h, enc).masked_fill(~mask, -1e9).softmax(1) * mask.float()
        c = (weights.unsqueeze(2) * enc).sum(1)
        return [self.output(torch.tanh(self.W_out(torch.cat([c, h], 1)))), h, weights]


class LSTMAttentionDecoder(LSTMAttentionDecoder):
    score = AttentionDecoder.score

    def step(self, y_prev, state, enc, mask):
        h, c = state
        weights = self.score(h, enc).masked_fill(~mask, -1e9).softmax(1) * mask.float()
        x = torch.cat([self.embedding(y_prev), (weights.unsqueeze(2) * enc).sum(1)], 1)
        # the cell by hand: its weights are those of nn.LSTMCell
        gates = x @ self.cell.weight_ih.T + self.cell.bias_ih + h @ self.cell.weight_hh.T + self.cell.bias_hh
        i, f, g, o = gates.chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return [self.output(torch.cat([h, x], 1)), [h, c], weights]


@dataclass(order=True)
class _Hypothesis:
    cost: float
    words: list = field(compare=False)
    state: object = field(compare=False)

    def over(self, eos):
        return bool(self.words) and self.words[-1] == eos


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    frontier, complete = [_Hypothesis(0.0, [], state)], []
    while frontier and len(frontier[0].words) < max_len:
        last = torch.tensor([h.words[-1] if h.words else bos for h in frontier], device=state.device)
        logits, states = step(last, torch.cat([h.state for h in frontier]))
        heap = []
        for h, row, new in zip(frontier, -torch.log_softmax(logits, 1), states.split(1)):
            for word, cost in enumerate(row.tolist()):
                heapq.heappush(heap, _Hypothesis(h.cost + cost, [*h.words, word], new))
        frontier = [heapq.heappop(heap) for _ in range(min(width - len(complete), len(heap)))]
        complete += [h for h in frontier if h.over(eos)]
        frontier = [h for h in frontier if not h.over(eos)]
    scored = {tuple(h.words): -h.cost / (((5 + len(h.words)) / 6) ** length_penalty) for h in complete + frontier}
    best = max(scored, key=scored.get)
    return [best, torch.tensor(scored[best])]
