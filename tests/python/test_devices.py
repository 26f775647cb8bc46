"""Device objects, the default device of a block, and what arrays say of where they lie."""

import contextvars
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
import weft as wf

pytestmark = pytest.mark.skipif(os.environ.get("WEFT_DEVICE", "cpu") != "cpu", reason="WEFT_DEVICE has chosen a default device already")


def test_a_device_is_its_name():
    cpu = wf.device("cpu")
    assert cpu == "cpu" == str(cpu) and repr(cpu) == "weft.device('cpu')" and hash(cpu) == hash("cpu")
    assert wf.device(cpu) is cpu and wf.device("cuda") == wf.device("cuda:0") == "cuda:0"
    assert wf.device("cuda:1") != wf.device("cuda:0") and wf.device("cuda:3").index == 3 and wf.device("cuda:3").kind == "cuda"
    assert pickle.loads(pickle.dumps(cpu)) == cpu and isinstance(pickle.loads(pickle.dumps(cpu)), wf.device)


@pytest.mark.parametrize("name", ["tpu", "", "cuda:", "cuda:-1", "cuda:x", "cpu:0", "CPU"])
def test_names_that_are_no_device(name):
    with pytest.raises(wf.Error, match="device: takes cpu or cuda:N: got"):
        wf.device(name)
    with pytest.raises(wf.Error, match="device: takes cpu or cuda:N: got"):
        wf.zeros(2, device=name)


def test_devices_are_named_by_strings():
    with pytest.raises(TypeError, match="takes a name"):
        wf.device(0)


def test_what_the_cpu_says_of_itself():
    cpu = wf.devices("cpu")[0]
    assert cpu == wf.devices()[0] and cpu.kind == "cpu" and cpu.index == 0 and cpu.compute_capability is None
    assert cpu.name and cpu.architecture and cpu.processors >= 1 and cpu.vector_bytes >= 16
    assert cpu.memory_bytes > 1 << 28 and cpu.cache_bytes > 0 and cpu.shared_bytes == 0
    cpu.synchronize()
    with pytest.raises(ValueError, match="kind"):
        wf.devices("tpu")


def test_facts_of_the_machine():
    facts = wf.device("cpu").facts
    assert facts["threads"] == wf.device("cpu").processors and facts["vector_registers"] in (16, 32)
    assert all(cache["bytes"] > 0 and cache["processors"] > 0 for cache in facts["caches"])


@pytest.mark.skipif("WEFT_TEST_WITHOUT_JIT" in os.environ, reason="this library compiles no kernels")
def test_speeds_are_measured_when_it_is_asked_and_kept(tmp_path):
    program = "import weft as wf; cpu = wf.device('cpu'); print(cpu.facts['speeds'] is None)"
    measured = program + "; speeds = cpu.calibrate()['speeds']; print(speeds == cpu.facts['speeds'], speeds['memory'] > 0)"

    def run(text, **variables):
        environment = os.environ | {"WEFT_CACHE_DIR": str(tmp_path)} | variables
        return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, timeout=100)

    assert run(measured).stdout.split() == ["True", "True", "True"]
    assert run(program).stdout.split() == ["False"]
    assert run(program, WEFT_CALIBRATION="0").stdout.split() == ["True"]
    assert "WEFT_CALIBRATION=0 forbids it" in run(measured, WEFT_CALIBRATION="0").stderr


def test_memory_is_counted():
    cpu = wf.device("cpu")
    before = cpu.memory_in_use
    x = wf.eval(wf.arange(1_000_000) * 2)
    assert cpu.memory_in_use >= before + 8_000_000 and cpu.memory_peak >= cpu.memory_in_use
    del x
    assert cpu.memory_in_use < before + 8_000_000 and cpu.memory_pooled >= 8_000_000
    cpu.trim()
    assert cpu.memory_pooled < 8_000_000


def test_arrays_know_their_device():
    x = wf.zeros(3, device="cpu")
    assert x.device == "cpu" and isinstance(x.device, wf.device) and x.device is wf.ones(2).device
    assert x.to("cpu") is x or x.to("cpu").device == "cpu"
    assert x.to_device(x.device).device == x.device
    info = wf.__array_namespace_info__()
    assert info.devices() == tuple(wf.devices()) and info.default_device() == wf.default_device() == "cpu"


CREATE = {
    "asarray": lambda **k: wf.asarray([1, 2], **k),
    "array": lambda **k: wf.array([1, 2], **k),
    "zeros": lambda **k: wf.zeros(2, **k),
    "ones": lambda **k: wf.ones(2, **k),
    "empty": lambda **k: wf.empty(2, **k),
    "full": lambda **k: wf.full(2, 7, **k),
    "full_of_array": lambda **k: wf.full(2, wf.asarray(7), **k),
    "arange": lambda **k: wf.arange(4, **k),
    "linspace": lambda **k: wf.linspace(0, 1, 3, **k),
    "linspace_of_arrays": lambda **k: wf.linspace(wf.zeros(2), wf.ones(2), 3, **k),
    "eye": lambda **k: wf.eye(2, **k),
    "from_numpy": lambda **k: wf.asarray(np.arange(3), **k),
    "from_dlpack": lambda **k: wf.from_dlpack(np.arange(3), **k),
    "zeros_like": lambda **k: wf.zeros_like(np.arange(3), **k),
    "ones_like": lambda **k: wf.ones_like(np.arange(3), **k),
    "full_like": lambda **k: wf.full_like(np.arange(3), 2, **k),
    "empty_like": lambda **k: wf.empty_like(np.arange(3), **k),
    "astype": lambda **k: wf.astype(wf.zeros(2), "int64", **k),
    "of_numbers": lambda **k: wf.sqrt(2.0) if not k else wf.asarray(2.0, **k),
}


@pytest.mark.parametrize("name", CREATE)
def test_creation_takes_a_device(name):
    for device in ("cpu", wf.device("cpu"), None):
        assert CREATE[name](device=device).device == "cpu"
    with pytest.raises(wf.Error, match="cuda:77"):
        CREATE[name](device="cuda:77")


@pytest.mark.skipif(bool(wf.devices("cuda")), reason="this machine has a GPU")
def test_a_device_that_is_not_there_says_why():
    with pytest.raises(wf.Error, match="cuda:0"):
        wf.device("cuda:0").memory_bytes
    with pytest.raises(wf.Error, match="cuda:0"):
        with wf.device("cuda:0"):
            pytest.fail("the block ran")
    assert wf.default_device() == "cpu"


def test_blocks_nest_and_end_with_errors():
    cpu = wf.device("cpu")
    with pytest.raises(KeyError):
        with cpu, cpu:
            with cpu:
                assert wf.default_device() == "cpu" and wf.zeros(2).device == "cpu"
            raise KeyError
    assert wf._base.devices._chosen.get() is None


def test_blocks_belong_to_their_task_and_thread():
    def entered():
        wf.device("cpu").__enter__()
        return wf._base.devices._chosen.get()

    assert contextvars.copy_context().run(entered) is not None
    assert wf._base.devices._chosen.get() is None
    seen = []
    with wf.device("cpu"):
        thread = threading.Thread(target=lambda: seen.append(wf._base.devices._chosen.get()))
        thread.start()
        thread.join()
    assert seen == [None]


# Each runs in a process whose driver is a stand-in over host memory: it copies, and computes nothing.
WITH_A_GPU = {
    "creation": """
for make in (lambda **k: wf.zeros(2, **k), lambda **k: wf.arange(3, **k), lambda **k: wf.asarray([1.5, 2], **k),
             lambda **k: wf.asarray(np.arange(100000), **k), lambda **k: wf.from_dlpack(np.arange(3), **k)):
    assert make().device == "cpu"
    assert make(device="cuda").device == "cuda:0"
    with wf.device("cuda:0") as gpu:
        assert make().device == gpu and wf.default_device() == gpu == wf.__array_namespace_info__().default_device()
        assert wf.sqrt(2.0).device == gpu
        with wf.device("cpu"):
            assert make().device == "cpu"
        assert make().device == gpu and make(device="cpu").device == "cpu"
    assert make().device == "cpu"
""",
    "attributes": """
gpu = wf.devices("cuda")[0]
assert wf.devices() == ["cpu", "cuda:0", "cuda:1"] and gpu.name == "fake GPU" and gpu.compute_capability == (9, 0)
assert gpu.architecture == "sm_90" and gpu.processors == 4 and gpu.memory_bytes == 256 << 20 and gpu.cache_bytes == 1 << 20
assert gpu.shared_bytes > 0 and gpu.vector_bytes == 0
x = wf.asarray(np.arange(1 << 17), device=gpu)
assert gpu.memory_in_use >= 1 << 20
del x
assert gpu.memory_in_use == 0 and gpu.memory_pooled >= 1 << 20 and gpu.memory_peak >= 1 << 20
gpu.trim()
assert gpu.memory_pooled == 0
""",
    "numbers": """
x, mask = wf.asarray([1.0, 4.0], device="cuda"), wf.asarray([True, False], device="cuda")
for result in (wf.max(x, initial=3), wf.min(x, initial=np.float32(2)), wf.sum(x, initial=2.5), wf.prod(x, initial="3"), wf.dot(x, 2), wf.select([x > 1], [x], 2),
               wf.sin(x, where=mask), wf.isnan(x, where=mask), wf.fabs(x, where=mask), wf.exp2(x * 1j), x.imag, wf.angle(x), wf.i0(x > 1)):
    assert result.device == "cuda:0"
""",
    "numbers that are carried": """
x = wf.asarray([1.0, 4.0], device="cuda")
for f in (lambda x: wf.while_loop(lambda v: v[1] < 3, lambda v: (v[0] * 0.5, v[1] + 1), (x, 0)), lambda x: wf.fori_loop(0, 3, lambda i, v: (v[0] * i, v[1] + 1), (x, 0)),
          lambda x: wf.scan(lambda c, row: (c + row, (c, 1.0)), 0.0, x), lambda x: wf.cond(x[0] > 0, lambda a, b: (a * b, 1.0), lambda a, b: (a - b, 2.0), x, 3.0),
          lambda x: wf.switch(x[0].astype(int), [lambda a, b: (b, a)] * 2, x, 3)):
    with pytest.raises(wf.InternalError, match="some failure"):  # it is recorded, and then the stand-in has no such kernel
        wf.compile(f)(x)
""",
    "copies": """
a = np.arange(100000.0)
x = wf.asarray(a, device="cuda")
assert x.device == "cuda:0" and x.to("cpu").device == "cpu" and x.to(x.device) is not None
np.testing.assert_array_equal(np.asarray(x), a)
np.testing.assert_array_equal(np.asarray(x.to("cpu").to("cuda").to("cpu")), a)
np.testing.assert_array_equal(np.asarray(x.to("cuda:1").to("cuda:0")), a)
assert wf.zeros_like(x, device="cpu").device == "cpu" and wf.zeros_like(x).device == "cuda:0"
""",
    "mixing": """
x, y = wf.asarray(np.arange(1000), device="cuda"), wf.arange(1000)
for mix in (lambda: x + y, lambda: wf.concat([x, y]), lambda: wf.where(x > 1, x, y), lambda: y @ x):
    with pytest.raises(wf.Error, match=r"arrays must be on one device: got .*; move one with to\\(\\)"):
        mix()
with pytest.raises(wf.Error, match="arrays must be on one device"):
    y[:] = x
with pytest.raises(wf.Error, match="no such device; this machine shows 2 CUDA devices"):
    wf.zeros(2, device="cuda:2")
""",
    "threads": """
import asyncio, threading
async def on(device):
    with wf.device(device):
        await asyncio.sleep(0)
        assert wf.zeros(2).device == device
        await asyncio.sleep(0)
        return wf.default_device()
async def both():
    return await asyncio.gather(on("cuda:0"), on("cpu"), on("cuda:0"))
assert asyncio.run(both()) == ["cuda:0", "cpu", "cuda:0"]
seen = []
with wf.device("cuda"):
    thread = threading.Thread(target=lambda: seen.append(wf.zeros(2).device))
    thread.start()
    thread.join()
assert seen == ["cpu"]
""",
}


@pytest.mark.parametrize("name", WITH_A_GPU)
def test_with_a_gpu(name, with_fake_gpu):
    with_fake_gpu(WITH_A_GPU[name])
