"""Products of matrices, vectors and more axes."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._array.diagonals import diagonal
from weft._array.elementwise import Composed
from weft._array.reductions import sum as _sum
from weft._array.shaping import expand_dims, moveaxis
from weft._base.arguments import whole
from weft._base.asarray import asarray
from weft._base.given import known
from weft._base.out import store

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _by_axes(op: Any, cores: tuple[int, int, int], x1: Any, x2: Any, out: Any, axes: Any, rules: dict[str, Any]) -> Array:
    """op of operands whose last axes, so many of each and of the result, it takes: or those that `axes` names."""
    if axes is not None:
        named = [(one,) if hasattr(one, "__index__") else tuple(one) for one in axes]
        if op is _matmul:  # one axis alone is a row or a column, of which the result has none
            vectors = [asarray(x).ndim == 1 for x in (x1, x2)]
            cores = (2 - vectors[0], 2 - vectors[1], 2 - sum(vectors))
        named += [()] * (not cores[2] and len(named) == 2)
        if tuple(len(one) for one in named) != cores:
            raise ValueError(f"{op.__name__}: axes name {cores[0]}, {cores[1]} and {cores[2]} axes of operands and result: got {axes}")
        x1, x2 = (moveaxis(x, one, tuple(range(-len(one), 0))) for x, one in zip((x1, x2), named))
        result = op(x1, x2, **rules)
        return store(moveaxis(result, tuple(range(-cores[2], 0)), named[2]) if cores[2] else result, out)
    return op(x1, x2, out=out, **rules)


def _given(op: str, axis: Any, **rules: Any) -> dict[str, Any]:
    if axis is not None:
        raise TypeError(f"{op}: axis is for functions that share one axis alone: name them all with axes")
    return rules


def matmul(
    x1: Any, x2: Any, /, out: Any = None, *, casting: str = "same_kind", order: str = "K", dtype: Any = None, subok: bool = True,
    axes: Any = None, axis: Any = None, signature: Any = None,
) -> Array:
    """The last two axes multiplied as matrices, the others broadcast; one axis alone is a row or a column."""
    if axes is None and axis is None and dtype is None and signature is None and casting == "same_kind" and order == "K":
        return store(_core.matmul(asarray(x1), asarray(x2)), out)
    rules = _given("matmul", axis, casting=casting, order=order, dtype=dtype, subok=subok, signature=signature)
    return _by_axes(_matmul, (2, 2, 2), x1, x2, out, axes, rules)


def dot(a: Any, b: Any, out: Any = None) -> Array:
    """NumPy's dot: matmul up to two axes, beyond the sum over a's last and b's last but one. Python's numbers are of 64 bits here."""
    if type(a) is Array is type(b) and out is None:
        return _core.dot(a, b)  # nearly always
    a, b = known(a), known(b)
    x, y = (asarray(one, device=getattr(other, "device", None)) if type(one) in (int, float, complex) else one for one, other in ((a, b), (b, a)))
    return store(_core.dot(x, y), out, same_dtype=True)


def outer(a: Any, b: Any, out: Any = None) -> Array:
    """Every product of an element of a with one of b, both flat."""
    result = _core.outer(asarray(a), asarray(b))
    if out is not None and not isinstance(out, tuple) and getattr(out, "ndim", 0) == 2:
        result = _core.broadcast_to(result, out.shape)  # as what multiplies them has it
    return store(result, out)


def vecdot(
    x1: Any, x2: Any, /, out: Any = None, *, axis: int = -1, axes: Any = None, keepdims: bool = False, casting: str = "same_kind",
    order: str = "K", dtype: Any = None, subok: bool = True, signature: Any = None,
) -> Array:
    """sum(conj(x1) * x2) along an axis."""
    if not isinstance(keepdims, bool):
        raise TypeError(f"vecdot: keepdims is True or False: got {keepdims!r}")
    axis = whole("vecdot", axis, "axis is an integer", False)
    rules = _given("vecdot", None, casting=casting, order=order, dtype=dtype, subok=subok, signature=signature)
    if axes is not None:
        if axis != -1 or keepdims:
            raise TypeError("vecdot: takes axes, or axis and keepdims: got both")
        return _by_axes(_vecdot, (1, 1, 0), x1, x2, out, axes, rules)
    a, b = asarray(x1), asarray(x2)
    if axis >= 0 and a.ndim and b.ndim:
        if a.ndim != b.ndim or axis >= a.ndim:
            raise ValueError(f"vecdot: an axis counts from the end, below 0: got {axis}")
        axis -= a.ndim
    if axis != -1:
        a, b = moveaxis(a, axis, -1), moveaxis(b, axis, -1)
    if not keepdims:
        return _vecdot(a, b, out=out, **rules)
    return store(expand_dims(_vecdot(a, b, **rules), axis), out)


def vdot(a: Any, b: Any) -> Array:
    """sum(conj(a) * b) of the flat arrays."""
    return _core.vecdot(_core.reshape(asarray(a), (-1,)), _core.reshape(asarray(b), (-1,)), -1)


def inner(a: Any, b: Any) -> Array:
    """Products summed over the last axis of both."""
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return _core.multiply(a, b)
    return _core.tensordot(a, b, (a.ndim - 1,), (b.ndim - 1,))


def matvec(
    x1: Any, x2: Any, /, out: Any = None, *, casting: str = "same_kind", order: str = "K", dtype: Any = None, subok: bool = True,
    axes: Any = None, axis: Any = None, signature: Any = None,
) -> Array:
    """Matrices by vectors, the other axes broadcast."""
    rules = _given("matvec", axis, casting=casting, order=order, dtype=dtype, subok=subok, signature=signature)
    return _by_axes(_matvec, (2, 1, 1), x1, x2, out, axes, rules)


def vecmat(
    x1: Any, x2: Any, /, out: Any = None, *, casting: str = "same_kind", order: str = "K", dtype: Any = None, subok: bool = True,
    axes: Any = None, axis: Any = None, signature: Any = None,
) -> Array:
    """Conjugated vectors by matrices, the other axes broadcast."""
    rules = _given("vecmat", axis, casting=casting, order=order, dtype=dtype, subok=subok, signature=signature)
    return _by_axes(_vecmat, (1, 2, 1), x1, x2, out, axes, rules)


def _composed(name: str, f: Any) -> Composed:
    f.__name__ = name
    return Composed(f, 2)


def _matrices(op: str, x: Any) -> Array:
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"{op}: takes matrices: got shape {x.shape}")
    return x


def _conjugated(x: Array) -> Array:
    return _core.conj(x) if x.dtype.kind == "c" else x


_matmul = _composed("matmul", lambda a, b: _core.matmul(asarray(a), asarray(b)))
_vecdot = _composed("vecdot", lambda a, b: _core.vecdot(asarray(a), asarray(b), -1))
_matvec = _composed("matvec", lambda a, b: _core.matmul(_matrices("matvec", a), asarray(b)[..., None])[..., 0])
_vecmat = _composed(
    "vecmat", lambda a, b: _core.matmul(_conjugated(asarray(a))[..., None, :], _matrices("vecmat", b))[..., 0, :]
)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Array:
    """Products summed over pairs of axes; a number: x1's last ones with x2's first ones."""
    a, b = asarray(a), asarray(b)
    if hasattr(axes, "__index__") and not getattr(axes, "ndim", 0):
        axes = max(whole("tensordot", axes, "axes are integers"), 0)
        if axes > min(a.ndim, b.ndim):
            raise ValueError(f"tensordot: cannot sum over {axes} axes: got {a.shape} and {b.shape}")
        left: Any = tuple(range(a.ndim - axes, a.ndim))
        right: Any = tuple(range(axes))
    else:
        left, right = axes
    return _core.as_array(_core.tensordot(a, b, left, right))


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Array:
    """The sum along a diagonal of two axes."""
    return _sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


def kron(a: Any, b: Any) -> Array:
    """The Kronecker product."""
    a, b = asarray(a), asarray(b)
    ndim = max(a.ndim, b.ndim)
    a = _core.reshape(a, (1,) * (ndim - a.ndim) + a.shape)
    b = _core.reshape(b, (1,) * (ndim - b.ndim) + b.shape)
    shape = tuple(m * n for m, n in zip(a.shape, b.shape))
    spread = [extent for pair in zip(a.shape, (1,) * ndim) for extent in pair]
    inner_shape = [extent for pair in zip((1,) * ndim, b.shape) for extent in pair]
    return _core.reshape(_core.multiply(_core.reshape(a, spread), _core.reshape(b, inner_shape)), shape)


def _no_method(f: Any, method: str) -> Any:
    def refused(*_: Any, **__: Any) -> Any:
        kind = TypeError if method in ("at", "outer") else RuntimeError
        raise kind(f"{f.__name__}.{method}: functions of axes have no such method")

    return refused


# As NumPy's, these tell what they take. They have the methods of elementwise functions to say that they cannot do them.
_cores = {matmul: "(n?,k),(k,m?)->(n?,m?)", vecdot: "(n),(n)->()", matvec: "(m,n),(n)->(m)", vecmat: "(n),(n,m)->(m)"}
for _f, _core_axes in _cores.items():
    _told: dict[str, Any] = {"nin": 2, "nout": 1, "nargs": 3, "identity": None, "signature": _core_axes}
    for _name in ("at", "reduce", "accumulate", "reduceat", "outer"):
        _told[_name] = _no_method(_f, _name)
    _f.__dict__.update(_told)
