"""Evaluation and looking into it, and the user's line on what was recorded."""

import inspect
import os
import sys
import threading
import types

import numpy as np
import pytest
import weft as wf


def test_nothing_runs_before_a_value_is_looked_at():
    x = wf.arange(100_000) * 1.0
    before = wf.stats()
    y = wf.sqrt(x + 1) * 2
    assert wf.stats()["kernels_launched"] == before["kernels_launched"]
    assert wf.eval(y) is y
    assert wf.stats()["kernels_launched"] == before["kernels_launched"] + 1
    wf.sync()


def test_how_elements_lie_is_known_before_they_are_computed():
    x = wf.asarray(np.random.default_rng(0).normal(size=(300, 400)))
    before = wf.stats()["kernels_launched"]
    y = x * 2
    y[..., 0] = 1
    assert y.flags.c_contiguous and not y.T.flags.c_contiguous and y.strides == (3200, 8)
    flat, turned = y.flatten(), y.T.ravel("K")
    assert wf.stats()["kernels_launched"] == before
    expected = np.asarray(x) * 2
    expected[..., 0] = 1
    np.testing.assert_array_equal(np.asarray(flat), expected.ravel())
    np.testing.assert_array_equal(np.asarray(turned), expected.ravel())


@pytest.mark.parametrize("scan", [wf.cumsum, wf.cumprod, wf.cummax, wf.maximum.accumulate, np.cumsum, wf.cumulative_sum])
def test_scans_fuse_with_what_comes_before_and_after(scan):
    a, b, c = (np.random.default_rng(3).uniform(0.9, 1.1, (3, 4000)))
    x, y, z = wf.asarray(a), wf.asarray(b), wf.asarray(c)
    result = scan(x * y) + z
    wf.one_kernel(result)
    name = {"cumsum": np.cumsum, "cumulative_sum": np.cumsum, "cumprod": np.cumprod}.get(getattr(scan, "__name__", ""), np.maximum.accumulate)
    np.testing.assert_allclose(np.asarray(result), name(a * b) + c, rtol=1e-12)


@pytest.mark.parametrize("axis", [0, 1])
def test_scans_along_an_axis_fuse(axis):
    a = np.arange(600.0).reshape(20, 30)
    result = wf.sum(wf.cumsum(wf.asarray(a) * 2, axis=axis) - 1, axis=axis)
    wf.one_kernel(result)
    np.testing.assert_allclose(np.asarray(result), (np.cumsum(a * 2, axis=axis) - 1).sum(axis=axis))


def smooth(x, y):
    for _ in range(900):
        y[1:-1] = (x[:-2] + x[1:-1] + x[2:]) * 0.25
        x[1:-1] = (y[:-2] + y[1:-1] + y[2:]) * 0.25


def sweep(x, y):
    y[0] = x[0] * 0.5
    x[-1] = y[0] + x[1]
    for k in range(1, 150):
        scale = x[k] * 0.25 - y[k - 1] * 0.125
        y[k] = scale * x[k - 1] + y[k]
        x[k] = x[k] - y[k] * scale
    for k in range(148, -1, -1):
        y[k] = y[k] - x[k] * y[k + 1]


def double(x, y):
    z = x
    for _ in range(3000):
        z = z * 0.5 + y
        z = np.sqrt(z * z + 1.0)
    x[:] = z


def products(x, y):
    x -= x.mean(axis=0)
    scaled = x * 0.01
    for _ in range(3):
        for k in range(1, 150):
            y[k, k:] = y[k:150, k][:, None].sum() + scaled[:, k] @ scaled[:, k:]
            y[0, k] = y[1, k] = scaled[:, k] @ x[:, 0]


@pytest.mark.parametrize("program", [smooth, sweep, double, products])
def test_a_long_loop_finds_its_programs_when_it_is_called_again(program):
    rng = np.random.default_rng(5)
    # Rows of up to 4,096 elements are written at once, without a program.
    a, b = rng.uniform(0.1, 1.0, (2, 151, 5000 if program is sweep else 300))
    want = a.copy(), b.copy()
    program(*want)
    for call in range(3):
        x, y = wf.array(a), wf.array(b)
        wf.eval(x, y)
        before = wf.stats()
        program(x, y)
        wf.eval(x, y)
        after = wf.stats()
        assert after["program_hits"] + after["program_misses"] > before["program_hits"] + before["program_misses"] + 1
        if call > 0:
            assert after["program_misses"] == before["program_misses"], f"call {call}"
        np.testing.assert_allclose(np.asarray(x), want[0], rtol=1e-9)
        np.testing.assert_allclose(np.asarray(y), want[1], rtol=1e-9)


def test_turns_that_compute_views_in_place_share_a_program():
    def program(x, y, edge):
        for t in range(480):
            x[0, :] = edge[t]
            x[1:, :] -= 0.25 * (y[1:, :] - y[:-1, :])
            y[:-1, :] -= 0.125 * (x[1:, :] - x[:-1, :])

    a, b = np.random.default_rng(5).uniform(0.1, 1.0, (2, 60, 70))
    edge = np.linspace(0.1, 0.9, 480)
    x, y = wf.array(a, device="cpu"), wf.array(b, device="cpu")
    wf.eval(x, y)
    before = wf.stats()
    program(x, y, wf.array(edge, device="cpu"))
    wf.eval(x, y)
    after = wf.stats()
    program(a, b, edge)
    # The turns from one cut to the next, and those that are left.
    assert after["program_misses"] - before["program_misses"] == 2
    assert after["program_hits"] - before["program_hits"] >= 2
    np.testing.assert_allclose(np.asarray(x), a, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(y), b, rtol=1e-9)


def test_what_others_that_wait_are_made_of_is_computed_once():
    values = np.random.default_rng(5).uniform(1, 2, (300, 400))

    def program():
        x = wf.asarray(values)
        shared = wf.exp(wf.sqrt(x) - 1) * wf.log(x) + 2
        first, second = shared * x, shared - x
        return np.asarray(first), np.asarray(second)

    before = wf.stats()
    results = program()
    once = wf.stats()
    expected = np.exp(np.sqrt(values) - 1) * np.log(values) + 2
    for result, wanted in zip(results, (expected * values, expected - values)):
        np.testing.assert_allclose(result, wanted, rtol=1e-12)
    program()
    again = wf.stats()
    # The second program reads what the first one kept, and a second call finds both.
    assert once["program_misses"] - before["program_misses"] == 2
    assert again["program_misses"] == once["program_misses"]
    assert again["bytes_read"] - once["bytes_read"] == 3 * values.nbytes


def test_explanations_name_the_users_line():
    x = wf.arange(1000) * 1.0
    line = inspect.currentframe().f_lineno + 1
    y = wf.sin(x) + x.mean()
    text = wf.explain(y)
    assert f"test_session.py:{line}" in text
    assert "_reductions.py" not in text
    assert "sin" in wf.show(y, "graph")


def test_several_arrays_are_explained_as_one_program():
    x = wf.arange(1000) * 1.0
    y = wf.exp(-x).sum()
    z = wf.exp(-x) / y
    text = wf.explain((y, z))
    assert text == wf.explain(y, z) == wf.explain([y], z) and text.count("step ") == 1
    assert "writes sum" in text and "writes divide" in text and "writes sum" not in wf.explain(z)
    assert wf.explain([y]) == wf.explain(y)
    wf.eval(y, z)
    assert wf.explain((y, z)).startswith("the values lie in memory: nothing to compute\n")
    assert wf.explain([y, z, z + y]) == wf.explain(z + y)
    with pytest.raises(TypeError, match="explain: takes arrays, or lists of them: got float"):
        wf.explain([y, 1.0])


@pytest.mark.skipif("WEFT_TEST_WITHOUT_JIT" in os.environ, reason="this library compiles no kernels")
def test_tuning_says_what_it_tried_and_changes_no_value():
    x = wf.arange(100_000) * 0.5
    y = wf.exp(-x) + 1.0
    text = wf.tune(y, seconds=0.0)
    assert text.startswith("kernel 0: ")
    assert "the rules' own" in text
    assert "changed the schedules of 0 of 1 kernels" in text
    assert float(y[0]) == 2.0
    assert wf.tune(wf.eval(y)) == "the value lies in memory: nothing to tune\n"


def log_softmax(xp, x):
    shifted = x - x.max(axis=1, keepdims=True)
    return shifted - xp.log(xp.exp(shifted).sum(axis=1, keepdims=True))


def test_what_picks_few_elements_computes_them():
    draws = np.random.default_rng(0)
    x, labels = draws.normal(size=(64, 1000)).astype(np.float32), draws.integers(-1000, 1000, 64)
    rows = draws.integers(0, 64, 5)
    w, picked, few = wf.asarray(x), wf.asarray(labels), wf.asarray(rows)
    loss = wf.one_kernel(-wf.take_along_axis(log_softmax(wf, w), picked[:, None], 1))
    want = -np.take_along_axis(log_softmax(np, x), labels[:, None], 1)
    assert np.allclose(loss, want, rtol=1e-5)
    assert wf.explain((-wf.take_along_axis(log_softmax(wf, w), picked[:, None], 1)).mean()).count("step ") == 2
    assert np.allclose(wf.one_kernel(wf.exp(w)[few]), np.exp(x)[rows], rtol=1e-5)
    assert np.allclose(wf.one_kernel(wf.take(wf.sin(w.T)[::2], few, axis=0)), np.sin(x.T)[::2][rows], rtol=1e-5, atol=1e-6)


def test_one_of_each_row_is_picked_by_the_kernel_that_computes_the_rows(on_cpu):
    draws = np.random.default_rng(0)
    x, labels = draws.normal(size=(64, 1000)).astype(np.float32), draws.integers(-1000, 1000, 64)
    w, columns = wf.asarray(x), wf.asarray(labels)
    want = log_softmax(np, x)[np.arange(64), labels]
    for rows in (wf.arange(64), wf.arange(64, dtype="int32"), np.arange(64), wf.arange(128)[:64]):
        assert np.allclose(wf.one_kernel(log_softmax(wf, w)[rows, columns]), want, rtol=1e-5)
    for rows in (np.arange(64)[::-1], np.arange(64) - 64, np.arange(64) % 63, np.arange(64)[:, None]):
        assert np.allclose(log_softmax(wf, w)[wf.asarray(rows), columns], log_softmax(np, x)[rows, labels], rtol=1e-5)
    mask = np.zeros(1000, bool)
    mask[3:131:2] = True
    assert np.array_equal(w[wf.arange(64), wf.asarray(mask)], x[np.arange(64), mask])
    with pytest.raises(IndexError, match="axis 1 of extent 1000: got 1000"):
        w[wf.arange(64), columns * 0 + 1000]


def test_a_compiled_function_follows_the_rows_that_it_picks_from():
    rows, columns, x = wf.arange(6), wf.asarray([0, 1, 2, 3, 4, 0]), wf.asarray(np.random.default_rng(0).normal(size=(6, 5)))
    pick = wf.compile(lambda x: wf.exp(x)[rows, columns])
    assert np.allclose(pick(x), wf.exp(x)[rows, columns])
    rows[0] = 5
    assert np.allclose(pick(x), np.exp(x)[[5, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 0]])


def test_one_kernel_is_a_contract():
    x = wf.ones((64, 512))
    y = x - wf.mean(x, axis=1, keepdims=True)
    assert wf.one_kernel(y) is not None
    with pytest.raises(wf.Error, match="one_kernel"):
        wf.one_kernel(wf.ones((64, 64)) @ wf.ones((64, 64)) + wf.sum(wf.ones((64, 64)) @ wf.ones((64, 64))))
    x, narrow = wf.eval(wf.asarray(np.ones((64, 64)))), wf.eval(wf.asarray(np.ones((64, 64), np.float32)))
    with pytest.raises(wf.Error, match="one_kernel: the array must be one kernel: got 2 kernels and 1 library call") as told:
        wf.one_kernel(wf.exp(narrow * 2) @ x + 1)
    lines = str(told.value).splitlines()
    assert lines[1].startswith("advice: widened at test_session.py:")
    assert any(line.startswith("to change: ") and "a library " in line and "`sum(x * v, 1)`" in line for line in lines)


def test_threads_share_arrays():
    x = wf.arange(200_000) * 1.0
    results = []

    def work(k):
        for i in range(20):
            results.append(float((x * k + i).sum()) - 200_000 * i)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = float(np.arange(200_000.0).sum())
    assert sorted(results) == sorted(total * k for k in range(4) for _ in range(20))


def test_others_run_while_kernels_do():
    x = wf.full((4_000_000,), 0.5)
    ticks = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            ticks.append(1)

    thread = threading.Thread(target=count)
    y = x
    for _ in range(60):
        y = wf.sin(y) + wf.cos(y)
    thread.start()
    before = len(ticks)
    wf._core.eval([y])
    during = len(ticks) - before
    stop.set()
    thread.join()
    assert during > 1000


def test_a_number_of_a_line_is_one_argument_for_all_its_turns():
    x = wf.asarray(np.random.default_rng(5).normal(size=9000), device="cpu")
    total, wanted = x, np.asarray(x)
    for turn in range(6):
        total = total * 0.75 + wf.exp(x * 0.3125) - turn
        wanted = wanted * 0.75 + np.exp(np.asarray(x) * 0.3125) - turn
    graph = wf.show(total, "graph")
    # Both numbers once, and those of the last operand but the first, which is a zero.
    assert graph.count(" = scalar ") <= 2 + 6
    assert wf.show(total, "cpp").count("weft_exp_f64(v") == 1
    np.testing.assert_allclose(total, wanted, rtol=1e-12)


def test_numbers_that_are_equal_by_chance_do_not_compile_again_and_again():
    x = wf.asarray(np.linspace(0.5, 1.5, 9000))
    choices = np.random.default_rng(6).choice([0.5, 0.25, 0.125], size=(60, 5))
    before = wf.stats()["program_misses"]
    for factors in choices:
        y, wanted = x, np.asarray(x)
        for factor in factors:
            y = wf.sqrt(y) * float(factor) + 1.0
            wanted = np.sqrt(wanted) * factor + 1.0
        np.testing.assert_allclose(y, wanted, rtol=1e-12)
    assert wf.stats()["program_misses"] - before <= 5


@pytest.mark.parametrize("value", [0.0, -0.0, float("nan"), 1e300])
def test_equal_numbers_are_those_of_the_same_bits(value):
    x = wf.asarray(np.linspace(-2, 2, 9000))
    results = [wf.copysign(x, number) + 0.5 for number in (value, 0.0, value)]
    wf.eval(*results)
    for number, result in zip((value, 0.0, value), results):
        np.testing.assert_array_equal(result, np.copysign(np.asarray(x), number) + 0.5)


def gradients(x, dy):
    away = x - x.mean(axis=1, keepdims=True)
    h = away / wf.sqrt((away * away).mean(axis=1, keepdims=True) + 1e-5)
    return (dy * h).sum(axis=1), (dy * h).sum(axis=0), dy.sum(axis=0)


def test_several_arrays_are_held_to_one_kernel_shown_and_tuned_together():
    x, dy = (wf.asarray(np.random.default_rng(seed).normal(size=(300, 100))) for seed in (1, 2))
    want = [np.asarray(one) for one in gradients(x, dy)]
    several = gradients(x, dy)
    assert wf.show(several, "plan").count("\nschedule ") == 1
    assert "kernel 0: " in wf.tune(list(several), 0.05) and "kernel 1: " not in wf.tune(several, 0)
    launches = 1 + ("a second launch joins its parts" in wf.explain(*several))
    launched = wf.stats()["kernels_launched"]
    assert wf.one_kernel(*several) is not None and wf.stats()["kernels_launched"] == launched + launches
    for a, b in zip(several, want):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    assert wf.one_kernel(several, x) == (several, x) and wf.one_kernel() == ()
    assert wf.show([x, dy]) == "the value lies in memory: nothing to compute\n"
    with pytest.raises(wf.Error, match="one_kernel: the arrays must be one kernel together: got 2 kernels"):
        wf.one_kernel([x.sum(axis=0), (dy * 2)[::2]])
    with pytest.raises(TypeError, match="tune: takes arrays, or lists of them: got int"):
        wf.tune([x, 3])


def test_lines_of_a_notebooks_cells_have_the_cells_names(monkeypatch):
    class Shell:
        """What IPython has of a notebook's cells."""

        class compile:  # noqa: N801
            @staticmethod
            def format_code_name(file):
                return ("Cell", "In[7]") if file == "/tmp/ipykernel_1/88.py" else None

    stands_for_it = types.ModuleType("IPython")
    stands_for_it.get_ipython = Shell
    monkeypatch.setitem(sys.modules, "IPython", stands_for_it)
    names = {"wf": wf, "x": wf.asarray(np.ones(1000))}
    exec(compile("y = 1\nx = x * 2", "/tmp/ipykernel_1/88.py", "exec"), names)
    exec(compile("x = x + 1", "/tmp/ipykernel_1/89.py", "exec"), names)
    text = wf.explain(names["x"])
    assert "In[7]:2" in text and "89.py:1" in text and "88.py" not in text
    monkeypatch.setattr(stands_for_it, "get_ipython", lambda: object())  # another IPython
    exec(compile("x = x + 1", "/tmp/ipykernel_1/90.py", "exec"), names)
    assert "90.py:1" in wf.explain(names["x"])
