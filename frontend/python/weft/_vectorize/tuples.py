"""Functions of tuples, of which a text knows how many values they hold: what Python and math have besides len, sum, min and max."""

from __future__ import annotations

import ast
import functools
from typing import Any

from weft._vectorize.outside import MOST_ELEMENTS
from weft._vectorize.types import BOOL, FLOAT
from weft._vectorize.values import Const, Several, Value, same


class Tuples:
    """Calls of them. What is not here is of the class that reads statements."""

    text: Any
    scope: Any
    number: Any
    truth: Any
    binary: Any
    cast: Any
    named: Any
    compared: Any
    selected: Any

    def of_tuples(self, node: Any, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
        """What the function of this name gives for these; None where it is none of tuples, or does not take them."""
        if keywords or not args:
            return None
        tuples = [one for one in args if isinstance(one, Several)]
        if name == "zip" and len(tuples) == len(args):
            return Several(tuple(Several(parts) for parts in zip(*(one.parts for one in tuples))))
        if name in ("enumerate", "reversed", "any", "all", "prod") and len(args) == 1 and tuples:
            return getattr(self, f"{name}_of")(node, tuples[0].parts)
        if name == "dist" and len(args) == 2 and len(tuples) == 2 and len(tuples[0].parts) == len(tuples[1].parts) > 0:
            return self.hypot_of(node, [self.binary(node, "Sub", a, b) for a, b in zip(tuples[0].parts, tuples[1].parts)])
        if name == "hypot" and len(args) != 2 and not tuples:
            return self.hypot_of(node, args)
        return None

    def in_order(self, node: Any, op: Any, a: tuple[Any, ...], b: tuple[Any, ...]) -> Any:
        """A comparison of tuples: the first values that differ decide, and where none do the lengths."""
        if isinstance(op, (ast.Eq, ast.NotEq)) and len(a) != len(b):
            return Const(isinstance(op, ast.NotEq))
        result = self.compared(node, op, Const(len(a)), Const(len(b)))
        for one, other in reversed([*zip(a, b)]):
            differs = Const(False) if same(one, other) else self.compared(node, ast.NotEq(), one, other)
            if isinstance(differs, Const):
                result = self.compared(node, op, one, other) if differs.number else result
                continue
            decides = differs if isinstance(op, ast.NotEq) else self.compared(node, op, one, other)
            result = self.selected(differs, decides, result, BOOL)
        return result

    def repeated(self, a: Any, b: Any) -> Any:
        """A tuple's values several times; None of all other products."""
        if isinstance(b, Several):
            a, b = b, a
        if not isinstance(a, Several) or a.kind == "array" or not isinstance(b, Const) or b.type.kind > 1 or len(a.parts) * b.number > MOST_ELEMENTS:
            return None
        return Several(a.parts * b.number, a.kind)

    def enumerate_of(self, node: Any, parts: tuple[Any, ...]) -> Any:
        """Each value behind its number."""
        return Several(tuple(Several((Const(k), one)) for k, one in enumerate(parts)))

    def reversed_of(self, node: Any, parts: tuple[Any, ...]) -> Any:
        """The last value first."""
        return Several(parts[::-1])

    def any_of(self, node: Any, parts: tuple[Any, ...]) -> Any:
        """Whether one is true."""
        return self._joined(node, parts, False, "bitwise_or")

    def all_of(self, node: Any, parts: tuple[Any, ...]) -> Any:
        """Whether each is true."""
        return self._joined(node, parts, True, "bitwise_and")

    def _joined(self, node: Any, parts: tuple[Any, ...], of_none: bool, op: str) -> Any:
        truths = [self.truth(node, one) for one in parts]
        known = [one.number for one in truths if isinstance(one, Const)]
        rest = [one for one in truths if not isinstance(one, Const)]
        if (not of_none) in known or not rest:
            return Const((not of_none) in known or of_none and all(known))
        joined = functools.reduce(lambda a, b: self.text.op(op, [a.name, b.name], BOOL), rest)
        return Value(joined.name, BOOL)

    def prod_of(self, node: Any, parts: tuple[Any, ...]) -> Any:
        """The product."""
        return functools.reduce(lambda a, b: self.binary(node, "Mult", a, b), parts, Const(1))

    def hypot_of(self, node: Any, parts: Any) -> Any:
        """The length of a vector, without overflow between."""
        sizes = [self.named(self.cast(self.number(node, one, "hypot of"), FLOAT)) for one in parts]
        if len(sizes) == 1:
            return self.text.op("abs", sizes, FLOAT)
        return Value(functools.reduce(lambda a, b: self.text.op("hypot", [a, b], FLOAT).name, sizes), FLOAT)
