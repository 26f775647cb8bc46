"""The syntax tree of a function, from its source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

from weft._core import Error
from weft._vectorize.refusals import Source


class Unreadable(Error):
    """There is no source to compile: Python has to call the function."""


_known: dict[Any, tuple[Source, Any]] = {}


def source_of(f: Any) -> tuple[Source, Any]:
    """Where the function stands, and its tree: a def or a lambda. Read once for each code object."""
    code = getattr(f, "__code__", None)
    if code is None:
        raise Unreadable(f"vectorize: {getattr(f, '__name__', f)!s} is not written in Python")
    found = _known.get(code)
    if found is None:
        found = _known[code] = _read(f)
    return found


def _read(f: Any) -> tuple[Source, Any]:
    name = f.__name__ if f.__name__ != "<lambda>" else "the lambda"
    try:
        lines, first = inspect.getsourcelines(f)
    except (OSError, TypeError):
        raise Unreadable(f"vectorize: the source of {name} cannot be read: write it in a file or a notebook") from None
    text = textwrap.dedent("".join(lines))
    source = Source(f.__code__.co_filename, max(first, 1), text.splitlines(), name)
    if f.__name__ == "<lambda>":
        return source, _lambda_in(f, text, source)
    tree = ast.parse(text).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise source.refuse_kind(tree)
    return source, tree


def _lambdas(text: str) -> list[Any]:
    """Those of the longest part of the text, from its beginning on, that can be read: as it is, as arguments of a call, or as an entry of a dict."""
    for end in range(len(text), 0, -1):
        for opens, closes in (("", ""), ("(", ""), ("{", "}")):
            try:
                tree = ast.parse(opens + text[:end] + closes)
            except SyntaxError:
                continue
            found = [one for one in ast.walk(tree) if isinstance(one, ast.Lambda)]
            if found:
                return found
    return []


def _lambda_in(f: Any, text: str, source: Source) -> Any:
    """The lambda of this code among those of its lines, which may be a part of a statement alone."""
    found = _lambdas(text)
    if len(found) > 1:
        found = [one for one in found if _same_code(one, f.__code__)]
    if not found or any(ast.dump(one) != ast.dump(found[0]) for one in found):
        raise Error(f"vectorize: the source of the lambda at {source.file}:{source.first_line} cannot be told from that of others: write it with def")
    return found[0]


def _same_code(node: Any, code: Any) -> bool:
    made = compile(ast.Expression(node), "<lambda>", "eval").co_consts[0]
    return (made.co_code, made.co_names, made.co_consts) == (code.co_code, code.co_names, code.co_consts) and made.co_varnames == code.co_varnames
