"""Values between NumPy and Weft without copies where that is safe.

An array made of a NumPy array holds the values of that moment. Small ones are copied. Large ones are borrowed: Weft reads
the memory where it lies, and NumPy may not write to it until the last array that reads it is gone; until then NumPy
answers a write with its own error, that the array is read-only. The other way round, `np.asarray(x)` reads Weft's memory
and is read-only for good.
"""

from __future__ import annotations


from weft import _core
from weft._core import Array

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_borrow_from = 256 * 1024  # bytes; copying less costs no more than what borrowing takes

_locked: dict[int, int] = {}  # NumPy arrays that are read-only for us, by identity, and how often


class _Loan:
    """Holds borrowed NumPy memory, and keeps NumPy from writing to it."""

    __slots__ = ("arrays", "owner")

    def __init__(self, owner: Any, arrays: list[Any]) -> None:
        self.owner = owner
        self.arrays = arrays
        for array in arrays:
            _locked[id(array)] = _locked.get(id(array), 0) + 1
            array.flags.writeable = False

    def __del__(self) -> None:
        # The base first: a view can be written only where its base can.
        for array in reversed(self.arrays):
            left = _locked.pop(id(array)) - 1
            if left:
                _locked[id(array)] = left
            else:
                array.flags.writeable = True


def _loan(array: Any) -> _Loan | None:
    """A loan of the array's memory; None where somebody else could still write to it."""
    import numpy

    to_lock = []
    view = array
    while isinstance(view, numpy.ndarray):
        if view.flags.writeable or id(view) in _locked:
            to_lock.append(view)
        root, view = view, view.base
    if root.flags.owndata:
        return _Loan(array, to_lock)
    # Not NumPy's memory: what it is a view of lends it for reading only, or may write to it at any time.
    try:
        readonly = memoryview(root.base).readonly
    except TypeError:
        return None
    return _Loan(array, []) if readonly else None


def from_numpy(array: Any, device: str = "", copy: bool | None = None, blocking: bool = True) -> Array:
    """The NumPy array's values at this moment."""
    import numpy

    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError("asarray: arrays have no masks: got a numpy.ma.MaskedArray, use its filled()")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    dtype = _core.dtype(array.dtype)
    transposed = None
    if not array.flags.c_contiguous:
        if array.flags.f_contiguous:
            transposed, array = tuple(range(array.ndim))[::-1], array.T
        elif copy is False:
            raise ValueError("asarray: only contiguous memory can be used without a copy")
        else:
            array = numpy.ascontiguousarray(array)
            if array.nbytes > _borrow_from and device in ("", "cpu"):
                # Nobody else has this copy.
                return _core.borrow(array.ctypes.data, dtype, array.shape, array, device)
    on_host = (device or _core.default_device()) == "cpu"
    borrow = on_host and copy is not True and (copy is False or array.nbytes >= _borrow_from)
    loan = _loan(array) if borrow else None
    if copy is False and loan is None:
        raise ValueError("asarray: this memory cannot be used without a copy: others may write to it")
    if loan is not None:
        result = _core.borrow(array.ctypes.data, dtype, array.shape, loan, device)
    else:
        start = _core.copy_from if blocking or on_host else _core.start_from
        result = start(array.ctypes.data, dtype, array.shape, device)
    return result if transposed is None else _core.permute_dims(result, transposed)


def to_numpy(x: Array) -> Any:
    """The array's values as a NumPy array: read-only where it shares Weft's memory."""
    import numpy

    if x.device != "cpu":
        result = numpy.empty(x.shape, x.dtype)
        _core.copy_to(x, result.ctypes.data)
        return result
    if x.dtype.kind == "V":
        return numpy.asarray(memoryview(_core.view_as(x, numpy.dtype("uint16")))).view(x.dtype)  # type: ignore[arg-type]
    return numpy.asarray(memoryview(x))  # type: ignore[arg-type]
