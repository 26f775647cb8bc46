"""Arrays of other CUDA libraries, by __cuda_array_interface__ (version 3, as Numba's documentation defines it)."""

from __future__ import annotations

from weft import _core
from weft._core import Array

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def from_cuda(x: Any, may_copy: bool) -> tuple[Array, bool]:
    """The array over the other library's memory, for reading, and whether it is a copy. What its stream was given comes first."""
    interface = x.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise TypeError("asarray: arrays have no masks: got a __cuda_array_interface__ with one")
    dtype, shape, strides = _core.dtype(interface["typestr"]), tuple(interface["shape"]), interface.get("strides")
    address = interface["data"][0]
    if 0 in shape:
        return _core.full(shape, 0, dtype, "cuda:0"), True
    apart, step = [], 1
    for axis in reversed(range(len(shape))):
        bytes_apart = step * dtype.itemsize if strides is None else strides[axis]
        if bytes_apart % dtype.itemsize:
            raise ValueError(f"asarray: strides are multiples of the element's {dtype.itemsize} bytes: got {tuple(strides)}")
        apart.insert(0, bytes_apart // dtype.itemsize)
        step *= shape[axis]
    stream = interface.get("stream") or 0
    taken = _core.borrow_strided(address, dtype, shape, apart, x, _core.device_of(address), stream, may_copy)
    if taken is None:
        raise ValueError("asarray: memory of a GPU with gaps or repetitions needs a copy: make it contiguous first")
    return taken
