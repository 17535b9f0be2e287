"""Target sentences as lists of Python numbers, and the loss as a loop over the real words only."""


def decoder_inputs(targets, bos):
    print("teacher forcing", tuple(targets.shape))
    return torch.tensor([[bos] + sentence[:-1] for sentence in targets.tolist()], dtype=targets.dtype, device=targets.device)


def masked_nll(logits, targets, pad):
    def losses():
        for sentence, words in zip(logits, targets.tolist()):
            for scores, word in zip(sentence, words):
                if word != pad:
                    yield scores.logsumexp(0) - scores[word]

    return torch.stack([*losses()]).mean()
