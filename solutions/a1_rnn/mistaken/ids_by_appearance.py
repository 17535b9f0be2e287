"""A character gets its number when it is met for the first time."""


def build_vocab(text):
    vocab = {}
    for ch in text:
        if ch not in vocab:
            vocab[ch] = len(vocab)
    return vocab
