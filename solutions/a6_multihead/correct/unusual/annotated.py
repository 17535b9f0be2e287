"""A method whose annotation names torch's module, unquoted."""


class MultiHeadAttention(MultiHeadAttention):
    def load(self, other: nn.MultiheadAttention) -> None:
        self.W_q.weight.data = other.in_proj_weight.chunk(3)[0]
