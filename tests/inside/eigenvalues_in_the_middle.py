# cause: host round trip
# NumPy answers the eigenvalues: what comes before and after cannot fuse.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(0, 1, 4096).reshape(64, 64) + np.eye(64))),)


def main(x):
    values = wf.linalg.eigvals(x * 2)  # here
    wf.eval(wf.abs(values))
