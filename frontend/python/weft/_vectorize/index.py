"""index(): the position of each element along an axis, as an argument of a function of numbers. No array of positions is stored."""

from __future__ import annotations

from weft import _core
from weft._array.shaping import broadcast_shapes
from weft._base.arguments import whole
from weft._base.asarray import asarray
from weft._core import Error

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Container, Iterable


class Index:
    """The position along an axis of what a call gives."""

    def __init__(self, axis: int) -> None:
        self.axis = whole("index", axis, "the axis is an integer", False)
        if not -(2**63) <= self.axis < 2**63:
            raise OverflowError(f"index: the axis is an integer of at most 64 bits: got {axis}")

    def __repr__(self) -> str:
        return f"index({self.axis})"

    def __array__(self, *args: Any, **keywords: Any) -> Any:
        raise TypeError(f"wf.{self} is an argument of functions of numbers, which vectorize(), elementwise() and reduction() make: write wf.arange elsewhere")


def index(axis: int) -> Any:
    """The position of each element along an axis, as an argument of a function that vectorize(), elementwise() or reduction() made: an int64, counted
    from 0, in the shape to which the other arguments broadcast. Nothing of it is stored. Where there is no other argument, fromfunction() gives the
    shape."""
    return Index(axis)


def placed(name: str, args: Iterable[Any], known: Container[Any] = ()) -> list[Any]:
    """The arguments, with arrays that are computed where they are read in the place of positions. `known`: the places of those that are no arrays."""
    arrays = [asarray(one) for k, one in enumerate(args) if type(one) is not Index and k not in known and type(one) not in (bool, int, float, complex)]
    if not arrays:
        raise Error(f"{name}: positions alone have no shape: call wf.fromfunction({name}, shape, dtype=int)")
    shape, device = broadcast_shapes(*(x.shape for x in arrays)), arrays[0].device
    for one in args:
        if type(one) is Index and not -len(shape) <= one.axis < len(shape):
            raise Error(f"{name}: {one}: the arguments broadcast to {shape}, which has {len(shape)} {'axis' if len(shape) == 1 else 'axes'}")
    return [_core.iota(shape, one.axis, device) if type(one) is Index else one for one in args]
