"""Decoding on numpy arrays, with the step function the only thing that is torch; lists of 0-d tensors as ids."""

import numpy as np
import torch


def greedy_decode(step, state, bos, eos, pad, max_len):
    n = state.shape[0]
    ids, word, over = np.full((n, max_len), pad), np.full(n, bos), np.zeros(n, bool)
    for t in range(max_len):
        if over.all():
            break
        logits, state = step(torch.from_numpy(word).to(state.device), state)
        word = logits.cpu().numpy().argmax(axis=-1)
        word = np.where(over, eos, word)
        ids[~over, t] = word[~over]
        over |= word == eos
    return torch.from_numpy(ids).to(state.device)


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    def log_softmax(x):
        x = x - x.max(axis=-1, keepdims=True)
        return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))

    ids, totals = np.zeros((1, 0), int), np.zeros(1)
    pool = []
    for _ in range(max_len):
        last = ids[:, -1] if ids.shape[1] else np.array([bos])
        logits, state = step(torch.tensor(last, device=state.device), state)
        grown = totals[:, None] + log_softmax(logits.cpu().numpy().astype(np.float64))
        flat = np.argsort(-grown, axis=None)[: width - len(pool)]
        parent, word = np.unravel_index(flat, grown.shape)
        totals = grown[parent, word]
        ids = np.concatenate([ids[parent], word[:, None]], axis=1)
        going = word != eos
        pool += list(zip(ids[~going], totals[~going]))
        state, ids, totals = state[torch.from_numpy(parent[going])], ids[going], totals[going]
        if not going.any():
            break
    pool += list(zip(ids, totals))
    scores = [total / np.power((5 + len(row)) / 6, length_penalty) for row, total in pool]
    winner = int(np.argmax(scores))
    return [torch.tensor(word) for word in pool[winner][0]], scores[winner]
