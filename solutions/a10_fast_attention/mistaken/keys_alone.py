"""The student counts one vector for each token, head and layer."""

import math


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    total = 0
    for n in lengths:
        total += math.ceil(n / page) * page * layers * kv_heads * d_head * bytes_each
    return total
