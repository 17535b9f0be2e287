"""The Transformer: normalisation, residual connections, encoder and decoder blocks, the whole model, and translation.

    x, y      (batch, time, d_model)    vectors, one for each position of each sequence
    src, tgt  (batch, T_s), (batch, T_t)    ids of words, whole numbers; PAD = 0 fills up short rows
    memory    (batch, T_s, d_model)     what the encoder made of src

A mask is boolean, and True means "may look": (T_q, T_k), (batch, T_q, T_k), or anything that broadcasts to the latter,
such as (batch, 1, T_k). None means that everything may be looked at.

Blocks are PRE-NORM: a sublayer reads the normed input, and what it says is added to the input as it was,
x + sublayer(norm(x)). After a stack of such blocks stands one more norm. (Vaswani et al. 2017 are post-norm,
norm(x + sublayer(x)), and have no such final norm.)

All tensors of a call are on one device, the CPU or a GPU. What you make yourself belongs there, too: write
torch.ones(T, T, device=tgt.device).

The constructors are given: they make all parameters, so that a state dict loads by name. You write what happens to the
inputs. There is no dropout. No function here changes the tensors it is given. Each may call any other of this file, also
one further down.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

PAD = 0


class Attention(nn.Module):
    """Multi-head attention, given: torch's own, with masks as everywhere in this course."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.heads = nn.MultiheadAttention(d_model, n_heads, batch_first=True)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """Let every query look at the keys, and return the mixture of values it takes home.

        Args:
            query: (batch, T_q, d_model).
            key, value: (batch, T_k, d_model).
            mask: boolean, True = may look; broadcasts to (batch, T_q, T_k). None lets every query look at every key.

        Returns:
            output: (batch, T_q, d_model). A query that may look at nothing gets zeros.
        """
        if mask is None:
            return self.heads(query, key, value, need_weights=False)[0]
        if mask.dtype != torch.bool:
            raise TypeError(f"a mask is boolean here, and True means 'may look'; this one is {mask.dtype}")
        mask = mask.expand(query.shape[0], query.shape[1], key.shape[1])
        some = mask.any(dim=-1, keepdim=True)
        forbidden = (some & ~mask).repeat_interleave(self.heads.num_heads, dim=0)
        output, _ = self.heads(query, key, value, attn_mask=forbidden, need_weights=False)
        return output.masked_fill(~some, 0.0)


def position_table(length: int, d_model: int) -> Tensor:
    """Return the sinusoidal encoding of positions 0 to length - 1, given: (length, d_model), d_model even.

    Each pair of columns is a hand of a clock that turns at a speed of its own; the hands are complex numbers here.
    """
    speeds = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    hands = 1j * torch.exp(-1j * torch.outer(torch.arange(length, dtype=torch.float64), speeds))
    return torch.view_as_real(hands).flatten(start_dim=1).float()


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """Bring every vector to mean 0 and variance 1 by itself, then give it a scale and a shift that are learned.

        y = gamma * (x - mean) / sqrt(var + eps) + beta        mean, var: over the features of one position

    Args:
        x: (..., d), with any number of axes in front.
        gamma: (d,), the scale of each feature.
        beta: (d,), the shift of each feature.
        eps: a small number that keeps the root away from zero.

    Returns:
        y: of the shape of x.

    Watch: var is the mean of the squared deviations; torch.var divides by d - 1 unless you tell it not to. eps stands
    inside the root. Not allowed: torch's own norms (layer, batch, group, instance, RMS).
    Source: Ba et al. 2016, equations 3 and 4; README, section 1.
    """
    mean = x.mean(dim=-1, keepdim=True)
    var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta


def batch_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """Bring every feature to mean 0 and variance 1 over all positions of all sequences, then scale and shift it.

        y = gamma * (x - mean) / sqrt(var + eps) + beta        mean, var: of one feature, over batch and time

    Args:
        x: (batch, time, d).
        gamma: (d,), the scale of each feature.
        beta: (d,), the shift of each feature.
        eps: a small number that keeps the root away from zero.

    Returns:
        y: of the shape of x.

    Watch: these are the statistics of the batch at hand, as in training; there are no running ones here. Only the axes
    differ from layer_norm. Not allowed: torch's own norms (layer, batch, group, instance, RMS).
    Source: Ioffe and Szegedy 2015, algorithm 1; README, section 1.
    """
    mu = x.mean(dim=(0, 1), keepdim=True)
    var = x.var(dim=(0, 1), unbiased=False, keepdim=True)
    return gamma * (x - mu) / torch.sqrt(var + eps) + beta


def residual(x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
    """Let f say what to change about x, instead of what to make of it.

        y = x + f(x)

    Args:
        x: (batch, time, d_model), or any other shape.
        f: a function from a tensor to a tensor of the same shape.

    Returns:
        y: of the shape of x.

    Watch: x is still needed by the caller; `+=` would change it.
    Source: He et al. 2016, equation 1; README, section 2.
    """
    return x + f(x)


def zero_init_is_identity(block: Any) -> bool:
    """Say whether a block returns its input when the last linear map of each of its sublayers is zero.

    "Zero" is for the weight of these maps, and for the bias of those that have one; everything else in the block stays
    as it is. "Returns its input" is for any input, so try one in which nothing is special: numbers of both signs, of
    mean and variance other than 0 and 1, different in each row.

    Args:
        block: a module such as EncoderBlock: block(x) takes and returns (batch, time, block.d_model), and
            block.last_maps() returns a list of nn.Linear, the last linear map of each sublayer.

    Returns:
        True or False.

    Watch: the caller goes on to use the block. When you return, all of its parameters are what they were; you may also try a
    copy.deepcopy of it. Compare with a tolerance: rounding may move what a block returns.
    Source: README, section 2; compare He et al. 2016, section 1, on layers that should learn to do nothing.
    """
    maps = block.last_maps()
    params = [p for m in maps for p in (m.weight, m.bias) if p is not None]
    saved = [p.detach().clone() for p in params]
    gen = torch.Generator().manual_seed(61)
    x = 3.0 * torch.randn(4, 6, block.d_model, generator=gen) - 0.7
    x = x.to(params[0].device, params[0].dtype)
    try:
        with torch.no_grad():
            for p in params:
                p.zero_()
            y = block(x.clone())
        return y.shape == x.shape and torch.allclose(y, x, atol=1e-4)
    finally:
        with torch.no_grad():
            for p, old in zip(params, saved):
                p.copy_(old)


class FeedForward(nn.Module):
    """Two linear maps with a ReLU between them: each position thinks by itself.

    expand    nn.Linear(d_model, d_ff)
    contract  nn.Linear(d_ff, d_model)
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """Apply both maps to every position.

            y = W_2 max(0, W_1 x + b_1) + b_2

        Args:
            x: (batch, time, d_model).

        Returns:
            y: (batch, time, d_model).

        Watch: just this. Norm and residual are the business of the block around it.
        Source: Vaswani et al. 2017, equation 2; README, section 3.
        """
        return self.contract(torch.relu(self.expand(x)))


class EncoderBlock(nn.Module):
    """One layer of the encoder, pre-norm: self-attention, then feed-forward, each inside a residual.

    norm_1, attention       the first sublayer: nn.LayerNorm, Attention
    norm_2, feed_forward    the second sublayer: nn.LayerNorm, FeedForward
    """

    def __init__(self, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = Attention(d_model, n_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)

    def last_maps(self) -> list[nn.Linear]:
        """Return the last linear map of each sublayer, given, for zero_init_is_identity."""
        return [self.attention.heads.out_proj, self.feed_forward.contract]

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Let the positions talk to each other, then let each think by itself.

            h = x + attention(norm_1(x))        queries, keys and values all come from norm_1(x)
            y = h + feed_forward(norm_2(h))

        Args:
            x: (batch, time, d_model).
            mask: boolean, True = may look; broadcasts to (batch, time, time). None: everyone looks at everyone.

        Returns:
            y: (batch, time, d_model).

        Watch: the norm stands before the sublayer, and what is added to is the input as it was, not the normed one.
        Source: Vaswani et al. 2017, section 3.1, in the pre-norm order of Xiong et al. 2020, figure 1 (b); README,
        section 4.
        """
        n = self.norm_1(x)
        h = x + self.attention(n, n, n, mask)
        return h + self.feed_forward(self.norm_2(h))


class MaskedDecoderBlock(nn.Module):
    """One layer of the decoder, pre-norm: masked self-attention, cross-attention, feed-forward, each inside a residual.

    norm_1, self_attention     the first sublayer: nn.LayerNorm, Attention
    norm_2, cross_attention    the second sublayer: nn.LayerNorm, Attention
    norm_3, feed_forward       the third sublayer: nn.LayerNorm, FeedForward
    """

    def __init__(self, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.norm_1 = nn.LayerNorm(d_model)
        self.self_attention = Attention(d_model, n_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.cross_attention = Attention(d_model, n_heads)
        self.norm_3 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)

    def forward(
        self, x: Tensor, memory: Tensor, target_mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        """Look at what was said so far, then at the source, then think.

            g = x + self_attention(norm_1(x))                       queries, keys and values from norm_1(x)
            h = g + cross_attention(norm_2(g), memory, memory)      queries from norm_2(g), keys and values from memory
            y = h + feed_forward(norm_3(h))

        Args:
            x: (batch, T_t, d_model), the target so far.
            memory: (batch, T_s, d_model), what the encoder made of the source, ready for use.
            target_mask: boolean, True = may look; broadcasts to (batch, T_t, T_t). It is complete: the block adds no
                causal mask to it.
            memory_mask: boolean, True = may look; broadcasts to (batch, T_t, T_s).

        Returns:
            y: (batch, T_t, d_model).

        Watch: one mask for each attention. memory comes out of the encoder's final norm and is not normed again.
        Source: Vaswani et al. 2017, section 3.1, in the pre-norm order of Xiong et al. 2020; README, section 5.
        """
        n = self.norm_1(x)
        g = x + self.self_attention(n, n, n, target_mask)
        h = g + self.cross_attention(self.norm_2(g), memory, memory, memory_mask)
        return h + self.feed_forward(self.norm_3(h))


class Transformer(nn.Module):
    """The whole model: from ids of the source, and of the target so far, to logits of the target's next words.

    src_embedding, tgt_embedding    nn.Embedding, a vector for each word of either language
    positions                       (max_len, d_model), the table of position_table; no parameter
    encoder, encoder_norm           n_layers of EncoderBlock, and the norm after them
    decoder, decoder_norm           n_layers of MaskedDecoderBlock, and the norm after them
    output                          nn.Linear(d_model, tgt_vocab); its weights are its own, not those of tgt_embedding
    """

    def __init__(
        self, src_vocab: int, tgt_vocab: int, d_model: int, n_heads: int, d_ff: int, n_layers: int, max_len: int = 64
    ) -> None:
        super().__init__()
        self.d_model = d_model
        self.src_embedding = nn.Embedding(src_vocab, d_model)
        self.tgt_embedding = nn.Embedding(tgt_vocab, d_model)
        self.register_buffer("positions", position_table(max_len, d_model), persistent=False)
        self.encoder = nn.ModuleList(EncoderBlock(d_model, n_heads, d_ff) for _ in range(n_layers))
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder = nn.ModuleList(MaskedDecoderBlock(d_model, n_heads, d_ff) for _ in range(n_layers))
        self.decoder_norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, tgt_vocab)

    def encode(self, src: Tensor) -> Tensor:
        """Read the source.

        Embed the ids: sqrt(d_model) times the vector of the word, plus the row of `positions` for its place, counted
        from 0. Then all blocks of the encoder, one after another, and the encoder's norm.

        Args:
            src: (batch, T_s), ids.

        Returns:
            memory: (batch, T_s, d_model).

        Watch: no query looks at a padded position. What comes out at padded positions themselves is never read.
        Source: Vaswani et al. 2017, sections 3.1, 3.4 and 3.5; README, section 6.
        """
        x = self.src_embedding(src) * self.d_model**0.5 + self.positions[: src.shape[1]]
        src_mask = (src != PAD)[:, None, :]
        for layer in self.encoder:
            x = layer(x, src_mask)
        return self.encoder_norm(x)

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """Say for every position of the target which word comes next.

        Embed the ids as the encoder does, with the embedding of the target's language. Then all blocks of the decoder,
        the decoder's norm, and the output map.

        Args:
            tgt: (batch, T_t), ids, the target so far, with a word for its beginning first.
            memory: (batch, T_s, d_model), from encode(src).
            src: (batch, T_s), the ids of the source, which tell where memory is padding.

        Returns:
            logits: (batch, T_t, tgt_vocab); logits[:, i] are for the word after tgt[:, i]. No softmax.

        Watch: position i looks at the positions 0 to i of the target and at all of memory, and no query looks at a padded
        position, wherever it stands.
        Source: Vaswani et al. 2017, sections 3.1 and 3.2.3; README, section 6.
        """
        length = tgt.shape[1]
        y = self.tgt_embedding(tgt) * self.d_model**0.5 + self.positions[:length]
        causal = torch.ones(length, length, dtype=torch.bool, device=tgt.device).tril()
        tgt_mask = causal & (tgt != PAD)[:, None, :]
        memory_mask = (src != PAD)[:, None, :]
        for layer in self.decoder:
            y = layer(y, memory, tgt_mask, memory_mask)
        return self.output(self.decoder_norm(y))

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Read the source, and say for every position of the target which word comes next.

        Args:
            src: (batch, T_s), ids.
            tgt: (batch, T_t), ids.

        Returns:
            logits: (batch, T_t, tgt_vocab).

        Watch: source first.
        Source: Vaswani et al. 2017, figure 1; README, section 6.
        """
        return self.decode(tgt, self.encode(src), src)


def next_word(logits: Tensor, id_to_word: dict[int, str]) -> str:
    """Turn the logits for one position into the most probable word.

    Args:
        logits: (vocab,), a number for each word; they may be large.
        id_to_word: the word of each id.

    Returns:
        word: the one of the largest probability; there is only one.

    Watch: the softmax makes probabilities of logits, and leaves their order as it is. So you need none here, and may take
    one.
    Source: Vaswani et al. 2017, section 3.4; README, section 7.
    """
    return id_to_word[int(logits.argmax())]


def greedy_translate(model: Any, src: Tensor, bos: int, eos: int, max_len: int) -> list[list[int]]:
    """Translate word by word, taking the most probable one each time.

    Args:
        model: has two methods, like Transformer, and you need no more of it: encode(src) returns memory, with a row for
            each row of src; decode(tgt, memory, src) returns logits (batch, T_t, vocab).
        src: (batch, T_s), ids.
        bos: the id with which every target begins.
        eos: the id that says that a translation is complete.
        max_len: the most ids that a translation may have, at least 1; bos and eos are not counted.

    Returns:
        A list with one list of ids for each row of src: what follows bos, up to the first eos and without it, at most
        max_len ids. The lists may differ in length.

    Watch: rows end at different steps, and a row that has ended is not read again: hand any ids to the decoder for it, or
    leave it out of tgt, memory and src. Each step hands the whole target so far to the decoder, and reads the logits at
    its last position. bos and eos are never 0, which is PAD; src may hold padding.
    Source: Jurafsky and Martin, the chapter on machine translation (greedy decoding); README, section 7.
    """
    batch = src.shape[0]
    answers = [[] for _ in range(batch)]
    finished = [False] * batch
    with torch.no_grad():
        memory = model.encode(src)
        tgt = torch.full((batch, 1), bos, dtype=torch.long, device=src.device)
        for _ in range(max_len):
            logits = model.decode(tgt, memory, src)
            words = logits[:, -1].argmax(dim=-1)
            for row, word in enumerate(words.tolist()):
                if finished[row]:
                    continue
                if word == eos:
                    finished[row] = True
                else:
                    answers[row].append(word)
            if all(finished):
                break
            tgt = torch.cat([tgt, words[:, None]], dim=1)
    return answers


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    raise NotImplementedError("debugging_lab is not written yet")
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "why_residual": "",
        "why_not_batch_norm": "",
        "pre_or_post": "",
        "what_trains_in_parallel": "",
        "normed_by_hand": "",
        "feed_forward_size": "",
        "growing_stream": "",
        "cross_attention_map": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
