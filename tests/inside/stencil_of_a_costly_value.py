# cause: stored stencil
# Nine neighbours of what an exponential and a sine gave: a kernel stores it first.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.ones((500, 600), np.float32))),)


def main(x):
    heat = wf.exp(wf.sin(x)) ** 0.3  # here
    total = 0
    for i in range(3):
        for j in range(3):
            total = total + heat[i : 498 + i, j : 598 + j]
    wf.eval(total)
