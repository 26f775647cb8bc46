"""Functions compiled ahead, for programs in C and C++ that have no compiler."""

from __future__ import annotations

import inspect
import os

from weft import _core
from weft._core import Error
from weft._compile.compiled import function_graph

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable


def _names(f: Any, taken: list[int], count: int) -> list[str]:
    """What the arguments are called: as in Python, where they have names there."""
    f = f.__wrapped__ if isinstance(f, _core.CompiledFunction) else f
    names = []
    try:
        for one in inspect.signature(f, follow_wrapped=False).parameters.values():
            if one.kind not in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD):
                break
            names.append(one.name)
    except (TypeError, ValueError):  # of what is built in
        pass
    names += [f"a{place}" for place in range(len(names), count)]
    return [names[place] for place in taken]


def export(f: Callable[..., Any], *examples: tuple[Any, ...], folder: str | os.PathLike[str] = ".", name: str = "", processor: str = "") -> None:
    """Writes NAME.h and libNAME.a, from which C and C++ programs call the function without Weft's compiler, Python or LLVM.

    Each example is a tuple of arguments: a program is made for its dtypes and shapes. Arrays, floats and integers are arguments in C, too;
    everything else, containers of arrays and arrays that the function uses besides included, becomes part of the program. The function gives an
    array, or a tuple or list of some, and writes to none of its arguments.
    Examples on a GPU make a program for GPUs of its architecture, which takes memory of the host and of the GPU.
    """
    if not callable(f):
        raise TypeError(f"export: takes a function: got {type(f).__name__}")
    if not examples:
        raise TypeError("export: takes at least one tuple of arguments, as an example: got none")
    for example in examples:
        if not isinstance(example, tuple):
            raise TypeError(f"export: takes tuples of arguments, one for each set of shapes: got {type(example).__name__}")
    name = name or getattr(f, "__name__", "")
    if not isinstance(name, str) or not name.isidentifier():
        raise Error(f"export: the function needs a name in C: give name=, got {name!r}")
    graphs, names = [], []
    for example in examples:
        graph, taken = function_graph(f, example)
        graphs.append(graph)
        names.append(_names(f, taken, len(example)))
    if any(one != names[0] for one in names):
        raise Error("export: the examples must have arrays and numbers in the same places")
    _core.write_export(os.fspath(folder), name, graphs, names[0], processor)
