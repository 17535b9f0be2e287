"""The vocabulary's characters in a row are an alphabet, and an id is a place in it."""


def decode(ids, vocab):
    alphabet = "".join(vocab.keys())
    text = ""
    for i in ids:
        text += alphabet[i]
    return text
