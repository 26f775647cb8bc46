"""NumPy's functions for tests, over Weft's arrays too."""

from __future__ import annotations

import functools

from weft._base.errors import missing
from weft._base.host import to_host

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> Any:
    import numpy.testing

    if name.startswith("__") or not hasattr(numpy.testing, name):
        raise missing(".testing", name)
    f = getattr(numpy.testing, name)
    # What compares values; the others take functions, modules and text.
    if not name.startswith(("assert_a", "assert_equal")):
        return f

    @functools.wraps(f)
    def compared(*args: Any, **options: Any) -> Any:
        return f(*map(to_host, args), **{option: to_host(value) for option, value in options.items()})

    globals()[name] = compared
    return compared


def __dir__() -> list[str]:
    import numpy.testing

    return dir(numpy.testing)
