"""The desk: a real server on this machine, asked over HTTP by several graders at once, and used in a real browser."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from browser import look_at, site, tab
from class_records import HOSTILE

from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.gradebook_lock import open_gradebook
from autograder.classroom.gradebook_versions import FILE
from autograder.classroom.requests import Asked, answers, requests, take_in

Sent = tuple[int, dict[str, str], str]
# A student's file that would run as a script in a page that does not escape it.
STRANGE = "Fay <b>'&?</b>{{ 7 * 7 }}"
SCRIPT = "</pre></textarea><script>document.documentElement.setAttribute('data-ran', 1)</script>"


@dataclass
class Client:
    """One grader's browser, as far as HTTP goes."""

    address: str
    token: str
    cookie: str = ""

    def ask(self, method: str, path: str, said: dict[str, str] | None = None, **headers: str) -> Sent:
        """Send a request; return status, headers and text."""
        host = self.address.removeprefix("http://")
        connection = HTTPConnection(host, timeout=60)
        sent = {"Cookie": self.cookie, **headers}
        if method == "POST":
            sent = {"Origin": self.address, "Content-Type": "application/x-www-form-urlencoded", **sent}
        connection.request(method, path, urlencode(said) if said is not None else None, sent)
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read().decode()
        connection.close()
        return found

    def come_in(self, name: str = "") -> None:
        """Open the printed address, and say who this is."""
        status, headers, _ = self.ask("GET", f"/?token={self.token}")
        assert status == 200
        self.cookie = headers["Set-Cookie"].partition(";")[0]
        if name:
            status, headers, _ = self.ask("POST", "/name", {"me": name})
            assert status == 303
            self.cookie += "; " + headers["Set-Cookie"].partition(";")[0]

    def page(self, student: str, exercise: str = "", queue: str = "") -> str:
        """Return a student's page."""
        asked = {"name": student, "exercise": exercise, "queue": queue}
        status, _, text = self.ask("GET", f"/student?{urlencode(asked)}")
        assert status == 200, text
        return text

    def save(self, page: str, action: str, **said: str) -> Sent:
        """Send the form of a page."""
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
        return self.ask("POST", "/save", {**hidden, "action": action, **said})


@contextmanager
def desk(out: Path, who: str = "kim") -> Iterator[tuple[Client, subprocess.Popen[str]]]:
    """Start the command; give a client that has not come in yet, and the process."""
    command = [sys.executable, "-m", "autograder", "desk", str(out), "--as", who, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            address, _, token = process.stdout.readline().strip().partition("/?token=")
            yield Client(address, token), process
        finally:
            process.terminate()
            process.wait(60)


@pytest.fixture
def out(cli: Any, course: Path, tmp_path: Path, edited: Callable[..., str]) -> Path:
    """Return a graded class: two mistakes without a name, a request, a hostile file, an unreadable one, one who handed in nothing."""
    works, roster = tmp_path / "class", tmp_path / "roster.csv"
    works.mkdir()
    unknown = "return x - 2 * as_columns(row_means(x))"
    (works / "ada.py").write_text(edited(center=unknown))
    (works / "bob.py").write_text(edited(center=f"# {SCRIPT}\n{unknown}"))
    (works / "eve.py").write_text(edited())
    (works / "fay.py").write_text(edited(row_means=f'raise ValueError("{SCRIPT}")'))
    (works / "gus.py").write_bytes(b"\x00\x01")
    roster.write_text(f"id,name\nada,\nbob,\neve,\nfay,{STRANGE}\ngus,\nzoe,\n")
    run = ("-o", tmp_path / "out", "--course", course, "--accept-unsandboxed", "--roster", roster)
    assert cli("grade", "t1_means", works, *run)[0] == 0
    with open_gradebook(tmp_path / "out") as book:
        take_in(book, [Asked("eve", "spread", "Why?"), Asked("zoe", "center", f"I was ill. {SCRIPT}")])
    return tmp_path / "out"


@contextmanager
def when_free(out: Path) -> Iterator[Gradebook]:
    """Open a gradebook as commands do, once a desk is not writing files from it."""
    with ExitStack() as stack:
        while True:
            try:
                book = stack.enter_context(open_gradebook(out))
                break
            except GradebookError:
                time.sleep(0.1)
        yield book


def rows(out: Path, query: str) -> list[Any]:
    """Read from the gradebook."""
    with closing(sqlite3.connect(out / FILE)) as db:
        return db.execute(query).fetchall()


def test_only_who_has_the_address_comes_in(out: Path) -> None:
    """Without the token, with another host or origin there is nothing; the cookie is for this desk alone."""
    with desk(out) as (client, _):
        stranger = Client(client.address, client.token)
        for path in ("/", "/student?name=ada", "/next?exercise=center&queue=unnamed", "/?token=", "/?token=%C3%A4"):
            assert stranger.ask("GET", path)[0] == 403
        assert stranger.ask("POST", f"/save?token={client.token}", {"action": "seen", "name": "ada"})[0] == 403
        assert "ada" not in stranger.ask("GET", "/student?name=ada")[2]
        status, _, text = stranger.ask("POST", "/save", {"name": "ada", "because": "My <words>."})
        assert (status, "My &lt;words&gt;." in text) == (403, True)  # as after a new start, with another token
        status, headers, _ = client.ask("GET", f"/?token={client.token}")
        assert status == 200
        assert {"HttpOnly", "SameSite=Strict"} <= set(headers["Set-Cookie"].split("; "))
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        client.come_in()
        assert client.ask("GET", "/")[0] == 200
        port = client.address.rpartition(":")[2]
        assert client.ask("GET", "/", Host=f"localhost:{port}")[0] == 200
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1"):
            assert client.ask("GET", "/", Host=host)[0] == 403
        form = {"name": "ada", "exercise": "center", "action": "seen"}
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1", ""):
            assert client.ask("POST", "/save", form, Origin=origin)[0] == 403
        assert rows(out, "SELECT * FROM mark") == []


def test_queues_lead_from_one_student_to_the_next(out: Path) -> None:
    """Points in the queue of failures without a name: the next one is shown, then the queue is empty; files follow."""
    with desk(out) as (client, _):
        client.come_in()
        first = client.ask("GET", "/")[2]
        told = re.sub(r"<[^>]+>|\s+", " ", first)
        assert re.search(r"center +Failures without a name +2 +2", told)
        assert re.search(r"spread +Requests for a regrade +1 +1", told)
        assert re.search(r"the submission as a whole +Needs a look +1 +1", told)
        status, headers, _ = client.ask("GET", "/next?exercise=center&queue=unnamed")
        assert (status, headers["Location"]) == (303, "/student?name=ada&exercise=center&queue=unnamed")
        page = client.page("ada", "center", "unnamed")
        assert "1 more fail alike" in page
        assert "2 * as_columns" in page
        status, headers, _ = client.save(page, "decide", points="1,5", because="Right idea.\nWrong factor.")
        assert (status, headers["Location"]) == (303, "/student?name=bob&exercise=center&queue=unnamed&saved=ada")
        assert re.search(
            r'Saved for <a href="[^"]*name=ada[^"]*"><bdi>ada</bdi></a>', client.ask("GET", headers["Location"])[2]
        )
        status, headers, _ = client.save(client.page("bob", "center", "unnamed"), "seen", because="As ada.")
        assert (status, headers["Location"]) == (303, "/?empty=center&queue=unnamed")
        empty = client.ask("GET", headers["Location"])[2]
        assert "This queue is empty: Failures without a name, <code>center</code>." in empty
        assert "To change or undo a decision" in empty
        for points, because, words in (
            ("9", "So.", "is worth 0 to 2"),
            ("nan", "So.", "cannot be"),
            ("1", " ", "Say why"),
        ):
            status, _, text = client.save(client.page("ada", "center"), "decide", points=points, because=because)
            assert (status, words in text) == (409, True)
    assert rows(out, "SELECT student, points, who FROM override") == [("ada", 1.5, "kim")]
    with (out / "changes.csv").open(newline="", encoding="utf-8-sig") as file:
        (change,) = csv.DictReader(file)
    assert (change["student"], change["cause"], change["who"], change["new"]) == ("ada", "person", "kim", "1.5")
    feedback = (out / "feedback" / "ada.html").read_text()
    assert "Right idea.\nWrong factor." in feedback
    assert "As ada." not in (out / "feedback" / "bob.html").read_text()


def test_the_first_page_lists_decisions_and_no_regrading(out: Path, tmp_path: Path, cli: Any, edited: Any) -> None:
    """What a grading changed stands in the report; here it would push out what persons decided."""
    with when_free(out) as book:
        book.override("ada", "center", 1.5, "Right idea.")
    (tmp_path / "class" / "eve.py").write_text(edited(spread="return 0 * x"))
    run = ("grade", "t1_means", tmp_path / "class", "-o", out, "--course", Path(__file__).parent / "course")
    assert "1 score changed" in cli(*run, "--accept-unsandboxed")[1]
    with desk(out) as (client, _):
        client.come_in()
        told = client.ask("GET", "/")[2].partition("What was decided last")[2].partition("Everyone who was graded")[0]
        everyone = client.ask("GET", "/")[2].partition("Everyone who was graded")[2]
    assert re.findall(r"<bdi>(\w+)</bdi></a>, <code>(\w+)</code>", told) == [("ada", "center")]
    assert "<bdi>ada</bdi></a></li>" in everyone
    assert '<bdi>fay</bdi></a> <span class="tag"><bdi>Fay &lt;b&gt;' in everyone  # as the roster calls her


def test_a_request_is_answered_and_no_answer_is_lost(out: Path, cli: Any, course: Path) -> None:
    """Also of a student who handed in nothing; a sheet of before takes no answer back."""
    run = ("-o", out, "--course", course, "--accept-unsandboxed")
    assert cli("requests", *_sheet(out), *run)[0] == 0
    with desk(out) as (client, _):
        client.come_in("Lee")
        page = client.page("eve", "spread", "request")
        assert page.count("Why?") == 1
        assert "alone leaves the request open" in page
        status, headers, _ = client.save(page, "answer", points="1", because="Read the text again.")
        assert (status, headers["Location"]) == (303, "/?empty=spread&queue=request")
        page = client.page("zoe", "center", "request")
        assert "Nothing was handed in" in page
        assert client.save(page, "answer", points="", because="Ask for an extension.")[0] == 303
        for _ in range(600):  # files follow while the desk goes on
            if "Read the text again." in (out / "feedback" / "eve.html").read_text():
                break
            time.sleep(0.1)
        else:
            pytest.fail("nothing was published")
    with open_gradebook(out) as book:
        first, second = requests(book)
        assert first.answer
        assert (first.answer.points, first.answer.who) == (1.0, "Lee")
        assert second.answer
        assert second.answer.points is None
    assert cli("requests", *run)[0] == 0  # the sheet now holds Lee's answer
    with desk(out) as (client, _):
        client.come_in("Kim")
        page = client.page("eve", "spread")
        assert "Answered by <bdi>Lee</bdi>" in page
    with open_gradebook(out) as book:
        book.who = "Kim"
        take_in(book, [Asked("eve", "spread", "Why?", 1, 0.5, "No, half of it.")])
    assert cli("requests", *run)[0] == 0  # the sheet on disk is older than Kim's answer
    with open_gradebook(out) as book:
        assert [(one.points, one.because, one.who) for one in answers(book, 1)] == [
            (1.0, "Read the text again.", "Lee"),
            (0.5, "No, half of it.", "Kim"),
        ]
        assert requests(book)[0].answer == answers(book, 1)[-1]
    assert json.loads((out / "results" / "eve.json").read_text())["requests"][0]["because"] == "No, half of it."


def _sheet(out: Path) -> tuple[Path]:
    """Return a sheet that asks what the class has asked already."""
    path = out.parent / "asked.csv"
    path.write_text("student,exercise,asks\neve,spread,Why?\n")
    return (path,)


def test_who_comes_second_is_asked_again(out: Path) -> None:
    """Each sees that the other has the page open; the later form is refused with what stands, and keeps its words."""
    with desk(out) as (kim, _), desk(out, "lee") as (lee, _):
        kim.come_in()
        lee.come_in()
        mine, theirs = kim.page("ada", "center"), lee.page("ada", "center")
        assert "has this open" not in mine
        assert "kim has this open" in theirs
        told = json.loads(kim.ask("POST", "/opened", _known(mine))[2])["told"]
        assert told == "lee has this open."
        assert kim.save(mine, "decide", points="1", because="First.")[0] == 303
        told = json.loads(lee.ask("POST", "/opened", _known(theirs))[2])["told"]
        assert "Another person decided" in told
        status, _, again = lee.save(theirs, "decide", points="2", because="My <own> words.")
        assert status == 409
        assert "Another person decided on this exercise" in again
        assert "<bdi>kim</bdi>" in again
        assert ">: First.</li>" in again
        assert "My &lt;own&gt; words.</textarea>" in again
        assert 'value="2"' in again
        assert lee.save(again, "withdraw", known="stale")[0] == 409
        assert rows(out, "SELECT points, who FROM override") == [(1.0, "kim")]
        assert lee.save(again, "decide", points="2", because="My own words.")[0] == 303
    assert rows(out, "SELECT points, because, who FROM override") == [
        (1.0, "First.", "kim"),
        (2.0, "My own words.", "lee"),
    ]
    assert rows(out, "SELECT old, new, who FROM history") == [(0.0, 1.0, "kim"), (1.0, 2.0, "lee")]


def _known(page: str) -> dict[str, str]:
    """Return what the page's script sends of it."""
    return dict(re.findall(r' data-(name|exercise|known)="([^"]*)"', page))


def test_a_flag_waits_for_another_person(out: Path) -> None:
    """It stands in a queue with its words until somebody decides or has seen it; other code takes it away."""
    with desk(out) as (client, _):
        client.come_in()
        assert client.save(client.page("eve", "center"), "flagged", because="Is this copied?")[0] == 303
        assert "Flagged by a grader" in client.ask("GET", "/")[2]
        page = client.page("eve", "center", "flagged")
        assert page.count("Is this copied?") == 1
        assert "Flagged by <bdi>kim</bdi>" in page
        assert client.save(page, "decide", points="2", because="No.")[0] == 303
        assert "Flagged by a grader" not in client.ask("GET", "/")[2]
    assert rows(out, "SELECT kind, words, who FROM mark") == [
        ("flagged", "Is this copied?", "kim"),
        ("seen", "", "kim"),
    ]
    assert "copied" not in (out / "feedback" / "eve.html").read_text()


def test_who_is_flagged_comes_round_in_one_queue(out: Path) -> None:
    """Not again to the grader who flagged, in the queue where that was."""
    with desk(out) as (client, _):
        client.come_in()
        _, headers, _ = client.save(client.page("ada", "center", "unnamed"), "flagged", because="Look at this.")
        assert headers["Location"] == "/student?name=bob&exercise=center&queue=unnamed&saved=ada"
        _, headers, _ = client.save(client.page("bob", "center", "unnamed"), "seen")
        assert headers["Location"] == "/?empty=center&queue=unnamed"
        assert client.ask("GET", "/next?exercise=center&queue=flagged")[1]["Location"].startswith("/student?name=ada")


def test_graders_are_not_spoken_to_as_students(out: Path) -> None:
    """What stands on their pages speaks of the student, and says why a person decided on what passed."""
    with desk(out) as (client, _):
        client.come_in()
        unreadable = client.page("gus")
        assert "The file could not be imported, so no case ran." in unreadable
        assert unreadable.index("What the student is told first") < unreadable.index("Your file cannot be imported")
        client.save(client.page("eve", "center"), "decide", points="1", because="Taken from bob.")
        assert client.page("eve").count("A person gave 1 instead of 2: Taken from bob.") == 1


def write_while(client: Client, name: str, more: Callable[[], bool], said: list[str]) -> None:
    """Decide on one exercise again and again as a person would, read what was refused, and note what was taken."""
    number = 0
    while more():
        number += 1
        words = f"{name} {number}"
        page = client.page("ada", "center")
        status, _, text = client.save(page, "decide", points=str(number % 5 / 4), because=words)
        while status == 409:
            assert words in text
            status, _, text = client.save(text, "decide", points=str(number % 5 / 4), because=words)
        assert status == 303, text
        said.append(words)


def hammer(out: Path, least: int) -> dict[str, list[str]]:
    """Let two graders at two desks write about the same exercise until each was taken so often; return what was."""
    said: dict[str, list[str]] = {"kim": [], "lee": []}
    writing: list[Future[None]] = []

    def more() -> bool:
        return min(map(len, said.values())) < least and not any(one.done() for one in writing)

    with desk(out, "kim") as (kim, _), desk(out, "lee") as (lee, _), ThreadPoolExecutor(2) as pool:
        for client in (kim, lee):
            client.come_in()
        for client, name in ((kim, "kim"), (lee, "lee")):
            writing.append(pool.submit(write_while, client, name, more, said[name]))
        for one in writing:
            one.result()
    return said


def test_two_graders_at_once_lose_no_word(out: Path) -> None:
    """Two desks write about one exercise as fast as they can: all that was taken is there, in order, and the history is a chain."""
    said = hammer(out, 6)
    kept = rows(out, "SELECT because, who, points FROM override ORDER BY id")
    for name, words in said.items():
        assert [because for because, who, _ in kept if who == name] == words
    chain = rows(out, "SELECT old, new FROM history ORDER BY id")
    assert all(before[1] == after[0] for before, after in pairwise(chain))
    score = json.loads((out / "results" / "ada.json").read_text())["exercises"][1]["score"]
    assert score == kept[-1][2]


def wait_for_the_writer(out: Path) -> None:
    """Wait for the process that writes a desk's files: it may outlive the desk."""
    for _ in range(1200):
        try:
            with open_gradebook(out):
                return
        except GradebookError:
            time.sleep(0.1)
    raise AssertionError("something holds the folder for good")


def test_a_desk_that_is_killed_loses_nothing_that_was_saved(out: Path) -> None:
    """In the midst of writing; the gradebook opens, and the next command brings the files up to date."""
    said: list[str] = []
    with desk(out) as (client, process):
        client.come_in()

        def write() -> None:
            try:
                write_while(client, "kim", lambda: True, said)
            except (OSError, HTTPException):  # the desk ended, before its answer or in the midst of one
                return

        thread = threading.Thread(target=write)
        thread.start()
        while len(said) < 10:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(60)
        thread.join()
    wait_for_the_writer(out)
    with open_gradebook(out) as book:
        kept = [because for (because,) in book.db.execute("SELECT because FROM override ORDER BY id")]
        assert book.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert kept[: len(said)] == said
    assert len(kept) - len(said) in (0, 1)  # what was written when the answer was not yet on its way
    with desk(out) as (_, process):
        pass
    assert kept[-1] in (out / "feedback" / "ada.html").read_text()


def test_words_saved_while_files_are_written_reach_them(out: Path) -> None:
    """What changes between reading and noting that files are written is written the next time."""
    with open_gradebook(out) as book:
        book.begin_writing(["", "ada", "bob"])
        book.override("ada", "center", 1.0, "Meanwhile.")
        book.mark_written(["", "ada", "bob"])
        assert {"", "ada"} <= book.unwritten()
        assert "bob" not in book.unwritten()


def test_a_grading_and_the_desk_do_not_stop_each_other(out: Path, cli: Any) -> None:
    """While another command holds the class, decisions are taken; files follow when it is done."""
    with desk(out) as (client, _):
        client.come_in()
        with when_free(out):
            assert client.save(client.page("ada", "center"), "decide", points="1", because="Meanwhile.")[0] == 303
            assert "Meanwhile." in client.ask("GET", "/read?name=ada")[2]
    assert "Meanwhile." in (out / "feedback" / "ada.html").read_text()


def test_it_says_what_it_takes(out: Path, cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without Flask, without a class, on a port that is taken."""
    assert "no graded class" in cli("desk", tmp_path / "nothing", "--no-browser")[2]
    with desk(out) as (client, _):
        code, _, told = cli("desk", out, "--no-browser", "--port", client.address.rpartition(":")[2])
        assert (code, "cannot be used" in told) == (2, True)
    for name in [name for name in sys.modules if name.startswith("autograder.desk")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "flask", None)
    code, _, told = cli("desk", out, "--no-browser")
    assert (code, "pip install 'sequence-autograder[desk]'" in told) == (2, True)


@pytest.mark.browser
def test_graders_use_it_in_a_browser(out: Path, tmp_path: Path) -> None:
    """With keys and forms, at a desktop and on a phone; what students wrote runs nowhere."""
    with desk(out) as (client, _), tab(tmp_path / "profile") as page:
        page.size(1300)
        page.open(f"{client.address}/?token={client.token}")
        assert page.run("location.href") == f"{client.address}/"
        page.press("o")
        page.open(f"{client.address}/student?name=ada&exercise=center&queue=unnamed")
        page.press("n", leads=True)
        assert page.run("document.querySelector('h1').innerText.trim()") == "bob"
        assert SCRIPT in page.run("document.querySelector('.source').textContent")
        page.press("k", leads=True)
        page.press("p")
        assert page.run("document.activeElement.id") == "points"
        page.press("Escape")
        page.size(390, 844)
        assert page.run("document.documentElement.scrollWidth") == 390
        page.run("document.getElementById('points').value = '1.5'")
        page.run("document.getElementById('because').value = 'Half of it.'")
        page.leave("document.querySelector('[value=decide]').click()")
        assert page.run("document.querySelector('h1').innerText.trim()") == "bob"
        page.press("s", leads=True)
        assert "This queue is empty" in page.run("document.body.innerText")
        page.open(f"{client.address}/student?name=bob&exercise=center")
        page.run("document.querySelector('[data-because]').click()")
        fields = "[...document.querySelectorAll('#points, #because')].map(field => field.value)"
        assert page.run(fields) == ["1.5", "Half of it."]
        page.run("document.getElementById('because').value = ''; document.getElementById('points').value = '0'")
        page.open(f"{client.address}/student?{urlencode({'name': 'fay', 'exercise': 'row_means'})}")
        assert page.run("document.documentElement.dataset.ran") is None
        assert page.run("document.scripts.length") == 1
        assert page.run("document.querySelector('h1 .tag').textContent") == STRANGE
        page.run("document.getElementById('because').value = '</textarea><b>bold</b>'")
        page.leave("document.querySelector('[value=decide]').click()")
        assert "</textarea><b>bold</b>" in page.run("document.querySelector('.past').textContent")
    assert rows(out, "SELECT student, points FROM override ORDER BY id")[0] == ("ada", 1.5)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(390, False), (1300, True)], ids=["phone-light", "wide-dark"])
def test_everybody_can_read_the_desk(out: Path, tmp_path: Path, width: int, dark: bool) -> None:
    """Nothing is wider than the screen, text stands out from what is behind it, and what scrolls takes the focus."""
    with desk(out) as (client, _), site() as served:
        client.come_in()
        assert (
            client.save(client.page("ada", "center"), "decide", points="1", because=f"Half. {HOSTILE[:40]}")[0] == 303
        )
        found = {"/overview.html": client.ask("GET", "/")[2], "/ada.html": client.page("ada", "center", "unnamed")}
        found |= {"/zoe.html": client.page("zoe", "center", "request"), "/gus.html": client.page("gus")}
        for page in look_at(served, found, tmp_path, width=width, dark=dark):
            assert page["wider"] <= 0
            assert page["faint"] == []
            assert page["stuck"] == []
            assert not page["ran"]
            assert page["text"] > 300
