"""Try the course in every environment that people have, and print a table: `make test-environments`.

    python tests/environments.py [ROW ...] [--json] [--keep FOLDER]

In each of them the reference is handed in as students, teaching assistants and Gradescope do, and has to have full marks.
A row that cannot be had on this machine says why; it has not passed. With --keep, what was installed serves the next time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from debian_support import debian, instructions_of
from environment_support import (
    RESERVES,
    ROOT,
    Came,
    Environment,
    NotHereError,
    base_python,
    built_wheel,
    change_torch,
    check,
    check_py,
    course_copy,
    grade,
    install,
    link_libraries,
    other_python,
    pip,
    run_autograder,
    solution,
    user_site,
    virtual,
)
from gradescope_support import readable_python

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs

ALL = tuple(slugs(ROOT))
NUMPY = tuple(slug for slug in ALL if not load_assignment(ROOT, slug).torch)
TORCH = tuple(slug for slug in ALL if slug not in NUMPY)
# What the package needs beside numpy and torch.
LIGHT = ("pyseccomp", "nbformat", "typer", "rich", "jinja2", "markupsafe")
READERS = ("Students", "Graders", "Instructors", "Authors")  # of the help, which we write by means of typer
CUDA = "torch==2.11.0"  # its wheels on PyPI are CUDA builds, as those of every version for Linux
Deed = Callable[[Environment, Path, str, Path, bytes], Came]


@dataclass(frozen=True)
class Row:
    """What came of one environment."""

    name: str
    tried: int = 0
    wrong: tuple[str, ...] = ()
    not_run: str = ""

    @property
    def verdict(self) -> str:
        """Say it in a few words."""
        if self.not_run:
            return f"not run: {self.not_run}"
        return f"{self.tried - len(self.wrong)} of {self.tried} have full marks"


@dataclass(frozen=True)
class Place:
    """Where a row is made: a folder of its own, the wheel and a copy of the course."""

    folder: Path
    wheel: Path
    course: Path

    def fresh(self, name: str, make: Callable[[Path], Environment], fill: Callable[[Environment], None]) -> Environment:
        """Return an environment that was kept, or make it; one that came to no end is made again."""
        folder, whole = self.folder / name, self.folder / f"{name}.whole"
        if not whole.exists():
            shutil.rmtree(folder, ignore_errors=True)
            fill(make(folder))
            whole.touch()
        return make(folder)

    def packaged(
        self, name: str, make: Callable[[Path], Environment], fill: Callable[[Environment], None]
    ) -> Environment:
        """Return an environment in which the package is installed as it is now."""
        environment = self.fresh(name, make, fill)
        install(environment, self.wheel)
        return environment


def link_all(environment: Environment) -> None:
    """Put all that the package needs into an environment."""
    link_libraries(environment.site, "sequence-autograder", "torch")


def tried(environment: Environment, place: Place, *deeds: tuple[Deed, Iterable[str]]) -> Iterator[tuple[str, Came]]:
    """Hand in references and yield what came of each, by name."""
    for deed, chosen in deeds:
        for slug in chosen:
            with tempfile.TemporaryDirectory() as name:
                Path(name).chmod(0o755)
                yield f"{deed.__name__} {slug}", deed(environment, place.course, slug, Path(name), solution(ROOT, slug))


def wheel(place: Place) -> Iterator[tuple[str, Came]]:
    """The package as `pip install` leaves it, and no bubblewrap."""
    yield from tried(_installed(place), place, (check_py, ALL), (check, ALL), (grade, ALL), (run_autograder, ALL))


def newest(place: Place) -> Iterator[tuple[str, Came]]:
    """`pip install .`, the README's line: the newest of all that the package needs, and nothing that is not declared."""
    folder = place.folder / "newest"
    shutil.rmtree(folder, ignore_errors=True)  # what is newest changes
    environment = virtual(base_python(), folder)
    pip(environment, "install", str(place.wheel))
    asked = environment.run(str(folder / "bin" / "sequence-autograder"), "--help", cwd=folder)
    named = [who for who in READERS if f"\n{who}:\n" in asked.stdout]
    yield "help", Came(len(named), len(READERS), asked.stdout + asked.stderr)
    yield from tried(environment, place, (check_py, NUMPY), (check, NUMPY), (grade, NUMPY))


def bubblewrap(place: Place) -> Iterator[tuple[str, Came]]:
    """The same with bubblewrap."""
    if not shutil.which("bwrap"):
        raise NotHereError("bubblewrap is not installed")
    variables = {"PATH": os.environ["PATH"]}
    installed = _installed(place)
    yield from tried(Environment(installed.python, installed.site, variables), place, (grade, ALL))


def _installed(place: Place) -> Environment:
    base = place.folder / "base"
    python = str(base / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}")
    if not Path(python).exists():
        python = readable_python(base)

    return place.packaged("autograder/python", lambda folder: virtual(python, folder), link_all)


def user(place: Place) -> Iterator[tuple[str, Came]]:
    """`pip install --user`."""
    yield from tried(_users(place), place, (check_py, ALL), (check, TORCH[:1]), (grade, TORCH[:1]))


def path(place: Place) -> Iterator[tuple[str, Came]]:
    """`pip install --target` and PYTHONPATH."""
    found = _users(place)
    environment = Environment(found.python, found.site, {"PYTHONPATH": str(found.site)})
    yield from tried(environment, place, (check_py, ALL), (grade, TORCH[:1]))


def _users(place: Place) -> Environment:
    return place.packaged("home", user_site, link_all)


def reserving(place: Place) -> Iterator[tuple[str, Came]]:
    """A CPU build of torch that reserves 4 GB of address space on import, as CUDA builds do."""

    def fill(environment: Environment) -> None:
        link_libraries(environment.site, "numpy", "torch")
        change_torch(environment.site, RESERVES)

    environment = place.fresh("reserving", lambda folder: virtual(base_python(), folder), fill)
    yield from tried(environment, place, (check_py, ALL))


def cuda(place: Place) -> Iterator[tuple[str, Came]]:
    """What `pip install torch` gives on Linux; 5 GB."""

    def fill(environment: Environment) -> None:
        pip(environment, "install", CUDA, "numpy", *LIGHT)

    environment = place.packaged("cuda", lambda folder: virtual(other_python("3.12"), folder), fill)
    yield from tried(environment, place, (check_py, ALL), (check, TORCH[:1]), (grade, ALL))


def old_numpy(place: Place) -> Iterator[tuple[str, Came]]:
    """Handouts beside numpy 1.26."""

    def fill(environment: Environment) -> None:
        link_libraries(environment.site, "torch")
        shutil.rmtree(environment.site / "numpy", ignore_errors=True)
        pip(environment, "install", "numpy==1.26.4")

    environment = place.fresh("numpy", lambda folder: virtual(base_python(), folder), fill)
    yield from tried(environment, place, (check_py, ALL))


def python(version: str) -> Callable[[Place], Iterator[tuple[str, Came]]]:
    """Return a row for another Python, with the newest numpy that it can have, and without torch."""

    def row(place: Place) -> Iterator[tuple[str, Came]]:
        def fill(environment: Environment) -> None:
            pip(environment, "install", "numpy", *LIGHT)

        environment = place.packaged(f"python{version}", lambda folder: virtual(other_python(version), folder), fill)
        yield from tried(environment, place, (check_py, NUMPY), (check, NUMPY), (grade, NUMPY))

    return row


def container(suite: str, version: str, chosen: tuple[str, ...]) -> Callable[[Place], Iterator[tuple[str, Came]]]:
    """Return a row for a root of Debian's, as bare as Gradescope's container, in which its setup.sh and run_autograder run."""

    def row(place: Place) -> Iterator[tuple[str, Came]]:
        with debian(place.folder / suite, suite, version) as root:
            for slug in chosen:
                yield f"run_autograder {slug}", root.run_autograder(ROOT, slug, solution(ROOT, slug))
                yield f"check_py {slug}", root.check_py(ROOT, slug, solution(ROOT, slug))

    return row


def image(place: Place) -> Iterator[tuple[str, Came]]:
    """The steps of the Dockerfile in a bare root of Debian's; there is no Docker to build it with where this was written."""
    steps = instructions_of((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    installs = next(text for name, text in steps if name == "RUN" and text.startswith("apt-get"))
    packages = installs.partition("--no-install-recommends ")[2].partition(" &&")[0].split()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    wanted = [*project["project"]["dependencies"], *extras["cluster"], *extras["torch"]]
    plain = [text.partition(";")[0] for text in (*project["build-system"]["requires"], *wanted)]
    with debian(place.folder / "image", "bookworm", "3.11", "dash", *packages) as root:
        root.fetch(*plain, constraint=str(ROOT / "constraints.txt"))
        variables = root.build(steps, ROOT)
        for slug in ("a1_rnn", "a7_transformer"):
            yield f"grade {slug}", root.grade(ROOT, slug, solution(ROOT, slug), **variables)


ROWS: dict[str, Callable[[Place], Iterator[tuple[str, Came]]]] = {
    "wheel": wheel,
    "newest, no extra": newest,
    "wheel, bubblewrap": bubblewrap,
    "user site": user,
    "PYTHONPATH": path,
    "4 GB reserved": reserving,
    "CUDA build": cuda,
    "numpy 1.26": old_numpy,
    "Python 3.12": python("3.12"),
    "Python 3.13": python("3.13"),
    "Debian 12, bare": container("bookworm", "3.11", ("a1_rnn", "a7_transformer")),
    "Debian sid, 3.14": container("sid", "3.14", NUMPY),
    "Dockerfile's steps": image,
}


def run(name: str, place: Place) -> Row:
    """Try one row, telling how it goes."""
    row = Row(name)
    try:
        for what, came in ROWS[name](place):
            print(f"{name}: {what}: {came.score:g} of {came.most:g}", file=sys.stderr, flush=True)
            wrong = () if came.full else (f"{name}: {what}: {came.score:g} of {came.most:g}\n{came.said[-3000:]}",)
            row = Row(name, row.tried + 1, (*row.wrong, *wrong))
    except NotHereError as error:
        return Row(name, not_run=str(error))
    except subprocess.CalledProcessError as error:
        told = f"{name}: {error}\n{error.stdout}\n{error.stderr}"
        return Row(name, row.tried + 1, (*row.wrong, told))
    return row


def main() -> int:
    """Run the rows that are asked for, all if none is; return 1 where one of them lost points."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"one of: {'; '.join(ROWS)}")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    parser.add_argument("--keep", type=Path, help="a folder in which environments stay for the next time")
    chosen = parser.parse_args()
    if unknown := set(chosen.rows) - set(ROWS):
        parser.error(f"there is no row {', '.join(sorted(unknown))}; there are {'; '.join(ROWS)}")
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch).chmod(0o755)
        kept = chosen.keep.resolve() if chosen.keep else Path(scratch) / "environments"
        kept.mkdir(parents=True, exist_ok=True)
        place = Place(kept, built_wheel(Path(scratch)), course_copy(Path(scratch) / "course"))
        rows = [run(name, place) for name in chosen.rows or ROWS]
    if chosen.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
    else:
        print("\n".join(text for row in rows for text in row.wrong))
        print("\n".join(f"{row.name:<20}{row.verdict}" for row in rows))
    return int(any(row.wrong for row in rows))


if __name__ == "__main__":
    sys.exit(main())
