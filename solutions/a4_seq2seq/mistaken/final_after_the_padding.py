"""A GRU returns all its states and its last one; the padded states are set to zero."""
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab_size, embed_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        out, last = self.rnn(self.embedding(src))
        states = []
        for row, length in zip(out, lengths.tolist()):
            states.append(torch.cat([row[:length], torch.zeros_like(row[length:])]))
        return torch.stack(states), last.squeeze(0)
