"""Two versions of Weft on one cache folder, too small for both: each computes right, and neither takes what the other wrote for its own.

    python tests/campaigns/two_versions.py --other PATH --minutes 10

PATH is the folder build/python of another checkout. Without one, the other version is a stand-in: it keeps putting
entries of the next format under the names of this one's.
"""

import argparse
import os
import pathlib
import struct
import tempfile
import time

from process import PROGRAMS, finish, start

WORK = PROGRAMS + """
import time
end, number = time.monotonic() + {seconds}, {first}
while time.monotonic() < end:
    check(number % {programs})
    number += 1
print(number - {first}, wf.stats()["disk_hits"])
"""


def next_format(cache):
    """Another version's entries in the places of this one's; how many."""
    changed = 0
    for path in pathlib.Path(cache).glob("*.kernel"):
        try:
            whole, links = bytearray(path.read_bytes()), path.stat().st_nlink
        except FileNotFoundError:
            continue  # trimmed meanwhile
        if len(whole) < 80 or links != 1:
            continue
        struct.pack_into("<I", whole, 8, 2)
        new = path.with_name(f".new-{os.getpid()}-{changed}")
        new.write_bytes(whole)
        new.chmod(0o600)
        os.replace(new, path)
        changed += 1
    return changed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--other")
    parser.add_argument("--minutes", type=float, default=10)
    given = parser.parse_args()
    seconds = given.minutes * 60
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "cache")
        children = []
        for first in range(3):
            other = {"PYTHONPATH": given.other} if given.other and first == 1 else {}
            text = WORK.format(seconds=seconds, first=first * 1000, programs=200)
            children.append(start(text, cache, WEFT_CACHE_LIMIT="1000000", **other))
        changed, largest, end = 0, 0, time.monotonic() + seconds
        while time.monotonic() < end:
            if not given.other:
                changed += next_format(cache)
            largest = max(largest, sum(path.stat().st_size for path in pathlib.Path(cache).glob("*.kernel") if path.exists()))
            time.sleep(0.2)
        ran = [finish(child).split() for child in children]
        assert largest < 1_500_000, largest
        print(f"{sum(int(one[0]) for one in ran)} programs, {sum(int(one[1]) for one in ran)} kernels from the cache, "
              f"{changed} entries replaced by the next format's; at most {largest} bytes of 1000000")  # fmt: skip


if __name__ == "__main__":
    main()
