"""Indices with masks and arrays of positions, as NumPy has them, in terms of views, gathers and scatters.

Positions are looked at where they lie when they are used, since one outside of its axis is an IndexError; so are masks, for
how many elements they pick. What they pick from stays lazy. While a function is recorded, positions that depend on its
arguments are left to its calls.
"""

from __future__ import annotations

import builtins
from collections import namedtuple

from weft import _core
from weft._core import Array
from weft._array.picked_later import mask_of, pick, put as write_later
from weft._array.shaping import atleast_1d, normalized
from weft._base.asarray import asarray
from weft._base.devices import is_gpu
from weft._base.dtypes import can_cast
from weft._base.errors import named
from weft._base.memory import from_numpy
from weft._base.operands import as_stored, unravelled
from weft._base.out import store, target
from weft._base.recorded import refuse_arguments
from weft._base.written_by_numpy import numpys_too

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


# What an index picks from a view: `view` has the axes that are indexed in front, `count` of them; `positions` count in
# these axes together; `place` is where the positions' axes stand in the result. Where one is picked of each row, as
# `x[arange(n), columns]` does, `columns` are the positions along the second axis, else None.
_Picked = namedtuple("_Picked", "view count positions place columns")


def _index(entry: Any, reads_text: builtins.bool = False) -> Any:
    """A mask or an array of positions: an Array as it is, others in NumPy's memory."""
    import numpy

    index = entry if isinstance(entry, Array) else numpy.asarray(entry)
    if index.size == 0 and not isinstance(entry, (Array, numpy.ndarray)):
        index = index.astype(numpy.int64)
    if reads_text and (index.dtype.kind in "SU" or (index.dtype.kind == "f" and not hasattr(entry, "dtype"))):
        if index.dtype.kind == "f" and not numpy.isfinite(index).all():
            raise _core.Error(f"index: positions are integers: got {index[~numpy.isfinite(index)].flat[0]}")
        index = index.astype(numpy.int64)
    if index.dtype.kind == "O" and all(isinstance(one, int) for one in index.flat):
        raise IndexError("index: position out of range: got an integer of more than 64 bits")
    if index.dtype.kind not in "biu":
        raise IndexError(f"index: arrays that index are of integers or bools: got {index.dtype}")
    return index


def _is_array(entry: Any) -> builtins.bool:
    return not (entry is None or entry is Ellipsis or isinstance(entry, slice))


def _within(op: str, index: Any, axis: int, extent: int, device: str) -> Array:
    """Positions along an axis on a device; those of Arrays are looked at where they lie. IndexError when one is outside of the axis."""
    import numpy

    if isinstance(index, Array):
        _core.check_index(op, index, axis, extent)
        return _core.to_device(_core.astype(index, _int64), device)
    if index.size and not (-extent <= index.min() and index.max() < extent):
        bad = index.min() if index.min() < -extent else index.max()
        raise IndexError(f"{op}: position out of range for axis {axis} of extent {extent}: got {bad}")
    return from_numpy(numpy.asarray(index, numpy.int64, order="C"), device, True)


_int64 = "int64"


def _from_start(positions: Array, extent: int) -> Array:
    """Positions from 0, where negative ones count from the end."""
    return _core.where(_core.less(positions, 0), _core.add(positions, extent), positions)


def _picked(x: Array, key: Any) -> _Picked:
    entries = [_index(one) if _is_array(one) else one for one in (key if isinstance(key, tuple) else (key,))]
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
    positions: Any = None  # of the last array, where negative ones count from the end
    each_row = False
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
            each_row = False
            if builtins.any(n not in (extent, 0) for n, extent in zip(entry.shape, here)):
                raise IndexError(f"index: a mask has the shape of the axes it picks from, {here}: got {entry.shape}")
            if entry.ndim == 0:
                # A new axis of extent 1 or 0.
                axes.append(len(basic))
                indices.append(_core.full((int(entry),), 0, _int64, x.device))
                basic.append(None)
                continue
            axes += range(len(basic), len(basic) + entry.ndim)
            indices += unravelled(_core.true_positions(asarray(entry, device=x.device)), entry.shape)
            basic += [slice(None)] * entry.ndim
            axis += entry.ndim
        else:
            extent = x.shape[axis]
            positions = _within("index", entry, axis, extent, x.device)
            if not indices and used > 1 and entry.shape == (extent,):
                each_row = _core.counts_up(entry if isinstance(entry, Array) else positions)
            axes.append(len(basic))
            indices.append(_from_start(positions, extent) if used > 1 and entry.dtype.kind == "i" else positions)
            basic.append(slice(None))
            axis += 1
    view = x[tuple(basic)]
    adjacent = arrays[-1] - arrays[0] == len(arrays) - 1
    flat = indices[0]
    try:
        for one, at in zip(indices[1:], axes[1:]):
            flat = _core.add(_core.multiply(flat, view.shape[at]), one)
    except _core.Error:
        shapes = " and ".join(str(one.shape) for one in indices)
        raise IndexError(f"index: arrays of positions of several axes broadcast: got {shapes}") from None
    order = axes + [i for i in range(view.ndim) if i not in axes]
    each_row = each_row and len(indices) == 2 and positions.shape == indices[0].shape
    return _Picked(
        view=_core.permute_dims(view, order), count=len(axes), positions=flat, place=axes[0] if adjacent else 0,
        columns=positions if each_row else None,
    )


def _later(x: Array, key: Any) -> Any:
    """The index's entries and its mask, where that depends on the arguments of a function that is being recorded."""
    entries = key if isinstance(key, tuple) else (key,)
    mask = mask_of(entries)
    return None if mask is None else (entries if Ellipsis in [one for one in entries if not hasattr(one, "ndim")] else (*entries, Ellipsis), mask)


def _get(x: Array, key: Any) -> Any:
    later = _later(x, key)
    if later is not None:
        return pick(x, *later)
    if _is_whole_mask(x, key):
        return _core.take_where(x, asarray(key, device=x.device))
    view, count, positions, place, columns = _picked(x, key)
    if columns is not None and view.size:
        # Rows stay axes, so that what is computed row by row and what picks from it are one kernel.
        at = _core.reshape(columns, [columns.size, *(1,) * (view.ndim - 1)])
        result = _core.reshape(_core.take_along_axis(view, at, 1), [columns.size, *view.shape[2:]])
    else:
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


def _add(flat: Array, positions: Array, value: Any) -> None:
    """Adds along the first axis at these positions, each occurrence of one counting."""
    if not value.size:
        return
    # A GPU adds complex numbers one after another, but what is being recorded has no values to sort by.
    if flat.dtype.kind in "iuf" or not is_gpu(flat.device) or positions.size <= _few or _core.records():
        _core.add_along_axis(flat, _core.reshape(positions, [positions.size, *(1,) * (flat.ndim - 1)]), value, 0)
    else:
        from weft._array.sorting import add_by_position

        add_by_position(flat, _core.reshape(positions, (-1,)), value)


_few = 64  # complex numbers that a GPU adds one after another in less time than it takes to sort their positions


def add_at(x: Array, key: Any, value: Any) -> None:
    """x[key] += value, each occurrence of a position counting."""
    entries = key if isinstance(key, tuple) else (key,)
    if builtins.any(_is_array(one) for one in entries):
        _write(_add, x, key, as_stored(value, x))
    else:
        x[key] = _core.add(x[key], value)


def _set(x: Array, key: Any, value: Any) -> None:
    later = _later(x, key)
    if later is not None:
        write_later(x, *later, value)
        return
    if _is_whole_mask(x, key):
        if not isinstance(value, (Array, builtins.bool, int, float, complex)):
            value = as_stored(value, x)
        if key.ndim == x.ndim and getattr(value, "ndim", 0) > 1:
            raise TypeError(f"assign: takes a number or a vector for what a mask picks of all axes: got shape {value.shape}")
        _core.put_where(x, asarray(key, device=x.device), value)
        return
    _write(_put, x, key, as_stored(value, x))


def _write(how: Any, x: Array, key: Any, value: Array) -> None:
    """Puts values at, or adds them to, what the key picks."""
    target("assign", x)
    if not _core.writable(x):
        raise ValueError(f"assign: cannot write to a read-only view: got one of shape {x.shape}, made by broadcasting, as one element, or as "
                         "the imaginary part of real numbers, or made so: assignment destination is read-only")
    view, count, positions, place, _ = _picked(x, key)
    rest = view.shape[count:]
    shape = [*rest[:place], *positions.shape, *rest[place:]]
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    value = _core.broadcast_to(value, shape)
    n = positions.ndim
    value = _core.permute_dims(value, [*range(place, place + n), *range(place), *range(place + n, value.ndim)])
    flat = _flat_below(view, count)
    how(flat, positions, _core.reshape(value, [positions.size, *rest]))
    if not _core.shares_cell(flat, x):
        _core.assign(view, _core.reshape(flat, view.shape))


_core.index_with(_get, _set)


def _checked(op: str, index: Any, axis: int, extent: int, mode: str, device: str) -> Array:
    """Positions along an axis, as the mode has those outside of it."""
    import numpy

    positions = _index(index, True)
    if positions.dtype.kind == "b":  # numbers here, and no mask
        positions = positions.astype(_int64)
    if mode == "raise":
        return _within(op, positions, axis, extent, device)
    if mode not in ("wrap", "clip"):
        raise ValueError(f"{op}: mode is 'raise', 'wrap' or 'clip': got {mode!r}")
    if not isinstance(positions, Array):
        positions = from_numpy(numpy.asarray(positions, numpy.int64, order="C"), device, True)
    positions = _core.to_device(_core.astype(positions, _int64), device)
    if mode == "wrap":
        return _core.remainder(positions, extent)
    return _core.minimum(_core.maximum(positions, 0), extent - 1)


def _repeated(values: Any, count: int, like: Array) -> Array:
    """So many of the values, from the first again after the last."""
    values = _core.reshape(as_stored(values, like), (-1,))
    if values.size == 0:
        return values
    if values.size in (1, count):
        return _core.broadcast_to(values, (count,))
    return _core.take(values, _core.remainder(_core.arange(0, count, 1, _int64, like.device), values.size), 0)


def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Array:
    """Elements at positions along an axis; of the flat array without one."""
    x = a if isinstance(a, Array) and a.ndim else atleast_1d(a)
    if axis is None:
        x, axis = x if x.ndim == 1 else _core.reshape(x, (-1,)), 0
    axis = normalized("take", axis, x.ndim, False)
    if isinstance(indices, Array) and mode == "raise" and indices.ndim and indices.dtype.kind in "iu" and indices.device == x.device:
        _core.check_index("take", indices, axis, x.shape[axis])
        picked = _core.take(x, indices, axis)
        return picked if out is None else store(picked, out)
    positions = _checked("take", indices, axis, x.shape[axis], mode, x.device)
    return store(_core.take(x, positions, axis), out)


def _refuse_bools(op: str, indices: Any) -> None:
    if _index(indices).dtype.kind == "b":
        raise IndexError(f"{op}: positions are integers: got bool")


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Array:
    """One position along the axis for each place of the result."""
    x = asarray(arr)
    if axis is None:
        x, axis = _core.reshape(x, (-1,)), 0
    axis = normalized("take_along_axis", axis, x.ndim)
    _refuse_bools("take_along_axis", indices)
    positions = _checked("take_along_axis", indices, axis, x.shape[axis], "raise", x.device)
    if positions.ndim != x.ndim:
        raise ValueError(f"take_along_axis: the index has as many axes as the array, {x.ndim}: got {positions.ndim}")
    return _core.take_along_axis(x, positions, axis)


def _along_rows(shape: tuple[int, ...], positions: Array, along: int) -> tuple[Any, ...]:
    """The index by arrays that positions along one axis are: along the others each row is its own."""
    rows = [_core.reshape(_core.arange(0, n, 1, _int64, positions.device), [n if i == k else 1 for i in range(len(shape))]) for k, n in enumerate(shape)]
    rows[along] = positions
    return tuple(rows)


@numpys_too
def put_along_axis(arr: Array, indices: Any, values: Any, axis: int | None) -> None:
    """Writes values at one position along the axis for each place; the last of equal positions stays."""
    _refuse_bools("put_along_axis", indices)
    target = arr if axis is not None else _core.reshape(arr, (-1,))
    if not _core.shares_cell(target, arr):
        raise ValueError("put_along_axis: the strides do not allow a flat view")
    along = normalized("put_along_axis", 0 if axis is None else axis, target.ndim)
    positions = _checked("put_along_axis", indices, along, target.shape[along], "raise", arr.device)
    values = as_stored(values, arr)
    if positions.ndim == target.ndim:
        # Axes along which only the positions go on hold the same elements for all of them, the last of which stays.
        held = [1 if i != along and n == 1 else m for i, (n, m) in enumerate(zip(target.shape, positions.shape))]
        if held != list(positions.shape):
            shape = tuple(n if i != along and n != 1 and m == 1 else m for i, (n, m) in enumerate(zip(target.shape, positions.shape)))
            target[_along_rows(target.shape, positions, along)] = _core.broadcast_to(values, shape)
            return
    try:
        values = _core.broadcast_to(values, positions.shape)
    except Exception as error:
        raise named(error, "put_along_axis") from None
    _core.put_along_axis(target, positions, values, along)


@numpys_too
def put(a: Array, ind: Any, v: Any, mode: str = "raise") -> None:
    """Writes values at positions of the flat array, repeating the values as often as needed."""
    target("put", a)
    positions = _core.reshape(_checked("put", ind, 0, a.size, mode, a.device), (-1,))
    if not positions.size:
        return
    values = _repeated(v, positions.size, a)
    if not values.size:
        return
    flat = _flat_below(a, a.ndim)
    _put(flat, positions, values)
    if not _core.shares_cell(flat, a):
        _core.assign(a, _core.reshape(flat, a.shape))


def _check_safe(op: str, x: Array, values: Any) -> None:
    """TypeError where arrays hold what the array they are written to may not. Numbers, NumPy's too, have to fit when they are stored."""
    import numpy

    if isinstance(values, (Array, numpy.ndarray)) and not (isinstance(values, Array) and _core.is_value(values)) and not can_cast(values.dtype, x.dtype):
        raise TypeError(f"{op}: {values.dtype} cannot be cast to {x.dtype} by the rule 'safe'")


@numpys_too
def putmask(a: Array, mask: Any, values: Any) -> None:
    """Writes values, repeated as often as needed, where the mask is true."""
    target("putmask", a)
    _check_safe("putmask", a, values)
    mask = asarray(mask, device=a.device)
    if mask.size != a.size:
        raise ValueError(f"putmask: the mask has as many elements as the array, {a.size}: got {mask.size}")
    repeated = _repeated(values, a.size, a)
    if repeated.size:
        repeated = _core.astype(_core.reshape(repeated, a.shape), a.dtype)
        _core.assign(a, _core.where(_core.reshape(mask, a.shape), repeated, a))


@numpys_too
def place(arr: Array, mask: Any, vals: Any) -> None:
    """Writes the values one after another where the mask is true."""
    target("place", arr)
    _check_safe("place", arr, vals)
    mask = asarray(mask, device=arr.device)
    if mask.size != arr.size:
        raise ValueError(f"place: the mask has as many elements as the array, {arr.size}: got {mask.size}")
    positions = _core.true_positions(_core.not_equal(mask, 0))
    if positions.size:
        if not as_stored(vals, arr).size:
            raise ValueError("place: takes at least one value: got none")
        put(arr, positions, vals)


def extract(condition: Any, arr: Any) -> Array:
    """The elements where the condition is true, flat."""
    x = _core.reshape(asarray(arr), (-1,))
    mask = _core.not_equal(_core.reshape(asarray(condition, device=x.device), (-1,)), 0)
    if mask.shape == x.shape:
        return x[mask]
    return take(x, _core.true_positions(mask))  # which may be shorter, or longer where it is false


def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Array:
    """The slices along an axis for which the condition is true."""
    a = asarray(a)
    mask = asarray(condition, device=a.device)
    if mask.ndim != 1:
        raise ValueError(f"compress: the condition has one axis: got shape {mask.shape}")
    refuse_arguments("compress", (mask,))
    return take(a, _core.true_positions(_core.not_equal(mask, 0)), axis, out)
