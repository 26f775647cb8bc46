# cause: widened
# Noise is f64 unless it is told otherwise.
import numpy as np
import weft as wf


def prepare():
    return wf.eval(wf.asarray(np.ones((200, 300), np.float32))), wf.random.default_rng(1)


def main(image, rng):
    wf.eval(image + rng.normal(size=(200, 300)))  # here
