"""Values between NumPy and Weft without copies where that is safe.

An array made of a NumPy array holds the values of that moment. Memory that is NumPy's own is copied: a read-only array there says nothing
of older views, and its flag can be set again. Large arrays over memory that is constant, as that of bytes and of files that were mapped to be read, are
borrowed: Weft reads it where it lies. So is what is asked for by copy=False: NumPy may not write to it until
the last array that reads it is gone; until then NumPy answers a write with its own error, that the array is read-only. What Weft itself writes to such memory, as `out=`, ends
those loans first: arrays that read it get a copy. The other way round, `np.asarray(x)` is Weft's memory, to write to: x shows
what is written until it is written to itself. What only reads takes to_numpy(), whose values stay.
"""

from __future__ import annotations

from weft import _core
from weft._core import Array

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_borrow_from = 256 * 1024  # bytes; copying less costs no more than what borrowing takes
_any_size = 2**63 - 1

_locked: dict[int, int] = {}  # NumPy arrays that are read-only for us, by identity, and how often
_waiting: dict[int, list[Any]] = {}  # by an array that is read-only for us, views of it that are to be written again with it
_lent: dict[int, tuple[Any, Any]] = {}  # by loan: what gives the memory back, and the NumPy array that shows it


class _Loan:
    """Holds borrowed NumPy memory, and keeps NumPy from writing to it."""

    __slots__ = ("arrays", "owner")

    def __init__(self, owner: Any, arrays: list[Any]) -> None:
        self.owner = owner
        self.arrays = arrays
        for array in arrays:
            _locked[id(array)] = _locked.get(id(array), 0) + 1
            array.flags.writeable = False

    def lent_as(self, array: Any) -> None:
        """Notes that this array of Weft reads the memory, so that give_back() can end the loan."""
        _lent[id(self)] = _core.loan_of(array), self.owner

    def __del__(self) -> None:
        _lent.pop(id(self), None)
        # The base first: a view can be written only where its base can.
        for array in reversed(self.arrays):
            left = _locked.pop(id(array)) - 1
            if left:
                _locked[id(array)] = left
            else:
                _unlock(array)


def _unlock(array: Any) -> None:
    """Lets NumPy write to the array: now, or with the array of which it is a view."""
    base = array.base
    while base is not None and id(base) not in _locked:
        base = getattr(base, "base", None)
    if base is not None:
        _waiting.setdefault(id(base), []).append(array)
        return
    array.flags.writeable = True
    for view in _waiting.pop(id(array), ()):
        _unlock(view)


def _is_constant(owner: Any) -> bool:
    """Whether nobody writes to the memory of what is no array of NumPy's: it lends it for reading alone, whoever asks."""
    import numpy

    try:
        shown = memoryview(owner)
        if not shown.readonly or isinstance(shown.obj, numpy.ndarray):
            return False
        return memoryview(shown.obj).readonly  # of a bytearray's view, toreadonly(), it is the bytearray
    except TypeError:
        return False


def _loan(array: Any, asked: bool) -> _Loan | None:
    """A loan of the array's memory. None where it is not constant, unless it is `asked` for: what NumPy owns is locked then, and None is the answer
    where somebody else may write."""
    import numpy

    to_lock = []
    view = array
    while isinstance(view, numpy.ndarray):
        if view.flags.writeable or id(view) in _locked:
            to_lock.append(view)
        root, view = view, view.base
    if not asked:
        return _Loan(array, []) if not to_lock and not root.flags.owndata and _is_constant(root.base) else None
    if root.flags.owndata:
        return _Loan(array, to_lock)
    # Not NumPy's memory: what it is a view of lends it for reading only, or may write to it at any time.
    try:
        readonly = memoryview(root.base).readonly
    except TypeError:
        return None
    return _Loan(array, []) if readonly else None


def from_numpy(array: Any, device: str = "", copy: bool | None = None, blocking: bool = True, lock: bool = False) -> Array:
    """The NumPy array's values at this moment. `lock`: where it can be written, it is kept from that rather than copied."""
    lock = lock or copy is False
    if copy is None and blocking and (made := _core.copied(array, _borrow_from, _borrow_from if lock else _any_size, device)) is not None:
        return made
    import numpy

    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError("asarray: arrays have no masks: got a numpy.ma.MaskedArray, use its filled()")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    dtype = _core.dtype(array.dtype)
    on_host = (device or _core.default_device()) == "cpu"
    transposed = None
    if not array.flags.c_contiguous:
        if array.flags.f_contiguous:
            transposed, array = tuple(range(array.ndim))[::-1], array.T
        elif copy is False:
            raise ValueError("asarray: only contiguous memory can be used without a copy")
        else:
            array = numpy.ascontiguousarray(array)
            if on_host and array.nbytes > _borrow_from:
                # Nobody else has this copy.
                return _core.borrow(array.ctypes.data, dtype, array.shape, array, device)
    borrow = on_host and copy is not True and (copy is False or array.nbytes >= _borrow_from)
    loan = _loan(array, asked=lock) if borrow else None
    if copy is False and loan is None:
        raise ValueError("asarray: this memory cannot be used without a copy: others may write to it")
    if loan is not None:
        result = _core.borrow(array.ctypes.data, dtype, array.shape, loan, device)
        loan.lent_as(result)
    else:
        start = _core.copy_from if blocking or on_host else _core.start_from
        lends = start is _core.copy_from and array.dtype.kind != "V"  # bfloat16 is unknown to the buffer protocol
        result = start(array if lends else array.ctypes.data, dtype, array.shape, device)
    return result if transposed is None else _core.permute_dims(result, transposed)


def from_pickle(values: Any, device: str) -> Array:
    """The values of a NumPy array that a pickle made, which nobody else has. Large ones stay where they lie: in a buffer of the pickle's, too."""
    flags = values.flags
    large = values.nbytes >= _borrow_from and (device or _core.default_device()) == "cpu"
    if not large or not flags.forc or not values.dtype.isnative:
        return from_numpy(values, device)
    if not flags.c_contiguous:
        return _core.permute_dims(from_pickle(values.T, device), tuple(range(values.ndim))[::-1])
    flags.writeable = False
    return _core.borrow(values.ctypes.data, _core.dtype(values.dtype), values.shape, values, device)


def to_numpy(x: Array, to_write: bool = False) -> Any:
    """The array's values as a NumPy array: those of this moment, read-only where it shares Weft's memory.

    To write: where x can be written it shows what is written there; a value, and an array on a GPU, are copied.
    """
    if not (to_write and _core.is_value(x)) and (shown := _core.shown_by_numpy(x, to_write)) is not None:
        return shown
    import numpy

    result = numpy.empty(x.shape, x.dtype)
    _core.copy_to(x, result.ctypes.data)
    return result


def give_back(out: Any) -> None:
    """Makes sure that no array of Weft reads the memory of this NumPy array, which is to be written to."""
    import numpy

    for loan, array in list(_lent.values()):
        if numpy.may_share_memory(array, out) and not _core.give_back(loan):
            raise ValueError("out: an array of Weft reads this memory, and has lent it on: assignment destination is read-only")


def is_numpys(x: Any) -> bool:
    """Whether it is an array of NumPy's that results can be written to."""
    import numpy

    return isinstance(x, numpy.ndarray) and not isinstance(x, numpy.ma.MaskedArray)


class NumpysOut:
    """An array of NumPy's that a result is written to, as arrays of Weft are asked for: by its shape and its dtype."""

    def __init__(self, op: str, array: Any) -> None:
        self.array = array
        self.shape = array.shape
        self.ndim = array.ndim
        native = array.dtype.newbyteorder("=")
        if native.kind not in "biufcV":
            raise TypeError(f"{op}: out holds bools, integers, floats or complex numbers: got {array.dtype}")
        self.dtype = _core.dtype(native)

    def store(self, op: str, result: Array, where: Any = True) -> Any:
        """Computes the result and stores it, where the condition is true."""
        import numpy

        if self.dtype != result.dtype:
            result = _core.astype(result, self.dtype)
        if _lent:
            _core.eval([result])  # loans of memory that only this reads have ended then
            give_back(self.array)
        if where is True and self.array.dtype == result.dtype and result.shape == self.shape and _core.copy_into(result, self.array):
            return self.array
        try:
            numpy.copyto(self.array, to_numpy(result), where=where if where is True else to_numpy(where))
        except ValueError as refusal:  # it is read-only
            raise ValueError(f"{op}: out: {refusal}") from None
        return self.array
