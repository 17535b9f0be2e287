"""Texts become numbers and back by regular expressions and str.translate; the vocabulary is an OrderedDict that counts."""

import re
from collections import Counter, OrderedDict


def build_vocab(text: str) -> "OrderedDict[str, int]":
    vocab = OrderedDict()
    for character, times in sorted(Counter(text).items()):
        vocab.setdefault(character, len(vocab))
    return vocab


def encode(text, vocab):
    return np.fromiter((vocab[m.group()] for m in re.finditer(r"(?s).", text)), dtype=np.int16, count=len(text))


def decode(ids, vocab):
    table = {0x10000 + number: character for character, number in vocab.items()}
    return "".join(map(chr, np.asarray(ids, dtype=np.int64) + 0x10000)).translate(table)
