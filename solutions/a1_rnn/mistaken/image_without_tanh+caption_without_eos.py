"""The image is the first state, as the linear layer makes it; the end is no word."""
import numpy as np


def caption(image, W_i, params, bos, eos, max_len):
    h, words = W_i.dot(image), [bos]
    while len(words) <= max_len:
        h = rnn_step(np.eye(len(params["b_y"]))[words[-1]], h, params["W_x"], params["W_h"], params["b"])
        word = int(output_probs(h, params["W_y"], params["b_y"]).argmax())
        if word == eos:
            break
        words.append(word)
    return np.array(words[1:], dtype=int)
