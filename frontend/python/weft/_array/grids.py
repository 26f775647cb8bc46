"""Arrays made of ranges and positions: grids, the objects that brackets make, functions of positions."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._array.creation import linspace
from weft._array.positions import flatnonzero
from weft._array.shaping import broadcast_shapes, expand_dims, reshape, stack
from weft._base.arguments import whole_shape
from weft._base.asarray import asarray, heed
from weft._base.host import from_host, to_host

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Iterable, Sequence


def indices(dimensions: Iterable[int], dtype: Any = int, sparse: builtins.bool = False) -> Any:
    """The position along each axis of a grid."""
    is_given_once = hasattr(dimensions, "__iter__") and not isinstance(dimensions, str)
    dimensions = whole_shape("indices", tuple(dimensions) if is_given_once else dimensions)
    lines = []
    for axis, _ in enumerate(dimensions):
        extents = tuple(n if i == axis or not sparse else 1 for i, n in enumerate(dimensions))
        lines.append(_core.astype(_core.iota(extents, axis), _core.dtype(dtype)))
    if sparse:
        return tuple(lines)
    return stack(lines) if lines else _core.full((0,), 0, _core.dtype(dtype), "")


class _Grid:
    """mgrid and ogrid: coordinates from slices, where an imaginary step counts the points."""

    def __init__(self, sparse: builtins.bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        import numpy

        return from_host((numpy.ogrid if self.sparse else numpy.mgrid)[key], "")


mgrid, ogrid = _Grid(False), _Grid(True)


class _Joined:
    """r_ and c_: arrays joined by brackets."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getitem__(self, key: Any) -> Any:
        import numpy

        return from_host(getattr(numpy, self.name)[to_host(key)], "")


r_, c_ = _Joined("r_"), _Joined("c_")


class _Key:
    """s_ and index_exp: the index that brackets make, which index_exp gives as a tuple always."""

    def __init__(self, always_tuple: builtins.bool) -> None:
        self.always_tuple = always_tuple

    def __getitem__(self, key: Any) -> Any:
        return (key,) if self.always_tuple and not isinstance(key, tuple) else key


s_, index_exp = _Key(False), _Key(True)


def ix_(*args: Any) -> tuple[Array, ...]:
    """Vectors of positions as an open grid of them."""
    result = []
    for i, arg in enumerate(args):
        x = asarray(arg)
        if x.ndim != 1:
            raise ValueError(f"ix_: takes vectors: got shape {x.shape}")
        if x.dtype.kind == "b":
            x = flatnonzero(x)
        if x.size == 0 and not hasattr(arg, "dtype"):
            x = _core.astype(x, _core.dtype("int64"))
        result.append(reshape(x, [-1 if i == k else 1 for k in range(len(args))]))
    return tuple(result)


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: builtins.bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Array:
    """Powers of the base with evenly spaced exponents, along a new axis where bounds or base are arrays."""
    bases = asarray(base)
    if bases.ndim:
        shape = broadcast_shapes(bases.shape, asarray(start).shape, asarray(stop).shape)
        start = _core.broadcast_to(asarray(start), shape)
        base = expand_dims(_core.broadcast_to(bases, shape), axis)
    result = _core.pow(base, linspace(start, stop, num, endpoint, axis=axis))
    return result if dtype is None else _core.astype(result, _core.dtype(dtype))


def fromfunction(function: Any, shape: Sequence[int], *, dtype: Any = float, like: Any = None, **options: Any) -> Any:
    """What a function gives of the positions of a grid."""
    heed("fromfunction", None, like)
    if not callable(function):
        raise TypeError(f"fromfunction: takes a function: got {type(function).__name__}")
    return function(*indices(whole_shape("fromfunction", shape), dtype=dtype), **options)


def vander(x: Any, N: int | None = None, increasing: builtins.bool = False) -> Array:
    """The powers of a vector as columns."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError(f"vander: takes a vector: got shape {x.shape}")
    n = x.shape[0] if N is None else N
    powers = _core.iota((n,), 0) if increasing else n - 1 - _core.iota((n,), 0)
    return _core.pow(x[:, None], powers)
