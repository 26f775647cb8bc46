"""A Python function as a scalar function for these types of its arguments."""

from __future__ import annotations

import functools
import types
from typing import Any

from weft import _core
from weft._core import Error
from weft._vectorize.captured import Captured
from weft._vectorize.lower import Lower, Scope
from weft._vectorize.refusals import Source
from weft._vectorize.source import Unreadable, source_of
from weft._vectorize.types import Type
from weft._vectorize.values import Const, Object, Several, Text, Value, leaves_of


def _is_bound(f: Any) -> bool:
    """Whether it is a function with arguments of its own: a method, a partial one, an object that can be called."""
    return isinstance(f, (types.MethodType, functools.partial)) or isinstance(getattr(type(f), "__call__", None), types.FunctionType) or hasattr(f, "cache_info")


class Compiled:
    """A scalar function, and what it was made of."""

    def __init__(self, pyfunc: Any, arguments: list[Any], keywords: dict[str, Any], name: str):
        """`arguments` and `keywords`: a Type for what an array gives, anything else for what is known."""
        self.given = arguments, keywords  # what is known by its identity alone lives as long as this
        lower = Lower()
        lower.text = text = Text()
        lower.depth = lower.counters = 0
        lower.under_way = []
        lower.captured = self.captured = Captured()
        lower.source_of = source_of
        params: list[str] = []

        def value(one: Any) -> Any:
            if not isinstance(one, Type):
                return lower.taken(None, "an excluded argument", one)
            made = Value(text.fresh(), one)
            params.append(f"{made.name} : {one.dtype}")
            return made

        is_python = isinstance(pyfunc, types.FunctionType)
        source = source_of(pyfunc)[0] if is_python else Source("", 1, [], name)
        lower.scope = Scope(source, pyfunc if is_python else None)
        try:
            result = lower.call(None, Object(pyfunc), [value(one) for one in arguments], {key: value(one) for key, one in keywords.items()})
        except Error as error:
            if not _is_bound(pyfunc):
                raise
            # What such an object holds is often more than numbers, which Python may well compute with.
            raise Unreadable(f"vectorize: {pyfunc!r} is no plain function: {error}") from None
        if not params:
            raise Error(f"{name}: takes one array at least: got none")
        leaves = leaves_of(result)
        if any(not isinstance(one, (Value, Const)) for one in leaves) or not leaves or any(isinstance(one, Several) for one in getattr(result, "parts", ())):
            raise source.refuse(None, f"a result that is {lower.described(result)}", "return a number or a tuple of numbers")
        self.is_several = isinstance(result, Several)
        given = [lower.named(one) for one in leaves]
        lines = [f"function {name}({', '.join(params)}) {{", *text.lines, f"return {', '.join(given)}", "}"]
        self.text = "\n".join(lines) + "\n"
        self.function = _core.scalar_function(self.text)
