# cause: widened
# A number that is an array without axes, of f64, widens as any array does; a plain float would not.
import numpy as np
import weft as wf


def prepare():
    return wf.eval(wf.asarray(np.ones((300, 300), np.float32))), wf.asarray(np.float64(0.5)[None])


def main(image, gain):
    wf.eval(image * gain + 1)  # here
