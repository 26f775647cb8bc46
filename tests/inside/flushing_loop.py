# cause: small kernels
# A test of convergence in each turn computes what was recorded: a program a turn.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(1, 2, 500))),)


def main(x):
    for _ in range(60):
        x = x * 0.5 + 1  # here
        if float(x[0]) < 0:
            break
