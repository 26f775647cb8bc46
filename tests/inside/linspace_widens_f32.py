# cause: widened
# A ramp is f64 unless it is told otherwise.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.ones(100_000, np.float32))),)


def main(signal):
    wf.eval(wf.sqrt(signal) * wf.linspace(0, 1, 100_000))  # here
