"""The maximum of two volumes, element by element: frames of a photograph that moves, against the same mirrored."""

import numpy as np
from compare import compare, prange, quick, read_photograph

light = read_photograph().astype(np.float32).mean(2)
first = np.stack([np.roll(light, 7 * i, axis=1) for i in range(4 if quick else 64)])
second = np.ascontiguousarray(first[:, :, ::-1])


def loops(a, b):
    out = np.empty_like(a)
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                out[i, j, k] = max(a[i, j, k], b[i, j, k])
    return out


compare("maximum of two volumes of " + " x ".join(map(str, first.shape)), lambda xp, a, b: xp.maximum(a, b), first, second, loops=loops)
