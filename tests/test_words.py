"""The words of the course: each README says what it needs, teaches its terms and links its sources; the glossary has them all.

`python tests/test_words.py` writes the glossary from the READMEs.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autograder.course.catalog import readme_of
from autograder.course.places import slugs
from autograder.course.sections import section_of

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = ROOT / "assignments" / "GLOSSARY.md"
HEADING = "Words learned here"
HEAD = """# Glossary

The terms of the course, each in one line, with the assignment that teaches it. They are collected from the tables "Words learned here"
in the assignments; `python tests/test_words.py` writes this file.

| term | in one line | taught in |
|---|---|---|
"""
# Every term of the field stands in the text of the assignments that teach its subject, so that students can search for it.
REQUIRED = {
    "a1_rnn": "cross-entropy, negative log-likelihood, autoregressive, nats, bits",
    "a2_bptt": "initialisation, orthogonal, hyperparameter, learning rate, batch size, generalises, overfit, held-out set, Jacobian,"
    " spectral radius, gradient norm, nats, bits",
    "a3_gates": "initialisation, Xavier, Glorot, orthogonal, identity, generalises, overfit, held-out set, Jacobian, spectral radius,"
    " gradient norm, stack of layers, depth",
    "a4_seq2seq": "cross-entropy, negative log-likelihood, teacher forcing, exposure bias, generalises, overfit, held-out set",
    "a5_attention": "attention weights, attention map",
    "a6_multihead": "attention weights, attention map",
    "a7_transformer": "autoregressive, initialisation, Xavier, Glorot, generalises, overfit, held-out set, residual stream,"
    " residual connection, attention weights, attention map, stack of layers, depth",
    "a8_language_model": "cross-entropy, negative log-likelihood, autoregressive, teacher forcing, exposure bias, initialisation,"
    " hyperparameter, learning rate, batch size, generalises, overfit, held-out set, residual stream, residual connection,"
    " attention weights, attention map, nats, bits",
    "a9_modern_lm": "initialisation, generalises, overfit, held-out set, residual stream, attention weights, attention map",
    "a10_fast_attention": "attention weights, attention map",
}
_OPTIONS = re.compile(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", re.DOTALL)
_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def terms(slug: str) -> dict[str, str]:
    """Return the terms that an assignment teaches, each with its line."""
    section = section_of(readme_of(ROOT, slug), HEADING)
    rows = _ROW.findall(section.text) if section else []
    return dict(rows[1:])


def taught(slug: str) -> str:
    """Return what an assignment teaches in lower case: its README without the options of quizzes and in front of the table."""
    text, _, _ = readme_of(ROOT, slug).partition(f"## {HEADING}")
    return " ".join(_OPTIONS.sub("", text).split()).lower()


def glossary() -> str:
    """Return the glossary that the READMEs make."""
    found = [(term, line, slug) for slug in slugs(ROOT) for term, line in terms(slug).items()]
    rows = sorted(found, key=lambda row: row[0].lower())
    return HEAD + "".join(f"| {term} | {line} | [{slug}]({slug}/README.md) |\n" for term, line, slug in rows)


def test_the_glossary_is_made_of_the_readmes() -> None:
    """Every term is in it once, with the assignment that teaches it."""
    assert GLOSSARY.read_text(encoding="utf-8") == glossary(), "python tests/test_words.py writes it"
    every = [term for slug in slugs(ROOT) for term in terms(slug)]
    assert sorted(every) == sorted(set(every))
    assert len(every) >= 60


@pytest.mark.parametrize("slug", slugs(ROOT))
def test_a_term_is_used_where_it_is_taught(slug: str) -> None:
    """A term of the table also stands in the text of its README, in front of the table."""
    text = taught(slug)
    assert len(terms(slug)) >= 6
    assert [term for term in terms(slug) if term.lower() not in text] == []


@pytest.mark.parametrize("slug", slugs(ROOT))
def test_the_terms_of_the_field_are_taught(slug: str) -> None:
    """Each required term stands in the README, and not only in a quiz, the glossary or the sources."""
    required = [term.strip() for term in REQUIRED[slug].split(",")]
    assert [term for term in required if not re.search(rf"\b{term.lower()}", taught(slug))] == []


@pytest.mark.parametrize("slug", slugs(ROOT))
def test_an_assignment_says_what_it_needs_and_links_its_sources(slug: str) -> None:
    """How many hours it takes and what to know before; a link to every paper, book and documentation."""
    readme = readme_of(ROOT, slug)
    assert re.search(r"\*\*Before you start\.\*\* It takes about \d+ to \d+ hours\. You need ", readme)
    _, _, sources = readme.partition("\n## Sources\n")
    items = re.split(r"\n(?=- )", sources.strip())
    assert len(items) >= 3
    assert [item for item in items if "](https://" not in item] == []


if __name__ == "__main__":
    GLOSSARY.write_text(glossary(), encoding="utf-8")
