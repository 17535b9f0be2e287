"""The student believes that with a cache there is no future to hide."""

import torch
from torch.nn import functional


class CachedTransformerLM(CachedTransformerLM):
    def step(self, ids, cache):
        old = cache or [(torch.zeros(len(ids), 0, self.output.in_features),) * 2 for _ in self.blocks]
        n_old = old[0][0].shape[1]
        x = self.token_embedding(ids) + self.position_embedding(n_old + torch.arange(ids.shape[1]))
        new = []
        for block, (k_old, v_old) in zip(self.blocks, old):
            normed = block.norm_1(x)
            k = torch.cat([k_old, block.attention.W_k(normed)], dim=1)
            v = torch.cat([v_old, block.attention.W_v(normed)], dim=1)
            new.append((k, v))
            q, kh, vh = (
                t.unflatten(2, (block.attention.n_heads, -1)).movedim(2, 1) for t in (block.attention.W_q(normed), k, v)
            )
            z = functional.scaled_dot_product_attention(q, kh, vh).movedim(1, 2).flatten(2)
            x = x + block.attention.W_o(z)
            x = x + block.feed_forward(block.norm_2(x))
        return self.output(self.final_norm(x)), new
