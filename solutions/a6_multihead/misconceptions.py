"""Known mistakes of a6_multihead, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.mistakes import Edit, edit, mistakes_of


def _split(new: str, caught_by: str, says: str) -> Edit:
    """Replace how split_heads ends."""
    return edit("return by_head.transpose(1, 2)", new, caught_by, says)


SPLIT = mistakes_of(
    "split_heads",
    split_by_view=_split(
        "return x.reshape(batch, n_heads, time, d_model // n_heads)",
        "heads_of_any_number",
        "Your shape is right and the numbers are not: you cut (batch, time, d_model) straight into (batch, heads, time, "
        "d_head). That gives each head a stretch of the sequence in place of a share of the features. Cut the features "
        "first, then move an axis.",
    ),
    split_by_view_then_turned=_split(
        "return x.reshape(batch, n_heads, d_model // n_heads, time).transpose(-2, -1)",
        "heads_of_any_number",
        "Your shape is right and the numbers are not: you cut (batch, time, d_model) straight into (batch, heads, d_head, time) "
        "and turn the last two axes. A cut takes the numbers in their order, so features and positions are mixed. Cut the "
        "features first, then move an axis.",
    ),
    heads_interleaved=_split(
        "return x.reshape(batch, time, d_model // n_heads, n_heads).permute(0, 3, 1, 2)",
        "heads_of_any_number",
        "Your heads take turns: head 0 gets the features 0, heads, 2 heads, ... Each head has a block of neighbouring "
        "features; in the cut, heads come before d_head.",
    ),
    time_before_heads=_split(
        "return by_head",
        "heads_of_any_number",
        "Your features are cut rightly, but the result is (batch, time, heads, d_head). A batched product works on the "
        "last two axes, so time has to stand next to d_head.",
    ),
    heads_before_batch=_split(
        "return by_head.permute(2, 0, 1, 3)",
        "heads_of_any_number",
        "Your heads stand in front of the batch: (heads, batch, time, d_head). The batch stays first.",
    ),
    heads_folded_into_batch=_split(
        "return by_head.transpose(1, 2).reshape(batch * n_heads, time, -1)",
        "heads_of_any_number",
        "Your heads are folded into the batch axis. Some libraries do that inside; here heads have an axis of their own.",
    ),
    time_last=_split(
        "return by_head.permute(0, 2, 3, 1)",
        "heads_of_any_number",
        "Your result is (batch, heads, d_head, time), which is what the keys become later, inside the product. Here "
        "d_head is last.",
    ),
    every_head_gets_all_features=_split(
        "return x.unsqueeze(1).expand(batch, n_heads, time, d_model)",
        "heads_of_any_number",
        "Your heads all get the whole vector. Each has its own d_model / n_heads features.",
    ),
    every_head_gets_the_first_share=_split(
        "return by_head.transpose(1, 2)[:, :1].expand(-1, n_heads, -1, -1)",
        "heads_of_any_number",
        "Your heads all get the features of head 0, so the other features are never seen.",
    ),
    heads_in_reverse=_split(
        "return by_head.transpose(1, 2).flip(1)",
        "heads_of_any_number",
        "Your heads come in reverse order: head 0 has the first d_head features, not the last.",
    ),
    list_of_heads=_split(
        "return list(x.split(d_model // n_heads, dim=-1))",
        "heads_of_any_number",
        "Your heads are the right ones, but they come as a list. They belong into one tensor, with an axis for heads in "
        "front of time.",
    ),
    heads_added_up=_split(
        "return by_head.sum(2)",
        "heads_of_any_number",
        "Your heads are added up, so they can no longer be told apart. Nothing is computed here, numbers only move.",
    ),
    d_head_for_n_heads=edit(
        "by_head = x.reshape(batch, time, n_heads, d_model // n_heads)",
        "by_head = x.reshape(batch, time, d_model // n_heads, n_heads)",
        "heads_of_any_number",
        "Your number of heads and your d_head have changed places: n_heads says how many parts there are, not how many "
        "features each part has.",
    ),
    split_in_place=_split(
        "x.copy_(x.flip(1).flip(1))\n    x.transpose_(1, 2)\n"
        "    return x.reshape(batch, n_heads, d_model // n_heads, time).transpose(2, 3)",
        "splitting_leaves_its_input_alone",
        "Your split transposes the caller's own tensor (a method whose name ends in an underscore works in place). The "
        "heads are right; the x that was handed in is not what it was.",
    ),
    split_cut_off=_split(
        "return by_head.detach().transpose(1, 2)",
        "gradients_pass_the_split",
        "Your heads are right, but cut off from x (detach, .data or numpy), so no gradient gets past them.",
    ),
    split_turned_before_it_is_cut=edit(
        "    by_head = x.reshape(batch, time, n_heads, d_model // n_heads)\n    return by_head.transpose(1, 2)",
        "    return x.transpose(1, 2).reshape(batch, n_heads, time, d_model // n_heads)",
        "numbered_features_in_three_heads",
        "You exchange time and features first, and cut afterwards. A head then gets pieces of several positions; cut the "
        "features while they still stand last.",
    ),
    heads_overlap=_split(
        "return x.unfold(-1, d_model // n_heads, 1)[:, :, :n_heads].transpose(1, 2)",
        "numbered_features_in_three_heads",
        "Your head h begins at feature h, so the heads overlap. It begins at h * d_head, behind all features of the head before.",
    ),
    heads_last=_split(
        "return by_head.transpose(2, 3)",
        "numbered_features_in_three_heads",
        "Your heads are the right ones, but they stand last: (batch, time, d_head, heads). Stack them in front of time.",
    ),
)


def _merge(new: str, caught_by: str, says: str) -> Edit:
    """Replace how merge_heads ends."""
    return edit("return side_by_side.reshape(batch, length, heads * d_head)", new, caught_by, says)


MERGE = mistakes_of(
    "merge_heads",
    merged_by_view=edit(
        "return side_by_side.reshape(batch, length, heads * d_head)",
        "return side_by_side.view(batch, length, heads * d_head)",
        "pizza_put_together",
        "Your heads are put side by side by `view` after axes have changed places. A view takes numbers as they lie in memory, and there "
        "they have not moved; `reshape` copies them.",
    ),
    merge_without_transpose=_merge(
        "return x.reshape(batch, length, heads * d_head)",
        "merged_from_any_number",
        "Your shape is right and the numbers are not: heads and time were not exchanged before the reshape, so a row "
        "holds several positions of one head in place of several heads of one position.",
    ),
    merged_feature_by_feature=_merge(
        "return x.permute(0, 2, 3, 1).reshape(batch, length, heads * d_head)",
        "merged_from_any_number",
        "Your heads are interleaved: first feature 0 of all heads, then feature 1 of all heads. The heads stand side by "
        "side, each with all its features.",
    ),
    batch_and_head_swapped_on_merge=_merge(
        "return x.permute(1, 2, 0, 3).reshape(batch, length, heads * d_head)",
        "merged_from_any_number",
        "Your merge exchanges batch and heads: what different sequences read ends up in one row.",
    ),
    time_first_on_merge=_merge(
        "return x.permute(2, 0, 1, 3).reshape(batch, length, heads * d_head)",
        "merged_from_any_number",
        "Your merge brings time in front of the batch, so rows of different sequences change places.",
    ),
    merge_adds_heads=_merge(
        "return x.sum(1)",
        "merged_from_any_number",
        "Your heads are added up, and only d_head features are left. Side by side they keep what each has found.",
    ),
    merge_averages_heads=_merge(
        "return x.mean(1)",
        "merged_from_any_number",
        "Your heads are averaged. That is what several heads are there to avoid: put them side by side.",
    ),
    heads_not_joined=_merge(
        "return side_by_side",
        "merged_from_any_number",
        "Your axes are in the right order, (batch, time, heads, d_head). The last two have yet to become one.",
    ),
    merge_keeps_one_head=_merge(
        "return x[:, 0]",
        "merged_from_any_number",
        "Your merge returns head 0 alone, and what the others found is lost.",
    ),
    heads_reversed_on_merge=_merge(
        "return x.flip(1).transpose(1, 2).reshape(batch, length, heads * d_head)",
        "merged_from_any_number",
        "Your heads are joined in reverse order. Head 0 comes first.",
    ),
    heads_counted_from_the_end=_merge(
        "return torch.cat([x[:, -h] for h in range(heads)], dim=-1)",
        "merged_from_any_number",
        "Your heads stand in the order 0, last, last but one, ...: an index of -h counts from the end. Head h is x[:, h].",
    ),
    time_flattened_too=_merge(
        "return side_by_side.reshape(batch, length * heads * d_head)",
        "merged_from_any_number",
        "Your merge flattens time as well. Every position keeps a row of its own.",
    ),
    features_before_heads_kept=_merge(
        "return x.transpose(2, 3).reshape(batch, heads * d_head, length)",
        "merged_from_any_number",
        "Your result is (batch, d_model, time). Features are last.",
    ),
    merge_in_place=edit(
        "side_by_side = x.transpose(1, 2)",
        "side_by_side = x.transpose_(1, 2)",
        "merging_leaves_its_input_alone",
        "Your merge transposes the caller's own tensor (a method whose name ends in an underscore works in place). The "
        "result is right; the x that was handed in is not what it was.",
    ),
    merge_cut_off=_merge(
        "return side_by_side.detach().reshape(batch, length, heads * d_head)",
        "gradients_pass_the_merge",
        "Your result is right, but cut off from x (detach, .data or numpy), so no gradient gets past it.",
    ),
    heads_stacked_and_viewed=edit(
        "side_by_side = x.transpose(1, 2)",
        "side_by_side = x.permute(1, 0, 2, 3)",
        "merged_from_any_number",
        "Your heads are stacked in front and then viewed as (batch, time, features), which cuts them at the "
        "wrong places. Join them along the last axis: torch.cat(heads, dim=-1).",
    ),
    merge_turns_the_last_two=edit(
        "side_by_side = x.transpose(1, 2)",
        "side_by_side = x.transpose(2, 3)",
        "numbered_features_come_together",
        "You exchange time with the features of a head. It is heads and time that have to change places before the heads can "
        "stand side by side.",
    ),
    heads_joined_along_time=edit(
        "    side_by_side = x.transpose(1, 2)\n    return side_by_side.reshape(batch, length, heads * d_head)",
        "    return torch.cat(list(x.unbind(1)), dim=1)",
        "pizza_put_together",
        "Your heads are joined along time, one sequence behind the other. They belong side by side, along the features.",
    ),
    time_and_heads_confused_after_the_turn=edit(
        "batch, heads, length, d_head = x.shape",
        "batch, length, heads, d_head = x.shape",
        "numbered_features_come_together",
        "You read the second axis of x as time and the third as heads. Here heads stand in front of time.",
    ),
    time_and_heads_confused=edit(
        "    batch, heads, length, d_head = x.shape\n    side_by_side = x.transpose(1, 2)\n"
        "    return side_by_side.reshape(batch, length, heads * d_head)",
        "    batch, length, heads, d_head = x.shape\n    return x.reshape(batch, length, heads * d_head)",
        "numbered_features_come_together",
        "You read the second axis of x as time and join the last two. Here heads stand in front of time, so an axis has to "
        "be moved first.",
    ),
    batch_of_one_squeezed=_merge(
        "return side_by_side.reshape(batch, length, heads * d_head).squeeze()",
        "pizza_put_together",
        "Your `squeeze` takes away every axis of length one, also the batch when there is one sequence in it.",
    ),
    rows_of_all_sequences_in_one_axis=_merge(
        "return side_by_side.reshape(batch * length, heads * d_head)",
        "merged_from_any_number",
        "Your merge flattens batch and time into one axis. Each sequence keeps an axis of its own: (batch, time, d_model).",
    ),
)

Q, K, V = (
    f"{low} = split_heads(self.W_{low}({name}), self.n_heads)"
    for low, name in zip("qkv", ("query", "key", "value"), strict=True)
)
LINES = "\n        "
SCORES = "scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5"
ALLOWED = "allowed = mask.unsqueeze(1) if mask.dim() == 3 else mask"
PLAIN = "weights = torch.softmax(scores, dim=-1)"
COMMENT = "# The lowest finite number, not -inf: a row of nothing but -inf would be NaN."
HIDDEN = "hidden = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)"
MASKED = "weights = torch.softmax(hidden, dim=-1).masked_fill(~allowed, 0.0)"
BRANCHES = f"""if mask is None:
            {PLAIN}
        else:
            {ALLOWED}
            {COMMENT}
            {HIDDEN}
            {MASKED}"""
CONTEXT = "context = merge_heads(weights @ v)"
OUTPUT = "output = self.W_o(context)"
RETURN = "return (output, weights) if need_weights else output"


def _shared(plain: str, caught_by: str, says: str) -> Edit:
    """Replace the softmax, with a mask and without; `{0}` stands for the scores."""
    new = BRANCHES.replace("torch.softmax(scores, dim=-1)", plain.format("scores"))
    new = new.replace("torch.softmax(hidden, dim=-1)", plain.format("hidden"))
    return edit(BRANCHES, new, caught_by, says)


PROJECTIONS = mistakes_of(
    "MultiHeadAttention",
    query_scaled_before_its_map=edit(
        """        q = split_heads(self.W_q(query), self.n_heads)
        k = split_heads(self.W_k(key), self.n_heads)
        v = split_heads(self.W_v(value), self.n_heads)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
""",
        """        size = query.shape[-1] // self.n_heads
        q = split_heads(self.W_q(query / size**0.5), self.n_heads)
        k = split_heads(self.W_k(key), self.n_heads)
        v = split_heads(self.W_v(value), self.n_heads)
        scores = q @ k.transpose(-2, -1)
""",
        "four_layers_that_differ",
        "Your query is divided by the root of d_head before W_q, whose bias is then not divided. Divide what comes out of it, "
        "or the scores.",
    ),
    forward_splits_by_view=edit(
        LINES.join((Q, K, V)),
        LINES.join(
            f"{low} = self.W_{low}({name}).reshape({name}.shape[0], self.n_heads, {name}.shape[1], -1)"
            for low, name in zip("qkv", ("query", "key", "value"), strict=True)
        ),
        "a_sequence_reads_itself",
        "Your forward cuts q, k and v straight into (batch, heads, time, d_head), without moving an axis. Each head then "
        "has a stretch of the sequence in place of a share of the features; split_heads is there for that.",
    ),
    one_wide_head=edit(
        LINES.join((Q, K, V)),
        LINES.join(line.replace("self.n_heads", "1") for line in (Q, K, V)),
        "a_sequence_reads_itself",
        "Your queries, keys and values are not split: there is one softmax over all features. Several heads are several "
        "softmaxes, each on its own features.",
    ),
    keys_from_the_query=edit(
        K,
        K.replace("(key)", "(query)"),
        "one_sequence_reads_another",
        "Your keys are made from `query`. In self-attention that is the same; in cross-attention the keys belong to the "
        "sequence that is read.",
    ),
    values_from_the_query=edit(
        V,
        V.replace("(value)", "(query)"),
        "one_sequence_reads_another",
        "Your values are made from `query`, so the sequence that should be read hands nothing on.",
    ),
    keys_and_values_from_the_query=edit(
        LINES.join((K, V)),
        LINES.join((K.replace("(key)", "(query)"), V.replace("(value)", "(query)"))),
        "one_sequence_reads_another",
        "Your keys and values are made from `query`: whatever sequence there is to read, the queries read their own.",
    ),
    queries_from_the_key=edit(
        Q,
        Q.replace("(query)", "(key)"),
        "one_sequence_reads_another",
        "Your queries are made from `key`. Those who ask are in `query`, and there may be another number of them.",
    ),
    values_from_the_key=edit(
        V,
        V.replace("(value)", "(key)"),
        "one_sequence_reads_another",
        "Your values are made from `key`. They are often the same tensor, but `value` is an argument of its own.",
    ),
    key_and_value_swapped=edit(
        LINES.join((K, V)),
        LINES.join((K.replace("(key)", "(value)"), V.replace("(value)", "(key)"))),
        "one_sequence_reads_another",
        "Your W_k is applied to `value` and your W_v to `key`: the arguments have changed places.",
    ),
    keys_from_the_value=edit(
        K,
        K.replace("(key)", "(value)"),
        "one_sequence_reads_another",
        "Your keys are made from `value`, and `key` is never read.",
    ),
    one_layer_for_queries_and_keys=edit(
        K,
        K.replace("W_k", "W_q"),
        "a_sequence_reads_itself",
        "Your keys go through W_q. What one looks for and what one can be found by are two things, with a layer each.",
    ),
    one_layer_for_keys_and_values=edit(
        V,
        V.replace("W_v", "W_k"),
        "a_sequence_reads_itself",
        "Your values go through W_k. What one can be found by and what one hands on are two things, with a layer each.",
    ),
    one_layer_for_all_three=edit(
        LINES.join((K, V)),
        LINES.join((K.replace("W_k", "W_q"), V.replace("W_v", "W_q"))),
        "a_sequence_reads_itself",
        "Your queries, keys and values all go through W_q. Each has a layer of its own.",
    ),
    query_and_key_layers_swapped=edit(
        LINES.join((Q, K)),
        LINES.join((Q.replace("W_q", "W_k"), K.replace("W_k", "W_q"))),
        "a_sequence_reads_itself",
        "Your W_q is applied to the keys and your W_k to the queries: the layers have changed places.",
    ),
    values_not_projected=edit(
        V, "v = split_heads(value, self.n_heads)", "a_sequence_reads_itself", "Your values do not go through W_v."
    ),
    keys_not_projected=edit(
        K, "k = split_heads(key, self.n_heads)", "a_sequence_reads_itself", "Your keys do not go through W_k."
    ),
    queries_not_projected=edit(
        Q, "q = split_heads(query, self.n_heads)", "a_sequence_reads_itself", "Your queries do not go through W_q."
    ),
    weights_not_transposed=edit(
        LINES.join((Q, K, V)),
        LINES.join(
            line.replace(f"self.W_{low}({name})", f"{name} @ self.W_{low}.weight + self.W_{low}.bias")
            for line, low, name in zip((Q, K, V), "qkv", ("query", "key", "value"), strict=True)
        ),
        "a_sequence_reads_itself",
        "Your products use the weights as they are stored, (out, in). nn.Linear multiplies by the transpose; here the "
        "matrices are square, so no shape warns you. Call the layer itself.",
    ),
    no_query_bias=edit(
        Q,
        Q.replace("self.W_q(query)", "query @ self.W_q.weight.T"),
        "a_sequence_reads_itself",
        "Your queries lack the bias of W_q. Call the layer itself, and it is added.",
        "no_biases_for_queries_and_keys",
    ),
    no_biases_for_queries_and_keys=edit(
        LINES.join((Q, K)),
        LINES.join(
            (
                Q.replace("self.W_q(query)", "query @ self.W_q.weight.T"),
                K.replace("self.W_k(key)", "key @ self.W_k.weight.T"),
            )
        ),
        "a_sequence_reads_itself",
        "Your queries and keys lack their biases. Call the layers themselves, and they are added.",
        "no_query_bias",
    ),
    no_value_bias=edit(
        V,
        V.replace("self.W_v(value)", "value @ self.W_v.weight.T"),
        "a_sequence_reads_itself",
        "Your values lack the bias of W_v. Call the layer itself, and it is added.",
    ),
    no_bias_in_q_k_v=edit(
        LINES.join((Q, K, V)),
        LINES.join(
            line.replace(f"self.W_{low}({name})", f"{name} @ self.W_{low}.weight.T")
            for line, low, name in zip((Q, K, V), "qkv", ("query", "key", "value"), strict=True)
        ),
        "a_sequence_reads_itself",
        "Your queries, keys and values lack the biases of their layers. Call the layers themselves, and they are added.",
    ),
    forward_stacks_heads_and_views=edit(
        "context = merge_heads(weights @ v)",
        "context = (weights @ v).transpose(0, 1).reshape(query.shape)",
        "a_sequence_reads_itself",
        "Your heads are stacked in front and then viewed as (batch, time, features), which cuts them at the "
        "wrong places. Join them along the last axis: torch.cat(heads, dim=-1).",
    ),
    mask_inverted_with_a_finite_fill=edit(
        "hidden = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)\n"
        "            weights = torch.softmax(hidden, dim=-1).masked_fill(~allowed, 0.0)",
        "weights = torch.softmax(scores.masked_fill(allowed, -1e9), dim=-1)",
        "weights_of_every_head",
        "Your mask is read the wrong way round: -1e9 goes where the query may look. Here True means that it "
        "may look; in nn.MultiheadAttention it means the opposite.",
    ),
    keys_reshaped_not_transposed=edit(
        "scores = q @ k.transpose(-2, -1)",
        "scores = q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])",
        "a_sequence_reads_itself",
        "Your keys are brought into the shape of their transpose by a reshape, which mixes features of "
        "different keys. Swap the last two axes.",
    ),
    keys_have_the_queries_length=edit(
        "k = split_heads(self.W_k(key), self.n_heads)",
        "batch, time, width = query.shape\n"
        "        k = self.W_k(key).view(batch, time, self.n_heads, width // self.n_heads).transpose(1, 2)",
        "two_queries_read_another_sequence",
        "Your keys and values are cut up with the number of queries. Where another sequence is read it has a length of its own: key.shape[1].",
    ),
    scores_from_the_values=edit(
        SCORES,
        "scores = q @ v.transpose(-2, -1) / q.shape[-1] ** 0.5",
        "two_queries_read_another_sequence",
        "Your scores compare queries with values. They compare them with keys; values are what is handed on.",
    ),
    keys_are_handed_on=edit(
        CONTEXT,
        "context = merge_heads(weights @ k)",
        "two_queries_read_another_sequence",
        "Your weights are applied to the keys. Keys say who is read, and values what is handed on.",
    ),
    scaled_behind_the_softmax=edit(
        SCORES,
        "v = v / q.shape[-1] ** 0.5\n        scores = q @ k.transpose(-2, -1)",
        "two_queries_read_another_sequence",
        "Your sqrt(d_head) divides what comes out of the softmax. It divides the scores before that.",
    ),
    weights_of_the_first_head=edit(
        RETURN,
        "return (output, weights[:, 0]) if need_weights else output",
        "pizza_read_by_two_heads",
        "Your weights are those of the first head alone. Those of every head are returned, (batch, heads, T_q, T_k).",
    ),
    one_query_for_all_heads=edit(
        "q = split_heads(self.W_q(query), self.n_heads)",
        "q = split_heads(self.W_q(query), self.n_heads)[:, :1].expand(-1, self.n_heads, -1, -1)",
        "pizza_read_by_two_heads",
        "Your heads all ask with the query of head 0. Each head has queries of its own.",
    ),
)

SCALES = mistakes_of(
    "MultiHeadAttention",
    power_before_the_division=edit(
        SCORES,
        "scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 1 / 2",
        "a_sequence_reads_itself",
        "Your scores are divided by d_head and by 2: a power comes before a division, so `/ d ** 1/2` is `/ d / 2`. The root is "
        "`d ** 0.5`.",
    ),
    no_scale=edit(
        SCORES,
        "scores = q @ k.transpose(-2, -1)",
        "a_sequence_reads_itself",
        "Your scores are not divided by sqrt(d_head), so the softmax saturates as heads get wider.",
    ),
    scale_of_d_model=edit(
        SCORES,
        "scores = q @ k.transpose(-2, -1) / query.shape[-1] ** 0.5",
        "a_sequence_reads_itself",
        "Your scores are divided by sqrt(d_model). Each head adds up d_head products only, so its scale is sqrt(d_head).",
    ),
    divides_by_d_head=edit(
        SCORES,
        "scores = q @ k.transpose(-2, -1) / q.shape[-1]",
        "a_sequence_reads_itself",
        "Your scores are divided by d_head itself; the root is missing, and the weights come out too even.",
        "scaled_twice",
    ),
    multiplies_by_scale=edit(
        SCORES,
        "scores = q @ k.transpose(-2, -1) * q.shape[-1] ** 0.5",
        "a_sequence_reads_itself",
        "Your scores are multiplied by sqrt(d_head). The scale is there to make them smaller.",
    ),
    scale_of_n_heads=edit(
        SCORES,
        "scores = q @ k.transpose(-2, -1) / self.n_heads ** 0.5",
        "a_sequence_reads_itself",
        "Your scores are divided by the root of the number of heads. What counts is how many features a head adds up.",
    ),
    scale_of_time=edit(
        SCORES,
        "scores = q @ k.transpose(-2, -1) / k.shape[-2] ** 0.5",
        "a_sequence_reads_itself",
        "Your scale follows the length of the sequence. Check which axis of q you took it from.",
    ),
    scaled_twice=edit(
        SCORES,
        "q, k = q / q.shape[-1] ** 0.5, k / q.shape[-1] ** 0.5\n        scores = q @ k.transpose(-2, -1)",
        "a_sequence_reads_itself",
        "Your queries and your keys are both divided by sqrt(d_head), which divides the scores by d_head. Once is enough.",
        "divides_by_d_head",
    ),
)
SHARES = mistakes_of(
    "MultiHeadAttention",
    softmax_over_queries=_shared(
        "torch.softmax({}, dim=-2)",
        "a_sequence_reads_itself",
        "Your softmax runs over the queries (dim=-2): columns sum to one. Each query has a total of one to share out "
        "among its keys.",
    ),
    softmax_over_heads=_shared(
        "torch.softmax({}, dim=1)",
        "a_sequence_reads_itself",
        "Your softmax runs over the heads. Heads do not compete; each query of each head shares out a total of one among "
        "the keys. With four axes, dim=1 is no longer what it was with two.",
    ),
    softmax_over_everything=_shared(
        "torch.softmax({}.flatten(-2), dim=-1).view_as(scores)",
        "a_sequence_reads_itself",
        "Your softmax runs over all queries and keys of a head together. Every row has a total of one.",
    ),
    softmax_overflows=_shared(
        "({0}.exp() / {0}.exp().sum(dim=-1, keepdim=True))",
        "large_scores_are_numbers",
        "Your softmax is made of exponentials that overflow: exp(100) is infinite in single precision, and infinity by "
        "infinity is no number. torch.softmax takes the largest score off first.",
    ),
    softmax_twice=_shared(
        "torch.softmax(torch.softmax({}, dim=-1), dim=-1)",
        "a_sequence_reads_itself",
        "Your weights go through a softmax twice, which makes them almost equal.",
    ),
    sigmoid_for_softmax=_shared(
        "torch.sigmoid({})",
        "a_sequence_reads_itself",
        "Your weights are sigmoids of the scores: each lies between 0 and 1, but they do not sum to one.",
    ),
    weights_without_softmax=edit(
        BRANCHES,
        "weights = scores\n        if mask is not None:\n"
        "            weights = weights.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), 0.0)",
        "a_sequence_reads_itself",
        "Your weights are the scores themselves; the softmax is missing, so they may be negative and sum to anything.",
    ),
    heads_share_one_softmax=edit(
        SCORES,
        f"{SCORES}\n        scores = scores.mean(1, keepdim=True).expand_as(scores)",
        "a_sequence_reads_itself",
        "Your scores are averaged over the heads, so all heads look at the same places. Each head has scores of its own.",
    ),
    keys_read_queries=edit(
        SCORES,
        "scores = k @ q.transpose(-2, -1) / q.shape[-1] ** 0.5",
        "a_sequence_reads_itself",
        "Your scores are k q^T, which has a row for each key. Rows are queries: q k^T.",
    ),
)

MASKS = mistakes_of(
    "MultiHeadAttention",
    mask_ignored=edit("if mask is None:", "if True:", "one_mask_for_all", "Your mask is never used."),
    mask_inverted=edit(
        ALLOWED,
        "allowed = ~(mask.unsqueeze(1) if mask.dim() == 3 else mask)",
        "one_mask_for_all",
        "Your mask is read the wrong way round. Here True means that the query may look; in nn.MultiheadAttention it "
        "means the opposite.",
    ),
    mask_lacks_head_axis=edit(
        ALLOWED,
        "allowed = mask",
        "one_mask_for_each_sequence",
        "Your mask (batch, T_q, T_k) meets scores (batch, heads, T_q, T_k) as it is. Axes line up from the right, so its "
        "batch falls on the heads: an error if the numbers differ, and silently wrong if they are equal.",
    ),
    head_axis_always_inserted=edit(
        ALLOWED,
        "allowed = mask.unsqueeze(1)",
        "one_mask_for_all",
        "Your mask gets a head axis in any case. Only one with three axes lacks it: (T_q, T_k) lines up from the right "
        "as it is, and with four axes it is there already.",
    ),
    head_axis_after_queries=edit(
        ALLOWED,
        "allowed = mask.unsqueeze(2) if mask.dim() == 3 else mask",
        "one_mask_for_each_sequence",
        "Your head axis goes in after the queries. It belongs right after the batch: (batch, 1, T_q, T_k).",
    ),
    first_mask_for_all_sequences=edit(
        ALLOWED,
        "allowed = mask[:1] if mask.dim() == 3 else mask",
        "one_mask_for_each_sequence",
        "Your mask of the first sequence is used for all of them.",
    ),
    first_mask_for_all_heads=edit(
        ALLOWED,
        "allowed = mask.unsqueeze(1) if mask.dim() == 3 else mask[:, :1] if mask.dim() == 4 else mask",
        "one_mask_for_each_head",
        "Your mask of head 0 is used for all heads. With four axes each head may have a mask of its own.",
    ),
    mask_on_the_first_head_only=edit(
        HIDDEN,
        "allowed = allowed | (torch.arange(self.n_heads) > 0)[:, None, None]\n            " + HIDDEN,
        "one_mask_for_all",
        "Your mask is applied to head 0 only. A mask holds for all heads, unless it says something else for each.",
    ),
    mask_transposed=edit(
        ALLOWED,
        "allowed = (mask.unsqueeze(1) if mask.dim() == 3 else mask).transpose(-2, -1)",
        "causal_and_padded",
        "Your mask is transposed. Its rows are queries and its columns are keys, as those of the scores are.",
    ),
    mask_after_softmax=edit(
        MASKED,
        "weights = torch.softmax(scores, dim=-1).masked_fill(~allowed, 0.0)",
        "one_mask_for_all",
        "Your mask cuts off weights after the softmax: those that remain do not sum to one, and what was hidden decides "
        "by how much.",
    ),
    mask_after_softmax_and_divided_again=edit(
        MASKED,
        "shares = torch.softmax(scores, dim=-1) * allowed\n            weights = shares / shares.sum(dim=-1, keepdim=True).clamp(min=1e-30)",
        "large_scores_are_numbers",
        "Your mask cuts off weights after the softmax, and what remains is divided by its sum. Where a hidden score is far above the others, "
        "nothing but zeros remains. Hide scores before the softmax.",
    ),
    forbidden_scores_are_zero=edit(
        f"{HIDDEN}\n            {MASKED}",
        "hidden = scores * allowed\n            weights = torch.softmax(hidden, dim=-1)",
        "one_mask_for_all",
        "Your forbidden scores are zero. The exponential of zero is one, a share like any other.",
        "smallest_positive_number_for_forbidden",
    ),
    mask_added_to_scores=edit(
        f"{HIDDEN}\n            {MASKED}",
        "hidden = scores + allowed\n            weights = torch.softmax(hidden, dim=-1)",
        "one_mask_for_all",
        "Your mask is added to the scores as 0 and 1. That prefers the allowed keys a little and forbids nothing.",
    ),
    penalty_too_small=edit(
        f"{HIDDEN}\n            {MASKED}",
        "hidden = scores - 5.0 * ~allowed\n            weights = torch.softmax(hidden, dim=-1)",
        "one_mask_for_all",
        "Your forbidden scores are lowered by a few units only, so forbidden keys keep a small share. It has to be a "
        "number whose exponential is zero.",
    ),
    low_scores_for_forbidden=edit(
        f"{HIDDEN}\n            {MASKED}",
        "hidden = scores.masked_fill(~allowed, -100.0)\n            weights = torch.softmax(hidden, dim=-1)",
        "large_scores_are_numbers",
        "Your forbidden scores are set to a number that is low but not low enough: allowed scores may be lower still. "
        "Its exponential has to be zero beside any other.",
    ),
    smallest_positive_number_for_forbidden=edit(
        f"{HIDDEN}\n            {MASKED}",
        "hidden = scores.masked_fill(~allowed, torch.finfo(scores.dtype).tiny)\n"
        "            weights = torch.softmax(hidden, dim=-1)",
        "one_mask_for_all",
        "Your forbidden scores are the smallest positive number, which is practically zero, and exp(0) = 1 is a share "
        "like any other. It has to be a large negative number.",
        "forbidden_scores_are_zero",
    ),
    blind_queries_are_nan=edit(
        f"{HIDDEN}\n            {MASKED}",
        'hidden = scores.masked_fill(~allowed, float("-inf"))\n            weights = torch.softmax(hidden, dim=-1)',
        "blind_queries_read_zeros",
        "Your softmax of a row in which everything is forbidden is 0 / 0. Such a query reads zeros here.",
    ),
    blind_queries_read_the_mean=edit(
        f"{HIDDEN}\n            {MASKED}",
        f"{HIDDEN}\n            weights = torch.softmax(hidden, dim=-1)",
        "blind_queries_read_zeros",
        "Your query that may look at nothing looks at everything: all its scores are equally low, so the softmax gives "
        "equal shares. Its weights have to be zero.",
    ),
    blind_queries_spoil_the_gradient=edit(
        f"{HIDDEN}\n            {MASKED}",
        'hidden = scores + torch.zeros_like(scores).masked_fill(~allowed, float("-inf"))\n'
        "            weights = torch.nan_to_num(torch.softmax(hidden, dim=-1))",
        "blind_queries_spoil_no_gradient",
        "Your output is right, but a query that may look at nothing makes gradients NaN: replacing NaN after the softmax "
        "does not help the way back, on which 0 times NaN is still NaN. Do not let NaN arise.",
    ),
    mask_of_each_head_where_they_are_as_many=edit(
        "allowed = mask.unsqueeze(1) if mask.dim() == 3 else mask",
        "allowed = (mask.unsqueeze(0) if len(mask) == self.n_heads else mask.unsqueeze(1)) if mask.dim() == 3 else mask",
        "each_sequence_has_a_mask",
        "Your mask of three axes counts as one for each head where there are as many sequences as heads. It is one for each sequence, "
        "whatever the numbers are.",
    ),
    blind_queries_get_no_bias=edit(
        OUTPUT,
        "output = self.W_o(context)\n        if mask is not None:\n"
        "            output = output * allowed.expand_as(scores).any(-1).any(1)[..., None]",
        "blind_queries_read_zeros",
        "Your output is zero where a query may look at nothing. What it reads is zero; W_o then adds its bias, as for "
        "all others.",
    ),
    always_causal=edit(
        "if mask is None:\n            weights",
        "if mask is None:\n            scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -1e9)\n"
        "            weights",
        "a_sequence_reads_itself",
        "Your attention is causal although no mask was given. Without a mask every query may look at every key.",
    ),
    padded_queries_masked_too=edit(
        HIDDEN,
        "if allowed.dim() == 4 and allowed.shape[2] == 1 and q.shape[2] == k.shape[2]:\n"
        "                allowed = allowed & allowed.transpose(-2, -1)\n            " + HIDDEN,
        "masks_with_four_axes",
        "Your padding mask also blinds the queries at padded positions. It is about who may be looked at; what padded "
        "queries read is not used.",
    ),
    mask_flipped_in_place=edit(
        ALLOWED,
        "allowed = mask.logical_not_().logical_not() if mask.dim() != 3 else mask.logical_not_().logical_not().unsqueeze(1)",
        "attending_leaves_its_inputs_alone",
        "Your forward turns the caller's mask around in place. The output is right, but the next layer gets the mask "
        "the wrong way round.",
    ),
    plain_exponentials_of_hidden_scores=edit(
        BRANCHES,
        BRANCHES.replace(PLAIN, "weights = scores.exp() / scores.exp().sum(dim=-1, keepdim=True)").replace(
            MASKED, "weights = hidden.exp() / hidden.exp().sum(dim=-1, keepdim=True)"
        ),
        "nothing_to_look_at",
        "Your softmax is made of plain exponentials. They overflow for large scores, and where everything is hidden it is 0 / 0: "
        "such a query has weights of zero. torch.softmax takes the largest score off first.",
    ),
    head_axis_for_two_axes_too=edit(
        ALLOWED,
        "allowed = mask if mask.dim() == 4 else mask.unsqueeze(1)",
        "one_mask_for_all",
        "Your mask of two axes gets a head axis, too: (T_q, 1, T_k). It lines up from the right as it is; only one with three "
        "axes lacks its head axis.",
    ),
    mask_inverted_with_minus_infinity=edit(
        f"{HIDDEN}\n            {MASKED}",
        'weights = torch.softmax(scores.masked_fill(allowed, float("-inf")), dim=-1)\n'
        "            weights = weights.masked_fill(~allowed.any(dim=-1, keepdim=True), 0.0)",
        "pizza_reads_only_the_past",
        "Your mask is read the wrong way round: minus infinity goes where the query may look. Here True means that it may look; "
        "in nn.MultiheadAttention it means the opposite.",
    ),
    forbidden_scores_are_zero_then_cut=edit(
        HIDDEN,
        "hidden = scores * allowed",
        "one_mask_for_all",
        "Your forbidden scores are zero in the softmax, and their weights are cut off behind it. The exponential of zero is one, so "
        "the weights that remain do not sum to one.",
    ),
    mask_added_to_scores_then_cut=edit(
        HIDDEN,
        "hidden = scores + allowed",
        "one_mask_for_all",
        "Your mask is added to the scores as 0 and 1, and forbidden weights are cut off behind the softmax. What remains does not "
        "sum to one; forbidden scores have to be very low before the softmax.",
    ),
    low_scores_for_forbidden_then_cut=edit(
        HIDDEN,
        "hidden = scores.masked_fill(~allowed, -100.0)",
        "large_scores_are_numbers",
        "Your forbidden scores are set to a number that is low but not low enough: allowed scores may be lower still, and then "
        "the forbidden ones take nearly all of the total. Its exponential has to be zero beside any other.",
    ),
    blind_queries_read_the_first_key=edit(
        MASKED,
        "weights = torch.softmax(hidden, dim=-1).masked_fill(~allowed, 0.0)\n"
        "            weights[..., 0] += (~allowed.any(dim=-1)).to(weights.dtype)",
        "nothing_to_look_at",
        "Your query that may look at nothing looks at the first key. That avoids NaN, but such a query reads zeros and has weights "
        "of zero.",
    ),
    forbidden_scores_are_zero_for_all_but_the_blind=edit(
        f"{HIDDEN}\n            {MASKED}",
        "hidden = scores.masked_fill(~allowed, 0.0)\n            weights = torch.softmax(hidden, dim=-1)\n"
        "            weights = weights.masked_fill(~allowed.any(dim=-1, keepdim=True), 0.0)",
        "one_mask_for_all",
        "Your forbidden scores are zero. The exponential of zero is one, a share like any other; only queries that may look at "
        "nothing get their zeros.",
    ),
)

JOINS = mistakes_of(
    "MultiHeadAttention",
    forward_merges_without_transpose=edit(
        CONTEXT,
        "context = (weights @ v).reshape(query.shape)",
        "a_sequence_reads_itself",
        "Your heads are joined by a reshape alone. In (batch, heads, T_q, d_head) it puts several positions of one head "
        "into a row; merge_heads is there for that.",
    ),
    forward_interleaves_heads=edit(
        CONTEXT,
        "context = (weights @ v).permute(0, 2, 3, 1).flatten(-2)",
        "a_sequence_reads_itself",
        "Your heads are interleaved, feature by feature, before W_o. They stand side by side, each with all its features.",
    ),
    heads_added_before_output=edit(
        CONTEXT,
        "context = (weights @ v).sum(1).repeat(1, 1, self.n_heads)",
        "a_sequence_reads_itself",
        "Your heads are added up before W_o. Side by side, W_o can treat what each has found differently.",
    ),
    no_output_layer=edit(
        OUTPUT,
        "output = context",
        "a_sequence_reads_itself",
        "Your output is the joined heads; W_o, which mixes what they found, is missing.",
    ),
    no_output_bias=edit(
        OUTPUT,
        "output = context @ self.W_o.weight.T",
        "a_sequence_reads_itself",
        "Your output lacks the bias of W_o. Call the layer itself, and it is added.",
    ),
    output_weight_not_transposed=edit(
        OUTPUT,
        "output = context @ self.W_o.weight + self.W_o.bias",
        "a_sequence_reads_itself",
        "Your product uses the weight of W_o as it is stored, (out, in). nn.Linear multiplies by its transpose; the "
        "matrix is square, so no shape warns you.",
    ),
    residual_added=edit(
        OUTPUT,
        "output = query + self.W_o(context)",
        "a_sequence_reads_itself",
        "Your output has the query added to it. That residual connection belongs to the block around the attention.",
    ),
    values_for_all_alike=edit(
        CONTEXT,
        "context = merge_heads(v.mean(-2, keepdim=True).expand_as(q))",
        "a_sequence_reads_itself",
        "Your output is the plain mean of the values; the weights are not used.",
    ),
    output_layer_on_the_values=edit(
        LINES.join((CONTEXT, OUTPUT)),
        "v = split_heads(self.W_o(merge_heads(v)), self.n_heads)\n        output = merge_heads(weights @ v)",
        "a_sequence_reads_itself",
        "Your W_o is applied to the values before they are read. Heads look at different places, so it makes a "
        "difference: W_o comes after, on what all heads have read.",
    ),
    weights_averaged_over_heads=edit(
        RETURN,
        "return (output, weights.mean(1)) if need_weights else output",
        "weights_of_every_head",
        "Your weights are averaged over the heads, as nn.MultiheadAttention does unless told otherwise. Here those of "
        "every head are returned.",
    ),
    always_a_pair=edit(
        RETURN,
        "return output, weights",
        "a_sequence_reads_itself",
        "Your forward always returns a pair. Without need_weights it returns the output alone.",
    ),
    never_weights=edit(
        RETURN,
        "return output",
        "weights_of_every_head",
        "Your forward returns the output alone, also when need_weights asks for the weights.",
    ),
    weights_first=edit(
        RETURN,
        "return (weights, output) if need_weights else output",
        "weights_of_every_head",
        "Your pair has the weights first. The order is (output, weights).",
    ),
    weights_alone=edit(
        RETURN,
        "return weights if need_weights else output",
        "weights_of_every_head",
        "Your need_weights gives the weights in place of the output. Both are asked for: (output, weights).",
    ),
    scores_for_weights=edit(
        RETURN,
        "return (output, scores) if need_weights else output",
        "weights_of_every_head",
        "Your pair has the scores in it. The weights are what the softmax makes of them.",
    ),
    weights_before_the_mask=edit(
        RETURN,
        "return (output, torch.softmax(scores, dim=-1)) if need_weights else output",
        "weights_of_every_head",
        "Your returned weights know nothing of the mask. They should be those that were used.",
    ),
    weights_detached=edit(
        CONTEXT,
        "context = merge_heads(weights.detach() @ v)",
        "keys_can_learn",
        "Your weights are cut off from the gradient before they are used (detach, data, numpy or torch.tensor do that). "
        "The output is right, and W_q and W_k never learn anything.",
    ),
    values_detached=edit(
        CONTEXT,
        "context = merge_heads(weights @ v.detach())",
        "values_can_learn",
        "Your values are cut off from the gradient before they are read. The output is right, and W_v never learns "
        "anything.",
    ),
    query_detached=edit(
        Q,
        Q.replace("(query)", "(query.detach())"),
        "gradients_reach_the_query",
        "Your forward cuts the query off from the gradient: this layer learns, but what made the query hears nothing of it.",
    ),
    key_detached=edit(
        K,
        K.replace("(key)", "(key.detach())"),
        "gradients_reach_the_key",
        "Your forward cuts the key off from the gradient: this layer learns, but what made the key hears nothing of it.",
    ),
    value_detached=edit(
        V,
        V.replace("(value)", "(value.detach())"),
        "gradients_reach_the_value",
        "Your forward cuts the value off from the gradient: this layer learns, but what made the value hears nothing of it.",
    ),
    output_detached_beside_weights=edit(
        "return (output, weights) if need_weights else output",
        "return (output.detach(), weights.detach()) if need_weights else output",
        "outputs_beside_weights_can_learn",
        "Your output is cut off from the gradient where the weights are asked for, too. Weights are for looking at; the "
        "output still has to learn.",
    ),
    two_axes_fall_on_the_batch=edit(
        "allowed = mask.unsqueeze(1) if mask.dim() == 3 else mask",
        "allowed = mask[:, None, None] if mask.dim() == 2 else mask.unsqueeze(1) if mask.dim() == 3 else mask",
        "pizza_reads_only_the_past",
        "Your mask of two axes gets its new axes behind the first, as if that were the batch. Its axes are (T_q, T_k), the "
        "same for all sequences.",
    ),
    two_axes_expanded_from_the_batch=edit(
        ALLOWED,
        "allowed = mask[:, None, None] if mask.dim() == 2 else mask.unsqueeze(1) if mask.dim() == 3 else mask\n"
        "            allowed = allowed.expand(scores.shape)",
        "pizza_reads_only_the_past",
        "Your mask of two axes gets its new axes behind the first, as if that were the batch. Its axes are (T_q, T_k), the "
        "same for all sequences.",
    ),
    always_a_pair_with_none=edit(
        "return (output, weights) if need_weights else output",
        "return output, (weights if need_weights else None)",
        "pizza_reads_only_the_past",
        "Your function returns a pair even where no weights are asked for. Then it is the output alone, not the output and "
        "None.",
    ),
    weights_of_the_last_head=edit(
        "return (output, weights) if need_weights else output",
        "return (output, weights[:, -1]) if need_weights else output",
        "pizza_read_by_two_heads",
        "Your weights are those of the last head alone. The weights of every head are asked for, (batch, heads, T_q, T_k).",
    ),
    blind_queries_read_everything=edit(
        "allowed = mask.unsqueeze(1) if mask.dim() == 3 else mask",
        "allowed = mask.unsqueeze(1) if mask.dim() == 3 else mask\n"
        "            allowed = allowed | ~allowed.any(dim=-1, keepdim=True)",
        "nothing_to_look_at",
        "Your query that may look at nothing is allowed to look at everything. That avoids NaN, but such a query reads zeros "
        "and has weights of zero.",
    ),
    weights_of_blind_queries_not_zero=edit(
        "            weights = torch.softmax(hidden, dim=-1).masked_fill(~allowed, 0.0)\n"
        "        context = merge_heads(weights @ v)",
        "            weights = torch.softmax(hidden, dim=-1)\n"
        "        context = merge_heads((weights if mask is None else weights.masked_fill(~allowed, 0.0)) @ v)",
        "nothing_to_look_at",
        "Your query that may look at nothing reads zeros, as it should, but the weights that you return for it are not zero. "
        "Return the weights as they were used.",
    ),
    masks_repeated_in_another_order=edit(
        "allowed = mask.unsqueeze(1) if mask.dim() == 3 else mask",
        "allowed = mask.repeat(self.n_heads, 1, 1).view(-1, self.n_heads, *mask.shape[1:]) if mask.dim() == 3 else mask",
        "each_sequence_has_a_mask",
        "Your masks are repeated as a whole, so the heads of one sequence get the masks of several. Each mask has to be "
        "repeated in its own place.",
    ),
    forward_cuts_into_as_many_features=edit(
        "        q = split_heads(self.W_q(query), self.n_heads)\n        k = split_heads(self.W_k(key), self.n_heads)\n"
        "        v = split_heads(self.W_v(value), self.n_heads)\n"
        "        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5",
        "        d_head = query.shape[-1] // self.n_heads\n        q = split_heads(self.W_q(query), d_head)\n"
        "        k = split_heads(self.W_k(key), d_head)\n        v = split_heads(self.W_v(value), d_head)\n"
        "        scores = q @ k.transpose(-2, -1) / d_head**0.5",
        "four_layers_that_differ",
        "You cut the features into d_head parts of n_heads features. It is the other way round: n_heads parts of d_head.",
    ),
    weights_dropped_at_random=edit(
        "context = merge_heads(weights @ v)",
        "context = merge_heads(torch.nn.functional.dropout(weights, 0.1) @ v)",
        "four_layers_that_differ",
        "Some of your weights are dropped at random, and the others made larger. There is no dropout here.",
    ),
    weights_returned_transposed=edit(
        RETURN,
        "return (output, weights.transpose(-2, -1)) if need_weights else output",
        "weights_of_every_head",
        "Your returned weights have a row for each key. Rows are queries: (batch, heads, T_q, T_k).",
    ),
    weights_dropped_and_returned=edit(
        CONTEXT,
        "weights = torch.nn.functional.dropout(weights, 0.1)\n        context = merge_heads(weights @ v)",
        "four_layers_that_differ",
        "Some of your weights are dropped at random, and the others made larger, also in what you return. There is no dropout here.",
    ),
    weights_summed_over_heads=edit(
        RETURN,
        "return (output, weights.sum(1)) if need_weights else output",
        "weights_of_every_head",
        "Your weights are added up over the heads. Those of every head are returned, (batch, heads, T_q, T_k).",
    ),
)

SINE = "sinusoidal_encoding"
POSITIONS = "positions = torch.arange(T, dtype=torch.float64)[:, None]"
EXPONENTS = "exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model"
ANGLES = "angles = positions / base**exponents"
WAVES = "waves = torch.stack([angles.sin(), angles.cos()], dim=-1)"
FLAT = "return waves.flatten(-2).to(torch.get_default_dtype())"


def _wave(old: str, new: str, says: str, caught_by: str = "encodings_of_any_size") -> Edit:
    return edit(old, new, caught_by, says)


SINUSOID = mistakes_of(
    "sinusoidal_encoding",
    exponent_rounded_up=edit(
        "exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model",
        "exponents = (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model).ceil()",
        "encodings_of_any_size",
        "Your exponent is a whole number: `//` rounds down, and a negative fraction to -1. Divide with `/`.",
    ),
    exponent_doubled=_wave(
        EXPONENTS,
        "exponents = 2 * torch.arange(0, d_model, 2, dtype=torch.float64) / d_model",
        "Your exponent is doubled: the step of two is there already, and the factor 2 once more. It should stay below 1.",
    ),
    exponent_halved=_wave(
        EXPONENTS,
        "exponents = torch.arange(d_model // 2, dtype=torch.float64) / d_model",
        "Your exponent is i / d_model; the factor 2 is missing, so the slowest waves are far too fast.",
    ),
    exponent_floored=_wave(
        EXPONENTS,
        "exponents = torch.arange(0, d_model, 2, dtype=torch.float64) // d_model",
        "Your exponent is a whole-number division, which is always 0, so every pair has frequency 1. Divide with `/`.",
    ),
    exponent_outside_the_power=_wave(
        ANGLES,
        "angles = positions / (base ** (exponents * d_model) / d_model)",
        "Your d_model divides the whole power, as a well-known slide typesets it. It belongs into the exponent: "
        "10000^(2i / d_model).",
    ),
    each_column_its_own_frequency=_wave(
        f"{ANGLES}\n    {WAVES}",
        "angles = positions / base**exponents\n    others = positions / base ** (exponents + 1 / d_model)\n"
        "    waves = torch.stack([angles.sin(), others.cos()], dim=-1)",
        "Your cosines have another frequency than the sines beside them: your exponent counts columns. i counts pairs, "
        "and both columns of a pair share it.",
    ),
    frequencies_of_the_figure=_wave(
        EXPONENTS,
        "exponents = torch.arange(d_model // 2, dtype=torch.float64) / max(d_model // 2 - 1, 1)",
        "Your frequencies end at 1/base exactly, as those of timing_signal do. In this formula the exponent is "
        "2i / d_model, which never reaches 1.",
    ),
    base_of_a_thousand=_wave(
        ANGLES,
        "angles = positions / (1000.0 if base == 10000 else base) ** exponents",
        "Your base is 1000 by default. It is 10000.",
    ),
    base_not_used=_wave(
        ANGLES,
        "angles = positions / 10000.0**exponents",
        "Your formula has 10000 written into it, and the argument `base` is never read.",
        "base_is_an_argument",
    ),
    frequencies_upside_down=_wave(
        ANGLES,
        "angles = positions * base**exponents",
        "Your angles are multiplied by the power of the base where they should be divided: the waves get ever faster.",
    ),
    cosine_first=_wave(
        WAVES,
        "waves = torch.stack([angles.cos(), angles.sin()], dim=-1)",
        "Your sines and cosines have changed places: even columns are sines. Position 0 is 0 1 0 1 ...",
    ),
    sines_then_cosines=_wave(
        FLAT,
        "return waves.transpose(-1, -2).flatten(-2).to(torch.get_default_dtype())",
        "Your frequencies are right, but all sines come first and then all cosines, as in the well-known figure. The "
        "formula interleaves them: sine and cosine of a pair stand side by side.",
    ),
    sines_only=_wave(
        WAVES,
        "waves = torch.stack([angles.sin(), angles.sin()], dim=-1)",
        "Your columns are all sines. With the cosine beside it, a pair says where on the circle it is.",
    ),
    cosines_one_position_on=_wave(
        WAVES,
        "waves = torch.stack([angles.sin(), (angles + 1 / base**exponents).cos()], dim=-1)",
        "Your cosines are those of the position after. Sine and cosine of a pair have the same angle, at position 0 both that of 0.",
    ),
    sines_one_position_on=_wave(
        WAVES,
        "waves = torch.stack([(angles + 1 / base**exponents).sin(), angles.cos()], dim=-1)",
        "Your sines are those of the position after. Sine and cosine of a pair have the same angle, at position 0 both that of 0.",
    ),
    positions_from_one=_wave(
        POSITIONS,
        "positions = torch.arange(1, T + 1, dtype=torch.float64)[:, None]",
        "Your positions start at 1. Row 0 is position 0, and reads 0 1 0 1 ...",
    ),
    positions_as_fractions=_wave(
        POSITIONS,
        "positions = torch.arange(T, dtype=torch.float64)[:, None] / T",
        "Your positions are divided by the length. A position then looks different in every text, and 'one further' "
        "means something else each time.",
    ),
    angles_in_degrees=_wave(
        ANGLES,
        "angles = torch.deg2rad(positions / base**exponents)",
        "Your angles are taken for degrees. The formula has radians, as torch.sin has.",
    ),
    logarithm_to_base_ten=_wave(
        ANGLES,
        "angles = positions * torch.exp(-exponents * torch.log10(torch.tensor(float(base))))",
        "Your power is written as an exponential with a logarithm to base 10. exp undoes the natural one, torch.log.",
    ),
    whole_angles=_wave(
        ANGLES,
        "angles = positions // base**exponents",
        "Your angles are rounded down to whole numbers, so slow waves do not move for many positions. Divide with `/`.",
    ),
    features_before_positions=_wave(
        FLAT,
        "return waves.flatten(-2).T.to(torch.get_default_dtype())",
        "Your result is (d_model, T). Each position has a row.",
    ),
    batch_axis_in_front=_wave(
        FLAT,
        "return waves.flatten(-2)[None].to(torch.get_default_dtype())",
        "Your result has an axis of one in front. It is (T, d_model), and broadcasts over a batch as it is.",
    ),
    pairs_not_joined=_wave(
        FLAT,
        "return waves.to(torch.get_default_dtype())",
        "Your pairs still have an axis of their own: (T, d_model / 2, 2). The last two axes have yet to become one.",
    ),
    encoding_scaled=_wave(
        FLAT,
        "return (waves * d_model**0.5).flatten(-2).to(torch.get_default_dtype())",
        "Your encoding is multiplied by sqrt(d_model). In the paper it is the embeddings that are, before the two are "
        "added.",
    ),
    twice_the_column_in_the_exponent=edit(
        "exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model\n"
        "    angles = positions / base**exponents\n"
        "    waves = torch.stack([angles.sin(), angles.cos()], dim=-1)",
        "exponents = 2 * torch.arange(d_model, dtype=torch.float64) / d_model\n"
        "    angles = positions / base**exponents\n"
        "    waves = torch.stack([angles[:, 0::2].sin(), angles[:, 1::2].cos()], dim=-1)",
        "encodings_of_any_size",
        "Your exponent has 2 times the column in it. 2i already is a column: i counts pairs, and both "
        "columns of a pair have the exponent 2i / d_model.",
    ),
    pairs_from_one=edit(
        EXPONENTS,
        "exponents = torch.arange(2, d_model + 2, 2, dtype=torch.float64) / d_model",
        "three_rows_of_four",
        "Your pairs are counted from 1, so the fastest wave is missing. The first pair has i = 0, and frequency 1.",
    ),
    whole_turns_for_radians=edit(
        ANGLES,
        "angles = 2 * torch.pi * positions / base**exponents",
        "three_rows_of_four",
        "Your angles have a factor of 2 pi. The formula has none: the first pair turns by one radian from position to position.",
    ),
    exponent_of_d_model_less_one=edit(
        EXPONENTS,
        "exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / (d_model - 1)",
        "three_rows_of_four",
        "Your exponent is divided by d_model - 1. In this formula it is 2i / d_model.",
    ),
    first_position_is_zero=edit(
        "return waves.flatten(-2).to(torch.get_default_dtype())",
        "waves[0] = 0.0\n    return waves.flatten(-2).to(torch.get_default_dtype())",
        "three_rows_of_four",
        "Your first row is all zeros. Position 0 is a position like any other, with sines of 0 and cosines of 1.",
    ),
    waves_stacked_in_front=edit(
        "    waves = torch.stack([angles.sin(), angles.cos()], dim=-1)\n"
        "    return waves.flatten(-2).to(torch.get_default_dtype())",
        "    waves = torch.stack([angles.sin(), angles.cos()])\n"
        "    return waves.reshape(T, d_model).to(torch.get_default_dtype())",
        "three_rows_of_four",
        "Your sines and cosines are stacked along a new first axis, and the reshape then cuts across positions. Stack them so "
        "that the two of a pair are neighbours.",
    ),
    frequencies_upside_down_in_single_precision=edit(
        f"{EXPONENTS}\n    {ANGLES}",
        "exponents = torch.arange(0, d_model, 2, dtype=torch.float32) / d_model\n"
        "    angles = positions.float() * base**exponents",
        "encodings_of_any_size",
        "Your angles are multiplied by the power of the base where they should be divided: the waves get ever faster.",
    ),
    slowest_pair_first=edit(
        EXPONENTS,
        "exponents = torch.arange(d_model - 2, -2, -2, dtype=torch.float64) / d_model",
        "three_rows_of_four",
        "Your slowest wave comes first. The first pair has i = 0, and frequency 1.",
    ),
    sines_in_even_rows=edit(
        f"{WAVES}\n    {FLAT}",
        "waves = torch.stack([angles, angles], dim=-1).flatten(-2)\n"
        "    return torch.where(positions % 2 == 0, waves.sin(), waves.cos()).to(torch.get_default_dtype())",
        "three_rows_of_four",
        "Your even positions are all sines and your odd ones all cosines. Even and odd are the columns: each position has both.",
    ),
)

RATES = "rates = 10000.0 ** (-torch.arange(n, dtype=torch.float64) / (n - 1))"
PHASES = "phases = torch.arange(T, dtype=torch.float64)[:, None] * rates"
HALVES = "halves = torch.cat([phases.sin(), phases.cos()], dim=-1)"


def _signal(old: str, new: str, says: str) -> Edit:
    return edit(old, new, "signals_of_any_size", says)


TIMING = mistakes_of(
    "timing_signal",
    signal_interleaved=_signal(
        HALVES,
        "halves = torch.stack([phases.sin(), phases.cos()], dim=-1).flatten(-2)",
        "Your sines and cosines are interleaved. In this layout all sines come first, then all cosines: row 0 is 0 0 1 1.",
    ),
    frequencies_of_the_formula=_signal(
        RATES,
        "rates = 10000.0 ** (-torch.arange(n, dtype=torch.float64) / n)",
        "Your frequencies are those of sinusoidal_encoding, with 2i / d_model in the exponent. Here the last one is "
        "1/10000 exactly, so the exponent ends at 1.",
    ),
    signal_of_the_formula=_signal(
        f"{RATES}\n    {PHASES}\n    {HALVES}",
        "rates = 10000.0 ** (-torch.arange(n, dtype=torch.float64) / n)\n"
        f"    {PHASES}\n    halves = torch.stack([phases.sin(), phases.cos()], dim=-1).flatten(-2)",
        "Your result is that of sinusoidal_encoding. The figure has another layout, all sines first, and its frequencies "
        "end at 1/10000 exactly.",
    ),
    signal_with_cosines_first=_signal(
        HALVES,
        "halves = torch.cat([phases.cos(), phases.sin()], dim=-1)",
        "Your cosines come first. Row 0 is 0 0 1 1: sines are zero at position 0.",
    ),
    steps_of_the_whole_width=_signal(
        RATES,
        "rates = 10000.0 ** (-torch.arange(n, dtype=torch.float64) / (d_model - 1))",
        "Your exponent is divided by d_model - 1. There are d_model / 2 frequencies, and so d_model / 2 - 1 steps "
        "between them.",
    ),
    steps_of_two=_signal(
        RATES,
        "rates = 10000.0 ** (-2 * torch.arange(n, dtype=torch.float64) / (n - 1))",
        "Your exponent reaches 2 instead of 1: n - 1 already is the number of steps between pairs, and takes no factor 2.",
    ),
    evenly_spaced_frequencies=_signal(
        RATES,
        "rates = torch.linspace(1, 1 / 10000, n, dtype=torch.float64)",
        "Your frequencies run from 1 to 1/10000 in equal differences. They have equal ratios: 1, 1/100, 1/10000.",
    ),
    signal_frequencies_upside_down=_signal(
        RATES,
        "rates = 10000.0 ** (torch.arange(n, dtype=torch.float64) / (n - 1))",
        "Your frequencies run from 1 to 10000. Waves get slower, not faster.",
    ),
    slow_waves_first=_signal(
        RATES,
        "rates = 10000.0 ** (torch.arange(n, dtype=torch.float64) / (n - 1) - 1)",
        "Your slowest wave comes first. Column 0 has frequency 1.",
    ),
    cosines_with_slow_waves_first=_signal(
        "halves = torch.cat([phases.sin(), phases.cos()], dim=-1)",
        "halves = torch.cat([phases.sin(), phases.flip(-1).cos()], dim=-1)",
        "Your cosines have their slowest wave first, and your sines their fastest. Both halves have the same frequencies in "
        "the same order.",
    ),
    signal_positions_from_one=_signal(
        PHASES,
        "phases = torch.arange(1, T + 1, dtype=torch.float64)[:, None] * rates",
        "Your positions start at 1. Row 0 is position 0, and reads 0 0 1 1.",
    ),
    signal_of_sines_only=_signal(
        HALVES,
        "halves = torch.cat([phases.sin(), phases.sin()], dim=-1)",
        "Your second half repeats the sines. It holds the cosines.",
    ),
    frequency_one_twice=_signal(
        RATES,
        "rates = 10000.0 ** (-torch.arange(n, dtype=torch.float64).sub(1).clamp(0) / (n - 1))",
        "Your first two frequencies are both 1, and the last is not 1/10000. i runs from 0 to n - 1.",
    ),
    features_before_time=_signal(
        "return halves.to(torch.get_default_dtype())",
        "return halves.T.to(torch.get_default_dtype())",
        "Your result is (d_model, T). Each position has a row.",
    ),
    signal_of_whole_turns=edit(
        PHASES,
        "phases = 2 * torch.pi * torch.arange(T, dtype=torch.float64)[:, None] * rates",
        "three_frequencies",
        "Your angles have a factor of 2 pi. Column 0 turns by one radian from position to position.",
    ),
    signal_as_fractions=edit(
        PHASES,
        "phases = torch.arange(T, dtype=torch.float64)[:, None] / T * rates",
        "three_frequencies",
        "Your positions are divided by the length. A position then looks different in every text.",
    ),
    rates_down_to_e_to_the_minus_four=edit(
        "rates = 10000.0 ** (-torch.arange(n, dtype=torch.float64) / (n - 1))",
        "rates = torch.exp(-4 * torch.arange(n, dtype=torch.float64) / (n - 1))",
        "the_well_known_figure",
        "Your frequencies fall to e^-4. 1/10000 is 10^-4; with the exponential of e, the exponent is a natural logarithm.",
    ),
    rates_down_to_ten_to_the_minus_nine=edit(
        "rates = 10000.0 ** (-torch.arange(n, dtype=torch.float64) / (n - 1))",
        "rates = 10.0 ** (-9.210340371976184 * torch.arange(n, dtype=torch.float64) / (n - 1))",
        "the_well_known_figure",
        "Your exponents are natural logarithms, but the base is 10. The lowest frequency is to be 1/10000.",
    ),
    rates_from_the_second=edit(
        "-torch.arange(n, dtype=torch.float64) / (n - 1)",
        "-torch.arange(1, n + 1, dtype=torch.float64) / (n - 1)",
        "the_well_known_figure",
        "Your i starts at 1, so the frequency 1 is missing and the last one is below 1/10000.",
    ),
    signal_halves_below_each_other=edit(
        "halves = torch.cat([phases.sin(), phases.cos()], dim=-1)",
        "halves = torch.cat([phases.sin(), phases.cos()], dim=0)",
        "the_well_known_figure",
        "Your cosines stand below the sines, as further rows. They belong beside them, in the same row.",
    ),
    signal_upside_down_in_single_precision=edit(
        f"{RATES}\n    {PHASES}",
        "rates = 10000.0 ** (torch.arange(n, dtype=torch.float32) / (n - 1))\n"
        "    phases = torch.arange(T, dtype=torch.float32)[:, None] * rates",
        "signals_of_any_size",
        "Your frequencies run from 1 to 10000. Waves get slower, not faster.",
    ),
    signal_exponent_floored=_signal(
        RATES,
        "rates = 10000.0 ** (-torch.arange(n, dtype=torch.float64) // (n - 1))",
        "Your exponent is a whole-number division, so every frequency is 1 or 1/10000. Divide with `/`.",
    ),
    signal_batch_axis_in_front=_signal(
        "return halves.to(torch.get_default_dtype())",
        "return halves[None].to(torch.get_default_dtype())",
        "Your result has an axis of one in front. It is (T, d_model), and broadcasts over a batch as it is.",
    ),
    signal_base_of_a_thousand=_signal(
        RATES,
        "rates = 1000.0 ** (-torch.arange(n, dtype=torch.float64) / (n - 1))",
        "Your frequencies end at 1/1000. The last one is 1/10000.",
    ),
    steps_of_two_over_the_whole_width=_signal(
        RATES,
        "rates = 10000.0 ** (-2 * torch.arange(n, dtype=torch.float64) / (d_model - 1))",
        "Your exponent is 2i / (d_model - 1), which does not reach 1. Here it is i / (n - 1), and n is d_model / 2.",
    ),
)

SHIFT_COS = "M[sines, sines] = turns.cos()"
SHIFT_SIN = "M[sines, cosines] = turns.sin()\n    M[cosines, sines] = -turns.sin()"
TURNS = "turns = k * 10000.0 ** (-sines.double() / d_model)"
M_OUT = "return M.to(torch.get_default_dtype())"


def _shift(old: str, new: str, says: str, caught_by: str = "shifts_of_any_size") -> Edit:
    return edit(old, new, caught_by, says)


SHIFT = mistakes_of(
    "shift_matrix",
    steps_back_are_none=edit(
        "turns = k * 10000.0",
        "turns = max(k, 0) * 10000.0",
        "two_positions_back",
        "Your matrix for a negative k is the identity, as that of a loop that runs k times. Going back turns the other way round.",
    ),
    matrix_transposed=_shift(
        M_OUT,
        "return M.T.to(torch.get_default_dtype())",
        "Your matrix moves k positions back in place of on, as a transpose does: either the sign of the "
        "sines is the other way round, or you built what PE[t] is multiplied by, which is M.T.",
    ),
    both_sines_positive=_shift(
        SHIFT_SIN,
        "M[sines, cosines] = turns.sin()\n    M[cosines, sines] = turns.sin()",
        "Your blocks have two positive sines, which is no rotation. cos(a + b) = cos a cos b - sin a sin b has a minus.",
    ),
    both_sines_negative=_shift(
        SHIFT_SIN,
        "M[sines, cosines] = -turns.sin()\n    M[cosines, sines] = -turns.sin()",
        "Your blocks have two negative sines, which is no rotation. sin(a + b) = sin a cos b + cos a sin b has no minus.",
    ),
    sine_and_cosine_swapped_in_the_block=_shift(
        f"{SHIFT_COS}\n    {SHIFT_SIN}\n    M[cosines, cosines] = turns.cos()",
        "M[sines, sines] = turns.sin()\n    M[sines, cosines] = turns.cos()\n    M[cosines, sines] = turns.cos()\n"
        "    M[cosines, cosines] = -turns.sin()",
        "Your sines stand on the diagonal. With k = 0 nothing turns, and the matrix has to be the identity: cosines "
        "belong there.",
    ),
    only_the_diagonal=_shift(
        SHIFT_SIN,
        "M[sines, cosines] = 0.0 * turns.sin()\n    M[cosines, sines] = 0.0 * turns.sin()",
        "Your matrix has only the cosines on the diagonal. In sin(a + b) the cosine of a takes part as well, so sine and "
        "cosine of a pair mix.",
    ),
    blocks_by_halves=_shift(
        f"{SHIFT_COS}\n    {SHIFT_SIN}\n    M[cosines, cosines] = turns.cos()",
        "n = d_model // 2\n    M[:n, :n] = torch.diag(turns.cos())\n    M[:n, n:] = torch.diag(turns.sin())\n"
        "    M[n:, :n] = -torch.diag(turns.sin())\n    M[n:, n:] = torch.diag(turns.cos())",
        "Your matrix is for a layout with all sines first. In sinusoidal_encoding sine and cosine of a pair stand side "
        "by side, so the blocks are 2 by 2, along the diagonal.",
    ),
    all_pairs_turn_alike=_shift(
        TURNS,
        "turns = k * 10000.0 ** (-0.0 * sines.double() / d_model)",
        "Your pairs all turn by the same angle. Each has its own frequency.",
    ),
    shift_exponent_halved=_shift(
        TURNS,
        "turns = k * 10000.0 ** (-sines.double() / 2 / d_model)",
        "Your frequencies have i / d_model in the exponent. Those of the encoding have 2i / d_model.",
    ),
    shift_exponent_doubled=_shift(
        TURNS,
        "turns = k * 10000.0 ** (-2 * sines.double() / d_model)",
        "Your frequencies have 4i / d_model in the exponent. Those of the encoding have 2i / d_model.",
    ),
    shift_twice_the_column=edit(
        f"    {TURNS}\n    M = torch.zeros(d_model, d_model, dtype=torch.float64)\n"
        f"    {SHIFT_COS}\n    {SHIFT_SIN}\n    M[cosines, cosines] = turns.cos()",
        "    turns = k * 10000.0 ** (-2 * torch.arange(d_model).double() / d_model)\n"
        "    M = torch.diag(turns.cos())\n"
        "    M[sines, cosines] = turns[sines].sin()\n    M[cosines, sines] = -turns[cosines].sin()",
        "one_position_on",
        "Your exponents have 2 times the column in them, so the two rows of a block turn by different angles. 2i already is a "
        "column: i counts pairs, and a pair turns by one angle.",
    ),
    shift_frequencies_of_the_figure=_shift(
        TURNS,
        "turns = k * 10000.0 ** (-sines.double() / max(d_model - 2, 1))",
        "Your frequencies are those of timing_signal, which end at 1/10000. The matrix belongs to sinusoidal_encoding.",
    ),
    shift_frequencies_upside_down=_shift(
        TURNS,
        "turns = k * 10000.0 ** (sines.double() / d_model)",
        "Your pairs turn ever faster. The frequency of a pair is 1 divided by the power of 10000.",
    ),
    shift_base_of_a_thousand=_shift(
        TURNS,
        "turns = k * 1000.0 ** (-sines.double() / d_model)",
        "Your frequencies have base 1000. That of the encoding is 10000.",
    ),
    direction_forgotten=_shift(
        TURNS,
        "turns = abs(k) * 10000.0 ** (-sines.double() / d_model)",
        "Your matrix moves on for negative k, too. A negative k moves back.",
        "backwards_is_negative",
    ),
    k_not_used=_shift(
        TURNS,
        "turns = 10000.0 ** (-sines.double() / d_model)",
        "Your matrix is that for one position on, whatever k is.",
    ),
    one_further=_shift(
        TURNS,
        "turns = (k + 1) * 10000.0 ** (-sines.double() / d_model)",
        "Your matrix moves one position too far: with k = 0 nothing should move.",
    ),
    rows_moved_instead_of_turned=_shift(
        M_OUT,
        "return torch.eye(d_model).roll(k, 0)",
        "Your matrix moves the columns of the encoding by k. Positions are rows; within a row, each pair turns on its "
        "circle.",
    ),
    shift_in_degrees=_shift(
        TURNS,
        "turns = torch.deg2rad(k * 10000.0 ** (-sines.double() / d_model))",
        "Your angles are taken for degrees. The encoding has radians.",
    ),
    shift_added_to_identity=_shift(
        M_OUT,
        "return (M + torch.eye(d_model)).to(torch.get_default_dtype())",
        "Your matrix has the identity added to it, as if it gave the difference. PE[t] @ M.T is PE[t + k] itself.",
    ),
    shift_without_its_last_pair=edit(
        "sines = torch.arange(0, d_model, 2)\n    cosines = sines + 1\n    turns =",
        "sines = torch.arange(0, d_model - 2, 2)\n    cosines = sines + 1\n    turns =",
        "one_position_on",
        "Your last pair has no block of its own. There is one for each pair of features, down to the last.",
    ),
    shift_divides_by_d_model_behind=edit(
        "turns = k * 10000.0 ** (-sines.double() / d_model)",
        "turns = k / (10000.0 ** sines.double() / d_model)",
        "one_position_on",
        "Your power is divided by d_model. In the formula d_model stands in the exponent.",
    ),
    shift_sine_for_cosine=edit(
        "    M[sines, sines] = turns.cos()\n    M[sines, cosines] = turns.sin()\n    M[cosines, sines] = -turns.sin()\n"
        "    M[cosines, cosines] = turns.cos()\n",
        "    M[sines, sines] = turns.sin()\n    M[sines, cosines] = turns.cos()\n    M[cosines, sines] = -turns.cos()\n"
        "    M[cosines, cosines] = turns.sin()\n",
        "one_position_on",
        "Your sines and cosines have changed places. A shift by 0 has to be the identity.",
    ),
    shift_own_angle_for_each_column=edit(
        "    M[cosines, sines] = -turns.sin()\n    M[cosines, cosines] = turns.cos()\n",
        "    own = k * 10000.0 ** (-cosines.double() / d_model)\n    M[cosines, sines] = -own.sin()\n"
        "    M[cosines, cosines] = own.cos()\n",
        "one_position_on",
        "Your odd rows have an angle of their own. Both features of a pair have the same frequency, so a block has one angle.",
    ),
    one_step_times_k=edit(
        "turns = k * 10000.0 ** (-sines.double() / d_model)\n    M = torch.zeros(d_model, d_model, dtype=torch.float64)\n"
        "    M[sines, sines] = turns.cos()\n    M[sines, cosines] = turns.sin()\n    M[cosines, sines] = -turns.sin()\n"
        "    M[cosines, cosines] = turns.cos()\n",
        "turns = 10000.0 ** (-sines.double() / d_model)\n    M = torch.zeros(d_model, d_model, dtype=torch.float64)\n"
        "    M[sines, sines] = k * turns.cos()\n    M[sines, cosines] = k * turns.sin()\n    M[cosines, sines] = -k * turns.sin()\n"
        "    M[cosines, cosines] = k * turns.cos()\n",
        "two_positions_back",
        "Your matrix is k times that of one position on. Moving on k times is a product of k matrices; it is the angle that is k "
        "times as large.",
    ),
    shift_pairs_from_one=edit(
        TURNS,
        "turns = k * 10000.0 ** (-(sines.double() + 2) / d_model)",
        "one_position_on",
        "Your pairs are counted from 1. The first pair has i = 0, and turns by one radian from position to position.",
    ),
    ones_beside_the_diagonal=edit(
        "    return M.to(torch.get_default_dtype())",
        "    return torch.diag(torch.ones(max(d_model - abs(k), 0)), max(-d_model, min(k, d_model)))[:d_model, :d_model]",
        "shifts_of_any_size",
        "Your matrix moves entries k places along, from feature to feature. Asked for is the one that moves k positions on: it turns "
        "each pair of sine and cosine.",
    ),
)

SPEEDS = "speeds = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64, device=x.device) / d_head)"
TURN = "turn = positions[..., None] * speeds"
PER_ROW = "if positions.dim() == 2:\n        turn = turn.unsqueeze(1)"
PARTS = "even, odd = x[..., 0::2], x[..., 1::2]"
PAIRS = "pairs = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)"
ROPE_OUT = "return pairs.flatten(-2)"


def _rope(old: str, new: str, says: str, caught_by: str = "turns_at_any_positions", *twins: str) -> Edit:
    return edit(old, new, caught_by, says, *twins)


ROPE = mistakes_of(
    "apply_rope",
    angles_from_a_table_as_long_as_x=edit(
        "turn = positions[..., None] * speeds",
        "table = torch.arange(x.shape[2], device=x.device)[:, None] * speeds\n    turn = table[positions]",
        "one_vector_at_two_positions",
        "Your angles are looked up in a table that is as long as x. Positions may lie anywhere, far behind a cache too: compute the angle "
        "of each.",
    ),
    positions_not_read=_rope(
        SPEEDS,
        f"positions = torch.arange(x.shape[-2])\n    {SPEEDS}",
        "Your positions are 0, 1, 2, ..., whatever `positions` says. With a cache the one new token is not at position 0.",
    ),
    positions_from_the_first=_rope(
        SPEEDS,
        f"positions = positions - positions[..., :1]\n    {SPEEDS}",
        "Your positions are counted from the first one. Then a new token is at position 0 again, and its distance to the "
        "cached keys is lost.",
    ),
    rope_positions_from_one=_rope(
        SPEEDS,
        f"positions = positions + 1\n    {SPEEDS}",
        "Your positions are one too large. Scores would not notice, as long as everyone makes the same mistake; at "
        "position 0 nothing turns.",
    ),
    positions_only_counted=_rope(
        SPEEDS,
        f"positions = positions.argsort(-1).argsort(-1)\n    {SPEEDS}",
        "Your positions are replaced by their rank: gaps between them are lost.",
    ),
    turned_backwards=_rope(
        TURN,
        "turn = -positions[..., None] * speeds",
        "Your pairs turn the other way: the minus stands at the other sine. Scores still depend on differences only, but "
        "ahead and behind have changed places, and weights trained with the formula would no longer fit.",
    ),
    rope_sine_and_cosine_swapped=_rope(
        PAIRS,
        "pairs = torch.stack([even * sin - odd * cos, even * cos + odd * sin], dim=-1)",
        "Your sines and cosines have changed places. At position 0, where cos is 1 and sin is 0, nothing should change.",
    ),
    mirrored_instead_of_turned=_rope(
        PAIRS,
        "pairs = torch.stack([even * cos + odd * sin, even * sin - odd * cos], dim=-1)",
        "Your pairs are mirrored, not turned: at position 0 the second feature of each pair changes its sign.",
    ),
    both_signs_positive=_rope(
        PAIRS,
        "pairs = torch.stack([even * cos + odd * sin, even * sin + odd * cos], dim=-1)",
        "Your two lines both have a plus. A rotation has one minus; without it lengths change, and scores depend on more "
        "than differences.",
    ),
    halves_for_pairs=_rope(
        f"{PARTS}\n    {PAIRS}\n    {ROPE_OUT}",
        "even, odd = x.chunk(2, dim=-1)\n"
        "    return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)",
        "Your pairs are feature i and feature i + d_head / 2. Many libraries do it so; here pairs are neighbours, 2i and "
        "2i + 1. Both work, but weights trained with one do not work with the other.",
    ),
    pairs_come_back_as_halves=_rope(
        f"{PAIRS}\n    {ROPE_OUT}",
        "return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)",
        "Your pairs are turned rightly, but come back as two halves. Each feature goes back to where it came from.",
    ),
    halves_come_back_as_pairs=_rope(
        PARTS,
        "even, odd = x.chunk(2, dim=-1)",
        "Your pairs are read as halves (i with i + d_head / 2) and written as neighbours. They are neighbours on both "
        "sides.",
    ),
    frequencies_laid_out_in_halves=_rope(
        f"{PAIRS}\n    {ROPE_OUT}",
        "cos, sin = torch.cat([cos, cos], dim=-1), torch.cat([sin, sin], dim=-1)\n"
        "    partner = torch.stack([-odd, even], dim=-1).flatten(-2)\n    return x * cos + partner * sin",
        "Your pairs are neighbours, but your angles are laid out for halves: the two features of a pair turn by "
        "different angles. Repeat each angle twice in a row (repeat_interleave), not the whole list twice.",
    ),
    rope_exponent_halved=_rope(
        SPEEDS,
        "speeds = base ** (-torch.arange(d_head // 2, dtype=torch.float64) / d_head)",
        "Your exponent is i / d_head; the factor 2 is missing.",
    ),
    rope_exponent_doubled=_rope(
        SPEEDS,
        "speeds = base ** (-2 * torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)",
        "Your exponent is 4i / d_head: the step of two is there already, and the factor 2 once more.",
    ),
    rope_frequencies_of_the_figure=_rope(
        SPEEDS,
        "speeds = base ** (-torch.arange(d_head // 2, dtype=torch.float64) / max(d_head // 2 - 1, 1))",
        "Your frequencies end at 1/base, as those of timing_signal do. Here the exponent is 2i / d_head.",
    ),
    rope_frequencies_of_d_model=_rope(
        SPEEDS,
        "d_head = d_head * x.shape[1]\n    speeds = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)\n"
        "    speeds = speeds[: x.shape[-1] // 2]",
        "Your frequencies are those of d_model. Each head turns its own d_head features through all frequencies.",
    ),
    rope_frequencies_upside_down=_rope(
        SPEEDS,
        "speeds = base ** (torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)",
        "Your pairs turn ever faster; the minus in the exponent is missing.",
    ),
    all_pairs_at_one_speed=_rope(
        SPEEDS,
        "speeds = base ** (-0.0 * torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)",
        "Your pairs all turn at the same speed. Each has its own frequency.",
    ),
    rope_base_of_a_thousand=_rope(
        SPEEDS, "base = 1000 if base == 10000 else base\n    " + SPEEDS, "Your base is 1000 by default. It is 10000."
    ),
    rope_base_not_used=_rope(
        SPEEDS,
        "speeds = 10000 ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)",
        "Your formula has 10000 written into it, and the argument `base` is never read.",
        "rope_has_a_base",
    ),
    rope_in_degrees=_rope(
        TURN,
        "turn = torch.deg2rad(positions[..., None] * speeds)",
        "Your angles are taken for degrees. They are radians.",
    ),
    no_head_axis_for_positions=_rope(
        PER_ROW,
        "pass",
        "Your angles of positions (batch, time) have no axis for the heads, so the batch falls on the heads: an error if "
        "the numbers differ, and silently wrong if they are equal.",
        "every_sequence_has_its_positions",
    ),
    positions_of_the_first_sequence=_rope(
        PER_ROW,
        "if positions.dim() == 2:\n        turn = turn[0]",
        "Your positions of the first sequence are used for all of them.",
        "every_sequence_has_its_positions",
    ),
    added_instead_of_turned=_rope(
        f"{PAIRS}\n    {ROPE_OUT}",
        "return x + torch.stack([sin, cos], dim=-1).flatten(-2)",
        "Your function adds sines and cosines to x, as the sinusoidal encoding is. RoPE turns what is there: it "
        "multiplies.",
    ),
    multiplied_instead_of_turned=_rope(
        PAIRS,
        "pairs = torch.stack([even * cos, odd * sin], dim=-1)",
        "Your features are multiplied by cosine and sine one by one. Turning a pair mixes its two features.",
    ),
    only_cosines=_rope(
        PAIRS,
        "pairs = torch.stack([even * cos, odd * cos], dim=-1)",
        "Your sine terms are missing: pairs shrink, and do not turn.",
    ),
    only_half_is_turned=_rope(
        ROPE_OUT,
        "return torch.cat([pairs.flatten(-2)[..., : d_head // 2], x[..., d_head // 2 :]], dim=-1)",
        "Your function turns the first half of the features only. Some models do so on purpose; here all pairs turn.",
    ),
    second_line_reads_the_first=_rope(
        f"{PAIRS}\n    {ROPE_OUT}",
        "even = even * cos - odd * sin\n    odd = even * sin + odd * cos\n"
        "    return torch.stack([even, odd], dim=-1).flatten(-2)",
        "Your second line uses what the first has just computed. Both read the old pair.",
    ),
    turned_in_place_and_read_again=_rope(
        f"{PAIRS}\n    {ROPE_OUT}",
        "x[..., 0::2] = even * cos - odd * sin\n    x[..., 1::2] = even * sin + odd * cos\n    return x",
        "You write into x, and then read from it what you have written, where you mean what stood there before: a slice "
        "of x is only a view of it. Besides, x belongs to the caller.",
    ),
    turned_in_place=_rope(
        f"{PAIRS}\n    {ROPE_OUT}",
        "x[..., 0::2], x[..., 1::2] = even * cos - odd * sin, even * sin + odd * cos\n    return x",
        "Your function writes into the caller's x. The numbers are right, but what was handed in is gone; make a tensor "
        "of your own.",
        "turning_leaves_its_input_alone",
    ),
    pairs_still_apart=_rope(
        ROPE_OUT,
        "return pairs",
        "Your pairs still have an axis of their own: (..., d_head / 2, 2). The last two axes have yet to become one.",
    ),
    length_normalised=_rope(
        ROPE_OUT,
        "return pairs.flatten(-2) / pairs.flatten(-2).norm(dim=-1, keepdim=True)",
        "Your vectors are brought to length one. Turning keeps the length each vector has.",
    ),
    rope_cut_off=_rope(
        ROPE_OUT,
        "return pairs.detach().flatten(-2)",
        "Your vectors are turned right, but cut off from x (detach, .data or numpy), so no gradient gets past them.",
        "gradients_turn_back",
    ),
    neighbours_angles_for_halves=edit(
        "pairs = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)\n    return pairs.flatten(-2)",
        "cos, sin = cos.repeat_interleave(2, dim=-1), sin.repeat_interleave(2, dim=-1)\n"
        "    first, second = x.chunk(2, dim=-1)\n"
        "    return x * cos + torch.cat([-second, first], dim=-1) * sin",
        "turns_at_any_positions",
        "Your angles are laid out for neighbours, each one twice in a row, but what is turned are halves: "
        "(-x2, x1). Take one layout for both; here pairs are neighbours.",
    ),
    rope_pairs_from_one=edit(
        SPEEDS,
        "speeds = base ** (-torch.arange(2, d_head + 2, 2, dtype=torch.float64, device=x.device) / d_head)",
        "one_vector_at_two_positions",
        "Your pairs are counted from 1. The first pair has i = 0, and turns by one radian from position to position.",
    ),
    rope_whole_turns=edit(
        TURN,
        "turn = 2 * torch.pi * positions[..., None] * speeds",
        "one_vector_at_two_positions",
        "Your angles have a factor of 2 pi. Position times frequency is an angle in radians already.",
    ),
    positions_counted_on_from_the_first=edit(
        "turn = positions[..., None] * speeds",
        "turn = (positions[..., :1] + torch.arange(x.shape[2], device=x.device))[..., None] * speeds",
        "one_vector_at_two_positions",
        "You take the first position as it is, and count on from there. Positions may have gaps; read each of them.",
    ),
    rope_divides_by_d_head_behind=edit(
        "speeds = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64, device=x.device) / d_head)",
        "speeds = 1 / (base ** torch.arange(0, d_head, 2, dtype=torch.float64, device=x.device) / d_head)",
        "one_vector_at_two_positions",
        "Your power is divided by d_head. In the formula d_head stands in the exponent.",
    ),
    both_signs_negative=_rope(
        PAIRS,
        "pairs = torch.stack([even * cos - odd * sin, even * sin - odd * cos], dim=-1)",
        "Your two lines both have a minus. A rotation has one: at position 0 the second feature of each pair changes its sign.",
    ),
    pair_written_in_the_other_order=_rope(
        PAIRS,
        "pairs = torch.stack([even * sin + odd * cos, even * cos - odd * sin], dim=-1)",
        "Your pairs are turned rightly, but the two features of each come back in the other order. At position 0 nothing should "
        "change.",
    ),
    head_axis_behind_time=_rope(
        PER_ROW,
        "if positions.dim() == 2:\n        turn = turn.unsqueeze(2)",
        "Your angles of positions (batch, time) get their axis for the heads behind time. x is (batch, heads, time, d_head), so it "
        "belongs right after the batch.",
        "each_sequence_at_its_own_positions",
    ),
    rope_exponent_doubled_and_floored=_rope(
        SPEEDS,
        "speeds = base ** (-(2 * torch.arange(0, d_head, 2, device=x.device) // d_head).double())",
        "Your exponent is a whole-number division of twice the column, so it is 0 for half of the pairs and 1 for the others. The "
        "column over d_head is a fraction; divide with `/`, and without the factor 2.",
    ),
    rope_exponent_floored=_rope(
        SPEEDS,
        "speeds = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64, device=x.device) // d_head)",
        "Your exponent is a whole-number division, so it is no fraction any more. Divide with `/`.",
    ),
    heads_read_as_time=_rope(
        "    if positions.dim() == 2:\n        turn = turn.unsqueeze(1)\n",
        "    turn = turn.unsqueeze(-2)\n",
        "Your x is read as (batch, time, heads, d_head), as in LLaMA's code. Here the heads come before time, so angles need their "
        "axis of length one in front of time.",
    ),
    one_range_for_all_heads=_rope(
        SPEEDS,
        "heads, positions = x.shape[-3], positions.unsqueeze(1) if positions.dim() == 2 else positions\n"
        "    places = torch.arange(0, heads * d_head, 2, dtype=torch.float64, device=x.device)\n"
        "    speeds = (base ** (-places / (heads * d_head))).view(heads, 1, -1)",
        "Your frequencies run over the features of all heads together, so later heads turn slower. Each head has the whole range of "
        "frequencies of its own d_head features.",
        "two_heads_turn_alike",
    ),
)


MISCONCEPTIONS = (
    *SPLIT,
    *MERGE,
    *PROJECTIONS,
    *SCALES,
    *SHARES,
    *MASKS,
    *JOINS,
    *SINUSOID,
    *TIMING,
    *SHIFT,
    *ROPE,
)
