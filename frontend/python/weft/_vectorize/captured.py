"""Names from outside that a function was compiled with, and whether they have the values that they had."""

from __future__ import annotations

import builtins
from typing import Any

from weft._vectorize.outside import known_as, may_change

MISSING = object()


class Captured:
    """Names from outside that a function was compiled with, and whether they are what they were."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], tuple[Any, str, Any, Any]] = {}

    def find(self, function: Any, name: str) -> Any:
        """The value of a free name of a function; MISSING where there is none."""
        code = function.__code__
        if name in code.co_freevars:
            cell = function.__closure__[code.co_freevars.index(name)]
            try:
                value = cell.cell_contents
            except ValueError:
                return MISSING
            self._keep(cell, "", value)
            return value
        space = function.__globals__
        if name in space:
            self._keep(space, name, space[name])
            return space[name]
        return getattr(builtins, name, MISSING)

    def attribute(self, of: Any, name: str) -> Any:
        """The same of an attribute of a module or an object."""
        value = getattr(of, name, MISSING)
        if value is not MISSING:
            self._keep(of, "." + name, value)
        return value

    def _keep(self, of: Any, name: str, value: Any) -> None:
        self._known[id(of), name] = of, name, value, known_as(value) if may_change(value) else None

    def unchanged(self) -> bool:
        """Whether each name has the value that it had."""
        for of, name, value, held in self._known.values():
            if not name:
                now = of.cell_contents
            elif name[0] == ".":
                now = getattr(of, name[1:], MISSING)
            else:
                now = of.get(name, MISSING)
            if held is not None:
                if known_as(now) != held:
                    return False
            elif now is not value and known_as(now) != known_as(value):
                return False
        return True
