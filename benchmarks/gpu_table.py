"""Write what benchmarks/gpu.py measured on a GPU into docs/gpu.md and the README, between two marks; no rehearsal's figures."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpu_larger import larger_table

HERE = Path(__file__).resolve().parent
PAGE, README = HERE.parent / "docs" / "gpu.md", HERE.parent / "README.md"
BEGIN, END = "<!-- gpu -->", "<!-- /gpu -->"
STEPS = ("agreement", "larger", "promises", "packing", "hostile")
CLASS = 300  # submissions that a class may have


def main() -> int:
    """Write what a file of figures holds into a page and a README."""
    given = [Path(word) for word in sys.argv[1:]]
    source, page, readme = (*given, *(HERE / "gpu.json", PAGE, README)[len(given) :])
    found = json.loads(source.read_text(encoding="utf-8"))
    if found["rehearsal"]:
        print(
            f"{source} holds a rehearsal, which measured nothing. Run make gpu on a machine with a GPU.",
            file=sys.stderr,
        )
        return 1
    write_figures(found, page, readme)
    return 0


def write_figures(found: Mapping[str, Any], page: Path, readme: Path) -> None:
    """Put the tables into a page, and what they come to into a README, in place of what stands there."""
    table = "\n".join(tables(found))
    for path, text in ((page, f"\n{table}\n"), (readme, sentence(found))):
        before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        path.write_text(f"{before}{BEGIN}{text}{END}{after}", encoding="utf-8")


def sentence(found: Mapping[str, Any]) -> str:
    """Return the end of a sentence on trainings on GPUs: where they were measured, and what came of it."""
    told = [f"[measured](docs/gpu.md#what-was-measured-on-a-gpu) on {found['where']['gpu'].partition(',')[0]}"]
    if "packing" in found:
        rate = max(60 * row["submissions"] / row["seconds"] for row in found["packing"])
        told.append(f"{rate:.3g} submissions a minute")
    if "promises" in found:
        told.append(_kept(found["promises"]))
    told += [f"{', '.join(left)} still to do"] if (left := _left(found)) else []
    return ": ".join([told[0], *([", ".join(told[1:])] if told[1:] else [])])


def tables(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the tables, of the steps that were done."""
    where = found["where"]
    yield f"Measured by `make gpu` on {where['gpu']}, with torch {where['torch']}, at level {where['level']}."
    if left := _left(found):
        yield f"Still to be measured: {', '.join(left)}."
    for name, step in (("agreement", agreement_table), ("larger", larger_table), ("packing", packing_table)):
        yield from step(found[name]) if name in found else ()
    if "promises" in found:
        yield f"\n{_kept(found['promises'])}."
    if "hostile" in found:
        endings = ", ".join(f"{row['attack']}: {row['status']}" for row in found["hostile"])
        answers = all(row["answers_afterwards"] for row in found["hostile"])
        yield f"\nAttacks: {endings}. The GPU {'answered after each' if answers else 'did not answer after each'}."


def agreement_table(agreement: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a table of what differs between CPU and GPU."""
    yield "\n| training | runs | first losses, at most apart | metrics, CPU beside GPU |\n|---|---|---|---|"
    for name in dict.fromkeys(row["training"] for row in agreement):
        rows = [row for row in agreement if row["training"] == name]
        apart = max(row["first_losses"] for row in rows)
        metrics: Mapping[str, Sequence[float | None]] = next((row["metrics"] for row in rows if row["metrics"]), {})
        beside = "; ".join(f"{metric}: {', '.join(map(_number, pair))}" for metric, pair in metrics.items())
        yield f"| `{name}` | {len(rows)} | {apart:.1g} | {beside} |"


def packing_table(packing: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a table of what sharing a GPU brings."""
    yield "\n| at once | submissions a minute | times one after another |\n|---|---|---|"
    rates = {row["at_once"]: 60 * row["submissions"] / row["seconds"] for row in packing}
    for at_once, rate in rates.items():
        yield f"| {at_once} | {rate:.3g} | {rate / rates[min(rates)]:.1f} |"
    yield f"\nA class of {CLASS} would take {CLASS / max(rates.values()):.0f} minutes."


def _kept(promises: Sequence[Mapping[str, Any]]) -> str:
    return f"{sum(not row['broken'] for row in promises)} of {len(promises)} promises hold"


def _left(found: Mapping[str, Any]) -> list[str]:
    return [name for name in STEPS if name not in found]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


if __name__ == "__main__":
    sys.exit(main())
