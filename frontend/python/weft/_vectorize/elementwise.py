"""elementwise(): an op of elements as text, in the form of C, which fuses and has derivatives as any op."""

from __future__ import annotations

from weft import _core
from weft._core import Array, Error
from weft._base.asarray import asarray

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
        text: str = self._map.function(self._operands(args)).text
        return text

    def _operands(self, args: tuple[Any, ...]) -> list[Any]:
        return [one if type(one) in (bool, int, float, complex) else asarray(one) for one in args]

    def __call__(self, *args: Any, out: Any = None) -> Any:
        if len(args) == self.nin + self.nout and out is None:
            args, out = args[:self.nin], args[self.nin:]
        results = self._map(self._operands(args))
        if out is not None:
            outs = out if isinstance(out, (tuple, list)) else (out,)
            if len(outs) != self.nout or any(not isinstance(one, Array) for one in outs):
                raise Error(f"{self.__name__}: out is an array of Weft for each of {self.nout} results: got {len(outs)}")
            for one, result in zip(outs, results):
                if one.shape != result.shape:
                    raise Error(f"{self.__name__}: out has the shape of the result, {tuple(result.shape)}: got {tuple(one.shape)}")
                one[...] = result
            results = list(outs)
        results = [x if x.ndim or out is not None else _core.as_value(x) for x in results]
        return results[0] if self.nout == 1 else tuple(results)


def _parameters(text: str) -> list[str]:
    return [one for one in text.split(",") if one.strip()]


def elementwise(operation: str, in_params: str, out_params: str, name: str = "elementwise", *, preamble: str = "", derivative: str = "") -> Any:
    """An op of elements as text: elementwise("r = x > 0 ? x : a * expm1(x)", "T x, T a", "T r", "elu") is a function of two arrays.

    Parameters are types and names; a type that is neither C's nor NumPy's is one for whatever is given. The preamble holds functions that the
    operation calls. The derivative assigns dr_dx for each result r and parameter x; without it, it is computed forward."""
    for what, text in (("operation", operation), ("in_params", in_params), ("out_params", out_params), ("name", name), ("preamble", preamble), ("derivative", derivative)):
        if not isinstance(text, str):
            raise TypeError(f"elementwise: {what} is a text: got {type(text).__name__}")
    if not name.isidentifier() or not name.isascii():
        raise Error(f"elementwise: name is an identifier: got {name!r}")
    return Elementwise(operation, in_params, out_params, name, preamble, derivative)
