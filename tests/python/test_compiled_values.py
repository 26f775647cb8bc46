"""Compiled functions and numbers: how many recordings are kept, what results hold, and rules that depend on arguments' values."""

import gc
import math
import weakref

import numpy as np
import pytest
import weft as wf

KEPT = 16  # recordings of calls that differ in numbers alone


@pytest.mark.parametrize("number", [int, float, complex, np.float64, np.float32, np.int64, lambda k: (k, 1.5)])
def test_a_number_that_is_another_in_each_call_keeps_a_few_recordings(number):
    bodies = []

    @wf.compile
    def f(x, n):
        bodies.append(hash(n))  # which asks for its value
        return x + (n[0] if isinstance(n, tuple) else n)

    x = wf.ones(40)
    for k in range(3 * KEPT):
        assert f(x, number(k)).tolist() == [1 + k] * 40
    assert len(bodies) == 3 * KEPT
    for k in range(2 * KEPT, 3 * KEPT):
        assert f(x, number(k)).tolist() == [1 + k] * 40
    assert len(bodies) == 3 * KEPT
    assert f(x, number(0)).tolist() == [1] * 40
    assert len(bodies) == 3 * KEPT + 1


def test_what_recordings_hold_is_freed_with_them():
    class Key:
        pass

    f = wf.compile(lambda x, key: x + 1)
    alive = []
    for _ in range(4 * KEPT):
        key = Key()
        alive.append(weakref.ref(key))
        f(wf.ones(3), key)
    del key
    gc.collect()
    assert sum(one() is not None for one in alive) <= KEPT


def test_not_a_number_is_one_number():
    bodies = []

    @wf.compile
    def f(x, n):
        bodies.append(1)
        return x * n

    for nan in (math.nan, float("nan"), np.float64("nan"), np.float64(math.nan), complex("nan")):
        f(wf.ones(3), nan)
    assert len(bodies) == 3  # a float, one of NumPy's, a complex one


def test_shapes_that_drift_keep_a_bounded_number_of_recordings():
    made = []

    class Key:
        pass

    f = wf.compile(lambda x, key: x)
    for n in range(400):
        key = Key()
        made.append(weakref.ref(key))
        f(wf.zeros(n), key)
    del key
    gc.collect()
    assert sum(one() is not None for one in made) <= 256


@pytest.mark.parametrize("scalar", [np.float64(3.5), np.float32(0.1), np.int8(-3), np.bool_(True), np.complex64(1 + 2j), np.str_("a"), np.datetime64("2020-01-01")])
def test_results_may_hold_numpys_scalars(scalar):
    alone, beside = wf.compile(lambda x: scalar), wf.compile(lambda x: {"a": (x + 1, scalar)})
    for _ in range(2):
        got = alone(wf.ones(3))
        assert got == scalar and type(got) is type(scalar)
        given = beside(wf.ones(3))["a"]
        assert given[0].tolist() == [2] * 3 and type(given[1]) is type(scalar) and given[1] == scalar


def test_a_record_of_numpys_can_be_written_and_is_no_result():
    record = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])[0]
    with pytest.raises(TypeError, match="got void"):
        wf.compile(lambda x: record)(wf.ones(3))


@pytest.mark.parametrize("power", ["x ** y", "wf.power(x, y)", "np.power(x, y)", "2 ** y", "x.__ipow__(y)", "wf.power(2, y)", "x[:3] ** y[1:]", "x ** (y - 1 + 1)"])
@pytest.mark.parametrize("dtype", ["int64", "int32", "int8"])
def test_whole_powers_of_arguments_are_looked_at_in_each_call(power, dtype):
    f = eval(f"lambda x, y: {power}", {"wf": wf, "np": np})
    compiled = wf.compile(f)
    x, y = np.arange(4).astype(dtype), np.array([3, 0, 2, 1]).astype(dtype)
    for _ in range(2):
        got, want = compiled(wf.array(x), wf.array(y)), eval(power.replace("wf", "np"), {"np": np, "x": x.copy(), "y": y})
        np.testing.assert_array_equal(np.asarray(got), want)
    given = wf.array(x)
    with pytest.raises(wf.Error, match="pow: integers to negative integer powers are not integers: got .* and -4"):
        compiled(given, wf.array((-np.arange(1, 5)).astype(dtype)))
    np.testing.assert_array_equal(given, x)  # nothing was written
    assert compiled(wf.array(x[:0]), wf.array(y[:0])).shape == (0,)


@pytest.mark.parametrize(
    "program",
    ["g[m] = xp.sqrt(xp.maximum(x[m] ** 2, x[m]))", "g[m] = xp.exp(-x[m]) + y[m]", "x[m] = xp.minimum(y[m], 2.5)", "x[m] = np.maximum(np.abs(x[m]), 3)", "g[m] = np.arctan2(y[m], x[m])",
     "k[m] = j[m] ** k[m]", "k[m] = xp.power(j[m], k[m])", "k[m] = np.power(2, k[m])", "g[m] = xp.hypot(3, y[m])", "t = x[m]; t = xp.floor(t) + xp.isnan(t); g[m] = t", "g[m] = np.float64(2) * x[m]"],
)  # fmt: skip
def test_functions_of_what_a_mask_picks_are_recorded(program):
    scope = {"np": np, "xp": np}
    exec("def f(x, y, g, j, k, m):\n " + "\n ".join(program.split("; ")), scope)
    plain, scope = scope["f"], {"np": np, "xp": wf}
    exec("def f(x, y, g, j, k, m):\n " + "\n ".join(program.split("; ")), scope)
    recorded = wf.compile(scope["f"])
    for mask in ([True, False, True, False], [True, True, False, False], [False] * 4):
        theirs = [np.array([1.0, -2.0, 3.5, 4.0]), np.array([0.5, 1.5, 2.5, -3.5]), np.zeros(4), np.array([2, 3, 4, 5]), np.array([1, 2, 3, -4]), np.array(mask)]
        ours = [wf.array(one) for one in theirs]
        plain(*theirs)
        recorded(*ours)
        for got, want in zip(ours, theirs):
            np.testing.assert_allclose(got, want, rtol=1e-14)


def test_positions_are_counted_in_compiled_functions():
    x, weights = wf.array([1, 3, 3, 6]), wf.array([0.5, 1.0, 2.0, 4.0])
    count = wf.compile(lambda x: wf.bincount(x, minlength=8))
    weigh = wf.compile(lambda x, w: wf.bincount(x, w, 8))
    for _ in range(2):
        np.testing.assert_array_equal(count(x), np.bincount(np.asarray(x), minlength=8))
        np.testing.assert_array_equal(weigh(x, weights), np.bincount(np.asarray(x), np.asarray(weights), 8))
    assert count(x).dtype == wf.bincount(x).dtype and count(x[:0]).tolist() == [0] * 8
    for wrong in ([1, 8], [-1, 2]):
        with pytest.raises(IndexError, match="bincount: position out of range"):
            count(wf.array(wrong + [0, 0]))
    with pytest.raises(wf.Error, match="bincount: .* give minlength"):
        wf.compile(lambda x: wf.bincount(x))(x)
    with pytest.raises(TypeError, match="bincount: takes one axis of integers"):
        wf.compile(lambda x: wf.bincount(x, minlength=3))(weights)


@pytest.mark.parametrize("shape", [(8,), (7,), (3, 4), (2, 5, 0)])
@pytest.mark.parametrize("axes", [None, 0, -1, (0, -1), ()])
@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_frequencies_are_shifted_as_numpy_does_compiled_too(name, shape, axes):
    a = np.arange(float(np.prod(shape))).reshape(shape)
    want = getattr(np.fft, name)(a, axes)
    shift = getattr(wf.fft, name)
    np.testing.assert_array_equal(shift(wf.array(a), axes), want)
    np.testing.assert_array_equal(wf.compile(lambda x: shift(x, axes))(wf.array(a)), want)


LOOKS = [
    "unique(x)", "nonzero(x)", "flatnonzero(x)", "argwhere(x)", "digitize(x, x[0])", "histogram(x, 'auto')", "cov(x, fweights=x[0])",
    "polyfit(x[0], x[1], 1, full=True)", "quantile(x[0], 0.5, weights=x[1], method='inverted_cdf')", "trim_zeros(x)", "allclose(x, x)", "array_equal(x, x)", "compress(x[0], x)", "intersect1d(x, x)",
    "roots(x[0])", "bincount(x[0].astype('i8'))",
]  # fmt: skip


@pytest.mark.parametrize("look", LOOKS)
def test_a_function_that_looks_at_arguments_is_named_with_a_substitute(look):
    f = eval(f"lambda x: wf.{look}", {"wf": wf})
    name = look.split("(")[0].rpartition(".")[2]
    f(wf.eye(4) * 3)  # it does so outside
    with pytest.raises(wf.Error, match=rf"^{name}: looks at values, and a compiled function's arguments have none while it is recorded: got .*: (call|write|its|how) .*"):
        wf.compile(f)(wf.eye(4) * 3)


def test_a_look_of_any_other_kind_is_told_what_to_write_instead():
    with pytest.raises(wf.Error, match=r"have no values while it is recorded.*write where\(condition, a, b\), or look outside"):
        wf.compile(lambda x: x if x.sum() > 0 else -x)(wf.ones(3))


def test_arrays_are_made_of_lists_of_what_is_recorded():
    def f(x, a):
        return wf.asarray([wf.sin(x.sum()), a, 1.0]), wf.array([[x[0], a], [1, 2]]), wf.array([a, 2 * a], dtype="float32"), wf.array((x, x * 2)), wf.array([x[0] > 0, True])

    g, x = wf.compile(f), wf.arange(3.0)
    for a in (2.0, 4.0):
        for have, want in zip(g(x, a), f(x, a), strict=True):
            assert have.dtype == want.dtype and have.tolist() == want.tolist()
    assert g.recordings == 1
    with pytest.raises(wf.Error, match="shapes differ"):
        wf.compile(lambda x: wf.array([x, x[:1]]))(x)
    with pytest.raises(ValueError, match="can only be copied"):
        wf.compile(lambda x: wf.asarray([x[0]], copy=False))(x)


def test_arrays_are_made_of_lists_of_what_is_derived():
    assert wf.grad(lambda x: wf.array([x[0] * 2, x[1] ** 2, 3.0]).sum())(wf.asarray([1.0, 5.0])).tolist() == [2.0, 10.0]
    turned = wf.jacrev(lambda t: wf.array([[wf.cos(t), -wf.sin(t)], [wf.sin(t), wf.cos(t)]]))(0.3)
    np.testing.assert_allclose(turned, [[-np.sin(0.3), -np.cos(0.3)], [np.cos(0.3), -np.sin(0.3)]], rtol=1e-15)
    assert wf.vmap(lambda x: wf.array([x[0], x[1] * 3, 1]))(wf.ones((2, 2))).tolist() == [[1.0, 3.0, 1.0]] * 2
