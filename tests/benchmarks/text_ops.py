"""What an op as text costs beside the built-in op: processor time of one thread, the least of many calls, the two in turn.

    WEFT_THREADS=1 python tests/benchmarks/text_ops.py [--count N]

The text's time over the built-in op's is printed, over a million float32 unless told.
"""

import argparse
import time

import numpy as np

import weft as wf

OPS = {
    "exp": ("r = exp(x)", "T x", lambda x, y: wf.exp(x)),
    "tanh": ("r = tanh(x)", "T x", lambda x, y: wf.tanh(x)),
    "hypot": ("r = hypot(x, y)", "T x, T y", lambda x, y: wf.hypot(x, y)),
    "2 * x + y": ("r = 2 * x + y", "T x, T y", lambda x, y: 2 * x + y),
    "the larger": ("r = x > y ? x : y", "T x, T y", lambda x, y: wf.where(x > y, x, y)),
}


def seconds(f, least):
    """The processor's time of a call, or the least so far."""
    begin = time.process_time()
    made = f()
    took = time.process_time() - begin
    del made
    return min(least, took)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000_000)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    x, y = (wf.asarray(rng.normal(size=given.count).astype("f4")) for _ in range(2))
    for name, (text, params, built_in) in OPS.items():
        op = wf.elementwise(text, params, "T r", "op")
        args = (x, y) if "," in params else (x,)
        calls = (lambda op=op, args=args: wf.eval(op(*args)), lambda f=built_in: wf.eval(f(x, y)))
        least = [float("inf")] * 2
        for _ in range(200):
            least = [seconds(f, before) for f, before in zip(calls, least)]
        print(f"{name:12} text {least[0] * 1e3:7.3f} ms, built-in {least[1] * 1e3:7.3f} ms, {least[0] / least[1]:5.2f}")


if __name__ == "__main__":
    main()
