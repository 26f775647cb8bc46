"""What the standard's programs ask of the namespace: dtypes, devices, capabilities."""

from __future__ import annotations

from weft import _core
from weft._base.devices import Device, devices as all_devices

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_kinds = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_kinds["integral"] = _kinds["signed integer"] + _kinds["unsigned integer"]
_kinds["numeric"] = _kinds["integral"] + _kinds["real floating"] + _kinds["complex floating"]


class __array_namespace_info__:
    """What Weft offers, in the words of the Array API standard."""

    def capabilities(self) -> dict[str, Any]:
        """Boolean indexing and data-dependent shapes, and at most 64 axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """The device of arrays that name none."""
        return _core.default_device()

    def devices(self) -> tuple[Device, ...]:
        """Every device that can be had: a tuple, as the standard has it from 2025.12 on."""
        return tuple(all_devices())

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """The dtypes of arrays that are told none."""
        return {
            "real floating": _core.dtype("float64"),
            "complex floating": _core.dtype("complex128"),
            "integral": _core.dtype("int64"),
            "indexing": _core.dtype("int64"),
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """The standard's dtypes, of one kind or all."""
        if kind is None:
            names = _kinds["bool"] + _kinds["numeric"]
        else:
            names = ()
            for one in kind if isinstance(kind, tuple) else (kind,):
                if one not in _kinds:
                    raise ValueError(f"dtypes: kind is one of {', '.join(_kinds)}: got {one!r}")
                names += _kinds[one]
        return {name: _core.dtype(name) for name in names}
