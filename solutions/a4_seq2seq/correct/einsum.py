"""Every product an einsum, masks as factors, weights of zeros from the start where nothing may be looked at."""

import torch


def decoder_inputs(targets, bos):
    first = torch.full_like(targets[:, :1], bos)
    return torch.cat((first, targets[:, :-1]), dim=1)


def dot_score(q, k):
    return torch.einsum("nid,njd->nij", q, k)


def bilinear_score(q, k, W):
    return torch.einsum("nid,de,nje->nij", q, W, k)


def mlp_score(q, k, W, w):
    W_q, W_k = W.split([q.shape[-1], k.shape[-1]], dim=1)
    hidden = torch.einsum("ad,nid->nia", W_q, q).unsqueeze(2) + torch.einsum("ad,njd->nja", W_k, k).unsqueeze(1)
    return torch.einsum("a,nija->nij", w, hidden.tanh())


def masked_softmax(scores, mask):
    allowed = mask.to(scores.dtype)
    low = torch.finfo(scores.dtype).min
    top = torch.where(mask, scores, low).amax(dim=-1, keepdim=True)
    top = torch.where(top == low, torch.zeros_like(top), top).detach()
    raised = torch.exp((scores - top) * allowed) * allowed
    total = raised.sum(dim=-1, keepdim=True)
    return raised / torch.where(total == 0, torch.ones_like(total), total)


def attention_context(weights, values):
    return torch.einsum("nij,njd->nid", weights, values)


class AttentionDecoder(AttentionDecoder):
    def step(self, y_prev, state, enc, mask):
        h = self.cell(self.embedding(y_prev), state)
        hidden = self.W_score[:, : h.shape[1]] @ h.T  # (attn, batch)
        hidden = torch.einsum("an->na", hidden)[:, None] + torch.einsum(
            "ae,nte->nta", self.W_score[:, h.shape[1] :], enc
        )
        scores = torch.einsum("nta,a->nt", hidden.tanh(), self.w_score)
        weights = masked_softmax(scores, mask)
        c = torch.einsum("nt,nte->ne", weights, enc)
        return self.output(torch.tanh(self.W_out(torch.cat((c, h), 1)))), h, weights.detach()


class LSTMAttentionDecoder(LSTMAttentionDecoder):
    def step(self, y_prev, state, enc, mask):
        W_h, W_k = self.W_score.split([state[0].shape[1], enc.shape[2]], dim=1)
        hidden = torch.einsum("ah,nh->na", W_h, state[0]).unsqueeze(1) + torch.einsum("ae,nte->nta", W_k, enc)
        weights = masked_softmax(torch.einsum("nta,a->nt", hidden.tanh(), self.w_score), mask)
        read = torch.cat((self.embedding(y_prev), torch.einsum("nt,nte->ne", weights, enc)), 1)
        state = self.cell(read, state)
        logits = torch.einsum("vf,nf->nv", self.output.weight, torch.cat((state[0], read), 1)) + self.output.bias
        return logits, state, weights.detach()


def masked_nll(logits, targets, pad):
    real = targets.ne(pad)
    log_p = logits[real] - logits[real].logsumexp(-1, keepdim=True)
    return (
        -torch.einsum("nv,nv->", log_p, torch.nn.functional.one_hot(targets[real], logits.shape[-1]).float())
        / real.sum()
    )
