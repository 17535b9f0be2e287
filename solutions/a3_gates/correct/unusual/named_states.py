"""States are named tuples, gates live in a dict, and the cell is a class without methods."""

from dataclasses import dataclass, fields
from typing import NamedTuple


class State(NamedTuple):
    h: np.ndarray
    c: np.ndarray


@dataclass(frozen=True)
class Gates:
    f: np.ndarray
    i: np.ndarray
    o: np.ndarray
    c: np.ndarray

    def __iter__(self):
        return (getattr(self, field.name) for field in fields(self))


def lstm_gates(x_t, h_prev, params):
    shape = {"f": 1.0, "i": 1.0, "o": 1.0, "c": 0.0}
    sums = {g: params[f"W_{g}"] @ np.vstack((h_prev.T, x_t.T)) + params[f"b_{g}"][:, None] for g in shape}
    # sigma(a) = (1 + tanh(a / 2)) / 2
    found = Gates(**{g: (np.tanh(a.T / (1 + gate)) + gate) / (1 + gate) for (g, a), gate in zip(sums.items(), shape.values())})
    return tuple(found)


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c = np.add(f * c_prev, i * c_tilde)
    return State(c=c, h=o * np.tanh(c))
