"""Derivatives of decompositions of matrices: values by NumPy, what follows from them by Weft's own ops, so that it is derived in its turn."""

from __future__ import annotations

import functools

from weft import _core
from weft._core import Array, Error
from weft._array.creation import eye, tril
from weft._array.products import matmul, trace
from weft._array.shaping import matrix_transpose

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _matrix(op: str, a: Any) -> bool:
    """Whether it is a matrix that is derived. Error for stacks of them, and for complex ones, which are not."""
    if not isinstance(a, Array) or not _core.is_derived(a):
        return False
    if a.ndim != 2 or a.shape[0] != a.shape[1] or a.dtype.kind != "f":
        raise Error(f"{op}: has derivatives of one square matrix of real numbers: got {a.dtype}{a.shape}")
    return True


def _solved(a: Array, b: Array) -> Array:
    x: Array | None = _core.solve(a, b)
    if x is None:
        raise Error("linalg: the matrix of a derivative is singular")
    return x


def _inverse(a: Array) -> Array:
    return _solved(a, eye(a.shape[0], dtype=a.dtype, device=a.device))


def _half(x: Array) -> Array:
    """The lower triangle, of the diagonal half."""
    lower: Array = tril(x)
    return _core.subtract(lower, _core.multiply(_core.multiply(eye(x.shape[0], dtype=x.dtype, device=x.device), x), 0.5))


def derived(op: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives NumPy's function of this name, of one matrix, the derivatives that stand here."""

    def of(by_numpy: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(by_numpy)
        def f(a: Any, *args: Any, **options: Any) -> Any:
            if not _matrix(op, a) or args or options:
                return by_numpy(a, *args, **options)
            return _FUNCTIONS[op](by_numpy, a)

        return f

    return of


def _det(by_numpy: Callable[..., Any], a: Array) -> Array:
    value = by_numpy(_core.stop_gradient(a))
    held: list[Array] = []

    def back(given: list[Array]) -> list[Array]:
        return [_core.multiply(_core.multiply(given[0], held[0]), matrix_transpose(_inverse(a)))]

    def forward(given: list[Array]) -> list[Array]:
        return [_core.multiply(held[0], trace(_solved(a, given[0])))]

    result: Array = _core.with_derivative([value], [a], "det", back, forward)[0]
    held.append(_core.copy(result))
    return result


def _slogdet(by_numpy: Callable[..., Any], a: Array) -> Any:
    value = by_numpy(_core.stop_gradient(a))
    sign, size = value

    def back(given: list[Array]) -> list[Array]:
        return [_core.multiply(given[0], matrix_transpose(_inverse(a)))]

    def forward(given: list[Array]) -> list[Array]:
        return [trace(_solved(a, given[0]))]

    return type(value)(sign, _core.with_derivative([size], [a], "slogdet", back, forward)[0])


def _cholesky(by_numpy: Callable[..., Any], a: Array) -> Array:
    value = by_numpy(_core.stop_gradient(a))
    held: list[Array] = []

    def back(given: list[Array]) -> list[Array]:
        (factor,) = held
        inner = _half(matmul(matrix_transpose(factor), given[0]))
        upper = matrix_transpose(factor)
        left = _solved(upper, matrix_transpose(_solved(upper, matrix_transpose(inner))))
        return [_core.multiply(_core.add(left, matrix_transpose(left)), 0.5)]

    def forward(given: list[Array]) -> list[Array]:
        (factor,) = held
        symmetric = _core.multiply(_core.add(given[0], matrix_transpose(given[0])), 0.5)
        inner = matrix_transpose(_solved(factor, matrix_transpose(_solved(factor, symmetric))))
        return [matmul(factor, _half(inner))]

    factor: Array = _core.with_derivative([value], [a], "cholesky", back, forward)[0]
    held.append(_core.copy(factor))
    return factor


def _eigh(by_numpy: Callable[..., Any], a: Array) -> Any:
    value = by_numpy(_core.stop_gradient(a))
    held: list[Array] = []

    def weights() -> Array:
        """1 / (w[j] - w[i]), and 0 on the diagonal."""
        w = held[0]
        n = w.shape[0]
        apart = _core.subtract(_core.reshape(w, (1, n)), _core.reshape(w, (n, 1)))
        same = _core.equal(eye(n, dtype=w.dtype, device=w.device), 1)
        return _core.where(same, 0.0, _core.divide(1.0, _core.where(same, 1.0, apart)))

    def back(given: list[Array]) -> list[Array]:
        vectors = held[1]
        turned = matrix_transpose(vectors)
        n = vectors.shape[0]
        spread = _core.multiply(eye(n, dtype=vectors.dtype, device=vectors.device), _core.reshape(given[0], (1, n)))
        inner = _core.add(spread, _core.multiply(weights(), matmul(turned, given[1])))
        whole = matmul(matmul(vectors, inner), turned)
        return [_core.multiply(_core.add(whole, matrix_transpose(whole)), 0.5)]

    def forward(given: list[Array]) -> list[Array]:
        vectors = held[1]
        symmetric = _core.multiply(_core.add(given[0], matrix_transpose(given[0])), 0.5)
        inner = matmul(matmul(matrix_transpose(vectors), symmetric), vectors)
        n = vectors.shape[0]
        moved = _core.sum(_core.multiply(inner, eye(n, dtype=vectors.dtype, device=vectors.device)), 0, False)
        return [moved, matmul(vectors, _core.multiply(weights(), inner))]

    made = _core.with_derivative(list(value), [a], "eigh", back, forward)
    held.extend(_core.copy(one) for one in made)
    return type(value)(*made)


_FUNCTIONS = {"cholesky": _cholesky, "det": _det, "eigh": _eigh, "slogdet": _slogdet}
