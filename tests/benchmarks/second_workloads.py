"""Thirty more workloads, of kinds that workloads.py lacks: integers, halves, doubles, strided, reversed and permuted inputs, masks,
gathers, scatters, histograms, scans, stencils in three dimensions, rolls, distances of pairs, many small arrays, chains of
writes, middle axes, complex numbers.

A body is NumPy code over the module `np`, which Weft runs as it is. second_peers.py has the forms for those that lack a part of it.
"""
from dataclasses import dataclass
from typing import Callable

import numpy

from workloads import Workload


@dataclass(frozen=True)
class Sizes:
    """`cpu` runs past a shared last-level cache, `tiny` is for checking answers."""

    n: int
    rows: tuple
    cube: int
    image: int
    planes: tuple  # batch, channels, height, width
    middle: tuple
    table: tuple  # rows and columns of an embedding
    bags: tuple
    pairs: int
    small: int  # many arrays of 1,000


SIZES = {
    "gpu": Sizes(1 << 26, (16384, 4096), 384, 8192, (64, 64, 128, 128), (128, 512, 511), (100000, 64), (65536, 8), 16384, 100),
    "cpu": Sizes(1 << 22, (2048, 2048), 160, 2048, (8, 32, 128, 128), (16, 512, 511), (100000, 64), (16384, 8), 2048, 100),
    "tiny": Sizes(1 << 10, (30, 50), 10, 40, (2, 3, 8, 9), (3, 8, 7), (50, 8), (12, 4), 40, 5),
}


def generator(seed):
    return numpy.random.default_rng(seed)


def floats(*shape, dtype="f4", low=0.1, high=1.0, seed=1):
    return (low + (high - low) * generator(seed).random(shape)).astype(dtype)


def integers(*shape, dtype="i8", high=1 << 20, seed=1):
    return generator(seed).integers(0, high, shape).astype(dtype)


def complexes(*shape, dtype="c8", seed=1):
    g = generator(seed)
    return (g.random(shape) + 1j * g.random(shape)).astype(dtype)


# ---- integers

def hash_i64(np, a):
    h = a * -7046029254386353131
    h = (h ^ (h >> 31)) * -4658895280553007687
    h = (h ^ (h >> 27)) * -7723592293110705685
    return h ^ (h >> 33)


def blend_u8(np, a, b):
    return ((a.astype(np.int16) * 3 + b.astype(np.int16) * 5) >> 3).astype(np.uint8)


def calendar_i64(np, seconds):
    days = seconds // 86400
    left = seconds % 86400
    return days % 7, left // 3600, left % 3600 // 60


def count_matches(np, a, b):
    return np.sum(((a > 1000) & (a < 600000)) | (b == 7))


# ---- halves

def scale_f16(np, a, b, c):
    return a * b + c


def softmax_f16(np, a):
    wide = a.astype(np.float32)
    e = np.exp(wide - np.max(wide, axis=1, keepdims=True))
    return (e / np.sum(e, axis=1, keepdims=True)).astype(np.float16)


# ---- doubles

def haversine_f64(np, lat1, lon1, lat2, lon2):
    s = np.sin((lat2 - lat1) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    return 12742.0 * np.arcsin(np.sqrt(s))


def norm_rows_f64(np, a):
    return np.sqrt(np.sum(a * a, axis=1))


def logsumexp_f64(np, a):
    m = np.max(a, axis=1, keepdims=True)
    return np.log(np.sum(np.exp(a - m), axis=1)) + m[:, 0]


# ---- strided, reversed, permuted

def every_second(np, a, b):
    return a[::2] * b[1::2] + a[1::2]


def reversed_difference(np, a):
    return a[::-1] - a


def channels_last(np, a, scale, shift):
    return np.transpose(a, (0, 2, 3, 1)) * scale + shift


# ---- masks

def choose(np, a):
    return np.where(a > 0.5, np.log(a), a * a)


def masked_mean_rows(np, a, m):
    return np.sum(np.where(m, a, 0), axis=1) / np.sum(m, axis=1)


# ---- gathers

def look_up(np, t, i, w):
    return t[i] * w


def embedding_bags(np, e, i):
    return np.sum(e[i], axis=1)


def sample_bilinear(np, image, y, x):
    r, c = np.floor(y).astype(np.int32), np.floor(x).astype(np.int32)
    v, u = y - r.astype(y.dtype), x - c.astype(x.dtype)
    top = image[r, c] * (1 - u) + image[r, c + 1] * u
    bottom = image[r + 1, c] * (1 - u) + image[r + 1, c + 1] * u
    return top * (1 - v) + bottom * v


# ---- scatters and histograms

def scatter_add(np, t, i, v):
    out = np.zeros_like(t)
    np.add.at(out, i, v)
    return out


def histogram_u8(np, a):
    return np.bincount(a, minlength=256)


# ---- scans

def cumsum_rows(np, a):
    return np.cumsum(a, axis=1)


def drawdown(np, p):
    return np.min(p / np.maximum.accumulate(p)) - 1


# ---- stencils and rolls

def laplace_3d(np, u):
    c = u[1:-1, 1:-1, 1:-1]
    return c + 0.1 * (u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 1:-1, 2:]
                      + u[1:-1, 1:-1, :-2] - 6.0 * c)


def box_3d_f64(np, u):
    n, m, k = u.shape
    total = 0.0
    for i in range(3):
        for j in range(3):
            for l in range(3):
                total = total + u[i:n - 2 + i, j:m - 2 + j, l:k - 2 + l]
    return total / 27.0


def advect_by_rolls(np, u):
    return u - 0.2 * (u - np.roll(u, 1, 0)) - 0.3 * (u - np.roll(u, 1, 1))


# ---- distances of pairs, many small arrays, chains of writes

def nearest(np, a, b):
    return np.sqrt(np.min(np.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=2), axis=1))


def many_small(np, *arrays):
    return [np.tanh(a * 0.5 + 1.0) for a in arrays]


def boundaries(np, u):
    y = u * 1.0
    y[1:-1, 1:-1] += 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    y[0, :] = y[1, :]
    y[-1, :] = y[-2, :]
    y[:, 0] = 0.0
    y[:, -1] = 1.0
    return y


# ---- middle axes, complex numbers

def normalize_middle(np, a):
    d = a - np.mean(a, axis=1, keepdims=True)
    return d / np.sqrt(np.mean(d * d, axis=1, keepdims=True) + 1e-5)


def complex_chain(np, z, w):
    return np.abs(z * w + np.conj(z))


def mandelbrot(np, c):
    z = c * 0
    count = np.zeros(c.shape, np.int32)
    for _ in range(24):
        z = np.where(z.real * z.real + z.imag * z.imag < 4.0, z * z + c, z)
        count = count + (z.real * z.real + z.imag * z.imag < 4.0)
    return count


def _count(shape):
    return int(numpy.prod(shape))


def _gigabytes(count):
    """Bytes that a call moves at least: `count(sizes)`."""
    return {"unit": "GB/s", "work": count}


def _image_points(z):
    n = z.n // 2
    return [floats(z.image, z.image), floats(n, low=0, high=z.image - 2), floats(n, low=0, high=z.image - 2, seed=2)]


def _plane(z):
    n = z.image // 2
    x, y = numpy.meshgrid(numpy.linspace(-2, 0.6, n), numpy.linspace(-1.2, 1.2, n))
    return [x + 1j * y]


WORKLOADS = {
    "hash_i64": Workload(lambda z: [integers(z.n)], hash_i64, **_gigabytes(lambda z: 16 * z.n)),
    "blend_u8": Workload(lambda z: [integers(4 * z.n, dtype="u1", high=256), integers(4 * z.n, dtype="u1", high=256, seed=2)], blend_u8,
                         **_gigabytes(lambda z: 12 * z.n)),
    "calendar_i64": Workload(lambda z: [integers(z.n, high=1 << 31)], calendar_i64, **_gigabytes(lambda z: 32 * z.n)),
    "count_matches": Workload(lambda z: [integers(z.n, dtype="i4"), integers(z.n, dtype="i4", high=50, seed=2)], count_matches,
                              **_gigabytes(lambda z: 8 * z.n)),
    "scale_f16": Workload(lambda z: [floats(2 * z.n, dtype="f2", seed=s) for s in (1, 2, 3)], scale_f16,
                          **_gigabytes(lambda z: 16 * z.n)),
    "softmax_f16": Workload(lambda z: [floats(*z.rows, dtype="f2")], softmax_f16, **_gigabytes(lambda z: 4 * _count(z.rows))),
    "haversine_f64": Workload(lambda z: [floats(z.n, dtype="f8", low=-1.5, high=1.5, seed=s) for s in (1, 2, 3, 4)], haversine_f64,
                              **_gigabytes(lambda z: 40 * z.n)),
    "norm_rows_f64": Workload(lambda z: [floats(*z.rows, dtype="f8")], norm_rows_f64, **_gigabytes(lambda z: 8 * _count(z.rows))),
    "logsumexp_f64": Workload(lambda z: [floats(*z.rows, dtype="f8")], logsumexp_f64, **_gigabytes(lambda z: 8 * _count(z.rows))),
    "every_second": Workload(lambda z: [floats(2 * z.n), floats(2 * z.n, seed=2)], every_second, **_gigabytes(lambda z: 20 * z.n)),
    "reversed_difference": Workload(lambda z: [floats(2 * z.n)], reversed_difference, **_gigabytes(lambda z: 16 * z.n)),
    "channels_last": Workload(lambda z: [floats(*z.planes), floats(z.planes[1]), floats(z.planes[1], seed=2)], channels_last,
                              **_gigabytes(lambda z: 8 * _count(z.planes))),
    "choose": Workload(lambda z: [floats(2 * z.n)], choose, **_gigabytes(lambda z: 16 * z.n)),
    "masked_mean_rows": Workload(lambda z: [floats(*z.rows), integers(*z.rows, dtype="?", high=2)], masked_mean_rows,
                                 **_gigabytes(lambda z: 5 * _count(z.rows))),
    "look_up": Workload(lambda z: [floats(1 << 14), integers(z.n, dtype="i4", high=1 << 14), floats(z.n, seed=2)], look_up,
                        **_gigabytes(lambda z: 12 * z.n)),
    "embedding_bags": Workload(lambda z: [floats(*z.table), integers(*z.bags, high=z.table[0])], embedding_bags,
                               **_gigabytes(lambda z: 4 * z.table[1] * (_count(z.bags) + z.bags[0]))),
    "sample_bilinear": Workload(_image_points, sample_bilinear, **_gigabytes(lambda z: 6 * z.n)),
    "scatter_add": Workload(lambda z: [floats(1 << 16), integers(z.n, dtype="i8", high=1 << 16), floats(z.n, seed=2)], scatter_add,
                            **_gigabytes(lambda z: 12 * z.n)),
    "histogram_u8": Workload(lambda z: [integers(4 * z.n, dtype="u1", high=256)], histogram_u8, **_gigabytes(lambda z: 4 * z.n)),
    "cumsum_rows": Workload(lambda z: [floats(*z.rows)], cumsum_rows, **_gigabytes(lambda z: 8 * _count(z.rows))),
    "drawdown": Workload(lambda z: [floats(2 * z.n, low=90, high=110)], drawdown, **_gigabytes(lambda z: 8 * z.n)),
    "laplace_3d": Workload(lambda z: [floats(z.cube, z.cube, z.cube)], laplace_3d, **_gigabytes(lambda z: 8 * z.cube**3)),
    "box_3d_f64": Workload(lambda z: [floats(z.cube, z.cube, z.cube, dtype="f8")], box_3d_f64, **_gigabytes(lambda z: 16 * z.cube**3)),
    "advect_by_rolls": Workload(lambda z: [floats(z.image, z.image)], advect_by_rolls, **_gigabytes(lambda z: 8 * z.image**2)),
    "nearest": Workload(lambda z: [floats(z.pairs, 3), floats(z.pairs, 3, seed=2)], nearest, "TFLOP/s", lambda z: 9 * z.pairs**2),
    "many_small": Workload(lambda z: [floats(1000, seed=s) for s in range(z.small)], many_small, "us", lambda z: 8000 * z.small),
    "boundaries": Workload(lambda z: [floats(z.image, z.image)], boundaries, **_gigabytes(lambda z: 8 * z.image**2)),
    "normalize_middle": Workload(lambda z: [floats(*z.middle)], normalize_middle, **_gigabytes(lambda z: 8 * _count(z.middle))),
    "complex_chain": Workload(lambda z: [complexes(z.n), complexes(z.n, seed=2)], complex_chain, **_gigabytes(lambda z: 20 * z.n)),
    "mandelbrot": Workload(_plane, mandelbrot, "TFLOP/s", lambda z: 24 * 12 * (z.image // 2) ** 2),
}
