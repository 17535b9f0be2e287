def attention_context(weights, values):
    return torch.einsum("bij,bid->bjd", weights, values)
