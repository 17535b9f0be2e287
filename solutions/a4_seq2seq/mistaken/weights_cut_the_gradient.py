class AttentionDecoder(nn.Module):
    """Write the target, and look at all states of the encoder again at every step.

    Parameters: embedding.weight (vocab_size, embed_size); cell, a torch.nn.GRUCell that reads the embedding; W_score
    (attn_size, hidden_size + enc_size) and w_score (attn_size,) of mlp_score; W_out, a Linear without bias that reads
    [c; h]; output, a Linear that makes the logits.
    """

    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, enc_size: int, attn_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.cell = nn.GRUCell(embed_size, hidden_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.W_out = nn.Linear(enc_size + hidden_size, hidden_size, bias=False)
        self.output = nn.Linear(hidden_size, vocab_size)

    def step(self, y_prev, state, enc, mask):
        embedded = self.embedding(y_prev)
        new_state = self.cell(embedded, state)
        scores = mlp_score(new_state.unsqueeze(1), enc, self.W_score, self.w_score)
        attn = masked_softmax(scores, mask.unsqueeze(1)).squeeze(1).detach()  # only for looking at
        context = torch.bmm(attn.unsqueeze(1), enc).squeeze(1)
        out = torch.tanh(self.W_out(torch.cat([context, new_state], dim=-1)))
        return self.output(out), new_state, attn
