"""What NumPy's functions take besides arrays, and what they refuse there: masks, rules of casting, integers, numbers to start from."""

from __future__ import annotations

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


def check_flags(op: str, **given: Any) -> None:
    """Refuses what is neither True nor False, nor an integer in their place. NumPy's are taken, too."""
    for name, flag in given.items():
        if not hasattr(flag, "__index__") and type(flag).__name__ not in ("bool", "bool_"):
            raise TypeError(f"{op}: {name} is True or False: got {flag!r}")


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
