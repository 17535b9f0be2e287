"""A root of Debian's packages, as bare as a container's, and what Gradescope does in it. It takes root and Debian's archive.

Packages are unpacked, not installed: nothing of this machine changes, and nothing runs in there but Python and a shell.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from environment_support import Came, NotHereError, fetch, graded, handout, told, unpacked

from autograder.course.catalog import load_assignment
from autograder.integrations.gradescope import gradescope_zip
from autograder.integrations.one_submission import Settings

TOOLS = ("base-files", "bash", "coreutils", "grep", "libc-bin", "libseccomp2", "libstdc++6")
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
# Mounts of its own, which end with the process: what a container has beside its files.
ENTER = 'mount --bind /proc "$0/proc"; mount --bind /dev "$0/dev"; exec chroot "$0" "$@"'


@dataclass(frozen=True)
class Root:
    """A root folder with a Python in it."""

    folder: Path
    python: str

    def run(self, *command: str, check: bool = True, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command in it."""
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", ENTER, str(self.folder), *command],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/", **variables},
            capture_output=True,
            text=True,
            check=check,
            timeout=1800,
        )

    def run_autograder(self, course: Path, slug: str, code: bytes) -> Came:
        """Build the image from Gradescope's zip and grade one submission."""
        home = self.folder / "autograder"
        shutil.rmtree(home, ignore_errors=True)
        archive = gradescope_zip(course, load_assignment(course, slug), Settings(slug, seed=7))
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            opened.extractall(home / "source")
        requirements = (home / "source" / "requirements.txt").read_text(encoding="utf-8")
        self.fetch(*(line.partition(";")[0] for line in requirements.splitlines() if not line.startswith("--")))
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels", "AUTOGRADER_PYTHON": self.python}
        self.run("bash", "/autograder/source/setup.sh", **offline)
        (home / "submission").mkdir()
        (home / "submission" / load_assignment(course, slug).file).write_bytes(code)
        shutil.copy(home / "source" / "run_autograder", home / "run_autograder")
        done = self.run("bash", "/autograder/run_autograder")
        answer = json.loads((home / "results" / "results.json").read_text(encoding="utf-8"))
        most = sum(test["max_score"] for test in answer["tests"])
        return Came(answer["score"], most, done.stdout + done.stderr + json.dumps(answer))

    def check_py(self, course: Path, slug: str, code: bytes) -> Came:
        """Check a handout with the Python that setup.sh has made."""
        files = {**handout(course, slug), load_assignment(course, slug).file: code}
        unpacked(files, self.folder / "home" / slug)
        script = f"cd /home/{slug} && /autograder/python/bin/python check.py --json"
        return told(self.run("bash", "-c", script, check=False))

    def grade(self, course: Path, slug: str, code: bytes, **variables: str) -> Came:
        """Grade a class of one with the command of an image whose folder for courses is /course."""
        home = self.folder / "course"
        for part in ("assignments", "solutions"):
            shutil.copytree(course / part / slug, home / part / slug, dirs_exist_ok=True)
        unpacked({f"{slug}/ada/{load_assignment(course, slug).file}": code}, home / "class")
        command = f"cd /course && autograder grade {slug} class/{slug} --seed 7 --no-training -o graded/{slug}"
        done = self.run("sh", "-c", command, check=False, **variables)
        return graded(home / "graded" / slug, done.stdout + done.stderr)

    def build(self, instructions: list[tuple[str, str]], context: Path) -> dict[str, str]:
        """Do what a Dockerfile says, but for installing Debian's packages, and return the variables of its image."""
        variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels"}
        for name, text in instructions:
            if name == "COPY":
                *sources, target = text.split()
                for source in sources:
                    _copy(context / source, self.folder / target.lstrip("/"), inside=target.endswith("/"))
            elif name == "RUN" and not text.startswith("apt-get"):
                self.run("sh", "-ec", text, **variables, **offline)
            elif name == "ENV":
                variables |= dict(part.split("=", 1) for part in shlex.split(text))
            elif name == "WORKDIR":
                (self.folder / text.lstrip("/")).mkdir(parents=True, exist_ok=True)
        return variables

    def fetch(self, *requirements: str, constraint: str = os.devnull) -> None:
        """Bring what pip will ask for: in there is no network."""
        version = ("--only-binary=:all:", "--python-version", self.python.removeprefix("python"))
        download = (sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(self.folder / "wheels"), *version)
        for requirement in requirements:
            fetch(*download, "--constraint", constraint, requirement)


def instructions_of(dockerfile: str) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile, each its name and its text."""
    lines = [line for line in dockerfile.splitlines() if line and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def _copy(source: Path, target: Path, *, inside: bool) -> None:
    if source.is_dir():  # of a folder Docker copies what is in it
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        return
    if inside:
        target.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


@contextlib.contextmanager
def debian(folder: Path, suite: str, version: str, *more: str) -> Iterator[Root]:
    """Unpack Python, a shell and more of a Debian suite, with all that they depend on, unless that is there already."""
    if os.geteuid() != 0:
        raise NotHereError("it takes root")
    if missing := [name for name in ("apt-get", "dpkg-deb", "unshare", "chroot") if not shutil.which(name)]:
        raise NotHereError(f"there is no {missing[0]}")
    root = folder / "root"
    if not (folder / "whole").exists():
        shutil.rmtree(folder, ignore_errors=True)
        root.mkdir(parents=True)
        for package in _packages(folder / "apt", suite, f"python{version}-venv", *TOOLS, *more):
            subprocess.run(["dpkg-deb", "--extract", package, root], check=True, capture_output=True)
        for name in ("proc", "dev", "tmp", "home"):
            (root / name).mkdir(exist_ok=True)
        (root / "tmp").chmod(0o1777)
        (root / CERTIFICATES).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path("/") / CERTIFICATES, root / CERTIFICATES)  # pip does not start without, network or not
        Root(root, "").run("ldconfig")  # what no package brings is the list of libraries, by which libseccomp is found
        (folder / "whole").touch()
    yield Root(root, f"python{version}")


def _packages(folder: Path, suite: str, *names: str) -> list[Path]:
    """Download packages with what they depend on, by an apt that knows of nothing installed."""
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True)
    (folder / "status").touch()
    source = f"deb [signed-by={KEYS}] http://deb.debian.org/debian {suite} main\n"
    (folder / "sources.list").write_text(source, encoding="utf-8")
    settings = {
        "Dir::Etc::SourceList": "sources.list",
        "Dir::Etc::SourceParts": "none",
        "Dir::State::Lists": "lists",
        "Dir::State::Status": "status",
        "Dir::Cache": "cache",
    }
    options = [f"--option={key}={folder / value}" for key, value in settings.items()]
    apt = ["apt-get", "--quiet", *options]
    fetch(*apt, "update")
    fetch(*apt, "install", "--yes", "--download-only", "--no-install-recommends", *names)
    return sorted((folder / "cache" / "archives").glob("*.deb"))
