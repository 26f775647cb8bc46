"""Heat that spreads over a photograph: a 5-point stencil by shifted slices, written in place, in a loop."""

import numpy as np
from compare import compare, quick, read_photograph

light = read_photograph().astype(np.float32).mean(2)
steps = 4 if quick else 50


def spread(xp, u):
    u = u + 0.0  # the picture stays
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        u[1:-1, 1:-1] = inner + 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)
    return u


compare(f"{steps} steps on {light.shape[0]} x {light.shape[1]}", spread, light)
large = np.tile(light, (1, 1) if quick else (4, 4))
compare(f"{steps} steps on {large.shape[0]} x {large.shape[1]}", spread, large, rounds=3)
