"""Formulas of READMEs as text in a terminal: what a student reads, and that it is none of LaTeX's own marks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autograder.handout.kit.formula_text import ACCENTS, BETWEEN, FONTS, LETTERS, NAMED, QUADS, formula_text

READMES = sorted(Path(__file__).parents[1].glob("assignments/*/README.md"))
MATH = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
KNOWN = {*LETTERS, *BETWEEN, *NAMED, *QUADS, *FONTS, *ACCENTS, "frac", "sqrt"}


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{e^{s_j - c}}{\sum_n e^{s_n - c}}", "e^(s_j - c)/(∑_n e^(s_n - c))"),
        (r"\frac{QK^\top}{\sqrt{d_k}}", "QKᵀ/√d_k"),
        (r"\frac{Q K^\top}{2 \varepsilon}", "(Q Kᵀ)/(2 ε)"),
        (r"\frac{\partial L}{\partial h_{t-1}}", "∂L/∂h_(t-1)"),
        (r"y_i = \sum_{j \le i} a_{ij} x_j", "y_i = ∑_(j ≤ i) a_ij x_j"),
        (r"\sqrt{2n} + \sqrt 2 + \sqrt{d_{model}}", "√(2n) + √2 + √d_model"),
        (r"x_{2i+1}\cos\left(p\,\theta_i\right)", "x_(2i+1) cos(p θ_i)"),
        (r"1 - \tanh^2(z)", "1 - tanh²(z)"),
        (r"t\omega \cdot 10^{-8}\odot z", "tω · 10⁻⁸ ⊙ z"),
        (r"\tilde c, \hat y_t", "c\u0303, y\u0302_t"),
        (r"a = 1 \text{ if } i \qquad b = -\ln 3", "a = 1 if i    b = -ln 3"),
        (r"\lVert x \rVert \{y\}", "‖ x ‖ {y}"),
        (r"\unheard{x} \overline{a b}", "unheardx overline(a b)"),
        ("10000^{2i} + dW^{(t)} + x^\\alpha", "10000^(2i) + dW^(t) + x^\u03b1"),
        ("a_i * b_i", "a_i * b_i"),
        ("{x", "x"),
        ("x_", "x_()"),
    ],
)
def test_a_formula_as_text(latex: str, text: str) -> None:
    """Fractions, sums, roots and scripts are told apart by brackets where they would be read in another way."""
    assert formula_text(latex) == text


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.name)
def test_every_formula_of_the_course_can_be_read(readme: Path) -> None:
    """No command is left over or unknown, and brackets come in pairs as they did."""
    for found in MATH.finditer(readme.read_text(encoding="utf-8")):
        latex = found[1] or found[2]
        text = formula_text(latex)
        assert set(re.findall(r"\\([a-zA-Z]+)", latex)) <= KNOWN, latex
        assert not re.search(r"[\\{}\x00-\x1f]", text), (latex, text)
        assert text.count("(") - text.count(")") == latex.count("(") - latex.count(")"), (latex, text)
