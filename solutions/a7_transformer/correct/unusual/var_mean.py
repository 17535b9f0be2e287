"""Asks torch for variance and mean at once, and keeps gamma and beta in a diagonal matrix and a ParameterDict."""


def affine(gamma, beta):
    return nn.ParameterDict({"gamma": nn.Parameter(gamma, gamma.requires_grad), "beta": beta}), torch.diag(gamma)


def layer_norm(x, gamma, beta, eps):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt() @ affine(gamma, beta)[1].to(x) + beta


def batch_norm(x, gamma, beta, eps):
    var, mean = torch.var_mean(x, dim=(0, 1), unbiased=False)
    return torch.stack([(one - mean) * torch.rsqrt(var + eps) * gamma + beta for one in x])
