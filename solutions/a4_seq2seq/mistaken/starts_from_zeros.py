"""No state yet: zeros, as GRUCell itself would take."""
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
        read = torch.hstack((self.embedding(y_prev), context))
        h = self.cell(read, state)
        return self.output(torch.hstack((h, read))), h
