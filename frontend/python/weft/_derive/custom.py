"""Functions whose derivatives their authors say: custom_vjp and custom_jvp; and checkpoint, which computes again what a gradient needs."""

from __future__ import annotations

import functools
import threading

from weft import _core
from weft._core import Array, Error
from weft._array.creation import zeros_like
from weft._base.asarray import asarray
from weft._derive.trees import flatten, flatten_like

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def _has_tangents(x: Array) -> bool:
    return x.dtype.kind in "fc" or x.dtype == "bfloat16"


class _Call:
    """The arguments of a call, of which those that can have tangents are its inputs."""

    def __init__(self, args: Sequence[Any]):
        leaves, self.put_together = flatten(list(args))
        self.args = args
        self.leaves = [asarray(one) if _numeric(one) else one for one in leaves]
        self.places = [i for i, one in enumerate(self.leaves) if isinstance(one, Array) and _has_tangents(one)]
        self.inputs = [self.leaves[place] for place in self.places]

    def with_inputs(self, inputs: Sequence[Any]) -> list[Any]:
        leaves = list(self.leaves)
        for place, one in zip(self.places, inputs):
            leaves[place] = one
        made: list[Any] = self.put_together(leaves)
        return made

    def with_copies(self) -> list[Any]:
        """The arguments, of which arrays that are inputs are copies: one value where a view is read again and again, and whatever is written to them
        stays inside."""
        raw, _ = flatten(list(self.args))
        for number, place in enumerate(self.places):
            if isinstance(raw[place], Array):
                self.inputs[number] = self.leaves[place] = raw[place].copy()
                raw[place] = self.leaves[place].copy()
        made: list[Any] = self.put_together(raw)
        return made

    def tangents(self, given: Sequence[Any]) -> tuple[Any, ...]:
        """Those of all arguments, in their trees: zeros where none is given, None where there can be none."""
        found: list[Any] = [None] * len(self.leaves)
        for place, one, value in zip(self.places, given, self.inputs):
            found[place] = zeros_like(value) if one is None else one
        return tuple(self.put_together(found))


def _numeric(x: Any) -> bool:
    return isinstance(x, (Array, float, complex)) or hasattr(x, "__array__") or hasattr(x, "__array_interface__")


def _with_derivative(name: str, result: Any, call: _Call, back: Any, forward: Any) -> Any:
    """The function's result with these derivatives by its inputs. `back` takes the cotangents of the outputs that can have them, as a list
    and as the result's tree, and gives a list; `forward` takes a list of tangents and gives the result's tree of them."""
    leaves, put_together = flatten(result)
    places = [i for i, one in enumerate(leaves) if isinstance(one, Array) and _has_tangents(one)]
    outputs = [leaves[place] for place in places]

    if _core.derived_besides(outputs, call.inputs):
        raise Error(f"{name}: uses an array of outside, besides its arguments, that derivatives are wanted of, and says none by it: give it as "
                    "an argument, or use its stop_gradient()")

    def all_cotangents(given: list[Any]) -> Any:
        found: list[Any] = [None] * len(leaves)
        for place, one in zip(places, given):
            found[place] = one
        return put_together(found)

    def those(moved: Any) -> list[Any]:
        found = flatten_like(name, moved, result)
        return [found[place] for place in places]

    derived = _core.with_derivative(
        outputs,
        call.inputs,
        name,
        back and (lambda given: back(given, all_cotangents(given))),
        forward and (lambda given: those(forward(given))),
    )
    for place, one in zip(places, derived):
        leaves[place] = one
    return put_together(leaves)


def _named(f: Any) -> str:
    return getattr(f, "__name__", type(f).__name__)


_forwards = threading.local()  # whose forward functions a thread runs


class custom_vjp:
    """A function with a derivative of its own, back: as a decorator, then f.defvjp(forward, back).

    forward(*args) gives the result and whatever back needs; back(that, cotangents of the result) gives a tuple of one cotangent for
    each argument, None for zeros. nondiff_argnums: arguments that are no arrays; back gets them first, and gives none for them."""

    def __init__(self, f: Callable[..., Any], nondiff_argnums: Sequence[int] = ()):
        functools.update_wrapper(self, f)
        self._f, self._places = f, tuple(nondiff_argnums)
        self._forward: Any = None
        self._back: Any = None

    def defvjp(self, forward: Callable[..., Any], back: Callable[..., Any]) -> None:
        self._forward, self._back = forward, back

    def __call__(self, *args: Any) -> Any:
        name = _named(self._f)
        if self._back is None:
            raise Error(f"custom_vjp: {name} has no derivative yet: call its defvjp(forward, back)")
        forwards = _forwards.__dict__.setdefault("running", [])
        if not _core.derives() or self in forwards:  # forward(x) may return f(x) with what it keeps
            return self._f(*args)
        fixed = [args[place] for place in self._places]
        chosen = [place for place in range(len(args)) if place not in self._places]
        call = _Call([args[place] for place in chosen])
        given = list(args)
        for place, one in zip(chosen, call.with_copies()):
            given[place] = one
        forwards.append(self)
        try:
            result, needed = self._forward(*given)
        finally:
            forwards.pop()

        def back(_: list[Any], cotangents: Any) -> list[Any]:
            found = self._back(*fixed, needed, cotangents)
            if not isinstance(found, (tuple, list)) or len(found) != len(chosen):
                raise Error(f"{name}: its derivative gives a tuple of one cotangent for each of {len(chosen)} arguments: got {type(found).__name__}"
                            + (f" of {len(found)}" if isinstance(found, (tuple, list)) else ""))
            leaves: list[Any] = []
            for one, of in zip(found, call.args):
                count = len(flatten(of)[0])
                leaves += [None] * count if one is None else flatten_like(name, one, of)
            return [None if one is None else _cotangent(one, of) for one, of in ((leaves[place], call.leaves[place]) for place in call.places)]

        return _with_derivative(name, result, call, back, None)


def _cotangent(one: Any, of: Array) -> Array:
    array = asarray(one)
    return array if array.dtype == of.dtype else _core.astype(array, of.dtype)


class custom_jvp:
    """A function with a derivative of its own, forward: as a decorator, then f.defjvp(rule).

    rule(arguments, tangents) takes two tuples, and gives the result and its tangent. It is linear in the tangents, so that it is turned
    round for derivatives back."""

    def __init__(self, f: Callable[..., Any]):
        functools.update_wrapper(self, f)
        self._f = f
        self._rule: Any = None

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        self._rule = rule
        return rule

    def __call__(self, *args: Any) -> Any:
        name = _named(self._f)
        if self._rule is None:
            raise Error(f"custom_jvp: {name} has no derivative yet: call its defjvp(rule)")
        if not _core.derives():
            return self._f(*args)
        call = _Call(args)
        at, given = call.with_copies(), call.with_copies()
        result = self._f(*given)

        def forward(tangents: list[Any]) -> Any:
            return self._rule(tuple(at), call.tangents(tangents))[1]

        def back(cotangents: list[Any], _: Any) -> list[Any]:
            derivation = _core.Derivation()
            try:
                moved = flatten_like(name, forward([derivation.leaf(zeros_like(one)) for one in call.inputs]), result)
                of_floats = [one for one, value in zip(moved, flatten(result)[0]) if isinstance(value, Array) and _has_tangents(value)]
                derivation.finish([asarray(one) for one in of_floats])
            except BaseException:
                derivation.abandon()
                raise
            return list(derivation.vjp(cotangents))

        return _with_derivative(name, result, call, back, forward)


def _on_copies(f: Callable[..., Any], args: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """f's result; what it writes to its arguments stays inside."""
    leaves, put_together = flatten([list(args), keywords])
    given, named = put_together(one.copy() if isinstance(one, Array) else one for one in leaves)
    return f(*given, **named)


def _in_one_turn(f: Callable[..., Any], args: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """f's result by a scan of one turn, whose derivative computes the turn again."""
    leaves, put_together = flatten([list(args), keywords])
    places = [i for i, one in enumerate(leaves) if isinstance(one, Array)]
    found: list[Any] = []
    put: Any = None

    def body(_: list[Array], sliced: list[Array]) -> tuple[list[Array], list[Array]]:
        nonlocal found, put
        for place, one in zip(places, sliced):
            leaves[place] = one
        given, named = put_together(leaves)
        found, put = flatten(f(*given, **named))
        return [], [one for one in found if isinstance(one, Array)]

    stacked = iter(_core.scan(body, [], [leaves[place][None] for place in places], 1, False)[1])
    return put(next(stacked)[0] if isinstance(one, Array) else one for one in found)


def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function, of which nothing but its arguments and results is kept for a derivative: it is called again for that.

    Arrays that derivatives are wanted of are arguments of it. It gets copies of its arguments, so that what it writes to them stays inside.
    In a function that is being compiled it is recorded as the body of a loop of one turn: equal ones are compiled once."""

    @functools.wraps(f)
    def computed_again(*args: Any, **keywords: Any) -> Any:
        if not _core.derives():
            return _on_copies(f, args, keywords)
        if _core.records():
            return _in_one_turn(f, args, keywords)
        name = _named(f)
        call = _Call([list(args), keywords])

        def on(inputs: Sequence[Any]) -> Any:
            given, named = call.with_inputs(inputs)
            return f(*given, **named)

        result = on([_core.stop_gradient(one) for one in call.inputs])
        leaves, put_together = flatten(result)
        if any(isinstance(one, Array) and _core.is_derived(one) for one in leaves):
            raise Error(f"checkpoint: {name} uses an array of outside that derivatives are wanted of: give it as an argument")
        _core.eval([one for one in leaves if isinstance(one, Array)])
        result = put_together(_core.forgotten(one) if isinstance(one, Array) else one for one in leaves)

        def again() -> Any:
            derivation = _core.Derivation()
            try:
                outputs = [one for one in flatten(on([derivation.leaf(one) for one in call.inputs]))[0] if isinstance(one, Array) and _has_tangents(one)]
                derivation.finish(outputs)
            except BaseException:
                derivation.abandon()
                raise
            return derivation

        def back(cotangents: list[Any], _: Any) -> list[Any]:
            at_once = not _core.derives()
            if at_once:  # so that all turns of a loop are one program, wherever their cotangents come from
                _core.eval([one for one in cotangents if one is not None])
            found = list(again().vjp(cotangents))
            if at_once:
                _core.eval(found)  # before what comes earlier is computed again
            return found

        def forward(tangents: list[Any]) -> Any:
            moved = iter(again().jvp(tangents))
            return put_together(next(moved) if isinstance(one, Array) and _has_tangents(one) else 0 for one in leaves)

        return _with_derivative(name, result, call, back, forward)

    return computed_again
