"""Names from outside of a scalar function, and what is called: Python's functions, those of math, cmath, NumPy and Weft, and the user's own."""

from __future__ import annotations

import ast
import builtins
import cmath
import math
import types
from typing import Any

from weft import _core
from weft._names import SAME
from weft._base.origin import module_of
from weft._vectorize.outside import MOST_ELEMENTS, is_array, is_numpy_number, known_as
from weft._vectorize.refusals import instead_of, instead_of_attribute
from weft._vectorize.text_ops import TextOps
from weft._vectorize.types import BOOL, COMPLEX, FLOAT, INT, Type, complex_of, float_for, promote, real_of, type_of_dtype
from weft._vectorize.values import Const, Local, Object, Several, Unbound, Value

_MISSING = object()

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
# NumPy's and Weft's names that are another op, or none.
_OTHER = {**SAME, "fabs": "abs", "rint": "round", "around": "round", "round": "round", "fmax": None, "fmin": None}
_TYPES = {"bool": BOOL, "int": INT, "float": FLOAT, "complex": COMPLEX}
_FACTORS = {"degrees": 180 / math.pi, "rad2deg": 180 / math.pi, "radians": math.pi / 180, "deg2rad": math.pi / 180}


class Captured:
    """Names from outside that a function was compiled with, and whether they are what they were."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], tuple[Any, str, Any]] = {}

    def find(self, function: Any, name: str) -> Any:
        """The value of a free name of a function; _MISSING where there is none."""
        code = function.__code__
        if name in code.co_freevars:
            cell = function.__closure__[code.co_freevars.index(name)]
            try:
                value = cell.cell_contents
            except ValueError:
                return _MISSING
            self._known[id(cell), ""] = (cell, "", value)
            return value
        space = function.__globals__
        if name in space:
            self._known[id(space), name] = (space, name, space[name])
            return space[name]
        return getattr(builtins, name, _MISSING)

    def attribute(self, of: Any, name: str) -> Any:
        """The same of an attribute of a module or an object."""
        value = getattr(of, name, _MISSING)
        if value is not _MISSING:
            self._known[id(of), "." + name] = (of, "." + name, value)
        return value

    def unchanged(self) -> bool:
        """Whether each name has the value that it had."""
        for of, name, value in self._known.values():
            if not name:
                now = of.cell_contents
            elif name[0] == ".":
                now = getattr(of, name[1:], _MISSING)
            else:
                now = of.get(name, _MISSING)
            if now is not value and known_as(now) != known_as(value):
                return False
        return True


class Calls(TextOps):
    """Names and calls. What is not here is of the class that reads statements."""

    text: Any
    scope: Any
    captured: Any
    source_of: Any
    value: Any
    truth: Any
    cast: Any
    named: Any
    number: Any
    described: Any
    choose: Any
    binary: Any
    compared: Any
    inlined: Any
    as_floats: Any
    held: Any

    # ---- names

    def of_Name(self, node: Any) -> Any:
        """A name of the function, or one from outside."""
        value = self.look_up(node)
        if isinstance(value, Unbound):
            raise self.scope.source.refuse(node, f"{node.id}, which has a value on some paths alone,", f"give {node.id} a value before the branch or the loop")
        return value

    def look_up(self, node: Any) -> Any:
        """What a name stands for."""
        scope, name = self.scope, node.id
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if name in scope.assigned:
                return Unbound(name)
            last, scope = scope, scope.outer
        found = self.captured.find(last.function, name) if last.function is not None else getattr(builtins, name, _MISSING)
        if found is _MISSING:
            raise self.scope.source.refuse(node, f"{name}, which is not defined,", "define it before the function is called")
        return self.taken(node, name, found)

    def taken(self, node: Any, name: str, found: Any) -> Any:
        """A value from outside: numbers, tuples of them, and what can be called."""
        if isinstance(found, (bool, int, float, complex)) and type(found) in (bool, int, float, complex):
            if isinstance(found, int) and not -(1 << 63) <= found < 1 << 64:
                raise self.scope.source.refuse(node, f"{name}, an integer of {found.bit_length()} bits,", "use a float")
            return Const(found)
        if isinstance(found, tuple):
            return Several(tuple(self.taken(node, name, one) for one in found))
        if is_numpy_number(found):
            t = type_of_dtype(found.dtype)
            return self.text.constant(found.item(), t)
        if is_array(found):
            raise self.scope.source.refuse(node, f"{name}, an array from outside,", "pass it as an argument: the function gets its elements")
        if found is None or isinstance(found, str) or callable(found) or isinstance(found, types.ModuleType) or hasattr(found, "__dict__"):
            return Object(found)
        raise self.scope.source.refuse(node, f"{name}, which is a {type(found).__name__},", "use numbers, tuples of numbers and functions")

    def excluded(self, found: Any) -> Any:
        """An excluded argument, which may be a list or an array, too: the text is made for its elements."""
        if is_array(found):
            if (size := math.prod(found.shape)) > MOST_ELEMENTS:
                raise self.scope.source.refuse(None, f"an excluded array of {size} elements", f"give at most {MOST_ELEMENTS}, or pass the elements as an argument, as table[positions]")
            return self.excluded_array(found)
        if isinstance(found, (tuple, list)):
            return Several(tuple(map(self.excluded, found)), type(found).__name__)
        return self.taken(None, "an excluded argument", found)

    def excluded_array(self, found: Any) -> Any:
        """An array's elements, along its first axis."""
        if not found.shape:
            return self.taken(None, "an excluded argument", found[()])
        one = self.excluded_array if found.ndim > 1 else self.excluded
        return Several(tuple(map(one, found)), "array")

    def of_Attribute(self, node: Any) -> Any:
        """A module's constant or function, or a number's part."""
        of = self.value(node.value)
        if isinstance(of, Object):
            found = self.captured.attribute(of.it, node.attr)
            if found is _MISSING:
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

    # ---- calls

    def of_Call(self, node: Any) -> Any:
        """A call, or a method of a number."""
        if any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords):
            raise self.scope.source.refuse(node, "a call with * or **", "write the arguments one by one")
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("conjugate", "is_integer"):
            x = self.value(node.func.value)
            if isinstance(x, (Value, Const)) and not node.args:
                return self.method(x, node.func.attr)
        function = self.value(node.func)
        if isinstance(function, Object) and function.it is float and len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and not node.keywords:
            return self.float_of(node, node.args[0].value)
        args = [self.value(one) for one in node.args]
        keywords = {one.arg: self.value(one.value) for one in node.keywords}
        return self.call(node, function, args, keywords)

    def float_of(self, node: Any, known: Any) -> Any:
        """float("inf"), and of a number."""
        try:
            return Const(float(known))
        except (ValueError, TypeError, OverflowError) as error:
            raise self.scope.source.refuse(node, f"float({known!r})", f"Python says {error}") from None

    def method(self, x: Any, name: str) -> Any:
        """conjugate() and is_integer()."""
        if name == "conjugate":
            return self.text.op("conj", [self.named(x)], x.type) if x.type.kind == 3 else x
        x = self.as_floats(x)
        return self.text.op("equal", [self.named(x), self.text.op("floor", [self.named(x)], x.type).name], BOOL)

    def call(self, node: Any, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        """What a function gives for these."""
        if isinstance(function, Local):
            return self.inlined(self.scope.source, function.node, None, self.bound(node, function.node, None, args, keywords), function.scope, node)
        if not isinstance(function, Object):
            raise self.scope.source.refuse(node, f"a call of {self.described(function)}", "call functions")
        f = function.it
        f = getattr(f, "_weft_scalar_function", f)
        if isinstance(f, types.FunctionType) and module_of(f).split(".")[0] not in ("weft", "numpy"):
            source, tree = self.source_of(f)
            return self.inlined(source, tree, f, self.bound(node, tree, f, args, keywords), None, node)
        name = getattr(f, "__name__", type(f).__name__)
        module = module_of(f)
        if hasattr(f, "_weft_scalar_text"):
            return self.of_text(node, f, self.numbers(node, name, args, keywords))
        if name != "len" and any(not isinstance(one, (Value, Const)) for one in (*args, *keywords.values())) and instead_of(f"{module}.{name}"):
            raise self.refused_call(node, module, name)
        if module == "builtins" or f in (abs, min, max, round, divmod, pow, len, sum):
            done = self.of_python(node, name, args, keywords)
        elif module == "math":
            done = self.of_math(node, name, self.numbers(node, name, args, keywords))
        elif module == "cmath":
            done = self.of_cmath(node, name, self.numbers(node, name, args, keywords))
        else:
            done = self.of_arrays(node, f, name, self.numbers(node, name, args, keywords))
        if done is None:
            raise self.refused_call(node, module, name)
        return done

    def refused_call(self, node: Any, module: str, name: str) -> Any:
        """The error for a call of what cannot be compiled."""
        name = f"{module}.{name}" if module else name
        advice = instead_of(name) or "use arithmetic, and the functions of math, NumPy and Weft that take numbers"
        shown = name.rpartition(".")[2] if module.startswith(("weft._", "builtins")) else name
        return self.scope.source.refuse(node, f"a call of {shown}", advice)

    def numbers(self, node: Any, name: str, args: list[Any], keywords: dict[str, Any]) -> list[Any]:
        """Operands, which have to be numbers."""
        if keywords:
            raise self.scope.source.refuse(node, f"{next(iter(keywords))}= in a call of {name}", "leave it out, or write the argument by its place")
        return [self.number(node, one, f"{name} of") for one in args]

    def bound(self, node: Any, tree: Any, f: Any, args: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """The arguments by their names."""
        spec = tree.args
        if spec.vararg or spec.kwarg:
            raise self.scope.source.refuse(node, "a function that takes * or **", "name its arguments one by one")
        places, only = [one.arg for one in (*spec.posonlyargs, *spec.args)], [one.arg for one in spec.kwonlyargs]
        given = dict(zip(places, args))
        name = getattr(tree, "name", "the lambda")
        if len(args) > len(places):
            raise self.scope.source.refuse(node, f"{len(args)} arguments for {name}", f"it takes {len(places)}")
        for key, value in keywords.items():
            if key in given or key not in (*places, *only):
                raise self.scope.source.refuse(node, f"the argument {key} of {name}", "give each argument once, by a name that it has")
            given[key] = value
        late = dict(zip(reversed(places), reversed(spec.defaults)))
        late.update({key: value for key, value in zip(only, spec.kw_defaults) if value is not None})
        known = {}
        if f is not None:
            known = dict(zip(reversed(places), reversed(f.__defaults__ or ())))
            known.update(f.__kwdefaults__ or {})
        for key in (*places, *only):
            if key in given:
                continue
            if key in known:
                given[key] = self.taken(node, key, known[key])
            elif key in late and f is None:
                given[key] = self.value(late[key])
            else:
                raise self.scope.source.refuse(node, f"a call of {name} without {key}", f"give it {key}")
        return given

    # ---- Python's own functions

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
                raise self.scope.source.refuse(node, f"math.{name} of a complex number", f"use cmath.{name}, or numpy.{name}")
        x = [self.named(self.cast(one, FLOAT)) for one in args]
        if name in _MATH and len(x) == (3 if name == "fma" else 2 if name in ("atan2", "hypot", "copysign", "nextafter", "pow") else 1):
            return self.text.op(_MATH[name], x, FLOAT)
        if name in _MATH_TESTS and len(x) == 1:
            return self.text.op(_MATH_TESTS[name], x, BOOL)
        if name in _MATH_WHOLE and len(x) == 1:
            return self.cast(self.text.op(_MATH_WHOLE[name], x, FLOAT), INT)
        if name in _FACTORS and len(x) == 1:
            return self.text.op("multiply", [x[0], self.text.constant(_FACTORS[name], FLOAT).name], FLOAT)
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
        return self.text.op("copysign", [self.text.op("remainder", sizes, t).name, x.name], t)

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

    # ---- NumPy's and Weft's

    def of_arrays(self, node: Any, f: Any, name: str, args: list[Any]) -> Any:
        """NumPy's functions and types, and Weft's functions."""
        if isinstance(f, type):
            return self.of_type(node, f, args)
        if not (module_of(f) or module_of(type(f))).startswith(("numpy", "weft")):
            return None
        if name == "where" and len(args) == 3:
            t = promote(args[1].type, args[2].type)
            test = self.truth(node, args[0])
            if isinstance(test, Const):
                return self.cast(args[1] if test.number else args[2], t)
            return self.selected(test, self.cast(args[1], t), self.cast(args[2], t), t)
        if name == "clip" and len(args) == 3:
            return self.map(node, "minimum", [self.map(node, "maximum", [args[0], args[1]]), args[2]])
        if name in ("divmod",) and len(args) == 2:
            return Several((self.binary(node, "FloorDiv", *args), self.binary(node, "Mod", *args)))
        if name in _FACTORS and len(args) == 1:
            x = self.as_floats(args[0])
            return self.text.op("multiply", [self.named(x), self.named(self.cast(Const(_FACTORS[name]), x.type))], x.type)
        if name in ("fmax", "fmin") and len(args) == 2:
            return self.without_nan(node, "maximum" if name == "fmax" else "minimum", *args)
        if name == "fmod" and len(args) == 2:
            t = float_for(promote(args[0].type, args[1].type))
            return self.remainder_of_c(*(Value(self.named(self.cast(one, t)), t) for one in args))
        if name in ("real", "imag") and len(args) == 1:
            return self.part(args[0], name)
        if name == "angle" and len(args) == 1:
            return self.map(node, "atan2", [self.part(args[0], "imag"), self.part(args[0], "real")])
        return self.map(node, _OTHER.get(name, name), args)

    def of_type(self, node: Any, f: Any, args: list[Any]) -> Any:
        """numpy.float32(x) and the like."""
        import numpy

        if not issubclass(f, numpy.generic) or len(args) != 1:
            return None
        try:
            t = type_of_dtype(numpy.dtype(f))
        except (KeyError, TypeError):
            return None
        if t.kind == 0:
            truth = self.truth(node, args[0])
            return Value(self.named(truth), t)
        if args[0].type.kind == 3 and t.kind < 3:
            raise self.scope.source.refuse(node, "a complex number as a real one", "write z.real, or abs(z)")
        return self.cast(args[0], t)

    def without_nan(self, node: Any, op: str, a: Any, b: Any) -> Any:
        """fmax, fmin: of a NaN and a number the number."""
        t = promote(a.type, b.type)
        a, b = self.cast(a, t), self.cast(b, t)
        best = self.map(node, op, [a, b])
        if t.kind != 2:
            return best
        best = self.selected(self.text.op("isnan", [self.named(b)], BOOL), a, best, t)
        return self.selected(self.text.op("isnan", [self.named(a)], BOOL), b, best, t)

    def map(self, node: Any, op: Any, args: list[Any]) -> Any:
        """An op of the table, its operands converted as NumPy does."""
        row = _core.map_rows.get(op) if op else None
        if row is None or row[0] != len(args):
            return None
        _, accepts, result, whole = row
        t = args[0].type
        for one in args[1:]:
            t = promote(t, one.type)
        if not accepts >> t.kind & 1 or (t.kind == 0 and whole == "widened" and not accepts & 1):
            t = INT if t.kind == 0 and accepts & 2 and t.weak else Type("i8") if t.kind == 0 and accepts & 2 else FLOAT if whole == "f64" else float_for(t)
            if not accepts >> t.kind & 1:
                raise self.scope.source.refuse(node, f"{op} of {self.described(args[0])}", "convert the operand first")
        t = Type(t.dtype)
        names = [self.named(self.held(node, one, t)) for one in args]
        given = {"same": t, "bool": Type("bool"), "real": real_of(t), "complex": complex_of(t)}[result]
        return self.text.op(op, names, given)


def _shape_of(of: Several) -> tuple[Const, ...]:
    """An array's extents, of which none is 0 but the last."""
    first = of.parts[0] if of.parts else None
    return (Const(len(of.parts)), *(_shape_of(first) if isinstance(first, Several) else ()))
