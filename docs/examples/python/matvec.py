"""A matrix times a vector, written as multiply and sum along the rows: one pass over the matrix."""

import numpy as np
from compare import compare, quick, read_photograph

light = read_photograph().astype(np.float32).mean(2) / 255
matrix = np.tile(light, (1, 1) if quick else (16, 4))
vector = np.cos(np.arange(matrix.shape[1], dtype=np.float32))


def matvec(xp, a, v):
    return (a * v).sum(1)


compare(f"{matrix.shape[0]} x {matrix.shape[1]} matrix times vector", matvec, matrix, vector, tolerance=1e-4)
