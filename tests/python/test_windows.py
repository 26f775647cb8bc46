"""Programs that differ only in where slices start are one program: counts of programs in loops, and random programs of windows whose
starts change, beside NumPy's."""

import os

import numpy as np
import pytest
import weft as wf

BIG = 6000  # elements: what is smaller may be interpreted


def programs(f, *args):
    """How many programs a call makes."""
    before = wf.stats()["program_misses"]
    f(*args)
    return wf.stats()["program_misses"] - before


def test_minibatches_are_one_program(on_cpu):
    data = np.random.default_rng(0).random((64 * 40, 100))
    x, w = wf.asarray(data), wf.asarray(np.linspace(-1, 1, 100))

    def epoch():
        return [np.asarray(wf.tanh(x[k : k + 64] * w).sum(0)) for k in range(0, len(data), 64)]

    assert programs(epoch) == 1
    for k, got in enumerate(epoch()):
        np.testing.assert_allclose(got, np.tanh(data[64 * k : 64 * k + 64] * np.linspace(-1, 1, 100)).sum(0), rtol=1e-12)


def test_windows_in_several_axes_are_one_program(on_cpu):
    data = np.random.default_rng(1).random((30, 40, 50))
    x = wf.asarray(data)

    def walk():
        for i in range(10):
            for j in range(0, 20, 3):
                part = x[i : i + 15, j : j + 16, j : j + 30]
                got = np.asarray(wf.exp(part[1:, ::-1]) - part[:-1])
                want = data[i : i + 15, j : j + 16, j : j + 30]
                np.testing.assert_allclose(got, np.exp(want[1:, ::-1]) - want[:-1], rtol=1e-13, atol=1e-14)

    assert programs(walk) == 1


def test_how_windows_of_one_array_lie_to_each_other_is_a_part_of_the_program():
    data = np.random.default_rng(2).random(4 * BIG)
    x = wf.asarray(data)
    for apart in (0, 1, 7, BIG):
        for start in (0, 3, 64, 1000):
            got = np.asarray(x[start : start + BIG] - wf.sqrt(x[start + apart : start + apart + BIG]))
            np.testing.assert_array_equal(got, data[start : start + BIG] - np.sqrt(data[start + apart : start + apart + BIG]))


def test_rows_written_in_turn_are_one_program(on_cpu):
    rng = np.random.default_rng(3)
    data, more = rng.random((200, 3000)), rng.random((200, 3000))
    x, y = wf.asarray(data.copy()), wf.asarray(more)
    want = data.copy()

    def sweep():
        for i in range(1, 200):
            x[i] = x[i - 1] * 0.5 + wf.sin(y[i])
            if i % 10 == 0:
                wf.eval(x)

    assert programs(sweep) <= 4
    for i in range(1, 200):
        want[i] = want[i - 1] * 0.5 + np.sin(more[i])
    np.testing.assert_allclose(np.asarray(x), want, rtol=1e-12)


def test_a_scan_over_elements_makes_few_programs(on_cpu):
    n = 300

    def scan():
        x = wf.zeros(BIG)
        for i in range(1, n):
            x[i] = x[i - 1] + i
        return np.asarray(x)

    made = programs(scan)
    assert made <= 6
    np.testing.assert_array_equal(scan()[:n], np.cumsum(np.arange(n, dtype=float)))


def test_columns_written_in_turn_are_few_programs(on_cpu):
    rng = np.random.default_rng(6)
    data = rng.random((150, 12, 64))
    x = wf.asarray(data.copy())
    want = data.copy()

    def sweep():
        for k in range(1, 64):
            x[:, :, k] = x[:, :, k] - 0.5 * wf.cos(x[:, :, k - 1])
            if k % 4 == 0:
                wf.eval(x)

    assert programs(sweep) <= 4
    for k in range(1, 64):
        want[:, :, k] -= 0.5 * np.cos(want[:, :, k - 1])
    np.testing.assert_allclose(np.asarray(x), want, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("width", "most"), [(24, 4), (31, 4)])
def test_a_convolution_by_loops_is_cut_at_the_ends_of_rows(width, most, on_cpu):
    rng = np.random.default_rng(width)
    image, weights = rng.random((6, width + 2, width + 2, 3)), rng.random((3, 3, 3, 4))
    x, w = wf.asarray(image), wf.asarray(weights)

    def convolve(np_like, x, w):
        out = np_like.empty((6, width, width, 4))
        for i in range(width):
            for j in range(width):
                out[:, i, j, :] = np_like.sum(x[:, i : i + 3, j : j + 3, :, None] * w[None], axis=(1, 2, 3))
        return np.asarray(out)

    got = []
    assert programs(lambda: got.append(convolve(wf, x, w))) <= most
    np.testing.assert_allclose(got[0], convolve(np, image, weights), rtol=1e-12)


def test_memory_that_somebody_holds_is_not_written():
    data = np.random.default_rng(4).random((40, 2000))
    x = wf.asarray(data.copy())
    for i in range(0, 36, 5):
        old = x + 0
        wf.eval(old)
        whole, part = x[:], x[i : i + 2] * 2
        kept = wf.copy(x)
        x[i + 1 : i + 3] = wf.exp(x[i : i + 2])
        before = np.asarray(old).copy()
        want = before.copy()
        want[i + 1 : i + 3] = np.exp(before[i : i + 2])
        np.testing.assert_allclose(np.asarray(x), want, rtol=1e-14)
        np.testing.assert_array_equal(np.asarray(kept), before)
        np.testing.assert_array_equal(np.asarray(part), before[i : i + 2] * 2)
        np.testing.assert_array_equal(np.asarray(whole), np.asarray(x))


def test_numpys_memory_is_not_written():
    data = np.random.default_rng(5).random((40, 2000))
    before = data.copy()
    x = wf.asarray(data)
    for i in range(1, 39):
        x[i] += x[i - 1]
        wf.eval(x)
    np.testing.assert_array_equal(data, before)
    np.testing.assert_allclose(np.asarray(x), np.concatenate([before[:1].cumsum(0), before[:-1].cumsum(0)[1:], before[-1:]]), rtol=1e-13)


# ---- random programs

DTYPES = ("float64", "float32", "int64", "int16", "complex128", "bool")


def draw_range(rng, extent):
    """A slice of an axis, sometimes backwards, in steps, of one element or of none."""
    length = int(rng.integers(1, extent + 1))
    start = int(rng.integers(0, extent - length + 1))
    step = int(rng.choice([1, 1, 1, 2, -1, -3]))
    if rng.random() < 0.05:
        return start, start, 1
    if step > 0:
        return start, start + length, step
    return start + length - 1, start - 1, step


def as_slice(drawn, shift):
    start, stop, step = drawn
    stop += shift
    return slice(start + shift, stop if stop >= 0 else None, step)


def draw_program(rng):
    """Statements on three arrays: (target, its ranges, source, its ranges, another source), every range of one shape."""
    rank = int(rng.integers(1, 4))
    shape = {1: (3000,), 2: (60, 50), 3: (12, 20, 13)}[rank]
    statements = []
    for _ in range(int(rng.integers(1, 5))):
        whole = rng.random() < 0.15
        like = [(0, n, 1) if whole else draw_range(rng, n - 8) for n in shape]
        moved = []
        for (start, stop, step), n in zip(like, shape):
            room_below = min(start, stop + 1) if step < 0 else start
            room_above = n - 8 - (max(start, stop) + (1 if step < 0 else 0))
            by = int(rng.integers(-max(room_below, 0), max(room_above, 0) + 1)) if not whole else 0
            moved.append((start + by, stop + by, step))
        target, source, other = (int(k) for k in rng.integers(0, 3, 3))
        statements.append((target, like, source, moved, other, str(rng.choice(["set", "add", "read", "reduce"]))))
    return shape, statements


def run(np_like, arrays, statements, shift):
    seen = []
    for target, at, source, moved, other, what in statements:
        here = tuple(as_slice(r, s) for r, s in zip(at, shift))
        there = tuple(as_slice(r, s) for r, s in zip(moved, shift))
        value = np_like.maximum(arrays[source][there].real, arrays[other][here].real).astype(arrays[target].dtype)
        if what == "set":
            arrays[target][here] = value
        elif what == "add" and arrays[target].dtype != bool:
            arrays[target][here] += value
        elif what == "reduce":
            seen.append(value.real.sum())
        else:
            seen.append(value)
    return seen


@pytest.mark.parametrize("seed", range(int(os.environ.get("WEFT_TEST_EXAMPLES", "100"))))
def test_random_windows_are_numpys(seed):
    rng = np.random.default_rng(1000 + seed)
    shape, statements = draw_program(rng)
    dtypes = [str(rng.choice(DTYPES)) for _ in range(3)]
    if rng.random() < 0.5:
        dtypes = [dtypes[0]] * 3
    start = [(rng.integers(0, 2, shape) if d == "bool" else rng.integers(-50, 50, shape)).astype(d) for d in dtypes]
    ours, theirs = [wf.asarray(a.copy()) for a in start], [a.copy() for a in start]
    whole = any(r == (0, n, 1) for _, at, *_ in statements for r, n in zip(at, shape))
    for turn in range(4):
        shift = tuple(0 if whole else int(s) for s in rng.integers(0, 9, len(shape)))
        got, want = run(wf, ours, statements, shift), run(np, theirs, statements, shift)
        if rng.random() < 0.7 or turn == 3:
            wf.eval(*ours, *got)
        for g, w in zip(got, want):
            np.testing.assert_array_equal(np.asarray(g), w)
    for g, w in zip(ours, theirs):
        np.testing.assert_array_equal(np.asarray(g), w)


def test_a_value_that_is_what_an_array_was_stays_it_when_the_array_is_written_in_the_same_program():
    for n in (8, 257, 100_000):
        x = np.random.default_rng(1).integers(-4, 5, (2, n)).astype("f8")
        whole = wf.asarray(x.copy())
        row = whole[1]
        was = wf.maximum(row, row)  # simplified to the row
        row += was
        wf.eval(whole, was)
        np.testing.assert_array_equal(np.asarray(was), x[1])
        np.testing.assert_array_equal(np.asarray(whole), [x[0], 2 * x[1]])


@pytest.mark.parametrize("shape", [(60, 50, 40), (6, 50, 9), (8, 5, 6)])
def test_a_value_that_is_what_columns_were_stays_it_when_they_are_written_beside_the_array(shape):
    def columns(m, x):
        part = x[:, :, 3:5]
        was = m.maximum(part, part)
        part += was
        return [was]

    def themselves(m, x):
        part = x[:, :, 3:5]
        was = m.maximum(part, part)
        part[...] = m.minimum(part, part)
        return [was, part * 1]

    def twice(m, x):
        part = x[:, 3]
        was = m.maximum(part, part)
        same = m.minimum(was, part)
        part[:] = was * 2
        return [was, same]

    def turned(m, x):
        part = x[3:5, :, 2:4]
        was = m.maximum(part, part)
        part[::-1] = part + 1
        return [was[:, ::-1], was.T]

    def elements(m, x):
        part = x[5, 3:5, 2]
        was = m.maximum(part, part)
        part += was
        return [was]

    start = np.random.default_rng(1).integers(-9, 10, shape).astype("f8")
    for program in (columns, themselves, twice, turned, elements):
        ours, theirs = wf.asarray(start.copy()), start.copy()
        got, want = program(wf, ours), program(np, theirs)
        wf.eval(ours, *got)
        for g, w in zip([ours, *got], [theirs, *want]):
            np.testing.assert_array_equal(np.asarray(g), w, err_msg=program.__name__)
