"""In compiled functions: NumPy's functions that look at values outside, in terms of Weft's own ops."""

import numpy as np
import pytest
import weft as wf

rng = np.random.default_rng(11)


def compiled(f, *args):
    """The function's result of other arguments than it was recorded for."""
    g = wf.compile(f)
    g(*(wf.asarray(np.roll(a, 1)) for a in args))
    result = g(*(wf.asarray(a) for a in args))
    assert g.recordings == 1
    return result


def flat(x):
    return [part for one in x for part in flat(one)] if isinstance(x, (list, tuple)) else [x]


def agrees(f, *args, rtol=1e-12):
    """f of the namespace gives, recorded, what it gives of NumPy."""
    got, expected = compiled(lambda *x: f(wf, *x), *args), f(np, *args)
    got, expected = (flat(one) for one in (got, expected))
    assert len(got) == len(expected)
    for one, two in zip(got, expected):
        two = np.asarray(two)
        assert one.dtype == two.dtype and one.shape == two.shape, (one.dtype, two.dtype, one.shape, two.shape)
        scale = np.nanmax(np.abs(two), initial=0, where=np.isfinite(two)) if two.dtype.kind in "fc" else 0
        tolerance = max(rtol, 0 if two.dtype.kind not in "fc" else 8 * np.finfo(two.dtype).eps)
        np.testing.assert_allclose(np.asarray(one), two, rtol=tolerance, atol=tolerance * float(scale))


a2, a1 = rng.normal(size=(9, 7)), rng.normal(size=40)
at = np.cumsum(rng.uniform(0.1, 1, 40))


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("f", [
    lambda np, x, e: np.gradient(x, edge_order=e), lambda np, x, e: np.gradient(x, 0.5, edge_order=e), lambda np, x, e: np.gradient(x, axis=1, edge_order=e),
    lambda np, x, e: np.gradient(x, 2, axis=(1, 0), edge_order=e), lambda np, x, e: np.gradient(x, 2.0, 0.25, edge_order=e),
    lambda np, x, e: np.gradient(x, at[:9], at[:7], edge_order=e), lambda np, x, e: np.gradient(x, [1, 2, 4, 8, 16, 32, 64], axis=-1, edge_order=e),
    lambda np, x, e: np.gradient((x * 100).astype("i4"), edge_order=e), lambda np, x, e: np.gradient(x.astype("f4"), edge_order=e),
    lambda np, x, e: np.gradient(x * (1 + 2j), edge_order=e),
])  # fmt: skip
def test_gradient(f, edge_order):
    agrees(lambda np, x: f(np, x, edge_order), a2)


def test_gradient_of_a_step_and_of_coordinates_that_are_arguments():
    agrees(lambda np, y, x: np.gradient(y, x), a1, at)
    g = wf.compile(lambda x, h: wf.gradient(x, h))
    for h in (0.5, 2.0):
        np.testing.assert_allclose(np.asarray(g(wf.asarray(a1), h)), np.gradient(a1, h), rtol=1e-13)
    assert g.recordings == 1
    with pytest.raises(ValueError, match="takes 3 elements at least"):
        wf.compile(lambda x: wf.gradient(x, edge_order=2))(wf.ones(2))
    with pytest.raises(ValueError, match="a coordinate for each of 3 elements"):
        wf.compile(lambda x: wf.gradient(x, wf.ones(4)))(wf.ones(3))


@pytest.mark.parametrize("f", [
    lambda np, x: np.cov(x), lambda np, x: np.cov(x, rowvar=False), lambda np, x: np.cov(x, bias=True), lambda np, x: np.cov(x, ddof=0), lambda np, x: np.cov(x[0]),
    lambda np, x: np.cov(x[0], x[1]), lambda np, x: np.cov(x, x[:2]), lambda np, x: np.cov(x, fweights=np.arange(1, 8)), lambda np, x: np.cov(x, aweights=np.arange(1, 8) / 3),
    lambda np, x: np.cov(x, fweights=np.arange(1, 8), aweights=np.arange(1, 8) / 3, ddof=2), lambda np, x: np.cov(x * (1 + 2j) + 1j * x**2),
    lambda np, x: np.cov(x.astype("f4"), dtype="f4"), lambda np, x: np.corrcoef(x), lambda np, x: np.corrcoef(x[0], x[1]), lambda np, x: np.corrcoef(x, rowvar=False),
    lambda np, x: np.corrcoef(x[0]), lambda np, x: np.corrcoef(x * (1 + 2j) + 1j * x**2),
])  # fmt: skip
def test_covariances(f):
    agrees(f, a2)


XP, FP = np.array([-2.0, -1.0, 0.5, 0.75, 3.0]), np.array([1.0, np.inf, -2.0, 4.0, 4.0])
X = np.array([-3.0, -2.0, -1.5, -1.0, 0.0, 0.5, 0.6, 0.75, 1.0, 3.0, 3.5, np.nan, np.inf, -np.inf])


@pytest.mark.parametrize("f", [
    lambda np, x: np.interp(x, XP, FP), lambda np, x: np.interp(x, XP, FP, left=-9, right=9.5), lambda np, x: np.interp(x.reshape(2, 7), XP, at[:5]),
    lambda np, x: np.interp(np.where(np.isfinite(x), x, 0), XP, at[:5], period=2.5), lambda np, x: np.interp(x, XP, at[:5] * (1 + 2j)),
    lambda np, x: np.interp(x, XP[:1], at[:1]),
], ids=range(6))  # fmt: skip
def test_interp(f):
    agrees(f, X)


def test_interp_of_points_that_are_arguments():
    agrees(lambda np, x, xp, fp: np.interp(x, xp, fp), a1, XP, at[:5])


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("sizes", [(40, 5), (40, 4), (5, 40), (4, 40), (6, 6), (1, 3), (7, 1)])
def test_convolve_and_correlate(mode, sizes):
    n, m = sizes
    x, y = rng.normal(size=n), rng.normal(size=m)
    agrees(lambda np, x, y: np.convolve(x, y, mode), x, y)
    agrees(lambda np, x, y: np.correlate(x, y, mode), x, y)
    agrees(lambda np, x, y: np.correlate(x * (1 + 2j), y * (3 - 1j) + 1j * y**2, mode), x, y)
    for dtype in ("i1", "f4", "?", "u2"):
        agrees(lambda np, x, y: np.convolve((x * 9).astype(dtype), (y * 9).astype("?" if dtype == "?" else "i1" if dtype == "i1" else dtype), mode), abs(x), abs(y))


COUNTED = np.concatenate([rng.normal(size=300), [0.0, 1.0, -1.0, 2.0]])


@pytest.mark.parametrize("f", [
    lambda np, x: np.histogram(x), lambda np, x: np.histogram(x, 7), lambda np, x: np.histogram(x, 5, (-1, 1)), lambda np, x: np.histogram(x, [-1, 0, 0.5, 1]),
    lambda np, x: np.histogram(x, 6, density=True), lambda np, x: np.histogram(x, 6, weights=x**2), lambda np, x: np.histogram(x.reshape(4, -1), 4, (-1, 1), weights=(x > 0).reshape(4, -1) * 1),
    lambda np, x: np.histogram((x * 3).astype("i4"), 5), lambda np, x: np.histogram(x * 0 + 2, 4), lambda np, x: np.histogram_bin_edges(x, 9),
    lambda np, x: np.histogram(x.astype("f4"), 8, (-2, 2)), lambda np, x: np.histogram2d(x, x**2), lambda np, x: np.histogram2d(x, x**2, (4, 5), [[-1, 1], [0, 2]]),
    lambda np, x: np.histogram2d(x, x**2, [3, [0, 1, 4]]), lambda np, x: np.histogram2d(x, -x, 6, density=True), lambda np, x: np.histogram2d(x, -x, 6, weights=x),
    lambda np, x: np.histogram2d(x, x, [-1, 0, 1]), lambda np, x: np.histogramdd(x.reshape(-1, 4), 3, [(-1, 1)] * 4), lambda np, x: np.histogramdd((x, x + 1, x - 1), (2, 3, 4)),
])  # fmt: skip
def test_histograms(f):
    agrees(f, COUNTED)


HOLES = np.where(rng.random((6, 5, 4)) < 0.3, np.nan, rng.normal(size=(6, 5, 4)))
HOLES[0, 0] = np.nan


@pytest.mark.filterwarnings("ignore:All-NaN")
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (2, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_order_statistics_of_what_is_not_nan(axis, keepdims):
    agrees(lambda np, x: np.nanmedian(x, axis=axis, keepdims=keepdims), HOLES)
    agrees(lambda np, x: np.nanquantile(x, [0.1, 0.5, 1], axis=axis, keepdims=keepdims), HOLES)
    agrees(lambda np, x: np.nanpercentile(x, 30, axis=axis, keepdims=keepdims), HOLES)


METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased",
           "normal_unbiased", "lower", "higher", "midpoint", "nearest"]  # fmt: skip
OF_VALUES = METHODS[3:]


@pytest.mark.parametrize("method", METHODS)
def test_methods_of_quantiles(method):
    for q in (0.0, 0.3, 0.5, [0.25, 0.9, 1.0]):
        agrees(lambda np, x: np.quantile(x, q, method=method), a1)
        agrees(lambda np, x: np.quantile(x, q, axis=0, method=method), a2)
        agrees(lambda np, x: np.percentile((x * 10).astype("i8"), 20, axis=1, method=method), a2)
        agrees(lambda np, x: np.quantile(x, 0.3, method=method), a1.astype("f4"), rtol=1e-6)
    if method in OF_VALUES:
        agrees(lambda np, x: np.nanquantile(x, [0.0, 0.25, 0.7, 1.0], axis=0, method=method), np.where(a2 > 1, np.nan, a2))


@pytest.mark.parametrize("axis", [(0, 1), (2, 0), (-1,), (0, 1, 2)])
def test_order_statistics_of_several_axes(axis):
    x = rng.normal(size=(8, 9, 7))
    for keepdims in (False, True):
        agrees(lambda np, x: np.median(x, axis=axis, keepdims=keepdims), x)
        agrees(lambda np, x: np.quantile(x, [0.2, 0.6], axis=axis, keepdims=keepdims), x)


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u1", "u8"])
def test_common_divisors(dtype):
    least = 0 if dtype[0] == "u" else -60
    x, y = (rng.integers(least, 100, 200).astype(dtype) for _ in range(2))
    x[:5], y[3:9] = 0, 0
    agrees(lambda np, x, y: np.gcd(x, y), x, y)
    agrees(lambda np, x, y: np.gcd(x, 12), x, y)
    if dtype[1] != "1":
        agrees(lambda np, x, y: np.lcm(x, y), x, y)


@pytest.mark.parametrize("f", [
    lambda np, x, y: np.polyfit(x, y, 3), lambda np, x, y: np.polyfit(x, y, 0), lambda np, x, y: np.polyfit(x, np.stack([y, y**2], 1), 2),
    lambda np, x, y: np.polyfit(x, y, 2, w=abs(x) + 1), lambda np, x, y: np.polyfit(x, y, 2, cov=True), lambda np, x, y: np.polyfit(x, np.stack([y, y**2], 1), 2, cov=True),
    lambda np, x, y: np.polyfit(x, y, 2, cov="unscaled"), lambda np, x, y: np.polyfit((x * 9).astype("i8"), (y * 9).astype("i8"), 2), lambda np, x, y: np.polyfit(x, y, 2, w=abs(y) + 1, cov=True),
])  # fmt: skip
def test_polyfit(on_cpu, f):  # a least-squares problem is LAPACK's
    agrees(f, at, a1, rtol=1e-9)


@pytest.mark.parametrize("f, says", [
    (lambda x: wf.polyfit(x, x, 1, full=True), "call it outside"), (lambda x: wf.polyfit(x, x[:2], 1), "as many values"), (lambda x: wf.polyfit(x, x, -1), "0 or more: got -1"),
    (lambda x: wf.histogram(x, "auto"), "call it outside"), (lambda x: wf.cov(x, fweights=x), "call it outside"), (lambda x: wf.interp(x, wf.ones(3), wf.ones(2)), "as many values as points"),
    (lambda x: wf.convolve(x, x, "some"), "mode is 'valid', 'same' or 'full': got 'some'"), (lambda x: wf.nanquantile(x, 2), "from 0 to 1: got 2"),
    (lambda x: wf.gcd(x, 2), "gcd: takes integers: got float64"), (lambda x: wf.histogram(x, 0), "takes a bin at least: got 0"),
])  # fmt: skip
def test_what_cannot_be_recorded_says_why(f, says):
    with pytest.raises((ValueError, TypeError), match=says):
        wf.compile(f)(wf.arange(6.0))
