"""scan(), while_loop(), fori_loop(), cond() and switch(): loops that are recorded once, and run for every turn."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._base.asarray import asarray
from weft._base.given import known
from weft._base.recorded import recording
from weft._derive.trees import flatten, paths_of

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any


def _typed(x: Array) -> str:
    return f"{x.dtype}{tuple(x.shape)}"


_numbers = (bool, int, float, complex)


def _beside(leaves: Sequence[Any], others: Iterable[Any] = ()) -> list[Array]:
    """The leaves as arrays. Numbers of Python's lie where the first array among them and the others does."""
    device = next((one.device for one in (*leaves, *others) if isinstance(one, Array)), None)
    return [asarray(one, device=device if type(one) in _numbers else None) for one in leaves]


class _Again(Exception):
    """The body gives other dtypes for numbers of Python's that are carried."""


class _Carry:
    """What is carried from turn to turn: a tree whose leaves keep their dtypes and shapes."""

    def __init__(self, op: str, init: Any, others: Iterable[Any] = ()):
        self.op, self.tree = op, init
        leaves, self.put_together = flatten(init)
        leaves = [known(one) for one in leaves]
        self.leaves = _beside(leaves, others)
        self.is_number = [type(one) in _numbers for one in leaves]
        self.paths = paths_of(init, "carry")

    def taken_apart(self, tree: Any) -> list[Array]:
        """The leaves of what a body gives. TypeError, naming the leaf, where the body changes their types."""
        found = [known(one) for one in flatten(tree)[0]]
        paths = paths_of(tree, "carry")
        if paths != self.paths:
            missing = [one for one in self.paths if one not in paths]
            added = [one for one in paths if one not in self.paths]
            raise TypeError(f"{self.op}: the body gives a tree like that which it carries: got {', '.join(paths) or 'no array'} for "
                            f"{', '.join(self.paths) or 'no array'}" + (f": lacks {missing[0]}" if missing else f": has {added[0]} besides" if added else ""))
        arrays = _beside(found, self.leaves)
        retyped = False
        for i, (path, is_number, was, now) in enumerate(zip(self.paths, self.is_number, list(self.leaves), arrays)):
            if now.dtype != was.dtype and now.shape == was.shape and is_number:
                if type(found[i]) in _numbers:
                    arrays[i] = _core.astype(now, was.dtype)
                else:
                    self.leaves[i], self.is_number[i], retyped = _core.astype(was, now.dtype), False, True
            elif now.dtype != was.dtype or now.shape != was.shape:
                raise TypeError(f"{self.op}: what is carried keeps its dtype and its shape: {path} is {_typed(was)}: got {_typed(now)}")
        if retyped:
            raise _Again
        return arrays

    def until_typed(self, run: Callable[[], Any]) -> Any:
        """run(), once more for numbers of Python's that take the dtypes which the body gives."""
        while True:
            try:
                return run()
            except _Again:
                continue


def _called(f: Callable[..., Any], *args: Any) -> Any:
    outside = recording.set(object())
    try:
        return f(*args)
    finally:
        recording.reset(outside)


def _refuse_no_function(op: str, *functions: Any) -> None:
    for one in functions:
        if not callable(one):
            raise TypeError(f"{op}: takes functions: got {type(one).__name__}")


def _integer(op: str, name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{op}: {name} is an integer: got {type(value).__name__}")
    number: int = value.__index__()
    return number


def scan(f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any = None, length: int | None = None, reverse: bool = False) -> tuple[Any, Any]:
    """(carry, y) = f(carry, x) for each slice x of xs along its first axis: the last carry, and all y along a new first axis.

    f is called once, with arrays that have no values, and compiled. init, xs and y are arrays or trees of them; the carry keeps its dtypes
    and shapes. length: how many turns, needed where xs is None. reverse: from the last slice to the first."""
    _refuse_no_function("scan", f)
    leaves, put_together = flatten(xs)
    slices = [asarray(one) for one in leaves]
    carry = _Carry("scan", init, slices)
    for path, one in zip(paths_of(xs, "xs"), slices):
        if not one.ndim:
            raise ValueError(f"scan: what is scanned has a first axis: {path} is a number")
        if one.shape[0] != (slices[0].shape[0] if length is None else length):
            raise ValueError(f"scan: what is scanned has one extent along its first axis{', the length' if length is not None else ''}: "
                             f"{path} has {one.shape[0]}: got {slices[0].shape[0] if length is None else length} besides")
    turns = None if length is None else _integer("scan", "length", length)
    if turns is not None and turns < 0:
        raise ValueError(f"scan: length is not negative: got {turns}")
    if turns is None and not slices:
        raise ValueError("scan: takes something to scan, or a length: got neither")
    put: Any = None

    def body(carried: list[Array], sliced: list[Array]) -> tuple[list[Array], list[Array]]:
        nonlocal put
        result = _called(f, carry.put_together(carried), put_together(sliced))
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(f"scan: the body gives a pair of what is carried and what is stacked: got {type(result).__name__}")
        made = carry.taken_apart(result[0])
        stacked, put = flatten(result[1])
        return made, _beside(stacked, made)

    last, stacked = carry.until_typed(lambda: _core.scan(body, carry.leaves, slices, turns, bool(reverse)))
    return carry.put_together(last), put(stacked)


def while_loop(cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any) -> Any:
    """value = body_fun(value), from init_val on, for as long as cond_fun(value) is true: the last value.

    Both functions are called once, with arrays that have no values, and compiled. The value is an array or a tree of them, and keeps its
    dtypes and shapes; the condition gives one bool. It has derivatives forward alone: fori_loop() and scan() have them back, too."""
    _refuse_no_function("while_loop", cond_fun, body_fun)
    carry = _Carry("while_loop", init_val)

    def condition(carried: list[Array]) -> Array:
        return asarray(_called(cond_fun, carry.put_together(carried)))

    def body(carried: list[Array]) -> list[Array]:
        return carry.taken_apart(_called(body_fun, carry.put_together(carried)))

    return carry.put_together(carry.until_typed(lambda: _core.while_loop(condition, body, carry.leaves)))


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Any:
    """value = body_fun(i, value), from init_val on, for each i from lower up to, and without, upper: the last value.

    body_fun is called once, with arrays that have no values, and compiled. The value is an array or a tree of them, and keeps its dtypes and
    shapes. Bounds that are arrays make it a while_loop(), without derivatives back."""
    _refuse_no_function("fori_loop", body_fun)
    carry = _Carry("fori_loop", init_val)
    bounds = [lower, upper]
    if any(isinstance(one, Array) for one in bounds):
        device = next(one.device for one in bounds if isinstance(one, Array))
        bounds = [one if isinstance(one, Array) else asarray(one, device=device) for one in bounds]
    else:
        bounds = [_integer("fori_loop", name, one) for name, one in zip(("lower", "upper"), bounds)]

    def body(i: Array, carried: list[Array]) -> list[Array]:
        return carry.taken_apart(_called(body_fun, i, carry.put_together(carried)))

    return carry.put_together(carry.until_typed(lambda: _core.fori_loop(*bounds, body, carry.leaves)))


class _Branches:
    """Functions of the same operands that give trees of the same types."""

    def __init__(self, op: str, functions: Sequence[Any], operands: Iterable[Any]):
        _refuse_no_function(op, *functions)
        self.op = op
        leaves, self.given = flatten(list(operands))
        self.operands = _beside(leaves)
        self.functions = [self._of_leaves(f, number) for number, f in enumerate(functions)]
        self.put: Any = None
        self.first: Any = None

    def _of_leaves(self, f: Callable[..., Any], number: int) -> Callable[[list[Array]], list[Array]]:
        def branch(leaves: list[Array]) -> list[Array]:
            result = _called(f, *self.given(leaves))
            found, put = flatten(result)
            arrays, paths = _beside(found, self.operands), paths_of(result, "result")
            if self.first is None:
                self.first, self.put = (paths, arrays), put
            elif paths != self.first[0]:
                raise TypeError(f"{self.op}: all branches give trees of one structure: got {', '.join(paths) or 'no array'} and {', '.join(self.first[0]) or 'no array'}")
            for path, one, other in zip(paths, arrays, self.first[1]):
                if one.dtype != other.dtype or one.shape != other.shape:
                    raise TypeError(f"{self.op}: all branches give results of one dtype and shape: {path}: got {_typed(one)} and {_typed(other)}")
            return arrays

        return branch


def cond(pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any) -> Any:
    """true_fun(*operands) where pred, one bool or number, is true, else false_fun(*operands): only one of them runs.

    Both are called once, with arrays that have no values, and give arrays, or trees of them, of the same dtypes and shapes."""
    branches = _Branches("cond", [true_fun, false_fun], operands)
    predicate = asarray(pred)
    if predicate.ndim:
        raise TypeError(f"cond: the predicate is one bool: got {_typed(predicate)}; where() chooses element by element")
    results = _core.cond(predicate, branches.functions[0], branches.functions[1], branches.operands)
    return branches.put(results)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """What the branch of that number gives of the operands; only that one runs. The index, one integer, is clamped to the branches there are.

    All are called once, with arrays that have no values, and give arrays, or trees of them, of the same dtypes and shapes."""
    if not isinstance(branches, (tuple, list)) or not branches:
        raise ValueError(f"switch: takes a sequence of one branch at least: got {type(branches).__name__}")
    number = asarray(index)
    if number.ndim or number.dtype.kind not in "iu":
        raise TypeError(f"switch: the index is one integer: got {_typed(number)}")
    all_of = _Branches("switch", branches, operands)
    results = _core.switch(number, all_of.functions, all_of.operands)
    return all_of.put(results)
