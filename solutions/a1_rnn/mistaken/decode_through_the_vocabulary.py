"""Look up every id in the vocabulary."""


def decode(ids, vocab):
    text = ""
    for number in ids.tolist():
        text = text + vocab[number]
    return text
