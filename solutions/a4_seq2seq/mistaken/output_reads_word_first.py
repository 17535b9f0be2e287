"""The output reads what the cell read, and the state it made of it."""
import torch
from torch import nn


class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size, embed_size, hidden_size, context_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def first(self, context):
        return self.bridge(context).tanh()

    def step(self, y_prev, state, context):
        word = nn.functional.embedding(y_prev, self.embedding.weight)
        new = self.cell(torch.cat((word, context), 1), self.first(context) if state is None else state)
        parts = [word, new, context]
        return self.output(torch.cat(parts, 1)), new
