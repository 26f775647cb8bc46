# cause: split reduction
# One long row: all cores share it, and a second launch joins their parts.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(0, 1, 4_000_000))),)


def main(x):
    wf.eval(wf.sum(x * x))  # here
