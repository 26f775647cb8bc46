"""What a fusing array compiler exists for: each workload once, over a namespace `x` that every peer fills in.

`work` is what a call must do at least: bytes moved (each input read once, each output written once), or
floating-point operations. workloads.cpp holds the same workloads on Weft's arrays.
"""
from dataclasses import dataclass
from typing import Callable

import numpy as np

F4 = 4


@dataclass(frozen=True)
class Sizes:
    """`gpu` fills an H100 or H200, `cpu` runs past a shared last-level cache, `tiny` is for checking answers."""

    n: int
    rows: tuple
    cube: int
    matvec: tuple
    square: int
    bodies: int
    svd: tuple
    mlp: tuple
    wide: tuple


SIZES = {
    "gpu": Sizes(1 << 27, (32768, 4096), 256, (65536, 8192), 16384, 32768, (8192, 1024, 8192),
                 (4096, 4096, 16384), (4096, 65536)),
    "cpu": Sizes(1 << 24, (4096, 4096), 256, (16384, 1024), 4096, 4096, (1024, 128, 1024),
                 (512, 512, 2048), (256, 65536)),
    "tiny": Sizes(1 << 12, (64, 96), 16, (60, 70), 64, 50, (40, 30, 20), (20, 30, 40), (8, 300)),
}


@dataclass(frozen=True)
class Workload:
    inputs: Callable  # Sizes -> arrays
    body: Callable  # (x, *arrays) -> an array or a tuple of them
    unit: str  # what `work` counts: "GB/s" of bytes, "TFLOP/s"; or "us", the time of a call
    work: Callable  # Sizes -> bytes or operations


def uniform(*shape, low=0.1, high=1.0):
    values = np.random.default_rng(len(shape)).random(shape, dtype=np.float32)
    values *= np.float32(high - low)
    values += np.float32(low)
    return values


def axpy_chain(x, a, b, c):
    y = a * b + c
    return x.tanh(y) * (1.0 / (1.0 + x.exp(-y))) + x.exp(-y * y)


def maximum_3d(x, a, b):
    return x.maximum(a, b)


def black_scholes(x, s, k, t):
    r, v = 0.02, 0.3

    def normal(d):
        return 0.5 * (1.0 + x.erf(d / 1.4142135623730951))

    d1 = (x.log(s / k) + (r + v * v / 2) * t) / (v * x.sqrt(t))
    d2 = d1 - v * x.sqrt(t)
    discounted = k * x.exp(-r * t)
    call = s * normal(d1) - discounted * normal(d2)
    return call, call - s + discounted


def softmax(x, a):
    e = x.exp(a - x.max(a, 1, True))
    return e / x.sum(e, 1, True)


def layernorm(x, a, gain, bias):
    d = a - x.mean(a, 1, True)
    return d / x.sqrt(x.mean(d * d, 1, True) + 1e-5) * gain + bias


def sum_all(x, a):
    return x.sum(a, None, False)


def sum_cols(x, a):
    return x.sum(a, 0, False)


def mean_var_rows(x, a):
    d = a - x.mean(a, 1, True)
    return x.mean(a, 1, False), x.mean(d * d, 1, False)


def dot_exp_reduce(x, a, b):
    return x.sum(x.exp(-a * b) * a, None, False)


def matvec(x, a, v):
    return x.sum(a * v, 1, False)


def add_transposed(x, a, b):
    return a + b.T * 2.0


def heat5(x, u):
    c = u[1:-1, 1:-1]
    return c + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * c)


def nbody_pairs(x, p, q, r):
    dx, dy, dz = (c[None, :] - c[:, None] for c in (p, q, r))
    inverse = x.rsqrt(dx * dx + dy * dy + dz * dz + 1e-3)
    cubed = inverse * inverse * inverse
    return x.sum(dx * cubed, 1, False), x.sum(dy * cubed, 1, False), x.sum(dz * cubed, 1, False)


def svd_reco(x, u, s, v):
    return x.matmul(u * s, v)


def mlp_bias_gelu(x, a, w, b):
    h = x.matmul(a, w) + b
    return 0.5 * h * (1.0 + x.erf(h * 0.7071067811865476))


def small_chain(x, a, b):
    y = a * b + 1.0
    y = y * a - b
    y = x.tanh(y) + a
    y = y * y + b
    return x.sqrt(y * y + 1.0) * a


def _count(shape):
    return int(np.prod(shape))


def _vectors(count, low=0.1, high=1.0):
    return lambda z: [uniform(z.n, low=low, high=high) for _ in range(count)]


def _options(z):
    n = z.n // 2
    return [uniform(n, low=10, high=50), uniform(n, low=12, high=45), uniform(n, low=0.5, high=2)]


def _svd(z):
    m, k, n = z.svd
    return [uniform(m, k), uniform(k), uniform(k, n)]


def _mlp(z):
    m, k, n = z.mlp
    return [uniform(m, k), uniform(k, n), uniform(n)]


WORKLOADS = {
    "axpy_chain": Workload(_vectors(3), axpy_chain, "GB/s", lambda z: 4 * z.n * F4),
    "maximum_3d": Workload(lambda z: [uniform(z.cube, z.cube, z.cube), 1 - uniform(z.cube, z.cube, z.cube)],
                           maximum_3d, "GB/s", lambda z: 3 * z.cube**3 * F4),
    "black_scholes": Workload(_options, black_scholes, "GB/s", lambda z: 5 * (z.n // 2) * F4),
    "softmax_rows": Workload(lambda z: [uniform(*z.rows)], softmax, "GB/s", lambda z: 2 * _count(z.rows) * F4),
    "layernorm": Workload(lambda z: [uniform(*z.rows), uniform(z.rows[1]), uniform(z.rows[1])], layernorm, "GB/s",
                          lambda z: 2 * _count(z.rows) * F4),
    "sum_all": Workload(_vectors(1), sum_all, "GB/s", lambda z: z.n * F4),
    "sum_cols": Workload(lambda z: [uniform(*z.rows)], sum_cols, "GB/s", lambda z: _count(z.rows) * F4),
    "mean_var_rows": Workload(lambda z: [uniform(*z.rows)], mean_var_rows, "GB/s", lambda z: _count(z.rows) * F4),
    "dot_exp_reduce": Workload(_vectors(2), dot_exp_reduce, "GB/s", lambda z: 2 * z.n * F4),
    "matvec": Workload(lambda z: [uniform(*z.matvec), uniform(z.matvec[1])], matvec, "GB/s",
                       lambda z: _count(z.matvec) * F4),
    "add_transposed": Workload(lambda z: [uniform(z.square, z.square), uniform(z.square, z.square)],
                               add_transposed, "GB/s", lambda z: 3 * z.square**2 * F4),
    "heat5": Workload(lambda z: [uniform(z.square, z.square)], heat5, "GB/s", lambda z: 2 * z.square**2 * F4),
    "nbody_pairs": Workload(lambda z: [uniform(z.bodies, low=low) for low in (0.1, 0.2, 0.3)], nbody_pairs,
                            "TFLOP/s", lambda z: 20 * z.bodies**2),
    "svd_reco": Workload(_svd, svd_reco, "TFLOP/s", lambda z: 2 * _count(z.svd)),
    "mlp_bias_gelu": Workload(_mlp, mlp_bias_gelu, "TFLOP/s", lambda z: 2 * _count(z.mlp)),
    "softmax_wide": Workload(lambda z: [uniform(*z.wide)], softmax, "GB/s", lambda z: 2 * _count(z.wide) * F4),
    "small_chain": Workload(lambda z: [uniform(4096), uniform(4096, low=0.2)], small_chain, "us", lambda z: 3 * 4096 * F4),
}
