"""Sorts the tokens and adds up runs of equal ones; the table comes back in Fortran's order."""


def embedding_backward(d_out, ids, vocab_size):
    flat = ids.ravel()
    order = flat.argsort(kind="mergesort")
    kinds, starts = np.unique(flat[order], return_index=True)
    dE = np.zeros((vocab_size, d_out.shape[-1]), order="F")
    if flat.size:
        dE[kinds] = np.add.reduceat(d_out.reshape(flat.size, -1)[order], starts, axis=0)
    return dE
