"""grad() and its kin: functions of the derivatives of functions.

A function is called as it stands, and what it computes is remembered meanwhile. So it may look at bools and integers, decide by
them, write to its arrays in place and through views, and call compiled functions.
"""

from __future__ import annotations

import builtins
import functools

from weft import _core
from weft._core import Array
from weft._array.creation import eye, zeros_like
from weft._array.shaping import moveaxis, stack
from weft._base.asarray import asarray
from weft._base.recorded import described
from weft._derive.trees import flatten, flatten_like, paths_of

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def _places(op: str, argnums: Any, count: int) -> list[int]:
    """The positions among so many arguments that argnums names."""
    named = list(argnums) if isinstance(argnums, (tuple, list)) else [argnums]
    places = []
    for one in named:
        if not hasattr(one, "__index__"):
            raise TypeError(f"{op}: argnums is an integer or a sequence of them: got {argnums!r}")
        place = one.__index__() + (count if one.__index__() < 0 else 0)
        if not 0 <= place < count:
            raise ValueError(f"{op}: argnums names arguments given by position: got {argnums!r} for {count} of them")
        places.append(place)
    return places


def _evaluated(arrays: Sequence[Any]) -> None:
    """Computes them in one program, where they have values and nobody derives them further."""
    if not _core.records() and not _core.derives():
        _core.eval([one for one in arrays if isinstance(one, Array)])


class _Derived:
    """A call of a function, what it gave, and the trees that it was derived by."""

    def __init__(self, op: str, f: Callable[..., Any], args: Sequence[Any], places: Sequence[int], keywords: dict[str, Any], has_aux: bool = False):
        if not callable(f):
            raise TypeError(f"{op}: takes a function: got {type(f).__name__}")
        self.op, self.derivation, self.trees, given = op, _core.Derivation(), [], list(args)
        self.leaves: list[Array] = []
        try:
            for place in places:
                found, put_together = flatten(args[place])
                arrays = [self._leaf(one, args[place], place, i) for i, one in enumerate(found)]
                self.leaves += arrays
                self.trees.append((len(arrays), put_together))
                given[place] = put_together(arrays)
            result = f(*given, **keywords)
            self.aux = None
            if has_aux:
                if not isinstance(result, tuple) or len(result) != 2:
                    raise TypeError(f"{op}: with has_aux the function gives a pair of its result and what is passed on: got {type(result).__name__}")
                result, self.aux = result
            found, self.put_together = flatten(result)
            self.outputs = [asarray(one) for one in found]
            self.result = self.put_together(self.outputs)
            self.derivation.finish(self.outputs)
        except BaseException:
            self.derivation.abandon()
            raise

    def _leaf(self, value: Any, tree: Any, place: int, number: int) -> Array:
        try:
            return self.derivation.leaf(asarray(value))
        except TypeError as error:
            path = paths_of(tree, f"argument {place}")[number]
            raise error if value is tree else TypeError(f"{error}, or keep it out of what is derived by: it is {path}") from None

    def by_argument(self, flat: Sequence[Any]) -> list[Any]:
        """A tree for each argument that was derived by, of one leaf after another."""
        each = iter(flat)
        return [put_together([next(each) for _ in range(count)]) for count, put_together in self.trees]

    def cotangents(self, tree: Any) -> list[Any]:
        return [_like(one, of) for one, of in zip(flatten_like(self.op, tree, self.result), self.outputs)]

    def back(self, cotangents: list[Any]) -> list[Array]:
        return self.derivation.vjp(cotangents)

    def forward(self, tangents: list[Any]) -> list[Array]:
        """The outputs' tangents; zeros of floats for integers, which have none."""
        moved = self.derivation.jvp(tangents)
        return [zeros_like(of, dtype="float32") if one is None else one for one, of in zip(moved, self.outputs)]


def _like(tangent: Any, value: Array) -> Any:
    """A tangent in the dtype of its value; None for an integer's, which has none."""
    if value.dtype.kind not in "fcV" and value.dtype != "bfloat16":
        return None
    array = asarray(tangent)
    if array.dtype != value.dtype and not (array.dtype.kind == "c" and value.dtype.kind != "c"):
        array = _core.astype(array, value.dtype)
    return array


def _seed(derived: _Derived, holomorphic: bool) -> Array:
    """What the one output's derivative is by itself."""
    out = derived.outputs[0]
    if not holomorphic:
        return _core.gradient_seed(out)
    if out.dtype.kind != "c" or out.ndim or builtins.any(one.dtype.kind != "c" for one in derived.leaves):
        raise TypeError(f"grad: with holomorphic the function takes complex numbers and gives one: got {described(out)} of "
                        f"{', '.join(described(one) for one in derived.leaves)}")
    return _core.full((), 1, out.dtype, out.device)


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[..., Any]:
    """A function that gives f's value and its gradient: f gives one real number.

    argnums: the arguments to derive by, arrays or nested tuples, lists, dicts and dataclasses of them; the gradient has their structure,
    in a tuple where argnums is a sequence. has_aux: f gives a pair, of which the second is passed on: ((value, aux), gradient).
    holomorphic: f takes complex numbers and gives one, and its complex derivative is wanted."""

    @_wraps(f)
    def value_and_gradient(*args: Any, **keywords: Any) -> Any:
        places = _places("grad", argnums, len(args))
        derived = _Derived("grad", f, args, places, keywords, has_aux)
        if len(derived.outputs) != 1 or not isinstance(derived.result, Array):
            raise TypeError(f"grad: takes functions that give one number: got {type(derived.result).__name__}; has_aux passes others on")
        flat = derived.back([_seed(derived, holomorphic)])
        _evaluated([*derived.outputs, *flat])
        trees = derived.by_argument(flat)
        gradient = tuple(trees) if isinstance(argnums, (tuple, list)) else trees[0]
        return ((derived.result, derived.aux) if has_aux else derived.result), gradient

    return value_and_gradient


def grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[..., Any]:
    """A function that gives the gradient of f, which gives one real number; value_and_grad() says how."""
    both = value_and_grad(f, argnums, has_aux, holomorphic)

    @_wraps(f)
    def gradient(*args: Any, **keywords: Any) -> Any:
        value, found = both(*args, **keywords)
        return (found, value[1]) if has_aux else found

    return gradient


def _wraps(f: Any) -> Callable[[Any], Any]:
    return functools.wraps(f) if hasattr(f, "__name__") else lambda made: made


def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """f(*primals), and a function of cotangents of it that gives those of the arguments, in a tuple; aux is a third."""
    derived = _Derived("vjp", f, primals, range(len(primals)), {}, has_aux)

    def back(cotangents: Any) -> tuple[Any, ...]:
        flat = derived.back(derived.cotangents(cotangents))
        _evaluated(flat)
        return tuple(derived.by_argument(flat))

    return (derived.result, back, derived.aux) if has_aux else (derived.result, back)


def _tangents(derived: _Derived, primals: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
    given = [one for tangent, primal in zip(tangents, primals) for one in flatten_like(derived.op, tangent, primal)]
    return [_like(one, of) for one, of in zip(given, derived.leaves)]


def _pairs(op: str, primals: Any, tangents: Any) -> None:
    for one in (primals, tangents):
        if not isinstance(one, (tuple, list)):
            raise TypeError(f"{op}: takes the arguments in a tuple, and their tangents in another: got {type(one).__name__}")
    if len(primals) != len(tangents):
        raise ValueError(f"{op}: takes a tangent for each argument: got {len(tangents)} for {len(primals)}")


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False) -> Any:
    """f(*primals), and how it changes where the arguments change by the tangents; aux is a third."""
    _pairs("jvp", primals, tangents)
    derived = _Derived("jvp", f, primals, range(len(primals)), {}, has_aux)
    flat = derived.forward(_tangents(derived, primals, tangents))
    _evaluated([*derived.outputs, *flat])
    moved = derived.put_together(flat)
    return (derived.result, moved, derived.aux) if has_aux else (derived.result, moved)


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """f(*primals), and a function of tangents of the arguments that gives those of it, without calling f again."""
    derived = _Derived("linearize", f, primals, range(len(primals)), {})

    def forward(*tangents: Any) -> Any:
        _pairs("linearize", primals, tangents)
        flat = derived.forward(_tangents(derived, primals, tangents))
        _evaluated(flat)
        return derived.put_together(flat)

    return derived.result, forward


def _for_each_unit(derived: _Derived, x: Array, f: Callable[[Array], list[Array]], count: int) -> list[Array]:
    """What f gives, so many arrays, for each array like x that is one in one element and zero in all others; along a new first axis."""
    units = _core.reshape(eye(x.size, dtype=x.dtype, device=x.device), (x.size, *x.shape))
    if x.size and not derived.derivation.has_customs():
        made: list[Array] = _core.vmap(lambda unit: f(unit[0]), [units], [0])
        return made
    rows = [f(units[k]) for k in range(x.size)]  # what looks at values takes them one by one
    return [stack([row[i] for row in rows]) for i in range(count)] if rows else []


def _chosen(trees: list[Any], argnums: Any) -> Any:
    return tuple(trees) if isinstance(argnums, (tuple, list)) else trees[0]


def jacrev(f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the Jacobian of f, row by row back: of shape f(x).shape + x.shape, in f's tree of the arguments' trees."""

    @_wraps(f)
    def jacobian(*args: Any, **keywords: Any) -> Any:
        derived = _Derived("jacrev", f, args, _places("jacrev", argnums, len(args)), keywords, has_aux)
        blocks = []
        for k, output in enumerate(derived.outputs):
            alone: list[Any] = [None] * len(derived.outputs)

            def back(unit: Array, k: int = k, alone: list[Any] = alone) -> list[Array]:
                return derived.back([*alone[:k], unit, *alone[k + 1 :]])

            rows = _for_each_unit(derived, output, back, len(derived.leaves))
            shapes = [output.shape + leaf.shape for leaf in derived.leaves]
            blocks.append([_core.reshape(row, shape) for row, shape in zip(rows, shapes)] or [zeros_like(one, shape=s) for one, s in zip(derived.leaves, shapes)])
        _evaluated([one for flat in blocks for one in flat])
        result = derived.put_together(_chosen(derived.by_argument(flat), argnums) for flat in blocks)
        return (result, derived.aux) if has_aux else result

    return jacobian


def jacfwd(f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the Jacobian of f, column by column forward: of shape f(x).shape + x.shape, as jacrev() does."""

    @_wraps(f)
    def jacobian(*args: Any, **keywords: Any) -> Any:
        derived = _Derived("jacfwd", f, args, _places("jacfwd", argnums, len(args)), keywords, has_aux)
        blocks: list[list[Any]] = [[] for _ in derived.outputs]
        for k, leaf in enumerate(derived.leaves):
            alone: list[Any] = [None] * len(derived.leaves)

            def forward(unit: Array, k: int = k, alone: list[Any] = alone) -> list[Array]:
                return derived.forward([*alone[:k], unit, *alone[k + 1 :]])

            columns = _for_each_unit(derived, leaf, forward, len(derived.outputs))
            for i, output in enumerate(derived.outputs):
                shape = output.shape + leaf.shape
                blocks[i].append(_core.reshape(moveaxis(columns[i], 0, -1), shape) if columns else zeros_like(leaf, shape=shape))
        _evaluated([one for flat in blocks for one in flat])
        result = derived.put_together(_chosen(derived.by_argument(flat), argnums) for flat in blocks)
        return (result, derived.aux) if has_aux else result

    return jacobian


def hessian(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """A function that gives the second derivatives of f, of shape f(x).shape + x.shape + x.shape: the Jacobian, forward, of the one back."""
    return jacfwd(jacrev(f, argnums), argnums)


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]:
    """The Hessian of f, which gives one real number, at the arguments in a tuple, times their tangents: a tuple of products alike."""
    _pairs("hvp", primals, tangents)
    product: tuple[Any, ...] = jvp(grad(f, tuple(range(len(primals)))), primals, tangents)[1]
    return product


def stop_gradient(x: Any) -> Any:
    """The same values, which have no derivatives, as constants have none: an array, or a tree of them."""
    leaves, put_together = flatten(x)
    return put_together(_core.stop_gradient(one) if isinstance(one, Array) else one for one in leaves)
