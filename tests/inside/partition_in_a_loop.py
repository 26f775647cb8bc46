# cause: host round trip
# Each turn leaves Weft for a partition, which NumPy makes.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(1, 0, 20_000))),)


def main(x):
    for _ in range(5):
        x = wf.partition(x + 1, 100)  # here
    wf.eval(x)
