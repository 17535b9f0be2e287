"""Make what students get after the deadline: the handout with everything written, its quiz answered, and what goes wrong.

All of it follows from the reference, the quiz files and the bank of known mistakes, so it gives every answer away.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from autograder.course.catalog import readme_of
from autograder.course.language import say, say_many, speaking
from autograder.course.letters import shuffled
from autograder.course.questions import Question
from autograder.course.spec import Assignment, Exercise, Visibility
from autograder.course.stub import unmarked
from autograder.handout.handout import PICTURES, at_home, handout_files, notebook_prose, template
from autograder.handout.kit.handouts import SOLUTIONS
from autograder.handout.quiz_text import with_questions
from autograder.handout.write_notebook import check_cell, checks_in_order, notebook_cells, written
from autograder.judge.calls_as_text import FULL_SIZE, numbers_in, show_call
from autograder.judge.literals import literal, rounded
from autograder.judge.outcomes_alike import answers_of
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle


def folder_name(slug: str) -> str:
    """Return the name of the folder of solutions, which no handout's notebook takes for its own."""
    return f"solutions-{slug}"


def solution_files(course: Path, oracle: Oracle, term: str = "") -> dict[str, bytes]:
    """Return the files of a folder of solutions by path. The oracle is of public cases; `term` is the handout's.

    Raises CourseError where something it needs is missing.
    """
    with speaking(oracle.assignment.language):
        return _files(course, oracle, term)


def _files(course: Path, oracle: Oracle, term: str) -> dict[str, bytes]:
    assignment = oracle.assignment
    stem = Path(assignment.file).stem
    files = handout_files(course, oracle, term)
    pictures = {name: data for name, data in files.items() if PurePosixPath(name).suffix.lower() in PICTURES}
    code = solved(assignment, term)
    readme = at_home(with_questions(readme_of(course, assignment.slug), assignment.questions, term), assignment)
    prose = notebook_prose(readme, assignment, pictures)
    words: dict[str, str | bool] = {
        "title": assignment.title,
        "slug": assignment.slug,
        "files": "`, `".join(assignment.files or (assignment.file,)),
        "notebook": "" if assignment.files else f"{stem}.ipynb",
        "tests": f"test_{stem}.py",
    }
    first_line = f"# {say('Solutions, for students after the deadline only.')}\n"
    made = {name: first_line + text for name, text in assignment.as_files(code).items()}
    if words["notebook"]:
        cells = solution_cells(assignment, prose, code, term)
        made[f"{stem}.ipynb"] = written(cells, title=say("Solutions: {title}", title=assignment.title))
    made |= {
        SOLUTIONS: template("solutions.md", words) + "".join(_sheet(oracle, term)),
    }
    return files | {name: text.encode() for name, text in made.items()}


def solved(assignment: Assignment, term: str = "") -> str:
    """Return the file with every exercise written; quizzes are answered with the letters of a term's copies."""
    text = at_home(unmarked(assignment.reference), assignment)
    for question in assignment.questions:
        line = f'answers["{question.name}"] = '
        text = text.replace(f'{line}"{question.right}"', f'{line}"{_right_letter(question, term)}"')
    return text


def _right_letter(question: Question, term: str) -> str:
    copy = shuffled(question.name, question.letters, term)
    return next(letter for letter, option in copy.items() if option == question.right)


def solution_cells(assignment: Assignment, prose: str, code: str, term: str) -> Iterator[tuple[str, str]]:
    """Yield the notebook's cells; a check comes once all that its exercise uses is defined."""
    start = template("solutions_start.md", {})
    setup = template("setup.py.txt", {"slug": folder_name(assignment.slug), "file": assignment.file})
    exercises = {check_cell(exercise): exercise for exercise in assignment.exercises if not exercise.training}
    cells = notebook_cells(prose, code, assignment.exercises, start, setup)
    for kind, text in checks_in_order(cells, assignment, assignment.exercises):
        yield kind, text
        if text in exercises:
            yield from (("prose", told) for told in _after_check(assignment, exercises[text], term))


def _after_check(assignment: Assignment, exercise: Exercise, term: str) -> Iterator[str]:
    """Yield what stands below an exercise's check."""
    asked = [question for question in assignment.questions if question.exercise == exercise.name]
    if asked:
        yield "\n\n".join(_key(question, term) for question in asked)
    if mistakes := _mistakes(assignment, exercise):
        told = say_many(
            "<b>What goes wrong</b>: {n} known mistake of {exercise}",
            "<b>What goes wrong</b>: {n} known mistakes of {exercise}",
            len(mistakes),
            exercise=exercise.name,
        )
        yield "\n".join(["<details>", f"<summary>{told}</summary>", "", *mistakes, "", "</details>"])


def _sheet(oracle: Oracle, term: str) -> Iterator[str]:
    """Yield the parts of SOLUTIONS.md that are about exercises."""
    assignment = oracle.assignment
    yield "\n" + "\n".join(f"- [{exercise.name}](#{exercise.name.lower()})" for exercise in assignment.exercises) + "\n"
    for exercise in assignment.exercises:
        yield f"\n## {exercise.name}\n"
        if exercise.learned:
            yield f"\n{exercise.learned}\n"
        asked = [question for question in assignment.questions if question.exercise == exercise.name]
        if asked:
            yield "".join(f"\n{_key(question, term)}\n" for question in asked)
        else:
            yield from (f"\n{_claim(trial, oracle)}\n" for trial in oracle.trials_of(exercise.name))
            hidden = [c for c in assignment.cases_of(exercise.name) if c.visibility is Visibility.HIDDEN]
            if hidden:
                claims = "\n".join(f"- {case.name}: {_line(case.claim)}" for case in hidden)
                told = say("Grading claimed this as well, on inputs drawn for the class:")
                yield f"\n{told}\n\n{claims}\n"
        if exercise.rubric:
            items = "\n".join(f"- {item.item} ({item.points:g})" for item in exercise.rubric)
            yield f"\n{say('A person graded it by what the answer does:')}\n\n{items}\n"
        if mistakes := _mistakes(assignment, exercise):
            yield f"\n**{say('What goes wrong')}**\n\n" + "\n".join(mistakes) + "\n"


def _claim(trial: Trial, oracle: Oracle) -> str:
    """Return a public claim with its calls and answers, where they are few numbers."""
    case = trial.case
    head = f"**{case.name}.** {_line(case.claim)}"
    answers = [answer.value for answer in answers_of(oracle.expected(trial))]
    if sum(map(numbers_in, answers)) + sum(numbers_in([call.args, call.kwargs]) for call in trial.calls) > FULL_SIZE:
        test = f"test_{case.exercise}_{case.name}"
        return f"{head} {say('The numbers stand in `{test}` of the tests.', test=test)}"
    blocks = []
    for call, answer in zip(trial.calls, answers, strict=True):
        asked = show_call(call, case.exercise, oracle.signatures, alone=True)
        given = say("gives {value}", value=literal(rounded(answer), 0))
        blocks += [*asked.splitlines(), *given.splitlines()]
    return "\n".join([head, "", *(f"    {line}" for line in blocks)])


def _key(question: Question, term: str) -> str:
    """Return a question with its options as a copy has them: which is right, and why each is or is not."""
    options = {option.letter: option for option in question.options}
    copy = shuffled(question.name, question.letters, term)
    lines = [f"**{question.name}.** {question.asks}", ""]
    for letter, original in copy.items():
        option, mark = options[original], f" **{say('Right.')}**" if original == question.right else ""
        lines.append(f"- {letter}. {option.text}{mark} *{option.reason}*")
    return "\n".join(lines)


def _mistakes(assignment: Assignment, exercise: Exercise) -> list[str]:
    """Return a line for each known mistake of an exercise; wrong options of quizzes have their reasons elsewhere."""
    asked = {question.exercise for question in assignment.questions}
    found = (m for m in assignment.misconceptions if m.exercise == exercise.name and m.exercise not in asked)
    return [f"- `{m.name}`: {_line(m.says)}" for m in found]


def _line(text: str) -> str:
    return " ".join(text.split())
