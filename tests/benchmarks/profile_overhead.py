"""What wf.profile() costs: the same loop with it and without, in turn, as the median of pairs."""

import statistics
import time

import numpy as np
import weft as wf


def work(x, turns):
    for turn in range(turns):
        wf.eval(wf.exp(x) * 2 + float(turn))


def timed(x, turns):
    start = time.perf_counter()
    work(x, turns)
    return time.perf_counter() - start


def main():
    for size, turns in ((1_000_000, 10), (100_000, 60), (10_000, 300), (1_000, 300)):
        x = wf.eval(wf.asarray(np.linspace(0, 1, size)))
        for _ in range(2):
            work(x, turns)
            wf.finish_kernels()
        ratios, least = [], float("inf")
        for pair in range(25):
            seconds = {}
            for profiled in (False, True) if pair % 2 else (True, False):
                if profiled:
                    with wf.profile():
                        seconds[profiled] = timed(x, turns)
                else:
                    seconds[profiled] = timed(x, turns)
            ratios.append(seconds[True] / seconds[False])
            least = min(least, seconds[False])
        print(f"{size:9,} elements: {least / turns * 1e6:8.1f} us a turn, with a profile {statistics.median(ratios):.3f} times that", flush=True)


if __name__ == "__main__":
    main()
