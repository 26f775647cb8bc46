"""What is handed in from outside: where it comes from, whether it is one of NumPy's numbers, and when it is the same as before."""

from __future__ import annotations

import math

from weft._base.origin import module_of

MOST_ELEMENTS = 256  # of an array that a text is made for

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def is_numpy_number(found: Any) -> bool:
    """Whether it is one number of NumPy's, and not an array of rank 0, which can change."""
    return module_of(type(found)) == "numpy" and hasattr(found, "dtype") and getattr(found, "shape", None) == () and not hasattr(found, "__setitem__")


def is_array(found: Any) -> bool:
    """Whether it is an array of Weft's or of another library's."""
    kind = type(found)  # as the module numpy has a shape, too
    return hasattr(kind, "shape") and hasattr(kind, "dtype") and not is_numpy_number(found)


def known_as(value: Any) -> Any:
    """What tells a value that a text is made for from others: of what is neither a number nor made of numbers, which one it is."""
    kind = type(value)
    if kind in (bool, int, str, bytes):
        return kind, value
    if kind in (float, complex):
        return kind, repr(value)  # 0.0 is not -0.0
    if kind in (tuple, list):
        return kind, tuple(map(known_as, value))
    if is_array(value):
        value = as_known(value)
        kind = type(value)
    if is_numpy_number(value) or kind.__module__ == "numpy" and is_array(value) and value.size <= MOST_ELEMENTS:
        return kind, str(value.dtype), value.shape, value.tobytes()
    return id(value)


def may_change(value: Any) -> bool:
    """Whether it may hold other numbers later and be the same object."""
    return isinstance(value, list) or is_array(value) or isinstance(value, tuple) and any(map(may_change, value))


def as_known(value: Any) -> Any:
    """What a text is made for, of which an array that is not too large is one of NumPy's: its elements are looked at."""
    if not is_array(value) or math.prod(value.shape) > MOST_ELEMENTS:
        return value
    import numpy

    return numpy.asarray(value)
