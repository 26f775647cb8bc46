"""vmap(): a function done for many values at once, without a loop."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._array.shaping import moveaxis
from weft._base.asarray import asarray
from weft._base.recorded import recording
from weft._derive.trees import flatten

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _axes(op: str, axes: Any, tree: Any) -> list[Any]:
    """The axis of each leaf: axes is one for all of a tree, or a tree of them that ends earlier."""
    if axes is None or hasattr(axes, "__index__"):
        return [axes] * len(flatten(tree)[0])
    if isinstance(axes, dict) and isinstance(tree, dict):
        if axes.keys() != tree.keys():
            raise ValueError(f"vmap: {op} has the keys of what it is for: got {list(axes)} for {list(tree)}")
        return [one for key in tree for one in _axes(op, axes[key], tree[key])]
    if isinstance(axes, (tuple, list)) and isinstance(tree, (tuple, list)):
        if len(axes) != len(tree):
            raise ValueError(f"vmap: {op} has an axis for each part: got {len(axes)} for {len(tree)}")
        return [one for axis, part in zip(axes, tree) for one in _axes(op, axis, part)]
    raise TypeError(f"vmap: {op} is an integer, None, or a tree of them like that which it is for: got {type(axes).__name__}")


def vmap(f: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """A function that gives f's results for every part of its arguments along an axis.

    in_axes: the axis of all arguments, or one for each; None for what all parts take whole. out_axes: where the results have the axis of
    the parts. f is called once, with parts that have no values: it cannot decide by them. Gradients go through it, and within it."""
    if not callable(f):
        raise TypeError(f"vmap: takes a function: got {type(f).__name__}")

    def of_parts(*args: Any, **keywords: Any) -> Any:
        args_and_keywords = [list(args), keywords]
        leaves, put_together = flatten(args_and_keywords)
        wanted = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        axes = [*_axes("in_axes", wanted, list(args)), *(0 for _ in flatten(keywords)[0])]
        places = [i for i, axis in enumerate(axes) if axis is not None]
        arrays = [asarray(leaves[i]) for i in places]
        for array, i in zip(arrays, places):
            if not array.ndim:
                raise ValueError(f"vmap: an argument with an axis has one: got a number, argument {i}; in_axes=None takes it whole")
        put: Any = None

        def on(parts: list[Array]) -> list[Array]:
            nonlocal put
            given = list(leaves)
            for i, part in zip(places, parts):
                given[i] = part
            values, named = put_together(given)
            outside = recording.set(object())
            try:
                result = f(*values, **named)
            finally:
                recording.reset(outside)
            found, put = flatten(result)
            return [asarray(one) for one in found]

        results = _core.vmap(on, arrays, [axes[i] for i in places])
        result = put(results)
        if out_axes == 0 and not isinstance(out_axes, bool):
            return result
        return put(one if axis == 0 else moveaxis(one, 0, axis) for one, axis in zip(results, _axes("out_axes", out_axes, result)))

    return of_parts
