"""Dask takes Weft's arrays as chunks: what it does with them stays theirs and is what it does with NumPy's."""

import subprocess
import sys
import weakref

import numpy as np
import pytest
import weft as wf

dask = pytest.importorskip("dask", reason="Dask is not installed")
import dask.array as da  # noqa: E402

A, B = np.random.default_rng(1).random((2, 60, 40))


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def both():
    """Pairs of Dask arrays, over Weft's chunks and over NumPy's."""
    return [[da.from_array(make(x), chunks=(20, 40), asarray=False) for x in (A, B)] for make in (wf.asarray, np.asarray)]


def assign(x):
    x = x.copy()
    x[x > 0.5] = 0
    x[3] = 7
    return x


def softmax(chunk):
    e = np.exp(chunk - chunk.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def smoothed(chunk):
    return (chunk + np.roll(chunk, 1, axis=0) + np.roll(chunk, -1, axis=0)) / 3


CASES = {
    "arithmetic": lambda x, y: 2 * x - y / 3,
    "functions": lambda x, y: np.exp(x) * da.sin(y),
    "numpy_operand": lambda x, y: x + B,
    "map_blocks": lambda x, y: x.map_blocks(softmax),
    "map_overlap": lambda x, y: x.map_overlap(smoothed, depth=1, boundary="periodic"),
    "slices": lambda x, y: x[5:45:3, ::-1],
    "integers": lambda x, y: x[[3, 1, 50]],
    "mask": lambda x, y: x[x > 0.5],
    "new_axis": lambda x, y: x[:, None, :] * y[:, :, None],
    "assignment": lambda x, y: assign(x),
    "concatenate": lambda x, y: da.concatenate([x, y], axis=0),
    "stack": lambda x, y: da.stack([x, y]),
    "transpose": lambda x, y: x.T,
    "reshape": lambda x, y: x.reshape(30, 2, 40),
    "rechunk": lambda x, y: x.rechunk((30, 10)),
    "matmul": lambda x, y: x @ y.T,
    "tensordot": lambda x, y: da.tensordot(x, y, axes=((0,), (0,))),
    "einsum": lambda x, y: da.einsum("ij,ij->i", x, y),
    "where": lambda x, y: da.where(x > y, x, 0),
    "astype": lambda x, y: x.astype("f4"),
    "clip": lambda x, y: x.clip(0.2, 0.5),
    "cumsum": lambda x, y: x.cumsum(axis=0),
    "centred": lambda x, y: (x - x.mean(axis=0)) / x.std(axis=0),
    "argtopk": lambda x, y: da.argtopk(x, 3, axis=1),
    "topk": lambda x, y: da.topk(x.ravel(), 5),
    "median": lambda x, y: da.median(x, axis=0),
    "norm": lambda x, y: da.linalg.norm(x),
    "unique": lambda x, y: da.unique((x * 5).astype(int)),
    "histogram": lambda x, y: da.histogram(x, bins=5, range=(0, 1))[0],
    "nansum": lambda x, y: da.nansum(x),
    "roll": lambda x, y: da.roll(x, 3, axis=0),
    "pad": lambda x, y: da.pad(x, 1),
    "diff": lambda x, y: da.diff(x, axis=0),
    "take": lambda x, y: da.take(x, [1, 5, 2], axis=1),
    "zeros_like": lambda x, y: da.zeros_like(x),
    "percentile": lambda x, y: da.percentile(x.ravel(), [10, 50, 90]),
    "percentile of integers": lambda x, y: da.percentile((x.ravel() * 9).astype(int), 30, method="lower"),
    "nanpercentile": lambda x, y: da.nanpercentile(x, [10, 50], axis=1),
    "quantile": lambda x, y: da.quantile(x, 0.3, axis=1),
    "bincount": lambda x, y: da.bincount((x.ravel() * 9).astype(int), weights=y.ravel(), minlength=10),
    "digitize": lambda x, y: da.digitize(x, np.array([0.2, 0.7])),
    "searchsorted": lambda x, y: da.searchsorted(da.sqrt(x.ravel().cumsum(axis=0)), y.ravel()),
    "fft": lambda x, y: da.fft.fft(x),
    "svd": lambda x, y: da.linalg.svd(x)[1],
}


@pytest.mark.parametrize("first", ["weft", "dask.array"])
def test_percentiles_whichever_was_imported_first(first):
    text = f"""
import {first}
import dask, dask.array as da, weft as wf
chunks = da.from_array(wf.arange(100.0), chunks=30, asarray=False)
median = da.percentile(chunks, [50]).compute(scheduler="synchronous")
assert isinstance(median, wf.Array) and 45 < median[0] < 55  # Dask joins those of its chunks
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", CASES)
def test_operations(name):
    ours, numpys = (CASES[name](*pair).compute() for pair in both())
    assert isinstance(ours, wf.Array)
    np.testing.assert_allclose(np.asarray(ours), numpys, rtol=1e-12)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "std", "var", "any", "all", "argmax", "argmin"])
def test_reductions(name, axis):
    ours, numpys = (getattr(x, name)(axis=axis).compute() for x, _ in both())
    assert isinstance(ours, wf.Array)
    np.testing.assert_allclose(np.asarray(ours), numpys, rtol=1e-12)


def test_chunks_stay_arrays_of_weft():
    (x, y), _ = both()
    assert isinstance(x._meta, wf.Array) and "weft.Array" in repr(x)
    assert all(isinstance(one, wf.Array) for one in dask.compute(*(x + y).to_delayed().ravel()))


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_a_sum_over_many_chunks_keeps_only_some_of_them(on_cpu, scheduler):
    alive, most = [], [0]

    def chunk(block_info=None):
        numbers = np.full((64, 64), block_info[None]["chunk-location"][0], "f8")
        numbers.flags.writeable = False
        alive.append(weakref.ref(numbers))
        most.append(sum(one() is not None for one in alive))
        return wf.asarray(numbers, copy=False)

    x = da.map_blocks(chunk, chunks=((64,) * 40, (64,)), dtype="f8", meta=wf.empty((0, 0)))
    with dask.config.set(scheduler=scheduler, num_workers=2):
        assert float((x * 2).sum().compute()) == 2 * 64 * 64 * sum(range(40))
    assert len(alive) == 40 and max(most) < 20


def test_threads():
    (x, y), _ = both()
    with dask.config.set(scheduler="threads", num_workers=4):
        np.testing.assert_allclose(np.asarray((da.exp(x) * y).sum(axis=1).compute()), (np.exp(A) * B).sum(axis=1))


def test_processes(tmp_path):
    program = """
import dask.array as da, numpy as np, weft as wf
if __name__ == "__main__":
    x = da.from_array(wf.asarray(np.arange(600.0).reshape(60, 10)), chunks=(20, 10), asarray=False)
    total = (x * 2).sum(axis=0).compute(scheduler="processes", num_workers=2)
    assert isinstance(total, wf.Array) and total.tolist() == (np.arange(600.0).reshape(60, 10) * 2).sum(axis=0).tolist()
"""
    path = tmp_path / "sums.py"
    path.write_text(program)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
