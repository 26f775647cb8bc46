#!/usr/bin/env python3
"""How many states the gradient of a stencil of 1,000 steps keeps, where the steps are loops of loops.

    python tests/benchmarks/gradient_memory.py [--size 1000000]

The steps are 31 loops of 32 and one of 8, or 40 of 25. `states` is the growth of ru_maxrss over one `value_and_grad` whose kernels are compiled before,
in states of `size` f64; `held` what arrays and the pool hold after it. The linear steps need no state to go back.
"""

import argparse
import resource
import subprocess
import sys


def product(i, u):
    u[1:-1] += 0.1 * u[1:-1] * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def linear(i, u):
    u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def measure(step, turns, size):
    import numpy as np
    import weft as wf

    def loss(u):
        u = wf.fori_loop(0, 1000 // turns, lambda i, u: wf.fori_loop(0, turns, step, u), u)
        if 1000 % turns:
            u = wf.fori_loop(0, 1000 % turns, step, u)
        return wf.sum(u * u)

    def rss():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    u = wf.asarray(np.random.default_rng(0).random(size))
    gradient = wf.compile(wf.value_and_grad(loss))
    gradient.warm(u)
    before = rss()
    wf.eval(list(gradient(u)))
    held = sum(value for name, value in wf.metrics().items() if name.startswith(("weft_memory_in_use", "weft_memory_pooled")) and "cpu" in name)
    print(f"{step.__name__:8} by {turns}: states {(rss() - before) / (8 * size):6.1f}   held {held / (8 * size):6.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--one", choices=["product", "linear"], help=argparse.SUPPRESS)
    parser.add_argument("--turns", type=int, default=32, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure({"product": product, "linear": linear}[options.one], options.turns, options.size)
        return
    for one, turns in (("product", 32), ("product", 25), ("linear", 32)):
        subprocess.run([sys.executable, __file__, "--one", one, "--turns", str(turns), "--size", str(options.size)], check=True)


if __name__ == "__main__":
    main()
