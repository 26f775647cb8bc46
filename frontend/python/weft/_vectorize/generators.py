"""Generators and comprehensions that a call reduces at once: sum(x * k for k in range(n)) is the loop that adds up."""

from __future__ import annotations

import ast
from typing import Any

from weft._vectorize.values import Const, Local

_TOTAL = "$total"  # a name that no function can have


def _joined(function: str, element: ast.expr) -> ast.stmt:
    """What a turn does with its element."""
    if function in ("any", "all"):
        test = element if function == "any" else ast.UnaryOp(ast.Not(), element)
        return ast.If(test, [ast.Return(ast.Constant(function == "any"))], [])
    sign: ast.operator = ast.Mult() if function == "prod" else ast.Add()
    return ast.Assign([ast.Name(_TOTAL, ast.Store())], ast.BinOp(ast.Name(_TOTAL, ast.Load()), sign, element))


def as_loop(function: str, made: Any) -> ast.FunctionDef:
    """A function without arguments whose loops compute what `function` gives of the elements. The start of a sum is the name that it begins with."""
    turn: list[ast.stmt] = [_joined(function, made.elt)]
    for one in reversed(made.generators):
        for test in reversed(one.ifs):
            turn = [ast.If(test, turn, [])]
        turn = [ast.For(one.target, one.iter, turn, [])]
    end: ast.expr = ast.Constant(function == "all") if function in ("any", "all") else ast.Name(_TOTAL, ast.Load())
    nothing = ast.arguments(posonlyargs=[], args=[ast.arg(_TOTAL)], kwonlyargs=[], kw_defaults=[], defaults=[])
    node = ast.FunctionDef("the generator", nothing, [*turn, ast.Return(end)], [])
    for one in ast.walk(node):  # what has no place of its own stands where the generator does
        if isinstance(one, (ast.stmt, ast.expr, ast.arg)) and not hasattr(one, "lineno"):
            ast.copy_location(one, made)
    return node


class Generators:
    """Calls of what reduces them. What is not here is of the class that reads statements."""

    scope: Any
    value: Any
    inlined: Any
    described: Any

    def of_generator(self, node: Any, function: Any) -> Any:
        """What the call gives, where its first argument is a generator or a list of what a loop computes; None of all other calls."""
        name = {sum: "sum", any: "any", all: "all"}.get(function) or ("prod" if getattr(function, "__module__", "") == "math" and function.__name__ == "prod" else None)
        if not node.args or not isinstance(node.args[0], (ast.GeneratorExp, ast.ListComp)):
            return None
        made, refuse = node.args[0], self.scope.source.refuse
        if name is None or len(node.args) > 1 + (name == "sum") or any(one.arg != "start" for one in node.keywords):
            what = "a generator" if isinstance(made, ast.GeneratorExp) else "a list comprehension"
            raise refuse(made, what, "write a loop that keeps what is wanted; sum, any, all and math.prod take one")
        named = [one for one in ast.walk(made) if isinstance(one, ast.NamedExpr)]
        if named:
            raise refuse(named[0], ":= in a generator", "write a loop")
        begin = [self.value(one) for one in (*node.args[1:], *(one.value for one in node.keywords))]
        first = begin[0] if begin else Const(1 if name == "prod" else 0)
        local = Local(as_loop(name, made), self.scope, {})
        return self.inlined(self.scope.source, local.node, None, {_TOTAL: first}, self.scope, node)
