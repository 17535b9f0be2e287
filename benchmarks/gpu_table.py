"""Write what benchmarks/gpu.py measured on a GPU into docs/gpu.md, between two marks; a rehearsal's figures are refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- gpu -->\n", "<!-- /gpu -->\n"
CLASS = 300  # submissions that a class may have


def main() -> int:
    """Write the table of a file of figures into a page."""
    given = [Path(word) for word in sys.argv[1:]]
    source, page = (*given, *(HERE / "gpu.json", HERE.parent / "docs" / "gpu.md")[len(given) :])
    found = json.loads(source.read_text(encoding="utf-8"))
    if found["rehearsal"]:
        print(
            f"{source} holds a rehearsal, which measured nothing. Run make gpu on a machine with a GPU.",
            file=sys.stderr,
        )
        return 1
    write_table(found, page)
    return 0


def write_table(found: Mapping[str, Any], page: Path) -> None:
    """Put the tables between the page's marks, in place of what stands there."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    text = "\n".join(tables(found))
    page.write_text(f"{before}{BEGIN}{text}\n{END}{after}", encoding="utf-8")


def tables(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the tables."""
    where = found["where"]
    yield f"Measured by `make gpu` on {where['gpu']}, with torch {where['torch']}, at level {where['level']}.\n"
    yield "| training | runs | first losses, at most apart | metrics, CPU beside GPU |\n|---|---|---|---|"
    for name in dict.fromkeys(row["training"] for row in found["agreement"]):
        rows = [row for row in found["agreement"] if row["training"] == name]
        apart = max(row["first_losses"] for row in rows)
        metrics = next((row["metrics"] for row in rows if row["metrics"]), {})
        beside = "; ".join(f"{metric}: {', '.join(map(_number, pair))}" for metric, pair in metrics.items())
        yield f"| `{name}` | {len(rows)} | {apart:.1g} | {beside} |"
    yield "\n| at once | submissions a minute | times one after another |\n|---|---|---|"
    rates = {row["at_once"]: 60 * row["submissions"] / row["seconds"] for row in found["packing"]}
    for at_once, rate in rates.items():
        yield f"| {at_once} | {rate:.3g} | {rate / rates[min(rates)]:.1f} |"
    held = sum(not row["broken"] for row in found["promises"])
    yield f"\nA class of {CLASS} would take {CLASS / max(rates.values()):.0f} minutes; {held} of {len(found['promises'])} promises hold."
    endings = ", ".join(f"{row['attack']}: {row['status']}" for row in found["hostile"])
    answers = all(row["answers_afterwards"] for row in found["hostile"])
    yield f"Attacks: {endings}. The GPU {'answered after each' if answers else 'did not answer after each'}."


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


if __name__ == "__main__":
    sys.exit(main())
