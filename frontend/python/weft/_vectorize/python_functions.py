"""What Python itself, math and cmath compute of numbers."""

from __future__ import annotations

import ast
import cmath
import math
from typing import Any

from weft._vectorize.types import BOOL, COMPLEX, FLOAT, INT, Type, complex_of, promote, real_of
from weft._vectorize.values import Const, Several, Value

# math's functions of floats that are one op.
_MATH = {
    "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log2": "log2", "log10": "log10", "log1p": "log1p",
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "hypot": "hypot", "erf": "erf", "erfc": "erfc", "lgamma": "lgamma",
    "fabs": "abs", "copysign": "copysign", "nextafter": "nextafter", "pow": "pow", "fma": "fma",
}
_MATH_TESTS = {"isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite"}
_MATH_WHOLE = {"floor": "floor", "ceil": "ceil", "trunc": "trunc"}
_CMATH = {
    "sqrt", "exp", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
}
_TYPES = {"bool": BOOL, "int": INT, "float": FLOAT, "complex": COMPLEX}
# Of angles, as math and NumPy call them.
FACTORS = {"degrees": 180 / math.pi, "rad2deg": 180 / math.pi, "radians": math.pi / 180, "deg2rad": math.pi / 180}


class PythonFunctions:
    """Calls of them. What is not here is of the class that reads statements."""

    text: Any
    scope: Any
    truth: Any
    cast: Any
    named: Any
    number: Any
    numbers: Any
    binary: Any
    compared: Any
    held: Any

    def of_python(self, node: Any, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
        """Functions that need no import."""
        if name in ("len", "sum", "min", "max", "tuple") and len(args) == 1 and isinstance(args[0], Several):
            parts = list(args[0].parts)
            if name == "len":
                return Const(len(parts))
            if name == "tuple":
                return args[0]
            if name == "sum":
                total: Any = Const(0)
                for one in parts:
                    total = self.binary(node, "Add", total, one)
                return total
            args = parts
        args = self.numbers(node, name, args, keywords)
        count = len(args)
        if name in ("min", "max") and count >= 1:
            best = args[0]
            for one in args[1:]:
                best = self.extremum(node, name, best, one)
            return best
        if name in _TYPES and count == 1:
            return self.converted(node, args[0], _TYPES[name])
        if name == "complex" and count == 2:
            return self.joined(self.cast(args[0], FLOAT), self.cast(args[1], FLOAT))
        if name == "abs" and count == 1:
            return self.absolute(args[0])
        if name == "round" and count == 1:
            return self.rounded(node, args[0])
        if name == "round" and count == 2:
            return self.rounded_to(node, args[0], args[1])
        if name == "divmod" and count == 2:
            return Several((self.binary(node, "FloorDiv", *args), self.binary(node, "Mod", *args)))
        if name == "pow" and count == 2:
            return self.binary(node, "Pow", *args)
        return None

    def extremum(self, node: Any, name: str, a: Any, b: Any) -> Any:
        """Python's: the first, unless the other is beyond it."""
        if isinstance(a, Const) and isinstance(b, Const):
            return Const(min(a.number, b.number) if name == "min" else max(a.number, b.number))
        test = self.compared(node, ast.Lt() if name == "min" else ast.Gt(), b, a)
        t = promote(a.type, b.type)
        if isinstance(test, Const):
            return b if test.number else a
        return self.selected(test, self.cast(b, t), self.cast(a, t), t)

    def selected(self, test: Any, a: Any, b: Any, t: Type) -> Any:
        """One of two values, both of which are computed."""
        return self.text.op("select", [test.name, self.named(a), self.named(b)], t)

    def converted(self, node: Any, x: Any, t: Type) -> Any:
        """bool(x), int(x), float(x), complex(x)."""
        if t == BOOL:
            truth = self.truth(node, x)
            return truth if isinstance(truth, Const) else Value(truth.name, BOOL)
        if isinstance(x, Const):
            try:
                return Const({INT: int, FLOAT: float, COMPLEX: complex}[t](x.number))
            except (OverflowError, ValueError, TypeError) as error:
                raise self.scope.source.refuse(node, "a conversion of a number", f"Python says {error}") from None
        if x.type.kind == 3 and t.kind < 3:
            raise self.scope.source.refuse(node, "a complex number as a real one", "write z.real, or abs(z)")
        return self.cast(x, t)

    def joined(self, re: Any, im: Any) -> Any:
        """A complex number of its parts."""
        return self.text.op("complex", [self.named(re), self.named(im)], complex_of(re.type))

    def absolute(self, x: Any) -> Any:
        """abs(x)."""
        if isinstance(x, Const):
            return Const(abs(x.number))
        if x.type.kind == 0:
            return self.cast(x, INT) if x.type.weak else x
        return self.text.op("abs", [x.name], real_of(x.type))

    def rounded(self, node: Any, x: Any) -> Any:
        """round(x), an integer."""
        if isinstance(x, Const):
            return Const(round(x.number))
        if x.type.kind == 3:
            raise self.scope.source.refuse(node, "round() of a complex number", "round its parts")
        return self.cast(self.text.op("round", [x.name], x.type) if x.type.kind == 2 else x, INT)

    def rounded_to(self, node: Any, x: Any, digits: Any) -> Any:
        """A float of NumPy's, rounded to known digits as NumPy does it, or an integer. Python rounds its own floats by their decimal digits."""
        if isinstance(x, Const) and isinstance(digits, Const) and digits.type.kind == 1:
            return Const(round(x.number, digits.number))
        if x.type.kind == 3:
            raise self.scope.source.refuse(node, "round() of a complex number", "round its parts")
        if not isinstance(digits, Const) or digits.type.kind != 1 or abs(digits.number) > 22:
            raise self.scope.source.refuse(node, "round() to digits that are no integer from -22 to 22 in the text", "write np.round(x * 10.0 ** n) / 10.0 ** n")
        if x.type.kind <= 1:
            return self.rounded_integer(node, x if x.type.kind == 1 else self.cast(x, INT), digits.number)
        if x.type.weak and digits.number:
            by = 10 ** abs(digits.number)
            instead = f"write np.round(x * {by:.0f}) / {by:.0f}" if digits.number > 0 else f"write np.round(x / {by:.0f}) * {by:.0f}.0"
            raise self.scope.source.refuse(node, "round() to digits of one of Python's floats, which goes by their decimal digits,", instead)
        by = self.text.constant(10.0 ** abs(digits.number), x.type).name
        there, back = ("multiply", "divide") if digits.number >= 0 else ("divide", "multiply")
        whole = self.text.op("round", [self.text.op(there, [self.named(x), by], x.type).name], x.type)
        return self.text.op(back, [whole.name, by], x.type)

    def rounded_integer(self, node: Any, x: Any, digits: int) -> Any:
        """An integer to tens, hundreds, …; halves go to the even one."""
        if digits >= 0:
            return x
        t = x.type

        def op(name: str, a: Any, b: Any, made: Type = t) -> Any:
            return self.text.op(name, [self.named(self.held(node, one, t)) for one in (a, b)], made)

        by = Const(10**-digits)
        rest = op("remainder", x, by)
        below = op("subtract", x, rest)
        odd = op("equal", rest, Const(by.number // 2), BOOL)
        odd = self.text.op("bitwise_and", [odd.name, op("not_equal", op("remainder", op("floor_divide", x, by), Const(2)), Const(0), BOOL).name], BOOL)
        up = self.text.op("bitwise_or", [op("greater", rest, Const(by.number // 2), BOOL).name, odd.name], BOOL)
        return self.selected(up, op("add", below, by), below, t)

    # ---- math and cmath

    def of_math(self, node: Any, name: str, args: list[Any]) -> Any:
        """math's, which compute in Python's floats."""
        if all(isinstance(one, Const) for one in args):
            try:
                found = getattr(math, name)(*(one.number for one in args))
            except (ValueError, OverflowError, TypeError) as error:
                raise self.scope.source.refuse(node, f"math.{name} of these numbers", f"Python says {error}") from None
            return Const(found) if isinstance(found, (bool, int, float)) else None
        for one in args:
            if one.type.kind == 3:
                instead = f"use cmath.{name}, or numpy.{name}" if hasattr(cmath, name) else "take z.real or abs(z) first"
                raise self.scope.source.refuse(node, f"math.{name} of a complex number", instead)
        x = [self.named(self.cast(one, FLOAT)) for one in args]
        if name in _MATH and len(x) == (3 if name == "fma" else 2 if name in ("atan2", "hypot", "copysign", "nextafter", "pow") else 1):
            return self.text.op(_MATH[name], x, FLOAT)
        if name in _MATH_TESTS and len(x) == 1:
            return self.text.op(_MATH_TESTS[name], x, BOOL)
        if name in _MATH_WHOLE and len(x) == 1:
            return self.cast(self.text.op(_MATH_WHOLE[name], x, FLOAT), INT)
        if name in FACTORS and len(x) == 1:
            return self.text.op("multiply", [x[0], self.text.constant(FACTORS[name], FLOAT).name], FLOAT)
        if name == "log" and len(x) in (1, 2):
            logs = [self.text.op("log", [one], FLOAT).name for one in x]
            return Value(logs[0], FLOAT) if len(logs) == 1 else self.text.op("divide", logs, FLOAT)
        if name == "fmod" and len(x) == 2:
            return self.remainder_of_c(Value(x[0], FLOAT), Value(x[1], FLOAT))
        return None

    def remainder_of_c(self, x: Any, y: Any) -> Any:
        """C's fmod: the remainder with the sign of x."""
        t = x.type
        sizes = [self.text.op("abs", [one.name], t).name for one in (x, y)]
        rest = self.text.op("remainder", sizes, t)
        if t.kind == 2:
            return self.text.op("copysign", [rest.name, x.name], t)
        below = self.text.op("less", [x.name, self.text.constant(0, t).name], BOOL)
        return self.selected(below, self.text.op("negative", [rest.name], t), rest, t)

    def of_cmath(self, node: Any, name: str, args: list[Any]) -> Any:
        """cmath's, which compute in Python's complex numbers."""
        if all(isinstance(one, Const) for one in args):
            try:
                found = getattr(cmath, name)(*(one.number for one in args))
            except (ValueError, OverflowError, TypeError) as error:
                raise self.scope.source.refuse(node, f"cmath.{name} of these numbers", f"Python says {error}") from None
            return Several(tuple(Const(one) for one in found)) if isinstance(found, tuple) else Const(found)
        if name == "rect" and len(args) == 2:
            r, phi = (self.named(self.cast(one, FLOAT)) for one in args)
            parts = [self.text.op("multiply", [r, self.text.op(op, [phi], FLOAT).name], FLOAT) for op in ("cos", "sin")]
            return self.joined(*parts)
        z = [self.named(self.cast(one, COMPLEX)) for one in args]
        if len(z) == 1 and name in _CMATH:
            return self.text.op(name, z, COMPLEX)
        if len(z) == 1 and name in _MATH_TESTS:
            return self.text.op(name, z, BOOL)
        if name == "log" and len(z) in (1, 2):
            logs = [self.text.op("log", [one], COMPLEX).name for one in z]
            return Value(logs[0], COMPLEX) if len(logs) == 1 else self.text.op("divide", logs, COMPLEX)
        if name in ("phase", "polar") and len(z) == 1:
            re, im = (self.text.op(which, z, FLOAT).name for which in ("real", "imag"))
            angle = self.text.op("atan2", [im, re], FLOAT)
            return angle if name == "phase" else Several((self.text.op("abs", z, FLOAT), angle))
        return None
