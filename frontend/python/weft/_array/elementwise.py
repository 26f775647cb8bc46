"""The elementwise functions: those of the op table, which C++ gives, and the few that take more than operands."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._array.answered import answered_by
from weft._array.positions import nonzero
from weft._array.shaping import converted
from weft._base.arguments import check_casting, check_subok, no_value
from weft._base.asarray import asarray, heed, viewable
from weft._base.dtypes import can_cast, result_type
from weft._base.errors import named
from weft._base.given import Given, alone, beside, known
from weft._base.memory import NumpysOut
from weft._base.operands import mask_of
from weft._base.out import check_kind, given_out, place, store, value_of_rank_0

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable

for _name in _core.map_names:
    globals()[_name] = getattr(_core, _name)

_round = _core.round


def of_numpy(self: Any) -> Any:
    """NumPy's function of the same name."""
    import numpy

    f = getattr(numpy, self.__name__, None)
    if not isinstance(f, numpy.ufunc):
        raise TypeError(f"{self.__name__}: has no methods of elementwise functions but outer(), since NumPy has no such function")
    return f


def _loop_of(f: Any, operands: list[Any], outs: tuple[Any, ...], dtype: Any, casting: str, signature: Any) -> Any:
    """The dtypes in which NumPy computes its function of this name; TypeError where the casting rule forbids it."""
    ufunc, count = of_numpy(f), f.nin + f.nout
    if signature is not None and dtype is not None:
        raise TypeError(f"{f.__name__}: dtype and signature are the same: got both")
    if isinstance(signature, str):
        taken, _, given = signature.partition("->")
        signature = tuple(taken + given) if given else (signature,)
    elif signature is not None and not isinstance(signature, tuple):
        signature = (signature,)
    if signature is None:
        signature = (None,) * f.nin + (dtype,) * f.nout
    elif len(signature) == 1:
        signature = (None,) * f.nin + signature * f.nout
    if len(signature) != count:
        raise ValueError(f"{f.__name__}: a signature has a dtype for each of {count} operands and results: got {len(signature)}")
    # NumPy 2.4's resolve_dtypes() may crash on Python's types; this is what it makes of them.
    weak = result_type(*operands)
    types = [weak if type(x) in (int, float, builtins.complex) else x.dtype for x in operands]
    if f.__name__ == "ldexp":  # whose exponent stays an integer beside floats, and whose number one of Python becomes any float
        types[0] = _core.dtype("float16") if type(operands[0]) in (int, float) and signature[2] is not None else types[0]
        types[1] = _core.dtype("int64") if type(operands[1]) is int else types[1]
    types += [None if out is None else out.dtype for out in outs]
    asked = {} if signature == (None,) * count else {"signature": tuple(None if one is None else _core.dtype(one) for one in signature)}
    return ufunc.resolve_dtypes(tuple(types), casting=casting, **asked)


def by_rules(
    f: Any, operands: Any, out: Any = None, where: Any = True, casting: str = "same_kind", order: str = "K", dtype: Any = None,
    subok: bool = True, signature: Any = None, sig: Any = None,
) -> Any:
    """f with what NumPy's elementwise functions take besides operands: NumPy says in what dtypes that is computed."""
    heed(f.__name__, order, None)
    check_casting(f.__name__, casting)
    check_subok(f.__name__, subok)
    signature = sig if signature is None else signature
    outs = out if isinstance(out, tuple) else (out,) + (None,) * (f.nout - 1)
    if signature is None and casting == "same_kind" and isinstance(f, _core.Function):
        if len(outs) == 1 and (outs[0] is None or isinstance(outs[0], Array)):
            return f(*operands, out=out, where=where, dtype=dtype)
        if len(outs) > 1:
            raise TypeError(f"{f.__name__}: out is one array, or a tuple of it: got a tuple of {len(outs)}")
        return _stored(f.__name__, f(*operands, dtype=dtype), outs[0], where)
    if signature is None and casting == "same_kind" and dtype is None:
        return f(*operands, out=out, where=where)
    operands = [known(x) for x in operands]
    operands = [x if type(x) in (int, float, builtins.complex) else asarray(x) for x in operands]
    loop = _loop_of(f, operands, outs, dtype, casting, signature)
    operands = [_core.astype(asarray(x, dtype), dtype) for x, dtype in zip(operands, loop)]
    # Of exponents only those are looked at that the mask picks.
    results = f(*operands, where=where) if f is _core.pow and where is not True else f(*operands)
    results = results if f.nout > 1 else (results,)
    results = tuple(_core.astype(result, dtype) for result, dtype in zip(results, loop[f.nin :]))
    stored = _all_stored(f.__name__, results, outs, where, False)
    return stored if f.nout > 1 else stored[0]


def _stored(op: str, result: Array, out: Any, where: Any, checked: bool = True) -> Array:
    """The result, or `out` with the result where the condition is true."""
    return _all_stored(op, (result,), (out,), where, checked)[0]


def _all_stored(op: str, results: tuple[Array, ...], outs: tuple[Any, ...], where: Any, checked: bool = True) -> tuple[Any, ...]:
    """As _stored() for each; nothing is written where one of them cannot be."""
    if where is not True:
        where = mask_of(op, where)
    fitting = [(result, None) if out is None else _fitted(op, result, out, checked) for result, out in zip(results, outs)]
    return tuple(_written(op, result, out, where) for result, out in fitting)


def _fitted(op: str, result: Array, out: Any, checked: bool) -> tuple[Array, Any]:
    """The result in the shape of where it is written to, and that; errors where it cannot be."""
    out = place(op, out)
    if result.shape != out.shape:
        try:
            result = _core.broadcast_to(result, out.shape)
        except _core.Error:
            raise ValueError(f"{op}: out must have the result's shape {result.shape}: got {out.shape}") from None
    if checked:
        check_kind(result, out)
    return result, out


def _written(op: str, result: Array, out: Any, where: Any) -> Any:
    if out is None:  # without it 0 is left out, where NumPy has whatever its memory held
        return result if where is True else _core.where(where, result, _core.full((), 0, result.dtype, result.device))
    if isinstance(out, NumpysOut):
        return out.store(op, result, where)
    result = _core.astype(result, out.dtype)
    # In the dtype of `out`: one that held both would change what the mask leaves alone.
    return store(result if where is True else _core.where(where, result, out), out)


def _rules(name: str, operands: list[Any], options: dict[str, Any]) -> Any:
    f = getattr(_core, name)
    if len(operands) > f.nin + 1:
        raise TypeError(f"{name}: takes {f.nin} operands and out: got {len(operands)} positional arguments")
    if len(operands) > f.nin:
        if "out" in options:
            raise TypeError(f"{name}: out is given twice")
        options["out"] = operands.pop()
    return by_rules(f, operands, **options)


_core.convert_by_rules_with(_rules)


# What these functions take, as inspect.signature() and help() show it.
def _unary(
    x: Any, /, out: Any = None, *, where: Any = True, casting: str = "same_kind", order: str = "K", dtype: Any = None, subok: bool = True,
    signature: Any = None,
) -> Any: ...


def _binary(
    x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, casting: str = "same_kind", order: str = "K", dtype: Any = None,
    subok: bool = True, signature: Any = None,
) -> Any: ...


def _unary_of_two(
    x: Any, out1: Any = None, out2: Any = None, /, *, out: Any = (None, None), where: Any = True, casting: str = "same_kind",
    order: str = "K", dtype: Any = None, subok: bool = True, signature: Any = None,
) -> Any: ...


def _binary_of_two(
    x1: Any, x2: Any, out1: Any = None, out2: Any = None, /, *, out: Any = (None, None), where: Any = True, casting: str = "same_kind",
    order: str = "K", dtype: Any = None, subok: bool = True, signature: Any = None,
) -> Any: ...


class Composed:
    """An elementwise function that is made of others, or answered by NumPy, with the keywords and methods of those."""

    def __init__(self, f: Callable[..., Any], nin: int, nout: int = 1) -> None:
        self.nin = nin
        self.nout = nout
        self.__name__ = self.__qualname__ = f.__name__
        self.__module__ = "weft"  # where pickles find it
        self.__doc__ = f.__doc__
        self.__wrapped__ = {(1, 1): _unary, (2, 1): _binary, (1, 2): _unary_of_two, (2, 2): _binary_of_two}[nin, nout]
        self._of_operands = f

    def __call__(self, *operands: Any, out: Any = None, where: Any = True, dtype: Any = None, **rules: Any) -> Any:
        if not self.nin <= len(operands) <= self.nin + self.nout:
            raise TypeError(f"{self.__name__}: takes {self.nin} operands and out: got {len(operands)} positional arguments")
        if len(operands) > self.nin:
            if out is not None:
                raise TypeError(f"{self.__name__}: out is given twice")
            operands, out = operands[: self.nin], operands[self.nin :] + (None,) * (self.nin + self.nout - len(operands))
        outs = out if isinstance(out, tuple) else (out,) * (1 if out is not None else self.nout)
        if len(outs) != self.nout and out is not None:
            raise TypeError(f"{self.__name__}: out is a tuple of {self.nout} arrays, or None: got {len(outs)}")
        if dtype is not None or rules:
            return by_rules(self, operands, None if out is None else outs, where, dtype=dtype, **rules)
        results = self._of_operands(*operands)
        if out is None and where is True:
            return tuple(map(value_of_rank_0, results)) if self.nout > 1 else value_of_rank_0(results)
        stored = _all_stored(self.__name__, results if self.nout > 1 else (results,), outs, where)
        return stored if self.nout > 1 else stored[0]

    def __repr__(self) -> str:
        return f"<weft.{self.__name__}>"

    def __reduce__(self) -> str:
        return self.__name__


def answered_function(name: str, nin: int) -> Composed:
    """NumPy's elementwise function of this name, over Weft's arrays."""
    return Composed(answered_by("numpy", name), nin)
_core.Function.nout = property(lambda self: 1, doc="How many results it gives.")
for _class in (_core.Function, Composed):
    _class.nargs = property(lambda self: self.nin + self.nout, doc="How many operands and results it has.")
    _class.signature = property(lambda self: None, doc="None: it takes elements, no axes.")
    _class.identity = property(lambda self: of_numpy(self).identity, doc="What changes nothing as one of its operands; None where nothing does.")


def round(a: Any, decimals: int = 0, out: Any = None) -> Array:
    """The nearest number of so many decimals, halves to even."""
    if not hasattr(decimals, "__index__"):
        raise TypeError(f"round: decimals is an integer: got {decimals!r}")
    decimals = decimals.__index__()
    x = viewable(a)
    if x.dtype.kind == "b":
        if decimals != 0:
            raise TypeError(f"round: bools have no decimals: got {decimals}")
        x = _core.astype(x, _core.dtype("float16"))
    if decimals == 0:
        return _round(x, out)
    if x.dtype.kind in "biu" and decimals > 0:
        return value_of_rank_0(_core.copy(x)) if out is None else store(x, out)
    scale = 10.0 ** abs_int(decimals)
    scaled = _core.multiply(x, scale) if decimals > 0 else _core.divide(x, scale)
    result = _core.divide(_round(scaled), scale) if decimals > 0 else _core.multiply(_round(scaled), scale)
    return store(_core.astype(result, x.dtype), out)


def real(val: Any) -> Array:
    """The real part of complex numbers, a view; the array itself where it is real."""
    return viewable(val).real


def imag(val: Any) -> Array:
    """The imaginary part of complex numbers, a view; zeros where the array is real."""
    return viewable(val).imag


def abs_int(value: int) -> int:
    """The absolute value of a Python integer (abs is an array function here)."""
    return -value if value < 0 else value


_NUMBERS = (float, int)


def _limit(x: Array, limit: Any, op: Any) -> Array:
    return x if limit is None else op(x, limit)


def _beyond(x: Array, limit: Any, sign: int) -> bool:
    """Whether no element of integers can pass this limit, which their dtype may not hold: -1 for the lower, 1 for the upper one."""
    if type(limit) is not int or x.dtype.kind not in "iu":
        return False
    bits = 8 * x.dtype.itemsize - (x.dtype.kind == "i")
    return limit < (0 if x.dtype.kind == "u" else -(1 << bits)) if sign < 0 else limit >= 1 << bits


def clip(
    a: Any, min: Any = None, max: Any = None, out: Any = None, *, a_min: Any = no_value, a_max: Any = no_value, where: Any = True,
    casting: str = "same_kind", order: str = "K", dtype: Any = None, subok: bool = True,
) -> Array:
    """a held between two limits, either of which may be left out."""
    plain = type(a) is Array and out is None and where is True and dtype is None and order == "K" and a_min is no_value and a_max is no_value
    if plain and type(min) in _NUMBERS and type(max) in _NUMBERS and a.dtype.kind == "f":
        return _core.minimum(_core.maximum(a, min), max)  # nearly always
    if a_min is not no_value or a_max is not no_value:
        if (min is not None and a_min is not no_value) or (max is not None and a_max is not no_value):
            raise TypeError("clip: min and a_min, max and a_max are the same: got both")
        if (a_min is no_value and min is None) or (a_max is no_value and max is None):
            raise TypeError("clip: a_min and a_max are given both, None for no limit: got one of them")
        min, max = a_min if a_min is not no_value else min, a_max if a_max is not no_value else max
    heed("clip", order, None)
    x = asarray(a)
    min, max = beside(min, x), beside(max, x)
    if dtype is not None:
        (x,) = converted("clip", [x], dtype, casting)
    min = None if _beyond(x, min, -1) else min
    max = None if _beyond(x, max, 1) else max
    if min is not None and max is not None and not (x.dtype.kind == "f" and type(min) in (int, float) and type(max) in (int, float)):
        # The three together have a dtype: a number beside bools waits for what the other limit is.
        min, max = (one if type(one) in (bool, int, float, complex) else asarray(one) for one in (min, max))
        x = _core.astype(x, result_type(x, min, max))
    try:
        limited = value_of_rank_0(_core.copy(x)) if min is None and max is None else _limit(_limit(x, min, _core.maximum), max, _core.minimum)
    except Exception as error:
        raise named(error, "clip") from None
    if dtype is not None:
        limited = _core.astype(limited, _core.dtype(dtype))
    if out is not None and casting != "same_kind":
        to = given_out(out)
        if not can_cast(limited.dtype, to.dtype, casting):
            raise TypeError(f"clip: {limited.dtype} cannot be cast to {to.dtype} by the rule {casting!r}")
        limited = _core.astype(limited, to.dtype)
    return _stored("clip", limited, out[0] if isinstance(out, tuple) else out, where) if where is not True else store(limited, out)


def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """x where the condition is true, else y; with the condition alone, where it is (as nonzero())."""
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("where: takes both x and y, or neither: got one of them")
    if type(x) is Given or type(y) is Given:
        x, y = (beside(one, other) if isinstance(other, Array) else alone(one, other) for one, other in ((x, y), (y, x)))
    return _core.as_array(_core.where(condition, x, y))
