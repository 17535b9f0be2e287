"""What students read of a slip that gives what their code gives, a sentence for each kind; those that say most stand first."""

from __future__ import annotations

from autograder.course.language import marked

# What stands in braces is a name, a sign or a function in the code.
SLIPS = marked({
    "slip_instead": "Your answers are those of right code in which one `{0}` stands where `{1}` belongs.",
    "slip_lacks_factor": "Your answers are those of right code that lacks a factor in one place: `{0}`.",
    "slip_lacks_term": "Your answers are those of right code that lacks a term in one place: `{0}`.",
    "slip_lacks_division": "Your answers are those of right code that lacks a division in one place: by `{0}`.",
    "slip_lacks": "Your answers are those of right code that lacks one `{0}`.",
    "slip_twice": "Your answers are those of right code in which one `{0}` stands twice.",
    "slip_extra": "Your answers are those of right code in which `{0}` is taken of one `{1}` that should stay as it is.",
    "slip_outside": "Your answers are those of right code in which a term stands behind one `{0}` instead of inside.",
    "slip_wrong_value": "Your answers are those of right code in which one `{0}` stands where another value of the same shape belongs.",
    "slip_other_value": "Your answers are those of right code in which another value of the same shape stands where one `{0}` belongs.",
    "slip_arguments": "Your answers are those of right code in which two arguments of one `{0}` have changed places.",
    "slip_sides": "Your answers are those of right code in which the two sides of one `{0}` have changed places.",
    "slip_axis": "Your answers are those of right code in which one `{0}` goes along another axis.",
    "slip_mean_less": "Your answers are those of right code in which one mean divides by one less than there are.",
    "slip_mean_more": "Your answers are those of right code in which one mean divides by one more than there are.",
    "slip_backwards": "Your answers are those of right code in which one loop runs backwards.",
    "slip_behind_loop": "Your answers are those of right code in which one line stands behind a loop instead of in it. Is it indented too little?",
    "slip_into_loop": "Your answers are those of right code in which one line stands in a loop instead of behind it. Is it indented too far?",
    "slip_order": "Your answers are those of right code in which two neighbouring lines have changed places.",
    "slip_line": "Your answers are those of right code that lacks one line.",
    "slip_place": "Your answers are those of right code in which one index, slice or range is off by one, or lacks a bound.",
    "slip_lacks_some_factor": "Your answers are those of right code that lacks one factor of a product.",
    "slip_lacks_some_term": "Your answers are those of right code that lacks one term of a sum.",
    "slip_lacks_some_division": "Your answers are those of right code that lacks one division.",
    "slip_some_value": "Your answers are those of right code in which one value stands where another one of the same shape belongs.",
    "slip_number": "Your answers are those of right code in which one number is another.",
    "slip_neighbours": "Your answers are those of right code in which two neighbours in a list or tuple have changed places.",
    "slip_condition": "Your answers are those of right code in which one `if` is always taken, or never.",
})  # fmt: skip
WHERE = marked("Look at where `{0}` is computed.")
