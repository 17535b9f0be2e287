"""The cell knows the context already, and the softmax is torch's own."""
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
        scores = mlp_score(h.unsqueeze(1), enc, self.W_score, self.w_score)
        weights = scores.softmax(dim=-1)
        context = (weights @ enc).squeeze(1)
        e = self.embedding(y_prev)
        h, c = self.cell(torch.cat([e, context], -1), (h, c))
        nothing = torch.zeros_like(context)
        return self.output(torch.cat([h, e, nothing], -1)), (h, c), weights.squeeze(1)
