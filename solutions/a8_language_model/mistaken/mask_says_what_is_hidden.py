"""The student builds the mask of torch's own modules: True above the diagonal."""

import torch


class TransformerLM(TransformerLM):
    def forward(self, ids):
        n = ids.size(1)
        h = self.dropout(self.token_embedding(ids) + self.position_embedding.weight[:n])
        step = torch.arange(n)
        hidden = step.unsqueeze(0) > step.unsqueeze(1)
        for b in self.blocks:
            h = h + b.attention(b.norm_1(h), hidden)
            h = h + b.feed_forward(b.norm_2(h))
        return self.output(self.final_norm(h))
