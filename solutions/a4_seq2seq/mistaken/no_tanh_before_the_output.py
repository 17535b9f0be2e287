"""Two linear layers make the logits."""
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
        h = self.cell(self.embedding(y_prev), state)
        a = masked_softmax(mlp_score(h[:, None], enc, self.W_score, self.w_score), mask[:, None])
        speak = nn.Sequential(self.W_out, self.output)
        return speak(torch.cat([(a @ enc).squeeze(1), h], dim=1)), h, a.squeeze(1)
