"""Pickles of before name modules that are gone: what they name is found where it is now."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# The modules that have what pickles named in each of those of before; what users call is in weft itself.
_NOW = {
    "_compiled": "_compile.compiled",
    "_devices": "_base.devices",
    "_dtypes": "_base.dtypes",
    "_generator": "random._generator",
    "_host": "_numpy.by_numpy",
    "_layout": "_array.layout",
    "_methods": "_protocols.methods",
    "_numpy_maps": "_numpy.maps",
    "_numpy_names": "_numpy.names",
    "_reductions": "_array.reductions",
    "_streams": "_base.streams",
    "stride_tricks": "lib.stride_tricks",
}
_ONLY_OF_USERS = (
    "_bits _choices _creation _diagonals _editing _einsum _elementwise _files _flat _grids _indexing _info _nan_reductions _polynomials "
    "_products _scans _session _shaping _stacking _text _walks _windows"
).split()


class _Finder:
    """Finds modules of these names, which have what the modules of today have."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        package, _, old = name.rpartition(".")
        if package != "weft" or (old not in _NOW and old not in _ONLY_OF_USERS):
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> None:
        """None: a module as all others."""

    def exec_module(self, module: ModuleType) -> None:
        old = module.__name__.rpartition(".")[2]
        places = [f"weft.{_NOW[old]}"] if old in _NOW else []

        def found(name: str) -> Any:
            for place in (*places, "weft"):
                here = __import__(place, fromlist=["*"])
                if name in vars(here):
                    return vars(here)[name]
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

        module.__getattr__ = found  # type: ignore[method-assign]


def register() -> None:
    """Lets Python find the modules of before."""
    sys.meta_path.append(_Finder())  # type: ignore[arg-type]
