"""sort and argsort beside NumPy's stable ones, bit for bit: every dtype, axis, layout, and what no order tells apart."""

import numpy as np
import pytest

import weft as wf

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
SHAPES = [(0,), (1,), (2,), (100,), (5000,), (70001,), (3, 0), (0, 3), (500, 33), (33, 500), (2, 3, 17000)]


def drawn(dtype, shape, rng):
    count = int(np.prod(shape))
    if dtype == "?":
        yield rng.integers(0, 2, shape).astype(bool)
    elif dtype[0] in "iu":
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
        yield values.reshape(shape)
        yield (values % 5).reshape(shape)
        yield np.where(rng.random(count) < 0.5, values % 3, info.max - values % 3).astype(dtype).reshape(shape)
    else:
        values = rng.standard_normal(count).astype(dtype)
        yield values.reshape(shape)
        few = np.round(values)
        yield few.reshape(shape)  # zeros of both signs
        if count:
            for one in (np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0):
                values[rng.integers(0, count, count // 7 + 1)] = one
        yield values.reshape(shape)


def check(got, want):
    got = np.ascontiguousarray(np.asarray(got))
    assert got.dtype == want.dtype and got.shape == want.shape
    assert got.tobytes() == np.ascontiguousarray(want).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_orders_are_those_of_numpys_stable_sort(dtype):
    rng = np.random.default_rng(3)
    for shape in SHAPES:
        for values in drawn(dtype, shape, rng):
            x = wf.asarray(values)
            for axis in range(values.ndim):
                check(wf.sort(x, axis), np.sort(values, axis, stable=True))
                check(wf.argsort(x, axis), np.argsort(values, axis, stable=True))
            check(wf.sort(x, None), np.sort(values, None, stable=True))
            check(wf.asarray(values), values)


def test_views_are_sorted_as_they_look():
    values = np.random.default_rng(4).integers(-50, 50, (60, 70)).astype("f4")
    x = wf.asarray(values)
    for view, its in ((x[::-2, 3:], values[::-2, 3:]), (x.T, values.T), (wf.broadcast_to(x[0], (4, 70)), np.broadcast_to(values[0], (4, 70)))):
        check(wf.sort(view, 0), np.sort(its, 0, stable=True))
        check(wf.argsort(view), np.argsort(its, stable=True))


def test_descending_keeps_equal_elements_in_order():
    values = np.array([2.0, 1.0, np.nan, 2.0, -0.0, 0.0, 1.0])
    x = wf.asarray(values)
    assert wf.argsort(x, descending=True).tolist() == [2, 0, 3, 1, 6, 4, 5]
    assert np.array_equal(np.asarray(wf.sort(x, descending=True)), values[[2, 0, 3, 1, 6, 4, 5]], equal_nan=True)


def test_in_place_and_for_bfloat16():
    x = wf.asarray(np.array([3, 1, 2], "i4"))
    x.sort()
    assert x.tolist() == [1, 2, 3]
    half = wf.astype(wf.asarray(np.array([3.0, np.nan, -1.0, 2.0], "f4")), wf.bfloat16)
    assert wf.argsort(half).tolist() == [2, 3, 0, 1]
    assert wf.astype(wf.sort(half), "float32")[:3].tolist() == [-1.0, 2.0, 3.0]


def test_what_numpys_sort_does_not_know_is_refused():
    x = wf.asarray(np.arange(3.0))
    with pytest.raises(ValueError, match="sort kind"):
        wf.sort(x, kind="fastest")
    with pytest.raises(ValueError, match="order"):
        wf.argsort(x, order="name")
    with pytest.raises(ValueError, match="axis"):
        wf.sort(x, axis=1)


def test_a_profile_names_the_sort(on_cpu):
    x = wf.asarray(np.random.default_rng(0).random(300_000))
    wf.eval(x)
    with wf.profile() as p:
        wf.eval(wf.sort(x))
    assert "library" in str(p) and "sort" in str(p)
