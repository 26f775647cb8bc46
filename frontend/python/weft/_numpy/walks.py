"""Python's loops over elements, by NumPy on host memory: the values are NumPy's scalars."""

from __future__ import annotations


from weft._core import Array
from weft._base.host import answered, to_host

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _locked(value: Any) -> Any:
    """The host's values of arrays, read-only also where they are a copy: what is written there would be lost."""
    if isinstance(value, (list, tuple)):
        return type(value)(_locked(one) for one in value)
    if not isinstance(value, Array):
        return value
    values = to_host(value).view()
    values.flags.writeable = False
    return values


def ndindex(*shape: Any) -> Any:
    """Every index of an array of this shape, in row-major order."""
    import numpy

    return numpy.ndindex(*shape)


def ndenumerate(arr: Any) -> Any:
    """Every index with its element."""
    import numpy

    return numpy.ndenumerate(numpy.asarray(to_host(arr)))


def nditer(op: Any, *args: Any, **options: Any) -> Any:
    """numpy.nditer over the values, which it cannot write to."""
    import numpy

    return numpy.nditer(_locked(op), *args, **options)


def frompyfunc(func: Any, /, nin: int, nout: int, *, identity: Any = None) -> Any:
    """A function of elements as one of arrays that broadcast, called for each; it gives arrays of numbers where NumPy gives such of objects."""
    import numpy

    by_element = numpy.frompyfunc(func, nin, nout, **({} if identity is None else {"identity": identity}))

    def numbers(*args: Any) -> Any:
        results = by_element(*args)
        made = tuple(numpy.asarray(one.tolist()) if isinstance(one, numpy.ndarray) else numpy.asarray(one)[()] for one in
                     (results if nout > 1 else (results,)))
        return made if nout > 1 else made[0]

    def applied(*args: Any) -> Any:
        if len(args) != nin:
            raise TypeError(f"{numbers.__name__}: takes {nin} operands: got {len(args)}")
        return answered(numbers, *args)

    numbers.__name__ = applied.__name__ = applied.__qualname__ = getattr(func, "__name__", "frompyfunc")
    return applied
