"""Linear algebra: products and equations by Weft, decompositions by NumPy, whose libraries they are, on host memory."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._array.answered import answered_by
from weft._array.creation import eye
from weft._array.diagonals import diagonal as _diagonal
from weft._array.products import matmul, outer as _outer, tensordot, trace as _trace, vecdot
from weft._array.reductions import max, min
from weft._array.shaping import matrix_transpose, normalized
from weft._base.asarray import asarray
from weft._base.errors import missing as _missing
from weft._base.recorded import refuse_arguments
from weft._derive.factors import derived
from weft._numpy.names import cross as _cross

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_decompositions = [
    "cholesky",
    "cond",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
]
__all__ = [
    *_decompositions,
    "cross",
    "diagonal",
    "matmul",
    "matrix_norm",
    "matrix_transpose",
    "norm",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

for _name in _decompositions:
    globals()[_name] = answered_by("numpy.linalg", _name)

for _name in ("cholesky", "det", "eigh", "slogdet"):
    globals()[_name] = derived(_name)(globals()[_name])

_solved_by_numpy, _inverted_by_numpy = globals()["solve"], globals()["inv"]
_norm_by_numpy = answered_by("numpy.linalg", "norm")


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """The cross product of vectors of three elements."""
    x1, x2 = asarray(x1), asarray(x2)
    for x in (x1, x2):
        if not x.ndim or x.shape[normalized("cross", axis, x.ndim)] != 3:
            raise ValueError(f"cross: takes vectors of three elements: got shapes {x1.shape} and {x2.shape} along axis {axis!r}")
    return _cross(x1, x2, axis=axis)


def _solution(a: Array, b: Array) -> Array:
    x = _core.solve(a, b)
    if x is None:
        raise __getattr__("LinAlgError")("Singular matrix")
    return x


def solve(a: Any, b: Any) -> Array:
    """x of a @ x = b: b is a vector, or a matrix of which each column is one right-hand side. Stacks are answered by NumPy."""
    refuse_arguments("solve", (a, b))
    if isinstance(a, Array) and isinstance(b, Array) and _core.can_solve(a, b):
        return _solution(a, b)
    return _solved_by_numpy(a, b)


def inv(a: Any) -> Array:
    """The matrix that gives the identity with a. Stacks are answered by NumPy."""
    refuse_arguments("inv", (a,))
    if isinstance(a, Array) and a.ndim == 2 and _core.can_solve(a, a):
        return _solution(a, eye(a.shape[0], dtype=a.dtype, device=a.device))
    return _inverted_by_numpy(a)


def outer(x1: Any, x2: Any, /) -> Array:
    """Every product of an element of one vector with one of another."""
    a, b = asarray(x1), asarray(x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(f"outer: takes vectors: got shapes {a.shape} and {b.shape}")
    return _outer(a, b)


def diagonal(x: Any, /, *, offset: int = 0) -> Array:
    """The elements of a diagonal of the last two axes, along a new last axis: a read-only view."""
    return _diagonal(x, offset, -2, -1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sum along a diagonal of the last two axes."""
    return _trace(x, offset, -2, -1, dtype)


def _as_inexact(x: Any) -> Array:
    x = asarray(x)
    return _core.astype(x, _core.dtype("float64")) if x.dtype.kind in "biu" else x


def _squares(x: Array) -> Array:
    return _core.square(x) if x.dtype.kind != "c" else _core.add(_core.square(x.real), _core.square(x.imag))


def _norm_of_vectors(op: str, x: Array, ord: Any, axis: Any, keepdims: bool) -> Array:
    if isinstance(ord, str):
        raise ValueError(f"{op}: vectors have norms of a number, inf or -inf: got ord={ord!r}")
    if ord is None or ord == 2:
        return _core.sqrt(_core.sum(_squares(x), axis, keepdims))
    if ord == 0:
        return _core.astype(_core.count_nonzero(x, axis, keepdims), x.real.dtype)
    size = _core.abs(x)
    if ord == 1:
        return _core.sum(size, axis, keepdims)
    if ord == float("inf"):
        return max(size, axis, None, keepdims, 0)
    if ord == float("-inf"):
        return min(size, axis, None, keepdims)
    power = float(ord)  # so that a number of NumPy's does not decide the dtype
    return _core.pow(_core.sum(_core.pow(size, power), axis, keepdims), 1 / power)


def _norm_of_matrices(op: str, x: Array, ord: Any, axes: tuple[int, int], keepdims: bool) -> Array:
    if ord is None or ord in ("fro", "f"):
        return _core.sqrt(_core.sum(_squares(x), axes, keepdims))
    if ord in (2, -2, "nuc"):
        return _norm_by_numpy(x, ord, axes, keepdims)
    if ord not in (1, -1, float("inf"), float("-inf")):
        raise ValueError(f"{op}: matrices have norms of 1, -1, 2, -2, inf, -inf, 'fro' and 'nuc': got ord={ord!r}")
    summed, compared = axes if ord in (1, -1) else axes[::-1]
    sums = _core.sum(_core.abs(x), summed, True)
    result = max(sums, compared, None, True, 0) if ord > 0 else min(sums, compared, None, True)
    return result if keepdims else _core.reshape(result, tuple(n for k, n in enumerate(x.shape) if k not in axes))


def norm(x: Any, ord: Any = None, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """The norm of vectors along an axis, or of matrices along two; without an axis that of the whole array.

    ord: of vectors 2 unless told, any other number, inf or -inf; of matrices 'fro' unless told, 1, -1, inf or -inf, and by
    NumPy, on host memory, 2, -2 and 'nuc'. Integers are converted to float64."""
    x = _as_inexact(x)
    if axis is None:
        if ord is None:
            return _core.sqrt(_core.sum(_squares(x), None, keepdims))
        axis = tuple(range(x.ndim))
    axes = tuple(normalized("norm", one, x.ndim) for one in (axis if isinstance(axis, tuple) else (axis,)))
    if len(axes) not in (1, 2):
        raise ValueError(f"norm: takes one axis of vectors or two of matrices: got {len(axes)}")
    if len(axes) == 1:
        return _norm_of_vectors("norm", x, ord, axes, keepdims)
    if axes[0] == axes[1]:
        raise ValueError(f"norm: a matrix has two axes: got {axes}")
    return _norm_of_matrices("norm", x, ord, axes, keepdims)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """The norm of the matrices of the last two axes: norm says which there are."""
    x = _as_inexact(x)
    axes = normalized("matrix_norm", -2, x.ndim), normalized("matrix_norm", -1, x.ndim)
    return _norm_of_matrices("matrix_norm", x, ord, axes, keepdims)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Array:
    """The norm of vectors along axes, all of them unless told."""
    x = _as_inexact(x)
    if axis is not None:
        axis = tuple(normalized("vector_norm", one, x.ndim) for one in (axis if isinstance(axis, tuple) else (axis,)))
    return _norm_of_vectors("vector_norm", x, ord, axis, keepdims)


def __getattr__(name: str) -> Any:
    if name == "LinAlgError":
        import numpy

        return numpy.linalg.LinAlgError
    raise _missing(".linalg", name)
