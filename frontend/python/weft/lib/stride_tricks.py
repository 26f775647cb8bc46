"""Overlapping windows of arrays."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._array.shaping import broadcast_arrays, broadcast_shapes, broadcast_to, normalized
from weft._base.asarray import asarray

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if hasattr(value, "__iter__") else (value,)


def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: builtins.bool = False, writeable: builtins.bool = False
) -> Array:
    """The windows at every position, their axes behind those of x: a view. Where it is writeable the last of what is assigned to an element stays."""
    x, windows = asarray(x), _tuple(window_shape)
    axes = tuple(range(x.ndim)) if axis is None else tuple(normalized("sliding_window_view", one, x.ndim) for one in _tuple(axis))
    if len(axes) != len(windows):
        raise ValueError(f"sliding_window_view: takes as many extents as axes: got {window_shape} for {len(axes)} axes")
    for along, window in zip(axes, windows):
        if window < 0:
            raise ValueError(f"sliding_window_view: extents must not be negative: got {window_shape}")
        if x.shape[along] < window:
            raise ValueError(f"sliding_window_view: the window is larger than the array: got {window_shape} for shape {x.shape}")
        shown = _core.windows(x, window, along)
        x = _core.permute_dims(shown, [i for i in range(shown.ndim) if i != along + 1] + [along + 1])
    return x if writeable else _core.read_only(x)


def as_strided(
    x: Any, shape: Any = None, strides: Any = None, subok: builtins.bool = False, writeable: builtins.bool = True, *,
    check_bounds: builtins.bool | None = None,
) -> Array:
    """The elements at these strides in bytes from x's first, all of them in the memory of the array that x shows: a view. The last of
    what is assigned to an element stays. Bounds are checked whatever `check_bounds` says."""
    x = asarray(x)
    extents = x.shape if shape is None else _tuple(shape)
    steps = x.strides if strides is None else _tuple(strides)
    if len(extents) == len(steps):  # along one element no step is taken
        steps = tuple(step if extent > 1 else 0 for extent, step in zip(extents, steps))
    if builtins.any(step % x.itemsize for step in steps):
        raise ValueError(f"as_strided: strides are of whole elements of {x.itemsize} bytes: got {steps}")
    shown = _core.as_strided(x, extents, [step // x.itemsize for step in steps])
    return shown if writeable else _core.read_only(shown)
