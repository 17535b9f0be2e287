"""Who may import whom, and what must not be imported at all."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from autograder.handout.handout import SHIPPED

ROOT = Path(__file__).parents[1]
# Who may import whom: each package only those before it, and the command line all of them.
LAYERS = (
    "sandbox/child", "course", "sandbox", "judge", "submission", "feedback", "handout/kit",
    "oracle", "lms", "classroom", "pages", "desk", "handout", "integrations", "proof", "command",
)  # fmt: skip
FILES = sorted((ROOT / "autograder").rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Yield every module a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(module: str) -> int:
    """Return how high a module of ours stands: the innermost package that the list names."""
    parts = tuple(module.split(".")[1:])
    inside = [place for place in LAYERS if parts[: place.count("/") + 1] == tuple(place.split("/"))]
    return LAYERS.index(max(inside, key=len)) if inside else len(LAYERS)


def package_of(path: Path) -> str:
    """Return the package of the list that a file is in, or nothing for what stands at the top."""
    own = layer(module_of(path))
    return LAYERS[own] if own < len(LAYERS) else ""


def module_of(path: Path) -> str:
    """Return the dotted name of a file of ours."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def ours(path: Path) -> set[str]:
    """Return the modules of ours that a file imports."""
    return {name for name in imports(path) if name == "autograder" or name.startswith("autograder.")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT / "autograder")))
def test_each_layer_imports_only_from_those_before_it(path: Path) -> None:
    """In the order of the layers, and then what stands at the top."""
    own = layer(module_of(path))
    version = {"autograder", "autograder.__version__"}
    assert [name for name in ours(path) - version if layer(name) > own] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Not even inside functions."""
    names = {module_of(path): path for path in FILES}
    graph = {name: {other for other in ours(path) if other in names} for name, path in names.items()}
    assert list(TopologicalSorter(graph).static_order())


def test_what_is_beside_student_code_imports_nothing_else() -> None:
    """No module of `sandbox/child` imports another of ours; it knows no answer, no tolerance and no check."""
    inside = [path for path in FILES if package_of(path) == "sandbox/child"]
    found = {name for path in inside for name in ours(path)}
    assert len(inside) > 5
    assert not [name for name in found if not name.startswith("autograder.sandbox.child")]


def test_what_ships_imports_only_what_ships() -> None:
    """Of the packages that a handout holds no module needs another, so the reference's side stays at home."""
    shipped = {*SHIPPED, "sandbox/child"}
    inside = [path for path in FILES if package_of(path) in shipped]
    outside = {name for path in inside for name in ours(path) if LAYERS[layer(name)] not in shipped}
    assert len(inside) > 30
    assert not outside


def test_answers_stay_with_the_grader() -> None:
    """Neither what ships nor a sandbox's child is in, or above, the package that knows the answers."""
    assert "oracle" not in SHIPPED
    assert all(LAYERS.index(place) < LAYERS.index("oracle") for place in SHIPPED)


def test_nothing_imports_otter() -> None:
    """Otter is a format we write, not a library we stand on."""
    found = {name for path in FILES for name in imports(path)}
    assert not [name for name in found if name.split(".")[0] in ("otter", "pytest", "hypothesis", "dask", "tests")]


def test_nothing_is_unpickled() -> None:
    """No module that could make objects of bytes is imported anywhere, but where a child is handed what the grader knows anyway."""
    makers = {"pickle", "dill", "cloudpickle", "marshal", "shelve", "joblib"}
    found = {path.stem for path in FILES if makers & {name.split(".")[0] for name in imports(path)}}
    assert found == {"job_parts"}


def loaded(code: str) -> set[str]:
    """Return the top-level modules that some code leaves loaded in a process of its own."""
    script = f"import sys\n{code}\nprint(' '.join(sorted(m.partition('.')[0] for m in sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT / "tests"
    )
    return set(done.stdout.split())


def test_a_numpy_assignment_is_checked_without_torch() -> None:
    """Torch takes a second to import, and `check` is to answer in half of one."""
    found = loaded("""
from pathlib import Path
from autograder.course.catalog import load_assignment
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Chunk, Source
from autograder.sandbox.process import ProcessSandbox
assignment = load_assignment(Path("course"), "t1_means")
text = assignment.reference.replace("return x - means", "return means - x")
result = grade(Source("means", (Chunk("means.py", text),)), Oracle(assignment, 0), ProcessSandbox())
assert result.score == 5, result.score
""")
    assert "numpy" in found
    assert not found & {"torch", "typer", "jinja2", "nbformat", "matplotlib"}


def test_the_command_line_loads_little() -> None:
    """Each command imports what it needs when it runs."""
    assert not loaded("import autograder.cli") & {
        *("torch", "rich", "jinja2", "nbformat", "matplotlib", "flask"),
    }


def test_modules_stay_short_enough_to_read() -> None:
    """A file of ours has about 300 lines at most, so that one sitting is enough for it."""
    assert [f"{path.name}: {count}" for path in FILES if (count := path.read_text("utf-8").count("\n")) > 320] == []


# Modules above the oracle that read JSON or TOML, where what was written is not known before it is looked at.
READING = {"classroom/course_rules.py", "classroom/gradebook_versions.py", "classroom/record_json.py"}


def test_from_the_record_on_there_are_types() -> None:
    """What a class's results are made of has types from the gradebook to the page; dicts of anything stay where JSON is read."""
    files = [path for path in FILES if package_of(path) in {"lms", "classroom", "pages", "command"}]
    assert len(files) > 40
    found = {str(path.relative_to(ROOT / "autograder")) for path in files if "[str, Any]" in path.read_text("utf-8")}
    assert found <= READING


def test_threads_read_python_one_at_a_time() -> None:
    """Many submissions are judged at once, beside the reference, and authors' files are read here: `parse` makes all trees."""
    names = {path.relative_to(ROOT / "autograder").as_posix(): path for path in FILES}
    makers = {name for name, path in names.items() if "ast.parse(" in path.read_text(encoding="utf-8")}
    assert makers == {"sandbox/child/parse.py"}
