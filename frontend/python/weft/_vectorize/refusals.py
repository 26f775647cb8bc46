"""What cannot be compiled: the line, the construct, and what to write instead."""

from __future__ import annotations

import ast
from typing import Any

from weft._core import Error

_ADVICE: dict[type, tuple[str, str]] = {
    ast.Raise: ("raise", "return nan, or another number that says so"),
    ast.Assert: ("assert", "check the results of the whole array"),
    ast.Try: ("try", "test before what may fail, by if"),
    ast.With: ("with", "leave it out, or open what it opens outside of the function"),
    ast.AsyncWith: ("async with", "leave it out"),
    ast.AsyncFor: ("async for", "write for … in range(…)"),
    ast.Delete: ("del", "leave it out: names end with the function"),
    ast.Global: ("global", "return the value in place of setting a global name"),
    ast.Nonlocal: ("nonlocal", "return the value in place of setting an outer name"),
    ast.Import: ("import", "import outside of the function"),
    ast.ImportFrom: ("import", "import outside of the function"),
    ast.ClassDef: ("class", "use numbers and tuples of numbers"),
    ast.AsyncFunctionDef: ("async def", "write def"),
    ast.List: ("a list", "write a tuple, or names of their own"),
    ast.Dict: ("a dict", "use names of their own, or if and elif"),
    ast.Set: ("a set", "write == and or"),
    ast.ListComp: ("a list comprehension", "write a loop that adds up what is wanted"),
    ast.SetComp: ("a set comprehension", "write a loop"),
    ast.DictComp: ("a dict comprehension", "write a loop"),
    ast.GeneratorExp: ("a generator", "write a loop that adds up what is wanted"),
    ast.Yield: ("yield", "return a number or a tuple of numbers"),
    ast.YieldFrom: ("yield from", "return a number or a tuple of numbers"),
    ast.Await: ("await", "leave it out"),
    ast.JoinedStr: ("a string", "use numbers alone: text belongs outside of the function"),
    ast.Starred: ("a starred expression", "name each of the values"),
    ast.Slice: ("a slice", "take elements of a tuple by constant numbers"),
}
if hasattr(ast, "Match"):
    _ADVICE[ast.Match] = ("match", "write if and elif")
if hasattr(ast, "TryStar"):
    _ADVICE[ast.TryStar] = ("try", "test before what may fail, by if")


class Source:
    """Where the lines of a function's tree stand in its file."""

    def __init__(self, file: str, first_line: int, lines: list[str], name: str):
        self.file, self.first_line, self.lines, self.name = file, first_line, lines, name

    def refuse(self, node: Any, construct: str, advice: str) -> Error:
        """The error that says so."""
        line = getattr(node, "lineno", 1)
        shown = self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
        return Error(f"{self.name}: {construct} cannot be compiled: {advice}\n  {self.file}:{self.first_line + line - 1}: {shown}")

    def refuse_kind(self, node: Any) -> Error:
        """The error for a construct that never can."""
        construct, advice = _ADVICE.get(type(node), (type(node).__name__, "use arithmetic, comparisons, if, while and for … in range(…)"))
        return self.refuse(node, construct, advice)
