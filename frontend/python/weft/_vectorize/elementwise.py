"""elementwise() and reduction(): ops as text, in the form of C, which fuse and have derivatives as any op."""

from __future__ import annotations

import builtins
import math

from weft import _core
from weft._core import Error
from weft._base.asarray import asarray
from weft._base.out import holds_kind_of, place, store
from weft._vectorize.index import Index, placed
from weft._vectorize.outside import is_numpy_number
from weft._vectorize.references import checked_ulps, reference_for
from weft._vectorize.vectorized import vectorize

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


class Elementwise:
    """An op that a text is, for arrays that broadcast."""

    def __init__(self, operation: Any, in_params: str, out_params: str, name: str, preamble: Any, derivative: str, reference: Any, ulps: float):
        self._texts = (operation, in_params, out_params, name, preamble, derivative, reference, ulps)
        is_text = isinstance(reference, str)
        self._map = _core.define_map(name, in_params, out_params, _both(operation), _both(preamble), derivative, reference if is_text else "", ulps,
                                     None if is_text else reference_for(name, reference))
        self.__name__ = name
        self.nin, self.nout = len(_parameters(in_params)), self._map.results

    def __repr__(self) -> str:
        operation, in_params, out_params, name, *_ = self._texts
        return f"<weft.elementwise {name}({in_params}) -> ({out_params}): {_shown(operation)}>"

    def __reduce__(self) -> Any:
        return Elementwise, self._texts

    def _for_dtypes(self, dtypes: list[str]) -> Any:
        """The scalar function for arguments of these dtypes."""
        return self._map.function_of(dtypes)

    def _weft_scalar_text(self, operands: list[Any]) -> Any:
        """The scalar function for operands, of which numbers give way to arrays: what a vectorized function has inside."""
        if self._texts[5]:
            raise Error("its derivative is another text, which would be lost: call it outside of the function")
        function = self._map.function(operands)
        if len(function.arguments) > self.nin:
            raise Error("it reads i, the number of the element: call it outside of the function")
        return function

    def text(self, *args: Any) -> str:
        """The scalar function that a call with arguments of these dtypes computes, as text."""
        text: str = self._map.function(_operands(self.__name__, args)).text
        return text

    def __call__(self, *args: Any, out: Any = None) -> Any:
        if len(args) == self.nin + self.nout and out is None:
            args, out = args[:self.nin], args[self.nin:]
        results = self._map(_operands(self.__name__, args))
        return _given(self.__name__, self._texts[2], results, out)


def _given(name: str, out_params: str, results: list[Any], out: Any) -> Any:
    """The results, or what was given for them, which holds them then."""
    if out is None:
        results = [x if x.ndim else _core.as_value(x) for x in results]
        return results[0] if len(results) == 1 else tuple(results)
    outs = [place(name, one) for one in (out if isinstance(out, (tuple, list)) else (out,))]
    if len(outs) != len(results):
        raise Error(f"{name}: out is an array for each of {len(results)} results: got {len(outs)}")
    for one, result, parameter in zip(outs, results, _parameters(out_params)):
        if one.shape != result.shape:
            raise Error(f"{name}: out has the shape of the result, {tuple(result.shape)}: got {tuple(one.shape)}")
        if not holds_kind_of(one, result):
            instead = "take its real part" if result.dtype.kind == "c" else f"write {name}(…).astype('{one.dtype}')"
            raise TypeError(f"{name}: the result '{parameter.strip()}' is {result.dtype}, which no out of {one.dtype} holds: give one of "
                            f"{result.dtype}, or {instead}")
    given = [store(result, one) for result, one in zip(results, outs)]
    return given[0] if len(given) == 1 else tuple(given)


def _operands(name: str, args: tuple[Any, ...]) -> list[Any]:
    if any(type(one) is Index for one in args):
        args = tuple(placed(name, args))
    return [one if type(one) in (bool, int, float, complex) else _array(name, place, one) for place, one in enumerate(args)]


def _array(name: str, place: int, given: Any) -> Any:
    try:
        return asarray(given)
    except TypeError as error:
        raise TypeError(f"{name}: argument {place}: {error}") from None


def _both(text: Any) -> tuple[str, str]:
    """The text of the CPU, and that of CUDA."""
    return (text["cpu"], text["cuda"]) if isinstance(text, dict) else (text, text)


def _shown(text: Any) -> str:
    return " | ".join(one.strip() for one in dict.fromkeys(_both(text)))


def _check_texts(op: str, name: str, of_targets: dict[str, Any], **texts: Any) -> None:
    """That each is a text; of those of targets a dict of two does as well."""
    for what, text in of_targets.items():
        if isinstance(text, dict):
            if set(text) != {"cpu", "cuda"}:
                raise Error(f"{op}: {what} is a text, or one for each of 'cpu' and 'cuda': got {', '.join(map(repr, text)) or 'none'}")
            if isinstance(text["cuda"], str) and not text["cuda"].strip() and what != "preamble":
                raise Error(f"{op}: {what} is empty for 'cuda': give the text of the CPU alone where one does for both")
    dicts = [text for text in of_targets.values() if isinstance(text, dict)]
    texts.update({what: text for what, text in of_targets.items() if not isinstance(text, dict)})
    texts.update({f"a text of {target!r}": text for one in dicts for target, text in one.items()})
    for what, text in dict(texts, name=name).items():
        if not isinstance(text, str):
            raise TypeError(f"{op}: {what} is a text: got {type(text).__name__}")
    if not name.isidentifier() or not name.isascii():
        raise Error(f"{op}: name is an identifier: got {name!r}")


class Reduction:
    """A reduction that texts are, over any axes."""

    def __init__(self, name: str, texts: list[Any]):
        self._texts = texts
        self._reduction = _core.define_reduction(name, [_both(one) if k in (2, 3, 4, 7) else one for k, one in enumerate(texts)])
        self.__name__ = name
        self.nin, self.nout = len(_parameters(texts[0])), self._reduction.results

    def __repr__(self) -> str:
        return f"<weft.reduction {self.__name__}({self._texts[0]}) -> ({self._texts[1]}): {_shown(self._texts[3])}>"

    def __reduce__(self) -> Any:
        return Reduction, (self.__name__, self._texts)

    def __call__(self, *args: Any, axis: Any = None, keepdims: builtins.bool = False, out: Any = None) -> Any:
        axis = tuple(axis) if isinstance(axis, list) else axis
        return _given(self.__name__, self._texts[1], self._reduction(_operands(self.__name__, args), axis, keepdims), out)


def _written(identity: Any) -> str:
    """A number as the language of texts has it."""
    if is_numpy_number(identity):
        identity = identity.item()
    if isinstance(identity, float) and not math.isfinite(identity):
        return "NAN" if math.isnan(identity) else "INFINITY" if identity > 0 else "-INFINITY"
    if isinstance(identity, (builtins.bool, int, float)):
        return repr(identity).lower()
    if not isinstance(identity, str):
        raise TypeError(f"reduction: identity is a number or a text: got {identity!r}")
    return identity


def _parameters(text: str) -> list[str]:
    return [one for one in text.split(",") if one.strip()]


def elementwise(operation: Any, in_params: str, out_params: str, name: str = "elementwise", *, preamble: Any = "", derivative: Any = "",
                reference: Any = "", ulps: float = 4) -> Any:
    """An op of elements as text: elementwise("r = x > 0 ? x : a * expm1(x)", "T x, T a", "T r", "elu") is a function of two arrays.

    Parameters are types and names; a type that is neither C's nor NumPy's is one for whatever is given. The preamble holds functions that the
    operation calls. Both may be two texts, {"cpu": …, "cuda": …}. The derivative assigns dr_dx for each result r and parameter x: a text, or another op of the
    same parameters that has these results. Without it, it is computed forward. `verify` compares the results with the reference, computed in float64: another text,
    a function of numbers, or another op. They may be `ulps` units of the last place off."""
    if isinstance(derivative, Elementwise):
        derivative, more = _both(derivative._texts[0])[0], derivative._texts[4]
        preamble = {target: one if other in one else f"{one}\n{other}" for target, one, other in zip(("cpu", "cuda"), _both(preamble), _both(more))}
        if preamble["cpu"] == preamble["cuda"]:
            preamble = preamble["cpu"]
    if not isinstance(reference, str) and not callable(reference):
        raise TypeError(f"elementwise: reference is a text or a function: got {type(reference).__name__}")
    ulps = checked_ulps("elementwise", ulps)
    if not isinstance(reference, str) and not hasattr(reference, "_for_dtypes"):
        reference = vectorize(reference)
    _check_texts("elementwise", name, {"operation": operation, "preamble": preamble}, in_params=in_params, out_params=out_params, derivative=derivative)
    return Elementwise(operation, in_params, out_params, name, preamble, derivative, reference, ulps)


def reduction(map: Any, reduce: Any, post: Any, identity: Any, in_params: str, out_params: str, name: str = "reduction", *, state: str = "",  # noqa: A002
              preamble: Any = "") -> Any:
    """A reduction as text: reduction("x * x", "a + b", "y = sqrt(a)", 0, "T x", "T y", "norm") is a function of an array, axis=None and keepdims=False.

    `map` is an element's value, `reduce` that of two, a and b, `post` assigns the results, of a; `identity` is the value of nothing. With `state`,
    types and names such as "T m, int n", each is statements: they assign m and n, and `reduce` reads a_m, a_n, b_m and b_n. The reduce is taken for
    associative and commutative; its order depends on the shape alone. All but the identity and the state may be two texts, {"cpu": …, "cuda": …}."""
    identity = _written(identity)
    _check_texts("reduction", name, {"map": map, "reduce": reduce, "post": post, "preamble": preamble}, identity=identity, in_params=in_params,
                 out_params=out_params, state=state)
    return Reduction(name, [in_params, out_params, map, reduce, post, identity, state, preamble])
