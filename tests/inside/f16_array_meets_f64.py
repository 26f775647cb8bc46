# cause: widened
# Weights of f64, as NumPy makes them, turn images of f16 into f64.
import numpy as np
import weft as wf


def prepare():
    weights = wf.eval(wf.asarray(np.linspace(0, 1, 400)))
    return wf.eval(wf.asarray(np.ones((300, 400), np.float16))), weights


def main(images, weights):
    wf.eval(images * weights)  # here
