"""NumPy's functions that look at values, of a compiled function's arguments, which have none: in terms of Weft's own ops.

Each has NumPy's signature and results, and gives NotImplemented where the result's shape depends on values. Those that a GPU has as well, sorts and searches, are in
_array/on_gpu.py.
"""

from __future__ import annotations

import builtins
import functools
import operator

from weft import _core
from weft._core import Array
from weft._array import sorting
from weft._array.creation import arange, linspace
from weft._array.elementwise import clip, where
from weft._array.products import dot
from weft._array.reductions import any as _any, max as _max, min as _min, sum as _sum
from weft._array.shaping import atleast_1d, atleast_2d, concat, moveaxis, normalized, reshape, squeeze, stack
from weft._base.asarray import asarray
from weft._base.dtypes import result_type
from weft._base.given import known
from weft._base.out import store

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_f64, _i64 = "float64", "int64"


def _as(x: Any, dtype: Any) -> Array:
    return _core.astype(asarray(x), _core.dtype(dtype))


# Differences and covariances


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    f = asarray(f)
    axes = tuple(range(f.ndim)) if axis is None else tuple(normalized("gradient", one, f.ndim) for one in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    steps = list(varargs) or [1.0] * len(axes)
    if len(varargs) == 1 and not _rank(varargs[0]):
        steps *= len(axes)
    if len(steps) != len(axes):
        raise TypeError(f"gradient: takes one distance, or one for each of {len(axes)} axes: got {len(varargs)}")
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order is 1 or 2: got {edge_order}")
    if f.dtype.kind not in "fc":
        f = _as(f, _f64)
    results = [moveaxis(_slope(moveaxis(f, along, 0), step, edge_order), 0, along) for along, step in zip(axes, steps)]
    return results[0] if len(results) == 1 else tuple(results)


def _rank(x: Any) -> int:
    return 0 if isinstance(x, (int, float, complex)) else asarray(x).ndim  # a number that is an argument is not asked for its value


def _slope(f: Array, step: Any, edge_order: int) -> Array:
    """The derivative along the first axis, by differences of neighbours."""
    n = f.shape[0]
    if n < edge_order + 1:
        raise ValueError(f"gradient: takes {edge_order + 1} elements at least along each axis: got {n}")
    at = step if isinstance(step, (int, float)) else asarray(step)
    if not _rank(at):
        inner = (f[2:] - f[:-2]) / (2.0 * at)
        if edge_order == 1:
            return concat([(f[1:2] - f[:1]) / at, inner, (f[-1:] - f[-2:-1]) / at])
        first = -1.5 / at * f[:1] + 2.0 / at * f[1:2] + -0.5 / at * f[2:3]
        return concat([first, inner, 0.5 / at * f[-3:-2] + -2.0 / at * f[-2:-1] + 1.5 / at * f[-1:]])
    if at.shape != (n,):
        raise ValueError(f"gradient: takes a coordinate for each of {n} elements: got {at.shape}")
    at = at if at.dtype.kind in "fc" else _as(at, _f64)
    d = reshape(at[1:] - at[:-1], (n - 1, *(1,) * (f.ndim - 1)))
    before, after = d[:-1], d[1:]
    inner = -after / (before * (before + after)) * f[:-2] + (after - before) / (before * after) * f[1:-1] + before / (after * (before + after)) * f[2:]
    if edge_order == 1:
        return concat([(f[1:2] - f[:1]) / d[:1], inner, (f[-1:] - f[-2:-1]) / d[-1:]])
    one, two = d[:1], d[1:2]
    first = -(2.0 * one + two) / (one * (one + two)) * f[:1] + (one + two) / (one * two) * f[1:2] - one / (two * (one + two)) * f[2:3]
    one, two = d[-2:-1], d[-1:]
    last = two / (one * (one + two)) * f[-3:-2] - (two + one) / (one * two) * f[-2:-1] + (2.0 * two + one) / (two * (one + two)) * f[-1:]
    return concat([first, inner, last])


def cov(
    m: Any, y: Any = None, rowvar: builtins.bool = True, bias: builtins.bool = False, ddof: Any = None, fweights: Any = None, aweights: Any = None,
    *, dtype: Any = None,
) -> Any:
    if fweights is not None and asarray(fweights).dtype.kind not in "iu":
        return NotImplemented  # whether they are whole depends on them
    m = asarray(m)
    given = [m] if y is None else [m, asarray(y)]
    if builtins.any(one.ndim > 2 for one in given):
        raise ValueError(f"cov: takes arrays of at most 2 axes: got {given[0].shape if given[0].ndim > 2 else given[-1].shape}")
    dtype = result_type(*given, _f64) if dtype is None else _core.dtype(dtype)
    rows = []
    for one in given:
        row = _as(atleast_2d(one), dtype)
        rows.append(row if rowvar or (one.ndim == 1 and one is m) or row.shape[0] == 1 else row.T)
    x = rows[0] if y is None else concat(rows, 0)
    ddof = (0 if bias else 1) if ddof is None else operator.index(known(ddof))
    w = None
    for weights in (fweights, aweights):
        if weights is not None:
            weights = _as(weights, _f64)
            if weights.shape != x.shape[1:]:
                raise ValueError(f"cov: takes a weight for each of {x.shape[1]} observations: got {weights.shape}")
            w = weights if w is None else w * weights
    if w is None:
        mean, left = _sum(x, 1, keepdims=True) / x.shape[1], builtins.max(x.shape[1] - ddof, 0)
    else:
        total = _sum(w)
        mean = _sum(x * w, 1, keepdims=True) / total
        left = total if ddof == 0 else total - ddof if aweights is None else total - ddof * _sum(w * _as(aweights, _f64)) / total
        left = where(left <= 0, 0.0, left)
    x = x - mean
    result = dot(x, _core.conj((x if w is None else x * w).T))
    result = result / left if isinstance(left, Array) or left else result * float("inf")
    return squeeze(result)


def corrcoef(x: Any, y: Any = None, rowvar: builtins.bool = True, *, dtype: Any = None) -> Array:
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    spread = _core.sqrt(_core.real(c.diagonal()))
    c = c / spread[:, None] / spread[None, :]
    if c.dtype.kind != "c":
        return clip(c, -1, 1)
    return clip(c.real, -1, 1) + 1j * clip(c.imag, -1, 1)


# Interpolation and filters


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Array:
    fp = asarray(fp)
    if fp.dtype.kind == "c":
        parts = [None if one is None else asarray(one) for one in (left, right)]
        real, imag = (interp(x, xp, of(fp), *(None if one is None else of(one) for one in parts), period=period) for of in (lambda z: z.real, lambda z: z.imag))
        return real + 1j * imag
    x, xp, fp = _as(x, _f64), _as(xp, _f64), _as(fp, _f64)
    if xp.ndim != 1 or xp.shape != fp.shape or not xp.size:
        raise ValueError(f"interp: takes as many values as points, of one axis: got {xp.shape} and {fp.shape}")
    if period is not None:
        if isinstance(period, (int, float)) and known(period) == 0:
            raise ValueError("interp: period is not 0")
        period = abs(period)
        x, xp, left, right = x % period, xp % period, None, None
        order = sorting.argsort(xp, 0)
        xp, fp = (_core.take(one, order, 0) for one in (xp, fp))
        xp, fp = concat([xp[-1:] - period, xp, xp[:1] + period]), concat([fp[-1:], fp, fp[:1]])
    n = xp.size
    found = sorting.searchsorted(xp, x, True) - 1  # the last point that is not beyond x
    at = clip(found, 0, builtins.max(n - 2, 0))
    here, there = (_core.take(xp, one, 0) for one in (at, clip(at + 1, 0, n - 1)))
    low, high = (_core.take(fp, one, 0) for one in (at, clip(at + 1, 0, n - 1)))
    slope = (high - low) / (there - here)
    result = slope * (x - here) + low
    # Where that is no number, as beside infinities, NumPy goes from the other end.
    back = slope * (x - there) + high
    result = where(_core.isnan(result), where(_core.logical_and(_core.isnan(back), low == high), low, back), result)
    result = where(x == here, low, result)
    result = where(found >= n - 1, fp[-1], result)
    result = where(x > xp[-1], fp[-1] if right is None else right, result)
    result = where(x < xp[0], fp[0] if left is None else left, result)
    return where(_core.isnan(x), x, result) if n > 1 else result


def convolve(a: Any, v: Any, mode: str = "full") -> Array:
    a, v = atleast_1d(asarray(a)), atleast_1d(asarray(v))
    if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size:
        raise ValueError(f"convolve: takes arrays of one axis that have elements: got {a.shape} and {v.shape}")
    return _slid(*((a, v) if a.size >= v.size else (v, a)), _mode("convolve", mode))


def correlate(a: Any, v: Any, mode: str = "valid") -> Array:
    a, v = atleast_1d(asarray(a)), atleast_1d(asarray(v))
    if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size:
        raise ValueError(f"correlate: takes arrays of one axis that have elements: got {a.shape} and {v.shape}")
    v = _core.conj(v) if v.dtype.kind == "c" else v
    if a.size >= v.size:
        return _slid(a, v[::-1], _mode("correlate", mode))
    return _slid(v, a[::-1], _mode("correlate", mode))[::-1]


def _mode(op: str, mode: Any) -> str:
    known_modes = ("valid", "same", "full")
    if mode in (0, 1, 2):
        return known_modes[mode]
    if not isinstance(mode, str) or mode not in known_modes:
        raise ValueError(f"{op}: mode is 'valid', 'same' or 'full': got {mode!r}")
    return mode


def _slid(a: Array, v: Array, mode: str) -> Array:
    """The sums of products with the shorter array, turned around, at every position."""
    dtype, n, m = result_type(a, v), a.size, v.size
    before = {"full": m - 1, "same": m // 2, "valid": 0}[mode]
    after = {"full": m - 1, "same": m - 1 - m // 2, "valid": 0}[mode]
    products = _core.windows(_core.pad(_as(a, dtype), [(before, after)], 0), m, 0) * _as(v, dtype)[::-1]
    return _any(products, -1) if dtype == "bool" else _sum(products, -1, dtype=dtype)


# Counts


def _edges(op: str, x: Array, bins: Any, limits: Any) -> Any:
    """The edges of bins, and how many bins these are; NotImplemented where values decide how many."""
    if isinstance(bins, str):
        return NotImplemented
    if getattr(bins, "ndim", None) == 1 or isinstance(bins, (list, tuple)):
        edges = asarray(bins)
        return edges, edges.size - 1
    count = operator.index(known(bins))
    if count < 1:
        raise ValueError(f"{op}: takes a bin at least: got {count}")
    dtype = result_type(x, _f64) if x.dtype.kind not in "f" else result_type(x, x)
    if limits is not None:
        low, high = (float(known(one)) for one in limits)
        if low > high:
            raise ValueError(f"{op}: the range ascends: got {low} to {high}")
        if low == high:
            low, high = low - 0.5, high + 0.5
        return linspace(low, high, count + 1, dtype=dtype, device=x.device), count
    if not x.size:
        return linspace(0.0, 1.0, count + 1, dtype=dtype, device=x.device), count
    low, high = _as(_min(x), dtype), _as(_max(x), dtype)
    equal = low == high
    low, high = where(equal, low - 0.5, low), where(equal, high + 0.5, high)
    at = _core.astype(arange(count, device=x.device), dtype)
    return concat([low + at * ((high - low) / count), reshape(high, (1,))]), count


def _bins(x: Array, edges: Array) -> tuple[Array, Array]:
    """Which bin each value is in, and whether it is in one; the last edge belongs to the bin before it."""
    dtype = result_type(x, edges)
    x, table = _as(x, dtype), _as(edges, dtype)
    count = edges.size - 1
    at = where(x == table[-1], count - 1, sorting.searchsorted(table, x, True) - 1)
    return clip(at, 0, count - 1), _core.logical_and(at >= 0, x <= table[-1])


def _counted(at: Array, inside: Array, count: int, weights: Any, dtype: Any) -> Array:
    """How often, or with which weight, each bin is there."""
    at = where(inside, at, count)  # of a bin of its own
    result = _core.full((count + 1,), 0, _core.dtype(dtype), at.device)
    _core.add_along_axis(result, at, 1 if weights is None else _as(weights, dtype), 0)
    return _core.copy(result[:count])


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    edges = _edges("histogram_bin_edges", _flat(a), bins, range)
    return edges if edges is NotImplemented else edges[0]


def _flat(x: Any) -> Array:
    return _core.reshape(asarray(x), (-1,))


def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    x = _flat(a)
    if x.dtype.kind == "b":
        x = _as(x, "uint8")
    if x.dtype.kind == "c" or (found := _edges("histogram", x, bins, range)) is NotImplemented:
        return NotImplemented
    edges, count = found
    if weights is not None:
        weights = asarray(weights)
        if weights.shape != asarray(a).shape:
            raise ValueError(f"histogram: takes a weight for each element: got {weights.shape} for {asarray(a).shape}")
        weights = _flat(weights)
    counts = _counted(*_bins(x, edges), count, weights, _i64 if weights is None else weights.dtype)
    return (counts / (edges[1:] - edges[:-1]) / _sum(counts) if density else counts), edges


def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    columns = [_flat(one) for one in sample] if isinstance(sample, (list, tuple)) else list(asarray(sample).T) if asarray(sample).ndim == 2 else [asarray(sample)]
    each = list(bins) if isinstance(bins, (list, tuple)) else [bins] * len(columns)
    limits = [None] * len(columns) if range is None else list(range)
    if len(each) != len(columns) or len(limits) != len(columns):
        raise ValueError(f"histogramdd: takes bins and a range for each of {len(columns)} columns: got {len(each)} and {len(limits)}")
    edges, places, inside, counts = [], None, None, []
    for column, one, limit in zip(columns, each, limits):
        column = _as(column, "uint8") if column.dtype.kind == "b" else column
        if column.dtype.kind == "c" or (found := _edges("histogramdd", column, one, limit)) is NotImplemented:
            return NotImplemented
        at, there = _bins(column, found[0])
        places = at if places is None else places * found[1] + at
        inside = there if inside is None else _core.logical_and(inside, there)
        edges.append(found[0])
        counts.append(found[1])
    total = 1
    for count in counts:
        total *= count
    result = reshape(_counted(places, inside, total, weights, _f64), tuple(counts))
    if density:
        whole = _sum(result)
        for axis, edge in enumerate(edges):
            result = result / reshape(edge[1:] - edge[:-1], [-1 if one == axis else 1 for one, _ in enumerate(edges)])
        result = result / whole
    return result, tuple(edges)


def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    x, y = asarray(x), asarray(y)
    if x.shape != y.shape:
        raise ValueError(f"histogram2d: takes as many x as y: got {x.shape} and {y.shape}")
    is_one = getattr(bins, "ndim", 0) == 1 or (isinstance(bins, (list, tuple)) and len(bins) not in (1, 2))
    found = histogramdd([x, y], [bins, bins] if is_one else list(bins) * (3 - len(bins)) if isinstance(bins, (list, tuple)) else bins, range, density, weights)
    return found if found is NotImplemented else (found[0], *found[1])


# Order statistics of what is not NaN

# Where a share lies among n sorted values, by the method's two numbers (Hyndman and Fan 1996): n q + alpha + q (1 - alpha - beta) - 1.
_methods = {
    "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "linear": (1.0, 1.0), "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8), "lower": (1.0, 1.0), "higher": (1.0, 1.0), "nearest": (1.0, 1.0), "midpoint": (1.0, 1.0),
}


def nanquantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: builtins.bool = False, method: str = "linear",
    keepdims: builtins.bool = False, *, weights: Any = None, interpolation: Any = None,
) -> Any:
    import numpy

    x = asarray(a)
    if weights is not None or interpolation is not None or method not in _methods or x.dtype.kind not in "iuf" or isinstance(q, Array) or not x.size:
        return NotImplemented
    shares = numpy.asarray(known(q), _f64)
    if not ((shares >= 0) & (shares <= 1)).all():
        raise ValueError(f"nanquantile: shares are from 0 to 1: got {q}")
    axes = sorted(normalized("nanquantile", one, x.ndim) for one in (range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)))
    kept = [one for one in range(x.ndim) if one not in axes]
    shape = tuple(x.shape[one] for one in kept)
    rows = _core.reshape(_core.permute_dims(x, [*kept, *axes]), (*shape, -1))
    exact = method in ("lower", "higher", "nearest")
    dtype = x.dtype if x.dtype.kind == "f" or exact else _core.dtype(_f64)
    wide = dtype if dtype.itemsize > 2 or exact else _core.dtype("float32")
    ordered = sorting.sort(rows, len(kept))  # NaN last
    count = _sum(_core.logical_not(_core.isnan(rows)), -1, keepdims=True) if x.dtype.kind == "f" else asarray(rows.shape[-1])
    results = [_at_share(ordered, count, float(share), method, wide) for share in shares.reshape(-1)]
    result = stack(results) if results else _core.full((0, *shape), 0, wide, x.device)
    result = _core.astype(result, dtype)
    result = _core.reshape(result, (*shares.shape, *(tuple(1 if one in axes else n for one, n in enumerate(x.shape)) if keepdims else shape)))
    return store(result, out) if out is not None else result if result.ndim else _core.as_value(result)


def _at_share(ordered: Array, count: Array, share: float, method: str, dtype: Any) -> Array:
    """The value at a share of the first `count` ones of each sorted row; NaN where there is none."""
    alpha, beta = _methods[method]
    last = clip(count - 1, 0, None)
    at = _as(count, _f64) * share + (alpha + share * (1 - alpha - beta) - 1) if alpha != 1 else _as(last, _f64) * share
    at = clip(at, 0.0, _as(last, _f64))
    at = {"lower": _core.floor, "higher": _core.ceil, "nearest": _core.round}.get(method, lambda one: one)(at)
    below = _core.floor(at)
    low = _as(below, _i64)
    high = _core.minimum(low + 1, last)
    t = at - below
    if method == "midpoint":
        t = where(t > 0, 0.5, 0.0)
    one, two = (_core.astype(_core.take_along_axis(ordered, _core.broadcast_to(place, (*ordered.shape[:-1], 1)), -1), dtype) for place in (low, high))
    if method in ("lower", "higher", "nearest"):
        result = one
    else:
        t, apart = _as(t, dtype), two - one
        result = where(t < 0.5, one + apart * t, two - apart * (1 - t))
        result = where(one == two, one, result)  # as infinities are
    if dtype.kind == "f":
        result = where(count == 0, float("nan"), result)
    return _core.reshape(result, result.shape[:-1])


def nanpercentile(a: Any, q: Any, *args: Any, **options: Any) -> Any:
    import numpy

    return NotImplemented if isinstance(q, Array) else nanquantile(a, numpy.true_divide(known(q), 100), *args, **options)


def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: builtins.bool = False, keepdims: builtins.bool = False) -> Any:
    x = asarray(a)
    return nanquantile(x, 0.5, axis, out, overwrite_input, "midpoint", bool(keepdims))


# Whole numbers


@functools.cache
def _divisor() -> Any:
    text = "T x = a < 0 ? -a : a; T y = b < 0 ? -b : b; while (y != 0) { T rest = x % y; x = y; y = rest; } r = x"
    return _core.define_map("gcd", "T a, T b", "T r", (text, text), ("", ""), "", "", 0, None)


def _whole(op: str, x1: Any, x2: Any) -> list[Array]:
    dtype = result_type(*(one if isinstance(one, (int, Array)) else asarray(one) for one in (x1, x2)))
    if dtype.kind not in "iu":
        raise TypeError(f"{op}: takes integers: got {dtype}")
    device = x1.device if isinstance(x1, Array) else x2.device
    return [_as(known(one) if not isinstance(one, Array) else asarray(one, device=device), dtype) for one in (x1, x2)]


def gcd(x1: Any, x2: Any) -> Array:
    return _divisor()(_whole("gcd", x1, x2))[0]


def lcm(x1: Any, x2: Any) -> Array:
    a, b = _whole("lcm", x1, x2)
    common = _divisor()([a, b])[0]
    return _core.abs(where(common == 0, common, a // where(common == 0, 1, common) * b))
