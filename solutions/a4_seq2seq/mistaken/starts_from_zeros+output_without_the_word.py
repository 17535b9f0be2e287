"""The cell begins with zeros; then state and context say the word."""
import torch
from torch import nn


class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size, embed_size, hidden_size, context_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def step(self, y_prev, state, context):
        e = self.embedding(y_prev)
        h = self.cell(torch.cat([e, context], 1), state)
        hidden = h.shape[1]
        W = self.output.weight
        return h @ W[:, :hidden].T + context @ W[:, hidden + e.shape[1] :].T + self.output.bias, h
