# cause: recorded again
# A text is no array: the function is recorded for each.
import numpy as np
import weft as wf


@wf.compile
def scaled(x, unit):
    return x * {"m": 1, "cm": 100, "mm": 1000, "km": 0.001}[unit]


def prepare():
    return (wf.eval(wf.asarray(np.ones(5000))),)


def main(x):
    for unit in ("m", "cm", "mm", "km"):
        wf.eval(scaled(x, unit))  # here
