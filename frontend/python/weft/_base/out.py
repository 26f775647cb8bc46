"""Where results are written: `out`, an array of Weft or of NumPy, whose dtype has to hold them."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._base.memory import NumpysOut, is_numpys

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def value_of_rank_0(x: Any) -> Any:
    """The result, of rank 0 as a value, which NumPy has a scalar for."""
    return _core.as_value(x) if isinstance(x, Array) and not x.ndim else x


def target(op: str, x: Any) -> Array:
    """x, which the op writes to."""
    if not isinstance(x, Array) or _core.is_value(x):
        got = "one value, which cannot be written to" if isinstance(x, Array) else type(x).__name__
        raise TypeError(f"{op}: takes a weft.Array, which it writes to: got {got}")
    return x


def place(op: str, out: Any) -> Any:
    """Where the op writes its result: an array of Weft, or of NumPy."""
    if isinstance(out, NumpysOut) or is_numpys(out):
        return out if isinstance(out, NumpysOut) else NumpysOut(op, out)
    if not isinstance(out, Array):
        raise TypeError(f"{op}: results are written to arrays of Weft or of NumPy: got {type(out).__name__}")
    return target(op, out)


def holds_kind_of(out: Any, result: Array) -> bool:
    """Whether NumPy's rule "same_kind" lets the result be stored there."""
    return _rank(out.dtype) >= _rank(result.dtype)


def check_kind(result: Array, out: Any, same_dtype: bool = False) -> None:
    if out.dtype != result.dtype and (same_dtype or not holds_kind_of(out, result)):
        raise TypeError(f"out: the result cannot be stored as {out.dtype}: got {result.dtype}, convert it with astype()")


def store(result: Array, out: Any, same_dtype: bool = False) -> Any:
    """The result, written to `out` if there is one, whose dtype is the result's or one of its kind or a higher."""
    if out is None:
        return result
    out = given_out(out)
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out: must have the result's shape {result.shape}: got {out.shape}")
    check_kind(result, out, same_dtype)
    if isinstance(out, NumpysOut):
        return out.store("out", result)
    _core.assign(out, result)
    return out


def given_out(out: Any) -> Any:
    """The array to write to, which may be given as a tuple of one; None where there is none."""
    if out is None:
        return None
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    return None if out is None else place("out", out)


def cast_into(result: Array, out: Any) -> Any:
    """The result, written to `out` if there is one, of whatever dtype: as NumPy's reductions cast."""
    if out is None:
        return result
    out = given_out(out)
    return store(result if out is None or out.dtype == result.dtype else _core.astype(result, out.dtype), out)


def _rank(dtype: Any) -> int:
    return "buifc".index("f" if dtype.kind == "V" else dtype.kind)
