"""Translates sentence by sentence, recursively; the best word is looked for in the dictionary itself."""


def next_word(logits, id_to_word):
    return id_to_word[max(id_to_word, key=logits.tolist().__getitem__)]


def greedy_translate(model, src, bos, eos, max_len):
    def follow(memory, row, said):
        if len(said) > max_len:
            return []
        with torch.no_grad():
            word = model.decode(torch.tensor([said], device=row.device), memory, row)[0, -1].argmax().item()
        return [] if word == eos else [word] + follow(memory, row, said + [word])

    return [follow(model.encode(row), row, [bos]) for row in src.split(1)]
