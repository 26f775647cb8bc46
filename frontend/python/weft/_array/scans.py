"""Running sums, products and extrema along an axis."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._array.picked_later import Picked
from weft._array.reductions import with_out
from weft._array.shaping import atleast_1d
from weft._base.asarray import asarray
from weft._base.out import cast_into, store

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _along(op: str, x: Any, axis: int | None) -> tuple[Array, int]:
    """The array and the axis, which may be left out where there is one at most."""
    x = atleast_1d(x)
    if axis is None and x.ndim > 1:
        raise ValueError(f"{op}: needs an axis for an array of {x.ndim} axes")
    return x, 0 if axis is None else axis


def _flat_without_axis(x: Any, axis: int | None) -> tuple[Array, int]:
    x = asarray(x)
    return (_core.reshape(x, (-1,)), 0) if axis is None else (x, axis)


def _cumulated(of: Any, op: str, x: Any, axis: int | None, dtype: Any, out: Any, include_initial: builtins.bool) -> Array:
    given = None if dtype is None else _core.dtype(dtype)
    if given is not None and given.kind == "b":
        # Sums of bools are "or", products "and": of 0 and 1 what is not 0, and what is.
        bits = _core.astype(_core.astype(asarray(x), given), _core.dtype("int64"))
        return cast_into(_core.not_equal(of(*_along(op, bits, axis), None, include_initial), 0), out)
    x = asarray(x) if dtype is not None else with_out(asarray(x), out)
    return cast_into(of(*_along(op, x, axis), given, include_initial), out)


def cumulative_sum(
    x: Any, /, axis: int | None = None, dtype: Any = None, out: Any = None, *, include_initial: builtins.bool = False
) -> Array:
    """The sum of all elements up to each, along an axis; of integers in 64 bits unless told."""
    return _cumulated(_core.cumulative_sum, "cumulative_sum", x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: Any, /, axis: int | None = None, dtype: Any = None, out: Any = None, *, include_initial: builtins.bool = False
) -> Array:
    """The product of all elements up to each, along an axis; of integers in 64 bits unless told."""
    return _cumulated(_core.cumulative_prod, "cumulative_prod", x, axis, dtype, out, include_initial)


def cumulative_max(x: Any, /, axis: int | None = None, out: Any = None) -> Array:
    """The largest of all elements up to each, along an axis."""
    return store(_core.cumulative_max(*_along("cumulative_max", x, axis)), out)


def cumulative_min(x: Any, /, axis: int | None = None, out: Any = None) -> Array:
    """The smallest of all elements up to each, along an axis."""
    return store(_core.cumulative_min(*_along("cumulative_min", x, axis)), out)


def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """The sum of all elements up to each; of the flat array without an axis."""
    if type(a) is Picked:
        return a.cumsum(axis, dtype, out)
    return cumulative_sum(*_flat_without_axis(a, axis), dtype, out)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """The product of all elements up to each; of the flat array without an axis."""
    return cumulative_prod(*_flat_without_axis(a, axis), dtype, out)


def cummax(a: Any, axis: int | None = None) -> Array:
    """The largest of all elements up to each; of the flat array without an axis."""
    return cumulative_max(*_flat_without_axis(a, axis))


def cummin(a: Any, axis: int | None = None) -> Array:
    """The smallest of all elements up to each; of the flat array without an axis."""
    return cumulative_min(*_flat_without_axis(a, axis))
