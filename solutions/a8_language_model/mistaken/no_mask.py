"""The student lets everybody look at everybody."""

import torch


class TransformerLM(TransformerLM):
    def forward(self, ids):
        t = ids.shape[-1]
        x = torch.stack([self.token_embedding(ids[:, i]) + self.position_embedding.weight[i] for i in range(t)], 1)
        x = self.dropout(x)
        open_to_all = torch.full((t, t), True)
        for block in self.blocks:
            for norm, sublayer in ((block.norm_1, block.attention), (block.norm_2, block.feed_forward)):
                x = x + (sublayer(norm(x), open_to_all) if sublayer is block.attention else sublayer(norm(x)))
        return self.output(self.final_norm(x))
