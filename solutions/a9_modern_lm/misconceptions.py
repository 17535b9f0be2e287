"""Known mistakes of a9_modern_lm, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.mistakes import Edit, edit, mistakes_of

# rms_norm

SQUARE = "mean_square = (x**2).mean(dim=-1, keepdim=True)"
NORMED = "return x / (mean_square + eps).sqrt() * gain"


def _square(new: str, says: str) -> Edit:
    return edit(SQUARE, new, "norms_of_any_shape", says)


def _normed(new: str, caught_by: str, says: str) -> Edit:
    return edit(NORMED, new, caught_by, says)


RMS_NORM = mistakes_of(
    "rms_norm",
    mean_subtracted=_square(
        f"x = x - x.mean(dim=-1, keepdim=True)\n    {SQUARE}",
        "Your norm subtracts the mean first, as layer normalisation does. An RMS norm only divides.",
    ),
    variance_for_mean_square=_square(
        "mean_square = x.var(dim=-1, keepdim=True, correction=0)",
        "Your norm divides by the standard deviation, the spread around the mean. Take the mean of the squares themselves.",
    ),
    sum_for_mean=_square(
        "mean_square = (x**2).sum(dim=-1, keepdim=True)",
        "Your norm divides by the length of the vector, the root of the sum of squares. It is the root of their mean.",
    ),
    mean_over_everything=_square(
        "mean_square = (x**2).mean()",
        "Your mean runs over all axes, so positions share one root. Every position has its own, over its features.",
    ),
    mean_over_the_first_axis=_square(
        "mean_square = (x**2).mean(dim=0, keepdim=True)",
        "Your mean runs over the first axis. The features of one position are the last axis.",
    ),
    absolute_values_averaged=_square(
        "mean_square = x.abs().mean(dim=-1, keepdim=True) ** 2",
        "Your norm divides by the mean of the absolute values. It is the root of the mean of the squares.",
    ),
    root_forgotten=_normed(
        "return x / (mean_square + eps) * gain",
        "norms_of_any_shape",
        "Your norm divides by the mean square without taking its root.",
    ),
    gain_forgotten=_normed(
        "return x / (mean_square + eps).sqrt()",
        "norms_of_any_shape",
        "Your norm leaves out the gain, by which each feature is multiplied at the end.",
    ),
    gain_divides=_normed(
        "return x / (mean_square + eps).sqrt() / gain",
        "norms_of_any_shape",
        "Your norm divides by the gain. It multiplies.",
    ),
    gain_plus_one=_normed(
        "return x / (mean_square + eps).sqrt() * (1 + gain)",
        "norms_of_any_shape",
        "Your norm multiplies by 1 + gain, as some models do whose gains begin at zero. Here it is the gain itself.",
    ),
    gain_before_the_norm=edit(
        f"{SQUARE}\n    {NORMED}",
        f"x = x * gain\n    {SQUARE}\n    return x / (mean_square + eps).sqrt()",
        "norms_of_any_shape",
        "Your gain is multiplied in before the mean square is taken, so the norm undoes a part of it. It comes last.",
    ),
    eps_outside_the_root=_normed(
        "return x / (mean_square.sqrt() + eps) * gain",
        "small_vectors_and_large_eps",
        "Your eps is added to the root. It is added to the mean square, inside the root.",
    ),
    eps_forgotten=_normed(
        "return x / mean_square.sqrt() * gain",
        "small_vectors_and_large_eps",
        "Your norm leaves out eps, so a vector of zeros divides by zero.",
    ),
    norm_in_place=_normed(
        "x /= (mean_square + eps).sqrt()\n    return x * gain",
        "norm_leaves_its_input_alone",
        "Your norm divides the caller's own tensor: /= works in place. The residual stream still needs x as it was.",
    ),
    root_cut_off=_normed(
        "return x / (mean_square + eps).sqrt().detach() * gain",
        "gradients_pass_the_norm",
        "Your result is right, but the root is cut off from x (detach, .data or numpy), so the gradient lacks a part.",
    ),
    mean_over_time=edit(
        SQUARE,
        "mean_square = (x**2).mean(dim=-2, keepdim=True)",
        "every_position_by_itself",
        "Your mean runs over the positions, for each feature. Every position has a root of its own, over its features.",
    ),
    eps_is_squared=edit(
        NORMED,
        "return x / (mean_square + eps**2).sqrt() * gain",
        "eps_inside_the_root",
        "Your eps is squared before it is added. It is added to the mean square as it is.",
    ),
    eps_as_a_floor=edit(
        NORMED,
        "return x / mean_square.clamp(min=eps).sqrt() * gain",
        "eps_inside_the_root",
        "Your eps is a floor: it counts only where the mean square is smaller. It is added to every mean square.",
    ),
    eps_written_down=edit(
        NORMED,
        "return x / (mean_square + 1e-5).sqrt() * gain",
        "eps_inside_the_root",
        "Your eps is written down, and the one that is handed in is not used.",
    ),
    eps_of_a_millionth=edit(
        NORMED,
        "return x / (mean_square + 1e-6).sqrt() * gain",
        "eps_inside_the_root",
        "Your eps is written down, and the one that is handed in is not used.",
    ),
    eps_of_next_to_nothing=edit(
        NORMED,
        "return x / (mean_square + 1e-8).sqrt() * gain",
        "eps_inside_the_root",
        "Your eps is written down, and the one that is handed in is not used.",
    ),
    eps_for_zeros_alone=edit(
        NORMED,
        "return x / mean_square.sqrt().clamp(min=1e-12) * gain",
        "eps_inside_the_root",
        "Your norm keeps zeros from dividing by zero, but leaves out eps otherwise. It is added to every mean square.",
    ),
    length_made_one=edit(
        NORMED,
        "return nn.functional.normalize(x, dim=-1) * gain",
        "a_root_of_five",
        "Your vectors get a length of 1, and eps is not used (normalize divides by the root of the sum of squares). An RMS "
        "norm divides by the root of their mean.",
    ),
    length_made_one_with_eps=edit(
        NORMED,
        "return nn.functional.normalize(x, dim=-1, eps=eps) * gain",
        "a_root_of_five",
        "Your vectors get a length of 1: normalize divides by the root of the sum of squares. An RMS norm divides by the "
        "root of their mean.",
    ),
    root_of_the_root=edit(
        NORMED,
        "return x / (mean_square + eps) ** 0.25 * gain",
        "a_root_of_five",
        "Your norm takes a root twice: rsqrt is one divided by the root already.",
    ),
    length_divided_by_d=edit(
        SQUARE,
        "mean_square = ((x**2).sum(dim=-1, keepdim=True).sqrt() / x.shape[-1]) ** 2",
        "a_root_of_five",
        "Your norm divides the vector's length by d. The mean stands inside the root, so it is the root of d that divides "
        "it.",
    ),
    mean_over_axis_one=edit(
        SQUARE,
        "mean_square = (x**2).mean(dim=min(1, x.dim() - 1), keepdim=True)",
        "every_position_by_itself",
        "Your mean runs over axis 1, which is time in a batch of sequences. The features are the last axis, however many "
        "stand in front: write -1.",
    ),
    mean_squared=_square(
        "mean_square = x.mean(dim=-1, keepdim=True) ** 2",
        "Your norm squares the mean. It is the mean of the squares: square the entries first.",
    ),
    mean_square_without_its_axis=_square(
        "mean_square = (x**2).mean(dim=-1)",
        "Your mean square has lost the axis of the features, so it meets the wrong axis of x. keepdim=True keeps it.",
    ),
)

# swiglu

GATE = "gate = nn.functional.silu(x @ W_gate.T)"
UP = "up = x @ W_up.T"
DOWN = "return (gate * up) @ W_down.T"


def _gate(new: str, says: str) -> Edit:
    return edit(GATE, new, "gated_networks_of_any_size", says)


def _down(new: str, says: str) -> Edit:
    return edit(DOWN, new, "gated_networks_of_any_size", says)


SWIGLU = mistakes_of(
    "swiglu",
    sigmoid_of_exponentials_that_overflow=edit(
        "gate = nn.functional.silu(x @ W_gate.T)",
        "gate = x @ W_gate.T\n    gate = gate * (torch.exp(gate) / (1 + torch.exp(gate)))",
        "large_gates_stay_finite",
        "Your sigmoid is e^a / (1 + e^a), which is infinity by infinity for a large gate: not a number. torch has a sigmoid that is safe.",
    ),
    one_added_to_the_other_map=edit(
        UP,
        "up = 1 + x @ W_up.T",
        "gated_networks_of_any_size",
        "Your gate multiplies x @ W_up.T plus one. It multiplies that map itself.",
    ),
    silu_on_the_other_map=edit(
        f"{GATE}\n    {UP}",
        "gate = x @ W_gate.T\n    up = nn.functional.silu(x @ W_up.T)",
        "gated_networks_of_any_size",
        "Your SiLU is on the map of W_up. It is on that of W_gate.",
    ),
    silu_on_both=edit(
        UP,
        "up = nn.functional.silu(x @ W_up.T)",
        "gated_networks_of_any_size",
        "Your SiLU is on both maps. It is on that of W_gate only.",
    ),
    sigmoid_for_silu=_gate(
        "gate = torch.sigmoid(x @ W_gate.T)",
        "Your gate is a sigmoid, as in the first gated linear units. SiLU is the number itself times its sigmoid.",
    ),
    gelu_for_silu=_gate(
        "gate = nn.functional.gelu(x @ W_gate.T)", "Your gate goes through GELU. SwiGLU has SiLU there."
    ),
    relu_for_silu=_gate(
        "gate = nn.functional.relu(x @ W_gate.T)", "Your gate goes through ReLU. SwiGLU has SiLU there."
    ),
    no_activation=_gate(
        "gate = x @ W_gate.T", "Your gate has no activation; the two maps are multiplied as they are. SiLU is missing."
    ),
    silu_of_the_product=edit(
        f"{GATE}\n    {UP}\n    {DOWN}",
        "return nn.functional.silu((x @ W_gate.T) * (x @ W_up.T)) @ W_down.T",
        "gated_networks_of_any_size",
        "Your SiLU comes after the product of both maps. It is applied to the gate, and then multiplied.",
    ),
    branches_added=_down(
        "return (gate + up) @ W_down.T", "Your two maps are added. A gate multiplies: that is how it closes."
    ),
    up_left_out=_down(
        "return gate @ W_down.T",
        "Your network leaves out W_up. What is left is an ordinary feed-forward network with SiLU.",
    ),
    gate_left_out=_down("return up @ W_down.T", "Your network leaves out the gate, and is linear without it."),
    network_with_residual=_down(
        "return x + (gate * up) @ W_down.T",
        "Your network adds x to its result. The residual connection is made in the block, not here.",
    ),
    gate_cut_off=edit(
        DOWN,
        "return (gate.detach() * up) @ W_down.T",
        "gradients_pass_the_gate",
        "Your result is right, but the gate is cut off from x and W_gate (detach, .data or numpy), so it never learns.",
    ),
    silu_at_the_end=edit(
        DOWN,
        "gate = x @ W_gate.T\n    return nn.functional.silu((gate * up) @ W_down.T)",
        "a_gate_opens_and_closes",
        "Your SiLU comes last, behind W_down. It is applied to the gate, before the product.",
    ),
    quick_gelu_for_silu=edit(
        GATE,
        "gate = x @ W_gate.T\n    gate = gate * torch.sigmoid(1.702 * gate)",
        "a_gate_opens_and_closes",
        "Your sigmoid is of 1.702 times the number, as in an approximation of GELU. SiLU takes it of the number itself.",
    ),
    gelu_by_tanh_for_silu=edit(
        GATE,
        "gate = nn.functional.gelu(x @ W_gate.T, approximate='tanh')",
        "a_gate_opens_and_closes",
        "Your gate goes through GELU, in its approximation by tanh. SwiGLU has SiLU there.",
    ),
    tanh_for_silu=edit(
        GATE,
        "gate = torch.tanh(x @ W_gate.T)",
        "a_gate_opens_and_closes",
        "Your gate goes through tanh. SwiGLU has SiLU there.",
    ),
    hard_swish_for_silu=edit(
        GATE,
        "gate = nn.functional.hardswish(x @ W_gate.T)",
        "a_gate_opens_and_closes",
        "Your gate goes through hardswish, which is made of straight lines. SwiGLU has SiLU, with a sigmoid.",
    ),
    mish_for_silu=edit(
        GATE,
        "gate = nn.functional.mish(x @ W_gate.T)",
        "a_gate_opens_and_closes",
        "Your gate goes through Mish. SwiGLU has SiLU there.",
    ),
    softmax_for_sigmoid=edit(
        GATE,
        "gate = x @ W_gate.T\n    gate = gate * gate.softmax(dim=-1)",
        "a_gate_opens_and_closes",
        "Your gate is multiplied by its softmax, in which features compete. SiLU takes the sigmoid of each number by "
        "itself.",
    ),
    silu_before_the_map=edit(
        GATE,
        "gate = nn.functional.silu(x) @ W_gate.T",
        "three_maps_that_differ",
        "Your SiLU is applied to x, before W_gate. It is applied to what W_gate gives.",
    ),
)

# rotary

EXPONENTS = "exponents = torch.arange(0, x.shape[-1], 2, dtype=torch.float64, device=x.device) / x.shape[-1]"
ANGLES = "angles = positions[:, None] * base**-exponents"
SPLIT = "even, odd = x[..., 0::2], x[..., 1::2]"
PAIRS = "pairs = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)"
FLAT = "return pairs.flatten(-2)"


def _angles(new: str, caught_by: str, says: str) -> Edit:
    return edit(ANGLES, new, caught_by, says)


ROTARY = mistakes_of(
    "rotary",
    positions_from_zero=_angles(
        "angles = torch.arange(len(positions), device=x.device)[:, None] * base**-exponents",
        "positions_begin_behind_a_cache",
        "Your positions are counted from 0, and those you are given are not read. Behind a cache the first new token stands "
        "further on.",
    ),
    positions_from_one=_angles(
        "angles = (positions[:, None] + 1) * base**-exponents",
        "rotations_of_any_size",
        "Your positions are one too large: position 0 is not turned at all.",
    ),
    base_ignored=_angles(
        "angles = positions[:, None] * 10000.0**-exponents",
        "another_base",
        "Your frequencies are those of the base 10000, whatever base you are given.",
    ),
    all_pairs_turn_alike=_angles(
        "angles = positions[:, None] * torch.ones_like(exponents)",
        "rotations_of_any_size",
        "Your pairs all turn by the same angle. Each pair has a frequency of its own, ever slower.",
    ),
    frequencies_grow=_angles(
        "angles = positions[:, None] * base**exponents",
        "rotations_of_any_size",
        "Your frequencies grow from pair to pair. The exponent is negative: each pair turns more slowly than the one before.",
    ),
    exponent_halved=edit(
        EXPONENTS,
        "exponents = torch.arange(0, x.shape[-1] // 2, dtype=torch.float64, device=x.device) / x.shape[-1]",
        "rotations_of_any_size",
        "Your exponent is half of what it should be: i / d_head in place of 2i / d_head.",
    ),
    exponent_doubled=edit(
        EXPONENTS,
        "exponents = torch.arange(0, x.shape[-1], 2, dtype=torch.float64, device=x.device) / x.shape[-1] * 2",
        "rotations_of_any_size",
        "Your exponent is twice what it should be: 2i / d_head, where i counts pairs.",
    ),
    turned_backwards=edit(
        PAIRS,
        "pairs = torch.stack([even * cos + odd * sin, odd * cos - even * sin], dim=-1)",
        "rotations_of_any_size",
        "Your pairs turn backwards: the sign of the sine is exchanged. Scores of distances come out the same; a trained model "
        "and its cache do not fit any more.",
    ),
    even_overwritten=edit(
        PAIRS,
        "even = even * cos - odd * sin\n    pairs = torch.stack([even, even * sin + odd * cos], dim=-1)",
        "rotations_of_any_size",
        "Your second formula reads the first feature after it was replaced. Both read the pair as it was.",
    ),
    sine_and_cosine_swapped=edit(
        PAIRS,
        "pairs = torch.stack([even * sin - odd * cos, even * cos + odd * sin], dim=-1)",
        "rotations_of_any_size",
        "Your sine and cosine have changed places: position 0 should turn nothing.",
    ),
    halves_for_pairs=edit(
        f"{SPLIT}\n    {PAIRS}\n    {FLAT}",
        "even, odd = x.chunk(2, dim=-1)\n    return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)",
        "rotations_of_any_size",
        "Your pairs are the features i and i + d_head / 2, as in many libraries. Here a pair is two neighbours, 2i and 2i + 1.",
    ),
    pairs_come_back_as_halves=edit(
        FLAT,
        "return pairs.transpose(-2, -1).flatten(-2)",
        "rotations_of_any_size",
        "Your pairs are turned rightly, but come back as two halves, all first features and then all second ones. They come "
        "back as neighbours.",
    ),
    rotation_in_place=edit(
        FLAT,
        "return x.copy_(pairs.flatten(-2))",
        "rotation_leaves_its_input_alone",
        "Your rotation writes into the caller's own tensor. Return a new one.",
    ),
    rotation_cut_off=edit(
        FLAT,
        "return pairs.detach().flatten(-2)",
        "gradients_are_turned_back",
        "Your result is right, but cut off from x (detach, .data or numpy), so no gradient gets past it.",
    ),
    angles_laid_out_in_halves=edit(
        PAIRS,
        "c, s = torch.cat([cos, cos], dim=-1), torch.cat([sin, sin], dim=-1)\n"
        "    pairs = x * c + torch.stack([-odd, even], dim=-1).flatten(-2) * s\n"
        "    pairs = pairs.unflatten(-1, (-1, 2))",
        "three_places_further",
        "Your pairs are neighbours, but your angles are laid out for halves: the two features of a pair turn by different angles. Repeat "
        "each angle twice in a row (repeat_interleave), not the whole list twice.",
    ),
    mirrored_instead_of_turned=edit(
        PAIRS,
        "pairs = torch.stack([even * cos + odd * sin, even * sin - odd * cos], dim=-1)",
        "three_places_further",
        "Your pairs are mirrored, not turned: at position 0 the second feature of each pair changes its sign.",
    ),
    both_signs_positive=edit(
        PAIRS,
        "pairs = torch.stack([even * cos + odd * sin, even * sin + odd * cos], dim=-1)",
        "three_places_further",
        "Your two lines both have a plus. A rotation has one minus; without it lengths change.",
    ),
    pairs_from_one=edit(
        EXPONENTS,
        "exponents = torch.arange(2, x.shape[-1] + 2, 2, dtype=torch.float64, device=x.device) / x.shape[-1]",
        "three_places_further",
        "Your pairs are counted from 1. The first pair has i = 0, and turns by one radian from position to position.",
    ),
    slowest_pair_at_one_over_base=edit(
        EXPONENTS,
        "exponents = torch.linspace(0, 1, x.shape[-1] // 2, dtype=torch.float64, device=x.device)",
        "three_places_further",
        "Your exponents go from 0 to 1, both included. With d_head features they are 2i / d_head, and the last one stays "
        "below 1.",
    ),
    frequencies_backwards=edit(
        ANGLES,
        "angles = positions[:, None] * base ** -exponents.flip(0)",
        "three_places_further",
        "Your frequencies come in the opposite order. The first pair is the fastest one.",
    ),
    exponent_not_divided=edit(
        ANGLES,
        "angles = positions[:, None] * base ** -(exponents * x.shape[-1])",
        "three_places_further",
        "Your exponent is -2i. It is divided by d_head.",
    ),
    divided_behind_the_power=edit(
        ANGLES,
        "angles = positions[:, None] * base ** -(exponents * x.shape[-1]) / x.shape[-1]",
        "three_places_further",
        "Your power is divided by d_head. It is the exponent that is divided: powers come before quotients, so it needs "
        "brackets.",
    ),
    angles_in_whole_turns=edit(
        ANGLES,
        "angles = 2 * math.pi * positions[:, None] * base**-exponents",
        "three_places_further",
        "Your angles are multiplied by 2 pi. They are radians as they are: the first pair turns by one radian from "
        "position to position.",
    ),
    polar_arguments_swapped=edit(
        "cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)",
        "cos, sin = (angles * math.cos(1.0)).to(x.dtype), (angles * math.sin(1.0)).to(x.dtype)",
        "three_places_further",
        "Your angles are taken for lengths, and 1 for the angle: torch.polar takes the length first, then the angle.",
    ),
    second_line_mirrored=edit(
        PAIRS,
        "pairs = torch.stack([even * cos - odd * sin, even * sin - odd * cos], dim=-1)",
        "three_places_further",
        "Your second line has a minus. Only the first line of a rotation has one; the second one adds.",
    ),
    both_signs_negative=edit(
        PAIRS,
        "pairs = torch.stack([even * cos - odd * sin, odd * cos - even * sin], dim=-1)",
        "three_places_further",
        "Your two lines both have a minus. Only the first line of a rotation has one; without that, lengths change.",
    ),
    halves_with_angles_of_pairs=edit(
        f"{PAIRS}\n    {FLAT}",
        "c, s = cos.repeat_interleave(2, dim=-1), sin.repeat_interleave(2, dim=-1)\n    first, second = x.chunk(2, "
        "dim=-1)\n    return x * c + torch.cat([-second, first], dim=-1) * s",
        "three_places_further",
        "Your partner of a feature is the one half of the features away, while your angles are laid out for neighbours. "
        "Here a pair is two neighbours, 2i and 2i + 1.",
    ),
)

# grouped_attention

KEYS = "keys = k.repeat_interleave(group, dim=1)"
VALUES = "values = v.repeat_interleave(group, dim=1)"
SCORES = "scores = q @ keys.transpose(-2, -1) / math.sqrt(q.shape[-1])"
HIDDEN = "scores = scores.masked_fill(~mask, -math.inf)"
WEIGHTS = "weights = torch.softmax(scores, dim=-1)"
READ = "return weights @ values"
MASKED = f"if mask is not None:\n        {HIDDEN}\n    {WEIGHTS}"


def _groups(new_keys: str, new_values: str, says: str) -> Edit:
    return edit(f"{KEYS}\n    {VALUES}", f"{new_keys}\n    {new_values}", "groups_of_any_size", says)


GROUPED = mistakes_of(
    "grouped_attention",
    divided_by_the_number_of_groups=edit(
        """    keys = k.repeat_interleave(group, dim=1)
    values = v.repeat_interleave(group, dim=1)
""",
        """    keys = torch.stack([k[:, head // k.shape[1]] for head in range(q.shape[1])], dim=1)
    values = torch.stack([v[:, head // k.shape[1]] for head in range(q.shape[1])], dim=1)
""",
        "as_many_groups_as_heads",
        "Your query heads find their keys by dividing their number by n_kv_heads. How many query heads share one is n_heads / n_kv_heads; divide by that.",
    ),
    heads_take_turns=_groups(
        "keys = k.repeat(1, group, 1, 1)",
        "values = v.repeat(1, group, 1, 1)",
        "Your query heads take turns: head 1 reads key-value head 1. Neighbouring heads form a group, and the whole group reads "
        "the same one; `repeat_interleave` keeps copies together.",
    ),
    only_the_first_pair=_groups(
        "keys = k[:, :1]",
        "values = v[:, :1]",
        "Your query heads all read the first key-value head. Each group has one of its own.",
    ),
    groups_backwards=_groups(
        "keys = k.flip(1).repeat_interleave(group, dim=1)",
        "values = v.flip(1).repeat_interleave(group, dim=1)",
        "Your groups are counted from the end: the first query heads read the last key-value head.",
    ),
    pairs_averaged=_groups(
        "keys = k.mean(dim=1, keepdim=True)",
        "values = v.mean(dim=1, keepdim=True)",
        "Your key-value heads are averaged into one. Each group reads one of them, and the others not at all.",
    ),
    values_take_turns=edit(
        VALUES,
        "values = v.repeat(1, group, 1, 1)",
        "groups_of_any_size",
        "Your values are repeated in another order than the keys, so heads weigh the keys of one head and read the values of "
        "another.",
    ),
    keys_take_turns=edit(
        KEYS,
        "keys = k.repeat(1, group, 1, 1)",
        "groups_of_any_size",
        "Your keys are repeated in another order than the values, so heads weigh the keys of one head and read the values of "
        "another.",
    ),
    no_scale=edit(
        SCORES,
        "scores = q @ keys.transpose(-2, -1)",
        "groups_of_any_size",
        "Your scores are not divided by the root of d_head.",
    ),
    scale_without_root=edit(
        SCORES,
        "scores = q @ keys.transpose(-2, -1) / q.shape[-1]",
        "groups_of_any_size",
        "Your scores are divided by d_head. Divide by its root.",
    ),
    scale_of_all_heads=edit(
        SCORES,
        "scores = q @ keys.transpose(-2, -1) / math.sqrt(q.shape[1] * q.shape[-1])",
        "groups_of_any_size",
        "Your scores are divided by the root of all features of the model. Take the features of one head.",
    ),
    mask_inverted=edit(
        HIDDEN,
        "scores = scores.masked_fill(mask, -math.inf)",
        "masks_hide_keys",
        "Your mask hides what may be looked at. True means 'may look'.",
    ),
    mask_ignored=edit(HIDDEN, "pass", "masks_hide_keys", "Your mask is not used, so every query looks at every key."),
    mask_after_softmax=edit(
        MASKED,
        f"{WEIGHTS}\n    if mask is not None:\n        weights = weights.masked_fill(~mask, 0.0)",
        "masks_hide_keys",
        "Your mask comes after the softmax, so the weights that stay sum to less than one. Hide scores before it.",
    ),
    mask_after_softmax_and_divided_again=edit(
        MASKED,
        f"{WEIGHTS}\n    if mask is not None:\n        shares = weights * mask\n        weights = shares / shares.sum(dim=-1, keepdim=True)",
        "hidden_keys_may_be_large",
        "Your mask comes after the softmax, and the weights that stay are divided by their sum. Where a hidden score is far above the "
        "others, nothing but zeros stays. Hide scores before the softmax.",
    ),
    hidden_scores_are_zero=edit(
        HIDDEN,
        "scores = scores.masked_fill(~mask, 0.0)",
        "masks_hide_keys",
        "Your hidden scores are 0, which still gets a share of the softmax. Set them to minus infinity.",
    ),
    hidden_scores_are_the_smallest=edit(
        HIDDEN,
        "scores = scores.masked_fill(~mask, scores.detach().min())",
        "masks_hide_keys",
        "Your hidden scores are the smallest of all, which still gets a share of the softmax. Set them to minus infinity.",
    ),
    softmax_over_queries=edit(
        WEIGHTS,
        "weights = torch.softmax(scores, dim=-2)",
        "groups_of_any_size",
        "Your softmax runs over the queries. The weights of one query sum to one, over the keys.",
    ),
    query_in_place=edit(
        SCORES,
        "scores = q.div_(math.sqrt(q.shape[-1])) @ keys.transpose(-2, -1)",
        "attention_leaves_its_input_alone",
        "Your scale is divided into the caller's own queries (a method whose name ends in an underscore works in place).",
    ),
    weights_cut_off=edit(
        READ,
        "return weights.detach() @ values",
        "gradients_pass_the_groups",
        "Your result is right, but the weights are cut off (detach, .data or numpy), so queries and keys never learn.",
    ),
    softmax_over_heads=edit(
        WEIGHTS,
        "weights = torch.softmax(scores, dim=1)",
        "two_groups_of_two",
        "Your softmax runs over the heads. Heads do not compete; the weights of one query sum to one over the keys.",
    ),
    mask_added_to_scores=edit(
        HIDDEN,
        "scores = scores + mask",
        "one_key_is_hidden",
        "Your mask is added to the scores as 0 and 1. That prefers the allowed keys a little and forbids nothing.",
    ),
    penalty_too_small=edit(
        HIDDEN,
        "scores = scores.masked_fill(~mask, -1.0)",
        "one_key_is_hidden",
        "Your hidden scores are low, but not low enough: they keep a share. It has to be minus infinity.",
    ),
    keys_are_handed_on=edit(
        READ,
        "return weights @ keys",
        "two_groups_of_two",
        "Your weights are applied to the keys. Values are what is read.",
    ),
    queries_averaged=edit(
        SCORES,
        "mean = q.unflatten(1, (k.shape[1], group)).mean(dim=2).repeat_interleave(group, dim=1)\n    scores = mean @ "
        "keys.transpose(-2, -1) / math.sqrt(q.shape[-1])",
        "two_groups_of_two",
        "Your queries of a group are averaged to one. A group shares keys and values; each of its heads keeps a query of "
        "its own.",
    ),
    causal_without_a_mask=edit(
        f"if mask is not None:\n        {HIDDEN}",
        f"if mask is None:\n        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril(scores.shape[-1] - scores.shape[-2])\n    {HIDDEN}",
        "as_many_groups_as_heads",
        "Without a mask your attention is causal. None means that every query may look everywhere.",
    ),
    triangle_without_a_mask=edit(
        f"if mask is not None:\n        {HIDDEN}",
        f"if mask is None:\n        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril(0)\n    {HIDDEN}",
        "groups_of_any_size",
        "Without a mask your attention is causal. None means that every query may look everywhere.",
    ),
    scale_of_the_number_of_keys=edit(
        SCORES,
        "scores = q @ keys.transpose(-2, -1) / math.sqrt(k.shape[-2])",
        "as_many_groups_as_heads",
        "Your scores are divided by the root of the number of keys. Take the features of one head.",
    ),
    scale_of_the_group=edit(
        SCORES,
        "scores = q @ keys.transpose(-2, -1) / math.sqrt(group * q.shape[-1])",
        "two_groups_of_two",
        "Your scores are divided by the root of all features of a group. Take the features of one head.",
    ),
    mask_inverted_in_place=edit(
        HIDDEN,
        "scores = scores.masked_fill(mask.logical_not_(), -math.inf)",
        "as_many_groups_as_heads",
        "Your function inverts the caller's own mask: a method whose name ends in an underscore works in place. Write "
        "~mask.",
    ),
    expanded_to_all_heads=edit(
        f"{KEYS}\n    {VALUES}",
        "keys = k.expand(-1, q.shape[1], -1, -1)\n    values = v.expand(-1, q.shape[1], -1, -1)",
        "two_groups_of_two",
        "Your expand makes many of one key-value head only. With several, each has to be repeated for its group.",
    ),
    mask_taken_for_a_truth_value=edit(
        "if mask is not None:",
        "if mask:",
        "masks_hide_keys",
        "Your function asks whether a whole mask is true. Ask whether there is one: `if mask is not None`.",
    ),
)

# sliding_mask

BACK = "back = places[:, None] - places"
SEEN = "return (back >= 0) & (back < window)"


def _seen(new: str, says: str) -> Edit:
    return edit(SEEN, new, "windows_of_any_size", says)


SLIDING = mistakes_of(
    "sliding_mask",
    diagonals_beyond_the_text=edit(
        SEEN,
        "mask = torch.zeros(T, T)\n    for off in range(window):\n"
        "        mask = mask + torch.diag(torch.ones(T - off), -off)\n    return mask.bool()",
        "narrow_and_wide_windows",
        "Your mask is put together from as many diagonals as the window is wide. A window may be wider than the text, which has only T "
        "of them.",
    ),
    window_shows_the_next=_seen(
        "return (back >= -1) & (back < window)",
        "Your mask shows each position the one right after it, which is what it is asked to predict.",
    ),
    window_one_too_wide=_seen(
        "return (back >= 0) & (back <= window)",
        "Your window is one too wide. It counts the position itself: a window of 1 is that position alone.",
    ),
    window_one_too_narrow=_seen(
        "return (back >= 0) & (back < window - 1)",
        "Your window is one too narrow: with a window of 3, a position looks at itself and at two before it.",
    ),
    window_to_both_sides=_seen(
        "return back.abs() < window", "Your window reaches forward as well, so positions see what they should predict."
    ),
    itself_hidden=_seen(
        "return (back > 0) & (back < window)", "Your mask hides the position itself, and the first row sees nothing."
    ),
    window_ignored=_seen(
        "return back >= 0", "Your mask is causal, but the window does not cut off what lies far back."
    ),
    causal_forgotten=_seen(
        "return back < window", "Your mask hides what lies far back, and shows everything that is still to come."
    ),
    far_past_only=_seen(
        "return back >= window", "Your mask shows what lies behind the window and hides what is in it."
    ),
    mask_says_what_is_hidden=_seen(
        "return (back < 0) | (back >= window)", "Your mask is True where nothing may be seen. True means 'may look'."
    ),
    mask_transposed=edit(
        BACK,
        "back = places - places[:, None]",
        "windows_of_any_size",
        "Your mask has keys as rows: positions look forward. A row belongs to a query, a column to a key.",
    ),
    mask_of_numbers=_seen(
        "return ((back >= 0) & (back < window)).float()",
        "Your mask holds numbers, 1 and 0. `~mask` and masked_fill need truth values.",
    ),
    blocks_for_windows=_seen(
        "return (back >= 0) & (places[:, None] // window == places // window)",
        "Your positions see their own block of the text, and blocks do not overlap. A window slides along with the position.",
    ),
    first_position_always_seen=edit(
        SEEN,
        "return (back >= 0) & ((back < window) | (places == 0))",
        "five_places_two_seen",
        "Your mask always shows the first position, as an attention sink. Here it leaves the window like any other.",
    ),
    early_rows_see_the_future=edit(
        SEEN,
        "start = (places - window + 1).clamp(min=0)[:, None]\n    return (places >= start) & (places < start + window)",
        "five_places_two_seen",
        "Your first rows have `window` True each, so they see what comes after them. A row ends at its own position, and "
        "there is less to see in the beginning.",
    ),
    negative_start_of_a_slice=edit(
        SEEN,
        "mask = torch.zeros(T, T, dtype=torch.bool)\n    for i in range(T):\n        mask[i, i - window + 1 : i + 1] = "
        "True\n    return mask",
        "five_places_two_seen",
        "Your first rows are empty: a slice that begins at a negative number begins at the end. Let it begin at 0 at least.",
    ),
    band_cut_on_the_wrong_side=edit(
        SEEN,
        "return (back >= 0) & (back <= 1 - window)",
        "five_places_two_seen",
        "Your triu has the wrong sign in its diagonal: nothing, or the diagonal alone, is left of the causal mask. "
        "Diagonals below the main one have negative numbers.",
    ),
    every_so_many_positions=edit(
        SEEN,
        "return (back >= 0) & (back % window == 0)",
        "five_places_two_seen",
        "Your positions look at every window-th position before them. A window is what lies next to a position.",
    ),
    end_of_the_text_seen=edit(
        SEEN,
        "return (back >= 0) & (places >= T - window)",
        "five_places_two_seen",
        "Your window lies at the end of the text for all rows. It slides along: each row has its own.",
    ),
    mask_of_penalties=edit(
        SEEN,
        "return torch.where((back >= 0) & (back < window), 0.0, -torch.inf)",
        "five_places_two_seen",
        "Your mask holds 0 and minus infinity, to be added to scores. Here a mask is boolean, True where one may look.",
    ),
    half_a_window_back=edit(
        SEEN,
        "return (back >= 0) & (back <= window // 2)",
        "narrow_and_wide_windows",
        "Your positions look back over half of the window. All of it lies behind: itself and window - 1 positions before "
        "it.",
    ),
)

# ModernLM

KEPT = "self.n_heads, self.n_kv_heads, self.window, self.base = n_heads, n_kv_heads, window, base"
TABLE = "self.embedding = nn.Embedding(vocab, d_model)"
PLACES = "positions = torch.arange(past, total, device=ids.device)"
MASK = "mask = sliding_mask(total, self.window)[past:].to(ids.device)"
EMBEDDED = "x = self.embedding(ids)"
BLOCKS = "self.blocks = nn.ModuleList(_Block(d_model, narrow, d_ff) for _ in range(n_layers))"
LOOP = "for layer, block in enumerate(self.blocks):"
NORM_1 = "normed = rms_norm(x, block.gain_1)"
QUERY = "q = rotary(_split(block.W_q(normed), self.n_heads), positions, self.base)"
KEY = "k = rotary(_split(block.W_k(normed), self.n_kv_heads), positions, self.base)"
VALUE = "v = _split(block.W_v(normed), self.n_kv_heads)"
OLD_KEYS = "k = torch.cat([cache[layer][0], k], dim=2)"
OLD_VALUES = "v = torch.cat([cache[layer][1], v], dim=2)"
KEEP = "after.append((k, v))"
LOOKED = "read = grouped_attention(q, k, v, mask).transpose(1, 2).flatten(2)"
ADDED = "x = x + block.W_o(read)"
NORM_2 = "inner = rms_norm(x, block.gain_2)"
THOUGHT = "x = x + swiglu(inner, block.W_gate.weight, block.W_up.weight, block.W_down.weight)"
FINAL = "final = rms_norm(x, self.final_gain)"
LOGITS = "return final @ self.embedding.weight.T, after"
IN, DEEP = "\n            ", "\n                "


def _any(old: str, new: str, says: str, *twins: str) -> Edit:
    return edit(old, new, "models_of_any_size", says, *twins)


def _behind(old: str, new: str, says: str) -> Edit:
    return edit(old, new, "tokens_behind_a_cache", says)


MODEL = mistakes_of(
    "ModernLM",
    heads_merged_by_view=edit(
        "read = grouped_attention(q, k, v, mask).transpose(1, 2).flatten(2)",
        "read = grouped_attention(q, k, v, mask).transpose(1, 2)\n            read = read.view(*read.shape[:2], -1)",
        "two_layers_and_groups",
        "Your heads are put side by side by `view` after axes have changed places. A view takes numbers as they lie in memory, and there "
        "they have not moved; `reshape` copies them.",
    ),
    output_map_of_its_own=_any(
        TABLE,
        f"{TABLE}\n        self.output = nn.Linear(d_model, vocab, bias=False)",
        "Your model has an output map of its own. Here the embedding is the output map as well, and the state dict has no other.",
    ),
    base_not_kept=_any(
        KEPT,
        KEPT.replace("= n_heads, n_kv_heads, window, base", "= n_heads, n_kv_heads, window, 10000.0"),
        "Your constructor keeps the base 10000, whatever it is given.",
        "base_not_handed_on",
    ),
    heads_kept_as_pairs=_any(
        KEPT,
        KEPT.replace("= n_heads, n_kv_heads", "= n_kv_heads, n_kv_heads"),
        "Your constructor keeps the number of key-value heads as the number of query heads.",
    ),
    positions_begin_again=_behind(
        PLACES,
        "positions = torch.arange(ids.shape[1], device=ids.device)",
        "Your positions begin at 0 again behind the cache. The first new token stands at the number of tokens in the cache.",
    ),
    goes_on_as_if_there_were_no_cache=_behind(
        f"{PLACES}\n        {MASK}",
        "positions = torch.arange(ids.shape[1], device=ids.device)\n"
        "        mask = sliding_mask(ids.shape[1], self.window).to(ids.device)",
        "Your model goes on behind a cache as if there were none. New tokens stand behind those of the cache, and the mask has a "
        "column for each key, those of the cache as well.",
    ),
    positions_one_too_far=_behind(
        PLACES,
        "positions = torch.arange(past, total, device=ids.device) + (past > 0)",
        "Your positions are one too far behind a cache: with three tokens in it, the next one stands at 3.",
    ),
    window_ignored_by_the_model=edit(
        MASK,
        "mask = sliding_mask(total, total)[past:].to(ids.device)",
        "windows_wider_than_the_text",
        "Your model looks at everything before a token. It looks at `window` positions only, itself included.",
    ),
    mask_rows_of_the_past=_behind(
        MASK,
        "mask = sliding_mask(total, self.window)[: ids.shape[1]].to(ids.device)",
        "Your mask has the first rows of the whole mask behind a cache. New tokens are its last rows.",
    ),
    cache_seen_whole=_behind(
        MASK,
        "mask = sliding_mask(total, self.window)[past:].to(ids.device)\n        mask[:, :past] = True",
        "Your new tokens look at the whole cache. The window counts positions in the cache, too.",
    ),
    queries_not_turned=_any(
        QUERY,
        "q = _split(block.W_q(normed), self.n_heads)",
        "Your queries are not turned by `rotary`; only your keys are.",
    ),
    keys_not_turned=_any(
        KEY,
        "k = _split(block.W_k(normed), self.n_kv_heads)",
        "Your keys are not turned by `rotary`; only your queries are.",
    ),
    nothing_turned=_any(
        f"{QUERY}{IN}{KEY}",
        f"q = _split(block.W_q(normed), self.n_heads){IN}k = _split(block.W_k(normed), self.n_kv_heads)",
        "Your model does not use `rotary`, so it does not know the order of what it looks at.",
    ),
    values_turned=_any(
        VALUE,
        "v = rotary(_split(block.W_v(normed), self.n_kv_heads), positions, self.base)",
        "Your values are turned as well. What is handed on should not depend on where it stood.",
    ),
    base_not_handed_on=_any(
        f"{QUERY}{IN}{KEY}",
        f"{QUERY}{IN}{KEY}".replace(", self.base", ""),
        "Your rotations use the base 10000, whatever base the model has.",
        "base_not_kept",
    ),
    old_keys_turned_again=_behind(
        OLD_KEYS,
        "k = torch.cat([rotary(cache[layer][0], torch.arange(past, device=ids.device), self.base), k], dim=2)",
        "Your keys from the cache are turned again. They were turned when they went into it.",
    ),
    cache_behind_the_new=_behind(
        f"{OLD_KEYS}{DEEP}{OLD_VALUES}",
        f"k = torch.cat([k, cache[layer][0]], dim=2){DEEP}v = torch.cat([v, cache[layer][1]], dim=2)",
        "Your cache stands behind the new tokens. What came first comes first.",
    ),
    cache_of_the_first_block=_behind(
        f"{OLD_KEYS}{DEEP}{OLD_VALUES}",
        f"k = torch.cat([cache[0][0], k], dim=2){DEEP}v = torch.cat([cache[0][1], v], dim=2)",
        "Your blocks all read the cache of the first block. Each block has a pair of its own.",
    ),
    only_new_tokens_kept=_behind(
        f"if cache is not None:{DEEP}{OLD_KEYS}{DEEP}{OLD_VALUES}{IN}{KEEP}",
        f"{KEEP}{IN}if cache is not None:{DEEP}{OLD_KEYS}{DEEP}{OLD_VALUES}",
        "Your new cache holds the new tokens only, so the older ones are forgotten at the next call.",
    ),
    keys_and_values_swapped_in_the_cache=_any(
        KEEP, "after.append((v, k))", "Your cache holds pairs of values and keys. It holds keys first, then values."
    ),
    cache_extended_in_place=edit(
        LOGITS,
        "if cache is not None:\n            cache[:] = after\n        return final @ self.embedding.weight.T, after",
        "two_endings_for_one_beginning",
        "Your model writes the new tokens into the cache that it was given. The caller may want to go on from it in another way.",
    ),
    heads_merged_by_reshape=_any(
        LOOKED,
        "read = grouped_attention(q, k, v, mask).reshape(x.shape)",
        "Your heads are merged by reshape alone, which moves no axis. Bring time in front of the heads first.",
    ),
    attention_without_residual=_any(
        ADDED, "x = block.W_o(read)", "Your attention replaces x where it should be added to it."
    ),
    feed_forward_without_residual=_any(
        THOUGHT,
        THOUGHT.replace("x = x + ", "x = "),
        "Your feed-forward network replaces x where it should be added to it.",
    ),
    residual_of_the_normed=_any(
        ADDED,
        "x = normed + block.W_o(read)",
        "Your attention is added to the normed x. It is added to x as it was; only the sublayer reads the normed one.",
    ),
    attention_without_norm=_any(NORM_1, "normed = x", "Your attention reads x without its norm."),
    feed_forward_without_norm=_any(NORM_2, "inner = x", "Your feed-forward network reads x without its norm."),
    one_gain_for_both=_any(
        NORM_2, "inner = rms_norm(x, block.gain_1)", "Your block uses gain_1 twice and gain_2 never."
    ),
    sublayers_side_by_side=_any(
        f"{ADDED}{IN}{NORM_2}",
        f"{NORM_2}{IN}{ADDED}",
        "Your sublayers both read the same x. The feed-forward network reads what is there after the attention.",
    ),
    no_attention=_any(ADDED, "pass", "Your model never adds what the attention has read."),
    no_feed_forward=_any(THOUGHT, "pass", "Your blocks are attention only; the feed-forward network is not used."),
    gate_and_up_swapped=_any(
        THOUGHT,
        THOUGHT.replace("block.W_gate.weight, block.W_up.weight", "block.W_up.weight, block.W_gate.weight"),
        "Your W_gate and W_up have changed places.",
    ),
    no_final_norm=_any(FINAL, "final = x", "Your logits are made of x as it is. A pre-norm stack ends with a norm."),
    final_gain_forgotten=_any(
        FINAL, "final = rms_norm(x, torch.ones_like(self.final_gain))", "Your last norm does not use final_gain."
    ),
    embedding_scaled=_any(
        EMBEDDED,
        "x = self.embedding(ids) * math.sqrt(self.d_model)",
        "Your embeddings are multiplied by the root of d_model, as in the first Transformer. Here they are added as they are.",
    ),
    softmax_of_the_logits=_any(
        LOGITS,
        "return (final @ self.embedding.weight.T).softmax(dim=-1), after",
        "Your model returns probabilities. The loss and sampling take the softmax themselves, and twice is wrong.",
    ),
    logits_of_the_last_token=_any(
        LOGITS,
        "return (final @ self.embedding.weight.T)[:, -1:], after",
        "Your model predicts behind the last token only. It does so at every position; training needs them all.",
    ),
    first_block_again_and_again=_any(
        LOOP,
        "for layer, block in enumerate([self.blocks[0]] * len(self.blocks)):",
        "Your model goes through its first block again and again. Each layer has parameters of its own.",
    ),
    blocks_backwards=_any(
        LOOP,
        "for layer, block in enumerate(reversed(self.blocks)):",
        "Your blocks come in the wrong order: the last one first.",
    ),
    output_cut_off=edit(
        LOGITS,
        "return final @ self.embedding.weight.detach().T, after",
        "all_parameters_learn",
        "Your logits are right, but the embedding is cut off where it is the output map (detach or .data), so it learns from "
        "reading alone.",
    ),
    embedding_cut_off=edit(
        EMBEDDED,
        "x = self.embedding(ids).detach()",
        "all_parameters_learn",
        "Your logits are right, but the embedding is cut off where it is read (detach or .data), so it learns as an output map "
        "alone.",
    ),
    tied_by_a_second_name=_any(
        TABLE,
        f"{TABLE}\n        self.head = nn.Linear(d_model, vocab, bias=False)\n        self.head.weight = self.embedding.weight",
        "Your output map shares the embedding's weight, but under a name of its own, which the state dict must not have. Multiply "
        "by the embedding's weight itself.",
    ),
    blocks_in_a_plain_list=_any(
        BLOCKS,
        "self.blocks = [_Block(d_model, narrow, d_ff) for _ in range(n_layers)]",
        "Your blocks are in a plain list, so your model does not register their parameters. Put them into an `nn.ModuleList`.",
    ),
    cache_joined_along_heads=_behind(
        f"{OLD_KEYS}{DEEP}{OLD_VALUES}",
        f"{OLD_KEYS}{DEEP}{OLD_VALUES}".replace("dim=2", "dim=1"),
        "Your new keys and values are joined to the old ones along the axis of heads. Time is axis 2.",
    ),
    cache_unturned=_behind(
        f"{KEY}{IN}{VALUE}{IN}if cache is not None:{DEEP}{OLD_KEYS}{DEEP}{OLD_VALUES}{IN}{KEEP}{IN}{LOOKED}",
        f"k = _split(block.W_k(normed), self.n_kv_heads){IN}{VALUE}{IN}"
        f"if cache is not None:{DEEP}{OLD_KEYS}{DEEP}{OLD_VALUES}{IN}{KEEP}{IN}"
        f"k = rotary(k, torch.arange(total, device=ids.device), self.base){IN}{LOOKED}",
        "Your cache holds the keys as they were before they were turned. It holds them turned, each by its own position.",
    ),
    cache_cut_to_window=_behind(
        KEEP,
        "after.append((k[:, :, -self.window :], v[:, :, -self.window :]))",
        "Your cache keeps the last `window` tokens. It is of all of them; its length also says at which position the next token stands.",
    ),
    cache_cut_off=edit(
        KEEP,
        "after.append((k.detach(), v.detach()))",
        "all_parameters_learn",
        "Your cache is cut off (detach or .data), so no gradient flows back to earlier pieces of the text.",
    ),
    cache_measured_along_heads=edit(
        "past = 0 if cache is None else cache[0][0].shape[2]",
        "past = 0 if cache is None else cache[0][0].shape[1]",
        "in_pieces_or_at_once",
        "Your number of cached tokens is the number of heads: keys are (batch, heads, time, d_head) here, so time is axis 2.",
    ),
    one_map_for_keys_and_values=edit(
        VALUE,
        "v = _split(block.W_k(normed), self.n_kv_heads)",
        "two_layers_and_groups",
        "Your values are made by W_k. They have a map of their own, W_v.",
    ),
    cache_measured_by_its_blocks=edit(
        "past = 0 if cache is None else cache[0][0].shape[2]",
        "past = 0 if cache is None else len(cache)",
        "in_pieces_or_at_once",
        "Your number of cached tokens is the number of blocks: the cache has a pair for each. How many tokens it holds, "
        "the time axis of its keys says.",
    ),
    one_token_without_a_mask=edit(
        MASK,
        f"{MASK} if ids.shape[1] > 1 else None",
        "cache_by_hand",
        "Your model has no mask for a single new token. It has no future to hide, but the window still cuts off what lies "
        "far back.",
    ),
    window_in_every_second_block=edit(
        LOOKED,
        "wide = sliding_mask(total, total)[past:].to(ids.device)\n            read = grouped_attention(q, k, v, wide if "
        "layer % 2 else mask).transpose(1, 2).flatten(2)",
        "two_layers_and_groups",
        "Only every second of your blocks has the window, as in some models. Here all of them have it.",
    ),
    one_block_many_times=edit(
        BLOCKS,
        "self.blocks = nn.ModuleList([_Block(d_model, narrow, d_ff)] * n_layers)",
        "two_layers_and_groups",
        "Your list holds one block n_layers times, so that all layers share their parameters: `[block] * n` copies "
        "nothing. Make a block for each.",
    ),
    last_block_not_run=edit(
        LOOP,
        "for layer, block in enumerate(self.blocks[:-1]):",
        "model_by_hand",
        "Your model leaves out its last block.",
    ),
    values_without_norm=edit(
        VALUE,
        "v = _split(block.W_v(x), self.n_kv_heads)",
        "model_by_hand",
        "Your values are made of x as it is. Queries, keys and values all read the normed x.",
    ),
    cache_cut_to_one_less=edit(
        KEEP,
        "after.append((k[:, :, 1 - self.window :], v[:, :, 1 - self.window :]))",
        "tokens_behind_a_cache",
        "Your cache keeps the last `window - 1` tokens. It is of all of them; its length also says at which position the "
        "next token stands.",
    ),
    positions_remembered_between_calls=edit(
        PLACES,
        'start = getattr(self, "seen", 0)\n        self.seen = start + ids.shape[1]\n        positions = '
        "torch.arange(start, self.seen, device=ids.device)",
        "cache_by_hand",
        "Your model counts positions itself, from call to call. A new text begins at 0, and behind a cache it is the cache "
        "that says how many tokens there were.",
    ),
    queries_and_keys_normed=edit(
        f"{QUERY}{IN}{KEY}",
        "one = torch.ones(self.d_model // self.n_heads, device=x.device)\n            q = "
        "rotary(rms_norm(_split(block.W_q(normed), self.n_heads), one), positions, self.base)\n            k = "
        "rotary(rms_norm(_split(block.W_k(normed), self.n_kv_heads), one), positions, self.base)",
        "two_layers_and_groups",
        "Your queries and keys go through a norm of their own, as in some models. Here only the stream is normed.",
    ),
    heads_split_by_reshape=edit(
        "return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)",
        "return x.reshape(x.shape[0], n_heads, x.shape[1], -1)",
        "two_layers_and_groups",
        "Your heads are split by reshape alone, which mixes positions. Split the features first, then move the axis of "
        "heads in front of time.",
    ),
    logits_divided_by_the_root=edit(
        LOGITS,
        "return final @ self.embedding.weight.T / math.sqrt(self.d_model), after",
        "model_by_hand",
        "Your logits are divided by the root of d_model, as in some models with tied embeddings. Here they are not.",
    ),
    model_window_one_too_wide=edit(
        MASK,
        "mask = sliding_mask(total, self.window + 1)[past:].to(ids.device)",
        "two_layers_and_groups",
        "Your model hands on a window that is one too wide. `sliding_mask` counts the position itself already.",
    ),
    model_window_one_too_narrow=edit(
        MASK,
        "mask = sliding_mask(total, self.window - 1)[past:].to(ids.device)",
        "two_layers_and_groups",
        "Your model hands on a window that is one too narrow. The window counts the position itself, and so does "
        "`sliding_mask`.",
    ),
    attention_without_output_map=edit(
        ADDED,
        "x = x + read",
        "two_layers_and_groups",
        "Your model adds what the heads have read as it is. It goes through W_o first.",
    ),
    final_gain_alone=edit(
        FINAL,
        "final = x * self.final_gain",
        "model_by_hand",
        "Your last step multiplies by final_gain, but the norm before it is missing.",
    ),
    residual_of_the_second_normed=edit(
        THOUGHT,
        THOUGHT.replace("x = x + ", "x = inner + "),
        "model_by_hand",
        "Your feed-forward network is added to the normed x. It is added to x as it was; only the sublayer reads the "
        "normed one.",
    ),
    queries_begin_again=edit(
        QUERY,
        "q = rotary(_split(block.W_q(normed), self.n_heads), positions - past, self.base)",
        "in_pieces_or_at_once",
        "Your queries are turned from position 0 on behind a cache, your keys are not. Both stand where the cache ends.",
    ),
    keys_begin_again=edit(
        KEY,
        "k = rotary(_split(block.W_k(normed), self.n_kv_heads), positions - past, self.base)",
        "cache_by_hand",
        "Your keys are turned from position 0 on behind a cache, your queries are not. Both stand where the cache ends.",
    ),
    mask_of_new_tokens_alone=edit(
        MASK,
        "mask = sliding_mask(ids.shape[1], self.window).to(ids.device)",
        "in_pieces_or_at_once",
        "Your mask is of the new tokens alone. It has a column for each key, those of the cache as well.",
    ),
    queries_turned_with_the_usual_base=edit(
        "q = rotary(_split(block.W_q(normed), self.n_heads), positions, self.base)",
        "q = rotary(_split(block.W_q(normed), self.n_heads), positions)",
        "models_of_any_size",
        "Your queries are turned with the usual base, 10000, and your keys with the model's. Both take self.base.",
    ),
    keys_turned_with_the_usual_base=edit(
        "k = rotary(_split(block.W_k(normed), self.n_kv_heads), positions, self.base)",
        "k = rotary(_split(block.W_k(normed), self.n_kv_heads), positions)",
        "models_of_any_size",
        "Your keys are turned with the usual base, 10000, and your queries with the model's. Both take self.base.",
    ),
)

# init_

WRITES = 'writes = name.endswith(("W_o.weight", "W_down.weight"))'
SCALE = "std = STD / math.sqrt(2 * n_layers) if writes else STD"
ONES = "parameter.fill_(1.0)"
DRAWN = "drawn = torch.randn(parameter.shape, generator=generator)"
COPIED = "parameter.copy_(std * drawn)"
DEPTHS = "models_of_any_depth"

INIT = mistakes_of(
    "init_",
    model_left_as_it_was=edit(
        "    n_layers = len(model.blocks)\n    with torch.no_grad():",
        "    import copy\n\n    model = copy.deepcopy(model)\n    n_layers = len(model.blocks)\n    with torch.no_grad():",
        "models_are_changed",
        "Your numbers are those of new tensors, and the model keeps its own. Write them into its parameters: `copy_` and `fill_` do that.",
    ),
    generator_begins_again=edit(
        "    n_layers = len(model.blocks)\n    with torch.no_grad():",
        "    generator = torch.Generator().manual_seed(generator.initial_seed())\n    n_layers = len(model.blocks)\n    with torch.no_grad():",
        "numbers_come_next",
        "You begin again with the generator's seed. A generator that has drawn before goes on where it stands, and a second model gets other "
        "numbers than the first.",
    ),
    writing_matrices_drawn_again=edit(
        """    return model.state_dict()
""",
        """        for name, parameter in model.named_parameters():
            if name.endswith(("W_o.weight", "W_down.weight")):
                again = torch.randn(parameter.shape, generator=generator)
                parameter.copy_(STD / math.sqrt(2 * n_layers) * again)
    return model.state_dict()
""",
        DEPTHS,
        "Your W_o and W_down are drawn a second time, after all others. Each matrix is drawn once, in the order of the parameters.",
    ),
    drawn_in_an_order_of_ones_own=edit(
        "        for name, parameter in model.named_parameters():\n            if parameter.dim() == 1:",
        """        order = ["W_q", "W_k", "W_v", "W_o", "W_gate", "W_up", "W_down"]

        def turn(named: tuple[str, Any]) -> tuple[int, int]:
            block, _, matrix = named[0].removeprefix("blocks.").removesuffix(".weight").partition(".")
            return (int(block), order.index(matrix)) if matrix in order else (-1, 0)

        for name, parameter in sorted(model.named_parameters(), key=turn):
            if parameter.dim() == 1:""",
        DEPTHS,
        "Your matrices are drawn in an order of your own. Go through model.named_parameters(), which may have another one.",
    ),
    residual_not_scaled=edit(
        SCALE,
        "std = STD",
        DEPTHS,
        "Your W_o and W_down have the scale of the others. They are divided by sqrt(2 n_layers).",
    ),
    everything_scaled=edit(
        SCALE,
        "std = STD / math.sqrt(2 * n_layers)",
        DEPTHS,
        "Your matrices are all divided by sqrt(2 n_layers). Only those that write into the residual stream are.",
    ),
    only_attention_scaled=edit(
        WRITES,
        'writes = name.endswith("W_o.weight")',
        DEPTHS,
        "Your W_down is not scaled down; it writes into the stream, too.",
    ),
    only_feed_forward_scaled=edit(
        WRITES,
        'writes = name.endswith("W_down.weight")',
        DEPTHS,
        "Your W_o is not scaled down; it writes into the stream, too.",
    ),
    W_up_scaled_for_W_down=edit(
        WRITES,
        'writes = name.endswith(("W_o.weight", "W_up.weight"))',
        DEPTHS,
        "Your W_up is scaled down in the place of W_down. Of the feed-forward part, only W_down writes into the stream.",
    ),
    one_write_per_layer=edit(
        SCALE,
        "std = STD / math.sqrt(n_layers) if writes else STD",
        DEPTHS,
        "Your scale counts one write for each layer. Attention and feed-forward network both write: 2 n_layers.",
    ),
    root_of_depth_forgotten=edit(
        SCALE,
        "std = STD / (2 * n_layers) if writes else STD",
        DEPTHS,
        "Your scale divides by 2 n_layers without the root. Variances add up, so standard deviations need the root.",
    ),
    variance_for_deviation=edit(
        COPIED,
        "parameter.copy_(math.sqrt(std) * drawn)",
        DEPTHS,
        "Your numbers have STD as their variance. It is their standard deviation.",
    ),
    gains_left=edit(ONES, "pass", DEPTHS, "Your gains stay what they were. They become 1."),
    gains_zero=edit(
        ONES, "parameter.fill_(0.0)", DEPTHS, "Your gains are 0, so that nothing passes a norm. They are 1."
    ),
    gains_drawn=edit(
        "            if parameter.dim() == 1:\n                parameter.fill_(1.0)\n                continue\n",
        "",
        DEPTHS,
        "Your gains are drawn like matrices. A parameter with one axis is a gain and becomes 1, and no number is drawn for it.",
    ),
    numbers_wasted_on_gains=edit(
        ONES,
        "torch.randn(parameter.shape, generator=generator)\n                parameter.fill_(1.0)",
        DEPTHS,
        "Your function draws numbers for gains as well, so the matrices after them get others. Draw for matrices only.",
    ),
    generator_ignored=edit(
        DRAWN,
        "drawn = torch.randn(parameter.shape)",
        DEPTHS,
        "Your numbers do not come from the generator you are given, so a beginning cannot be repeated.",
    ),
    uniform_numbers=edit(
        DRAWN,
        "drawn = torch.rand(parameter.shape, generator=generator) * 2 - 1",
        DEPTHS,
        "Your numbers are uniform. Draw standard normal ones, with torch.randn.",
    ),
    names_taken_for_parameters=edit(
        COPIED,
        "parameter = std * drawn",
        DEPTHS,
        "Your matrices are new tensors under the old name, and the model keeps its own. Change the values in place.",
    ),
    embedding_of_deviation_one=edit(
        COPIED,
        "parameter.copy_(drawn if 'embedding' in name else std * drawn)",
        "one_layer_begins",
        "Your embedding has a standard deviation of 1, as nn.Embedding begins with. Here it has STD as well.",
    ),
    depth_of_each_layer=edit(
        SCALE,
        'depth = int(name.split(".")[1]) + 1 if writes else 0\n            std = STD / math.sqrt(2 * depth) if writes '
        "else STD",
        "eight_layers_begin",
        "Your scale goes by the place of a layer in the stack. It is alike in all layers, and goes by how many there are.",
    ),
    drawn_and_transposed=edit(
        DRAWN,
        "drawn = torch.randn(parameter.shape[::-1], generator=generator).T",
        "one_layer_begins",
        "Your matrices are drawn the other way round and then transposed, so every number lands elsewhere. Draw them in "
        "their own shape.",
    ),
    added_to_what_was_there=edit(
        COPIED,
        "parameter.add_(std * drawn)",
        "one_layer_begins",
        "Your numbers are added to what the parameters held. They replace it.",
    ),
    parameters_sorted_by_name=edit(
        "for name, parameter in model.named_parameters():",
        "for name, parameter in sorted(model.named_parameters()):",
        "one_layer_begins",
        "Your parameters are visited by their names in alphabetical order. The order is that of model.named_parameters(), "
        "or each gets another's numbers.",
    ),
    writing_matrices_drawn_last=edit(
        "for name, parameter in model.named_parameters():",
        'writing = ("W_o.weight", "W_down.weight")\n        for name, parameter in sorted(model.named_parameters(), '
        "key=lambda pair: pair[0].endswith(writing)):",
        "one_layer_begins",
        "Your W_o and W_down are drawn after all the others. Go through the parameters once, in their order.",
    ),
    parameters_counted_as_layers=edit(
        "n_layers = len(model.blocks)",
        "n_layers = len(list(model.parameters()))",
        "one_layer_begins",
        "Your scale counts parameters for layers. There are len(model.blocks) layers.",
    ),
    writing_matrices_drawn_twice=edit(
        DRAWN,
        "drawn = torch.randn(parameter.shape, generator=generator)\n            if writes:\n                drawn = "
        "torch.randn(parameter.shape, generator=generator)",
        "one_layer_begins",
        "Your W_o and W_down are drawn twice, so everything after them gets other numbers. Find the scale first, then draw "
        "once.",
    ),
    embedding_skipped=edit(
        ONES,
        'parameter.fill_(1.0)\n                continue\n            if name == "embedding.weight":',
        "one_layer_begins",
        "Your embedding is left as it was. It is drawn like the other matrices, in its turn.",
    ),
    embedding_scaled_down=edit(
        WRITES,
        'writes = name.endswith(("W_o.weight", "W_down.weight", "embedding.weight"))',
        "one_layer_begins",
        "Your embedding is drawn smaller, like W_o and W_down. It is no sublayer and is drawn with STD.",
    ),
    all_drawn_at_once=edit(
        """    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.fill_(1.0)
                continue
            writes = name.endswith(("W_o.weight", "W_down.weight"))
            std = STD / math.sqrt(2 * n_layers) if writes else STD
            drawn = torch.randn(parameter.shape, generator=generator)
""",
        """    matrices = [parameter for parameter in model.parameters() if parameter.dim() > 1]
    drawn_at_once = torch.randn(sum(parameter.numel() for parameter in matrices), generator=generator)
    pieces = iter(drawn_at_once.split([parameter.numel() for parameter in matrices]))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.fill_(1.0)
                continue
            writes = name.endswith(("W_o.weight", "W_down.weight"))
            std = STD / math.sqrt(2 * n_layers) if writes else STD
            drawn = next(pieces).view(parameter.shape)
""",
        DEPTHS,
        "Your matrices are cut from one long draw, which has other numbers than one call for each. Draw each matrix by itself.",
    ),
)

# count

NARROW = "narrow = model.n_kv_heads * (d // model.n_heads)"
MATRICES = "matrices = 2 * d * d + 2 * d * narrow + 3 * d * model.d_ff"
PARAMETERS = "parameters = table + model.n_layers * (matrices + 2 * d) + d"
FLOPS = "flops = 2 * table + model.n_layers * (2 * matrices + 4 * d * context)"


def _parameters(new: str, says: str) -> Edit:
    return edit(PARAMETERS, new, "parameters_alone", says)


def _flops(new: str, says: str) -> Edit:
    return edit(FLOPS, new, "operations_alone", says)


COUNT = mistakes_of(
    "count",
    window_asked_of_the_model=edit(
        "    flops = 2 * table + model.n_layers",
        "    context = min(context, model.window)\n    flops = 2 * table + model.n_layers",
        "one_small_layer",
        "Your context is cut to the model's window once more. That has been done already, and the model has the sizes that the text lists "
        "and no more.",
    ),
    groups_ignored=edit(
        NARROW,
        "narrow = d",
        "counts_of_any_size",
        "Your W_k and W_v have a row for every query head. They have those of the key-value heads.",
    ),
    two_maps_for_three=edit(
        MATRICES,
        "matrices = 2 * d * d + 2 * d * narrow + 2 * d * model.d_ff",
        "counts_of_any_size",
        "Your feed-forward network has two matrices. SwiGLU has three.",
    ),
    table_twice=_parameters(
        "parameters = 2 * table + model.n_layers * (matrices + 2 * d) + d",
        "Your embedding is counted twice. It is tied: the output map is the same table.",
    ),
    table_left_out=_parameters(
        "parameters = model.n_layers * (matrices + 2 * d) + d",
        "Your parameters leave out the embedding.",
    ),
    gains_of_blocks_left_out=_parameters(
        "parameters = table + model.n_layers * matrices + d",
        "Your parameters leave out the gains of the blocks, two of d_model numbers in each.",
    ),
    final_gain_left_out=_parameters(
        "parameters = table + model.n_layers * (matrices + 2 * d)", "Your parameters leave out final_gain."
    ),
    one_operation_per_weight=_flops(
        "flops = table + model.n_layers * (matrices + 2 * d * context)",
        "Your operations count products only. Every entry of a matrix takes a product and a sum.",
    ),
    output_left_out=_flops(
        "flops = model.n_layers * (2 * matrices + 4 * d * context)",
        "Your operations leave out the logits, a product with the whole embedding.",
    ),
    lookup_counted=_flops(
        "flops = 4 * table + model.n_layers * (2 * matrices + 4 * d * context)",
        "Your operations count the look-up of the embedding like a product. Reading a row of a table computes nothing.",
    ),
    scores_alone=_flops(
        "flops = 2 * table + model.n_layers * (2 * matrices + 2 * d * context)",
        "Your operations count the scores, or the weighted sum of values, but not both.",
    ),
    context_left_out=_flops(
        "flops = 2 * table + model.n_layers * 2 * matrices",
        "Your operations leave out the attention itself, which grows with the context.",
    ),
    attention_of_groups=_flops(
        "flops = 2 * table + model.n_layers * (2 * matrices + 4 * narrow * context)",
        "Your attention counts one query head for each key-value head. Every query head makes its own scores.",
    ),
    attention_of_one_layer=_flops(
        "flops = 2 * table + model.n_layers * 2 * matrices + 4 * d * context",
        "Your attention is counted in one layer only.",
    ),
    context_squared=edit(
        FLOPS,
        "flops = 2 * table + model.n_layers * (2 * matrices + 4 * d * context**2)",
        "more_layers_and_context",
        "Your attention counts all queries of a text. The operations asked for are those of one token, which has one query.",
    ),
    training_counted=edit(
        FLOPS,
        "flops = 3 * (2 * table + model.n_layers * (2 * matrices + 4 * d * context))",
        "one_small_layer",
        "Your operations are those of training, with the backward pass. Those of the forward pass are asked for.",
    ),
    matrices_for_every_token_seen=edit(
        FLOPS,
        "flops = 2 * table + model.n_layers * (2 * matrices * context + 4 * d * context)",
        "one_small_layer",
        "Your matrices are counted for every token that is looked at. Their keys and values are in the cache; only the new "
        "token goes through the matrices.",
    ),
    whole_text_counted=edit(
        FLOPS,
        "flops = 2 * table * context + model.n_layers * (2 * matrices * context + 4 * d * context)",
        "one_small_layer",
        "Your operations are those of all tokens of the context. Those of one token are asked for.",
    ),
    gains_counted_as_products=edit(
        FLOPS,
        "flops = 2 * parameters + model.n_layers * 4 * d * context",
        "one_small_layer",
        "Your operations count two for every parameter, also for gains. Norms count nothing.",
    ),
    attention_of_one_head=edit(
        FLOPS,
        "flops = 2 * table + model.n_layers * (2 * matrices + 4 * d // model.n_heads * context)",
        "one_small_layer",
        "Your attention is counted in one head only. All heads together are as wide as d_model.",
    ),
    one_gain_in_each_block=edit(
        PARAMETERS,
        "parameters = table + model.n_layers * (matrices + d) + d",
        "one_small_layer",
        "Your blocks have one gain each. They have two, gain_1 and gain_2.",
    ),
    attention_times_heads=edit(
        FLOPS,
        "flops = 2 * table + model.n_layers * (2 * matrices + 4 * d * model.n_heads * context)",
        "one_small_layer",
        "Your attention is counted once more for every head. d_model is the width of all heads together.",
    ),
    itself_not_looked_at=edit(
        FLOPS,
        "flops = 2 * table + model.n_layers * (2 * matrices + 4 * d * (context - 1))",
        "one_small_layer",
        "Your attention looks at one token less. The context counts the token itself already.",
    ),
    values_of_groups=edit(
        FLOPS,
        "flops = 2 * table + model.n_layers * (2 * matrices + (2 * d + 2 * narrow) * context)",
        "one_small_layer",
        "Your scores, or your sums of values, are as wide as the key-value heads. Every query head makes its own of both.",
    ),
    products_of_the_output_alone=edit(
        FLOPS,
        "flops = table + model.n_layers * (2 * matrices + 4 * d * context)",
        "one_small_layer",
        "Your logits count products only. Every entry of the embedding takes a product and a sum.",
    ),
)

# label_smoothed_nll

LOG_P = "log_p = torch.log_softmax(logits, dim=-1)"
UNIFORM = "uniform = -log_p.mean(dim=-1)"
MIXED = "return ((1 - eps) * right + eps * uniform).mean()"
LOSSES = "losses_of_any_size"

SMOOTHED = mistakes_of(
    "label_smoothed_nll",
    smoothed_over_time=edit(
        UNIFORM,
        "uniform = -log_p.sum(dim=-1) / logits.shape[1]",
        LOSSES,
        "You divide the sum over the vocabulary by the number of positions: axis 1 of the logits is time. The vocabulary is the last axis.",
    ),
    not_smoothed=edit(MIXED, "return right.mean()", LOSSES, "Your loss is the plain cross-entropy; eps is not used."),
    eps_and_rest_swapped=edit(
        MIXED,
        "return (eps * right + (1 - eps) * uniform).mean()",
        LOSSES,
        "Your eps weighs the right token. The part eps goes to all tokens, and 1 - eps to the right one.",
    ),
    rest_not_taken_off=edit(
        MIXED,
        "return (right + eps * uniform).mean()",
        LOSSES,
        "Your targets sum to 1 + eps: what is given to all tokens is not taken off the right one.",
    ),
    shared_by_the_others=edit(
        MIXED,
        "vocab = logits.shape[-1]\n"
        "    others = (uniform * vocab - right) / (vocab - 1)\n"
        "    return ((1 - eps) * right + eps * others).mean()",
        LOSSES,
        "Your eps is shared by the wrong tokens alone. Here all tokens share it, the right one included.",
    ),
    uniform_summed=edit(
        UNIFORM,
        "uniform = -log_p.sum(dim=-1)",
        LOSSES,
        "Your smoothing sums over the vocabulary, so each token is asked for eps. All tokens together are.",
    ),
    uniform_of_probabilities=edit(
        UNIFORM,
        "uniform = -log_p.exp().mean(dim=-1).log()",
        LOSSES,
        "Your smoothing takes the logarithm of the mean probability, which is always 1 / vocab. Take the mean of the logarithms.",
    ),
    loss_summed=edit(
        MIXED,
        "return ((1 - eps) * right + eps * uniform).sum()",
        LOSSES,
        "Your loss is the sum over all positions. It is the mean, or it would grow with the batch.",
    ),
    loss_of_every_token=edit(
        MIXED,
        "return (1 - eps) * right + eps * uniform",
        LOSSES,
        "Your function returns the loss of every token. Their mean is asked for, one number.",
    ),
    loss_without_minus=edit(
        MIXED,
        "return -((1 - eps) * right + eps * uniform).mean()",
        LOSSES,
        "Your loss lacks the minus sign: learning would make the right tokens less probable.",
    ),
    softmax_over_time=edit(
        LOG_P,
        "log_p = torch.log_softmax(logits, dim=1)",
        LOSSES,
        "Your softmax runs over the positions. It is the tokens of one position that compete: the last axis.",
    ),
    logits_for_logarithms=edit(
        LOG_P,
        "log_p = logits",
        LOSSES,
        "Your logits are taken for logarithms of probabilities. log_softmax is missing.",
    ),
    logarithm_of_softmax=edit(
        LOG_P,
        "log_p = torch.softmax(logits, dim=-1).log()",
        "very_large_logits",
        "Your softmax rounds small probabilities to 0, whose logarithm is infinite. Use log_softmax.",
    ),
    loss_cut_off=edit(
        LOG_P,
        "log_p = torch.log_softmax(logits.detach(), dim=-1)",
        "gradients_flow_back_from_the_loss",
        "Your loss is right, but cut off from the logits (detach, .data or numpy), so nothing learns from it.",
    ),
    smoothing_cut_off=edit(
        UNIFORM,
        "uniform = -log_p.detach().mean(dim=-1)",
        "gradients_flow_back_from_the_loss",
        "Your loss is right, but its smoothing is cut off (detach, .data or numpy), so the model learns as if there were none.",
    ),
    reshaped_in_place_of_transposed=edit(
        LOG_P,
        "by_time = (logits.shape[0], logits.shape[2], logits.shape[1])\n    log_p = "
        "torch.log_softmax(logits.reshape(by_time), dim=1).transpose(1, 2)",
        "smoothed_over_a_batch",
        "Your logits are brought to (batch, vocab, time) by reshape, which moves no axis and mixes positions. Transpose, "
        "or flatten batch and time.",
    ),
    summed_over_time=edit(
        MIXED,
        "return ((1 - eps) * right + eps * uniform).sum(dim=1).mean()",
        "smoothed_over_a_batch",
        "Your loss is summed over time and averaged over the batch. It is the mean over all positions.",
    ),
    token_zero_ignored=edit(
        MIXED,
        "each = (1 - eps) * right + eps * uniform\n    return each[targets != 0].mean()",
        "a_tenth_for_all",
        "Your loss leaves out targets of 0, as if they were padding. Token 0 is a token like any other here.",
    ),
    targets_shifted_again=edit(
        LOG_P,
        "logits, targets = logits[:, :-1], targets[:, 1:]\n    log_p = torch.log_softmax(logits, dim=-1)",
        "smoothed_over_a_batch",
        "Your targets are shifted by one place. They are the next tokens already.",
    ),
    divergence_for_cross_entropy=edit(
        MIXED,
        "aim = torch.full_like(log_p, eps / log_p.shape[-1])\n    aim = aim.scatter_add(-1, targets[..., None], "
        "torch.full_like(log_p[..., :1], 1 - eps))\n    return nn.functional.kl_div(log_p, aim, "
        'reduction="none").sum(dim=-1).mean()',
        "a_tenth_for_all",
        "Your loss is a KL divergence, which lacks the entropy of the smoothed targets. Asked for is the cross-entropy.",
    ),
    divergence_of_every_entry=edit(
        MIXED,
        "aim = torch.full_like(log_p, eps / log_p.shape[-1])\n    aim = aim.scatter_add(-1, targets[..., None], "
        'torch.full_like(log_p[..., :1], 1 - eps))\n    return nn.functional.kl_div(log_p, aim, reduction="none").mean()',
        "a_tenth_for_all",
        "Your loss is a KL divergence, averaged over the vocabulary, too. Asked for is the cross-entropy: a sum over the "
        "vocabulary, a mean over positions.",
    ),
    divergence_of_every_row=edit(
        MIXED,
        "aim = torch.full_like(log_p, eps / log_p.shape[-1])\n    aim = aim.scatter_add(-1, targets[..., None], "
        'torch.full_like(log_p[..., :1], 1 - eps))\n    return nn.functional.kl_div(log_p, aim, reduction="batchmean")',
        "smoothed_over_a_batch",
        "Your loss is a KL divergence, divided by the number of rows. Asked for is the cross-entropy, a mean over all "
        "positions.",
    ),
    averaged_over_the_vocabulary=edit(
        MIXED,
        "return ((1 - eps) * right + eps * uniform).mean() / logits.shape[-1]",
        "a_tenth_for_all",
        "Your mean runs over the vocabulary, too. The targets' shares are summed over it; the mean is over positions.",
    ),
    one_hot_without_vocabulary=edit(
        MIXED,
        "aim = (1 - eps) * nn.functional.one_hot(targets) + eps / logits.shape[-1]\n    return -(aim * "
        "log_p).sum(dim=-1).mean()",
        "a_tenth_for_all",
        "Your one_hot guesses the size of the vocabulary from the largest target. Tell it: the last axis of the logits has "
        "it.",
    ),
    target_overwritten=edit(
        MIXED,
        "return ((1 - eps - eps / logits.shape[-1]) * right + eps * uniform).mean()",
        "a_tenth_for_all",
        "Your right token gets 1 - eps and loses its part of what is spread, so the targets sum to less than 1. Add 1 - "
        "eps to what it has.",
    ),
    probabilities_smoothed=edit(
        MIXED,
        "mixed = (1 - eps) * (-right).exp() + eps / logits.shape[-1]\n    return -mixed.log().mean()",
        "a_tenth_for_all",
        "Your model's probabilities are smoothed. It is the targets that are: mix logarithms, not probabilities.",
    ),
    softmax_before_log_softmax=edit(
        LOG_P,
        "log_p = torch.log_softmax(torch.softmax(logits, dim=-1), dim=-1)",
        "a_tenth_for_all",
        "Your logits go through a softmax twice: log_softmax, and cross_entropy too, takes it itself.",
    ),
)

# adamw_step

NEXT = "t = steps + 1"
FIRST = "m = betas[0] * m + (1 - betas[0]) * g"
SECOND = "v = betas[1] * v + (1 - betas[1]) * g**2"
M_HAT = "m_hat = m / (1 - betas[0] ** t)"
V_HAT = "v_hat = v / (1 - betas[1] ** t)"
SHRUNK = "shrunk = w - lr * decay * w"
STEP = "return shrunk - lr * m_hat / (v_hat.sqrt() + eps), (m, v, t)"
STEPS = "steps_of_any_kind"

ADAMW = mistakes_of(
    "adamw_step",
    no_correction=edit(
        f"{M_HAT}\n    {V_HAT}",
        "m_hat, v_hat = m, v",
        STEPS,
        "Your averages are used without the correction, so the first steps have a wrong size.",
    ),
    first_average_not_corrected=edit(
        M_HAT, "m_hat = m", STEPS, "Your m is used without its correction; v has its own."
    ),
    second_average_not_corrected=edit(
        V_HAT, "v_hat = v", STEPS, "Your v is used without its correction; m has its own."
    ),
    corrections_swapped=edit(
        f"{M_HAT}\n    {V_HAT}",
        "m_hat = m / (1 - betas[1] ** t)\n    v_hat = v / (1 - betas[0] ** t)",
        STEPS,
        "Your corrections use each other's beta.",
    ),
    correction_without_steps=edit(
        f"{M_HAT}\n    {V_HAT}",
        "m_hat = m / (1 - betas[0])\n    v_hat = v / (1 - betas[1])",
        STEPS,
        "Your corrections are those of the first step, every time. The power of beta is the number of steps.",
    ),
    steps_from_zero=edit(
        f"{M_HAT}\n    {V_HAT}",
        "m_hat = m / (1 - betas[0] ** (t - 1))\n    v_hat = v / (1 - betas[1] ** (t - 1))",
        STEPS,
        "Your corrections count the steps before this one. This step counts: t begins at 1.",
    ),
    corrected_averages_kept=edit(
        STEP,
        "return shrunk - lr * m_hat / (v_hat.sqrt() + eps), (m_hat, v_hat, t)",
        STEPS,
        "Your state keeps the corrected averages, so the next step corrects them a second time. Keep m and v.",
    ),
    steps_not_counted=edit(
        STEP,
        "return shrunk - lr * m_hat / (v_hat.sqrt() + eps), (m, v, steps)",
        STEPS,
        "Your state keeps the old number of steps, so every step is taken for the first.",
    ),
    averages_not_kept=edit(
        STEP,
        "return shrunk - lr * m_hat / (v_hat.sqrt() + eps), (state[0], state[1], t)",
        STEPS,
        "Your state keeps the old averages, so the gradients of earlier steps are forgotten.",
    ),
    gradient_not_squared=edit(
        SECOND,
        "v = betas[1] * v + (1 - betas[1]) * g.abs()",
        STEPS,
        "Your v averages the sizes of gradients. It averages their squares; the root comes later.",
    ),
    square_of_the_average=edit(
        SECOND,
        "v = betas[1] * v + (1 - betas[1]) * m**2",
        STEPS,
        "Your v averages the squares of m. It averages those of the gradient.",
    ),
    betas_swapped=edit(
        f"{FIRST}\n    {SECOND}",
        "m = betas[1] * m + (1 - betas[1]) * g\n    v = betas[0] * v + (1 - betas[0]) * g**2",
        STEPS,
        "Your averages use each other's beta. The first one is for m, the second one for v.",
    ),
    betas_weigh_the_gradient=edit(
        f"{FIRST}\n    {SECOND}",
        "m = (1 - betas[0]) * m + betas[0] * g\n    v = (1 - betas[1]) * v + betas[1] * g**2",
        STEPS,
        "Your beta weighs the new gradient. It says how much of the average is kept.",
    ),
    gradients_added_up=edit(
        f"{FIRST}\n    {SECOND}",
        "m = betas[0] * m + g\n    v = betas[1] * v + g**2",
        STEPS,
        "Your averages lack the factors 1 - beta, so they are sums and no averages.",
    ),
    gradient_for_average=edit(
        STEP,
        "return shrunk - lr * g / (v_hat.sqrt() + eps), (m, v, t)",
        STEPS,
        "Your step uses the gradient itself in place of its average m.",
    ),
    root_forgotten_in_step=edit(
        STEP,
        "return shrunk - lr * m_hat / (v_hat + eps), (m, v, t)",
        STEPS,
        "Your step divides by v without its root.",
    ),
    eps_inside_the_root=edit(
        STEP,
        "return shrunk - lr * m_hat / (v_hat + eps).sqrt(), (m, v, t)",
        STEPS,
        "Your eps is inside the root. Here it is added to the root.",
    ),
    step_uphill=edit(
        STEP,
        "return shrunk + lr * m_hat / (v_hat.sqrt() + eps), (m, v, t)",
        STEPS,
        "Your step goes uphill: it is subtracted, not added.",
    ),
    decay_through_the_gradient=edit(
        f"{FIRST}\n    {SECOND}\n    {M_HAT}\n    {V_HAT}\n    {SHRUNK}",
        f"g = g + decay * w\n    {FIRST}\n    {SECOND}\n    {M_HAT}\n    {V_HAT}\n    shrunk = w",
        STEPS,
        "Your decay is added to the gradient, as in Adam with L2 regularisation, and is then divided by the gradient's size. "
        "AdamW takes it off the weight directly.",
    ),
    decay_without_rate=edit(
        SHRUNK, "shrunk = w - decay * w", STEPS, "Your decay is not multiplied by the learning rate."
    ),
    decay_forgotten=edit(SHRUNK, "shrunk = w", STEPS, "Your step has no weight decay: this is Adam."),
    decay_grows=edit(
        SHRUNK, "shrunk = w + lr * decay * w", STEPS, "Your decay makes weights larger. It takes a part off."
    ),
    decay_after_the_step=edit(
        STEP,
        "return (w - lr * m_hat / (v_hat.sqrt() + eps)) * (1 - lr * decay), (m, v, t)",
        STEPS,
        "Your decay shrinks the weight after the step, and a part of the step with it. It is taken of the weight as it was.",
    ),
    averages_in_place=edit(
        f"{FIRST}\n    {SECOND}",
        "m = m.mul_(betas[0]).add_((1 - betas[0]) * g)\n    v = v.mul_(betas[1]).add_((1 - betas[1]) * g**2)",
        "step_leaves_its_input_alone",
        "Your averages are changed in the state that was handed in (a method whose name ends in an underscore works in place).",
    ),
    parameter_in_place=edit(
        SHRUNK,
        "shrunk = w.mul_(1 - lr * decay)",
        "step_leaves_its_input_alone",
        "Your step changes the parameter that was handed in. Return a new one.",
    ),
    beta_times_steps=edit(
        f"{M_HAT}\n    {V_HAT}",
        "m_hat = m / (1 - betas[0] * t)\n    v_hat = v / (1 - betas[1] * t)",
        "the_second_step",
        "Your correction multiplies beta by the number of steps. It is beta to the power of t.",
    ),
    eps_before_the_correction=edit(
        STEP,
        "root = v.sqrt() + eps\n    return shrunk - lr * m_hat * (1 - betas[1] ** t) ** 0.5 / root, (m, v, t)",
        "a_matrix_takes_a_step",
        "Your eps is added to the root of v before v is corrected. Correct v first, then take the root, then add eps.",
    ),
    step_before_the_averages=edit(
        f"{M_HAT}\n    {V_HAT}",
        "m_hat = state[0] / (1 - betas[0] ** t)\n    v_hat = state[1] / (1 - betas[1] ** t)",
        "the_first_step",
        "Your step uses the averages as they were before this gradient. Update them first.",
    ),
    second_average_never_falls=edit(
        SECOND,
        "v = torch.maximum(v, betas[1] * v + (1 - betas[1]) * g**2)",
        "a_matrix_takes_a_step",
        "Your v never falls, as in AMSGrad. In AdamW it is a plain running average.",
    ),
    spread_around_the_average=edit(
        SECOND,
        "v = betas[1] * v + (1 - betas[1]) * (g - m) ** 2",
        "the_first_step",
        "Your v averages the squared distance of g from m. It averages the square of g itself.",
    ),
    gradient_mixed_in_twice=edit(
        M_HAT,
        "m_hat = (betas[0] * m + (1 - betas[0]) * g) / (1 - betas[0] ** t)",
        "the_first_step",
        "Your step mixes the gradient into m once more, as Nesterov's momentum does. AdamW uses m as it is.",
    ),
    decay_divided_by_the_root=edit(
        f"{SHRUNK}\n    {STEP}",
        "return w - lr * (m_hat + decay * w) / (v_hat.sqrt() + eps), (m, v, t)",
        "the_first_step",
        "Your decay is divided by the root of v along with the step. It is taken off the weight directly, so that large "
        "gradients do not weaken it.",
    ),
    one_size_for_the_whole_tensor=edit(
        SECOND,
        "v = betas[1] * v + (1 - betas[1]) * (g**2).mean()",
        "a_matrix_takes_a_step",
        "Your v takes one mean over the whole tensor. Every number has an average of its own square.",
    ),
    correction_outside_the_root=edit(
        STEP,
        "return shrunk - lr * m_hat / (v.sqrt() / (1 - betas[1] ** t) + eps), (m, v, t)",
        "the_first_step",
        "Your root is taken before v is corrected. Divide by 1 - beta2^t first, and take the root of that.",
    ),
    step_without_rate=edit(
        STEP,
        "return shrunk - m_hat / (v_hat.sqrt() + eps), (m, v, t)",
        "the_first_step",
        "Your step is not multiplied by the learning rate; only the decay is.",
    ),
    second_average_of_the_gradient=edit(
        "v = betas[1] * v + (1 - betas[1]) * g**2",
        "v = betas[1] * v + (1 - betas[1]) * g",
        "steps_of_any_kind",
        "Your v averages the gradient. It averages the squared gradient.",
    ),
    first_beta_corrects_both=edit(
        "v_hat = v / (1 - betas[1] ** t)",
        "v_hat = v / (1 - betas[0] ** t)",
        "steps_of_any_kind",
        "Your v_hat is corrected with the first beta. v began at zero with the second one: 1 - betas[1]^t.",
    ),
    decay_through_the_averages=edit(
        "    m = betas[0] * m + (1 - betas[0]) * g\n",
        "    g = g + decay * w\n    m = betas[0] * m + (1 - betas[0]) * g\n",
        "steps_of_any_kind",
        "Your decay goes through the averages as well as straight to the weight. It is taken off the weight alone.",
    ),
)

# top_p

PROBABILITIES = "probabilities = torch.softmax(logits, dim=-1)"
RANKED = "ranked, order = probabilities.sort(dim=-1, descending=True)"
BEFORE = "before = ranked.cumsum(dim=-1) - ranked"
CUT = "kept = ranked.masked_fill(before >= p, 0.0)"
SHARES = "shares = kept / kept.sum(dim=-1, keepdim=True)"
PLACED = "return torch.zeros_like(shares).scatter(-1, order, shares)"
NUCLEI = "nuclei_of_any_size"

NUCLEUS = mistakes_of(
    "top_p",
    left_out_in_all_rows=edit(
        "    return torch.zeros_like(shares).scatter(-1, order, shares)",
        "    rest = probabilities.clone()\n    rest[order[before >= p]] = 0\n    return rest / rest.sum(dim=-1, keepdim=True)",
        "every_row_has_its_own_nucleus",
        "Your index of what is left out is used along the first axis: `kept[ids]` picks entries of one row, and whole rows of several. "
        "`scatter` puts numbers into places along the last axis.",
    ),
    crossing_token_left_out=edit(
        BEFORE,
        "before = ranked.cumsum(dim=-1)",
        NUCLEI,
        "Your nucleus leaves out the token that crosses p, so what is left has less than p. It stays.",
    ),
    crossing_token_left_out_unless_first=edit(
        BEFORE,
        "before = ranked.cumsum(dim=-1) - (ranked if p == 1 else ranked * (torch.arange(ranked.shape[-1]) == 0))",
        NUCLEI,
        "Your nucleus leaves out the token that crosses p, unless it is the first. The one that crosses always stays.",
    ),
    crossing_taken_for_granted=edit(
        CUT,
        "kept = ranked.clone()\n    for row in kept.view(-1, kept.shape[-1]):\n"
        "        last = (row.cumsum(dim=-1) >= p).nonzero()[0].item()\n        row[last + 1 :] = 0",
        "a_sum_that_rounding_keeps_below_one",
        "Your code looks for the first running sum that reaches p and expects to find one. With p = 1 rounding can keep them all "
        "below it: then every token stays.",
    ),
    one_token_too_many=edit(
        BEFORE,
        "before = ranked.cumsum(dim=-1) - ranked - ranked.roll(1, dims=-1)",
        NUCLEI,
        "Your nucleus keeps one token too many: the one after that which crosses p.",
    ),
    not_shared_out=edit(
        SHARES,
        "shares = kept",
        NUCLEI,
        "Your probabilities do not sum to 1: what is left out has to be shared among those that stay.",
    ),
    softmax_again=edit(
        SHARES,
        "shares = torch.softmax(kept.masked_fill(before >= p, -math.inf), dim=-1)",
        NUCLEI,
        "Your probabilities go through a softmax again, which makes them more alike. Divide by their sum.",
    ),
    left_sorted=edit(
        PLACED, "return shares", NUCLEI, "Your probabilities stay sorted. Every token gets its own place back."
    ),
    placed_by_gather=edit(
        PLACED,
        "return shares.gather(-1, order)",
        NUCLEI,
        "Your probabilities are sorted a second time, by gather. To undo the sorting use scatter, or the inverse order.",
    ),
    least_probable_first=edit(
        RANKED,
        "ranked, order = probabilities.sort(dim=-1)",
        NUCLEI,
        "Your nucleus begins with the least probable tokens. Sort in descending order.",
    ),
    at_least_p_each=edit(
        CUT,
        "kept = ranked.masked_fill((ranked < p) & (before > 0), 0.0)",
        NUCLEI,
        "Your nucleus keeps tokens that have p each. It is their sum that has to reach p.",
    ),
    tail_kept=edit(
        CUT,
        "kept = ranked.masked_fill((before >= 1 - p) & (before > 0), 0.0)",
        NUCLEI,
        "Your nucleus stops at 1 - p. It goes on until p is reached.",
    ),
    nothing_left_out=edit(CUT, "kept = ranked", NUCLEI, "Your nucleus keeps all tokens; p is not used."),
    sums_over_rows=edit(
        BEFORE,
        "before = ranked.cumsum(dim=0) - ranked",
        NUCLEI,
        "Your sums run over the first axis, over rows. They run over the tokens of one row.",
    ),
    logits_ranked_as_they_are=edit(
        PROBABILITIES,
        "probabilities = logits / logits.sum(dim=-1, keepdim=True)",
        NUCLEI,
        "Your logits are divided by their sum. Probabilities are their softmax.",
    ),
    logits_in_place=edit(
        PROBABILITIES,
        "probabilities = logits.softmax(dim=-1)\n    logits -= logits.max()",
        "nucleus_leaves_its_input_alone",
        "Your function changes the logits that were handed in: -= works in place.",
    ),
    nothing_may_cross_but_the_first=edit(
        CUT,
        "kept = ranked.masked_fill((ranked.cumsum(dim=-1) > p) & (before > 0), 0.0)",
        NUCLEI,
        "Your nucleus leaves out the token that crosses p, unless it is the first. The one that crosses always stays.",
    ),
    crossing_never_found=edit(
        CUT,
        "first = (ranked.cumsum(dim=-1) >= p).int().argmax(dim=-1, keepdim=True)\n"
        "    kept = ranked.masked_fill(torch.arange(ranked.shape[-1], device=ranked.device) > first, 0.0)",
        "one_token_or_all",
        "Your nucleus is one token where the running sum never reaches p: argmax of what is false everywhere is 0. Rounding keeps "
        "sums below 1, so with p = 1 that happens.",
    ),
    alike_shares=edit(
        SHARES,
        "stay = (kept > 0).to(kept.dtype)\n    shares = stay / stay.sum(dim=-1, keepdim=True)",
        "the_token_that_crosses",
        "Your tokens that stay all get the same share. Divide their probabilities by the sum, so that they keep their "
        "proportions.",
    ),
    rest_for_the_first=edit(
        SHARES,
        "shares = kept.clone()\n    shares[..., 0] += 1 - kept.sum(dim=-1)",
        "the_token_that_crosses",
        "What is left out all goes to your most probable token. Divide by the sum, so that all that stay keep their "
        "proportions.",
    ),
    rest_shared_alike=edit(
        SHARES,
        "stay = kept > 0\n    shares = kept + stay * (1 - kept.sum(dim=-1, keepdim=True)) / stay.sum(dim=-1, keepdim=True)",
        "the_token_that_crosses",
        "What is left out is spread evenly over your tokens that stay. Divide by the sum, so that they keep their "
        "proportions.",
    ),
    share_of_the_largest=edit(
        CUT,
        "kept = ranked.masked_fill(ranked < p * ranked[..., :1], 0.0)",
        "the_token_that_crosses",
        "Your nucleus keeps tokens with at least p times the largest probability, which is min-p. Here it is their sum "
        "that has to reach p.",
    ),
    left_out_logits_are_zero=edit(
        SHARES,
        "shares = logits.gather(-1, order).masked_fill(before >= p, 0.0).softmax(dim=-1)",
        "the_token_that_crosses",
        "Your left-out logits become 0, which still gets a share of the softmax. They have to be minus infinity.",
    ),
    share_of_the_vocabulary=edit(
        CUT,
        "kept = ranked.clone()\n    kept[..., max(1, int(p * ranked.shape[-1])) :] = 0.0",
        "the_token_that_crosses",
        "Your nucleus keeps a share p of the tokens. It is their probabilities that have to reach p, so how many stay "
        "depends on the row.",
    ),
    widest_row_decides=edit(
        CUT,
        "count = int((before < p).sum(dim=-1).max())\n    kept = ranked.clone()\n    kept[..., count:] = 0.0",
        "every_row_has_its_own_nucleus",
        "All of your rows keep as many tokens as the row that needs the most. Every row has a nucleus of its own.",
    ),
    first_row_decides=edit(
        CUT,
        "count = int((before < p).reshape(-1, before.shape[-1])[0].sum())\n    kept = ranked.clone()\n    kept[..., "
        "count:] = 0.0",
        "every_row_has_its_own_nucleus",
        "All of your rows keep as many tokens as the first one. Every row has a nucleus of its own.",
    ),
    mask_placed_by_gather=edit(
        PLACED,
        "mine = probabilities * (before < p).gather(-1, order)\n    return mine / mine.sum(dim=-1, keepdim=True)",
        "every_row_has_its_own_nucleus",
        "Your mask is brought back by gather, which sorts it a second time. To undo the sorting use scatter, or the "
        "inverse order.",
    ),
    sums_in_the_order_of_ids=edit(
        RANKED,
        "ranked = probabilities\n    order = torch.arange(ranked.shape[-1], device=ranked.device).expand_as(ranked)",
        "every_row_has_its_own_nucleus",
        "Your running sum goes through the tokens by their ids. It begins with the most probable one.",
    ),
    each_above_the_rest=edit(
        CUT,
        "kept = ranked.masked_fill((ranked < 1 - p) & (before > 0), 0.0)",
        "the_token_that_crosses",
        "Your nucleus keeps tokens that have 1 - p each. It is their sum that has to reach p.",
    ),
    softmax_of_the_columns=edit(
        PROBABILITIES,
        "probabilities = torch.softmax(logits, dim=0)",
        "every_row_has_its_own_nucleus",
        "Your softmax runs over the first axis, over rows. The tokens of one row compete, along the last axis.",
    ),
    nucleus_along_the_first_axis=edit(
        "    ranked, order = probabilities.sort(dim=-1, descending=True)\n"
        "    before = ranked.cumsum(dim=-1) - ranked\n"
        "    kept = ranked.masked_fill(before >= p, 0.0)\n"
        "    shares = kept / kept.sum(dim=-1, keepdim=True)\n"
        "    return torch.zeros_like(shares).scatter(-1, order, shares)",
        "    ranked, order = probabilities.sort(dim=0, descending=True)\n"
        "    before = ranked.cumsum(dim=0) - ranked\n"
        "    kept = ranked.masked_fill((before >= p) & (p < 1), 0.0)\n"
        "    shares = kept / kept.sum(dim=0)\n"
        "    return torch.zeros_like(shares).scatter(0, order, shares)",
        "every_row_has_its_own_nucleus",
        "You sort and add up along the first axis, over rows. Each row has a nucleus of its own, along the last axis.",
    ),
    placed_by_gather_unless_all_stay=edit(
        PLACED,
        "return shares.gather(-1, order) if p < 1 else probabilities",
        NUCLEI,
        "Your probabilities are sorted a second time, by gather. To undo the sorting use scatter, or the inverse order.",
    ),
)

MISCONCEPTIONS = (
    *RMS_NORM, *SWIGLU, *ROTARY, *GROUPED, *SLIDING, *MODEL, *INIT, *COUNT, *SMOOTHED, *ADAMW, *NUCLEUS,
)  # fmt: skip
