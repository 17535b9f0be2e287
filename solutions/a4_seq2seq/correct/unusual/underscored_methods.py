"""Methods that end in an underscore, on tensors of its own; shares of nothing are nothing over one."""


def masked_softmax(scores, mask):
    work = scores.clone().masked_fill_(~mask, -1e5)
    raised = work.sub_(work.detach().amax(-1, keepdim=True)).exp() * mask
    total = raised.sum(-1, keepdim=True)
    return raised / (total + (total == 0))


def decoder_inputs(targets, bos):
    return targets.roll(1, dims=1).index_fill_(1, torch.tensor([0], device=targets.device), bos)


def bilinear_score(q, k, W):
    out = q.new_zeros(q.shape[0], q.shape[1], k.shape[1])
    return out.baddbmm_(q.matmul(W), k.permute(0, 2, 1))
