"""Indices with masks and arrays of positions, as NumPy has them, in terms of views, gathers and scatters.

Positions are looked at when they are used, since one outside of its axis is an IndexError; so are masks, for how many
elements they pick. What they pick from stays lazy.
"""

from __future__ import annotations

import builtins
from collections import namedtuple

from weft import _core
from weft._core import Array
from weft._creation import asarray
from weft._elementwise import store, target
from weft._errors import named
from weft._memory import from_numpy, to_numpy

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

__all__ = ["compress", "extract", "place", "put", "put_along_axis", "putmask", "take", "take_along_axis"]


# What an index picks from a view: `view` has the axes that are indexed in front, `count` of them; `positions` count in
# these axes together; `place` is where the positions' axes stand in the result.
_Picked = namedtuple("_Picked", "view count positions place")


def _host_index(entry: Any) -> Any:
    """A mask or an array of positions in host memory."""
    import numpy

    index = to_numpy(entry) if isinstance(entry, Array) else numpy.asarray(entry)
    if index.size == 0 and not isinstance(entry, (Array, numpy.ndarray)):
        index = index.astype(numpy.int64)
    if index.dtype.kind not in "biu":
        raise IndexError(f"index: arrays that index are of integers or bools: got {index.dtype}")
    if index.dtype.kind == "u" and index.dtype.itemsize == 8 and index.size and index.max() > numpy.iinfo(numpy.int64).max:
        raise IndexError(f"index: position out of range: got {index.max()}")
    # An extent may not fit a small dtype.
    return index if index.dtype.kind == "b" else index.astype(numpy.int64, copy=False)


def _is_array(entry: Any) -> builtins.bool:
    return not (entry is None or entry is Ellipsis or isinstance(entry, slice))


def _picked(x: Array, key: Any) -> _Picked:
    import numpy

    entries = [_host_index(one) if _is_array(one) else one for one in (key if isinstance(key, tuple) else (key,))]
    arrays = [i for i, one in enumerate(entries) if _is_array(one)]
    used = builtins.sum(
        (one.ndim if one.dtype.kind == "b" else 1) if _is_array(one) else isinstance(one, slice) for one in entries
    )
    if used > x.ndim:
        raise IndexError(f"index: too many positions for an array of {x.ndim} axes: got {used}")
    if builtins.sum(one is Ellipsis for one in entries) > 1:
        raise IndexError("index: takes one ellipsis at most")

    basic: list[Any] = []  # the same index without arrays, which takes all of their axes
    axes: list[int] = []  # of its result: those that arrays index
    indices: list[Any] = []
    axis = 0  # of x
    for entry in entries:
        if entry is Ellipsis:
            basic += [slice(None)] * (x.ndim - used)
            axis += x.ndim - used
        elif entry is None:
            basic.append(None)
        elif isinstance(entry, slice):
            basic.append(entry)
            axis += 1
        elif entry.dtype.kind == "b":
            here = x.shape[axis : axis + entry.ndim]
            if builtins.any(n not in (extent, 0) for n, extent in zip(entry.shape, here)):
                raise IndexError(f"index: a mask has the shape of the axes it picks from, {here}: got {entry.shape}")
            if entry.ndim == 0:
                # A new axis of extent 1 or 0.
                axes.append(len(basic))
                indices.append(numpy.zeros(int(entry), numpy.int64))
                basic.append(None)
                continue
            axes += range(len(basic), len(basic) + entry.ndim)
            indices += entry.nonzero()
            basic += [slice(None)] * entry.ndim
            axis += entry.ndim
        else:
            extent = x.shape[axis]
            if entry.size and not (-extent <= entry.min() and entry.max() < extent):
                bad = entry.min() if entry.min() < -extent else entry.max()
                raise IndexError(f"index: position out of range for axis {axis} of extent {extent}: got {bad}")
            axes.append(len(basic))
            indices.append(numpy.where(entry < 0, entry + extent, entry))
            basic.append(slice(None))
            axis += 1
    view = x[tuple(basic)]
    adjacent = arrays[-1] - arrays[0] == len(arrays) - 1
    flat = indices[0]
    for one, at in zip(indices[1:], axes[1:]):
        flat = flat * view.shape[at] + one
    order = axes + [i for i in range(view.ndim) if i not in axes]
    return _Picked(
        view=_core.permute_dims(view, order),
        count=len(axes),
        positions=from_numpy(numpy.asarray(flat, order="C"), x.device),
        place=axes[0] if adjacent else 0,
    )


def _get(x: Array, key: Any) -> Array:
    if _is_whole_mask(x, key):
        return _core.take_where(x, asarray(key, device=x.device))
    view, count, positions, place = _picked(x, key)
    flat = _core.reshape(view, [-1 if view.size else _product(view.shape[:count]), *view.shape[count:]])
    result = _core.take(flat, positions, 0)
    if place == 0:
        return result
    # The positions' axes from the front to their place.
    n = positions.ndim
    return _core.permute_dims(result, [*range(n, n + place), *range(n), *range(n + place, result.ndim)])


def _product(extents: Any) -> int:
    result = 1
    for extent in extents:
        result *= extent
    return result


def _is_whole_mask(x: Array, key: Any) -> builtins.bool:
    import numpy

    return (
        isinstance(key, (Array, numpy.ndarray)) and key.dtype.kind == "b" and 0 < key.ndim <= x.ndim
        and key.shape == x.shape[: key.ndim]
    )


def _flat_below(x: Array, count: int) -> Array:
    """x with its first `count` axes as one."""
    return _core.reshape(x, [_product(x.shape[:count]), *x.shape[count:]])


def _put(flat: Array, positions: Array, value: Any) -> None:
    """Writes along the first axis at these positions."""
    if value.size:
        _core.put_along_axis(flat, _core.reshape(positions, [positions.size, *(1,) * (flat.ndim - 1)]), value, 0)


def _stored(value: Any, x: Array) -> Array:
    """What is written to x: Python's numbers have to fit its dtype, as NumPy's rule is; arrays are converted."""
    import numpy

    if isinstance(value, (builtins.bool, int, float, complex)) and not isinstance(value, numpy.generic):
        one = _core.full((), 0, x.dtype, x.device)
        one[...] = value
        return one
    return asarray(value, x.dtype if isinstance(value, (list, tuple, range)) else None, device=x.device)


def _set(x: Array, key: Any, value: Any) -> None:
    if _is_whole_mask(x, key):
        if not isinstance(value, (Array, builtins.bool, int, float, complex)):
            value = _stored(value, x)
        _core.put_where(x, asarray(key, device=x.device), value)
        return
    target("assign", x)
    if not _core.writable(x):
        raise ValueError(f"assign: cannot write to a read-only view: got one of shape {x.shape}, made by broadcasting, as one element, or as "
                         "the imaginary part of real numbers")
    view, count, positions, place = _picked(x, key)
    value = _stored(value, x)
    rest = view.shape[count:]
    shape = [*rest[:place], *positions.shape, *rest[place:]]
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    value = _core.broadcast_to(value, shape)
    n = positions.ndim
    value = _core.permute_dims(value, [*range(place, place + n), *range(place), *range(place + n, value.ndim)])
    flat = _flat_below(view, count)
    _put(flat, positions, _core.reshape(value, [positions.size, *rest]))
    if not _core.shares_cell(flat, x):
        _core.assign(view, _core.reshape(flat, view.shape))


_core.index_with(_get, _set)


def _checked(index: Any, extent: int, mode: str, op: str) -> Array:
    """Positions from 0 below the extent, as the mode has it."""
    import numpy

    positions = _host_index(index)
    if positions.dtype.kind == "b":
        raise TypeError(f"{op}: positions are integers: got bool")
    if mode == "raise":
        if positions.size and not (-extent <= positions.min() and positions.max() < extent):
            raise IndexError(f"{op}: position out of range for an extent of {extent}: got {positions.min()} to {positions.max()}")
    elif mode == "wrap":
        positions = positions % extent
    elif mode == "clip":
        positions = numpy.clip(positions, 0, extent - 1)
    else:
        raise ValueError(f"{op}: mode is 'raise', 'wrap' or 'clip': got {mode!r}")
    return from_numpy(numpy.asarray(positions, order="C"))


def take(x: Any, indices: Any, /, axis: int | None = None, out: Any = None, mode: str = "raise") -> Array:
    """Elements at positions along an axis; of the flat array without one."""
    from weft._shaping import normalized

    x = asarray(x)
    if axis is None:
        x, axis = _core.reshape(x, (-1,)), 0
    axis = normalized("take", axis, x.ndim)
    positions = _checked(indices, x.shape[axis], mode, "take")
    return store(_core.take(x, _core.to_device(positions, x.device), axis), out, same_dtype=True)


def take_along_axis(x: Any, indices: Any, /, axis: int | None = -1) -> Array:
    """One position along the axis for each place of the result."""
    from weft._shaping import normalized

    x = asarray(x)
    if axis is None:
        x, axis = _core.reshape(x, (-1,)), 0
    axis = normalized("take_along_axis", axis, x.ndim)
    positions = _checked(indices, x.shape[axis], "raise", "take_along_axis")
    if positions.ndim != x.ndim:
        raise ValueError(f"take_along_axis: the index has as many axes as the array, {x.ndim}: got {positions.ndim}")
    return _core.take_along_axis(x, _core.to_device(positions, x.device), axis)


def put_along_axis(x: Array, indices: Any, values: Any, axis: int | None) -> None:
    """Writes values at one position along the axis for each place; the last of equal positions stays."""
    from weft._shaping import normalized

    target = x if axis is not None else _core.reshape(x, (-1,))
    if not _core.shares_cell(target, x):
        raise ValueError("put_along_axis: the strides do not allow a flat view")
    along = normalized("put_along_axis", 0 if axis is None else axis, target.ndim)
    positions = _checked(indices, target.shape[along], "raise", "put_along_axis")
    try:
        values = _core.broadcast_to(asarray(values, device=x.device), positions.shape)
    except Exception as error:
        raise named(error, "put_along_axis") from None
    _core.put_along_axis(target, _core.to_device(positions, x.device), values, along)


def put(a: Array, ind: Any, v: Any, mode: str = "raise") -> None:
    """Writes values at positions of the flat array, repeating the values as often as needed."""
    import numpy

    target("put", a)
    positions = to_numpy(_checked(ind, a.size, mode, "put")).reshape(-1)
    values = to_numpy(asarray(v)).reshape(-1)
    if not positions.size:
        return
    a[numpy.unravel_index(positions, a.shape)] = numpy.resize(values, positions.shape)


def putmask(a: Array, mask: Any, values: Any) -> None:
    """Writes values, repeated as often as needed, where the mask is true."""
    import numpy

    target("putmask", a)
    repeated = numpy.resize(to_numpy(asarray(values)), a.shape)
    _core.assign(a, _core.where(mask, from_numpy(repeated, a.device), a))


def place(arr: Array, mask: Any, vals: Any) -> None:
    """Writes the values one after another where the mask is true."""
    import numpy

    target("place", arr)
    picked = _host_index(mask).astype(builtins.bool)
    count = int(picked.sum())
    if count:
        arr[picked.reshape(arr.shape)] = numpy.resize(to_numpy(asarray(vals)), count)


def extract(condition: Any, arr: Any) -> Array:
    """The elements where the condition is true, flat."""
    mask = _core.reshape(asarray(condition), (-1,))
    return _core.reshape(asarray(arr), (-1,))[_core.not_equal(mask, 0)]


def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Array:
    """The slices along an axis for which the condition is true."""
    import numpy

    mask = _host_index(condition)
    if mask.ndim != 1:
        raise ValueError(f"compress: the condition has one axis: got shape {mask.shape}")
    return take(a, numpy.flatnonzero(mask), axis, out)
