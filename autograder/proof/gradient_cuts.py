"""Where a gradient can be cut: the names in a reference through which a loss on its outputs would send one back.

A cut (`x` becomes `x.detach()`) changes no value, so only cases that send gradients back notice it. Where outputs are
no tensors, or a name holds a mask or whole numbers, it is no mistake.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.spec import Assignment, Module
from autograder.judge.trials import as_data
from autograder.oracle.oracle import Oracle
from autograder.oracle.reference import run_requests
from autograder.proof.code_changes import cut_of
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.tree import Tensor
from autograder.sandbox.job import Outcome, Request

Place = tuple[int, int, int]  # line, first and last column
_SAW = "_autograder_saw"
_SEED = 0


def place_of(node: ast.Name | ast.Attribute) -> Place:
    """Return where an expression stands in its source."""
    return node.lineno, node.col_offset, node.end_col_offset or 0


def tracked(assignment: Assignment, tree: ast.Module) -> frozenset[Place]:
    """Return the places where names hold tensors that a gradient comes back to; none in an assignment without torch."""
    if not assignment.torch:
        return frozenset()
    import torch

    found: set[Place] = set()

    def saw(line: int, first: int, last: int, value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.requires_grad:
            found.add((line, first, last))
        return value

    watched = ast.fix_missing_locations(_watched(copy.deepcopy(tree)))
    program = Program("watched", notebook=False)
    vars(program.module)[_SAW] = saw
    exec(compile(watched, assignment.file, "exec", dont_inherit=True), vars(program.module))  # noqa: S102 (the course's own)
    oracle = Oracle(assignment, _SEED)
    for trial in oracle.trials:
        pairs = zip(trial.requests, oracle.expected(trial), strict=True)
        run_requests(program, tuple(filter(None, (_backwards(request, outcome) for request, outcome in pairs))))
    return frozenset(found)


def _backwards(request: Request, outcome: Outcome) -> Request | None:
    """Return a request that sends a gradient back through all outputs, where all are floating tensors."""
    module = request.module or as_data(Module(init=None))
    value = outcome.value["output"] if module["cotangents"] else outcome.value
    outputs = value if isinstance(value, tuple | list) else (value,)
    if not all(isinstance(part, Tensor) and part.array.dtype.kind == "f" for part in outputs):
        return None
    return replace(request, module={**module, "cotangents": tuple(Tensor(np.ones_like(o.array)) for o in outputs)})


def _watched(tree: ast.AST) -> Any:
    """Put a call that looks at the value around every name that may be cut."""
    for name, value in ast.iter_fields(tree):
        if isinstance(value, ast.AST):
            setattr(tree, name, _around(value, tree))
        elif isinstance(value, list):
            value[:] = [_around(part, tree) if isinstance(part, ast.AST) else part for part in value]
    return tree


def _around(node: ast.AST, parent: ast.AST) -> Any:
    if isinstance(node, ast.Name | ast.Attribute) and cut_of(node, parent):
        return ast.Call(ast.Name(_SAW, ast.Load()), [*map(ast.Constant, place_of(node)), _watched(node)], [])
    return _watched(node)
