"""Known mistakes of a10_fast_attention, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.mistakes import edit, mistakes_of

ONLINE = mistakes_of(
    "online_softmax",
    divided_by_the_last_block=edit(
        "return highest, total, mixed / total",
        "return highest, total, mixed / raised.sum()",
        "blocks_of_any_length",
        "Your y is divided by the exponentials of the last block alone. l has those of all blocks.",
    ),
    factor_turned_round=edit(
        "kept = np.exp(highest - higher)",
        "kept = np.exp(higher - highest)",
        "blocks_of_any_length",
        "Your factor is turned round. What was summed up below the old maximum gets smaller under a higher one: exp(old - new).",
    ),
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
    maximum_of_the_first_block=edit(
        "higher = max(highest, scores.max())",
        "higher = highest if total else scores.max()",
        "two_blocks_of_two",
        "Your m is the maximum of the first block and never rises, so larger scores that come later can overflow. Each block may "
        "raise it.",
    ),
    block_measured_from_its_own_maximum=edit(
        "raised = np.exp(scores - higher)",
        "raised = np.exp(scores - scores.max())",
        "the_largest_score_comes_first",
        "Your new block is measured from its own maximum, the sums so far from the running one. Both have to be measured from "
        "the same, the larger of the two.",
    ),
    every_block_from_its_own_maximum=edit(
        "        kept = np.exp(highest - higher)\n        raised = np.exp(scores - higher)\n",
        "        kept = 1.0\n        raised = np.exp(scores - max(scores.max(), -1e300))\n",
        "two_blocks_of_two",
        "Your blocks are each measured from their own maximum, and then added up as they are. All of them have to be "
        "measured from the same maximum before they are added.",
    ),
    hidden_block_ends_the_loop=edit(
        "        if higher == -np.inf:\n            continue\n",
        "        if scores.max() == -np.inf:\n            break\n",
        "nothing_to_read_in_the_first_block",
        "Your loop ends at a block that is hidden entirely. Such a block counts for nothing, and those behind it are read "
        "as ever.",
    ),
    block_with_a_hidden_key_dropped=edit(
        "        if higher == -np.inf:\n            continue\n",
        "        if np.isneginf(scores).any():\n            continue\n",
        "nothing_to_read_in_the_first_block",
        "Your loop leaves out a block as soon as one of its scores is minus infinity. That key alone counts for nothing; "
        "the others of its block are read.",
    ),
    minus_infinity_made_zero=edit(
        "        higher = max(highest, scores.max())\n",
        "        scores = np.where(np.isneginf(scores), 0.0, scores)\n        higher = max(highest, scores.max())\n",
        "nothing_to_read_in_the_first_block",
        "Your scores of minus infinity become 0, which is a score like any other. The exponential of minus infinity is 0 "
        "by itself; only a maximum of minus infinity needs care.",
    ),
    first_block_counted_twice=edit(
        "for scores, values in blocks:",
        "for scores, values in [blocks[0], *blocks]:",
        "two_blocks_of_two",
        "Your first block counts twice: you begin with its sums, and your loop adds it again. Begin with nothing, or begin "
        "the loop at the second block.",
    ),
    powers_of_two=edit(
        "        kept = np.exp(highest - higher)\n        raised = np.exp(scores - higher)\n",
        "        kept = np.exp2(highest - higher)\n        raised = np.exp2(scores - higher)\n",
        "two_blocks_of_two",
        "Your exponentials are powers of 2. A softmax takes powers of e; where programs use exp2, they have multiplied the "
        "scores by log2(e) first.",
    ),
    maximum_of_the_last_block_returned=edit(
        "return highest, total, mixed / total",
        "return scores.max(), total, mixed / total",
        "the_largest_score_comes_first",
        "Your l and y are right, but the m that you return is the maximum of the last block. Return that of all scores.",
    ),
    blocks_count_alike=edit(
        "        mixed = mixed * kept + raised @ values\n        highest = higher\n    return highest, total, mixed / "
        "total\n",
        "        own = np.exp(scores - max(scores.max(), -1e300))\n        mixed = mixed + own @ values / own.sum() / "
        "len([s for s, _ in blocks if s.max() > -np.inf])\n        highest = higher\n    return highest, total, mixed\n",
        "two_blocks_of_two",
        "Your y is the plain mean of what each block gives alone. A block with larger scores counts for more: sum over all "
        "blocks first, then divide by the sum of all.",
    ),
    logsumexp_for_the_sum=edit(
        "return highest, total, mixed / total",
        "return highest, highest + np.log(total), mixed / total",
        "two_blocks_of_two",
        "Your l is the logsumexp, m + log(l). Asked for here is the sum itself, measured from m.",
    ),
    values_of_hidden_keys_stay=edit(
        "raised = np.exp(scores - higher)",
        "raised = np.exp(scores[np.isfinite(scores)] - higher)",
        "nothing_to_read_in_the_first_block",
        "Your hidden scores are removed from their block, but their values are not, so the two do not fit any more. A "
        "hidden key may stay: its exponential is 0.",
    ),
)

TILED = mistakes_of(
    "tiled_attention",
    causal_mask_turned_round=edit(
        "readable = start + np.arange(keys.shape[-2]) <= places",
        "readable = start + np.arange(keys.shape[-2]) > places",
        "causal_tiles",
        "Your causal mask is turned round: each query reads what comes after it, and neither itself nor what came before.",
    ),
    maximum_of_the_latest_tile=edit(
        "m_new = np.maximum(m, scores.max(axis=-1))",
        "m_new = scores.max(axis=-1)",
        "large_scores_do_not_overflow",
        "Your maximum is that of the latest tile alone. Where an earlier tile had larger scores, the factor between the two overflows: "
        "keep the largest score so far.",
    ),
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
    tiles_end_before_the_last_key=edit(
        "for start in range(0, T_k, block):\n        keys",
        "for start in range(0, max(T_k - 1, 1), block):\n        keys",
        "tiles_of_any_size",
        "Your loop over the tiles ends at T_k - 1, so a last tile that holds a single key is left out. A range ends before its end anyway.",
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
    maximum_of_hidden_scores_too=edit(
        "m_new = np.maximum(m, scores.max(axis=-1))",
        "m_new = np.maximum(m, (q @ np.swapaxes(keys, -1, -2) / q.shape[-1] ** 0.5).max(axis=-1))",
        "every_row_has_its_own_maximum",
        "Your maximum is taken before the future is hidden. Where a key to come has a score far above the others, all that may be read "
        "becomes zero, and zero divided by zero is no number.",
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
    padding_takes_part=edit(
        "    for start in range(0, T_k, block):\n        keys",
        "    whole = [(0, 0)] * (k.ndim - 2) + [(0, -T_k % block), (0, 0)]\n"
        "    k, v = np.pad(k, whole), np.pad(v, whole)\n"
        "    for start in range(0, T_k, block):\n        keys",
        "two_queries_three_keys",
        "Your last tile is filled up with keys of zeros, which have a score of 0 and get a share like any other. Hide them, or let "
        "the last tile hold fewer.",
    ),
    maximum_of_the_first_tile=edit(
        "m_new = np.maximum(m, scores.max(axis=-1))",
        "m_new = np.where(np.isneginf(m), scores.max(axis=-1), m)",
        "large_scores_do_not_overflow",
        "Your maximum is that of the first tile and never rises, so that larger scores in later tiles overflow. Each tile may raise "
        "it.",
    ),
    tile_measured_from_its_own_maximum=edit(
        "tile = np.exp(scores - m_new[..., None])",
        "tile = np.exp(scores - scores.max(axis=-1, keepdims=True))",
        "two_queries_three_keys",
        "Your new tile is measured from its own maximum, the sums so far from the running one. Both have to be measured from the "
        "same, the larger of the two.",
    ),
    logsumexp_keeps_an_axis=edit(
        "m + np.log(denominator)\n",
        "(m + np.log(denominator))[..., None]\n",
        "two_queries_three_keys",
        "Your logsumexp has an axis of length one behind its rows. It is one number for each query, (..., T_q).",
    ),
    logsumexp_first=edit(
        "return output / denominator[..., None], m + np.log(denominator)",
        "return m + np.log(denominator), output / denominator[..., None]",
        "two_queries_three_keys",
        "Your logsumexp comes first. The order is output, logsumexp.",
    ),
    logsumexp_to_base_two=edit(
        "m + np.log(denominator)\n",
        "m + np.log2(denominator)\n",
        "two_queries_three_keys",
        "Your logsumexp has a logarithm to base 2. Undoing exp takes the natural one.",
    ),
    tiles_end_with_the_queries=edit(
        "    for start in range(0, T_k, block):\n        keys",
        "    for start in range(0, T_q if causal else T_k, block):\n        keys",
        "causal_tiles",
        "Your loop ends at the number of queries where it is causal, as if the queries stood at the first places. They "
        "stand at the last ones, so the last query reads every tile.",
    ),
    tiles_behind_the_first_query_skipped=edit(
        "    for start in range(0, T_k, block):\n        keys",
        "    for start in range(0, T_k, block):\n        if causal and start > T_k - T_q:\n            continue\n        "
        "keys",
        "causal_tiles",
        "Your loop skips every tile that lies behind the first query. Later queries read it; a tile can only be skipped if "
        "no query reads it.",
    ),
    uneven_tiles_placed_evenly=edit(
        "            readable = start + np.arange(keys.shape[-2]) <= places\n",
        "            parts = np.array_split(np.arange(T_k), -(-T_k // block))\n            assumed = [number * block + "
        "np.arange(len(part)) for number, part in enumerate(parts)]\n            readable = np.concatenate(assumed)[start "
        ": start + block] <= places\n",
        "causal_tiles_of_any_size",
        "Your mask takes every tile to begin at a multiple of block, but np.array_split makes tiles of about equal size "
        "that begin elsewhere. Let the mask know where each tile really begins.",
    ),
    denominator_counts_hidden_keys=edit(
        "            scores = np.where(readable, scores, -np.inf)\n        m_new = np.maximum(m, "
        "scores.max(axis=-1))\n        shrink = np.exp(m - m_new)\n        tile = np.exp(scores - m_new[..., "
        "None])\n        denominator = denominator * shrink + tile.sum(axis=-1)\n",
        "            pass\n        m_new = np.maximum(m, scores.max(axis=-1))\n        shrink = np.exp(m - m_new)\n        "
        "tile = np.exp(scores - m_new[..., None])\n        denominator = denominator * shrink + tile.sum(axis=-1)\n        "
        "tile = tile * readable if causal else tile\n",
        "causal_tiles",
        "Your denominator counts hidden keys, too: you hide them after the row was summed up. Hide their scores before the "
        "exponentials are taken.",
    ),
    divided_in_every_tile=edit(
        "        output = output * shrink[..., None] + tile @ v[..., start : start + block, :]\n        m = m_new\n    "
        "return output / denominator[..., None], m",
        "        output = (output * shrink[..., None] + tile @ v[..., start : start + block, :]) / denominator[..., "
        "None]\n        m = m_new\n    return output, m",
        "one_query_in_tiles_of_two",
        "Your output is divided by the running sum after each tile, and the next tile is added to it as if it were still a "
        "sum. Multiply it by the old sum first, or divide once, behind the loop.",
    ),
    last_tile_alone_is_masked=edit(
        "        if causal:\n            readable",
        "        if causal and start + block >= T_k:\n            readable",
        "causal_tiles",
        "Your causal mask is applied in the last tile alone. The first queries may not read all of the tiles before it.",
    ),
    maximum_unscaled_in_logsumexp=edit(
        "m + np.log(denominator)",
        "m * q.shape[-1] ** 0.5 + np.log(denominator)",
        "two_queries_three_keys",
        "Your logsumexp adds the maximum of the dot products, before they were divided by sqrt(d_k). Add the maximum of "
        "the scores that the softmax reads.",
    ),
    start_on_the_wrong_side=edit(
        "readable = start + np.arange(keys.shape[-2]) <= places",
        "readable = np.arange(keys.shape[-2]) <= places + start",
        "causal_tiles_of_any_size",
        "Your causal mask adds the tile's start to the places of the queries, or to the diagonal of np.tri or np.tril. It "
        "belongs to the places of the keys: a later tile shows fewer keys, not more.",
    ),
    tiles_see_only_the_future=edit(
        "readable = start + np.arange(keys.shape[-2]) <= places",
        "readable = start + np.arange(keys.shape[-2]) >= places",
        "causal_tiles_of_any_size",
        "Your causal mask is the wrong way round: queries read what comes after them, and nothing before.",
    ),
    tiles_scaled_by_the_values=edit(
        "scores = q @ np.swapaxes(keys, -1, -2) / q.shape[-1] ** 0.5",
        "scores = q @ np.swapaxes(keys, -1, -2) / v.shape[-1] ** 0.5",
        "tiles_of_any_size",
        "Your scores are divided by sqrt(d_v), the width of the values. The scale is that of queries and keys, sqrt(d_k).",
    ),
    last_key_of_each_tile_left_out=edit(
        "    for start in range(0, T_k, block):\n        keys = k",
        "    for start, block in zip(range(0, T_k, block), [block - 1] * T_k):\n        keys = k",
        "tiles_of_any_size",
        "Your tiles lack their last key, and with a block of one they are empty. In Python the end of a slice is not part of it: "
        "start : start + block holds block keys.",
    ),
    one_too_many_in_the_logarithm=edit(
        "m + np.log(denominator)",
        "m + np.log1p(denominator)",
        "tiles_of_any_size",
        "Your logsumexp is m + ln(1 + l). The largest score is in the denominator already: it is m + ln(l).",
    ),
)

BACKWARD = mistakes_of(
    "tiled_backward",
    mask_for_dv_alone=edit(
        "ddots = weights * (dweights - along) / scale",
        "unmasked = np.exp(q @ np.swapaxes(k[..., here, :], -1, -2) / scale - logsumexp[..., None])\n"
        "        ddots = unmasked * (dweights - along) / scale",
        "backward_of_two_queries",
        "Your causal mask is in the weights of dv, and not in those of dq and dk. All three go back through the same weights.",
    ),
    query_at_a_tile_s_first_key_left_out=edit(
        "s = np.where(np.arange(first, here.stop) <= own, s, -np.inf)",
        "s = np.where((np.arange(first, here.stop) <= own) & (own > first), s, -np.inf)",
        "queries_get_their_gradient",
        "The query that stands at the place of a tile's first key is left out of this tile. It reads that key: its own.",
    ),
    one_D_for_all_queries=edit(
        "along = (dout * output).sum(axis=-1, keepdims=True)",
        "along = (dout * output).sum()",
        "queries_get_their_gradient",
        "Your D is one number for all queries. Each query has a D of its own: sum over its features, the last axis.",
    ),
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
    divided_by_the_logsumexp=edit(
        "weights = np.exp(s - logsumexp[..., None])",
        "weights = np.exp(s) / logsumexp[..., None]",
        "backward_in_tiles_of_one",
        "Your weights are divided by the logsumexp, which is a logarithm. Take it off the score before the exponential.",
    ),
    gradients_multiplied_by_the_scale=edit(
        "ddots = weights * (dweights - along) / scale",
        "ddots = weights * (dweights - along) * scale",
        "backward_in_tiles_of_one",
        "Your gradients of q and k are multiplied by sqrt(d_k). Scores were divided by it, and so are they.",
    ),
    no_weights_in_the_softmax_derivative=edit(
        "ddots = weights * (dweights - along) / scale",
        "ddots = (dweights - along) / scale",
        "backward_in_tiles_of_one",
        "Your dscores lack the weights. The formula multiplies dweights - D by them.",
    ),
    values_forget_the_mask=edit(
        "            s = np.where(np.arange(first, here.stop) <= own, s, -np.inf)\n        weights = np.exp(s - "
        "logsumexp[..., None])\n        dv[..., here, :] = np.swapaxes(weights, -1, -2) @ dout\n",
        "            pass\n        weights = np.exp(s - logsumexp[..., None])\n        dv[..., here, :] = "
        "np.swapaxes(weights, -1, -2) @ dout\n        if causal:\n            weights = weights * (np.arange(first, "
        "here.stop) <= own)\n",
        "backward_of_two_queries",
        "Your dq and dk know the causal mask, and your dv does not: values hear from queries that never read them. Hide "
        "the weights before dv is made of them.",
    ),
    row_sum_outside_the_weights=edit(
        "ddots = weights * (dweights - along) / scale",
        "ddots = (weights * dweights - along) / scale",
        "backward_in_tiles_of_one",
        "Your D is subtracted behind the product with the weights. It is weights * (dweights - D): the brackets matter.",
    ),
    values_from_the_output=edit(
        "dv[..., here, :] = np.swapaxes(weights, -1, -2) @ dout",
        "dv[..., here, :] = np.swapaxes(weights, -1, -2) @ output",
        "backward_in_tiles_of_one",
        "Your dv is made of the output. It is made of the output's gradient, dout.",
    ),
    dout_overwritten=edit(
        "along = (dout * output).sum(axis=-1, keepdims=True)",
        "dout = dout * output\n    along = dout.sum(axis=-1, keepdims=True)",
        "backward_in_tiles_of_one",
        "Your product dout * output takes the place of dout, and everything after it reads the product. Keep it under a "
        "name of its own.",
    ),
    backward_partial_tile_dropped=edit(
        "for first in range(0, last, block):",
        "for first in range(0, last // block * block, block):",
        "backward_of_two_queries",
        "Your backward loop leaves out the last keys where block does not divide their number. The last tile may hold "
        "fewer.",
    ),
    row_sum_of_all_queries=edit(
        "along = (dout * output).sum(axis=-1, keepdims=True)",
        "along = (dout * output).sum(axis=(-2, -1), keepdims=True)",
        "backward_of_two_queries",
        "Your D is one number for all queries. Each query has its own: the sum runs over the features alone.",
    ),
    backward_ends_with_the_first_query=edit(
        "        here = slice(first, min(first + block, last))\n",
        "        if causal and first > last - q.shape[-2]:\n            break\n        here = slice(first, min(first + block, last))\n",
        "backward_of_two_queries",
        "Your backward loop ends behind the place of the first query where it is causal. Later queries read on; only a tile behind the "
        "last query would be read by none, and there is no such tile.",
    ),
    backward_ends_with_the_queries=edit(
        "for first in range(0, last, block):",
        "for first in range(0, q.shape[-2] if causal else last, block):",
        "backward_of_two_queries",
        "Your backward loop ends at the number of queries where it is causal, as if they stood at the first places. They "
        "stand at the last ones, so the last query has read every tile.",
    ),
    dk_not_transposed=edit(
        "dk[..., here, :] = np.swapaxes(ddots, -1, -2) @ q",
        "dk[..., here, :] = ddots @ q",
        "keys_get_their_gradient",
        "Your dk multiplies dscores as they are, with a row for each query. A key's gradient has a row for each key: transpose them.",
    ),
    dq_transposed=edit(
        "dq += ddots @ k[..., here, :]",
        "dq += np.swapaxes(ddots, -1, -2) @ k[..., here, :]",
        "queries_get_their_gradient",
        "Your dq transposes dscores. They have a row for each query already, as dq has; it is dk that needs the transpose.",
    ),
    dv_not_transposed=edit(
        "dv[..., here, :] = np.swapaxes(weights, -1, -2) @ dout",
        "dv[..., here, :] = weights @ dout",
        "values_get_their_gradient",
        "Your dv multiplies the weights as they are, with a row for each query. A value's gradient has a row for each key: "
        "transpose them.",
    ),
    D_without_its_axis=edit(
        "along = (dout * output).sum(axis=-1, keepdims=True)",
        "along = (dout * output).sum(axis=-1)",
        "queries_get_their_gradient",
        "Your D has lost the axis of the features, so it is lined up with the keys instead of the queries. keepdims=True keeps it, with "
        "one entry.",
    ),
    logsumexp_without_an_axis=edit(
        "weights = np.exp(s - logsumexp[..., None])",
        "weights = np.exp(s - logsumexp)",
        "values_get_their_gradient",
        "Your logsumexp is lined up with the keys instead of the queries. It has one number for each query: give it an axis of "
        "length one at the end.",
    ),
    dk_from_the_tile=edit(
        "dk[..., here, :] = np.swapaxes(ddots, -1, -2) @ q",
        "dk[..., here, :] = np.swapaxes(ddots, -1, -2) @ k[..., here, :]",
        "backward_in_tiles_of_one",
        "Your dk multiplies by the tile's keys. In a dot product, the derivative by one vector is the other: take the "
        "queries.",
    ),
    dv_from_the_gradient_of_the_scores=edit(
        "dv[..., here, :] = np.swapaxes(weights, -1, -2) @ dout",
        "dscores = weights * (dout @ np.swapaxes(v[..., here, :], -1, -2) - along)\n"
        "        dv[..., here, :] = np.swapaxes(dscores, -1, -2) @ dout",
        "backward_in_tiles_of_one",
        "Your dv is made with the gradient of the scores. The values were multiplied by the weights, so dv is weights.T @ dout.",
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
    heads_forgotten=edit(
        "numbers = 2 * layers * kv_heads * d_head",
        "numbers = 2 * layers * d_head",
        "four_gib_and_one",
        "Your count is that of one head. Each head of keys and values has numbers of its own.",
    ),
    longest_text_alone=edit(
        "used = sum(-(-tokens // page) for tokens in lengths)",
        "used = max(-(-tokens // page) for tokens in lengths)",
        "three_texts_in_pages",
        "Your count is that of the longest sequence alone. The others need room as well.",
    ),
    keys_and_values_share_pages=edit(
        "    used = sum(-(-tokens // page) for tokens in lengths)\n    numbers = 2 * layers",
        "    used = sum(-(-2 * tokens // page) for tokens in lengths)\n    numbers = layers",
        "three_texts_in_pages",
        "You round up twice the number of tokens, as if keys and values filled the same pages one after the other. A page "
        "holds `page` tokens, each with its key and its value: round up, then double.",
    ),
    equal_lengths_counted_once=edit(
        "for tokens in lengths)",
        "for tokens in set(lengths))",
        "three_texts_in_pages",
        "Your sequences of the same length are counted once. A set keeps one of several equal numbers; each sequence needs "
        "room of its own.",
    ),
    layers_share_pages=edit(
        "    used = sum(-(-tokens // page) for tokens in lengths)\n    numbers = 2 * layers *",
        "    used = sum(-(-tokens * layers // page) for tokens in lengths)\n    numbers = 2 *",
        "three_texts_in_pages",
        "You round up tokens times layers, as if layers shared pages. Each layer has a cache of its own: round up the "
        "tokens, then multiply.",
    ),
    remainder_added=edit(
        "    return numbers * bytes_each * used * page\n",
        "    return numbers * bytes_each * sum(tokens + tokens % page for tokens in lengths)\n",
        "three_texts_in_pages",
        "You add the remainder, tokens % page, to the tokens. That is how many tokens stand in the last page; what is "
        "added is how many places of it stay empty.",
    ),
    pages_rounded_to_the_nearest=edit(
        "-(-tokens // page)",
        "round(tokens / page)",
        "whole_pages_for_each_sequence",
        "Your pages are rounded to the nearest whole number. A page that is begun is taken, however little it holds: round "
        "up.",
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
    one_of_keys_and_values_moves=edit(
        "moved = 2 * T_q * d + 2 * T_k * d",
        "moved = 2 * T_q * d + T_k * d",
        "writing_a_token",
        "Your bytes hold k or v, and not both. Both are read.",
    ),
    output_as_long_as_the_keys=edit(
        "moved = 2 * T_q * d + 2 * T_k * d",
        "moved = T_q * d + 3 * T_k * d",
        "writing_a_token",
        "Your output has a row for each key. It has one for each query, as q has.",
    ),
    scores_in_half_precision=edit(
        "        moved += 4 * T_q * T_k\n",
        "        moved += 4 * T_q * T_k * 2 / bytes_each\n",
        "intensities_of_any_size",
        "Your scores and weights take 2 bytes for each number, whatever bytes_each says. All numbers take bytes_each bytes here.",
    ),
    scores_in_single_precision=edit(
        "        moved += 4 * T_q * T_k\n",
        "        moved += 4 * T_q * T_k * 4 / bytes_each\n",
        "reading_a_prompt",
        "Your scores and weights take 4 bytes for each number, whatever bytes_each says. All numbers take bytes_each bytes "
        "here.",
    ),
    softmax_counted=edit(
        "operations = 4 * T_q * T_k * d",
        "operations = 4 * T_q * T_k * d + 5 * T_q * T_k",
        "reading_a_prompt",
        "Your operations count the softmax as well. Only the two matrix products are counted.",
    ),
    fused_scores_still_move=edit(
        "    if not fused:\n        moved += 4",
        "    moved += 2 * T_q * T_k\n    if not fused:\n        moved += 2",
        "reading_a_prompt",
        "Fused, your scores still go to memory and back, or your weights do. Neither leaves the processor then.",
    ),
    keys_read_for_every_query=edit(
        "moved = 2 * T_q * d + 2 * T_k * d",
        "moved = 2 * T_q * d + 2 * T_q * T_k * d",
        "reading_a_prompt",
        "Your keys and values are read again for every query. Here k and v are read once.",
    ),
    divided_and_multiplied=edit(
        "return operations / (moved * bytes_each)",
        "return operations / moved * bytes_each",
        "reading_a_prompt",
        "You divide by how many numbers move and then multiply by bytes_each: `a / b * c` is (a / b) * c. The bytes all "
        "belong below the line.",
    ),
    one_addition_less=edit(
        "operations = 4 * T_q * T_k * d",
        "operations = T_q * T_k * (2 * d - 1) + T_q * d * (2 * T_k - 1)",
        "reading_a_prompt",
        "You count an addition less than multiplications for each sum. Here a dot product of d features counts d of both.",
    ),
    scores_of_all_keys_by_keys=edit(
        "        moved += 4 * T_q * T_k\n",
        "        moved += 4 * T_k * T_k\n",
        "writing_a_token",
        "Your scores have a row for each key. They have one for each query.",
    ),
)

ROOFLINE = mistakes_of(
    "roofline",
    intensity_divided_by_the_bandwidth=edit(
        "np.asarray(intensity) * bandwidth",
        "np.asarray(intensity) / bandwidth",
        "under_the_roof",
        "Your intensity is divided by the bandwidth. Operations per byte, times bytes per second, are operations per second.",
    ),
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
        "Your speed is the peak in all of these calls, also at a low intensity. There the processor waits for the memory.",
    ),
    ridge_upside_down=edit(
        "return np.minimum(fed, peak)",
        "return np.where(np.asarray(intensity) < bandwidth / peak, fed, peak)",
        "rooflines_of_other_processors",
        "Your ridge is at bandwidth / peak. It is the intensity at which the memory feeds the peak: peak / bandwidth.",
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
    intensity_taken_for_a_speed=edit(
        "return np.minimum(fed, peak)",
        "return np.minimum(np.asarray(intensity), peak)",
        "under_the_roof",
        "Your function compares the intensity with the peak. One is operations per byte, the other operations per second; what the "
        "memory allows is a speed as well.",
    ),
    one_side_for_all_intensities=edit(
        "    return np.minimum(fed, peak)\n",
        "    if intensity < peak / bandwidth:\n        return fed\n    return peak\n",
        "under_the_roof",
        "Your `if` asks on which side of the ridge an intensity lies, and gets an array of them. Every entry has a side of its own.",
    ),
    capped_at_the_ridge=edit(
        "return np.minimum(fed, peak)",
        "return np.minimum(np.asarray(intensity), peak / bandwidth)",
        "under_the_roof",
        "Your result is an intensity, capped at the ridge. Times the bandwidth it is a speed.",
    ),
    python_s_own_minimum=edit(
        "return np.minimum(fed, peak)",
        "return min(fed, peak)",
        "under_the_roof",
        "Your `min` is Python's own, which asks whether one whole array is smaller than another. Each intensity has a roof of its own: the "
        "smaller of two is taken entry by entry.",
    ),
    smallest_of_all_intensities=edit(
        "return np.minimum(fed, peak)",
        "return np.min([np.min(fed), peak])",
        "under_the_roof",
        "Your result is the smallest speed of all, one number. Every intensity has a speed of its own; compare entry by "
        "entry.",
    ),
    peak_and_bandwidth_swapped=edit(
        "fed = np.asarray(intensity) * bandwidth\n    return np.minimum(fed, peak)",
        "fed = np.asarray(intensity) * peak\n    return np.minimum(fed, bandwidth)",
        "under_the_roof",
        "Your peak and bandwidth have changed places. The intensity multiplies the bandwidth, and the peak is the roof.",
    ),
    bandwidth_below_the_ridge=edit(
        "return np.minimum(fed, peak)",
        "return np.where(fed < peak, bandwidth + 0 * fed, peak)",
        "under_the_roof",
        "Below the ridge your speed is the bandwidth itself, which is bytes per second. Times the intensity it is "
        "operations per second.",
    ),
)

PAGED = mistakes_of(
    "paged_gather",
    last_token_left_out=edit(
        "        t = np.arange(length)\n        holders = tables[row, t // page]\n        tokens[row, :length] = pages[holders, t % page]",
        "        t = np.arange(length - 1)\n        holders = tables[row, t // page]\n        tokens[row, : length - 1] = pages[holders, t % page]",
        "one_text_from_three_pages",
        "The last token of each text is left out. range(n) ends at n - 1 by itself.",
    ),
    three_axes_expected=edit(
        "page = pages.shape[1]",
        "_, page, _ = pages.shape",
        "pages_of_heads",
        "Your pages are taken to have three axes. What stands behind the axis of places may be one axis, several, or none.",
    ),
    tokens_in_double_precision=edit(
        ", dtype=pages.dtype)",
        ")",
        "tokens_are_as_wide_as_the_pages",
        "Your tokens are in numpy's usual dtype, float64. They have the dtype of the pages; in another one a batch in half precision "
        "takes four times the memory.",
    ),
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
        "garbage_of_any_page_times_zero",
    ),
    last_page_taken_whole=edit(
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "        whole = pages[tables[row, : -(-length // page)]]\n"
        "        tokens[row, :length] = whole.reshape(-1, *pages.shape[2:])\n",
        "batches_of_texts",
        "You write all of the last page, also where it is not full. Cut the pages off at the sequence's length.",
    ),
    garbage_of_any_page_times_zero=edit(
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "        every = np.arange(tokens.shape[1])\n"
        "        all_of_it = pages[tables[row][every // page], every % page]\n"
        "        tokens[row] = (all_of_it.T * (every < length)).T\n",
        "two_texts_share_the_pages",
        "You multiply what stands behind the end by 0. Places that were never written may hold NaN or infinity, and 0 times NaN is "
        "NaN. Put zeros there.",
        "garbage_times_zero",
    ),
    end_of_the_text_before=edit(
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "        tokens[row, :length] = pages[holders, t % page]\n        tokens[row, length:] = tokens[max(row - 1, 0), "
        "length:]\n",
        "two_texts_share_the_pages",
        "Behind a shorter sequence stands the end of the one before it: your buffer is used again without being cleared. "
        "Begin each with zeros.",
    ),
    pages_in_one_piece=edit(
        "        t = np.arange(length)\n        holders = tables[row, t // page]\n        tokens[row, :length] = "
        "pages[holders, t % page]\n",
        "        t = np.arange(min(length, (len(pages) - tables[row, 0]) * page))\n        holders = tables[row, 0] + t // "
        "page\n        tokens[row, : len(t)] = pages[holders, t % page]\n",
        "one_text_from_three_pages",
        "You read on from the first page of a sequence as if the others lay behind it. The table says where each of them "
        "is.",
    ),
    all_pages_in_memory_order=edit(
        "holders = tables[row, t // page]",
        "holders = np.sort(tables[row][tables[row] >= 0])[t // page]",
        "two_texts_share_the_pages",
        "Your pages are sorted by their numbers. The table says in which order the sequence has them.",
    ),
    texts_at_the_end_of_their_rows=edit(
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "        tokens[row, tokens.shape[1] - length :] = pages[holders, t % page]\n",
        "two_texts_share_the_pages",
        "Your shorter sequences stand at the end of their rows, with the zeros in front. Every sequence begins at place 0.",
    ),
    one_token_too_many=edit(
        "        tokens[row, :length] = pages[holders, t % page]\n",
        "        tokens[row, :length] = pages[holders, t % page]\n        more = np.arange(length, min(length + 1, "
        "tokens.shape[1]))\n        tokens[row, more] = pages[tables[row, more // page], more % page]\n",
        "two_texts_share_the_pages",
        "You read one place too many of each sequence: with `length` tokens, the last one stands at place length - 1.",
    ),
    leftovers_cleared_in_place=edit(
        "    page = pages.shape[1]\n",
        "    page = pages.shape[1]\n    pages[np.isnan(pages)] = 0.0\n",
        "pages_are_left_alone",
        "Your function writes zeros over the NaN in the caller's pages. Leave the pages as they are, and read only what "
        "the sequences have.",
    ),
    places_flattened_to_the_last_axis=edit(
        "    tokens = np.zeros((len(tables), max(lengths), *pages.shape[2:]), dtype=pages.dtype)\n    for row, length in "
        "enumerate(lengths):\n        t = np.arange(length)\n        holders = tables[row, t // page]\n        tokens[row, "
        ":length] = pages[holders, t % page]\n",
        "    flat = pages.reshape(-1, pages.shape[-1])\n    tokens = np.zeros((len(tables), max(lengths), "
        "pages.shape[-1]), dtype=pages.dtype)\n    for row, length in enumerate(lengths):\n        t = "
        "np.arange(length)\n        tokens[row, :length] = flat[tables[row, t // page] * page + t % page]\n",
        "pages_of_heads",
        "Your pages are flattened to their last axis. Only the first two are pages and places; what follows them, any "
        "number of axes or none, comes along as it is.",
    ),
    cut_to_the_first=edit(
        "    return tokens\n",
        "    return tokens[:, : lengths[0]]\n",
        "pages_of_heads",
        "Your result is as long as the first sequence. The longest one decides, wherever it stands.",
    ),
    texts_stacked_unpadded=edit(
        "    return tokens\n",
        "    return np.stack([tokens[row, :length] for row, length in enumerate(lengths)])\n",
        "two_texts_share_the_pages",
        "You stack sequences of different lengths. Fill the shorter ones up with zeros first.",
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
        "Your chunks read the old cache and themselves, and no earlier chunk. Let each chunk read the cache as it has grown so far.",
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
    prefill_turns_all_axes_round=edit(
        "        read, _ = tiled_attention(new @ W_q, K, V, chunk, causal=True)\n",
        "        scores = new @ W_q @ K.T / np.sqrt(K.shape[-1])\n"
        "        scores = np.where(np.tri(*scores.shape[-2:], K.shape[-2] - new.shape[-2]) > 0, scores, -np.inf)\n"
        "        raised = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
        "        read = raised @ V / raised.sum(axis=-1, keepdims=True)\n",
        "prefill_takes_a_batch",
        "Your keys are turned round with `.T`, which reverses all axes. With a batch in front only the last two may change places.",
    ),
    cache_joined_along_axis_0=edit(
        "        K = np.concatenate([K, new @ W_k], axis=-2)\n        V = np.concatenate([V, new @ W_v], axis=-2)\n",
        "        K = np.concatenate([K, new @ W_k])\n        V = np.concatenate([V, new @ W_v])\n",
        "batches_and_heads_are_read",
        "Your keys and values are joined along the first axis. With a batch in front that is the batch; time is the axis before "
        "the last.",
    ),
    values_before_keys=edit(
        "return np.concatenate(outputs, axis=-2), K, V",
        "return np.concatenate(outputs, axis=-2), V, K",
        "five_tokens_in_chunks_of_two",
        "Your values come before your keys. The order is output, K, V.",
    ),
    chunks_without_scale=edit(
        "read, _ = tiled_attention(new @ W_q, K, V, chunk, causal=True)",
        "read, _ = tiled_attention(new @ W_q * W_q.shape[1] ** 0.5, K, V, chunk, causal=True)",
        "five_tokens_in_chunks_of_two",
        "Your scores are not divided by sqrt(d_k).",
    ),
    chunks_scaled_twice=edit(
        "read, _ = tiled_attention(new @ W_q, K, V, chunk, causal=True)",
        "read, _ = tiled_attention(new @ W_q / W_q.shape[1] ** 0.5, K, V, chunk, causal=True)",
        "five_tokens_in_chunks_of_two",
        "Your scores are divided by sqrt(d_k) twice. tiled_attention divides them already.",
    ),
    old_keys_projected_again=edit(
        "        K = np.concatenate([K, new @ W_k], axis=-2)\n        V = np.concatenate([V, new @ W_v], axis=-2)\n",
        "        K = np.concatenate([K, new], axis=-2) @ W_k\n        V = np.concatenate([V, new], axis=-2) @ W_v\n",
        "five_tokens_in_chunks_of_two",
        "Your cache is put in front of the new tokens and multiplied by W_k and W_v with them. It holds keys and values "
        "already: only the new tokens are multiplied.",
    ),
    empty_cache_is_never_filled=edit(
        "        K = np.concatenate([K, new @ W_k], axis=-2)\n        V = np.concatenate([V, new @ W_v], axis=-2)\n",
        "        empty = cache[0].shape[-2] == 0\n        K = new @ W_k if empty else np.concatenate([K, new @ W_k], "
        "axis=-2)\n        V = new @ W_v if empty else np.concatenate([V, new @ W_v], axis=-2)\n",
        "five_tokens_in_chunks_of_two",
        "Where the cache was empty in the beginning, each of your chunks replaces the one before. After the first chunk it "
        "is not empty any more.",
    ),
    results_as_wide_as_the_input=edit(
        """    outputs = []
    for start in range(0, x.shape[-2], chunk):
        new = x[..., start : start + chunk, :]
        K = np.concatenate([K, new @ W_k], axis=-2)
        V = np.concatenate([V, new @ W_v], axis=-2)
        read, _ = tiled_attention(new @ W_q, K, V, chunk, causal=True)
        outputs.append(read)
    return np.concatenate(outputs, axis=-2), K, V
""",
        """    results = np.zeros_like(x)
    for start in range(0, x.shape[-2], chunk):
        new = x[..., start : start + chunk, :]
        K = np.concatenate([K, new @ W_k], axis=-2)
        V = np.concatenate([V, new @ W_v], axis=-2)
        results[..., start : start + chunk, :] = tiled_attention(new @ W_q, K, V, chunk, causal=True)[0]
    return results, K, V
""",
        "five_tokens_in_chunks_of_two",
        "Your results are made as wide as x. What is read is made of values, and has their width.",
    ),
    first_chunk_alone_is_masked=edit(
        "K, V, chunk, causal=True)",
        "K, V, chunk, causal=start == 0)",
        "five_tokens_in_chunks_of_two",
        "Only your first chunk has a causal mask. In each of them a token reads nothing of what comes after it.",
    ),
    batch_counted_for_time=edit(
        "range(0, x.shape[-2], chunk)",
        "range(0, len(x), chunk)",
        "prefill_takes_a_batch",
        "Your loop counts the first axis of x. With a batch in front that is the number of prompts; time is the axis "
        "before the last.",
    ),
    every_chunk_taken_for_the_last=edit(
        "        read, _ = tiled_attention(new @ W_q, K, V, chunk, causal=True)\n",
        "        whole = [np.concatenate([old, x @ W], axis=-2) for old, W in zip(cache, (W_k, W_v), "
        "strict=True)]\n        read, _ = tiled_attention(new @ W_q, *whole, chunk, causal=True)\n",
        "five_tokens_in_chunks_of_two",
        "Your chunks are given the keys of the whole prompt, so their queries count as the last positions of all. Give "
        "each chunk the keys up to its own end.",
    ),
    places_begin_again_in_every_chunk=edit(
        "        read, _ = tiled_attention(new @ W_q, K, V, chunk, causal=True)\n",
        "        end = cache[0].shape[-2] + new.shape[-2]\n        read, _ = tiled_attention(new @ W_q, K[..., :end, :], "
        "V[..., :end, :], chunk, causal=True)\n",
        "five_tokens_in_chunks_of_two",
        "Your places begin again behind the first cache in every chunk. The chunks before it count as well: its first "
        "token stands at the end of the cache as it has grown.",
    ),
    cache_taken_in_reverse=edit(
        "    K, V = cache\n",
        "    V, K = cache\n",
        "a_cache_is_continued",
        "You take the values of the cache for its keys. The cache is the pair (K, V), keys first.",
    ),
    W_k_and_W_v_swapped=edit(
        "        K = np.concatenate([K, new @ W_k], axis=-2)\n        V = np.concatenate([V, new @ W_v], axis=-2)\n",
        "        K = np.concatenate([K, new @ W_v], axis=-2)\n        V = np.concatenate([V, new @ W_k], axis=-2)\n",
        "chunks_of_any_size",
        "Your new keys are made with W_v and your new values with W_k. It is the other way round.",
    ),
    new_in_front_of_the_cache=edit(
        "        K = np.concatenate([K, new @ W_k], axis=-2)\n        V = np.concatenate([V, new @ W_v], axis=-2)\n",
        "        K = np.concatenate([new @ W_k, K], axis=-2)\n        V = np.concatenate([new @ W_v, V], axis=-2)\n",
        "five_tokens_in_chunks_of_two",
        "Your new keys and values stand in front of the cache. They belong behind it: what came first stands first.",
    ),
    chunks_scaled_by_d_model=edit(
        "read, _ = tiled_attention(new @ W_q, K, V, chunk, causal=True)",
        "read, _ = tiled_attention(new @ W_q * (W_q.shape[1] / len(W_q)) ** 0.5, K, V, chunk, causal=True)",
        "chunks_of_any_size",
        "Your scores are divided by sqrt(d_model). The scale is that of a query, sqrt(d_k).",
    ),
)

ACCEPT = mistakes_of(
    "accept",
    place_of_the_first_such_token=edit(
        "for i, token in enumerate(draft):\n",
        "for token in draft:\n        i = list(draft).index(token)\n",
        "drafts_that_end_anywhere",
        "You look up at which place a token stands, and find the first one. Where the draft repeats it, the later one is judged with the "
        "numbers of that place. Count the places.",
    ),
    number_after_the_last_used=edit(
        "u[-1] * sums[-1]",
        "u[len(written) + 1] * sums[-1]",
        "drafts_that_end_anywhere",
        "Your token is drawn with the number after the last one that you used. It is drawn with the last of u; where all tokens of the "
        "draft stay, none comes after it.",
    ),
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
    replaced_and_gone_on=edit(
        "            left = np.maximum(p[i] - q[i], 0)\n            break\n",
        "            sums = np.cumsum(np.maximum(p[i] - q[i], 0))\n"
        "            written.append(int((sums <= u[-1] * sums[-1]).sum()))\n"
        "            continue\n",
        "a_token_that_does_not_stay",
        "Your function replaces a token that does not stay, and goes on with the draft. What follows was written for another "
        "beginning: the new token is the last one.",
    ),
    replaced_and_one_more_drawn=edit(
        "            left = np.maximum(p[i] - q[i], 0)\n            break\n",
        "            sums = np.cumsum(np.maximum(p[i] - q[i], 0))\n"
        "            written.append(int((sums <= u[-1] * sums[-1]).sum()))\n"
        "            break\n",
        "a_token_that_does_not_stay",
        "Your function draws one more token behind the one that replaces what did not stay. That one is the last; a further one is "
        "free only if all of the draft stays.",
    ),
    remainder_of_the_next_place=edit(
        "left = np.maximum(p[i] - q[i], 0)",
        "left = np.maximum(p[i + 1] - q[i], 0)",
        "a_token_that_does_not_stay",
        "Your remainder takes the large model's row of the next place. Row i of p and row i of q are about the same place.",
    ),
    token_without_probability_stays=edit(
        "if u[i] * q[i, token] >= p[i, token]:",
        "if u[i] * q[i, token] > p[i, token]:",
        "a_token_that_does_not_stay",
        "Your tokens also stay where u equals p / q. With u = 0 a token would stay that the large model excludes: u has to be smaller.",
    ),
    stays_counted_anywhere=edit(
        "    for i, token in enumerate(draft):\n        if u[i] * q[i, token] >= p[i, token]:\n            left = "
        "np.maximum(p[i] - q[i], 0)\n            break\n        written.append(int(token))\n",
        "    kept = sum(bool(u[i] * q[i, token] < p[i, token]) for i, token in enumerate(draft))\n    written = "
        "[int(token) for token in draft[:kept]]\n    if kept < len(draft):\n        left = np.maximum(p[kept] - q[kept], "
        "0)\n",
        "a_token_that_does_not_stay",
        "You count how many tokens would stay, also behind one that does not. The first that does not stay ends the draft, "
        "so count up to it only.",
    ),
    target_without_the_refused_token=edit(
        "left = np.maximum(p[i] - q[i], 0)",
        "left = np.where(np.arange(p.shape[1]) == token, 0.0, p[i])",
        "two_tokens_are_left",
        "You draw from p without the token that did not stay. The residual is max(0, p - q): every token loses what the "
        "draft model gives it.",
    ),
    all_of_p_where_it_is_larger=edit(
        "left = np.maximum(p[i] - q[i], 0)",
        "left = np.where(p[i] > q[i], p[i], 0.0)",
        "two_tokens_are_left",
        "Your residual keeps all of p where p is larger than q. Only the difference is left, since q has been given "
        "already.",
    ),
    drawn_from_the_likeliest_on=edit(
        "    sums = np.cumsum(left)\n    written.append(int((sums <= u[-1] * sums[-1]).sum()))\n",
        '    order = np.argsort(-left, kind="stable")\n    sums = np.cumsum(left[order])\n    '
        "written.append(int(order[(sums <= u[-1] * sums[-1]).sum()]))\n",
        "a_draft_that_stays",
        "You sort the probabilities before you add them up. The running sum goes through the tokens by their ids.",
    ),
    empty_draft_writes_nothing=edit(
        "    written = []\n    left = p[-1]\n",
        "    if len(draft) == 0:\n        return []\n    written = []\n    left = p[-1]\n",
        "a_draft_that_stays",
        "Your function returns nothing for an empty draft. All of its tokens stay, so one more is drawn from the only row "
        "of p.",
    ),
    first_number_draws=edit(
        "    written = []\n    left = p[-1]\n",
        "    u = np.roll(u, -1)\n    written = []\n    left = p[-1]\n",
        "a_draft_that_stays",
        "Your drawn token takes the first number of u, and the draft those behind it. The draft begins with the first "
        "number, and the last one draws.",
    ),
    remainder_behind_a_whole_draft=edit(
        "    left = p[-1]\n",
        "    left = np.maximum(p[-1] - q[-1], 0) if len(q) else p[-1]\n"
        "    left = left if left.any() else np.eye(len(left))[0]\n",  # as a quotient of zeros draws
        "a_draft_that_stays",
        "Where all of the draft stays, you still subtract a row of q. Nothing was proposed for that place: the token is "
        "drawn from p alone.",
    ),
    ratios_multiplied=edit(
        "if u[i] * q[i, token] >= p[i, token]:",
        "if u[i] >= np.prod([p[j, draft[j]] / q[j, draft[j]] for j in range(i + 1)]):",
        "a_token_that_does_not_stay",
        "You multiply the ratios of all tokens so far. Each token is judged by its own p / q.",
    ),
    own_random_numbers=edit(
        "    written = []\n    left = p[-1]\n",
        "    u = np.random.rand(len(u))\n    written = []\n    left = p[-1]\n",
        "drafts_that_end_anywhere",
        "Your function makes random numbers of its own. Everything is decided and drawn with the numbers of u, which are given.",
    ),
    drawn_with_a_number_of_its_own=edit(
        "u[-1] * sums[-1]",
        "np.random.rand() * sums[-1]",
        "drafts_that_end_anywhere",
        "Your last token is drawn with a random number of its own. It is drawn with the last number of u, which is given.",
    ),
    next_number_draws=edit(
        "u[-1] * sums[-1]",
        "u[min(len(written) + 1, len(draft))] * sums[-1]",
        "drafts_that_end_anywhere",
        "You draw with the number behind that of the token that did not stay. The drawn token takes the last number of u, "
        "wherever the draft ends.",
    ),
    nothing_exceeds_the_number=edit(
        "    written.append(int((sums <= u[-1] * sums[-1]).sum()))\n",
        "    written.append(int((sums > u[-1]).argmax()))\n",
        "drafts_that_end_anywhere",
        "Your remainder does not sum to one, so its running sums may all stay below the number, and then `argmax` of nothing true is "
        "token 0. Divide the remainder by its sum first.",
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
    overflow_looked_for_in_the_sum=edit(
        "if not all(np.isfinite(grad).all() for grad in true):",
        "if not np.isfinite(sum(grad.sum() for grad in grads)):",
        "gradients_near_the_largest_number",
        "Your check adds up the gradients in float16, where a sum of large finite ones overflows by itself. Look at each number.",
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
    norms_added_up=edit(
        "norm = np.sqrt(sum((grad**2).sum() for grad in true))",
        "norm = sum(np.sqrt((grad**2).sum()) for grad in true)",
        "unscaled_then_clipped",
        "Your norm is the sum of the norms of all arrays. It is the root of the sum of all squares.",
    ),
    norm_without_root=edit(
        "norm = np.sqrt(sum((grad**2).sum() for grad in true))",
        "norm = sum((grad**2).sum() for grad in true)",
        "unscaled_then_clipped",
        "Your norm lacks the root: it is the sum of the squares.",
    ),
    norm_of_the_largest_array=edit(
        "norm = np.sqrt(sum((grad**2).sum() for grad in true))",
        "norm = max(np.sqrt((grad**2).sum()) for grad in true)",
        "unscaled_then_clipped",
        "Your norm is that of the longest array. It is that of all of them together.",
    ),
    doubled_after_every_step=edit(
        "if good + 1 == interval:",
        "if True:",
        "the_scale_is_doubled",
        "Your scale is doubled after every good step. It takes `interval` of them in a row.",
    ),
    scale_never_below_one=edit(
        "scale / 2, 0",
        "max(scale / 2, 1.0), 0",
        "an_infinity_skips_the_step",
        "Your scale never falls below 1. It is halved after every overflow, also where it is 1 or less.",
    ),
    scale_halved_to_a_whole_number=edit(
        "scale / 2, 0",
        "scale // 2, 0",
        "an_infinity_skips_the_step",
        "Your scale is halved by //, which cuts off what is behind the point: 1.0 // 2 is 0. Divide by /.",
    ),
    divided_by_the_next_scale=edit(
        "true = [grad.astype(np.float64) / scale for grad in grads]",
        "divisor = scale * 2 if good + 1 == interval else scale\n    true = [grad.astype(np.float64) / divisor for grad in "
        "grads]",
        "the_scale_is_doubled",
        "In the step that doubles the scale, you divide by the new one. These gradients were made with the old one; the "
        "doubled scale is for the next step.",
    ),
    mean_square_for_the_norm=edit(
        "norm = np.sqrt(sum((grad**2).sum() for grad in true))",
        "norm = np.sqrt(sum((grad**2).sum() for grad in true) / sum(grad.size for grad in true))",
        "unscaled_then_clipped",
        "Your norm is the root of the mean of the squares. A norm is the root of their sum.",
    ),
    entries_clipped=edit(
        "    clip = max_norm / max(norm, max_norm)\n    stepped = [weight - lr * clip * grad for",
        "    stepped = [weight - lr * np.clip(grad, -max_norm, max_norm) for",
        "unscaled_then_clipped",
        "You clip every entry to max_norm. It is the norm of all gradients together that is clipped, so that their "
        "direction stays.",
    ),
    doubled_at_a_count_of_zero=edit(
        "if good + 1 == interval:",
        "if good % interval == 0:",
        "the_scale_is_doubled",
        "You ask whether the count is a multiple of interval before this step counts, and 0 is one: the first good step "
        "doubles the scale. Count this step first.",
    ),
    squares_overflow=edit(
        "if not all(np.isfinite(grad).all() for grad in true):",
        "if not np.isfinite(sum((grad**2).sum() for grad in grads)):",
        "unscaled_then_clipped",
        "You look for overflow in the squares of the float16 gradients, and squares of more than 255 overflow themselves. "
        "Look at the gradients as they are.",
    ),
    overflows_are_zero_and_the_scale_halved=edit(
        "        return [weight.copy() for weight in weights], scale / 2, 0\n",
        "        true = [np.where(np.isfinite(grad), grad, 0.0) for grad in true]\n        norm = "
        "np.sqrt(sum((grad**2).sum() for grad in true))\n        clip = max_norm / max(norm, max_norm)\n        return "
        "[weight - lr * clip * grad for weight, grad in zip(weights, true, strict=True)], scale / 2, 0\n",
        "an_infinity_skips_the_step",
        "Your scale is halved after an overflow, but the weights move: zeros stand in for what has overflowed. Nothing is "
        "learned from such a step, so the weights stay.",
    ),
    arrays_without_overflow_learn=edit(
        "        return [weight.copy() for weight in weights], scale / 2, 0\n",
        "        true = [grad if np.isfinite(grad).all() else np.zeros_like(grad) for grad in true]\n        norm = "
        "np.sqrt(sum((grad**2).sum() for grad in true))\n        clip = max_norm / max(norm, max_norm)\n        return "
        "[weight - lr * clip * grad for weight, grad in zip(weights, true, strict=True)], scale / 2, 0\n",
        "any_overflow_skips_the_step",
        "Your step leaves out the arrays that have overflowed, and the others still learn. One overflow anywhere skips the "
        "whole step.",
    ),
    gradients_unscaled_in_the_list=edit(
        "    norm = np.sqrt(sum((grad**2).sum() for grad in true))\n",
        "    grads[:] = true\n    norm = np.sqrt(sum((grad**2).sum() for grad in true))\n",
        "weights_and_gradients_are_left_alone",
        "Your unscaled gradients are written into the caller's list. Make a list of your own.",
    ),
    gradients_stacked=edit(
        "true = [grad.astype(np.float64) / scale for grad in grads]",
        "true = list(np.stack(grads).astype(np.float64) / scale)",
        "an_infinity_skips_the_step",
        "You put all gradients into one array, which takes arrays of one shape. Gradients have the shapes of their "
        "weights; treat them one by one.",
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
