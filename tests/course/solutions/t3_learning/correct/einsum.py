"""Sums written out as einsum."""


def predict(w, x):
    return np.einsum("ni,i->n", x, w)
