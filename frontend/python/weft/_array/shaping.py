"""The same elements in other shapes and orders."""

from __future__ import annotations

import builtins
import functools

from weft import _core
from weft._core import Array, Error
from weft._base.arguments import copies, whole, whole_shape
from weft._base.asarray import asarray, heed, viewable
from weft._base.dtypes import can_cast, result_type
from weft._base.errors import axis_error, named
from weft._base.given import known
from weft._base.host import answered
from weft._base.out import given_out, store

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Sequence


def normalized(op: str, axis: int, ndim: int, bools: builtins.bool = True) -> int:
    """The axis counted from the front; NumPy's AxisError when it is outside."""
    if type(axis) is int and -ndim <= axis < ndim:
        return axis % ndim  # nearly always
    if not hasattr(axis, "__index__") or (isinstance(axis, builtins.bool) and not bools):
        raise TypeError(f"{op}: axis is an integer: got {axis!r}")
    axis = axis.__index__()
    if not -ndim <= axis < ndim:
        raise axis_error(f"{op}: axis out of range for rank {ndim}: got {axis}")
    return axis % ndim


def with_axis(op: str, x: Any, axis: int | None, bools: builtins.bool = False) -> tuple[Array, int]:
    """x and the axis counted from the front; without an axis the flat array and its only one."""
    x = asarray(x)
    return (_core.reshape(x, (-1,)), 0) if axis is None else (x, normalized(op, axis, x.ndim, bools))


def _tuple(axes: Any) -> tuple[int, ...]:
    return tuple(axes) if hasattr(axes, "__iter__") and getattr(axes, "ndim", 1) else (axes,)


def reshape(a: Any, shape: Any, order: str | None = "C", *, copy: builtins.bool | None = None) -> Array:
    """The same elements under another shape, one extent of which may be -1. A view where the layout allows it."""
    x = viewable(a)
    if order == "C" and copy is None:
        try:
            return _core.reshape(x, shape)
        except ValueError:
            pass  # told below, unless NumPy has a meaning for it
    order, copy = heed("reshape", order, None) or "C", copies("reshape", copy)
    shape = (shape,) if hasattr(shape, "__index__") and not getattr(shape, "ndim", 0) else shape
    if isinstance(shape, (tuple, list)):
        shape = tuple(-1 if isinstance(one, int) and one < 0 else one for one in shape)  # which NumPy takes for -1
    if order == "A":
        order = "F" if x.flags.fnc else "C"
    if order == "F":
        shape = _tuple(shape)
        if -1 in shape:
            known = 1
            for extent in shape:
                known *= 1 if extent == -1 else whole("reshape", extent, "a shape is an integer or a sequence of integers")
            shape = tuple(x.size // builtins.max(known, 1) if extent == -1 else extent for extent in shape)
        return transpose(reshape(transpose(x), shape[::-1], copy=copy))
    if order == "K":
        raise ValueError(f"reshape: order is 'C', 'F' or 'A': got {order!r}")
    result = _core.reshape(_core.copy(x) if copy else x, shape)
    if copy is False and not _core.shares_cell(result, x):
        raise ValueError("reshape: the strides do not allow this shape without a copy")
    return result


def _by_stride(x: Array) -> list[int]:
    """The axes from the longest stride to the shortest; where a stride is 0 they stay in order, as NumPy leaves them."""
    strides = [builtins.abs(one) for one in _core.strides(x)]
    axes = list(range(x.ndim))[::-1]
    for i in range(1, x.ndim):
        place = i
        for j in range(i - 1, -1, -1):
            here, there = strides[axes[i]], strides[axes[j]]
            if here and there:
                if there <= here:
                    break
                place = j
        axes.insert(place, axes.pop(i))
    return axes[::-1]


def ravel(a: Any, order: str | None = "C") -> Array:
    """All elements along one axis; a view where they lie so without gaps. Order "K" is that of memory: the longest strides first."""
    x, order = asarray(a), heed("ravel", order, None) or "C"
    if order == "C" and _core.strides(flat := _core.reshape(x, (-1,))) == (x.itemsize,) and _core.shares_cell(flat, x):
        return flat
    if order == "K":
        x, order = _core.permute_dims(x, _by_stride(x)), "C"
    elif order == "A":
        order = "F" if x.flags.fnc else "C"
    flat = reshape(x, (-1,), order)
    return flat if (x.flags.f_contiguous if order == "F" else x.flags.c_contiguous) else _core.copy(flat)


def permute_dims(a: Any, axes: Sequence[int] | None = None) -> Array:
    """The axes in another order, reversed unless told; a view."""
    x = viewable(a)
    return x.T if axes is None else _core.permute_dims(x, axes)


def transpose(a: Any, axes: Any = None) -> Array:
    """The axes reversed, or in the given order; a view."""
    x = viewable(a)
    if axes is None:
        return x.T
    try:
        return _core.permute_dims(x, axes)
    except Exception as error:
        raise named(error, "transpose") from None


def matrix_transpose(x: Any) -> Array:
    """The last two axes swapped; a view."""
    return asarray(x).mT


def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    """Two axes swapped; a view."""
    x = asarray(a)
    order = list(range(x.ndim))
    a, b = normalized("swapaxes", axis1, x.ndim), normalized("swapaxes", axis2, x.ndim)
    order[a], order[b] = order[b], order[a]
    return _core.permute_dims(x, order)


def moveaxis(a: Any, source: Any, destination: Any) -> Array:
    """Axes at other places, the rest in their order; a view."""
    x = viewable(a)
    sources = [normalized("moveaxis", axis, x.ndim) for axis in _tuple(source)]
    targets = [normalized("moveaxis", axis, x.ndim) for axis in _tuple(destination)]
    if len(sources) != len(targets) or len(set(sources)) != len(sources) or len(set(targets)) != len(targets):
        raise ValueError(f"moveaxis: takes as many different sources as destinations: got {source} and {destination}")
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources)):
        order.insert(target, axis)
    return _core.permute_dims(x, order)


def expand_dims(a: Any, axis: Any = 0) -> Array:
    """New axes of extent 1; a view."""
    x = asarray(a)
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    total = x.ndim + len(axes)
    places = sorted(normalized("expand_dims", one, total) for one in axes)
    if len(set(places)) != len(places):
        raise ValueError(f"expand_dims: axes must be different: got {axis}")
    for place in places:
        x = _core.expand_dims(x, place)
    return x


def squeeze(a: Any, axis: Any = None) -> Array:
    """Without axes of extent 1; a view."""
    x = viewable(a)
    return _core.squeeze(x, () if not x.ndim and axis in (0, -1) else axis)


def flip(m: Any, axis: Any = None) -> Array:
    """Backwards along some axes, or all; a view. Of rank 0 a value, as NumPy's is."""
    x = asarray(m)
    if axis is not None:
        axis = tuple(normalized("flip", one, x.ndim) for one in _tuple(axis))
    result = _core.flip(x, axis)
    return result if x.ndim or axis is not None else _core.as_value(result)


def roll(a: Any, shift: Any, axis: Any = None) -> Array:
    """Elements that leave at one end come in at the other."""
    x = asarray(a)
    if isinstance(shift, (set, frozenset, dict, str, bytes)):
        raise TypeError(f"roll: shift is an integer: got {shift!r}")
    given = tuple(shift) if hasattr(shift, "__iter__") and getattr(shift, "ndim", 1) else (shift,)
    if any(hasattr(by, "__float__") and not isinstance(by, (int, complex)) for by in given):
        given = tuple(int(by) if hasattr(by, "__float__") else by for by in given)
    for by in given:
        if not hasattr(by, "__index__"):
            raise TypeError(f"roll: shift is an integer: got {by!r}")
    given = tuple(by.__index__() for by in given)
    if axis is None:
        return _core.as_array(_core.roll(x, builtins.sum(given) % builtins.max(x.size, 1), None))
    axes = _tuple(axis)
    shifts = given if hasattr(shift, "__iter__") and getattr(shift, "ndim", 1) else given * len(axes)
    if len(shifts) != len(axes):
        if len(axes) != 1:
            raise ValueError(f"roll: takes as many shifts as axes: got {shift} and {axis}")
        axes *= len(shifts)
    for by, along in zip(shifts, axes):
        along = normalized("roll", along, x.ndim)
        x = _core.roll(x, by % builtins.max(x.shape[along], 1), along)
    return x if shifts else _core.copy(x)


def tile(A: Any, reps: Any) -> Array:
    """The array repeated along its axes."""
    counts = reps if hasattr(reps, "__iter__") and getattr(reps, "ndim", 1) else (reps,)
    return _core.as_array(_core.tile(asarray(A), [int(one) if isinstance(one, (str, builtins.bool)) else one for one in counts]))


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Array:
    """Each element so many times in a row; of the flat array without an axis."""
    x = atleast_1d(a)
    repeats = int(repeats) if isinstance(repeats, builtins.bool) else repeats
    if not isinstance(repeats, int):
        import numpy

        counts = asarray(repeats)
        if counts.dtype.kind == "f" and not counts.ndim and counts.item() != counts.item():
            raise ValueError("repeat: counts are integers: got nan")
        # Python's floats and NumPy's scalars are cut to integers, arrays of them are not, as NumPy has it.
        scalar = isinstance(repeats, numpy.generic) or (isinstance(repeats, Array) and _core.is_value(repeats))
        if counts.dtype.kind == "b" or (counts.dtype.kind == "f" and counts.size and (not hasattr(repeats, "dtype") or scalar)):
            counts = _core.astype(counts, _core.dtype("int64"))
        if counts.dtype.kind not in "iu":
            raise TypeError(f"repeat: counts are integers: got {counts.dtype}")
        if counts.size != 1:
            return answered(numpy.repeat, x, counts, axis=axis)
        repeats = counts.item()
    return _core.repeat(x, repeats, axis)


def converted(op: str, xs: list[Array], dtype: Any, casting: str) -> list[Array]:
    """The arrays in a dtype that the casting rule lets them have."""
    to = _core.dtype(dtype)
    for x in xs:
        if not can_cast(x.dtype, to, casting):
            raise TypeError(f"{op}: {x.dtype} cannot be cast to {to} by the rule {casting!r}")
    return [_core.astype(x, to) for x in xs]


_ARRAYS = {Array}  # what nearly always is joined


def _alike(op: str, xs: list[Array], out: Any, dtype: Any, casting: str) -> list[Array]:
    """The arrays in the dtype of what they are joined to; two dtypes are promoted as arrays are joined."""
    if out is None and dtype is None and casting == "same_kind" and (len(xs) < 3 or len({x.dtype for x in xs}) < 3):
        return xs
    if out is not None and dtype is not None:
        raise TypeError(f"{op}: out has a dtype, so takes out or dtype: got both")
    if dtype is None:
        dtype = result_type(*xs) if out is None else given_out(out).dtype
    return converted(op, xs, dtype, casting)


def listed(op: str, arrays: Any) -> list[Any]:
    """The arrays of a sequence, one at least: sets have no order, and what an iterator gives is there once."""
    if not hasattr(arrays, "__getitem__") or isinstance(arrays, (dict, str)):
        raise TypeError(f"{op}: takes a sequence of arrays: got {type(arrays).__name__}")
    found = list(arrays)
    if not found:
        raise Error(f"{op}: needs at least one array: got none")
    return found


def concat(
    arrays: Sequence[Any], /, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Array:
    """Arrays one after another along an axis; flat ones without an axis."""
    arrays = listed("concatenate", arrays)
    if {*map(type, arrays)} == _ARRAYS:
        xs = arrays
    else:
        arrays = [known(one) for one in arrays]
        xs = [asarray(x) for x in arrays]
    if axis is None:
        if dtype is None and builtins.any(type(x) in (int, float, complex) for x in arrays):
            # Numbers of Python give way to the arrays' dtype.
            dtype = result_type(*(one if type(one) in (int, float, complex) else x for one, x in zip(arrays, xs)))
        xs, axis = [_core.reshape(x, (-1,)) for x in xs], 0
    return store(_core.concat(_alike("concatenate", xs, out, dtype, casting), axis), out)


def stack(arrays: Sequence[Any], axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """Arrays of one shape along a new axis."""
    xs = listed("stack", arrays)
    if {*map(type, xs)} != _ARRAYS:
        xs = [asarray(x) for x in xs]
    axis = int(axis) if isinstance(axis, builtins.bool) else axis
    return store(_core.stack(_alike("stack", xs, out, dtype, casting), axis), out)


def unstack(x: Any, *, axis: int = 0) -> tuple[Array, ...]:
    """The parts of an array along an axis; views."""
    x = asarray(x)
    along = normalized("unstack", axis, x.ndim)
    return tuple(x[(slice(None),) * along + (i,)] for i in range(x.shape[along]))


def broadcast_to(array: Any, shape: Any, subok: builtins.bool = False) -> Array:
    """The array repeated to a shape; a read-only view."""
    return _core.broadcast_to(asarray(array), shape)


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to."""
    result: list[int] = []
    for given in shapes:
        shape = whole_shape("broadcast_shapes", given)
        if builtins.any(extent < 0 for extent in shape):
            raise ValueError(f"broadcast_shapes: extents must not be negative: got {shape}")
        if builtins.any(extent >= 1 << 63 for extent in shape):
            raise ValueError(f"broadcast_shapes: extents have 64 bits: got {shape}")
        result = [1] * (len(shape) - len(result)) + result
        for i, extent in enumerate(reversed(shape), 1):
            if extent == 1:
                continue
            if result[-i] not in (1, extent):
                raise ValueError(f"broadcast_shapes: shapes do not broadcast: got {shapes}")
            result[-i] = extent
    return tuple(result)


def broadcast_arrays(*arrays: Any, subok: builtins.bool = False) -> tuple[Array, ...]:
    """The arrays in their common shape; read-only views."""
    xs = [asarray(x) for x in arrays]
    shape = broadcast_shapes(*(x.shape for x in xs))
    return tuple(x if x.shape == shape else _core.broadcast_to(x, shape) for x in xs)


# What pad() takes from the array itself: the positions that NumPy gives are those of its elements.
_taken = ("edge", "reflect", "symmetric", "wrap")


def _widths(x: Array, pad_width: Any) -> list[tuple[int, int]]:
    import numpy

    if type(pad_width) is int and pad_width >= 0:
        return [(pad_width, pad_width)] * x.ndim
    if isinstance(pad_width, dict):
        by_axis = {normalized("pad", axis, x.ndim): one for axis, one in pad_width.items()}
        pad_width = [tuple(numpy.broadcast_to(numpy.asarray(by_axis.get(axis, 0)), 2).tolist()) for axis in range(x.ndim)] or 0
    given = numpy.asarray(pad_width)
    if given.dtype.kind not in "iu" and given.size:
        raise TypeError(f"pad: widths are integers, before and after each axis: got {pad_width!r}")
    if given.ndim > 2 or builtins.any(n not in (1, want) for n, want in zip(given.shape[::-1], (2, x.ndim))):
        raise ValueError(f"pad: widths are one pair, or one for each of {x.ndim} axes: got shape {given.shape}")
    if given.size and given.min() < 0:
        raise ValueError(f"pad: widths must not be negative: got {pad_width!r}")
    return [(pair[0], pair[1]) for pair in numpy.broadcast_to(given, (x.ndim, 2)).tolist()]


@functools.lru_cache(64)
def _padded_positions(extent: int, before: int, after: int, mode: str) -> Any:
    """What a padded axis shows of its elements, in NumPy's memory."""
    import numpy

    return numpy.pad(numpy.arange(extent), (before, after), mode)


def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Array:
    """One value, or what `mode` says, before and after each axis."""
    import numpy

    x = asarray(array)
    reflects = {"reflect_type"} if mode in ("reflect", "symmetric") else set()
    if mode in _taken and options.get("reflect_type", "even") == "even" and set(options) <= reflects:
        widths = _widths(x, pad_width)
        for axis, (before, after) in enumerate(widths):
            if before or after:
                if not x.shape[axis]:
                    raise ValueError(f"pad: an axis without elements has none to repeat: got shape {x.shape}")
                few = x.shape[axis] + before + after < 1 << 16
                found = (_padded_positions if few else _padded_positions.__wrapped__)(x.shape[axis], before, after, mode)
                x = _core.take(x, asarray(found, device=x.device), axis)
        return _core.copy(x) if x is array else x
    if mode != "constant" or set(options) - {"constant_values"}:
        return answered(numpy.pad, x, pad_width, mode=mode, **options)
    widths = _widths(x, pad_width)
    values = numpy.asarray(options.get("constant_values", 0))
    if values.dtype.kind not in "biufc":
        raise TypeError(f"pad: constant_values are numbers: got {options['constant_values']!r}")
    if values.dtype.kind in "iu" and x.dtype.kind in "iu":
        values = values.astype(x.dtype)  # cut to its bits, as NumPy stores them
    if not values.ndim:
        return _core.as_array(_core.pad(x, widths, values.item()))
    try:
        values = numpy.broadcast_to(values, (x.ndim, 2)).tolist()
    except ValueError:
        raise ValueError(f"pad: constant_values are one pair, or one for each of {x.ndim} axes: got shape {values.shape}") from None
    for axis, ends in enumerate(values):
        for side, value in enumerate(ends):
            here = [(0, 0)] * x.ndim
            here[axis] = (0, widths[axis][1]) if side else (widths[axis][0], 0)
            x = _core.pad(x, here, value)
    return x


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """The differences of neighbours along an axis, n times."""
    x, n = asarray(a), whole("diff", n, "n is an integer")
    if n < 0:
        raise ValueError(f"diff: n must not be negative: got {n}")
    if x.ndim == 0:
        raise ValueError("diff: needs at least one axis")
    along = normalized("diff", axis, x.ndim)
    parts = []
    for part in (prepend, x, append):
        if part is None:
            continue
        part = asarray(part)
        if part.ndim == 0:
            part = _core.broadcast_to(part, x.shape[:along] + (1,) + x.shape[along + 1 :])
        parts.append(part)
    if len(parts) > 1:
        x = _core.concat(parts, along)
    front: tuple[Any, ...] = (slice(None),) * along
    minus = _core.not_equal if x.dtype.kind == "b" else _core.subtract
    for _ in range(builtins.min(n, x.shape[along])):  # after which nothing is left
        x = minus(x[front + (slice(1, None),)], x[front + (slice(None, -1),)])
    return x


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """The differences of neighbours in the flat array, between what is to stand before and behind them."""
    x = _core.reshape(asarray(ary), (-1,))
    ends = []
    for name, given in (("to_begin", to_begin), ("to_end", to_end)):
        end = None if given is None else _core.reshape(asarray(given), (-1,))
        if end is not None and not can_cast(end.dtype, x.dtype, "same_kind"):
            raise TypeError(f"ediff1d: {name} must be of the array's kind, {x.dtype}: got {end.dtype}")
        ends.append(None if end is None else _core.astype(end, x.dtype))
    parts = [part for part in (ends[0], x[1:] - x[:-1], ends[1]) if part is not None]
    return parts[0] if len(parts) == 1 else _core.concat(parts, 0)


def unwrap(p: Any, discont: float | None = None, axis: int = -1, *, period: float = 6.283185307179586) -> Array:
    """Angles without jumps: neighbours along an axis that lie more than half a period apart are brought closer by whole periods."""
    x = asarray(p)
    along = normalized("unwrap", axis, x.ndim)
    dtype = result_type(x, period)
    period = period.item() if hasattr(period, "item") else period
    steps = diff(x, axis=along)
    discont = period / 2 if discont is None else discont
    whole = x.dtype.kind in "biu" and isinstance(period, int)
    low = -(period // 2) if whole else -period / 2
    high = low + period if whole and period % 2 else -low
    brought = _core.remainder(steps - low, period) + low
    if not whole or not period % 2:
        brought = _core.where(_core.logical_and(_core.equal(brought, low), _core.greater(steps, 0)), high, brought)
    correction = _core.where(_core.less(_core.abs(steps), discont), 0, brought - steps)
    front: tuple[Any, ...] = (slice(None),) * along
    head = x[front + (slice(None, 1),)]
    rest = x[front + (slice(1, None),)] + _core.cumulative_sum(correction, along, None, False)
    return _core.concat([_core.astype(head, dtype), _core.astype(rest, dtype)], along)


def _at_least(arrays: tuple[Any, ...], f: Any) -> Any:
    results = tuple(f(asarray(x)) for x in arrays)
    return results[0] if len(results) == 1 else results


def atleast_1d(*arrays: Any) -> Any:
    """The arrays with one axis at least."""
    if len(arrays) == 1 and isinstance(arrays[0], Array) and arrays[0].ndim:
        return arrays[0]
    return _at_least(arrays, lambda x: x if x.ndim else _core.reshape(x, (1,)))


def atleast_2d(*arrays: Any) -> Any:
    """The arrays with two axes at least, new ones in front."""
    return _at_least(arrays, lambda x: x if x.ndim > 1 else _core.reshape(x, (1, x.size)))


def atleast_3d(*arrays: Any) -> Any:
    """The arrays with three axes at least, as NumPy places them."""

    def grown(x: Array) -> Array:
        if x.ndim > 2:
            return x
        return x[:, :, None] if x.ndim == 2 else _core.reshape(x, (1, x.size, 1))

    return _at_least(arrays, grown)


def ndim(a: Any) -> int:
    """How many axes there are."""
    return asarray(a).ndim


def shape(a: Any) -> tuple[int, ...]:
    """The extents of the axes."""
    return asarray(a).shape


def size(a: Any, axis: int | tuple[int, ...] | None = None) -> int:
    """How many elements there are, along axes or in all."""
    x = asarray(a)
    if axis is None:
        return x.size
    result = 1
    for place in {normalized("size", one, x.ndim) for one in (axis if isinstance(axis, tuple) else (axis,))}:
        result *= x.shape[place]
    return result
