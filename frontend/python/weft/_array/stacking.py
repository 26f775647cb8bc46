"""NumPy's names for putting arrays together, taking them apart and turning them."""

from __future__ import annotations

from weft._core import Array
from weft._array.shaping import atleast_1d, atleast_2d, atleast_3d, concat, flip, listed, moveaxis, normalized, reshape, swapaxes
from weft._base.arguments import whole
from weft._base.asarray import asarray

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Sequence


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """Arrays on top of each other, vectors as rows."""
    return concat([atleast_2d(x) for x in listed("vstack", tup)], axis=0, dtype=dtype, casting=casting)


row_stack = vstack


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """Arrays beside each other: along the second axis, vectors along their own."""
    xs = [atleast_1d(x) for x in listed("hstack", tup)]
    return concat(xs, axis=0 if xs and xs[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup: Sequence[Any]) -> Array:
    """Arrays behind each other, along the third axis."""
    return concat([atleast_3d(x) for x in listed("dstack", tup)], axis=2)


def column_stack(tup: Sequence[Any]) -> Array:
    """Arrays beside each other, vectors as columns."""
    xs = [asarray(x) for x in listed("column_stack", tup)]
    return concat([x if x.ndim > 1 else reshape(x, (-1, 1)) for x in xs], axis=1)


def _count(indices_or_sections: Any) -> Any:
    """How many parts are asked for, a number; None where positions are given."""
    try:
        len(indices_or_sections)
    except TypeError:
        return indices_or_sections
    return None


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Parts along an axis, at positions or as even as can be; views."""
    x = asarray(ary)
    along = normalized("split", axis, x.ndim)
    extent = x.shape[along]
    n = _count(indices_or_sections)
    if n is not None:
        n = int(n)
        if n > 1 << 31:
            raise ValueError(f"split: there are no lists of so many parts: got {n}")
        if n < 1:
            raise ValueError(f"split: the number of parts must be above 0: got {n}")
        each, more = extent // n, extent % n
        starts = [i * each + (i if i < more else more) for i in range(n + 1)]
    else:
        starts = [0, *(whole("split", i, "positions are integers") for i in indices_or_sections), extent]
    front = (slice(None),) * along
    return [x[front + (slice(a, b),)] for a, b in zip(starts, starts[1:])]


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Parts along an axis, at positions or equally long; views."""
    x = asarray(ary)
    n = _count(indices_or_sections)
    extent = x.shape[normalized("split", axis, x.ndim)]
    if n is not None and not n:
        raise ZeroDivisionError(f"split: {extent} elements cannot be no parts")
    if n is not None and extent % n:
        raise ValueError(f"split: {extent} elements cannot be {n} equal parts")
    return array_split(x, indices_or_sections, axis)


def _of_axes(op: str, ary: Any, least: int) -> Array:
    x = asarray(ary)
    if x.ndim < least:
        raise ValueError(f"{op}: takes arrays of at least {least} axes: got shape {x.shape}")
    return x


def vsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Parts along the first axis; views."""
    return split(_of_axes("vsplit", ary, 2), indices_or_sections, 0)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Parts along the second axis, of vectors along their own; views."""
    x = _of_axes("hsplit", ary, 1)
    return split(x, indices_or_sections, 0 if x.ndim == 1 else 1)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Parts along the third axis; views."""
    return split(_of_axes("dsplit", ary, 3), indices_or_sections, 2)


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Array:
    """The array turned by quarters in the plane of two axes; a view."""
    x = asarray(m)
    k = k.__index__() if hasattr(k, "__index__") else k
    if len(axes) != 2 or normalized("rot90", axes[0], x.ndim) == normalized("rot90", axes[1], x.ndim):
        raise ValueError(f"rot90: takes two different axes: got {axes}")
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
    x = asarray(a)
    axis = normalized("rollaxis", axis, x.ndim)
    start = normalized("rollaxis", start, x.ndim + 1) if start >= 0 else normalized("rollaxis", start, x.ndim)
    return moveaxis(x, axis, start - 1 if axis < start else start)
