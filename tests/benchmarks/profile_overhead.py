"""What wf.profile() costs: the processor's time of the same loop on one thread, with it and without, in turn, as the median of pairs.

Waiting does not count, so that other processes move the figures little. Each loop takes some ten milliseconds, so that beginning and ending a profile, which are told
last, count little.
"""

import statistics
import time

import numpy as np
import weft as wf

PAIRS = 100
SECONDS = 0.012  # of a loop


def recorded(x, turns):
    for turn in range(turns):
        wf.eval(wf.exp(x) * 2 + float(turn))


def two_lines(x, turns):
    for turn in range(turns // 2):
        wf.eval(wf.exp(x) * 2 + float(turn))
        wf.eval(wf.exp(x) * 2 + float(turn))


def numbers(x, turns):
    for turn in range(turns):
        float((x * 2 + float(turn)).sum())


function = wf.compile(lambda x, number: wf.exp(x) * 2 + number)


def compiled(x, turns):
    for _ in range(turns):
        function(x, 1.5)


def timed(work, x, turns):
    start = time.thread_time()
    work(x, turns)
    return time.thread_time() - start


def compared(name, work, size):
    x = wf.eval(wf.asarray(np.linspace(0, 1, size)))
    for _ in range(3):
        work(x, 100)
        wf.finish_kernels()
    turns = max(4, round(100 * SECONDS / timed(work, x, 100)))
    ratios, alone, more = [], [], []
    for pair in range(PAIRS):
        seconds = {}
        for profiled in (False, True) if pair % 2 else (True, False):
            if profiled:
                with wf.profile():
                    seconds[profiled] = timed(work, x, turns)
            else:
                seconds[profiled] = timed(work, x, turns)
        ratios.append(seconds[True] / seconds[False])
        alone.append(seconds[False] / turns)
        more.append((seconds[True] - seconds[False]) / turns)
    print(
        f"{size:9,} elements, {name:28} {statistics.median(alone) * 1e6:8.1f} us a turn, with a profile {statistics.median(ratios):.3f} times that: "
        f"{statistics.median(more) * 1e6:5.2f} us more",
        flush=True,
    )


def main():
    wf.set_threads(1)
    for size in (1_000_000, 100_000, 10_000, 1_000):
        compared("recorded each turn", recorded, size)
    for size in (10_000, 1_000):
        compared("one program for two lines", two_lines, size)
        compared("a compiled function", compiled, size)
        compared("a number each turn", numbers, size)
    around = []
    for _ in range(100):
        start = time.perf_counter()
        with wf.profile():
            pass
        around.append(time.perf_counter() - start)
    print(f"to begin and end a profile takes {statistics.median(around) * 1e6:.0f} us")


if __name__ == "__main__":
    main()
