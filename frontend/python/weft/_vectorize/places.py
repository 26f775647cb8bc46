"""Elements of tuples, lists and arrays that are known while the text is made, at places that are known or computed."""

from __future__ import annotations

import functools
from typing import Any

from weft._vectorize.outside import MOST_ELEMENTS
from weft._vectorize.types import BOOL, INT, promote
from weft._vectorize.values import Const, Several, Value, form_of, is_number, leaves_of, rebuilt, same


class Places:
    """Brackets. What is not here is of the class that reads statements."""

    text: Any
    scope: Any
    value: Any
    described: Any
    number: Any
    named: Any
    cast: Any
    selected: Any

    def of_Subscript(self, node: Any) -> Any:
        """An element, or a part."""
        of = self.value(node.value)
        if not isinstance(of, Several):
            raise self.scope.source.refuse(node, f"an element of {self.described(of)}", "pass arrays as arguments: the function gets their elements")
        if type(node.slice).__name__ == "Slice":
            return self.part_of(node, of)
        at = self.value(node.slice)
        if isinstance(at, Several) and of.kind == "array":
            for one in at.parts:
                of = self.element(node, of, one)
            return of
        return self.element(node, of, at)

    def part_of(self, node: Any, of: Any) -> Any:
        """t[1:]."""
        bounds = [None if one is None else self.value(one) for one in (node.slice.lower, node.slice.upper, node.slice.step)]
        known = [one.number for one in bounds if isinstance(one, Const) and one.type.kind <= 1]
        if len(known) < sum(one is not None for one in bounds) or bounds[2] is not None and known[-1] == 0:
            raise self.scope.source.refuse_kind(node.slice)
        return Several(of.parts[slice(*(one and one.number for one in bounds))], of.kind)

    def element(self, node: Any, of: Any, at: Any) -> Any:
        """The element at a place."""
        if not isinstance(of, Several):
            raise self.scope.source.refuse(node, f"an element of {self.described(of)}", "write as many places as it has axes")
        at = self.number(node, at, f"an element of {self.described(of)} at")
        if at.type.kind > 1:
            raise self.scope.source.refuse(node, f"an element of {self.described(of)} at a place of {at.type.dtype}", "write int(…) around the place")
        if not isinstance(at, Const):
            return self.chosen(node, of, at)
        if not -len(of.parts) <= at.number < len(of.parts):
            raise self.scope.source.refuse(node, f"element {at.number} of {self.described(of)} of {len(of.parts)}", "write a place that it has")
        return of.parts[at.number]

    def chosen(self, node: Any, of: Several, at: Value) -> Any:
        """The element at a place that is computed: a choice between halves for each binary digit of the place, so one less than there are elements."""
        parts = of.parts
        if not parts:
            raise self.scope.source.refuse(node, f"an element of {self.described(of)} without elements", "give it one at least")
        if not all(is_number(one) for one in parts):
            raise self.scope.source.refuse(node, f"an element of {self.described(of)} of other things than numbers at a place that is computed", "write if and elif")
        if any(form_of(one) != form_of(parts[0]) for one in parts):
            raise self.scope.source.refuse(node, f"an element of {self.described(of)} of tuples of several lengths at a place that is computed", "give them one length")
        if (size := sum(len(leaves_of(one)) for one in parts)) > MOST_ELEMENTS:
            raise self.scope.source.refuse(node, f"an element of {self.described(of)} of {size} numbers at a place that is computed",
                                           f"give at most {MOST_ELEMENTS}, or pass elements as an argument, as table[positions] of an array")
        digits = self.digits(self.within(at, len(parts)), len(parts))
        columns = zip(*(leaves_of(one) for one in parts))
        return rebuilt(parts[0], [self.one_of(list(column), digits) for column in columns])

    def within(self, at: Value, count: int) -> Value:
        """A place that there is: negative ones count from the end, and those beyond are the first or the last, as positions of arrays are held to the axis."""
        at = self.cast(at, INT)
        zero, most = self.text.constant(0, INT).name, self.text.constant(count - 1, INT).name
        back = self.text.op("add", [at.name, self.text.constant(count, INT).name], INT)
        at = self.selected(self.text.op("less", [at.name, zero], BOOL), back, at, INT)
        return self.text.op("minimum", [self.text.op("maximum", [at.name, zero], INT).name, most], INT)

    def digits(self, at: Value, count: int) -> list[Value]:
        """Whether each binary digit of the place is set, the last one first."""
        zero = self.text.constant(0, INT).name
        masks = [self.text.op("bitwise_and", [at.name, self.text.constant(1 << k, INT).name], INT) for k in range((count - 1).bit_length())]
        return [self.text.op("not_equal", [one.name, zero], BOOL) for one in masks]

    def one_of(self, numbers: list[Any], digits: list[Value]) -> Any:
        """One of these numbers, in the dtype that holds all."""
        t = functools.reduce(promote, [one.type for one in numbers])
        if all(same(one, numbers[0]) for one in numbers):
            return numbers[0]
        left = [self.cast(one, t) for one in numbers]
        left = [Value(self.named(one), t) for one in left]
        for digit in digits:
            pairs = [left[k : k + 2] for k in range(0, len(left), 2)]
            left = [self.selected(digit, pair[1], pair[0], t) if len(pair) == 2 else pair[0] for pair in pairs]
        return left[0]
