# cause: widened
# Inside of a compiled function, too, an f64 array makes f64 of all that follows.
import numpy as np
import weft as wf


@wf.compile
def scaled(x, scale):
    return wf.exp(x * scale)  # here


def prepare():
    x = wf.eval(wf.asarray(np.ones(20_000, np.float32)))
    scale = wf.eval(wf.asarray(np.linspace(1, 2, 20_000)))
    scaled(x, scale)
    return x, scale


def main(x, scale):
    wf.eval(scaled(x, scale))
