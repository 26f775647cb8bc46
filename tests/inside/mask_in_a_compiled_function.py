# cause: refused: what a mask picks
# How much a mask picks depends on values, so a function that is recorded once cannot sort it.
import numpy as np
import weft as wf


@wf.compile
def positive(x):
    return wf.sort(x[x > 0])  # here


def prepare():
    return (wf.eval(wf.asarray(np.linspace(-1, 1, 5000))),)


def main(x):
    wf.eval(positive(x))
