"""Exports of learning platforms as they come: names from each platform's own source or documentation, three students in each.

Ada's latest work is right, and an earlier attempt, where the platform keeps one, is wrong. Zoë's work is right, and a
comment or a text stands beside it. Li Lei handed in no file, only what was typed into a text box, where the platform has one.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

ROSTER = """\
id,name,email
alovelace,Ada Lovelace,alovelace@example.org
zoneil,Zoë O'Neil-Ñandú,zoneil@example.org
lilei,李雷,lilei@example.org
"""

RIGHT, WRONG = b"@right", b"@wrong"  # stand for a solution and for a stub
# The first entry of Gradescope's submission_metadata.yml.
GRADESCOPE_ADA = """\
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '007'
    :email: ada@example.org
  :created_at: 2026-03-01 05:11:18.549541000 Z
"""
NOTE = b"<p>My code is in the file.</p>"
TYPED = b"def row_means(x): return x.mean(1)"


def _receipt(name: str, user: str, stamp: str, field: str, files: tuple[str, ...]) -> bytes:
    listed = "".join(f"\tOriginal filename: {f}\n\tFilename: Means_{user}_attempt_{stamp}_{f}\n\n" for f in files)
    return (
        f"Name: {name} ({user})\nAssignment: Means\nDate Submitted: Sunday, March 1, 2026 10:22:00 AM CET\n"
        f"Current Grade: Needs Grading\n\nSubmission Field:\n{field}\n\nComments:\n"
        f"There are no student comments for this assignment.\n\nFiles:\n{listed or 'No files were attached.'}"
    ).encode()


def _french(name: str, user: str, said: str, files: str) -> bytes:
    """A receipt as oliviercailloux/JGradLib has one among its tests; what it says where nothing was typed in is not known."""
    return (
        f"Nom\u00a0: {name} ({user})\nDevoir\u00a0: Means\nDate de validation\u00a0: dimanche 1 mars 2026 10 h 22 CET\n"
        f"Note actuelle\u00a0: Nécessite une notation\n\nChamp d'envoi\u00a0:\n{said}\n\nCommentaires\u00a0:\n"
        f"Il  n'existe aucun commentaire d'étudiant pour ce devoir.\n\nFichiers\u00a0:\n{files}\n"
    ).encode()


_NO_TEXT = "There is no student submission text data for this assignment."


@dataclass(frozen=True)
class Export:
    """What a platform exports, and what has to be read out of it."""

    files: Mapping[str, bytes]
    typed: bool = True  # it tells what Li Lei typed
    dated: bool = False  # it tells when something came
    attempts: bool = False  # it keeps earlier attempts
    late: frozenset[str] = frozenset()  # whom it marks as late
    named: bool = True  # it says who is who


# `grades.csv` with the headings of assignment_es.properties.
SAKAI_SPANISH = """\
"Medias, parte 2";"SCORE_GRADE_TYPE"

"Identificador";"ID";"Apellido";"Nombre";"Calificación";"Fecha";"Tarde"
"alovelace";"alovelace";"Lovelace";"Ada";"";"2026-03-01T10:22:00Z";""
"gstrang";"gstrang";"Strang";"Gil";"1,5";"";""
"""
MOODLE = Export(
    {
        "Ada Lovelace_31_assignsubmission_file/means.py": RIGHT,
        "Zoë ONeil-Ñandú_32_assignsubmission_file/means.py": RIGHT,
        "Zoë ONeil-Ñandú_32_assignsubmission_onlinetext/onlinetext.html": NOTE,
        "李雷_33_assignsubmission_onlinetext/onlinetext.html": TYPED,
    }
)
EXPORTS = {
    "moodle": MOODLE,
    "moodle before 4.1": Export(
        {name.replace("/", "_/"): data for name, data in MOODLE.files.items()},
    ),
    "moodle without folders": Export(
        {name.replace("/", "_"): data for name, data in MOODLE.files.items()},
    ),
    "canvas": Export(
        {
            "lovelaceada_LATE_101_20001_means-1.py": RIGHT,
            "lovelaceada_LATE_101_20000_means.py": WRONG,
            "oneilñandúzoë_102_20002_means.py": RIGHT,
            "oneilñandúzoë_102_20003_notes.pdf": b"%PDF",
            "李雷_103_text.html": TYPED,
        },
        attempts=True,
        late=frozenset({"alovelace"}),
    ),
    "canvas anonymous": Export(
        {
            "LATE_anon_aB3xY_20001_means.py": RIGHT,
            "anon_b4CyZ_20002_means.py": RIGHT,
            "anon_c5DzA_link.html": b"<meta http-equiv='refresh' content='0; url=https://example.org'>",
        },
        named=False,
    ),
    "brightspace": Export(
        {
            "index.html": b"<html>",
            "39786-2 - Ada Lovelace - Mar 1, 2026 1022 AM/means.py": RIGHT,
            "39786-1 - Ada Lovelace - Feb 28, 2026 1122 PM/means.py": WRONG,
            "39787-3 - Zoë O'Neil-Ñandú - Mar 1, 2026 105 PM - means.py": RIGHT,
        },
        typed=False,
        dated=True,
        attempts=True,
    ),
    "brightspace elsewhere": Export(
        {
            "index.html": b"<html>",
            "39786-2 - Ada Lovelace - 1 March, 2026 1022 AM/means.py": RIGHT,
            "39786-1 - Ada Lovelace - 28 février 2026 23 22/means.py": WRONG,
            "39787-3 - Zoë O'Neil-Ñandú - 1 mrt. 2026 1305/means.py": RIGHT,
        },
        typed=False,
        dated=True,
        attempts=True,
    ),
    "blackboard": Export(
        {
            "Means_alovelace_attempt_2026-03-01-10-22-00_means.py": RIGHT,
            "Means_alovelace_attempt_2026-03-01-10-22-00.txt": _receipt(
                "Ada Lovelace", "alovelace", "2026-03-01-10-22-00", _NO_TEXT, ("means.py",)
            ),
            "Means_alovelace_attempt_2026-02-28-23-22-00_means.py": WRONG,
            "Means_alovelace_attempt_2026-02-28-23-22-00.txt": _receipt(
                "Ada Lovelace", "alovelace", "2026-02-28-23-22-00", _NO_TEXT, ("means.py",)
            ),
            "Means_zoneil_attempt_2026-03-01-13-05-00_means.py": RIGHT,
            "Means_zoneil_attempt_2026-03-01-13-05-00.txt": _receipt(
                "Zoë O'Neil-Ñandú", "zoneil", "2026-03-01-13-05-00", "My code is in the file.", ("means.py",)
            ),
            "Means_lilei_attempt_2026-03-01-13-06-00.txt": _receipt(
                "李雷", "lilei", "2026-03-01-13-06-00", TYPED.decode(), ()
            ),
        },
        dated=True,
        attempts=True,
    ),
    "blackboard in French": Export(
        {
            "Means_alovelace_Tentative_2026-03-01-10-22-00_means.py": RIGHT,
            "Means_alovelace_Tentative_2026-03-01-10-22-00.txt": _french(
                "Ada Lovelace", "alovelace", "Rien.", "means.py"
            ),
            "Means_alovelace_Tentative_2026-02-28-23-22-00_means.py": WRONG,
            "Means_alovelace_Tentative_2026-02-28-23-22-00.txt": _french(
                "Ada Lovelace", "alovelace", "Rien.", "means.py"
            ),
            "Means_zoneil_Tentative_2026-03-01-13-05-00_means.py": RIGHT,
            "Means_zoneil_Tentative_2026-03-01-13-05-00.txt": _french("Zoë", "zoneil", NOTE.decode(), "means.py"),
            "Means_lilei_Tentative_2026-03-01-13-06-00.txt": _french(
                "李雷", "lilei", f"<p>{TYPED.decode()}</p>", "Aucun fichier joint à cette soumission."
            ),
        },
        dated=True,
        attempts=True,
    ),
    "sakai": Export(
        {
            "Means/grades.csv": b'"Means","Points"\n\n"Display ID","ID","Last Name","First Name","grade"\n',
            "Means/Lovelace, Ada(alovelace)/timestamp.txt": b"2026-03-01T10:22:00.123Z",
            "Means/Lovelace, Ada(alovelace)/Submission attachment(s)/means.py": RIGHT,
            "Means/Lovelace, Ada(alovelace)/Feedback Attachment(s)/means.py": WRONG,
            "Means/Lovelace, Ada(alovelace)/comments.txt": b"",
            "Means/O'Neil-Nandu, Zoe(zoneil)/timestamp.txt": b"2026-03-01T13:05:00Z",
            "Means/O'Neil-Nandu, Zoe(zoneil)/Submission attachment(s)/means.py": RIGHT,
            "Means/O'Neil-Nandu, Zoe(zoneil)/O'Neil-Nandu, Zoe(zoneil)_submissionText.html": NOTE,
            "Means/Lei, Li(lilei)/timestamp.txt": b"2026-03-01T13:06:00Z",
            "Means/Lei, Li(lilei)/Lei, Li(lilei)_submissionText.html": TYPED,
        },
        dated=True,
    ),
    "sakai in Spanish": Export(
        {
            "Means/grades.csv": SAKAI_SPANISH.encode(),
            "Means/Lovelace, Ada(alovelace)/timestamp.txt": b"2026-03-01T10:22:00.123Z",
            "Means/Lovelace, Ada(alovelace)/Adjuntos al comentario/means.py": WRONG,
            "Means/Lovelace, Ada(alovelace)/Adjuntos de la entrega/means.py": RIGHT,
            "Means/O'Neil-Nandu, Zoe(zoneil)/timestamp.txt": b"2026-03-01T13:05:00Z",
            "Means/O'Neil-Nandu, Zoe(zoneil)/Adjuntos al comentario/means.py": WRONG,
            "Means/O'Neil-Nandu, Zoe(zoneil)/Adjuntos de la entrega/means.py": RIGHT,
            "Means/Lei, Li(lilei)/timestamp.txt": b"2026-03-01T13:06:00Z",
            "Means/Lei, Li(lilei)/Lei, Li(lilei)_submissionText.html": TYPED,
        },
        dated=True,
    ),
    "ilias": Export(
        {
            "Abgaben/Lovelace_Ada_alovelace_271/Late Submission - means.py": RIGHT,
            "Abgaben/ONeil-Nandu_Zoe_zoneil_272/means.py": RIGHT,
            "Abgaben/ONeil-Nandu_Zoe_zoneil_272/notes.txt": b"My code is in the file.",
        },
        typed=False,
        late=frozenset({"alovelace"}),
    ),
    "teams": Export(
        {
            "Submitted files/Ada Lovelace/Means/Version 2/means.py": RIGHT,
            "Submitted files/Ada Lovelace/Means/Version 1/means.py": WRONG,
            "Submitted files/Zoë O'Neil-Ñandú/Means/Version 1/means.py": RIGHT,
            "Submitted files/Zoë O'Neil-Ñandú/Means/Version 1/notes.txt": b"My code is in the file.",
        },
        typed=False,
        attempts=True,
    ),
    "github": Export(
        {
            "means-submissions/means-alovelace/.git/HEAD": b"ref: refs/heads/main\n",
            "means-submissions/means-alovelace/means.py": RIGHT,
            "means-submissions/means-alovelace/check.py": b"import means\n",
            "means-submissions/means-zoneil/.git/HEAD": b"ref: refs/heads/main\n",
            "means-submissions/means-zoneil/means.py": RIGHT,
        },
        typed=False,
    ),
    "ilias teams": Export(
        {
            "Blatt 1/Abgaben/Team 17/Lovelace_Ada_alovelace_271/means.py": RIGHT,
            "Blatt 1/Abgaben/Team 17/ONeil-Nandu_Zoe_zoneil_272/": b"",
            "Blatt 1/Abgaben.xlsx": b"",
            "Blatt 1/Feedback_files/to_x/from_y/criteria.txt": b"Well done.",
        },
        typed=False,
    ),
    "classroom 50": Export(
        {
            "cs-means_submissions_2026_03_01_T_10_04_05/scores.csv": b"",
            "cs-means_submissions_2026_03_01_T_10_04_05/cs-means-alovelace/.git/HEAD": b"ref: refs/heads/main\n",
            "cs-means_submissions_2026_03_01_T_10_04_05/cs-means-alovelace/means.py": RIGHT,
            "cs-means_submissions_2026_03_01_T_10_04_05/cs-means-zoneil/.git/HEAD": b"ref: refs/heads/main\n",
            "cs-means_submissions_2026_03_01_T_10_04_05/cs-means-zoneil/means.py": RIGHT,
        },
        typed=False,
    ),
    "teams in japanese": Export(
        {
            "Student Work/提出済みのファイル/Ada Lovelace/Means/バージョン2/means.py": RIGHT,
            "Student Work/提出済みのファイル/Ada Lovelace/Means/バージョン1/means.py": WRONG,
            "Student Work/提出済みのファイル/Zoë O'Neil-Ñandú/Means/バージョン1/means.py": RIGHT,
            "Student Work/Working files/Ada Lovelace/Means/means.py": WRONG,
        },
        typed=False,
        attempts=True,
    ),
    "vpl": Export(
        {
            "Lovelace Ada 31 alovelace/2026-02-28-10-22-33/means.py": WRONG,
            "Lovelace Ada 31 alovelace/2026-03-01-10-22-33/means.py": RIGHT,
            "Lovelace Ada 31 alovelace/2026-03-01-10-22-33.ceg/execution.txt": b"ok",
            "O'Neil-Ñandú Zoë 32 zoneil/2026-03-01-13-05-00/means.py": RIGHT,
            "Report.txt": b"2",
        },
        typed=False,
        dated=True,
        attempts=True,
    ),
    "openedx": Export(
        {
            "[1]Week 1, [1]Homework, [1]Means/[1] - alovelace - means.py": RIGHT,
            "[1]Week 1, [1]Homework, [1]Means/[1] - alovelace - prompt_0.txt": b"My file is attached.",
            "[1]Week 1, [1]Homework, [1]Means/[1] - zoneil - means.py": RIGHT,
            "[1]Week 1, [1]Homework, [1]Means/[2] - zoneil - an essay.pdf": b"%PDF",
            "[1]Week 1, [2]Another, [1]Essay/[1] - alovelace - prompt_0.txt": b"Something else.",
            "submissions.csv": b"course_id,block_id,student_id,key,name,type,description,size,file_path,file_found\n",
        },
        typed=False,
    ),
    "openedx, one unit": Export(
        {
            "[1]Week 1, [1]Homework, [1]Means/[1] - alovelace - means.py": RIGHT,
            "[1]Week 1, [1]Homework, [1]Means/[1] - zoneil - means.py": RIGHT,
            "submissions.csv": b"course_id,block_id\n",
        },
        typed=False,
    ),
    "schoology": Export(
        {
            "Means/Lovelace, Ada - alovelace/Revision 1 - On time/means.py": WRONG,
            "Means/Lovelace, Ada - alovelace/Revision 2 - Late/means.py": RIGHT,
            "Means/O'Neil-Ñandú, Zoë - zoneil/Revision 1 - On time/means.py": RIGHT,
        },
        typed=False,
        attempts=True,
        late=frozenset({"alovelace"}),
    ),
    "blackboard in german, without receipts": Export(
        {
            "Means_alovelace_Versuch_2026-02-28-10-22-00_means.py": WRONG,
            "Means_alovelace_Versuch_2026-03-01-10-22-00_means.py": RIGHT,
            "Means_zoneil_Versuch_2026-03-01-13-05-00_means.py": RIGHT,
        },
        typed=False,
        dated=True,
        attempts=True,
    ),
    "nbgrader": Export(
        {
            "submitted/alovelace/t1_means/means.py": RIGHT,
            "submitted/alovelace/t1_means/timestamp.txt": b"2026-03-01 10:22:00.123 UTC",
            "submitted/zoneil/t1_means/means.py": RIGHT,
            "submitted/zoneil/t1_means/timestamp.txt": b"2026-03-01 13:05:00 UTC",
        },
        typed=False,
        dated=True,
    ),
    "gradescope": Export(
        {
            "assignment_5_export/submission_metadata.yml": (
                b"---\nsubmission_101:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: alovelace\n"
                b"    :email: alovelace@example.org\n  :created_at: 2026-03-01 10:22:00.5 Z\n"
                b"submission_102:\n  :submitters:\n  - :name: Zoe\n    :sid: ''\n    :email: zoneil@example.org\n"
                b"  :created_at: 2026-03-01 13:05:00 Z\n"
            ),
            "assignment_5_export/submission_101/means.py": RIGHT,
            "assignment_5_export/submission_102/means.py": RIGHT,
        },
        typed=False,
        dated=True,
    ),
}


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Pack files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def filled(files: Mapping[str, bytes], right: str, wrong: str) -> dict[str, bytes]:
    """Put code in its place."""
    code = {RIGHT: right.encode(), WRONG: wrong.encode()}
    return {name: code.get(data, data) for name, data in files.items()}
