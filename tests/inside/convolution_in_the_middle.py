# cause: host round trip
# NumPy answers the convolution: what comes before and after cannot fuse.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(0, 1, 4096))),)


def main(x):
    smooth = wf.convolve(x * 2, np.ones(5), "same")  # here
    wf.eval(wf.abs(smooth))
