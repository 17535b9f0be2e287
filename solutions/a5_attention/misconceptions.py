"""Known mistakes of a5_attention, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.spec import Misconception

AVERAGE = (
    Misconception(
        "divides_by_T",
        "average_context",
        old="return running / counts",
        new="return running / x.shape[-2]",
        caught_by="averages_of_any_shape",
        says="Your sums are all divided by the length of the whole sequence. At position i only i tokens have been "
        "read so far, so your early averages come out too small.",
    ),
    Misconception(
        "sum_not_mean",
        "average_context",
        old="return running / counts",
        new="return running",
        caught_by="averages_of_any_shape",
        says="Your output is the running sum, not the mean: it grows with every token that is read.",
    ),
    Misconception(
        "average_excludes_self",
        "average_context",
        old="return running / counts",
        new="return (running - x) / np.maximum(counts - 1, 1)",
        caught_by="averages_of_any_shape",
        says="Your average at position i stops at the token before it. A position belongs to its own context; look at "
        "what your first position gets.",
        twins=("average_of_nothing_first",),
    ),
    Misconception(
        "average_of_nothing_first",
        "average_context",
        old="return running / counts",
        new="return (running - x) / (counts - 1)",
        caught_by="averages_of_any_shape",
        says="Your average at position i stops at the token before it, so the first one averages nothing. A position belongs "
        "to its own context.",
        twins=("average_excludes_self",),
    ),
    Misconception(
        "average_counts_self_but_skips_it",
        "average_context",
        old="return running / counts",
        new="return (running - x) / counts",
        caught_by="averages_of_any_shape",
        says="Your sum leaves out the present token while your divisor counts it. Check which tokens a slice up to i "
        "takes in.",
    ),
    Misconception(
        "counts_from_zero",
        "average_context",
        old="np.arange(1, x.shape[-2] + 1)",
        new="np.arange(x.shape[-2])",
        caught_by="averages_of_any_shape",
        says="Your divisor starts at zero, so the first position is divided by nothing. Positions are numbered from 1 "
        "in the formula and from 0 in Python.",
    ),
    Misconception(
        "counts_one_too_many",
        "average_context",
        old="np.arange(1, x.shape[-2] + 1)",
        new="np.arange(2, x.shape[-2] + 2)",
        caught_by="one_token_averages_to_itself",
        says="Your divisor is one too large everywhere: the very first token comes back halved.",
    ),
    Misconception(
        "averages_whole_sequence",
        "average_context",
        old="running = np.cumsum(x, axis=-2)",
        new="running = x.sum(axis=-2, keepdims=True) * counts / x.shape[-2]",
        caught_by="averages_ignore_the_future",
        says="Your every position gets the mean of the whole sequence, so it also knows the tokens still to come. "
        "Each position has a mean of its own.",
    ),
    Misconception(
        "averages_the_future",
        "average_context",
        old="return running / counts",
        new="return (np.cumsum(x[..., ::-1, :], axis=-2) / counts)[..., ::-1, :]",
        caught_by="averages_ignore_the_future",
        says="Your average runs from the present token to the end. Context is what came before.",
    ),
    Misconception(
        "averages_over_features",
        "average_context",
        old="running = np.cumsum(x, axis=-2)",
        new="running = np.cumsum(x, axis=-1)",
        caught_by="averages_of_any_shape",
        says="Your running sum goes along the features of one token. It is the positions that are averaged; features "
        "stay apart.",
    ),
    Misconception(
        "averages_over_first_axis",
        "average_context",
        old="running = np.cumsum(x, axis=-2)",
        new="running = np.cumsum(x, axis=0)",
        caught_by="averages_of_any_shape",
        says="Your running sum goes along the first axis. Without a batch that is time; with one, you are averaging "
        "different sequences. Count axes from the end.",
    ),
    Misconception(
        "averages_over_second_axis",
        "average_context",
        old="running = np.cumsum(x, axis=-2)",
        new="running = np.cumsum(x, axis=1)",
        caught_by="averages_of_any_shape",
        says="Your running sum goes along axis 1, which is time only when exactly one axis stands in front of it. "
        "Count axes from the end.",
    ),
    Misconception(
        "returns_last_average_only",
        "average_context",
        old="return running / counts",
        new="return running[..., -1, :] / x.shape[-2]",
        caught_by="averages_of_any_shape",
        says="Your function returns one vector, the average at the last position. Every position needs one.",
    ),
    Misconception(
        "averages_in_place",
        "average_context",
        old="running = np.cumsum(x, axis=-2)",
        new="running = np.cumsum(x, axis=-2, out=x)",
        caught_by="averaging_leaves_its_input_alone",
        says="Your running sum is written into the caller's array: the averages are right, but the tokens are gone.",
    ),
)

SIMILARITY = (
    Misconception(
        "similarity_without_scale",
        "similarity_context",
        old="similarities = attention_scores(x, x)",
        new="similarities = x @ np.swapaxes(x, -1, -2)",
        caught_by="similarities_of_any_shape",
        says="Your similarities are plain dot products. Without the scale in the formula they grow with the number of "
        "features, and the softmax turns into a hard choice.",
    ),
    Misconception(
        "similarity_divides_by_d",
        "similarity_context",
        old="similarities = attention_scores(x, x)",
        new="similarities = x @ np.swapaxes(x, -1, -2) / x.shape[-1]",
        caught_by="similarities_of_any_shape",
        says="Your similarities are divided by the number of features itself. Look at the formula's scale once more: "
        "you flatten the shares towards a plain average.",
    ),
    Misconception(
        "similarity_divides_by_sqrt_T",
        "similarity_context",
        old="similarities = attention_scores(x, x)",
        new="similarities = x @ np.swapaxes(x, -1, -2) / np.sqrt(T)",
        caught_by="similarities_of_any_shape",
        says="Your scale follows the length of the sequence. What makes dot products large is the number of features "
        "that are summed.",
    ),
    Misconception(
        "similarity_multiplies_by_scale",
        "similarity_context",
        old="similarities = attention_scores(x, x)",
        new="similarities = x @ np.swapaxes(x, -1, -2) * np.sqrt(x.shape[-1])",
        caught_by="similarities_of_any_shape",
        says="Your similarities are multiplied by the scale. It is there to make them smaller.",
    ),
    Misconception(
        "cosine_for_dot_product",
        "similarity_context",
        old="similarities = attention_scores(x, x)",
        new="unit = x / np.linalg.norm(x, axis=-1, keepdims=True)\n    similarities = unit @ np.swapaxes(unit, -1, -2)",
        caught_by="similarities_of_any_shape",
        says="Your similarities are cosines: every vector was brought to length one first. The formula takes the dot "
        "product, in which a longer vector counts for more.",
        twins=("cosine_and_the_root",),
    ),
    Misconception(
        "cosine_and_the_root",
        "similarity_context",
        old="similarities = attention_scores(x, x)",
        new="unit = x / np.linalg.norm(x, axis=-1, keepdims=True)\n    similarities = attention_scores(unit, unit)",
        caught_by="similarities_of_any_shape",
        says="Your similarities are cosines, divided by the root as well: every vector was brought to length one first. The "
        "formula takes the dot product, in which a longer vector counts for more.",
        twins=("cosine_for_dot_product",),
    ),
    Misconception(
        "similarity_sees_future",
        "similarity_context",
        old="shares = attention_weights(similarities, past)",
        new="shares = attention_weights(similarities)",
        caught_by="similarities_ignore_the_future",
        says="Your positions also read what comes after them. The sum in the formula ends at the present position.",
    ),
    Misconception(
        "similarity_excludes_self",
        "similarity_context",
        old="past = causal_mask(T, T)",
        new="past = np.tri(T, k=-1, dtype=bool)",
        caught_by="similarities_of_any_shape",
        says="Your positions do not read themselves, which leaves the first one with nothing to read. The present "
        "position belongs to its own context.",
    ),
    Misconception(
        "similarity_sees_next",
        "similarity_context",
        old="past = causal_mask(T, T)",
        new="past = np.tri(T, k=1, dtype=bool)",
        caught_by="similarities_of_any_shape",
        says="Your positions read one token too many: the one right after them. Check where your slice ends.",
    ),
    Misconception(
        "similarity_reads_only_future",
        "similarity_context",
        old="past = causal_mask(T, T)",
        new="past = np.tri(T, dtype=bool).T",
        caught_by="similarities_ignore_the_future",
        says="Your positions read themselves and what comes after. Past and future have changed places in your mask.",
    ),
    Misconception(
        "similarity_without_softmax",
        "similarity_context",
        old="shares = attention_weights(similarities, past)",
        new="shares = similarities * past",
        caught_by="similarities_of_any_shape",
        says="Your weights are the similarities themselves: they may be negative, and do not sum to one. Something has "
        "to turn them into shares.",
    ),
    Misconception(
        "similarity_divided_by_count",
        "similarity_context",
        old="shares = attention_weights(similarities, past)",
        new="shares = similarities * past / np.arange(1, T + 1)[:, None]",
        caught_by="similarities_of_any_shape",
        says="Your similarities are divided by how many tokens were read, as in attempt one. That does not make them "
        "shares: they still can be negative and sum to anything.",
    ),
    Misconception(
        "similarity_divided_by_sum",
        "similarity_context",
        old="shares = attention_weights(similarities, past)",
        new="shares = similarities * past / (similarities * past).sum(axis=-1, keepdims=True)",
        caught_by="similarities_of_any_shape",
        says="Your shares are similarities divided by their sum, without the exponential. They sum to one, but they "
        "can be negative, and a sum near zero makes them explode.",
    ),
    Misconception(
        "similarity_masks_after_softmax",
        "similarity_context",
        old="shares = attention_weights(similarities, past)",
        new="shares = attention_weights(similarities) * past",
        caught_by="similarities_ignore_the_future",
        says="Your softmax still runs over all positions, and the future is cut off afterwards: the shares that remain "
        "do not sum to one, and what is to come decides by how much.",
    ),
    Misconception(
        "similarity_scores_future_zero",
        "similarity_context",
        old="shares = attention_weights(similarities, past)",
        new="shares = attention_weights(similarities * past)",
        caught_by="similarities_of_any_shape",
        says="Your future positions have a score of zero. The exponential of zero is one, so they still get a share.",
    ),
    Misconception(
        "similarity_softmax_over_rows",
        "similarity_context",
        old="shares = attention_weights(similarities, past)",
        new="shares = np.swapaxes(attention_weights(np.swapaxes(similarities, -1, -2), past.T), -1, -2)",
        caught_by="similarities_of_any_shape",
        says="Your shares sum to one down each column, over the positions that read. It is each reading position that "
        "has a total of one to share out.",
    ),
    Misconception(
        "similarity_overflows",
        "similarity_context",
        old="shares = attention_weights(similarities, past)",
        new="raised = np.exp(similarities) * past\n    shares = raised / raised.sum(axis=-1, keepdims=True)",
        caught_by="long_vectors_do_not_overflow",
        says="Your exponential overflows when vectors are long, and infinity divided by infinity is no number. A "
        "softmax stays the same when a constant is taken off the whole row.",
    ),
    Misconception(
        "returns_shares",
        "similarity_context",
        old="return shares @ x",
        new="return shares",
        caught_by="similarities_of_any_shape",
        says="Your function returns the shares. They are the recipe; the mixture of the vectors is still to be made.",
    ),
    Misconception(
        "similarity_shares_transposed",
        "similarity_context",
        old="return shares @ x",
        new="return np.swapaxes(shares, -1, -2) @ x",
        caught_by="similarities_ignore_the_future",
        says="Your shares are transposed before they mix the vectors, so a position is given out where it should read, "
        "and the future comes in.",
    ),
    Misconception(
        "similarity_adds_token",
        "similarity_context",
        old="return shares @ x",
        new="return x + shares @ x",
        caught_by="similarities_of_any_shape",
        says="Your output adds the token once more to its mixture. That residual comes with the whole Transformer; "
        "here the token already has its own share.",
    ),
    Misconception(
        "similarity_in_place",
        "similarity_context",
        old="return shares @ x",
        new="x[...] = shares @ x\n    return x",
        caught_by="comparing_leaves_its_input_alone",
        says="Your outputs are written over the caller's tokens. Put them into an array of their own.",
    ),
)

PROJECT = (
    Misconception(
        "one_matrix_for_queries_and_keys",
        "project_qkv",
        old="K = X @ W_k",
        new="K = X @ W_q",
        caught_by="projections_of_any_shape",
        says="Your keys come from the matrix of the queries. Asking and being found are two roles, and each has its "
        "own matrix.",
    ),
    Misconception(
        "queries_from_W_k",
        "project_qkv",
        old="Q = X @ W_q",
        new="Q = X @ W_k",
        caught_by="projections_of_any_shape",
        says="Your queries come from the matrix of the keys. Each role has its own matrix.",
    ),
    Misconception(
        "values_from_W_q",
        "project_qkv",
        old="V = X @ W_v",
        new="V = X @ W_q",
        caught_by="projections_of_any_shape",
        says="Your values come from the matrix of the queries, and have its width. What a position hands on has a "
        "matrix of its own.",
    ),
    Misconception(
        "values_from_W_k",
        "project_qkv",
        old="V = X @ W_v",
        new="V = X @ W_k",
        caught_by="projections_of_any_shape",
        says="Your values come from the matrix of the keys. What a position is found by and what it hands on are two "
        "things.",
    ),
    Misconception(
        "values_not_projected",
        "project_qkv",
        old="V = X @ W_v",
        new="V = X",
        caught_by="projections_of_any_shape",
        says="Your values are the input itself. Values are projected, too.",
    ),
    Misconception(
        "values_projected_from_keys",
        "project_qkv",
        old="V = X @ W_v",
        new="V = K @ W_v",
        caught_by="square_matrices_are_not_transposed",
        says="Your values are projected from the keys, one after the other. All three are made from X, side by side.",
    ),
    Misconception(
        "keys_projected_from_queries",
        "project_qkv",
        old="K = X @ W_k",
        new="K = Q @ W_k",
        caught_by="square_matrices_are_not_transposed",
        says="Your keys are projected from the queries, one after the other. All three are made from X, side by side.",
    ),
    Misconception(
        "returns_keys_first",
        "project_qkv",
        old="    return Q, K, V\n    # END SOLUTION\n\n\ndef attention_scores",
        new="    return K, Q, V\n    # END SOLUTION\n\n\ndef attention_scores",
        caught_by="projections_of_any_shape",
        says="Your keys come back first and your queries second. The order agreed on is Q, K, V.",
    ),
    Misconception(
        "returns_values_before_keys",
        "project_qkv",
        old="    return Q, K, V\n    # END SOLUTION\n\n\ndef attention_scores",
        new="    return Q, V, K\n    # END SOLUTION\n\n\ndef attention_scores",
        caught_by="projections_of_any_shape",
        says="Your values come back second and your keys third. The order agreed on is Q, K, V.",
    ),
    Misconception(
        "weights_transposed_in_projection",
        "project_qkv",
        old="    Q = X @ W_q\n    K = X @ W_k\n    V = X @ W_v\n",
        new="    Q = X @ W_q.T\n    K = X @ W_k.T\n    V = X @ W_v.T\n",
        caught_by="square_matrices_are_not_transposed",
        says="Your matrices are transposed before they are applied. In this assignment they are stored as "
        "(d_model, d_k) and multiply X from the right, as the formula is printed.",
    ),
    Misconception(
        "scales_while_projecting",
        "project_qkv",
        old="Q = X @ W_q",
        new="Q = X @ W_q / np.sqrt(W_q.shape[-1])",
        caught_by="projections_of_any_shape",
        says="Your queries are scaled already while they are projected. That is sound mathematics in the end, but "
        "`project_qkv` promises the plain projections, and the scores would be scaled twice.",
    ),
)

SCORES = (
    Misconception(
        "no_scale",
        "attention_scores",
        old="return dots / np.sqrt(d_k)",
        new="return dots",
        caught_by="scores_of_any_shape",
        says="Your scores are the plain dot products; they are not divided by sqrt(d_k). Their spread grows with d_k, "
        "and the softmax after them saturates.",
    ),
    Misconception(
        "scale_by_d_k",
        "attention_scores",
        old="return dots / np.sqrt(d_k)",
        new="return dots / d_k",
        caught_by="scale_follows_the_query_length",
        says="Your scores are divided by d_k itself. A sum of d_k independent terms spreads like the square root of "
        "their number, so you flatten them too much.",
    ),
    Misconception(
        "scale_multiplied",
        "attention_scores",
        old="return dots / np.sqrt(d_k)",
        new="return dots * np.sqrt(d_k)",
        caught_by="scores_of_any_shape",
        says="Your scores are multiplied by sqrt(d_k), which makes large dot products still larger.",
    ),
    Misconception(
        "scale_by_sqrt_keys",
        "attention_scores",
        old="return dots / np.sqrt(d_k)",
        new="return dots / np.sqrt(K.shape[-2])",
        caught_by="scores_of_any_shape",
        says="Your scores are divided by the square root of the number of keys. The scale makes up for how many "
        "features a dot product sums, not for how many keys there are.",
    ),
    Misconception(
        "scale_by_sqrt_queries",
        "attention_scores",
        old="return dots / np.sqrt(d_k)",
        new="return dots / np.sqrt(Q.shape[-2])",
        caught_by="scores_of_any_shape",
        says="Your scores are divided by the square root of the number of queries; you may have taken the wrong axis "
        "of Q's shape for d_k.",
    ),
    Misconception(
        "scale_from_first_axis",
        "attention_scores",
        old="return dots / np.sqrt(d_k)",
        new="return dots / np.sqrt(Q.shape[1])",
        caught_by="scores_of_any_shape",
        says="Your d_k is read from axis 1 of Q. That is the number of features only as long as no axis stands in "
        "front; count from the end.",
    ),
    Misconception(
        "scale_on_both_sides",
        "attention_scores",
        old="dots = Q @ np.swapaxes(K, -1, -2)",
        new="dots = (Q / np.sqrt(d_k)) @ np.swapaxes(K, -1, -2) / d_k**0.5",
        caught_by="scores_of_any_shape",
        says="Your scores are scaled more than once: queries, keys or dot products each got a factor of their own. "
        "Count how often you divide in all.",
    ),
    Misconception(
        "keys_ask_queries",
        "attention_scores",
        old="dots = Q @ np.swapaxes(K, -1, -2)",
        new="dots = K @ np.swapaxes(Q, -1, -2)",
        caught_by="rows_are_queries",
        says="Your rows belong to the keys and your columns to the queries. Each query gets a row of scores.",
    ),
    Misconception(
        "transposes_every_axis",
        "attention_scores",
        old="dots = Q @ np.swapaxes(K, -1, -2)",
        new="dots = Q @ K.T",
        caught_by="scores_of_any_shape",
        says="Your `.T` reverses all axes of K. With a batch in front, its axis ends up last; only the last two may "
        "trade places.",
    ),
    Misconception(
        "dot_mixes_the_batch",
        "attention_scores",
        old="dots = Q @ np.swapaxes(K, -1, -2)",
        new="dots = np.dot(Q, np.swapaxes(K, -1, -2))",
        caught_by="scores_of_any_shape",
        says="Your `np.dot` lets the queries of one sequence meet the keys of all the others as soon as there is a "
        "batch axis. Look up how `np.dot` and `np.matmul` differ beyond two axes.",
    ),
    Misconception(
        "multiplies_entry_by_entry",
        "attention_scores",
        old="dots = Q @ np.swapaxes(K, -1, -2)",
        new="dots = (Q * K).sum(axis=-1)",
        caught_by="rows_are_queries",
        says="Your queries each meet only the key at their own position. Every query has to meet every key.",
    ),
    Misconception(
        "scores_already_softmaxed",
        "attention_scores",
        old="return dots / np.sqrt(d_k)",
        new="return attention_weights(dots / np.sqrt(d_k))",
        caught_by="scores_of_any_shape",
        says="Your scores went through the softmax already. That is the next function's work, and it needs the raw "
        "scores to apply a mask.",
    ),
    Misconception(
        "scores_are_cosines",
        "attention_scores",
        old="return dots / np.sqrt(d_k)",
        new="lengths = np.linalg.norm(Q, axis=-1)[..., :, None] * np.linalg.norm(K, axis=-1)[..., None, :]\n"
        "    return dots / lengths",
        caught_by="scores_of_any_shape",
        says="Your dot products are divided by the lengths of the two vectors, which makes cosines of them. sqrt(d_k) "
        "is one number, the same for every pair.",
    ),
)

WEIGHTS = (
    Misconception(
        "softmax_over_queries",
        "attention_weights",
        old="raised = np.exp(shifted)\n    return raised / raised.sum(axis=-1, keepdims=True)",
        new="raised = np.exp(shifted + scores.max(axis=-1, keepdims=True) - scores.max(axis=-2, keepdims=True))\n"
        "    return raised / raised.sum(axis=-2, keepdims=True)",
        caught_by="softmax_is_over_keys",
        says="Your weights sum to one over the queries of a key. It is each query that shares out its attention, "
        "along the last axis.",
    ),
    Misconception(
        "softmax_over_everything",
        "attention_weights",
        old="return raised / raised.sum(axis=-1, keepdims=True)",
        new="raised = np.exp(scores - scores.max())\n    return raised / raised.sum()",
        caught_by="every_row_sums_to_one",
        says="Your weights sum to one over the whole array: without an axis, `sum` adds up everything. Each row is a "
        "distribution of its own.",
    ),
    Misconception(
        "softmax_not_normalised",
        "attention_weights",
        old="return raised / raised.sum(axis=-1, keepdims=True)",
        new="return raised",
        caught_by="every_row_sums_to_one",
        says="Your weights are exponentials that nobody has divided: a row does not sum to one.",
    ),
    Misconception(
        "no_exponential",
        "attention_weights",
        old="return raised / raised.sum(axis=-1, keepdims=True)",
        new="kept = np.where(np.isfinite(scores), scores, 0.0)\n    return kept / kept.sum(axis=-1, keepdims=True)",
        caught_by="every_row_sums_to_one",
        says="Your scores are divided by their sum without an exponential, so a negative score becomes a negative "
        "share.",
    ),
    Misconception(
        "returns_logarithms",
        "attention_weights",
        old="return raised / raised.sum(axis=-1, keepdims=True)",
        new="return shifted - np.log(raised.sum(axis=-1, keepdims=True))",
        caught_by="every_row_sums_to_one",
        says="Your function returns logarithms of the weights. They are handy for a loss; values are mixed with the "
        "weights themselves.",
    ),
    Misconception(
        "no_max_subtraction",
        "attention_weights",
        old="shifted = scores - scores.max(axis=-1, keepdims=True)",
        new="shifted = scores",
        caught_by="every_row_has_its_own_maximum",
        says="Your exponential overflows for large scores, and infinity divided by infinity is no number. A softmax "
        "stays the same when a constant is taken off its whole row.",
    ),
    Misconception(
        "one_maximum_for_all_rows",
        "attention_weights",
        old="shifted = scores - scores.max(axis=-1, keepdims=True)",
        new="shifted = scores - scores.max()",
        caught_by="every_row_has_its_own_maximum",
        says="Your rows all lose the same maximum, that of the whole array. A row far below it underflows to nothing "
        "but zeros, and zero divided by zero is no number.",
    ),
    Misconception(
        "subtracts_the_mean",
        "attention_weights",
        old="shifted = scores - scores.max(axis=-1, keepdims=True)",
        new="shifted = scores - np.where(np.isfinite(scores), scores, 0.0).mean(axis=-1, keepdims=True)",
        caught_by="a_row_may_span_thousands",
        says="Your rows lose their mean before the exponential. That keeps the ratios, but a score far above the mean "
        "still overflows.",
    ),
    Misconception(
        "subtracts_the_minimum",
        "attention_weights",
        old="shifted = scores - scores.max(axis=-1, keepdims=True)",
        new="shifted = scores - np.where(np.isfinite(scores), scores, np.inf).min(axis=-1, keepdims=True)",
        caught_by="a_row_may_span_thousands",
        says="Your rows lose their smallest score before the exponential. What is left is the distance from the smallest "
        "to the largest, and in a row that spans thousands the exponential of that overflows.",
    ),
    Misconception(
        "divides_by_the_maximum",
        "attention_weights",
        old="shifted = scores - scores.max(axis=-1, keepdims=True)",
        new="shifted = scores / np.abs(np.where(np.isfinite(scores), scores, 0.0)).max(axis=-1, keepdims=True)",
        caught_by="softmax_is_over_keys",
        says="Your rows are divided by their largest score to keep them small. That changes the ratios between the "
        "weights; taking a constant off does not.",
    ),
    Misconception(
        "scales_again",
        "attention_weights",
        old="shifted = scores - scores.max(axis=-1, keepdims=True)",
        new="shifted = (scores - scores.max(axis=-1, keepdims=True)) / np.sqrt(scores.shape[-1])",
        caught_by="softmax_is_over_keys",
        says="Your softmax divides the scores once more. They arrive scaled, and their last axis counts keys, not "
        "features.",
    ),
    Misconception(
        "mask_ignored_in_softmax",
        "attention_weights",
        old="if mask is not None:\n        scores = np.where(mask, scores, -np.inf)",
        new="if mask is not None:\n        scores = scores + 0.0",
        caught_by="masks_of_every_kind",
        says="Your weights are the same with a mask and without one; it is never used.",
    ),
    Misconception(
        "mask_inverted_in_softmax",
        "attention_weights",
        old="scores = np.where(mask, scores, -np.inf)",
        new="scores = np.where(mask, -np.inf, scores)",
        caught_by="masks_of_every_kind",
        says="Your softmax hides what the mask allows and shows what it forbids. Here True means that a key may be "
        "read; some libraries have it the other way round.",
    ),
    Misconception(
        "fills_with_zero",
        "attention_weights",
        old="scores = np.where(mask, scores, -np.inf)",
        new="scores = np.where(mask, scores, 0.0)",
        caught_by="masks_of_every_kind",
        says="Your forbidden keys get a score of zero. The exponential of zero is one, so they still take a share, "
        "often a large one.",
    ),
    Misconception(
        "finite_fill_too_small",
        "attention_weights",
        old="scores = np.where(mask, scores, -np.inf)",
        new="scores = np.where(mask, scores, -100.0)",
        caught_by="masked_rows_may_be_low",
        says="Your forbidden keys get a score that is merely low. As soon as the allowed scores are lower still, the "
        "forbidden keys win.",
    ),
    Misconception(
        "mask_added_as_numbers",
        "attention_weights",
        old="scores = np.where(mask, scores, -np.inf)",
        new="scores = scores + mask",
        caught_by="masks_of_every_kind",
        says="Your mask is added to the scores as it is: True counts as 1 and False as 0, so every key stays in, and "
        "allowed ones get a small bonus.",
    ),
    Misconception(
        "masks_after_softmax",
        "attention_weights",
        old="if mask is not None:\n        scores = np.where(mask, scores, -np.inf)\n"
        "    shifted = scores - scores.max(axis=-1, keepdims=True)\n    raised = np.exp(shifted)\n"
        "    return raised / raised.sum(axis=-1, keepdims=True)",
        new="shifted = scores - scores.max(axis=-1, keepdims=True)\n    raised = np.exp(shifted)\n"
        "    weights = raised / raised.sum(axis=-1, keepdims=True)\n"
        "    return weights if mask is None else weights * mask",
        caught_by="every_row_sums_to_one",
        says="Your mask cuts weights off after the softmax: what remains no longer sums to one, and the hidden scores "
        "still decide by how much.",
    ),
    Misconception(
        "mask_hides_queries",
        "attention_weights",
        old="scores = np.where(mask, scores, -np.inf)",
        new="scores = np.where(np.swapaxes(np.broadcast_to(mask, scores.shape), -1, -2), scores, -np.inf)",
        caught_by="square_masks_keep_their_direction",
        says="Your mask is applied with its last two axes exchanged. Rows of the mask are queries and columns keys, "
        "just as in the scores.",
    ),
    Misconception(
        "overwrites_forbidden_scores",
        "attention_weights",
        old="scores = np.where(mask, scores, -np.inf)",
        new="np.copyto(scores, -np.inf, where=~np.asarray(mask))",
        caught_by="scores_are_left_alone",
        says="Your masked scores are written into the caller's array. The weights are right, but whoever wants to "
        "look at the scores afterwards, or use them with another mask, finds them gone.",
    ),
    Misconception(
        "subtracts_in_place",
        "attention_weights",
        old="shifted = scores - scores.max(axis=-1, keepdims=True)",
        new="shifted = scores\n    shifted -= scores.max(axis=-1, keepdims=True)",
        caught_by="scores_are_left_alone",
        says="Your `-=` changes the caller's scores: giving an array a second name does not copy it.",
    ),
)

ATTENTION = (
    Misconception(
        "attention_without_scale",
        "attention",
        old="scores = attention_scores(Q, K)",
        new="scores = Q @ np.swapaxes(K, -1, -2)",
        caught_by="attention_of_any_shape",
        says="Your attention does not divide the dot products by sqrt(d_k). The more features a query has, the more "
        "your softmax picks one key and forgets the others.",
    ),
    Misconception(
        "attention_scales_by_d_k",
        "attention",
        old="scores = attention_scores(Q, K)",
        new="scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1]",
        caught_by="attention_of_any_shape",
        says="Your attention divides the dot products by d_k itself, which flattens the weights too much. Look at the "
        "formula's scale once more.",
    ),
    Misconception(
        "attention_scales_by_d_v",
        "attention",
        old="scores = attention_scores(Q, K)",
        new="scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1])",
        caught_by="attention_of_any_shape",
        says="Your scale is taken from the values. It makes up for the length of the dot product, and values take no "
        "part in that.",
    ),
    Misconception(
        "keys_attend_to_queries",
        "attention",
        old="scores = attention_scores(Q, K)",
        new="scores = attention_scores(K, Q)",
        caught_by="equal_sizes_hide_no_slip",
        says="Your keys ask and your queries answer: they have changed places in the scores.",
    ),
    Misconception(
        "queries_attend_to_queries",
        "attention",
        old="scores = attention_scores(Q, K)",
        new="scores = attention_scores(Q, Q)",
        caught_by="equal_sizes_hide_no_slip",
        says="Your queries are compared with each other, and the keys are never used.",
    ),
    Misconception(
        "attention_mask_ignored",
        "attention",
        old="weights = attention_weights(scores, mask)",
        new="weights = attention_weights(scores)",
        caught_by="attention_under_every_mask",
        says="Your attention takes a mask and does nothing with it, so every query reads every value.",
    ),
    Misconception(
        "attention_mask_inverted",
        "attention",
        old="weights = attention_weights(scores, mask)",
        new="weights = attention_weights(scores, None if mask is None else ~mask)",
        caught_by="attention_under_every_mask",
        says="Your attention reads exactly the values that the mask forbids. True means that a key may be read.",
        twins=("attention_mask_filled_where_true",),
    ),
    Misconception(
        "attention_mask_filled_where_true",
        "attention",
        old="weights = attention_weights(scores, mask)",
        new="weights = attention_weights(scores if mask is None else np.where(mask, -1e9, scores))",
        caught_by="attention_under_every_mask",
        says="Your attention fills the scores where the mask is True, and so reads what it forbids. True means that a key may "
        "be read.",
        twins=("attention_mask_inverted",),
    ),
    Misconception(
        "attention_masks_after_softmax",
        "attention",
        old="weights = attention_weights(scores, mask)",
        new="weights = attention_weights(scores) * (True if mask is None else mask)",
        caught_by="attention_under_every_mask",
        says="Your mask is multiplied into the weights after the softmax, so they no longer sum to one, and hidden "
        "keys still make the others' shares smaller.",
    ),
    Misconception(
        "attention_scores_masked_zero",
        "attention",
        old="weights = attention_weights(scores, mask)",
        new="weights = attention_weights(scores * (True if mask is None else mask))",
        caught_by="attention_under_every_mask",
        says="Your mask is multiplied into the scores, which makes hidden scores zero. The exponential of zero is one: "
        "hidden keys still take a share.",
    ),
    Misconception(
        "attention_mask_transposed",
        "attention",
        old="weights = attention_weights(scores, mask)",
        new="weights = attention_weights(scores, None if mask is None else np.swapaxes(mask, -1, -2))",
        caught_by="equal_sizes_hide_no_slip",
        says="Your mask is transposed before use. Its rows are queries and its columns keys, as in the scores.",
    ),
    Misconception(
        "attention_softmax_over_queries",
        "attention",
        old="weights = attention_weights(scores, mask)",
        new="allowed = np.broadcast_to(True if mask is None else mask, scores.shape)\n"
        "    raised = np.exp(scores) * allowed\n"
        "    weights = raised / np.maximum(raised.sum(axis=-2, keepdims=True), 1e-300)",
        caught_by="attention_of_any_shape",
        says="Your weights sum to one over the queries: each value is shared out among those who read it. It is each "
        "query that takes shares of the values, which sum to one over the keys.",
    ),
    Misconception(
        "attention_without_softmax",
        "attention",
        old="weights = attention_weights(scores, mask)",
        new="weights = scores * (True if mask is None else mask)",
        caught_by="attention_of_any_shape",
        says="Your values are weighted by the raw scores, which may be negative and sum to anything. They have to "
        "become shares first.",
    ),
    Misconception(
        "attention_overflows",
        "attention",
        old="weights = attention_weights(scores, mask)",
        new="raised = np.exp(scores) * (True if mask is None else mask)\n"
        "    weights = raised / raised.sum(axis=-1, keepdims=True)",
        caught_by="large_dot_products_do_not_overflow",
        says="Your attention takes the exponential of large scores as they are and gets infinity. A softmax stays the "
        "same when a constant is taken off its whole row.",
    ),
    Misconception(
        "mixes_keys_not_values",
        "attention",
        old="return weights @ V",
        new="return weights @ K",
        caught_by="equal_sizes_hide_no_slip",
        says="Your output is a mixture of keys. Keys are there to be found; what is handed on are the values.",
    ),
    Misconception(
        "mixes_queries_not_values",
        "attention",
        old="return weights @ V",
        new="return weights @ Q",
        caught_by="equal_sizes_hide_no_slip",
        says="Your output is a mixture of queries. What is handed on are the values.",
    ),
    Misconception(
        "weights_transposed",
        "attention",
        old="return weights @ V",
        new="return np.swapaxes(weights, -1, -2) @ V",
        caught_by="equal_sizes_hide_no_slip",
        says="Your weights are transposed before they meet the values, so their columns, which need not sum to one, do "
        "the mixing. Each query's row mixes the values.",
    ),
    Misconception(
        "values_not_weighted",
        "attention",
        old="return weights @ V",
        new="return V.mean(axis=-2, keepdims=True) + 0.0 * weights[..., :1]",
        caught_by="attention_of_any_shape",
        says="Your output is the plain mean of the values; the weights are computed and then not used.",
    ),
    Misconception(
        "returns_weights_only",
        "attention",
        old="return weights @ V",
        new="return weights",
        caught_by="attention_of_any_shape",
        says="Your function returns the weights. They say how to mix; the mixture of the values is still to be made.",
    ),
    Misconception(
        "returns_output_and_weights",
        "attention",
        old="return weights @ V",
        new="return weights @ V, weights",
        caught_by="attention_of_any_shape",
        says="Your function returns two things, the output and the weights. Here it promises the output alone.",
    ),
    Misconception(
        "attention_adds_queries",
        "attention",
        old="return weights @ V",
        new="return weights @ V + Q",
        caught_by="equal_sizes_hide_no_slip",
        says="Your output has the queries added to it. The residual around attention comes with the whole Transformer; "
        "this function is the attention alone.",
    ),
    Misconception(
        "attention_scales_its_inputs",
        "attention",
        old="scores = attention_scores(Q, K)",
        new="Q *= Q.shape[-1] ** -0.5\n    scores = Q @ np.swapaxes(K, -1, -2)",
        caught_by="attention_leaves_its_inputs_alone",
        says="Your scale is multiplied into the caller's array in place. The output is right this time; a second call "
        "with the same queries would scale them again.",
    ),
)

FOLDED = (
    Misconception(
        "folded_without_scale",
        "folded_scores",
        old="folded = W_q @ W_k.T / np.sqrt(width)",
        new="folded = W_q @ W_k.T",
        caught_by="folded_scores_of_any_shape",
        says="Your folded matrix lacks the scale, so the scores are too large by sqrt(d_k).",
    ),
    Misconception(
        "folded_scaled_by_d_model",
        "folded_scores",
        old="width = W_q.shape[-1]",
        new="width = W_q.shape[0]",
        caught_by="folded_scores_of_any_shape",
        says="Your scale is taken from d_model, the size of the folded matrix. The numbers are to be those of the "
        "direct route, whose dot products sum over a query's features.",
    ),
    Misconception(
        "folded_scaled_by_d_k",
        "folded_scores",
        old="folded = W_q @ W_k.T / np.sqrt(width)",
        new="folded = W_q @ W_k.T / width",
        caught_by="folded_scores_of_any_shape",
        says="Your folded matrix is divided by d_k itself. Look at the formula's scale once more.",
    ),
    Misconception(
        "folded_scaled_twice",
        "folded_scores",
        old="return X @ folded @ np.swapaxes(X, -1, -2)",
        new="return attention_scores(X @ folded, X)",
        caught_by="folded_scores_of_any_shape",
        says="Your scores are scaled twice: once in the folded matrix, and once more when the result meets X.",
    ),
    Misconception(
        "folded_in_reverse",
        "folded_scores",
        old="folded = W_q @ W_k.T / np.sqrt(width)",
        new="folded = W_k @ W_q.T / np.sqrt(width)",
        caught_by="folded_scores_of_any_shape",
        says="Your folded matrix is the transpose of the right one: queries and keys have changed places. Write out "
        "Q K^T with Q = X W_q and K = X W_k, and watch the order.",
    ),
    Misconception(
        "folded_inside_out",
        "folded_scores",
        old="folded = W_q @ W_k.T / np.sqrt(width)",
        new="folded = W_q.T @ W_k / np.sqrt(width)",
        caught_by="square_folding_keeps_its_order",
        says="Your folded matrix sums over the input's features and has the size of a query. It has to fit between X "
        "and X transposed: (d_model, d_model).",
    ),
    Misconception(
        "folded_not_transposed",
        "folded_scores",
        old="folded = W_q @ W_k.T / np.sqrt(width)",
        new="folded = W_q @ W_k / np.sqrt(width)",
        caught_by="square_folding_keeps_its_order",
        says="Your two matrices are multiplied without a transpose. (X W_k) is transposed in the scores; what does "
        "that make of W_k?",
    ),
    Misconception(
        "folded_from_W_q_alone",
        "folded_scores",
        old="folded = W_q @ W_k.T / np.sqrt(width)",
        new="folded = W_q @ W_q.T / np.sqrt(width)",
        caught_by="folded_scores_of_any_shape",
        says="Your folded matrix holds W_q twice. That makes it symmetric: i would always score j as j scores i.",
    ),
    Misconception(
        "folded_on_one_side",
        "folded_scores",
        old="return X @ folded @ np.swapaxes(X, -1, -2)",
        new="return X @ folded",
        caught_by="folded_scores_of_any_shape",
        says="Your result is only half way: the queries are there, folded, but they have not met any position yet.",
    ),
    Misconception(
        "folded_transposes_every_axis",
        "folded_scores",
        old="return X @ folded @ np.swapaxes(X, -1, -2)",
        new="return X @ folded @ X.T",
        caught_by="folded_scores_of_any_shape",
        says="Your `.T` reverses all axes of X. With a batch in front, its axis ends up last; only the last two may "
        "trade places.",
    ),
)

CAUSAL = (
    Misconception(
        "sees_next_token",
        "causal_mask",
        old="return keys <= queries + offset",
        new="return keys <= queries + offset + 1",
        caught_by="square_masks",
        says="Your mask lets every position read the one right after it, which is just what it is asked to predict.",
    ),
    Misconception(
        "hides_self",
        "causal_mask",
        old="return keys <= queries + offset",
        new="return keys < queries + offset",
        caught_by="square_masks",
        says="Your mask hides each position from itself, and the first one is left with nothing to read. A position "
        "has been read when it is its turn.",
    ),
    Misconception(
        "upper_for_lower",
        "causal_mask",
        old="return keys <= queries + offset",
        new="return keys >= queries + offset",
        caught_by="square_masks",
        says="Your mask allows the present and the future: it is the upper triangle. Rows are queries; read the last "
        "row, which should see everything.",
    ),
    Misconception(
        "causal_mask_inverted",
        "causal_mask",
        old="return keys <= queries + offset",
        new="return keys > queries + offset",
        caught_by="square_masks",
        says="Your mask is True where reading is forbidden. Some libraries have it so; in this course True means "
        "that a query may read the key.",
    ),
    Misconception(
        "aligned_at_start",
        "causal_mask",
        old="offset = T_k - T_q",
        new="offset = 0",
        caught_by="last_query_sees_every_key",
        says="Your mask lines the first query up with the first key. When there are fewer queries than keys, the "
        "queries are the last positions, and the last one sees everything.",
    ),
    Misconception(
        "aligned_backwards",
        "causal_mask",
        old="offset = T_k - T_q",
        new="offset = T_q - T_k",
        caught_by="last_query_sees_every_key",
        says="Your mask is shifted the wrong way when there are fewer queries than keys: the early queries are left "
        "with nothing. Which position does the last query have?",
    ),
    Misconception(
        "everything_allowed",
        "causal_mask",
        old="return keys <= queries + offset",
        new="return np.ones((T_q, T_k), dtype=bool)",
        caught_by="square_masks",
        says="Your mask allows everything, so it hides nothing.",
    ),
    Misconception(
        "only_the_present",
        "causal_mask",
        old="return keys <= queries + offset",
        new="return keys == queries + offset",
        caught_by="square_masks",
        says="Your mask lets each position read itself only. The past is allowed, all of it.",
    ),
    Misconception(
        "additive_causal_mask",
        "causal_mask",
        old="return keys <= queries + offset",
        new="return np.where(keys <= queries + offset, 0.0, -np.inf)",
        caught_by="square_masks",
        says="Your mask holds 0 and minus infinity, to be added to the scores. That is a good way to apply one, but "
        "this mask is to hold truth values, True where reading is allowed.",
    ),
    Misconception(
        "causal_mask_of_numbers",
        "causal_mask",
        old="return keys <= queries + offset",
        new="return (keys <= queries + offset).astype(float)",
        caught_by="causal_mask_is_boolean",
        says="Your mask holds the right ones and zeros, but as numbers. With numbers, `~mask` and `scores[mask]` fail or "
        "mean something else, so a mask should be of dtype bool.",
    ),
    Misconception(
        "causal_mask_always_square",
        "causal_mask",
        old="return keys <= queries + offset",
        new="return np.tri(T_q, dtype=bool)",
        caught_by="last_query_sees_every_key",
        says="Your mask has as many columns as rows and forgets T_k. There is a column for each key.",
    ),
    Misconception(
        "keys_in_rows",
        "causal_mask",
        old="return keys <= queries + offset",
        new="return (keys <= queries + offset).T",
        caught_by="square_masks",
        says="Your mask has a row for each key and a column for each query. Rows are queries, as in the scores.",
    ),
)

PADDING = (
    Misconception(
        "padding_mask_inverted",
        "padding_mask",
        old="real = ids != pad",
        new="real = ids == pad",
        caught_by="any_number_may_be_the_filler",
        says="Your mask is True on the padding. Some libraries have it so; in this course True means that a key may "
        "be read.",
    ),
    Misconception(
        "masks_padded_queries",
        "padding_mask",
        old="return real[..., None, :]",
        new="return real[..., :, None]",
        caught_by="query_axis_stands_before_keys",
        says="Your mask has its axis of length one last, so it hides padded queries: their rows are left without any "
        "key, while real queries still read the padding. It is padded keys that nobody may read.",
    ),
    Misconception(
        "masks_queries_and_keys",
        "padding_mask",
        old="return real[..., None, :]",
        new="return real[..., :, None] & real[..., None, :]",
        caught_by="query_axis_stands_before_keys",
        says="Your mask also hides padded queries, which leaves their rows without any key to read. Hiding the keys "
        "is enough: what padded queries give, nobody reads.",
    ),
    Misconception(
        "no_query_axis",
        "padding_mask",
        old="return real[..., None, :]",
        new="return real",
        caught_by="query_axis_stands_before_keys",
        says="Your mask has the shape of the ids. Against scores of (batch, T_q, T_k) its batch axis would be taken "
        "for the queries; it needs an axis of length one for those.",
    ),
    Misconception(
        "query_axis_in_front",
        "padding_mask",
        old="return real[..., None, :]",
        new="return real[None]",
        caught_by="query_axis_stands_before_keys",
        says="Your new axis stands in front of the batch. Each sequence then no longer meets its own mask; the axis of "
        "the queries is the one before last.",
    ),
    Misconception(
        "zero_is_always_padding",
        "padding_mask",
        old="real = ids != pad",
        new="real = ids != 0",
        caught_by="any_number_may_be_the_filler",
        says="Your mask takes the id 0 for padding, whatever `pad` says.",
    ),
    Misconception(
        "padding_is_smallest_id",
        "padding_mask",
        old="real = ids != pad",
        new="real = ids > pad",
        caught_by="any_number_may_be_the_filler",
        says="Your mask drops every id that is not larger than the filler. Nobody said that the filler is the smallest "
        "of all ids.",
    ),
    Misconception(
        "padding_counted_at_the_end",
        "padding_mask",
        old="real = ids != pad",
        new="real = np.arange(ids.shape[-1]) < (ids != pad).sum(axis=-1, keepdims=True)",
        caught_by="filler_may_come_first",
        says="Your mask counts the real tokens and takes them to stand at the beginning. Padding can come first, too.",
    ),
    Misconception(
        "stops_at_first_padding",
        "padding_mask",
        old="real = ids != pad",
        new="real = np.logical_and.accumulate(ids != pad, axis=-1)",
        caught_by="filler_may_come_first",
        says="Your mask hides everything from the first filler on. Padding can come first, with the sentence after it.",
    ),
    Misconception(
        "additive_padding_mask",
        "padding_mask",
        old="return real[..., None, :]",
        new="return np.where(real, 0.0, -np.inf)[..., None, :]",
        caught_by="any_number_may_be_the_filler",
        says="Your mask holds 0 and minus infinity, to be added to the scores. This mask is to hold truth values, True "
        "where there is a real token.",
    ),
    Misconception(
        "padding_mask_of_numbers",
        "padding_mask",
        old="return real[..., None, :]",
        new="return real[..., None, :].astype(float)",
        caught_by="padding_mask_is_boolean",
        says="Your mask holds the right ones and zeros, but as numbers. `&` does not take floats, and `~` makes -2 of a 1, "
        "so a mask should be of dtype bool.",
    ),
)

SELF = (
    Misconception(
        "causal_ignored",
        "self_attention",
        old="mask = causal_mask(length, length) if causal else None",
        new="mask = None",
        caught_by="causal_self_attention_of_any_shape",
        says="Your self-attention is the same with `causal` and without: the future is never hidden.",
    ),
    Misconception(
        "always_causal",
        "self_attention",
        old="mask = causal_mask(length, length) if causal else None",
        new="mask = causal_mask(length, length)",
        caught_by="self_attention_of_any_shape",
        says="Your self-attention hides the future even when it is not asked to. An encoder reads in both directions.",
    ),
    Misconception(
        "causal_flag_reversed",
        "self_attention",
        old="mask = causal_mask(length, length) if causal else None",
        new="mask = None if causal else causal_mask(length, length)",
        caught_by="self_attention_of_any_shape",
        says="Your flag works the wrong way round: the future is hidden exactly when `causal` is False.",
    ),
    Misconception(
        "self_attention_sees_next",
        "self_attention",
        old="mask = causal_mask(length, length) if causal else None",
        new="mask = np.tri(length, k=1, dtype=bool) if causal else None",
        caught_by="causal_self_attention_of_any_shape",
        says="Your causal self-attention reads one token too many, the one right after each position. In training that "
        "is the answer.",
    ),
    Misconception(
        "self_attention_hides_self",
        "self_attention",
        old="mask = causal_mask(length, length) if causal else None",
        new="mask = np.tri(length, k=-1, dtype=bool) if causal else None",
        caught_by="causal_self_attention_of_any_shape",
        says="Your causal self-attention hides each position from itself, and the first one is left with nothing.",
    ),
    Misconception(
        "self_attention_reads_only_future",
        "self_attention",
        old="mask = causal_mask(length, length) if causal else None",
        new="mask = np.tri(length, dtype=bool).T if causal else None",
        caught_by="tokens_to_come_cannot_leak",
        says="Your causal self-attention reads the present and the future and hides the past: the triangle is the "
        "wrong one.",
    ),
    Misconception(
        "length_from_first_axis",
        "self_attention",
        old="length = X.shape[-2]",
        new="length = X.shape[0]",
        caught_by="causal_self_attention_of_any_shape",
        says="Your mask takes its size from the first axis of X. That is time only as long as no batch stands in "
        "front; count from the end.",
    ),
    Misconception(
        "length_from_second_axis",
        "self_attention",
        old="length = X.shape[-2]",
        new="length = X.shape[1]",
        caught_by="causal_self_attention_of_any_shape",
        says="Your mask takes its size from axis 1 of X, which is time only when exactly one axis stands in front of "
        "it. Count from the end.",
    ),
    Misconception(
        "self_attention_swaps_projections",
        "self_attention",
        old="Q, K, V = project_qkv(X, W_q, W_k, W_v)",
        new="Q, K, V = project_qkv(X, W_k, W_q, W_v)",
        caught_by="self_attention_of_any_shape",
        says="Your queries are made with W_k and your keys with W_q. The score of i for j is then that of j for i.",
    ),
    Misconception(
        "self_attention_keys_are_queries",
        "self_attention",
        old="Q, K, V = project_qkv(X, W_q, W_k, W_v)",
        new="Q, K, V = project_qkv(X, W_q, W_q, W_v)",
        caught_by="self_attention_of_any_shape",
        says="Your queries and keys come from the same matrix, so each position mostly finds itself. W_k is not used.",
    ),
    Misconception(
        "self_attention_values_from_W_k",
        "self_attention",
        old="Q, K, V = project_qkv(X, W_q, W_k, W_v)",
        new="Q, K, V = project_qkv(X, W_q, W_k, W_k)",
        caught_by="self_attention_of_any_shape",
        says="Your output is a mixture of keys: the values come from W_k, and W_v is not used.",
    ),
    Misconception(
        "self_attention_mixes_inputs",
        "self_attention",
        old="return attention(Q, K, V, mask)",
        new="return attention(Q, K, X, mask)",
        caught_by="self_attention_of_any_shape",
        says="Your output is a mixture of the inputs themselves. What positions hand on are their values.",
    ),
    Misconception(
        "self_attention_skips_projections",
        "self_attention",
        old="return attention(Q, K, V, mask)",
        new="return attention(X, X, V, mask)",
        caught_by="self_attention_of_any_shape",
        says="Your queries and keys are the inputs themselves, as in attempt two. W_q and W_k are not used.",
    ),
    Misconception(
        "self_attention_masks_after_softmax",
        "self_attention",
        old="return attention(Q, K, V, mask)",
        new="weights = attention_weights(attention_scores(Q, K))\n"
        "    return (weights if mask is None else weights * mask) @ V",
        caught_by="tokens_to_come_cannot_leak",
        says="Your future is cut off after the softmax. The shares that remain do not sum to one, and the tokens to "
        "come decide by how much: they leak.",
    ),
    Misconception(
        "self_attention_without_scale",
        "self_attention",
        old="return attention(Q, K, V, mask)",
        new="return attention_weights(Q @ np.swapaxes(K, -1, -2), mask) @ V",
        caught_by="self_attention_of_any_shape",
        says="Your self-attention does not divide its dot products by sqrt(d_k).",
    ),
    Misconception(
        "self_attention_scales_by_d_model",
        "self_attention",
        old="return attention(Q, K, V, mask)",
        new="return attention_weights(Q @ np.swapaxes(K, -1, -2) / np.sqrt(X.shape[-1]), mask) @ V",
        caught_by="self_attention_of_any_shape",
        says="Your scale is that of d_model, the features of the input. The dot products are between queries and keys, "
        "so it is their length that counts.",
    ),
)

BACKWARD = (
    Misconception(
        "softmax_jacobian_missing",
        "attention_backward",
        old="dscores = weights * (dweights - along)",
        new="dscores = dweights",
        caught_by="queries_get_their_gradient",
        says="Your gradient goes from the weights to the scores as if there were no softmax between them. It has a "
        "derivative of its own.",
    ),
    Misconception(
        "softmax_jacobian_diagonal_only",
        "attention_backward",
        old="dscores = weights * (dweights - along)",
        new="dscores = weights * (1.0 - weights) * dweights",
        caught_by="queries_get_their_gradient",
        says="Your softmax derivative has only its diagonal, a(1 - a), as for a sigmoid. A score also moves all the "
        "other weights of its row, since they share one total.",
    ),
    Misconception(
        "softmax_jacobian_without_sum",
        "attention_backward",
        old="dscores = weights * (dweights - along)",
        new="dscores = weights * dweights",
        caught_by="queries_get_their_gradient",
        says="Your softmax derivative lacks the part that comes from the shared total. Raising all the scores of a row "
        "changes nothing, so the gradients of a row's scores must sum to zero; yours do not.",
    ),
    Misconception(
        "softmax_jacobian_off_diagonal_only",
        "attention_backward",
        old="dscores = weights * (dweights - along)",
        new="dscores = -weights * along",
        caught_by="queries_get_their_gradient",
        says="Your softmax derivative has only the part from the shared total; what a score does to its own weight is "
        "missing.",
    ),
    Misconception(
        "softmax_jacobian_of_exp",
        "attention_backward",
        old="dscores = weights * (dweights - along)",
        new="dscores = dweights - along",
        caught_by="queries_get_their_gradient",
        says="Your softmax derivative lacks the weight as a factor. A key that got no share cannot have a gradient, "
        "yet in your result it has one.",
    ),
    Misconception(
        "softmax_jacobian_over_queries",
        "attention_backward",
        old="along = (dweights * weights).sum(axis=-1, keepdims=True)",
        new="along = (dweights * weights).sum(axis=-2, keepdims=True)",
        caught_by="queries_get_their_gradient",
        says="Your softmax derivative sums over the queries. The weights of one query share a total, so the sum is "
        "along its row.",
    ),
    Misconception(
        "softmax_jacobian_averages",
        "attention_backward",
        old="along = (dweights * weights).sum(axis=-1, keepdims=True)",
        new="along = (dweights * weights).mean(axis=-1, keepdims=True)",
        caught_by="queries_get_their_gradient",
        says="Your softmax derivative takes a mean along the row where the chain rule adds up. The weights themselves "
        "already do the averaging.",
    ),
    Misconception(
        "softmax_jacobian_unweighted",
        "attention_backward",
        old="along = (dweights * weights).sum(axis=-1, keepdims=True)",
        new="along = dweights.sum(axis=-1, keepdims=True)",
        caught_by="queries_get_their_gradient",
        says="Your softmax derivative adds up the gradients of a row as they are. In the chain rule each of them comes "
        "with its weight.",
    ),
    Misconception(
        "softmax_jacobian_sign",
        "attention_backward",
        old="dscores = weights * (dweights - along)",
        new="dscores = weights * (along - dweights)",
        caught_by="queries_get_their_gradient",
        says="Your gradients of queries and keys have the wrong sign: a step against them would make the loss grow. "
        "Check the signs of the softmax derivative.",
    ),
    Misconception(
        "backward_without_scale",
        "attention_backward",
        old="ddots = dscores / np.sqrt(Q.shape[-1])",
        new="ddots = dscores",
        caught_by="queries_get_their_gradient",
        says="Your backward pass forgets that the forward pass divided by sqrt(d_k): dQ and dK are both too large by "
        "that factor.",
    ),
    Misconception(
        "backward_scale_missing_in_dQ",
        "attention_backward",
        old="dQ = ddots @ K",
        new="dQ = dscores @ K",
        caught_by="queries_get_their_gradient",
        says="Your dQ lacks the scale, while your dK has it. Both go through the same division.",
    ),
    Misconception(
        "backward_scale_missing_in_dK",
        "attention_backward",
        old="dK = np.swapaxes(ddots, -1, -2) @ Q",
        new="dK = np.swapaxes(dscores, -1, -2) @ Q",
        caught_by="keys_get_their_gradient",
        says="Your dK lacks the scale, while your dQ has it. Both go through the same division.",
    ),
    Misconception(
        "backward_scaled_by_d_k",
        "attention_backward",
        old="ddots = dscores / np.sqrt(Q.shape[-1])",
        new="ddots = dscores / Q.shape[-1]",
        caught_by="queries_get_their_gradient",
        says="Your backward pass divides by d_k, or by its root twice. A division in the forward pass is the same "
        "division, once, in the backward pass.",
    ),
    Misconception(
        "backward_scale_multiplied",
        "attention_backward",
        old="ddots = dscores / np.sqrt(Q.shape[-1])",
        new="ddots = dscores * np.sqrt(Q.shape[-1])",
        caught_by="queries_get_their_gradient",
        says="Your backward pass undoes the scale by multiplying. A gradient is not an inverse: the derivative of x/c "
        "is 1/c.",
    ),
    Misconception(
        "backward_scaled_by_d_v",
        "attention_backward",
        old="ddots = dscores / np.sqrt(Q.shape[-1])",
        new="ddots = dscores / np.sqrt(V.shape[-1])",
        caught_by="queries_get_their_gradient",
        says="Your backward pass takes the scale from the values. It is the same number as in the forward pass.",
    ),
    Misconception(
        "dV_from_untransposed_weights",
        "attention_backward",
        old="dV = np.swapaxes(weights, -1, -2) @ dout",
        new="dV = weights @ dout",
        caught_by="equal_sizes_hide_no_wrong_gradient",
        says="Your dV uses the weights as in the forward pass. Going back, a value collects from all the queries that "
        "read it; follow the shapes with T_q different from T_k.",
    ),
    Misconception(
        "dV_is_dout",
        "attention_backward",
        old="dV = np.swapaxes(weights, -1, -2) @ dout",
        new="dV = np.ones_like(np.swapaxes(weights, -1, -2)) @ dout",
        caught_by="values_get_their_gradient",
        says="Your dV gives every value the full gradient of every output. A value is responsible only for the share "
        "that was read of it.",
    ),
    Misconception(
        "dV_from_score_gradient",
        "attention_backward",
        old="    return dQ, dK, dV\n",
        new="    dV = np.swapaxes(dscores, -1, -2) @ dout\n    return dQ, dK, dV\n",
        caught_by="values_get_their_gradient",
        says="Your dV is built from the gradient of the scores. In the output, values are multiplied by the weights "
        "themselves.",
    ),
    Misconception(
        "dweights_from_keys",
        "attention_backward",
        old="dweights = dout @ np.swapaxes(V, -1, -2)",
        new="dweights = dout @ np.swapaxes(K, -1, -2)",
        caught_by="equal_sizes_hide_no_wrong_gradient",
        says="Your gradient of the weights is taken with the keys. In the output, the weights meet the values.",
    ),
    Misconception(
        "dK_from_untransposed_scores",
        "attention_backward",
        old="dK = np.swapaxes(ddots, -1, -2) @ Q",
        new="dK = ddots @ Q",
        caught_by="equal_sizes_hide_no_wrong_gradient",
        says="Your dK runs along the queries' rows. A key collects from all the queries that were scored against it, "
        "which is down its column.",
    ),
    Misconception(
        "dK_from_keys",
        "attention_backward",
        old="dK = np.swapaxes(ddots, -1, -2) @ Q",
        new="dK = np.swapaxes(ddots, -1, -2) @ K",
        caught_by="equal_sizes_hide_no_wrong_gradient",
        says="Your dK is built from the keys themselves. In a dot product, the derivative by one vector is the other.",
    ),
    Misconception(
        "dQ_from_queries",
        "attention_backward",
        old="dQ = ddots @ K",
        new="dQ = ddots @ Q",
        caught_by="equal_sizes_hide_no_wrong_gradient",
        says="Your dQ is built from the queries themselves. In a dot product, the derivative by one vector is the "
        "other.",
    ),
    Misconception(
        "dQ_from_transposed_scores",
        "attention_backward",
        old="dQ = ddots @ K",
        new="dQ = np.swapaxes(ddots, -1, -2) @ K",
        caught_by="equal_sizes_hide_no_wrong_gradient",
        says="Your dQ runs down the columns of the scores. A query collects from all the keys in its own row.",
    ),
    Misconception(
        "dQ_and_dK_swapped",
        "attention_backward",
        old="    return dQ, dK, dV\n",
        new="    return dK, dQ, dV\n",
        caught_by="equal_sizes_hide_no_wrong_gradient",
        says="Your dQ and dK have changed places, either at the end or in the formulas.",
    ),
    Misconception(
        "gradients_in_reverse_order",
        "attention_backward",
        old="    return dQ, dK, dV\n",
        new="    return dV, dK, dQ\n",
        caught_by="equal_sizes_hide_no_wrong_gradient",
        says="Your gradients come back in the order in which they were found. The order agreed on is dQ, dK, dV.",
    ),
    Misconception(
        "backward_transposes_every_axis",
        "attention_backward",
        old="dV = np.swapaxes(weights, -1, -2) @ dout",
        new="dV = weights.T @ dout",
        caught_by="values_get_their_gradient",
        says="Your `.T` reverses all axes. With a batch in front, its axis ends up last; only the last two may trade "
        "places.",
    ),
    Misconception(
        "backward_in_place",
        "attention_backward",
        old="dscores = weights * (dweights - along)",
        new="weights *= dweights - along\n    dscores = weights",
        caught_by="backward_leaves_the_cache_alone",
        says="Your backward pass writes into the weights of the cache. The gradients are right, but whoever looks at "
        "the weights afterwards finds something else.",
    ),
)


def _choice(name: str, question: str, right: str, chosen: str, says: str) -> Misconception:
    """Name the mistake of choosing one wrong option."""
    text = f'answers["{question}"] = '
    return Misconception(name, "quiz", f'{text}"{right}"', f'{text}"{chosen}"', caught_by=question, says=says)


QUIZ = (
    _choice(
        "late_words_weigh_less",
        "order_lost",
        "b",
        "a",
        "In a mean all shares are equal, early or late. Your answer describes weights that averaging does not have.",
    ),
    _choice(
        "mean_has_fewer_features",
        "order_lost",
        "b",
        "c",
        "Your answer has the mean shrink. It has exactly as many features as each of the vectors; try it with two.",
    ),
    _choice(
        "length_is_order",
        "order_lost",
        "b",
        "d",
        "Your answer is true, but about length. Two sentences of the same words and the same length, in another order: "
        "why can the mean not tell them apart?",
    ),
    _choice(
        "query_and_key_swapped",
        "query_key_value",
        "d",
        "a",
        "Your answer lets the key ask. Think of a library: which of them does the reader bring along?",
    ),
    _choice(
        "key_and_value_swapped",
        "query_key_value",
        "d",
        "b",
        "Your answer has key and value in each other's place. Which of them takes part in the scores, and which in "
        "the weighted sum?",
    ),
    _choice(
        "value_scales",
        "query_key_value",
        "d",
        "c",
        "Your answer hands on the key. In the formula, look at what the weights are multiplied with last.",
    ),
    _choice(
        "scale_normalises_rows",
        "why_scale",
        "c",
        "a",
        "Your answer describes what the softmax does, with any scale. Why is a scale needed on top?",
    ),
    _choice(
        "scale_follows_length",
        "why_scale",
        "c",
        "b",
        "Your answer is about the number of positions. One dot product knows nothing of how many others there are.",
    ),
    _choice(
        "scale_makes_cosines",
        "why_scale",
        "c",
        "d",
        "Your answer would make cosines of the dot products. sqrt(d_k) is the same number for every pair, however long "
        "the two vectors are.",
    ),
    _choice(
        "quiz_softmax_over_queries",
        "softmax_over_keys",
        "a",
        "b",
        "Your answer has the queries compete for a key. Then a query could end up with next to nothing to read.",
    ),
    _choice(
        "quiz_softmax_over_everything",
        "softmax_over_keys",
        "a",
        "c",
        "Your answer has one total for the whole matrix. A row would get a smaller total the more queries there are.",
    ),
    _choice(
        "quiz_softmax_over_features",
        "softmax_over_keys",
        "a",
        "d",
        "Your answer comes too late: the scores are turned into shares before they meet the values, and have no "
        "features.",
    ),
    _choice(
        "causal_mask_is_for_padding",
        "what_mask_protects",
        "a",
        "b",
        "Your answer is what the other mask is for. The causal mask does not look at the tokens at all, only at where "
        "they stand.",
    ),
    _choice(
        "causal_mask_prevents_overflow",
        "what_mask_protects",
        "a",
        "c",
        "Your answer is about numerics, which is taken care of by subtracting a constant from each row.",
    ),
    _choice(
        "causal_mask_preserves_memory",
        "what_mask_protects",
        "a",
        "d",
        "Your answer is about forgetting. Attention reads every allowed position directly; what would go wrong if "
        "every position were allowed?",
    ),
    _choice(
        "mask_order_is_speed",
        "mask_before_softmax",
        "d",
        "a",
        "Your answer is about cost, but one multiplication is hardly slower. Work out one row by hand, both ways.",
    ),
    _choice(
        "masked_after_keeps_some_weight",
        "mask_before_softmax",
        "d",
        "b",
        "Your answer is not what happens: a weight times zero is zero. Look at the keys that remain.",
    ),
    _choice(
        "mask_order_is_irrelevant",
        "mask_before_softmax",
        "d",
        "c",
        "Your answer does not hold up to a small example: take three equal scores, hide one, and compare both ways.",
    ),
    _choice(
        "parallel_is_free",
        "cost_in_time",
        "c",
        "a",
        "Your answer takes parallel for free. Positions are worked on at the same time, but the work is still done.",
    ),
    _choice(
        "cost_is_linear",
        "cost_in_time",
        "c",
        "b",
        "Your answer is the cost of a recurrent network. Count the entries of the score matrix for T and for 2T.",
    ),
    _choice(
        "cost_is_cubic",
        "cost_in_time",
        "c",
        "d",
        "Your answer would be right if three positions met at a time. Count the entries of the score matrix for T and "
        "for 2T.",
    ),
    _choice(
        "one_projection_undefined",
        "two_projections",
        "c",
        "b",
        "Your answer does not hold: with one matrix the dot product is defined, and attempt two uses just that, with "
        "the identity. What can such scores not express?",
    ),
    _choice(
        "projections_for_widths",
        "two_projections",
        "c",
        "a",
        "Your answer cannot be: queries and keys meet in a dot product, so their widths have to be equal.",
    ),
    _choice(
        "projections_for_normalising",
        "two_projections",
        "c",
        "d",
        "Your answer describes what the softmax does, whatever the scores are.",
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
    *QUIZ,
)
