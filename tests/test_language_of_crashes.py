"""What a student of a German course reads of a crash: where it comes from, with names, shapes and counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from string import Formatter

import numpy as np
import pytest
from conftest import COURSE
from test_crashes import STUB
from test_language import LONG, sentences, told

from autograder.course.catalog import load_assignment
from autograder.course.language import speaking
from autograder.course.spec import Call, Visibility
from autograder.handout.handout import engine_files
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.crash_kinds import CRASHES
from autograder.judge.crash_reasons import explain_kind, kind_of_crash, reason_of_crash
from autograder.judge.grade import grade
from autograder.judge.result import Result
from autograder.judge.stray_tensors import Stray, explain_devices
from autograder.judge.terminal_text import result_as_text
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Chunk, Frame, Part, Sandbox, Source, Trouble

TEXT = """class Model:
    def __init__(self):
        self.W_q = 1
    def forward(self, x):
        batch, time = x.shape
def own(a, b): pass
"""
SIGNATURES = {"mix": ("scores", "mask", "cache"), "own": ("a", "b"), "Model.__init__": ("size",)}
MATMUL = "matmul: mismatch in its core dimension"
BROADCAST = "operands could not be broadcast together"
RESHAPE = "cannot reshape array of size {} into shape (2,3)"
UNPACK = "too many values to unpack (expected {})"
SCORES, MASK = Part("scores", "array", (2, 7), "float64"), Part("mask", "array", (2, 5), "bool")
CUBE, LINE = Part("h", "tensor", (2, 3, 4), "float32"), Part("v", "tensor", (3,), "int64")


@cache
def fragments() -> tuple[str, ...]:
    """Return the longest part without a value of each English sentence that the modules of crashes say."""
    about = ("crash_", "rules_of_functions", "shapes_that_meet", "stray_tensors")
    said = (key for key, modules in sentences().items() if any(word in each for word in about for each in modules))
    parts = (max((part for part, *_ in Formatter().parse(text)), key=len) for key in said for text in key.split("\0"))
    return tuple(part for part in parts if len(part) >= LONG)


def english(text: str) -> list[str]:
    """Return what stands in a text in English."""
    return [part for part in fragments() if part in text]


@pytest.fixture(scope="module")
def in_german(sandbox: Sandbox, edited: Callable[..., str]) -> Callable[..., Result]:
    """Grade the reference of t1_means with some functions rewritten, in a German course."""
    oracle = Oracle(replace(load_assignment(COURSE, "t1_means"), language="de"), 3)
    return lambda **bodies: grade(Source("means", (Chunk("means.py", edited(**bodies)),)), oracle, sandbox)


def crash(text: str, *parts: Part, kind: str = "ValueError", calls: str = "f", outer: str = "") -> Trouble:
    """Return an exception in line 5 of the text, raised by a call of something."""
    frames = (Frame("m.py", 1, "Model.forward", outer),) * bool(outer) + (Frame("m.py", 5, "Model.forward", calls),)
    return Trouble(kind, text, frames, parts)


def reason(trouble: Trouble, visibility: Visibility = Visibility.PUBLIC) -> str:
    """Return what is said of an exception in a call with scores, without a mask, and with `steps` of 0."""
    call = Call((np.zeros((2, 7)), None, {"x": np.zeros(3)}), {"steps": 0})
    return reason_of_crash(trouble, visibility, Source("m", (Chunk("m.py", TEXT),)), call, "mix", STUB, SIGNATURES)


@pytest.mark.parametrize(
    ("bodies", "says"),
    [
        ({"row_means": "return x @ x"}, "`x` mit Shape (2, 3) wird mit `x` mit Shape (2, 3) multipliziert: Die letzte Achse des linken, 3, muss so lang sein wie die vorletzte des rechten, 2."),
        ({"row_means": "return x - x.sum(axis=-1)"}, "`sum` hat die Achse entfernt, über die es lief; behalte sie mit Länge eins (keepdims=True)."),
        ({"row_means": "return x + np.zeros((4, 3))"}, "Von rechts aneinandergelegt, trifft 2 auf 4, und nur Gleiches oder eine Eins passt."),
        ({"row_means": "return as_colums(x)"}, "Hier gibt es keine Variable oder Funktion namens `as_colums`. Meinst du `as_columns`?"),
        ({"row_means": "return x.unsqueeze(-1)"}, "`x` ist ein numpy-Array und hat kein `unsqueeze`. Ist `x` das Array, schreib `np.expand_dims(x, axis)`."),
        ({"row_means": "return x.index_fill(-1)"}, "`x` ist ein numpy-Array und hat kein `index_fill`. Heißt es nur in torch so?"),
        ({"row_means": "return np.cat([x])"}, "`numpy` hat kein `cat`. Hier heißt es `np.concatenate`."),
        ({"row_means": "return np.softmax(x)"}, "`numpy` hat kein `softmax`: Schreib es selbst, mit `np.exp` und Ähnlichem."),
        ({"row_means": "return x[:, 3]"}, "Achse 1 von `x` hat 3 Einträge, gezählt von 0 bis 2; Index 3 gehört nicht dazu."),
        ({"row_means": "return x.reshape(4)"}, "`x` mit Shape (2, 3) hat 6 Einträge, und (4,) braucht 4: Ein reshape behält die Anzahl."),
        ({"row_means": "rows, columns, depth = x.shape"}, "`x` hat 2 Achsen, Shape (2, 3), und wird verteilt auf drei Namen: `rows`, `columns` und `depth`."),
        ({"row_means": "return row_means(x)"}, "Funktionen rufen sich selbst oder einander öfter auf, als Python erlaubt."),
    ],
)  # fmt: skip
def test_a_crash_is_told_in_german(in_german: Callable[..., Result], bodies: dict[str, str], says: str) -> None:
    """In public cases, in hidden ones, and first on the screen of a terminal."""
    result = in_german(**bodies)
    assert says in told(result)
    assert english(told(result)) == []
    assert says in " ".join(result_as_text("Mittelwerte", result).split())


def test_a_crash_is_told_in_german_at_home(edited: Callable[..., str]) -> None:
    """By a handout, whose engine has what is said of crashes."""
    bundle = public_bundle(public_oracle(replace(load_assignment(COURSE, "t1_means"), language="de")))
    result = check(Source("means", (Chunk("means.py", edited(row_means="return x @ x")),)), bundle)
    assert "wird mit `x` mit Shape" in told(result)
    assert english(told(result)) == []
    assert "engine/autograder/judge/crash_kinds.py" in engine_files()


SAID = [
    # crash_details.py
    (crash("NoneType", Part("mask", "None")), "Dieser Aufruf übergibt None für `mask`"),
    (crash("NoneType", Part("h", "None")), "`h` ist hier None."),
    (crash("NoneType", Part("own(x)", "unknown")), "Endet dein `own` ohne `return`?"),
    (crash('loading state_dict Missing key(s) in state_dict: "a.0.W", "a.1.W", "b"'), "legt noch andere an: `a.*.W`, `b`."),
    (crash('loading state_dict Missing key(s) in state_dict: "a"\n\tUnexpected key(s) in state_dict: "b"'), "Behalte `b`. Was du hinzufügst"),
    (crash('loading state_dict Unexpected key(s) in state_dict: "W.weight", "b"'), "noch nicht alle an: `W.weight`, `b`."),
    (
        crash("loading state_dict size mismatch for W.weight: copying torch.Size([2, 3]) from it; in the model torch.Size([3, 2])"),
        "lädt `W.weight` mit der Shape (2, 3), und dein Konstruktor erzeugt die Shape (3, 2)",
    ),
    (crash("loading state_dict"), "unter ihren Namen. Was du hinzufügst, darf keine Parameter enthalten."),
    (crash("tensor(3)", kind="KeyError"), "Ein Tensor wird unter den Schlüsseln eines Dicts nicht gefunden"),
    (crash("array(3)", kind="KeyError"), "Ein Array wird unter den Schlüsseln eines Dicts nicht gefunden"),
    (crash("'z'", Part("cache", "dict", (1,)), kind="KeyError"), "In `cache` gibt es kein 'z'; die Schlüssel sind 'x'."),
    *(
        (crash(f"list indices must be integers or slices, not {by}", *parts), says)
        for parts, what in (((Part("h", "list"),), "`h` ist vom Typ list"), ((), "Hier steht ein Wert vom Typ list"))
        for by, says in (("float", f"{what}, und der Index ist ein float."), ("str", f"{what} und kein Dict"), ("tuple", what))
    ),
    (crash("own() takes 2 positional arguments", kind="TypeError"), "nicht vorgesehen sind: own(a, b)."),
    (crash("sum() got an unexpected keyword", kind="TypeError"), "`sum` mit Argumenten auf, die dort nicht"),
    (replace(crash("own() missing 1 required", kind="TypeError"), frames=()), "Der Test ruft dein `own` mit den Parametern der Vorlage auf: own(a, b)."),
    (replace(crash("Model.__init__() missing 1 required", kind="TypeError"), frames=()), "ein Test ruft ihn mit eigenen Argumenten auf"),
    (crash("mask must be bool", SCORES), "`scores` enthält float64. Eine Maske enthält Wahrheitswerte"),
    (crash("ufunc 'invert'", Part("k", "float")), "`k` enthält einen float."),
    (crash("object cannot be interpreted as an integer", Part("k", "float")), "`k` ist ein float."),
    (crash("object cannot be interpreted as an integer", Part("k", "tuple")), "Nimm einen der Einträge."),
    (crash("division by zero", Part("a", "int"), Part("steps", "int"), kind="ZeroDivisionError"), "`steps` ist in diesem Aufruf 0"),
    (crash("'list' object is not callable", Part("h", "list"), calls="h"), "`h` ist vom Typ list und lässt sich so nicht"),
    (crash("'int' object is not callable", Part("n", "int"), calls="scale"), "`scale` ist vom Typ int, und den kann man"),
    # crash_names.py
    (crash("name 'W_q' is not defined", kind="NameError"), "erreichst du als `self.W_q`"),
    (crash("name 'zebra' is not defined", kind="NameError"), "fehlt ein Import, oder"),
    (crash("'list' object has no attribute 'shape'", Part("h", "list")), "`h` ist vom Typ list und hat kein `shape`."),
    (crash("'int' object has no attribute 'shape'"), "Ein Wert vom Typ int ist ein einzelner Wert"),
    (crash("'function' object has no attribute 'shape'"), "Ruf zuerst die Funktion auf."),
    (crash("'Tensor' object has no attribute 'astype'", CUBE), "`h` ist ein torch-Tensor und hat kein `astype`."),
    (crash("'Tensor' object has no attribute 'meann'", CUBE), "`h` hat kein `meann`. Meinst du `mean`?"),
    (crash("'Generator' object has no attribute 'draw'"), "ist vom Typ Generator und hat kein `draw`."),
    (crash("'Model' object has no attribute 'W_k'"), "im Konstruktor nichts erzeugt. Es gibt `W_q`."),
    (crash("'Model' object has no attribute 'zebra'"), "Wird es in `__init__` erzeugt, oder ist es eine Methode"),
    (crash("cannot access local variable 'total' where it is not associated with a value", kind="UnboundLocalError"), "`total` wird gelesen, bevor etwas zugewiesen ist"),
    # crash_shapes.py and shapes_that_meet.py
    (crash(BROADCAST, SCORES, Part("kth", "array", (2,))), "`kth` mit Shape (2,) = (batch,) trifft auf `scores` mit Shape (2, 7) = (batch, vocab): Shapes werden von rechts aneinandergelegt, also fehlt der ersten eine Achse."),
    (crash(BROADCAST, Part("s", "tensor", (2, 4, 5, 5)), Part("m", "tensor", (2, 5))), "also fehlen der ersten 2 Achsen."),
    (crash(BROADCAST, SCORES, MASK), "Die letzten Achsen sind 7 und 5"),
    (crash(BROADCAST, CUBE, Part("m", "tensor", (5, 1, 1))), "Von rechts aneinandergelegt, trifft 2 auf 5"),
    (crash(BROADCAST + " output", CUBE, Part("b", "tensor", (4, 2, 3, 4))), "`b` mit Shape (4, 2, 3, 4) soll in"),
    (crash("with shapes (2,7) (2,5) broadcast", SCORES), "trifft auf `die verlangte Shape` mit Shape (2, 5)"),
    (crash("The size of tensor a (3) must match the size of tensor b (2)", CUBE), "An einer Achse sind die Größen 3 und 2."),
    (crash(BROADCAST, CUBE, CUBE, CUBE, Part("m", "tensor", (5,)), calls="F.scaled_dot_product_attention"), "trifft auf `die Scores`"),
    (crash(MATMUL, SCORES, LINE), "die einzige des rechten, 3."),
    (crash(MATMUL, Part("h.T", "array", (4, 3, 2)), SCORES), "`.T` kehrt alle Achsen von `h` um"),
    (crash(MATMUL, SCORES, Part("c", "array")), "Eines von beiden hat keine Achsen."),
    (crash(MATMUL, CUBE, Part("b", "tensor", (3, 4, 4))), "Die Achsen vor den letzten zwei passen nicht zusammen."),
    (crash("concatenation axis", CUBE, LINE), "haben aber nicht gleich viele Achsen."),
    (crash("concatenation axis", SCORES, MASK), "oder hänge entlang einer anderen Achse aneinander."),
    (crash("to be equal size", SCORES, MASK, calls="torch.stack"), "werden gestapelt"),
    *(
        (crash(f"input array from shape ({source}) into shape ({target})", *parts, outer=outer), says)
        for source, target, parts, outer, says in (
            ("2,7", "7", (SCORES,), "", "`scores` mit Shape (2, 7) soll (7,) werden: Es hat 2 Achsen, und nur 1 dürfen"),
            ("3", "1", (), "", "Ein Array mit Shape (3,) soll (1,) werden: Entlang einer Achse hat es 3, und Platz ist für 1"),
            ("3", "", (), "", "Es hat 1 Achse, und nur 0 dürfen gefüllt werden."),
            ("3", "4", (), "self.proj", "Ein Array mit Shape (3,), übergeben an `self.proj`, soll (4,) werden"),
        )
    ),
    (crash(RESHAPE.format(24), CUBE), "`h` mit Shape (2, 3, 4) hat 24 Einträge"),
    (crash(RESHAPE.format(1), Part("c", "array", (1,))), "`c` mit Shape (1,) hat 1 Eintrag,"),
    (crash(RESHAPE.format(8)), "Es gibt 8 Einträge"),
    (crash(RESHAPE.format(1)), "Es gibt 1 Eintrag,"),
    (crash("index 5 is out of bounds for axis 1 with size 7", SCORES), "Achse 1 (vocab) von `scores` hat 7 Einträge"),
    (crash("index 5 is out of bounds for axis 0 with size 1"), "Achse 0 hat 1 Eintrag, gezählt von 0 bis 0;"),
    (crash("index 5 is out of bounds for axis 0 with size 0"), "Achse 0 hat keine Einträge"),
    (crash(UNPACK.format(1), Part("cache", "tuple", (2,))), "`cache` enthält 2 Werte: keys, values. Links steht 1 Name;"),
    (crash(UNPACK.format(2), Part("h", "tuple", (1,))), "`h` enthält 1 Wert. Links stehen 2 Namen;"),
    (crash(UNPACK.format(2), CUBE), "so ergibt das 2 Zeilen, und die linke Seite hat 2 Namen."),
    (crash(UNPACK.format(1), Part("own(x)", "unknown")), "`own(x)` gibt nicht genau 1 Wert, und links steht 1 Name."),
    (crash(UNPACK.format(2), Part("h.shape", "tuple", (3,)), CUBE), "`h` hat 3 Achsen, Shape (2, 3, 4), und wird verteilt auf zwei Namen: `batch` und `time`."),
    (crash(UNPACK.format(4), Part("v.shape", "tuple", (1,)), LINE, outer="self.f"), "In `Model.forward` hat `v` eine Achse, Shape (3,), und wird verteilt auf 4 Namen."),
    (crash("is ambiguous", SCORES), "`scores` mit Shape (2, 7) = (batch, vocab) enthält mehrere Wahrheitswerte"),
    (crash("is ambiguous"), "Dieses Array enthält mehrere Wahrheitswerte"),
    (crash("Expected target size", CUBE, LINE), "Die Kreuzentropie erwartet die Klassen auf Achse 1 des ersten"),
    (crash("shape mismatch: indexing arrays", CUBE, Part("i", "array", (2,)), Part("j", "array", (3,))), "An Achse -1 treffen 2 Positionen auf 3. Gehören sie der Reihe nach zusammen, nimm von jedem 2. Ist jede Kombination gemeint"),
    (crash("`indices` and `arr`", CUBE, LINE), "Ein Array von Indizes braucht so viele Achsen"),
    (crash("too many indices", Part("c", "array")), "`c` mit Shape () hat keine Achsen, aber dein Code erwartet"),
    (crash("must be of integer", CUBE, SCORES), "`scores` enthält float64, und ein Index nimmt nur ganze Zahlen"),
    (crash("same dtype", CUBE, LINE), "`h` (float32) und `v` (int64) treffen aufeinander, und ihre dtypes"),
    # rules_of_functions.py
    (crash("", Part("step", "given"), LINE), "`step`, das der Test deinem Code übergibt, hat auf diesen Aufruf mit `v` mit Shape (3,) (int64) keine Antwort. Wird es einmal zu oft"),
    (crash("indices must be long", Part("step", "given")), "keine Antwort. Es braucht ganze Zahlen"),
    (crash("subscript i has size", Part("'ij,jk->ik'", "str"), SCORES, MASK, calls="np.einsum"), "steht der Buchstabe `j` in `mask` mit Shape (2, 5) für eine Achse der Größe 2 und davor für eine der Größe 7."),
    (crash("mat1 and mat2 shapes cannot be multiplied (6x4 and 5x2)", CUBE, Part("W", "tensor", (2, 5)), calls="F.linear"), "trifft in einer linearen Schicht auf das Gewicht `W` mit Shape (2, 5)"),
    (crash("mat1 and mat2 shapes cannot be multiplied (6x4 and 5x2)", calls="self.proj"), "Was hineingeht, passt nicht zur linearen Schicht in `self.proj`: Die letzte Achse ist 4, und in_features ist 5."),
    (crash("selected index k out of range", CUBE), "Es durchsucht `h` mit Shape (2, 3, 4), entlang der letzten Achse"),
    (crash("expects 'from' to be less than 'to', but got from=3 >= to=2", calls="torch.randint"), "Die obere Grenze von `torch.randint`, 2, liegt nicht über der unteren, 3"),
    (crash("boolean index did not match", SCORES, MASK), "Die Maske `mask` mit Shape (2, 5) wählt aus `scores` mit Shape (2, 7) = (batch, vocab) aus."),
]  # fmt: skip


@pytest.mark.parametrize(("trouble", "says"), SAID)
def test_what_met_is_told_in_german(trouble: Trouble, says: str) -> None:
    """With its names, shapes and counts: what is told is not the sentence of the kind, which any failure to tell falls back to."""
    with speaking("de"):
        told_here, kind = reason(trouble), explain_kind(kind_of_crash(trouble))
        assert reason(trouble, Visibility.HIDDEN) == kind != told_here
    assert says in told_here
    assert english(told_here) == []


def test_every_kind_has_its_german_sentence() -> None:
    """Students read it of hidden cases; what graders read stays English."""
    with speaking("de"):
        german = {name: explain_kind(name) for name in CRASHES}
    assert german.keys() == CRASHES.keys()
    assert english("\n".join(german.values())) == []
    assert english("\n".join(CRASHES.values()))
    assert {name: explain_kind(name) for name in CRASHES} == CRASHES
    assert explain_kind("of another version") == ""


@pytest.mark.parametrize(
    ("text", "stray", "says"),
    [
        ("on the same device", ("forward", "x"), "m.py, Zeile 3: `torch.ones(2)` wird auf der CPU erzeugt, und die Eingaben können auf einer GPU sein; schreib device=x.device."),
        ("on the same device", ("forward", ""), "schreib device=... mit dem Gerät der Eingaben."),
        ("on the same device", ("__init__", "x"), "leg es als Buffer an (self.register_buffer)"),
        ("on the same device", (), "Was du selbst erzeugst, gehört dorthin, wo die Eingaben sind: x.device."),
        ("can't convert cuda:0 device type tensor to numpy", (), "Schreib .cpu() vor .numpy()."),
        ("1D CPU int64 tensor", (), "Übergib lengths.cpu()."),
    ],
)  # fmt: skip
def test_what_stays_on_the_cpu_is_told_in_german(text: str, stray: tuple[str, ...], says: str) -> None:
    """With the line that makes it."""
    found = [Stray("m.py", 3, "torch.ones(2)", *stray, 1, 9)] if stray else []
    with speaking("de"):
        told_here = explain_devices(crash(text), found)
    assert says in told_here
    assert english(told_here) == []


def test_braces_of_a_student_stay_as_they_are() -> None:
    """An expression is a value of a sentence, and no part of it."""
    part = Part("{0}[f'{x!r}']", "list")
    for language in ("en", "de"):
        with speaking(language):
            assert "`{0}[f'{x!r}']`" in reason(crash("list indices must be integers or slices, not float", part))


@pytest.mark.parametrize(
    ("trouble", "says"),
    [
        (crash(RESHAPE.format(1)), "There is 1 entry, and (2, 3) needs 6"),
        (crash(UNPACK.format(1), Part("cache", "tuple", (1,))), "`cache` holds 1 value. The left side has 1 name;"),
        (crash(UNPACK.format(1), Part("own(x)", "unknown")), "than the 1 name on the left."),
        (crash("input array from shape (3) into shape ()"), "it has 1 axis, and only 0 may be filled."),
    ],
)
def test_one_is_told_in_the_singular(trouble: Trouble, says: str) -> None:
    """In English, too."""
    assert says in reason(trouble)
