"""The gradient that central differences tell, and whether it is the one that grad() gives."""

import numpy as np
import weft as wf


def differences(f, x, step=1e-5):
    """The gradient of a function of NumPy's arrays by central differences."""
    x = np.asarray(x, dtype=float)
    result = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[at] += step
        down[at] -= step
        result[at] = (float(f(wf.asarray(up))) - float(f(wf.asarray(down)))) / (2 * step)
    return result


def check(f, *xs):
    """The gradient by each argument is what differences tell."""
    found = wf.grad(f, tuple(range(len(xs))))(*[wf.asarray(np.asarray(x, dtype=float)) for x in xs])
    for k, x in enumerate(xs):
        want = differences(lambda one, k=k: f(*[one if i == k else wf.asarray(np.asarray(x, dtype=float)) for i, x in enumerate(xs)]), x)
        np.testing.assert_allclose(np.asarray(found[k]), want, rtol=1e-6, atol=1e-7)
