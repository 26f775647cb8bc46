"""A time of day that jumps by years while programs run, and entries of the cache from other years: results are right, the cache stays
bounded, and what is used is kept.

    python tests/campaigns/clocks.py --clock build/lib/campaign_jumping_clock.so --rounds 100
"""

import argparse
import os
import pathlib
import random
import tempfile
import time

from process import PROGRAMS, finish, start

WORK = PROGRAMS + """
for number in range({first}, {first} + 40):
    check(number % 120)
print(wf.stats()["disk_hits"])
"""
LIMIT = 400_000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clock", required=True, help="the library of jumping_clock.c")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    hits = largest = 0
    with tempfile.TemporaryDirectory() as folder:
        cache = pathlib.Path(folder, "cache")
        for round in range(given.rounds):
            first = draw.randrange(120)
            children = [start(WORK.format(first=first + i), cache, WEFT_CACHE_LIMIT=str(LIMIT), LD_PRELOAD=given.clock) for i in range(2)]
            hits += sum(int(finish(child)) for child in children)
            largest = max(largest, sum(path.stat().st_size for path in cache.glob("*.kernel")))
            for path in cache.glob("*.kernel"):  # as after a jump of the clock by up to thirty years
                if draw.random() < 0.3:
                    os.utime(path, (max(0, time.time() + draw.uniform(-1e9, 1e9)),) * 2)
            (cache / f".new-1-{round}").write_bytes(b"")
            os.utime(cache / f".new-1-{round}", (max(0, time.time() + draw.uniform(-1e9, 1e9)),) * 2)
        left = len(list(cache.glob(".new-*")))
    assert hits > 0 and largest < 2 * LIMIT, (hits, largest)
    assert left <= 3 + given.rounds // 10, left
    print(f"{given.rounds} rounds, {hits} kernels from the cache, at most {largest} bytes of {LIMIT}; {left} abandoned files left")


if __name__ == "__main__":
    main()
