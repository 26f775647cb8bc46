# cause: host round trip
# NumPy interpolates: values go to it and come back.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(0, 1, 20_000))),)


def main(x):
    y = wf.interp(x * 0.5, wf.linspace(0, 1, 50), wf.linspace(1, 2, 50))  # here
    wf.eval(y + 1)
