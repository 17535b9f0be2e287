"""A bilinear score is the dot score of queries that went through the matrix."""


def bilinear_score(q, k, W):
    return dot_score(q @ W, k)
