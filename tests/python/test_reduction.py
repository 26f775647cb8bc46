"""reduction(), reductions as text: beside NumPy, over every kind of axes, with derivatives, and what it refuses."""

import pickle

import numpy as np
import pytest
import weft as wf

RNG = np.random.default_rng(7)

log_sum_exp = wf.reduction(
    "m = x; s = 1", "m = fmax(a_m, b_m); s = a_s * (a_m == m ? 1 : exp(a_m - m)) + b_s * (b_m == m ? 1 : exp(b_m - m))",
    "y = m + log(s)", "m = -INFINITY; s = 0", "T x", "T y", "log_sum_exp", state="T m, T s")
welford = wf.reduction(
    "n = 1; m = x; q = 0",
    "n = a_n + b_n; T d = b_m - a_m; T w = n == 0 ? 0 : (T)b_n / n; m = a_m + d * w; q = a_q + b_q + d * d * w * a_n",
    "mean = m; var = q / n", "n = 0; m = 0; q = 0", "T x", "T mean, T var", "welford", state="long n, T m, T q")
furthest = wf.reduction("fabs(x)", "a > b ? a : b", "y = a", 0.0, "T x", "T y", "furthest")

SHAPES = [(1,), (2,), (15,), (16,), (17,), (100,), (257,), (1000,), (3, 5), (7, 33), (2, 3, 40)]
AXES = [None, 0, -1, (0, -1)]


def of_log_sum_exp(x, axis):
    most = x.max(axis, keepdims=True)
    return np.log(np.exp(x - most).sum(axis)) + most.max(axis)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("shape", SHAPES)
def test_gives_what_numpy_gives(shape, axis):
    x = RNG.normal(0, 30, shape)
    at = axis if not isinstance(axis, tuple) or len(shape) > 1 else 0
    a = wf.asarray(x)
    np.testing.assert_allclose(np.asarray(log_sum_exp(a, axis=at)), of_log_sum_exp(x, at), rtol=1e-12)
    mean, var = welford(a, axis=at)
    np.testing.assert_allclose(np.asarray(mean), x.mean(at), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.asarray(var), x.var(at), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(np.asarray(furthest(a, axis=at, keepdims=True)), abs(x).max(at, keepdims=True))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "uint64", "float32", "float64"])
@pytest.mark.parametrize(("reduce", "identity", "numpys"), [
    ("a ^ b", 0, np.bitwise_xor), ("a + b", 0, np.add), ("a * b", 1, np.multiply), ("max(a, b)", 0, np.maximum), ("a < b ? b : a", 0, np.maximum), ("b * a", 1, np.multiply)])
def test_joins_every_dtype(dtype, reduce, identity, numpys):
    if "^" in reduce and dtype.startswith("float"):
        pytest.skip("bits are of integers")
    x = RNG.integers(1, 3, 40).astype(dtype)
    got = wf.reduction("x", reduce, "y = a", identity, "T x", "T y")(wf.asarray(x))
    want = numpys.reduce(x, dtype=dtype)
    assert got.dtype == dtype
    np.testing.assert_array_equal(np.asarray(got), want)


@pytest.mark.parametrize("view", [lambda v: v.T, lambda v: v[::-1, ::2], lambda v: v[:, :0], lambda v: v[:0]])
def test_takes_views_and_nothing(view):
    x = RNG.normal(0, 1, (6, 9))
    for axis in (None, 0, 1):
        v = view(x)
        want = abs(v).max(axis, initial=0)
        np.testing.assert_array_equal(np.asarray(furthest(view(wf.asarray(x)), axis=axis)), want)


def test_of_several_operands_and_the_number_of_the_element():
    x, w = RNG.normal(0, 1, 300), RNG.uniform(0, 1, 300)
    dot = wf.reduction("x * w", "a + b", "y = a", 0, "T x, T w", "T y", "dot")
    np.testing.assert_allclose(float(dot(wf.asarray(x), wf.asarray(w))), x @ w, rtol=1e-12)
    first = wf.reduction("v = x; k = i", "if (a_v > b_v || a_v == b_v && a_k < b_k) { v = a_v; k = a_k; } else { v = b_v; k = b_k; }", "at = k",
                         "v = -INFINITY; k = INT_MAX", "T x", "long at", "first", state="T v, long k")
    x = RNG.integers(0, 9, 1000).astype(float)
    assert int(first(wf.asarray(x))) == x.argmax()


def test_has_the_same_bits_whatever_runs_it():
    x = wf.asarray(RNG.normal(0, 1, 100_003).astype("float32"))
    f = wf.reduction("x", "a + b * 1.0f", "y = a", 0, "T x", "T y")
    once = np.asarray(f(x)).tobytes()
    assert np.asarray(wf.compile(lambda v: f(v))(x)).tobytes() == once


def test_is_derived_and_done_for_many():
    x = RNG.normal(0, 3, (5, 40))
    by = wf.grad(lambda v: wf.sum(log_sum_exp(v, axis=1)))(wf.asarray(x))
    soft = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(np.asarray(by), soft / soft.sum(1, keepdims=True), rtol=1e-10)
    np.testing.assert_allclose(np.asarray(wf.vmap(lambda v: log_sum_exp(v))(wf.asarray(x))), of_log_sum_exp(x, 1), rtol=1e-12)


def test_takes_positions():
    f = wf.reduction("m = x; n = k", "n = a_m >= b_m ? a_n : b_n; m = fmax(a_m, b_m)", "y = n", "m = -INFINITY; n = -1", "T x, long k", "long y",
                     "where_largest", state="T m, long n")
    x = RNG.permutation(7 * 300).reshape(7, 300) * 1.0
    np.testing.assert_array_equal(np.asarray(f(wf.asarray(x), wf.index(1), axis=1)), x.argmax(1))


def test_is_named_and_pickled():
    x = wf.asarray(RNG.normal(0, 1, 12))
    told = wf.explain(log_sum_exp(x))
    assert "log_sum_exp_map, log_sum_exp_map" in told and "log_sum_exp_join" in told and "log_sum_exp_post" in told
    wf.one_kernel(wf.reduction("x * x", "a + b", "y = sqrt(a)", 0, "T x", "T y", "norm")(x * 2))
    again = pickle.loads(pickle.dumps(log_sum_exp))
    assert float(again(x)) == float(log_sum_exp(x))
    assert repr(furthest) == "<weft.reduction furthest(T x) -> (T y): a > b ? a : b>"
    out = wf.zeros(())
    furthest(x, out=out)
    assert float(out) == float(furthest(x))


@pytest.mark.parametrize(("make", "message"), [
    (lambda: wf.reduction("x", "a + c", "y = a", 0, "T x", "T y", "f")(wf.ones(3)), "f_join:1:5: 'c' is not defined"),
    (lambda: wf.reduction("x +", "a + b", "y = a", 0, "T x", "T y", "f"), "f_map:1:4: expected a value, got the end of the text"),
    (lambda: wf.reduction("x", "a + b;", "y = a", 0, "T x", "T y", "f"), "f_join:1:6: expected the end of the value, got ';'"),
    (lambda: wf.reduction("x", "a + b", "z = a", 0, "T x", "T y", "f"), "f_post:1:1: 'y' is never assigned"),
    (lambda: wf.reduction("m = x", "m = a_m", "", "m = 0", "T x", "T y", "f", state="T m"), "f: post assigns the results"),
    (lambda: furthest(wf.ones((2, 2)), axis=2), "furthest: .*axis"),
    (lambda: furthest(wf.ones((2, 2)), axis="x"), "furthest: axis is an integer or a tuple of integers: got 'x'"),
    (lambda: furthest(wf.ones((2, 2)), axis=1.5), "furthest: axis is an integer or a tuple of integers: got 1.5"),
    (lambda: furthest(wf.ones((2, 2)), keepdims="a"), "furthest: keepdims is True or False: got 'a'"),
    (lambda: furthest(2.0), "furthest: takes one array at least: got numbers alone"),
    (lambda: wf.reduction("x", "a + b", "y = a", None, "T x", "T y", "f"), "reduction: identity is a number or a text: got None"),
    (lambda: furthest(wf.ones((2, 2)), axis=(0, 0)), "furthest: axes must be different"),
])
def test_errors_say_what_is_wrong(make, message):
    with pytest.raises((wf.Error, IndexError, TypeError), match=message):
        make()


def test_one_value_has_the_type_of_the_first_result():
    z = np.array([1 + 2j, 3 - 1j, 0.5j])
    product = wf.reduction("z", "a * b", "r = a", 1, "complex<T> z", "complex<T> r", "product")
    np.testing.assert_allclose(product(wf.asarray(z)), np.prod(z), rtol=1e-15)
    with pytest.raises(wf.Error, match=r'product: the value that is joined has the type of the first result, T: where it is another, write state="complex<T> v"'):
        wf.reduction("z", "a * b", "r = a.real()", 1, "complex<T> z", "T r", "product")(wf.asarray(z))
    real = wf.reduction("v = z", "v = a_v * b_v", "r = v.real()", "v = 1", "complex<T> z", "T r", "product", state="complex<T> v")
    np.testing.assert_allclose(real(wf.asarray(z)), np.prod(z).real, rtol=1e-15)
    assert int(wf.reduction("x", "a + b", "y = a", 0, "T x", "T y", "total")(wf.asarray(np.array([100, 100], "i1")))) == -56
