"""What the results of a user's op are compared with: a function of numbers, compiled for arguments of float64."""

from __future__ import annotations

import sys

from weft._core import Error
from weft._vectorize.outside import is_numpy_number

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_MOST_KEPT = 64


def widened(dtype: str) -> str:
    """The dtype in which a reference is computed."""
    return {"f16": "f64", "bf16": "f64", "f32": "f64", "c64": "c128"}.get(dtype, dtype)


def checked_ulps(op: str, given: Any) -> float:
    """How many units of the last place results may be off."""
    number = given.item() if is_numpy_number(given) else given
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number <= sys.float_info.max:
        raise Error(f"{op}: ulps is a finite number that is not below 0: got {given!r}")
    return float(number)


def reference_for(name: str, reference: Any) -> Any:
    """What gives the scalar function of the reference, a vectorized function or an op as text, for a list of dtypes."""
    known: dict[tuple[str, ...], Any] = {}

    def function(dtypes: list[str]) -> Any:
        found = known.get(tuple(dtypes))
        if found is None:
            if len(known) > _MOST_KEPT:
                known.clear()
            try:
                found = known[tuple(dtypes)] = reference._for_dtypes(dtypes)
            except Error as error:
                raise Error(f"{name}: reference: {error}") from None
        return found

    return function
