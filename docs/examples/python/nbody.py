"""Gravity between all pairs of bodies, as the textbook has it: differences of all pairs, their inverse cubes, sums.
The n x n arrays of the text are never made.
"""

import numpy as np
from compare import compare, prange, quick

import weft as wf


def accelerations(xp, x, y, z, mass):
    dx, dy, dz = (c[None, :] - c[:, None] for c in (x, y, z))
    square = dx * dx + dy * dy + dz * dz + 1e-3
    pull = mass / (square * xp.sqrt(square))
    return xp.stack([(pull * d).sum(1) for d in (dx, dy, dz)])


def loops(x, y, z, mass):
    out = np.empty((3, x.size), x.dtype)
    for i in prange(x.size):
        ax = ay = az = np.float32(0)
        for j in range(x.size):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            square = dx * dx + dy * dy + dz * dz + np.float32(1e-3)
            pull = mass[j] / (square * np.sqrt(square))
            ax += pull * dx
            ay += pull * dy
            az += pull * dz
        out[0, i], out[1, i], out[2, i] = ax, ay, az
    return out


draw = np.random.default_rng(2)
n = 256 if quick else 3000
bodies = [draw.standard_normal(n).astype(np.float32) for _ in range(3)] + [draw.random(n, np.float32)]
compare(f"{n} bodies", accelerations, *bodies, tolerance=1e-4, rounds=3, loops=loops)
if not quick:
    before = wf.stats()["bytes_written"]
    wf.eval(accelerations(wf, *[wf.array(b) for b in bodies]))
    print(f"bytes written: {wf.stats()['bytes_written'] - before:,} of results; one n x n array has {4 * n * n:,}")
