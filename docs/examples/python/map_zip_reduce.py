"""map, zip and reduce by plain array expressions, and a matrix product written as multiply and sum: the array of all
products, n times as large as the result, never exists.
"""

import numpy as np
from compare import compare, prange, quick, read_photograph

import weft as wf

light = read_photograph().astype(np.float32).mean(2) / 255
n = 64 if quick else 384


def map_zip_reduce(xp, a, b):
    return xp.sum(xp.exp(-a) * xp.sqrt(b))  # map exp and sqrt, zip by *, reduce by +


def product(xp, a, b):
    return (a[:, :, None] * b[None, :, :]).sum(1)


def loops(a, b):
    total = 0.0
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            total += np.exp(-a[i, j]) * np.sqrt(b[i, j])
    return total


large = [np.tile(part, (1 if quick else 16, 8)) for part in (light, light.T)]
compare("map, zip, reduce", map_zip_reduce, *large, loops=loops)
a, b = np.ascontiguousarray(light[:n, :n]), np.ascontiguousarray(light.T[:n, :n])
compare(f"{n} x {n} product as multiply and sum", product, a, b, rounds=3)
wf.one_kernel(product(wf, wf.array(a), wf.array(b)))  # weft.Error if it took more than one
