"""Windows of signal processing, and the Bessel function that one of them is made of."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._base.asarray import asarray

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_PI = 3.141592653589793

# Chebyshev coefficients of exp(-x) I0(x) on [0, 8] and of exp(-x) sqrt(x) I0(x) on [8, inf), the highest first: Cephes, i0.c.
_NEAR = (
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16, 1.71539128555513303061e-15,
    -1.16853328779934516808e-14, 7.67618549860493561688e-14, -4.85644678311192946090e-13, 2.95505266312963983461e-12,
    -1.72682629144155570723e-11, 9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7, 1.11738753912010371815e-6,
    -4.41673835845875056359e-6, 1.64484480707288970893e-5, -5.75419501008210370398e-5, 1.88502885095841655729e-4,
    -5.76375574538582365885e-4, 1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2, 1.71620901522208775349e-1,
    -3.04682672343198398683e-1, 6.76795274409476084995e-1,
)  # fmt: skip
_FAR = (
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17, 3.46122286769746109310e-17,
    -2.82762398051658348494e-16, -3.42548561967721913462e-16, 1.77256013305652638360e-15, 3.81168066935262242075e-15,
    -9.55484669882830764870e-15, -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11, -3.14991652796324136454e-11,
    1.18891471078464383424e-11, 4.94060238822496958910e-10, 3.39623202570838634515e-9, 2.26666899049817806459e-8,
    2.04891858946906374183e-7, 2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
)  # fmt: skip


def _chebyshev(x: Array, coefficients: tuple[float, ...]) -> Array:
    """The series at x by Clenshaw's recurrence."""
    now: Any = coefficients[0]
    before: Any = 0.0
    last: Any = 0.0
    for coefficient in coefficients[1:]:
        last, before = before, now
        now = x * before - last + coefficient
    return (now - last) * 0.5


def i0(x: Any) -> Array:
    """The modified Bessel function of the first kind, of order 0."""
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(f"i0: takes real numbers: got {x.dtype}")
    if x.dtype.kind in "biu":
        x = _core.astype(x, _core.dtype("float64"))
    a = _core.abs(x)
    # Each half is computed of values in its own range, so that neither overflows.
    small, large = _core.minimum(a, 8.0), _core.maximum(a, 8.0)
    near = _chebyshev(small * 0.5 - 2.0, _NEAR)
    far = _chebyshev(32.0 / large - 2.0, _FAR) / _core.sqrt(large)
    return _core.as_array(_core.multiply(_core.exp(a), _core.where(_core.less_equal(a, 8.0), near, far)))


def _positions(op: str, M: Any) -> tuple[Array | None, float]:
    """1 - M, 3 - M, … M - 1 and M, or no positions where the window is empty or one."""
    M = M.item() if hasattr(M, "dtype") and not getattr(M, "ndim", 0) else M
    if not isinstance(M, (int, float)):
        raise TypeError(f"{op}: the number of points is an integer: got {type(M).__name__}")
    if M <= 1:
        return None, M
    return _core.arange(1.0 - M, float(M), 2.0, _core.dtype("float64"), ""), float(M)


def _trivial(M: float) -> Array:
    return _core.full((1 if M >= 1 else 0,), 1.0, _core.dtype("float64"), "")


def _cosines(op: str, M: Any, *weights: float) -> Array:
    """A sum of cosines over the window's length, so many of them a period."""
    n, count = _positions(op, M)
    if n is None:
        return _trivial(count)
    result: Any = weights[0]
    for k, weight in enumerate(weights[1:], 1):
        result = result + weight * _core.cos(n * (k * _PI) / (count - 1))
    return result


def hanning(M: int) -> Array:
    """The Hann window: a raised cosine that begins and ends at 0."""
    return _cosines("hanning", M, 0.5, 0.5)


def hamming(M: int) -> Array:
    """The Hamming window: a raised cosine that begins and ends at 0.08."""
    return _cosines("hamming", M, 0.54, 0.46)


def blackman(M: int) -> Array:
    """The Blackman window: three terms of a sum of cosines."""
    return _cosines("blackman", M, 0.42, 0.5, 0.08)


def bartlett(M: int) -> Array:
    """The Bartlett window: a triangle that begins and ends at 0."""
    n, count = _positions("bartlett", M)
    if n is None:
        return _trivial(count)
    return 1 + _core.where(_core.less_equal(n, 0), n, -n) / (count - 1)


def kaiser(M: int, beta: float) -> Array:
    """The Kaiser window of this shape factor."""
    n, count = _positions("kaiser", M)
    if n is None:
        return _trivial(count)
    alpha = (count - 1) / 2.0
    away = n / 2.0 / alpha
    beta = asarray(beta, _core.dtype("float64"))
    return i0(beta * _core.sqrt(_core.maximum(1 - away * away, 0.0))) / i0(beta)
