"""The command that opens the desk: a page on this machine on which graders decide about a class."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.command.options import CourseOption, check_course, fail, graded_book


def desk(
    out: Annotated[Path, typer.Argument(help="The folder a `grade` wrote")],
    who: Annotated[
        str, typer.Option("--as", metavar="NAME", show_default="your user name", help="Who decides, for the history")
    ] = "",
    port: Annotated[int, typer.Option(min=0, max=65535, show_default="any that is free", help="Where to listen")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in your browser")] = True,
    course: CourseOption = None,
) -> None:
    """Decide about a class in the browser, several graders at once: points, reasons and requests.

    Files such as grades.csv follow while it runs, and when Ctrl-C ends it. It takes pip install 'sequence-autograder[desk]'.
    """
    try:
        from autograder.desk.app import Desk, make_app
    except ModuleNotFoundError:
        fail("The desk takes Flask: pip install 'sequence-autograder[desk]'")
    from autograder.desk.publishing import Publisher
    from autograder.desk.server import listen

    check_course(course)
    with graded_book(out, beside=True) as book:
        me = " ".join(who.split()) or book.who or "grader"

    publisher = Publisher(out)
    try:
        server, token = listen(port, lambda port, token: make_app(Desk(out, port, token, me, publisher.note_change)))
    except OSError as error:
        fail(f"Port {port} cannot be used: {error.strerror}. Name another one, or none.")
    address = f"http://127.0.0.1:{server.port}/?token={token}"
    publisher.start()
    try:
        print(
            f"{address}\nThis address is for you alone: it opens the desk. Ctrl-C ends it, and brings the files up to date.",
            flush=True,
        )
        if browser:
            import webbrowser

            webbrowser.open(address)
        server.serve_forever()  # until Ctrl-C, which it takes for an ordinary end
    finally:
        publisher.stop()
