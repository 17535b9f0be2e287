"""GitHub Classroom: `gh classroom clone student-repos` leaves a clone for each student.

`attention-submissions/attention-alovelace/`: the assignment's short name, and the student's name on GitHub. Without the folder
around them, what all names begin with is the assignment. A folder is a clone where it holds `.git`. GitHub takes no sheet
back. Forms: gh-classroom's own documentation.
"""

from __future__ import annotations

from autograder.lms.platform import Listing, Named, Owner, Platform, Understood, common_beginning

_AROUND = "-submissions"


def read(listing: Listing) -> Understood:
    """Read the names of clones."""
    clones = [item for item in listing.items if item.folder and any(path[0] == ".git" for path in item.paths)]
    named, around, _ = listing.around.partition(_AROUND)
    if around and all(item.name.startswith(f"{named}-") for item in clones):
        assignment = f"{named}-"
    else:
        assignment = common_beginning([item.name for item in clones], "-")
    found = {item: item.name.removeprefix(assignment) for item in clones} if assignment else {}
    return {
        item: [Named(Owner(user, user, user, user, system="github"), item.name)] for item, user in found.items() if user
    }


PLATFORM = Platform("github", "GitHub Classroom", read, marks=2)
