"""Nested tuples, lists, dicts and dataclasses of arrays, taken apart into leaves and put together again."""

from __future__ import annotations

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def flatten(tree: Any) -> tuple[list[Any], Callable[[Iterable[Any]], Any]]:
    """The leaves of a tree in order, and what makes an equal tree of other leaves. None is a tree without leaves."""
    leaves: list[Any] = []
    make = _taken_apart(tree, leaves)

    def put_together(others: Iterable[Any]) -> Any:
        return make(iter(others))

    return leaves, put_together


def _taken_apart(tree: Any, leaves: list[Any]) -> Any:
    if tree is None:
        return lambda others: None
    if isinstance(tree, dict):
        kind, keys = type(tree), list(tree)
        parts = [_taken_apart(tree[key], leaves) for key in keys]
        whole = tree

        def dictionary(others: Any) -> Any:
            made = dict(zip(keys, [part(others) for part in parts]))
            if kind is dict:
                return made
            same = whole.copy()  # with what else it holds, as a defaultdict's factory
            same.update(made)
            return same

        return dictionary
    if isinstance(tree, (tuple, list)):
        kind, parts = type(tree), [_taken_apart(one, leaves) for one in tree]
        gather = kind._make if hasattr(kind, "_make") else kind
        return lambda others: gather([part(others) for part in parts])
    if hasattr(type(tree), "__dataclass_fields__"):
        names = list(type(tree).__dataclass_fields__)
        parts = [_taken_apart(getattr(tree, name), leaves) for name in names]
        kind, held = type(tree), vars(tree) if hasattr(tree, "__dict__") else {}

        def data(others: Any) -> Any:
            made = object.__new__(kind)
            for name, value in held.items():
                object.__setattr__(made, name, value)
            for name, part in zip(names, parts):
                object.__setattr__(made, name, part(others))  # also where it is frozen
            return made

        return data
    leaves.append(tree)
    return next


def flatten_like(op: str, tree: Any, like: Any) -> list[Any]:
    """The leaves of a tree of the same structure. Error where it has another."""
    leaves, wanted = flatten(tree)[0], flatten(like)[0]
    if len(leaves) != len(wanted):
        raise ValueError(f"{op}: takes a tree of the structure of its values: got {len(leaves)} leaves for {len(wanted)}")
    return leaves


def paths_of(tree: Any, path: str) -> list[str]:
    """How each leaf of a tree is reached, in the order of flatten()."""
    if tree is None:
        return []
    if isinstance(tree, dict):
        return [one for key in tree for one in paths_of(tree[key], f"{path}[{key!r}]")]
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return [one for name in tree._fields for one in paths_of(getattr(tree, name), f"{path}.{name}")]
    if isinstance(tree, (tuple, list)):
        return [one for i, part in enumerate(tree) for one in paths_of(part, f"{path}[{i}]")]
    if hasattr(type(tree), "__dataclass_fields__"):
        return [one for name in type(tree).__dataclass_fields__ for one in paths_of(getattr(tree, name), f"{path}.{name}")]
    return [path]
