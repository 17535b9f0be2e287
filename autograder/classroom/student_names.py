"""Give the students of a class names for files and pages."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable

_LONGEST_STUDENT = 80


def student_names(owners: Iterable[str]) -> dict[str, str]:
    """Give every owner a name that is safe in a path and unique in the class, whatever its case.

    Where several become alike, each gets a checksum of its own, unless it is the only one that needed no change. So a
    student who hands in late never takes over another one's name, and with it that one's page.
    """
    plain = {owner: _plain(owner) for owner in owners}
    alike = Counter(name.casefold() for name in plain.values())
    unchanged = Counter(name.casefold() for owner, name in plain.items() if owner == name)
    kept = {o: n for o, n in plain.items() if alike[n.casefold()] == 1 or (o == n and unchanged[n.casefold()] == 1)}
    taken = {name.casefold() for name in kept.values()}
    for owner in sorted(plain.keys() - kept.keys()):
        salt = 0
        while (name := f"{plain[owner][: _LONGEST_STUDENT - 9]}-{_checksum(owner, salt)}").casefold() in taken:
            salt += 1
        taken.add(name.casefold())
        kept[owner] = name
    return kept


def _plain(owner: str) -> str:
    letters = unicodedata.normalize("NFKD", owner).encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", letters).strip("._-")[:_LONGEST_STUDENT].rstrip("._-")
    return name or f"student-{_checksum(owner)}"


def _checksum(owner: str, salt: int = 0) -> str:
    return f"{zlib.crc32(owner.encode('utf-8', 'surrogatepass'), salt):08x}"
