"""A server's day in fast motion: threads come and go, shapes drift, compiled functions and generators are made and dropped. Memory, memory
maps, open files, threads and the cache stay where the first hours left them.

    python tests/campaigns/server_day.py --hours 24 --requests 400
"""

import argparse
import gc
import os
import pathlib
import random
import tempfile
import threading

from process import held


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--requests", type=int, default=400, help="of each hour")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    folder = tempfile.TemporaryDirectory()
    os.environ["WEFT_CACHE_DIR"] = folder.name
    os.environ["WEFT_CACHE_LIMIT"] = "2000000"
    import numpy as np

    import weft as wf

    def request(number, size):
        draw = np.random.default_rng(number)
        x = draw.random(size)
        kind = number % 6
        if kind == 0:
            y = wf.asarray(x)
            np.testing.assert_allclose(np.asarray(wf.exp(y - y.max())), np.exp(x - x.max()), rtol=1e-12)
        elif kind == 1:
            f = wf.compile(lambda a: a * 2 + number % 9)
            np.testing.assert_allclose(np.asarray(f(wf.asarray(x))), x * 2 + number % 9)
        elif kind == 2:
            rows = x[: size // 8 * 8].reshape(-1, 8)
            np.testing.assert_allclose(np.asarray(wf.asarray(rows).sum(axis=0)), rows.sum(axis=0))
        elif kind == 3:
            y = wf.array(x)
            y[::2] = 0
            y[size // 3 :] += 1
            z = x.copy()
            z[::2] = 0
            z[size // 3 :] += 1
            np.testing.assert_allclose(np.asarray(y), z)
        elif kind == 4:
            side = 8 + number % 57
            a = draw.random((side, side))
            np.testing.assert_allclose(np.asarray(wf.asarray(a) @ wf.asarray(a)), a @ a)
        else:
            assert 0 < float(wf.random.default_rng(number).random(size).mean()) < 1

    failures = []

    def serve(numbers, size):
        try:
            for number in numbers:
                request(number, size + number % 50)
        except BaseException as error:  # told by the main thread
            failures.append(error)

    plan = random.Random(given.seed)
    hours = []
    for hour in range(given.hours):
        size = 600 + hour * 40 + plan.randrange(40)
        for first in range(0, given.requests, 20):
            numbers = range(hour * given.requests + first, hour * given.requests + first + 20)
            threads = [threading.Thread(target=serve, args=(numbers[i::4], size)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert not failures, failures[0]
        gc.collect()
        hours.append({**held(), "cache": sum(path.stat().st_size for path in pathlib.Path(folder.name).glob("*.kernel"))})
    early, late = hours[min(len(hours) // 3, 5)], hours[-1]
    print("early", early)
    print("late ", late)
    assert late["KiB"] < early["KiB"] * 1.25 + 16_384, "memory grows"
    assert late["maps"] < early["maps"] + 200, "memory maps grow"
    assert late["files"] <= early["files"], "open files grow"
    assert late["threads"] <= early["threads"] + 1, "threads grow"
    assert late["cache"] <= 2_200_000, "the cache grows"
    print(f"{given.hours} hours, {given.hours * given.requests} requests: bounded")
    folder.cleanup()


if __name__ == "__main__":
    main()
