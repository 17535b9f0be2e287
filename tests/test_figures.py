"""Pictures of the READMEs are those that their scripts draw, so that no number in them is stale."""

from __future__ import annotations

import json
import re
import runpy
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import svg
from attention_map import kept_maps

from autograder.course.places import slugs

ROOT = Path(__file__).parents[1]
PLACES = re.compile(r"(?<=[ \",])-?\d*\.?\d+(?=[ \",])")  # coordinates and sizes, not the numbers that a reader sees
SHIFT = 0.15  # of a pixel: a processor that rounds another way moves a place by its last digit


def same_picture(one: str, other: str) -> bool:
    """Tell whether two pictures have the same words and lines, at the same places but for rounding."""
    if PLACES.sub("", one) != PLACES.sub("", other):
        return False
    ours, theirs = (np.array(PLACES.findall(drawn), dtype=float) for drawn in (one, other))
    return bool(np.abs(ours - theirs).max() <= SHIFT)


@pytest.mark.slow
@pytest.mark.parametrize("slug", slugs(ROOT))
def test_figures_are_fresh(slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every assignment has some, its README shows each, and python assignments/figures/SLUG.py draws them again."""
    monkeypatch.setattr(svg, "ASSIGNMENTS", tmp_path)
    runpy.run_path(str(ROOT / "assignments" / "figures" / f"{slug}.py"), run_name="__main__")
    drawn = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / slug / "figures").iterdir()}
    home = ROOT / "assignments" / slug
    kept = {path.name: path.read_text(encoding="utf-8") for path in (home / "figures").iterdir()}
    assert drawn.keys() == kept.keys()
    assert [name for name in drawn if not same_picture(drawn[name], kept[name])] == []
    readme = (home / "README.md").read_text(encoding="utf-8")
    assert {f"](figures/{name})" for name in drawn} <= set(re.findall(r"\]\(figures/[^)]+\)", readme))
    assert drawn


PICTURES = sorted((ROOT / "assignments").glob("*/figures/*.svg"))
TEXT = re.compile(r'<text x="([\d.]+)" y="[\d.]+" font-size="(\d+)" [^>]*?text-anchor="(\w+)"([^>]*)>(.*?)</text>')
LETTER = 0.5  # of its size, how wide a letter is on average


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_picture_is_legible_on_any_page(picture: Path) -> None:
    """It has no ground of its own and asks for no colour scheme; no text is too small in a README, or leaves the picture."""
    drawn = picture.read_text(encoding="utf-8")
    width = float(re.findall(r'viewBox="0 0 (\d+) ', drawn)[0])
    assert not re.search(r"prefers-color-scheme|<style|filter", drawn)
    assert [fill for fill in re.findall(r'<rect [^>]*fill="#f\w+"', drawn) if "opacity" not in fill] == []
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', drawn)]
    assert min(sizes) * min(1, svg.COLUMN / width) >= svg.SMALLEST
    for x, size, anchor, more, words in TEXT.findall(drawn):
        wide = LETTER * float(size) * len(unescape(re.sub("<.*?>", "", words)))
        begins = float(x) - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        assert "rotate" in more or (begins >= 0 and begins + wide <= width), words


def test_a_picture_with_small_text_is_not_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text that shrinks with a wide picture is refused with its size."""
    monkeypatch.setattr(svg, "ASSIGNMENTS", tmp_path)
    svg.figure("a", "narrow", 830, 40, "narrow", [svg.text(400, 20, "legible", size=11)])
    with pytest.raises(ValueError, match=r"a/wide: text of 9\.1 px"):
        svg.figure("a", "wide", 1000, 40, "wide", [svg.text(500, 20, "too small", size=11)])


def test_a_picture_is_compared_by_what_it_shows() -> None:
    """A last digit may differ between processors; a curve that bends elsewhere, or a word, may not."""
    drawn = '<polyline points="58,75.9 62.6,89.4" fill="none" stroke="#b45309"/><text x="20" y="28">run 3</text>'
    assert same_picture(drawn, drawn.replace("89.4", "89.5"))
    assert not same_picture(drawn, drawn.replace("89.4", "90.4"))
    assert not same_picture(drawn, drawn.replace("run 3", "run 4"))


@pytest.mark.parametrize("slug", ["a4_seq2seq", "a7_transformer", "a8_language_model"])
def test_trained_maps_are_of_the_run_that_students_know(slug: str) -> None:
    """The reference's own run: its last loss is the lab's; rows sum to one, and the rule chose the head that is drawn."""
    kept = kept_maps()[slug]
    lab = json.loads((ROOT / "solutions" / slug / "debugging_lab.json").read_text(encoding="utf-8"))
    assert kept["last_loss"] == lab["runs"]["reference"]["losses"][-1]
    weights = np.array(kept["weights"])
    assert weights.shape == (len(kept["said"]), len(kept["read"]))
    assert np.allclose(weights.sum(axis=1), 1, atol=1e-3)
    shares = kept.get("shares", {})
    if slug == "a8_language_model":
        assert not np.triu(weights, 1).any()
        looked_for = np.diagonal(weights, -1)
        assert looked_for.min() > 0.8
    else:
        digits = [name for name in kept["read"] if name.isdecimal()]
        assert kept["said"][:-1] == digits[::-1]
        steps = np.arange(len(digits))
        looked_for = weights[steps, -1 - steps]
        assert np.abs(weights[steps].argmax(axis=1) - (weights.shape[1] - 1 - steps)).max() <= 1
    if shares:
        assert kept["head"] == max(shares, key=shares.get)
        assert looked_for.mean() == pytest.approx(shares[kept["head"]], abs=1e-4)
        readme = (ROOT / "assignments" / slug / "README.md").read_text(encoding="utf-8")
        others = sorted(share for name, share in shares.items() if name != kept["head"])
        told = (f"{number:.2f}".lstrip("0") for number in (shares[kept["head"]], others[0], others[-1]))
        assert re.search(
            r"{} on\s+average.*seven\s+(?:have|give it) {} to {}\.".format(*map(re.escape, told)), readme, re.DOTALL
        )
