"""Calls that a function does not take: refused in Python's own words, before anything is compiled."""

from __future__ import annotations

import functools
import types
from typing import Any


def check_call(f: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """TypeError where Python would raise it for the call. Of what is not written in Python nothing is known."""
    if isinstance(f, functools.partial):
        return check_call(f.func, (*f.args, *args), {**f.keywords, **keywords})
    if isinstance(f, types.MethodType):
        return check_call(f.__func__, (f.__self__, *args), keywords)
    if hasattr(f, "cache_info") and isinstance(getattr(f, "__wrapped__", None), types.FunctionType):
        f = f.__wrapped__
    if not isinstance(f, types.FunctionType):
        called = getattr(type(f), "__call__", None)
        return check_call(called, (f, *args), keywords) if isinstance(called, types.FunctionType) else None
    if "out" in keywords and not f.__code__.co_flags & _TAKES_ANY_NAME and "out" not in f.__code__.co_varnames:
        raise TypeError(f"{f.__name__}: out is no argument of a vectorized function, which gives new arrays: write out[...] = {f.__name__}(…)")
    _same_arguments(f)(*args, **keywords)
    return None


_TAKES_MORE, _TAKES_ANY_NAME = 0x04, 0x08  # of a code object's flags


def _same_arguments(f: Any) -> Any:
    """A function that takes what this one takes, and does nothing."""
    code = f.__code__
    names = code.co_varnames
    places, only = code.co_argcount, code.co_kwonlyargcount
    spec = [*names[:places]]
    if code.co_posonlyargcount:
        spec.insert(code.co_posonlyargcount, "/")
    rest = names[places + only :]
    if code.co_flags & _TAKES_MORE:
        spec.append("*" + rest[0])
    elif only:
        spec.append("*")
    spec += names[places : places + only]
    if code.co_flags & _TAKES_ANY_NAME:
        spec.append("**" + rest[bool(code.co_flags & _TAKES_MORE)])
    space: dict[str, Any] = {}
    exec(f"def f({', '.join(spec)}): pass", space)  # noqa: S102
    same = space["f"]
    same.__name__, same.__qualname__ = f.__name__, f.__qualname__
    same.__defaults__, same.__kwdefaults__ = f.__defaults__, f.__kwdefaults__
    return same
