"""The syntax tree of a function, from its source."""

from __future__ import annotations

import ast
import copy
import functools
import linecache
from typing import Any

from weft._core import Error
from weft._vectorize.refusals import Source


class Unreadable(Error):
    """There is no source to compile: Python has to call the function."""


_MOST_CLOSING = 400  # lines behind the last instruction of a function

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
    # Of the code object: of a function that wraps another, inspect would show the other.
    name, code = f.__name__ if f.__name__ != "<lambda>" else "the lambda", f.__code__
    lines = _lines(f)
    if lines and f.__name__ == "<lambda>":
        return _lambda_of(code, lines)
    found = _definition(code, lines)
    if found is None:
        raise Unreadable(f"vectorize: the source of {name} cannot be read: write it in a file or a notebook")
    text, tree = found
    source = Source(code.co_filename, max(code.co_firstlineno, 1), text.splitlines(), name)
    if not isinstance(tree, ast.FunctionDef):
        raise source.refuse_kind(tree)
    return source, tree


def _lines(f: Any) -> list[str]:
    """Those of the file. inspect would ask which module it is first, which takes longer than all the rest."""
    linecache.checkcache(f.__code__.co_filename)
    return linecache.getlines(f.__code__.co_filename, f.__globals__)


def _definition(code: Any, lines: list[str]) -> tuple[str, Any] | None:
    """The text and the tree of the function that starts where the code says; None where none does."""
    first = code.co_firstlineno - 1
    # What ends behind the last line of the code is a bracket or does nothing.
    for end in range(_last_line(code), min(len(lines), _last_line(code) + _MOST_CLOSING) + 1):
        text = "".join(lines[first:end])
        is_inside = text[:1].isspace()
        try:  # what stands inside of something is parsed there: taking the indent away would change strings
            tree = ast.parse("if 1:\n" + text).body[0].body if is_inside else ast.parse(text).body
        except SyntaxError:
            continue
        if len(tree) == 1 and getattr(tree[0], "name", None) == code.co_name:
            return text, ast.increment_lineno(tree[0], -1) if is_inside else tree[0]
        return None
    return None


def _last_line(code: Any) -> int:
    """The last line that an instruction is of, those of functions inside included."""
    inner = [_last_line(one) for one in code.co_consts if hasattr(one, "co_lines")]
    return max([code.co_firstlineno, *inner, *(line for *_, line in code.co_lines() if line is not None)])


@functools.lru_cache(maxsize=8)
def _lambdas(text: str) -> list[Any]:
    """Those of a file."""
    return [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Lambda)]


def _lambda_of(code: Any, lines: list[str]) -> tuple[Source, Any]:
    """The lambda of this code in the file of these lines."""
    try:
        found = [one for one in _lambdas("".join(lines)) if one.lineno == code.co_firstlineno]
    except SyntaxError:
        raise Unreadable("vectorize: the source of the lambda cannot be read: write it with def") from None
    several = len(found)
    if several > 1:
        found = _at_positions(found, code) or [one for one in found if _same_code(one, code)]
    if not found or any(ast.dump(one) != ast.dump(found[0]) for one in found):
        others = f"of others, as {several} start on this line" if several else "of others, as the file has none there now"
        raise Error(f"vectorize: the source of the lambda at {code.co_filename}:{code.co_firstlineno} cannot be told from that {others}: write each on a line of its own, "
                    "or with def")
    node, first = found[0], found[0].lineno
    last = node.end_lineno or first
    shifted = ast.increment_lineno(copy.deepcopy(node), 1 - first)
    return Source(code.co_filename, first, [line.rstrip("\n") for line in lines[first - 1 : last]], "the lambda"), shifted


def _at_positions(nodes: list[Any], code: Any) -> list[Any]:
    """The innermost whose body holds all that the code says of where its instructions stand; none where it says nothing, as before Python 3.11."""
    if not hasattr(code, "co_positions"):
        return []

    def body(node: Any) -> tuple[tuple[int, int], tuple[int, int]]:
        return (node.body.lineno, node.body.col_offset), (node.body.end_lineno, node.body.end_col_offset)

    stand = [((line, column), (last, end)) for line, last, column, end in code.co_positions() if line is not None and column is not None and (column, end) != (0, 0)]
    inside = [node for node in nodes if all(body(node)[0] <= first and last <= body(node)[1] for first, last in stand)]
    return sorted(inside, key=lambda node: body(node)[0])[-1:] if stand else []


def _same_code(node: Any, code: Any) -> bool:
    """Whether the lambda alone would compile to this."""
    made = next(one for one in compile(ast.Expression(node), "<lambda>", "eval").co_consts if hasattr(one, "co_code"))
    return (made.co_code, made.co_names, made.co_consts) == (code.co_code, code.co_names, code.co_consts) and made.co_varnames == code.co_varnames
