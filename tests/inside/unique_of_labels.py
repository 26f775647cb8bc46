# cause: host round trip
# How many different floats there are is known only when NumPy has looked at them.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.arange(20_000) % 17 / 2)),)


def main(labels):
    wf.eval(wf.unique(labels * 2))  # here
