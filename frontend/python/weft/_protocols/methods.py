"""What arrays have of NumPy's methods: mostly the functions of the same name, the array being the first argument."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array, Error
from weft._array import creation, diagonals, elementwise, indexing, layout, positions, products, reductions, scans, shaping
from weft._array.choices import choose as choose_of
from weft._array.creation import astype as _astype
from weft._array.flat import flatiter
from weft._base import dtypes
from weft._base.asarray import heed
from weft._base.devices import Device
from weft._base.errors import missing_of_array
from weft._base.host import answered, from_host
from weft._base.memory import from_pickle, to_numpy
from weft._base.out import store, target
from weft._base.recorded import described
from weft._derive import tape
from weft._numpy import by_numpy
from weft._protocols import exchange

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_functions = {
    reductions: "all any argmax argmin max mean min prod ptp std sum var",
    shaping: "repeat squeeze swapaxes",
    by_numpy: "argpartition argsort searchsorted",
    positions: "nonzero",
    scans: "cumprod cumsum",
    indexing: "put take",
    products: "dot trace",
    diagonals: "diagonal",
    elementwise: "clip round",
}


def _new(
    cls: type, shape: Any, dtype: Any = float, buffer: Any = None, offset: int = 0, strides: Any = None, order: str | None = None
) -> Array:
    """An array of this shape and dtype, for those who write numpy.ndarray(shape): as empty()."""
    if buffer is not None or offset or strides is not None:
        raise TypeError("Array: takes shape and dtype: got memory of others, which asarray() and from_dlpack() take")
    return creation.empty(shape, dtype)


def _has_no_value(x: Array) -> bool:
    return _core.records() and _core.depends_on_arguments(x)


def _to_show(self: Array) -> Any:
    """Its values, also where derivatives are wanted of them: nothing is computed of what is shown."""
    return to_numpy(_core.stop_gradient(self) if _core.is_derived(self) else self)


def _repr(self: Array) -> str:
    return f"<recorded {described(self)}>" if _has_no_value(self) else repr(_to_show(self))


def _str(self: Array) -> str:
    return f"<recorded {described(self)}>" if _has_no_value(self) else str(_to_show(self))


def _format(self: Array, spec: str) -> str:
    if not spec:
        return _str(self)
    if _has_no_value(self):
        raise Error(f"format: a function's arguments have no values while it is recorded: got {described(self)} for {spec!r}: without a format it is shown as recorded; "
                    "format what the function gives")
    return format(_to_show(self).item() if self.ndim == 0 else _to_show(self), spec)


def _shape_of(given: tuple[Any, ...]) -> Any:
    return given[0] if len(given) == 1 and not isinstance(given[0], int) else given


def reshape(self: Array, *shape: Any, order: str = "C", copy: builtins.bool | None = None) -> Array:
    """The same elements under another shape, given as one tuple or as numbers."""
    if not shape:
        raise TypeError("reshape: takes a shape: got none")
    if order == "C" and copy is None:
        try:
            return _core.reshape(self, shape[0] if len(shape) == 1 else shape)  # nearly always
        except (TypeError, ValueError):
            pass  # told below, unless NumPy has a meaning for it
    return shaping.reshape(self, _shape_of(shape), order, copy=copy)


def transpose(self: Array, *axes: Any) -> Array:
    """The axes reversed, or in the given order; a view."""
    given = _shape_of(axes) if axes else None
    return shaping.transpose(self, given)


def flatten(self: Array, order: str = "C") -> Array:
    """A copy of all elements along one axis."""
    return _core.copy(shaping.ravel(self, order))


def ravel(self: Array, order: str = "C") -> Array:
    """All elements along one axis; a view where the layout allows it."""
    return shaping.ravel(self, order)


def copy(self: Array, order: str = "C") -> Array:
    """A copy; it costs nothing before one of the two is written."""
    heed("copy", order, None)
    return _core.copy(self)


def astype(
    self: Array, dtype: Any, order: str = "K", casting: str = "unsafe", subok: builtins.bool = True, copy: builtins.bool = True
) -> Array:
    """The array converted to a dtype."""
    if order != "K":
        heed("astype", order, None)
    if casting != "unsafe" and not dtypes.can_cast(self.dtype, dtype, casting):
        raise TypeError(f"astype: {self.dtype} cannot be cast to {_core.dtype(dtype)} by the rule {casting!r}")
    return _astype(self, dtype, copy)


def view(self: Array, dtype: Any = None) -> Array:
    """The same memory, its bits read as another dtype; one of another size makes the last axis longer or shorter."""
    if dtype is None:
        return _core.as_value(self) if _core.is_value(self) else self[...]
    return _core.view_as(self, _core.dtype(dtype))


def conj(self: Array, out: Any = None, /) -> Array:
    """The complex conjugate; real arrays themselves."""
    return store(_core.conj(self) if self.dtype.kind == "c" else self, out)


def choose(self: Array, choices: Any, *others: Any, out: Any = None, mode: str = "raise") -> Array:
    """Of the arrays in `choices`, or of several arrays, for each element that one whose number stands in it."""
    return choose_of(self, (choices, *others) if others else choices, out, mode)


def compress(self: Array, condition: Any, axis: int | None = None, out: Any = None) -> Array:
    """The slices along an axis for which the condition is true."""
    return indexing.compress(condition, self, axis, out)


def is_integer(self: Array) -> builtins.bool:
    """Whether one value is a whole number."""
    return float(_one_value(self, "is_integer").item()).is_integer()


def _one_value(self: Array, op: str) -> Array:
    if not _core.is_value(self):
        raise TypeError(f"{op}: is there for one value, as NumPy's scalars have it: got an array of shape {self.shape}")
    return self


def _rounded(self: Array, ndigits: int | None = None) -> Any:
    """As NumPy's scalars: Python's integer, or so many decimals."""
    one = _one_value(self, "__round__")
    return builtins.round(one.item()) if ndigits is None else elementwise.round(one, ndigits)


def _truncated(self: Array) -> int:
    return int(_one_value(self, "__trunc__"))


def fill(self: Array, value: Any) -> None:
    """Writes one value everywhere."""
    if self.dtype.kind != "b" and (isinstance(value, (list, tuple)) or getattr(value, "ndim", 0)):
        raise ValueError(f"fill: takes one value: got {type(value).__name__}")
    target("fill", self)[...] = value


def sort(
    self: Array, axis: int = -1, kind: str | None = None, order: Any = None, *, stable: builtins.bool | None = True,
    descending: builtins.bool = False,
) -> None:
    """Puts the elements along an axis in order, in place."""
    _core.assign(self, by_numpy.sort(self, axis, kind, order, stable=stable, descending=descending))


def partition(self: Array, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
    """Puts what would stand at these positions of a sorted axis there, in place: what is before it is not larger, what is behind not smaller."""
    _core.assign(self, by_numpy.partition(self, kth, axis=axis, kind=kind, order=order))


def _by_numpy(self: Array, method: str, *args: Any) -> Any:
    """What the method of NumPy's arrays answers."""

    def f(values: Any) -> Any:
        return getattr(values, method)(*args)

    f.__name__ = method
    return answered(f, self)


def byteswap(self: Array, inplace: builtins.bool = False) -> Array:
    """The elements with their bytes in the other order."""
    result: Array = _by_numpy(self, "byteswap")
    if _core.is_value(self):
        return _core.as_value(result)
    if inplace:
        _core.assign(self, result)
    return self if inplace else result


def tofile(self: Array, fid: Any, sep: str = "", format: str = "%s") -> None:
    """Writes the elements to a file, as bytes or as text with a separator; fromfile() reads them."""
    _by_numpy(self, "tofile", fid, sep, format)


def dumps(self: Array) -> bytes:
    """The array pickled, as a NumPy array."""
    pickled: bytes = _by_numpy(self, "dumps")
    return pickled


def dump(self: Array, file: Any) -> None:
    """Writes the array to a file, pickled as a NumPy array."""
    _by_numpy(self, "dump", file)


def tolist(self: Array) -> Any:
    """The elements as nested lists of Python's numbers."""
    return to_numpy(self).tolist()


def tobytes(self: Array, order: str = "C") -> bytes:
    """The elements' bytes, row-major."""
    return to_numpy(self).tobytes(order)


def to_device(self: Array, device: Any, /, *, stream: Any = None) -> Array:
    """The array on a device; itself where it lies there already."""
    if stream is not None:
        raise ValueError("to_device: takes no stream")
    return _core.to_device(self, Device(device))


def numpy(self: Array, out: Any = None, blocking: builtins.bool = True) -> Any:
    """The values as a NumPy array, as numpy.asarray() gives them: the array's memory where it lies in the host's. With `out` they are written there.

    With `blocking` False the copy from a GPU may still run when this returns: `out`, which wf.pinned_empty() makes, is not looked
    at until the stream has passed it.
    """
    if out is None:
        return to_numpy(self, to_write=True)
    import numpy

    if not isinstance(out, numpy.ndarray):
        raise TypeError(f"numpy: out must be a NumPy array: got {type(out).__name__}")
    if out.shape != self.shape or out.dtype != self.dtype or not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(f"numpy: out must be writable and row-major, {self.dtype} {self.shape}: got {out.dtype} {out.shape}")
    (_core.copy_to if blocking else _core.start_copy_to)(self, out.ctypes.data)
    return out


def eval(self: Array) -> Array:
    """Starts computing this array; gives it back."""
    _core.eval([self])
    return self


def _copy(self: Array) -> Array:
    return _core.copy(self)


def _deepcopy(self: Array, memo: Any) -> Array:
    return _core.copy(self)


def _sizeof(self: Array) -> int:
    # Elements that are still to be computed count too: Dask asks how much memory a chunk takes, before it hands it on.
    return object.__sizeof__(self) + self.nbytes


def _unpickled(values: Any, device: str) -> Array:
    make = from_pickle if values.ndim else from_host
    try:
        return make(values, device)
    except _core.Error:
        return make(values, "")  # the device is not there


def _reduce(self: Array) -> Any:
    import numpy

    # Where it lies, as it was at this moment: protocol 5 can hand it over without a copy.
    values = to_numpy(self)
    if not values.flags.forc:
        values = numpy.array(values)
    return _unpickled, (values[()] if _core.is_value(self) else values, self.device)


def _part(self: Array, of: Any) -> Array:
    if self.ndim or _core.is_value(self):
        return of(self)
    # What functions make of one element is a value, which cannot be written to.
    return _core.reshape(of(_core.reshape(self, (1,))), ())


def _real(self: Array) -> Array:
    """The real part, a view; the array itself where it is real."""
    return self if self.dtype.kind != "c" else _part(self, _core.real)


def _set_real(self: Array, value: Any) -> None:
    _real(self)[...] = value


def _imag(self: Array) -> Array:
    """The imaginary part, a view; zeros that cannot be written where the array is real."""
    if self.dtype.kind == "c":
        return _part(self, _core.imag)
    zeros = _core.broadcast_to(_core.full(self.shape, 0, self.dtype, self.device), self.shape)
    return _core.as_value(zeros) if _core.is_value(self) else zeros


def _set_imag(self: Array, value: Any) -> None:
    if self.dtype.kind != "c":
        raise TypeError("imag: real numbers have no imaginary part to write to")
    _imag(self)[...] = value


def _strides(self: Array) -> tuple[int, ...]:
    """Bytes between neighbours along each axis."""
    return _core.strides(self)


def _flat(self: Array) -> flatiter:
    """An iterator over the elements, row by row, that is indexed and assigned to as one flat axis; as a whole too."""
    return flatiter(self)


def _set_flat(self: Array, value: Any) -> None:
    flatiter(self)[...] = value


def _repr_html(self: Any) -> str:
    """The array for notebooks: what it is, a picture or a plot, and its values."""
    from weft._protocols.in_notebooks import repr_html  # what few programs need

    return repr_html(self)


def attach() -> None:
    """Gives the class its methods."""
    methods: dict[str, Any] = {}
    for module, names in _functions.items():
        for name in names.split():
            methods[name] = getattr(module, name)
    for f in (reshape, transpose, conj, choose, compress, is_integer, flatten, ravel, copy, astype, view, fill, sort, partition, byteswap, tofile, dump, dumps, tolist, tobytes, to_device, numpy, eval):
        methods[f.__name__] = f
    methods["conjugate"] = methods["conj"]
    methods["to"] = to_device
    methods.update(
        __new__=_new,
        __getattr__=missing_of_array,
        __round__=_rounded,
        __trunc__=_truncated,
        __repr__=_repr,
        __str__=_str,
        _repr_html_=_repr_html,
        __format__=_format,
        __copy__=_copy,
        __deepcopy__=_deepcopy,
        __reduce__=_reduce,
        __sizeof__=_sizeof,
        real=property(_real, _set_real),
        imag=property(_imag, _set_imag),
        strides=property(_strides),
        flags=property(layout.flags),
        data=property(layout.data),
        ctypes=property(layout.ctypes),
        setflags=layout.setflags,
        resize=layout.resize,
        flat=property(_flat, _set_flat),
        grad=property(tape.grad_of, tape.set_grad),
        requires_grad=property(tape.requires_grad),
        requires_grad_=tape.requires_grad_,
        backward=tape.backward,
    )
    methods.update(exchange.methods)
    for name, method in methods.items():
        setattr(Array, name, method)
