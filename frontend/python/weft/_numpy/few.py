"""Order statistics of few elements, by a network of minima and maxima: a map over slices, which fuses and can be compiled.

The network is Batcher's odd-even merge sort (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M), without the comparisons that
the wanted positions do not depend on. A NaN gets to all of these, since minimum and maximum give it to both of their results.
"""

from __future__ import annotations

import functools
import math

from weft import _core
from weft._core import Array

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_MOST = 32  # elements, which take some 150 comparisons
_FEWEST = 1 << 10  # medians that take NumPy longer than recording them takes us


@functools.lru_cache(maxsize=64)
def network(count: int, wanted: tuple[int, ...]) -> tuple[tuple[int, int, bool, bool], ...]:
    """The comparisons that bring to the `wanted` positions what sorting would: two positions, of which the first takes the smaller value,
    and whether the smaller and the larger one are used."""
    pairs = []
    size = 1 << max(count - 1, 0).bit_length()
    p = size // 2
    while p:
        apart, q, rest = p, size // 2, 0
        while True:
            pairs += [(i, i + apart) for i in range(size - apart) if i & p == rest and i + apart < count]
            if q == p:
                break
            apart, q, rest = q - p, q // 2, p
        p //= 2
    used, needed = set(wanted), []
    for low, high in reversed(pairs):
        if low in used or high in used:
            needed.append((low, high, low in used, high in used))
            used |= {low, high}
    return tuple(reversed(needed))


def median(a: Array, axis: Any, keepdims: bool, is_recorded: bool) -> Any:
    """median() of few elements each; NotImplemented where there are many, where there is little to do, and for dtypes that have no order."""
    if a.dtype.kind not in "iuf" and a.dtype != "bool":
        return NotImplemented
    try:
        axes = range(a.ndim) if axis is None else [one.__index__() for one in (axis if isinstance(axis, tuple) else (axis,))]
    except AttributeError:
        return NotImplemented
    named = [*axes]
    axes = sorted({one % a.ndim for one in named if -a.ndim <= one < a.ndim})
    if len(axes) != len(named):
        return NotImplemented
    extents = [a.shape[one] for one in axes]
    count = math.prod(extents)
    if not 1 <= count <= _MOST or not (is_recorded or a.size >= _FEWEST * count):
        return NotImplemented
    kept = [one for one in range(a.ndim) if one not in axes]
    x = _core.permute_dims(a, [*axes, *kept])
    x = _core.astype(x, _core.dtype("uint8")) if a.dtype == "bool" else x
    values = [x[position_of(i, extents)] for i in range(count)]
    middle = (count - 1) // 2, count // 2
    for low, high, smaller, larger in network(count, tuple(sorted(set(middle)))):
        one, two = values[low], values[high]
        if smaller:
            values[low] = _core.minimum(one, two)
        if larger:
            values[high] = _core.maximum(one, two)
    dtype = a.dtype if a.dtype.kind == "f" else _core.dtype("float64")
    wide = _core.dtype("float32") if dtype.itemsize == 2 else dtype
    below, above = (_core.astype(values[one], wide) for one in middle)
    result = below if middle[0] == middle[1] else _core.divide(_core.add(below, above), 2)
    shape = [1 if one in axes else extent for one, extent in enumerate(a.shape)] if keepdims else [a.shape[one] for one in kept]
    result = _core.reshape(_core.astype(result, dtype), shape)
    return result if result.ndim else _core.as_value(result)


def position_of(index: int, extents: list[int]) -> tuple[int, ...]:
    """The position along each of these axes of the index-th element."""
    positions = []
    for extent in reversed(extents):
        index, position = divmod(index, extent)
        positions.append(position)
    return tuple(reversed(positions))
