"""Statistics: reductions over any set of axes, all of them unless told."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._creation import asarray
from weft._errors import named
from weft._elementwise import store

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

    Axis = int | tuple[int, ...] | None

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "average",
    "count_nonzero",
    "log_softmax",
    "logsumexp",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "softmax",
    "std",
    "sum",
    "var",
]


def _masked(x: Array, where: Any, identity: Any) -> Array:
    return x if where is True else _core.where(where, x, identity)


def _accumulate(op: Any, x: Any, axis: Any, dtype: Any, out: Any, keepdims: Any, where: Any, identity: int) -> Array:
    x = asarray(x)
    if dtype is not None:
        dtype = _core.dtype(dtype)
        x = _core.astype(x, dtype)
    result = op(_masked(x, where, identity), axis, keepdims)
    if dtype is not None:
        result = _core.astype(result, dtype)
    return store(result, out)


def _dtype_of(out: Any) -> Any:
    return out.dtype if isinstance(out, Array) and out.dtype.kind in "iu" else None


def _joined(join: Any, result: Array, initial: Any) -> Array:
    """The result with a number that it starts from, in the result's dtype."""
    if initial is None:
        return result
    return join(result, _core.astype(asarray(initial), result.dtype))


def sum(
    x: Any, /, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False, *,
    initial: Any = None, where: Any = True,
) -> Array:
    """The sum; of integers and bools in 64 bits unless told, or in the dtype of `out` if that is one of integers."""
    dtype = _dtype_of(out) if dtype is None else dtype
    result = _accumulate(_core.sum, x, axis, dtype, None, keepdims, where, 0)
    return store(_joined(_core.add, result, initial), out)


def prod(
    x: Any, /, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False, *,
    initial: Any = None, where: Any = True,
) -> Array:
    """The product; of integers and bools in 64 bits unless told, or in the dtype of `out` if that is one of integers."""
    dtype = _dtype_of(out) if dtype is None else dtype
    result = _accumulate(_core.prod, x, axis, dtype, None, keepdims, where, 1)
    return store(_joined(_core.multiply, result, initial), out)


def _extremum(op: Any, join: Any, x: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any) -> Array:
    x = asarray(x)
    if where is not True:
        if initial is None:
            raise ValueError("max, min: `where` needs `initial`, since there may be nothing left")
        x = _core.where(where, x, initial)
    if initial is not None and x.size == 0:
        shape = _core.sum(x, axis, keepdims).shape
        return store(_core.full(shape, initial, x.dtype, x.device), out)
    result = op(x, axis, keepdims)
    return store(_joined(join, result, initial), out)


def max(
    x: Any, /, axis: Axis = None, out: Any = None, keepdims: builtins.bool = False, *, initial: Any = None,
    where: Any = True,
) -> Array:
    """The largest; NaN if any is."""
    return _extremum(_core.max, _core.maximum, x, axis, out, keepdims, initial, where)


def min(
    x: Any, /, axis: Axis = None, out: Any = None, keepdims: builtins.bool = False, *, initial: Any = None,
    where: Any = True,
) -> Array:
    """The smallest; NaN if any is."""
    return _extremum(_core.min, _core.minimum, x, axis, out, keepdims, initial, where)


def ptp(x: Any, /, axis: Axis = None, out: Any = None, keepdims: builtins.bool = False) -> Array:
    """The largest less the smallest."""
    x = asarray(x)
    return store(_core.subtract(_core.max(x, axis, keepdims), _core.min(x, axis, keepdims)), out)


def any(x: Any, /, axis: Axis = None, out: Any = None, keepdims: builtins.bool = False, *, where: Any = True) -> Array:
    """Whether some element is not zero."""
    return store(_core.any(_masked(asarray(x), where, False), axis, keepdims), out)


def all(x: Any, /, axis: Axis = None, out: Any = None, keepdims: builtins.bool = False, *, where: Any = True) -> Array:
    """Whether no element is zero."""
    return store(_core.all(_masked(asarray(x), where, True), axis, keepdims), out)


def count_nonzero(x: Any, /, axis: Axis = None, *, keepdims: builtins.bool = False) -> Array:
    """How many elements are not zero."""
    return _core.count_nonzero(asarray(x), axis, keepdims)


def argmax(x: Any, /, axis: int | None = None, out: Any = None, *, keepdims: builtins.bool = False) -> Array:
    """The position of the first largest, in the flat array without an axis."""
    return store(_core.argmax(asarray(x), axis, keepdims), out, same_dtype=True)


def argmin(x: Any, /, axis: int | None = None, out: Any = None, *, keepdims: builtins.bool = False) -> Array:
    """The position of the first smallest, in the flat array without an axis."""
    return store(_core.argmin(asarray(x), axis, keepdims), out, same_dtype=True)


def mean(
    x: Any, /, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False, *,
    where: Any = True,
) -> Array:
    """The arithmetic mean; float64 for integers and bools."""
    x = asarray(x)
    if dtype is not None:
        x = _core.astype(x, _core.dtype(dtype))
    if where is not True:
        where = asarray(where)
        count = _core.sum(_core.broadcast_to(where, x.shape), axis, keepdims)
        return store(_core.divide(_core.sum(_masked(x, where, 0), axis, keepdims), count), out)
    result = _core.mean(x, axis, keepdims)
    return store(result if dtype is None else _core.astype(result, _core.dtype(dtype)), out)


def _spread(op: Any, x: Any, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: Any, correction: Any) -> Array:
    x = asarray(x)
    if dtype is not None:
        x = _core.astype(x, _core.dtype(dtype))
    if correction and ddof:
        raise ValueError("var, std: ddof and correction are the same: got both")
    return store(op(x, axis, float(correction or ddof), keepdims), out)


def var(
    x: Any, /, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: builtins.bool = False,
    *, correction: float = 0.0,
) -> Array:
    """The mean squared distance to the mean, over count - correction."""
    return _spread(_core.var, x, axis, dtype, out, ddof, keepdims, correction)


def std(
    x: Any, /, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: builtins.bool = False,
    *, correction: float = 0.0,
) -> Array:
    """The square root of var()."""
    try:
        return _spread(_core.std, x, axis, dtype, out, ddof, keepdims, correction)
    except Exception as error:
        raise named(error, "std") from None


def average(
    a: Any, axis: Axis = None, weights: Any = None, returned: builtins.bool = False, *, keepdims: builtins.bool = False
) -> Any:
    """The mean, weighted if weights are given."""
    a = asarray(a)
    if weights is None:
        result = _core.mean(a, axis, keepdims)
        total = _core.full(result.shape, a.size / builtins.max(result.size, 1), result.dtype, a.device)
    else:
        weights = asarray(weights)
        if weights.shape != a.shape:
            if not isinstance(axis, int) or weights.ndim != 1:
                raise TypeError("average: weights of another shape are one vector along one axis")
            if weights.shape[0] != a.shape[axis]:
                raise ValueError(f"average: weights must be as long as the axis: got {weights.shape} for {a.shape}")
            extents = [1] * a.ndim
            extents[axis] = weights.shape[0]
            weights = _core.reshape(weights, extents)
        total = _core.sum(_core.broadcast_to(weights, a.shape), axis, keepdims)
        result = _core.divide(_core.sum(_core.multiply(a, weights), axis, keepdims), total)
    return (result, total) if returned else result


def logsumexp(x: Any, /, axis: Axis = None, *, keepdims: builtins.bool = False) -> Array:
    """log(sum(exp(x))) without overflow."""
    return _core.logsumexp(asarray(x), axis, keepdims)


def softmax(x: Any, /, axis: Axis = -1) -> Array:
    """exp(x) / sum(exp(x)) along an axis, without overflow."""
    return _core.softmax(asarray(x), axis)


def log_softmax(x: Any, /, axis: Axis = -1) -> Array:
    """The logarithm of softmax(), without overflow."""
    return _core.log_softmax(asarray(x), axis)
