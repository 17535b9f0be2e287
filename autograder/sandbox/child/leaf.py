"""Leaves of trees that are no arrays and no plain values. This imports no numpy, which not every command needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Tensor:
    """A torch tensor on the parent's side, which need not import torch."""

    array: np.ndarray


@dataclass(frozen=True)
class Code:
    """A Python expression the worker evaluates, for arguments that are functions. Only graders send it.

    `label` says in words what it makes, where the expression is long: "a model that always says 3".
    """

    expression: str
    label: str = field(default="", compare=False)

    def __repr__(self) -> str:
        """Show the label or else the expression, as students read it in a call."""
        return self.label or self.expression


@dataclass(frozen=True)
class Opaque:
    """Something that is not data: only its type's name came through."""

    type_name: str
