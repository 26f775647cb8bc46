"""Dask knows by their types which arrays it computes percentiles of: it is told of Weft's when it first looks at one."""

from __future__ import annotations

import sys

from weft._core import Array

_questions = ("_meta", "__dask_graph__", "__dask_tokenize__")  # attributes that Dask asks of every object, and arrays do not have


def told_by(name: str) -> None:
    """Tells Dask, where it is Dask that asks for an attribute of this name."""
    dispatch = sys.modules.get("dask.array.dispatch") if name in _questions else None
    if dispatch is not None:
        import numpy

        dispatch.percentile_lookup.register(Array, dispatch.percentile_lookup.dispatch(numpy.ndarray))


told_by("_meta")  # where Dask came first
