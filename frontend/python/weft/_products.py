"""Products of matrices, vectors and more axes."""

from __future__ import annotations


from weft import _core
from weft._core import Array
from weft._creation import asarray, heed
from weft._elementwise import Composed, given_out, store
from weft._shaping import converted, expand_dims, moveaxis

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

__all__ = ["dot", "einsum", "inner", "kron", "matmul", "matvec", "outer", "tensordot", "trace", "vdot", "vecdot", "vecmat"]


def _by_axes(op: Any, cores: tuple[int, int, int], x1: Any, x2: Any, out: Any, axes: Any, rules: dict[str, Any]) -> Array:
    """op of operands whose last axes, so many of each and of the result, it takes: or those that `axes` names."""
    if axes is not None:
        named = [(one,) if hasattr(one, "__index__") else tuple(one) for one in axes]
        if op is _matmul:  # one axis alone is a row or a column, of which the result has none
            vectors = [asarray(x).ndim == 1 for x in (x1, x2)]
            cores = (2 - vectors[0], 2 - vectors[1], 2 - sum(vectors))
        named += [()] * (not cores[2] and len(named) == 2)
        if tuple(len(one) for one in named) != cores:
            raise ValueError(f"{op.__name__}: axes name {cores[0]}, {cores[1]} and {cores[2]} axes of operands and result: got {axes}")
        x1, x2 = (moveaxis(x, one, tuple(range(-len(one), 0))) for x, one in zip((x1, x2), named))
        result = op(x1, x2, **rules)
        return store(moveaxis(result, tuple(range(-cores[2], 0)), named[2]) if cores[2] else result, out)
    return op(x1, x2, out=out, **rules)


def _given(op: str, axis: Any, **rules: Any) -> dict[str, Any]:
    if axis is not None:
        raise TypeError(f"{op}: axis is for functions that share one axis alone: name them all with axes")
    return rules


def matmul(
    x1: Any, x2: Any, /, out: Any = None, *, casting: str = "same_kind", order: str = "K", dtype: Any = None, subok: bool = True,
    axes: Any = None, axis: Any = None, signature: Any = None,
) -> Array:
    """The last two axes multiplied as matrices, the others broadcast; one axis alone is a row or a column."""
    if axes is None and axis is None and dtype is None and signature is None and casting == "same_kind" and order == "K":
        return store(_core.matmul(asarray(x1), asarray(x2)), out)
    rules = _given("matmul", axis, casting=casting, order=order, dtype=dtype, subok=subok, signature=signature)
    return _by_axes(_matmul, (2, 2, 2), x1, x2, out, axes, rules)


def dot(a: Any, b: Any, out: Any = None) -> Array:
    """NumPy's dot: matmul up to two axes, beyond the sum over a's last and b's last but one. Python's numbers are of 64 bits here."""
    x, y = (asarray(one, device=getattr(other, "device", None)) if type(one) in (int, float, complex) else one for one, other in ((a, b), (b, a)))
    return store(_core.dot(x, y), out, same_dtype=True)


def outer(a: Any, b: Any, out: Any = None) -> Array:
    """Every product of an element of a with one of b, both flat."""
    return store(_core.outer(asarray(a), asarray(b)), out)


def vecdot(
    x1: Any, x2: Any, /, out: Any = None, *, axis: int = -1, axes: Any = None, keepdims: bool = False, casting: str = "same_kind",
    order: str = "K", dtype: Any = None, subok: bool = True, signature: Any = None,
) -> Array:
    """sum(conj(x1) * x2) along an axis."""
    rules = _given("vecdot", None, casting=casting, order=order, dtype=dtype, subok=subok, signature=signature)
    if axes is not None:
        if axis != -1 or keepdims:
            raise TypeError("vecdot: takes axes, or axis and keepdims: got both")
        return _by_axes(_vecdot, (1, 1, 0), x1, x2, out, axes, rules)
    a, b = asarray(x1), asarray(x2)
    if axis >= 0 and a.ndim and b.ndim:
        if a.ndim != b.ndim or axis >= a.ndim:
            raise ValueError(f"vecdot: an axis counts from the end, below 0: got {axis}")
        axis -= a.ndim
    if axis != -1:
        a, b = moveaxis(a, axis, -1), moveaxis(b, axis, -1)
    if not keepdims:
        return _vecdot(a, b, out=out, **rules)
    return store(expand_dims(_vecdot(a, b, **rules), axis), out)


def vdot(a: Any, b: Any) -> Array:
    """sum(conj(a) * b) of the flat arrays."""
    return _core.vecdot(_core.reshape(asarray(a), (-1,)), _core.reshape(asarray(b), (-1,)), -1)


def inner(a: Any, b: Any) -> Array:
    """Products summed over the last axis of both."""
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return _core.multiply(a, b)
    return _core.tensordot(a, b, (a.ndim - 1,), (b.ndim - 1,))


def matvec(
    x1: Any, x2: Any, /, out: Any = None, *, casting: str = "same_kind", order: str = "K", dtype: Any = None, subok: bool = True,
    axes: Any = None, axis: Any = None, signature: Any = None,
) -> Array:
    """Matrices by vectors, the other axes broadcast."""
    rules = _given("matvec", axis, casting=casting, order=order, dtype=dtype, subok=subok, signature=signature)
    return _by_axes(_matvec, (2, 1, 1), x1, x2, out, axes, rules)


def vecmat(
    x1: Any, x2: Any, /, out: Any = None, *, casting: str = "same_kind", order: str = "K", dtype: Any = None, subok: bool = True,
    axes: Any = None, axis: Any = None, signature: Any = None,
) -> Array:
    """Conjugated vectors by matrices, the other axes broadcast."""
    rules = _given("vecmat", axis, casting=casting, order=order, dtype=dtype, subok=subok, signature=signature)
    return _by_axes(_vecmat, (1, 2, 1), x1, x2, out, axes, rules)


def _composed(name: str, f: Any) -> Composed:
    f.__name__ = name
    return Composed(f, 2)


def _matrices(op: str, x: Any) -> Array:
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"{op}: takes matrices: got shape {x.shape}")
    return x


def _conjugated(x: Array) -> Array:
    return _core.conj(x) if x.dtype.kind == "c" else x


_matmul = _composed("matmul", lambda a, b: _core.matmul(asarray(a), asarray(b)))
_vecdot = _composed("vecdot", lambda a, b: _core.vecdot(asarray(a), asarray(b), -1))
_matvec = _composed("matvec", lambda a, b: _core.matmul(_matrices("matvec", a), asarray(b)[..., None])[..., 0])
_vecmat = _composed(
    "vecmat", lambda a, b: _core.matmul(_conjugated(asarray(a))[..., None, :], _matrices("vecmat", b))[..., 0, :]
)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Array:
    """Products summed over pairs of axes; a number: x1's last ones with x2's first ones."""
    a, b = asarray(a), asarray(b)
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ValueError(f"tensordot: cannot sum over {axes} axes: got {a.shape} and {b.shape}")
        left: Any = tuple(range(a.ndim - axes, a.ndim))
        right: Any = tuple(range(axes))
    else:
        left, right = axes
    return _core.as_array(_core.tensordot(a, b, left, right))


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Array:
    """The sum along a diagonal of two axes."""
    from weft._diagonals import diagonal
    from weft._reductions import sum

    return sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


def kron(a: Any, b: Any) -> Array:
    """The Kronecker product."""
    a, b = asarray(a), asarray(b)
    ndim = max(a.ndim, b.ndim)
    a = _core.reshape(a, (1,) * (ndim - a.ndim) + a.shape)
    b = _core.reshape(b, (1,) * (ndim - b.ndim) + b.shape)
    shape = tuple(m * n for m, n in zip(a.shape, b.shape))
    spread = [extent for pair in zip(a.shape, (1,) * ndim) for extent in pair]
    inner_shape = [extent for pair in zip((1,) * ndim, b.shape) for extent in pair]
    return _core.reshape(_core.multiply(_core.reshape(a, spread), _core.reshape(b, inner_shape)), shape)


def _parse(subscripts: str, operands: list[Array]) -> tuple[list[list[Any]], list[Any]]:
    """The labels of each operand and of the result; the axes of `...` are labelled by their place from the end."""
    text = subscripts.replace(" ", "")
    unknown = text.replace("...", "").replace("->", "").replace(",", "")
    if unknown and not (unknown.isalpha() and unknown.isascii()):
        raise ValueError(f"einsum: axes are named by letters, and others stand for by '...': got {subscripts!r}")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ValueError(f"einsum: takes as many operands as terms: got {len(operands)} for {subscripts!r}")
    labels = []
    most = 0
    for term, operand in zip(terms, operands):
        named = len(term.replace("...", ""))
        open_axes = operand.ndim - named
        if ("..." in term and open_axes < 0) or ("..." not in term and open_axes != 0):
            raise ValueError(f"einsum: the term {term!r} does not name the axes of shape {operand.shape}")
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


def _without_repeats(x: Array, labels: list[Any]) -> tuple[Array, list[Any]]:
    """The diagonals that a label stands for which one operand has twice."""
    from weft._diagonals import diagonal_view

    for label in list(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if x.shape[first] != x.shape[second]:
                raise ValueError(f"einsum: the extents of {label!r} differ: got {x.shape[first]} and {x.shape[second]}")
            x = diagonal_view("einsum", x, 0, first, second)
            labels = [one for i, one in enumerate(labels) if i not in (first, second)] + [label]
    return x, labels


def _summed(x: Array, axes: Any) -> Array:
    """The sum in the array's own dtype."""
    total = _core.sum(x, axes, False)
    return total if total.dtype == x.dtype else _core.astype(total, x.dtype)


def _contracted(a: Array, la: list[Any], b: Array, lb: list[Any], kept: set[Any]) -> tuple[Array, list[Any]]:
    """Two operands as one batched matrix product, summed over what neither others nor the result need."""
    for label in [one for one in la if one not in lb and one not in kept]:
        a, la = _summed(a, la.index(label)), [one for one in la if one != label]
    for label in [one for one in lb if one not in la and one not in kept]:
        b, lb = _summed(b, lb.index(label)), [one for one in lb if one != label]
    extent: dict[Any, int] = {}
    for x, labels in ((a, la), (b, lb)):
        for label, n in zip(labels, x.shape):
            if extent.get(label, 1) != 1 and n not in (1, extent[label]):
                raise ValueError(f"einsum: the extents of {label!r} differ: got {extent[label]} and {n}")
            extent[label] = max(n, extent.get(label, 1)) if n else 0
    batch = [one for one in la if one in lb and one in kept]
    summed = [one for one in la if one in lb and one not in kept]
    rows = [one for one in la if one not in lb]
    columns = [one for one in lb if one not in la]
    if any(a.shape[la.index(one)] != b.shape[lb.index(one)] for one in batch + summed) or not summed:
        # Broadcasting, or nothing to sum: a product of elements, which fuses.
        order = batch + rows + columns + summed
        product = _core.multiply(_placed(a, la, order), _placed(b, lb, order))
        if summed:
            product = _summed(product, tuple(range(len(order) - len(summed), len(order))))
        return product, batch + rows + columns

    def matrix(x: Array, labels: list[Any], first: list[Any], last: list[Any]) -> Array:
        x = _core.permute_dims(x, [labels.index(one) for one in batch + first + last])
        count = lambda ones: _product(extent[one] for one in ones)  # noqa: E731
        return _core.reshape(x, [*(extent[one] for one in batch), count(first), count(last)])

    result = _core.matmul(matrix(a, la, rows, summed), matrix(b, lb, summed, columns))
    return _core.reshape(result, [extent[one] for one in batch + rows + columns]), batch + rows + columns


def _product(values: Any) -> int:
    result = 1
    for value in values:
        result *= value
    return result


def _placed(x: Array, labels: list[Any], order: list[Any]) -> Array:
    """The array with its axes in this order, extent 1 where it has none."""
    present = [one for one in order if one in labels]
    x = _core.permute_dims(x, [labels.index(one) for one in present])
    extents = dict(zip(present, x.shape))
    return _core.reshape(x, [extents.get(one, 1) for one in order])


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


def einsum(
    *operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, order: str = "K", casting: str = "safe",
) -> Array:
    """Products summed over named axes: einsum('ij,jk->ik', a, b), or einsum(a, [0, 1], b, [1, 2], [0, 2]), is the matrix product."""
    subscripts, operands = (operands[0], operands[1:]) if operands and isinstance(operands[0], str) else _subscripts(operands)
    heed("einsum", order, None)
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"einsum: casting is 'no', 'equiv', 'safe', 'same_kind' or 'unsafe': got {casting!r}")
    xs = [asarray(x) for x in operands]
    if dtype is not None:
        xs = converted("einsum", xs, dtype, casting)
    elif len({x.dtype for x in xs}) > 1:
        from weft._dtypes import result_type

        xs = converted("einsum", xs, result_type(*xs), "unsafe")  # what is summed before it meets the others is so in their dtype
    labels, result = _parse(subscripts, xs)
    pairs = [_without_repeats(x, names) for x, names in zip(xs, labels)]
    a, la = pairs[0]
    for i, (b, lb) in enumerate(pairs[1:], 1):
        kept = set(result).union(*(names for _, names in pairs[i + 1 :]))
        a, la = _contracted(a, la, b, lb, kept)
    gone = tuple(i for i, label in enumerate(la) if label not in result)
    if gone:
        a = _summed(a, gone)
        la = [one for one in la if one in result]
    answer = _core.permute_dims(a, [la.index(label) for label in result])
    # One operand of which nothing is summed is a view, as NumPy has it.
    answer = answer if answer.ndim and _core.shares_cell(answer, xs[0]) else _core.as_value(answer)
    if out is not None and casting == "unsafe":
        answer = _core.astype(answer, given_out(out).dtype)
    return store(answer, out)
