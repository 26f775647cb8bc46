"""Weft as a peer: the workloads that workloads.cpp writes with the public C++ API, called by ctypes through
weft_workloads.cpp, and the bodies of workloads.py over the Python package, undecorated and compiled.

All share one session of one library: the first that is made ready chooses its settings.
"""
import ctypes
import os
import pathlib
import sys
from ctypes import POINTER, c_char_p, c_float, c_int, c_int64, c_void_p
from types import SimpleNamespace

import numpy as np

_SIGNATURES = {
    "make": (c_void_p, [c_char_p, c_char_p, c_int, c_int, POINTER(c_void_p), POINTER(c_int64), POINTER(c_int)]),
    "call": (c_int, [c_void_p]),
    "wait": (c_int, []),
    "outputs": (c_int, [c_void_p]),
    "output_size": (c_int64, [c_void_p, c_int]),
    "output": (c_int, [c_void_p, c_int, c_void_p]),
    "launches": (c_int64, [c_void_p]),
    "free": (None, [c_void_p]),
    "error": (c_char_p, []),
}
_library = None


def _open(path):
    """The library, from `path` or from where ./dev build and ./dev bundle lay it."""
    global _library
    if _library is None:
        top = pathlib.Path(__file__).resolve().parents[2]
        places = [path] if path else [top / "build/lib", top / "lib"]
        files = [p if p.is_file() else p / "libweft_workloads.so" for p in map(pathlib.Path, places)]
        found = [f for f in files if f.is_file()]
        if not found:
            raise ImportError(f"no libweft_workloads.so at {', '.join(map(str, files))}; ./dev build makes it")
        library = ctypes.CDLL(str(found[0]))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(library, f"weft_workload_{name}")
            function.restype, function.argtypes = result, arguments
        _library = library
    return _library


class _Workload:
    def __init__(self, inputs, name, settings):
        self.library = _open(settings.library)
        count = len(inputs)
        shapes = [extent for i in inputs for extent in i.shape]
        self.handle = self.library.weft_workload_make(
            name.encode(), b"cuda" if settings.gpu else b"cpu", settings.threads, count,
            (c_void_p * count)(*[i.ctypes.data for i in inputs]), (c_int64 * len(shapes))(*shapes),
            (c_int * count)(*[i.ndim for i in inputs]))
        if not self.handle:
            self.fail()

    def __del__(self):
        if getattr(self, "handle", None):
            self.library.weft_workload_free(self.handle)

    def fail(self):
        raise RuntimeError(self.library.weft_workload_error().decode())

    def call(self):
        if self.library.weft_workload_call(self.handle) < 0:
            self.fail()
        return self

    def wait(self):
        if self.library.weft_workload_wait() < 0:
            self.fail()

    def launches(self):
        count = self.library.weft_workload_launches(self.handle)
        return count if count >= 0 else self.fail()

    def results(self):
        arrays = []
        for k in range(self.library.weft_workload_outputs(self.handle)):
            arrays.append(np.empty(self.library.weft_workload_output_size(self.handle, k), np.float32))
            if self.library.weft_workload_output(self.handle, k, arrays[-1].ctypes.data) < 0:
                self.fail()
        return [a.astype(np.float64) for a in arrays]


def weft(inputs, name, body, settings):
    workload = _Workload(inputs, name, settings)
    return workload.call, _Workload.wait


def import_package():
    """The package weft of ./dev build, or an installed one."""
    top = pathlib.Path(__file__).resolve().parents[2]
    if (top / "build/python/weft").is_dir() and str(top / "build/python") not in sys.path:
        sys.path.insert(0, str(top / "build/python"))
    import weft as wf

    return wf


def weft_python(inputs, name, body, settings, compiled=False):
    os.environ.update(WEFT_THREADS=str(settings.threads), WEFT_CACHE_DIR="off")
    wf = import_package()

    def along(f):
        return lambda a, axis, keep: f(a, axis=axis, keepdims=keep)

    x = SimpleNamespace(tanh=wf.tanh, exp=wf.exp, log=wf.log, sqrt=wf.sqrt, maximum=wf.maximum, erf=wf.erf,
                        rsqrt=wf.rsqrt, matmul=wf.matmul, max=along(wf.max), sum=along(wf.sum), mean=along(wf.mean))
    arrays = [wf.array(i, device="cuda" if settings.gpu else "cpu") for i in inputs]

    def f(*a):
        return body(x, *a)

    if compiled:
        f = wf.compile(f)
        return (lambda: f(*arrays)), (lambda results: wf.sync())

    def call():
        results = f(*arrays)
        if isinstance(results, tuple):
            wf.eval(*results)
        else:
            results.eval()
        return results

    return call, (lambda results: wf.sync())


def weft_python_compiled(inputs, name, body, settings):
    return weft_python(inputs, name, body, settings, compiled=True)
