"""Reductions and running sums of what is not NaN."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._array.reductions import correction_of, max as _max, mean as _mean, min as _min, prod, sum as _sum, var
from weft._array.scans import cumprod, cumsum
from weft._base.arguments import no_value
from weft._base.asarray import asarray
from weft._base.operands import mask_of, start_of
from weft._base.out import cast_into, given_out, store

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _without_nans(x: Any, otherwise: Any) -> Array:
    x = asarray(x)
    return x if x.dtype.kind in "biu" else _core.where(_core.isnan(x), otherwise, x)


def _present(x: Array, chosen: Any) -> Array:
    """Where an element is not NaN and among the chosen ones."""
    there = _core.full(x.shape, True, None, x.device) if x.dtype.kind in "biu" else _core.logical_not(_core.isnan(x))
    return there if chosen is True else _core.logical_and(there, _core.broadcast_to(mask_of("where", chosen), x.shape))


def nansum(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False, initial: Any = no_value, where: Any = True
) -> Array:
    """The sum of what is not NaN."""
    return _sum(_without_nans(a, 0), axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False, initial: Any = no_value, where: Any = True
) -> Array:
    """The product of what is not NaN."""
    return prod(_without_nans(a, 1), axis, dtype, out, keepdims, initial, where)


def _extremum(of: Any, least: float, a: Any, axis: Any, out: Any, keepdims: builtins.bool, initial: Any, chosen: Any) -> Array:
    x = asarray(a)
    if x.dtype.kind in "biu":
        return of(x, axis, out, keepdims, initial, chosen)
    start = None if initial is None or initial is no_value else start_of("nanmax, nanmin", initial, x.dtype, x.device)
    if chosen is not True and start is None:
        raise ValueError("nanmax, nanmin: `where` needs `initial`, since there may be nothing left")
    there = _present(x, chosen)
    if not x.size and start is None:
        return of(x, axis, out, keepdims)  # which says that there is nothing to choose from
    result = of(_core.where(there, x, least), axis, None, keepdims, least)
    nothing = _core.logical_not(_core.any(there, axis, keepdims))
    if start is None:
        result = _core.where(nothing, float("nan"), result)
    else:
        join = _core.maximum if least < 0 else _core.minimum
        result = _core.where(nothing, start, _core.where(_core.isnan(start), result, join(result, start)))
    return cast_into(result, out)


def nanmax(
    a: Any, axis: Any = None, out: Any = None, keepdims: builtins.bool = False, initial: Any = no_value, where: Any = True
) -> Array:
    """The largest of what is not NaN."""
    return _extremum(_max, float("-inf"), a, axis, out, keepdims, initial, where)


def nanmin(
    a: Any, axis: Any = None, out: Any = None, keepdims: builtins.bool = False, initial: Any = no_value, where: Any = True
) -> Array:
    """The smallest of what is not NaN."""
    return _extremum(_min, float("inf"), a, axis, out, keepdims, initial, where)


def _into(result: Array, out: Any) -> Array:
    """The result, written to `out`, which holds fractions, but not always imaginary parts."""
    to = given_out(out)
    return cast_into(result, to) if to is not None and to.dtype.kind in "fcV" else store(result, out)


def _inexact(op: str, x: Array, dtype: Any) -> None:
    if dtype is not None and x.dtype.kind in "fcV" and _core.dtype(dtype).kind not in "fcV":
        raise TypeError(f"{op}: of floats dtype is one of floats: got {_core.dtype(dtype)}")


def _is_half(x: Array, dtype: Any) -> bool:
    """Whether sums and counts need more room than the dtype of the result has."""
    return dtype is None and x.dtype.kind in "fV" and x.dtype.itemsize == 2


def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False, *, where: Any = True
) -> Array:
    """The mean of what is not NaN."""
    a = asarray(a)
    if a.dtype.kind in "biu":
        return _mean(a, axis, dtype, out, keepdims, where=where)
    _inexact("nanmean", a, dtype)
    if _is_half(a, dtype):
        return _into(_core.astype(nanmean(a, axis, "float32", None, keepdims, where=where), a.dtype), out)
    total = nansum(a, axis, dtype, None, keepdims, where=where)
    count = _core.sum(_present(a, where), axis, keepdims)
    return _into(_core.divide(total, _core.astype(count, total.dtype) if total.dtype.kind in "fcV" else count), out)


def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: builtins.bool = False, *,
    where: Any = True, mean: Any = None, correction: float = no_value,
) -> Array:
    """The variance of what is not NaN, about a mean that may be given with its axes kept."""
    correction = correction_of("nanvar", ddof, correction)
    x = asarray(a)
    if x.dtype.kind in "biu":
        return var(x, axis, dtype, out, 0, keepdims, correction=correction, where=where, mean=mean)
    _inexact("nanvar", x, dtype)
    if _is_half(x, dtype):
        wide = nanvar(x, axis, "float32", None, 0, keepdims, where=where, mean=mean, correction=correction)
        return store(_core.astype(wide, x.dtype), out)
    middle = nanmean(x, axis, dtype, None, True, where=where) if mean is None else mean
    present = _core.broadcast_to(_present(x, where), x.shape)
    x = _core.where(present, x, 0)  # so that no derivative meets what is left out
    squares = _core.square(_core.abs(x - middle))
    # Those of infinities are NaN, and count.
    total = _sum(squares, axis, dtype, None, keepdims, where=present)
    left = _core.astype(_core.sum(present, axis, keepdims), total.dtype) - correction
    return store(_core.divide(total, _core.where(_core.less_equal(left, 0), float("nan"), left)), out)


def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: builtins.bool = False, *,
    where: Any = True, mean: Any = None, correction: float = no_value,
) -> Array:
    """The standard deviation of what is not NaN."""
    variance = nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    return store(_core.sqrt(variance), out)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """The sum of all elements up to each but NaN; of the flat array without an axis."""
    return cumsum(_without_nans(a, 0), axis, dtype, out)


def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """The product of all elements up to each but NaN; of the flat array without an axis."""
    return cumprod(_without_nans(a, 1), axis, dtype, out)
