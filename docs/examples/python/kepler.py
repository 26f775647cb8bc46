"""Where planets are: Kepler's equation, anomaly = E - e * sin(E), by Newton's method. Each element takes as many steps as it needs."""

import math

from compare import compare, prange, quick

import numpy as np
import weft as wf


def eccentric(anomaly, e):
    """E of the equation, to the last digits."""
    E = anomaly if e < 0.8 else math.pi
    for _ in range(50):
        step = (E - e * math.sin(E) - anomaly) / (1 - e * math.cos(E))
        E -= step
        if abs(step) < 1e-14:
            break
    return E


vectorized = wf.vectorize(eccentric)


def kepler(xp, anomaly, e):
    if xp is wf:
        return vectorized(anomaly, e)
    E = xp.where(e < 0.8, anomaly, math.pi + 0 * anomaly)
    for _ in range(50):  # until the slowest element is there
        step = (E - e * xp.sin(E) - anomaly) / (1 - e * xp.cos(E))
        E = E - step
        if bool((abs(step) < 1e-14).all()):
            break
    return E


def loops(anomaly, e):
    out = np.empty_like(anomaly)
    for i in prange(anomaly.size):
        E = anomaly[i] if e[i] < 0.8 else math.pi
        for _ in range(50):
            step = (E - e[i] * math.sin(E) - anomaly[i]) / (1 - e[i] * math.cos(E))
            E -= step
            if abs(step) < 1e-14:
                break
        out[i] = E
    return out


# Mercury's orbit to that of Halley's comet.
draw = np.random.default_rng(4)
n = 10_000 if quick else 1_000_000
anomalies, eccentricities = draw.uniform(0.01, math.pi, n), draw.choice([0.2056, 0.0068, 0.0167, 0.0934, 0.2488, 0.967], n)
compare(f"Kepler's equation {n} times", kepler, anomalies, eccentricities, loops=loops, tolerance=1e-12)
