"""Canvas over its API: a score, a comment and a page for each student, sent once.

Source: developerdocs.instructure.com/services/canvas, "Submissions" (grade or comment on a submission), "Submission Comments"
(upload a file), "File Uploads" (the three steps) and "Throttling". Who is behind a number is Canvas's; who is known by the
roster alone is asked for by the SIS id.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any

import requests

from autograder.lms.platform import Row

_ADDRESS = re.compile(r"(?P<site>https?://[^/]+)/courses/(?P<course>[0-9]+)/assignments/(?P<assignment>[0-9]+)/?")
SECONDS = 60.0  # for one answer
TRIES = 5  # of a request that comes too soon after others


class CanvasError(Exception):
    """Canvas did not do what was asked; the message says what it answered and what to do."""


@dataclass(frozen=True)
class Standing:
    """What Canvas has of a student already."""

    score: float | None
    files: frozenset[str]  # names of what is attached to comments


class CanvasAssignment:
    """One assignment of a course of Canvas."""

    def __init__(self, site: str, course: str, assignment: str, token: str) -> None:
        self._site = f"{site.rstrip('/')}/"
        self._root = f"{self._site}api/v1/courses/{course}/assignments/{assignment}"
        self._session = requests.Session()
        self._key = {"Authorization": f"Bearer {token}"}

    def title(self) -> str:
        """Return what the assignment is called. Raises CanvasError where it, the course or the token is wrong."""
        return str(self._ask("GET", self._root)["name"])

    def standing(self, user: str) -> Standing:
        """Return what a student has been given already."""
        found = self._ask("GET", f"{self._root}/submissions/{user}", params={"include[]": "submission_comments"})
        comments = found.get("submission_comments") or ()
        names = {file["display_name"] for comment in comments for file in comment.get("attachments") or ()}
        return Standing(found.get("score"), frozenset(names))

    def give(self, user: str, score: float | None, comment: str, name: str, page: bytes) -> None:
        """Give a student a score, and a comment with a page attached to it."""
        number = self._upload(user, name, page)
        grade = {} if score is None else {"submission[posted_grade]": f"{score:g}"}
        words = {"comment[text_comment]": comment, "comment[file_ids][]": str(number)}
        self._ask("PUT", f"{self._root}/submissions/{user}", data={**grade, **words})

    def _upload(self, user: str, name: str, page: bytes) -> int:
        """Upload a file that a comment will hold, and return its number."""
        told = {"name": name, "size": str(len(page)), "content_type": "text/html"}
        place = self._ask("POST", f"{self._root}/submissions/{user}/comments/files", data=told)
        sent = self._send(
            "POST", place["upload_url"], data=place["upload_params"], files={"file": (name, page, "text/html")}
        )
        if "Location" in sent.headers:
            return int(self._ask("GET", sent.headers["Location"])["id"])
        return int(sent.json()["id"])

    def _ask(self, method: str, address: str, **words: Any) -> Any:
        """Return what an answer's JSON says. Raises CanvasError where it is no JSON object, as of a page to log in at."""
        try:
            said = self._send(method, address, **words).json()
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise CanvasError(f"What answers at {self._site} is not Canvas. Look at --url.")
        return said

    def _send(self, method: str, address: str, **words: Any) -> requests.Response:
        """Send a request, again after a while where others came too soon before it. Raises CanvasError.

        Our key goes to Canvas itself alone: a file may be taken by another site.
        """
        headers = self._key if address.startswith(self._site) else {}
        for attempt in range(TRIES):
            try:
                answer = self._session.request(
                    method, address, headers=headers, allow_redirects=False, timeout=SECONDS, **words
                )
            except requests.RequestException as error:
                raise CanvasError(f"{self._site} cannot be reached ({type(error).__name__}). Look at --url.") from None
            if answer.status_code not in (403, 429) or "Rate Limit Exceeded" not in answer.text:
                break
            time.sleep(2.0**attempt / 4)
        _refuse_trouble(answer)
        return answer


def assignment_at(url: str, token: str) -> CanvasAssignment:
    """Return the assignment that an address of Canvas's own is about. Raises CanvasError where it is about none."""
    match = _ADDRESS.fullmatch(url)
    if not match:
        raise CanvasError("Give its address as the browser shows it: --url https://SCHOOL/courses/7/assignments/42")
    return CanvasAssignment(match["site"], match["course"], match["assignment"], token)


def user_of(row: Row) -> str:
    """Return how Canvas is asked for a student: by its number or the SIS id; nothing where neither is known."""
    if row.system == "canvas" and row.number:
        return row.number
    return f"sis_user_id:{row.id}" if row.id else ""


def _refuse_trouble(answer: requests.Response) -> None:
    if answer.ok:
        return
    hints = {
        401: "The token in CANVAS_TOKEN is wrong or has expired; make one under Account, Settings, New Access Token.",
        403: "The token's owner may not grade there.",
        404: "Look at the numbers in the assignment's address: /courses/COURSE/assignments/ASSIGNMENT.",
    }
    hint = hints.get(answer.status_code, "What was given already is noted; run the command again for the rest.")
    raise CanvasError(f"Canvas answered {answer.status_code} {answer.reason} to {answer.request.path_url}. {hint}")
