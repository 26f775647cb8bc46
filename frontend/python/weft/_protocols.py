"""How other libraries see a Weft array: the standard's namespace, NumPy's protocols, DLPack."""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._creation import asarray
from weft._devices import Device
from weft._memory import from_numpy, to_numpy

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

__all__ = ["from_dlpack"]


def _namespace(self: Array, /, *, api_version: str | None = None) -> Any:
    """The module that has the functions for this array."""
    import weft

    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        raise ValueError(f"__array_namespace__: has the standard up to 2025.12: got {api_version!r}")
    return weft


def _array(self: Array, dtype: Any = None, copy: builtins.bool | None = None) -> Any:
    """The values as a NumPy array."""
    import numpy

    values = to_numpy(self)
    if dtype is not None and dtype != values.dtype:
        if copy is False:
            raise ValueError("__array__: another dtype needs a copy")
        return values.astype(dtype)
    return numpy.array(values) if copy else values


# NumPy's spellings that Weft's namespace does not have under the same name.
def _function(name: str) -> Any:
    import weft

    return getattr(weft, name, None)


def _array_ufunc(self: Array, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """numpy.add(x, y) and the like, of Weft's arrays."""
    import numpy

    out = options.pop("out", None)
    if out is not None and not builtins.any(isinstance(one, Array) for one in out):
        raise TypeError(f"{ufunc.__name__}: NumPy arrays cannot be the output of operations on Weft's: convert with numpy.asarray")
    if method == "__call__":
        f = _function(ufunc.__name__)
        if f is None:
            return NotImplemented
        if out is not None:
            options["out"] = out[0]
        return f(*inputs, **options)
    if method == "reduce" and ufunc.__name__ in _reducing and len(inputs) == 1:
        options = {name: value for name, value in options.items() if value is not None or name == "axis"}
        options.setdefault("axis", 0)
        if out is not None:
            options["out"] = out[0]
        initial = options.pop("initial", None)
        if initial is not None and initial is not numpy._NoValue:
            options["initial"] = initial
        return _function(_reducing[ufunc.__name__])(inputs[0], **options)
    if out is not None:
        return NotImplemented
    from weft._host import answered

    if method == "at":
        return NotImplemented
    return answered(getattr(ufunc, method), *inputs, **options)


_reducing = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}


def _array_function(self: Array, func: Any, types: Any, args: Any, options: Any) -> Any:
    """numpy.concatenate([x, y]) and the like, of Weft's arrays."""
    import numpy

    if not builtins.all(issubclass(one, (Array, numpy.ndarray)) for one in types):
        return NotImplemented
    place = func.__module__.removeprefix("numpy").removeprefix(".")
    if place in ("linalg", "fft"):
        f = getattr(_function(place), func.__name__, None)
    else:
        f = _function(func.__name__) if not place else None
    if f is None:
        return NotImplemented
    return f(*args, **options)


def from_dlpack(x: Any, /, *, device: Any = None, copy: builtins.bool | None = None) -> Array:
    """The array that another library holds.

    Row-major host memory is used where it lies unless `copy` is True: nobody may write to it then for as long as an array
    reads it. NumPy is kept from doing so; other libraries must keep to it.
    """
    if isinstance(x, Array):
        return asarray(x, device=device, copy=copy)
    import numpy

    where = "" if device is None else Device(device)
    if isinstance(x, numpy.ndarray):
        return from_numpy(x, where, copy)
    try:
        capsule = x.__dlpack__(max_version=(1, 0), copy=copy)
    except TypeError:
        capsule = x.__dlpack__()  # from before version 1
    result = _core.take_dlpack(capsule)
    if result is None:
        if copy is False:
            raise ValueError("from_dlpack: only row-major memory can be used without a copy")
        return asarray(numpy.from_dlpack(x, copy=True), device=device)
    if copy:
        result = asarray(numpy.array(to_numpy(result)))
    return _core.to_device(result, where) if where else result


def _dlpack(
    self: Array, /, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: builtins.bool | None = None
) -> Any:
    """A capsule with this array's memory, for reading."""
    versioned = max_version is not None and max_version[0] >= 1
    if dl_device is not None and tuple(dl_device) != _core.dlpack_device(self):
        if copy is False or tuple(dl_device) != (1, 0):
            raise BufferError(f"__dlpack__: the array lies on {self.device}: asked for {tuple(dl_device)}")
        return _core.to_dlpack(_core.to_device(self, "cpu"), versioned, True)
    # Versions before 1 cannot say that memory is read-only.
    if copy or (copy is None and not versioned):
        values = _core.add(self, 0) if self.dtype.kind != "b" else _core.logical_or(self, False)
        return _core.to_dlpack(values, versioned, True)
    return _core.to_dlpack(self, versioned, False)


def _dlpack_device(self: Array, /) -> tuple[int, int]:
    """The kind of device and its number."""
    return _core.dlpack_device(self)


methods = {
    "__array_namespace__": _namespace,
    "__array__": _array,
    "__array_ufunc__": _array_ufunc,
    "__array_function__": _array_function,
    "__dlpack__": _dlpack,
    "__dlpack_device__": _dlpack_device,
}
