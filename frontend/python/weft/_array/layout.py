"""What an array says of how its elements lie in memory, and whether they can be written."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._base.arguments import whole_shape
from weft._base.asarray import asarray
from weft._base.memory import to_numpy
from weft._base.recorded import recording

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_names = ("c_contiguous", "f_contiguous", "owndata", "writeable", "aligned", "writebackifcopy")
_letters = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable", "A": "aligned", "X": "writebackifcopy",
            "CONTIGUOUS": "c_contiguous", "FORTRAN": "f_contiguous", "CA": "carray", "FA": "farray", "B": "behaved"}  # fmt: skip


def _not_recorded(op: str) -> None:
    if recording.get() is not None:
        raise _core.Error(f"{op}: cannot be set inside of a compiled function, where its arguments are stand-ins")


class Flags:
    """How an array's elements lie in memory, and whether they can be written, which alone can be set."""

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
    def owndata(self) -> builtins.bool:
        """Whether the array is no view of another."""
        return self._array.base is None

    @property
    def writeable(self) -> builtins.bool:
        """Whether elements can be assigned to; where it is set, views that are made from then on are alike."""
        return _core.writable(self._array)

    @writeable.setter
    def writeable(self, value: Any) -> None:
        _not_recorded("flags")
        _core.set_writable(self._array, builtins.bool(value))

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
        if name != "writeable":
            raise AttributeError(f"flags: writeable is the one that can be set: got {name} = {value!r}")
        object.__setattr__(self, name, value)

    def __setitem__(self, name: str, value: Any) -> None:
        attribute = _letters.get(name, str(name).lower())
        if attribute != "writeable":
            raise KeyError(f"flags: WRITEABLE is the one that can be set: got {name!r}")
        self.writeable = value

    def __eq__(self, other: object) -> builtins.bool:
        return isinstance(other, Flags) and repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "\n".join(f"  {name.upper()} : {getattr(self, name)}" for name in _names)


def flags(self: Array) -> Flags:
    """How the elements lie in memory, and whether they can be written."""
    return Flags(self)


def setflags(self: Array, write: builtins.bool | None = None, align: builtins.bool | None = None, uic: builtins.bool | None = None) -> None:
    """Lets the array be written to, or not."""
    if uic:
        raise ValueError("setflags: uic can only be set to False")
    if align is not None and not align:
        raise ValueError("setflags: arrays are always aligned: got align=False")
    if write is not None:
        flags(self).writeable = write


def resize(self: Array, *new_shape: Any, refcheck: builtins.bool = True) -> None:
    """Gives the array itself another shape: elements are cut off, or zeros added. ValueError for a view, and while there are views of it."""
    _not_recorded("resize")
    given: Any = new_shape[0] if len(new_shape) == 1 else new_shape
    if not new_shape or given is None:
        return
    shape = whole_shape("resize", given)
    size = 1
    for extent in shape:
        if extent < 0:
            raise ValueError(f"resize: extents must not be negative: got {shape}")
        size *= extent
    if size == self.size:
        self.shape = shape  # type: ignore[misc]
        return
    writeable = _core.writable(self)
    flat = _core.copy(_core.reshape(self, (-1,)))
    grown = _core.copy(flat[:size]) if size < flat.size else _core.pad(flat, [(0, size - flat.size)], 0)
    _core.resize(self, _core.reshape(grown, shape), refcheck)
    if not writeable:
        _core.set_writable(self, False)


def data(self: Array) -> memoryview:
    """The elements' memory, to write to where the array can be written."""
    return memoryview(self)  # type: ignore[arg-type]


def ctypes(self: Array) -> Any:
    """The memory for C, as numpy.asarray() gives it: its address, shape and strides."""
    return to_numpy(self, to_write=True).ctypes


_requirements = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F", "A": "A", "ALIGNED": "A",
                 "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E"}  # fmt: skip


def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None, device: Any = None) -> Array:
    """The array, or a copy where it is not as required: of a dtype, C or F contiguous, to be written (W), no view of another (O)."""
    names = [requirements] if isinstance(requirements, str) else requirements or ()
    try:
        asked = {_requirements[name.upper()] for name in names}
    except KeyError as error:
        raise KeyError(f"require: takes {', '.join(sorted(set(_requirements.values())))}: got {error.args[0]!r}") from None
    if asked >= {"C", "F"}:
        raise ValueError("require: takes C or F, not both")
    x = asarray(a, dtype, device=device, like=like)
    dense = x.flags.f_contiguous if "F" in asked else x.flags.c_contiguous or "C" not in asked
    if dense and ("W" not in asked or x.flags.writeable) and ("O" not in asked or x.base is None):
        return x
    if "F" in asked and x.ndim > 1 and not x.T.flags.c_contiguous:
        if "O" in asked:
            raise ValueError("require: new arrays lie by rows, one that lies by columns is a view of such: got F and O")
        return _core.copy(x.T).T
    return _core.copy(x)
