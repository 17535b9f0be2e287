"""Who may use the desk: who has the address with its token, in a browser of this machine, from pages of the desk itself.

The token is drawn at each start. Another address in the Host header would be a foreign name that resolves to this machine
(DNS rebinding), another Origin a form of a foreign page; both are refused.
"""

from __future__ import annotations

import hmac

from flask import Flask, Response, abort, request

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"


def guard(app: Flask, port: int, token: str, script_hash: str) -> None:
    """Refuse requests without the token and from other pages; each answer says what its page may do."""
    hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
    cookie = f"desk-{port}"  # ports of one machine share their cookies
    policy = f"{POLICY}; form-action 'self'; connect-src 'self'; script-src '{script_hash}'"

    @app.before_request
    def refuse() -> None:
        if request.host not in hosts:
            abort(403, "This desk answers only to the address that it printed.")
        if request.method not in ("GET", "HEAD") and request.headers.get("Origin") != f"http://{request.host}":
            abort(403, "Only the desk's own pages may change anything.")
        if not (_is(request.cookies.get(cookie, "")) or _invited()):
            abort(403, "Open the address that autograder desk printed, with its token.")

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = policy
        response.headers["Cache-Control"] = "no-store"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        response.headers["Referrer-Policy"] = "same-origin"
        response.headers["X-Content-Type-Options"] = "nosniff"
        if response.status_code < 400 and _invited():
            response.set_cookie(cookie, token, httponly=True, samesite="Strict")
        return response

    def _is(said: str) -> bool:
        return hmac.compare_digest(said.encode(), token.encode())

    def _invited() -> bool:
        return request.method == "GET" and _is(request.args.get("token", ""))
