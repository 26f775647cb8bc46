"""Forks, other processes, Ctrl-C, and threads that work while kernels compile and run."""

import os
import pathlib
import signal
import subprocess
import sys
import threading

import pytest

import weft as wf

# Whoever starts the tests in the background may have switched interrupts off.
HEAD = "import os, signal, sys, threading\nimport numpy as np\nimport weft as wf\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"


def run(text, **options):
    return subprocess.run([sys.executable, "-c", HEAD + text], capture_output=True, text=True, timeout=300, **options)


def check(text):
    done = run(text)
    assert done.returncode == 0, done.stdout + done.stderr


no_gpu = pytest.mark.skipif(os.environ.get("WEFT_DEVICE", "cpu") != "cpu", reason="a GPU does not survive a fork")


@no_gpu
@pytest.mark.parametrize("before", ["", "x = wf.eval(wf.sin(wf.arange(1_000_000) * 1.0))", "wf.eval(wf.ones((500, 500)) @ wf.ones((500, 500)))"])
def test_a_forked_child_computes(before):
    check(
        before
        + """
def work():
    y = wf.arange(2_000_000) * 1.0
    np.testing.assert_allclose(float((wf.cos(y) + 0.25).sum()), np.sum(np.cos(np.arange(2_000_000.0)) + 0.25), rtol=1e-9)
    z = wf.ones((300, 300)) @ wf.ones((300, 300))
    assert float(z[0, 0]) == 300 and sorted(wf.asarray(np.arange(300_000)[::-1].copy())[:3].tolist()) == [299997, 299998, 299999]
child = os.fork()
if child == 0:
    try:
        work()
        if "x" in globals():
            np.testing.assert_allclose(np.asarray(x), np.sin(np.arange(1_000_000.0)), atol=1e-14)
        grandchild = os.fork()
        if grandchild == 0:
            work()
            os._exit(0)
        assert os.waitpid(grandchild, 0)[1] == 0
    except BaseException:
        import traceback
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
work()
assert os.waitpid(child, 0)[1] == 0
work()
"""
    )


@no_gpu
def test_a_fork_waits_for_other_threads_work():
    check(
        """
stop = threading.Event()
def busy():
    n = 0
    while not stop.is_set():
        n += 1
        wf.eval(wf.exp(wf.arange(100_000 + n) * (1.0 / n)) + wf.ones(100_000 + n) * n)   # compiles, runs, takes and gives memory
threads = [threading.Thread(target=busy) for _ in range(3)]
for thread in threads:
    thread.start()
for i in range(15):
    child = os.fork()
    if child == 0:
        ok = float((wf.arange(300_000 + i) * 2.0).sum()) == (300_000 + i) * (300_000 + i - 1)
        os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
for thread in threads:
    thread.join()
"""
    )


@pytest.mark.parametrize("method", [pytest.param("fork", marks=no_gpu), "spawn"])
def test_multiprocessing(method, tmp_path):
    script = tmp_path / "pool.py"
    script.write_text(
        f"""
import multiprocessing
import numpy as np
import weft as wf

def work(x):
    return float((wf.asarray(x) * 2.0).sum()), wf.asarray(x)[:2] + 1

if __name__ == "__main__":
    x = wf.arange(300_000) * 1.0
    wf.eval(x)
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        for total, part in pool.map(work, [x, x + 1, np.arange(300_000.0)]):
            assert total > 0 and isinstance(part, wf.Array)
"""
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


FORKED_FROM_A_GPU = """
import os
x = wf.asarray(np.arange(100_000.0), device="cuda")
child = os.fork()
if child == 0:
    try:
        assert float(wf.arange(1000)[7]) == 7
        for use in (lambda: np.asarray(x), lambda: wf.zeros(3, device="cuda") + 1, lambda: wf.asarray(np.ones(5), device="cuda")):
            try:
                print(use())
                os._exit(1)
            except wf.Error as error:
                assert "fork" in str(error), error
        del x
    except BaseException:
        import traceback
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
np.testing.assert_array_equal(np.asarray(x), np.arange(100_000.0))
"""


def test_a_gpu_does_not_survive_a_fork(with_fake_gpu):
    with_fake_gpu(FORKED_FROM_A_GPU)


LOOPS = {
    "evaluations": "x = wf.eval(wf.arange(1_000_000) * 1.0)\nprint('ready', flush=True)\nwhile True:\n    x = wf.eval(wf.sin(x) * 1.5)",
    "recording": "x = wf.arange(1000) * 1.0\nprint('ready', flush=True)\nwhile True:\n    x = wf.sin(x) * 1.5",
    "compiling": "n = 0\nprint('ready', flush=True)\nwhile True:\n    n += 1\n    x = wf.arange(1000) * 1.0\n"
    "    for i in range(n % 50 + 3):\n        x = (wf.sin(x) if n >> i & 1 else wf.cos(x)) + x[::-1]\n    wf.eval(x)",
    "a loop without end": "x = wf.ones(5000)\nprint('ready', flush=True)\nwf.while_loop(lambda v: wf.max(v) < 2.0, wf.sin, x)",
    "a function without end": "import linecache\nsource = 'def f(x):\\n    while True:\\n        x = x + 1\\n        if x < 0:\\n            return x\\n'\n"
    "linecache.cache['endless'] = (len(source), None, source.splitlines(True), 'endless')\nexec(compile(source, 'endless', 'exec'))\n"
    "x = wf.ones(100_000)\nprint('ready', flush=True)\nwf.eval(wf.vectorize(f)(x))",
    "a look at a function without end": "f = wf.elementwise('T k = x; r = 0; for (; k < 10; k = k) r = r + k;', 'T x', 'T r', 'f')\n"
    "x = wf.ones(100_000)\nprint('ready', flush=True)\nrepr(f(x))",
    "a list of a function without end": "f = wf.elementwise('T k = x; r = 0; for (; k < 10; k = k) r = r + k;', 'T x', 'T r', 'f')\n"
    "x = wf.ones(100_000)\nprint('ready', flush=True)\nf(x).tolist()",
    "an op as text without end": "f = wf.elementwise('T k = x; r = 0; for (; k < 10; k = k) r = r + k;', 'T x', 'T r', 'f')\n"
    "x = wf.ones(100_000)\nprint('ready', flush=True)\nwf.eval(f(x))",
    "a compiled loop": "run = wf.compile(lambda x: wf.fori_loop(0, 2**60, lambda i, v: wf.fori_loop(0, 5, lambda j, w: wf.cos(w), v), x + 1))\n"
    "x = wf.ones(50)\nprint('ready', flush=True)\nrun(x)",
}

if os.environ.get("WEFT_DEVICE", "cpu") != "cpu":  # a GPU goes on with a kernel until its end
    LOOPS = {name: text for name, text in LOOPS.items() if "function without end" not in name and "op as text" not in name}
if os.environ.get("WEFT_DEVICE", "cpu") == "cpu" and "WEFT_TEST_WITHOUT_JIT" not in os.environ:
    LOOPS["a kernel of one's own"] = (
        "k = wf.cpu_kernel('void f(long begin, long end, long* r) { r[begin & 7] = end; }', 'f')\n"
        "print('ready', flush=True)\nwf.eval(k(2**60, (wf.kernel_output(8, 'int64'),)))"
    )
    # Those take the array's memory by the buffer protocol, without a step of Python's between.
    for look in ("memoryview(x)", "bytes(x)", "io.BytesIO().write(x)", "np.frombuffer(x)", "np.asarray(x)", "np.array([x, x])"):
        LOOPS[f"{look} of a kernel of one's own"] = (
            "import io\nk = wf.cpu_kernel('void f(long begin, long end, long* r) { r[begin & 7] = end; }', 'f')\n"
            f"x = k(2**60, (wf.kernel_output(8, 'int64'),))\nprint('ready', flush=True)\n{look}"
        )


def interrupted(child):
    """What the process prints that a Ctrl-C ends; a second one, as NVRTC's first compilation may lose one."""
    child.send_signal(signal.SIGINT)
    try:
        return child.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGINT)
        return child.communicate(timeout=60)


@pytest.mark.parametrize("name", LOOPS)
def test_interrupts_arrive(name):
    text = HEAD + "try:\n" + "".join("    " + line + "\n" for line in LOOPS[name].splitlines())
    text += "except KeyboardInterrupt:\n    assert float((wf.arange(1_000_000) * 2.0).sum()) == 999999000000.0\n    print('interrupted', flush=True)\n"
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        out, err = interrupted(child)
    finally:
        child.kill()
    assert (child.returncode, out) == (0, "interrupted\n"), err


# Some minutes of products in one program; half of it in a compiled function.
PRODUCTS = """
n = 3000
x = w = wf.eval(wf.asarray(np.eye(n)[::-1].copy()))
def products(x, w):
    for _ in range(60):
        x = x @ w
    return x
f = wf.compile(products)
f(x[:2, :2].copy(), w[:2, :2].copy())
memory = wf.device('cpu').memory_in_use
y = products(x, w)
"""


@pytest.mark.parametrize("last", ["wf.eval(y)", "y = f(x, w)", "np.asarray(y)"])
def test_interrupts_arrive_between_the_steps_of_a_program(last):
    text = HEAD + PRODUCTS + f"""
try:
    print('ready', flush=True)
    {last}
    os._exit(1)
except KeyboardInterrupt:
    pass
del y
assert wf.device('cpu').memory_in_use == memory
y = products(x[:4, :4].copy() + 1, wf.eye(4) * 0.5)
np.testing.assert_array_equal(np.asarray(y), (np.asarray(x)[:4, :4] + 1) / 2.0**60)
print('interrupted', flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n", child.stderr.read()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
    finally:
        child.kill()
    assert (child.returncode, out) == (0, "interrupted\n"), err


def test_a_thread_forks_while_the_main_one_asks_for_interrupts():
    check(
        """
x = w = wf.eval(wf.asarray(np.eye(500)[::-1].copy()))
def products(x):
    for _ in range(60):
        x = x @ w
    return x
done, forked = threading.Event(), []
def fork():
    while not done.is_set() or not forked:
        child = os.fork()
        if child == 0:
            os._exit(0)
        forked.append(os.waitpid(child, 0)[1])
thread = threading.Thread(target=fork)
thread.start()
for _ in range(3):
    x = wf.eval(products(x))
done.set()
thread.join()
assert set(forked) == {0}
np.testing.assert_array_equal(np.asarray(x), np.asarray(w))
"""
    )


def test_what_was_interrupted_is_computed_when_it_is_looked_at_again():
    check(
        """
x = wf.eval(wf.asarray(np.eye(700)[::-1].copy()))
y = x
for _ in range(40):
    y = y @ x
y += wf.arange(700)
for own in (False, True):
    def send():
        os.kill(os.getpid(), signal.SIGINT)
    if own:
        signal.signal(signal.SIGINT, lambda *_: None)   # such a handler lets the work go on
    thread = threading.Thread(target=send)
    try:
        thread.start()
        wf.eval(y)
        thread.join()
    except KeyboardInterrupt:
        thread.join()
        assert not own
np.testing.assert_array_equal(np.asarray(y), np.eye(700)[::-1] + np.arange(700))
"""
    )


def test_other_threads_run_while_kernels_compile_and_run():
    # The thread takes its steps in turn with pieces of work of the main thread: neither could end if the lock were held.
    check(
        """
import time
steps, stop = [0], threading.Event()
def count():
    while not stop.is_set():
        steps[0] += 1
        time.sleep(0)
thread = threading.Thread(target=count)
sys.setswitchinterval(1000)   # a thread that keeps the lock would keep it for good
x = wf.arange(3_000_000) * 1.0
y = x
for i in range(40):
    y = wf.sin(y) + wf.cos(y + i)
thread.start()
before = steps[0]
wf.eval(y)
during = steps[0] - before
stop.set()
thread.join()
assert during > 10, during
"""
    )


def test_a_package_that_is_not_built_says_so(tmp_path):
    package = tmp_path / "weft"
    package.mkdir()
    (package / "__init__.py").write_bytes(pathlib.Path(wf.__file__).read_bytes())
    run = subprocess.run([sys.executable, "-c", "import weft"], cwd=tmp_path, env=dict(os.environ, PYTHONPATH=str(tmp_path)),
                         capture_output=True, text=True, check=False)  # fmt: skip
    assert run.returncode != 0 and "the extension has not been built: ./dev build does it" in run.stderr


def test_a_second_interpreter_of_the_process_is_refused_and_the_first_goes_on():
    check("""
interpreters = __import__("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
text = "try:\\n    import weft\\nexcept ImportError as error:\\n    assert 'one interpreter of a process' in str(error), error\\nelse:\\n    assert 0"
for _ in range(2):
    other = interpreters.create("legacy") if sys.version_info >= (3, 13) else interpreters.create(isolated=False)
    failed = interpreters.run_string(other, text)
    assert failed is None, failed
    interpreters.destroy(other)
assert wf.compile(lambda x: x + 1)(wf.arange(3)).tolist() == [1, 2, 3]
""")
