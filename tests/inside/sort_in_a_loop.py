# cause: host round trip
# Each turn leaves Weft to sort.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.linspace(1, 0, 20_000))),)


def main(x):
    for _ in range(5):
        x = wf.sort(x + 1)  # here
    wf.eval(x)
