"""Give an exception a reason: one sentence on what met there, and what to do about it.

What is seen of a public case may name its shapes. Of a hidden case only the kind of exception is told, in a sentence that
is the same for every input. Nothing here knows the reference.
"""

from __future__ import annotations

from autograder.course.spec import Call, Visibility
from autograder.judge import crash_details as seen
from autograder.judge import crash_shapes as shapes
from autograder.judge import rules_of_functions as rules
from autograder.judge.axis_names import names_in
from autograder.judge.calls_as_text import Signatures
from autograder.judge.crash_details import Crash, Rule
from autograder.sandbox.job import Source, Trouble

PROCESS_ENDED = "process_ended"  # the kind of what is no exception: the code ended Python


def rule_of(trouble: Trouble) -> Rule | None:
    """Return the rule for an exception, the first that matches, or None."""
    return next((rule for rule in RULES if rule.match(trouble)), None)


def kind_of_crash(trouble: Trouble) -> str:
    """Return the name of the kind of exception, or nothing where it is not known. It says nothing about the input."""
    rule = rule_of(trouble)
    return rule.name if rule else ""


def explain_kind(name: str) -> str:
    """Return the sentence that holds for every crash of a kind; nothing for a kind of another version."""
    ended = "The code ended the Python process." if name == PROCESS_ENDED else ""
    return next((rule.general for rule in RULES if rule.name == name), ended)


def reason_of_crash(
    trouble: Trouble,
    visibility: Visibility,
    source: Source,
    call: Call,
    function: str,
    stub: str,
    signatures: Signatures,
) -> str:
    """Return what an exception comes from, in a sentence or two, or nothing where that is not known."""
    rule = rule_of(trouble)
    match = rule.match(trouble) if rule else None
    if rule is None or match is None:
        return ""
    if visibility is Visibility.HIDDEN or rule.detail is None:
        return rule.general
    parameters = tuple(signatures.get(call.path(function), ()))
    given = {**dict(zip(parameters, call.args, strict=False)), **dict(call.kwargs)}
    crash = Crash(trouble, names_in(call, function, stub, signatures), parameters, given, source, signatures)
    try:
        return rule.detail(crash, match) or rule.general
    except (ArithmeticError, LookupError, TypeError, ValueError):  # a text that no library writes
        return rule.general


_SHAPES = (
    "Two shapes do not fit here. They are lined up from the right; each pair of axes has to be equal, or one of them 1. "
    "Does one lack an axis of length one, such as keepdims keeps?"
)
_MATRICES = (
    "In a product of matrices the last axis of the left one has to equal the last but one of the right one, and the axes in front of "
    "these have to fit. Here they do not. Is one to be transposed, or is the order wrong?"
)
_LINEAR = (
    "A linear layer multiplies by the transpose of its weight: the last axis of what goes in has to equal the last axis of the "
    "weight, which is in_features. Here they are not equal."
)
_EINSUM = "One letter of an einsum stands for axes of different sizes. A letter has one size wherever it stands."
_GIVEN = (
    "A function or model that the case hands to your code has no answer for one of its calls. Is it called once too often, or with "
    "arguments of another shape or dtype than the text says?"
)
_JOINED = "The arrays that are joined do not fit: for a concatenation all axes but one have to be equal, for a stack all of them."
_NONE = (
    "A value is None here. Either the text allows None for an argument, and your code has to treat that case first, or a function "
    "of yours ends without `return`."
)
_UNPACK = "There are more or fewer names on the left than values on the right."
_FLOAT = "Something else than a whole number stands where one is wanted. Is it a float? `/` always gives one; `//` divides whole numbers."
_PLACE = "A list or tuple takes one whole number as its index: no name, no float, and no index with several axes."
_INDEX = "An index lies beyond the end. Entries are counted from 0, so the last index is the length minus one."
_BOOL = (
    "A mask holds truth values: compare, or make it with dtype bool, before it is negated, joined by & or handed on."
)
_CALL = "Your code calls a function with arguments that it does not take: look at its parameters, their number and their names."
_STUB = "Your code is called with the parameters of the stub. They are given, and so is the constructor of a class: keep them."
_ONE = "An array of several numbers stands where Python needs a single number."
_AXES = "Your code asks for an axis, or an index, that the array does not have. Count axes from the end (-1, -2) where others may stand in front."
_ARGUMENTS = r"(?P<function>[\w.]+)\(\) (?:takes|missing|got an unexpected|got multiple|got some)"

# The first that matches counts, so what is said more closely stands first.
RULES = (
    Rule(
        "left_in_the_debugger",
        r"", "It stops in the debugger, which has no terminal here. Take the call of pdb out, or run the case with --debug.",
        types="BdbQuit",
    ),
    Rule("handed_function_failed", r"", _GIVEN, rules.handed_over, given=True),
    Rule("parameters_renamed", r"loading state_dict", "The constructor is given, and a case loads its parameters by their names: keep them.", seen.parameter_names),
    Rule("none_used", r"'?NoneType'?|not NoneType|got None", _NONE, seen.none_here),
    Rule("undefined_name", r"name '(?P<name>\w+)' is not defined", "A name is used that is not defined there.", seen.undefined_name, "NameError"),
    Rule(
        "read_before_assignment",
        r"local variable '(?P<name>\w+)'|free variable",
        "A variable is read before anything is assigned to it: in a loop or branch that may not run, or further down.",
        types="UnboundLocalError|NameError",
    ),
    Rule("no_such_attribute", r"'(?P<owner>[\w.]+)' object has no attribute '(?P<name>\w+)'", "Something of another type than you expect is here.", seen.no_attribute),
    Rule("parameters_of_the_stub_changed", _ARGUMENTS, _STUB, seen.case_calls_in_vain, "TypeError", by_case=True),
    Rule("wrong_arguments", _ARGUMENTS, _CALL, seen.wrong_call, "TypeError"),
    Rule(
        "mask_not_bool",
        r"mask is boolean|mask\w* (?:must|should) be bool|ufunc 'invert'|unary ~|operator.invert|expected\D+bool|only supports boolean masks|"
        r"bitwise_\w+\" not implemented|ufunc 'bitwise_",
        _BOOL, seen.not_bool,
    ),
    Rule(
        "shape_not_a_tuple",
        r"Cannot interpret '[^']*' as a data type",
        "The second argument is the dtype. A shape is one argument, a tuple: it stands in parentheses of its own.",
    ),
    Rule("wrong_index_of_a_list", r"(?P<kind>tuple|list) indices must be integers or slices, not (?P<by>\w+)", _PLACE, seen.place_in_list),
    Rule(
        "float_for_a_whole_number",
        r"object cannot be interpreted as an integer|slice indices must be integers|must be integers or slices|"
        r"index must be an integer|invalid combination of arguments.*float",
        _FLOAT, seen.float_here,
    ),
    Rule(
        "text_for_an_array",
        r"unsupported operand type.*'str'|can only concatenate str|must be str, not",
        "A text stands where an array is meant. A loop over a dict gives its keys; `.values()` gives what they stand for.",
    ),
    Rule(
        "mask_of_another_size",
        r"boolean index did not match|shape of the mask",
        "A mask that picks entries has the sizes of the axes that it picks from, the first ones. Here it has others.",
        rules.mask_as_index,
    ),
    Rule(
        "index_arrays_do_not_meet",
        r"shape mismatch: indexing arrays",
        "The arrays of an index have to broadcast with each other: give one of them an axis of length one.",
        shapes.index_arrays,
    ),
    Rule(
        "shapes_do_not_meet",
        r"Target sizes: \[(?P<target>[^\]]*)\]\.\s+Tensor sizes: \[(?P<source>[^\]]*)\]|"
        r"input array from shape \((?P<source2>[^)]*)\) into shape \((?P<target2>[^)]*)\)",
        _SHAPES, shapes.filled_place,
    ),
    Rule("einsum_letters_do_not_meet", r"subscript \w has size|Size of label|remapped shapes", _EINSUM, rules.letters_of_einsum, calls="einsum$"),
    Rule("layer_given_another_size", r"mat1 and mat2", _LINEAR, rules.linear_layer, calls=r"linear$|^self\."),
    Rule("matrices_do_not_meet", r"broadcast|must match the size of tensor b", _MATRICES, shapes.two_matrices, calls="@|matmul$"),
    Rule("matrices_do_not_meet", r"matmul|mat1 and mat2|not aligned|dimensions of batch2|size mismatch, got|inconsistent tensor size", _MATRICES, shapes.two_matrices),
    Rule("shapes_do_not_meet", r"broadcast|must match the size of tensor b|output with shape", _SHAPES, shapes.two_shapes),
    Rule(
        "reshaped_to_another_size",
        r"(?:reshape array of size (?P<size>\d+) into shape \((?P<wanted>[^)]*)\))",
        "A reshape keeps the number of entries; the new shape has another one.", shapes.new_shape,
    ),
    Rule(
        "reshaped_to_another_size",
        r"shape '\[(?P<wanted>[^\]]*)\]' is invalid for input of size (?P<size>\d+)",
        "A reshape keeps the number of entries; the new shape has another one.", shapes.new_shape,
    ),
    Rule(
        "view_of_a_transpose",
        r"view size is not compatible",
        "`view` needs entries that lie one after another in memory, and a transposed tensor has them in another order. "
        "`reshape` copies where it must.",
    ),
    Rule("wrong_number_of_names", r"to unpack \(expected (?:at least )?(?P<names>\d+)", _UNPACK, shapes.unpacked_values),
    Rule(
        "index_lacks_an_axis",
        r"`indices` and `arr`|Index tensor must have the same number",
        "An array of indices needs as many axes as the array that it picks from: give it an axis of length one where it has none.",
        shapes.index_axes,
    ),
    Rule("joined_arrays_differ", r"Sizes of tensors must match except|same number of dimensions|concatenation axis|to be equal size|must have same shape|same ndim", _JOINED, shapes.joined_arrays),
    Rule(
        "lengths_in_a_list_differ",
        r"inhomogeneous shape|expected sequence of length \d+ at dim",
        "A list is taken for one array, and what stands in it has different shapes. Go through the list, one array at a time.",
    ),
    Rule(
        "number_for_a_tensor",
        r"expected Tensor as element|must be Tensor, not|must be tuple of Tensors",
        "A torch function is given something else than a tensor. For a Python number there is `math`; or make a tensor of it first.",
    ),
    Rule("index_beyond_the_end", r"index (?P<at>-?\d+) is out of bounds for (?:axis|dimension) (?P<axis>\d+) with size (?P<size>\d+)", _INDEX, shapes.index_beyond),
    Rule(
        "list_not_filled_yet",
        r"list assignment index",
        "The list has no such place yet. Append to it, or make an array of the right size before the loop.",
    ),
    Rule(
        "unknown_id",
        r"index out of range in self",
        "An id is looked up that the table does not have: ids run from 0 to one less than the number of its rows.",
    ),
    Rule("index_beyond_the_end", r"list index out of range|tuple index out of range|string index out of range", _INDEX),
    Rule(
        "more_than_there_are",
        r"selected index k out of range",
        "`topk` is asked for more entries than an axis has: k may be at most the size of that axis.",
        rules.too_many_of_the_best,
    ),
    Rule(
        "nothing_to_draw",
        r"expects 'from' to be less than 'to', but got from=(?P<low>-?\d+) >= to=(?P<high>-?\d+)|^(?:high <= 0|low >= high)",
        "The upper limit of a random draw is not above the lower one: there is nothing to draw.",
        rules.nothing_to_draw,
    ),
    Rule(
        "no_such_axis",
        r"too many indices|Dimension out of range|out of bounds for array of dimension|axes don't match|doesn't match the number of dimensions|"
        r"number of subscripts|more dimensions than subscripts|does not contain the correct number|object too deep|0-dim tensor|dimension specified as|"
        r"slice\(\) cannot be applied",
        _AXES, shapes.other_axes,
    ),
    Rule(
        "floats_as_ids",
        r"tensors used as indices must be long|scalar types: Long|must be of integer|valid indices|cannot be safely cast|index\w* of .*int64|"
        r"expected\D+(?:Long|int64)",
        "Ids and positions have to be whole numbers (int64, torch's long), and these have another dtype.",
        shapes.floats_as_ids,
    ),
    Rule(
        "dtypes_do_not_meet",
        r"same dtype|expected scalar type|expected m1 and m2|can't be cast|Cannot cast|dtype mismatch",
        "Two dtypes meet that do not go together. Give what you make yourself the dtype of what it meets.",
        shapes.two_dtypes,
    ),
    Rule(
        "classes_on_another_axis",
        r"Expected target size|Expected input batch_size|1D target tensor expected",
        "Cross-entropy takes the classes on axis 1 of the logits, and one target for each of the other places.",
        shapes.classes_elsewhere,
    ),
    Rule(
        "layer_given_another_shape",
        r"attn_mask is|normalized_shape|Expected (?:more than|\d+D)|input\.size\(-1\) must be|input has inconsistent",
        "A layer is given another shape than it was made for.",
    ),
    Rule(
        "sequences_not_sorted",
        r"sorted in decreasing order",
        "The sequences of a batch are not sorted by length, and packing takes them for sorted. enforce_sorted=False packs any order.",
    ),
    Rule(
        "parameter_changed_in_place",
        r"leaf Variable that requires grad",
        "A tensor that needs a gradient is changed in place. Is it an argument, or a parameter in a forward pass? Make a new tensor. An "
        "optimiser's step on a parameter belongs under torch.no_grad().",
    ),
    Rule(
        "needed_tensor_changed_in_place",
        r"modified by an inplace operation",
        "A tensor that the backward pass still needs was changed in place (`+=`, `x[...] = `, or a name ending in _). Make a new one.",
    ),
    Rule(
        "backward_twice",
        r"backward through the graph a second time",
        "backward runs twice through the same forward pass. Compute the loss again for each, or call backward once on their sum.",
    ),
    Rule(
        "graph_cut",
        r"does not require grad",
        "Nothing in this leads back to the parameters. Is the graph cut somewhere, by no_grad, detach, numpy or .item()?",
    ),
    Rule(
        "numpy_with_gradients",
        r"numpy\(\) on Tensor that requires grad",
        "numpy keeps no gradients. Stay in torch where gradients have to flow; for one number that you only report, take .item().",
    ),
    Rule(
        "function_of_one_number",
        r"single element can be converted|one element tensors can be converted|(?:size-1|length-1|0-dimensional) arrays|converted to Scalar",
        "A function of `math` takes one number, and here it gets several. torch and numpy have functions of the same name that take every "
        "entry by itself.",
        calls=r"^(?:math\.)?(?:sqrt|exp|log|log2|sin|cos|tanh|pow)$",
    ),
    Rule(
        "number_for_an_array",
        r"'(?:int|float|bool|numpy\.\w+)' object does not support item assignment",
        "Your code changes entries of what is a single number here. Where the text allows a number, make an array of it first, or "
        "use functions that take both.",
    ),
    Rule("several_numbers_for_one", r"single element can be converted|one element tensors can be converted|size-1 arrays|length-1 arrays|converted to Scalar|is ambiguous", _ONE, shapes.several_numbers),
    Rule("division_by_zero", r"division by zero|by zero", "A number is divided by zero. Which argument may be 0, and what does the text say then?", seen.divided_by, "ZeroDivisionError"),
    Rule("endless_recursion", r"recursion", "Functions call themselves or each other more often than Python allows. What stops them?", types="RecursionError"),
    Rule("value_of_another_type", r"'(?P<type>[\w.]+)' object is not (?:callable|iterable|subscriptable)", "A value of another type than you expect is used here.", seen.unusable),
    Rule("no_such_key", r"(?P<key>.+)", "A dict has no such key.", seen.no_key, "KeyError"),
)  # fmt: skip
