"""Arrays that are recorded as they are used and computed, fused into few kernels, when a value is looked at.

`import weft as wf` and write NumPy: the Array API standard and NumPy's own spellings over it. `wf.explain(x)` says what
would run and why; `wf.eval(x)` runs it; every other look at a value does so by itself.
"""

import os as _os

try:
    from weft import _core
except ImportError as error:
    if not any(name.startswith("_core.") for name in _os.listdir(_os.path.dirname(__file__))):
        raise ImportError("weft: the extension has not been built: ./dev build does it, or pip install .", name="weft") from error
    raise

_core.pass_over(_os.path.dirname(__file__))

from weft._core import Array, Error, InternalError, OutOfMemory  # noqa: E402
from weft import (  # noqa: E402
    _bits,
    _choices,
    _compiled,
    _creation,
    _devices,
    _diagonals,
    _dtypes,
    _editing,
    _einsum,
    _elementwise,
    _errors,
    _files,
    _flat,
    _grids,
    _host,
    _indexing,
    _info,
    _layout,
    _methods,
    _nan_reductions,
    _numpy_maps,
    _numpy_names,
    _polynomials,
    _products,
    _protocols,
    _reductions,
    _scans,
    _session,
    _shaping,
    _stacking,
    _streams,
    _text,
    _walks,
    _windows,
    fft,
    lib,
    linalg,
    random,
)

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

e = 2.718281828459045
pi = 3.141592653589793
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
newaxis = None

ndarray = Array

__all__ = [
    "Array",
    "Error",
    "InternalError",
    "OutOfMemory",
    "e",
    "euler_gamma",
    "fft",
    "inf",
    "lib",
    "linalg",
    "nan",
    "ndarray",
    "newaxis",
    "pi",
    "random",
]
for _part in (
    _elementwise,
    _creation,
    _devices,
    _dtypes,
    _reductions,
    _scans,
    _shaping,
    _products,
    _einsum,
    _indexing,
    _host,
    _numpy_names,
    _numpy_maps,
    _bits,
    _choices,
    _windows,
    _stacking,
    _diagonals,
    _grids,
    _nan_reductions,
    _editing,
    _polynomials,
    _files,
    _flat,
    _layout,
    _text,
    _walks,
    _protocols,
    _info,
    _session,
    _streams,
    _compiled,
):
    for _name in _part.__all__:
        globals()[_name] = getattr(_part, _name)
    __all__ += _part.__all__
_methods.attach()
# What Python's own namespace has too stays out of `from weft import *`, as in NumPy.
__all__ = sorted(set(__all__) - {"abs", "all", "any", "bool", "compile", "complex", "divmod", "eval", "max", "min", "pow", "round", "sum"})


# NumPy's own, which take Weft's arrays as they are.
_numpys = ("False_", "True_", "exceptions", "poly1d", "polynomial")


def __getattr__(name: str) -> object:
    """The dtypes and what is NumPy's own, whose packages are imported when the first of them is asked for."""
    value = _dtypes.named(name)
    if name == "testing":
        import importlib

        return importlib.import_module("weft.testing")
    if name in _numpys:
        import importlib

        value = getattr(importlib.import_module("numpy"), name)
    if value is None:
        raise _errors.missing("", name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_dtypes.names, *_numpys, "testing"])
