"""What `doctor` prints of the promises that it proved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from autograder.command.terminal import MAX_LINES, plain

if TYPE_CHECKING:
    from rich.console import Console

    from autograder.proof.soundness import Proof


def show_proofs(console: Console, slug: str, proofs: Iterable[Proof]) -> bool:
    """Print each promise as it is proved or broken; return whether all hold."""
    console.print(f"[bold]{slug}[/]")
    sound = True
    for proof in proofs:
        sound = sound and proof.holds
        mark = "[red]✗[/]" if not proof.holds else "[dim]·[/]" if proof.to_write else "[green]✓[/]"
        console.print(f"  {mark} {escape(proof.promise)}", highlight=False)
        for line in proof.broken[:MAX_LINES]:
            console.print(f"      {plain(line)}", highlight=False, soft_wrap=True)
        if len(proof.broken) > MAX_LINES:
            console.print(f"      ... and {len(proof.broken) - MAX_LINES} more; --json prints them all")
    return sound


def show_part(console: Console, slug: str, to_write: Sequence[str], not_looked_at: Sequence[str]) -> None:
    """Print what of a draft is still to write, and what was not looked at; nothing where all of an assignment was proved."""
    if to_write:
        console.print(f"  [bold]still to write ({len(to_write)})[/]; · marks what waits for it", highlight=False)
    for line in to_write:
        console.print(f"      {plain(line)}", highlight=False, soft_wrap=True)
    if not_looked_at:
        whole = f" The whole: autograder doctor {slug}" if len(not_looked_at) > 1 else ""
        told = f"Not looked at: {', '.join(not_looked_at)}.{whole}"
        console.print(f"  [yellow]{plain(told)}[/]", highlight=False, soft_wrap=True)
