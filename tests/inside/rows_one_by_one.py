# cause: small kernels
# A loop over rows looks at each of them.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.ones((200, 300)))),)


def main(table):
    for row in range(200):
        float(wf.sum(table[row] * 2))  # here
