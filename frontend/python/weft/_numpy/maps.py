"""NumPy's elementwise functions that are a line in terms of others, and comparisons of whole arrays."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._array.elementwise import Composed, where
from weft._array.shaping import broadcast_shapes, listed
from weft._base.arguments import copies
from weft._base.asarray import asarray
from weft._base.dtypes import finfo, result_type
from weft._base.given import Given
from weft._base.memory import is_numpys
from weft._base.out import store, value_of_rank_0
from weft._base.recorded import refuse_arguments

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Sequence


def as_float(x: Any) -> Array:
    """As NumPy converts for functions of floats alone: one byte to float16, two to float32, others to float64."""
    x = asarray(x)
    if x.dtype.kind in "fcV":
        return x
    return _core.astype(x, _core.dtype({1: "float16", 2: "float32"}.get(x.dtype.itemsize, "float64")))


def _together(x1: Any, x2: Any) -> tuple[Array, Array]:
    """Two operands as arrays: a number of Python in the dtype that the other leaves it."""
    weak = (builtins.bool, int, float, complex)
    both = [x if type(x) in weak else asarray(x) for x in (x1, x2)]
    if not builtins.any(type(x) in weak for x in both):
        return both[0], both[1]
    dtype = result_type(*both)
    a, b = (asarray(x, dtype) if type(x) in weak else x for x in both)
    return a, b


def _real_float(op: str, x: Any) -> Array:
    x = as_float(x)
    if x.dtype.kind == "c":
        raise TypeError(f"{op}: takes real numbers: got {x.dtype}")
    return x


def _in_float32(op: str, f: Any, *operands: Array) -> Array:
    """f of real numbers as floats, those of 16 bits computed in 32, as NumPy does."""
    floats = [_real_float(op, x) for x in operands]
    dtype = floats[0].dtype
    for x in floats[1:]:
        dtype = _core.promote(dtype, x.dtype)
    if dtype.itemsize > 2:
        return f(*(_core.astype(x, dtype) for x in floats))
    return _core.astype(f(*(_core.astype(x, _core.dtype("float32")) for x in floats)), dtype)


def rint(x: Any) -> Array:
    """The nearest integer, halves to even, as a float."""
    return _core.round(as_float(x))


def fix(x: Any, out: Any = None) -> Array:
    """x without its fraction."""
    return _core.trunc(x, out)


def fabs(x: Any) -> Array:
    """The absolute value as a float."""
    return _core.abs(_real_float("fabs", x))


def float_power(x1: Any, x2: Any) -> Array:
    """x1 to the power x2 in float64 at least."""
    x = asarray(x1)
    return _core.pow(_core.astype(x, _core.promote(x.dtype, _core.dtype("float64"))), x2)


def fmax(x1: Any, x2: Any) -> Array:
    """The larger; the other one where one is NaN."""
    a, b = _together(x1, x2)
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        return _core.maximum(a, b)
    return _core.where(_core.isnan(a), b, _core.where(_core.isnan(b), a, _core.maximum(a, b)))


def fmin(x1: Any, x2: Any) -> Array:
    """The smaller; the other one where one is NaN."""
    a, b = _together(x1, x2)
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        return _core.minimum(a, b)
    return _core.where(_core.isnan(a), b, _core.where(_core.isnan(b), a, _core.minimum(a, b)))


def fmod(x1: Any, x2: Any) -> Array:
    """The rest of a division, with the sign of x1."""
    a, b = _together(x1, x2)
    common = _core.promote(a.dtype, b.dtype)
    if common.kind in "biu":
        a, b = _core.astype(a, common), _core.astype(b, common)
        rest = _core.remainder(a, b)  # with the sign of x2; an absolute value of the least integer is none
        other_sign = _core.logical_and(_core.not_equal(rest, 0), _core.not_equal(_core.less(rest, 0), _core.less(a, 0)))
        return where(other_sign, rest - b, rest)
    a, b = _core.astype(a, common), _core.astype(b, common)
    return _core.copysign(_core.remainder(_core.abs(a), _core.abs(b)), a)


def divmod(x1: Any, x2: Any) -> tuple[Array, Array]:
    """floor_divide() and remainder()."""
    return _core.floor_divide(x1, x2), _core.remainder(x1, x2)


def logaddexp2(x1: Any, x2: Any) -> Array:
    """log2(2**x1 + 2**x2) without overflow."""
    ln2 = 0.6931471805599453
    return _in_float32(
        "logaddexp2", lambda a, b: _core.divide(_core.logaddexp(_core.multiply(a, ln2), _core.multiply(b, ln2)), ln2), *_together(x1, x2)
    )


def heaviside(x1: Any, x2: Any) -> Array:
    """0 below zero, x2 at zero, 1 above."""
    # A number of Python goes by the floats that integers become, and need not be one of these.
    given = [one if isinstance(one, (builtins.bool, int, float, complex)) else asarray(one) for one in (x1, x2)]
    given = [as_float(one) if isinstance(one, Array) and one.dtype.kind in "iu" else one for one in given]
    x, at_zero = (_real_float("heaviside", one) for one in _together(*given))
    above = _core.astype(_core.greater(x, 0), _core.promote(x.dtype, at_zero.dtype))
    return where(_core.isnan(x), x, where(_core.equal(x, 0), at_zero, above))


def sinc(x: Any) -> Array:
    """sin(pi x) / (pi x), 1 at 0."""
    y = _core.multiply(asarray(x), 3.141592653589793)
    zero = _core.equal(y, 0)
    return _core.where(zero, 1.0, _core.divide(_core.sin(y), _core.where(zero, 1.0, y)))


def deg2rad(x: Any) -> Array:
    """Degrees to radians."""
    return _in_float32("deg2rad", lambda a: _core.multiply(a, 3.141592653589793 / 180), asarray(x))


def rad2deg(x: Any) -> Array:
    """Radians to degrees."""
    return _in_float32("rad2deg", lambda a: _core.multiply(a, 180 / 3.141592653589793), asarray(x))


def angle(z: Any, deg: builtins.bool = False) -> Array:
    """The angle of complex numbers."""
    z = asarray(z)
    result = _core.atan2(_core.imag(z), _core.real(z)) if z.dtype.kind == "c" else _core.atan2(0, z)
    return rad2deg(result) if deg else result


def isreal(x: Any) -> Array:
    """Where the imaginary part is zero."""
    return _core.equal(_core.imag(asarray(x)), 0)


def iscomplex(x: Any) -> Array:
    """Where the imaginary part is not zero."""
    return _core.not_equal(_core.imag(asarray(x)), 0)


def _infinite(op: str, x: Any, sign: float, out: Any) -> Array:
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(f"{op}: takes real numbers: got {x.dtype}")
    return store(_core.equal(x, sign * float("inf")) if x.dtype.kind in "fV" else _core.full(x.shape, False, None, x.device), out)


def isposinf(x: Any, out: Any = None) -> Array:
    """Where there is positive infinity."""
    return _infinite("isposinf", x, 1, out)


def isneginf(x: Any, out: Any = None) -> Array:
    """Where there is negative infinity."""
    return _infinite("isneginf", x, -1, out)


def real_if_close(a: Any, tol: float = 100) -> Array:
    """The real parts of complex numbers whose imaginary parts are all below `tol`, in units of the dtype's epsilon from 1 on; which is looked at."""
    x = asarray(a)
    if x.dtype.kind != "c":
        return x
    limit = tol * finfo(x.dtype).eps if tol > 1 else tol
    small = _core.all(_core.less(_core.abs(_core.imag(x)), limit), None, False)
    return x.real if builtins.bool(small) else x


def iscomplexobj(x: Any) -> builtins.bool:
    """Whether the dtype is complex."""
    return asarray(x).dtype.kind == "c"


def isrealobj(x: Any) -> builtins.bool:
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: builtins.bool = False) -> Array:
    """Where |a - b| <= atol + rtol * |b|."""
    a, b = _together(a, b)
    if b.dtype.kind in "biu":
        b = _core.astype(b, _core.dtype("float64"))  # differences of integers may not be ones of their dtype
    near = _core.less_equal(_core.abs(_core.subtract(a, b)), _core.add(atol, _core.multiply(rtol, _core.abs(b))))
    result = _core.logical_or(_core.equal(a, b), _core.logical_and(near, _core.isfinite(b)))
    if equal_nan:
        result = _core.logical_or(result, _core.logical_and(_core.isnan(a), _core.isnan(b)))
    return result


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: builtins.bool = False) -> builtins.bool:
    """Whether isclose() holds everywhere."""
    refuse_arguments("allclose", (a, b))
    return builtins.bool(_core.all(isclose(a, b, rtol, atol, equal_nan), None, False))


def array_equal(a1: Any, a2: Any, equal_nan: builtins.bool = False) -> builtins.bool:
    """Whether shapes and elements are the same."""
    a, b = asarray(a1), asarray(a2)
    if a.shape != b.shape:
        return False
    refuse_arguments("array_equal", (a, b))
    same = _core.equal(a, b)
    if equal_nan and "b" not in (a.dtype.kind, b.dtype.kind):
        same = _core.logical_or(same, _core.logical_and(_core.isnan(a), _core.isnan(b)))
    return builtins.bool(_core.all(same, None, False))


def array_equiv(a1: Any, a2: Any) -> builtins.bool:
    """Whether the arrays broadcast together and their elements are the same."""
    a, b = asarray(a1), asarray(a2)
    try:
        broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return False
    return builtins.bool(_core.all(_core.equal(a, b), None, False))


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """The choice of the first condition that is true, else the default."""
    condlist, choicelist = listed("select", condlist), listed("select", choicelist)
    if len(condlist) != len(choicelist):
        raise ValueError(f"select: takes as many conditions as choices: got {len(condlist)} and {len(choicelist)}")
    if not condlist:
        raise ValueError("select: takes at least one condition: got none")
    condlist = [asarray(one) if isinstance(one, (list, tuple)) else one for one in condlist]
    for condition in condlist:
        if result_type(condition) != _core.dtype("bool"):
            raise TypeError(f"select: conditions are arrays of bools: got {result_type(condition)}")
    *choices, result = (one if type(one) in (int, float, complex, Given) else asarray(one) for one in (*choicelist, default))
    dtype = result_type(*choices, result)
    for condition, choice in zip(reversed(condlist), reversed(choices)):
        result = _core.astype(where(condition, choice, result), dtype)
    return result


def nan_to_num(x: Any, copy: builtins.bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    """NaN as a number, infinities as the largest numbers unless told."""
    given, x, copy = x, asarray(x), copies("nan_to_num", copy)
    if not copy and is_numpys(given):
        return store(nan_to_num(x, True, nan, posinf, neginf), given)
    if x.dtype.kind in "biu":
        return value_of_rank_0(_core.copy(x) if copy else x)
    info = finfo(x.dtype)

    def cleaned(part: Array) -> Array:
        above = where(_core.equal(part, float("inf")), info.max if posinf is None else posinf, part)
        finite = where(_core.equal(part, float("-inf")), info.min if neginf is None else neginf, above)
        result = where(_core.isnan(part), nan, finite)
        if result.dtype.kind == "c":
            raise TypeError(f"nan_to_num: takes real numbers for nan and the infinities: got {nan!r}, {posinf!r} and {neginf!r}")
        return _core.astype(result, part.dtype)

    result = cleaned(x) if x.dtype.kind != "c" else _core.complex(cleaned(_core.real(x)), cleaned(_core.imag(x)))
    return value_of_rank_0(result if copy else store(result, x))


# As NumPy's, these have outer(), reduce() and the other methods of elementwise functions.
for _f, _operands in ((rint, 1), (fabs, 1), (float_power, 2), (fmax, 2), (fmin, 2), (fmod, 2), (logaddexp2, 2), (heaviside, 2), (deg2rad, 1), (rad2deg, 1)):
    globals()[_f.__name__] = Composed(_f, _operands)
divmod = Composed(divmod, 2, 2)
radians, degrees = deg2rad, rad2deg
