# cause: compiled again
# Each turn joins one more array: another program a turn.
import numpy as np
import weft as wf


def prepare():
    return ([wf.eval(wf.asarray(np.ones(3000) * n)) for n in range(8)],)


def main(parts):
    for count in range(2, 8):
        wf.eval(wf.concatenate(parts[:count]) * 2)  # here
