"""Known mistakes of a7_transformer, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.spec import Misconception


def _edit(exercise: str, old: str, name: str, new: str, caught_by: str, says: str, *twins: str) -> Misconception:
    """Name the mistake of having `new` where the reference has `old`."""
    return Misconception(name, exercise, old=old, new=new, caught_by=caught_by, says=says, twins=twins)


# layer_norm

MEAN = "mean = x.mean(dim=-1, keepdim=True)"
VAR = "var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)"
NORMED = "normed = (x - mean) / torch.sqrt(var + eps)"
RESULT = "return gamma * normed + beta"
STATISTICS = f"{MEAN}\n    {VAR}"


def _layer(old: str, name: str, new: str, caught_by: str, says: str, *twins: str) -> Misconception:
    return _edit("layer_norm", old, name, new, caught_by, says, *twins)


LAYER_NORM = (
    _layer(
        VAR,
        "layer_unbiased_variance",
        "var = x.var(dim=-1, keepdim=True)",
        "norms_of_any_shape",
        "Your variance divides by d - 1, as torch.var and torch.std do by themselves. Here it is the plain mean of the "
        "squared deviations: the features at hand are all there are, not a sample of more.",
    ),
    _layer(
        NORMED,
        "layer_eps_outside_the_root",
        "normed = (x - mean) / (torch.sqrt(var) + eps)",
        "large_and_small_eps",
        "Your eps is added to the standard deviation, behind the root. It belongs under the root, to the variance; with a "
        "small eps one hardly sees the difference, with .1 one does.",
    ),
    _layer(
        NORMED,
        "layer_eps_left_out",
        "normed = (x - mean) / torch.sqrt(var)",
        "equal_features_become_the_shift",
        "Your eps is not used. Where all features of a position are equal, zero is divided by zero.",
    ),
    _layer(
        NORMED,
        "layer_eps_hard_coded",
        "normed = (x - mean) / torch.sqrt(var + 1e-5)",
        "large_and_small_eps",
        "Your eps is always .00001, whatever you are given. It is an argument.",
    ),
    _layer(
        NORMED,
        "layer_eps_squared",
        "normed = (x - mean) / torch.sqrt(var + eps**2)",
        "large_and_small_eps",
        "Your eps is squared before it is added to the variance. It is added as it is.",
    ),
    _layer(
        NORMED,
        "layer_eps_as_a_floor",
        "normed = (x - mean) / torch.sqrt(var.clamp(min=eps))",
        "large_and_small_eps",
        "Your eps is a lower bound of the variance. It is added to it, also where the variance is large.",
    ),
    _layer(
        NORMED,
        "layer_eps_subtracted",
        "normed = (x - mean) / torch.sqrt((var - eps).abs())",
        "large_and_small_eps",
        "Your eps is taken off the variance, which makes the root smaller where it should be kept away from zero.",
    ),
    _layer(
        NORMED,
        "layer_divides_by_variance",
        "normed = (x - mean) / (var + eps)",
        "norms_of_any_shape",
        "Your deviations are divided by the variance; its root is missing. The result then shrinks when the input grows.",
    ),
    _layer(
        NORMED,
        "layer_multiplies_by_root",
        "normed = (x - mean) * torch.sqrt(var + eps)",
        "norms_of_any_shape",
        "Your deviations are multiplied by the root, so what was large becomes larger still.",
    ),
    _layer(
        STATISTICS,
        "layer_norm_over_time",
        "axis = -2 if x.ndim > 1 else -1\n    mean = x.mean(dim=axis, keepdim=True)\n"
        "    var = ((x - mean) ** 2).mean(dim=axis, keepdim=True)",
        "norms_of_any_shape",
        "Your mean and variance run over the positions of a sequence, for each feature. A layer norm looks at one position "
        "alone, and runs over its features, the last axis.",
    ),
    _layer(
        STATISTICS,
        "layer_norm_over_the_first_axis",
        "mean = x.mean(dim=0, keepdim=True)\n    var = ((x - mean) ** 2).mean(dim=0, keepdim=True)",
        "norms_of_any_shape",
        "Your mean and variance run over the first axis, that is over the sequences of a batch. They belong to one "
        "position, and run over its features, the last axis.",
    ),
    _layer(
        STATISTICS,
        "layer_norm_over_the_second_axis",
        "axis = min(1, x.ndim - 1)\n    mean = x.mean(dim=axis, keepdim=True)\n"
        "    var = ((x - mean) ** 2).mean(dim=axis, keepdim=True)",
        "norms_of_any_shape",
        "Your mean and variance run over axis 1. That is time in a batch of sequences; the features are the last axis, "
        "counted from the end.",
    ),
    _layer(
        STATISTICS,
        "layer_norm_over_the_third_axis",
        "axis = min(2, x.ndim - 1)\n    mean = x.mean(dim=axis, keepdim=True)\n"
        "    var = ((x - mean) ** 2).mean(dim=axis, keepdim=True)",
        "norms_of_any_shape",
        "Your mean and variance run over axis 2, which is the last one only when exactly two stand in front of it. Count "
        "from the end.",
    ),
    _layer(
        STATISTICS,
        "layer_norm_over_time_and_features",
        "axes = tuple(range(max(0, x.ndim - 2), x.ndim))\n    mean = x.mean(dim=axes, keepdim=True)\n"
        "    var = ((x - mean) ** 2).mean(dim=axes, keepdim=True)",
        "norms_of_any_shape",
        "Your mean and variance are those of a whole sequence. Every position has its own, or what it sees would depend on "
        "what comes later.",
    ),
    _layer(
        STATISTICS,
        "layer_norm_over_everything",
        "mean = x.mean()\n    var = ((x - mean) ** 2).mean()",
        "the_batch_does_not_matter",
        "Your mean and variance are those of the whole tensor: one sentence depends on the others of its batch. Say over "
        "which axis, and keep it.",
    ),
    _layer(
        STATISTICS,
        "layer_norm_is_batch_norm",
        "axes = tuple(range(x.ndim - 1)) or (0,)\n    mean = x.mean(dim=axes, keepdim=True)\n"
        "    var = ((x - mean) ** 2).mean(dim=axes, keepdim=True)",
        "the_batch_does_not_matter",
        "Your function is a batch norm: each feature is normed over all positions. A layer norm runs over the features of "
        "each position.",
    ),
    _layer(
        STATISTICS,
        "layer_norm_is_rms_norm",
        "mean = torch.zeros_like(x[..., :1])\n    var = (x**2).mean(dim=-1, keepdim=True)",
        "norms_of_any_shape",
        "Your function is an RMS norm: the mean is not taken off. Some newer models do that; a layer norm first moves the "
        "mean to zero.",
    ),
    _layer(
        VAR,
        "layer_variance_around_zero",
        "var = (x**2).mean(dim=-1, keepdim=True)",
        "norms_of_any_shape",
        "Your variance is the mean of the squares of x itself. It is that of the deviations from the mean.",
    ),
    _layer(
        NORMED,
        "layer_mean_stays",
        "normed = x / torch.sqrt(var + eps)",
        "norms_of_any_shape",
        "Your variance is right, but x is divided as it is; the mean has to be taken off first.",
    ),
    _layer(
        NORMED,
        "layer_only_centred",
        "normed = x - mean",
        "norms_of_any_shape",
        "Your vectors have mean zero, but keep their size: they are not divided by the root of the variance.",
    ),
    _layer(
        NORMED,
        "layer_mean_after_the_division",
        "normed = x / torch.sqrt(var + eps) - mean",
        "norms_of_any_shape",
        "Your mean is taken off after the division, so it is not in proportion any more. Brackets around x - mean help.",
    ),
    _layer(
        VAR,
        "layer_mean_absolute_deviation",
        "var = (x - mean).abs().mean(dim=-1, keepdim=True) ** 2",
        "norms_of_any_shape",
        "Your spread is the mean of the absolute deviations. The formula squares them, and takes the root of the mean.",
    ),
    _layer(
        VAR,
        "layer_vector_length",
        "var = ((x - mean) ** 2).sum(dim=-1, keepdim=True)",
        "norms_of_any_shape",
        "Your deviations are divided by their length as a vector: the squares are summed, not averaged. The result is too "
        "small by sqrt(d).",
    ),
    _layer(
        RESULT,
        "layer_scale_forgotten",
        "return normed + beta",
        "norms_of_any_shape",
        "Your gamma is not used. The norm must be able to give features back the size that they need.",
    ),
    _layer(
        RESULT,
        "layer_shift_forgotten",
        "return gamma * normed",
        "norms_of_any_shape",
        "Your beta is not used. The norm must be able to give features back the level that they need.",
    ),
    _layer(
        RESULT,
        "layer_scale_and_shift_forgotten",
        "return normed",
        "norms_of_any_shape",
        "Your function stops after the division: gamma and beta, which are learned, are not used.",
    ),
    _layer(
        RESULT,
        "layer_scale_and_shift_swapped",
        "return beta * normed + gamma",
        "norms_of_any_shape",
        "Your gamma and beta have changed places: gamma multiplies, beta is added.",
    ),
    _layer(
        RESULT,
        "layer_shift_before_scale",
        "return gamma * (normed + beta)",
        "norms_of_any_shape",
        "Your beta is added before gamma multiplies, so it is scaled, too. Scale first, then shift.",
    ),
    _layer(
        RESULT,
        "layer_scale_around_one",
        "return (1 + gamma) * normed + beta",
        "norms_of_any_shape",
        "Your scale is 1 + gamma. Some libraries store it like that; here gamma itself is the scale.",
    ),
    _layer(
        NORMED,
        "layer_norm_in_place",
        "x -= mean\n    normed = x / torch.sqrt(var + eps)",
        "norming_leaves_its_inputs_alone",
        "Your `-=` changes the caller's x. A residual connection still needs it as it was.",
    ),
    _layer(
        RESULT,
        "layer_scale_in_place",
        "return gamma.mul_(normed) + beta if x.ndim == 1 else gamma.mul_(1.5) / 1.5 * normed + beta",
        "norming_leaves_its_inputs_alone",
        "Your function changes gamma, which belongs to the caller: the next call would start from another scale.",
    ),
    _layer(
        RESULT,
        "layer_norm_cut_off",
        "return gamma * normed.detach() + beta",
        "gradients_pass_the_norm",
        "Your result is right, but what is normed is cut off from x (detach, .data or numpy): no layer below would learn.",
    ),
    _layer(
        NORMED,
        "layer_statistics_cut_off",
        "normed = (x - mean.detach()) / torch.sqrt(var.detach() + eps)",
        "gradients_pass_the_norm",
        "Your mean and variance are cut off from x (detach, no_grad or .item()). They are made of x, and part of its "
        "gradient goes by way of them.",
    ),
    _layer(
        RESULT,
        "layer_scale_cut_off",
        "return gamma.detach() * normed + beta.detach()",
        "gradients_pass_the_norm",
        "Your gamma and beta are cut off (detach, .data or numpy), so scale and shift would never be learned.",
    ),
)

# batch_norm

CENTRE = "centre = x.mean(dim=(0, 1), keepdim=True)"
SPREAD = "spread = ((x - centre) ** 2).mean(dim=(0, 1), keepdim=True)"
STANDARD = "standard = (x - centre) / torch.sqrt(spread + eps)"
SCALED = "return gamma * standard + beta"


def _batch(old: str, name: str, new: str, caught_by: str, says: str, *twins: str) -> Misconception:
    return _edit("batch_norm", old, name, new, caught_by, says, *twins)


def _batch_axes(axes: str) -> str:
    return f"centre = x.mean(dim={axes}, keepdim=True)\n    spread = ((x - centre) ** 2).mean(dim={axes}, keepdim=True)"


BATCH_NORM = (
    _batch(
        f"{CENTRE}\n    {SPREAD}",
        "batch_norm_is_layer_norm",
        _batch_axes("-1"),
        "batches_of_any_size",
        "Your function is a layer norm: mean and variance run over the features of a position. A batch norm takes each "
        "feature by itself, over all positions of all sequences.",
    ),
    _batch(
        f"{CENTRE}\n    {SPREAD}",
        "batch_norm_at_each_time",
        _batch_axes("0"),
        "batches_of_any_size",
        "Your mean and variance run over the batch alone, with others at each time. Time takes part as well: a feature has "
        "one mean and one variance.",
    ),
    _batch(
        f"{CENTRE}\n    {SPREAD}",
        "batch_norm_in_each_sequence",
        _batch_axes("1"),
        "batches_of_any_size",
        "Your mean and variance run over the time of each sequence by itself. That is an instance norm; here the "
        "sequences of the batch take part together.",
    ),
    _batch(
        f"{CENTRE}\n    {SPREAD}",
        "batch_norm_over_everything",
        _batch_axes("(0, 1, 2)"),
        "batches_of_any_size",
        "Your mean and variance are those of the whole tensor. Each feature has its own.",
    ),
    _batch(
        f"{CENTRE}\n    {SPREAD}",
        "batch_norm_keeps_the_time",
        _batch_axes("(0, 2)"),
        "batches_of_any_size",
        "Your mean and variance run over batch and features. In torch's own batch norm features are axis 1; here they are "
        "the last one, and time is axis 1.",
    ),
    _batch(
        SPREAD,
        "batch_unbiased_variance",
        "spread = x.var(dim=(0, 1), keepdim=True)",
        "batches_of_any_size",
        "Your variance divides by one less than the number of positions, as torch.var does by itself. The algorithm takes "
        "the plain mean of the squared deviations.",
    ),
    _batch(
        SPREAD,
        "batch_mean_of_variances",
        "spread = ((x - x.mean(dim=1, keepdim=True)) ** 2).mean(dim=(0, 1), keepdim=True)",
        "batches_of_any_size",
        "Your variance is the mean of the sequences' own variances, each around its own mean. What sequences differ in "
        "from each other is then left out; take the deviations from the one mean of the feature.",
    ),
    _batch(
        SPREAD,
        "batch_one_variance_for_all",
        "spread = ((x - centre) ** 2).mean()",
        "batches_of_any_size",
        "Your features have a mean each but share one variance, which runs over the features as well. Each has its own.",
    ),
    _batch(
        SPREAD,
        "batch_variance_around_zero",
        "spread = (x**2).mean(dim=(0, 1), keepdim=True)",
        "batches_of_any_size",
        "Your variance is the mean of the squares of x itself. It is that of the deviations from the mean.",
    ),
    _batch(
        STANDARD,
        "batch_eps_outside_the_root",
        "standard = (x - centre) / (torch.sqrt(spread) + eps)",
        "large_and_small_eps_in_a_batch",
        "Your eps is added to the standard deviation, behind the root. It belongs under the root.",
    ),
    _batch(
        STANDARD,
        "batch_eps_left_out",
        "standard = (x - centre) / torch.sqrt(spread)",
        "large_and_small_eps_in_a_batch",
        "Your eps is not used. A feature that is the same everywhere would be zero divided by zero.",
    ),
    _batch(
        STANDARD,
        "batch_eps_hard_coded",
        "standard = (x - centre) / torch.sqrt(spread + 1e-5)",
        "large_and_small_eps_in_a_batch",
        "Your eps is always .00001, whatever you are given. It is an argument.",
    ),
    _batch(
        STANDARD,
        "batch_divides_by_variance",
        "standard = (x - centre) / (spread + eps)",
        "batches_of_any_size",
        "Your deviations are divided by the variance; its root is missing.",
    ),
    _batch(
        STANDARD,
        "batch_only_centred",
        "standard = x - centre",
        "batches_of_any_size",
        "Your features have mean zero, but keep their spread: they are not divided by the root of the variance.",
    ),
    _batch(
        STANDARD,
        "batch_mean_stays",
        "standard = x / torch.sqrt(spread + eps)",
        "batches_of_any_size",
        "Your x is divided as it is; the mean of the feature has to be taken off first.",
    ),
    _batch(
        STANDARD,
        "batch_running_statistics",
        "centre, spread = 0.1 * centre, 0.9 + 0.1 * spread\n    " + STANDARD,
        "batches_of_any_size",
        "Your mean and variance are running ones, mixed with the 0 and 1 that they start from. Here the statistics are "
        "those of the batch at hand.",
    ),
    _batch(
        SCALED,
        "batch_scale_forgotten",
        "return standard + beta",
        "batches_of_any_size",
        "Your gamma is not used.",
    ),
    _batch(
        SCALED,
        "batch_shift_forgotten",
        "return gamma * standard",
        "batches_of_any_size",
        "Your beta is not used.",
    ),
    _batch(
        SCALED,
        "batch_scale_and_shift_forgotten",
        "return standard",
        "batches_of_any_size",
        "Your function stops after the division: gamma and beta, which are learned, are not used.",
    ),
    _batch(
        SCALED,
        "batch_scale_and_shift_swapped",
        "return beta * standard + gamma",
        "batches_of_any_size",
        "Your gamma and beta have changed places: gamma multiplies, beta is added.",
    ),
    _batch(
        STANDARD,
        "batch_norm_in_place",
        "x -= centre\n    standard = x / torch.sqrt(spread + eps)",
        "batch_norming_leaves_its_inputs_alone",
        "Your `-=` changes the caller's x, which may still be needed as it was.",
    ),
    _batch(
        SCALED,
        "batch_norm_cut_off",
        "return gamma * standard.detach() + beta",
        "gradients_pass_the_batch_norm",
        "Your result is right, but what is normed is cut off from x (detach, .data or numpy): no layer below would learn.",
    ),
    _batch(
        STANDARD,
        "batch_statistics_cut_off",
        "standard = (x - centre.detach()) / torch.sqrt(spread.detach() + eps)",
        "gradients_pass_the_batch_norm",
        "Your mean and variance are cut off from x (detach, no_grad or .item()). They are made of x, and part of its "
        "gradient goes by way of them.",
    ),
    _batch(
        SCALED,
        "batch_scale_cut_off",
        "return gamma.detach() * standard + beta.detach()",
        "gradients_pass_the_batch_norm",
        "Your gamma and beta are cut off (detach, .data or numpy), so scale and shift would never be learned.",
    ),
)

# residual

CHANGE = "change = f(x)\n    return x + change"


def _residual(name: str, new: str, caught_by: str, says: str, *twins: str) -> Misconception:
    return _edit("residual", CHANGE, name, new, caught_by, says, *twins)


RESIDUAL = (
    _residual(
        "residual_without_x",
        "return f(x)",
        "residuals_around_anything",
        "Your function returns f(x) alone. x has to go around f and be added, or a function of zeros would wipe out "
        "everything.",
    ),
    _residual(
        "residual_ignores_f",
        "f(x)\n    return x + 0",
        "residuals_around_anything",
        "Your function returns x as it was; what f says is lost.",
    ),
    _residual(
        "residual_subtracts",
        "return x - f(x)",
        "residuals_around_anything",
        "Your function takes f(x) off x. The change is added.",
    ),
    _residual(
        "residual_subtracts_x",
        "return f(x) - x",
        "residuals_around_anything",
        "Your function returns f(x) - x. That is what f has to learn, the difference; what is returned is the sum.",
    ),
    _residual(
        "residual_multiplies",
        "return x * f(x)",
        "residuals_around_anything",
        "Your function multiplies x by f(x). With f(x) = 0 nothing would be left of x.",
    ),
    _residual(
        "residual_averages",
        "return (x + f(x)) / 2",
        "residuals_around_anything",
        "Your function returns the mean of x and f(x), so that x fades by half with every layer. It is their sum.",
    ),
    _residual(
        "residual_divides_by_sqrt_two",
        "return (x + f(x)) / 2**0.5",
        "residuals_around_anything",
        "Your sum is divided by the root of two. Some models do that to keep the size; here x passes as it is.",
    ),
    _residual(
        "residual_adds_f_twice",
        "change = f(x)\n    return x + change + change",
        "residuals_around_anything",
        "Your change is added twice.",
    ),
    _residual(
        "residual_of_a_residual",
        "return x + f(x + f(x))",
        "residuals_around_anything",
        "Your f is applied twice, the second time to the sum. Once is enough.",
    ),
    _residual(
        "residual_adds_to_the_output",
        "y = f(x)\n    return y + f(y)",
        "residuals_around_anything",
        "Your sum is f(x) + f(f(x)): x was overwritten by f(x) before it could be added.",
    ),
    _residual(
        "residual_with_relu_behind",
        "return torch.relu(x + f(x))",
        "negative_inputs_pass",
        "Your sum goes through a ReLU, as in the first residual networks. Here nothing stands behind the sum, so that x can "
        "pass as it is.",
    ),
    _residual(
        "residual_normed",
        "y = x + f(x)\n    return (y - y.mean(-1, keepdim=True)) / torch.sqrt(y.var(-1, unbiased=False, keepdim=True) + 1e-5)",
        "residuals_around_anything",
        "Your sum is normed. That is the business of the block; the residual connection itself is a plain sum.",
    ),
    _residual(
        "residual_cuts_f",
        "return x + f(x).detach()",
        "gradients_go_both_ways",
        "Your f(x) is cut off from the gradient, so nothing inside f could ever learn. Stay in torch, without `.detach()`, "
        "`.data` or `no_grad`.",
    ),
    _residual(
        "residual_cuts_x",
        "return x.detach() + f(x)",
        "gradients_go_both_ways",
        "Your x is cut off from the gradient: it goes back through f alone, and the short way past it is closed. Add x as "
        "it is, without `.detach()` or `.data`.",
    ),
    _residual(
        "residual_in_place",
        "x += f(x)\n    return x",
        "residual_leaves_x_alone",
        "Your `+=` changes the caller's x. The sum is right, but whoever called you has lost the input.",
    ),
)

# zero_init_is_identity

MAPS = "parameters = [p for linear in block.last_maps() for p in (linear.weight, linear.bias) if p is not None]"
DRAWN = "x = 3.0 * torch.randn(2, 5, block.d_model) + 1.0"
ZERO = "        for p in parameters:\n            p.zero_()\n        y = block(x)"
RESTORE = "        for p, values in zip(parameters, kept, strict=True):\n            p.copy_(values)\n"
EQUAL = "return torch.allclose(y, x, atol=1e-4)"


def _zero(old: str, name: str, new: str, caught_by: str, says: str, *twins: str) -> Misconception:
    return _edit("zero_init_is_identity", old, name, new, caught_by, says, *twins)


ZERO_INIT = (
    _zero(
        ZERO,
        "nothing_set_to_zero",
        "        y = block(x)",
        "where_the_norm_stands",
        "Your block runs with the weights that it has. The question is what it returns when its last maps are zero.",
    ),
    _zero(
        MAPS,
        "weights_zero_biases_not",
        "parameters = [linear.weight for linear in block.last_maps()]",
        "where_the_norm_stands",
        "Your maps keep their biases, so they still add something. Weight and bias are set to zero.",
    ),
    _zero(
        MAPS,
        "bias_is_taken_for_granted",
        "parameters = [p for linear in block.last_maps() for p in (linear.weight, linear.bias)]",
        "maps_may_have_no_bias",
        "Your function expects every map to have a bias. With nn.Linear(..., bias=False) it is None, and there is nothing to "
        "set to zero.",
    ),
    _zero(
        MAPS,
        "only_the_last_sublayer",
        "parameters = [p for linear in block.last_maps()[-1:] for p in (linear.weight, linear.bias) if p is not None]",
        "every_sublayer_counts",
        "Your function sets only the last sublayer's map to zero. Every sublayer has a last map.",
    ),
    _zero(
        MAPS,
        "only_the_first_sublayer",
        "parameters = [p for linear in block.last_maps()[:1] for p in (linear.weight, linear.bias) if p is not None]",
        "every_sublayer_counts",
        "Your function sets only the first sublayer's map to zero. Every sublayer has a last map.",
    ),
    _zero(
        MAPS,
        "everything_set_to_zero",
        "parameters = list(block.parameters())",
        "every_sublayer_counts",
        "Your function sets all parameters of the block to zero. Only the last maps are; everything else stays.",
    ),
    _zero(
        DRAWN,
        "tried_on_zeros",
        "x = torch.zeros(2, 5, block.d_model)",
        "where_the_norm_stands",
        "Your input is zero, which many a block returns that would change anything else. Try one in which nothing is special.",
    ),
    _zero(
        DRAWN,
        "tried_on_ones",
        "x = torch.ones(2, 5, block.d_model)",
        "positions_are_not_mixed_up",
        "Your input is one everywhere: it has no negative numbers and no order. Try one in which nothing is special.",
    ),
    _zero(
        DRAWN,
        "tried_on_positive_numbers",
        "x = torch.rand(2, 5, block.d_model) + 0.5",
        "what_stands_behind_the_sum",
        "Your input has no negative numbers, so it does not see a ReLU behind the sum. Try one in which nothing is special.",
    ),
    _zero(
        DRAWN,
        "tried_on_normed_numbers",
        "x = torch.randn(2, 5, block.d_model)\n    x = torch.nn.functional.layer_norm(x, (block.d_model,), eps=0.0)",
        "where_the_norm_stands",
        "Your input has mean 0 and variance 1 at every position, so a norm returns it as it is. Try one in which nothing is "
        "special.",
    ),
    _zero(
        DRAWN,
        "tried_on_equal_positions",
        "x = (3.0 * torch.randn(1, 1, block.d_model) + 1.0).repeat(2, 5, 1)",
        "positions_are_not_mixed_up",
        "Your input has only one position, or the same numbers at each, so a block may exchange positions without being "
        "noticed.",
    ),
    _zero(
        EQUAL,
        "means_compared",
        "return torch.allclose(y.mean(), x.mean(), atol=1e-4)",
        "positions_are_not_mixed_up",
        "Your function compares the means of input and output. Every single number has to be the same.",
    ),
    _zero(
        EQUAL,
        "compared_with_zero",
        "return torch.allclose(y, torch.zeros_like(x), atol=1e-4)",
        "where_the_norm_stands",
        "Your function asks whether the block returns zeros. The identity returns its input.",
    ),
    _zero(
        EQUAL,
        "answer_turned_around",
        "return not torch.allclose(y, x, atol=1e-4)",
        "where_the_norm_stands",
        "Your answer is the opposite: True means that the input is returned.",
    ),
    _zero(
        EQUAL,
        "shapes_compared",
        "return y.shape == x.shape",
        "where_the_norm_stands",
        "Your function compares shapes. A block always returns the shape it was given; it is the numbers that count.",
    ),
    _zero(
        RESTORE,
        "block_left_zeroed",
        "",
        "the_block_is_left_as_it_was",
        "Your function leaves the maps at zero: the answer is right, but the caller's block has lost what it had learned.",
    ),
)

# FeedForward

INNER = "inner = torch.relu(self.expand(x))\n        return self.contract(inner)"


def _feed(name: str, new: str, caught_by: str, says: str, *twins: str) -> Misconception:
    return _edit("FeedForward", INNER, name, new, caught_by, says, *twins)


FEED_FORWARD = (
    _feed(
        "activation_missing",
        "return self.contract(self.expand(x))",
        "feed_forwards_of_any_size",
        "Your two maps have no ReLU between them. Two linear maps in a row are one linear map, however wide the middle.",
    ),
    _feed(
        "activation_at_the_end",
        "return torch.relu(self.contract(self.expand(x)))",
        "feed_forwards_of_any_size",
        "Your ReLU stands behind the second map. It belongs between the two; at the end it would only let the block add, "
        "never take away.",
    ),
    _feed(
        "activation_twice",
        "return torch.relu(self.contract(torch.relu(self.expand(x))))",
        "feed_forwards_of_any_size",
        "Your second map has a ReLU behind it, too. Then the block could only add to x, never take away.",
    ),
    _feed(
        "activation_on_the_input",
        "return self.contract(self.expand(torch.relu(x)))",
        "feed_forwards_of_any_size",
        "Your ReLU is applied to x, before the first map. It belongs between the two maps.",
    ),
    _feed(
        "gelu_for_relu",
        "return self.contract(torch.nn.functional.gelu(self.expand(x)))",
        "feed_forwards_of_any_size",
        "Your activation is a GELU, as in GPT-2 and BERT. Here it is the ReLU of the first Transformer, max(0, a).",
        "gelu_by_its_tanh",
    ),
    _feed(
        "gelu_by_its_tanh",
        "return self.contract(torch.nn.functional.gelu(self.expand(x), approximate='tanh'))",
        "feed_forwards_of_any_size",
        "Your activation is a GELU in GPT-2's form, with a tanh. Here it is the ReLU of the first Transformer, max(0, a).",
        "gelu_for_relu",
    ),
    _feed(
        "tanh_for_relu",
        "return self.contract(torch.tanh(self.expand(x)))",
        "feed_forwards_of_any_size",
        "Your activation is a tanh. Here it is a ReLU, max(0, a).",
    ),
    _feed(
        "sigmoid_for_relu",
        "return self.contract(torch.sigmoid(self.expand(x)))",
        "feed_forwards_of_any_size",
        "Your activation is a sigmoid. Here it is a ReLU, max(0, a).",
    ),
    _feed(
        "leaky_relu",
        "return self.contract(torch.nn.functional.leaky_relu(self.expand(x)))",
        "feed_forwards_of_any_size",
        "Your activation lets a little of the negative numbers through. max(0, a) lets nothing through.",
    ),
    _feed(
        "absolute_value_for_relu",
        "return self.contract(self.expand(x).abs())",
        "feed_forwards_of_any_size",
        "Your activation turns negative numbers into positive ones. max(0, a) turns them into zero.",
    ),
    _feed(
        "feed_forward_adds_its_input",
        "return x + self.contract(torch.relu(self.expand(x)))",
        "feed_forwards_of_any_size",
        "Your feed-forward network adds x itself. The residual connection is the business of the block, which would add it "
        "a second time.",
    ),
    _feed(
        "feed_forward_norms_its_input",
        "x = torch.nn.functional.layer_norm(x, x.shape[-1:])\n        return self.contract(torch.relu(self.expand(x)))",
        "feed_forwards_of_any_size",
        "Your feed-forward network norms its input. That is the business of the block around it.",
    ),
    _feed(
        "inner_biases_forgotten",
        "return self.contract(torch.relu(x @ self.expand.weight.T))",
        "feed_forwards_of_any_size",
        "Your first map has no bias. Call the layer itself, and it is included.",
    ),
    _feed(
        "outer_biases_forgotten",
        "return torch.relu(self.expand(x)) @ self.contract.weight.T",
        "feed_forwards_of_any_size",
        "Your second map has no bias. Call the layer itself, and it is included.",
    ),
    _feed(
        "second_map_forgotten",
        "return torch.relu(self.expand(x))",
        "feed_forwards_of_any_size",
        "Your network stops after the ReLU, at d_ff features. The second map brings them back to d_model.",
    ),
    _feed(
        "softmax_for_relu",
        "return self.contract(torch.softmax(self.expand(x), dim=-1))",
        "feed_forwards_of_any_size",
        "Your inner units share a total of one, by a softmax. A ReLU treats every unit by itself.",
    ),
    _feed(
        "feed_forward_cut_from_its_input",
        "return self.contract(torch.relu(self.expand(x.detach())))",
        "gradients_reach_the_input_of_the_maps",
        "Your result is right, but x is detached: no gradient comes back to the layers below.",
    ),
    _feed(
        "feed_forward_cut_in_the_middle",
        "return self.contract(torch.relu(self.expand(x)).detach())",
        "gradients_reach_the_first_map",
        "Your result is right, but the gradient is cut between the two maps: the first one never learns.",
    ),
    _feed(
        "feed_forward_cut_from_its_second_map",
        "inner = torch.relu(self.expand(x))\n        return inner @ self.contract.weight.data.T + self.contract.bias",
        "gradients_reach_the_second_map",
        "Your result is right, but `.data` cuts the gradient: the second map's weight never learns.",
    ),
    _feed(
        "feed_forward_in_place",
        "y = self.contract(torch.relu(self.expand(x)))\n        with torch.no_grad():\n            x.copy_(y)\n        return y",
        "thinking_leaves_x_alone",
        "Your result is written into the caller's x, which the residual connection still needs.",
    ),
)

# EncoderBlock

ENCODER_BODY = """\
        def look_around(h: Tensor) -> Tensor:
            normed = self.norm_1(h)
            return self.attention(normed, normed, normed, mask)

        h = residual(x, look_around)
        return residual(h, lambda h: self.feed_forward(self.norm_2(h)))
"""


def _encoder(name: str, lines: str, caught_by: str, says: str, *twins: str) -> Misconception:
    """Name a mistake by the lines of the block that make it; n is norm_1(x)."""
    body = "".join(f"        {line}\n" for line in lines.split("\n"))
    return _edit("EncoderBlock", ENCODER_BODY, name, body, caught_by, says, *twins)


ENCODER = (
    _encoder(
        "encoder_post_norm",
        "h = self.norm_1(x + self.attention(x, x, x, mask))\nreturn self.norm_2(h + self.feed_forward(h))",
        "encoder_blocks_of_any_size",
        "Your block is post-norm, norm(x + sublayer(x)), as in Vaswani et al. 2017. Here blocks are pre-norm, "
        "x + sublayer(norm(x)), so that x passes without a norm in its way.",
    ),
    _encoder(
        "encoder_post_norm_around_feed_forward",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn self.norm_2(h + self.feed_forward(h))",
        "encoder_blocks_of_any_size",
        "Your first sublayer is pre-norm and your second one post-norm. Both read the normed input, and nothing norms the "
        "sums.",
    ),
    _encoder(
        "encoder_norms_what_sublayers_say",
        "h = x + self.norm_1(self.attention(x, x, x, mask))\nreturn h + self.norm_2(self.feed_forward(h))",
        "encoder_blocks_of_any_size",
        "Your norms are applied to what the sublayers say. They belong in front of the sublayers.",
    ),
    _encoder(
        "encoder_without_residuals",
        "n = self.norm_1(x)\nh = self.attention(n, n, n, mask)\nreturn self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your block has no residual connections: x does not go around the sublayers, and neither does the gradient.",
    ),
    _encoder(
        "encoder_no_residual_around_attention",
        "n = self.norm_1(x)\nh = self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your attention has no residual connection: a position forgets what it was itself.",
    ),
    _encoder(
        "encoder_no_residual_around_feed_forward",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your feed-forward network has no residual connection.",
    ),
    _encoder(
        "encoder_residual_from_the_normed_x",
        "n = self.norm_1(x)\nh = n + self.attention(n, n, n, mask)\nm = self.norm_2(h)\nreturn m + self.feed_forward(m)",
        "encoder_blocks_of_any_size",
        "Your sublayers' outputs are added to the normed input. They are added to the input as it was: keep it under a name "
        "of its own.",
    ),
    _encoder(
        "encoder_first_residual_from_the_normed_x",
        "n = self.norm_1(x)\nh = n + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your attention's output is added to the normed x. It is added to x as it was.",
    ),
    _encoder(
        "encoder_second_residual_from_the_normed_h",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nm = self.norm_2(h)\nreturn m + self.feed_forward(m)",
        "encoder_blocks_of_any_size",
        "Your feed-forward network's output is added to what was normed for it. It is added to what was there before the "
        "norm.",
    ),
    _encoder(
        "encoder_without_norms",
        "h = x + self.attention(x, x, x, mask)\nreturn h + self.feed_forward(h)",
        "encoder_blocks_of_any_size",
        "Your block has no norms. Each sublayer reads its input through a norm of its own.",
    ),
    _encoder(
        "encoder_attention_reads_unnormed",
        "h = x + self.attention(x, x, x, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your attention reads x without the norm before it.",
    ),
    _encoder(
        "encoder_feed_forward_reads_unnormed",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(h)",
        "encoder_blocks_of_any_size",
        "Your feed-forward network reads h without the norm before it.",
    ),
    _encoder(
        "encoder_one_norm_for_both",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_1(h))",
        "encoder_blocks_of_any_size",
        "Your sublayers share norm_1. Each has a norm of its own, with a scale and a shift of its own.",
    ),
    _encoder(
        "encoder_norms_swapped",
        "n = self.norm_2(x)\nh = x + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_1(h))",
        "encoder_blocks_of_any_size",
        "Your norms have changed places: norm_1 belongs to the attention, norm_2 to the feed-forward network.",
    ),
    _encoder(
        "encoder_sublayers_in_parallel",
        "n = self.norm_1(x)\nreturn x + self.attention(n, n, n, mask) + self.feed_forward(self.norm_2(x))",
        "encoder_blocks_of_any_size",
        "Your sublayers both read x, side by side. The feed-forward network reads what the attention has made of it.",
    ),
    _encoder(
        "encoder_feed_forward_reads_x",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(n)",
        "encoder_blocks_of_any_size",
        "Your feed-forward network reads norm_1(x), what the attention has read. It reads norm_2 of what came out of that.",
    ),
    _encoder(
        "encoder_second_sum_from_x",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn x + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your second sum starts from x again, so what the attention found out is not in it.",
    ),
    _encoder(
        "encoder_x_added_twice",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn x + h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your second sum has x in it once more, which is in h already.",
    ),
    _encoder(
        "encoder_feed_forward_first",
        "h = x + self.feed_forward(self.norm_2(x))\nn = self.norm_1(h)\nreturn h + self.attention(n, n, n, mask)",
        "encoder_blocks_of_any_size",
        "Your feed-forward network comes first. Positions look at each other first, then each thinks about what it saw.",
    ),
    _encoder(
        "encoder_without_feed_forward",
        "n = self.norm_1(x)\nreturn x + self.attention(n, n, n, mask)",
        "encoder_blocks_of_any_size",
        "Your block ends after the attention; the feed-forward network is missing.",
    ),
    _encoder(
        "encoder_without_attention",
        "return x + self.feed_forward(self.norm_2(x))",
        "encoder_blocks_of_any_size",
        "Your block has no attention: no position knows of another.",
    ),
    _encoder(
        "encoder_normed_at_the_end",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\n"
        "return self.norm_2(h + self.feed_forward(self.norm_2(h)))",
        "encoder_blocks_of_any_size",
        "Your block norms its output as well. In pre-norm only one norm follows, after the last block of the stack, and that "
        "is not the block's business.",
    ),
    _encoder(
        "encoder_keys_and_values_unnormed",
        "h = x + self.attention(self.norm_1(x), x, x, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your keys and values come from x without the norm. In self-attention all three come from the normed x.",
    ),
    _encoder(
        "encoder_values_unnormed",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, x, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your values come from x without the norm. In self-attention all three come from the normed x.",
    ),
    _encoder(
        "encoder_queries_unnormed",
        "n = self.norm_1(x)\nh = x + self.attention(x, n, n, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your queries come from x without the norm. In self-attention all three come from the normed x.",
    ),
    _encoder(
        "encoder_mask_unused",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_under_masks",
        "Your block does not hand its mask to the attention, so padding is read as if it were text.",
    ),
    _encoder(
        "encoder_mask_inverted",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, None if mask is None else ~mask)\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_under_masks",
        "Your mask is turned around. True means 'may look' here, and Attention takes it like that; in torch's own modules a "
        "boolean mask says what is hidden.",
    ),
    _encoder(
        "encoder_mask_hides_queries",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, None if mask is None else mask.transpose(-1, -2))\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_under_masks",
        "Your mask is transposed: it hides queries where it should hide keys. Rows are those who look, columns what they look "
        "at.",
    ),
    _encoder(
        "encoder_mask_of_the_first_row",
        "n = self.norm_1(x)\n"
        "h = x + self.attention(n, n, n, mask if mask is None or mask.ndim == 2 else mask[0])\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_under_masks",
        "Your block uses the mask of the first sequence for all of them. Every sequence has its own padding.",
    ),
    _encoder(
        "encoder_adds_a_causal_mask",
        "past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()\nn = self.norm_1(x)\n"
        "h = x + self.attention(n, n, n, past if mask is None else past & mask)\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your encoder block hides the future. The source is there as a whole, and every word may look at all of it.",
    ),
    _encoder(
        "encoder_zeroes_what_is_hidden",
        "n = self.norm_1(x)\n"
        "h = x + self.attention(n, n, n, mask)\n"
        "y = h + self.feed_forward(self.norm_2(h))\n"
        "return y if mask is None else y * mask.expand(x.shape[0], x.shape[1], x.shape[1]).any(1)[..., None]",
        "encoder_blocks_under_masks",
        "Your block sets positions that nobody looks at to zero. The mask belongs to the attention alone.",
    ),
    _encoder(
        "encoder_applied_twice",
        "for _ in range(2):\n    n = self.norm_1(x)\n    x = x + self.attention(n, n, n, mask)\n"
        "    x = x + self.feed_forward(self.norm_2(x))\nreturn x",
        "encoder_blocks_of_any_size",
        "Your block runs through its two sublayers twice.",
    ),
    _encoder(
        "encoder_batch_and_time_swapped",
        "n = self.norm_1(x).transpose(0, 1)\nh = x + self.attention(n, n, n).transpose(0, 1)\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_block_takes_rows_one_by_one",
        "Your attention runs over the batch: the sentences look at each other. The attention here takes (batch, time, "
        "d_model), so nothing needs to be exchanged.",
    ),
    _encoder(
        "encoder_cuts_the_short_way",
        "n = self.norm_1(x)\nh = x.detach() + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "gradients_take_the_short_way",
        "Your result is right, but x is detached where it goes around the attention, and that is the way on which the "
        "gradient gets through deep stacks.",
    ),
    _encoder(
        "encoder_cuts_the_attention",
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask).detach()\nreturn h + self.feed_forward(self.norm_2(h))",
        "gradients_reach_the_attention",
        "Your result is right, but what the attention says is detached: it never learns.",
    ),
    _encoder(
        "encoder_in_place",
        "n = self.norm_1(x)\nwith torch.no_grad():\n    x += self.attention(n, n, n, mask)\n"
        "return x + self.feed_forward(self.norm_2(x))",
        "encoder_block_leaves_its_inputs_alone",
        "Your `+=` changes the caller's x, which may still be needed as it was.",
    ),
)

# MaskedDecoderBlock

DECODER_BODY = """\
        def look_back(y: Tensor) -> Tensor:
            own = self.norm_1(y)
            return self.self_attention(own, own, own, target_mask)

        g = residual(x, look_back)
        y = residual(g, lambda y: self.cross_attention(self.norm_2(y), memory, memory, memory_mask))
        return residual(y, lambda y: self.feed_forward(self.norm_3(y)))
"""
SELF = "n = self.norm_1(x)\ng = x + self.self_attention(n, n, n, target_mask)\n"
CROSS = "h = g + self.cross_attention(self.norm_2(g), memory, memory, memory_mask)\n"
THINK = "return h + self.feed_forward(self.norm_3(h))"


def _decoder(name: str, lines: str, caught_by: str, says: str, *twins: str) -> Misconception:
    """Name a mistake by the lines of the block that make it."""
    body = "".join(f"        {line}\n" for line in lines.split("\n"))
    return _edit("MaskedDecoderBlock", DECODER_BODY, name, body, caught_by, says, *twins)


DECODER = (
    _decoder(
        "decoder_post_norm",
        "g = self.norm_1(x + self.self_attention(x, x, x, target_mask))\n"
        "h = self.norm_2(g + self.cross_attention(g, memory, memory, memory_mask))\n"
        "return self.norm_3(h + self.feed_forward(h))",
        "decoder_blocks_of_any_size",
        "Your block is post-norm, norm(x + sublayer(x)), as in Vaswani et al. 2017. Here blocks are pre-norm, "
        "x + sublayer(norm(x)), so that x passes without a norm in its way.",
    ),
    _decoder(
        "decoder_norms_what_sublayers_say",
        "g = x + self.norm_1(self.self_attention(x, x, x, target_mask))\n"
        "h = g + self.norm_2(self.cross_attention(g, memory, memory, memory_mask))\n"
        "return h + self.norm_3(self.feed_forward(h))",
        "decoder_blocks_of_any_size",
        "Your norms are applied to what the sublayers say. They belong in front of the sublayers.",
    ),
    _decoder(
        "decoder_cross_before_self",
        "g = x + self.cross_attention(self.norm_2(x), memory, memory, memory_mask)\nn = self.norm_1(g)\n"
        "h = g + self.self_attention(n, n, n, target_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your block looks at the source first and at the target second. A position first finds out where in the target it "
        "stands, then asks the source.",
    ),
    _decoder(
        "decoder_attentions_in_parallel",
        "n = self.norm_1(x)\n"
        "h = x + self.self_attention(n, n, n, target_mask)\n"
        "h = h + self.cross_attention(self.norm_2(x), memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention asks with x, side by side with the self-attention. Its queries come from what the "
        "self-attention has made of x.",
    ),
    _decoder(
        "decoder_all_in_parallel",
        SELF + "h = g + self.cross_attention(self.norm_2(x), memory, memory, memory_mask)\n"
        "return h + self.feed_forward(self.norm_3(x))",
        "decoder_blocks_of_any_size",
        "Your sublayers all read x, side by side. Each reads what the one before it has made of x.",
    ),
    _decoder(
        "decoder_without_cross_attention",
        SELF + "h = g\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your block never looks at the source; the cross-attention is missing.",
    ),
    _decoder(
        "decoder_without_self_attention",
        "g = x\n" + CROSS + THINK,
        "decoder_blocks_of_any_size",
        "Your block never looks at the target so far; the self-attention is missing.",
    ),
    _decoder(
        "decoder_without_feed_forward",
        SELF + CROSS + "return h",
        "decoder_blocks_of_any_size",
        "Your block ends after the cross-attention; the feed-forward network is missing.",
    ),
    _decoder(
        "decoder_feed_forward_between",
        SELF + "h = g + self.feed_forward(self.norm_3(g))\n"
        "return h + self.cross_attention(self.norm_2(h), memory, memory, memory_mask)",
        "decoder_blocks_of_any_size",
        "Your feed-forward network stands between the two attentions. It comes last.",
    ),
    _decoder(
        "target_mask_unused",
        "n = self.norm_1(x)\ng = x + self.self_attention(n, n, n)\n" + CROSS + THINK,
        "decoder_blocks_under_both_masks",
        "Your block does not hand target_mask to the self-attention: while it learns it reads the very words it is to "
        "predict.",
    ),
    _decoder(
        "memory_mask_unused",
        SELF + "h = g + self.cross_attention(self.norm_2(g), memory, memory)\n" + THINK,
        "decoder_blocks_under_both_masks",
        "Your block does not hand memory_mask to the cross-attention, so the padding of the source is read as if it were "
        "text.",
    ),
    _decoder(
        "both_masks_unused",
        "n = self.norm_1(x)\ng = x + self.self_attention(n, n, n)\n"
        "h = g + self.cross_attention(self.norm_2(g), memory, memory)\n" + THINK,
        "decoder_blocks_under_both_masks",
        "Your block uses neither of its masks. One belongs to each attention.",
    ),
    _decoder(
        "decoder_masks_swapped",
        "n = self.norm_1(x)\ng = x + self.self_attention(n, n, n, memory_mask)\n"
        "h = g + self.cross_attention(self.norm_2(g), memory, memory, target_mask)\n" + THINK,
        "equal_lengths_hide_no_mask",
        "Your masks have changed places: target_mask belongs to the self-attention, memory_mask to the cross-attention.",
    ),
    _decoder(
        "target_mask_in_cross_attention",
        SELF + "h = g + self.cross_attention(self.norm_2(g), memory, memory, target_mask)\n" + THINK,
        "equal_lengths_hide_no_mask",
        "Your cross-attention uses target_mask. Which words of the source may be read stands in memory_mask; the source is "
        "there as a whole, so nothing in it is the future.",
    ),
    _decoder(
        "target_mask_inverted",
        "n = self.norm_1(x)\ng = x + self.self_attention(n, n, n, None if target_mask is None else ~target_mask)\n"
        + CROSS
        + THINK,
        "decoder_blocks_under_both_masks",
        "Your target_mask is turned around, so positions look only at what is hidden from them. True means 'may look' here; "
        "in torch's own modules a boolean mask says what is hidden.",
    ),
    _decoder(
        "memory_mask_inverted",
        SELF
        + "m = None if memory_mask is None else ~memory_mask\n"
        + "h = g + self.cross_attention(self.norm_2(g), memory, memory, m)\n"
        + THINK,
        "decoder_blocks_under_both_masks",
        "Your memory_mask is turned around, so only the padding of the source is read. True means 'may look' here; in torch's "
        "own modules a boolean mask says what is hidden.",
    ),
    _decoder(
        "target_mask_transposed",
        "n = self.norm_1(x)\n"
        "g = x + self.self_attention(n, n, n, None if target_mask is None else target_mask.transpose(-1, -2))\n"
        + CROSS
        + THINK,
        "decoder_blocks_under_both_masks",
        "Your target_mask is transposed. Rows are those who look, columns what they look at.",
    ),
    _decoder(
        "decoder_adds_a_causal_mask",
        "past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()\nn = self.norm_1(x)\n"
        "g = x + self.self_attention(n, n, n, past if target_mask is None else past & target_mask)\n" + CROSS + THINK,
        "target_mask_is_taken_as_it_is",
        "Your block adds a causal mask of its own. It is handed a complete one; who makes it is the model, not the block.",
    ),
    _decoder(
        "decoder_memory_mask_of_the_first_row",
        SELF
        + "m = memory_mask if memory_mask is None or memory_mask.ndim == 2 else memory_mask[0]\n"
        + "h = g + self.cross_attention(self.norm_2(g), memory, memory, m)\n"
        + THINK,
        "memory_mask_alone",
        "Your block uses the memory mask of the first source for all of them. Every source has its own padding.",
    ),
    _decoder(
        "cross_attention_reads_the_target",
        SELF + "m = self.norm_2(g)\nh = g + self.cross_attention(m, m, m)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention takes keys and values from the target, like a second self-attention. They come from memory.",
    ),
    _decoder(
        "cross_attention_roles_swapped",
        SELF
        + "m = self.norm_2(g)\nT = min(x.shape[1], memory.shape[1])\ncrossed = self.cross_attention(memory, m, m)\n"
        + "h = g.clone()\nh[:, :T] = h[:, :T] + crossed[:, :T]\n"
        + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention asks with memory and reads the target. It is the target that asks, and memory that answers: "
        "the output has one row for each query.",
    ),
    _decoder(
        "memory_normed_again",
        SELF + "m = self.norm_2(memory)\nh = g + self.cross_attention(self.norm_2(g), m, m, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your block norms memory. It has been through the encoder's final norm, and is ready for use.",
    ),
    _decoder(
        "cross_keys_normed_again",
        SELF + "h = g + self.cross_attention(self.norm_2(g), self.norm_2(memory), memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your keys are normed, your values not. Both are memory as it is.",
    ),
    _decoder(
        "cross_queries_unnormed",
        SELF + "h = g + self.cross_attention(g, memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention asks with g without the norm before it.",
    ),
    _decoder(
        "cross_queries_from_x",
        SELF + "h = g + self.cross_attention(n, memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention asks with norm_1(x), what the self-attention has read. It asks with norm_2 of what came out of "
        "that.",
    ),
    _decoder(
        "decoder_self_attention_reads_unnormed",
        "g = x + self.self_attention(x, x, x, target_mask)\n" + CROSS + THINK,
        "decoder_blocks_of_any_size",
        "Your self-attention reads x without the norm before it.",
    ),
    _decoder(
        "decoder_feed_forward_reads_unnormed",
        SELF + CROSS + "return h + self.feed_forward(h)",
        "decoder_blocks_of_any_size",
        "Your feed-forward network reads h without the norm before it.",
    ),
    _decoder(
        "decoder_without_norms",
        "g = x + self.self_attention(x, x, x, target_mask)\n"
        "h = g + self.cross_attention(g, memory, memory, memory_mask)\nreturn h + self.feed_forward(h)",
        "decoder_blocks_of_any_size",
        "Your block has no norms. Each sublayer reads its input through a norm of its own.",
    ),
    _decoder(
        "decoder_one_norm_for_all",
        SELF
        + "h = g + self.cross_attention(self.norm_1(g), memory, memory, memory_mask)\n"
        + "return h + self.feed_forward(self.norm_1(h))",
        "decoder_blocks_of_any_size",
        "Your sublayers share norm_1. Each has a norm of its own, with a scale and a shift of its own.",
    ),
    _decoder(
        "decoder_last_norms_swapped",
        SELF
        + "h = g + self.cross_attention(self.norm_3(g), memory, memory, memory_mask)\n"
        + "return h + self.feed_forward(self.norm_2(h))",
        "decoder_blocks_of_any_size",
        "Your norm_2 and norm_3 have changed places: norm_2 belongs to the cross-attention, norm_3 to the feed-forward "
        "network.",
    ),
    _decoder(
        "decoder_second_norm_used_twice",
        SELF + CROSS + "return h + self.feed_forward(self.norm_2(h))",
        "decoder_blocks_of_any_size",
        "Your feed-forward network reads through norm_2, which belongs to the cross-attention. Its own is norm_3.",
    ),
    _decoder(
        "decoder_normed_at_the_end",
        SELF + CROSS + "return self.norm_3(h + self.feed_forward(self.norm_3(h)))",
        "decoder_blocks_of_any_size",
        "Your block norms its output as well. In pre-norm only one norm follows, after the last block of the stack, and that "
        "is not the block's business.",
    ),
    _decoder(
        "decoder_without_residuals",
        "n = self.norm_1(x)\ng = self.self_attention(n, n, n, target_mask)\n"
        "h = self.cross_attention(self.norm_2(g), memory, memory, memory_mask)\n"
        "return self.feed_forward(self.norm_3(h))",
        "decoder_blocks_of_any_size",
        "Your block has no residual connections: x does not go around the sublayers, and neither does the gradient.",
    ),
    _decoder(
        "decoder_no_residual_around_self_attention",
        "n = self.norm_1(x)\ng = self.self_attention(n, n, n, target_mask)\n" + CROSS + THINK,
        "decoder_blocks_of_any_size",
        "Your self-attention has no residual connection: a position forgets which word it was.",
    ),
    _decoder(
        "decoder_no_residual_around_cross_attention",
        SELF + "h = self.cross_attention(self.norm_2(g), memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention has no residual connection: what was found out about the target is replaced by the source.",
    ),
    _decoder(
        "decoder_no_residual_around_feed_forward",
        SELF + CROSS + "return self.feed_forward(self.norm_3(h))",
        "decoder_blocks_of_any_size",
        "Your feed-forward network has no residual connection.",
    ),
    _decoder(
        "decoder_residuals_from_the_normed",
        "n = self.norm_1(x)\ng = n + self.self_attention(n, n, n, target_mask)\n"
        "m = self.norm_2(g)\nh = m + self.cross_attention(m, memory, memory, memory_mask)\n"
        "k = self.norm_3(h)\nreturn k + self.feed_forward(k)",
        "decoder_blocks_of_any_size",
        "Your sublayers' outputs are added to the normed inputs. They are added to the inputs as they were.",
    ),
    _decoder(
        "decoder_cross_residual_from_x",
        SELF + "h = x + self.cross_attention(self.norm_2(g), memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your second sum starts from x again, so what the self-attention found out is not in it.",
    ),
    _decoder(
        "decoder_cross_residual_from_the_normed",
        SELF + "m = self.norm_2(g)\nh = m + self.cross_attention(m, memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention's output is added to norm_2(g). It is added to g as it was.",
    ),
    _decoder(
        "decoder_last_residual_from_g",
        SELF + CROSS + "return g + self.feed_forward(self.norm_3(h))",
        "decoder_blocks_of_any_size",
        "Your last sum starts from g, so what the cross-attention brought from the source is not in it.",
    ),
    _decoder(
        "decoder_one_attention_for_both",
        SELF + "h = g + self.self_attention(self.norm_2(g), memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your block uses self_attention for both. cross_attention has weights of its own.",
    ),
    _decoder(
        "decoder_attentions_swapped",
        "n = self.norm_1(x)\ng = x + self.cross_attention(n, n, n, target_mask)\n"
        "h = g + self.self_attention(self.norm_2(g), memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your two attentions have changed places: the one called self_attention reads the target, the one called "
        "cross_attention reads memory.",
    ),
    _decoder(
        "memory_cut_off",
        SELF + "m = memory.detach()\nh = g + self.cross_attention(self.norm_2(g), m, m, memory_mask)\n" + THINK,
        "gradients_reach_the_memory",
        "Your result is right, but memory is detached: the encoder gets no gradient, and never learns.",
    ),
    _decoder(
        "target_cut_off",
        "x = x.detach()\n" + SELF + CROSS + THINK,
        "gradients_reach_the_target",
        "Your result is right, but x is detached: the blocks below, and the embedding, get no gradient from this one.",
    ),
    _decoder(
        "residual_cut_off",
        SELF.replace("g = x +", "g = x.detach() +") + CROSS + THINK,
        "gradients_reach_the_target",
        "Your residual connection adds a detached x, so the gradient loses its shortest way to the blocks below.",
    ),
    _decoder(
        "self_attention_cut_off",
        SELF.replace("target_mask)", "target_mask).detach()") + CROSS + THINK,
        "gradients_reach_the_self_attention",
        "Your result is right, but what the self-attention says is detached: it never learns.",
    ),
    _decoder(
        "cross_attention_cut_off",
        SELF + "h = g + self.cross_attention(self.norm_2(g), memory, memory, memory_mask).detach()\n" + THINK,
        "gradients_reach_the_cross_attention",
        "Your result is right, but what the cross-attention says is detached: neither it nor the encoder ever learns.",
    ),
    _decoder(
        "decoder_in_place",
        "n = self.norm_1(x)\nwith torch.no_grad():\n    x += self.self_attention(n, n, n, target_mask)\ng = x\n"
        + CROSS
        + THINK,
        "decoder_block_leaves_its_inputs_alone",
        "Your `+=` changes the caller's x, which may still be needed as it was.",
    ),
)

# Transformer

WORD_VECTORS = "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words + positions[: ids.shape[1]]"
NOT_PADDING = "return (ids != PAD)[:, None, :]"
EMBED_SRC = "x = _embed(src, self.src_embedding, self.positions)"
ENCODER_STACK = "for block in self.encoder:\n            x = block(x, real)\n        return self.encoder_norm(x)"
REAL = "real = _not_padding(src)\n"
EMBED_TGT = "y = _embed(tgt, self.tgt_embedding, self.positions)"
PAST = "causal = torch.ones(length, length, dtype=torch.bool, device=tgt.device).tril()"
TARGET_MASK = "target_mask = causal & _not_padding(tgt)"
MEMORY_MASK = "memory_mask = _not_padding(src)\n"
DECODER_STACK = "for block in self.decoder:\n            y = block(y, memory, target_mask, memory_mask)\n"
LOGITS = "return self.output(self.decoder_norm(y))"
BOTH = "memory = self.encode(src)\n        return self.decode(tgt, memory, src)"


def _model(old: str, name: str, new: str, caught_by: str, says: str, *twins: str) -> Misconception:
    return _edit("Transformer", old, name, new, caught_by, says, *twins)


TRANSFORMER = (
    _model(
        WORD_VECTORS,
        "embedding_not_scaled",
        "return embedding(ids) + positions[: ids.shape[1]]",
        "encoders_without_padding",
        "Your word vectors are not multiplied by sqrt(d_model), as section 3.4 of the paper has it.",
    ),
    _model(
        WORD_VECTORS,
        "embedding_scaled_by_d_model",
        "return embedding(ids) * embedding.embedding_dim + positions[: ids.shape[1]]",
        "encoders_without_padding",
        "Your word vectors are multiplied by d_model; it is by its root.",
    ),
    _model(
        WORD_VECTORS,
        "embedding_divided",
        "return embedding(ids) / embedding.embedding_dim**0.5 + positions[: ids.shape[1]]",
        "encoders_without_padding",
        "Your word vectors are divided by sqrt(d_model). Scores are divided by such a root; word vectors are multiplied, so "
        "that the positions do not drown them.",
    ),
    _model(
        WORD_VECTORS,
        "positions_scaled_too",
        "return (embedding(ids) + positions[: ids.shape[1]]) * embedding.embedding_dim**0.5",
        "encoders_without_padding",
        "Your positions are multiplied by sqrt(d_model), too. Only the word vectors are; then the positions are added.",
    ),
    _model(
        WORD_VECTORS,
        "positions_missing",
        "return embedding(ids) * embedding.embedding_dim**0.5",
        "encoders_without_padding",
        "Your words have no positions. Attention knows no order, so all orders of the same words would be the same.",
    ),
    _model(
        WORD_VECTORS,
        "positions_from_one",
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words + positions[1 : ids.shape[1] + 1]",
        "encoders_without_padding",
        "Your first word has position 1. Positions are counted from 0.",
    ),
    _model(
        WORD_VECTORS,
        "positions_multiplied",
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words * positions[: ids.shape[1]]",
        "encoders_without_padding",
        "Your positions are multiplied with the word vectors. They are added.",
    ),
    _model(
        WORD_VECTORS,
        "one_position_for_all",
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words + positions[ids.shape[1] - 1]",
        "encoders_without_padding",
        "Your words all get the same position, that of the last one. Each has its own row of the table.",
    ),
    _model(
        WORD_VECTORS,
        "positions_by_id",
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words + positions[ids]",
        "encoders_without_padding",
        "Your table of positions is read at the ids of the words. It is read at their places, 0, 1, 2 and so on.",
    ),
    _model(
        WORD_VECTORS,
        "positions_backwards",
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words + positions[: ids.shape[1]].flip(0)",
        "encoders_without_padding",
        "Your positions are counted from the end. The first word has position 0.",
    ),
    _model(
        WORD_VECTORS,
        "positions_skip_padding",
        "words = embedding(ids) * embedding.embedding_dim**0.5\n"
        "    return words + positions[((ids != PAD).cumsum(1) - 1).clamp(min=0)]",
        "encoders_with_padding",
        "Your positions count words only and skip padding. Here a position is the place in the row, whatever stands there.",
    ),
    _model(
        EMBED_TGT,
        "positions_missing_in_the_target",
        "y = self.tgt_embedding(tgt) * self.d_model**0.5",
        "decoders_without_padding",
        "Your decoder's words have no positions. Both sides get them.",
    ),
    _model(
        EMBED_SRC,
        "positions_missing_in_the_source",
        "x = self.src_embedding(src) * self.d_model**0.5",
        "encoders_without_padding",
        "Your encoder's words have no positions. Both sides get them.",
    ),
    _model(
        EMBED_TGT,
        "target_not_scaled",
        "y = self.tgt_embedding(tgt) + self.positions[: tgt.shape[1]]",
        "decoders_without_padding",
        "Your target's word vectors are not multiplied by sqrt(d_model). Both sides' are.",
    ),
    _model(
        EMBED_TGT,
        "source_embedding_for_the_target",
        "y = _embed(tgt.clamp(max=self.src_embedding.num_embeddings - 1), self.src_embedding, self.positions)",
        "decoders_without_padding",
        "Your target's words are looked up in the embedding of the source. The two languages have their own.",
    ),
    _model(
        NOT_PADDING,
        "padding_hides_queries",
        "return (ids != PAD)[:, :, None].expand(-1, -1, ids.shape[1])",
        "encoders_with_padding",
        "Your padding mask hides the queries of padding, not its keys: real words still look at padding. One row for all "
        "queries, (batch, 1, T), says who may be looked at.",
    ),
    _model(
        NOT_PADDING,
        "padding_mask_inverted",
        "return (ids == PAD)[:, None, :]",
        "encoders_without_padding",
        "Your padding mask is turned around: only padding may be looked at. True means 'may look' here; torch's "
        "key_padding_mask has it the other way.",
    ),
    _model(
        NOT_PADDING,
        "padding_ignored",
        "return torch.ones_like(ids, dtype=torch.bool)[:, None, :]",
        "encoders_with_padding",
        "Your model reads padding as if it were text. Every mask leaves it out: in the encoder, and in both attentions of "
        "the decoder.",
    ),
    _model(
        NOT_PADDING,
        "first_word_taken_for_padding",
        "return (ids > 1)[:, None, :]",
        "encoders_without_padding",
        "Your model takes the id 1 for padding. PAD is 0.",
    ),
    _model(
        REAL,
        "source_padding_read_by_the_encoder",
        "real = None\n",
        "encoders_with_padding",
        "Your encoder reads padding: its blocks get no mask.",
    ),
    _model(
        REAL,
        "encoder_hides_the_future",
        "real = _not_padding(src) & torch.ones(src.shape[1], src.shape[1], dtype=torch.bool).tril()\n",
        "encoders_without_padding",
        "Your encoder hides later words from earlier ones. The source is there as a whole; only the target is written from "
        "left to right.",
    ),
    _model(
        ENCODER_STACK,
        "encoder_final_norm_missing",
        "for block in self.encoder:\n            x = block(x, real)\n        return x",
        "encoders_without_padding",
        "Your encoder has no norm after its last block. Pre-norm blocks leave their sums as they are, so one norm is due at "
        "the end.",
    ),
    _model(
        ENCODER_STACK,
        "encoder_norm_after_every_block",
        "for block in self.encoder:\n            x = self.encoder_norm(block(x, real))\n        return x",
        "encoders_without_padding",
        "Your encoder's norm is applied after every block. It comes once, after the last.",
    ),
    _model(
        ENCODER_STACK,
        "encoder_norm_first",
        "x = self.encoder_norm(x)\n        for block in self.encoder:\n            x = block(x, real)\n        return x",
        "encoders_without_padding",
        "Your encoder's norm comes before the blocks. It comes after the last one.",
    ),
    _model(
        ENCODER_STACK,
        "decoder_norm_in_the_encoder",
        "for block in self.encoder:\n            x = block(x, real)\n        return self.decoder_norm(x)",
        "encoders_without_padding",
        "Your encoder ends with decoder_norm. Its own is encoder_norm.",
    ),
    _model(
        ENCODER_STACK,
        "only_the_first_encoder_block",
        "return self.encoder_norm(self.encoder[0](x, real))",
        "encoders_without_padding",
        "Your encoder uses its first block only.",
    ),
    _model(
        ENCODER_STACK,
        "only_the_last_encoder_block_counts",
        "for block in self.encoder:\n            memory = block(x, real)\n        return self.encoder_norm(memory)",
        "encoders_without_padding",
        "Your encoder's blocks all read the embedded words, and only the last one's output is kept. Each block reads what the "
        "one before it has made.",
    ),
    _model(
        ENCODER_STACK,
        "encoder_blocks_in_reverse",
        "for block in reversed(self.encoder):\n            x = block(x, real)\n        return self.encoder_norm(x)",
        "encoders_without_padding",
        "Your encoder runs its blocks from the last to the first.",
    ),
    _model(
        ENCODER_STACK,
        "one_encoder_block_again_and_again",
        "for _ in self.encoder:\n            x = self.encoder[0](x, real)\n        return self.encoder_norm(x)",
        "encoders_without_padding",
        "Your encoder runs its first block again and again. Each layer has its own.",
    ),
    _model(
        PAST,
        "future_visible",
        "causal = torch.ones(length, length, dtype=torch.bool, device=tgt.device)",
        "the_future_cannot_leak",
        "Your decoder sees the future: there is no causal mask. While it learns, the answer stands right there, and it "
        "learns to copy.",
    ),
    _model(
        PAST,
        "next_word_visible",
        "causal = torch.ones(length, length, dtype=torch.bool, device=tgt.device).tril(1)",
        "the_future_cannot_leak",
        "Your causal mask lets each position see one word too many: the very one it has to predict.",
    ),
    _model(
        PAST,
        "own_word_hidden",
        "causal = torch.ones(length, length, dtype=torch.bool, device=tgt.device).tril(-1)",
        "decoders_without_padding",
        "Your causal mask hides each position from itself. By the time it predicts the next word, its own has been read.",
    ),
    _model(
        PAST,
        "past_hidden",
        "causal = torch.ones(length, length, dtype=torch.bool, device=tgt.device).triu()",
        "the_future_cannot_leak",
        "Your causal mask is upside down: positions see themselves and the future.",
    ),
    _model(
        PAST,
        "causal_mask_inverted",
        "causal = ~torch.ones(length, length, dtype=torch.bool, device=tgt.device).tril()",
        "the_future_cannot_leak",
        "Your causal mask says what is hidden, as torch's own modules take it. Here True means 'may look'.",
    ),
    _model(
        TARGET_MASK,
        "target_padding_read",
        "target_mask = causal",
        "decoders_of_padded_targets",
        "Your decoder reads padding in the target. At the end of a row the causal mask hides it, but padding may stand "
        "elsewhere.",
    ),
    _model(
        TARGET_MASK,
        "either_mask_is_enough",
        "target_mask = causal | _not_padding(tgt)",
        "the_future_cannot_leak",
        "Your two masks are joined by `or`, so what one of them hides the other shows. Both have to allow it.",
    ),
    _model(
        MEMORY_MASK,
        "source_padding_read_by_the_decoder",
        "memory_mask = None\n",
        "decoders_of_padded_sources",
        "Your decoder reads the padding of the source: its blocks get no memory_mask. The encoder's own mask does not help "
        "there, as memory has a vector for every position.",
    ),
    _model(
        DECODER_STACK,
        "masks_handed_over_in_the_wrong_order",
        "for block in self.decoder:\n            y = block(y, memory, memory_mask, target_mask)\n",
        "equal_sizes_hide_no_slip_of_the_model",
        "Your decoder hands the two masks to its blocks in the wrong order: first the target's, then the memory's.",
    ),
    _model(
        DECODER_STACK,
        "only_the_last_decoder_block_counts",
        "embedded = y\n        for block in self.decoder:\n            y = block(embedded, memory, target_mask, memory_mask)\n",
        "decoders_without_padding",
        "Your decoder's blocks all read the embedded words, and only the last one's output is kept. Each block reads what the "
        "one before it has made.",
    ),
    _model(
        DECODER_STACK,
        "only_the_first_decoder_block",
        "y = self.decoder[0](y, memory, target_mask, memory_mask)\n",
        "decoders_without_padding",
        "Your decoder uses its first block only.",
    ),
    _model(
        DECODER_STACK,
        "decoder_blocks_in_reverse",
        "for block in reversed(self.decoder):\n            y = block(y, memory, target_mask, memory_mask)\n",
        "decoders_without_padding",
        "Your decoder runs its blocks from the last to the first.",
    ),
    _model(
        DECODER_STACK,
        "memory_for_the_first_block_only",
        "for block in self.decoder:\n            y = block(y, memory, target_mask, memory_mask)\n"
        "            memory = torch.zeros_like(memory)\n",
        "decoders_without_padding",
        "Your decoder hands memory to its first block only. Every block reads all of it.",
    ),
    _model(
        DECODER_STACK,
        "decoder_reads_the_embedded_source",
        "memory = _embed(src, self.src_embedding, self.positions)\n"
        "        for block in self.decoder:\n            y = block(y, memory, target_mask, memory_mask)\n",
        "decoders_without_padding",
        "Your decoder embeds the source by itself and reads that. It reads memory; src is there for its padding.",
    ),
    _model(
        DECODER_STACK,
        "decoder_encodes_again",
        "memory = self.encode(src)\n"
        "        for block in self.decoder:\n            y = block(y, memory, target_mask, memory_mask)\n",
        "decoders_without_padding",
        "Your decoder encodes the source anew and does not use the memory that it is given. Greedy decoding would then "
        "encode the source once for every word.",
    ),
    _model(
        LOGITS,
        "decoder_final_norm_missing",
        "return self.output(y)",
        "decoders_without_padding",
        "Your decoder has no norm after its last block. Pre-norm blocks leave their sums as they are, so one norm is due "
        "before the output map.",
    ),
    _model(
        LOGITS,
        "encoder_norm_in_the_decoder",
        "return self.output(self.encoder_norm(y))",
        "decoders_without_padding",
        "Your decoder ends with encoder_norm. Its own is decoder_norm.",
    ),
    _model(
        LOGITS,
        "output_map_missing",
        "return self.decoder_norm(y)",
        "decoders_without_padding",
        "Your decoder returns vectors of d_model features. The output map makes logits of them, one for each word.",
    ),
    _model(
        LOGITS,
        "output_tied_to_the_embedding",
        "return self.decoder_norm(y) @ self.tgt_embedding.weight.T",
        "decoders_without_padding",
        "Your logits are made with the weights of the target's embedding. Many models share them, also that of the paper; "
        "this one has an output map of its own.",
    ),
    _model(
        LOGITS,
        "softmax_on_the_logits",
        "return torch.softmax(self.output(self.decoder_norm(y)), dim=-1)",
        "decoders_without_padding",
        "Your decoder returns probabilities. It returns logits; losses take those, and greedy decoding does not mind.",
    ),
    _model(
        LOGITS,
        "log_softmax_on_the_logits",
        "return torch.log_softmax(self.output(self.decoder_norm(y)), dim=-1)",
        "decoders_without_padding",
        "Your decoder returns log-probabilities. It returns logits, as the output map gives them.",
    ),
    _model(
        LOGITS,
        "only_the_last_logits",
        "return self.output(self.decoder_norm(y))[:, -1]",
        "decoders_without_padding",
        "Your decoder returns logits for the last position only. Learning needs those of every position, all at once.",
    ),
    _model(
        BOTH,
        "source_and_target_swapped",
        "memory = self.encode(tgt.clamp(max=self.src_embedding.num_embeddings - 1))\n"
        "        return self.decode(src.clamp(max=self.tgt_embedding.num_embeddings - 1), memory, tgt)",
        "models_from_end_to_end",
        "Your forward takes the target first. Source first, then target.",
    ),
    _model(
        BOTH,
        "forward_returns_the_memory_too",
        "memory = self.encode(src)\n        return self.decode(tgt, memory, src), memory",
        "models_from_end_to_end",
        "Your forward returns two things. It returns the logits alone.",
    ),
    _model(
        BOTH,
        "forward_shifts_the_target",
        "memory = self.encode(src)\n        return self.decode(tgt[:, :-1], memory, src)",
        "models_from_end_to_end",
        "Your forward drops the last word of the target. To shift the target is the business of the training loop; the model "
        "takes what it is given.",
    ),
    _model(
        BOTH,
        "encoder_cut_off",
        "memory = self.encode(src).detach()\n        return self.decode(tgt, memory, src)",
        "gradients_go_all_the_way",
        "Your logits are right, but memory is detached: the encoder never learns.",
    ),
    _model(
        EMBED_SRC,
        "source_padding_overwritten",
        "x = _embed(src, self.src_embedding, self.positions)\n        src[src == 0] = 1",
        "model_leaves_its_inputs_alone",
        "Your model changes the ids that it is given. Whoever called it has lost the padding.",
    ),
)

# next_word

PROBABILITIES = "probabilities = torch.softmax(logits, dim=-1)"
BEST = "best = int(probabilities.argmax(dim=-1))"
WORD = "return id_to_word[best]"


def _word(old: str, name: str, new: str, caught_by: str, says: str, *twins: str) -> Misconception:
    return _edit("next_word", old, name, new, caught_by, says, *twins)


NEXT_WORD = (
    _word(
        BEST,
        "least_probable_word",
        "best = int(probabilities.argmin(dim=-1))",
        "words_of_any_vocabulary",
        "Your word is the one of the smallest probability.",
    ),
    _word(
        BEST,
        "second_best_word",
        "best = int(probabilities.argsort()[-2])",
        "words_of_any_vocabulary",
        "Your word is the second best. Sorted ascending, the best one is the last.",
    ),
    _word(
        BEST,
        "first_of_the_sorted",
        "best = int(torch.sort(probabilities, descending=True).indices.argmax())",
        "words_of_any_vocabulary",
        "Your index is one into the sorted list, not into the vocabulary.",
    ),
    _word(
        BEST,
        "word_after_the_best",
        "best = (int(probabilities.argmax(dim=-1)) + 1) % len(id_to_word)",
        "words_of_any_vocabulary",
        "Your word is the one after the best. Ids are counted from 0.",
    ),
    _word(
        PROBABILITIES,
        "largest_size_wins",
        "probabilities = torch.softmax(logits.abs(), dim=-1)",
        "forbidden_words_have_no_chance",
        "Your softmax does not see the signs of the logits. A large negative logit is an improbable word.",
    ),
    _word(
        PROBABILITIES,
        "softmax_overflows",
        "probabilities = torch.exp(logits) / torch.exp(logits).sum()",
        "large_logits_do_not_overflow",
        "Your exponentials overflow, and infinity divided by infinity is not a number. torch.softmax takes the largest logit "
        "off first.",
    ),
    _word(
        WORD,
        "id_for_word",
        "return best",
        "words_of_any_vocabulary",
        "Your function returns the id. Look its word up.",
    ),
    _word(
        WORD,
        "word_and_probability",
        "return id_to_word[best], float(probabilities[best])",
        "words_of_any_vocabulary",
        "Your function returns the probability as well. It returns the word alone.",
    ),
    _word(
        WORD,
        "probability_for_word",
        "return float(probabilities[best])",
        "words_of_any_vocabulary",
        "Your function returns the largest probability. It returns the word that has it.",
    ),
)

# greedy_translate

START = "tgt = torch.full((src.shape[0], 1), bos, dtype=torch.long)"
ROUNDS = "for _ in range(max_len):\n            logits = model.decode(tgt, memory, src)"
CHOSEN = "words = logits[:, -1].argmax(dim=-1)"
NOTED = """\
                done[row] = done[row] or word == eos
                if not done[row]:
                    translations[row].append(word)
            if all(done):
                break
"""
GROWN = "tgt = torch.cat([tgt, words[:, None]], dim=1)"
FOUND = "    return translations\n"


def _greedy(old: str, name: str, new: str, caught_by: str, says: str, *twins: str) -> Misconception:
    return _edit("greedy_translate", old, name, new, caught_by, says, *twins)


GREEDY = (
    _greedy(
        NOTED,
        "never_stops_at_eos",
        "                translations[row].append(word)\n",
        "rows_of_any_length",
        "Your translations go on after eos, up to max_len.",
    ),
    _greedy(
        NOTED,
        "eos_left_out_but_not_obeyed",
        "                if word != eos:\n                    translations[row].append(word)\n",
        "rows_of_any_length",
        "Your translations leave eos out, but go on with what the model says behind it.",
    ),
    _greedy(
        NOTED,
        "eos_kept",
        "                if not done[row]:\n                    translations[row].append(word)\n"
        "                done[row] = done[row] or word == eos\n            if all(done):\n                break\n",
        "rows_of_any_length",
        "Your translations end with eos. It says that a translation is complete, and is no part of it.",
    ),
    _greedy(
        NOTED,
        "one_row_stops_them_all",
        "                done[row] = done[row] or word == eos\n                if not done[row]:\n"
        "                    translations[row].append(word)\n            if any(done):\n                break\n",
        "rows_of_any_length",
        "Your loop ends as soon as one row has reached eos. The others have more to say; it ends when all rows have.",
        "one_row_silences_them_all",
    ),
    _greedy(
        NOTED,
        "one_row_silences_them_all",
        "                done[row] = done[row] or word == eos\n            if any(done):\n                break\n"
        "            for row, word in enumerate(words.tolist()):\n                translations[row].append(word)\n",
        "rows_of_any_length",
        "Your loop ends as soon as one row has reached eos, and what the others said at that step is lost. It ends when all "
        "rows have.",
        "one_row_stops_them_all",
    ),
    _greedy(
        NOTED,
        "first_row_decides_the_end",
        "                done[row] = done[row] or word == eos\n                if not done[row]:\n"
        "                    translations[row].append(word)\n            if done[0]:\n                break\n",
        "rows_of_any_length",
        "Your loop ends when the first row has reached eos. Every row has an end of its own.",
    ),
    _greedy(
        NOTED,
        "bos_taken_for_eos",
        "                done[row] = done[row] or word == bos\n                if not done[row]:\n"
        "                    translations[row].append(word)\n            if all(done):\n                break\n",
        "rows_of_any_length",
        "Your loop waits for bos. The id that ends a translation is eos.",
    ),
    _greedy(
        NOTED,
        "eos_is_always_two",
        "                done[row] = done[row] or word == 2\n                if not done[row]:\n"
        "                    translations[row].append(word)\n            if all(done):\n                break\n",
        "one_sentence_at_a_time",
        "Your loop waits for the id 2. Which id is eos you are told.",
    ),
    _greedy(
        CHOSEN,
        "first_logits_used",
        "words = logits[:, 0].argmax(dim=-1)",
        "rows_of_any_length",
        "Your words are chosen by the logits of the first position, which are the same at every step. The next word follows "
        "the last position.",
        "target_never_grows",
    ),
    _greedy(
        CHOSEN,
        "last_logits_but_one_used",
        "words = logits[:, max(0, logits.shape[1] - 2)].argmax(dim=-1)",
        "rows_of_any_length",
        "Your words are chosen by the logits at the last position but one, and those are for the last word that is there "
        "already. The next word follows the last position.",
    ),
    _greedy(
        CHOSEN,
        "smallest_logits_chosen",
        "words = logits[:, -1].argmin(dim=-1)",
        "rows_of_any_length",
        "Your words are the least probable ones.",
    ),
    _greedy(
        CHOSEN,
        "largest_size_chosen",
        "words = logits[:, -1].abs().argmax(dim=-1)",
        "rows_of_any_length",
        "Your words are chosen by the size of the logits without their signs. A large negative logit is an improbable word.",
    ),
    _greedy(
        CHOSEN,
        "softmax_over_time",
        "words = torch.softmax(logits, dim=1)[:, -1].argmax(dim=-1)",
        "rows_of_any_length",
        "Your softmax runs over the positions. Words compete with words: it is the last axis, and one position at a time.",
    ),
    _greedy(
        CHOSEN,
        "first_row_for_all",
        "words = logits[:1, -1].argmax(dim=-1).repeat(src.shape[0])",
        "rows_of_any_length",
        "Your rows all get the words of the first one.",
    ),
    _greedy(
        CHOSEN,
        "best_of_the_batch",
        "words = logits[:, -1].max(dim=0).values.argmax().repeat(src.shape[0])",
        "rows_of_any_length",
        "Your rows all get the one word whose logit is the largest in the batch. Each row chooses for itself.",
    ),
    _greedy(
        GROWN,
        "only_the_last_word_is_handed_over",
        "tgt = words[:, None]",
        "rows_of_any_length",
        "Your decoder is handed the last word alone. It remembers nothing: each step needs the whole target so far, with bos "
        "first.",
    ),
    _greedy(
        GROWN,
        "target_never_grows",
        "tgt = tgt + 0",
        "rows_of_any_length",
        "Your target stays as it was, so the decoder is asked the same question at every step.",
        "first_logits_used",
    ),
    _greedy(
        GROWN,
        "words_put_in_front",
        "tgt = torch.cat([words[:, None], tgt], dim=1)",
        "rows_of_any_length",
        "Your new words are put in front of the target. They belong at its end.",
    ),
    _greedy(
        START,
        "starts_with_eos",
        "tgt = torch.full((src.shape[0], 1), eos, dtype=torch.long)",
        "rows_of_any_length",
        "Your targets begin with eos. They begin with bos.",
    ),
    _greedy(
        START,
        "starts_with_padding",
        "tgt = torch.zeros((src.shape[0], 1), dtype=torch.long)",
        "rows_of_any_length",
        "Your targets begin with 0, which is padding. They begin with bos.",
    ),
    _greedy(
        START,
        "starts_with_one",
        "tgt = torch.ones((src.shape[0], 1), dtype=torch.long)",
        "one_sentence_at_a_time",
        "Your targets begin with the id 1. Which id is bos you are told.",
    ),
    _greedy(
        START,
        "starts_with_the_source",
        "tgt = src[:, :1].clone()",
        "rows_of_any_length",
        "Your targets begin with the first word of the source. They begin with bos.",
    ),
    _greedy(
        FOUND,
        "bos_kept",
        "    return [[bos, *words] for words in translations]\n",
        "rows_of_any_length",
        "Your translations begin with bos. It starts the decoder, and is no part of the translation.",
    ),
    _greedy(
        FOUND,
        "padded_to_one_length",
        "    longest = max(len(words) for words in translations)\n"
        "    return [words + [PAD] * (longest - len(words)) for words in translations]\n",
        "rows_of_any_length",
        "Your translations are filled up to one length. Each list has the length of its own translation.",
    ),
    _greedy(
        FOUND,
        "only_the_first_translation",
        "    return translations[0]\n",
        "rows_of_any_length",
        "Your function returns the translation of the first row only. It returns a list with one for each row.",
    ),
    _greedy(
        ROUNDS,
        "one_word_too_many",
        "for _ in range(max_len + 1):\n            logits = model.decode(tgt, memory, src)",
        "no_end_in_sight",
        "Your translations may have one word more than max_len.",
    ),
    _greedy(
        ROUNDS,
        "bos_counted_in",
        "for _ in range(max_len - 1):\n            logits = model.decode(tgt, memory, src)",
        "no_end_in_sight",
        "Your translations have one word less than they may: max_len does not count bos.",
    ),
    _greedy(
        ROUNDS,
        "as_long_as_the_source",
        "for _ in range(min(max_len, src.shape[1])):\n            logits = model.decode(tgt, memory, src)",
        "rows_of_any_length",
        "Your translations are never longer than the source. Only max_len limits them.",
    ),
    _greedy(
        ROUNDS,
        "source_rows_not_handed_over",
        "for _ in range(max_len):\n            logits = model.decode(tgt, memory, src.flip(0))",
        "rows_of_any_length",
        "Your decoder is handed the sources in another order than their memories. Row n of all three belongs together.",
    ),
    _greedy(
        FOUND,
        "source_overwritten",
        "    src.zero_()\n    return translations\n",
        "translating_leaves_the_source_alone",
        "Your function changes the source it was given.",
    ),
)


def _choice(name: str, question: str, right: str, chosen: str, says: str) -> Misconception:
    """Name the mistake of choosing one wrong option."""
    text = f'answers["{question}"] = '
    return Misconception(name, "quiz", f'{text}"{right}"', f'{text}"{chosen}"', caught_by=question, says=says)


QUIZ = (
    _choice(
        "residual_copies_weights",
        "why_residual",
        "b",
        "a",
        "Your answer has weights copied. A residual connection has no weights: it passes the input on, and adds.",
    ),
    _choice(
        "residual_skips_the_layer",
        "why_residual",
        "b",
        "c",
        "Your answer leaves the layer out. It always runs; the input goes around it as well, and both are added.",
    ),
    _choice(
        "norm_removes_the_change",
        "why_residual",
        "b",
        "d",
        "Your answer has the norm undo what was added. It cannot tell the one from the other.",
    ),
    _choice(
        "only_one_norm_is_learned",
        "layer_or_batch",
        "d",
        "a",
        "Your answer does not tell them apart: both have a scale and a shift that are learned.",
    ),
    _choice(
        "only_one_norm_removes_the_mean",
        "layer_or_batch",
        "d",
        "b",
        "Your answer does not tell them apart: both take the mean off. An RMS norm does not.",
    ),
    _choice(
        "norms_differ_in_eps",
        "layer_or_batch",
        "d",
        "c",
        "Your answer does not tell them apart: in both eps stands inside the root.",
    ),
    _choice(
        "layer_norm_sees_the_batch",
        "why_not_batch_norm",
        "a",
        "b",
        "Your answer has a layer norm look at other sentences. It looks at one position of one sentence.",
    ),
    _choice(
        "both_norms_see_the_batch",
        "why_not_batch_norm",
        "a",
        "c",
        "Your answer is right about one of them. For each, look up in the README which numbers share a mean and a variance.",
    ),
    _choice(
        "no_norm_sees_the_batch",
        "why_not_batch_norm",
        "a",
        "d",
        "Your answer holds for nearly everything in a network, but for one of the norms it does not. Look up in the README "
        "which numbers share a mean and a variance.",
    ),
    _choice(
        "norm_in_the_way_of_every_sublayer",
        "pre_or_post",
        "c",
        "a",
        "Your answer is post-norm, where every sum goes through a norm. In pre-norm the norms stand on the side ways, before "
        "the sublayers.",
    ),
    _choice(
        "norm_in_the_way_of_every_block",
        "pre_or_post",
        "c",
        "b",
        "Your answer puts a norm between the blocks. In pre-norm there is none on the straight way, until one at the very "
        "end.",
    ),
    _choice(
        "linear_map_in_the_way",
        "pre_or_post",
        "c",
        "d",
        "Your answer puts a matrix on the straight way. All matrices are inside the sublayers, and those are side ways.",
    ),
    _choice(
        "encoder_has_no_feed_forward",
        "decoder_has_more",
        "b",
        "a",
        "Your answer is found in both blocks, at the end.",
    ),
    _choice(
        "encoder_has_no_residuals",
        "decoder_has_more",
        "b",
        "d",
        "Your answer is found in both blocks, around every sublayer.",
    ),
    _choice(
        "encoder_has_no_norms",
        "decoder_has_more",
        "b",
        "c",
        "Your answer is found in both blocks: two norms for two sublayers, three for three.",
    ),
    _choice(
        "encoder_asks_the_decoder",
        "roles_in_cross_attention",
        "a",
        "b",
        "Your answer has the source ask. It is the target that wants to know something; and the output has one row for each "
        "query.",
    ),
    _choice(
        "keys_from_the_decoder",
        "roles_in_cross_attention",
        "a",
        "c",
        "Your answer matches the decoder with itself and then reads from the encoder. A key stands for the value that is "
        "found by it, so both come from one place.",
    ),
    _choice(
        "decoder_asks_nothing",
        "roles_in_cross_attention",
        "a",
        "d",
        "Your answer leaves the decoder out: what it reads would not depend on what it has written so far.",
    ),
    _choice(
        "fewer_parameters",
        "what_trains_in_parallel",
        "c",
        "a",
        "Your answer is about size, and Transformers are not small. The question is what has to be known before a position "
        "can be computed.",
    ),
    _choice(
        "rnn_needs_its_predictions",
        "what_trains_in_parallel",
        "c",
        "b",
        "Your answer does not hold: an RNN is trained on the true words as well. It waits for its own state of the step "
        "before.",
    ),
    _choice(
        "order_is_forgotten",
        "what_trains_in_parallel",
        "c",
        "d",
        "Your answer overlooks the positions that are added to the words. Order counts, and still nobody has to wait.",
    ),
    _choice(
        "feed_forward_mixes_positions",
        "who_mixes_what",
        "b",
        "a",
        "Your answer works on each position by itself, with the same two maps.",
    ),
    _choice(
        "layer_norm_mixes_positions",
        "who_mixes_what",
        "b",
        "c",
        "Your answer takes the mean and the variance of one position's own features.",
    ),
    _choice(
        "residual_mixes_positions",
        "who_mixes_what",
        "b",
        "d",
        "Your answer adds to each position what stood at that same position.",
    ),
)

MISCONCEPTIONS = (
    *LAYER_NORM,
    *BATCH_NORM,
    *RESIDUAL,
    *ZERO_INIT,
    *FEED_FORWARD,
    *ENCODER,
    *DECODER,
    *TRANSFORMER,
    *NEXT_WORD,
    *GREEDY,
    *QUIZ,
)
