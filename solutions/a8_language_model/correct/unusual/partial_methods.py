"""Tries a model of its own when the file is read; forward is a partialmethod, and the schedule a lambda with a sine."""

from functools import partialmethod

tiny = TransformerLM(5, 4, 4, 2, 8, 1)
print(sum(p.numel() for p in tiny.parameters()), tiny(torch.zeros(1, 3, dtype=torch.long)).shape)


class TransformerLM(TransformerLM):
    def _run(self, ids, *, causal):
        x = self.dropout(self.token_embedding(ids) + self.position_embedding.weight[None, : ids.shape[1]])
        see = torch.tensor([[j <= i or not causal for j in range(ids.shape[1])] for i in range(ids.shape[1])], device=ids.device)
        for b in self.blocks:
            x = torch.add(x, b.attention.forward(b.norm_1(x), mask=see))
            x = torch.add(x, b.feed_forward.forward(b.norm_2(x)))
        return nn.Sequential(self.final_norm, self.output)(x)

    forward = partialmethod(_run, causal=True)


learning_rate = lambda s, n, peak, up, low: (
    peak * (s + 1) / up if s < up else low if s >= n else low + (peak - low) * math.sin(math.pi / 2 * (n - s) / (n - up)) ** 2
)
