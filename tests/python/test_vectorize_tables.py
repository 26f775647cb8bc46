"""Tuples, lists and arrays from outside as tables: a text is made for their numbers, and elements are read at places that are computed."""

import math
import pickle

import numpy as np
import pytest
import weft as wf

EDGES = np.cumsum(np.arange(1.0, 30.0))
SHORT = (3, 1.5, -2)
rng = np.random.default_rng(11)


def search(x):
    low, high = 0, len(EDGES)
    while low < high:
        middle = (low + high) // 2
        if EDGES[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def test_a_binary_search_reads_its_table():
    x = np.append(rng.uniform(-5, 500, 200), EDGES)
    f = wf.vectorize(search)
    np.testing.assert_array_equal(np.asarray(f(wf.asarray(x))), np.searchsorted(EDGES, x))
    wf.one_kernel(wf.sum(f(wf.asarray(x) * 2)))


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 31, 256])
def test_every_place_has_its_element(count):
    table = rng.normal(size=count)
    f = wf.vectorize(lambda k: table[k])
    places = np.arange(-count, count)
    np.testing.assert_array_equal(np.asarray(f(wf.asarray(places))), table[places])
    # Those beyond are held to the axis, as positions of arrays are.
    np.testing.assert_array_equal(np.asarray(f(wf.asarray([-count - 1, -10**12, count, 10**12]))), table[[0, 0, -1, -1]])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float32", "float64", "complex64"])
def test_elements_have_the_dtype_of_their_array(dtype):
    table = np.array([0, 1, 3, 1]).astype(dtype)
    got = wf.vectorize(lambda k: table[k])(wf.asarray([3, 0, 2]))
    assert str(got.dtype) == dtype
    np.testing.assert_array_equal(np.asarray(got), table[[3, 0, 2]])


def test_places_are_integers_of_any_width_and_truths():
    for dtype in ("bool", "int8", "uint8", "uint64"):
        k = np.array([1, 0, 1], dtype)
        np.testing.assert_array_equal(np.asarray(wf.vectorize(lambda k: EDGES[k])(wf.asarray(k))), EDGES[k.astype(int)])
    with pytest.raises(wf.Error, match=r"an element of an array at a place of f64 cannot be compiled: write int\(…\) around the place"):
        wf.vectorize(lambda x: EDGES[x])(wf.ones(3))


def test_tuples_lists_and_matrices():
    pairs, matrix, inner = [(1.0, 2), (3.0, 4), (5.0, 6)], np.arange(12.0).reshape(3, 4), wf.asarray([1.0, 4.0, 9.0])

    def f(i, j):
        a, b = pairs[i]
        return matrix[i, j] + matrix[i][j + 1] + a * b + inner[i] + SHORT[i]

    i, j = np.array([0, 1, 2, -1, -2]), np.array([2, 0, 2, -4, 1])
    want = [matrix[p, q] + matrix[p][q + 1] + pairs[p][0] * pairs[p][1] + float(inner[int(p)]) + SHORT[p] for p, q in zip(i, j)]
    np.testing.assert_array_equal(np.asarray(wf.vectorize(f)(wf.asarray(i), wf.asarray(j))), want)


def test_a_table_may_change():
    table, shown, held = np.array([1.0, 2.0]), wf.asarray([1.0, 2.0]), [1.0, 2.0]
    for f, one in ((wf.vectorize(lambda k: table[k]), table), (wf.vectorize(lambda k: shown[k]), shown), (wf.vectorize(lambda k: held[k]), held)):
        compiled = wf.compile(lambda k, f=f: f(k) + 1)
        k = wf.asarray([0, 1])
        assert f(k).tolist() == [1, 2] and compiled(k).tolist() == [2, 3]
        one[0] = 5.0
        assert f(k).tolist() == [5, 2] and compiled(k).tolist() == [6, 3]


def test_derivatives_go_by_what_is_chosen():
    def spline(x):
        k = int(math.floor(x))
        return EDGES[k] + (EDGES[k + 1] - EDGES[k]) * (x - k)

    x = np.array([0.5, 3.25, 7.75])
    slope = wf.grad(lambda v: wf.sum(wf.vectorize(spline)(v)))(wf.asarray(x))
    np.testing.assert_allclose(np.asarray(slope), np.diff(EDGES)[x.astype(int)])
    chosen = wf.vectorize(lambda x, k: (x, x * x, 1.0)[k])
    slope = wf.grad(lambda v: wf.sum(chosen(v, wf.asarray([0, 1, 2]))))(wf.asarray([3.0, 3.0, 3.0]))
    np.testing.assert_array_equal(np.asarray(slope), [1, 6, 0])


def test_is_pickled_with_its_table():
    table, shown = np.array([1.0, 2.0]), wf.asarray([3.0, 4.0])
    f = pickle.loads(pickle.dumps(wf.vectorize(lambda k: table[k] + shown[k])))
    assert f(wf.asarray([1, 0])).tolist() == [6, 4]


def test_what_is_no_table_is_refused():
    long, empty, uneven, listed = np.arange(257), (), ((1, 2), 3), [0] * 256 + [1]
    days, words, rows = np.array(["2020-01-01"], "M8[D]"), np.array(["a"]), np.array([(1, 2.0)], "i4,f8")
    for f, message in [
        (lambda k: long[k], r"long, an array of 257 elements, cannot be compiled: give at most 256, or pass elements as an argument, as table\[positions\]"),
        (lambda k: listed[k], "an element of a list of 257 numbers at a place that is computed cannot be compiled: give at most 256"),
        (lambda k: days[k], r"days, of the dtype datetime64\[D\], cannot be compiled: convert it to numbers outside of the function"),
        (lambda k: words[k], "words, of the dtype <U1, cannot be compiled"),
        (lambda k: rows[k], "rows, of the dtype .*, cannot be compiled"),
        (lambda k: empty[k], "an element of a tuple without elements cannot be compiled"),
        (lambda k: uneven[k], "tuples of several lengths at a place that is computed cannot be compiled"),
        (lambda k: (math, math)[k], "of other things than numbers at a place that is computed cannot be compiled"),
    ]:
        with pytest.raises(wf.Error, match=message):
            wf.vectorize(f)(wf.asarray([0, 1]))


def test_no_derivative_is_lost_in_a_table():
    with pytest.raises(wf.Error, match="derivatives are wanted of"):
        wf.grad(lambda w: wf.sum(wf.vectorize(lambda k: w[k])(wf.asarray([0, 1]))))(wf.asarray([1.0, 2.0]))
