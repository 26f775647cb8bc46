"""In compiled functions: sorting, positions and different elements of a size that is said, and what a mask picks reduced or read."""

import ml_dtypes
import numpy as np
import pytest
import weft as wf

rng = np.random.default_rng(5)


def compiled(f, *args):
    """The function's result where it is recorded, and of other arguments of the same shapes."""
    g = wf.compile(f)
    g(*(wf.asarray(np.zeros_like(a)) for a in args))
    result = g(*(wf.asarray(a) for a in args))
    assert g.recordings == 1
    return result


def same(got, expected):
    np.testing.assert_array_equal(np.asarray(got), expected)


VALUES = {
    "f8": np.concatenate([rng.normal(size=40).round(1), [np.nan, -0.0, 0.0, np.inf, -np.inf, np.nan]]),
    "f4": rng.normal(size=33).round(1).astype("f4"),
    "f2": rng.normal(size=21).round(1).astype("f2"),
    "i8": rng.integers(-5, 5, 50) * 2**40,
    "u2": rng.integers(0, 9, 50).astype("u2"),
    "i1": rng.integers(-128, 127, 50).astype("i1"),
    "?": rng.integers(0, 2, 20).astype(bool),
    "c16": (rng.integers(0, 3, 20) + 1j * rng.integers(0, 3, 20)).astype("c16"),
    "long f8": rng.normal(size=3000),
    "long u1": rng.integers(0, 256, 5000).astype("u1"),
    "one": np.ones(1),
}


@pytest.mark.parametrize("name", VALUES)
def test_sort_and_argsort(name):
    a = VALUES[name]
    same(compiled(lambda x: wf.sort(x), a), np.sort(a, stable=True))
    same(compiled(lambda x: wf.argsort(x), a), np.argsort(a, stable=True))


def test_sort_of_other_axes_and_orders():
    a = rng.integers(0, 7, (6, 5, 4)).astype("f4")
    for axis in (0, 1, -1):
        same(compiled(lambda x: wf.sort(x, axis=axis), a), np.sort(a, axis))
    same(compiled(lambda x: wf.sort(x, axis=1, descending=True), a), -np.sort(-a, 1))
    same(compiled(lambda x: wf.sort(x, axis=None), a), np.sort(a, None))
    same(compiled(lambda x: wf.sort(x * 2 + 1).sum(axis=0), a), np.sort(a * 2 + 1).sum(axis=0))
    b = a.astype(ml_dtypes.bfloat16)
    same(np.asarray(compiled(lambda x: wf.sort(x), b)).astype("f4"), np.sort(a))


def test_order_statistics_and_searches():
    a = rng.normal(size=200)
    table = np.sort(rng.normal(size=30))
    same(compiled(wf.median, a), np.median(a))
    np.testing.assert_allclose(np.asarray(compiled(lambda x: wf.quantile(x, [0.1, 0.9]), a)), np.quantile(a, [0.1, 0.9]), rtol=1e-14)
    np.testing.assert_allclose(float(compiled(lambda x: wf.percentile(x, 30), a)), np.percentile(a, 30), rtol=1e-14)
    for side in ("left", "right"):
        same(compiled(lambda t, v: wf.searchsorted(t, v, side=side), table, a), np.searchsorted(table, a, side))
    same(compiled(lambda x, t: wf.isin(x, t), np.arange(9), np.array([3, 7, 7])), np.isin(np.arange(9), [3, 7]))
    same(compiled(lambda x: wf.partition(x, 20), a)[20], np.partition(a, 20)[20])


@pytest.mark.parametrize("size", [0, 1, 4, 9, 20])
def test_positions_of_a_size(size):
    a = np.array([[0, 3, 0], [1, 0, 5], [0, 0, 7]])
    expected = np.nonzero(a)

    def filled(row, fill):
        return np.concatenate([row[:size], np.full(max(0, size - row.size), fill)])

    for f in (lambda x: wf.nonzero(x, size=size, fill_value=-9), wf.compile(lambda x: wf.nonzero(x, size=size, fill_value=-9))):
        got = f(wf.asarray(a))
        for one, row in zip(got, expected, strict=True):
            same(one, filled(row, -9))
    same(compiled(lambda x: wf.flatnonzero(x, size=size), a), filled(np.flatnonzero(a), 0))
    same(compiled(lambda x: wf.argwhere(x, size=size), a), np.stack([filled(row, 0) for row in expected], 1))


def test_different_elements_of_a_size():
    a = np.array([3.0, 1.0, 3.0, np.nan, 1.0, np.nan])

    def f(x):
        return wf.unique(x, True, True, True, size=5, fill_value=-1)

    for got in (f(wf.asarray(a)), compiled(f, a)):
        values, index, inverse, counts = got
        same(values, [1, 3, np.nan, -1, -1])
        same(index[:3], [1, 0, 3])
        same(inverse, [1, 0, 1, 2, 0, 2])
        same(counts, [2, 2, 2, 0, 0])
    same(compiled(lambda x: wf.unique(x, size=2), np.array([[5, 2], [2, 9]])), [2, 5])
    same(compiled(lambda x: wf.unique(x, size=5), np.array([5, 2, 2])), [2, 5, 2, 2, 2])
    same(compiled(lambda x: wf.unique(x, equal_nan=False, size=4), a), [1, 3, np.nan, np.nan])


REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "mean", "var", "std"]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_of_what_a_mask_picks(name):
    a = rng.uniform(0.5, 1.5, (4, 5, 3))
    f = getattr(np, name)

    def close(got, expected):
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-13)

    row = np.array([True, False, True, True])
    close(compiled(lambda x: getattr(x[x > 1], name)(), a), f(a[a > 1]))
    close(compiled(lambda x: getattr((x[x > 1] * 2 - 1), name)(), a), f(a[a > 1] * 2 - 1))
    for axis in (None, 0, (0, 2)):
        close(compiled(lambda x, m: getattr(x[m != 0], name)(axis=axis), a, row), f(a[row], axis=axis))
    flat = a[:, :, 0] > 1
    for axis in (0, None, (0, 1)):
        for keepdims in (False, True):
            close(compiled(lambda x: getattr(x[x[:, :, 0] > 1], name)(axis=axis, keepdims=keepdims), a), f(a[flat], axis=axis, keepdims=keepdims))
    ints = rng.integers(0, 9, 30)
    close(compiled(lambda x: getattr(x[x % 2 == 0], name)(), ints), f(ints[ints % 2 == 0]))


def test_reductions_of_another_axis_stay_picked():
    a = rng.normal(size=(6, 4))

    def f(x):
        y = x[x[:, 0] > 0]
        return (y.sum(axis=1) * 2).max(), y.mean(axis=0), y.size

    best, means, size = compiled(f, a)
    picked = a[a[:, 0] > 0]
    np.testing.assert_allclose(float(best), (picked.sum(axis=1) * 2).max())
    np.testing.assert_allclose(np.asarray(means), picked.mean(axis=0))
    assert int(size) == picked.size


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "mean", "var", "std"])
def test_functions_of_what_a_mask_picks_do_what_its_methods_do(name):
    a = rng.normal(size=(20, 3)).round(2)
    of_weft, of_numpy = getattr(wf, name), getattr(np, name)
    for of, options in ((lambda x: x[x > 0.5], {}), (lambda x: x[:, 0][x[:, 1] > 0], {"axis": 0}), (lambda x: x[x[:, 0] > 0], {"axis": 0, "keepdims": True})):
        expected = of_numpy(of(a), **options)
        got = compiled(lambda x: of_weft(of(x), **options), a)
        assert got.shape == expected.shape and got.dtype == expected.dtype
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12)
    if name in ("sum", "mean", "var", "std"):
        assert compiled(lambda x: of_weft(x[x > 0.5], dtype="f4"), a).dtype == np.float32
    if name in ("var", "std"):
        np.testing.assert_allclose(float(compiled(lambda x: of_weft(x[x > 0.5], correction=1), a)), of_numpy(a[a > 0.5], ddof=1), rtol=1e-12)
    if name in ("sum", "max"):
        np.testing.assert_allclose(float(compiled(lambda x: of_weft(x[x > 0.5], initial=7.0), a)), of_numpy(a[a > 0.5], initial=7.0), rtol=1e-12)
    with pytest.raises(wf.Error, match="out= or where="):
        wf.compile(lambda x: of_weft(x[x > 0.5], where=x[0] > 0))(wf.asarray(a))


def test_of_nothing_picked_reductions_give_what_changes_none():
    a = wf.asarray(np.arange(4.0))
    g = wf.compile(lambda x: (x[x > 9].sum(), x[x > 9].max(), x[x > 9].min(), x[x > 9].mean()))
    total, most, least, mean = (float(one) for one in g(a))
    assert (total, most, least) == (0, -np.inf, np.inf) and np.isnan(mean)
    assert int(wf.compile(lambda x: x[x > 9].max())(wf.arange(3))) == np.iinfo("i8").min


def test_one_element_of_what_a_mask_picks():
    a = rng.normal(size=(20, 3))
    picked = a[a[:, 0] > 0]
    for i in (0, 2, -1, -3):
        same(wf.compile(lambda x: x[x[:, 0] > 0][i])(wf.asarray(a)), picked[i])
        same(wf.compile(lambda x: x[x > 0][i])(wf.asarray(a)), a[a > 0][i])
    same(wf.compile(lambda x: (x[x[:, 0] > 0] * 2)[1])(wf.asarray(a)), picked[1] * 2)


@pytest.mark.parametrize("i", [0, 1, 2, 3, -1, -2, -3, -4])
def test_an_element_that_is_not_picked_is_an_error_of_the_call(i):
    x = wf.arange(9.0)

    @wf.compile
    def f(x, least):
        x += 1
        return x[x > least][i]

    for least in (5.0, 6.0, 7.0, 8.0, 9.0):
        expected = np.arange(9.0)[np.arange(9.0) > least]
        count = expected.size
        if -count <= i < count:
            assert float(f(x - 1, least)) == expected[i]
            continue
        before = x - 1
        with pytest.raises(IndexError, match=f"what a mask picks, of {count} element.*got {i}"):
            f(before, least)
        assert before.tolist() == (np.arange(9.0) - 1).tolist()
    assert f.recordings == 1
    each = wf.vmap(lambda row: row[row > 2][i])
    if i in (0, -1):
        assert wf.compile(each)(wf.asarray([[3.0, 1], [2, 4]])).tolist() == [3, 4]
    with pytest.raises(IndexError, match="what a mask picks, of 0 elements"):
        wf.compile(each)(wf.asarray([[3.0, 1], [2, 1]]))


@pytest.mark.parametrize("f, says", [
    (lambda x: x[x > 0][:2], "for the first n"),
    (lambda x: x[x > 0], "reduce it, take one element by its number"),
    (lambda x: x[x > 0].sum(where=x > 1), "with out= or where="),
    (lambda x: wf.nonzero(x), "or give size=n"),
    (lambda x: wf.unique(x), "or give size=n"),
    (lambda x: x[x > 0] @ x[x > 0], "got a matrix product of it"), (lambda x: float(x[x > 0]), r"got float\(\) of it"), (lambda x: 3.0 in x[x > 0], "got `in` of it"),
    (lambda x: wf.nonzero(x, size=-1), "size is 0 or more: got -1"),
    (lambda x: wf.nonzero(x, size=1.5), "size is an integer: got float"),
    (lambda x: wf.unique(x, axis=0, size=2), "size goes with axis=None"),
    (lambda x: x[x > 0].sum(axis=1), "axis out of range"),
    (lambda x: wf.histogram(x, "auto"), "call it outside"),
])  # fmt: skip
def test_what_cannot_be_recorded_says_what_can(f, says):
    with pytest.raises((ValueError, TypeError, IndexError), match=says):
        wf.compile(f)(wf.arange(6.0))


def put_up_to_each(m, x):
    y = x * 0
    y[x > 2] = m.cumsum(x[x > 2])
    return y


OF_PICKS = [
    lambda m, x: m.count_nonzero(x[x > 2] - 5), lambda m, x: m.ptp(x[x > 2]), lambda m, x: m.average(x[x > 2]), lambda m, x: m.average(x[x > 2], weights=x[x > 2] ** 2), lambda m, x: m.average(x[x > 2], weights=(x * 0 + 2)[x > 2]), lambda m, x: m.average(1 / x[x > 0], weights=(x == x)[x > 0]),
    lambda m, x: m.median(x[x > 2]), lambda m, x: m.median(x[x > 2] ** 2, keepdims=True), lambda m, x: m.median(x[x < 2], axis=0), put_up_to_each,
]  # fmt: skip


@pytest.mark.parametrize("body", OF_PICKS, ids=range(len(OF_PICKS)))
@pytest.mark.parametrize("x", [[1.0, 5, 2, 7, 3, -1, 9], [1.0, np.nan, 3], [3.0, 4.0], [np.inf, 3, 5], [[3, np.inf], [np.inf, -1]], [1, 5, 7, 3]], ids=str)
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_functions_of_what_a_mask_picks(body, x):
    have = compiled(lambda a: body(wf, a), np.array(x))
    same(have, body(np, np.array(x)))


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_of_nothing_picked():
    x = np.zeros(3)
    assert np.isnan(compiled(lambda a: wf.median(a[a > 2]), x)) and compiled(lambda a: wf.count_nonzero(a[a > 2]), x) == 0
    for f, text in ((lambda a: wf.median(a[a > 2], 1), "median"), (lambda a: wf.cumsum(a[a > 2], out=a), "cumsum"), (lambda a: wf.median(a[a > 2] * 1j), "complex"),
                    (lambda a: wf.average(a[a > 2], weights=a), "weights")):
        with pytest.raises(wf.Error, match=f"what a mask picks.*{text}"):
            wf.compile(f)(wf.asarray(x))


SPREAD = [((1, 128), (64, 3), 1), ((128, 1), (3, 64), 0), ((64, 128), (1, 3), 1), ((1, 50, 1), (40, 70, 30), 1), ((50, 1, 1), (70, 40, 30), 0), ((64, 1), (64, 99), 0), ((1, 1), (64, 99), 1)]


@pytest.mark.parametrize("tier", ["blocks", "compile"])
@pytest.mark.parametrize(("shape", "at", "axis"), SPREAD)
def test_what_is_picked_along_an_axis_spreads_over_the_others(shape, at, axis, tier):
    """Either has extents of 1 where the other has more, and more elements than are interpreted."""
    x, index = rng.standard_normal(shape), rng.integers(-shape[axis], shape[axis], at)
    both = [max(a, b) for a, b in zip(shape, at)]
    wide, far = (np.broadcast_to(one, [*both[:axis], one.shape[axis], *both[axis + 1 :]]) for one in (x, index))
    expected = np.take_along_axis(wide, far, axis)
    with wf.set_tier(tier):
        np.testing.assert_array_equal(np.asarray(wf.take_along_axis(wf.asarray(x), wf.asarray(index), axis)), expected)
        np.testing.assert_array_equal(compiled(lambda x, i: wf.take_along_axis(x, i, axis), x, index), expected)
    counted = np.asarray(wf.grad(lambda x: wf.sum(wf.take_along_axis(x, wf.asarray(index), axis)))(wf.asarray(x)))
    wanted = np.zeros(wide.shape)
    places = list(np.indices(far.shape))
    places[axis] = far % shape[axis]
    np.add.at(wanted, tuple(places), 1)
    over = tuple(k for k in range(x.ndim) if k != axis and shape[k] == 1)
    np.testing.assert_array_equal(counted, wanted.sum(over, keepdims=True))
