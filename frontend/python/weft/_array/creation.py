"""New arrays: from values, from numbers, from nothing."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array, Error
from weft._base.arguments import copies, no_value, whole
from weft._base.asarray import asarray, heed, named_device, viewable
from weft._base.dtypes import result_type
from weft._base.errors import named
from weft._base.given import alone, known
from weft._base.host import answered
from weft._base.recorded import of_arguments

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Sequence

    Shape = int | Sequence[int]


def _laid_out(op: str, order: Any, like: Any) -> None:
    """Refuses what NumPy refuses as the order of a new array."""
    if (like is not None or type(order) is not str or order != "C") and heed(op, order, like) in ("A", "K"):
        raise ValueError(f"{op}: order is 'C' or 'F': got {order!r}")


def _stays_numpys(object: Any, dtype: Any) -> builtins.bool:
    """Whether it holds what no dtype of Weft holds, nor a number of another kind: text, dates and times, records, and objects where they are asked for."""
    import numpy

    try:
        found = numpy.asarray(object, dtype).dtype
    except (TypeError, ValueError):
        return False
    return found.kind in "USMm" or found.names is not None or (found.kind == "O" and dtype is not None)


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: builtins.bool | None = True,
    order: str | None = "K",
    subok: builtins.bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
    like: Any = None,
    device: Any = None,
) -> Array:
    """A new array of what `object` holds, of at least `ndmin` axes. Of text, dates and records, which no dtype of Weft holds, it is NumPy's."""
    if ndmax:
        raise TypeError(f"array: there are no arrays of objects that would end nested sequences at `ndmax` axes: got {ndmax}")
    if ndmin > 64:
        raise ValueError(f"array: there are at most 64 axes in NumPy: got ndmin={ndmin}")
    try:
        result = asarray(object, dtype, order, device=device, copy=copy, like=like)
    except (TypeError, ValueError) as error:
        if isinstance(error, TypeError) and device is None and like is None and _stays_numpys(object, dtype):
            import numpy

            return numpy.array(object, dtype, copy=copy, order=order, ndmin=ndmin)  # type: ignore[return-value]
        if not str(error).startswith("asarray: "):
            raise
        raise type(error)(str(error).replace("asarray: ", "array: ", 1)) from None
    if result.ndim < ndmin:
        result = _core.reshape(result, (1,) * (ndmin - result.ndim) + result.shape)
    return result


def asanyarray(
    a: Any, dtype: Any = None, order: str | None = None, *, device: Any = None, copy: builtins.bool | None = None, like: Any = None
) -> Array:
    """As asarray()."""
    return asarray(a, dtype, order, device=device, copy=copy, like=like)


def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Array:
    """An array of at least one axis, whose elements lie row by row: a copy where they do not."""
    result = asarray(a, dtype, "C", like=like)
    return result if result.ndim else _core.reshape(result, (1,))


def copy(a: Any, order: str = "K", subok: builtins.bool = False) -> Array:
    """A copy, of a value too an array that can be written; it costs nothing before one of the two is written."""
    heed("copy", order, None)
    return _core.copy(_core.as_array(a)) if isinstance(a, Array) else asarray(a, copy=True)


def _full(shape: Any, value: Any, dtype: Any, device: Any) -> Array:
    value = alone(value) if dtype is None or _core.dtype(dtype).kind in "fcV" else known(value)
    if not isinstance(value, (builtins.bool, int, float, complex)):
        value = asarray(value, dtype if value is None or isinstance(value, (str, bytes)) else None)
        # A value that has a dtype is converted from it, as an assignment converts it; it need not fit.
        filled = zeros(shape, dtype=value.dtype if dtype is None else dtype, device=device)
        filled[...] = value
        return filled
    dtype = None if dtype is None else _core.dtype(dtype)
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        if dtype is None or dtype.kind in "iu":
            raise OverflowError(f"full: no integer dtype holds the number: got {value}")
        value = float(value)
    return _core.full(shape, value, dtype, named_device(device))


def full(
    shape: Shape, fill_value: Any, dtype: Any = None, order: str | None = "C", *, device: Any = None, like: Any = None
) -> Array:
    """An array of one value; the dtype is the value's unless given."""
    _laid_out("full", order, like)
    return _full(shape, fill_value, dtype, device)


def _of_number(op: str, shape: Any, value: float, dtype: Any, device: Any) -> Array:
    try:
        return _core.full(shape, value, None if dtype is None else _core.dtype(dtype), "" if device is None else named_device(device))
    except (Error, TypeError, ValueError) as error:
        raise (named(error, op) if str(error).startswith("full: ") else error) from None


def zeros(shape: Shape, dtype: Any = None, order: str | None = "C", *, device: Any = None, like: Any = None) -> Array:
    """An array of zeros, float64 unless told."""
    _laid_out("zeros", order, like)
    return _of_number("zeros", shape, 0.0, dtype, device)


def ones(shape: Shape, dtype: Any = None, order: str | None = "C", *, device: Any = None, like: Any = None) -> Array:
    """An array of ones, float64 unless told."""
    _laid_out("ones", order, like)
    return _of_number("ones", shape, 1.0, dtype, device)


def empty(shape: Shape, dtype: Any = None, order: str | None = "C", *, device: Any = None, like: Any = None) -> Array:
    """An array of no particular values (in fact zeros), float64 unless told."""
    _laid_out("empty", order, like)
    return _of_number("empty", shape, 0.0, dtype, device)


def _like(x: Any, value: Any, dtype: Any, shape: Any, device: Any) -> Array:
    if type(x) is Array and dtype is None and shape is None and device is None and type(value) is int:
        return _core.full(x.shape, value, x.dtype, x.device)  # nearly always
    x = asarray(x)
    return _full(
        x.shape if shape is None else shape, value, x.dtype if dtype is None else dtype, device or x.device
    )


def zeros_like(
    a: Any, dtype: Any = None, order: str | None = "K", subok: builtins.bool = True, shape: Any = None, *, device: Any = None
) -> Array:
    """Zeros of a's shape, dtype and device unless told."""
    heed("zeros_like", order, None)
    if subok is not True:
        whole("zeros_like", subok, "subok is True or False")
    return _like(a, 0, dtype, shape, device)


def ones_like(
    a: Any, dtype: Any = None, order: str | None = "K", subok: builtins.bool = True, shape: Any = None, *, device: Any = None
) -> Array:
    """Ones of a's shape, dtype and device unless told."""
    heed("ones_like", order, None)
    if subok is not True:
        whole("ones_like", subok, "subok is True or False")
    return _like(a, 1, dtype, shape, device)


def empty_like(
    prototype: Any, dtype: Any = None, order: str | None = "K", subok: builtins.bool = True, shape: Any = None, *, device: Any = None
) -> Array:
    """An array of no particular values (in fact zeros) of the prototype's shape, dtype and device unless told."""
    heed("empty_like", order, None)
    if subok is not True:
        whole("empty_like", subok, "subok is True or False")
    return _like(prototype, 0, dtype, shape, device)


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str | None = "K", subok: builtins.bool = True, shape: Any = None, *,
    device: Any = None,
) -> Array:
    """One value in a's shape, dtype and device unless told."""
    heed("full_like", order, None)
    whole("full_like", subok, "subok is True or False")
    return _like(a, fill_value, dtype, shape, device)


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, Array) and value.ndim == 0 else value


def _is_typed(value: Any) -> bool:
    """Whether it is one value that has a dtype."""
    return hasattr(value, "dtype") and not getattr(value, "ndim", 0)


def arange(
    start_or_stop: Any = no_value, /, stop: Any = None, step: Any = 1, dtype: Any = None, *, start: Any = no_value, device: Any = None,
    like: Any = None,
) -> Array:
    """start, start + step, … before stop; from 0 when one bound is given. Integers unless a number is not; those of a
    narrow dtype that holds the first two go around at its limits."""
    if type(start_or_stop) is int and stop is None and type(step) is int and step == 1 and dtype is None and start is no_value and device is None and like is None:
        return _core.arange(0, start_or_stop, 1, None, "")  # nearly always
    heed("arange", None, like)
    if start is not no_value and start_or_stop is not no_value:
        raise TypeError("arange: start is given twice")
    first = start_or_stop if start is no_value else start
    if stop is None:
        if start_or_stop is no_value:
            raise TypeError("arange: needs a bound to stop at: got none")
        first, stop = no_value, start_or_stop
    start, stop, step = _number(0 if first is no_value else first), _number(stop), _number(step)
    step = 1 if step is None else step
    if isinstance(step, (int, float)) and not step:
        raise ZeroDivisionError("arange: the step must not be zero")
    for what, value in (("start", start), ("stop", stop), ("step", step)):
        if isinstance(value, (str, list, tuple)) or getattr(value, "ndim", 0) or not hasattr(value, "__mul__"):
            raise TypeError(f"arange: {what} is a number: got {value!r}")
    to = None if dtype is None else _core.dtype(dtype)
    if to is not None and to.kind in "iu" and to.itemsize < 8 and builtins.all(type(one) is int for one in (start, stop, step)):
        least, most = -(to.kind == "i") << 8 * to.itemsize - 1, (1 << 8 * to.itemsize - (to.kind == "i")) - 1
        if builtins.all(least <= one <= most for one in (start, start + step)):
            return _core.astype(_core.arange(start, stop, step, None, named_device(device)), to)
    return _core.arange(start, stop, step, to, named_device(device))


def _between(start: Any, stop: Any, num: int, endpoint: builtins.bool, dtype: Any, axis: int) -> tuple[Array, Array]:
    """linspace() and its step, of arrays whose values are not looked at."""
    if num < 0:
        raise ValueError(f"linspace: the count must not be negative: got {num}")
    real = result_type(start, stop, 0.0)
    first, last = (_core.astype(asarray(one), real) for one in (start, stop))
    apart = _core.subtract(last, first)
    at = _core.reshape(_core.arange(0, num, 1, None, apart.device), (num, *(1,) * apart.ndim))
    if steps := num - 1 if endpoint else num:
        step = _core.divide(apart, steps)
        values = _core.add(_core.multiply(_core.astype(at, real), step), first)
    else:
        step = _core.full(apart.shape, float("nan"), real, apart.device)
        values = _core.broadcast_to(first, (num, *apart.shape))
    if endpoint and num > 1:
        values = _core.where(_core.equal(at, num - 1), last, values)
    values = values if dtype is None else _core.astype(values, _core.dtype(dtype))
    axis = axis + values.ndim if axis < 0 else axis
    return _core.permute_dims(values, [*range(1, axis + 1), 0, *range(axis + 1, values.ndim)]), step


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: builtins.bool = True,
    retstep: builtins.bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """`num` values evenly from start to stop; the last is stop itself when `endpoint`."""
    if of_arguments((start, stop)):
        values, step = _between(start, stop, whole("linspace", num, "the count is an integer"), builtins.bool(endpoint), dtype, axis)
        return (values, step) if retstep else values
    typed = [_is_typed(one) for one in (start, stop)]
    if dtype is None and any(typed) and all(has or isinstance(one, (int, float, complex)) for has, one in zip(typed, (start, stop))):
        dtype = result_type(start, stop, 0.0)
    start, stop, num, endpoint = _number(start), _number(stop), whole("linspace", num, "the count is an integer"), builtins.bool(endpoint)
    simple = isinstance(start, (int, float)) and isinstance(stop, (int, float)) and isinstance(axis, int) and not axis
    if simple and not retstep:
        return _core.linspace(start, stop, num, endpoint, None if dtype is None else _core.dtype(dtype), named_device(device))
    import numpy

    result = answered(numpy.linspace, start, stop, num, endpoint=endpoint, retstep=retstep, dtype=dtype, axis=axis)
    if device is None:
        return result
    return (asarray(result[0], device=device), result[1]) if retstep else asarray(result, device=device)


def eye(
    N: int, M: int | None = None, k: int = 0, dtype: Any = None, order: str | None = "C", *, device: Any = None, like: Any = None
) -> Array:
    """Ones on the diagonal k above the main one, zeros elsewhere; float64 unless told."""
    _laid_out("eye", order, like)
    N, columns, k = (whole("eye", one, bools=False) for one in (N, N if M is None else M, k))
    if N < 0 or columns < 0:
        raise ValueError(f"eye: extents must not be negative: got {(N, columns)}")
    return _core.eye(N, columns, _diagonal("eye", k, N, columns), None if dtype is None else _core.dtype(dtype), named_device(device))


def _diagonal(op: str, k: Any, rows: int, columns: int) -> int:
    """The diagonal, or the first one outside of the matrix: k may have any size."""
    return min(max(whole(op, k), -rows), columns)


def identity(n: int, dtype: Any = None, *, like: Any = None) -> Array:
    """Ones on the diagonal of a square array."""
    return eye(n, dtype=dtype, like=like)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None, *, like: Any = None) -> Array:
    """Ones at and below the diagonal k, zeros above."""
    heed("tri", None, like)
    N, columns = (max(whole("tri", one), 0) for one in (N, N if M is None else M))
    return _core.tri(N, columns, _diagonal("tri", k, N, columns), None if dtype is None else _core.dtype(dtype), "")


def _rows(x: Any) -> Array:
    """The array; a vector as so many rows, as NumPy's masks of triangles have it."""
    x = asarray(x)
    return _core.broadcast_to(x, x.shape * 2) if x.ndim == 1 else x


def tril(m: Any, k: int = 0) -> Array:
    """What lies at and below the diagonal k of the last two axes, zeros above."""
    m = _rows(m)
    return _core.tril(m, _diagonal("tril", k, *m.shape[-2:]) if m.ndim > 1 else k)


def triu(m: Any, k: int = 0) -> Array:
    """What lies at and above the diagonal k of the last two axes, zeros below."""
    m = _rows(m)
    return _core.triu(m, _diagonal("triu", k, *m.shape[-2:]) if m.ndim > 1 else k)


def meshgrid(*arrays: Any, indexing: str = "xy", sparse: builtins.bool = False, copy: builtins.bool = True) -> tuple[Array, ...]:
    """Coordinate arrays of a grid, one for each vector of coordinates."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij': got {indexing!r}")
    vectors = [_core.reshape(asarray(a), (-1,)) for a in arrays]
    swap = indexing == "xy" and len(vectors) > 1
    order = [1, 0, *range(2, len(vectors))] if swap else list(range(len(vectors)))
    shape = [vectors[i].shape[0] for i in order]
    result = []
    for i, vector in enumerate(vectors):
        extents = [1] * len(vectors)
        extents[order.index(i)] = vector.shape[0]
        line = _core.reshape(vector, extents)
        line = line if sparse else _core.broadcast_to(line, shape)
        result.append(_core.copy(line) if copy else line)
    return tuple(result)


def astype(x: Array, dtype: Any, /, copy: builtins.bool = True, *, device: Any = None) -> Array:
    """x converted to a dtype: integers wrap, floats round to nearest even, floats to integers truncate."""
    if not isinstance(x, Array):
        if not hasattr(x, "__array_interface__"):
            raise TypeError(f"astype: takes an array: got {type(x).__name__}")
        x = viewable(x)
    to, copy = _core.dtype(dtype), copies("astype", copy)
    if to == x.dtype:
        result = _core.copy(x) if copy else x
    else:
        result = _core.astype(x, to)
    return result if device is None else _core.to_device(result, str(device))
