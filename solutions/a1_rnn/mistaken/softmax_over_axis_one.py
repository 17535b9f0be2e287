def output_probs(h, W_y, b_y):
    scores = np.matmul(h, W_y.T)
    scores = scores + b_y
    return softmax(scores, axis=1)
