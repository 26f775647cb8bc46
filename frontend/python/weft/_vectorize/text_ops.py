"""Ops as text that a vectorized function calls: their scalar functions become a part of its own."""

from __future__ import annotations

import re
from typing import Any

from weft import _core
from weft._core import Error
from weft._vectorize.types import Type, default, numpys_name
from weft._vectorize.values import Const, Several, Value

_VALUE = re.compile(r"%\d+")


class TextOps:
    """Calls of them. What is not here is of the class that reads statements."""

    text: Any
    scope: Any
    held: Any
    named: Any

    def of_text(self, node: Any, op: Any, args: list[Any]) -> Any:
        """What the op gives for these numbers."""
        name = op.__name__
        if len(args) != op.nin:
            raise self.scope.source.refuse(node, f"{len(args)} arguments for {name}", f"it takes {op.nin}")
        try:
            function = op._weft_scalar_text(_samples(args))
        except (Error, TypeError, OverflowError) as error:
            raise self.scope.source.refuse(node, f"a call of {name}", str(error).removeprefix(f"{name}: ")) from None
        given = [self.named(self.held(node, one, Type(dtype))) for one, dtype in zip(args, function.arguments)]
        results = self.pasted(function.text, given)
        parts = tuple(Value(one, Type(dtype)) for one, dtype in zip(results, function.results))
        return parts[0] if len(parts) == 1 else Several(parts)

    def pasted(self, text: str, given: list[str]) -> list[str]:
        """A function's lines among those of this one, with names that are free here; gives those of its results."""
        head, *lines = text.splitlines()
        names = dict(zip(_VALUE.findall(head), given))

        def renamed(found: Any) -> str:
            if found[0] not in names:
                names[found[0]] = self.text.fresh()
            return str(names[found[0]])

        for line in lines:
            own = _VALUE.sub(renamed, line.strip())
            if own.startswith("return "):
                return _VALUE.findall(own)
            self.text.lines.append(own)
        raise AssertionError(text)  # a function returns


def _samples(args: list[Any]) -> list[Any]:
    """Operands of the types of these: an array for a number of NumPy's, which it is recorded as and never computed, and a number for one of Python's."""
    weak = all(one.type.weak for one in args)
    return [_sample(one, weak) for one in args]


def _sample(one: Any, strong: bool) -> Any:
    if isinstance(one, Const) and not strong:
        return one.number
    if one.type.weak and not strong:
        return (False, 0, 0.0, 0j)[one.type.kind]
    t = default(one.type.kind) if one.type.weak else one.type
    return _core.full((), 0, _core.dtype(numpys_name(t)), "")
