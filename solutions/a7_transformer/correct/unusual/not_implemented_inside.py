"""Raises NotImplementedError for its own purposes and catches it, and leaves the stub's line where nobody comes by."""


def next_word(logits, id_to_word):
    try:
        if logits.dim() == 1:
            raise NotImplementedError("no batches")
        return [id_to_word[int(i)] for i in logits.argmax(-1)]
    except NotImplementedError:
        return id_to_word[int(logits.argsort()[-1])]
    raise NotImplementedError


class FeedForward(FeedForward):
    def norm(self, x):
        raise NotImplementedError

    def forward(self, x):
        if False:
            raise NotImplementedError
        return self.contract(torch.maximum(self.expand(x), torch.zeros(())))
