"""Worker processes of Dask's compute with chunks of Weft: the same as with NumPy's, counted at their sizes, spilled, and handed over without copies."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import weft as wf

pytest.importorskip("dask.array", reason="Dask is not installed")
pytest.importorskip("distributed", reason="distributed is not installed")
from dask.sizeof import sizeof  # noqa: E402
from distributed.protocol import deserialize, serialize  # noqa: E402

# Worker processes import the program's file: all else stands below `if`.
PROGRAM = """
import sys

import dask
import dask.array as da
import numpy as np
import weft as wf
from distributed import Client, LocalCluster

SETTINGS = {
    "distributed.worker.memory.target": 0.01,  # of a worker's limit: what is beyond goes to disk
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.comm.timeouts.connect": "60s",
}
A, B = np.random.default_rng(1).random((2, 60, 40))


def chunk_of(block_info=None):
    place = block_info[None]
    return wf.asarray(np.random.default_rng(place["chunk-location"]).random(place["chunk-shape"]))


def smoothed(chunk):
    return (chunk + np.roll(chunk, 1, axis=0) + np.roll(chunk, -1, axis=0)) / 3


@wf.compile
def softmax(chunk):
    e = wf.exp(chunk - chunk.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def both(program):
    x, y = ([da.from_array(make(one), chunks=(20, 40), asarray=False) for one in (A, B)] for make in (wf.asarray, np.asarray))
    ours, numpys = program(*x).compute(), program(*y).compute()
    assert type(ours) is wf.Array, type(ours)
    np.testing.assert_allclose(np.asarray(ours), np.asarray(numpys), rtol=1e-12)


def compute(client):
    both(lambda x, y: np.exp(x) * 2 - y / 3)
    both(lambda x, y: (x - x.mean(axis=0)) / x.std(axis=0))
    both(lambda x, y: x.map_blocks(softmax))
    both(lambda x, y: x.map_overlap(smoothed, depth=1, boundary="periodic"))
    both(lambda x, y: x.rechunk((60, 10)).cumsum(axis=0))
    both(lambda x, y: x @ y.T)
    both(lambda x, y: da.percentile(x.ravel(), [10, 50]))


def count_and_spill(client):
    # 16 MB on two workers, of which either may keep 5 MB.
    x = da.map_blocks(chunk_of, chunks=((256,) * 16, (512,)), dtype="f8", meta=wf.empty((0, 0))).persist()
    wanted = sum(float(np.random.default_rng((i, 0)).random((256, 512)).sum()) for i in range(16))
    assert abs(float(x.sum().compute()) / wanted - 1) < 1e-12
    sizes = [size for key, size in client.nbytes(summary=False).items() if key in x.dask]
    assert len(sizes) == 16 and min(sizes) >= 256 * 512 * 8, sizes
    on_disk = client.run(lambda dask_worker: len(dask_worker.data.disk))
    assert sum(on_disk.values()) > 0, on_disk
    # They come back as they were.
    assert abs(float(x.sum().compute()) / wanted - 1) < 1e-12
    return [len(one) for one in client.has_what().values()]


def process_numbers(client):
    # Of both workers, once they answer: calls of one that ends, or has just begun, are closed.
    while len(found := client.run(lambda dask_worker: __import__("os").getpid(), on_error="ignore")) < 2:
        client.wait_for_workers(2, timeout=120)
    return set(found.values())


def restart(client):
    before = process_numbers(client)
    client.restart(timeout=120)
    after = process_numbers(client)
    assert not before & after, (before, after)
    both(lambda x, y: (x + y).sum(axis=0))


if __name__ == "__main__":
    with dask.config.set(SETTINGS), LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit="500MB", dashboard_address=None, local_directory=sys.argv[1]
    ) as cluster, Client(cluster, timeout="120s") as client:
        for one in (compute, count_and_spill, restart):
            one(client)
            print(one.__name__, flush=True)
"""


def run_within(seconds, command, **more):
    """What the program says; it is ended with all processes that it started, where it takes longer."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **more)
    try:
        out, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, errors = process.communicate()
        pytest.fail(f"took more than {seconds} s, after {out.split()}: {errors[-2000:]}")
    assert process.returncode == 0, errors
    return out


def test_two_worker_processes(tmp_path):
    path = tmp_path / "chunks.py"
    path.write_text(PROGRAM)
    out = run_within(400, [sys.executable, str(path), str(tmp_path / "workers")])
    assert out.split() == ["compute", "count_and_spill", "restart"]


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x.T, lambda x: x[::2], lambda x: x + 1], ids=["rows", "turned", "strided", "recorded"])
def test_a_chunk_counts_at_its_size(make):
    x = make(wf.asarray(np.arange(20000.0).reshape(100, 200)))
    assert x.nbytes <= sizeof(x) < x.nbytes + 500
    assert sys.getsizeof(x) >= x.nbytes


def test_chunks_go_out_and_come_in_without_a_copy():
    x = wf.asarray(np.arange(1e5))
    header, frames = serialize(x)
    memory = [np.frombuffer(frame, np.uint8) for frame in frames]
    assert any(np.shares_memory(one, np.from_dlpack(x)) for one in memory)
    assert sum(one.nbytes for one in memory) < x.nbytes + 1000
    received = [bytearray(frame) for frame in frames]
    y = deserialize(header, received)
    assert isinstance(y, wf.Array) and y.tolist() == x.tolist()
    assert any(np.shares_memory(np.frombuffer(one, np.uint8), np.from_dlpack(y)) for one in received)


def test_chunks_that_came_to_an_odd_place_in_memory():
    """Dask cuts what it received into frames wherever they end."""
    x = wf.asarray(np.arange(1e5))
    header, frames = serialize(x)
    for shift in (1, 4, 8):
        odd = [memoryview(bytearray(shift) + bytearray(frame))[shift:] for frame in frames]
        y = deserialize(header, odd)
        assert float((y * 2 + 1).sum()) == float((np.arange(1e5) * 2 + 1).sum())
        assert (y[1:] - y[:-1] == 1).all()
