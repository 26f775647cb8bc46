"""How NumPy is asked for an answer, on host memory: what it is given, what becomes of what it gives.

Values are looked at when it is called. On the CPU NumPy reads Weft's memory where it lies; on a GPU values are copied.
"""

from __future__ import annotations

import builtins
import operator

from weft import _core
from weft._core import Array, Error
from weft._base.errors import named
from weft._base.memory import _borrow_from, from_numpy, to_numpy
from weft._base.out import store
from weft._base.recorded import refuse_arguments

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


host_kinds = "OSUTMm"  # of NumPy's dtypes that no array of Weft has: objects, text and times stay NumPy's


# They copy what cannot be written, though they write to nothing.
_copy_read_only = frozenset(("bincount", "convolve", "correlate", "interp"))


def to_host(value: Any, as_writable: builtins.bool = False) -> Any:
    if isinstance(value, Array):
        if as_writable and value.device == "cpu" and value.dtype.kind != "V":
            return _numpy().asarray(memoryview(_core.memory(value, "as writable")))
        if (shown := _core.shown_by_numpy(value, False)) is not None:
            return shown
        values = to_numpy(value)
        values.flags.writeable = False  # what is written to a copy of a GPU's memory would be lost
        return values
    if isinstance(value, (list, tuple)):
        return type(value)(to_host(one) for one in value)
    return value


def from_host(value: Any, device: str) -> Any:
    if (made := _core.copied(value, _borrow_from, _borrow_from, device)) is not None:
        return made
    import numpy

    if type(value) is tuple:
        return tuple([from_host(one, device) for one in value])
    if isinstance(value, (numpy.generic, numpy.ndarray)) and value.dtype.kind in host_kinds:
        return value
    if isinstance(value, numpy.generic):
        return _core.as_value(from_numpy(numpy.asarray(value), device))
    if isinstance(value, numpy.ndarray):
        return from_numpy(value, device, lock=value.base is None)  # NumPy has just made it, and nobody else has it
    if isinstance(value, tuple):  # with names
        ours = [from_host(one, device) for one in value]
        return type(value)(*ours) if hasattr(value, "_fields") else tuple(ours)
    if type(value) is list:
        return [from_host(one, device) for one in value]
    return value


def _note_answer(f: Any, values: list[Any], result: Any, start: int) -> None:
    """Has the profile that runs know of the answer of NumPy's function, or of its name."""
    given, gave = (builtins.sum(getattr(one, "nbytes", 0) for one in those) for those in (values, result if type(result) is tuple else (result,)))
    _core.note_work("host", _core.name_on_host(f), start, given, gave)


device_of = _core.device_among  # of a list or a tuple

def answered(f: Any, *args: Any, **options: Any) -> Any:
    """f of NumPy, of the arguments' values; what arrays it gives lie on the arguments' device."""
    if _core.records():
        refuse_arguments(f.__name__.strip("<>"), [*args, *options.values()])
    device = device_of(args)
    out, host = None, options
    as_writable = f.__name__ in _copy_read_only
    if options:
        device = device or device_of(tuple(options.values()))
        out = options.pop("out", None)
        # What NumPy may overwrite to save memory of its own is Weft's.
        bool(options.pop("overwrite_input", None))  # which there is nothing to do about
        host = {name: to_host(value, as_writable) for name, value in options.items()}
    try:
        values = [to_host(value, True) for value in args] if as_writable else _core.given_to_numpy(args, to_host)
        start = _core.profile_time()
        result = f(*values, **host)
        if start:
            _note_answer(f, values, result, start)
    except (AttributeError, TypeError) as error:  # NumPy's words, which may name neither the function nor what it was given
        given = ", ".join(type(one).__name__ for one in (*args, *options.values()))
        raise TypeError(f"{f.__name__.strip('<>')}: {error}: got ({given})") from None
    except Error as error:  # Weft's, of the look at the values
        raise named(error, f.__name__.strip("<>")) from None
    except ValueError as error:
        raise type(error)(f"{f.__name__.strip('<>')}: {error}") from None
    given, result = result, from_host(result, device)
    if _core.note_answer(f, result):
        refuse_nans(f, [*values, *host.values()], given)
    if out is None:
        return result
    return store(result, out)


def _first_bad(values: Any, infinities: builtins.bool) -> tuple[Any, tuple[int, ...]] | None:
    """The first element that is NaN or, if these count, an infinity, and its place, of numbers, arrays and tuples of them."""
    import numpy

    if isinstance(values, (tuple, list)):
        return next((found for one in values if (found := _first_bad(one, infinities)) is not None), None)
    array = values if isinstance(values, numpy.ndarray) else numpy.asarray(values) if isinstance(values, (float, complex, numpy.generic)) else None
    if array is None or array.dtype.kind not in "fc":
        return None
    bad = numpy.isnan(array) | numpy.isinf(array) if infinities else numpy.isnan(array)
    if not bad.any():
        return None
    place = tuple(int(one) for one in numpy.unravel_index(int(bad.argmax()), array.shape))
    return array[place], place


def refuse_nans(f: Any, given: Any, result: Any) -> None:
    """Error where NumPy's function made what the session looks for, and was given none of it."""
    infinities = _core.watch() == "infinities"
    found = _first_bad(result if isinstance(result, tuple) else (result,), infinities)
    if found is not None and _first_bad(list(given), infinities) is None:
        raise Error(f"debug_nans: {_core.name_on_host(f)} at {_core.line_now()} made {found[0]} at {found[1]}: NumPy answered, on the host")


def asked(f: Any, name: str, *args: Any, **options: Any) -> Any:
    """What f of NumPy's, known by this name, gives of host values, and has the profile that runs know of it. _core.note_answer() tells the others."""
    start = _core.profile_time()
    result = f(*args, **options)
    if start:
        _note_answer(name, [*args, *options.values()], result, start)
    return result


def _compared(x: Array, number: Any, how: int) -> Any:
    """x compared with a number that no array holds, a fraction or a decimal, element by element; `how` is Python's number of the operator."""
    compare = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)[how]

    def compared(values: Any) -> Any:
        return _numpy().asarray(compare(values, number), bool)[()]

    compared.__name__ = ("less", "less_equal", "equal", "not_equal", "greater", "greater_equal")[how]
    return answered(compared, x)


_core.compare_numbers_with(_compared)


def _numpy() -> Any:
    import numpy

    return numpy
