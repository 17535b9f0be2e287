"""Draws by what is left: the smallest id behind which less than 1 - u remains, all in double precision."""


def generate(model, ids, n, temperature, top_k, uniforms):
    ids = ids.clone()
    with torch.inference_mode():
        for step in range(n):
            z = model(ids[:, -model.block_size :])[:, -1].double()
            if not temperature:
                ids = torch.column_stack((ids, z.max(dim=1).indices))
                continue
            if top_k is not None and top_k < z.shape[1]:
                border = z.sort(dim=1, descending=True).values[:, top_k - 1 : top_k]
                z = torch.where(z >= border, z, -torch.inf)
            shares = (z / temperature).softmax(dim=1)
            left = shares.flip(1).cumsum(1).flip(1) - shares
            ids = torch.column_stack((ids, ((left >= 1 - uniforms[:, [step]].double()) | (shares.cumsum(1) == 0)).sum(1)))
    return ids
