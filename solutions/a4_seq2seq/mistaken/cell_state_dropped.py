"""Only h is taken from the pair; the cell makes up a cell state of zeros."""
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
        h = state[0]
        rows = torch.cat([h[:, None].expand(-1, enc.shape[1], -1), enc], dim=2)
        weights = masked_softmax(torch.tanh(rows @ self.W_score.T) @ self.w_score, mask)
        context = torch.einsum("nt,nte->ne", weights, enc)
        e = self.embedding(y_prev)
        state = self.cell(torch.cat([e, context], 1), (h, 0 * h))
        return self.output(torch.cat([state[0], e, context], 1)), state, weights
