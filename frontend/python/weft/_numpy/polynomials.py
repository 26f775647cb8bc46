"""Polynomials, their coefficients from the highest power down."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._array.answered import answered_by
from weft._base.asarray import asarray
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


# NumPy's own functions of few coefficients, or of a least-squares problem.
for _name in NAMES[__name__]:
    if _name not in globals():
        globals()[_name] = answered_by("numpy", _name)
