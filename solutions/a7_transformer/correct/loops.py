"""One position, one row, one key at a time, in plain Python loops."""

import torch


def _standardise(vector, eps):
    d = len(vector)
    mean = sum(vector) / d
    var = sum((value - mean) ** 2 for value in vector) / d
    return [(value - mean) / (var + eps) ** 0.5 for value in vector]


def layer_norm(x, gamma, beta, eps):
    rows = [torch.stack(_standardise(list(row), eps)) * gamma + beta for row in x.reshape(-1, x.shape[-1])]
    return torch.stack(rows).reshape(x.shape)


def batch_norm(x, gamma, beta, eps):
    columns = []
    for feature in range(x.shape[2]):
        numbers = [x[b, t, feature] for b in range(x.shape[0]) for t in range(x.shape[1])]
        columns.append(torch.stack(_standardise(numbers, eps)).reshape(x.shape[:2]) * gamma[feature] + beta[feature])
    return torch.stack(columns, dim=2)


def zero_init_is_identity(block):
    saved = [(linear, {k: v.clone() for k, v in linear.state_dict().items()}) for linear in block.last_maps()]
    for linear, _ in saved:
        torch.nn.init.zeros_(linear.weight)
        if linear.bias is not None:
            torch.nn.init.constant_(linear.bias, 0.0)
    x = torch.arange(30.0 * block.d_model, device=linear.weight.device).sin().mul(5).reshape(5, 6, block.d_model)
    with torch.no_grad():
        same = bool(((block(x) - x).abs() < 1e-3).all())
    for linear, state in saved:
        linear.load_state_dict(state)
    return same


class FeedForward(FeedForward):
    def forward(self, x):
        vectors = [self.contract(self.expand(vector).clamp(min=0)) for sequence in x for vector in sequence]
        return torch.stack(vectors).view(x.shape)


class EncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        outputs = []
        for b in range(x.shape[0]):
            row = x[b : b + 1]
            mine = mask if mask is None or mask.ndim == 2 else mask[min(b, len(mask) - 1)]
            n = self.norm_1(row)
            row = row + self.attention(n, n, n, mine)
            outputs.append(row + self.feed_forward(self.norm_2(row)))
        return torch.cat(outputs)


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        outputs = []
        for t in range(x.shape[1]):
            n = self.norm_1(x)
            rows = target_mask if target_mask is None or target_mask.shape[-2] == 1 else target_mask[..., t : t + 1, :]
            one = x[:, t : t + 1] + self.self_attention(n[:, t : t + 1], n, n, rows)
            rows = memory_mask if memory_mask is None or memory_mask.shape[-2] == 1 else memory_mask[..., t : t + 1, :]
            one = one + self.cross_attention(self.norm_2(one), memory, memory, rows)
            outputs.append(one + self.feed_forward(self.norm_3(one)))
        return torch.cat(outputs, dim=1)


class Transformer(Transformer):
    def _vectors(self, ids, embedding):
        rows = [
            [embedding.weight[i] * self.d_model**0.5 + self.positions[t] for t, i in enumerate(row)]
            for row in ids.tolist()
        ]
        return torch.stack([torch.stack(row) for row in rows])

    def encode(self, src):
        mask = torch.tensor([[[key != 0 for key in row] for _ in row] for row in src.tolist()], device=src.device)
        x = self._vectors(src, self.src_embedding)
        for i in range(len(self.encoder)):
            x = self.encoder[i](x, mask)
        return self.encoder_norm(x)

    def decode(self, tgt, memory, src):
        own = torch.tensor(
            [[[k <= q and key != 0 for k, key in enumerate(row)] for q in range(len(row))] for row in tgt.tolist()],
            device=tgt.device,
        )
        other = torch.tensor([[[key != 0 for key in row] for _ in tgt[0]] for row in src.tolist()], device=src.device)
        y = self._vectors(tgt, self.tgt_embedding)
        for i in range(len(self.decoder)):
            y = self.decoder[i](y, memory, own, other)
        return self.output(self.decoder_norm(y))


def next_word(logits, id_to_word):
    best = 0
    for i, value in enumerate(logits.tolist()):
        if value > logits[best]:
            best = i
    return id_to_word[best]


def greedy_translate(model, src, bos, eos, max_len):
    """Translates each row by itself."""
    found = []
    for row in src:
        memory, words = model.encode(row[None]), [bos]
        while len(words) <= max_len:
            word = int(model.decode(torch.tensor([words], device=src.device), memory, row[None])[0, -1].argmax())
            if word == eos:
                break
            words.append(word)
        found.append(words[1:])
    return found
