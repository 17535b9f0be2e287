"""Known mistakes of a7_transformer, each the smallest edit of the reference that makes it, with what a student reads."""

import re

from autograder.course.mistakes import Edit, edit, mistakes_of

# layer_norm

MEAN = "mean = x.mean(dim=-1, keepdim=True)"
VAR = "var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)"
NORMED = "normed = (x - mean) / torch.sqrt(var + eps)"
RESULT = "return gamma * normed + beta"
STATISTICS = f"{MEAN}\n    {VAR}"


LAYER_NORM = mistakes_of(
    "layer_norm",
    layer_deviation_under_a_root=edit(
        "var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)",
        "var = x.std(dim=-1, keepdim=True, correction=0)",
        "one_vector_by_hand",
        "You take the root of the standard deviation, which is a root already. The root is that of the variance plus eps.",
    ),
    layer_sample_deviation_under_a_root=edit(
        "var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)",
        "var = x.std(dim=-1, keepdim=True)",
        "one_vector_by_hand",
        "You take the root of the standard deviation, which is a root already and divides by d - 1. The root is that of the plain "
        "variance plus eps.",
    ),
    layer_unbiased_variance=edit(
        VAR,
        "var = x.var(dim=-1, keepdim=True)",
        "norms_of_any_shape",
        "Your variance divides by d - 1, as torch.var and torch.std do by themselves. Here it is the plain mean of the "
        "squared deviations: the features at hand are all there are, not a sample of more.",
    ),
    layer_eps_outside_the_root=edit(
        NORMED,
        "normed = (x - mean) / (torch.sqrt(var) + eps)",
        "large_and_small_eps",
        "Your eps is added to the standard deviation, behind the root. It belongs under the root, to the variance; with a "
        "small eps one hardly sees the difference, with .1 one does.",
    ),
    layer_eps_left_out=edit(
        NORMED,
        "normed = (x - mean) / torch.sqrt(var)",
        "equal_features_become_the_shift",
        "Your eps is not used. Where all features of a position are equal, zero is divided by zero.",
    ),
    layer_eps_hard_coded=edit(
        NORMED,
        "normed = (x - mean) / torch.sqrt(var + 1e-5)",
        "large_and_small_eps",
        "Your eps is always .00001, whatever you are given. It is an argument.",
    ),
    layer_eps_of_a_millionth=edit(
        NORMED,
        "normed = (x - mean) / torch.sqrt(var + 1e-6)",
        "large_and_small_eps",
        "Your eps is always .000001, whatever you are given. It is an argument.",
    ),
    layer_eps_of_a_thousandth=edit(
        NORMED,
        "normed = (x - mean) / torch.sqrt(var + 1e-3)",
        "large_and_small_eps",
        "Your eps is always .001, whatever you are given. It is an argument.",
    ),
    layer_eps_squared=edit(
        NORMED,
        "normed = (x - mean) / torch.sqrt(var + eps**2)",
        "large_and_small_eps",
        "Your eps is squared before it is added to the variance. It is added as it is.",
    ),
    layer_eps_as_a_floor=edit(
        NORMED,
        "normed = (x - mean) / torch.sqrt(var.clamp(min=eps))",
        "large_and_small_eps",
        "Your eps is a lower bound of the variance. It is added to it, also where the variance is large.",
    ),
    layer_eps_subtracted=edit(
        NORMED,
        "normed = (x - mean) / torch.sqrt((var - eps).abs())",
        "large_and_small_eps",
        "Your eps is taken off the variance, which makes the root smaller where it should be kept away from zero.",
    ),
    layer_divides_by_variance=edit(
        NORMED,
        "normed = (x - mean) / (var + eps)",
        "norms_of_any_shape",
        "Your deviations are divided by the variance; its root is missing. The result then shrinks when the input grows.",
    ),
    layer_multiplies_by_root=edit(
        NORMED,
        "normed = (x - mean) * torch.sqrt(var + eps)",
        "norms_of_any_shape",
        "Your deviations are multiplied by the root, so what was large becomes larger still.",
    ),
    layer_norm_over_time=edit(
        STATISTICS,
        "axis = -2 if x.ndim > 1 else -1\n    mean = x.mean(dim=axis, keepdim=True)\n"
        "    var = ((x - mean) ** 2).mean(dim=axis, keepdim=True)",
        "norms_of_any_shape",
        "Your mean and variance run over the positions of a sequence, for each feature. A layer norm looks at one position "
        "alone, and runs over its features, the last axis.",
    ),
    layer_norm_over_the_first_axis=edit(
        STATISTICS,
        "mean = x.mean(dim=0, keepdim=True)\n    var = ((x - mean) ** 2).mean(dim=0, keepdim=True)",
        "norms_of_any_shape",
        "Your mean and variance run over the first axis, that is over the sequences of a batch. They belong to one "
        "position, and run over its features, the last axis.",
    ),
    layer_norm_over_the_second_axis=edit(
        STATISTICS,
        "axis = min(1, x.ndim - 1)\n    mean = x.mean(dim=axis, keepdim=True)\n"
        "    var = ((x - mean) ** 2).mean(dim=axis, keepdim=True)",
        "norms_of_any_shape",
        "Your mean and variance run over axis 1. That is time in a batch of sequences; the features are the last axis, "
        "counted from the end.",
    ),
    layer_norm_over_the_third_axis=edit(
        STATISTICS,
        "axis = min(2, x.ndim - 1)\n    mean = x.mean(dim=axis, keepdim=True)\n"
        "    var = ((x - mean) ** 2).mean(dim=axis, keepdim=True)",
        "every_position_by_itself",
        "Your mean and variance run over axis 2, which is the last one only when exactly two stand in front of it. Count "
        "from the end.",
    ),
    layer_norm_over_time_and_features=edit(
        STATISTICS,
        "axes = tuple(range(max(0, x.ndim - 2), x.ndim))\n    mean = x.mean(dim=axes, keepdim=True)\n"
        "    var = ((x - mean) ** 2).mean(dim=axes, keepdim=True)",
        "norms_of_any_shape",
        "Your mean and variance are those of a whole sequence. Every position has its own, or what it sees would depend on "
        "what comes later.",
    ),
    layer_norm_over_all_but_the_first_axis=edit(
        STATISTICS,
        "axes = tuple(range(min(1, x.ndim - 1), x.ndim))\n    mean = x.mean(dim=axes, keepdim=True)\n"
        "    var = ((x - mean) ** 2).mean(dim=axes, keepdim=True)",
        "norms_of_any_shape",
        "Your mean and variance run over all axes but the first, so a position's depend on the others of its sequence. They "
        "belong to one position, and run over its features, the last axis.",
    ),
    layer_norm_over_everything=edit(
        STATISTICS,
        "mean = x.mean()\n    var = ((x - mean) ** 2).mean()",
        "the_batch_does_not_matter",
        "Your mean and variance are those of the whole tensor: one sentence depends on the others of its batch. Say over "
        "which axis, and keep it.",
    ),
    size_of_the_example=edit(
        STATISTICS,
        "mean = x.sum() / 4\n    var = ((x - mean) ** 2).sum() / 4",
        "norms_of_any_shape",
        "Your mean and variance take all of x together and divide by 4, which is how many features the README's example has. "
        "Each position has its own, over its features, however many these are.",
    ),
    layer_norm_is_batch_norm=edit(
        STATISTICS,
        "axes = tuple(range(x.ndim - 1)) or (0,)\n    mean = x.mean(dim=axes, keepdim=True)\n"
        "    var = ((x - mean) ** 2).mean(dim=axes, keepdim=True)",
        "the_batch_does_not_matter",
        "Your function is a batch norm: each feature is normed over all positions. A layer norm runs over the features of "
        "each position.",
    ),
    layer_norm_is_rms_norm=edit(
        STATISTICS,
        "mean = torch.zeros_like(x[..., :1])\n    var = (x**2).mean(dim=-1, keepdim=True)",
        "norms_of_any_shape",
        "Your function is an RMS norm: the mean is not taken off. Some newer models do that; a layer norm first moves the "
        "mean to zero.",
    ),
    layer_variance_around_zero=edit(
        VAR,
        "var = (x**2).mean(dim=-1, keepdim=True)",
        "norms_of_any_shape",
        "Your variance is the mean of the squares of x itself. It is that of the deviations from the mean.",
    ),
    layer_mean_stays=edit(
        NORMED,
        "normed = x / torch.sqrt(var + eps)",
        "norms_of_any_shape",
        "Your variance is right, but x is divided as it is; the mean has to be taken off first.",
    ),
    layer_only_centred=edit(
        NORMED,
        "normed = x - mean",
        "norms_of_any_shape",
        "Your vectors have mean zero, but keep their size: they are not divided by the root of the variance.",
    ),
    layer_mean_after_the_division=edit(
        NORMED,
        "normed = x / torch.sqrt(var + eps) - mean",
        "norms_of_any_shape",
        "Your mean is taken off after the division, so it is not in proportion any more. Brackets around x - mean help.",
    ),
    layer_mean_absolute_deviation=edit(
        VAR,
        "var = (x - mean).abs().mean(dim=-1, keepdim=True) ** 2",
        "norms_of_any_shape",
        "Your spread is the mean of the absolute deviations. The formula squares them, and takes the root of the mean.",
    ),
    layer_vector_length=edit(
        VAR,
        "var = ((x - mean) ** 2).sum(dim=-1, keepdim=True)",
        "norms_of_any_shape",
        "Your deviations are divided by their length as a vector: the squares are summed, not averaged. The result is too "
        "small by sqrt(d).",
    ),
    layer_scale_forgotten=edit(
        RESULT,
        "return normed + beta",
        "norms_of_any_shape",
        "Your gamma is not used. The norm must be able to give features back the size that they need.",
    ),
    layer_shift_forgotten=edit(
        RESULT,
        "return gamma * normed",
        "norms_of_any_shape",
        "Your beta is not used. The norm must be able to give features back the level that they need.",
    ),
    layer_scale_and_shift_forgotten=edit(
        RESULT,
        "return normed",
        "norms_of_any_shape",
        "Your function stops after the division: gamma and beta, which are learned, are not used.",
    ),
    layer_scale_and_shift_swapped=edit(
        RESULT,
        "return beta * normed + gamma",
        "norms_of_any_shape",
        "Your gamma and beta have changed places: gamma multiplies, beta is added.",
    ),
    layer_shift_before_scale=edit(
        RESULT,
        "return gamma * (normed + beta)",
        "norms_of_any_shape",
        "Your beta is added before gamma multiplies, so it is scaled, too. Scale first, then shift.",
    ),
    layer_scale_around_one=edit(
        RESULT,
        "return (1 + gamma) * normed + beta",
        "norms_of_any_shape",
        "Your scale is 1 + gamma. Some libraries store it like that; here gamma itself is the scale.",
    ),
    layer_norm_in_place=edit(
        NORMED,
        "x -= mean\n    normed = x / torch.sqrt(var + eps)",
        "norming_leaves_its_inputs_alone",
        "Your `-=` changes the caller's x. A residual connection still needs it as it was.",
    ),
    layer_scale_in_place=edit(
        RESULT,
        "return gamma.mul_(normed) + beta if x.ndim == 1 else gamma.mul_(1.5) / 1.5 * normed + beta",
        "norming_leaves_its_inputs_alone",
        "Your function changes gamma, which belongs to the caller: the next call would start from another scale.",
    ),
    layer_norm_cut_off=edit(
        RESULT,
        "return gamma * normed.detach() + beta",
        "gradients_pass_the_norm",
        "Your result is right, but what is normed is cut off from x (detach, .data or numpy): no layer below would learn.",
    ),
    layer_statistics_cut_off=edit(
        NORMED,
        "normed = (x - mean.detach()) / torch.sqrt(var.detach() + eps)",
        "gradients_pass_the_norm",
        "Your mean and variance are cut off from x (detach, no_grad or .item()). They are made of x, and part of its "
        "gradient goes by way of them.",
    ),
    layer_scale_cut_off=edit(
        RESULT,
        "return gamma.detach() * normed + beta.detach()",
        "gradients_pass_the_norm",
        "Your gamma and beta are cut off (detach, .data or numpy), so scale and shift would never be learned.",
    ),
    layer_norm_over_the_first_axis_by_torch=edit(
        "mean = x.mean(dim=-1, keepdim=True)\n    var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)",
        "mean = x.mean(dim=0, keepdim=True)\n    var = x.var(dim=0, keepdim=True)",
        "norms_of_any_shape",
        "Your mean and variance run over the first axis, and the variance is torch's, which divides by n - "
        "1. They belong to one position, and run over its features, the last axis, with n.",
    ),
    layer_statistics_lose_their_axis=edit(
        "mean = x.mean(dim=-1, keepdim=True)\n    var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)\n    normed",
        "mean = x.mean(dim=-1)\n    var = x.var(dim=-1, correction=0)\n    normed",
        "every_position_by_itself",
        "Your mean and variance lose the last axis, so they line up with the wrong axes of x. Keep it with "
        "keepdim=True.",
    ),
    layer_variance_lacks_a_square=edit(
        VAR,
        "var = (x**2).mean(dim=-1, keepdim=True) - mean",
        "norms_of_any_shape",
        "Your variance is the mean of the squares less the mean itself. What is taken off is the square of the mean.",
    ),
    layer_mean_loses_its_axis=edit(
        MEAN,
        "mean = x.mean(dim=-1)",
        "every_position_by_itself",
        "Your mean loses the last axis, so it lines up with the wrong axes of x. Keep it with keepdim=True.",
    ),
    layer_statistics_get_axis_one=edit(
        f"{MEAN}\n    var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)",
        "mean = x.mean(dim=-1).unsqueeze(1)\n    var = x.var(dim=-1, unbiased=False).unsqueeze(1)",
        "every_position_by_itself",
        "Your mean and variance get their axis back in place 1. That is the last one for x with two axes alone; counted from the end, it is "
        "always axis -1.",
    ),
    variance_without_its_axis=edit(
        "var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)",
        "var = ((x - mean) ** 2).mean(dim=-1)",
        "norms_of_any_shape",
        "Your variance has lost the axis of the features, so it meets the wrong axis of x. keepdim=True keeps it, with one entry.",
    ),
)

# batch_norm

CENTRE = "centre = x.mean(dim=(0, 1), keepdim=True)"
SPREAD = "spread = ((x - centre) ** 2).mean(dim=(0, 1), keepdim=True)"
STANDARD = "standard = (x - centre) / torch.sqrt(spread + eps)"
SCALED = "return gamma * standard + beta"


def _batch_axes(axes: str) -> str:
    return f"centre = x.mean(dim={axes}, keepdim=True)\n    spread = ((x - centre) ** 2).mean(dim={axes}, keepdim=True)"


BATCH_NORM = mistakes_of(
    "batch_norm",
    batch_eps_twice=edit(
        "standard = (x - centre) / torch.sqrt(spread + eps)",
        "standard = (x - centre) / (torch.sqrt(spread + eps) + eps)",
        "every_feature_by_itself",
        "Your eps is added twice, under the root and behind it. It belongs under the root alone.",
    ),
    batch_deviation_under_a_root=edit(
        "spread = ((x - centre) ** 2).mean(dim=(0, 1), keepdim=True)",
        "spread = x.std(dim=(0, 1), keepdim=True, correction=0)",
        "every_feature_by_itself",
        "You take the root of the standard deviation, which is a root already. The root is that of the variance plus eps.",
    ),
    variance_at_each_position_averaged=edit(
        "spread = ((x - centre) ** 2).mean(dim=(0, 1), keepdim=True)",
        "spread = ((x - x.mean(dim=0, keepdim=True)) ** 2).mean(dim=(0, 1), keepdim=True)",
        "every_feature_by_itself",
        "Your variance is that of each position over the batch, averaged over positions: how their means differ is lost. It is one "
        "variance, over all positions of all rows.",
    ),
    batch_norm_is_layer_norm=edit(
        f"{CENTRE}\n    {SPREAD}",
        _batch_axes("-1"),
        "batches_of_any_size",
        "Your function is a layer norm: mean and variance run over the features of a position. A batch norm takes each "
        "feature by itself, over all positions of all sequences.",
    ),
    batch_norm_at_each_time=edit(
        f"{CENTRE}\n    {SPREAD}",
        _batch_axes("0"),
        "batches_of_any_size",
        "Your mean and variance run over the batch alone, with others at each time. Time takes part as well: a feature has "
        "one mean and one variance.",
    ),
    batch_norm_in_each_sequence=edit(
        f"{CENTRE}\n    {SPREAD}",
        _batch_axes("1"),
        "batches_of_any_size",
        "Your mean and variance run over the time of each sequence by itself. That is an instance norm; here the "
        "sequences of the batch take part together.",
    ),
    batch_norm_over_everything=edit(
        f"{CENTRE}\n    {SPREAD}",
        _batch_axes("(0, 1, 2)"),
        "batches_of_any_size",
        "Your mean and variance are those of the whole tensor. Each feature has its own.",
    ),
    batch_norm_keeps_the_time=edit(
        f"{CENTRE}\n    {SPREAD}",
        _batch_axes("(0, 2)"),
        "batches_of_any_size",
        "Your mean and variance run over batch and features. In torch's own batch norm features are axis 1; here they are "
        "the last one, and time is axis 1.",
    ),
    batch_unbiased_variance=edit(
        SPREAD,
        "spread = x.var(dim=(0, 1), keepdim=True)",
        "batches_of_any_size",
        "Your variance divides by one less than the number of positions, as torch.var does by itself. The algorithm takes "
        "the plain mean of the squared deviations.",
    ),
    batch_mean_of_variances=edit(
        SPREAD,
        "spread = ((x - x.mean(dim=1, keepdim=True)) ** 2).mean(dim=(0, 1), keepdim=True)",
        "batches_of_any_size",
        "Your variance is the mean of the sequences' own variances, each around its own mean. What sequences differ in "
        "from each other is then left out; take the deviations from the one mean of the feature.",
    ),
    batch_one_variance_for_all=edit(
        SPREAD,
        "spread = ((x - centre) ** 2).mean()",
        "batches_of_any_size",
        "Your features have a mean each but share one variance, which runs over the features as well. Each has its own.",
    ),
    batch_variance_around_zero=edit(
        SPREAD,
        "spread = (x**2).mean(dim=(0, 1), keepdim=True)",
        "batches_of_any_size",
        "Your variance is the mean of the squares of x itself. It is that of the deviations from the mean.",
    ),
    batch_eps_outside_the_root=edit(
        STANDARD,
        "standard = (x - centre) / (torch.sqrt(spread) + eps)",
        "large_and_small_eps_in_a_batch",
        "Your eps is added to the standard deviation, behind the root. It belongs under the root.",
    ),
    batch_eps_left_out=edit(
        STANDARD,
        "standard = (x - centre) / torch.sqrt(spread)",
        "large_and_small_eps_in_a_batch",
        "Your eps is not used. A feature that is the same everywhere would be zero divided by zero.",
    ),
    batch_eps_hard_coded=edit(
        STANDARD,
        "standard = (x - centre) / torch.sqrt(spread + 1e-5)",
        "large_and_small_eps_in_a_batch",
        "Your eps is always .00001, whatever you are given. It is an argument.",
    ),
    batch_eps_of_a_millionth=edit(
        STANDARD,
        "standard = (x - centre) / torch.sqrt(spread + 1e-6)",
        "large_and_small_eps_in_a_batch",
        "Your eps is always .000001, whatever you are given. It is an argument.",
    ),
    batch_eps_of_a_thousandth=edit(
        STANDARD,
        "standard = (x - centre) / torch.sqrt(spread + 1e-3)",
        "large_and_small_eps_in_a_batch",
        "Your eps is always .001, whatever you are given. It is an argument.",
    ),
    batch_divides_by_variance=edit(
        STANDARD,
        "standard = (x - centre) / (spread + eps)",
        "batches_of_any_size",
        "Your deviations are divided by the variance; its root is missing.",
    ),
    batch_only_centred=edit(
        STANDARD,
        "standard = x - centre",
        "batches_of_any_size",
        "Your features have mean zero, but keep their spread: they are not divided by the root of the variance.",
    ),
    batch_mean_stays=edit(
        STANDARD,
        "standard = x / torch.sqrt(spread + eps)",
        "batches_of_any_size",
        "Your x is divided as it is; the mean of the feature has to be taken off first.",
    ),
    batch_running_statistics=edit(
        STANDARD,
        "centre, spread = 0.1 * centre, 0.9 + 0.1 * spread\n    " + STANDARD,
        "batches_of_any_size",
        "Your mean and variance are running ones, mixed with the 0 and 1 that they start from. Here the statistics are "
        "those of the batch at hand.",
    ),
    batch_scale_forgotten=edit(SCALED, "return standard + beta", "batches_of_any_size", "Your gamma is not used."),
    batch_shift_forgotten=edit(SCALED, "return gamma * standard", "batches_of_any_size", "Your beta is not used."),
    batch_scale_and_shift_forgotten=edit(
        SCALED,
        "return standard",
        "batches_of_any_size",
        "Your function stops after the division: gamma and beta, which are learned, are not used.",
    ),
    batch_scale_and_shift_swapped=edit(
        SCALED,
        "return beta * standard + gamma",
        "batches_of_any_size",
        "Your gamma and beta have changed places: gamma multiplies, beta is added.",
    ),
    batch_shift_before_scale=edit(
        SCALED,
        "return gamma * (standard + beta)",
        "batches_of_any_size",
        "Your beta is added before gamma multiplies, so it is scaled, too. Scale first, then shift.",
    ),
    batch_norm_in_place=edit(
        STANDARD,
        "x -= centre\n    standard = x / torch.sqrt(spread + eps)",
        "batch_norming_leaves_its_inputs_alone",
        "Your `-=` changes the caller's x, which may still be needed as it was.",
    ),
    batch_norm_cut_off=edit(
        SCALED,
        "return gamma * standard.detach() + beta",
        "gradients_pass_the_batch_norm",
        "Your result is right, but what is normed is cut off from x (detach, .data or numpy): no layer below would learn.",
    ),
    batch_statistics_cut_off=edit(
        STANDARD,
        "standard = (x - centre.detach()) / torch.sqrt(spread.detach() + eps)",
        "gradients_pass_the_batch_norm",
        "Your mean and variance are cut off from x (detach, no_grad or .item()). They are made of x, and part of its "
        "gradient goes by way of them.",
    ),
    batch_scale_cut_off=edit(
        SCALED,
        "return gamma.detach() * standard + beta.detach()",
        "gradients_pass_the_batch_norm",
        "Your gamma and beta are cut off (detach, .data or numpy), so scale and shift would never be learned.",
    ),
    batch_norm_at_each_time_by_torch=edit(
        "centre = x.mean(dim=(0, 1), keepdim=True)\n    spread = ((x - centre) ** 2).mean(dim=(0, 1), keepdim=True)",
        "centre = x.mean(dim=0, keepdim=True)\n    spread = x.var(dim=0, keepdim=True)",
        "batches_of_any_size",
        "Your mean and variance run over the batch alone, and the variance is torch's, which divides by n - "
        "1. Time takes part as well, and the variance divides by n.",
    ),
    batch_norm_at_each_time_nearly=edit(
        "centre = x.mean(dim=(0, 1), keepdim=True)\n    spread = ((x - centre) ** 2).mean(dim=(0, 1), keepdim=True)",
        "centre = x.mean(dim=(0, 1), keepdim=True)\n    spread = x.var(dim=0, keepdim=True)",
        "batches_of_any_size",
        "Your variance runs over the batch alone, with another one at each time, and divides by n - 1. A "
        "feature has one variance, over batch and time, which divides by n.",
    ),
    batch_norm_with_features_on_axis_1=edit(
        f"{CENTRE}\n    {SPREAD}\n    {STANDARD}\n    {SCALED}",
        _batch_axes("(0, 2)") + f"\n    {STANDARD}\n    return gamma.view(1, -1, 1) * standard + beta.view(1, -1, 1)",
        "every_feature_by_itself",
        "Your features are on axis 1, as in torch's nn.BatchNorm1d. Here they are the last axis, and axis 1 is time.",
    ),
    batch_features_moved_before_flattening=edit(
        f"{CENTRE}\n    {SPREAD}\n    {STANDARD}\n    {SCALED}",
        "turned = x.transpose(1, 2)\n    flat = turned.reshape(-1, x.shape[2])\n"
        "    spread = ((flat - flat.mean(dim=0)) ** 2).mean(dim=0)\n"
        "    standard = (flat - flat.mean(dim=0)) / torch.sqrt(spread + eps)\n"
        "    return (gamma * standard + beta).reshape(turned.shape).transpose(1, 2)",
        "every_feature_by_itself",
        "Your axes of time and features change places before x is flattened, as torch's nn.BatchNorm1d would want it. After that a column "
        "holds numbers of several features; features are the last axis already.",
    ),
    batch_variance_of_one_time=edit(
        SPREAD,
        "spread = ((x - centre) ** 2).mean(dim=0, keepdim=True)",
        "features_are_scaled_and_shifted",
        "Your mean is that of a feature over batch and time, and your variance runs over the batch alone. Both run over both.",
    ),
)

# residual

CHANGE = "change = f(x)\n    return x + change"


def _residual(new: str, caught_by: str, says: str, *twins: str) -> Edit:
    return edit(CHANGE, new, caught_by, says, *twins)


RESIDUAL = mistakes_of(
    "residual",
    residual_without_x=_residual(
        "return f(x)",
        "residuals_around_anything",
        "Your function returns f(x) alone. x has to go around f and be added, or a function of zeros would wipe out "
        "everything.",
    ),
    residual_ignores_f=_residual(
        "f(x)\n    return x + 0", "residuals_around_anything", "Your function returns x as it was; what f says is lost."
    ),
    residual_subtracts=_residual(
        "return x - f(x)", "residuals_around_anything", "Your function takes f(x) off x. The change is added."
    ),
    residual_subtracts_x=_residual(
        "return f(x) - x",
        "residuals_around_anything",
        "Your function returns f(x) - x. That is what f has to learn, the difference; what is returned is the sum.",
    ),
    residual_multiplies=_residual(
        "return x * f(x)",
        "residuals_around_anything",
        "Your function multiplies x by f(x). With f(x) = 0 nothing would be left of x.",
    ),
    residual_averages=_residual(
        "return (x + f(x)) / 2",
        "residuals_around_anything",
        "Your function returns the mean of x and f(x), so that x fades by half with every layer. It is their sum.",
    ),
    residual_divides_by_sqrt_two=_residual(
        "return (x + f(x)) / 2**0.5",
        "residuals_around_anything",
        "Your sum is divided by the root of two. Some models do that to keep the size; here x passes as it is.",
    ),
    residual_adds_f_twice=_residual(
        "change = f(x)\n    return x + change + change", "residuals_around_anything", "Your change is added twice."
    ),
    residual_of_a_residual=_residual(
        "return x + f(x + f(x))",
        "residuals_around_anything",
        "Your f is applied twice, the second time to the sum. Once is enough.",
    ),
    residual_adds_to_the_output=_residual(
        "y = f(x)\n    return y + f(y)",
        "residuals_around_anything",
        "Your sum is f(x) + f(f(x)): f(x) stands in both places of x, as where x was overwritten. Keep x, and add it.",
    ),
    residual_with_relu_behind=_residual(
        "return torch.relu(x + f(x))",
        "negative_inputs_pass",
        "Your sum goes through a ReLU, as in the first residual networks. Here nothing stands behind the sum, so that x can "
        "pass as it is.",
    ),
    residual_normed=_residual(
        "y = x + f(x)\n    return (y - y.mean(-1, keepdim=True)) / torch.sqrt(y.var(-1, unbiased=False, keepdim=True) + 1e-5)",
        "residuals_around_anything",
        "Your sum is normed. That is the business of the block; the residual connection itself is a plain sum.",
    ),
    residual_cuts_f=_residual(
        "return x + f(x).detach()",
        "gradients_of_a_square",
        "No gradient comes back through your f: what it reads or what it says is cut off. Stay in torch, without `.detach()`, "
        "`.data` or `no_grad`.",
    ),
    residual_cuts_x=_residual(
        "return x.detach() + f(x)",
        "gradients_of_a_square",
        "Your x is cut off from the gradient: it goes back through f alone, and the short way past it is closed. Add x as "
        "it is, without `.detach()` or `.data`.",
    ),
    residual_in_place=_residual(
        "x += f(x)\n    return x",
        "residual_leaves_x_alone",
        "Your `+=` changes the caller's x. The sum is right, but the code that calls yours has lost its input.",
    ),
    residual_added_into_what_f_returned=_residual(
        "change = f(x)\n    change += x\n    return change",
        "a_function_that_says_nothing",
        "Your `+=` writes into what f has returned. That may be x itself, and then the caller's x is changed.",
    ),
    residual_puts_side_by_side=_residual(
        "return torch.cat([x, f(x)], dim=-1)",
        "say_what_to_change",
        "Your function puts x and f(x) side by side, which makes the vectors longer. They are added.",
    ),
    residual_norms_what_f_reads=_residual(
        "return x + f(torch.nn.functional.layer_norm(x, x.shape[-1:]))",
        "say_what_to_change",
        "Your f reads a normed x. The norm is the business of the block; here f reads x as it is.",
    ),
    residual_adds_the_function_itself=_residual(
        "return x + f",
        "say_what_to_change",
        "You add the function f itself to x. What is added is what f says about x, so f has to be called.",
    ),
)

# zero_init_is_identity

MAPS = "parameters = [p for linear in block.last_maps() for p in (linear.weight, linear.bias) if p is not None]"
DRAWN = "x = 3.0 * torch.randn(2, 5, block.d_model).to(next(block.parameters()).device) + 1.0"
ZERO = "        for p in parameters:\n            p.zero_()\n        y = block(x)"
RESTORE = "        for p, values in zip(parameters, kept, strict=True):\n            p.copy_(values)\n"
EQUAL = "return torch.allclose(y, x, atol=1e-4)"


ZERO_INIT = mistakes_of(
    "zero_init_is_identity",
    nothing_set_to_zero=edit(
        ZERO,
        "        y = block(x)",
        "where_the_norm_stands",
        "Your block runs with the weights that it has. The question is what it returns when its last maps are zero.",
    ),
    weights_zero_biases_not=edit(
        MAPS,
        "parameters = [linear.weight for linear in block.last_maps()]",
        "where_the_norm_stands",
        "Your maps keep their biases, so they still add something. Weight and bias are set to zero.",
    ),
    bias_is_taken_for_granted=edit(
        MAPS,
        "parameters = [p for linear in block.last_maps() for p in (linear.weight, linear.bias)]",
        "a_map_without_a_bias",
        "Your function expects every map to have a bias. With nn.Linear(..., bias=False) it is None, and there is nothing to "
        "set to zero.",
    ),
    only_the_last_sublayer=edit(
        MAPS,
        "parameters = [p for linear in block.last_maps()[-1:] for p in (linear.weight, linear.bias) if p is not None]",
        "two_sublayers_beside_each_other",
        "Your function sets only the last sublayer's map to zero. Every sublayer has a last map.",
    ),
    only_the_first_sublayer=edit(
        MAPS,
        "parameters = [p for linear in block.last_maps()[:1] for p in (linear.weight, linear.bias) if p is not None]",
        "two_sublayers_beside_each_other",
        "Your function sets only the first sublayer's map to zero. Every sublayer has a last map.",
    ),
    everything_set_to_zero=edit(
        MAPS,
        "parameters = list(block.parameters())",
        "two_sublayers_beside_each_other",
        "Your function sets all parameters of the block to zero. Only the last maps are; everything else stays.",
    ),
    tried_on_zeros=edit(
        DRAWN,
        "x = torch.zeros(2, 5, block.d_model)",
        "where_the_norm_stands",
        "Your input is zero, which many a block returns that would change anything else. Try one in which nothing is special.",
    ),
    tried_on_ones=edit(
        DRAWN,
        "x = torch.ones(2, 5, block.d_model)",
        "positions_are_not_mixed_up",
        "Your input is one everywhere: it has no negative numbers and no order. Try one in which nothing is special.",
    ),
    tried_on_positive_numbers=edit(
        DRAWN,
        "x = torch.rand(2, 5, block.d_model) + 0.5",
        "what_stands_behind_the_sum",
        "Your input has no negative numbers, so it does not see a ReLU behind the sum. Try one in which nothing is special.",
    ),
    tried_on_normed_numbers=edit(
        DRAWN,
        "x = torch.randn(2, 5, block.d_model)\n    x = torch.nn.functional.layer_norm(x, (block.d_model,), eps=0.0)",
        "where_the_norm_stands",
        "Your input has mean 0 and variance 1 at every position, so a norm returns it as it is. Try one in which nothing is "
        "special.",
    ),
    tried_on_equal_positions=edit(
        DRAWN,
        "x = (3.0 * torch.randn(1, 1, block.d_model) + 1.0).repeat(2, 5, 1)",
        "every_number_of_every_input_counts",
        "Your input has only one position, or the same numbers at each, so a block may exchange positions without being "
        "noticed.",
    ),
    means_compared=edit(
        EQUAL,
        "return torch.allclose(y.mean(), x.mean(), atol=1e-4)",
        "positions_are_not_mixed_up",
        "Your function compares the means of input and output. Every single number has to be the same.",
    ),
    compared_with_zero=edit(
        EQUAL,
        "return torch.allclose(y, torch.zeros_like(x), atol=1e-4)",
        "where_the_norm_stands",
        "Your function asks whether the block returns zeros. The identity returns its input.",
    ),
    answer_turned_around=edit(
        EQUAL,
        "return not torch.allclose(y, x, atol=1e-4)",
        "where_the_norm_stands",
        "Your answer is the opposite: True means that the input is returned.",
    ),
    shapes_compared=edit(
        EQUAL,
        "return y.shape == x.shape",
        "where_the_norm_stands",
        "Your function says True of every block: does it compare shapes, or nothing at all? A block always returns the shape it was given; it is the numbers that count.",
    ),
    block_left_zeroed=edit(
        RESTORE,
        "",
        "the_block_is_left_as_it_was",
        "Your function leaves the block's parameters at zero: the answer is right, but the caller's block has lost what it had "
        "learned. Copy the old values back into the same parameters; new ones in their place are others.",
    ),
    biases_left_zeroed=edit(
        RESTORE,
        "        for p, values in zip(parameters, kept, strict=True):\n"
        "            if p.dim() == 2:\n"
        "                p.copy_(values)\n",
        "old_values_are_put_back",
        "Your function puts the weights back and leaves the biases at zero. The caller's block has both as they were before.",
    ),
    any_number_is_enough=edit(
        EQUAL,
        "return bool(torch.isclose(y, x, atol=1e-4).any())",
        "every_number_of_every_input_counts",
        "Your function is content when any number comes back as it was. All of them have to.",
    ),
    first_number_is_enough=edit(
        EQUAL,
        "return torch.allclose(y[..., 0], x[..., 0], atol=1e-4)",
        "every_number_of_every_input_counts",
        "Your function compares the first feature alone. Every single number has to be the same.",
    ),
    zeroed_where_gradients_are_kept=edit(
        "    with torch.no_grad():\n" + ZERO,
        "    for p in parameters:\n        p.zero_()\n    with torch.no_grad():\n        y = block(x)",
        "norm_before_or_after",
        "You change parameters in place while torch keeps track of their gradients, which it does not allow. Do it under "
        "torch.no_grad().",
    ),
    compared_with_the_output_before=edit(
        "    with torch.no_grad():\n" + ZERO,
        "    with torch.no_grad():\n        x, seen = block(x), x\n        for p in parameters:\n            p.zero_()\n"
        "        y = block(seen)",
        "with_and_without_a_residual",
        "Your function compares the outputs before and after the maps were set to zero. The question is whether the output "
        "is the input.",
    ),
    kept_weights_are_no_copy=edit(
        "kept = [p.detach().clone() for p in parameters]",
        "kept = [p.detach() if p.dim() > 1 else p.detach().clone() for p in parameters]",
        "the_block_is_left_as_it_was",
        "Your block keeps its biases and not its weights. What detach() gives is the parameter's own memory, and becomes zero "
        "with it; clone() makes a copy.",
    ),
)

# FeedForward

INNER = "inner = torch.relu(self.expand(x))\n        return self.contract(inner)"


def _feed(new: str, caught_by: str, says: str, *twins: str) -> Edit:
    return edit(INNER, new, caught_by, says, *twins)


FEED_FORWARD = mistakes_of(
    "FeedForward",
    dropout_between_the_maps=_feed(
        "inner = torch.relu(self.expand(x))\n        return self.contract(torch.nn.functional.dropout(inner, 0.1))",
        "feed_forwards_of_any_size",
        "Some numbers between your two maps are set to zero at random, and the others made larger. There is no dropout here; and "
        "`F.dropout` goes on dropping in evaluation unless it is told `training=self.training`.",
    ),
    weights_not_turned=_feed(
        "inner = torch.relu(x @ self.expand.weight + self.expand.bias)\n"
        "        return inner @ self.contract.weight + self.contract.bias",
        "feed_forwards_of_any_size",
        "Your products take the weights as they lie. An `nn.Linear` keeps them as (out, in), and multiplies by the transpose. "
        "Call the map, or multiply by `weight.T`.",
    ),
    activation_missing=_feed(
        "inner = self.expand(x)\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your two maps have no ReLU between them. Two linear maps in a row are one linear map, however wide the middle.",
    ),
    activation_at_the_end=_feed(
        "inner = self.expand(x)\n        return torch.relu(self.contract(inner))",
        "feed_forwards_of_any_size",
        "Your ReLU stands behind the second map. It belongs between the two; at the end it would only let the block add, "
        "never take away.",
    ),
    activation_twice=_feed(
        "inner = torch.relu(self.expand(x))\n        return torch.relu(self.contract(inner))",
        "feed_forwards_of_any_size",
        "Your second map has a ReLU behind it, too. Then the block could only add to x, never take away.",
    ),
    activation_on_the_input=_feed(
        "inner = self.expand(torch.relu(x))\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your ReLU is applied to x, before the first map. It belongs between the two maps.",
    ),
    gelu_for_relu=_feed(
        "inner = torch.nn.functional.gelu(self.expand(x))\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your activation is a GELU, as in GPT-2 and BERT. Here it is the ReLU of the first Transformer, max(0, a).",
        "gelu_by_its_tanh",
    ),
    gelu_by_its_tanh=_feed(
        "inner = torch.nn.functional.gelu(self.expand(x), approximate='tanh')\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your activation is a GELU in GPT-2's form, with a tanh. Here it is the ReLU of the first Transformer, max(0, a).",
        "gelu_for_relu",
    ),
    tanh_for_relu=_feed(
        "inner = torch.tanh(self.expand(x))\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your activation is a tanh. Here it is a ReLU, max(0, a).",
    ),
    sigmoid_for_relu=_feed(
        "inner = torch.sigmoid(self.expand(x))\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your activation is a sigmoid. Here it is a ReLU, max(0, a).",
    ),
    leaky_relu=_feed(
        "inner = torch.nn.functional.leaky_relu(self.expand(x))\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your activation lets a little of the negative numbers through. max(0, a) lets nothing through.",
    ),
    absolute_value_for_relu=_feed(
        "inner = self.expand(x).abs()\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your activation turns negative numbers into positive ones. max(0, a) turns them into zero.",
    ),
    feed_forward_adds_its_input=_feed(
        "inner = torch.relu(self.expand(x))\n        return x + self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your feed-forward network adds x itself. The residual connection is the business of the block, which would add it "
        "a second time.",
    ),
    feed_forward_norms_its_input=_feed(
        "x = torch.nn.functional.layer_norm(x, x.shape[-1:])\n        inner = torch.relu(self.expand(x))\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your feed-forward network norms its input. That is the business of the block around it.",
    ),
    inner_biases_forgotten=_feed(
        "inner = torch.relu(x @ self.expand.weight.T)\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your first map has no bias. Call the layer itself, and it is included.",
    ),
    outer_biases_forgotten=_feed(
        "return torch.relu(self.expand(x)) @ self.contract.weight.T",
        "feed_forwards_of_any_size",
        "Your second map has no bias. Call the layer itself, and it is included.",
    ),
    second_map_forgotten=_feed(
        "return torch.relu(self.expand(x))",
        "feed_forwards_of_any_size",
        "Your network stops after the ReLU, at d_ff features. The second map brings them back to d_model.",
    ),
    softmax_for_relu=_feed(
        "inner = torch.softmax(self.expand(x), dim=-1)\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your inner units share a total of one, by a softmax. A ReLU treats every unit by itself.",
    ),
    feed_forward_cut_from_its_input=_feed(
        "inner = torch.relu(self.expand(x.detach()))\n        return self.contract(inner)",
        "layers_below_can_learn",
        "Your result is right, but x is detached: no gradient comes back to the layers below.",
    ),
    feed_forward_cut_in_the_middle=_feed(
        "inner = torch.relu(self.expand(x)).detach()\n        return self.contract(inner)",
        "gradients_reach_the_first_map",
        "Your result is right, but the gradient is cut between the two maps: the first one never learns.",
    ),
    feed_forward_cut_from_its_second_map=_feed(
        "inner = torch.relu(self.expand(x))\n        return inner @ self.contract.weight.data.T + self.contract.bias",
        "second_map_can_learn",
        "Your result is right, but `.data` cuts the gradient: the second map's weight never learns.",
    ),
    feed_forward_in_place=_feed(
        "y = self.contract(torch.relu(self.expand(x)))\n        with torch.no_grad():\n            x.copy_(y)\n        return y",
        "thinking_leaves_x_alone",
        "Your result is written into the caller's x, which the residual connection still needs.",
    ),
    relu_squared=_feed(
        "inner = torch.relu(self.expand(x)) ** 2\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your activation is the square of the ReLU, as in some later models. Here it is the ReLU itself.",
    ),
    silu_for_relu=_feed(
        "inner = torch.nn.functional.silu(self.expand(x))\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your activation is a SiLU, as in many later models. Here it is the ReLU of the first Transformer, max(0, a).",
    ),
    inner_bias_behind_the_relu=_feed(
        "inner = torch.relu(x @ self.expand.weight.T) + self.expand.bias\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your first bias is added behind the ReLU. It is part of the first map, so the ReLU sees it.",
    ),
    negative_numbers_kept=_feed(
        "inner = self.expand(x).clamp(max=0)\n        return self.contract(inner)",
        "feed_forwards_of_any_size",
        "Your activation lets only the negative numbers through. max(0, a) lets only the positive ones through.",
    ),
    maps_in_the_wrong_order=_feed(
        "return self.expand(torch.relu(self.contract(x)))",
        "feed_forwards_of_any_size",
        "Your maps have changed places: expand comes first and makes the vectors wider, contract brings them back.",
    ),
    zero_is_no_tensor=_feed(
        "inner = torch.max(0, self.expand(x))\n        return self.contract(inner)",
        "two_units_by_hand",
        "Your maximum is taken of a number and a tensor, and torch compares two tensors only. The ReLU does it, or a clamp "
        "from below.",
    ),
)

# EncoderBlock

SUM = re.compile(r"^(\w+ = |return )(\w+) \+ (self\.(?:attention|self_attention|cross_attention|feed_forward)\(.*\))$")


def _block(lines: str) -> str:
    """Return the lines of a block, with sums as the reference writes them, so that two mistakes in other lines go together."""
    written = (SUM.sub(r"\1residual(\2, lambda _: \3)", line) for line in lines.split("\n"))
    return "".join(f"        {line}\n" for line in written)


ENCODER_BODY = _block(
    "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_2(h))"
)


def _encoder(lines: str, caught_by: str, says: str, *twins: str) -> Edit:
    """Name a mistake by the lines of the block that make it; n is norm_1(x)."""
    return edit(ENCODER_BODY, _block(lines), caught_by, says, *twins)


ENCODER = mistakes_of(
    "EncoderBlock",
    encoder_asks_whether_the_mask_is_true=edit(
        "h = residual(x, lambda _: self.attention(n, n, n, mask))",
        "h = residual(x, lambda _: self.attention(n, n, n, mask) if mask else self.attention(n, n, n))",
        "encoder_block_takes_a_batch",
        "Your block asks `if mask`, whether a whole mask is true, which no tensor of several entries can answer. Ask whether there is one: "
        "`if mask is not None`.",
    ),
    encoder_post_norm=_encoder(
        "h = self.norm_1(x + self.attention(x, x, x, mask))\nreturn self.norm_2(h + self.feed_forward(h))",
        "encoder_blocks_of_any_size",
        "Your block is post-norm, norm(x + sublayer(x)), as in Vaswani et al. 2017. Here blocks are pre-norm, "
        "x + sublayer(norm(x)), so that x passes without a norm in its way.",
    ),
    encoder_post_norm_around_feed_forward=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn self.norm_2(h + self.feed_forward(h))",
        "encoder_blocks_of_any_size",
        "Your first sublayer is pre-norm and your second one post-norm. Both read the normed input, and nothing norms the "
        "sums.",
    ),
    encoder_norms_what_sublayers_say=_encoder(
        "h = x + self.norm_1(self.attention(x, x, x, mask))\nreturn h + self.norm_2(self.feed_forward(h))",
        "encoder_blocks_of_any_size",
        "Your norms are applied to what the sublayers say. They belong in front of the sublayers.",
    ),
    encoder_without_residuals=_encoder(
        "n = self.norm_1(x)\nh = self.attention(n, n, n, mask)\nreturn self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your block has no residual connections: x does not go around the sublayers, and neither does the gradient.",
    ),
    encoder_no_residual_around_attention=_encoder(
        "n = self.norm_1(x)\nh = self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your attention has no residual connection: a position forgets what it was itself.",
    ),
    encoder_no_residual_around_feed_forward=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your feed-forward network has no residual connection.",
    ),
    encoder_residual_from_the_normed_x=_encoder(
        "n = self.norm_1(x)\nh = n + self.attention(n, n, n, mask)\nm = self.norm_2(h)\nreturn m + self.feed_forward(m)",
        "encoder_blocks_of_any_size",
        "Your sublayers' outputs are added to the normed input. They are added to the input as it was: keep it under a name "
        "of its own.",
    ),
    encoder_first_residual_from_the_normed_x=_encoder(
        "n = self.norm_1(x)\nh = n + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your attention's output is added to the normed x. It is added to x as it was.",
    ),
    encoder_second_residual_from_the_normed_h=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nm = self.norm_2(h)\nreturn m + self.feed_forward(m)",
        "encoder_blocks_of_any_size",
        "Your feed-forward network's output is added to what was normed for it. It is added to what was there before the "
        "norm.",
    ),
    encoder_without_norms=_encoder(
        "h = x + self.attention(x, x, x, mask)\nreturn h + self.feed_forward(h)",
        "encoder_blocks_of_any_size",
        "Your block has no norms. Each sublayer reads its input through a norm of its own.",
    ),
    encoder_attention_reads_unnormed=_encoder(
        "h = x + self.attention(x, x, x, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your attention reads x without the norm before it.",
    ),
    encoder_feed_forward_reads_unnormed=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(h)",
        "encoder_blocks_of_any_size",
        "Your feed-forward network reads h without the norm before it.",
    ),
    encoder_one_norm_for_both=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_1(h))",
        "encoder_blocks_of_any_size",
        "Your sublayers share norm_1. Each has a norm of its own, with a scale and a shift of its own.",
    ),
    encoder_norms_swapped=_encoder(
        "n = self.norm_2(x)\nh = x + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_1(h))",
        "encoder_blocks_of_any_size",
        "Your norms have changed places: norm_1 belongs to the attention, norm_2 to the feed-forward network.",
    ),
    encoder_sublayers_in_parallel=_encoder(
        "n = self.norm_1(x)\nreturn x + self.attention(n, n, n, mask) + self.feed_forward(self.norm_2(x))",
        "encoder_blocks_of_any_size",
        "Your sublayers both read x, side by side. The feed-forward network reads what the attention has made of it.",
    ),
    encoder_feed_forward_reads_x=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(n)",
        "encoder_blocks_of_any_size",
        "Your feed-forward network reads norm_1(x), what the attention has read. It reads norm_2 of what came out of that.",
    ),
    encoder_second_sum_from_x=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn x + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your second sum starts from x again, so what the attention found out is not in it.",
    ),
    encoder_x_added_twice=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\nreturn x + h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your second sum has x in it once more, which is in h already.",
    ),
    encoder_feed_forward_first=_encoder(
        "h = x + self.feed_forward(self.norm_2(x))\nn = self.norm_1(h)\nreturn h + self.attention(n, n, n, mask)",
        "encoder_blocks_of_any_size",
        "Your feed-forward network comes first. Positions look at each other first, then each thinks about what it saw.",
    ),
    encoder_without_feed_forward=_encoder(
        "n = self.norm_1(x)\nreturn x + self.attention(n, n, n, mask)",
        "encoder_blocks_of_any_size",
        "Your block ends after the attention; the feed-forward network is missing.",
    ),
    encoder_without_attention=_encoder(
        "return x + self.feed_forward(self.norm_2(x))",
        "encoder_blocks_of_any_size",
        "Your block has no attention: no position knows of another.",
    ),
    encoder_normed_at_the_end=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)\n"
        "return self.norm_2(h + self.feed_forward(self.norm_2(h)))",
        "encoder_blocks_of_any_size",
        "Your block norms its output as well. In pre-norm only one norm follows, after the last block of the stack, and that "
        "is not the block's business.",
    ),
    encoder_keys_and_values_unnormed=_encoder(
        "h = x + self.attention(self.norm_1(x), x, x, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your keys and values come from x without the norm. In self-attention all three come from the normed x.",
    ),
    encoder_values_unnormed=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, x, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your values come from x without the norm. In self-attention all three come from the normed x.",
    ),
    encoder_queries_unnormed=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(x, n, n, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your queries come from x without the norm. In self-attention all three come from the normed x.",
    ),
    encoder_mask_unused=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_under_masks",
        "Your block does not hand its mask to the attention, so padding is read as if it were text.",
    ),
    encoder_mask_inverted=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, None if mask is None else ~mask)\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_under_masks",
        "Your mask is turned around. True means 'may look' here, and Attention takes it like that; in torch's own modules a "
        "boolean mask says what is hidden.",
    ),
    encoder_mask_hides_queries=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, None if mask is None else mask.transpose(-1, -2))\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_under_masks",
        "Your mask is transposed: it hides queries where it should hide keys. Rows are those who look, columns what they look "
        "at.",
    ),
    encoder_mask_of_the_first_row=_encoder(
        "n = self.norm_1(x)\n"
        "h = x + self.attention(n, n, n, mask if mask is None or mask.ndim == 2 else mask[0])\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_under_masks",
        "Your block uses the mask of the first sequence for all of them. Every sequence has its own padding.",
    ),
    encoder_adds_a_causal_mask=_encoder(
        "past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()\nn = self.norm_1(x)\n"
        "h = x + self.attention(n, n, n, past if mask is None else past & mask)\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your encoder block hides the future. The source is there as a whole, and every word may look at all of it.",
    ),
    encoder_zeroes_what_is_hidden=_encoder(
        "n = self.norm_1(x)\n"
        "h = x + self.attention(n, n, n, mask)\n"
        "y = h + self.feed_forward(self.norm_2(h))\n"
        "return y if mask is None else y * mask.expand(x.shape[0], x.shape[1], x.shape[1]).any(1)[..., None]",
        "encoder_blocks_under_masks",
        "Your block sets positions to zero that are not looked at. The mask belongs to the attention alone.",
    ),
    encoder_applied_twice=_encoder(
        "for _ in range(2):\n    n = self.norm_1(x)\n    x = x + self.attention(n, n, n, mask)\n"
        "    x = x + self.feed_forward(self.norm_2(x))\nreturn x",
        "encoder_blocks_of_any_size",
        "Your block runs through its two sublayers twice.",
    ),
    encoder_batch_and_time_swapped=_encoder(
        "n = self.norm_1(x).transpose(0, 1)\nh = x + self.attention(n, n, n).transpose(0, 1)\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_block_takes_rows_one_by_one",
        "Your attention runs over the batch: the sentences look at each other. The attention here takes (batch, time, "
        "d_model), so nothing needs to be exchanged.",
    ),
    encoder_cuts_the_short_way=_encoder(
        "n = self.norm_1(x)\nh = x.detach() + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_block_lets_gradients_through",
        "Your result is right, but x is detached where it goes around the attention, and that is the way on which the "
        "gradient gets through deep stacks.",
    ),
    encoder_cuts_the_attention=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask).detach()\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_block_lets_gradients_through",
        "Your result is right, but what the attention says is detached: it never learns.",
    ),
    encoder_in_place=_encoder(
        "n = self.norm_1(x)\nwith torch.no_grad():\n    x += self.attention(n, n, n, mask)\n"
        "return x + self.feed_forward(self.norm_2(x))",
        "encoder_block_leaves_its_inputs_alone",
        "Your `+=` changes the caller's x, which may still be needed as it was.",
    ),
    encoder_post_norm_around_attention=_encoder(
        "h = self.norm_1(x + self.attention(x, x, x, mask))\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your first sublayer is post-norm and your second one pre-norm. Both read the normed input, and nothing norms the sums.",
    ),
    encoder_feed_forward_reads_what_attention_said=_encoder(
        "n = self.norm_1(x)\na = self.attention(n, n, n, mask)\nh = x + a\nreturn h + self.feed_forward(self.norm_2(a))",
        "encoder_block_takes_a_batch",
        "Your feed-forward network reads what attention has said, without x. It reads norm_2 of their sum.",
    ),
    encoder_causal_where_no_mask=_encoder(
        "n = self.norm_1(x)\nif mask is None:\n"
        "    mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()\n"
        "h = x + self.attention(n, n, n, mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_blocks_of_any_size",
        "Your block makes a causal mask where it is given none. Without a mask, everyone looks at everyone.",
    ),
    encoder_in_place_under_gradients=_encoder(
        "n = self.norm_1(x)\nx += self.attention(n, n, n, mask)\nreturn x + self.feed_forward(self.norm_2(x))",
        "encoder_block_takes_a_batch",
        "Your `+=` changes the caller's x, and torch refuses it where x waits for a gradient. Make a new tensor of the sum.",
    ),
    encoder_keys_and_values_not_handed_over=_encoder(
        "h = x + self.attention(self.norm_1(x), mask=mask)\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_block_by_hand",
        "Your attention is handed the queries alone. It takes queries, keys and values; here they are three times the same.",
    ),
    encoder_takes_the_first_of_what_attention_says=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, mask)[0]\nreturn h + self.feed_forward(self.norm_2(h))",
        "encoder_block_takes_a_batch",
        "Your `[0]` takes the first sentence of what the attention returns, and adds it to all sentences. torch's own "
        "attention returns a pair; the one given here returns the output alone.",
    ),
    encoder_mask_with_an_axis_for_the_heads=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, None if mask is None else mask.unsqueeze(1))\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_block_takes_a_batch",
        "Your mask gets one more axis, as for the heads. The attention takes the mask as it comes, (batch, queries, keys).",
    ),
    encoder_mask_of_numbers=_encoder(
        "n = self.norm_1(x)\nh = x + self.attention(n, n, n, None if mask is None else mask.float())\n"
        "return h + self.feed_forward(self.norm_2(h))",
        "encoder_block_takes_a_batch",
        "Your mask is made of numbers. The attention takes truth values, as they come.",
    ),
    encoder_one_residual_around_both=_encoder(
        "n = self.norm_1(x)\nh = self.attention(n, n, n, mask)\nreturn x + self.feed_forward(self.norm_2(h))",
        "encoder_block_by_hand",
        "Your block has one residual connection around both sublayers. Each has one of its own.",
    ),
)

# MaskedDecoderBlock

SELF = "n = self.norm_1(x)\ng = x + self.self_attention(n, n, n, target_mask)\n"
CROSS = "h = g + self.cross_attention(self.norm_2(g), memory, memory, memory_mask)\n"
THINK = "return h + self.feed_forward(self.norm_3(h))"
DECODER_BODY = _block(SELF + CROSS + THINK)


def _decoder(lines: str, caught_by: str, says: str, *twins: str) -> Edit:
    """Name a mistake by the lines of the block that make it."""
    return edit(DECODER_BODY, _block(lines), caught_by, says, *twins)


DECODER = mistakes_of(
    "MaskedDecoderBlock",
    decoder_post_norm=_decoder(
        "g = self.norm_1(x + self.self_attention(x, x, x, target_mask))\n"
        "h = self.norm_2(g + self.cross_attention(g, memory, memory, memory_mask))\n"
        "return self.norm_3(h + self.feed_forward(h))",
        "decoder_blocks_of_any_size",
        "Your block is post-norm, norm(x + sublayer(x)), as in Vaswani et al. 2017. Here blocks are pre-norm, "
        "x + sublayer(norm(x)), so that x passes without a norm in its way.",
    ),
    decoder_norms_what_sublayers_say=_decoder(
        "g = x + self.norm_1(self.self_attention(x, x, x, target_mask))\n"
        "h = g + self.norm_2(self.cross_attention(g, memory, memory, memory_mask))\n"
        "return h + self.norm_3(self.feed_forward(h))",
        "decoder_blocks_of_any_size",
        "Your norms are applied to what the sublayers say. They belong in front of the sublayers.",
    ),
    decoder_cross_before_self=_decoder(
        "g = x + self.cross_attention(self.norm_2(x), memory, memory, memory_mask)\nn = self.norm_1(g)\n"
        "h = g + self.self_attention(n, n, n, target_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your block looks at the source first and at the target second. A position first finds out where in the target it "
        "stands, then asks the source.",
    ),
    decoder_attentions_in_parallel=_decoder(
        "n = self.norm_1(x)\n"
        "h = x + self.self_attention(n, n, n, target_mask)\n"
        "h = h + self.cross_attention(self.norm_2(x), memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention asks with x, side by side with the self-attention. Its queries come from what the "
        "self-attention has made of x.",
    ),
    decoder_all_in_parallel=_decoder(
        SELF + "h = g + self.cross_attention(self.norm_2(x), memory, memory, memory_mask)\n"
        "return h + self.feed_forward(self.norm_3(x))",
        "decoder_blocks_of_any_size",
        "Your sublayers all read x, side by side. Each reads what the one before it has made of x.",
    ),
    decoder_without_cross_attention=_decoder(
        SELF + "h = g\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your block never looks at the source; the cross-attention is missing.",
    ),
    decoder_without_self_attention=_decoder(
        "g = x\n" + CROSS + THINK,
        "decoder_blocks_of_any_size",
        "Your block never looks at the target so far; the self-attention is missing.",
    ),
    decoder_without_feed_forward=_decoder(
        SELF + CROSS + "return h",
        "decoder_blocks_of_any_size",
        "Your block ends after the cross-attention; the feed-forward network is missing.",
    ),
    decoder_feed_forward_between=_decoder(
        SELF + "h = g + self.feed_forward(self.norm_3(g))\n"
        "return h + self.cross_attention(self.norm_2(h), memory, memory, memory_mask)",
        "decoder_blocks_of_any_size",
        "Your feed-forward network stands between the two attentions. It comes last.",
    ),
    target_mask_unused=_decoder(
        "n = self.norm_1(x)\ng = x + self.self_attention(n, n, n)\n" + CROSS + THINK,
        "decoder_blocks_under_both_masks",
        "Your block does not hand target_mask to the self-attention: while it learns it reads the very words it is to "
        "predict.",
    ),
    memory_mask_unused=_decoder(
        SELF + "h = g + self.cross_attention(self.norm_2(g), memory, memory)\n" + THINK,
        "decoder_blocks_under_both_masks",
        "Your block does not hand memory_mask to the cross-attention, so the padding of the source is read as if it were "
        "text.",
    ),
    both_masks_unused=_decoder(
        "n = self.norm_1(x)\ng = x + self.self_attention(n, n, n)\n"
        "h = g + self.cross_attention(self.norm_2(g), memory, memory)\n" + THINK,
        "decoder_blocks_under_both_masks",
        "Your block uses neither of its masks. One belongs to each attention.",
    ),
    decoder_masks_swapped=_decoder(
        "n = self.norm_1(x)\ng = x + self.self_attention(n, n, n, memory_mask)\n"
        "h = g + self.cross_attention(self.norm_2(g), memory, memory, target_mask)\n" + THINK,
        "equal_lengths_hide_no_mask",
        "Your masks have changed places: target_mask belongs to the self-attention, memory_mask to the cross-attention.",
    ),
    target_mask_in_cross_attention=_decoder(
        SELF + "h = g + self.cross_attention(self.norm_2(g), memory, memory, target_mask)\n" + THINK,
        "equal_lengths_hide_no_mask",
        "Your cross-attention uses target_mask. Which words of the source may be read stands in memory_mask; the source is "
        "there as a whole, so nothing in it is the future.",
    ),
    target_mask_inverted=_decoder(
        "n = self.norm_1(x)\ng = x + self.self_attention(n, n, n, None if target_mask is None else ~target_mask)\n"
        + CROSS
        + THINK,
        "decoder_blocks_under_both_masks",
        "Your target_mask is turned around, so positions look only at what is hidden from them. True means 'may look' here; "
        "in torch's own modules a boolean mask says what is hidden.",
    ),
    memory_mask_inverted=_decoder(
        SELF
        + "m = None if memory_mask is None else ~memory_mask\n"
        + "h = g + self.cross_attention(self.norm_2(g), memory, memory, m)\n"
        + THINK,
        "decoder_blocks_under_both_masks",
        "Your memory_mask is turned around, so only the padding of the source is read. True means 'may look' here; in torch's "
        "own modules a boolean mask says what is hidden.",
    ),
    target_mask_transposed=_decoder(
        "n = self.norm_1(x)\n"
        "g = x + self.self_attention(n, n, n, None if target_mask is None else target_mask.transpose(-1, -2))\n"
        + CROSS
        + THINK,
        "decoder_blocks_under_both_masks",
        "Your target_mask is transposed. Rows are those who look, columns what they look at.",
    ),
    decoder_adds_a_causal_mask=_decoder(
        "past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()\nn = self.norm_1(x)\n"
        "g = x + self.self_attention(n, n, n, past if target_mask is None else past & target_mask)\n" + CROSS + THINK,
        "target_mask_is_taken_as_it_is",
        "Your block adds a causal mask of its own. It is handed a complete one; who makes it is the model, not the block.",
    ),
    decoder_memory_mask_of_the_first_row=_decoder(
        SELF
        + "m = memory_mask if memory_mask is None or memory_mask.ndim == 2 else memory_mask[0]\n"
        + "h = g + self.cross_attention(self.norm_2(g), memory, memory, m)\n"
        + THINK,
        "memory_mask_alone",
        "Your block uses the memory mask of the first source for all of them. Every source has its own padding.",
    ),
    cross_attention_reads_the_target=_decoder(
        SELF + "m = self.norm_2(g)\nh = g + self.cross_attention(m, m, m)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention takes keys and values from the target, like a second self-attention. They come from memory.",
    ),
    cross_attention_roles_swapped=_decoder(
        SELF
        + "m = self.norm_2(g)\nT = min(x.shape[1], memory.shape[1])\ncrossed = self.cross_attention(memory, m, m)\n"
        + "h = g.clone()\nh[:, :T] = h[:, :T] + crossed[:, :T]\n"
        + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention asks with memory and reads the target. It is the target that asks, and memory that answers: "
        "the output has one row for each query.",
    ),
    memory_normed_again=_decoder(
        SELF + "m = self.norm_2(memory)\nh = g + self.cross_attention(self.norm_2(g), m, m, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your block norms memory. It has been through the encoder's final norm, and is ready for use.",
    ),
    cross_keys_normed_again=_decoder(
        SELF + "h = g + self.cross_attention(self.norm_2(g), self.norm_2(memory), memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your keys are normed, your values not. Both are memory as it is.",
    ),
    cross_queries_unnormed=_decoder(
        SELF + "h = g + self.cross_attention(g, memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention asks with g without the norm before it.",
    ),
    cross_queries_from_x=_decoder(
        SELF + "h = g + self.cross_attention(n, memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention asks with norm_1(x), what the self-attention has read. It asks with norm_2 of what came out of "
        "that.",
    ),
    decoder_self_attention_reads_unnormed=_decoder(
        "g = x + self.self_attention(x, x, x, target_mask)\n" + CROSS + THINK,
        "decoder_blocks_of_any_size",
        "Your self-attention reads x without the norm before it.",
    ),
    decoder_feed_forward_reads_unnormed=_decoder(
        SELF + CROSS + "return h + self.feed_forward(h)",
        "decoder_blocks_of_any_size",
        "Your feed-forward network reads h without the norm before it.",
    ),
    decoder_without_norms=_decoder(
        "g = x + self.self_attention(x, x, x, target_mask)\n"
        "h = g + self.cross_attention(g, memory, memory, memory_mask)\nreturn h + self.feed_forward(h)",
        "decoder_blocks_of_any_size",
        "Your block has no norms. Each sublayer reads its input through a norm of its own.",
    ),
    decoder_one_norm_for_all=_decoder(
        SELF
        + "h = g + self.cross_attention(self.norm_1(g), memory, memory, memory_mask)\n"
        + "return h + self.feed_forward(self.norm_1(h))",
        "decoder_blocks_of_any_size",
        "Your sublayers share norm_1. Each has a norm of its own, with a scale and a shift of its own.",
    ),
    decoder_last_norms_swapped=_decoder(
        SELF
        + "h = g + self.cross_attention(self.norm_3(g), memory, memory, memory_mask)\n"
        + "return h + self.feed_forward(self.norm_2(h))",
        "decoder_blocks_of_any_size",
        "Your norm_2 and norm_3 have changed places: norm_2 belongs to the cross-attention, norm_3 to the feed-forward "
        "network.",
    ),
    decoder_second_norm_used_twice=_decoder(
        SELF + CROSS + "return h + self.feed_forward(self.norm_2(h))",
        "decoder_blocks_of_any_size",
        "Your feed-forward network reads through norm_2, which belongs to the cross-attention. Its own is norm_3.",
    ),
    decoder_normed_at_the_end=_decoder(
        SELF + CROSS + "return self.norm_3(h + self.feed_forward(self.norm_3(h)))",
        "decoder_blocks_of_any_size",
        "Your block norms its output as well. In pre-norm only one norm follows, after the last block of the stack, and that "
        "is not the block's business.",
    ),
    decoder_without_residuals=_decoder(
        "n = self.norm_1(x)\ng = self.self_attention(n, n, n, target_mask)\n"
        "h = self.cross_attention(self.norm_2(g), memory, memory, memory_mask)\n"
        "return self.feed_forward(self.norm_3(h))",
        "decoder_blocks_of_any_size",
        "Your block has no residual connections: x does not go around the sublayers, and neither does the gradient.",
    ),
    decoder_no_residual_around_self_attention=_decoder(
        "n = self.norm_1(x)\ng = self.self_attention(n, n, n, target_mask)\n" + CROSS + THINK,
        "decoder_blocks_of_any_size",
        "Your self-attention has no residual connection: a position forgets which word it was.",
    ),
    decoder_no_residual_around_cross_attention=_decoder(
        SELF + "h = self.cross_attention(self.norm_2(g), memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention has no residual connection: what was found out about the target is replaced by the source.",
    ),
    decoder_no_residual_around_feed_forward=_decoder(
        SELF + CROSS + "return self.feed_forward(self.norm_3(h))",
        "decoder_blocks_of_any_size",
        "Your feed-forward network has no residual connection.",
    ),
    decoder_residuals_from_the_normed=_decoder(
        "n = self.norm_1(x)\ng = n + self.self_attention(n, n, n, target_mask)\n"
        "m = self.norm_2(g)\nh = m + self.cross_attention(m, memory, memory, memory_mask)\n"
        "k = self.norm_3(h)\nreturn k + self.feed_forward(k)",
        "decoder_blocks_of_any_size",
        "Your sublayers' outputs are added to the normed inputs. They are added to the inputs as they were.",
    ),
    decoder_cross_residual_from_x=_decoder(
        SELF + "h = x + self.cross_attention(self.norm_2(g), memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your second sum starts from x again, so what the self-attention found out is not in it.",
    ),
    decoder_cross_residual_from_the_normed=_decoder(
        SELF + "m = self.norm_2(g)\nh = m + self.cross_attention(m, memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your cross-attention's output is added to norm_2(g). It is added to g as it was.",
    ),
    decoder_last_residual_from_g=_decoder(
        SELF + CROSS + "return g + self.feed_forward(self.norm_3(h))",
        "decoder_blocks_of_any_size",
        "Your last sum starts from g, so what the cross-attention brought from the source is not in it.",
    ),
    decoder_one_attention_for_both=_decoder(
        SELF + "h = g + self.self_attention(self.norm_2(g), memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your block uses self_attention for both. cross_attention has weights of its own.",
    ),
    decoder_attentions_swapped=_decoder(
        "n = self.norm_1(x)\ng = x + self.cross_attention(n, n, n, target_mask)\n"
        "h = g + self.self_attention(self.norm_2(g), memory, memory, memory_mask)\n" + THINK,
        "decoder_blocks_of_any_size",
        "Your two attentions have changed places: the one called self_attention reads the target, the one called "
        "cross_attention reads memory.",
    ),
    memory_cut_off=_decoder(
        SELF + "m = memory.detach()\nh = g + self.cross_attention(self.norm_2(g), m, m, memory_mask)\n" + THINK,
        "gradients_reach_the_memory",
        "Your result is right, but memory is detached: the encoder gets no gradient, and never learns.",
    ),
    target_cut_off=_decoder(
        "x = x.detach()\n" + SELF + CROSS + THINK,
        "gradients_reach_the_target",
        "Your result is right, but x is detached: the blocks below, and the embedding, get no gradient from this one.",
    ),
    residual_cut_off=_decoder(
        SELF.replace("g = x +", "g = x.detach() +") + CROSS + THINK,
        "gradients_reach_the_target",
        "Your residual connection adds a detached x, so the gradient loses its shortest way to the blocks below.",
    ),
    self_attention_cut_off=_decoder(
        SELF.replace("target_mask)", "target_mask).detach()") + CROSS + THINK,
        "gradients_reach_the_self_attention",
        "Your result is right, but what the self-attention says is detached: it never learns.",
    ),
    cross_attention_cut_off=_decoder(
        SELF + "h = g + self.cross_attention(self.norm_2(g), memory, memory, memory_mask).detach()\n" + THINK,
        "gradients_reach_the_cross_attention",
        "Your result is right, but what the cross-attention says is detached: neither it nor the encoder ever learns.",
    ),
    decoder_in_place=_decoder(
        "n = self.norm_1(x)\nwith torch.no_grad():\n    x += self.self_attention(n, n, n, target_mask)\ng = x\n"
        + CROSS
        + THINK,
        "decoder_block_leaves_its_inputs_alone",
        "Your `+=` changes the caller's x, which may still be needed as it was.",
    ),
    cross_attention_of_the_target_alone=edit(
        "self.cross_attention(self.norm_2(g), memory, memory, memory_mask)",
        "self.cross_attention(*[self.norm_2(g)] * 3, memory_mask)",
        "decoder_blocks_of_any_size",
        "Your cross-attention takes queries, keys and values from the target, under the mask of the memory. "
        "Keys and values come from memory.",
    ),
    cross_queries_by_the_first_norm=_decoder(
        SELF
        + "h = g + self.cross_attention(self.norm_1(g), memory, memory, memory_mask)\nreturn h + self.feed_forward(self.norm_3(h))",
        "decoder_blocks_of_any_size",
        "Your cross-attention reads norm_1(g). Each sublayer has a norm of its own.",
    ),
    decoder_feed_forward_reads_g=_decoder(
        SELF + CROSS + "return h + self.feed_forward(self.norm_3(g))",
        "decoder_blocks_of_any_size",
        "Your feed-forward network reads norm_3(g), so it does not know what cross-attention has found. It reads norm_3(h).",
    ),
    decoder_causal_where_no_mask=_decoder(
        "if target_mask is None:\n"
        "    target_mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()\n"
        + SELF
        + CROSS
        + THINK,
        "decoder_blocks_of_any_size",
        "Your block makes a causal mask where it is given none. The masks are complete; None hides nothing.",
    ),
    decoder_keys_and_values_unnormed=_decoder(
        "n = self.norm_1(x)\ng = x + self.self_attention(n, x, x, target_mask)\n" + CROSS + THINK,
        "decoder_blocks_of_any_size",
        "Your self-attention takes keys and values from x as it was. All three come from norm_1(x).",
    ),
    decoder_first_residual_from_the_normed=_decoder(
        "n = self.norm_1(x)\ng = n + self.self_attention(n, n, n, target_mask)\n" + CROSS + THINK,
        "decoder_blocks_of_any_size",
        "Your first sum starts from the normed x. It starts from x as it was.",
    ),
    decoder_in_place_under_gradients=_decoder(
        "n = self.norm_1(x)\nx += self.self_attention(n, n, n, target_mask)\ng = x\n" + CROSS + THINK,
        "decoder_block_takes_a_batch",
        "Your `+=` changes the caller's x, and torch refuses it where x waits for a gradient. Make a new tensor of the sum.",
    ),
    cross_attention_asked_by_the_memory=_decoder(
        SELF + "m = self.norm_2(g)\nh = g + self.cross_attention(memory, m, m, memory_mask)\n" + THINK,
        "decoder_block_takes_a_batch",
        "Your cross-attention asks with memory and reads the target, so it has a row for each word of the source. It is the "
        "target that asks, and memory that answers.",
    ),
    cross_attention_without_values=_decoder(
        SELF + "h = g + self.cross_attention(self.norm_2(g), memory, memory_mask)\n" + THINK,
        "decoder_block_by_hand",
        "Your cross-attention is handed memory once, so the mask stands where the values belong. Keys and values are both "
        "memory.",
    ),
    decoder_takes_the_first_of_what_attention_says=_decoder(
        "n = self.norm_1(x)\ng = x + self.self_attention(n, n, n, target_mask)[0]\n"
        "h = g + self.cross_attention(self.norm_2(g), memory, memory, memory_mask)[0]\n" + THINK,
        "decoder_block_takes_a_batch",
        "Your `[0]` takes the first sentence of what an attention returns, and adds it to all sentences. torch's own "
        "attention returns a pair; the one given here returns the output alone.",
    ),
    self_attention_added_once_more=_decoder(
        "n = self.norm_1(x)\ng = residual(x, lambda _: self.self_attention(n, n, n, target_mask))\n"
        "h = residual(g, lambda _: self.cross_attention(self.norm_2(g), memory, memory, memory_mask))\n"
        "return g + residual(h, lambda _: self.feed_forward(self.norm_3(h)))",
        "decoder_block_takes_a_batch",
        "Your last sum adds g once more. h has it already: each sum is what came in plus what its part says.",
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


TRANSFORMER = mistakes_of(
    "Transformer",
    embedding_not_scaled=edit(
        WORD_VECTORS,
        "return embedding(ids) + positions[: ids.shape[1]]",
        "encoders_without_padding",
        "Your word vectors are not multiplied by sqrt(d_model), as section 3.4 of the paper has it.",
    ),
    embedding_scaled_by_d_model=edit(
        WORD_VECTORS,
        "return embedding(ids) * embedding.embedding_dim + positions[: ids.shape[1]]",
        "encoders_without_padding",
        "Your word vectors are multiplied by d_model; it is by its root.",
    ),
    embedding_divided=edit(
        WORD_VECTORS,
        "return embedding(ids) / embedding.embedding_dim**0.5 + positions[: ids.shape[1]]",
        "encoders_without_padding",
        "Your word vectors are divided by sqrt(d_model). Scores are divided by such a root; word vectors are multiplied, so "
        "that the positions do not drown them.",
    ),
    source_words_not_scaled=edit(
        EMBED_SRC,
        "x = self.src_embedding(src) + self.positions[: src.shape[1]]",
        "encoders_without_padding",
        "Your `encode` leaves the word vectors as they are. It multiplies them by sqrt(d_model), as `decode` does.",
    ),
    positions_scaled_too=edit(
        WORD_VECTORS,
        "return (embedding(ids) + positions[: ids.shape[1]]) * embedding.embedding_dim**0.5",
        "encoders_without_padding",
        "Your positions are multiplied by sqrt(d_model), too. Only the word vectors are; then the positions are added.",
    ),
    positions_missing=edit(
        WORD_VECTORS,
        "return embedding(ids) * embedding.embedding_dim**0.5",
        "encoders_without_padding",
        "Your words have no positions. Attention knows no order, so all orders of the same words would be the same.",
    ),
    positions_from_one=edit(
        WORD_VECTORS,
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words + positions[1 : ids.shape[1] + 1]",
        "encoders_without_padding",
        "Your first word has position 1. Positions are counted from 0.",
    ),
    positions_multiplied=edit(
        WORD_VECTORS,
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words * positions[: ids.shape[1]]",
        "encoders_without_padding",
        "Your positions are multiplied with the word vectors. They are added.",
    ),
    one_position_for_all=edit(
        WORD_VECTORS,
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words + positions[ids.shape[1] - 1]",
        "encoders_without_padding",
        "Your words all get the same position, that of the last one. Each has its own row of the table.",
    ),
    positions_by_id=edit(
        WORD_VECTORS,
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words + positions[ids]",
        "encoders_without_padding",
        "Your table of positions is read at the ids of the words. It is read at their places, 0, 1, 2 and so on.",
    ),
    positions_backwards=edit(
        WORD_VECTORS,
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words + positions[: ids.shape[1]].flip(0)",
        "encoders_without_padding",
        "Your positions are counted from the end. The first word has position 0.",
    ),
    positions_skip_padding=edit(
        WORD_VECTORS,
        "words = embedding(ids) * embedding.embedding_dim**0.5\n"
        "    return words + positions[((ids != PAD).cumsum(1) - 1).clamp(min=0)]",
        "encoders_with_padding",
        "Your positions count words only and skip padding. Here a position is the place in the row, whatever stands there.",
    ),
    positions_missing_in_the_target=edit(
        EMBED_TGT,
        "y = self.tgt_embedding(tgt) * self.d_model**0.5",
        "decoders_without_padding",
        "Your decoder's words have no positions. Both sides get them.",
    ),
    positions_missing_in_the_source=edit(
        EMBED_SRC,
        "x = self.src_embedding(src) * self.d_model**0.5",
        "encoders_without_padding",
        "Your encoder's words have no positions. Both sides get them.",
    ),
    target_not_scaled=edit(
        EMBED_TGT,
        "y = self.tgt_embedding(tgt) + self.positions[: tgt.shape[1]]",
        "decoders_without_padding",
        "Your target's word vectors are not multiplied by sqrt(d_model). Both sides' are.",
    ),
    source_embedding_for_the_target=edit(
        EMBED_TGT,
        "y = _embed(tgt.clamp(max=self.src_embedding.num_embeddings - 1), self.src_embedding, self.positions)",
        "decoders_without_padding",
        "Your target's words are looked up in the embedding of the source. The two languages have their own.",
    ),
    padding_hides_queries=edit(
        NOT_PADDING,
        "return (ids != PAD)[:, :, None].expand(-1, -1, ids.shape[1])",
        "encoders_with_padding",
        "Your padding mask hides the queries of padding, not its keys: real words still look at padding. One row for all "
        "queries, (batch, 1, T), says who may be looked at.",
    ),
    padding_mask_inverted=edit(
        NOT_PADDING,
        "return (ids == PAD)[:, None, :]",
        "encoders_without_padding",
        "Your padding mask is turned around: only padding may be looked at. True means 'may look' here; torch's "
        "key_padding_mask has it the other way.",
    ),
    padding_ignored=edit(
        NOT_PADDING,
        "return torch.ones_like(ids, dtype=torch.bool)[:, None, :]",
        "encoders_with_padding",
        "Your model reads padding as if it were text. Every mask leaves it out: in the encoder, and in both attentions of "
        "the decoder.",
    ),
    first_word_taken_for_padding=edit(
        NOT_PADDING,
        "return (ids > 1)[:, None, :]",
        "encoders_without_padding",
        "Your model takes the id 1 for padding. PAD is 0.",
    ),
    source_padding_read_by_the_encoder=edit(
        REAL, "real = None\n", "encoders_with_padding", "Your encoder reads padding: its blocks get no mask."
    ),
    encoder_hides_the_future=edit(
        REAL,
        "real = _not_padding(src) & torch.ones(src.shape[1], src.shape[1], dtype=torch.bool, device=src.device).tril()\n",
        "encoders_without_padding",
        "Your encoder hides later words from earlier ones. The source is there as a whole; only the target is written from "
        "left to right.",
    ),
    encoder_final_norm_missing=edit(
        ENCODER_STACK,
        "for block in self.encoder:\n            x = block(x, real)\n        return x",
        "encoders_without_padding",
        "Your encoder has no norm after its last block. Pre-norm blocks leave their sums as they are, so one norm is due at "
        "the end.",
    ),
    encoder_norm_after_every_block=edit(
        ENCODER_STACK,
        "for block in self.encoder:\n            x = self.encoder_norm(block(x, real))\n        return x",
        "encoders_without_padding",
        "Your encoder's norm is applied after every block. It comes once, after the last.",
    ),
    encoder_norm_first=edit(
        ENCODER_STACK,
        "x = self.encoder_norm(x)\n        for block in self.encoder:\n            x = block(x, real)\n        return x",
        "encoders_without_padding",
        "Your encoder's norm comes before the blocks. It comes after the last one.",
    ),
    decoder_norm_in_the_encoder=edit(
        ENCODER_STACK,
        "for block in self.encoder:\n            x = block(x, real)\n        return self.decoder_norm(x)",
        "encoders_without_padding",
        "Your encoder ends with decoder_norm. Its own is encoder_norm.",
    ),
    only_the_first_encoder_block=edit(
        ENCODER_STACK,
        "return self.encoder_norm(self.encoder[0](x, real))",
        "encoders_without_padding",
        "Your encoder uses its first block only.",
    ),
    only_the_last_encoder_block_counts=edit(
        ENCODER_STACK,
        "for block in self.encoder:\n            memory = block(x, real)\n        return self.encoder_norm(memory)",
        "encoders_without_padding",
        "Your encoder's blocks all read the embedded words, and only the last one's output is kept. Each block reads what the "
        "one before it has made.",
    ),
    encoder_blocks_in_reverse=edit(
        ENCODER_STACK,
        "for block in reversed(self.encoder):\n            x = block(x, real)\n        return self.encoder_norm(x)",
        "encoders_without_padding",
        "Your encoder runs its blocks from the last to the first.",
    ),
    one_encoder_block_again_and_again=edit(
        ENCODER_STACK,
        "for _ in self.encoder:\n            x = self.encoder[0](x, real)\n        return self.encoder_norm(x)",
        "encoders_without_padding",
        "Your encoder runs its first block again and again. Each layer has its own.",
    ),
    future_visible=edit(
        PAST,
        "causal = torch.ones(length, length, dtype=torch.bool, device=tgt.device)",
        "the_future_cannot_leak",
        "Your decoder sees the future: there is no causal mask. While it learns, the answer stands right there, and it "
        "learns to copy.",
    ),
    next_word_visible=edit(
        PAST,
        "causal = torch.ones(length, length, dtype=torch.bool, device=tgt.device).tril(1)",
        "the_future_cannot_leak",
        "Your causal mask lets each position see one word too many: the very one it has to predict.",
    ),
    own_word_hidden=edit(
        PAST,
        "causal = torch.ones(length, length, dtype=torch.bool, device=tgt.device).tril(-1)",
        "decoders_without_padding",
        "Your causal mask hides each position from itself. By the time it predicts the next word, its own has been read.",
    ),
    past_hidden=edit(
        PAST,
        "causal = torch.ones(length, length, dtype=torch.bool, device=tgt.device).triu()",
        "the_future_cannot_leak",
        "Your causal mask is upside down: positions see themselves and the future.",
    ),
    causal_mask_of_the_first_call=edit(
        "causal = torch.ones(length, length, dtype=torch.bool, device=tgt.device).tril()",
        "if not hasattr(self, 'kept'):\n"
        "            self.kept = torch.ones(length, length, dtype=torch.bool, device=tgt.device).tril()\n"
        "        causal = self.kept[:length, :length]",
        "each_target_has_a_length_of_its_own",
        "Your causal mask is made for the first target and kept, so it does not fit a longer one, and after a target of one word it "
        "hides nothing. Make it as large as the target of each call.",
    ),
    causal_mask_inverted=edit(
        PAST,
        "causal = ~torch.ones(length, length, dtype=torch.bool, device=tgt.device).tril()",
        "the_future_cannot_leak",
        "Your causal mask says what is hidden, as torch's own modules take it. Here True means 'may look'.",
    ),
    target_padding_read=edit(
        TARGET_MASK,
        "target_mask = causal",
        "decoders_of_padded_targets",
        "Your decoder reads padding in the target. At the end of a row the causal mask hides it, but padding may stand "
        "elsewhere.",
    ),
    either_mask_is_enough=edit(
        TARGET_MASK,
        "target_mask = causal | _not_padding(tgt)",
        "the_future_cannot_leak",
        "Your two masks are joined by `or`, so what one of them hides the other shows. Both have to allow it.",
    ),
    source_padding_read_by_the_decoder=edit(
        MEMORY_MASK,
        "memory_mask = None\n",
        "decoders_of_padded_sources",
        "Your decoder reads the padding of the source: its blocks get no memory_mask. The encoder's own mask does not help "
        "there, as memory has a vector for every position.",
    ),
    masks_handed_over_in_the_wrong_order=edit(
        DECODER_STACK,
        "for block in self.decoder:\n            y = block(y, memory, memory_mask, target_mask)\n",
        "equal_sizes_hide_no_slip_of_the_model",
        "Your decoder hands the two masks to its blocks in the wrong order: first the target's, then the memory's.",
    ),
    only_the_last_decoder_block_counts=edit(
        DECODER_STACK,
        "embedded = y\n        for block in self.decoder:\n            y = block(embedded, memory, target_mask, memory_mask)\n",
        "decoders_without_padding",
        "Your decoder's blocks all read the embedded words, and only the last one's output is kept. Each block reads what the "
        "one before it has made.",
    ),
    only_the_first_decoder_block=edit(
        DECODER_STACK,
        "y = self.decoder[0](y, memory, target_mask, memory_mask)\n",
        "decoders_without_padding",
        "Your decoder uses its first block only.",
    ),
    decoder_blocks_in_reverse=edit(
        DECODER_STACK,
        "for block in reversed(self.decoder):\n            y = block(y, memory, target_mask, memory_mask)\n",
        "decoders_without_padding",
        "Your decoder runs its blocks from the last to the first.",
    ),
    memory_for_the_first_block_only=edit(
        DECODER_STACK,
        "for block in self.decoder:\n            y = block(y, memory, target_mask, memory_mask)\n"
        "            memory = torch.zeros_like(memory)\n",
        "decoders_without_padding",
        "Your decoder hands memory to its first block only. Every block reads all of it.",
    ),
    decoder_reads_the_embedded_source=edit(
        DECODER_STACK,
        "memory = _embed(src, self.src_embedding, self.positions)\n"
        "        for block in self.decoder:\n            y = block(y, memory, target_mask, memory_mask)\n",
        "decoders_without_padding",
        "Your decoder embeds the source by itself and reads that. It reads memory; src is there for its padding.",
    ),
    decoder_encodes_again=edit(
        DECODER_STACK,
        "memory = self.encode(src)\n"
        "        for block in self.decoder:\n            y = block(y, memory, target_mask, memory_mask)\n",
        "decoders_without_padding",
        "Your decoder encodes the source again and does not use the memory that it is given. Greedy decoding would then "
        "encode the source once for every word.",
    ),
    decoder_final_norm_missing=edit(
        LOGITS,
        "return self.output(y)",
        "decoders_without_padding",
        "Your decoder has no norm after its last block. Pre-norm blocks leave their sums as they are, so one norm is due "
        "before the output map.",
    ),
    encoder_norm_in_the_decoder=edit(
        LOGITS,
        "return self.output(self.encoder_norm(y))",
        "decoders_without_padding",
        "Your decoder ends with encoder_norm. Its own is decoder_norm.",
    ),
    output_map_missing=edit(
        LOGITS,
        "return self.decoder_norm(y)",
        "decoders_without_padding",
        "Your decoder returns vectors of d_model features. The output map makes logits of them, one for each word.",
    ),
    output_tied_to_the_embedding=edit(
        LOGITS,
        "return self.decoder_norm(y) @ self.tgt_embedding.weight.T",
        "decoders_without_padding",
        "Your logits are made with the weights of the target's embedding. Many models share them, also that of the paper; "
        "this one has an output map of its own.",
    ),
    softmax_on_the_logits=edit(
        LOGITS,
        "return torch.softmax(self.output(self.decoder_norm(y)), dim=-1)",
        "decoders_without_padding",
        "Your decoder returns probabilities. It returns logits; losses take those, and greedy decoding does not mind.",
    ),
    log_softmax_on_the_logits=edit(
        LOGITS,
        "return torch.log_softmax(self.output(self.decoder_norm(y)), dim=-1)",
        "decoders_without_padding",
        "Your decoder returns log-probabilities. It returns logits, as the output map gives them.",
    ),
    only_the_last_logits=edit(
        LOGITS,
        "return self.output(self.decoder_norm(y))[:, -1]",
        "decoders_without_padding",
        "Your decoder returns logits for the last position only. Learning needs those of every position, all at once.",
    ),
    source_and_target_swapped=edit(
        BOTH,
        "memory = self.encode(tgt.clamp(max=self.src_embedding.num_embeddings - 1))\n"
        "        return self.decode(src.clamp(max=self.tgt_embedding.num_embeddings - 1), memory, tgt)",
        "models_from_end_to_end",
        "Your forward takes the target first. Source first, then target.",
    ),
    forward_returns_the_memory_too=edit(
        BOTH,
        "memory = self.encode(src)\n        return self.decode(tgt, memory, src), memory",
        "models_from_end_to_end",
        "Your forward returns two things. It returns the logits alone.",
    ),
    forward_shifts_the_target=edit(
        BOTH,
        "memory = self.encode(src)\n        return self.decode(tgt[:, :-1], memory, src)",
        "models_from_end_to_end",
        "Your forward drops the last word of the target. To shift the target is the business of the training loop; the model "
        "takes what it is given.",
    ),
    encoder_cut_off=edit(
        BOTH,
        "memory = self.encode(src).detach()\n        return self.decode(tgt, memory, src)",
        "source_words_can_learn",
        "Your logits are right, but memory is detached: the encoder never learns.",
    ),
    source_padding_overwritten=edit(
        EMBED_SRC,
        "x = _embed(src, self.src_embedding, self.positions)\n        src[src == 0] = 1",
        "model_leaves_its_inputs_alone",
        "Your model changes the ids that it is given. The code that calls it has lost the padding.",
    ),
    positions_scaled_in_the_source=edit(
        "x = _embed(src, self.src_embedding, self.positions)",
        "x = (self.src_embedding(src) + self.positions[: src.shape[1]]) * self.d_model**0.5",
        "encoders_without_padding",
        "Your encoder multiplies the positions by sqrt(d_model), too. Only the word vectors are; then the "
        "positions are added.",
    ),
    positions_scaled_in_the_target=edit(
        "y = _embed(tgt, self.tgt_embedding, self.positions)",
        "y = (self.tgt_embedding(tgt) + self.positions[: tgt.shape[1]]) * self.d_model**0.5",
        "decoders_without_padding",
        "Your decoder multiplies the positions by sqrt(d_model), too. Only the word vectors are; then the "
        "positions are added.",
    ),
    source_mask_without_a_query_axis=edit(
        "        real = _not_padding(src)",
        "        real = _not_padding(src)[:, 0]",
        "small_model_from_end_to_end",
        "Your encoder hands on a padding mask (batch, T_s). Attention wants (batch, queries, keys): give it an "
        "axis of length one for the queries, (batch, 1, T_s).",
    ),
    memory_mask_without_a_query_axis=edit(
        "        memory_mask = _not_padding(src)",
        "        memory_mask = _not_padding(src)[:, 0]",
        "small_model_from_end_to_end",
        "Your decoder hands on a padding mask of the source (batch, T_s). Attention wants (batch, queries, keys): "
        "give it an axis of length one for the queries, (batch, 1, T_s).",
    ),
    target_padding_hides_queries=edit(
        TARGET_MASK,
        "target_mask = causal & (tgt != PAD)[:, :, None]",
        "words_behind_padding",
        "Your decoder's padding mask hides rows, the queries at padding: real words still look at padding before them. It hides "
        "columns, the keys.",
    ),
    source_padding_hides_queries=edit(
        REAL,
        "real = (src != PAD)[:, :, None].expand(-1, -1, src.shape[1])\n",
        "small_model_from_end_to_end",
        "Your encoder's padding mask hides rows, the queries at padding: real words still look at padding. It hides columns, the "
        "keys.",
    ),
    causal_mask_on_the_memory=edit(
        MEMORY_MASK,
        "memory_mask = _not_padding(src) & torch.ones(length, src.shape[1], dtype=torch.bool, device=src.device).tril()\n",
        "small_model_decodes",
        "Your causal mask lies on the memory as well, so the n-th word of the target sees n words of the source. The source is there "
        "as a whole.",
    ),
    one_decoder_block_again_and_again=edit(
        DECODER_STACK,
        "for _ in self.decoder:\n            y = self.decoder[0](y, memory, target_mask, memory_mask)\n",
        "small_model_decodes",
        "Your decoder runs its first block again and again. Each layer has its own.",
    ),
    decoder_norm_after_every_block=edit(
        f"{DECODER_STACK}        {LOGITS}",
        "for block in self.decoder:\n"
        "            y = self.decoder_norm(block(y, memory, target_mask, memory_mask))\n"
        "        return self.output(y)",
        "small_model_decodes",
        "Your decoder's norm is applied after every block. It comes once, after the last.",
    ),
    words_scaled_by_their_number=edit(
        WORD_VECTORS,
        "words = embedding(ids) * embedding.num_embeddings**0.5\n    return words + positions[: ids.shape[1]]",
        "small_model_encodes",
        "Your word vectors are multiplied by the root of the number of words. It is by sqrt(d_model), the number of features.",
    ),
    decoder_norm_without_scale_and_shift=edit(
        LOGITS,
        "return self.output(torch.nn.functional.layer_norm(y, y.shape[-1:]))",
        "small_model_decodes",
        "Your decoder's last norm has no scale and shift of its own. It is decoder_norm, which has learned both.",
    ),
    padding_counted_at_the_end=edit(
        NOT_PADDING,
        "real = (ids != PAD).sum(dim=1, keepdim=True)\n"
        "    return (torch.arange(ids.shape[1], device=ids.device) < real)[:, None, :]",
        "words_behind_padding",
        "Your masks count the words of a row and take them to stand at its beginning. Padding may stand in front.",
    ),
    words_behind_padding_hidden=edit(
        NOT_PADDING,
        "return (ids != PAD).cumprod(dim=1).bool()[:, None, :]",
        "words_behind_padding",
        "Your masks hide everything from the first padding on. Words may stand behind it.",
    ),
    positions_added_before_every_block=edit(
        "for block in self.encoder:\n            x = block(x, real)\n",
        "for block in self.encoder:\n            x = block(x + self.positions[: src.shape[1]], real)\n",
        "small_model_encodes",
        "Your positions are added again before every block. They are added once, to the words.",
    ),
    encoder_blocks_inside_another_sum=edit(
        "for block in self.encoder:\n            x = block(x, real)\n",
        "for block in self.encoder:\n            x = x + block(x, real)\n",
        "small_model_encodes",
        "You add what each block returns to its input. The block has done so already, inside.",
    ),
    decoder_blocks_inside_another_sum=edit(
        DECODER_STACK,
        "for block in self.decoder:\n            y = y + block(y, memory, target_mask, memory_mask)\n",
        "small_model_decodes",
        "You add what each block of the decoder returns to its input. The block has done so already, inside.",
    ),
    target_positions_after_the_source=edit(
        EMBED_TGT,
        "y = _embed(tgt, self.tgt_embedding, self.positions[src.shape[1] :])",
        "small_model_decodes",
        "Your positions of the target go on where those of the source end. Both are counted from 0.",
    ),
    padding_is_never_said=edit(
        LOGITS,
        "return self.output(self.decoder_norm(y)).index_fill(-1, torch.tensor([PAD], device=tgt.device), float('-inf'))",
        "small_model_decodes",
        "Your logits of padding are minus infinity. The logits are what the output map says, for every word.",
    ),
    output_bias_missing=edit(
        LOGITS,
        "return self.decoder_norm(y) @ self.output.weight.T",
        "small_model_decodes",
        "Your output map lacks its bias. Call self.output as it is.",
    ),
    forward_chooses_the_words=edit(
        BOTH,
        "memory = self.encode(src)\n        return self.decode(tgt, memory, src).argmax(dim=-1)",
        "small_model_from_end_to_end",
        "Your model returns the ids of the best words. It is to return the logits; the choice comes later.",
    ),
    forward_turned_for_the_loss=edit(
        BOTH,
        "memory = self.encode(src)\n        return self.decode(tgt, memory, src).transpose(1, 2)",
        "small_model_from_end_to_end",
        "Your logits have the vocabulary in the middle, as torch's cross-entropy wants it. Here it is the last axis.",
    ),
    source_positions_from_one=edit(
        EMBED_SRC,
        "x = _embed(src, self.src_embedding, self.positions[1:])",
        "small_model_encodes",
        "Your `encode` counts positions from 1. The first row of the table is for the first word.",
    ),
    source_scaled_by_d_model=edit(
        EMBED_SRC,
        "x = self.src_embedding(src) * self.d_model + self.positions[: src.shape[1]]",
        "small_model_encodes",
        "Your `encode` multiplies the word vectors by d_model itself. It is the root of it.",
    ),
    source_divided_by_the_root=edit(
        EMBED_SRC,
        "x = self.src_embedding(src) / self.d_model**0.5 + self.positions[: src.shape[1]]",
        "small_model_encodes",
        "Your `encode` divides the word vectors by the root of d_model. They are multiplied by it.",
    ),
    source_positions_skip_padding=edit(
        EMBED_SRC,
        "places = ((src != PAD).cumsum(dim=1) - 1).clamp(min=0)\n"
        "        x = self.src_embedding(src) * self.d_model**0.5 + self.positions[places]",
        "words_behind_padding",
        "Your `encode` leaves padding out when it counts positions. A position is the place in the row, whatever stands there.",
    ),
    target_positions_from_one=edit(
        EMBED_TGT,
        "y = _embed(tgt, self.tgt_embedding, self.positions[1:])",
        "small_model_decodes",
        "Your `decode` counts positions from 1. The first row of the table is for the first word.",
    ),
    target_scaled_by_d_model=edit(
        EMBED_TGT,
        "y = self.tgt_embedding(tgt) * self.d_model + self.positions[: tgt.shape[1]]",
        "small_model_decodes",
        "Your `decode` multiplies the word vectors by d_model itself. It is the root of it.",
    ),
    target_divided_by_the_root=edit(
        EMBED_TGT,
        "y = self.tgt_embedding(tgt) / self.d_model**0.5 + self.positions[: tgt.shape[1]]",
        "small_model_decodes",
        "Your `decode` divides the word vectors by the root of d_model. They are multiplied by it.",
    ),
    target_positions_skip_padding=edit(
        EMBED_TGT,
        "places = ((tgt != PAD).cumsum(dim=1) - 1).clamp(min=0)\n"
        "        y = self.tgt_embedding(tgt) * self.d_model**0.5 + self.positions[places]",
        "decoders_of_padded_targets",
        "Your `decode` leaves padding out when it counts positions. A position is the place in the row, whatever stands there.",
    ),
    encoder_normed_twice_at_the_end=edit(
        ENCODER_STACK,
        "for block in self.encoder:\n            x = self.encoder_norm(block(x, real))\n        return self.encoder_norm(x)",
        "small_model_encodes",
        "Your encoder norms after every block, and then once more. One norm stands after the last block.",
    ),
    decoder_normed_twice_at_the_end=edit(
        DECODER_STACK,
        "for block in self.decoder:\n            y = self.decoder_norm(block(y, memory, target_mask, memory_mask))\n",
        "small_model_decodes",
        "Your decoder norms after every block, and then once more. One norm stands after the last block.",
    ),
    encoder_normed_first_and_last=edit(
        ENCODER_STACK,
        "x = self.encoder_norm(x)\n        for block in self.encoder:\n            x = block(x, real)\n"
        "        return self.encoder_norm(x)",
        "small_model_encodes",
        "Your encoder norms before the first block, too. The final norm stands after the last block alone.",
    ),
    source_mask_for_the_first_block_only=edit(
        "x = block(x, real)\n",
        "x = block(x, real)\n            real = None\n",
        "encoders_with_padding",
        "Only your first block gets the mask. Every block looks at all positions again, so every block needs it.",
    ),
    memory_normed_in_the_decoder=edit(
        DECODER_STACK,
        "memory = self.encoder_norm(memory)\n        " + DECODER_STACK,
        "small_model_decodes",
        "Your decoder norms the memory. It comes out of the encoder's final norm already.",
    ),
    target_embedding_for_the_source=edit(
        EMBED_SRC,
        "x = _embed(src, self.tgt_embedding, self.positions)",
        "small_model_encodes",
        "Your `encode` takes the word vectors of the target's language. The source has an embedding of its own.",
    ),
    softmax_in_forward=edit(
        BOTH,
        "memory = self.encode(src)\n        return self.decode(tgt, memory, src).softmax(dim=-1)",
        "small_model_from_end_to_end",
        "Your model returns probabilities. It is to return the logits that decode gives.",
    ),
    log_softmax_in_forward=edit(
        BOTH,
        "memory = self.encode(src)\n        return self.decode(tgt, memory, src).log_softmax(dim=-1)",
        "small_model_from_end_to_end",
        "Your model returns logarithms of probabilities. It is to return the logits that decode gives.",
    ),
    only_the_last_position=edit(
        LOGITS,
        "return self.output(self.decoder_norm(y[:, -1:]))",
        "small_model_decodes",
        "Your logits are those of the last position alone. Every position of the target has some.",
    ),
    whole_table_of_positions_added=edit(
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words + positions[: ids.shape[1]]",
        "words = embedding(ids) * embedding.embedding_dim**0.5\n    return words + positions",
        "small_model_encodes",
        "You add the whole table of positions, which is longer than the sentence. Take as many rows as there are words.",
    ),
    causal_mask_of_numbers=edit(
        PAST,
        "causal = torch.ones(length, length, device=tgt.device).tril()",
        "small_model_decodes",
        "Your causal mask is made of numbers, and `&` joins truth values. Make it with dtype=torch.bool.",
    ),
    decoder_masks_say_what_is_hidden=edit(
        TARGET_MASK + "\n        " + MEMORY_MASK,
        "target_mask = ~causal | ~_not_padding(tgt)\n        memory_mask = ~_not_padding(src)\n",
        "small_model_decodes",
        "Your `decode` makes masks that are true where something is hidden, as torch's own modules take them. Here True "
        "means 'may look'.",
    ),
    target_handed_over_for_the_source=edit(
        BOTH,
        "memory = self.encode(src)\n        return self.decode(tgt, memory, tgt)",
        "small_model_from_end_to_end",
        "Your forward hands the target to `decode` a second time, where the source belongs, which says where memory is "
        "padding.",
    ),
    source_not_handed_over=edit(
        BOTH,
        "memory = self.encode(src)\n        return self.decode(tgt, memory)",
        "small_model_from_end_to_end",
        "Your forward does not hand the source to `decode`, which needs it to know where memory is padding.",
    ),
    target_and_memory_swapped=edit(
        BOTH,
        "memory = self.encode(src)\n        return self.decode(memory, tgt, src)",
        "small_model_from_end_to_end",
        "Your forward hands memory and target to `decode` in the wrong order: the target comes first.",
    ),
    forward_flattened_for_the_loss=edit(
        BOTH,
        "memory = self.encode(src)\n        return self.decode(tgt, memory, src).flatten(0, 1)",
        "small_model_from_end_to_end",
        "Your logits have batch and time in one axis, as for the loss. They are (batch, T_t, tgt_vocab).",
    ),
    source_and_target_swapped_as_they_are=edit(
        BOTH,
        "memory = self.encode(tgt)\n        return self.decode(src, memory, tgt)",
        "small_model_from_end_to_end",
        "Your forward takes the target for the source. Source first, then target; an id of one language may not be in the "
        "other.",
    ),
    source_mask_inverted=edit(
        REAL,
        "real = (src == PAD)[:, None, :]\n",
        "small_model_encodes",
        "Your encoder's mask is turned around: only padding may be looked at. True means 'may look' here.",
    ),
    memory_mask_inverted_in_decode=edit(
        MEMORY_MASK,
        "memory_mask = (src == PAD)[:, None, :]\n",
        "small_model_decodes",
        "Your mask for the memory is turned around: only its padding may be looked at. True means 'may look' here.",
    ),
    source_embedding_for_the_target_as_it_is=edit(
        EMBED_TGT,
        "y = _embed(tgt, self.src_embedding, self.positions)",
        "small_model_decodes",
        "Your target's words are looked up in the embedding of the source, which may have fewer words. The two languages "
        "have their own.",
    ),
    whole_table_of_positions_added_in_the_source=edit(
        EMBED_SRC,
        "x = self.src_embedding(src) * self.d_model**0.5 + self.positions",
        "small_model_encodes",
        "Your `encode` adds the whole table of positions, which is longer than the sentence. Take as many rows as there are "
        "words.",
    ),
    positions_looked_up_by_ids=edit(
        "x = _embed(src, self.src_embedding, self.positions)",
        "x = self.src_embedding(src) * self.src_embedding.embedding_dim**0.5 + self.positions[src]",
        "encoders_without_padding",
        "Your positions are looked up by the ids of the words, so a word has the same one wherever it stands. Place t takes row t of the "
        "table.",
    ),
)

# next_word

PROBABILITIES = "probabilities = torch.softmax(logits, dim=-1)"
BEST = "best = int(probabilities.argmax(dim=-1))"
WORD = "return id_to_word[best]"


NEXT_WORD = mistakes_of(
    "next_word",
    least_probable_word=edit(
        BEST,
        "best = int(probabilities.argmin(dim=-1))",
        "words_of_any_vocabulary",
        "Your word is the one of the smallest probability.",
    ),
    best_word_begins_at_zero=edit(
        BEST,
        "best = int(logits.argmax()) if logits.max() > 0 else 0",
        "large_logits_do_not_overflow",
        "Where all logits are negative you return the word of id 0: your search begins with the value 0, which none of them reaches. "
        "Begin with the first logit.",
    ),
    second_best_word=edit(
        BEST,
        "best = int(probabilities.argsort()[-2])",
        "words_of_any_vocabulary",
        "Your word is the second best. Sorted ascending, the best one is the last.",
    ),
    first_of_the_sorted=edit(
        BEST,
        "best = int(torch.sort(probabilities, descending=True).indices.argmax())",
        "words_of_any_vocabulary",
        "Your index is one into the sorted list, not into the vocabulary.",
    ),
    word_after_the_best=edit(
        BEST,
        "best = (int(probabilities.argmax(dim=-1)) + 1) % len(id_to_word)",
        "words_of_any_vocabulary",
        "Your word is the one after the best. Ids are counted from 0.",
    ),
    largest_size_wins=edit(
        PROBABILITIES,
        "probabilities = torch.softmax(logits.abs(), dim=-1)",
        "forbidden_words_have_no_chance",
        "Your choice does not see the signs of the logits. A large negative logit is an improbable word.",
    ),
    softmax_overflows=edit(
        PROBABILITIES,
        "probabilities = torch.exp(logits) / torch.exp(logits).sum()",
        "logits_of_a_thousand",
        "Your exponentials overflow, and infinity divided by infinity is not a number. torch.softmax takes the largest logit "
        "off first.",
    ),
    id_for_word=edit(WORD, "return best", "words_of_any_vocabulary", "Your function returns the id. Look its word up."),
    word_and_probability=edit(
        WORD,
        "return id_to_word[best], float(probabilities[best])",
        "words_of_any_vocabulary",
        "Your function returns the probability as well. It returns the word alone.",
    ),
    probability_for_word=edit(
        WORD,
        "return float(probabilities[best])",
        "words_of_any_vocabulary",
        "Your function returns the largest probability. It returns the word that has it.",
    ),
    looked_up_by_a_tensor=edit(
        BEST,
        "best = probabilities.argmax(dim=-1)",
        "pizza_is_most_probable",
        "Your id is a tensor. A dict does not find it among its keys, even where it holds the same number: make an int of it.",
    ),
    first_logit_left_out=edit(
        BEST,
        "best = int(probabilities[1:].argmax(dim=-1))",
        "pizza_is_most_probable",
        "You leave out the first logit, so every id is one too small. The place of a logit is its id.",
    ),
    word_by_its_place_in_the_dict=edit(
        WORD,
        "return list(id_to_word.values())[best]",
        "all_logits_may_be_negative",
        "Your word is the one at that place in the dict. The id is a key, whatever the order of the dict.",
    ),
    padding_is_never_the_word=edit(
        BEST,
        "best = int(probabilities[1:].argmax(dim=-1)) + 1",
        "all_logits_may_be_negative",
        "Your word is never that of id 0. It is the most probable one, whichever that is.",
    ),
    logit_taken_for_the_id=edit(
        BEST,
        "best = int(logits.max())",
        "pizza_is_most_probable",
        "Your id is the largest logit itself. What is looked up is its place.",
    ),
    shares_of_the_sum=edit(
        PROBABILITIES,
        "probabilities = logits / logits.sum()",
        "all_logits_may_be_negative",
        "Your logits are divided by their sum. Where that is negative, the order turns around; a softmax takes exponentials "
        "first.",
    ),
    smallest_logit=edit(
        BEST,
        "best = int(logits.argmin(dim=-1))",
        "pizza_is_most_probable",
        "Your word is the one of the smallest logit. It is the largest that counts.",
    ),
)

# greedy_translate

START = "tgt = torch.full((src.shape[0], 1), bos, dtype=torch.long, device=src.device)"
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


GREEDY = mistakes_of(
    "greedy_translate",
    rows_cut_at_an_eos_that_is_not_there=edit(
        "            for row, word in enumerate(words.tolist()):\n"
        + NOTED
        + "            tgt = torch.cat([tgt, words[:, None]], dim=1)\n    return translations\n",
        "            tgt = torch.cat([tgt, words[:, None]], dim=1)\n    return [row[: row.index(eos)] for row in tgt[:, 1:].tolist()]\n",
        "i_like_pizza",
        "Your rows are cut at their eos by `index`, and not every row has one: a translation may also end because max_len words are said.",
    ),
    words_land_in_other_rows=edit(
        "            for row, word in enumerate(words.tolist()):\n"
        + NOTED
        + "            tgt = torch.cat([tgt, words[:, None]], dim=1)\n",
        "            left = []\n            for row, word in enumerate(words.tolist()):\n                if word != eos:\n"
        "                    translations[row].append(word)\n                    left.append(row)\n"
        "            if not left:\n                break\n"
        "            tgt = torch.cat([tgt, words[:, None]], dim=1)[left]\n            memory, src = memory[left], src[left]\n",
        "rows_of_any_length",
        "Your words land in other rows: once a row has ended and is left out, those behind it move up, and their places among what is "
        "left are not those in the batch. Keep their numbers.",
    ),
    never_stops_at_eos=edit(
        NOTED,
        "                translations[row].append(word)\n",
        "rows_of_any_length",
        "Your translations go on after eos, up to max_len.",
    ),
    eos_left_out_but_not_obeyed=edit(
        NOTED,
        "                if word != eos:\n                    translations[row].append(word)\n",
        "rows_of_any_length",
        "Your translations leave eos out, but go on with what the model says behind it.",
    ),
    eos_obeyed_by_all_at_once=edit(
        NOTED,
        "                done[row] = done[row] or word == eos\n                if word != eos:\n"
        "                    translations[row].append(word)\n            if all(done):\n                break\n",
        "rows_of_any_length",
        "Your rows go on behind their eos until the last row has reached its own; only eos itself is left out. A translation "
        "is complete at its own eos.",
    ),
    eos_kept=edit(
        NOTED,
        "                if not done[row]:\n                    translations[row].append(word)\n"
        "                done[row] = done[row] or word == eos\n            if all(done):\n                break\n",
        "rows_of_any_length",
        "Your translations end with eos. It says that a translation is complete, and is no part of it.",
    ),
    one_row_stops_them_all=edit(
        NOTED,
        "                done[row] = done[row] or word == eos\n                if not done[row]:\n"
        "                    translations[row].append(word)\n            if any(done):\n                break\n",
        "rows_of_any_length",
        "Your loop ends as soon as one row has reached eos. The others have more to say; it ends when all rows have.",
        "one_row_silences_them_all",
    ),
    one_row_silences_them_all=edit(
        NOTED,
        "                done[row] = done[row] or word == eos\n            if any(done):\n                break\n"
        "            for row, word in enumerate(words.tolist()):\n                translations[row].append(word)\n",
        "rows_of_any_length",
        "Your loop ends as soon as one row has reached eos, and what the others said at that step is lost. It ends when all "
        "rows have.",
        "one_row_stops_them_all",
    ),
    first_row_decides_the_end=edit(
        NOTED,
        "                done[row] = done[row] or word == eos\n                if not done[row]:\n"
        "                    translations[row].append(word)\n            if done[0]:\n                break\n",
        "rows_of_any_length",
        "Your loop ends when the first row has reached eos. Every row has an end of its own.",
    ),
    bos_taken_for_eos=edit(
        NOTED,
        "                done[row] = done[row] or word == bos\n                if not done[row]:\n"
        "                    translations[row].append(word)\n            if all(done):\n                break\n",
        "rows_of_any_length",
        "Your loop waits for bos. The id that ends a translation is eos.",
    ),
    eos_is_always_two=edit(
        NOTED,
        "                done[row] = done[row] or word == 2\n                if not done[row]:\n"
        "                    translations[row].append(word)\n            if all(done):\n                break\n",
        "one_sentence_at_a_time",
        "Your loop waits for the id 2. Which id is eos you are told.",
    ),
    first_logits_used=edit(
        CHOSEN,
        "words = logits[:, 0].argmax(dim=-1)",
        "rows_of_any_length",
        "Your words are chosen by the logits of the first position, which are the same at every step. The next word follows "
        "the last position.",
        "target_never_grows",
    ),
    last_logits_but_one_used=edit(
        CHOSEN,
        "words = logits[:, max(0, logits.shape[1] - 2)].argmax(dim=-1)",
        "rows_of_any_length",
        "Your words are chosen by the logits at the last position but one, and those are for the last word that is there "
        "already. The next word follows the last position.",
    ),
    smallest_logits_chosen=edit(
        CHOSEN, "words = logits[:, -1].argmin(dim=-1)", "rows_of_any_length", "Your words are the least probable ones."
    ),
    largest_size_chosen=edit(
        CHOSEN,
        "words = logits[:, -1].abs().argmax(dim=-1)",
        "one_word_leads_to_the_next",
        "Your words are chosen by the size of the logits without their signs. A large negative logit is an improbable word.",
    ),
    softmax_over_time=edit(
        CHOSEN,
        "words = torch.softmax(logits, dim=1)[:, -1].argmax(dim=-1)",
        "rows_of_any_length",
        "Your softmax runs over the positions. Words compete with words: it is the last axis, and one position at a time.",
    ),
    first_row_for_all=edit(
        CHOSEN,
        "words = logits[:1, -1].argmax(dim=-1).repeat(src.shape[0])",
        "rows_of_any_length",
        "Your rows all get the words of the first one.",
    ),
    best_of_the_batch=edit(
        CHOSEN,
        "words = logits[:, -1].max(dim=0).values.argmax().repeat(src.shape[0])",
        "rows_of_any_length",
        "Your rows all get the one word whose logit is the largest in the batch. Each row chooses for itself.",
    ),
    only_the_last_word_is_handed_over=edit(
        GROWN,
        "tgt = words[:, None]",
        "rows_of_any_length",
        "Your decoder is handed the last word alone. It remembers nothing: each step needs the whole target so far, with bos "
        "first.",
    ),
    target_never_grows=edit(
        GROWN,
        "tgt = tgt + 0",
        "rows_of_any_length",
        "Your target stays as it was, so the decoder is asked the same question at every step.",
        "first_logits_used",
    ),
    words_put_in_front=edit(
        GROWN,
        "tgt = torch.cat([words[:, None], tgt], dim=1)",
        "rows_of_any_length",
        "Your new words are put in front of the target. They belong at its end.",
    ),
    starts_with_eos=edit(
        START,
        "tgt = torch.full((src.shape[0], 1), eos, dtype=torch.long, device=src.device)",
        "rows_of_any_length",
        "Your targets begin with eos. They begin with bos.",
    ),
    starts_with_padding=edit(
        START,
        "tgt = torch.zeros((src.shape[0], 1), dtype=torch.long, device=src.device)",
        "rows_of_any_length",
        "Your targets begin with 0, which is padding. They begin with bos.",
    ),
    starts_with_one=edit(
        START,
        "tgt = torch.ones((src.shape[0], 1), dtype=torch.long, device=src.device)",
        "one_sentence_at_a_time",
        "Your targets begin with the id 1. Which id is bos you are told.",
    ),
    starts_with_the_source=edit(
        START,
        "tgt = src[:, :1].clone()",
        "rows_of_any_length",
        "Your targets begin with the first word of the source. They begin with bos.",
    ),
    bos_kept=edit(
        FOUND,
        "    return [[bos, *words] for words in translations]\n",
        "rows_of_any_length",
        "Your translations begin with bos. It starts the decoder, and is no part of the translation.",
    ),
    padded_to_one_length=edit(
        FOUND,
        "    longest = max(len(words) for words in translations)\n"
        "    return [words + [PAD] * (longest - len(words)) for words in translations]\n",
        "rows_of_any_length",
        "Your translations are filled up to one length. Each list has the length of its own translation.",
    ),
    only_the_first_translation=edit(
        FOUND,
        "    return translations[0]\n",
        "rows_of_any_length",
        "Your function returns the translation of the first row only. It returns a list with one for each row.",
    ),
    one_word_too_many=edit(
        ROUNDS,
        "for _ in range(max_len + 1):\n            logits = model.decode(tgt, memory, src)",
        "no_end_in_sight",
        "Your translations may have one word more than max_len.",
    ),
    bos_counted_in=edit(
        ROUNDS,
        "for _ in range(max_len - 1):\n            logits = model.decode(tgt, memory, src)",
        "no_end_in_sight",
        "Your translations have one word less than they may: max_len does not count bos.",
    ),
    as_long_as_the_source=edit(
        ROUNDS,
        "for _ in range(min(max_len, src.shape[1])):\n            logits = model.decode(tgt, memory, src)",
        "rows_of_any_length",
        "Your translations are never longer than the source. Only max_len limits them.",
    ),
    source_rows_not_handed_over=edit(
        ROUNDS,
        "for _ in range(max_len):\n            logits = model.decode(tgt, memory, src.flip(0))",
        "rows_end_at_different_steps",
        "Your decoder is handed the sources in another order than their memories. Row n of all three belongs together.",
    ),
    source_overwritten=edit(
        FOUND,
        "    src.zero_()\n    return translations\n",
        "translating_leaves_the_source_alone",
        "Your function changes the source it was given.",
    ),
    one_list_for_all_rows=edit(
        "translations: list[list[int]] = [[] for _ in range(src.shape[0])]",
        "translations: list[list[int]] = [[]] * src.shape[0]",
        "rows_end_at_different_steps",
        "Your rows share one list: `[[]] * n` holds the same list n times. Make a list for each row.",
    ),
    empty_translations_left_out=edit(
        FOUND,
        "    return [words for words in translations if words]\n",
        "nothing_to_say",
        "Your translations that are empty are left out. There is a list for each row of src, be it empty.",
    ),
    unfinished_translations_lost=edit(
        FOUND,
        "    return [words if done[row] else [] for row, words in enumerate(translations)]\n",
        "rows_end_at_different_steps",
        "Your translations that never reach eos come back empty. At max_len they are cut off and returned as they are.",
    ),
    translations_in_one_list=edit(
        FOUND,
        "    return [word for words in translations for word in words]\n",
        "i_like_pizza",
        "Your translations are joined in one list. There is a list for each row of src.",
    ),
    target_filled_up_from_the_beginning=edit(
        "logits = model.decode(tgt, memory, src)",
        "filled = torch.cat([tgt, tgt.new_zeros(tgt.shape[0], max_len + 1 - tgt.shape[1])], dim=1)\n"
        "            logits = model.decode(filled, memory, src)",
        "i_like_pizza",
        "Your target is filled up to its full length with padding, and you read the logits at its last position. Read those "
        "of the last word that was written.",
    ),
    at_least_one_word=edit(
        "for _ in range(max_len):",
        "for _ in range(max(max_len, 1)):",
        "nothing_to_say",
        "Your loop asks for a word before it looks at max_len. With max_len = 0 a translation has no words.",
    ),
    rows_not_cut_at_their_eos=edit(
        NOTED,
        "                done[row] = done[row] or word == eos\n                translations[row].append(word)\n"
        "            if all(done):\n                break\n",
        "rows_of_any_length",
        "Your rows are not cut at their eos: they hold it, and all that was said until the last row had ended.",
    ),
    bos_and_eos_counted_in=edit(
        ROUNDS,
        "for _ in range(max_len - 2):\n            logits = model.decode(tgt, memory, src)",
        "no_end_in_sight",
        "Your translations have two words less than they may: max_len counts neither bos nor eos.",
    ),
    translations_as_a_tensor=edit(
        f"            for row, word in enumerate(words.tolist()):\n{NOTED}            {GROWN}\n{FOUND}",
        f"            done = [end or word == eos for end, word in zip(done, words.tolist(), strict=True)]\n            {GROWN}\n"
        "            if all(done):\n                break\n    return tgt[:, 1:]\n",
        "i_like_pizza",
        "Your function returns a tensor, with all that was said. It returns lists, each cut at its own eos.",
    ),
    end_forgotten_at_the_next_step=edit(
        NOTED,
        "                done[row] = word == eos\n                if not done[row]:\n"
        "                    translations[row].append(word)\n            if all(done):\n                break\n",
        "rows_end_at_different_steps",
        "Your note that a row has ended is overwritten at the next step, so the row goes on. Once ended, it stays so.",
    ),
    model_called_as_a_whole=edit(
        ROUNDS,
        "for _ in range(max_len):\n            logits = model(src, tgt)",
        "i_like_pizza",
        "You call the model itself, which would encode the source at every step. It is to be used by its two methods, encode "
        "and decode.",
    ),
    words_without_an_axis_of_time=edit(
        GROWN,
        "tgt = torch.cat([tgt, words], dim=1)",
        "i_like_pizza",
        "Your new words are (batch,), and the target is (batch, time). They need an axis of length one for the time.",
    ),
    cut_at_the_last_eos=edit(
        f"{NOTED}            {GROWN}\n{FOUND}",
        f"                translations[row].append(word)\n                done[row] = done[row] or word == eos\n"
        f"            if all(done):\n                break\n            {GROWN}\n"
        "    for row, said in enumerate(translations):\n        if eos in said:\n"
        "            translations[row] = said[: len(said) - 1 - said[::-1].index(eos)]\n" + FOUND,
        "rows_end_at_different_steps",
        "Your translations are cut at the last eos. What the model says behind the first one is not read, be it another eos.",
    ),
    bos_left_out_wherever_it_is_said=edit(
        "                if not done[row]:",
        "                if not done[row] and word != bos:",
        "bos_among_the_words",
        "Your translations lack every bos that the model says. What is left out is the bos in front, which the model does not say, and eos.",
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
)
