"""Programs that run out of memory: of address space (as under `ulimit -v`), of a control group's, of memory maps. Each result is right or
an OutOfMemory or MemoryError, and once there is memory again everything is computed.

    python tests/campaigns/little_memory.py --rounds 40

Without --group the control group is left out, and the last line says so.
"""

import argparse

from process import PROGRAMS, start

COUNTED = PROGRAMS + """
import ctypes, mmap, resource
done = refused = 0
def attempt(f, *args):
    global done, refused
    try:
        f(*args)
        done += 1
    except MemoryError:
        refused += 1
def large(k):
    x = wf.ones(100_000 * (k + 1)) + k
    assert float(x[5]) == k + 1
def some():
    for k in range(30):
        attempt(check, {round} * 1000 + k)
        attempt(large, k)
check(7)
large(20)   # the threads are there
"""
LIMITS = {
    "address space": """
used = int(open("/proc/self/statm").read().split()[0]) * mmap.PAGESIZE
resource.setrlimit(resource.RLIMIT_AS, (used + {mib} * 2**20, resource.RLIM_INFINITY))
some()
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
""",
    "memory maps": """
most = int(open("/proc/sys/vm/max_map_count").read())
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
held = []
while sum(1 for _ in open("/proc/self/maps")) < most - {mib} - 8:
    for i in range(min(500, most - {mib} - sum(1 for _ in open("/proc/self/maps")))):
        held.append(libc.mmap(None, mmap.PAGESIZE, 1 + len(held) % 2 * 2, 0x22, -1, 0))   # neighbours differ, so none are joined
some()
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
for one in held:
    if one != 2**64 - 1:
        libc.munmap(one, mmap.PAGESIZE)
""",
    "a control group": """
open("{group}/cgroup.procs", "w").write(str(__import__("os").getpid()))
some()
open("{group}/../cgroup.procs", "w").write(str(__import__("os").getpid()))
""",
}
AFTER = """
before = refused
some()
assert refused == before, "there is memory again"
print(done - 60, refused)
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--first", type=int, default=0, help="the first round: each has 3 MiB more than the one before")
    parser.add_argument("--group", help="the folder of a control group with 256 MiB of memory that processes may be moved into")
    given = parser.parse_args()
    told = {}
    for round in range(given.first, given.first + given.rounds):
        for name, text in LIMITS.items():
            if name == "a control group" and not given.group:
                continue
            mib = round * 3
            text = text.format(mib=mib, group=given.group)
            child = start(COUNTED.format(round=round) + text + AFTER, "off")
            out, err = child.communicate(timeout=600)
            counts = told.setdefault(name, [0, 0, 0])
            if child.returncode != 0 and "cannot allocate memory for thread-local data" in err:
                counts[2] += 1  # the C library ends a process whose new thread has no room
                continue
            assert child.returncode == 0, f"{name}, {mib}: {child.returncode}\n{out}\n{err}"
            for i, number in enumerate(out.split()):
                counts[i] += int(number)
    for name, (done, refused, ended) in told.items():
        print(f"{name}: {done} computed, {refused} refused, {ended} processes ended by the C library")
    if not given.group:
        print("a control group: left out, --group names none")


if __name__ == "__main__":
    main()
