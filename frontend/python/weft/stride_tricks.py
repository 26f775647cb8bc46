"""Overlapping windows of arrays."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._creation import asarray
from weft._shaping import broadcast_arrays, broadcast_shapes, broadcast_to, normalized

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]


def _read_only(x: Array) -> Array:
    return _core.broadcast_to(x, x.shape)


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if hasattr(value, "__iter__") else (value,)


def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: builtins.bool = False, writeable: builtins.bool = False
) -> Array:
    """The windows at every position, their axes behind those of x: x's values of that moment, read where they lie; read-only."""
    if writeable:
        raise ValueError("sliding_window_view: the windows are read-only: got writeable=True")
    x, windows = asarray(x), _tuple(window_shape)
    axes = tuple(range(x.ndim)) if axis is None else tuple(normalized("sliding_window_view", one, x.ndim) for one in _tuple(axis))
    if len(axes) != len(windows):
        raise ValueError(f"sliding_window_view: takes as many extents as axes: got {window_shape} for {len(axes)} axes")
    for along, window in zip(axes, windows):
        positions = x.shape[along] - window + 1
        if window < 0:
            raise ValueError(f"sliding_window_view: extents must not be negative: got {window_shape}")
        if positions < 1:
            raise ValueError(f"sliding_window_view: the window is larger than the array: got {window_shape} for shape {x.shape}")
        at = (positions, window)
        index = _core.to_device(_core.add(_core.iota(at, 0), _core.iota(at, 1)), x.device)
        taken = _core.take(x, index, along)
        x = _core.permute_dims(taken, [i for i in range(taken.ndim) if i != along + 1] + [along + 1])
    return _read_only(x)


def as_strided(
    x: Any, shape: Any = None, strides: Any = None, subok: builtins.bool = False, writeable: builtins.bool = False
) -> Array:
    """The elements at these strides in bytes, none of them outside of the row-major array: a read-only copy."""
    import numpy

    from weft._host import answered

    if writeable:
        raise ValueError("as_strided: what it gives is read-only: got writeable=True")
    x = asarray(x)
    extents = x.shape if shape is None else _tuple(shape)
    steps = x.strides if strides is None else _tuple(strides)
    if len(extents) != len(steps):
        raise ValueError(f"as_strided: takes as many strides as extents: got {steps} and {extents}")
    reach = [(extent - 1) * step for extent, step in zip(extents, steps)]
    least, most = builtins.sum(r for r in reach if r < 0), builtins.sum(r for r in reach if r > 0)
    if 0 not in extents and (least < 0 or most + x.itemsize > x.nbytes):
        raise ValueError(f"as_strided: shape {extents} and strides {steps} reach outside of {x.nbytes} bytes")

    def strided(values: Any) -> Any:
        return numpy.array(numpy.lib.stride_tricks.as_strided(numpy.ascontiguousarray(values), extents, steps))

    return _read_only(answered(strided, x))
