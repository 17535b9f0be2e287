"""The student divides by torch.std plus eps, as many tutorials do."""


def layer_norm(x, gamma, beta, eps):
    return gamma * (x - x.mean(dim=-1, keepdim=True)) / (x.std(dim=-1, keepdim=True) + eps) + beta
