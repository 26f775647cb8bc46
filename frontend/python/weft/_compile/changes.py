"""What a compiled function read from outside that is no longer what it was, in words: `scale was 2.0, and is 3.0`."""

from __future__ import annotations

import types

from weft._core import Array
from weft._base.recorded import described
from weft._compile.guards import Walk, bound_now, walked

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_most = 3  # of them are named


class _Naming(Walk):
    """Notes how the function's code calls what it reads."""

    def __init__(self, *sought: Any) -> None:
        super().__init__(*sought)
        self.names: dict[int, str] = {}  # of values
        self.cells: dict[int, str] = {}  # of variables of enclosing functions
        self.owners: dict[int, Any] = {}  # whose attributes a dict holds

    def name_of(self, value: Any) -> str:
        known = self.names.get(id(value))
        if known is None and isinstance(value, (type, types.ModuleType, types.FunctionType)):
            return value.__name__
        return known or f"a {type(value).__name__}"

    def place(self, holder: Any, key: Any) -> str:
        """What a guard's name, attribute, slot or variable is called."""
        if isinstance(holder, types.CellType):
            return self.cells.get(id(holder), "a variable of an enclosing function")
        name = key if isinstance(key, str) else key.__name__
        owner = self.owners.get(id(holder)) if isinstance(holder, dict) else holder
        return name if owner is None else f"{self.name_of(owner)}.{name}"

    def named(self, value: Any, name: str) -> None:
        self.names.setdefault(id(value), name)

    def bound(self, holder: Any, key: Any, value: Any) -> None:
        self.named(value, self.place(holder, key))
        super().bound(holder, key, value)

    def visit(self, value: Any) -> None:
        if isinstance(value, types.ModuleType):
            self.owners[id(value.__dict__)] = value
        super().visit(value)

    def function(self, f: types.FunctionType) -> None:
        self.cells.update((id(cell), name) for cell, name in zip(f.__closure__ or (), f.__code__.co_freevars))
        super().function(f)

    def container(self, value: Any) -> None:
        for key, one in _parts(value):
            self.named(one, f"{self.name_of(value)}[{key!r}]")
        super().container(value)

    def instance(self, value: Any) -> None:
        own = getattr(value, "__dict__", None)
        if isinstance(own, dict):
            self.owners[id(own)] = value
        super().instance(value)


def _parts(container: Any) -> list[tuple[Any, Any]]:
    """What a container holds in an order, by places or keys."""
    if isinstance(container, dict):
        return list(dict.items(container))
    return list(enumerate(container)) if isinstance(container, (list, tuple)) else []


def _shown(value: Any) -> str:
    if isinstance(value, Array):
        return f"an array of {described(value)}"
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None), tuple)):
        shown = repr(value)
        return shown if len(shown) <= 40 else shown[:37] + "..."
    return f"a {type(value).__name__}"


def _differ(place: str, was: Any, now: Any) -> str:
    then, here = _shown(was), _shown(now)
    return f"{place} is another {type(now).__name__}" if then == here else f"{place} was {then}, and is {here}"


def _same(was: Any, now: Any) -> bool:
    plain = (bool, int, float, complex, str, bytes)
    return was is now or (type(was) is type(now) and isinstance(was, plain) and repr(was) == repr(now))


def _of_parts(name: str, holder: Any, was: Any) -> str:
    """What differs in a container, of which `was` holds the parts: of a dict keys and values in turn."""
    if isinstance(was, (bytes, str)):
        return f"the values of {name} changed"
    now = _parts(holder)
    then = list(zip(was[::2], was[1::2])) if isinstance(holder, dict) else list(enumerate(was))
    if len(now) != len(then) or not now or [key for key, _ in now] != [key for key, _ in then]:
        return f"{name} holds other elements"
    changed = next(((key, one, two) for (key, one), (_, two) in zip(then, now) if not _same(one, two)), None)
    return f"{name} holds other elements" if changed is None else _differ(f"{name}[{changed[0]!r}]", *changed[1:])


def _change(naming: _Naming, holder: Any, key: Any, *was: Any) -> str:
    if key is None and not isinstance(holder, types.CellType):
        return _of_parts(naming.name_of(holder if id(holder) not in naming.owners else naming.owners[id(holder)]), holder, was[0])
    place, missing = naming.place(holder, key), object()
    now = bound_now(holder, key, missing)
    if now is missing:
        return f"{place} is not there any more"
    return _differ(place, was[0], now) if was else f"{place} was not there, and is {_shown(now)}"


def said(f: Any, arguments: list[Any], names: list[str], changed: list[tuple[Any, ...]]) -> str:
    """What changed since the function was recorded for these arguments of these names: guards that hold no more; and arrays that it read, of which
    one was written to, with the array as a guard's holder."""
    naming = walked(f, arguments, lambda *sought: _named(_Naming(*sought), arguments, names))
    written = sorted({naming.name_of(one[0]) for one in changed if isinstance(one[0], Array)})
    lines = [_change(naming, *one) for one in changed if not isinstance(one[0], Array)]
    if written or not changed:
        lines.append(f"{' or '.join(written) or 'an array of Weft that it reads'} was written to")
    lines = sorted({*lines})  # what code names is in no order
    return "; ".join([*lines[:_most], *(["…"] if len(lines) > _most else [])])


def _named(naming: _Naming, arguments: list[Any], names: list[str]) -> _Naming:
    for one, name in zip(arguments, names):
        naming.named(getattr(one, "it", one), name)
    return naming
