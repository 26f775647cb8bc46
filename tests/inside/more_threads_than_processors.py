# cause: thread oversubscription
# Somebody asks for 200 threads, as on another machine: here they wait for each other.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.ones((1000, 1000)))),)


def main(x):
    with wf.set_threads(200):
        for turn in range(3):
            wf.eval(wf.exp(x) + turn)  # here
