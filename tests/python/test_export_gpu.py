"""Functions exported for GPUs: what runs without one by a stand-in for the driver, whose copies work and whose kernels do not, and on a GPU bit for bit."""

import pathlib
import subprocess

import numpy as np
import pytest

import exported_calls
import weft as wf

gpus = wf.devices("cuda")
pytestmark = pytest.mark.skipif(exported_calls.compiler is None or exported_calls.places() is None,
                                reason="there is no C compiler, or no libweft_runtime")
on_a_gpu = pytest.mark.skipif(not gpus, reason="no GPU: " + wf._core.no_cuda_because())

_here = f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\nimport pathlib, exported_calls\n"


def test_arrays_of_the_host_and_of_the_gpu(with_fake_gpu, tmp_path):
    with_fake_gpu(_here + f"""
folder = pathlib.Path({str(tmp_path)!r})
weights = wf.asarray(np.arange(5.0), device="cuda")
f = lambda x, y: (y, x, weights)
x, y = wf.asarray(np.arange(6, dtype="f4").reshape(2, 3), device="cuda"), wf.asarray(np.arange(4), device="cuda")
wf.export(f, (x, y), folder=folder, name="f")
f = exported_calls.Exported(folder)
there_x, there_y = np.array([[3, 1, 2], [9, 8, 7]], "f4"), np.array([4, 3, 2, 1])
for one, two in ((there_x, there_y), (x, there_y), (there_x, y), (x, y)):
    got = f(one, two, dtypes=["i8", "f4", "f8"])
    assert np.array_equal(got[0], np.asarray(two)) and np.array_equal(got[1], np.asarray(one)) and np.array_equal(got[2], np.arange(5.0)), got
with pytest.raises(wf.Error, match="export: examples on cuda:0 make kernels for sm_90: got processor 'sm_80'; `weft export"):
    wf.export(lambda x: x, (x,), folder=folder, name="g", processor="sm_80")
with pytest.raises(wf.Error, match="export: takes examples on one device: got some on cuda:0 and on cpu"):
    wf.export(lambda x: x, (x,), (wf.asarray([1.0], device="cpu"),), folder=folder, name="g")
# Results into memory of the host and of the GPU.
host, there = np.zeros(4, int), wf.eval(wf.zeros((2, 3), dtype="f4", device="cuda"))
assert f.into([host, there, np.zeros(5)], there_x, there_y) == ""
assert host.tolist() == [4, 3, 2, 1]
""")


@pytest.fixture
def shell(tmp_path):
    """`weft export` of a graph to the test's folder."""
    if exported_calls.program() is None:
        pytest.skip("there is no program weft")
    (tmp_path / "f.weft").write_text("graph f {\n  %x = input : f32[8]\n  %r = exp %x\n  return %r\n}\n")

    def run(*flags):
        return subprocess.run([exported_calls.program(), "export", tmp_path / "f.weft", "--folder", tmp_path, *flags], capture_output=True, text=True)

    return run


def test_another_gpu_is_refused(with_fake_gpu, shell, tmp_path):
    assert shell("--device", "cuda", "--processor", "sm_80").returncode == 0
    with_fake_gpu(_here + f"""
f = exported_calls.Exported(pathlib.Path({str(tmp_path)!r}))
with pytest.raises(RuntimeError, match=r"f: its kernels are for sm_80, and cuda:0 \\(fake GPU\\) is sm_90: export it for that, by --device cuda --processor sm_90"):
    f(np.zeros(8, "f4"), dtypes=["f4"])
""")


@pytest.mark.skipif(bool(gpus), reason="there is a GPU")
def test_no_gpu_is_said(shell, tmp_path):
    assert shell("--device", "cuda").returncode == 0
    f = exported_calls.Exported(tmp_path)
    with pytest.raises(RuntimeError, match="cuda:0: no NVIDIA driver"):
        f(np.zeros(8, "f4"), dtypes=["f4"])


@pytest.mark.parametrize("flags, said", [
    (["--device", "cuda", "--processor", "sm_91"], "the architecture of a GPU that is not here is one of sm_100, sm_120, sm_75"),
    (["--device", "cuda", "--processor", "x86-64-v3"], "the architecture of a GPU"),
    (["--device", "cpu", "--processor", "sm_90"], "takes x86-64-v4, x86-64-v3, x86-64-v2: got sm_90; a GPU's goes with examples on a GPU, or --device cuda"),
])
def test_processors_are_of_the_device(shell, tmp_path, flags, said):
    done = shell(*flags)
    assert done.returncode == 1 and said in done.stderr, done.stderr
    assert not (tmp_path / "f.h").exists()


def _softmax_and_more(x, w, rate):
    e = wf.exp(x - x.max(axis=1, keepdims=True))
    turned = wf.fori_loop(0, 20, lambda _, c: c * rate + wf.sin(c), x)
    return e / e.sum(axis=1, keepdims=True), x @ w, wf.cumsum(x, axis=0), x.sum(), wf.argmax(x, axis=1), turned, wf.roll(x, 3, axis=0)


_results = ["f4", "f4", "f4", "f4", "i8", "f4", "f4"]


@on_a_gpu
def test_the_bits_of_compiled_functions(tmp_path):
    rng = np.random.default_rng(3)
    with wf.device("cuda"):
        x, w, rate = wf.asarray(rng.standard_normal((300, 257)), dtype="f4"), wf.asarray(rng.standard_normal((257, 64)), dtype="f4"), wf.asarray(0.25, dtype="f4")
        want = [np.asarray(one) for one in wf.compile(_softmax_and_more)(x, w, rate)]
        wf.export(_softmax_and_more, (x, w, rate), folder=tmp_path, name="f")
    f = exported_calls.Exported(tmp_path)
    hosts = [np.asarray(one) for one in (x, w, rate)]
    for arguments in ((x, w, rate), hosts, (x, hosts[1], hosts[2])):
        for have, wanted in zip(f(*arguments, dtypes=_results), want):
            assert np.array_equal(have, wanted)
    results = [wf.eval(wf.zeros(one.shape, dtype=str(one.dtype), device="cuda")) for one in want]
    assert f.into(results, x, w, rate) == ""
    for have, wanted in zip(results, want):
        assert np.array_equal(np.asarray(have), wanted)


@on_a_gpu
def test_every_dtype_large_sums_and_kernels_of_the_users(tmp_path):
    twice = wf.cuda_kernel("""
__global__ void twice(const float* x, float* r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) r[i] = 2 * x[i];
}
""", "twice")
    with wf.device("cuda"):
        large = wf.asarray(np.random.default_rng(1).standard_normal(1 << 22))
        for number, (f, arguments, dtypes) in enumerate([
            (lambda x: (x.sum(), x.std(), wf.cumsum(x)), (large,), ["f8", "f8", "f8"]),
            (lambda x: (twice(4, 32, (x, wf.kernel_output(100, "float32"), 100)), x + 1), (wf.arange(100, dtype="f4"),), ["f4", "f4"]),
            *[(lambda x: (x + x, x[::-1]), ((wf.arange(100) - 30).astype(dtype),), [dtype] * 2) for dtype in ("int8", "uint16", "int64", "float16", "float64", "complex128")],
        ]):
            folder = tmp_path / str(number)
            want = [np.asarray(one) for one in wf.compile(f)(*arguments)]
            wf.export(f, arguments, folder=folder, name="f")
            for have, wanted in zip(exported_calls.Exported(folder)(*arguments, dtypes=dtypes), want):
                assert np.array_equal(have, wanted)


@on_a_gpu
def test_positions_out_of_range(tmp_path):
    with wf.device("cuda"):
        x, k = wf.arange(10.0), wf.asarray([1, 2, 3])
        wf.export(lambda x, k: wf.take(x, k) * 2, (x, k), folder=tmp_path, name="f")
    f = exported_calls.Exported(tmp_path)
    assert f(x, np.array([0, -10, 9]), dtypes=["f8"])[0].tolist() == [0, 0, 18]
    with pytest.raises(RuntimeError, match="position 10 is out of bounds for axis 0 with 10 elements"):
        f(x, np.array([0, 10, 1]), dtypes=["f8"])


def test_the_page_names_the_architectures_that_need_no_gpu(shell):
    said = shell("--device", "cuda", "--processor", "sm_1").stderr
    named = said.split("is one of ")[1].split(":")[0].split(", ")
    page = pathlib.Path(__file__).resolve().parents[2] / "docs/export.md"
    assert len(named) > 5 and all(f"`{one}`" in page.read_text() for one in named), named
