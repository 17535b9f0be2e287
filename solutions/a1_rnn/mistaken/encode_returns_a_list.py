"""One number for each character; map does it."""


def encode(text, vocab):
    return list(map(vocab.__getitem__, text))
