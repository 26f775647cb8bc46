"""The methods of elementwise functions: outer(), reduce(), accumulate(), reduceat(), at()."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._array import reductions, scans
from weft._array.elementwise import Composed, of_numpy
from weft._array.indexing import add_at
from weft._base.arguments import no_value
from weft._base.asarray import asarray
from weft._base.host import answered, asked, to_host
from weft._base.memory import from_numpy, give_back, is_numpys, to_numpy
from weft._base.operands import mask_of
from weft._base.out import store, target

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


reduction_names = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any"}
_scans = {"add": "cumsum", "multiply": "cumprod", "maximum": "cummax", "minimum": "cummin"}


def with_our_rule(ufunc: Any) -> Any:
    """NumPy's function, or what computes it as Weft does where the two differ."""
    if ufunc.__name__ != "floor_divide":
        return ufunc
    from weft._array.quotients import FloorDivide

    return FloorDivide()


def _outer(self: Any, a: Any, b: Any, /, **keywords: Any) -> Array:
    """The function of every element of the one with every element of the other: axes of a, then those of b."""
    a, b = asarray(a), asarray(b)
    return self(_core.reshape(a, [*a.shape, *(1,) * b.ndim]), b, **keywords)


def _answered(self: Any, method: str, array: Any, *args: Any, out: Any = None, **options: Any) -> Array:
    """What NumPy's function answers, of values in host memory."""
    if of_numpy(self).nin != 2:
        raise ValueError(f"{method}: is there for functions of two operands: got {self.__name__}")

    def f(*values: Any, **given: Any) -> Any:
        return getattr(with_our_rule(of_numpy(self)), method)(*values, **given)

    f.__name__ = f"{self.__name__}.{method}"
    return store(answered(f, asarray(array), *args, **options), out)


def _reduce(
    self: Any, array: Any, /, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = no_value, where: Any = True
) -> Array:
    """The array reduced by the function, along the first axis unless told."""
    options = {} if where is True else {"where": mask_of(f"{self.__name__}.reduce", where)}
    if initial is not no_value:
        options["initial"] = initial
    name = reduction_names.get(self.__name__)
    if name is None or (name in ("all", "any") and (dtype is not None or initial is not no_value)):
        if dtype is not None:
            options["dtype"] = _core.dtype(dtype)
        return _answered(self, "reduce", array, out=out, axis=axis, keepdims=keepdims, **options)
    x = asarray(array)
    if dtype is not None and name in ("sum", "prod"):
        options["dtype"] = dtype
    elif dtype is not None:
        x = _core.astype(x, _core.dtype(dtype))
    return getattr(reductions, name)(x, axis=axis, out=out, keepdims=keepdims, **options)


def _accumulate(self: Any, array: Any, /, axis: int = 0, dtype: Any = None, out: Any = None) -> Array:
    """The function of all elements up to each, along the first axis unless told."""
    name, x = _scans.get(self.__name__), asarray(array)
    if name is None or (name in ("cummax", "cummin") and x.dtype.kind == "c"):
        options = {} if dtype is None else {"dtype": _core.dtype(dtype)}
        return _answered(self, "accumulate", x, out=out, axis=axis, **options)
    if not x.ndim:
        raise TypeError("accumulate: takes arrays that have an axis: got one value")
    if name in ("cumsum", "cumprod"):
        return getattr(scans, name)(x, axis, dtype, out)
    return store(getattr(scans, name)(x if dtype is None else _core.astype(x, _core.dtype(dtype)), axis), out)


def _reduceat(self: Any, array: Any, /, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Array:
    """The function over the slices that begin at these positions; answered by NumPy, on host memory."""
    return _answered(self, "reduceat", array, indices, out=out, axis=axis, **({} if dtype is None else {"dtype": _core.dtype(dtype)}))
def _adds(ufunc: Any, target: Array, values: Any) -> builtins.bool:
    """Whether it adds, or subtracts, what the target's dtype holds."""
    import numpy

    if ufunc not in (numpy.add, numpy.subtract) or target.dtype.kind not in "iufcV" or len(values) != 1:
        return False
    if isinstance(values[0], (builtins.bool, int, float, complex)):
        return isinstance(values[0], (builtins.bool, int)) or target.dtype.kind in ("fcV" if isinstance(values[0], float) else "c")
    dtype = values[0].dtype if isinstance(values[0], Array) else numpy.asarray(values[0]).dtype
    return numpy.result_type(dtype, target.dtype) == target.dtype


def in_place_at(ufunc: Any, target: Any, index: Any, *values: Any) -> None:
    """ufunc.at: NumPy's unbuffered operation in place, each occurrence of a position counting."""
    import numpy

    if len(values) == 1 and ufunc is numpy.add and _core.added_at(target, index, values[0]):
        return
    if not isinstance(target, Array):
        give_back(target)
        ufunc.at(target, to_host(index), *map(to_host, values))
        return
    if _adds(ufunc, target, values):
        value = values[0] if isinstance(values[0], Array) else asarray(numpy.asarray(values[0], target.dtype), device=target.device)
        add_at(target, index, value if ufunc is numpy.add else _core.negative(value))
        return
    changed = numpy.array(to_numpy(target))
    name = f"{ufunc.__name__}.at"
    asked(with_our_rule(ufunc).at, name, changed, to_host(index), *map(to_host, values))
    _core.note_answer(name, None)
    _core.assign(target, from_numpy(changed, target.device))


def _at(self: Any, a: Array, indices: Any, b: Any = None, /) -> None:
    """The function in place at these positions, each occurrence of one counting; answered by NumPy, on host memory."""
    in_place_at(of_numpy(self), a if is_numpys(a) else target(f"{self.__name__}.at", a), indices, *(() if b is None else (b,)))


for _method in (_outer, _reduce, _accumulate, _reduceat, _at):
    setattr(_core.Function, _method.__name__[1:], _method)
    setattr(Composed, _method.__name__[1:], _method)
