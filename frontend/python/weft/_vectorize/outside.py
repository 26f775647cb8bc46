"""What is handed in from outside: where it comes from, and whether it is one of NumPy's numbers."""

from __future__ import annotations

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def module_of(it: Any) -> str:
    """Where something is defined; empty where it does not say."""
    module = getattr(it, "__module__", None)
    return module if isinstance(module, str) else ""


def is_numpy_number(found: Any) -> bool:
    """Whether it is one number of NumPy's, and not an array of rank 0, which can change."""
    return module_of(type(found)) == "numpy" and hasattr(found, "dtype") and getattr(found, "shape", None) == () and not hasattr(found, "__setitem__")
