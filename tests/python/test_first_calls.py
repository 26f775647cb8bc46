"""First calls: programs run in blocks while their kernels compile behind them, with the same bits."""

import os
import subprocess
import sys

import numpy as np
import pytest

import weft as wf

pytestmark = [
    pytest.mark.skipif(not wf.default_device().startswith("cpu"), reason="on a GPU kernels are compiled first"),
    pytest.mark.skipif("WEFT_TEST_WITHOUT_JIT" in os.environ, reason="this library compiles no kernels"),
]


@pytest.fixture
def auto():
    before = wf.tier()
    wf.set_tier("auto")
    yield
    wf.set_tier(before)


def since(before, name):
    return wf.stats()[name] - before[name]


def run(text, **environment):
    return subprocess.run([sys.executable, "-c", "import os, sys\nimport numpy as np\nimport weft as wf\n" + text], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "WEFT_DEVICE": "cpu", "WEFT_CACHE_DIR": "off", "WEFT_TIER": "auto", **environment})


def test_a_first_call_compiles_nothing_and_later_ones_have_its_bits(auto):
    x = wf.asarray(np.linspace(0.1, 3.0, 5000))

    def f():
        return np.asarray(wf.tanh(x) * wf.log1p(x) - wf.mean(wf.expm1(x) * 0.37))

    before = wf.stats()
    first = f()
    assert since(before, "compiles") == 0 and since(before, "blocks_launched") > 0
    for _ in range(10):
        np.testing.assert_array_equal(f(), first)
    wf.finish_kernels()
    assert since(before, "compiles") > 0
    blocks = wf.stats()["blocks_launched"]
    np.testing.assert_array_equal(f(), first)
    assert wf.stats()["blocks_launched"] == blocks


def test_explain_says_which_way_a_step_goes(auto):
    x = wf.asarray(np.linspace(0.1, 3.0, 6000))
    y = lambda: wf.sinh(x) * wf.expm1(x) + wf.log1p(x)  # noqa: E731
    for_now, always = "  runs in blocks until its kernel is compiled\n", "  runs in blocks\n"
    assert wf.explain(y()).count(for_now) == 1
    wf.eval(y())
    assert wf.explain(y()).count(for_now) == 1
    wf.set_tier("blocks")
    assert wf.explain(y()).count(always) == 1
    wf.set_tier("compile")
    assert "in blocks" not in wf.explain(y())
    wf.eval(y())
    wf.set_tier("auto")
    for _ in range(5):
        wf.eval(y())
    wf.finish_kernels()
    wf.eval(y())
    text = wf.explain(y())
    assert "\nstep 0: kernel over" in text and "in blocks" not in text


def test_explain_says_the_way_of_a_step_whose_kernel_another_program_has(auto):
    """What `explain` says before the first call is what that call does, for tiny steps, which are late, and for large ones."""
    f = lambda x: wf.arcsinh(x) * wf.expm1(x)  # noqa: E731
    inputs = [wf.asarray(np.linspace(0.1, 3.0, n)) for n in (600, 700, 600_000, 700_000)]
    wf.set_tier("compile")
    for x in inputs[::2]:
        wf.eval(f(x))
    wf.set_tier("auto")
    for x in inputs[1::2]:
        said = "runs in blocks" in wf.explain(f(x))
        before = wf.stats()
        wf.eval(f(x))
        assert since(before, "compiles") == 0
        assert said == (since(before, "blocks_launched") == 1)


def test_warm_compiles_and_runs_nothing(auto):
    @wf.compile
    def f(x, y=None):
        z = wf.arctan(x) * wf.cosh(x)
        return z if y is None else z + y

    x = wf.arange(3000.0) * 0.001
    wf.eval(x)
    for arguments, named in (((x,), {}), ((x,), {"y": x})):
        before = wf.stats()
        assert f.warm(*arguments, **named) is None
        assert since(before, "compiles") + since(before, "memory_hits") > 0
        assert since(before, "kernels_launched") == 0
        np.testing.assert_array_equal(np.asarray(f(*arguments, **named)), np.asarray(f.__wrapped__(*arguments, **named)))
        assert since(before, "kernels_launched") > 0


def test_tiers_have_names():
    before = wf.tier()
    try:
        for name in ("auto", "compile", "blocks"):
            wf.set_tier(name)
            assert wf.tier() == name
        with pytest.raises(wf.Error, match="tier: takes auto, compile or blocks: got 'fast'"):
            wf.set_tier("fast")
    finally:
        wf.set_tier(before)
    assert "WEFT_TIER: tier: takes auto, compile or blocks: got 'fast'" in run("wf.eval(wf.ones(3) + 1)", WEFT_TIER="fast").stderr


MANY = """
x = wf.asarray(np.linspace(0.1, 1.0, 4000))
def program(k):
    y = x
    for bit in range(6):
        y = (wf.sin if k >> bit & 1 else wf.cos)(y)
    return np.asarray(y)
expected = [program(k) for k in range(64)]
for k in range(64):
    for _ in range(5):
        assert (program(k) == expected[k]).all()
"""


def test_the_process_ends_while_kernels_compile():
    done = run(MANY + "print(wf.stats()['compiles'])")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 64


def test_a_fork_while_kernels_compile_leaves_both_processes_at_work():
    done = run(MANY + """
child = os.fork()
for k in range(64):
    assert (program(k) == expected[k]).all()
wf.finish_kernels()
blocks = wf.stats()["blocks_launched"]
for k in range(64):
    assert (program(k) == expected[k]).all()
assert wf.stats()["blocks_launched"] == blocks
if child == 0:
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
""")
    assert done.returncode == 0, done.stderr


def test_threads_call_while_kernels_compile():
    done = run("import threading\n" + MANY + """
def work(first):
    for k in range(64):
        assert (program((first + k) % 64) == expected[(first + k) % 64]).all()
    done.append(first)
done = []
threads = [threading.Thread(target=work, args=(16 * t,)) for t in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert len(done) == 4
""")
    assert done.returncode == 0, done.stderr
