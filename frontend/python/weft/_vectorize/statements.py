"""What is asked of statements before they are read: which names they set and read, and whether they always leave."""

from __future__ import annotations

import ast
from typing import Any

# Names that no function can have: of the flag that it has returned, and of what it gives.
RETURNED, RESULT = "$returned", "$result"


def assigned_by(nodes: list[Any]) -> set[str]:
    """The names that statements set."""
    names: set[str] = set()
    stack = [*nodes]
    while stack:
        one = stack.pop()
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            names.add(one.id)
        elif isinstance(one, ast.Return):
            names |= {RETURNED, RESULT}
        if isinstance(one, (ast.FunctionDef, ast.Lambda)):  # whose own names are its own
            names |= {one.name} if isinstance(one, ast.FunctionDef) else set()
            stack += [*one.args.defaults, *(default for default in one.args.kw_defaults if default)]
        elif isinstance(one, ast.comprehension):
            stack += [one.iter, *one.ifs]
        else:
            stack += ast.iter_child_nodes(one)
    return names


def reads(node: Any, name: str, but: Any) -> bool:
    """Whether a name is read in a tree, a part of it left out."""
    stack = [node]
    while stack:
        one = stack.pop()
        if one is but:
            continue
        if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load):
            return True
        stack += ast.iter_child_nodes(one)
    return False


def breaks(statements: list[Any]) -> bool:
    """Whether the loop whose statements these are may be broken out of."""
    for one in statements:
        if isinstance(one, ast.Break):
            return True
        inner = [] if isinstance(one, (ast.For, ast.While, ast.FunctionDef)) else getattr(one, "body", [])
        if breaks([*inner, *([] if isinstance(one, ast.FunctionDef) else getattr(one, "orelse", []))]):
            return True
    return False


def tested_inside(loop: ast.While) -> list[ast.stmt]:
    """The same loop, whose test is a statement of its turns: what it sets is set by the one that ends the loop, too."""
    ended = f"$ended{loop.lineno}.{loop.col_offset}"
    asks = bool(loop.orelse) and breaks(loop.body)

    def note(whether: bool) -> ast.stmt:
        return ast.Assign([ast.Name(ended, ast.Store())], ast.Constant(whether))

    leave: list[ast.stmt] = [note(True), ast.Break()] if asks else [ast.Break()]
    turn: list[ast.stmt] = loop.body
    is_and = isinstance(loop.test, ast.BoolOp) and isinstance(loop.test.op, ast.And)
    for test in reversed(loop.test.values if is_and else [loop.test]):  # type: ignore[attr-defined]
        turn = [ast.If(test, turn, leave)]
    inside = ast.While(ast.Constant(True), turn, [])
    inside.stands_for = loop  # type: ignore[attr-defined]
    out: list[ast.stmt] = [note(False), inside, ast.If(ast.Name(ended, ast.Load()), loop.orelse, [])] if asks else [inside, *loop.orelse]
    for one in out:
        ast.fix_missing_locations(ast.copy_location(one, loop) if one not in loop.orelse else one)
    return out


def always_leaves(statements: list[Any]) -> bool:
    """Whether no path goes on behind them."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, (ast.Return, ast.Break, ast.Continue)):
        return True
    return isinstance(last, ast.If) and always_leaves(last.body) and always_leaves(last.orelse)
