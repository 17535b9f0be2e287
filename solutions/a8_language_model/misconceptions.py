"""Known mistakes of a8_language_model, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.mistakes import edit, mistakes_of

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
        "starts = torch.arange(batch) * time % n_starts",
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
        "place_vectors_can_learn",
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
        "return functional.cross_entropy(logits[:, :-1].reshape(-1, vocab), targets[:, 1:].reshape(-1), ignore_index=IGNORE)",
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
        "numbers_close_to_one",
        "Your draw runs off the end of the vocabulary where rounding leaves the last sum a hair below 1, and the number lies "
        "between. The last token that is possible is meant then.",
    ),
    first_token_when_none_exceeds=edit(
        f"{U}\n            {DRAWN}",
        "u = uniforms[:, step : step + 1]\n            token = (cumulative > u).long().argmax(dim=-1, keepdim=True)",
        "numbers_close_to_one",
        "Your argmax gives token 0 where rounding leaves every sum below the number. The last token that "
        "is possible is meant then.",
    ),
    sum_that_reaches_the_number=edit(
        DRAWN,
        "token = (cumulative < u).sum(dim=-1, keepdim=True)",
        "numbers_at_the_bottom",
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
        "one_prompt_two_endings",
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
    no_warmup=edit(
        WAY_UP,
        "if step < 0:",
        "rates_on_the_way_up",
        "Your rate does not go up at the beginning. Large strides in an untrained model with Adam's fresh averages do harm.",
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

EVALUATE = mistakes_of(
    "evaluate",
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
        "pieces_are_stretches_of_text",
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
        "no_gradients_are_tracked",
        "Your evaluation keeps track of gradients that are never used, which costs memory and time. Use "
        "torch.no_grad().",
    ),
    losses_added_up=edit(
        SAID,
        "return surprise * pieces",
        "texts_of_any_length",
        "Your loss is the sum over the pieces. It is their mean, in nats per token.",
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
        "nothing_is_learned",
        "Your evaluation changes the parameters: the model learns from the text that it should be tested on.",
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
CLIP_AND_STEP = f"{CLIP}\n        optimizer.step()"
NOTE_LOSS = 'history["losses"].append(loss.item())'
NOTE_NORM = 'history["gradient_norms"].append(norm.item())'
REPORT = "report(step, loss.item())"
WHEN = "if held_out is not None and (step + 1) % every == 0:"
HELD_OUT = 'history["held_out"].append(evaluate(model, held_out, time))'


def _with(optimiser: str) -> str:
    return f"optimizer = torch.optim.{optimiser}"


TRAIN = mistakes_of(
    "train",
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
        "training_goes_on_after_an_evaluation",
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
        "evaluations_on_the_way",
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
        "every_step_is_reported",
        "Your reports count the steps from 1. They are counted from 0.",
    ),
    reported_now_and_then=edit(
        "if report is not None:\n            report",
        "if report is not None and step % 2 == 0:\n            report",
        "every_step_is_reported",
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
