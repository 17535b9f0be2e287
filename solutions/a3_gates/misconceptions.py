"""Known mistakes of a3_gates, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.mistakes import edit, mistakes_of

UPDATE = mistakes_of(
    "gated_update",
    z_keeps_instead_of_taking=edit(
        "kept = (1 - z) * h_prev\n    taken = z * candidate",
        "kept = z * h_prev\n    taken = (1 - z) * candidate",
        "zero_keeps_the_past",
        "Your z keeps the past and lets in what is left over. That is the other convention (Cho et al. 2014); here "
        "z = 0 keeps, and z = 1 takes the candidate.",
    ),
    past_is_never_reduced=edit(
        "kept = (1 - z) * h_prev",
        "kept = h_prev",
        "one_takes_the_candidate",
        "Your update adds the candidate on top of the whole past. What is let in has to make room first; the two "
        "shares sum to one.",
    ),
    candidate_is_never_reduced=edit(
        "taken = z * candidate",
        "taken = candidate",
        "zero_keeps_the_past",
        "Your update always takes the whole candidate. With z = 0 nothing of it may come in.",
    ),
    only_what_is_new=edit(
        "return kept + taken",
        "return taken",
        "zero_keeps_the_past",
        "Your update returns the new part only: with z = 0 everything is forgotten, where all should be kept.",
    ),
    both_shares_are_z=edit(
        "kept = (1 - z) * h_prev",
        "kept = z * h_prev",
        "zero_keeps_the_past",
        "Your z multiplies both, past and candidate. The two shares have to sum to one.",
    ),
    sigmoid_on_a_gate=edit(
        "kept = (1 - z) * h_prev",
        "z = _sigmoid(z)\n    kept = (1 - z) * h_prev",
        "zero_keeps_the_past",
        "Your update applies a sigmoid to z, which already is a gate between 0 and 1. Its 0 then counts as one half.",
    ),
    tanh_on_the_candidate_again=edit(
        "taken = z * candidate",
        "taken = z * np.tanh(candidate)",
        "one_takes_the_candidate",
        "Your update applies a tanh to the candidate. What is handed over is ready for use; it is mixed as it is.",
    ),
    tanh_on_the_mixture=edit(
        "return kept + taken",
        "return np.tanh(kept + taken)",
        "zero_keeps_the_past",
        "Your mixture goes through a tanh, so even with z = 0 the past shrinks a little at every step. Keeping "
        "means keeping exactly.",
    ),
    all_or_nothing=edit(
        "kept = (1 - z) * h_prev",
        "z = np.round(z)\n    kept = (1 - z) * h_prev",
        "updates_of_any_shape",
        "Your update decides for one or the other. A gate of .25 takes a quarter of the new and three quarters of "
        "the old; a hard decision would also have no gradient.",
    ),
    update_in_place=edit(
        "kept = (1 - z) * h_prev",
        "h_prev *= 1 - z\n    kept = h_prev",
        "updating_leaves_its_inputs_alone",
        "Your `*=` changes the caller's h_prev. The update is right, but the past is gone, and a backward pass "
        "will want it.",
    ),
    one_minus_the_product=edit(
        "kept = (1 - z) * h_prev",
        "kept = 1 - z * h_prev",
        "keep_replace_or_mix",
        "Your kept part is 1 - z * h_prev. The share 1 - z comes first, in parentheses, and multiplies all of h_prev.",
    ),
    difference_turned_round=edit(
        "return kept + taken",
        "return h_prev + z * (h_prev - candidate)",
        "keep_replace_or_mix",
        "Your update goes from h_prev away from the candidate: the difference of the two has the wrong sign.",
    ),
    update_written_into_h_prev=edit(
        "kept = (1 - z) * h_prev\n    taken = z * candidate\n    return kept + taken",
        "h_prev *= 1 - z\n    h_prev += z * candidate\n    return h_prev",
        "updating_leaves_its_inputs_alone",
        "Your new state is written over the caller's h_prev. The numbers are right, but the past is gone, and a backward "
        "pass will want it.",
    ),
    difference_added_to_what_is_kept=edit(
        "taken = z * candidate",
        "taken = z * (candidate - h_prev)",
        "keep_replace_or_mix",
        "Your past is reduced twice: once by 1 - z, and once more in z * (candidate - h_prev). Either form is right alone: the "
        "difference is added to the whole past, the candidate to the share 1 - z of it.",
    ),
)

GATES = mistakes_of(
    "lstm_gates",
    input_before_state=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([x_t, h_prev], axis=-1)\n    f =",
        "equal_sizes_hide_no_order",
        "Your row is [x_t; h_prev]; the columns of the weights belong to [h_prev; x_t], the state first. The shapes "
        "fit both ways, so nothing warns you.",
    ),
    forget_and_input_gate_swapped=edit(
        "return f, i, o, c_tilde",
        "return i, f, o, c_tilde",
        "forget_gate",
        "Your forget gate and input gate have changed places: what should be erased decides about writing.",
    ),
    output_gate_and_candidate_swapped=edit(
        "return f, i, o, c_tilde",
        "return f, i, c_tilde, o",
        "output_gate",
        "Your output gate and candidate have changed places. The order is f, i, o, c_tilde.",
    ),
    gates_in_torch_order=edit(
        "return f, i, o, c_tilde",
        "return i, f, c_tilde, o",
        "forget_gate",
        "Your gates come in the order in which torch packs them: i, f, g, o. Here the order is f, i, o, c_tilde.",
    ),
    output_and_input_gate_swapped=edit(
        "return f, i, o, c_tilde",
        "return f, o, i, c_tilde",
        "input_gate",
        "Your input gate and output gate have changed places. The order is f, i, o, c_tilde.",
    ),
    sigmoid_candidate=edit(
        'c_tilde = np.tanh(joined @ params["W_c"].T + params["b_c"])',
        'c_tilde = _sigmoid(joined @ params["W_c"].T + params["b_c"])',
        "candidate",
        "Your candidate goes through a sigmoid, so it can only be positive: the cell could count up and never "
        "down. Gates are shares, the candidate is content.",
    ),
    tanh_gates=edit(
        'f = _sigmoid(joined @ params["W_f"].T + params["b_f"])\n'
        '    i = _sigmoid(joined @ params["W_i"].T + params["b_i"])\n'
        '    o = _sigmoid(joined @ params["W_o"].T + params["b_o"])',
        'f = np.tanh(joined @ params["W_f"].T + params["b_f"])\n'
        '    i = np.tanh(joined @ params["W_i"].T + params["b_i"])\n'
        '    o = np.tanh(joined @ params["W_o"].T + params["b_o"])',
        "forget_gate",
        "Your gates go through a tanh and can be negative. A gate is a share between 0 and 1.",
    ),
    candidate_without_tanh=edit(
        'c_tilde = np.tanh(joined @ params["W_c"].T + params["b_c"])',
        'c_tilde = joined @ params["W_c"].T + params["b_c"]',
        "candidate",
        "Your candidate is the plain sum; its tanh is missing, so what is written into the cell has no bounds.",
    ),
    biases_forgotten=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n"
        '    params = params | {name: 0.0 * params[name] for name in ("b_f", "b_i", "b_o", "b_c")}\n    f =',
        "forget_gate",
        "Your gates have no bias. Among other things that leaves out the forget bias, which keeps a new network "
        "from forgetting at once.",
    ),
    one_bias_for_all=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n"
        '    params = params | dict.fromkeys(("b_i", "b_o", "b_c"), params["b_f"])\n    f =',
        "input_gate",
        "Your gates all use b_f. Each gate has a bias of its own.",
    ),
    one_matrix_for_forget_and_input=edit(
        'i = _sigmoid(joined @ params["W_i"].T',
        'i = _sigmoid(joined @ params["W_f"].T',
        "input_gate",
        "Your input gate uses W_f. Erasing and writing are two decisions, with a matrix each.",
    ),
    input_gate_is_one_minus_forget=edit(
        'i = _sigmoid(joined @ params["W_i"].T + params["b_i"])',
        "i = 1 - f",
        "input_gate",
        "Your input gate is 1 - f. Some variants do that, and the GRU does something like it; here W_i and b_i "
        "decide about writing, so that the cell can keep all it has and still take in more.",
    ),
    gates_ignore_the_state=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([0.0 * h_prev, x_t], axis=-1)\n    f =",
        "forget_gate",
        "Your gates look at the input alone. What to keep also depends on what has been read so far: h_prev "
        "belongs in the row, too.",
    ),
    gates_ignore_the_input=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([h_prev, 0.0 * x_t], axis=-1)\n    f =",
        "forget_gate",
        "Your gates look at the state alone, and the input x_t is never read.",
    ),
    sigmoid_overflows=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return np.exp(a) / (1 + np.exp(a))\n\n    f =",
        "saturated_gates_are_numbers",
        "Your sigmoid divides exp(a) by 1 + exp(a). For large a that is infinity over infinity, which is no number; "
        "written with exp(-a) it is harmless.",
    ),
    tanh_overflows=edit(
        'c_tilde = np.tanh(joined @ params["W_c"].T + params["b_c"])',
        'a_c = joined @ params["W_c"].T + params["b_c"]\n'
        "    c_tilde = (np.exp(a_c) - np.exp(-a_c)) / (np.exp(a_c) + np.exp(-a_c))",
        "saturated_gates_are_numbers",
        "Your tanh is made of exponentials that overflow for large sums. numpy has one that does not.",
    ),
    gates_share_a_total=edit(
        "return f, i, o, c_tilde",
        "total = f + i + o\n    return f / total, i / total, o / total, c_tilde",
        "forget_gate",
        "Your three gates are divided by their sum, as in a softmax. They are independent: all may be open at once.",
    ),
    forget_bias_added_in_the_gate=edit(
        'f = _sigmoid(joined @ params["W_f"].T + params["b_f"])',
        'f = _sigmoid(joined @ params["W_f"].T + params["b_f"] + 1.0)',
        "gates_of_one_unit",
        "Your forget gate adds 1 to its sum, as TensorFlow's cells do. Here a forget bias is part of b_f already.",
    ),
    gate_matrices_reshaped=edit(
        """    f = _sigmoid(joined @ params["W_f"].T + params["b_f"])
    i = _sigmoid(joined @ params["W_i"].T + params["b_i"])
    o = _sigmoid(joined @ params["W_o"].T + params["b_o"])
    c_tilde = np.tanh(joined @ params["W_c"].T + params["b_c"])
""",
        """    turned = {name: value.reshape(value.shape[::-1]) for name, value in params.items()}
    f = _sigmoid(joined @ turned["W_f"] + params["b_f"])
    i = _sigmoid(joined @ turned["W_i"] + params["b_i"])
    o = _sigmoid(joined @ turned["W_o"] + params["b_o"])
    c_tilde = np.tanh(joined @ turned["W_c"] + params["b_c"])
""",
        "gates_take_a_batch",
        "Your matrices are turned by `reshape`. That gives the shape of the transpose, with the numbers in other places.",
    ),
    joined_along_the_batch=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)",
        "joined = np.concatenate([h_prev, x_t])",
        "gates_take_a_batch",
        "Your h_prev and x_t are joined along the batch, which is what `concatenate` does unless it is told an axis. They "
        "belong side by side, in one row.",
    ),
    hard_sigmoid_gates=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return np.clip(0.2 * a + 0.5, 0, 1)\n\n    f =",
        "gates_of_one_unit",
        "Your sigmoid is a straight line that is cut off at 0 and 1, the hard sigmoid of old versions of Keras. Here it is "
        "1 / (1 + exp(-a)).",
    ),
    sums_of_gates_clipped=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return 1.0 / (1.0 + np.exp(-np.clip(a, -5, 5)))\n\n    f =",
        "gates_may_be_shut",
        "Your sums are clipped before the sigmoid, and so tightly that no gate is ever shut or open: sums may be large, and only beyond some "
        "hundreds does exp overflow.",
    ),
    sigmoid_twice_as_steep=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return 0.5 * (1.0 + np.tanh(a))\n\n    f =",
        "gates_of_one_unit",
        "Your sigmoid is made from a tanh and is twice as steep as it should be: what it returns for a is sigma(2a).",
    ),
    sigmoid_of_the_absolute_sum=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return 1.0 / (1.0 + np.exp(-np.abs(a)))\n\n    f =",
        "gates_take_a_batch",
        "Your sigmoid takes the absolute value of its sum, so no gate is ever below one half. That avoids the overflow, but "
        "a negative sum has to shut the gate.",
    ),
    sigmoid_with_the_sign_turned=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return 0.5 * (1.0 - np.tanh(0.5 * a))\n\n    f =",
        "gates_of_one_unit",
        "Your gates are one minus what they should be: a large sum shuts them. Look at the sign in the exponent of your sigmoid.",
    ),
    candidate_half_as_steep=edit(
        'c_tilde = np.tanh(joined @ params["W_c"].T + params["b_c"])',
        'c_tilde = 2.0 * _sigmoid(joined @ params["W_c"].T + params["b_c"]) - 1.0',
        "candidate",
        "Your candidate is 2 sigma(a) - 1, which is the tanh of a / 2. It has the right bounds, but half the slope.",
    ),
    gates_stacked_in_sorted_order=edit(
        "return f, i, o, c_tilde",
        'sums = [joined @ params[f"W_{k}"].T + params[f"b_{k}"] for k in "cfio"]\n'
        "    return *(_sigmoid(a) for a in sums[:3]), np.tanh(sums[3])",
        "gates_take_a_batch",
        "Your gates are those of the sorted names, c f i o, and they are taken for f i o c. Go by the names of the params, "
        "not by their order.",
    ),
    gates_interleaved=edit(
        "return f, i, o, c_tilde",
        'sums = [joined @ params[f"W_{k}"].T + params[f"b_{k}"] for k in "fioc"]\n'
        "    mixed = np.concatenate(sums, axis=-1).reshape(len(joined), -1, 4)\n"
        "    return *(_sigmoid(mixed[..., k]) for k in range(3)), np.tanh(mixed[..., 3])",
        "gates_take_a_batch",
        "Your packed sums are cut so that every fourth entry goes to the same gate. Each gate's sums stand in one block, and "
        "the blocks one behind the other.",
    ),
    gates_share_a_softmax=edit(
        "return f, i, o, c_tilde",
        'sums = np.stack([joined @ params[f"W_{k}"].T + params[f"b_{k}"] for k in "fio"])\n'
        "    shares = np.exp(sums - sums.max(axis=0))\n    shares = shares / shares.sum(axis=0)\n"
        "    return shares[0], shares[1], shares[2], c_tilde",
        "gates_of_one_unit",
        "Your three gates come out of one softmax, so they sum to one. They are independent: all may be open at once.",
    ),
    biases_added_to_the_gates=edit(
        'f = _sigmoid(joined @ params["W_f"].T + params["b_f"])\n'
        '    i = _sigmoid(joined @ params["W_i"].T + params["b_i"])\n'
        '    o = _sigmoid(joined @ params["W_o"].T + params["b_o"])\n'
        '    c_tilde = np.tanh(joined @ params["W_c"].T + params["b_c"])',
        'f = _sigmoid(joined @ params["W_f"].T) + params["b_f"]\n'
        '    i = _sigmoid(joined @ params["W_i"].T) + params["b_i"]\n'
        '    o = _sigmoid(joined @ params["W_o"].T) + params["b_o"]\n'
        '    c_tilde = np.tanh(joined @ params["W_c"].T) + params["b_c"]',
        "gates_of_one_unit",
        "Your biases are added behind the sigmoid and the tanh, so a gate can leave the range from 0 to 1. They belong to the "
        "sum inside.",
    ),
    input_gate_with_b_f=edit(
        'i = _sigmoid(joined @ params["W_i"].T + params["b_i"])',
        'i = _sigmoid(joined @ params["W_i"].T + params["b_f"])',
        "input_gate",
        "Your input gate has W_i, but the bias of the forget gate.",
    ),
    output_gate_with_b_i=edit(
        'o = _sigmoid(joined @ params["W_o"].T + params["b_o"])',
        'o = _sigmoid(joined @ params["W_o"].T + params["b_i"])',
        "output_gate",
        "Your output gate has W_o, but the bias of the input gate.",
    ),
    output_gate_with_W_i=edit(
        'o = _sigmoid(joined @ params["W_o"].T + params["b_o"])',
        'o = _sigmoid(joined @ params["W_i"].T + params["b_o"])',
        "output_gate",
        "Your output gate has the matrix of the input gate, and b_o.",
    ),
    output_gate_is_the_input_gate=edit(
        'o = _sigmoid(joined @ params["W_o"].T + params["b_o"])',
        'o = _sigmoid(joined @ params["W_i"].T + params["b_i"])',
        "output_gate",
        "Your output gate is the input gate once more; W_o and b_o are not used.",
    ),
    input_gate_is_the_forget_gate=edit(
        'i = _sigmoid(joined @ params["W_i"].T + params["b_i"])',
        'i = _sigmoid(joined @ params["W_f"].T + params["b_f"])',
        "input_gate",
        "Your input gate is the forget gate once more; W_i and b_i are not used.",
    ),
    candidate_with_W_o=edit(
        'c_tilde = np.tanh(joined @ params["W_c"].T + params["b_c"])',
        'c_tilde = np.tanh(joined @ params["W_o"].T + params["b_c"])',
        "candidate",
        "Your candidate has the matrix of the output gate, and b_c.",
    ),
    candidate_with_b_o=edit(
        'c_tilde = np.tanh(joined @ params["W_c"].T + params["b_c"])',
        'c_tilde = np.tanh(joined @ params["W_c"].T + params["b_o"])',
        "candidate",
        "Your candidate has W_c, but the bias of the output gate.",
    ),
    candidate_without_bias=edit(
        'c_tilde = np.tanh(joined @ params["W_c"].T + params["b_c"])',
        'c_tilde = np.tanh(joined @ params["W_c"].T)',
        "candidate",
        "Your candidate leaves out its bias, b_c.",
    ),
    biases_counted_twice=edit(
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n    f =",
        "joined = np.concatenate([h_prev, x_t], axis=-1)\n"
        '    params = params | {name: 2.0 * params[name] for name in ("b_f", "b_i", "b_o", "b_c")}\n    f =',
        "forget_gate",
        "Your sums have their bias twice. There is one bias for the whole row, not one for the state and one for the input.",
    ),
    tanh_for_the_output_gate=edit(
        'o = _sigmoid(joined @ params["W_o"].T + params["b_o"])',
        'o = np.tanh(joined @ params["W_o"].T + params["b_o"])',
        "output_gate",
        "Your output gate is a tanh and can be negative. A gate is a sigmoid; only the candidate is a tanh.",
    ),
    output_gate_with_the_candidates_matrix=edit(
        """    o = _sigmoid(joined @ params["W_o"].T + params["b_o"])
    c_tilde = np.tanh(joined @ params["W_c"].T + params["b_c"])""",
        """    o = _sigmoid(joined @ params["W_c"].T + params["b_c"])
    c_tilde = np.tanh(joined @ params["W_o"].T + params["b_o"])""",
        "gates_of_one_unit",
        "Your output gate is made with W_c and b_c, and your candidate with W_o and b_o: their weights have changed places, and "
        "the functions have not.",
    ),
    output_gate_reads_the_input_first=edit(
        'o = _sigmoid(joined @ params["W_o"].T',
        'o = _sigmoid(np.concatenate([x_t, h_prev], axis=-1) @ params["W_o"].T',
        "gates_of_one_unit",
        "Your output gate reads the row as [x_t; h_prev], and the others as [h_prev; x_t]. All four read the state first.",
    ),
)

STEP = mistakes_of(
    "lstm_step",
    cell_not_carried=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_t = i * c_tilde\n    h_t",
        "cell_state",
        "Your cell starts afresh at every step: c_prev is not in it. The cell is what an LSTM remembers with.",
    ),
    no_forget_gate=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_t = c_prev + i * c_tilde\n    h_t",
        "cell_state",
        "Your cell never erases: c_prev is added whole. That is the LSTM of 1997; the forget gate came in 2000, as "
        "cells grew without end on long texts.",
    ),
    no_input_gate=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_t = f * c_prev + c_tilde\n    h_t",
        "cell_state",
        "Your candidate is written whole, at every step. The input gate decides how much of it is.",
    ),
    writes_with_one_minus_f=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_t = f * c_prev + (1 - f) * c_tilde\n    h_t",
        "cell_state",
        "Your cell writes with 1 - f, as a GRU does. An LSTM has a gate of its own for that, i.",
    ),
    erases_what_f_keeps=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_t = (1 - f) * c_prev + i * c_tilde\n    h_t",
        "an_open_cell_keeps_what_it_holds",
        "Your cell keeps 1 - f of what it held. In spite of its name, the forget gate says how much is kept: f = 1 "
        "keeps all.",
    ),
    f_and_i_cross_over=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_t = i * c_prev + f * c_tilde\n    h_t",
        "cell_state",
        "Your forget gate multiplies the candidate and your input gate the old cell: they have changed places.",
    ),
    gates_unpacked_in_wrong_order=edit(
        "f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)\n    c_t",
        "f, i, c_tilde, o = lstm_gates(x_t, h_prev, params)\n    c_t",
        "cell_state",
        "Your step takes the third thing from lstm_gates for the candidate. It is the output gate; the order is f, "
        "i, o, c_tilde.",
    ),
    state_for_cell=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_t = f * h_prev + i * c_tilde\n    h_t",
        "an_open_cell_keeps_what_it_holds",
        "Your cell goes on from h_prev. What it held is c_prev; h_prev is only what was revealed of that.",
    ),
    cell_for_state=edit(
        "f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)\n    c_t",
        "f, i, o, c_tilde = lstm_gates(x_t, c_prev, params)\n    c_t",
        "cell_state",
        "Your gates read c_prev. They look at what was revealed, h_prev, and at the input.",
    ),
    no_tanh_on_the_cell=edit(
        "h_t = o * np.tanh(c_t)",
        "h_t = o * c_t",
        "revealed_state",
        "Your h_t is o * c_t; the tanh on the cell is missing. A cell can grow far beyond one, a state must not.",
    ),
    tanh_stored_in_the_cell=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t = o * np.tanh(c_t)",
        "c_t = np.tanh(f * c_prev + i * c_tilde)\n    h_t = o * c_t",
        "an_open_cell_keeps_what_it_holds",
        "Your cell itself goes through the tanh, so it shrinks at every step, and so does its gradient. The tanh "
        "belongs to what is revealed; c_t is passed on as it is.",
    ),
    tanh_twice=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t = o * np.tanh(c_t)",
        "c_t = np.tanh(f * c_prev + i * c_tilde)\n    h_t = o * np.tanh(c_t)",
        "an_open_cell_keeps_what_it_holds",
        "Your cell goes through a tanh before it is passed on, and through another one before it is revealed. "
        "Only the second belongs there.",
    ),
    tanh_around_everything=edit(
        "h_t = o * np.tanh(c_t)",
        "h_t = np.tanh(o * c_t)",
        "revealed_state",
        "Your tanh is taken of o * c_t. It belongs to the cell alone, and the gate multiplies what comes out.",
    ),
    no_output_gate=edit(
        "h_t = o * np.tanh(c_t)",
        "h_t = np.tanh(c_t)",
        "revealed_state",
        "Your step reveals the whole cell; the output gate is not used.",
    ),
    reveals_the_old_cell=edit(
        "h_t = o * np.tanh(c_t)",
        "h_t = o * np.tanh(c_prev)",
        "revealed_state",
        "Your h_t shows the cell as it was before this step. What was just written may be needed at once.",
    ),
    reveals_the_candidate=edit(
        "h_t = o * np.tanh(c_t)",
        "h_t = o * c_tilde",
        "revealed_state",
        "Your h_t shows the candidate, and nothing of what the cell remembers.",
    ),
    sigmoid_on_the_cell=edit(
        "h_t = o * np.tanh(c_t)",
        "h_t = o * _sigmoid(c_t)",
        "revealed_state",
        "Your cell goes through a sigmoid before it is revealed, so the state can never be negative.",
    ),
    cell_returned_first=edit(
        "return h_t, c_t",
        "return c_t, h_t",
        "revealed_state",
        "Your step returns c_t first. The order is h_t, c_t, as in torch.",
    ),
    cell_in_place=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_prev *= f\n    c_prev += i * c_tilde\n    c_t = c_prev\n    h_t",
        "stepping_leaves_its_inputs_alone",
        "Your step overwrites the caller's c_prev. The numbers are right, but the backward pass will find the new "
        "cell where the old one stood.",
    ),
    cell_adds_the_candidate=edit(
        "f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)\n    c_t = f * c_prev + i * c_tilde",
        "f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)\n    c_t = f * c_prev + (i + c_tilde)",
        "cell_state",
        "Your cell state adds the input gate to the candidate. The gate says how much of the candidate is "
        "written: it multiplies.",
    ),
    candidate_through_a_second_tanh=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_t = f * c_prev + i * np.tanh(c_tilde)\n    h_t",
        "cell_state",
        "Your candidate goes through a tanh when it is written. It has been through one in lstm_gates.",
    ),
    forgets_what_is_written=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_t = f * (c_prev + i * c_tilde)\n    h_t",
        "cell_state",
        "Your forget gate multiplies what is written now as well. It decides about the old cell alone.",
    ),
    cell_clipped=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_t = np.clip(f * c_prev + i * c_tilde, -1, 1)\n    h_t",
        "step_of_one_unit",
        "Your cell is cut off at -1 and 1. It may grow beyond: only what is revealed goes through a tanh.",
    ),
    keeps_with_one_minus_i=edit(
        "c_t = f * c_prev + i * c_tilde\n    h_t",
        "c_t = (1 - i) * c_prev + i * c_tilde\n    h_t",
        "cell_state",
        "Your cell keeps 1 - i of what it held, as a GRU does with its one gate. An LSTM has a gate of its own for keeping, f.",
    ),
    what_is_hidden_is_filled_with_the_old_state=edit(
        "h_t = o * np.tanh(c_t)",
        "h_t = o * np.tanh(c_t) + (1 - o) * h_prev",
        "revealed_state",
        "Your h_t keeps 1 - o of the old state, as a GRU would. What the output gate does not reveal is not shown at all.",
    ),
    gates_through_a_second_sigmoid=edit(
        "f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)\n    c_t",
        "f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)\n    f, i, o = _sigmoid(f), _sigmoid(i), _sigmoid(o)\n    c_t",
        "cell_state",
        "Your step takes a sigmoid of the gates, which have been through theirs in lstm_gates. A shut gate then is half open.",
    ),
    step_returns_h_alone=edit(
        "return h_t, c_t",
        "return h_t",
        "revealed_state",
        "Your step returns h_t alone. Without c_t the next step has nothing to go on from.",
    ),
)

FORWARD = mistakes_of(
    "lstm_forward",
    states_as_wide_as_the_input=edit(
        "states, cells = np.zeros((batch, time, h0.shape[1])), np.zeros((batch, time, c0.shape[1]))",
        "states, cells = np.zeros_like(x), np.zeros_like(x)",
        "sequences_take_a_batch",
        "Your arrays of states are as wide as x. States have as many entries as h0, which may be more or fewer.",
    ),
    starts_from_zero_states=edit(
        "h, c = h0, c0",
        "h, c = 0 * h0, 0 * c0",
        "states_of_every_step",
        "Your run starts from zeros, and h0 and c0 are never used.",
    ),
    starts_from_zero_state=edit(
        "h, c = h0, c0",
        "h, c = 0 * h0, c0",
        "states_of_every_step",
        "Your run starts from c0 but from a state of zeros; h0 is never used.",
    ),
    starts_from_zero_cell=edit(
        "h, c = h0, c0",
        "h, c = h0, 0 * c0",
        "cells_of_every_step",
        "Your run starts from h0 but with an empty cell; c0 is never used.",
    ),
    h0_and_c0_swapped=edit(
        "h, c = h0, c0",
        "h, c = c0, h0",
        "cells_of_every_step",
        "Your run starts with h0 in the cell and c0 as the state.",
    ),
    cell_not_passed_on=edit(
        "h, c = lstm_step(x[:, t], h, c, params)",
        "h, c = lstm_step(x[:, t], h, c0, params)",
        "cells_of_every_step",
        "All your steps start from c0: the cell is computed and not passed on. Two things are carried, h and c.",
    ),
    state_not_passed_on=edit(
        "h, c = lstm_step(x[:, t], h, c, params)",
        "h, c = lstm_step(x[:, t], h0, c, params)",
        "states_of_every_step",
        "All your steps read h0: the state is computed and not passed on. Two things are carried, h and c.",
    ),
    nothing_passed_on=edit(
        "h, c = lstm_step(x[:, t], h, c, params)",
        "h, c = lstm_step(x[:, t], h0, c0, params)",
        "states_of_every_step",
        "All your steps start from h0 and c0, as if each were the first. Then nothing is remembered.",
    ),
    cell_passed_on_as_state=edit(
        "h, c = lstm_step(x[:, t], h, c, params)",
        "h, c = lstm_step(x[:, t], c if t else h, c, params)",
        "states_of_every_step",
        "Your next step gets the cell where it should get the state: h is returned, but c is passed on twice.",
    ),
    runs_along_the_batch=edit(
        "for t in range(time):",
        "for t in range(batch):",
        "states_of_every_step",
        "Your loop counts the sequences of the batch. Time is the second axis of x.",
    ),
    last_step_stays_zero=edit(
        "for t in range(time):",
        "for t in range(time - 1):",
        "states_of_every_step",
        "Your loop stops one step early, and what is returned for the last step are zeros. range(n) ends at n - 1 by "
        "itself.",
    ),
    last_step_missing=edit(
        "return states, cells",
        "return states[:, :-1], cells[:, :-1]",
        "states_of_every_step",
        "Your run returns one step too few: the states after the last input are missing.",
    ),
    states_time_first=edit(
        "return states, cells",
        "return states.swapaxes(0, 1), cells.swapaxes(0, 1)",
        "as_many_steps_as_rows",
        "Your states come as (time, batch, hidden). Here the batch comes first: which axis are they stacked along?",
    ),
    last_state_only=edit(
        "return states, cells",
        "return h, c",
        "states_of_every_step",
        "Your run returns what there is after the last step only. Every step is asked for.",
    ),
    states_before_each_step=edit(
        "h, c = lstm_step(x[:, t], h, c, params)\n        states[:, t], cells[:, t] = h, c",
        "states[:, t], cells[:, t] = h, c\n        h, c = lstm_step(x[:, t], h, c, params)",
        "a_sequence_of_one_step",
        "Your states are those before each step: the list begins with h0 and c0, and the last step is lost.",
    ),
    reads_backwards=edit(
        "h, c = lstm_step(x[:, t], h, c, params)",
        "h, c = lstm_step(x[:, -1 - t], h, c, params)",
        "states_of_every_step",
        "Your run reads the sequence from its end.",
    ),
    state_and_cell_handed_over_swapped=edit(
        "h, c = lstm_step(x[:, t], h, c, params)",
        "h, c = lstm_step(x[:, t], c, h, params)",
        "states_of_every_step",
        "Your steps get the cell where lstm_step expects the state, and the state where it expects the cell: h comes first.",
    ),
    reads_one_input_over_and_over=edit(
        "h, c = lstm_step(x[:, t], h, c, params)",
        "h, c = lstm_step(x[:, 0], h, c, params)",
        "states_of_every_step",
        "Your run reads the first input at every step.",
    ),
    cells_returned_first=edit(
        "return states, cells",
        "return cells, states",
        "states_of_every_step",
        "Your run returns the cells first. The order is h, c.",
    ),
    states_written_over_h0=edit(
        "h, c = h0, c0\n    for t in range(time):\n        h, c = lstm_step(x[:, t], h, c, params)",
        "h, c = h0, c0\n    for t in range(time):\n        h[...], c[...] = lstm_step(x[:, t], h, c, params)",
        "running_leaves_its_inputs_alone",
        "Your states are written into the caller's h0 and c0, so that a second run starts from elsewhere.",
    ),
    states_reshaped=edit(
        "return states, cells",
        "return tuple(a.swapaxes(0, 1).reshape(a.shape) for a in (states, cells))",
        "sequences_take_a_batch",
        "Your states were collected time first and brought to (batch, time, hidden) by `reshape`, which leaves the numbers in "
        "their order, so the sequences are mixed. Two axes that change places need a transpose.",
    ),
    reads_the_input_before=edit(
        "h, c = lstm_step(x[:, t], h, c, params)",
        "h, c = lstm_step(x[:, t - 1], h, c, params)",
        "sequences_take_a_batch",
        "Your step t reads x[:, t - 1], so the first one reads the last input of all. What h[:, t] has read last is x[:, t].",
    ),
    first_row_goes_on_for_all=edit(
        "states[:, t], cells[:, t] = h, c",
        "states[:, t], cells[:, t] = h, c\n        h, c = h[:1], c[:1]",
        "sequences_take_a_batch",
        "After the first step, all your sequences go on from the state of the first one. Each carries its own.",
    ),
    rows_run_one_after_the_other=edit(
        "h, c = h0, c0\n    for t in range(time):\n        h, c = lstm_step(x[:, t], h, c, params)\n"
        "        states[:, t], cells[:, t] = h, c",
        "h, c = h0[:1], c0[:1]\n    for n, t in np.ndindex(batch, time):\n"
        "        h, c = lstm_step(x[n : n + 1, t], h, c, params)\n        states[n, t], cells[n, t] = h[0], c[0]",
        "sequences_take_a_batch",
        "Your second sequence goes on from where the first one ended. Each starts from its own row of h0 and c0.",
    ),
    every_step_is_the_last=edit(
        "return states, cells",
        "return np.repeat(h[:, None], time, axis=1), np.repeat(c[:, None], time, axis=1)",
        "states_of_every_step",
        "Your states are those after the last step, at every position. Is one array collected again and again, and written "
        "over at each step?",
    ),
    first_step_stays_zero=edit(
        "for t in range(time):",
        "for t in range(1, time):",
        "a_sequence_of_one_step",
        "Your loop leaves out the first step: x[:, 0] is never read, and what is returned for it are zeros.",
    ),
    first_column_is_h0=edit(
        "for t in range(time):",
        "states[:, 0], cells[:, 0] = h0, c0\n    for t in range(1, time):",
        "a_sequence_of_one_step",
        "Your first column is h0 and c0, and x[:, 0] is never read. h[:, 0] is the state after the first input.",
    ),
    states_in_place_of_cells=edit(
        "states[:, t], cells[:, t] = h, c",
        "states[:, t], cells[:, t] = h, h",
        "cells_of_every_step",
        "Your second result holds the states once more. It should hold the cells.",
    ),
    tanh_of_the_cells_returned=edit(
        "states[:, t], cells[:, t] = h, c",
        "states[:, t], cells[:, t] = h, np.tanh(c)",
        "cells_of_every_step",
        "Your cells are returned after a tanh. The tanh belongs to what h shows of them; c is the cell itself.",
    ),
    cell_starts_from_h0=edit(
        "h, c = h0, c0",
        "h, c = h0, h0",
        "cells_of_every_step",
        "Your cell starts from h0, and c0 is never used.",
    ),
    state_starts_from_c0=edit(
        "h, c = h0, c0",
        "h, c = c0, c0",
        "states_of_every_step",
        "Your state starts from c0, and h0 is never used.",
    ),
    h0_and_c0_in_front=edit(
        "return states, cells",
        "return np.concatenate([h0[:, None], states], axis=1), np.concatenate([c0[:, None], cells], axis=1)",
        "states_of_every_step",
        "Your run returns one step too many: h0 and c0 stand in front. h[:, 0] is the state after the first input.",
    ),
    cells_of_the_last_step_alone=edit(
        "return states, cells",
        "return states, c",
        "cells_of_every_step",
        "Your run returns the states of every step, but the cell of the last one only. Every step is asked for in both.",
    ),
    rows_read_as_steps=edit(
        "h, c = lstm_step(x[:, t], h, c, params)",
        "h, c = lstm_step(x[t], h, c, params)",
        "states_of_every_step",
        "Your loop reads x[t], all steps of one sequence. Step t of all sequences is x[:, t]: the batch is the first axis.",
    ),
)

STEP_BACKWARD = mistakes_of(
    "lstm_step_backward",
    dc_from_the_next_step_missing=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = dh * o * (1 - tanh_c**2)",
        "cells_get_their_gradient",
        "Your cell gets a gradient by way of h_t alone; the dc that arrives from the next step is left out. That is "
        "the path along which gradients travel far.",
    ),
    forget_gate_through_the_sigmoid_again=edit(
        "da_f = df * f * (1 - f)",
        "da_f = df * (1 / (1 + np.exp(-f))) * (1 - 1 / (1 + np.exp(-f)))",
        "step_backward_by_hand",
        "Your f goes through a sigmoid once more on the way back. The cache holds the gate, which is behind its sigmoid "
        "already: sigma' is f (1 - f).",
    ),
    dh_not_sent_to_the_cell=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = dc",
        "cells_get_their_gradient",
        "Your dh reaches the output gate alone. h_t = o * tanh(c_t) has two factors, and c_t gets its part, too.",
    ),
    tanh_of_the_cell_not_derived=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = dc + dh * o",
        "cells_get_their_gradient",
        "Your path from h_t to c_t leaves out the derivative of the tanh between them.",
    ),
    tanh_prime_at_c=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = dc + dh * o * (1 - c_t**2)",
        "cells_get_their_gradient",
        "Your derivative of tanh is 1 - c_t^2. The square is that of tanh(c_t), not of c_t.",
    ),
    tanh_prime_of_tanh=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = dc + dh * o * (1 - np.tanh(tanh_c) ** 2)",
        "cells_get_their_gradient",
        "Your derivative of tanh takes the tanh once too often: 1 - t^2 wants t = tanh(c_t) itself.",
    ),
    output_gate_missing_on_the_way_to_the_cell=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = dc + dh * (1 - tanh_c**2)",
        "cells_get_their_gradient",
        "Your path from h_t to c_t leaves out the factor o. What was not revealed cannot have mattered through h_t.",
    ),
    dc_goes_through_the_output_gate=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = (dc + dh) * o * (1 - tanh_c**2)",
        "cells_get_their_gradient",
        "Your dc is sent through the output gate and the tanh. It already is the gradient at c_t, on the path that "
        "passes both by; only dh comes through them.",
    ),
    dc_goes_through_the_tanh=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = (dc + dh * o) * (1 - tanh_c**2)",
        "cells_get_their_gradient",
        "Your dc is multiplied by the derivative of the tanh, too. It already is the gradient at c_t; the tanh stands only "
        "between c_t and h_t.",
    ),
    output_gate_uses_c=edit(
        "do = dh * tanh_c",
        "do = dh * c_t",
        "output_weights",
        "Your output gate gets dh times c_t. In the forward pass it multiplied tanh(c_t).",
    ),
    dc_sent_to_the_output_gate=edit(
        "do = dh * tanh_c",
        "do = (dh + dc) * tanh_c",
        "gradient_from_the_cell_alone",
        "Your output gate also gets a part of dc. It stands between c_t and h_t; the cell's own path to the next "
        "step does not pass it.",
    ),
    dc_prev_without_f=edit(
        "dc_prev = dc_total * f",
        "dc_prev = dc_total",
        "cells_get_their_gradient",
        "Your dc_prev is not multiplied by f. What the forget gate erased cannot matter any more.",
    ),
    dc_prev_from_dc_alone=edit(
        "dc_prev = dc_total * f",
        "dc_prev = dc * f",
        "cells_get_their_gradient",
        "Your dc_prev passes on the dc that came in, without what came to c_t by way of h_t.",
    ),
    dc_prev_times_i=edit(
        "dc_prev = dc_total * f",
        "dc_prev = dc_total * i",
        "cells_get_their_gradient",
        "Your dc_prev is multiplied by the input gate. It was f that multiplied c_prev.",
    ),
    forget_gate_uses_c_t=edit(
        "df = dc_total * c_prev",
        "df = dc_total * c_t",
        "forget_weights",
        "Your forget gate's gradient uses c_t. In the forward pass the gate multiplied c_prev.",
    ),
    df_and_di_swapped=edit(
        "df = dc_total * c_prev\n    di = dc_total * c_tilde",
        "df = dc_total * c_tilde\n    di = dc_total * c_prev",
        "forget_weights",
        "Your gradients of f and i have changed operands: f multiplied c_prev, and i multiplied c_tilde.",
    ),
    di_uses_i=edit(
        "di = dc_total * c_tilde",
        "di = dc_total * i",
        "input_weights",
        "Your input gate's gradient is multiplied by the gate itself. In a product each factor gets the other one.",
    ),
    candidate_without_i=edit(
        "dc_tilde = dc_total * i",
        "dc_tilde = dc_total",
        "candidate_weights",
        "Your candidate's gradient is not multiplied by i. Only the part that was written can matter.",
    ),
    gates_fed_with_dc_alone=edit(
        "df = dc_total * c_prev\n    di = dc_total * c_tilde\n    dc_tilde = dc_total * i",
        "df = dc * c_prev\n    di = dc * c_tilde\n    dc_tilde = dc * i",
        "forget_weights",
        "Your forget gate, input gate and candidate get the dc that came in, without what comes to c_t by way of "
        "h_t. First add up what arrives at c_t, then go on.",
    ),
    sigmoid_for_its_derivative=edit(
        "da_f = df * f * (1 - f)\n    da_i = di * i * (1 - i)\n    da_o = do * o * (1 - o)",
        "da_f = df * _sigmoid(f)\n    da_i = di * _sigmoid(i)\n    da_o = do * _sigmoid(o)",
        "forget_weights",
        "Your gates' gradients are multiplied by sigma where its derivative belongs, s (1 - s).",
    ),
    sigmoid_not_derived=edit(
        "da_f = df * f * (1 - f)\n    da_i = di * i * (1 - i)\n    da_o = do * o * (1 - o)",
        "da_f = df\n    da_i = di\n    da_o = do",
        "forget_weights",
        "Your gates' gradients go straight to the sums: the derivative of sigma is missing for f, i and o.",
    ),
    gates_for_their_derivatives=edit(
        "da_f = df * f * (1 - f)\n    da_i = di * i * (1 - i)\n    da_o = do * o * (1 - o)",
        "da_f = df * f\n    da_i = di * i\n    da_o = do * o",
        "forget_weights",
        "Your gates' gradients are multiplied by the gate s itself. The derivative of sigma has a second factor: s (1 - s).",
    ),
    one_minus_the_gates_alone=edit(
        "da_f = df * f * (1 - f)\n    da_i = di * i * (1 - i)\n    da_o = do * o * (1 - o)",
        "da_f = df * (1 - f)\n    da_i = di * (1 - i)\n    da_o = do * (1 - o)",
        "forget_weights",
        "Your gates' gradients are multiplied by 1 - s alone. The derivative of sigma is s (1 - s): the gate s itself is missing.",
    ),
    sigmoid_prime_at_the_gate=edit(
        "da_f = df * f * (1 - f)\n    da_i = di * i * (1 - i)\n    da_o = do * o * (1 - o)",
        "f_s, i_s, o_s = _sigmoid(f), _sigmoid(i), _sigmoid(o)\n"
        "    da_f = df * f_s * (1 - f_s)\n    da_i = di * i_s * (1 - i_s)\n    da_o = do * o_s * (1 - o_s)",
        "forget_weights",
        "Your derivative of sigma is taken at the gate's value. The cache holds what comes out of sigma: it is s in "
        "s (1 - s) already.",
    ),
    tanh_prime_for_the_gates=edit(
        "da_f = df * f * (1 - f)\n    da_i = di * i * (1 - i)\n    da_o = do * o * (1 - o)",
        "da_f = df * (1 - f**2)\n    da_i = di * (1 - i**2)\n    da_o = do * (1 - o**2)",
        "forget_weights",
        "Your gates' gradients use the derivative of tanh. They are sigmas; only the candidate is a tanh.",
    ),
    candidate_tanh_not_derived=edit(
        "da_c = dc_tilde * (1 - c_tilde**2)",
        "da_c = dc_tilde",
        "candidate_weights",
        "Your candidate's gradient leaves out the derivative of its tanh.",
    ),
    candidate_as_a_sigmoid=edit(
        "da_c = dc_tilde * (1 - c_tilde**2)",
        "da_c = dc_tilde * c_tilde * (1 - c_tilde)",
        "candidate_weights",
        "Your candidate is differentiated as if it were a sigma. It is a tanh.",
    ),
    candidate_tanh_taken_twice=edit(
        "da_c = dc_tilde * (1 - c_tilde**2)",
        "da_c = dc_tilde * (1 - np.tanh(c_tilde) ** 2)",
        "candidate_weights",
        "Your derivative takes the tanh of c_tilde, which already is a tanh. 1 - t^2 wants t itself.",
    ),
    row_in_wrong_order=edit(
        "    row = np.concatenate([h_prev, x_t], axis=-1)",
        "    row = np.concatenate([x_t, h_prev], axis=-1)",
        "forget_weights",
        "Your weights' gradients have the columns of the input first. The weights multiplied [h_prev; x_t].",
    ),
    row_cut_at_the_wrong_end=edit(
        "dh_prev, dx = drow[:, :hidden], drow[:, hidden:]",
        "dx, dh_prev = drow[:, : x_t.shape[-1]], drow[:, x_t.shape[-1] :]",
        "equal_sizes_hide_no_wrong_gradient",
        "Your gradient of the row is cut as if x_t came first. The state does, so the first columns are dh_prev.",
    ),
    row_gradient_overwritten=edit(
        'drow += da @ params[f"W_{gate}"]',
        'drow = da @ params[f"W_{gate}"]',
        "states_get_their_gradient",
        "Your `=` keeps the contribution of the last gate alone. All four read the row, so dx and dh_prev are sums "
        "of four terms.",
    ),
    biases_not_summed_over_the_batch=edit(
        'grads[f"b_{gate}"] = da.sum(axis=0)',
        'grads[f"b_{gate}"] = da',
        "forget_bias",
        "Your biases' gradients still have a row for each sequence. All rows share the bias, so theirs add up.",
    ),
    biases_averaged_over_the_batch=edit(
        'grads[f"b_{gate}"] = da.sum(axis=0)',
        'grads[f"b_{gate}"] = da.mean(axis=0)',
        "forget_bias",
        "Your biases' gradients are means over the batch. If the loss is a mean, dh knows that already; here they "
        "add up.",
    ),
    biases_summed_over_units=edit(
        'grads[f"b_{gate}"] = da.sum(axis=0)',
        'grads[f"b_{gate}"] = da.sum(axis=1)',
        "forget_bias",
        "Your biases' gradients are summed over the units, with a number for each row of the batch. It is the rows "
        "that share a bias.",
    ),
    weights_averaged_over_the_batch=edit(
        'grads[f"W_{gate}"] = da.T @ row',
        'grads[f"W_{gate}"] = da.T @ row / len(row)',
        "forget_weights",
        "Your weights' gradients are divided by the batch size. If the loss is a mean, dh knows that already.",
    ),
    weight_gradients_transposed=edit(
        'grads[f"W_{gate}"] = da.T @ row',
        'grads[f"W_{gate}"] = row.T @ da',
        "forget_weights",
        "Your weights' gradients are (in, out). A gradient has the shape of what it belongs to, (out, in) here.",
    ),
    carries_the_gate_not_the_sum=edit(
        'drow += da @ params[f"W_{gate}"]',
        'drow += {"f": df, "i": di, "o": do, "c": dc_tilde}[gate] @ params[f"W_{gate}"]',
        "inputs_get_their_gradient",
        "Your dx and dh_prev are made from the gradients of the gates, before the derivative of sigma and tanh. The "
        "matrices stand inside those.",
    ),
    candidate_left_out_of_the_row=edit(
        'drow += da @ params[f"W_{gate}"]',
        'drow += da @ params[f"W_{gate}"] * (gate != "c")',
        "inputs_get_their_gradient",
        "Your dx and dh_prev add up the three gates and leave out the candidate, which reads the row, too.",
    ),
    candidate_in_the_row_before_its_slope=edit(
        'drow += da @ params[f"W_{gate}"]',
        'drow += (dc_tilde if gate == "c" else da) @ params[f"W_{gate}"]',
        "inputs_get_their_gradient",
        "Your dx and dh_prev take the candidate's gradient before its tanh. What its matrix passes back goes through 1 - c_tilde^2 first.",
    ),
    gradient_order_state_first=edit(
        "return dx, dh_prev, dc_prev, grads",
        "return dh_prev, dc_prev, dx, grads",
        "inputs_get_their_gradient",
        "Your gradients come as dh_prev, dc_prev, dx. The order is dx, dh_prev, dc_prev, grads.",
    ),
    cell_before_state=edit(
        "return dx, dh_prev, dc_prev, grads",
        "return dx, dc_prev, dh_prev, grads",
        "cells_get_their_gradient",
        "Your dh_prev and dc_prev have changed places. The order is dx, dh_prev, dc_prev, grads.",
    ),
    dc_added_in_place=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc += dh * o * (1 - tanh_c**2)\n    dc_total = dc",
        "step_backward_leaves_the_cache_alone",
        "Your `+=` changes the caller's dc. The gradients are right once; code that uses dc again adds h_t's part twice.",
    ),
    weights_of_the_last_row=edit(
        'grads[f"W_{gate}"] = da.T @ row\n        grads[f"b_{gate}"] = da.sum(axis=0)',
        'grads[f"W_{gate}"] = da[-1:].T @ row[-1:]\n        grads[f"b_{gate}"] = da[-1]',
        "forget_weights",
        "Your params' gradients are those of the last row alone: each row overwrites the one before it. All "
        "rows share the params, so their gradients add up.",
    ),
    all_gradients_averaged=edit(
        'grads[f"W_{gate}"] = da.T @ row\n        grads[f"b_{gate}"] = da.sum(axis=0)',
        'grads[f"W_{gate}"] = da.T @ row / len(row)\n        grads[f"b_{gate}"] = da.mean(axis=0)',
        "forget_weights",
        "Your gradients of weights and biases are divided by the batch size. If the loss is a mean, dh and "
        "dc know that already; here rows add up.",
    ),
    tanh_slope_squared_as_a_whole=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = dc + dh * o * (1 - tanh_c) ** 2",
        "step_backward_by_hand",
        "Your square is that of 1 - tanh(c_t). The derivative of tanh is 1 - tanh(c_t)^2, so the square belongs to the tanh alone.",
    ),
    candidate_slope_squared_as_a_whole=edit(
        "da_c = dc_tilde * (1 - c_tilde**2)",
        "da_c = dc_tilde * (1 - c_tilde) ** 2",
        "step_backward_by_hand",
        "Your square is that of 1 - c_tilde. The derivative of its tanh is 1 - c_tilde^2, so the square belongs to c_tilde alone.",
    ),
    output_gate_uses_the_old_cell=edit(
        "do = dh * tanh_c",
        "do = dh * np.tanh(c_prev)",
        "step_backward_by_hand",
        "Your gradient of the output gate uses c_prev. The gate was multiplied with the tanh of the new cell.",
    ),
    weights_by_reshape=edit(
        'grads[f"W_{gate}"] = da.T @ row',
        'grads[f"W_{gate}"] = da.reshape(da.shape[::-1]) @ row',
        "step_backward_takes_a_batch",
        "Your rows become columns by `reshape`, which keeps the numbers in their order and mixes the rows of the batch. To "
        "turn rows into columns is to transpose.",
    ),
    tanh_prime_of_h_t=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = dc + dh * o * (1 - (o * tanh_c) ** 2)",
        "cells_get_their_gradient",
        "Your derivative of tanh is 1 - h_t^2. The output gate comes after the tanh: the square is that of tanh(c_t) alone.",
    ),
    input_gate_fed_with_dc_alone=edit(
        "di = dc_total * c_tilde",
        "di = dc * c_tilde",
        "input_weights",
        "Your input gate's gradient uses the dc that came in, without what comes to c_t by way of h_t. The other gates use "
        "the sum.",
    ),
    forget_gate_fed_with_dc_alone=edit(
        "df = dc_total * c_prev",
        "df = dc * c_prev",
        "forget_weights",
        "Your forget gate's gradient uses the dc that came in, without what comes to c_t by way of h_t. The other gates use "
        "the sum.",
    ),
    candidate_fed_with_dc_alone=edit(
        "dc_tilde = dc_total * i",
        "dc_tilde = dc * i",
        "candidate_weights",
        "Your candidate's gradient uses the dc that came in, without what comes to c_t by way of h_t. The gates use the sum.",
    ),
    output_and_candidate_gradients_exchanged=edit(
        '("o", da_o), ("c", da_c)',
        '("o", da_c), ("c", da_o)',
        "output_weights",
        "Your gradients of the output gate and of the candidate have changed places.",
    ),
    output_gate_through_the_slope_of_tanh=edit(
        "do = dh * tanh_c",
        "do = dh * (1 - tanh_c**2)",
        "output_weights",
        "Your output gate gets dh times the derivative of the tanh. In a product each factor gets the other one, here "
        "tanh(c_t) itself.",
    ),
    dc_handed_on_once_more=edit(
        "dc_prev = dc_total * f",
        "dc_prev = dc_total * f + dc",
        "cells_get_their_gradient",
        "Your dc_prev adds the dc that came in once more, unchanged. It is in the sum already, and all of it passes the "
        "forget gate.",
    ),
    biases_keep_the_batch_axis=edit(
        'grads[f"b_{gate}"] = da.sum(axis=0)',
        'grads[f"b_{gate}"] = da.sum(axis=0, keepdims=True)',
        "forget_bias",
        "Your biases' gradients keep an axis of length one. A gradient has the shape of what it belongs to, (hidden,).",
    ),
    input_slope_with_the_forget_gate=edit(
        "da_i = di * i * (1 - i)",
        "da_i = di * i * (1 - f)",
        "input_weights",
        "Your input gate's slope is i (1 - f). Both factors are of the same gate.",
    ),
    dh_handed_on_to_h_prev=edit(
        "dh_prev, dx = drow[:, :hidden], drow[:, hidden:]",
        "dh_prev, dx = drow[:, :hidden] + dh, drow[:, hidden:]",
        "states_get_their_gradient",
        "Your dh_prev adds dh itself. h_prev does not stand in h_t directly; only the gates and the candidate read it.",
    ),
    tanh_slope_without_the_square=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = dc + dh * o * (1 - tanh_c)",
        "cells_get_their_gradient",
        "Your derivative of tanh is 1 - tanh(c_t); the square of the tanh is missing.",
    ),
    tanh_for_its_slope=edit(
        "dc_total = dc + dh * o * (1 - tanh_c**2)",
        "dc_total = dc + dh * o * tanh_c",
        "cells_get_their_gradient",
        "Your path from h_t to c_t is multiplied by tanh(c_t). What belongs there is the derivative of the tanh.",
    ),
    df_uses_f=edit(
        "df = dc_total * c_prev",
        "df = dc_total * f",
        "forget_weights",
        "Your forget gate's gradient is multiplied by the gate itself. In a product each factor gets the other one, here c_prev.",
    ),
    candidate_uses_itself=edit(
        "dc_tilde = dc_total * i",
        "dc_tilde = dc_total * c_tilde",
        "candidate_weights",
        "Your candidate's gradient is multiplied by the candidate itself. In a product each factor gets the other one, here i.",
    ),
    output_sigma_not_derived=edit(
        "da_o = do * o * (1 - o)",
        "da_o = do",
        "output_weights",
        "Your output gate's gradient leaves out the derivative of its sigma, o (1 - o).",
    ),
    dx_and_dh_prev_exchanged=edit(
        "return dx, dh_prev, dc_prev, grads",
        "return dh_prev, dx, dc_prev, grads",
        "inputs_get_their_gradient",
        "Your dx and dh_prev have changed places. The order is dx, dh_prev, dc_prev, grads.",
    ),
    old_cell_in_the_tanh=edit(
        "tanh_c = np.tanh(c_t)",
        "tanh_c = np.tanh(c_prev)",
        "step_backward_by_hand",
        "Your tanh is that of c_prev. What was revealed is the tanh of the new cell, c_t.",
    ),
    forget_and_input_gradients_exchanged=edit(
        '("f", da_f), ("i", da_i)',
        '("f", da_i), ("i", da_f)',
        "forget_weights",
        "Your gradients of the forget gate and of the input gate have changed places.",
    ),
    input_gate_with_the_output_gates_slope=edit(
        "da_i = di * i * (1 - i)",
        "da_i = di * i * (1 - o)",
        "inputs_get_their_gradient",
        "The slope of your input gate has 1 - o in it. It is i (1 - i): of the gate itself alone.",
    ),
)

SEQUENCE_BACKWARD = mistakes_of(
    "lstm_backward",
    dh_next_missing=edit(
        "dh_t = dh[:, t] + dh_next",
        "dh_t = dh[:, t]",
        "every_input_gets_its_gradient",
        "Your state gets the gradient of its own output alone. The next step read it, too: what comes back from "
        "there has to be added.",
    ),
    dc_next_missing=edit(
        "dc_t = dc[:, t] + dc_next",
        "dc_t = dc[:, t]",
        "every_input_gets_its_gradient",
        "Your cell gets no gradient from the next step. That path, from cell to cell, is what an LSTM is for.",
    ),
    only_the_last_step_feeds=edit(
        "dh_t = dh[:, t] + dh_next",
        "dh_t = dh_next if t < x.shape[1] - 1 else dh[:, t]",
        "every_input_gets_its_gradient",
        "Your backward pass takes dh of the last step and ignores the others. With a loss at every step, each has "
        "something to add.",
    ),
    only_the_last_cell_feeds=edit(
        "dc_t = dc[:, t] + dc_next",
        "dc_t = dc_next if t < x.shape[1] - 1 else dc[:, t]",
        "every_input_gets_its_gradient",
        "Your backward pass takes dc of the last step and ignores the others. It may arrive at every step.",
    ),
    dc_from_outside_missing=edit(
        "dc_t = dc[:, t] + dc_next",
        "dc_t = dc_next",
        "every_input_gets_its_gradient",
        "Your cells get what comes from the next step, and the dc that you are given is never used.",
    ),
    gradients_overwritten=edit(
        "totals[name] += grad",
        "totals[name] = grad",
        "forget_weights_over_time",
        "Your `=` keeps the params' gradients of one step and drops the others. The same params work at every "
        "step, so their gradients add up.",
    ),
    gradients_of_the_last_step_only=edit(
        "totals[name] += grad",
        "totals[name] += grad * (t == x.shape[1] - 1)",
        "forget_weights_over_time",
        "Your params' gradients are those of the last step alone. The same params work at every step, so their "
        "gradients add up.",
    ),
    biases_of_one_step=edit(
        "totals[name] += grad",
        'totals[name] = totals[name] * (name[0] == "W") + grad',
        "forget_bias_over_time",
        "Your weights' gradients add up over the steps, but those of the biases are overwritten.",
    ),
    gradients_averaged_over_time=edit(
        "totals[name] += grad",
        "totals[name] += grad / x.shape[1]",
        "forget_weights_over_time",
        "Your params' gradients are means over the steps. They add up; if the loss is a mean, dh knows that.",
    ),
    backward_loop_runs_forward=edit(
        "for t in reversed(range(x.shape[1])):",
        "for t in range(x.shape[1]):",
        "gradient_of_the_last_step_reaches_the_first",
        "Your loop goes from the first step to the last. A gradient comes from where the loss is: what t passes on "
        "has to be known before t - 1.",
    ),
    present_state_for_previous=edit(
        'step["h_prev"] = h[:, t - 1] if t > 0 else cache["h0"]',
        'step["h_prev"] = h[:, t]',
        "forget_weights_over_time",
        "Your step t is given h[:, t] as its previous state. That is the state it made; the one it read is the one "
        "before.",
    ),
    present_cell_for_previous=edit(
        'step["c_prev"] = c[:, t - 1] if t > 0 else cache["c0"]',
        'step["c_prev"] = c[:, t]',
        "forget_weights_over_time",
        "Your step t is given c[:, t] as its previous cell. That is the cell it made; the one it read is the one "
        "before.",
    ),
    state_wraps_around=edit(
        'step["h_prev"] = h[:, t - 1] if t > 0 else cache["h0"]',
        'step["h_prev"] = h[:, t - 1]',
        "forget_weights_over_time",
        "Your first step reads h[:, -1], which in Python is the last state. Before the first step there was h0.",
    ),
    cell_wraps_around=edit(
        'step["c_prev"] = c[:, t - 1] if t > 0 else cache["c0"]',
        'step["c_prev"] = c[:, t - 1]',
        "forget_weights_over_time",
        "Your first step reads c[:, -1], which in Python is the last cell. Before the first step there was c0.",
    ),
    both_wrap_around=edit(
        'step["h_prev"] = h[:, t - 1] if t > 0 else cache["h0"]\n'
        '        step["c_prev"] = c[:, t - 1] if t > 0 else cache["c0"]',
        'step["h_prev"] = h[:, t - 1]\n        step["c_prev"] = c[:, t - 1]',
        "forget_weights_over_time",
        "Your first step reads h[:, -1] and c[:, -1], which in Python are the last ones. Before the first step "
        "there were h0 and c0.",
    ),
    first_states_taken_for_zero=edit(
        'step["h_prev"] = h[:, t - 1] if t > 0 else cache["h0"]\n'
        '        step["c_prev"] = c[:, t - 1] if t > 0 else cache["c0"]',
        'step["h_prev"] = h[:, t - 1] if t > 0 else 0 * cache["h0"]\n'
        '        step["c_prev"] = c[:, t - 1] if t > 0 else 0 * cache["c0"]',
        "forget_weights_over_time",
        "Your first step takes the states before it for zeros. They are h0 and c0, which the cache holds.",
    ),
    dx_in_reverse=edit(
        "return dx, dh_next, dc_next, totals",
        "return dx[:, ::-1], dh_next, dc_next, totals",
        "gradient_of_an_early_step_stays_early",
        "Your dx runs from the last step to the first. It was collected on the way back; dx[:, t] belongs to x[:, t].",
    ),
    dh0_dropped=edit(
        "return dx, dh_next, dc_next, totals",
        "return dx, 0 * dh_next, dc_next, totals",
        "first_state_gets_its_gradient",
        "Your dh0 is zero. What the first step hands back to the state before it is the gradient of h0.",
    ),
    dc0_dropped=edit(
        "return dx, dh_next, dc_next, totals",
        "return dx, dh_next, 0 * dc_next, totals",
        "first_cell_gets_its_gradient",
        "Your dc0 is zero. What the first step hands back to the cell before it is the gradient of c0.",
    ),
    dh0_is_of_the_first_state=edit(
        "return dx, dh_next, dc_next, totals",
        "return dx, dh_t, dc_t, totals",
        "first_state_gets_its_gradient",
        "Your dh0 and dc0 are the gradients at the first state and cell, h[:, 0] and c[:, 0]. There is one more "
        "step to go back, to h0 and c0.",
    ),
    dh0_and_dc0_swapped=edit(
        "return dx, dh_next, dc_next, totals",
        "return dx, dc_next, dh_next, totals",
        "first_state_gets_its_gradient",
        "Your dh0 and dc0 have changed places.",
    ),
    carried_gradients_pile_up=edit(
        "dx[:, t], dh_next, dc_next, grads_t = lstm_step_backward(dh_t, dc_t, step)",
        "dx[:, t], dh_back, dc_back, grads_t = lstm_step_backward(dh_t, dc_t, step)\n"
        "        dh_next, dc_next = dh_next + dh_back, dc_next + dc_back",
        "every_input_gets_its_gradient",
        "Your carried gradients are added to those of the step before. A state is read by one next step, so what "
        "is carried is replaced at each step, not summed up.",
    ),
    dh_changed_in_place=edit(
        "dh_t = dh[:, t] + dh_next",
        "dh[:, t] += dh_next\n        dh_t = dh[:, t]",
        "backward_leaves_the_cache_alone",
        "Your pass adds what it carries into the caller's dh. The first result is right; the next use of dh is not.",
    ),
    dc_changed_in_place=edit(
        "dc_t = dc[:, t] + dc_next",
        "dc[:, t] += dc_next\n        dc_t = dc[:, t]",
        "backward_leaves_the_cache_alone",
        "Your pass adds what it carries into the caller's dc. The first result is right; the next use of dc is not.",
    ),
    dx_summed_over_time=edit(
        "return dx, dh_next, dc_next, totals",
        "return dx.sum(axis=1), dh_next, dc_next, totals",
        "every_input_gets_its_gradient",
        "Your dx is summed over the steps. Params are shared between steps, but every step has an input of its own.",
    ),
    gates_of_the_step_before=edit(
        'step = {name: cache[name][:, t] for name in ("f", "i", "o", "c_tilde")}',
        'step = {name: cache[name][:, t - 1] for name in ("f", "i", "o", "c_tilde")}',
        "two_sequences_backwards",
        "Your gates are those of the step before. Only h and c are needed from there; f, i, o and c_tilde belong to this step.",
    ),
    new_state_goes_through_the_forget_gate_twice=edit(
        "dc_t = dc[:, t] + dc_next",
        'dc_t = dc[:, t] + dc_next * cache["f"][:, t]',
        "two_sequences_backwards",
        "What comes back along the cell is multiplied by a forget gate twice. The step that hands it back has done that.",
    ),
    cell_before_the_first_is_h0=edit(
        'step["c_prev"] = c[:, t - 1] if t > 0 else cache["c0"]',
        'step["c_prev"] = c[:, t - 1] if t > 0 else cache["h0"]',
        "forget_weights_over_time",
        "Your first step takes h0 for the cell before it. That is c0.",
    ),
    state_before_the_first_is_c0=edit(
        'step["h_prev"] = h[:, t - 1] if t > 0 else cache["h0"]',
        'step["h_prev"] = h[:, t - 1] if t > 0 else cache["c0"]',
        "forget_weights_over_time",
        "Your first step takes c0 for the state before it. That is h0.",
    ),
    first_outer_gradient_counted_for_h0=edit(
        "return dx, dh_next, dc_next, totals",
        "return dx, dh_next + dh[:, 0], dc_next + dc[:, 0], totals",
        "first_state_gets_its_gradient",
        "Your dh0 and dc0 have dh[:, 0] and dc[:, 0] added to them. Those belong to h[:, 0] and c[:, 0], and have gone through "
        "the first step already.",
    ),
    last_outer_gradient_counted_twice=edit(
        'dh_next, dc_next = np.zeros(cache["h0"].shape), np.zeros(cache["c0"].shape)',
        "dh_next, dc_next = dh[:, -1], dc[:, -1]",
        "every_input_gets_its_gradient",
        "Your pass begins with dh[:, -1] as what comes from later steps, and adds it at the last step again. Nothing comes "
        "after the last step: begin with zeros.",
    ),
    last_outer_dh_counted_twice=edit(
        'dh_next, dc_next = np.zeros(cache["h0"].shape), np.zeros(cache["c0"].shape)',
        'dh_next, dc_next = dh[:, -1], np.zeros(cache["c0"].shape)',
        "every_input_gets_its_gradient",
        "Your pass begins with dh[:, -1] as what comes from later steps, and adds it at the last step again. Nothing comes "
        "after the last step: begin with zeros.",
    ),
    first_step_left_out=edit(
        "for t in reversed(range(x.shape[1])):",
        "for t in range(x.shape[1] - 1, 0, -1):",
        "first_state_gets_its_gradient",
        "Your loop ends before the first step. range(n, 0, -1) stops at 1; step 0 has an input and params, too.",
    ),
    last_step_left_out=edit(
        "for t in reversed(range(x.shape[1])):",
        "for t in range(x.shape[1] - 2, -1, -1):",
        "every_input_gets_its_gradient",
        "Your loop begins one step too early: the last step is never gone through, and its dh and dc are not read.",
    ),
    cell_before_for_the_present_one=edit(
        '"c_t": c[:, t]',
        '"c_t": c[:, t - 1]',
        "output_weights_over_time",
        "Your step gets the cell before it as c_t. c_t is the cell after the step, c[:, t].",
    ),
    dh_and_dc_changed_in_place=edit(
        "dh_t = dh[:, t] + dh_next\n        dc_t = dc[:, t] + dc_next",
        "dh[:, t] += dh_next\n        dc[:, t] += dc_next\n        dh_t, dc_t = dh[:, t], dc[:, t]",
        "backward_leaves_the_cache_alone",
        "Your pass adds what it carries into the caller's dh and dc. The first result is right; the next use of them is not.",
    ),
    dh_from_outside_missing=edit(
        "dh_t = dh[:, t] + dh_next",
        "dh_t = dh_next",
        "every_input_gets_its_gradient",
        "Your states get what comes from the next step, and the dh that you are given is never used.",
    ),
    state_made_for_the_state_read=edit(
        'step["h_prev"] = h[:, t - 1] if t > 0 else cache["h0"]',
        'step["h_prev"] = h[:, t] if t > 0 else cache["h0"]',
        "forget_weights_over_time",
        "Your step t is given h[:, t] as its previous state, except at the first step. That is the state it made; the one it "
        "read is the one before.",
    ),
    cell_made_for_the_cell_read=edit(
        'step["c_prev"] = c[:, t - 1] if t > 0 else cache["c0"]',
        'step["c_prev"] = c[:, t] if t > 0 else cache["c0"]',
        "forget_weights_over_time",
        "Your step t is given c[:, t] as its previous cell, except at the first step. That is the cell it made; the one it "
        "read is the one before.",
    ),
    cell_read_for_the_cell_made=edit(
        '"c_t": c[:, t]',
        '"c_t": c[:, t - 1] if t > 0 else cache["c0"]',
        "output_weights_over_time",
        "Your step t takes the tanh of the cell before it. What it revealed is the cell after the step, c[:, t].",
    ),
    input_of_the_step_before=edit(
        '"x_t": x[:, t]',
        '"x_t": x[:, t - 1]',
        "forget_weights_over_time",
        "Your step t is given x[:, t - 1]. The input that it read is x[:, t].",
    ),
)

GRU = mistakes_of(
    "gru_step",
    reset_on_the_whole_row=edit(
        "reset_row = np.concatenate([r * h_prev, x_t], axis=-1)",
        "reset_row = r * joined_row",
        "gru_of_one_unit",
        "Your reset gate multiplies the whole row, x_t as well. It closes the past alone: r * h_prev, then x_t beside it.",
    ),
    update_gate_with_the_reset_matrix=edit(
        'z = _sigmoid(joined_row @ params["W_z"].T',
        'z = _sigmoid(joined_row @ params["W_r"].T',
        "gru_of_one_unit",
        "Your update gate has the matrix of the reset gate, and b_z. It has its own, W_z.",
    ),
    gru_z_keeps=edit(
        "return gated_update(h_prev, h_tilde, z)",
        "return gated_update(h_tilde, h_prev, z)",
        "low_z_keeps_the_past",
        "Your step is h_t = z * h_prev + (1 - z) * h_tilde: z keeps. That is the convention of Cho et al. 2014 and "
        "of torch, and of gru_step_keep; here z lets the new in (Chung et al. 2014).",
    ),
    reset_after_matmul=edit(
        'reset_row = np.concatenate([r * h_prev, x_t], axis=-1)\n    h_tilde = np.tanh(reset_row @ params["W_h"].T + params["b_h"])',
        "size = h_prev.shape[-1]\n"
        '    from_state = r * (h_prev @ params["W_h"][:, :size].T)\n'
        '    h_tilde = np.tanh(from_state + x_t @ params["W_h"][:, size:].T + params["b_h"])',
        "gru_steps_of_any_size",
        "Your reset gate multiplies after the matmul, r * (W h_prev). That is a GRU too: the convention of torch, "
        "cuDNN and Keras (there: reset_after=True). Here the reset comes before the matmul, W (r * h_prev), as in Cho "
        "et al. 2014; with more than one unit the two differ, and so do their trained weights.",
    ),
    reset_after_matmul_and_bias=edit(
        'reset_row = np.concatenate([r * h_prev, x_t], axis=-1)\n    h_tilde = np.tanh(reset_row @ params["W_h"].T + params["b_h"])',
        "size = h_prev.shape[-1]\n"
        '    from_state = r * (h_prev @ params["W_h"][:, :size].T + params["b_h"])\n'
        '    h_tilde = np.tanh(from_state + x_t @ params["W_h"][:, size:].T)',
        "gru_steps_of_any_size",
        "Your reset gate multiplies after the matmul and its bias, r * (W h_prev + b). That is what torch and cuDNN "
        "do with the bias that they call b_hn. Here the reset comes before the matmul, as in Cho et al. 2014, and the "
        "bias is never reset.",
    ),
    reset_on_the_whole_sum=edit(
        'h_tilde = np.tanh(reset_row @ params["W_h"].T + params["b_h"])',
        'h_tilde = np.tanh(r * (joined_row @ params["W_h"].T) + params["b_h"])',
        "gru_steps_of_any_size",
        "Your reset gate multiplies the whole product, the input's part included. It is there to hide the past "
        "from the candidate, not the present.",
    ),
    reset_on_the_candidate=edit(
        'h_tilde = np.tanh(reset_row @ params["W_h"].T + params["b_h"])',
        'h_tilde = r * np.tanh(joined_row @ params["W_h"].T + params["b_h"])',
        "closed_reset_gate_hides_the_past_from_the_candidate",
        "Your reset gate multiplies the finished candidate. It belongs to the state inside: with r = 0 there still "
        "is a candidate, made from the input alone.",
    ),
    reset_gate_unused=edit(
        "reset_row = np.concatenate([r * h_prev, x_t], axis=-1)\n    h_tilde",
        "reset_row = joined_row\n    h_tilde",
        "closed_reset_gate_hides_the_past_from_the_candidate",
        "Your candidate reads the whole state; the reset gate is computed and not used.",
    ),
    reset_on_the_input=edit(
        "reset_row = np.concatenate([r * h_prev, x_t], axis=-1)\n    h_tilde",
        "reset_row = np.concatenate([r * h_prev, r.mean(axis=-1, keepdims=True) * x_t], axis=-1)\n    h_tilde",
        "closed_reset_gate_hides_the_past_from_the_candidate",
        "Your reset gate scales the input as well. Only the state is reset.",
    ),
    reset_and_update_swapped=edit(
        'z = _sigmoid(joined_row @ params["W_z"].T + params["b_z"])\n    r = _sigmoid(joined_row @ params["W_r"].T + params["b_r"])',
        'r = _sigmoid(joined_row @ params["W_z"].T + params["b_z"])\n    z = _sigmoid(joined_row @ params["W_r"].T + params["b_r"])',
        "low_z_keeps_the_past",
        "Your update gate and reset gate have changed places: z is made from W_z and b_z, r from W_r and b_r.",
    ),
    one_gate_for_both=edit(
        'r = _sigmoid(joined_row @ params["W_r"].T + params["b_r"])\n    reset_row',
        "r = z\n    reset_row",
        "gru_steps_of_any_size",
        "Your candidate sees h_prev through the update gate. It is the reset gate, made from W_r and b_r, that belongs there.",
    ),
    reset_lets_through_what_it_should_hide=edit(
        "reset_row = np.concatenate([r * h_prev, x_t], axis=-1)\n    h_tilde",
        "reset_row = np.concatenate([(1 - r) * h_prev, x_t], axis=-1)\n    h_tilde",
        "closed_reset_gate_hides_the_past_from_the_candidate",
        "Your candidate reads (1 - r) * h_prev. In spite of its name, r = 1 lets the state through, and r = 0 resets.",
    ),
    reset_also_what_is_kept=edit(
        "return gated_update(h_prev, h_tilde, z)",
        "return gated_update(r * h_prev, h_tilde, z)",
        "low_z_keeps_the_past",
        "Your last line keeps a part of r * h_prev. The reset gate only decides what the candidate sees; what is "
        "kept is kept from h_prev.",
    ),
    gru_input_before_state=edit(
        'joined_row = np.concatenate([h_prev, x_t], axis=-1)\n    z = _sigmoid(joined_row @ params["W_z"].T + params["b_z"])\n'
        '    r = _sigmoid(joined_row @ params["W_r"].T + params["b_r"])\n'
        "    reset_row = np.concatenate([r * h_prev, x_t], axis=-1)\n    h_tilde",
        'joined_row = np.concatenate([x_t, h_prev], axis=-1)\n    z = _sigmoid(joined_row @ params["W_z"].T + params["b_z"])\n'
        '    r = _sigmoid(joined_row @ params["W_r"].T + params["b_r"])\n'
        "    reset_row = np.concatenate([x_t, r * h_prev], axis=-1)\n    h_tilde",
        "equal_sizes_of_state_and_input",
        "Your rows are [x_t; h_prev]; the columns of the weights belong to [h_prev; x_t], the state first.",
    ),
    gru_sigmoid_candidate=edit(
        'h_tilde = np.tanh(reset_row @ params["W_h"].T + params["b_h"])',
        'h_tilde = _sigmoid(reset_row @ params["W_h"].T + params["b_h"])',
        "gru_steps_of_any_size",
        "Your candidate goes through a sigmoid, so the state can only become positive. Gates are sigmas, the "
        "candidate is a tanh.",
    ),
    gru_candidate_without_tanh=edit(
        'h_tilde = np.tanh(reset_row @ params["W_h"].T + params["b_h"])',
        'h_tilde = reset_row @ params["W_h"].T + params["b_h"]',
        "gru_steps_of_any_size",
        "Your candidate is the plain sum; its tanh is missing, and nothing keeps the state from growing.",
    ),
    gru_candidate_without_bias=edit(
        'h_tilde = np.tanh(reset_row @ params["W_h"].T + params["b_h"])',
        'h_tilde = np.tanh(reset_row @ params["W_h"].T)',
        "gru_steps_of_any_size",
        "Your candidate leaves out its bias, b_h.",
    ),
    gru_gates_without_bias=edit(
        'z = _sigmoid(joined_row @ params["W_z"].T + params["b_z"])\n    r = _sigmoid(joined_row @ params["W_r"].T + params["b_r"])',
        'z = _sigmoid(joined_row @ params["W_z"].T)\n    r = _sigmoid(joined_row @ params["W_r"].T)',
        "low_z_keeps_the_past",
        "Your gates leave out their biases, b_z and b_r.",
    ),
    gru_forgets_the_past=edit(
        "return gated_update(h_prev, h_tilde, z)",
        "return z * h_tilde",
        "low_z_keeps_the_past",
        "Your new state is z * h_tilde: what was kept of the old one is missing.",
    ),
    gru_adds_to_the_past=edit(
        "return gated_update(h_prev, h_tilde, z)",
        "return h_prev + z * h_tilde",
        "gru_steps_of_any_size",
        "Your new state adds to the whole old one. What comes in takes the place of something: the shares are 1 - z "
        "and z.",
    ),
    gru_returns_its_candidate=edit(
        "return gated_update(h_prev, h_tilde, z)",
        "return h_tilde",
        "low_z_keeps_the_past",
        "Your step returns the candidate; the update gate has not been asked.",
    ),
    gru_tanh_on_the_state=edit(
        "return gated_update(h_prev, h_tilde, z)",
        "return np.tanh(gated_update(h_prev, h_tilde, z))",
        "low_z_keeps_the_past",
        "Your new state goes through a tanh after the mixing, so nothing can be kept as it is. The tanh belongs to "
        "the candidate alone.",
    ),
    gru_state_in_place=edit(
        "return gated_update(h_prev, h_tilde, z)",
        "h_prev[...] = gated_update(h_prev, h_tilde, z)\n    return h_prev",
        "gru_leaves_its_inputs_alone",
        "Your new state is written over the caller's h_prev. Put it into an array of its own.",
    ),
    gru_candidate_input_before_state=edit(
        "reset_row = np.concatenate([r * h_prev, x_t], axis=-1)",
        "reset_row = np.concatenate([x_t, r * h_prev], axis=-1)",
        "gru_takes_a_batch",
        "Your candidate reads the row [x_t; r * h_prev]. The columns of W_h are for the state first and the input "
        "second, as in the gates: [r * h_prev; x_t].",
    ),
    gru_joined_along_the_batch=edit(
        "joined_row = np.concatenate([h_prev, x_t], axis=-1)",
        "joined_row = np.concatenate([h_prev, x_t])",
        "gru_takes_a_batch",
        "Your h_prev and x_t are joined along the batch, which is what `concatenate` does unless it is told an axis. They "
        "belong side by side, in one row.",
    ),
    gru_sigmoid_with_the_sign_turned=edit(
        "joined_row = np.concatenate([h_prev, x_t], axis=-1)\n",
        "joined_row = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return 0.5 * (1.0 - np.tanh(0.5 * a))\n\n",
        "gru_steps_of_any_size",
        "Your gates are one minus what they should be: a large sum shuts them. Look at the sign in the exponent of your sigmoid.",
    ),
    update_gate_reads_the_reset_state=edit(
        "return gated_update(h_prev, h_tilde, z)",
        'z = _sigmoid(reset_row @ params["W_z"].T + params["b_z"])\n    return gated_update(h_prev, h_tilde, z)',
        "gru_steps_of_any_size",
        "Your update gate reads r * h_prev. Both gates read the plain row [h_prev; x_t]; the reset is for the candidate alone.",
    ),
    reset_on_the_sum_and_its_bias=edit(
        'h_tilde = np.tanh(reset_row @ params["W_h"].T + params["b_h"])',
        'h_tilde = np.tanh(r * (joined_row @ params["W_h"].T + params["b_h"]))',
        "gru_steps_of_any_size",
        "Your reset gate multiplies the whole sum, with the input's part and the bias. It is there to hide the past from the "
        "candidate, not the present.",
    ),
    reset_gate_with_W_z=edit(
        'r = _sigmoid(joined_row @ params["W_r"].T + params["b_r"])',
        'r = _sigmoid(joined_row @ params["W_z"].T + params["b_r"])',
        "gru_steps_of_any_size",
        "Your reset gate has the matrix of the update gate, and b_r.",
    ),
    reset_gate_with_b_z=edit(
        'r = _sigmoid(joined_row @ params["W_r"].T + params["b_r"])',
        'r = _sigmoid(joined_row @ params["W_r"].T + params["b_z"])',
        "gru_steps_of_any_size",
        "Your reset gate has W_r, but the bias of the update gate.",
    ),
    gru_sigmoid_twice_as_steep=edit(
        "joined_row = np.concatenate([h_prev, x_t], axis=-1)\n",
        "joined_row = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return 0.5 * (1.0 + np.tanh(a))\n\n",
        "gru_steps_of_any_size",
        "Your sigmoid is made from a tanh and is twice as steep as it should be: what it returns for a is sigma(2a).",
    ),
    gru_sigmoid_of_the_absolute_sum=edit(
        "joined_row = np.concatenate([h_prev, x_t], axis=-1)\n",
        "joined_row = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return 1.0 / (1.0 + np.exp(-np.abs(a)))\n\n",
        "gru_steps_of_any_size",
        "Your sigmoid takes the absolute value of its sum, so no gate is ever below one half. A negative sum has to shut the gate.",
    ),
    reset_gate_mixes=edit(
        "return gated_update(h_prev, h_tilde, z)",
        "return gated_update(h_prev, h_tilde, r)",
        "low_z_keeps_the_past",
        "Your last line mixes with the reset gate. It is z that mixes old and new.",
    ),
)

KEEP = mistakes_of(
    "gru_step_keep",
    keep_z_takes=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        "return (1 - keep) * h_prev + keep * proposal",
        "high_z_keeps_the_past",
        "Your step is that of gru_step, in which z lets the new in (Chung et al. 2014). In this convention z keeps "
        "(Cho et al. 2014, and torch).",
    ),
    keep_hard_sigmoid=edit(
        "both = np.concatenate([h_prev, x_t], axis=-1)\n    keep =",
        "both = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return np.clip(0.2 * a + 0.5, 0, 1)\n\n    keep =",
        "high_z_keeps_the_past",
        "Your sigmoid is a straight line that is cut off at 0 and 1, the hard sigmoid of old versions of Keras. Here it is "
        "1 / (1 + exp(-a)).",
    ),
    keep_reset_after_matmul=edit(
        'after_reset = np.concatenate([reset * h_prev, x_t], axis=-1)\n    proposal = np.tanh(after_reset @ params["W_h"].T + params["b_h"])',
        "size = h_prev.shape[-1]\n"
        '    from_state = reset * (h_prev @ params["W_h"][:, :size].T)\n'
        '    proposal = np.tanh(from_state + x_t @ params["W_h"][:, size:].T + params["b_h"])',
        "keeping_gru_of_any_size",
        "Your step is exactly that of torch.nn.GRUCell (with its b_hn zero): z keeps, which is right here, and the "
        "reset comes after the matmul, r * (W h_prev). Here it comes before, W (r * h_prev), as in Cho et al. 2014.",
    ),
    keep_reset_after_matmul_and_bias=edit(
        'after_reset = np.concatenate([reset * h_prev, x_t], axis=-1)\n    proposal = np.tanh(after_reset @ params["W_h"].T + params["b_h"])',
        "size = h_prev.shape[-1]\n"
        '    from_state = reset * (h_prev @ params["W_h"][:, :size].T + params["b_h"])\n'
        '    proposal = np.tanh(from_state + x_t @ params["W_h"][:, size:].T)',
        "keeping_gru_of_any_size",
        "Your step is exactly that of torch.nn.GRUCell (with its b_in zero): the reset comes after the matmul and "
        "its bias, r * (W h_prev + b). Here it comes before, W (r * h_prev), as in Cho et al. 2014.",
    ),
    keep_reset_on_the_candidate=edit(
        'proposal = np.tanh(after_reset @ params["W_h"].T + params["b_h"])',
        'proposal = reset * np.tanh(both @ params["W_h"].T + params["b_h"])',
        "keeping_gru_of_any_size",
        "Your reset gate multiplies the finished candidate. It belongs to the state inside.",
    ),
    keep_reset_gate_unused=edit(
        "after_reset = np.concatenate([reset * h_prev, x_t], axis=-1)",
        "after_reset = both",
        "keeping_gru_of_any_size",
        "Your candidate reads the whole state; the reset gate is computed and not used.",
    ),
    keep_reset_inverted_too=edit(
        "after_reset = np.concatenate([reset * h_prev, x_t], axis=-1)",
        "after_reset = np.concatenate([(1 - reset) * h_prev, x_t], axis=-1)",
        "keeping_gru_of_any_size",
        "Your reset gate is turned round as well. The two conventions differ in z alone; r = 1 lets the state "
        "through in both.",
    ),
    keep_gates_swapped=edit(
        'keep = _sigmoid(both @ params["W_z"].T + params["b_z"])\n    reset = _sigmoid(both @ params["W_r"].T + params["b_r"])',
        'reset = _sigmoid(both @ params["W_z"].T + params["b_z"])\n    keep = _sigmoid(both @ params["W_r"].T + params["b_r"])',
        "high_z_keeps_the_past",
        "Your update gate and reset gate have changed places: z is made from W_z and b_z, r from W_r and b_r.",
    ),
    keep_input_before_state=edit(
        "both = np.concatenate([h_prev, x_t], axis=-1)",
        "both = np.concatenate([x_t, h_prev], axis=-1)",
        "keeping_gru_of_any_size",
        "Your gates read [x_t; h_prev]; the columns of the weights belong to [h_prev; x_t], the state first.",
    ),
    keep_candidate_whole=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        "return keep * h_prev + proposal",
        "high_z_keeps_the_past",
        "Your new state takes the whole candidate beside what z keeps. Its share is what z leaves, 1 - z.",
    ),
    keep_state_in_place=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        "h_prev *= keep\n    h_prev += (1 - keep) * proposal\n    return h_prev",
        "keeping_gru_leaves_its_inputs_alone",
        "Your new state is written over the caller's h_prev. Put it into an array of its own.",
    ),
    keep_reset_also_what_is_kept=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        "return keep * (reset * h_prev) + (1 - keep) * proposal",
        "keeping_gru_of_any_size",
        "Your reset gate also multiplies the state that is kept. It belongs inside the candidate and nowhere else.",
    ),
    keep_candidate_input_before_state=edit(
        "after_reset = np.concatenate([reset * h_prev, x_t], axis=-1)",
        "after_reset = np.concatenate([x_t, reset * h_prev], axis=-1)",
        "keeping_gru_takes_a_batch",
        "Your candidate reads the row [x_t; r * h_prev]. The columns of W_h are for the state first and the input "
        "second, as in the gates: [r * h_prev; x_t].",
    ),
    keep_sigmoid_with_the_sign_turned=edit(
        "both = np.concatenate([h_prev, x_t], axis=-1)\n",
        "both = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return 0.5 * (1.0 - np.tanh(0.5 * a))\n\n",
        "keeping_gru_of_any_size",
        "Your gates are one minus what they should be: a large sum shuts them. Look at the sign in the exponent of your sigmoid.",
    ),
    keep_update_gate_reads_the_reset_state=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        'keep = _sigmoid(after_reset @ params["W_z"].T + params["b_z"])\n    return keep * h_prev + (1 - keep) * proposal',
        "keeping_gru_of_any_size",
        "Your update gate reads r * h_prev. Both gates read the plain row [h_prev; x_t]; the reset is for the candidate alone.",
    ),
    keep_reset_on_the_sum_and_its_bias=edit(
        'proposal = np.tanh(after_reset @ params["W_h"].T + params["b_h"])',
        'proposal = np.tanh(reset * (both @ params["W_h"].T + params["b_h"]))',
        "keeping_gru_of_any_size",
        "Your reset gate multiplies the whole sum, with the input's part and the bias. It is there to hide the past from the "
        "candidate, not the present.",
    ),
    keep_reset_gate_with_W_z=edit(
        'reset = _sigmoid(both @ params["W_r"].T + params["b_r"])',
        'reset = _sigmoid(both @ params["W_z"].T + params["b_r"])',
        "keeping_gru_of_any_size",
        "Your reset gate has the matrix of the update gate, and b_r.",
    ),
    keep_reset_gate_is_the_update_gate=edit(
        'reset = _sigmoid(both @ params["W_r"].T + params["b_r"])',
        "reset = keep",
        "keeping_gru_of_any_size",
        "Your candidate sees h_prev through the update gate. It is the reset gate, made from W_r and b_r, that belongs there.",
    ),
    keep_sigmoid_twice_as_steep=edit(
        "both = np.concatenate([h_prev, x_t], axis=-1)\n",
        "both = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return 0.5 * (1.0 + np.tanh(a))\n\n",
        "keeping_gru_of_any_size",
        "Your sigmoid is made from a tanh and is twice as steep as it should be: what it returns for a is sigma(2a).",
    ),
    keep_sigmoid_of_the_absolute_sum=edit(
        "both = np.concatenate([h_prev, x_t], axis=-1)\n",
        "both = np.concatenate([h_prev, x_t], axis=-1)\n\n"
        "    def _sigmoid(a: np.ndarray) -> np.ndarray:\n        return 1.0 / (1.0 + np.exp(-np.abs(a)))\n\n",
        "keeping_gru_of_any_size",
        "Your sigmoid takes the absolute value of its sum, so no gate is ever below one half. A negative sum has to shut the gate.",
    ),
    keep_all_params_negated=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        "return gru_step(x_t, h_prev, {name: -value for name, value in params.items()})",
        "keeping_gru_of_any_size",
        "Your function negates all params. That turns r and the candidate round as well; the conventions differ in z alone.",
    ),
    keep_reset_gate_keeps=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        "return reset * h_prev + (1 - reset) * proposal",
        "keeping_gru_of_any_size",
        "Your last line mixes with the reset gate. In both conventions it is z that mixes old and new.",
    ),
    keep_parentheses_missing=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        "return keep * h_prev + 1 - keep * proposal",
        "keeping_gru_of_one_unit",
        "Your 1 - z lacks its parentheses: 1 is added, and z times the candidate taken away. The share of the candidate is (1 - z).",
    ),
    keep_one_minus_the_other_state=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        "return 1 - gru_step(x_t, h_prev, params)",
        "keeping_gru_of_any_size",
        "Your result is one minus that of gru_step. What is turned round is the gate z, not the state.",
    ),
    keep_bias_alone_negated=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        'return gru_step(x_t, h_prev, params | {"b_z": -params["b_z"]})',
        "keeping_gru_of_any_size",
        "Your function turns the sign of b_z alone. z turns into 1 - z when the sign of the whole sum inside the sigmoid turns.",
    ),
    keep_weights_alone_negated=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        'return gru_step(x_t, h_prev, params | {"W_z": -params["W_z"]})',
        "keeping_gru_of_any_size",
        "Your function turns the sign of W_z alone. z turns into 1 - z when the sign of the whole sum inside the sigmoid turns.",
    ),
    keep_candidate_without_bias=edit(
        'proposal = np.tanh(after_reset @ params["W_h"].T + params["b_h"])',
        'proposal = np.tanh(after_reset @ params["W_h"].T)',
        "keeping_gru_of_any_size",
        "Your candidate leaves out its bias, b_h.",
    ),
    keep_sigmoid_candidate=edit(
        'proposal = np.tanh(after_reset @ params["W_h"].T + params["b_h"])',
        'proposal = _sigmoid(after_reset @ params["W_h"].T + params["b_h"])',
        "keeping_gru_of_any_size",
        "Your candidate goes through a sigmoid, so the state can only become positive. Gates are sigmas, the candidate is a tanh.",
    ),
    keep_reset_on_the_whole_sum=edit(
        'proposal = np.tanh(after_reset @ params["W_h"].T + params["b_h"])',
        'proposal = np.tanh(reset * (both @ params["W_h"].T) + params["b_h"])',
        "keeping_gru_of_any_size",
        "Your reset gate multiplies the whole product, the input's part included. It is there to hide the past from the "
        "candidate, not the present.",
    ),
    keep_rows_input_before_state=edit(
        "both = np.concatenate([h_prev, x_t], axis=-1)\n"
        '    keep = _sigmoid(both @ params["W_z"].T + params["b_z"])\n'
        '    reset = _sigmoid(both @ params["W_r"].T + params["b_r"])\n'
        "    after_reset = np.concatenate([reset * h_prev, x_t], axis=-1)",
        "both = np.concatenate([x_t, h_prev], axis=-1)\n"
        '    keep = _sigmoid(both @ params["W_z"].T + params["b_z"])\n'
        '    reset = _sigmoid(both @ params["W_r"].T + params["b_r"])\n'
        "    after_reset = np.concatenate([x_t, reset * h_prev], axis=-1)",
        "keeping_gru_of_any_size",
        "Your rows are [x_t; h_prev] and [x_t; r * h_prev]; the columns of the weights belong to the state first.",
    ),
    keep_params_turned_in_place=edit(
        "return keep * h_prev + (1 - keep) * proposal",
        'params["W_z"] *= -1\n    params["b_z"] *= -1\n    return gru_step(x_t, h_prev, params)',
        "keeping_gru_leaves_its_inputs_alone",
        "Your function turns the caller's params round. The state is right, but the params now belong to the other convention.",
    ),
    update_gate_with_the_reset_gates_weights=edit(
        'keep = _sigmoid(both @ params["W_z"].T + params["b_z"])',
        'keep = _sigmoid(both @ params["W_r"].T + params["b_z"])',
        "keeping_gru_of_any_size",
        "Your update gate is made with W_r, the weights of the reset gate. It has its own: W_z and b_z.",
    ),
)

CONVERT = mistakes_of(
    "convert_gru",
    bias_not_converted=edit(
        'converted["b_z"] = -params["b_z"]',
        "pass",
        "conversions_of_any_size",
        "Your conversion turns W_z round and leaves b_z. The a in sigma(-a) is the whole sum, with its bias.",
    ),
    weights_not_converted=edit(
        'converted["W_z"] = -params["W_z"]',
        "pass",
        "conversions_of_any_size",
        "Your conversion turns b_z round and leaves W_z. The a in sigma(-a) is the whole sum.",
    ),
    nothing_converted=edit(
        'converted["W_z"] = -params["W_z"]\n    converted["b_z"] = -params["b_z"]\n',
        "pass\n",
        "conversions_of_any_size",
        "Your conversion returns the params as they are. With them the two conventions do opposite things.",
    ),
    everything_negated=edit(
        'converted = dict(params)\n    converted["W_z"]',
        'converted = {name: -value for name, value in params.items()}\n    converted["W_z"]',
        "conversions_of_any_size",
        "Your conversion turns all the params round. Only z means something else in the other convention; r and the "
        "candidate stay.",
    ),
    both_gates_negated=edit(
        'converted = dict(params)\n    converted["W_z"]',
        'converted = params | {"W_r": -params["W_r"], "b_r": -params["b_r"]}\n    converted["W_z"]',
        "conversions_of_any_size",
        "Your conversion turns the reset gate round as well. It means the same in both conventions.",
    ),
    candidate_negated=edit(
        'converted["W_z"] = -params["W_z"]\n    converted["b_z"] = -params["b_z"]',
        'converted["W_h"] = -params["W_h"]\n    converted["b_h"] = -params["b_h"]',
        "conversions_of_any_size",
        "Your conversion turns the candidate round. It is the same in both conventions; what changes is who gets "
        "the share z.",
    ),
    one_minus_the_weights=edit(
        'converted["W_z"] = -params["W_z"]\n    converted["b_z"] = -params["b_z"]',
        'converted["W_z"] = 1 - params["W_z"]\n    converted["b_z"] = 1 - params["b_z"]',
        "conversions_of_any_size",
        "Your conversion takes one minus the params. It is the gate that should become 1 - z; what does the sum "
        "inside the sigma have to become?",
    ),
    gates_exchanged=edit(
        'converted["W_z"] = -params["W_z"]\n    converted["b_z"] = -params["b_z"]',
        'converted["W_z"], converted["W_r"] = params["W_r"], params["W_z"]\n'
        '    converted["b_z"], converted["b_r"] = params["b_r"], params["b_z"]',
        "conversions_of_any_size",
        "Your conversion exchanges the two gates. r stays r in the other convention; z turns round.",
    ),
    only_the_state_columns_negated=edit(
        'converted["W_z"] = -params["W_z"]',
        'size = len(params["b_z"])\n'
        '    converted["W_z"] = np.concatenate([-params["W_z"][:, :size], params["W_z"][:, size:]], axis=1)',
        "conversions_of_any_size",
        "Your conversion turns the columns of the state round and leaves those of the input. The whole sum changes "
        "its sign.",
    ),
    only_gate_params_returned=edit(
        "return converted",
        'return {name: converted[name] for name in ("W_z", "b_z")}',
        "conversions_of_any_size",
        "Your conversion returns the update gate's params alone. The other convention needs all six to run.",
    ),
    converted_in_place=edit(
        'converted = dict(params)\n    converted["W_z"]',
        'converted = params\n    converted["W_z"]',
        "converting_leaves_the_params_alone",
        "Your conversion changes the caller's dict: giving it a second name does not copy it. Now no dict has the "
        "params of the first convention.",
        "arrays_converted_in_place",
    ),
    arrays_converted_in_place=edit(
        'converted["W_z"] = -params["W_z"]\n    converted["b_z"] = -params["b_z"]',
        'converted["W_z"] *= -1\n    converted["b_z"] *= -1',
        "converting_leaves_the_params_alone",
        "Your dict is a new one, but it holds the caller's arrays, and `*=` changes those.",
        "converted_in_place",
    ),
    bias_is_one_minus_itself=edit(
        'converted["b_z"] = -params["b_z"]',
        'converted["b_z"] = 1 - params["b_z"]',
        "conversions_of_any_size",
        "Your bias is 1 - b_z. It is z that turns into 1 - z; inside the sigmoid only the sign turns.",
    ),
    reset_gate_negated_alone=edit(
        'converted["W_z"] = -params["W_z"]\n    converted["b_z"] = -params["b_z"]',
        'converted["W_r"] = -params["W_r"]\n    converted["b_r"] = -params["b_r"]',
        "conversions_of_any_size",
        "Your conversion turns the reset gate round. It means the same in both conventions; the gate that differs is z.",
    ),
)

GRU_BACKWARD = mistakes_of(
    "gru_step_backward",
    dx_lacks_the_update_gate=edit(
        "dx = dreset_row[:, size:] + dgates_row[:, size:]",
        "dx = dreset_row[:, size:] + (da_r @ W_r)[:, size:]",
        "gru_backward_by_hand",
        "Your dx lacks what comes through the update gate. x_t is read three times: by the candidate and by both gates.",
    ),
    kept_path_lost=edit(
        "dh_prev = kept + dreset_h * r + dgates_row[:, :size]",
        "dh_prev = dreset_h * r + dgates_row[:, :size]",
        "gru_states_get_their_gradient",
        "Your dh_prev leaves out the last line's own path, dh * (1 - z). It is the one that passes through no "
        "matrix, and along which gradients travel far.",
    ),
    kept_path_times_z=edit(
        "kept = dh * (1 - z)",
        "kept = dh * z",
        "gru_states_get_their_gradient",
        "Your dh_prev is kept in the share z. In gru_step the past was kept in the share 1 - z.",
    ),
    kept_path_whole=edit(
        "kept = dh * (1 - z)",
        "kept = dh",
        "gru_states_get_their_gradient",
        "Your dh comes back to h_prev whole. Only the share 1 - z of it was kept.",
    ),
    reset_path_lost=edit(
        "dh_prev = kept + dreset_h * r + dgates_row[:, :size]",
        "dh_prev = kept + dgates_row[:, :size]",
        "gru_states_get_their_gradient",
        "Your dh_prev leaves out the path through the candidate, which read r * h_prev.",
    ),
    reset_path_without_r=edit(
        "dh_prev = kept + dreset_h * r + dgates_row[:, :size]",
        "dh_prev = kept + dreset_h + dgates_row[:, :size]",
        "gru_states_get_their_gradient",
        "Your path through the candidate leaves out the reset gate: W_h gives the gradient of r * h_prev, and there "
        "is one more factor to go back to h_prev.",
    ),
    gates_path_lost=edit(
        "dh_prev = kept + dreset_h * r + dgates_row[:, :size]",
        "dh_prev = kept + dreset_h * r",
        "gru_states_get_their_gradient",
        "Your dh_prev leaves out the two gates, which read h_prev, too.",
    ),
    update_gate_left_out_of_the_row=edit(
        "dgates_row = da_z @ W_z + da_r @ W_r",
        "dgates_row = da_r @ W_r",
        "gru_states_get_their_gradient",
        "Your dx and dh_prev leave out what comes through the update gate. It also read the row.",
    ),
    reset_gate_left_out_of_the_row=edit(
        "dgates_row = da_z @ W_z + da_r @ W_r",
        "dgates_row = da_z @ W_z",
        "gru_states_get_their_gradient",
        "Your dx and dh_prev leave out what comes through the reset gate. It also read the row.",
    ),
    dx_from_the_candidate_alone=edit(
        "dx = dreset_row[:, size:] + dgates_row[:, size:]",
        "dx = dreset_row[:, size:]",
        "gru_inputs_get_their_gradient",
        "Your dx comes through the candidate alone. Both gates read x_t as well; three terms add up.",
    ),
    dx_from_the_gates_alone=edit(
        "dx = dreset_row[:, size:] + dgates_row[:, size:]",
        "dx = dgates_row[:, size:]",
        "gru_inputs_get_their_gradient",
        "Your dx comes through the gates alone. The candidate read x_t as well; three terms add up.",
    ),
    row_gradients_overwritten=edit(
        "dh_prev = kept + dreset_h * r + dgates_row[:, :size]\n    dx = dreset_row[:, size:] + dgates_row[:, size:]",
        "dh_prev = dgates_row[:, :size]\n    dx = dgates_row[:, size:]",
        "gru_states_get_their_gradient",
        "Your `=` overwrites what was there: the last term alone is left of dx and dh_prev. All paths add up.",
    ),
    dz_sign=edit(
        "dz = dh * (h_tilde - h_before)",
        "dz = dh * (h_before - h_tilde)",
        "update_weights",
        "Your dz has the wrong sign: raising z moves the state from h_prev towards h_tilde. (In the other "
        "convention, that of gru_step_keep, yours would be right.)",
    ),
    dz_without_the_past=edit(
        "dz = dh * (h_tilde - h_before)",
        "dz = dh * h_tilde",
        "update_weights",
        "Your dz sees only what z lets in. z stands in both terms of the last line: it also decides how much is kept.",
    ),
    candidate_times_one_minus_z=edit(
        "dh_tilde = dh * z",
        "dh_tilde = dh * (1 - z)",
        "gru_candidate_weights",
        "Your candidate's gradient has the factor 1 - z, which is the past's. The candidate came in with the share z.",
    ),
    gradient_of_the_other_convention=edit(
        "dz = dh * (h_tilde - h_before)\n    dh_tilde = dh * z",
        "dz = dh * (h_before - h_tilde)\n    dh_tilde = dh * (1 - z)\n    dh = dh * z / (1 - z)",
        "update_weights",
        "Your gradients are those of gru_step_keep, in which z keeps the past. They are asked for gru_step.",
    ),
    candidate_whole=edit(
        "dh_tilde = dh * z",
        "dh_tilde = dh",
        "gru_candidate_weights",
        "Your candidate's gradient is dh as a whole. Only the share z of the candidate was let in.",
    ),
    gru_candidate_tanh_not_derived=edit(
        "da_h = dh_tilde * (1 - h_tilde**2)",
        "da_h = dh_tilde",
        "gru_candidate_weights",
        "Your candidate's gradient leaves out the derivative of its tanh.",
    ),
    gru_candidate_tanh_taken_twice=edit(
        "da_h = dh_tilde * (1 - h_tilde**2)",
        "da_h = dh_tilde * (1 - np.tanh(h_tilde) ** 2)",
        "gru_candidate_weights",
        "Your derivative takes the tanh of h_tilde, which already is a tanh. 1 - t^2 wants t itself.",
    ),
    dr_uses_the_candidate=edit(
        "dr = dreset_h * h_before",
        "dr = dreset_h * h_tilde",
        "reset_weights",
        "Your dr is multiplied by the candidate. What r multiplied in the forward pass was h_prev.",
    ),
    dr_uses_r=edit(
        "dr = dreset_h * h_before",
        "dr = dreset_h * r",
        "reset_weights",
        "Your dr is multiplied by r itself. In a product each factor gets the other one, which is h_prev.",
    ),
    dr_from_dh=edit(
        "dr = dreset_h * h_before",
        "dr = da_h * h_before",
        "reset_weights",
        "Your dr does not go back through W_h. r stands before the matmul, so its gradient comes from behind it.",
    ),
    backward_of_reset_after_matmul=edit(
        "dreset_h = dreset_row[:, :size]\n    dr = dreset_h * h_before",
        "dr = da_h * (h_before @ W_h[:, :size].T)\n    dreset_h = (da_h * r) @ W_h[:, :size] / r",
        "reset_weights",
        "Your gradients belong to a reset after the matmul, r * (W h_prev), the convention of torch and cuDNN. In "
        "gru_step the reset comes before the matmul, W (r * h_prev).",
    ),
    dr_from_all_that_reached_h=edit(
        "dr = dreset_h * h_before",
        "dr = (dh * (1 - z) + dreset_h * r) * h_before",
        "gru_backward_by_hand",
        "Your dr is taken from all that has come to dh_prev so far. r stands in one of these ways only, the product r * h_prev "
        "that W_h reads.",
    ),
    update_sigma_not_derived=edit(
        "da_z = dz * z * (1 - z)",
        "da_z = dz",
        "update_weights",
        "Your update gate's gradient leaves out the derivative of its sigma, z (1 - z).",
    ),
    reset_sigma_not_derived=edit(
        "da_r = dr * r * (1 - r)",
        "da_r = dr",
        "reset_weights",
        "Your reset gate's gradient leaves out the derivative of its sigma, r (1 - r).",
    ),
    gate_sigmas_not_derived=edit(
        "da_z = dz * z * (1 - z)\n    da_r = dr * r * (1 - r)",
        "da_z = dz\n    da_r = dr",
        "update_weights",
        "Your gates' gradients leave out the derivative of sigma, for z and for r.",
    ),
    gru_gates_for_their_derivatives=edit(
        "da_z = dz * z * (1 - z)\n    da_r = dr * r * (1 - r)",
        "da_z = dz * z\n    da_r = dr * r",
        "update_weights",
        "Your gates' gradients are multiplied by the gate s itself. The derivative of sigma has a second factor: s (1 - s).",
    ),
    one_minus_the_gru_gates_alone=edit(
        "da_z = dz * z * (1 - z)\n    da_r = dr * r * (1 - r)",
        "da_z = dz * (1 - z)\n    da_r = dr * (1 - r)",
        "update_weights",
        "Your gates' gradients are multiplied by 1 - s alone. The derivative of sigma is s (1 - s): the gate s itself is missing.",
    ),
    gates_taken_for_tanh=edit(
        "da_z = dz * z * (1 - z)\n    da_r = dr * r * (1 - r)",
        "da_z = dz * (1 - z**2)\n    da_r = dr * (1 - r**2)",
        "update_weights",
        "Your gates' gradients use the derivative of tanh. They are sigmas; only the candidate is a tanh.",
    ),
    W_h_gradient_without_reset=edit(
        "reset_row = np.concatenate([r * h_before, x_now], axis=-1)",
        "reset_row = gates_row",
        "gru_candidate_weights",
        "Your dW_h is made with h_prev. What W_h multiplied was r * h_prev.",
    ),
    gate_gradients_with_reset=edit(
        '"z": (da_z, gates_row), "r": (da_r, gates_row)',
        '"z": (da_z, reset_row), "r": (da_r, reset_row)',
        "update_weights",
        "Your dW_z and dW_r are made with r * h_prev. The gates read h_prev as it was; only W_h met the reset one.",
    ),
    gru_row_in_wrong_order=edit(
        "gates_row = np.concatenate([h_before, x_now], axis=-1)\n    reset_row = np.concatenate([r * h_before, x_now], axis=-1)",
        "gates_row = np.concatenate([x_now, h_before], axis=-1)\n    reset_row = np.concatenate([x_now, r * h_before], axis=-1)",
        "update_weights",
        "Your weights' gradients have the columns of the input first. The weights multiplied [h_prev; x_t].",
    ),
    gru_biases_not_summed=edit(
        'biases = {f"b_{name}": da.sum(axis=0)',
        'biases = {f"b_{name}": da',
        "update_bias",
        "Your biases' gradients still have a row for each sequence. All rows share the bias, so theirs add up.",
    ),
    gru_biases_averaged=edit(
        'biases = {f"b_{name}": da.sum(axis=0)',
        'biases = {f"b_{name}": da.mean(axis=0)',
        "update_bias",
        "Your biases' gradients are means over the batch. If the loss is a mean, dh knows that already.",
    ),
    gru_weights_averaged=edit(
        'weights = {f"W_{name}": da.T @ row for',
        'weights = {f"W_{name}": da.T @ row / len(row) for',
        "update_weights",
        "Your weights' gradients are divided by the batch size. If the loss is a mean, dh knows that already.",
    ),
    gru_weight_gradients_transposed=edit(
        'weights = {f"W_{name}": da.T @ row for',
        'weights = {f"W_{name}": row.T @ da for',
        "update_weights",
        "Your weights' gradients are (in, out). A gradient has the shape of what it belongs to, (out, in) here.",
    ),
    gru_gradient_order=edit(
        "return dx, dh_prev, weights | biases",
        "return dh_prev, dx, weights | biases",
        "gru_inputs_get_their_gradient",
        "Your dx and dh_prev have changed places. The order is dx, dh_prev, grads.",
    ),
    gru_dh_in_place=edit(
        "kept = dh * (1 - z)",
        "dh *= 1 - z\n    kept = dh",
        "gru_backward_leaves_the_cache_alone",
        "Your `*=` changes the caller's dh. The first result is right; the next use of dh is not.",
    ),
    gru_weights_of_the_last_row=edit(
        'weights = {f"W_{name}": da.T @ row for name, (da, row) in read.items()}\n'
        '    biases = {f"b_{name}": da.sum(axis=0) for name, (da, _) in read.items()}',
        'weights = {f"W_{name}": da[-1:].T @ row[-1:] for name, (da, row) in read.items()}\n'
        '    biases = {f"b_{name}": da[-1] for name, (da, _) in read.items()}',
        "update_weights",
        "Your params' gradients are those of the last row alone: each row overwrites the one before it. All "
        "rows share the params, so their gradients add up.",
    ),
    gru_all_gradients_averaged=edit(
        'weights = {f"W_{name}": da.T @ row for name, (da, row) in read.items()}\n'
        '    biases = {f"b_{name}": da.sum(axis=0) for name, (da, _) in read.items()}',
        'weights = {f"W_{name}": da.T @ row / len(row) for name, (da, row) in read.items()}\n'
        '    biases = {f"b_{name}": da.mean(axis=0) for name, (da, _) in read.items()}',
        "update_weights",
        "Your gradients of weights and biases are divided by the batch size. If the loss is a mean, dh knows "
        "that already; here rows add up.",
    ),
    gru_slope_squared_as_a_whole=edit(
        "da_h = dh_tilde * (1 - h_tilde**2)",
        "da_h = dh_tilde * (1 - h_tilde) ** 2",
        "gru_backward_by_hand",
        "Your square is that of 1 - h_tilde. The derivative of its tanh is 1 - h_tilde^2, so the square belongs to h_tilde alone.",
    ),
    gru_weights_by_reshape=edit(
        'weights = {f"W_{name}": da.T @ row for name, (da, row) in read.items()}',
        'weights = {f"W_{name}": da.reshape(da.shape[::-1]) @ row for name, (da, row) in read.items()}',
        "gru_backward_takes_a_batch",
        "Your rows become columns by `reshape`, which keeps the numbers in their order and mixes the rows of the batch. To "
        "turn rows into columns is to transpose.",
    ),
    dr_through_the_reset_gate=edit(
        "dr = dreset_h * h_before",
        "dr = dreset_h * r * h_before",
        "reset_weights",
        "Your dr is multiplied by r. In r * h_prev each factor gets the other one: dr gets h_prev alone.",
    ),
    W_r_gradient_with_reset=edit(
        '"r": (da_r, gates_row)',
        '"r": (da_r, reset_row)',
        "reset_weights",
        "Your dW_r uses [r * h_prev; x_t]. The gates read the plain row [h_prev; x_t].",
    ),
    gate_matrices_exchanged=edit(
        "dgates_row = da_z @ W_z + da_r @ W_r",
        "dgates_row = da_z @ W_r + da_r @ W_z",
        "gru_backward_by_hand",
        "Your two gates go back through each other's matrix: da_z belongs to W_z, da_r to W_r.",
    ),
    dh_scaled_before_all=edit(
        "dz = dh * (h_tilde - h_before)\n    dh_tilde = dh * z",
        "dh = dh * z\n    dz = dh * (h_tilde - h_before)\n    dh_tilde = dh",
        "gru_backward_by_hand",
        "Your dh is scaled by z for the candidate and then read again for z and for h_prev. Those get dh as it came in.",
    ),
    gru_dh_scaled_in_place=edit(
        "dz = dh * (h_tilde - h_before)\n    dh_tilde = dh * z",
        "dz = dh * (h_tilde - h_before)\n    dh *= z\n    dh_tilde = dh",
        "gru_backward_by_hand",
        "Your `*=` changes dh, the caller's array, and what is kept is then made from the changed one.",
    ),
    gru_biases_keep_the_batch_axis=edit(
        "da.sum(axis=0) for name, (da, _)",
        "da.sum(axis=0, keepdims=True) for name, (da, _)",
        "gru_backward_by_hand",
        "Your biases' gradients keep an axis of length one. A gradient has the shape of what it belongs to, (hidden,).",
    ),
    dz_without_the_candidate=edit(
        "dz = dh * (h_tilde - h_before)",
        "dz = -dh * h_before",
        "update_weights",
        "Your dz sees only what z takes away. z stands in both terms of the last line: it also decides how much of the "
        "candidate comes in.",
    ),
    gru_tanh_slope_without_the_square=edit(
        "da_h = dh_tilde * (1 - h_tilde**2)",
        "da_h = dh_tilde * (1 - h_tilde)",
        "gru_candidate_weights",
        "Your derivative of tanh is 1 - h_tilde; the square of h_tilde is missing.",
    ),
    reset_row_before_the_slope=edit(
        "dreset_row = da_h @ W_h",
        "dreset_row = dh_tilde @ W_h",
        "gru_inputs_get_their_gradient",
        "Your way back through W_h starts from the candidate's gradient, before the derivative of the tanh. The matrix stands "
        "inside the tanh.",
    ),
    dr_without_the_state=edit(
        "dr = dreset_h * h_before",
        "dr = dreset_h",
        "reset_weights",
        "Your dr leaves out the factor h_prev. In r * h_prev each factor gets the other one.",
    ),
    gru_sigmoid_prime_at_the_gate=edit(
        "da_z = dz * z * (1 - z)\n    da_r = dr * r * (1 - r)",
        "z_s, r_s = _sigmoid(z), _sigmoid(r)\n    da_z = dz * z_s * (1 - z_s)\n    da_r = dr * r_s * (1 - r_s)",
        "update_weights",
        "Your derivative of sigma is taken at the gate's value. The cache holds what comes out of sigma: it is s in "
        "s (1 - s) already.",
    ),
    dx_without_the_reset_gate=edit(
        "dx = dreset_row[:, size:] + dgates_row[:, size:]",
        "dx = dreset_row[:, size:] + (da_z @ W_z)[:, size:]",
        "gru_inputs_get_their_gradient",
        "Your dx lacks what comes through the reset gate. x_t is read three times: by the candidate and by both gates.",
    ),
    dh_prev_without_the_reset_gate=edit(
        "dh_prev = kept + dreset_h * r + dgates_row[:, :size]",
        "dh_prev = kept + dreset_h * r + (da_z @ W_z)[:, :size]",
        "gru_states_get_their_gradient",
        "Your dh_prev lacks what comes through the reset gate's own weights. Both gates read h_prev.",
    ),
    kept_share_taken_first=edit(
        "    dz = dh * (h_tilde - h_before)\n    dh_tilde = dh * z\n",
        "    dh *= 1 - z\n    dz = dh * (h_tilde - h_before)\n    dh_tilde = dh * z\n    dh = dh / (1 - z)\n",
        "gru_states_get_their_gradient",
        "Your dz and dh_tilde are made from what is left of dh after it was multiplied by 1 - z: `*=` writes into dh itself, and the "
        "caller's dh changes, too. All three come from dh as it was given.",
    ),
)

STACKED = mistakes_of(
    "stacked_forward",
    every_layer_reads_the_input=edit(
        "out = _rnn(out, layer)",
        "out = _rnn(x, layer)",
        "layers_of_equal_size_are_not_mixed_up",
        "All your layers read x. From the second on, a layer reads the states of the one below it.",
    ),
    bottom_layer_returned=edit(
        "return out\n    # END SOLUTION\n\n\ndef bidirectional",
        "return _rnn(x, layers[0])\n    # END SOLUTION\n\n\ndef bidirectional",
        "layers_of_equal_size_are_not_mixed_up",
        "Your function returns the states of the bottom layer. Those of the top layer are asked for.",
    ),
    last_step_of_the_top=edit(
        "return out\n    # END SOLUTION\n\n\ndef bidirectional",
        "return out[:, -1]\n    # END SOLUTION\n\n\ndef bidirectional",
        "stacks_of_any_height",
        "Your function returns the last state of the top layer. All of its states are asked for.",
    ),
    all_layers_returned=edit(
        "out = x\n    for layer in layers:\n        out = _rnn(out, layer)\n    return out\n",
        "out, every = x, []\n    for layer in layers:\n        out = _rnn(out, layer)\n        every.append(out)\n"
        "    return np.concatenate(every, axis=-1)\n",
        "stacks_of_any_height",
        "Your function returns the states of all layers side by side. Those of the top layer are asked for.",
    ),
    layers_from_top_to_bottom=edit(
        "for layer in layers:",
        "for layer in layers[::-1]:",
        "layers_of_equal_size_are_not_mixed_up",
        "Your stack is built from the last layer to the first. The list begins at the bottom.",
    ),
    layers_added_to_what_they_read=edit(
        "out = _rnn(out, layer)",
        "states = _rnn(out, layer)\n        out = states + out if layer is not layers[0] and states.shape == out.shape else states",
        "layers_of_equal_size_are_not_mixed_up",
        "Your layers above the first add what they read to their states where both have one size. That is a residual connection; "
        "here the next layer reads the states alone.",
    ),
    one_layer_repeated=edit(
        "out = _rnn(out, layer)",
        "out = _rnn(out, layers[0])",
        "layers_of_equal_size_are_not_mixed_up",
        "Your layers all use the weights of the first. Each has its own.",
    ),
    layers_start_from_zero=edit(
        "out = _rnn(out, layer)",
        'out = _rnn(out, layer | {"h0": 0 * layer["h0"]})',
        "stacks_of_any_height",
        "Your layers start from zeros. Each brings along a starting state of its own, h0.",
    ),
    tanh_between_the_layers=edit(
        "out = _rnn(out, layer)",
        "out = _rnn(out if out is x else np.tanh(out), layer)",
        "layers_of_equal_size_are_not_mixed_up",
        "Your upper layers read the tanh of the states below them. A state has gone through its tanh already; a layer reads it "
        "as it is.",
    ),
    upper_layers_start_from_zero=edit(
        "out = _rnn(out, layer)",
        'out = _rnn(out, layer if out is x else layer | {"h0": 0 * layer["h0"]})',
        "layers_of_equal_size_are_not_mixed_up",
        "Your bottom layer starts from its h0, and the layers above it from zeros. Each has its own h0.",
    ),
    state_handed_up=edit(
        "out = _rnn(out, layer)",
        'out = _rnn(out, layer if out is x else layer | {"h0": out[:, -1]})',
        "two_layers",
        "Your layers start from the last state of the layer below. Each starts from its own h0, and reads the layer "
        "below step by step.",
    ),
    all_layers_share_the_first_h0=edit(
        "out = _rnn(out, layer)",
        'same = layer["h0"].shape == layers[0]["h0"].shape\n'
        '        out = _rnn(out, layer | {"h0": layers[0]["h0"]} if same else layer)',
        "layers_of_equal_size_are_not_mixed_up",
        "Your layers all start from the bottom layer's h0. Each brings along its own.",
    ),
    residual_between_layers=edit(
        "out = _rnn(out, layer)",
        "new = _rnn(out, layer)\n        out = out + new if out.shape == new.shape else new",
        "layers_of_equal_size_are_not_mixed_up",
        "Your layers add their input to their output. Residual connections come with much deeper networks; here a "
        "layer passes on its states as they are.",
    ),
    stack_time_first=edit(
        "return out\n    # END SOLUTION\n\n\ndef bidirectional",
        "return out.swapaxes(0, 1)\n    # END SOLUTION\n\n\ndef bidirectional",
        "stacks_of_any_height",
        "Your states come as (time, batch, hidden). Here the batch comes first.",
    ),
    stack_overwrites_its_input=edit(
        "out = _rnn(out, layer)",
        "new = _rnn(out, layer)\n        if new.shape == x.shape:\n            x[...] = new\n        out = new",
        "stacking_leaves_its_inputs_alone",
        "Your layers write their states over the caller's x. Put them into an array of their own.",
    ),
    every_layer_as_wide_as_the_first=edit(
        "out = _rnn(out, layer)",
        'new = _rnn(out, layer)\n        out = np.zeros((*new.shape[:2], len(layers[0]["W_h"])))\n        out[...] = new',
        "layers_may_differ_in_size",
        "Your states of every layer go into arrays with the size of the first layer. Each layer has its own size, that of its h0.",
    ),
    every_layer_as_wide_as_the_top=edit(
        "out = _rnn(out, layer)",
        'new = _rnn(out, layer)\n        out = np.zeros((*new.shape[:2], len(layers[-1]["W_h"])))\n        out[...] = new',
        "layers_may_differ_in_size",
        "Your layers all write into an array as wide as the top layer. Each layer has as many units as its own W_h has rows.",
    ),
    states_reshaped_on_the_way_up=edit(
        "out = _rnn(out, layer)",
        "new = _rnn(out, layer)\n        out = new.swapaxes(0, 1).reshape(new.shape)",
        "one_layer",
        "Your states were collected time first and brought to (batch, time, hidden) by `reshape`, which leaves the numbers in "
        "their order, so the sequences are mixed. Two axes that change places need a transpose.",
    ),
    upper_layers_keep_the_first_W_h=edit(
        "out = _rnn(out, layer)",
        'same = layer["W_h"].shape == layers[0]["W_h"].shape\n'
        '        out = _rnn(out, layer | {"W_h": layers[0]["W_h"]} if same else layer)',
        "two_layers",
        "Your layers all use the W_h of the bottom one. Each brings along its own.",
    ),
    layers_lag_one_step=edit(
        "for layer in layers:\n        out = _rnn(out, layer)",
        "for k, layer in enumerate(layers):\n"
        '        lag = np.concatenate([layers[k - 1]["h0"][:, None], out[:, :-1]], axis=1) if k else out\n'
        "        out = _rnn(lag, layer)",
        "two_layers",
        "Your upper layers read the layer below as it was one step before. Step t reads the state below of step t.",
    ),
    last_state_of_the_layer_below_repeated=edit(
        "for layer in layers:\n        out = _rnn(out, layer)",
        "for k, layer in enumerate(layers):\n"
        "        out = _rnn(out if k == 0 else np.repeat(out[:, -1:], x.shape[1], axis=1), layer)",
        "two_layers",
        "Your upper layers read the last state of the layer below at every step. Step t reads the state below of step t.",
    ),
    top_layer_left_out=edit(
        "for layer in layers:\n        out = _rnn(out, layer)",
        "for layer in layers[:-1]:\n        out = _rnn(out, layer)",
        "two_layers",
        "Your top layer is never run: what is returned is what it should read.",
    ),
    tanh_at_the_top_alone=edit(
        "for layer in layers:\n        out = _rnn(out, layer)",
        "for layer in layers[:-1]:\n"
        '        state, sums = layer["h0"], []\n'
        "        for t in range(x.shape[1]):\n"
        '            state = state @ layer["W_h"].T + out[:, t] @ layer["W_x"].T + layer["b"]\n'
        "            sums.append(state)\n"
        "        out = np.stack(sums, axis=1)\n"
        "    out = _rnn(out, layers[-1])",
        "two_layers",
        "Your lower layers have no tanh. Each layer is a whole recurrent layer, and the tanh is part of its step.",
    ),
    tanh_missing=edit(
        "for layer in layers:\n        out = _rnn(out, layer)",
        "for layer in layers:\n"
        '        state, sums = layer["h0"], []\n'
        "        for t in range(x.shape[1]):\n"
        '            state = state @ layer["W_h"].T + out[:, t] @ layer["W_x"].T + layer["b"]\n'
        "            sums.append(state)\n"
        "        out = np.stack(sums, axis=1)",
        "two_layers",
        "Your layers have no tanh. Without it a stack of layers can do no more than a single linear one.",
    ),
    layers_without_bias=edit(
        "out = _rnn(out, layer)",
        'out = _rnn(out, layer | {"b": 0 * layer["b"]})',
        "two_layers",
        "Your layers leave out their bias b.",
    ),
    every_step_starts_from_h0=edit(
        "out = _rnn(out, layer)",
        'out = np.tanh((layer["h0"] @ layer["W_h"].T)[:, None] + out @ layer["W_x"].T + layer["b"])',
        "one_layer",
        "All your steps start from h0, as if each were the first. Then no layer remembers anything.",
    ),
    W_h_not_transposed=edit(
        "out = _rnn(out, layer)",
        'out = _rnn(out, layer | {"W_h": layer["W_h"].T})',
        "one_layer",
        "Your state is multiplied by W_h as it lies. W_h h for one column is h @ W_h.T for rows; as W_h is square, no shape "
        "warns you.",
    ),
    no_tanh_at_the_top=edit(
        "for layer in layers:\n        out = _rnn(out, layer)",
        "for layer in layers[:-1]:\n        out = _rnn(out, layer)\n"
        '    top, state, sums = layers[-1], layers[-1]["h0"], []\n'
        "    for t in range(x.shape[1]):\n"
        '        state = state @ top["W_h"].T + out[:, t] @ top["W_x"].T + top["b"]\n'
        "        sums.append(state)\n"
        "    out = np.stack(sums, axis=1)",
        "two_layers",
        "Your top layer has no tanh. Each layer is a whole recurrent layer, and the tanh is part of its step.",
    ),
)

BIDIRECTIONAL = mistakes_of(
    "bidirectional_forward",
    backward_state_in_the_padding=edit(
        "return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)",
        'leftwards = np.where(real, leftwards, backward["h0"][:, None])\n'
        "    return np.concatenate([np.where(real, rightwards, 0.0), leftwards], axis=-1)",
        "padding_at_the_end",
        "At padded positions your backward half holds the state from which this direction begins. Both halves are zero there.",
    ),
    backward_begins_one_short=edit(
        "lengths[:, None] - 1 - places, places)",
        "lengths[:, None] - 2 - places, places)",
        "second_row_is_padded",
        "Your backward direction begins one position before the last real one. It begins at lengths - 1.",
    ),
    last_real_position_not_read_backwards=edit(
        "    leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        """    mirror = np.where(places < lengths[:, None] - 1, lengths[:, None] - 2 - places, places)[:, :, None]
    turned = np.take_along_axis(x, mirror, axis=1)
    leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)
    leftwards[np.arange(len(x)), lengths - 1] = 0.0""",
        "second_row_is_padded",
        "Your backward direction begins one position too early: the last real position is never read by it. It begins at lengths - 1.",
    ),
    short_rows_go_back_from_zeros=edit(
        "leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        """begun = np.where(lengths[:, None] < x.shape[1], 0.0, backward["h0"])
    leftwards = np.take_along_axis(_rnn(turned, {**backward, "h0": begun}), mirror, axis=1)""",
        "second_row_is_padded",
        "Your backward direction comes to the last real position of a shorter row with a state of zeros. Padding changes no "
        "state: it starts there from h0.",
    ),
    states_not_turned_back=edit(
        "leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        "leftwards = _rnn(turned, backward)",
        "both_directions_without_padding",
        "Your backward states stand in the order in which they were computed, from the end of the text. They have "
        "to be turned back, so that both directions speak of the same position.",
    ),
    backward_reads_rightwards=edit(
        "leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        "leftwards = _rnn(x, backward)",
        "both_directions_without_padding",
        "Your backward layer reads from left to right, like the other one. It should know what is still to come.",
    ),
    read_rightwards_then_turned=edit(
        "turned = np.take_along_axis(x, mirror, axis=1)",
        "turned = x",
        "both_directions_without_padding",
        "Your backward layer reads from left to right, and its states are turned round afterwards. First the input "
        "is turned, then the states are turned back.",
    ),
    padding_read_first=edit(
        "mirror = np.where(real[:, :, 0], lengths[:, None] - 1 - places, places)[:, :, None]",
        "mirror = np.broadcast_to(places[::-1], real.shape[:2])[:, :, None]",
        "padding_is_never_read",
        "Your backward layer starts at the end of the array, in the padding, and carries what it read there into "
        "the real text. Each row starts at its own last real position.",
    ),
    lengths_unused=edit(
        "real = (places < lengths[:, None])[:, :, None]",
        "lengths = np.full(len(x), x.shape[1])\n    real = (places < lengths[:, None])[:, :, None]",
        "padding_at_the_end",
        "Your function takes every row for a full one: `lengths` changes nothing. The backward layer starts in the padding, "
        "and at padded positions there is something other than zero.",
    ),
    shortest_row_sets_the_start=edit(
        "mirror = np.where(real[:, :, 0], lengths[:, None] - 1 - places, places)[:, :, None]",
        "mirror = np.where(places < lengths.min(), lengths.min() - 1 - places, places)[None, :, None]\n"
        "    mirror = np.repeat(mirror, len(x), axis=0)",
        "padding_at_the_end",
        "Your backward layer turns every row at the length of the shortest one. Each row has a length of its own.",
    ),
    one_position_too_early=edit(
        "mirror = np.where(real[:, :, 0], lengths[:, None] - 1 - places, places)[:, :, None]",
        "mirror = (lengths[:, None] - 2 - places)[:, :, None] % x.shape[1]",
        "both_directions_without_padding",
        "Your backward layer starts one position before the last real one. Positions are counted from 0, so the "
        "last one is lengths[n] - 1.",
    ),
    directions_summed=edit(
        "np.concatenate([rightwards, leftwards], axis=-1)",
        "rightwards + leftwards if rightwards.shape == leftwards.shape else "
        "np.concatenate([rightwards, leftwards], axis=-1)",
        "both_directions_without_padding",
        "Your two directions are added up where their sizes allow it. They are put side by side, so that nothing "
        "of either is lost.",
    ),
    backward_direction_first=edit(
        "np.concatenate([rightwards, leftwards], axis=-1)",
        "np.concatenate([leftwards, rightwards], axis=-1)",
        "both_directions_without_padding",
        "Your backward states come first. Those of the forward direction do.",
    ),
    directions_interleaved_in_time=edit(
        "np.concatenate([rightwards, leftwards], axis=-1)",
        "np.concatenate([rightwards, leftwards[:, ::-1]], axis=-1)",
        "both_directions_without_padding",
        "Your backward states are turned round once too often: at each position stands the state of another one.",
    ),
    backward_reads_forward_states=edit(
        "turned = np.take_along_axis(x, mirror, axis=1)",
        "source = rightwards if rightwards.shape[-1] == x.shape[-1] else x\n"
        "    turned = np.take_along_axis(source, mirror, axis=1)",
        "reading_leaves_its_inputs_alone",
        "Your backward layer reads the states of the forward one where the sizes allow it. Both read x.",
    ),
    backward_starts_from_forward_state=edit(
        "leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        'same = forward["h0"].shape == backward["h0"].shape\n'
        '    backward = backward | {"h0": rightwards[:, -1]} if same else backward\n'
        "    leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        "both_directions_without_padding",
        "Your backward layer starts from the last state of the forward one. It starts from its own h0.",
    ),
    one_layer_for_both_directions=edit(
        "leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        "leftwards = np.take_along_axis(_rnn(turned, forward), mirror, axis=1)",
        "both_directions_without_padding",
        "Your two directions share the forward layer's weights. Each direction has a layer of its own.",
    ),
    layers_exchanged=edit(
        "rightwards = _rnn(x, forward)",
        "forward, backward = backward, forward\n    rightwards = _rnn(x, forward)",
        "both_directions_without_padding",
        "Your layer `backward` reads rightwards and `forward` leftwards.",
    ),
    both_start_from_zero=edit(
        "rightwards = _rnn(x, forward)",
        'forward, backward = (layer | {"h0": 0 * layer["h0"]} for layer in (forward, backward))\n'
        "    rightwards = _rnn(x, forward)",
        "both_directions_without_padding",
        "Your directions start from zeros. Each layer brings along its own h0.",
    ),
    padded_outputs_not_zero=edit(
        "return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)",
        "return np.concatenate([rightwards, leftwards], axis=-1)",
        "padding_is_never_read",
        "Your outputs at padded positions are whatever the layers made of the padding. They should be zero.",
    ),
    padded_inputs_zeroed_and_read=edit(
        "mirror = np.where(real[:, :, 0], lengths[:, None] - 1 - places, places)[:, :, None]",
        "x = np.where(real, x, 0.0)\n    mirror = np.broadcast_to(places[::-1], real.shape[:2])[:, :, None]",
        "padding_at_the_end",
        "Your padding is set to zero and then read first by the backward layer. A zero input still is a step: the "
        "bias and W_h move the state.",
    ),
    padded_state_is_repeated=edit(
        "return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)",
        "last = np.minimum(places, lengths[:, None] - 1)[:, :, None]\n"
        "    return np.take_along_axis(np.concatenate([rightwards, leftwards], axis=-1), last, axis=1)",
        "padding_at_the_end",
        "Your outputs at padded positions repeat those of the last real one. They should be zero.",
    ),
    last_states_only=edit(
        "return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)",
        "ends = np.take_along_axis(rightwards, lengths[:, None, None] - 1, axis=1)[:, 0]\n"
        "    return np.concatenate([ends, leftwards[:, 0]], axis=-1)",
        "both_directions_without_padding",
        "Your function returns one vector for each sequence, the two final states. Every position needs one.",
    ),
    padding_zeroed_in_place=edit(
        "turned = np.take_along_axis(x, mirror, axis=1)",
        "x[~real[:, :, 0]] = 0.0\n    turned = np.take_along_axis(x, mirror, axis=1)",
        "reading_leaves_its_inputs_alone",
        "Your function sets the caller's padding to zero. The outputs are right, but x is not yours to change.",
    ),
    turned_back_over_the_whole_width=edit(
        "leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        "leftwards = _rnn(turned, backward)[:, ::-1]",
        "second_row_is_padded",
        "Your backward states are turned back over the whole width, so in a padded row they stand too far to the right. "
        "Turn them back within the row's own length, as the input was turned.",
    ),
    one_padded_position_counts=edit(
        "real = (places < lengths[:, None])[:, :, None]",
        "real = (places <= lengths[:, None])[:, :, None]",
        "second_row_is_padded",
        "Your rows have one real position too many. Positions are counted from 0, so a row of length 2 has 0 and 1.",
    ),
    turned_back_over_the_whole_width_behind_zeros=edit(
        "turned = np.take_along_axis(x, mirror, axis=1)\n"
        "    leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        "turned = np.take_along_axis(np.where(real, x, 0.0), mirror, axis=1)\n"
        "    leftwards = _rnn(turned, backward)[:, ::-1]",
        "second_row_is_padded",
        "Your backward states are turned back over the whole width, so in a padded row they stand too far to the right. "
        "Turn them back within the row's own length, as the input was turned.",
    ),
    forward_half_not_zero=edit(
        "return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)",
        "return np.concatenate([rightwards, np.where(real, leftwards, 0.0)], axis=-1)",
        "second_row_is_padded",
        "Your backward half is zero at padded positions, and your forward half is not. Both should be.",
    ),
    backward_half_not_zero=edit(
        "return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)",
        "return np.concatenate([np.where(real, rightwards, 0.0), leftwards], axis=-1)",
        "second_row_is_padded",
        "Your forward half is zero at padded positions, and your backward half is not. Both should be.",
    ),
    last_real_position_left_out=edit(
        "return np.where(real, np.concatenate",
        "real = (places < lengths[:, None] - 1)[:, :, None]\n    return np.where(real, np.concatenate",
        "both_directions",
        "Your last real position is zero, as if it were padding. A row of length 2 has the positions 0 and 1.",
    ),
    longest_row_sets_the_start=edit(
        "mirror = np.where(real[:, :, 0], lengths[:, None] - 1 - places, places)[:, :, None]",
        "mirror = np.where(places < lengths.max(), lengths.max() - 1 - places, places)[None, :, None]\n"
        "    mirror = np.repeat(mirror, len(x), axis=0)",
        "second_row_is_padded",
        "Your backward layer turns every row at the length of the longest one, so it reads padding first in the others. Each "
        "row has a length of its own.",
    ),
    backward_starts_from_each_last_forward_state=edit(
        "leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        'same = forward["h0"].shape == backward["h0"].shape\n'
        '    backward = backward | {"h0": rightwards[np.arange(len(x)), lengths - 1]} if same else backward\n'
        "    leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        "second_row_is_padded",
        "Your backward layer starts from the last state of the forward one. It starts from its own h0.",
    ),
    backward_starts_from_the_forward_h0=edit(
        "leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        'same = forward["h0"].shape == backward["h0"].shape\n'
        '    backward = backward | {"h0": forward["h0"]} if same else backward\n'
        "    leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        "second_row_is_padded",
        "Your backward layer starts from the h0 of the forward layer. Each layer brings along its own.",
    ),
    as_long_as_the_longest_row=edit(
        "return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)",
        "return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)[:, : lengths.max()]",
        "no_row_fills_the_width",
        "Your output ends where the longest row ends. It has as many positions as x, and those behind all rows are zero.",
    ),
    order_by_length_applied_again=edit(
        "return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)",
        'order = np.argsort(-lengths, kind="stable")\n'
        "    return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)[order][order]",
        "no_row_fills_the_width",
        "Your rows come back in another order. They were sorted by length; to undo that, sort the order itself, and index with "
        "what comes out.",
    ),
    rows_left_sorted_by_length=edit(
        "return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)",
        'order = np.argsort(-lengths, kind="stable")\n'
        "    return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)[order]",
        "no_row_fills_the_width",
        "Your rows come back sorted by length. Row n of the output belongs to row n of x.",
    ),
    h0_not_sorted_with_the_rows=edit(
        "rightwards = _rnn(x, forward)",
        'back = np.argsort(np.argsort(-lengths, kind="stable"))\n'
        '    forward, backward = (layer | {"h0": layer["h0"][back]} for layer in (forward, backward))\n'
        "    rightwards = _rnn(x, forward)",
        "no_row_fills_the_width",
        "Your rows were sorted by length, and h0 was not: each row starts from the h0 of another one.",
    ),
    rows_turned_in_place=edit(
        "turned = np.take_along_axis(x, mirror, axis=1)",
        "x[...] = np.take_along_axis(x, mirror, axis=1)\n    turned = x",
        "reading_leaves_its_inputs_alone",
        "Your rows are turned in the caller's x. The outputs are right, but x is not yours to change.",
    ),
    backward_state_before_the_position=edit(
        "leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        'before = np.concatenate([backward["h0"][:, None], _rnn(turned, backward)[:, :-1]], axis=1)\n'
        "    leftwards = np.take_along_axis(before, mirror, axis=1)",
        "both_directions",
        "Your backward state at a position has not read that position yet. Both directions say what they know after reading it.",
    ),
    turned_one_position_too_far=edit(
        "turned = np.take_along_axis(x, mirror, axis=1)",
        "ahead = np.where(real[:, :, 0], (lengths[:, None] - places) % lengths[:, None], places)[:, :, None]\n"
        "    turned = np.take_along_axis(x, ahead, axis=1)",
        "both_directions",
        "Your backward layer reads position length - t at its step t, one too far. Counted from 0, the last position is "
        "length - 1.",
    ),
    backward_starts_from_zero=edit(
        "leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        'backward = backward | {"h0": 0 * backward["h0"]}\n'
        "    leftwards = np.take_along_axis(_rnn(turned, backward), mirror, axis=1)",
        "both_directions",
        "Your backward layer starts from zeros. It brings along an h0 of its own, as the forward one does.",
    ),
    first_position_skipped_backwards=edit(
        "return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)",
        "leftwards[:, 0] = 0.0\n    return np.where(real, np.concatenate([rightwards, leftwards], axis=-1), 0.0)",
        "both_directions",
        "Your backward layer never reads position 0. range(n, 0, -1) stops at 1.",
    ),
    rows_one_position_too_long=edit(
        "places = np.arange(x.shape[1])\n    real",
        "places = np.arange(x.shape[1])\n    lengths = np.minimum(lengths + 1, x.shape[1])\n    real",
        "second_row_is_padded",
        "Your rows end one position too late: both directions read a padded one. Positions are counted from 0, so a row of "
        "length 2 has 0 and 1.",
    ),
)

CELL = mistakes_of(
    "LSTMCell",
    packed_gates_in_our_order=edit(
        "a_i, a_f, a_g, a_o = packed.chunk(4, dim=-1)",
        "a_f, a_i, a_o, a_g = packed.chunk(4, dim=-1)",
        "torch_cell_remembers",
        "Your rows are unpacked as f, i, o, c_tilde, the order of lstm_gates. torch packs i, f, g, o.",
    ),
    packed_gates_i_f_o_g=edit(
        "a_i, a_f, a_g, a_o = packed.chunk(4, dim=-1)",
        "a_i, a_f, a_o, a_g = packed.chunk(4, dim=-1)",
        "torch_cell_remembers",
        "Your candidate and output gate have changed places: torch packs i, f, g, o.",
    ),
    packed_gates_f_i_g_o=edit(
        "a_i, a_f, a_g, a_o = packed.chunk(4, dim=-1)",
        "a_f, a_i, a_g, a_o = packed.chunk(4, dim=-1)",
        "torch_cell_remembers",
        "Your input gate and forget gate have changed places: torch packs i, f, g, o. The forget bias would then "
        "open the input gate.",
    ),
    packed_gates_i_g_f_o=edit(
        "a_i, a_f, a_g, a_o = packed.chunk(4, dim=-1)",
        "a_i, a_g, a_f, a_o = packed.chunk(4, dim=-1)",
        "torch_cell_remembers",
        "Your rows are unpacked as i, g, f, o, the order of TensorFlow's BasicLSTMCell. torch packs i, f, g, o.",
    ),
    packed_gates_interleaved=edit(
        "a_i, a_f, a_g, a_o = packed.chunk(4, dim=-1)",
        "a_i, a_f, a_g, a_o = packed.unflatten(-1, (-1, 4)).unbind(-1)",
        "torch_cell_remembers",
        "Your gates take every fourth row. Each gate has its rows in one block, one block after the other.",
    ),
    forget_bias_added_twice=edit(
        "torch.sigmoid(a_f) * c_prev",
        "torch.sigmoid(a_f + 1.0) * c_prev",
        "torch_cell_remembers",
        "Your forward adds a forget bias of its own. The constructor has already put it into bias_ih, where it is "
        "learned along with the rest.",
    ),
    bias_hh_missing=edit(
        "h_prev @ self.weight_hh.T + self.bias_hh",
        "h_prev @ self.weight_hh.T",
        "torch_cell_remembers",
        "Your cell leaves out bias_hh. torch has two biases, and their sum counts.",
    ),
    bias_ih_missing=edit(
        "x_t @ self.weight_ih.T + self.bias_ih",
        "x_t @ self.weight_ih.T",
        "torch_cell_remembers",
        "Your cell leaves out bias_ih, which holds the forget bias.",
    ),
    input_weights_missing=edit(
        "packed = x_t @ self.weight_ih.T + self.bias_ih + ",
        "packed = self.bias_ih + ",
        "torch_cell_remembers",
        "Your cell never reads x_t.",
    ),
    given_state_ignored=edit(
        "if state is None:",
        "if True:",
        "torch_cell_remembers",
        "Your cell starts from zeros, also when it is given a state.",
    ),
    no_state_crashes=edit(
        "if state is None:\n            zeros = x_t.new_zeros(x_t.shape[0], self.hidden_size)\n            state = (zeros, zeros)\n        ",
        "",
        "torch_cell_without_a_state",
        "Your cell takes a state of None apart as if it were a pair. None means that both are zeros.",
    ),
    cell_goes_on_from_its_last_state=edit(
        "state = (zeros, zeros)\n        h_prev, c_prev = state\n"
        "        packed = x_t @ self.weight_ih.T + self.bias_ih + h_prev @ self.weight_hh.T + self.bias_hh\n"
        "        a_i, a_f, a_g, a_o = packed.chunk(4, dim=-1)\n"
        "        c_new = torch.sigmoid(a_f) * c_prev + torch.sigmoid(a_i) * torch.tanh(a_g)\n"
        "        h_new = torch.sigmoid(a_o) * torch.tanh(c_new)\n",
        "state = getattr(self, 'last', (zeros, zeros))\n        h_prev, c_prev = state\n"
        "        packed = x_t @ self.weight_ih.T + self.bias_ih + h_prev @ self.weight_hh.T + self.bias_hh\n"
        "        a_i, a_f, a_g, a_o = packed.chunk(4, dim=-1)\n"
        "        c_new = torch.sigmoid(a_f) * c_prev + torch.sigmoid(a_i) * torch.tanh(a_g)\n"
        "        h_new = torch.sigmoid(a_o) * torch.tanh(c_new)\n        self.last = h_new, c_new\n",
        "torch_cell_begins_anew",
        "Your cell keeps its last state and goes on from it when there is no state. The next text has nothing to do with the one "
        "before: None means zeros, and a state that goes on is handed over.",
    ),
    missing_state_is_ones=edit(
        "zeros = x_t.new_zeros(",
        "zeros = x_t.new_ones(",
        "torch_cell_without_a_state",
        "Your cell starts from ones when there is no state. Nothing has been read yet: zeros.",
    ),
    state_in_wrong_order=edit(
        "h_prev, c_prev = state",
        "c_prev, h_prev = state",
        "torch_cell_remembers",
        "Your state is taken apart as (c, h). It is (h, c), as the cell returns it.",
    ),
    torch_cell_returned_first=edit(
        "return h_new, c_new",
        "return c_new, h_new",
        "torch_cell_reveals",
        "Your cell returns (c, h). torch returns (h, c).",
    ),
    torch_cell_returns_h_alone=edit(
        "return h_new, c_new",
        "return h_new",
        "torch_cell_remembers",
        "Your cell returns h_t alone. Without c_t the next step has nothing to go on from.",
    ),
    torch_cell_returns_h_and_the_pair=edit(
        "return h_new, c_new",
        "return h_new, (h_new, c_new)",
        "torch_cell_remembers",
        "Your cell returns an output and a state, as torch.nn.LSTM does. A cell returns the pair (h, c) alone.",
    ),
    torch_no_tanh_on_the_cell=edit(
        "torch.tanh(c_new)",
        "c_new",
        "torch_cell_reveals",
        "Your h_t is the output gate times c_t; the tanh on the cell is missing.",
    ),
    torch_sigmoid_candidate=edit(
        "torch.tanh(a_g)",
        "torch.sigmoid(a_g)",
        "torch_cell_remembers",
        "Your candidate goes through a sigmoid, so the cell can only count up. It is a tanh.",
    ),
    torch_cell_not_carried=edit(
        "torch.sigmoid(a_f) * c_prev + torch.sigmoid(a_i)",
        "torch.sigmoid(a_i)",
        "torch_cell_remembers",
        "Your cell starts afresh at every step: c_prev is not in it.",
    ),
    gradient_cut_at_the_parameters=edit(
        "packed = x_t @ self.weight_ih.T + self.bias_ih + h_prev @ self.weight_hh.T + self.bias_hh",
        "packed = x_t @ self.weight_ih.data.T + self.bias_ih.data + h_prev @ self.weight_hh.data.T + self.bias_hh.data",
        "gradients_reach_the_parameters",
        "Your output is right, but the parameters get no gradient: `.data` and `.detach()` cut the connection, and "
        "the cell would never learn.",
    ),
    gradient_cut_at_the_input=edit(
        "packed = x_t @ self.weight_ih.T",
        "packed = x_t.detach() @ self.weight_ih.T",
        "gradients_reach_the_input",
        "Your x_t is detached, so no gradient comes back to whatever made it: an embedding, or the layer below.",
    ),
    detached_state=edit(
        "h_prev, c_prev = state",
        "h_prev, c_prev = (part.detach() for part in state)",
        "gradients_reach_the_state",
        "Your h_prev and c_prev are detached (`.detach()`, `.data`, `.item()` or numpy), so no gradient goes back "
        "beyond one step: the cell would never learn what to remember.",
    ),
    new_state_detached=edit(
        "return h_new, c_new",
        "return h_new.detach(), c_new",
        "torch_cell_can_learn",
        "Your h_t is detached where you return it, so no gradient comes back by way of it, and none at all to the output gate.",
    ),
    detached_h_prev=edit(
        "+ h_prev @ self.weight_hh.T",
        "+ h_prev.detach() @ self.weight_hh.T",
        "gradients_reach_the_state",
        "Your h_prev is detached before the gates read it. The gradient still goes back along the cell, but not by "
        "way of h.",
    ),
    detached_c_prev=edit(
        "torch.sigmoid(a_f) * c_prev +",
        "torch.sigmoid(a_f) * c_prev.detach() +",
        "gradients_reach_the_state",
        "Your c_prev is detached, so the gradient cannot travel along the cell, which is what an LSTM is made for.",
    ),
    gradient_cut_at_the_gates=edit(
        "a_i, a_f, a_g, a_o = packed.chunk(4, dim=-1)",
        "a_i, a_f, a_g, a_o = (part.detach().requires_grad_() for part in packed.chunk(4, dim=-1))",
        "gradients_reach_the_parameters",
        "Your output is right, but between the sums and the gates the gradient is cut: neither the parameters nor "
        "x_t get any.",
    ),
    state_tensors_in_place=edit(
        "c_new = torch.sigmoid(a_f) * c_prev + torch.sigmoid(a_i) * torch.tanh(a_g)",
        "with torch.no_grad():\n            c_prev.mul_(torch.sigmoid(a_f)).add_(torch.sigmoid(a_i) * torch.tanh(a_g))\n"
        "        c_new = c_prev + (torch.sigmoid(a_f) + torch.sigmoid(a_i) * torch.tanh(a_g)) * 0",
        "torch_cell_leaves_its_inputs_alone",
        "Your cell changes the caller's c_prev in place. Outside of no_grad torch would often refuse that, since "
        "the backward pass needs the old values.",
    ),
    new_states_detached=edit(
        "return h_new, c_new\n",
        "return h_new.detach(), c_new.detach()\n",
        "gradients_reach_the_parameters",
        "Your new states are detached (`.detach()`, `.data`, numpy or `torch.no_grad()`), so no gradient "
        "ever comes back into the cell: nothing in it learns.",
    ),
    new_cell_detached=edit(
        "return h_new, c_new\n",
        "return h_new, c_new.detach()\n",
        "gradients_reach_the_parameters",
        "Your c_t is detached when it is handed on. What later steps make of the cell state then teaches the "
        "cell nothing.",
    ),
    cell_detached_before_it_is_revealed=edit(
        "torch.tanh(c_new)",
        "torch.tanh(c_new.detach())",
        "gradients_reach_the_parameters",
        "Your c_t is detached before its tanh, so the loss on h_t reaches the output gate alone.",
    ),
    zeros_as_wide_as_the_input=edit(
        "zeros = x_t.new_zeros(x_t.shape[0], self.hidden_size)",
        "zeros = torch.zeros_like(x_t)",
        "torch_cell_takes_a_batch",
        "Your zeros for a missing state have the shape of x_t. A state is as wide as the cell has hidden units.",
    ),
    torch_reveals_the_old_cell=edit(
        "torch.tanh(c_new)",
        "torch.tanh(c_prev)",
        "torch_cell_of_one_unit",
        "Your h_t reveals c_prev. What is revealed is the new cell.",
    ),
    chunked_along_the_batch=edit(
        "a_i, a_f, a_g, a_o = packed.chunk(4, dim=-1)",
        "a_i, a_f, a_g, a_o = packed.chunk(4)",
        "torch_cell_takes_a_batch",
        "Your `chunk` cuts along the batch, which is what it does unless it is told an axis. The gates stand side by side in "
        "the last one.",
    ),
    c_prev_scaled_in_place=edit(
        "c_new = torch.sigmoid(a_f) * c_prev + torch.sigmoid(a_i) * torch.tanh(a_g)",
        "with torch.no_grad():\n            c_prev.mul_(torch.sigmoid(a_f))\n"
        "        c_new = c_prev + torch.sigmoid(a_i) * torch.tanh(a_g)",
        "torch_cell_leaves_its_inputs_alone",
        "Your cell multiplies the caller's c_prev in place, out of sight of the gradient: the forget gate then learns nothing.",
    ),
    torch_reveals_the_candidate=edit(
        "torch.tanh(c_new)",
        "torch.tanh(a_g)",
        "torch_cell_reveals",
        "Your h_t shows the candidate, and nothing of what the cell remembers.",
    ),
    torch_biases_averaged=edit(
        "packed = x_t @ self.weight_ih.T + self.bias_ih + h_prev @ self.weight_hh.T + self.bias_hh",
        "packed = x_t @ self.weight_ih.T + h_prev @ self.weight_hh.T + (self.bias_ih + self.bias_hh) / 2",
        "torch_cell_remembers",
        "Your cell takes the mean of its two biases. Their sum counts.",
    ),
    torch_tanh_for_the_output_gate=edit(
        "torch.sigmoid(a_o)",
        "torch.tanh(a_o)",
        "torch_cell_reveals",
        "Your output gate is a tanh and can be negative. A gate is a sigmoid; only the candidate is a tanh.",
    ),
    torch_sigmoid_on_the_cell=edit(
        "torch.tanh(c_new)",
        "torch.sigmoid(c_new)",
        "torch_cell_reveals",
        "Your cell goes through a sigmoid before it is revealed, so the state can never be negative.",
    ),
    torch_no_forget_gate=edit(
        "torch.sigmoid(a_f) * c_prev",
        "c_prev",
        "torch_cell_remembers",
        "Your cell never erases: c_prev is added whole, and the forget gate is not used.",
    ),
    torch_writes_with_one_minus_f=edit(
        "torch.sigmoid(a_i) * torch.tanh(a_g)",
        "(1 - torch.sigmoid(a_f)) * torch.tanh(a_g)",
        "torch_cell_remembers",
        "Your cell writes with one minus the forget gate, as a GRU does. An LSTM has a gate of its own for that.",
    ),
    torch_cell_through_the_tanh=edit(
        "h_new = torch.sigmoid(a_o) * torch.tanh(c_new)",
        "c_new = torch.tanh(c_new)\n        h_new = torch.sigmoid(a_o) * c_new",
        "torch_cell_remembers",
        "Your cell itself goes through the tanh, so it shrinks at every step. The tanh belongs to what is revealed; c_t is "
        "passed on as it is.",
    ),
    bias_hh_left_out_without_a_state=edit(
        "if state is None:\n            zeros = x_t.new_zeros(x_t.shape[0], self.hidden_size)\n            state = (zeros, zeros)\n"
        "        h_prev, c_prev = state\n"
        "        packed = x_t @ self.weight_ih.T + self.bias_ih + h_prev @ self.weight_hh.T + self.bias_hh",
        "bias_hh = 0 * self.bias_hh if state is None else self.bias_hh\n"
        "        if state is None:\n            zeros = x_t.new_zeros(x_t.shape[0], self.hidden_size)\n"
        "            state = (zeros, zeros)\n        h_prev, c_prev = state\n"
        "        packed = x_t @ self.weight_ih.T + self.bias_ih + h_prev @ self.weight_hh.T + bias_hh",
        "torch_cell_without_a_state",
        "Your cell leaves out bias_hh when there is no state. A state of zeros still has its bias.",
    ),
    torch_biases_missing=edit(
        "packed = x_t @ self.weight_ih.T + self.bias_ih + h_prev @ self.weight_hh.T + self.bias_hh",
        "packed = x_t @ self.weight_ih.T + h_prev @ self.weight_hh.T",
        "torch_cell_remembers",
        "Your cell leaves out both biases, and with them the forget bias.",
    ),
    torch_tanh_twice=edit(
        "h_new = torch.sigmoid(a_o) * torch.tanh(c_new)",
        "c_new = torch.tanh(c_new)\n        h_new = torch.sigmoid(a_o) * torch.tanh(c_new)",
        "torch_cell_remembers",
        "Your cell goes through a tanh before it is passed on, and through another one before it is revealed. Only the second "
        "belongs there.",
    ),
    torch_bias_ih_counted_twice=edit(
        "h_prev @ self.weight_hh.T + self.bias_hh",
        "h_prev @ self.weight_hh.T + self.bias_ih",
        "torch_cell_remembers",
        "Your cell adds bias_ih twice and never reads bias_hh. Each of the two products has a bias of its own.",
    ),
)


MISCONCEPTIONS = (
    *UPDATE,
    *GATES,
    *STEP,
    *FORWARD,
    *STEP_BACKWARD,
    *SEQUENCE_BACKWARD,
    *GRU,
    *KEEP,
    *CONVERT,
    *GRU_BACKWARD,
    *STACKED,
    *BIDIRECTIONAL,
    *CELL,
)
