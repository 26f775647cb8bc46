# cause: small kernels
# A program for each of many rows, where one of all rows would do.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.ones((64, 400)))),)


def main(rows):
    for row in rows:
        wf.eval(wf.tanh(row) * 3)  # here
