"""What a mask picks whose value is not known before the function that is being recorded is called.

How many elements these are is not known either, so they are computed of all elements, and written where the mask is true.
"""

from __future__ import annotations

import math
import operator
import sys

from weft import _core
from weft._core import Array, Error
from weft._base.asarray import asarray
from weft._base.operands import as_stored
from weft._base.out import target

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_advice = ("what a mask picks that depends on a compiled function's arguments has no shape while it is recorded: reduce it, take one element by its number, "
           "or compute with numbers and with what the same mask picks, and write it by that mask: x[mask] = y[mask] * 2; else write where(mask, …, x), "
           "or x[nonzero(mask, size=n)] for the first n")

_INSIDE = 0.6180339887  # in the domain of most functions, and no zero of them
_linear = {"add", "sub", "iadd", "isub", "subtract", "neg", "pos", "negative", "positive"}


def mask_of(entries: Any) -> Any:
    """The mask among an index's entries that depends on the arguments of the function that is being recorded, or None."""
    for one in entries:
        if isinstance(one, Array) and one.dtype == bool and _core.depends_on_arguments(one):
            return one
    return None


def _is_basic(entry: Any) -> bool:
    """Whether it is None, an ellipsis, a slice or an integer that is known."""
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return True
    known = not isinstance(entry, Array) or not (entry.dtype == bool or _core.depends_on_arguments(entry))
    return known and hasattr(entry, "__index__") and not getattr(entry, "ndim", 0) and not isinstance(entry, bool)


def _seen(x: Array, entries: Any, mask: Array) -> tuple[Array, int]:
    """The view of x that the index picks of without its mask, and where the mask's axes stand in it."""
    if not all(one is mask or _is_basic(one) for one in entries):
        raise Error(f"index: {_advice}; it can stand beside integers and slices alone")
    if sum(one is mask for one in entries) > 1:
        raise Error(f"index: {_advice}; it can stand in an index once")
    used = sum(one.ndim if one is mask else one is not None and one is not Ellipsis for one in entries)
    if used > x.ndim:
        raise IndexError(f"index: too many positions for an array of {x.ndim} axes: got {used}")
    basic: list[Any] = []
    place = axis = seen = 0  # axis of x, and of the view
    for one in entries:
        if one is mask:
            place = seen
            if x.shape[axis : axis + one.ndim] != one.shape:
                raise IndexError(f"index: a mask has the shape of the axes it picks from, {x.shape[axis:axis + one.ndim]}: got {one.shape}")
            basic += [slice(None)] * one.ndim if one.ndim else [None]
            axis += one.ndim
            seen += one.ndim or 1
            continue
        count = x.ndim - used if one is Ellipsis else one is not None
        basic += [slice(None)] * count if one is Ellipsis else [one]
        axis += count
        seen += count if one is Ellipsis or isinstance(one, slice) else one is None
    return x[tuple(basic)], place


def _apart(entries: Any) -> bool:
    """Whether integers and a mask have other entries between them, so that the axis of what is picked comes first."""
    places = [i for i, one in enumerate(entries) if one is not None and one is not Ellipsis and not isinstance(one, slice)]
    return places[-1] - places[0] >= len(places)


class Picked:
    """x[mask]: `every` element of it and of others, `place` of the mask's axes among theirs."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, every: Array, mask: Array, place: int) -> None:
        self.every, self.mask, self.place = every, mask, place

    def _behind(self) -> int:
        """How many axes come behind those of the mask."""
        return self.every.ndim - (self.mask.ndim or 1) - self.place

    def _here(self) -> Array:
        """The mask over every element."""
        return _core.reshape(self.mask, (*(self.mask.shape or (1,)), *(1,) * self._behind()))

    def _of(self, f: Any, operands: Any) -> Picked:
        """An elementwise function of what is picked and what it is computed with."""
        given = [self._spread(one) for one in operands]
        if f.__name__ not in _linear and any(isinstance(one, Array) and _core.is_derived(one) for one in given):
            given = [self._filled(x) if isinstance(one, Picked) else x for one, x in zip(operands, given)]
        if f.__name__ == "pow" and isinstance(given[1], Array) and given[1].dtype.kind == "i":
            given[1] = _core.where(self._here(), given[1], 1)  # of what is not picked no exponent is wrong
        return self._made(f(*given))

    def _filled(self, every: Array) -> Array:
        """The same of what is picked. Elsewhere a function has a finite derivative there, as 0 times an infinite one is NaN."""
        return _core.where(self._here(), every, _INSIDE) if every.dtype.kind in "fc" else every

    def _spread(self, other: Any) -> Any:
        """The operand for every element."""
        if isinstance(other, Picked):
            if other.place != self.place or other.every.ndim != self.every.ndim or not _core.same_value(other.mask, self.mask):
                raise Error(f"index: {_advice}; these are two masks")
            return other.every
        if not isinstance(other, Array):
            if isinstance(other, (bool, int, float, complex)) or not hasattr(other, "__array__"):
                return other
            other = asarray(other, device=self.every.device)
        rest = self._behind()
        if other.ndim <= rest:
            return other
        if other.shape[other.ndim - rest - 1] != 1:
            raise Error(f"index: {_advice}; got an array of shape {other.shape} beside it")
        ones = (1,) * ((self.mask.ndim or 1) - 1)
        at = other.ndim - rest
        return _core.reshape(other, (*other.shape[:at], *ones, *other.shape[at:]))

    def _made(self, every: Array) -> Picked:
        if every.shape != self.every.shape:
            raise Error(f"index: {_advice}")
        return Picked(every, self.mask, self.place)

    def refuse(self, what: str) -> Any:
        raise Error(f"index: {_advice}; got {what}")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        f = getattr(sys.modules["weft"], ufunc.__name__, None)
        if method != "__call__" or options or not isinstance(f, _core.Function):
            return self.refuse(f"numpy.{ufunc.__name__} of it")
        return computed(f, inputs, False)

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self.refuse("it as a function's argument, where methods do: x[mask].sum()")

    def _reduced(self, f: Any, name: str, axis: Any, keepdims: bool, options: dict[str, Any]) -> Any:
        """A reduction: over the axis of what is picked it is one of every element that has the mask's where=."""
        if options.get("out") is not None or options.get("where", True) is not True:
            return self.refuse(f".{name} with out= or where=")
        options = {key: value for key, value in options.items() if key not in ("out", "where")}
        masked = self.mask.ndim or 1
        ndim = self.every.ndim - masked + 1
        given = range(ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
        axes = {operator.index(one) + ndim * (operator.index(one) < 0) for one in given}
        if not axes <= {*range(ndim)}:
            raise IndexError(f"{name}: axis out of range for what is picked, of {ndim} axes: got {axis}")
        every = sorted(k for one in axes for k in (range(self.place, self.place + masked) if one == self.place else (one + (masked - 1) * (one > self.place),)))
        if self.place not in axes:
            result = f(self._filled(self.every) if _core.is_derived(self.every) else self.every, axis=tuple(every), keepdims=keepdims, **options)
            return Picked(result, self.mask, self.place - (0 if keepdims else sum(one < self.place for one in axes)))
        if name in ("max", "min") and "initial" not in options:
            options["initial"] = _least(self.every.dtype, name)
        result = f(self.every, axis=tuple(every), keepdims=keepdims, where=self._here(), **options)
        if keepdims and masked > 1:
            result = _core.reshape(result, (*result.shape[: self.place], 1, *result.shape[self.place + masked :]))
        return result

    @property
    def size(self) -> Array:
        """How many elements are picked, which is known when the function is called."""
        behind = self.every.size // max(1, math.prod(self.mask.shape or (1,)))
        return _core.multiply(_core.sum(_core.astype(self.mask, _core.dtype("int64")), None, False), behind)

    def median(self, axis: Any = None, keepdims: bool = False) -> Array:
        """The middle of what is picked, NaN of nothing: of the sorted elements, of which all that is not picked is last."""
        if axis not in (None, 0, (0,)) or self.every.ndim != (self.mask.ndim or 1) or self.every.dtype.kind == "c":
            return self.refuse("median() along an axis of several, or of complex numbers")
        weft = sys.modules["weft"]
        x = self.every if self.every.dtype.kind == "f" else self.every.astype("float64")
        ordered = weft.sort(_core.reshape(_core.where(self._here(), x, math.inf), (-1,)))
        count = _core.astype(self.size, _core.dtype("int64"))
        low, high = (_core.maximum(_core.floor_divide(_core.add(count, k), 2), 0) for k in (-1, 0))
        middle = weft.mean(_core.stack([_core.take(ordered, one, 0) for one in (low, high)], 0), 0)
        unknown = _core.logical_or(_core.equal(count, 0), self._made(_core.isnan(x)).any())
        result = _core.where(unknown, math.nan, middle)
        return _core.reshape(result, (1,)) if keepdims else result

    def cumsum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Picked:
        """The sum of all that is picked up to each."""
        if axis not in (None, 0) or out is not None or self.every.ndim != (self.mask.ndim or 1):
            return self.refuse("cumsum() along an axis of several, or with out=")
        kept = _core.reshape(_core.where(self._here(), self.every, 0), (-1,))
        return self._made(_core.reshape(sys.modules["weft"].cumsum(kept, dtype=dtype), self.every.shape))

    def _element(self, number: int) -> Array:
        """What is picked at this place, which is counted from the end where it is negative. Each call checks that there are so many."""
        masked = self.mask.ndim or 1
        flat = _core.reshape(self.mask, (-1,))
        up_to = _core.cumulative_sum(_core.astype(flat, _core.dtype("int64")), 0, _core.dtype("int64"), False)
        count = up_to[-1:]
        _core.check_picked(count, number)
        wanted = number + 1 if number >= 0 else _core.add(count, number + 1)
        at = _core.argmax(_core.equal(up_to, wanted), 0, False)
        shape = self.every.shape
        rows = _core.reshape(self.every, (*shape[: self.place], -1, *shape[self.place + masked :]))
        return _core.take(rows, at, self.place)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.every.dtype if name == "dtype" else self.refuse(f".{name}")

    def __len__(self) -> int:
        return self.refuse("len()")

    def __iter__(self) -> Any:
        return self.refuse("a loop over it")

    def __bool__(self) -> bool:
        return self.refuse("it as a condition")

    def __getitem__(self, key: Any) -> Any:
        if self.place == 0 and hasattr(key, "__index__") and not isinstance(key, (bool, Array)) and self.mask.size:
            return self._element(key.__index__())
        return self.refuse("an index of it")

    def __setitem__(self, key: Any, value: Any) -> None:
        self.refuse("an index of it")

    def astype(self, dtype: Any) -> Picked:
        return Picked(self.every.astype(dtype), self.mask, self.place)

    def copy(self) -> Picked:
        return Picked(_core.copy(self.every), self.mask, self.place)


def _binary(name: str) -> None:
    def of(x: Any, y: Any) -> Any:
        return getattr(operator, f"__{name}__")(x, y)

    of.__name__ = name

    def forward(self: Picked, other: Any) -> Picked:
        return self._of(of, (self, other))

    def reflected(self: Picked, other: Any) -> Picked:
        return self._of(of, (other, self))

    setattr(Picked, f"__{name}__", forward)
    if name not in ("lt", "le", "gt", "ge", "eq", "ne"):

        def in_place(self: Picked, other: Any) -> Picked:
            def of(x: Any, y: Any) -> Any:
                return getattr(operator, f"__i{name}__")(_core.copy(x), y)

            of.__name__ = name
            self.every = self._of(of, (self, other)).every
            return self

        setattr(Picked, f"__r{name}__", reflected)
        setattr(Picked, f"__i{name}__", in_place)


def _unary(name: str) -> None:
    of = getattr(operator, f"__{name}__")
    setattr(Picked, f"__{name}__", lambda self: self._made(of(self.every)))


def _least(dtype: Any, name: str) -> Any:
    """What changes no maximum, or no minimum."""
    if dtype.kind == "b":
        return name == "min"
    if dtype.kind in "iu":
        import numpy

        limits = numpy.iinfo(dtype)
        return int(limits.min if name == "max" else limits.max)
    return -math.inf if name == "max" else math.inf


def _reduction(name: str) -> None:
    def reduced(self: Picked, axis: Any = None, *, keepdims: bool = False, **options: Any) -> Any:
        return self._reduced(getattr(sys.modules["weft"], name), name, axis, keepdims, options)

    reduced.__name__ = name
    setattr(Picked, name, reduced)


for _name in "sum prod max min any all mean var std".split():
    _reduction(_name)
for _name in "add sub mul truediv floordiv mod pow lshift rshift and xor or lt le gt ge eq ne".split():
    _binary(_name)
for _name in "neg pos abs invert".split():
    _unary(_name)


def computed(f: Any, operands: Any, has_options: bool) -> Picked:
    """An elementwise function of operands of which some are picked."""
    first: Picked = next(one for one in operands if isinstance(one, Picked))
    if has_options or len(operands) != f.nin:
        first.refuse(f"{f.__name__} of it with more than operands")
    return first._of(f, operands)


_core.compute_picked_with(Picked, computed)

# What Python would refuse by the name of the class.
_refused = {"matmul": "a matrix product of it", "divmod": "divmod() of it", "contains": "`in` of it", "round": "round() of it"} | {
    name: f"{name}() of it" for name in ("int", "float", "complex", "index")}  # fmt: skip


def _refusing(what: str) -> Any:
    return lambda self, *_: self.refuse(what)


for _name, _what in _refused.items():
    for _side in ("", "r", "i") if _name in ("matmul", "divmod") else ("",):
        setattr(Picked, f"__{_side}{_name}__", _refusing(_what))


def pick(x: Array, entries: Any, mask: Array) -> Picked:
    """x[entries], whose mask depends on the arguments."""
    view, place = _seen(x, entries, mask)
    if _apart(entries):
        view, place = _in_front(view, place, mask), 0
    return Picked(_core.copy(view), _core.copy(mask), place)


def _in_front(view: Array, place: int, mask: Array) -> Array:
    count = mask.ndim or 1
    return _core.permute_dims(view, [*range(place, place + count), *range(place), *range(place + count, view.ndim)])


def put(x: Array, entries: Any, mask: Array, value: Any) -> None:
    """x[entries] = value, whose mask depends on the arguments."""
    target("assign", x)
    view, place = _seen(x, entries, mask)
    if _apart(entries):
        view, place = _in_front(view, place, mask), 0
    if not isinstance(value, (Array, Picked, bool, int, float, complex)):
        value = as_stored(value, x)
    target_of = Picked(view, mask, place)
    given = target_of._spread(value)
    every = _core.copy(view)
    every[...] = given  # converts it, or says why it cannot
    _core.assign(view, _core.where(target_of._here(), every, view))
