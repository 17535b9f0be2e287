"""Makes numpy raise at every overflow and invalid operation, and lives with it."""

np.seterr(over="raise", invalid="raise", divide="raise")


def softmax(x, axis=-1):
    try:
        raised = np.exp(x)
        return raised / raised.sum(axis=axis, keepdims=True)
    except FloatingPointError:
        lowest = x.max(axis=axis, keepdims=True)
        return softmax(x - lowest, axis)


def next_token_loss(logits, targets, mask):
    losses = []
    for row, steps in zip(*np.where(mask)):
        z = logits[row, steps] - logits[row, steps].max()
        try:
            losses.append(-np.log(np.exp(z)[targets[row, steps]] / np.exp(z).sum()))
        except FloatingPointError:
            losses.append(np.log(np.exp(z).sum()) - z[targets[row, steps]])
    return np.mean(losses)
