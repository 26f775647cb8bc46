"""Polynomials, their coefficients from the highest power down."""

from __future__ import annotations

import operator

from weft import _core
from weft._core import Array
from weft._array.answered import answered_by
from weft._array.grids import vander
from weft._base.asarray import asarray
from weft._base.dtypes import finfo
from weft._base.given import known
from weft._base.recorded import of_arguments
from weft._names import NAMES

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def polyval(p: Any, x: Any) -> Array:
    """The polynomial at x, by Horner's rule."""
    coefficients = p if isinstance(p, Array) else asarray(p)
    at = asarray(x, device=None if isinstance(x, Array) else coefficients.device)
    result = _core.full(at.shape, 0, at.dtype, at.device)
    for i in range(coefficients.shape[0]):
        result = result * at + coefficients[i]
    return result


def polyfit(x: Any, y: Any, deg: int, rcond: float | None = None, full: bool = False, w: Any = None, cov: Any = False) -> Any:
    """The coefficients of the polynomial of this degree that is nearest to y at x, by the sum of squares, with weights w; `cov` adds their covariance.

    NumPy answers, which warns where they are not determined; of a compiled function's arguments it is recorded, without `full`."""
    if full or not of_arguments((x, y, w)):
        return _polyfit_any(x, y, deg, rcond, full, w, cov)
    x, y, count = asarray(x), asarray(y), operator.index(known(deg)) + 1
    if count < 1:
        raise ValueError(f"polyfit: the degree is 0 or more: got {count - 1}")
    if x.ndim != 1 or y.ndim not in (1, 2) or x.shape[0] != y.shape[0] or not x.size:
        raise TypeError(f"polyfit: takes points of one axis and as many values, in columns where there are several: got {x.shape} and {y.shape}")
    x = x if x.dtype.kind in "fc" else _core.astype(x, _core.dtype("float64"))
    left, right = vander(x, count), y if y.dtype.kind in "fc" else _core.astype(y, x.dtype)
    if w is not None:
        w = asarray(w) + 0.0
        if w.shape != x.shape:
            raise TypeError(f"polyfit: takes a weight for each of {x.shape[0]} points: got {w.shape}")
        left, right = left * w[:, None], right * (w if right.ndim == 1 else w[:, None])
    scale = _core.sqrt(_core.sum(left * left, (0,), False))
    left = left / scale
    rcond = x.shape[0] * float(finfo(x.dtype).eps) if rcond is None else float(known(rcond))
    coefficients, residuals, _, _ = _core.lstsq(left, right, rcond)
    coefficients = (coefficients.T / scale).T
    if not cov:
        return coefficients
    base = _core.inv(_core.matmul(left.T, left)) / (scale[:, None] * scale[None, :])
    if isinstance(cov, str) and cov == "unscaled":
        return coefficients, base if y.ndim == 1 else base[:, :, None] * 1.0
    if x.shape[0] <= count:
        raise ValueError(f"polyfit: the covariance takes more points than coefficients: got {x.shape[0]} points and {count} coefficients")
    factor = residuals / (x.shape[0] - count)
    return coefficients, base * factor if y.ndim == 1 else base[:, :, None] * factor


_polyfit_any = answered_by("numpy", "polyfit")

# NumPy's own functions of few coefficients, or of a least-squares problem.
for _name in NAMES[__name__]:
    if _name not in globals():
        globals()[_name] = answered_by("numpy", _name)
