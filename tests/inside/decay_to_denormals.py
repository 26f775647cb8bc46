# cause: denormals
# A signal that decays ends in numbers of 1e-310: a processor takes many times as long for each operation on them.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(1, 2, 40_000))),)


def main(signal):
    for _ in range(4):
        faint = wf.eval(signal * 1e-310)  # here
        signal = wf.eval(faint * 1e300 * 1e10 + 1)  # here
