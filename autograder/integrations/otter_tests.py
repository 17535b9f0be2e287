"""Draft cases from otter's tests: calls with written-out arguments whose value is compared. Nothing is run."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from autograder.integrations.otter_conditions import Compared, compared, libraries_in
from autograder.integrations.otter_master import OtterTest, Question
from autograder.sandbox.child.parse import parse

_LONGEST_CLAIM = 100
_TAKEN = {"call", "case", "close", "np", "torch", "math", "MISCONCEPTIONS"}


@dataclass(frozen=True)
class DraftCase:
    """A case to be written: calls and what the notebook compares them with, as source."""

    name: str
    exercise: str
    hidden: bool
    weight: float
    claim: str
    calls: tuple[str, ...]
    expects: tuple[str, ...] = ()  # for comments, where the claim does not say it


@dataclass
class Drafter:
    """Drafts cases for exercises, question by question. `libraries` are the names of numpy, torch and math in the notebook."""

    exercises: AbstractSet[str]
    libraries: dict[str, str]
    left_over: list[str] = field(default_factory=list)
    cases: list[DraftCase] = field(default_factory=list)

    def add(self, question: Question) -> None:
        """Draft the cases of a question's tests; what cannot be drafted is added to `left_over`."""
        for number, (test, weight) in enumerate(zip(question.tests, question.weights, strict=True), start=1):
            where = f"question {question.name}, test {number} (cell {test.number})"
            try:
                body = parse(test.text).body
            except (SyntaxError, ValueError, RecursionError) as error:
                self.left_over.append(f"{where}: cannot be read as Python ({error})")
                continue
            name = f"{question.name}_test_{number}"
            match body:
                case [ast.FunctionDef(name=title, body=inner), *rest]:
                    name = title.removeprefix("test_")
                    body = [*inner, *(node for node in rest if not _calls(node, title))]
            if weight == 0:
                self.left_over.append(f"{where}: gives no points in otter; a case here has a weight")
            found = list(self._conditions(body, test, where))
            for exercise in dict.fromkeys(one.function for one in found):
                own = [one for one in found if one.function == exercise]
                self.cases.append(
                    self._case(name, exercise, test, weight or 1.0, own, f"Test {number} of {question.name}")
                )

    def _conditions(self, body: list[ast.stmt], test: OtterTest, where: str) -> Iterator[Compared]:
        """Yield what a test compares, with names that the test itself gives written out."""
        names: dict[str, ast.expr] = {}
        for node in body:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue  # a docstring
            if isinstance(node, ast.Import) and len(found := dict(libraries_in(node))) == len(node.names):
                self.libraries |= found
                continue
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                names[node.targets[0].id] = _written_out(node.value, names)
                continue
            condition = (
                node.test if isinstance(node, ast.Assert) else node.value if isinstance(node, ast.Expr) else None
            )
            whole = _written_out(condition, names) if condition else None
            shown = test.output if isinstance(node, ast.Expr) and node is body[-1] else ""
            told = compared(whole, self.exercises, self.libraries, shown) if whole else None
            if told:
                yield from told
                self.left_over += [f"{where}: {one.note}" for one in told if one.note]
                continue
            self.left_over.append(f"{where}: `{_short(node)}`")
            for part in ast.walk(node):  # it may have changed what these names stand for
                if isinstance(part, ast.Name) and not isinstance(node, ast.Assert):
                    names.pop(part.id, None)

    def _case(
        self, name: str, exercise: str, test: OtterTest, weight: float, found: list[Compared], otherwise: str
    ) -> DraftCase:
        calls = tuple(dict.fromkeys(one.call for one in found))
        expects = tuple(f"{exercise}({one.call}) == {one.expected}" for one in found)
        claim = " ".join(f"`{text}`." for text in expects)
        said = len(claim) <= _LONGEST_CLAIM and not re.search(r'[\\"`\n]', claim.replace("`", ""))
        home = self._free(name)
        if said:
            return DraftCase(home, exercise, test.hidden, weight, claim, calls)
        return DraftCase(home, exercise, test.hidden, weight, f"{otherwise} in the notebook.", calls, expects)

    def _free(self, wanted: str) -> str:
        """Return a name for a case that no other has."""
        name = re.sub(r"\W+", "_", wanted, flags=re.ASCII).strip("_").lower() or "test"
        name = f"test_{name}" if not name.isidentifier() or keyword.iskeyword(name) or name in _TAKEN else name
        taken = {case.name for case in self.cases} | self.exercises
        return next(n for n in (name, *(f"{name}_{number}" for number in range(2, 10_000))) if n not in taken)


def _calls(node: ast.stmt, name: str) -> bool:
    """Whether a statement only calls a function of the notebook, as below a test that is a function."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == name


def _written_out(node: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
    """Return an expression with the values of names in their places."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return names.get(name.id, name) if isinstance(name.ctx, ast.Load) else name

    filled: ast.expr = Fill().visit(parse(ast.unparse(node), mode="eval").body)
    return filled


def _short(node: ast.stmt) -> str:
    line = ast.unparse(node).partition("\n")[0]
    return f"{line[:90]}{'...' * (len(line) > 90)}"
