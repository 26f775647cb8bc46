# cause: split reduction
# The norm of a long vector.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(0, 1, 5_000_000))),)


def main(x):
    wf.eval(wf.linalg.norm(x))  # here
