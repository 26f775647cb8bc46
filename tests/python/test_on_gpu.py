"""What is sorted, searched, counted and picked where arrays lie: against NumPy, by the CPU in a GPU's place, and on a GPU if there is one."""

import numpy as np
import pytest
import weft as wf
from weft._array import answered, indexing, sorting
from weft._numpy import by_numpy

GPU = "cuda:0"
DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


@pytest.fixture(params=["cpu", pytest.param(GPU, marks=pytest.mark.skipif(not wf.devices("cuda"), reason="no GPU: " + wf._core.no_cuda_because()))])
def there(request, monkeypatch):
    """The device; the CPU takes the ways of a GPU, and nothing is asked of NumPy."""
    for module in (answered, indexing, sorting):
        monkeypatch.setattr(module, "is_gpu", lambda device: device != "")
    for module in (answered, by_numpy):
        monkeypatch.setattr(module, "answered", None)
    with wf.device(request.param):
        yield request.param


@pytest.fixture
def by_digits(monkeypatch):
    monkeypatch.setattr(sorting, "_most_pairs", 1 << 10)


def values(dtype, shape, seed=0):
    """Random values, many of them equal, of floats many NaN, infinite and zeros of both signs."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        wide = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        return np.where(rng.random(shape) < 0.5, wide, rng.integers(0, 9, shape).astype(dtype))
    x = np.where(rng.random(shape) < 0.3, rng.integers(-3, 3, shape), rng.standard_normal(shape) * 10.0 ** rng.integers(-4, 4, shape))
    for special in (np.nan, np.inf, -np.inf, 0.0, -0.0):
        x = np.where(rng.random(shape) < 0.05, special, x)
    if dtype.kind == "c":
        parts = np.empty(shape, "complex128")
        parts.real, parts.imag = x, np.where(rng.random(shape) < 0.5, 1.0, values("float64", shape, seed + 1))
        x = parts
    return x.astype(dtype)


def same(got, want, signs=True):
    got = np.asarray(got)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got, want)
    if got.dtype.kind == "f" and signs:
        np.testing.assert_array_equal(np.signbit(got[got == 0]), np.signbit(want[want == 0]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_sorting_is_stable_with_nan_last(there, by_digits, dtype):
    for shape, axis in (((1000,), 0), ((5, 37), 1), ((300, 3, 2), 0), ((3, 200), -1), ((1,), 0), ((0,), 0), ((5, 0), 1)):
        a = values(dtype, shape)
        x = wf.asarray(a)
        same(wf.sort(x, axis), np.sort(a, axis, stable=True))
        same(wf.argsort(x, axis), np.argsort(a, axis, stable=True))
        backwards = np.flip(np.shape(a)[axis] - 1 - np.argsort(np.flip(a, axis), axis, stable=True), axis)
        same(wf.argsort(x, axis, descending=True), backwards)
        same(wf.sort(x, axis, descending=True), np.flip(np.sort(np.flip(a, axis), axis, stable=True), axis))


def test_short_rows_are_ranked_by_comparing_all(there):
    for dtype in ("float32", "int64", "complex64", "bool"):
        a = values(dtype, (40, 33))
        same(wf.argsort(wf.asarray(a), axis=0), np.argsort(a, 0, stable=True))
        same(wf.sort(wf.asarray(a)), np.sort(a, stable=True))


def test_a_long_row(there):
    a = values("float32", 100_000)
    same(wf.argsort(wf.asarray(a)), np.argsort(a, stable=True))
    same(wf.sort(wf.asarray(a)[::-2]), np.sort(a[::-2], stable=True))
    narrow = np.random.default_rng(0).integers(10**12, 10**12 + 5000, 100_000)
    same(wf.sort(wf.asarray(narrow)), np.sort(narrow))


def test_partitions_are_sorted(there):
    a = values("int32", (3, 50))
    same(np.partition(wf.asarray(a), 7), np.sort(a))
    same(wf.argpartition(wf.asarray(a), 2, 0), np.argsort(a, 0, stable=True))
    keys = values("int8", 200, 1) % 5, values("float32", 200, 2)
    same(wf.lexsort([wf.asarray(one) for one in keys]), np.lexsort(keys))


@pytest.mark.parametrize("dtype", DTYPES)
def test_different_values(there, by_digits, dtype):
    for shape in ((500,), (20, 30), (1,), (0,), ()):
        a = values(dtype, shape)
        x = wf.asarray(a)
        for got, want in zip(wf.unique_all(x), np.unique_all(a)):
            same(got, want)
        same(wf.unique_values(x), np.unique_all(a).values)
        same(wf.unique_counts(x).counts, np.unique_counts(a).counts)
        found = wf.unique_inverse(x)  # NumPy's is in no order of its own where NaN repeats
        np.testing.assert_array_equal(np.asarray(found.values)[np.asarray(found.inverse_indices)], a)
        if a.dtype.kind != "c":
            for got, want in zip(wf.unique(x, True, True, True), np.unique(a, True, True, True)):
                same(got, want)
            same(wf.unique(x), np.unique(a), signs=False)  # NumPy takes any of the zeros


@pytest.mark.parametrize("dtype", [one for one in DTYPES if one[0] != "c"])
def test_searching(there, dtype):
    a, v = np.sort(values(dtype, 1000)), values(dtype, (33, 30), 5)
    for n in (0, 1, 2, 3, 127, 128, 1000):
        for side in ("left", "right"):
            same(wf.searchsorted(wf.asarray(a[:n]), wf.asarray(v), side=side), np.searchsorted(a[:n], v, side))
    order = np.random.default_rng(0).permutation(1000)
    shuffled = np.empty_like(a)
    shuffled[order] = a
    same(wf.searchsorted(wf.asarray(shuffled), wf.asarray(v), sorter=wf.asarray(order)), np.searchsorted(a, v))
    if dtype != "bool":
        edges = np.unique(a[:40][~np.isnan(a[:40])])
        for right in (False, True):
            same(wf.digitize(wf.asarray(v), wf.asarray(edges), right), np.digitize(v, edges, right))
            same(wf.digitize(wf.asarray(v), wf.asarray(edges[::-1]), right), np.digitize(v, edges[::-1], right))


def test_sets(there):
    for dtype in ("int16", "float32", "bool"):
        a, b = values(dtype, 300), values(dtype, (7, 30), 9)
        x, y = wf.asarray(a), wf.asarray(b)
        same(wf.isin(y, x), np.isin(b, a))
        same(wf.isin(y, x, invert=True), np.isin(b, a, invert=True))
        same(wf.isin(y, wf.asarray(a[:0])), np.isin(b, a[:0]))
        for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
            a, b = a[a == a], b[b == b]
            same(getattr(wf, name)(wf.asarray(a), wf.asarray(b)), getattr(np, name)(a, b), signs=False)


def test_counting(there):
    rng = np.random.default_rng(1)
    for bins, count in ((1, 10), (5, 3000), (300, 3000), (100_000, 3000)):
        a = rng.integers(0, bins, count)
        same(wf.bincount(wf.asarray(a)), np.bincount(a))
        same(wf.bincount(wf.asarray(a.astype("uint8") if bins < 256 else a), minlength=bins + 3), np.bincount(a, minlength=bins + 3))
        weights = rng.random(count)
        got = np.asarray(wf.bincount(wf.asarray(a), wf.asarray(weights)))
        np.testing.assert_allclose(got, np.bincount(a, weights), rtol=1e-13)
    for dtype in ("float32", "float64", "int16"):
        a = values(dtype, 2000)
        a = a[np.isfinite(a)]
        for bins, span in ((10, None), (7, (-5, 5)), ([-3.0, -1.0, 0.0, 0.5, 8.0], None)):
            for density in (False, True):
                (counts, edges), want = wf.histogram(wf.asarray(a), bins, span, density), np.histogram(a, bins, span, density)
                np.testing.assert_allclose(np.asarray(counts), want[0], rtol=1e-14)
                np.testing.assert_array_equal(np.asarray(edges), want[1])


def test_shares_of_sorted_values(there):
    rng = np.random.default_rng(2)
    for dtype in ("float32", "float64", "int32", "float16"):
        a = (rng.standard_normal((9, 20, 4)) * 100).astype(dtype)
        tight = 2e-3 if dtype == "float16" else 1e-6 if dtype == "float32" else 1e-13
        if dtype[0] == "f":
            a[2, 3, 1] = np.nan
        for axis in (None, 0, 1, -1):
            for f, args in ((wf.median, ()), (wf.quantile, (0.3,)), (wf.quantile, (np.asarray([0.7, 0.2]),)), (wf.percentile, ([0, 25.0, 99.5, 100],))):
                for keepdims in (False, True):
                    got = np.asarray(f(wf.asarray(a), *args, axis=axis, keepdims=keepdims))
                    want = getattr(np, f.__name__)(a, *args, axis=axis, keepdims=keepdims)
                    assert got.dtype == want.dtype and got.shape == want.shape
                    np.testing.assert_allclose(got, want, tight, 200 * tight)


def test_positions_of_what_is_not_zero(there):
    a = values("float32", (6, 50, 3))
    a[np.random.default_rng(0).random(a.shape) < 0.6] = 0
    x = wf.asarray(a)
    for got, want in zip(wf.nonzero(x), np.nonzero(a)):
        same(got, want)
    same(wf.flatnonzero(x), np.flatnonzero(a))
    same(wf.argwhere(x), np.argwhere(a))
    same(wf.where(x > 0)[1], np.where(a > 0)[1])


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64"])
def test_additions_at_equal_positions(there, dtype):
    rng = np.random.default_rng(3)
    for shape, count in (((50,), 3000), ((1000,), 20), ((40, 5), 700)):
        a, v = rng.integers(0, 4, shape).astype(dtype), rng.integers(0, 4, (count, *shape[1:])).astype(dtype)
        i = rng.integers(-shape[0], shape[0], count)
        x = wf.asarray(a)
        np.add.at(x, wf.asarray(i), wf.asarray(v))
        np.add.at(a, i, v)
        wf.subtract.at(x, wf.asarray(i[:100]), wf.asarray(v[:100]))
        np.subtract.at(a, i[:100], v[:100])
        same(x, a)
    x, a = wf.zeros((4, 6)), np.zeros((4, 6))
    for key, value in (((slice(None), [0, 0, 2]), 1.5), (([1, 1], [2, 2]), 2), (slice(1, 3), 1), ((1, slice(None)), 4), (a < 2, 1)):
        np.add.at(x[:, ::-1], key, value), np.add.at(a[:, ::-1], key, value)
        same(x, a)


def test_sums_at_equal_positions_are_the_same_every_time(there):
    rng = np.random.default_rng(4)
    v, i = rng.standard_normal(20_000).astype("float32"), rng.integers(0, 7, 20_000)
    sums = []
    for _ in range(3):
        x = wf.zeros(7, "float32")
        np.add.at(x, wf.asarray(i), wf.asarray(v))
        sums.append(np.asarray(x))
    np.testing.assert_array_equal(sums[0], sums[1])
    np.testing.assert_array_equal(sums[0], sums[2])
    np.testing.assert_allclose(sums[0], [v[i == k].sum(dtype="float64") for k in range(7)], rtol=1e-4)


def test_positions_outside_are_errors_that_name_them(there):
    x = wf.zeros((5, 7))
    for index, got in (([4, 5], 5), ([-6, 0], -6), (np.array([0, 2**64 - 1], "uint64"), ""), (np.array([200], "uint8"), 200)):
        index = wf.asarray(np.asarray(index))
        with pytest.raises(IndexError, match=f"extent 5: got {got}"):
            x[index]
        with pytest.raises(IndexError, match="extent 5"):
            x[index] = 1
        with pytest.raises(IndexError, match="extent 5"):
            wf.take(x, index, 0)
        with pytest.raises(IndexError, match="extent 5"):
            np.add.at(x, index, 1)
    with pytest.raises(IndexError, match="extent 7"):
        x[wf.asarray([0]), wf.asarray([-8]) * 1]
    put = wf.compile(lambda x, i: np.add.at(x, i, 1))
    for index in ([0, 5], [-6]):
        with pytest.raises(IndexError, match="extent 5"):
            put(x, wf.asarray(index))
    assert not np.asarray(x).any()


def test_what_indices_pick(there):
    a = np.arange(2 * 3 * 40.0).reshape(2, 3, 40)
    x, i, j = wf.asarray(a), np.array([[1, -2, 0], [0, 0, -1]]), np.array([5, -40, 39])
    keys = [(i,), (i, slice(None), j), (slice(None), i, j), (Ellipsis, j), (i, j % 3, j), (a[:, :, 0] > 30, j[:1]), (a > 100,), (1, j % 3), (None, i)]
    for key in keys:
        own = tuple(wf.asarray(one) if isinstance(one, np.ndarray) else one for one in key)
        same(x[own], a[key])
        b, y = a.copy(), wf.asarray(a) + 0
        b[key] = y[own] = -1.0
        same(y, b)
    same(wf.take(x, wf.asarray(i), 2, mode="wrap"), np.take(a, i, 2, mode="wrap"))
    same(wf.take(x, wf.asarray(i - 9), mode="clip"), np.take(a, i - 9, mode="clip"))
    same(wf.compress(wf.asarray([True, False, True]), x, 1), np.compress([True, False, True], a, 1))
    for f in ("put", "putmask", "place"):
        b, y = a.copy(), wf.asarray(a) + 0
        where = j if f == "put" else a % 3 == 0
        getattr(np, f)(b, where, [1.0, 2.0]), getattr(wf, f)(y, wf.asarray(where), wf.asarray([1.0, 2.0]))
        same(y, b)
        turned = y.T
        getattr(wf, f)(turned, wf.asarray(where.T), 9.0), getattr(np, f)(b.T, where.T, 9.0)
        same(y, b)
