"""NumPy's functions of sorted and counted values, for arrays on a GPU: what is computed there instead of on the host.

Each has NumPy's signature, and gives NotImplemented for what it leaves to NumPy (_numpy/by_numpy.py).
"""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._array import sorting
from weft._base.asarray import asarray

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_i64 = "int64"


def _alike(device: str, *values: Any) -> list[Array]:
    """The arrays on the device, in the dtype that holds all of their values."""
    import numpy

    arrays = [asarray(one, device=device) for one in values]
    dtypes = {one.dtype for one in arrays}
    dtype = dtypes.pop() if len(dtypes) == 1 else numpy.result_type(*dtypes)
    return [_core.astype(one, dtype) for one in arrays]


def _flat(x: Array) -> Array:
    return _core.reshape(x, (-1,))


def _device(*values: Any) -> str:
    return next(one.device for one in values if sorting.is_recorded(one))


def sort(x: Array, axis: int = -1) -> Array:
    return sorting.sort(x, axis % x.ndim)


def argsort(x: Array, axis: int = -1) -> Array:
    return sorting.argsort(x, axis % x.ndim)


def partition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Array:
    if order is not None or not sorting.is_recorded(a):
        return NotImplemented
    a, axis = (a, axis) if axis is not None else (_flat(a), 0)
    if not _valid(kth, a, axis):
        return NotImplemented
    return sort(a, axis)


def argpartition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Array:
    if order is not None or not sorting.is_recorded(a):
        return NotImplemented
    a, axis = (a, axis) if axis is not None else (_flat(a), 0)
    if not _valid(kth, a, axis):
        return NotImplemented
    return argsort(a, axis)


def _valid(kth: Any, a: Array, axis: int) -> builtins.bool:
    return isinstance(kth, int) and -a.ndim <= axis < a.ndim and -a.shape[axis] <= kth < a.shape[axis]


def lexsort(keys: Any, axis: int = -1) -> Array:
    if not isinstance(keys, (list, tuple)) and not sorting.is_recorded(keys):
        return NotImplemented
    device = _device(*keys) if isinstance(keys, (list, tuple)) else keys.device
    keys = [asarray(one, device=device) for one in keys]
    if builtins.any(one.ndim == 0 or one.shape != keys[0].shape for one in keys):
        return NotImplemented
    axis %= keys[0].ndim
    order = argsort(keys[0], axis)
    for key in keys[1:]:
        order = _core.take_along_axis(order, argsort(_core.take_along_axis(key, order, axis), axis), axis)
    return order


def nonzero(a: Any) -> Any:
    return sorting.nonzero(a) if a.ndim else NotImplemented


def flatnonzero(a: Any) -> Array:
    return _core.true_positions(_core.not_equal(a, 0))


def argwhere(a: Any) -> Array:
    return _core.stack(list(sorting.nonzero(a)), 1) if a.ndim else NotImplemented


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
    if side not in ("left", "right"):
        return NotImplemented
    device = _device(a, v)
    a, v = _alike(device, a, v)
    if a.ndim != 1 or a.dtype.kind == "c":
        return NotImplemented
    if sorter is not None:
        a = a[sorter]
    return sorting.searchsorted(a, v, side == "right")


def digitize(x: Any, bins: Any, right: builtins.bool = False) -> Array:
    device = _device(x, bins)
    x, bins = _alike(device, x, bins)
    if bins.ndim != 1 or x.dtype.kind == "c":
        return NotImplemented
    side = "left" if right else "right"
    up, down = _core.all(_core.less_equal(bins[:-1], bins[1:]), None, False), _core.all(_core.greater_equal(bins[:-1], bins[1:]), None, False)
    _core.eval([up, down])
    if up:
        return searchsorted(bins, x, side)
    if down:
        return _core.subtract(bins.size, searchsorted(bins[::-1], x, side))
    return NotImplemented


def unique(
    ar: Any, return_index: builtins.bool = False, return_inverse: builtins.bool = False, return_counts: builtins.bool = False,
    axis: int | None = None, *, equal_nan: builtins.bool = True, sorted: builtins.bool = True,
) -> Any:
    if axis is not None:
        return NotImplemented
    asked = {"indices": return_index, "inverse": return_inverse, "counts": return_counts}
    found = sorting.unique(ar, " ".join(name for name, is_asked in asked.items() if is_asked), equal_nan)
    return tuple(found) if len(found) > 1 else found[0]


def isin(element: Any, test_elements: Any, assume_unique: builtins.bool = False, invert: builtins.bool = False, kind: Any = None) -> Array:
    found = sorting.isin(*_alike(_device(element, test_elements), element, test_elements))
    return _core.logical_not(found) if invert else found


def union1d(ar1: Any, ar2: Any) -> Array:
    one, two = _alike(_device(ar1, ar2), ar1, ar2)
    return unique(_core.concat([_flat(one), _flat(two)], 0))


def intersect1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False, return_indices: builtins.bool = False) -> Array:
    if return_indices:
        return NotImplemented
    one, two = _alike(_device(ar1, ar2), ar1, ar2)
    one = unique(one)
    return one[sorting.isin(one, two)]


def setdiff1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False) -> Array:
    one, two = _alike(_device(ar1, ar2), ar1, ar2)
    one = _flat(one) if assume_unique else unique(one)
    return one[_core.logical_not(sorting.isin(one, two))]


def setxor1d(ar1: Any, ar2: Any, assume_unique: builtins.bool = False) -> Array:
    one, two = _alike(_device(ar1, ar2), ar1, ar2)
    one, two = unique(one), unique(two)
    both = _core.concat([one[_core.logical_not(sorting.isin(one, two))], two[_core.logical_not(sorting.isin(two, one))]], 0)
    return sorting.sort(both, 0)


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Array:
    x = asarray(x, device=_device(x, weights))
    if x.ndim != 1 or x.dtype.kind not in "iu" or x.dtype == "uint64" or x.size == 0 or not isinstance(minlength, int) or minlength < 0:
        return NotImplemented
    least, most = _core.min(x, None, False), _core.max(x, None, False)
    _core.eval([least, most])
    if least.item() < 0:
        return NotImplemented
    bins = builtins.max(int(most.item()) + 1, minlength)
    if weights is None:
        return sorting.bincount(x, bins)
    weights = _core.astype(asarray(weights, device=x.device), _core.dtype("float64"))
    if weights.shape != x.shape:
        return NotImplemented
    sums = _core.full((bins,), 0, weights.dtype, x.device)
    sorting.add_by_position(sums, _core.astype(x, _i64), weights)
    return sums


def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    import numpy

    if weights is not None or isinstance(bins, str) or not sorting.on_device(a) or a.size == 0 or a.dtype.kind not in "iuf":
        return NotImplemented
    _core.check_look("histogram", a)
    bins = numpy.asarray(bins) if isinstance(bins, Array) else bins
    least, most = _core.min(a, None, False), _core.max(a, None, False)
    _core.eval([least, most])
    edges = numpy.histogram_bin_edges(numpy.asarray([least.item(), most.item()], a.dtype), bins, range)
    table, values = _alike(a.device, edges, _flat(a))
    at = _core.subtract(sorting.searchsorted(table, values, True), 1)
    count = edges.size - 1
    # The last edge belongs to the bin before it; a bin of its own takes what is in none.
    at = _core.where(_core.equal(values, table[-1]), count - 1, at)
    inside = _core.logical_and(_core.greater_equal(at, 0), _core.less_equal(values, table[-1]))
    counts = sorting.bincount(_core.where(inside, at, count), count + 1)[:count]
    edges = asarray(edges, device=a.device)
    if not density:
        return counts, edges
    return _core.divide(_core.divide(counts, _core.subtract(edges[1:], edges[:-1])), _core.sum(counts, None, False)), edges


def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: builtins.bool = False, keepdims: builtins.bool = False) -> Any:
    return _quantile(a, None, axis, out, keepdims)


def quantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: builtins.bool = False, method: str = "linear",
    keepdims: builtins.bool = False, *, weights: Any = None, interpolation: Any = None,
) -> Any:
    if weights is not None or interpolation is not None or method not in _methods:
        return NotImplemented
    return _quantile(a, q, axis, out, keepdims, method)


_exact = ("closest_observation", "higher", "inverted_cdf", "lower", "nearest")  # give one of the values
_methods = (*_exact, "averaged_inverted_cdf", "hazen", "interpolated_inverted_cdf", "linear", "median_unbiased", "midpoint", "normal_unbiased", "weibull")


def percentile(a: Any, q: Any, *args: Any, **options: Any) -> Any:
    return quantile(a, q / 100 if isinstance(q, (int, float)) else _core.divide(asarray(q), 100), *args, **options)


def _of_axes(a: Array, axes: Any, keepdims: builtins.bool, f: Any) -> Any:
    """f along one axis, of several as one."""
    if not all(isinstance(one, int) and -a.ndim <= one < a.ndim for one in axes) or len({one % a.ndim for one in axes}) != len(axes):
        return NotImplemented
    axes = {one % a.ndim for one in axes}
    kept = [one for one in builtins.range(a.ndim) if one not in axes]
    rows = _core.reshape(_core.permute_dims(a, [*kept, *sorted(axes)]), (*(a.shape[one] for one in kept), -1))
    result = f(rows, len(kept))
    if result is NotImplemented or not keepdims:
        return result
    behind = tuple(1 if one in axes else n for one, n in enumerate(a.shape))
    return _core.reshape(result, (*result.shape[: result.ndim - len(kept)], *behind))


def _quantile(a: Any, q: Any, axis: Any, out: Any, keepdims: builtins.bool, method: str = "linear") -> Any:
    """The values at these shares of the sorted ones, between two of them on the line that joins these; the median without shares."""
    import numpy

    if not sorting.is_recorded(a) or out is not None or a.size == 0 or a.dtype.kind not in "iuf":
        return NotImplemented
    if isinstance(axis, tuple):
        return _of_axes(a, axis, keepdims, lambda rows, last: _quantile(rows, q, last, None, False, method))
    if not isinstance(axis, (int, type(None))):
        return NotImplemented
    shares = numpy.asarray(0.5 if q is None else q, "float64")
    if not numpy.all((shares >= 0) & (shares <= 1)):
        return NotImplemented
    if axis is not None and not -a.ndim <= axis < a.ndim:
        return NotImplemented
    x, along = (_flat(a), 0) if axis is None else (a, axis % a.ndim)
    n = x.shape[along]
    ordered = _to_front(sorting.sort(x, along), along)
    is_weak = q is None or isinstance(q, (int, float))
    dtype = x.dtype if x.dtype.kind == "f" and is_weak or method in _exact else numpy.result_type(x.dtype, "float64")
    wide = _core.dtype("float32") if dtype.itemsize == 2 and method not in _exact else dtype
    # Of 0, 1, 2, … each method gives the place itself.
    at = shares.reshape(-1) * (n - 1) if method == "linear" else numpy.quantile(numpy.arange(n, dtype="float64"), shares.reshape(-1), method=method)
    low = numpy.floor(at).astype("int64")
    share = (at - low).reshape(-1, *(1,) * (x.ndim - 1))
    low, high, share = (asarray(one, device=a.device) for one in (low, numpy.minimum(low + 1, n - 1), share.astype(wide)))
    below, above = (_core.astype(_core.take(ordered, one, 0), wide) for one in (low, high))
    apart = _core.subtract(above, below)
    if q is None:
        result = _core.where(_core.equal(share, 0), below, _core.divide(_core.add(below, above), 2))
    elif method in _exact:
        result = below
    else:
        from_above = _core.subtract(above, _core.multiply(apart, _core.subtract(1, share)))
        result = _core.where(_core.less(share, 0.5), _core.add(below, _core.multiply(apart, share)), from_above)
    if x.dtype.kind == "f":
        result = _core.where(_core.isnan(ordered[-1:]), float("nan"), result)
    shape = x.shape[:along] + x.shape[along + 1 :]
    if keepdims:
        shape = (1,) * a.ndim if axis is None else (*x.shape[:along], 1, *x.shape[along + 1 :])
    result = _core.reshape(_core.astype(result, dtype), (*shares.shape, *shape))
    return result if result.ndim else _core.as_value(result)


def _to_front(x: Array, axis: int) -> Array:
    return _core.permute_dims(x, [axis, *(i for i in builtins.range(x.ndim) if i != axis)])
