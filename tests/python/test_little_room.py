"""What is said where memory, numbers or the cache's folder do not suffice."""

import os
import subprocess
import sys

import numpy as np
import pytest

import weft as wf


def run(text, **environment):
    return subprocess.run([sys.executable, "-c", "import weft as wf\n" + text], env={**os.environ, "WEFT_DEVICE": "cpu", **environment},
                          capture_output=True, text=True, timeout=300)  # fmt: skip


@pytest.mark.parametrize("call", [
    lambda n: wf.zeros(n), lambda n: wf.ones((3, n)), lambda n: wf.full(n, 1), lambda n: wf.empty(n), lambda n: wf.arange(n),
    lambda n: wf.eye(n), lambda n: wf.linspace(0, 1, n), lambda n: wf.ones(3).reshape(n), lambda n: wf.broadcast_to(wf.ones(1), (n,)),
    lambda n: wf.tile(wf.ones(3), n),
])  # fmt: skip
def test_integers_of_more_than_64_bits_are_told(call):
    for number in (2**80, 2**65):
        with pytest.raises(OverflowError, match=rf"\w+: .* of at most 64 bits: got .*{number}"):
            call(number)


def test_positions_that_no_integer_holds_are_told():
    x = wf.arange(5)
    for given, got in ((float("nan"), "nan"), (float("inf"), "inf"), ([1.0, float("nan")], "nan")):
        with pytest.raises(wf.Error, match=f"positions are integers: got {got}"):
            wf.take(x, given)
    for given in (2**80, [1, -(2**80)]):
        with pytest.raises(IndexError, match="more than 64 bits"):
            wf.take(x, given)
    np.testing.assert_array_equal(np.asarray(wf.take(x, [1.0, 3.0])), [1, 3])


def test_a_refusal_names_the_limit_on_address_space():
    done = run("""
import resource
wf.eval(wf.arange(100_000) + 1)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, resource.RLIM_INFINITY))
try:
    wf.eval(wf.ones(10**8))
except wf.OutOfMemory as error:
    print(error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
print(float(wf.ones(10**6).sum()))
""")
    assert done.returncode == 0, done.stderr
    assert "no 800000000 bytes: the system refuses more than" in done.stdout and "(ulimit -v)" in done.stdout
    assert done.stdout.endswith("1000000.0\n")


@pytest.mark.skipif("WEFT_TEST_WITHOUT_JIT" in os.environ, reason="this library compiles no kernels")
def test_a_kernel_without_room_is_out_of_memory():
    # On one thread, since glibc ends a process whose new thread has no room.
    done = run("""
import resource
x = wf.eval(wf.arange(100_000) * 1.0)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**22, resource.RLIM_INFINITY))
y = wf.sin(x) + wf.cos(x)
try:
    wf.eval(y)
except wf.OutOfMemory as error:
    print(error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
print(round(float(y[0]), 9))
""", WEFT_CACHE_DIR="off", WEFT_THREADS="1", WEFT_TIER="compile")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no memory to compile" in done.stdout and done.stdout.endswith("1.0\n")


def test_a_cache_folder_that_cannot_be_used_warns_once_and_work_goes_on(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    for folder, why in (("/proc/weft", "cannot be made"), (str(tmp_path / "open" / "cache"), "is not sticky")):
        text = "x = wf.arange(1000) + 1\nfor _ in range(3):\n    print(int(x.sum()))\n    x = x + 0"
        done = run(text, WEFT_CACHE_DIR=folder)
        assert done.returncode == 0 and done.stdout == "500500\n" * 3
        assert done.stderr.count("RuntimeWarning: weft: no disk cache: ") == 1 and why in done.stderr
    assert run("print(int(wf.arange(1000).sum()))", WEFT_CACHE_DIR=str(tmp_path / "cache")).stderr == ""
