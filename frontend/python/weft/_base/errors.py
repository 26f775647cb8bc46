"""Errors under the name that the caller used: of functions that are made of others, and of names that are not there."""

from __future__ import annotations

import sys

from weft._base.dask import told_by


def named(error: Exception, op: str) -> Exception:
    """The error as one of `op`."""
    _, colon, text = str(error).partition(": ")
    return type(error)(f"{op}: {text}") if colon else error


def axis_error(text: str) -> Exception:
    """NumPy's error, an IndexError and a ValueError, that there is no such axis."""
    import numpy

    return numpy.exceptions.AxisError(text)


# NumPy's functions that take no arrays.
_of_no_arrays = {
    "datetime_data", "get_include", "getbufsize", "geterrcall", "info", "mintypecode", "setbufsize", "seterrcall", "show_config",
    "show_runtime", "test", "typename",
}


# What other libraries, and NumPy before, call what Weft has under another name, by the module's.
_elsewhere = {"": {
    "DeviceArray": "Array", "Tensor": "Array", "as_tensor": "asarray", "block_until_ready": "sync", "cat": "concatenate", "compute": "eval", "from_numpy": "asarray",
    "jit": "compile", "njit": "compile", "synchronize": "sync", "tensor": "array", "value_and_gradient": "value_and_grad",
    "alltrue": "all", "cumproduct": "cumprod", "in1d": "isin", "product": "prod", "sometrue": "any", "trapz": "trapezoid",
}, ".linalg": {
    "determinant": "det", "eigenvalues": "eigvals", "inverse": "inv", "least_squares": "lstsq", "pseudo_inverse": "pinv",
}}  # fmt: skip


# What Numba and CuPy have for functions of numbers, and kernels, and what Weft's users write.
_of_functions = {
    "guvectorize": 'write weft.vectorize(f, signature="(n),(n)->()"), of a function that returns its results', "prange": "write range: each element is computed on its own",
    "stencil": "write shifted views of an array, as x[1:] - x[:-1]", "ElementwiseKernel": "weft.elementwise does that", "ReductionKernel": "weft.reduction does that",
    "RawKernel": "weft.cuda_kernel does that", "RawModule": "weft.cuda_kernel does that",
}  # fmt: skip


# What arrays of other libraries have, and what Weft's users write.
_of_arrays = {
    "at": "write x[i] = v, which compiled functions and derivatives follow, or weft.add.at(x, i, v)", "block_until_ready": "write x.eval()",
    "clone": "write x.copy()", "contiguous": "write weft.ascontiguousarray(x)", "cpu": 'write x.to_device("cpu")', "cuda": 'write x.to_device("cuda:0")',
    "detach": "write weft.stop_gradient(x)", "dim": "write x.ndim", "double": 'write x.astype("float64")', "float": 'write x.astype("float32")',
    "get": "write x.numpy()", "half": 'write x.astype("float16")', "int": 'write x.astype("int32")', "long": 'write x.astype("int64")', "mm": "write x @ y",
    "bmm": "write x @ y", "numel": "write x.size", "permute": "write x.transpose(axes)", "pow": "write x ** y", "t": "write x.T", "type": "write x.astype(dtype)",
    "unsqueeze": "write weft.expand_dims(x, axis)", "values": "write x.numpy()",
}  # fmt: skip


def _meant(module: str, name: str) -> str:
    """What the name may have been meant to be, as a question; empty where nothing is near."""
    elsewhere = _elsewhere.get(module, {})
    if name in elsewhere:
        return f"weft{module}.{elsewhere[name]} does that"
    if not module and name in _of_functions:
        return _of_functions[name]
    import difflib
    import importlib

    public = [one for one in dir(importlib.import_module(f"weft{module}")) if not one.startswith("_")]
    near = difflib.get_close_matches(name, [*public, *elsewhere], 1, 0.75 if len(name) > 4 else 0.65)
    return f"did you mean weft{module}.{elsewhere.get(near[0], near[0])}?" if near else ""


def missing(module: str, name: str) -> AttributeError:
    """That a module has no such name, and what to do where NumPy's module has it, or where another name is near."""
    plain = f"module 'weft{module}' has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(plain)  # Python itself asks for such names, which must not import NumPy
    if name in _elsewhere.get(module, {}) or not module and name in _of_functions:
        return AttributeError(f"{plain}: {_meant(module, name)}")
    import importlib

    numpys = importlib.import_module(f"numpy{module}")
    if name not in dir(numpys):
        try:
            getattr(numpys, name)
        except AttributeError as error:  # NumPy says what to write instead of what it has given up
            meant = str(error) if "removed" in str(error) or "deprecated" in str(error) else _meant(module, name)
            return AttributeError(f"{plain}: {meant}" if meant else plain)
    where = f"numpy{module}.{name}"
    if name in _of_no_arrays:
        return AttributeError(f"{plain}: NumPy has it: use {where}")
    if module or not callable(getattr(numpys, name, None)) or isinstance(getattr(numpys, name), type):
        return AttributeError(f"{plain}: NumPy has it: use {where}, with numpy.asarray(x) for a Weft array x")
    return AttributeError(f"{plain}: NumPy has it: use {where}(numpy.asarray(x)), and weft.asarray() for what it gives")


def missing_of_array(self: object, name: str) -> object:
    """Raises: arrays have no such attribute; says what to do where NumPy's arrays have it."""
    for known in type(self).__mro__:
        if name in known.__dict__:
            return known.__dict__[name].__get__(self)  # it is there, and says why it refused
    plain = f"'weft.Array' object has no attribute {name!r}"
    if name.startswith("_"):
        told_by(name)
    if not name.startswith("_"):
        import numpy

        if hasattr(numpy.ndarray, name):
            raise AttributeError(f"{plain}: NumPy's arrays have it: numpy.asarray(x).{name} reads the values on host memory")
        if name in _of_arrays:
            raise AttributeError(f"{plain}: {_of_arrays[name]}")
        if callable(function := getattr(sys.modules["weft"], name, None)) and not isinstance(function, type):
            raise AttributeError(f"{plain}: weft.{name}(x) is a function")
    raise AttributeError(plain)
