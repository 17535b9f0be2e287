"""Sorts the rows by length and drops those that have ended; returns big-endian numbers in Fortran's order."""


def classify_sequence(x, h0, lengths, params):
    order = np.argsort(-lengths, kind="stable")
    x, h, lengths = x[order], h0[order].copy(), lengths[order]
    for t in range(lengths[0]):
        going = np.count_nonzero(lengths > t)
        h[:going] = rnn_step(x[:going, t], h[:going], params["W_x"], params["W_h"], params["b"])
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return np.asfortranarray(output_probs(h, params["W_y"], params["b_y"])[back]).astype(">f8", order="F")
