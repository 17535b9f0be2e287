"""Write a check as an HTML page, and let an open page follow the checks of --watch.

A page that follows holds a script. It loads the file's present version into a hidden frame, which tells its time, and reloads
where that differs or is silent. The final page is the same without the script, so an open one changes to it and stops.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autograder.course.language import marked, say
from autograder.handout.kit.asked import CheckError
from autograder.judge.result import Result

NAME = "check.html"
_SCRIPT = """
const told = document.querySelector("time").dateTime, probe = "present version";
if (window.name === probe) parent.postMessage(told, "*");
else {
  let frame, heard;
  addEventListener("message", event => { if (frame && event.source === frame.contentWindow) heard = event.data; });
  const ask = () => {
    heard = "";
    frame = document.createElement("iframe");
    frame.name = probe;
    frame.hidden = true;
    frame.src = location.href.split(/[?#]/)[0] + "?" + Date.now();
    frame.onload = () => setTimeout(() => {
      frame.remove();
      if (heard === told) setTimeout(ask, 700);
      else location.reload();
    }, 300);
    document.body.append(frame);
  };
  setTimeout(ask, 700);
}
"""
_HASH = b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
_POLICY = "default-src 'none'; "
_FOLLOWING = (  # what the final page has, and what one that follows has in its place
    (_POLICY, f"{_POLICY}script-src 'sha256-{_HASH}'; frame-src 'self' file:; "),
    ("</body>", f"<script>{_SCRIPT}</script>\n</body>"),
)


@dataclass(frozen=True)
class Found:
    """What a page shows: the assignment's title, the file that was checked, and what came of it."""

    title: str
    file: str
    result: Result


def write_page(path: Path, found: Found, *, following: bool) -> None:
    """Write the page of a check; one that is `following` reloads itself when it is written again. Raises CheckError."""
    try:
        from autograder.feedback.check_page import page_of_check
    except ImportError as error:
        told = marked("A page needs Jinja ({error}). Run: python -m pip install -r requirements.txt")
        raise CheckError(say(told, error=error)) from None
    text = page_of_check(found.title, found.file, found.result, datetime.now().astimezone())
    for final, live in _FOLLOWING if following else ():
        text = text.replace(final, live, 1)
    _replace(path, text)


def settle(path: Path) -> None:
    """Make a page that follows the final one. Raises CheckError."""
    if path.is_file():
        text = path.read_text(encoding="utf-8")
        for final, live in _FOLLOWING:
            text = text.replace(live, final, 1)
        _replace(path, text)


def _replace(path: Path, text: str) -> None:
    """Write a whole file at once: a browser that reads meanwhile gets the old page or the new one."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise CheckError(say("{path} cannot be written: {reason}.", path=path, reason=error.strerror)) from None
