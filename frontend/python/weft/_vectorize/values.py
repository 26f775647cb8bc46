"""What names stand for while a function is read, and the text that is written of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from weft._vectorize.types import Type, type_of_number


class Value(NamedTuple):
    """A number that the function computes, by its name in the text."""

    name: str
    type: Type


class Const(NamedTuple):
    """A number of Python's that is known."""

    number: Any

    @property
    def type(self) -> Type:
        """Python's type of it."""
        return type_of_number(self.number)


class Several(NamedTuple):
    """A tuple, or a list or an array, which have the elements that they had when the text was made."""

    parts: tuple[Any, ...]
    kind: str = "tuple"


class Object(NamedTuple):
    """What is no number: a function, a module, a dtype."""

    it: Any


class Local(NamedTuple):
    """A function that is written inside of the one that is read, with its defaults as they were then: values, or the errors of reading them."""

    node: Any
    scope: Any
    defaults: dict[str, Any]


class Unbound(NamedTuple):
    """A name that has a value on some paths alone, or one that is no number and another on each."""

    name: str
    of: Any = None  # what it is where it is no number


def leaves_of(value: Any) -> list[Any]:
    """The numbers of a value that may be a tuple."""
    return [leaf for part in value.parts for leaf in leaves_of(part)] if isinstance(value, Several) else [value]


def rebuilt(value: Any, leaves: list[Any]) -> Any:
    """A value of the same form with other numbers, which are taken from the front of the list."""
    return Several(tuple(rebuilt(part, leaves) for part in value.parts), value.kind) if isinstance(value, Several) else leaves.pop(0)


def form_of(value: Any) -> Any:
    """How tuples lie in each other."""
    return tuple(form_of(part) for part in value.parts) if isinstance(value, Several) else None


def same(a: Any, b: Any) -> bool:
    """Whether two values are one: numbers of Python's by their types and digits, too."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Const):
        return type(a.number) is type(b.number) and repr(a.number) == repr(b.number)
    return a is b or a == b


def is_number(value: Any) -> bool:
    """Whether all of it are numbers."""
    return all(isinstance(leaf, (Value, Const)) for leaf in leaves_of(value))


def is_called(value: Any) -> bool:
    """Whether it is a function."""
    return isinstance(value, Local) or isinstance(value, Object) and callable(value.it)


def not_number(*values: Any) -> Any:
    """The first that is there and is no number, as a function; what it is of a name that has one on some paths; None where none is."""
    for value in values:
        if isinstance(value, Unbound) and value.of is not None:
            return value.of
        if value is not None and not isinstance(value, Unbound) and not is_number(value):
            return value
    return None


def literal(number: Any, dtype: str) -> str:
    """A number as the text has it."""
    if dtype == "bool":
        return "true" if number else "false"
    if dtype[0] in "iu":
        return str(int(number))
    if dtype[0] == "c":
        number = complex(number)
        return f"({_float(number.real)}, {_float(number.imag)})"
    return _float(float(number))


def _float(number: float) -> str:
    if number != number:
        return "nan"
    if number in (float("inf"), float("-inf")):
        return "inf" if number > 0 else "-inf"
    text = repr(number)
    return text if "." in text or "e" in text else text + ".0"


class Text:
    """The lines of a function. A block is a list of lines of its own until it is put in its place."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def fresh(self) -> str:
        """A name that is not taken."""
        self._count += 1
        return f"%{self._count - 1}"

    def op(self, op: str, operands: list[str], t: Type) -> Value:
        """A map of values."""
        name = self.fresh()
        self.lines.append(f"{name} = {op} {', '.join(operands)} : {t.dtype}")
        return Value(name, t)

    def constant(self, number: Any, t: Type) -> Value:
        """A number as a value."""
        name = self.fresh()
        self.lines.append(f"{name} = constant {literal(number, t.dtype)} : {t.dtype}")
        return Value(name, t)

    def inside(self, f: Any) -> list[str]:
        """The lines that f() writes."""
        outer, self.lines = self.lines, []
        try:
            f()
            return self.lines
        finally:
            self.lines = outer
