"""How many threads a block shall have: the time of one kernel against the size of its blocks, drawn as bars. On the CPU, where a kernel has no
blocks, it is the size of the parts of a range."""

import pathlib
import statistics
import sys
import time

import numpy as np
import weft as wf

quick = "--quick" in sys.argv
folder = pathlib.Path(__file__).resolve().parent.parent / "kernels"
on_cuda = wf.asarray(0).device.startswith("cuda")
SIZES = [64, 128, 256, 512, 1024] if on_cuda else [1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20]
THREADS = 1 << 17  # of all blocks together, so that the sizes alone differ

if on_cuda:
    histogram = wf.cuda_kernel((folder / "histogram.cu").read_text(), "histogram")
else:
    histogram = wf.cpu_kernel("""
    void histogram(long begin, long end, const unsigned char* bytes, int* counts) {
      int own[256] = {};
      for (long i = begin; i < end; ++i) ++own[bytes[i]];
      for (int bin = 0; bin < 256; ++bin)
        if (own[bin] > 0) __atomic_fetch_add(&counts[bin], own[bin], __ATOMIC_RELAXED);
    }""", "histogram")


def counted(bytes, size):
    """How often each byte occurs."""
    counts = wf.zeros(256, dtype="int32")
    if on_cuda:
        histogram(THREADS // size, size, (bytes, bytes.size, counts))
    else:
        histogram(bytes.size, (bytes, counts), grain=size)
    return counts


def milliseconds(f):
    """The median of some calls, after one that compiles."""
    f()
    times = []
    for _ in range(3 if quick else 15):
        begin = time.perf_counter()
        f()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


drawn = np.random.default_rng(1).integers(0, 256, 10_000 if quick else 20_000_000, dtype=np.uint8)
bytes = wf.asarray(drawn)
wanted = np.bincount(drawn, minlength=256)
by_numpy = milliseconds(lambda: np.bincount(drawn, minlength=256))
took = {}
for size in SIZES:
    np.testing.assert_array_equal(np.asarray(counted(bytes, size)), wanted)
    took[size] = milliseconds(lambda n=size: (wf.eval(counted(bytes, n)), wf.sync()))

print(f"a histogram of {drawn.size} bytes by the {'threads of a block' if on_cuda else 'elements of a part'}")
slowest = max(took.values())
for size, ms in took.items():
    bar = "#" * max(1, round(40 * ms / slowest))
    share = f", {histogram.occupancy(size).share:.0%} of the threads that fit" if on_cuda else ""
    print(f"{size:8} {bar:40} {ms:8.3f} ms, {by_numpy / ms:6.1f} x numpy{share}")
