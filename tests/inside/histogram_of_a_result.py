# cause: host round trip
# A histogram is NumPy's.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(0, 1, 20_000))),)


def main(x):
    wf.histogram(wf.exp(x), bins=16)  # here
