"""What is written to parts of arrays from maps of memory is computed op by op at once, with the bits of kernels, and makes no program."""

from itertools import product

import numpy as np
import pytest
import weft as wf

FRAME = "def body(X, a, b, c, m):\n    {}\n    return a, b\n"
STATEMENTS = [
    "a[3 : 3 + n] = b[:n] * c[1 : n + 1] + c[5 : n + 5]",
    "a[3 : 3 + n] -= b[:n] * c[2 * n + 1 : 1 : -2][:n]",
    "a[:n] = a[1 : n + 1] * 0.7 - b[:n] * a[2 : n + 2]",
    "a[:n] += a[:n][::-1] * b[:n] + X.square(c[:n])",
    "a[1 : n + 1] = 2.5 * (a[:n] + a[2 : n + 2]) - a[1 : n + 1]",
    "a[:n] = X.where(b[:n] > 0.1, X.exp(c[:n]), X.sqrt(X.abs(b[:n] - c[:n] * c[n : 2 * n])))",
    "m[:n, 1] -= m[:n, 0] * b[3]; a[:n] = m[:n, 1]",
    "a[:n] = (b[:n] * c[:n]) + (b[:n] * c[:n])",
    "t = a[:n] + b[:n]; a[1 : n + 1] = t * c[:n]; b[:n] = t * 3.0",
    "a[:n] = b[:n] / 2.0 + c[:n]; b[:n] = a[:n] ** 2 + c[:n]",
    "a[:n] = X.maximum(b[:n], c[:n]) - X.minimum(b[:n], -c[:n])",
    "m[2 : n + 2, :2] = m[1 : n + 1, 1:] * m[:n, :2] + m[2 : n + 2, :2]; a[:n] = m[2 : n + 2, 1]",
    "m[:n, :] = b[:n, None] * c[:3] + m[:n, :]; a[:n] = m[:n, 2]",
    "a[1 : n + 1] = 2 * b[1 : n + 1] - c[1 : n + 1] + 0.25 * (b[2 : n + 2] - 2 * b[1 : n + 1] + b[:n])",
    "t = 2.0 * b[:n]\n    a[:n] = t + (c[:n] - 2.0 * b[:n])",
    "a[:n] = (b[:n] * c[:n] + a[:n]) * (b[:n] * c[:n] + a[:n]) - c[1 : n + 1]",
    "a[:n] = (b[:n] * c[:n] + 1.5) - (c[:n] * b[:n] + 1.5) * a[:n]",
    "t = b[:n] * 3.0 - c[:n]; a[:n] = X.sqrt(X.abs(t)) + (b[:n] * 3.0 - c[:n]) * t; b[:n] = t",
    "a[1 : n + 1] = a[:n]; b[:n] = a[n : 2 * n]; m[:n, 1] = a[2 : n + 2]",
    "m[:n] = m[1 : n + 1, ::-1]; m[n : 2 * n : 2] = m[: n : 2]; a[:n] = m.T[1, :n]",
    "a[:n] = a[:n][::-1]; b[: 2 * n : 2] = c[:n]; c[:n] = 0.5 * b[n : 2 * n]",
]
# Slices of up to 256 elements are copied as they are read: nobody sees that these products are one.
OF_EQUAL_SLICES = [
    "t = b[:n] * c[:n]; a[:n] = t + (b[:n] * c[:n] - a[:n])",
    "a[:n] = 2 * b[:n] - (3 * b[:n] + (2 * b[:n] + (3 * b[:n] - 1.25 * c[:n] + 5.5 * a[:n]))) * 0.125",
]


def run(statement, library, arrays, n):
    names = {"n": n}
    exec(FRAME.format(statement), names)
    return names["body"](library, *arrays)


def given(n, dtype):
    random = np.random.default_rng(n)
    flat = [(random.random(2 * n + 40) - 0.5).astype(dtype) for _ in range(3)]
    return [*flat, (random.random((2 * n + 40, 3)) - 0.5).astype(dtype)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("statement", "n"),
    [*product(STATEMENTS, [1, 7, 16, 100, 300, 1500, 4096, 5000]), *product(OF_EQUAL_SLICES, [300, 1500, 4096, 5000])],
)
def test_have_the_bits_of_a_compiled_function(on_cpu, statement, n, dtype):
    arrays = given(n, dtype)
    theirs = run(statement, np, [x.copy() for x in arrays], n)
    ours = run(statement, wf, [wf.eval(wf.array(x)) for x in arrays], n)
    compiled = wf.compile(lambda *x: run(statement, wf, x, n))(*[wf.eval(wf.array(x)) for x in arrays])
    tolerance = 1e-5 if dtype == "float32" else 1e-13
    for mine, kernels, numpys in zip(ours, compiled, theirs):
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(kernels))
        np.testing.assert_allclose(np.asarray(mine), numpys, rtol=tolerance, atol=tolerance)


def test_integers_and_truths_wrap_and_divide_as_ever(on_cpu):
    for dtype in ("int8", "uint16", "int64"):
        x = np.arange(-5, 295).astype(dtype)
        y = wf.eval(wf.array(x))
        with np.errstate(all="ignore"):
            x[3:200] = x[2:199] * x[4:201] - x[100:297] // np.maximum(x[5:202] % 3, 1)
        y[3:200] = y[2:199] * y[4:201] - y[100:297] // wf.maximum(y[5:202] % 3, 1)
        np.testing.assert_array_equal(np.asarray(y), x)
    flags, ours = np.zeros(300, bool), wf.zeros(300, dtype=bool)
    values = np.linspace(-1, 1, 300)
    flags[10:290] = (values[:280] > 0) & ~flags[20:]
    ours[10:290] = (wf.asarray(values)[:280] > 0) & ~ours[20:]
    np.testing.assert_array_equal(np.asarray(ours), flags)


def gram_schmidt(np_, A):
    Q = np_.zeros_like(A)
    R = np_.zeros((A.shape[1], A.shape[1]), dtype=A.dtype)
    for k in range(A.shape[1]):
        R[k, k] = np_.sqrt(np_.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np_.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q @ R


def durbin(np_, r):
    y = np_.zeros_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np_.dot(np_.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np_.flip(y[:k])
        y[k] = alpha
    return y


def symm(np_, A):
    """Writes to columns of what is still to be computed, of ever other lengths."""
    C, t = A * 1.2, np_.empty_like(A[0])
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            C[:i, j] += A[i, j] * A[:i, 3]
            t[j] = A[:i, j] @ A[:i, 2]
        C[i, :] += A[i, :] * A[i, 1] + 1.5 * t
    return C


def test_parts_of_what_is_pending_are_written_at_once_in_a_loop(on_cpu):
    given = np.random.default_rng(1).random((45, 37))
    before = wf.stats()["program_misses"]
    ours = symm(wf, wf.eval(wf.array(given)))
    np.testing.assert_allclose(np.asarray(ours), symm(np, given), rtol=1e-12)
    assert wf.stats()["program_misses"] - before <= 2


@pytest.mark.parametrize(("program", "shape"), [(gram_schmidt, (70, 30)), (gram_schmidt, (400, 5)), (durbin, (400,))])
def test_loops_over_vectors_of_ever_other_lengths_make_no_program(on_cpu, program, shape):
    given = np.random.default_rng(1).random(shape) / 10
    ours = wf.eval(wf.array(given))
    before = wf.stats()
    result = program(wf, ours)
    after = wf.stats()
    np.testing.assert_allclose(np.asarray(result), program(np, given.copy()), rtol=1e-9, atol=1e-12)
    assert after["program_misses"] == before["program_misses"]


def test_a_range_that_is_written_a_thousand_times_is_recorded_from_then_on(on_cpu):
    theirs = np.random.default_rng(2).random((2, 2000)) / 4
    ours = [wf.eval(wf.array(x)) for x in theirs]

    def turns(count, x, y):
        for _ in range(count):
            y[1:-1] = 0.33 * (x[:-2] + x[1:-1] + x[2:])
            x[1:-1] = 0.33 * (y[:-2] + y[1:-1] + y[2:])
        return x

    def programs(count):
        before = wf.stats()
        np.testing.assert_allclose(np.asarray(turns(count, *ours)), turns(count, *theirs), rtol=1e-12)
        after = wf.stats()
        return sum(after[name] - before[name] for name in ("program_hits", "program_misses"))

    assert programs(900) == 0
    assert programs(200) > 0


def test_copies_between_parts_make_no_program(on_cpu):
    for dtype in ("float64", "complex64", "float16", "int8", "bool"):
        theirs = [np.arange(6000).astype(dtype).reshape(-1, 3) for _ in range(2)]
        ours = [wf.eval(wf.array(x)) for x in theirs]
        before = wf.stats()
        for x, y in (theirs, ours):
            for _ in range(3000):
                x[1:900] = y[:899]
            x[5:700, 1] = x[6:701, 0]
            y[1:1000] = y[:999]
        after = wf.stats()
        for mine, numpys in zip(ours, theirs):
            np.testing.assert_array_equal(np.asarray(mine), numpys)
        assert [after[name] - before[name] for name in ("program_hits", "program_misses")] == [0, 0]


def test_a_loop_of_one_line_is_computed_as_it_goes(on_cpu):
    theirs = np.random.default_rng(2).random((2, 40_000))
    (x, y), (a, b) = [wf.eval(wf.array(n)) for n in theirs], theirs

    def runs():
        return wf.stats()["kernels_launched"]

    seen = [runs()]
    for _ in range(4):
        for _ in range(2000): x[:30_000] *= y[1:30_001]; x[5:30_005] += 1.0
        seen.append(runs())
    for _ in range(8000): a[:30_000] *= b[1:30_001]; a[5:30_005] += 1.0
    np.testing.assert_allclose(np.asarray(x), a, rtol=1e-12)
    assert all(after > before for before, after in zip(seen, seen[1:]))


AT_POSITIONS = [
    "x[i] = v", "x[i] = 3", "x[i] += v", "x[i] *= 2", "x[i] = x[j]", "x[i] = x[j] - x[i]", "x[i] = v[0]", "x[j[0]] = v[1]",
    "np.add.at(x, i, v)", "np.add.at(x, i, 1)", "np.add.at(x, i, x[j])", "np.subtract.at(x, i, v)", "x[::-1][i] = v", "x[1:][i] = v",
    "y = x[i]; x[i] = v; x[j] += y", "y = x[:]; x[i] = y[j]", "x[i[::2]] = v[::2]", "x[i] = v[::-1]", "X.fill_diagonal(w, 7)", "X.fill_diagonal(w, v.reshape(-1)[:3])",
    "X.put(x, i, v)", "w[i % 3] = w[j % 3]", "w.T[i % 3] = 5", "w[:, i % 3] = 4", "x[i] = x",
]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "complex64", "int64", "int8", "uint16", "bool"])
@pytest.mark.parametrize("row", [(), (3,), (2, 2)])
@pytest.mark.parametrize("statement", AT_POSITIONS)
def test_writes_at_positions_are_numpys(statement, row, dtype):
    if dtype == "bool" and ("+=" in statement or "-" in statement or "*=" in statement or ".at(" in statement):
        return
    random = np.random.default_rng(3)
    n = 11
    i, j = random.integers(1 - n, n - 1, (2, n))
    theirs = [random.integers(0, 9, (n, *row)).astype(dtype) for _ in range(2)] + [random.integers(0, 9, (3, 3)).astype(dtype), i, j]
    ours = [wf.eval(wf.array(a)) for a in theirs]
    for library, (x, v, w, i_, j_) in ((np, theirs), (wf, ours)):
        exec(statement, {"X": library, "np": np, "x": x, "v": v, "w": w, "i": i_, "j": j_})
    for mine, numpys in zip(ours, theirs):
        np.testing.assert_array_equal(np.asarray(mine), numpys)


def test_writes_at_positions_make_no_program_and_refuse_what_lies_outside(on_cpu):
    random = np.random.default_rng(4)
    table, at, v = random.random((500, 4)), random.integers(-500, 500, 300), random.random((300, 4))
    ours, i, w = (wf.eval(wf.array(a)) for a in (table, at, v))
    before = wf.stats()["program_misses"]
    for turn in range(2, 50):
        table[at] -= 0.5 * v
        ours[i] -= 0.5 * w
        np.add.at(table, at, v * turn)
        np.add.at(ours, i, w * turn)
    np.testing.assert_allclose(np.asarray(ours), table, rtol=1e-12, atol=1e-12)
    assert wf.stats()["program_misses"] == before
    with pytest.raises(IndexError):
        ours[wf.asarray([1, 500])] = 1.0
    with pytest.raises(IndexError):
        np.add.at(ours, wf.asarray([-501]), 1.0)
    np.testing.assert_allclose(np.asarray(ours), table, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sums_at_positions_have_the_bits_of_large_ones(on_cpu, dtype):
    random = np.random.default_rng(5)
    at, v = random.integers(0, 7, 6000), random.random(6000).astype(dtype)
    whole, parts = (wf.eval(wf.zeros(7, dtype=dtype)) for _ in range(2))
    np.add.at(whole, wf.asarray(at), wf.asarray(v))
    for start in range(0, 6000, 1000):
        np.add.at(parts, wf.asarray(at[start : start + 1000]), wf.asarray(v[start : start + 1000]))
    np.testing.assert_array_equal(np.asarray(parts), np.asarray(whole))


@pytest.mark.parametrize("term", [lambda X, x, i: X.exp(x) * 2.5 + i, lambda X, x, i: i - x, lambda X, x, i: x - (i + 1), lambda X, x, i: x / (i + 5.5)])
def test_another_number_is_the_same_program(term):
    x = wf.eval(wf.asarray(np.linspace(0, 1, 5000)))
    before = wf.stats()["program_misses"]
    for i in range(-3, 4):
        np.testing.assert_allclose(np.asarray(term(wf, x, i)), term(np, np.asarray(x), i), rtol=1e-13, atol=1e-15)
    assert wf.stats()["program_misses"] - before <= 2  # 0 may be none


def test_a_nan_that_is_written_to_a_part_is_found(on_cpu):
    x, y = wf.eval(wf.ones(3000)), wf.eval(wf.zeros(3000))
    with wf.debug_nans(), pytest.raises(wf.Error, match=r"log\(-1\.0\)"):
        x[:2000] = wf.log(y[:2000] - 1)
        wf.eval(x)
