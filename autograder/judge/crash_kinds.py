"""What students read of a crash of which nothing is seen: a sentence for each kind, the same for every input."""

from __future__ import annotations

from autograder.course.language import marked

# Kinds that the same mistake may come to, as it is written: in another library, or with another function.
_FAMILIES = (
    {"matrices_do_not_meet", "layer_given_another_size", "einsum_letters_do_not_meet"},
    {"index_beyond_the_end", "more_than_there_are", "unknown_id", "list_not_filled_yet"},
    {"joined_arrays_differ", "lengths_in_a_list_differ"},
    {"several_truth_values_for_one", "several_numbers_for_one"},
)

PROCESS_ENDED = "process_ended"  # the kind of what is no exception: the code ended Python

# By kind, in the order of the rules in `crash_reasons.py`.
CRASHES = marked({
    "left_in_the_debugger": "It stops in the debugger, which has no terminal here. Take the call of pdb out, or run the case with --debug.",
    "handed_function_failed": "A function or model that the case hands to your code has no answer for one of its calls. Is it called once too often, "
    "or with arguments of another shape or dtype than the text says?",
    "parameters_renamed": "A case loads the parameters that the constructor makes, by their names: keep these, and the shapes.",
    "placeholder_left": "A `...` stands where something is still to be written.",
    "asks_the_keyboard": "`input()` waits for a keyboard, and there is none when code is checked. What a function needs comes in by its arguments.",
    "pair_for_a_tensor": "`max`, `min`, `median`, `sort` and `topk` along an axis give two tensors, the values and their places. Take `.values`.",
    "ids_for_a_layer": "Whole numbers reach a layer that computes with fractions. Do ids go through the embedding first?",
    "none_used": "A value is None here. Either the text allows None for an argument, and your code has to treat that case first, or a "
    "function of yours ends without `return`.",
    "undefined_name": "A name is used that is not defined there.",
    "read_before_assignment": "A variable is read before anything is assigned to it: in a loop or branch that may not run, or further down.",
    "no_such_method": "A class has lost a method that the stub has. Was it renamed or removed?",
    "super_not_called": "A module takes in parameters and parts only after `super().__init__()`: is it the first line of your `__init__`?",
    "no_such_function": "A library has no function of this name. Is it misspelt?",
    "no_such_attribute": "Something of another type than you expect is here.",
    "parameters_of_the_stub_changed": "Your code is called with the parameters of the stub. They are given, and so is the constructor of a class: keep them.",
    "wrong_arguments": "Your code calls a function with arguments that it does not take: look at its parameters, their number and their names.",
    "caret_for_a_power": "`^` is no power in Python but an exclusive or, which takes whole numbers and truth values. A power is written `**`.",
    "mask_not_bool": "A mask holds truth values: compare, or make it with dtype bool, before it is negated, joined by & or handed on.",
    "shape_not_a_tuple": "The second argument is the dtype. A shape is one argument, a tuple: it stands in parentheses of its own.",
    "wrong_index_of_a_list": "A list or tuple takes one whole number as its index: no name, no float, and no index with several axes.",
    "float_for_a_whole_number": "Something else than a whole number stands where one is wanted. Is it a float? `/` always gives one; `//` divides whole"
    " numbers.",
    "text_for_an_array": "A text stands where an array is meant. A loop over a dict gives its keys; `.values()` gives what they stand for.",
    "mask_of_another_size": "A mask that picks entries has the sizes of the axes that it picks from, the first ones. Here it has others.",
    "index_arrays_do_not_meet": "The arrays of an index have to broadcast with each other: give one of them an axis of length one.",
    "shapes_do_not_meet": "Two shapes do not fit here. They are lined up from the right; each pair of axes has to be equal, or one of them 1. "
    "Does one lack an axis of length one, such as keepdims keeps?",
    "einsum_letters_do_not_meet": "One letter of an einsum stands for axes of different sizes. A letter has one size wherever it stands.",
    "einsum_keeps_its_dots": "numpy's einsum sums over letters that stand on the left of the arrow alone, and never over the axes of `...`, which "
    "have to stand on the right, too. Name the axes to be summed over, or sum over them afterwards.",
    "layer_given_another_size": "A linear layer multiplies by the transpose of its weight: the last axis of what goes in has to equal the last axis of "
    "the weight, which is in_features. Here they are not equal.",
    "matrices_do_not_meet": "In a product of matrices the last axis of the left one has to equal the last but one of the right one, and the axes in"
    " front of these have to fit. Here they do not. Is one to be transposed, or is the order wrong?",
    "reshaped_to_another_size": "A reshape keeps the number of entries; the new shape has another one.",
    "view_of_a_transpose": "`view` needs entries that lie one after another in memory, and a transposed tensor has them in another order. "
    "`reshape` copies where it must.",
    "wrong_number_of_names": "There are more or fewer names on the left than values on the right.",
    "index_lacks_an_axis": "An array of indices needs as many axes as the array that it picks from: give it an axis of length one where it has none.",
    "joined_arrays_differ": "The arrays that are joined do not fit: for a concatenation all axes but one have to be equal, for a stack all of them.",
    "parts_not_equal": "A number tells `split` how many equal parts to make of an axis, of the first one where no `axis` is given, and its length has no such"
    " parts. It also takes a list of places to cut at.",
    "parts_of_another_sum": "The sizes of the parts have to sum to the length of the axis that is split, and here they do not.",
    "negative_size": "An axis is to have a negative size. Is it a difference of two sizes, of which the second is larger in some calls?",
    "vectors_only": "The function takes vectors only, and is given an array of more axes. `a[..., None] * b` is an outer product and "
    "`(a * b).sum(-1)` a dot product with any axes in front.",
    "norm_of_more_axes": "A norm with an `ord` is one of vectors or matrices, and of a matrix ord=2 is the largest singular value. Without "
    "`ord`, and without an axis, it is the root of the sum of all squares.",
    "truth_values_subtracted": "Truth values cannot be subtracted: `~mask` turns a mask round.",
    "lengths_in_a_list_differ": "A list is taken for one array, and what stands in it has different shapes. Go through the list, one array at a time.",
    "tensor_for_a_tuple": "A tuple or list of tensors is wanted, such as the (h, c) of an LSTM, and a single tensor is given.",
    "layer_not_called": "A layer stands where its result is meant. `nn.ReLU(x)` makes a layer, with x as a setting; `nn.ReLU()(x)` calls one, and "
    "`torch.relu(x)` is the function.",
    "number_for_a_tensor": "A torch function is given something else than a tensor. For a Python number there is `math`; or make a tensor of it "
    "first.",
    "index_beyond_the_end": "There is no entry at an index. Entries are counted from 0 to the length minus one, or from -1 backwards; where there "
    "are none, no index has one.",
    "list_not_filled_yet": "The list that is written to has no such place. An empty list grows by `append`; one that was made with a number of "
    "places has no more than these.",
    "not_in_the_list": "`index` and `remove` fail where the value does not stand in the list at all. Ask with `in` first, or say what holds then.",
    "unknown_id": "An id is looked up that the table does not have: ids run from 0 to one less than the number of its rows.",
    "more_than_there_are": "`topk` is asked for more entries than an axis has: k may be at most the size of that axis.",
    "nothing_to_draw": "The upper limit of a random draw is not above the lower one: there is nothing to draw.",
    "matrix_turned_with_its_batch": "`t()` turns one matrix, which has two axes. `transpose(-2, -1)` turns each of a batch.",
    "no_such_axis": "Your code asks for an axis, or an index, that the array does not have. Count axes from the end (-1, -2) where others "
    "may stand in front.",
    "floats_as_ids": "Ids and positions have to be whole numbers (int64, torch's long), and these have another dtype.",
    "dtypes_do_not_meet": "Two dtypes meet that do not go together. Give what you make yourself the dtype of what it meets.",
    "classes_on_another_axis": "Cross-entropy takes the classes on axis 1 of the logits, and one target for each of the other places.",
    "layer_given_another_shape": "A layer is given another shape than it was made for.",
    "sequences_not_sorted": "The sequences of a batch are not sorted by length, and packing takes them for sorted. enforce_sorted=False packs any "
    "order.",
    "parameter_changed_in_place": "A tensor that needs a gradient is changed in place. In a forward pass, or where it is an argument, make a new tensor. "
    "To set a model's parameters, change them under `with torch.no_grad():`.",
    "pairs_for_complex": "`view_as_complex` takes pairs of numbers, on a last axis of length 2. Reshape to (..., n / 2, 2) first.",
    "needed_tensor_changed_in_place": "A tensor that the backward pass still needs was changed in place (`+=`, `x[...] = `, or a name ending in _). Make a "
    "new one.",
    "backward_twice": "backward runs twice through the same forward pass. Compute the loss again for each, or call backward once on their sum.",
    "graph_cut": "Nothing in this leads back to the parameters. Is the graph cut somewhere, by no_grad, detach, numpy or .item()?",
    "numpy_with_gradients": "numpy keeps no gradients. Stay in torch where gradients have to flow; for one number that you only report, take "
    ".item().",
    "function_of_one_number": "A function of `math` takes one number, and here it gets several. torch and numpy have functions of the same name that "
    "take every entry by itself.",
    "number_for_an_array": "Your code changes entries of what is a single number here. Where the text allows a number, make an array of it first, "
    "or use functions that take both.",
    "smaller_of_two_arrays": "Python's own `min` and `max` ask which of two whole arrays is smaller. Is each to be one number, and an index missing? "
    "`minimum` and `maximum` of numpy and torch go entry by entry.",
    "not_of_a_mask": "`not` wants a single truth value. `~mask` turns every entry of a mask round.",
    "several_truth_values_for_one": "An `if`, `while`, `and` or `or` wants a single truth value, and gets several. A mask or `where` chooses entry "
    "by entry; `.any()` and `.all()` make one of them.",
    "several_numbers_for_one": "An array of several numbers stands where Python needs a single number.",
    "division_by_zero": "A number is divided by zero. Which argument may be 0, and what does the text say then?",
    "assertion_fails": "An `assert` of yours fails. Does what it asks for hold in this call, too? Floats are seldom equal to the last digit: "
    "compare them with a tolerance.",
    "endless_recursion": "Functions call themselves or each other more often than Python allows. What stops them?",
    "value_of_another_type": "A value of another type than you expect is used here.",
    "no_such_key": "A dict has no such key.",
    "no_such_module": "A module is imported that is not there. Packages that the assignment does not use may be missing where it is graded, and "
    "of your own files only what is handed in is read.",
    PROCESS_ENDED: "The code ended the Python process.",
})  # fmt: skip


def of_one_family(one: str, other: str) -> bool:
    """Whether two kinds of exceptions may come of the same mistake; of an unknown kind anything may."""
    return one == other or not (one and other) or any({one, other} <= family for family in _FAMILIES)
