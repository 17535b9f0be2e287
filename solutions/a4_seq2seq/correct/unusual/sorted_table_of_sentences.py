"""The beam is a table of numpy strings of numbers, cut after a full sort; the answer is a list of its own kind."""

import numpy as np


class Sentence(list):
    def __repr__(self):
        return "-".join(map(str, self))


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    table, totals, book = np.full((1, 1), bos), np.zeros(1), {}
    for n in range(1, max_len + 1):
        logits, state = step(torch.from_numpy(table[:, -1].copy()).to(state.device), state)
        z = logits.numpy().astype(np.longdouble)
        z = z - np.logaddexp.reduce(z, axis=1, keepdims=True) + totals[:, None]
        rows, words = np.unravel_index(np.argsort(-z, axis=None)[:width], z.shape)
        longer, found = np.column_stack([table[rows], words]), z[rows, words]
        over = words == eos
        for sentence, total in zip(longer[over].tolist(), found[over].tolist()):
            book[Sentence(sentence[1:])[:].__str__()] = Sentence(sentence[1:]), total
        width -= int(over.sum())
        table, totals, state = longer[~over], found[~over], state[torch.from_numpy(rows[~over])]
        if not len(table) or not width:
            break
    book.update((str(sentence), (Sentence(sentence[1:]), total)) for sentence, total in zip(table.tolist(), totals.tolist()))
    lp = lambda sentence: ((5 + len(sentence)) / 6) ** length_penalty
    sentence, total = max(book.values(), key=lambda found: found[1] / lp(found[0]))
    return sentence, np.float64(total / lp(sentence))
