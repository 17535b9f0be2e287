"""Every sentence is read alone, with its padding taken out; memory is zero where nobody reads it."""


class Transformer(Transformer):
    def _alone(self, ids):
        (real,) = torch.nonzero(ids, as_tuple=True)
        x = self.src_embedding.weight[ids[real]].mul(self.d_model**0.5).add(self.positions[real])
        for block in self.encoder:
            x = block(x[None])[0]
        return torch.zeros(len(ids), self.d_model, device=ids.device).index_copy(0, real, self.encoder_norm(x))

    def encode(self, src):
        return torch.stack([*map(self._alone, src)])
