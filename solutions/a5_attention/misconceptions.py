"""Known mistakes of a5_attention, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.mistakes import edit, mistakes_of

AVERAGE = mistakes_of(
    "average_context",
    divides_by_the_root_of_the_count=edit(
        "return running / counts",
        "return running / np.sqrt(counts)",
        "averages_of_any_shape",
        "Your sums are divided by the root of how many tokens were read. A mean divides by their number itself.",
    ),
    divides_by_T=edit(
        "return running / counts",
        "return running / x.shape[-2]",
        "averages_of_any_shape",
        "Your sums are all divided by the length of the whole sequence. At position i only i tokens have been "
        "read so far, so your early averages come out too small.",
    ),
    sum_not_mean=edit(
        "return running / counts",
        "return running",
        "averages_of_any_shape",
        "Your output is the running sum, not the mean: it grows with every token that is read.",
    ),
    average_excludes_self=edit(
        "return running / counts",
        "return (running - x) / np.maximum(counts - 1, 1)",
        "averages_of_any_shape",
        "Your average at position i stops at the token before it. A position belongs to its own context; look at "
        "what your first position gets.",
        "average_of_nothing_first",
    ),
    average_of_nothing_first=edit(
        "return running / counts",
        "return (running - x) / (counts - 1)",
        "averages_of_any_shape",
        "Your average at position i stops at the token before it, so the first one averages nothing. A position belongs "
        "to its own context.",
        "average_excludes_self",
    ),
    average_counts_self_but_skips_it=edit(
        "return running / counts",
        "return (running - x) / counts",
        "averages_of_any_shape",
        "Your sum leaves out the present token while your divisor counts it. Check which tokens a slice up to i "
        "takes in.",
    ),
    counts_from_zero=edit(
        "np.arange(1, x.shape[-2] + 1)",
        "np.arange(x.shape[-2])",
        "averages_of_any_shape",
        "Your divisor starts at zero, so the first position is divided by nothing. Positions are numbered from 1 "
        "in the formula and from 0 in Python.",
    ),
    counts_one_too_many=edit(
        "np.arange(1, x.shape[-2] + 1)",
        "np.arange(2, x.shape[-2] + 2)",
        "one_token_averages_to_itself",
        "Your divisor is one too large everywhere: the very first token comes back halved.",
    ),
    averages_along_the_second_axis=edit(
        "counts = np.arange(1, x.shape[-2] + 1)[:, None]\n    running = np.cumsum(x, axis=-2)\n    return running / counts",
        "axis = min(1, x.ndim - 2)\n    counts = np.arange(1, x.shape[axis] + 1).reshape(-1, *[1] * (x.ndim - 1 - axis))\n"
        "    return np.cumsum(x, axis=axis) / counts",
        "averages_of_any_shape",
        "Your means run along axis 1, which is time only behind a single axis for the batch. Time is the axis before the last, however "
        "many stand in front.",
    ),
    averages_whole_sequence=edit(
        "running = np.cumsum(x, axis=-2)",
        "running = x.sum(axis=-2, keepdims=True) * counts / x.shape[-2]",
        "averages_ignore_the_future",
        "All your positions get the mean of the whole sequence, so it also knows the tokens still to come. "
        "Each position has a mean of its own.",
    ),
    averages_the_future=edit(
        "return running / counts",
        "return (np.cumsum(x[..., ::-1, :], axis=-2) / counts)[..., ::-1, :]",
        "averages_ignore_the_future",
        "Your average runs from the present token to the end. Context is what came before.",
    ),
    averages_over_features=edit(
        "running = np.cumsum(x, axis=-2)",
        "running = np.cumsum(x, axis=-1)",
        "averages_of_any_shape",
        "Your running sum goes along the features of one token. It is the positions that are averaged; features "
        "stay apart.",
    ),
    averages_over_first_axis=edit(
        "running = np.cumsum(x, axis=-2)",
        "running = np.cumsum(x, axis=0)",
        "averages_of_any_shape",
        "Your running sum goes along the first axis. Without a batch that is time; with one, you are averaging "
        "different sequences. Count axes from the end.",
    ),
    averages_over_second_axis=edit(
        "running = np.cumsum(x, axis=-2)",
        "running = np.cumsum(x, axis=1)",
        "averages_of_any_shape",
        "Your running sum goes along axis 1, which is time only when exactly one axis stands in front of it. "
        "Count axes from the end.",
    ),
    returns_last_average_only=edit(
        "return running / counts",
        "return running[..., -1, :] / x.shape[-2]",
        "averages_of_any_shape",
        "Your function returns one vector, the average at the last position. Every position needs one.",
    ),
    averages_in_place=edit(
        "running = np.cumsum(x, axis=-2)",
        "running = np.cumsum(x, axis=-2, out=x)",
        "averaging_leaves_its_input_alone",
        "Your running sum is written into the caller's array: the averages are right, but the tokens are gone.",
    ),
    running_mean_of_two=edit(
        "return running / counts",
        "means = [x[..., 0, :]]\n    for t in range(1, x.shape[-2]):\n"
        "        means.append((means[-1] + x[..., t, :]) / 2)\n    return np.stack(means, axis=-2)",
        "averages_take_a_batch",
        "Your mean is that of the mean so far and the new vector, so the newest token always counts for half. The mean so far "
        "stands for several tokens; all of them count the same.",
    ),
    averages_the_last_two=edit(
        "return running / counts",
        "running[..., 2:, :] = running[..., 2:, :] - running[..., :-2, :]\n    return running / np.minimum(counts, 2)"
        " if x.shape[-2] > 1 else running",
        "monkey_attempt_one",
        "Your mean goes back one token only. It takes in everything that was read so far.",
    ),
    running_mean_counts_from_zero=edit(
        "return running / counts",
        "means = [x[..., 0, :]]\n    for t in range(1, x.shape[-2]):\n"
        "        means.append(means[-1] + (x[..., t, :] - means[-1]) / t)\n    return np.stack(means, axis=-2)",
        "averages_take_a_batch",
        "Your running mean divides by the number of vectors before the new one, without the new one itself. So the second "
        "position forgets the first.",
    ),
    averages_normalised_by_column=edit(
        "return running / counts",
        "past = np.tri(x.shape[-2])\n    return past / past.sum(axis=0, keepdims=True) @ x",
        "averages_take_a_batch",
        "Your triangle of ones is divided by the sums of its columns, so the shares of one position do not sum to one. Which "
        "axis runs over the vectors that are averaged?",
    ),
    counts_along_the_features=edit(
        "np.arange(1, x.shape[-2] + 1)[:, None]",
        "np.arange(1, x.shape[-2] + 1)",
        "monkey_attempt_one",
        "Your counts have one axis only, so they line up with the features, which are last. They belong to the positions: "
        "give the counts an axis of length one behind.",
    ),
    averages_read_one_token_ahead=edit(
        "return running / counts",
        "return np.stack([x[..., : i + 2, :].mean(axis=-2) for i in range(x.shape[-2])], axis=-2)",
        "averages_take_a_batch",
        "Your mean takes in one token too many, the one right after each position. Check where your slice ends.",
    ),
    averages_written_over_the_tokens=edit(
        "return running / counts",
        "x[...] = running / counts\n    return x",
        "averages_leave_the_tokens_alone",
        "Your averages are written into the caller's array: they are right, but the tokens are gone.",
    ),
    counts_from_the_first_axis=edit(
        "np.arange(1, x.shape[-2] + 1)",
        "np.arange(1, x.shape[0] + 1)",
        "averages_take_a_batch",
        "Your counts are as many as the first axis is long. That is time only as long as no batch stands in front; count from "
        "the end.",
    ),
    averages_of_the_first_axis_so_far=edit(
        "return running / counts",
        "return np.stack([x[: i + 1].mean(axis=0) for i in range(x.shape[0])])",
        "averages_take_a_batch",
        "Your loop and your slices go along the first axis. Without a batch that is time; with one, you are averaging "
        "different sequences. Count axes from the end.",
    ),
    averages_stacked_in_front=edit(
        "return running / counts",
        "return np.stack([x[..., : i + 1, :].mean(axis=-2) for i in range(x.shape[-2])])",
        "averages_take_a_batch",
        "Your averages are right, but they are stacked along a new first axis, in front of the batch. Time is the axis before "
        "last.",
    ),
)

SIMILARITY = mistakes_of(
    "similarity_context",
    similarity_of_unit_keys=edit(
        "similarities = attention_scores(x, x)",
        "similarities = attention_scores(x, x / np.linalg.norm(x, axis=-1, keepdims=True))",
        "similarities_of_any_shape",
        "Your tokens that are read are brought to length one before the dot product. How long they are counts here, on both sides.",
    ),
    near_is_similar=edit(
        "similarities = attention_scores(x, x)",
        "apart = x[..., :, None, :] - x[..., None, :, :]\n    similarities = -(apart**2).sum(-1) / 2 / np.sqrt(x.shape[-1])",
        "similarities_of_any_shape",
        "Your similarity is how near two vectors are, as in a Gaussian kernel. Here it is their dot product over sqrt(d), which also grows "
        "with how long they are.",
    ),
    similarity_without_scale=edit(
        "similarities = attention_scores(x, x)",
        "similarities = x @ np.swapaxes(x, -1, -2)",
        "similarities_of_any_shape",
        "Your similarities are plain dot products. Without the scale in the formula they grow with the number of "
        "features, and the softmax turns into a hard choice.",
    ),
    similarity_divides_by_d=edit(
        "similarities = attention_scores(x, x)",
        "similarities = x @ np.swapaxes(x, -1, -2) / x.shape[-1]",
        "similarities_of_any_shape",
        "Your similarities are divided by the number of features itself. Look at the formula's scale once more: "
        "you flatten the shares towards a plain average.",
    ),
    similarity_divides_by_sqrt_T=edit(
        "similarities = attention_scores(x, x)",
        "similarities = x @ np.swapaxes(x, -1, -2) / np.sqrt(T)",
        "similarities_of_any_shape",
        "Your scale follows the length of the sequence. What makes dot products large is the number of features "
        "that are summed.",
    ),
    similarity_multiplies_by_scale=edit(
        "similarities = attention_scores(x, x)",
        "similarities = x @ np.swapaxes(x, -1, -2) * np.sqrt(x.shape[-1])",
        "similarities_of_any_shape",
        "Your similarities are multiplied by the scale. It is there to make them smaller.",
    ),
    cosine_for_dot_product=edit(
        "similarities = attention_scores(x, x)",
        "unit = x / np.linalg.norm(x, axis=-1, keepdims=True)\n    similarities = unit @ np.swapaxes(unit, -1, -2)",
        "similarities_of_any_shape",
        "Your similarities are cosines: every vector was brought to length one first. The formula takes the dot "
        "product, in which a longer vector counts for more.",
        "cosine_and_the_root",
    ),
    cosine_and_the_root=edit(
        "similarities = attention_scores(x, x)",
        "unit = x / np.linalg.norm(x, axis=-1, keepdims=True)\n    similarities = attention_scores(unit, unit)",
        "similarities_of_any_shape",
        "Your similarities are cosines, divided by the root as well: every vector was brought to length one first. The "
        "formula takes the dot product, in which a longer vector counts for more.",
        "cosine_for_dot_product",
    ),
    similarity_sees_future=edit(
        "shares = attention_weights(similarities, past)",
        "shares = attention_weights(similarities)",
        "similarities_ignore_the_future",
        "Your positions also read what comes after them. The sum in the formula ends at the present position.",
    ),
    similarity_excludes_self=edit(
        "past = causal_mask(T, T)",
        "past = np.tri(T, k=-1, dtype=bool)",
        "similarities_of_any_shape",
        "Your positions do not read themselves, which leaves the first one with nothing to read. The present "
        "position belongs to its own context.",
    ),
    similarity_sees_next=edit(
        "past = causal_mask(T, T)",
        "past = np.tri(T, k=1, dtype=bool)",
        "similarities_of_any_shape",
        "Your positions read one token too many: the one right after them. Check where your slice ends.",
    ),
    similarity_reads_only_future=edit(
        "past = causal_mask(T, T)",
        "past = np.tri(T, dtype=bool).T",
        "similarities_ignore_the_future",
        "Your positions read themselves and what comes after. Past and future have changed places in your mask.",
    ),
    similarity_without_softmax=edit(
        "shares = attention_weights(similarities, past)",
        "shares = similarities * past",
        "similarities_of_any_shape",
        "Your weights are the similarities themselves: they may be negative, and do not sum to one. Something has "
        "to turn them into shares.",
    ),
    similarity_divided_by_count=edit(
        "shares = attention_weights(similarities, past)",
        "shares = similarities * past / np.arange(1, T + 1)[:, None]",
        "similarities_of_any_shape",
        "Your similarities are divided by how many tokens were read, as in attempt one. That does not make them "
        "shares: they still can be negative and sum to anything.",
    ),
    similarity_divided_by_sum=edit(
        "shares = attention_weights(similarities, past)",
        "shares = similarities * past / (similarities * past).sum(axis=-1, keepdims=True)",
        "similarities_of_any_shape",
        "Your shares are similarities divided by their sum, without the exponential. They sum to one, but they "
        "can be negative, and a sum near zero makes them explode.",
    ),
    similarity_masks_after_softmax=edit(
        "shares = attention_weights(similarities, past)",
        "shares = attention_weights(similarities) * past",
        "similarities_ignore_the_future",
        "Your softmax still runs over all positions, and the future is cut off afterwards: the shares that remain "
        "do not sum to one, and what is to come decides by how much.",
    ),
    similarity_scores_future_zero=edit(
        "shares = attention_weights(similarities, past)",
        "shares = attention_weights(similarities * past)",
        "similarities_of_any_shape",
        "Your future positions have a score of zero. The exponential of zero is one, so they still get a share.",
    ),
    similarity_softmax_over_rows=edit(
        "shares = attention_weights(similarities, past)",
        "shares = np.swapaxes(attention_weights(np.swapaxes(similarities, -1, -2), past.T), -1, -2)",
        "similarities_of_any_shape",
        "Your shares sum to one down each column, over the positions that read. It is each reading position that "
        "has a total of one to share out.",
    ),
    similarity_overflows=edit(
        "shares = attention_weights(similarities, past)",
        "raised = np.exp(similarities) * past\n    shares = raised / raised.sum(axis=-1, keepdims=True)",
        "long_vectors_do_not_overflow",
        "Your exponential overflows when vectors are long, and infinity divided by infinity is no number. A "
        "softmax stays the same when a constant is taken off the whole row.",
    ),
    returns_shares=edit(
        "return shares @ x",
        "return shares",
        "similarities_of_any_shape",
        "Your function returns the shares. They are the recipe; the mixture of the vectors is still to be made.",
    ),
    similarity_shares_transposed=edit(
        "return shares @ x",
        "return np.swapaxes(shares, -1, -2) @ x",
        "similarities_ignore_the_future",
        "Your shares are transposed before they mix the vectors, so a position is given out where it should read, "
        "and the future comes in.",
    ),
    similarity_adds_token=edit(
        "return shares @ x",
        "return x + shares @ x",
        "similarities_of_any_shape",
        "Your output adds the token once more to its mixture. That residual comes with the whole Transformer; "
        "here the token already has its own share.",
    ),
    similarity_in_place=edit(
        "return shares @ x",
        "x[...] = shares @ x\n    return x",
        "comparing_leaves_its_input_alone",
        "Your outputs are written over the caller's tokens. Put them into an array of their own.",
    ),
    similarity_mixes_scaled_tokens=edit(
        "return shares @ x",
        "return shares @ (x / x.shape[-1] ** 0.25)",
        "similarities_take_a_batch",
        "Your tokens are scaled before they are mixed. The scale belongs to the scores; the mixture is made of the tokens as "
        "they are.",
        "similarity_mixes_tokens_over_root",
    ),
    similarity_mixes_tokens_over_root=edit(
        "return shares @ x",
        "return shares @ (x / np.sqrt(x.shape[-1]))",
        "similarities_take_a_batch",
        "Your tokens are divided by the scale before they are mixed. The scale belongs to the scores; the mixture is made of "
        "the tokens as they are.",
        "similarity_mixes_scaled_tokens",
    ),
    similarity_reads_its_own_outputs=edit(
        "return shares @ x",
        "out = x.copy()\n    for i in range(T):\n        seen = out[..., : i + 1, :]\n"
        "        row = attention_weights(attention_scores(out[..., i : i + 1, :], seen))\n"
        "        out[..., i : i + 1, :] = row @ seen\n    return out",
        "similarities_take_a_batch",
        "Your outputs are written where the tokens are still read, so later positions compare themselves with outputs. Keep "
        "the tokens and the outputs in two arrays.",
    ),
    similarity_asks_with_the_average=edit(
        "similarities = attention_scores(x, x)",
        "similarities = attention_scores(average_context(x), x)",
        "similarities_take_a_batch",
        "Your scores compare the tokens with the average so far. In attempt two each position asks with its own vector.",
    ),
    similarity_by_distance=edit(
        "similarities = attention_scores(x, x)",
        "between = x[..., :, None, :] - x[..., None, :, :]\n    similarities = -(between**2).sum(axis=-1) / np.sqrt(x.shape[-1])",
        "similarities_take_a_batch",
        "Your similarity is a distance between the vectors. The formula takes their dot product, in which a longer vector "
        "counts for more.",
    ),
    similarity_subtracts_its_own_score=edit(
        "shares = attention_weights(similarities, past)",
        "hidden = np.where(past, similarities, -np.inf)\n"
        "    raised = np.exp(hidden - np.diagonal(similarities, axis1=-2, axis2=-1)[..., None])\n"
        "    shares = raised / raised.sum(axis=-1, keepdims=True)",
        "a_short_token_after_long_ones",
        "Your softmax takes off the score of each token with itself. A longer token before it may have a larger score; take "
        "off the largest of the row.",
    ),
    similarity_subtracts_the_first_score=edit(
        "shares = attention_weights(similarities, past)",
        "hidden = np.where(past, similarities, -np.inf)\n"
        "    raised = np.exp(hidden - similarities[..., :1])\n"
        "    shares = raised / raised.sum(axis=-1, keepdims=True)",
        "a_short_token_after_long_ones",
        "Your softmax takes off the first score of each row. Others may be far above it; take off the largest of the row.",
    ),
    similarity_subtracts_the_largest_magnitude=edit(
        "shares = attention_weights(similarities, past)",
        "hidden = np.where(past, similarities, -np.inf)\n"
        "    raised = np.exp(hidden - np.abs(np.where(past, similarities, 0.0)).max(axis=-1, keepdims=True))\n"
        "    shares = raised / raised.sum(axis=-1, keepdims=True)",
        "a_short_token_after_long_ones",
        "Your softmax takes off the largest absolute value of each row. Where that is the size of a negative score, all "
        "exponentials become zero.",
    ),
    similarity_future_in_the_maximum=edit(
        "shares = attention_weights(similarities, past)",
        "raised = np.exp(similarities - similarities.max(axis=-1, keepdims=True)) * past\n"
        "    shares = raised / raised.sum(axis=-1, keepdims=True)",
        "a_long_token_comes_later",
        "Your softmax takes off the largest score of all positions, also of those to come. Where one to come is far above the others, all "
        "that may be read become zero, and zero divided by zero is no number. Hide the future first.",
    ),
    similarity_maximum_of_the_batch=edit(
        "shares = attention_weights(similarities, past)",
        "hidden = np.where(past, similarities, -np.inf)\n"
        "    top = hidden.max(axis=tuple(set(range(x.ndim)) - {x.ndim - 2}), keepdims=True)\n"
        "    raised = np.exp(hidden - top)\n"
        "    shares = raised / raised.sum(axis=-1, keepdims=True)",
        "a_short_token_after_long_ones",
        "Your softmax takes off one maximum for all sequences of the batch. Beside a sequence of long tokens, all "
        "exponentials of another one may become zero. Each row has its own.",
    ),
    similarity_keeps_its_exponentials=edit(
        "shares = attention_weights(similarities, past)",
        "hidden = np.where(past, similarities, -np.inf)\n    shares = np.exp(hidden - hidden.max(axis=-1, keepdims=True))",
        "similarities_take_a_batch",
        "Your exponentials are not divided by their sum, so the shares of a position do not sum to one.",
    ),
    similarity_clipped=edit(
        "shares = attention_weights(similarities, past)",
        "raised = np.exp(np.clip(similarities, -700, 700)) * past\n    shares = raised / raised.sum(axis=-1, keepdims=True)",
        "tokens_forty_times_as_long",
        "Your scores are clipped so that the exponential does not overflow. Then scores beyond the bound all become equal. "
        "Which number may be taken off a row without any change?",
    ),
    similarity_without_a_batch=edit(
        "past = causal_mask(T, T)",
        "T = x.shape[0]\n    past = causal_mask(T, T)",
        "similarities_take_a_batch",
        "Your code fits an x without a batch. With one, axis 0 is not time, and what was one vector is a vector for each "
        "sequence: count axes from the end.",
    ),
    zeros_taken_for_the_future=edit(
        "    similarities = attention_scores(x, x)\n",
        "    similarities = attention_scores(x, x)\n    similarities = np.where(similarities == 0, -1e9, similarities)\n",
        "similarities_take_a_batch",
        "Your mask hides every similarity that is 0, also of tokens of the past that have nothing in common. What is hidden is a "
        "matter of places, not of numbers.",
    ),
    own_vector_left_out_of_the_mixture=edit(
        "return shares @ x",
        "return (shares * (1 - np.eye(T))) @ x",
        "similarities_take_a_batch",
        "Your mixture leaves out the vector of the position itself, which has a share of its own in the softmax.",
    ),
    scaled_by_how_much_was_read=edit(
        "    similarities = attention_scores(x, x)\n",
        "    similarities = attention_scores(x, x) * np.sqrt(x.shape[-1] / np.arange(1, T + 1))[:, None]\n",
        "similarities_take_a_batch",
        "Your scores are divided by the root of the number of vectors so far. A dot product is a sum over d, so the root of d is "
        "what keeps its size.",
    ),
)

PROJECT = mistakes_of(
    "project_qkv",
    keys_scaled_early=edit(
        "K = X @ W_k",
        "K = X @ W_k / np.sqrt(W_k.shape[-1])",
        "projections_of_any_shape",
        "Your keys are divided by sqrt(d_k). The scale is that of the scores, and comes in attention_scores, once.",
    ),
    one_matrix_for_queries_and_keys=edit(
        "K = X @ W_k",
        "K = X @ W_q",
        "projections_of_any_shape",
        "Your keys come from the matrix of the queries. Asking and being found are two roles, and each has its "
        "own matrix.",
    ),
    queries_from_W_k=edit(
        "Q = X @ W_q",
        "Q = X @ W_k",
        "projections_of_any_shape",
        "Your queries come from the matrix of the keys. Each role has its own matrix.",
    ),
    values_from_W_q=edit(
        "V = X @ W_v",
        "V = X @ W_q",
        "projections_of_any_shape",
        "Your values come from the matrix of the queries, and have its width. What a position hands on has a "
        "matrix of its own.",
    ),
    values_from_W_k=edit(
        "V = X @ W_v",
        "V = X @ W_k",
        "projections_of_any_shape",
        "Your values come from the matrix of the keys. What a position is found by and what it hands on are two "
        "things.",
    ),
    values_not_projected=edit(
        "V = X @ W_v",
        "V = X",
        "projections_of_any_shape",
        "Your values are the input itself. Values are projected, too.",
    ),
    values_projected_from_keys=edit(
        "V = X @ W_v",
        "V = K @ W_v",
        "square_matrices_are_not_transposed",
        "Your values are projected from the keys, one after the other. All three are made from X, side by side.",
    ),
    keys_projected_from_queries=edit(
        "K = X @ W_k",
        "K = Q @ W_k",
        "square_matrices_are_not_transposed",
        "Your keys are projected from the queries, one after the other. All three are made from X, side by side.",
    ),
    returns_keys_first=edit(
        "    return Q, K, V\n    # END SOLUTION\n\n\ndef attention_scores",
        "    return K, Q, V\n    # END SOLUTION\n\n\ndef attention_scores",
        "projections_of_any_shape",
        "Your keys come back first and your queries second. The order agreed on is Q, K, V.",
    ),
    returns_values_before_keys=edit(
        "    return Q, K, V\n    # END SOLUTION\n\n\ndef attention_scores",
        "    return Q, V, K\n    # END SOLUTION\n\n\ndef attention_scores",
        "projections_of_any_shape",
        "Your values come back second and your keys third. The order agreed on is Q, K, V.",
    ),
    weights_transposed_in_projection=edit(
        "    Q = X @ W_q\n    K = X @ W_k\n    V = X @ W_v\n",
        "    Q = X @ W_q.T\n    K = X @ W_k.T\n    V = X @ W_v.T\n",
        "square_matrices_are_not_transposed",
        "Your matrices are transposed before they are applied. In this assignment they are stored as "
        "(d_model, d_k) and multiply X from the right, as the formula is printed.",
    ),
    scales_while_projecting=edit(
        "Q = X @ W_q",
        "Q = X @ W_q / np.sqrt(W_q.shape[-1])",
        "projections_of_any_shape",
        "Your queries are scaled already while they are projected. That is sound mathematics in the end, but "
        "`project_qkv` promises the plain projections, and the scores would be scaled twice.",
    ),
    fused_projection_split_in_equal_parts=edit(
        "    Q = X @ W_q\n    K = X @ W_k\n    V = X @ W_v\n",
        "    Q, K, V = np.split(X @ np.concatenate([W_q, W_k, W_v], axis=-1), 3, axis=-1)\n",
        "widths_come_from_the_matrices",
        "Your three results are cut from one product in equal parts. Values may be wider than queries and keys: cut where each matrix ends.",
    ),
    fused_projection_cut_in_thirds=edit(
        "    Q = X @ W_q\n    K = X @ W_k\n    V = X @ W_v\n",
        "    together = X @ np.concatenate([W_q, W_k, W_v], axis=-1)\n    part = together.shape[-1] // 3\n"
        "    Q, K, V = together[..., :part], together[..., part : 2 * part], together[..., 2 * part :]\n",
        "widths_come_from_the_matrices",
        "You multiply with all three matrices at once and cut the result into three equal parts. Values may have another "
        "width than queries and keys, so the cuts belong elsewhere.",
    ),
    projections_flattened=edit(
        "    Q = X @ W_q\n    K = X @ W_k\n    V = X @ W_v\n",
        "    X = X.reshape(-1, X.shape[-1])\n    Q = X @ W_q\n    K = X @ W_k\n    V = X @ W_v\n",
        "widths_come_from_the_matrices",
        "Your positions of all sequences come back in one long list. The axes in front of X are to stay as they are; `@` "
        "carries them along.",
    ),
    matrices_from_the_left=edit(
        "    Q = X @ W_q\n    K = X @ W_k\n    V = X @ W_v\n",
        "    Q = W_q @ X\n    K = W_k @ X\n    V = W_v @ X\n",
        "pizza_projections",
        "Your matrices stand on the left of X. Positions are the rows of X here, so the matrices multiply from the right.",
    ),
    scale_taken_into_the_projections=edit(
        "return Q, K, V",
        "return Q / Q.shape[-1] ** 0.25, K / K.shape[-1] ** 0.25, V",
        "pizza_projections",
        "Your Q and K are divided by the fourth root of d_k. In the product that is the usual scale; here projections are products "
        "and nothing else, and the scores are scaled later.",
    ),
)

SCORES = mistakes_of(
    "attention_scores",
    scale_with_one_more=edit(
        "return dots / np.sqrt(d_k)",
        "return dots / np.sqrt(d_k + 1)",
        "scores_of_any_shape",
        "Your scores are divided by sqrt(d_k + 1). Nothing is added under the root.",
    ),
    power_before_the_division=edit(
        "return dots / np.sqrt(d_k)",
        "return dots / d_k**1 / 2",
        "scores_of_any_shape",
        "Your scores are divided by d_k and by 2: a power comes before a division, so `d_k ** 1/2` is d_k / 2 or, behind "
        "another division, 1 / d_k / 2. The root is `d_k ** 0.5`.",
    ),
    scores_rounded_down=edit(
        "return dots / np.sqrt(d_k)",
        "return dots // np.sqrt(d_k)",
        "scores_of_any_shape",
        "Your scores are whole numbers: `//` divides and rounds down. A division of real numbers is `/`.",
    ),
    no_scale=edit(
        "return dots / np.sqrt(d_k)",
        "return dots",
        "scores_of_any_shape",
        "Your scores are the plain dot products; they are not divided by sqrt(d_k). Their spread grows with d_k, "
        "and the softmax after them saturates.",
    ),
    scale_by_d_k=edit(
        "return dots / np.sqrt(d_k)",
        "return dots / d_k",
        "scale_follows_the_query_length",
        "Your scores are divided by d_k itself. A sum of d_k independent terms spreads like the square root of "
        "their number, so you flatten them too much.",
    ),
    scale_multiplied=edit(
        "return dots / np.sqrt(d_k)",
        "return dots * np.sqrt(d_k)",
        "scores_of_any_shape",
        "Your scores are multiplied by sqrt(d_k), which makes large dot products still larger.",
    ),
    scale_by_sqrt_keys=edit(
        "return dots / np.sqrt(d_k)",
        "return dots / np.sqrt(K.shape[-2])",
        "scores_of_any_shape",
        "Your scores are divided by the square root of the number of keys. The scale makes up for how many "
        "features a dot product sums, not for how many keys there are.",
    ),
    scale_by_sqrt_queries=edit(
        "return dots / np.sqrt(d_k)",
        "return dots / np.sqrt(Q.shape[-2])",
        "scores_of_any_shape",
        "Your scores are divided by the square root of the number of queries; you may have taken the wrong axis "
        "of Q's shape for d_k.",
    ),
    scale_from_first_axis=edit(
        "return dots / np.sqrt(d_k)",
        "return dots / np.sqrt(Q.shape[1])",
        "scores_of_any_shape",
        "Your d_k is read from axis 1 of Q. That is the number of features only as long as no axis stands in "
        "front; count from the end.",
    ),
    scale_on_both_sides=edit(
        "dots = Q @ np.swapaxes(K, -1, -2)",
        "dots = (Q / np.sqrt(d_k)) @ np.swapaxes(K, -1, -2) / d_k**0.5",
        "scores_of_any_shape",
        "Your scores are scaled more than once: queries, keys or dot products each got a factor of their own. "
        "Count how often you divide in all.",
    ),
    keys_ask_queries=edit(
        "dots = Q @ np.swapaxes(K, -1, -2)",
        "dots = K @ np.swapaxes(Q, -1, -2)",
        "rows_are_queries",
        "Your rows belong to the keys and your columns to the queries. Each query gets a row of scores.",
    ),
    transposes_every_axis_but_of_three=edit(
        "dots = Q @ np.swapaxes(K, -1, -2)",
        "dots = Q @ (np.swapaxes(K, -1, -2) if K.ndim == 3 else K.T)",
        "scores_take_a_batch",
        "Your `.T` turns all axes around where the keys have four of them, batch and heads among them. Only the last two change places, "
        "however many stand in front.",
    ),
    transposes_every_axis=edit(
        "dots = Q @ np.swapaxes(K, -1, -2)",
        "dots = Q @ K.T",
        "scores_of_any_shape",
        "Your `.T` reverses all axes of K. With a batch in front, its axis ends up last; only the last two may "
        "trade places.",
    ),
    dot_mixes_the_batch=edit(
        "dots = Q @ np.swapaxes(K, -1, -2)",
        "dots = np.dot(Q, np.swapaxes(K, -1, -2))",
        "scores_of_any_shape",
        "Your `np.dot` lets the queries of one sequence meet the keys of all the others as soon as there is a "
        "batch axis. Look up how `np.dot` and `np.matmul` differ beyond two axes.",
    ),
    multiplies_entry_by_entry=edit(
        "dots = Q @ np.swapaxes(K, -1, -2)",
        "dots = (Q * K).sum(axis=-1)",
        "rows_are_queries",
        "Your queries each meet only the key at their own position. Every query has to meet every key.",
    ),
    scores_already_softmaxed=edit(
        "return dots / np.sqrt(d_k)",
        "return attention_weights(dots / np.sqrt(d_k))",
        "scores_of_any_shape",
        "Your scores went through the softmax already. That is the next function's work, and it needs the raw "
        "scores to apply a mask.",
    ),
    scores_are_cosines=edit(
        "return dots / np.sqrt(d_k)",
        "lengths = np.linalg.norm(Q, axis=-1)[..., :, None] * np.linalg.norm(K, axis=-1)[..., None, :]\n"
        "    return dots / lengths",
        "scores_of_any_shape",
        "Your dot products are divided by the lengths of the two vectors, which makes cosines of them. sqrt(d_k) "
        "is one number, the same for every pair.",
    ),
    keys_reshaped_not_transposed=edit(
        "dots = Q @ np.swapaxes(K, -1, -2)",
        "dots = Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])",
        "scores_of_any_shape",
        "Your keys are brought into the shape of their transpose by a reshape, which mixes features of "
        "different keys. Swap the last two axes.",
    ),
    scale_rounded_down=edit(
        "return dots / np.sqrt(d_k)",
        "return dots / int(np.sqrt(d_k))",
        "pizza_scores",
        "Your root of d_k is rounded down to a whole number. The scale need not be one.",
    ),
    queries_scaled_in_place=edit(
        "dots = Q @ np.swapaxes(K, -1, -2)\n    return dots / np.sqrt(d_k)",
        "Q /= np.sqrt(d_k)\n    return Q @ np.swapaxes(K, -1, -2)",
        "scores_leave_the_vectors_alone",
        "Your scale is divided into the caller's queries. The scores are right once, but the next call finds the queries "
        "already scaled.",
    ),
    scores_of_negative_distance=edit(
        "dots = Q @ np.swapaxes(K, -1, -2)",
        "dots = -((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(axis=-1)",
        "pizza_scores",
        "Your scores are distances between queries and keys. The formula takes their dot products, in which a longer vector "
        "counts for more.",
    ),
    keys_not_transposed=edit(
        "dots = Q @ np.swapaxes(K, -1, -2)",
        "dots = Q @ K",
        "thinking_machines_scores",
        "Your queries are multiplied by the keys without a transpose. Each query has to meet each key, feature by feature.",
    ),
    first_two_axes_swapped=edit(
        "dots = Q @ np.swapaxes(K, -1, -2)",
        "dots = Q @ np.swapaxes(K, 0, 1)",
        "scores_take_a_batch",
        "Your keys have their first two axes swapped. Without a batch these are also the last two; with one they are not. "
        "Count from the end.",
    ),
    scale_from_axis_zero=edit(
        "return dots / np.sqrt(d_k)",
        "return dots / np.sqrt(Q.shape[0])",
        "two_queries_three_keys",
        "Your d_k is read from axis 0 of Q, which is the number of queries, or of sequences. The features are the last axis.",
    ),
)

WEIGHTS = mistakes_of(
    "attention_weights",
    one_more_in_the_sum=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "return raised / (1 + raised.sum(axis=-1, keepdims=True))",
        "softmax_is_over_keys",
        "Your exponentials are divided by their sum plus one, so the shares of a row sum to less than one.",
    ),
    room_for_no_key=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "return raised / (np.exp(-scores.max(axis=-1, keepdims=True)) + raised.sum(axis=-1, keepdims=True))",
        "softmax_is_over_keys",
        "Your denominator has one more term, exp(0) = 1, so that a query may read next to nothing. Some models do that on purpose; here "
        "the weights of a row sum to one.",
    ),
    denominator_of_the_scores_as_they_are=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "return raised / np.exp(scores).sum(axis=-1, keepdims=True)",
        "forbidden_keys_get_nothing",
        "Your denominator adds the exponentials of the scores as they are, and your numerator those with the largest taken off. Both "
        "have to be of the same numbers.",
    ),
    softmax_over_queries=edit(
        "raised = np.exp(shifted)\n    return raised / raised.sum(axis=-1, keepdims=True)",
        "raised = np.exp(shifted + scores.max(axis=-1, keepdims=True) - scores.max(axis=-2, keepdims=True))\n"
        "    return raised / raised.sum(axis=-2, keepdims=True)",
        "softmax_is_over_keys",
        "Your weights sum to one over the queries of a key. It is each query that shares out its attention, "
        "along the last axis.",
    ),
    softmax_over_everything=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "raised = np.exp(scores - scores.max())\n    return raised / raised.sum()",
        "every_row_sums_to_one",
        "Your weights sum to one over the whole array: without an axis, `sum` adds up everything. Each row is a "
        "distribution of its own.",
    ),
    softmax_not_normalised=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "return raised",
        "every_row_sums_to_one",
        "Your weights are exponentials that are not divided by their sum: a row does not sum to one.",
    ),
    no_exponential=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "kept = np.where(np.isfinite(scores), scores, 0.0)\n    return kept / kept.sum(axis=-1, keepdims=True)",
        "every_row_sums_to_one",
        "Your scores are divided by their sum without an exponential, so a negative score becomes a negative share.",
    ),
    returns_logarithms=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "return shifted - np.log(raised.sum(axis=-1, keepdims=True))",
        "every_row_sums_to_one",
        "Your function returns logarithms of the weights. They are handy for a loss; values are mixed with the "
        "weights themselves.",
    ),
    no_max_subtraction=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = scores",
        "every_row_has_its_own_maximum",
        "Your exponential overflows for large scores, and infinity divided by infinity is no number. A softmax "
        "stays the same when a constant is taken off its whole row.",
    ),
    one_maximum_for_all_rows=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = scores - scores.max()",
        "every_row_has_its_own_maximum",
        "Your rows all lose the same maximum, that of the whole array. A row far below it underflows to nothing "
        "but zeros, and zero divided by zero is no number.",
    ),
    subtracts_the_mean=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = scores - np.where(np.isfinite(scores), scores, 0.0).mean(axis=-1, keepdims=True)",
        "a_row_may_span_thousands",
        "Your rows lose their mean before the exponential. That keeps the ratios, but a score far above the mean "
        "still overflows.",
    ),
    subtracts_the_minimum=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = scores - np.where(np.isfinite(scores), scores, np.inf).min(axis=-1, keepdims=True)",
        "a_row_may_span_thousands",
        "Your rows lose their smallest score before the exponential. What is left is the distance from the smallest "
        "to the largest, and in a row that spans thousands the exponential of that overflows.",
    ),
    divides_by_the_maximum=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = scores / np.abs(np.where(np.isfinite(scores), scores, 0.0)).max(axis=-1, keepdims=True)",
        "softmax_is_over_keys",
        "Your rows are divided by their largest score to keep them small. That changes the ratios between the "
        "weights; taking a constant off does not.",
    ),
    scales_again=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = (scores - scores.max(axis=-1, keepdims=True)) / np.sqrt(scores.shape[-1])",
        "softmax_is_over_keys",
        "Your softmax divides the scores once more. They arrive scaled, and their last axis counts keys, not features.",
    ),
    mask_ignored_in_softmax=edit(
        "if mask is not None:\n        scores = np.where(mask, scores, -np.inf)",
        "if mask is not None:\n        scores = scores + 0.0",
        "masks_of_every_kind",
        "Your weights are the same with a mask and without one; it is never used.",
    ),
    mask_inverted_in_softmax=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = np.where(mask, -np.inf, scores)",
        "masks_of_every_kind",
        "Your softmax hides what the mask allows and shows what it forbids. Here True means that a key may be "
        "read; some libraries have it the other way round.",
    ),
    mask_filled_where_true=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = np.where(mask, -1e9, scores)",
        "masks_of_every_kind",
        "Your softmax fills the scores where the mask is True, and so reads what it forbids. Here True means that a key "
        "may be read; some libraries have it the other way round.",
    ),
    fills_with_zero=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = np.where(mask, scores, 0.0)",
        "masks_of_every_kind",
        "Your forbidden keys get a score of zero. The exponential of zero is one, so they still take a share, "
        "often a large one.",
    ),
    finite_fill_too_small=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = np.where(mask, scores, -100.0)",
        "masked_rows_may_be_low",
        "Your forbidden keys get a score that is merely low. As soon as the allowed scores are lower still, the "
        "forbidden keys win.",
    ),
    mask_added_as_numbers=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = scores + mask",
        "masks_of_every_kind",
        "Your mask is added to the scores as it is: True counts as 1 and False as 0, so every key stays in, and "
        "allowed ones get a small bonus.",
    ),
    masks_after_softmax=edit(
        "if mask is not None:\n        scores = np.where(mask, scores, -np.inf)\n"
        "    shifted = scores - scores.max(axis=-1, keepdims=True)\n    raised = np.exp(shifted)\n"
        "    return raised / raised.sum(axis=-1, keepdims=True)",
        "shifted = scores - scores.max(axis=-1, keepdims=True)\n    raised = np.exp(shifted)\n"
        "    weights = raised / raised.sum(axis=-1, keepdims=True)\n"
        "    return weights if mask is None else weights * mask",
        "every_row_sums_to_one",
        "Your mask cuts weights off after the softmax: what remains no longer sums to one, and the hidden scores "
        "still decide by how much.",
    ),
    mask_hides_queries=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = np.where(np.swapaxes(np.broadcast_to(mask, scores.shape), -1, -2), scores, -np.inf)",
        "square_masks_keep_their_direction",
        "Your mask is applied with its last two axes exchanged. Rows of the mask are queries and columns keys, "
        "just as in the scores.",
    ),
    overwrites_forbidden_scores=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "np.copyto(scores, -np.inf, where=~np.asarray(mask))",
        "scores_are_left_alone",
        "Your masked scores are written into the caller's array. The weights are right, but code that wants to "
        "look at the scores afterwards, or use them with another mask, finds them gone.",
    ),
    subtracts_in_place=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = scores\n    shifted -= scores.max(axis=-1, keepdims=True)",
        "scores_are_left_alone",
        "Your `-=` changes the caller's scores: giving an array a second name does not copy it.",
    ),
    maximum_without_keepdims=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = scores - scores.max(axis=-1)",
        "softmax_is_over_keys",
        "Your maximum has lost its axis, so it meets the keys and not the queries: a row loses the maxima of "
        "other rows. Keep the axis with keepdims=True.",
    ),
    sum_without_keepdims=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "return raised / raised.sum(axis=-1)",
        "softmax_is_over_keys",
        "Your sum has lost its axis, so it meets the keys and not the queries: column j is divided by the "
        "sum of row j. Keep the axis with keepdims=True.",
    ),
    softmax_without_keepdims=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)\n"
        "    raised = np.exp(shifted)\n"
        "    return raised / raised.sum(axis=-1, keepdims=True)",
        "raised = np.exp(scores - scores.max(axis=-1))\n    return raised / raised.sum(axis=-1)",
        "softmax_is_over_keys",
        "Your maximum and your sum have lost their axis, so they meet the keys and not the queries. Keep the "
        "axis with keepdims=True.",
    ),
    normalised_over_axis_one=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "return raised / raised.sum(axis=1, keepdims=True)",
        "weights_take_a_batch",
        "Your sum runs over axis 1. That axis is the keys only without a batch; with one it is the queries. "
        "Counted from the end, the keys are always axis -1.",
    ),
    weights_made_in_the_scores=edit(
        "    if mask is not None:\n"
        "        scores = np.where(mask, scores, -np.inf)\n"
        "    shifted = scores - scores.max(axis=-1, keepdims=True)\n"
        "    raised = np.exp(shifted)\n"
        "    return raised / raised.sum(axis=-1, keepdims=True)",
        "    if mask is not None:\n"
        "        np.copyto(scores, -1e9, where=~np.asarray(mask))\n"
        "    scores -= scores.max(axis=-1, keepdims=True)\n"
        "    raised = np.exp(scores)\n"
        "    return raised / raised.sum(axis=-1, keepdims=True)",
        "weights_leave_scores_alone",
        "You mask the caller's scores and take their maximum off in place. The weights are right, but the caller's "
        "scores are gone. Make a new array.",
    ),
    softmax_over_axis_zero=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)\n"
        "    raised = np.exp(shifted)\n"
        "    return raised / raised.sum(axis=-1, keepdims=True)",
        "raised = np.exp(scores - scores.max(axis=0, keepdims=True))\n"
        "    return raised / raised.sum(axis=0, keepdims=True)",
        "weights_take_a_batch",
        "Your softmax runs over axis 0: without a batch these are the queries, with one it is the batch. For each query the keys "
        "share, and counted from the end they are always axis -1.",
    ),
    softmax_over_axis_one=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)\n"
        "    raised = np.exp(shifted)\n"
        "    return raised / raised.sum(axis=-1, keepdims=True)",
        "raised = np.exp(scores - scores.max(axis=1, keepdims=True))\n"
        "    return raised / raised.sum(axis=1, keepdims=True)",
        "weights_take_a_batch",
        "Your softmax runs over axis 1. These are the keys only as long as no batch stands in front; counted from the end, the "
        "keys are always axis -1.",
    ),
    normalised_over_axis_zero=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "return raised / raised.sum(axis=0, keepdims=True)",
        "weights_take_a_batch",
        "Your sum runs over axis 0: without a batch these are the queries, with one it is the batch. For each query the keys "
        "share, and counted from the end they are always axis -1.",
    ),
    normalised_over_queries=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "return raised / raised.sum(axis=-2, keepdims=True)",
        "pizza_shares",
        "Your sum runs over the queries, along axis -2. Each query shares out its attention among the keys, along the last axis.",
    ),
    fill_without_its_minus=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = np.where(mask, scores, 1e9)",
        "forbidden_keys_get_nothing",
        "Your fill is a huge positive score, so the forbidden keys get everything. Its minus is missing.",
    ),
    mask_of_the_whole_shape_expected=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = scores.copy()\n        scores[~mask] = -np.inf",
        "thousands_do_not_overflow",
        "Your mask is used as an index, and then it has to have the shape of the scores. A mask may have fewer axes, or axes of "
        "length one: `np.where` broadcasts it.",
    ),
    scores_clipped=edit(
        "    shifted = scores - scores.max(axis=-1, keepdims=True)\n",
        "    shifted = np.where(np.isinf(scores), scores, np.clip(scores, -500, 500))\n",
        "thousands_do_not_overflow",
        "Your scores are clipped so that the exponential does not overflow. Then scores beyond the bound all become equal. "
        "Which number may be taken off a row without any change?",
    ),
    forbidden_scores_in_the_maximum=edit(
        "        scores = np.where(mask, scores, -np.inf)\n    shifted = scores - scores.max(axis=-1, keepdims=True)\n",
        "        hidden = np.where(mask, scores, -np.inf)\n    shifted = (scores if mask is None else hidden) - scores.max(axis=-1, "
        "keepdims=True)\n",
        "thousands_do_not_overflow",
        "The number that you take off a row is the largest of all its scores, forbidden ones too. Where a forbidden score is far above "
        "the others, all that is left of these is zero. Take the largest score that may be read.",
    ),
    subtracts_the_largest_magnitude=edit(
        "scores - scores.max(axis=-1, keepdims=True)",
        "scores - np.abs(np.where(np.isinf(scores), 0.0, scores)).max(axis=-1, keepdims=True)",
        "thousands_do_not_overflow",
        "You take the largest absolute value off each row. In a row of scores near -1000 this makes them twice as low, and "
        "all exponentials become zero.",
    ),
    all_weight_to_the_best_key=edit(
        "    shifted = scores - scores.max(axis=-1, keepdims=True)\n    raised = np.exp(shifted)\n"
        "    return raised / raised.sum(axis=-1, keepdims=True)",
        "    return np.eye(scores.shape[-1])[scores.argmax(axis=-1)]",
        "pizza_shares",
        "Your function gives all the weight to the key of the largest score. A softmax gives each key its share.",
    ),
    mask_asked_for_its_truth=edit(
        "if mask is not None:",
        "if mask:",
        "forbidden_keys_get_nothing",
        "Your condition asks whether a whole array is true, which has no answer. Ask whether there is a mask at all.",
    ),
    fills_with_minus_a_thousand=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = np.where(mask, scores, -1000.0)",
        "thousands_do_not_overflow",
        "Your forbidden keys get a score of -1000, which is no lower than scores may be. Take a number that no score can "
        "reach.",
    ),
    fills_with_minus_ten=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = np.where(mask, scores, -10.0)",
        "weights_take_a_batch",
        "Your forbidden keys get a score of -10, which is only small: they keep a share, and among lower scores the largest one.",
    ),
    subtracts_the_minimum_of_the_masked=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = scores - scores.min(axis=-1, keepdims=True)",
        "forbidden_keys_get_nothing",
        "Your rows lose their smallest score before the exponential. Under a mask that is minus infinity, and in a row that "
        "spans thousands the rest overflows. Take the largest one off.",
    ),
    subtracts_the_mean_of_the_masked=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = scores - scores.mean(axis=-1, keepdims=True)",
        "forbidden_keys_get_nothing",
        "Your rows lose their mean before the exponential. Under a mask that is minus infinity, and a score far above the "
        "mean still overflows. Take the largest one off.",
    ),
    subtracts_the_magnitude_of_the_masked=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = scores - np.abs(scores).max(axis=-1, keepdims=True)",
        "forbidden_keys_get_nothing",
        "Your rows lose their largest absolute value before the exponential. Under a mask that is infinity, and of scores "
        "near -1000 nothing is left. Take the largest score off.",
    ),
    forbidden_scores_lowered_by_a_thousand=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = scores + np.where(mask, 0.0, -1000.0)",
        "thousands_do_not_overflow",
        "Your forbidden scores are lowered by a fixed number, and one that is far above the allowed ones stays in the race. "
        "Put a number there that is lower than all.",
    ),
    fills_just_below_the_lowest=edit(
        "scores = np.where(mask, scores, -np.inf)",
        "scores = np.where(mask, scores, scores.min() - 1)",
        "forbidden_keys_get_nothing",
        "Your forbidden scores are set a little below the lowest one, so they still take a share. They have to be so low that "
        "nothing is left of their exponential.",
    ),
    normalised_over_everything=edit(
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "return raised / raised.sum()",
        "pizza_shares",
        "Your exponentials are divided by the sum of all of them: without an axis, `sum` adds up everything. Each row has a "
        "sum of its own.",
    ),
    no_mask_hides_everything=edit(
        "    if mask is not None:\n        scores = np.where(mask, scores, -np.inf)\n",
        "    scores = np.where(mask, scores, -np.inf)\n",
        "thinking_machines_shares",
        "Your function masks also where there is no mask. None counts as False, so everything is hidden then.",
    ),
    scores_clipped_with_the_fill=edit(
        "shifted = scores - scores.max(axis=-1, keepdims=True)",
        "shifted = np.clip(scores, -700, 700)",
        "thousands_do_not_overflow",
        "Your scores are clipped so that the exponential does not overflow. Then scores beyond the bound all become equal. "
        "Which number may be taken off a row without any change?",
    ),
    softmax_over_queries_of_low_scores=edit(
        "raised = np.exp(shifted)\n    return raised / raised.sum(axis=-1, keepdims=True)",
        "low = np.maximum(scores, -1e9)\n"
        "    raised = np.exp(low - low.max(axis=-2, keepdims=True))\n"
        "    return raised / raised.sum(axis=-2, keepdims=True)",
        "softmax_is_over_keys",
        "Your weights sum to one over the queries of a key. It is each query that shares out its attention, along the last axis.",
    ),
)

ATTENTION = mistakes_of(
    "attention",
    attention_forbidden_scores_in_the_maximum=edit(
        "weights = attention_weights(scores, mask)",
        "raised = np.exp(scores - scores.max(axis=-1, keepdims=True)) * (True if mask is None else mask)\n"
        "    weights = raised / raised.sum(axis=-1, keepdims=True)",
        "large_dot_products_do_not_overflow",
        "Your softmax takes off the largest score of all keys, also of those that the mask forbids. Where a forbidden score is far above the "
        "others, all that may be read become zero, and zero divided by zero is no number. Your `attention_weights` knows better.",
    ),
    attention_repeats_masks_in_turn=edit(
        "weights = attention_weights(scores, mask)",
        "if mask is not None and mask.ndim == scores.ndim == 4:\n"
        "        mask = np.resize(mask, (*scores.shape[:2], *mask.shape[2:]))\n"
        "    weights = attention_weights(scores, mask)",
        "attention_under_every_mask",
        "Your masks are repeated one after another until there are enough, so the heads of one sequence get the masks of several. A "
        "mask with an axis of length one is for all that stands along this axis: leave that to broadcasting.",
    ),
    attention_without_scale=edit(
        "scores = attention_scores(Q, K)",
        "scores = Q @ np.swapaxes(K, -1, -2)",
        "attention_of_any_shape",
        "Your attention does not divide the dot products by sqrt(d_k). The more features a query has, the more "
        "your softmax picks one key and forgets the others.",
    ),
    attention_scales_by_d_k=edit(
        "scores = attention_scores(Q, K)",
        "scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1]",
        "attention_of_any_shape",
        "Your attention divides the dot products by d_k itself, or by sqrt(d_k) twice, which flattens the weights too "
        "much. Look at the formula's scale once more, and at what `attention_scores` has already done.",
    ),
    attention_scales_by_d_v=edit(
        "scores = attention_scores(Q, K)",
        "scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1])",
        "attention_of_any_shape",
        "Your scale is taken from the values. It makes up for the length of the dot product, and values take no "
        "part in that.",
    ),
    keys_attend_to_queries=edit(
        "scores = attention_scores(Q, K)",
        "scores = attention_scores(K, Q)",
        "equal_sizes_hide_no_slip",
        "Your keys ask and your queries answer: they have changed places in the scores.",
    ),
    queries_attend_to_queries=edit(
        "scores = attention_scores(Q, K)",
        "scores = attention_scores(Q, Q)",
        "equal_sizes_hide_no_slip",
        "Your queries are compared with each other, and the keys are never used.",
    ),
    attention_mask_ignored=edit(
        "weights = attention_weights(scores, mask)",
        "weights = attention_weights(scores)",
        "attention_under_every_mask",
        "Your attention takes a mask and does nothing with it, so every query reads every value.",
    ),
    attention_mask_inverted=edit(
        "weights = attention_weights(scores, mask)",
        "weights = attention_weights(scores, None if mask is None else ~mask)",
        "attention_under_every_mask",
        "Your attention reads exactly the values that the mask forbids. True means that a key may be read.",
        "attention_mask_filled_where_true",
    ),
    attention_mask_filled_where_true=edit(
        "weights = attention_weights(scores, mask)",
        "weights = attention_weights(scores if mask is None else np.where(mask, -1e9, scores))",
        "attention_under_every_mask",
        "Your attention fills the scores where the mask is True, and so reads what it forbids. True means that a key may "
        "be read.",
        "attention_mask_inverted",
    ),
    attention_masks_after_softmax=edit(
        "weights = attention_weights(scores, mask)",
        "weights = attention_weights(scores) * (True if mask is None else mask)",
        "attention_under_every_mask",
        "Your mask is multiplied into the weights after the softmax, so they no longer sum to one, and hidden "
        "keys still make the others' shares smaller.",
    ),
    attention_scores_masked_zero=edit(
        "weights = attention_weights(scores, mask)",
        "weights = attention_weights(scores * (True if mask is None else mask))",
        "attention_under_every_mask",
        "Your mask makes hidden scores zero, as a product with it does. The exponential of zero is one: hidden keys still take a "
        "share.",
    ),
    attention_mask_transposed=edit(
        "weights = attention_weights(scores, mask)",
        "weights = attention_weights(scores, None if mask is None else np.swapaxes(mask, -1, -2))",
        "equal_sizes_hide_no_slip",
        "Your mask is transposed before use. Its rows are queries and its columns keys, as in the scores.",
    ),
    attention_softmax_over_queries=edit(
        "weights = attention_weights(scores, mask)",
        "allowed = np.broadcast_to(True if mask is None else mask, scores.shape)\n"
        "    raised = np.exp(scores) * allowed\n"
        "    weights = raised / np.maximum(raised.sum(axis=-2, keepdims=True), 1e-300)",
        "attention_of_any_shape",
        "Your weights sum to one over the queries: each value is shared out among those who read it. It is each "
        "query that takes shares of the values, which sum to one over the keys.",
    ),
    attention_without_softmax=edit(
        "weights = attention_weights(scores, mask)",
        "weights = scores * (True if mask is None else mask)",
        "attention_of_any_shape",
        "Your values are weighted by the raw scores, which may be negative and sum to anything. They have to "
        "become shares first.",
    ),
    attention_overflows=edit(
        "weights = attention_weights(scores, mask)",
        "raised = np.exp(scores) * (True if mask is None else mask)\n"
        "    weights = raised / raised.sum(axis=-1, keepdims=True)",
        "large_dot_products_do_not_overflow",
        "Your attention takes the exponential of large scores as they are and gets infinity. A softmax stays the "
        "same when a constant is taken off its whole row.",
    ),
    mixes_keys_not_values=edit(
        "return weights @ V",
        "return weights @ K",
        "equal_sizes_hide_no_slip",
        "Your output is a mixture of keys. Keys are there to be found; what is handed on are the values.",
    ),
    mixes_queries_not_values=edit(
        "return weights @ V",
        "return weights @ Q",
        "equal_sizes_hide_no_slip",
        "Your output is a mixture of queries. What is handed on are the values.",
    ),
    weights_transposed=edit(
        "return weights @ V",
        "return np.swapaxes(weights, -1, -2) @ V",
        "equal_sizes_hide_no_slip",
        "Your weights are transposed before they meet the values, so their columns, which need not sum to one, do "
        "the mixing. Each query's row mixes the values.",
    ),
    values_not_weighted=edit(
        "return weights @ V",
        "return V.mean(axis=-2, keepdims=True) + 0.0 * weights[..., :1]",
        "attention_of_any_shape",
        "Your output is the plain mean of the values; the weights are computed and then not used.",
    ),
    returns_weights_only=edit(
        "return weights @ V",
        "return weights",
        "attention_of_any_shape",
        "Your function returns the weights. They say how to mix; the mixture of the values is still to be made.",
    ),
    returns_output_and_weights=edit(
        "return weights @ V",
        "return weights @ V, weights",
        "attention_of_any_shape",
        "Your function returns two things, the output and the weights. Here it promises the output alone.",
    ),
    attention_adds_queries=edit(
        "return weights @ V",
        "return weights @ V + Q",
        "equal_sizes_hide_no_slip",
        "Your output has the queries added to it. The residual around attention comes with the whole Transformer; "
        "this function is the attention alone.",
    ),
    attention_scales_its_inputs=edit(
        "scores = attention_scores(Q, K)",
        "Q *= Q.shape[-1] ** -0.5\n    scores = Q @ np.swapaxes(K, -1, -2)",
        "attention_leaves_its_inputs_alone",
        "Your scale is multiplied into the caller's array in place. The output is right this time; a second call "
        "with the same queries would scale them again.",
    ),
    attention_reshapes_keys=edit(
        "scores = attention_scores(Q, K)",
        "scores = Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2]) / np.sqrt(Q.shape[-1])",
        "attention_of_any_shape",
        "Your keys are brought into the shape of their transpose by a reshape, which mixes features of "
        "different keys. Swap the last two axes.",
    ),
    attention_mask_of_the_whole_shape_expected=edit(
        "weights = attention_weights(scores, mask)",
        "if mask is not None:\n        scores[~mask] = -np.inf\n    weights = attention_weights(scores)",
        "attention_takes_a_batch",
        "Your mask is used as an index, and then it has to have the shape of the scores. A mask may have fewer axes, or axes of "
        "length one: `np.where` broadcasts it.",
    ),
    attention_mask_added_as_numbers=edit(
        "weights = attention_weights(scores, mask)",
        "weights = attention_weights(scores if mask is None else scores + mask)",
        "i_like_pizza_masked",
        "Your mask is added to the scores as ones and zeros. Forbidden keys then still get a share; allowed ones get a small bonus.",
    ),
    attention_softmax_over_axis_zero=edit(
        "weights = attention_weights(scores, mask)",
        "scores = scores if mask is None else np.where(mask, scores, -1e9)\n"
        "    raised = np.exp(scores - scores.max(axis=0, keepdims=True))\n"
        "    weights = raised / raised.sum(axis=0, keepdims=True)",
        "attention_takes_a_batch",
        "Your softmax runs over axis 0: without a batch these are the queries, with one it is the batch. For each query the keys "
        "share, and counted from the end they are always axis -1.",
    ),
    attention_softmaxes_twice=edit(
        "weights = attention_weights(scores, mask)",
        "weights = attention_weights(attention_weights(scores, mask), mask)",
        "i_like_pizza",
        "Your scores go through the softmax twice, which makes the weights more even. They are shares after the first one.",
    ),
    raw_scores_mix_the_values=edit(
        "weights = attention_weights(scores, mask)",
        "weights = scores",
        "i_like_pizza",
        "Your values are weighted by the raw scores, which may be negative and sum to anything. A softmax over the keys that "
        "may be read has to make shares of them.",
    ),
    attention_dot_mixes_the_batch=edit(
        "    return weights @ V\n",
        "    return np.dot(weights, V)\n",
        "attention_takes_a_batch",
        "Your `np.dot` lets the weights of one sequence mix the values of all the others as soon as there is a batch axis. "
        "Look up how `np.dot` and `np.matmul` differ beyond two axes.",
    ),
    attention_mask_asked_for_its_truth=edit(
        "weights = attention_weights(scores, mask)",
        "weights = attention_weights(scores, mask if mask else None)",
        "i_like_pizza_masked",
        "Your condition asks whether a whole array is true, which has no answer. Ask whether there is a mask at all.",
    ),
    attention_fills_not_low_enough=edit(
        "weights = attention_weights(scores, mask)",
        "weights = attention_weights(scores if mask is None else np.where(mask, scores, -100.0))",
        "pizza_forty_times_as_long",
        "Your forbidden keys get a score that is merely low. As soon as the allowed scores are lower still, the forbidden "
        "keys win.",
    ),
)

FOLDED = mistakes_of(
    "folded_scores",
    folded_without_scale=edit(
        "folded = W_q @ W_k.T / np.sqrt(width)",
        "folded = W_q @ W_k.T",
        "folded_scores_of_any_shape",
        "Your folded matrix lacks the scale, so the scores are too large by sqrt(d_k).",
    ),
    folded_scaled_by_d_model=edit(
        "width = W_q.shape[-1]",
        "width = W_q.shape[0]",
        "folded_scores_of_any_shape",
        "Your scale is taken from d_model, the size of the folded matrix. The numbers are to be those of the "
        "direct route, whose dot products sum over a query's features.",
    ),
    folded_scaled_by_d_k=edit(
        "folded = W_q @ W_k.T / np.sqrt(width)",
        "folded = W_q @ W_k.T / width",
        "folded_scores_of_any_shape",
        "Your folded matrix is divided by d_k itself. Look at the formula's scale once more.",
    ),
    folded_scaled_twice=edit(
        "return X @ folded @ np.swapaxes(X, -1, -2)",
        "return attention_scores(X @ folded, X)",
        "folded_scores_of_any_shape",
        "Your scores are scaled twice: once in the folded matrix, and once more when the result meets X.",
    ),
    folded_in_reverse=edit(
        "folded = W_q @ W_k.T / np.sqrt(width)",
        "folded = W_k @ W_q.T / np.sqrt(width)",
        "folded_scores_of_any_shape",
        "Your folded matrix is the transpose of the right one: queries and keys have changed places. Write out "
        "Q K^T with Q = X W_q and K = X W_k, and watch the order.",
    ),
    folded_inside_out=edit(
        "folded = W_q @ W_k.T / np.sqrt(width)",
        "folded = W_q.T @ W_k / np.sqrt(width)",
        "square_folding_keeps_its_order",
        "Your folded matrix sums over the input's features and has the size of a query. It has to fit between X "
        "and X transposed: (d_model, d_model).",
    ),
    folded_not_transposed=edit(
        "folded = W_q @ W_k.T / np.sqrt(width)",
        "folded = W_q @ W_k / np.sqrt(width)",
        "square_folding_keeps_its_order",
        "Your two matrices are multiplied without a transpose. (X W_k) is transposed in the scores; what does "
        "that make of W_k?",
    ),
    folded_from_W_q_alone=edit(
        "folded = W_q @ W_k.T / np.sqrt(width)",
        "folded = W_q @ W_q.T / np.sqrt(width)",
        "folded_scores_of_any_shape",
        "Your folded matrix holds W_q twice. That makes it symmetric: i would always score j as j scores i.",
    ),
    folded_on_one_side=edit(
        "return X @ folded @ np.swapaxes(X, -1, -2)",
        "return X @ folded",
        "folded_scores_of_any_shape",
        "Your result is only half way: the queries are there, folded, but they have not met any position yet.",
    ),
    folded_transposes_every_axis=edit(
        "return X @ folded @ np.swapaxes(X, -1, -2)",
        "return X @ folded @ X.T",
        "folded_scores_of_any_shape",
        "Your `.T` reverses all axes of X. With a batch in front, its axis ends up last; only the last two may "
        "trade places.",
    ),
    folded_scaled_by_the_length=edit(
        "width = W_q.shape[-1]",
        "width = X.shape[-2]",
        "folded_pizza",
        "Your scale is the root of how many positions there are. It is that of a query's length, d_k.",
    ),
    folded_reshapes_X=edit(
        "return X @ folded @ np.swapaxes(X, -1, -2)",
        "return X @ folded @ X.reshape(*X.shape[:-2], X.shape[-1], X.shape[-2])",
        "folded_pizza",
        "Your X is turned by `reshape`. That gives the shape of the transpose, with the numbers in other places.",
    ),
    folded_made_symmetric=edit(
        "folded = W_q @ W_k.T / np.sqrt(width)",
        "folded = W_q @ W_k.T / np.sqrt(width)\n    folded = (folded + folded.T) / 2",
        "folded_pizza",
        "Your folded matrix is made symmetric, so i scores j as j scores i. Queries and keys are projected apart so that "
        "this need not be.",
    ),
    folded_weights_by_entry=edit(
        "    folded = W_q @ W_k.T / np.sqrt(width)\n    return X @ folded @ np.swapaxes(X, -1, -2)",
        "    folded = (W_q * W_k).sum(axis=-1) / np.sqrt(width)\n    return X * folded @ np.swapaxes(X, -1, -2)",
        "folded_pizza",
        "Your two matrices are multiplied entry by entry, which keeps only the diagonal of their product. A feature of the "
        "query also meets the other features of the key.",
    ),
    folded_already_softmaxed=edit(
        "return X @ folded @ np.swapaxes(X, -1, -2)",
        "return attention_weights(X @ folded @ np.swapaxes(X, -1, -2))",
        "folded_pizza",
        "Your scores went through a softmax. Asked for are the scores themselves, as `attention_scores` gives them.",
    ),
)

CAUSAL = mistakes_of(
    "causal_mask",
    offset_one_too_small=edit(
        "offset = T_k - T_q",
        "offset = max(T_k - T_q - 1, 0)",
        "last_two_of_four",
        "Your queries stand one place too far to the front where there are fewer of them than keys, so none reads itself. The last query is the last "
        "position, and sees everything.",
    ),
    triangle_at_the_first_keys=edit(
        "return keys <= queries + offset",
        "return (keys <= queries) | (keys >= T_q)",
        "last_two_of_four",
        "Your triangle stands at the first T_q keys, and all keys behind it are seen. The queries are the last of the T_k "
        "positions, so the triangle stands at the last keys.",
    ),
    sees_next_token=edit(
        "return keys <= queries + offset",
        "return keys <= queries + offset + 1",
        "square_masks",
        "Your mask lets every position read the one right after it, which is just what it is asked to predict.",
    ),
    hides_self=edit(
        "return keys <= queries + offset",
        "return keys < queries + offset",
        "square_masks",
        "Your mask hides each position from itself, and the first one is left with nothing to read. A position "
        "has been read when it is its turn.",
    ),
    upper_for_lower=edit(
        "return keys <= queries + offset",
        "return keys >= queries + offset",
        "square_masks",
        "Your mask allows the present and the future: it is the upper triangle. Rows are queries; read the last "
        "row, which should see everything.",
    ),
    causal_mask_inverted=edit(
        "return keys <= queries + offset",
        "return keys > queries + offset",
        "square_masks",
        "Your mask is True where reading is forbidden. Some libraries have it so; in this course True means "
        "that a query may read the key.",
    ),
    aligned_at_start=edit(
        "offset = T_k - T_q",
        "offset = 0",
        "last_query_sees_every_key",
        "Your mask lines the first query up with the first key. When there are fewer queries than keys, the "
        "queries are the last positions, and the last one sees everything.",
    ),
    aligned_backwards=edit(
        "offset = T_k - T_q",
        "offset = T_q - T_k",
        "last_query_sees_every_key",
        "Your mask is shifted the wrong way when there are fewer queries than keys: the early queries are left "
        "with nothing. Which position does the last query have?",
    ),
    everything_allowed=edit(
        "return keys <= queries + offset",
        "return np.ones((T_q, T_k), dtype=bool)",
        "square_masks",
        "Your mask allows everything, so it hides nothing.",
    ),
    only_the_present=edit(
        "return keys <= queries + offset",
        "return keys == queries + offset",
        "square_masks",
        "Your mask lets each position read itself only. The past is allowed, all of it.",
    ),
    additive_causal_mask=edit(
        "return keys <= queries + offset",
        "return np.where(keys <= queries + offset, 0.0, -np.inf)",
        "square_masks",
        "Your mask holds 0 and minus infinity, to be added to the scores. That is a good way to apply one, but "
        "this mask is to hold truth values, True where reading is allowed.",
    ),
    causal_mask_of_numbers=edit(
        "return keys <= queries + offset",
        "return (keys <= queries + offset).astype(float)",
        "causal_mask_is_boolean",
        "Your mask holds the right ones and zeros, but as numbers. With numbers, `~mask` and `scores[mask]` fail or "
        "mean something else, so a mask should be of dtype bool.",
    ),
    causal_mask_always_square=edit(
        "return keys <= queries + offset",
        "return np.tri(T_q, dtype=bool)",
        "last_query_sees_every_key",
        "Your mask has as many columns as rows and forgets T_k. There is a column for each key.",
    ),
    keys_in_rows=edit(
        "return keys <= queries + offset",
        "return (keys <= queries + offset).T",
        "square_masks",
        "Your mask has a row for each key and a column for each query. Rows are queries, as in the scores.",
    ),
    hides_the_earlier_keys=edit(
        "return keys <= queries + offset",
        "return (keys <= queries + offset) & (keys >= offset)",
        "last_two_of_four",
        "Your mask hides the keys in front of the first query. They are the past, which every query may read.",
    ),
    few_queries_see_everything=edit(
        "return keys <= queries + offset",
        "return (keys <= queries + offset) | (offset > 0)",
        "last_two_of_four",
        "Your mask hides nothing when there are fewer queries than keys. Only the last query sees every key.",
    ),
    causal_mask_with_a_batch_axis=edit(
        "return keys <= queries + offset",
        "return (keys <= queries + offset)[None]",
        "three_by_three",
        "Your mask has an axis of length one in front. It is to be (T_q, T_k); broadcasting adds axes in front by itself.",
    ),
    causal_mask_square_of_keys=edit(
        "return keys <= queries + offset",
        "return np.tri(T_k, dtype=bool)",
        "last_two_of_four",
        "Your mask has a row for each key. It has one for each query: the last T_q of these rows.",
    ),
    shape_of_the_mask_in_two_arguments=edit(
        "return keys <= queries + offset",
        "return np.tril(np.ones(T_q, T_k), k=offset)",
        "three_by_three",
        "Your `np.ones` gets the shape as two arguments, and takes the second one for a dtype. A shape is one tuple: (T_q, "
        "T_k).",
    ),
)

PADDING = mistakes_of(
    "padding_mask",
    padding_mask_inverted=edit(
        "real = ids != pad",
        "real = ids == pad",
        "any_number_may_be_the_filler",
        "Your mask is True on the padding. Some libraries have it so; in this course True means that a key may "
        "be read.",
    ),
    masks_padded_queries=edit(
        "return real[..., None, :]",
        "return real[..., :, None]",
        "query_axis_stands_before_keys",
        "Your mask has its axis of length one last, so it hides padded queries: their rows are left without any "
        "key, while real queries still read the padding. No query may read padded keys.",
    ),
    masks_queries_and_keys=edit(
        "return real[..., None, :]",
        "return real[..., :, None] & real[..., None, :]",
        "query_axis_stands_before_keys",
        "Your mask also hides padded queries, which leaves their rows without any key to read. Hiding the keys "
        "is enough: what padded queries give is not read.",
    ),
    no_query_axis=edit(
        "return real[..., None, :]",
        "return real",
        "query_axis_stands_before_keys",
        "Your mask has the shape of the ids. Against scores of (batch, T_q, T_k) its batch axis would be taken "
        "for the queries; it needs an axis of length one for those.",
    ),
    query_axis_in_front=edit(
        "return real[..., None, :]",
        "return real[None]",
        "query_axis_stands_before_keys",
        "Your new axis stands in front of the batch. Each sequence then no longer meets its own mask; the axis of "
        "the queries is the one before last.",
    ),
    zero_is_always_padding=edit(
        "real = ids != pad",
        "real = ids != 0",
        "any_number_may_be_the_filler",
        "Your mask takes the id 0 for padding, whatever `pad` says.",
    ),
    padding_is_smallest_id=edit(
        "real = ids != pad",
        "real = ids > pad",
        "any_number_may_be_the_filler",
        "Your mask drops every id that is not larger than the filler. The filler need not be the smallest of all ids.",
    ),
    padding_counted_at_the_end=edit(
        "real = ids != pad",
        "real = np.arange(ids.shape[-1]) < (ids != pad).sum(axis=-1, keepdims=True)",
        "filler_may_come_first",
        "Your mask counts the real tokens and takes them to stand at the beginning. Padding can come first, too.",
    ),
    stops_at_first_padding=edit(
        "real = ids != pad",
        "real = np.logical_and.accumulate(ids != pad, axis=-1)",
        "filler_may_come_first",
        "Your mask hides everything from the first filler on. Padding can come first, with the sentence after it.",
    ),
    additive_padding_mask=edit(
        "return real[..., None, :]",
        "return np.where(real, 0.0, -np.inf)[..., None, :]",
        "any_number_may_be_the_filler",
        "Your mask holds 0 and minus infinity, to be added to the scores. This mask is to hold truth values, True "
        "where there is a real token.",
    ),
    padding_mask_of_numbers=edit(
        "return real[..., None, :]",
        "return real[..., None, :].astype(float)",
        "padding_mask_is_boolean",
        "Your mask holds the right ones and zeros, but as numbers. `&` does not take floats, and `~` makes -2 of a 1, "
        "so a mask should be of dtype bool.",
    ),
    two_axes_before_the_keys=edit(
        "return real[..., None, :]",
        "return real[..., None, None, :]",
        "padded_sentence",
        "Your mask has two axes of length one in front of the keys, as for scores with an axis of heads. Here it is to be "
        "(..., 1, T).",
    ),
    query_axis_second=edit(
        "return real[..., None, :]",
        "return real[:, None]",
        "padded_sentence",
        "Your new axis is the second from the front. That is the right place only with exactly one axis in front of T; count "
        "from the end.",
    ),
    padding_mask_repeated_for_every_query=edit(
        "return real[..., None, :]",
        "return np.repeat(real[..., None, :], ids.shape[-1], axis=-2)",
        "padded_sentence",
        "Your mask repeats its row for as many queries as there are keys. Leave the axis of the queries at length one: then "
        "it fits any number of queries.",
    ),
    query_axis_second_of_three=edit(
        "return real[..., None, :]",
        "return real[:, None, :]",
        "padded_sentence",
        "Your new axis is the second of three. That is the right place only with exactly one axis in front of T; `...` stands "
        "for any number of them.",
    ),
)

SELF = mistakes_of(
    "self_attention",
    self_attention_takes_three_axes=edit(
        "    length = X.shape[-2]\n",
        "    batch, length, features = X.shape\n",
        "pizza_attends_to_itself",
        "Your function takes the shape of X apart into three names. `...` stands for any number of axes, none included: `X.shape[-2]` is "
        "the length in each case.",
    ),
    causal_ignored=edit(
        "mask = causal_mask(length, length) if causal else None",
        "mask = None",
        "causal_self_attention_of_any_shape",
        "Your self-attention is the same with `causal` and without: the future is never hidden.",
    ),
    always_causal=edit(
        "mask = causal_mask(length, length) if causal else None",
        "mask = causal_mask(length, length)",
        "self_attention_of_any_shape",
        "Your self-attention hides the future even when it is not asked to. An encoder reads in both directions.",
    ),
    causal_flag_reversed=edit(
        "mask = causal_mask(length, length) if causal else None",
        "mask = None if causal else causal_mask(length, length)",
        "self_attention_of_any_shape",
        "Your flag works the wrong way round: the future is hidden exactly when `causal` is False.",
    ),
    self_attention_sees_next=edit(
        "mask = causal_mask(length, length) if causal else None",
        "mask = np.tri(length, k=1, dtype=bool) if causal else None",
        "causal_self_attention_of_any_shape",
        "Your causal self-attention reads one token too many, the one right after each position. In training that "
        "is the answer.",
    ),
    self_attention_hides_self=edit(
        "mask = causal_mask(length, length) if causal else None",
        "mask = np.tri(length, k=-1, dtype=bool) if causal else None",
        "causal_self_attention_of_any_shape",
        "Your causal self-attention hides each position from itself, and the first one is left with nothing.",
    ),
    self_attention_reads_only_future=edit(
        "mask = causal_mask(length, length) if causal else None",
        "mask = np.tri(length, dtype=bool).T if causal else None",
        "tokens_to_come_cannot_leak",
        "Your causal self-attention reads the present and the future and hides the past: the triangle is the "
        "wrong one.",
    ),
    length_from_first_axis=edit(
        "length = X.shape[-2]",
        "length = X.shape[0]",
        "causal_self_attention_of_any_shape",
        "Your mask takes its size from the first axis of X. That is time only as long as no batch stands in "
        "front; count from the end.",
    ),
    length_from_second_axis=edit(
        "length = X.shape[-2]",
        "length = X.shape[1]",
        "causal_self_attention_of_any_shape",
        "Your mask takes its size from axis 1 of X, which is time only when exactly one axis stands in front of "
        "it. Count from the end.",
    ),
    self_attention_swaps_projections=edit(
        "Q, K, V = project_qkv(X, W_q, W_k, W_v)",
        "Q, K, V = project_qkv(X, W_k, W_q, W_v)",
        "self_attention_of_any_shape",
        "Your queries and keys have changed places, as they are made or as they are handed on. The score of i for j is "
        "then that of j for i.",
    ),
    self_attention_keys_are_queries=edit(
        "Q, K, V = project_qkv(X, W_q, W_k, W_v)",
        "Q, K, V = project_qkv(X, W_q, W_q, W_v)",
        "self_attention_of_any_shape",
        "Your queries and keys come from the same matrix, so each position mostly finds itself. W_k is not used.",
    ),
    self_attention_values_from_W_k=edit(
        "Q, K, V = project_qkv(X, W_q, W_k, W_v)",
        "Q, K, V = project_qkv(X, W_q, W_k, W_k)",
        "self_attention_of_any_shape",
        "Your output is a mixture of keys: the values come from W_k, and W_v is not used.",
    ),
    self_attention_mixes_inputs=edit(
        "return attention(Q, K, V, mask)",
        "return attention(Q, K, X, mask)",
        "self_attention_of_any_shape",
        "Your output is a mixture of the inputs themselves. What positions hand on are their values.",
    ),
    self_attention_skips_projections=edit(
        "return attention(Q, K, V, mask)",
        "return attention(X, X, V, mask)",
        "self_attention_of_any_shape",
        "Your queries and keys are the inputs themselves, as in attempt two. W_q and W_k are not used.",
    ),
    self_attention_masks_after_softmax=edit(
        "return attention(Q, K, V, mask)",
        "weights = attention_weights(attention_scores(Q, K))\n"
        "    return (weights if mask is None else weights * mask) @ V",
        "tokens_to_come_cannot_leak",
        "Your future is cut off after the softmax. The shares that remain do not sum to one, and the tokens to "
        "come decide by how much: they leak.",
    ),
    self_attention_without_scale=edit(
        "return attention(Q, K, V, mask)",
        "return attention_weights(Q @ np.swapaxes(K, -1, -2), mask) @ V",
        "self_attention_of_any_shape",
        "Your self-attention does not divide its dot products by sqrt(d_k).",
    ),
    self_attention_scales_by_d_model=edit(
        "return attention(Q, K, V, mask)",
        "return attention_weights(Q @ np.swapaxes(K, -1, -2) / np.sqrt(X.shape[-1]), mask) @ V",
        "self_attention_of_any_shape",
        "Your scale is that of d_model, the features of the input. The dot products are between queries and keys, "
        "so it is their length that counts.",
    ),
    self_attention_softmax_over_queries=edit(
        "return attention(Q, K, V, mask)",
        "scores = attention_scores(Q, K)\n"
        "    if mask is not None:\n"
        "        scores = np.where(mask, scores, -np.inf)\n"
        "    raised = np.exp(scores - scores.max(axis=-2, keepdims=True))\n"
        "    return raised / raised.sum(axis=-2, keepdims=True) @ V",
        "self_attention_of_any_shape",
        "Your softmax runs over the queries, so each key shares itself out. Each query shares its attention "
        "among the keys, along the last axis.",
    ),
    self_attention_mask_in_torch_polarity=edit(
        "mask = causal_mask(length, length) if causal else None",
        "mask = ~causal_mask(length, length) if causal else None",
        "pizza_reads_only_the_past",
        "Your mask is True where reading is forbidden, as torch's MultiheadAttention wants it. Here True means that a query may "
        "read; as it is, each position reads what is still to come, and for the last one nothing is left.",
    ),
    self_attention_mask_in_torch_polarity_filled=edit(
        "return attention(Q, K, V, mask)",
        "scores = attention_scores(Q, K)\n"
        "    if mask is not None:\n        scores = np.where(mask, -1e9, scores)\n"
        "    return attention_weights(scores) @ V",
        "pizza_reads_only_the_past",
        "Your mask is True where reading is forbidden, as torch's MultiheadAttention wants it. Here True means that a query may "
        "read; as it is, each position reads what is still to come, and for the last one nothing is left.",
    ),
    self_attention_adds_its_input=edit(
        "return attention(Q, K, V, mask)",
        "output = attention(Q, K, V, mask)\n    return output + X if output.shape == X.shape else output",
        "pizza_with_three_matrices",
        "Your output has X added to it where the shapes allow it. A residual connection belongs to the block around attention, "
        "not to attention.",
    ),
    self_attention_scales_by_d_v=edit(
        "return attention(Q, K, V, mask)",
        "return attention_weights(Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1]), mask) @ V",
        "self_attention_takes_a_batch",
        "Your scale is that of the values' length. The scores are products of queries and keys, so it is their length that counts.",
    ),
    length_from_features=edit(
        "length = X.shape[-2]",
        "length = X.shape[-1]",
        "pizza_reads_only_the_past",
        "Your mask takes its size from the features of X. It has a row and a column for each position.",
    ),
    self_attention_future_scores_zero=edit(
        "    mask = causal_mask(length, length) if causal else None\n    return attention(Q, K, V, mask)",
        "    scores = attention_scores(Q, K)\n    return attention_weights(np.tril(scores) if causal else scores) @ V",
        "pizza_reads_only_the_past",
        "Your scores of the future are set to zero. The exponential of zero is one, so tokens to come still get a share.",
    ),
    self_attention_scales_twice=edit(
        "return attention(Q, K, V, mask)\n    # END SOLUTION\n\n\ndef attention_backward",
        "return attention(Q / np.sqrt(Q.shape[-1]), K, V, mask)\n    # END SOLUTION\n\n\ndef attention_backward",
        "pizza_attends_to_itself",
        "Your scores are divided by the scale twice. The function that you call for them scales them already.",
    ),
    self_attention_values_for_keys=edit(
        "    return attention(Q, K, V, mask)\n    # END SOLUTION\n\n\ndef attention_backward",
        "    return attention(Q, V, K, mask)\n    # END SOLUTION\n\n\ndef attention_backward",
        "pizza_with_three_matrices",
        "Your keys and your values have changed places: queries meet the values, and what is mixed are the keys.",
    ),
    causal_flag_taken_for_the_mask=edit(
        "    return attention(Q, K, V, mask)\n    # END SOLUTION\n\n\ndef attention_backward",
        "    return attention(Q, K, V, causal)\n    # END SOLUTION\n\n\ndef attention_backward",
        "pizza_reads_only_the_past",
        "Your flag `causal` is handed on as if it were the mask. It only says whether there is one; the mask is a table of "
        "(T, T).",
    ),
    causal_mask_of_one_length=edit(
        "mask = causal_mask(length, length) if causal else None",
        "mask = causal_mask(length) if causal else None",
        "pizza_reads_only_the_past",
        "Your call of `causal_mask` gives one length. It asks for two, that of the queries and that of the keys; here they "
        "are the same.",
    ),
)

BACKWARD = mistakes_of(
    "attention_backward",
    gradients_in_order_of_work=edit(
        "    return dQ, dK, dV\n",
        "    return dV, dQ, dK\n",
        "queries_get_their_gradient",
        "Your gradients come back in the order in which they are found: dV first. The order agreed on is dQ, dK, dV.",
    ),
    softmax_jacobian_missing=edit(
        "dscores = weights * (dweights - along)",
        "dscores = dweights",
        "queries_get_their_gradient",
        "Your gradient goes from the weights to the scores as if there were no softmax between them. It has a "
        "derivative of its own.",
    ),
    softmax_jacobian_diagonal_only=edit(
        "dscores = weights * (dweights - along)",
        "dscores = weights * (1.0 - weights) * dweights",
        "queries_get_their_gradient",
        "Your softmax derivative has only its diagonal, a(1 - a), as for a sigmoid. A score also moves all the "
        "other weights of its row, since they share one total.",
    ),
    softmax_jacobian_without_sum=edit(
        "dscores = weights * (dweights - along)",
        "dscores = weights * dweights",
        "queries_get_their_gradient",
        "Your softmax derivative lacks the part that comes from the shared total. Raising all the scores of a row "
        "changes nothing, so the gradients of a row's scores must sum to zero; yours do not.",
    ),
    softmax_jacobian_off_diagonal_only=edit(
        "dscores = weights * (dweights - along)",
        "dscores = -weights * along",
        "queries_get_their_gradient",
        "Your softmax derivative has only the part from the shared total; what a score does to its own weight is "
        "missing.",
    ),
    softmax_jacobian_of_exp=edit(
        "dscores = weights * (dweights - along)",
        "dscores = dweights - along",
        "queries_get_their_gradient",
        "Your softmax derivative lacks the weight as a factor. A key that got no share cannot have a gradient, "
        "yet in your result it has one.",
    ),
    softmax_jacobian_over_queries=edit(
        "along = (dweights * weights).sum(axis=-1, keepdims=True)",
        "along = (dweights * weights).sum(axis=-2, keepdims=True)",
        "queries_get_their_gradient",
        "Your softmax derivative sums over the queries. The weights of one query share a total, so the sum is "
        "along its row.",
    ),
    softmax_jacobian_averages=edit(
        "along = (dweights * weights).sum(axis=-1, keepdims=True)",
        "along = (dweights * weights).mean(axis=-1, keepdims=True)",
        "queries_get_their_gradient",
        "Your softmax derivative takes a mean along the row where the chain rule adds up. The weights themselves "
        "already do the averaging.",
    ),
    softmax_jacobian_unweighted=edit(
        "along = (dweights * weights).sum(axis=-1, keepdims=True)",
        "along = dweights.sum(axis=-1, keepdims=True)",
        "queries_get_their_gradient",
        "Your softmax derivative adds up the gradients of a row as they are. In the chain rule each of them comes "
        "with its weight.",
    ),
    softmax_jacobian_sign=edit(
        "dscores = weights * (dweights - along)",
        "dscores = weights * (along - dweights)",
        "queries_get_their_gradient",
        "Your gradients of queries and keys have the wrong sign: a step against them would make the loss grow. "
        "Check the signs of the softmax derivative.",
    ),
    backward_without_scale=edit(
        "ddots = dscores / np.sqrt(Q.shape[-1])",
        "ddots = dscores",
        "queries_get_their_gradient",
        "Your backward pass forgets that the forward pass divided by sqrt(d_k): dQ and dK are both too large by "
        "that factor.",
    ),
    backward_scale_missing_in_dQ=edit(
        "dQ = ddots @ K",
        "dQ = dscores @ K",
        "queries_get_their_gradient",
        "Your dQ lacks the scale, while your dK has it. Both go through the same division.",
    ),
    backward_scale_missing_in_dK=edit(
        "dK = np.swapaxes(ddots, -1, -2) @ Q",
        "dK = np.swapaxes(dscores, -1, -2) @ Q",
        "keys_get_their_gradient",
        "Your dK lacks the scale, while your dQ has it. Both go through the same division.",
    ),
    backward_scaled_by_d_k=edit(
        "ddots = dscores / np.sqrt(Q.shape[-1])",
        "ddots = dscores / Q.shape[-1]",
        "queries_get_their_gradient",
        "Your backward pass divides by d_k, or by its root twice. A division in the forward pass is the same "
        "division, once, in the backward pass.",
    ),
    backward_scale_multiplied=edit(
        "ddots = dscores / np.sqrt(Q.shape[-1])",
        "ddots = dscores * np.sqrt(Q.shape[-1])",
        "queries_get_their_gradient",
        "Your backward pass undoes the scale by multiplying. A gradient is not an inverse: the derivative of x/c "
        "is 1/c.",
    ),
    backward_scaled_by_d_v=edit(
        "ddots = dscores / np.sqrt(Q.shape[-1])",
        "ddots = dscores / np.sqrt(V.shape[-1])",
        "queries_get_their_gradient",
        "Your backward pass takes the scale from the values. It is the same number as in the forward pass.",
    ),
    dV_from_untransposed_weights=edit(
        "dV = np.swapaxes(weights, -1, -2) @ dout",
        "dV = weights @ dout",
        "equal_sizes_hide_no_wrong_gradient",
        "Your dV uses the weights as in the forward pass. Going back, a value collects from all the queries that "
        "read it; follow the shapes with T_q different from T_k.",
    ),
    dV_is_dout=edit(
        "dV = np.swapaxes(weights, -1, -2) @ dout",
        "dV = np.ones_like(np.swapaxes(weights, -1, -2)) @ dout",
        "values_get_their_gradient",
        "Your dV gives every value the full gradient of every output. A value is responsible only for the share "
        "that was read of it.",
    ),
    dV_from_score_gradient=edit(
        "    return dQ, dK, dV\n",
        "    dV = np.swapaxes(dscores, -1, -2) @ dout\n    return dQ, dK, dV\n",
        "values_get_their_gradient",
        "Your dV is built from the gradient of the scores. In the output, values are multiplied by the weights "
        "themselves.",
    ),
    dweights_from_keys=edit(
        "dweights = dout @ np.swapaxes(V, -1, -2)",
        "dweights = dout @ np.swapaxes(K, -1, -2)",
        "equal_sizes_hide_no_wrong_gradient",
        "Your gradient of the weights is taken with the keys. In the output, the weights meet the values.",
    ),
    dK_from_untransposed_scores=edit(
        "dK = np.swapaxes(ddots, -1, -2) @ Q",
        "dK = ddots @ Q",
        "equal_sizes_hide_no_wrong_gradient",
        "Your dK runs along the queries' rows. A key collects from all the queries that were scored against it, "
        "which is down its column.",
    ),
    dK_from_keys=edit(
        "dK = np.swapaxes(ddots, -1, -2) @ Q",
        "dK = np.swapaxes(ddots, -1, -2) @ K",
        "equal_sizes_hide_no_wrong_gradient",
        "Your dK is built from the keys themselves. In a dot product, the derivative by one vector is the other.",
    ),
    dQ_from_queries=edit(
        "dQ = ddots @ K",
        "dQ = ddots @ Q",
        "equal_sizes_hide_no_wrong_gradient",
        "Your dQ is built from the queries themselves. In a dot product, the derivative by one vector is the other.",
    ),
    dQ_from_transposed_scores=edit(
        "dQ = ddots @ K",
        "dQ = np.swapaxes(ddots, -1, -2) @ K",
        "equal_sizes_hide_no_wrong_gradient",
        "Your dQ runs down the columns of the scores. A query collects from all the keys in its own row.",
    ),
    dQ_and_dK_swapped=edit(
        "    return dQ, dK, dV\n",
        "    return dK, dQ, dV\n",
        "equal_sizes_hide_no_wrong_gradient",
        "Your dQ and dK have changed places, either at the end or in the formulas.",
    ),
    gradients_in_reverse_order=edit(
        "    return dQ, dK, dV\n",
        "    return dV, dK, dQ\n",
        "equal_sizes_hide_no_wrong_gradient",
        "Your gradients come back in the order in which they were found. The order agreed on is dQ, dK, dV.",
    ),
    backward_transposes_every_axis=edit(
        "dV = np.swapaxes(weights, -1, -2) @ dout",
        "dV = weights.T @ dout",
        "values_get_their_gradient",
        "Your `.T` reverses all axes. With a batch in front, its axis ends up last; only the last two may trade "
        "places.",
        "backward_transposes_every_axis_everywhere",
    ),
    backward_in_place=edit(
        "dscores = weights * (dweights - along)",
        "weights *= dweights - along\n    dscores = weights",
        "backward_leaves_the_cache_alone",
        "Your backward pass writes into the weights of the cache. The gradients are right, but code that looks at "
        "the weights afterwards finds something else.",
    ),
    row_sums_without_keepdims=edit(
        "along = (dweights * weights).sum(axis=-1, keepdims=True)",
        "along = (dweights * weights).sum(axis=-1)",
        "values_get_their_gradient",
        "Your sum over a row has lost its axis, so it meets the keys and not the queries. Keep the axis with "
        "keepdims=True.",
    ),
    weights_without_the_mask=edit(
        "Q, K, V, weights = cache",
        "Q, K, V, _ = cache\n    weights = attention_weights(attention_scores(Q, K))",
        "backward_of_a_masked_triple",
        "You compute the weights again from Q and K, and the mask is lost: forbidden keys get gradients. Take the "
        "weights from the cache, where they are already zero.",
    ),
    dV_from_reshaped_weights=edit(
        "dV = np.swapaxes(weights, -1, -2) @ dout",
        "dV = weights.reshape(*weights.shape[:-2], weights.shape[-1], weights.shape[-2]) @ dout",
        "backward_of_a_masked_triple",
        "Your weights are turned by `reshape` on the way to dV. That gives the shape of the transpose, with the numbers in other "
        "places.",
    ),
    dK_from_reshaped_scores=edit(
        "dK = np.swapaxes(ddots, -1, -2) @ Q",
        "dK = ddots.reshape(*ddots.shape[:-2], ddots.shape[-1], ddots.shape[-2]) @ Q",
        "backward_of_a_masked_triple",
        "Your gradient of the scores is turned by `reshape` on the way to dK. That gives the shape of the transpose, with the "
        "numbers in other places.",
    ),
    dV_averaged_over_queries=edit(
        "dV = np.swapaxes(weights, -1, -2) @ dout",
        "dV = np.swapaxes(weights, -1, -2) @ dout / dout.shape[-2]",
        "backward_of_a_masked_triple",
        "Your dV is divided by the number of queries. Every query that read a value says something about it, and that adds up.",
    ),
    softmax_jacobian_sum_without_its_weight=edit(
        "dscores = weights * (dweights - along)",
        "dscores = weights * dweights - along",
        "backward_of_a_masked_triple",
        "Your sum over the row is taken off every score as it is. Multiply out the derivative of the softmax once more: which "
        "factor does the second term have?",
    ),
    dV_scaled_too=edit(
        "dV = np.swapaxes(weights, -1, -2) @ dout",
        "dV = np.swapaxes(weights, -1, -2) @ dout / np.sqrt(Q.shape[-1])",
        "backward_by_hand",
        "Your dV is divided by the scale as well. The scale stands between the dot products and the scores; values never pass "
        "it.",
    ),
    softmax_jacobian_over_everything=edit(
        "along = (dweights * weights).sum(axis=-1, keepdims=True)",
        "along = (dweights * weights).sum()",
        "backward_of_a_masked_triple",
        "Your softmax derivative takes one sum over all queries. Each row has a total of its own, so each row needs a sum of "
        "its own.",
        "softmax_jacobian_over_a_sequence",
    ),
    softmax_jacobian_over_a_sequence=edit(
        "along = (dweights * weights).sum(axis=-1, keepdims=True)",
        "along = (dweights * weights).sum(axis=(-2, -1), keepdims=True)",
        "backward_of_a_masked_triple",
        "Your softmax derivative takes one sum over all queries of a sequence. Each row has a total of its own, so each row "
        "needs a sum of its own.",
        "softmax_jacobian_over_everything",
    ),
    backward_transposes_every_axis_everywhere=edit(
        "dweights = dout @ np.swapaxes(V, -1, -2)\n    along = (dweights * weights).sum(axis=-1, keepdims=True)\n"
        "    dscores = weights * (dweights - along)\n    ddots = dscores / np.sqrt(Q.shape[-1])\n    dQ = ddots @ K\n"
        "    dK = np.swapaxes(ddots, -1, -2) @ Q\n",
        "dV = weights.T @ dout\n    dweights = dout @ V.T\n    along = (dweights * weights).sum(axis=-1, keepdims=True)\n"
        "    ddots = weights * (dweights - along) / np.sqrt(Q.shape[-1])\n    dQ = ddots @ K\n    dK = ddots.T @ Q\n",
        "backward_takes_a_batch",
        "Your `.T` reverses all axes. With a batch in front, its axis ends up last; only the last two may trade places.",
        "backward_transposes_every_axis",
    ),
    backward_turns_weights_into_gradients=edit(
        "    dscores = weights * (dweights - along)\n    ddots = dscores / np.sqrt(Q.shape[-1])\n",
        "    weights *= dweights - along\n    weights /= np.sqrt(Q.shape[-1])\n    ddots = weights\n",
        "backward_leaves_dout_alone",
        "Your backward pass writes into the weights of the cache. The gradients are right, but code that looks at the weights "
        "afterwards finds something else.",
    ),
    softmax_jacobian_weight_on_the_sum_only=edit(
        "dscores = weights * (dweights - along)",
        "dscores = dweights - weights * along",
        "backward_by_hand",
        "Your softmax derivative has the weight as a factor of the sum only. It belongs to both terms.",
    ),
)


MISCONCEPTIONS = (
    *AVERAGE,
    *SIMILARITY,
    *PROJECT,
    *SCORES,
    *WEIGHTS,
    *ATTENTION,
    *FOLDED,
    *CAUSAL,
    *PADDING,
    *SELF,
    *BACKWARD,
)
