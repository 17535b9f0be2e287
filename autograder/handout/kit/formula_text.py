"""Write the formulas of a README, which are LaTeX, as text that can be read in a terminal."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\s+|.", re.DOTALL)
GREEK = ("alpha", "beta", "gamma", "delta", "epsilon", "eta", "theta", "mu", "pi", "sigma", "omega")
LETTERS = {name: unicodedata.lookup(f"GREEK SMALL LETTER {name.upper()}") for name in GREEK} | {
    "varepsilon": "ε", "lambda": "λ", "infty": "∞", "partial": "∂", "pm": "±", "dots": "…", "top": "ᵀ",
    "lfloor": "⌊", "rfloor": "⌋", "lVert": "‖", "rVert": "‖", "left": "", "right": "",
}  # fmt: skip
BETWEEN = {"cdot": "·", "odot": "⊙", "times": "\u00d7", "le": "≤", "approx": "≈", "leftarrow": "←", "mid": "|"}
NAMED = ("tanh", "cos", "sin", "ln", "log", "exp", "min", "max", "sum", "prod")  # with a space before what follows
LARGE = {"sum": "∑", "prod": "∏"}
QUADS = ("quad", "qquad")
WIDE = 4  # spaces between the formulas of one line
FONTS = ("mathrm", "mathtt", "text")
ACCENTS = {"tilde": "\u0303", "hat": "\u0302", "overline": "\u0305"}  # combined with the letter before
_BEGIN, _END, _APART = "\x00", "\x01", "\x02"  # where the name of a function begins and ends, and where a formula does
_BEGINS = re.compile(r"(?<=[\w)\]'])\x00")
_ENDS = re.compile(r"\x01(?=[^\W_⁰¹²³⁴-⁹])")
_TIGHT = re.compile(r"(?<=[(\[⌊∂√]) +| +(?=[)\]⌋,;])")  # spaces that say nothing
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_RAISED = re.compile(r"-?\d+")
_WORD = re.compile(r"[^\W\d_]+'*|\d+|\([^()]*\)")  # what needs no brackets as a script
# What needs no brackets around it as a part of a fraction: a number or a name, with its scripts, or a call of it.
_SIMPLE = re.compile(r"√\([^()]*\)|√?∂?([\d.]+|[^\W\d]\w*)('|[⁰¹²³⁴-⁹⁻ᵀ]|[_^](\w+|\([^()]*\)))*(\([^()]*\))?")
_SINGLE = re.compile(r"\d+|\w(_\w+)?")  # or under a root, where 2n would look like the root of 2, times n


def formula_text(latex: str) -> str:
    r"""Return a formula as plain text: `\frac{a + b}{\sqrt{d_k}}` as `(a + b)/√d_k`. What is unknown stays by its name."""
    parts = _Reader(_TOKEN.findall(latex)).group().split(_APART)
    return (" " * WIDE).join(filter(None, (" ".join(part.split()) for part in parts)))


@dataclass
class _Reader:
    """Reads tokens from the left."""

    tokens: list[str]
    at: int = field(default=0, init=False)

    def group(self) -> str:
        """Return everything up to the brace that closes this group, or to the end."""
        made = ""
        while self.at < len(self.tokens) and self.tokens[self.at] != "}":
            made += self._next()
        self.at += 1
        made = _ENDS.sub(" ", _BEGINS.sub(" ", made)).replace(_BEGIN, "").replace(_END, "")
        return _TIGHT.sub("", made)

    def _next(self) -> str:
        read = self.tokens[self.at]
        self.at += 1
        if read == "{":
            return self.group()
        if read in ("_", "^"):
            return _script(read, self._argument().strip())
        if read.isspace():
            return " "
        return self._command(read[1:]) if read.startswith("\\") else read

    def _argument(self) -> str:
        """Return what a command or a script applies to: what is in braces, or a single thing."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return self._next() if self.at < len(self.tokens) else ""

    def _command(self, name: str) -> str:
        if name == "frac":
            over, under = self._argument().strip(), self._argument().strip()
            return f"{_bracketed(over, _SIMPLE)}/{_bracketed(under, _SIMPLE)}"
        if name == "sqrt":
            return f"√{_bracketed(self._argument().strip(), _SINGLE)}"
        if name in ACCENTS:
            under = self._argument()
            return under + ACCENTS[name] if len(under) == 1 else f"{name}({under})"
        if name in FONTS:
            return self._argument()
        if name in BETWEEN:
            return f" {BETWEEN[name]} "
        if name in NAMED:
            return f"{_BEGIN}{LARGE.get(name, name)}{_END}"
        if name in QUADS:
            return _APART
        return LETTERS.get(name, name if name.isalpha() else " " if name in ",;: " else name)


def _script(mark: str, text: str) -> str:
    """Return a subscript or a superscript."""
    if mark == "^" and text == "ᵀ":
        return text
    if mark == "^" and _RAISED.fullmatch(text):
        return text.translate(_SUPERSCRIPTS)
    return mark + (text if _WORD.fullmatch(text) else f"({text})")


def _bracketed(text: str, simple: re.Pattern[str]) -> str:
    return text if simple.fullmatch(text) else f"({text})"
