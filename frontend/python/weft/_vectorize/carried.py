"""Functions that no name leads to, lambdas and those inside of others, as their source and the names that it reads: what a pickle holds of them."""

from __future__ import annotations

import ast
import builtins
import copy
import hashlib
import importlib
import linecache
import sys
import types
from typing import Any, NamedTuple

from weft._vectorize.captured import MISSING, Captured
from weft._vectorize.source import source_of


class Module(NamedTuple):
    """A module, by its name."""

    name: str


class Carried(NamedTuple):
    """A function by its source."""

    name: str
    module: str
    text: str  # a def without decorators, or a lambda
    values: dict[str, Any]  # of the names that it reads from outside, but Python's own
    defaults: tuple[Any, ...]
    by_name: dict[str, Any]  # defaults of arguments that have no place


def importable(f: Any) -> bool:
    """Whether its module has the function under its name, so that a pickle needs no more."""
    found: Any = sys.modules.get(f.__module__)
    for part in f.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is f and f.__module__ != "__main__"


def carried(f: Any) -> Carried:
    """What made() makes the function of again."""
    tree = copy.deepcopy(source_of(f)[1])
    if isinstance(tree, ast.FunctionDef):
        tree.decorator_list = []
    captured, values = Captured(), {}
    for name in sorted(_names(f.__code__)):
        value = captured.find(f, name)
        if _is_there(name, value):
            values[name] = _packed(value, f)
    return Carried(f.__name__, f.__module__, ast.unparse(tree), values, f.__defaults__ or (), f.__kwdefaults__ or {})


def made(of: Carried) -> Any:
    """The function, whose source can be read as that of any."""
    space: dict[str, Any] = {"__name__": of.module}
    text = of.text + "\n"
    is_lambda = of.name == "<lambda>"
    file = f"<weft function {hashlib.sha256(text.encode()).hexdigest()[:16]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    if is_lambda:
        f = eval(compile(text, file, "eval"), space)  # noqa: S307
    else:
        exec(compile(text, file, "exec"), space)  # noqa: S102
        f = space[of.name]
    f.__defaults__, f.__kwdefaults__ = of.defaults or None, of.by_name or None
    space.update({name: f if isinstance(value, Module) and value == _ITSELF else _unpacked(value) for name, value in of.values.items()})
    return f


_ITSELF = Module("")


def _names(code: types.CodeType) -> set[str]:
    """What the code, and that of functions inside, may read from outside."""
    inner = [one for one in code.co_consts if isinstance(one, types.CodeType)]
    return {*code.co_names, *code.co_freevars}.union(*(_names(one) for one in inner))


def _is_there(name: str, value: Any) -> bool:
    return value is not MISSING and value is not getattr(builtins, name, MISSING)


def _packed(value: Any, f: Any) -> Any:
    if value is f or getattr(value, "_weft_scalar_function", None) is f:
        return _ITSELF
    if isinstance(value, types.ModuleType):
        return Module(value.__name__)
    if isinstance(value, types.FunctionType) and not importable(value):
        return carried(value)
    return value


def _unpacked(value: Any) -> Any:
    if isinstance(value, Carried):
        return made(value)
    return importlib.import_module(value.name) if isinstance(value, Module) else value
