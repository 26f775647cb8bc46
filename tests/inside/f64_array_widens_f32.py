# cause: widened
# A window of f64, as NumPy's functions make it, widens a signal of f32.
import numpy as np
import weft as wf


def prepare():
    return wf.eval(wf.asarray(np.ones(65536, np.float32))), wf.eval(wf.asarray(np.hanning(65536)))


def main(signal, window):
    wf.eval(signal * window)  # here
