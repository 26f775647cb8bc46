# cause: widened
# NumPy's rule: i64 with f32 gives f64.
import numpy as np
import weft as wf


def prepare():
    return wf.eval(wf.asarray(np.ones(50_000, np.float32))), wf.eval(wf.asarray(np.arange(50_000)))


def main(x, counts):
    wf.eval(x * counts)  # here
