"""Known mistakes of a2_bptt, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.spec import Misconception

LOSS = (
    Misconception(
        "loss_gradient_is_a_sum",
        "loss_backward",
        old="return (probs - one_hot) * mask[..., None] / counted",
        new="return (probs - one_hot) * mask[..., None]",
        caught_by="every_target_counts",
        says="Your gradient is that of the sum over the targets. The loss is their mean, and going back through a mean "
        "divides by how many there are.",
    ),
    Misconception(
        "mean_over_padding",
        "loss_backward",
        old="counted = mask.sum()",
        new="counted = mask.size",
        caught_by="padded_targets_do_not_count",
        says="Your mean also counts the padded positions: you divide by all of them. The more padding a batch has, the "
        "smaller your gradients get, although nothing about the real tokens changed.",
    ),
    Misconception(
        "mask_missing_in_the_gradient",
        "loss_backward",
        old="return (probs - one_hot) * mask[..., None] / counted",
        new="return (probs - one_hot) / counted",
        caught_by="padded_targets_do_not_count",
        says="Your divisor leaves out the padding but your gradient does not: padded positions still pull at the "
        "network. What does not count in the loss has no gradient.",
    ),
    Misconception(
        "mask_ignored",
        "loss_backward",
        old="return (probs - one_hot) * mask[..., None] / counted",
        new="return (probs - one_hot) / mask.size",
        caught_by="padded_targets_do_not_count",
        says="Your gradient does not use the mask at all: padding is learned as if it were text.",
    ),
    Misconception(
        "loss_mask_inverted",
        "loss_backward",
        old="return (probs - one_hot) * mask[..., None] / counted",
        new="return (probs - one_hot) * ~mask[..., None] / counted",
        caught_by="padded_targets_do_not_count",
        says="Your mask works the wrong way round: the padding gets the gradient, and the text gets none. True means "
        "that a target counts.",
    ),
    Misconception(
        "mean_over_the_batch_only",
        "loss_backward",
        old="counted = mask.sum()",
        new="counted = len(mask)",
        caught_by="every_target_counts",
        says="Your gradient is divided by the number of rows. The mean is over all counted positions, of every row and "
        "every step.",
    ),
    Misconception(
        "mean_over_time_only",
        "loss_backward",
        old="counted = mask.sum()",
        new="counted = mask.shape[1]",
        caught_by="every_target_counts",
        says="Your gradient is divided by the number of steps. The mean is over all counted positions, of every row and "
        "every step.",
    ),
    Misconception(
        "mean_of_row_means",
        "loss_backward",
        old="counted = mask.sum()",
        new="counted = len(mask) * np.maximum(mask.sum(axis=1), 1)[:, None, None]",
        caught_by="padded_targets_do_not_count",
        says="Your loss is a mean of means: each row is averaged on its own first, so a token of a short text counts "
        "for more than one of a long text. Here every counted target counts the same.",
    ),
    Misconception(
        "targets_not_subtracted",
        "loss_backward",
        old="return (probs - one_hot) * mask[..., None] / counted",
        new="return probs * mask[..., None] / counted",
        caught_by="every_target_counts",
        says="Your gradient holds the probabilities alone. The target's own logit appears once more in the loss, "
        "outside the sum over the vocabulary, and that term is missing.",
    ),
    Misconception(
        "loss_gradient_sign",
        "loss_backward",
        old="return (probs - one_hot) * mask[..., None] / counted",
        new="return (one_hot - probs) * mask[..., None] / counted",
        caught_by="every_target_counts",
        says="Your gradient has the wrong sign: it points to where the loss falls. A gradient points to where it grows, "
        "and raising the target's logit makes the loss smaller.",
    ),
    Misconception(
        "gradient_of_the_probabilities",
        "loss_backward",
        old="return (probs - one_hot) * mask[..., None] / counted",
        new="return -one_hot / probs * mask[..., None] / counted",
        caught_by="every_target_counts",
        says="Your gradient stops at the probabilities: -1/p at the target is the derivative of -log p. The softmax in "
        "front of it is still to be gone through.",
    ),
    Misconception(
        "only_the_target_gets_a_gradient",
        "loss_backward",
        old="return (probs - one_hot) * mask[..., None] / counted",
        new="return one_hot * (probs - 1) * mask[..., None] / counted",
        caught_by="every_target_counts",
        says="Your gradient is zero everywhere but at the target. The other tokens share the same total of one: raising "
        "their logits takes probability away from the target.",
    ),
    Misconception(
        "logits_taken_for_probabilities",
        "loss_backward",
        old="probs = raised / raised.sum(axis=-1, keepdims=True)",
        new="probs = logits",
        caught_by="every_target_counts",
        says="Your gradient takes one off the logits themselves. It is their softmax that belongs there.",
    ),
    Misconception(
        "softmax_twice",
        "loss_backward",
        old="probs = raised / raised.sum(axis=-1, keepdims=True)",
        new="probs = raised / raised.sum(axis=-1, keepdims=True)\n    probs = np.exp(probs) / np.exp(probs).sum(-1, "
        "keepdims=True)",
        caught_by="every_target_counts",
        says="Your softmax is applied twice. What comes out of the first is a distribution already; the second makes it "
        "nearly uniform.",
    ),
    Misconception(
        "softmax_over_time",
        "loss_backward",
        old="probs = raised / raised.sum(axis=-1, keepdims=True)",
        new="raised = np.exp(logits - logits.max(axis=1, keepdims=True))\n    probs = raised / raised.sum(axis=1, "
        "keepdims=True)",
        caught_by="every_target_counts",
        says="Your softmax runs over the time axis. At each position it is the tokens of the vocabulary that share a "
        "total of one.",
    ),
    Misconception(
        "softmax_over_everything",
        "loss_backward",
        old="probs = raised / raised.sum(axis=-1, keepdims=True)",
        new="raised = np.exp(logits - logits.max())\n    probs = raised / raised.sum()",
        caught_by="every_target_counts",
        says="Your softmax has one total for the whole array. Each position predicts a token of its own, and has a "
        "total of one to itself.",
    ),
    Misconception(
        "exponentials_overflow",
        "loss_backward",
        old="raised = np.exp(logits - peak)",
        new="raised = np.exp(logits)",
        caught_by="each_position_has_its_own_largest_logit",
        says="Your exponentials overflow for logits in the hundreds. A softmax does not change when the same number is "
        "taken off all logits of a position; choose one that keeps them small.",
    ),
    Misconception(
        "smallest_logit_taken_off",
        "loss_backward",
        old="peak = logits.max(axis=-1, keepdims=True)",
        new="peak = logits.min(axis=-1, keepdims=True)",
        caught_by="one_position_may_span_thousands",
        says="You take the smallest logit off, not the largest. What is left is positive, and its exponential overflows where "
        "logits lie far apart.",
    ),
    Misconception(
        "one_peak_for_all",
        "loss_backward",
        old="peak = logits.max(axis=-1, keepdims=True)",
        new="peak = logits.max()",
        caught_by="each_position_has_its_own_largest_logit",
        says="Your softmax takes the largest logit of the whole array off every position. Where a position lies far "
        "below it, all its exponentials are zero, and so is their sum.",
    ),
    Misconception(
        "all_targets_at_every_position",
        "loss_backward",
        old="one_hot = np.eye(logits.shape[-1])[targets]",
        new="one_hot = np.zeros(logits.shape)\n    one_hot[:, :, targets.ravel()] = 1",
        caught_by="every_target_counts",
        says="Your index takes one off at the targets of *all* positions, everywhere. A slice pairs every row and step "
        "with every id; what you want is one id for each row and step.",
    ),
    Misconception(
        "targets_one_step_late",
        "loss_backward",
        old="one_hot = np.eye(logits.shape[-1])[targets]",
        new="one_hot = np.eye(logits.shape[-1])[np.roll(targets, -1, axis=1)]",
        caught_by="every_target_counts",
        says="Your targets are shifted once more. They are already lined up: targets[:, t] is what logits[:, t] should "
        "have predicted.",
    ),
    Misconception(
        "loss_backward_in_place",
        "loss_backward",
        old="raised = np.exp(logits - peak)",
        new="logits -= peak\n    raised = np.exp(logits)",
        caught_by="logits_are_left_alone",
        says="Your softmax takes the maximum off the caller's logits themselves. The gradient is right, but whoever "
        "looks at the logits afterwards finds other numbers.",
    ),
)

STEP = (
    Misconception(
        "step_without_tanh",
        "rnn_step_backward",
        old="dz = dh * (1 - h_t**2)",
        new="dz = dh",
        caught_by="step_gives_dh_prev",
        says="Your gradient goes past the tanh as if it were not there. A unit near 1 or -1 hardly moves when its input "
        "does, so hardly any gradient gets through it.",
    ),
    Misconception(
        "tanh_of_the_state",
        "rnn_step_backward",
        old="dz = dh * (1 - h_t**2)",
        new="dz = dh * (1 - np.tanh(h_t) ** 2)",
        caught_by="step_gives_dh_prev",
        says="Your tanh' is taken at h_t, which already has been through the tanh. The derivative in terms of the "
        "output needs no tanh any more.",
    ),
    Misconception(
        "tanh_slope_not_squared",
        "rnn_step_backward",
        old="dz = dh * (1 - h_t**2)",
        new="dz = dh * (1 - h_t)",
        caught_by="step_gives_dh_prev",
        says="Your tanh' lacks the square. It has to be the same for a state and its negative, and never more than one.",
    ),
    Misconception(
        "slope_of_the_sigmoid",
        "rnn_step_backward",
        old="dz = dh * (1 - h_t**2)",
        new="dz = dh * h_t * (1 - h_t)",
        caught_by="step_gives_dh_prev",
        says="Your derivative is the sigmoid's, s(1 - s). This network has a tanh.",
    ),
    Misconception(
        "tanh_at_the_previous_state",
        "rnn_step_backward",
        old="dz = dh * (1 - h_t**2)",
        new="dz = dh * (1 - h_prev**2)",
        caught_by="step_gives_dh_prev",
        says="Your tanh' is taken at h_prev. The tanh of this step made h_t.",
    ),
    Misconception(
        "divided_by_the_slope",
        "rnn_step_backward",
        old="dz = dh * (1 - h_t**2)",
        new="dz = dh / (1 - h_t**2)",
        caught_by="step_gives_dh_prev",
        says="Your gradient is divided by tanh'. Going back is not undoing: the chain rule multiplies by the "
        "derivative.",
    ),
    Misconception(
        "dx_without_tanh",
        "rnn_step_backward",
        old="dx = dz @ W_x",
        new="dx = dh @ W_x",
        caught_by="step_gives_dx",
        says="Your dx is taken from dh, before the tanh was gone through; the other terms are not. The input, too, "
        "stands inside the tanh.",
    ),
    Misconception(
        "dh_prev_without_tanh",
        "rnn_step_backward",
        old="dh_prev = dz @ W_h",
        new="dh_prev = dh @ W_h",
        caught_by="step_gives_dh_prev",
        says="Your dh_prev is taken from dh, before the tanh was gone through. Over many steps this makes the "
        "difference between a gradient that vanishes and one that does not.",
    ),
    Misconception(
        "dh_prev_slope_after_W_h",
        "rnn_step_backward",
        old="dh_prev = dz @ W_h",
        new="dh_prev = (dh @ W_h) * (1 - h_t**2)",
        caught_by="step_gives_dh_prev",
        says="Your dh_prev goes through W_h first and through the tanh after it. Forward, the tanh came last, so going "
        "back it comes first.",
    ),
    Misconception(
        "dW_x_without_tanh",
        "rnn_step_backward",
        old="dW_x = dz.T @ x_t",
        new="dW_x = dh.T @ x_t",
        caught_by="step_gives_dW_x",
        says="Your dW_x is taken from dh, before the tanh was gone through. The weights stand inside the tanh.",
    ),
    Misconception(
        "dW_h_without_tanh",
        "rnn_step_backward",
        old="dW_h = dz.T @ h_prev",
        new="dW_h = dh.T @ h_prev",
        caught_by="step_gives_dW_h",
        says="Your dW_h is taken from dh, before the tanh was gone through. The weights stand inside the tanh.",
    ),
    Misconception(
        "db_without_tanh",
        "rnn_step_backward",
        old="db = dz.sum(axis=0)",
        new="db = dh.sum(axis=0)",
        caught_by="step_gives_db",
        says="Your db is taken from dh, before the tanh was gone through. The bias stands inside the tanh.",
    ),
    Misconception(
        "db_not_summed",
        "rnn_step_backward",
        old="db = dz.sum(axis=0)",
        new="db = dz",
        caught_by="step_gives_db",
        says="Your db still has the batch axis. There is one bias for all rows, so what the rows say about it adds up.",
    ),
    Misconception(
        "db_averaged",
        "rnn_step_backward",
        old="db = dz.sum(axis=0)",
        new="db = dz.mean(axis=0)",
        caught_by="step_gives_db",
        says="Your db is the mean over the batch where the chain rule adds up. If the loss is a mean, its own gradient "
        "has seen to that already.",
    ),
    Misconception(
        "db_summed_over_units",
        "rnn_step_backward",
        old="db = dz.sum(axis=0)",
        new="db = dz.sum(axis=1)",
        caught_by="equal_sizes_hide_no_wrong_term",
        says="Your db adds up the units of each row. It is the rows that share the bias; each unit has its own.",
    ),
    Misconception(
        "dW_x_averaged",
        "rnn_step_backward",
        old="dW_x = dz.T @ x_t",
        new="dW_x = dz.T @ x_t / len(x_t)",
        caught_by="step_gives_dW_x",
        says="Your dW_x is the mean over the batch where the chain rule adds up. If the loss is a mean, its own gradient "
        "has seen to that already.",
    ),
    Misconception(
        "dW_h_averaged",
        "rnn_step_backward",
        old="dW_h = dz.T @ h_prev",
        new="dW_h = dz.T @ h_prev / len(h_prev)",
        caught_by="step_gives_dW_h",
        says="Your dW_h is the mean over the batch where the chain rule adds up. If the loss is a mean, its own gradient "
        "has seen to that already.",
    ),
    Misconception(
        "dh_prev_through_the_transpose",
        "rnn_step_backward",
        old="dh_prev = dz @ W_h",
        new="dh_prev = dz @ W_h.T",
        caught_by="step_gives_dh_prev",
        says="Your dh_prev goes through W_h in the forward direction. Forward, with a row for each sequence, the state "
        "meets W_h transposed; going back undoes that transpose. W_h is square, so no shape warned you.",
    ),
    Misconception(
        "dx_through_the_transpose",
        "rnn_step_backward",
        old="dx = dz @ W_x",
        new="dx = dz @ W_x.T",
        caught_by="equal_sizes_hide_no_wrong_term",
        says="Your dx goes through W_x in the forward direction: follow the shapes from (batch, hidden) to "
        "(batch, features).",
    ),
    Misconception(
        "dx_through_W_h",
        "rnn_step_backward",
        old="dx = dz @ W_x",
        new="dx = dz @ W_h",
        caught_by="equal_sizes_hide_no_wrong_term",
        says="Your dx goes through the recurrent weights. The input came in through W_x.",
    ),
    Misconception(
        "dW_inputs_swapped",
        "rnn_step_backward",
        old="dW_x = dz.T @ x_t\n    dW_h = dz.T @ h_prev",
        new="dW_x = dz.T @ h_prev\n    dW_h = dz.T @ x_t",
        caught_by="equal_sizes_hide_no_wrong_term",
        says="Your dW_x and dW_h have changed places, either in the formulas or at the end. Each weight matrix meets what "
        "it was multiplied with in the forward pass: W_x the input, W_h the state before.",
    ),
    Misconception(
        "dW_h_from_the_new_state",
        "rnn_step_backward",
        old="dW_h = dz.T @ h_prev",
        new="dW_h = dz.T @ h_t",
        caught_by="step_gives_dW_h",
        says="Your dW_h is taken with the state this step made. W_h was multiplied with the state before it.",
    ),
    Misconception(
        "dW_h_transposed",
        "rnn_step_backward",
        old="dW_h = dz.T @ h_prev",
        new="dW_h = h_prev.T @ dz",
        caught_by="step_gives_dW_h",
        says="Your dW_h is transposed. Rows belong to what comes out (dz), columns to what went in (h_prev); W_h is "
        "square, so no shape warned you.",
    ),
    Misconception(
        "dW_x_transposed",
        "rnn_step_backward",
        old="dW_x = dz.T @ x_t",
        new="dW_x = x_t.T @ dz",
        caught_by="equal_sizes_hide_no_wrong_term",
        says="Your dW_x is transposed: (features, hidden). A gradient has the shape of what it belongs to, and weights "
        "are laid out (out, in).",
    ),
    Misconception(
        "dx_and_dh_prev_swapped",
        "rnn_step_backward",
        old="return dx, dh_prev, dW_x, dW_h, db\n",
        new="return dh_prev, dx, dW_x, dW_h, db\n",
        caught_by="equal_sizes_hide_no_wrong_term",
        says="Your dx and dh_prev have changed places. The order agreed on is dx, dh_prev, dW_x, dW_h, db.",
    ),
    Misconception(
        "step_gradients_in_columns",
        "rnn_step_backward",
        old="return dx, dh_prev, dW_x, dW_h, db\n",
        new="return dx.T, dh_prev.T, dW_x, dW_h, db\n",
        caught_by="step_gives_dx",
        says="Your dx and dh_prev hold each sequence in a column. Here, as in x_t and h_prev, each has a row.",
    ),
    Misconception(
        "step_backward_in_place",
        "rnn_step_backward",
        old="dz = dh * (1 - h_t**2)",
        new="dh *= 1 - h_t**2\n    dz = dh",
        caught_by="step_leaves_its_cache_alone",
        says="Your function multiplies the caller's dh by tanh' in place. The terms are right, but dh is not dh any "
        "more; a second call goes through the tanh twice.",
    ),
)

SEQUENCE = (
    Misconception(
        "dh_next_not_added",
        "rnn_backward",
        old="total = dh[:, t] + dh_next",
        new="total = dh[:, t]",
        caught_by="recurrent_weights_add_up",
        says="Your steps do not hand their gradient on: each uses only what its own output sends. A state is also read "
        "by the next step, and without that path nothing is learned about the past.",
    ),
    Misconception(
        "only_the_last_step_feeds",
        "rnn_backward",
        old="total = dh[:, t] + dh_next",
        new="total = dh_next if t < x.shape[1] - 1 else dh[:, t]",
        caught_by="every_step_can_be_the_one_with_a_loss",
        says="Your backward pass takes in dh at the last step only, and then passes it on. There is a loss at every "
        "step, so every dh[:, t] comes in on the way.",
    ),
    Misconception(
        "last_dh_at_every_step",
        "rnn_backward",
        old="total = dh[:, t] + dh_next",
        new="total = dh[:, -1] + dh_next",
        caught_by="every_step_can_be_the_one_with_a_loss",
        says="Your steps all take in the gradient of the last output. Each state has its own dh[:, t].",
    ),
    Misconception(
        "outputs_skip_the_steps_between",
        "rnn_backward",
        old="total = dh[:, t] + dh_next",
        new="total = dh[:, t:].sum(axis=1)",
        caught_by="recurrent_weights_add_up",
        says="Your states collect the gradients of all later outputs as they are. On their way back those go through "
        "every step between, through its tanh' and its W_h.",
    ),
    Misconception(
        "dW_x_overwritten",
        "rnn_backward",
        old="dW_x = dW_x + dW_x_t",
        new="dW_x = dW_x_t",
        caught_by="input_weights_add_up",
        says="Your dW_x is assigned anew at every step, so only the first step of the sequence is left in it. Every "
        "step reads the same W_x, and what they say about it adds up.",
    ),
    Misconception(
        "dW_h_overwritten",
        "rnn_backward",
        old="dW_h = dW_h + dW_h_t",
        new="dW_h = dW_h_t",
        caught_by="recurrent_weights_add_up",
        says="Your dW_h is assigned anew at every step, so only the first step of the sequence is left in it. Every "
        "step reads the same W_h, and what they say about it adds up.",
    ),
    Misconception(
        "db_overwritten",
        "rnn_backward",
        old="db = db + db_t",
        new="db = db_t",
        caught_by="biases_add_up",
        says="Your db is assigned anew at every step, so only the first step of the sequence is left in it. Every step "
        "has the same bias, and what they say about it adds up.",
    ),
    Misconception(
        "all_weights_overwritten",
        "rnn_backward",
        old="dW_x = dW_x + dW_x_t\n        dW_h = dW_h + dW_h_t\n        db = db + db_t",
        new="dW_x, dW_h, db = dW_x_t, dW_h_t, db_t",
        caught_by="recurrent_weights_add_up",
        says="Your dW_x, dW_h and db are assigned anew at every step (`dW =`), so only the first step of the sequence is "
        "left in them. All steps share these weights, and what they say about them adds up (`dW +=`).",
    ),
    Misconception(
        "weights_averaged_over_time",
        "rnn_backward",
        old="dh0 = dh_next\n",
        new="dh0 = dh_next\n    dW_x, dW_h, db = (a / x.shape[1] for a in (dW_x, dW_h, db))\n",
        caught_by="recurrent_weights_add_up",
        says="Your gradients of the weights are divided by the number of steps. The chain rule adds up; if the loss is "
        "a mean over the steps, dh has that in it already.",
    ),
    Misconception(
        "weights_averaged_over_the_batch",
        "rnn_backward",
        old="dh0 = dh_next\n",
        new="dh0 = dh_next\n    dW_x, dW_h, db = (a / x.shape[0] for a in (dW_x, dW_h, db))\n",
        caught_by="recurrent_weights_add_up",
        says="Your gradients of the weights are divided by the number of rows. The chain rule adds up; if the loss is a "
        "mean over the batch, dh has that in it already.",
    ),
    Misconception(
        "runs_forward",
        "rnn_backward",
        old="for t in reversed(range(x.shape[1])):\n        before",
        new="for t in range(x.shape[1]):\n        before",
        caught_by="every_step_can_be_the_one_with_a_loss",
        says="Your loop runs from the first step to the last. A gradient goes the other way: what arrives at a state is "
        "known only once all later steps have been gone through.",
    ),
    Misconception(
        "wraps_around_to_the_last_state",
        "rnn_backward",
        old="before = h[:, t - 1] if t > 0 else h0",
        new="before = h[:, t - 1]",
        caught_by="recurrent_weights_add_up",
        says="Your state before the first step is h[:, -1], which in Python is the last one. Before the first step "
        "comes h0.",
    ),
    Misconception(
        "starts_from_zeros",
        "rnn_backward",
        old="before = h[:, t - 1] if t > 0 else h0",
        new="before = h[:, t - 1] if t > 0 else np.zeros(h0.shape)",
        caught_by="recurrent_weights_add_up",
        says="Your state before the first step is zero, so that step adds nothing to dW_h. The network started from h0.",
    ),
    Misconception(
        "own_state_for_the_previous",
        "rnn_backward",
        old="before = h[:, t - 1] if t > 0 else h0",
        new="before = h[:, t]",
        caught_by="recurrent_weights_add_up",
        says="Your steps use the state they made as the state they started from. h[:, t] is the state after step t; "
        "what W_h was multiplied with stands one place earlier.",
    ),
    Misconception(
        "h0_before_every_step",
        "rnn_backward",
        old="before = h[:, t - 1] if t > 0 else h0",
        new="before = h0",
        caught_by="recurrent_weights_add_up",
        says="Your steps all start from h0. Only the first one did; each later one started from the state before it.",
    ),
    Misconception(
        "dh0_dropped",
        "rnn_backward",
        old="dh0 = dh_next\n",
        new="dh0 = np.zeros(h0.shape)\n",
        caught_by="first_state_gets_its_gradient",
        says="Your dh0 is zero. h0 was read by the first step, and what that step hands back is its gradient; an encoder "
        "that made h0 learns from nothing else.",
    ),
    Misconception(
        "dh0_of_the_first_state",
        "rnn_backward",
        old="dh0 = dh_next\n",
        new="dh0 = total\n",
        caught_by="first_state_gets_its_gradient",
        says="Your dh0 is the gradient of the first state, h[:, 0], not of h0: one step is still to be gone through.",
    ),
    Misconception(
        "first_step_left_out",
        "rnn_backward",
        old="for t in reversed(range(x.shape[1])):\n        before",
        new="for t in reversed(range(1, x.shape[1])):\n        before",
        caught_by="inputs_get_their_gradient",
        says="Your loop stops before the first step, so x[:, 0] and h0 get nothing of their own. Check where your range "
        "ends.",
    ),
    Misconception(
        "last_step_left_out",
        "rnn_backward",
        old="for t in reversed(range(x.shape[1])):\n        before",
        new="for t in reversed(range(x.shape[1] - 1)):\n        before",
        caught_by="every_step_can_be_the_one_with_a_loss",
        says="Your loop leaves out the last step. With steps counted from 0, the last one is time - 1; check where your "
        "range begins.",
    ),
    Misconception(
        "dx_in_reverse_order",
        "rnn_backward",
        old="dx[t] = dx_t",
        new="dx[-1 - t] = dx_t",
        caught_by="inputs_get_their_gradient",
        says="Your dx is in the order in which it was found, the last step first. It belongs to x, so its steps are in "
        "the order of x.",
    ),
    Misconception(
        "dx_of_the_first_step_only",
        "rnn_backward",
        old="np.stack(dx, axis=1)",
        new="dx_t",
        caught_by="inputs_get_their_gradient",
        says="Your dx holds a single step. Every step has an input of its own, and a place in dx.",
    ),
    Misconception(
        "dx_added_up_over_time",
        "rnn_backward",
        old="np.stack(dx, axis=1)",
        new="np.cumsum(np.stack(dx, axis=1)[:, ::-1], axis=1)[:, ::-1]",
        caught_by="inputs_get_their_gradient",
        says="Your dx is added up over the steps. The weights are shared by all steps, the inputs are not: x[:, t] is "
        "read by step t alone.",
    ),
    Misconception(
        "time_and_batch_swapped",
        "rnn_backward",
        old="total = dh[:, t] + dh_next",
        new="total = dh[t] + dh_next",
        caught_by="equal_sizes_hide_no_wrong_gradient",
        says="Your loop takes dh[t], which is the t-th sequence of the batch. Time is the second axis.",
    ),
    Misconception(
        "callers_dh_mutated",
        "rnn_backward",
        old="total = dh[:, t] + dh_next",
        new="dh[:, t] += dh_next\n        total = dh[:, t]",
        caught_by="going_back_twice_gives_the_same",
        says="Your function adds what comes from later steps into the caller's dh. The gradients are right this once; "
        "a second call with the same dh finds them in there already.",
    ),
)

EMBEDDING = (
    Misconception(
        "repeated_ids_overwrite",
        "embedding_backward",
        old="np.add.at(dE, ids, d_out)",
        new="dE[ids] = d_out",
        caught_by="repeated_ids_add_up",
        says="Your rows keep only the last place where a token stands. A row that was read several times collects from "
        "all those places. (`dE[ids] += d_out` does not, either: numpy reads, adds and writes each row once.)",
    ),
    Misconception(
        "first_occurrence_only",
        "embedding_backward",
        old="np.add.at(dE, ids, d_out)",
        new="dE[ids[:, ::-1][::-1]] = d_out[:, ::-1][::-1]",
        caught_by="repeated_ids_add_up",
        says="Your rows keep only the first place where a token stands. A row that was read several times collects from "
        "all those places.",
    ),
    Misconception(
        "repeated_ids_averaged",
        "embedding_backward",
        old="return dE\n",
        new="return dE / np.maximum(np.bincount(ids.ravel(), minlength=vocab_size), 1)[:, None]\n",
        caught_by="repeated_ids_add_up",
        says="Your rows hold the mean over the places where a token stands. The chain rule adds up: a frequent token "
        "is moved by every one of its places.",
    ),
    Misconception(
        "embedding_averaged_over_tokens",
        "embedding_backward",
        old="return dE\n",
        new="return dE / ids.size\n",
        caught_by="repeated_ids_add_up",
        says="Your table is divided by the number of tokens. If the loss is a mean, d_out has that in it already.",
    ),
    Misconception(
        "embedding_averaged_over_the_batch",
        "embedding_backward",
        old="return dE\n",
        new="return dE / len(ids)\n",
        caught_by="repeated_ids_add_up",
        says="Your table is divided by the number of rows of the batch. If the loss is a mean, d_out has that in it "
        "already.",
    ),
    Misconception(
        "table_transposed",
        "embedding_backward",
        old="return dE\n",
        new="return dE.T\n",
        caught_by="equal_sizes_hide_no_transposed_table",
        says="Your table is transposed: features down, tokens across. It has a row for each id, like the table the "
        "vectors came from.",
    ),
    Misconception(
        "table_as_large_as_the_largest_id",
        "embedding_backward",
        old="dE = np.zeros((vocab_size, d_out.shape[-1]))",
        new="dE = np.zeros((ids.max() + 1, d_out.shape[-1]))",
        caught_by="unread_rows_are_zero",
        says="Your table ends at the largest id of this text. It has a row for every token of the vocabulary, whether "
        "it was read or not.",
    ),
    Misconception(
        "row_zero_taken_for_padding",
        "embedding_backward",
        old="return dE\n",
        new="dE[0] = 0\n    return dE\n",
        caught_by="no_id_is_special",
        says="Your row 0 is left at zero, as if 0 stood for padding. Nothing here says so; 0 is a token like any other.",
    ),
    Misconception(
        "ids_count_from_one",
        "embedding_backward",
        old="np.add.at(dE, ids, d_out)",
        new="np.add.at(dE, ids - 1, d_out)",
        caught_by="repeated_ids_add_up",
        says="Your rows are off by one: the gradient of token i ends up in row i - 1. Ids count from 0, like rows.",
    ),
    Misconception(
        "one_text_only",
        "embedding_backward",
        old="np.add.at(dE, ids, d_out)",
        new="np.add.at(dE, ids[0], d_out[0])",
        caught_by="repeated_ids_add_up",
        says="Your table collects from the first text of the batch only. All of them read from it.",
    ),
    Misconception(
        "counts_instead_of_gradients",
        "embedding_backward",
        old="np.add.at(dE, ids, d_out)",
        new="np.add.at(dE, ids, 1.0)",
        caught_by="repeated_ids_add_up",
        says="Your table counts how often each token stands in the text. What adds up are the gradients that arrive at "
        "those places.",
    ),
)

CHECK = (
    Misconception(
        "one_sided_difference",
        "grad_check",
        old="numeric = (above - below) / (2 * eps)",
        new="numeric = (above - f(point)) / eps",
        caught_by="errors_of_coarse_steps",
        says="Your difference is one-sided, between x + eps and x. Its error shrinks with eps only, that of the central "
        "difference with eps squared.",
    ),
    Misconception(
        "backward_difference",
        "grad_check",
        old="numeric = (above - below) / (2 * eps)",
        new="numeric = (f(point) - below) / eps",
        caught_by="errors_of_coarse_steps",
        says="Your difference is one-sided, between x and x - eps. Its error shrinks with eps only, that of the central "
        "difference with eps squared.",
    ),
    Misconception(
        "divided_by_eps_once",
        "grad_check",
        old="numeric = (above - below) / (2 * eps)",
        new="numeric = (above - below) / eps",
        caught_by="errors_of_wrong_gradients",
        says="Your differences are twice too large: from x - eps to x + eps it is two steps of eps, and you divide by "
        "one.",
    ),
    Misconception(
        "half_steps",
        "grad_check",
        old="point[index] = kept - eps",
        new="point[index] = kept",
        caught_by="errors_of_wrong_gradients",
        says="Your differences are half too small: you divide by two steps of eps, but went only one, from x to "
        "x + eps.",
    ),
    Misconception(
        "absolute_error",
        "grad_check",
        old="errors[index] = abs(grad[index] - numeric) / size",
        new="errors[index] = abs(grad[index] - numeric)",
        caught_by="errors_of_wrong_gradients",
        says="Your error is the plain difference. A difference of 0.01 is nothing beside a gradient of 1000, and a lot "
        "beside one of 0.01; that is why it is divided by the size of the two.",
    ),
    Misconception(
        "relative_to_the_larger",
        "grad_check",
        old="size = max(abs(grad[index]) + abs(numeric), 1e-8)",
        new="size = max(abs(grad[index]), abs(numeric), 1e-8)",
        caught_by="errors_of_wrong_gradients",
        says="Your error is relative to the larger of the two numbers, a formula that is also in use. Here the text "
        "divides by their sum, so that errors lie between 0 and 1.",
    ),
    Misconception(
        "relative_to_the_gradient",
        "grad_check",
        old="size = max(abs(grad[index]) + abs(numeric), 1e-8)",
        new="size = max(abs(grad[index]), 1e-8)",
        caught_by="errors_of_wrong_gradients",
        says="Your error is relative to the gradient that is being checked. If that is zero by mistake, the error is "
        "enormous; the formula divides by the sum of both sizes.",
    ),
    Misconception(
        "relative_to_the_difference",
        "grad_check",
        old="size = max(abs(grad[index]) + abs(numeric), 1e-8)",
        new="size = max(abs(numeric), 1e-8)",
        caught_by="errors_of_wrong_gradients",
        says="Your error is relative to the numeric difference alone; the formula divides by the sum of both sizes.",
    ),
    Misconception(
        "signs_cancel_in_the_size",
        "grad_check",
        old="size = max(abs(grad[index]) + abs(numeric), 1e-8)",
        new="size = max(abs(grad[index] + numeric), 1e-8)",
        caught_by="opposite_signs_are_all_wrong",
        says="Your error is divided by the size of the sum, not by the sum of the sizes. Where gradient and difference "
        "have opposite signs, that is close to zero.",
    ),
    Misconception(
        "mean_error",
        "grad_check",
        old="return float(errors.max())",
        new="return float(errors.mean())",
        caught_by="one_wrong_entry_is_found",
        says="Your result is the mean of the errors. One wrong entry among a million right ones would hardly show; the "
        "largest error is asked for.",
    ),
    Misconception(
        "sum_of_errors",
        "grad_check",
        old="return float(errors.max())",
        new="return float(errors.sum())",
        caught_by="errors_of_wrong_gradients",
        says="Your result is the sum of the errors; the largest of them is asked for.",
    ),
    Misconception(
        "smallest_error",
        "grad_check",
        old="return float(errors.max())",
        new="return float(errors.min())",
        caught_by="one_wrong_entry_is_found",
        says="Your result is the smallest error: one right entry, and everything passes. The largest is asked for.",
    ),
    Misconception(
        "last_error",
        "grad_check",
        old="return float(errors.max())",
        new="return float(errors.flat[-1])",
        caught_by="one_wrong_entry_is_found",
        says="Your result is the error of the last entry. Each one before it was overwritten; the largest of all is asked "
        "for.",
    ),
    Misconception(
        "signed_error",
        "grad_check",
        old="errors[index] = abs(grad[index] - numeric) / size",
        new="errors[index] = (grad[index] - numeric) / size",
        caught_by="one_wrong_entry_is_found",
        says="Your error keeps its sign, so entries that are too small count as negative and never are the largest.",
    ),
    Misconception(
        "error_of_the_whole_vector",
        "grad_check",
        old="""        size = max(abs(grad[index]) + abs(numeric), 1e-8)
        errors[index] = abs(grad[index] - numeric) / size
    return float(errors.max())
""",
        new="""        errors[index] = numeric
    length = np.linalg.norm
    return float(length(grad - errors) / max(length(grad) + length(errors), 1e-8))
""",
        caught_by="one_wrong_entry_is_found",
        says="Your error is that of the vector as a whole, a formula that is also in use. One wrong small entry hides "
        "behind the large ones there; here each entry is compared on its own.",
    ),
    Misconception(
        "no_floor_under_the_size",
        "grad_check",
        old="size = max(abs(grad[index]) + abs(numeric), 1e-8)",
        new="size = abs(grad[index]) + np.float64(abs(numeric))",
        caught_by="zero_against_zero_is_no_error",
        says="Your error divides zero by zero where gradient and difference both vanish. The formula keeps the divisor "
        "away from zero.",
    ),
    Misconception(
        "nan_passes",
        "grad_check",
        old="return float(errors.max())",
        new="return float(np.fmax.reduce(errors, axis=None, initial=0.0))",
        caught_by="nan_is_reported",
        says="Your check calls a gradient with NaN in it right: every comparison with NaN is false, so it never becomes "
        "the largest error. A check that NaN passes is no check.",
    ),
    Misconception(
        "single_precision",
        "grad_check",
        old="point = np.array(x, dtype=np.float64)",
        new="point = np.array(x, dtype=np.float32)",
        caught_by="small_steps_need_double_precision",
        says="Your check works in single precision, which keeps about seven digits: a step of a millionth gets lost in "
        "the rounding. Work in float64.",
    ),
    Misconception(
        "dtype_of_x_kept",
        "grad_check",
        old="point = np.array(x, dtype=np.float64)",
        new="point = np.array(x)",
        caught_by="small_steps_need_double_precision",
        says="Your check steps in the dtype of x. In an array of whole numbers a small step is cut off, and in single "
        "precision it gets lost in the rounding; work in float64.",
    ),
    Misconception(
        "entries_not_put_back",
        "grad_check",
        old="point[index] = kept\n        numeric",
        new="numeric",
        caught_by="entries_are_moved_one_at_a_time",
        says="Your entries stay where the last step left them, so the next difference is taken at another point. Put "
        "each one back before you go on to the next.",
    ),
    Misconception(
        "entries_moved_together",
        "grad_check",
        old="above = f(point)\n        point[index] = kept - eps\n        below = f(point)",
        new="above = f(x + eps)\n        below = f(x - eps)",
        caught_by="entries_are_moved_one_at_a_time",
        says="Your step moves all entries at once, so every difference is the slope along the diagonal. One entry moves "
        "at a time.",
    ),
    Misconception(
        "x_not_restored",
        "grad_check",
        old="""    point = np.array(x, dtype=np.float64)
    errors = np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        kept = point[index]
        point[index] = kept + eps
        above = f(point)
        point[index] = kept - eps
        below = f(point)
        point[index] = kept
""",
        new="""    point = np.asarray(x, dtype=np.float64)
    errors = np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        kept = point[index]
        point[index] = kept + eps
        above = f(point)
        point[index] = kept - eps
        below = f(point)
""",
        caught_by="x_is_put_back",
        says="Your x is not what it was: entries stay where the last step left them. The next difference is taken at "
        "another point, and whoever goes on with x has other parameters.",
    ),
    Misconception(
        "x_stepped_on_in_place",
        "grad_check",
        old="""    point = np.array(x, dtype=np.float64)
    errors = np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        kept = point[index]
        point[index] = kept + eps
        above = f(point)
        point[index] = kept - eps
        below = f(point)
        point[index] = kept
""",
        new="""    point = x
    errors = np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        kept = point[index]
        point[index] = kept + eps
        above = f(point)
        point[index] = kept - eps
        below = f(point)
""",
        caught_by="x_is_put_back",
        says="Your steps are taken in x itself, in whatever dtype it has, and are not taken back: entries stay where the last "
        "step left them. The next difference is taken at another point, and whoever goes on with x has other parameters.",
    ),
)

TRUNCATED = (
    Misconception(
        "state_reset_to_zeros",
        "truncated_bptt",
        old="        state = h[:, -1]\n",
        new="        state = np.zeros(h0.shape)\n",
        caught_by="loss_is_the_mean_over_all_targets",
        says="Your state is set to zero at the start of each window, so the network forgets what it read. Only the "
        "gradient is cut; the state goes on.",
    ),
    Misconception(
        "every_window_starts_from_h0",
        "truncated_bptt",
        old="        state = h[:, -1]\n",
        new="",
        caught_by="loss_is_the_mean_over_all_targets",
        says="Your windows all start from h0. Only the first one does; each later one starts where the one before it "
        "ended.",
    ),
    Misconception(
        "first_state_carried_on",
        "truncated_bptt",
        old="        state = h[:, -1]\n",
        new="        state = h[:, 0]\n",
        caught_by="loss_is_the_mean_over_all_targets",
        says="Your windows hand on the state after their first step. The next window goes on where this one ended.",
    ),
    Misconception(
        "never_cut",
        "truncated_bptt",
        old="for start in range(0, time, k):",
        new="k = time\n    for start in range(0, time, k):",
        caught_by="windows_give_dW_h",
        says="Your gradient goes back through the whole text: this is full backpropagation through time, whatever k is. "
        "At the border of a window the state counts as a constant.",
    ),
    Misconception(
        "windows_one_too_long",
        "truncated_bptt",
        old="for start in range(0, time, k):",
        new="k = k + 1\n    for start in range(0, time, k):",
        caught_by="windows_give_dW_h",
        says="Your windows are one step longer than k. With k = 1 no gradient goes back to the step before.",
    ),
    Misconception(
        "windows_one_too_short",
        "truncated_bptt",
        old="for start in range(0, time, k):",
        new="k = max(k - 1, 1)\n    for start in range(0, time, k):",
        caught_by="windows_give_dW_h",
        says="Your windows are one step shorter than k. The first one is steps 0 ... k-1, which is k steps.",
    ),
    Misconception(
        "k_windows",
        "truncated_bptt",
        old="for start in range(0, time, k):",
        new="k = -(-time // k)\n    for start in range(0, time, k):",
        caught_by="windows_give_dW_h",
        says="Your text is cut into k windows. It is cut into windows of k steps, as many as it takes.",
    ),
    Misconception(
        "remainder_comes_first",
        "truncated_bptt",
        old="for start in range(0, time, k):\n        stop = min(start + k, time)",
        new="borders = [0, *range(time % k or k, time + 1, k)] if k < time else [0, time]\n    for start, stop in "
        "zip(borders, borders[1:]):",
        caught_by="last_window_may_be_shorter",
        says="Your windows are counted from the end, so the short one comes first. They are counted from the start, and "
        "the last one takes what is left.",
    ),
    Misconception(
        "last_partial_window_dropped",
        "truncated_bptt",
        old="for start in range(0, time, k):",
        new="for start in range(0, time - min(k, time) + 1, k):",
        caught_by="last_window_may_be_shorter",
        says="Your last window is left out when it is shorter than k. Its targets count like all others.",
    ),
    Misconception(
        "each_loss_goes_back_k_steps",
        "truncated_bptt",
        old='window = rnn_backward(dh, (x_now, state, h, params["W_x"], params["W_h"]))',
        new="""window = [0.0] * 5
        path = np.concatenate([h0[:, None], _states(x, h0, params)], axis=1)
        for t in range(start, stop):
            first = max(t - k + 1, 0)
            alone = np.zeros((len(x), t - first + 1, h0.shape[1]))
            alone[:, -1] = dh[:, t - start]
            part = (x[:, first : t + 1], path[:, first], path[:, first + 1 : t + 2], params["W_x"], params["W_h"])
            window = [0.0, 0.0, *(a + b for a, b in zip(window[2:], rnn_backward(alone, part)[2:]))]""",
        caught_by="windows_give_dW_h",
        says="Your losses each go back k steps, from wherever they stand: a window that slides. That is another variant "
        "of truncation. Here windows lie side by side, and a loss goes back to the start of its own.",
    ),
    Misconception(
        "cut_one_step_late",
        "truncated_bptt",
        old="state = h[:, -1]\n",
        new="""if stop < time:
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
        caught_by="windows_of_one_step",
        says="Your gradient leaks across the border by one step: the state a window starts from still learns from that "
        "window. It counts as a constant, so cut before it and not behind it.",
    ),
    Misconception(
        "window_gradients_overwritten",
        "truncated_bptt",
        old="""        grads["W_x"] = grads["W_x"] + window[2]
        grads["W_h"] = grads["W_h"] + window[3]
        grads["b"] = grads["b"] + window[4]
""",
        new="""        grads["W_x"] = window[2]
        grads["W_h"] = window[3]
        grads["b"] = window[4]
""",
        caught_by="windows_give_dW_h",
        says="Your gradients of W_x, W_h and b are those of the last window only; each window overwrites the one before "
        "(`=` where `+=` is meant).",
    ),
    Misconception(
        "output_gradients_overwritten",
        "truncated_bptt",
        old="""        grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)
        grads["b_y"] += dlogits.sum(axis=(0, 1))
""",
        new="""        grads["W_y"] = np.einsum("btv,bth->vh", dlogits, h)
        grads["b_y"] = dlogits.sum(axis=(0, 1))
""",
        caught_by="windows_give_dW_y",
        says="Your gradients of W_y and b_y are those of the last window only; each window overwrites the one before "
        "(`=` where `+=` is meant).",
    ),
    Misconception(
        "only_the_last_window_learns",
        "truncated_bptt",
        old='        grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)\n',
        new="        grads = {name: np.zeros(value.shape) for name, value in params.items()}\n"
        '        grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)\n',
        caught_by="windows_give_dW_h",
        says="Your gradients are those of the last window only; they start from zero again in each window. What the "
        "windows say adds up.",
    ),
    Misconception(
        "window_losses_not_weighted",
        "truncated_bptt",
        old="share = targets_now.size / targets.size",
        new="share = 1.0",
        caught_by="windows_give_dW_y",
        says="Your gradients add up the mean losses of the windows: they are too large, by about the number of windows. "
        "The loss is one mean over the whole text; a window has the share of its targets in it.",
    ),
    Misconception(
        "mean_of_window_means",
        "truncated_bptt",
        old="share = targets_now.size / targets.size",
        new="share = 1 / len(range(0, time, k))",
        caught_by="last_window_may_be_shorter",
        says="Your gradients count every window the same, also a short last one. Every target counts the same, so a "
        "window counts for as much as it has targets.",
    ),
    Misconception(
        "loss_averaged_over_windows",
        "truncated_bptt",
        old="(np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size",
        new="(np.logaddexp.reduce(logits, axis=-1) - aimed).mean() / len(range(0, time, k))",
        caught_by="loss_is_the_mean_over_all_targets",
        says="Your loss counts every window the same, also a short last one. It is the mean over all targets of the "
        "text.",
    ),
    Misconception(
        "loss_summed_over_windows",
        "truncated_bptt",
        old="(np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size",
        new="(np.logaddexp.reduce(logits, axis=-1) - aimed).mean()",
        caught_by="loss_is_the_mean_over_all_targets",
        says="Your loss adds up the means of the windows, so it depends on how the text is cut. It is one mean over all "
        "targets of the text.",
    ),
    Misconception(
        "loss_not_averaged",
        "truncated_bptt",
        old="(np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size",
        new="(np.logaddexp.reduce(logits, axis=-1) - aimed).sum()",
        caught_by="loss_is_the_mean_over_all_targets",
        says="Your loss is the sum over all targets; the mean is asked for.",
    ),
    Misconception(
        "loss_of_the_last_window",
        "truncated_bptt",
        old="loss += (np.logaddexp.reduce(logits, axis=-1) - aimed).sum() / targets.size",
        new="loss = (np.logaddexp.reduce(logits, axis=-1) - aimed).mean()",
        caught_by="loss_is_the_mean_over_all_targets",
        says="Your loss is that of the last window. It is the mean over all targets of the text.",
    ),
    Misconception(
        "output_bias_missing",
        "truncated_bptt",
        old='logits = h @ params["W_y"].T + params["b_y"]',
        new='logits = h @ params["W_y"].T',
        caught_by="loss_is_the_mean_over_all_targets",
        says="Your logits lack the bias b_y.",
    ),
    Misconception(
        "recurrent_bias_missing",
        "truncated_bptt",
        old=' + x[:, t] @ params["W_x"].T + params["b"])',
        new=' + x[:, t] @ params["W_x"].T)',
        caught_by="loss_is_the_mean_over_all_targets",
        says="Your forward pass lacks the bias b inside the tanh.",
    ),
    Misconception(
        "forward_with_W_h_transposed",
        "truncated_bptt",
        old='state @ params["W_h"].T + x',
        new='state @ params["W_h"] + x',
        caught_by="loss_is_the_mean_over_all_targets",
        says="Your forward pass multiplies by W_h transposed. Weights are laid out (out, in); a state is a row "
        "of your batch and the formula multiplies a column. W_h is square, so no shape warned you.",
    ),
    Misconception(
        "state_not_updated",
        "truncated_bptt",
        old="state = np.tanh(state @ params",
        new="state = np.tanh(start @ params",
        caught_by="loss_is_the_mean_over_all_targets",
        says="Your forward pass starts every step from the state before the window. Each step starts from the state of "
        "the step before it.",
    ),
    Misconception(
        "b_y_has_no_gradient",
        "truncated_bptt",
        old='        grads["b_y"] += dlogits.sum(axis=(0, 1))\n',
        new="",
        caught_by="windows_give_db_y",
        says="Your b_y gets no gradient. It is added to the logits at every step of every row.",
    ),
    Misconception(
        "W_y_from_the_state_before",
        "truncated_bptt",
        old='np.einsum("btv,bth->vh", dlogits, h)',
        new='np.einsum("btv,bth->vh", dlogits, np.concatenate([state[:, None], h[:, :-1]], axis=1))',
        caught_by="windows_give_dW_y",
        says="Your dW_y is taken with the states before each step. The logits of step t come from h[:, t].",
    ),
    Misconception(
        "parameters_updated",
        "truncated_bptt",
        old="return float(loss), grads",
        new="for name in params:\n        params[name] -= 0.1 * grads[name]\n    return float(loss), grads",
        caught_by="parameters_are_left_alone",
        says="Your function takes a step with the gradients, in the caller's parameters. The result is right, but to "
        "learn is for the caller to decide.",
    ),
)

CLIP = (
    Misconception(
        "norm_of_each_array",
        "clip_grad_norm",
        old="clipped = {name: g * factor for name, g in grads.items()}",
        new="clipped = {n: g * min(1.0, max_norm / max(np.sqrt((g**2).sum()), 1e-12)) for n, g in grads.items()}",
        caught_by="too_long_is_shortened",
        says="Your arrays are clipped one by one, each by its own norm. That turns the gradient into another direction; "
        "one norm over all arrays shortens it and keeps where it points.",
    ),
    Misconception(
        "entries_clamped",
        "clip_grad_norm",
        old="clipped = {name: g * factor for name, g in grads.items()}",
        new="clipped = {name: np.clip(g, -max_norm, max_norm) for name, g in grads.items()}",
        caught_by="too_long_is_shortened",
        says="Your entries are clamped one by one to plus or minus max_norm. That is clipping by value; it changes the "
        "direction, and the whole can still be too long.",
    ),
    Misconception(
        "always_rescaled",
        "clip_grad_norm",
        old="factor = max_norm / norm if norm > max_norm else 1.0",
        new="factor = max_norm / norm if norm > 0 else 1.0",
        caught_by="short_gradients_are_not_stretched",
        says="Your gradients are brought to max_norm always, also short ones, which get longer. Near a minimum gradients "
        "are short for a reason; only what is too long is clipped.",
    ),
    Misconception(
        "short_ones_rescaled",
        "clip_grad_norm",
        old="factor = max_norm / norm if norm > max_norm else 1.0",
        new="factor = max_norm / norm if 0 < norm < max_norm else 1.0",
        caught_by="short_gradients_are_not_stretched",
        says="Your comparison is the wrong way round: short gradients are stretched, and long ones stay.",
    ),
    Misconception(
        "sum_of_norms",
        "clip_grad_norm",
        old="norm = float(np.sqrt(squares))",
        new="norm = float(sum(np.sqrt((g**2).sum()) for g in grads.values()))",
        caught_by="norm_is_that_of_all_arrays_together",
        says="Your norm is the sum of the arrays' norms. 3 and 4 make 5 here, not 7: it is the squares that add up.",
    ),
    Misconception(
        "root_forgotten",
        "clip_grad_norm",
        old="norm = float(np.sqrt(squares))",
        new="norm = float(squares)",
        caught_by="norm_is_that_of_all_arrays_together",
        says="Your norm is the sum of squares, without the root.",
    ),
    Misconception(
        "sum_of_absolute_values",
        "clip_grad_norm",
        old="norm = float(np.sqrt(squares))",
        new="norm = float(sum(np.abs(g).sum() for g in grads.values()))",
        caught_by="norm_is_that_of_all_arrays_together",
        says="Your norm is the sum of absolute values. The length of a vector is the root of the sum of squares.",
    ),
    Misconception(
        "largest_entry_for_norm",
        "clip_grad_norm",
        old="norm = float(np.sqrt(squares))",
        new="norm = float(max(np.abs(g).max() for g in grads.values()))",
        caught_by="norm_is_that_of_all_arrays_together",
        says="Your norm is the largest entry. The length of a vector is the root of the sum of squares.",
    ),
    Misconception(
        "largest_norm_for_norm",
        "clip_grad_norm",
        old="norm = float(np.sqrt(squares))",
        new="norm = float(max(np.sqrt((g**2).sum()) for g in grads.values()))",
        caught_by="norm_is_that_of_all_arrays_together",
        says="Your norm is that of the longest array. All arrays together are one gradient, with one length.",
    ),
    Misconception(
        "root_mean_square",
        "clip_grad_norm",
        old="norm = float(np.sqrt(squares))",
        new="norm = float(np.sqrt(squares / sum(g.size for g in grads.values())))",
        caught_by="norm_is_that_of_all_arrays_together",
        says="Your norm is a root mean square, divided by the number of entries. A length is not divided by anything.",
    ),
    Misconception(
        "brought_to_length_one",
        "clip_grad_norm",
        old="factor = max_norm / norm if norm > max_norm else 1.0",
        new="factor = 1 / norm if norm > max_norm else 1.0",
        caught_by="too_long_is_shortened",
        says="Your gradient is brought to length one when it is too long. It is as long as max_norm allows afterwards.",
    ),
    Misconception(
        "multiplied_by_the_limit",
        "clip_grad_norm",
        old="factor = max_norm / norm if norm > max_norm else 1.0",
        new="factor = max_norm if norm > max_norm else 1.0",
        caught_by="too_long_is_shortened",
        says="Your gradient is multiplied by max_norm without being divided by its own length.",
    ),
    Misconception(
        "norm_after_clipping",
        "clip_grad_norm",
        old="return clipped, norm",
        new="return clipped, min(norm, max_norm)",
        caught_by="norm_is_that_of_all_arrays_together",
        says="Your norm is the one after clipping. The one before is worth watching: it says how often, and how much, "
        "was clipped.",
    ),
    Misconception(
        "too_long_is_dropped",
        "clip_grad_norm",
        old="factor = max_norm / norm if norm > max_norm else 1.0",
        new="factor = 0.0 if norm > max_norm else 1.0",
        caught_by="too_long_is_shortened",
        says="Your gradient is set to zero when it is too long, so that step learns nothing. Shorten it; its direction "
        "is still worth following.",
    ),
    Misconception(
        "zero_divided_by_zero",
        "clip_grad_norm",
        old="factor = max_norm / norm if norm > max_norm else 1.0",
        new="factor = min(max_norm, norm) / np.float64(norm)",
        caught_by="zeros_stay_zeros",
        says="Your factor divides zero by zero when the gradient vanishes, and NaN then spreads to every parameter.",
    ),
    Misconception(
        "only_the_matrices",
        "clip_grad_norm",
        old="squares = sum((g**2).sum() for g in grads.values())",
        new="squares = sum((g**2).sum() for g in grads.values() if g.ndim == 2)",
        caught_by="norm_is_that_of_all_arrays_together",
        says="Your norm counts matrices only. Biases and arrays with more axes belong to the gradient as well.",
    ),
    Misconception(
        "clipped_in_place",
        "clip_grad_norm",
        old="clipped = {name: g * factor for name, g in grads.items()}",
        new="for g in grads.values():\n        g *= factor\n    clipped = grads",
        caught_by="gradients_are_left_alone",
        says="Your function clips the caller's arrays themselves, as PyTorch's `clip_grad_norm_` does (hence its last "
        "underscore). Here the caller keeps the gradients as they were.",
    ),
)

NORMS = (
    Misconception(
        "norms_in_reverse",
        "gradient_norms",
        old="return norms\n",
        new="return norms[::-1]\n",
        caught_by="lengths_at_every_state",
        says="Your lengths are in the order in which they were found, the last state first. norms[t] belongs to "
        "h[:, t].",
    ),
    Misconception(
        "norms_add_up",
        "gradient_norms",
        old="return norms\n",
        new="return norms[::-1].cumsum()[::-1]\n",
        caught_by="lengths_at_every_state",
        says="Your lengths are added up on the way back. Each state has the length of its own gradient.",
    ),
    Misconception(
        "norms_one_step_late",
        "gradient_norms",
        old="""        norms[t] = np.sqrt((flowing**2).sum())
        earlier = h[:, t - 1] if t > 0 else h0
        flowing = rnn_step_backward(flowing, (x[:, t], earlier, h[:, t], W_x, W_h))[1]
""",
        new="""        earlier = h[:, t - 1] if t > 0 else h0
        flowing = rnn_step_backward(flowing, (x[:, t], earlier, h[:, t], W_x, W_h))[1]
        norms[t] = np.sqrt((flowing**2).sum())
""",
        caught_by="one_state_has_one_length",
        says="Your lengths are off by one step: norms[t] is what step t hands back to the state before it. norms[-1] is "
        "the length of dh_last itself.",
    ),
    Misconception(
        "norms_not_rooted",
        "gradient_norms",
        old="norms[t] = np.sqrt((flowing**2).sum())",
        new="norms[t] = (flowing**2).sum()",
        caught_by="lengths_at_every_state",
        says="Your lengths are sums of squares, without the root.",
    ),
    Misconception(
        "norms_of_absolute_values",
        "gradient_norms",
        old="norms[t] = np.sqrt((flowing**2).sum())",
        new="norms[t] = np.abs(flowing).sum()",
        caught_by="lengths_at_every_state",
        says="Your lengths are sums of absolute values; a length is the root of the sum of squares.",
    ),
    Misconception(
        "norms_largest_entry",
        "gradient_norms",
        old="norms[t] = np.sqrt((flowing**2).sum())",
        new="norms[t] = np.abs(flowing).max()",
        caught_by="lengths_at_every_state",
        says="Your numbers are largest entries; a length is the root of the sum of squares.",
    ),
    Misconception(
        "norms_averaged_over_rows",
        "gradient_norms",
        old="norms[t] = np.sqrt((flowing**2).sum())",
        new="norms[t] = np.sqrt((flowing**2).sum(axis=1)).mean()",
        caught_by="lengths_at_every_state",
        says="Your numbers are means of the rows' lengths. Here it is one length over batch and units together.",
    ),
    Misconception(
        "norms_of_each_row",
        "gradient_norms",
        old="""    norms = np.zeros(steps)
    flowing = np.array(dh_last)
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum())
""",
        new="""    norms = np.zeros((steps, len(h0)))
    flowing = np.array(dh_last)
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum(axis=1))
""",
        caught_by="lengths_at_every_state",
        says="Your result has a length for each row of the batch. Here it is one for each state, over batch and units "
        "together.",
    ),
    Misconception(
        "norms_of_the_spectral_kind",
        "gradient_norms",
        old="norms[t] = np.sqrt((flowing**2).sum())",
        new="norms[t] = np.linalg.norm(flowing, 2)",
        caught_by="lengths_at_every_state",
        says="Your numbers are spectral norms (`ord=2` of a matrix is its largest singular value). Here it is the root "
        "of the sum of squares, of all rows and units.",
    ),
    Misconception(
        "norms_without_tanh",
        "gradient_norms",
        old="(x[:, t], earlier, h[:, t], W_x, W_h))[1]",
        new="(x[:, t], earlier, np.zeros(h0.shape), W_x, W_h))[1]",
        caught_by="lengths_at_every_state",
        says="Your gradient goes back through W_h only. Each step also has a tanh, whose derivative is at most one: it is "
        "what damps a gradient even where W_h does not.",
    ),
    Misconception(
        "norms_without_W_h",
        "gradient_norms",
        old="(x[:, t], earlier, h[:, t], W_x, W_h))[1]",
        new="(x[:, t], earlier, h[:, t], W_x, np.eye(len(W_h))))[1]",
        caught_by="lengths_at_every_state",
        says="Your gradient goes back through the tanh only. Each step also multiplies by W_h.",
    ),
    Misconception(
        "norms_through_W_h_transposed",
        "gradient_norms",
        old="(x[:, t], earlier, h[:, t], W_x, W_h))[1]",
        new="(x[:, t], earlier, h[:, t], W_x, W_h.T))[1]",
        caught_by="lengths_at_every_state",
        says="Your gradient goes through W_h in the forward direction; W_h is square, so no shape warned you.",
    ),
    Misconception(
        "norms_slope_of_the_state_before",
        "gradient_norms",
        old="(x[:, t], earlier, h[:, t], W_x, W_h))[1]",
        new="(x[:, t], earlier, earlier, W_x, W_h))[1]",
        caught_by="lengths_at_every_state",
        says="Your tanh' is off by one step: on the way from h[:, t] to h[:, t - 1] it is the tanh that made h[:, t] "
        "which is gone through.",
    ),
    Misconception(
        "norms_slope_after_W_h",
        "gradient_norms",
        old="flowing = rnn_step_backward(flowing, (x[:, t], earlier, h[:, t], W_x, W_h))[1]\n    return",
        new="flowing = (flowing @ W_h) * (1 - h[:, t] ** 2)\n    return",
        caught_by="lengths_at_every_state",
        says="Your gradient goes through W_h first and through the tanh after it. Forward, the tanh came last, so going "
        "back it comes first.",
    ),
    Misconception(
        "loss_at_every_state",
        "gradient_norms",
        old="(x[:, t], earlier, h[:, t], W_x, W_h))[1]",
        new="(x[:, t], earlier, h[:, t], W_x, W_h))[1] + dh_last",
        caught_by="lengths_at_every_state",
        says="Your dh_last comes in again at every step. Here only the last state has a loss, so that what is left of "
        "it can be seen.",
    ),
    Misconception(
        "norms_relative_to_the_last",
        "gradient_norms",
        old="return norms\n",
        new="return norms / norms[-1]\n",
        caught_by="lengths_at_every_state",
        says="Your lengths are divided by that of dh_last. They are asked for as they are.",
    ),
    Misconception(
        "measuring_in_place",
        "gradient_norms",
        old="""    flowing = np.array(dh_last)
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum())
        earlier = h[:, t - 1] if t > 0 else h0
        flowing = rnn""",
        new="""    flowing = dh_last
    for t in reversed(range(steps)):
        norms[t] = np.sqrt((flowing**2).sum())
        earlier = h[:, t - 1] if t > 0 else h0
        flowing[...] = rnn""",
        caught_by="measuring_changes_nothing",
        says="Your loop writes what flows back into the caller's dh_last. The lengths are right, but the gradient that "
        "was passed in is gone.",
    ),
)


def _choice(name: str, question: str, right: str, chosen: str, says: str) -> Misconception:
    """Name the mistake of choosing one wrong option."""
    text = f'answers["{question}"] = '
    return Misconception(name, "quiz", f'{text}"{right}"', f'{text}"{chosen}"', caught_by=question, says=says)


QUIZ = (
    _choice(
        "mean_times_count",
        "why_add_up",
        "b",
        "a",
        "Your answer turns things round: nothing was averaged to begin with. Think of one weight: where in the unrolled "
        "network does it stand?",
    ),
    _choice(
        "later_steps_need_more",
        "why_add_up",
        "b",
        "c",
        "Your answer has later steps weigh more. All steps count alike in the sum; what makes them meet in one dW_h?",
    ),
    _choice(
        "last_loss_holds_all",
        "why_add_up",
        "b",
        "d",
        "Your answer is about the loss. With a loss at the last step alone, dW_h is still a sum over the steps; why?",
    ),
    _choice(
        "own_output_only",
        "two_readers",
        "c",
        "a",
        "Your answer leaves out the next step, which also read h_t. Without it, nothing is learned about the past.",
    ),
    _choice(
        "next_step_only",
        "two_readers",
        "c",
        "b",
        "Your answer leaves out the output of step t itself, which has a loss of its own.",
    ),
    _choice(
        "outputs_arrive_unchanged",
        "two_readers",
        "c",
        "d",
        "Your answer lets gradients jump over steps. What comes from later outputs has gone through every step between; "
        "and no output before t was made from h_t.",
    ),
    _choice(
        "sums_cancel",
        "why_vanish",
        "a",
        "b",
        "Your answer is about sums. From one step to the one before, a gradient is multiplied; what do 100 "
        "multiplications by 0.9 give, and by 1.1?",
    ),
    _choice(
        "learning_rate_each_step",
        "why_vanish",
        "a",
        "c",
        "Your answer brings in the learning rate, which is applied once, after the whole gradient has been found.",
    ),
    _choice(
        "softmax_saturates_with_length",
        "why_vanish",
        "a",
        "d",
        "Your answer is about the output. The softmax runs over the vocabulary, whose size does not depend on how long "
        "the text is.",
    ),
    _choice(
        "orthogonal_keeps_all",
        "orthogonal_weights",
        "d",
        "a",
        "Your answer forgets the tanh, whose derivative multiplies the gradient at every step, too.",
    ),
    _choice(
        "tanh_amplifies",
        "orthogonal_weights",
        "d",
        "b",
        "Your answer has tanh' exceed one. Look at 1 - tanh(z)^2: when is it largest, and how large is it then?",
    ),
    _choice(
        "effects_cancel",
        "orthogonal_weights",
        "d",
        "c",
        "Your answer has two effects cancel, but an orthogonal matrix has none on lengths. What is left is the tanh.",
    ),
    _choice(
        "clipping_by_value",
        "what_clipping_does",
        "c",
        "a",
        "Your answer is clipping by value, which changes the direction of the gradient.",
    ),
    _choice(
        "clipping_each_array",
        "what_clipping_does",
        "c",
        "b",
        "Your answer has a norm for each array. The global norm is one number for all of them together.",
    ),
    _choice(
        "clipping_skips",
        "what_clipping_does",
        "c",
        "d",
        "Your answer skips the step. Clipping takes it, but with a shorter gradient.",
    ),
    _choice(
        "clipping_stretches",
        "what_clipping_cannot",
        "b",
        "a",
        "Your answer has clipping make gradients longer. It only ever shortens; and a vanished gradient, stretched, "
        "would still point where the last few steps say.",
    ),
    _choice(
        "vanishing_follows_exploding",
        "what_clipping_cannot",
        "b",
        "c",
        "Your answer ties vanishing to exploding. Look at the plot in the README: with gain 0.9 nothing ever explodes.",
    ),
    _choice(
        "clipping_evens_out_time",
        "what_clipping_cannot",
        "b",
        "d",
        "Your answer has clipping work at each step. It sees the gradients of the weights, after the steps have been "
        "added up, and cannot tell them apart any more.",
    ),
    _choice(
        "no_memory_beyond_k",
        "what_is_cut",
        "d",
        "a",
        "Your answer would be right if the state were cut, too. It is carried on, so what was read earlier can still be "
        "used; what happens to learning?",
    ),
    _choice(
        "only_last_window_counts",
        "what_is_cut",
        "d",
        "b",
        "Your answer leaves out the other windows. Each has its losses, and its gradients are added up.",
    ),
    _choice(
        "cutting_resets_the_state",
        "what_is_cut",
        "d",
        "c",
        "Your answer cuts the state. The question says that it is carried on; it is the gradient that stops.",
    ),
    _choice(
        "central_is_cheaper",
        "why_central",
        "b",
        "a",
        "Your answer counts wrong: central differences need two calls for each entry; one-sided ones need one, and one "
        "more for f(x).",
    ),
    _choice(
        "central_is_exact",
        "why_central",
        "b",
        "c",
        "Your answer goes too far: central differences are exact for polynomials up to degree two. Try x^3 with a large "
        "step.",
    ),
    _choice(
        "central_in_single_precision",
        "why_central",
        "b",
        "d",
        "Your answer is about rounding, from which both suffer: two numbers that are nearly equal are taken off each "
        "other.",
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
    *QUIZ,
)
