"""What Dask is told of Weft's arrays, when it first looks at one: how their percentiles are found, and to compute what a task gives once it has run.

A task's result that is recorded only would keep the chunks that it is made of: a sum over a large data set would come to hold all of it.
"""

from __future__ import annotations

import sys

from weft import _core
from weft._core import Array

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_questions = ("_meta", "__dask_graph__", "__dask_tokenize__")  # attributes that Dask asks of every object, and arrays do not have
_told: set[str] = set()


def _arrays_in(value: Any) -> Iterator[Array]:
    if isinstance(value, Array):
        yield value
    elif type(value) in (list, tuple):
        for one in value:
            yield from _arrays_in(one)
    elif type(value) is dict:
        yield from _arrays_in(list(value.values()))


def _compute(key: Any, result: Any, *state: Any) -> None:
    """Called with what a task of a local scheduler gave."""
    arrays = list(_arrays_in(result))
    if arrays:
        _core.eval(arrays)


def _size(array: Array) -> int:
    """Called by a worker, in the task's thread, with what its task gave."""
    _core.eval([array])
    return array.__sizeof__()


def _tell(module: str) -> None:
    parts = sys.modules[module].__dict__
    if module == "dask.array.dispatch":
        import numpy

        parts["percentile_lookup"].register(Array, parts["percentile_lookup"].dispatch(numpy.ndarray))
    elif module == "dask.callbacks":
        parts["Callback"](posttask=_compute).register()
    else:
        parts["sizeof"].register(Array, _size)


def told_by(name: str) -> None:
    """Tells Dask, where it is Dask that asks for an attribute of this name."""
    if name not in _questions:
        return
    for module in ("dask.array.dispatch", "dask.callbacks", "dask.sizeof"):
        if module in sys.modules and module not in _told:
            _told.add(module)
            _tell(module)


told_by("_meta")  # where Dask came first
