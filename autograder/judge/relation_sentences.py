"""What students read of how their wrong values are related to the right ones, a sentence for each kind of relation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from autograder.course.language import marked, say

# How wrong values are related to the right ones, by kind of relation; what stands in braces is named in the relation.
RELATIONS = marked({
    # right for other arguments
    "without": "Your answer would be right without `{0}`: do you use `{0}` at all?",
    "opposite": "Your answer would be right if the flag `{0}` had its other value.",
    "other_mode": "Your answer would be right in the other mode: have training and evaluation changed places?",
    "all_true": "Your answer would be right if `{0}` were True everywhere: do you use `{0}` at all?",
    "all_false": "Your answer would be right if `{0}` were False everywhere.",
    "inverted": "Your answer would be right if True and False changed places in `{0}`: do you read it the wrong way round?",
    "zeros": "Your answer would be right if `{0}` were zero: do you use `{0}` at all?",
    "ones": "Your answer would be right if `{0}` were one everywhere: do you use `{0}` at all?",
    "doubled": "Your answer would be right if `{0}` were twice as large: do you use it twice?",
    "negated": "Your answer would be right if `{0}` had the opposite sign: look for a minus.",
    "turned": "Your answer would be right if `{0}` were transposed: is a transpose of it missing, or one too many?",
    "backwards": "Your answer would be right if `{0}` were in reverse order along its first axis: do you go through it backwards?",
    "backwards_in_time": "Your answer would be right if `{0}` were in reverse order along axis 1: do you go through it backwards?",
    "instead": "Your answer would be right if `{0}` stood in the place of `{1}`: do you use `{0}` where `{1}` belongs?",
    "exchanged": "Your answer would be right if `{0}` and `{1}` changed places: do you mix them up?",
    # the right values on the way
    "on_the_way": "Your answer is a right value on the way to the result: the steps after it are missing.",
    "all_on_the_way": "All that you return are right values on the way to the result: the steps after them are missing.",
    # copied and rearranged
    "unchanged": "Your answer is the argument `{0}`, unchanged.",
    "other_part": "It holds the values that belong in `{0}`: is the order of what you return right, or is one before it left out, or too many?",
    "inverted_values": "Your answer is True where it should be False, and False where it should be True.",
    "transposed": "The numbers are right, but transposed: {0} and {1} have changed places.",
    "axes_in_another_order": "The numbers are right, but the axes stand in another order than they should.",
    "axis_of_length_one": "The numbers are right. Only an axis of length one is missing, is one too many, or stands in another place.",
    "other_shape": "The numbers are right, and in the right order; only the shape is different.",
    "reversed": "The numbers are right, but in reverse order along {0}.",
    "too_late": "The numbers are right, but one place too late along {0}.",
    "too_early": "The numbers are right, but one place too early along {0}.",
    "reordered": "The numbers are right, but in another order along {0}.",
    "other_places": "The numbers are right, but in other places.",
    "other_places_and_shape": "The numbers are right, but in other places and another shape: along which axis do they belong together?",
    "some_of": "Your numbers are right, but some are missing.",
    "other_keys": "The numbers are right, but under other keys: in which order are they given out? That of a set changes from run to run.",
    # reduced, or not
    "sum_of": "Your answer is the sum of the right one along {0}: is a sum too many?",
    "mean_of": "Your answer is the mean of the right one along {0}: is a mean too many?",
    "largest_of": "Your answer is the largest entry of the right one along {0}: is a maximum too many?",
    "first_of": "Your answer is only the first entry of the right one along {0}.",
    "last_of": "Your answer is only the last entry of the right one along {0}.",
    "even_entries_of": "Your answer is the entries 0, 2, 4, ... of the right one along {0}; the others are missing.",
    "odd_entries_of": "Your answer is the entries 1, 3, 5, ... of the right one along {0}; the others are missing.",
    "lacks_beginning": "The beginning is missing along {0}; the rest is right.",
    "lacks_end": "The end is missing along {0}; the rest is right.",
    "not_sum": "The sum of your answer along {0} would be right: add up.",
    "not_mean": "The mean of your answer along {0} would be right: average.",
    "not_largest": "The largest entry of your answer along {0} would be right: take the maximum.",
    "not_first": "The first entry of your answer along {0} would be right: take only that.",
    "not_last": "The last entry of your answer along {0} would be right: take only that.",
    "has_beginning": "Your answer is too long along {0}: something stands before the right entries.",
    "has_end": "Your answer is too long along {0}: something stands after the right entries.",
    "repeated_along": "Your answer is the right one, repeated along {0}: does an axis of length one meet a longer one?",
    # scaled
    "zero": "Your answer is zero everywhere.",
    "constant_factor": "Every value is {0} times what it should be.",
    "times": "Every value is too large by the same factor, {0}: is a division missing?",
    "divided": "Every value is divided by {0} once too often: do you take a mean where a sum is asked for?",
    "times_root": "Every value is too large by the same factor, the square root of {0}.",
    "divided_root": "Every value is divided by the square root of {0} once too often.",
    "one_less_counted": "Your divisor is one too small: divide by {0}, not by one less.",
    "one_more_counted": "Your divisor is one too large: you divide by {0}; divide by one less.",
    "divided_by_other": "Every value is divided by {0}; divide by {1} instead.",
    "row_divided_by_other": "Each row is divided by {0}; divide it by {1} instead.",
    "row_times": "Each row is too large by a factor, {0}: is a division missing?",
    "row_divided": "Each row is divided by {0} once too often: do you take a mean where a sum is asked for?",
    "own_factor": "In each call, all values are off by the same factor: only one multiplication or division is wrong.",
    "factor_along": "All values along {0} are off by the same factor: each such row is multiplied or divided by a wrong number.",
    "own_offset": "In each call, all values are off by the same amount: one number is added too much, or is missing.",
    "offset_along": "All values along {0} are off by the same amount: to each such row a number is added too much, or is missing.",
    # functions and terms
    "map": "Your answer is {0} of the right one.",
    "no_map": "The last step is missing: {0} of your answer would be right.",
    "summed_along": "Your answer is a running sum along {0}, where each entry should stand for itself.",
    "not_summed_along": "A running sum is missing: the one of your answer along {0} would be right.",
    "divided_by_sum": "Your answer is divided by its sum along {0}, and it should not be.",
    "lacks": "Your answer is too small by exactly `{0}`: is that missing, or subtracted?",
    "has_too_much": "Your answer is too large by exactly `{0}`: is that added once too often?",
    "lacks_factor": "Your answer lacks the factor `{0}`.",
    "has_factor": "Your answer is multiplied by `{0}` once too often.",
    "fractions_cut_off": "Your answer is an array of whole numbers ({0}), which cuts the fractions off: make it one of floats.",
    "lower_precision": "Your answer is right to two or three digits: something is computed in {0}, which keeps too few.",
    # where it is wrong
    "only_first_right": "Along {0}, only the first entry is right in the cases that fail.",
    "only_last_right": "Along {0}, only the last entry is right in the cases that fail.",
    "only_first_wrong": "Only the first entry along {0} is wrong.",
    "only_last_wrong": "Only the last entry along {0} is wrong.",
    "first_half_wrong": "Along {0}, the second half is right, and the first half is wrong.",
    "second_half_wrong": "Along {0}, the first half is right, and the second half is wrong.",
    "even_entries_wrong": "Along {0}, the entries 1, 3, 5, ... are right, and 0, 2, 4, ... are wrong.",
    "odd_entries_wrong": "Along {0}, the entries 0, 2, 4, ... are right, and 1, 3, 5, ... are wrong.",
    "zero_where_wrong": "All that is wrong in your answer is zero: is that part not filled in yet?",
    "nan_where_false": "Your answer is NaN or infinite exactly where `{0}` is False, and right everywhere else.",
    "nan_where_true": "Your answer is NaN or infinite exactly where `{0}` is True, and right everywhere else.",
    "wrong_where_false": "Your answer is wrong only where `{0}` is False.",
    "wrong_where_true": "Your answer is wrong only where `{0}` is True.",
    "sums_along_other": "Your answer sums to one along {0}; it should do so along {1}.",
    "no_sum_of_one": "Your answer should sum to one along {0}, and does not.",
    "same_along": "Your answer is the same everywhere along {0}, where it should differ.",
    "all_the_same": "Your answer is {0} everywhere.",
    # in which cases it is wrong
    "differs_if_given": "In these cases your answer is wrong whenever `{0}` is given, and right otherwise: look at what you do with `{0}`.",
    "differs_by_axes": "In these cases your answer is wrong whenever `{0}` has one more axis in front, and right otherwise.",
    "differs_by_length": "In these cases your answer is wrong whenever {0} is longer than one, and right otherwise: are its entries mixed, or is one used for all?",
    "differs_by_mask": "In these cases your answer is wrong whenever `{0}` is False somewhere, and right otherwise.",
    "differs_by_parameter": "In these cases your answer is wrong whenever `{0}` is not zero, and right otherwise: look at where `{0}` comes in.",
    "differs_by_size": "In these cases your answer is wrong whenever `{0}` holds large numbers, and right otherwise: does an exponential overflow?",
    "crashes_if_given": "In these cases it crashes whenever `{0}` is given, and only then: look at what you do with `{0}`.",
    "crashes_by_axes": "In these cases it crashes whenever `{0}` has one more axis in front, and only then.",
    "crashes_by_length": "In these cases it crashes whenever {0} is longer than one, and only then.",
    "crashes_by_mask": "In these cases it crashes whenever `{0}` is False somewhere, and only then.",
    # what the code leaves undone, as its text shows
    "branch_not_written": "A branch or loop of your `{0}` holds `...` alone: it is not written yet.",
    "returns_in_first_turn": "Your `{0}` returns inside a loop, which so ends in its first turn. Is the `return` indented too far?",
    "result_not_kept": "Your `{0}` calls {1} and keeps nothing of it: it returns something new, and changes nothing. Assign what it returns.",
    "breaks_in_first_turn": "Your `{0}` has a loop that a `break` ends in its first turn.",
    "part_not_used": "Your `{0}` makes {1} in its constructor, which it never uses.",
    "setting_not_used": "Your `{0}` keeps {1} in its constructor, and nothing reads it.",
    "argument_not_read": "Your `{0}` never reads {1}.",
    "argument_not_read_either": "Your `{0}` never reads {1}. That is not all: calls that leave it out fail, too.",
    "every_axis_squeezed": "Your `{0}` calls `squeeze` without an axis. That takes away every axis of length one, also the batch where it holds one "
    "row: say which axis you mean, as in `squeeze(1)`.",
    "every_exception_hidden": "An `except` in your `{0}` catches every exception, and hides what goes wrong. Take the `try` out for a moment, and read the exception.",
    "exception_hidden": "An `except` in your `{0}` hides what goes wrong there. Take the `try` out for a moment, and read the exception.",
    "value_not_used": "Nothing reads what your `{0}` keeps as {1}.",
})  # fmt: skip
# What is named in a relation, in English, as patterns of these words; `\1` and `\2` are names and axes in them.
AXIS = r"the last axis|the axis before the last|axis -?\d+"
_AXIS = rf"(?:{AXIS})(?: \(`[^`]+`\))?"  # with its name
_NAMED = (
    (r"(.+) or (.+)", marked("{0} or {1}")),
    (r"all axes", marked("all axes")),
    (r"the last axis", marked("the last axis")),
    (r"the axis before the last", marked("the axis before the last")),
    (r"axis (-?\d+)", marked("axis {0}")),
    (rf"({AXIS}) \((`[^`]+`)\)", marked("{0} ({1})")),
    (rf"({_AXIS}) of (`.*`)", marked("{0} of {1}")),
    (rf"the length of ({_AXIS}) of (`.*`)", marked("the length of {0} of {1}")),
    (r"the number of entries of (`.*`)", marked("the number of entries of {0}")),
    (r"the number of True in (`.*`)", marked("the number of True in {0}")),
    (r"the number of True in each row of (`.*`)", marked("the number of True in each row of {0}")),
    (r"the number of True in it", marked("the number of True in it")),
)


def relation_named(name: str) -> str:
    """Return what a relation names, such as an axis, in the language spoken; names of the student's stay as they are."""
    for pattern, sentence in _NAMED:
        if match := re.fullmatch(pattern, name):
            return say(sentence, *map(relation_named, match.groups()))
    return name


def part_named(name: str, parameters: Sequence[str] = ()) -> str:
    """Return how an answer's part is called in the language spoken: of gradients what they are the gradients of.

    An argument is called by its name where the `parameters` of the call are known.
    """
    if match := re.fullmatch(r"(gradient of )?argument (\d+)", name):
        known = [f"`{parameter}`" for parameter in parameters[int(match[2]) - 1 : int(match[2])]]
        if match[1]:
            return say("gradient of {name}", name=known[0]) if known else say("gradient of argument {n}", n=match[2])
        return known[0] if known else say("argument {n}", n=match[2])
    if match := re.fullmatch(r"gradient of (\S+)", name):
        return say("gradient of {name}", name=match[1])
    return say("part {n}", n=match[1]) if (match := re.fullmatch(r"part (\S+)", name)) else name
