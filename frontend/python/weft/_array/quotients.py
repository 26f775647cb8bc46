"""floor_divide()'s methods that NumPy answers, by Weft's rule for infinite operands: the plain quotient, as the standard has it."""

from __future__ import annotations

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _scalars(values: Any) -> Any:
    """An array of NumPy's scalars, as objects."""
    import numpy

    values = numpy.asarray(values)
    result = numpy.empty(values.shape, object)
    for i, value in enumerate(values.reshape(-1)):
        result.reshape(-1)[i] = value
    return result


def _rule() -> Any:
    """What divides two such scalars, as one of NumPy's elementwise functions."""
    import numpy

    def divided(a: Any, b: Any) -> Any:
        return a / b if numpy.isinf(a) or numpy.isinf(b) else numpy.floor_divide(a, b)

    return numpy.frompyfunc(divided, 2, 1)


class FloorDivide:
    """numpy.floor_divide() as Weft computes it, of arrays in host memory."""

    __name__ = "floor_divide"
    nin, nout, nargs, identity = 2, 1, 3, None

    def _along(self, method: str, array: Any, *args: Any, **options: Any) -> Any:
        import numpy

        dtype = options.pop("dtype", None)
        values = numpy.asarray(array, dtype)
        if values.dtype.kind in "biu":
            return getattr(numpy.floor_divide, method)(values, *args, **options)
        with numpy.errstate(all="ignore"):
            result = getattr(_rule(), method)(_scalars(values), *args, **options)
        return numpy.asarray(result, values.dtype)[()]

    def reduce(self, array: Any, **options: Any) -> Any:
        """The first element divided by all others along an axis."""
        return self._along("reduce", array, **options)

    def accumulate(self, array: Any, **options: Any) -> Any:
        """The first element divided by all up to each."""
        return self._along("accumulate", array, **options)

    def reduceat(self, array: Any, indices: Any, **options: Any) -> Any:
        """As reduce(), of the slices that begin at these positions."""
        return self._along("reduceat", array, indices, **options)

    def at(self, target: Any, index: Any, values: Any) -> None:
        """Divides in place, each occurrence of a position counting."""
        import numpy

        numpy.floor_divide.resolve_dtypes((target.dtype, numpy.asarray(values).dtype, target.dtype), casting="same_kind")  # or raises
        if target.dtype.kind in "biu":
            numpy.floor_divide.at(target, index, values)
            return
        elements = _scalars(target)
        with numpy.errstate(all="ignore"):
            _rule().at(elements, index, _scalars(values))
        target[...] = elements
