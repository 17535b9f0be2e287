"""Look, move on, speak: the state that is there asks, as in Bahdanau's figure."""
import torch
from torch import nn


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, embed_size, hidden_size, enc_size, attn_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.cell = nn.GRUCell(embed_size, hidden_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.W_out = nn.Linear(enc_size + hidden_size, hidden_size, bias=False)
        self.output = nn.Linear(hidden_size, vocab_size)

    def step(self, y_prev, state, enc, mask):
        rows = torch.cat([state[:, None].expand(-1, enc.shape[1], -1), enc], dim=2)
        scores = torch.tanh(rows @ self.W_score.T) @ self.w_score
        e = torch.exp(scores - scores.max(1, keepdim=True).values) * mask
        weights = e / e.sum(1, keepdim=True).clamp(min=1e-30)
        context = (weights[:, :, None] * enc).sum(1)
        h = self.cell(self.embedding(y_prev), state)
        return self.output(self.W_out(torch.cat([context, h], 1)).tanh()), h, weights
