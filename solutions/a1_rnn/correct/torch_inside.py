"""Lets torch do the work and returns numpy arrays."""

import numpy as np
import torch


def _t(a):
    return torch.tensor(np.ascontiguousarray(a))


def softmax(x, axis=-1):
    return torch.softmax(_t(x), dim=axis).numpy()


def _rnn(W_x, W_h, b):
    rnn = torch.nn.RNN(W_x.shape[1], W_x.shape[0], batch_first=True, dtype=torch.float64)
    rnn.load_state_dict(
        {"weight_ih_l0": _t(W_x), "weight_hh_l0": _t(W_h), "bias_ih_l0": _t(b), "bias_hh_l0": _t(np.zeros_like(b))}
    )
    return rnn


def rnn_step(x_t, h_prev, W_x, W_h, b):
    with torch.no_grad():
        return _rnn(W_x, W_h, b)(_t(x_t)[:, None], _t(h_prev)[None])[1][0].numpy()


def rnn_forward(x, h0, W_x, W_h, b):
    with torch.no_grad():
        return _rnn(W_x, W_h, b)(_t(x), _t(h0)[None])[0].numpy()


def output_probs(h, W_y, b_y):
    return torch.nn.functional.linear(_t(h), _t(W_y), _t(b_y)).softmax(dim=-1).numpy()


def next_token_loss(logits, targets, mask):
    targets = torch.where(_t(mask), _t(targets), -100)
    return torch.nn.functional.cross_entropy(_t(logits).flatten(0, 1), targets.flatten()).item()


def sequence_log_prob(logits, ids):
    log_probs = torch.log_softmax(_t(logits), dim=-1)
    return log_probs.gather(-1, _t(ids)[..., None]).squeeze(-1).sum(dim=-1).numpy()


def classify_sequence(x, h0, lengths, params):
    packed = torch.nn.utils.rnn.pack_padded_sequence(_t(x), _t(lengths), batch_first=True, enforce_sorted=False)
    with torch.no_grad():
        _, last = _rnn(params["W_x"], params["W_h"], params["b"])(packed, _t(h0)[None])
    return output_probs(last[0].numpy(), params["W_y"], params["b_y"])


def generate(h0, first_id, n, params, uniforms):
    h, x, ids = h0[None], np.eye(len(params["b_y"]))[[first_id]], []
    for u in uniforms:
        h = rnn_step(x, h, params["W_x"], params["W_h"], params["b"])
        cumulative = _t(output_probs(h[0], params["W_y"], params["b_y"])).cumsum(0)
        ids.append(min(torch.searchsorted(cumulative, float(u), right=True).item(), len(cumulative) - 1))
        x = np.eye(len(params["b_y"]))[ids[-1:]]
    return np.array(ids)


def caption(image, W_i, params, bos, eos, max_len):
    state, word = torch.nn.functional.linear(_t(image)[None], _t(W_i)).tanh().numpy(), torch.tensor([bos])
    words = []
    for _ in range(max_len):
        x = torch.nn.functional.one_hot(word, len(params["b_y"])).double().numpy()
        state = rnn_step(x, state, params["W_x"], params["W_h"], params["b"])
        word = _t(output_probs(state, params["W_y"], params["b_y"])).argmax(dim=-1)
        words.append(word)
        if word == eos:
            break
    return torch.cat(words).numpy()
