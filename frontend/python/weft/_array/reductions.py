"""Statistics: reductions over any set of axes, all of them unless told."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._array.picked_later import Picked
from weft._array.shaping import moveaxis, normalized
from weft._base.arguments import no_value
from weft._base.asarray import asarray
from weft._base.errors import named
from weft._base.operands import mask_of, start_of
from weft._base.out import cast_into, given_out, store, value_of_rank_0
from weft._base.recorded import recording

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

    Axis = int | tuple[int, ...] | None


def _masked(x: Array, where: Any, identity: Any) -> Array:
    if where is True:
        return x
    where = mask_of("where", where)
    masked = _core.where(where, x, identity)
    if masked.shape != x.shape:
        raise ValueError(f"where: broadcasts to what is reduced, {x.shape}: got {asarray(where).shape}")
    return masked


def _of_picked(name: str, x: Picked, axis: Any, keepdims: Any, **options: Any) -> Any:
    """What the method of this name gives of what a mask picks whose value is not known yet."""
    return getattr(x, name)(axis, keepdims=keepdims, **{key: one for key, one in options.items() if one is not no_value})


def with_out(x: Array, out: Any) -> Array:
    """What a reduction into `out` reduces: x in the dtype that holds both."""
    if out is None:
        return x
    out = given_out(out)
    return x if out is None or out.dtype == x.dtype else _core.astype(x, _core.promote(x.dtype, out.dtype))


def _accumulate(
    name: str, op: Any, join: Any, x: Any, axis: Any, dtype: Any, out: Any, keepdims: Any, initial: Any, where: Any, identity: Any
) -> Array:
    """The reduction, begun with `initial`, not yet written to `out`."""
    x = asarray(x)
    if dtype is not None:
        dtype = _core.dtype(dtype)
        x = _core.astype(x, dtype)
    else:
        x = with_out(x, out)
    if initial is None and where is not True:
        raise ValueError(f"{name}: with no number to start from there may be nothing left of what `where` picks: got initial=None")
    if initial is not None and initial is not no_value and where is not True and x.dtype.kind in "fcV" and not identity:
        identity = -0.0  # which leaves a start of -0.0 what it is
    result = op(_masked(x, where, identity), axis, keepdims)
    result = result if dtype is None else _core.astype(result, dtype)
    if initial is no_value:
        return result
    if not x.size:
        if initial is None and result.size:
            raise ValueError(f"{name}: there is nothing to start from without elements: got shape {x.shape} and initial=None")
        return result if initial is None else _begun(result, start_of(name, initial, result.dtype, result.device))
    return result if initial is None else join(result, start_of(name, initial, result.dtype, result.device))


def _begun(result: Array, start: Array) -> Array:
    """The number that a reduction of nothing starts from, in the result's shape."""
    return _core.copy(_core.broadcast_to(start, result.shape)) if result.ndim else start


def sum(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False,
    initial: Any = no_value, where: Any = True,
) -> Array:
    """The sum; of integers and bools in 64 bits unless told, or in the dtype of `out` if that holds more."""
    if type(a) is Array and dtype is None and out is None and initial is no_value and where is True:
        return _core.sum(a, axis, keepdims)  # nearly always
    if type(a) is Picked:
        return _of_picked("sum", a, axis, keepdims, dtype=dtype, out=out, initial=initial, where=where)
    return cast_into(_accumulate("sum", _core.sum, _core.add, a, axis, dtype, out, keepdims, initial, where, 0), out)


def prod(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False,
    initial: Any = no_value, where: Any = True,
) -> Array:
    """The product; of integers and bools in 64 bits unless told, or in the dtype of `out` if that holds more."""
    if type(a) is Array and dtype is None and out is None and initial is no_value and where is True:
        return _core.prod(a, axis, keepdims)
    if type(a) is Picked:
        return _of_picked("prod", a, axis, keepdims, dtype=dtype, out=out, initial=initial, where=where)
    return cast_into(_accumulate("prod", _core.prod, _core.multiply, a, axis, dtype, out, keepdims, initial, where, 1), out)


def _complex_position(op: Any, x: Array, axis: Any, keepdims: Any) -> Array:
    """As argmax and argmin: complex numbers are ordered by their real parts, then by the imaginary ones; the first NaN comes before all."""
    most, worst = (_core.max, -float("inf")) if op is _core.argmax else (_core.min, float("inf"))
    re, im = _core.real(x), _core.imag(x)
    first = _core.equal(re, most(re, axis, True))
    there = _core.where(first, im, worst)
    last = _core.logical_and(first, _core.equal(there, most(there, axis, True)))
    nans = _core.isnan(x)
    last = _core.where(_core.any(nans, axis, True), nans, last)
    return _core.argmax(_core.broadcast_to(last, x.shape), axis, keepdims)


def _complex_extremum(op: Any, x: Array, axis: Any, keepdims: Any) -> Array:
    """The largest or smallest complex number over the axes."""
    if not x.ndim:
        return _core.sum(x, axis, keepdims)
    axes = range(x.ndim) if axis is None else (axis,) if hasattr(axis, "__index__") else axis
    places = sorted({normalized("max, min", one, x.ndim) for one in axes})
    if not builtins.all(x.shape[i] for i in places):
        raise ValueError("max, min: there is nothing to choose from without elements")
    if not x.size:
        return _core.sum(x, axis, keepdims)
    rest = [i for i in range(x.ndim) if i not in places]
    kept = [x.shape[i] for i in rest]
    rows = _core.reshape(_core.permute_dims(x, [*rest, *places]), (*kept, -1))
    position = _complex_position(_core.argmax if op is _core.max else _core.argmin, rows, -1, True)
    result = _core.take_along_axis(rows, position, -1)
    shape = [1 if i in places else n for i, n in enumerate(x.shape)] if keepdims else kept
    result = _core.reshape(result, shape)
    return result if shape else _core.as_value(result)


def _extremum(op: Any, join: Any, x: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any) -> Array:
    x = asarray(x)
    if out is None and initial is no_value and where is True and x.dtype.kind != "c":
        return op(x, axis, keepdims)
    x = with_out(x, out)
    start = None if initial is None or initial is no_value else start_of("max, min", initial, x.dtype, x.device)
    if where is not True:
        if start is None:
            raise ValueError("max, min: `where` needs `initial`, since there may be nothing left")
        x = _masked(x, where, start)
    if start is not None and x.size == 0:
        return cast_into(_begun(_core.sum(x, axis, keepdims), start), out)
    result = op(x, axis, keepdims) if x.dtype.kind != "c" else _complex_extremum(op, x, axis, keepdims)
    return cast_into(result if start is None else join(result, start), out)


def max(
    a: Any, axis: Axis = None, out: Any = None, keepdims: builtins.bool = False, initial: Any = no_value,
    where: Any = True,
) -> Array:
    """The largest; NaN if any is."""
    if type(a) is Array and out is None and initial is no_value and where is True and a.dtype.kind != "c":
        return _core.max(a, axis, keepdims)  # nearly always
    if type(a) is Picked:
        return _of_picked("max", a, axis, keepdims, out=out, initial=initial, where=where)
    return _extremum(_core.max, _core.maximum, a, axis, out, keepdims, initial, where)


def min(
    a: Any, axis: Axis = None, out: Any = None, keepdims: builtins.bool = False, initial: Any = no_value,
    where: Any = True,
) -> Array:
    """The smallest; NaN if any is."""
    if type(a) is Array and out is None and initial is no_value and where is True and a.dtype.kind != "c":
        return _core.min(a, axis, keepdims)
    if type(a) is Picked:
        return _of_picked("min", a, axis, keepdims, out=out, initial=initial, where=where)
    return _extremum(_core.min, _core.minimum, a, axis, out, keepdims, initial, where)


def ptp(a: Any, axis: Axis = None, out: Any = None, keepdims: builtins.bool = False) -> Array:
    """The largest less the smallest."""
    if type(a) is Picked:
        return _of_picked("max", a, axis, keepdims, out=out) - _of_picked("min", a, axis, keepdims)
    x = asarray(a)
    out = given_out(out)
    largest = max(x, axis, None, keepdims)
    if out is not None:
        largest = _core.astype(largest, out.dtype)
    return store(_core.subtract(largest, min(x, axis, None, keepdims)), out)


def any(a: Any, axis: Axis = None, out: Any = None, keepdims: builtins.bool = False, *, where: Any = True) -> Array:
    """Whether some element is not zero."""
    if type(a) is Array and out is None and where is True:
        return _core.any(a, axis, keepdims)
    if type(a) is Picked:
        return _of_picked("any", a, axis, keepdims, out=out, where=where)
    return cast_into(_core.any(_masked(asarray(a), where, False), axis, keepdims), out)


def all(a: Any, axis: Axis = None, out: Any = None, keepdims: builtins.bool = False, *, where: Any = True) -> Array:
    """Whether no element is zero."""
    if type(a) is Array and out is None and where is True:
        return _core.all(a, axis, keepdims)
    if type(a) is Picked:
        return _of_picked("all", a, axis, keepdims, out=out, where=where)
    return cast_into(_core.all(_masked(asarray(a), where, True), axis, keepdims), out)


def count_nonzero(a: Any, axis: Axis = None, *, keepdims: builtins.bool = False) -> Array:
    """How many elements are not zero."""
    if type(a) is Picked:
        return _of_picked("sum", a != 0, axis, keepdims)  # type: ignore[arg-type]
    return _core.count_nonzero(asarray(a), axis, keepdims)


def _position(op: Any, x: Any, axis: Any, out: Any, keepdims: Any) -> Array:
    if isinstance(axis, (list, tuple)):
        raise TypeError(f"argmax, argmin: axis is an integer: got {axis!r}")
    x, keepdims = asarray(x), builtins.bool(keepdims)
    found = op(x, axis, keepdims) if x.dtype.kind != "c" else _complex_position(op, x, axis, keepdims)
    if out is None:
        return found
    to = given_out(out)
    if to is not None and to.dtype.kind in "biu":
        return cast_into(found, to)
    return store(found, out, same_dtype=True)


def argmax(a: Any, axis: int | None = None, out: Any = None, *, keepdims: builtins.bool = False) -> Array:
    """The position of the first largest, in the flat array without an axis."""
    if type(a) is Array and out is None and (axis is None or type(axis) is int) and type(keepdims) is builtins.bool and a.dtype.kind != "c":
        return _core.argmax(a, axis, keepdims)
    return _position(_core.argmax, a, axis, out, keepdims)


def argmin(a: Any, axis: int | None = None, out: Any = None, *, keepdims: builtins.bool = False) -> Array:
    """The position of the first smallest, in the flat array without an axis."""
    if type(a) is Array and out is None and (axis is None or type(axis) is int) and type(keepdims) is builtins.bool and a.dtype.kind != "c":
        return _core.argmin(a, axis, keepdims)
    return _position(_core.argmin, a, axis, out, keepdims)


def _count_over(x: Array, reduced: Array) -> int:
    """How many elements of x each of the reduced ones is made of."""
    return x.size // builtins.max(reduced.size, 1)


def _divided(total: Array, count: Any, out: Any) -> Array:
    """total / count, as NumPy writes it to `out`: the total first, and what it is there is divided."""
    to = given_out(out)
    if to is not None and to.dtype != total.dtype:
        total = _core.astype(total, to.dtype)
    return cast_into(_core.divide(total, count), out)


def mean(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False, *,
    where: Any = True,
) -> Array:
    """The arithmetic mean; float64 for integers and bools."""
    if type(a) is Array and dtype is None and out is None and where is True:
        return _core.mean(a, axis, keepdims)
    if type(a) is Picked:
        return _of_picked("mean", a, axis, keepdims, dtype=dtype, out=out, where=where)
    x = asarray(a)
    if dtype is not None:
        x = _core.astype(x, _core.dtype(dtype))
    if where is not True:
        where = mask_of("mean", where)
        count = _core.sum(_core.broadcast_to(where, x.shape), axis, keepdims)
        summed = "float64" if dtype is None and x.dtype.kind in "biu" else "float32" if str(x.dtype) in ("float16", "bfloat16") else x.dtype
        total = _core.sum(_masked(_core.astype(x, _core.dtype(summed)), where, 0), axis, keepdims)
        count = _core.astype(count, total.dtype) if total.dtype.kind in "fcV" else count
        if out is not None:
            return _divided(total, count, out)
        result = _core.divide(total, count)
        return _core.astype(result, x.dtype) if dtype is not None or x.dtype.kind in "fcV" else result
    result = _core.mean(x, axis, keepdims)
    if dtype is not None:
        result = _core.astype(result, _core.dtype(dtype))
    out = given_out(out)
    if out is None or out.dtype == result.dtype:
        return store(result, out)
    total = _core.sum(with_out(x if dtype is not None else _core.astype(x, result.dtype), out), axis, keepdims)
    return _divided(total, _count_over(x, result), out)


def _spread_of(op: str, x: Array, axis: Any, correction: float, keepdims: Any, where: Any, mean: Any, out: Any = None) -> Array:
    """The variance of the elements where a condition holds, about a mean that may be given; divided in `out` if there is one."""
    if x.dtype.kind in "biu":
        x = _core.astype(x, _core.dtype("float64"))
    if where is not True:
        where = _core.broadcast_to(mask_of(op, where), x.shape)
        x = _masked(x, where, 0)  # so that no derivative meets what is left out
        count: Any = _core.sum(where, axis, keepdims)
    else:
        count = x.size // builtins.max(_core.sum(x, axis, False).size, 1)
    if mean is None:
        total = _core.sum(x, axis, True)
        mean = _core.divide(total, count if where is True else _core.sum(where, axis, True))
    away = _core.subtract(x, mean)
    squares = _core.multiply(away, away) if x.dtype.kind != "c" else _core.square(_core.real(away)) + _core.square(_core.imag(away))
    left = _core.maximum(_core.subtract(count, correction), 0) if where is not True else builtins.max(count - correction, 0)
    total = _core.sum(_masked(squares, where, 0), axis, keepdims)
    if out is not None:
        return _divided(total, left, out)
    result = _core.divide(total, left)
    part = {"complex64": "float32", "complex128": "float64"}.get(str(x.dtype))
    result = _core.astype(result, x.dtype if part is None else _core.dtype(part))
    return _core.sqrt(result) if op == "std" else result


def correction_of(op: str, ddof: Any, correction: Any) -> float:
    """What is taken from the count: `correction`, or NumPy's `ddof`, of which 0 may be given beside it."""
    if correction is not no_value and not (isinstance(ddof, (int, float)) and ddof == 0):
        raise ValueError(f"{op}: ddof and correction are the same: got both")
    name, given = ("ddof", ddof) if correction is no_value else ("correction", correction)
    if not hasattr(given, "__float__") or isinstance(given, (Array, str)) and getattr(given, "ndim", 1):
        raise TypeError(f"{op}: {name} is a number: got {given!r}")
    return float(given)


def _spread(op: str, x: Any, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: Any, correction: Any, where: Any, mean: Any) -> Array:
    x = asarray(x)
    to = None if dtype is None else _core.dtype(dtype)
    if to is not None:
        if to.kind in "biu" or (to.kind != "c" and x.dtype.kind == "c"):
            raise TypeError(f"{op}: of {x.dtype} dtype is one of {'complex numbers' if x.dtype.kind == 'c' else 'floats'}: got {to}")
        x = _core.astype(x, to)
    correction = correction_of(op, ddof, correction)
    out = given_out(out)
    if op == "var" and out is not None and out.dtype.kind in "biu":
        return _spread_of(op, x, axis, correction, keepdims, where, mean, out)
    if where is not True or mean is not None:
        result = _spread_of(op, x, axis, correction, keepdims, where, mean)
    else:
        result = getattr(_core, op)(x, axis, 0.0 if correction != correction else correction, keepdims)
        if correction != correction:
            result = _core.multiply(result, correction)
    return store(result if to is None else _core.astype(result, to), out)


def var(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: builtins.bool = False,
    *, correction: float = no_value, where: Any = True, mean: Any = None,
) -> Array:
    """The mean squared distance to the mean, which may be given with its axes kept, over count - correction."""
    if type(a) is Picked:
        return _of_picked("var", a, axis, keepdims, dtype=dtype, out=out, ddof=ddof, correction=correction, where=where, mean=mean)
    return _spread("var", a, axis, dtype, out, ddof, keepdims, correction, where, mean)


def std(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: builtins.bool = False,
    *, correction: float = no_value, where: Any = True, mean: Any = None,
) -> Array:
    """The square root of var()."""
    if type(a) is Picked:
        return _of_picked("std", a, axis, keepdims, dtype=dtype, out=out, ddof=ddof, correction=correction, where=where, mean=mean)
    try:
        return _spread("std", a, axis, dtype, out, ddof, keepdims, correction, where, mean)
    except Exception as error:
        raise named(error, "std") from None


def average(
    a: Any, axis: Axis = None, weights: Any = None, returned: builtins.bool = False, *, keepdims: builtins.bool = False
) -> Any:
    """The mean, weighted if weights are given; ZeroDivisionError where those, which are looked at, sum to zero."""
    if type(a) is Picked and not returned:
        if weights is None:
            return _of_picked("mean", a, axis, keepdims)
        if type(weights) is not Picked:
            return a.refuse("average() with weights that the mask does not pick")
        return _of_picked("sum", a * weights, axis, keepdims) / _of_picked("sum", weights, axis, keepdims)
    a = asarray(a)
    if axis is not None:
        axis = tuple(normalized("average", one, a.ndim) for one in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if weights is None:
        result = _core.mean(a, axis, keepdims)
        if not result.size:
            raise ZeroDivisionError(f"average: there are no means to take: got shape {a.shape}")
        total = _core.full(result.shape, a.size / builtins.max(result.size, 1), result.dtype, a.device)
        return (result, value_of_rank_0(total)) if returned else result
    weights = asarray(weights)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError(f"average: weights of another shape belong to axes, which must be given: got {weights.shape} for {a.shape}")
        axes = list(axis)
        if weights.shape != tuple(a.shape[one] for one in axes):
            raise ValueError(f"average: weights must be as long as the axes: got {weights.shape} for {a.shape}")
        weights = _core.reshape(weights, weights.shape + (1,) * (a.ndim - len(axes)))
        weights = moveaxis(weights, tuple(range(len(axes))), tuple(axes))
    dtype = _core.promote(a.dtype, weights.dtype)
    if a.dtype.kind in "biu":
        dtype = _core.promote(dtype, _core.dtype("float64"))
    weights = _core.astype(weights, dtype)
    total = _core.sum(weights, axis, keepdims)
    result = _core.divide(_core.sum(_core.multiply(a, weights), axis, keepdims), total)
    if recording.get() is None:
        _core.eval([result, total])
        if builtins.bool(_core.any(_core.equal(total, 0), None, False)):
            raise ZeroDivisionError("average: weights must not sum to zero")
    return (result, _core.copy(_core.broadcast_to(total, result.shape))) if returned else result


def logsumexp(x: Any, /, axis: Axis = None, *, keepdims: builtins.bool = False) -> Array:
    """log(sum(exp(x))) without overflow."""
    return _core.logsumexp(asarray(x), axis, keepdims)


def softmax(x: Any, /, axis: Axis = -1) -> Array:
    """exp(x) / sum(exp(x)) along an axis, without overflow."""
    return _core.softmax(asarray(x), axis)


def log_softmax(x: Any, /, axis: Axis = -1) -> Array:
    """The logarithm of softmax(), without overflow."""
    return _core.log_softmax(asarray(x), axis)
