"""Carries a method that builds torch's own module with its weights, to compare with at home, as the README suggests."""


class MultiHeadAttention(MultiHeadAttention):
    def as_torch(self):
        twin = nn.MultiheadAttention(self.W_q.in_features, self.n_heads, batch_first=True)
        with torch.no_grad():
            twin.in_proj_weight.copy_(torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight]))
        return twin
