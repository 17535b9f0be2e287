"""GitHub Classroom and Classroom 50: `gh classroom clone student-repos` and `gh teacher download` leave a clone for each student.

`attention-submissions/attention-alovelace/`: the assignment's short name, and the student's name on GitHub. Classroom 50 names
the folder `cs-attention_submissions_2026_03_01_T_10_04_05`, after the classroom, too. Without the folder
around them, what all names begin with is the assignment. A folder is a clone where it holds `.git`. GitHub takes no sheet
back. Forms: gh-classroom's own documentation; Classroom 50's `download.go`.
"""

from __future__ import annotations

import re

from autograder.lms.platform import Listing, Named, Owner, Platform, Understood, common_beginning

_AROUND = re.compile(r"(?P<named>.+)(?:-submissions|_submissions_[0-9]{4}(?:_[0-9]{2}){2}_T(?:_[0-9]{2}){3})")


def read(listing: Listing) -> Understood:
    """Read the names of clones."""
    clones = [item for item in listing.items if item.folder and any(path[0] == ".git" for path in item.paths)]
    around = _AROUND.match(listing.around)
    if around and all(item.name.startswith(f"{around['named']}-") for item in clones):
        assignment = f"{around['named']}-"
    else:
        assignment = common_beginning([item.name for item in clones], "-")
    found = {item: item.name.removeprefix(assignment) for item in clones} if assignment else {}
    return {
        item: [Named(Owner(user, user, user, user, system="github"), item.name)] for item, user in found.items() if user
    }


PLATFORM = Platform("github", "GitHub Classroom", read, marks=2)
