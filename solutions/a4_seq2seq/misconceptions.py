"""Known mistakes of a4_seq2seq, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.mistakes import edit, mistakes_of

INPUTS = mistakes_of(
    "decoder_inputs",
    no_shift=edit(
        "inputs[:, 1:] = targets[:, :-1]\n    inputs[:, 0] = bos",
        "pass",
        "inputs_are_shifted_by_one",
        "Your decoder reads at each position the very word that it has to say there. It would learn to copy, and "
        "be lost on its own.",
    ),
    bos_instead_of_first_word=edit(
        "inputs[:, 1:] = targets[:, :-1]\n    ",
        "",
        "inputs_are_shifted_by_one",
        "Your BOS overwrites the first word, and the others stay where they are. Nothing is shifted, so from the "
        "second position on the decoder reads what it has to say.",
    ),
    shifted_twice=edit(
        "inputs[:, 1:] = targets[:, :-1]\n    inputs[:, 0] = bos",
        "inputs[:, 2:] = targets[:, :-2]\n    inputs[:, :2] = bos",
        "inputs_are_shifted_by_one",
        "Your inputs are shifted by two. The decoder never reads the word just before the one that it has to say.",
    ),
    shifted_to_the_left=edit(
        "inputs[:, 1:] = targets[:, :-1]\n    inputs[:, 0] = bos",
        "inputs[:, :-1] = targets[:, 1:]\n    inputs[:, -1] = bos",
        "inputs_are_shifted_by_one",
        "Your inputs are shifted the other way: at each position the decoder reads the word after the one that it "
        "has to say.",
    ),
    last_target_is_read_too=edit(
        "return inputs",
        "return torch.cat([inputs[:, :1], targets], dim=1)",
        "inputs_are_shifted_by_one",
        "Your inputs are one longer than the targets: BOS, and then all of them. Nothing comes "
        "after EOS, so the last target is never read.",
    ),
    last_target_comes_first=edit(
        "inputs[:, 0] = bos\n    return inputs",
        "inputs[:, 0] = targets[:, -1]\n    return inputs",
        "inputs_are_shifted_by_one",
        "Your inputs are rolled: what falls out at the end, EOS or padding, comes in at the front, where BOS belongs.",
    ),
    bos_is_missing=edit(
        "return inputs",
        "return inputs[:, 1:]",
        "inputs_are_shifted_by_one",
        "Your inputs have no BOS, so the decoder has nothing to read when it says its first word.",
    ),
    bos_in_first_row_only=edit(
        "inputs[:, 0] = bos\n    return inputs",
        "inputs[0, 0] = bos\n    return inputs",
        "each_row_is_shifted_by_itself",
        "Your BOS stands in the first row only. Every sentence begins with one.",
    ),
    shifted_along_the_batch=edit(
        "inputs[:, 1:] = targets[:, :-1]",
        "inputs[1:] = targets[:-1]",
        "each_row_is_shifted_by_itself",
        "Your shift goes along the batch: each row reads the sentence of the row above. Axis 1 is time.",
    ),
    bos_everywhere=edit(
        "inputs[:, 1:] = targets[:, :-1]\n    inputs[:, 0] = bos",
        "inputs[:] = bos",
        "inputs_are_shifted_by_one",
        "Your decoder reads BOS at every position, and so never learns what was said before.",
    ),
    bos_at_both_ends=edit(
        "inputs[:, 0] = bos\n    return inputs",
        "inputs[:, 0] = inputs[:, -1] = bos\n    return inputs",
        "inputs_are_shifted_by_one",
        "Your last input is BOS, too. It is read once, at the very beginning.",
    ),
    targets_shifted_in_place=edit(
        "inputs = targets.clone()\n    inputs[:, 1:] = targets[:, :-1]",
        "inputs = targets\n    inputs[:, 1:] = targets[:, :-1].clone()",
        "targets_can_be_used_again",
        "Your inputs are right, but they are written over the caller's targets, and now the loss has nothing to "
        "compare with.",
    ),
    bos_over_the_first_row=edit(
        "inputs[:, 0] = bos\n    return inputs",
        "inputs[0] = bos\n    return inputs",
        "each_row_is_shifted_by_itself",
        "Your BOS fills the first row, from end to end. `inputs[0]` is a row; every sentence needs BOS in its first column.",
    ),
    bos_over_the_first_row_of_a_roll=edit(
        "inputs = targets.clone()\n    inputs[:, 1:] = targets[:, :-1]\n    inputs[:, 0] = bos",
        "inputs = targets.roll(1, dims=1)\n    inputs[0] = bos",
        "each_row_is_shifted_by_itself",
        "Your BOS fills the first row, from end to end. `inputs[0]` is a row; every sentence needs BOS in its first column.",
    ),
    bos_at_the_end=edit(
        "inputs[:, 1:] = targets[:, :-1]\n    inputs[:, 0] = bos",
        "inputs[:, -1] = bos",
        "inputs_are_shifted_by_one",
        "Your BOS stands at the end, and nothing is shifted: the decoder reads the very word that it has to say.",
    ),
    rows_rolled=edit(
        "inputs = targets.clone()\n    inputs[:, 1:] = targets[:, :-1]\n    inputs[:, 0] = bos",
        "inputs = targets.roll(1, dims=0)\n    inputs[:, 0] = bos",
        "each_row_is_shifted_by_itself",
        "Your roll moves the rows of the batch, not the words of a row: each sentence reads another one's words. Axis 1 is time.",
    ),
    first_word_runs_through=edit(
        "inputs[:, 1:] = targets[:, :-1]\n    inputs[:, 0] = bos",
        "for t in range(1, targets.shape[1]):\n        inputs[:, t] = inputs[:, t - 1]\n    inputs[:, 0] = bos",
        "inputs_are_shifted_by_one",
        "Your first word runs through the whole row: each position copies the one before, which has been overwritten already. "
        "Read from targets, write to a copy.",
    ),
    first_word_runs_through_targets=edit(
        "inputs = targets.clone()\n    inputs[:, 1:] = targets[:, :-1]\n    inputs[:, 0] = bos",
        "inputs = targets\n    for t in range(1, targets.shape[1]):\n        inputs[:, t] = targets[:, t - 1]\n"
        "    inputs[:, 0] = bos",
        "inputs_are_shifted_by_one",
        "Your first word runs through the whole row, since inputs and targets are one tensor: each position copies the one "
        "before, which has been overwritten already.",
    ),
    bos_not_a_tensor=edit(
        "inputs = targets.clone()\n    inputs[:, 1:] = targets[:, :-1]\n    inputs[:, 0] = bos",
        "inputs = torch.cat([bos, targets[:, :-1]], dim=1)",
        "inputs_are_shifted_by_one",
        "Your `cat` gets BOS as a plain number. It joins tensors: BOS has to be a column, an entry for each row.",
    ),
    bos_without_an_axis_of_time=edit(
        "inputs = targets.clone()\n    inputs[:, 1:] = targets[:, :-1]\n    inputs[:, 0] = bos",
        "inputs = torch.cat([torch.full((targets.shape[0],), bos), targets[:, :-1]], dim=1)",
        "inputs_are_shifted_by_one",
        "Your column of BOS has one axis only, (batch,). To stand beside the targets it needs one for time, too: (batch, 1).",
    ),
    inputs_are_floats=edit(
        "inputs = targets.clone()",
        "inputs = targets.float()",
        "inputs_are_shifted_by_one",
        "Your inputs are floats, as of `torch.ones` or `torch.full` with a float. They are ids, with which an embedding is indexed: give "
        "new tensors the dtype of targets.",
    ),
)

ENCODER = mistakes_of(
    "Encoder",
    final_after_the_padding=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = outputs[:, -1]",
        "short_rows_end_earlier",
        "Your `final` is the state of the last column. In a short row the GRU has read padding by then, and its "
        "state depends on how long the other rows are.",
    ),
    final_is_a_padded_zero=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = states[:, -1]",
        "short_rows_end_earlier",
        "Your `final` is the last column of the states, which is zero in short rows. Each row ends at a place of "
        "its own.",
    ),
    final_one_too_late=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = outputs[torch.arange(src.shape[0]), lengths.clamp(max=src.shape[1] - 1)]",
        "short_rows_end_earlier",
        "Your `final` is one position too late: it has read the first padding. Positions count from 0.",
    ),
    encoder_goes_on_from_the_last_batch=edit(
        "outputs, _ = self.rnn(embedded)",
        "outputs, self.last = self.rnn(embedded, getattr(self, 'last', None))",
        "each_batch_begins_anew",
        "Your encoder begins with the state in which the batch before it has ended. Its sentences have nothing to do with these: "
        "each batch begins with zeros.",
    ),
    final_is_the_first=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = states[:, 0]",
        "a_single_sentence",
        "Your `final` is the first state. It has read one word; the last one has read them all.",
    ),
    final_is_the_mean=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = states.sum(dim=1) / lengths[:, None]",
        "a_single_sentence",
        "Your `final` is the mean of the states. That can work, but asked for is the state after the last word.",
    ),
    final_is_the_maximum=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = states.max(dim=1).values",
        "a_single_sentence",
        "Your `final` is the largest value of each feature over time. Asked for is the state after the last word.",
    ),
    one_length_for_all=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = states[:, lengths[0] - 1]",
        "short_rows_end_earlier",
        "Your `final` is taken at the same position in all rows, where the first row ends. Each row has a length "
        "of its own.",
    ),
    padding_not_zeroed=edit(
        "states = outputs * real[:, :, None]",
        "states = outputs",
        "short_rows_end_earlier",
        "Your states go on behind the end of a row: there they are what the GRU makes of padding. They should be zero.",
    ),
    ids_instead_of_lengths=edit(
        "real = torch.arange(src.shape[1], device=src.device) < lengths[:, None]",
        "real = src != 0\n        lengths = real.sum(dim=1)",
        "short_rows_end_earlier",
        "Your encoder takes id 0 for padding. Which positions are real is what `lengths` says; 0 may be a word, "
        "and padding may be anything.",
    ),
    one_padded_state_kept=edit(
        "< lengths[:, None]",
        "<= lengths[:, None]",
        "short_rows_end_earlier",
        "Your mask lets one padded position through. With a length of n, the real positions are 0 to n - 1.",
    ),
    states_cut_to_the_longest=edit(
        "return states, final",
        "return states[:, : int(lengths.max())], final",
        "all_rows_may_be_short",
        "Your states are only as long as the longest row (unpacking does that, unless it is told the total "
        "length). They should have as many positions as src.",
    ),
    final_with_an_axis_for_layers=edit(
        "return states, final",
        "return states, final[None]",
        "a_single_sentence",
        "Your `final` still has the GRU's axis of layers in front: torch returns its last state as (layers, "
        "batch, hidden).",
    ),
    states_and_final_swapped=edit(
        "return states, final",
        "return final, states",
        "a_single_sentence",
        "Your two results have changed places: first all states, then the final one.",
    ),
    read_backwards=edit(
        "outputs, _ = self.rnn(embedded)",
        "outputs, _ = self.rnn(embedded.flip(1))",
        "a_single_sentence",
        "Your encoder reads the source from its end (Sutskever et al. 2014 did so to bring the first words closer "
        "together). Here it reads from left to right; turned round whole, a short row begins with its padding.",
    ),
    read_along_the_batch=edit(
        "outputs, _ = self.rnn(embedded)",
        "outputs = self.rnn(embedded.transpose(0, 1))[0].transpose(0, 1)",
        "short_rows_end_earlier",
        "Your GRU runs along the batch, from one sentence to the next. It was made with batch_first, so time is "
        "axis 1.",
    ),
    rows_stay_sorted=edit(
        "return states, final",
        "order = lengths.argsort(descending=True)\n        return states[order], final[order]",
        "short_rows_end_earlier",
        "Your rows come back sorted by length. Packing may need them sorted; afterwards they have to be put back.",
    ),
    embeddings_squashed=edit(
        "embedded = self.embedding(src)",
        "embedded = torch.tanh(self.embedding(src))",
        "a_single_sentence",
        "Your embeddings go through a tanh before the GRU reads them. The GRU reads them as they are.",
    ),
    each_word_on_its_own=edit(
        "outputs, _ = self.rnn(embedded)",
        "outputs = torch.stack([self.rnn(word[:, None])[0][:, 0] for word in embedded.unbind(1)], dim=1)",
        "a_single_sentence",
        "Your GRU starts again from zeros at every word. The state has to be carried along, or there is no memory.",
    ),
    final_without_gradient=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = states.detach()[torch.arange(src.shape[0]), lengths - 1]",
        "gradients_reach_the_recurrence",
        "Your `final` is cut off from the network (detach, .data or no_grad), so what the decoder learns from it "
        "never reaches the encoder.",
    ),
    put_back_by_the_same_order=edit(
        "return states, final",
        "order = lengths.argsort(descending=True)\n        return states[order][order], final[order][order]",
        "short_rows_end_earlier",
        "Your rows are sorted by length and indexed with the same order once more, which does not put them back. The way back "
        "is the inverse order: order.argsort().",
    ),
    final_stays_sorted=edit(
        "return states, final",
        "return states, final[lengths.argsort(descending=True)]",
        "short_rows_end_earlier",
        "Your `final` comes back sorted by length, and states in the order of src. Both belong to the rows as they came.",
    ),
    lengths_sorted_without_their_rows=edit(
        "embedded = self.embedding(src)",
        "embedded = self.embedding(src)\n        lengths = lengths.sort(descending=True).values",
        "short_rows_end_earlier",
        "Your lengths are sorted, and the rows are not, so each row gets the length of another one.",
    ),
    padding_zeroed_and_read=edit(
        """        outputs, _ = self.rnn(embedded)
        real = torch.arange(src.shape[1], device=src.device) < lengths[:, None]
        states = outputs * real[:, :, None]
        final = states[torch.arange(src.shape[0]), lengths - 1]
""",
        """        real = torch.arange(src.shape[1], device=src.device) < lengths[:, None]
        outputs, _ = self.rnn(embedded * real[:, :, None])
        states = outputs * real[:, :, None]
        final = outputs[:, -1]
""",
        "short_rows_end_earlier",
        "Your padding is set to zero and then read on to the last column. A zero input still is a step: the biases and the old "
        "state move the new one.",
    ),
    final_squeezed=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = states[torch.arange(src.shape[0]), lengths - 1].squeeze()",
        "a_single_sentence",
        "Your `squeeze()` takes away every axis of length one, so a batch of one sentence loses its batch axis. Name the axis.",
    ),
    final_where_the_longest_row_ends=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = states[:, lengths.max() - 1]",
        "short_rows_end_earlier",
        "Your `final` is taken where the longest row ends. Each row has a length of its own.",
    ),
    final_where_the_longest_row_ends_unmasked=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = outputs[:, lengths.max() - 1]",
        "short_rows_end_earlier",
        "Your `final` is taken where the longest row ends, so shorter ones have read padding by then. Each row has a length of "
        "its own.",
    ),
    rows_read_as_one=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "states, carried = torch.zeros_like(states), None\n"
        "        for n, length in enumerate(lengths.tolist()):\n"
        "            part, carried = self.rnn(embedded[n : n + 1, :length], carried)\n"
        "            states[n, :length] = part[0]\n"
        "        final = states[torch.arange(src.shape[0]), lengths - 1]",
        "short_rows_end_earlier",
        "Your second sentence goes on from the state in which the first one ended. Each row starts from zero.",
    ),
    padded_ids_overwritten=edit(
        "return states, final",
        "src[~real] = 0\n        return states, final",
        "ids_and_lengths_stay_as_they_are",
        "Your encoder sets the padded ids in the caller's src to 0. The states are right, but src is not yours to change.",
    ),
    encoder_states_time_first=edit(
        "return states, final",
        "return states.transpose(0, 1), final",
        "a_single_sentence",
        "Your states come as (T, batch, hidden). Here the batch comes first; does the unpacking know of batch_first?",
    ),
    final_of_one_feature=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = states.gather(1, (lengths - 1).view(-1, 1, 1)).squeeze(1)",
        "a_single_sentence",
        "Your `gather` picks a single feature for each row. Its index needs an entry for every feature, (batch, 1, hidden).",
    ),
    final_read_backwards=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = states[torch.arange(src.shape[0]), src.shape[1] - lengths]",
        "short_rows_end_earlier",
        "Your `final` is taken at T - length, as if the padding stood in front. It stands behind: the last word is at "
        "length - 1.",
    ),
    final_one_past_the_end=edit(
        "final = states[torch.arange(src.shape[0]), lengths - 1]",
        "final = outputs[torch.arange(src.shape[0]), lengths]",
        "a_single_sentence",
        "Your `final` is taken at position `lengths`, which is one too late, and does not exist in a row without padding. "
        "Positions count from 0.",
    ),
    zero_ids_masked=edit(
        "real = torch.arange(src.shape[1], device=src.device) < lengths[:, None]\n"
        "        states = outputs * real[:, :, None]\n"
        "        final = states[torch.arange(src.shape[0]), lengths - 1]",
        "real = src != 0\n"
        "        states = outputs * real[:, :, None]\n"
        "        final = outputs[torch.arange(src.shape[0]), lengths - 1]",
        "short_rows_end_earlier",
        "Your states are zero wherever the id is 0. Which positions are real is what `lengths` says; 0 may be a word, and "
        "padding may be anything.",
    ),
    states_without_gradient=edit(
        "return states, final",
        "return states.detach(), final",
        "the_encoder_can_learn",
        "Your states are cut off from the network (detach, .data or no_grad), so what attention reads of them teaches the "
        "encoder nothing.",
    ),
    states_stay_sorted=edit(
        "return states, final",
        "return states[lengths.argsort(descending=True)], final",
        "short_rows_end_earlier",
        "Your states come back sorted by length, and `final` in the order of src. Both belong to the rows as they came.",
    ),
    packed_without_sorting=edit(
        "outputs, _ = self.rnn(embedded)",
        "nn.utils.rnn.pack_padded_sequence(embedded, lengths.cpu(), batch_first=True)\n        outputs, _ = self.rnn(embedded)",
        "short_rows_end_earlier",
        "Your rows are packed as they come, and packing wants the longest first, unless `enforce_sorted=False` allows any "
        "order.",
    ),
)

DOT = mistakes_of(
    "dot_score",
    queries_of_length_one=edit(
        "return q @ k.transpose(1, 2)",
        "return q / q.norm(dim=-1, keepdim=True) @ k.transpose(1, 2)",
        "dots_of_the_handout",
        "Your queries are brought to length one before the product. A dot product takes both as they are.",
    ),
    dots_scaled=edit(
        "return q @ k.transpose(1, 2)",
        "return q @ k.transpose(1, 2) / q.shape[-1] ** 0.5",
        "dots_of_the_handout",
        "Your scores are divided by sqrt(d). That is the scaled dot product of Vaswani et al. 2017; Luong's has "
        "no scale, and that is the one asked for.",
    ),
    dots_transposed=edit(
        "return q @ k.transpose(1, 2)",
        "return k @ q.transpose(1, 2)",
        "dots_of_a_batch",
        "Your scores have a row for each key and a column for each query. A row belongs to the one who asks.",
    ),
    dots_of_unit_vectors=edit(
        "return q @ k.transpose(1, 2)",
        "return nn.functional.normalize(q, dim=-1) @ nn.functional.normalize(k, dim=-1).transpose(1, 2)",
        "dots_of_the_handout",
        "Your scores are cosines: all vectors are made equally long first. The dot product keeps the lengths, so "
        "that the model can be sure or unsure.",
    ),
    dots_averaged=edit(
        "return q @ k.transpose(1, 2)",
        "return q @ k.transpose(1, 2) / q.shape[-1]",
        "dots_of_the_handout",
        "Your scores are means over the features. A dot product is their sum.",
    ),
    dots_already_softmaxed=edit(
        "return q @ k.transpose(1, 2)",
        "return torch.softmax(q @ k.transpose(1, 2), dim=-1)",
        "dots_of_the_handout",
        "Your scores went through a softmax already. It comes later, with the mask; twice would flatten the weights.",
    ),
    distances_for_dots=edit(
        "return q @ k.transpose(1, 2)",
        "return -torch.cdist(q, k)",
        "dots_of_the_handout",
        "Your scores are negative distances. Asked for is the dot product.",
    ),
    keys_of_the_first_sentence=edit(
        "return q @ k.transpose(1, 2)",
        "return q @ k[0].T",
        "dots_of_a_batch",
        "Your queries all meet the keys of the first sentence. Each sentence of the batch has keys of its own.",
    ),
    dots_squashed=edit(
        "return q @ k.transpose(1, 2)",
        "return torch.tanh(q @ k.transpose(1, 2))",
        "dots_of_the_handout",
        "Your scores go through a tanh, which keeps them between -1 and 1; the softmax could never decide clearly.",
    ),
    dots_cut_the_gradient=edit(
        "return q @ k.transpose(1, 2)",
        "return q @ k.detach().transpose(1, 2)",
        "dots_let_gradients_through",
        "Your keys are cut off from the network (detach, .data or numpy), so the encoder never learns to be found.",
    ),
    dots_with_reshaped_keys=edit(
        "return q @ k.transpose(1, 2)",
        "return q @ k.reshape(k.shape[0], k.shape[2], k.shape[1])",
        "dots_of_any_size",
        "Your keys are brought into the shape of their transpose by a reshape, which mixes features of "
        "different keys. Swap the two axes: k.transpose(1, 2).",
    ),
    dots_of_all_sentences=edit(
        "return q @ k.transpose(1, 2)",
        'return torch.einsum("nid,mjd->nij", q, k)',
        "dots_of_a_batch",
        "Your scores add up the keys of all sentences of the batch. A query meets the keys of its own sentence.",
    ),
    dots_cut_the_queries=edit(
        "return q @ k.transpose(1, 2)",
        "return q.detach() @ k.transpose(1, 2)",
        "queries_and_keys_can_learn",
        "Your queries are cut off from the network (detach, .data or numpy), so the decoder never learns to ask.",
    ),
    dots_with_every_axis_reversed=edit(
        "return q @ k.transpose(1, 2)",
        "return q @ k.T",
        "dots_of_the_handout",
        "Your keys are turned with the batch: `.T` reverses all axes, and `transpose(0, 1)` moves the first two. Only the "
        "last two change places.",
    ),
    only_equal_places_meet=edit(
        "return q @ k.transpose(1, 2)",
        "return (q * k).sum(dim=2)",
        "dots_of_any_size",
        "Your products are those of query i with key i alone. Every query meets every key: a matrix of T_q by T_k.",
    ),
)

BILINEAR = mistakes_of(
    "bilinear_score",
    bilinear_transposed_matrix=edit(
        "asked = q @ W\n",
        "asked = q @ W.T\n",
        "a_matrix_between_them",
        "Your matrix is transposed: you compute k^T W q. The formula is q^T W k, with the rows of W for the query.",
    ),
    bilinear_without_the_matrix=edit(
        "asked = q @ W\n", "asked = q\n", "a_matrix_between_them", "Your score is the plain dot product; W is not used."
    ),
    bilinear_scaled=edit(
        "return asked @ k.transpose(1, 2)",
        "return asked @ k.transpose(1, 2) / k.shape[-1] ** 0.5",
        "a_matrix_between_them",
        "Your scores are divided by a square root. This score has no scale; W can learn one.",
    ),
    bilinear_with_tanh=edit(
        "asked = q @ W\n",
        "asked = torch.tanh(q @ W)\n",
        "a_matrix_between_them",
        "Your score has a tanh in it. That belongs to the small network; this one is linear in the query and in "
        "the key.",
    ),
    bilinear_scores_transposed=edit(
        "return asked @ k.transpose(1, 2)",
        "return k @ asked.transpose(1, 2)",
        "queries_and_keys_of_different_widths",
        "Your scores have a row for each key and a column for each query. A row belongs to the one who asks.",
    ),
    bilinear_already_softmaxed=edit(
        "return asked @ k.transpose(1, 2)",
        "return torch.softmax(asked @ k.transpose(1, 2), dim=-1)",
        "a_matrix_between_them",
        "Your scores went through a softmax already. It comes later, with the mask.",
    ),
    bilinear_keys_of_the_first_sentence=edit(
        "return asked @ k.transpose(1, 2)",
        "return asked @ k[0].T",
        "queries_and_keys_of_different_widths",
        "Your queries all meet the keys of the first sentence. Each sentence of the batch has keys of its own.",
    ),
    bilinear_matrix_twice=edit(
        "return asked @ k.transpose(1, 2)",
        "return asked @ (k @ W.T @ W).transpose(1, 2)",
        "a_matrix_between_them",
        "Your W works on both sides, on the query and on the key. It stands once between the two.",
    ),
    bilinear_cuts_the_gradient=edit(
        "asked = q @ W\n",
        "asked = q @ W.detach()\n",
        "the_matrix_gets_its_gradient",
        "Your W is cut off from the network (detach, .data or numpy), so it would stay as it was drawn for ever.",
    ),
    bilinear_with_reshaped_keys=edit(
        "return asked @ k.transpose(1, 2)",
        "return asked @ k.reshape(k.shape[0], k.shape[2], k.shape[1])",
        "queries_and_keys_of_different_widths",
        "Your keys are turned by `reshape` (or `view`). That gives the shape of the transpose, with the numbers in other places.",
    ),
    bilinear_scaled_by_the_width_of_queries=edit(
        "return asked @ k.transpose(1, 2)",
        "return asked @ k.transpose(1, 2) / q.shape[-1] ** 0.5",
        "queries_and_keys_of_different_widths",
        "Your scores are divided by a square root. This score has no scale; W can learn one.",
    ),
    bilinear_matrix_reshaped=edit(
        "asked = q @ W\n    return asked @ k.transpose(1, 2)",
        "return q @ (k @ W.reshape(W.shape[1], W.shape[0])).transpose(1, 2)",
        "queries_and_keys_of_different_widths",
        "Your W is turned by `reshape` or `view`. That gives the shape of the transpose, with the numbers in other places.",
    ),
    bilinear_of_all_sentences=edit(
        "return asked @ k.transpose(1, 2)",
        'return torch.einsum("nib,mjb->nij", asked, k)',
        "queries_and_keys_of_different_widths",
        "Your scores add up the keys of all sentences of the batch. A query meets the keys of its own sentence.",
    ),
    bilinear_with_every_axis_reversed=edit(
        "return asked @ k.transpose(1, 2)",
        "return asked @ k.T",
        "a_matrix_between_them",
        "Your keys are turned with the batch: `.T` reverses all axes, and `transpose(0, 1)` moves the first two. Only the "
        "last two change places.",
    ),
    bilinear_as_many_keys_as_queries=edit(
        "return asked @ k.transpose(1, 2)",
        "return asked @ k[:, torch.arange(q.shape[1])].transpose(1, 2)",
        "a_matrix_between_them",
        "Your scores have as many columns as there are queries. There may be more keys, or fewer: each has a column.",
    ),
)

MLP = mistakes_of(
    "mlp_score",
    w_inside_the_tanh=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])\n    return met @ w",
        "met = torch.tanh((from_query[:, :, None] + from_key[:, None, :]) * w)\n    return met.sum(dim=-1)",
        "every_query_meets_every_key",
        "Your w stands inside the tanh. It weighs what comes out of it.",
    ),
    W_cut_behind_the_key=edit(
        "d_q = q.shape[-1]",
        "d_q = k.shape[-1]",
        "every_query_meets_every_key",
        "Your W is cut where d_k columns end. Its first d_q columns belong to the query, and queries and keys need not be equally "
        "wide.",
    ),
    mlp_without_tanh=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "met = from_query[:, :, None] + from_key[:, None, :]",
        "a_small_network",
        "Your small network has no tanh. Without it the score is a sum of one part for the query and one for the "
        "key, and the same keys win for every query.",
    ),
    mlp_without_w=edit(
        "return met @ w",
        "return met.sum(dim=-1)",
        "a_small_network",
        "Your units are summed up as they are; w, which says how much each one counts, is missing.",
    ),
    mlp_mean_for_w=edit(
        "return met @ w",
        "return met.mean(dim=-1)",
        "a_small_network",
        "Your units are averaged; w, which says how much each one counts, is missing.",
    ),
    mlp_halves_swapped=edit(
        "d_q = q.shape[-1]\n    from_query = q @ W[:, :d_q].T\n    from_key = k @ W[:, d_q:].T",
        "d_k = k.shape[-1]\n    from_query = q @ W[:, d_k:].T\n    from_key = k @ W[:, :d_k].T",
        "a_small_network",
        "Your row is [k; q]: the first columns of W meet the key. They belong to the query.",
    ),
    mlp_two_tanhs=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "met = torch.tanh(from_query)[:, :, None] + torch.tanh(from_key)[:, None, :]",
        "a_small_network",
        "Your query and key go through a tanh each, and are added afterwards. They have to meet before the tanh: "
        "only there can one change what the other means.",
    ),
    mlp_tanh_outside=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])\n    return met @ w",
        "met = from_query[:, :, None] + from_key[:, None, :]\n    return torch.tanh(met @ w)",
        "a_small_network",
        "Your tanh comes after w. It belongs between W and w; outside, it limits the scores to -1 and 1.",
    ),
    mlp_tanh_on_both_sides=edit(
        "return met @ w",
        "return torch.tanh(met @ w)",
        "a_small_network",
        "Your score goes through a second tanh, after w. It limits the scores to -1 and 1, and the softmax could "
        "never decide clearly.",
    ),
    mlp_scaled=edit(
        "return met @ w",
        "return met @ w / w.shape[0] ** 0.5",
        "every_query_meets_every_key",
        "Your scores are divided by a square root. An additive score has no scale: w can learn one.",
    ),
    mlp_sigmoid=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "met = torch.sigmoid(from_query[:, :, None] + from_key[:, None, :])",
        "a_small_network",
        "Your small network has a sigmoid where the formula has a tanh.",
    ),
    mlp_relu=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "met = torch.relu(from_query[:, :, None] + from_key[:, None, :])",
        "a_small_network",
        "Your small network has a relu where the formula has a tanh.",
    ),
    mlp_ignores_the_key=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "met = torch.tanh(from_query[:, :, None] + 0 * from_key[:, None, :])",
        "a_small_network",
        "Your score depends on the query alone, so all keys get the same weight.",
    ),
    mlp_ignores_the_query=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "met = torch.tanh(0 * from_query[:, :, None] + from_key[:, None, :])",
        "a_small_network",
        "Your score depends on the key alone, so every query looks at the same places.",
    ),
    mlp_product_for_sum=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "met = torch.tanh(from_query[:, :, None] * from_key[:, None, :])",
        "a_small_network",
        "Your query and key are multiplied inside the tanh. W [q; k] is a sum: one part from the query, one from "
        "the key.",
    ),
    mlp_difference_for_sum=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "met = torch.tanh(from_query[:, :, None] - from_key[:, None, :])",
        "a_small_network",
        "Your key is subtracted from the query inside the tanh. W [q; k] is a sum.",
    ),
    mlp_scores_transposed=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "met = torch.tanh(from_query[:, None] + from_key[:, :, None])",
        "every_query_meets_every_key",
        "Your scores have a row for each key and a column for each query. A row belongs to the one who asks.",
    ),
    mlp_already_softmaxed=edit(
        "return met @ w",
        "return torch.softmax(met @ w, dim=-1)",
        "a_small_network",
        "Your scores went through a softmax already. It comes later, with the mask.",
    ),
    mlp_keys_of_the_first_sentence=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "met = torch.tanh(from_query[:, :, None] + from_key[:1, None, :])",
        "every_query_meets_every_key",
        "Your queries all meet the keys of the first sentence. Each sentence of the batch has keys of its own.",
    ),
    mlp_cuts_the_gradient=edit(
        "return met @ w",
        "return met.detach() @ w",
        "the_small_network_gets_its_gradient",
        "Your tanh is cut off from the network (detach, .data or numpy), so only w would ever learn.",
    ),
    mlp_queries_tiled=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "tiled = from_query.repeat(1, k.shape[1], 1).view(len(q), q.shape[1], k.shape[1], -1)\n"
        "    met = torch.tanh(tiled + from_key[:, None, :])",
        "every_query_meets_every_key",
        "Your queries are repeated as a whole, one list after the other (`repeat`), and then cut up into rows of keys, so "
        "scores are those of other pairs. Entry [n, i, j] belongs to query i and key j.",
    ),
    mlp_keys_repeated_one_by_one=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "spread = from_key.repeat_interleave(q.shape[1], dim=1).view(len(q), q.shape[1], k.shape[1], -1)\n"
        "    met = torch.tanh(from_query[:, :, None] + spread)",
        "every_query_meets_every_key",
        "Your keys are repeated one by one (`repeat_interleave`) and then cut up into rows of keys, so scores are those of "
        "other pairs. Entry [n, i, j] belongs to query i and key j.",
    ),
    mlp_grid_read_the_other_way=edit(
        "return met @ w",
        "return (met @ w).transpose(1, 2).reshape(len(q), q.shape[1], k.shape[1])",
        "every_query_meets_every_key",
        "Your pairs are made with the keys in front and cut up as if the queries were: scores are those of other pairs. Entry "
        "[n, i, j] belongs to query i and key j.",
    ),
    mlp_tanh_before_the_matrix=edit(
        "from_query = q @ W[:, :d_q].T\n    from_key = k @ W[:, d_q:].T\n    met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "from_query = torch.tanh(q) @ W[:, :d_q].T\n    from_key = torch.tanh(k) @ W[:, d_q:].T\n"
        "    met = from_query[:, :, None] + from_key[:, None, :]",
        "a_small_network",
        "Your tanh is taken of q and k, before the matrix. It belongs to what the matrix makes of both together.",
    ),
    mlp_matrix_cut_in_half=edit(
        "d_q = q.shape[-1]\n    from_query",
        "d_q = W.shape[-1] // 2\n    from_query",
        "every_query_meets_every_key",
        "Your W is cut in the middle. Its first d_q columns belong to the query, and queries and keys need not be equally wide.",
    ),
    mlp_mean_of_the_products=edit(
        "return met @ w",
        "return (met * w).mean(dim=-1)",
        "a_small_network",
        "Your score is the mean of the products with w. A dot product is their sum.",
    ),
    mlp_scores_with_an_axis_more=edit(
        "return met @ w",
        "return met @ w[:, None]",
        "a_small_network",
        "Your scores have one axis too many, (batch, T_q, T_k, 1): w was made a matrix of one column.",
    ),
    mlp_positions_meet_their_own=edit(
        "met = torch.tanh(from_query[:, :, None] + from_key[:, None, :])",
        "met = torch.tanh(from_query + from_key)",
        "every_query_meets_every_key",
        "Your queries are added to the keys position by position. Each query meets each key: both need an axis of length one "
        "where the other has its positions.",
    ),
)

SOFTMAX = mistakes_of(
    "masked_softmax",
    mask_fills_with_zero=edit(
        "lowest = torch.finfo(scores.dtype).min\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "return torch.softmax(scores * mask, dim=-1)",
        "shares_of_the_handout",
        "Your forbidden scores are set to zero (or to 1e-9, which is nearly that). Zero is a score like any "
        "other: its exponential is one, and it takes a share.",
    ),
    zero_filled_then_cut=edit(
        "lowest = torch.finfo(scores.dtype).min",
        "lowest = 0.0",
        "shares_of_the_handout",
        "Your forbidden scores are set to zero and take part in the softmax; cut off afterwards, they leave rows "
        "that do not sum to one.",
    ),
    lowered_by_a_thousand=edit(
        "lowest = torch.finfo(scores.dtype).min\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "return torch.softmax(scores - 1000.0 * ~mask, dim=-1)",
        "forbidden_scores_may_be_the_largest",
        "Your forbidden scores are lowered by a thousand or so. One that lies as far above the allowed ones still takes a share; "
        "put a number in its place that is far below all scores.",
    ),
    mask_after_the_softmax=edit(
        "filled = scores.masked_fill(~mask, lowest)",
        "filled = scores",
        "shares_of_the_handout",
        "Your mask comes after the softmax. What is left of a row no longer sums to one, and still depends on the "
        "forbidden scores.",
    ),
    renormalised_afterwards=edit(
        "lowest = torch.finfo(scores.dtype).min\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "weights = torch.softmax(scores, dim=-1) * mask\n    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-30)",
        "forbidden_scores_may_be_the_largest",
        "Your softmax runs over all scores, and the shares are mended afterwards (or the maximum that is "
        "subtracted is that of all scores). Where a forbidden score is far above the others, nothing is left of "
        "these to mend.",
    ),
    mask_inverted=edit(
        "lowest = torch.finfo(scores.dtype).min\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "weights = torch.softmax(scores.masked_fill(mask, torch.finfo(scores.dtype).min), dim=-1)\n    return weights * ~mask",
        "shares_of_the_handout",
        "Your mask is the wrong way round: True means that a position may be looked at.",
    ),
    nan_in_empty_rows=edit(
        "lowest = torch.finfo(scores.dtype).min\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        'return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)',
        "nothing_to_look_at",
        "Your softmax of a fully masked row is 0 / 0. It should be a row of zeros; one NaN in a batch spoils "
        "every weight of the network.",
    ),
    even_shares_in_empty_rows=edit(
        "return weights * mask",
        "return weights",
        "nothing_to_look_at",
        "Your fully masked rows get even shares: when all scores are equally low, the softmax does not care how "
        "low. They should be rows of zeros.",
    ),
    nan_in_the_gradient=edit(
        "lowest = torch.finfo(scores.dtype).min\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        'bias = torch.where(mask, 0.0, float("-inf"))\n    weights = torch.softmax(scores + bias, dim=-1)\n    return torch.where(torch.isnan(weights), 0.0, weights)',
        "gradients_of_an_empty_row",
        "Your weights are right, since the NaN of a fully masked row is replaced by zeros afterwards. But the "
        "backward pass goes through the softmax that made it, and 0 times NaN is NaN.",
    ),
    mask_not_low_enough=edit(
        "lowest = torch.finfo(scores.dtype).min",
        "lowest = -100.0",
        "thousands_are_only_numbers",
        "Your masked scores are set to a number that is not low enough: where the allowed scores are lower still, "
        "the forbidden positions take everything.",
    ),
    softmax_over_queries=edit(
        "weights = torch.softmax(filled, dim=-1)",
        "weights = torch.softmax(filled, dim=-2)",
        "one_mask_for_all_queries",
        "Your softmax runs over the queries. It is the positions that are looked at, the last axis, that share "
        "one query's attention.",
    ),
    softmax_over_axis_one=edit(
        "weights = torch.softmax(filled, dim=-1)",
        "weights = torch.softmax(filled, dim=1)",
        "one_mask_for_all_queries",
        "Your softmax runs over axis 1, counted from the front. That is the last one only as long as there are "
        "two axes.",
    ),
    softmax_over_everything=edit(
        "weights = torch.softmax(filled, dim=-1)",
        "weights = torch.softmax(filled.flatten(), dim=0).view_as(filled)",
        "shares_of_the_handout",
        "Your softmax runs over all entries at once. Every row has a whole of its own to share.",
    ),
    scores_filled_in_place=edit(
        "filled = scores.masked_fill(~mask, lowest)",
        "filled = scores.masked_fill_(~mask, lowest)",
        "scores_are_left_alone",
        "Your mask is written into the caller's scores (masked_fill_, or an assignment). The weights are right, "
        "but the scores are gone, and gradients may not pass.",
    ),
    softmax_overflows=edit(
        "lowest = torch.finfo(scores.dtype).min\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "raised = torch.exp(scores) * mask\n    return raised / raised.sum(dim=-1, keepdim=True).clamp(min=1e-30)",
        "thousands_are_only_numbers",
        "Your exponentials overflow: exp(1000) is infinite, and infinity over infinity is not a number. A "
        "constant taken off every score of a row changes nothing but that.",
    ),
    one_maximum_for_all_rows=edit(
        "lowest = torch.finfo(scores.dtype).min\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "raised = torch.exp(scores - scores.max()) * mask\n    return raised / raised.sum(dim=-1, keepdim=True).clamp(min=1e-30)",
        "every_row_has_its_own_level",
        "Your softmax subtracts one maximum from all rows. Rows far below it underflow: all their exponentials "
        "are zero, and so are their shares.",
    ),
    mask_on_the_wrong_axis=edit(
        "filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "mask = mask.transpose(-1, -2)\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "square_masks_keep_their_direction",
        "Your mask is transposed. Its last axis holds the positions that are looked at, as in the scores.",
    ),
    mask_of_the_first_row=edit(
        "filled = scores.masked_fill(~mask, lowest)",
        "mask = mask[:1]\n    filled = scores.masked_fill(~mask, lowest)",
        "shares_of_the_handout",
        "Your mask is that of the first row (or sentence) for all of them.",
    ),
    sigmoid_shares=edit(
        "weights = torch.softmax(filled, dim=-1)",
        "weights = torch.sigmoid(filled)",
        "shares_of_the_handout",
        "Your shares are sigmoids, each by itself. Those of a row should sum to one.",
    ),
    all_on_the_best=edit(
        "weights = torch.softmax(filled, dim=-1)",
        "weights = nn.functional.one_hot(filled.argmax(dim=-1), filled.shape[-1]).to(filled) + 0 * filled",
        "shares_of_the_handout",
        "Your weights put everything on the best position. A softmax shares, and it is the sharing that a "
        "gradient can pass through.",
    ),
    plain_exponentials=edit(
        "lowest = torch.finfo(scores.dtype).min\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "raised = torch.exp(scores) * mask\n    return raised / raised.sum(dim=-1, keepdim=True)",
        "nothing_to_look_at",
        "Your shares are plain exponentials over their sum. That is 0 / 0 in a row in which all is masked, and "
        "infinity over infinity for a score of 1000.",
    ),
    renormalised_without_care=edit(
        "lowest = torch.finfo(scores.dtype).min\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "weights = torch.softmax(scores, dim=-1) * mask\n    return weights / weights.sum(dim=-1, keepdim=True)",
        "nothing_to_look_at",
        "Your softmax runs over all scores, and the shares are mended afterwards. That is 0 / 0 in a row in which "
        "all is masked, and also where a forbidden score is far above the others.",
    ),
    softmax_over_the_batch=edit(
        "weights = torch.softmax(filled, dim=-1)",
        "weights = torch.softmax(filled, dim=0)",
        "shares_under_every_mask",
        "Your softmax runs over the first axis, that is over rows or sentences. Each row is shared out by "
        "itself, along the last axis.",
    ),
    mask_not_used=edit(
        "filled = scores.masked_fill(~mask, lowest)\n"
        "    weights = torch.softmax(filled, dim=-1)\n"
        "    return weights * mask",
        "return torch.softmax(scores, dim=-1)",
        "shares_under_every_mask",
        "Your softmax does not use the mask: what may not be looked at gets its share like everything else.",
    ),
    log_of_the_mask_added=edit(
        "filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "filled = scores + torch.log(mask + 1e-9)\n    return torch.softmax(filled, dim=-1)",
        "thousands_are_only_numbers",
        "Your forbidden scores are lowered by a fixed number, such as the logarithm of a small one. Where a forbidden score is "
        "far above the others, it still takes everything, and a row with nothing to look at does not become zero.",
    ),
    one_maximum_of_all_allowed=edit(
        "lowest = torch.finfo(scores.dtype).min\n    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "filled = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)\n"
        "    raised = torch.exp(filled - filled.max()) * mask\n"
        "    return raised / raised.sum(dim=-1, keepdim=True).clamp(min=1e-30)",
        "thousands_are_only_numbers",
        "Your softmax subtracts one maximum from all rows. Rows far below it underflow: all their exponentials are zero, and so "
        "are their shares.",
    ),
    only_a_mask_without_any_true_is_looked_after=edit(
        "filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        'lowest = float("-inf") if mask.any() else lowest\n'
        "    filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "nothing_to_look_at",
        "Your function only looks after a mask that has no True anywhere. A single row without one is 0 / 0, too: ask row by row.",
    ),
    empty_rows_asked_all_at_once=edit(
        "return weights * mask",
        "return weights * mask.any()",
        "nothing_to_look_at",
        "Your `any()` asks the whole mask at once. Whether there is anything to look at is a question for each row.",
    ),
    one_added_to_the_total=edit(
        "filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "filled = scores.masked_fill(~mask, lowest)\n"
        "    raised = torch.exp(filled - filled.amax(dim=-1, keepdim=True)) * mask\n"
        "    return raised / (1 + raised.sum(dim=-1, keepdim=True))",
        "shares_of_the_handout",
        "Your total has a one added to it, so that it is never zero. But then the shares do not sum to one.",
    ),
    empty_rows_share_among_all=edit(
        "filled = scores.masked_fill(~mask, lowest)\n    weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "allowed = mask | ~mask.any(dim=-1, keepdim=True)\n"
        "    return torch.softmax(scores.masked_fill(~allowed, lowest), dim=-1)",
        "nothing_to_look_at",
        "Your rows in which nothing may be looked at look at everything. Opening the mask there avoids 0 / 0, but the weights "
        "have to be zeros in the end.",
    ),
    shares_cut_the_gradient=edit(
        "return weights * mask",
        "return (weights * mask).detach()",
        "gradients_of_an_empty_row",
        "Your shares are cut off from the network (detach, .data or no_grad), so where to look could never be learned.",
    ),
    mask_of_the_whole_shape_expected=edit(
        "filled = scores.masked_fill(~mask, lowest)",
        "filled = scores.clone()\n    filled[~mask] = lowest",
        "one_mask_for_all_queries",
        "Your mask is used as an index, and then it has to have the shape of the scores. A mask may have axes of length one: "
        "`masked_fill` and `torch.where` broadcast it.",
    ),
    total_over_axis_one=edit(
        "weights = torch.softmax(filled, dim=-1)\n    return weights * mask",
        "raised = torch.exp(filled - filled.amax(dim=-1, keepdim=True)) * mask\n"
        "    total = raised.sum(dim=1 if raised.ndim > 1 else 0, keepdim=True)\n"
        "    return raised / torch.where(total > 0, total, 1.0)",
        "one_mask_for_all_queries",
        "Your total is taken over axis 1. With a batch in front that is the axis of the queries: the keys come last, so sum over the "
        "last axis.",
    ),
)

CONTEXT = mistakes_of(
    "attention_context",
    summed_over_the_queries=edit(
        "return weights @ values",
        "return (weights.unsqueeze(-1) * values.unsqueeze(1)).sum(dim=1)",
        "contexts_of_any_size",
        "Your sum runs over the queries. Each query has a context of its own: for each of them sum over the source positions.",
    ),
    context_averaged=edit(
        "return weights @ values",
        "return weights @ values / values.shape[1]",
        "three_states_are_mixed",
        "Your mixture is divided by the number of positions. The weights already sum to one.",
    ),
    context_of_the_best_only=edit(
        "return weights @ values",
        "return nn.functional.one_hot(weights.argmax(dim=-1), weights.shape[-1]).to(values) @ values",
        "three_states_are_mixed",
        "Your context is the value with the largest weight. All of them count, each by its share.",
    ),
    context_ignores_the_weights=edit(
        "return weights @ values",
        "return values.mean(dim=1, keepdim=True).expand(-1, weights.shape[1], -1)",
        "three_states_are_mixed",
        "Your context is the plain mean of the values, whatever the weights say.",
    ),
    context_sums_all=edit(
        "return weights @ values",
        "return values.sum(dim=1, keepdim=True).expand(-1, weights.shape[1], -1)",
        "three_states_are_mixed",
        "Your context is the sum of the values, whatever the weights say.",
    ),
    weights_softmaxed_again=edit(
        "return weights @ values",
        "return torch.softmax(weights, dim=-1) @ values",
        "three_states_are_mixed",
        "Your weights go through another softmax. They are ready for use; a second one flattens them, and gives "
        "padding a share.",
    ),
    weights_transposed=edit(
        "return weights @ values",
        "return weights.transpose(1, 2) @ values",
        "contexts_of_any_size",
        "Your weights are transposed: queries and positions have changed places.",
    ),
    weights_renormalised=edit(
        "return weights @ values",
        "return weights / weights.sum(dim=-1, keepdim=True) @ values",
        "weights_are_used_as_they_are",
        "Your weights are divided by their sum, which is one or, where nothing may be looked at, zero; and then "
        "there is NaN.",
    ),
    one_context_for_all_queries=edit(
        "return weights @ values",
        "return (weights @ values).sum(dim=1)",
        "contexts_of_a_batch",
        "Your contexts are added up over the queries. Each query gets a context of its own.",
    ),
    context_not_summed=edit(
        "return weights @ values",
        "return weights[..., None] * values[:, None]",
        "three_states_are_mixed",
        "Your values are weighted but not yet added up over the positions.",
    ),
    values_of_the_first_sentence=edit(
        "return weights @ values",
        "return weights @ values[0]",
        "contexts_of_a_batch",
        "Your contexts are all mixed from the values of the first sentence. Each sentence of the batch has values "
        "of its own.",
    ),
    context_cuts_the_gradient=edit(
        "return weights @ values",
        "return weights.detach() @ values",
        "contexts_let_gradients_through",
        "Your weights are cut off from the network (detach, .data or numpy), so where to look could never be learned.",
    ),
    sums_over_the_queries=edit(
        "return weights @ values",
        'return torch.einsum("bqk,bqd->bkd", weights, values)',
        "three_states_are_mixed",
        "Your sum goes over the queries (the first axis of a sentence's weights) and leaves one context for each "
        "key. A context is a sum over the keys, one for each query.",
    ),
    context_divided_by_the_number_of_queries=edit(
        "return weights @ values",
        "return weights @ values / weights.shape[1]",
        "contexts_of_a_batch",
        "Your contexts are divided by the number of queries. Each query has a mixture of its own, and the weights sum to one "
        "already.",
    ),
    values_transposed=edit(
        "return weights @ values",
        "return weights @ values.transpose(1, 2)",
        "three_states_are_mixed",
        "Your values are transposed, so that weights meet features. The positions, axis 1 of the values, are summed over.",
    ),
    weights_meet_values_entry_by_entry=edit(
        "return weights @ values",
        "return (weights * values).sum(dim=1)",
        "three_states_are_mixed",
        "Your weights are multiplied with the values entry by entry. The axes of the two mean different things: each weight "
        "multiplies a whole value.",
    ),
    values_without_an_axis_for_queries=edit(
        "return weights @ values",
        "return (weights[..., None] * values).sum(dim=2)",
        "contexts_of_a_batch",
        "Your weights, with one axis more, meet values that have none for the queries, so each query is mixed from the values of "
        "another sentence: write values[:, None], or use `@`.",
    ),
    context_cuts_the_values=edit(
        "return weights @ values",
        "return weights @ values.detach()",
        "weights_and_values_can_learn",
        "Your values are cut off from the network (detach, .data or numpy), so the encoder never learns what to tell.",
    ),
)

FIXED = mistakes_of(
    "DecoderWithContext",
    tanh_inside_the_bridge=edit(
        "state = torch.tanh(self.bridge(context))",
        "state = self.bridge(torch.tanh(context))",
        "the_first_step",
        "Your first state is the bridge of tanh(c). The tanh comes last: it keeps the state between -1 and 1.",
    ),
    starts_from_zeros=edit(
        "state = torch.tanh(self.bridge(context))",
        "state = torch.zeros(y_prev.shape[0], self.cell.hidden_size, device=y_prev.device)",
        "the_first_step",
        "Your decoder starts from zeros. Its first state is made of the context, by the bridge and a tanh.",
    ),
    first_state_without_tanh=edit(
        "state = torch.tanh(self.bridge(context))",
        "state = self.bridge(context)",
        "the_first_step",
        "Your first state lacks the tanh: states of a GRU lie between -1 and 1, and this one should look like them.",
    ),
    first_state_is_the_context=edit(
        "state = torch.tanh(self.bridge(context))",
        "state = context",
        "the_first_step",
        "Your first state is the context itself; the bridge and its tanh are missing.",
    ),
    first_state_with_sigmoid=edit(
        "state = torch.tanh(self.bridge(context))",
        "state = torch.sigmoid(self.bridge(context))",
        "the_first_step",
        "Your first state goes through a sigmoid where the formula has a tanh.",
    ),
    starts_anew_at_every_step=edit(
        "if state is None:",
        "if True:",
        "a_later_step",
        "Your decoder makes a new first state at every step, so it forgets what it has said. The one it is given "
        "counts; only None means the beginning.",
    ),
    recurrence_without_context=edit(
        "read = torch.cat([e, context], dim=-1)",
        "read = torch.cat([e, torch.zeros_like(context)], dim=-1)",
        "a_later_step",
        "Your cell does not read the context. In this decoder it does at every step, lest the source is forgotten "
        "along the way.",
    ),
    context_read_before_the_word=edit(
        "read = torch.cat([e, context], dim=-1)",
        "read = torch.cat([context, e], dim=-1)",
        "a_later_step",
        "Your cell reads [c; e]; its weights belong to [e; c], the word first.",
    ),
    output_without_context=edit(
        "said = torch.cat([h, e, context], dim=-1)",
        "said = torch.cat([h, e, torch.zeros_like(context)], dim=-1)",
        "a_later_step",
        "Your output layer does not read the context. It reads three things: state, word and context.",
    ),
    output_without_the_word=edit(
        "said = torch.cat([h, e, context], dim=-1)",
        "said = torch.cat([h, torch.zeros_like(e), context], dim=-1)",
        "a_later_step",
        "Your output layer does not read the word before. It reads three things: state, word and context.",
    ),
    output_without_the_state=edit(
        "said = torch.cat([h, e, context], dim=-1)",
        "said = torch.cat([torch.zeros_like(h), e, context], dim=-1)",
        "a_later_step",
        "Your output layer does not read the state, so the sentence so far does not count.",
    ),
    output_reads_context_first=edit(
        "said = torch.cat([h, e, context], dim=-1)",
        "said = torch.cat([context, h, e], dim=-1)",
        "a_later_step",
        "Your output layer reads [c; h; e]; its weights belong to [h; e; c].",
    ),
    output_reads_word_last=edit(
        "said = torch.cat([h, e, context], dim=-1)",
        "said = torch.cat([h, context, e], dim=-1)",
        "a_later_step",
        "Your output layer reads [h; c; e]; its weights belong to [h; e; c].",
    ),
    output_reads_word_first=edit(
        "said = torch.cat([h, e, context], dim=-1)",
        "said = torch.cat([e, h, context], dim=-1)",
        "a_later_step",
        "Your output layer reads [e; h; c]; its weights belong to [h; e; c].",
    ),
    output_from_the_old_state=edit(
        "said = torch.cat([h, e, context], dim=-1)",
        "said = torch.cat([state, e, context], dim=-1)",
        "a_later_step",
        "Your output is made from the state before the step. It is the new one that has read the word before.",
    ),
    old_state_handed_on=edit(
        "return self.output(said), h\n",
        "return self.output(said), state\n",
        "a_later_step",
        "Your step hands on the state it was given, so the decoder never gets anywhere.",
    ),
    probabilities_for_logits=edit(
        "return self.output(said), h\n",
        "return torch.softmax(self.output(said), dim=-1), h\n",
        "a_later_step",
        "Your step returns probabilities. The loss takes a softmax of its own, and twice is once too often.",
    ),
    log_probabilities_for_logits=edit(
        "return self.output(said), h\n",
        "return torch.log_softmax(self.output(said), dim=-1), h\n",
        "a_later_step",
        "Your step returns log-probabilities. The softmax is left to the loss here; the logits go out as they are.",
    ),
    logits_and_state_swapped=edit(
        "return self.output(said), h\n",
        "return h, self.output(said)\n",
        "a_later_step",
        "Your two results have changed places: first the logits, then the state.",
    ),
    state_squashed_again=edit(
        "h = self.cell(read, state)",
        "h = torch.tanh(self.cell(read, state))",
        "a_later_step",
        "Your new state goes through another tanh. What the cell returns is the state.",
    ),
    embedding_squashed=edit(
        "e = self.embedding(y_prev)",
        "e = torch.tanh(self.embedding(y_prev))",
        "a_later_step",
        "Your embedding goes through a tanh. It is read as it is.",
    ),
    context_of_the_first_sentence=edit(
        "read = torch.cat([e, context], dim=-1)",
        "context = context[:1].expand_as(context)\n        read = torch.cat([e, context], dim=-1)",
        "a_later_step",
        "Your rows all read the context of the first sentence.",
    ),
    state_cut_at_every_step=edit(
        "        e = self.embedding(y_prev)\n        read =",
        "        else:\n            state = state.detach()\n        e = self.embedding(y_prev)\n        read =",
        "gradients_reach_the_state_before",
        "Your state is cut off from the step before (detach, .data or no_grad), so no word can teach the steps that "
        "led to it.",
    ),
    context_cut_off=edit(
        "read = torch.cat([e, context], dim=-1)",
        "context = context.detach()\n        read = torch.cat([e, context], dim=-1)",
        "gradients_reach_the_context",
        "Your context is cut off from the network (detach, .data or no_grad), so the encoder learns little or "
        "nothing from the decoder's mistakes.",
    ),
    first_step_is_not_taken=edit(
        "if state is None:\n            state = torch.tanh(self.bridge(context))\n        e = self.embedding(y_prev)\n"
        "        read = torch.cat([e, context], dim=-1)\n        h = self.cell(read, state)",
        "first = state is None\n        if first:\n            state = torch.tanh(self.bridge(context))\n"
        "        e = self.embedding(y_prev)\n        read = torch.cat([e, context], dim=-1)\n"
        "        h = state if first else self.cell(read, state)",
        "the_first_step",
        "Your first step returns h_0 as the new state: the cell is not run. h_0 is the state before the first word; the cell "
        "makes h_1 of it.",
    ),
    bridge_added_at_every_step=edit(
        "if state is None:\n            state = torch.tanh(self.bridge(context))",
        "start = torch.tanh(self.bridge(context))\n        state = start if state is None else state + start",
        "a_later_step",
        "Your bridge is added to the state at every step. It makes the first state only; later the context comes in beside "
        "the word.",
    ),
    cell_reads_the_bridged_context=edit(
        "read = torch.cat([e, context], dim=-1)",
        "read = torch.cat([e, torch.tanh(self.bridge(context))], dim=-1)",
        "the_first_step",
        "Your cell reads what the bridge makes of the context. The bridge makes the first state; the cell reads the context "
        "itself.",
    ),
    context_cut_off_everywhere=edit(
        "if state is None:\n            state = torch.tanh(self.bridge(context))",
        "context = context.detach()\n        if state is None:\n            state = torch.tanh(self.bridge(context))",
        "the_context_can_learn",
        "Your context is cut off from the network (detach, .data or no_grad), so the encoder learns nothing from the decoder's "
        "mistakes.",
    ),
    output_reads_a_tanh=edit(
        "return self.output(said), h\n",
        "return self.output(torch.tanh(said)), h\n",
        "the_first_step",
        "Your output layer reads a tanh of [h; e; c]. It reads them as they are.",
    ),
    first_state_with_relu=edit(
        "state = torch.tanh(self.bridge(context))",
        "state = torch.relu(self.bridge(context))",
        "the_first_step",
        "Your first state goes through a relu where the formula has a tanh.",
    ),
    new_state_cut=edit(
        "return self.output(said), h\n",
        "return self.output(said), h.detach()\n",
        "the_state_before_can_learn",
        "Your new state is cut off from the network (detach, .data or no_grad) as it is handed on, so no later word can teach "
        "this step.",
    ),
    state_cut_also_at_the_first_step=edit(
        "h = self.cell(read, state)",
        "h = self.cell(read, state.detach())",
        "the_state_before_can_learn",
        "Your cell reads a state that is cut off from the network (detach, .data or no_grad), so no word can teach the steps "
        "before it, nor the bridge.",
    ),
    zeros_taken_for_no_state=edit(
        "if state is None:",
        "if state is None or not state.any():",
        "a_later_step",
        "Your decoder takes a state of zeros for no state at all. Only None means the beginning.",
    ),
    state_asked_for_its_truth=edit(
        "if state is None:",
        "if not state:",
        "a_later_step",
        "Your condition asks whether a whole tensor is true, which has no answer. Ask whether the state is None.",
    ),
)

ATTENTION = mistakes_of(
    "AttentionDecoder",
    old_state_asks=edit(
        "query = h_t[:, None]",
        "query = state[:, None]",
        "one_word_with_attention",
        "Your query is the state before this step. That is Bahdanau's order; here, as in Luong et al., the new "
        "state asks.",
    ),
    embedding_asks=edit(
        "h_t = self.cell(self.embedding(y_prev), state)\n        query = h_t[:, None]",
        "h_t = self.cell(self.embedding(y_prev), state)\n        query = self.embedding(y_prev)[:, None]",
        "one_word_with_attention",
        "Your query is the word before. What to look for depends on the whole sentence so far, and that is in the "
        "state.",
    ),
    padding_is_looked_at=edit(
        "looks = masked_softmax(similarity, mask[:, None])",
        "looks = torch.softmax(similarity, dim=-1)",
        "padding_gets_no_attention",
        "Your attention does not use the mask, so padding gets a share, and a translation depends on the other "
        "sentences of its batch.",
    ),
    decoder_mask_inverted=edit(
        "looks = masked_softmax(similarity, mask[:, None])",
        "looks = masked_softmax(similarity, ~mask[:, None])",
        "one_word_with_attention",
        "Your mask is the wrong way round: True means that the source is real.",
    ),
    decoder_mask_after_softmax=edit(
        "looks = masked_softmax(similarity, mask[:, None])",
        "looks = torch.softmax(similarity, dim=-1) * mask[:, None]",
        "padding_gets_no_attention",
        "Your mask comes after the softmax: what is left of the weights does not sum to one.",
    ),
    softmax_over_one_query=edit(
        "looks = masked_softmax(similarity, mask[:, None])",
        "looks = torch.softmax(similarity, dim=1) * mask[:, None]",
        "one_word_with_attention",
        "Your softmax runs over the axis of the queries, and there is one: every weight is 1. It should run over "
        "the source.",
    ),
    nan_for_an_empty_source=edit(
        "looks = masked_softmax(similarity, mask[:, None])",
        'looks = torch.softmax(similarity.masked_fill(~mask[:, None], float("-inf")), dim=-1)',
        "nothing_but_padding",
        "Your softmax of a source in which all is masked is 0 / 0. It should be zeros, so that the rest of the "
        "batch survives.",
    ),
    no_tanh_before_the_output=edit(
        "spoken = torch.tanh(self.W_out(torch.cat([c_t, h_t], dim=-1)))",
        "spoken = self.W_out(torch.cat([c_t, h_t], dim=-1))",
        "one_word_with_attention",
        "Your step lacks the tanh after W_out. Without it, W_out and the output layer are only one matrix.",
    ),
    state_before_context=edit(
        "spoken = torch.tanh(self.W_out(torch.cat([c_t, h_t], dim=-1)))",
        "spoken = torch.tanh(self.W_out(torch.cat([h_t, c_t], dim=-1)))",
        "one_word_with_attention",
        "Your W_out reads [h; c]; its weights belong to [c; h], the context first.",
    ),
    context_not_used=edit(
        "spoken = torch.tanh(self.W_out(torch.cat([c_t, h_t], dim=-1)))",
        "spoken = torch.tanh(self.W_out(torch.cat([torch.zeros_like(c_t), h_t], dim=-1)))",
        "one_word_with_attention",
        "Your output does not read the context. You compute where to look, and then do not look.",
    ),
    state_not_used=edit(
        "spoken = torch.tanh(self.W_out(torch.cat([c_t, h_t], dim=-1)))",
        "spoken = torch.tanh(self.W_out(torch.cat([c_t, torch.zeros_like(h_t)], dim=-1)))",
        "one_word_with_attention",
        "Your output reads the context alone. What was said so far is in the state, and counts as well.",
    ),
    old_state_speaks=edit(
        "spoken = torch.tanh(self.W_out(torch.cat([c_t, h_t], dim=-1)))",
        "spoken = torch.tanh(self.W_out(torch.cat([c_t, state], dim=-1)))",
        "one_word_with_attention",
        "Your output reads the state before this step; the new one has read the word before.",
    ),
    tanh_handed_on=edit(
        "return self.output(spoken), h_t, looks[:, 0]",
        "return self.output(spoken), spoken, looks[:, 0]",
        "one_word_with_attention",
        "Your step hands on tanh(W_out [c; h]). The state of the cell is h; the tanh is for the output only.",
    ),
    attention_hands_on_old_state=edit(
        "return self.output(spoken), h_t, looks[:, 0]",
        "return self.output(spoken), state, looks[:, 0]",
        "one_word_with_attention",
        "Your step hands on the state it was given, so the decoder never gets anywhere.",
    ),
    weights_keep_the_query_axis=edit(
        "return self.output(spoken), h_t, looks[:, 0]",
        "return self.output(spoken), h_t, looks",
        "one_word_with_attention",
        "Your weights still have the axis of the one query: (batch, 1, T) instead of (batch, T).",
    ),
    scores_for_weights=edit(
        "return self.output(spoken), h_t, looks[:, 0]",
        "return self.output(spoken), h_t, similarity[:, 0]",
        "one_word_with_attention",
        "Your third result holds the scores before the softmax. Asked for are the weights.",
    ),
    weights_and_state_swapped=edit(
        "return self.output(spoken), h_t, looks[:, 0]",
        "return self.output(spoken), looks[:, 0], h_t",
        "one_word_with_attention",
        "Your results are in another order: logits, state, weights.",
    ),
    attention_probabilities_for_logits=edit(
        "return self.output(spoken), h_t, looks[:, 0]",
        "return torch.softmax(self.output(spoken), dim=-1), h_t, looks[:, 0]",
        "one_word_with_attention",
        "Your step returns probabilities. The loss takes a softmax of its own, and twice is once too often.",
    ),
    attention_log_probabilities_for_logits=edit(
        "return self.output(spoken), h_t, looks[:, 0]",
        "return torch.log_softmax(self.output(spoken), dim=-1), h_t, looks[:, 0]",
        "one_word_with_attention",
        "Your step returns log-probabilities. The softmax is left to the loss here; the logits go out as they are.",
    ),
    mean_of_the_source=edit(
        "c_t = attention_context(looks, enc)[:, 0]",
        "c_t = enc.mean(dim=1)",
        "one_word_with_attention",
        "Your context is the mean of all encoder states, whatever the weights say.",
    ),
    last_state_of_the_source=edit(
        "c_t = attention_context(looks, enc)[:, 0]",
        "c_t = enc[:, -1]",
        "one_word_with_attention",
        "Your context is the last encoder state, at every step: the bottleneck once more, and padding in short rows.",
    ),
    best_state_of_the_source=edit(
        "c_t = attention_context(looks, enc)[:, 0]",
        "c_t = enc[torch.arange(enc.shape[0]), looks[:, 0].argmax(dim=-1)]",
        "one_word_with_attention",
        "Your context is the encoder state with the largest weight. All of them count, each by its share.",
    ),
    source_asks=edit(
        "similarity = mlp_score(query, enc, self.W_score, self.w_score)",
        "similarity = mlp_score(enc, query, self.W_score, self.w_score).transpose(1, 2)",
        "one_word_with_attention",
        "Your encoder states are the queries and the decoder state is the key; the columns of W_score are the "
        "other way round.",
    ),
    source_of_the_first_sentence=edit(
        "similarity = mlp_score(query, enc, self.W_score, self.w_score)",
        "enc = enc[:1].expand_as(enc)\n        similarity = mlp_score(query, enc, self.W_score, self.w_score)",
        "padding_gets_no_attention",
        "Your rows all look at the first sentence of the batch.",
    ),
    state_cut_before_the_cell=edit(
        "h_t = self.cell(self.embedding(y_prev), state)",
        "h_t = self.cell(self.embedding(y_prev), state.detach())",
        "gradients_reach_earlier_steps",
        "Your state is cut off from the step before (detach, .data or no_grad), so no word can teach the steps that "
        "led to it.",
    ),
    attention_cuts_the_gradient=edit(
        "c_t = attention_context(looks, enc)[:, 0]",
        "c_t = attention_context(looks, enc.detach())[:, 0]",
        "gradients_reach_the_encoder",
        "Your encoder states are cut off from the network as values (detach, .data or no_grad). As keys they "
        "learn to be found, but never what to tell.",
    ),
    even_shares_for_an_empty_source=edit(
        "looks = masked_softmax(similarity, mask[:, None])",
        "looks = torch.softmax(similarity.masked_fill(~mask[:, None], -1e10), dim=-1)",
        "an_empty_source_stays_finite",
        "Your decoder gives even shares to a source in which all is masked: when all scores are equally low, "
        "the softmax does not care how low. They should be zeros.",
    ),
    mask_without_a_query_axis=edit(
        "looks = masked_softmax(similarity, mask[:, None])",
        "looks = masked_softmax(similarity, mask)",
        "logits_with_attention",
        "Your decoder reads every sentence with the mask of the first one. A mask (batch, T) does so that meets scores "
        "(batch, 1, T) without an axis for the query: write mask[:, None].",
    ),
    weights_cut_the_gradient=edit(
        "looks = masked_softmax(similarity, mask[:, None])",
        "looks = masked_softmax(similarity, mask[:, None]).detach()",
        "yesterday_can_learn",
        "Your attention weights are detached, so no gradient goes back through them: the values are right, but "
        "W_score and w_score never learn where to look.",
    ),
    decoder_mask_fills_with_zero=edit(
        "looks = masked_softmax(similarity, mask[:, None])",
        "looks = torch.softmax(similarity * mask[:, None], dim=-1)",
        "padding_gets_no_attention",
        "Your scores of padded positions are zero. The exponential of zero is one, so they still get a share.",
    ),
    state_moved_on_twice=edit(
        "return self.output(spoken), h_t, looks[:, 0]",
        "return self.output(spoken), self.cell(self.embedding(y_prev), h_t), looks[:, 0]",
        "one_word_with_attention",
        "Your state has moved on twice: the cell is run once more for what is handed on. One word is one step.",
    ),
    padding_zeroed_and_looked_at=edit(
        "similarity = mlp_score(query, enc, self.W_score, self.w_score)\n        looks = masked_softmax(similarity, mask[:, None])",
        "enc = enc * mask[:, :, None]\n        similarity = mlp_score(query, enc, self.W_score, self.w_score)\n"
        "        looks = torch.softmax(similarity, dim=-1)",
        "padding_gets_no_attention",
        "Your padding is set to zero, and then it is looked at like a word. A zero vector still has a score: mask the scores.",
    ),
    weights_softmaxed_twice=edit(
        "c_t = attention_context(looks, enc)[:, 0]",
        "looks = masked_softmax(looks, mask[:, None])\n        c_t = attention_context(looks, enc)[:, 0]",
        "one_word_with_attention",
        "Your weights go through a softmax twice, which makes them more even. They are shares after the first one.",
    ),
    context_for_weights=edit(
        "return self.output(spoken), h_t, looks[:, 0]",
        "return self.output(spoken), h_t, c_t",
        "padding_gets_no_attention",
        "Your third result is the context. Asked for are the weights, one for each source position.",
    ),
    tanh_on_the_logits=edit(
        "spoken = torch.tanh(self.W_out(torch.cat([c_t, h_t], dim=-1)))\n        return self.output(spoken)",
        "spoken = self.W_out(torch.cat([c_t, h_t], dim=-1))\n        return torch.tanh(self.output(spoken))",
        "one_word_with_attention",
        "Your tanh is around the logits, which caps them at 1. It belongs around what W_out makes; the output layer comes after.",
    ),
    tanh_on_the_logits_too=edit(
        "return self.output(spoken), h_t, looks[:, 0]",
        "return torch.tanh(self.output(spoken)), h_t, looks[:, 0]",
        "one_word_with_attention",
        "Your logits go through a tanh, which caps them at 1. They go out as they are.",
    ),
    mean_of_the_real_source=edit(
        "c_t = attention_context(looks, enc)[:, 0]",
        "c_t = (enc * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)",
        "one_word_with_attention",
        "Your context is the plain mean of the real encoder states, whatever the weights say.",
    ),
    residual_into_the_output=edit(
        "spoken = torch.tanh(self.W_out(torch.cat([c_t, h_t], dim=-1)))",
        "spoken = h_t + torch.tanh(self.W_out(torch.cat([c_t, h_t], dim=-1)))",
        "one_word_with_attention",
        "Your output layer reads h_t added to the tanh. It reads the tanh alone; h_t is inside already.",
    ),
    relu_before_the_output=edit(
        "spoken = torch.tanh(self.W_out(",
        "spoken = torch.relu(self.W_out(",
        "one_word_with_attention",
        "Your output layer reads a relu of W_out [c; h] where the formula has a tanh.",
    ),
    scores_mix_the_source=edit(
        "looks = masked_softmax(similarity, mask[:, None])",
        "looks = similarity * mask[:, None]",
        "one_word_with_attention",
        "Your encoder states are mixed by the scores themselves. A masked softmax has to make shares of them first.",
    ),
    encoder_cut_off_as_keys_too=edit(
        "query = h_t[:, None]",
        "query, enc = h_t[:, None], enc.detach()",
        "the_source_can_learn",
        "Your encoder states are cut off from the network (detach, .data or no_grad), so the encoder learns nothing by "
        "attention.",
    ),
    attention_new_state_cut=edit(
        "return self.output(spoken), h_t, looks[:, 0]",
        "return self.output(spoken), h_t.detach(), looks[:, 0]",
        "yesterday_can_learn",
        "Your new state is cut off from the network (detach, .data or no_grad) as it is handed on, so no later word can teach "
        "this step.",
    ),
    every_axis_of_one_squeezed=edit(
        "c_t = attention_context(looks, enc)[:, 0]",
        "c_t = attention_context(looks, enc).squeeze()\n        looks = looks.squeeze()[:, None]",
        "one_word_with_attention",
        "Your `squeeze()` takes away every axis of length one, so a batch of one sentence loses its batch axis. Name the "
        "axis.",
    ),
)

LSTM = mistakes_of(
    "LSTMAttentionDecoder",
    cell_state_asks=edit(
        "scored = mlp_score(h_prev[:, None], enc, self.W_score, self.w_score)",
        "scored = mlp_score(c_prev[:, None], enc, self.W_score, self.w_score)",
        "a_step_of_one_number_each",
        "Your query is the cell state c. It is h that the rest of a network reads of an LSTM: what the output gate lets through.",
    ),
    h_and_c_swapped_at_the_cell=edit(
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, c_prev))",
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (c_prev, h_prev))",
        "a_step_of_one_number_each",
        "Your cell gets (c, h). The pair is (h, c), in this order, as torch.nn.LSTMCell takes it.",
    ),
    h_and_c_swapped_on_return=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return logits, (c_next, h_next), shares[:, 0]",
        "a_step_of_one_number_each",
        "Your new state is (c, h). It is the pair (h, c), in the order in which the step gets it.",
    ),
    cell_state_dropped=edit(
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, c_prev))",
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, torch.zeros_like(c_prev)))",
        "a_step_of_one_number_each",
        "Your cell starts from a cell state of zeros at every step, so the LSTM forgets all that c was to keep.",
    ),
    cell_state_stays=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return logits, (h_next, c_prev), shares[:, 0]",
        "a_step_of_one_number_each",
        "Your step hands on the old cell state. Both parts of the new state go on, h_t and c_t.",
    ),
    state_dropped=edit(
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, c_prev))",
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (torch.zeros_like(h_prev), c_prev))",
        "a_step_of_one_number_each",
        "Your cell does not get h_prev, only c_prev. Both parts of the state go into it.",
    ),
    old_lstm_state_handed_on=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return logits, state, shares[:, 0]",
        "a_step_of_one_number_each",
        "Your step hands on the state that it was given, so the decoder never gets anywhere.",
    ),
    h_handed_on_twice=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return logits, (h_next, h_next), shares[:, 0]",
        "a_step_of_one_number_each",
        "Your new state is (h, h). The second part is the cell state c_t, which the cell returns beside h_t.",
    ),
    lstm_does_not_read_the_context=edit(
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, c_prev))",
        "h_next, c_next = self.cell(torch.cat([word, torch.zeros_like(seen)], dim=-1), (h_prev, c_prev))",
        "a_step_of_one_number_each",
        "Your cell does not read the context. In this decoder the context goes through the recurrence, so that later steps know what was seen.",
    ),
    lstm_reads_context_first=edit(
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, c_prev))",
        "h_next, c_next = self.cell(torch.cat([seen, word], dim=-1), (h_prev, c_prev))",
        "a_step_of_one_number_each",
        "Your cell reads [context; e]; its weights belong to [e; context], the word first.",
    ),
    lstm_does_not_read_the_word=edit(
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, c_prev))",
        "h_next, c_next = self.cell(torch.cat([torch.zeros_like(word), seen], dim=-1), (h_prev, c_prev))",
        "a_step_of_one_number_each",
        "Your cell does not read the word before, only the context. It reads both.",
    ),
    output_does_not_read_the_context=edit(
        "logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "logits = self.output(torch.cat([h_next, word, torch.zeros_like(seen)], dim=-1))",
        "a_step_of_one_number_each",
        "Your output layer does not read the context. It reads three things: the new h, the word and the context.",
    ),
    output_does_not_read_the_word=edit(
        "logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "logits = self.output(torch.cat([h_next, torch.zeros_like(word), seen], dim=-1))",
        "a_step_of_one_number_each",
        "Your output layer does not read the word before. It reads three things: the new h, the word and the context.",
    ),
    output_reads_context_before_word=edit(
        "logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "logits = self.output(torch.cat([h_next, seen, word], dim=-1))",
        "a_step_of_one_number_each",
        "Your output layer reads [h; context; e]; its weights belong to [h; e; context].",
    ),
    output_reads_context_before_h=edit(
        "logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "logits = self.output(torch.cat([seen, h_next, word], dim=-1))",
        "a_step_of_one_number_each",
        "Your output layer reads [context; h; e]; its weights belong to [h; e; context].",
    ),
    output_reads_h_last=edit(
        "logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "logits = self.output(torch.cat([word, seen, h_next], dim=-1))",
        "a_step_of_one_number_each",
        "Your output layer reads [e; context; h]; its weights belong to [h; e; context].",
    ),
    output_reads_the_cell_state=edit(
        "logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "logits = self.output(torch.cat([c_next, word, seen], dim=-1))",
        "a_step_of_one_number_each",
        "Your output layer reads the cell state c. It reads h, which the output gate has made of it.",
    ),
    output_reads_the_old_h=edit(
        "logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "logits = self.output(torch.cat([h_prev, word, seen], dim=-1))",
        "a_step_of_one_number_each",
        "Your output layer reads h from before the step. The new h has read the word and the context.",
    ),
    output_squashed=edit(
        "logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "logits = self.output(torch.tanh(torch.cat([h_next, word, seen], dim=-1)))",
        "a_step_of_one_number_each",
        "Your output layer reads a tanh of [h; e; context]. In this decoder it reads the three as they are.",
    ),
    context_of_the_step_after=edit(
        "logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "seen = attention_context(\n            masked_softmax(mlp_score(h_next[:, None], enc, self.W_score, self.w_score), mask[:, None]), enc\n        )[:, 0]\n        logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "two_sentences_look_first",
        "Your output reads a second context, for which the new state has asked. The one that the cell has read is used again.",
    ),
    lstm_looks_at_padding=edit(
        "shares = masked_softmax(scored, mask[:, None])",
        "shares = torch.softmax(scored, dim=-1)",
        "a_step_of_one_number_each",
        "Your attention does not use the mask, so padding gets a share, and a translation depends on the other sentences of its batch.",
    ),
    lstm_mask_inverted=edit(
        "shares = masked_softmax(scored, mask[:, None])",
        "shares = masked_softmax(scored, ~mask[:, None])",
        "a_step_of_one_number_each",
        "Your mask is the wrong way round: True means that the source is real.",
    ),
    lstm_mask_after_softmax=edit(
        "shares = masked_softmax(scored, mask[:, None])",
        "shares = torch.softmax(scored, dim=-1) * mask[:, None]",
        "a_step_of_one_number_each",
        "Your mask comes after the softmax: what is left of the weights does not sum to one.",
    ),
    lstm_mask_without_a_query_axis=edit(
        "shares = masked_softmax(scored, mask[:, None])",
        "shares = masked_softmax(scored, mask)",
        "logits_of_an_lstm_that_looks",
        "Your decoder reads every sentence with the mask of the first one. A mask (batch, T) does so that meets scores "
        "(batch, 1, T) without an axis for the query: write mask[:, None].",
    ),
    context_in_place_of_the_cell_state=edit(
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, c_prev))",
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, seen))",
        "a_step_of_one_number_each",
        "Your cell gets the context in place of its own state c. Are both called c in your code? The context is read with the word; "
        "c_{t-1} is what the cell remembers.",
    ),
    lstm_nan_for_an_empty_source=edit(
        "shares = masked_softmax(scored, mask[:, None])",
        'shares = torch.softmax(scored.masked_fill(~mask[:, None], float("-inf")), dim=-1)',
        "an_lstm_with_nothing_to_see",
        "Your softmax of a source in which all is masked is 0 / 0. It should be zeros, so that the rest of the batch survives.",
    ),
    lstm_even_shares_for_an_empty_source=edit(
        "shares = masked_softmax(scored, mask[:, None])",
        "shares = torch.softmax(scored.masked_fill(~mask[:, None], -1e10), dim=-1)",
        "an_lstm_with_nothing_to_see",
        "Your decoder gives even shares to a source in which all is masked: when all scores are equally low, the softmax does not care how low. They should be zeros.",
    ),
    lstm_scores_for_weights=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return logits, (h_next, c_next), scored[:, 0]",
        "a_step_of_one_number_each",
        "Your third result holds the scores before the softmax. Asked for are the weights.",
    ),
    lstm_probabilities_for_logits=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return torch.softmax(logits, dim=-1), (h_next, c_next), shares[:, 0]",
        "a_step_of_one_number_each",
        "Your step returns probabilities. The loss takes a softmax of its own, and twice is once too often.",
    ),
    lstm_state_cut=edit(
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, c_prev))",
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev.detach(), c_prev.detach()))",
        "both_parts_of_the_state_learn",
        "Your state is cut off from the step before (detach, .data or no_grad), so no word can teach the steps that led to it.",
    ),
    lstm_cell_state_cut=edit(
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, c_prev))",
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, c_prev.detach()))",
        "both_parts_of_the_state_learn",
        "Your cell state is cut off from the step before (detach, .data or no_grad). Gradients travel far in an LSTM because c lets them through.",
    ),
    lstm_weights_cut=edit(
        "shares = masked_softmax(scored, mask[:, None])",
        "shares = masked_softmax(scored, mask[:, None]).detach()",
        "an_lstm_teaches_every_weight",
        "Your attention weights are detached, so no gradient goes back through them: the values are right, but W_score and w_score never learn where to look.",
    ),
    lstm_cuts_the_encoder=edit(
        "seen = attention_context(shares, enc)[:, 0]",
        "seen = attention_context(shares, enc.detach())[:, 0]",
        "an_lstm_teaches_the_encoder",
        "Your encoder states are cut off from the network as values (detach, .data or no_grad). As keys they learn to be found, but never what to tell.",
    ),
    gates_in_another_order=edit(
        "h_next, c_next = self.cell(torch.cat([word, seen], dim=-1), (h_prev, c_prev))",
        "read = torch.cat([word, seen], dim=-1)\n        packed = read @ self.cell.weight_ih.T + self.cell.bias_ih + h_prev @ self.cell.weight_hh.T + self.cell.bias_hh\n        a_f, a_i, a_o, a_g = packed.chunk(4, dim=-1)\n        c_next = torch.sigmoid(a_f) * c_prev + torch.sigmoid(a_i) * torch.tanh(a_g)\n        h_next = torch.sigmoid(a_o) * torch.tanh(c_next)",
        "a_step_of_one_number_each",
        "Your gates are read off in the order f, i, o, candidate. The rows of torch.nn.LSTMCell are packed as i, f, candidate, o; self.cell knows them.",
    ),
    lstm_averages_the_source=edit(
        "seen = attention_context(shares, enc)[:, 0]",
        "seen = enc.mean(dim=1)",
        "a_step_of_one_number_each",
        "Your context is the mean of all encoder states, whatever the weights say.",
    ),
    lstm_takes_the_best_only=edit(
        "seen = attention_context(shares, enc)[:, 0]",
        "seen = enc[torch.arange(enc.shape[0]), shares[:, 0].argmax(dim=-1)]",
        "a_step_of_one_number_each",
        "Your context is the encoder state with the largest weight. All of them count, each by its share.",
    ),
    lstm_mask_fills_with_zero=edit(
        "shares = masked_softmax(scored, mask[:, None])",
        "shares = torch.softmax(scored * mask[:, None], dim=-1)",
        "two_sentences_look_first",
        "Your scores of padded positions are zero. The exponential of zero is one, so they still get a share.",
    ),
    output_looks_again=edit(
        "logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "shares = masked_softmax(mlp_score(h_next[:, None], enc, self.W_score, self.w_score), mask[:, None])\n"
        "        seen = attention_context(shares, enc)[:, 0]\n"
        "        logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "a_step_of_one_number_each",
        "Your decoder looks a second time, with the new h, before it speaks. One look, with h_{t-1}, serves cell and output.",
    ),
    lstm_hands_on_h_alone=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return logits, h_next, shares[:, 0]",
        "a_step_of_one_number_each",
        "Your step hands on h alone. The state of an LSTM is the pair (h, c); without c the next step has forgotten.",
    ),
    lstm_state_stacked=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return logits, torch.stack([h_next, c_next]), shares[:, 0]",
        "a_step_of_one_number_each",
        "Your state comes back as one tensor. It is a pair of two, (h, c), as it was handed in.",
    ),
    lstm_returns_four_things=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return logits, h_next, c_next, shares[:, 0]",
        "a_step_of_one_number_each",
        "Your step returns four things. h and c belong together as one pair: logits, (h, c), weights.",
    ),
    h_and_c_ask_together=edit(
        "scored = mlp_score(h_prev[:, None], enc, self.W_score, self.w_score)",
        "scored = mlp_score((h_prev + c_prev)[:, None], enc, self.W_score, self.w_score)",
        "two_sentences_look_first",
        "Your query is h + c. Only h asks; the cell state shows as much of itself in h as the output gate lets through.",
    ),
    lstm_context_squashed=edit(
        "word = self.embedding(y_prev)\n        h_next",
        "seen = torch.tanh(seen)\n        word = self.embedding(y_prev)\n        h_next",
        "a_step_of_one_number_each",
        "Your context goes through a tanh. It is the mixture of the encoder states as it is.",
    ),
    lstm_weights_keep_the_query_axis=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return logits, (h_next, c_next), shares",
        "a_step_of_one_number_each",
        "Your weights still have the axis of the one query: (batch, 1, T) instead of (batch, T).",
    ),
    output_reads_word_before_h=edit(
        "logits = self.output(torch.cat([h_next, word, seen], dim=-1))",
        "logits = self.output(torch.cat([word, h_next, seen], dim=-1))",
        "a_step_of_one_number_each",
        "Your output layer reads [e; h; context]; its weights belong to [h; e; context].",
    ),
    lstm_log_probabilities_for_logits=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return torch.log_softmax(logits, dim=-1), (h_next, c_next), shares[:, 0]",
        "a_step_of_one_number_each",
        "Your step returns log-probabilities. The softmax is left to the loss here; the logits go out as they are.",
    ),
    lstm_state_in_one_piece=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return logits, torch.cat([h_next, c_next], dim=-1), shares[:, 0]",
        "a_step_of_one_number_each",
        "Your state comes back as one tensor, h and c side by side. The step takes and gives a pair; for `greedy_decode`, put "
        "them together outside of it.",
    ),
    c_and_h_taken_apart_the_other_way=edit(
        "h_prev, c_prev = state",
        "c_prev, h_prev = state",
        "a_step_of_one_number_each",
        "Your state is taken apart as (c, h). The pair is (h, c).",
    ),
    lstm_new_state_cut=edit(
        "return logits, (h_next, c_next), shares[:, 0]",
        "return logits, (h_next.detach(), c_next.detach()), shares[:, 0]",
        "both_parts_of_the_state_learn",
        "Your new state is cut off from the network (detach, .data or no_grad) as it is handed on, so no later word can teach "
        "this step.",
    ),
    lstm_cuts_the_encoder_as_keys_too=edit(
        "h_prev, c_prev = state",
        "(h_prev, c_prev), enc = state, enc.detach()",
        "the_source_of_an_lstm_can_learn",
        "Your encoder states are cut off from the network (detach, .data or no_grad), so the encoder learns nothing by "
        "attention.",
    ),
    lstm_asks_with_tanh_of_the_cell=edit(
        "mlp_score(h_prev[:, None],",
        "mlp_score(torch.tanh(c_prev)[:, None],",
        "the_source_of_an_lstm_can_learn",
        "Your decoder asks with tanh(c) of the old cell. What asks is the old hidden state, h_prev: that is what the cell reveals.",
    ),
)

LOSS = mistakes_of(
    "masked_nll",
    mean_of_means_of_steps_with_words=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "each = (surprise * spoken_of).sum(dim=0) / spoken_of.sum(dim=0).clamp(min=1)\n"
        "    return each.sum() / spoken_of.any(dim=0).sum()",
        "three_words_and_a_filler",
        "Your loss is a mean over the steps of each step's mean. A word counts more at late steps, where few "
        "sentences are still going on; every real word counts the same.",
    ),
    filler_in_the_sum=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return surprise.sum() / spoken_of.sum()",
        "three_words_and_a_filler",
        "Your sum holds the positions of the filler, and only the number that divides it does not. Leave them out of both.",
    ),
    the_filler_counts_alone=edit(
        "spoken_of = targets != pad",
        "spoken_of = targets == pad",
        "three_words_and_a_filler",
        "Your mask is turned round: your loss is that of the filler, and the words are left out.",
    ),
    mean_over_padding=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return (surprise * spoken_of).sum() / spoken_of.numel()",
        "three_words_and_a_filler",
        "Your sum is divided by all positions, padding included. Batches with much padding would look better than "
        "they are.",
    ),
    padding_is_a_target=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return surprise.mean()",
        "three_words_and_a_filler",
        "Your padding counts as a word to be said. The model would learn to say padding, as it is the easiest "
        "word of all.",
    ),
    sum_for_mean=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return (surprise * spoken_of).sum()",
        "three_words_and_a_filler",
        "Your loss is the sum over the words; asked for is the mean. A sum depends on how many words a batch "
        "happens to have.",
    ),
    mean_of_means=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return ((surprise * spoken_of).sum(dim=1) / spoken_of.sum(dim=1)).mean()",
        "three_words_and_a_filler",
        "Your loss is a mean of the means of the rows. A word of a short sentence then counts more than one of a "
        "long sentence.",
    ),
    divided_by_the_batch=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return (surprise * spoken_of).sum() / targets.shape[0]",
        "three_words_and_a_filler",
        "Your sum is divided by the number of sentences. Divide by the number of real words.",
    ),
    divided_by_the_time=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return (surprise * spoken_of).sum() / targets.shape[1]",
        "logits_need_not_be_normalised",
        "Your sum is divided by the length of the rows. Divide by the number of real words.",
    ),
    pad_is_always_zero=edit(
        "spoken_of = targets != pad",
        "spoken_of = targets != 0",
        "logits_need_not_be_normalised",
        "Your loss leaves out id 0, whatever `pad` is. The filler is the number that the caller names, and 0 may "
        "be a word.",
    ),
    loss_softmaxes_twice=edit(
        "log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "log_probs_of_words = torch.log_softmax(torch.softmax(logits, dim=-1), dim=-1)",
        "three_words_and_a_filler",
        "Your logits go through a softmax twice (cross_entropy already has one). The loss can then never come "
        "near zero.",
    ),
    logits_taken_for_log_probabilities=edit(
        "log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "log_probs_of_words = logits",
        "logits_need_not_be_normalised",
        "Your logits are taken for log-probabilities. They need not sum to anything; the softmax is still to be taken.",
    ),
    log_of_a_softmax=edit(
        "log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "log_probs_of_words = torch.log(torch.softmax(logits, dim=-1))",
        "large_logits_give_finite_losses",
        "Your probabilities underflow to zero before the logarithm is taken of them, and log 0 is minus infinity. "
        "Take both in one go.",
    ),
    log_of_a_softmax_and_a_bit=edit(
        "log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "log_probs_of_words = torch.log(torch.softmax(logits, dim=-1) + 1e-9)",
        "large_logits_give_finite_losses",
        "Your logarithm is taken of the probability plus a small number. It hides how wrong a bad guess is, and "
        "its gradient vanishes just there.",
    ),
    softmax_over_time=edit(
        "log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "log_probs_of_words = torch.log_softmax(logits, dim=1)",
        "three_words_and_a_filler",
        "Your softmax runs over time. At each position it is the words of the vocabulary that compete.",
    ),
    loss_with_the_wrong_sign=edit(
        "surprise = -log_probs_of_words.gather(-1, indices[..., None])[..., 0]",
        "surprise = log_probs_of_words.gather(-1, indices[..., None])[..., 0]",
        "three_words_and_a_filler",
        "Your loss is negative: it is the mean log-likelihood, without the minus. Training would make the right "
        "words improbable.",
    ),
    bits_for_nats=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return (surprise * spoken_of).sum() / spoken_of.sum() / 0.6931471805599453",
        "three_words_and_a_filler",
        "Your loss is in bits (logarithm of base 2). Asked for are nats.",
    ),
    perplexity_for_loss=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return torch.exp((surprise * spoken_of).sum() / spoken_of.sum())",
        "three_words_and_a_filler",
        "Your result is the perplexity, exp of the loss.",
    ),
    probability_for_log=edit(
        "surprise = -log_probs_of_words.gather(-1, indices[..., None])[..., 0]",
        "surprise = 1 - log_probs_of_words.gather(-1, indices[..., None])[..., 0].exp()",
        "three_words_and_a_filler",
        "Your loss is one minus the probability of the right word. The logarithm is missing, and with it most of "
        "the gradient where the model is wrong.",
    ),
    loss_shifts_again=edit(
        "spoken_of = targets != pad",
        "logits, targets = logits[:, :-1], targets[:, 1:]\n    spoken_of = targets != pad",
        "three_words_and_a_filler",
        "Your loss compares each position with the target after it. The shift was made when the inputs were; here "
        "both stand where they belong.",
    ),
    loss_without_history=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return ((surprise * spoken_of).sum() / spoken_of.sum()).item()",
        "three_words_and_a_filler",
        "Your loss is a plain number (item, float), or it is detached. A tensor remembers how it was made, and only from "
        "that can a gradient be sent back.",
    ),
    targets_overwritten=edit(
        "indices = torch.where(spoken_of, targets, 0)",
        "targets[~spoken_of] = 0\n    indices = targets",
        "the_loss_leaves_its_inputs_alone",
        "Your loss is right, but it replaces the filler in the caller's targets, and the next who looks takes "
        "padding for words.",
    ),
    cross_entropy_of_everything=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())",
        "three_words_and_a_filler",
        "Your cross-entropy is not told which targets are padding. It counts them as words to be said, and fails "
        "where the filler is no word.",
    ),
    mean_of_step_means=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return ((surprise * spoken_of).sum(dim=0) / spoken_of.sum(dim=0).clamp(min=1)).mean()",
        "losses_of_any_size",
        "Your loss is a mean over the steps of each step's mean. A word counts more at late steps, where few "
        "sentences are still going on; every real word counts the same.",
    ),
    loss_column_meets_mask_row=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "surprise = -log_probs_of_words.gather(-1, targets.clamp(min=0)[..., None])[..., 0]\n"
        "    return (surprise[:, None] * spoken_of).sum() / spoken_of.sum()",
        "losses_of_any_size",
        "Your losses meet the mask with one axis too many, (batch, 1) against (batch,), and broadcast to "
        "(batch, batch): every loss is counted with every sentence's mask. Squeeze the last axis of the "
        "gathered ones.",
    ),
    padding_taken_as_an_index=edit(
        "indices = torch.where(spoken_of, targets, 0)",
        "indices = targets",
        "the_filler_may_be_no_word",
        "Your padding is used as an index into the vocabulary. It may be an id that does not exist, such as "
        "-1: put any valid id in its place before you gather.",
    ),
    loss_exponentials_overflow=edit(
        "log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "log_probs_of_words = logits - logits.exp().sum(dim=-1, keepdim=True).log()",
        "large_logits_give_finite_losses",
        "Your formula is right, but the exponential overflows where logits are large. torch.log_softmax "
        "takes a constant off first.",
    ),
    classes_on_the_time_axis=edit(
        "log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "return nn.functional.cross_entropy(logits, targets, ignore_index=pad)\n"
        "    log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "three_words_and_a_filler",
        "Your cross_entropy gets logits (batch, time, vocab), but it reads axis 1 as the classes, and that is "
        "time. Flatten batch and time, or move the vocabulary to axis 1.",
    ),
    mask_on_the_logits=edit(
        """    log_probs_of_words = torch.log_softmax(logits, dim=-1)
    indices = torch.where(spoken_of, targets, 0)
    surprise = -log_probs_of_words.gather(-1, indices[..., None])[..., 0]
    return (surprise * spoken_of).sum() / spoken_of.sum()
""",
        """    log_probs_of_words = torch.log_softmax(logits * spoken_of[..., None], dim=-1)
    indices = torch.where(spoken_of, targets, 0)
    surprise = -log_probs_of_words.gather(-1, indices[..., None])[..., 0]
    return surprise.sum() / spoken_of.sum()
""",
        "three_words_and_a_filler",
        "Your mask is multiplied into the logits. Logits of zero are a prediction too (all words equally likely), so padding "
        "still adds its ln(vocab) to the sum. It is the losses that the mask has to choose from.",
    ),
    log_of_the_mean_probability=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return -torch.log((torch.exp(-surprise) * spoken_of).sum() / spoken_of.sum())",
        "three_words_and_a_filler",
        "Your loss is the logarithm of the mean probability. First take the logarithm of each word's probability, then the mean.",
    ),
    pad_compared_after_clamping=edit(
        "spoken_of = targets != pad",
        "targets = targets.clamp(min=0)\n    spoken_of = targets != pad",
        "logits_need_not_be_normalised",
        "Your targets are clamped before they are compared with pad, so a pad of -1 is no longer found. Find the real words "
        "first.",
    ),
    classes_by_reshape=edit(
        "log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "turned = logits.reshape(logits.shape[0], logits.shape[2], logits.shape[1])\n"
        "    return nn.functional.cross_entropy(turned, targets, ignore_index=pad)\n"
        "    log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "three_words_and_a_filler",
        "Your logits are brought to (batch, vocab, T) by `reshape` or `view`, which leaves the numbers in their order, so words "
        "and positions are mixed. Two axes that change places need a transpose.",
    ),
    pad_left_out_of_the_vocabulary=edit(
        "log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "words = torch.arange(logits.shape[-1], device=logits.device)\n"
        "    log_probs_of_words = torch.log_softmax(logits.masked_fill(words == pad, -1e9), dim=-1)",
        "three_words_and_a_filler",
        "Your softmax leaves out the word whose id is pad. The decoder can say it, so it has its share; only targets are "
        "ignored.",
    ),
    last_word_not_counted=edit(
        "spoken_of = targets != pad",
        "spoken_of = targets != pad\n"
        "    spoken_of = spoken_of & torch.cat([spoken_of[:, 1:], torch.zeros_like(spoken_of[:, :1])], dim=1)",
        "three_words_and_a_filler",
        "Your loss leaves out the last real word of each row, EOS. The decoder has to learn when to stop.",
    ),
    first_word_not_counted=edit(
        "spoken_of = targets != pad",
        "spoken_of = (targets != pad) & (torch.arange(targets.shape[1], device=targets.device) > 0)",
        "three_words_and_a_filler",
        "Your loss leaves out the first word of each row. The targets do not begin with BOS: their first word has to be said, too.",
    ),
    words_counted_by_their_loss=edit(
        "return (surprise * spoken_of).sum() / spoken_of.sum()",
        "return (surprise * spoken_of).sum() / (surprise * spoken_of > 0).sum()",
        "sure_and_right_or_sure_and_wrong",
        "Your words are counted by their losses: one that is predicted with certainty costs 0 and is not counted. `pad` says "
        "which targets are words.",
    ),
    pad_is_the_smallest_id=edit(
        "spoken_of = targets != pad",
        "spoken_of = targets > pad",
        "losses_teach_the_logits",
        "Your loss leaves out every target that is not larger than pad. Pad may be any number, and words may have smaller "
        "ones.",
    ),
    likelihood_without_its_logarithm=edit(
        "log_probs_of_words = torch.log_softmax(logits, dim=-1)",
        "log_probs_of_words = torch.softmax(logits, dim=-1)",
        "three_words_and_a_filler",
        "Your loss is the mean probability with a minus: nll_loss takes log-probabilities, and takes no logarithm itself.",
    ),
)

GREEDY = mistakes_of(
    "greedy_decode",
    goes_on_after_eos=edit(
        "ids[:, t] = torch.where(ended, pad, y_prev)",
        "ids[:, t] = y_prev",
        "rows_end_when_they_end",
        "Your rows go on after their EOS: what the decoder says there is kept. From then on a row is padding.",
    ),
    never_stops_early=edit(
        "if ended.all():\n            break",
        "pass",
        "no_step_after_the_last_eos",
        "Your loop asks step once more, or until max_len, although all rows have ended. The ids would be the same, but the "
        "time is lost, and here step has nothing more to say.",
        "all_have_to_end_at_once",
    ),
    first_end_stops_all=edit(
        "if ended.all():\n            break",
        "if ended.any():\n            break",
        "rows_end_when_they_end",
        "Your loop ends for all rows as soon as one says EOS. Rows end at different times.",
    ),
    eos_left_out=edit(
        "ids[:, t] = torch.where(ended, pad, y_prev)",
        "ids[:, t] = torch.where(ended | (y_prev == eos), pad, y_prev)",
        "rows_end_when_they_end",
        "Your rows end before their EOS. It is the last word of a sentence, and belongs to it.",
    ),
    filled_up_with_eos=edit(
        "batch = state.shape[0]\n",
        "batch, pad = state.shape[0], eos\n",
        "rows_end_when_they_end",
        "Your rows are filled up with EOS. A row ends once; then comes the id `pad`.",
    ),
    filled_up_with_zeros=edit(
        "batch = state.shape[0]\n",
        "batch, pad = state.shape[0], 0\n",
        "rows_end_when_they_end",
        "Your rows are filled up with 0, whatever `pad` is.",
    ),
    bos_read_at_every_step=edit(
        "logits, state = step(y_prev, state)",
        "logits, state = step(torch.full((batch,), bos, device=state.device), state)",
        "rows_of_every_length",
        "Your decoder reads BOS at every step. After the first one it reads its own last word.",
    ),
    state_not_carried=edit(
        "logits, state = step(y_prev, state)",
        "logits, _ = step(y_prev, state)",
        "rows_end_when_they_end",
        "Your decoder goes back to the first state at every step. The one that step returns is to be handed to "
        "the next.",
    ),
    first_row_speaks_for_all=edit(
        "y_prev = logits.argmax(dim=-1)",
        "y_prev = logits[0].argmax(dim=-1).expand(batch)",
        "rows_end_when_they_end",
        "Your rows all say what the first one says. Each has logits of its own.",
    ),
    least_probable_words=edit(
        "y_prev = logits.argmax(dim=-1)",
        "y_prev = logits.argmin(dim=-1)",
        "yes_forever",
        "Your words are the least probable ones.",
    ),
    bos_in_the_sentence=edit(
        "return ids\n",
        "return torch.cat([torch.full((batch, 1), bos, device=ids.device), ids], dim=1)\n",
        "yes_forever",
        "Your rows begin with BOS. It is read but not said.",
    ),
    bos_pushes_a_word_out=edit(
        "return ids\n",
        "return torch.cat([torch.full((batch, 1), bos, device=ids.device), ids[:, :-1]], dim=1)\n",
        "yes_forever",
        "Your rows begin with BOS, and their last word is lost to it. It is read but not said.",
    ),
    cut_to_the_longest=edit(
        "return ids\n",
        "return ids[:, : t + 1]\n",
        "no_step_after_the_last_eos",
        "Your result is only as long as its longest row. It has max_len columns, whatever happens.",
    ),
    one_word_too_few=edit(
        "for t in range(max_len):",
        "for t in range(max_len - 1):",
        "yes_forever",
        "Your sentences are one word short: max_len words may be said, and BOS is not one of them.",
    ),
    ended_rows_wake_up=edit(
        "ended = ended | (y_prev == eos)",
        "ended = y_prev == eos",
        "rows_of_every_length",
        "Your rows wake up again after their EOS: that a row has ended is forgotten one step later.",
    ),
    bos_ends_a_sentence=edit(
        "ended = ended | (y_prev == eos)",
        "ended = ended | (y_prev == bos)",
        "rows_end_when_they_end",
        "Your rows end at BOS. It is EOS that ends a sentence.",
    ),
    all_have_to_end_at_once=edit(
        "if ended.all():\n            break",
        "if (y_prev == eos).all():\n            break",
        "no_step_after_the_last_eos",
        "Your loop ends early only if all rows say EOS at the same step. They end at different times: remember "
        "who has ended.",
        "never_stops_early",
    ),
    eos_asked_of_all_rows_at_once=edit(
        "if ended.all():",
        "if y_prev == eos:",
        "rows_end_when_they_end",
        "Your `if` asks one question about all rows, and each row has an answer of its own. Remember which rows have ended, and "
        "stop when all of them have.",
    ),
    rows_without_eos_are_cut=edit(
        "        if ended.all():\n            break\n    return ids",
        "        if ended.all():\n            break\n"
        "    first_end = (ids == eos).int().argmax(dim=1)\n"
        "    places = torch.arange(max_len, device=ids.device)\n"
        "    return torch.where(places > first_end[:, None], pad, ids)",
        "yes_forever",
        "Your rows without an EOS are cut after their first word: `argmax` over a row without a True answers 0. Ask first "
        "whether there is one.",
    ),
    ended_rows_wake_up_behind_padding=edit(
        "y_prev = logits.argmax(dim=-1)\n        ids[:, t] = torch.where(ended, pad, y_prev)\n        ended = ended | (y_prev == eos)",
        "y_prev = torch.where(ended, pad, logits.argmax(dim=-1))\n        ids[:, t] = y_prev\n        ended = y_prev == eos",
        "rows_end_when_they_end",
        "Your rows wake up again after their EOS: that a row has ended is forgotten one step later.",
    ),
    pad_ends_a_sentence=edit(
        "ended = ended | (y_prev == eos)",
        "ended = ended | (y_prev == eos) | (y_prev == pad)",
        "one_word_leads_to_the_next",
        "Your rows also end when they say the id of pad. It may be a word like any other; only EOS ends a sentence.",
    ),
    last_word_replaced_by_eos=edit(
        "        if ended.all():\n            break\n    return ids",
        "        if ended.all():\n            break\n    ids[~ended, -1] = eos\n    return ids",
        "yes_forever",
        "Your sentences that were cut off get an EOS as their last word. They keep the word that was said.",
    ),
    living_rows_lose_their_numbers=edit(
        "for t in range(max_len):\n        logits, state = step(y_prev, state)\n",
        "alive = torch.arange(batch, device=state.device)\n"
        "    for t in range(max_len):\n"
        "        logits, state = step(y_prev, state)\n"
        "        y_prev = logits.argmax(dim=-1)\n"
        "        ids[alive, t] = y_prev\n"
        "        going = y_prev != eos\n"
        "        y_prev, state, alive = y_prev[going], state[going], going.nonzero()[:, 0]\n"
        "        if not going.any():\n"
        "            return ids\n"
        "    return ids\n"
        "    for t in range(max_len):\n        logits, state = step(y_prev, state)\n",
        "rows_end_when_they_end",
        "Your rows that go on lose their numbers when others end, so later words stand in other rows. Positions within what is "
        "left are not rows of the batch.",
    ),
    best_word_with_an_axis_more=edit(
        "y_prev = logits.argmax(dim=-1)",
        "y_prev = logits.argmax(dim=-1, keepdim=True)",
        "rows_end_when_they_end",
        "Your best words have one axis too many, (batch, 1): without keepdim, `argmax` gives (batch,), which is what `step` "
        "reads.",
    ),
    filled_up_with_eos_while_others_go_on=edit(
        "ids[:, t] = torch.where(ended, pad, y_prev)",
        "ids[:, t] = torch.where(ended, eos, y_prev)",
        "rows_end_when_they_end",
        "Your rows that have ended get EOS again and again while others go on. A row ends once; then comes the id `pad`.",
    ),
)

BEAM = mistakes_of(
    "beam_search",
    least_probable_kept=edit(
        "best = extended.flatten().topk(min(places, extended.numel()))",
        "best = extended.flatten().topk(min(places, extended.numel()), largest=False)",
        "ok_is_better_than_yes",
        "You keep the continuations with the lowest totals. A total is a sum of logs of probabilities: the highest are the best.",
    ),
    power_of_the_six_alone=edit(
        "total / ((5 + len(words)) / 6) ** length_penalty) for",
        "total / (5 + len(words)) / 6**length_penalty) for",
        "the_length_penalty_decides",
        "Your power belongs to the 6 alone. Divide the total by all of ((5 + length) / 6) to the power of length_penalty: a pair of "
        "brackets is missing.",
    ),
    greedy_in_disguise=edit(
        "places = width - len(finished)",
        "places = 1 - len(finished)",
        "ok_is_better_than_yes",
        "Your search keeps one hypothesis, whatever `width` is. That is greedy decoding.",
    ),
    finished_free_their_places=edit(
        "places = width - len(finished)",
        "places = width",
        "a_finished_one_keeps_its_place",
        "Your finished hypotheses free their places for others. Some libraries do so; here, as in Jurafsky and "
        "Martin, the beam gets narrower.",
    ),
    no_length_penalty=edit(
        "total / ((5 + len(words)) / 6) ** length_penalty) for",
        "total) for",
        "silence_is_golden",
        "Your score is log P alone. Every further word makes it smaller, so short sentences win; it has to be "
        "divided by lp.",
    ),
    length_penalty_multiplies=edit(
        "total / ((5 + len(words)) / 6) ** length_penalty) for",
        "total * ((5 + len(words)) / 6) ** length_penalty) for",
        "silence_is_golden",
        "Your log P is multiplied by lp. It is negative, so that makes long sentences worse still.",
    ),
    length_itself_as_penalty=edit(
        "total / ((5 + len(words)) / 6) ** length_penalty) for",
        "total / len(words) ** length_penalty) for",
        "states_move_along",
        "Your penalty is a power of the length itself. That is in use, too; the one asked for is ((5 + n) / 6) to "
        "the power of length_penalty.",
    ),
    penalty_without_the_six=edit(
        "total / ((5 + len(words)) / 6) ** length_penalty) for",
        "total / (5 + len(words)) ** length_penalty) for",
        "states_move_along",
        "Your lp lacks the division by 6 = 5 + 1, which makes it 1 for a sentence of one word.",
    ),
    penalty_is_no_power=edit(
        "total / ((5 + len(words)) / 6) ** length_penalty) for",
        "total / (((5 + len(words)) / 6) * length_penalty or 1)) for",
        "states_move_along",
        "Your lp multiplies by length_penalty. It is an exponent.",
    ),
    eos_does_not_count=edit(
        "total / ((5 + len(words)) / 6) ** length_penalty) for",
        "total / ((5 + len([w for w in words if w != eos])) / 6) ** length_penalty) for",
        "silence_is_golden",
        "Your n leaves EOS out. It is a word of the sentence, and its probability is in log P.",
    ),
    penalty_at_every_step=edit(
        "totals = extended.new_tensor([total for _, total, _ in kept])",
        "totals = extended.new_tensor(\n            [total / ((5 + len(words)) / 6) ** length_penalty for words, total, _ in kept]\n        )",
        "states_move_along",
        "Your log P is divided by lp at every step, and what is divided already is divided again. It is for the "
        "end, when sentences of different lengths are compared.",
    ),
    probabilities_added_up=edit(
        "extended = totals[:, None] + torch.log_softmax(raw, dim=-1)",
        "extended = totals[:, None] + torch.softmax(raw, dim=-1)",
        "ok_is_better_than_yes",
        "Your search adds up probabilities. Probabilities of words multiply; it is their logarithms that add up.",
    ),
    logits_added_up=edit(
        "extended = totals[:, None] + torch.log_softmax(raw, dim=-1)",
        "extended = totals[:, None] + raw",
        "states_move_along",
        "Your search adds up logits. They cannot be compared between hypotheses before a softmax has normalised "
        "each row.",
    ),
    past_not_counted=edit(
        "extended = totals[:, None] + torch.log_softmax(raw, dim=-1)",
        "extended = torch.log_softmax(raw, dim=-1)",
        "ok_is_better_than_yes",
        "Your search compares the last words only. What counts is the whole hypothesis: the sum over all its words.",
    ),
    states_from_before_the_step=edit(
        "raw, state = step(last, state)",
        "raw, _ = step(last, state)",
        "states_move_along",
        "Your hypotheses keep the state from before the step. Each goes on from the state that `step` returned for it, or "
        "nothing that was written is remembered.",
    ),
    states_not_reordered=edit(
        "state = state[[parent for _, _, parent in kept]]",
        "state = state[[min(row, state.shape[0] - 1) for row in range(len(kept))]]",
        "states_move_along",
        "Your states stay in the old order while the hypotheses move, so words are continued from the states of "
        "others.",
    ),
    one_state_for_all=edit(
        "state = state[[parent for _, _, parent in kept]]",
        "state = state[[kept[0][2]] * len(kept)]",
        "states_move_along",
        "Your hypotheses all go on from the state of the best one. Each has a past of its own.",
    ),
    beam_reads_bos_again=edit(
        "last = torch.tensor([words[-1] for words in hypotheses], device=state.device)",
        "last = torch.full((len(kept),), bos)",
        "ok_is_better_than_yes",
        "Your decoder reads BOS at every step. Each hypothesis goes on from its own last word.",
    ),
    beam_reads_the_best_word=edit(
        "last = torch.tensor([words[-1] for words in hypotheses], device=state.device)",
        "last = torch.tensor([hypotheses[0][-1]] * len(kept), device=state.device)",
        "ok_is_better_than_yes",
        "Your hypotheses all read the last word of the best one. Each goes on from its own.",
    ),
    eos_ends_nothing=edit(
        "if word == eos:\n                finished.append((words, total))",
        "if False:\n                finished.append((words, total))",
        "ok_is_better_than_yes",
        "Your hypotheses go on after EOS. One that ends in EOS is finished, and has to be put aside.",
    ),
    finished_are_lost=edit(
        "in finished + cut_off]",
        "in (cut_off or finished)]",
        "ok_is_better_than_yes",
        "Your finished hypotheses are dropped as long as others are still going. They take part in the final choice.",
    ),
    goes_on_without_hypotheses=edit(
        "if not kept:\n            break",
        "pass",
        "nobody_asks_after_the_last_hypothesis",
        "Your loop goes on although every hypothesis is finished. The search is over then: nothing is left for step to "
        "read, and here it has nothing more to say.",
    ),
    finished_take_a_place_at_every_step=edit(
        "        if not kept:\n            break\n",
        "        width = places\n        if not kept or places <= len(finished):\n"
        "            hypotheses, totals = [], totals[:0]\n            break\n",
        "a_longer_one_may_still_win",
        "Your finished hypotheses are taken off the places again at every step, so the places run out too early. Each of them "
        "takes one place: width - len(finished) are left.",
    ),
    cut_off_are_lost=edit(
        "in finished + cut_off]",
        "in (finished or cut_off)]",
        "cut_off_sentences_count",
        "Your search considers hypotheses that were cut off only when none is finished. Here they take part in "
        "the final choice in any case.",
    ),
    first_finished_wins=edit(
        "return max(candidates, key=lambda candidate: candidate[1])",
        "return candidates[0]",
        "finished_ones_wait_for_the_others",
        "Your search returns the hypothesis that was finished first. Of all of them the one with the best score "
        "is asked for.",
    ),
    stops_at_the_first_end=edit(
        "if not kept:\n            break",
        "if finished or not kept:\n            break",
        "finished_ones_wait_for_the_others",
        "Your search is over when the first hypothesis is finished. Others that are better may still be on their way.",
    ),
    each_keeps_its_best=edit(
        "best = extended.flatten().topk(min(places, extended.numel()))",
        'if len(hypotheses) > 1:\n            extended = extended.masked_fill(extended < extended.amax(dim=1, keepdim=True), float("-inf"))\n        best = extended.flatten().topk(min(places, extended.numel()))',
        "a_wider_beam_finds_more",
        "Your hypotheses each keep one extension, their best. They have to compete: a good one may have several "
        "children, and a poor one none.",
    ),
    bos_in_the_hypothesis=edit(
        "hypotheses: list[list[int]] = [[]]",
        "hypotheses: list[list[int]] = [[bos]]",
        "ok_is_better_than_yes",
        "Your sentence begins with BOS. It is read but not said, and does not count in the length.",
    ),
    eos_dropped=edit(
        "if word == eos:\n                finished.append((words, total))",
        "if word == eos:\n                finished.append((words[:-1], total))",
        "ok_is_better_than_yes",
        "Your sentence has lost its EOS. It belongs to the sentence, and counts in the length.",
    ),
    log_p_for_score=edit(
        "return max(candidates, key=lambda candidate: candidate[1])",
        "words, best_score = max(candidates, key=lambda candidate: candidate[1])\n    return words, best_score * ((5 + len(words)) / 6) ** length_penalty",
        "states_move_along",
        "Your choice is right, but the number you return is log P without the length penalty.",
    ),
    probability_for_score=edit(
        "return max(candidates, key=lambda candidate: candidate[1])",
        "words, best_score = max(candidates, key=lambda candidate: candidate[1])\n    return words, 2.718281828459045**best_score",
        "ok_is_better_than_yes",
        "Your score is a probability: exp has been taken of it. Asked for is the logarithm, with the length penalty.",
    ),
    chosen_by_log_p=edit(
        "return max(candidates, key=lambda candidate: candidate[1])",
        "return max(candidates, key=lambda candidate: candidate[1] * ((5 + len(candidate[0])) / 6) ** length_penalty)",
        "silence_is_golden",
        "Your final choice goes by log P, and the length penalty comes after it. It has to decide the choice.",
    ),
    worst_score_wins=edit(
        "return max(candidates, key=lambda candidate: candidate[1])",
        "return min(candidates, key=lambda candidate: candidate[1])",
        "ok_is_better_than_yes",
        "Your search returns the hypothesis with the lowest score. Scores are negative, and the best one is the "
        "largest, nearest to zero.",
    ),
    shortest_wins=edit(
        "return max(candidates, key=lambda candidate: candidate[1])",
        "return min(candidates, key=lambda candidate: (len(candidate[0]), -candidate[1]))",
        "silence_is_golden",
        "Your search returns the shortest hypothesis. The score decides.",
    ),
    one_step_too_few=edit(
        "for _ in range(max_len):",
        "for _ in range(max_len - 1):",
        "one_place_is_greedy",
        "Your search is one step short: max_len words may be said, and BOS is not one of them.",
    ),
    one_place_too_many=edit(
        "places = width - len(finished)",
        "places = width + 1 - len(finished)",
        "one_place_is_greedy",
        "Your beam has one place more than `width`.",
    ),
    score_and_ids_swapped=edit(
        "return max(candidates, key=lambda candidate: candidate[1])",
        "return max(candidates, key=lambda candidate: candidate[1])[::-1]",
        "ok_is_better_than_yes",
        "Your two results have changed places: first the ids, then the score.",
    ),
    finished_can_be_pushed_out=edit(
        "places = width - len(finished)",
        "pool = sorted([total for _, total in finished] + extended.flatten().tolist(), reverse=True)[:width]\n        finished = [one for one in finished if one[1] >= pool[-1]]\n        places = width - len(finished)",
        "what_is_finished_is_safe",
        "Your finished hypotheses stay in the race, and can be pushed out by others that have a larger log P at "
        "the time. Here a finished one is put aside, with its place, for good.",
    ),
    penalty_without_its_brackets=edit(
        "((5 + len(words)) / 6) ** length_penalty)",
        "((5 + len(words)) / 6**length_penalty))",
        "a_wider_beam_finds_more",
        "Your length penalty raises 6 alone to the power. The whole fraction is raised: ((5 + n) / 6) ^ "
        "length_penalty.",
    ),
    one_state_runs_through_all=edit(
        "raw, state = step(last, state)",
        "rows = []\n"
        "        for word in last:\n"
        "            row, state = step(word[None], state[:1])\n"
        "            rows.append(row)\n"
        "        raw, state = torch.cat(rows), state.expand(len(last), -1)",
        "a_wider_beam_finds_more",
        "Your hypotheses share one state: each goes on from what the one before it left. Every hypothesis "
        "has a state of its own.",
    ),
    places_are_freed_until_enough_are_finished=edit(
        "raw, state = step(last, state)\n"
        "        extended = totals[:, None] + torch.log_softmax(raw, dim=-1)\n"
        "        places = width - len(finished)",
        "if len(finished) >= width:\n"
        "            break\n"
        "        raw, state = step(last, state)\n"
        "        extended = totals[:, None] + torch.log_softmax(raw, dim=-1)\n"
        "        places = width",
        "a_finished_one_keeps_its_place",
        "Your finished hypotheses free their places for others, until there are `width` of them. Some libraries do so; here, as "
        "in Jurafsky and Martin, the beam gets narrower.",
    ),
    bos_counts_as_a_word=edit(
        "total / ((5 + len(words)) / 6) ** length_penalty) for",
        "total / ((6 + len(words)) / 6) ** length_penalty) for",
        "silence_is_golden",
        "Your n is one too large, as if BOS were a word of the sentence. It is read, not said.",
    ),
    parent_found_by_the_width=edit(
        "parent, word = divmod(place, extended.shape[1])",
        "parent, word = place // width, place % extended.shape[1]",
        "ok_is_better_than_yes",
        "Your parent is found by dividing by the width of the beam. A row of the flattened scores has as many entries as there "
        "are words.",
    ),
    stops_when_no_log_p_is_better=edit(
        "hypotheses = [words for words, _, _ in kept]",
        "done = [total / ((5 + len(words)) / 6) ** length_penalty for words, total in finished]\n"
        "        if done and kept and max(done) >= max(total for _, total, _ in kept):\n"
        "            hypotheses, totals = [], extended.new_tensor([])\n            break\n"
        "        hypotheses = [words for words, _, _ in kept]",
        "a_longer_one_may_still_win",
        "Your search stops as soon as a finished score is above every unfinished log P. log P can only fall, but the length "
        "penalty still divides it: a longer sentence may win.",
    ),
    penalty_before_the_choice=edit(
        "extended = totals[:, None] + torch.log_softmax(raw, dim=-1)",
        "extended = totals[:, None] + torch.log_softmax(raw, dim=-1)\n"
        "        extended = extended / ((5 + len(hypotheses[0]) + 1) / 6) ** length_penalty",
        "silence_is_golden",
        "Your log P is divided by lp at every step, and what is divided already is divided again. It is for the end, when "
        "sentences of different lengths are compared.",
    ),
    penalty_at_every_step_alone=edit(
        """        extended = totals[:, None] + torch.log_softmax(raw, dim=-1)
        places = width - len(finished)
        best = extended.flatten().topk(min(places, extended.numel()))
        kept = []
        for total, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            parent, word = divmod(place, extended.shape[1])
            words = [*hypotheses[parent], word]
            if word == eos:
                finished.append((words, total))
            else:
                kept.append((words, total, parent))
        hypotheses = [words for words, _, _ in kept]
        totals = extended.new_tensor([total for _, total, _ in kept])
        if not kept:
            break
        state = state[[parent for _, _, parent in kept]]
        last = torch.tensor([words[-1] for words in hypotheses], device=state.device)
    cut_off = list(zip(hypotheses, totals.tolist(), strict=True))
    candidates = [(words, total / ((5 + len(words)) / 6) ** length_penalty) for words, total in finished + cut_off]""",
        """        extended = totals[:, None] + torch.log_softmax(raw, dim=-1)
        extended = extended / ((5 + len(hypotheses[0]) + 1) / 6) ** length_penalty
        places = width - len(finished)
        best = extended.flatten().topk(min(places, extended.numel()))
        kept = []
        for total, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            parent, word = divmod(place, extended.shape[1])
            words = [*hypotheses[parent], word]
            if word == eos:
                finished.append((words, total))
            else:
                kept.append((words, total, parent))
        hypotheses = [words for words, _, _ in kept]
        totals = extended.new_tensor([total for _, total, _ in kept])
        if not kept:
            break
        state = state[[parent for _, _, parent in kept]]
        last = torch.tensor([words[-1] for words in hypotheses], device=state.device)
    cut_off = list(zip(hypotheses, totals.tolist(), strict=True))
    candidates = finished + cut_off""",
        "silence_is_golden",
        "Your score is divided by lp at every step, and the quotient is carried on, so that lp comes in once for each word. Keep log P as "
        "it is, and divide it once, at the end.",
    ),
    penalty_of_the_numerator=edit(
        "((5 + len(words)) / 6) ** length_penalty)",
        "((5 + len(words)) ** length_penalty / 6))",
        "ok_is_better_than_yes",
        "Your length penalty raises 5 + n alone to the power. The whole fraction is raised: ((5 + n) / 6) ^ length_penalty.",
    ),
    one_word_too_few_in_the_penalty=edit(
        "((5 + len(words)) / 6) ** length_penalty)",
        "((4 + len(words)) / 6) ** length_penalty)",
        "silence_is_golden",
        "Your length penalty counts one word too few in every sentence. n is the number of words, EOS among them.",
    ),
    eos_taken_off_at_the_end=edit(
        "return max(candidates, key=lambda candidate: candidate[1])",
        "ids, score = max(candidates, key=lambda candidate: candidate[1])\n"
        "    return (ids[:-1] if ids[-1] == eos else ids), score",
        "ok_is_better_than_yes",
        "Your sentence has lost its EOS. It belongs to the sentence that is returned; only BOS does not.",
    ),
    beam_in_bits=edit(
        "torch.log_softmax(raw, dim=-1)",
        "torch.log_softmax(raw, dim=-1) / 0.6931471805599453",
        "ok_is_better_than_yes",
        "Your log P is in bits (logarithm of base 2). Here logarithms are natural ones.",
    ),
    place_read_by_columns=edit(
        "parent, word = divmod(place, extended.shape[1])",
        "word, parent = divmod(place, extended.shape[0])",
        "a_wider_beam_finds_more",
        "Your places among all words of all hypotheses are read column by column. `flatten` goes row by row, a row for each "
        "hypothesis: the hypothesis is the place divided by the size of the vocabulary, and the word what is left.",
    ),
)


MISCONCEPTIONS = (
    *INPUTS,
    *ENCODER,
    *DOT,
    *BILINEAR,
    *MLP,
    *SOFTMAX,
    *CONTEXT,
    *FIXED,
    *ATTENTION,
    *LSTM,
    *LOSS,
    *GREEDY,
    *BEAM,
)
