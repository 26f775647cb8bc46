"""Linear algebra: products and equations by Weft, decompositions by NumPy, whose libraries they are, on host memory."""

from __future__ import annotations


from weft import _core
from weft._core import Array
from weft._creation import asarray, eye
from weft._errors import missing as _missing, named
from weft._host import answered_by
from weft._diagonals import diagonal
from weft._numpy_names import cross
from weft._products import matmul, outer, tensordot, vecdot
from weft._products import trace as _trace
from weft._shaping import matrix_transpose

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
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
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
    "matrix_transpose",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

for _name in _decompositions:
    globals()[_name] = answered_by("numpy.linalg", _name)

_solved_by_numpy, _inverted_by_numpy = globals()["solve"], globals()["inv"]


def _solution(a: Array, b: Array) -> Array:
    x = _core.solve(a, b)
    if x is None:
        raise __getattr__("LinAlgError")("Singular matrix")
    return x


def solve(a: Any, b: Any) -> Array:
    """x of a @ x = b: b is a vector, or a matrix of which each column is one right-hand side. Stacks are answered by NumPy."""
    if isinstance(a, Array) and isinstance(b, Array) and _core.can_solve(a, b):
        return _solution(a, b)
    return _solved_by_numpy(a, b)


def inv(a: Any) -> Array:
    """The matrix that gives the identity with a. Stacks are answered by NumPy."""
    if isinstance(a, Array) and a.ndim == 2 and _core.can_solve(a, a):
        return _solution(a, eye(a.shape[0], dtype=a.dtype, device=a.device))
    return _inverted_by_numpy(a)


def trace(x: Any, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sum along a diagonal of the last two axes."""
    return _trace(x, offset, -2, -1, dtype)


def vector_norm(x: Any, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Array:
    """The norm of vectors along axes, all of them unless told."""
    size = _core.abs(asarray(x))
    try:
        if ord == float("inf"):
            return _core.max(size, axis, keepdims)
        if ord == float("-inf"):
            return _core.min(size, axis, keepdims)
        if ord == 0:
            return _core.astype(_core.count_nonzero(size, axis, keepdims), size.dtype)
        if ord == 2:
            return _core.sqrt(_core.sum(_core.square(size), axis, keepdims))
        return _core.pow(_core.sum(_core.pow(size, ord), axis, keepdims), 1 / ord)
    except Exception as error:
        raise named(error, "vector_norm") from None


def __getattr__(name: str) -> Any:
    if name == "LinAlgError":
        import numpy

        return numpy.linalg.LinAlgError
    raise _missing(".linalg", name)
