# cause: spill
# Each of 56 values is needed in three rounds: no processor has so many registers, so they go through the stack.
import numpy as np
import weft as wf


@wf.compile
def rounds(x):
    parts = [wf.sqrt(x + k) for k in range(56)]
    y = x
    for _ in range(3):
        for part in parts:
            y = y * 0.5 + part * y  # here
    return y


def prepare():
    return (wf.eval(wf.asarray(np.linspace(0, 1, 40_000, dtype=np.float32))),)


def main(x):
    wf.eval(rounds(x))
