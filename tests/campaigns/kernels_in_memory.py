"""Distinct kernels, one after the other: once the caches in memory are full, memory and memory maps stay where they are.

    python tests/campaigns/kernels_in_memory.py --kernels 10000 --kept 4096

The caches keep some 4096 kernels and programs; a short run is one with fewer of both, which tests/unit does (cpu_device_test).
"""

import argparse
import os

from process import held


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", type=int, default=10000)
    parser.add_argument("--kept", type=int, default=4096, help="kernels after which nothing may grow")
    given = parser.parse_args()
    os.environ["WEFT_CACHE_DIR"] = "off"
    os.environ["WEFT_INTERPRET_LIMIT"] = "0"
    import weft as wf

    x = wf.eval(wf.arange(16) * 1.0)
    ops = (wf.sqrt, wf.abs, wf.negative, wf.square, wf.floor, wf.ceil, wf.trunc)
    seen = []
    for number in range(given.kernels):
        y, rest = x, number
        for _ in range(5):
            y = ops[rest % 7](y) + x
            rest //= 7
        wf.eval(y)
        if number % max(given.kernels // 20, 1) == 0 or number + 1 == given.kernels:
            seen.append((number + 1, held()))
            print(*seen[-1], flush=True)
    assert wf.stats()["compiles"] >= given.kernels * 0.9, wf.stats()["compiles"]
    full = [one for count, one in seen if count > given.kept * 1.05]
    if len(full) > 1:
        assert full[-1]["maps"] <= full[0]["maps"] * 1.05 + 50, "memory maps grow"
        assert full[-1]["KiB"] <= full[0]["KiB"] * 1.1 + 8192, "memory grows"


if __name__ == "__main__":
    main()
