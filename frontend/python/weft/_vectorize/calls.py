"""What a scalar function calls: Python's functions, those of math, cmath, NumPy and Weft, and the user's own."""

from __future__ import annotations

import ast
import functools
import types
from typing import Any

from weft._core import Error
from weft._base.origin import module_of
from weft._vectorize.array_functions import ArrayFunctions
from weft._vectorize.generators import Generators
from weft._vectorize.names import Names
from weft._vectorize.python_functions import PythonFunctions
from weft._vectorize.refusals import instead_of
from weft._vectorize.text_ops import TextOps
from weft._vectorize.tuples import Tuples
from weft._vectorize.types import BOOL, FLOAT, INT, Type, float_for, promote
from weft._vectorize.values import Const, Local, Object, Several, Value

# What written.py has, which is imported where it is called: the function's name there, and what its operands are made.
_WRITTEN = {
    **{("math", name): (name, "integers") for name in ("gcd", "lcm", "isqrt", "factorial", "perm", "comb")},
    **{("math", name): (name, "floats") for name in ("modf", "remainder", "ulp", "isclose")},
    **{("numpy", name): (name, "integers") for name in ("gcd", "lcm")},
    **{("numpy", name): (name, "floats") for name in ("modf", "heaviside", "isposinf", "isneginf", "logaddexp2")},
    ("numpy", "isreal"): ("isreal", ""), ("numpy", "iscomplex"): ("iscomplex", ""), ("numpy", "isclose"): ("is_close", ""),
}


class Calls(Names, PythonFunctions, ArrayFunctions, TextOps, Tuples, Generators):
    """Which function is called, and with what. What is not here is of the class that reads statements."""

    text: Any
    scope: Any
    source_of: Any
    value: Any
    named: Any
    number: Any
    described: Any
    inlined: Any
    as_floats: Any
    held: Any

    def of_Call(self, node: Any) -> Any:
        """A call, or a method of a number."""
        if any(one.arg is None for one in node.keywords):
            raise self.scope.source.refuse(node, "a call with **", "write the arguments one by one")
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("conjugate", "is_integer"):
            x = self.value(node.func.value)
            if isinstance(x, (Value, Const)) and not node.args:
                return self.method(x, node.func.attr)
        function = self.value(node.func)
        if isinstance(function, Object) and function.it is float and len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and not node.keywords:
            return self.float_of(node, node.args[0].value)
        if isinstance(function, Object) and (done := self.of_generator(node, function.it)) is not None:
            return done
        args = [value for one in node.args for value in self.given_by(one)]
        keywords = {one.arg: self.value(one.value) for one in node.keywords}
        return self.call(node, function, args, keywords)

    def given_by(self, argument: Any) -> Any:
        """The values that an argument of a call, or a part of a tuple, is: those of a tuple behind a star."""
        if not isinstance(argument, ast.Starred):
            return (self.value(argument),)
        value = self.value(argument.value)
        if not isinstance(value, Several):
            raise self.scope.source.refuse(argument, f"* before {self.described(value)}", "write the values one by one")
        return value.parts

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
            return self.inlined(self.scope.source, function.node, None, self.bound(node, function, None, args, keywords), function.scope, node)
        if not isinstance(function, Object):
            raise self.scope.source.refuse(node, f"a call of {self.described(function)}", "call functions")
        f = function.it
        f = getattr(f, "_weft_scalar_function", f)
        if isinstance(f, types.FunctionType) and module_of(f).split(".")[0] not in ("weft", "numpy"):
            source, tree = self.source_of(f)
            return self.inlined(source, tree, f, self.bound(node, tree, f, args, keywords), None, node)
        bound = self.of_bound(node, f, args, keywords)
        if bound is not None:
            return self.call(node, *bound)
        name = getattr(f, "__name__", type(f).__name__)
        module = module_of(f)
        if (module.split(".")[0], name) in _WRITTEN and not (module == "math" and all(isinstance(one, Const) for one in args)):
            return self.of_written(node, module.split(".")[0], name, args, keywords)
        if hasattr(f, "_weft_scalar_text"):
            return self.of_text(node, f, self.numbers(node, name, args, keywords))
        if module in ("builtins", "math") and (done := self.of_tuples(node, name, args, keywords)) is not None:
            return done
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

    def of_bound(self, node: Any, f: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        """Of a function with arguments of its own, as a method or a partial one, that function and all arguments; None of all others."""
        if isinstance(f, functools.partial):
            own = {name: self.taken(node, name, one) for name, one in f.keywords.items()}
            return Object(f.func), [*(self.taken(node, "an argument of partial()", one) for one in f.args), *args], {**own, **keywords}
        if isinstance(f, types.MethodType) and isinstance(f.__func__, types.FunctionType):
            return Object(f.__func__), [Object(f.__self__), *args], keywords
        if hasattr(f, "cache_info") and isinstance(getattr(f, "__wrapped__", None), types.FunctionType):
            return Object(f.__wrapped__), args, keywords
        called = getattr(type(f), "__call__", None)
        if isinstance(called, types.FunctionType) and module_of(called).split(".")[0] not in ("weft", "numpy"):
            return Object(called), [Object(f), *args], keywords
        return None

    def of_written(self, node: Any, module: str, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
        """A function that is no op, but written of them."""
        from weft._vectorize import written

        if name in ("gcd", "lcm") and len(args) > 2 and module == "math":
            args = [self.of_written(node, module, name, args[:-1], keywords), args[-1]]
        called, kind = _WRITTEN[module, name]
        f = getattr(written, called)
        source, tree = self.source_of(f)
        given = {key: self.number(node, one, f"{name} of") for key, one in self.bound(node, tree, f, args, keywords).items()}
        t = functools.reduce(promote, [one.type for one in given.values()])
        for key, one in given.items():
            if kind and one.type.kind > (1 if kind == "integers" else 2):
                raise self.scope.source.refuse(node, f"{name} of {self.described(one)}", "convert with int(…) first" if kind == "integers" else "take real parts first")
            own = (INT if kind == "integers" else FLOAT) if module == "math" else t if kind == "integers" else float_for(t)
            given[key] = self.held(node, one, Type("i8") if own.kind == 0 else own) if kind else one
        return self.inlined(source, tree, f, given, None, node)

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

    def defaults_of(self, node: Any) -> dict[str, Any]:
        """What arguments are where a call leaves them out, of a function that is written at this place: what cannot be read is told then."""
        spec = node.args
        places = [one.arg for one in (*spec.posonlyargs, *spec.args)]
        given = [*zip(reversed(places), reversed(spec.defaults)), *((one.arg, value) for one, value in zip(spec.kwonlyargs, spec.kw_defaults) if value)]
        found: dict[str, Any] = {}
        for name, default in given:
            try:
                found[name] = self.value(default)
            except Error as error:
                found[name] = error
        return found

    def bound(self, node: Any, tree: Any, f: Any, args: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """The arguments by their names."""
        local = tree if isinstance(tree, Local) else None
        tree = local.node if local else tree
        spec = tree.args
        if spec.kwarg:
            raise self.scope.source.refuse(node, "a function that takes **", "name its arguments one by one")
        places, only = [one.arg for one in (*spec.posonlyargs, *spec.args)], [one.arg for one in spec.kwonlyargs]
        given = dict(zip(places, args))
        name = getattr(tree, "name", "the lambda")
        if spec.vararg:
            given[spec.vararg.arg] = Several(tuple(args[len(places) :]))
        elif len(args) > len(places):
            raise self.scope.source.refuse(node, f"{len(args)} arguments for {name}", f"it takes {len(places)}")
        for key, value in keywords.items():
            if key in given or key not in (*places, *only):
                raise self.scope.source.refuse(node, f"the argument {key} of {name}", "give each argument once, by a name that it has")
            given[key] = value
        known = {}
        if f is not None:
            known = dict(zip(reversed(places), reversed(f.__defaults__ or ())))
            known.update(f.__kwdefaults__ or {})
        for key in (*places, *only):
            if key in given:
                continue
            if key in known:
                given[key] = self.taken(node, key, known[key])
            elif local and key in local.defaults:
                given[key] = local.defaults[key]
                if isinstance(given[key], Exception):
                    raise given[key]
            else:
                raise self.scope.source.refuse(node, f"a call of {name} without {key}", f"give it {key}")
        return given
