def embedding_backward(d_out, ids, vocab_size):
    embed_dim = d_out.shape[1]
    dE = np.zeros((vocab_size, embed_dim))
    for b in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            dE[ids[b, t]] += d_out[b, t]
    return dE
