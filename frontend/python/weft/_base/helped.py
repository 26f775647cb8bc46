"""Gives public functions the documentation that is written when the package is built: parameters, an example and a link."""

from __future__ import annotations

import sys


def attach() -> None:
    """Replaces what __doc__ of each says, which is how it begins, by all of it."""
    try:
        from weft._help import TEXTS
    except ImportError:  # while it is written
        return
    for name, text in TEXTS.items():
        module, _, own = ("weft." + name).rpartition(".")
        function = sys.modules[module].__dict__.get(own)
        if function is not None:
            function.__doc__ = text
