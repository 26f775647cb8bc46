"""Positions of elements as arguments of vectorized functions, and functions of positions alone."""

import numpy as np
import pytest
import weft as wf

F = np.random.default_rng(5).normal(size=(7, 23)) * 3


def by_python(f, *arrays):
    """The function of NumPy's scalars, element by element."""
    return np.array([f(*one) for one in zip(*(x.ravel() for x in arrays))]).reshape(arrays[0].shape)


def ramp(x, i, j):
    return x + 10 * i + j if i > 0 else -x


def test_takes_positions_that_are_nowhere_stored():
    f = wf.vectorize(ramp)
    x, column = wf.asarray(F), wf.asarray(F[:, :1])
    i, j = np.indices(F.shape)
    want = by_python(ramp, F, i, j)
    np.testing.assert_array_equal(np.asarray(f(x, wf.index(0), wf.index(-1))), want)
    np.testing.assert_array_equal(np.asarray(f(x, j=wf.index(1), i=wf.index(-2))), want)
    said = wf.explain(wf.sum(f(x, wf.index(0), wf.index(1))))
    assert said.startswith("1 kernel") and f"{F.nbytes / 1000:.1f} kB read" in said
    # They count in what the others broadcast to.
    wide = wf.vectorize(lambda a, b, k: a * b + k)(column, x[0], wf.index(1))
    np.testing.assert_allclose(np.asarray(wide), F[:, :1] * F[0] + j, rtol=1e-15)
    assert f(wf.zeros((0, 3)), wf.index(0), wf.index(1)).shape == (0, 3)
    rows = wf.vmap(lambda v: f(v, wf.index(0), 0))(x)
    np.testing.assert_array_equal(np.asarray(rows), by_python(ramp, F, j, np.zeros_like(j)))
    np.testing.assert_array_equal(np.asarray(wf.compile(lambda v: f(v, wf.index(0), wf.index(1)))(x)), want)
    slope = wf.grad(lambda v: wf.sum(f(v, wf.index(0), 0)))(wf.ones(3))
    np.testing.assert_array_equal(np.asarray(slope), [-1, 1, 1])
    by_numpy = wf.vectorize(lambda a, k: a + float(str(int(k))), fallback=True)
    np.testing.assert_array_equal(np.asarray(by_numpy(x[0], wf.index(0))), F[0] + j[0])


def test_is_computed_of_a_grid():
    f = wf.vectorize(lambda i, j: i - j if i > j else 0)
    made = wf.fromfunction(f, (5, 7), dtype=int)
    i, j = np.indices((5, 7))
    np.testing.assert_array_equal(np.asarray(made), np.where(i > j, i - j, 0))
    assert wf.explain(wf.fromfunction(f, (50, 70), dtype=int)).startswith("1 kernel does 1 operation: 0 bytes read")


def test_refuses_positions_without_a_shape_or_an_axis():
    f = wf.vectorize(ramp)
    with pytest.raises(wf.Error, match=r"ramp: positions alone have no shape: call wf\.fromfunction\(ramp, shape, dtype=int\)"):
        f(wf.index(0), wf.index(1), 2)
    with pytest.raises(wf.Error, match=r"ramp: index\(2\): the arguments broadcast to \(3, 4\), which has 2 axes"):
        f(wf.ones((3, 4)), wf.index(2), 0)
    with pytest.raises(TypeError, match="integer"):
        wf.index(1.5)
    with pytest.raises(TypeError, match=r"wf\.index\(0\) is an argument of functions of numbers"):
        wf.add(wf.ones(3), wf.index(0))
    with pytest.raises(TypeError, match=r"wf\.index\(0\) is an argument of functions of numbers"):
        wf.vectorize(lambda a, b: a.sum() + b.sum(), signature="(n),(n)->()")(wf.ones(3), wf.index(0))
