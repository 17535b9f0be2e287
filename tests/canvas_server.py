"""A stand-in for Canvas: the four requests that giving feedback back takes, as its API's documentation describes them."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

TOKEN = "a-token"  # noqa: S105 (of a stand-in)
PLACE = "/api/v1/courses/7/assignments/42"


class CanvasServer:
    """What Canvas holds, and what it does wrong on purpose."""

    def __init__(self) -> None:
        self.scores: dict[str, float] = {}
        self.comments: dict[str, list[tuple[str, str]]] = {}  # by user: the text, and the name of what is attached
        self.pages: dict[int, tuple[str, bytes]] = {}
        self.too_soon = 1  # requests that are answered as coming too soon
        self.fails_for: set[str] = set()
        self.url = ""

    def submission(self, user: str) -> dict[str, Any]:
        """Return what a GET of a submission shows."""
        comments = [
            {"comment": text, "attachments": [{"display_name": name}]} for text, name in self.comments.get(user, [])
        ]
        return {"score": self.scores.get(user), "submission_comments": comments}

    def grade(self, user: str, form: dict[str, list[str]]) -> None:
        """Take a score and a comment."""
        if "submission[posted_grade]" in form:
            self.scores[user] = float(form["submission[posted_grade]"][0])
        number = int(form["comment[file_ids][]"][0])
        self.comments.setdefault(user, []).append((form["comment[text_comment]"][0], self.pages[number][0]))


@contextmanager
def canvas() -> Iterator[CanvasServer]:
    """Serve a course 7 with an assignment 42 on this machine."""
    held = CanvasServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self._refused():
                return
            if match := re.fullmatch(rf"{PLACE}/submissions/([\w:%]+)\?.*", self.path):
                self._answer(200, held.submission(match[1].replace("%3A", ":")))
            elif match := re.fullmatch(r"/api/v1/files/(\d+)/create_success", self.path):
                self._answer(200, {"id": int(match[1])})
            elif self.path == PLACE.replace("7", "8"):
                self._answer(200, ["a list", "as Canvas gives none"])
            else:
                self._answer(*((200, {"name": "Means"}) if self.path == PLACE else (404, {})))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/upload":
                assert "Authorization" not in self.headers or held.url.endswith(self.headers["Host"])
                kind = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
                parts = {part.get_param("name", header="content-disposition"): part
                         for part in message_from_bytes(kind + body, policy=HTTP).iter_parts()}  # fmt: skip
                assert list(parts) == ["key", "file"], "the file comes last"
                number = len(held.pages) + 1
                held.pages[number] = (parts["file"].get_filename(), parts["file"].get_payload(decode=True))
                self.send_response(301)
                self.send_header("Location", f"{held.url}/api/v1/files/{number}/create_success")
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif not self._refused():
                assert re.fullmatch(rf"{PLACE}/submissions/[\w:%]+/comments/files", self.path)
                assert int(parse_qs(body.decode())["size"][0]) > 0
                self._answer(200, {"upload_url": f"{held.url}/upload", "upload_params": {"key": "value"}})

        def do_PUT(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            user = self.path.removeprefix(f"{PLACE}/submissions/").replace("%3A", ":")
            if self._refused():
                return
            if user in held.fails_for:
                self._answer(500, {})
                return
            held.grade(user, form)
            self._answer(200, {})

        def _refused(self) -> bool:
            if self.headers["Authorization"] != f"Bearer {TOKEN}":
                self._answer(401, {})
                return True
            if held.too_soon:
                held.too_soon -= 1
                self._answer(403, {"errors": "403 Forbidden (Rate Limit Exceeded)"})
                return True
            return False

        def _answer(self, code: int, found: dict[str, Any] | list[str]) -> None:
            data = json.dumps(found).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    held.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield held
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
