"""On a GPU: the same values as on the CPU, streams that stay in order, and memory shared with PyTorch, CuPy and JAX."""

import subprocess
import sys

import numpy as np
import pytest
import weft as wf

gpus = wf.devices("cuda")
pytestmark = pytest.mark.skipif(not gpus, reason="no GPU: " + wf._core.no_cuda_because())
GPU = "cuda:0"
N = 1 << 20


def test_what_the_gpu_says_of_itself():
    gpu = gpus[0]
    major, minor = gpu.compute_capability
    assert gpu.architecture == f"sm_{major}{minor}" and gpu.processors > 1 and gpu.memory_bytes > 1 << 30
    assert gpu.cache_bytes > 0 and gpu.shared_bytes >= 48 << 10 and gpu.name


def test_the_gpu_tells_the_memory_in_use():
    # In a process of its own, where no other test has kept memory.
    text = f"""
import weft as wf
gpu, n = wf.device({GPU!r}), {N}
before = gpu.memory_in_use
x = wf.eval(wf.ones(n, device=gpu) * 2)
assert gpu.memory_in_use >= before + 8 * n
del x
gpu.synchronize()
gpu.trim()
assert gpu.memory_in_use == before and gpu.memory_pooled < 8 * n, (gpu.memory_in_use, gpu.memory_pooled)
"""
    subprocess.run([sys.executable, "-c", text], check=True)


def test_the_default_device_of_a_block():
    with wf.device(GPU) as gpu:
        x = wf.arange(N) * 2.0
        y = wf.random.default_rng(1).random(N)
        assert x.device == y.device == gpu and (x + y).device == gpu and wf.sqrt(2.0).device == gpu
        total = float((wf.sin(x) + y).sum())
    a = np.arange(N) * 2.0
    np.testing.assert_allclose(total, (np.sin(a) + np.asarray(wf.random.default_rng(1).random(N))).sum(), rtol=1e-9)


@pytest.mark.parametrize("size", [7, 300_000])
@pytest.mark.parametrize("layout", ["plain", "reversed", "transposed", "strided", "swapped", "read only"])
def test_numpys_memory_of_every_layout_is_copied_to_the_default_device(size, layout):
    a = np.arange(2.0 * size).reshape(2, size)
    a = {"plain": a, "reversed": a[:, ::-1], "transposed": a.T, "strided": a[:, ::2], "swapped": a.astype(">f8"), "read only": np.broadcast_to(a[0], a.shape)}[layout]
    with wf.device(GPU) as gpu:
        x = wf.asarray(a)
        assert x.device == gpu
        np.testing.assert_array_equal(np.asarray(x + 1), a + 1)


def test_random_numbers_are_those_of_the_cpu():
    def draw(device):
        with wf.device(device):
            rng = wf.random.default_rng(5)
            return [
                np.asarray(one)
                for one in (
                    rng.random((300, 700)),
                    rng.random(100_000, "float32"),
                    rng.integers(0, 1000, 100_000),
                    rng.integers(-(2**63), 2**63 - 1, 10_000),
                    wf.random.bits(wf.random.key(3), (1000, 77), "uint32"),
                    wf.random.split(wf.random.key(3), 1000),
                    rng.permutation(1000),
                )
            ], [np.asarray(one) for one in (rng.standard_normal(100_000), rng.standard_normal(100_000, "float32"), rng.exponential(size=1000), rng.gumbel(size=1000))]

    (exact, near), (exact_gpu, near_gpu) = draw("cpu"), draw(GPU)
    for a, b in zip(exact, exact_gpu):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(near, near_gpu):
        np.testing.assert_allclose(a, b, rtol=2e-5 if a.dtype == np.float32 else 1e-12, atol=1e-6 if a.dtype == np.float32 else 1e-14)


def develop(x):
    for _ in range(3):
        x = wf.sqrt(x * x + 1.0) * 0.5 + wf.sin(x)
    return x


def test_streams_give_what_one_stream_gives():
    rng = np.random.default_rng(2)
    images = [wf.pinned(rng.random((512, 512))) for _ in range(24)]
    want = [np.asarray(develop(wf.asarray(image))) for image in images]
    results = [wf.pinned_empty((512, 512)) for _ in images]
    weights = wf.asarray(np.full((512, 512), 1.0), device=GPU)
    streams = [wf.Stream(GPU) for _ in range(3)]
    for _ in range(5):
        for i, (image, result) in enumerate(zip(images, results)):
            with streams[i % 3]:
                x = wf.asarray(image, device=GPU, blocking=False)
                y = develop(x) * weights
                y.numpy(out=result, blocking=False)
        for stream in streams:
            stream.synchronize()
        for result, one in zip(results, want):
            np.testing.assert_allclose(result, one, rtol=1e-12)
            result[...] = 0


def test_arrays_cross_streams():
    streams = [wf.Stream(GPU) for _ in range(4)]
    x = wf.zeros(N, device=GPU)
    for turn in range(200):
        with streams[turn % 4]:
            x = wf.eval(x + 1.0)
            kept = wf.eval(x * 2.0)  # let go at once: its memory goes round between the streams
        with streams[(turn + 1) % 4]:
            x = wf.eval(x + kept * 0.0)
    np.testing.assert_array_equal(np.asarray(x), np.full(N, 200.0))
    for turn in range(50):
        with streams[turn % 4]:
            x[turn : turn + 100] += 1.0
            x[:] = x[::-1]
            wf.eval(x)
    a = np.full(N, 200.0)
    for turn in range(50):
        a[turn : turn + 100] += 1.0
        a[:] = a[::-1].copy()
    np.testing.assert_array_equal(np.asarray(x), a)


def test_events_time_what_lies_between():
    stream = wf.Stream(GPU)
    x = wf.eval(wf.ones(1 << 24, device=GPU))
    with stream:
        wf.eval(wf.sin(x))
        start = stream.record()
        wf.eval(wf.sin(x + 1.0))
        end = stream.record()
    end.synchronize()
    assert start.done and end.done and 0 < end.milliseconds_since(start) < 1000


def test_torch():
    torch = pytest.importorskip("torch")
    a = np.arange(float(N)).reshape(1024, -1)
    t = torch.arange(float(N), dtype=torch.float64, device="cuda").reshape(1024, -1)
    x = wf.from_dlpack(t)
    assert x.device == GPU and wf._core.address(x) == t.data_ptr()
    np.testing.assert_array_equal(np.asarray(x * 2), a * 2)
    np.testing.assert_array_equal(np.asarray(wf.from_dlpack(t.T)), a.T)
    np.testing.assert_array_equal(np.asarray(wf.asarray(t)), a)
    back = torch.from_dlpack(x + 1)
    assert back.is_cuda
    np.testing.assert_array_equal(back.cpu().numpy(), a + 1)
    half = wf.from_dlpack(t.to(torch.bfloat16))
    assert half.dtype == wf.bfloat16
    np.testing.assert_array_equal(torch.from_dlpack(half).float().cpu().numpy(), t.to(torch.bfloat16).float().cpu().numpy())
    for of, expected in ((t[:, ::2], a[:, ::2]), (t[3:50, 7:90].T, a[3:50, 7:90].T), (t[:, :1].expand(1024, 3), a[:, :1].repeat(3, 1))):
        np.testing.assert_array_equal(np.asarray(wf.from_dlpack(of) + 0), expected)
        np.testing.assert_array_equal(np.asarray(wf.asarray(of)), expected)
        with pytest.raises(ValueError, match="contiguous"):
            wf.from_dlpack(of, copy=False)
    # Long work before and after, on streams of both: only their order makes the values right.
    side, mine = torch.cuda.Stream(), wf.Stream(GPU)
    big = torch.ones(1 << 26, device="cuda")
    torch.cuda.synchronize()
    for turn in range(10):
        with torch.cuda.stream(side):
            for _ in range(20):
                big = big * 1.0
            fresh = big + float(turn)
            with mine:
                y = wf.from_dlpack(fresh) * 2.0
                wf.eval(y)
            taken = torch.from_dlpack(y)
            total = (taken[::4096] - 2.0 * (1 + turn)).abs().sum()
            del fresh, y, taken
            assert float(total) == 0


def test_cupy():
    cupy = pytest.importorskip("cupy")
    a = np.arange(float(N)).reshape(1024, -1)
    c = cupy.asarray(a)
    x = wf.asarray(c, copy=False)
    assert x.device == GPU and wf._core.address(x) == c.data.ptr
    np.testing.assert_array_equal(np.asarray(wf.sqrt(x)), np.sqrt(a))
    np.testing.assert_array_equal(np.asarray(wf.asarray(c.T, copy=False)), a.T)
    own = wf.asarray(c)
    c += 1
    np.testing.assert_array_equal(np.asarray(own), a)
    y = wf.eval(wf.asarray(a, device=GPU) * 3)
    seen = cupy.asarray(y)
    assert seen.data.ptr == wf._core.address(y)
    np.testing.assert_array_equal(cupy.asnumpy(seen.T), a.T * 3)
    np.testing.assert_array_equal(cupy.asnumpy(cupy.asarray(y.T)), a.T * 3)
    np.testing.assert_array_equal(cupy.asnumpy(cupy.from_dlpack(y)), a * 3)
    np.testing.assert_array_equal(np.asarray(wf.from_dlpack(seen)), a * 3)
    # CuPy's own stream, long work on both sides.
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        big = cupy.ones(1 << 26)
        for turn in range(10):
            for _ in range(10):
                big = big * 1.0
            with wf.Stream(GPU):
                z = wf.eval(wf.asarray(big, copy=False) + float(turn))
            total = cupy.abs(cupy.from_dlpack(z)[::4096] - (1.0 + turn)).sum()
            assert float(total) == 0
        stream.synchronize()


def test_jax():
    jax = pytest.importorskip("jax")
    a = np.arange(float(N), dtype=np.float32).reshape(1024, -1)
    j = jax.numpy.asarray(a)
    if j.device.platform != "gpu":
        pytest.skip("this JAX has no GPU")
    x = wf.from_dlpack(j)
    assert x.device == GPU
    np.testing.assert_array_equal(np.asarray(x * 2), a * 2)
    y = wf.eval(wf.asarray(a, device=GPU) + 1)
    np.testing.assert_array_equal(np.asarray(jax.dlpack.from_dlpack(y)), a + 1)


def test_numpy_and_pickle():
    import copy
    import pickle

    x = wf.asarray(np.arange(1000.0), device=GPU)
    for same in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), x.to("cpu").to(GPU)):
        assert same.device == GPU
        np.testing.assert_array_equal(np.asarray(same), np.arange(1000.0))
    np.add.at(x, [0, 0, 1], 1.0)
    assert x[:2].tolist() == [2, 2]
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu")[2:], np.arange(2.0, 1000))


@pytest.mark.skipif(len(gpus) < 2, reason="fewer than two GPUs")
def test_two_gpus():
    x = wf.asarray(np.arange(float(N)), device="cuda:0")
    y = x.to("cuda:1") * 2
    assert y.device == "cuda:1"
    np.testing.assert_array_equal(np.asarray(y), np.arange(float(N)) * 2)
    with pytest.raises(wf.Error, match="arrays must be on one device"):
        x + y
    with wf.Stream("cuda:0"), wf.Stream("cuda:1"):
        np.testing.assert_array_equal(np.asarray(wf.eval(y + 1.0).to("cuda:0") + x), np.arange(float(N)) * 3 + 1)


def test_kernels_run_where_their_arrays_lie():
    with wf.device("cpu"):
        x = wf.asarray(np.arange(1000, dtype="f4"), device=GPU)
        twice = wf.cuda_kernel("__global__ void twice(const float* x, float* y) { const int i = blockIdx.x * 256 + threadIdx.x; if (i < 1000) y[i] = x[i] * 2; }", "twice")
        y = twice(4, 256, (x, wf.kernel_output(1000, "float32")))
        assert np.array_equal(np.asarray(y), np.arange(1000, dtype="f4") * 2)


@pytest.mark.parametrize("dtype", ["bool", "u1", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"])
def test_long_rows_are_sorted_there(dtype):
    rng = np.random.default_rng(1)
    for shape in ((32_768,), (300_001,), (3, 40_000), (40_000, 3)):
        values = rng.normal(size=shape) * 1000
        values = values.astype(dtype) if np.dtype(dtype).kind != "u" else np.abs(values).astype(dtype)
        with wf.device("cpu"):
            x = wf.asarray(values, device=GPU)
            assert np.array_equal(np.asarray(wf.sort(x, axis=0)), np.sort(values, axis=0))
            order = wf.argsort(x, axis=-1)
            assert order.device == x.device and np.array_equal(np.asarray(order), np.argsort(values, axis=-1, kind="stable"))
