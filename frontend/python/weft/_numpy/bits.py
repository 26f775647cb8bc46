"""Bits of integers, and the parts of floats: mantissas, exponents, fractions."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._array.elementwise import Composed, answered_function
from weft._array.shaping import atleast_1d, moveaxis, with_axis
from weft._base.asarray import asarray
from weft._numpy.maps import as_float

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

gcd = answered_function("gcd", 2)
lcm = answered_function("lcm", 2)
spacing = answered_function("spacing", 1)


def bitwise_count(x: Any) -> Array:
    """How many bits of the absolute value are 1."""
    x = asarray(x)
    if x.dtype.kind not in "biu":
        raise TypeError(f"bitwise_count: takes integers: got {x.dtype}")
    if x.dtype.kind == "b":
        return _core.astype(x, _core.dtype("uint8"))
    bits = 8 * x.dtype.itemsize
    unsigned = _core.dtype(f"uint{bits}")
    n = x if x.dtype == unsigned else _core.view_as(_core.abs(x), unsigned)

    def every(pattern: int) -> int:
        return int(f"{pattern:02x}" * x.dtype.itemsize, 16)

    n = n - ((n >> 1) & every(0x55))
    n = (n & every(0x33)) + ((n >> 2) & every(0x33))
    n = (n + (n >> 4)) & every(0x0F)
    shift = 8
    while shift < bits:
        n = n + (n >> shift)
        shift *= 2
    return _core.astype(n & 0x7F, _core.dtype("uint8"))


bitwise_count = Composed(bitwise_count, 1)


def _bit_order(op: str, order: Any) -> range:
    if order not in ("big", "little"):
        raise ValueError(f"{op}: bitorder is 'big' or 'little': got {order!r}")
    return range(7, -1, -1) if order == "big" else range(8)


def packbits(a: Any, /, axis: int | None = None, bitorder: str = "big") -> Array:
    """Eight elements along an axis, zero or not, as the bits of one uint8; zeros where the last has none."""
    x, along = with_axis("packbits", atleast_1d(a), axis)
    if x.dtype.kind not in "biu":
        raise TypeError(f"packbits: takes integers or bools: got {x.dtype}")
    shifts = asarray(list(_bit_order("packbits", bitorder)), _core.dtype("uint8"), device=x.device)
    x = _core.astype(_core.not_equal(moveaxis(x, along, -1), 0), _core.dtype("uint8"))
    n = x.shape[-1]
    whole = -(-n // 8)
    x = _core.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, 8 * whole - n)], 0)
    bytes_ = _core.sum(_core.reshape(x, (*x.shape[:-1], whole, 8)) << shifts, -1, False)
    return moveaxis(_core.astype(bytes_, _core.dtype("uint8")), -1, along)


def unpackbits(a: Any, /, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> Array:
    """The bits of uint8 as elements along an axis: `count` of them, or all but so many where it is below 0."""
    x, along = with_axis("unpackbits", atleast_1d(a), axis)
    if x.dtype != _core.dtype("uint8"):
        raise TypeError(f"unpackbits: takes uint8: got {x.dtype}")
    shifts = asarray(list(_bit_order("unpackbits", bitorder)), x.dtype, device=x.device)
    x = moveaxis(x, along, -1)
    bits = _core.reshape((x[..., None] >> shifts) & 1, (*x.shape[:-1], 8 * x.shape[-1]))
    n = bits.shape[-1]
    if count is not None:
        if count < -n:
            raise ValueError(f"unpackbits: cannot leave out more bits than there are: got {count} of {n}")
        if count > n:
            bits = _core.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, count - n)], 0)
        else:
            bits = bits[..., :count]
    return moveaxis(bits, -1, along)


def modf(x: Any) -> tuple[Array, Array]:
    """The fraction and the whole part, both with the sign of x."""
    x = as_float(x)
    whole = _core.trunc(x)
    fraction = _core.where(_core.isinf(x), 0.0, x - whole)
    return _core.copysign(fraction, x), whole


modf = Composed(modf, 1, 2)


# Of each float: the integer of as many bits, where the exponent begins, its mask, what a mantissa in [0.5, 1) has there, and a
# power of 2 that makes least numbers normal ones.
_LAYOUTS = {"float32": ("int32", 23, 0xFF, 126, 25), "float64": ("int64", 52, 0x7FF, 1022, 54)}


def _mantissa_and_exponent(x: Array) -> tuple[Array, Array]:
    """Those of float32 or float64 that are neither 0 nor infinite nor NaN."""
    integer, shift, mask, half, lift = _LAYOUTS[str(x.dtype)]
    integer = _core.dtype(integer)
    tiny = _core.equal((_core.view_as(x, integer) >> shift) & mask, 0)
    lifted = _core.view_as(_core.where(tiny, x * 2.0**lift, x), integer)
    exponent = ((lifted >> shift) & mask) - half - _core.where(tiny, _core.astype(tiny, integer) * lift, 0)
    return _core.view_as((lifted & ~(mask << shift)) | (half << shift), x.dtype), exponent


def _scaled(x: Array, exponent: Array) -> Array:
    """x times 2 to an exponent, as two normal numbers have it."""
    part = exponent // 2
    return x * _power_of_two(part, x) * _power_of_two(exponent - part, x)


def _with_slope(value: Array, x: Array, exponent: Array) -> Array:
    """The value, whose derivative by x is 2 to the exponent: none goes through bits."""
    return value + _scaled(x - _core.stop_gradient(x), exponent) if _core.is_derived(x) else value


def _wide(op: str, x: Any) -> tuple[Array, Array]:
    """x as floats, and in a dtype whose layout is known."""
    x = as_float(x)
    if x.dtype.kind not in "f":
        raise TypeError(f"{op}: takes integers and floats: got {x.dtype}")
    return x, x if str(x.dtype) in _LAYOUTS else _core.astype(x, _core.dtype("float32"))


def frexp(x: Any) -> tuple[Array, Array]:
    """The mantissa, in [0.5, 1) with the sign of x, and the exponent of 2."""
    x, wide = _wide("frexp", x)
    mantissa, exponent = _mantissa_and_exponent(_core.stop_gradient(wide))
    plain = _core.logical_and(_core.isfinite(wide), _core.not_equal(wide, 0))
    result = _core.astype(_core.where(plain, _with_slope(mantissa, wide, -exponent), wide), x.dtype)
    return result, _core.astype(_core.where(plain, exponent, 0), _core.dtype("int32"))


frexp = Composed(frexp, 1, 2)


def _power_of_two(exponent: Array, like: Array) -> Array:
    """2 to an exponent that is one of normal numbers, or infinity for the one above them."""
    integer, shift, _, half, _ = _LAYOUTS[str(like.dtype)]
    return _core.view_as(_core.astype(exponent + (half + 1), _core.dtype(integer)) << shift, like.dtype)


def ldexp(x1: Any, x2: Any) -> Array:
    """x1 * 2**x2, rounded once."""
    n = asarray(x2)
    # An integer of Python beside an array of integers leaves its dtype to the function, whose first is float16.
    is_weak = type(x1) is int and not isinstance(x2, int) and n.dtype.kind in "iu"
    x, wide = _wide("ldexp", asarray(x1, _core.dtype("float16")) if is_weak else x1)
    if n.dtype.kind not in "bi" and not (n.dtype.kind == "u" and n.dtype.itemsize < 8):
        raise TypeError(f"ldexp: exponents are integers of at most 64 bits with a sign: got {n.dtype}")
    mantissa, exponent = _mantissa_and_exponent(_core.stop_gradient(wide))
    half = _LAYOUTS[str(wide.dtype)][3]
    n = _core.minimum(_core.maximum(_core.astype(n, _core.dtype("int64")), -5000), 5000)
    power = exponent + n - 1  # of twice the mantissa
    first = _core.minimum(_core.maximum(power, -half), half + 2)
    rest = _core.minimum(_core.maximum(power - first, -60), 0)  # below the normal numbers: the one factor that rounds
    result = mantissa * 2.0 * _power_of_two(first, wide) * _power_of_two(rest, wide)
    plain = _core.logical_and(_core.isfinite(wide), _core.not_equal(wide, 0))
    bounded = _core.minimum(_core.maximum(n, -2 * half), 2 * half)
    same = _scaled(wide, bounded) if _core.is_derived(wide) else wide  # 0, infinity and NaN
    return _core.astype(_core.where(plain, _with_slope(result, wide, bounded), same), x.dtype)


ldexp = Composed(ldexp, 2)
