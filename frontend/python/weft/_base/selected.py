"""Medians and quantiles of long rows by NumPy. It selects one place of a row by vectors, and several at once without: here it is asked for one after
the other, each in the part of the row in which that place lies.
"""

from __future__ import annotations

import functools

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable

names = ("median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile")

_long, _many = 1 << 12, 1 << 16  # elements of a row, and of all rows, whose selection takes longer than these calls
_kinds = ("int32", "int64", "uint32", "uint64", "float32", "float64")  # which NumPy selects by vectors


def _swap(rows: Any, positions: Any, place: int) -> None:
    """Exchanges in each row the element at a position of its own with that of this place."""
    import numpy

    positions = positions[..., None]
    there = rows[..., place : place + 1].copy()
    rows[..., place : place + 1] = numpy.take_along_axis(rows, positions, -1)
    numpy.put_along_axis(rows, positions, there, -1)


def _select(rows: Any, places: list[int], begin: int = 0) -> None:
    """Has each of the places, which ascend, hold what it holds in the sorted row: no smaller element is behind it, no larger one before."""
    if not places:
        return
    middle = len(places) // 2
    place, last = places[middle] - begin, rows.shape[-1] - 1
    if place == last:
        _swap(rows, rows.argmax(-1), last)  # the first NaN where there is one, which is the last in order
    elif place == 0 and not _has_nan(rows):
        _swap(rows, rows.argmin(-1), 0)
    else:
        rows.partition(place, axis=-1)
    _select(rows[..., :place], places[:middle], begin)
    _select(rows[..., place + 1 :], places[middle + 1 :], begin + place + 1)


def _has_nan(rows: Any) -> bool:
    least = rows.min(-1)
    return bool((least != least).any())


@functools.cache
def _selecting() -> Any:
    import numpy

    class Selecting(numpy.ndarray):
        """An array whose partition() is _select()."""

        def partition(self, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
            rows, places = self.view(numpy.ndarray), numpy.ravel(kth)
            count = self.shape[axis]
            if places.size < 2 or count < _long or not ((places >= -count) & (places < count)).all():
                rows.partition(kth, axis, kind, order)
            else:
                _select(numpy.moveaxis(rows, axis, -1), numpy.unique(places % count).tolist())

    return Selecting


def selecting(name: str) -> Callable[..., Any]:
    """NumPy's function of this name, with selections as above."""
    import numpy

    plain = getattr(numpy, name)

    def f(a: Any, *args: Any, **options: Any) -> Any:
        if type(a) is not numpy.ndarray or a.size < _many or a.dtype.name not in _kinds or name.startswith("nan") and a.ndim > 1:
            return plain(a, *args, **options)
        result = plain(a.view(_selecting()), *args, **options)
        return result.view(numpy.ndarray)[()] if isinstance(result, _selecting()) else result

    f.__name__ = name
    return f
