"""Functions of arrays that are recorded once."""

from __future__ import annotations

import contextvars
import functools

from weft import _core
from weft._core import Array

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable

__all__ = ["compile"]

# What is being recorded at the moment: an object of its own for each recording, None outside of them.
recording: contextvars.ContextVar[Any] = contextvars.ContextVar("weft.recording", default=None)


def _record(f: Callable[..., Any], args: list[Any], places: list[int]) -> tuple[Any, Any]:
    """f's program for such arguments, of which those at `places` are arrays, and the kind of its result."""
    kind: Any = None

    def flat(arrays: list[Array]) -> list[Array]:
        nonlocal kind
        given = list(args)
        for place, array in zip(places, arrays):
            given[place] = array
        outside = recording.set(object())
        try:
            result = f(*given)
        finally:
            recording.reset(outside)
        if result is None:
            return []
        kind = tuple if isinstance(result, tuple) else type(result)
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        if not all(isinstance(one, Array) for one in results):
            raise TypeError(f"compile: takes functions that give arrays, alone or in a tuple or list: got {kind.__name__}")
        return results

    return _core.Compiled([args[place] for place in places], flat), kind


def compile(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function, recorded once for each set of its arguments' dtypes, shapes and other values, and only run then.

    Arrays are looked up by dtype, shape and device; everything else by value, and must be hashable. While it is recorded the
    function cannot look at its arguments' values: weft.Error. What it does besides computing with arrays happens once.
    """
    made: Callable[..., Any] = functools.update_wrapper(_core.CompiledFunction(f, _record), f)
    return made
