# cause: compiled again
# The same line over arrays of five dtypes.
import numpy as np
import weft as wf


def prepare():
    return ([wf.eval(wf.asarray(np.ones(9000, dtype))) for dtype in ("f4", "f8", "i4", "i8", "c16")],)


def main(arrays):
    for x in arrays:
        wf.eval(x * x + x)  # here
