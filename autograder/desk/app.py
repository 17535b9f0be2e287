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
    withdraw,
)
from autograder.desk.students import NoStudentError, record_of
from autograder.pages.feedback import feedback_html
from autograder.pages.page import class_environment
from autograder.pages.staff import told_of

_TEMPLATES = Path(__file__).parent / "templates"
_SCRIPT = (_TEMPLATES / "desk.js").read_text(encoding="utf-8")
_SCRIPT_HASH = f"sha256-{b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()}"
_PAGES = class_environment(_TEMPLATES)
_MOST_WORDS = 100_000  # characters of a reason
_LATEST = 12  # changes on the first page


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
    queues = ClassQueues()
    name_cookie = f"desk-{desk.port}-name"

    def who() -> str:
        return unquote(request.cookies.get(name_cookie, "")) or desk.who

    @contextmanager
    def opened() -> Iterator[Gradebook]:
        with open_beside(desk.out) as book:
            book.who = who()
            yield book

    def page(template: str, status: int = 200, **values: object) -> Response:
        script = {"script": Markup(_SCRIPT), "script_hash": Markup(_SCRIPT_HASH)}  # noqa: S704 (ours)
        return make_response(_PAGES.get_template(template).render(me=who(), **script, **values), status)

    def refused(status: int, title: str, told: str) -> Response:
        """Say why something is not done; what was written in a form is not lost by that."""
        written = "" if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else request.form.get("because", "")
        return page("refused.html", status, title=title, told=told, written=written)

    @app.errorhandler(HTTPException)
    def say_why(error: HTTPException) -> Response:
        return refused(error.code or 500, error.name, error.description or "")

    @app.errorhandler(GradebookError)
    def say_what_is_wrong(error: GradebookError) -> Response:
        return refused(503, "The gradebook cannot be used", str(error))

    @app.errorhandler(NoStudentError)
    def say_who_is_missing(error: NoStudentError) -> Response:
        return refused(404, "No such student", str(error))

    @app.get("/")
    def overview() -> Response:
        with opened() as book:
            return page(
                "overview.html",
                title=book.facts.title,
                queues=queues.read(book),
                students=book.students(),
                open_pages=open_pages(book),
                changes=tuple(reversed(history.changes(book.db)))[:_LATEST],
                empty=request.args.get("empty", ""),
                emptied=request.args.get("queue", ""),
            )

    def shown(book: Gradebook, place: Place, form: Form | None = None, trouble: str = "") -> Response:
        """Return a student's page; with a form that was not taken, it keeps what was written in it."""
        record = record_of(book, place.student)
        exercise = next((e for e in record.exercises if e.name == place.exercise), None)
        queue = _queue(queues.read(book), place)
        note_opened(book, place.student)
        graded = place.student in book.students()
        source = source_of(book, place.student) if graded else None
        return page(
            "student.html",
            409 if trouble else 200,
            **told_of(record, source, desk.out, place.exercise),
            place=place,
            queue=queue,
            item=queue and queue.item(place.student),
            exercise=exercise,
            state=state_of(book, place.student, place.exercise),
            decisions=decisions_on(book, place.student, place.exercise),
            said_before=said_before(book, place.exercise),
            requests=[one for one in requests(book, place.student) if one.exercise == place.exercise],
            mark=marks(book).get((place.student, place.exercise)),
            others=others_at(book, place.student),
            written=form,
            trouble=trouble,
            saved=request.args.get("saved", ""),
        )

    @app.get("/student")
    def student() -> Response:
        with opened() as book:
            return shown(book, _place(request.args))

    @app.get("/read")
    def what_the_student_reads() -> str:
        with opened() as book:
            name, facts = request.args.get("name", ""), book.facts
            found = tuple(records(book, [name])) if name in book.students() else ()
            if not found:
                abort(404, "There is no feedback for this student.")
            return feedback_html(found[0], facts.questions if facts.reasons_told else (), requests(book, name))

    @app.get("/next")
    def next_in_queue() -> AnyResponse:
        with opened() as book:
            return redirect(_after(book, queues, _place(request.args), back=bool(request.args.get("back"))), 303)

    @app.post("/save")
    def save() -> AnyResponse:
        form = Form(*(request.form.get(key, "") for key in ("name", "exercise", "known", "points", "because")))
        place, action = _place(request.form), request.form.get("action", "")
        with opened() as book:
            record_of(book, form.student)
            try:
                _do(book, action, form, request.form.get("number", ""))
            except ChangedError:
                told = "Nothing was saved: somebody decided on this exercise since you opened the page, or it was graded again."
                return shown(book, place, form, f"{told} Read what stands now, and save again if you still want to.")
            except RefusedError as error:
                return shown(book, place, form, f"Nothing was saved. {error}")
            desk.note_change()
            return redirect(_after(book, queues, place, saved=place.student) if place.reason else place.address(), 303)

    @app.post("/opened")
    def still_open() -> Response:
        """Note that a page is still open, and tell who else has it open and whether anybody decided."""
        place = _place(request.form)
        with opened() as book:
            note_opened(book, place.student)
            told = [f"{one.who} has this open." for one in others_at(book, place.student)]
            if state_of(book, place.student, place.exercise) != request.form.get("known"):
                told.append("Somebody decided on this exercise, or it was graded again. Reload the page to see.")
            return jsonify(told=" ".join(told))

    @app.post("/name")
    def say_name() -> AnyResponse:
        name = " ".join(request.form.get("me", "").split())[:60]
        if not name.isprintable() or not name:
            abort(400, "Write a name that others can read.")
        back = redirect("/", 303)
        back.set_cookie(name_cookie, quote(name), httponly=True, samesite="Strict")
        return back

    return app


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
    """Return the address of the next student in a queue, or of the first page where nobody waits any more."""
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
