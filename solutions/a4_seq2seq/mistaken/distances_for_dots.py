"""What is near scores high."""
import torch


def dot_score(q, k):
    return -torch.cdist(q, k, compute_mode="donot_use_mm_for_euclid_dist").square()
