"""Functions of arrays that are recorded once."""

from __future__ import annotations

import collections
import functools
import gc
import sys
import time
import types

from weft import _core
from weft._core import Array, Error
from weft._array.picked_later import Picked
from weft._base.asarray import asarray
from weft._base.explained import Explanation
from weft._base.given import Decided, Given, is_float64
from weft._base.recorded import recording
from weft._base.session import explain, explained
from weft._base.settings import set_callers
from weft._compile import changes
from weft._compile.guards import Same, bind, bound_now, followed, guards, guards_of_filled, place_of
from weft._compile.recordings import Lowered, Recordings

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable


_plain = (bool, int, float, complex, str, bytes, type(None))


def _as_it_is(value: Any) -> bool:
    """Whether it is what a function can give besides arrays, the recording's value: NumPy's scalars, too, but for records, which can be written."""
    if type(value) in _plain:
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic) and not isinstance(value, numpy.void)


def _name(f: Any) -> str:
    """How the user calls the function; unpacked() of _of_leaves() stands for one."""
    f = getattr(f, "_weft_stands_for", f)
    return getattr(f, "__qualname__", type(f).__name__)


class _Numpys:
    """Stands for an array of NumPy's, which the function can read and not write to."""


class _Defaulting(collections.namedtuple("_Defaulting", "kind factory")):
    """Makes defaultdicts of dicts."""

    def __call__(self, items: dict[Any, Any]) -> Any:
        return self.kind(self.factory, items)


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except (TypeError, ValueError):  # a writable memoryview's is a ValueError
        return False
    return True


def _fields(value: Any) -> dict[str, Any]:
    """The fields of an object of a dataclass that are set, and what else it holds but for what reading it has cached."""
    named = {name: getattr(value, name) for name in value.__dataclass_fields__ if hasattr(value, name)}
    held = getattr(value, "__dict__", {}).items()
    return {**named, **{name: one for name, one in held if not isinstance(getattr(type(value), name, None), functools.cached_property)}}


def _taken_apart(value: Any, leaves: list[Any]) -> Any:
    """What nested tuples, lists, dicts, sets and dataclasses are besides their leaves, as a key; None for a leaf."""
    if type(value) is Given:  # whose hash would ask for its value
        leaves.append(value)
        return None
    if isinstance(value, dict):
        kind = _Defaulting(type(value), value.default_factory) if isinstance(value, collections.defaultdict) else type(value)
        return kind, tuple(value), tuple(_taken_apart(one, leaves) for one in value.values())
    if isinstance(value, (tuple, list, set)):
        return type(value), None, tuple(_taken_apart(one, leaves) for one in value)
    if isinstance(value, slice):  # no key by itself before Python 3.12
        return slice, None, tuple(_taken_apart(one, leaves) for one in (value.start, value.stop, value.step))
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        leaves.append(asarray(value))
        return _Numpys, None, ()
    if not isinstance(value, Array) and not _hashable(value):
        if hasattr(type(value), "__dataclass_fields__"):
            fields = _fields(value)
            return type(value), tuple(fields), tuple(_taken_apart(one, leaves) for one in fields.values())
        if followed(value):
            leaves.append(Same(value))
            return Same, None, ()
    leaves.append(value)
    return None


def _shown(value: Any) -> Any:
    """What nested containers hold: two of them are equal where the containers are the same of the same objects."""
    leaves: list[Any] = []
    return _taken_apart(value, leaves), [one if isinstance(one, Same) else Same(one) for one in leaves]


def _put_together(structure: Any, leaves: Any) -> Any:
    """The nested containers around the leaves that an iterator gives."""
    if structure is None:
        return next(leaves)
    kind, keys, parts = structure
    if kind is _Numpys:
        array = next(leaves)
        return _core.broadcast_to(array, array.shape)
    if kind is Same:
        return next(leaves).it
    made = [_put_together(part, leaves) for part in parts]
    if kind is slice:
        return slice(*made)
    if keys is not None and hasattr(kind, "__dataclass_fields__"):
        same: Any = object.__new__(kind)
        for key, one in zip(keys, made):
            object.__setattr__(same, key, one)  # also where it is frozen
        return same
    if keys is not None:
        same = dict(zip(keys, made))
        return same if kind is dict else kind(same)
    return kind._make(made) if hasattr(kind, "_make") else kind(made)


def _result(structure: Any, others: tuple[tuple[int, Any], ...], results: list[Array]) -> Any:
    """What the function gave, of its arrays; other values have these places among the leaves."""
    leaves: list[Any] = list(results)
    for place, value in others:
        leaves.insert(place, value)
    return _put_together(structure, iter(leaves))


def _let_others_look(held: list[Any]) -> None:
    """Waits a moment for threads that hold others' frames while they look at them, as profilers that take samples do."""
    for _ in range(20):
        if len(sys._current_frames()) == 1 or all(reference() is None for reference in held):
            return
        time.sleep(0.005)


def _refuse_kept(held: list[Any], read: list[tuple[Any, ...]], args: list[Any]) -> None:
    """Error where one of the arrays that are referred to outlives the recording, which has no value for it, or where an array that the
    function read from outside has been replaced, which calls would not do again. What was replaced is put back."""
    changed = []
    for holder, key, *was in read:
        if was and isinstance(was[0], Array) and isinstance(now := bound_now(holder, key), Array) and now is not was[0]:
            changed.append((holder, key, was[0], now))
    if held and not changed:
        gc.collect()  # closures that call themselves hold what they used
        _let_others_look(held)
    kept = (*(now for *_, now in changed), *(one for one in (reference() for reference in held) if one is not None))
    if not kept:
        return
    holders = [one[0] for one in read] + args
    place = next((place for one in kept if (place := place_of(one, holders))), "where it outlives the call")
    for holder, key, was, _ in changed:
        bind(holder, key, was)
    raise Error(f"compile: the function stores an array {place}, which calls of the recorded program would not do: let it return the array, "
                "and store it outside")


def _record(
    f: Callable[..., Any], args: list[Any], places: list[int], numbers: list[int], number_arrays: list[Array], look: Any = None,
    donated: Any = (), make: Any = None,
) -> tuple[Any, Any, Any, Any, dict[int, str]]:
    """f's program for such arguments, of which those at `places` are arrays and those at `numbers` are its numbers, what makes its result of
    the arrays, what else it read, which of the result's arrays are one value, and where numbers decided something. `look` is called with the
    arrays of the result while they are recorded. `donated`: places of arguments whose memory results may get. `make` makes the program: Compiled
    unless told."""
    decided = Decided()
    at_return = f"the return of {getattr(f, '__name__', type(f).__name__)}"
    kind: Any = None
    values: list[bool] = []

    def flat(arrays: list[Array]) -> list[Array]:
        nonlocal kind, values
        given = list(args)
        for place, array in zip(places, arrays):
            given[place] = array
        for place, array in zip(numbers if asks_for_types is None else (), arrays[len(places):]):
            given[place] = Given(args[place], array, frozenset((place,)), decided)
        outside = recording.set(object())
        try:
            start = _core.profile_time()
            result = f(*given)
            if start:
                _core.note_work("record", _name(f), start)
        finally:
            recording.reset(outside)
        if result is None:
            if look is not None:
                look(arrays)
            return []
        result = result.as_result(at_return) if type(result) is Given else result
        leaves: list[Any] = []
        structure = _taken_apart(result, leaves)
        leaves = [one.as_result(at_return) if type(one) is Given else one for one in leaves]
        others = tuple((i, one) for i, one in enumerate(leaves) if _as_it_is(one))
        results = [one for one in leaves if not _as_it_is(one)]
        for one in results:
            if isinstance(one, Picked):
                one.refuse("it as a result")
            if not isinstance(one, Array):
                raise TypeError("compile: takes functions that give arrays, numbers and text, alone or in tuples, lists and dicts of them: "
                                f"got {type(one).__name__}")
        values = [_core.is_value(one) for one in results]
        if look is not None:
            look([*results, *arrays])
        plain = not others and (structure is None or (structure[0] in (tuple, list) and not any(structure[2])))
        kind = type(result) if plain else functools.partial(_result, structure, others)
        return results

    read, filled, asks_for_types = guards(f, [one for i, one in enumerate(args) if i not in places])
    if asks_for_types is not None:  # type() cannot be told what a number stands for
        decided.update(dict.fromkeys(numbers, asks_for_types))
    held: list[Any] = []
    program = (make or _core.Compiled)([args[place] for place in places] + number_arrays, flat, held, [i for i, place in enumerate(places) if place in donated])
    decided.end()
    _refuse_kept([one for one in held if one() is not None], read, [one.it if isinstance(one, Same) else one for one in args])
    return program, kind, read + guards_of_filled(filled), values, decided


class _Recorder:
    """_record(), which notes what it was for."""

    def __init__(self, noted: Recordings, names: list[str] | None, donated: Any) -> None:
        self.noted, self.names, self.donated = noted, names, donated  # names: of leaves

    def __call__(self, f: Any, args: list[Any], places: list[int], numbers: list[int], number_arrays: list[Array], changed: Any = None) -> Any:
        """`changed`: the guards that hold no more of a recording for such arguments, None where there was none."""
        names = self.names or self.noted.names(len(args))
        why = "" if changed is None else changes.said(f, args, names, changed)
        recorded = _record(f, args, places, numbers, number_arrays, donated=self.donated)
        self.noted.note(args, names, numbers, recorded[4], why)
        return recorded


def _of_leaves(f: Callable[..., Any], structure: Any) -> Callable[..., Any]:
    """f as a function of the leaves of its arguments."""

    def unpacked(*leaves: Any) -> Any:
        each = iter(leaves)
        given = [_put_together(one, each) for one in structure]
        before = _shown(given)
        result = f(*given[0], **given[1])
        if _shown(given) != before:
            raise Error("compile: the function changed a list, dict, set or dataclass that it took, of which it has a copy: "
                        "let it return what it put there")
        return result

    unpacked.__wrapped__ = f  # type: ignore[attr-defined]
    unpacked.__name__ = getattr(f, "__name__", type(f).__name__)
    unpacked._weft_stands_for = f  # type: ignore[attr-defined]
    return unpacked


def _is_number(value: Any) -> bool:
    """Whether it is an argument of programs, as an array of rank 0."""
    return is_float64(value) or type(value) is float or type(value) is int and -(2**63) <= value < 2**63


def function_graph(f: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, list[int]]:
    """The function's graph for such arguments, to be compiled for other processes, and which of the arguments it takes: arrays first, then
    numbers. Error where a number's value decides something, or where it gives something else than arrays."""
    f = f.__wrapped__ if isinstance(f, _core.CompiledFunction) else f
    leaves = [asarray(one) if type(one).__module__ == "numpy" and hasattr(one, "__array__") and not is_float64(one) else one for one in args]
    places = [place for place, one in enumerate(leaves) if isinstance(one, Array)]
    numbers = [place for place, one in enumerate(leaves) if _is_number(one)]
    graph, kind, _, values, decided = _record(f, leaves, places, numbers, [asarray(leaves[place]) for place in numbers], make=_core.FunctionGraph)
    for place, line in decided.items():
        raise Error(f"export: the value of argument {place} decides something at {line}: bind it, as functools.partial does, and export the rest")
    if isinstance(kind, functools.partial) and kind.args[1]:
        raise Error("export: takes functions that give arrays: got a result that is none")
    if not values:
        raise Error("export: takes functions that give arrays: got None")
    return graph, places + numbers


def looked_at(f: Callable[..., Any], what: str, stage: str | None, args: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """explain() or show() of the function as it is recorded for these arguments; `stage` is the detail, or what is shown."""
    is_compiled = isinstance(f, _core.CompiledFunction)
    f = f.__wrapped__ if is_compiled else f
    leaves: list[Any] = []
    structure = (_taken_apart([*args], leaves), _taken_apart(keywords, leaves))
    places = [place for place, one in enumerate(leaves) if isinstance(one, Array)]
    numbers = [place for place, one in enumerate(leaves) if _is_number(one)]
    said: list[str] = []

    def look(arrays: list[Array]) -> None:
        told = explained(arrays, (stage or "all") if what == "explain" else "summary")
        if not is_compiled and not told.to_dict()["programs"]:
            said[:] = [""]  # what it does, it does on the way
        else:
            said[:] = [told if what == "explain" else _core.show(arrays, stage or "")]

    arrays = [asarray(leaves[place]) for place in numbers]
    with set_callers(True):
        try:
            _record(_of_leaves(f, structure), leaves, places, numbers, arrays, look)
            if said[0] or is_compiled:
                return said[0]
        except (Error, TypeError):
            if is_compiled:
                raise
        return _run_in_parts(f, what, stage, args, keywords)


def _run_in_parts(f: Callable[..., Any], what: str, stage: str | None, args: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """explain() or show() of a call that runs: each part that it computes, with what looked at its values."""

    def run() -> list[Array]:
        leaves: list[Any] = []
        _taken_apart(f(*args, **keywords), leaves)
        return [one for one in leaves if isinstance(one, Array)]

    return Explanation(*_core.explain_run(run, stage or "all")) if what == "explain" else _core.show_run(run, stage or "")


def _recordings(self: Any) -> int:
    """How often the function was recorded."""
    return len(self._noted.lines)


def _why(self: Any) -> str:
    """A line for each recording so far: the arguments that it is for, and which numbers decided something."""
    return self._noted.why()  # type: ignore[no-any-return]


def _explain(self: Any, *args: Any, detail: str | None = None, **keywords: Any) -> Any:
    """How the function is computed of such arguments: kernels, and for each edge why it was fused or not. `detail` is as wf.explain() takes it."""
    if detail is not None:
        return explain(self, *args, detail=detail, **keywords)
    return looked_at(self, "explain", None, args, keywords)


def _lower(self: Any, *args: Any, **keywords: Any) -> Lowered:
    """The function as it is recorded for such arguments: explain() and show(stage) of it."""
    return Lowered(lambda what, stage: looked_at(self, what, stage, args, keywords))


_core.CompiledFunction.recordings = property(_recordings)
_core.CompiledFunction.why = _why
_core.CompiledFunction.explain = _explain
_core.CompiledFunction.lower = _lower


def _leaf_names(structure: Any, name: str) -> list[str]:
    """How the leaves of what is called `name` are called."""
    if structure is None or structure[0] in (_Numpys, Same):
        return [name]
    kind, keys, parts = structure
    if kind is slice:
        steps = [f"{name}.{one}" for one in ("start", "stop", "step")]
    elif keys is not None:
        steps = [f"{name}.{key}" if hasattr(kind, "__dataclass_fields__") else f"{name}[{key!r}]" for key in keys]
    elif kind is set:
        steps = [f"an element of {name}"] * len(parts)
    else:
        steps = [f"{name}.{field}" for field in kind._fields] if hasattr(kind, "_fields") else [f"{name}[{i}]" for i in range(len(parts))]
    return [one for part, step in zip(parts, steps) for one in _leaf_names(part, step)]


def _names_of_arguments(structure: Any, noted: Recordings) -> list[str]:
    """How the function calls the leaves of its arguments, by place and by keyword."""
    (_, _, given), (_, keywords, named) = structure
    names = [*noted.names(len(given)), *keywords]
    return [one for part, name in zip((*given, *named), names) for one in _leaf_names(part, name)]


def _leaf_count(structure: Any) -> int:
    """How many leaves _taken_apart() found."""
    return 1 if structure is None or structure[0] in (_Numpys, Same) else sum(map(_leaf_count, structure[2]))


def _donated_leaves(structure: Any, donated: tuple[frozenset[int], frozenset[str]]) -> set[int]:
    """Which leaves of the arguments are donated, of those that are by their places and by their names."""
    of_places, of_names = donated
    _, names, named = structure[1]
    parts = [(i in of_places, part) for i, part in enumerate(structure[0][2])] + [(name in of_names, part) for name, part in zip(names, named)]
    leaves: set[int] = set()
    at = 0
    for is_donated, part in parts:
        count = _leaf_count(part)
        if is_donated:
            leaves.update(range(at, at + count))
        at += count
    return leaves


_takes_any = 0x04  # inspect.CO_VARARGS


def _donated(donate: Any, names: tuple[str, ...], positional: int, most: int) -> tuple[frozenset[int], frozenset[str]]:
    """The places and the names of the arguments that `donate` names by either; the function takes `most` by place."""
    places, named = set(), set()
    for one in donate if isinstance(donate, (tuple, list, set, frozenset)) else (donate,):
        if isinstance(one, str):
            if names and one not in names:
                raise ValueError(f"compile: donate names parameters of the function: got {one!r}, which is none of {', '.join(names)}")
            named.add(one)
            if one in names[:positional]:
                places.add(names.index(one))
        elif isinstance(one, int) and not isinstance(one, bool) and one >= 0:
            if one >= most:
                raise ValueError(f"compile: donate names places of the function's arguments, of which there are {most}: got {one}")
            places.add(one)
            named.update(names[one : one + 1])
        else:
            raise TypeError(f"compile: donate takes names of parameters and their places from 0 on: got {one!r}")
    return frozenset(places), frozenset(named)


def _general(f: Callable[..., Any], noted: Recordings, donated: tuple[frozenset[int], frozenset[str]]) -> Callable[..., Any]:
    """Calls of f with keywords, containers and NumPy's arrays: a compiled function of the leaves for each structure of them."""
    of_structure: dict[Any, Any] = {}

    def call(args: list[Any], keywords: dict[str, Any]) -> Any:
        leaves: list[Any] = []
        structure = (_taken_apart(args, leaves), _taken_apart(keywords, leaves))
        of_leaves = of_structure.get(structure)
        if of_leaves is None:
            of_leaves = of_structure[structure] = _core.CompiledFunction(
                _of_leaves(f, structure), _Recorder(noted, _names_of_arguments(structure, noted), _donated_leaves(structure, donated)), None)
        return of_leaves(*leaves)

    return call


def compile(f: Callable[..., Any] | None = None, *, donate: Any = ()) -> Callable[..., Any]:
    """The function, recorded once for each set of its arguments' dtypes, shapes and other values, and only run then.

    Floats and integers are arguments of what is recorded, unless their value decides something there: a shape, an axis, a branch.
    `recordings` counts, `why()` lists, `explain(*args)` and `lower(*args)` show what is recorded.

    Arrays, also NumPy's, which it cannot write to, and those in tuples, lists, dicts, sets and dataclasses are looked up by dtype, shape
    and device, and the function gets copies of these containers; everything else by value or, where it has no hash, by what it is. Where arrays, numbers or attributes that it uses besides its arguments have
    changed, it is recorded again. While it is recorded the function cannot look at its arguments' values: weft.Error. What it does besides computing
    with arrays happens once; an array that it stores where it outlives the call is an error.

    `donate` names arguments, by name or place, that the caller needs no more: results may get their memory, and looking at one afterwards
    is an error. Without a function it is a decorator: `@wf.compile(donate="u")`.
    """
    if f is None:
        return functools.partial(compile, donate=donate)
    if not callable(f):
        raise TypeError(f"compile: takes a function: got {type(f).__name__}")
    code = getattr(f, "__code__", None)
    bound = isinstance(f, types.MethodType)  # to its first parameter
    names = code.co_varnames[bound : code.co_argcount + code.co_kwonlyargcount] if code is not None else ()
    positional = code.co_argcount - bound if code is not None else 0
    noted = Recordings(_name(f), names[:positional])
    takes_any = code is None or code.co_flags & _takes_any
    donated = _donated(donate, names, positional, sys.maxsize if takes_any else positional)
    made: Callable[..., Any] = functools.update_wrapper(_core.CompiledFunction(f, _Recorder(noted, None, donated[0]), _general(f, noted, donated)), f)
    made._noted = noted  # type: ignore[attr-defined]
    return made
