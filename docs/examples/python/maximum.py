"""The maximum of two volumes, element by element: frames of a photograph that moves, against the same mirrored."""

import numpy as np
from compare import compare, quick, read_photograph

light = read_photograph().astype(np.float32).mean(2)
first = np.stack([np.roll(light, 7 * i, axis=1) for i in range(4 if quick else 64)])
second = np.ascontiguousarray(first[:, :, ::-1])

compare("maximum of two volumes of " + " x ".join(map(str, first.shape)), lambda xp, a, b: xp.maximum(a, b), first, second)
