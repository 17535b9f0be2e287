"""Treats a text as a numpy array of one-letter strings, and answers in numpy's own strings and numbers."""


def letters_of(text):
    return np.array(list(text), dtype="U1")


def build_vocab(text):
    kinds = np.unique(letters_of(text))
    return dict(zip(kinds, np.arange(kinds.size, dtype=np.uint32)))


def encode(text, vocab):
    letters, numbers = letters_of("".join(vocab)), np.array([*vocab.values()], dtype=">i4")
    order = letters.argsort()
    return numbers[order[np.searchsorted(letters, letters_of(text), sorter=order)]]


def decode(ids, vocab):
    letters = letters_of(sorted(vocab, key=vocab.get))
    return np.str_("".join(letters[np.searchsorted(sorted(vocab.values()), ids)]))
