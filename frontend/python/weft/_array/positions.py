"""The positions of what is not zero."""

from __future__ import annotations

from weft._core import Array
from weft._array.answered import there_or_answered
from weft._base.asarray import asarray
from weft._base.errors import axis_error

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def with_axes(op: str, x: Any) -> Array:
    x = asarray(x)
    if x.ndim == 0:
        raise axis_error(f"{op}: needs at least one axis")
    return x


def nonzero(a: Any) -> tuple[Array, ...]:
    """The positions of what is not zero, an array for each axis."""
    return there_or_answered("nonzero", with_axes("nonzero", a))


def flatnonzero(a: Any) -> Array:
    """The positions of what is not zero in the flat array."""
    return there_or_answered("flatnonzero", asarray(a))


def argwhere(a: Any) -> Array:
    """The positions of what is not zero, one row each."""
    return there_or_answered("argwhere", asarray(a))
