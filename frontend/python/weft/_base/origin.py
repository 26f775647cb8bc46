"""Where code and objects are from: the package itself, or elsewhere."""

from __future__ import annotations

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

package = __file__.rpartition("_base")[0]


def module_of(it: Any) -> str:
    """Where a class or a function is defined; empty where it does not say, as classes of extensions whose objects have a __module__ each."""
    module = getattr(it, "__module__", None)
    return module if isinstance(module, str) else ""
