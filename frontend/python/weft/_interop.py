"""Arrays of other CUDA libraries, by __cuda_array_interface__ (version 3, as Numba's documentation defines it)."""

from __future__ import annotations

from weft import _core
from weft._core import Array

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def from_cuda(x: Any) -> Array:
    """The array over the other library's memory, for reading. What its stream was given comes first."""
    interface = x.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise TypeError("asarray: arrays have no masks: got a __cuda_array_interface__ with one")
    dtype, shape = _core.dtype(interface["typestr"]), tuple(interface["shape"])
    address = interface["data"][0]
    elements = 1
    for extent in shape:
        elements *= extent
    if elements == 0:
        return _core.full(shape, 0, dtype, "cuda:0")
    order = _row_major_order(shape, interface.get("strides"), dtype.itemsize)
    if order is None:
        raise ValueError("asarray: takes memory of a GPU without gaps or repetitions: make it contiguous first")
    stream = interface.get("stream") or 0
    lying = _core.borrow(address, dtype, [shape[axis] for axis in order], x, _core.device_of(address), stream)
    return lying if order == sorted(order) else _core.permute_dims(lying, [order.index(axis) for axis in range(len(shape))])


def _row_major_order(shape: tuple[int, ...], strides: Any, itemsize: int) -> list[int] | None:
    """The axes, largest stride first, in whose order the memory is row-major; None where it is not."""
    axes = list(range(len(shape)))
    if strides is None:
        return axes
    axes.sort(key=lambda axis: 0 if shape[axis] == 1 else -strides[axis])
    expected = itemsize
    for axis in reversed(axes):
        if shape[axis] != 1:
            if strides[axis] != expected:
                return None
            expected *= shape[axis]
    return axes
