# cause: compiled again
# What a mask picks has a size that only its values tell: in each turn it is looked at, and another program runs.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(-1, 1, 30_000))),)


def main(x):
    for turn in range(6):
        x = x[x > turn * 0.1 - 1]  # here
        x = x * 1.5 + 0.25  # here
    wf.eval(x)
