"""Functions of short rows, by a signature such as "(n),(n)->()": recorded once for all rows that the other axes hold."""

from __future__ import annotations

import re

from weft import _core
from weft._core import Array
from weft._base.asarray import asarray
from weft._base.recorded import recording

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable

_group = re.compile(r"\(([^)]*)\)")


def _groups(side: str) -> list[list[str]]:
    return [[name.strip() for name in one.split(",") if name.strip()] for one in _group.findall(side)]


class Mismatch(ValueError):
    """The function gives what its signature does not say."""


class Rows:
    """A function's signature: the names of the last axes of each argument and of each result."""

    def __init__(self, signature: str) -> None:
        takes, gives = signature.split("->")
        self.takes, self.gives = _groups(takes), _groups(gives)

    def loop(self, arrays: list[Array], name: str) -> tuple[int, dict[str, int]]:
        """How many axes the arrays have besides those of the signature, together, and the lengths of those that it names. Error where they do
        not fit it."""
        if len(arrays) != len(self.takes):
            raise TypeError(f"{name}: its signature takes {len(self.takes)} arguments: got {len(arrays)}")
        extents: dict[str, int] = {}
        for place, (array, axes) in enumerate(zip(arrays, self.takes)):
            if array.ndim < len(axes):
                raise ValueError(f"{name}: argument {place} needs {len(axes)} axes for ({','.join(axes)}): got shape {array.shape}")
            for axis, extent in zip(axes, array.shape[array.ndim - len(axes) :]):
                if extents.setdefault(axis, extent) != extent:
                    raise ValueError(f"{name}: the axis {axis} of the signature has {extents[axis]} elements and, in argument {place}, {extent}")
        return max((array.ndim - len(axes) for array, axes in zip(arrays, self.takes)), default=0), extents

    def results(self, f: Callable[..., Any], arrays: list[Array], loop: int, extents: dict[str, int], name: str) -> list[Array]:
        """f of each row, with the loop's axes first."""
        if loop == 0:
            return self._called(f, arrays, extents, name)
        # What has no such axis, or has it to be broadcast, is whole in every turn.
        has = [array.ndim - len(axes) == loop for array, axes in zip(arrays, self.takes)]
        long = any(here and array.shape[0] != 1 for here, array in zip(has, arrays))
        splits = [here and not (long and array.shape[0] == 1) for here, array in zip(has, arrays)]
        whole = [array if split or not here else array[0] for array, here, split in zip(arrays, has, splits)]

        def on(parts: list[Array]) -> list[Array]:
            each = iter(parts)
            return self.results(f, [next(each) if split else array for array, split in zip(whole, splits)], loop - 1, extents, name)

        taken = [array for array, split in zip(whole, splits) if split]
        return _core.vmap(on, taken, [0] * len(taken))  # type: ignore[no-any-return]

    def _called(self, f: Callable[..., Any], arrays: list[Array], extents: dict[str, int], name: str) -> list[Array]:
        outside = recording.set(object())
        try:
            given = f(*(_core.broadcast_to(array, array.shape) for array in arrays))  # which cannot be written to
        finally:
            recording.reset(outside)
        several = given if isinstance(given, tuple) else (given,)
        if len(several) != len(self.gives):
            raise Mismatch(f"{name}: its signature gives {len(self.gives)} results: got {len(several)}")
        results = [asarray(one) for one in several]
        for place, (result, axes) in enumerate(zip(results, self.gives)):
            if result.ndim != len(axes):
                raise Mismatch(f"{name}: result {place} needs {len(axes)} axes for ({','.join(axes)}): got shape {result.shape}")
            for axis, extent in zip(axes, result.shape):
                if extents.setdefault(axis, extent) != extent:
                    raise Mismatch(f"{name}: the axis {axis} of the signature has {extents[axis]} elements and, in result {place}, {extent}")
        return results
