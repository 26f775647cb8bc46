"""How other libraries see a Weft array: the standard's namespace, NumPy's protocols, DLPack."""

from __future__ import annotations

import builtins
import sys

from weft import _core
from weft._core import Array
from weft._array.function_methods import in_place_at, reduction_names, with_our_rule
from weft._base.asarray import asarray
from weft._base.devices import Device
from weft._base.host import answered, host_kinds
from weft._base.memory import from_numpy, to_numpy
from weft._base.out import store
from weft._base.streams import Stream
from weft._base.written_by_numpy import into_numpys, written_first

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_cuda = 2  # DLPack's number of that kind of device


def _namespace(self: Array, /, *, api_version: str | None = None) -> Any:
    """The module that has the functions for this array."""
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        raise ValueError(f"__array_namespace__: has the standard up to 2025.12: got {api_version!r}")
    return sys.modules["weft"]


def _array(self: Array, dtype: Any = None, copy: builtins.bool | None = None) -> Any:
    """The values as a NumPy array: the array's memory, to write to, where it lies in the host's and no copy is asked for."""
    import numpy

    values = to_numpy(self, to_write=not copy)
    if dtype is not None and dtype != values.dtype:
        if copy is False:
            raise ValueError("__array__: another dtype needs a copy")
        return values.astype(dtype)
    return numpy.array(values) if copy else values


def _array_interface(self: Array) -> dict[str, Any]:
    """NumPy's array interface, version 3: the memory, to read, as an object that keeps it for as long as it lives."""
    if self.device != "cpu" or self.dtype.kind == "V":
        why = "the array lies on a GPU: use __cuda_array_interface__" if self.device != "cpu" else "has no name for bfloat16, use DLPack"
        raise AttributeError(f"__array_interface__: {why}")
    memory = memoryview(_core.memory(self))
    strides = None
    if not memory.c_contiguous:
        memory = memoryview(_core.memory(_core.copy(self)))
        strides = memory.strides  # said though they are those of rows: Pillow reads what says none where it lies, gaps included
    return {"version": 3, "shape": self.shape, "typestr": self.dtype.str, "data": memory, "strides": strides}


# NumPy's spellings that Weft's namespace does not have under the same name.
def _function(name: str) -> Any:
    return getattr(sys.modules["weft"], name, None)


def _of_no_dtype(value: Any) -> builtins.bool:
    """Whether NumPy makes of this, or of a part of it, an array of objects, text or times, which Weft has none of."""
    import numpy

    if isinstance(value, (list, tuple)):
        return builtins.any(_of_no_dtype(one) for one in value)
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.dtype.kind in host_kinds
    return not isinstance(value, (Array, int, float, complex, type, numpy.dtype, slice)) and not callable(value)


def _or_on_host(ours: Any, numpys: Any, args: Any, options: Any) -> Any:
    """What Weft's function gives or, where it does not take what has no dtype of Weft's, NumPy's."""
    try:
        return ours(*args, **options)
    except (TypeError, ValueError) as refusal:
        if not _of_no_dtype([*args, *options.values()]):
            raise
        try:
            return answered(numpys, *args, **options)
        except (TypeError, ValueError):
            raise refusal from None


_same: dict[Any, Any] = {}  # NumPy's function: the one here that has its name, where both give one array


def _array_ufunc(self: Array, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """numpy.add(x, y) and the like, of Weft's arrays."""
    if not options and method == "__call__" and ufunc in _same:
        try:
            return _same[ufunc](*inputs)
        except (TypeError, ValueError):  # said below, or NumPy's answer
            pass
    if method == "at":
        return in_place_at(ufunc, *inputs)
    import numpy

    out = options.pop("out", None)
    if builtins.any(isinstance(one, numpy.ndarray) for one in out or ()) and not builtins.any(isinstance(one, Array) for one in out):
        return into_numpys(getattr(ufunc, method), inputs, {**options, "out": out})
    if method == "__call__":
        f = _function(ufunc.__name__)
        if f is not None and ufunc.nout == 1:
            _same[ufunc] = f
            if out is not None:
                options["out"] = out[0]
            return _or_on_host(f, ufunc, inputs, options)
    if method == "reduce" and ufunc.__name__ in reduction_names and len(inputs) == 1:
        options = {name: value for name, value in options.items() if value is not None or name in ("axis", "initial")}
        options.setdefault("axis", 0)
        if out is not None:
            options["out"] = out[0]
        if options.get("initial") is numpy._NoValue:
            del options["initial"]
        return _function(reduction_names[ufunc.__name__])(inputs[0], **options)
    if method in ("outer", "accumulate") and (ours := getattr(_function(ufunc.__name__), method, None)) is not None:
        if out is not None:
            options["out"] = out[0] if len(out) == 1 else out
        return _or_on_host(ours, getattr(ufunc, method), inputs, options)
    result = answered(getattr(with_our_rule(ufunc), method), *inputs, **options)
    if out is None:
        return result
    if not isinstance(result, tuple):
        return store(result, out[0])
    return tuple(store(one, place) for one, place in zip(result, out))


def _array_function(self: Array, func: Any, types: Any, args: Any, options: Any) -> Any:
    """numpy.concatenate([x, y]) and the like, of Weft's arrays."""
    import numpy

    if not builtins.all(issubclass(one, (Array, numpy.ndarray)) for one in types):
        return NotImplemented
    f: Any = sys.modules["weft"]
    for name in [*func.__module__.split(".")[1:], func.__name__]:
        f = getattr(f, name, None)
    # What is written to on the host would be lost, but the host's arrays are read-only.
    if isinstance(options.get("out"), numpy.ndarray) or (func.__name__ in written_first and isinstance(args[0], numpy.ndarray)):
        return into_numpys(func, args, options)
    if f is None:
        return answered(func, *args, **options)
    return _or_on_host(f, func, args, options)


def from_dlpack(x: Any, /, *, device: Any = None, copy: builtins.bool | None = None) -> Array:
    """The array that another library holds, on the host or on a GPU.

    Memory without gaps is used where it lies unless `copy` is True: nobody may write to it then for as long as an array
    reads it. NumPy is kept from doing so; other libraries must keep to it.
    """
    if isinstance(x, Array):
        return asarray(x, device=device, copy=copy)
    import numpy

    where = "" if device is None else Device(device)
    if isinstance(x, numpy.ndarray):
        return from_numpy(x, where, copy, lock=True)
    if not hasattr(x, "__dlpack_device__"):
        raise TypeError(f"from_dlpack: takes what has __dlpack__ and __dlpack_device__: got {type(x).__name__}")
    kind, number = x.__dlpack_device__()
    # The giver makes this stream wait for what it still does with the memory.
    stream = Stream.current(f"cuda:{int(number)}").handle if kind == _cuda else None
    try:
        capsule = x.__dlpack__(stream=stream, max_version=(1, 0), copy=copy)
    except TypeError:  # from before version 1
        capsule = x.__dlpack__() if stream is None else x.__dlpack__(stream=stream)
    taken = _core.take_dlpack(capsule, kind == _cuda and copy is not False)
    if taken is None:
        if copy is False:
            raise ValueError("from_dlpack: memory with gaps or repetitions needs a copy: make it contiguous first")
        return asarray(numpy.from_dlpack(x, copy=True), device=device)
    result, copied = taken
    if copy and not copied:
        result = _core.duplicate(result)
    return _core.to_device(result, where) if where else result


def _dlpack(
    self: Array, /, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: builtins.bool | None = None
) -> Any:
    """A capsule with this array's memory, for reading. On a GPU the taker's stream waits for what is still being computed."""
    versioned = max_version is not None and max_version[0] >= 1
    here = _core.dlpack_device(self)
    taker = 0
    if here[0] == _cuda:
        # None stands for CUDA's legacy default stream, -1 for a taker that sees to the order itself.
        if stream is not None and (not isinstance(stream, int) or stream < -1 or stream == 0):
            raise ValueError(f"__dlpack__: on CUDA the stream is None, -1, 1, 2 or a stream's handle: got {stream!r}")
        taker = 1 if stream is None else builtins.max(stream, 0)
    elif stream not in (None, -1):
        raise ValueError(f"__dlpack__: memory of the host belongs to no stream: got {stream!r}")
    if dl_device is not None and tuple(dl_device) != here:
        if copy is False or tuple(dl_device) != (1, 0):
            raise BufferError(f"__dlpack__: the array lies on {self.device}: asked for {tuple(dl_device)}")
        return _core.to_dlpack(_core.to_device(self, "cpu"), versioned, True, 0)
    # Versions before 1 cannot say that memory is read-only, and PyTorch takes what says so and writes to it.
    heeded = versioned and not sys._getframe(1).f_globals.get("__name__", "").startswith("torch.")
    if copy or (copy is None and not heeded):
        return _core.to_dlpack(_core.duplicate(self), versioned, True, taker)
    return _core.to_dlpack(self, versioned, False, taker)


def _dlpack_device(self: Array, /) -> tuple[int, int]:
    """The kind of device and its number."""
    return _core.dlpack_device(self)


def _arrow_c_array(self: Array, /, requested_schema: Any = None) -> tuple[Any, Any]:
    """Capsules of a schema and of a column with this array's memory, for Arrow's takers, of the dtype that is asked for: one axis, no complex numbers and no bfloat16."""
    return _core.to_arrow(self, requested_schema)


methods = {
    "__array_namespace__": _namespace,
    "__array_interface__": property(_array_interface),
    "__array__": _array,
    "__array_ufunc__": _array_ufunc,
    "__array_function__": _array_function,
    "__array_priority__": 100.0,  # above NumPy's arrays: libraries that put chunks together choose by it
    "__arrow_c_array__": _arrow_c_array,
    "__dlpack__": _dlpack,
    "__dlpack_device__": _dlpack_device,
}
