"""Gives public functions the documentation that is written when the package is built: parameters, an example and a link."""

from __future__ import annotations

import sys


def attach(module: str, only: str | None = None) -> None:
    """Replaces what __doc__ of each function of a module says, which is how it begins, by all of it; of one function alone, if it is named."""
    try:
        from weft._help import TEXTS
    except ImportError:  # while it is written
        return
    prefix = module.partition(".")[2]
    names = sys.modules[module].__dict__
    for name in TEXTS if only is None else (f"{prefix}.{only}".lstrip("."),):
        place, _, own = name.rpartition(".")
        if place == prefix and name in TEXTS and (function := names.get(own)) is not None:
            function.__doc__ = TEXTS[name]
