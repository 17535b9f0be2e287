"""Known mistakes of a8_language_model, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.mistakes import Edit, edit, mistakes_of

# get_batch


N_STARTS = "n_starts = len(data) - time"
STARTS = "starts = torch.randint(n_starts, (batch,), generator=generator)"
PLACES = "places = starts[:, None] + torch.arange(time)"
PIECES = "return data[places], data[places + 1]"

GET_BATCH = mistakes_of(
    "get_batch",
    last_start_left_out=edit(
        N_STARTS,
        "n_starts = len(data) - time - 1",
        "last_start_can_be_drawn",
        "Your last start is never drawn. Of five tokens, pieces of three can start at 0 and at 1: the target of the last "
        "input may be the last token.",
    ),
    start_too_far=edit(
        N_STARTS,
        "n_starts = len(data) - time + 1",
        "last_start_can_be_drawn",
        "Your starts go one too far: from there, the inputs still fit into the text, but the last target does not.",
    ),
    start_anywhere=edit(
        N_STARTS,
        "n_starts = len(data)",
        "batches_of_any_size",
        "Your starts go up to the end of the text, where there is no room for a piece any more.",
    ),
    generator_ignored=edit(
        STARTS,
        "starts = torch.randint(n_starts, (batch,))",
        "batches_of_any_size",
        "Your starts do not come from the generator you are given, so a training run cannot be repeated.",
    ),
    generator_of_its_own=edit(
        STARTS,
        "starts = torch.randint(n_starts, (batch,), generator=torch.Generator().manual_seed(0))",
        "batches_of_any_size",
        "Your function makes a generator of its own. It starts afresh in every call, and so every batch is the same.",
    ),
    one_start_for_all_rows=edit(
        STARTS,
        "starts = torch.randint(n_starts, (1,), generator=generator).expand(batch)",
        "batches_of_any_size",
        "Your rows all hold the same piece: a single start is drawn for the batch. Each row has one of its own.",
    ),
    pieces_in_a_row=edit(
        STARTS,
        "starts = torch.arange(batch, device=generator.device) * time % n_starts",
        "batches_of_any_size",
        "Your pieces are always those at the beginning of the text, one after another. They are drawn at random.",
    ),
    every_start_once=edit(
        STARTS,
        "starts = torch.randperm(n_starts, generator=generator)[:batch]",
        "last_start_can_be_drawn",
        "Your starts are drawn without putting them back. All draws are independent here, so a start may come up twice, and "
        "a batch may have more rows than there are starts.",
    ),
    starts_on_a_grid=edit(
        STARTS,
        "starts = torch.randint(n_starts, (batch,), generator=generator) // time * time",
        "batches_of_any_size",
        "Your pieces start at multiples of `time` only. Every start is as likely as any other, so that each token is seen at "
        "every place of a piece.",
    ),
    tokens_drawn_one_by_one=edit(
        PLACES,
        "places = torch.randint(n_starts, (batch, time), generator=generator)",
        "batches_of_any_size",
        "Your tokens are drawn one by one from all over the text. A piece is a stretch of it; without neighbours there is "
        "nothing to learn.",
    ),
    piece_one_too_long=edit(
        PLACES,
        "places = starts[:, None] + torch.arange(time + 1)",
        "pieces_of_one_token",
        "Your pieces are one token too long. time + 1 tokens are needed in all, but inputs and targets have `time` each.",
    ),
    targets_not_shifted=edit(
        PIECES,
        "return data[places], data[places]",
        "targets_are_what_comes_next",
        "Your targets are the inputs themselves. The model would learn to repeat what it reads, which is no language model.",
    ),
    targets_shifted_twice=edit(
        PIECES,
        "return data[places], data[(places + 2).clamp(max=len(data) - 1)]",
        "targets_are_what_comes_next",
        "Your targets are two tokens further on; it is the next one that is to be predicted.",
    ),
    targets_before_inputs=edit(
        PIECES,
        "return data[places], data[places - 1]",
        "targets_are_what_comes_next",
        "Your targets are the tokens before the inputs. The model would be asked for what it has just read.",
    ),
    inputs_and_targets_swapped=edit(
        PIECES,
        "return data[places + 1], data[places]",
        "targets_are_what_comes_next",
        "Your inputs and targets have changed places: what comes first is read, what comes next is the target.",
    ),
    targets_go_round=edit(
        PIECES,
        "return data[places], data[places].roll(-1, dims=1)",
        "targets_are_what_comes_next",
        "Your last target is the first input of the piece: shifting the piece in itself brings its beginning to its end. "
        "Take the targets from the text.",
    ),
    one_target_per_piece=edit(
        PIECES,
        "return data[places], data[starts + time]",
        "targets_are_what_comes_next",
        "Your pieces have one target each, the token behind them. Every position has one: that makes `time` predictions of "
        "one pass through the model.",
    ),
    time_before_batch=edit(
        PIECES,
        "return data[places].T, data[places + 1].T",
        "batches_of_any_size",
        "Your batch has time on its first axis. Here it is (batch, time).",
    ),
    batch_in_one_tensor=edit(
        PIECES,
        "return torch.stack([data[places], data[places + 1]])",
        "batches_of_any_size",
        "Your inputs and targets come back as one tensor. Return the two, one after the other.",
    ),
    start_too_far_for_stack=edit(
        "n_starts = len(data) - time\n"
        "    starts = torch.randint(n_starts, (batch,), generator=generator)\n"
        "    places = starts[:, None] + torch.arange(time)\n"
        "    return data[places], data[places + 1]",
        "starts = torch.randint(len(data) - time + 1, (batch,), generator=generator)\n"
        "    inputs = torch.stack([data[s : s + time] for s in starts])\n"
        "    return inputs, torch.stack([data[s + 1 : s + time + 1] for s in starts])",
        "batches_of_any_size",
        "Your starts go one too far: from there the targets are one token short, and slices of different "
        "lengths do not stack.",
    ),
    starts_drawn_among_whole_pieces=edit(
        f"{N_STARTS}\n    {STARTS}",
        "starts = torch.randint((len(data) - 1) // time, (batch,), generator=generator) * time",
        "batches_of_any_size",
        "Your text is cut into whole pieces first, and one of these is drawn. A piece may start at any token, not only at "
        "multiples of `time`.",
    ),
    last_target_not_asked=edit(
        PIECES,
        "targets = torch.full_like(places, IGNORE)\n"
        "    targets[:, :-1] = data[places[:, 1:]]\n"
        "    return data[places], targets",
        "targets_are_what_comes_next",
        "Your last target of each row is IGNORE. Every position has a target here: that of the last input is the token right "
        "behind the piece.",
    ),
    inputs_begin_with_a_token_of_their_own=edit(
        PIECES,
        "targets = data[places]\n"
        "    return torch.cat([torch.zeros_like(targets[:, :1]), targets[:, :-1]], dim=1), targets",
        "batches_of_any_size",
        "Your inputs begin with a 0 that does not stand in the text, and your targets are the piece itself. The piece is "
        "the inputs, and the targets are one token further on.",
    ),
    pieces_go_round_the_end=edit(
        f"{N_STARTS}\n    {STARTS}\n    {PLACES}\n    {PIECES}",
        "starts = torch.randint(len(data), (batch,), generator=generator)\n"
        "    places = starts[:, None] + torch.arange(time)\n"
        "    return data[places % len(data)], data[(places + 1) % len(data)]",
        "batches_of_any_size",
        "Your pieces may start anywhere and go on at the beginning of the text where it ends. A piece is a stretch that is "
        "there: only starts from which all inputs and targets fit count.",
    ),
    late_starts_moved_back=edit(
        f"{N_STARTS}\n    {STARTS}",
        "starts = torch.randint(len(data), (batch,), generator=generator).clamp(max=len(data) - time - 1)",
        "batches_of_any_size",
        "Your starts are drawn from the whole text, and those too late are moved back, so the last start comes up far too "
        "often. Draw among the possible starts alone.",
    ),
    starts_from_fractions=edit(
        STARTS,
        "starts = (torch.rand(batch, generator=generator) * n_starts).long()",
        "batches_of_any_size",
        "Your starts are made of fractions from torch.rand. These are other draws than those of torch.randint, so "
        "the same generator gives other batches.",
    ),
    starts_sorted=edit(
        STARTS,
        "starts = torch.randint(n_starts, (batch,), generator=generator).sort().values",
        "batches_of_any_size",
        "Your rows are sorted by their starts. They stay in the order in which they are drawn.",
    ),
    rows_stacked_as_columns=edit(
        PIECES,
        "return data[places].T.reshape(batch, time), data[places + 1].T.reshape(batch, time)",
        "batches_of_any_size",
        "Your pieces are stacked as columns and then reshaped to (batch, time). Reshaping does not turn columns into rows: "
        "the tokens of different pieces get mixed.",
    ),
    slices_with_a_tensor_of_starts=edit(
        f"{PLACES}\n    {PIECES}",
        "return data[starts : starts + time], data[starts + 1 : starts + time + 1]",
        "batches_of_any_size",
        "Your slice is given all starts at once, and a slice has one beginning. Slice for each start and stack the pieces, or "
        "index with a table of places, (batch, time).",
    ),
    generator_begins_again=edit(
        STARTS,
        "again = torch.Generator().manual_seed(generator.initial_seed())\n"
        "    starts = torch.randint(n_starts, (batch,), generator=again)",
        "pieces_of_a_longer_text",
        "Your generator begins again at its seed in every call, so every batch is the same. Draw from the generator you are "
        "given; it goes on by itself.",
    ),
    piece_one_too_short=edit(
        PLACES,
        "places = starts[:, None] + torch.arange(time - 1)",
        "batches_of_any_size",
        "Your pieces are one token too short. Inputs and targets have `time` tokens each, so time + 1 tokens of the text are "
        "needed.",
    ),
    places_drawn_one_by_one=edit(
        f"{STARTS}\n    {PLACES}",
        "places = torch.randint(n_starts, (batch, time), generator=generator)",
        "batches_of_any_size",
        "Your draw is a number for every token of the batch, so neighbours in a row are no neighbours in the text. Draw one start "
        "for each row, and take what follows it.",
    ),
    starts_and_steps_added_pair_by_pair=edit(
        PLACES,
        "places = starts + torch.arange(time)",
        "batches_of_any_size",
        "Your starts, one for each row, and the steps of a piece are added pair by pair, which fails unless there are as many of "
        "both. Every start goes with every step: give the starts an axis of their own, (batch, 1).",
    ),
)

# TransformerLM


TOKENS = "tokens = self.token_embedding(ids)"
WHERE = "places = torch.arange(time, device=ids.device)"
SUM = "x = self.dropout(tokens + self.position_embedding(places))"
MASK = "mask = torch.ones(time, time, dtype=torch.bool, device=ids.device).tril()"
LOOP = "for block in self.blocks:"
LOOK = "x = x + block.attention(block.norm_1(x), mask)"
THINK = "x = x + block.feed_forward(block.norm_2(x))"
BOTH = f"{LOOK}\n            {THINK}"
LOGITS = "return self.output(self.final_norm(x))"

TRANSFORMER_LM = mistakes_of(
    "TransformerLM",
    no_positions=edit(
        SUM,
        "x = self.dropout(tokens)",
        "same_token_at_every_place",
        "Your model does not use position_embedding. Attention by itself does not know how far back a token stands.",
    ),
    no_tokens=edit(
        SUM,
        "x = self.dropout(torch.zeros_like(tokens) + self.position_embedding(places))",
        "models_of_any_size",
        "Your model reads the positions and not the tokens.",
    ),
    places_from_one=edit(
        WHERE,
        "places = torch.arange(1, time + 1, device=ids.device).clamp(max=self.block_size - 1)",
        "models_of_any_size",
        "Your places are counted from 1. The first token stands at place 0.",
    ),
    places_counted_from_the_end=edit(
        WHERE,
        "places = torch.arange(time, device=ids.device).flip(0)",
        "models_of_any_size",
        "Your places are counted from the end, so a token's place changes whenever one is added. The first one is at 0.",
    ),
    places_at_the_end_of_the_block=edit(
        WHERE,
        "places = torch.arange(time, device=ids.device) + self.block_size - time",
        "models_of_any_size",
        "Your tokens stand at the last places of the block. Short texts begin at place 0 as well.",
    ),
    all_at_place_zero=edit(
        WHERE,
        "places = torch.zeros(time, dtype=torch.long, device=ids.device)",
        "same_token_at_every_place",
        "Your tokens all stand at place 0, so nothing tells how far apart they are.",
    ),
    places_are_ids=edit(
        WHERE,
        "places = ids.clamp(max=self.block_size - 1)",
        "models_of_any_size",
        "Your position vectors are looked up by the tokens' ids. They belong to the places 0, 1, 2 and so on.",
    ),
    tokens_scaled_up=edit(
        TOKENS,
        "tokens = self.token_embedding(ids) * self.token_embedding.embedding_dim**0.5",
        "models_of_any_size",
        "Your token vectors are multiplied by sqrt(d_model), as in the first Transformer. Here, as in GPT-2, they are added to "
        "the positions as they are.",
    ),
    sum_scaled_up=edit(
        SUM,
        "x = self.dropout((tokens + self.position_embedding(places)) * tokens.shape[-1] ** 0.5)",
        "models_of_any_size",
        "Your sum of token and position is multiplied by sqrt(d_model). There is no factor here.",
    ),
    positions_multiplied=edit(
        SUM,
        "x = self.dropout(tokens * self.position_embedding(places))",
        "models_of_any_size",
        "Your token and position vectors are multiplied. They are added.",
    ),
    positions_cannot_learn=edit(
        SUM,
        "x = self.dropout(tokens + self.position_embedding(places).detach())",
        "places_can_learn",
        "Your positions are cut off from the gradient, so they stay what they were at the start.",
    ),
    tokens_cannot_learn=edit(
        TOKENS,
        "tokens = self.token_embedding(ids).detach()",
        "token_vectors_can_learn",
        "Your token vectors are cut off from the gradient, so they stay what they were at the start.",
    ),
    dropout_left_out=edit(
        SUM,
        "x = tokens + self.position_embedding(places)",
        "everything_can_be_dropped_in_training",
        "Your model does not use self.dropout, so nothing is ever dropped while it trains.",
    ),
    dropout_active_in_evaluation=edit(
        SUM,
        "x = functional.dropout(tokens + self.position_embedding(places), self.dropout.p)",
        "nothing_is_dropped_in_evaluation",
        "Your dropout is active in evaluation, too: the function in torch.nn.functional does not know the model's mode unless "
        "you tell it. self.dropout does.",
    ),
    dropout_of_tokens_only=edit(
        SUM,
        "x = self.dropout(tokens) + self.position_embedding(places)",
        "everything_can_be_dropped_in_training",
        "Your dropout takes the tokens before the positions are added. It stands behind the sum of the two.",
    ),
    dropout_of_positions_only=edit(
        SUM,
        "x = tokens + self.dropout(self.position_embedding(places))",
        "everything_can_be_dropped_in_training",
        "Your dropout takes the positions alone. It stands behind the sum of tokens and positions.",
    ),
    dropout_before_the_output_too=edit(
        LOGITS,
        "return self.output(self.dropout(self.final_norm(x)))",
        "everything_can_be_dropped_in_training",
        "Your dropout stands a second time before the output map. It has one place: behind the sum of tokens and positions.",
    ),
    dropout_of_the_attention_too=edit(
        LOOK,
        "x = x + self.dropout(block.attention(block.norm_1(x), mask))",
        "everything_can_be_dropped_in_training",
        "Your dropout stands behind each attention, too, as in some models. Here it has one place: behind the sum of tokens and "
        "positions.",
    ),
    no_mask=edit(
        MASK,
        "mask = torch.ones(time, time, dtype=torch.bool, device=ids.device)",
        "future_tokens_change_nothing",
        "Your positions see what comes after them. The next token is what they are to predict: in training the answer stands "
        "in the input, and when the model writes there is nothing to copy it from.",
    ),
    mask_shows_the_next=edit(
        MASK,
        "mask = torch.ones(time, time, dtype=torch.bool, device=ids.device).tril(diagonal=1)",
        "future_tokens_change_nothing",
        "Your mask is one off: each position sees the token right after it, which is the very one to predict.",
    ),
    mask_hides_self=edit(
        MASK,
        "mask = torch.ones(time, time, dtype=torch.bool, device=ids.device).tril(diagonal=-1)",
        "models_of_any_size",
        "Your positions may not look at themselves; the first one has nothing to look at at all, and what comes out is no "
        "number.",
    ),
    mask_shows_the_future=edit(
        MASK,
        "mask = torch.ones(time, time, dtype=torch.bool, device=ids.device).triu()",
        "models_of_any_size",
        "Your mask is the wrong triangle: positions see themselves and what comes after, and none of what was before.",
    ),
    mask_says_what_is_hidden=edit(
        MASK,
        "mask = ~torch.ones(time, time, dtype=torch.bool, device=ids.device).tril()",
        "models_of_any_size",
        "Your mask is True where nothing may be seen, as in torch's own modules. Here True means 'may look'.",
    ),
    mask_shows_two=edit(
        MASK,
        "mask = torch.ones(time, time, dtype=torch.bool, device=ids.device).tril().triu(diagonal=-1)",
        "models_of_any_size",
        "Your positions see themselves and the one before, and no further back.",
    ),
    post_norm=edit(
        BOTH,
        "x = block.norm_1(x + block.attention(x, mask))\n            x = block.norm_2(x + block.feed_forward(x))",
        "models_of_any_size",
        "Your blocks are post-norm: the norm stands behind the sum. Here it stands before the sublayer, and nothing stands "
        "behind the sum.",
    ),
    attention_without_residual=edit(
        LOOK,
        "x = block.attention(block.norm_1(x), mask)",
        "models_of_any_size",
        "Your attention replaces x where it should be added to it.",
    ),
    feed_forward_without_residual=edit(
        THINK,
        "x = block.feed_forward(block.norm_2(x))",
        "models_of_any_size",
        "Your feed-forward network replaces x where it should be added to it.",
    ),
    residual_of_the_normed=edit(
        LOOK,
        "normed = block.norm_1(x)\n            x = normed + block.attention(normed, mask)",
        "models_of_any_size",
        "Your attention is added to the normed x. It is added to x as it was; only the sublayer reads the normed one.",
    ),
    second_residual_of_the_normed=edit(
        THINK,
        "normed = block.norm_2(x)\n            x = normed + block.feed_forward(normed)",
        "models_of_any_size",
        "Your feed-forward network is added to the normed x. It is added to x as it was; only the sublayer reads the normed "
        "one.",
    ),
    attention_without_norm=edit(
        LOOK, "x = x + block.attention(x, mask)", "models_of_any_size", "Your attention reads x without norm_1."
    ),
    feed_forward_without_norm=edit(
        THINK,
        "x = x + block.feed_forward(x)",
        "models_of_any_size",
        "Your feed-forward network reads x without norm_2.",
    ),
    one_norm_for_both=edit(
        THINK,
        "x = x + block.feed_forward(block.norm_1(x))",
        "models_of_any_size",
        "Your block uses norm_1 twice and norm_2 never. Each sublayer has a norm of its own.",
    ),
    norms_swapped=edit(
        BOTH,
        "x = x + block.attention(block.norm_2(x), mask)\n            x = x + block.feed_forward(block.norm_1(x))",
        "models_of_any_size",
        "Your two norms have changed places.",
    ),
    sublayers_side_by_side=edit(
        BOTH,
        "x = x + block.attention(block.norm_1(x), mask) + block.feed_forward(block.norm_2(x))",
        "models_of_any_size",
        "Your sublayers both read the same x. The feed-forward network reads what is there after the attention.",
    ),
    feed_forward_first=edit(
        BOTH,
        "x = x + block.feed_forward(block.norm_2(x))\n            x = x + block.attention(block.norm_1(x), mask)",
        "models_of_any_size",
        "Your feed-forward network comes before the attention. First the positions look, then they think.",
    ),
    no_feed_forward=edit(
        THINK, "pass", "models_of_any_size", "Your blocks are attention only; the feed-forward network is not used."
    ),
    no_attention=edit(
        LOOK,
        "pass",
        "models_of_any_size",
        "Your positions never look at each other; the attention is not used. What is left knows only the last token.",
    ),
    no_final_norm=edit(
        LOGITS,
        "return self.output(x)",
        "models_of_any_size",
        "Your output map reads the sums as they are. A stack of pre-norm blocks ends with final_norm.",
    ),
    final_norm_in_every_block=edit(
        BOTH,
        f"{BOTH}\n            x = self.final_norm(x)",
        "models_of_any_size",
        "Your final_norm comes after each block. It comes once, after the last one.",
    ),
    softmax_of_the_logits=edit(
        LOGITS,
        "return torch.softmax(self.output(self.final_norm(x)), dim=-1)",
        "models_of_any_size",
        "Your model returns probabilities. Cross-entropy and sampling take the softmax themselves, and twice is wrong.",
    ),
    log_softmax_of_the_logits=edit(
        LOGITS,
        "return torch.log_softmax(self.output(self.final_norm(x)), dim=-1)",
        "models_of_any_size",
        "Your model returns log-probabilities. The loss would be the same, but what is asked for are the logits, as the output "
        "map gives them.",
    ),
    logits_of_the_last_position=edit(
        LOGITS,
        "return self.output(self.final_norm(x))[:, -1:]",
        "models_of_any_size",
        "Your model predicts behind the last token only. It does so at every position; training needs them all.",
    ),
    tied_to_the_embedding=edit(
        LOGITS,
        "return functional.linear(self.final_norm(x), self.token_embedding.weight, self.output.bias)",
        "models_of_any_size",
        "Your output map uses the weights of the token embedding, as GPT-2 does. Here it has weights of its own.",
    ),
    first_block_only=edit(
        LOOP, "for block in self.blocks[:1]:", "models_of_any_size", "Your model uses its first block only."
    ),
    last_block_left_out=edit(
        LOOP, "for block in list(self.blocks)[:-1]:", "models_of_any_size", "Your model leaves out its last block."
    ),
    first_block_again_and_again=edit(
        LOOP,
        "for block in [self.blocks[0]] * len(self.blocks):",
        "models_of_any_size",
        "Your model goes through its first block again and again. Each layer has a block of its own.",
    ),
    blocks_backwards=edit(
        LOOP,
        "for block in reversed(self.blocks):",
        "models_of_any_size",
        "Your blocks come in the wrong order: the last one first.",
    ),
    feed_forward_added_to_the_input=edit(
        "x = x + block.attention(block.norm_1(x), mask)\n            x = x + block.feed_forward(block.norm_2(x))",
        "h = x + block.attention(block.norm_1(x), mask)\n            x = x + block.feed_forward(block.norm_2(h))",
        "models_of_any_size",
        "Your feed-forward network is added to the block's input, so what attention said does not stay in "
        "the residual stream. Add it to the sum with attention.",
    ),
    only_the_last_block_counts=edit(
        "for block in self.blocks:\n"
        "            x = x + block.attention(block.norm_1(x), mask)\n"
        "            x = x + block.feed_forward(block.norm_2(x))",
        "embedded = x\n"
        "        for block in self.blocks:\n"
        "            x = embedded + block.attention(block.norm_1(embedded), mask)\n"
        "            x = x + block.feed_forward(block.norm_2(x))",
        "model_takes_a_batch",
        "Every block reads the embeddings, so only the last block counts. Each block reads what the block before "
        "it has made.",
    ),
    mask_of_floats=edit(
        MASK,
        "mask = torch.ones(time, time, device=ids.device).tril()",
        "model_by_hand",
        "Your mask holds floats, 1 and 0. Attention takes truth values: make it with dtype=torch.bool, or compare.",
    ),
    residuals_scaled_down=edit(
        BOTH,
        "part = (2 * len(self.blocks)) ** -0.5\n"
        "            x = x + part * block.attention(block.norm_1(x), mask)\n"
        "            x = x + part * block.feed_forward(block.norm_2(x))",
        "models_of_any_size",
        "Your sublayers are divided by the root of their number before they are added. GPT-2 does so with weights at their "
        "initialisation, not in forward: what a sublayer says is added as it is.",
    ),
    positions_added_in_every_block=edit(
        LOOP,
        f"{LOOP}\n            x = x + self.position_embedding(places)",
        "models_of_any_size",
        "Your positions are added again in every block. They are added once, to the token vectors.",
    ),
    positions_added_in_the_blocks_alone=edit(
        f"{SUM}\n        {MASK}\n        {LOOP}",
        f"x = self.dropout(tokens)\n        {MASK}\n        {LOOP}\n            x = x + self.position_embedding(places)",
        "models_of_any_size",
        "Your positions are added in front of each block. They are added once, to the token vectors; the residual stream "
        "carries them on.",
    ),
    residuals_of_the_embedding=edit(
        f"{LOOP}\n            {BOTH}",
        "embedded = x\n"
        f"        {LOOP}\n"
        "            x = embedded + block.attention(block.norm_1(x), mask)\n"
        "            x = embedded + block.feed_forward(block.norm_2(x))",
        "models_of_any_size",
        "Your sublayers are all added to the embeddings, so what the sublayers before have said is lost. Each is added to the "
        "x that its norm has read.",
    ),
    attention_added_to_the_embedding=edit(
        f"{LOOP}\n            {LOOK}",
        f"embedded = x\n        {LOOP}\n            x = embedded + block.attention(block.norm_1(x), mask)",
        "models_of_any_size",
        "Your attention is added to the embeddings in every block, so what the blocks before have said is lost. It is added "
        "to the x that its norm has read.",
    ),
    feed_forward_reads_the_attention_alone=edit(
        BOTH,
        "looked = block.attention(block.norm_1(x), mask)\n"
        "            x = x + looked + block.feed_forward(block.norm_2(looked))",
        "models_of_any_size",
        "Your feed-forward network reads what attention says, alone. It reads the sum, the stream with attention added.",
    ),
    mask_hides_self_but_the_first=edit(
        MASK,
        "mask = torch.ones(time, time, dtype=torch.bool, device=ids.device).tril(diagonal=-1)\n        mask[0, 0] = True",
        "models_of_any_size",
        "Your positions may not look at themselves, but for the first. Each looks at itself and at what is before it.",
    ),
    final_norm_inside_the_blocks_alone=edit(
        f"{THINK}\n        {LOGITS}",
        f"{THINK}\n            x = self.final_norm(x)\n        return self.output(x)",
        "models_of_any_size",
        "Your final_norm comes at the end of every block. It comes once, after the last one, and the stream between the "
        "blocks is not normed.",
    ),
    final_norm_before_the_blocks=edit(
        f"{LOOP}\n            {BOTH}\n        {LOGITS}",
        f"x = self.final_norm(x)\n        {LOOP}\n            {BOTH}\n        return self.output(x)",
        "models_of_any_size",
        "Your final_norm comes before the blocks. It comes after the last one, before the output map.",
    ),
    dropout_of_the_feed_forward_too=edit(
        THINK,
        "x = x + self.dropout(block.feed_forward(block.norm_2(x)))",
        "everything_can_be_dropped_in_training",
        "Your dropout stands behind each feed-forward network, too, as in some models. Here it has one place: behind the sum of "
        "tokens and positions.",
    ),
    dropout_of_both_sublayers_too=edit(
        BOTH,
        "x = x + self.dropout(block.attention(block.norm_1(x), mask))\n"
        "            x = x + self.dropout(block.feed_forward(block.norm_2(x)))",
        "everything_can_be_dropped_in_training",
        "Your dropout stands behind each sublayer, too, as in the first Transformer. Here it has one place: behind the sum of "
        "tokens and positions.",
    ),
    batch_taken_for_time=edit(
        "time = ids.shape[1]\n        places",
        "time = ids.shape[0]\n        places",
        "models_of_any_size",
        "Your number of places is the number of rows. ids are (batch, time): time is axis 1.",
    ),
    norm_of_what_a_sublayer_says=edit(
        BOTH,
        "x = x + block.norm_1(block.attention(x, mask))\n            x = x + block.norm_2(block.feed_forward(x))",
        "models_of_any_size",
        "Your norms stand behind the sublayers, and what these read is not normed. Here each sublayer reads the normed x, and what "
        "it says is added as it is.",
    ),
    vocabulary_before_time=edit(
        LOGITS,
        "return self.output(self.final_norm(x)).transpose(1, 2)",
        "models_of_any_size",
        "Your logits are (batch, vocab, time). They are (batch, time, vocab); if a loss wants another order, the loss brings "
        "them into it.",
    ),
    logits_of_the_last_position_without_time=edit(
        LOGITS,
        "return self.output(self.final_norm(x[:, -1]))",
        "models_of_any_size",
        "Your model predicts behind the last token only, and the axis of time is gone. It predicts at every position.",
    ),
    places_of_the_whole_block=edit(
        WHERE,
        "places = torch.arange(self.block_size, device=ids.device)",
        "models_of_any_size",
        "Your places are all those of the block, also where there are fewer tokens. Take as many places as there are tokens.",
    ),
    mask_of_the_whole_block=edit(
        MASK,
        "mask = torch.ones(self.block_size, self.block_size, dtype=torch.bool, device=ids.device).tril()",
        "models_of_any_size",
        "Your mask has a row and a column for each place of the block. It has one for each token that there is.",
    ),
    both_residuals_of_the_normed=edit(
        BOTH,
        "x = block.norm_1(x)\n"
        "            x = x + block.attention(x, mask)\n"
        "            x = block.norm_2(x)\n"
        "            x = x + block.feed_forward(x)",
        "models_of_any_size",
        "Your norms change the residual stream itself: each sublayer is added to the normed x. It is added to x as it was; only "
        "the sublayer reads the normed one.",
    ),
    logits_end_in_a_softmax_over_time=edit(
        "return self.output(self.final_norm(x))",
        "return self.output(self.final_norm(x)).softmax(dim=1)",
        "models_of_any_size",
        "Your forward ends in a softmax, and over time at that. It returns logits: lm_loss has the softmax in it.",
    ),
)

# lm_loss


LOSS = "return functional.cross_entropy(logits.reshape(-1, vocab), targets.reshape(-1), ignore_index=IGNORE)"
FLAT = "logits.reshape(-1, vocab), targets.reshape(-1)"

LM_LOSS = mistakes_of(
    "lm_loss",
    softmax_before_cross_entropy=edit(
        LOSS,
        "return functional.cross_entropy(logits.softmax(dim=-1).reshape(-1, vocab), targets.reshape(-1), ignore_index=IGNORE)",
        "losses_of_any_size",
        "Your cross-entropy is given probabilities. It takes the softmax itself, and with two of them the loss can never come "
        "near zero.",
    ),
    loss_summed=edit(
        LOSS,
        f"return functional.cross_entropy({FLAT}, ignore_index=IGNORE, reduction='sum')",
        "losses_of_any_size",
        "Your loss is the sum over all tokens. It is the mean, or it would grow with the batch.",
    ),
    loss_of_every_token=edit(
        LOSS,
        f"return functional.cross_entropy({FLAT}, ignore_index=IGNORE, reduction='none')",
        "losses_of_any_size",
        "Your function returns the loss of every token. Their mean is asked for, one number.",
    ),
    loss_is_a_plain_number=edit(
        LOSS,
        f"return functional.cross_entropy({FLAT}, ignore_index=IGNORE).item()",
        "losses_of_any_size",
        "Your loss is a plain number, from which no gradient can flow back. Return the tensor.",
    ),
    mean_over_ignored=edit(
        LOSS,
        f"return functional.cross_entropy({FLAT}, ignore_index=IGNORE, reduction='sum') / targets.numel()",
        "some_targets_are_not_asked",
        "Your sum leaves out what is to be ignored, but it is divided by the number of all targets. Divide by those that count.",
    ),
    mean_of_row_means=edit(
        LOSS,
        "return torch.stack([functional.cross_entropy(row, t, ignore_index=IGNORE) for row, t in zip(logits, targets)]).mean()",
        "some_targets_are_not_asked",
        "Your loss is the mean of each row's mean, so tokens of rows that ask for little weigh more. All tokens weigh the same.",
    ),
    sum_over_time=edit(
        LOSS,
        f"return functional.cross_entropy({FLAT}, ignore_index=IGNORE, reduction='sum') / len(targets)",
        "losses_of_any_size",
        "Your loss is summed over time and averaged over the batch only, so it grows with the length of the pieces.",
    ),
    ignored_counted_as_token_zero=edit(
        LOSS,
        "return functional.cross_entropy(logits.reshape(-1, vocab), targets.reshape(-1).clamp(min=0))",
        "some_targets_are_not_asked",
        "Your loss takes IGNORE for the token of id 0. Where a target is IGNORE nothing is asked.",
    ),
    token_zero_ignored=edit(
        LOSS,
        f"return functional.cross_entropy({FLAT}.clamp(min=0), ignore_index=0)",
        "losses_of_any_size",
        "Your loss leaves out the token of id 0, as if it were padding. It is a token like the others; IGNORE is what is left "
        "out.",
    ),
    loss_shifted_again=edit(
        LOSS,
        f"logits, targets = logits[:, :-1], targets[:, 1:]\n    {LOSS}",
        "losses_of_any_size",
        "Your loss shifts the targets. They have been shifted already, by get_batch: logits[:, t] belong to targets[:, t].",
    ),
    loss_of_the_last_position=edit(
        LOSS,
        "return functional.cross_entropy(logits[:, -1], targets[:, -1], ignore_index=IGNORE)",
        "losses_of_any_size",
        "Your loss looks at the last position only. Every position has made a prediction.",
    ),
    loss_of_the_first_position=edit(
        LOSS,
        "return functional.cross_entropy(logits[:, 0], targets[:, 0], ignore_index=IGNORE)",
        "losses_of_any_size",
        "Your loss looks at the first position only. Every position has made a prediction.",
    ),
    loss_of_the_first_row=edit(
        LOSS,
        "return functional.cross_entropy(logits[0], targets[0], ignore_index=IGNORE)",
        "losses_of_any_size",
        "Your loss looks at the first row of the batch only.",
    ),
    softmax_over_time=edit(
        LOSS,
        "return functional.nll_loss(logits.log_softmax(dim=1).reshape(-1, vocab), targets.reshape(-1), ignore_index=IGNORE)",
        "losses_of_any_size",
        "Your softmax runs over the positions. It is the tokens of one position that compete: the last axis.",
    ),
    logits_reshaped_askew=edit(
        LOSS,
        "return functional.cross_entropy(logits.reshape(len(logits), vocab, -1), targets, ignore_index=IGNORE)",
        "losses_of_any_size",
        "Your classes are brought to axis 1 by reshape, which does not move numbers to where they belong. transpose does, or "
        "flatten batch and time together.",
    ),
    targets_in_another_order=edit(
        LOSS,
        "return functional.cross_entropy(logits.reshape(-1, vocab), targets.T.reshape(-1), ignore_index=IGNORE)",
        "losses_of_any_size",
        "Your logits and targets are flattened in different orders, so predictions meet the targets of other positions.",
    ),
    loss_without_minus=edit(
        LOSS,
        f"return -functional.cross_entropy({FLAT}, ignore_index=IGNORE)",
        "losses_of_any_size",
        "Your loss lacks the minus sign: learning would make the right tokens less probable.",
    ),
    loss_in_bits=edit(
        LOSS,
        f"return functional.cross_entropy({FLAT}, ignore_index=IGNORE) / math.log(2)",
        "losses_of_any_size",
        "Your loss is in bits. Nats are asked for, the natural logarithm.",
    ),
    perplexity_for_loss=edit(
        LOSS,
        f"return functional.cross_entropy({FLAT}, ignore_index=IGNORE).exp()",
        "losses_of_any_size",
        "Your function returns the perplexity, e to the loss.",
    ),
    probability_for_surprise=edit(
        LOSS,
        "p = logits.softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]\n"
        "    return (1 - p)[targets != IGNORE].mean()",
        "losses_of_any_size",
        "Your loss is one minus the probability of the right token. It is minus its logarithm, which does not forgive being "
        "sure and wrong.",
    ),
    logarithm_with_something_added=edit(
        LOSS,
        "p = logits.softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]\n"
        "    return -(p + 1e-3).log()[targets != IGNORE].mean()",
        "losses_of_any_size",
        "Your probabilities have a small number added before the logarithm. That hides how wrong the model may be; "
        "log_softmax needs no such help.",
    ),
    exponentials_overflow=edit(
        LOSS,
        "picked = logits.gather(-1, targets.clamp(min=0)[..., None])[..., 0]\n"
        "    return (logits.exp().sum(dim=-1).log() - picked)[targets != IGNORE].mean()",
        "very_large_logits",
        "Your exponentials overflow for large logits, and the loss is not a number any more. Take the largest logit off "
        "first, or use log_softmax.",
    ),
    softmax_by_hand_overflows=edit(
        LOSS,
        "p = (logits.exp() / logits.exp().sum(dim=-1, keepdim=True)).gather(-1, targets.clamp(min=0)[..., None])[..., 0]\n"
        "    return -p.log()[targets != IGNORE].mean()",
        "very_large_logits",
        "Your softmax divides exponentials that overflow for large logits, and what comes out is no number. Use log_softmax, "
        "which takes the largest logit off first.",
    ),
    labels_smoothed=edit(
        LOSS,
        f"return functional.cross_entropy({FLAT}, ignore_index=IGNORE, label_smoothing=0.1)",
        "losses_of_any_size",
        "Your targets are smoothed: a part of the probability is asked for wrong tokens. That is a training trick, not the "
        "surprise.",
    ),
    squared_error=edit(
        LOSS,
        "hot = functional.one_hot(targets.clamp(min=0), vocab)\n"
        "    return ((logits.softmax(dim=-1) - hot) ** 2).sum(dim=-1)[targets != IGNORE].mean()",
        "losses_of_any_size",
        "Your loss is the squared distance of the probabilities from the right ones. Cross-entropy is asked for.",
    ),
    each_token_by_itself=edit(
        LOSS,
        "hot = functional.one_hot(targets.clamp(min=0), vocab).float()\n"
        "    each = functional.binary_cross_entropy_with_logits(logits, hot, reduction='none').sum(dim=-1)\n"
        "    return each[targets != IGNORE].mean()",
        "losses_of_any_size",
        "Your loss asks of every token by itself whether it comes next. Exactly one does: softmax, not sigmoid.",
    ),
    targets_changed_in_place=edit(
        LOSS,
        "kept = (targets != IGNORE).reshape(-1)\n"
        "    targets.clamp_(min=0)\n"
        "    return functional.cross_entropy(logits.reshape(-1, vocab)[kept], targets.reshape(-1)[kept])",
        "loss_leaves_its_inputs_alone",
        "Your function writes into the targets it was given. Code that uses the batch again finds other targets in it.",
    ),
    loss_cut_off=edit(
        LOSS,
        "return functional.cross_entropy(logits.detach().reshape(-1, vocab), targets.reshape(-1), ignore_index=IGNORE)",
        "gradients_flow_back_from_the_loss",
        "Your loss is right, but cut off from the logits (detach, .item() or numpy), so no gradient flows back from it.",
    ),
    classes_on_the_time_axis=edit(
        "return functional.cross_entropy(logits.reshape(-1, vocab), targets.reshape(-1), ignore_index=IGNORE)",
        "return functional.cross_entropy(logits, targets, ignore_index=IGNORE)",
        "three_surprises",
        "Your cross_entropy gets logits (batch, time, vocab), but it reads axis 1 as the classes, and that is "
        "time. Flatten batch and time, or move the vocabulary to axis 1.",
    ),
    mean_of_column_means=edit(
        LOSS,
        "each = functional.cross_entropy(\n"
        "        logits.reshape(-1, vocab), targets.reshape(-1), ignore_index=IGNORE, reduction='none'\n"
        "    ).reshape(targets.shape)\n"
        "    asked = (targets != IGNORE).sum(dim=0)\n"
        "    return (each.sum(dim=0) / asked.clamp(min=1)).sum() / (asked > 0).sum()",
        "loss_of_a_batch",
        "Your loss is a mean over the steps of each step's own mean. Where steps have different numbers of targets that is another "
        "number: add up all, and divide once.",
    ),
    nll_of_the_logits=edit(
        LOSS,
        "return functional.nll_loss(logits.reshape(-1, vocab), targets.reshape(-1), ignore_index=IGNORE)",
        "losses_of_any_size",
        "Your nll_loss is given logits. It takes log-probabilities and does no softmax of its own; cross_entropy does both.",
    ),
    rows_with_an_ignored_target_left_out=edit(
        LOSS,
        "whole = (targets != IGNORE).all(dim=1)\n"
        "    return functional.cross_entropy(logits[whole].reshape(-1, vocab), targets[whole].reshape(-1))",
        "some_targets_are_not_asked",
        "Your loss leaves out every row in which a target is IGNORE. Only that position is left out; the others of its row "
        "count.",
    ),
    each_token_by_itself_averaged=edit(
        LOSS,
        "hot = functional.one_hot(targets.clamp(min=0), vocab).float()\n"
        "    asked = targets != IGNORE\n"
        "    return functional.binary_cross_entropy_with_logits(logits[asked], hot[asked])",
        "losses_of_any_size",
        "Your loss asks of every token by itself whether it comes next, and averages over the vocabulary. Exactly one comes "
        "next: a softmax, and the log-probability of that token.",
    ),
    mean_of_column_means_with_empty_ones=edit(
        LOSS,
        "each = functional.cross_entropy(\n"
        "        logits.reshape(-1, vocab), targets.reshape(-1), ignore_index=IGNORE, reduction='none'\n"
        "    ).reshape(targets.shape)\n"
        "    return (each.sum(dim=0) / (targets != IGNORE).sum(dim=0).clamp(min=1)).mean()",
        "loss_of_a_batch",
        "Your loss is a mean over the steps of each step's own mean, and steps with no target count as 0. Add up all "
        "targets that are asked for, and divide once by their number.",
    ),
    divided_by_the_batch_again=edit(
        LOSS,
        f"return functional.cross_entropy({FLAT}, ignore_index=IGNORE) / len(targets)",
        "losses_of_any_size",
        "Your mean is divided by the number of rows once more. It is a mean over rows and positions already.",
    ),
    ignored_looked_up=edit(
        LOSS,
        "picked = logits.log_softmax(dim=-1).gather(-1, targets[..., None])[..., 0]\n"
        "    return -picked[targets != IGNORE].mean()",
        "some_targets_are_not_asked",
        "Your code looks up the log-probability of IGNORE, and there is no token -100. Take the positions that are asked for "
        "first, or put any valid id in place of IGNORE before looking it up.",
    ),
    logarithm_with_something_tiny_added=edit(
        LOSS,
        "p = logits.softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]\n"
        "    return -(p + 1e-9).log()[targets != IGNORE].mean()",
        "very_large_logits",
        "Your probabilities have a tiny number added before the logarithm, so no surprise can be larger than the logarithm of "
        "that number. log_softmax needs no such help.",
    ),
    logarithm_of_the_softmax=edit(
        LOSS,
        "p = logits.softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]\n"
        "    return -p.log()[targets != IGNORE].mean()",
        "very_large_logits",
        "Your probabilities round to 0 where the model is very sure and wrong, and the logarithm of 0 is infinite. log_softmax "
        "takes both steps at once and stays finite.",
    ),
    probabilities_raised_to_a_floor=edit(
        LOSS,
        "p = logits.softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]\n"
        "    return -p.clamp(min=1e-3).log()[targets != IGNORE].mean()",
        "a_very_sure_model",
        "Your probabilities are raised to a floor before the logarithm, so being sure and wrong costs no more than being "
        "unsure. log_softmax needs no floor.",
    ),
    token_zero_ignored_in_place_of_ignore=edit(
        LOSS,
        f"return functional.cross_entropy({FLAT}, ignore_index=0)",
        "losses_of_any_size",
        "Your loss leaves out the token of id 0 and takes IGNORE for a token. It is IGNORE, -100, that is left out; token 0 "
        "counts like the others.",
    ),
    logarithm_of_the_mean=edit(
        LOSS,
        "p = logits.softmax(dim=-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]\n"
        "    return -p[targets != IGNORE].mean().log()",
        "losses_of_any_size",
        "Your probabilities are averaged, and then comes the logarithm. First take the logarithm of each, then the mean.",
    ),
)

# generate


STEPS = "for step in range(n):"
CONTEXT = "context = written[:, -model.block_size :]"
ASK = "logits = model(context)[:, -1]"
IS_ZERO = "if temperature == 0:"
GREEDY = "token = logits.argmax(dim=-1, keepdim=True)"
SCALED = "scaled = logits / temperature"
IF_TOP_K = "if top_k is not None:"
K = "k = min(top_k, scaled.shape[-1])"
LEAST = "least = scaled.topk(k, dim=-1).values[:, -1:]"
KEPT = "scaled = scaled.masked_fill(scaled < least, -math.inf)"
PROBABILITIES = "probabilities = torch.softmax(scaled, dim=-1)"
CUMULATIVE = "cumulative = probabilities.cumsum(dim=-1)"
U = "u = uniforms[:, step : step + 1].clamp(max=1 - 1e-6)"
DRAWN = "token = (cumulative <= u).sum(dim=-1, keepdim=True)"
APPENDED = "written = torch.cat([written, token], dim=1)"
WRITTEN = "return written\n"

GENERATE = mistakes_of(
    "generate",
    probabilities_over_time=edit(
        "            logits = model(context)[:, -1]\n",
        "            logits = torch.softmax(model(context), dim=1)[:, -1]\n",
        "sampled_texts",
        "Your softmax runs over time, before the last position is taken. The tokens of the vocabulary compete, at the last position "
        "alone: that is the last axis.",
    ),
    context_not_cropped=edit(
        CONTEXT,
        "context = written",
        "last_tokens_are_the_context",
        "Your model is given everything that was written. It has no positions beyond block_size: show it the last block_size "
        "tokens.",
    ),
    context_cropped_at_the_end=edit(
        CONTEXT,
        "context = written[:, : model.block_size]",
        "last_tokens_are_the_context",
        "Your model is shown the first block_size tokens, always the same ones. It is the last ones that the next token "
        "follows.",
    ),
    context_cropped_once=edit(
        CONTEXT,
        "context = torch.cat([ids[:, -model.block_size :], written[:, ids.shape[1] :]], dim=1)",
        "last_tokens_are_the_context",
        "Your context is cropped once, before the loop, and then grows beyond block_size. Crop it at every step.",
    ),
    context_one_too_short=edit(
        CONTEXT,
        "context = written[:, -max(model.block_size - 1, 1) :]",
        "last_tokens_are_the_context",
        "Your context is a token shorter than it may be.",
    ),
    context_one_too_long=edit(
        CONTEXT,
        "context = written[:, -(model.block_size + 1) :]",
        "last_tokens_are_the_context",
        "Your context is a token longer than the model can take.",
    ),
    only_the_last_token_shown=edit(
        CONTEXT,
        "context = written[:, -1:]",
        "greedy_texts",
        "Your model is shown the last token alone and has forgotten the rest. Without a cache it needs all of the context.",
    ),
    only_the_beginning_shown=edit(
        CONTEXT,
        "context = ids[:, -model.block_size :]",
        "greedy_texts",
        "Your model is shown the beginning again and again, and never what it has written itself.",
    ),
    only_its_own_words_shown=edit(
        CONTEXT,
        "context = written[:, max(ids.shape[1] - 1, 0) :][:, -model.block_size :]",
        "greedy_texts",
        "Your model forgets the beginning as soon as it writes. The context holds both, up to block_size.",
    ),
    first_logits_used=edit(
        ASK,
        "logits = model(context)[:, 0]",
        "greedy_texts",
        "Your next token comes from the logits at the first position. Those at the last one are for what comes next.",
    ),
    row_zero_for_all=edit(
        ASK,
        "logits = model(context)[:1, -1].expand(len(ids), -1)",
        "greedy_texts",
        "Your rows all go on as row 0 does. Each row has logits of its own.",
    ),
    logits_averaged_over_positions=edit(
        ASK,
        "logits = model(context).mean(dim=1)",
        "greedy_texts",
        "Your logits are the mean over all positions. Only those at the last one are for the next token.",
    ),
    always_greedy=edit(
        IS_ZERO,
        "if True:",
        "sampled_texts",
        "Your tokens are always the most probable ones. That is for temperature 0; else they are drawn.",
    ),
    greedy_below_one=edit(
        IS_ZERO,
        "if temperature < 1:",
        "cold_and_warm",
        "Your tokens are the most probable ones for every temperature below 1. Only 0 means that.",
    ),
    zero_is_a_number_like_others=edit(
        IS_ZERO,
        "if temperature < 0:",
        "greedy_texts",
        "Your code divides by a temperature of 0, and asks for random numbers where none are needed. 0 means: take the largest "
        "logit.",
    ),
    least_probable_taken=edit(
        GREEDY,
        "token = logits.argmin(dim=-1, keepdim=True)",
        "greedy_texts",
        "Your greedy choice is the least probable token.",
    ),
    one_token_for_all_rows=edit(
        GREEDY,
        "token = (logits.argmax() % logits.shape[-1]).expand(len(logits), 1)",
        "greedy_texts",
        "Your greedy choice is the largest logit of the whole batch, for all rows. Each row has its own.",
    ),
    temperature_multiplied=edit(
        SCALED,
        "scaled = logits * temperature",
        "cold_and_warm",
        "Your logits are multiplied by the temperature, so what should be cold is warm. They are divided by it.",
    ),
    temperature_ignored=edit(
        SCALED,
        "scaled = logits",
        "cold_and_warm",
        "Your temperature is not used, except for 0.",
        "temperature_after_the_softmax",
    ),
    temperature_under_a_root=edit(
        SCALED,
        "scaled = logits / temperature**0.5",
        "cold_and_warm",
        "Your logits are divided by the root of the temperature. It is the temperature itself.",
    ),
    temperature_after_the_softmax=edit(
        f"{SCALED}\n",
        "scaled = (torch.softmax(logits, dim=-1) / temperature).log()\n",
        "cold_and_warm",
        "Your temperature divides the probabilities, and making them sum to 1 takes it out again. It divides the logits.",
        "temperature_ignored",
    ),
    temperature_divides_probabilities=edit(
        PROBABILITIES,
        "probabilities = torch.softmax(scaled * temperature, dim=-1) / temperature",
        "cold_and_warm",
        "Your temperature divides the probabilities, which do not sum to 1 then. It divides the logits, before the softmax.",
    ),
    top_k_ignored=edit(
        IF_TOP_K, "if False:", "best_few", "Your top_k is not used: unlikely tokens can still be drawn."
    ),
    top_k_beyond_the_vocabulary=edit(
        K,
        "k = top_k",
        "more_than_there_are",
        "Your code fails where top_k is larger than the vocabulary. It should leave everything possible then.",
    ),
    top_k_one_more=edit(K, "k = min(top_k + 1, scaled.shape[-1])", "best_few", "Your draw is from top_k + 1 tokens."),
    worst_k_kept=edit(
        LEAST,
        "least = scaled.topk(k, dim=-1, largest=False).values[:, -1:]",
        "best_few",
        "Your border is the top_k-th smallest logit. It is the top_k-th largest.",
    ),
    top_one_kept=edit(
        LEAST,
        "least = scaled.topk(k, dim=-1).values[:, :1]",
        "best_few",
        "Your border is the largest logit, so only the best token is left. The last of the top_k is the border.",
    ),
    top_k_of_the_batch=edit(
        LEAST,
        "least = scaled.flatten().topk(k).values[-1]",
        "best_few",
        "Your top_k are the best of all rows together; a row may be left with none. Each row has its own.",
    ),
    top_k_of_row_zero=edit(
        LEAST,
        "least = scaled[:1].topk(k, dim=-1).values[:, -1:]",
        "best_few",
        "Your border is that of row 0, for all rows. Each row has its own.",
    ),
    border_left_out=edit(
        KEPT,
        "scaled = scaled.masked_fill(scaled <= least, -math.inf)",
        "best_few",
        "Your top_k-th token is left out, too. A logit equal to the border stays.",
    ),
    equals_cut_to_exactly_k=edit(
        KEPT,
        "best = scaled.topk(k, dim=-1).indices\n"
        "                scaled = torch.full_like(scaled, -math.inf).scatter(-1, best, scaled.gather(-1, best))",
        "equals_at_the_border_stay",
        "Your draw is from exactly top_k tokens, also where others are just as good as the last of them. Those stay, too: "
        "which of equals are kept should not depend on their ids.",
        "equals_cut_by_their_ids",
    ),
    equals_cut_by_their_ids=edit(
        KEPT,
        "best = scaled.sort(dim=-1, descending=True, stable=True).indices[:, :k]\n"
        "                scaled = torch.full_like(scaled, -math.inf).scatter(-1, best, scaled.gather(-1, best))",
        "equals_at_the_border_stay",
        "Your draw is from exactly top_k tokens: of those that are as good as the last one, the smaller ids. All of them stay.",
        "equals_cut_to_exactly_k",
    ),
    masked_with_zero=edit(
        KEPT,
        "scaled = scaled.masked_fill(scaled < least, 0.0)",
        "best_few",
        "Your logits of tokens that are out become 0, which is a logit like others. Minus infinity makes the probability 0.",
    ),
    first_k_ids_kept=edit(
        KEPT,
        "scaled = scaled.masked_fill(torch.arange(scaled.shape[-1]) >= k, -math.inf)",
        "best_few",
        "Your draw is from the tokens with the smallest ids. top_k means the largest logits.",
    ),
    not_brought_back_to_one=edit(
        f"{KEPT}\n            {PROBABILITIES}",
        f"lost = scaled < least\n            {PROBABILITIES}\n"
        "            probabilities = probabilities.masked_fill(lost, 0.0) if top_k is not None else probabilities",
        "best_few",
        "Your probabilities do not sum to 1 after tokens were left out. Leave them out before the softmax.",
    ),
    softmax_over_rows=edit(
        PROBABILITIES,
        "probabilities = torch.softmax(scaled, dim=0)",
        "sampled_texts",
        "Your softmax runs over the rows of the batch. The tokens of a row compete with each other.",
    ),
    softmax_twice=edit(
        PROBABILITIES,
        "probabilities = torch.softmax(torch.softmax(scaled, dim=-1), dim=-1)",
        "sampled_texts",
        "Your softmax is taken twice, which makes all tokens nearly equally likely.",
    ),
    sigmoid_for_softmax=edit(
        PROBABILITIES,
        "probabilities = torch.sigmoid(scaled)",
        "sampled_texts",
        "Your probabilities are sigmoids, each token by itself, and do not sum to 1.",
    ),
    logits_for_probabilities=edit(
        PROBABILITIES,
        "probabilities = scaled",
        "sampled_texts",
        "Your logits are added up as if they were probabilities; the softmax is missing.",
    ),
    log_probabilities_added_up=edit(
        CUMULATIVE,
        "cumulative = probabilities.log().cumsum(dim=-1)",
        "sampled_texts",
        "Your running sums are of log-probabilities. Those of the probabilities are compared with the number.",
    ),
    rank_for_id=edit(
        f"{CUMULATIVE}\n            {U}\n            {DRAWN}",
        "cumulative = probabilities.sort(dim=-1, descending=True).values.cumsum(dim=-1)\n"
        f"            {U}\n            {DRAWN}",
        "sampled_texts",
        "Your probabilities are sorted before they are added up, and what you return is a rank, not the id of a token. Add "
        "them up in the order of the ids.",
    ),
    best_tokens_first=edit(
        f"{CUMULATIVE}\n            {U}\n            {DRAWN}",
        "order = probabilities.argsort(dim=-1, descending=True, stable=True)\n"
        "            cumulative = probabilities.gather(-1, order).cumsum(dim=-1)\n"
        f"            {U}\n            token = order.gather(-1, (cumulative <= u).sum(dim=-1, keepdim=True))",
        "sampled_texts",
        "Your probabilities are added up from the largest to the smallest. That draws from the right distribution, but another "
        "token for the same number; the order here is that of the ids.",
    ),
    random_numbers_of_its_own=edit(
        f"{CUMULATIVE}\n            {U}\n            {DRAWN}",
        "token = torch.multinomial(probabilities, 1)",
        "sampled_texts",
        "Your draw uses random numbers of its own, so it cannot be repeated. Use those that are given.",
    ),
    first_number_again_and_again=edit(
        U,
        "u = uniforms[:, :1].clamp(max=1 - 1e-6)",
        "sampled_texts",
        "Your draws all use the first number of their row. Each step has one of its own.",
    ),
    numbers_of_row_zero=edit(
        U,
        "u = uniforms[:1, step : step + 1].clamp(max=1 - 1e-6)",
        "sampled_texts",
        "Your rows all use the numbers of row 0. Each row has its own.",
    ),
    numbers_from_the_end=edit(
        U,
        "u = uniforms.flip(1)[:, step : step + 1].clamp(max=1 - 1e-6)",
        "sampled_texts",
        "Your numbers are taken from the last to the first. Column 0 is for the first step.",
    ),
    one_minus_the_number=edit(
        U,
        "u = (1 - uniforms[:, step : step + 1]).clamp(max=1 - 1e-6)",
        "sampled_texts",
        "Your number is taken from 1, which counts the probabilities from the other end.",
    ),
    sum_below_the_number=edit(
        U,
        "u = uniforms[:, step : step + 1]",
        "smallest_and_largest_number",
        "Your draw runs off the end of the vocabulary where rounding leaves the last sum a hair below 1, and the number lies "
        "between. The last token that is possible is meant then.",
    ),
    first_token_when_none_exceeds=edit(
        f"{U}\n            {DRAWN}",
        "u = uniforms[:, step : step + 1]\n            token = (cumulative > u).long().argmax(dim=-1, keepdim=True)",
        "smallest_and_largest_number",
        "Your argmax gives token 0 where rounding leaves every sum below the number. The last token that "
        "is possible is meant then.",
    ),
    sum_that_reaches_the_number=edit(
        DRAWN,
        "token = (cumulative < u).sum(dim=-1, keepdim=True)",
        "smallest_and_largest_number",
        "Your draw stops at the first sum that reaches the number. It has to exceed it: for 0, a token of probability 0 would "
        "be drawn.",
    ),
    token_before=edit(
        DRAWN,
        "token = ((cumulative <= u).sum(dim=-1, keepdim=True) - 1).clamp(min=0)",
        "sampled_texts",
        "Your draw is one id too low: the last sum that does not exceed the number. It is the first that does.",
    ),
    token_after=edit(
        DRAWN,
        "token = ((cumulative <= u).sum(dim=-1, keepdim=True) + 1).clamp(max=logits.shape[-1] - 1)",
        "sampled_texts",
        "Your draw is one id too high. It is the first whose sum exceeds the number.",
    ),
    token_put_in_front=edit(
        APPENDED,
        "written = torch.cat([token, written], dim=1)",
        "greedy_texts",
        "Your new token is put in front. It belongs behind what was written.",
    ),
    window_moves_on=edit(
        APPENDED,
        "written = torch.cat([written[:, 1:], token], dim=1)",
        "greedy_texts",
        "Your text loses its first token whenever one is added. Only the context is cropped, never what is returned.",
    ),
    only_the_new_returned=edit(
        WRITTEN,
        "return written[:, ids.shape[1] :]\n",
        "greedy_texts",
        "Your function returns the new tokens only. Return what there was and what was written.",
    ),
    only_the_context_returned=edit(
        WRITTEN,
        "return written[:, -model.block_size :]\n",
        "last_tokens_are_the_context",
        "Your function returns the last block_size tokens only. Return everything.",
    ),
    one_token_too_few=edit(
        STEPS, "for step in range(n - 1):", "greedy_texts", "Your text is a token short: n tokens are to be added."
    ),
    n_tokens_in_all=edit(
        STEPS,
        "for step in range(n - ids.shape[1]):",
        "greedy_texts",
        "Your text has n tokens in all. n tokens are to be added to those there are.",
    ),
    beginning_written_over=edit(
        APPENDED,
        "written = torch.cat([written, token], dim=1)\n        if step == n - 1:\n            ids[:, 0] = token[:, 0]",
        "beginning_stays_as_it_is",
        "Your function writes into the ids it was given.",
    ),
    text_cut_to_what_is_shown=edit(
        "context = written[:, -model.block_size :]",
        "context = written = written[:, -model.block_size :]",
        "last_tokens_are_the_context",
        "Your function cuts the text itself down to block_size tokens. Only what the model is shown is cut; "
        "the text keeps its beginning.",
    ),
    threshold_without_its_axis=edit(
        "least = scaled.topk(k, dim=-1).values[:, -1:]",
        "least = scaled.topk(k, dim=-1).values[:, -1]",
        "best_few",
        "Your threshold is (batch,) and meets logits (batch, vocab) along the vocabulary. Each row has its "
        "own: keep an axis of length one, [:, -1:].",
    ),
    probabilities_left_as_they_were=edit(
        "scaled = scaled.masked_fill(scaled < least, -math.inf)\n"
        "            probabilities = torch.softmax(scaled, dim=-1)\n"
        "            cumulative = probabilities.cumsum(dim=-1)\n"
        "            u = uniforms[:, step : step + 1].clamp(max=1 - 1e-6)\n"
        "            token = (cumulative <= u).sum(dim=-1, keepdim=True)",
        "kept = scaled >= least\n"
        "            probabilities = torch.softmax(scaled, dim=-1)\n"
        "            possible = torch.ones_like(probabilities, dtype=torch.bool) if top_k is None else kept\n"
        "            cumulative = (probabilities * possible).cumsum(dim=-1)\n"
        "            u = uniforms[:, step : step + 1].clamp(max=1 - 1e-6)\n"
        "            last = possible.long().cumsum(dim=-1).argmax(dim=-1, keepdim=True)\n"
        "            token = torch.minimum((cumulative <= u).sum(dim=-1, keepdim=True), last)",
        "best_few",
        "Your probabilities do not sum to 1 after tokens were left out, so numbers beyond their sum all mean "
        "the last token. Divide them by their sum, or leave tokens out before the softmax.",
    ),
    lowest_border_for_all_rows=edit(
        "least = scaled.topk(k, dim=-1).values[:, -1:]",
        "least = scaled.topk(k, dim=-1).values.min()",
        "each_row_has_its_own_border",
        "Your border of top_k is the lowest one of all rows. Each row has a border of its own, its top_k-th "
        "largest logit.",
    ),
    likeliest_when_none_exceeds=edit(
        f"{U}\n            {DRAWN}",
        "u = uniforms[:, step : step + 1]\n"
        "            token = (cumulative <= u).sum(dim=-1, keepdim=True)\n"
        "            token = torch.where(token == scaled.shape[-1], scaled.argmax(dim=-1, keepdim=True), token)",
        "smallest_and_largest_number",
        "Your draw takes the likeliest token where rounding leaves every sum below the number. The last token that is "
        "possible is meant then.",
    ),
    softmax_over_rows_up_to_the_last=edit(
        f"{PROBABILITIES}\n            {CUMULATIVE}\n            {U}\n            {DRAWN}",
        "probabilities = torch.softmax(scaled, dim=0).nan_to_num()\n"
        "            cumulative = probabilities.cumsum(dim=-1)\n"
        "            last = (probabilities > 0).long().cumsum(dim=-1).argmax(dim=-1, keepdim=True)\n"
        "            token = torch.minimum((cumulative <= uniforms[:, step : step + 1]).sum(dim=-1, keepdim=True), last)",
        "sampled_texts",
        "Your softmax runs over the rows of the batch, axis 0. The tokens of a row compete with each other: the last axis.",
    ),
    rank_among_the_best_for_id=edit(
        KEPT,
        "scaled = scaled.topk(k, dim=-1).values",
        "best_few",
        "Your draw counts among the top_k alone, so what you return is a rank and not the id of a token. Keep all ids, and give "
        "those that are out the probability 0.",
    ),
    order_taken_for_rank=edit(
        f"{LEAST}\n                {KEPT}",
        "order = scaled.argsort(dim=-1, descending=True)\n"
        "                scaled = scaled.masked_fill(order >= k, -math.inf)",
        "best_few",
        "Your argsort says which token stands at each rank, and you read it as the rank of each token. Compare the logits "
        "themselves with the top_k-th largest.",
    ),
    even_among_the_best=edit(
        KEPT,
        "scaled = torch.zeros_like(scaled).masked_fill(scaled < least, -math.inf)",
        "best_few",
        "Your top_k tokens are all equally likely. Those that stay keep their logits; only the others are left out.",
    ),
    best_alone_for_top_one=edit(
        IS_ZERO,
        "if temperature == 0 or top_k == 1:",
        "only_the_two_best",
        "Your code takes the largest logit alone where top_k is 1. Where several are equal to it all of them stay, and one is "
        "drawn.",
    ),
    best_different_logits_counted=edit(
        LEAST,
        "least = torch.stack([row.unique()[-k:][:1] for row in scaled])",
        "only_the_two_best",
        "Your border is the top_k-th largest of the different logits. Equal ones count each by itself: of 2, 2, 1 and 0 the "
        "second largest is 2.",
    ),
    logits_at_the_place_in_the_whole_text=edit(
        ASK,
        "logits = model(context)[:, written.shape[1] - 1]",
        "last_tokens_are_the_context",
        "Your logits are looked up at the last place of the whole text, but the model was shown its last tokens only. The "
        "last position of what it returns is meant.",
    ),
    steps_counted_by_the_numbers=edit(
        STEPS,
        "for step in range(uniforms.shape[1]):",
        "greedy_texts",
        "Your code asks `uniforms` how many steps there are. At temperature 0 it may be None; n says it.",
    ),
    numbers_of_a_row_for_a_step=edit(
        U,
        "u = uniforms[step][:, None].clamp(max=1 - 1e-6)",
        "each_row_has_its_own_best",
        "Your step takes a row of `uniforms`. They are (batch, n): each step has a column, with a number for each row.",
    ),
    newest_token_alone_after_the_first_step=edit(
        CONTEXT,
        "context = written[:, -model.block_size :] if step == 0 else token",
        "greedy_texts",
        "Your model is shown its newest token alone after the first step, as with a cache. This model keeps nothing: show it "
        "the last block_size tokens each time.",
    ),
    greedy_in_the_first_row_for_all=edit(
        GREEDY,
        "token = logits[:1].argmax(dim=-1, keepdim=True).expand(len(logits), 1)",
        "greedy_texts",
        "Your greedy choice is that of row 0, for all rows. Each row has its own.",
    ),
    beginning_cut_before_the_loop=edit(
        f"written = ids\n    {STEPS}",
        f"written = ids[:, -model.block_size :]\n    {STEPS}",
        "last_tokens_are_the_context",
        "Your text loses its beginning: ids are cut to block_size tokens before anything is written. Cut only what the model is "
        "shown, and return everything.",
    ),
    softmax_before_the_temperature=edit(
        SCALED,
        "scaled = torch.softmax(logits, dim=-1) / temperature",
        "sampled_texts",
        "Your temperature divides probabilities, and then they go through a second softmax. It divides the logits, and one softmax "
        "follows.",
    ),
    border_left_out_where_there_is_one=edit(
        KEPT,
        "scaled = scaled.masked_fill(scaled <= least, -math.inf) if top_k < scaled.shape[-1] else scaled",
        "best_few",
        "Your top_k-th token is left out, too: only what is better than the border stays. A logit equal to it stays as well.",
    ),
    top_k_of_row_zero_below_the_vocabulary=edit(
        LEAST,
        "least = scaled[:1].topk(k, dim=-1).values[:, -1:] if top_k < scaled.shape[-1] else -math.inf",
        "best_few",
        "Your border of top_k is that of row 0, for all rows. Each row has its own top_k-th largest logit.",
    ),
    border_one_rank_too_low=edit(
        LEAST,
        "least = scaled.sort(dim=-1, descending=True).values[:, k][:, None]",
        "best_few",
        "Your border is the logit at index top_k. Indices begin at 0, so that is one rank too low, and of a whole vocabulary there is "
        "none.",
    ),
    no_limit_compared_with_a_number=edit(
        IF_TOP_K,
        "if top_k < scaled.shape[-1]:",
        "sampled_texts",
        "Your code compares top_k with a number, and it may be None, which means no limit. Ask for None first.",
    ),
    no_limit_in_a_minimum=edit(
        IF_TOP_K,
        "if True:",
        "sampled_texts",
        "Your code takes the smaller one of top_k and the vocabulary, and top_k may be None, which means no limit. Ask for None "
        "first.",
    ),
    logits_at_the_end_of_the_beginning=edit(
        ASK,
        "logits = model(context)[:, min(ids.shape[1], model.block_size) - 1]",
        "greedy_texts",
        "Your logits are always those behind the tokens that were given. What comes next follows the last token written so far.",
    ),
    each_probability_by_itself=edit(
        f"{CUMULATIVE}\n            {U}\n            {DRAWN}",
        f"{U}\n            token = (probabilities > u).long().argmax(dim=-1, keepdim=True)",
        "sampled_texts",
        "Your number is compared with each probability by itself. It is the running sum of them that has to exceed it.",
    ),
    batch_of_one_squeezed_away=edit(
        APPENDED,
        "written = torch.cat([written, token.squeeze()[:, None]], dim=1)",
        "hello_greedily",
        "Your squeeze takes away every axis of length one, with a single row the axis of the batch, too. Say which axis is meant.",
    ),
    last_id_when_none_exceeds=edit(
        f"{U}\n            {DRAWN}",
        "u = uniforms[:, step : step + 1]\n"
        "            token = (cumulative <= u).sum(dim=-1, keepdim=True).clamp(max=scaled.shape[-1] - 1)",
        "smallest_and_largest_number",
        "Your draw takes the last id of the vocabulary where rounding leaves every sum below the number. With top_k this token may "
        "be out: the last one that is possible is meant.",
    ),
    put_into_evaluation_mode=edit(
        f"written = ids\n    {STEPS}",
        f"written = ids\n    model.eval()\n    {STEPS}",
        "model_stays_in_its_mode",
        "Your function puts the model into evaluation mode. The caller has chosen the mode: leave the model in it.",
    ),
    border_from_below=edit(
        "least = scaled.topk(k, dim=-1).values[:, -1:]",
        "least = (scaled if k < scaled.shape[-1] else -math.inf * scaled.abs()).kthvalue(k, dim=-1, keepdim=True).values",
        "best_few",
        "Your border is the k-th smallest logit, which `kthvalue` gives, so nearly all tokens stay. Asked for are the k largest.",
    ),
)

# CachedTransformerLM


PAST = "past = 0 if cache is None else cache[0][0].shape[1]"
AT = "where = torch.arange(past, past + new, device=ids.device)"
READ = "x = self.token_embedding(ids) + self.position_embedding(where)"
STEP_MASK = "mask = torch.ones(new, past + new, dtype=torch.bool, device=ids.device).tril(diagonal=past)"
HEADS = "heads, normed = block.attention, block.norm_1(x)"
QKV = "q, keys, values = heads.W_q(normed), heads.W_k(normed), heads.W_v(normed)"
KEYS = "keys = torch.cat([cache[layer][0], keys], dim=1)"
VALUES = "values = torch.cat([cache[layer][1], values], dim=1)"
KEEP = "after.append((keys, values))"
SPLIT = "query_h, key_h, value_h = (_split(part, heads.n_heads) for part in (q, keys, values))"
SCORES = "scores = query_h @ key_h.transpose(-2, -1) / math.sqrt(query_h.shape[-1])"
WEIGHTS = "weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)"
LOOKED = "looked = (weights @ value_h).transpose(1, 2).flatten(start_dim=2)"
ADDED = "x = x + heads.W_o(looked)"
INNER = "inner = block.norm_2(x)\n            x = x + block.feed_forward(inner)"
STEP_LOGITS = "logits = self.output(self.final_norm(x))\n        return logits, after"

CACHED = mistakes_of(
    "CachedTransformerLM",
    places_begin_again=edit(
        AT,
        "where = torch.arange(new, device=ids.device)",
        "one_token_behind_others",
        "Your new tokens stand at the places 0, 1 and so on, whatever is in the cache. They stand behind it.",
    ),
    places_one_too_far=edit(
        AT,
        "where = torch.arange(past + 1, past + new + 1, device=ids.device) % self.block_size",
        "one_token_behind_others",
        "Your new tokens stand one place too far: behind T_past tokens, which are at the places 0 to T_past - 1, comes "
        "T_past.",
    ),
    places_one_too_early=edit(
        AT,
        "where = (torch.arange(past, past + new, device=ids.device) - 1).clamp(min=0)",
        "one_token_behind_others",
        "Your new tokens stand one place too early, where the last one of the cache stands already.",
    ),
    all_at_the_same_place=edit(
        AT,
        "where = torch.full((new,), past, device=ids.device)",
        "several_tokens_behind_others",
        "Your new tokens all stand at place T_past. They are at T_past, T_past + 1 and so on.",
    ),
    step_without_positions=edit(
        READ, "x = self.token_embedding(ids)", "first_tokens", "Your step does not use position_embedding."
    ),
    step_without_mask=edit(
        WEIGHTS,
        "weights = torch.softmax(scores, dim=-1)",
        "several_tokens_behind_others",
        "Your new tokens see those that come after them in the same step. With one at a time there are none; with several, a "
        "mask is due.",
    ),
    mask_begins_at_the_left=edit(
        STEP_MASK,
        "mask = torch.ones(new, past + new, dtype=torch.bool, device=ids.device).tril()",
        "one_token_behind_others",
        "Your mask is lined up with the beginning of the keys: the first new token sees the first key only. It stands behind "
        "the whole cache. (is_causal=True of torch's attention does the same.)",
    ),
    step_hides_self=edit(
        STEP_MASK,
        "mask = torch.ones(new, past + new, dtype=torch.bool, device=ids.device).tril(diagonal=past - 1)",
        "one_token_behind_others",
        "Your new tokens may not look at themselves.",
    ),
    step_shows_the_next=edit(
        STEP_MASK,
        "mask = torch.ones(new, past + new, dtype=torch.bool, device=ids.device).tril(diagonal=past + 1)",
        "several_tokens_behind_others",
        "Your new tokens see one that comes after them.",
    ),
    only_the_past_is_seen=edit(
        STEP_MASK,
        "mask = (torch.arange(past + new) < max(past, 1)).expand(new, -1)",
        "one_token_behind_others",
        "Your new tokens look at the cache only, not at themselves and each other.",
    ),
    new_tokens_blind_to_each_other=edit(
        STEP_MASK,
        "mask = torch.cat([torch.ones(new, past), torch.eye(new)], dim=1).bool()",
        "several_tokens_behind_others",
        "Your new tokens look at the cache and at themselves, but not at the new ones before them.",
    ),
    cache_is_not_looked_at=edit(
        STEP_MASK,
        "mask = torch.cat([torch.zeros(new, past), torch.ones(new, new).tril()], dim=1).bool()",
        "one_token_behind_others",
        "Your new tokens do not look at what is in the cache, so the model forgets everything between two steps.",
    ),
    mask_upside_down=edit(
        STEP_MASK,
        "mask = ~torch.ones(new, past + new, dtype=torch.bool, device=ids.device).tril(diagonal=past - 1)",
        "several_tokens_behind_others",
        "Your mask shows the new tokens themselves and what comes after them, and hides the past.",
    ),
    new_tokens_in_front=edit(
        f"{KEYS}\n                {VALUES}",
        "keys = torch.cat([keys, cache[layer][0]], dim=1)\n"
        "                values = torch.cat([values, cache[layer][1]], dim=1)",
        "everything_so_far_is_kept",
        "Your new keys and values stand in front of the old ones. They come behind them, in the order of the text.",
    ),
    cache_of_the_first_block=edit(
        f"{KEYS}\n                {VALUES}",
        "keys = torch.cat([cache[0][0], keys], dim=1)\n"
        "                values = torch.cat([cache[0][1], values], dim=1)",
        "one_token_behind_others",
        "Your blocks all use the first block's cache. Each has keys and values of its own.",
    ),
    caches_in_reverse=edit(
        f"{KEYS}\n                {VALUES}",
        "keys = torch.cat([cache[-1 - layer][0], keys], dim=1)\n"
        "                values = torch.cat([cache[-1 - layer][1], values], dim=1)",
        "one_token_behind_others",
        "Your blocks use each other's caches: the first that of the last one.",
    ),
    keys_and_values_taken_for_each_other=edit(
        f"{KEYS}\n                {VALUES}",
        "keys = torch.cat([cache[layer][1], keys], dim=1)\n"
        "                values = torch.cat([cache[layer][0], values], dim=1)",
        "one_token_behind_others",
        "Your step takes the values of the cache for keys and the keys for values. Keys come first in each pair.",
    ),
    values_are_keys=edit(
        VALUES,
        "values = keys",
        "one_token_behind_others",
        "Your values are the keys. What is matched and what is handed on are two things.",
    ),
    cache_added_up=edit(
        f"{KEYS}\n                {VALUES}",
        "keys = torch.cat([cache[layer][0][:, :-1], cache[layer][0][:, -1:] + keys[:, :1], keys[:, 1:]], dim=1)\n"
        "                keys = torch.cat([keys, keys[:, -1:]], dim=1)\n"
        "                values = torch.cat([cache[layer][1], values], dim=1)",
        "everything_so_far_is_kept",
        "Your new keys are added to old ones. A cache grows: they are put behind them.",
    ),
    only_new_ones_kept=edit(
        KEEP,
        "after.append((keys[:, past:], values[:, past:]))",
        "everything_so_far_is_kept",
        "Your new cache holds the new tokens only. The next step needs all of them.",
    ),
    new_ones_not_kept=edit(
        KEEP,
        "after.append((keys, values) if cache is None else cache[layer])",
        "everything_so_far_is_kept",
        "Your cache is returned as it came, without the new tokens.",
    ),
    kept_in_the_wrong_order=edit(
        KEEP,
        "after.append((values, keys))",
        "everything_so_far_is_kept",
        "Your pairs hold the values first. Keys come first.",
    ),
    last_block_kept_for_all=edit(
        KEEP,
        "after = [(keys, values)] * (layer + 1)",
        "everything_so_far_is_kept",
        "Your new cache holds the last block's keys and values for every block.",
    ),
    queries_kept=edit(
        KEEP,
        "after.append((q, keys, values))",
        "everything_so_far_is_kept",
        "Your cache keeps the queries as well. A query is used once, by its own token; a pair (keys, values) is enough.",
    ),
    heads_kept_apart=edit(
        SPLIT,
        f"{SPLIT}\n            after[-1] = (key_h, value_h)",
        "everything_so_far_is_kept",
        "Your cache keeps keys and values split into heads. Here they are kept as W_k and W_v give them, "
        "(batch, time, d_model).",
    ),
    normed_inputs_kept=edit(
        KEEP,
        "after.append((keys, values))\n            after[-1] = (torch.cat([keys[:, :past], normed], dim=1), after[-1][1])",
        "everything_so_far_is_kept",
        "Your cache keeps what goes into W_k, not what comes out of it. The next step would take it for keys.",
    ),
    cache_extended_in_place=edit(
        KEEP,
        "after.append((keys, values))\n            if cache is not None:\n                cache[layer] = (keys, values)",
        "given_cache_stays_as_it_is",
        "Your step writes the new tokens into the cache it was given. Code that goes on from it in another way finds them there: "
        "the second ending reads the first one.",
    ),
    cache_kept_in_the_model=edit(
        f"{PAST}\n        new = ids.shape[1]\n        {AT}\n        {READ}\n        {STEP_MASK}\n        after: Cache = []",
        "kept = getattr(self, 'kept', None)\n"
        "        cache = kept if cache is not None and kept is not None else cache\n"
        f"        {PAST}\n        new = ids.shape[1]\n        {AT}\n        {READ}\n        {STEP_MASK}\n"
        "        self.kept = after = []",
        "two_endings_of_one_prompt",
        "Your model keeps a cache of its own and goes on from there, whatever cache it is given: the second ending reads the "
        "first one.",
    ),
    step_splits_by_view=edit(
        "return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)",
        "return x.reshape(len(x), n_heads, x.shape[1], -1)",
        "first_tokens",
        "Your heads are split by reshape alone, which hands positions to heads. First split the last axis, then bring the heads "
        "before time.",
    ),
    step_with_one_head=edit(
        SPLIT,
        "query_h, key_h, value_h = (_split(part, 1) for part in (q, keys, values))",
        "first_tokens",
        "Your step has one head with all features. They are shared among n_heads heads, each with a softmax of its own.",
    ),
    step_heads_interleaved=edit(
        "return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)",
        "return x.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)",
        "first_tokens",
        "Your heads take every n_heads-th feature. A head has neighbouring ones.",
    ),
    step_merges_askew=edit(
        LOOKED,
        "looked = (weights @ value_h).reshape(x.shape)",
        "first_tokens",
        "Your heads are put together without bringing time before them first, so the features of different positions get "
        "mixed.",
    ),
    step_without_scale=edit(
        SCORES,
        "scores = query_h @ key_h.transpose(-2, -1)",
        "first_tokens",
        "Your scores are not divided by sqrt(d_head).",
    ),
    step_scales_by_d_model=edit(
        SCORES,
        "scores = query_h @ key_h.transpose(-2, -1) / math.sqrt(x.shape[-1])",
        "first_tokens",
        "Your scores are divided by sqrt(d_model). A head has d_model / n_heads features, and those count.",
    ),
    step_scales_without_root=edit(
        SCORES,
        "scores = query_h @ key_h.transpose(-2, -1) / query_h.shape[-1]",
        "first_tokens",
        "Your scores are divided by d_head. It is its root.",
    ),
    step_softmax_over_queries=edit(
        WEIGHTS,
        "weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-2)",
        "first_tokens",
        "Your softmax runs over the queries. Each query shares its attention among the keys, the last axis.",
    ),
    step_masks_with_zero=edit(
        WEIGHTS,
        "weights = torch.softmax(scores.masked_fill(~mask, 0.0), dim=-1)",
        "several_tokens_behind_others",
        "Your masked scores are 0, which is a score like others. Minus infinity gives a weight of 0.",
    ),
    step_masks_after_softmax=edit(
        WEIGHTS,
        "weights = torch.softmax(scores, dim=-1) * mask",
        "several_tokens_behind_others",
        "Your mask comes after the softmax, so the weights of a query do not sum to 1 any more.",
    ),
    step_reads_without_norm=edit(
        QKV,
        "q, keys, values = heads.W_q(x), heads.W_k(x), heads.W_v(x)",
        "first_tokens",
        "Your queries, keys and values come from x itself. They come from norm_1(x).",
    ),
    keys_and_values_without_norm=edit(
        QKV,
        "q, keys, values = heads.W_q(normed), heads.W_k(x), heads.W_v(x)",
        "first_tokens",
        "Your keys and values come from x itself; only the queries are from norm_1(x). All three are.",
    ),
    step_swaps_queries_and_keys=edit(
        QKV,
        "q, keys, values = heads.W_k(normed), heads.W_q(normed), heads.W_v(normed)",
        "first_tokens",
        "Your queries are made by W_k and your keys by W_q.",
    ),
    step_swaps_keys_and_values=edit(
        QKV,
        "q, keys, values = heads.W_q(normed), heads.W_v(normed), heads.W_k(normed)",
        "first_tokens",
        "Your keys are made by W_v and your values by W_k.",
    ),
    step_without_output_map=edit(
        ADDED, "x = x + looked", "first_tokens", "Your heads are added to x without going through W_o."
    ),
    step_attention_without_residual=edit(
        ADDED, "x = heads.W_o(looked)", "first_tokens", "Your attention replaces x where it should be added to it."
    ),
    step_feed_forward_without_residual=edit(
        INNER,
        "inner = block.norm_2(x)\n            x = block.feed_forward(inner)",
        "first_tokens",
        "Your feed-forward network replaces x where it should be added to it.",
    ),
    step_feed_forward_without_norm=edit(
        INNER, "x = x + block.feed_forward(x)", "first_tokens", "Your feed-forward network reads x without norm_2."
    ),
    step_without_feed_forward=edit(
        INNER, "inner = block.norm_2(x)", "first_tokens", "Your step leaves out the feed-forward networks."
    ),
    step_without_final_norm=edit(
        STEP_LOGITS,
        "logits = self.output(x)\n        return logits, after",
        "first_tokens",
        "Your output map reads the sums as they are. final_norm stands between.",
    ),
    step_says_the_last_only=edit(
        STEP_LOGITS,
        "logits = self.output(self.final_norm(x))\n        return logits[:, -1:], after",
        "first_tokens",
        "Your step returns the logits behind the last new token only. Each new token has logits.",
    ),
    step_takes_a_softmax=edit(
        STEP_LOGITS,
        "logits = self.output(self.final_norm(x))\n        return torch.softmax(logits, dim=-1), after",
        "first_tokens",
        "Your step returns probabilities. Logits are asked for.",
    ),
    cache_not_returned=edit(
        STEP_LOGITS,
        "logits = self.output(self.final_norm(x))\n        return logits",
        "first_tokens",
        "Your step returns the logits alone. The cache goes to the next step, so return both.",
    ),
    mask_only_without_a_cache=edit(
        "mask = torch.ones(new, past + new, dtype=torch.bool, device=ids.device).tril(diagonal=past)",
        "mask = torch.ones(new, past + new, dtype=torch.bool, device=ids.device)\n"
        "        if cache is None:\n"
        "            mask = mask.tril()",
        "several_tokens_behind_others",
        "Your mask is there only when the cache is None. With a cache several tokens can come at once, too, "
        "and the earlier of them see the later ones.",
    ),
    mask_of_the_new_tokens_alone=edit(
        "mask = torch.ones(new, past + new, dtype=torch.bool, device=ids.device).tril(diagonal=past)",
        "mask = torch.ones(new, new, dtype=torch.bool, device=ids.device).tril()",
        "several_tokens_behind_others",
        "Your mask has columns for the new tokens only. Keys come from the cache as well: it is (T_new, "
        "T_past + T_new).",
    ),
    step_reads_the_embeddings_in_every_block=edit(
        "for layer, block in enumerate(self.blocks):\n            heads, normed = block.attention, block.norm_1(x)",
        "embedded = x\n"
        "        for layer, block in enumerate(self.blocks):\n"
        "            x = embedded\n"
        "            heads, normed = block.attention, block.norm_1(x)",
        "steps_take_a_batch",
        "Every block reads the embeddings of the new tokens, so only the last block counts for the logits. Each "
        "block reads what the block before it has made.",
    ),
    cache_joined_along_the_batch=edit(
        "keys = torch.cat([cache[layer][0], keys], dim=1)\n"
        "                values = torch.cat([cache[layer][1], values], dim=1)",
        "keys = torch.cat([cache[layer][0], keys])\n                values = torch.cat([cache[layer][1], values])",
        "cache_by_hand",
        "Old and new keys and values are joined along the batch axis, which is the default of torch.cat. They "
        "follow each other in time: dim=1.",
    ),
    step_reads_keys=edit(
        LOOKED,
        "looked = (weights @ key_h).transpose(1, 2).flatten(start_dim=2)",
        "steps_take_a_batch",
        "Your weights are applied to the keys. Values are what is read.",
    ),
    cached_tokens_counted_along_another_axis=edit(
        PAST,
        "past = 0 if cache is None else cache[0][0].shape[0]",
        "one_at_a_time_or_all_at_once",
        "Your number of cached tokens is another size of the cache. It has a pair for each block, and keys are (batch, time, d_model): time "
        "is axis 1.",
    ),
    mask_added_as_numbers=edit(
        WEIGHTS,
        "weights = torch.softmax(scores + mask.float(), dim=-1)",
        "first_tokens",
        "Your mask holds ones and zeros, which are added to the scores and hide nothing. Make it boolean: torch's attention "
        "hides where a boolean mask is False, and adds a mask of floats.",
    ),
    places_counted_by_blocks=edit(
        AT,
        "start = 0 if cache is None else len(cache)\n"
        "        where = torch.arange(start, start + new, device=ids.device) % self.block_size",
        "one_token_behind_others",
        "Your places go on at the length of the cache's list, which is the number of blocks. T_past is the number of tokens: "
        "axis 1 of the keys.",
    ),
    places_counted_by_rows=edit(
        AT,
        "start = 0 if cache is None else cache[0][0].shape[0]\n"
        "        where = torch.arange(start, start + new, device=ids.device) % self.block_size",
        "one_token_behind_others",
        "Your places go on at the number of rows. Keys are (batch, T_past, d_model): T_past is axis 1.",
    ),
    all_at_the_last_place=edit(
        AT,
        "where = torch.full((new,), past + new - 1, device=ids.device)",
        "several_tokens_behind_others",
        "Your new tokens all stand at the place of the last of them. They are at T_past, T_past + 1 and so on.",
    ),
    mask_begins_at_the_left_for_several=edit(
        STEP_MASK,
        "mask = torch.ones(new, past + new, dtype=torch.bool, device=ids.device)\n"
        "        mask = mask.tril() if new > 1 else mask",
        "several_tokens_behind_others",
        "Your mask is lined up with the beginning of the keys where several tokens are new, as is_causal=True does. New token i "
        "sees all of the past, and the new ones 0 to i.",
    ),
    only_the_past_is_seen_where_there_is_one=edit(
        STEP_MASK,
        "mask = torch.ones(new, past + new, dtype=torch.bool, device=ids.device).tril()\n"
        "        if past:\n"
        "            mask = (torch.arange(past + new, device=ids.device) < past).expand(new, -1)",
        "one_token_behind_others",
        "Your new tokens look at the cache only where there is one. They look at themselves and at the new ones before them, too.",
    ),
    past_under_a_triangle_too=edit(
        STEP_MASK,
        "mask = torch.cat([torch.ones(new, past).tril(), torch.ones(new, new).tril()], dim=1).bool()",
        "one_token_behind_others",
        "Your mask hides a part of the past: a triangle lies over the cache's columns, too. All of the past is seen by every "
        "new token.",
    ),
    cache_of_the_last_block=edit(
        f"{KEYS}\n                {VALUES}",
        "keys = torch.cat([cache[-1][0], keys], dim=1)\n"
        "                values = torch.cat([cache[-1][1], values], dim=1)",
        "one_token_behind_others",
        "Your blocks all use the last block's cache. Each has keys and values of its own.",
    ),
    pairs_of_values_and_keys=edit(
        f"{KEYS}\n                {VALUES}\n            {KEEP}",
        "keys = torch.cat([cache[layer][1], keys], dim=1)\n"
        "                values = torch.cat([cache[layer][0], values], dim=1)\n"
        "            after.append((values, keys))",
        "everything_so_far_is_kept",
        "Your pairs hold the values first, in the cache you read and in the one you return. They are (keys, values).",
    ),
    kept_from_the_last_block_to_the_first=edit(
        KEEP,
        "after.insert(0, (keys, values))",
        "everything_so_far_is_kept",
        "Your new cache lists the blocks from the last to the first. The first block's pair comes first.",
    ),
    last_new_one_kept_alone=edit(
        KEEP,
        "kept = past + new if cache is None else past\n"
        "            after.append(tuple(torch.cat([part[:, :kept], part[:, kept:][:, -1:]], dim=1) for part in (keys, values)))",
        "everything_so_far_is_kept",
        "Your cache takes up the last of the new tokens only. A step may read several, and all of them are kept.",
    ),
    new_ones_kept_twice=edit(
        KEEP,
        "again = max(past, 0) if cache is not None else new\n"
        "            after.append(tuple(torch.cat([part, part[:, again:]], dim=1) for part in (keys, values)))",
        "everything_so_far_is_kept",
        "Your cache takes up the new tokens twice. Join old and new once, and use what comes out for attention and for the new "
        "cache.",
    ),
    inputs_kept_and_mapped_again=edit(
        f"{QKV}\n"
        "            if cache is not None:\n"
        f"                {KEYS}\n                {VALUES}\n            {KEEP}",
        "every = normed if cache is None else torch.cat([cache[layer][0], normed], dim=1)\n"
        "            after.append((every, every))\n"
        "            q, keys, values = heads.W_q(normed), heads.W_k(every), heads.W_v(every)",
        "everything_so_far_is_kept",
        "Your cache keeps the normed inputs and sends all of them through W_k and W_v in each step. It keeps what these maps gave, "
        "so that old tokens are not mapped again.",
    ),
    cache_joined_along_the_features=edit(
        f"{KEYS}\n                {VALUES}",
        "keys = torch.cat([cache[layer][0], keys], dim=-1)\n"
        "                values = torch.cat([cache[layer][1], values], dim=-1)",
        "cache_by_hand",
        "Old and new keys and values are joined along the features. They follow each other in time: dim=1.",
    ),
    no_blocks_without_a_cache=edit(
        "for layer, block in enumerate(self.blocks):",
        "for layer, block in enumerate(self.blocks if cache else []):",
        "first_tokens",
        "Your first step goes through no block at all: a loop over the blocks and an empty cache together ends at once. Where "
        "the cache is None, each block still has its work to do.",
    ),
    queries_without_norm=edit(
        QKV,
        "q, keys, values = heads.W_q(x), heads.W_k(normed), heads.W_v(normed)",
        "first_tokens",
        "Your queries come from x itself. They come from norm_1(x), as keys and values do.",
    ),
    values_without_norm=edit(
        QKV,
        "q, keys, values = heads.W_q(normed), heads.W_k(normed), heads.W_v(x)",
        "first_tokens",
        "Your values come from x itself. They come from norm_1(x), as queries and keys do.",
    ),
    step_feed_forward_reads_the_first_norm=edit(
        INNER,
        "inner = block.norm_2(normed)\n            x = x + block.feed_forward(inner)",
        "first_tokens",
        "Your feed-forward network reads what norm_1 gave before the attention. It reads norm_2 of the sum with attention.",
    ),
    step_uses_one_norm_for_both=edit(
        INNER,
        "inner = block.norm_1(x)\n            x = x + block.feed_forward(inner)",
        "first_tokens",
        "Your step uses norm_1 twice and norm_2 never. Each sublayer has a norm of its own.",
    ),
    step_sublayers_side_by_side=edit(
        f"{ADDED}\n            {INNER}",
        "x = x + heads.W_o(looked) + block.feed_forward(block.norm_2(x))",
        "first_tokens",
        "Your sublayers both read the same x. The feed-forward network reads what is there after the attention.",
    ),
    step_feed_forward_added_to_the_input=edit(
        f"{ADDED}\n            {INNER}",
        "x = x + block.feed_forward(block.norm_2(x + heads.W_o(looked)))",
        "first_tokens",
        "Your feed-forward network is added to the block's input, so what attention said does not stay in the residual stream.",
    ),
    step_residual_of_the_normed=edit(
        ADDED,
        "x = normed + heads.W_o(looked)",
        "first_tokens",
        "Your attention is added to the normed x. It is added to x as it was; only the sublayer reads the normed one.",
    ),
    step_scales_by_the_number_of_heads=edit(
        SCORES,
        "scores = query_h @ key_h.transpose(-2, -1) / math.sqrt(heads.n_heads)",
        "first_tokens",
        "Your scores are divided by the root of the number of heads. It is the root of a head's features, d_model / n_heads.",
    ),
    step_heads_interleaved_both_ways=edit(
        f"{SPLIT}\n            {SCORES}\n            {WEIGHTS}\n            {LOOKED}",
        "query_h, key_h, value_h = (\n"
        "                part.unflatten(-1, (-1, heads.n_heads)).permute(0, 3, 1, 2) for part in (q, keys, values)\n"
        "            )\n"
        f"            {SCORES}\n            {WEIGHTS}\n"
        "            looked = (weights @ value_h).permute(0, 2, 3, 1).flatten(start_dim=2)",
        "first_tokens",
        "Your heads take every n_heads-th feature and are put back in the same way. A head has neighbouring features: split the "
        "last axis into (n_heads, d_head).",
    ),
    cache_ignored_altogether=edit(
        PAST,
        "cache, past = None, 0",
        "one_token_behind_others",
        "Your step does not use the cache it is given: it reads the new tokens as if they were the first ones.",
    ),
    step_second_residual_of_the_normed=edit(
        INNER,
        "inner = block.norm_2(x)\n            x = inner + block.feed_forward(inner)",
        "first_tokens",
        "Your feed-forward network is added to the normed x. It is added to x as it was; only the sublayer reads the normed one.",
    ),
    places_one_too_early_behind_a_cache=edit(
        AT,
        "where = torch.arange(past, past + new, device=ids.device) - int(past > 0)",
        "one_token_behind_others",
        "Your new tokens begin at the place of the cache's last token. T_past tokens stand at 0 to T_past - 1, so the first new one "
        "stands at T_past.",
    ),
    step_hides_self_in_torchs_function=edit(
        WEIGHTS,
        "mask = mask.tril(diagonal=past - 1)\n"
        "            weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1).nan_to_num()",
        "one_token_behind_others",
        "Your new tokens may not look at themselves. Each looks at itself and at all before it.",
    ),
    step_mask_says_what_is_hidden=edit(
        WEIGHTS,
        "weights = torch.softmax(scores.masked_fill(mask, -math.inf), dim=-1).nan_to_num()",
        "several_tokens_behind_others",
        "Your mask is True where nothing may be seen. In torch's scaled_dot_product_attention, True means 'may look'.",
    ),
    step_mask_says_what_is_shown=edit(
        WEIGHTS,
        "weights = torch.softmax(scores.masked_fill(mask, -math.inf), dim=-1)",
        "several_tokens_behind_others",
        "Your scores are set to minus infinity where the mask is True, which is where a token may look. Those to hide are the others.",
    ),
    no_cache_not_expected=edit(
        PAST,
        "past = cache[0][0].shape[1]",
        "first_tokens",
        "Your step looks into a cache that may be None. Before the first token there is none, and T_past is 0.",
    ),
    step_residuals_both_of_the_normed=edit(
        f"{ADDED}\n            {INNER}",
        "x = normed + heads.W_o(looked)\n            x = block.norm_2(x)\n            x = x + block.feed_forward(x)",
        "first_tokens",
        "Your norms change the residual stream itself: each sublayer is added to the normed x. It is added to x as it was; only "
        "the sublayer reads the normed one.",
    ),
    cache_split_into_heads=edit(
        f"{PAST}\n        new = ids.shape[1]\n        {AT}\n        {READ}\n        {STEP_MASK}\n        after: Cache = []\n"
        f"        for layer, block in enumerate(self.blocks):\n            {HEADS}\n            {QKV}\n"
        f"            if cache is not None:\n                {KEYS}\n                {VALUES}\n            {KEEP}\n            {SPLIT}",
        f"past = 0 if cache is None else cache[0][0].shape[2]\n        new = ids.shape[1]\n        {AT}\n        {READ}\n"
        f"        {STEP_MASK}\n        after: Cache = []\n"
        f"        for layer, block in enumerate(self.blocks):\n            {HEADS}\n            {QKV}\n            {SPLIT}\n"
        "            if cache is not None:\n"
        "                key_h = torch.cat([cache[layer][0], key_h], dim=2)\n"
        "                value_h = torch.cat([cache[layer][1], value_h], dim=2)\n"
        "            after.append((key_h, value_h))",
        "everything_so_far_is_kept",
        "Your cache holds keys and values split into heads, in what you return and in what you expect. They are "
        "(batch, T_past, d_model), as W_k and W_v give them: split them behind the cache.",
    ),
)

# learning_rate


WAY_UP = "if step < warmup:"
UP = "return peak * (step + 1) / warmup"
BEHIND = "if step >= steps:\n        return final\n    "
PROGRESS = "progress = (step - warmup) / (steps - warmup)"
DOWN = "return final + (peak - final) * (1 + math.cos(math.pi * progress)) / 2"

LEARNING_RATE = mistakes_of(
    "learning_rate",
    first_rate_is_zero=edit(
        UP,
        "return peak * step / warmup",
        "rates_on_the_way_up",
        "Your first step has a rate of zero: a batch is computed for nothing. Steps are counted from 0, so step + 1 goes into "
        "the formula.",
    ),
    final_of_zero_is_none=edit(
        "if step < warmup:",
        "final = final or peak / 10\n    if step < warmup:",
        "rates_on_the_way_down",
        "Where `final` is 0 you take another rate in its place, since 0 counts as false in Python. 0 is a rate like any other: the way "
        "down then ends at 0.",
    ),
    no_warmup=edit(
        WAY_UP,
        "if step < 0:",
        "rates_on_the_way_up",
        "Your rate does not go up at the beginning. Large steps in an untrained model, with Adam's fresh averages, do harm.",
    ),
    way_up_ends_below_the_peak=edit(
        UP,
        "return peak * (step + 1) / (warmup + 1)",
        "rates_on_the_way_up",
        "Your way up takes one step too many: step warmup - 1 has the peak already.",
    ),
    way_up_from_final=edit(
        UP,
        "return final + (peak - final) * (step + 1) / warmup",
        "rates_on_the_way_up",
        "Your way up starts from the final rate. It starts from zero.",
    ),
    way_up_is_curved=edit(
        UP,
        "return peak * ((step + 1) / warmup) ** 2",
        "rates_on_the_way_up",
        "Your way up is a parabola. It is a straight line.",
    ),
    rate_stays_at_the_peak=edit(
        DOWN, "return peak", "rates_on_the_way_down", "Your rate stays at the peak. It comes down along a cosine."
    ),
    straight_way_down=edit(
        DOWN,
        "return peak + (final - peak) * progress",
        "rates_on_the_way_down",
        "Your way down is a straight line. It is half a cosine: slow at first, then steep, then slow again.",
    ),
    cosine_over_all_steps=edit(
        PROGRESS,
        "progress = step / steps",
        "rates_on_the_way_down",
        "Your cosine begins at step 0, so there is a jump where the way up ends. It begins at step warmup.",
    ),
    cosine_of_full_length=edit(
        PROGRESS,
        "progress = (step - warmup) / steps",
        "rates_on_the_way_down",
        "Your cosine is stretched over all steps, and the final rate is not reached. steps - warmup are left for it.",
    ),
    cosine_one_step_too_fast=edit(
        PROGRESS,
        "progress = (step - warmup) / max(steps - 1 - warmup, 1)",
        "rates_on_the_way_down",
        "Your rate comes to its end at step steps - 1. It gets there at `steps`, right behind the last one.",
    ),
    cosine_one_step_ahead=edit(
        PROGRESS,
        "progress = (step + 1 - warmup) / (steps - warmup)",
        "rates_on_the_way_down",
        "Your way down is one step ahead: step warmup still has the peak.",
    ),
    whole_cosine=edit(
        DOWN,
        "return final + (peak - final) * (1 + math.cos(2 * math.pi * progress)) / 2",
        "rates_on_the_way_down",
        "Your rate goes down and up again: that is a whole cosine. Half of one is meant.",
    ),
    quarter_of_a_cosine=edit(
        DOWN,
        "return final + (peak - final) * math.cos(math.pi * progress / 2)",
        "rates_on_the_way_down",
        "Your way down is a quarter of a cosine, which ends where it is steepest. Half of one ends flat.",
    ),
    final_rate_ignored=edit(
        DOWN,
        "return peak * (1 + math.cos(math.pi * progress)) / 2",
        "rates_on_the_way_down",
        "Your rate goes down to zero. It goes down to `final`.",
    ),
    final_rate_on_top=edit(
        DOWN,
        "return final + peak * (1 + math.cos(math.pi * progress)) / 2",
        "rates_on_the_way_down",
        "Your rate has `final` on top: it begins above the peak. The cosine is worth peak - final.",
    ),
    final_rate_as_a_floor=edit(
        DOWN,
        "return max(final, peak * (1 + math.cos(math.pi * progress)) / 2)",
        "rates_on_the_way_down",
        "Your rate goes down to zero and is cut off at `final`. The cosine itself runs from peak to final.",
    ),
    cosine_upside_down=edit(
        DOWN,
        "return final + (peak - final) * (1 - math.cos(math.pi * progress)) / 2",
        "rates_on_the_way_down",
        "Your cosine is upside down: the rate rises from final to peak.",
    ),
    cosine_not_halved=edit(
        DOWN,
        "return final + (peak - final) * (1 + math.cos(math.pi * progress))",
        "rates_on_the_way_down",
        "Your cosine plus 1 runs from 2 to 0; half of it runs from 1 to 0.",
    ),
    cosine_in_degrees=edit(
        DOWN,
        "return final + (peak - final) * (1 + math.cos(180 * progress)) / 2",
        "rates_on_the_way_down",
        "Your angle is in degrees; math.cos takes radians.",
    ),
    cosine_goes_on=edit(
        BEHIND,
        "",
        "rates_behind_the_end",
        "Your cosine goes on behind the last step, where it rises again. From there on the rate is `final`.",
    ),
    cosine_goes_on_if_there_is_one=edit(
        BEHIND,
        "if steps == warmup:\n        return final\n    ",
        "rates_behind_the_end",
        "Your cosine goes on behind the last step, where it rises again. From there on the rate is `final`.",
    ),
    no_final_rate_without_a_way_down=edit(
        f"{BEHIND}{PROGRESS}",
        "progress = min(1.0, (step - warmup) / max(1, steps - warmup))",
        "a_way_up_of_all_the_steps",
        "Your rate is `peak` where the warm-up takes all the steps: dividing by at least one keeps the quotient from failing, "
        "but makes it 0 there. From step `steps` on the rate is `final`.",
    ),
    nothing_behind_the_end=edit(
        BEHIND,
        "if step >= steps:\n        return 0.0\n    ",
        "rates_behind_the_end",
        "Your rate is zero behind the last step. It stays at `final`.",
    ),
    down_with_the_root=edit(
        DOWN,
        "return max(final, peak * math.sqrt(max(warmup, 1) / max(step, 1)))",
        "rates_on_the_way_down",
        "Your rate falls with the inverse root of the step, as in Vaswani et al. 2017. Here it is half a cosine.",
    ),
    divided_before_asking=edit(
        f"{WAY_UP}\n        {UP}",
        "ramp = (step + 1) / warmup\n    if ramp <= 1:\n        return peak * ramp",
        "no_way_up",
        "Your function divides by warmup before it asks whether there is a way up. With warmup = 0 the first step has the peak.",
    ),
    way_up_one_step_too_long=edit(
        WAY_UP,
        "if step <= warmup and warmup > 0:",
        "rates_on_the_way_down",
        "Your way up takes one step too many and goes above the peak. Steps are counted from 0: step warmup is on the way down.",
    ),
    way_up_over_all_steps=edit(
        UP,
        "return peak * (step + 1) / steps",
        "rates_on_the_way_up",
        "Your way up is as long as the whole training. It takes warmup steps.",
    ),
    lower_of_two_curves=edit(
        f"{WAY_UP}\n        {UP}\n    {BEHIND}{PROGRESS}\n    {DOWN}",
        f"{BEHIND}down = final + (peak - final) * (1 + math.cos(math.pi * step / steps)) / 2\n"
        "    return min(peak * (step + 1) / warmup, down) if warmup else down",
        "rates_on_the_way_up",
        "Your rate is the smaller of a way up and a cosine that begins at step 0, so it never reaches the peak. First comes the "
        "way up, and the cosine begins where it ends.",
    ),
    way_up_as_a_factor=edit(
        f"{WAY_UP}\n        {UP}\n    {BEHIND}{PROGRESS}\n    {DOWN}",
        f"{BEHIND}factor = min(1.0, (step + 1) / warmup) if warmup else 1.0\n"
        "    return factor * (final + (peak - final) * (1 + math.cos(math.pi * step / steps)) / 2)",
        "rates_on_the_way_up",
        "Your way up is a factor on a cosine that begins at step 0. First comes the way up, a straight line to the peak, and the "
        "cosine begins where it ends.",
    ),
    geometric_way_down=edit(
        DOWN,
        "return peak * (final / peak) ** progress",
        "rates_on_the_way_down",
        "Your rate falls by the same factor in every step. It follows half a cosine from peak to final.",
    ),
    final_rate_one_step_early=edit(
        BEHIND,
        "if step >= steps - 1:\n        return final\n    ",
        "rates_on_the_way_down",
        "Your last step has the final rate already. The cosine goes on up to step steps - 1; final comes behind it.",
    ),
    no_rate_behind_the_end=edit(
        BEHIND,
        "if step >= steps:\n        return None\n    ",
        "rates_behind_the_end",
        "Your function returns nothing behind the last step. From there on the rate is `final`.",
    ),
    cosine_of_full_length_to_its_end=edit(
        f"{BEHIND}{PROGRESS}",
        "progress = min((step - warmup) / steps, 1.0)",
        "rates_on_the_way_down",
        "Your way down takes `steps` steps of its own, so it ends too late. The way up has used some of them: steps - warmup are "
        "left.",
    ),
    peak_behind_the_end=edit(
        BEHIND,
        "if step >= steps:\n        return peak\n    ",
        "rates_behind_the_end",
        "Your rate is back at the peak behind the last step. It stays at `final`.",
    ),
    down_with_the_root_counted_from_one=edit(
        DOWN,
        "return max(final, peak * math.sqrt(max(warmup, 1) / (step + 1)))",
        "rates_on_the_way_down",
        "Your rate falls with the inverse root of the step's number, as in Vaswani et al. 2017. Here it is half a cosine.",
    ),
    angle_without_pi=edit(
        DOWN,
        "return final + (peak - final) * (1 + math.cos(progress)) / 2",
        "rates_on_the_way_down",
        "Your angle lacks the factor pi, so the cosine has hardly begun when the steps end.",
    ),
)

# evaluate


N_PIECES = "pieces = (len(data) - 1) // time"
CUT_INPUTS = "inputs = data[: pieces * time].reshape(pieces, time)"
CUT_TARGETS = "targets = data[1 : pieces * time + 1].reshape(pieces, time)"
TO_EVAL = "model.eval()"
NO_GRAD = "with torch.no_grad():\n        surprise"
SURPRISE = "surprise = lm_loss(model(inputs), targets).item()"
BACK = "model.train(found_in)"
SAID = "return surprise"


def _in_chunks(size: int) -> Edit:
    return edit(
        "surprise = lm_loss(model(inputs), targets).item()",
        f"chunks = zip(inputs.split({size}), targets.split({size}), strict=True)\n"
        "        surprise = torch.stack([lm_loss(model(i), t) for i, t in chunks]).mean().item()",
        "texts_of_any_length",
        "Your pieces go through the model some at a time, and the losses of these groups are averaged. The last group may be smaller, "
        "and its pieces then count for more than the others: add up, and divide by the number of all.",
    )


EVALUATE = mistakes_of(
    "evaluate",
    chunks_count_alike=_in_chunks(8),
    chunks_of_four_count_alike=_in_chunks(4),
    chunks_of_two_count_alike=_in_chunks(2),
    one_piece_too_many=edit(
        N_PIECES,
        "pieces = len(data) // time",
        "pieces_begin_where_the_last_ended",
        "Your pieces are one too many where the text is just long enough for their inputs: the last target is missing. Of n "
        "tokens n - 1 come next to one.",
    ),
    one_piece_too_few=edit(
        N_PIECES, "pieces = max((len(data) - 1) // time - 1, 1)", "texts_of_any_length", "Your last piece is left out."
    ),
    last_piece_left_out_if_it_has_a_target=edit(
        N_PIECES,
        "pieces = max(len(data) // time - 1, 1)",
        "texts_of_any_length",
        "Your last piece is left out although it has all its targets, unless the length of the text is a multiple of `time`. A piece "
        "needs one token behind its last input: n tokens give n - 1 input-target pairs.",
    ),
    pieces_with_room_for_a_target=edit(
        N_PIECES,
        "pieces = max(len(data) // (time + 1), 1)",
        "texts_of_any_length",
        "Your pieces are counted as if each needed a token more for its last target. That token is the first input of the next "
        "piece, so nothing is lost between two pieces.",
        "pieces_of_one_token_more",
    ),
    pieces_of_one_token_more=edit(
        f"{N_PIECES}\n    {CUT_INPUTS}\n    {CUT_TARGETS}",
        "rows = data[: max(len(data) // (time + 1), 1) * (time + 1)].reshape(-1, time + 1)\n"
        "    inputs, targets = rows[:, :-1], rows[:, 1:]",
        "texts_of_any_length",
        "Your pieces are a token longer than `time`, so that the last token of each is never read. It is the first input of the "
        "next piece.",
        "pieces_with_room_for_a_target",
    ),
    evaluated_on_its_inputs=edit(
        CUT_TARGETS,
        "targets = inputs",
        "texts_of_any_length",
        "Your targets are the inputs themselves. They are one token further on.",
    ),
    text_cut_across=edit(
        f"{CUT_INPUTS}\n    {CUT_TARGETS}",
        "inputs = data[: pieces * time].reshape(time, pieces).T\n"
        "    targets = data[1 : pieces * time + 1].reshape(time, pieces).T",
        "neighbours_stay_neighbours",
        "Your pieces take every so many-th token. A piece is a stretch of neighbouring tokens.",
    ),
    overlapping_pieces=edit(
        f"{CUT_INPUTS}\n    {CUT_TARGETS}",
        "inputs = data[:-1].unfold(0, time, 1)\n    targets = data[1:].unfold(0, time, 1)",
        "texts_of_any_length",
        "Your pieces overlap: one begins at every token. Each begins where the last one ended, so that each token counts "
        "once.",
    ),
    pieces_at_random=edit(
        f"{CUT_INPUTS}\n    {CUT_TARGETS}",
        "inputs, targets = get_batch(data, pieces, time, torch.Generator().manual_seed(0))",
        "texts_of_any_length",
        "Your pieces are drawn at random. To compare one evaluation with another, all of the text is taken, in order.",
    ),
    first_piece_only=edit(
        f"{CUT_INPUTS}\n    {CUT_TARGETS}",
        "inputs, targets = data[None, :time], data[None, 1 : time + 1]",
        "texts_of_any_length",
        "Your loss is that of the first piece. All pieces of the text count.",
    ),
    evaluated_in_training_mode=edit(
        TO_EVAL,
        "pass",
        "evaluated_in_the_middle_of_training",
        "Your model stays in training mode while it is evaluated, so dropout goes on dropping. model.eval() puts it "
        "into evaluation mode; afterwards it goes back into the mode it was in.",
    ),
    left_in_evaluation_mode=edit(
        BACK,
        "pass",
        "mode_is_as_before",
        "Your model is left in evaluation mode: from the first evaluation on, training goes on without dropout.",
    ),
    left_in_training_mode=edit(
        BACK,
        "model.train()",
        "mode_is_as_before",
        "Your model is in training mode afterwards, even if it was found in evaluation mode. Remember how you found it.",
    ),
    gradients_tracked=edit(
        NO_GRAD,
        "with torch.enable_grad():\n        surprise",
        "gradients_are_off_meanwhile",
        "Your evaluation keeps track of gradients that are never used, which costs memory and time. Use "
        "torch.no_grad().",
    ),
    losses_added_up=edit(
        SAID,
        "return surprise * pieces",
        "texts_of_any_length",
        "Your loss is the sum over the pieces. It is their mean, in nats per token.",
    ),
    mean_divided_by_time_again=edit(
        SAID,
        "return surprise / time",
        "texts_of_any_length",
        "Your losses of the pieces are means over their positions already, and you divide by the number of positions once more. "
        "Divide their sum by the number of pieces.",
    ),
    evaluated_as_perplexity=edit(
        SAID,
        "return math.exp(surprise)",
        "texts_of_any_length",
        "Your function returns the perplexity. The loss is asked for, in nats per token.",
    ),
    evaluated_in_bits=edit(
        SAID,
        "return surprise / math.log(2)",
        "texts_of_any_length",
        "Your loss is in bits per token. Nats are asked for.",
    ),
    last_positions_only=edit(
        SURPRISE,
        "surprise = lm_loss(model(inputs)[:, -1:], targets[:, -1:]).item()",
        "texts_of_any_length",
        "Your loss is that of each piece's last position. All positions count.",
    ),
    learns_from_what_is_held_out=edit(
        BACK,
        "model.train(found_in)\n"
        "    lm_loss(model(inputs), targets).backward()\n"
        "    torch.optim.SGD(model.parameters(), lr=0.1).step()",
        "looking_changes_nothing",
        "Your evaluation changes the parameters: the model learns from the text that it should be tested on.",
    ),
    rest_is_read_too=edit(
        SURPRISE,
        "sums = [\n"
        "            lm_loss(model(data[at : at + time][: len(data) - 1 - at][None]), data[at + 1 : at + 1 + time][None])\n"
        "            * min(time, len(data) - 1 - at)\n"
        "            for at in range(0, len(data) - 1, time)\n"
        "        ]\n"
        "        surprise = float(sum(sums) / (len(data) - 1))",
        "fifteen_tokens_in_pieces_of_four",
        "Your loss also counts the rest of the text that fills no piece. It is left out.",
    ),
    mean_with_a_shorter_piece=edit(
        SURPRISE,
        "means = [\n"
        "            lm_loss(model(data[at : at + time][: len(data) - 1 - at][None]), data[at + 1 : at + 1 + time][None])\n"
        "            for at in range(0, len(data) - 1, time)\n"
        "        ]\n"
        "        surprise = float(sum(means) / len(means))",
        "fifteen_tokens_in_pieces_of_four",
        "Your mean holds one piece more, the rest of the text that does not fill one. It is left out.",
    ),
    divided_by_all_tokens=edit(
        SURPRISE,
        "surprise = lm_loss(model(inputs), targets).item() * pieces * time / len(data)",
        "fifteen_tokens_in_pieces_of_four",
        "Your sum is divided by the number of tokens of the text. Divide by the positions that were read.",
    ),
    outer_mode_alone=edit(
        TO_EVAL,
        "model.training = False",
        "evaluated_in_the_middle_of_training",
        "Your code sets the model's own flag, and its parts, such as dropout, keep theirs. model.eval() tells all of them.",
    ),
    piece_that_just_fits_left_out=edit(
        N_PIECES,
        "pieces = max((len(data) - 2) // time, 1)",
        "pieces_begin_where_the_last_ended",
        "Your last piece is left out where the text ends with its last target. It is a full piece, too.",
    ),
    last_piece_only=edit(
        f"{CUT_INPUTS}\n    {CUT_TARGETS}",
        "end = pieces * time\n    inputs, targets = data[None, end - time : end], data[None, end - time + 1 : end + 1]",
        "texts_of_any_length",
        "Your loss is that of the last piece. All pieces of the text count.",
    ),
    text_cut_from_its_end=edit(
        f"{CUT_INPUTS}\n    {CUT_TARGETS}",
        "rest = len(data) - 1 - pieces * time\n"
        "    inputs = data[rest:-1].reshape(pieces, time)\n"
        "    targets = data[rest + 1 :].reshape(pieces, time)",
        "texts_of_any_length",
        "Your pieces are cut from the end of the text, and its beginning is left out. They begin at its first token, and the rest "
        "at the end is left out.",
    ),
    evaluated_on_targets_that_go_round=edit(
        CUT_TARGETS,
        "targets = inputs.roll(-1, dims=1)",
        "texts_of_any_length",
        "Your last target of each piece is its first input: shifting a piece in itself brings its beginning to its end. Take the "
        "targets from the text.",
    ),
    last_target_is_the_first_one=edit(
        f"{N_PIECES}\n    {CUT_INPUTS}\n    {CUT_TARGETS}",
        "pieces = len(data) // time\n"
        "    inputs = data[: pieces * time].reshape(pieces, time)\n"
        "    targets = data.roll(-1)[: pieces * time].reshape(pieces, time)",
        "pieces_begin_where_the_last_ended",
        "Your last token has the first one of the text as its target. It has none: n tokens give n - 1 input-target pairs.",
    ),
    gradients_switched_off_for_good=edit(
        NO_GRAD,
        "torch.set_grad_enabled(False)\n    if True:\n        surprise",
        "the_mode_is_put_back",
        "Your function switches gradients off and never on again, so nothing can be learned after it. `with torch.no_grad():` puts "
        "them back by itself.",
    ),
    rest_reshaped_too=edit(
        f"{CUT_INPUTS}\n    {CUT_TARGETS}",
        "inputs, targets = data[:-1].reshape(-1, time), data[1:].reshape(-1, time)",
        "fifteen_tokens_in_pieces_of_four",
        "Your code reshapes the whole text, also where its length is no multiple of `time`. Cut off the rest that fills no piece "
        "first.",
    ),
    evaluated_after_shifting_again=edit(
        SURPRISE,
        "surprise = lm_loss(model(inputs)[:, :-1], targets[:, 1:]).item()",
        "texts_of_any_length",
        "Your evaluation shifts the targets once more. They have been cut one token further on already.",
    ),
    divided_by_the_length_of_a_piece=edit(
        SAID,
        "return surprise * pieces / time",
        "texts_of_any_length",
        "Your sum over the pieces is divided by their length. Each piece has a mean already, so divide by how many pieces there are.",
    ),
    divided_by_all_pairs=edit(
        SAID,
        "return surprise * pieces * time / (len(data) - 1)",
        "fifteen_tokens_in_pieces_of_four",
        "Your sum is divided by n - 1, all the pairs of the text. The rest that fills no piece is not read: divide by the positions "
        "that were.",
    ),
    last_target_of_each_piece_left_out=edit(
        SURPRISE,
        "surprise = lm_loss(model(inputs)[:, :-1], targets[:, :-1]).item()",
        "texts_of_any_length",
        "Your last target of each piece is left out. It is the first input of the next piece, and counts like the others.",
    ),
    pieces_without_a_batch=edit(
        SURPRISE,
        "surprise = sum(lm_loss(model(piece), t).item() for piece, t in zip(inputs, targets)) / pieces",
        "neighbours_stay_neighbours",
        "Your model is shown a piece without an axis for the batch. It reads (batch, time): a single piece is a batch of one.",
    ),
)

# train


OPTIMIZER = "optimizer = torch.optim.AdamW(model.parameters(), lr=peak, betas=BETAS, weight_decay=weight_decay)"
TO_TRAIN = "model.train()\n    for step in range(steps):"
BATCH = "inputs, targets = get_batch(data, batch, time, generator)"
RATE = "rate = learning_rate(step, steps, peak, warmup, final)"
SET_RATE = 'for group in optimizer.param_groups:\n            group["lr"] = rate'
COMPUTE = "loss = lm_loss(model(inputs), targets)"
CLEAR = "optimizer.zero_grad()\n        loss.backward()"
CLIP = "norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)"
STEP = "optimizer.step()\n"
RETURNED = "return history"
CLIP_AND_STEP = f"{CLIP}\n        optimizer.step()"
NOTE_LOSS = 'history["losses"].append(loss.item())'
NOTE_NORM = 'history["gradient_norms"].append(norm.item())'
REPORT = "report(step, loss.item())"
WHEN = "if held_out is not None and (step + 1) % every == 0:"
HELD_OUT = 'history["held_out"].append(evaluate(model, held_out, time))'


NORM_BY_HAND = "gradients = [parameter.grad for parameter in model.parameters()]\n        norm = "
SCALED_DOWN = (
    "\n        for gradient in gradients:\n            gradient.mul_(min(1.0, max_norm / max(norm.item(), 1e-12)))"
)
LOOP_BODY = (
    f"{BATCH}\n        {RATE}\n        {SET_RATE}\n        {COMPUTE}\n        {CLEAR}\n        {CLIP_AND_STEP}\n"
    f'        {NOTE_LOSS}\n        {NOTE_NORM}\n        history["learning_rates"].append(rate)\n'
    f"        if report is not None:\n            {REPORT}\n        {WHEN}\n            {HELD_OUT}"
)


def _adamw(old: str = "", new: str = "") -> str:
    """Return AdamW's step written by hand, with one line of it changed."""
    lines = (
        "b1, b2 = BETAS",
        "with torch.no_grad():",
        "    for parameter in model.parameters():",
        "        g, kept = parameter.grad, optimizer.state[parameter]",
        '        m = kept["m"] = b1 * kept.get("m", 0.0) + (1 - b1) * g',
        '        v = kept["v"] = b2 * kept.get("v", 0.0) + (1 - b2) * g**2',
        "        first, second = m / (1 - b1 ** (step + 1)), v / (1 - b2 ** (step + 1))",
        "        parameter.mul_(1 - rate * weight_decay)",
        "        parameter.sub_(rate * first / (second.sqrt() + 1e-8))",
    )
    return "\n        ".join(lines).replace(old, new) + "\n"


def _with(optimiser: str) -> str:
    return f"optimizer = torch.optim.{optimiser}"


TRAIN = mistakes_of(
    "train",
    evaluates_nothing=edit(
        "if held_out is not None and (step + 1) % every == 0:",
        "if (step + 1) % every == 0:",
        "evaluated_every_second_step",
        "Your training evaluates after some steps whether there is a held-out text or not. held_out may be None.",
    ),
    decay_inside_adam=edit(
        OPTIMIZER,
        _with("Adam(model.parameters(), lr=peak, betas=BETAS, weight_decay=weight_decay)"),
        "losses_of_any_training",
        "Your optimiser is Adam, which adds the weight decay to the gradients and then divides it by their size. AdamW takes it "
        "off the weights directly.",
    ),
    plain_gradient_descent=edit(
        OPTIMIZER,
        _with("SGD(model.parameters(), lr=peak, weight_decay=weight_decay)"),
        "losses_of_any_training",
        "Your optimiser is plain gradient descent. AdamW is asked for.",
    ),
    torch_betas=edit(
        OPTIMIZER,
        _with("AdamW(model.parameters(), lr=peak, weight_decay=weight_decay)"),
        "losses_of_any_training",
        "Your optimiser has torch's own betas, .9 and .999. BETAS are to be used.",
    ),
    torch_weight_decay=edit(
        OPTIMIZER,
        _with("AdamW(model.parameters(), lr=peak, betas=BETAS)"),
        "losses_of_any_training",
        "Your optimiser has torch's own weight decay, .01. It is an argument.",
    ),
    no_weight_decay=edit(
        OPTIMIZER,
        _with("AdamW(model.parameters(), lr=peak, betas=BETAS, weight_decay=0.0)"),
        "losses_of_any_training",
        "Your optimiser has no weight decay. It is an argument.",
    ),
    biases_without_decay=edit(
        OPTIMIZER,
        _with(
            "AdamW([{'params': [p for p in model.parameters() if p.ndim > 1], 'weight_decay': weight_decay}, "
            "{'params': [p for p in model.parameters() if p.ndim <= 1], 'weight_decay': 0.0}], lr=peak, betas=BETAS)"
        ),
        "what_was_learned",
        "Your weight decay leaves out vectors such as biases. Many do so, but here it is the same for all parameters.",
    ),
    uphill=edit(
        OPTIMIZER,
        _with("AdamW(model.parameters(), lr=peak, betas=BETAS, weight_decay=weight_decay, maximize=True)"),
        "losses_of_any_training",
        "Your steps go uphill: the loss grows.",
    ),
    gradients_pile_up=edit(
        CLEAR,
        "loss.backward()",
        "losses_of_any_training",
        "Your gradients are never cleared, so each step goes along the sum of all batches so far. Clear them once per step.",
    ),
    gradients_cleared_before_use=edit(
        CLEAR,
        "loss.backward()\n        for parameter in model.parameters():\n            parameter.grad.zero_()",
        "losses_of_any_training",
        "Your gradients are cleared after they are computed and before they are used, so nothing is learned. Clear them "
        "before backward, or after the step.",
    ),
    not_clipped=edit(
        CLIP,
        "norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf)",
        "losses_of_any_training",
        "Your gradients are used as they are. Where their norm is above max_norm, they are scaled down to it.",
        "clipped_after_the_step",
    ),
    clipped_after_the_step=edit(
        CLIP_AND_STEP,
        f"optimizer.step()\n        {CLIP}",
        "losses_of_any_training",
        "Your gradients are scaled down after the step, when it is too late.",
        "not_clipped",
    ),
    clipped_one_by_one=edit(
        CLIP,
        "norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf)\n"
        "        for parameter in model.parameters():\n"
        "            nn.utils.clip_grad_norm_([parameter], max_norm)",
        "losses_of_any_training",
        "Your parameters are clipped each by its own norm, which turns the gradient in another direction. There is one norm for "
        "all of them.",
    ),
    entries_clipped=edit(
        CLIP,
        "norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf)\n"
        "        nn.utils.clip_grad_value_(model.parameters(), max_norm)",
        "harsh_and_gentle",
        "Your gradients' entries are cut off one by one, which turns the gradient in another direction. They are all scaled by "
        "one number.",
    ),
    always_scaled_to_max_norm=edit(
        CLIP,
        "norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf)\n"
        "        for parameter in model.parameters():\n"
        "            parameter.grad.mul_(max_norm / norm)",
        "harsh_and_gentle",
        "Your gradients are always brought to max_norm. Small ones stay as they are.",
    ),
    clipped_by_sum_of_absolutes=edit(
        CLIP,
        "norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm, norm_type=1)",
        "norms_before_clipping",
        "Your norm is the sum of the absolute values. It is the root of the sum of the squares.",
    ),
    clipped_by_the_largest=edit(
        CLIP,
        "norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm, norm_type=math.inf)",
        "norms_before_clipping",
        "Your norm is the largest entry. It is the root of the sum of the squares.",
    ),
    norms_after_clipping=edit(
        NOTE_NORM,
        'history["gradient_norms"].append(min(norm.item(), max_norm))',
        "norms_before_clipping",
        "Your norms are those after scaling down. To see that training becomes unstable, one needs to know them before.",
    ),
    rate_never_set=edit(
        SET_RATE,
        "pass",
        "losses_of_any_training",
        "Your rates are computed and never reach the optimiser. Write them into its param_groups before each step.",
    ),
    torch_learning_rate=edit(
        SET_RATE,
        "optimizer.param_groups[0]['lr'] = 1e-3",
        "losses_of_any_training",
        "Your optimiser keeps torch's own learning rate, .001, at every step. It does not look at an attribute such as "
        "`optimizer.lr`; what counts stands in its param_groups.",
    ),
    rate_one_step_late=edit(
        f"{SET_RATE}\n",
        'for group in optimizer.param_groups:\n            group["lr"] = learning_rate(max(step - 1, 0), steps, peak, warmup, '
        "final)\n",
        "losses_of_any_training",
        "Your optimiser gets each rate one step late. Set it before the step it is for.",
    ),
    rates_from_step_one=edit(
        RATE,
        "rate = learning_rate(step + 1, steps, peak, warmup, final)",
        "rates_are_as_planned",
        "Your rates begin with that of step 1. The first step is step 0.",
    ),
    rates_without_warmup=edit(
        RATE,
        "rate = learning_rate(step, steps, peak, 0, final)",
        "rates_are_as_planned",
        "Your rates have no way up; warmup is an argument.",
    ),
    rates_down_to_zero=edit(
        RATE,
        "rate = learning_rate(step, steps, peak, warmup, 0.0)",
        "rates_are_as_planned",
        "Your rates go down to zero; final is an argument.",
    ),
    one_rate_for_all_steps=edit(
        RATE,
        "rate = peak",
        "rates_are_as_planned",
        "Your rate is the peak in every step. learning_rate says what it should be.",
    ),
    never_in_training_mode=edit(
        TO_TRAIN,
        "for step in range(steps):",
        "losses_of_six_steps",
        "Your model trains in the mode in which it came. Put it into training mode, or its dropout does nothing.",
    ),
    trains_in_evaluation_mode=edit(
        TO_TRAIN,
        "model.eval()\n    for step in range(steps):",
        "losses_of_any_training",
        "Your model trains in evaluation mode, so its dropout does nothing.",
    ),
    one_batch_for_all_steps=edit(
        BATCH,
        "inputs, targets = (inputs, targets) if step else get_batch(data, batch, time, generator)",
        "losses_of_any_training",
        "Your model sees the same batch in every step, and learns it by heart. Draw a new one each time.",
    ),
    generator_made_anew=edit(
        BATCH,
        "inputs, targets = get_batch(data, batch, time, torch.Generator().manual_seed(step))",
        "losses_of_any_training",
        "Your batches come from generators of your own making. The one you are given decides which batches are drawn.",
    ),
    batch_and_time_swapped=edit(
        BATCH,
        "inputs, targets = get_batch(data, time, batch, generator)",
        "losses_of_any_training",
        "Your batches have `time` pieces of `batch` tokens. It is the other way round.",
    ),
    trained_on_its_inputs=edit(
        COMPUTE,
        "loss = lm_loss(model(inputs), inputs)",
        "losses_of_any_training",
        "Your loss compares the predictions with the inputs: the model learns to repeat. The targets are one token further on.",
    ),
    trained_backwards=edit(
        COMPUTE,
        "loss = lm_loss(model(targets), inputs)",
        "losses_of_any_training",
        "Your model reads the targets and is asked for the inputs: it learns to guess what came before.",
    ),
    loss_of_the_next_step=edit(
        f"{CLEAR}\n        {CLIP}\n        optimizer.step()\n        {NOTE_LOSS}",
        f"{CLEAR}\n        {CLIP}\n        optimizer.step()\n        loss = lm_loss(model(inputs), targets)\n        {NOTE_LOSS}",
        "losses_of_any_training",
        "Your losses are those of the batch after the step that was taken on it. The loss before is what was learned from.",
    ),
    optimiser_made_anew=edit(
        f"{SET_RATE}\n",
        f"{OPTIMIZER.replace('lr=peak', 'lr=rate')}\n",
        "losses_of_any_training",
        "Your optimiser is made again in every step and forgets its running averages. One serves the whole training.",
    ),
    no_step_taken=edit(
        STEP, "pass\n", "losses_of_any_training", "Your gradients are computed, but the optimiser never takes a step."
    ),
    running_mean_of_losses=edit(
        NOTE_LOSS,
        'history["losses"].append((sum(history["losses"][-1:]) * step + loss.item()) / (step + 1))',
        "losses_of_any_training",
        "Your losses are the means of all steps so far. Each step's own loss is asked for.",
    ),
    evaluated_before_not_after=edit(
        WHEN,
        "if held_out is not None and step % every == 0:",
        "evaluations_on_the_way",
        "Your evaluations come after step 0, `every` and so on. They come when step + 1 is a multiple of `every`.",
    ),
    evaluated_every_step=edit(
        WHEN,
        "if held_out is not None:",
        "evaluations_on_the_way",
        "Your model is evaluated after every step. `every` says how many lie between.",
    ),
    evaluated_at_the_end_only=edit(
        WHEN,
        "if held_out is not None and step == steps - 1:",
        "evaluations_on_the_way",
        "Your model is evaluated once, after the last step. `every` says how often.",
    ),
    evaluated_at_the_end_too=edit(
        WHEN,
        "if held_out is not None and ((step + 1) % every == 0 or step == steps - 1):",
        "evaluated_every_second_step",
        "Your model is evaluated after the last step in any case. It is only where step + 1 is a multiple of `every`.",
    ),
    evaluated_on_the_training_text=edit(
        HELD_OUT,
        'history["held_out"].append(evaluate(model, data, time))',
        "evaluations_on_the_way",
        "Your model is evaluated on the text that it learns from. What it has learned by heart looks good there.",
    ),
    evaluated_on_the_last_batch=edit(
        HELD_OUT,
        'history["held_out"].append(loss.item())',
        "evaluations_on_the_way",
        "Your evaluations are training losses under another name. Call evaluate on the held-out text.",
    ),
    evaluated_in_other_pieces=edit(
        HELD_OUT,
        'history["held_out"].append(evaluate(model, held_out, batch))',
        "evaluations_on_the_way",
        "Your held-out text is cut into pieces of `batch` tokens. They are `time` tokens long.",
    ),
    evaluation_mode_stays=edit(
        HELD_OUT,
        'history["held_out"].append(evaluate(model, held_out, time))\n            model.eval()',
        "training_goes_on_after_an_evaluation",
        "Your model stays in evaluation mode after its first evaluation, and trains on without dropout.",
    ),
    steps_reported_from_one=edit(
        REPORT,
        "report(step + 1, loss.item())",
        "report_hears_of_six_steps",
        "Your reports count the steps from 1. They are counted from 0.",
    ),
    reported_now_and_then=edit(
        "if report is not None:\n            report",
        "if report is not None and step % 2 == 0:\n            report",
        "report_hears_of_six_steps",
        "Your reports leave out steps. Every step is reported.",
    ),
    adamw_as_it_comes=edit(
        "optimizer = torch.optim.AdamW(model.parameters(), lr=peak, betas=BETAS, weight_decay=weight_decay)",
        "optimizer = torch.optim.AdamW(model.parameters(), lr=peak)",
        "losses_of_any_training",
        "Your AdamW has torch's own betas, .9 and .999, and torch's own weight decay, .01. BETAS and "
        "weight_decay are to be used.",
    ),
    rate_set_after_the_step=edit(
        "for group in optimizer.param_groups:\n"
        '            group["lr"] = rate\n'
        "        loss = lm_loss(model(inputs), targets)\n"
        "        optimizer.zero_grad()\n"
        "        loss.backward()\n"
        "        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n"
        "        optimizer.step()\n",
        "loss = lm_loss(model(inputs), targets)\n"
        "        optimizer.zero_grad()\n"
        "        loss.backward()\n"
        "        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n"
        "        optimizer.step()\n"
        "        for group in optimizer.param_groups:\n"
        '            group["lr"] = rate\n',
        "losses_of_any_training",
        "Your rate is set after the optimiser's step, so every step runs with the rate of the one before, "
        "and the first with peak. Set it before the step it is for.",
    ),
    evaluated_one_step_late=edit(
        WHEN,
        "if held_out is not None and step > 0 and step % every == 0:",
        "evaluated_every_second_step",
        "Your evaluations come when step is a multiple of `every`. They come when step + 1 is, as steps are counted from 0.",
    ),
    parameters_used_up=edit(
        CLIP,
        "norm = nn.utils.clip_grad_norm_(iter(()), max_norm)",
        "losses_of_any_training",
        "Your norms are 0 and nothing is scaled down: there are no gradients where you clip. Either backward() comes after it, or "
        "model.parameters(), which can be gone through once, was used up by the optimiser.",
    ),
    rates_times_the_peak=edit(
        SET_RATE,
        'for group in optimizer.param_groups:\n            group["lr"] = rate * peak',
        "losses_of_any_training",
        "Your optimiser runs with the rate times the peak. A LambdaLR multiplies the optimiser's own rate by what its function "
        "returns, and learning_rate returns the rate itself.",
    ),
    rates_times_the_peak_noted=edit(
        RATE,
        "rate = peak * learning_rate(step, steps, peak, warmup, final)",
        "rates_are_as_planned",
        "Your rates are multiplied by the peak. A LambdaLR multiplies the optimiser's own rate by what its function returns, and "
        "learning_rate returns the rate itself.",
    ),
    rate_one_step_early=edit(
        SET_RATE,
        'for group in optimizer.param_groups:\n            group["lr"] = learning_rate(step + 1, steps, peak, warmup, final)',
        "losses_of_any_training",
        "Your optimiser gets each rate one step early, as where a scheduler takes its step before the optimiser does.",
    ),
    first_rate_for_all_steps=edit(
        SET_RATE,
        'for group in optimizer.param_groups:\n            group["lr"] = learning_rate(0, steps, peak, warmup, final)',
        "losses_of_any_training",
        "Your optimiser keeps the rate of the first step. Write each step's rate into its param_groups.",
    ),
    warmup_and_final_swapped=edit(
        RATE,
        "rate = learning_rate(step, steps, peak, final, warmup)",
        "rates_are_as_planned",
        "Your call of learning_rate has warmup and final in each other's places. The order is step, steps, peak, warmup, final.",
    ),
    peak_and_warmup_swapped=edit(
        RATE,
        "rate = learning_rate(step, steps, warmup, peak, final)",
        "rates_are_as_planned",
        "Your call of learning_rate hands over warmup in the place of peak, and peak in that of warmup. The order is peak, warmup, "
        "final.",
    ),
    peak_and_final_swapped=edit(
        RATE,
        "rate = learning_rate(step, steps, final, warmup, peak)",
        "rates_are_as_planned",
        "Your call of learning_rate hands over final in the place of peak, and peak in that of final. The order is peak, warmup, final.",
    ),
    norm_without_its_root=edit(
        CLIP,
        f"{NORM_BY_HAND}sum((gradient**2).sum() for gradient in gradients){SCALED_DOWN}",
        "norms_before_clipping",
        "Your norm is the sum of the squares. It is the root of that sum.",
    ),
    norms_added_up=edit(
        CLIP,
        f"{NORM_BY_HAND}sum(gradient.norm() for gradient in gradients){SCALED_DOWN}",
        "norms_before_clipping",
        "Your norm is the sum of the norms of all parameters. It is the norm of all entries together: the squares are added up, "
        "and then comes one root.",
    ),
    norm_of_the_largest_parameter=edit(
        CLIP,
        f"{NORM_BY_HAND}max(gradient.norm() for gradient in gradients){SCALED_DOWN}",
        "norms_before_clipping",
        "Your norm is the largest of the parameters' norms. It is the norm of all entries together.",
    ),
    norms_of_the_parameters=edit(
        CLIP,
        f"{CLIP}\n        norm = torch.cat([parameter.detach().flatten() for parameter in model.parameters()]).norm()",
        "norms_before_clipping",
        "Your norms are those of the parameters. The norm of their gradients is asked for.",
    ),
    scaled_where_the_norm_is_small=edit(
        CLIP,
        "norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf)\n"
        "        if norm < max_norm:\n"
        "            for parameter in model.parameters():\n"
        "                parameter.grad.mul_(max_norm / norm)",
        "losses_of_any_training",
        "Your comparison is the wrong way round: small gradients are scaled up to max_norm, and large ones stay. Only where the "
        "norm is above max_norm is anything scaled.",
    ),
    betas_reversed=edit(
        OPTIMIZER,
        _with("AdamW(model.parameters(), lr=peak, betas=BETAS[::-1], weight_decay=weight_decay)"),
        "losses_of_any_training",
        "Your betas have changed places: .9 is for the average of the gradients, .95 for that of their squares.",
    ),
    decayed_twice=edit(
        STEP,
        "with torch.no_grad():\n"
        "            for parameter in model.parameters():\n"
        "                parameter.mul_(1 - rate * weight_decay)\n"
        "        optimizer.step()\n",
        "losses_of_any_training",
        "Your weights shrink twice in each step: by hand, and in AdamW, which has its weight decay already.",
    ),
    averages_not_corrected=edit(
        STEP,
        _adamw("m / (1 - b1 ** (step + 1)), v / (1 - b2 ** (step + 1))", "m, v"),
        "losses_of_any_training",
        "Your running averages begin at 0 and are not corrected for it, so the first steps have other sizes. Adam divides each by "
        "1 - beta^t.",
    ),
    first_average_not_corrected=edit(
        STEP,
        _adamw("m / (1 - b1 ** (step + 1)), v", "m, v"),
        "losses_of_any_training",
        "Your average of the gradients begins at 0 and is not corrected for it. Adam divides it by 1 - beta^t, too.",
    ),
    second_average_not_corrected=edit(
        STEP,
        _adamw("v / (1 - b2 ** (step + 1))", "v"),
        "losses_of_any_training",
        "Your average of the squares begins at 0 and is not corrected for it. Adam divides it by 1 - beta^t, too.",
    ),
    correction_counts_from_zero=edit(
        STEP,
        _adamw("(step + 1)", "step"),
        "losses_of_any_training",
        "Your correction of the averages counts the steps from 0, and in the first one it divides by 1 - beta^0, which is 0. t is 1 "
        "in the first step.",
    ),
    no_root_of_the_squares=edit(
        STEP,
        _adamw("second.sqrt()", "second"),
        "losses_of_any_training",
        "Your step is divided by the average of the squares. It is divided by its root.",
    ),
    decay_without_the_rate=edit(
        STEP,
        _adamw("1 - rate * weight_decay", "1 - weight_decay"),
        "losses_of_any_training",
        "Your weights shrink by the factor 1 - weight_decay. The learning rate belongs into it: 1 - rate * weight_decay.",
    ),
    decayed_upwards=edit(
        STEP,
        _adamw("1 - rate * weight_decay", "1 + rate * weight_decay"),
        "losses_of_any_training",
        "Your weights grow by the weight decay. It makes them smaller.",
    ),
    decayed_behind_the_step=edit(
        STEP,
        _adamw(
            "parameter.mul_(1 - rate * weight_decay)\n                parameter.sub_(rate * first / (second.sqrt() + 1e-8))",
            "parameter.sub_(rate * first / (second.sqrt() + 1e-8))\n                parameter.mul_(1 - rate * weight_decay)",
        ),
        "losses_of_any_training",
        "Your weight decay comes after Adam's step and shrinks that step as well. It takes its part of the weights as they were "
        "before.",
    ),
    evaluated_before_the_step=edit(
        LOOP_BODY,
        f"{WHEN}\n            {HELD_OUT}\n        "
        + LOOP_BODY.removesuffix(f"\n        {WHEN}\n            {HELD_OUT}"),
        "evaluations_on_the_way",
        "Your evaluations come before the step of their turn is taken. They show the model after it.",
    ),
    evaluated_once_more_at_the_end=edit(
        RETURNED,
        f"if held_out is not None:\n        {HELD_OUT}\n    return history",
        "evaluations_on_the_way",
        "Your model is evaluated once more when the training is over. It is evaluated only where step + 1 is a multiple of `every`.",
    ),
    stops_when_the_held_out_loss_rises=edit(
        HELD_OUT,
        f'{HELD_OUT}\n            if len(history["held_out"]) > 1 and history["held_out"][-1] > history["held_out"][-2]:\n'
        "                break",
        "training_goes_on_after_an_evaluation",
        "Your training ends where the held-out loss rises. All steps are taken; the held-out text is for looking.",
    ),
    truth_of_the_held_out_text=edit(
        WHEN,
        "if held_out and (step + 1) % every == 0:",
        "evaluated_every_second_step",
        "Your code asks whether the held-out text is true, and a tensor with several numbers is neither. Ask whether it is None.",
    ),
    left_in_evaluation_mode_after_training=edit(
        RETURNED,
        "model.eval()\n    return history",
        "the_table_has_learned",
        "Your model is in evaluation mode after the training. It is put into training mode and left in it.",
    ),
    mean_loss_reported=edit(
        REPORT,
        'report(step, sum(history["losses"]) / (step + 1))',
        "report_hears_of_six_steps",
        "Your reports give the mean of all losses so far. Each step's own loss is reported.",
    ),
    one_step_too_many=edit(
        TO_TRAIN,
        "model.train()\n    for step in range(steps + 1):",
        "losses_of_any_training",
        "Your training takes a step too many: they are 0 to steps - 1.",
    ),
    steps_counted_from_one=edit(
        TO_TRAIN,
        "model.train()\n    for step in range(1, steps + 1):",
        "rates_are_as_planned",
        "Your steps are counted from 1 to `steps`, so rates, reports and evaluations are those of the step after. They are 0 to "
        "steps - 1.",
    ),
    clipped_to_one=edit(
        CLIP,
        "norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
        "gradients_of_one_token",
        "Your gradients are scaled down to a norm of 1, whatever is asked for. max_norm is an argument.",
    ),
    clipped_before_backward=edit(
        f"{CLEAR}\n        {CLIP}",
        f"{CLIP}\n        {CLEAR}",
        "norms_before_clipping",
        "Your norm is that of the gradients of the step before, and those of this batch are used as they are. Scale them down between "
        "backward and the step.",
    ),
    reported_with_the_evaluations=edit(
        "if report is not None:",
        "if report is not None and (step + 1) % every == 0:",
        "report_hears_of_six_steps",
        "Your reports come only where step + 1 is a multiple of `every`. That is for evaluations; every step is reported.",
    ),
    report_called_in_any_case=edit(
        f"if report is not None:\n            {REPORT}",
        REPORT,
        "losses_of_any_training",
        "Your code calls report in any case, and it may be None. Ask first.",
    ),
    loss_divided_by_the_batch=edit(
        "loss.backward()",
        "(loss / batch).backward()",
        "norms_before_clipping",
        "Your gradients are those of the loss divided by the batch size. The loss is a mean already.",
    ),
    cosine_from_the_first_step=edit(
        SET_RATE,
        "for group in optimizer.param_groups:\n"
        '            group["lr"] = final + (peak - final) * (1 + math.cos(math.pi * step / steps)) / 2',
        "losses_of_any_training",
        "Your optimiser follows a cosine from the first step on, as CosineAnnealingLR makes one, and not the rates that are noted. "
        "It follows learning_rate, with its way up.",
    ),
)


MISCONCEPTIONS = (
    *GET_BATCH,
    *TRANSFORMER_LM,
    *LM_LOSS,
    *GENERATE,
    *CACHED,
    *LEARNING_RATE,
    *EVALUATE,
    *TRAIN,
)
