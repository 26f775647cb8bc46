"""Exports a function for the C program beside it: `python diffuse.py FOLDER`."""

import sys

import weft as wf


def diffuse(heat, rate):
    """100 steps of diffusion on a plate whose edge is kept cold."""

    def step(_, u):
        inner = u[1:-1, 1:-1]
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        return wf.pad(inner + rate * (around - 4 * inner), 1)

    return wf.fori_loop(0, 100, step, heat)


if __name__ == "__main__":
    plate = wf.zeros((256, 256), dtype="f4")
    wf.export(diffuse, (plate, wf.asarray(0.2, dtype="f4")), folder=sys.argv[1] if len(sys.argv) > 1 else ".")
