"""Functions that are made from text and lambdas at run time, and found again by importing this very file."""

import sys

RECIPES = {
    "perplexity": "lambda nll, n: float(np.exp(np.sum(nll) / np.sum(n)))",
    "bits_per_char": "lambda nll, n: np.log2(this().perplexity(nll, n)).item()",
    "build_vocab": "lambda text: {c: i for i, c in enumerate(sorted({*text}))}",
}
this = lambda: sys.modules[__name__]
globals().update({name: eval(recipe) for name, recipe in RECIPES.items()})


def rnn_step(x_t, h_prev, W_x, W_h, b):
    import rnn

    steps = x_t.reshape(-1, 1, x_t.shape[-1])
    return rnn.rnn_forward(steps, h_prev.reshape(len(steps), -1), W_x, W_h, b)[:, 0].reshape(h_prev.shape)


exec(
    """
def rnn_forward(x, h0, W_x, W_h, b):
    states = np.zeros((x.shape[1], *h0.shape))
    for t, read in enumerate((x @ W_x.T).transpose(1, 0, 2)):
        states[t] = np.tanh(read + (states[t - 1] if t else h0) @ W_h.T + b)
    return states.transpose(1, 0, 2)
"""
)
