"""Known mistakes of a10_fast_attention, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.mistakes import edit, mistakes_of

ONLINE = mistakes_of(
    "online_softmax",
    sums_not_rescaled=edit(
        "        kept = np.exp(highest - higher)\n",
        "        kept = 1.0\n",
        "the_maximum_rises_and_stays",
        "Your sums are not rescaled when the maximum rises. What was summed before was measured from the old maximum; multiply "
        "it by exp(old - new).",
    ),
    values_not_rescaled=edit(
        "mixed = mixed * kept + raised @ values",
        "mixed = mixed + raised @ values",
        "the_maximum_rises_and_stays",
        "Your denominator is rescaled when the maximum rises, and your sum of the values is not. Both were measured from the "
        "old maximum.",
    ),
    denominator_not_rescaled=edit(
        "total = total * kept + raised.sum()",
        "total = total + raised.sum()",
        "the_maximum_rises_and_stays",
        "Your sum of the values is rescaled when the maximum rises, and your denominator is not. Both were measured from the "
        "old maximum.",
    ),
    mean_for_sum=edit(
        "        total = total * kept + raised.sum()\n        mixed = mixed * kept + raised @ values\n",
        "        mixed = mixed / (total or 1.0) * kept + raised @ values\n        total = total * kept + raised.sum()\n",
        "the_maximum_rises_and_stays",
        "You go on from the mean of the values so far as if it were their sum. Multiply it by the old l before the new block is "
        "added, or keep the sum and divide once, in the end.",
    ),
    rescaled_the_wrong_way=edit(
        "kept = np.exp(highest - higher)",
        "kept = np.exp(higher - highest) if total else 0.0",
        "the_maximum_rises_and_stays",
        "Your factor is exp(new - old), so old sums grow when a larger score comes. Measured from a higher maximum, every "
        "exponential is smaller.",
    ),
    maximum_of_the_last_block=edit(
        "higher = max(highest, scores.max())",
        "higher = scores.max()",
        "the_maximum_rises_and_stays",
        "Your m is the maximum of the last block. It is that of all scores so far, so it never falls.",
    ),
    nothing_is_subtracted=edit(
        "higher = max(highest, scores.max())",
        "higher = 0.0",
        "thousands_apart",
        "You take exponentials of the scores as they are. With a score of 1000 that overflows; subtract the running maximum.",
    ),
    maximum_begins_at_zero=edit(
        "highest, total, mixed = -np.inf, 0.0, 0.0",
        "highest, total, mixed = 0.0, 0.0, 0.0",
        "thousands_apart",
        "Your running maximum begins at 0, so it stays there when all scores are negative. Begin at minus infinity.",
    ),
    mean_of_block_means=edit(
        "mixed = mixed * kept + raised @ values",
        "mixed = mixed * kept + raised @ values / raised.sum()",
        "blocks_of_any_length",
        "Your values are divided by the sum of their own block before they are added up. Divide once, in the end, by the sum of "
        "all blocks.",
    ),
    last_block_alone=edit(
        "mixed = mixed * kept + raised @ values",
        "mixed = raised @ values",
        "blocks_of_any_length",
        "Your sum of the values begins again with each block. It has to go on from the blocks before.",
    ),
    never_divided=edit(
        "return highest, total, mixed / total",
        "return highest, total, mixed",
        "blocks_of_any_length",
        "Your y is the sum of the values, each times exp(score - m). Divide it by l to get their mean.",
    ),
    empty_block_makes_nan=edit(
        "        if higher == -np.inf:\n            continue\n",
        "",
        "hidden_keys_count_for_nothing",
        "Your result is NaN when the first block holds nothing that may be read: minus infinity minus minus infinity is no "
        "number. Such a block counts for nothing.",
    ),
    online_in_place=edit(
        "raised = np.exp(scores - higher)",
        "raised = np.exp(np.subtract(scores, higher, out=scores), out=scores)",
        "scores_and_values_are_left_alone",
        "Your exponentials are written into the caller's scores. The result is right, but the scores are gone.",
    ),
    values_as_long_as_the_block=edit(
        "highest, total, mixed = -np.inf, 0.0, 0.0",
        "highest, total, mixed = -np.inf, 0.0, np.zeros(len(blocks[0][0]))",
        "blocks_of_any_length",
        "Your sum of the values begins as long as the first block. It has a number for each feature of the values, d_v.",
    ),
)

TILED = mistakes_of(
    "tiled_attention",
    tiles_not_rescaled=edit(
        "shrink = np.exp(m - m_new)",
        "shrink = np.ones_like(m)",
        "tiles_of_any_size",
        "Your tiles are added up without rescaling. When a tile raises a row's maximum, what was summed before has to be "
        "multiplied by exp(old - new).",
    ),
    output_not_rescaled=edit(
        "output = output * shrink[..., None] +",
        "output = output +",
        "tiles_of_any_size",
        "Your denominator is rescaled when the maximum of a row rises, and your output is not. Both were measured from the old "
        "maximum.",
    ),
    row_sums_not_rescaled=edit(
        "denominator = denominator * shrink +",
        "denominator = denominator +",
        "tiles_of_any_size",
        "Your output is rescaled when the maximum of a row rises, and your denominator is not. Both were measured from the old "
        "maximum.",
    ),
    last_tile_alone=edit(
        "output = output * shrink[..., None] + tile @",
        "output = tile @",
        "tiles_of_any_size",
        "Your output holds the values of the last tile alone. Each tile adds to what the tiles before it gave.",
    ),
    partial_tile_dropped=edit(
        "for start in range(0, T_k, block):\n        keys",
        "for start in range(0, T_k // block * block or T_k, block):\n        keys",
        "tiles_of_any_size",
        "Your loop leaves out the last keys where block does not divide their number. The last tile may hold fewer.",
    ),
    mask_of_the_tile=edit(
        "readable = start + np.arange(keys.shape[-2]) <= places",
        "readable = np.arange(keys.shape[-2]) <= places",
        "causal_tiles_of_any_size",
        "Your causal mask starts again in every tile: it compares places within the tile. Add the tile's start, so that places "
        "among all keys are compared.",
    ),
    tiles_aligned_at_start=edit(
        "places = np.arange(T_k - T_q, T_k)[:, None]",
        "places = np.arange(T_q)[:, None]",
        "causal_tiles_of_any_size",
        "Your causal mask takes the queries for the first positions. With fewer queries than keys they are the last ones.",
    ),
    tiles_hide_self=edit(
        "readable = start + np.arange(keys.shape[-2]) <= places",
        "readable = start + np.arange(keys.shape[-2]) < places",
        "causal_tiles_of_any_size",
        "Your causal mask hides each position from itself. A position reads itself and what came before.",
    ),
    tiles_show_the_next=edit(
        "places = np.arange(T_k - T_q, T_k)[:, None]",
        "places = np.arange(T_k - T_q, T_k)[:, None] + 1",
        "causal_tiles_of_any_size",
        "Your causal mask lets each query read one key too many: the one behind it.",
    ),
    tiles_see_the_future=edit(
        "scores = np.where(readable, scores, -np.inf)",
        "scores = np.where(readable | True, scores, -np.inf)",
        "causal_tiles_of_any_size",
        "Your tiles do not look at `causal`: queries also read what comes after them.",
    ),
    hidden_scores_are_zero=edit(
        "scores = np.where(readable, scores, -np.inf)",
        "scores = np.where(readable, scores, 0.0)",
        "causal_tiles_of_any_size",
        "Your hidden scores are 0, and exp(0) is 1, a share like any other. A hidden key needs a score of minus infinity.",
    ),
    tiles_without_scale=edit(
        "scores = q @ np.swapaxes(keys, -1, -2) / q.shape[-1] ** 0.5",
        "scores = q @ np.swapaxes(keys, -1, -2)",
        "tiles_of_any_size",
        "Your scores are not divided by sqrt(d_k).",
    ),
    tiles_divided_by_d_k=edit(
        "scores = q @ np.swapaxes(keys, -1, -2) / q.shape[-1] ** 0.5",
        "scores = q @ np.swapaxes(keys, -1, -2) / q.shape[-1]",
        "tiles_of_any_size",
        "Your scores are divided by d_k. The scale is its root, sqrt(d_k).",
    ),
    tiles_without_maximum=edit(
        "m_new = np.maximum(m, scores.max(axis=-1))",
        "m_new = np.zeros_like(m)",
        "every_row_has_its_own_maximum",
        "You take exponentials of the scores as they are, which overflows with scores near 1000. Subtract each row's running "
        "maximum.",
    ),
    one_maximum_for_all_rows=edit(
        "m_new = np.maximum(m, scores.max(axis=-1))",
        "m_new = np.maximum(m, scores.max())",
        "every_row_has_its_own_maximum",
        "Your maximum is one number for all rows. Each query has a maximum of its own, or the exponentials of a row may all "
        "become zero.",
    ),
    output_never_divided=edit(
        "return output / denominator[..., None], m + np.log(denominator)",
        "return output, m + np.log(denominator)",
        "tiles_of_any_size",
        "Your output is not divided by the sum of each row, so it is no mean of values.",
    ),
    logsumexp_without_maximum=edit(
        "m + np.log(denominator)",
        "np.log(denominator)",
        "tiles_of_any_size",
        "Your logsumexp lacks the maximum: the denominator was measured from it. Add m to the logarithm.",
    ),
    maximum_for_logsumexp=edit(
        "m + np.log(denominator)",
        "m",
        "tiles_of_any_size",
        "Your logsumexp is the maximum alone. The logarithm of the row's sum belongs to it, too.",
    ),
    maximum_inside_the_logarithm=edit(
        "m + np.log(denominator)",
        "np.log(m + denominator)",
        "tiles_of_any_size",
        "Your maximum stands inside the logarithm. The sum was measured from it: log(sum of exp(score)) = m + log(l).",
    ),
    sum_without_logarithm=edit(
        "m + np.log(denominator)",
        "denominator",
        "tiles_of_any_size",
        "You return the sum of each row as it is. Asked for is the logarithm of the sum of exp(score), m + log(sum).",
    ),
    tiles_transpose_every_axis=edit(
        "scores = q @ np.swapaxes(keys, -1, -2) / q.shape[-1] ** 0.5",
        "scores = q @ keys.T / q.shape[-1] ** 0.5",
        "leading_axes_come_along",
        "Your `.T` reverses all axes. With a batch in front, its axis ends up last; only the last two may trade places.",
    ),
    tile_mask_too_wide=edit(
        "readable = start + np.arange(keys.shape[-2]) <= places",
        "readable = start + np.arange(block) <= places",
        "causal_tiles_of_any_size",
        "Your causal mask has `block` columns in every tile. The last tile may hold fewer keys.",
    ),
)

BACKWARD = mistakes_of(
    "tiled_backward",
    row_sum_dropped=edit(
        "ddots = weights * (dweights - along) / scale",
        "ddots = weights * dweights / scale",
        "queries_get_their_gradient",
        "Your softmax derivative lacks the row sums D. The weights of a row share one total, so each gradient is measured from "
        "their mean.",
    ),
    row_sum_of_the_tile=edit(
        "ddots = weights * (dweights - along) / scale",
        "ddots = weights * (dweights - (weights * dweights).sum(axis=-1, keepdims=True)) / scale",
        "queries_get_their_gradient",
        "Your row sums go over the keys of one tile. The softmax goes over all keys; take the sum of dout * output over "
        "the features.",
    ),
    row_sum_of_the_values=edit(
        "along = (dout * output).sum(axis=-1, keepdims=True)",
        "along = dout.sum(axis=-1, keepdims=True)",
        "queries_get_their_gradient",
        "Your row sums are those of dout alone. D is the sum of dout * output over the features.",
    ),
    row_sum_of_the_gradients=edit(
        "(dout * output)",
        "(dout * dout)",
        "queries_get_their_gradient",
        "Your D multiplies dout by itself. It is the sum over features of dout times the output of the forward pass.",
    ),
    row_mean_for_row_sum=edit(
        "along = (dout * output).sum(axis=-1, keepdims=True)",
        "along = (dout * output).mean(axis=-1, keepdims=True)",
        "queries_get_their_gradient",
        "Your D is a mean over the features. It is a sum.",
    ),
    dq_overwritten=edit(
        "dq += ddots @ k[..., here, :]",
        "dq = ddots @ k[..., here, :]",
        "queries_get_their_gradient",
        "Your dq holds what the last tile gave. Every tile adds to the gradient of every query.",
    ),
    backward_mask_forgotten=edit(
        "            s = np.where(np.arange(first, here.stop) <= own, s, -np.inf)\n",
        "            pass\n",
        "gradients_with_heads",
        "Your backward pass forgets the causal mask: keys that a query did not read get gradients. Hide their scores before the "
        "exponential.",
    ),
    backward_mask_of_the_tile=edit(
        "np.arange(first, here.stop) <= own",
        "np.arange(here.stop - first) <= own",
        "gradients_with_heads",
        "Your causal mask starts again in every tile of the backward pass. Compare places among all keys.",
    ),
    backward_aligned_at_start=edit(
        "own = np.arange(last - q.shape[-2], last)[:, None]",
        "own = np.arange(q.shape[-2])[:, None]",
        "gradients_with_heads",
        "Your backward pass takes the queries for the first positions. With fewer queries than keys they are the last ones.",
    ),
    weights_not_normalised=edit(
        "weights = np.exp(s - logsumexp[..., None])",
        "weights = np.exp(s - s.max(axis=-1, keepdims=True))",
        "values_get_their_gradient",
        "Your weights are measured from the tile's maximum and not divided by the sum of the row. exp(score - logsumexp) does "
        "both at once.",
    ),
    softmax_of_the_tile=edit(
        "weights = np.exp(s - logsumexp[..., None])",
        "weights = np.exp(s - np.log(np.exp(s).sum(axis=-1, keepdims=True)))",
        "values_get_their_gradient",
        "Your weights are a softmax over the keys of one tile. The forward pass has told you the logsumexp over all keys.",
    ),
    tile_gradients_unscaled=edit(
        "ddots = weights * (dweights - along) / scale",
        "ddots = weights * (dweights - along)",
        "queries_get_their_gradient",
        "Your gradients of q and k lack the scale. The forward pass divided by sqrt(d_k), so the backward pass does, too.",
    ),
    scores_again_unscaled=edit(
        "s = q @ np.swapaxes(k[..., here, :], -1, -2) / scale",
        "s = q @ np.swapaxes(k[..., here, :], -1, -2)",
        "values_get_their_gradient",
        "Your scores are computed again without the scale, so the weights are not those of the forward pass.",
    ),
    backward_divided_by_d_k=edit(
        "scale = np.sqrt(q.shape[-1])",
        "scale = q.shape[-1]",
        "values_get_their_gradient",
        "You divide by d_k where the forward pass divided by its root: scores and gradients have the scale sqrt(d_k).",
    ),
    dk_from_the_keys=edit(
        "dk[..., here, :] = np.swapaxes(ddots, -1, -2) @ q",
        "dk[..., here, :] = np.swapaxes(ddots, -1, -2) @ k[..., -q.shape[-2] :, :]",
        "equal_sizes_hide_no_wrong_gradient",
        "Your dk is built from keys. In a dot product, the derivative by one vector is the other: take the queries.",
    ),
    gradients_reversed=edit(
        "    return dq, dk, dv\n",
        "    return dv, dk, dq\n",
        "equal_sizes_hide_no_wrong_gradient",
        "Your gradients come back in reverse. The order agreed on is dq, dk, dv.",
    ),
    dk_unscaled=edit(
        "dk[..., here, :] = np.swapaxes(ddots, -1, -2) @ q",
        "dk[..., here, :] = np.swapaxes(ddots, -1, -2) @ q * scale",
        "keys_get_their_gradient",
        "Your dk lacks the scale, and your dq has it. Scores are q k / sqrt(d_k), so both are divided by sqrt(d_k).",
    ),
    dk_scaled_twice=edit(
        "dk[..., here, :] = np.swapaxes(ddots, -1, -2) @ q",
        "dk[..., here, :] = np.swapaxes(ddots, -1, -2) @ q / scale",
        "keys_get_their_gradient",
        "Your dk is divided by sqrt(d_k) twice. The scores were divided once; if your q is divided already, dk has the scale "
        "from there.",
    ),
    dq_unscaled=edit(
        "dq += ddots @ k[..., here, :]",
        "dq += ddots @ k[..., here, :] * scale",
        "queries_get_their_gradient",
        "Your dq lacks the scale, and your dk has it. Scores are q k / sqrt(d_k), so both are divided by sqrt(d_k).",
    ),
    dq_scaled_twice=edit(
        "dq += ddots @ k[..., here, :]",
        "dq += ddots @ k[..., here, :] / scale",
        "queries_get_their_gradient",
        "Your dq is divided by sqrt(d_k) twice. The scores were divided once; if your k is divided already, dq has the scale "
        "from there.",
    ),
    first_queries_skip_later_tiles=edit(
        "np.arange(first, here.stop) <= own",
        "(np.arange(first, here.stop) <= own) & (np.arange(q.shape[-2])[:, None] >= first)",
        "gradients_with_heads",
        "Your backward pass begins each tile with the query of the tile's own number, as if there were as many queries as keys. "
        "The queries are the last positions, so earlier ones read the tile, too.",
    ),
    backward_mask_too_wide=edit(
        "np.arange(first, here.stop) <= own",
        "np.arange(first, first + block) <= own",
        "gradients_with_heads",
        "Your causal mask has `block` columns in every tile of the backward pass. The last tile may hold fewer keys.",
    ),
)

CACHE = mistakes_of(
    "cache_bytes",
    keys_alone=edit(
        "numbers = 2 * layers * kv_heads * d_head",
        "numbers = layers * kv_heads * d_head",
        "caches_of_any_size",
        "Your count holds keys alone. Values are kept as well, and are as long.",
    ),
    layers_forgotten=edit(
        "numbers = 2 * layers * kv_heads * d_head",
        "numbers = 2 * kv_heads * d_head",
        "caches_of_any_size",
        "Your count is that of one layer. Each layer has keys and values of its own.",
    ),
    numbers_for_bytes=edit(
        "return numbers * bytes_each * used * page",
        "return numbers * used * page",
        "caches_of_any_size",
        "Your count is of numbers. Each takes bytes_each bytes.",
    ),
    padded_to_the_longest=edit(
        "sum(-(-tokens // page) for tokens in lengths)",
        "len(lengths) * -(-max(lengths) // page)",
        "caches_of_any_size",
        "Your count gives every sequence the room of the longest one. Each takes as many pages as it needs.",
    ),
    pages_rounded_down=edit(
        "-(-tokens // page)",
        "tokens // page",
        "whole_pages_for_each_sequence",
        "Your pages are rounded down, so the tokens of the last page have no room. Round up.",
    ),
    one_page_more=edit(
        "-(-tokens // page)",
        "(tokens // page + 1)",
        "whole_pages_for_each_sequence",
        "Your count adds a page to every sequence, also where its tokens just fill their pages.",
    ),
    pages_are_ignored=edit(
        "return numbers * bytes_each * used * page",
        "return numbers * bytes_each * sum(lengths)",
        "whole_pages_for_each_sequence",
        "Your count ignores `page`. The empty end of a sequence's last page is taken as well.",
    ),
    pages_are_shared=edit(
        "sum(-(-tokens // page) for tokens in lengths)",
        "-(-sum(lengths) // page)",
        "whole_pages_for_each_sequence",
        "Your sequences share their pages: you round up once, for all together. A page belongs to one sequence.",
    ),
    pages_for_tokens=edit(
        "return numbers * bytes_each * used * page",
        "return numbers * bytes_each * used",
        "whole_pages_for_each_sequence",
        "Your count takes a page for a token. A page holds `page` of them.",
    ),
    cache_in_two_bytes=edit(
        "return numbers * bytes_each * used * page",
        "return numbers * 2 * used * page",
        "caches_of_any_size",
        "Your count takes 2 bytes for every number, whatever bytes_each says.",
    ),
)

INTENSITY = mistakes_of(
    "arithmetic_intensity",
    one_product_counted=edit(
        "operations = 4 * T_q * T_k * d",
        "operations = 2 * T_q * T_k * d",
        "intensities_of_any_size",
        "Your operations are half of them. There are two products, q with k and weights with v, or a multiplication and an "
        "addition for each feature: both count.",
    ),
    multiplications_and_products_forgotten=edit(
        "operations = 4 * T_q * T_k * d",
        "operations = T_q * T_k * d",
        "intensities_of_any_size",
        "Your operations are a quarter of them. There are two products, and each feature takes a multiplication and an addition.",
    ),
    values_and_output_do_not_move=edit(
        "moved = 2 * T_q * d + 2 * T_k * d",
        "moved = T_q * d + T_k * d",
        "intensities_of_any_size",
        "Your bytes are those of q and k. v is read and the output is written, too.",
    ),
    output_does_not_move=edit(
        "moved = 2 * T_q * d + 2 * T_k * d",
        "moved = T_q * d + 2 * T_k * d",
        "intensities_of_any_size",
        "Your bytes leave out the output, which is written once.",
    ),
    weights_do_not_move=edit(
        "moved += 4 * T_q * T_k",
        "moved += 2 * T_q * T_k",
        "intensities_of_any_size",
        "Your bytes hold half of what goes to memory and back: scores are written and read, and then weights are written and read.",
    ),
    scores_move_once=edit(
        "moved += 4 * T_q * T_k",
        "moved += T_q * T_k",
        "intensities_of_any_size",
        "Your bytes hold one matrix, once. Scores are written and read, and then weights are written and read.",
    ),
    fused_the_wrong_way=edit(
        "    if not fused:\n        moved +=",
        "    if fused:\n        moved +=",
        "nothing_is_fused_unless_said",
        "Your scores and weights go to memory where it is fused, and stay where it is not. It is the other way round.",
    ),
    numbers_are_no_bytes=edit(
        "return operations / (moved * bytes_each)",
        "return operations / moved",
        "intensities_of_any_size",
        "You divide by how many numbers move. Each of them takes bytes_each bytes.",
    ),
    bytes_for_each_operation=edit(
        "return operations / (moved * bytes_each)",
        "return moved * bytes_each / operations",
        "intensities_of_any_size",
        "Your quotient is upside down: it is bytes for each operation.",
    ),
    always_two_bytes=edit(
        "return operations / (moved * bytes_each)",
        "return operations / (moved * 2)",
        "intensities_of_any_size",
        "Your numbers always take 2 bytes. Each of them takes bytes_each bytes.",
    ),
)

ROOFLINE = mistakes_of(
    "roofline",
    larger_of_both=edit(
        "return np.minimum(fed, peak)",
        "return np.maximum(fed, peak)",
        "rooflines_of_other_processors",
        "You take the larger of both speeds. Each of them is a limit, so the smaller one holds.",
    ),
    always_at_the_peak=edit(
        "return np.minimum(fed, peak)",
        "return np.full_like(fed, peak)",
        "rooflines_of_other_processors",
        "Your speed is the peak at every intensity. At a low one the processor waits for the memory.",
    ),
    no_roof=edit(
        "return np.minimum(fed, peak)",
        "return fed",
        "rooflines_of_other_processors",
        "Your speed grows with the intensity without an end. A processor does no more than its peak.",
    ),
    one_after_the_other=edit(
        "return np.minimum(fed, peak)",
        "return 1 / (1 / fed + 1 / peak)",
        "rooflines_of_other_processors",
        "Your bytes are moved first, and the operations come afterwards. They take their time side by side, so the slower of "
        "both decides.",
    ),
    bandwidth_divided_by_intensity=edit(
        "fed = np.asarray(intensity) * bandwidth",
        "fed = bandwidth / np.asarray(intensity)",
        "rooflines_of_other_processors",
        "You divide the bandwidth by the intensity. Bytes a second times operations for each byte are operations a second.",
    ),
    intensity_in_place=edit(
        "fed = np.asarray(intensity) * bandwidth",
        "fed = np.asarray(intensity)\n    fed *= bandwidth",
        "intensities_are_left_alone",
        "Your function multiplies the intensities in place (`*=`), so the array you were given has changed. Make a new one.",
    ),
    share_of_the_peak=edit(
        "return np.minimum(fed, peak)",
        "return np.minimum(fed, peak) / peak",
        "rooflines_of_other_processors",
        "Your result is a share of the peak. Asked for are operations per second.",
    ),
)

PAGED = mistakes_of(
    "paged_gather",
    pages_in_memory_order=edit(
        "holders = tables[row, t // page]",
        "holders = np.sort(tables[row, : -(-length // page)])[t // page]",
        "batches_of_texts",
        "Your pages come in the order in which they lie in memory. The table says in which order the sequence has them.",
    ),
    table_is_ignored=edit(
        "holders = tables[row, t // page]",
        "holders = t // page",
        "batches_of_texts",
        "You read the first pages that there are. The table says which pages hold this sequence.",
    ),
    first_table_for_all=edit(
        "holders = tables[row, t // page]",
        "holders = tables[0, t // page % (-(-lengths[0] // page))]",
        "batches_of_texts",
        "All your sequences are read by the first one's table. Each has a row of its own.",
    ),
    quotient_and_remainder_swapped=edit(
        "        holders = tables[row, t // page]\n        tokens[row, :length] = pages[holders, t % page]\n",
        "        count = -(-length // page)\n        holders = tables[row, t % count]\n"
        "        tokens[row, :length] = pages[holders, t // count]\n",
        "batches_of_texts",
        "Your tokens go round the pages, one from each. Consecutive tokens fill a page before the next one begins.",
    ),
    tail_of_the_last_page=edit(
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "        tokens[row, :length] = pages[holders, t % page]\n"
        "        more = np.arange(length, min(-(-length // page) * page, tokens.shape[1]))\n"
        "        tokens[row, more] = pages[tables[row, more // page], more % page]\n",
        "batches_of_texts",
        "Your last page is read to its end. What stands behind the last token was left by others; those places are zero.",
    ),
    last_page_dropped=edit(
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "        tokens[row, :length] = pages[holders, t % page]\n        tokens[row, length // page * page :] = 0\n",
        "batches_of_texts",
        "Your last page is left out where it is not full. Its first places hold tokens.",
    ),
    room_for_all_pages=edit(
        "max(lengths)",
        "tables.shape[1] * page",
        "batches_of_texts",
        "You make room for all the pages of a table. The result is as long as the longest text, which may end within a page.",
    ),
    places_from_the_end=edit(
        "pages[holders, t % page]",
        "pages[holders, -1 - t % page]",
        "batches_of_texts",
        "Your tokens stand in reverse within each page. The first place of a page holds its first token.",
    ),
    cut_to_the_shortest=edit(
        "    return tokens\n",
        "    return tokens[:, : min(lengths)]\n",
        "batches_of_texts",
        "Your result is as long as the shortest sequence. The longest one decides, and the others are followed by zeros.",
    ),
    page_0_behind_the_end=edit(
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "        behind = np.arange(tokens.shape[1])\n"
        "        tokens[row] = pages[0, behind % page]\n"
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "batches_of_texts",
        "Behind the end of a shorter sequence you have what stands in page 0. Those places are zero.",
    ),
    missing_pages_are_read=edit(
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "        every = np.arange(tokens.shape[1])\n"
        "        tokens[row] = pages[tables[row, every // page], every % page]\n",
        "batches_of_texts",
        "Behind the end of a shorter sequence you have what stands in its table's pages, and -1 counts as the last page of all. "
        "Those places are zero.",
    ),
    garbage_times_zero=edit(
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "        every = np.arange(tokens.shape[1])\n"
        "        all_of_it = pages[np.maximum(tables[row], 0)[every // page], every % page]\n"
        "        tokens[row] = (all_of_it.T * (every < length)).T\n",
        "what_others_have_left",
        "You multiply what stands behind the end by 0. Places that were never written may hold NaN or infinity, and 0 times NaN is "
        "NaN. Put zeros there.",
    ),
    last_page_taken_whole=edit(
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "        whole = pages[tables[row, : -(-length // page)]]\n"
        "        tokens[row, :length] = whole.reshape(-1, *pages.shape[2:])\n",
        "batches_of_texts",
        "You write all of the last page, also where it is not full. Cut the pages off at the sequence's length.",
    ),
)

PREFILL = mistakes_of(
    "chunked_prefill",
    chunks_forget_each_other=edit(
        "    for start in range(0, x.shape[-2], chunk):\n",
        "    for start in range(0, x.shape[-2], chunk):\n        K, V = K[..., : cache[0].shape[-2], :], V[..., : cache[0].shape[-2], :]\n",
        "chunks_of_any_size",
        "Your chunks read the old cache and themselves. The keys and values of earlier chunks have to be in the cache, too.",
    ),
    chunks_read_the_old_cache=edit(
        "        read, _ = tiled_attention(new @ W_q, K, V, chunk, causal=True)\n",
        "        mine = [np.concatenate([old, new @ W], axis=-2) for old, W in zip(cache, (W_k, W_v), strict=True)]\n"
        "        read, _ = tiled_attention(new @ W_q, *mine, chunk, causal=True)\n",
        "chunks_of_any_size",
        "Your chunks read the old cache and themselves, and no earlier chunk, while the cache that you return is right. Let each "
        "chunk read the cache as it has grown so far.",
    ),
    old_cache_forgotten=edit(
        "    K, V = cache\n    outputs = []\n",
        "    K, V = cache[0][..., :0, :], cache[1][..., :0, :]\n    outputs = []\n",
        "a_cache_is_continued",
        "Your prompt begins with an empty cache. What was read before is in the cache that you are given.",
    ),
    chunk_sees_its_future=edit(
        "K, V, chunk, causal=True)",
        "K, V, chunk, causal=False)",
        "chunks_of_any_size",
        "Your tokens read all of their chunk, also what comes after them. Within a chunk the mask is causal.",
    ),
    chunk_reads_the_past_alone=edit(
        "        read, _ = tiled_attention(new @ W_q, K, V, chunk, causal=True)\n",
        "        T = K.shape[-2] - new.shape[-2]\n"
        "        read, _ = tiled_attention(new @ W_q, K[..., : T + 1, :], V[..., : T + 1, :], chunk)\n",
        "chunks_of_any_size",
        "Your tokens read what came before their chunk, and its first token. Each of them also reads its own chunk up to itself.",
    ),
    last_chunk_dropped=edit(
        "range(0, x.shape[-2], chunk)",
        "range(0, x.shape[-2] // chunk * chunk or x.shape[-2], chunk)",
        "chunks_of_any_size",
        "Your loop leaves out the last tokens where chunk does not divide their number. The last chunk may hold fewer.",
    ),
    new_cache_alone=edit(
        "return np.concatenate(outputs, axis=-2), K, V",
        "return np.concatenate(outputs, axis=-2), x @ W_k, x @ W_v",
        "a_cache_is_continued",
        "Your cache holds the new tokens alone. It goes on from the one that you were given.",
    ),
    old_cache_returned=edit(
        "return np.concatenate(outputs, axis=-2), K, V",
        "return np.concatenate(outputs, axis=-2), *cache",
        "chunks_of_any_size",
        "You return the cache as it was given. The next step needs it with the new keys and values.",
    ),
    last_output_alone=edit(
        "return np.concatenate(outputs, axis=-2), K, V",
        "return outputs[-1], K, V",
        "chunks_of_any_size",
        "Your output is that of the last chunk. Put the outputs of all chunks together.",
    ),
    cache_in_front=edit(
        "K = np.concatenate([K, new @ W_k], axis=-2)",
        "K = np.concatenate([new @ W_k, K], axis=-2)",
        "chunks_of_any_size",
        "Your new keys stand in front of the old ones. They belong behind them, as their values do.",
    ),
    cache_not_counted=edit(
        "K, V, chunk, causal=True)",
        "*(kept[..., : start + new.shape[-2], :] for kept in (K, V)), chunk, causal=True)",
        "a_cache_is_continued",
        "Your places begin at the prompt. Behind a cache of P tokens the first one stands at place P, and reads P + 1 keys.",
    ),
    cache_joined_along_axis_0=edit(
        "        K = np.concatenate([K, new @ W_k], axis=-2)\n        V = np.concatenate([V, new @ W_v], axis=-2)\n",
        "        K = np.concatenate([K, new @ W_k])\n        V = np.concatenate([V, new @ W_v])\n",
        "batches_and_heads_are_read",
        "Your keys and values are joined along the first axis. With a batch in front that is the batch; time is the axis before "
        "the last.",
    ),
)

ACCEPT = mistakes_of(
    "accept",
    ratio_upside_down=edit(
        "if u[i] * q[i, token] >= p[i, token]:",
        "if u[i] * p[i, token] >= q[i, token]:",
        "drafts_that_end_anywhere",
        "Your ratio is q / p. A token stays for certain where the large model likes it more than the small one does, so it is p / q.",
    ),
    target_alone_decides=edit(
        "if u[i] * q[i, token] >= p[i, token]:",
        "if u[i] >= p[i, token]:",
        "drafts_that_end_anywhere",
        "Your tokens stay with probability p. They were proposed with probability q already, so they have to stay with p / q.",
    ),
    stays_where_it_should_end=edit(
        "if u[i] * q[i, token] >= p[i, token]:",
        "if u[i] * q[i, token] < p[i, token]:",
        "drafts_that_end_anywhere",
        "Your draft ends where it should go on: a token stays if u is smaller than p / q.",
    ),
    greedy_acceptance=edit(
        "if u[i] * q[i, token] >= p[i, token]:",
        "if p[i].argmax() != token:",
        "drafts_that_end_anywhere",
        "Your tokens stay if they are the large model's favourite. That is right for greedy decoding alone; here u decides.",
    ),
    drawn_from_the_target=edit(
        "left = np.maximum(p[i] - q[i], 0)",
        "left = p[i]",
        "drafts_that_end_anywhere",
        "You draw the new token from p. What the draft can give has been given, so it comes from what is left: max(0, p - q).",
    ),
    drawn_from_the_draft=edit(
        "left = np.maximum(p[i] - q[i], 0)",
        "left = np.maximum(q[i] - p[i], 0)",
        "drafts_that_end_anywhere",
        "Your remainder is q - p, what the small model has too much of. The new token comes from p - q, what it has too little of.",
    ),
    negative_shares=edit(
        "left = np.maximum(p[i] - q[i], 0)",
        "left = np.abs(p[i] - q[i])",
        "drafts_that_end_anywhere",
        "Your remainder counts differences of either sign. Where q is larger than p nothing is left.",
    ),
    remainder_not_normalised=edit(
        "written.append(int((sums <= u[-1] * sums[-1]).sum()))",
        "written.append(min(int((sums <= u[-1]).sum()), p.shape[-1] - 1))",
        "drafts_that_end_anywhere",
        "Your remainder is not divided by its sum. It sums to less than 1, so large numbers fall behind its end.",
    ),
    rejected_token_stays=edit(
        "            left = np.maximum(p[i] - q[i], 0)\n            break\n",
        "            left = np.maximum(p[i] - q[i], 0)\n            written.append(int(token))\n            break\n",
        "drafts_that_end_anywhere",
        "Your list holds the token that does not stay, and the new one behind it. The new one takes its place.",
    ),
    goes_on_behind_a_rejection=edit(
        "            left = np.maximum(p[i] - q[i], 0)\n            break\n",
        "            left = np.maximum(p[i] - q[i], 0)\n            continue\n",
        "drafts_that_end_anywhere",
        "Your draft goes on behind a token that does not stay. What follows was written for another beginning; stop there.",
    ),
    nothing_drawn_in_the_end=edit(
        "    sums = np.cumsum(left)\n",
        "    if len(written) == len(draft):\n        return written\n    sums = np.cumsum(left)\n",
        "drafts_that_end_anywhere",
        "Your draft is returned as it is when all of it stays. The large model has read one place more, so one more token is free.",
    ),
    last_row_of_the_draft=edit(
        "    left = p[-1]\n",
        "    left = p[max(len(draft) - 1, 0)]\n",
        "drafts_that_end_anywhere",
        "When all tokens stay, you draw from the row of the last token of the draft. The row behind it is the one for the next token.",
    ),
    number_of_the_place=edit(
        "u[-1] * sums[-1]",
        "u[len(written)] * sums[-1]",
        "drafts_that_end_anywhere",
        "You draw with the number that has decided about the token already. The drawn token takes the last number of u.",
    ),
    most_likely_for_drawn=edit(
        "written.append(int((sums <= u[-1] * sums[-1]).sum()))",
        "written.append(int(left.argmax()))",
        "drafts_that_end_anywhere",
        "Your last token is the most likely one. It is drawn, with the last number of u.",
    ),
    remainder_drawn_unnormalised=edit(
        "written.append(int((sums <= u[-1] * sums[-1]).sum()))",
        "written.append(min(int((sums <= u[-1]).sum()), int(np.flatnonzero(left)[-1])))",
        "drafts_that_end_anywhere",
        "Your remainder is not divided by its sum. It sums to less than 1, so large numbers all draw the last token that is left.",
    ),
    sum_may_equal_the_number=edit(
        "(sums <= u[-1] * sums[-1]).sum()",
        "(sums < u[-1] * sums[-1]).sum()",
        "a_number_of_zero",
        "You take the first token whose running sum reaches the number. It has to exceed it: a number of 0 would draw a token "
        "without probability.",
    ),
    residual_behind_the_draft=edit(
        "    sums = np.cumsum(left)\n",
        "    np.maximum(p[len(written)] - q[len(written)], 0)\n    sums = np.cumsum(left)\n",
        "drafts_that_end_anywhere",
        "You make the remainder also where the whole draft stays. q has no row behind the draft; there the token is drawn from p "
        "alone.",
    ),
)

SCALED = mistakes_of(
    "loss_scaled_step",
    never_unscaled=edit(
        "true = [grad.astype(np.float64) / scale for grad in grads]",
        "true = [grad.astype(np.float64) for grad in grads]",
        "steps_that_are_clipped_and_not",
        "Your gradients are never divided by the scale.",
    ),
    multiplied_by_the_scale=edit(
        "true = [grad.astype(np.float64) / scale for grad in grads]",
        "true = [grad.astype(np.float64) * scale for grad in grads]",
        "steps_that_are_clipped_and_not",
        "Your gradients are multiplied by the scale. They have that factor already, from the loss; divide by it.",
    ),
    divided_in_half_precision=edit(
        "true = [grad.astype(np.float64) / scale for grad in grads]",
        "true = [(grad / np.float16(min(scale, 60000.0))).astype(np.float64) for grad in grads]",
        "tiny_gradients_survive",
        "You divide in float16, which makes zeros of the small gradients that the scale has saved. Go to a wider precision first.",
    ),
    clipped_before_unscaling=edit(
        "    norm = np.sqrt(sum((grad**2).sum() for grad in true))\n    clip = max_norm / max(norm, max_norm)\n",
        "    norm = np.sqrt(sum(((grad * scale) ** 2).sum() for grad in true))\n    clip = max_norm / max(norm, max_norm)\n",
        "steps_that_are_clipped_and_not",
        "You clip before you unscale: the norm that you compare with max_norm holds the scale.",
    ),
    not_clipped=edit(
        "clip = max_norm / max(norm, max_norm)",
        "clip = 1.0",
        "steps_that_are_clipped_and_not",
        "Your gradients are not clipped to a norm of max_norm.",
    ),
    always_clipped=edit(
        "clip = max_norm / max(norm, max_norm)",
        "clip = max_norm / norm",
        "steps_that_are_clipped_and_not",
        "Your gradients always get the norm max_norm, also those that are shorter. Clipping never makes a gradient longer.",
    ),
    norm_of_each_array=edit(
        "    stepped = [weight - lr * clip * grad for weight, grad in zip(weights, true, strict=True)]\n",
        "    stepped = [weight - lr * max_norm / max(np.sqrt((grad**2).sum()), max_norm) * grad for weight, grad in zip(weights, true, strict=True)]\n",
        "steps_that_are_clipped_and_not",
        "Your gradients are clipped each by its own norm. The norm is that of all of them together, so that the direction stays.",
    ),
    infinities_are_learned=edit(
        "if not all(np.isfinite(grad).all() for grad in true):",
        "if not all(np.isfinite(grad).all() for grad in true[:0]):",
        "any_overflow_skips_the_step",
        "Your step is taken although a gradient has overflowed, and the weights become NaN or infinite. Skip such a step.",
    ),
    nan_is_learned=edit(
        "if not all(np.isfinite(grad).all() for grad in true):",
        "if any(np.isinf(grad).any() for grad in true):",
        "any_overflow_skips_the_step",
        "Your check looks for infinities and lets NaN through.",
    ),
    first_gradient_checked_alone=edit(
        "if not all(np.isfinite(grad).all() for grad in true):",
        "if not all(np.isfinite(grad).all() for grad in true[:1]):",
        "any_overflow_skips_the_step",
        "Your check looks at the first gradient. An overflow in any of them spoils the step.",
    ),
    overflows_are_zero=edit(
        "        return [weight.copy() for weight in weights], scale / 2, 0\n",
        "        true = [np.where(np.isfinite(grad), grad, 0.0) for grad in true]\n",
        "any_overflow_skips_the_step",
        "Your step goes on with zeros in place of what overflowed. The whole step is skipped, and the scale is halved.",
    ),
    scale_not_halved=edit(
        "scale / 2, 0",
        "scale, 0",
        "any_overflow_skips_the_step",
        "Your scale stays after an overflow, so the next step overflows as well. Halve it.",
    ),
    scale_doubled_on_overflow=edit(
        "scale / 2, 0",
        "scale * 2, 0",
        "any_overflow_skips_the_step",
        "Your scale is doubled after an overflow. It was too large already; halve it.",
    ),
    count_survives_an_overflow=edit(
        "scale / 2, 0",
        "scale / 2, good",
        "any_overflow_skips_the_step",
        "Your count of good steps goes on after an overflow. It counts steps in a row, so it starts again at 0.",
    ),
    skipped_step_counts=edit(
        "scale / 2, 0",
        "scale / 2, good + 1",
        "any_overflow_skips_the_step",
        "Your count of good steps counts the skipped one, too. It starts again at 0.",
    ),
    never_doubled=edit(
        "if good + 1 == interval:",
        "if good == interval:",
        "good_steps_are_counted",
        "Your scale is not doubled at the end of an interval. This step counts among the good ones, so compare good + 1 with "
        "interval.",
    ),
    count_not_reset=edit(
        "return stepped, scale * 2, 0",
        "return stepped, scale * 2, good + 1",
        "good_steps_are_counted",
        "Your count goes on when the scale is doubled. It starts again at 0.",
    ),
    uphill=edit(
        "weight - lr * clip * grad",
        "weight + lr * clip * grad",
        "steps_that_are_clipped_and_not",
        "Your weights go up the gradient. The loss falls against it.",
    ),
    weights_changed_in_place=edit(
        "    if good + 1 == interval:\n",
        "    for weight, new in zip(weights, stepped, strict=True):\n        weight[...] = new\n    if good + 1 == interval:\n",
        "nothing_is_changed_in_place",
        "Your step is written into the caller's weights as well. Return new arrays, and leave the old ones as they are.",
    ),
)


MISCONCEPTIONS = (
    *ONLINE,
    *TILED,
    *BACKWARD,
    *CACHE,
    *INTENSITY,
    *ROOFLINE,
    *PAGED,
    *PREFILL,
    *ACCEPT,
    *SCALED,
)
