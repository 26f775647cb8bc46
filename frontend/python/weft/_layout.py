"""What an array says of how its elements lie in memory."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

__all__: list[str] = []

_names = ("c_contiguous", "f_contiguous", "writeable", "aligned", "writebackifcopy")
_letters = {"C": "c_contiguous", "F": "f_contiguous", "W": "writeable", "A": "aligned", "X": "writebackifcopy",
            "CONTIGUOUS": "c_contiguous", "FORTRAN": "f_contiguous", "CA": "carray", "FA": "farray", "B": "behaved"}  # fmt: skip


class Flags:
    """How an array's elements lie in memory, and whether they can be written; nothing of it can be set."""

    __slots__ = ("_array",)

    def __init__(self, array: Array) -> None:
        object.__setattr__(self, "_array", array)

    def _dense(self, axes: Any) -> builtins.bool:
        """Whether the elements lie without gaps when the axes are walked in this order, the fastest first."""
        x = self._array
        step = x.itemsize
        for extent, stride in axes:
            if extent != 1 and stride != step:
                return not x.size
            step *= extent
        return True

    @property
    def c_contiguous(self) -> builtins.bool:
        """Whether the elements lie row by row without gaps."""
        return self._dense(reversed(list(zip(self._array.shape, _core.strides(self._array)))))

    @property
    def f_contiguous(self) -> builtins.bool:
        """Whether the elements lie column by column without gaps."""
        return self._dense(zip(self._array.shape, _core.strides(self._array)))

    @property
    def fnc(self) -> builtins.bool:
        """Whether they lie by columns and not by rows."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> builtins.bool:
        """Whether they lie by columns or by rows."""
        return self.f_contiguous or self.c_contiguous

    @property
    def writeable(self) -> builtins.bool:
        """Whether elements can be assigned to."""
        return _core.writable(self._array)

    @property
    def aligned(self) -> builtins.bool:
        """Always true."""
        return True

    @property
    def writebackifcopy(self) -> builtins.bool:
        """Never true."""
        return False

    @property
    def behaved(self) -> builtins.bool:
        """Whether elements can be assigned to."""
        return self.writeable

    @property
    def carray(self) -> builtins.bool:
        """Whether they lie by rows and can be assigned to."""
        return self.writeable and self.c_contiguous

    @property
    def farray(self) -> builtins.bool:
        """Whether they lie by columns alone and can be assigned to."""
        return self.writeable and self.fnc

    contiguous = c_contiguous
    fortran = f_contiguous

    def __getitem__(self, name: str) -> builtins.bool:
        attribute = _letters.get(name, str(name).lower())
        if attribute.startswith("_") or not isinstance(getattr(Flags, attribute, None), property):
            raise KeyError(f"flags: are {', '.join(one.upper() for one in _names)}: got {name!r}")
        answer: builtins.bool = getattr(self, attribute)
        return answer

    def __setattr__(self, name: str, value: Any) -> None:
        raise ValueError(f"flags: cannot be set, broadcast_to(x, x.shape) gives a view for reading: got {name} = {value!r}")

    def __setitem__(self, name: str, value: Any) -> None:
        self.__setattr__(name, value)

    def __repr__(self) -> str:
        return "\n".join(f"  {name.upper()} : {getattr(self, name)}" for name in _names)


def flags(self: Array) -> Flags:
    """How the elements lie in memory, and whether they can be written."""
    return Flags(self)
