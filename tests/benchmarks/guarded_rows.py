"""What a guard shuts off for whole rows, or for ends of rows, and what every reader or row would compute again, beside
NumPy: microseconds a call, the least of several.

Arrays end and begin at pages that are not mapped. A load that its mask leaves out, from such a page, takes hundreds of nanoseconds.

PYTHONPATH=build/python python3 tests/benchmarks/guarded_rows.py [--only NAME,…] [--csv FILE]
"""

import argparse
import ctypes
import mmap
import time

import numpy as np
import weft as wf

PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)
_kept = []


def alone(a, at_end=False):
    """A copy between two pages that are not mapped, at the beginning of its own or at their end."""
    pages = -(-a.nbytes // PAGE) * PAGE
    memory = mmap.mmap(-1, pages + 2 * PAGE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for edge in (address, address + PAGE + pages):
        if _libc.mprotect(ctypes.c_void_p(edge), ctypes.c_size_t(PAGE), 0) != 0:
            raise OSError(ctypes.get_errno(), "mprotect")
    _kept.append(memory)
    first = PAGE + (pages - a.nbytes if at_end else 0)
    copy = np.frombuffer(memory, a.dtype, a.size, first).reshape(a.shape)
    copy[...] = a
    return copy


def least_us(call, seconds=0.15):
    call(), call(), call()
    times = []
    while sum(times) < seconds and len(times) < 300:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e6


def heat(xp, u):
    inner = u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return xp.pad(inner, 1)


def softmax(xp, x):
    e = xp.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def pasted(xp, parts):
    n = parts[0].shape[0]
    out = xp.zeros((2 * n, 2 * n), parts[0].dtype)
    for k, part in enumerate(parts):
        row, column = k // 2 * n, k % 2 * n
        out[row : row + n, column : column + n] = part
    return out


def blur(xp, x, mode):
    n, m = x.shape
    p = xp.pad(x, 2, mode=mode)
    return sum(p[i : i + n, j : j + m] * (1.0 + i * 5 + j) for i in range(5) for j in range(5))


def windowed(xp, x, k):
    return x * (0.5 - 0.5 * xp.cos(2 * np.pi * k / (x.shape[1] - 1)))


def cases(xp, take):
    """Names and calls of one library, whose arrays `take` makes of NumPy's."""
    rng = np.random.default_rng(0)
    out = {}

    def made(shape, dtype="float64", at_end=False):
        return take(alone(rng.standard_normal(shape).astype(dtype), at_end))

    for dtype in ("float64", "float32"):
        for n in (256, 512, 2048):
            x, y = made((n, n), dtype), made((n, n), dtype, at_end=True)
            tag = f"{n}, {dtype}"
            out[f"roll axis 0, {tag}"] = lambda x=x: xp.roll(x, 3, axis=0)
            out[f"roll axis 1, {tag}"] = lambda x=x: xp.roll(x, 3, axis=1)
            out[f"concatenate axis 0, {tag}"] = lambda x=x, y=y: xp.concatenate([x, y], axis=0)
            out[f"concatenate axis 1, {tag}"] = lambda x=x, y=y: xp.concatenate([x, y], axis=1)
            out[f"pad by 1, {tag}"] = lambda x=x: xp.pad(x, 1)
            out[f"heat, {tag}"] = lambda x=x: heat(xp, x)
            out[f"softmax, {tag}"] = lambda x=x: softmax(xp, x)
            out[f"sum of rolls, {tag}"] = lambda x=x: (
                xp.roll(x, 1, 0) + xp.roll(x, -1, 0) + xp.roll(x, 1, 1) + xp.roll(x, -1, 1)
            )
    four = [made((512, 512)) for _ in range(4)]
    out["vstack of 4, 512"] = lambda: xp.vstack(four)
    out["append axis 0, 512"] = lambda: xp.append(four[0], four[1], axis=0)
    out["block of 4, 512"] = lambda: xp.block([[four[0], four[1]], [four[2], four[3]]])
    out["pasted blocks of 512"] = lambda: pasted(xp, four)
    out["pad 512 by 512"] = lambda: xp.pad(four[0], 512)
    for mode in ("edge", "reflect", "wrap"):
        out[f"blur of pad {mode}, 512"] = lambda mode=mode: blur(xp, four[0], mode)
    places = take(np.arange(512.0))
    out["Hann window, 512"] = lambda: windowed(xp, four[0], places)
    long = [made((100000, 3)) for _ in range(4)]
    out["concatenate of 4, 100000 x 3"] = lambda: xp.concatenate(long)
    tall, bias = made((200000, 13), "float32"), made((13,), "float32", at_end=True)
    out["add a row of 13 to 200000"] = lambda: tall + bias
    wide, row = made((20000, 250), "float32"), made((250,), "float32", at_end=True)
    out["add a row of 250 to 20000"] = lambda: wide + row
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="cases whose names hold one of these")
    parser.add_argument("--csv", default="", help="write the times there too")
    given = parser.parse_args()
    wanted = [name for name in given.only.split(",") if name]
    ours, theirs = cases(wf, wf.asarray), cases(np, lambda a: a)
    lines = []
    print(f"{'':34}{'NumPy':>10}{'Weft':>10}{'times as fast':>15}")
    for name, call in theirs.items():
        if wanted and not any(part in name for part in wanted):
            continue
        numpy_us, weft_us = least_us(call), least_us(lambda name=name: wf.eval(ours[name]()))
        np.testing.assert_allclose(np.asarray(ours[name]()), call(), rtol=1e-5, atol=1e-6)
        lines.append(f"{name.replace(', ', ' ')},{numpy_us:.1f},{weft_us:.1f}")
        print(f"{name:34}{numpy_us:10.1f}{weft_us:10.1f}{numpy_us / weft_us:15.2f}", flush=True)
    if given.csv:
        with open(given.csv, "w", encoding="utf-8") as file:
            file.write("\n".join(["case,numpy_us,weft_us", *lines]) + "\n")


if __name__ == "__main__":
    main()
