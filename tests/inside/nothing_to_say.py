# cause: none
# One kernel over large arrays: there is nothing to advise.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.ones((1000, 500), np.float32))),)


def main(x):
    wf.eval(wf.exp(x) * 2.5 + 1)
