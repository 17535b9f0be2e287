"""Choose what of an otter master notebook becomes the reference: exercises, given code, and the values that these need."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograder.course.assignment import Exercise
from autograder.course.definitions import uses_as_written
from autograder.course.stub import BEGIN
from autograder.integrations.otter_code import CLASS, FUNCTION, IMPORT, VALUE, Piece, lambdas_in, pieces_of
from autograder.integrations.otter_conditions import MATH, NUMPY, TORCH, libraries_in
from autograder.integrations.otter_master import CODE, PROMPT, Master, Question
from autograder.sandbox.child.parse import parse


@dataclass
class Reference:
    """What the reference is made of: its source without a heading, exercises by question, and what ships as given."""

    source: str = ""
    exercises: dict[str, Exercise] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)
    libraries: dict[str, str] = field(default_factory=dict)  # what the notebook calls numpy, torch and math
    torch: bool = False


def reference_of(master: Master, left_over: list[str]) -> Reference:
    """Return the reference of a notebook; all other code of it is added to `left_over`."""
    pieces = [
        piece
        for cell in master.cells
        if cell.kind == CODE and not _is_prompt(cell.block, cell.number, left_over)
        for piece in pieces_of(cell, left_over)
    ]
    kept, solved = _definitions(pieces, master, left_over)
    made = Reference()
    made.libraries = {name: library for piece in pieces for name, library in libraries_in(piece.node) if name}
    for question in master.questions.values():
        own = [piece for piece in solved if piece.cell.question == question.name]
        if own:
            main = _main(question, own)
            blanks = tuple(piece.names[0] for piece in own)
            points = question.worth or 1.0
            made.exercises[question.name] = Exercise(main.names[0], points, blanks)
            made.signatures[question.name] = _signature(main.node)
            if not question.worth:
                left_over.append(f"question {question.name}: gives no points in otter, and 1 here")
            if question.all_or_nothing:
                left_over.append(f"question {question.name}: all_or_nothing; here each case gives its part")
        elif question.manual:
            left_over.append(f"question {question.name}: a person grades it; write it with manual = true")
        else:
            left_over.append(f"question {question.name}: its solution is no function; write it as one")
    kept = _needed(pieces, kept, {e.name for e in made.exercises.values()}, left_over)
    imports = dict.fromkeys(piece.text for piece in kept if piece.kind == IMPORT)
    made.source = (
        "\n".join(imports)
        + "\n" * bool(imports)
        + "".join(f"\n\n{piece.text}\n" for piece in kept if piece.kind != IMPORT)
    )
    blanked = {blank for exercise in made.exercises.values() for blank in exercise.blanks}
    names = [n for p in kept if p.kind in (FUNCTION, CLASS) for n in p.names if n not in blanked]
    made.given = [*names, *(name for p in kept if p.kind == VALUE for name in lambdas_in(p.node))]
    made.torch = any(library == TORCH for p in kept for _, library in libraries_in(p.node))
    uses = uses_as_written(made.source, "", tuple(made.exercises.values()))
    for name, e in made.exercises.items():
        made.exercises[name] = Exercise(e.name, e.points, e.blanks, uses=uses.get(e.name, ()))
    return made


def _is_prompt(block: str, number: int, left_over: list[str]) -> bool:
    if block == PROMPT:
        left_over.append(f"cell {number}: what otter shows in place of the solution; our stub raises")
    return block == PROMPT


def _definitions(pieces: Iterable[Piece], master: Master, left_over: list[str]) -> tuple[list[Piece], list[Piece]]:
    """Return the definitions that the reference has, and those of them that students write."""
    kept, solved, seen = list[Piece](), list[Piece](), set[str]()
    for piece in (piece for piece in pieces if piece.kind in (FUNCTION, CLASS)):
        where, question = f"cell {piece.cell.number}: {piece.title}", master.questions.get(piece.cell.question)
        if piece.names[0] in seen:
            left_over.append(f"{where} is defined a second time")
        elif not piece.solved:
            kept.append(piece)
            seen |= set(piece.names)
            if question:
                left_over.append(f"{where} holds no # SOLUTION, so it is given, as otter ships it")
        elif piece.kind == CLASS:
            left_over.append(f"{where} is a class with a solution; only functions are imported")
        elif question is None or question.manual:
            left_over.append(f"{where} is a solution outside of a question that tests grade")
        elif BEGIN not in piece.text:
            left_over.append(f"{where} has no statement that is a solution")
        else:
            kept.append(piece)
            solved.append(piece)
            seen |= set(piece.names)
    return kept, solved


def _main(question: Question, own: list[Piece]) -> Piece:
    """Return the function of a question that its tests name most often, of several the last."""
    named = Counter[str]()
    for test in question.tests:
        try:
            named.update(node.id for node in ast.walk(parse(test.text)) if isinstance(node, ast.Name))
        except (SyntaxError, ValueError, RecursionError):
            continue
    return max(reversed(own), key=lambda piece: named[piece.names[0]])


def _signature(node: ast.stmt) -> str:
    assert isinstance(node, ast.FunctionDef)
    names = [part.arg for part in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return f"{node.name}({', '.join(names)})"


def _needed(pieces: list[Piece], kept: list[Piece], exercises: set[str], left_over: list[str]) -> list[Piece]:
    """Return what is kept with the imports and values that it needs, in the notebook's order."""
    chosen, grows = {id(piece) for piece in kept}, True
    while grows:
        grows = False
        needed = frozenset().union(*(piece.used for piece in pieces if id(piece) in chosen))
        for piece in pieces:
            wanted = needed & set(piece.names) or any(
                library in (NUMPY, MATH) for _, library in libraries_in(piece.node)
            )
            sound = piece.kind == IMPORT or (piece.kind == VALUE and not piece.solved and not piece.used & exercises)
            if id(piece) not in chosen and wanted and sound:
                chosen.add(id(piece))
                grows = True
    others = [piece for piece in pieces if id(piece) not in chosen and piece.kind not in (FUNCTION, CLASS)]
    left_over += [f"cell {piece.cell.number}: {piece.title}, {_why_left(piece, needed)}" for piece in others]
    return [piece for piece in pieces if id(piece) in chosen]


def _why_left(piece: Piece, needed: frozenset[str]) -> str:
    """Return why a statement is no part of the reference, whose definitions need some names."""
    if piece.solved:
        return "a solution that is no function"
    if "*" in piece.names:
        return "does not say which names it brings; import those that are needed"
    return "which a function needs, calls an exercise" if needed & set(piece.names) else "no function needs it"
