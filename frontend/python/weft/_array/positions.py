"""The positions of what is not zero."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._array import sorting
from weft._array.answered import there_or_answered
from weft._base.asarray import asarray
from weft._base.errors import axis_error
from weft._base.operands import unravelled

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def with_axes(op: str, x: Any) -> Array:
    x = asarray(x)
    if x.ndim == 0:
        raise axis_error(f"{op}: needs at least one axis")
    return x


def checked_size(op: str, size: Any) -> int:
    if not hasattr(size, "__index__") or isinstance(size, bool):
        raise TypeError(f"{op}: size is an integer: got {type(size).__name__}")
    number: int = size.__index__()
    if number < 0:
        raise ValueError(f"{op}: size is 0 or more: got {number}")
    return number


def _first(op: str, x: Array, size: Any, fill_value: Any) -> list[Array]:
    """The first positions of what is not zero along each axis, `fill_value` where there are fewer."""
    flat, there = sorting.first_true(_core.not_equal(_core.reshape(x, (-1,)), 0), checked_size(op, size))
    return [_core.where(there, one, fill_value) for one in unravelled(flat, x.shape)]


def nonzero(a: Any, *, size: int | None = None, fill_value: int = 0) -> tuple[Array, ...]:
    """The positions of what is not zero, an array for each axis.

    With `size` the first so many, `fill_value` behind them where there are fewer: then no value is looked at, so that it can be recorded.
    """
    if size is not None:
        return tuple(_first("nonzero", with_axes("nonzero", a), size, fill_value))
    return there_or_answered("nonzero", with_axes("nonzero", a))


def flatnonzero(a: Any, *, size: int | None = None, fill_value: int = 0) -> Array:
    """The positions of what is not zero in the flat array; with `size` the first so many, as of nonzero()."""
    if size is not None:
        return _first("flatnonzero", _core.reshape(asarray(a), (-1,)), size, fill_value)[0]
    return there_or_answered("flatnonzero", asarray(a))


def argwhere(a: Any, *, size: int | None = None, fill_value: int = 0) -> Array:
    """The positions of what is not zero, one row each; with `size` the first so many, as of nonzero()."""
    if size is not None:
        return _core.stack(_first("argwhere", with_axes("argwhere", a), size, fill_value), 1)
    return there_or_answered("argwhere", asarray(a))
