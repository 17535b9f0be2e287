"""Pictures of the READMEs are those that their scripts draw, so that no number in them is stale."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
import svg

from autograder.course.catalog import slugs

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.parametrize("slug", slugs(ROOT))
def test_figures_are_fresh(slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every assignment has some, its README shows each, and python assignments/figures/SLUG.py draws them again."""
    monkeypatch.setattr(svg, "ASSIGNMENTS", tmp_path)
    runpy.run_path(str(ROOT / "assignments" / "figures" / f"{slug}.py"), run_name="__main__")
    drawn = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / slug / "figures").iterdir()}
    home = ROOT / "assignments" / slug
    assert drawn == {path.name: path.read_text(encoding="utf-8") for path in (home / "figures").iterdir()}
    readme = (home / "README.md").read_text(encoding="utf-8")
    assert {f"](figures/{name})" for name in drawn} <= set(re.findall(r"\]\(figures/[^)]+\)", readme))
    assert drawn
