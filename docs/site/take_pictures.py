"""Take the pictures of the site in build/pictures: the demo's class is graded, and Chromium shows its pages.

Run by `make docs`. Without Chromium it says so, and the site has no pictures.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PICTURES = Path(__file__).resolve().parents[2] / "build" / "pictures"
FLAGS = (
    "--headless",
    "--no-sandbox",  # for containers; all that it shows is ours
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=4000",
)
SIZE = "1300,1000"
_NAMED = "What seems to have happened"
COMMAND = (sys.executable, "-m", "autograder")


def main() -> int:
    """Grade, then show."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        print("There is no Chromium, so the site has no pictures (apt install chromium).", file=sys.stderr)
        return 0
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "class"
        subprocess.run([*COMMAND, "demo", "-o", str(out)], check=True, stdout=subprocess.DEVNULL)
        graded = next(path.parent for path in out.rglob("report.html"))
        student = _with_a_name(graded)
        with _desk(graded) as desk:
            shown = {
                "report": (graded / "report.html").as_uri(),
                "feedback": (graded / "feedback" / f"{student}.html").as_uri(),
                "staff": (graded / "staff" / f"{student}.html").as_uri(),
                "desk": desk,
            }
            for picture, address in shown.items():
                _take(browser, address, PICTURES / f"{picture}.png", Path(name) / picture)
    print(f"{PICTURES} holds {', '.join(shown)}.")
    return 0


def _with_a_name(graded: Path) -> str:
    """Return the first student one of whose mistakes has a name."""
    told = (page for page in sorted((graded / "feedback").glob("*.html")) if _NAMED in page.read_text(encoding="utf-8"))
    return next(told).stem


@contextmanager
def _desk(graded: Path) -> Iterator[str]:
    """Start a desk; give the address that lets its first page in."""
    command = [*COMMAND, "desk", str(graded), "--as", "Kim", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def _take(browser: str, address: str, picture: Path, profile: Path) -> None:
    """Save what a page looks like. Raises CalledProcessError where the browser fails."""
    flags = (*FLAGS, f"--user-data-dir={profile}", f"--window-size={SIZE}", f"--screenshot={picture}")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(
        [browser, *flags, address], check=True, timeout=120, env={**os.environ, "HOME": str(profile)}, **quiet
    )


if __name__ == "__main__":
    sys.exit(main())
