"""Finds how well each part of a rod conducts from its temperatures, through 1,000 steps of a heat equation written with slice assignments.

The gradient goes back through all steps. `wf.checkpoint` around 25 of them keeps one state for each 25, and computes the others again.
"""

import numpy as np
from beside import beside, quick

import weft as wf

turns, most = (8, 60) if quick else (40, 300)  # of 25 steps; of descent
places = np.linspace(0, 1, 49)
true = 0.25 + 0.15 * np.sin(7 * places) * places
rng = np.random.default_rng(0)
start = np.cumsum(rng.normal(size=(4, 50)), axis=1)  # temperatures of four rods


def steps(u, k):
    for _ in range(25):
        flow = k * (u[:, 1:] - u[:, :-1])
        u[:, 1:-1] += flow[:, 1:] - flow[:, :-1]
    return u


def states(u, k):
    for _ in range(turns):
        u = wf.checkpoint(steps)(u, k)
        yield u


def misfit(xp, k, u, seen):
    return sum(wf.sum((now - then) ** 2) for now, then in zip(states(u, k), seen))


def misfit_jax(xp, k, u, seen):
    import jax

    def step(u, _):
        flow = k * (u[:, 1:] - u[:, :-1])
        return u.at[:, 1:-1].add(flow[:, 1:] - flow[:, :-1]), None

    def turn(u, then):
        u = jax.lax.scan(step, u, length=25)[0]
        return u, xp.sum((u - then) ** 2)

    return xp.sum(jax.lax.scan(jax.checkpoint(turn), u, seen)[1])


def misfit_torch(xp, k, u, seen):
    total = 0.0
    for then in seen:
        for _ in range(25):
            flow = k * (u[:, 1:] - u[:, :-1])
            u = u.clone()
            u[:, 1:-1] += flow[:, 1:] - flow[:, :-1]
        total = total + xp.sum((u - then) ** 2)
    return total


u = wf.asarray(start)
seen = wf.stack(list(states(u, wf.asarray(true))))
derived = wf.value_and_grad(lambda k: misfit(wf, k, u, seen))
k, m, v = wf.full(49, 0.25), 0.0, 0.0
for t in range(1, most + 1):
    value, slope = derived(k)
    m = 0.9 * m + 0.1 * slope
    v = 0.99 * v + 0.01 * slope * slope
    k = k - 0.01 * (m / (1 - 0.9**t)) / (wf.sqrt(v / (1 - 0.99**t)) + 1e-9)
error = np.abs(np.asarray(k) - true)
print(f"conductivity: {25 * turns} steps, {most} gradients: largest error {error.max():.1e}, first {np.abs(true - 0.25).max():.1e}")
assert error.max() < (0.08 if quick else 2e-3)

beside(f"heat, {25 * turns} steps", misfit, true + 0.01, start, np.asarray(seen), compiled=False, others={"jax": misfit_jax, "torch": misfit_torch})
