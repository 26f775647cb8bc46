"""The types of a scalar function's values: dtypes, and Python's own numbers, which give way to them as NumPy's rules are."""

from __future__ import annotations

import functools
from typing import NamedTuple

from weft._base.dtypes import promote_types

_KIND = {"bool": 0, "i": 1, "u": 1, "f": 2, "bf": 2, "c": 3}
_DEFAULT = ("bool", "i64", "f64", "c128")  # of Python's bool, int, float and complex
_NUMPY = {
    "bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
    "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128",
}
_WEFT = {long: short for short, long in _NUMPY.items()}


class Type(NamedTuple):
    """A dtype by Weft's short name; weak: a number of Python's, whose dtype is that of its kind."""

    dtype: str
    weak: bool = False

    @property
    def kind(self) -> int:
        """0 for bool, 1 for integers, 2 for floats, 3 for complex numbers."""
        return _KIND[self.dtype.rstrip("0123456789")]

    @property
    def bits(self) -> int:
        """The width of an element."""
        return 8 if self.dtype == "bool" else int(self.dtype.lstrip("biufc"))

    @property
    def signed(self) -> bool:
        """Whether it holds negative numbers."""
        return self.kind >= 2 or self.dtype[0] == "i"


BOOL, INT, FLOAT, COMPLEX = (Type(name, True) for name in _DEFAULT)


def type_of_dtype(dtype: object) -> Type:
    """The type of an array's elements."""
    return Type(_WEFT[str(dtype)])


def is_known(dtype: object) -> bool:
    """Whether Weft's arrays have such elements."""
    return str(dtype) in _WEFT


def type_of_number(number: object) -> Type:
    """The type of a number of Python's."""
    return BOOL if isinstance(number, bool) else INT if isinstance(number, int) else FLOAT if isinstance(number, float) else COMPLEX


def numpys_name(t: Type) -> str:
    """NumPy's name of the dtype."""
    return _NUMPY[t.dtype]


def default(kind: int, weak: bool = True) -> Type:
    """Python's number of a kind, or the dtype that it has."""
    return Type(_DEFAULT[kind], weak)


@functools.lru_cache(maxsize=1024)
def promote(a: Type, b: Type) -> Type:
    """The type in which two values meet."""
    if a.weak and b.weak:
        return default(max(a.kind, b.kind))
    if a.weak or b.weak:
        strong, weak = (b, a) if a.weak else (a, b)
        if weak.kind <= strong.kind:
            return strong
        if weak.kind == 3 and strong.kind == 2:
            return Type("c128" if strong.dtype == "f64" else "c64")
        return default(weak.kind, weak=False)
    return a if a == b else type_of_dtype(promote_types(_NUMPY[a.dtype], _NUMPY[b.dtype]))


def float_for(t: Type) -> Type:
    """The type in which functions of floats compute this one, as NumPy has it."""
    if t.kind >= 2:
        return t
    if t.weak:
        return FLOAT
    return Type({8: "f16", 16: "f32"}.get(t.bits, "f64"))


def real_of(t: Type) -> Type:
    """The type of the parts of a complex number."""
    return Type({"c64": "f32", "c128": "f64"}.get(t.dtype, t.dtype), t.weak)


def complex_of(t: Type) -> Type:
    """The complex type of a float's parts."""
    return Type("c128" if t.dtype == "f64" else "c64", t.weak)
