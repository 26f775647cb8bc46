"""Functions compiled ahead, for programs in C and C++ that have no compiler."""

from __future__ import annotations

import os

from weft import _core
from weft._core import Error
from weft._compile.compiled import function_graph

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable


def _names(f: Any, taken: list[int], count: int) -> list[str]:
    """What the arguments are called in C: as in Python, where they have names there."""
    code = getattr(getattr(f, "__wrapped__", f), "__code__", None)
    known = code.co_varnames[: code.co_argcount] if code is not None else ()
    if len(known) < count:
        known = tuple(f"a{place}" for place in range(count))
    return [known[place] for place in taken]


def export(f: Callable[..., Any], *examples: tuple[Any, ...], folder: str | os.PathLike[str] = ".", name: str = "", processor: str = "") -> None:
    """Writes NAME.h and libNAME.a, from which C and C++ programs call the function without Weft's compiler, Python or LLVM.

    Each example is a tuple of arguments: a program is made for its dtypes and shapes. Arrays and numbers are arguments in C, too; everything
    else, and arrays that the function uses besides, becomes part of the program. The function gives an array, or a tuple or list of some, and
    writes to none of its arguments. The CPU alone.
    """
    if not callable(f):
        raise TypeError(f"export: takes a function: got {type(f).__name__}")
    if not examples:
        raise TypeError("export: takes at least one tuple of arguments, as an example: got none")
    graphs, names = [], []
    for example in examples:
        if not isinstance(example, tuple):
            raise TypeError(f"export: takes tuples of arguments, one for each set of shapes: got {type(example).__name__}")
        graph, taken = function_graph(f, example)
        graphs.append(graph)
        names.append(_names(f, taken, len(example)))
    if any(one != names[0] for one in names):
        raise Error("export: the examples must have arrays and numbers in the same places")
    _core.write_export(os.fspath(folder), name or getattr(f, "__name__", "program"), graphs, names[0], processor)
