"""Elements chosen by conditions and numbers, and arrays put together of parts and repetitions."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._array.shaping import broadcast_shapes, concat, listed, normalized
from weft._base.arguments import whole_shape
from weft._base.asarray import asarray
from weft._base.dtypes import result_type
from weft._base.out import store, value_of_rank_0
from weft._base.recorded import of_arguments

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Array:
    """Of the arrays in `choices`, for each element that one whose number stands in a."""
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeError(f"choose: takes the numbers of choices, integers: got {a.dtype}")
    given = listed("choose", choices)
    arrays = [asarray(one) for one in given]
    n = len(arrays)
    if not n:
        raise ValueError("choose: takes at least one choice: got none")
    if mode == "wrap":
        a = _core.remainder(_core.astype(a, _core.dtype("int64")), n)
    elif mode == "raise":
        if a.size and not (0 <= int(_core.min(a, None, False)) and int(_core.max(a, None, False)) < n):
            raise ValueError(f"choose: there are {n} choices, 0 to {n - 1}: got {_core.min(a, None, False)} to {_core.max(a, None, False)}")
    elif mode != "clip":
        raise ValueError(f"choose: mode is 'raise', 'wrap' or 'clip': got {mode!r}")
    weak = (bool, int, float, complex)
    dtype = result_type(*(one if type(one) in weak else array for one, array in zip(given, arrays)))
    shape = broadcast_shapes(a.shape, *(one.shape for one in arrays))
    result = _core.astype(arrays[-1], dtype)
    for i in range(n - 2, -1, -1):
        # The first takes what lies below it and the last what lies above: so "clip" has it.
        result = _core.where(_core.less_equal(a, i), arrays[i], result)
    result = _core.astype(result, dtype)
    result = result if result.shape == shape else _core.copy(_core.broadcast_to(result, shape))
    return value_of_rank_0(result) if out is None else store(result, out)


def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Array:
    """For each element the function, or the number, of the last condition that is true there; of one more function where none is, else 0.

    Functions are called with the elements that they are for, as in NumPy, so the conditions are looked at; numbers stay lazy. Where the
    conditions have no values to look at, as in compile(), functions are called with all elements, and what they are for is chosen.
    """
    import numpy

    x = asarray(x)

    def several(one: Any) -> bool:
        return isinstance(one, (list, tuple)) or (isinstance(one, (Array, numpy.ndarray)) and one.ndim > 0)

    if not several(condlist) or (not several(condlist[0]) and x.ndim):
        condlist = [condlist]
    conditions = [_core.astype(asarray(one), _core.dtype("bool")) for one in condlist]
    if not x.ndim:
        conditions = [_core.reshape(one, (1,)) for one in conditions]
        return _core.reshape(piecewise(_core.reshape(x, (1,)), conditions, funclist, *args, **kw), ())
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        none = _core.logical_not(conditions[0])
        for one in conditions[1:]:
            none = _core.logical_and(none, _core.logical_not(one))
        conditions.append(none)
    if len(functions) != len(conditions):
        n = len(conditions)
        raise ValueError(f"piecewise: with {n} conditions takes {n} functions, or one more: got {len(functions)}")
    for condition in conditions:
        if condition.shape != x.shape[: condition.ndim]:
            raise IndexError(f"piecewise: conditions have the array's shape {x.shape}: got {condition.shape}")
    result = _core.full(x.shape, 0, x.dtype, x.device)
    for condition, function in zip(conditions, functions):
        if not callable(function):
            result = _core.astype(_core.where(condition, asarray(function, x.dtype, device=x.device), result), x.dtype)
            continue
        if of_arguments((condition,)):
            condition = _core.reshape(condition, (*condition.shape, *(1,) * (x.ndim - condition.ndim)))
            result = _core.astype(_core.where(condition, function(x, *args, **kw), result), x.dtype)
            continue
        chosen = x[condition]
        if chosen.size:
            result[condition] = function(chosen, *args, **kw)
    return result


def resize(a: Any, new_shape: Any) -> Array:
    """The elements under another shape, from the first on again where there are too few."""
    x = _core.reshape(asarray(a), (-1,))
    shape = whole_shape("resize", new_shape)
    size = 1
    for extent in shape:
        if extent < 0:
            raise ValueError(f"resize: extents must not be negative: got {shape}")
        size *= extent
    if x.size == 0 or size == 0:
        return _core.full(shape, 0, x.dtype, x.device)
    return _core.reshape(_core.tile(x, (-(-size // x.size),))[:size], shape)


def _depth(arrays: Any) -> int:
    """How deep lists are nested, everywhere."""
    if not isinstance(arrays, list):
        if isinstance(arrays, tuple):
            raise TypeError(f"block: takes nested lists, no tuples: got {type(arrays).__name__}")
        return 0
    if not arrays:
        raise ValueError("block: lists must not be empty: got []")
    depths = {_depth(one) for one in arrays}
    if len(depths) != 1:
        raise ValueError(f"block: all lists must be nested as deep: got depths {sorted(depths)}")
    return depths.pop() + 1


def block(arrays: Any) -> Array:
    """An array put together of nested lists of blocks: the innermost along the last axis."""

    def ndim(one: Any) -> int:
        return max(map(ndim, one)) if isinstance(one, list) else asarray(one).ndim

    depth = _depth(arrays)
    axes = max(depth, ndim(arrays))

    def joined(one: Any, level: int) -> Array:
        if isinstance(one, list):
            return concat([joined(part, level - 1) for part in one], axis=-level)
        x = asarray(one)
        return x if x.ndim == axes else _core.reshape(x, (1,) * (axes - x.ndim) + x.shape)

    result = joined(arrays, depth)
    return result if depth else _core.copy(result)


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Array:
    """What func(a, axis) gives of one axis after another, each kept with extent 1."""
    x = asarray(a)
    if not x.ndim:
        return asarray(func(x, axes))
    for axis in whole_shape("apply_over_axes", axes):
        along = normalized("apply_over_axes", axis, x.ndim)
        result = asarray(func(x, along))
        if result.ndim not in (x.ndim, x.ndim - 1):
            raise ValueError(f"apply_over_axes: the function gives arrays with that axis or without: got shape {result.shape} of {x.shape}")
        x = result if result.ndim == x.ndim else _core.expand_dims(result, along)
    return x
