"""Masks are complete tables for every sentence, made by properties and outer products, and modules are found by name."""

from functools import reduce


def words(module, name, ids):
    table = module.get_submodule(f"{name}_embedding")
    return torch.add(module.positions.narrow(0, 0, ids.size(1)), table(ids), alpha=math_root(module.d_model))


def math_root(n):
    return float(n).__pow__(0.5)


class Transformer(Transformer):
    @property
    def stacks(self):
        return {"src": (self.encoder, self.encoder_norm), "tgt": (self.decoder, self.decoder_norm)}

    def encode(self, src):
        blocks, norm = self.stacks["src"]
        everyone = (src != PAD)[:, None].expand(-1, src.shape[1], -1).contiguous()
        return norm(reduce(lambda x, block: block(x, everyone), blocks, words(self, "src", src)))

    def decode(self, tgt, memory, src):
        blocks, norm = self.stacks["tgt"]
        places = torch.arange(tgt.shape[1], device=tgt.device)
        past = torch.stack([torch.logical_and(row.ne(PAD), places[:, None].ge(places)) for row in tgt])
        source = torch.einsum("bt,bs->bts", torch.ones_like(tgt, dtype=torch.float), src.ne(PAD).float()) > 0.5
        y = reduce(lambda y, block: block(y, memory, past, source), blocks, words(self, "tgt", tgt))
        return torch.nn.functional.linear(norm(y), self.output.weight) + self.output.bias
