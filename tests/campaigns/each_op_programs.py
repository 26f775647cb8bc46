"""Programs of people who work with equations, images and signals, small enough to be one graph each: what each_op.py runs
beside the examples and workloads. A program is a function of the namespace that gives what it computes."""

import numpy as np

import weft as wf
from weft.stride_tricks import sliding_window_view as windows

draw = np.random.default_rng(7)


def _of(*shape, dtype=np.float64):
    return wf.array(draw.random(shape).astype(dtype))


def heat_behind_a_mask(xp):
    u, hot = _of(400, 400), _of(400, 400) > 0.9
    du = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    du[hot[1:-1, 1:-1]] = 0.0
    u[1:-1, 1:-1] += 0.1 * du
    return u


def scaled_behind_a_mask(xp):
    u, hot = _of(400, 400), _of(398, 398) > 0.5
    du = u[2:, 1:-1] - u[:-2, 1:-1]
    du[hot] *= 0.5
    return xp.pad(du, 1)


def wave(xp):
    now, before = _of(512, 512), _of(512, 512)
    around = xp.roll(now, 1, 0) + xp.roll(now, -1, 0) + xp.roll(now, 1, 1) + xp.roll(now, -1, 1)
    return 2 * now - before + 0.2 * (around - 4 * now)


def gray_scott(xp):
    u, v = _of(256, 256), _of(256, 256)

    def spread(a):
        return xp.roll(a, 1, 0) + xp.roll(a, -1, 0) + xp.roll(a, 1, 1) + xp.roll(a, -1, 1) - 4 * a

    reaction = u * v * v
    return u + 0.16 * spread(u) - reaction + 0.03 * (1 - u), v + 0.08 * spread(v) + reaction - 0.09 * v


def blur(mode):
    def program(xp):
        image = xp.pad(_of(512, 512), 2, mode=mode)
        return sum(image[i : i + 512, j : j + 512] for i in range(5) for j in range(5)) / 25

    return program


def sobel(xp):
    image = xp.pad(_of(512, 512), 1)
    gx = image[:-2, 2:] + 2 * image[1:-1, 2:] + image[2:, 2:] - image[:-2, :-2] - 2 * image[1:-1, :-2] - image[2:, :-2]
    gy = image[2:, :-2] + 2 * image[2:, 1:-1] + image[2:, 2:] - image[:-2, :-2] - 2 * image[:-2, 1:-1] - image[:-2, 2:]
    return xp.sqrt(gx * gx + gy * gy)


def convolved(how):
    def program(xp):
        shown, kernel = windows(_of(512, 512), (7, 7)), _of(7, 7)
        if how == "einsum":
            return xp.einsum("ijkl,kl->ij", shown, kernel)
        return (shown * kernel).sum((-1, -2)) if how == "sum" else xp.tensordot(shown, kernel, axes=((2, 3), (0, 1)))

    return program


def moving_average(xp):
    return windows(_of(1_000_000), 9) @ _of(9)


def eroded(xp):
    return windows(_of(512, 512, dtype=np.float32), (3, 3)).min((-1, -2))


def framed(xp):
    frames = windows(_of(200_000), 512)[::128]
    return (frames * (0.5 - 0.5 * xp.cos(xp.arange(512) * (2 * np.pi / 511)))).sum(1)


def sums_joined(xp):
    return _of(1024, 1024).sum(1) + _of(1024, 1024).sum(1)


def totals_joined(xp):
    return (_of(1024, 1024).sum() + _of(1024, 1024).sum()).reshape(1) + 1


def sum_of_sums(first, second):
    return lambda xp: _of(64, 64, 64, 16, dtype=np.float32).sum(first).sum(second)


def rows_of_a_softmax(xp):
    x = _of(2048, 1000, dtype=np.float32)
    e = xp.exp(x - x.max(1, keepdims=True))
    return (e / e.sum(1, keepdims=True))[5:15] + 1


def centred_columns(xp):
    x = _of(4096, 64)
    return (x - x.mean(0)) / x.std(0)


def correlations(xp):
    x = _of(2000, 50)
    x = x - x.mean(0)
    return (x.T @ x) / 1999


def logistic_step(xp):
    x, y, w = _of(20000, 100), _of(20000), _of(100)
    p = 1 / (1 + xp.exp(-(x @ w)))
    return w - 0.1 * (x.T @ (p - y)) / 20000


def nearest_centres(xp):
    points, centres = _of(20000, 3, dtype=np.float32), _of(16, 3, dtype=np.float32)
    return xp.argmin(((points[:, None] - centres) ** 2).sum(2), 1)


def stacked(xp):
    return xp.vstack([_of(512, 512) for _ in range(4)]) * 2


def chain_of_slices(xp):
    y = _of(1_000_000)
    y[:100] = 1
    y[::2] *= 0.9
    return xp.clip(y, 0, 1)


def row_written_between(xp):
    y = xp.exp(_of(1000, 1000))
    y[3] = 0.0
    return xp.sqrt(y * 2)


def column_written_between(xp):
    y = _of(1000, 1000) * _of(1000, 1000)
    y[:, 3] = _of(1000)
    return (y + 1).sum(1)


def ends_written(xp):
    u = _of(1_000_000) * 2
    u[0], u[-1] = 0.0, 1.0
    u[1:-1] = u[:-2] + u[2:]
    return -u


def edges_written(xp):
    u = _of(1000, 1000) * 2
    u[0], u[-1], u[:, 0], u[:, -1] = 0.0, 1.0, 2.0, 3.0
    return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]


def column_of_a_softmax(xp):
    y = _of(1000, 1000) * 2
    y[:, 7] = _of(1000)
    e = xp.exp(y - y.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def picked_sums(xp):
    return xp.take(_of(1024, 1024).sum(1), xp.arange(0, 1024, 11) * 7 % 1024)


def sliced_sums(xp):
    return _of(1024, 1024).sum(1).reshape(32, 32)[:4]


def stacked_sums(xp):
    return xp.stack([_of(1024, 1024).sum(1) for _ in range(3)])


def sums_across(xp):
    return _of(1024, 1024).sum(1) + _of(1024, 1024).sum(0)


def sum_of_means(xp):
    return _of(256, 256, 16).mean(2).sum(1)


PROGRAMS = {f.__name__: f for f in (
    heat_behind_a_mask, scaled_behind_a_mask, wave, gray_scott, sobel, moving_average, eroded, framed, sums_joined, totals_joined,
    rows_of_a_softmax, centred_columns, correlations, logistic_step, nearest_centres, stacked, chain_of_slices,
    row_written_between, column_written_between, ends_written, edges_written, column_of_a_softmax, picked_sums, sliced_sums, stacked_sums,
    sums_across, sum_of_means,
)}  # fmt: skip
PROGRAMS |= {f"blur_{mode}": blur(mode) for mode in ("constant", "edge", "reflect", "wrap")}
PROGRAMS |= {f"convolved_by_{how}": convolved(how) for how in ("sum", "einsum", "tensordot")}
PROGRAMS |= {f"sum_{a}_of_sum_{b}": sum_of_sums(b, a) for a, b in ((0, 0), (1, 1), (2, 2), (0, 3), (2, 3), (2, 0), (1, 0))}
