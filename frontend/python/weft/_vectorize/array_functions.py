"""NumPy's and Weft's functions and types, of numbers."""

from __future__ import annotations

from typing import Any

from weft import _core
from weft._names import SAME
from weft._base.origin import module_of
from weft._vectorize.python_functions import FACTORS
from weft._vectorize.types import BOOL, FLOAT, INT, Type, complex_of, float_for, promote, real_of, type_of_dtype
from weft._vectorize.values import Const, Several, Value

# NumPy's and Weft's names that are another op, or none.
_OTHER = {**SAME, "fabs": "abs", "fix": "trunc", "rint": "round", "around": "round", "round": "round", "fmax": None, "fmin": None}


class ArrayFunctions:
    """Calls of them. What is not here is of the class that reads statements."""

    text: Any
    scope: Any
    truth: Any
    cast: Any
    named: Any
    held: Any
    binary: Any
    described: Any
    as_floats: Any
    selected: Any
    remainder_of_c: Any
    rounded_to: Any
    part: Any

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
        if name in FACTORS and len(args) == 1:
            x = self.as_floats(args[0])
            return self.text.op("multiply", [self.named(x), self.named(self.cast(Const(FACTORS[name]), x.type))], x.type)
        if name in ("fmax", "fmin") and len(args) == 2:
            return self.without_nan(node, "maximum" if name == "fmax" else "minimum", *args)
        if name == "fmod" and len(args) == 2:
            t = promote(args[0].type, args[1].type)
            t = t if t.kind >= 1 else Type("i8")
            return self.remainder_of_c(*(Value(self.named(self.held(node, one, t)), t) for one in args))
        if name in ("real", "imag") and len(args) == 1:
            return self.part(args[0], name)
        if name in ("round", "around") and len(args) == 2:
            x, t = args[0], args[0].type
            return self.rounded_to(node, Value(self.named(x), Type(t.dtype)) if t.weak else x, args[1])
        if len(args) == 1 and (done := self.of_whole(node, name, args[0])) is not None:
            return done
        if name == "angle" and len(args) == 1:
            return self.map(node, "atan2", [self.part(args[0], "imag"), self.part(args[0], "real")])
        return self.map(node, _OTHER.get(name, name), args)

    def of_whole(self, node: Any, name: str, x: Any) -> Any:
        """NumPy's functions that give another dtype of bools or integers than the map of their name; None of all others."""
        kind = x.type.kind
        if kind == 0 and name in ("abs", "absolute", "floor", "ceil", "trunc", "fix"):
            return Value(self.named(x), Type("bool"))
        if kind <= 1 and name in ("rint", "fabs") or kind == 0 and name in ("round", "around"):
            return self.map(node, _OTHER[name], [self.as_floats(x)])
        if kind == 0 and name == "angle":
            return self.map(node, "atan2", [self.cast(Const(0.0), FLOAT), self.cast(x, FLOAT)])
        if kind <= 1 and name == "reciprocal":
            t = x.type if kind == 1 else Type("i8")
            x, found = self.cast(x, t), self.text.constant(0, t)  # of all but 1 and -1 it is 0
            ends = [self.text.op("equal", [self.named(x), self.text.constant(one, t).name], BOOL) for one in ((1, -1) if t.signed else (1,))]
            for test in ends:
                found = self.selected(test, x, found, t)
            return found
        return None

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
