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


class _Recorded:
    """One recording: the program, and how its results are put together."""

    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...], places: tuple[int, ...]) -> None:
        self.kind: Any = None

        def flat(arrays: list[Array]) -> list[Array]:
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
            self.kind = tuple if isinstance(result, tuple) else type(result)
            results = list(result) if isinstance(result, (list, tuple)) else [result]
            if not all(isinstance(one, Array) for one in results):
                raise TypeError(f"compile: takes functions that give arrays, alone or in a tuple or list: got {self.kind.__name__}")
            return results

        self.program = _core.Compiled([args[place] for place in places], flat)


def compile(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function, recorded once for each set of its arguments' dtypes, shapes and other values, and only run then.

    Arrays are looked up by dtype, shape and device; everything else by value, and must be hashable. While it is recorded the
    function cannot look at its arguments' values: weft.Error. What it does besides computing with arrays happens once.
    """
    known: dict[Any, list[_Recorded]] = {}

    @functools.wraps(f)
    def call(*args: Any) -> Any:
        places = tuple([i for i, one in enumerate(args) if type(one) is Array])
        arrays = [args[i] for i in places]
        key = places if len(places) == len(args) else (places, tuple([(type(one), one) for one in args if type(one) is not Array]))
        recordings = known.setdefault(key, [])
        for recorded in recordings:
            if recorded.program.takes(arrays):
                break
        else:
            recorded = _Recorded(f, args, places)
            recordings.append(recorded)
        results = recorded.program(arrays)
        if recorded.kind is Array:
            return results[0]
        return None if recorded.kind is None else recorded.kind(results)

    return call
