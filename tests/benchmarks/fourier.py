"""Fourier transforms beside NumPy's: medians of three rounds in turn, microseconds a call.

python tests/benchmarks/fourier.py
"""

import time

import numpy as np
import weft as wf

CASES = [
    ("fft", (64,), "complex128", {}),
    ("fft", (1024,), "complex128", {}),
    ("fft", (10007,), "complex128", {}),
    ("fft", (2**17,), "complex128", {}),
    ("fft", (2**20,), "complex128", {}),
    ("rfft", (2**20,), "float64", {}),
    ("fft", (1000, 256), "complex128", {}),
    ("fft", (1000, 256), "complex128", {"axis": 0}),
    ("fft", (1000, 256), "complex64", {}),
    ("rfft", (1000, 1024), "float32", {}),
    ("irfft", (1000, 513), "complex128", {}),
    ("fft2", (512, 512), "complex128", {}),
    ("rfft2", (1024, 1024), "float64", {}),
    ("fftn", (64, 64, 64), "complex128", {}),
]


def quartile_us(call, seconds=0.3):
    """Of some calls, what a quarter of them stays below: others use the machine, too."""
    call()
    times = []
    while sum(times) < seconds or len(times) < 7:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return sorted(times)[len(times) // 4] * 1e6


def main():
    rng = np.random.default_rng(0)
    print("| transform | of | NumPy | Weft | NumPy's time over Weft's |\n|---|---|---|---|---|")
    for name, shape, dtype, options in CASES:
        x = rng.standard_normal(shape)
        x = (x + 1j * x if dtype.startswith("c") else x).astype(dtype)
        w = wf.eval(wf.asarray(x))
        rounds = []
        for _ in range(3):
            theirs = quartile_us(lambda: getattr(np.fft, name)(x, **options))
            ours = quartile_us(lambda: wf.eval(getattr(wf.fft, name)(w, **options)))
            rounds.append((theirs / ours, theirs, ours))
        ratio, theirs, ours = sorted(rounds)[1]
        axis = f", axis {options['axis']}" if options else ""
        print(f"| `{name}` | {dtype} {shape}{axis} | {theirs:.1f} | {ours:.1f} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
