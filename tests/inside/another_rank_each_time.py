# cause: recorded again
# A compiled function is recorded for each length.
import numpy as np
import weft as wf


@wf.compile
def normalized(x):
    return x / x.max()


def prepare():
    return ([wf.eval(wf.asarray(np.ones(1000 + n))) for n in range(5)],)


def main(arrays):
    for x in arrays:
        wf.eval(normalized(x))  # here
