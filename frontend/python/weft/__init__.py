"""Arrays that are recorded as they are used and computed, fused into few kernels, when a value is looked at.

`import weft as wf` and write NumPy: the Array API standard and NumPy's own spellings over it. `wf.explain(x)` says what
would run and why; `wf.eval(x)` runs it; every other look at a value does so by itself.
"""

import os as _os
import sys as _sys

try:
    from weft import _core
except ImportError as error:
    if not any(name.startswith("_core.") for name in _os.listdir(_os.path.dirname(__file__))):
        raise ImportError("weft: the extension has not been built: ./dev build does it, or pip install .", name="weft") from error
    raise

_core.pass_over(_os.path.dirname(__file__), _os.path.dirname(_os.__file__))

from weft import _names  # noqa: E402
from weft._base import dtypes as _dtypes  # noqa: E402
from weft._base import errors as _errors  # noqa: E402
from weft._base import helped as _helped  # noqa: E402
from weft._base import old_places as _old_places  # noqa: E402
from weft._base import profiled as _profiled  # noqa: E402
from weft._base import settings as _settings  # noqa: E402
from weft._core import Array, Error, InternalError, OutOfMemory  # noqa: E402
from weft._protocols import methods as _methods  # noqa: E402

__version__: str = _core.version
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
_packages = ("fft", "lib", "linalg", "random", "testing")
_later = {}  # names, and the modules that have them, which are imported when the first of them is asked for: few programs need all


def _take(module: str, name: str) -> object:
    """The value of a name of this module, which is this package's from here on."""
    globals()[name] = value = getattr(__import__(module, fromlist=[name]), name)
    # Pickles name what users call, wherever it is written.
    if getattr(value, "__module__", "").startswith("weft._") and getattr(value, "__qualname__", "") == name:
        value.__module__ = "weft"
    return value


for _module, _listed in _names.NAMES.items():
    __all__ += _listed
    for _name in _listed:
        if _module in _sys.modules:
            _take(_module, _name)
        else:
            _later[_name] = _module
_methods.attach()
_settings.check_environment()
_profiled.profile_the_program()
_old_places.register()
_helped.attach("weft")
# What Python's own namespace has too stays out of `from weft import *`, as in NumPy.
__all__ = sorted(set(__all__) - {"abs", "all", "any", "bool", "compile", "complex", "divmod", "eval", "max", "min", "pow", "round", "sum"})


# NumPy's own, which take Weft's arrays as they are.
_numpys = ("False_", "True_", "char", "datetime64", "exceptions", "ma", "poly1d", "polynomial", "rec", "str_", "strings", "timedelta64")


def __getattr__(name: str) -> object:
    """The dtypes, what is NumPy's own and what few programs need: imported when it is asked for."""
    if name in _later:
        value = _take(_later[name], name)
        _helped.attach("weft", name)
        return value
    if name in _packages:
        return __import__("weft." + name, fromlist=[name])
    value = _dtypes.named(name)
    if name in _numpys:
        import numpy

        value = getattr(numpy, name)
    if value is None:
        raise _errors.missing("", name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What users call: no module or name of the package's own."""
    plain = [name for name in globals() if not name.startswith("_")]
    said = ("__all__", "__array_api_version__", "__array_namespace_info__", "__doc__", "__file__", "__name__", "__path__", "__version__")
    return sorted({*plain, *said, *_later, *_packages, *_dtypes.names, *_numpys})
