"""Sorting, and what NumPy answers for us on host memory: searching, and results whose shape depends on the values.

What _array/on_gpu.py has is computed where the arrays lie, if that is a GPU.
"""

from __future__ import annotations

import builtins
from collections import namedtuple

from weft import _core
from weft._core import Array
from weft._array import sorting
from weft._array.answered import answered_by, computed_there, recorded_by, there_or_answered
from weft._array.indexing import take_along_axis
from weft._array.picked_later import Picked
from weft._array.positions import checked_size, with_axes
from weft._array.shaping import atleast_1d, normalized, with_axis
from weft._base import recorded
from weft._base.asarray import asarray
from weft._base.host import _numpy, answered, asked, device_of, to_host
from weft._base.memory import from_numpy, to_numpy
from weft._base.out import store
from weft._base.recorded import refuse_arguments
from weft._numpy.few import median as median_of_few
from weft._names import NAMES

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _along(op: str, x: Any, axis: int | None, bools: builtins.bool = False) -> tuple[Array, int]:
    return with_axis(op, with_axes(op, x), axis, bools)


def _check_kind(kind: Any, order: Any) -> None:
    """NumPy refuses what its sort() does not know; all of its kinds are one here, which keeps equal elements in their order."""
    if kind is not None or order is not None:
        _numpy().empty(0).sort(kind=kind, order=order)


def _in_order(op: str, a: Array, axis: int) -> Array:
    """sort() or argsort() where the array lies: Weft's own for all but complex numbers, whose order on the host is NumPy's."""
    if (there := computed_there(op, a, axis)) is not NotImplemented:
        return there
    if a.dtype.kind != "c":
        return (_core.sort if op == "sort" else _core.argsort)(a, axis)
    return answered(getattr(_numpy(), op), a, axis=axis, stable=True)


def sort(
    a: Any, axis: int | None = -1, kind: str | None = None, order: Any = None, *, stable: builtins.bool | None = True,
    descending: builtins.bool = False,
) -> Array:
    """The elements along an axis in ascending or descending order, NaN last, or first where it descends."""
    a, axis = _along("sort", a if axis is not None else _core.reshape(asarray(a), (-1,)), axis, True)
    _check_kind(kind, order)
    if _core.is_derived(a):
        at = argsort(_core.stop_gradient(a), axis, kind, order, stable=stable, descending=descending)
        return take_along_axis(a, at, axis)
    if not descending:
        return _in_order("sort", a, axis)
    # Backwards twice keeps equal elements in their order.
    return _core.copy(_core.flip(_in_order("sort", _core.flip(a, (axis,)), axis), (axis,)))


def argsort(
    a: Any, axis: int | None = -1, kind: str | None = None, order: Any = None, *, stable: builtins.bool | None = True,
    descending: builtins.bool = False,
) -> Array:
    """The positions that put the elements along an axis in order; equal ones keep theirs."""
    a, axis = _along("argsort", _core.stop_gradient(atleast_1d(a)), axis)
    _check_kind(kind, order)
    if not descending:
        return _in_order("argsort", a, axis)
    # Backwards twice keeps equal elements in their order.
    return _core.flip(_core.subtract(a.shape[axis] - 1, _in_order("argsort", _core.flip(a, (axis,)), axis)), (axis,))


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """The array, or a list, without the zeros at its ends ("f" in front, "b" behind), or along these axes alone: a view."""
    numpy = _numpy()
    if not isinstance(filt, Array) and isinstance(trim, str):
        return answered(numpy.trim_zeros, filt, trim, axis)
    if not isinstance(trim, str) or trim.lower() not in ("fb", "bf", "f", "b"):
        raise ValueError(f"trim_zeros: trims 'f', 'b' or 'fb': got {trim!r}")
    axes = range(filt.ndim) if axis is None else axis if hasattr(axis, "__iter__") else (axis,)
    places = {normalized("trim_zeros", one, filt.ndim) for one in axes}
    if not places:
        return filt
    refuse_arguments("trim_zeros", (filt,))
    there = _core.not_equal(filt, 0)
    rows = {place: _core.any(there, tuple(one for one in range(filt.ndim) if one != place), False) for place in places}
    _core.eval(list(rows.values()))
    key = [slice(None)] * filt.ndim
    for place, row in rows.items():
        positions = numpy.flatnonzero(to_numpy(row)).tolist()
        if positions:
            key[place] = slice(positions[0] if "f" in trim.lower() else None, positions[-1] + 1 if "b" in trim.lower() else None)
        else:
            key[place] = slice(0, 0)
    return filt[tuple(key)]


_unique_of_any = answered_by("numpy", "unique")

# From which size on Weft finds different elements on the CPU in less time than NumPy, which hashes integers and sorts floats by vectors.
_least_different = {
    "values": {"i": 1 << 12, "u": 1 << 12},
    "counts": {"i": 1 << 15, "u": 1 << 15},
    "positions": {"i": 1 << 12, "u": 1 << 12, "float32": 1 << 15},
}


def _different(x: Any, wanted: str, equal_nan: builtins.bool) -> list[Array] | None:
    """sorting.unique() where Weft is the faster one on the CPU; None where NumPy is."""
    if type(x) is not Array or x.dtype.itemsize < 4 or not _on_host(x):
        return None
    least = _least_different["positions" if "in" in wanted else wanted or "values"]
    if x.size < (least.get(x.dtype.kind) or least.get(x.dtype.name) or x.size + 1):
        return None
    return sorting.unique(_core.stop_gradient(x), wanted, equal_nan)


def _on_host(*arrays: Array) -> builtins.bool:
    """Whether the arrays have values, in the host's memory."""
    return not builtins.any(sorting.on_device(one) for one in arrays)


def _named(indices: builtins.bool, inverse: builtins.bool, counts: builtins.bool) -> str:
    return " ".join(name for name, is_asked in (("indices", indices), ("inverse", inverse), ("counts", counts)) if is_asked)


def unique(
    ar: Any, return_index: builtins.bool = False, return_inverse: builtins.bool = False, return_counts: builtins.bool = False,
    axis: int | None = None, *, equal_nan: builtins.bool = True, sorted: builtins.bool = True, size: int | None = None, fill_value: Any = None,
) -> Any:
    """The different elements, sorted, and where they stand or how often.

    With `size` the first so many, `fill_value` or the smallest behind them where there are fewer: then no value is looked at, so that it can be
    recorded.
    """
    asked = {"return_index": return_index, "return_inverse": return_inverse, "return_counts": return_counts}
    if size is None:
        if axis is None and sorted and (ours := _different(ar, _named(return_index, return_inverse, return_counts), equal_nan)):
            return tuple(ours) if len(ours) > 1 else ours[0]
        if not sorted:  # which NumPy knows from 2.3 on
            asked["sorted"] = sorted
        return _unique_of_any(ar, **asked, axis=axis, equal_nan=equal_nan)
    x, number = _core.stop_gradient(asarray(ar)), checked_size("unique", size)
    if axis is not None:
        raise ValueError("unique: size goes with axis=None")
    if x.size == 0:
        raise ValueError("unique: of no element there are not as many as size says")
    wanted = _named(return_index, return_inverse, return_counts)
    found = sorting.unique_of_size(_core.reshape(x, (-1,)), number, fill_value, wanted, equal_nan)
    if return_inverse:
        at = 1 + return_index
        found[at] = _core.reshape(found[at], x.shape)
    return tuple(found) if len(found) > 1 else found[0]


class UniqueAll(namedtuple("UniqueAll", "values indices inverse_indices counts")):
    """What unique_all() gives."""

    __slots__ = ()


class UniqueCounts(namedtuple("UniqueCounts", "values counts")):
    """What unique_counts() gives."""

    __slots__ = ()


class UniqueInverse(namedtuple("UniqueInverse", "values inverse_indices")):
    """What unique_inverse() gives."""

    __slots__ = ()


def _unique(name: str, x: Any, indices: builtins.bool = False, inverse: builtins.bool = False, counts: builtins.bool = False) -> Any:
    x = asarray(x)
    if ours := _different(x, _named(indices, inverse, counts), False):
        return ours
    there = computed_there("unique", x, return_index=indices, return_inverse=inverse, return_counts=counts, equal_nan=False)
    if there is not NotImplemented:
        return there

    def parts(a: Any) -> Any:
        return tuple(getattr(_numpy(), name)(a))

    parts.__name__ = name
    return answered(parts, x)


def unique_all(x: Any) -> UniqueAll:
    """The different elements, where each is first, which each element is, and how often; every NaN is different."""
    return UniqueAll(*_unique("unique_all", x, indices=True, inverse=True, counts=True))


def unique_counts(x: Any) -> UniqueCounts:
    """The different elements and how often each is there; every NaN is different."""
    return UniqueCounts(*_unique("unique_counts", x, counts=True))


def unique_inverse(x: Any) -> UniqueInverse:
    """The different elements, and which of them each element is; every NaN is different."""
    return UniqueInverse(*_unique("unique_inverse", x, inverse=True))


def unique_values(x: Any) -> Array:
    """The different elements, sorted; every NaN is different."""
    # numpy.unique_values gives them in no order, and libraries that take any array count on one.
    x = asarray(x)
    if ours := _different(x, "", False):
        return ours[0]
    return there_or_answered("unique", x, equal_nan=False)


def searchsorted(
    a: Any, v: Any, side: str = "left", sorter: Any = None
) -> Array:
    """Where elements of v would go into a, which is sorted, before (left) or behind (right) equal ones."""
    a, v = _core.stop_gradient(asarray(a)), _core.stop_gradient(asarray(v))
    if sorter is None and side in ("left", "right") and _is_searched(a, v):
        return sorting.searchsorted(a, v, side == "right")
    return there_or_answered("searchsorted", a, v, side=side, sorter=sorter)


def _is_searched(table: Array, values: Array) -> builtins.bool:
    """Whether Weft finds the places of these values on the CPU in less time than NumPy: they are many, beside the table too, whose words are made."""
    if table.ndim != 1 or table.dtype != values.dtype or table.dtype.kind not in "iuf" or table.dtype.itemsize < 4:
        return False
    return values.size * table.size.bit_length() >= _worth_a_search and table.size <= 8 * values.size and _on_host(table, values)


_worth_a_search = 1 << 19  # comparisons


def digitize(x: Any, bins: Any, right: builtins.bool = False) -> Any:
    """Which bin each value is in: the number of edges up to it, of edges that ascend or descend. right: whether a bin has its right edge, not its left one."""
    if isinstance(x, Array) and not recorded.of_arguments((bins,)):
        x = _core.stop_gradient(x)
        is_recorded, edges = recorded.of_arguments((x,)), asarray(bins, device=x.device)
        if edges.ndim == 1 and {x.dtype.kind, edges.dtype.kind} <= set("iuf") and (is_recorded or _is_searched(edges, x)):
            edges = _core.stop_gradient(edges)
            dtype = _numpy().result_type(x.dtype, edges.dtype)
            x, table = _core.astype(x, dtype), _core.astype(edges, dtype)
            if _ascends(edges):
                return sorting.searchsorted(table, x, not right)
            if is_recorded and _ascends(edges[::-1]):
                return _core.subtract(edges.size, sorting.searchsorted(table[::-1], x, not right))
    return _digitize_any(x, bins, right)


_digitize_any = answered_by("numpy", "digitize")


def _ascends(x: Array) -> builtins.bool:
    return builtins.bool(_core.all(_core.less_equal(x[:-1], x[1:]), None, False))


def isin(
    element: Any, test_elements: Any, assume_unique: builtins.bool = False, invert: builtins.bool = False, *, kind: str | None = None
) -> Array:
    """For each element whether it is one of the others. `kind`, NumPy's way of finding out, changes nothing but the time."""
    if kind not in (None, "sort", "table"):
        raise ValueError(f"isin: kind is None, 'sort' or 'table': got {kind!r}")
    options = {"assume_unique": assume_unique, "invert": invert}
    element, test_elements = _core.stop_gradient(asarray(element)), _core.stop_gradient(asarray(test_elements))
    if (there := computed_there("isin", element, test_elements, **options)) is not NotImplemented:
        return there
    few = _core.reshape(test_elements, (-1,))
    if element.dtype.kind == "f" and few.size * 64 <= element.size and _is_searched(few, element):
        found = sorting.isin(element, few)
        return _core.logical_not(found) if invert else found
    return answered(_numpy().isin, element, test_elements, kind=kind, **options)


def _as_numpy_counts(value: Any) -> Any:
    """The array's memory, as one that could be written to: NumPy copies others before it counts them, and writes to none."""
    if not isinstance(value, Array):
        return to_host(value)
    values = to_numpy(value)
    if values.flags.writeable or not values.flags.c_contiguous or values.nbytes < _WORTH_A_LOOK:
        return values
    import ctypes

    memory = (ctypes.c_byte * values.nbytes).from_address(values.ctypes.data)
    memory.owner = values  # as long as anybody looks at it
    return _numpy().frombuffer(memory, values.dtype).reshape(values.shape)


_WORTH_A_LOOK = 1 << 14  # bytes that take longer to copy than the look at them


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Array:
    """How often each of the numbers from 0 on occurs in x; with weights the sums of those that are given to it. Of a compiled function's
    arguments it counts those below `minlength`: a larger one is an IndexError of the call."""
    if type(x) is Array and type(minlength) is int and minlength >= 0:
        here = _core.counts_on_host(x, minlength) if weights is None else _core.sums_on_host(x, weights, minlength) if type(weights) is Array else None
        if here is not None:
            return here
    if (counted := recorded.bincount(x, weights, minlength)) is not NotImplemented:
        return counted
    refuse_arguments("bincount", (x, weights))
    if type(minlength) is int and (there := computed_there("bincount", x, weights, minlength)) is not NotImplemented:
        return there
    device = device_of([x, weights])
    try:
        counts = asked(_numpy().bincount, "bincount", _as_numpy_counts(x), _as_numpy_counts(weights), minlength)
    except TypeError as error:
        raise TypeError(f"bincount: {error}: got ({type(x).__name__}, {type(weights).__name__}, {type(minlength).__name__})") from None
    except ValueError as error:
        raise type(error)(f"bincount: {error}") from None
    result = from_numpy(counts, device)
    _core.note_answer("bincount", result)
    return result


def _middle(a: Array, axis: Any, keepdims: builtins.bool) -> Array:
    """median() of values that are derived: of their sorted ones, the mean of the middle two."""
    axes = [normalized("median", one, a.ndim) for one in (range(a.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,))]
    kept = [one for one in range(a.ndim) if one not in axes]
    rows = sort(_core.reshape(_core.permute_dims(a, [*kept, *axes]), (*(a.shape[one] for one in kept), -1)))
    count = rows.shape[-1]
    middle = _core.divide(_core.add(rows[..., (count - 1) // 2], rows[..., count // 2]), 2)
    return _core.reshape(middle, tuple(1 if one in axes else n for one, n in enumerate(a.shape))) if keepdims else middle


_of_many = answered_by("numpy", "median")


def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: builtins.bool = False, keepdims: builtins.bool = False) -> Any:
    """The middle of the sorted values along these axes, the mean of the two middle ones of an even number; NaN where there is one.

    Of up to 32 values each it is a network of minima and maxima, which fuses and can be compiled; of more NumPy answers, or the GPU.
    """
    if type(a) is Picked and out is None:
        return a.median(axis, builtins.bool(keepdims))
    if isinstance(a, Array):
        few = median_of_few(a, axis, bool(keepdims), _core.records())
        if few is not NotImplemented:
            if out is None:
                return few
            return store(few, out)
        if _core.is_derived(a):
            return store(_middle(a, axis, keepdims), out) if out is not None else _middle(a, axis, keepdims)
    return _of_many(a, axis, out, overwrite_input, keepdims)


def _of_arguments(name: str) -> Any:
    from weft._numpy import of_arguments

    return getattr(of_arguments, name)


recorded_by.update(dict.fromkeys((
    "convolve corrcoef correlate cov gcd gradient histogram histogram2d histogram_bin_edges histogramdd interp lcm nanmedian nanpercentile nanquantile"
).split(), _of_arguments))

# NumPy's own functions that Weft has no better answer for.
for _name in NAMES[__name__]:
    if _name not in globals():
        globals()[_name] = answered_by("numpy", _name)
