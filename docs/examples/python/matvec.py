"""A matrix times a vector, written as multiply and sum along the rows: one pass over the matrix."""

import numpy as np
from compare import compare, prange, quick, read_photograph

light = read_photograph().astype(np.float32).mean(2) / 255
matrix = np.tile(light, (1, 1) if quick else (16, 4))
vector = np.cos(np.arange(matrix.shape[1], dtype=np.float32))


def matvec(xp, a, v):
    return (a * v).sum(1)


def loops(a, v):
    out = np.empty(a.shape[0], a.dtype)
    for i in prange(a.shape[0]):
        total = np.float32(0)
        for j in range(a.shape[1]):
            total += a[i, j] * v[j]
        out[i] = total
    return out


compare(f"{matrix.shape[0]} x {matrix.shape[1]} matrix times vector", matvec, matrix, vector, tolerance=1e-4, loops=loops)
