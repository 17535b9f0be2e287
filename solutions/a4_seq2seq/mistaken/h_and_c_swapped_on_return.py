"""Long-term memory first, short-term memory second."""
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
        weights = masked_softmax(mlp_score(h[:, None], enc, self.W_score, self.w_score), mask[:, None])
        context = torch.bmm(weights, enc)[:, 0]
        e = self.embedding(y_prev)
        new = self.cell(torch.hstack((e, context)), (h, c))
        return self.output(torch.hstack((new[0], e, context))), new[::-1], weights[:, 0]
