"""Linear algebra, recorded as other functions are, by LAPACK on the CPU; that of a GPU's arrays NumPy answers on host memory."""

from __future__ import annotations

from builtins import max as _longest
from collections import namedtuple as _namedtuple
from operator import index as _index

from weft import _core
from weft._core import Array
from weft._array.answered import answered_by
from weft._array.diagonals import diagonal as _diagonal
from weft._array.products import matmul, outer as _outer, tensordot, trace as _trace, vecdot
from weft._array.reductions import max, min
from weft._array.shaping import matrix_transpose, moveaxis as _moveaxis, normalized
from weft._base.asarray import asarray
from weft._base.devices import is_gpu as _is_gpu
from weft._base.errors import missing as _missing
from weft._base.helped import attach as _attach_help
from weft._base.out import store as _store, value_of_rank_0 as _value
from weft._base.recorded import of_arguments as _of_arguments
from weft._numpy.names import cross as _cross

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Literal, NamedTuple, overload

__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


def _result(name: str, fields: str) -> Any:
    made = _namedtuple(name, fields)
    made.__module__, made.__qualname__ = __name__, "_" + name  # where pickle finds it
    return made


if TYPE_CHECKING:

    class _EigResult(NamedTuple):
        eigenvalues: Array
        eigenvectors: Array

    class _EighResult(NamedTuple):
        eigenvalues: Array
        eigenvectors: Array

    class _QRResult(NamedTuple):
        Q: Array
        R: Array

    class _SlogdetResult(NamedTuple):
        sign: Array
        logabsdet: Array

    class _SVDResult(NamedTuple):
        U: Array
        S: Array
        Vh: Array

else:
    _EigResult = _result("EigResult", "eigenvalues eigenvectors")
    _EighResult = _result("EighResult", "eigenvalues eigenvectors")
    _QRResult = _result("QRResult", "Q R")
    _SlogdetResult = _result("SlogdetResult", "sign logabsdet")
    _SVDResult = _result("SVDResult", "U S Vh")

_available: bool | None = None


def _has_lapack() -> bool:
    global _available
    if _available is None:
        _available = _core.has_lapack()
    return _available


def _is_ours(*xs: Any) -> bool:
    """Whether Weft computes with these: LAPACK can be opened, and they lie on the CPU."""
    return _has_lapack() and not any(isinstance(x, Array) and _is_gpu(x.device) for x in xs)


def _is_solved(a: Any, b: Any) -> bool:
    """Whether Weft solves these equations: on the CPU, or one matrix of a GPU, there and back."""
    return _is_ours(a, b) or _has_lapack() and isinstance(a, Array) and isinstance(b, Array) and _core.can_solve(a, b)


_large = 2**16  # elements of one matrix, from which NumPy's OpenBLAS has several threads compute it


def _is_here(a: Any) -> bool:
    """Whether Weft decomposes a: it is being recorded or derived, or lies on the CPU and is a stack or small."""
    if not _has_values(a):
        return _has_lapack()
    return _is_ours(a) and not (getattr(a, "ndim", 0) == 2 and a.size >= _large)


def _has_values(*xs: Any) -> bool:
    """Whether these can be looked at: they are neither being recorded nor derived."""
    return not _of_arguments(xs) and not any(isinstance(x, Array) and _core.is_derived(x) for x in xs)


def _host(name: str, *args: Any, **options: Any) -> Any:
    """NumPy's answer."""
    return answered_by("numpy.linalg", name)(*args, **options)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """The cross product of vectors of three elements."""
    x1, x2 = asarray(x1), asarray(x2)
    for x in (x1, x2):
        if not x.ndim or x.shape[normalized("cross", axis, x.ndim)] != 3:
            raise ValueError(f"cross: takes vectors of three elements: got shapes {x1.shape} and {x2.shape} along axis {axis!r}")
    return _cross(x1, x2, axis=axis)


def cholesky(a: Any, /, *, upper: bool = False) -> Array:
    """The lower triangle L with a = L @ L^H of a positive definite matrix, of which the lower triangle is read.

    upper: the upper triangle U with a = U^H @ U, of the upper one."""
    return _core.cholesky(asarray(a), bool(upper)) if _is_here(a) else _host("cholesky", a, upper=upper)


def inv(a: Any) -> Array:
    """The matrix that gives the identity with a."""
    if _is_solved(a, a):
        return _core.inv(asarray(a))
    return _host("inv", a)


def solve(a: Any, b: Any) -> Array:
    """x of a @ x = b: b is a vector if it has one axis, else each column is one right-hand side. Stacks broadcast."""
    if _is_solved(a, b):
        return _core.linalg_solve(asarray(a), asarray(b))
    return _host("solve", a, b)


def det(a: Any) -> Array:
    """The determinant."""
    return _value(_core.det(asarray(a))) if _is_here(a) else _host("det", a)


def slogdet(a: Any) -> _SlogdetResult:
    """The sign of the determinant and the logarithm of its size, which no float may hold."""
    return _SlogdetResult(*map(_value, _core.slogdet(asarray(a)))) if _is_here(a) else _host("slogdet", a)


if TYPE_CHECKING:

    @overload
    def qr(a: Any, mode: Literal["reduced", "complete"] = "reduced") -> _QRResult: ...

    @overload
    def qr(a: Any, mode: Literal["r"]) -> Array: ...

    @overload
    def qr(a: Any, mode: str) -> Any: ...

else:

    def qr(a: Any, mode: str = "reduced") -> Any:
        """Q with orthonormal columns and R, zero below the diagonal, with a = Q @ R.

        mode: "reduced", as many columns of Q as a has rows or columns, whichever are fewer; "complete", as many as rows; "r", R alone;
        "raw", which NumPy answers."""
        if not _is_here(a) or mode not in ("reduced", "complete", "r"):
            return _host("qr", a, mode)
        return _core.qr_factor(asarray(a)) if mode == "r" else _QRResult(*_core.qr(asarray(a), mode == "complete"))


if TYPE_CHECKING:

    @overload
    def svd(a: Any, full_matrices: bool = True, compute_uv: Literal[True] = True, hermitian: bool = False) -> _SVDResult: ...

    @overload
    def svd(a: Any, full_matrices: bool = True, *, compute_uv: Literal[False], hermitian: bool = False) -> Array: ...

    @overload
    def svd(a: Any, full_matrices: bool, compute_uv: Literal[False], hermitian: bool = False) -> Array: ...

    @overload
    def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any: ...

else:

    def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
        """U, the singular values S, descending, and Vh, with a = (U * S) @ Vh.

        full_matrices: whether U and Vh are square. compute_uv: False gives S alone. hermitian: a is, which NumPy makes use of."""
        if not _is_here(a) or hermitian and _has_values(a):
            return _host("svd", a, full_matrices, compute_uv, hermitian)
        return _SVDResult(*_core.svd(asarray(a), bool(full_matrices))) if compute_uv else _core.svdvals(asarray(a))


def svdvals(x: Any, /) -> Array:
    """The singular values, descending."""
    return _core.svdvals(asarray(x)) if _is_here(x) else _host("svdvals", x)


def _is_upper(UPLO: Any) -> bool | None:
    """None: NumPy says what is wrong."""
    return {"L": False, "U": True}.get(UPLO.upper()) if isinstance(UPLO, str) else None


def eigh(a: Any, UPLO: str = "L") -> _EighResult:
    """The eigenvalues, ascending, and eigenvectors, columns, of a symmetric or Hermitian matrix, of which one triangle is read.

    UPLO: "L", the lower one, or "U"."""
    upper = _is_upper(UPLO)
    return _EighResult(*_core.eigh(asarray(a), upper)) if upper is not None and _is_here(a) else _host("eigh", a, UPLO)


def eigvalsh(a: Any, UPLO: str = "L") -> Array:
    """The eigenvalues, ascending, of a symmetric or Hermitian matrix, of which one triangle is read."""
    upper = _is_upper(UPLO)
    return _core.eigvalsh(asarray(a), upper) if upper is not None and _is_here(a) else _host("eigvalsh", a, UPLO)


def _are_real(a: Array, values: Array) -> bool:
    """NumPy before 2.5 gives real numbers for a real matrix whose eigenvalues are. Nobody can tell where there are no values yet."""
    if a.dtype.kind == "c" or not _has_values(a) or _core.any(values.imag, None, False):
        return False
    import numpy

    return numpy.lib.NumpyVersion(numpy.__version__) < "2.5.0"


def eig(a: Any) -> _EigResult:
    """The eigenvalues and eigenvectors, columns, of a square matrix: complex numbers, as NumPy's are from 2.5 on.

    With an older NumPy they are real, as its are, where a is real and all values are and no function is recorded."""
    if not _is_here(a):
        return _host("eig", a)
    a = asarray(a)
    values, vectors = _core.eig(a)
    return _EigResult(values.real, vectors.real) if _are_real(a, values) else _EigResult(values, vectors)


def eigvals(a: Any) -> Array:
    """The eigenvalues of a square matrix, complex or real as eig() has them."""
    if not _is_here(a):
        return _host("eigvals", a)
    a = asarray(a)
    values = _core.eigvals(a)
    return values.real if _are_real(a, values) else values


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = ...) -> Array:
    """The pseudo-inverse. Singular values up to rcond times the largest count as 0: 1e-15 unless told.

    rtol: the same; None is the dtype's rounding times the longer side. hermitian: a is, which NumPy makes use of."""
    told = rcond if rtol is ... else rtol
    is_simple = (rcond is None or rtol is ...) and (told is None or isinstance(told, (int, float)))
    if not _is_here(a) or not is_simple or hermitian and _has_values(a):
        return _host("pinv", a, rcond, hermitian, **({} if rtol is ... else {"rtol": rtol}))
    return _core.pinv(asarray(a), 1e-15 if told is None and rtol is ... else told)


def _column(x: Any) -> Any:
    """For each matrix of a stack, beside its singular values."""
    return x if isinstance(x, (int, float)) else asarray(x)[..., None]


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """The number of singular values above tol, which is the largest times the dtype's rounding and the longer side unless told.

    rtol: instead of tol, in proportion to the largest. hermitian: A is, which NumPy makes use of."""
    if not _is_ours(A, tol, rtol) or (tol is not None and rtol is not None) or hermitian and _has_values(A):
        return _host("matrix_rank", A, tol, hermitian, rtol=rtol)
    A = asarray(A)
    if A.ndim < 2:
        return _core.astype(_core.any(A, None, False), _core.dtype("int64"))
    s = svdvals(_core.stop_gradient(A) if _core.is_derived(A) else A)
    if tol is None:
        if rtol is None:
            rtol = (2.0**-23 if s.dtype == "float32" else 2.0**-52) * float(_longest(A.shape[-2:]))
        tol = max(s, -1, None, True, 0) * _column(rtol)
    else:
        tol = _column(tol)
    return _value(_core.count_nonzero(s > tol, -1, False))


def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Array, Array, Any, Array]:
    """x with the least sum of squares of a @ x - b; the sums; the rank of a; its singular values. NumPy answers outside of recordings.

    rcond: singular values up to so many times the largest count as 0; the dtype's rounding times the longer side unless told."""
    if not _is_ours(a, b) or _has_values(a, b):
        return _host("lstsq", a, b, rcond)
    a, b = asarray(a), asarray(b)
    x, residuals, rank, s = _core.lstsq(a, b, rcond)
    if a.shape[-2] <= a.shape[-1]:
        residuals = residuals[..., :0] if b.ndim > 1 else _core.reshape(residuals, (1,))[:0]
    elif b.ndim == 1:
        residuals = _core.reshape(residuals, (1,))
    return x, residuals, rank, s


def cond(x: Any, p: Any = None) -> Array:
    """The norm of x times that of its inverse, infinite where x is singular. p: as norm()'s ord of matrices; 2 unless told."""
    if not _is_ours(x) or p not in (None, 1, -1, 2, -2, float("inf"), float("-inf"), "fro", "nuc"):
        return _host("cond", x, p)
    return _value(_core.cond(asarray(x), None if isinstance(p, str) else 2.0 if p is None else float(p), p == "nuc"))


def matrix_power(a: Any, n: int) -> Array:
    """The product of n times a; of its inverse where n is negative."""
    try:
        n = _index(n)
    except TypeError:
        raise TypeError(f"matrix_power: the exponent is an integer: got {type(n).__name__}") from None
    a = asarray(a)
    return _core.matrix_power(a, n) if n >= 0 or _is_ours(a) else _core.matrix_power(inv(a), -n)


def multi_dot(arrays: Any, *, out: Any = None) -> Array:
    """The product of two matrices at least, in the order that takes the fewest multiplications. The first and last may be vectors."""
    result = _value(_core.multi_dot([asarray(one) for one in arrays]))
    return result if out is None else _store(result, out)


def tensorinv(a: Any, ind: int = 2) -> Array:
    """The tensor that undoes tensordot(a, x, x.ndim): a's first ind axes come last in it. Both sides have as many elements."""
    return _core.tensorinv(asarray(a), _index(ind)) if _is_ours(a) else _host("tensorinv", a, ind)


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Array:
    """x of tensordot(a, x, x.ndim) = b: its axes are those of a behind b's.

    axes: of a, which are moved to the end one after another before."""
    if not _is_ours(a, b):
        return _host("tensorsolve", a, b, axes)
    return _core.tensorsolve(asarray(a), asarray(b), [] if axes is None else [_index(one) for one in axes])


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


def _norm_of_values(op: str, x: Array, ord: Any, axes: tuple[int, int], keepdims: bool) -> Array:
    """Of singular values."""
    if not _is_ours(x):
        return _host("norm", x, ord, axes, keepdims)
    s = svdvals(_moveaxis(x, axes, (-2, -1)))
    result = _core.sum(s, -1, False) if ord == "nuc" else max(s, -1, None, False, 0) if ord > 0 else min(s, -1, None, False)
    return _core.reshape(result, tuple(1 if k in axes else n for k, n in enumerate(x.shape))) if keepdims else result


def _norm_of_matrices(op: str, x: Array, ord: Any, axes: tuple[int, int], keepdims: bool) -> Array:
    if ord is None or ord in ("fro", "f"):
        return _core.sqrt(_core.sum(_squares(x), axes, keepdims))
    if ord in (2, -2, "nuc"):
        return _norm_of_values(op, x, ord, axes, keepdims)
    if ord not in (1, -1, float("inf"), float("-inf")):
        raise ValueError(f"{op}: matrices have norms of 1, -1, 2, -2, inf, -inf, 'fro' and 'nuc': got ord={ord!r}")
    summed, compared = axes if ord in (1, -1) else axes[::-1]
    sums = _core.sum(_core.abs(x), summed, True)
    result = max(sums, compared, None, True, 0) if ord > 0 else min(sums, compared, None, True)
    return result if keepdims else _core.reshape(result, tuple(n for k, n in enumerate(x.shape) if k not in axes))


def norm(x: Any, ord: Any = None, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """The norm of vectors along an axis, or of matrices along two; without an axis that of the whole array.

    ord: of vectors 2 unless told, any other number, inf or -inf; of matrices 'fro' unless told, 1, -1, inf or -inf, and of
    singular values 2, -2 and 'nuc'. Integers are converted to float64."""
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


def __dir__() -> list[str]:
    """What users call."""
    return [*__all__, "LinAlgError"]


def __getattr__(name: str) -> Any:
    if name == "LinAlgError":
        import numpy

        return numpy.linalg.LinAlgError
    raise _missing(".linalg", name)


_attach_help(__name__)
