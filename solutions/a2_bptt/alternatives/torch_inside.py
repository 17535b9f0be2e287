"""Lets torch do the work, autograd included, and returns numpy arrays."""

import numpy as np
import torch


def _t(a, grad=False):
    return torch.tensor(np.ascontiguousarray(a), requires_grad=grad)


def _back(*tensors):
    return tuple(a.grad.numpy() for a in tensors)


def loss_backward(logits, targets, mask):
    scores = _t(logits, grad=True)
    ignored = np.where(mask, targets, -100).ravel()
    torch.nn.functional.cross_entropy(scores.flatten(0, 1), _t(ignored), ignore_index=-100).backward()
    return scores.grad.numpy()


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dx, dh_prev, dW_x, dW_h, db = rnn_backward(dh[:, None], (x_t[:, None], h_prev, h_t[:, None], W_x, W_h))
    return dx[:, 0], dh_prev, dW_x, dW_h, db


def rnn_backward(dh, cache):
    x, h0, W_x, W_h = (_t(cache[i], grad=True) for i in (0, 1, 3, 4))
    b = torch.zeros(len(W_h), dtype=W_h.dtype, requires_grad=True)
    h, state, states = _t(cache[2]), h0, []
    for t in range(x.shape[1]):
        z = x[:, t] @ W_x.T + state @ W_h.T + b
        state = torch.tanh(z - z.detach() + torch.atanh(h[:, t]))
        states.append(state)
    torch.stack(states, dim=1).backward(_t(dh))
    return _back(x, h0, W_x, W_h, b)


def embedding_backward(d_out, ids, vocab_size):
    table = torch.zeros(vocab_size, d_out.shape[-1], dtype=torch.float64, requires_grad=True)
    torch.nn.functional.embedding(_t(ids), table).backward(_t(d_out))
    return table.grad.numpy()


def truncated_bptt(x, targets, h0, params, k):
    p = {name: _t(value, grad=True) for name, value in params.items()}
    state, inputs, gold, total = _t(h0), _t(x), _t(targets), 0.0
    for now, wanted in zip(inputs.split(k, dim=1), gold.split(k, dim=1)):
        state, outputs = state.detach(), []
        for x_t in now.unbind(1):
            state = torch.tanh(x_t @ p["W_x"].T + state @ p["W_h"].T + p["b"])
            outputs.append(state @ p["W_y"].T + p["b_y"])
        logits = torch.stack(outputs, dim=1)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), reduction="sum") / gold.numel()
        loss.backward()
        total += loss.item()
    return total, {name: a.grad.numpy() for name, a in p.items()}


def clip_grad_norm(grads, max_norm):
    holders = {}
    for name, g in grads.items():
        holders[name] = torch.zeros(g.shape, dtype=torch.float64, requires_grad=True)
        holders[name].grad = _t(g)
    norm = torch.nn.utils.clip_grad_norm_(list(holders.values()), max_norm)
    return {name: a.grad.numpy() for name, a in holders.items()}, norm.item()


def gradient_norms(dh_last, cache):
    h, W_h = _t(cache[2]), _t(cache[4])
    flowing, norms = _t(dh_last), []
    for t in range(h.shape[1])[::-1]:
        norms.append(flowing.norm().item())
        flowing = (flowing * (1 - h[:, t] ** 2)) @ W_h
    return np.flip(norms)
