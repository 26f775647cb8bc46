"""dtypes: NumPy's, and bfloat16. NumPy is imported when the first one is asked for."""

from __future__ import annotations

import builtins
import math
from collections import namedtuple

from weft import _core
from weft._base.given import Given
from weft._core import Array

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

# NumPy's other names for the same dtypes.
_aliases = {
    "bool_": "bool",
    "byte": "int8",
    "short": "int16",
    "intc": "int32",
    "int_": "int64",
    "intp": "int64",
    "long": "int64",
    "ubyte": "uint8",
    "ushort": "uint16",
    "uintc": "uint32",
    "uint": "uint64",
    "uintp": "uint64",
    "ulong": "uint64",
    "half": "float16",
    "single": "float32",
    "double": "float64",
    "csingle": "complex64",
    "cdouble": "complex128",
}
_abstract = ("generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating", "complexfloating")
names = [*_core.dtype_names, *_aliases, *_abstract]


def named(name: str) -> Any:
    """The scalar type that is a dtype's name, as numpy.float32 is; None for other names."""
    if name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.bfloat16
    if name in _core.dtype_names or name in _aliases or name in _abstract:
        import numpy

        return getattr(numpy, _aliases.get(name, name))
    return None


def dtype(dtype: Any) -> Any:
    """The numpy.dtype that a type, a name or a dtype stands for."""
    if isinstance(dtype, str):
        import numpy

        return _core.dtype("bfloat16" if dtype == "bfloat16" else numpy.dtype(dtype))
    return _core.dtype(dtype)


def _kind_of_scalar(value: Any) -> str | None:
    if isinstance(value, builtins.bool):
        return "b"
    if isinstance(value, int):
        return "i"
    if isinstance(value, float):
        return "f"
    if isinstance(value, complex):
        return "c"
    return None


def _kind(dtype: Any) -> str:
    return "f" if dtype.kind == "V" else "i" if dtype.kind == "u" else dtype.kind


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype that an operation on these gives; Python's numbers give way to arrays and dtypes."""
    if not arrays_and_dtypes:
        raise ValueError("result_type: needs at least one array or dtype: got none")
    strong = None
    order = "bifc"
    exceeding = "b"
    several = set()
    for value in arrays_and_dtypes:
        if type(value) is Given and value._is_float():
            value = value.value  # which float it is decides nothing
        # NumPy's scalars are Python numbers too, but have a dtype.
        kind = None if hasattr(value, "dtype") else _kind_of_scalar(value)
        if kind is not None:
            exceeding = kind if order.index(kind) > order.index(exceeding) else exceeding
            continue
        given = _core.dtype(value.dtype if hasattr(value, "dtype") and not isinstance(value, type) else value)
        several.add(given)
        strong = given if strong is None else _core.promote(strong, given)
    if len(several) > 2 and not any(one.kind == "V" for one in several):
        import numpy

        # Not two at a time: int16 and uint16 alone would ask for an int32, which no float32 holds.
        strong = numpy.result_type(*several)
    if strong is None:
        return _core.dtype({"b": builtins.bool, "i": int, "f": float, "c": complex}[exceeding])
    if order.index(exceeding) <= order.index(_kind(strong)):
        return strong
    if exceeding == "c":
        return _core.dtype("complex64" if strong.itemsize <= 4 and _kind(strong) == "f" else "complex128")
    return _core.dtype({"i": int, "f": float}[exceeding])


def promote_types(type1: Any, type2: Any) -> Any:
    """The dtype that holds both."""
    return _core.promote(_core.dtype(type1), _core.dtype(type2))


def can_cast(from_: Any, to: Any, casting: str = "safe") -> builtins.bool:
    """Whether every value of one dtype (or array) can be held by another."""
    import numpy

    source = from_.dtype if isinstance(from_, Array) else _core.dtype(from_)
    return builtins.bool(numpy.can_cast(source, _core.dtype(to), casting=casting))


_kinds: dict[str, str] = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "fV",
    "complex floating": "c",
    "numeric": "iufVc",
}


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Whether a dtype is one, or of one of the standard's kinds: 'bool', 'integral', 'real floating', …"""
    given = _exact(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(given, one) for one in kind)
    if isinstance(kind, str) and kind in _kinds:
        return given.kind in _kinds[kind]
    if isinstance(kind, str):
        raise ValueError(f"isdtype: takes a dtype or one of {', '.join(_kinds)}: got {kind!r}")
    return given == _exact(kind)


def _exact(dtype: Any) -> Any:
    """A dtype or one of the types that stand for one in Weft and NumPy: isdtype() takes no other spelling."""
    import numpy

    if not isinstance(dtype, numpy.dtype) and not (isinstance(dtype, type) and hasattr(dtype, "dtype")):
        raise TypeError(f"isdtype: takes a dtype: got {dtype!r}")
    return _core.dtype(dtype)


def issubdtype(arg1: Any, arg2: Any) -> builtins.bool:
    """Whether a dtype is one, or of one of NumPy's abstract kinds: wf.floating, wf.integer, …"""
    import numpy

    return numpy.issubdtype(arg1, arg2)


class FloatInfo(namedtuple("FloatInfo", "bits eps max min smallest_normal dtype")):
    """What a floating-point dtype can hold."""

    __slots__ = ()

    @property
    def tiny(self) -> float:
        """NumPy's name for the smallest normal number."""
        return self.smallest_normal

    @property
    def resolution(self) -> float:
        """The decimal resolution, as NumPy gives it."""
        return 10.0 ** -int(-math.log10(self.eps))

    def __getattr__(self, name: str) -> Any:
        import numpy

        if name.startswith("_") or self.dtype.kind == "V":
            raise AttributeError(f"finfo: {self.dtype} has no {name!r}")
        return getattr(numpy.finfo(self.dtype), name)


class IntegerInfo(namedtuple("IntegerInfo", "bits max min dtype")):
    """What an integer dtype can hold."""

    __slots__ = ()


def finfo(type: Any, /) -> FloatInfo:
    """What a floating-point dtype, or the parts of a complex one, can hold."""
    given = _core.dtype(type.dtype if isinstance(type, Array) else type)
    if given.kind == "V":
        import ml_dtypes

        info = ml_dtypes.finfo(given)
    elif given.kind in "fc":
        import numpy

        info = numpy.finfo(given)
    else:
        raise ValueError(f"finfo: takes a floating-point dtype: got {given}")
    return FloatInfo(
        bits=int(info.bits),
        eps=float(info.eps),
        max=float(info.max),
        min=float(info.min),
        smallest_normal=float(info.smallest_normal),
        dtype=_core.dtype(info.dtype),
    )


def iinfo(type: Any, /) -> IntegerInfo:
    """What an integer dtype can hold."""
    import numpy

    given = _core.dtype(type.dtype if isinstance(type, Array) else type)
    if given.kind not in "iu":
        raise ValueError(f"iinfo: takes an integer dtype: got {given}")
    info = numpy.iinfo(given)
    return IntegerInfo(bits=int(info.bits), max=int(info.max), min=int(info.min), dtype=given)
