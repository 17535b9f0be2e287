"""The last of the states; padding is set to zero by the mask."""
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab_size, embed_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        out = self.rnn(self.embedding(src))[0]
        rows = [nn.functional.pad(o[:n], (0, 0, 0, len(o) - n)) for o, n in zip(out, lengths.tolist())]
        states = torch.stack(rows)
        return states, states.select(1, -1)
