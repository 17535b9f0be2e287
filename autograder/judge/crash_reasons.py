"""Give an exception a reason: one sentence on what met there, and what to do about it.

What is seen of a public case may name its shapes. Of a hidden case only the kind of exception is told, in a sentence that
is the same for every input. Nothing here knows the reference.
"""

from __future__ import annotations

from autograder.course.language import say
from autograder.course.spec import Call, Visibility
from autograder.judge import crash_details as seen
from autograder.judge import crash_names as names
from autograder.judge import crash_shapes as shapes
from autograder.judge import rules_of_functions as rules
from autograder.judge.axis_names import names_in
from autograder.judge.calls_as_text import Signatures
from autograder.judge.crash_details import Crash, Rule
from autograder.judge.crash_kinds import CRASHES
from autograder.sandbox.job import Source, Trouble


def rule_of(trouble: Trouble) -> Rule | None:
    """Return the rule for an exception, the first that matches, or None."""
    return next((rule for rule in RULES if rule.match(trouble)), None)


def kind_of_crash(trouble: Trouble) -> str:
    """Return the name of the kind of exception, or nothing where it is not known. It says nothing about the input."""
    rule = rule_of(trouble)
    return rule.name if rule else ""


def explain_kind(name: str) -> str:
    """Return the sentence that holds for every crash of a kind; nothing for a kind of another version."""
    return say(CRASHES.get(name, ""))


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
    general = explain_kind(rule.name)
    if visibility is Visibility.HIDDEN or rule.detail is None:
        return general
    parameters = tuple(signatures.get(call.path(function), ()))
    given = {**dict(zip(parameters, call.args, strict=False)), **dict(call.kwargs)}
    crash = Crash(trouble, names_in(call, function, stub, signatures), parameters, given, source, signatures)
    try:
        return rule.detail(crash, match) or general
    except (ArithmeticError, LookupError, StopIteration, TypeError, ValueError):  # a text that no library writes
        return general


# Layers of torch.nn that students make where they mean to call them, as exceptions name them.
_LAYER = r"(?:ReLU|GELU|SiLU|Tanh|Sigmoid|Softmax|LogSoftmax|Dropout|LayerNorm|Linear|Embedding|MultiheadAttention|Sequential)"
_ARGUMENTS = r"(?P<function>[\w.]+)\(\) (?:takes|missing|got an unexpected|got multiple|got some)"

# The first that matches counts, so what is said more closely stands first.
RULES = (
    Rule("left_in_the_debugger", r"", types="BdbQuit"),
    Rule("handed_function_failed", r"", rules.handed_over, given=True),
    Rule("parameters_renamed", r"loading state_dict", seen.parameter_names),
    Rule("placeholder_left", r"'ellipsis'"),
    Rule("asks_the_keyboard", r"EOF when reading a line", types="EOFError"),
    Rule("pair_for_a_tensor", r"torch\.return_types\.(?:max|min|median|sort|topk)\b"),
    Rule("ids_for_a_layer", r"RNN input dtype \(torch\.int"),
    Rule("none_used", r"'?NoneType'?|not NoneType|got None", seen.none_here),
    Rule("no_such_module", r"No module named '(?P<name>[\w.]+)'", names.no_module, "ModuleNotFoundError"),
    Rule("undefined_name", r"name '(?P<name>\w+)' is not defined", names.undefined_name, "NameError"),
    Rule(
        "read_before_assignment",
        r"(?:local|free) variable '(?P<name>\w+)'",
        names.not_assigned,
        "UnboundLocalError|NameError",
    ),
    Rule("no_such_method", r"Module \[(?P<owner>\w+)\] is missing the required \"(?P<name>forward)\"", names.no_method),
    Rule(
        "super_not_called", r"before Module\.__init__\(\)|has no attribute '_(?:modules|parameters|buffers|\w+_hooks)'"
    ),
    Rule(
        "no_such_function",
        r"module '(?P<owner>(?:numpy|torch)[\w.]*)' has no attribute '(?P<name>\w+)'",
        names.no_function,
    ),
    Rule("no_such_attribute", r"'(?P<owner>[\w.]+)' object has no attribute '(?P<name>\w+)'", names.no_attribute),
    Rule("parameters_of_the_stub_changed", _ARGUMENTS, seen.case_calls_in_vain, "TypeError", by_case=True),
    Rule("wrong_arguments", _ARGUMENTS, seen.wrong_call, "TypeError"),
    Rule(
        "caret_for_a_power",
        r"unsupported operand type\(s\) for \^=?: '(?:float|int|Tensor)'|ufunc 'bitwise_xor|\"bitwise_xor",
    ),
    Rule(
        "mask_not_bool",
        r"mask is boolean|mask\w* (?:must|should) be bool|ufunc 'invert'|unary ~|operator.invert|expected\D+bool|only supports boolean masks|"
        r"bitwise_\w+\" not implemented|ufunc 'bitwise_",
        seen.not_bool,
    ),
    Rule("shape_not_a_tuple", r"Cannot interpret '[^']*' as a data type"),
    Rule(
        "wrong_index_of_a_list",
        r"(?P<kind>tuple|list) indices must be integers or slices, not (?P<by>\w+)",
        seen.place_in_list,
    ),
    Rule(
        "float_for_a_whole_number",
        r"object cannot be interpreted as an integer|slice indices must be integers|must be integers or slices|"
        r"index must be an integer|invalid combination of arguments.*float|failed to unpack the object at pos",
        seen.float_here,
    ),
    Rule("text_for_an_array", r"unsupported operand type.*'str'|can only concatenate str|must be str, not"),
    Rule("mask_of_another_size", r"boolean index did not match|shape of the mask", rules.mask_as_index),
    Rule("index_arrays_do_not_meet", r"shape mismatch: indexing arrays", shapes.index_arrays),
    Rule(
        "shapes_do_not_meet",
        r"Target sizes: \[(?P<target>[^\]]*)\]\.\s+Tensor sizes: \[(?P<source>[^\]]*)\]|"
        r"input array from shape \((?P<source2>[^)]*)\) into shape \((?P<target2>[^)]*)\)",
        shapes.filled_place,
    ),
    Rule("einsum_keeps_its_dots", r"output has more dimensions than subscripts given in einstein sum"),
    Rule(
        "einsum_letters_do_not_meet",
        r"subscript \w has size|Size of label|remapped shapes",
        rules.letters_of_einsum,
        calls="einsum$",
    ),
    Rule("layer_given_another_size", r"mat1 and mat2", rules.linear_layer, calls=r"linear$|^self\."),
    Rule("matrices_do_not_meet", r"broadcast|must match the size of tensor b", shapes.two_matrices, calls="@|matmul$"),
    Rule(
        "matrices_do_not_meet",
        r"matmul|mat1 and mat2|not aligned|dimensions of batch2|size mismatch, got|inconsistent tensor size",
        shapes.two_matrices,
    ),
    Rule("shapes_do_not_meet", r"broadcast|must match the size of tensor b|output with shape", shapes.two_shapes),
    Rule(
        "reshaped_to_another_size",
        r"(?:reshape array of size (?P<size>\d+) into shape \((?P<wanted>[^)]*)\))",
        shapes.new_shape,
    ),
    Rule(
        "reshaped_to_another_size",
        r"shape '\[(?P<wanted>[^\]]*)\]' is invalid for input of size (?P<size>\d+)",
        shapes.new_shape,
    ),
    Rule("view_of_a_transpose", r"view size is not compatible"),
    Rule("wrong_number_of_names", r"to unpack \(expected (?:at least )?(?P<names>\d+)", shapes.unpacked_values),
    Rule("index_lacks_an_axis", r"`indices` and `arr`|Index tensor must have the same number", shapes.index_axes),
    Rule(
        "joined_arrays_differ",
        r"Sizes of tensors must match except|same number of dimensions|concatenation axis|to be equal size|must have (?:the )?same shape|same ndim",
        shapes.joined_arrays,
    ),
    Rule("parts_not_equal", r"does not result in an equal division"),
    Rule("parts_of_another_sum", r"split_with_sizes expects split_sizes to sum exactly"),
    Rule("pairs_for_complex", r"must have a last dimension of size 2"),
    Rule("negative_size", r"negative dimension|(?:length|size) must be non-negative"),
    Rule("norm_of_more_axes", r"Improper number of dimensions to norm|If dim is not specified but ord is"),
    Rule("truth_values_subtracted", r"numpy boolean (?:subtract|negative)|with a bool tensor|on a bool tensor"),
    Rule("lengths_in_a_list_differ", r"inhomogeneous shape|expected sequence of length \d+ at dim"),
    Rule("tensor_for_a_tuple", r"must be tuple of Tensors, not Tensor"),
    Rule("layer_not_called", rf"must be Tensor, not {_LAYER}\b|unsupported operand .*'{_LAYER}'"),
    Rule("number_for_a_tensor", r"expected Tensor as element|must be Tensor, not|must be tuple of Tensors"),
    Rule(
        "index_beyond_the_end",
        r"index (?P<at>-?\d+) is out of bounds for (?:axis|dimension) (?P<axis>\d+) with size (?P<size>\d+)",
        shapes.index_beyond,
    ),
    Rule("list_not_filled_yet", r"list assignment index"),
    Rule("not_in_the_list", r"is not in (?:the )?(?:list|tuple)|x not in (?:list|tuple)", types="ValueError"),
    Rule("unknown_id", r"index out of range in self"),
    Rule("index_beyond_the_end", r"list index out of range|tuple index out of range|string index out of range"),
    Rule("more_than_there_are", r"selected index k out of range", rules.too_many_of_the_best),
    Rule(
        "nothing_to_draw",
        r"expects 'from' to be less than 'to', but got from=(?P<low>-?\d+) >= to=(?P<high>-?\d+)|^(?:high <= 0|low >= high)",
        rules.nothing_to_draw,
    ),
    Rule("matrix_turned_with_its_batch", r"t\(\) expects a tensor with <= 2 dimensions"),
    Rule("vectors_only", r"Expected 1-D argument|1D tensors expected"),
    Rule(
        "no_such_axis",
        r"too many indices|Dimension out of range|out of bounds for array of dimension|axes don't match|doesn't match the number of dimensions|"
        r"number of subscripts|more dimensions than subscripts|does not contain the correct number|object too deep|0-dim tensor|dimension specified as|"
        r"slice\(\) cannot be applied",
        shapes.other_axes,
    ),
    Rule(
        "floats_as_ids",
        r"tensors used as indices must be long|scalar types: Long|must be of integer|valid indices|cannot be safely cast|index\w* of .*int64|"
        r"expected\D+(?:Long|int64)",
        shapes.floats_as_ids,
    ),
    Rule(
        "dtypes_do_not_meet",
        r"same dtype|same scalar type|expected scalar type|expected m1 and m2|can't be cast|Cannot cast|dtype mismatch",
        shapes.two_dtypes,
    ),
    Rule(
        "classes_on_another_axis",
        r"Expected target size|Expected input batch_size|1D target tensor expected",
        shapes.classes_elsewhere,
    ),
    Rule(
        "layer_given_another_shape",
        r"input\.size\(-1\) must be equal to input_size\. Expected (?P<wanted>\d+), got (?P<got>\d+)|"
        r"input has inconsistent input_size: got (?P<got2>\d+),? expected (?P<wanted2>\d+)",
        rules.recurrent_layer,
    ),
    Rule(
        "layer_given_another_shape",
        r"attn_mask is|normalized_shape|Expected (?:more than|\d+D)|input\.size\(-1\) must be|input has inconsistent",
    ),
    Rule("sequences_not_sorted", r"sorted in decreasing order"),
    Rule("parameter_changed_in_place", r"leaf Variable that requires grad"),
    Rule("needed_tensor_changed_in_place", r"modified by an inplace operation"),
    Rule("backward_twice", r"backward through the graph a second time"),
    Rule("graph_cut", r"does not require grad"),
    Rule("numpy_with_gradients", r"numpy\(\) on Tensor that requires grad"),
    Rule(
        "function_of_one_number",
        r"single element can be converted|one element tensors can be converted|(?:size-1|length-1|0-dimensional) arrays|converted to Scalar",
        calls=r"^(?:math\.)?(?:sqrt|exp|log|log2|sin|cos|tanh|pow)$",
    ),
    Rule("number_for_an_array", r"'(?:int|float|bool|numpy\.\w+)' object does not support item assignment"),
    Rule("smaller_of_two_arrays", r"is ambiguous", shapes.compared_as_a_whole, calls=r"^(?:min|max)$"),
    Rule("not_of_a_mask", r"is ambiguous", calls=r"^not$"),
    Rule("several_truth_values_for_one", r"is ambiguous", shapes.several_truth_values),
    Rule(
        "several_numbers_for_one",
        r"single element can be converted|one element tensors can be converted|size-1 arrays|length-1 arrays|converted to Scalar",
        shapes.several_numbers,
    ),
    Rule("division_by_zero", r"division by zero|by zero", seen.divided_by, "ZeroDivisionError"),
    Rule("endless_recursion", r"recursion", types="RecursionError"),
    Rule("assertion_fails", r"^$", types="AssertionError"),
    Rule(
        "value_of_another_type", r"'(?P<type>[\w.]+)' object is not (?:callable|iterable|subscriptable)", seen.unusable
    ),
    Rule("no_such_key", r"(?P<key>.+)", seen.no_key, "KeyError"),
)
