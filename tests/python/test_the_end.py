"""Ctrl-C in the middle of a kernel, and threads that still compute while the process ends."""

import os
import subprocess
import sys

import pytest

HEAD = "import os, signal, sys, threading\nimport numpy as np\nimport weft as wf\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"

# The bounds below are of kernels on two of the processor's threads.
two_threads = {**os.environ, "WEFT_THREADS": "2", "WEFT_DEVICE": "cpu"}


def run(text):
    return subprocess.run([sys.executable, "-c", HEAD + text], capture_output=True, text=True, timeout=300, env=two_threads)


# Seconds of work in one kernel each, on arrays that take no time to make.
SLOW = """
def slow(x):
    for _ in range(120):
        x = wf.cos(x) + 1.25
    return x
def slow_numpy(x):
    for _ in range(120):
        x = np.cos(x) + 1.25
    return x
def interrupt_once_it_runs(before):
    def send():
        while wf.device("cpu").memory_in_use <= before:
            pass
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=send, daemon=True).start()
"""

KERNELS = {
    "many parts": ("wf.eval(wf.arange(12_000_000) * 1.0)", "slow(x)", "slow_numpy(np.arange(7.0))"),
    "parts of one long row each": (
        "wf.eval((wf.arange(16 * 750_000) % 9 * 1.0).reshape(16, 750_000))",
        "wf.cumulative_sum(slow(x), axis=1)",
        "np.cumsum(slow_numpy(np.arange(7.0)))",
    ),
    "rows that are read three times": (
        "wf.eval((wf.arange(2 * 6_000_000) % 9 * 1.0).reshape(2, 6_000_000))",
        "(lambda z: z - z.max(axis=1, keepdims=True))(slow(x))",
        "(lambda z: z - np.max(slow_numpy(np.arange(9.0))))(slow_numpy(np.arange(7.0)))",
    ),
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_an_interrupt_ends_a_kernel_and_nothing_half_written_counts(kernel):
    make, compute, numpys = KERNELS[kernel]
    done = run(
        SLOW
        + f"""
x = {make}
y = {compute}
wf.show(y, "fused")
launched, memory = wf.stats()["kernels_launched"], wf.device("cpu").memory_in_use
try:
    interrupt_once_it_runs(memory)
    wf.eval(y)
    os._exit(1)
except KeyboardInterrupt:
    pass
assert wf.stats()["kernels_launched"] == launched, "the kernel ran to its end"
assert wf.device("cpu").memory_in_use == memory
again = {compute.replace("x)", "x[..., :9].copy())")}
np.testing.assert_allclose(np.asarray(again).reshape(-1)[:7], {numpys}, rtol=1e-12)
if y.ndim == 1:
    np.testing.assert_allclose(np.asarray(y[:7]), {numpys}, rtol=1e-12)
"""
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_interrupt_leaves_an_array_that_is_written_in_place_old_or_new():
    done = run(
        SLOW
        + """
n = 1_500_000
x = wf.eval(wf.arange(n) * 1.0)
def send():
    os.kill(os.getpid(), signal.SIGINT)
wf.eval(slow(x[:9].copy()))
thread = threading.Thread(target=send)
try:
    x[3:] = slow(x)[3:]
    thread.start()
    wf.eval(x)
    thread.join()
except KeyboardInterrupt:
    pass
now = np.asarray(x)
np.testing.assert_array_equal(now[:3], np.arange(3.0))
np.testing.assert_allclose(now[3:], slow_numpy(np.arange(float(n)))[3:], rtol=1e-12)
"""
    )
    assert done.returncode == 0, done.stdout + done.stderr


AT_WORK = {
    "kernels": "x = wf.arange(1_000_000) * 1.0\nwhile True:\n    wf.eval(wf.sin(x) * 1.5)\n    turns.release()",
    "a long kernel": "x = wf.arange(100_000_000) * 1.0\nfor _ in range(60):\n    x = wf.sin(x) * 1.5\nturns.release(2)\nwf.eval(x)",
    "products": "x = wf.ones((900, 900))\nwhile True:\n    wf.eval(x @ x)\n    turns.release()",
    "compiling": "n = 0\nwhile True:\n    n += 1\n    x = wf.arange(1000) * 1.0\n    for i in range(n % 50 + 3):\n"
    "        x = (wf.sin(x) if n >> i & 1 else wf.cos(x)) + x[::-1]\n    wf.eval(x)\n    turns.release()",
    "a compiled function": "n = 0\nx = wf.ones(1000)\nwhile True:\n    n += 1\n    wf.compile(lambda x: sum((wf.sin(x * i) for i in range(n % 40 + 2))) + n)(x)\n    turns.release()",
    "looks": "x = wf.arange(100_000) * 1.0\nwhile True:\n    y = x + 1\n    float(y[3]), sorted(y[:5]), repr(y[:3]), np.add(y, 1)[0].item(), int(y.argmax())\n    turns.release()",
}


@pytest.mark.parametrize("work", AT_WORK)
def test_a_daemon_thread_at_work_lets_the_process_end(work):
    body = "".join("    " + line + "\n" for line in AT_WORK[work].splitlines())
    text = "os.environ['WEFT_CACHE_DIR'] = 'off'\nturns = threading.Semaphore(0)\ndef work():\n" + body
    text += "for _ in range(2):\n    threading.Thread(target=work, daemon=True).start()\nfor _ in range(4):\n    turns.acquire()\nsys.exit(3)\n"
    done = run(text)
    assert (done.returncode, done.stderr) == (3, "")


def test_what_python_calls_at_its_end_still_computes():
    done = run(
        """
import atexit
def work():
    n = 0
    while True:
        n += 1
        wf.eval(wf.sin(wf.arange(100_000 + n) * 1.5))
        turns.release()
turns = threading.Semaphore(0)
atexit.register(lambda: print(float((wf.arange(300_000) * 2.0).sum()), flush=True))
class Late:
    def __del__(self):
        print(float((self.x * 3.0).sum()), flush=True)
late = Late()
late.x = wf.eval(wf.ones(300_000))
sys.kept = late
threading.Thread(target=work, daemon=True).start()
for _ in range(3):
    turns.acquire()
sys.exit(3)
"""
    )
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.splitlines()[0] == "89999700000.0"
