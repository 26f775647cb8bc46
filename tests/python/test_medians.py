"""Medians of few elements, which a network of minima and maxima finds, beside NumPy's."""

import itertools
import warnings

import numpy as np
import pytest

import weft as wf
from weft._numpy.few import network

COUNTS = range(1, 33)
CASES = [((9, 40, 41), 0), ((40, 41, 9), -1), ((3, 50, 4, 30), (0, 2)), ((32, 1100), 0), ((1, 2000), 0), ((2, 2000), (0,)), ((3000, 5), 1), ((33, 2000), 0),
         ((5,), None), ((0, 5), 0), ((5, 0), 0), ((2000, 0), 1), ((4, 1, 1025), (-3, 1))]  # fmt: skip


@pytest.mark.parametrize("count", COUNTS)
def test_the_network_puts_the_middle_where_sorting_does(count):
    # What sorts zeros and ones sorts everything (Knuth, 5.3.4, theorem Z): all of up to 10, some of more.
    rng = np.random.default_rng(count)
    rows = np.array(list(itertools.product([0, 1], repeat=count))) if count <= 10 else rng.integers(0, 2, (4096, count))
    values = list(rows.T)
    wanted = tuple(sorted({(count - 1) // 2, count // 2}))
    for low, high, smaller, larger in network(count, wanted):
        one, two = values[low], values[high]
        values[low] = np.minimum(one, two) if smaller else None
        values[high] = np.maximum(one, two) if larger else None
    for at in wanted:
        np.testing.assert_array_equal(values[at], np.sort(rows, 1)[:, at])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u1", "i4", "i8", "u8", "?"])
@pytest.mark.parametrize("shape, axis", CASES)
def test_medians_are_numpys(dtype, shape, axis):
    rng = np.random.default_rng(7)
    a = rng.integers(0, 2, shape).astype("?") if dtype == "?" else (rng.normal(size=shape) * 50).astype(dtype)
    if a.dtype.kind == "f" and a.size > 20:
        for special in (np.nan, np.inf, -np.inf):
            a.reshape(-1)[rng.integers(0, a.size, a.size // 20)] = special
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # NumPy warns of what is empty, and of infinities
        for x, keepdims in itertools.product((a, a[..., ::-1]), (False, True)):
            want = np.median(x, axis, keepdims=keepdims)
            ours = wf.asarray(x)
            got = wf.median(ours, axis, keepdims=keepdims)
            assert got.dtype == want.dtype and got.shape == want.shape
            np.testing.assert_array_equal(got, want)
            if 0 < a.size // max(1, want.size) <= 32:
                compiled = wf.compile(lambda y, axis=axis, keepdims=keepdims: wf.median(y, axis, keepdims=keepdims))
                np.testing.assert_array_equal(compiled(ours), want)
                out = np.zeros_like(want)
                if out.ndim:
                    assert wf.median(ours, axis, out, True, keepdims) is out
                    np.testing.assert_array_equal(out, want)


def test_the_median_of_an_images_windows_is_one_kernel():
    image = np.random.default_rng(3).random((64, 65), "f4")
    ours = wf.asarray(image)
    windows = wf.lib.stride_tricks.sliding_window_view(ours, (3, 3))
    got = wf.median(windows, axis=(2, 3))
    before = wf.stats()["kernels_launched"]
    wf.eval(got)
    assert wf.stats()["kernels_launched"] == before + 1
    np.testing.assert_array_equal(got, np.median(np.lib.stride_tricks.sliding_window_view(image, (3, 3)), (2, 3)))


@pytest.mark.parametrize("axis, error", [(5, ValueError), ((0, 0), ValueError), ("x", TypeError), (0.5, TypeError)])
def test_axes_that_there_are_not_are_refused_as_by_numpy(axis, error):
    a = np.ones((3, 2000))
    with pytest.raises(error):
        np.median(a, axis)
    with pytest.raises(error, match="median"):
        wf.median(wf.asarray(a), axis)
