"""The memory of an LSTM is its cell state, so that asks."""
import torch
from torch import nn


class LSTMAttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embed_size, hidden_size, enc_size, attn_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.cell = nn.LSTMCell(embed_size + enc_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + enc_size, vocab_size)

    def step(self, y_prev, state, enc, mask):
        h, c = state
        weights = masked_softmax(mlp_score(c.unsqueeze(1), enc, self.W_score, self.w_score).squeeze(1), mask)
        context = (weights.unsqueeze(-1) * enc).sum(1)
        e = self.embedding(y_prev)
        h, c = self.cell(torch.cat((e, context), 1), (h, c))
        return self.output(torch.cat((h, e, context), 1)), (h, c), weights
