"""Diagonals and triangles of matrices."""

from __future__ import annotations

import builtins
import math

from weft import _core
from weft._core import Array
from weft._array.positions import nonzero
from weft._array.shaping import normalized, reshape, shape
from weft._base.arguments import whole
from weft._base.asarray import asarray
from weft._base.host import answered
from weft._base.operands import as_stored
from weft._base.out import target
from weft._base.written_by_numpy import numpys_too

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def diagonal_view(op: str, x: Array, offset: int, axis1: int, axis2: int) -> Array:
    """The elements of a diagonal of two axes, along a new last axis: a view that is written through."""
    offset = whole(op, offset, "offset is an integer")
    first, second = normalized(op, axis1, x.ndim), normalized(op, axis2, x.ndim)
    if first == second:
        raise ValueError(f"{op}: the axes must be different")
    rest = [i for i in range(x.ndim) if i not in (first, second)]
    x = _core.permute_dims(x, [*rest, first, second])
    return _core.diagonal(x[..., -offset:, :] if offset < 0 else x[..., offset:] if offset else x)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The elements of a diagonal of two axes, along a new last axis: a read-only view."""
    x = asarray(a)
    if x.ndim < 2:
        raise ValueError(f"diagonal: needs at least two axes: got shape {x.shape}")
    result = diagonal_view("diagonal", x, offset, axis1, axis2)
    if result.flags.writeable:
        _core.set_writable(result, False)
    return result


def diag(v: Any, k: int = 0) -> Array:
    """A vector as a diagonal of a matrix, or the diagonal of a matrix, a read-only view."""
    x = asarray(v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ValueError(f"diag: takes one axis or two: got shape {x.shape}")
    k = whole("diag", k, "k is an integer")
    n = x.shape[0] + (k if k >= 0 else -k)
    result = _core.full((n, n), 0, x.dtype, x.device)
    diagonal_view("diag", result, k, 0, 1)[...] = x
    return result


def diagflat(v: Any, k: int = 0) -> Array:
    """The flat array as a diagonal of a matrix."""
    return diag(reshape(v, (-1,)), k)


@numpys_too
def fill_diagonal(a: Array, val: Any, wrap: builtins.bool = False) -> None:
    """Writes to the main diagonal; with `wrap` also to those that begin below it in a matrix of more rows than columns."""
    shape = target("fill_diagonal", a).shape
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise ValueError(f"fill_diagonal: takes a matrix, or more axes that are all as long: got shape {shape}")
    flat = _core.reshape(a, (-1,))
    if a.size and _core.shares_cell(flat, a):
        # In memory that lies in one piece it is every so many elements, from the first.
        apart = 1 + builtins.sum(math.prod(shape[k:]) for k in range(1, len(shape)))
        line = flat[: shape[1] * shape[1] if len(shape) == 2 and not wrap else None : apart]
        values = _core.reshape(as_stored(val, a), (-1,))
        if values.size:
            n = line.shape[0]
            line[...] = values if values.size in (1, n) else _core.tile(values, (-(-n // values.size),))[:n]
        return
    if len(shape) > 2 or not wrap or shape[0] <= shape[1]:
        n = builtins.min(shape)
        positions = (_core.iota((n,), 0),) * len(shape)
    else:
        rows, columns = shape
        # Each diagonal is followed by a row that has none of it.
        at = _core.iota((-(-rows * columns // (columns + 1)),), 0) * (columns + 1)
        positions = (at // columns, at % columns)
    n = positions[0].shape[0]
    values = _core.reshape(as_stored(val, a), (-1,))
    if values.size == 0:
        return  # as NumPy: there is nothing to repeat
    if values.size not in (1, n):
        values = _core.tile(values, (-(-n // values.size),))[:n]
    a[positions] = values


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """The positions of the main diagonal."""
    n = max(whole("diag_indices", n, "extents are integers", False), 0)
    return (_core.iota((n,), 0),) * whole("diag_indices", ndim, "the number of axes is an integer")


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, ...]:
    """The positions at and below a diagonal."""
    import numpy

    return answered(numpy.tril_indices, n, k, m)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, ...]:
    """The positions at and above a diagonal."""
    import numpy

    return answered(numpy.triu_indices, n, k, m)


def _square(op: str, arr: Any) -> tuple[int, ...]:
    extents = shape(arr)
    if len(extents) != 2:
        raise ValueError(f"{op}: takes a matrix: got shape {extents}")
    return extents


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """The positions at and below a diagonal of this matrix."""
    rows, columns = _square("tril_indices_from", arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """The positions at and above a diagonal of this matrix."""
    rows, columns = _square("triu_indices_from", arr)
    return triu_indices(rows, k, columns)


def diag_indices_from(arr: Any) -> tuple[Array, ...]:
    """The positions of the main diagonal of this array, whose extents are equal."""
    extents = shape(arr)
    if len(extents) < 2 or len(set(extents)) != 1:
        raise ValueError(f"diag_indices_from: takes at least two axes, all as long: got shape {extents}")
    return diag_indices(extents[0], len(extents))


def mask_indices(n: int, mask_func: Any, k: Any = 0) -> tuple[Array, ...]:
    """The positions in a square matrix that a function as triu() leaves."""
    return nonzero(mask_func(_core.full((n, n), 1, _core.dtype(int), ""), k))
