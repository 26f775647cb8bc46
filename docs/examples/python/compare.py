"""Runs one program over several array libraries: checks that they agree, and times them beside each other.

A program is a function of a namespace and arrays, `f(xp, *arrays)`. NumPy and Weft are always there; PyTorch and CuPy
join where they can be imported, and Numba with loops written by hand. Every script takes --quick, which is for
checking that it works, not for timing.
"""

import statistics
import sys
import time
from pathlib import Path

import numpy as np

import weft as wf

try:
    import numba
    from numba import prange
except ImportError:
    numba, prange = None, range

quick = "--quick" in sys.argv
photograph = Path(__file__).resolve().parent.parent / "data" / "astronaut.png"


def read_photograph():
    """The photograph as an array of bytes, (height, width, 3). PNG's five filters add what lies left, above or both."""
    import struct
    import zlib

    data, at, packed = photograph.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[at + 8 : at + 16])
        if kind == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width)
    picture = np.zeros((height + 1, width + 1, 3), np.int64)
    for y, (how, line) in enumerate(zip(rows[:, 0], rows[:, 1:].reshape(height, width, 3).astype(np.int64)), 1):
        above = picture[y - 1]
        if how in (0, 2):
            picture[y, 1:] = line + (above[1:] if how == 2 else 0)
        elif how == 1:
            picture[y, 1:] = line.cumsum(0)
        else:
            for x in range(1, width + 1):
                left, up, corner = picture[y, x - 1], above[x], above[x - 1]
                if how == 3:
                    guess = (left + up) // 2
                else:
                    far = np.abs([up - corner, left - corner, left + up - 2 * corner])
                    guess = np.where((far[0] <= far[1]) & (far[0] <= far[2]), left, np.where(far[1] <= far[2], up, corner))
                picture[y, x] = (line[x - 1] + guess) & 255
        picture[y] &= 255
    return picture[1:, 1:].astype(np.uint8)


def libraries(loops):
    """Name -> (namespace, array from NumPy's, wait for a result, result as NumPy's)."""
    found = {
        "numpy": (np, np.array, lambda r: r, np.asarray),
        "weft": (wf, wf.array, lambda r: (wf.eval(r), wf.sync()), np.asarray),
    }
    try:
        import torch

        found["torch"] = (torch, torch.tensor, lambda r: r, lambda r: r.numpy())
    except ImportError:
        pass
    try:
        import cupy

        found["cupy"] = (cupy, cupy.array, lambda r: cupy.cuda.Device().synchronize(), cupy.asnumpy)
    except ImportError:
        pass
    if numba and loops:
        found["numba"] = (numba.njit(loops, parallel=True), np.array, lambda r: r, np.asarray)
    return found


def compare(what, f, *inputs, tolerance=1e-5, rounds=7, loops=None):
    """Prints the median milliseconds of each library, and how many times as fast as NumPy Weft is. `loops`: the same as a
    function of NumPy arrays that Numba can compile."""
    ready, times, wanted = {}, {}, None

    def run(name, xp, arrays):
        return xp(*arrays) if name == "numba" else f(xp, *arrays)

    for name, (xp, make, wait, to_numpy) in libraries(loops).items():
        try:
            arrays = [make(i) for i in inputs]
            result = run(name, xp, arrays)
            wait(result)
            got = to_numpy(result)
        except (AttributeError, TypeError, RuntimeError) as error:
            print(f"{what}: {name} cannot run this: {error}")
            if name == "weft":
                raise
            continue
        wanted = got if wanted is None else wanted
        difference = np.linalg.norm(got - wanted) / np.linalg.norm(wanted)
        assert difference < tolerance, f"{name} differs by {difference}"
        ready[name], times[name] = (xp, arrays, wait), []
    for _ in range(1 if quick else rounds):
        for name, (xp, arrays, wait) in ready.items():
            begin = time.perf_counter()
            result = run(name, xp, arrays)
            wait(result)
            times[name].append(time.perf_counter() - begin)
    medians = {name: 1e3 * statistics.median(t) for name, t in times.items()}
    columns = ", ".join(f"{name} {ms:.2f} ms" for name, ms in medians.items())
    print(f"{what}: {columns}; weft {medians['numpy'] / medians['weft']:.1f} x numpy")
