"""A vocabulary says which character is meant by a number."""


def build_vocab(text):
    chars = list(set(text))
    chars.sort()
    table = {}
    i = 0
    while i < len(chars):
        table[i] = chars[i]
        i += 1
    return table
