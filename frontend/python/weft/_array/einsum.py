"""Sums of products over named axes: what NumPy's einsum is told, in the terms of Weft's own."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._array.shaping import converted
from weft._base.arguments import check_casting
from weft._base.asarray import asarray, heed
from weft._base.dtypes import can_cast, result_type
from weft._base.out import given_out, store

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _spelled(axes: Any) -> str:
    """Axes named by numbers as a term of subscripts."""
    import string

    term = ""
    for one in axes:
        if one is not Ellipsis and not (hasattr(one, "__index__") and 0 <= one < 52):
            raise ValueError(f"einsum: axes are named by numbers below 52 and ...: got {one!r}")
        term += "..." if one is Ellipsis else (string.ascii_uppercase + string.ascii_lowercase)[one]
    return term


def _subscripts(given: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The subscripts as text, and the operands, of arrays that lists of numbers follow."""
    lists = given[1::2]
    if len(given) < 2 or not all(hasattr(one, "__iter__") and not isinstance(one, str) for one in lists):
        raise ValueError("einsum: takes the subscripts as text, or after each array a list of numbers for its axes")
    text = ",".join(map(_spelled, lists))
    return (text if len(given) % 2 == 0 else f"{text}->{_spelled(given[-1])}"), given[0 : len(given) - len(given) % 2 : 2]


def _check_options(optimize: Any, order: Any, casting: Any) -> None:
    if order != "K":
        heed("einsum", order, None)
    check_casting("einsum", casting)
    path = optimize[0] if isinstance(optimize, (list, tuple)) and optimize else optimize
    if not isinstance(path, bool) and path not in (None, "greedy", "optimal", "einsum_path"):
        raise TypeError(f"einsum: optimize is True, False, 'greedy', 'optimal' or a path: got {optimize!r}")


def einsum(
    *operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, order: str = "K", casting: str = "safe",
) -> Array:
    """Products summed over named axes: einsum('ij,jk->ik', a, b), or einsum(a, [0, 1], b, [1, 2], [0, 2]), is the matrix product."""
    if len(operands) == 3 and out is None and dtype is None and order == "K" and casting == "safe" and optimize is False:
        subscripts, a, b = operands
        if type(subscripts) is str and type(a) is Array and type(b) is Array and a.dtype is b.dtype and a.ndim and b.ndim:
            return _core.as_value(_core.einsum(subscripts, [a, b]))
    subscripts, operands = (operands[0], operands[1:]) if operands and isinstance(operands[0], str) else _subscripts(operands)
    if order != "K" or casting != "safe" or optimize is not False:
        _check_options(optimize, order, casting)
    xs = [x if isinstance(x, Array) and x.ndim else asarray(x) for x in operands]
    if dtype is not None:
        xs = converted("einsum", xs, dtype, casting)
    elif len({one.dtype for one in (xs if out is None else [*xs, given_out(out)])}) > 1:
        # What is summed before it meets the others is so in their dtype, which holds what `out` does, too.
        common = result_type(*xs)
        if out is not None and can_cast(common, given_out(out).dtype, "safe"):
            common = given_out(out).dtype
        xs = converted("einsum", xs, common, "unsafe")
    answer = _core.einsum(subscripts, xs)
    # One operand of which nothing is summed is a view, as NumPy has it.
    answer = answer if answer.ndim and _core.shares_cell(answer, xs[0]) else _core.as_value(answer)
    if out is not None and casting == "unsafe":
        answer = _core.astype(answer, given_out(out).dtype)
    return answer if out is None else store(answer, out)
