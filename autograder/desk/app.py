"""The pages of the desk and what their forms do: queues of a class, a student's code beside the verdict, decisions.

Each request opens the gradebook for itself, so any number of desks may be open on one class.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote, unquote, urlencode

from flask import Flask, Response, abort, jsonify, make_response, redirect, request
from markupsafe import Markup
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse

from autograder.classroom import history
from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.gradebook_lock import open_beside
from autograder.classroom.gradebook_view import records, source_of
from autograder.classroom.marks import Kind, marks, note_opened, open_pages, others_at
from autograder.classroom.requests import requests
from autograder.desk.access import guard
from autograder.desk.queues import WHOLE, ClassQueues, Queue, Reason
from autograder.desk.saving import (
    ChangedError,
    Form,
    RefusedError,
    answer,
    decide,
    decisions_on,
    mark,
    said_before,
    state_of,
    ticked_now,
    withdraw,
)
from autograder.desk.students import NoStudentError, people_in, record_of
from autograder.pages.feedback import feedback_html
from autograder.pages.page import class_environment
from autograder.pages.staff import told_of

_TEMPLATES = Path(__file__).parent / "templates"
_SCRIPT = (_TEMPLATES / "desk.js").read_text(encoding="utf-8")
_SCRIPT_HASH = f"sha256-{b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()}"
_PAGES = class_environment(_TEMPLATES)
_MOST_WORDS = 100_000  # characters of a reason
_LATEST = 12  # decisions on the first page
_CHANGED = "Another person decided on this exercise, or it was graded again,"


@dataclass(frozen=True)
class Desk:
    """Which class a desk is about, where it listens, and who sits at it unless a browser says another name."""

    out: Path
    port: int
    token: str
    who: str
    note_change: Callable[[], None]  # called after each change


@dataclass(frozen=True)
class Place:
    """What a page is about: a student, in an exercise or as a whole, come upon in a queue or not."""

    student: str
    exercise: str = WHOLE
    reason: str = ""

    def address(self, path: str = "/student") -> str:
        """Return the path of the page, whatever the name holds."""
        return f"{path}?{urlencode({'name': self.student, 'exercise': self.exercise, 'queue': self.reason})}"


def make_app(desk: Desk) -> Flask:
    """Return the desk as an application."""
    app = Flask(__name__, static_folder=None, template_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = 10 * _MOST_WORDS
    guard(app, desk.port, desk.token, _SCRIPT_HASH)
    pages = _Pages(desk)
    _tell_errors(app, pages)
    _show(app, pages)
    _save(app, pages)
    return app


class _Pages:
    """The pages of a desk, each made for the grader who asks."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.queues = ClassQueues()
        self.name_cookie = f"desk-{desk.port}-name"

    def who(self) -> str:
        """Return the name of the grader who asks."""
        return unquote(request.cookies.get(self.name_cookie, "")) or self.desk.who

    @contextmanager
    def opened(self) -> Iterator[Gradebook]:
        """Open the gradebook in the name of the grader who asks."""
        with open_beside(self.desk.out) as book:
            book.who = self.who()
            yield book

    def page(self, template: str, status: int = 200, **values: object) -> Response:
        """Return a page from its template."""
        script = {"script": Markup(_SCRIPT), "script_hash": Markup(_SCRIPT_HASH)}  # noqa: S704 (ours)
        return make_response(_PAGES.get_template(template).render(me=self.who(), **script, **values), status)

    def refused(self, status: int, title: str, told: str) -> Response:
        """Say why something is not done; what was written in a form is not lost by that."""
        written = "" if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else request.form.get("because", "")
        return self.page("refused.html", status, title=title, told=told, written=written)

    def overview(self, book: Gradebook) -> Response:
        """Return the first page: queues, who is at work, what persons decided last."""
        return self.page(
            "overview.html",
            title=book.facts.title,
            queues=self.queues.read(book),
            students=book.students(),
            people=people_in(book),
            open_pages=open_pages(book),
            changes=tuple(reversed(history.changes(book.db, history.BY_PERSONS)))[:_LATEST],
            empty=request.args.get("empty", ""),
            emptied=request.args.get("queue", ""),
        )

    def student(self, book: Gradebook, place: Place, form: Form | None = None, trouble: str = "") -> Response:
        """Return a student's page; with a form that was not taken, it keeps what was written in it."""
        record = record_of(book, place.student)
        exercise = next((e for e in record.exercises if e.name == place.exercise), None)
        queue = _queue(self.queues.read(book), place)
        note_opened(book, place.student)
        graded = place.student in book.students()
        source = source_of(book, place.student) if graded else None
        decisions, rubric = decisions_on(book, place.student, place.exercise), book.facts.rubrics.get(place.exercise)
        return self.page(
            "student.html",
            409 if trouble else 200,
            **told_of(record, source, self.desk.out, place.exercise),
            place=place,
            queue=queue,
            item=queue and queue.item(place.student),
            exercise=exercise,
            in_form=exercise if exercise and exercise.by_person else None,
            state=state_of(book, place.student, place.exercise),
            decisions=decisions,
            rubric=rubric,
            ticked=form.items if form else ticked_now(rubric or (), decisions),
            said_before=said_before(book, place.exercise),
            requests=[one for one in requests(book, place.student) if one.exercise == place.exercise],
            mark=marks(book).get((place.student, place.exercise)),
            others=others_at(book, place.student),
            written=form,
            trouble=trouble,
            saved=request.args.get("saved", ""),
        )


def _tell_errors(app: Flask, pages: _Pages) -> None:
    """Make a page of each error."""

    @app.errorhandler(HTTPException)
    def say_why(error: HTTPException) -> Response:
        return pages.refused(error.code or 500, error.name, error.description or "")

    @app.errorhandler(GradebookError)
    def say_what_is_wrong(error: GradebookError) -> Response:
        return pages.refused(503, "The gradebook cannot be used", str(error))

    @app.errorhandler(NoStudentError)
    def say_who_is_missing(error: NoStudentError) -> Response:
        return pages.refused(404, "No such student", str(error))


def _show(app: Flask, pages: _Pages) -> None:
    """Answer what changes nothing in a grade."""

    @app.get("/")
    def overview() -> Response:
        with pages.opened() as book:
            return pages.overview(book)

    @app.get("/student")
    def student() -> Response:
        with pages.opened() as book:
            return pages.student(book, _place(request.args))

    @app.get("/read")
    def what_the_student_reads() -> str:
        with pages.opened() as book:
            name, facts = request.args.get("name", ""), book.facts
            found = tuple(records(book, [name])) if name in book.students() else ()
            if not found:
                abort(404, "There is no feedback for this student.")
            source = source_of(book, name)
            questions = facts.questions if facts.reasons_told else ()
            return feedback_html(found[0], questions, requests(book, name), source.pictures if source else ())

    @app.get("/next")
    def next_in_queue() -> AnyResponse:
        with pages.opened() as book:
            return redirect(_after(book, pages.queues, _place(request.args), back=bool(request.args.get("back"))), 303)

    @app.post("/opened")
    def still_open() -> Response:
        """Note that a page is still open, and tell who else has it open and whether another person decided."""
        place = _place(request.form)
        with pages.opened() as book:
            note_opened(book, place.student)
            told = [f"{one.who} has this open." for one in others_at(book, place.student)]
            if state_of(book, place.student, place.exercise) != request.form.get("known"):
                told.append(f"{_CHANGED} since you opened the page. Reload it to see.")
            return jsonify(told=" ".join(told))

    @app.post("/name")
    def say_name() -> AnyResponse:
        name = " ".join(request.form.get("me", "").split())[:60]
        if not name.isprintable() or not name:
            abort(400, "Write a name that others can read.")
        back = redirect("/", 303)
        back.set_cookie(pages.name_cookie, quote(name), httponly=True, samesite="Strict")
        return back


def _save(app: Flask, pages: _Pages) -> None:
    """Take the forms that decide something."""

    @app.post("/save")
    def save() -> AnyResponse:
        said = {key: request.form.get(key, "") for key in ("exercise", "known", "points", "because")}
        form = Form(request.form.get("name", ""), **said, items=tuple(request.form.getlist("item")))
        place, action = _place(request.form), request.form.get("action", "")
        with pages.opened() as book:
            record_of(book, form.student)
            try:
                _do(book, action, form, request.form.get("number", ""))
            except ChangedError:
                told = f"Nothing was saved. {_CHANGED} since you opened the page."
                return pages.student(
                    book, place, form, f"{told} Read the new state, and save again if you still want to."
                )
            except RefusedError as error:
                return pages.student(book, place, form, f"Nothing was saved. {error}")
            pages.desk.note_change()
            if not place.reason:
                return redirect(place.address(), 303)
            return redirect(_after(book, pages.queues, place, saved=place.student), 303)


def _place(said: MultiDict[str, str]) -> Place:
    """Return what an address or a form is about."""
    return Place(said.get("name", ""), said.get("exercise", WHOLE), said.get("queue", ""))


def _do(book: Gradebook, action: str, form: Form, number: str) -> None:
    """Do what a form asks for. Raises RefusedError and ChangedError."""
    if len(form.because) > _MOST_WORDS:
        raise RefusedError(f"A reason has {_MOST_WORDS} characters at most.")
    match action:
        case "decide":
            decide(book, form)
        case "withdraw":
            withdraw(book, form)
        case "answer" if number.isdecimal():
            answer(book, form, int(number))
        case Kind.SEEN | Kind.FLAGGED:
            mark(book, form, Kind(action))
        case _:
            raise RefusedError("The form asks for nothing that the desk knows.")


def _queue(queues: tuple[Queue, ...], place: Place) -> Queue | None:
    return next((one for one in queues if (one.exercise, one.reason) == (place.exercise, place.reason)), None)


def _after(book: Gradebook, queues: ClassQueues, place: Place, *, back: bool = False, saved: str = "") -> str:
    """Return the address of the next student in a queue, or of the first page where the queue is empty."""
    queue = _queue(queues.read(book), place)
    taken = {student for student, one in open_pages(book) if one.who != book.who}
    found = queue.beside(place.student, taken, back=back) if queue else ""
    if found:
        address = Place(found, place.exercise, place.reason).address()
        return f"{address}&{urlencode({'saved': saved})}" if saved else address
    still = queue and queue.left  # the one who is shown is the last that waits
    return "/" if still or place.reason not in list(Reason) else _emptied(place)


def _emptied(place: Place) -> str:
    """Return the address of the first page that says which queue is empty."""
    return f"/?{urlencode({'empty': place.exercise or 'whole', 'queue': place.reason})}"
