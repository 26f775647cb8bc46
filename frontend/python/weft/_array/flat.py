"""x.flat: the elements of an array one after another, row by row, read and written where they lie."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._array.indexing import _index, _repeated
from weft._base.asarray import Flat, asarray
from weft._base.memory import to_numpy
from weft._base.out import target

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


class flatiter(Flat):
    """An iterator over an array's elements, row by row, which is indexed and assigned to as one flat axis."""

    __slots__ = ("_base", "_index")

    def __init__(self, base: Array) -> None:
        self._base = base
        self._index = 0

    @property
    def base(self) -> Array:
        """The array."""
        return self._base

    @property
    def index(self) -> int:
        """How many elements were taken."""
        return self._index

    @property
    def coords(self) -> tuple[int, ...]:
        """The position along each axis of the element that is next."""
        rest = self._index
        result = []
        for extent in reversed(self._base.shape[1:]):
            rest, here = divmod(rest, extent or 1)
            result.append(here)
        return (rest, *reversed(result)) if self._base.ndim else ()

    def copy(self) -> Array:
        """The elements along one axis, a copy."""
        return _core.copy(self._flat())

    def _flat(self) -> Array:
        """All elements along one axis: a view of the array where it allows one, else a copy."""
        return _core.reshape(_core.as_array(self._base), (-1,))

    def _element(self, position: int) -> tuple[int, ...]:
        size = self._base.size
        if not -size <= position < size:
            raise IndexError(f"flat: position out of range for {size} elements: got {position}")
        result = []
        rest = position % size
        for extent in reversed(self._base.shape):
            rest, here = divmod(rest, extent)
            result.append(here)
        return tuple(reversed(result))

    def _key(self, key: Any) -> Any:
        """An integer, a slice, or positions as an array."""
        import numpy

        if isinstance(key, tuple):
            if len(key) > 1:
                raise IndexError(f"flat: has one axis: got {len(key)} indices")
            key = key[0] if key else slice(None)
        if key is Ellipsis:
            return slice(None)
        if isinstance(key, slice):
            return key
        if isinstance(key, (bool, numpy.bool)) or key is None or isinstance(key, (str, float)):
            raise IndexError(f"flat: takes integers, slices, an ellipsis, and arrays of integers or bools: got {key!r}")
        if hasattr(key, "__index__") and not getattr(key, "ndim", 0):
            return key.__index__()
        positions = _index(key)
        if positions.dtype.kind == "b":
            if not isinstance(key, (Array, numpy.ndarray)):
                raise IndexError("flat: takes arrays of bools, no lists of them")
            if positions.shape != (self._base.size,):
                raise IndexError(f"flat: a mask has one axis of {self._base.size} elements: got shape {positions.shape}")
        return positions

    def __len__(self) -> int:
        return self._base.size

    def __iter__(self) -> flatiter:
        return self

    def __next__(self) -> Array:
        if self._index >= self._base.size:
            raise StopIteration
        self._index += 1
        return self._base[self._element(self._index - 1)]

    def __getitem__(self, key: Any) -> Array:
        self._index = 0
        key = self._key(key)
        if isinstance(key, int):
            return self._base[self._element(key)]
        picked = self._flat()[key]
        return _core.copy(picked) if isinstance(key, slice) else picked

    def __setitem__(self, key: Any, value: Any) -> None:
        self._index = 0
        base = target("flat", self._base)
        if isinstance(key, tuple) and not key:
            raise IndexError("flat: cannot assign with an index of no axis")
        key = self._key(key)
        if isinstance(key, int):
            position = self._element(key)
            if hasattr(value, "__len__") and getattr(value, "ndim", 1):
                raise ValueError(f"flat: one element is set to one value: got {value!r}")
            base[position] = value
            return
        if isinstance(key, slice):
            count = len(range(*key.indices(base.size)))
        else:
            if key.dtype.kind == "b":
                key = _core.true_positions(asarray(key, device=base.device))
            key = key.reshape(-1)
            count = key.size
        values = _repeated(value, count, base)
        if not values.size or not count:
            return
        flat = self._flat()
        flat[key] = values
        if not _core.shares_cell(flat, base):
            _core.assign(base, _core.reshape(flat, base.shape))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy

        values = to_numpy(self._flat())
        if dtype is not None and values.dtype != dtype:
            return values.astype(dtype)
        return numpy.array(values) if copy else values

    def __eq__(self, other: object) -> Any:
        return self._flat() == _operand(other)

    def __ne__(self, other: object) -> Any:
        return self._flat() != _operand(other)

    def __lt__(self, other: Any) -> Any:
        return self._flat() < _operand(other)

    def __le__(self, other: Any) -> Any:
        return self._flat() <= _operand(other)

    def __gt__(self, other: Any) -> Any:
        return self._flat() > _operand(other)

    def __ge__(self, other: Any) -> Any:
        return self._flat() >= _operand(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<weft.flatiter over an array of shape {self._base.shape}>"


def _operand(other: Any) -> Any:
    return other._flat() if isinstance(other, flatiter) else other


_core.convert_foreign_with(asarray, flatiter)
