"""Arrays of positions that index again and again: what was found out about one of its values holds for that value alone."""

import numpy as np
import pytest
import weft as wf

SIZES = [1, 7, 100, 5000]
DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def positions(n, dtype):
    within = np.random.default_rng(n).integers(0, min(n, 100), n)
    if np.dtype(dtype).kind == "i":
        within[::2] -= min(n, 100)
    return within.astype(dtype)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_they_pick_and_are_written_to_as_numpys(n, dtype):
    t, k = np.arange(n) * 1.5, positions(n, dtype)
    x, i = wf.asarray(t), wf.asarray(k)
    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(x[i]), t[k])
        np.testing.assert_array_equal(np.asarray(wf.take(x, i)), t[k])
    x[i] = 2
    t[k] = 2
    x[i] = wf.asarray(t[k] * 3)
    t[k] = t[k] * 3
    np.testing.assert_array_equal(np.asarray(x), t)


@pytest.mark.parametrize("shape", [(6,), (6, 3), (6, 2, 2)])
@pytest.mark.parametrize("of", [(4,), (2, 3), (1, 1, 5)])
def test_every_rank_of_both(shape, of):
    t = np.arange(np.prod(shape)).reshape(shape)
    k = np.random.default_rng(1).permutation(6)[: np.prod(of)] if np.prod(of) < 6 else np.arange(6)
    k = k.reshape(of)
    x, i = wf.asarray(t), wf.asarray(k)
    np.testing.assert_array_equal(np.asarray(x[i]), t[k])
    values = t[k] + 100
    x[i] = wf.asarray(values)
    t[k] = values
    np.testing.assert_array_equal(np.asarray(x), t)
    x[i] = -1.0
    t[k] = -1.0
    np.testing.assert_array_equal(np.asarray(x), t)
    view, there = wf.asarray(t)[::-1], t.copy()[::-1]
    view[i] = 7
    there[k] = 7
    np.testing.assert_array_equal(np.asarray(view), there)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [5, 1000])
def test_every_position_is_looked_at(n, dtype):
    x = wf.arange(100.0)
    for place in (0, n // 2, n - 1):
        for bad in (100, 127) if np.dtype(dtype).kind == "u" else (100, -101, np.iinfo(dtype).min, np.iinfo(dtype).max):
            k = np.zeros(n, dtype)
            k[place] = bad
            for index in (wf.asarray(k), wf.asarray(np.repeat(k, 2))[::2]):
                with pytest.raises(IndexError, match=f"axis 0 of extent 100: got {bad}"):
                    x[index]
                with pytest.raises(IndexError, match=f"axis 0 of extent 100: got {bad}"):
                    x[index] = 1.0
    np.testing.assert_array_equal(np.asarray(x), np.arange(100.0))


def test_a_shorter_axis_is_another_question():
    k = wf.asarray(np.array([0, 50, -60]))
    wf.arange(100)[k]
    with pytest.raises(IndexError, match="extent 55: got -60"):
        wf.arange(55)[k]
    with pytest.raises(IndexError, match="extent 50: got"):
        wf.arange(50)[k]
    wf.arange(60)[k]


@pytest.mark.parametrize("write", ["one", "all", "in_place", "numpy", "view", "scatter"])
def test_what_is_written_to_them_is_looked_at(write):
    x, k = wf.arange(100.0), wf.asarray(np.arange(10))
    x[k], x[k]
    if write == "one" or k.device != "cpu" and write == "numpy":
        k[3] = 100
    elif write == "all":
        k[...] = wf.full((10,), 100)
    elif write == "in_place":
        k += 91
    elif write == "numpy" and k.device == "cpu":
        np.asarray(k)[3] = 100
    elif write == "view":
        k[2:5][1] = 100
    elif write == "scatter":
        k[wf.asarray([3])] = 100
    with pytest.raises(IndexError, match="got 100"):
        x[k]
    with pytest.raises(IndexError, match="got 100"):
        x[k] = 0
    np.testing.assert_array_equal(np.asarray(x), np.arange(100.0))


def test_numpy_writes_to_memory_that_was_lent_before(on_cpu):
    x, k = wf.arange(100.0), wf.asarray(np.arange(10))
    shown = np.asarray(k)
    x[k]
    shown[0] = 100
    with pytest.raises(IndexError, match="got 100"):
        x[k]
    shown[0] = 99
    np.testing.assert_array_equal(np.asarray(x[k]), [99, *range(1, 10)])


@pytest.mark.parametrize("value", [1 << 70, 300, -1])
def test_numbers_that_do_not_fit_write_nothing(value):
    x, k = wf.zeros(5, dtype="uint8"), wf.asarray([1, 2])
    with pytest.raises(OverflowError):
        x[k] = value
    np.testing.assert_array_equal(np.asarray(x), np.zeros(5))


def test_read_only_arrays_stay():
    x, k = wf.broadcast_to(wf.arange(3), (4, 3)), wf.asarray([1, 2])
    with pytest.raises(ValueError, match="read-only"):
        x[k] = 1


def test_recorded_functions_look_at_their_arguments():
    f = wf.compile(lambda x, k: x[k] * 2)
    x = wf.arange(10.0)
    np.testing.assert_array_equal(np.asarray(f(x, wf.asarray([1, 2]))), [2, 4])
    np.testing.assert_array_equal(np.asarray(f(x, wf.asarray([-1, 3]))), [18, 6])
    with pytest.raises(IndexError):
        f(x, wf.asarray([1, 10]))


# What is added, of each dtype that adds in place: an array of the target's dtype or of a narrower one, and numbers.
ADDED = {
    "same": lambda t, shape: (np.arange(np.prod(shape)) % 5).reshape(shape).astype(t.dtype),
    "narrower": lambda t, shape: (np.arange(np.prod(shape)) % 5).reshape(shape).astype("uint8"),
    "one row": lambda t, shape: np.ones(shape[-1:], t.dtype),
    "integer": lambda t, shape: 3,
    "true": lambda t, shape: True,
    "NumPy's scalar": lambda t, shape: t.dtype.type(2),
}


def added(t, k, values, at):
    """By NumPy, and by Weft's and NumPy's function over Weft's arrays."""
    x = wf.asarray(t)
    v = wf.asarray(values) if isinstance(values, np.ndarray) else values
    at(x, wf.asarray(k), v)
    return np.asarray(x)


@pytest.mark.parametrize("of", [(1,), (7,), (300,), (2, 3), (0,)])
@pytest.mark.parametrize("shape", [(6,), (6, 3), (6, 2, 2)])
@pytest.mark.parametrize("what", ADDED)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"])
def test_each_occurrence_of_a_position_counts(dtype, what, shape, of):
    if what == "narrower" and dtype == "int8":
        pytest.skip("uint8 is not narrower")
    t = (np.arange(np.prod(shape)) % 9).reshape(shape).astype(dtype)
    k = np.random.default_rng(len(of)).integers(-6, 6, of)
    values = ADDED[what](t, (*of, *shape[1:]))
    expected = t.copy()
    each = np.array(np.broadcast_to(values, (*of, *shape[1:]))) if isinstance(values, np.ndarray) else values  # NumPy misreads rows it repeats
    np.add.at(expected, k, each)
    for at in (np.add.at, wf.add.at):
        np.testing.assert_array_equal(added(t, k, values, at), expected)


@pytest.mark.parametrize("value", [1, 1.5, np.ones(3), np.ones(3, "float32")])
def test_sums_at_positions_out_of_range_or_of_higher_kinds_add_nothing(value):
    for dtype, k in (("float32", [0, 1, 6]), ("float32", [-7, 1, 2]), ("int32", [0, 1, 9])):
        x, t = wf.zeros(6, dtype=dtype), np.zeros(6, dtype)
        with pytest.raises((IndexError, TypeError)):
            np.add.at(t, k, value)
        with pytest.raises((IndexError, TypeError)):
            np.add.at(x, wf.asarray(k), wf.asarray(value) if isinstance(value, np.ndarray) else value)
        assert not np.asarray(x).any()


def test_sums_go_through_views_and_not_to_what_cannot_be_written():
    t = np.arange(12.0)
    x = wf.asarray(t)
    k = np.array([0, 0, -1])
    np.add.at(x[::-2], wf.asarray(k), 1.5)
    np.add.at(t[::-2], k, 1.5)
    np.testing.assert_array_equal(np.asarray(x), t)
    with pytest.raises(ValueError, match="read-only"):
        np.add.at(wf.broadcast_to(x[:1], (4,)), wf.asarray(k), 1.5)
    with pytest.raises((OverflowError, wf.Error)):
        np.add.at(wf.zeros(3, dtype="uint8"), wf.asarray(k), 300)


@pytest.mark.parametrize("value", [2, 0.5])
def test_a_compiled_function_adds_at_positions(value):
    @wf.compile
    def f(x, i):
        np.add.at(x, i, value)
        return x * 2

    k = np.array([1, 1, -1])
    for start in (0.0, 1.0):
        x, t = wf.full(5, start), np.full(5, start)
        np.add.at(t, k, value)
        np.testing.assert_array_equal(np.asarray(f(x, wf.asarray(k))), t * 2)
        np.testing.assert_array_equal(np.asarray(x), t)


@pytest.mark.parametrize("n", [0, 3, 20_000])
def test_bincount_leaves_what_it_counts(n):
    k = np.random.default_rng(0).integers(0, 50, n)
    w = np.random.default_rng(1).standard_normal(n)
    x, y = wf.asarray(k), wf.asarray(w)
    np.testing.assert_array_equal(np.asarray(wf.bincount(x)), np.bincount(k))
    np.testing.assert_allclose(np.asarray(wf.bincount(x, y, minlength=60)), np.bincount(k, w, 60), rtol=0, atol=1e-11)
    np.testing.assert_allclose(np.asarray(wf.bincount(x[::2], weights=y[::2])), np.bincount(k[::2], w[::2]), rtol=0, atol=1e-11)
    np.testing.assert_array_equal(np.asarray(x), k)
    np.testing.assert_array_equal(np.asarray(y), w)
