# cause: compiled again
# Each turn adds an operation to what was never computed: another program a turn.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(0, 1, 5000))),)


def main(x):
    for turns in range(1, 7):
        y = x
        for _ in range(turns):
            y = wf.sin(y) + x  # here
        wf.eval(y)
