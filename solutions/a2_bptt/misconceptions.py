"""Known mistakes of a2_bptt, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.mistakes import edit, mistakes_of

LOSS = mistakes_of(
    "loss_backward",
    last_target_not_taken_off=edit(
        "one_hot = np.eye(logits.shape[-1])[targets]",
        "one_hot = np.eye(logits.shape[-1])[targets]\n    one_hot[:, -1] = 0",
        "every_target_counts",
        "Your last position keeps the softmax as it is: nothing is taken off at its target. The loop over time has to reach it.",
    ),
    loss_gradient_is_a_sum=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return (probs - one_hot) * mask[..., None]",
        "every_target_counts",
        "Your gradient is that of the sum over the targets. The loss is their mean, and going back through a mean "
        "divides by how many there are.",
    ),
    mean_over_padding=edit(
        "counted = mask.sum()",
        "counted = mask.size",
        "padded_targets_do_not_count",
        "Your mean also counts the padded positions: you divide by all of them. The more padding a batch has, the "
        "smaller your gradients get, although nothing about the real tokens changed.",
    ),
    mask_missing_in_the_gradient=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return (probs - one_hot) / counted",
        "padded_targets_do_not_count",
        "Your divisor leaves out the padding but your gradient does not: padded positions still pull at the "
        "network. What does not count in the loss has no gradient.",
    ),
    mask_ignored=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return (probs - one_hot) / mask.size",
        "padded_targets_do_not_count",
        "Your gradient does not use the mask at all: padding is learned as if it were text.",
    ),
    loss_mask_inverted=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return (probs - one_hot) * ~mask[..., None] / counted",
        "padded_targets_do_not_count",
        "Your mask works the wrong way round: the padding gets the gradient, and the text gets none. True means "
        "that a target counts.",
    ),
    mean_over_the_batch_only=edit(
        "counted = mask.sum()",
        "counted = len(mask)",
        "every_target_counts",
        "Your gradient is divided by the number of rows. The mean is over all counted positions, of every row and "
        "every step.",
    ),
    mean_over_time_only=edit(
        "counted = mask.sum()",
        "counted = mask.shape[1]",
        "every_target_counts",
        "Your gradient is divided by the number of steps. The mean is over all counted positions, of every row and "
        "every step.",
    ),
    mean_of_row_means=edit(
        "counted = mask.sum()",
        "counted = len(mask) * np.maximum(mask.sum(axis=1), 1)[:, None, None]",
        "padded_targets_do_not_count",
        "Your loss is a mean of means: each row is averaged on its own first, so a token of a short text counts "
        "for more than one of a long text. Here every counted target counts the same.",
    ),
    targets_not_subtracted=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return probs * mask[..., None] / counted",
        "every_target_counts",
        "Your gradient holds the probabilities alone. The target's own logit appears once more in the loss, "
        "outside the sum over the vocabulary, and that term is missing.",
    ),
    loss_gradient_sign=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return (one_hot - probs) * mask[..., None] / counted",
        "every_target_counts",
        "Your gradient has the wrong sign: it points to where the loss falls. A gradient points to where it grows, "
        "and raising the target's logit makes the loss smaller.",
    ),
    gradient_of_the_probabilities=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return -one_hot / probs * mask[..., None] / counted",
        "every_target_counts",
        "Your gradient stops at the probabilities: -1/p at the target is the derivative of -log p. The softmax in "
        "front of it is still to be gone through.",
    ),
    only_the_target_gets_a_gradient=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return one_hot * (probs - 1) * mask[..., None] / counted",
        "every_target_counts",
        "Your gradient is zero everywhere but at the target. The other tokens share the same total of one: raising "
        "their logits takes probability away from the target.",
    ),
    logits_taken_for_probabilities=edit(
        "probs = raised / raised.sum(axis=-1, keepdims=True)",
        "probs = logits",
        "every_target_counts",
        "Your gradient takes one off the logits themselves. It is their softmax that belongs there.",
    ),
    softmax_twice=edit(
        "probs = raised / raised.sum(axis=-1, keepdims=True)",
        "probs = raised / raised.sum(axis=-1, keepdims=True)\n    probs = np.exp(probs) / np.exp(probs).sum(-1, "
        "keepdims=True)",
        "every_target_counts",
        "Your softmax is applied twice. What comes out of the first is a distribution already; the second makes it "
        "nearly uniform.",
    ),
    softmax_over_time=edit(
        "probs = raised / raised.sum(axis=-1, keepdims=True)",
        "raised = np.exp(logits - logits.max(axis=1, keepdims=True))\n    probs = raised / raised.sum(axis=1, "
        "keepdims=True)",
        "every_target_counts",
        "Your softmax runs over the time axis. At each position it is the tokens of the vocabulary that share a "
        "total of one.",
    ),
    softmax_over_everything=edit(
        "probs = raised / raised.sum(axis=-1, keepdims=True)",
        "raised = np.exp(logits - logits.max())\n    probs = raised / raised.sum()",
        "every_target_counts",
        "Your softmax has one total for the whole array. Each position predicts a token of its own, and has a "
        "total of one to itself.",
    ),
    exponentials_overflow=edit(
        "raised = np.exp(logits - peak)",
        "raised = np.exp(logits)",
        "each_position_has_its_own_largest_logit",
        "Your exponentials overflow for logits in the hundreds. A softmax does not change when the same number is "
        "taken off all logits of a position; choose one that keeps them small.",
    ),
    peak_over_time=edit(
        "peak = logits.max(axis=-1, keepdims=True)",
        "peak = logits.max(axis=1, keepdims=True)",
        "every_target_counts",
        "Your maximum runs over time, so each token of a position has another one taken off, and the shares are others. What is "
        "taken off before the exponential is the same for all tokens of a position: the largest of its own logits.",
    ),
    smallest_logit_taken_off=edit(
        "peak = logits.max(axis=-1, keepdims=True)",
        "peak = logits.min(axis=-1, keepdims=True)",
        "one_position_may_span_thousands",
        "You take the smallest logit off, not the largest. What is left is positive, and its exponential overflows where "
        "logits lie far apart.",
    ),
    one_peak_for_all=edit(
        "peak = logits.max(axis=-1, keepdims=True)",
        "peak = logits.max()",
        "each_position_has_its_own_largest_logit",
        "Your softmax takes the largest logit of the whole array off every position. Where a position lies far "
        "below it, all its exponentials are zero, and so is their sum.",
    ),
    all_targets_at_every_position=edit(
        "one_hot = np.eye(logits.shape[-1])[targets]",
        "one_hot = np.zeros(logits.shape)\n    one_hot[:, :, targets.ravel()] = 1",
        "every_target_counts",
        "Your index takes one off at the targets of *all* positions, everywhere. A slice pairs every row and step "
        "with every id; what you want is one id for each row and step.",
    ),
    targets_one_step_late=edit(
        "one_hot = np.eye(logits.shape[-1])[targets]",
        "one_hot = np.eye(logits.shape[-1])[np.roll(targets, -1, axis=1)]",
        "every_target_counts",
        "Your targets are shifted once more. They are already lined up: targets[:, t] is what logits[:, t] should "
        "have predicted.",
    ),
    loss_backward_in_place=edit(
        "raised = np.exp(logits - peak)",
        "logits -= peak\n    raised = np.exp(logits)",
        "logits_are_left_alone",
        "Your softmax takes the maximum off the caller's logits themselves. The gradient is right, but code that "
        "looks at the logits afterwards finds other numbers.",
    ),
    target_indices_do_not_meet=edit(
        "one_hot = np.eye(logits.shape[-1])[targets]",
        "one_hot = np.zeros(logits.shape)\n"
        "    one_hot[np.arange(len(logits)), np.arange(logits.shape[1]), targets] = 1.0",
        "every_target_counts",
        "Your indices of rows, steps and targets do not meet: arange(batch) and arange(time) need an axis of "
        "length one, [:, None] and [None, :], to broadcast to (batch, time).",
    ),
    targets_of_all_rows=edit(
        "one_hot = np.eye(logits.shape[-1])[targets]",
        "one_hot = np.zeros(logits.shape)\n    one_hot[:, np.arange(targets.shape[1]), targets] = 1",
        "padding_gets_no_gradient",
        "Your `:` for the batch combines every row with the targets of all rows. What you want is one id for each row and "
        "step, so the rows need an index as well: np.arange(batch)[:, None].",
    ),
    mask_on_the_targets_only=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return (probs - one_hot * mask[..., None]) / counted",
        "padding_gets_no_gradient",
        "Your mask takes away the target of a padded position and leaves its softmax. What does not count in the loss has "
        "no gradient at all.",
    ),
    mean_of_step_means=edit(
        "counted = mask.sum()",
        "counted = mask.any(axis=0).sum() * np.maximum(mask.sum(axis=0), 1)[None, :, None]",
        "padding_gets_no_gradient",
        "Your gradient is that of a mean of the steps' means. A target of a step at which few texts are left then counts for "
        "more than others. Here every counted target counts the same.",
    ),
    divided_by_the_vocabulary_too=edit(
        "counted = mask.sum()",
        "counted = mask.sum() * logits.shape[-1]",
        "hell_to_ello",
        "Your mean also runs over the vocabulary. The loss has one number for each target, however many logits it is made of.",
    ),
    each_row_by_its_own_count=edit(
        "counted = mask.sum()",
        "counted = np.maximum(mask.sum(axis=1), 1)[:, None, None]",
        "padding_gets_no_gradient",
        "Your rows are each divided by their own number of counted positions. The mean is over the counted positions of "
        "the whole batch, so all rows share one number.",
    ),
    mask_on_the_predictions_only=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return (probs * mask[..., None] - one_hot) / counted",
        "padding_gets_no_gradient",
        "Your mask reaches the predictions and not the targets, so padding still gets a -1. What does not count has no "
        "gradient at all.",
    ),
    mask_on_the_logits=edit(
        "    peak = logits.max(axis=-1, keepdims=True)\n"
        "    raised = np.exp(logits - peak)\n"
        "    probs = raised / raised.sum(axis=-1, keepdims=True)\n"
        "    one_hot = np.eye(logits.shape[-1])[targets]\n"
        "    counted = mask.sum()\n"
        "    return (probs - one_hot) * mask[..., None] / counted",
        "    masked = logits * mask[..., None]\n"
        "    raised = np.exp(masked - masked.max(axis=-1, keepdims=True))\n"
        "    probs = raised / raised.sum(axis=-1, keepdims=True)\n"
        "    one_hot = np.eye(logits.shape[-1])[targets]\n"
        "    return (probs - one_hot) / mask.sum()",
        "padding_gets_no_gradient",
        "Your mask is multiplied into the logits. Logits of zero are a prediction too, and padding still gets a gradient. "
        "It is the gradient that the mask has to reach.",
    ),
    id_zero_taken_for_padding=edit(
        "    counted = mask.sum()\n    return (probs - one_hot)",
        "    mask = mask & (targets != 0)\n    counted = max(mask.sum(), 1)\n    return (probs - one_hot)",
        "hell_to_ello",
        "Your targets with the id 0 count as padding. Only the mask says what is padding; 0 is a token like any other.",
    ),
    slope_of_the_softmax_again=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return (probs - one_hot) * probs * (1 - probs) * mask[..., None] / counted",
        "hell_to_ello",
        "Your gradient is multiplied by p(1 - p) as well. Prediction minus target is the gradient through softmax and "
        "logarithm together, with nothing left to multiply.",
    ),
    targets_of_the_row_at_every_step=edit(
        "one_hot = np.eye(logits.shape[-1])[targets]",
        "one_hot = np.zeros(logits.shape)\n    for row, ids in enumerate(targets):\n        one_hot[row, :, ids] = 1",
        "hell_to_ello",
        "Your `:` for the step combines every step of a row with all targets of the row. What you want is one id for "
        "each step, so the steps need an index as well: np.arange(time).",
    ),
    mask_taken_for_lengths=edit(
        "    counted = mask.sum()\n    return (probs - one_hot)",
        "    counted = mask.sum()\n    mask = np.arange(mask.shape[1]) < mask.sum(axis=1, keepdims=True)\n"
        "    return (probs - one_hot)",
        "padding_gets_no_gradient",
        "Your code only counts how many positions of a row are real, and takes that many from its beginning. Padding may "
        "stand elsewhere; the mask says where.",
    ),
    stops_at_the_first_padding=edit(
        "    counted = mask.sum()\n    return (probs - one_hot)",
        "    counted = mask.sum()\n    mask = np.logical_and.accumulate(mask, axis=1)\n    return (probs - one_hot)",
        "padding_gets_no_gradient",
        "Your loop leaves a row at its first padded position. Real ones may stand behind it; the mask says where.",
    ),
    one_taken_off_every_token=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return (probs - 1) * mask[..., None] / counted",
        "hell_to_ello",
        "Your 1 is taken off every token. It belongs to the target alone; print the sums of your rows.",
    ),
    each_row_by_its_own_count_or_none=edit(
        "counted = mask.sum()",
        "counted = mask.sum(axis=1)[:, None, None]",
        "padding_gets_no_gradient",
        "Your rows are each divided by their own number of counted positions, and a row that counts nowhere by zero. The "
        "mean is over the counted positions of the whole batch, so all rows share one number.",
    ),
    one_hot_as_wide_as_the_largest_target=edit(
        "one_hot = np.eye(logits.shape[-1])[targets]",
        "one_hot = np.eye(targets.max() + 1)[targets]",
        "padding_gets_no_gradient",
        "Your one-hot vectors are as long as the largest target needs. They are as long as the vocabulary, also where its "
        "last tokens are no target.",
    ),
    mask_without_a_vocabulary_axis=edit(
        "return (probs - one_hot) * mask[..., None] / counted",
        "return (probs - one_hot) * mask / counted",
        "padding_gets_no_gradient",
        "Your mask is (batch, time) and meets an array with the vocabulary behind. It needs a last axis of length one.",
    ),
    probabilities_share_over_time=edit(
        "probs = raised / raised.sum(axis=-1, keepdims=True)",
        "probs = raised / raised.sum(axis=1, keepdims=True)",
        "hell_to_ello",
        "Your exponentials are divided by their sum over time. At each position it is the tokens of the vocabulary that share "
        "a total of one.",
    ),
)

STEP = mistakes_of(
    "rnn_step_backward",
    cache_in_another_order=edit(
        "x_t, h_prev, h_t, W_x, W_h = cache",
        "x_t, h_t, h_prev, W_x, W_h = cache",
        "step_gives_dh_prev",
        "You take the new state out of the cache where the old one lies, and the old one where the new one lies. The order is "
        "x_t, h_prev, h_t, W_x, W_h.",
    ),
    step_adds_rows_before_dW_h=edit(
        "dW_h = dz.T @ h_prev",
        "dW_h = np.outer(dz.sum(axis=0), h_prev.sum(axis=0))",
        "step_gives_dW_h",
        "Your dW_h adds up the rows of the batch first and multiplies then, which mixes one row's gradient with another row's state. "
        "Each row has a product of its own; add up these.",
    ),
    step_adds_rows_before_dW_x=edit(
        "dW_x = dz.T @ x_t",
        "dW_x = np.outer(dz.sum(axis=0), x_t.sum(axis=0))",
        "step_gives_dW_x",
        "Your dW_x adds up the rows of the batch first and multiplies then, which mixes one row's gradient with another row's input. "
        "Each row has a product of its own; add up these.",
    ),
    step_without_tanh=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh",
        "step_gives_dh_prev",
        "Your gradient goes past the tanh as if it were not there. A unit near 1 or -1 hardly moves when its input "
        "does, so hardly any gradient gets through it.",
    ),
    tanh_of_the_state=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh * (1 - np.tanh(h_t) ** 2)",
        "step_gives_dh_prev",
        "Your tanh' is taken at h_t, which already has been through the tanh. The derivative in terms of the "
        "output needs no tanh any more.",
    ),
    tanh_slope_not_squared=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh * (1 - h_t)",
        "step_gives_dh_prev",
        "Your tanh' lacks the square. It has to be the same for a state and its negative, and never more than one.",
    ),
    slope_of_the_sigmoid=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh * h_t * (1 - h_t)",
        "step_gives_dh_prev",
        "Your derivative is the sigmoid's, s(1 - s). This network has a tanh.",
    ),
    tanh_at_the_previous_state=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh * (1 - h_prev**2)",
        "step_gives_dh_prev",
        "Your tanh' is taken at h_prev. The tanh of this step made h_t.",
    ),
    divided_by_the_slope=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh / (1 - h_t**2)",
        "step_gives_dh_prev",
        "Your gradient is divided by tanh'. Going back is not undoing: the chain rule multiplies by the derivative.",
    ),
    dx_without_tanh=edit(
        "dx = dz @ W_x",
        "dx = dh @ W_x",
        "step_gives_dx",
        "Your dx is taken from dh, before the tanh was gone through; the other terms are not. The input, too, "
        "stands inside the tanh.",
    ),
    dh_prev_without_tanh=edit(
        "dh_prev = dz @ W_h",
        "dh_prev = dh @ W_h",
        "step_gives_dh_prev",
        "Your dh_prev is taken from dh, before the tanh was gone through. Over many steps this makes the "
        "difference between a gradient that vanishes and one that does not.",
    ),
    dh_prev_slope_after_W_h=edit(
        "dh_prev = dz @ W_h",
        "dh_prev = (dh @ W_h) * (1 - h_t**2)",
        "step_gives_dh_prev",
        "Your dh_prev goes through W_h first and through the tanh after it. Forward, the tanh came last, so going "
        "back it comes first.",
    ),
    dW_x_without_tanh=edit(
        "dW_x = dz.T @ x_t",
        "dW_x = dh.T @ x_t",
        "step_gives_dW_x",
        "Your dW_x is taken from dh, before the tanh was gone through. The weights stand inside the tanh.",
    ),
    dW_h_without_tanh=edit(
        "dW_h = dz.T @ h_prev",
        "dW_h = dh.T @ h_prev",
        "step_gives_dW_h",
        "Your dW_h is taken from dh, before the tanh was gone through. The weights stand inside the tanh.",
    ),
    db_without_tanh=edit(
        "db = dz.sum(axis=0)",
        "db = dh.sum(axis=0)",
        "step_gives_db",
        "Your db is taken from dh, before the tanh was gone through. The bias stands inside the tanh.",
    ),
    db_not_summed=edit(
        "db = dz.sum(axis=0)",
        "db = dz",
        "step_gives_db",
        "Your db still has the batch axis. There is one bias for all rows, so what the rows say about it adds up.",
    ),
    db_averaged=edit(
        "db = dz.sum(axis=0)",
        "db = dz.mean(axis=0)",
        "step_gives_db",
        "Your db is the mean over the batch where the chain rule adds up. If the loss is a mean, its own gradient "
        "has seen to that already.",
    ),
    db_summed_over_units=edit(
        "db = dz.sum(axis=0)",
        "db = dz.sum(axis=1)",
        "equal_sizes_hide_no_wrong_term",
        "Your db adds up the units of each row. It is the rows that share the bias; each unit has its own.",
    ),
    dW_x_averaged=edit(
        "dW_x = dz.T @ x_t",
        "dW_x = dz.T @ x_t / len(x_t)",
        "step_gives_dW_x",
        "Your dW_x is the mean over the batch where the chain rule adds up. If the loss is a mean, its own gradient "
        "has seen to that already.",
    ),
    dW_h_averaged=edit(
        "dW_h = dz.T @ h_prev",
        "dW_h = dz.T @ h_prev / len(h_prev)",
        "step_gives_dW_h",
        "Your dW_h is the mean over the batch where the chain rule adds up. If the loss is a mean, its own gradient "
        "has seen to that already.",
    ),
    dh_prev_through_the_transpose=edit(
        "dh_prev = dz @ W_h",
        "dh_prev = dz @ W_h.T",
        "step_gives_dh_prev",
        "Your dh_prev goes through W_h in the forward direction. Forward, with a row for each sequence, the state "
        "meets W_h transposed; going back undoes that transpose. W_h is square, so no shape warned you.",
    ),
    dx_through_the_transpose=edit(
        "dx = dz @ W_x",
        "dx = dz @ W_x.T",
        "equal_sizes_hide_no_wrong_term",
        "Your dx goes through W_x in the forward direction: follow the shapes from (batch, hidden) to "
        "(batch, features).",
    ),
    dx_through_W_h=edit(
        "dx = dz @ W_x",
        "dx = dz @ W_h",
        "equal_sizes_hide_no_wrong_term",
        "Your dx goes through the recurrent weights. The input came in through W_x.",
    ),
    dW_inputs_swapped=edit(
        "dW_x = dz.T @ x_t\n    dW_h = dz.T @ h_prev",
        "dW_x = dz.T @ h_prev\n    dW_h = dz.T @ x_t",
        "equal_sizes_hide_no_wrong_term",
        "Your dW_x and dW_h have changed places, either in the formulas or at the end. Each weight matrix meets what "
        "it was multiplied with in the forward pass: W_x the input, W_h the state before.",
    ),
    dW_h_from_the_new_state=edit(
        "dW_h = dz.T @ h_prev",
        "dW_h = dz.T @ h_t",
        "step_gives_dW_h",
        "Your dW_h is taken with the state this step made. W_h was multiplied with the state before it.",
    ),
    dW_h_transposed=edit(
        "dW_h = dz.T @ h_prev",
        "dW_h = h_prev.T @ dz",
        "step_gives_dW_h",
        "Your dW_h is transposed. Rows belong to what comes out (dz), columns to what went in (h_prev); W_h is "
        "square, so no shape warned you.",
    ),
    dW_x_transposed=edit(
        "dW_x = dz.T @ x_t",
        "dW_x = x_t.T @ dz",
        "equal_sizes_hide_no_wrong_term",
        "Your dW_x is transposed: (features, hidden). A gradient has the shape of what it belongs to, and weights "
        "are laid out (out, in).",
    ),
    dx_and_dh_prev_swapped=edit(
        "return dx, dh_prev, dW_x, dW_h, db\n",
        "return dh_prev, dx, dW_x, dW_h, db\n",
        "equal_sizes_hide_no_wrong_term",
        "Your dx and dh_prev have changed places. The order agreed on is dx, dh_prev, dW_x, dW_h, db; and in the cache W_x comes before W_h.",
    ),
    step_gradients_in_columns=edit(
        "return dx, dh_prev, dW_x, dW_h, db\n",
        "return dx.T, dh_prev.T, dW_x, dW_h, db\n",
        "step_gives_dx",
        "Your dx and dh_prev hold each sequence in a column. Here, as in x_t and h_prev, each has a row.",
    ),
    step_backward_in_place=edit(
        "dz = dh * (1 - h_t**2)",
        "dh *= 1 - h_t**2\n    dz = dh",
        "step_leaves_its_cache_alone",
        "Your function multiplies the caller's dh by tanh' in place. The terms are right, but dh is not dh any "
        "more; a second call goes through the tanh twice.",
    ),
    all_step_gradients_averaged=edit(
        "dW_x = dz.T @ x_t\n    dW_h = dz.T @ h_prev\n    db = dz.sum(axis=0)",
        "dW_x = dz.T @ x_t / len(dz)\n    dW_h = dz.T @ h_prev / len(dz)\n    db = dz.mean(axis=0)",
        "step_gives_dW_x",
        "Your dW_x, dW_h and db are divided by the number of rows. The chain rule adds up; if the loss is a "
        "mean over the batch, dh has that in it already.",
    ),
    weights_of_the_last_row=edit(
        "dW_x = dz.T @ x_t\n    dW_h = dz.T @ h_prev\n    db = dz.sum(axis=0)",
        "dW_x = dz[-1:].T @ x_t[-1:]\n    dW_h = dz[-1:].T @ h_prev[-1:]\n    db = dz[-1]",
        "step_gives_dW_x",
        "Your dW_x, dW_h and db are those of the last row alone: each row overwrites the one before it. All "
        "rows share the weights, so their gradients add up.",
    ),
    slope_squared_as_a_whole=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh * (1 - h_t) ** 2",
        "one_step_by_hand",
        "Your square is that of 1 - h_t. The derivative of tanh is 1 - h_t^2, so the square belongs to h_t alone.",
    ),
    weights_by_reshape=edit(
        "dW_x = dz.T @ x_t\n    dW_h = dz.T @ h_prev",
        "dW_x = dz.reshape(dz.shape[::-1]) @ x_t\n    dW_h = dz.reshape(dz.shape[::-1]) @ h_prev",
        "one_step_of_a_batch",
        "Your rows become columns by `reshape`, which keeps the numbers in their order and mixes the rows of the batch. To "
        "turn rows into columns is to transpose.",
    ),
    weights_of_the_summed_batch=edit(
        "dW_x = dz.T @ x_t\n    dW_h = dz.T @ h_prev",
        "dW_x = np.outer(dz.sum(axis=0), x_t.sum(axis=0))\n    dW_h = np.outer(dz.sum(axis=0), h_prev.sum(axis=0))",
        "one_step_of_a_batch",
        "Your rows are added up before they are multiplied, so every row's gradient meets every row's input. Multiply row "
        "by row, and add up the products.",
    ),
    db_keeps_the_batch_axis=edit(
        "db = dz.sum(axis=0)",
        "db = dz.sum(axis=0, keepdims=True)",
        "one_step_by_hand",
        "Your db has an axis of length one in front (`keepdims`). It has the shape of the bias, (hidden,).",
    ),
    db_is_one_number=edit(
        "db = dz.sum(axis=0)",
        "db = dz.sum()",
        "one_step_by_hand",
        "Your db is one number, the sum over rows and units. Each unit has a bias of its own; only the rows add up.",
    ),
    bias_before_the_weights=edit(
        "return dx, dh_prev, dW_x, dW_h, db\n",
        "return dx, dh_prev, db, dW_x, dW_h\n",
        "one_step_by_hand",
        "Your db comes before the weights. The order agreed on is dx, dh_prev, dW_x, dW_h, db.",
    ),
    weights_before_the_inputs=edit(
        "return dx, dh_prev, dW_x, dW_h, db\n",
        "return dW_x, dW_h, db, dx, dh_prev\n",
        "one_step_by_hand",
        "Your gradients of the weights come first. The order agreed on is dx, dh_prev, dW_x, dW_h, db.",
    ),
    dh_prev_through_the_tanh_before=edit(
        "dh_prev = dz @ W_h",
        "dh_prev = (dz @ W_h) * (1 - h_prev**2)",
        "one_step_by_hand",
        "Your dh_prev goes through the tanh that made h_prev as well. That tanh belongs to the step before, which will "
        "go through it itself.",
    ),
    weights_without_tanh=edit(
        "dW_x = dz.T @ x_t\n    dW_h = dz.T @ h_prev\n    db = dz.sum(axis=0)",
        "dW_x = dh.T @ x_t\n    dW_h = dh.T @ h_prev\n    db = dh.sum(axis=0)",
        "one_step_by_hand",
        "Your dW_x, dW_h and db are taken from dh, before the tanh was gone through. Weights and bias stand inside the "
        "tanh.",
    ),
    weights_of_the_first_row=edit(
        "dW_x = dz.T @ x_t\n    dW_h = dz.T @ h_prev\n    db = dz.sum(axis=0)",
        "dW_x = dz[:1].T @ x_t[:1]\n    dW_h = dz[:1].T @ h_prev[:1]\n    db = dz[0]",
        "one_step_of_a_batch",
        "Your dW_x, dW_h and db are those of the first row alone. All rows share the weights, so their gradients add up.",
    ),
    weights_for_each_row=edit(
        "dW_x = dz.T @ x_t\n    dW_h = dz.T @ h_prev\n    db = dz.sum(axis=0)",
        "dW_x = dz[:, :, None] * x_t[:, None]\n    dW_h = dz[:, :, None] * h_prev[:, None]\n    db = dz",
        "one_step_by_hand",
        "Your dW_x, dW_h and db still have the batch axis. There is one set of weights for all rows, so what the rows say "
        "about it adds up.",
    ),
    sum_made_again_without_the_bias=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh * (1 - np.tanh(x_t @ W_x.T + h_prev @ W_h.T) ** 2)",
        "one_step_by_hand",
        "Your tanh is computed again from x_t and h_prev, without the bias, which is not in the cache. Its value is there: "
        "it is h_t.",
    ),
    slope_of_the_relu=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh * (h_t > 0)",
        "one_step_by_hand",
        "Your derivative is that of a ReLU, which passes a gradient or stops it. This network has a tanh.",
    ),
    slope_with_a_plus=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh * (1 + h_t**2)",
        "one_step_by_hand",
        "Your tanh' is 1 + h_t^2, which is never less than one. A saturated unit lets hardly anything through.",
    ),
    slope_taken_at_the_gradient=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh * (1 - dh**2)",
        "one_step_by_hand",
        "Your tanh' is taken at dh. It is the derivative at the state, and dh is what it is multiplied with.",
    ),
    dh_added_to_dh_prev=edit(
        "dh_prev = dz @ W_h",
        "dh_prev = dz @ W_h + dh",
        "one_step_by_hand",
        "Your dh_prev has dh added to it, as if the old state were added to the new one. In this network it comes in "
        "through W_h alone.",
    ),
    outer_product_of_the_whole_batch=edit(
        "dW_x = dz.T @ x_t\n    dW_h = dz.T @ h_prev",
        "dW_x = np.outer(dz, x_t)\n    dW_h = np.outer(dz, h_prev)",
        "one_step_of_a_batch",
        "Your outer product (`np.outer`) flattens both arrays, so every row meets every other row. That works for one row; "
        "for a batch, add up the products row by row.",
    ),
    columns_for_rows_going_back=edit(
        "dx = dz @ W_x\n    dh_prev = dz @ W_h\n",
        "dx = W_x.T @ dz\n    dh_prev = W_h.T @ dz\n",
        "one_step_by_hand",
        "Your products have the matrix on the left, as the formula does for one column vector. A batch is a stack of rows, "
        "so the units that meet the matrix stand in the last axis of dz.",
    ),
    slope_rooted=edit(
        "dz = dh * (1 - h_t**2)",
        "dz = dh * np.sqrt(1 - h_t**2)",
        "one_step_by_hand",
        "Your tanh' has a root around it. The derivative is 1 - h_t^2 itself.",
    ),
    entries_of_the_weights_for_a_product=edit(
        "dh_prev = dz @ W_h",
        "dh_prev = dz * W_h",
        "one_step_by_hand",
        "Your dh_prev multiplies dz and W_h entry by entry. It is a product of matrices: each unit of the state before was "
        "read by all units.",
    ),
    weights_without_a_turn=edit(
        "dW_x = dz.T @ x_t\n    dW_h = dz.T @ h_prev",
        "dW_x = dz @ x_t\n    dW_h = dz @ h_prev",
        "one_step_by_hand",
        "Your products of dz and its inputs lack a transpose. The rows of the batch are what adds up, so units and features "
        "are what is left.",
    ),
)

SEQUENCE = mistakes_of(
    "rnn_backward",
    clipped_on_the_way=edit(
        "return np.stack(dx, axis=1), dh0, dW_x, dW_h, db",
        "return np.stack(dx, axis=1), dh0, *(np.clip(sum_, -5, 5) for sum_ in (dW_x, dW_h, db))",
        "large_gradients_stay_large",
        "You cut the gradients of the weights off at -5 and 5. Clipping is a step of its own, after all gradients are known: here they "
        "are asked for as they are.",
    ),
    dh_next_not_added=edit(
        "total = dh[:, t] + dh_next",
        "total = dh[:, t]",
        "recurrent_weights_add_up",
        "Your steps do not hand their gradient on: each uses only what its own output sends. A state is also read "
        "by the next step, and without that path nothing is learned about the past.",
    ),
    only_the_last_step_feeds=edit(
        "total = dh[:, t] + dh_next",
        "total = dh_next if t < x.shape[1] - 1 else dh[:, t]",
        "every_step_can_be_the_one_with_a_loss",
        "Your backward pass takes in dh at the last step only, and then passes it on. There is a loss at every "
        "step, so every dh[:, t] comes in on the way.",
    ),
    last_dh_at_every_step=edit(
        "total = dh[:, t] + dh_next",
        "total = dh[:, -1] + dh_next",
        "every_step_can_be_the_one_with_a_loss",
        "Your steps all take in the gradient of the last output. Each state has its own dh[:, t].",
    ),
    outputs_skip_the_steps_between=edit(
        "total = dh[:, t] + dh_next",
        "total = dh[:, t:].sum(axis=1)",
        "recurrent_weights_add_up",
        "Your states collect the gradients of all later outputs as they are. On their way back those go through "
        "every step between, through its tanh' and its W_h.",
    ),
    dW_x_overwritten=edit(
        "dW_x = dW_x + dW_x_t",
        "dW_x = dW_x_t",
        "input_weights_add_up",
        "Your dW_x is overwritten at every step, so only the first step of the sequence is left in it. Every "
        "step reads the same W_x, and what they say about it adds up.",
    ),
    dW_h_overwritten=edit(
        "dW_h = dW_h + dW_h_t",
        "dW_h = dW_h_t",
        "recurrent_weights_add_up",
        "Your dW_h is overwritten at every step, so only the first step of the sequence is left in it. Every "
        "step reads the same W_h, and what they say about it adds up.",
    ),
    db_overwritten=edit(
        "db = db + db_t",
        "db = db_t",
        "biases_add_up",
        "Your db is overwritten at every step, so only the first step of the sequence is left in it. Every step "
        "has the same bias, and what they say about it adds up.",
    ),
    all_weights_overwritten=edit(
        "dW_x = dW_x + dW_x_t\n        dW_h = dW_h + dW_h_t\n        db = db + db_t",
        "dW_x, dW_h, db = dW_x_t, dW_h_t, db_t",
        "recurrent_weights_add_up",
        "Your dW_x, dW_h and db are overwritten at every step (`dW =`), so only the first step of the sequence is "
        "left in them. All steps share these weights, and what they say about them adds up (`dW +=`).",
    ),
    weights_averaged_over_time=edit(
        "dh0 = dh_next\n",
        "dh0 = dh_next\n    dW_x, dW_h, db = (a / x.shape[1] for a in (dW_x, dW_h, db))\n",
        "recurrent_weights_add_up",
        "Your gradients of the weights are divided by the number of steps. The chain rule adds up; if the loss is "
        "a mean over the steps, dh has that in it already.",
    ),
    db_averaged_over_time=edit(
        "return np.stack(dx, axis=1), dh0, dW_x, dW_h, db",
        "return np.stack(dx, axis=1), dh0, dW_x, dW_h, db / x.shape[1]",
        "biases_add_up",
        "Your db is divided by the number of steps. The bias takes part in every step, and the chain rule adds up what each gives.",
    ),
    db_averaged_over_the_batch=edit(
        "return np.stack(dx, axis=1), dh0, dW_x, dW_h, db",
        "return np.stack(dx, axis=1), dh0, dW_x, dW_h, db / len(x)",
        "biases_add_up",
        "Your db is divided by the number of rows. The bias takes part in every row, and the chain rule adds up what each gives.",
    ),
    weights_averaged_over_the_batch=edit(
        "dh0 = dh_next\n",
        "dh0 = dh_next\n    dW_x, dW_h, db = (a / x.shape[0] for a in (dW_x, dW_h, db))\n",
        "recurrent_weights_add_up",
        "Your gradients of the weights are divided by the number of rows. The chain rule adds up; if the loss is a "
        "mean over the batch, dh has that in it already.",
    ),
    runs_forward=edit(
        "for t in reversed(range(x.shape[1])):\n        before",
        "for t in range(x.shape[1]):\n        before",
        "every_step_can_be_the_one_with_a_loss",
        "Your loop runs from the first step to the last. A gradient goes the other way: what arrives at a state is "
        "known only once all later steps have been gone through.",
    ),
    wraps_around_to_the_last_state=edit(
        "before = h[:, t - 1] if t > 0 else h0",
        "before = h[:, t - 1]",
        "recurrent_weights_add_up",
        "Your state before the first step is h[:, -1], which in Python is the last one. Before the first step "
        "comes h0.",
    ),
    starts_from_zeros=edit(
        "before = h[:, t - 1] if t > 0 else h0",
        "before = h[:, t - 1] if t > 0 else np.zeros(h0.shape)",
        "recurrent_weights_add_up",
        "Your state before the first step is zero, so that step adds nothing to dW_h. The network started from h0.",
    ),
    own_state_for_the_previous=edit(
        "before = h[:, t - 1] if t > 0 else h0",
        "before = h[:, t]",
        "recurrent_weights_add_up",
        "Your steps use the state they made as the state they started from. h[:, t] is the state after step t; "
        "what W_h was multiplied with stands one place earlier.",
    ),
    h0_before_every_step=edit(
        "before = h[:, t - 1] if t > 0 else h0",
        "before = h0",
        "recurrent_weights_add_up",
        "Your steps all start from h0. Only the first one did; each later one started from the state before it.",
    ),
    dh0_dropped=edit(
        "dh0 = dh_next\n",
        "dh0 = np.zeros(h0.shape)\n",
        "first_state_gets_its_gradient",
        "Your dh0 is zero. h0 was read by the first step, and what that step hands back is its gradient; an encoder "
        "that made h0 learns from nothing else.",
    ),
    dh0_of_the_first_state=edit(
        "dh0 = dh_next\n",
        "dh0 = total\n",
        "first_state_gets_its_gradient",
        "Your dh0 is the gradient of the first state, h[:, 0], not of h0: one step is still to be gone through.",
    ),
    first_step_left_out=edit(
        "for t in reversed(range(x.shape[1])):\n        before",
        "for t in reversed(range(1, x.shape[1])):\n        before",
        "inputs_get_their_gradient",
        "Your loop stops before the first step, so x[:, 0] and h0 get nothing of their own. Check where your range "
        "ends.",
    ),
    last_step_left_out=edit(
        "for t in reversed(range(x.shape[1])):\n        before",
        "for t in reversed(range(x.shape[1] - 1)):\n        before",
        "every_step_can_be_the_one_with_a_loss",
        "Your loop leaves out the last step. With steps counted from 0, the last one is time - 1; check where your "
        "range begins.",
    ),
    dx_in_reverse_order=edit(
        "dx[t] = dx_t",
        "dx[-1 - t] = dx_t",
        "inputs_get_their_gradient",
        "Your dx is in the order in which it was found, the last step first. It belongs to x, so its steps are in "
        "the order of x.",
    ),
    dx_of_the_first_step_only=edit(
        "np.stack(dx, axis=1)",
        "dx_t",
        "inputs_get_their_gradient",
        "Your dx holds a single step. Every step has an input of its own, and a place in dx.",
    ),
    dx_added_up_over_time=edit(
        "np.stack(dx, axis=1)",
        "np.cumsum(np.stack(dx, axis=1)[:, ::-1], axis=1)[:, ::-1]",
        "inputs_get_their_gradient",
        "Your dx is added up over the steps. The weights are shared by all steps, the inputs are not: x[:, t] is "
        "read by step t alone.",
    ),
    time_and_batch_swapped=edit(
        "total = dh[:, t] + dh_next",
        "total = dh[t] + dh_next",
        "equal_sizes_hide_no_wrong_gradient",
        "Your loop takes dh[t], which is the t-th sequence of the batch. Time is the second axis.",
    ),
    callers_dh_mutated=edit(
        "total = dh[:, t] + dh_next",
        "dh[:, t] += dh_next\n        total = dh[:, t]",
        "going_back_twice_gives_the_same",
        "Your function adds what comes from later steps into the caller's dh. The gradients are right this once; "
        "a second call with the same dh finds them in there already.",
    ),
    next_step_skips_the_tanh=edit(
        "total = dh[:, t] + dh_next\n"
        "        dx_t, dh_next, dW_x_t, dW_h_t, db_t = rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))",
        "total = dh[:, t] * (1 - h[:, t] ** 2) + dh_next\n"
        "        linear = np.zeros(h[:, t].shape)\n"
        "        dx_t, dh_next, dW_x_t, dW_h_t, db_t = rnn_step_backward(total, (x[:, t], before, linear, W_x, W_h))",
        "three_steps_by_hand",
        "What the next step hands back is added after the derivative of tanh, so it skips that step's tanh. Add it "
        "to dh[:, t] first: both come to h_t, and h_t is the output of the tanh.",
    ),
    handed_back_adds_up=edit(
        "dx_t, dh_next, dW_x_t, dW_h_t, db_t = rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))",
        "dx_t, handed, dW_x_t, dW_h_t, db_t = rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))\n"
        "        dh_next = dh_next + handed",
        "two_sequences",
        "What a step hands back is added to what later steps have handed back (`dh_next +=`). Those went through this step "
        "already; what it hands back takes their place.",
    ),
    dx_reshaped=edit(
        "np.stack(dx, axis=1)",
        "np.array(dx).reshape(x.shape)",
        "two_sequences",
        "Your dx was collected time first and brought to (batch, time, features) by `reshape`, which leaves the numbers in "
        "their order, so the sequences are mixed. Two axes that change places need a transpose.",
    ),
    dx_in_the_shape_of_dh=edit(
        "dx[t] = dx_t",
        "dx[t] = np.zeros(dh[:, t].shape)\n        dx[t][:] = dx_t",
        "two_sequences",
        "Your dx has the shape of dh, so it has as many features as there are hidden units. It belongs to x, and has its shape.",
    ),
    h0_also_after_the_first_step=edit(
        "before = h[:, t - 1] if t > 0 else h0",
        "before = h[:, t - 2] if t > 1 else h0",
        "two_sequences",
        "The state you take for the one before a step is that of two steps before. Before step t there was h[:, t - 1], and "
        "before the first one h0.",
    ),
    dx_time_first=edit(
        "np.stack(dx, axis=1)",
        "np.stack(dx)",
        "three_steps_by_hand",
        "Your dx has time first and batch second. It has the shape of x: (batch, time, features).",
    ),
    dx_of_all_steps_in_one=edit(
        "np.stack(dx, axis=1)",
        "np.sum(dx, axis=0)",
        "three_steps_by_hand",
        "Your dx is the sum over the steps. The weights are shared by all steps, the inputs are not: each step keeps its "
        "own.",
    ),
    dh0_of_all_rows_in_one=edit(
        "dh0 = dh_next\n",
        "dh0 = dh_next.sum(axis=0)\n",
        "three_steps_by_hand",
        "Your dh0 is the sum over the batch. Each sequence has a row of h0 of its own, and a row of dh0.",
    ),
    last_dh_counted_twice=edit(
        "dh_next = np.zeros(h0.shape)\n",
        "dh_next = dh[:, -1]\n",
        "three_steps_by_hand",
        "Your dh_next begins with the gradient of the last output, which that step takes in once more. At the last step "
        "nothing is handed back yet.",
    ),
    reads_the_input_before=edit(
        "rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))\n        dx[t]",
        "rnn_step_backward(total, (x[:, t - 1], before, h[:, t], W_x, W_h))\n        dx[t]",
        "three_steps_by_hand",
        "Your step t takes x[:, t - 1] for what it read. It is the state that stands one place earlier; the input of step t "
        "is x[:, t].",
    ),
    all_outputs_at_the_last_step=edit(
        "total = dh[:, t] + dh_next",
        "total = dh_next if t < x.shape[1] - 1 else dh.sum(axis=1)",
        "every_step_can_be_the_one_with_a_loss",
        "Your gradients of all outputs are added up and sent in at the last step. Each dh[:, t] comes in at its own step, "
        "or it runs through steps that came after it.",
    ),
    slope_of_the_state_before=edit(
        "rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))\n        dx[t]",
        "rnn_step_backward(total, (x[:, t], before, before, W_x, W_h))\n        dx[t]",
        "three_steps_by_hand",
        "Your tanh' is that of the state before. The tanh of step t made h[:, t].",
    ),
    state_after_for_the_one_before=edit(
        "before = h[:, t - 1] if t > 0 else h0",
        "before = h[:, t + 1] if t < x.shape[1] - 1 else h0",
        "three_steps_by_hand",
        "Your states are shifted the wrong way: step t gets the state after it, and the last step h0. Before step t there was "
        "h[:, t - 1].",
    ),
    handed_back_through_the_transpose=edit(
        "rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))\n        dx[t]",
        "rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))\n"
        "        dh_next = (total * (1 - h[:, t] ** 2)) @ W_h.T\n        dx[t]",
        "two_sequences",
        "Your steps hand their gradient back through W_h in the forward direction. W_h is square, so no shape warned you.",
    ),
    recurrent_weights_transposed=edit(
        "dh0 = dh_next\n",
        "dh0, dW_h = dh_next, dW_h.T\n",
        "two_sequences",
        "Your dW_h is transposed. Rows belong to what comes out, columns to the state before; W_h is square, so no shape "
        "warned you.",
    ),
    handed_back_without_tanh=edit(
        "rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))\n        dx[t]",
        "rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))\n        dh_next = total @ W_h\n        dx[t]",
        "three_steps_by_hand",
        "What your steps hand back goes through W_h alone. Each step has a tanh as well, and its derivative comes first.",
    ),
    first_dh_added_to_dh0=edit(
        "dh0 = dh_next\n",
        "dh0 = dh_next + dh[:, 0]\n",
        "three_steps_by_hand",
        "Your dh0 has the gradient of the first output in it once more. No output reads h0; only the first step does.",
    ),
    first_state_without_an_axis_of_time=edit(
        "dh_next = np.zeros(h0.shape)\n",
        "dh_next = np.zeros(h0.shape)\n    np.concatenate([h0, h[:, :-1]], axis=1)\n",
        "three_steps_by_hand",
        "Your h0 is (batch, hidden), and h has time between. It needs an axis of length one for its time to be put in front.",
    ),
    batch_axis_taken_for_time=edit(
        "rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))\n        dx[t]",
        "rnn_step_backward(total, (x[t], before, h[t], W_x, W_h))\n        dx[t]",
        "three_steps_by_hand",
        "Your x[t] and h[t] are the t-th sequence of the batch. Time is the second axis.",
    ),
    own_state_but_for_the_first_step=edit(
        "before = h[:, t - 1] if t > 0 else h0",
        "before = h[:, t] if t > 0 else h0",
        "three_steps_by_hand",
        "Your steps use the state they made as the state they started from, but for the first. h[:, t] is the state after "
        "step t; the one before stands one place earlier.",
    ),
    h0_before_the_first_two_steps=edit(
        "before = h[:, t - 1] if t > 0 else h0",
        "before = h[:, t - 1] if t > 1 else h0",
        "three_steps_by_hand",
        "Your second step starts from h0, as the first one does. Before step 1 there was h[:, 0]; h0 comes before step 0 "
        "alone.",
    ),
    first_step_without_what_comes_back=edit(
        "total = dh[:, t] + dh_next",
        "total = dh[:, t] + (dh_next if t > 0 else 0)",
        "three_steps_by_hand",
        "Your first step goes back with dh[:, 0] alone. The second step hands it a gradient, as every step does to the one before it.",
    ),
    only_the_next_step_comes_back=edit(
        "        dx[t] = dx_t\n",
        "        dx[t] = dx_t\n"
        "        own = rnn_step_backward(dh[:, t], (x[:, t], before, h[:, t], W_x, W_h))[1]\n"
        "        dh_next = own if t else dh_next\n",
        "inputs_get_their_gradient",
        "Your steps hear of the next step alone. What that one hands back depends on what it got from the step behind it, so the steps "
        "go one after another, from the last to the first.",
    ),
)

EMBEDDING = mistakes_of(
    "embedding_backward",
    first_position_left_out=edit(
        "np.add.at(dE, ids, d_out)",
        "np.add.at(dE, ids[:, 1:], d_out[:, 1:])",
        "hell_has_two_l",
        "Your loop over time begins at 1, so what arrives at the first position of each row is left out.",
    ),
    counts_end_at_the_largest_id=edit(
        "np.add.at(dE, ids, d_out)",
        "for column in range(dE.shape[1]):\n"
        "        dE[:, column] = np.bincount(ids.ravel(), weights=d_out[..., column].ravel())",
        "hell_has_two_l",
        "Your sums come from np.bincount, which ends at the largest id that was read. The table has a row for every token: say "
        "minlength.",
    ),
    repeated_ids_overwrite=edit(
        "np.add.at(dE, ids, d_out)",
        "dE[ids] = d_out",
        "repeated_ids_add_up",
        "Your rows keep only the last place where a token stands. A row that was read several times collects from "
        "all those places. (`dE[ids] += d_out` does the same: numpy reads, adds and writes each row once.)",
    ),
    first_occurrence_only=edit(
        "np.add.at(dE, ids, d_out)",
        "dE[ids[:, ::-1][::-1]] = d_out[:, ::-1][::-1]",
        "repeated_ids_add_up",
        "Your rows keep only the first place where a token stands. A row that was read several times collects from "
        "all those places.",
    ),
    repeated_ids_averaged=edit(
        "return dE\n",
        "return dE / np.maximum(np.bincount(ids.ravel(), minlength=vocab_size), 1)[:, None]\n",
        "repeated_ids_add_up",
        "Your rows hold the mean over the places where a token stands. The chain rule adds up: a frequent token "
        "is moved by every one of its places.",
    ),
    embedding_averaged_over_tokens=edit(
        "return dE\n",
        "return dE / ids.size\n",
        "repeated_ids_add_up",
        "Your table is divided by the number of tokens. If the loss is a mean, d_out has that in it already.",
    ),
    embedding_averaged_over_the_batch=edit(
        "return dE\n",
        "return dE / len(ids)\n",
        "repeated_ids_add_up",
        "Your table is divided by the number of rows of the batch. If the loss is a mean, d_out has that in it "
        "already.",
    ),
    table_transposed=edit(
        "return dE\n",
        "return dE.T\n",
        "equal_sizes_hide_no_transposed_table",
        "Your table is transposed: features down, tokens across. It has a row for each id, like the table the "
        "vectors came from.",
    ),
    table_as_large_as_the_largest_id=edit(
        "dE = np.zeros((vocab_size, d_out.shape[-1]))",
        "dE = np.zeros((ids.max() + 1, d_out.shape[-1]))",
        "unread_rows_are_zero",
        "Your table ends at the largest id of this text. It has a row for every token of the vocabulary, whether "
        "it was read or not.",
    ),
    row_zero_taken_for_padding=edit(
        "return dE\n",
        "dE[0] = 0\n    return dE\n",
        "no_id_is_special",
        "Your row 0 is left at zero, as if 0 stood for padding. Nothing here says so; 0 is a token like any other.",
    ),
    ids_count_from_one=edit(
        "np.add.at(dE, ids, d_out)",
        "np.add.at(dE, ids - 1, d_out)",
        "repeated_ids_add_up",
        "Your rows are off by one: the gradient of token i ends up in row i - 1. Ids count from 0, like rows.",
    ),
    last_position_left_out=edit(
        "np.add.at(dE, ids, d_out)",
        "np.add.at(dE, ids[:, :-1], d_out[:, :-1])",
        "repeated_ids_add_up",
        "Your table collects nothing from the last position of each text. It was read there, too.",
    ),
    one_text_only=edit(
        "np.add.at(dE, ids, d_out)",
        "np.add.at(dE, ids[0], d_out[0])",
        "repeated_ids_add_up",
        "Your table collects from the first text of the batch only. All of them read from it.",
    ),
    counts_instead_of_gradients=edit(
        "np.add.at(dE, ids, d_out)",
        "np.add.at(dE, ids, 1.0)",
        "repeated_ids_add_up",
        "Your table counts how often each token stands in the text. What adds up are the gradients that arrive at "
        "those places.",
    ),
    width_from_the_time_axis=edit(
        "dE = np.zeros((vocab_size, d_out.shape[-1]))",
        "dE = np.zeros((vocab_size, d_out.shape[1]))",
        "hell_has_two_l",
        "Your table takes the number of features from axis 1 of `d_out`, which is time. The features are the last "
        "axis.",
    ),
    repeated_at_one_step_overwrite=edit(
        "np.add.at(dE, ids, d_out)",
        "for t in range(ids.shape[1]):\n        dE[ids[:, t]] += d_out[:, t]",
        "two_texts_share_a_table",
        "A token that stands in several texts at the same step keeps the gradient of one of them: `dE[ids] +=` reads, adds "
        "and writes each row once, however often its id is in `ids`.",
    ),
    repeated_in_one_text_overwrite=edit(
        "np.add.at(dE, ids, d_out)",
        "for row in range(len(ids)):\n        dE[ids[row]] += d_out[row]",
        "hell_has_two_l",
        "A token that stands several times in one text keeps the gradient of its last place: `dE[ids] +=` reads, adds and "
        "writes each row once, however often its id is in `ids`.",
    ),
    last_id_left_out=edit(
        "return dE\n",
        "dE[-1] = 0\n    return dE\n",
        "repeated_ids_add_up",
        "Your last row is always zero. Ids run from 0 to vocab_size - 1, and the last one is a token, too.",
    ),
    table_of_read_rows_only=edit(
        "    np.add.at(dE, ids, d_out)\n",
        "    rows, place = np.unique(ids, return_inverse=True)\n    dE = dE[: len(rows)]\n"
        "    np.add.at(dE, place.reshape(ids.shape), d_out)\n",
        "hell_has_two_l",
        "Your table has a row for each token that was read. It has vocab_size rows; those that were not read are zero.",
    ),
    row_by_rank_of_id=edit(
        "    np.add.at(dE, ids, d_out)\n",
        "    _, place = np.unique(ids, return_inverse=True)\n    np.add.at(dE, place.reshape(ids.shape), d_out)\n",
        "two_texts_share_a_table",
        "Your row is the rank of an id among those that were read. The id itself is the row; rows between may stay empty.",
    ),
    ids_and_gradients_in_other_orders=edit(
        "np.add.at(dE, ids, d_out)",
        "np.add.at(dE, ids.T.reshape(-1), d_out.reshape(-1, d_out.shape[-1]))",
        "two_texts_share_a_table",
        "Your ids are lined up time first and the gradients batch first, so they do not meet. Flatten both in the same "
        "order.",
    ),
    one_table_per_text=edit(
        "    np.add.at(dE, ids, d_out)\n",
        '    dE = np.einsum("btv,btd->bvd", np.eye(vocab_size)[ids], d_out)\n',
        "hell_has_two_l",
        "Your result has a table for each text. All texts read from one table, so what they say about it adds up.",
    ),
    last_text_only=edit(
        "np.add.at(dE, ids, d_out)",
        "np.add.at(dE, ids[-1], d_out[-1])",
        "two_texts_share_a_table",
        "Your table collects from the last text of the batch only. All of them read from it.",
    ),
    only_the_gradients_flattened=edit(
        "np.add.at(dE, ids, d_out)",
        "np.add.at(dE, ids, d_out.reshape(-1, d_out.shape[-1]))",
        "two_texts_share_a_table",
        "Your gradients are flattened over batch and time, and your ids are not. Flatten both, or neither.",
    ),
)

CHECK = mistakes_of(
    "grad_check",
    signed_error_above_zero=edit(
        "errors[index] = abs(grad[index] - numeric) / size\n    return float(errors.max())",
        "errors[index] = (grad[index] - numeric) / size\n    return float(max(errors.max(), 0.0))",
        "errors_of_coarse_steps",
        "Your errors keep their sign, so a gradient that is too small has a negative one, and the largest is taken of those "
        "that are too large. An error is the absolute value of the difference.",
    ),
    one_sided_difference=edit(
        "numeric = (above - below) / (2 * eps)",
        "numeric = (above - f(point)) / eps",
        "errors_of_coarse_steps",
        "Your difference is one-sided, between x + eps and x. Its error shrinks with eps only, that of the central "
        "difference with eps squared.",
    ),
    backward_difference=edit(
        "numeric = (above - below) / (2 * eps)",
        "numeric = (f(point) - below) / eps",
        "errors_of_coarse_steps",
        "Your difference is one-sided, between x and x - eps. Its error shrinks with eps only, that of the central "
        "difference with eps squared.",
    ),
    divided_by_eps_once=edit(
        "numeric = (above - below) / (2 * eps)",
        "numeric = (above - below) / eps",
        "errors_of_wrong_gradients",
        "Your differences are twice too large: from x - eps to x + eps it is two steps of eps, and you divide by one.",
    ),
    half_steps=edit(
        "point[index] = kept - eps",
        "point[index] = kept",
        "errors_of_wrong_gradients",
        "Your differences are half too small: you divide by two steps of eps, but went only one, from x to x + eps.",
    ),
    absolute_error=edit(
        "errors[index] = abs(grad[index] - numeric) / size",
        "errors[index] = abs(grad[index] - numeric)",
        "errors_of_wrong_gradients",
        "Your error is the plain difference. A difference of 0.01 is nothing beside a gradient of 1000, and a lot "
        "beside one of 0.01; that is why it is divided by the size of the two.",
    ),
    relative_to_the_larger=edit(
        "size = max(abs(grad[index]) + abs(numeric), 1e-8)",
        "size = max(abs(grad[index]), abs(numeric), 1e-8)",
        "errors_of_wrong_gradients",
        "Your error is relative to the larger of the two numbers, a formula that is also in use. Here the text "
        "divides by their sum, so that errors lie between 0 and 1.",
    ),
    relative_to_the_gradient=edit(
        "size = max(abs(grad[index]) + abs(numeric), 1e-8)",
        "size = max(abs(grad[index]), 1e-8)",
        "errors_of_wrong_gradients",
        "Your error is relative to the gradient that is being checked. If that is zero by mistake, the error is "
        "enormous; the formula divides by the sum of both sizes.",
    ),
    relative_to_the_difference=edit(
        "size = max(abs(grad[index]) + abs(numeric), 1e-8)",
        "size = max(abs(numeric), 1e-8)",
        "errors_of_wrong_gradients",
        "Your error is relative to the numeric difference alone; the formula divides by the sum of both sizes.",
    ),
    signs_cancel_in_the_size=edit(
        "size = max(abs(grad[index]) + abs(numeric), 1e-8)",
        "size = max(abs(grad[index] + numeric), 1e-8)",
        "opposite_signs_are_all_wrong",
        "Your error is divided by the size of the sum, not by the sum of the sizes. Where gradient and difference "
        "have opposite signs, that is close to zero.",
    ),
    mean_error=edit(
        "return float(errors.max())",
        "return float(errors.mean())",
        "one_wrong_entry_is_found",
        "Your result is the mean of the errors. One wrong entry among a million right ones would hardly show; the "
        "largest error is asked for.",
    ),
    sum_of_errors=edit(
        "return float(errors.max())",
        "return float(errors.sum())",
        "errors_of_wrong_gradients",
        "Your result is the sum of the errors; the largest of them is asked for.",
    ),
    smallest_error=edit(
        "return float(errors.max())",
        "return float(errors.min())",
        "one_wrong_entry_is_found",
        "Your result is the smallest error: one right entry, and everything passes. The largest is asked for.",
    ),
    last_error=edit(
        "return float(errors.max())",
        "return float(errors.flat[-1])",
        "one_wrong_entry_is_found",
        "Your result is the error of the last entry. Each one before it was overwritten; the largest of all is asked "
        "for.",
    ),
    signed_error=edit(
        "errors[index] = abs(grad[index] - numeric) / size",
        "errors[index] = (grad[index] - numeric) / size",
        "one_wrong_entry_is_found",
        "Your error keeps its sign, so entries that are too small count as negative and never are the largest.",
    ),
    error_of_the_whole_vector=edit(
        """        size = max(abs(grad[index]) + abs(numeric), 1e-8)
        errors[index] = abs(grad[index] - numeric) / size
    return float(errors.max())
""",
        """        errors[index] = numeric
    length = np.linalg.norm
    return float(length(grad - errors) / max(length(grad) + length(errors), 1e-8))
""",
        "one_wrong_entry_is_found",
        "Your error is that of the vector as a whole, a formula that is also in use. One wrong small entry hides "
        "behind the large ones there; here each entry is compared on its own.",
    ),
    no_floor_under_the_size=edit(
        "size = max(abs(grad[index]) + abs(numeric), 1e-8)",
        "size = abs(grad[index]) + np.float64(abs(numeric))",
        "zero_against_zero_is_no_error",
        "Your error divides zero by zero where gradient and difference both vanish. The formula keeps the divisor "
        "away from zero.",
    ),
    nan_passes=edit(
        "return float(errors.max())",
        "return float(np.fmax.reduce(errors, axis=None, initial=0.0))",
        "nan_is_reported",
        "Your check calls a gradient with NaN in it right: every comparison with NaN is false, so it never becomes "
        "the largest error. A check that NaN passes is no check.",
    ),
    single_precision=edit(
        "point = np.array(x, dtype=np.float64)",
        "point = np.array(x, dtype=np.float32)",
        "small_steps_need_double_precision",
        "Your check works in single precision, which keeps about seven digits: a step of a millionth gets lost in "
        "the rounding. Work in float64.",
    ),
    dtype_of_x_kept=edit(
        "point = np.array(x, dtype=np.float64)",
        "point = np.array(x)",
        "small_steps_need_double_precision",
        "Your check steps in the dtype of x. In an array of whole numbers a small step is cut off, and in single "
        "precision it gets lost in the rounding; work in float64.",
    ),
    entries_not_put_back=edit(
        "point[index] = kept\n        numeric",
        "numeric",
        "entries_are_moved_one_at_a_time",
        "Your entries stay where the last step left them, so the next difference is taken at another point. Put "
        "each one back before you go on to the next.",
    ),
    entries_moved_together=edit(
        "above = f(point)\n        point[index] = kept - eps\n        below = f(point)",
        "above = f(x + eps)\n        below = f(x - eps)",
        "entries_are_moved_one_at_a_time",
        "Your step moves all entries at once, so every difference is the slope along the diagonal. One entry moves "
        "at a time.",
    ),
    x_not_restored=edit(
        """    point = np.array(x, dtype=np.float64)
    errors = np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        kept = point[index]
        point[index] = kept + eps
        above = f(point)
        point[index] = kept - eps
        below = f(point)
        point[index] = kept
""",
        """    point = np.asarray(x, dtype=np.float64)
    errors = np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        kept = point[index]
        point[index] = kept + eps
        above = f(point)
        point[index] = kept - eps
        below = f(point)
""",
        "x_is_put_back",
        "Your x is not what it was: entries stay where the last step left them. The next difference is taken at "
        "another point, and code that goes on with x has other parameters.",
    ),
    x_stepped_on_in_place=edit(
        """    point = np.array(x, dtype=np.float64)
    errors = np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        kept = point[index]
        point[index] = kept + eps
        above = f(point)
        point[index] = kept - eps
        below = f(point)
        point[index] = kept
""",
        """    point = x
    errors = np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        kept = point[index]
        point[index] = kept + eps
        above = f(point)
        point[index] = kept - eps
        below = f(point)
""",
        "x_is_put_back",
        "Your steps are taken in x itself, in whatever dtype it has, and are not taken back: entries stay where the last "
        "step left them. The next difference is taken at another point, and code that goes on with x has other parameters.",
    ),
    divided_by_two_and_multiplied_by_eps=edit(
        "numeric = (above - below) / (2 * eps)",
        "numeric = (above - below) / 2 * eps",
        "one_entry_is_wrong",
        "Your difference is divided by 2 and multiplied by eps: without brackets, Python goes from left to right. It is "
        "divided by both.",
    ),
    analytic_sign_lost=edit(
        "errors[index] = abs(grad[index] - numeric) / size",
        "errors[index] = abs(abs(grad[index]) - abs(numeric)) / size",
        "zero_is_a_gradient",
        "Your check compares sizes without signs, so a gradient with the wrong sign passes. That is the commonest mistake a "
        "check should find.",
    ),
    half_a_step_each_way=edit(
        "        point[index] = kept + eps\n        above = f(point)\n        point[index] = kept - eps\n",
        "        point[index] = kept + eps / 2\n        above = f(point)\n        point[index] = kept - eps / 2\n",
        "a_cube_with_a_coarse_step",
        "Your steps are half of eps, and you divide by two of eps, so your differences are half too small.",
    ),
    central_step_halved=edit(
        "        point[index] = kept + eps\n        above = f(point)\n        point[index] = kept - eps\n"
        "        below = f(point)\n        point[index] = kept\n        numeric = (above - below) / (2 * eps)\n",
        "        point[index] = kept + eps / 2\n        above = f(point)\n        point[index] = kept - eps / 2\n"
        "        below = f(point)\n        point[index] = kept\n        numeric = (above - below) / eps\n",
        "a_cube_with_a_coarse_step",
        "Your steps are half of eps in each direction. That is a central difference, too, but here it goes a whole eps "
        "each way.",
    ),
    floor_added_to_the_size=edit(
        "size = max(abs(grad[index]) + abs(numeric), 1e-8)",
        "size = abs(grad[index]) + abs(numeric) + 1e-8",
        "small_gradients_meet_the_floor",
        "Your 1e-8 is added to the size. It is a floor under it: the larger of the two counts.",
    ),
    floor_a_hundred_times_as_high=edit(
        "abs(numeric), 1e-8)",
        "abs(numeric), 1e-6)",
        "small_gradients_meet_the_floor",
        "Your floor under the size is higher than 1e-8, so the error of a small gradient seems smaller than it is.",
    ),
    steps_relative_to_x=edit(
        "        kept = point[index]\n        point[index] = kept + eps\n        above = f(point)\n"
        "        point[index] = kept - eps\n        below = f(point)\n        point[index] = kept\n"
        "        numeric = (above - below) / (2 * eps)\n",
        "        kept = point[index]\n        step = eps * max(abs(kept), 1.0)\n        point[index] = kept + step\n"
        "        above = f(point)\n        point[index] = kept - step\n        below = f(point)\n"
        "        point[index] = kept\n        numeric = (above - below) / (2 * step)\n",
        "errors_of_wrong_gradients",
        "Your steps grow with the size of the entry. Here each is eps, whatever the entry.",
    ),
    rows_taken_for_entries=edit(
        """    for index in np.ndindex(point.shape):
        kept = point[index]
""",
        """    for index in range(len(point)):
        kept = np.copy(point[index])
""",
        "one_entry_is_wrong",
        "Your loop runs over the first axis, so of a matrix it moves whole rows: an index with a place for each axis moves one entry.",
    ),
    rows_moved_together=edit(
        """    for index in np.ndindex(point.shape):
        kept = point[index]
        point[index] = kept + eps
        above = f(point)
        point[index] = kept - eps
        below = f(point)
        point[index] = kept
        numeric = (above - below) / (2 * eps)
        size = max(abs(grad[index]) + abs(numeric), 1e-8)
        errors[index] = abs(grad[index] - numeric) / size
""",
        """    for index in range(len(point)):
        kept = np.copy(point[index])
        point[index] = kept + eps
        above = f(point)
        point[index] = kept - eps
        below = f(point)
        point[index] = kept
        numeric = (above - below) / (2 * eps)
        size = np.maximum(abs(grad[index]) + abs(numeric), 1e-8)
        errors[index] = abs(grad[index] - numeric) / size
""",
        "one_entry_is_wrong",
        "Your loop goes over the first axis alone, so the entries of a row are moved together. Each entry is moved by "
        "itself.",
    ),
    own_size_of_step=edit(
        "    point = np.array(x, dtype=np.float64)\n",
        "    eps = 1e-5\n    point = np.array(x, dtype=np.float64)\n",
        "a_cube_with_a_coarse_step",
        "Your steps have a size of their own. How far to step is an argument, eps.",
    ),
    verdict_for_an_error=edit(
        "return float(errors.max())",
        "return bool(errors.max() < 1e-6)",
        "a_cube_with_a_coarse_step",
        "Your function says whether the gradient is right. It is asked for the largest error, a number; what is too much "
        "is for the caller to decide.",
    ),
    errors_of_all_entries=edit(
        "return float(errors.max())",
        "return errors",
        "a_cube_with_a_coarse_step",
        "Your function returns the errors of all entries. It is asked for the largest, a single number.",
    ),
    both_ends_are_one_array=edit(
        "        point[index] = kept + eps\n        above = f(point)\n        point[index] = kept - eps\n        below = f(point)\n",
        "        above = f(point)\n        below = f(point)\n",
        "a_cube_with_a_coarse_step",
        "Your differences are all zero: f is called twice at the same point. Two names for one array are still one array, "
        "so a step back undoes the step before it.",
    ),
    flat_array_handed_to_f=edit(
        "        above = f(point)\n        point[index] = kept - eps\n        below = f(point)\n",
        "        above = f(point.ravel())\n        point[index] = kept - eps\n        below = f(point.ravel())\n",
        "one_entry_is_wrong",
        "Your f is handed a flat array. It takes an array of the shape of x.",
    ),
    error_where_the_difference_is_largest=edit(
        "        errors[index] = abs(grad[index] - numeric) / size\n    return float(errors.max())\n",
        "        errors[index] = numeric\n    apart = np.abs(grad - errors)\n"
        "    worst = np.unravel_index(apart.argmax(), apart.shape)\n"
        "    return float(apart[worst] / max(abs(grad[worst]) + abs(errors[worst]), 1e-8))\n",
        "a_cube_with_a_coarse_step",
        "Your error is that of the entry with the largest difference. An entry with a smaller difference may be further off "
        "for its size: divide first, then take the largest.",
    ),
    largest_difference_by_largest_size=edit(
        "        errors[index] = abs(grad[index] - numeric) / size\n    return float(errors.max())\n",
        "        errors[index] = numeric\n"
        "    sizes = np.abs(grad) + np.abs(errors)\n"
        "    return float(np.abs(grad - errors).max() / max(sizes.max(), 1e-8))\n",
        "a_cube_with_a_coarse_step",
        "Your largest difference is divided by the largest size. Each entry's difference belongs to its own size: divide "
        "first, then take the largest.",
    ),
    entries_without_gradient_left_out=edit(
        "        numeric = (above - below) / (2 * eps)\n",
        "        numeric = (above - below) / (2 * eps) if grad[index] != 0 else 0.0\n",
        "zero_is_a_gradient",
        "Your check leaves out entries whose gradient is said to be zero. That may be wrong like any other number.",
    ),
    earlier_steps_stay=edit(
        """    errors = np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        kept = point[index]
        point[index] = kept + eps
        above = f(point)
        point[index] = kept - eps
        below = f(point)
        point[index] = kept
""",
        """    errors, step = np.zeros(point.shape), np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        step[index] = eps
        above = f(point + step)
        below = f(point - step)
""",
        "one_entry_is_wrong",
        "Your step is not set back to zero before the next entry, so all entries before it move along. One entry moves at a "
        "time.",
    ),
)

TRUNCATED = mistakes_of(
    "truncated_bptt",
    gradient_goes_on_to_the_next_window=edit(
        "        window = rnn_backward(dh, (",
        "        if start:\n            dh[:, -1] += window[1]\n        window = rnn_backward(dh, (",
        "hello_with_a_short_last_window",
        "What is left of the gradient at the beginning of a window is added at the end of the next one. Every window begins with none.",
    ),
    no_window_fits=edit(
        "    for start in range(0, time, k):\n",
        "    for whole in range(time // k):\n        end = (whole + 1) * k\n"
        "    for start in [*range(0, end, k), *([end] if end < time else [])]:\n",
        "hello_with_a_short_last_window",
        "Your code goes through the whole windows and then takes what is left behind the last of them. Where k is larger than the text "
        "there is no whole one, and all is left.",
    ),
    state_reset_to_zeros=edit(
        "        state = h[:, -1]\n",
        "        state = np.zeros(h0.shape)\n",
        "loss_is_the_mean_over_all_targets",
        "Your state is set to zero at the start of each window, so the network forgets what it read. Only the "
        "gradient is cut; the state goes on.",
    ),
    every_window_starts_from_h0=edit(
        "        state = h[:, -1]\n",
        "",
        "loss_is_the_mean_over_all_targets",
        "Your windows all start from h0. Only the first one does; each later one starts where the one before it ended.",
    ),
    first_state_carried_on=edit(
        "        state = h[:, -1]\n",
        "        state = h[:, 0]\n",
        "loss_is_the_mean_over_all_targets",
        "Your windows hand on the state after their first step. The next window goes on where this one ended.",
    ),
    never_cut=edit(
        "for start in range(0, time, k):",
        "k = time\n    for start in range(0, time, k):",
        "windows_give_dW_h",
        "Your gradient goes back through the whole text: this is full backpropagation through time, whatever k is. "
        "At the border of a window the state counts as a constant.",
    ),
    windows_one_too_long=edit(
        "for start in range(0, time, k):",
        "k = k + 1\n    for start in range(0, time, k):",
        "windows_give_dW_h",
        "Your windows are one step longer than k. With k = 1 no gradient goes back to the step before.",
    ),
    windows_one_too_short=edit(
        "for start in range(0, time, k):",
        "k = max(k - 1, 1)\n    for start in range(0, time, k):",
        "windows_give_dW_h",
        "Your windows are one step shorter than k. The first one is steps 0 ... k-1, which is k steps.",
    ),
    k_windows=edit(
        "for start in range(0, time, k):",
        "k = -(-time // k)\n    for start in range(0, time, k):",
        "windows_give_dW_h",
        "Your text is cut into k windows. It is cut into windows of k steps, as many as it takes.",
    ),
    remainder_comes_first=edit(
        "for start in range(0, time, k):\n        stop = min(start + k, time)",
        "borders = [0, *range(time % k or k, time + 1, k)] if k < time else [0, time]\n    for start, stop in "
        "zip(borders, borders[1:]):",
        "last_window_may_be_shorter",
        "Your windows are counted from the end, so the short one comes first. They are counted from the start, and "
        "the last one takes what is left.",
    ),
    last_partial_window_dropped=edit(
        "for start in range(0, time, k):",
        "for start in range(0, time - min(k, time) + 1, k):",
        "last_window_may_be_shorter",
        "Your last window is left out when it is shorter than k. Its targets count like all others.",
    ),
    each_loss_goes_back_k_steps=edit(
        'window = rnn_backward(dh, (x_now, state, h, params["W_x"], params["W_h"]))',
        """window = [0.0] * 5
        path = np.concatenate([h0[:, None], _states(x, h0, params)], axis=1)
        for t in range(start, stop):
            first = max(t - k + 1, 0)
            alone = np.zeros((len(x), t - first + 1, h0.shape[1]))
            alone[:, -1] = dh[:, t - start]
            part = (x[:, first : t + 1], path[:, first], path[:, first + 1 : t + 2], params["W_x"], params["W_h"])
            window = [0.0, 0.0, *(a + b for a, b in zip(window[2:], rnn_backward(alone, part)[2:]))]""",
        "windows_give_dW_h",
        "Your losses each go back k steps, from wherever they stand: a window that slides. That is another variant "
        "of truncation. Here windows lie side by side, and a loss goes back to the start of its own.",
    ),
    cut_one_step_late=edit(
        "state = h[:, -1]\n",
        """if stop < time:
            ahead = x[:, stop : stop + k]
            beyond = _states(ahead, h[:, -1], params)
            raw = beyond @ params["W_y"].T + params["b_y"]
            late = loss_backward(raw, targets[:, stop : stop + k], np.ones(raw.shape[:2], dtype=bool))
            late = late * raw.shape[1] / time @ params["W_y"]
            leak = rnn_backward(late, (ahead, h[:, -1], beyond, params["W_x"], params["W_h"]))[1]
            earlier = h[:, -2] if h.shape[1] > 1 else state
            parts = rnn_step_backward(leak, (x_now[:, -1], earlier, h[:, -1], params["W_x"], params["W_h"]))
            grads["W_x"] += parts[2]
            grads["W_h"] += parts[3]
            grads["b"] += parts[4]
        state = h[:, -1]
""",
        "windows_of_one_step",
        "Your gradient leaks across the border by one step: the state a window starts from still learns from that "
        "window. It counts as a constant, so cut before it and not behind it.",
    ),
    window_gradients_overwritten=edit(
        """        grads["W_x"] = grads["W_x"] + window[2]
        grads["W_h"] = grads["W_h"] + window[3]
        grads["b"] = grads["b"] + window[4]
""",
        """        grads["W_x"] = window[2]
        grads["W_h"] = window[3]
        grads["b"] = window[4]
""",
        "windows_give_dW_h",
        "Your gradients of W_x, W_h and b are those of the last window only; each window overwrites the one before "
        "(`=` where `+=` is meant).",
    ),
    output_gradients_overwritten=edit(
        """        grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)
        grads["b_y"] += dlogits.sum(axis=(0, 1))
""",
        """        grads["W_y"] = np.einsum("btv,bth->vh", dlogits, h)
        grads["b_y"] = dlogits.sum(axis=(0, 1))
""",
        "windows_give_dW_y",
        "Your gradients of W_y and b_y are those of the last window only; each window overwrites the one before "
        "(`=` where `+=` is meant).",
    ),
    output_bias_gradient_overwritten=edit(
        'grads["b_y"] += dlogits.sum(axis=(0, 1))',
        'grads["b_y"] = dlogits.sum(axis=(0, 1))',
        "hello_in_windows_of_two",
        "Your b_y keeps the gradient of the last window alone: each window overwrites it. Gradients of all windows add up.",
    ),
    output_bias_gradient_of_one_step=edit(
        'grads["b_y"] += dlogits.sum(axis=(0, 1))',
        'grads["b_y"] = dlogits[:, 0].sum(axis=0)',
        "hello_in_windows_of_two",
        "Your b_y keeps the gradient of a single step: each step overwrites it. What all steps say about b_y adds up.",
    ),
    returned_after_the_first_window=edit(
        "state = h[:, -1]\n    return float(loss), grads",
        "state = h[:, -1]\n        return float(loss), grads",
        "hello_in_windows_of_two",
        "Your function returns after the first window, so that the later ones never run. Where does your `return` stand?",
    ),
    gradients_of_a_short_window_at_full_share=edit(
        "share = targets_now.size / targets.size",
        "share = k / time",
        "hello_with_a_short_last_window",
        "Your windows all weigh k steps in the gradient. The last one may be shorter, and then weighs as many as it has.",
    ),
    only_the_last_window_learns=edit(
        '        grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)\n',
        "        grads = {name: np.zeros(value.shape) for name, value in params.items()}\n"
        '        grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)\n',
        "windows_give_dW_h",
        "Your gradients are those of the last window only; they start from zero again in each window. What the "
        "windows say adds up.",
    ),
    last_window_alone_for_W_x=edit(
        'grads["W_x"] = grads["W_x"] + window[2]',
        'grads["W_x"] = window[2]',
        "windows_give_dW_x",
        "Your gradient of W_x is that of the last window alone: each window sets it (`=`), where the windows add up (`+=`).",
    ),
    last_window_alone_for_W_h=edit(
        'grads["W_h"] = grads["W_h"] + window[3]',
        'grads["W_h"] = window[3]',
        "windows_give_dW_h",
        "Your gradient of W_h is that of the last window alone: each window sets it (`=`), where the windows add up (`+=`).",
    ),
    last_window_alone_for_b=edit(
        'grads["b"] = grads["b"] + window[4]',
        'grads["b"] = window[4]',
        "windows_give_db",
        "Your gradient of b is that of the last window alone: each window sets it (`=`), where the windows add up (`+=`).",
    ),
    last_window_alone_for_W_y=edit(
        'grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)',
        'grads["W_y"] = np.einsum("btv,bth->vh", dlogits, h)',
        "windows_give_dW_y",
        "Your gradient of W_y is that of the last window alone: each window sets it (`=`), where the windows add up (`+=`).",
    ),
    window_losses_not_weighted=edit(
        "share = targets_now.size / targets.size",
        "share = 1.0",
        "windows_give_dW_y",
        "Your gradients add up the mean losses of the windows: they are too large, by about the number of windows. "
        "The loss is one mean over the whole text; a window has the share of its targets in it.",
    ),
    mean_of_window_means=edit(
        "share = targets_now.size / targets.size",
        "share = 1 / len(range(0, time, k))",
        "last_window_may_be_shorter",
        "Your gradients count every window the same, also a short last one. Every target counts the same, so a "
        "window counts for as much as it has targets.",
    ),
    windows_count_the_same=edit(
        "loss += (np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size\n"
        "        share = targets_now.size / targets.size\n",
        "share = 1 / len(range(0, time, k))\n"
        "        loss += share * (np.logaddexp.reduce(logits, axis=-1) - aimed).mean()\n",
        "loss_is_the_mean_over_all_targets",
        "Your windows all count the same in loss and gradients, also a short last one. Every target counts the same, so a window "
        "counts for as much as it has targets.",
    ),
    windows_count_in_full=edit(
        "loss += (np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size\n"
        "        share = targets_now.size / targets.size\n",
        "share = 1.0\n        loss += (np.logaddexp.reduce(logits, axis=-1) - aimed).mean()\n",
        "loss_is_the_mean_over_all_targets",
        "Your loss and your gradients add up the means of the windows, so they are too large, by about the number of windows. They "
        "are of one mean over the whole text: divide by the number of all its targets.",
    ),
    loss_averaged_over_windows=edit(
        "(np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size",
        "(np.logaddexp.reduce(logits, axis=-1) - aimed).mean() / len(range(0, time, k))",
        "loss_is_the_mean_over_all_targets",
        "Your loss counts every window the same, also a short last one. It is the mean over all targets of the text.",
    ),
    loss_summed_over_windows=edit(
        "(np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size",
        "(np.logaddexp.reduce(logits, axis=-1) - aimed).mean()",
        "loss_is_the_mean_over_all_targets",
        "Your loss adds up the means of the windows, so it depends on how the text is cut. It is one mean over all "
        "targets of the text.",
    ),
    loss_not_averaged=edit(
        "(np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size",
        "(np.logaddexp.reduce(logits, axis=-1) - aimed).sum()",
        "loss_is_the_mean_over_all_targets",
        "Your loss is the sum over all targets; the mean is asked for.",
    ),
    loss_of_the_last_window=edit(
        "loss += (np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size",
        "loss = (np.logaddexp.reduce(logits, axis=-1) - aimed).mean()",
        "loss_is_the_mean_over_all_targets",
        "Your loss is that of the last window. It is the mean over all targets of the text.",
    ),
    output_bias_missing=edit(
        'logits = h @ params["W_y"].T + params["b_y"]',
        'logits = h @ params["W_y"].T',
        "loss_is_the_mean_over_all_targets",
        "Your logits lack the bias b_y.",
    ),
    recurrent_bias_missing=edit(
        ' + x[:, t] @ params["W_x"].T + params["b"])',
        ' + x[:, t] @ params["W_x"].T)',
        "loss_is_the_mean_over_all_targets",
        "Your forward pass lacks the bias b inside the tanh.",
    ),
    forward_with_W_h_transposed=edit(
        'state @ params["W_h"].T + x',
        'state @ params["W_h"] + x',
        "loss_is_the_mean_over_all_targets",
        "Your forward pass multiplies by W_h transposed. Weights are laid out (out, in); a state is a row "
        "of your batch and the formula multiplies a column. W_h is square, so no shape warned you.",
    ),
    state_not_updated=edit(
        "state = np.tanh(state @ params",
        "state = np.tanh(start @ params",
        "loss_is_the_mean_over_all_targets",
        "Your forward pass starts every step from the state before the window. Each step starts from the state of "
        "the step before it.",
    ),
    b_y_has_no_gradient=edit(
        '        grads["b_y"] += dlogits.sum(axis=(0, 1))\n',
        "",
        "windows_give_db_y",
        "Your b_y gets no gradient. It is added to the logits at every step of every row.",
    ),
    W_y_from_the_state_before=edit(
        'np.einsum("btv,bth->vh", dlogits, h)',
        'np.einsum("btv,bth->vh", dlogits, np.concatenate([state[:, None], h[:, :-1]], axis=1))',
        "windows_give_dW_y",
        "Your dW_y is taken with the states before each step. The logits of step t come from h[:, t].",
    ),
    parameters_updated=edit(
        "return float(loss), grads",
        "for name in params:\n        params[name] -= 0.1 * grads[name]\n    return float(loss), grads",
        "parameters_are_left_alone",
        "Your function takes a step with the gradients, in the caller's parameters. The result is right, but to "
        "learn is for the caller to decide.",
    ),
    every_window_has_k_steps=edit(
        "stop = min(start + k, time)\n        x_now, targets_now = x[:, start:stop], targets[:, start:stop]",
        "stop = start + k\n"
        "        steps = np.arange(start, stop)\n"
        "        x_now, targets_now = x[:, steps], targets[:, steps]",
        "hello_with_a_short_last_window",
        "Every window of yours has k steps. The last one takes what is left: it ends at `min(start + k, time)`, "
        "and k may be larger than time.",
    ),
    cut_one_step_early=edit(
        "for start in range(0, time, k):\n        stop = min(start + k, time)",
        "borders = sorted({0, *range(k - 1, time, k), time})\n    for start, stop in zip(borders, borders[1:]):",
        "hello_in_windows_of_two",
        "Your gradient is cut in front of the last step of each window, and goes on across the border behind it. What has to "
        "stop is what the first step of a window hands back.",
    ),
    mean_over_steps_only=edit(
        """        loss += (np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size
        share = targets_now.size / targets.size
""",
        """        loss += (np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / time
        share = targets_now.size / time
""",
        "two_texts_in_windows",
        "Your sum is divided by the number of steps alone, so it grows with the batch. The mean is over all batch * time "
        "targets.",
    ),
    gradient_of_the_last_step_only=edit(
        'dh = dlogits @ params["W_y"]',
        'dh = dlogits @ params["W_y"]\n        dh[:, :-1] = 0',
        "hello_in_windows_of_two",
        "Your windows send back what the last step's loss says and drop what those before it say. Every step has a target.",
    ),
    state_before_the_last_carried_on=edit(
        "        state = h[:, -1]\n",
        "        state = h[:, -2] if h.shape[1] > 1 else h[:, -1]\n",
        "hello_in_windows_of_two",
        "Your next window starts from the state before the last one. It goes on where this window ended.",
    ),
    gradients_of_the_sum=edit(
        "share = targets_now.size / targets.size",
        "share = targets_now.size",
        "hello_in_windows_of_two",
        "Your gradients are those of the summed loss, and your loss is the mean. The gradients are those of the mean, too.",
    ),
    gradients_averaged_over_windows=edit(
        "return float(loss), grads",
        "return float(loss), {name: grad / len(range(0, time, k)) for name, grad in grads.items()}",
        "hello_in_windows_of_two",
        "Your gradients are divided by the number of windows. A window has its share of the mean already; the windows' "
        "gradients add up.",
    ),
    mean_over_rows_only=edit(
        "        loss += (np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size\n"
        "        share = targets_now.size / targets.size\n",
        "        loss += (np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / len(targets)\n"
        "        share = targets_now.size / len(targets)\n",
        "hello_in_windows_of_two",
        "Your sum is divided by the number of texts alone, so it grows with their length. The mean is over all batch * time "
        "targets.",
    ),
    mean_over_whole_windows_only=edit(
        "    time = targets.shape[1]\n",
        "    whole = targets.shape[1] // k * k or targets.shape[1]\n    x, targets = x[:, :whole], targets[:, :whole]\n"
        "    time = targets.shape[1]\n",
        "hello_with_a_short_last_window",
        "Your text ends with the last window of k steps, and what is left over counts nowhere. The last window takes what "
        "is left.",
    ),
    loss_overwritten=edit(
        "loss += (np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size",
        "loss = (np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size",
        "hello_in_windows_of_two",
        "Your loss is overwritten by every window, so only the share of the last one is left (`=` where `+=` is meant).",
    ),
    state_before_the_last_carried_on_always=edit(
        "        state = h[:, -1]\n",
        "        state = h[:, -2] if h.shape[1] > 1 else state\n",
        "hello_in_windows_of_two",
        "Your next window starts from the state before the last one. It goes on where this window ended.",
    ),
    h0_in_every_cache=edit(
        'rnn_backward(dh, (x_now, state, h, params["W_x"], params["W_h"]))',
        'rnn_backward(dh, (x_now, h0, h, params["W_x"], params["W_h"]))',
        "hello_in_windows_of_two",
        "Your windows all go back with h0 as the state before their first step. Only the first window started from h0.",
    ),
    zeros_in_later_caches=edit(
        'rnn_backward(dh, (x_now, state, h, params["W_x"], params["W_h"]))',
        'rnn_backward(dh, (x_now, state if start == 0 else 0 * h0, h, params["W_x"], params["W_h"]))',
        "hello_in_windows_of_two",
        "Your later windows go back with zeros as the state before their first step. It is a constant, so no gradient goes "
        "on to it, but its numbers are in dW_h.",
    ),
    targets_of_the_first_window=edit(
        "x_now, targets_now = x[:, start:stop], targets[:, start:stop]",
        "x_now, targets_now = x[:, start:stop], targets[:, : stop - start]",
        "hello_in_windows_of_two",
        "Your windows all have the targets of the first one. Each has the targets of its own steps.",
    ),
    dW_y_transposed=edit(
        'grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)\n',
        'grads["W_y"] = grads["W_y"].reshape(h.shape[-1], -1) + np.einsum("btv,bth->hv", dlogits, h)\n',
        "hello_in_windows_of_two",
        "Your dW_y is transposed: (hidden, vocab). A gradient has the shape of what it belongs to.",
    ),
    remainder_joins_the_last_window=edit(
        "for start in range(0, time, k):\n        stop = min(start + k, time)",
        "for start in range(0, max(time - time % k, 1), k):\n        stop = start + k if start + 2 * k <= time else time",
        "hello_with_a_short_last_window",
        "Your last window has more than k steps, as what is left over joins it. What is left is a short window of its own.",
    ),
    state_returned_too=edit(
        "return float(loss), grads",
        "return float(loss), grads, state",
        "hello_in_windows_of_two",
        "Your function returns a third thing, the last state. What is asked for are loss and gradients.",
    ),
    whole_windows_alone=edit(
        "for start in range(0, time, k):",
        "for start in range(0, time // k * k, k):",
        "last_window_may_be_shorter",
        "Your windows are only those of k whole steps. The last one takes what is left, and a text shorter than k is one "
        "window.",
    ),
    loss_in_bits=edit(
        "return float(loss), grads",
        "return float(loss / np.log(2)), grads",
        "hello_in_windows_of_two",
        "Your loss is in bits. It is in nats here, by the natural logarithm.",
    ),
    short_window_counts_as_a_whole_one=edit(
        "share = targets_now.size / targets.size",
        "share = min(k, time) / time",
        "hello_with_a_short_last_window",
        "Your short last window counts in the gradients as if it had k steps. Its share is that of its own targets.",
    ),
    window_at_every_step=edit(
        "for start in range(0, time, k):",
        "for start in range(time):",
        "hello_in_windows_of_two",
        "Your windows begin at every step and overlap. They lie side by side: the next one begins k steps later.",
    ),
    windows_share_a_step=edit(
        "stop = min(start + k, time)",
        "stop = min(start + k + 1, time)",
        "hello_in_windows_of_two",
        "Your windows have one step more than k, which the next one reads again. A slice leaves out its end already.",
    ),
    targets_shifted_once_more=edit(
        "    time = targets.shape[1]\n",
        "    time, targets = targets.shape[1], np.roll(targets, -1, axis=1)\n",
        "hello_in_windows_of_two",
        "Your targets are shifted by a step. They are lined up already: targets[:, t] is to be predicted from h[:, t].",
    ),
    perplexity_for_the_loss=edit(
        "return float(loss), grads",
        "return float(np.exp(loss)), grads",
        "hello_in_windows_of_two",
        "Your loss is the perplexity, its exponential. It is asked for in nats, as it is.",
    ),
    zeros_in_every_cache=edit(
        'rnn_backward(dh, (x_now, state, h, params["W_x"], params["W_h"]))',
        'rnn_backward(dh, (x_now, np.zeros(h0.shape), h, params["W_x"], params["W_h"]))',
        "hello_in_windows_of_two",
        "Your windows all go back with zeros as the state before their first step. It is a constant, so no gradient goes on "
        "to it, but its numbers are in dW_h.",
    ),
    output_weights_turned_going_back=edit(
        'dh = dlogits @ params["W_y"]',
        'dh = dlogits @ params["W_y"].T',
        "hello_in_windows_of_two",
        "Your dh goes through W_y in the forward direction. Follow the shapes from (batch, time, vocab) to (batch, time, "
        "hidden).",
    ),
    cut_behind_the_first_step=edit(
        "for start in range(0, time, k):\n        stop = min(start + k, time)",
        "borders = sorted({0, *range(1, time, k), time})\n    for start, stop in zip(borders, borders[1:]):",
        "hello_in_windows_of_two",
        "Your gradient is cut behind the first step of each window, and goes on across the border in front of it. What has to "
        "stop is what the first step of a window hands back.",
    ),
    only_the_last_target_of_a_window=edit(
        'grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)\n',
        'dlogits[:, :-1] = 0\n        grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)\n',
        "hello_in_windows_of_two",
        "Your gradients come from the last target of each window alone. Every step has a target.",
    ),
    windows_of_nearly_equal_length=edit(
        "    for start in range(0, time, k):\n        stop = min(start + k, time)\n",
        "    for steps in np.array_split(np.arange(time), -(-time // k)):\n        start, stop = steps[0], steps[-1] + 1\n",
        "last_window_may_be_shorter",
        "Your windows are of nearly equal length, as `np.array_split` makes them. Each has k steps, and the last one what is left.",
    ),
)

CLIP = mistakes_of(
    "clip_grad_norm",
    norm_of_each_array=edit(
        "clipped = {name: g * factor for name, g in grads.items()}",
        "clipped = {n: g * min(1.0, max_norm / max(np.sqrt((g**2).sum()), 1e-12)) for n, g in grads.items()}",
        "too_long_is_shortened",
        "Your arrays are clipped one by one, each by its own norm. That turns the gradient into another direction; "
        "one norm over all arrays shortens it and keeps where it points.",
    ),
    each_array_brought_to_max_norm=edit(
        "clipped = {name: g * factor for name, g in grads.items()}",
        "clipped = {n: g * max_norm / max(np.sqrt((g**2).sum()), 1e-12) for n, g in grads.items()}",
        "three_and_four_are_five",
        "Your arrays are each brought to max_norm by themselves, short ones too. One norm over all arrays decides, and shortens "
        "only what is too long.",
    ),
    entries_clamped=edit(
        "clipped = {name: g * factor for name, g in grads.items()}",
        "clipped = {name: np.clip(g, -max_norm, max_norm) for name, g in grads.items()}",
        "too_long_is_shortened",
        "Your entries are clamped one by one to plus or minus max_norm. That is clipping by value; it changes the "
        "direction, and the whole can still be too long.",
    ),
    always_rescaled=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = max_norm / norm if norm > 0 else 1.0",
        "short_gradients_are_not_stretched",
        "Your gradients are brought to max_norm always, also short ones, which get longer. Near a minimum gradients "
        "are short for a reason; only what is too long is clipped.",
    ),
    short_ones_rescaled=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = max_norm / norm if 0 < norm < max_norm else 1.0",
        "short_gradients_are_not_stretched",
        "Your comparison is the wrong way round: short gradients are stretched, and long ones stay.",
    ),
    sum_of_norms=edit(
        "norm = float(np.sqrt(squares))",
        "norm = float(sum(np.sqrt((g**2).sum()) for g in grads.values()))",
        "norm_is_that_of_all_arrays_together",
        "Your norm is the sum of the arrays' norms. 3 and 4 make 5 here, not 7: it is the squares that add up.",
    ),
    root_forgotten=edit(
        "norm = float(np.sqrt(squares))",
        "norm = float(squares)",
        "norm_is_that_of_all_arrays_together",
        "Your norm is the sum of squares, without the root.",
    ),
    sum_of_absolute_values=edit(
        "norm = float(np.sqrt(squares))",
        "norm = float(sum(np.abs(g).sum() for g in grads.values()))",
        "norm_is_that_of_all_arrays_together",
        "Your norm is the sum of absolute values. The norm is the root of the sum of squares.",
    ),
    largest_entry_for_norm=edit(
        "norm = float(np.sqrt(squares))",
        "norm = float(max(np.abs(g).max() for g in grads.values()))",
        "norm_is_that_of_all_arrays_together",
        "Your norm is the largest entry. The norm is the root of the sum of squares.",
    ),
    largest_norm_for_norm=edit(
        "norm = float(np.sqrt(squares))",
        "norm = float(max(np.sqrt((g**2).sum()) for g in grads.values()))",
        "norm_is_that_of_all_arrays_together",
        "Your norm is that of the longest array. All arrays together are one gradient, with one norm.",
    ),
    root_mean_square=edit(
        "norm = float(np.sqrt(squares))",
        "norm = float(np.sqrt(squares / sum(g.size for g in grads.values())))",
        "norm_is_that_of_all_arrays_together",
        "Your norm is a root mean square, divided by the number of entries. A norm is not divided by anything.",
    ),
    brought_to_length_one=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = 1 / norm if norm > max_norm else 1.0",
        "too_long_is_shortened",
        "Your gradient is brought to norm 1 when it is too long. Its norm is max_norm afterwards.",
    ),
    multiplied_by_the_limit=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = max_norm if norm > max_norm else 1.0",
        "too_long_is_shortened",
        "Your gradient is multiplied by max_norm without being divided by its own norm.",
    ),
    norm_after_clipping=edit(
        "return clipped, norm",
        "return clipped, min(norm, max_norm)",
        "norm_is_that_of_all_arrays_together",
        "Your norm is the one after clipping. The one before is worth watching: it says how often, and how much, "
        "was clipped.",
    ),
    too_long_is_dropped=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = 0.0 if norm > max_norm else 1.0",
        "too_long_is_shortened",
        "Your gradient is set to zero when it is too long, so that step learns nothing. Shorten it; its direction "
        "is still worth following.",
    ),
    zero_divided_by_zero=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = min(max_norm, norm) / np.float64(norm)",
        "zeros_stay_zeros",
        "Your factor divides zero by zero when the gradient vanishes, and NaN then spreads to every parameter.",
    ),
    only_the_matrices=edit(
        "squares = sum((g**2).sum() for g in grads.values())",
        "squares = sum((g**2).sum() for g in grads.values() if g.ndim == 2)",
        "norm_is_that_of_all_arrays_together",
        "Your norm counts matrices only. Biases and arrays with more axes belong to the gradient as well.",
    ),
    clipped_in_place=edit(
        "clipped = {name: g * factor for name, g in grads.items()}",
        "for g in grads.values():\n        g *= factor\n    clipped = grads",
        "gradients_are_left_alone",
        "Your function clips what the caller holds, the arrays or what stands in the dict, as PyTorch's `clip_grad_norm_` "
        "does (hence its last underscore). Here the caller keeps the dict and its arrays as they were.",
    ),
    norm_of_the_spectral_kind=edit(
        "squares = sum((g**2).sum() for g in grads.values())",
        "squares = sum(np.linalg.norm(g, ord=2) ** 2 for g in grads.values())",
        "three_and_four_are_five",
        "Your norm of a matrix is its largest singular value: that is what `ord=2` means there (for three axes there is none). "
        "Here it is the root of the sum of squares of all entries.",
    ),
    factor_upside_down=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = norm / max_norm if norm > max_norm else 1.0",
        "three_and_four_are_five",
        "Your factor is upside down: it makes a gradient that is too long even longer.",
    ),
    square_compared_with_the_limit=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = max_norm / norm if squares > max_norm else 1.0",
        "short_enough_stays",
        "You compare the square of the norm with what is allowed, so some gradients that are short enough are stretched or "
        "shortened. It is the norm that counts.",
    ),
    norm_of_each_line=edit(
        "clipped = {name: g * factor for name, g in grads.items()}",
        "lines = {name: np.sqrt((g**2).sum(axis=-1, keepdims=True)) for name, g in grads.items()}\n"
        "    clipped = {name: g * (max_norm / lines[name] if norm > max_norm else 1.0) for name, g in grads.items()}",
        "three_and_four_are_five",
        "Your rows each get a norm of their own (`axis=-1`). There is one norm for all entries of all arrays.",
    ),
    norm_of_the_arrays_so_far=edit(
        "    clipped = {name: g * factor for name, g in grads.items()}\n",
        "    clipped, squares = {}, 0.0\n    for name, g in grads.items():\n        squares += (g**2).sum()\n"
        "        clipped[name] = g * (max_norm / np.sqrt(squares) if squares > max_norm**2 else 1.0)\n",
        "three_and_four_are_five",
        "Your arrays are scaled while the norm is still being added up, so each gets another factor. Measure all first, then "
        "scale all.",
    ),
    only_long_arrays_scaled=edit(
        "clipped = {name: g * factor for name, g in grads.items()}",
        "clipped = {name: g * (factor if (g**2).sum() > max_norm**2 else 1.0) for name, g in grads.items()}",
        "entries_of_every_size",
        "Your factor reaches only arrays that are too long by themselves. All arrays are multiplied by the same number, or "
        "the direction changes.",
    ),
    biases_left_out_of_the_norm=edit(
        "squares = sum((g**2).sum() for g in grads.values())",
        "squares = sum((g**2).sum() for g in grads.values() if g.ndim > 1)",
        "three_and_four_are_five",
        "Your norm leaves out the biases. They belong to the gradient as well.",
    ),
    root_of_the_factor=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = np.sqrt(max_norm / norm) if norm > max_norm else 1.0",
        "three_and_four_are_five",
        "Your factor has a root too many. The norm is a root already, and the gradient is scaled by the ratio of norms.",
    ),
    names_taken_for_arrays=edit(
        "squares = sum((g**2).sum() for g in grads.values())",
        "squares = sum((g**2).sum() for g in grads)",
        "three_and_four_are_five",
        "Your loop goes over the dict itself, which gives the names. The arrays are its values.",
    ),
    arrays_joined_unflattened=edit(
        "squares = sum((g**2).sum() for g in grads.values())",
        "squares = (np.concatenate(list(grads.values())) ** 2).sum()",
        "three_and_four_are_five",
        "Your arrays are joined as they are, and their shapes differ. As one long vector, each is flattened first.",
    ),
    norm_not_returned=edit(
        "return clipped, norm",
        "return clipped",
        "three_and_four_are_five",
        "Your function returns the gradients alone. It is asked for the norm before clipping, too.",
    ),
    norm_returned_first=edit(
        "return clipped, norm",
        "return norm, clipped",
        "three_and_four_are_five",
        "Your norm comes first. The order agreed on is the gradients, then the norm.",
    ),
    root_of_the_sum_of_norms=edit(
        "squares = sum((g**2).sum() for g in grads.values())",
        "squares = sum(np.sqrt((g**2).sum()) for g in grads.values())",
        "three_and_four_are_five",
        "Your root is taken of a sum of norms. It is the squares of all entries that are added up, and one root that is "
        "taken.",
    ),
    squared_norm_returned=edit(
        "return clipped, norm",
        "return clipped, norm**2",
        "three_and_four_are_five",
        "Your gradients are right, and the norm that you return is its square.",
    ),
    factor_for_norm=edit(
        "return clipped, norm",
        "return clipped, factor",
        "three_and_four_are_five",
        "Your function returns the factor. It is asked for the norm before clipping.",
    ),
    divided_by_the_limit=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = 1 / max_norm if norm > max_norm else 1.0",
        "entries_of_every_size",
        "Your gradients are divided by max_norm. They are multiplied by it, and divided by their norm.",
    ),
    norm_of_the_last_array=edit(
        "squares = sum((g**2).sum() for g in grads.values())",
        "squares = [(g**2).sum() for g in grads.values()][-1]",
        "three_and_four_are_five",
        "Your norm is that of the last array: each one overwrites the one before. The squares of all arrays add up.",
    ),
    squares_of_the_sums=edit(
        "squares = sum((g**2).sum() for g in grads.values())",
        "squares = sum(g.sum() ** 2 for g in grads.values())",
        "three_and_four_are_five",
        "Your entries are added up before they are squared, so opposite signs cancel. Square first, then add.",
    ),
    norm_of_matrices_asked_of_all=edit(
        "squares = sum((g**2).sum() for g in grads.values())",
        'squares = sum(np.linalg.norm(g, "fro") ** 2 for g in grads.values())',
        "three_and_four_are_five",
        "Your norm, that of Frobenius, is one of matrices only. A bias has one axis, and other arrays may have three; square "
        "and add up the entries of each.",
    ),
    always_rescaled_also_zeros=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = max_norm / norm",
        "short_enough_stays",
        "Your gradients are brought to max_norm always: short ones get longer, and those of zeros divide by zero. Only what is "
        "too long is clipped.",
    ),
    short_ones_rescaled_also_zeros=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = max_norm / norm if norm <= max_norm else 1.0",
        "short_enough_stays",
        "Your comparison is the wrong way round: long gradients stay, short ones are stretched, and zeros divide by zero.",
    ),
    always_rescaled_and_zeros_become_nan=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = max_norm / np.float64(norm)",
        "short_enough_stays",
        "Your gradients are brought to max_norm always: short ones get longer, and those of zeros become NaN. Only what is too "
        "long is clipped.",
    ),
    short_ones_rescaled_and_zeros_become_nan=edit(
        "factor = max_norm / norm if norm > max_norm else 1.0",
        "factor = max_norm / np.float64(norm) if norm <= max_norm else 1.0",
        "short_enough_stays",
        "Your comparison is the wrong way round: long gradients stay, short ones are stretched, and zeros become NaN.",
    ),
)

NORMS = mistakes_of(
    "gradient_norms",
    norms_in_reverse=edit(
        "return norms\n",
        "return norms[::-1]\n",
        "lengths_at_every_state",
        "Your norms are in the order in which they were found, the last state first. norms[t] belongs to h[:, t].",
    ),
    norms_slopes_of_the_first_row=edit(
        "(x[:, t], earlier, h[:, t], W_x, W_h)",
        "(x[:, t], earlier, h[:1, t], W_x, W_h)",
        "lengths_at_every_state",
        "Your slopes of tanh are those of the first sequence, for all of the batch. Each sequence has states, and so slopes, of its own.",
    ),
    norms_add_up=edit(
        "return norms\n",
        "return norms[::-1].cumsum()[::-1]\n",
        "lengths_at_every_state",
        "Your norms are added up on the way back. Each state has the norm of its own gradient.",
    ),
    norms_one_step_late=edit(
        """        norms[t] = np.sqrt((flowing**2).sum())
        earlier = h[:, t - 1] if t > 0 else h0
        flowing = rnn_step_backward(flowing, (x[:, t], earlier, h[:, t], W_x, W_h))[1]
""",
        """        earlier = h[:, t - 1] if t > 0 else h0
        flowing = rnn_step_backward(flowing, (x[:, t], earlier, h[:, t], W_x, W_h))[1]
        norms[t] = np.sqrt((flowing**2).sum())
""",
        "one_state_has_one_length",
        "Your norms are off by one step: norms[t] is what step t hands back to the state before it. norms[-1] is "
        "the norm of dh_last itself.",
    ),
    norms_not_rooted=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = (flowing**2).sum()",
        "lengths_at_every_state",
        "Your norms are sums of squares, without the root.",
    ),
    norms_of_absolute_values=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.abs(flowing).sum()",
        "lengths_at_every_state",
        "Your norms are sums of absolute values; a norm is the root of the sum of squares.",
    ),
    norms_largest_entry=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.abs(flowing).max()",
        "lengths_at_every_state",
        "Your numbers are largest entries; a norm is the root of the sum of squares.",
    ),
    norms_averaged_over_rows=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.sqrt((flowing**2).sum(axis=1)).mean()",
        "lengths_at_every_state",
        "Your numbers are means of the rows' norms. Here it is one norm over batch and units together.",
    ),
    norms_of_each_row=edit(
        """    norms = np.zeros(steps)
    flowing = np.array(dh_last)
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum())
""",
        """    norms = np.zeros((steps, len(h0)))
    flowing = np.array(dh_last)
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum(axis=1))
""",
        "lengths_at_every_state",
        "Your result has a norm for each row of the batch. Here it is one for each state, over batch and units "
        "together.",
    ),
    norms_of_the_spectral_kind=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.linalg.norm(flowing, 2)",
        "lengths_at_every_state",
        "Your numbers are spectral norms (`ord=2` of a matrix is its largest singular value). Here it is the root "
        "of the sum of squares, of all rows and units.",
    ),
    norms_without_tanh=edit(
        "(x[:, t], earlier, h[:, t], W_x, W_h))[1]",
        "(x[:, t], earlier, np.zeros(h0.shape), W_x, W_h))[1]",
        "lengths_at_every_state",
        "Your gradient goes back through W_h only. Each step also has a tanh, whose derivative is at most one: it is "
        "what damps a gradient even where W_h does not.",
    ),
    norms_without_W_h=edit(
        "(x[:, t], earlier, h[:, t], W_x, W_h))[1]",
        "(x[:, t], earlier, h[:, t], W_x, np.eye(len(W_h))))[1]",
        "lengths_at_every_state",
        "Your gradient goes back through the tanh only. Each step also multiplies by W_h.",
    ),
    norms_through_W_h_transposed=edit(
        "(x[:, t], earlier, h[:, t], W_x, W_h))[1]",
        "(x[:, t], earlier, h[:, t], W_x, W_h.T))[1]",
        "lengths_at_every_state",
        "Your gradient goes through W_h in the forward direction; W_h is square, so no shape warned you.",
    ),
    norms_slope_of_the_state_before=edit(
        "(x[:, t], earlier, h[:, t], W_x, W_h))[1]",
        "(x[:, t], earlier, earlier, W_x, W_h))[1]",
        "lengths_at_every_state",
        "Your tanh' is off by one step: on the way from h[:, t] to h[:, t - 1] it is the tanh that made h[:, t] "
        "which is gone through.",
    ),
    norms_slope_after_W_h=edit(
        "flowing = rnn_step_backward(flowing, (x[:, t], earlier, h[:, t], W_x, W_h))[1]\n    return",
        "flowing = (flowing @ W_h) * (1 - h[:, t] ** 2)\n    return",
        "lengths_at_every_state",
        "Your gradient goes through W_h first and through the tanh after it. Forward, the tanh came last, so going "
        "back it comes first.",
    ),
    loss_at_every_state=edit(
        "(x[:, t], earlier, h[:, t], W_x, W_h))[1]",
        "(x[:, t], earlier, h[:, t], W_x, W_h))[1] + dh_last",
        "lengths_at_every_state",
        "Your dh_last comes in again at every step. Here only the last state has a loss, so that what is left of "
        "it can be seen.",
    ),
    norms_relative_to_the_last=edit(
        "return norms\n",
        "return norms / norms[-1]\n",
        "lengths_at_every_state",
        "Your norms are divided by that of dh_last. They are asked for as they are.",
    ),
    measuring_in_place=edit(
        """    flowing = np.array(dh_last)
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum())
        earlier = h[:, t - 1] if t > 0 else h0
        flowing = rnn""",
        """    flowing = dh_last
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum())
        earlier = h[:, t - 1] if t > 0 else h0
        flowing[...] = rnn""",
        "measuring_changes_nothing",
        "Your loop writes what flows back into the caller's dh_last. The norms are right, but the gradient that "
        "was passed in is gone.",
    ),
    norms_root_mean_square=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.sqrt((flowing**2).mean())",
        "lengths_of_two_sequences",
        "Your numbers are roots of a mean of squares. A length is the root of their sum.",
    ),
    rows_added_before_the_norm=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.sqrt((flowing.sum(axis=0) ** 2).sum())",
        "lengths_of_two_sequences",
        "Your rows are added up before they are measured, so gradients of opposite signs cancel. Square every entry first.",
    ),
    norms_behind_the_tanh=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.sqrt(((flowing * (1 - h[:, t] ** 2)) ** 2).sum())",
        "lengths_of_one_unit",
        "Your norms are taken after the tanh was gone through. The gradient at a state is what arrives there, before its own "
        "tanh.",
    ),
    norms_of_dx=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.sqrt((((flowing * (1 - h[:, t] ** 2)) @ W_x) ** 2).sum())",
        "lengths_of_two_sequences",
        "Your norms are those of the inputs' gradients. The gradient with respect to the states is asked for.",
    ),
    norms_of_rows_added=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.sqrt((flowing**2).sum(axis=1)).sum()",
        "lengths_of_two_sequences",
        "Your rows each have a norm, and these are added up. There is one root, of the sum of squares over batch and units.",
    ),
    norms_of_the_longest_row=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.sqrt((flowing**2).sum(axis=1)).max()",
        "lengths_of_two_sequences",
        "Your number is the norm of the row with the longest gradient. It is one norm over batch and units.",
    ),
    norms_of_each_row_in_rows=edit(
        """    norms = np.zeros(steps)
    flowing = np.array(dh_last)
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum())
""",
        """    norms = np.zeros((len(h0), steps))
    flowing = np.array(dh_last)
    for t in reversed(range(steps)):
        norms[:, t] = np.sqrt((flowing**2).sum(axis=1))
""",
        "lengths_of_one_unit",
        "Your result has a norm for each row of the batch. Here it is one for each state, over batch and units together.",
    ),
    norm_of_h0_too=edit(
        "    return norms\n",
        "    return np.append(np.sqrt((flowing**2).sum()), norms)\n",
        "lengths_of_one_unit",
        "Your norms begin with that of h0, so there is one too many. There is one for each state in h.",
    ),
    norms_by_the_singular_value=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.sqrt((dh_last**2).sum()) * np.linalg.norm(W_h, 2) ** (steps - 1 - t)",
        "lengths_of_one_unit",
        "Your norms are made of the largest singular value of W_h alone. That is a bound; send the gradient itself back, "
        "through tanh and W_h, and measure it.",
    ),
    norms_by_the_spectral_radius=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.sqrt((dh_last**2).sum()) * np.abs(np.linalg.eigvals(W_h)).max() ** (steps - 1 - t)",
        "lengths_of_one_unit",
        "Your norms are made of the spectral radius of W_h alone. That says what happens in the long run; send the gradient "
        "itself back, through tanh and W_h, and measure it.",
    ),
    first_norm_left_at_zero=edit(
        "    return norms\n",
        "    norms[0] = 0\n    return norms\n",
        "lengths_of_one_unit",
        "Your first norm stays zero: your loop ends one state too early.",
    ),
    logarithms_of_norms=edit(
        "    return norms\n",
        "    return np.log10(norms)\n",
        "lengths_of_one_unit",
        "Your function returns logarithms, as on the axis of the figure. It is asked for the norms themselves.",
    ),
    norms_of_the_first_row=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.sqrt((flowing[0] ** 2).sum())",
        "lengths_of_two_sequences",
        "Your norms are those of the first sequence. There is one norm for each state, over the whole batch.",
    ),
    dx_taken_for_dh_prev=edit(
        "(x[:, t], earlier, h[:, t], W_x, W_h))[1]\n    return norms",
        "(x[:, t], earlier, h[:, t], W_x, W_h))[0]\n    return norms",
        "equal_sizes_hide_no_wrong_sum",
        "Your gradient goes on with dx, the first of the step's gradients. To the state before goes dh_prev, the second.",
    ),
    matrix_on_the_left_going_back=edit(
        "flowing = rnn_step_backward(flowing, (x[:, t], earlier, h[:, t], W_x, W_h))[1]\n    return",
        "flowing = W_h.T @ ((1 - h[:, t] ** 2) * flowing) if t > 0 else flowing\n    return",
        "lengths_of_two_sequences",
        "Your product has the matrix on the left, as the formula does for one column vector. A batch is a stack of rows, so "
        "W_h stands on the right.",
    ),
    rows_averaged_before_the_norm=edit(
        "norms[t] = np.sqrt((flowing**2).sum())",
        "norms[t] = np.sqrt((flowing.mean(axis=0) ** 2).sum())",
        "lengths_of_two_sequences",
        "Your rows are averaged before they are measured, so gradients of opposite signs cancel. Square every entry first.",
    ),
    norms_one_place_too_late=edit(
        "    return norms\n",
        "    return norms if steps == 1 else np.append(0.0, norms[:-1])\n",
        "lengths_of_one_unit",
        "Your norms stand one place too late, and the first is zero. What comes out of the step that made h[:, t] is the "
        "gradient of h[:, t - 1].",
    ),
    measuring_in_place_to_the_first_state=edit(
        """    flowing = np.array(dh_last)
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum())
        earlier = h[:, t - 1] if t > 0 else h0
        flowing = rnn""",
        """    flowing = dh_last
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum())
        if t == 0:
            break
        earlier = h[:, t - 1]
        flowing[...] = rnn""",
        "measuring_changes_nothing",
        "Your loop writes what flows back into the caller's dh_last. The norms are right, but the gradient that was passed in "
        "is gone.",
    ),
    natural_logarithms_of_norms=edit(
        "    return norms\n",
        "    return np.log(norms)\n",
        "lengths_of_one_unit",
        "Your function returns natural logarithms. It is asked for the norms themselves.",
    ),
    jacobians_in_reverse_order=edit(
        """    flowing = np.array(dh_last)
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum())
        earlier = h[:, t - 1] if t > 0 else h0
        flowing = rnn_step_backward(flowing, (x[:, t], earlier, h[:, t], W_x, W_h))[1]""",
        """    product = np.stack([np.eye(h.shape[-1])] * len(h))
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((np.einsum("bji,bj->bi", product, dh_last) ** 2).sum())
        product = (1 - h[:, t] ** 2)[:, :, None] * W_h @ product""",
        "lengths_of_two_sequences",
        "Your Jacobians are multiplied in the wrong order. The one of the last step stands at the left, next to the gradient, and "
        "each earlier one comes to the right of the product.",
    ),
)


MISCONCEPTIONS = (
    *LOSS,
    *STEP,
    *SEQUENCE,
    *EMBEDDING,
    *CHECK,
    *TRUNCATED,
    *CLIP,
    *NORMS,
)
