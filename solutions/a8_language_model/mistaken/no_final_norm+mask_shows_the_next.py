"""The student forgets the last norm, and takes one diagonal too many."""

import torch


class TransformerLM(TransformerLM):
    def forward(self, ids):
        T = ids.size(1)
        step = torch.arange(T)
        x = self.dropout(self.token_embedding(ids) + self.position_embedding(step))
        may = step[None, :] - 1 <= step[:, None]
        for block in self.blocks:
            x = x + block.attention(block.norm_1(x), may)
            x = x + block.feed_forward(block.norm_2(x))
        return x @ self.output.weight.T + self.output.bias
