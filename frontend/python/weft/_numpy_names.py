"""NumPy's own names over the standard's, and functions that are a line in terms of others."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._creation import asarray
from weft._elementwise import round as _round
from weft._elementwise import store, where
from weft._reductions import all as _all
from weft._reductions import any as _any
from weft._reductions import max as _max
from weft._reductions import mean, min as _min, prod, std, sum as _sum, var
from weft._shaping import atleast_1d, atleast_2d, concat, flip, permute_dims, reshape, stack

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Sequence

_same = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "bitwise_not": "bitwise_invert",
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "true_divide": "divide",
}
for _new, _old in _same.items():
    globals()[_new] = getattr(_core, _old)

amax, amin = _max, _min
around = round_ = _round
concatenate = concat
alltrue, sometrue = _all, _any

__all__ = [
    *_same,
    "allclose",
    "amax",
    "amin",
    "angle",
    "apply_along_axis",
    "array_equal",
    "array_split",
    "around",
    "broadcast",
    "c_",
    "column_stack",
    "concatenate",
    "copyto",
    "cross",
    "deg2rad",
    "degrees",
    "diag",
    "diagflat",
    "diagonal",
    "diag_indices",
    "divmod",
    "dsplit",
    "dstack",
    "errstate",
    "fabs",
    "fill_diagonal",
    "fix",
    "fliplr",
    "flipud",
    "float_power",
    "fmax",
    "fmin",
    "fmod",
    "fromfunction",
    "heaviside",
    "hsplit",
    "hstack",
    "indices",
    "index_exp",
    "isclose",
    "iscomplexobj",
    "isreal",
    "isrealobj",
    "isscalar",
    "ix_",
    "logaddexp2",
    "logspace",
    "may_share_memory",
    "mgrid",
    "nan_to_num",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "ndim",
    "ogrid",
    "r_",
    "rad2deg",
    "radians",
    "rint",
    "rollaxis",
    "rot90",
    "row_stack",
    "s_",
    "select",
    "shape",
    "shares_memory",
    "sinc",
    "size",
    "split",
    "trapezoid",
    "tril_indices",
    "triu_indices",
    "vander",
    "vsplit",
    "vstack",
]


def ndim(a: Any) -> int:
    """How many axes there are."""
    return asarray(a).ndim


def shape(a: Any) -> tuple[int, ...]:
    """The extents of the axes."""
    return asarray(a).shape


def size(a: Any, axis: int | None = None) -> int:
    """How many elements there are, along an axis or in all."""
    return asarray(a).size if axis is None else asarray(a).shape[axis]


def isscalar(element: Any) -> builtins.bool:
    """Whether this is a number, of Python or NumPy."""
    import numpy

    return not isinstance(element, Array) and numpy.isscalar(element)


def _as_float(x: Any) -> Array:
    """As NumPy converts for functions of floats alone: one byte to float16, two to float32, others to float64."""
    x = asarray(x)
    if x.dtype.kind in "fcV":
        return x
    return _core.astype(x, _core.dtype({1: "float16", 2: "float32"}.get(x.dtype.itemsize, "float64")))


def rint(x: Any, /, out: Any = None) -> Array:
    """The nearest integer, halves to even, as a float."""
    return _core.round(_as_float(x), out)


def fix(x: Any, /, out: Any = None) -> Array:
    """x without its fraction."""
    return _core.trunc(x, out)


def fabs(x: Any, /, out: Any = None) -> Array:
    """The absolute value as a float."""
    return _core.abs(_as_float(x), out)


def float_power(x1: Any, x2: Any, /) -> Array:
    """x1 to the power x2 in float64 at least."""
    x = asarray(x1)
    return _core.pow(_core.astype(x, _core.promote(x.dtype, _core.dtype("float64"))), x2)


def fmax(x1: Any, x2: Any, /, out: Any = None) -> Array:
    """The larger; the other one where one is NaN."""
    a, b = asarray(x1), asarray(x2)
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        return _core.maximum(a, b, out)
    return store(_core.where(_core.isnan(a), b, _core.where(_core.isnan(b), a, _core.maximum(a, b))), out)


def fmin(x1: Any, x2: Any, /, out: Any = None) -> Array:
    """The smaller; the other one where one is NaN."""
    a, b = asarray(x1), asarray(x2)
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        return _core.minimum(a, b, out)
    return store(_core.where(_core.isnan(a), b, _core.where(_core.isnan(b), a, _core.minimum(a, b))), out)


def fmod(x1: Any, x2: Any, /, out: Any = None) -> Array:
    """The rest of a division, with the sign of x1."""
    a, b = asarray(x1), asarray(x2)
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        rest = _core.remainder(a, b)  # with the sign of x2; an absolute value of the least integer is none
        other_sign = _core.logical_and(_core.not_equal(rest, 0), _core.not_equal(_core.less(rest, 0), _core.less(a, 0)))
        return store(where(other_sign, rest - b, rest), out)
    return store(_core.copysign(_core.remainder(_core.abs(a), _core.abs(b)), a), out)


def divmod(x1: Any, x2: Any, /) -> tuple[Array, Array]:
    """floor_divide() and remainder()."""
    return _core.floor_divide(x1, x2), _core.remainder(x1, x2)


def logaddexp2(x1: Any, x2: Any, /) -> Array:
    """log2(2**x1 + 2**x2) without overflow."""
    ln2 = 0.6931471805599453
    return _core.divide(_core.logaddexp(_core.multiply(x1, ln2), _core.multiply(x2, ln2)), ln2)


def heaviside(x1: Any, x2: Any, /) -> Array:
    """0 below zero, x2 at zero, 1 above."""
    x = asarray(x1)
    step = where(_core.equal(x, 0), x2, where(_core.less(x, 0), 0.0, 1.0))
    return where(_core.isnan(x), x, step)


def sinc(x: Any, /) -> Array:
    """sin(pi x) / (pi x), 1 at 0."""
    y = _core.multiply(asarray(x), 3.141592653589793)
    zero = _core.equal(y, 0)
    return where(zero, 1.0, _core.divide(_core.sin(y), where(zero, 1.0, y)))


def deg2rad(x: Any, /, out: Any = None) -> Array:
    """Degrees to radians."""
    return _core.multiply(x, 3.141592653589793 / 180, out)


def rad2deg(x: Any, /, out: Any = None) -> Array:
    """Radians to degrees."""
    return _core.multiply(x, 180 / 3.141592653589793, out)


radians, degrees = deg2rad, rad2deg


def angle(z: Any, deg: builtins.bool = False) -> Array:
    """The angle of complex numbers."""
    z = asarray(z)
    result = _core.atan2(_core.imag(z), _core.real(z))
    return rad2deg(result) if deg else result


def isreal(x: Any) -> Array:
    """Where the imaginary part is zero."""
    return _core.equal(_core.imag(asarray(x)), 0)


def iscomplexobj(x: Any) -> builtins.bool:
    """Whether the dtype is complex."""
    return asarray(x).dtype.kind == "c"


def isrealobj(x: Any) -> builtins.bool:
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: builtins.bool = False) -> Array:
    """Where |a - b| <= atol + rtol * |b|."""
    a, b = asarray(a), asarray(b)
    if a.dtype.kind == "b" or b.dtype.kind == "b":
        a, b = _core.add(a, 0), _core.add(b, 0)
    near = _core.less_equal(_core.abs(_core.subtract(a, b)), _core.add(atol, _core.multiply(rtol, _core.abs(b))))
    result = _core.logical_or(_core.equal(a, b), _core.logical_and(near, _core.isfinite(b)))
    if equal_nan:
        result = _core.logical_or(result, _core.logical_and(_core.isnan(a), _core.isnan(b)))
    return result


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: builtins.bool = False) -> builtins.bool:
    """Whether isclose() holds everywhere."""
    return builtins.bool(_core.all(isclose(a, b, rtol, atol, equal_nan), None, False))


def array_equal(a1: Any, a2: Any, equal_nan: builtins.bool = False) -> builtins.bool:
    """Whether shapes and elements are the same."""
    a, b = asarray(a1), asarray(a2)
    if a.shape != b.shape:
        return False
    same = _core.equal(a, b)
    if equal_nan and "b" not in (a.dtype.kind, b.dtype.kind):
        same = _core.logical_or(same, _core.logical_and(_core.isnan(a), _core.isnan(b)))
    return builtins.bool(_core.all(same, None, False))


def shares_memory(a: Any, b: Any, max_work: Any = None) -> builtins.bool:
    """Whether an element of a is an element of b; views of the same array that lie apart are told so too."""
    return isinstance(a, Array) and isinstance(b, Array) and _core.shares_cell(a, b)


may_share_memory = shares_memory


def vstack(tup: Sequence[Any]) -> Array:
    """Arrays on top of each other, vectors as rows."""
    return concat([atleast_2d(x) for x in tup], axis=0)


row_stack = vstack


def hstack(tup: Sequence[Any]) -> Array:
    """Arrays beside each other: along the second axis, vectors along their own."""
    xs = [atleast_1d(x) for x in tup]
    return concat(xs, axis=0 if xs and xs[0].ndim == 1 else 1)


def dstack(tup: Sequence[Any]) -> Array:
    """Arrays behind each other, along the third axis."""
    from weft._shaping import atleast_3d

    return concat([atleast_3d(x) for x in tup], axis=2)


def column_stack(tup: Sequence[Any]) -> Array:
    """Arrays beside each other, vectors as columns."""
    xs = [asarray(x) for x in tup]
    return concat([x if x.ndim > 1 else reshape(x, (-1, 1)) for x in xs], axis=1)


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Parts along an axis, at positions or as even as can be; views."""
    from weft._shaping import normalized

    x = asarray(ary)
    along = normalized("split", axis, x.ndim)
    extent = x.shape[along]
    if isinstance(indices_or_sections, int):
        n = indices_or_sections
        if n < 1:
            raise ValueError(f"split: the number of parts must be above 0: got {n}")
        each, more = extent // n, extent % n
        starts = [i * each + (i if i < more else more) for i in range(n + 1)]
    else:
        starts = [0, *(int(i) for i in indices_or_sections), extent]
    front = (slice(None),) * along
    return [x[front + (slice(a, b),)] for a, b in zip(starts, starts[1:])]


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Parts along an axis, at positions or equally long; views."""
    x = asarray(ary)
    if isinstance(indices_or_sections, int) and x.shape[axis] % indices_or_sections:
        raise ValueError(f"split: {x.shape[axis]} elements cannot be {indices_or_sections} equal parts")
    return array_split(x, indices_or_sections, axis)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Parts along the first axis; views."""
    return split(ary, indices_or_sections, 0)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Parts along the second axis, of vectors along their own; views."""
    return split(ary, indices_or_sections, 0 if asarray(ary).ndim == 1 else 1)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Parts along the third axis; views."""
    return split(ary, indices_or_sections, 2)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The elements of a diagonal of two axes, along a new last axis."""
    from weft._shaping import normalized

    x = asarray(a)
    if x.ndim < 2:
        raise ValueError(f"diagonal: needs at least two axes: got shape {x.shape}")
    first, second = normalized("diagonal", axis1, x.ndim), normalized("diagonal", axis2, x.ndim)
    if first == second:
        raise ValueError("diagonal: the axes must be different")
    rest = [i for i in range(x.ndim) if i not in (first, second)]
    x = permute_dims(x, [*rest, first, second])
    rows, columns = x.shape[-2:]
    start = offset if offset >= 0 else -offset * columns
    length = builtins.max(0, builtins.min(rows, columns - offset) if offset >= 0 else builtins.min(rows + offset, columns))
    flat = reshape(x, x.shape[:-2] + (rows * columns,))
    result = flat[..., start : start + length * (columns + 1) : columns + 1][..., :length]
    # NumPy's diagonal is read-only too.
    return _core.broadcast_to(result, result.shape)


def diag(v: Any, k: int = 0) -> Array:
    """A vector as a diagonal of a matrix, or a copy of the diagonal of a matrix."""
    x = asarray(v)
    if x.ndim == 2:
        return _core.copy(diagonal(x, k))
    if x.ndim != 1:
        raise ValueError(f"diag: takes one axis or two: got shape {x.shape}")
    n = x.shape[0] + (k if k >= 0 else -k)
    result = _core.full((n, n), 0, x.dtype, x.device)
    flat = _core.reshape(result, (-1,))
    start = k if k >= 0 else -k * n
    flat[start : start + x.shape[0] * (n + 1) : n + 1][: x.shape[0]] = x
    return result


def diagflat(v: Any, k: int = 0) -> Array:
    """The flat array as a diagonal of a matrix."""
    return diag(reshape(v, (-1,)), k)


def fill_diagonal(a: Array, val: Any, wrap: builtins.bool = False) -> None:
    """Writes to the main diagonal."""
    if a.ndim != 2 or wrap:
        raise ValueError("fill_diagonal: takes a matrix, without wrap")
    n = builtins.min(a.shape)
    flat = a[:n, :n]
    positions = indices((n,))[0]
    flat[positions, positions] = val


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """The positions of the main diagonal."""
    return (_core.iota((n,), 0),) * ndim


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, ...]:
    """The positions at and below a diagonal."""
    import numpy

    from weft._host import answered

    return answered(numpy.tril_indices, n, k, m)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, ...]:
    """The positions at and above a diagonal."""
    import numpy

    from weft._host import answered

    return answered(numpy.triu_indices, n, k, m)


def indices(dimensions: Sequence[int], dtype: Any = int, sparse: builtins.bool = False) -> Any:
    """The position along each axis of a grid."""
    lines = []
    for axis, _ in enumerate(dimensions):
        extents = tuple(n if i == axis or not sparse else 1 for i, n in enumerate(dimensions))
        lines.append(_core.astype(_core.iota(extents, axis), _core.dtype(dtype)))
    return tuple(lines) if sparse else stack(lines)


class _Grid:
    """mgrid and ogrid: coordinates from slices, where an imaginary step counts the points."""

    def __init__(self, sparse: builtins.bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        import numpy

        from weft._host import _from_host

        return _from_host((numpy.ogrid if self.sparse else numpy.mgrid)[key], "")


mgrid, ogrid = _Grid(False), _Grid(True)


class _Joined:
    """r_ and c_: arrays joined by brackets."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getitem__(self, key: Any) -> Any:
        import numpy

        from weft._host import _from_host, _to_host

        return _from_host(getattr(numpy, self.name)[_to_host(key)], "")


r_, c_ = _Joined("r_"), _Joined("c_")


class _Key:
    """s_: the index that brackets make."""

    def __getitem__(self, key: Any) -> Any:
        return key


s_ = index_exp = _Key()


def ix_(*args: Any) -> tuple[Array, ...]:
    """Vectors of positions as an open grid of them."""
    from weft._host import flatnonzero

    result = []
    for i, arg in enumerate(args):
        x = asarray(arg)
        if x.dtype.kind == "b":
            x = flatnonzero(x)
        if x.size == 0:
            x = _core.astype(x, _core.dtype("int64"))
        result.append(reshape(x, [-1 if i == k else 1 for k in range(len(args))]))
    return tuple(result)


def broadcast(*arrays: Any) -> Any:
    """NumPy's broadcast object of the arrays' shapes."""
    import numpy

    return numpy.broadcast(*(numpy.broadcast_to(0, shape(x)) for x in arrays))


def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Writes src to dst, where the condition is true."""
    from weft._dtypes import can_cast, result_type

    if isinstance(src, (list, tuple)):
        src = asarray(src)
    if hasattr(src, "dtype") and not can_cast(result_type(src), dst.dtype, casting):
        raise TypeError(f"copyto: {src.dtype} cannot be cast to {dst.dtype} by the rule {casting!r}")
    _core.assign(dst, src if where is True else _core.where(where, src, dst))


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    """The cross product of vectors of three elements."""
    from weft._shaping import moveaxis

    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = moveaxis(asarray(a), axisa, -1), moveaxis(asarray(b), axisb, -1)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise ValueError(f"cross: takes vectors of three elements: got {x.shape} and {y.shape}")
    parts = [x[..., i - 2] * y[..., i - 1] - x[..., i - 1] * y[..., i - 2] for i in range(3)]
    return moveaxis(stack(parts, axis=-1), -1, axisc)


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Array:
    """The array turned by quarters in the plane of two axes; a view."""
    from weft._shaping import swapaxes

    x = asarray(m)
    k %= 4
    if k == 0:
        return x
    if k == 2:
        return flip(x, tuple(axes))
    return flip(swapaxes(x, *axes), axes[0]) if k == 1 else swapaxes(flip(x, axes[0]), *axes)


def flipud(m: Any) -> Array:
    """Backwards along the first axis; a view."""
    return flip(m, 0)


def fliplr(m: Any) -> Array:
    """Backwards along the second axis; a view."""
    return flip(m, 1)


def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    """An axis moved before another; a view."""
    from weft._shaping import moveaxis, normalized

    x = asarray(a)
    axis = normalized("rollaxis", axis, x.ndim)
    start = start + x.ndim if start < 0 else start
    return moveaxis(x, axis, start - 1 if axis < start else start)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """The choice of the first condition that is true, else the default."""
    if len(condlist) != len(choicelist):
        raise ValueError(f"select: takes as many conditions as choices: got {len(condlist)} and {len(choicelist)}")
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        result = where(condition, choice, result)
    return result


def nan_to_num(x: Any, copy: builtins.bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    """NaN as a number, infinities as the largest numbers unless told."""
    from weft._dtypes import finfo

    x = asarray(x)
    if x.dtype.kind in "biu":
        return _core.copy(x) if copy else x
    info = finfo(x.dtype)

    def cleaned(part: Array) -> Array:
        part = where(_core.isnan(part), nan, part)
        part = where(_core.equal(part, float("inf")), info.max if posinf is None else posinf, part)
        return where(_core.equal(part, float("-inf")), info.min if neginf is None else neginf, part)

    result = cleaned(x) if x.dtype.kind != "c" else cleaned(_core.real(x)) + cleaned(_core.imag(x)) * 1j
    return result if copy else store(result, x)


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
    result = _max(_without_nans(x, float("-inf")), axis, None, keepdims)
    return store(where(_core.equal(_present(x, axis, keepdims), 0), float("nan"), result), out)


def nanmin(x: Any, axis: Any = None, out: Any = None, keepdims: builtins.bool = False) -> Array:
    """The smallest of what is not NaN."""
    result = _min(_without_nans(x, float("inf")), axis, None, keepdims)
    return store(where(_core.equal(_present(x, axis, keepdims), 0), float("nan"), result), out)


def nanmean(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: builtins.bool = False) -> Array:
    """The mean of what is not NaN."""
    total = nansum(x, axis, dtype, None, keepdims)
    count = _core.astype(_present(x, axis, keepdims), total.dtype) if total.dtype.kind in "fV" else _present(x, axis, keepdims)
    return store(_core.divide(total, count), out)


def nanvar(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: builtins.bool = False) -> Array:
    """The variance of what is not NaN."""
    x = asarray(x)
    squares = _core.square(_core.abs(x - nanmean(x, axis, dtype, None, True)))
    total = nansum(squares, axis, None, None, keepdims)
    return store(_core.divide(total, _core.astype(_present(x, axis, keepdims), total.dtype) - ddof), out)


def nanstd(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: builtins.bool = False) -> Array:
    """The standard deviation of what is not NaN."""
    return store(_core.sqrt(nanvar(x, axis, dtype, None, ddof, keepdims)), out)


def logspace(start: Any, stop: Any, num: int = 50, endpoint: builtins.bool = True, base: Any = 10.0, dtype: Any = None) -> Array:
    """Powers of the base with evenly spaced exponents."""
    from weft._creation import linspace

    result = _core.pow(base, linspace(start, stop, num, endpoint))
    return result if dtype is None else _core.astype(result, _core.dtype(dtype))


def fromfunction(function: Any, shape: Sequence[int], *, dtype: Any = float, **options: Any) -> Any:
    """What a function gives of the positions of a grid."""
    return function(*indices(shape, dtype=dtype), **options)


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **options: Any) -> Array:
    """What a function gives of every vector along an axis."""
    import numpy

    from weft._host import answered

    return answered(lambda a: numpy.apply_along_axis(func1d, axis, a, *args, **options), asarray(arr))


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Array:
    """The integral along an axis by the trapezoidal rule."""
    from weft._shaping import diff, moveaxis

    y = moveaxis(asarray(y), axis, -1)
    if x is None:
        steps: Any = dx
    else:
        x = asarray(x)
        steps = diff(x if x.ndim == 1 else moveaxis(x, axis, -1))
    return _sum(steps * (y[..., 1:] + y[..., :-1]) / 2.0, -1)


def vander(x: Any, N: int | None = None, increasing: builtins.bool = False) -> Array:
    """The powers of a vector as columns."""
    x = asarray(x)
    n = x.shape[0] if N is None else N
    powers = _core.iota((n,), 0) if increasing else n - 1 - _core.iota((n,), 0)
    return _core.pow(x[:, None], powers)


class errstate:
    """NumPy's context for floating-point warnings; Weft gives none."""

    def __init__(self, **options: str) -> None:
        self.options = options

    def __enter__(self) -> errstate:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def __call__(self, f: Any) -> Any:
        return f
