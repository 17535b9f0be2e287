def softmax(x, axis=-1):
    biggest = x.max(axis, keepdims=True)
    x -= biggest
    np.exp(x, out=x)
    total = x.sum(axis, keepdims=True)
    return x / total
