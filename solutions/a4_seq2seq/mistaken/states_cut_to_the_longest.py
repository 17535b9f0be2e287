"""Pack, run, unpack: then padding is never read."""
import torch
from torch import nn
from torch.nn.utils import rnn as pads


class Encoder(nn.Module):
    def __init__(self, vocab_size, embed_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        packed = pads.pack_padded_sequence(self.embedding(src), lengths, batch_first=True, enforce_sorted=False)
        out, last = self.rnn(packed)
        return pads.pad_packed_sequence(out, batch_first=True)[0], last[-1]
