"""Give an exception a reason: one sentence on what met there, and what to do about it.

What is seen of a public case may name its shapes. Of a hidden case only the kind of exception is told, in a sentence that
is the same for every input. Nothing here knows the reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from autograder.course.spec import Call, Visibility
from autograder.judge import crash_details as seen
from autograder.judge.axis_names import names_in
from autograder.judge.calls_as_text import Signatures
from autograder.judge.crash_details import Crash
from autograder.sandbox.job import Source, Trouble

Detail = Callable[[Crash, re.Match[str]], str]


@dataclass(frozen=True)
class Rule:
    """A kind of exception: its text, what may always be said of it, and what can be said of a public case."""

    pattern: str
    general: str
    detail: Detail | None = None
    types: str = ""  # a pattern of the exception's type

    def match(self, trouble: Trouble) -> re.Match[str] | None:
        """Return how an exception matches."""
        known = not self.types or re.fullmatch(self.types, trouble.type_name)
        return re.search(self.pattern, trouble.text, re.DOTALL) if known else None


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
    found = ((rule, rule.match(trouble)) for rule in RULES)
    rule, match = next(((rule, match) for rule, match in found if match), (None, None))
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
    "In a product of matrices the last axis of the left one meets the last but one of the right one, and the two are not equal "
    "here. Is one to be transposed, or is the order wrong?"
)
_JOINED = "The arrays that are joined differ in another axis than the one along which they are joined, or in their number of axes."
_NONE = "A value is None here. Either the text allows None for it, and that case comes first, or a function ends without `return`."
_UNPACK = "There are more or fewer names on the left than values on the right."
_FLOAT = "A float stands where a whole number is wanted. `/` always gives a float; `//` divides whole numbers."
_PLACE = "A list or tuple takes one whole number as its index: no name, no float, and no index with several axes."
_INDEX = (
    "An index lies beyond the end. Entries are counted from 0, so the last one is one less than how many there are."
)
_BOOL = "A mask holds truth values: compare, or make it with dtype bool, before it is negated or handed on."
_CALL = "A function is called with other arguments than it has. The constructor and the parameters of the stub are given: keep them."
_ONE = "An array of several numbers stands where Python wants one."
_AXES = "An index or an axis is asked for that the array does not have. Count axes from the end (-1, -2) where others may stand in front."

# The first that matches counts, so what is said more closely stands first.
RULES = (
    Rule(r"loading state_dict", "The constructor is given, and a case loads its parameters by their names: keep them.", seen.parameter_names),
    Rule(r"'?NoneType'?|not NoneType|got None", _NONE, seen.none_here),
    Rule(r"name '(?P<name>\w+)' is not defined", "A name is used that is defined nowhere.", seen.undefined_name, "NameError"),
    Rule(
        r"local variable '(?P<name>\w+)'|free variable",
        "A variable is read before anything is assigned to it: in a loop or branch that may not run, or further down.",
        types="UnboundLocalError|NameError",
    ),
    Rule(r"'(?P<owner>[\w.]+)' object has no attribute '(?P<name>\w+)'", "Something of another type than you expect is here.", seen.no_attribute),
    Rule(r"(?P<function>[\w.]+)\(\) (?:takes|missing|got an unexpected|got multiple|got some)", _CALL, seen.wrong_call, "TypeError"),
    Rule(
        r"mask is boolean|mask\w* (?:must|should) be bool|ufunc 'invert'|unary ~|operator.invert|expected\D+bool|only supports boolean masks",
        _BOOL, seen.not_bool,
    ),
    Rule(
        r"Cannot interpret '[^']*' as a data type",
        "The shape is one argument, a tuple: it stands in parentheses of its own. The second argument is the dtype.",
    ),
    Rule(r"(?P<kind>tuple|list) indices must be integers or slices, not (?P<by>\w+)", _PLACE, seen.place_in_list),
    Rule(
        r"object cannot be interpreted as an integer|slice indices must be integers|must be integers or slices|"
        r"index must be an integer|invalid combination of arguments.*float",
        _FLOAT, seen.float_here,
    ),
    Rule(
        r"unsupported operand type.*'str'|can only concatenate str|must be str, not",
        "A text stands where an array is meant. A loop over a dict gives its keys; `.values()` gives what they stand for.",
    ),
    Rule(
        r"shape mismatch: indexing arrays|boolean index did not match|shape of the mask",
        "The arrays of an index have to broadcast with each other: give one of them an axis of length one.",
        seen.index_arrays,
    ),
    Rule(
        r"Target sizes: \[(?P<target>[^\]]*)\]\.\s+Tensor sizes: \[(?P<source>[^\]]*)\]|"
        r"input array from shape \((?P<source2>[^)]*)\) into shape \((?P<target2>[^)]*)\)",
        _SHAPES, seen.filled_place,
    ),
    Rule(r"matmul|mat1 and mat2|not aligned|dimensions of batch2|size mismatch, got|inconsistent tensor size", _MATRICES, seen.two_matrices),
    Rule(r"broadcast|must match the size of tensor b|output with shape", _SHAPES, seen.two_shapes),
    Rule(
        r"(?:reshape array of size (?P<size>\d+) into shape \((?P<wanted>[^)]*)\))",
        "A reshape keeps the number of entries; the new shape has another one.", seen.new_shape,
    ),
    Rule(
        r"shape '\[(?P<wanted>[^\]]*)\]' is invalid for input of size (?P<size>\d+)",
        "A reshape keeps the number of entries; the new shape has another one.", seen.new_shape,
    ),
    Rule(
        r"view size is not compatible",
        "`view` needs entries that lie one after another in memory, and a transposed tensor has them in another order. "
        "`reshape` copies where it must.",
    ),
    Rule(r"to unpack \(expected (?:at least )?(?P<names>\d+)", _UNPACK, seen.unpacked_values),
    Rule(
        r"`indices` and `arr`|Index tensor must have the same number",
        "An array of indices needs as many axes as the array that it picks from: give it an axis of length one where it has none.",
        seen.index_axes,
    ),
    Rule(r"Sizes of tensors must match except|same number of dimensions|concatenation axis|to be equal size|must have same shape|same ndim", _JOINED, seen.joined_arrays),
    Rule(
        r"expected Tensor as element|must be Tensor, not|must be tuple of Tensors",
        "A torch function is given a Python number. It takes tensors; for one number there is `math`, or make a tensor of it.",
    ),
    Rule(r"index (?P<at>-?\d+) is out of bounds for (?:axis|dimension) (?P<axis>\d+) with size (?P<size>\d+)", _INDEX, seen.index_beyond),
    Rule(
        r"list assignment index",
        "The list has no such place yet. Append to it, or make an array of the right size before the loop.",
    ),
    Rule(
        r"index out of range in self",
        "An id is looked up that the table does not have: ids run from 0 to one less than the number of its rows.",
    ),
    Rule(r"list index out of range|tuple index out of range|string index out of range|selected index k out of range", _INDEX),
    Rule(
        r"too many indices|Dimension out of range|out of bounds for array of dimension|axes don't match|doesn't match the number of dimensions|"
        r"number of subscripts|more dimensions than subscripts|does not contain the correct number|object too deep|0-dim tensor|dimension specified as|"
        r"slice\(\) cannot be applied",
        _AXES, seen.other_axes,
    ),
    Rule(
        r"tensors used as indices must be long|scalar types: Long|must be of integer|valid indices|cannot be safely cast|index\w* of .*int64|"
        r"expected\D+(?:Long|int64)",
        "Ids and positions have to be whole numbers (int64, torch's long), and these are floats.",
        seen.floats_as_ids,
    ),
    Rule(
        r"same dtype|expected scalar type|expected m1 and m2|can't be cast|Cannot cast|dtype mismatch",
        "Two dtypes meet that do not go together. Give what you make yourself the dtype of what it meets.",
        seen.two_dtypes,
    ),
    Rule(r"Expected target size|Expected input batch_size|1D target tensor expected", "Cross-entropy wants the classes on axis 1.", seen.classes_elsewhere),
    Rule(
        r"attn_mask is|normalized_shape|Expected (?:more than|\d+D)|input\.size\(-1\) must be|input has inconsistent",
        "A layer is given another shape than it was made for.",
    ),
    Rule(
        r"sorted in decreasing order",
        "The sequences of a batch are not sorted by length, and packing takes them for sorted. enforce_sorted=False packs any order.",
    ),
    Rule(
        r"leaf Variable that requires grad",
        "A parameter is changed in place while gradients are kept track of. Do that under torch.no_grad(), or work on a copy.",
    ),
    Rule(
        r"modified by an inplace operation",
        "A tensor that the backward pass still needs was changed in place (`+=`, `x[...] = `, or a name ending in _). Make a new one.",
    ),
    Rule(
        r"backward through the graph a second time",
        "backward runs twice through the same forward pass. Compute the loss anew for each, or call backward once on their sum.",
    ),
    Rule(
        r"does not require grad",
        "Nothing in this leads back to the parameters: somewhere the graph is cut, by no_grad, detach, numpy or .item().",
    ),
    Rule(
        r"numpy\(\) on Tensor that requires grad",
        "numpy keeps no gradients. Stay in torch where gradients have to flow; for one number that you only report, take .item().",
    ),
    Rule(r"single element can be converted|size-1 arrays|length-1 arrays|converted to Scalar|is ambiguous", _ONE, seen.several_numbers),
    Rule(r"division by zero|by zero", "A number is divided by zero. Which argument may be 0, and what does the text say then?", seen.divided_by, "ZeroDivisionError"),
    Rule(r"recursion", "A function calls itself without end. What stops it?", types="RecursionError"),
    Rule(r"object is not (?:callable|iterable|subscriptable)", "A value of another type than you expect is used here.", seen.unusable),
    Rule(r"(?P<key>.+)", "A dict has no such key.", seen.no_key, "KeyError"),
)  # fmt: skip
