"""NumPy's own names over the standard's, and what it asks of arrays."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._array.elementwise import round as _round
from weft._array.reductions import all as _all, any as _any, max as _max, min as _min, sum as _sum
from weft._array.shaping import broadcast_shapes, concat, diff, moveaxis, stack
from weft._base.arguments import check_casting, whole
from weft._base.asarray import asarray
from weft._base.dtypes import can_cast, result_type
from weft._base.host import answered, to_host
from weft._base.operands import as_stored, mask_of
from weft._base.out import target
from weft._base.written_by_numpy import numpys_too
from weft._names import SAME

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

for _new, _old in SAME.items():
    globals()[_new] = getattr(_core, _old)

amax, amin = _max, _min
around = round_ = _round
concatenate = concat
alltrue, sometrue = _all, _any


def isscalar(element: Any) -> builtins.bool:
    """Whether this is a number, of Python or NumPy, or one value of Weft."""
    import numpy

    return _core.is_value(element) if isinstance(element, Array) else numpy.isscalar(element)


def shares_memory(a: Any, b: Any, max_work: Any = None) -> builtins.bool:
    """Whether an element of a is an element of b; views of the same array that lie apart are told so too."""
    if isinstance(a, Array) and isinstance(b, Array):
        return _core.shares_cell(a, b)
    import numpy

    def memory(x: Any) -> Any:
        lies_here = isinstance(x, Array) and x.device == "cpu"
        return numpy.asarray(memoryview(_core.memory(x, "look"))) if lies_here else to_host(x)

    return numpy.may_share_memory(memory(a), memory(b))


may_share_memory = shares_memory


class broadcast:
    """Arrays side by side in their common shape, as NumPy's object of this name: its shape, and an iterator over their elements."""

    def __init__(self, *arrays: Any) -> None:
        self._arrays = tuple(asarray(x) for x in arrays)
        self.shape = broadcast_shapes(*(x.shape for x in self._arrays))
        self.nd = self.ndim = len(self.shape)
        self.numiter = len(self._arrays)
        self.size = 1
        for extent in self.shape:
            self.size *= extent
        self.index = 0

    @property
    def iters(self) -> tuple[Any, ...]:
        """An iterator over each array's elements in the common shape."""
        return tuple(_core.broadcast_to(x, self.shape).flat for x in self._arrays)

    def reset(self) -> None:
        """Begins again with the first elements."""
        self.index = 0

    def __iter__(self) -> broadcast:
        return self

    def __next__(self) -> tuple[Array, ...]:
        if self.index >= self.size:
            raise StopIteration
        rest = self.index
        position: list[int] = []
        for extent in reversed(self.shape):
            rest, here = divmod(rest, extent)
            position.insert(0, here)
        self.index += 1
        return tuple(_core.broadcast_to(x, self.shape)[tuple(position)] for x in self._arrays)


@numpys_too
def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Writes src to dst, where the condition is true."""
    if isinstance(src, (list, tuple)):
        src = asarray(src)
    target("copyto", dst)
    check_casting("copyto", casting)
    if hasattr(src, "dtype") and not can_cast(result_type(src), dst.dtype, casting):
        raise TypeError(f"copyto: {src.dtype} cannot be cast to {dst.dtype} by the rule {casting!r}")
    if type(src) in (bool, int, float, complex) and casting != "unsafe" and not _number_can_be_cast(src, dst, casting):
        raise TypeError(f"copyto: {type(src).__name__} cannot be cast to {dst.dtype} by the rule {casting!r}")
    if type(src) is complex and dst.dtype.kind != "c":
        src = asarray(src)  # which has a real part to cast to
    if hasattr(src, "dtype") or where is not True:
        src = _core.astype(as_stored(src, dst), dst.dtype)
    if where is not True:
        # In dst's dtype: one that held both would change what the mask leaves alone.
        picked = _core.broadcast_to(src, dst.shape)
        src = _core.where(_core.broadcast_to(mask_of("copyto", where), dst.shape), picked, dst)
    _core.assign(dst, src)


def _number_can_be_cast(number: Any, dst: Array, casting: str) -> bool:
    """NumPy's rule for Python's numbers: they give way to dst's dtype, which for "equiv" is the one that they have alone."""
    alone = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}[type(number)]
    if type(number) is bool or casting == "equiv":
        return can_cast(_core.dtype(alone), dst.dtype, casting)
    return result_type(dst, number) == dst.dtype


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    """The cross product of vectors of three elements; of two, which lie in a plane, the one element across it."""
    if axis is not None:
        axisa = axisb = axisc = axis
    axisa, axisb, axisc = (whole("cross", one, "axes are integers") for one in (axisa, axisb, axisc))
    x, y = asarray(a), asarray(b)
    if not x.ndim or not y.ndim:
        raise ValueError(f"cross: takes vectors of two or three elements: got shapes {x.shape} and {y.shape}")
    x, y = moveaxis(x, axisa, -1), moveaxis(y, axisb, -1)
    if x.shape[-1] not in (2, 3) or y.shape[-1] not in (2, 3):
        raise ValueError(f"cross: takes vectors of two or three elements: got {x.shape} and {y.shape}")
    if x.shape[-1] == y.shape[-1] == 2:
        return x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0]
    dtype = _core.promote(x.dtype, y.dtype)
    x, y = (_core.astype(one, dtype) for one in (x, y))
    x, y = (one if one.shape[-1] == 3 else _core.pad(one, [(0, 0)] * (one.ndim - 1) + [(0, 1)], 0) for one in (x, y))
    parts = [x[..., i - 2] * y[..., i - 1] - x[..., i - 1] * y[..., i - 2] for i in range(3)]
    return moveaxis(stack(parts, axis=-1), -1, axisc)


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **options: Any) -> Array:
    """What a function gives of every vector along an axis."""
    import numpy

    def applied(a: Any) -> Any:
        return numpy.apply_along_axis(func1d, axis, a, *args, **options)

    applied.__name__ = "apply_along_axis"
    return answered(applied, asarray(arr))


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Array:
    """The integral along an axis by the trapezoidal rule."""
    axis = whole("trapezoid", axis, "axis is an integer", False)
    y = moveaxis(asarray(y), axis, -1)
    if x is None:
        steps: Any = dx
    else:
        x = asarray(x)
        steps = diff(x if x.ndim == 1 else moveaxis(x, axis, -1))
    return _sum(steps * (y[..., 1:] + y[..., :-1]) / 2.0, -1)


def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Array:
    """An array apart from `a` where its elements do not lie column by column; how they lie is Weft's to choose."""
    result = asarray(a, dtype, "F", like=like)
    return result if result.ndim else _core.reshape(result, (1,))


def asarray_chkfinite(a: Any, dtype: Any = None, order: str | None = None) -> Array:
    """As asarray(), of numbers that are all finite, which is looked at."""
    x = asarray(a, dtype, order)
    if x.dtype.kind in "fcV" and not builtins.bool(_core.all(_core.isfinite(x), None, False)):
        raise ValueError("asarray_chkfinite: takes finite numbers: got infinities or NaN")
    return x


def isfortran(a: Any) -> builtins.bool:
    """Whether the strides are those of columns and not those of rows."""
    flags = asarray(a).flags
    return flags.f_contiguous and not flags.c_contiguous


def iterable(y: Any) -> builtins.bool:
    """Whether a loop can go over it."""
    try:
        iter(y)
    except TypeError:
        return False
    return True


def min_scalar_type(a: Any, /) -> Any:
    """The least dtype that holds a number; an array's own."""
    import numpy

    x = a if not isinstance(a, Array) or a.ndim else to_host(a)
    return x.dtype if isinstance(x, Array) else numpy.min_scalar_type(x)


def common_type(*arrays: Any) -> Any:
    """The floating-point type that holds all of these arrays' numbers."""
    import numpy

    for x in arrays:
        if not hasattr(x, "dtype"):
            raise TypeError(f"common_type: takes arrays: got {type(x).__name__}")
    return numpy.common_type(*(numpy.empty(0, x.dtype) for x in arrays))


def _unheeded(op: str, options: dict[str, Any]) -> None:
    for name, what in options.items():
        if what in ("raise", "call", "log"):
            raise ValueError(f"{op}: arithmetic gives no warnings, so none can be told: got {name}={what!r}")


def seterr(all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None) -> dict[str, str]:
    """Sets how NumPy tells of floating-point errors, and gives how it did; Weft's arithmetic tells of none."""
    import numpy

    options = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
    _unheeded("seterr", options)
    return dict(numpy.seterr(**options))


def geterr() -> dict[str, str]:
    """How NumPy tells of floating-point errors; Weft's arithmetic tells of none."""
    import numpy

    return dict(numpy.geterr())


class errstate:
    """NumPy's context for floating-point warnings; Weft gives none."""

    def __init__(
        self, *, call: Any = None, all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None
    ) -> None:
        _unheeded("errstate", {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid})

    def __enter__(self) -> errstate:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def __call__(self, f: Any) -> Any:
        return f
