"""Lets torch do the work and returns numpy arrays."""

import numpy as np
import torch


def _t(a):
    return torch.tensor(np.ascontiguousarray(a))


def online_softmax(blocks):
    m, logs, y = torch.tensor(-torch.inf, dtype=torch.float64), [], []
    for s, v in [(_t(s).double(), v) for s, v in blocks]:
        m = torch.maximum(m, s.max())
        logs.append(s.logsumexp(0))
        y.append(
            s.softmax(0) @ _t(v).double() if torch.isfinite(s.max()) else torch.zeros(v.shape[-1], dtype=torch.float64)
        )
    logs = torch.stack(logs)
    return float(m), float((logs.logsumexp(0) - m).exp()), (logs.softmax(0) @ torch.stack(y)).numpy()


def tiled_attention(q, k, v, block, causal=False):
    q, k, v = _t(q), _t(k), _t(v)
    first = k.shape[-2] - q.shape[-2]
    out, lse = (
        torch.zeros(*q.shape[:-1], v.shape[-1], dtype=q.dtype),
        torch.full(q.shape[:-1], -torch.inf, dtype=q.dtype),
    )
    for start, (keys, values) in enumerate(zip(k.split(block, -2), v.split(block, -2))):
        s = q @ keys.mT / q.shape[-1] ** 0.5
        if causal:
            s = s.masked_fill(~torch.ones(s.shape[-2:], dtype=torch.bool).tril(first - start * block), -torch.inf)
        here = s.logsumexp(-1)
        both = torch.logaddexp(lse, here)
        out = out * (lse - both).exp()[..., None] + (s - both[..., None]).exp() @ values
        lse = both
    return out.numpy(), lse.numpy()


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    dout, q, k, v, output, lse = map(_t, (dout, q, k, v, output, logsumexp))
    places = torch.arange(k.shape[-2])
    D = (dout * output).sum(-1, keepdim=True)
    dq, dk, dv = torch.zeros_like(q), [], []
    for keys, values, place in zip(k.split(block, -2), v.split(block, -2), places.split(block)):
        p = (q @ keys.mT / q.shape[-1] ** 0.5 - lse[..., None]).exp()
        if causal:
            p = p.where(place <= places[k.shape[-2] - q.shape[-2] :, None], torch.zeros((), dtype=p.dtype))
        ds = p * (dout @ values.mT - D) / q.shape[-1] ** 0.5
        dq += ds @ keys
        dk.append(ds.mT @ q)
        dv.append(p.mT @ dout)
    return dq.numpy(), torch.cat(dk, -2).numpy(), torch.cat(dv, -2).numpy()


def roofline(intensity, peak, bandwidth):
    return (torch.as_tensor(intensity, dtype=torch.float64) * bandwidth).clamp(max=peak).numpy()


def paged_gather(pages, tables, lengths):
    rows = [_t(pages)[_t(table[: -(-n // pages.shape[1])])].flatten(0, 1)[:n] for table, n in zip(tables, lengths)]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True).numpy()


def accept(draft, p, q, u):
    p, q, u = _t(p), _t(q), _t(u)
    for i, token in enumerate(draft.tolist()):
        if u[i] >= p[i, token] / q[i, token]:
            rest = torch.relu(p[i] - q[i])
            break
    else:
        i, rest = len(draft), p[len(draft)]
    sums = (rest / rest.sum()).cumsum(0)
    return [*draft.tolist()[:i], int(torch.searchsorted(sums, u[-1], right=True))]


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    parameters = [torch.nn.Parameter(_t(w)) for w in weights]
    for parameter, grad in zip(parameters, grads):
        parameter.grad = _t(grad).to(parameter.dtype) / scale
    if not all(parameter.grad.isfinite().all() for parameter in parameters):
        return [w.copy() for w in weights], scale / 2, 0
    torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    torch.optim.SGD(parameters, lr=lr).step()
    new = [parameter.detach().numpy() for parameter in parameters]
    return (new, scale * 2.0, 0) if good + 1 >= interval else (new, scale, good + 1)
