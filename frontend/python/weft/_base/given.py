"""Numbers that a function takes which is being recorded: arguments of its program, as long as nobody asks for their values.

A number has a value and an array of rank 0, which is an input of the program. Arrays compute with the array, in the dtype that the
number would have beside them: NumPy's float64 keeps its own. Whatever looks at the value gets it, and decides: the recording then holds for that value alone.
What is computed of such numbers alone is one, too: by operators, and by elementwise functions, which give what arrays give.
"""

from __future__ import annotations

import math
import operator
import sys

from weft import _core
from weft._core import Array
from weft._base.origin import package

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable


def _line() -> str:
    """The line outside of the package that is being run."""
    frame: Any = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(package):
        frame = frame.f_back
    return f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno}" if frame else ""


class Decided(dict[int, str]):
    """Where values were asked for, by the place among the arguments."""

    def __init__(self) -> None:
        self.made: list[Given] = []

    def end(self) -> None:
        """The recording is over: who kept one of the numbers has a number."""
        for one in self.made:
            one.array = None
        self.made = []


class Given:
    """A float, an integer or NumPy's float64 that is an argument, or computed of such. `by_function`: outside of a recording it is a weft.Array."""

    __slots__ = ("array", "by_function", "decided", "places", "value")

    def __init__(self, value: Any, array: Any, places: frozenset[int], decided: Decided, by_function: bool = False) -> None:
        self.value, self.array, self.places, self.decided, self.by_function = value, array, places, decided, by_function
        decided.made.append(self)

    @property
    def __class__(self) -> Any:  # isinstance() takes it for the number that it is
        return type(self.value)

    def known(self, where: str = "") -> Any:
        """The value, which decides something at the line that is being run unless told."""
        for place in self.places:
            self.decided.setdefault(place, where or _line())
        return self.value

    def _is_float(self) -> bool:
        return isinstance(self.value, float) and self.array is not None

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy

        return numpy.asarray(self.known(), dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        ours = getattr(sys.modules["weft"], ufunc.__name__, None)
        if method == "__call__" and not options and isinstance(ours, _core.Function):
            result = computed(ours.__name__, inputs, ufunc)
            if result is not NotImplemented:
                return result
        return getattr(ufunc, method)(*(known(one) for one in inputs), **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.as_result() if self.by_function else self.known(), name)

    def as_result(self, where: str = "") -> Any:
        """What a function gives that gives this number."""
        return _core.as_value(self.array) if self.by_function and self.array is not None else self.known(where)

    def __reduce__(self) -> Any:
        return type(self.value), (self.known(),)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if type(other) is int and other == 2 and modulus is None and (type(self.value) is float or is_float64(self.value)):
            return self * self
        if isinstance(other, Array):
            return NotImplemented
        return pow(self.known(), known(other)) if modulus is None else pow(self.known(), known(other), modulus)

    def __rpow__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Array) else pow(other, self.known())

    def __neg__(self) -> Any:
        return Given(-self.value, -self.array, self.places, self.decided, self.by_function) if self._is_float() else -self.known()

    def __pos__(self) -> Any:
        return self if self._is_float() else +self.known()

    def __abs__(self) -> Any:
        return Given(abs(self.value), abs(self.array), self.places, self.decided, self.by_function) if self._is_float() else abs(self.known())


def is_float64(value: Any) -> bool:
    """Whether it is NumPy's scalar of that very type."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and type(value) is numpy.float64


def known(value: Any, where: str = "") -> Any:
    """The value of what may be such a number, where the value decides something."""
    return value.known(where) if type(value) is Given else value


def beside(value: Any, x: Array) -> Any:
    """What may be such a number as an operand of x: an array of x's dtype where that holds any number; else its value."""
    if type(value) is not Given:
        return value
    if value.array is not None and is_float64(value.value):
        return value.array
    return _core.astype(value.array, x.dtype) if x.dtype.kind == "f" and value.array is not None else value.known()


def alone(value: Any, other: Any = 0) -> Any:
    """What may be such a number where no array has a dtype for it, as an array of float64, which it makes of any number beside it; else its value."""
    if type(value) is not Given:
        return value
    is_float = value._is_float() and (type(other) in (bool, int, float) or type(other) is Given)
    return _core.astype(value.array, _core.dtype("float64")) if is_float else value.known()


def _of_numbers(value: Any, f: Callable[..., Any], operands: Any, by_function: bool) -> Given:
    """What f gives of numbers, of which some are such and all stand for float64; its value is known."""
    arrays = [_core.astype(one.array, _core.dtype("float64")) if type(one) is Given else float(one) for one in operands]
    given = [one for one in operands if type(one) is Given]
    return Given(value, f(*arrays), frozenset().union(*(one.places for one in given)), given[0].decided, by_function or any(one.by_function for one in given))


def computed(name: str, operands: Any, ufunc: Any = None) -> Any:
    """An elementwise function of numbers of which some are such, or NumPy's, which gives a scalar of NumPy's; NotImplemented where it is to be computed
    of their values."""
    if not all(one._is_float() if type(one) is Given else type(one) in (int, float) or is_float64(one) for one in operands) or name == "pow":
        return NotImplemented
    f = getattr(_core, name)
    value = (ufunc or f)(*(one.value if type(one) is Given else one for one in operands))
    if value.dtype != "float64":
        return NotImplemented
    import numpy

    return _of_numbers(numpy.float64(value), f, operands, ufunc is None)


def _arithmetic(name: str) -> None:
    of: Callable[..., Any] = getattr(operator, f"__{name}__")

    def both(a: Any, b: Any) -> Any:
        values = tuple(one.value if type(one) is Given else one for one in (a, b))
        # Of two integers it is an integer of any size, or a quotient that is rounded once: the recording is of their values.
        if any(type(one) is Given and one.array is None for one in (a, b)) or not all(type(one) in (int, float) or is_float64(one) for one in values) or all(type(one) is int for one in values):
            return of(known(a), known(b))
        if name == "truediv" and values[1] == 0 and not any(is_float64(one) for one in values):
            return of(known(a), known(b))  # raises
        return _of_numbers(of(*values), of, (a, b), False)

    def forward(self: Given, other: Any) -> Any:
        return NotImplemented if isinstance(other, Array) or hasattr(other, "__array_ufunc__") and type(other) is not Given else both(self, other)

    def reflected(self: Given, other: Any) -> Any:
        return NotImplemented if isinstance(other, Array) else both(other, self)

    setattr(Given, f"__{name}__", forward)
    setattr(Given, f"__r{name}__", reflected)


def _looks(name: str) -> None:
    of_value: Callable[..., Any] = _of_values[name]

    def of(self: Given, *args: Any) -> Any:
        if args and isinstance(args[0], Array):
            return NotImplemented
        return of_value(self.known(), *(known(one) for one in args))

    setattr(Given, f"__{name}__", of)


def _reflected(name: str) -> None:
    of_values: Callable[..., Any] = _of_values[name]

    def reflected(self: Given, other: Any) -> Any:
        return NotImplemented if isinstance(other, Array) else of_values(known(other), self.known())

    setattr(Given, f"__r{name}__", reflected)


# Python's operators and functions of values: these raise what they raise of the number itself.
_of_values: dict[str, Callable[..., Any]] = {
    "bool": bool, "int": int, "float": float, "complex": complex, "index": operator.index, "round": round, "trunc": math.trunc, "floor": math.floor,
    "ceil": math.ceil, "hash": hash, "str": str, "repr": repr, "format": format, "invert": operator.invert, "divmod": divmod, "mod": operator.mod,
    "floordiv": operator.floordiv, "and": operator.and_, "or": operator.or_, "xor": operator.xor, "lshift": operator.lshift, "rshift": operator.rshift,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip


for _name in ("add", "sub", "mul", "truediv"):
    _arithmetic(_name)
for _name in _of_values:
    _looks(_name)
for _name in "divmod mod floordiv and or xor lshift rshift".split():
    _reflected(_name)

_core.take_given_with(Given, computed)
