"""Names from outside of a scalar function: numbers, tables of them, functions and modules, and what these have."""

from __future__ import annotations

import builtins
import math
import types
from typing import Any

from weft._vectorize.captured import MISSING
from weft._vectorize.outside import MOST_ELEMENTS, as_known, is_array, is_numpy_number
from weft._vectorize.refusals import instead_of_attribute
from weft._vectorize.types import is_known, real_of, type_of_dtype
from weft._vectorize.values import Const, Object, Several, Unbound, Value, is_called


class Names:
    """What they stand for. What is not here is of the class that reads statements."""

    text: Any
    scope: Any
    captured: Any
    value: Any
    cast: Any
    number: Any
    described: Any

    def of_Name(self, node: Any) -> Any:
        """A name of the function, or one from outside."""
        value = self.look_up(node)
        if isinstance(value, Unbound):
            raise self.unbound(node, value)
        return value

    def unbound(self, node: Any, value: Any) -> Any:
        """The error for a name that has no value, or more than one thing that is no number."""
        name, refuse = node.id, self.scope.source.refuse
        if is_called(value.of):
            return refuse(node, f"{name}, a function that is made or chosen on some paths alone,",
                          "make it before the branch or the loop, or call each function where it is chosen, as y = f(x) if … else g(x)")
        if value.of is not None:
            return refuse(node, f"{name}, which is {self.described(value.of)} on some paths alone,", f"give {name} the same before the branch or the loop")
        return refuse(node, f"{name}, which has a value on some paths alone,", f"give {name} a value before the branch or the loop")

    def look_up(self, node: Any) -> Any:
        """What a name stands for."""
        scope, name = self.scope, node.id
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if name in scope.assigned:
                return Unbound(name)
            last, scope = scope, scope.outer
        found = self.captured.find(last.function, name) if last.function is not None else getattr(builtins, name, MISSING)
        if found is MISSING:
            raise self.scope.source.refuse(node, f"{name}, which is not defined,", "define it before the function is called")
        return self.taken(node, name, found)

    def taken(self, node: Any, name: str, found: Any) -> Any:
        """A value from outside: numbers, tuples of them, and what can be called."""
        if isinstance(found, int) and type(found) not in (bool, int):
            found = int(found)  # of an IntEnum
        if isinstance(found, (bool, int, float, complex)) and type(found) in (bool, int, float, complex):
            if isinstance(found, int) and not -(1 << 63) <= found < 1 << 64:
                raise self.scope.source.refuse(node, f"{name}, an integer of {found.bit_length()} bits,", "use a float")
            return Const(found)
        if isinstance(found, (tuple, list)):
            return Several(tuple(self.taken(node, name, one) for one in found), type(found).__name__ if isinstance(found, list) else "tuple")
        if is_numpy_number(found) or is_array(found):
            if not is_known(found.dtype) and found.dtype.kind != "O":
                raise self.scope.source.refuse(node, f"{name}, of the dtype {found.dtype},", "convert it to numbers outside of the function")
        if is_numpy_number(found):
            t = type_of_dtype(found.dtype)
            return self.text.constant(found.item(), t)
        if is_array(found):
            return self.table(node, name, found)
        if found is None or isinstance(found, str) or callable(found) or isinstance(found, types.ModuleType) or hasattr(found, "__dict__"):
            return Object(found)
        raise self.scope.source.refuse(node, f"{name}, which is a {type(found).__name__},", "use numbers, tuples of numbers and functions")

    def table(self, node: Any, name: str, found: Any) -> Any:
        """An array's elements, along its first axis: the text is made for them."""
        if (size := math.prod(found.shape)) > MOST_ELEMENTS:
            raise self.scope.source.refuse(node, f"{name}, an array of {size} elements,",
                                           f"give at most {MOST_ELEMENTS}, or pass elements as an argument, as table[positions] or searchsorted(table, x)")
        found = as_known(found)
        if not found.shape:
            return self.taken(node, name, found[()])
        return Several(tuple(self.table(node, name, one) if found.ndim > 1 else self.taken(node, name, one) for one in found), "array")

    def of_Attribute(self, node: Any) -> Any:
        """A module's constant or function, or a number's part."""
        of = self.value(node.value)
        if isinstance(of, Object):
            found = self.captured.attribute(of.it, node.attr)
            if found is MISSING:
                raise self.scope.source.refuse(node, f"{node.attr}, which {getattr(of.it, '__name__', 'the object')} does not have,", "write a name that it has")
            return self.taken(node, node.attr, found)
        if isinstance(of, Several) and of.kind == "array" and node.attr == "shape":
            return Several(_shape_of(of))
        x = self.number(node, of, f".{node.attr} of")
        if node.attr in ("real", "imag"):
            return self.part(x, node.attr)
        raise self.scope.source.refuse(node, f".{node.attr} of a number", instead_of_attribute(node.attr))

    def part(self, x: Any, which: str) -> Any:
        """The real or the imaginary part."""
        if isinstance(x, Const):
            return Const(getattr(x.number, which))
        if x.type.kind < 3:
            return x if which == "real" else self.cast(Const(0), x.type)
        return self.text.op(which, [x.name], real_of(x.type))


def _shape_of(of: Several) -> tuple[Const, ...]:
    """An array's extents, of which none is 0 but the last."""
    first = of.parts[0] if of.parts else None
    return (Const(len(of.parts)), *(_shape_of(first) if isinstance(first, Several) else ()))
