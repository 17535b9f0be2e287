"""A real browser for tests: load pages without showing them, let a script of ours look at them, note who asks for what.

Pages are served from this machine and framed by one of ours of the same origin, whose script measures them: the pages
themselves may run none.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import re
import select
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--virtual-time-budget=4000",
)
DARK = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0")

# What a page looks like in a frame: how far it is wider than the frame, what text stands out too little, what of it moves
# under a pointer but not under a keyboard, which tables move and do not show it, whether anything of it ran.
MEASURE = """
const rgb = text => { const c = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  c.fillStyle = text; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; };
const over = (top, share, below) => top.slice(0, 3).map((v, i) => v * share + below[i] * (1 - share));
const light = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b; };
const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
const behind = (view, element) => { for (let e = element; e; e = e.parentElement) {
  const c = rgb(view.getComputedStyle(e).backgroundColor); if (c[3] > 0) return c; } return [255, 255, 255]; };
function measure(frame) {
  const page = frame.contentDocument, view = frame.contentWindow, faint = [], stuck = [], silent = [];
  for (const d of page.querySelectorAll("details")) d.open = true;
  for (const e of page.body.querySelectorAll("*")) {
    const style = view.getComputedStyle(e), own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    const drawn = e.namespaceURI.endsWith("svg");
    if (own && !["title", "desc"].includes(e.tagName)) {
      let below = behind(view, e);
      const cell = e.previousElementSibling;
      if (drawn && cell && cell.tagName === "rect" && e.closest(".heat")) {
        const s = view.getComputedStyle(cell); below = over(rgb(s.fill), Number(s.fillOpacity), below); }
      const seen = contrast(rgb(drawn ? style.fill : style.color), below);
      if (seen < 4.5) faint.push(`${e.tagName}.${e.getAttribute("class")} ${seen.toFixed(2)}: ${e.textContent.slice(0, 40)}`);
    }
    const moves = ["auto", "scroll"].includes(style.overflowX) && e.scrollWidth > e.clientWidth + 1;
    if (moves && e.tabIndex < 0) stuck.push(`${e.tagName}.${e.className}`);
    if (moves && e.querySelector("table") && !style.backgroundAttachment.includes("local")) silent.push(e.ariaLabel);
  }
  return {wider: page.documentElement.scrollWidth - frame.clientWidth, faint, stuck, silent, scripts: page.scripts.length,
    ran: page.documentElement.hasAttribute("data-ran"), text: page.body.innerText.length};
}
onload = () => { document.title = JSON.stringify([...document.querySelectorAll("iframe")].map(measure)); };
"""


class Site:
    """Pages by path, and the paths that were asked for, also those that are not there."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.pages: dict[str, str] = {}
        self.asked: list[str] = []


@contextmanager
def site() -> Iterator[Site]:
    """Serve pages on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            body = found.pages.get(self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write((body or "").encode())

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Site(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


def look_at(served: Site, pages: Mapping[str, str], profile: Path, *, width: int, dark: bool = False) -> Any:
    """Load pages in frames of a width; return what is measured of each, in order."""
    frames = "".join(f'<iframe src="{path}" width="{width}" height="900"></iframe>' for path in pages)
    served.pages |= {
        **pages,
        "/look": f'<!DOCTYPE html><link rel="icon" href="data:,"><title></title><script>{MEASURE}</script>{frames}',
    }
    dumped = dom_of(f"{served.address}/look", profile, *(DARK if dark else ()))
    (title,) = re.findall("<title>(.*?)</title>", dumped, re.DOTALL)[:1]
    return json.loads(unescape(title))


def dom_of(address: str, profile: Path, *flags: str) -> str:
    """Load a page and return its document as it is after four seconds."""
    command = [_browser(), *FLAGS, *flags, f"--user-data-dir={profile}", "--dump-dom", address]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


class Tab:
    """A page in a browser that a test steers as a person would, over Chromium's own protocol."""

    def __init__(self, say: int, hear: int) -> None:
        self._say, self._hear, self._heard = say, hear, b""
        self._number, self._loaded, self._session = 0, 0, ""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._ask("Page.enable")

    def size(self, width: int, height: int = 900) -> None:
        """Show pages at a width, as a phone does below 600."""
        phone = width < 600
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def open(self, address: str) -> None:
        """Load a page."""
        self._ask("Page.navigate", url=address)
        self._wait()

    def run(self, script: str) -> Any:
        """Return what a script of the test comes to in the page, whatever the page's policy."""
        told = self._ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def leave(self, script: str) -> None:
        """Run a script that leads to another page, and wait for that."""
        self.run(script)
        self._wait()

    def press(self, key: str, *, leads: bool = False) -> None:
        """Press a key; where it leads to another page, wait for that."""
        text = key if len(key) == 1 else ""
        self._ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self._ask("Input.dispatchKeyEvent", type="keyUp", key=key)
        if leads:
            self._wait()

    def picture(self, path: Path) -> None:
        """Keep a picture of the whole page."""
        told = self._ask("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(told["data"]))

    def _wait(self) -> None:
        """Wait until a page was loaded that no wait before was for."""
        while not self._loaded:
            self._read()
        self._loaded -= 1

    def _ask(self, method: str, **values: Any) -> Any:
        self._number += 1
        asked = {"id": self._number, "method": method, "params": values}
        asked |= {"sessionId": self._session} if self._session else {}
        os.write(self._say, json.dumps(asked).encode() + b"\0")
        while (told := self._read()).get("id") != self._number:
            pass
        assert "error" not in told, told
        return told["result"]

    def _read(self) -> Any:
        while b"\0" not in self._heard:
            ready, _, _ = select.select([self._hear], [], [], 60)
            assert ready, "the browser says nothing"
            more = os.read(self._hear, 1 << 20)
            assert more, "the browser has ended"
            self._heard += more
        first, _, self._heard = self._heard.partition(b"\0")
        told = json.loads(first)
        self._loaded += told.get("method") == "Page.loadEventFired"
        return told


@contextmanager
def tab(profile: Path) -> Iterator[Tab]:
    """Give a tab of a browser of its own."""
    (theirs, say), (hear, back) = os.pipe(), os.pipe()
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs, back)]  # so that 3 and 4 are free to be given

    def hand_over() -> None:
        os.dup2(ends[0], 3)
        os.dup2(ends[1], 4)

    flags = [flag for flag in FLAGS if not flag.startswith("--virtual-time")]
    command = [_browser(), *flags, f"--user-data-dir={profile}", "--remote-debugging-pipe"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command,
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        preexec_fn=hand_over,  # noqa: PLW1509 (it only copies descriptors)
        pass_fds=(3, 4),
    ) as browser:
        for end in (theirs, back, *ends):
            os.close(end)
        try:
            yield Tab(say, hear)
        finally:
            os.write(say, b'{"id": 0, "method": "Browser.close"}\0')
            try:
                browser.wait(20)  # it takes its own files away
            finally:
                browser.kill()
                os.close(say)
                os.close(hear)


def _browser() -> str:
    """Return Chromium's path."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "These tests need Chromium on PATH. Install it, or leave them out: pytest -m 'not browser'."
    return found
