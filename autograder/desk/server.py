"""Where a desk listens: on this machine alone, at an address that holds a token drawn at each start."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable

from flask import Flask
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

HOST = "127.0.0.1"


class _Quiet(WSGIRequestHandler):
    """Writes nothing about each request: addresses hold names of students."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Keep quiet."""


def listen(port: int, make: Callable[[int, str], Flask]) -> tuple[BaseWSGIServer, str]:
    """Return a server for an application, which is made for its port and token. Port 0 is any that is free. Raises OSError."""
    token = secrets.token_urlsafe(24)
    with socket.create_server((HOST, port)) as listening:
        port = listening.getsockname()[1]
        handed = listening.fileno()  # the server keeps a copy of its own
        return make_server(HOST, port, make(port, token), threaded=True, request_handler=_Quiet, fd=handed), token
