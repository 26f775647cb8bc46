"""Functions of arrays that are recorded once."""

from __future__ import annotations

import contextvars
import functools
import sys

from weft import _core
from weft._core import Array
from weft._guards import guards

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable

__all__ = ["compile"]

# What is being recorded at the moment: an object of its own for each recording, None outside of them.
recording: contextvars.ContextVar[Any] = contextvars.ContextVar("weft.recording", default=None)


class _Numpys:
    """Stands for an array of NumPy's, which the function can read and not write to."""


def _taken_apart(value: Any, leaves: list[Any]) -> Any:
    """What nested tuples, lists and dicts are besides their leaves, as a key; None for a leaf."""
    if isinstance(value, dict):
        return type(value), tuple(value), tuple(_taken_apart(one, leaves) for one in value.values())
    if isinstance(value, (tuple, list)):
        return type(value), None, tuple(_taken_apart(one, leaves) for one in value)
    if isinstance(value, slice):  # no key by itself before Python 3.12
        return slice, None, tuple(_taken_apart(one, leaves) for one in (value.start, value.stop, value.step))
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        from weft._creation import asarray

        leaves.append(asarray(value))
        return _Numpys, None, ()
    leaves.append(value)
    return None


def _put_together(structure: Any, leaves: Any) -> Any:
    """The nested containers around the leaves that an iterator gives."""
    if structure is None:
        return next(leaves)
    kind, keys, parts = structure
    if kind is _Numpys:
        array = next(leaves)
        return _core.broadcast_to(array, array.shape)
    made = [_put_together(part, leaves) for part in parts]
    if kind is slice:
        return slice(*made)
    if keys is not None:
        same: Any = dict(zip(keys, made))
        return same if kind is dict else kind(same)
    return kind._make(made) if hasattr(kind, "_make") else kind(made)


def _result(structure: Any, nothing: tuple[int, ...], results: list[Array]) -> Any:
    """What the function gave, of its arrays; None at these places among the leaves."""
    leaves: list[Any] = list(results)
    for place in nothing:
        leaves.insert(place, None)
    return _put_together(structure, iter(leaves))


def _record(f: Callable[..., Any], args: list[Any], places: list[int]) -> tuple[Any, Any, Any]:
    """f's program for such arguments, of which those at `places` are arrays, what makes its result of the arrays, and what else it read."""
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
        leaves: list[Any] = []
        structure = _taken_apart(result, leaves)
        nothing = tuple(i for i, one in enumerate(leaves) if one is None)
        results = [one for one in leaves if one is not None]
        for one in results:
            if not isinstance(one, Array):
                raise TypeError("compile: takes functions that give arrays, alone or in tuples, lists and dicts of them: "
                                f"got {type(one).__name__}")
        plain = structure is None or (structure[0] in (tuple, list) and not any(structure[2]) and not nothing)
        kind = type(result) if plain else functools.partial(_result, structure, nothing)
        return results

    read = guards(f, [one for i, one in enumerate(args) if i not in places])
    return _core.Compiled([args[place] for place in places], flat), kind, read


def _general(f: Callable[..., Any]) -> Callable[..., Any]:
    """Calls of f with keywords, containers and NumPy's arrays: a compiled function of the leaves for each structure of them."""
    known: dict[Any, Any] = {}

    def call(args: list[Any], keywords: dict[str, Any]) -> Any:
        leaves: list[Any] = []
        structure = (_taken_apart(args, leaves), _taken_apart(keywords, leaves))
        of_leaves = known.get(structure)
        if of_leaves is None:

            def unpacked(*leaves: Any) -> Any:
                each = iter(leaves)
                return f(*_put_together(structure[0], each), **_put_together(structure[1], each))

            unpacked.__wrapped__ = f  # type: ignore[attr-defined]
            of_leaves = known[structure] = _core.CompiledFunction(unpacked, _record, None)
        return of_leaves(*leaves)

    return call


def compile(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function, recorded once for each set of its arguments' dtypes, shapes and other values, and only run then.

    Arrays, also NumPy's, which it cannot write to, and those in tuples, lists and dicts are looked up by dtype, shape and device;
    everything else by value, and must be hashable. Where arrays, numbers or attributes that it uses besides its arguments have
    changed, it is recorded again. While it is recorded the function cannot look at its arguments' values: weft.Error. What it does besides computing
    with arrays happens once.
    """
    if not callable(f):
        raise TypeError(f"compile: takes a function: got {type(f).__name__}")
    made: Callable[..., Any] = functools.update_wrapper(_core.CompiledFunction(f, _record, _general(f)), f)
    return made
