"""What the places of a token say, on average."""
import numpy as np


def embedding_backward(d_out, ids, vocab_size):
    rows = []
    for token in range(vocab_size):
        places = d_out[ids == token]
        rows.append(places.mean(axis=0) if len(places) else np.zeros(d_out.shape[-1]))
    return np.array(rows)
