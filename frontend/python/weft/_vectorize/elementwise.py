"""elementwise() and reduction(): ops as text, in the form of C, which fuse and have derivatives as any op."""

from __future__ import annotations

import builtins
import math

from weft import _core
from weft._core import Array, Error
from weft._base.asarray import asarray
from weft._vectorize.index import Index, placed

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


class Elementwise:
    """An op that a text is, for arrays that broadcast."""

    def __init__(self, operation: str, in_params: str, out_params: str, name: str, preamble: str, derivative: str):
        self._texts = (operation, in_params, out_params, name, preamble, derivative)
        self._map = _core.define_map(name, in_params, out_params, operation, preamble, derivative)
        self.__name__ = name
        self.nin, self.nout = len(_parameters(in_params)), self._map.results

    def __repr__(self) -> str:
        operation, in_params, out_params, name, _, _ = self._texts
        return f"<weft.elementwise {name}({in_params}) -> ({out_params}): {operation.strip()}>"

    def __reduce__(self) -> Any:
        return Elementwise, self._texts

    def text(self, *args: Any) -> str:
        """The scalar function that a call with arguments of these dtypes computes, as text."""
        text: str = self._map.function(_operands(self.__name__, args)).text
        return text

    def __call__(self, *args: Any, out: Any = None) -> Any:
        if len(args) == self.nin + self.nout and out is None:
            args, out = args[:self.nin], args[self.nin:]
        results = self._map(_operands(self.__name__, args))
        return _given(self.__name__, results, out)


def _given(name: str, results: list[Any], out: Any) -> Any:
    """The results, or what was given for them, which holds them then."""
    if out is None:
        results = [x if x.ndim else _core.as_value(x) for x in results]
        return results[0] if len(results) == 1 else tuple(results)
    outs = out if isinstance(out, (tuple, list)) else (out,)
    if len(outs) != len(results) or any(not isinstance(one, Array) for one in outs):
        raise Error(f"{name}: out is an array of Weft for each of {len(results)} results: got {len(outs)}")
    for one, result in zip(outs, results):
        if one.shape != result.shape:
            raise Error(f"{name}: out has the shape of the result, {tuple(result.shape)}: got {tuple(one.shape)}")
        one[...] = result
    return outs[0] if len(outs) == 1 else tuple(outs)


def _operands(name: str, args: tuple[Any, ...]) -> list[Any]:
    if any(type(one) is Index for one in args):
        args = tuple(placed(name, args))
    return [one if type(one) in (bool, int, float, complex) else asarray(one) for one in args]


def _check_texts(op: str, name: str, **texts: Any) -> None:
    for what, text in dict(texts, name=name).items():
        if not isinstance(text, str):
            raise TypeError(f"{op}: {what} is a text: got {type(text).__name__}")
    if not name.isidentifier() or not name.isascii():
        raise Error(f"{op}: name is an identifier: got {name!r}")


class Reduction:
    """A reduction that texts are, over any axes."""

    def __init__(self, name: str, texts: list[str]):
        self._texts = texts
        self._reduction = _core.define_reduction(name, texts)
        self.__name__ = name
        self.nin, self.nout = len(_parameters(texts[0])), self._reduction.results

    def __repr__(self) -> str:
        return f"<weft.reduction {self.__name__}({self._texts[0]}) -> ({self._texts[1]}): {self._texts[3].strip()}>"

    def __reduce__(self) -> Any:
        return Reduction, (self.__name__, self._texts)

    def __call__(self, *args: Any, axis: Any = None, keepdims: builtins.bool = False, out: Any = None) -> Any:
        axes = None if axis is None else [int(one) for one in (axis if isinstance(axis, (tuple, list)) else (axis,))]
        return _given(self.__name__, self._reduction(_operands(self.__name__, args), axes, bool(keepdims)), out)


def _parameters(text: str) -> list[str]:
    return [one for one in text.split(",") if one.strip()]


def elementwise(operation: str, in_params: str, out_params: str, name: str = "elementwise", *, preamble: str = "", derivative: Any = "") -> Any:
    """An op of elements as text: elementwise("r = x > 0 ? x : a * expm1(x)", "T x, T a", "T r", "elu") is a function of two arrays.

    Parameters are types and names; a type that is neither C's nor NumPy's is one for whatever is given. The preamble holds functions that the
    operation calls. The derivative assigns dr_dx for each result r and parameter x: a text, or another op of the same parameters that has these results. Without
    it, it is computed forward."""
    if isinstance(derivative, Elementwise):
        derivative, more = derivative._texts[0], derivative._texts[4]
        preamble = preamble if more in preamble else f"{preamble}\n{more}"
    _check_texts("elementwise", name, operation=operation, in_params=in_params, out_params=out_params, preamble=preamble, derivative=derivative)
    return Elementwise(operation, in_params, out_params, name, preamble, derivative)


def reduction(map: str, reduce: str, post: str, identity: Any, in_params: str, out_params: str, name: str = "reduction", *, state: str = "",  # noqa: A002
              preamble: str = "") -> Any:
    """A reduction as text: reduction("x * x", "a + b", "y = sqrt(a)", 0, "T x", "T y", "norm") is a function of an array, axis=None and keepdims=False.

    `map` is an element's value, `reduce` that of two, a and b, `post` assigns the results, of a; `identity` is the value of nothing. With `state`,
    types and names such as "T m, int n", each is statements: they assign m and n, and `reduce` reads a_m, a_n, b_m and b_n. The reduce is taken for
    associative and commutative; its order depends on the shape alone."""
    if isinstance(identity, (int, float)):
        identity = ("INFINITY" if identity > 0 else "-INFINITY") if isinstance(identity, float) and math.isinf(identity) else repr(identity).lower()
    _check_texts("reduction", name, map=map, reduce=reduce, post=post, identity=identity, in_params=in_params, out_params=out_params, state=state,
                 preamble=preamble)
    return Reduction(name, [in_params, out_params, map, reduce, post, identity, state, preamble])
