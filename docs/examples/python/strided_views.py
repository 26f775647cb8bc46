"""An NDArray with strided views on any device, which one would else write by hand: steps, transposes, broadcasts and
reshapes are views of one memory, read and written through, and sums over them need no copy.
"""

import numpy as np
from compare import compare, quick, read_photograph

import weft as wf

picture = read_photograph().astype(np.float32)
x = wf.array(picture)

every_other = x[::2, ::-2, :]  # strides (2 rows, -2 pixels, 1 channel)
assert every_other.strides == picture[::2, ::-2, :].strides
channels = every_other.transpose(2, 0, 1)
channels[0] += 100  # the red of every other pixel, seen by the whole picture
picture[::2, ::-2, :].transpose(2, 0, 1)[0] += 100
assert np.array_equal(np.asarray(x), picture)

for device in wf.devices():
    there = x.to_device(device)
    assert abs(float(there[1::3].mean()) - picture[1::3].mean()) < 1e-2
    print("the mean of every third row, on", there.device)


def mean_of_views(xp, a):
    return (a[::2, 1::2].sum(1) + a[1::2, ::2].sum(1)) / a.shape[1]


compare("two strided views, summed", mean_of_views, np.tile(picture, (1 if quick else 8, 8, 1)))
