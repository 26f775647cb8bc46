"""Processes that are killed while they write to one cache: no entry is damaged, what they leave is cleared, and results are right.

    python tests/campaigns/kills.py --kills 200
"""

import argparse
import os
import pathlib
import random
import tempfile
import time

from process import PROGRAMS, finish, start

WRITER = PROGRAMS + """
number = int(sys.argv[1]) if len(sys.argv) > 1 else {first}
print("begun", flush=True)
while True:
    check(number)
    number += 1
"""
READER = PROGRAMS + """
for number in range({first}, {first} + 3):
    check(number)
"""


def damaged(cache):
    """Entries that are not whole: their headers promise other sizes."""
    import struct

    wrong = []
    for path in pathlib.Path(cache).glob("*.kernel"):
        head = path.read_bytes()[:96]
        size = 96 + sum(struct.unpack_from("<6Q", head, 16)) if len(head) == 96 else -1
        if size != path.stat().st_size:
            wrong.append(path.name)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "cache")
        for kill in range(given.kills):
            first = draw.randrange(1 << 20)
            child = start(WRITER.format(first=first), cache)
            assert child.stdout.readline() == "begun\n", child.communicate()[1]
            time.sleep(draw.random() * 0.4)
            child.kill()
            child.communicate()
            assert not damaged(cache), damaged(cache)
            if kill % 20 == 0 or kill + 1 == given.kills:
                finish(start(READER.format(first=first), cache))
        left = list(pathlib.Path(cache).glob(".new-*"))
        entries = len(list(pathlib.Path(cache).glob("*.kernel")))
        # Two hours later, a trim clears what was left.
        for path in left:
            os.utime(path, (time.time() - 7200,) * 2)
        finish(start(PROGRAMS + "for number in range(80): check(number)", cache, WEFT_CACHE_LIMIT="20000"))
        assert not [path for path in left if path.exists()]
        print(f"{given.kills} kills, {entries} entries, none damaged; {len(left)} unfinished files were left, and cleared")


if __name__ == "__main__":
    main()
