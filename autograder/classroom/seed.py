"""Draw the seed of a grading's hidden inputs."""

from __future__ import annotations

import secrets


def draw_seed() -> int:
    """Return a seed that cannot be guessed."""
    return secrets.randbits(32)
