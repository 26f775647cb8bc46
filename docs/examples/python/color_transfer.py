"""The photograph as a film would show it: bytes to light, a curve that spares what is bright, and back. Each step has its branches; all is one kernel."""

from compare import compare, prange, quick, read_photograph

import numpy as np
import weft as wf


def to_light(v):
    """sRGB's transfer function, IEC 61966-2-1."""
    return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4


def from_light(v):
    return 12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055


def film(byte):
    """Twice the exposure; above a shoulder of 0.6 light is bent towards 1 and never gets there."""
    v = 2 * to_light(np.float32(byte) / 255)
    if v > 0.6:
        over = (v - 0.6) / 0.4
        v = 0.6 + 0.4 * over / (1 + over)
    return np.uint8(255 * from_light(v) + 0.5)


vectorized = wf.vectorize(film)


def transfer(xp, picture):
    if xp is wf:
        return vectorized(picture)
    v = picture / xp.float32(255)
    v = 2 * xp.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    over = (v - 0.6) / 0.4
    v = xp.where(v > 0.6, 0.6 + 0.4 * over / (1 + over), v)
    v = xp.where(v <= 0.0031308, 12.92 * v, 1.055 * v ** (1 / 2.4) - 0.055)
    return (255 * v + 0.5).astype(xp.uint8)


def loops(picture):
    out = np.empty_like(picture)
    for i in prange(picture.shape[0]):
        for j in range(picture.shape[1]):
            for k in range(3):
                v = np.float32(picture[i, j, k]) / np.float32(255)
                v = 2 * (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4)
                if v > 0.6:
                    over = (v - 0.6) / 0.4
                    v = 0.6 + 0.4 * over / (1 + over)
                v = 12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055
                out[i, j, k] = np.uint8(255 * v + 0.5)
    return out


picture = read_photograph()
compare(f"the photograph of {' x '.join(map(str, picture.shape))}", transfer, picture[:40] if quick else picture, loops=loops, tolerance=1e-3)
