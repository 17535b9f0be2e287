"""Each row is read until an exception says that it is over; what was read is kept on the exception."""

from contextlib import ExitStack


class ThatIsAll(Exception):
    pass


def read(row, h, length, params):
    step = iter(row)
    while True:
        try:
            x_t = next(step)
        except StopIteration as over:
            raise ThatIsAll(h) from over
        if not length:
            raise ThatIsAll(h)
        h, length = rnn_step(x_t[None], h[None], params["W_x"], params["W_h"], params["b"])[0], length - 1


def classify_sequence(x, h0, lengths, params):
    found = []
    for row, h, length in zip(x, h0, lengths):
        with ExitStack() as stack:
            stack.callback(print, "read", length, "steps")
            try:
                read(row, h, length, params)
            except ThatIsAll as all_of_it:
                found.append(output_probs(*all_of_it.args, params["W_y"], params["b_y"]))
    return np.vstack(found)
