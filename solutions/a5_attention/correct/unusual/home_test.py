"""Leaves a test of its own at the end, which compares with torch, by a name that is also a local variable elsewhere."""


def attention(Q, K, V, mask=None):
    reference = attention_scores(Q, K)
    return attention_weights(reference, mask) @ V


def test_at_home():
    import torch
    from torch.nn.functional import scaled_dot_product_attention as reference

    Q, K, V = torch.randn(3, 2, 4, 5)
    assert np.allclose(attention(*(x.numpy() for x in (Q, K, V))), reference(Q, K, V).numpy(), atol=1e-5)
