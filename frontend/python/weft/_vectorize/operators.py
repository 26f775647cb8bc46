"""Operators on a scalar function's values, by NumPy's rules for scalars; what Python's own numbers decide is computed at once."""

from __future__ import annotations

import ast
import operator
from typing import Any

from weft._vectorize.types import BOOL, FLOAT, INT, Type, default, float_for, promote
from weft._vectorize.values import Const, Local, Object, Several, Unbound, Value

_PYTHON = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv, "FloorDiv": operator.floordiv, "Mod": operator.mod,
    "Pow": operator.pow, "LShift": operator.lshift, "RShift": operator.rshift, "BitAnd": operator.and_, "BitOr": operator.or_,
    "BitXor": operator.xor, "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge,
}
_OPS = {
    "Add": "add", "Sub": "subtract", "Mult": "multiply", "Div": "divide", "FloorDiv": "floor_divide", "Mod": "remainder", "Pow": "pow",
    "LShift": "bitwise_left_shift", "RShift": "bitwise_right_shift", "BitAnd": "bitwise_and", "BitOr": "bitwise_or", "BitXor": "bitwise_xor",
    "Eq": "equal", "NotEq": "not_equal", "Lt": "less", "LtE": "less_equal", "Gt": "greater", "GtE": "greater_equal",
}
_SIGNS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "LShift": "<<", "RShift": ">>", "BitAnd": "&",
    "BitOr": "|", "BitXor": "^", "MatMult": "@",
}
_WHOLE = ("LShift", "RShift", "BitAnd", "BitOr", "BitXor")
_COMPARED = ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")
_MOST_FACTORS = 8


class Operators:
    """Expressions. `text`, `scope`, `choose` and `call` are those of the class that reads statements."""

    text: Any
    scope: Any
    choose: Any
    given_by: Any
    in_order: Any

    def value(self, node: Any) -> Any:
        """What an expression stands for."""
        method = getattr(self, "of_" + type(node).__name__, None)
        if method is None:
            raise self.scope.source.refuse_kind(node)
        return method(node)

    def described(self, value: Any) -> str:
        """What a value is, for messages."""
        if isinstance(value, (Value, Const)):
            return value.type.dtype
        if isinstance(value, Several):
            return "an array" if value.kind == "array" else f"a {value.kind}"
        if isinstance(value, Unbound):
            return f"{value.name}, which has a value on some paths alone"
        if isinstance(value, Local):
            return "a function"
        if isinstance(value, Object) and value.it is None:
            return "None"
        if isinstance(value, Object):
            return "a function" if callable(value.it) and not isinstance(value.it, type) else f"a {type(value.it).__name__}"
        return "nothing"

    def number(self, node: Any, value: Any, why: str) -> Any:
        """The value, which has to be a number."""
        if isinstance(value, (Value, Const)):
            return value
        raise self.scope.source.refuse(node, f"{why} {self.described(value)}", "use numbers, and pass arrays as arguments")

    # ---- conversions

    def named(self, value: Any) -> str:
        """The value's name in the text."""
        return value.name if isinstance(value, Value) else self.text.constant(value.number, value.type).name

    def cast(self, value: Any, t: Type) -> Any:
        """The value in a dtype."""
        if value.type == t:
            return value
        if isinstance(value, Const):
            number = value.number
            if t.kind == 0:
                number = bool(number)
            elif t.kind == 1:
                number = int(number.real if isinstance(number, complex) else number)
                limit = 1 << (t.bits - t.signed)
                if not (-limit if t.signed else 0) <= number < limit:
                    number = number % (1 << t.bits)
                    number -= (1 << t.bits) if t.signed and number >= limit else 0
            elif t.kind == 2:
                number = float(number.real if isinstance(number, complex) else number)
            else:
                number = complex(number)
            return self.text.constant(number, t)
        return Value(value.name, t) if value.type.dtype == t.dtype else self.text.op("cast", [value.name], t)

    def held(self, node: Any, value: Any, t: Type) -> Any:
        """The same of a number beside one of this dtype, which has to hold it."""
        if isinstance(value, Const) and t.kind == 1 and value.type.kind <= 1:
            limit = 1 << (t.bits - t.signed)
            if not (-limit if t.signed else 0) <= value.number < limit:
                raise self.scope.source.refuse(node, f"{value.number}, which {t.dtype} does not hold,", "convert the other operand first, as int(x) does")
        return self.cast(value, t)

    def truth(self, node: Any, value: Any) -> Any:
        """Whether a value counts as true."""
        if isinstance(value, Several):
            return Const(bool(value.parts))
        value = self.number(node, value, "the truth of")
        if isinstance(value, Const):
            return Const(bool(value.number))
        if value.type.kind == 0:
            return value
        return self.text.op("not_equal", [value.name, self.text.constant(0, value.type).name], BOOL)

    def test(self, node: Any) -> Any:
        """Whether an expression is true."""
        return self.truth(node, self.value(node))

    def test_of(self, node: Any, value: Any) -> Any:
        """The same of a value."""
        return self.truth(node, value)

    def either(self, a: Any, b: Any) -> Any:
        """One of two truths."""
        if isinstance(a, Const):
            return a if a.number else b
        if isinstance(b, Const):
            return b if b.number else a
        return self.text.op("bitwise_or", [a.name, b.name], BOOL)

    def without(self, a: Any, b: Any) -> Any:
        """One truth and not another."""
        if isinstance(b, Const):
            return Const(False) if b.number else a
        not_b = self.text.op("logical_not", [b.name], BOOL)
        if isinstance(a, Const):
            return not_b if a.number else a
        return self.text.op("bitwise_and", [a.name, not_b.name], BOOL)

    # ---- expressions

    def of_Constant(self, node: Any) -> Any:
        """A number."""
        if isinstance(node.value, (bool, int, float, complex)):
            return Const(node.value)
        what = {"str": "a string", "NoneType": "None", "bytes": "bytes", "ellipsis": "..."}.get(type(node.value).__name__, "this constant")
        raise self.scope.source.refuse(node, what, "use numbers alone")

    def of_Tuple(self, node: Any) -> Any:
        """Several values."""
        return Several(tuple(value for one in node.elts for value in self.given_by(one)))

    def of_NamedExpr(self, node: Any) -> Any:
        """A value that gets a name."""
        value = self.value(node.value)
        self.scope.names[node.target.id] = value
        return value

    def of_Lambda(self, node: Any) -> Any:
        """A function."""
        return Local(node, self.scope, self.defaults_of(node))

    def of_IfExp(self, node: Any) -> Any:
        """One of two values."""
        return self.choose(self.test(node.test), lambda: self.value(node.body), lambda: self.value(node.orelse), node)

    def of_BoolOp(self, node: Any) -> Any:
        """and, or: the first value that decides."""
        is_and = isinstance(node.op, ast.And)

        def rest(k: int) -> Any:
            value = self.value(node.values[k])
            if k == len(node.values) - 1:
                return value
            truth = self.truth(node.values[k], value)
            there, on = (lambda: value), (lambda: rest(k + 1))
            return self.choose(truth, on, there, node) if is_and else self.choose(truth, there, on, node)

        return rest(0)

    def of_UnaryOp(self, node: Any) -> Any:
        """-x, +x, ~x and not x."""
        kind = type(node.op).__name__
        if kind == "Not":
            truth = self.test(node.operand)
            return Const(not truth.number) if isinstance(truth, Const) else self.text.op("logical_not", [truth.name], BOOL)
        x = self.number(node, self.value(node.operand), "a sign before" if kind != "Invert" else "~ of")
        if isinstance(x, Const):
            if kind == "Invert" and x.type.kind > 1:
                raise self.scope.source.refuse(node, f"~ of {x.type.dtype}", "use integers or bools")
            return Const({"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}[kind](x.number))
        if x.type == BOOL:
            x = self.cast(x, INT)
        if kind == "Invert":
            if x.type.kind > 1:
                raise self.scope.source.refuse(node, f"~ of {x.type.dtype}", "use integers or bools")
            return self.text.op("bitwise_invert", [x.name], x.type)
        if x.type.kind == 0:
            raise self.scope.source.refuse(node, "a sign before a bool", "write not x, or int(x)")
        return self.text.op("negative", [x.name], x.type) if kind == "USub" else x

    def of_BinOp(self, node: Any) -> Any:
        """Two operands."""
        left = self.value(node.left)
        return self.binary(node, type(node.op).__name__, left, self.value(node.right))

    def binary(self, node: Any, kind: str, a: Any, b: Any) -> Any:
        """An operator, by the name that the tree has for it."""
        if isinstance(a, Several) and isinstance(b, Several) and kind == "Add" and a.kind == b.kind != "array":
            return Several(a.parts + b.parts, a.kind)
        if kind == "Mult" and (repeated := self.repeated(a, b)) is not None:
            return repeated
        a, b = (self.number(node, one, f"{_SIGNS[kind]} of") for one in (a, b))
        if isinstance(a, Const) and isinstance(b, Const) and kind != "MatMult":
            return self.folded(node, kind, a, b)
        if kind == "MatMult":
            raise self.scope.source.refuse(node, "@", "write the products of the numbers")
        t = promote(a.type, b.type)
        if kind in _WHOLE and t.kind > 1:
            raise self.scope.source.refuse(node, f"{_SIGNS[kind]} of {t.dtype}", "convert with int(…) first")
        if t.kind == 0 and (t.weak or kind in ("FloorDiv", "Mod", "Pow", "LShift", "RShift")) and not (t.weak and kind in ("BitAnd", "BitOr", "BitXor")):
            t = INT if t.weak else Type("i8")
        if t.kind == 0 and kind == "Sub":
            raise self.scope.source.refuse(node, "- of two bools", "write a != b, or convert with int(…)")
        if kind == "Div":
            t = t if t.kind >= 2 else default(2, weak=t.weak)
        if kind in ("FloorDiv", "Mod") and t.kind == 3:
            raise self.scope.source.refuse(node, f"{_SIGNS[kind]} of complex numbers", "take real parts first")
        if kind == "Pow":
            return self.power(node, a, b, t)
        return self.text.op(_OPS[kind], [self.named(self.held(node, a, t)), self.named(self.held(node, b, t))], t)

    def folded(self, node: Any, kind: str, a: Any, b: Any) -> Any:
        """Two numbers that are known."""
        try:
            number = _PYTHON[kind](a.number, b.number)
        except (ZeroDivisionError, OverflowError, ValueError, TypeError) as error:
            raise self.scope.source.refuse(node, f"{a.number!r} {_SIGNS.get(kind, kind)} {b.number!r}", f"Python says {error}") from None
        if isinstance(number, int) and not -(1 << 63) <= number < 1 << 64:
            raise self.scope.source.refuse(node, f"{number.bit_length()} bits of an integer", "use floats")
        return Const(number)

    def power(self, node: Any, a: Any, b: Any, t: Type) -> Any:
        """a ** b: small whole powers are products, as NumPy's square is."""
        if isinstance(b, Const) and b.type.kind == 1 or (isinstance(b, Const) and b.type.kind == 2 and b.number == 2):
            if b.number < 0 and t.kind == 1:
                if not t.weak:
                    raise self.scope.source.refuse(node, "a negative power of an integer", "write float(x) ** n, or 1 / x ** n")
                t = FLOAT
            if b.number == 2:
                x = self.named(self.cast(a, t))
                return self.text.op("multiply", [x, x], t)
            if t.kind == 1 and b.number == 0:
                return self.cast(Const(1), t)
        elif t == INT:
            raise self.scope.source.refuse(node, "a power of Python's integers that is computed", "write float(x) ** n, which is a float for negative n, too")
        return self.text.op("pow", [self.named(self.held(node, a, t)), self.named(self.held(node, b, t))], t)

    def of_Compare(self, node: Any) -> Any:
        """One comparison, or several in a row, of which the first that fails decides."""
        if len(node.ops) == 1 and isinstance(node.comparators[0], ast.Constant) and isinstance(node.comparators[0].value, (str, type(None))):
            return self.is_what(node, node.comparators[0].value)
        def rest(left: Any, k: int) -> Any:
            right = self.value(node.comparators[k])
            result = self.compared(node, node.ops[k], left, right)
            if k == len(node.ops) - 1:
                return result
            return self.choose(self.truth(node, result), lambda: rest(right, k + 1), lambda: result, node)

        return rest(self.value(node.left), 0)

    def is_what(self, node: Any, known: Any) -> Any:
        """Whether what is handed in is None, or some text: x is None, mode == "fast"."""
        kind, value = type(node.ops[0]).__name__, self.value(node.left)
        signs = ("Is", "IsNot", "Eq", "NotEq") if known is None else ("Eq", "NotEq")
        if kind not in signs or not isinstance(value, (Value, Const, Object, Several)):
            raise self.scope.source.refuse(node, "such a comparison with " + ("None" if known is None else "a string"), "write is None" if known is None else "write ==")
        is_it = isinstance(value, Object) and type(value.it) is type(known) and value.it == known
        return Const(is_it == (kind in ("Is", "Eq")))

    def compared(self, node: Any, op: Any, a: Any, b: Any) -> Any:
        """One comparison."""
        kind = type(op).__name__
        if kind in ("In", "NotIn") and isinstance(b, Several):
            found: Any = Const(False)
            for part in b.parts:
                found = self.either(found, self.compared(node, ast.Eq(), a, part))
            if kind == "In":
                return found
            return Const(not found.number) if isinstance(found, Const) else self.text.op("logical_not", [found.name], BOOL)
        if kind in _COMPARED and isinstance(a, Several) and isinstance(b, Several) and a.kind == b.kind != "array":
            return self.in_order(node, op, a.parts, b.parts)
        if kind not in _COMPARED:
            raise self.scope.source.refuse(node, {"Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in"}.get(kind, kind), "write == or !=")
        a, b = (self.number(node, one, "a comparison of") for one in (a, b))
        if isinstance(a, Const) and isinstance(b, Const):
            return self.folded(node, kind, a, b)
        t = promote(a.type, b.type)
        if t.kind == 3 and kind not in ("Eq", "NotEq"):
            raise self.scope.source.refuse(node, "an order of complex numbers", "compare abs(z), or real parts")
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Const) and one.type.kind == 1 and other.type.kind <= 1 and not _holds(other.type, one.number):
                return self.beyond(kind, one is b, one.number > 0)
        if t.kind == 0 and kind not in ("Eq", "NotEq"):
            t = Type("i8")
        return self.text.op(_OPS[kind], [self.named(self.cast(a, t)), self.named(self.cast(b, t))], Type("bool", a.type.weak and b.type.weak))

    def beyond(self, kind: str, is_right: bool, is_high: bool) -> Any:
        """A comparison with a number that the dtype does not hold."""
        if kind in ("Eq", "NotEq"):
            return Const(kind == "NotEq")
        less = kind in ("Lt", "LtE")
        return Const(less == (is_right == is_high))

    def as_floats(self, value: Any) -> Any:
        """The value as functions of floats take it."""
        return self.cast(value, float_for(value.type))


def _holds(t: Type, number: int) -> bool:
    if t.kind == 0:
        return True
    limit = 1 << (t.bits - t.signed)
    return (-limit if t.signed else 0) <= number < limit
