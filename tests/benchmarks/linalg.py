"""Decompositions beside NumPy's: medians of three rounds in turn, microseconds a call.

python tests/benchmarks/linalg.py [NAME...]
"""

import sys
import time

import numpy as np
import weft as wf


def drawn(shape, dtype):
    x = np.random.default_rng(0).standard_normal(shape)
    return (x + 1j * x[..., ::-1] if np.dtype(dtype).kind == "c" else x).astype(dtype)


def positive(shape, dtype):
    x = drawn(shape, dtype)
    return (x @ np.conj(np.swapaxes(x, -1, -2)) + shape[-1] * np.eye(shape[-1])).astype(dtype)


SQUARES = [(100, 100), (500, 500), (10000, 4, 4), (1000, 16, 16), (100, 64, 64)]
OF = {
    "cholesky": (lambda m, x: m.linalg.cholesky(x), positive, SQUARES),
    "inv": (lambda m, x: m.linalg.inv(x), positive, SQUARES),
    "det": (lambda m, x: m.linalg.det(x), positive, SQUARES),
    "solve": (lambda m, x: m.linalg.solve(x, x[..., :1]), positive, SQUARES),
    "eigh": (lambda m, x: m.linalg.eigh(x), positive, SQUARES),
    "eigvals": (lambda m, x: m.linalg.eigvals(x), drawn, [(100, 100), (10000, 4, 4), (100, 32, 32)]),
    "svd": (lambda m, x: m.linalg.svd(x, full_matrices=False), drawn, [*SQUARES, (2000, 50), (50, 2000), (1000, 16, 4)]),
    "svdvals": (lambda m, x: m.linalg.svdvals(x), drawn, [(200, 200), (10000, 4, 4)]),
    "qr": (lambda m, x: m.linalg.qr(x), drawn, [*SQUARES, (2000, 50), (1000, 16, 4)]),
    "pinv": (lambda m, x: m.linalg.pinv(x), drawn, [(200, 100), (1000, 16, 4)]),
    "lstsq": (lambda m, x: m.linalg.lstsq(x, x[:, 0])[0], drawn, [(100, 100), (2000, 50)]),
    "matrix_power": (lambda m, x: m.linalg.matrix_power(x, 5), drawn, [(200, 200), (1000, 16, 16)]),
}


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
    wanted = sys.argv[1:] or OF
    print("| function | of | NumPy | Weft | NumPy's time over Weft's |\n|---|---|---|---|---|")
    for name in wanted:
        f, make, shapes = OF[name]
        for shape, dtype in [(shape, "float64") for shape in shapes] + [(shapes[-1], "complex64")]:
            x = make(shape, dtype)
            w = wf.eval(wf.asarray(x))
            rounds = []
            for _ in range(3):
                theirs = quartile_us(lambda: f(np, x))
                ours = quartile_us(lambda: wf.eval(f(wf, w)))
                rounds.append((theirs / ours, theirs, ours))
            ratio, theirs, ours = sorted(rounds)[1]
            print(f"| `{name}` | {dtype} {shape} | {theirs:.1f} | {ours:.1f} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
