"""Arrays with elements added and taken away: always new ones, recorded as everything else."""

from __future__ import annotations

from weft import _core
from weft._core import Array, Error
from weft._array.shaping import concat, moveaxis, with_axis
from weft._base.asarray import asarray
from weft._base.errors import named
from weft._base.host import to_host
from weft._base.memory import from_numpy

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _beside(x: Array, values: Any, dtype: Any = None) -> Array:
    """The values as an array where x lies."""
    if isinstance(values, Array):
        return values if dtype is None else _core.astype(values, dtype)
    return asarray(values, dtype, device=x.device)


def _part(x: Array, axis: int, start: int | None, stop: int | None) -> Array:
    return x[(slice(None),) * axis + (slice(start, stop),)]


def _taken(x: Array, positions: Any, axis: int) -> Array:
    return _core.take(x, from_numpy(positions, x.device), axis)


def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """The array with values behind it along an axis; both flat without one."""
    x = asarray(arr)
    if axis is None:
        x, values, axis = _core.reshape(x, (-1,)), _core.reshape(_beside(x, values), (-1,)), 0
    try:
        return concat([x, _beside(x, values)], axis=axis)
    except Error as error:
        raise named(error, "append") from None


def delete(arr: Any, obj: Any, axis: int | None = None) -> Array:
    """The array without the positions that an integer, a slice, a list or a mask names along an axis; of the flat array without one."""
    import numpy

    x, along = with_axis("delete", arr, axis)
    extent = x.shape[along]
    if isinstance(obj, int) and not isinstance(obj, bool):
        if not -extent <= obj < extent:
            raise IndexError(f"delete: position out of range for an extent of {extent}: got {obj}")
        at = obj % extent
        return concat([_part(x, along, None, at), _part(x, along, at + 1, None)], axis=along)
    try:
        kept = numpy.delete(numpy.arange(extent), obj if isinstance(obj, slice) else to_host(obj))
    except (IndexError, ValueError) as error:
        raise type(error)(f"delete: {error}") from None
    return _taken(x, kept, along)


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Array:
    """The array with values put in before the positions that an integer, a slice, a list or a mask names; flat without an axis."""
    import numpy

    x, along = with_axis("insert", arr, axis)
    extent = x.shape[along]
    places = numpy.arange(extent)[obj] if isinstance(obj, slice) else numpy.asarray(to_host(obj))
    if places.dtype.kind == "b":
        places = numpy.flatnonzero(places)
    if places.ndim > 1:
        raise ValueError(f"insert: positions have one axis at most: got shape {places.shape}")
    if not places.size and not isinstance(obj, (Array, numpy.ndarray)):
        places = places.astype(numpy.int64)
    if places.dtype.kind not in "iu":
        raise IndexError(f"insert: positions are integers: got {places.dtype}")
    if places.size and not (-extent <= places.min() and places.max() <= extent):
        raise IndexError(f"insert: position out of range for an extent of {extent}: got {places.min()} to {places.max()}")
    new = _beside(x, values, x.dtype)
    if new.ndim < x.ndim:
        new = _core.reshape(new, (1,) * (x.ndim - new.ndim) + new.shape)
    if places.ndim == 0:
        new = moveaxis(new, 0, along)
    count = places.size if places.size != 1 else new.shape[along]
    try:
        new = _core.broadcast_to(new, x.shape[:along] + (count,) + x.shape[along + 1 :])
    except Error as error:
        raise named(error, "insert") from None
    if places.size == 1:
        at = int(places.item()) % extent if places.item() < 0 else int(places.item())
        return concat([_part(x, along, None, at), new, _part(x, along, at, None)], axis=along)
    return _taken(concat([x, new], axis=along), numpy.insert(numpy.arange(extent), places, numpy.arange(extent, extent + count)), along)
