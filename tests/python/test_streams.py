"""Streams, events, page-locked memory, and memory shared with other CUDA libraries, on the stand-in driver: it does copies only
when somebody waits for them, so a missing order shows as wrong values."""

import asyncio
import threading

import numpy as np
import pytest
import weft as wf


def test_on_the_cpu_streams_change_nothing():
    stream = wf.Stream("cpu")
    assert stream.device == "cpu" and stream.handle == 0 and stream.done
    start = stream.record()
    with stream as entered:
        assert entered is stream and wf.Stream.current("cpu").device == "cpu"
        x = wf.eval(wf.arange(100_000) * 2.0)
    end = stream.record()
    stream.wait(end)
    stream.synchronize()
    end.synchronize()
    assert end.done and end.milliseconds_since(start) > 0 and float(x[3]) == 6


def test_blocks_of_streams_nest_and_belong_to_their_thread():
    one, two = wf.Stream("cpu"), wf.Stream("cpu")
    with pytest.raises(KeyError):
        with one:
            with two:
                raise KeyError
    assert wf._base.streams._chosen.get() is None
    with one:
        seen = []
        thread = threading.Thread(target=lambda: seen.append(wf._base.streams._chosen.get()))
        thread.start()
        thread.join()
    assert seen == [None]

    async def on(stream):
        with stream:
            await asyncio.sleep(0)
            assert wf._base.streams._chosen.get()[0] is stream._stream
            await asyncio.sleep(0)

    async def both():
        await asyncio.gather(on(one), on(two))

    asyncio.run(both())


@pytest.mark.skipif(bool(wf.devices("cuda")), reason="this machine has a GPU")
def test_without_a_gpu_page_locked_memory_says_why():
    with pytest.raises(wf.Error, match="cuda:0: no NVIDIA driver"):
        wf.pinned_empty((3,))
    with pytest.raises(wf.Error, match="page-locked memory is for copies from and to a GPU"):
        wf.pinned_empty((3,), device="cpu")
    with pytest.raises(AttributeError):
        wf.zeros(3).__cuda_array_interface__
    assert not hasattr(wf.zeros(3), "__cuda_array_interface__")


# A stand-in for another library's array. Its memory is Weft's, which it holds by a capsule.
OTHER = """
import gc
class Other:
    def __init__(self, x, stream=None, shape=None, strides=None):
        self.x, interface = x, x.__cuda_array_interface__
        self.__cuda_array_interface__ = {**interface, "stream": stream, "shape": shape or interface["shape"], "strides": strides}
"""

WITH_A_GPU = {
    "copies_in_order": """
gpu = wf.device("cuda")
one, two = wf.Stream(gpu), wf.Stream(gpu)
assert one.device == gpu and one.handle != two.handle and one.handle > 2
a = np.random.default_rng(1).random(300_000)
pinned = wf.pinned(a)
with one:
    x = wf.asarray(pinned, device=gpu, blocking=False)
assert not one.done
with two:
    y = wf._core.duplicate(x)             # waits for the other stream
    back = wf.pinned_empty(y.shape)
    assert y.numpy(out=back, blocking=False) is back
event = two.record()
assert not event.done
event.synchronize()
assert event.done and two.done and one.done
np.testing.assert_array_equal(back, a)
assert event.milliseconds_since(one.record()) > 0
np.testing.assert_array_equal(np.asarray(y), a)
""",
    "current": """
gpu = wf.device("cuda")
stream = wf.Stream(gpu)
first = wf.Stream.current(gpu).handle
with stream:
    assert wf.Stream.current(gpu).handle == stream.handle
    with wf.Stream("cpu"):
        assert wf.Stream.current(gpu).handle == stream.handle
assert wf.Stream.current(gpu).handle == first != stream.handle
with gpu:
    assert wf.Stream().device == gpu
other = wf.Stream(gpu)
other.wait(stream.record())
gpu.synchronize()
""",
    "memory_of_a_stream_that_still_runs_is_not_used_again": """
gpu = wf.device("cuda")
a, b = np.arange(300_000.0), -np.arange(300_000.0)
back = wf.pinned_empty(a.shape)
side = wf.Stream(gpu)
x = wf.asarray(a, device=gpu)
with side:
    x.numpy(out=back, blocking=False)
place = wf._core.address(x)
del x
y = wf.asarray(b, device=gpu)
wf.Stream.current(gpu).synchronize()
assert wf._core.address(y) != place
side.synchronize()
np.testing.assert_array_equal(back, a)
del y
""",
    "pinned": """
a = wf.pinned_empty((3, 4), "float32")
assert a.shape == (3, 4) and a.dtype == np.float32 and a.flags.writeable and a.flags.c_contiguous
a[...] = 2
b = a[1]
del a
assert b.sum() == 8
assert wf.pinned([1, 2, 3]).tolist() == [1, 2, 3] and wf.pinned_empty(0).shape == (0,)
with pytest.raises(ValueError, match="out must be writable and row-major"):
    wf.zeros(3, device="cuda").numpy(out=np.zeros(4))
x = wf.asarray(np.arange(6.0).reshape(2, 3), device="cuda")
out = np.zeros((2, 3))
assert x.numpy(out=out) is out and out.tolist() == [[0, 1, 2], [3, 4, 5]]
assert wf.zeros(0, device="cuda").numpy(out=np.zeros(0), blocking=False).shape == (0,)
""",
    "exports": OTHER
    + """
x = wf.asarray(np.arange(12.0).reshape(3, 4), device="cuda")
d = x.__cuda_array_interface__
assert d["shape"] == (3, 4) and d["typestr"] == "<f8" and d["version"] == 3 and d["strides"] == (32, 8)
assert d["data"] == (wf._core.address(x), True) and d["stream"] == wf.Stream.current("cuda").handle
assert x.T.__cuda_array_interface__["strides"] == (8, 32)
with pytest.raises(AttributeError, match="bfloat16"):
    x.astype("bfloat16").__cuda_array_interface__
with pytest.raises(AttributeError, match="lies on a GPU"):
    x.__array_interface__
# The memory stays as it is for whoever holds the object, even when Weft writes to the array.
held = wf.asarray(Other(x), copy=False)
place = wf._core.address(x)
for _ in range(3):
    x.__cuda_array_interface__
x[...] = wf.asarray(np.ones((3, 4)), device="cuda")
assert wf._core.address(x) != place
np.testing.assert_array_equal(np.asarray(held), np.arange(12.0).reshape(3, 4))
""",
    "imports": OTHER
    + """
gpu = wf.device("cuda")
a = np.arange(12.0).reshape(3, 4)
x = wf.asarray(a, device=gpu)
x.__cuda_array_interface__
shared, own = wf.asarray(Other(x), copy=False), wf.asarray(Other(x))
assert shared.device == gpu and wf._core.address(shared) == wf._core.address(x) != wf._core.address(own)
np.testing.assert_array_equal(np.asarray(own), a)
transposed = wf.asarray(Other(x, shape=(4, 3), strides=(8, 32)), copy=False)
np.testing.assert_array_equal(np.asarray(transposed), a.T)
for shape, strides in (((3, 2), (32, 16)), ((2, 2), (64, 8)), ((3, 2, 2), (0, 32, 16)), ((2,), (-8,))):
    start = 8 if strides == (-8,) else 0
    other = Other(x, shape=shape, strides=strides)
    other.__cuda_array_interface__["data"] = (wf._core.address(x) + start, True)
    gaps = wf.asarray(other)
    assert gaps.device == gpu
    np.testing.assert_array_equal(np.asarray(gaps), np.lib.stride_tricks.as_strided(a.reshape(-1)[start // 8 :], shape, strides))
    with pytest.raises(ValueError, match="contiguous"):
        wf.asarray(other, copy=False)
with pytest.raises(ValueError, match="multiples of the element"):
    wf.asarray(Other(x, shape=(3,), strides=(12,)))
# What the other library's stream was given comes first.
side = wf.Stream(gpu)
source = wf.pinned(np.full(300_000, 7.0))
with side:
    late = wf.asarray(source, device=gpu, blocking=False)
assert not side.done
foreign = Other(late, stream=side.handle)
np.testing.assert_array_equal(np.asarray(wf.asarray(foreign)), np.full(300_000, 7.0))
assert np.asarray(wf.asarray(Other(x), dtype="float32")).dtype == np.float32
assert wf.asarray(Other(x), device="cpu").device == "cpu"
with pytest.raises(ValueError, match="needs a copy"):
    wf.asarray(Other(x), device="cpu", copy=False)
masked = Other(x)
masked.__cuda_array_interface__["mask"] = x
with pytest.raises(TypeError, match="mask"):
    wf.asarray(masked)
""",
    "dlpack": """
gpu = wf.device("cuda")
a = np.arange(12.0).reshape(3, 4)
x = wf.asarray(a, device=gpu)
assert x.__dlpack_device__() == (2, 0)
for source in (x, x.T):
    class Given:
        def __dlpack_device__(self):
            return source.__dlpack_device__()
        def __dlpack__(self, **options):
            seen.append(options["stream"])
            return source.__dlpack__(**options)
    seen = []
    y = wf.from_dlpack(Given())
    assert seen == [wf.Stream.current(gpu).handle] and y.device == gpu and wf._core.address(y) == wf._core.address(x)
    np.testing.assert_array_equal(np.asarray(y), np.asarray(source))
    z = wf.from_dlpack(Given(), copy=True)
    assert wf._core.address(z) != wf._core.address(x)
    np.testing.assert_array_equal(np.asarray(z), np.asarray(source))
    with wf.Stream(gpu) as side:
        wf.from_dlpack(Given())
        assert seen[-1] == side.handle
class Gaps(Given):
    def __dlpack__(self, **options):
        return x[:, ::2].__dlpack__(**options)
np.testing.assert_array_equal(np.asarray(wf.from_dlpack(Gaps())), a[:, ::2])
with pytest.raises(ValueError, match="contiguous"):
    wf.from_dlpack(Gaps(), copy=False)
for stream in (None, -1, 1, 2, wf.Stream.current(gpu).handle):
    if stream != 2:
        assert x.__dlpack__(stream=stream, max_version=(1, 0)) is not None
for stream in (0, -2, "a"):
    with pytest.raises(ValueError, match="stream"):
        x.__dlpack__(stream=stream)
with pytest.raises(ValueError, match="no stream"):
    wf.zeros(3).__dlpack__(stream=1)
host = np.from_dlpack(x, device="cpu")
np.testing.assert_array_equal(host, a)
with pytest.raises(BufferError):
    x.__dlpack__(dl_device=(2, 1))
with pytest.raises(BufferError):
    x.__dlpack__(dl_device=(1, 0), copy=False)
# The taker's stream waits for what is still to be written.
side, taker = wf.Stream(gpu), wf.Stream(gpu)
source = wf.pinned(np.full(300_000, 7.0))
with side:
    late = wf.asarray(source, device=gpu, blocking=False)
capsule = late.__dlpack__(stream=taker.handle, max_version=(1, 0))
assert not side.done
taker.synchronize()
assert side.done
del capsule
""",
}


@pytest.mark.parametrize("name", WITH_A_GPU)
def test_with_a_gpu(name, with_fake_gpu):
    with_fake_gpu(WITH_A_GPU[name])
