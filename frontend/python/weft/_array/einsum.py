"""Sums of products over named axes: steps that are found once for each set of shapes, and taken by the arrays."""

from __future__ import annotations

import functools

from weft import _core
from weft._core import Array
from weft._array.diagonals import diagonal_view
from weft._array.shaping import converted
from weft._base.arguments import check_casting
from weft._base.asarray import asarray, heed
from weft._base.dtypes import can_cast, result_type
from weft._base.out import given_out, store

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable

    Shape = tuple[int, ...]
    Step = tuple[Callable[..., Array], tuple[int, ...], tuple[Any, ...]]  # of which values, numbered as they come, and what else


def _parse(subscripts: str, shapes: tuple[Shape, ...]) -> tuple[list[list[Any]], list[Any]]:
    """The labels of each operand and of the result; the axes of `...` are labelled by their place from the end."""
    text = subscripts.replace(" ", "")
    unknown = text.replace("...", "").replace("->", "").replace(",", "")
    if unknown and not (unknown.isalpha() and unknown.isascii()):
        raise ValueError(f"einsum: axes are named by letters, and others stand for by '...': got {subscripts!r}")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ValueError(f"einsum: takes as many operands as terms: got {len(shapes)} for {subscripts!r}")
    labels = []
    most = 0
    for term, shape in zip(terms, shapes):
        named = len(term.replace("...", ""))
        open_axes = len(shape) - named
        if ("..." in term and open_axes < 0) or ("..." not in term and open_axes != 0):
            raise ValueError(f"einsum: the term {term!r} does not name the axes of shape {shape}")
        most = max(most, open_axes)
        before, _, after = term.partition("...")
        labels.append([*before, *range(-open_axes, 0), *(after if "..." in term else "")])
    if arrow:
        before, dots, after = right.partition("...")
        result: list[Any] = [*before, *(range(-most, 0) if dots else ()), *after]
    else:
        counts = [label for term in labels for label in set(term) if isinstance(label, str)]
        every = [label for term in labels for label in term if isinstance(label, str)]
        result = [*range(-most, 0), *sorted(label for label in set(counts) if every.count(label) == 1)]
    known = {label for term in labels for label in term}
    if len(set(result)) != len(result) or any(label not in known for label in result):
        raise ValueError(f"einsum: the result's axes must be different and named by an operand: got {subscripts!r}")
    return labels, result


def _summed(x: Array, axes: Any) -> Array:
    """The sum in the array's own dtype."""
    total = _core.sum(x, axes, False)
    return total if total.dtype == x.dtype else _core.astype(total, x.dtype)


def _diagonal(x: Array, first: int, second: int) -> Array:
    return diagonal_view("einsum", x, 0, first, second)


class _Value:
    """An operand, or what a step makes: its number, its shape, and the labels of its axes."""

    def __init__(self, number: int, shape: Any, labels: list[Any]) -> None:
        self.number = number
        self.shape = tuple(shape)
        self.labels = labels


class _Plan:
    """The steps from operands of these shapes to the result."""

    def __init__(self, shapes: tuple[Shape, ...]) -> None:
        self.steps: list[Step] = []
        self.operands = len(shapes)

    def _step(self, f: Any, given: tuple[_Value, ...], arguments: tuple[Any, ...], shape: Any, labels: list[Any]) -> _Value:
        self.steps.append((f, tuple(one.number for one in given), arguments))
        return _Value(self.operands + len(self.steps) - 1, shape, labels)

    def without_repeats(self, x: _Value) -> _Value:
        """The diagonals that a label stands for which one operand has twice."""
        for label in list(x.labels):
            while x.labels.count(label) > 1:
                first = x.labels.index(label)
                second = x.labels.index(label, first + 1)
                if x.shape[first] != x.shape[second]:
                    raise ValueError(f"einsum: the extents of {label!r} differ: got {x.shape[first]} and {x.shape[second]}")
                others = [i for i in range(len(x.shape)) if i not in (first, second)]
                shape = [*(x.shape[i] for i in others), x.shape[first]]
                x = self._step(_diagonal, (x,), (first, second), shape, [*(x.labels[i] for i in others), label])
        return x

    def summed(self, x: _Value, gone: list[Any]) -> _Value:
        if not gone:
            return x
        left = [i for i, one in enumerate(x.labels) if one not in gone]
        axes = tuple(i for i, one in enumerate(x.labels) if one in gone)
        return self._step(_summed, (x,), (axes,), [x.shape[i] for i in left], [x.labels[i] for i in left])

    def ordered(self, x: _Value, labels: list[Any], always: bool = False) -> _Value:
        axes = [x.labels.index(label) for label in labels]
        if axes == list(range(len(axes))) and not always:
            return x
        return self._step(_core.permute_dims, (x,), (axes,), [x.shape[i] for i in axes], labels)

    def shaped(self, x: _Value, shape: list[int], labels: list[Any]) -> _Value:
        if x.shape == tuple(shape):
            return _Value(x.number, shape, labels)
        return self._step(_core.reshape, (x,), (shape,), shape, labels)

    def placed(self, x: _Value, order: list[Any]) -> _Value:
        """The value with its axes in this order, extent 1 where it has none."""
        x = self.ordered(x, [one for one in order if one in x.labels])
        extents = dict(zip(x.labels, x.shape))
        return self.shaped(x, [extents.get(one, 1) for one in order], order)

    def contracted(self, a: _Value, b: _Value, kept: set[Any]) -> _Value:
        """Two values as one batched matrix product, summed over what neither others nor the result need."""
        a = self.summed(a, [one for one in a.labels if one not in b.labels and one not in kept])
        b = self.summed(b, [one for one in b.labels if one not in a.labels and one not in kept])
        extent: dict[Any, int] = {}
        for x in (a, b):
            for label, n in zip(x.labels, x.shape):
                if extent.get(label, 1) != 1 and n not in (1, extent[label]):
                    raise ValueError(f"einsum: the extents of {label!r} differ: got {extent[label]} and {n}")
                if extent.get(label, 1) == 1:
                    extent[label] = n
        batch = [one for one in a.labels if one in b.labels and one in kept]
        summed = [one for one in a.labels if one in b.labels and one not in kept]
        rows = [one for one in a.labels if one not in b.labels]
        columns = [one for one in b.labels if one not in a.labels]
        if any(a.shape[a.labels.index(one)] != b.shape[b.labels.index(one)] for one in batch + summed) or not summed:
            # Broadcasting, or nothing to sum: a product of elements, which fuses.
            order = batch + rows + columns + summed
            product = self._step(
                _core.multiply, (self.placed(a, order), self.placed(b, order)), (), [extent[one] for one in order], order
            )
            return self.summed(product, summed)
        def matrix(x: _Value, first: list[Any], last: list[Any]) -> _Value:
            x = self.ordered(x, batch + first + last)
            # Without a batch, a product takes vectors as they are.
            parts = [one for one in (first, last) if one or batch]
            return self.shaped(x, [*(extent[one] for one in batch), *(_product(extent[one] for one in part) for part in parts)], [])

        left, right = matrix(a, rows, summed), matrix(b, summed, columns)
        product = self._step(_core.matmul, (left, right), (), [*left.shape[:-1], *([right.shape[-1]] if columns or batch else [])], [])
        order = batch + rows + columns
        return self.shaped(product, [extent[one] for one in order], order)


def _product(values: Any) -> int:
    result = 1
    for value in values:
        result *= value
    return result


@functools.lru_cache(maxsize=256)
def _planned(subscripts: str, shapes: tuple[Shape, ...]) -> list[Step]:
    labels, result = _parse(subscripts, shapes)
    plan = _Plan(shapes)
    values = [plan.without_repeats(_Value(i, shape, names)) for i, (shape, names) in enumerate(zip(shapes, labels))]
    a = values[0]
    for i, b in enumerate(values[1:], 1):
        kept = set(result).union(*(one.labels for one in values[i + 1 :]))
        a = plan.contracted(a, b, kept)
    a = plan.summed(a, [one for one in a.labels if one not in result])
    plan.ordered(a, result, always=not plan.steps)
    return plan.steps


def _spelled(axes: Any) -> str:
    """Axes named by numbers as a term of subscripts."""
    import string

    term = ""
    for one in axes:
        if one is not Ellipsis and not (hasattr(one, "__index__") and 0 <= one < 52):
            raise ValueError(f"einsum: axes are named by numbers below 52 and ...: got {one!r}")
        term += "..." if one is Ellipsis else (string.ascii_uppercase + string.ascii_lowercase)[one]
    return term


def _subscripts(given: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The subscripts as text, and the operands, of arrays that lists of numbers follow."""
    lists = given[1::2]
    if len(given) < 2 or not all(hasattr(one, "__iter__") and not isinstance(one, str) for one in lists):
        raise ValueError("einsum: takes the subscripts as text, or after each array a list of numbers for its axes")
    text = ",".join(map(_spelled, lists))
    return (text if len(given) % 2 == 0 else f"{text}->{_spelled(given[-1])}"), given[0 : len(given) - len(given) % 2 : 2]


def _check_options(optimize: Any, order: Any, casting: Any) -> None:
    if order != "K":
        heed("einsum", order, None)
    check_casting("einsum", casting)
    path = optimize[0] if isinstance(optimize, (list, tuple)) and optimize else optimize
    if not isinstance(path, bool) and path not in (None, "greedy", "optimal", "einsum_path"):
        raise TypeError(f"einsum: optimize is True, False, 'greedy', 'optimal' or a path: got {optimize!r}")


def einsum(
    *operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, order: str = "K", casting: str = "safe",
) -> Array:
    """Products summed over named axes: einsum('ij,jk->ik', a, b), or einsum(a, [0, 1], b, [1, 2], [0, 2]), is the matrix product."""
    if len(operands) == 3 and out is None and dtype is None and order == "K" and casting == "safe" and optimize is False:
        subscripts, a, b = operands
        if type(subscripts) is str and type(a) is Array and type(b) is Array and a.dtype is b.dtype and a.ndim and b.ndim:
            steps = _planned(subscripts, (a.shape, b.shape))
            if len(steps) == 1 and steps[0][1] == (0, 1):  # a product, or one of its elements
                return _core.as_value(steps[0][0](a, b, *steps[0][2]))
    subscripts, operands = (operands[0], operands[1:]) if operands and isinstance(operands[0], str) else _subscripts(operands)
    if order != "K" or casting != "safe" or optimize is not False:
        _check_options(optimize, order, casting)
    xs = [x if isinstance(x, Array) and x.ndim else asarray(x) for x in operands]
    if dtype is not None:
        xs = converted("einsum", xs, dtype, casting)
    elif len({one.dtype for one in (xs if out is None else [*xs, given_out(out)])}) > 1:
        # What is summed before it meets the others is so in their dtype, which holds what `out` does, too.
        common = result_type(*xs)
        if out is not None and can_cast(common, given_out(out).dtype, "safe"):
            common = given_out(out).dtype
        xs = converted("einsum", xs, common, "unsafe")
    values = list(xs)
    for f, given, arguments in _planned(subscripts, tuple([x.shape for x in xs])):
        values.append(f(*[values[i] for i in given], *arguments))
    answer = values[-1]
    # One operand of which nothing is summed is a view, as NumPy has it.
    answer = answer if answer.ndim and _core.shares_cell(answer, xs[0]) else _core.as_value(answer)
    if out is not None and casting == "unsafe":
        answer = _core.astype(answer, given_out(out).dtype)
    return answer if out is None else store(answer, out)
