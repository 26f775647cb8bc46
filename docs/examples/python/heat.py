"""Heat that spreads over a photograph: a 5-point stencil by shifted slices, written in place, in a loop."""

import numpy as np
from compare import compare, prange, quick, read_photograph

light = read_photograph().astype(np.float32).mean(2)
steps = 4 if quick else 50


def spread(xp, u):
    u = u + 0.0  # the picture stays
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        u[1:-1, 1:-1] = inner + 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)
    return u


def loops(u):
    u, next = u.copy(), u.copy()
    for _ in range(steps):
        for i in prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                around = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1]
                next[i, j] = u[i, j] + np.float32(0.2) * (around - np.float32(4) * u[i, j])
        u, next = next, u
    return u


compare(f"{steps} steps on {light.shape[0]} x {light.shape[1]}", spread, light, loops=loops)
large = np.tile(light, (1, 1) if quick else (4, 4))
compare(f"{steps} steps on {large.shape[0]} x {large.shape[1]}", spread, large, rounds=3, loops=loops)
