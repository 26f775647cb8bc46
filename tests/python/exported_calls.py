"""Calls functions that were exported, from the process that exported them: linked by the system's compiler, called through ctypes."""

import ctypes
import itertools
import pathlib
import shutil
import subprocess

import numpy as np
import weft as wf

_root = pathlib.Path(__file__).resolve().parents[2]
_package = pathlib.Path(wf.__file__).parent
compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
_numbers = itertools.count()
# weft_dtype
_DTYPES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128").split()


def program():
    """The program weft: of a wheel, or of the build that the tests belong to; None where there is neither."""
    return next((one for one in (_package / "bin/weft", _package.parents[1] / "bin/weft") if one.exists()), None)


class Array(ctypes.Structure):
    """weft_array of weft_runtime.h."""

    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_int), ("shape", ctypes.c_int64 * 16), ("owner", ctypes.c_void_p)]


def places():
    """Where weft_runtime.h and libweft_runtime lie: in the package, or in the build that the tests belong to."""
    for header, library in ((_package / "include", _package), (_root / "runtime/exported", _package.parents[1] / "lib")):
        found = sorted(library.glob("libweft_runtime.so*"))
        if found:
            return header, found[0]
    return None


class Exported:
    """`f` of a folder: called with NumPy's arrays, which lie in the host's memory, and with Weft's on a GPU; gives NumPy's."""

    def __init__(self, folder, name="f"):
        _, library = places()
        shared = folder / f"called{next(_numbers)}.so"
        subprocess.run([compiler, "-shared", "-o", shared, "-Wl,--whole-archive", folder / f"lib{name}.a", "-Wl,--no-whole-archive", library,
                        f"-Wl,-rpath,{library.parent}"], check=True)
        self.runtime = ctypes.CDLL(library)
        self.runtime.weft_last_error.restype = ctypes.c_char_p
        self.program = ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(shared), f"{name}_exported"))

    def _array(self, x):
        if isinstance(x, wf.Array):
            wf.eval(x)
            wf.device(x.device).synchronize()
            data = x.__cuda_array_interface__["data"][0]
        else:
            data = x.ctypes.data
        return Array(data, _DTYPES.index(str(x.dtype)), x.ndim, (ctypes.c_int64 * 16)(*x.shape), None)

    def into(self, results, *arguments):
        """Into memory of the caller's. Gives what is said of a failure."""
        inputs = (Array * len(arguments))(*map(self._array, arguments))
        outputs = (Array * len(results))(*map(self._array, results))
        status = self.runtime.weft_run_into(ctypes.c_void_p(self.program), inputs, ctypes.c_size_t(len(inputs)), outputs, ctypes.c_size_t(len(outputs)))
        said = self.runtime.weft_last_error().decode()
        assert (status == 0) == (said == ""), (status, said)
        return said

    def __call__(self, *arguments, dtypes):
        """Results of these dtypes in memory that the library allocates; an error with what is said where the call fails."""
        inputs = (Array * len(arguments))(*map(self._array, arguments))
        outputs = (Array * len(dtypes))()
        status = self.runtime.weft_run(ctypes.c_void_p(self.program), inputs, ctypes.c_size_t(len(inputs)), outputs, ctypes.c_size_t(len(outputs)))
        if status:
            raise RuntimeError(self.runtime.weft_last_error().decode())
        given = []
        for one, dtype in zip(outputs, dtypes):
            shape = tuple(one.shape[: one.rank])
            bytes_ = ctypes.string_at(one.data, int(np.prod(shape)) * np.dtype(dtype).itemsize)
            given.append(np.frombuffer(bytes_, dtype).reshape(shape))
            self.runtime.weft_release(ctypes.byref(one))
            assert not one.data
        return given
