# cause: small kernels
# A descent that prints its loss computes in each step.
import numpy as np
import weft as wf


def prepare():
    rng = np.random.default_rng(1)
    return wf.eval(wf.asarray(rng.normal(size=(60, 8)))), wf.eval(wf.asarray(np.zeros(8)))


def main(data, weights):
    for _ in range(50):
        error = (data * weights).sum(axis=1) - 1
        weights = weights - 0.01 * (error[:, None] * data).sum(axis=0)
        float((error * error).sum())  # here
