"""One perplexity per text, and the average of them."""
import numpy as np


def perplexity(nll, n):
    texts = zip(np.atleast_1d(nll), np.atleast_1d(n))
    each = [float(np.exp(a / m)) for a, m in texts]
    return sum(each) / len(each)
