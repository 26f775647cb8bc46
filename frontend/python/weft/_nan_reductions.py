"""Reductions and running sums of what is not NaN."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._creation import asarray
from weft._elementwise import cast_into, given_out, store, where
from weft._reductions import mean, prod, var
from weft._reductions import max as _max
from weft._reductions import min as _min
from weft._reductions import sum as _sum
from weft._scans import cumprod, cumsum

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]


def _without_nans(x: Any, otherwise: Any) -> Array:
    x = asarray(x)
    return x if x.dtype.kind in "biu" else where(_core.isnan(x), otherwise, x)


def _present(x: Any, axis: Any, keepdims: builtins.bool) -> Array:
    x = asarray(x)
    there = _core.full(x.shape, True, None, x.device) if x.dtype.kind in "biu" else _core.isfinite(x) | _core.isinf(x)
    return _core.sum(there, axis, keepdims)


def nansum(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False) -> Array:
    """The sum of what is not NaN."""
    return _sum(_without_nans(x, 0), axis, dtype, out, keepdims)


def nanprod(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False) -> Array:
    """The product of what is not NaN."""
    return prod(_without_nans(x, 1), axis, dtype, out, keepdims)


def nanmax(x: Any, axis: Any = None, out: Any = None, keepdims: builtins.bool = False) -> Array:
    """The largest of what is not NaN."""
    x = asarray(x)
    if x.dtype.kind in "biu":
        return _max(x, axis, out, keepdims)
    result = _max(_without_nans(x, float("-inf")), axis, None, keepdims)
    return cast_into(where(_core.equal(_present(x, axis, keepdims), 0), float("nan"), result), out)


def nanmin(x: Any, axis: Any = None, out: Any = None, keepdims: builtins.bool = False) -> Array:
    """The smallest of what is not NaN."""
    x = asarray(x)
    if x.dtype.kind in "biu":
        return _min(x, axis, out, keepdims)
    result = _min(_without_nans(x, float("inf")), axis, None, keepdims)
    return cast_into(where(_core.equal(_present(x, axis, keepdims), 0), float("nan"), result), out)


def _inexact(result: Array, out: Any) -> Array:
    """The result, written to `out`, which holds fractions, but not always imaginary parts."""
    to = given_out(out)
    return cast_into(result, to) if to is not None and to.dtype.kind in "fcV" else store(result, out)


def nanmean(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False) -> Array:
    """The mean of what is not NaN."""
    x = asarray(x)
    if x.dtype.kind in "biu":
        return mean(x, axis, dtype, out, keepdims)
    total = nansum(x, axis, dtype, None, keepdims)
    count = _core.astype(_present(x, axis, keepdims), total.dtype) if total.dtype.kind in "fV" else _present(x, axis, keepdims)
    return _inexact(_core.divide(total, count), out)


def nanvar(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: builtins.bool = False) -> Array:
    """The variance of what is not NaN."""
    x = asarray(x)
    if x.dtype.kind in "biu":
        return var(x, axis, dtype, out, ddof, keepdims)
    squares = _core.square(_core.abs(x - nanmean(x, axis, dtype, None, True)))
    total = nansum(squares, axis, None, None, keepdims)
    return store(_core.divide(total, _core.astype(_present(x, axis, keepdims), total.dtype) - ddof), out)


def nanstd(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: builtins.bool = False) -> Array:
    """The standard deviation of what is not NaN."""
    return store(_core.sqrt(nanvar(x, axis, dtype, None, ddof, keepdims)), out)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """The sum of all elements up to each but NaN; of the flat array without an axis."""
    return cumsum(_without_nans(a, 0), axis, dtype, out)


def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
    """The product of all elements up to each but NaN; of the flat array without an axis."""
    return cumprod(_without_nans(a, 1), axis, dtype, out)
