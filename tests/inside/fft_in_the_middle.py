# cause: host round trip
# NumPy answers the transform: what comes before and after cannot fuse.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(0, 1, 4096))),)


def main(x):
    spectrum = wf.fft.fft(x * 2)  # here
    wf.eval(wf.abs(spectrum))
