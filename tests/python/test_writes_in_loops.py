"""Writes to parts of arrays in loops: chains of them beside NumPy, with looks between, and what they cost."""

import numpy as np
import pytest
import weft as wf
from hypothesis import given, settings
from hypothesis import strategies as st

# Around what is written at once (256), what is moved on the host (65,536), and what is computed in place (32 KiB).
EXTENTS = [1, 7, 255, 300, 5000, 70_000, 140_000]


@st.composite
def ranges(draw, extent):
    bound = st.none() | st.integers(-extent - 1, extent + 1)
    return slice(draw(bound), draw(bound), draw(st.sampled_from([None, 1, 2, 3, 7, -1, -2, -5])))


def same(ours, theirs):
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-12, atol=1e-12)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_chains_of_writes_with_looks_between(data):
    extent = data.draw(st.sampled_from(EXTENTS))
    start = np.linspace(-1, 1, extent)
    n, w = start.copy(), wf.asarray(start)
    held = []
    for _ in range(data.draw(st.integers(1, 8))):
        action = data.draw(st.sampled_from(
            ["fill", "scale", "copy", "shift", "mask", "element", "add.at", "equal", "clip", "hold", "sum", "item", "eval", "alias"]))
        if action == "fill":
            key, value = data.draw(ranges(extent)), data.draw(st.sampled_from([0.0, 1.5, -2.0]))
            n[key], w[key] = value, value
        elif action == "scale":
            key = data.draw(ranges(extent))
            n[key] *= 0.9
            w[key] *= 0.9
        elif action == "copy":
            key = data.draw(ranges(extent))
            value = np.arange(n[key].size) / 7
            n[key], w[key] = value, wf.asarray(value)
        elif action == "shift" and extent > 2:
            n[1:-1] = n[2:] + 0.5 * n[:-2]
            w[1:-1] = w[2:] + 0.5 * w[:-2]
        elif action == "mask":
            n[n > 0.5] = -0.25
            w[w > 0.5] = -0.25
        elif action == "element":
            at = data.draw(st.integers(-extent, extent - 1))
            n[at] = n[at - 1 if at > -extent else at] + 3
            w[at] = w[at - 1 if at > -extent else at] + 3
        elif action == "add.at":
            at = np.array(data.draw(st.lists(st.integers(-extent, extent - 1), min_size=1, max_size=5)))
            read_n, read_w = n[at], w[wf.asarray(at)]
            np.add.at(n, at, -0.5 * read_n)
            np.add.at(w, wf.asarray(at), -0.5 * read_w)
            held.append((read_w, read_n))
        elif action == "equal":
            n[::-1] = n.copy()
            w[::-1] = w + 0
        elif action == "clip":
            n, w = np.clip(n, -1, 1), wf.clip(w, -1, 1)
        elif action == "hold":
            key = data.draw(ranges(extent))
            held.append((w[key] + 1, n[key] + 1))
        elif action == "alias":
            held.append((w, n) if data.draw(st.booleans()) else (w[::2], n[::2]))
        elif action == "sum":
            same(float((w * w).sum()), (n * n).sum())
        elif action == "item":
            same(w[extent // 2], n[extent // 2])
        elif action == "eval":
            wf.eval(w)
    same(w, n)
    for ours, theirs in held:
        same(ours, theirs)


def loop(xp, turns, table, index):
    losses = []
    for t in range(turns):
        v = table[index[t]]
        loss = (v * v).sum()
        np.add.at(table, index[t], -0.05 * v)
        losses.append(float(loss))
    return losses


def test_a_look_computes_the_write_that_waits_for_the_same_memory():
    rows, width, turns = 20_000, 16, 12
    start = np.linspace(0, 1, rows * width).reshape(rows, width)
    index = np.random.default_rng(0).integers(0, rows, (turns, 64))
    expected = start.copy()
    losses = loop(np, turns, expected, index)
    table = wf.array(start)
    wf.eval(table)
    before = wf.device("cpu").memory_in_use
    same(loop(wf, turns, table, [wf.asarray(i) for i in index]), losses)
    assert wf.device("cpu").memory_in_use < before + start.nbytes
    same(table, expected)


def test_old_values_stay_what_they_were_where_the_write_is_computed_early():
    x = wf.array(np.arange(200_000.0))
    wf.eval(x)
    before, part = x + 1, x[10:20] * 2
    total = x.sum()
    x[5:150_000] = 0
    x += 1
    assert float(total) == np.arange(200_000.0).sum()
    same(before, np.arange(200_000.0) + 1)
    same(part, np.arange(10.0, 20) * 2)
    expected = np.arange(200_000.0)
    expected[5:150_000] = 0
    same(x, expected + 1)


def test_elements_that_were_read_find_the_same_program_whatever_they_are(on_cpu):
    x = wf.array(np.array([1.0, 2.0, 0.0, 3.5, 1.0, -1.0]))
    big = wf.array(np.linspace(0, 1, 3000))
    wf.eval(x, big)

    def turn(i):
        return np.asarray(big * x[i] + x[(i + 1) % 6])

    turn(3)
    before = wf.stats()["program_misses"]
    for i in range(6):
        np.testing.assert_allclose(turn(i), np.linspace(0, 1, 3000) * float(x[i]) + float(x[(i + 1) % 6]))
    assert wf.stats()["program_misses"] == before


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"])
def test_single_values_compute_as_numpys_do(dtype):
    values = [0, 1, 0, 1] if dtype == "bool" else [3, 5, 0, 100]
    n = np.array(values, dtype)
    w = wf.array(n)
    wf.eval(w)
    for i in range(4):
        for j in range(4):
            for how in (lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a == b, lambda a, b: a + 1, lambda a, b: a * 2.5, lambda a, b: 1 + a,
                        lambda a, b: a <= b, lambda a, b: a + True):
                with np.errstate(all="ignore"):
                    theirs = how(n[i], n[j])
                ours = how(w[i], w[j])
                assert ours.dtype == theirs.dtype and ours.ndim == 0
                np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-3 if dtype == "float16" else 1e-6)
    v = w[1]
    w[1] = 0
    assert v == n[1]
    with pytest.raises((TypeError, ValueError)):
        wf.add(1, 1, out=v)


def test_elements_out_of_range_and_of_the_wrong_kind_are_refused_as_ever():
    w = wf.zeros((3, 4))
    for key in ((3, 0), (0, -5), (0, 10**30)):
        with pytest.raises(IndexError):
            w[key]
        with pytest.raises(IndexError):
            w[key] = 1
    i = wf.zeros(4, dtype=wf.int8)
    with pytest.raises(OverflowError):
        i[1] = 300
    with pytest.raises(TypeError):
        i[1] = 1j
    frozen = wf.broadcast_to(wf.zeros(1), (4,))
    with pytest.raises((ValueError, wf.Error)):
        frozen[1] = 2


def test_a_long_list_of_sums_makes_kernels_that_are_alike(on_cpu, kernels_first):
    x = wf.array(np.linspace(0, 1, 90_000).reshape(300, 300))
    wf.eval(x)
    before = kernels_first() + wf.stats()["disk_hits"]
    sums = [wf.sum(x * (i + 1.5)) for i in range(96)]
    wf.eval(*sums)
    assert kernels_first() + wf.stats()["disk_hits"] - before <= 2
    np.testing.assert_allclose([float(s) for s in sums], [np.linspace(0, 1, 90_000).sum() * (i + 1.5) for i in range(96)], rtol=1e-12)


def test_a_write_waits_for_what_an_earlier_one_reads_of_the_same_memory():
    for size in (1, 64):
        theirs = [np.arange(30.0 * size * size).reshape(5 * size, 6 * size) + k * 1000 for k in range(2)]
        for a, b in (theirs, [wf.array(one) for one in theirs]):
            wf.eval(*(one for one in (a, b) if isinstance(one, wf.Array)))
            b[size : 3 * size, 3 * size :] = b[: 2 * size, : 3 * size] - 0
            b[size : 3 * size, : 3 * size] = a[: 2 * size, : 3 * size] - 0
            result = np.array(b)
            if isinstance(b, np.ndarray):
                expected = result
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "uint8"])
def test_ends_of_rows_are_written_once(dtype):
    """The last vector of a row may be computed again where it reads nothing that it wrote."""
    for n in (*range(1, 70), 127, 129, 1023):
        rows = max(2, 5000 // n)
        values = (np.arange(rows * (n + 2)) % 97).reshape(rows, n + 2).astype(dtype)
        x = wf.asarray(values.copy())
        y = x[:, 2:] + x[:, :-2] * 2
        x += 1  # in place, after y read it
        x[:, 1:-1] *= 3
        expected = values + np.ones(1, dtype)
        expected[:, 1:-1] *= 3
        np.testing.assert_array_equal(y, values[:, 2:] + values[:, :-2] * 2)
        np.testing.assert_array_equal(x, expected)
        x[:, :-1] = x[:, 1:] + x[:, :-1]  # reads beside what it writes
        expected[:, :-1] = expected[:, 1:] + expected[:, :-1]
        np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("shape", [(5000,), (70, 75), (25, 25, 25)])
@pytest.mark.parametrize("looks", [False, True])
def test_arrays_computed_from_each_other_in_turns(shape, looks):
    inner = (slice(1, -1),) * len(shape)
    lower, upper = (slice(None, -2), *inner[1:]), (slice(2, None), *inner[1:])

    def turns(xp):
        a = xp.asarray(np.arange(np.prod(shape), dtype="float64").reshape(shape) % 13)
        b, kept = a.copy(), []
        for k in range(30):
            b[inner] = a[lower] * 0.5 + a[upper] * 0.25
            a[inner] = b[upper] - b[inner] * 0.5
            if k % 7 == 3:
                kept.append(a * 1)
            if k % 11 == 5:
                a, b = b, a
            if looks and k % 5 == 2:
                float(a.sum())
        return [a, b, *kept]

    for have, want in zip(turns(wf), turns(np), strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-12)
