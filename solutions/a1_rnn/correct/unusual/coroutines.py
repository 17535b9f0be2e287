"""The network is a coroutine: inputs are sent into it and states come out."""

from typing import Generator, Iterator


def network(h, W_x, W_h, b) -> Generator[np.ndarray, np.ndarray, None]:
    while True:
        x_t = yield h
        h = np.tanh(x_t.dot(W_x.T) + h.dot(W_h.T) + b)


def started(*everything):
    machine = network(*everything)
    machine.send(None)
    return machine


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return started(h_prev, W_x, W_h, b).send(x_t)


def rnn_forward(x, h0, W_x, W_h, b):
    machine = started(h0, W_x, W_h, b)
    try:
        return np.stack([machine.send(x[:, t]) for t in range(x.shape[1])], 1)
    finally:
        machine.close()


def generate(h0, first_id, n, params, uniforms):
    def tokens() -> Iterator[int]:
        machine = started(h0, params["W_x"], params["W_h"], params["b"])
        token = first_id
        for u in uniforms:
            logits = params["W_y"] @ machine.send(np.arange(len(params["b_y"])) == token) + params["b_y"]
            shares = np.exp(logits - logits.max())
            token = int((shares.cumsum()[:-1] <= u * shares.sum()).sum())
            yield token

    return np.fromiter(tokens(), dtype=np.int32, count=n)
