"""The library's helpers where there are any: packed sequences, pad, bmm, linear, cross_entropy."""

import torch
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def decoder_inputs(targets, bos):
    return functional.pad(targets[:, :-1], (1, 0), value=bos)


class Encoder(Encoder):
    def forward(self, src, lengths):
        packed = pack_padded_sequence(self.embedding(src), lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, h_n = self.rnn(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=src.size(1))
        return states, h_n[-1]


def dot_score(q, k):
    return torch.bmm(q, k.permute(0, 2, 1))


def bilinear_score(q, k, W):
    return torch.bmm(q, functional.linear(k, W).permute(0, 2, 1))


def mlp_score(q, k, W, w):
    T_q, T_k = q.size(1), k.size(1)
    pairs = torch.cat([q.unsqueeze(2).expand(-1, -1, T_k, -1), k.unsqueeze(1).expand(-1, T_q, -1, -1)], dim=-1)
    return functional.linear(torch.tanh(functional.linear(pairs, W)), w.unsqueeze(0)).squeeze(-1)


def masked_softmax(scores, mask):
    filled = torch.where(mask, scores, torch.full_like(scores, -1e9))
    return functional.softmax(filled, dim=-1).masked_fill(~mask, 0.0)


def attention_context(weights, values):
    return torch.bmm(weights, values)


class LSTMAttentionDecoder(LSTMAttentionDecoder):
    """One step of torch.nn.LSTM, whose layer borrows the parameters of the cell."""

    def step(self, y_prev, state, enc, mask):
        scores = mlp_score(state[0].unsqueeze(1), enc, self.W_score, self.w_score)
        weights = masked_softmax(scores, mask.unsqueeze(1))
        context = torch.bmm(weights, enc)
        read = torch.cat([self.embedding(y_prev).unsqueeze(1), context], dim=-1)
        layer = torch.nn.LSTM(self.cell.input_size, self.cell.hidden_size, batch_first=True, device=read.device)
        borrowed = {f"{name}_l0": parameter for name, parameter in self.cell.named_parameters()}
        start = tuple(part.unsqueeze(0) for part in state)
        said, (h_n, c_n) = torch.func.functional_call(layer, borrowed, (read, start))
        return self.output(torch.cat([said, read], dim=-1)).squeeze(1), (h_n[0], c_n[0]), weights.squeeze(1)


def masked_nll(logits, targets, pad):
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad)


def greedy_decode(step, state, bos, eos, pad, max_len):
    y = state.new_full((state.size(0),), bos, dtype=torch.long)
    done = torch.zeros_like(y, dtype=torch.bool)
    columns = []
    with torch.no_grad():
        while len(columns) < max_len and not done.all():
            logits, state = step(y, state)
            y = logits.max(dim=-1).indices.masked_fill(done, pad)
            columns.append(y)
            done |= y.eq(eos)
    ids = torch.stack(columns, dim=1)
    return functional.pad(ids, (0, max_len - ids.size(1)), value=pad)
