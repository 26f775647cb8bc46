"""Code of one's own on a GPU: functions of numbers, ops as text and whole kernels, beside CuPy's kernels and Numba's.

    python tests/benchmarks/own_code_gpu.py [--rounds N] [--csv FILE]

A row is one function over 10⁷ elements. Weft's is written in Python (wf.vectorize) or as text, CuPy's as an ElementwiseKernel, ReductionKernel or
RawKernel, Numba's in Python for `numba.cuda` where that is installed. All take turns; the median of the turns is printed in microseconds, and
peers' times over Weft's. What they give is compared.
"""

import argparse
import csv
import statistics
import time

import cupy
import numpy as np
import scalar_functions as scalars
import weft as wf

# Numba asks for the name that NumPy 2.5 no longer has.
if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack

try:
    from numba import cuda, float64, int64, vectorize
except ImportError:
    vectorize = None

N = 10_000_000
scalars.N = N

# What scalar_functions.py has in Python, as a user of CuPy writes it.
CUPYS = {
    "fractal": ("int64 r", """
double zr = 0, zi = 0; int turn = 0;
for (; turn < 100; ++turn) { if (zr * zr + zi * zi > 4.0) break; double t = zr * zr - zi * zi + x0; zi = 2 * zr * zi + x1; zr = t; }
r = turn;"""),
    "options": ("double r", """
double root = 0.3 * sqrt(x2), d1 = (log(x0 / x1) + (0.02 + 0.5 * 0.3 * 0.3) * x2) / root, d2 = d1 - root, later = x1 * exp(-0.02 * x2);
double call = x0 * 0.5 * erfc(-d1 * 0.7071067811865476) - later * 0.5 * erfc(-d2 * 0.7071067811865476);
r = x0 > 10.0 ? call : 0.0;"""),
    "newton": ("double r", """
double y = x0;
for (int turn = 0; turn < 50; ++turn) { double step = (y * y * y - x0) / (3.0 * y * y); y -= step; if (fabs(step) < 1e-12) break; }
r = y;"""),
    "haversine": ("double r", """
double u = sin((x2 - x0) / 2), v = sin((x3 - x1) / 2);
r = 12742.0 * asin(sqrt(u * u + cos(x0) * cos(x2) * v * v));"""),
    "sir": ("double r", """
double well = 0.99, sick = 0.01, most = sick;
for (int turn = 0; turn < 100; ++turn) {
  double fresh = x0 * well * sick, gone = x1 * sick;
  well -= fresh; sick += fresh - gone;
  if (sick > most) most = sick;
  if (sick < 1e-4) break;
}
r = most;"""),
    "ray_sphere": ("double r", """
double dz = sqrt(fmax(1.0 - x2 * x2 - x3 * x3, 0.0)), b = x0 * x2 + x1 * x3 - 3.0 * dz, c = x0 * x0 + x1 * x1 + 9.0 - 1.0, d = b * b - c;
if (d < 0.0) r = -1.0; else { double t = -b - sqrt(d); r = t > 0.0 ? t : -b + sqrt(d); }"""),
}  # fmt: skip

TRANSPOSE = """
extern "C" __global__ void transpose(const float* x, float* r, int rows, int columns) {
  __shared__ float tile[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
  __syncthreads();
  row = blockIdx.y * 16 + threadIdx.x, column = blockIdx.x * 16 + threadIdx.y;
  if (row < rows && column < columns) r[column * rows + row] = tile[threadIdx.x][threadIdx.y];
}
"""


def functions():
    """name, Weft's call, and the peers' calls."""
    for name, (f, make) in scalars.PROGRAMS.items():
        arrays = make()
        ours, theirs = [wf.asarray(x) for x in arrays], [cupy.asarray(x) for x in arrays]
        g = wf.vectorize(f)
        out, text = CUPYS[name]
        kernel = cupy.ElementwiseKernel(", ".join(f"double x{k}" for k in range(len(arrays))), out, text, name)
        peers = {"cupy": lambda kernel=kernel, theirs=theirs: kernel(*theirs)}
        if vectorize:
            kind = int64 if name == "fractal" else float64
            try:
                other = vectorize([kind(*[float64] * len(arrays))], target="cuda")(f)
                moved = [cuda.to_device(x) for x in arrays]
                peers["numba"] = lambda other=other, moved=moved: other(*moved)
            except (AttributeError, ImportError) as error:
                print(f"{name}: numba: {error}")
        yield name, lambda g=g, ours=ours: wf.eval(g(*ours)), peers


def texts():
    rng = np.random.default_rng(0)
    x = rng.normal(size=N).astype("float32")
    ours, theirs = wf.asarray(x), cupy.asarray(x)
    elu = wf.elementwise("r = x > 0 ? x : a * expm1(x)", "T x, T a", "T r", "elu")
    cupys = cupy.ElementwiseKernel("T x, T a", "T r", "r = x > 0 ? x : a * expm1(x)", "elu")
    yield "elu, text", lambda: wf.eval(elu(ours, 0.5)), {"cupy": lambda: cupys(theirs, np.float32(0.5))}
    norm = wf.reduction("x * x", "a + b", "y = sqrt(a)", 0, "T x", "T y", "norm")
    cupys_norm = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    yield "norm, text", lambda: wf.eval(norm(ours)), {"cupy": lambda: cupys_norm(theirs)}
    yield "elu, then norm", lambda: wf.eval(norm(elu(ours, 0.5))), {"cupy": lambda: cupys_norm(cupys(theirs, np.float32(0.5)))}
    rows, columns = 2500, 4000
    a, b = ours.reshape(rows, columns), theirs.reshape(rows, columns)
    kernel, raw = wf.cuda_kernel(TRANSPOSE, "transpose"), cupy.RawKernel(TRANSPOSE, "transpose")
    grid, block = ((columns + 15) // 16, (rows + 15) // 16), (16, 16)

    def cupys_transpose():
        r = cupy.empty((columns, rows), "float32")
        raw(grid, block, (b, r, np.int32(rows), np.int32(columns)))
        return r

    yield "transpose, kernel", lambda: wf.eval(kernel(grid, block, (a, wf.kernel_output((columns, rows), "float32"), rows, columns))), {"cupy": cupys_transpose}


def on_host(x):
    return x.get() if isinstance(x, cupy.ndarray) else x.copy_to_host() if hasattr(x, "copy_to_host") else np.asarray(x)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--csv")
    options = parser.parse_args()
    device = wf.device("cuda")
    rows = []
    with device:
        print(f"{'function':<20}{'weft µs':>10}{'cupy':>8}{'numba':>8}   times over Weft's")
        for name, ours, peers in [*functions(), *texts()]:
            ways = {"weft": ours, **peers}
            want = on_host(ours())
            for way, run in peers.items():
                np.testing.assert_allclose(on_host(run()), want, rtol=1e-5 if want.dtype == "float32" else 1e-7, atol=1e-6, err_msg=f"{name}: {way}")
            times = {way: [] for way in ways}
            for _ in range(options.rounds):
                for way, run in ways.items():
                    device.synchronize(), cupy.cuda.Device().synchronize()
                    start = time.perf_counter()
                    run()
                    cupy.cuda.Device().synchronize()
                    times[way].append((time.perf_counter() - start) * 1e6)
            median = {way: statistics.median(found) for way, found in times.items()}
            print(f"{name:<20}{median['weft']:>10.1f}" + "".join(f"{median[way] / median['weft']:>8.2f}" for way in peers), flush=True)
            rows.append({"function": name, **{way: f"{value:.1f}" for way, value in median.items()}})
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=["function", "weft", "cupy", "numba"])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
