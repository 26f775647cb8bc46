"""A gradient for each example, by vmap(grad(f)): descent in which no single example weighs more than another (as DP-SGD clips them).

A linear filter learns to tell each pixel of a photograph from the 24 around it. Of the examples, a part has a wrong answer; a few of
them would lead the mean gradient astray.
"""

import numpy as np
from beside import beside, quick
from compare import read_photograph

import weft as wf

light = read_photograph().mean(2) / 255
windows = np.lib.stride_tricks.sliding_window_view(light[: 40 if quick else 160, :100], (5, 5)).reshape(-1, 25)
around, wanted = np.delete(windows, 12, axis=1), windows[:, 12].copy()
rng = np.random.default_rng(0)
wrong = rng.random(len(wanted)) < 0.02
told = np.where(wrong, 100.0, wanted)


def error(w, x, y):
    return (x @ w - y) ** 2


def clipped(gradients):
    lengths = wf.sqrt(wf.sum(gradients**2, axis=1))
    return wf.mean(gradients * wf.minimum(1.0, 0.1 / lengths)[:, None], axis=0)


each = wf.vmap(wf.grad(error), in_axes=(None, 0, 0))
rules = {"mean": lambda w, x, y: wf.mean(each(w, x, y), axis=0), "clipped": lambda w, x, y: clipped(each(w, x, y))}
x, y = wf.asarray(around), wf.asarray(told)
errors = {}
for name, rule in rules.items():
    step = wf.compile(lambda w, x, y: w - 0.05 * rule(w, x, y))
    w = wf.zeros(24)
    for _ in range(200):
        w = step(w, x, y)
    errors[name] = float(wf.sqrt(wf.mean((around @ np.asarray(w) - wanted) ** 2)))
print(f"per-example gradients of {len(told)} pixels: error of the plain mean {errors['mean']:.3f}, clipped each {errors['clipped']:.3f}")
assert errors["clipped"] < 0.5 * errors["mean"]


def both(xp, w, x, y):
    """The mean length of all gradients, which has a gradient itself."""
    if xp is wf:
        g = each(w, x, y)
    elif xp.__name__ == "torch":
        from torch.func import grad, vmap

        g = vmap(grad(error), in_dims=(None, 0, 0))(w, x, y)
    else:
        import jax

        g = jax.vmap(jax.grad(error), in_axes=(None, 0, 0))(w, x, y)
    return xp.mean(xp.sqrt(xp.sum(g * g, axis=1) + 1e-9))  # the root of 0 has no derivative


beside(f"the mean length of {len(told)} gradients", both, np.full(24, 1 / 24), around, told)
