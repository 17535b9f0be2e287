"""The student squares the logits to make them positive."""


def next_word(logits, id_to_word):
    shares = logits**2 / (logits**2).sum()
    best = sorted(id_to_word, key=lambda i: shares[i].item())[-1]
    return id_to_word[best]
