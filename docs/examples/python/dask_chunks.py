"""Arrays of Weft as the chunks of Dask's: chains, reductions, stencils, rechunk, a regression and k-means, by threads and by worker processes.

The same Dask program runs over chunks of NumPy and of Weft; only what makes the chunks differs. `--processes 0` leaves the processes out.
"""

import argparse
import statistics
import sys
import time

import numpy as np

import weft as wf

try:
    import dask
    import dask.array as da
    from distributed import Client, LocalCluster
except ImportError:
    print('skipped: needs dask and distributed: pip install "dask[distributed]"')
    sys.exit(0)


def chunk_of(library, block_info=None):
    """One chunk of numbers that are the same for both libraries, made where it will lie."""
    place = block_info[None]
    numbers = np.random.default_rng(place["chunk-location"]).standard_normal(place["chunk-shape"])
    return wf.asarray(numbers) if library == "weft" else numbers


def numbers(library, shape, chunks):
    return da.map_blocks(chunk_of, library, chunks=da.core.normalize_chunks(chunks, shape), dtype="f8", meta=EMPTY[library])


EMPTY = {"numpy": np.empty((0, 0)), "weft": wf.empty((0, 0))}


def softmax(chunk):
    e = np.exp(chunk - chunk.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def smoothed(chunk):
    """A stencil of five points; the edge, which Dask cuts off, stays."""
    result = chunk.copy()
    result[1:-1, 1:-1] = (chunk[1:-1, 1:-1] + chunk[2:, 1:-1] + chunk[:-2, 1:-1] + chunk[1:-1, 2:] + chunk[1:-1, :-2]) / 5
    return result


def coefficients(x):
    """Linear regression of the first column by 32 others: the sums over rows by Dask, the small system here."""
    x = x[:, :33].rechunk({1: 33})
    a, y = x[:, 1:], x[:, 0]
    squares, products = dask.compute(a.T @ a, a.T @ y)
    return np.linalg.solve(np.asarray(squares), np.asarray(products))


def near(chunk, centres):
    """For each centre, the sum of the rows that are nearest to it, and in front how many they are."""
    distance = ((chunk[:, None, :] - centres[None]) ** 2).sum(axis=2)
    nearest = (distance == distance.min(axis=1, keepdims=True)).astype("f8")
    return np.concatenate([nearest.sum(axis=0)[:, None], nearest.T @ chunk], axis=1)[None]


def means(x, turns=2):
    """k-means of the rows, four columns of them."""
    x = x[:, :4].rechunk({1: 4})
    centres = np.eye(4)
    for _ in range(turns):
        sums = x.map_blocks(near, centres, new_axis=[2], chunks=((1,) * x.numblocks[0], (4,), (5,)), dtype="f8").sum(axis=0)
        found = np.asarray(sums.compute())
        centres = found[:, 1:] / found[:, :1]
    return centres


PROGRAMS = {
    "chain": lambda x: (np.exp(-x * x) * 2 + x / 3).sum(),
    "std": lambda x: x.std(axis=0).sum(),
    "map_blocks": lambda x: x.map_blocks(softmax).max(axis=0).sum(),
    "map_overlap": lambda x: (x.map_overlap(smoothed, depth=1, boundary="reflect") ** 2).sum(),
    "rechunk": lambda x: x.rechunk({0: -1, 1: x.chunksize[1] // 4}).std(axis=0).sum(),
    "product": lambda x: (x @ x.T).max(axis=0).sum(),
    "regression": coefficients,
    "k-means": means,
}


def measured(what, side, rounds):
    """Prints the milliseconds of each program over either library's chunks, in turn, and checks that they agree."""
    arrays = {library: numbers(library, (side, side), (side // 4, side // 4)).persist() for library in ("numpy", "weft")}
    for name, program in PROGRAMS.items():
        times = {library: [] for library in arrays}
        for _ in range(rounds + 1):
            results = {}
            for library, x in arrays.items():
                begin = time.perf_counter()
                result = program(x)
                results[library] = np.asarray(result.compute() if isinstance(result, da.Array) else result)
                times[library].append(time.perf_counter() - begin)
            np.testing.assert_allclose(results["weft"], results["numpy"], rtol=1e-9)
        numpys, wefts = (1e3 * statistics.median(times[library][1:]) for library in ("numpy", "weft"))
        print(f"{name}, {what}: numpy {numpys:.1f} ms, weft {wefts:.1f} ms; weft {numpys / wefts:.2f} x numpy", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small, once: for checking that it works")
    parser.add_argument("--side", type=int, help="rows and columns of the array, which has 16 chunks")
    parser.add_argument("--rounds", type=int, help="how often each program runs behind a first time")
    parser.add_argument("--processes", type=int, default=2, help="worker processes")
    asked = parser.parse_args()
    side, rounds = asked.side or (256 if asked.quick else 4096), asked.rounds or (1 if asked.quick else 5)
    with dask.config.set(scheduler="threads"):
        measured("threads", side, rounds)
    if asked.processes:
        # Nobody looks at the dashboard, and its port may be taken.
        with LocalCluster(n_workers=asked.processes, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
            measured(f"{asked.processes} processes", side, rounds)


if __name__ == "__main__":  # the worker processes import this file
    main()
