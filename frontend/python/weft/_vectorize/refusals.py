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
    ast.GeneratorExp: ("a generator", "write a loop that adds up what is wanted; sum, any, all and math.prod take one"),
    ast.Yield: ("yield", "return a number or a tuple of numbers"),
    ast.YieldFrom: ("yield from", "return a number or a tuple of numbers"),
    ast.Await: ("await", "leave it out"),
    ast.JoinedStr: ("a string", "use numbers alone: text belongs outside of the function"),
    ast.Starred: ("a starred expression", "name each of the values"),
    ast.Slice: ("such a slice", "take parts of a tuple by constant numbers"),
}
if hasattr(ast, "Match"):
    _ADVICE[ast.Match] = ("match", "write if and elif")
if hasattr(ast, "TryStar"):
    _ADVICE[ast.TryStar] = ("try", "test before what may fail, by if")

# What to write in the place of a function that is called, by its module and its name.
_INSTEAD = {
    "math.gamma": "write math.exp(math.lgamma(x)), for positive x",
    "math.frexp": "write e = math.floor(math.log2(abs(x))) + 1 and x / 2.0 ** e",
    "math.ldexp": "write x * 2.0 ** n",
    "cmath.isclose": "write abs(a - b) <= 1e-9 * max(abs(a), abs(b))",
    "math.dist": "write math.hypot(x - u, y - v), or the square root of a sum",
    "math.hypot": "it takes numbers: write * before a tuple",
    "math.fsum": "write a + b + c, or sum((a, b, c))",
    "math.prod": "write a * b * c",
    "math.sumprod": "write a * u + b * v",
    "builtins.len": "leave it out: it is one number", 
    "builtins.pow": "write pow(a, b) % c",
    "functools.partial": "write a lambda in its place, or make it outside of the function",
    "weft.index": "pass wf.index(axis) as an argument",
    "builtins.print": "leave it out, or call the function itself, of numbers",
    "builtins.any": "write or", "builtins.all": "write and",
    "builtins.sorted": "compare by if, or call min and max",
    "builtins.enumerate": "count by for i in range(…)", "builtins.zip": "count by for i in range(…)", "builtins.reversed": "count by range(n, 0, -1)",
    "builtins.range": "write for … in range(…)",
    "builtins.map": "write for … in range(…)", "builtins.filter": "write for … in range(…), and if",
    "builtins.isinstance": "leave it out: a number has the dtype of its argument",
    "builtins.type": "leave it out: a number has the dtype of its argument",
    "builtins.str": "use numbers alone: text belongs outside of the function", "builtins.repr": "use numbers alone: text belongs outside of the function",
    "builtins.list": "write a tuple, or names of their own", "builtins.dict": "use names of their own, or if and elif", "builtins.set": "write == and or",
    "builtins.slice": "take elements of a tuple by constant numbers",
    "builtins.open": "read the file outside, and pass what it holds as an argument", "builtins.input": "ask outside, and pass the answer as an argument",
}


_ONE = "leave it out: it is one number; functions of rows have a signature, as vectorize(signature='(n)->()')"
_OF_ARRAYS = {"sum", "mean", "prod", "max", "min", "any", "all", "std", "var", "dot", "array", "asarray", "zeros", "ones", "empty", "arange", "argmax", "argmin", "sort",
              "linspace", "cumsum", "median", "average", "interp", "searchsorted", "matmul"}
_ATTRIBUTES = {"astype": "write np.float32(x), int(x) and the like", "item": "leave it out: it is one number", "copy": "leave it out: it is one number",
               **dict.fromkeys(("shape", "size", "ndim", "dtype", "T"), "leave it out: it is one number"), **dict.fromkeys(_OF_ARRAYS, _ONE)}


def instead_of_attribute(name: str) -> str:
    """What to write in the place of a number's attribute."""
    return _ATTRIBUTES.get(name, "use .real, .imag, and functions")


def instead_of(name: str) -> str | None:
    """What to write in the place of a call, by the name with its module; None where there is nothing to say of this one."""
    if name.startswith(("weft._vectorize.elementwise.", "weft._vectorize.kernels.")):
        return "call it outside of the function, as it takes arrays"
    if name.startswith("weft.") and name.endswith(".vectorize"):
        return "call the function itself, which is compiled with this one"
    if name.split(".")[0] == "random" or name.startswith(("numpy.random", "weft.random")):
        return "pass random numbers as an argument, as of random.uniform(0, 1, shape)"
    if name.split(".")[0] == "time":
        return "pass the time as an argument"
    if name.startswith(("numpy.", "weft.")) and name.rpartition(".")[2] in _OF_ARRAYS:
        return _ONE
    return _INSTEAD.get(name)


_MOST_SHOWN = 100  # columns of a line
_BEFORE = 40  # of them in front of the construct, where the line is longer


def _shown(line: str, node: Any) -> tuple[str, str]:
    """The line, cut around the construct where it is long, and what marks the construct below it."""
    column = getattr(node, "col_offset", None)
    if column is None:
        return line.strip(), ""
    # Columns of trees count bytes.
    encoded = line.encode()
    ends_here = node.end_lineno == node.lineno
    start = len(encoded[:column].decode(errors="replace"))
    end = len((encoded[: node.end_col_offset] if ends_here else encoded).decode(errors="replace").rstrip())
    first = len(line) - len(line.lstrip())
    last = len(line.rstrip())
    before = after = ""
    if last - first > _MOST_SHOWN:
        if start - first > _BEFORE:
            first, before = start - _BEFORE, "… "
        if last - first > _MOST_SHOWN:
            last, after = first + _MOST_SHOWN, " …"
    return before + line[first:last] + after, " " * (start - first + len(before)) + "^" * max(min(end, last) - start, 1)


class Source:
    """Where the lines of a function's tree stand in its file."""

    def __init__(self, file: str, first_line: int, lines: list[str], name: str):
        self.file, self.first_line, self.lines, self.name = file, first_line, lines, name

    def refuse(self, node: Any, construct: str, advice: str) -> Error:
        """The error that says so."""
        line = getattr(node, "lineno", 1)
        if not self.file:  # of a function that is not written in Python
            return Error(f"{self.name}: {construct} cannot be compiled: {advice}")
        at = f"{self.file}:{self.first_line + line - 1}"
        shown, mark = _shown(self.lines[line - 1], node) if 0 < line <= len(self.lines) else ("", "")
        return Error(f"{self.name}: {construct} cannot be compiled: {advice}\n  {at}: {shown}" + (f"\n  {' ' * (len(at) + 2)}{mark}" if mark else ""))

    def refuse_kind(self, node: Any) -> Error:
        """The error for a construct that never can."""
        construct, advice = _ADVICE.get(type(node), (type(node).__name__, "use arithmetic, comparisons, if, while and for … in range(…)"))
        return self.refuse(node, construct, advice)
