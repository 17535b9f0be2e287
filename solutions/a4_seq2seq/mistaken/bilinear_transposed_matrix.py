"""q^T W k: W works on the query, so W q, and then the dot product."""
import torch


def bilinear_score(q, k, W):
    return torch.einsum("nid,njd->nij", torch.einsum("ab,nib->nia", W, q), k)
