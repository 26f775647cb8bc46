"""A photograph from its first singular values: (u * s) @ vt for each colour, clipped and rounded."""

import numpy as np
from compare import compare, quick, read_photograph

picture = read_photograph().astype(np.float64).transpose(2, 0, 1)
if quick:
    picture = picture[:, ::4, ::4]
u, s, vt = np.linalg.svd(picture, full_matrices=False)


def rebuild(xp, u, s, vt):
    return xp.clip(xp.matmul(u * s[:, None, :], vt), 0, 255)


for rank in (8, 32, 128):
    parts = [np.ascontiguousarray(part) for part in (u[:, :, :rank], s[:, :rank], vt[:, :rank, :])]
    error = np.sqrt(np.mean((rebuild(np, *parts) - picture) ** 2))
    compare(f"rank {rank}, error {error:.1f} of 255", rebuild, *parts)
