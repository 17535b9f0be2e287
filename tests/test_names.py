"""What exports write into names and lists, and what students may write there to pass for someone else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from autograder.batch.names import parse_name, read_metadata


@pytest.mark.parametrize(
    ("name", "key", "number", "title", "system"),
    [
        ("lovelaceada_12345_67890_attention-1.py", "lovelaceada_12345", "12345", "attention.py", "canvas"),
        ("lovelaceada_late_12345_67890_my_work.py", "lovelaceada_12345", "12345", "my_work.py", "canvas"),
        ("Ada Lovelace_31_assignsubmission_file_attention.py", "Ada Lovelace_31", "31", "attention.py", "moodle"),
        ("Participant_31_assignsubmission_file_1_2_x.py", "Participant_31", "31", "1_2_x.py", "moodle"),
        ("39786-640693 - Ada Lovelace - Oct 10, 2025 1022 AM - a.py", "Ada Lovelace_39786", "39786", "a.py", "brightspace"),
        ("1-2 - A - B - October 1, 2025 122 PM - a - b.py", "A - B_1", "1", "a - b.py", "brightspace"),
        # a student chooses what stands behind the system's own mark
        ("eve_1_2_Ada Lovelace_31_assignsubmission_file_x.py", "eve_1", "1", "Ada Lovelace_31_assignsubmission_file_x.py", "canvas"),
        ("eve_1_assignsubmission_file_ada_31_99_x.py", "eve_1", "1", "ada_31_99_x.py", "moodle"),
    ],
)  # fmt: skip
def test_names_of_files(name: str, key: str, number: str, title: str, system: str) -> None:
    """Whose it is stands before what the student chose."""
    found = parse_name(name, folder=False)
    assert found is not None
    assert (found.owner.key, found.owner.number, found.title, found.owner.system) == (key, number, title, system)


@pytest.mark.parametrize("name", ["attention.py", "a_1.py", "1_2.py", "2-3 - Ada - yesterday - x.py", "x"])
def test_names_of_no_system(name: str) -> None:
    """Plain names are the student's own."""
    assert parse_name(name, folder=False) is None


def test_names_of_folders() -> None:
    """Moodle and Brightspace also pack folders; Canvas does not."""
    moodle = parse_name("Ada Lovelace_31_assignsubmission_file_", folder=True)
    typed = parse_name("Ada Lovelace_31_assignsubmission_onlinetext_", folder=True)
    assert moodle is not None
    assert typed is not None
    assert moodle.owner == typed.owner
    assert (moodle.typed, typed.typed) == (False, True)
    assert parse_name("39786-640693 - Ada Lovelace - Oct 10, 2025 1022 AM", folder=True) is not None
    assert parse_name("lovelaceada_12345_67890_work", folder=True) is None


def test_brightspace_knows_when() -> None:
    """In the machine's own time zone; a clock of three digits has an hour of one."""
    for clock, hour, minute in (("1022 AM", 10, 22), ("122 PM", 13, 22), ("1205 AM", 0, 5)):
        found = parse_name(f"1-2 - Ada - Oct 10, 2025 {clock} - a.py", folder=False)
        assert found is not None
        assert found.submitted == datetime(2025, 10, 10, hour, minute).astimezone()
    odd = parse_name("1-2 - Ada - Foo 99, 2025 9999 AM - a.py", folder=False)
    assert odd is not None
    assert odd.submitted is None


METADATA = """\
---
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '007'
    :email: ada@example.org
  :created_at: 2026-03-01 05:11:18.549541000 Z
  :score: 3.0
  :results:
    output: |
      submission_666:
        :submitters:
        - :name: Somebody Else
    :submitters:
    - :name: Nobody
  :history:
  - :id: 5
    :created_at: 2020-01-01 00:00:00 Z
submission_102:
  :submitters:
  - :name: 'O''Neil "Z" Bob'
    :sid: &1 '12'
    :email: "bob\\x40example.org"
  - :name: ~
    :sid: *1
    :email: cyd@example.org
  :created_at: 2026-03-01 05:11:18 -08:00
submission_103:
  :submitters: []
  :created_at: never
"""


def test_gradescope_list() -> None:
    """Owners, a group's all of them, and the time; what is nested deeper, where students' prints are, claims nothing."""
    found = read_metadata(METADATA)
    assert list(found) == ["submission_101", "submission_102", "submission_103"]
    (ada,) = found["submission_101"].owners
    assert (ada.name, ada.sid, ada.email, ada.key) == ("Ada Lovelace", "007", "ada@example.org", "Ada Lovelace_007")
    assert found["submission_101"].submitted == datetime(2026, 3, 1, 5, 11, 18, tzinfo=UTC)
    bob, cyd = found["submission_102"].owners
    assert (bob.name, bob.sid, bob.email) == ('O\'Neil "Z" Bob', "12", "bob@example.org")
    assert (cyd.name, cyd.sid, cyd.email, cyd.key) == ("", "12", "cyd@example.org", "cyd@example.org_12")
    assert found["submission_102"].submitted == datetime(2026, 3, 1, 13, 11, 18, tzinfo=UTC)
    assert found["submission_103"].owners == ()
    assert found["submission_103"].submitted is None


@pytest.mark.parametrize(
    "text", ["", "- a\n- b", "x" * 10_000, ":::", "a: 1\n\tb: 2", "\0", "a:\n  :submitters:\n  - :sid: 'x"]
)
def test_any_text_is_read_as_a_list(text: str) -> None:
    """What is no such list names nobody, or what it can."""
    read_metadata(text)
