"""What is being recorded, and what it cannot ask of its arguments, which have no values then: what it can do instead."""

from __future__ import annotations

import contextvars

from weft import _core
from weft._core import Array, Error
from weft._base.asarray import asarray

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

# What is being recorded at the moment: an object of its own for each recording, None outside of them.
recording: contextvars.ContextVar[Any] = contextvars.ContextVar("weft.recording", default=None)

_outside = "call it outside, and give the compiled function its result as an argument"
_by_mask = "its result's shape depends on them: compute with every element, by where(mask, x, 0) or sum(x, where=mask)"
_by_size = _by_mask + ", or give size=n, the most that there may be"
_advice = {
    **dict.fromkeys(("compress", "intersect1d", "setdiff1d", "setxor1d", "trim_zeros", "union1d"), _by_mask),
    **dict.fromkeys(("argwhere", "flatnonzero", "nonzero", "unique"), _by_size),
    "allclose": "write all(isclose(a, b))",
    "array_equal": "write all(a == b)",
    "bincount": "how long its result is depends on them: give minlength, to which all positions have to fit",
    "digitize": "write sum(x[..., None] >= bins, -1) where the bins are few, or " + _outside,
    "inv": "its result is mostly multiplied: " + _outside,
}


def _of_arguments(value: Any) -> Array | None:
    """An array in there that depends on the arguments of the function that is being recorded."""
    if isinstance(value, Array):
        return value if _core.depends_on_arguments(value) else None
    if isinstance(value, (list, tuple)):
        return next((found for one in value if (found := _of_arguments(one)) is not None), None)
    return None


def of_arguments(values: Any) -> bool:
    """Whether one of the values is none to look at: it depends on the arguments of the function that is being recorded, or derivatives are
    wanted of it."""
    return _core.have_no_value(values)


def described(x: Array) -> str:
    """An array's shape and dtype, in few letters."""
    name = str(x.dtype)
    short = {"bool": "bool", "bfloat16": "bf16"}.get(name) or f"{x.dtype.kind}{8 * x.dtype.itemsize}"
    return f"{x.shape} {short}"


def refuse_arguments(op: str, values: Any) -> None:
    """Error where the function looks at arguments of the function that is being recorded."""
    found = _of_arguments([*values]) if _core.records() else None
    if found is None:
        return
    advice = _advice.get(op, _outside)
    raise Error(f"{op}: looks at values, and a compiled function's arguments have none while it is recorded: got {found.shape} {found.dtype}: {advice}")


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """bincount() of arguments: NotImplemented where the result's length depends on them."""
    if not _core.records() or _of_arguments((x, weights)) is None or not hasattr(minlength, "__index__") or minlength.__index__() <= 0:
        return NotImplemented
    x, count = asarray(x), minlength.__index__()
    if x.ndim != 1 or x.dtype.kind not in "iub" or x.dtype == "uint64":
        raise TypeError(f"bincount: takes one axis of integers that int64 holds: got {x.shape} {x.dtype}")
    at = _core.astype(x, _core.dtype("int64"))
    at = _core.where(_core.less(at, 0), _core.subtract(at, count), at)  # out of range, not counted from the end
    _core.check_index("bincount", at, 0, count)
    if weights is None:
        result = _core.full((count,), 0, at.dtype, x.device)
        _core.add_along_axis(result, at, 1, 0)
        return result
    weights = _core.astype(asarray(weights, device=x.device), _core.dtype("float64"))
    if weights.shape != x.shape:
        raise ValueError(f"bincount: takes a weight for each position: got {weights.shape} for {x.shape}")
    result = _core.full((count,), 0, weights.dtype, x.device)
    _core.add_along_axis(result, at, weights, 0)
    return result
