"""The student counts the places of the new tokens from 0."""

import torch


class ModernLM(ModernLM):
    def forward(self, ids, cache=None):
        T, old = ids.shape[1], 0 if cache is None else cache[0][0].shape[-2]
        x, kept = self.embedding(ids), []
        for i, b in enumerate(self.blocks):
            h = rms_norm(x, b.gain_1)
            q, k, v = (
                W(h).unflatten(-1, (n, -1)).transpose(1, 2)
                for W, n in ((b.W_q, self.n_heads), (b.W_k, self.n_kv_heads), (b.W_v, self.n_kv_heads))
            )
            q, k = (rotary(part, torch.arange(T), self.base) for part in (q, k))
            if old:
                k, v = torch.cat([cache[i][0], k], 2), torch.cat([cache[i][1], v], 2)
            kept.append((k, v))
            x = x + b.W_o(grouped_attention(q, k, v, sliding_mask(old + T, self.window)[-T:]).transpose(1, 2).flatten(2))
            x = x + swiglu(rms_norm(x, b.gain_2), *(W.weight for W in (b.W_gate, b.W_up, b.W_down)))
        return rms_norm(x, self.final_gain) @ self.embedding.weight.mT, kept
