"""What is taken for an array: asarray(), which everything calls, and what is asked of its arguments."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._base.arguments import copies
from weft._base.devices import Device
from weft._base.given import Given
from weft._base.memory import _any_size, _borrow_from, from_numpy

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


# Of dates and times, in words.
_UNITS = {"Y": "years", "M": "months", "W": "weeks", "D": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds",
          "us": "microseconds", "ns": "nanoseconds"}


_ORDERS = frozenset("CFAK")


def named_device(device: Any) -> str:
    return "" if device is None else Device(device)


def heed(op: str, order: Any, like: Any) -> Any:
    """The order, as a capital letter. Refuses what NumPy refuses as an order, and to make arrays that are like those of others than Weft."""
    if like is None and (order is None or type(order) is str and order in _ORDERS):
        return order  # nearly always
    if order is not None and not isinstance(order, str):
        raise TypeError(f"{op}: order is a text: got {type(order).__name__}")
    if order is not None and order.upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"{op}: order is 'C', 'F', 'A' or 'K': got {order!r}")
    if like is not None and not isinstance(like, Array):
        raise TypeError(f"{op}: makes arrays of Weft, so `like` is a weft.Array: got {type(like).__name__}")
    return order and order.upper()


class Flat:
    """What asarray() takes for the flat array that it stands for: flatiter."""

    __slots__ = ()

    def _flat(self) -> Array:
        raise NotImplementedError


# Of what nothing is recorded.
_numbers = frozenset((builtins.bool, int, float, complex))


def _recorded_in(a: Any) -> Any:
    """An array in nested sequences that has no values while a function is recorded, or whose derivatives are wanted; None where none is."""
    if isinstance(a, (list, tuple)):
        if _numbers.issuperset(map(type, a)):
            return None
        return next((found for one in a if (found := _recorded_in(one)) is not None), None)
    if type(a) is Given:
        return a.array
    is_one = isinstance(a, Array) and (_core.is_derived(a) or _core.records() and _core.depends_on_arguments(a))
    return a if is_one else None


def asarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: Any = None,
    copy: builtins.bool | None = None,
    like: Any = None,
    blocking: builtins.bool = True,
) -> Array:
    """An array of what `a` holds: an array, a number, a nested sequence, or whatever NumPy takes for an array.

    `copy` True always copies, False never does (ValueError where it would have to): memory of NumPy is used where it lies then, and is
    read-only meanwhile. None copies what can be written, and what has to be: see docs/memory.md. With `blocking` False a copy to a GPU may still
    run when this returns: the source, which wf.pinned_empty() makes, is left alone until the stream has passed it.
    """
    if dtype is None and order is None and copy is None and like is None:
        # Nearly always, and then there is nothing to heed.
        if isinstance(a, Array) and (device is None or device == a.device):
            return _core.as_array(a) if _core.is_value(a) else a
        if device is None and (made := _core.copied(a, _borrow_from, _any_size, "")) is not None:
            return made
    if type(a) is Given:
        a = a.known() if a.array is None else a.array
    order = heed("asarray", order, like)
    copy = copies("asarray", copy)
    where = named_device(device)
    if dtype is not None:
        dtype = _core.dtype(dtype)
    if isinstance(a, Flat):
        a = a._flat()
    if isinstance(a, Array):
        result = _core.as_array(a) if _core.is_value(a) else a
        if where and where != a.device:
            result = _core.to_device(a, where)
        if dtype is not None and dtype != a.dtype:
            result = _core.astype(result, dtype)
        if result is a and ((order == "C" and not a.flags.c_contiguous) or (order == "F" and not a.flags.f_contiguous)):
            result = _core.copy(a)
        if copy is False and result is not a:
            raise ValueError("asarray: another dtype, device or order, or an array of one value, needs a copy")
        return _core.copy(result) if copy and result is a else result
    import numpy

    if not isinstance(a, numpy.ndarray) and hasattr(a, "__cuda_array_interface__"):
        from weft._base.interop import from_cuda

        shared, copied = from_cuda(a, copy is not False)
        result = asarray(shared, dtype, device=device, copy=False if copy is False else None)
        # Who gave the memory may write to it again.
        return _core.duplicate(result) if result is shared and copy is not False and not copied else result
    if not isinstance(a, numpy.ndarray):
        if copy is False and not hasattr(a, "__array_interface__") and not hasattr(a, "__dlpack__"):
            try:
                memoryview(a)
            except TypeError:
                raise ValueError("asarray: Python's numbers and sequences can only be copied") from None
        if isinstance(a, (list, tuple)) and (found := _recorded_in(a)) is not None:
            if copy is False:
                raise ValueError("asarray: Python's numbers and sequences can only be copied")
            return asarray(_core.stack([asarray(one, device=where or found.device) for one in a], 0), dtype)
        # Weft has no bfloat16 literal of its own; NumPy converts through the dtype.
        given = type(a)
        a = numpy.asarray(a, dtype=dtype)
        if given is list and (made := _core.copied(a, _borrow_from, _borrow_from, where)) is not None:
            return made  # nobody else has NumPy's array
        made_of = f"{given.__name__} with elements of dtype "
    else:
        made_of = "a NumPy array of dtype "
        if a.dtype.kind in "USO" and dtype is not None and copy is not False:
            a = a.astype(dtype)  # text and objects that are numbers
    # 16 and 32 bytes: the long double and its complex numbers; kind V: bfloat16, which is nobody's own.
    kind, size = a.dtype.kind, a.dtype.itemsize
    if kind not in "biufcV" or (kind == "f" and size > 8) or (kind == "c" and size > 16) or (kind == "V" and size != 2):
        its = "" if made_of.startswith("a NumPy") else "numpy.asarray(x)"  # columns of Arrow and others have no astype()
        advice = f"convert it first, as with {its}.astype('float64')"
        if kind in "US":
            advice = "keep text in NumPy, where masks and positions of Weft index it, or " + advice + " where it is numbers"
        if kind in "mM":
            unit = _UNITS.get(numpy.datetime_data(a.dtype)[0], numpy.datetime_data(a.dtype)[0])
            advice = f"give how many {unit} they are, with {its}.astype('int64')"
        raise TypeError(f"asarray: takes bools, integers, floats of at most 64 bits and complex numbers of two such: got {made_of}{a.dtype}; {advice}")
    if dtype is not None and dtype != a.dtype:
        if copy is False:
            raise ValueError("asarray: another dtype needs a copy")
        return _core.astype(from_numpy(a, where), dtype)
    return from_numpy(a, where, copy, blocking)


def viewable(a: Any) -> Array:
    """What views are made of: an array itself, and what NumPy has a scalar for, a value too, as a value; whatever else as an array."""
    if isinstance(a, Array):
        return a
    import numpy

    return _core.as_value(asarray(a)) if isinstance(a, numpy.generic) else asarray(a)
