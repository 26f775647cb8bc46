"""Whole kernels: a histogram with atomic updates, on the CPU or on CUDA, and on CUDA a product of matrices by shared memory."""

from pathlib import Path

from compare import compare, quick, read_photograph

import numpy as np
import weft as wf

folder = Path(__file__).resolve().parent.parent / "kernels"
on_cuda = "cuda" in str(wf.asarray(0).device)
if on_cuda:
    for_blocks = wf.cuda_kernel((folder / "histogram.cu").read_text(), "histogram")
else:
    # A part of the range is counted on its own first, so that few atomic updates go to the result.
    for_parts = wf.cpu_kernel("""
    void histogram(long begin, long end, const unsigned char* bytes, int* counts) {
      int own[256] = {};
      for (long i = begin; i < end; ++i) ++own[bytes[i]];
      for (int bin = 0; bin < 256; ++bin)
        if (own[bin] > 0) __atomic_fetch_add(&counts[bin], own[bin], __ATOMIC_RELAXED);
    }""", "histogram")


def counted(bytes):
    """How often each byte occurs. The counts are an array that the kernel changes."""
    counts = wf.zeros(256, dtype="int32")
    if on_cuda:
        for_blocks(64, 256, (bytes, bytes.size, counts))
    else:
        for_parts(bytes.size, (bytes, counts), grain=1 << 16)
    return counts


picture = read_photograph().reshape(-1)
compare("the bytes of the photograph", lambda xp, x: counted(x) if xp is wf else xp.bincount(x, minlength=256), picture[:10_000] if quick else picture)

if on_cuda:
    product = wf.cuda_kernel((folder / "product.cu").read_text(), "tiled_product")

    def multiplied(xp, a, b):
        if xp is not wf:
            return a @ b
        (rows, inner), columns = a.shape, b.shape[1]
        grid = ((columns + 15) // 16, (rows + 15) // 16)
        return product(grid, (16, 16), (a, b, wf.kernel_output((rows, columns), "float32"), rows, columns, inner))

    draw = np.random.default_rng(6)
    compare("a product by shared memory", multiplied, *(draw.standard_normal(s).astype(np.float32) for s in ((500, 300), (300, 700))))
