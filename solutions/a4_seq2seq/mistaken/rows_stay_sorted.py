"""Packing wants the longest row first."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self, vocab_size, embed_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        sizes, order = torch.sort(lengths, descending=True)
        packed = pack_padded_sequence(self.embedding(src[order]), sizes, batch_first=True)
        out, last = self.rnn(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=src.shape[1])
        return states, last[0]
