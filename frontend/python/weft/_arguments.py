"""What NumPy's functions take besides arrays, and what they refuse there: masks, rules of casting, integers, numbers to start from."""

from __future__ import annotations

from weft import _core
from weft._core import Array

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


class _NoValue:
    """What stands for an argument that was not given where None means something else."""

    def __repr__(self) -> str:
        return "<no value>"


no_value: Any = _NoValue()

_castings = ("no", "equiv", "safe", "same_kind", "unsafe")


def check_casting(op: str, casting: Any) -> None:
    """Refuses what is no rule of casting."""
    if not isinstance(casting, str):
        raise TypeError(f"{op}: casting is a text: got {type(casting).__name__}")
    if casting not in _castings:
        raise ValueError(f"{op}: casting is one of {', '.join(_castings)}: got {casting!r}")


def check_subok(op: str, subok: Any) -> None:
    """Refuses what is no bool where NumPy's elementwise functions are asked for subclasses."""
    if not isinstance(subok, bool):
        raise TypeError(f"{op}: subok is True or False: got {subok!r}")


def whole(op: str, given: Any, what: str = "extents and diagonals are integers", bools: bool = True) -> int:
    """A count, an extent or a position as an integer of Python: NumPy's wrap, and so do sums of them."""
    if not hasattr(given, "__index__") or (isinstance(given, bool) and not bools):
        raise TypeError(f"{op}: {what}: got {type(given).__name__}")
    return given.__index__()


def whole_shape(op: str, given: Any) -> tuple[int, ...]:
    """A shape, an integer or a sequence of them, as integers of Python."""
    sized = hasattr(given, "__len__") and hasattr(given, "__getitem__") and not isinstance(given, (str, dict)) and getattr(given, "ndim", 1)
    rule = "a shape is an integer or a sequence of integers"
    return tuple(whole(op, one, rule, False) for one in (given if sized else (given,)))


def copies(op: str, copy: Any) -> bool | None:
    """Whether to copy: True, False or, where needed, None."""
    if isinstance(copy, str):
        raise ValueError(f"{op}: copy is True, False or None: got {copy!r}")
    return None if copy is None else bool(copy)


def mask_of(op: str, where: Any) -> Array:
    """The condition that `where` is: arrays are of bools, numbers and lists are taken by their truth."""
    import numpy

    from weft._creation import asarray

    is_array = not _core.is_value(where) if isinstance(where, Array) else isinstance(where, numpy.ndarray)
    if is_array and where.dtype.kind != "b":
        raise TypeError(f"{op}: where is of bools: got {where.dtype}")
    return asarray(where, _core.dtype("bool"))


def start_of(op: str, initial: Any, dtype: Any, device: str) -> Array:
    """The one number that a reduction starts from, which has to fit the dtype of what is reduced."""
    from weft._creation import asarray

    if isinstance(initial, (str, bytes)):  # that is a number
        initial = asarray(initial, dtype, device=device)
    elif not isinstance(initial, (bool, int, float, complex)):
        initial = asarray(initial, device=None if isinstance(initial, Array) else device)
        if initial.ndim:
            raise ValueError(f"{op}: initial is one number: got an array of shape {initial.shape}")
        initial = _core.as_value(initial)
    start = _core.full((), 0, dtype, device)
    start[...] = initial
    return _core.as_value(start)
