"""What is searched, told apart and selected in large arrays on the CPU, where Weft leaves less to NumPy than in small ones: NumPy's results, to the bit."""

import numpy as np
import pytest

import weft as wf

pytestmark = pytest.mark.usefixtures("on_cpu")

rng = np.random.default_rng(7)
DTYPES = ["int32", "int64", "uint32", "uint64", "float32", "float64"]
MANY = 70_000


def drawn(dtype, count=MANY, distinct=20_000):
    """With equal elements, and of floats both zeros, infinities and numbers of both signs."""
    x = rng.integers(0, distinct, count).astype(dtype)
    if np.dtype(dtype).kind == "f":
        x = (x - distinct // 2) / 8
        x[:4] = [-0.0, 0.0, np.inf, -np.inf][:count]
    return x


def same(got, expected):
    got = np.asarray(got)
    assert got.dtype == np.asarray(expected).dtype and got.shape == np.shape(expected)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_places_of_many_values(dtype, side):
    for table in (np.sort(drawn(dtype, 1000)), np.sort(drawn(dtype)), drawn(dtype, 1), drawn(dtype, 0)):
        values = drawn(dtype).reshape(7, -1)
        same(wf.searchsorted(wf.asarray(table), wf.asarray(values), side), np.searchsorted(table, values, side))
        same(wf.searchsorted(wf.asarray(table)[::-1][::-1], wf.asarray(values)[:, ::-1], side), np.searchsorted(table, values[:, ::-1], side))
    if dtype.startswith("float"):
        table, values = np.append(np.sort(drawn(dtype, 1000)), [np.nan, np.nan]).astype(dtype), np.where(rng.random(MANY) < 0.1, np.nan, 3).astype(dtype)
        same(wf.searchsorted(wf.asarray(table), wf.asarray(values), side), np.searchsorted(table, values, side))


def test_places_in_what_is_ordered_by_positions_and_of_other_dtypes():
    x, values = drawn("float64"), drawn("int64")
    order = np.argsort(x, kind="stable")
    same(wf.searchsorted(wf.asarray(x), wf.asarray(values), sorter=wf.asarray(order)), np.searchsorted(x, values, sorter=order))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_bins_of_many_values(dtype, right):
    x = drawn(dtype)
    for edges in (np.unique(drawn(dtype, 200)), np.unique(drawn(dtype, 200))[::-1].copy(), drawn(dtype, 1)):
        same(wf.digitize(wf.asarray(x), wf.asarray(edges), right), np.digitize(x, edges, right))
    with pytest.raises(ValueError, match="digitize: bins must be monoton"):
        wf.digitize(wf.asarray(x), wf.asarray(np.array([3, 1, 2], dtype)))


@pytest.mark.parametrize("right", [False, True])
def test_bins_of_a_compiled_functions_arguments(right):
    for dtype, edges in (("float64", [-1.0, 0.5, 0.5, 2.0]), ("float32", [3, 2, -1]), ("int64", [0.5, 1.0]), ("float64", [])):
        x = np.array([[-5, 0.5, 2], [1, 0, 3]]).astype(dtype)
        same(wf.compile(lambda y, edges=edges: wf.digitize(y, edges, right))(wf.asarray(x)), np.digitize(x, edges, right))
    with pytest.raises(wf.Error, match="digitize: looks at values"):
        wf.compile(wf.digitize)(wf.ones(3), wf.arange(3.0))
    with pytest.raises(wf.Error, match="digitize: looks at values"):
        wf.compile(lambda y: wf.digitize(y, [1.0, 0.0, 2.0]))(wf.ones(3))


@pytest.mark.parametrize("dtype", DTYPES)
def test_whether_many_values_are_among_few(dtype):
    x = drawn(dtype).reshape(7, -1)
    if dtype.startswith("float"):
        x[2, :5] = np.nan
    for few in (drawn(dtype, 500), x[:2, :9], x[:, :0], np.append(x[0, :5], x[2, :5])):
        for invert in (False, True):
            same(wf.isin(wf.asarray(x), wf.asarray(few), invert=invert), np.isin(x, few, invert=invert))


@pytest.mark.parametrize("equal_nan", [True, False])
@pytest.mark.parametrize("count", [MANY, 600_000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_different_elements_of_many(dtype, count, equal_nan):
    x = drawn(dtype, count)
    if dtype.startswith("float") and equal_nan:  # which of different NaNs is which is nobody's to say
        x[10:14] = np.nan
    w = wf.asarray(x).reshape(10, -1)
    for asked in ({}, {"return_counts": True}, {"return_inverse": True}, {"return_index": True, "return_inverse": True, "return_counts": True}):
        got, expected = wf.unique(w, **asked, equal_nan=equal_nan), np.unique(x.reshape(10, -1), **asked, equal_nan=equal_nan)
        for one, wanted in zip(got if asked else (got,), expected if asked else (expected,)):
            same(one, wanted)
    if np.isnan(x).any():
        assert int(np.isnan(np.asarray(wf.unique_values(w))).sum()) == 4
        return
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        for one, wanted in zip(getattr(wf, name)(w), getattr(np, name)(x.reshape(10, -1))):
            same(one, wanted)
    same(wf.unique_values(w), np.sort(np.unique_values(x)))


@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("dtype", [*DTYPES, "float16", "int8"])
def test_medians_and_quantiles_of_long_rows(dtype, with_nan):
    x = (rng.standard_normal((10, 7001)) * 100).astype(dtype)
    if with_nan and np.dtype(dtype).kind == "f":
        x[3, 5], x[4, -1] = np.nan, np.inf
    for shape, axis in (((10, 7001), 1), ((10, 7001), None), ((7001, 10), 0), ((70010,), None), ((2, 5, 7001), (0, 2))):
        a = x.reshape(shape)
        w = wf.asarray(a)
        for m, y in ((wf, w), (wf, w[..., ::-1])):
            b = a if y is w else a[..., ::-1]
            for keepdims in (False, True):
                same(m.median(y, axis, keepdims=keepdims), np.median(b, axis, keepdims=keepdims))
            for q in (0.0, 0.25, 1.0, np.array([0.9, 0.1, 0.5, 0.1001])):
                same(m.quantile(y, q, axis), np.quantile(b, q, axis))
            same(m.quantile(y, 0.3, axis, method="lower"), np.quantile(b, 0.3, axis, method="lower"))
            same(m.percentile(y, [5, 95], axis), np.percentile(b, [5, 95], axis))
    same(wf.nanmedian(wf.asarray(x).reshape(-1)), np.nanmedian(x.reshape(-1)))
    same(wf.nanquantile(wf.asarray(x), 0.2, 1), np.nanquantile(x, 0.2, 1))
    assert np.array_equal(np.asarray(w), a, equal_nan=True)
