"""What students read of a slip that gives what their code gives, a clause for each kind; those that say most stand first."""

from __future__ import annotations

from autograder.course.language import marked

# What stands in braces is a name, a sign or a function in the code.
SLIPS = marked({
    "slip_instead": "in which one `{0}` stands where `{1}` belongs",
    "slip_lacks_factor": "that lacks a factor in one place: `{0}`",
    "slip_lacks_term": "that lacks a term in one place: `{0}`",
    "slip_lacks_division": "that lacks a division in one place: by `{0}`",
    "slip_lacks": "that lacks one `{0}`",
    "slip_twice": "in which one `{0}` stands twice",
    "slip_extra": "in which `{0}` is taken of one `{1}` that should stay as it is",
    "slip_zeros": "in which zeros stand where one `{0}` belongs",
    "slip_squared": "in which one `{0}` is squared that should stay as it is",
    "slip_backwards_read": "in which one `{0}` is read from its end to its beginning",
    "slip_not_low": "in which what hides a score is not low enough: `{0}`",
    "slip_outside": "in which a term stands behind one `{0}` instead of inside",
    "slip_inside": "in which a factor stands inside one `{0}` instead of behind it",
    "slip_wrong_value": "in which one `{0}` stands where another value of the same shape belongs",
    "slip_other_value": "in which another value of the same shape stands where one `{0}` belongs",
    "slip_arguments": "in which two arguments of one `{0}` have changed places",
    "slip_sides": "in which the two sides of one `{0}` have changed places",
    "slip_parentheses": "that lacks a pair of parentheses",
    "slip_tanh_for_sigmoid": "in which one derivative of the sigmoid, s (1 - s), is that of the tanh, 1 - t^2",
    "slip_sigmoid_for_tanh": "in which one derivative of the tanh, 1 - t^2, is that of the sigmoid, s (1 - s)",
    "slip_root": "in which the root is taken of one divisor",
    "slip_square": "in which one divisor is squared",
    "slip_axis": "in which one `{0}` goes along another axis",
    "slip_mean_less": "in which one mean divides by one less than there are",
    "slip_mean_more": "in which one mean divides by one more than there are",
    "slip_backwards": "in which one loop runs backwards",
    "slip_behind_loop": "in which one line stands behind a loop instead of in it",
    "slip_into_loop": "in which one line stands in a loop instead of behind it",
    "slip_order": "in which two neighbouring lines have changed places",
    "slip_line": "that lacks one line",
    "slip_place": "in which one index, slice or range is off by one, or lacks a bound",
    "slip_lacks_some_factor": "that lacks one factor of a product",
    "slip_lacks_some_term": "that lacks one term of a sum",
    "slip_lacks_some_division": "that lacks one division",
    "slip_some_value": "in which one value stands where another one of the same shape belongs",
    "slip_number": "in which one number is another",
    "slip_neighbours": "in which two neighbours in a list or tuple have changed places",
    "slip_condition": "in which one `if` is always taken, or never",
})  # fmt: skip
ALONE = marked("Your answers are those of right code {clause}.")
BESIDE = marked("{mistake} Beside that, your answers are those of code {clause}.")
QUESTIONS = marked({
    "slip_behind_loop": "Is it indented too little?",
    "slip_into_loop": "Is it indented too far?",
})  # fmt: skip
WHERE = marked("Look at where `{0}` is computed.")
