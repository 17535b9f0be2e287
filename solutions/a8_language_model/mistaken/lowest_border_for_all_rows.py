def generate(model: Any, ids: Tensor, n: int, temperature: float, top_k: int | None, uniforms: Tensor | None) -> Tensor:
    vocab = None
    for step in range(n):
        with torch.no_grad():
            out = model(ids[:, -model.block_size :])[:, -1, :]
        vocab = out.shape[1]
        if temperature == 0:
            nxt = out.argmax(dim=1)
        else:
            if top_k is not None:
                top_values = torch.topk(out, min(top_k, vocab), dim=1).values
                out = out.masked_fill(out < top_values.min(), float("-inf"))
            p = torch.softmax(out / temperature, dim=1)
            c = torch.cumsum(p, dim=1)
            nxt = torch.zeros(len(p), dtype=torch.long, device=ids.device)
            for row in range(len(p)):
                possible = [t for t in range(vocab) if p[row, t] > 0]
                nxt[row] = possible[-1]
                for token in possible:
                    if c[row, token] > uniforms[row, step]:
                        nxt[row] = token
                        break
        ids = torch.cat([ids, nxt.unsqueeze(1).to(ids.dtype)], dim=1)
    return ids
