"""Arrays as text, in NumPy's forms: its print options hold for Weft's arrays too."""

from __future__ import annotations

from weft._array.answered import answered_by
from weft._base.host import to_host
from weft._names import NAMES

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def array2string(a: Any, *args: Any, **options: Any) -> str:
    """The elements as text, as numpy.array2string has them."""
    import numpy

    return numpy.array2string(numpy.asarray(to_host(a)), *args, **options)


def array_repr(arr: Any, max_line_width: int | None = None, precision: int | None = None, suppress_small: Any = None) -> str:
    """The array as repr() writes it."""
    import numpy

    return numpy.array_repr(numpy.asarray(to_host(arr)), max_line_width, precision, suppress_small)


def array_str(a: Any, max_line_width: int | None = None, precision: int | None = None, suppress_small: Any = None) -> str:
    """The array as str() writes it."""
    import numpy

    return numpy.array_str(numpy.asarray(to_host(a)), max_line_width, precision, suppress_small)


def set_printoptions(*args: Any, **options: Any) -> None:
    """Sets how NumPy's arrays and Weft's are printed: precision, threshold, linewidth, suppress, formatter, …"""
    import numpy

    numpy.set_printoptions(*args, **options)


def get_printoptions(*args: Any) -> dict[str, Any]:
    """How NumPy's arrays and Weft's are printed."""
    import numpy

    return dict(numpy.get_printoptions(*args))


def printoptions(*args: Any, **options: Any) -> Any:
    """A context in which these print options hold."""
    import numpy

    return numpy.printoptions(*args, **options)


# NumPy's own functions of one number or name.
for _name in NAMES[__name__]:
    if _name not in globals():
        globals()[_name] = answered_by("numpy", _name)
