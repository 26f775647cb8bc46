# cause: small kernels
# A loop writes to one row after another: each turn's few operations run by themselves, and nothing fuses across turns.
import numpy as np
import weft as wf


def prepare():
    return (wf.eval(wf.asarray(np.ones((200, 300)))),)


def main(table):
    for number in range(1, 200):
        row = table[number]
        row[:] = row * 0.5 + table[number - 1]  # here
    wf.eval(table)
