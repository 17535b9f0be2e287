"""Attacks on the grader, each a file under tests/hostile/EXPECTED_STATUS/, and honest work that is easily taken for one.

All are let loose once, in the strongest sandbox this machine has, and the tests look at what became of them. A selection
runs again without namespaces, where only the risks that the level names may come true, and a few run in the plain
process, which must show that the traps do catch what gets out.
"""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path

import pytest
from hostile_support import (
    COURSE,
    FULL,
    HIDDEN_NUMBER,
    NUMPY,
    OWNED,
    TORCH,
    Attack,
    Report,
    TrapHouse,
    attacks,
    leftovers,
    let_loose,
    oracle_of,
)

from autograder.classroom.run import grade_class
from autograder.classroom.submissions import Submission
from autograder.course.spec import Status
from autograder.sandbox.job import Chunk, Isolation, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.process import ProcessSandbox
from autograder.sandbox.slot import Profile, readable_paths

ALL = attacks()
STRONGEST = Profile()
BARE = Profile(namespaces=False)
WITHOUT_LANDLOCK = Profile(landlock=False)
LONGEST_MESSAGE = 20_000
LONGEST = 30.0  # seconds for any one submission, on a busy machine
MOST_WORK = 5.0  # CPU seconds of the grader's own for any one
SLOW = ("TIMEOUT", "MEMORY")  # not run again at the weaker levels; nothing there depends on them
# What runs in the plain process too: harmless to this machine, and caught by one trap or another.
OPEN = (
    *("PASSED/read_solution", "PASSED/read_secret_file", "PASSED/read_other_student", "PASSED/read_folders"),
    *("PASSED/read_upwards", "PASSED/read_by_links", "PASSED/read_proc_environ", "PASSED/read_by_program"),
    *("PASSED/read_metadata", "PASSED/escape_tcp", "PASSED/escape_dns", "PASSED/escape_abstract_socket"),
    *("PASSED/escape_kill", "PASSED/escape_daemon", "PASSED/escape_exec", "PASSED/escape_marker"),
    *("PASSED/exhaust_forks", "PASSED/exhaust_disk", "CRASHED/source_imports_solutions"),
)


BUSY = ("exhaust_go_pipe", "exhaust_progress", "exhaust_crumbs", "exhaust_stderr_for_ever")  # cost us most
HONEST = (COURSE / "solutions" / NUMPY / "scale.py").read_text()


def open_at(profile: Profile, slug: str) -> object:
    """Open a sandbox of one slot at the strongest level that a profile and this machine allow."""
    return open_sandbox(1, torch=slug == TORCH, profile=profile)


def isolation_at(profile: Profile) -> Isolation:
    """Return what that sandbox holds."""
    with open_sandbox(1, profile=profile) as sandbox:
        return sandbox.isolation


def fit_for(level: str, chosen: tuple[Attack, ...]) -> tuple[Attack, ...]:
    """Choose what may run at a level: where nothing is contained, only what stays in its own process."""
    tame = ("honest_", "forge_", "source_")
    return tuple(a for a in chosen if level != "C" or a.path.name.removeprefix("torch_").startswith(tame))


def surprises(report: Report, isolation: Isolation) -> list[str]:
    """Return what an attack achieved that the level does not own up to."""
    risks = " ".join(isolation.residual_risks)
    owned = tuple(f"BREACH {word}" for word, risk in OWNED.items() if risk in risks)
    return [text for text in (*report.breaches, *report.caught) if not text.startswith(owned or ("-",))]


def loose(profile: Profile, chosen: tuple[Attack, ...], folder: Path) -> dict[str, Report]:
    """Let attacks loose at a level; afterwards nothing of them and of the sandbox may be left."""
    with TrapHouse() as house:
        before = leftovers(house)
        reports = let_loose(chosen, house, lambda slug: open_at(profile, slug), folder)
        assert leftovers(house) == before
        assert house.caught() == []
    return reports


@pytest.fixture(scope="module")
def isolation() -> Isolation:
    """Return what the strongest sandbox of this machine holds."""
    return isolation_at(STRONGEST)


@pytest.fixture(scope="module")
def reports(isolation: Isolation, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Return what became of every attack at the strongest level."""
    return loose(STRONGEST, fit_for(isolation.level, ALL), tmp_path_factory.mktemp("strongest"))


def check(report: Report, isolation: Isolation) -> None:
    """Check that an attack ended as it should and won nothing."""
    attack = report.attack
    assert surprises(report, isolation) == []
    assert report.status == attack.expected, report.entry["problem"] or report.entry["exercises"][0]
    assert report.score == attack.earns
    assert attack.total in (None, report.entry["score"])
    assert report.seconds < LONGEST
    assert report.work < MOST_WORK
    assert report.entry["notes"] == [] or not attack.path.name.startswith(("read_", "escape_", "exhaust_", "honest_"))
    messages = json.dumps(report.entry, allow_nan=False)
    assert HIDDEN_NUMBER not in messages
    assert Status.GRADER_ERROR not in messages
    assert len(messages) < LONGEST_MESSAGE


def check_aftermath(report: Report) -> None:
    """Check that the next student in the same slot got full points and saw nothing of the one before."""
    assert report.aftermath["breaches"] == ()
    assert report.aftermath["score"] == FULL[report.attack.slug][1], report.aftermath


@pytest.mark.parametrize("attack", ALL, ids=str)
def test_attack(attack: Attack, reports: dict[str, Report], isolation: Isolation) -> None:
    """The attack ends as its folder says, with the points it deserves, and none of the traps went off."""
    if attack in fit_for(isolation.level, ALL):
        check(reports[str(attack)], isolation)
        check_aftermath(reports[str(attack)])


def test_a_class_with_hostile_files_in_it() -> None:
    """What keeps the grader or a slot busy changes nobody else's points."""
    oracle = oracle_of(NUMPY)
    texts = {f"honest-{number:02}": f"{HONEST}# submission {number}\n" for number in range(20)}
    texts |= {f"wrong-{number}": HONEST.replace("x * factor", f"x * factor + {number}") for number in range(1, 7)}
    hostile = {a.path.stem: a.path.read_text() for a in ALL if a.path.stem in BUSY}
    assert len(hostile) == len(BUSY)

    def points(chosen: dict[str, str]) -> dict[str, float]:
        sources = {who: Source("scale", (Chunk("scale.py", text),)) for who, text in sorted(chosen.items(), key=hash)}
        submissions = [Submission(who, who, source) for who, source in sources.items()]
        with open_sandbox(2) as sandbox:
            graded = grade_class(oracle, submissions, sandbox, 2)
            return {each.submission.student: each.result.score for each in graded}

    alone, together = points(texts), points(texts | hostile)
    assert {who: score for who, score in together.items() if who in texts} == alone
    assert set(alone.values()) == {FULL[NUMPY][1], FULL[NUMPY][1] - FULL[NUMPY][0]}


def test_enough_attacks() -> None:
    """There are attacks of every class, honest controls, and a sentence in each on what would show that it worked."""
    names = [attack.path.stem.removeprefix("torch_") for attack in ALL]
    for prefix, least in (("read_", 25), ("forge_", 60), ("exhaust_", 30), ("escape_", 20), ("source_", 25)):
        assert sum(name.startswith(prefix) for name in names) >= least
    assert sum(attack.slug == TORCH and not attack.honest for attack in ALL) >= 12
    assert sum(attack.honest for attack in ALL) >= 12
    assert {attack.expected for attack in ALL} > {
        "PASSED",
        "FAILED",
        "CRASHED",
        "TIMEOUT",
        "MEMORY",
        "OUTPUT",
        "MISSING",
    }
    encoded = {"source_latin.py", "source_utf16.py"}  # which say what they are in other bytes
    readable = [a for a in ALL if a.expected != "unreadable" and not a.honest and a.path.name not in encoded]
    assert [str(a) for a in readable if b"would show that it worked" not in a.path.read_bytes()] == []


@pytest.mark.parametrize("profile", [BARE, WITHOUT_LANDLOCK], ids=["without_namespaces", "without_landlock"])
def test_weaker_levels(profile: Profile, tmp_path: Path) -> None:
    """Of a weaker level only the risks that it names come true, and what they come to is no points."""
    isolation = isolation_at(profile)
    classes = ("read_", "escape_", "honest_", "forge_kill", *(("exhaust_",) if profile is BARE else ()))
    chosen = tuple(a for a in ALL if a.expected not in SLOW and a.slug == NUMPY and a.path.name.startswith(classes))
    for report in loose(profile, fit_for(isolation.level, chosen), tmp_path).values():
        check(report, isolation)
        check_aftermath(report)
    assert isolation.residual_risks, "a weaker level owns up to something"


def test_course_beside_python_is_refused() -> None:
    """Answers that lie where Python or the system is read from cannot be hidden, and no level says they are."""
    assert isolation_at(STRONGEST).level == "C" or not exposed(Path(__file__))
    for folder in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), "/usr/lib"):
        with open_sandbox(1, secret=Path(folder) / "course" / "solutions") as sandbox:
            assert sandbox.isolation.level == "C"
            assert sandbox.isolation.missing


def exposed(path: Path) -> bool:
    """Whether student code may read a path."""
    return any(path.resolve().is_relative_to(other) for other in readable_paths())


def test_traps_catch(tmp_path: Path) -> None:
    """In the plain process, which contains nothing, the same attacks do get out, and the traps see it."""
    chosen = tuple(attack for attack in ALL if str(attack) in OPEN)
    assert len(chosen) == len(OPEN)
    with TrapHouse(watch=True) as house:
        reports = let_loose(chosen, house, lambda _: ProcessSandbox(), tmp_path, lanes=1, after=False)
        assert house.strewn() == []
        everything = " ".join(text for report in reports.values() for text in (*report.breaches, *report.caught))
    missed = [name for name, report in reports.items() if not report.breaches and not report.caught]
    if Path("/proc/self").exists():
        assert missed == []
    for evidence in (
        *(
            "secret solution",
            "secret home",
            "secret other",
            "a TCP connection",
            "the victim process",
            "the marker folder",
        ),
        *(("secret environment", "an abstract socket") if Path("/proc/self").exists() else ()),
    ):
        assert evidence in everything


def test_forgeries_win_nothing_in_the_plain_process(tmp_path: Path) -> None:
    """Even where nothing is contained only data comes back, so that forged results earn no points."""
    forged = (
        "forge_printed",
        "forge_results",
        "forge_raw",
        "forge_status",
        "forge_fault",
        "forge_patched",
        "forge_equal",
    )
    chosen = tuple(attack for attack in ALL if attack.path.name.startswith(forged))
    assert len(chosen) >= len(forged)
    with TrapHouse(watch=True) as house:
        reports = let_loose(chosen, house, lambda _: ProcessSandbox(), tmp_path, after=False)
        assert house.strewn() == []
    assert {name: report.score for name, report in reports.items() if report.score} == {}
