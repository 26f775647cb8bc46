"""Arrays among what functions take besides arrays: masks, numbers to start from, values to be written, positions."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._base.asarray import asarray

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def mask_of(op: str, where: Any) -> Array:
    """The condition that `where` is: arrays are of bools, numbers and lists are taken by their truth."""
    import numpy

    is_array = not _core.is_value(where) if isinstance(where, Array) else isinstance(where, numpy.ndarray)
    if is_array and where.dtype.kind != "b":
        raise TypeError(f"{op}: where is of bools: got {where.dtype}")
    return asarray(where, _core.dtype("bool"))


def start_of(op: str, initial: Any, dtype: Any, device: str) -> Array:
    """The one number that a reduction starts from, which has to fit the dtype of what is reduced."""
    if isinstance(initial, (str, bytes)):  # that is a number
        initial = asarray(initial, dtype, device=device)
    elif not isinstance(initial, (bool, int, float, complex)):
        initial = asarray(initial, device=None if isinstance(initial, Array) else device)
        if initial.ndim:
            raise ValueError(f"{op}: initial is one number: got an array of shape {initial.shape}")
        initial = _core.as_value(initial)
    start = _core.full((), 0, dtype, device)
    start[...] = initial
    return _core.as_value(start)


def as_stored(value: Any, x: Array) -> Array:
    """What is written to x: Python's numbers have to fit its dtype, as NumPy's rule is; arrays are converted."""
    import numpy

    if isinstance(value, (builtins.bool, int, float, complex)) and not isinstance(value, numpy.generic):
        one = _core.full((), 0, x.dtype, x.device)
        one[...] = value
        return one
    return asarray(value, x.dtype if value is None or isinstance(value, (list, tuple, range, str, bytes)) else None, device=x.device)


def unravelled(flat: Array, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """The positions along each axis of positions in the flat array."""
    result = []
    for extent in reversed(shape[1:]):
        extent = extent or 1
        result.append(_core.remainder(flat, extent))
        flat = _core.floor_divide(flat, extent)
    return (flat, *reversed(result))
