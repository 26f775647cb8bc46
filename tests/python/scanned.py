"""Bodies of scans, the same loops in Python, and what compares them."""

import numpy as np
import weft as wf

rng = np.random.default_rng(17)


def leaky(carry, x):
    carry = carry * 0.5 + x
    return carry, carry * 2.0


def unrolled(f, init, xs, reverse=False):
    ys = []
    for x in reversed(xs) if reverse else xs:
        init, y = f(init, x)
        ys.append(y)
    return init, np.stack(ys[::-1] if reverse else ys)


def cell(params, state, x):
    w, b = params
    state = wf.tanh(w @ state + b + x)
    return state, wf.sum(state**2)


def recurrent(scan, params, xs):
    _, losses = scan(lambda s, x: cell(params, s, x), wf.zeros(4), xs)
    return wf.mean(losses)


def by_hand(f, init, xs):
    ys = []
    for x in xs:
        init, y = f(init, x)
        ys.append(y)
    return init, wf.stack(ys)


def close(got, want):
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(np.asarray(g), np.asarray(w), rtol=1e-12, atol=1e-14)


def arguments():
    return (wf.asarray(rng.normal(size=(4, 4)) / 2), wf.asarray(rng.normal(size=4))), wf.asarray(rng.normal(size=(9, 4)))
